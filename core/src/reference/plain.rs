//! Maps with hashes as keys, which need no second hash.

use std::hash::{BuildHasherDefault, Hasher};

/// A map with hashes as keys.
#[expect(clippy::disallowed_types, reason = "looked up by key only")]
pub(super) type Map<V> = std::collections::HashMap<u64, V, BuildHasherDefault<Plain>>;

/// A hasher that returns a number unchanged.
#[derive(Default)]
pub(super) struct Plain(u64);

impl Hasher for Plain {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| hash.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_its_own_hash_and_bytes_are_told_apart() {
        let hash = |bytes: &[u8]| {
            let mut plain = Plain::default();
            plain.write(bytes);
            plain.finish()
        };
        let mut plain = Plain::default();
        plain.write_u64(7);
        assert_eq!(plain.finish(), 7);
        assert_ne!(hash(b"ab"), hash(b"ba"));
    }
}
