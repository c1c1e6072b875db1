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
        "const own = Object.getPrototypeOf(Project.byIdentifier(flattenedProjects[0].id.primaryKey)); Object.defineProperty(own, 'repetitionRule', { get() { return null; }, set() {} }); \
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

fn take_back(world: &mut World, answer: &Json) -> Json {
    world.call("omnifocus_write", &answer["undo"]["arguments"])
}

/// OmniFocus gives a project the first date of a review and does not take it off again.
#[test]
fn the_undo_of_a_first_review_says_what_stays() {
    let mut world = World::with_tasks(400, 41);
    let id = "flattenedProjects.find((project) => project.nextReviewDate === null && project.lastReviewDate === null).id.primaryKey";
    let id = world.evaluate(id).unwrap().trim().to_owned();
    let update = json!({"operation": "update", "target": "project", "id": id, "changes": {"lastReviewDate": "2026-01-20"}});
    let answer = write(&mut world, &update);
    let why = "nextReviewDate stays, because OmniFocus does not take the first date of a review off again";
    assert_eq!(answer["notUndone"], json!([{"index": 0, "why": why}]), "{answer}");
    let next = answer["data"]["nextReviewDate"].clone();
    let back = take_back(&mut world, &answer);
    assert_eq!((&back["success"], &back["data"]["summary"]["updated"]), (&json!(true), &json!(1)), "{back}");
    let query = json!({"query": {"type": "projects", "filters": {"id": id}}});
    let project = world.call("omnifocus_read", &query)["data"]["projects"][0].clone();
    assert_eq!((&project["lastReviewDate"], &project["nextReviewDate"]), (&Json::Null, &next), "{project}");
}

#[test]
fn an_undo_that_omnifocus_refuses_is_no_success() {
    let (mut world, ids) =
        scene("const project = new Project('P'); project.lastReviewDate = null; return ids({ project });");
    let update = json!({"operation": "update", "target": "project", "id": ids["project"], "changes": {"lastReviewDate": "2026-01-20"}});
    let answer = write(&mut world, &update);
    world.sabotage = "Object.defineProperty(Object.getPrototypeOf(flattenedProjects[0]), 'lastReviewDate', { get() { return new Date(2026, 0, 20); }, set(date) { if (date === null) throw new Error('must be a Date, not null'); } });".to_owned();
    let back = take_back(&mut world, &answer);
    assert_eq!((&back["success"], &back["data"]["summary"]["updated"]), (&json!(false), &json!(0)), "{back}");
    assert_eq!(back["data"]["summary"]["errors"], 1, "{back}");
    assert!(back["data"]["results"][0]["warnings"].to_string().contains("must be a Date"), "{back}");
}

const NAMESAKES: &str = "const top = new Tag('Twin'), above = new Tag('Above'), below = new Tag('Twin', above); \
    const one = new Task('one'), two = new Task('two'), three = new Task('three'); one.addTag(top); two.addTag(below); return ids({ top, below, one, two, three });";

/// A tag at the top has no more right to its name than one below another tag.
#[test]
fn a_name_of_several_tags_means_all_of_them_and_is_refused_in_a_change() {
    let (mut world, ids) = scene(NAMESAKES);
    for (tags, found) in [
        (json!({"any": ["Twin"]}), json!(["one", "two"])),
        (json!({"all": ["twin"]}), json!(["one", "two"])),
        (json!({"none": ["Twin"]}), json!(["three"])),
        (json!({"any": ["Above : Twin"]}), json!(["two"])),
        (json!({"any": [ids["top"]]}), json!(["one"])),
    ] {
        let filters = json!({"tags": tags, "name": {"matches": "^(one|two|three)$"}});
        let query = json!({"query": {"type": "tasks", "filters": filters, "fields": ["name"]}});
        let answer = world.call("omnifocus_read", &query);
        let names: Json =
            answer["data"]["tasks"].as_array().unwrap().iter().map(|row| row["name"].clone()).collect();
        assert_eq!(names, found, "{tags}: {answer}");
    }
    let manage = |action: &str, more: Json| {
        let mut mutation = json!({"operation": "tag_manage", "action": action, "tagName": "Twin"});
        mutation.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        mutation
    };
    for mutation in [
        manage("rename", json!({"newName": "x"})),
        manage("delete", json!({})),
        manage("create", json!({"tagName": "x", "parentTag": "Twin"})),
        json!({"operation": "update", "id": ids["three"], "changes": {"addTags": ["Twin"]}}),
    ] {
        let answer = write(&mut world, &mutation);
        assert_eq!(answer["error"], "2 tags are named `Twin`", "{answer}");
        for id in ["top", "below"] {
            assert!(answer["suggestion"].as_str().unwrap().contains(ids[id].as_str().unwrap()), "{answer}");
        }
    }
    let by_id = json!({"operation": "update", "id": ids["three"], "changes": {"addTags": [ids["top"]]}});
    let answer = write(&mut world, &by_id);
    assert_eq!((&answer["data"]["tags"], answer["success"] == true), (&json!(["Twin"]), true), "{answer}");
}

