//! What a change keeps, what it loses, and what the question and the answer say about that.

use iac_plugin::{Json, json};

use crate::world::World;

/// A world, and the ids of the objects that a script makes in it.
fn scene(source: &str) -> (World, Json) {
    let world = World::new();
    let source = format!(
        "(() => {{ const weekly = () => new Task.RepetitionRule('FREQ=WEEKLY', null, Task.RepetitionScheduleType.Regularly, Task.AnchorDateKey.DueDate, true); \
         const ids = (all) => JSON.stringify(Object.fromEntries(Object.entries(all).map(([name, item]) => [name, item.id.primaryKey]))); {source} }})()"
    );
    let ids = serde_json::from_str(&world.evaluate(&source).unwrap()).unwrap();
    (world, ids)
}

fn write(world: &mut World, mutation: &Json) -> Json {
    world.call("omnifocus_write", &json!({ "mutation": mutation }))
}

const ALERTED: &str = "const project = new Project('P'), task = new Task('chore', project), child = new Task('child', task); \
    task.dueDate = new Date(2026, 1, 2, 17); task.repetitionRule = weekly(); task.addNotification(-3600); task.addNotification(new Date(2026, 1, 1, 9)); \
    child.addNotification(new Date(2026, 1, 1, 10)); return ids({ project, task, child });";

#[test]
fn a_project_from_a_task_repeats_and_alerts_as_the_task_did() {
    let (mut world, ids) = scene(ALERTED);
    let answer = write(&mut world, &json!({"operation": "convert", "id": ids["task"]}));
    assert_eq!(answer["data"]["repetitionRule"]["ruleString"], "FREQ=WEEKLY", "{answer}");
    assert_eq!(answer["data"]["notifications"], json!([-60, "2026-02-01T09:00:00+01:00"]), "{answer}");
    assert_eq!(answer.get("warnings"), None, "{answer}");
}

#[test]
fn a_project_that_cannot_repeat_is_told() {
    let (mut world, ids) = scene(ALERTED);
    world.sabotage =
        "Object.defineProperty(Project.prototype, 'repetitionRule', { get() { return null; }, set() {} }); \
        Project.prototype.addNotification = () => {};"
            .to_owned();
    let answer = write(&mut world, &json!({"operation": "convert", "id": ids["task"]}));
    let told = [
        "repetitionRule: OmniFocus did not take it over",
        "notifications: OmniFocus did not take over 2 of them",
    ];
    assert_eq!(answer["warnings"], json!(told), "{answer}");
}

#[test]
fn a_copy_has_the_notifications_of_its_original() {
    let alerts = "JSON.stringify(flattenedTasks.filter((task) => ['chore', 'child'].includes(task.name)).map((task) => task.notifications.length))";
    for (target, id) in [("task", "task"), ("project", "project")] {
        let (mut world, ids) = scene(ALERTED);
        let copy = json!({"operation": "duplicate", "target": target, "id": ids[id]});
        let answer = write(&mut world, &copy);
        assert_eq!((&answer["success"], answer.get("warnings")), (&json!(true), None), "{answer}");
        assert_eq!(world.evaluate(alerts).unwrap().trim(), "[2,1,2,1]", "{target}");
        let alone =
            json!({"operation": "duplicate", "target": target, "id": ids[id], "includeSubtasks": false});
        assert_eq!(write(&mut world, &alone).get("warnings"), None);
    }
}
