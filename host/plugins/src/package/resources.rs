//! The resources of a package, collected when it is made and checked when it is read.

use std::collections::BTreeMap;

use super::{Inspection, PackageError, SECTION_RESOURCES, Texts};
use crate::manifest::Manifest;

/// The most bytes of one text. A model reads it whole.
const LONGEST: usize = 256 * 1024;

/// Puts the texts under the names that the manifest gives them.
pub(super) fn collect(manifest: &Manifest, texts: &Texts) -> Result<BTreeMap<String, String>, PackageError> {
    let resources = manifest.resources.iter().map(|resource| {
        let missing = || failed(&resource.name, &format!("the file {} does not exist", resource.file));
        let text = texts.get(&resource.file).ok_or_else(missing)?;
        check(&resource.name, text)?;
        Ok((resource.name.clone(), text.clone()))
    });
    resources.collect()
}

pub(super) fn write(resources: &BTreeMap<String, String>) -> Vec<u8> {
    serde_json::to_vec(resources).expect("texts are plain data")
}

/// Reads the resources of a package, which must be those that its manifest names.
pub(super) fn read(
    manifest: &Manifest,
    inspection: &Inspection,
) -> Result<BTreeMap<String, String>, PackageError> {
    let held: BTreeMap<String, String> = match inspection.has(SECTION_RESOURCES) {
        true => serde_json::from_str(inspection.text(SECTION_RESOURCES)?).map_err(|error| {
            failed("", &format!("the section `{SECTION_RESOURCES}` cannot be read: {error}"))
        })?,
        false => BTreeMap::new(),
    };
    let named = manifest.resources.iter().filter(|resource| held.contains_key(&resource.name)).count();
    if named != manifest.resources.len() || named != held.len() {
        return Err(failed("", "the package has other resources than plugin.toml; make it again"));
    }
    held.iter().try_for_each(|(name, text)| check(name, text))?;
    Ok(held)
}

/// Checks a text. A model and a person must see the same text, so no character may hide itself or its neighbours.
fn check(name: &str, text: &str) -> Result<(), PackageError> {
    if text.trim().is_empty() || text.len() > LONGEST {
        return Err(failed(name, &format!("it has {} bytes, expected 1 to {LONGEST}", text.len())));
    }
    match crate::failure::hidden_in_prose(text) {
        Some((c, line)) => {
            let code = u32::from(c);
            Err(failed(name, &format!("line {line} has the invisible character U+{code:04X}; remove it")))
        }
        None => Ok(()),
    }
}

fn failed(name: &str, why: &str) -> PackageError {
    PackageError::Resource { name: name.to_owned(), why: why.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "id = \"demo\"\nversion = \"0.1.0\"\nlicence = \"MIT\"\napi = \"0.1\"\ndescription = \"d\"\n\
        [[resources]]\nname = \"guide\"\ntitle = \"Guide\"\ndescription = \"How to.\"\nfile = \"guide.md\"\n";

    fn check(files: &[(&str, &str)], expected: Result<&str, &str>) {
        let texts = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        let found = collect(&Manifest::parse(MANIFEST).expect("the test's own manifest"), &texts);
        match (found, expected) {
            (Ok(found), Ok(text)) => assert_eq!(found["guide"], text),
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
            (found, _) => panic!("{found:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn a_resource_is_a_text_that_can_be_seen() {
        check(&[("guide.md", "# Guide\n\n\tIndented.\n")], Ok("# Guide\n\n\tIndented.\n"));
        check(&[], Err("resource `guide`: the file guide.md does not exist"));
        check(&[("guide.md", " \n")], Err("it has 2 bytes"));
        check(&[("guide.md", &"x".repeat(LONGEST + 1))], Err("expected 1 to 262144"));
        check(&[("guide.md", "⚠️ careful")], Ok("⚠️ careful"));
        check(&[("guide.md", "a\nb\u{200b}c")], Err("line 2 has the invisible character U+200B; remove it"));
    }
}
