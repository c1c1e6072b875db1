//! Everyday requests of OmniFocus users; each test has the words of the request.

use iac_plugin::{Json, json};

use crate::world::World;

/// Makes objects and returns their ids.
fn scene(world: &World, source: &str) -> Json {
    let all = format!("(() => {{ {source} }})()");
    serde_json::from_str(&world.evaluate(&all).unwrap()).unwrap()
}

fn write(world: &mut World, mutation: &Json) -> Json {
    world.call("omnifocus_write", &json!({ "mutation": mutation }))
}

fn read(world: &mut World, query: &Json) -> Json {
    world.call("omnifocus_read", &json!({ "query": query }))
}

/// One read for many ids, in their order; what does not exist is named.
#[test]
fn a_list_of_ids_is_one_read() {
    let mut world = World::new();
    let all =
        world.call("omnifocus_read", &json!({"query": {"type": "tasks", "limit": 40, "fields": ["name"]}}));
    let mut ids: Vec<Json> =
        all["data"]["tasks"].as_array().unwrap().iter().map(|task| task["id"].clone()).collect();
    ids.reverse();
    let runs = world.runs;
    let found = world.call("omnifocus_read", &json!({"query": {"type": "tasks", "filters": {"id": ids}}}));
    let rows = found["data"]["tasks"].as_array().unwrap();
    assert_eq!(rows.iter().map(|task| task["id"].clone()).collect::<Vec<_>>(), ids, "{found}");
    assert_eq!((world.runs, found["metadata"]["truncated"].as_bool()), (runs + 1, Some(false)), "{found}");
    assert!(rows[0].get("projectId").is_some(), "all fields: {found}");
    let some = json!({"query": {"type": "tasks", "filters": {"id": ["nobody", ids[0]]}, "fields": ["name"]}});
    let found = world.call("omnifocus_read", &some);
    assert_eq!(found["metadata"]["total_count"], 1, "{found}");
    assert_eq!(
        found["metadata"]["warnings"],
        json!([{"warning": "no task has these ids", "ids": ["nobody"]}]),
        "{found}"
    );
    for kind in ["tasks", "projects", "tags", "folders"] {
        let none = world.call(
            "omnifocus_read",
            &json!({"query": {"type": kind, "filters": {"id": ["nobody", "noone"]}}}),
        );
        assert!(none["error"].as_str().unwrap().ends_with(" `nobody`"), "{none}");
    }
}

#[test]
fn a_note_is_added_to_and_keeps_what_it_has() {
    let mut world = World::new();
    let made = "const task = new Task('noted', null); task.note = 'old'; return JSON.stringify({ id: task.id.primaryKey })";
    let id = scene(&world, made)["id"].clone();
    for (add, note) in [("new", "old\nnew"), ("more\nlines", "old\nnew\nmore\nlines")] {
        let answer =
            write(&mut world, &json!({"operation": "update", "id": id, "changes": {"appendNote": add}}));
        assert_eq!((&answer["data"]["note"], answer.get("warnings")), (&json!(note), None), "{answer}");
        assert_eq!(world.asked.last().unwrap().acts, ["edit task"], "nothing is lost");
    }
    let both = write(
        &mut world,
        &json!({"operation": "update", "id": id, "changes": {"appendNote": "a", "note": "b"}}),
    );
    assert!(both["error"].as_str().unwrap().contains("are both given"), "{both}");
    let fresh = json!({"operation": "create", "target": "task", "data": {"name": "x", "appendNote": "a"}});
    assert!(
        write(&mut world, &fresh)["error"]
            .as_str()
            .unwrap()
            .contains("`mutation.data.appendNote` is not known")
    );
}

