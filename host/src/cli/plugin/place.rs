//! Remote packages: at an address, or in an OCI registry. Each is named together with the digest of its contents, so
//! that nobody can replace it there.

use super::found::{Found, LARGEST, SUFFIX, Sha};
use super::oci::{Image, Registry};
use crate::cli::Failure;
use crate::cli::package::working_on;
use crate::cli::web::{self, Address, Request};
use crate::plugins::engine::package;
use crate::plugins::engine::signature;

/// Where a package is.
pub(super) enum Place {
    /// A file on a web server. Comparing an installed plugin with it needs no digest.
    File { address: Address, sha: Option<Sha> },
    /// An image in a registry.
    Image(Image),
}

impl Place {
    /// Parses an address. A text without a scheme is not an address.
    ///
    /// # Errors
    /// The address has no digest or is malformed.
    pub(super) fn parse(text: &str) -> Result<Option<Self>, Failure> {
        if text.starts_with("oci://") {
            return Image::parse(text).map(|image| Some(Self::Image(image)));
        }
        if !text.contains("://") {
            return Ok(None);
        }
        let address = Address::parse(text)?;
        let digest = text.split_once('#').map(|(_, digest)| digest);
        let sha = digest.and_then(Sha::parse).ok_or_else(|| {
            let form = format!("{}#sha256:DIGEST", address.as_str());
            let how = "its author publishes the digest; `plugin check FILE` shows that of a file";
            Failure::Misuse(format!("an address needs the digest of the package, expected {form}\n{how}"))
        })?;
        Ok(Some(Self::File { address, sha: Some(sha) }))
    }

    /// Tells whether it is on this computer or in a private network.
    pub(super) fn is_private(&self) -> bool {
        match self {
            Self::File { address, .. } => address.is_private(),
            Self::Image(image) => image.is_private(),
        }
    }

    /// Fetches the newest package: the newest version in a registry, or the current file at an address. A login is
    /// only used for registries.
    ///
    /// # Errors
    /// As for [`Place::fetch`]; also if the registry's tag differs from the package's own version.
    pub(super) fn fetch_newest(self, login: Option<&str>) -> Result<Found, Failure> {
        let image = match self {
            Self::File { address, .. } => return Self::File { address, sha: None }.fetch(None),
            Self::Image(image) => image,
        };
        let (version, newest) = Registry::of(&image, login).newest(&image)?;
        let found = Self::Image(newest).fetch(login)?;
        // A registry may put a package of another version under a tag.
        let own = package::read(&found.bytes)?.manifest.version;
        if own == version.to_string() {
            return Ok(found);
        }
        let what =
            format!("the registry calls {} {version}, but the package has the version {own}", found.from);
        Err(Failure::Failed(format!("{what}\nask its author which one is right")))
    }

    /// Fetches the package and its signature.
    ///
    /// # Errors
    /// The package is missing or too large, or it does not match the digest.
    pub(super) fn fetch(self, login: Option<&str>) -> Result<Found, Failure> {
        working_on("fetching", || match &self {
            Self::Image(image) => {
                let (bytes, signature) = Registry::of(image, login).pull(image)?;
                Ok(Found { bytes, from: image.to_string(), signature })
            }
            Self::File { .. } if login.is_some() => {
                Err(Failure::Misuse("--login is for registries (oci://…) only".to_owned()))
            }
            Self::File { address, sha } => file(address, sha.as_ref()),
        })
    }
}

fn file(address: &Address, sha: Option<&Sha>) -> Result<Found, Failure> {
    let bytes = get(address, LARGEST)?.ok_or_else(|| address.fails("there is nothing (404)"))?;
    let got = Sha::of(&bytes);
    if let Some(sha) = sha.filter(|sha| **sha != got) {
        let why = format!("it has the digest {got}, expected {sha}; ask its author which one is right");
        return Err(address.fails(&why));
    }
    let has_key = package::read(&bytes).is_ok_and(|package| package.manifest.key.is_some());
    let signature = match has_key {
        true => get(&address.beside(SUFFIX), signature::LONGEST as u64)?,
        false => None,
    };
    let signature = signature.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(Found { bytes, from: format!("{}#{got}", address.as_str()), signature })
}

/// Fetches a text file.
///
/// # Errors
/// It is missing, longer than `most`, or not text.
pub(super) fn text(address: &Address, most: u64) -> Result<String, Failure> {
    let bytes = working_on("fetching", || get(address, most))?;
    let bytes = bytes.ok_or_else(|| address.fails("there is nothing (404)"))?;
    String::from_utf8(bytes).map_err(|_| address.fails("it is not text in UTF-8"))
}

/// Fetches an address; `None` if the server answers 404.
fn get(address: &Address, most: u64) -> Result<Option<Vec<u8>>, Failure> {
    let reply = web::fetch(address, Request::get(most))?;
    match reply.status {
        200 => Ok(Some(reply.body)),
        404 | 410 => Ok(None),
        status => Err(address.fails(&format!("the server answered {status}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_its_digest() {
        let hex = "0".repeat(64);
        let check = |text: &str, expected: &str| {
            let said = match Place::parse(text) {
                Ok(None) => "no address".to_owned(),
                Ok(Some(Place::File { sha, .. })) => sha.expect("it is required").to_string(),
                Ok(Some(Place::Image(image))) => image.to_string(),
                Err(failure) => failure.to_string(),
            };
            assert!(said.contains(expected), "{text}: {said}");
        };
        check("code-query", "no address");
        check("./plugins/x.wasm", "no address");
        check(&format!("https://a.example/x.wasm#sha256:{hex}"), &format!("sha256:{hex}"));
        check(&format!("https://a.example/x.wasm#sha256={hex}"), &format!("sha256:{hex}"));
        check("https://a.example/x.wasm", "expected https://a.example/x.wasm#sha256:DIGEST");
        check("https://a.example/x.wasm#sha256:12", "needs the digest");
        check(&format!("https://a.example/x.wasm#{hex}"), "needs the digest");
        check(&format!("http://a.example/x.wasm#sha256:{hex}"), "expected https://HOST/PATH");
        check(&format!("oci://a.example/x@sha256:{hex}"), "oci://a.example/x@sha256:0");
    }
}