/// What a task is itself goes before what its project is.
#[test]
fn a_dropped_task_stays_dropped_in_a_completed_project() {
    let made = "const project = new Project('P'), gone = new Task('gone', project), open = new Task('open', project), done = new Task('done', project); \
        gone.drop(true, new Date(2026, 0, 10)); done.markComplete(); project.status = Project.Status.Done; \
        const left = new Project('Q'), over = new Task('over', left); over.markComplete(); left.status = Project.Status.Dropped; return ids({ project, gone, open, done, over });";
    let (mut world, ids) = scene(made);
    let list: Json = ["gone", "open", "done", "over"].map(|name| ids[name].clone()).into_iter().collect();
    let query = json!({"query": {"type": "tasks", "filters": {"id": list}, "fields": ["name", "status"]}});
    let answer = world.call("omnifocus_read", &query);
    let states: Vec<&Json> =
        answer["data"]["tasks"].as_array().unwrap().iter().map(|row| &row["status"]).collect();
    assert_eq!(states, ["dropped", "completed", "completed", "completed"], "{answer}");
    let late =
        write(&mut world, &json!({"operation": "update", "id": ids["gone"], "changes": {"flagged": true}}));
    assert_eq!(late["data"]["status"], "dropped", "{late}");
}

/// A completed group ends what repeats below it, and that needs more than a yes to completing.
#[test]
fn what_ends_a_repetition_below_it_asks_for_that() {
    let made = "const project = new Project('P'), group = new Task('group', project), child = new Task('child', group); child.dueDate = new Date(2026, 1, 2, 17); \
        child.repetitionRule = weekly(); const plain = new Task('plain', project); new Task('below', plain); return ids({ project, group, child, plain });";
    for (mutation, acts) in [
        (json!({"operation": "complete", "id": "group"}), vec!["complete task", "end task repetition"]),
        (
            json!({"operation": "update", "id": "group", "changes": {"status": "completed"}}),
            vec!["complete task", "end task repetition"],
        ),
        (json!({"operation": "complete", "id": "plain"}), vec!["complete task"]),
        (json!({"operation": "complete", "id": "child"}), vec!["complete task"]),
    ] {
        let (mut world, ids) = scene(made);
        let mut mutation = mutation;
        mutation["id"] = ids[mutation["id"].as_str().unwrap()].clone();
        let answer = write(&mut world, &mutation);
        assert_eq!(answer["success"], true, "{answer}");
        assert_eq!(world.asked[0].acts, acts, "{mutation}");
    }
    let (mut world, ids) = scene(made);
    write(&mut world, &json!({"operation": "delete", "id": ids["child"]}));
    let line = "delete task “child” in “P” under “group”, and ends its repetition “FREQ=WEEKLY”: all later occurrences are lost; it cannot be undone";
    assert_eq!(world.asked[0].lines, [line]);
}

