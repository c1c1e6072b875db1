//! What goes with other items is in the question, in the answer and in the undo.

use iac_plugin::{Json, json};

use crate::world::World;

/// OmniFocus completes a group or project with its last open task, if it is set so. The question names it, its act is
/// asked for, the answer reports it, and undo opens it again.
#[test]
fn what_ends_with_its_last_task_is_shown_and_undone() {
    let make = "(() => { const project = new Project('P'), group = new Task('G', project); \
                const [a, b] = ['a', 'b'].map((name) => new Task(name, group)); \
                group.completedByChildren = true; project.completedByChildren = true; \
                return JSON.stringify([project, group, a, b].map((item) => item.id.primaryKey)); })()";
    let open = "JSON.stringify([...flattenedTasks, ...flattenedProjects].filter((item) => ['P', 'G', 'a', 'b'].includes(item.name) && !item.completed && !item.dropDate).map((item) => item.name))";
    let line = |name: &str, verb: &str| {
        format!("{verb}, the last open task of group “G” and project “P”, which this also completes")
            .replace('@', name)
    };
    for (mutation, line) in [
        (json!({"operation": "complete", "ids": ["@a", "@b"]}), line("b", "complete task “@” in “G”")),
        (
            json!({"operation": "update", "ids": ["@a", "@b"], "changes": {"status": "completed"}}),
            line("b", "update task “@” in “G”: status active -> completed"),
        ),
        (
            json!({"operation": "update", "ids": ["@b", "@a"], "changes": {"status": "dropped"}}),
            line("a", "update task “@” in “G”: status active -> dropped"),
        ),
    ] {
        let mut world = World::new();
        let ids: [String; 4] = serde_json::from_str(&world.evaluate(make).unwrap()).unwrap();
        let mutation: Json =
            serde_json::from_str(&mutation.to_string().replace("@a", &ids[2]).replace("@b", &ids[3]))
                .unwrap();
        let before = world.evaluate(open).unwrap();
        let answer = world.call("omnifocus_write", &json!({ "mutation": mutation }));
        assert_eq!(answer["success"], true, "{answer}");
        let asked = world.asked[0].clone();
        assert!(asked.lines[0].contains(&line), "{:?}", asked.lines);
        assert!(
            ["complete task", "complete project"].iter().all(|act| asked.acts.contains(&(*act).to_owned())),
            "{:?}",
            asked.acts
        );
        let told = &answer["data"]["results"][1]["alsoCompleted"];
        assert_eq!(
            (&told[0]["name"], &told[1]["name"], &told[1]["target"]),
            (&json!("G"), &json!("P"), &json!("project")),
            "{answer}"
        );
        assert_eq!(world.evaluate(open).unwrap().trim(), "[]");
        let back = world.call("omnifocus_write", &answer["undo"]["arguments"]);
        assert_eq!(back["success"], true, "{back}");
        assert_eq!(world.evaluate(open).unwrap(), before);
        // The undo of the undo ends them again.
        let again = world.call("omnifocus_write", &back["undo"]["arguments"]);
        assert_eq!(again["success"], true, "{again}");
        assert_eq!(world.evaluate(open).unwrap().trim(), "[]");
    }
}

/// Without the act of the project, or if it would end only after the question, nothing is done.
#[test]
fn what_ends_with_its_last_task_needs_its_own_act() {
    let make = "(() => { const project = new Project('P'); project.completedByChildren = true; new Task('b', project); return new Task('a', project).id.primaryKey; })()";
    let finish = "flattenedTasks.find((task) => task.name === 'b').markComplete(); ''";
    for is_late in [false, true] {
        let mut world = World::new();
        let id = world.evaluate(make).unwrap().trim().to_owned();
        if is_late {
            world.meanwhile = Some(finish.to_owned());
        } else {
            world.evaluate(finish).unwrap();
            world.withheld = Some("complete project".to_owned());
        }
        let answer = world.call("omnifocus_write", &json!({"mutation": {"operation": "complete", "id": id}}));
        assert!(answer["error"].as_str().is_some_and(|told| told.contains("complete project")), "{answer}");
        assert_eq!(
            world.evaluate(&format!("String(Task.byIdentifier('{id}').completed)")).unwrap().trim(),
            "false"
        );
    }
    // A task that the same batch adds keeps the project open.
    let mut world = World::new();
    let id = world.evaluate(make).unwrap().trim().to_owned();
    world.evaluate(finish).unwrap();
    let batch = json!({"operation": "batch", "operations": [{"operation": "complete", "id": id},
        {"operation": "create", "target": "task", "data": {"name": "next", "project": "P"}}]});
    let answer = world.call("omnifocus_write", &json!({ "mutation": batch }));
    assert_eq!(answer["success"], true, "{answer}");
    assert_eq!(world.asked[0].acts, ["create task", "complete task"]);
}