#[test]
fn one_occurrence_is_skipped_and_the_next_one_comes() {
    let mut world = World::new();
    let made = "const task = new Task('weekly', null), once = new Task('once', null); task.dueDate = new Date(2026, 1, 2, 17); \
                task.repetitionRule = new Task.RepetitionRule('FREQ=WEEKLY', null, Task.RepetitionScheduleType.Regularly, Task.AnchorDateKey.DueDate, true); \
                return JSON.stringify({ task: task.id.primaryKey, once: once.id.primaryKey })";
    let ids = scene(&world, made);
    let answer = write(&mut world, &json!({"operation": "skip", "id": ids["task"]}));
    assert_eq!(answer["data"]["next"]["dueDate"], "2026-02-09T17:00:00+01:00", "{answer}");
    assert_eq!(answer["data"]["status"], "active", "{answer}");
    let dropped =
        "String(flattenedTasks.filter((task) => task.name === 'weekly' && task.dropDate !== null).length)";
    assert_eq!(world.evaluate(dropped).unwrap().trim(), "1");
    let asked = world.asked.len();
    let answer = write(&mut world, &json!({"operation": "skip", "id": ids["once"]}));
    assert!(answer["error"].as_str().unwrap().contains("does not repeat"), "{answer}");
    assert_eq!(world.asked.len(), asked);
}

#[test]
fn folders_are_renamed_moved_dropped_and_deleted() {
    let mut world = World::new();
    let made = "const top = new Folder('Top'), below = new Folder('Below', top), project = new Project('P', below); new Task('t', project); \
                return JSON.stringify({ top: top.id.primaryKey, below: below.id.primaryKey })";
    let ids = scene(&world, made);
    let update = |id: &Json, changes: Json| json!({"operation": "update", "target": "folder", "id": id, "changes": changes});
    let answer = write(&mut world, &update(&ids["below"], json!({"name": "Lower", "folder": null})));
    assert_eq!(
        (&answer["data"]["path"], &answer["data"]["status"]),
        (&json!("Lower"), &json!("active")),
        "{answer}"
    );
    let answer = write(&mut world, &update(&json!("Lower"), json!({"folder": "Top"})));
    assert_eq!(answer["data"]["path"], "Top : Lower", "{answer}");
    let answer = write(&mut world, &update(&ids["top"], json!({"folder": "Top : Lower"})));
    assert!(answer["error"].as_str().unwrap().contains("or lies below it"), "{answer}");
    let answer = write(&mut world, &update(&ids["top"], json!({"status": "on_hold"})));
    assert!(answer["error"].as_str().unwrap().contains("expected active or dropped"), "{answer}");
    let answer = write(&mut world, &update(&ids["top"], json!({"status": "dropped"})));
    assert_eq!(answer["data"]["status"], "dropped", "{answer}");
    let answer = write(&mut world, &json!({"operation": "delete", "target": "folder", "id": ids["top"]}));
    assert_eq!(
        (&answer["data"]["name"], &answer["data"]["permanent"]),
        (&json!("Top"), &json!(true)),
        "{answer}"
    );
    let left = world
        .evaluate("String(flattenedFolders.filter((each) => ['Top', 'Lower'].includes(each.name)).length)");
    assert_eq!(left.unwrap().trim(), "0");
}

#[test]
fn rows_tell_what_hangs_on_a_task() {
    let mut world = World::new();
    let made = "const task = new Task('hung', null), project = new Project('hung too'); task.dueDate = new Date(2026, 1, 2, 17); \
                task.addNotification(-3600); task.addNotification(new Date(2026, 1, 1, 9)); \
                task.addAttachment(FileWrapper.withContents('plan.txt', Data.fromString('x'))); \
                task.addLinkedFileURL(URL.fromString('file:///Users/ada/plan.pdf', null)); \
                return JSON.stringify({ id: task.id.primaryKey, root: project.task.id.primaryKey })";
    let ids = scene(&world, made);
    let fields = json!(["link", "notifications", "attachments", "linkedFiles", "isRepeating"]);
    let answer = read(
        &mut world,
        &json!({"type": "tasks", "filters": {"name": {"contains": "hung"}}, "fields": fields}),
    );
    let row = &answer["data"]["tasks"][0];
    assert_eq!(row["link"], format!("omnifocus:///task/{}", ids["id"].as_str().unwrap()), "{answer}");
    assert_eq!((&row["attachments"], &row["isRepeating"]), (&json!(["plan.txt"]), &json!(false)), "{answer}");
    assert_eq!(row["linkedFiles"], json!(["file:///Users/ada/plan.pdf"]), "{answer}");
    let alerts = row["notifications"].as_array().unwrap();
    let told: Vec<(&Json, &Json)> = alerts.iter().map(|alert| (&alert["kind"], &alert["at"])).collect();
    assert!(told.contains(&(&json!("DueRelative"), &json!("2026-02-02T16:00:00+01:00"))), "{answer}");
    assert!(told.contains(&(&json!("Absolute"), &json!("2026-02-01T09:00:00+01:00"))), "{answer}");
    let answer = read(
        &mut world,
        &json!({"type": "projects", "filters": {"name": {"contains": "hung"}}, "fields": fields}),
    );
    let link = format!("omnifocus:///task/{}", ids["root"].as_str().unwrap());
    assert_eq!(answer["data"]["projects"][0]["link"], link, "{answer}");
}