const PLACES: &str = "const project = new Project('Home'), group = new Task('group', project), child = new Task('child', group), loose = new Task('loose'), \
    other = new Task('other'); const weekly_ = new Task('wash', project); weekly_.dueDate = new Date(2026, 1, 2, 17); weekly_.repetitionRule = weekly(); \
    const above = new Tag('Rooms'); new Tag('Attic', above); return ids({ project, group, child, loose, other, wash: weekly_ });";

#[test]
fn a_move_beside_a_task_names_the_project() {
    let (mut world, ids) = scene(PLACES);
    for (changes, line) in [
        (json!({"parentTaskId": ids["group"]}), "update task “loose”: move to task “group” in “Home”"),
        (
            json!({"afterTaskId": ids["child"]}),
            "update task “loose” in “Home” under “group”: move after task “child” in “Home” under “group”",
        ),
        (
            json!({"beforeTaskId": ids["other"]}),
            "update task “loose” in “Home” under “group”: move before task “other” in the inbox",
        ),
    ] {
        let answer =
            write(&mut world, &json!({"operation": "update", "id": ids["loose"], "changes": changes}));
        assert_eq!(answer["success"], true, "{answer}");
        assert_eq!(world.asked.last().unwrap().lines, [line]);
        if changes.get("beforeTaskId").is_some() {
            take_back(&mut world, &answer);
            let back = &world.asked.last().unwrap().lines[0];
            assert!(back.ends_with("move after task “child” in “Home” under “group”"), "{back}");
        }
    }
}

#[test]
fn the_undo_of_a_finished_occurrence_says_that_it_is_one() {
    let (mut world, ids) = scene(PLACES);
    let answer = write(&mut world, &json!({"operation": "complete", "id": ids["wash"]}));
    take_back(&mut world, &answer);
    let lines = &world.asked.last().unwrap().lines;
    let line = "delete task “wash” in “Home”: the finished occurrence, completed Wed 2026-01-28 09:30 +01:00";
    assert!(lines.contains(&line.to_owned()), "{lines:?}");
}

#[test]
fn tags_are_shown_as_they_are_stored() {
    let (mut world, ids) = scene(PLACES);
    for (tags, line) in [
        (json!(["attic"]), "tags “Rooms : Attic”"),
        (
            json!(["rooms : Cellar : Wine"]),
            "tags “Rooms : Attic” -> “Rooms : Cellar : Wine”, new tags “Rooms : Cellar”, “Rooms : Cellar : Wine”",
        ),
        (json!(["Fresh", "fresh"]), "tags “Rooms : Cellar : Wine” -> “Fresh”, “Fresh”, new tags “Fresh”"),
    ] {
        let answer =
            write(&mut world, &json!({"operation": "update", "id": ids["loose"], "changes": {"tags": tags}}));
        assert_eq!(answer["success"], true, "{answer}");
        assert_eq!(world.asked.last().unwrap().lines, [format!("update task “loose”: {line}")]);
    }
}

/// The host counts the lines that have no room, so each of those names one item.
#[test]
fn what_has_no_room_is_counted_by_items() {
    let made =
        "for (let at = 0; at < 300; at += 1) new Task(`bulk ${at} ${'long '.repeat(14)}`); return ids({});";
    let (mut world, _) = scene(made);
    let answer =
        write(&mut world, &json!({"operation": "delete", "filters": {"name": {"contains": "bulk "}}}));
    assert_eq!(answer["data"]["summary"]["deleted"], 300, "{answer}");
    let lines = &world.asked[0].lines;
    assert_eq!(lines.len(), 300);
    let (mut length, mut left) = (0, 0);
    for line in lines.iter().filter(|line| !line.is_empty()) {
        length += line.chars().count();
        left += usize::from(length > 15_000);
        assert!(length <= 14_000 || line.starts_with("delete task “"), "{line}");
    }
    assert!(left > 10, "{left} lines have no room");
    let named: usize = lines.iter().map(|line| line.matches("“bulk ").count()).sum();
    assert_eq!(named, 300);
}

