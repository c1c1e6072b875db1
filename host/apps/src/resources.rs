//! Finds an `aete`, the oldest form of a dictionary, in an app's resource files.

use std::fs;
use std::path::Path;

use crate::suites::listed;

/// The resource types that hold a dictionary.
const TYPES: [&[u8]; 2] = [b"aete", b"aeut"];

/// The largest resource file that is read, in bytes.
const LARGEST: u64 = 8 * 1024 * 1024;

/// Whether a resource file of an app has a dictionary. For apps that do not use Cocoa scripting, this is the only
/// sign that they handle Apple events.
pub(crate) fn have_dictionary(bundle: &Path) -> bool {
    let resources = bundle.join("Contents/Resources");
    let languages = listed(&resources, "lproj");
    let localized = languages.iter().map(|language| language.join("Localized.rsrc"));
    let files = listed(&resources, "rsrc").into_iter().chain(localized);
    files
        .filter(|path| fs::metadata(path).is_ok_and(|known| known.is_file() && known.len() <= LARGEST))
        .filter_map(|path| fs::read(path).ok())
        .any(|bytes| types(&bytes).is_some_and(|mut types| types.any(|each| TYPES.contains(&each))))
}

/// Returns the resource types in a file.
///
/// # Source
/// Inside Macintosh, Resource Manager: a header gives the offset of the map, and the map that of a list of types.
fn types(bytes: &[u8]) -> Option<impl Iterator<Item = &[u8]>> {
    let number = |at: usize, length: usize| {
        let bytes = bytes.get(at..at.checked_add(length)?)?;
        Some(bytes.iter().fold(0_usize, |number, byte| number << 8 | usize::from(*byte)))
    };
    let map = number(4, 4)?;
    let list = map.checked_add(number(map.checked_add(24)?, 2)?)?;
    // The list stores its count minus one, so an empty list has 0xFFFF.
    let count = (number(list, 2)? + 1) & 0xFFFF;
    let first = list + 2;
    Some((0..count).map_while(move |at| bytes.get(first + 8 * at..)?.get(..4)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a resource file with one empty resource of each of these types.
    fn file(kinds: &[&[u8; 4]]) -> Vec<u8> {
        let mut bytes = vec![0; 16];
        bytes[7] = 16;
        bytes.extend([0; 24]);
        bytes.extend([0, 28, 0, 0]);
        let last = u16::try_from(kinds.len()).unwrap().wrapping_sub(1);
        bytes.extend(last.to_be_bytes());
        for kind in kinds {
            bytes.extend(kind.iter().chain(&[0, 0, 0, 0]));
        }
        bytes
    }

    fn check(bytes: &[u8], expected: Option<&[&[u8]]>) {
        assert_eq!(types(bytes).map(Vec::from_iter).as_deref(), expected);
    }

    #[test]
    fn the_types_of_a_file() {
        check(&file(&[b"vers", b"aete"]), Some(&[b"vers", b"aete"]));
        check(&file(&[]), Some(&[]));
        check(&file(&[b"vers", b"aete"])[..56], Some(&[b"vers"]));
        check(b"too short", None);
        check(&[0xFF; 64], None);
    }

    #[test]
    fn dictionaries_are_found_where_apps_keep_resources() {
        for (place, kinds, expected) in [
            ("App.rsrc", &[b"vers", b"aete"][..], true),
            ("English.lproj/Localized.rsrc", &[b"aeut"], true),
            ("App.rsrc", &[b"vers"], false),
            ("App.data", &[b"aete"], false),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("Contents/Resources").join(place);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::io::Write::write_all(&mut fs::File::create(&path).unwrap(), &file(kinds)).unwrap();
            assert_eq!(have_dictionary(folder.path()), expected, "{place}");
        }
    }
}