/// Everything that loses something is named, however many changes there are.
#[test]
fn no_loss_is_left_out_of_a_long_question() {
    let mut world = World::new();
    let make = "JSON.stringify(Array.from({ length: 8 }, (_, at) => { const task = new Task('t' + at, null); \
                if (at > 5) ['x', 'y', 'z'].forEach((name) => new Task(name, task)); return task.id.primaryKey; }))";
    let ids: Vec<String> = serde_json::from_str(&world.evaluate(make).unwrap()).unwrap();
    let id = world.evaluate("(() => { const project = new Project('Health'); for (let at = 0; at < 24; at += 1) new Task('h' + at, project); return project.id.primaryKey; })()").unwrap().trim().to_owned();
    let renames = ids
        .iter()
        .enumerate()
        .map(|(at, id)| json!({"operation": "update", "id": id, "changes": {"name": format!("n{at}")}}));
    let last = json!({"operation": "complete", "target": "project", "id": id});
    let operations: Vec<Json> = renames.chain([last]).collect();
    let answer =
        world.call("omnifocus_write", &json!({"mutation": {"operation": "batch", "operations": operations}}));
    assert_eq!(answer["success"], true, "{answer}");
    let told = "9 in all: complete 1, update 8; complete project “Health”, with 24 open tasks in it";
    assert_eq!((&world.asked[0].lines[0][..], world.asked[0].lines.len()), (told, 9));
    let answer = world.call("omnifocus_write", &json!({"mutation": {"operation": "delete", "ids": ids}}));
    assert_eq!(answer["success"], true, "{answer}");
    let told = "delete 8 tasks: “n6” with 3 tasks below it, 3 of them open, “n7” with 3 tasks below it, 3 of them open, \
                “n0”, “n1”, “n2”, “n3”, “n4”, “n5”";
    assert_eq!(world.asked[1].lines[0], told);
}

/// Several items that move to one place keep the order in which they were named, and undo restores the earlier one.
#[test]
fn items_that_move_together_keep_their_order() {
    let make = "(() => { const from = new Project('From'), to = new Project('To'), there = new Task('there', to); \
                const ids = ['a', 'b', 'c'].map((name) => new Task(name, from).id.primaryKey); return JSON.stringify([...ids, there.id.primaryKey]); })()";
    let names = |world: &World, project: &str| {
        let names = format!("flattenedProjects.byName('{project}').tasks.map((task) => task.name).join('')");
        world.evaluate(&names).unwrap().trim().to_owned()
    };
    for (place, expected) in
        [("project", "abcthere"), ("afterTaskId", "thereabc"), ("beforeTaskId", "abcthere")]
    {
        let mut world = World::new();
        let ids: [String; 4] = serde_json::from_str(&world.evaluate(make).unwrap()).unwrap();
        let goal = if place == "project" { "To" } else { &ids[3] };
        let mutation = json!({"operation": "update", "ids": ids[..3], "changes": {place: goal}});
        let answer = world.call("omnifocus_write", &json!({ "mutation": mutation }));
        assert_eq!(answer["success"], true, "{answer}");
        assert_eq!(names(&world, "To"), expected, "{place}");
        world.call("omnifocus_write", &answer["undo"]["arguments"]);
        assert_eq!((&names(&world, "From")[..], &names(&world, "To")[..]), ("abc", "there"), "{place}");
    }
}

