//! Scenarios: arguments and the answer to them, over the world that comes with the project.
//!
//! A file is a list of `{"says", "tool", "arguments", "answer"}`, with `"writes": true` where a call changes the world for
//! those after it in the file. `UPDATE_EXPECT=1` writes the answers; the diff is the
//! review.

use std::path::{Path, PathBuf};

use iac_plugin::{Json, json};

use crate::world::{World, write};

fn check(path: &Path) {
    let mut scenarios: Vec<Json> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let mut world = World::new();
    let mut wrong = Vec::new();
    for scenario in &mut scenarios {
        let before = world.runs;
        let mut answer = world.call(scenario["tool"].as_str().unwrap(), &scenario["arguments"]);
        // How a change is taken back has tests of its own.
        answer.as_object_mut().unwrap().remove("undo");
        let writes = scenario["writes"] == true;
        assert!(writes || world.runs <= before + 1, "{}: one call is one run of a script", scenario["says"]);
        if scenario["answer"] != answer {
            wrong.push(format!(
                "{}\n  is       {answer}\n  expected {}",
                scenario["says"], scenario["answer"]
            ));
        }
        scenario["answer"] = answer;
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        write(path, &format!("{:#}\n", json!(scenarios)));
    } else {
        assert!(wrong.is_empty(), "{}:\n{}", path.display(), wrong.join("\n"));
    }
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn every_scenario_has_its_answer() {
    let files = files();
    assert!(files.len() >= 5, "{files:?}");
    files.iter().for_each(|path| check(path));
}
