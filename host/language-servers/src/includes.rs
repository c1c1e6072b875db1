//! Compiler flags to find headers, for a project that does not say how it is built.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::disk::Disk;
use crate::files::Files;
use crate::listing::Found;
use crate::profile::Profile;

/// The most include folders. More would only slow the search for headers.
const MOST: usize = 32;

/// Returns the flags. They name the folders below the root that its `#include` paths are relative to, most needed
/// first. These folders are searched after the system's own, so they hide no system header. In a project without C++
/// and Objective-C, all files are C, including headers.
pub(crate) fn flags(profile: &Profile, disk: &Disk, files: &Files) -> Vec<String> {
    let all = files.all();
    let sources: Vec<&Found> =
        all.iter().filter(|found| profile.files.contains_key(found.extension())).collect();
    let mut headers: HashMap<&str, Vec<&str>> = HashMap::new();
    for found in &sources {
        headers.entry(name(&found.path)).or_default().push(&found.path);
    }
    let mut needed: BTreeMap<String, usize> = BTreeMap::new();
    for found in &sources {
        let Ok(text) = files.listed_text(found) else { continue };
        let own = found.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for include in text.as_str().lines().filter_map(included) {
            let candidates = headers.get(name(include)).map(Vec::as_slice).unwrap_or_default();
            let folders: BTreeSet<&str> =
                candidates.iter().filter_map(|path| folder(path, include)).collect();
            // A header in the including file's own folder needs no flag. A header found in several folders does not
            // tell which one is meant.
            if let (Some(only), 1) = (folders.first(), folders.len())
                && *only != own
            {
                *needed.entry((*only).to_owned()).or_default() += 1;
            }
        }
    }
    let mut folders: Vec<(String, usize)> = needed.into_iter().collect();
    folders.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let flag = |(folder, _): (String, usize)| format!("-idirafter{}", disk.path().join(folder).display());
    let mut flags: Vec<String> = folders.into_iter().take(MOST).map(flag).collect();
    let is_c = |found: &&Found| profile.files.get(found.extension()).is_some_and(|language| language == "c");
    if sources.iter().all(is_c) {
        flags.push("-xc".to_owned());
    }
    flags
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn included(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
    let (open, rest) = (rest.chars().next()?, rest.get(1..)?);
    let end = match open {
        '"' => rest.find('"')?,
        '<' => rest.find('>')?,
        _ => return None,
    };
    let include = &rest[..end];
    (!include.split('/').any(|part| part == "..")).then_some(include)
}

/// Returns the folder from which `include` leads to `path`.
fn folder<'a>(path: &'a str, include: &str) -> Option<&'a str> {
    let before = path.strip_suffix(include)?;
    if before.is_empty() { Some("") } else { before.strip_suffix('/') }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;
    use std::sync::Arc;

    use super::*;
    use crate::profile::known;

    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
        }
        let clangd = known().into_iter().find(|profile| profile.name == "clangd").unwrap();
        let disk = Arc::new(crate::disk::tests::open(root.path()).unwrap());
        let files = Files::new(Arc::clone(&disk), Box::new(|_| true));
        let whole = root.path().to_string_lossy().into_owned();
        let found = flags(&clangd, &disk, &files).into_iter().map(|flag| flag.replace(&whole, "ROOT"));
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn folders_that_includes_need() {
        let one =
            "#include <lib/a.h>\n # include \"b.h\"\n#include \"gone.h\"\n#include \"../c.h\"\n#include X\n";
        let header = ("include/lib/a.h", "");
        check(&[("src/a.cc", one), ("src/b.h", ""), header], &["-idirafterROOT/include"]);
        check(
            &[("src/a.c", one), ("other/b.h", ""), header],
            &["-idirafterROOT/include", "-idirafterROOT/other", "-xc"],
        );
        check(
            &[("src/a.c", one), ("x/b.h", ""), ("y/b.h", ""), ("lib/a.h", "")],
            &["-idirafterROOT/", "-xc"],
        );
        check(&[("a.c", "#include <string.h>\n")], &["-xc"]);
    }
}
