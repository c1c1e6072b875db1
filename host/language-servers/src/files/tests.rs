//! A listing always matches the disk, whatever happened there, and no walk is wasted.

use std::path::Path;
use std::{fs, io};

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;

/// Makes a root for which the system reports changes; `None` on other systems, where a listing may be out of date.
fn root() -> Option<(TempDir, Files)> {
    let folder = tempfile::tempdir().unwrap();
    let disk = Arc::new(crate::disk::tests::open(folder.path()).unwrap());
    let mut watch = watch::begin(&disk)?;
    if watch.news() == News::Unknown {
        return None;
    }
    Some((folder, Files::new(disk, Box::new(|_| true))))
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    io::Write::write_all(&mut fs::File::create(path).unwrap(), text.as_bytes()).unwrap();
}

fn names(found: &[Found]) -> Vec<&str> {
    found.iter().map(|found| found.path.as_str()).collect()
}

#[test]
fn a_change_is_seen_at_once() {
    let Some((folder, files)) = root() else { return };
    let at = |path: &str| folder.path().join(path);
    put(&at("src/a.rs"), "one");
    put(&at("target/CACHEDIR.TAG"), "");
    put(&at("target/log"), "");
    std::os::unix::fs::symlink("../target/log", at("src/link")).unwrap();
    let first = files.all();
    assert_eq!(names(&first), ["src/a.rs", "src/link"]);
    assert!(Arc::ptr_eq(&first, &files.all()), "nothing has changed");

    put(&at("target/other"), "ignored");
    assert!(Arc::ptr_eq(&first, &files.all()), "nothing has changed that is listed");

    put(&at("src/a.rs"), "longer");
    let second = files.all();
    assert_ne!(first[0].stamp, second[0].stamp);
    assert_eq!(second[0].stamp.size, 6);
    put(&at("target/log"), "by a link");
    assert_eq!(files.all()[1].stamp.size, 9);

    put(&at("src/deep/er/b.rs"), "");
    put(&at("src/deep/er/c.rs"), "");
    assert_eq!(names(&files.all()), ["src/a.rs", "src/deep/er/b.rs", "src/deep/er/c.rs", "src/link"]);
    fs::rename(at("src/deep"), at("moved")).unwrap();
    assert_eq!(names(&files.all()), ["moved/er/b.rs", "moved/er/c.rs", "src/a.rs", "src/link"]);
    put(&at("moved/er/b.rs"), "in its new place");
    assert_eq!(files.all()[0].stamp.size, 16);
    fs::remove_dir_all(at("moved")).unwrap();
    put(&at(".gitignore"), "link\n");
    assert_eq!(names(&files.all()), [".gitignore", "src/a.rs"]);
    put(&at(".gitignore"), "a.rs\n");
    assert_eq!(names(&files.all()), [".gitignore", "src/link"]);
}

/// Without reports of the system, each call sees what was written before it.
#[test]
fn a_call_sees_what_was_written_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let disk = Arc::new(crate::disk::tests::open(folder.path()).unwrap());
    let files = Files { watch: |_| None, ..Files::new(disk, Box::new(|_| true)) };
    put(&folder.path().join("a.rs"), "");
    let first = files.all();
    assert_eq!(names(&first), ["a.rs"]);
    assert!(Arc::ptr_eq(&first, &files.all()), "the same call walks once");
    put(&folder.path().join("b.rs"), "");
    assert!(!files.is_due());
    files.begin();
    assert!(files.is_due());
    assert_eq!(names(&files.all()), ["a.rs", "b.rs"]);
}

#[derive(Clone, Debug)]
enum Act {
    Put(String, usize),
    Remove(String),
    Rename(String, String),
    Look,
}

fn act() -> impl Strategy<Value = Act> {
    let path = || "[ab](/[ab]){0,2}";
    prop_oneof![
        (path(), 0_usize..9).prop_map(|(path, size)| Act::Put(path, size)),
        path().prop_map(Act::Remove),
        (path(), path()).prop_map(|(from, to)| Act::Rename(from, to)),
        Just(Act::Look),
    ]
}

/// Performs an act, and skips it if it is impossible.
fn perform(root: &Path, act: &Act) {
    match act {
        Act::Put(path, size) => {
            let path = root.join(path);
            drop(fs::create_dir_all(path.parent().unwrap_or(root)));
            if let Ok(mut file) = fs::File::create(path) {
                io::Write::write_all(&mut file, &b"12345678"[..*size]).unwrap();
            }
        }
        Act::Remove(path) => {
            let path = root.join(path);
            drop(fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path)));
        }
        Act::Rename(from, to) => drop(fs::rename(root.join(from), root.join(to))),
        Act::Look => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn a_listing_is_as_the_disk_is(acts in prop::collection::vec(act(), 1..24)) {
        let Some((folder, files)) = root() else { return Ok(()) };
        for act in &acts {
            perform(folder.path(), act);
            if matches!(act, Act::Look) {
                prop_assert_eq!(&*files.all(), &listing::list(&files.disk, false, &|_| true));
            }
        }
        prop_assert_eq!(&*files.all(), &listing::list(&files.disk, false, &|_| true));
    }
}