/// A task that should be open, but is in a completed project, counts as completed; the answer says so.
#[test]
fn an_open_task_in_a_completed_project_is_told() {
    let make = "(() => { const project = new Project('P'), task = new Task('t', project); task.markComplete(); project.markComplete(); \
                return JSON.stringify([project, task].map((item) => item.id.primaryKey)); })()";
    let mut world = World::new();
    let ids: [String; 2] = serde_json::from_str(&world.evaluate(make).unwrap()).unwrap();
    for mutation in [
        json!({"operation": "update", "id": ids[1], "changes": {"status": "active"}}),
        json!({"operation": "create", "target": "task", "data": {"name": "new", "project": ids[0]}}),
    ] {
        let answer = world.call("omnifocus_write", &json!({ "mutation": mutation }));
        let told = json!(["status: it counts as completed, because its project or group is"]);
        assert_eq!((&answer["success"], &answer["warnings"]), (&json!(true), &told), "{answer}");
    }
}

/// A relative time has milliseconds, and is not later than itself.
#[test]
fn a_relative_time_is_not_told_to_be_late() {
    let mutation =
        json!({"operation": "create", "target": "task", "data": {"name": "new", "dueDate": "now+90m"}});
    let answer = World::new().call("omnifocus_write", &json!({ "mutation": mutation }));
    assert_eq!((&answer["success"], answer.get("warnings")), (&json!(true), None), "{answer}");
}

/// An item can have one tag of an exclusive group, so a change that names two is refused.
#[test]
fn two_tags_of_an_exclusive_group_are_refused() {
    let mut world = World::new();
    let make = "(() => { const group = new Tag('Mood'); new Tag('Dim', group); new Tag('High mood', group); group.childrenAreMutuallyExclusive = true; \
                return new Task('t', null).id.primaryKey; })()";
    let id = world.evaluate(make).unwrap().trim().to_owned();
    for changes in [
        json!({"tags": ["Dim", "High mood"]}),
        json!({"addTags": ["Dim", "Mood : Fresh"]}),
        json!({"tags": ["Dim"], "addTags": ["High mood"]}),
    ] {
        let update = json!({"operation": "update", "id": id, "changes": changes});
        let answer = world.call("omnifocus_write", &json!({ "mutation": update }));
        assert!(answer["error"].as_str().is_some_and(|told| told.contains("only one")), "{answer}");
    }
    let create =
        json!({"operation": "create", "target": "task", "data": {"name": "n", "tags": ["Dim", "High mood"]}});
    let answer = world.call("omnifocus_write", &json!({ "mutation": create }));
    assert_eq!(
        answer["error"],
        "`Dim` and `High mood` are tags of `Mood`, of which an item can have only one"
    );
}

/// Values that OmniFocus takes and that can hardly be meant have a warning; a path of tags has no empty part.
#[test]
fn odd_values_are_told() {
    let mut world = World::new();
    let mut create = |data: Json| {
        let mut data = data;
        data["name"] = json!("odd");
        let mutation = json!({"operation": "create", "target": "task", "data": data});
        world.call("omnifocus_write", &json!({ "mutation": mutation }))
    };
    for (data, told) in [
        (json!({"dueDate": "2026-02-01", "deferDate": "2026-02-03"}), "deferDate: it is after the due date"),
        (
            json!({"dueDate": "2026-02-05", "repetitionRule": {"frequency": "daily", "endDate": "2026-02-01"}}),
            "repetitionRule: it ends before the due date, so it never repeats",
        ),
        (json!({"notifications": ["2026-01-05 09:00"]}), "notifications: one of them is in the past"),
        (json!({"dueDate": "2026-02-01", "deferDate": "2026-01-30", "notifications": [-60]}), ""),
    ] {
        let answer = create(data);
        let expected = if told.is_empty() { Json::Null } else { json!([told]) };
        assert_eq!((&answer["success"], &answer["warnings"]), (&json!(true), &expected), "{answer}");
    }
    assert!(create(json!({"tags": ["A : : B"]}))["error"].is_string());
}