#[test]
fn what_has_the_values_already_is_not_asked_about() {
    let made = "for (const flagged of [true, true, true, false, false, false, false]) new Task('same', inbox.ending).flagged = flagged; return ids({});";
    let (mut world, _) = scene(made);
    let update = json!({"operation": "update", "filters": {"name": {"contains": "same"}}, "changes": {"flagged": true}});
    let planned = write(&mut world, &{
        let mut dry = update.clone();
        dry["dryRun"] = json!(true);
        dry
    });
    assert_eq!(planned["data"]["summary"], json!({"planned": 4, "errors": 0, "unchanged": 3}), "{planned}");
    let answer = write(&mut world, &update);
    let summary = &answer["data"]["summary"];
    assert_eq!(
        (&summary["updated"], &summary["unchanged"], &summary["errors"]),
        (&json!(4), &json!(3), &json!(0)),
        "{answer}"
    );
    let lines = world.asked[0].lines.clone();
    assert_eq!(lines.len(), 4);
    assert!(lines[0].ends_with("; 3 others have it already"), "{lines:?}");
    let back = take_back(&mut world, &answer);
    assert_eq!(back["data"]["summary"]["updated"], 4, "{back}");
    assert!(!world.asked[1].lines.join("\n").contains("true -> true"), "{:?}", world.asked[1].lines);
    write(&mut world, &update);
    let asked = world.asked.len();
    let again = write(&mut world, &update);
    assert_eq!(
        (&again["success"], &again["data"]["summary"]["unchanged"]),
        (&json!(true), &json!(7)),
        "{again}"
    );
    assert_eq!((world.asked.len(), &again["undo"]), (asked, &Json::Null), "{again}");
}

/// Values of every kind that an item has already, and one more that it does not have.
#[test]
fn equal_values_of_every_kind_change_nothing() {
    let made = "const task = new Task('t'), tag = new Tag('mark'); task.addTag(tag); task.dueDate = new Date(2026, 1, 2, 17); task.note = 'n'; task.estimatedMinutes = 5; \
        task.addNotification(-600); task.repetitionRule = weekly(); return ids({ task });";
    let (mut world, ids) = scene(made);
    let same = json!({"name": "t", "note": "n", "estimatedMinutes": 5, "dueDate": "2026-02-02", "addTags": ["Mark"], "removeTags": ["Home"], "notifications": [-10],
        "status": "active", "flagged": false, "repetitionRule": {"frequency": "weekly"}});
    let update = |changes: &Json| json!({"operation": "update", "ids": [ids["task"]], "changes": changes});
    let answer = write(&mut world, &update(&same));
    assert_eq!(answer["data"]["summary"]["unchanged"], 1, "{answer}");
    for (key, value) in [
        ("note", json!("m")),
        ("addTags", json!(["Home"])),
        ("notifications", json!([-20])),
        ("repetitionRule", json!(null)),
        ("flagged", json!(true)),
    ] {
        let mut other = same.clone();
        other[key] = value;
        other.as_object_mut().unwrap().remove(if key == "addTags" { "removeTags" } else { "" });
        let answer = write(&mut world, &update(&other));
        assert_eq!(answer["data"]["summary"]["updated"], 1, "{key}: {answer}");
        take_back(&mut world, &answer);
    }
}

