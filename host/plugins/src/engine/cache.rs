//! Compiled code between starts. Loading it is running it, so it is authenticated first: only who knows the key of this
//! state directory can have written it.

use std::hash::{Hash, Hasher};
use std::io;

use cap_std::fs::Dir;
use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use wasmtime::component::Component;

/// Compiled code, by what it was made of.
pub struct Cache {
    directory: Dir,
    secret: [u8; 32],
}

/// What compiled code was made of: the component, and the engine with its settings. The bounds of a call change nothing in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key(String);

const MAC: usize = 32;

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

/// Lets a digest take in what can be hashed.
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

    /// Returns the component, or none where it is not there, is not ours, or is of another engine.
    pub(super) fn load(&self, key: &Key, engine: &wasmtime::Engine) -> Option<Component> {
        let file = self.directory.read(key.file()).ok()?;
        let (mac, code) = file.split_at_checked(MAC)?;
        if self.mac(key, code).verify_slice(mac).is_err() {
            tracing::warn!(
                key = key.0,
                "compiled code in the cache was not written by this server and is ignored"
            );
            return None;
        }
        deserialize(engine, code)
    }

    /// Keeps compiled code; a file is whole or not there.
    pub(super) fn save(&self, key: &Key, code: &[u8]) -> io::Result<()> {
        let mut file = self.mac(key, code).finalize().into_bytes().to_vec();
        file.extend_from_slice(code);
        let temporary = format!(".{}.{}", key.0, std::process::id());
        self.directory.write(&temporary, file)?;
        self.directory.rename(&temporary, &self.directory, key.file())
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
