//! Golden dictionaries: `fixtures/sdef/{ok,err}/NAME.sdef` beside `NAME.json`, its description, and `NAME.lint`, its
//! faults.
//!
//! `UPDATE_EXPECT=1` rewrites the expected files; the difference is the review.

use iac_core::dictionary::describe::describe;
use iac_core::dictionary::lint::lint;
use iac_core::dictionary::{Dictionary, Includes, Problem, ProblemKind, parse};
use std::path::{Path, PathBuf};

#[test]
fn good_dictionaries_say_what_they_mean() {
    check_all("ok", |problems| assert_eq!(problems, 0, "a good dictionary has no problems"));
}

#[test]
fn bad_dictionaries_say_what_is_wrong() {
    check_all("err", |problems| assert!(problems > 0, "a bad dictionary has problems"));
}

fn check_all(folder: &str, expect_problems: fn(usize)) {
    let folder = fixtures().join(folder);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "sdef"));
    files.sort();
    assert!(!files.is_empty(), "{} holds dictionaries", folder.display());
    for file in files {
        println!("{}", file.display());
        expect_problems(check(&file));
    }
}

/// Compares with the expected files; returns how many problems there were.
fn check(file: &Path) -> usize {
    let (dictionary, problems) = read_with(file, &fixtures().join("included"));
    let described = describe(&dictionary, &problems);
    expect(&file.with_extension("json"), serde_json::to_string_pretty(&described).unwrap() + "\n");
    let lints: String = lint(&dictionary, &problems).iter().map(|lint| format!("{lint}\n")).collect();
    expect(&file.with_extension("lint"), lints);
    problems.len()
}

/// An expected file that would be empty must not exist.
pub(super) fn expect(path: &Path, actual: String) {
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        match actual.is_empty() {
            true => drop(std::fs::remove_file(path)),
            false => std::fs::write(path, &actual).unwrap(),
        }
    }
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    assert!(actual == expected, "{} differs; UPDATE_EXPECT=1 rewrites it:\n{actual}", path.display());
}

/// Parses as the host does: it loads missing includes and parses the file again, until no more are found.
pub(super) fn read_with(file: &Path, included: &Path) -> (Dictionary, Vec<Problem>) {
    let bytes = std::fs::read(file).unwrap();
    let mut includes = Includes::new();
    loop {
        let (dictionary, problems) = parse(&bytes, &includes);
        let before = includes.len();
        for problem in &problems {
            if let ProblemKind::MissingInclude(href) = &problem.kind {
                let name = href.rsplit('/').next().unwrap().replace("%20", " ");
                let missing = href.contains("/Missing/");
                let found = std::fs::read(included.join(if missing { "" } else { &name }));
                includes.extend(found.ok().map(|bytes| (href.clone(), bytes)));
            }
        }
        if includes.len() == before {
            return (dictionary, problems);
        }
    }
}

pub(super) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/sdef")
}