#[test]
fn what_repeats_can_be_asked_for() {
    let mut world = World::new();
    for kind in ["tasks", "projects"] {
        let list = "JSON.stringify(flattened%.filter((each) => !each.project && each.repetitionRule).map((each) => each.id.primaryKey).sort())";
        let list = list.replace('%', if kind == "tasks" { "Tasks" } else { "Projects" });
        let expected: Json = serde_json::from_str(&world.evaluate(&list).unwrap()).unwrap();
        let filters =
            json!({"isRepeating": true, "OR": [{"status": "active"}, {"NOT": {"status": "active"}}]});
        let answer = read(
            &mut world,
            &json!({"type": kind, "filters": filters, "limit": 500, "fields": ["id", "isRepeating"]}),
        );
        let rows = answer["data"][kind].as_array().unwrap_or_else(|| panic!("{answer}"));
        let mut found: Vec<&str> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
        found.sort_unstable();
        assert_eq!(json!(found), expected, "{kind}");
        assert!(kind == "projects" || !found.is_empty());
    }
}

#[test]
fn a_task_is_read_with_all_that_is_below_it() {
    let mut world = World::new();
    let made = "const top = new Task('top', null), child = new Task('child', top), deep = new Task('deep', child); new Task('beside', null); \
                return JSON.stringify({ top: top.id.primaryKey })";
    let id = scene(&world, made)["top"].clone();
    let answer = read(
        &mut world,
        &json!({"type": "tasks", "filters": {"subtreeOf": id}, "fields": ["name", "depth"]}),
    );
    let rows = answer["data"]["tasks"].as_array().unwrap();
    let told: Vec<(&Json, &Json)> = rows.iter().map(|row| (&row["name"], &row["depth"])).collect();
    assert_eq!(told, [(&json!("top"), &json!(0)), (&json!("child"), &json!(1)), (&json!("deep"), &json!(2))]);
    let answer = read(&mut world, &json!({"type": "tasks", "filters": {"subtreeOf": "nobody"}}));
    assert!(answer["error"].as_str().unwrap().contains("no task `nobody`"), "{answer}");
}

