//! Normalizes paths, so that different spellings of a path can be compared.

use icu_casemap::CaseMapper;
use icu_properties::CodePointSetData;
use icu_properties::props::DefaultIgnorableCodePoint;
use percent_encoding::percent_decode_str;
use unicode_normalization::UnicodeNormalization as _;

/// The names of a path from the root on, each folded; the root itself has none.
pub(in crate::permission) type Parts = Vec<String>;

/// Returns every path that an absolute path may mean: the path itself, and the path without prefixes that only name the
/// same disk.
pub(in crate::permission) fn parts(path: &str) -> Vec<Parts> {
    let mut all = vec![names(path).into_iter().map(folded).collect::<Parts>()];
    while let Some(shorter) = all.last().and_then(|last| same_disk(last)) {
        all.push(shorter);
    }
    all
}

/// The names of an absolute path. This comes before folding: a name that only looks like `..` does not lead up.
fn names(path: &str) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    names
}

/// What follows the tilde of a home folder: `~`, `~/Documents`, `~ada`. The name of a user begins with a letter or a
/// digit, so `~$Budget.xlsx` is a file.
pub(super) fn from_tilde(text: &str) -> Option<&str> {
    let is_user = |first: char| first == '/' || first == '_' || first.is_alphanumeric();
    text.strip_prefix('~').filter(|rest| rest.chars().next().is_none_or(is_user))
}

/// An absolute path without `..`, in its own spelling.
pub(super) fn straight(path: &str) -> String {
    format!("/{}", names(path).join("/"))
}

/// The shortest of the paths that a path may mean.
pub(super) fn plain(path: &str) -> Parts {
    parts(path).pop().unwrap_or_default()
}

/// Returns the path without its first names, where these only say which disk is meant or how links are followed.
fn same_disk(parts: &[String]) -> Option<Parts> {
    let name = |at: usize| parts.get(at).map_or("", String::as_str);
    let skipped = match (name(0), name(1)) {
        ("private", "var" | "tmp" | "etc") | (".nofollow", _) => 1,
        ("system", "volumes") if parts.len() > 2 => 3,
        // Any volume may be the startup disk.
        ("volumes", volume) if !volume.is_empty() => 2,
        (".resolve", number) if !number.is_empty() => 2,
        _ => return None,
    };
    Some(parts[skipped..].to_vec())
}

/// Folds a name as the disk does when it compares names.
///
/// # Source
/// APFS compares names after canonical decomposition (NFD, not NFKD) and full case folding; HFS+ also skips
/// invisible characters. The fold also removes blanks and dots at the end, because servers of other systems do.
pub(in crate::permission) fn folded(name: &str) -> String {
    let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
    let seen: String = name.nfd().filter(|c| !ignorable.contains(*c) && !c.is_control()).collect();
    let folded: String = CaseMapper::new().fold_string(&seen).nfd().collect();
    let cut = folded.trim_end_matches(|c: char| c == '.' || c.is_whitespace());
    if cut.is_empty() { folded } else { cut.to_owned() }
}

/// The names in a path of any form, folded, with `.` and `..` resolved. The path may begin in any folder.
pub(in crate::permission) fn loose(path: &str) -> Parts {
    let path = from_url(path.trim()).unwrap_or_else(|| path.to_owned());
    let mut found = Vec::new();
    for part in path.split(['/', ':']).filter(|part| !part.is_empty() && *part != ".") {
        match part {
            ".." => drop(found.pop()),
            part => found.push(folded(part)),
        }
    }
    found
}

/// The path in a `file:` address, percent-decoded.
pub(super) fn from_url(text: &str) -> Option<String> {
    // An address may have tabs and line ends anywhere: they are dropped before it is read.
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    let scheme = text.get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("file:"))?;
    let rest = text[scheme.len()..].replace('\\', "/");
    let path = rest.strip_prefix("//").map_or(&*rest, |rest| &rest[rest.find('/').unwrap_or(rest.len())..]);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    Some(percent_decode_str(path).decode_utf8_lossy().into_owned())
}

/// The volume and the rest of a path that is written with colons: two colons in a row go up. A `/` in it is a colon on
/// the disk, but some apps take it as a separator.
pub(super) fn from_colons(text: &str) -> Option<(String, [String; 2])> {
    let (volume, rest) = text.split_once(':')?;
    let whole: Vec<String> = rest.split('/').map(relative).collect();
    Some((volume.replace('/', ":"), [relative(rest), whole.join(":")]))
}

/// A name as a path from its folder: it may itself be a path, written with colons.
pub(super) fn relative(name: &str) -> String {
    let mut parts: Vec<&str> = name.split(':').collect();
    if parts.last() == Some(&"") {
        parts.pop();
    }
    if parts.len() > 1 {
        parts.iter_mut().filter(|part| part.is_empty()).for_each(|part| *part = "..");
    }
    parts.join("/")
}
