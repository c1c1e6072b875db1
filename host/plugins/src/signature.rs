//! Authors' signatures, in the format of minisign. The key is in the package; the signature is in a file beside it.
//!
//! The signature covers the whole package, and so also the id, the version and the key.

use std::fmt;
use std::str::FromStr;

use minisign_verify::{PublicKey, Signature};
use serde::{Deserialize, Serialize};

/// A public key of minisign, as the line of text that authors pass on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Key(String);

/// The error for a string that is not a public key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a public key of minisign: `{0}`. Expected 56 characters that begin with RW")]
pub struct InvalidKey(String);

/// Why a signature does not match its package or its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSignature {
    #[error("it is not a signature of minisign")]
    Form,
    #[error("another key made it")]
    OtherKey,
    #[error("it belongs to other contents")]
    OtherContents,
}

/// The longest signature: four lines, two of them comments.
pub const LONGEST: usize = 4 * 1024;

impl Key {
    /// Checks that the holder of the key signed these bytes.
    ///
    /// # Errors
    /// The signature is wrong.
    pub fn verify(&self, bytes: &[u8], signature: &str) -> Result<(), InvalidSignature> {
        use minisign_verify::Error;

        if signature.len() > LONGEST || !signature.is_ascii() {
            return Err(InvalidSignature::Form);
        }
        let signature = Signature::decode(signature).map_err(|_| InvalidSignature::Form)?;
        let key = PublicKey::from_base64(&self.0).map_err(|_| InvalidSignature::OtherKey)?;
        // The older format signs the bytes themselves instead of their hash. minisign has not written it since 2022.
        key.verify(bytes, &signature, false).map_err(|error| match error {
            Error::UnexpectedKeyId => InvalidSignature::OtherKey,
            Error::InvalidSignature => InvalidSignature::OtherContents,
            _ => InvalidSignature::Form,
        })
    }
}

impl FromStr for Key {
    type Err = InvalidKey;

    fn from_str(text: &str) -> Result<Self, InvalidKey> {
        match PublicKey::from_base64(text) {
            Ok(_) => Ok(Self(text.to_owned())),
            Err(_) => Err(InvalidKey(crate::failure::clean(text, 80))),
        }
    }
}

impl TryFrom<String> for Key {
    type Error = InvalidKey;

    fn try_from(text: String) -> Result<Self, InvalidKey> {
        text.parse()
    }
}

impl From<Key> for String {
    fn from(key: Key) -> Self {
        key.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use minisign::KeyPair;
    use proptest::prelude::*;

    use super::*;

    fn pair() -> (KeyPair, Key) {
        let pair = KeyPair::generate_unencrypted_keypair().expect("a key can be made");
        let key = pair.pk.to_base64().parse().expect("it is a key");
        (pair, key)
    }

    fn signed(pair: &KeyPair, bytes: &[u8]) -> String {
        let made = minisign::sign(Some(&pair.pk), &pair.sk, bytes, Some("demo 0.1.0"), None);
        made.expect("it can be signed").into_string()
    }

    #[test]
    fn only_the_same_bytes_and_the_same_key_pass() {
        let ((pair, key), (_, other)) = (pair(), pair());
        let signature = signed(&pair, b"package");
        let check = |key: &Key, bytes: &[u8], signature: &str, expected| {
            assert_eq!(key.verify(bytes, signature), expected, "{signature}");
        };
        check(&key, b"package", &signature, Ok(()));
        check(&key, b"Package", &signature, Err(InvalidSignature::OtherContents));
        check(&other, b"package", &signature, Err(InvalidSignature::OtherKey));
        check(&key, b"package", &signature.replace("0.1.0", "0.1.1"), Err(InvalidSignature::OtherContents));
        check(&key, b"package", "", Err(InvalidSignature::Form));
        check(&key, b"package", "one\ntwo\nthree\nfour", Err(InvalidSignature::Form));
        let long = format!("{signature}{}", " ".repeat(LONGEST));
        check(&key, b"package", &long, Err(InvalidSignature::Form));
    }

    #[test]
    fn a_key_that_only_has_the_same_number_does_not_pass() {
        let ((pair, key), (_, other)) = (pair(), pair());
        let decode = |key: &Key| data_encoding::BASE64.decode(key.to_string().as_bytes()).expect("base64");
        let forged = [&decode(&key)[..10], &decode(&other)[10..]].concat();
        let forged: Key = data_encoding::BASE64.encode(&forged).parse().expect("it is of the form");
        assert_eq!(
            forged.verify(b"package", &signed(&pair, b"package")),
            Err(InvalidSignature::OtherContents)
        );
    }

    proptest! {
        #[test]
        fn no_text_stops_the_program(text in "\\PC{0,200}", lines in "[ -~\\n]{0,400}") {
            let (_, key) = pair();
            prop_assert!(text.parse::<Key>().is_err());
            prop_assert!(key.verify(b"", &lines).is_err());
            prop_assert!(key.verify(b"", &text).is_err());
        }
    }
}
