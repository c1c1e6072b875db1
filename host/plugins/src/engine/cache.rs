//! A cache of compiled code between starts. Loading compiled code amounts to running it, so a MAC is verified first:
//! only a process with the secret of this state directory can have written the file.

use std::hash::{Hash, Hasher};
use std::io::{self, Read as _};
use std::time::SystemTime;

use cap_std::fs::{Dir, DirEntry, Metadata};
use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use wasmparser::BinaryReader;
use wasmtime::component::Component;

/// Compiled code, by its key.
pub struct Cache {
    directory: Dir,
    secret: [u8; 32],
}

/// Identifies compiled code by what it was made from: the component, and the engine with its settings. The limits of
/// a call do not affect the code, and neither do the sections that describe a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key(String);

const MAC: usize = 32;

/// The most bytes of compiled code to keep. The least recently used code is removed first.
const MOST: u64 = 512 * 1024 * 1024;

/// Returns a component without the sections that `package` appends. Only what remains affects the compiled code.
pub(super) fn bare(wasm: &[u8]) -> &[u8] {
    &wasm[..end_of_code(wasm).unwrap_or(wasm.len())]
}

fn end_of_code(wasm: &[u8]) -> wasmparser::Result<usize> {
    const HEAD: usize = 8;
    let mut reader = BinaryReader::new(wasm, 0);
    reader.read_bytes(HEAD)?;
    let mut end = HEAD;
    while !reader.eof() {
        let (kind, size) = (reader.read_u8()?, reader.read_var_u32()?);
        let mut body = BinaryReader::new(reader.read_bytes(size as usize)?, 0);
        if kind != 0 || !body.read_string()?.starts_with("iac:") {
            end = reader.original_position();
        }
    }
    Ok(end)
}

impl Key {
    pub(super) fn of(wasm: &[u8], engine: &wasmtime::Engine) -> Self {
        let mut digest = Sha256::new();
        digest.update(Sha256::digest(wasm));
        let mut feed = Feed(digest);
        engine.precompile_compatibility_hash().hash(&mut feed);
        Self(HEXLOWER.encode(&feed.0.finalize()))
    }

    fn file(&self) -> String {
        format!("{}.code", self.0)
    }
}

/// Feeds hashed values into a digest.
struct Feed(Sha256);

impl Hasher for Feed {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}

impl Cache {
    /// Keeps code in `directory`, authenticated by `secret`, which must be kept elsewhere.
    pub fn new(directory: Dir, secret: [u8; 32]) -> Self {
        Self { directory, secret }
    }

    /// Returns the component, or `None` if the file is missing, fails its MAC, or is from another engine.
    pub(super) fn load(&self, key: &Key, engine: &wasmtime::Engine) -> Option<Component> {
        let mut opened = self.directory.open(key.file()).ok()?;
        let mut file = Vec::new();
        opened.read_to_end(&mut file).ok()?;
        let (mac, code) = file.split_at_checked(MAC)?;
        if self.mac(key, code).verify_slice(mac).is_err() {
            tracing::warn!(
                key = key.0,
                "compiled code in the cache was not written by this server and is ignored"
            );
            return None;
        }
        // Marks the file as just used, so that older code is removed first.
        let _ = opened.into_std().set_modified(SystemTime::now());
        deserialize(engine, code)
    }

    /// Stores compiled code. The file appears whole or not at all.
    pub(super) fn save(&self, key: &Key, code: &[u8]) -> io::Result<()> {
        let mut file = self.mac(key, code).finalize().into_bytes().to_vec();
        file.extend_from_slice(code);
        let temporary = format!(".{}.{}", key.0, std::process::id());
        self.directory.write(&temporary, file)?;
        self.directory.rename(&temporary, &self.directory, key.file())?;
        self.sweep(MOST)
    }

    /// Removes the least recently used code until at most `most` bytes are left.
    fn sweep(&self, most: u64) -> io::Result<()> {
        let held = |entry: DirEntry| {
            let metadata = entry.metadata().ok().filter(Metadata::is_file)?;
            Some((metadata.modified().ok()?.into_std(), metadata.len(), entry))
        };
        let mut files: Vec<_> = self.directory.entries()?.flatten().filter_map(held).collect();
        files.sort_by_key(|(used, ..)| std::cmp::Reverse(*used));
        let mut bytes = 0;
        for (_, length, entry) in files {
            bytes += length;
            if bytes > most {
                // Another process may have removed it already.
                let _ = entry.remove_file();
            }
        }
        Ok(())
    }

    fn mac(&self, key: &Key, code: &[u8]) -> Hmac<Sha256> {
        let mut mac =
            <Hmac<Sha256>>::new_from_slice(&self.secret).expect("a key of any length makes an HMAC");
        mac.update(key.0.as_bytes());
        mac.update(code);
        mac
    }
}

#[expect(unsafe_code, reason = "the one place where bytes become code; the caller has authenticated them")]
fn deserialize(engine: &wasmtime::Engine, code: &[u8]) -> Option<Component> {
    // SAFETY: the bytes carry a MAC under a secret of this server, so `Component::serialize` of this server made them;
    // the engine itself checks that it was an engine of the same kind.
    unsafe { Component::deserialize(engine, code) }.ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use cap_std::ambient_authority;

    use super::*;

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let directory = Dir::open_ambient_dir(folder.path(), ambient_authority()).expect("it is there");
        for (age, name) in ["new.code", "middle.code", ".torn.7", "old.code"].iter().enumerate() {
            directory.write(name, [0; 100]).expect("it can be written");
            let used = SystemTime::now() - Duration::from_secs(60 * age as u64);
            directory.open(name).expect("it is there").into_std().set_modified(used).expect("it is ours");
        }
        let left = |most| {
            Cache::new(directory.try_clone().expect("it is open"), [0; 32]).sweep(most).expect("it is swept");
            let names = directory.entries().expect("it can be read").flatten();
            let mut names: Vec<_> = names.filter_map(|entry| entry.file_name().into_string().ok()).collect();
            names.sort();
            names.join(" ")
        };
        assert_eq!(left(400), ".torn.7 middle.code new.code old.code");
        assert_eq!(left(250), "middle.code new.code");
        assert_eq!(left(99), "");
    }

    #[test]
    fn what_says_what_a_package_is_belongs_to_no_code() {
        let section = |kind: u8, name: &str| {
            let mut body = vec![u8::try_from(name.len()).expect("it is short")];
            body.extend_from_slice(name.as_bytes());
            [vec![kind, u8::try_from(body.len()).expect("it is short")], body].concat()
        };
        let head = b"\0asm\x0d\0\x01\0".to_vec();
        let check = |sections: &[(u8, &str)], kept: usize| {
            let parts: Vec<Vec<u8>> = sections.iter().map(|(kind, name)| section(*kind, name)).collect();
            let whole = [head.clone(), parts.concat()].concat();
            assert_eq!(bare(&whole), [head.clone(), parts[..kept].concat()].concat(), "{sections:?}");
        };
        check(&[], 0);
        check(&[(0, "name"), (0, "iac:plugin.toml"), (0, "iac:tools.json")], 1);
        check(&[(0, "iac:plugin.toml"), (0, "name")], 2);
        check(&[(1, "iac:x"), (0, "iac:plugin.toml")], 1);
        assert_eq!(bare(b"\0asm\x0d\0\x01\0\0\xff"), b"\0asm\x0d\0\x01\0\0\xff");
        assert_eq!(bare(b""), b"");
    }
}