#[test]
fn tasks_are_copied_turned_into_projects_and_put_in_order() {
    let mut world = World::new();
    let made = "const project = new Project('Line'), a = new Task('a', project), b = new Task('b', project), c = new Task('c', project); new Task('below a', a); \
                return JSON.stringify({ project: project.id.primaryKey, a: a.id.primaryKey, b: b.id.primaryKey, c: c.id.primaryKey })";
    let ids = scene(&world, made);
    let order = |world: &World| {
        let id = &ids["project"];
        world
            .evaluate(&format!("Project.byIdentifier({id}).tasks.map((task) => task.name).join(' ')"))
            .unwrap()
            .trim()
            .to_owned()
    };
    let update = |id: &str, changes: Json| json!({"operation": "update", "id": ids[id], "changes": changes});
    assert_eq!(write(&mut world, &update("a", json!({"afterTaskId": ids["c"]})))["success"], true);
    assert_eq!(order(&world), "b c a");
    assert_eq!(
        world.asked.last().unwrap().lines,
        ["update task “a” in “Line”: move after task “c” in “Line”"]
    );
    assert_eq!(write(&mut world, &update("c", json!({"beforeTaskId": ids["b"]})))["success"], true);
    assert_eq!(order(&world), "c b a");
    let answer = write(&mut world, &update("c", json!({"beforeTaskId": ids["b"], "project": "Line"})));
    assert!(answer["error"].as_str().unwrap().contains("are both places"), "{answer}");
    let answer = write(&mut world, &update("a", json!({"afterTaskId": ids["a"]})));
    assert!(answer["error"].as_str().unwrap().contains("the one that was to go there"), "{answer}");
    let project = json!({"operation": "update", "target": "project", "id": ids["project"], "changes": {"afterTaskId": ids["a"]}});
    assert!(write(&mut world, &project)["error"].as_str().unwrap().contains("is a place of tasks"));
    let answer = write(&mut world, &json!({"operation": "duplicate", "id": ids["a"]}));
    assert_eq!((&answer["data"]["name"], order(&world)), (&json!("a"), "c b a a".to_owned()), "{answer}");
    assert_ne!(answer["data"]["id"], ids["a"]);
    assert_eq!(world.asked.last().unwrap().acts, ["duplicate task"]);
    let copy = answer["data"]["id"].clone();
    let answer = write(&mut world, &json!({"operation": "convert", "id": copy, "folder": "Work"}));
    assert_eq!(
        (&answer["data"]["name"], &answer["data"]["folder"]),
        (&json!("a"), &json!("Work")),
        "{answer}"
    );
    assert_eq!(order(&world), "c b a");
    let below =
        format!("Project.byIdentifier({}).tasks.map((task) => task.name).join(' ')", answer["data"]["id"]);
    assert_eq!(world.evaluate(&below).unwrap().trim(), "below a");
    let answer = write(
        &mut world,
        &json!({"operation": "duplicate", "target": "project", "id": ids["project"], "folder": "Work"}),
    );
    assert_eq!(
        (&answer["data"]["name"], &answer["data"]["folder"]),
        (&json!("Line"), &json!("Work")),
        "{answer}"
    );
}

#[test]
fn notifications_are_set_added_to_and_taken_away() {
    let mut world = World::new();
    let data =
        json!({"name": "call", "dueDate": "2026-02-02 17:00", "notifications": [-60, "2026-02-01 09:00"]});
    let answer = write(&mut world, &json!({"operation": "create", "target": "task", "data": data}));
    assert_eq!(answer["data"]["notifications"], json!([-60, "2026-02-01T09:00:00+01:00"]), "{answer}");
    let id = answer["data"]["id"].clone();
    let mut update = |changes: Json| {
        let answer = write(&mut world, &json!({"operation": "update", "id": id, "changes": changes}));
        (answer, world.asked.last().unwrap().lines[0].clone())
    };
    let (answer, line) = update(json!({"addNotifications": [0]}));
    assert_eq!(answer["data"]["notifications"], json!([-60, "2026-02-01T09:00:00+01:00", 0]), "{answer}");
    assert_eq!(line, "update task “call”: with the notifications 0 minutes after it is due");
    let (answer, line) = update(json!({"notifications": ["2026-02-03"]}));
    assert_eq!(answer["data"]["notifications"], json!(["2026-02-03T08:00:00+01:00"]), "{answer}");
    let old = "60 minutes before it is due, Sun 2026-02-01 09:00 +01:00, 0 minutes after it is due";
    assert_eq!(line, format!("update task “call”: notifications {old} -> Tue 2026-02-03 08:00 +01:00"));
    let (answer, _) = update(json!({"notifications": null}));
    assert!(answer["data"].get("notifications").is_none(), "{answer}");
    let (answer, _) = update(json!({"dueDate": null, "addNotifications": [-5]}));
    assert!(answer["error"].as_str().unwrap().contains("has no due date"), "{answer}");
    let wrong =
        write(&mut world, &json!({"operation": "update", "id": id, "changes": {"notifications": ["soon"]}}));
    assert!(wrong["error"].as_str().unwrap().contains("changes.notifications[0]` is `\"soon\"`"), "{wrong}");
}

