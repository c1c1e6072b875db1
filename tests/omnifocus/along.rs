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
        (
            json!({"operation": "complete", "ids": ["@a", "@b"]}),
            line("b", "complete task “@” in “P” under “G”"),
        ),
        (
            json!({"operation": "update", "ids": ["@a", "@b"], "changes": {"status": "completed"}}),
            line("b", "update task “@” in “P” under “G”: status active -> completed"),
        ),
        (
            json!({"operation": "update", "ids": ["@b", "@a"], "changes": {"status": "dropped"}}),
            line("a", "update task “@” in “P” under “G”: status active -> dropped"),
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

/// A project P with an open task `a`, and an empty project Q; each ends with its last task, and so does a
/// project S with two open tasks.
const LAST: &str = "(() => { const [P, Q, S] = ['P', 'Q', 'S'].map((name) => new Project(name)); \
                    [P, Q, S].forEach((project) => { project.completedByChildren = true; }); \
                    const a = new Task('a', P), s = new Task('s', S), t = new Task('t', S); \
                    return JSON.stringify([a, s, t, P].map((item) => item.id.primaryKey)); })()";

fn last() -> (World, [String; 4]) {
    let world = World::new();
    let ids = serde_json::from_str(&world.evaluate(LAST).unwrap()).unwrap();
    (world, ids)
}

/// The names of the projects that are completed.
fn over(world: &World) -> String {
    let source = "flattenedProjects.filter((project) => ['P', 'Q', 'S'].includes(project.name) && \
                  project.status === Project.Status.Done).map((project) => project.name).sort().join('')";
    world.evaluate(source).unwrap().trim().to_owned()
}

fn batch(operations: &Json) -> Json {
    json!({"operation": "batch", "operations": operations})
}

/// Where a task goes counts, not where it was: what ends there is asked for, and nothing else ends. So do a task that
/// is created completed, tasks that leave, and a task under its temporary id. A batch may also be too long for one run.
#[test]
fn what_ends_is_that_where_the_task_is_then() {
    let new = |status: &str, project: &str| {
        json!({"operation": "create", "target": "task",
            "data": {"name": "n", "tempId": "n", "project": project, "status": status}})
    };
    let update = |id: &str, changes: &Json| json!({"operation": "update", "id": id, "changes": changes});
    let complete = |id: &str| json!({"operation": "complete", "id": id});
    let cases = [
        // The projects that are over then; those that the question names are the same.
        (json!([new("completed", "Q")]), "Q"),
        (json!([new("dropped", "Q")]), "Q"),
        (json!([new("completed", "P")]), ""),
        (json!([update("@a", &json!({"project": "Q", "status": "completed"}))]), "Q"),
        (json!([update("@a", &json!({"project": null, "status": "completed"}))]), ""),
        (json!([update("@a", &json!({"project": "S", "status": "dropped"}))]), ""),
        (json!([update("@a", &json!({"afterTaskId": "@s"})), complete("@a")]), ""),
        (json!([update("@a", &json!({"project": "Q"})), complete("@a")]), "Q"),
        (json!([update("@s", &json!({"project": "Q"})), complete("@t")]), "S"),
        (json!([update("@s", &json!({"beforeTaskId": "@t"})), complete("@t")]), ""),
        (
            json!([
                update("@s", &json!({"parentTaskId": "@a"})),
                update("@s", &json!({"parentTaskId": null})),
                complete("@a")
            ]),
            "",
        ),
        (json!([{"operation": "convert", "id": "@s"}, complete("@t")]), "S"),
        (json!([{"operation": "duplicate", "id": "@a"}, complete("@a")]), ""),
        (json!([new("active", "Q"), complete("n")]), "Q"),
        (json!([new("active", "Q"), update("n", &json!({"status": "dropped"}))]), "Q"),
        (json!([new("active", "P"), complete("@a")]), ""),
        (json!([new("active", "P"), complete("@a"), complete("n")]), "P"),
        (json!([new("active", "P"), update("n", &json!({"project": "Q"})), complete("@a")]), "P"),
        (
            json!([
                update("@s", &json!({"status": "completed"})),
                update("@s", &json!({"status": "active"})),
                complete("@t")
            ]),
            "",
        ),
        (
            json!([update("@a", &json!({"repetitionRule": {"frequency": "daily"}, "status": "completed"}))]),
            "",
        ),
    ];
    for (operations, expected) in &cases {
        for is_long in [false, true] {
            let (mut world, ids) = last();
            let mut operations = operations.to_string();
            for (name, id) in [("@a", &ids[0]), ("@s", &ids[1]), ("@t", &ids[2])] {
                operations = operations.replace(name, id);
            }
            let mut operations: Vec<Json> = serde_json::from_str(&operations).unwrap();
            if is_long && operations[0]["operation"] != "create" {
                continue;
            }
            if is_long {
                // Notes that fill a run each. Creates come first and completions last, so they are between.
                let note = "n".repeat(128_000);
                for id in [&ids[3], &ids[3]] {
                    operations.push(json!({"operation": "update", "target": "project", "id": id, "changes": {"note": note}}));
                }
            }
            let answer = world.call("omnifocus_write", &json!({"mutation": batch(&json!(operations))}));
            let told =
                format!("{operations:?}: {}", answer.to_string().chars().take(2_000).collect::<String>());
            assert_eq!(answer["success"], true, "{told}");
            assert_eq!(over(&world), *expected, "{told}");
            let lines = world.asked[0].lines.join("\n");
            for project in ["P", "Q", "S"] {
                let is_named = lines.contains(&format!("also completes project “{project}”"))
                    || lines.contains(&format!("project “{project}”, which this also completes"));
                assert_eq!(is_named, expected.contains(project), "{told}\n{lines}");
            }
            let acts = &world.asked[0].acts;
            assert_eq!(acts.contains(&"complete project".to_owned()), !expected.is_empty(), "{told}");
            let back = world.call("omnifocus_write", &answer["undo"]["arguments"]);
            assert_eq!((&back["success"], &over(&world)[..]), (&json!(true), ""), "{told}: {back}");
        }
    }
}

/// If OmniFocus does not move a task, or a rule is gone, another project would end than the one that was shown. So
/// nothing ends.
#[test]
fn what_was_not_shown_does_not_end() {
    let (mut world, ids) = last();
    world.sabotage = "globalThis.moveTasks = () => { throw new Error('no'); };".to_owned();
    let changes = json!({"project": "Q", "status": "completed"});
    let update = json!({"operation": "update", "id": ids[0], "changes": changes});
    let answer = world.call("omnifocus_write", &json!({ "mutation": update }));
    assert!(world.asked[0].lines[0].contains("project “Q”, which this also completes"), "{:?}", world.asked);
    assert_eq!(over(&world), "", "{answer}");
    assert!(
        answer["error"].as_str().is_some_and(|told| told.contains("it would now complete project")),
        "{answer}"
    );
    // A completion that is taken back with its batch leaves the project over, so the answer says so.
    let (mut world, ids) = last();
    world.sabotage = "Task.prototype.markComplete = () => { throw new Error('no'); };".to_owned();
    let mut atomic = batch(&json!([
        {"operation": "create", "target": "task", "data": {"name": "n", "project": "Q", "status": "dropped"}},
        {"operation": "complete", "id": ids[0]},
    ]));
    atomic["atomicOperation"] = json!(true);
    let answer = world.call("omnifocus_write", &json!({ "mutation": atomic }));
    assert_eq!(
        (&answer["rolledBack"], &answer["notRolledBack"]["operations"]),
        (&json!("partial"), &json!([0])),
        "{answer}"
    );
    assert_eq!(over(&world), "Q");
    world.call("omnifocus_write", &answer["undo"]["arguments"]);
    assert_eq!(over(&world), "");
}

/// The steps that lose most come first in a long question, and shared lines name all their items.
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
    let told = "complete project “Health”, with 24 open tasks in it";
    assert_eq!((&world.asked[0].lines[0][..], world.asked[0].lines.len()), (told, 9));
    let answer = world.call("omnifocus_write", &json!({"mutation": {"operation": "delete", "ids": ids}}));
    assert_eq!(answer["success"], true, "{answer}");
    let told = "delete 8 tasks, which cannot be undone: “n6” with 3 tasks below it, 3 of them open, “n7” with 3 tasks below it, 3 of them open, \
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

/// An item goes after the one before it only if that is still there, also in a change of several runs.
#[test]
fn items_that_move_apart_do_not_follow_each_other() {
    let names = |world: &World, project: &str| {
        let names = format!("flattenedProjects.byName('{project}').tasks.map((task) => task.name).join('')");
        world.evaluate(&names).unwrap().trim().to_owned()
    };
    let to =
        |id: &str, project: &str| json!({"operation": "update", "id": id, "changes": {"project": project}});
    let (mut world, [a, s, t, _]) = last();
    let apart = batch(&json!([to(&s, "P"), to(&s, "Q"), to(&t, "P"), to(&a, "Q")]));
    let answer = world.call("omnifocus_write", &json!({ "mutation": apart }));
    assert_eq!(answer["success"], true, "{answer}");
    assert_eq!((&names(&world, "P")[..], &names(&world, "Q")[..]), ("t", "sa"));
    let (mut world, ids) = last();
    let mutation = json!({"operation": "update", "ids": ids[..3], "changes": {"project": "Q", "note": "n".repeat(60_000)}});
    let answer = world.call("omnifocus_write", &json!({ "mutation": mutation }));
    assert_eq!((&answer["success"], &names(&world, "Q")[..]), (&json!(true), "ast"));
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
    // The task is completed itself, and then counts as dropped with its project.
    let make = format!(
        "(() => {{ const task = Task.byIdentifier('{}'); task.markComplete(); Project.byIdentifier('{}').status = Project.Status.Dropped; }})()",
        ids[1], ids[0]
    );
    world.evaluate(&make).unwrap();
    for (changes, told) in [
        (json!({"project": null}), Json::Null),
        (json!({"project": ids[0]}), Json::Null),
        (
            json!({"status": "active"}),
            json!(["status: it counts as dropped, because its project or group is"]),
        ),
    ] {
        let update = json!({"operation": "update", "id": ids[1], "changes": changes});
        let answer = world.call("omnifocus_write", &json!({ "mutation": update }));
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
