//! The host remembers which files contain some letters, and reads a file again when it changes. It cuts long lines.

use std::time::Duration;

use iac_language_servers::Ask;
use iac_language_servers::types::{FileFilter, Line};
use serde_json::json;

use super::rig::{Rig, put};

#[tokio::test]
async fn files_that_hold_letters_are_those_that_hold_them_now() {
    let rig = Rig::new(&json!([]), &json!({}), &json!({}));
    // A file that changed some time ago is not read again.
    let write = |path: &str, text: &str, seconds: u64| {
        put(&rig.root().join(path), text);
        let at = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        std::fs::File::options().write(true).open(rig.root().join(path)).unwrap().set_modified(at).unwrap();
    };
    let holding = async |letters: &str| {
        let filter = FileFilter {
            under: String::new(),
            languages: Vec::new(),
            containing: Some(letters.to_owned()),
            ignored: false,
            limit: 9,
        };
        let answer = rig.answer(Ask::Files { filter }).await;
        let items = answer["Ok"]["items"].as_array().unwrap();
        items.iter().map(|item| item["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    write("a.faulty", "one two", 1_000);
    write("b.faulty", "one", 1_000);
    for _ in 0..2 {
        assert_eq!(holding("ONE").await, ["a.faulty", "b.faulty"]);
        assert_eq!(holding("two").await, ["a.faulty"]);
    }
    write("a.faulty", "three", 2_000);
    write("c.faulty", "two", 2_000);
    for _ in 0..2 {
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(holding("ONE").await, ["b.faulty"]);
        assert_eq!(holding("two").await, ["c.faulty"]);
    }
    rig.end().await;
}

#[tokio::test]
async fn long_lines_are_cut() {
    let rig = Rig::new(&json!([]), &json!({}), &json!({}));
    put(&rig.root().join("a.faulty"), &format!("short\n{}\n", "é".repeat(20_000)));
    let line = |number| Line { path: "a.faulty".to_owned(), number };
    let length = async |lines: Vec<Line>| {
        let answer = rig.answer(Ask::Lines { lines }).await;
        let lines = answer.as_array().unwrap();
        lines.iter().map(|line| line.as_str().map_or(0, |line| line.chars().count())).collect::<Vec<_>>()
    };
    assert_eq!(length(vec![line(0), line(1), line(2)]).await, [5, 10_000, 0]);
    // Of very many, only the first ones are whole.
    let many = length((0..1_000).map(|_| line(1)).collect()).await;
    assert_eq!((many[0], many[999]), (10_000, 1_000));
    rig.end().await;
}