#[test]
fn a_copy_may_have_another_name_and_nothing_below_it() {
    let mut world = World::new();
    let made = "const top = new Task('top', null); new Task('below', top); return JSON.stringify({ id: top.id.primaryKey })";
    let id = scene(&world, made)["id"].clone();
    let copy = json!({"operation": "duplicate", "id": id, "name": "bare", "includeSubtasks": false});
    let answer = write(&mut world, &copy);
    assert_eq!(answer["data"]["name"], "bare", "{answer}");
    assert_eq!(world.asked.last().unwrap().lines, ["duplicate task “top” alone as “bare”"]);
    let answer = read(
        &mut world,
        &json!({"type": "tasks", "filters": {"name": {"matches": "^(top|bare|below)$"}}, "fields": ["name", "childCount"]}),
    );
    let rows = answer["data"]["tasks"].as_array().unwrap();
    let told: Vec<(&str, i64)> =
        rows.iter().map(|row| (row["name"].as_str().unwrap(), row["childCount"].as_i64().unwrap())).collect();
    assert_eq!(told, [("top", 1), ("below", 0), ("bare", 0)]);
}

#[test]
fn the_next_occurrence_is_told() {
    let mut world = World::new();
    let made = "const make = (name, due, schedule, catchUp) => { const task = new Task(name, null); task.dueDate = due; \
                task.repetitionRule = new Task.RepetitionRule('FREQ=WEEKLY', null, Task.RepetitionScheduleType[schedule], Task.AnchorDateKey.DueDate, catchUp); }; \
                make('n1', new Date(2026, 1, 2, 17), 'Regularly', true); make('n2', new Date(2026, 0, 5, 17), 'Regularly', false); \
                make('n3', new Date(2026, 0, 5, 17), 'Regularly', true); make('n4', new Date(2026, 0, 5, 17), 'FromCompletion', true); \
                new Task('n5', null); return '{}'";
    scene(&world, made);
    let answer = read(
        &mut world,
        &json!({"type": "tasks", "filters": {"name": {"matches": "^n\\d$"}}, "fields": ["name", "nextOccurrence"]}),
    );
    let rows = answer["data"]["tasks"].as_array().unwrap();
    let next: Vec<Option<&str>> = rows.iter().map(|row| row["nextOccurrence"]["dueDate"].as_str()).collect();
    // The app keeps the time of the day of a date that is counted from the completion.
    let due = ["2026-02-09T17:00", "2026-01-12T17:00", "2026-02-02T17:00", "2026-02-04T17:00"];
    for (at, due) in due.iter().enumerate() {
        assert_eq!(next[at].map(|next| &next[..16]), Some(*due), "{answer}");
    }
    assert_eq!(next[4], None);
}

#[test]
fn a_project_is_stalled_where_nothing_can_be_done_in_it() {
    let mut world = World::new();
    let made = "const make = (name, ...tasks) => { const project = new Project(name); for (const set of tasks) Object.assign(new Task(name, project), set); return project; }; \
                const later = { deferDate: new Date(2027, 0, 1) }; make('s waits', later, later); make('s goes', later, {}); make('s empty'); \
                make('s deferred', {}).deferDate = later.deferDate; make('s held', later).status = Project.Status.OnHold; return '{}'";
    scene(&world, made);
    for (stalled, names) in
        [(true, vec!["s waits", "s empty"]), (false, vec!["s goes", "s deferred", "s held"])]
    {
        let filters =
            json!({"stalled": stalled, "name": {"matches": "^s (waits|goes|empty|deferred|held)$"}});
        let answer =
            read(&mut world, &json!({"type": "projects", "filters": filters, "fields": ["name", "stalled"]}));
        let rows = answer["data"]["projects"].as_array().unwrap_or_else(|| panic!("{answer}"));
        let found: Vec<&str> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
        assert_eq!(found, names, "{answer}");
    }
}
