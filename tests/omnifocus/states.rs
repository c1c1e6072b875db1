//! The state that an item has itself, and the one that it has from its project, its group, its folder or the tag above.

use iac_plugin::{Json, json};

use crate::undo::ALL;
use crate::world::World;

/// Makes objects inside OmniFocus and returns their ids by name.
fn made(source: &str) -> (World, Json) {
    let world = World::new();
    let keys = "(all) => JSON.stringify(Object.fromEntries(Object.entries(all).map(([name, item]) => [name, item.id.primaryKey])))";
    let rule = "const rule = () => new Task.RepetitionRule('FREQ=WEEKLY', null, Task.RepetitionScheduleType.Regularly, Task.AnchorDateKey.DueDate, true);";
    let source = format!("(() => {{ const ids = {keys}; {rule} {source} }})()");
    let ids = serde_json::from_str(&world.evaluate(&source).unwrap()).unwrap();
    (world, ids)
}

/// Replaces names such as `@task` by the ids of the objects, and calls the tool.
fn write(world: &mut World, ids: &Json, mutation: &Json) -> Json {
    let mut text = mutation.to_string();
    for (name, id) in ids.as_object().unwrap() {
        text = text.replace(&format!("\"@{name}\""), &id.to_string());
    }
    let mutation: Json = serde_json::from_str(&text).unwrap();
    world.call("omnifocus_write", &json!({ "mutation": mutation }))
}

fn take_back(world: &mut World, answer: &Json) -> Json {
    world.call("omnifocus_write", &answer["undo"]["arguments"])
}

fn all(world: &World) -> Vec<Vec<String>> {
    serde_json::from_str(&world.evaluate(ALL).unwrap()).unwrap()
}

/// Makes a change, undoes it, and checks that all is as before.
fn check(source: &str, mutation: &Json) {
    let (mut world, ids) = made(source);
    let before = all(&world);
    let answer = write(&mut world, &ids, mutation);
    let told = format!("{source}\n{mutation}\n{answer}");
    assert_eq!(answer["success"], true, "{told}");
    assert_ne!(all(&world), before, "{told}");
    let back = take_back(&mut world, &answer);
    assert_eq!(
        (&back["success"], back["data"]["results"].as_array().map(Vec::len)),
        (&json!(true), Some(0)),
        "{told}\n{back}"
    );
    let left: Vec<String> =
        all(&world).concat().into_iter().filter(|row| !before.concat().contains(row)).collect();
    assert_eq!(all(&world), before, "{told}: {left:#?}");
}

fn update(id: &str, changes: &Json) -> Json {
    json!({"operation": "update", "id": id, "changes": changes})
}

/// An open item in a completed or dropped container counts as completed or dropped. Undo opens it again, and does not give
/// it the state of its container.
#[test]
fn undo_restores_the_state_of_the_item_itself() {
    let containers = [
        "const above = new Project('P'), end = () => above.markComplete();",
        "const above = new Task('G', null), end = () => above.drop(true, new Date(2026, 0, 5));",
        "const folder = new Folder('F'), above = new Project('P', folder), end = () => { folder.status = Folder.Status.Dropped; };",
        "const above = new Project('P'), end = () => { above.status = Project.Status.OnHold; };",
    ];
    for container in containers {
        for (own, changes) in [
            ("", vec!["completed", "dropped"]),
            (
                "task.dueDate = new Date(2026, 1, 2, 17); task.repetitionRule = rule();",
                vec!["completed", "dropped"],
            ),
            ("task.drop(true, new Date(2026, 0, 7));", vec!["completed", "active"]),
            ("task.markComplete(new Date(2026, 0, 7));", vec!["dropped", "active"]),
        ] {
            let source = format!(
                "{container} const task = new Task('t', above); {own} end(); return ids({{ task }});"
            );
            for status in changes {
                check(&source, &update("@task", &json!({ "status": status })));
                if status == "completed" {
                    check(&source, &json!({"operation": "complete", "id": "@task"}));
                }
            }
        }
    }
}

/// An occurrence that is over keeps its rule. Undo completes it again, without one more occurrence.
#[test]
fn an_occurrence_that_is_over_does_not_go_on_again() {
    for source in [
        "const task = new Task('t', null); task.markComplete(new Date(2026, 0, 5)); task.repetitionRule = rule(); task.dueDate = new Date(2026, 0, 4); return ids({ task });",
        "const go = new Task('t', null); go.dueDate = new Date(2026, 0, 4); go.repetitionRule = rule(); return ids({ task: go.markComplete(new Date(2026, 0, 5)) });",
    ] {
        check(source, &update("@task", &json!({"status": "active"})));
    }
    let held = "const task = new Project('P'); task.dueDate = new Date(2026, 1, 2, 17); task.repetitionRule = rule(); task.status = Project.Status.OnHold; return ids({ task });";
    check(held, &json!({"operation": "complete", "target": "project", "id": "@task"}));
}

/// A state that OmniFocus does not take is told.
#[test]
fn a_state_that_does_not_stick_is_told() {
    let (mut world, ids) =
        made("const task = new Task('t', null); task.markComplete(); return ids({ task });");
    world.sabotage = "Task.prototype.markIncomplete = () => {};".to_owned();
    let answer = write(&mut world, &ids, &update("@task", &json!({"status": "active"})));
    assert_eq!(
        answer["warnings"],
        json!(["status: set to \"active\", reads back as \"completed\""]),
        "{answer}"
    );
}