#[test]
fn what_omnifocus_would_not_take_is_refused_before_anyone_is_asked() {
    let made = "const task = new Task('t'), project = new Project('P'), due = new Project('D'), inside = new Task('i', due); due.dueDate = new Date(2026, 1, 2, 17); return ids({ task, project, due, inside });";
    let (mut world, ids) = scene(made);
    for rule in [
        "FREQ=FOO",
        "FREQ=WEEKLY;BYDAY=XX",
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;COUNT=x",
        "FREQ=DAILY;UNTIL=20260230",
        "FREQ=DAILY;WKST=1",
        "FREQ=MONTHLY;BYMONTHDAY=40",
        "FREQ=DAILY;",
    ] {
        let changes = json!({"repetitionRule": {"ruleString": rule}});
        let answer =
            write(&mut world, &json!({"operation": "update", "id": ids["task"], "changes": changes}));
        assert!(answer["error"].as_str().is_some_and(|error| error.contains("which")), "{rule}: {answer}");
    }
    let none = [
        json!({"operation": "update", "id": ids["task"], "changes": {"notifications": [-60]}}),
        json!({"operation": "update", "id": ids["inside"], "changes": {"project": null, "addNotifications": [-60]}}),
        json!({"operation": "create", "target": "task", "data": {"name": "n", "notifications": [-60]}}),
        json!({"operation": "create", "target": "project", "data": {"name": "n", "notifications": [-60]}}),
    ];
    for mutation in none {
        let answer = write(&mut world, &mutation);
        assert!(answer["error"].as_str().is_some_and(|error| error.contains("has no due date")), "{answer}");
    }
    assert!(world.asked.is_empty());
    let fits = [
        json!({"operation": "update", "id": ids["inside"], "changes": {"notifications": [-60]}}),
        json!({"operation": "update", "id": ids["task"], "changes": {"project": "D", "notifications": [-60]}}),
        json!({"operation": "create", "target": "task", "data": {"name": "n", "dueDate": "tomorrow", "notifications": [-60]}}),
        json!({"operation": "batch", "operations": [
            {"operation": "create", "target": "project", "data": {"name": "n", "dueDate": "tomorrow", "tempId": "p"}},
            {"operation": "create", "target": "task", "data": {"name": "m", "parentTempId": "p", "tempId": "t", "notifications": [-60]}},
            {"operation": "update", "id": "t", "changes": {"addNotifications": [-30]}}]}),
        json!({"operation": "update", "id": ids["task"], "changes": {"repetitionRule": {"ruleString": "FREQ=MONTHLY;INTERVAL=2;BYDAY=-1FR;UNTIL=20271231T220000Z"}}}),
    ];
    for mutation in fits {
        let answer = write(&mut world, &mutation);
        assert_eq!(
            (&answer["success"], answer["data"].to_string().contains("notifications:")),
            (&json!(true), false),
            "{answer}"
        );
        assert!(!answer.to_string().contains("needs a due date"), "{answer}");
    }
}

#[test]
fn days_are_counted_as_people_count_them() {
    let made = "const tag = new Tag('gone'), due = new Task('counted due today'), flagged = new Task('counted flagged'), next = new Task('counted due tomorrow'); tag.status = Tag.Status.Dropped; \
        due.dueDate = new Date(2026, 0, 28, 17); next.dueDate = new Date(2026, 0, 29, 17); flagged.flagged = true; flagged.addTag(tag); return ids({ tag });";
    let (mut world, _) = scene(made);
    let mut names = |mode: &str| {
        let filters = json!({"name": {"contains": "counted"}});
        let query = json!({"query": {"type": "tasks", "mode": mode, "filters": filters, "fields": ["name"], "sort": [{"field": "name"}]}});
        let answer = world.call("omnifocus_read", &query);
        answer["data"]["tasks"].as_array().unwrap().iter().map(|row| row["name"].clone()).collect::<Json>()
    };
    assert_eq!(names("upcoming"), json!(["counted due tomorrow"]));
    assert_eq!(names("today"), json!(["counted due today", "counted due tomorrow", "counted flagged"]));
    for (start, end, days) in
        [("last 7 days", "today", 7), ("2025-10-01", "2025-10-31", 31), ("2025-10-26", "2025-10-26", 1)]
    {
        let scope = json!({"dateRange": {"start": start, "end": end}});
        let analysis = json!({"analysis": {"type": "productivity_stats", "scope": scope}});
        let answer = world.call("omnifocus_analyze", &analysis);
        assert_eq!(answer["data"]["stats"]["overview"]["daysInPeriod"], days, "{start}: {answer}");
    }
}

