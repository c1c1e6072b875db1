//! Changes that name their items by the conditions of a read.

use crate::world::World;
use iac_plugin::{Json, json};

/// A change may name its items by the conditions of a read. The ids that these find are what the question shows and
/// what is changed.
#[test]
fn a_change_takes_the_filters_of_a_read() {
    let mut world = World::new();
    let make = "(() => { const project = new Project('P'), group = new Task('G', project); \
                ['a', 'b', 'c'].forEach((name, at) => { const task = new Task(name, group); task.dueDate = new Date(2026, 0, 5 + at, 17); }); \
                new Task('later', project).dueDate = new Date(2026, 5, 1, 17); project.dueDate = new Date(2026, 0, 20, 17); \
                return project.id.primaryKey; })()";
    let project = world.evaluate(make).unwrap().trim().to_owned();
    let filters = json!({"projectId": project, "dueDate": {"before": "now"}});
    let changes = json!({"dueDate": "2026-02-06"});
    let mut write = |more: Json| {
        let mut mutation = json!({"operation": "update"});
        mutation.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = world.call("omnifocus_write", &json!({ "mutation": mutation }));
        (answer, world.asked.last().cloned(), world.asked.len())
    };
    // Nothing is found: a clear answer, and nobody is asked. Wrong changes are an error even then.
    let none = json!({"projectId": project, "name": {"contains": "nobody"}});
    let (answer, _, asked) = write(json!({"filters": none, "changes": changes}));
    assert_eq!(
        (&answer["success"], &answer["data"]["results"], asked),
        (&json!(true), &json!([]), 0),
        "{answer}"
    );
    assert_eq!(
        answer["metadata"]["note"], "nothing matches, so nothing was changed and nobody was asked",
        "{answer}"
    );
    let (answer, ..) = write(json!({"filters": none, "changes": {"due": "friday"}}));
    assert!(answer["error"].is_string(), "{answer}");
    let (planned, _, asked) = write(json!({"filters": filters, "changes": changes, "dryRun": true}));
    assert_eq!((&planned["data"]["summary"]["planned"], asked), (&json!(3), 0), "{planned}");
    let (answer, asked, _) = write(json!({"filters": filters, "changes": changes}));
    assert_eq!(answer["data"]["summary"]["updated"], 3, "{answer}");
    let lines = asked.unwrap().lines;
    let line = "update task “a” in “P” under “G”: dueDate Mon 2026-01-05 17:00 +01:00 -> Fri 2026-02-06 17:00 +01:00";
    assert_eq!((lines.len(), lines[0].as_str()), (3, line));
    let told = answer["metadata"]["filter_description"].as_str().unwrap();
    assert!(told.contains("dueDate"), "{answer}");
    // The answer has only what the change is about, and says what still counts.
    let row = answer["data"]["results"][0].as_object().unwrap();
    let keys: Vec<&str> = row.keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        ["index", "operation", "target", "success", "id", "name", "dueDate", "warnings"],
        "{answer}"
    );
    assert_eq!(
        row["warnings"][0],
        "dueDate: its project or group is due earlier, 2026-01-20 17:00:00, and that date counts, so it is still overdue"
    );
    assert_eq!(answer["undo"]["words"], "update 3 tasks: dueDate Fri 2026-02-06 17:00 +01:00: “a”, “b”, “c”");
    let (cleared, ..) = write(
        json!({"filters": {"projectId": project, "name": {"matches": "^a$"}}, "changes": {"dueDate": null}, "minimalResponse": true}),
    );
    assert_eq!(
        cleared["data"]["results"][0]["warnings"][0],
        "dueDate: its project or group is due, 2026-01-20 17:00:00, and that date counts, so it is still overdue",
        "{cleared}"
    );
    let (done, ..) = write(
        json!({"operation": "complete", "mode": "overdue", "filters": {"projectId": project, "name": {"contains": "b"}}}),
    );
    assert_eq!(
        (&done["data"]["summary"]["completed"], &done["data"]["results"][0]["name"]),
        (&json!(1), &json!("b")),
        "{done}"
    );
    let (dropped, ..) =
        write(json!({"target": "project", "filters": {"id": project}, "changes": {"status": "dropped"}}));
    assert_eq!(dropped["data"]["summary"]["updated"], 1, "{dropped}");
}

/// Conditions that mean everything, too much, or perhaps something else change nothing.
#[test]
fn conditions_of_a_change_must_be_exact() {
    let mut world = World::with_tasks(2_000, 5);
    let make = "[1, 2].map((at) => new Task('t' + at, new Project('Twin'))).length";
    world.evaluate(make).unwrap();
    let mut check = |more: Json, told: &str| {
        let mut mutation = json!({"operation": "update", "changes": {"flagged": true}});
        mutation.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = world.call("omnifocus_write", &json!({ "mutation": mutation }));
        assert!(answer["error"].as_str().is_some_and(|error| error.contains(told)), "{told}: {answer}");
        assert!(world.asked.is_empty(), "{told}");
    };
    check(json!({"filters": {}}), "has no condition, so it means everything");
    check(json!({"mode": "all"}), "has no condition, so it means everything");
    check(json!({"mode": "all", "filters": {}}), "has no condition, so it means everything");
    // A mode is a condition.
    check(
        json!({"mode": "available", "filters": {}}),
        "and one change takes at most 300; nothing was changed",
    );
    check(json!({"mode": "smart_suggest"}), "cannot name what to change");
    check(json!({"target": "project", "mode": "flagged"}), "cannot name what to change");
    check(json!({"filters": {"flagged": false}}), "and one change takes at most 300; nothing was changed");
    check(json!({"filters": {"project": "Twin"}}), "nothing was changed");
    check(json!({"filters": {"id": ["nobody"]}}), "no task `nobody`");
    check(json!({"filters": {"flaged": true}}), "flaged");
    check(json!({"ids": ["x"], "filters": {"flagged": true}}), "are both given");
}
