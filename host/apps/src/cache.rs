//! A cache of facts about apps that survives restarts. An entry that is not trustworthy counts as missing.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};

/// The version of the cache. It changes with the source of the dictionary reader.
const FORMAT: &str = concat!(env!("CARGO_PKG_VERSION"), "-", env!("IAC_MCP_READER"));

/// The length in bytes of the digest before a payload.
const DIGEST: usize = 32;

/// The largest file that is read back, in bytes.
const LARGEST: u64 = 64 * 1024 * 1024;

/// A directory of files that can be rebuilt at any time.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
}

impl Cache {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Returns the cached value of a name; `None` if it is missing, damaged, or from another version.
    pub(crate) fn get<T: DeserializeOwned>(&self, kind: &str, name: &str) -> Option<T> {
        let path = self.path(kind, name);
        let size = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?.len();
        let bytes = (size <= LARGEST).then(|| fs::read(&path).ok()).flatten()?;
        let (digest, payload) = bytes.split_at_checked(DIGEST)?;
        if digest != digest_of(kind, name, payload) {
            return None;
        }
        postcard::from_bytes(payload).ok()
    }

    /// Stores a value under a name. If that fails, the value is lost, which is harmless because it can be computed
    /// again.
    pub(crate) fn put<T: Serialize>(&self, kind: &str, name: &str, value: &T) {
        if let Err(error) = self.try_put(kind, name, value) {
            tracing::debug!(%error, kind, name, "not kept in the cache");
        }
    }

    fn try_put<T: Serialize>(&self, kind: &str, name: &str, value: &T) -> io::Result<()> {
        let payload = postcard::to_stdvec(value).map_err(io::Error::other)?;
        fs::create_dir_all(&self.folder)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(&digest_of(kind, name, &payload))?;
        file.write_all(&payload)?;
        file.persist(self.path(kind, name)).map_err(|error| error.error)?;
        Ok(())
    }

    fn path(&self, kind: &str, name: &str) -> PathBuf {
        let name = data_encoding::HEXLOWER.encode(&Sha256::digest(name)[..12]);
        self.folder.join(format!("{kind}-{name}"))
    }
}

/// Computes a digest that ties a payload to its name and to the version that wrote it.
fn digest_of(kind: &str, name: &str, payload: &[u8]) -> [u8; DIGEST] {
    let mut hash = Sha256::new();
    for part in [FORMAT.as_bytes(), kind.as_bytes(), name.as_bytes()] {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    hash.update(payload);
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept() -> (tempfile::TempDir, Cache) {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().join("deep"));
        cache.put("kind", "name", &vec![1_u32, 2, 3]);
        (folder, cache)
    }

    #[test]
    fn what_was_kept_comes_back_under_its_name_only() {
        let (_folder, cache) = kept();
        assert_eq!(cache.get::<Vec<u32>>("kind", "name"), Some(vec![1, 2, 3]));
        assert_eq!(cache.get::<Vec<u32>>("kind", "other"), None);
        assert_eq!(cache.get::<Vec<u32>>("other", "name"), None);
    }

    #[test]
    fn a_damaged_file_is_a_miss() {
        let (_folder, cache) = kept();
        let path = cache.path("kind", "name");
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::File::create(&path).unwrap().write_all(&damaged).unwrap();
            assert_eq!(cache.get::<Vec<u32>>("kind", "name"), None, "byte {at}");
            fs::File::create(&path).unwrap().write_all(&whole[..at]).unwrap();
            assert_eq!(cache.get::<Vec<u32>>("kind", "name"), None, "cut at {at}");
        }
    }
}
