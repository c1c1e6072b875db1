//! Golden dictionaries: `fixtures/sdef/{ok,err}/NAME.sdef` beside `NAME.json`, what is described of it.
//!
//! `UPDATE_EXPECT=1` rewrites the expected files; the difference is the review.

use iac_core::dictionary::describe::describe;
use iac_core::dictionary::{Includes, ProblemKind, parse};
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

/// Compares with the expected file; returns how many problems there were.
fn check(file: &Path) -> usize {
    let described = described(file);
    let problems = described["problems"].as_array().unwrap().len();
    let actual = serde_json::to_string_pretty(&described).unwrap() + "\n";
    let expected = file.with_extension("json");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&expected, actual).unwrap();
        return problems;
    }
    let expected = std::fs::read_to_string(&expected).unwrap_or_default();
    assert!(actual == expected, "{} differs; UPDATE_EXPECT=1 rewrites it:\n{actual}", file.display());
    problems
}

fn described(file: &Path) -> serde_json::Value {
    described_with(file, &fixtures().join("included"))
}

/// Parses as the host does: what is missing is loaded, and the file parsed again, until nothing is found any more.
pub(super) fn described_with(file: &Path, included: &Path) -> serde_json::Value {
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
            return describe(&dictionary, &problems);
        }
    }
}

pub(super) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/sdef")
}
