//! The author of a package, as far as a signature proves it.

use std::path::Path;

use super::found::{Found, SUFFIX};
use crate::cli::Failure;
use crate::cli::package::read;
use crate::plugins::engine::installed::Receipt;
use crate::plugins::engine::package::{self, Package};
use crate::plugins::engine::signature::Key;

/// Returns the key of the author who signed a package; `None` if it is not signed. The signature covers the whole
/// package, even the parts that do not affect the code.
///
/// # Errors
/// The signature was not made for this package with the key that the package names.
pub(super) fn signer(found: &Found) -> Result<Option<Key>, Failure> {
    let (Some(key), Some(signature)) = (package::key(&found.bytes), &found.signature) else {
        return Ok(None);
    };
    key.verify(&found.bytes, signature).map_err(|error| {
        let what = format!("the signature of {} does not fit: {error}", found.from);
        Failure::Failed(format!("{what}\nexpected one by {key}; get the package from its author again"))
    })?;
    Ok(Some(key))
}

/// Describes, before an installation, where a package comes from and who signed it.
pub(super) fn lines(package: &Package, found: &Found, signer: Option<&Key>) -> Vec<String> {
    let mut lines = vec![
        format!("from {}", found.from),
        format!("{} bytes, sha256 {}, licence {}", package.size, package.sha256, package.manifest.licence),
    ];
    match signer {
        Some(key) => {
            lines.push(format!("signed by {key}; compare it with the key that the author publishes"))
        }
        None if package.manifest.key.is_none() => lines.push("its author did not sign it".to_owned()),
        None => {}
    }
    lines
}

/// Returns a warning if a package may not be by the author it names, before it is installed for the first time.
pub(super) fn missing(package: &Package, signer: Option<&Key>) -> Option<String> {
    let key = package.manifest.key.as_ref().filter(|_| signer.is_none())?;
    Some(format!("it has no signature ({SUFFIX}), but says that its author signs with {key}"))
}

/// Returns a warning if an update may not be by the author of the installed version.
pub(super) fn doubt(old: &Receipt, package: &Package, signer: Option<&Key>) -> Option<String> {
    let (id, version) = (&package.manifest.id, &package.manifest.version);
    match (&old.key, signer) {
        (Some(held), Some(key)) if held == key => None,
        (Some(held), Some(key)) => {
            Some(format!("{id} {version} is signed by another key: {key}, and the installed one by {held}"))
        }
        (Some(held), None) => {
            Some(format!("{id} {version} is not signed, and the installed one is, by {held}"))
        }
        (None, Some(key)) => {
            Some(format!("{id} {version} is signed by {key}, and the installed one is not signed"))
        }
        (None, None) => missing(package, signer).map(|why| format!("{id} {version}: {why}")),
    }
}

/// Reads `USER:PASSWORD` from a file.
pub(super) fn login(file: Option<&Path>) -> Result<Option<String>, Failure> {
    let Some(file) = file else { return Ok(None) };
    let text = String::from_utf8(read(file)?).unwrap_or_default().trim().to_owned();
    match text.contains(':') && !text.contains('\n') {
        true => Ok(Some(text)),
        false => Err(Failure::Misuse(format!("{}: expected one line with USER:PASSWORD", file.display()))),
    }
}
