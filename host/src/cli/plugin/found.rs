//! A package with its source, and the digest that identifies its contents.

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

use crate::plugins::engine::package::MOST_BYTES;

/// A package, and its source.
pub(super) struct Found {
    pub(super) bytes: Vec<u8>,
    /// The address or path it came from. For an embedded package, it is the path of the program.
    pub(super) from: String,
    /// The contents of the signature file, if there is one.
    pub(super) signature: Option<String>,
}

/// The suffix that minisign adds to a file's name for its signature.
pub(super) const SUFFIX: &str = ".minisig";

/// The size limit for downloads. A larger package could not be loaded.
pub(super) const LARGEST: u64 = MOST_BYTES as u64;

/// A SHA-256 digest, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sha(String);

impl Sha {
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self(HEXLOWER.encode(&Sha256::digest(bytes)))
    }

    /// Parses `sha256:HEX`, or `sha256=HEX`, which some people write.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let hex = text.strip_prefix("sha256:").or_else(|| text.strip_prefix("sha256="))?.to_ascii_lowercase();
        let fits = hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        fits.then_some(Self(hex))
    }
}

impl std::fmt::Display for Sha {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "sha256:{}", self.0)
    }
}