#[test]
fn counts_of_one_thing_are_equal() {
    let made = "const tag = new Tag('counted'), project = new Project('P'), done = new Task('over'); project.addTag(tag); new Task('t', project).addTag(tag); done.markComplete(); return ids({ tag, project });";
    let (mut world, _) = scene(made);
    let mut read = |query: Json| world.call("omnifocus_read", &json!({ "query": query }));
    let tags = read(
        json!({"type": "tags", "filters": {"name": {"contains": "counted"}}, "fields": ["available", "remaining", "total"]}),
    );
    let row = &tags["data"]["tags"][0];
    assert_eq!([&row["available"], &row["remaining"], &row["total"]], [1, 1, 1], "{tags}");
    let inbox = read(json!({"type": "tasks", "mode": "inbox", "countOnly": true}))["data"]["count"].clone();
    let all = read(json!({"type": "tasks", "mode": "smart_suggest", "limit": 500}));
    let count = read(json!({"type": "tasks", "mode": "smart_suggest", "countOnly": true}));
    assert_eq!(count["data"]["count"], all["data"]["tasks"].as_array().unwrap().len(), "{count}");
    let metrics = world.call("omnifocus_system", &json!({"operation": "metrics"}));
    assert_eq!(metrics["data"]["tasks"]["inbox"], inbox, "{metrics}");
}

#[test]
fn a_new_project_in_a_dropped_folder_is_answered_as_dropped() {
    let (mut world, _) = scene(
        "const folder = new Folder('Old'); folder.status = Folder.Status.Dropped; return ids({ folder });",
    );
    let create =
        json!({"operation": "create", "target": "project", "data": {"name": "new", "folder": "Old"}});
    let answer = write(&mut world, &create);
    assert_eq!(answer["data"]["status"], "dropped", "{answer}");
    assert_eq!(
        answer["warnings"],
        json!(["status: it counts as dropped, because its folder is"]),
        "{answer}"
    );
}

#[test]
fn what_can_hardly_be_meant_is_not_taken() {
    let made = "const task = new Task('t'), project = new Project('P'); new Task('i', project); task.dueDate = new Date(2026, 1, 2, 17); task.estimatedMinutes = 5; return ids({ task, project });";
    let (mut world, ids) = scene(made);
    for (changes, error, suggestion) in [
        (json!({"dueDate": ""}), "`mutation.changes.dueDate` is `\"\"`", "use null to clear it"),
        (
            json!({"estimatedMinutes": ""}),
            "`mutation.changes.estimatedMinutes` is `\"\"`",
            "use null to clear it",
        ),
        (
            json!({"tags": "Home, Nowhere"}),
            "`Home, Nowhere` is one text, and `Nowhere` of it is not a tag",
            "write a list",
        ),
        (json!({"project": "Inbox"}), "no project `Inbox`", "`project`: null"),
        (json!({"dueDate": "2026-02-30"}), "there is no such day", "a day that the month has"),
    ] {
        let answer =
            write(&mut world, &json!({"operation": "update", "id": ids["task"], "changes": changes}));
        let told =
            (answer["error"].as_str().unwrap_or_default(), answer["suggestion"].as_str().unwrap_or_default());
        assert!(told.0.contains(error) && told.1.contains(suggestion), "{changes}: {answer}");
    }
    assert!(world.asked.is_empty());
    let answer = write(
        &mut world,
        &json!({"operation": "update", "id": ids["task"], "changes": {"tags": "home, Work"}}),
    );
    assert_eq!(answer["data"]["tags"], json!(["Home", "Work"]), "{answer}");
    for (filters, error, suggestion) in [
        (json!({"id": ids["project"], "flagged": false}), "no task has the id", "it is the id of a project"),
        (json!({"parentTaskId": "nobody"}), "no task `nobody`", ""),
        (json!({"project": "inbox"}), "no project `inbox`", "`inInbox`: true"),
        (json!({"status": "available"}), "status", "`available`: true"),
        (json!({"status": "remaining"}), "status", "`available`: true"),
        (json!({"dueDate": {"before": "Feb 30"}}), "there is no such day", ""),
    ] {
        let answer = world.call("omnifocus_read", &json!({"query": {"type": "tasks", "filters": filters}}));
        let told =
            (answer["error"].as_str().unwrap_or_default(), answer["suggestion"].as_str().unwrap_or_default());
        assert!(told.0.contains(error) && told.1.contains(suggestion), "{filters}: {answer}");
    }
}
