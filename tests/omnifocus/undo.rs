//! Undo: the call in each answer takes the change back, and OmniFocus then has its earlier contents.

use iac_plugin::{Json, json};

use crate::world::World;

/// A project with a group, tags, dates and notifications, and the ids of all these objects.
const SCENE: &str = "const folder = new Folder('F'), other = new Folder('G'), project = new Project('P', folder); new Project('Q', folder); \
    const red = new Tag('red'), blue = new Tag('blue', red); \
    const [a, b, c] = ['a', 'b', 'c'].map((name) => new Task(name, project)), below = new Task('below', b); \
    a.note = 'old words'; a.flagged = true; a.dueDate = new Date(2026, 1, 2, 17); a.estimatedMinutes = 5; a.addTag(blue); a.addNotification(-600); \
    c.dueDate = new Date(2026, 1, 3, 17); c.repetitionRule = new Task.RepetitionRule('FREQ=WEEKLY', null, Task.RepetitionScheduleType.Regularly, Task.AnchorDateKey.DueDate, true); \
    below.markComplete(new Date(2026, 0, 20, 12)); \
    const ids = (all) => Object.fromEntries(Object.entries(all).map(([name, item]) => [name, item.id.primaryKey])); \
    return JSON.stringify(ids({ folder, other, project, red, blue, a, b, c, below }));";

/// Everything that a user sees of the database, except the times of changes.
pub(crate) const ALL: &str = "(() => { const id = (item) => item ? item.id.primaryKey : null, at = (date) => date ? date.getTime() : null; \
    const both = (item) => [id(item), item.name, item.note, item.flagged, at(item.dueDate), at(item.deferDate), at(item.plannedDate), item.estimatedMinutes, \
      item.sequential, item.tags.map((tag) => tag.name), item.repetitionRule && item.repetitionRule.ruleString, at(item.completionDate), at(item.dropDate), \
      item.notifications.map((alert) => at(alert.initialFireDate))]; \
    const task = (task) => [...both(task), String(task.taskStatus), id(task.parent), (task.parent ? task.parent.children : inbox).map(id).indexOf(id(task))]; \
    const project = (project) => [...both(project), String(project.status), at(project.nextReviewDate), at(project.lastReviewDate), project.reviewInterval.steps, String(project.reviewInterval.unit), \
      project.containsSingletonActions, id(project.parentFolder), (project.parentFolder ? project.parentFolder.children : library).map(id).indexOf(id(project))]; \
    const folder = (folder) => [id(folder), folder.name, String(folder.status), id(folder.parent)]; \
    const tag = (tag) => [id(tag), tag.name, String(tag.status), id(tag.parent), tag.childrenAreMutuallyExclusive]; \
    const sorted = (all, show) => all.map(show).map((each) => JSON.stringify(each)).sort(); \
    return JSON.stringify([sorted(flattenedTasks, task), sorted(flattenedProjects, project), sorted(flattenedFolders, folder), sorted(flattenedTags, tag)]); })()";

fn scene() -> (World, Json) {
    let world = World::new();
    let ids = serde_json::from_str(&world.evaluate(&format!("(() => {{ {SCENE} }})()")).unwrap()).unwrap();
    (world, ids)
}

fn write(world: &mut World, mutation: &Json) -> Json {
    world.call("omnifocus_write", &json!({ "mutation": mutation }))
}

fn take_back(world: &mut World, answer: &Json) -> Json {
    let undo = &answer["undo"];
    assert_eq!(
        (&undo["tool"], &undo["app"]),
        (&json!("omnifocus_write"), &json!("com.omnigroup.OmniFocus4")),
        "{answer}"
    );
    world.call("omnifocus_write", &undo["arguments"])
}

fn all(world: &World) -> Vec<Vec<String>> {
    serde_json::from_str(&world.evaluate(ALL).unwrap()).unwrap()
}

/// Makes a change, undoes it, and checks that everything is as before.
fn check(says: &str, mutation: impl Fn(&Json) -> Json, acts: &[&str]) {
    let (mut world, ids) = scene();
    let before = all(&world);
    let answer = write(&mut world, &mutation(&ids));
    assert_eq!(answer["success"], true, "{says}: {answer}");
    let after = all(&world);
    assert_ne!(after, before, "{says}: it changes something");
    let back = take_back(&mut world, &answer);
    assert_eq!(back["success"], true, "{says}: {back}");
    let left: Vec<String> =
        all(&world).concat().into_iter().filter(|row| !before.concat().contains(row)).collect();
    assert_eq!(all(&world), before, "{says}: {left:#?} {answer}");
    let mut asked = world.asked.last().unwrap().acts.clone();
    asked.sort();
    assert_eq!(asked, acts, "{says}");
    // An undo can be undone as well.
    if !acts.iter().any(|act| act.starts_with("delete ")) {
        take_back(&mut world, &back);
        assert_eq!(all(&world), after, "{says}");
    }
}

fn update(id: &str, target: &str, changes: Json) -> impl Fn(&Json) -> Json {
    let (id, target) = (id.to_owned(), target.to_owned());
    move |ids| {
        let mut changes = changes.clone();
        for (_, value) in changes.as_object_mut().unwrap() {
            if let Some(known) = value.as_str().and_then(|name| ids.get(name.strip_prefix('#')?)) {
                *value = known.clone();
            }
        }
        json!({"operation": "update", "target": target, "id": ids[&id], "changes": changes})
    }
}

#[test]
fn properties_are_put_back() {
    let every = json!({"name": "x", "note": "new", "flagged": false, "dueDate": null, "deferDate": "2026-02-01", "plannedDate": "2026-02-01",
        "estimatedMinutes": null, "tags": ["red", "fresh"], "sequential": true, "notifications": ["2026-02-05 09:00"],
        "repetitionRule": {"frequency": "daily"}});
    let acts = ["delete tag", "edit task", "end task repetition", "overwrite task note"];
    check("every property of a task", update("a", "task", every), &acts);
    check("a note that grows", update("a", "task", json!({"appendNote": "more"})), &["overwrite task note"]);
    check(
        "tags by name",
        update("a", "task", json!({"addTags": ["red"], "removeTags": ["blue"]})),
        &["edit task"],
    );
    check("an end of repetition", update("c", "task", json!({"repetitionRule": null})), &["edit task"]);
    let project = json!({"name": "x", "singleActions": true, "status": "on_hold", "reviewInterval": 3, "lastReviewDate": "2026-01-20"});
    check("properties of a project", update("project", "project", project), &["edit project"]);
    check(
        "a folder",
        update("folder", "folder", json!({"name": "x", "status": "dropped"})),
        &["edit folder"],
    );
}

#[test]
fn places_are_found_again() {
    for (says, id, target, changes) in [
        ("behind another", "a", "task", json!({"afterTaskId": "#c"})),
        ("to the inbox", "b", "task", json!({"project": null})),
        ("the last one", "c", "task", json!({"project": null})),
        ("into a group", "a", "task", json!({"parentTaskId": "#b"})),
        ("out of a group", "below", "task", json!({"parentTaskId": null})),
    ] {
        check(says, update(id, target, changes), &["move task"]);
    }
    check("a project", update("project", "project", json!({"folder": "G"})), &["move project"]);
    check("a folder", update("folder", "folder", json!({"folder": "G"})), &["move folder"]);
}

#[test]
fn states_are_put_back() {
    let on = |operation: &str, id: &str, target: &str| {
        let (operation, id, target) = (operation.to_owned(), id.to_owned(), target.to_owned());
        move |ids: &Json| json!({"operation": operation, "target": target, "id": ids[&id]})
    };
    check("done", on("complete", "a", "task"), &["edit task"]);
    check("done, and it repeats", on("complete", "c", "task"), &["delete task", "edit task"]);
    check(
        "done by its status",
        update("c", "task", json!({"status": "completed"})),
        &["delete task", "edit task"],
    );
    check("a project is done", on("complete", "project", "project"), &["edit project"]);
    check("dropped", update("a", "task", json!({"status": "dropped"})), &["edit task"]);
    check("dropped, and it repeats", update("c", "task", json!({"status": "dropped"})), &["edit task"]);
    check("opened again", update("below", "task", json!({"status": "active"})), &["complete task"]);
    check(
        "a project is dropped",
        update("project", "project", json!({"status": "dropped"})),
        &["edit project"],
    );
}

#[test]
fn what_was_made_goes() {
    let batch = |_: &Json| {
        json!({"operation": "batch", "operations": [
            {"operation": "create", "target": "project", "data": {"name": "new", "tempId": "p", "folder": "F"}},
            {"operation": "create", "target": "task", "data": {"name": "one", "parentTempId": "p", "tempId": "t", "tags": ["People : Ada"]}},
            {"operation": "create", "target": "task", "data": {"name": "two", "parentTempId": "t"}}]})
    };
    check("a batch", batch, &["delete project", "delete tag", "delete task"]);
    let folder =
        |_: &Json| json!({"operation": "create_folder", "data": {"name": "new", "parentFolder": "F"}});
    check("a folder", folder, &["delete folder"]);
    check("a copy", |ids| json!({"operation": "duplicate", "id": ids["b"]}), &["delete task"]);
    let moved = |ids: &Json| {
        json!({"operation": "batch", "operations": [
            {"operation": "create", "target": "project", "data": {"name": "new", "tempId": "p"}},
            {"operation": "update", "id": ids["a"], "changes": {"project": "p", "name": "renamed"}},
            {"operation": "update", "id": ids["b"], "changes": {"afterTaskId": ids["c"]}},
            {"operation": "complete", "id": ids["c"]}]})
    };
    check("a batch that moves", moved, &["delete project", "delete task", "edit task", "move task"]);
}

#[test]
fn tags_are_put_back() {
    let tag = |more: Json| {
        move |_: &Json| {
            let mut mutation = json!({"operation": "tag_manage", "tagName": "blue"});
            mutation.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            mutation
        }
    };
    check("renamed", tag(json!({"action": "rename", "newName": "green"})), &["edit tag"]);
    check("to the top", tag(json!({"action": "unnest"})), &["move tag"]);
    check("held", tag(json!({"action": "set_status", "status": "on_hold"})), &["edit tag"]);
    check("exclusive", tag(json!({"action": "set_exclusive", "exclusive": true})), &["edit tag"]);
    check("made", tag(json!({"action": "create", "tagName": "x : y"})), &["delete tag"]);
}

#[test]
fn what_is_gone_stays_gone_and_is_told() {
    let (mut world, ids) = scene();
    let answer = write(&mut world, &json!({"operation": "delete", "id": ids["a"]}));
    assert_eq!(answer["undo"], Json::Null, "{answer}");
    let both = json!({"operation": "batch", "operations": [
        {"operation": "update", "id": ids["b"], "changes": {"flagged": true}}, {"operation": "delete", "id": ids["c"]}]});
    let answer = write(&mut world, &both);
    assert_eq!(answer["notUndone"], json!([{"index": 1, "why": "it is permanent"}]), "{answer}");
    assert_eq!(answer["undo"]["words"], "update task “b” in “P”: flagged true");
    assert_eq!(take_back(&mut world, &answer)["success"], true);
}

/// Its neighbor is deleted in the same batch; it goes back behind the other one, with its date and tags.
#[test]
fn a_place_is_found_without_the_neighbor() {
    let (mut world, ids) = scene();
    let batch = |moved: &str, gone: Json| {
        json!({"operation": "batch", "operations": [
            {"operation": "update", "id": ids[moved], "changes": {"project": null, "dueDate": "2026-03-01", "addTags": ["red"]}}, gone]})
    };
    let gone = json!({"operation": "delete", "id": ids["c"]});
    let answer = write(&mut world, &batch("b", gone));
    assert_eq!(answer["notUndone"], json!([{"index": 1, "why": "it is permanent"}]), "{answer}");
    assert_eq!(take_back(&mut world, &answer)["success"], true);
    let show = "(() => { const all = flattenedProjects.byName('P').tasks; return all.map((task) => [task.name, task.dueDate && task.dueDate.getMonth(), task.tags.length].join(' ')).join(', '); })()";
    assert_eq!(world.evaluate(show).unwrap().trim(), "a 1 1, b  0");
    let gone = json!({"operation": "convert", "id": ids["b"]});
    let answer = write(&mut world, &batch("a", gone));
    assert_eq!(take_back(&mut world, &answer)["success"], true);
    assert_eq!(world.evaluate(show).unwrap().trim(), "a 1 1");
}

/// Only the place cannot be restored, and the answer says so.
#[test]
fn what_remains_is_undone_and_the_rest_is_told() {
    let (mut world, ids) = scene();
    let answer = write(
        &mut world,
        &json!({"operation": "batch", "operations": [
            {"operation": "update", "id": ids["below"], "changes": {"project": null, "flagged": true}},
            {"operation": "update", "id": ids["a"], "changes": {"flagged": false}},
            {"operation": "delete", "id": ids["a"]}, {"operation": "delete", "id": ids["b"]}]}),
    );
    let told: Vec<(&Json, &Json)> =
        answer["notUndone"].as_array().unwrap().iter().map(|each| (&each["index"], &each["why"])).collect();
    let (permanent, place, gone) =
        (json!("it is permanent"), json!("the place where it was is gone"), json!("what it changed is gone"));
    let [zero, one, two, three] = [0, 1, 2, 3].map(|index| json!(index));
    let mut expected = vec![(&zero, &place), (&one, &gone), (&two, &permanent), (&three, &permanent)];
    expected.sort_by_key(|(index, _)| index.as_i64());
    assert_eq!(told, expected, "{answer}");
    let back = take_back(&mut world, &answer);
    assert_eq!((&back["success"], back.get("notUndone")), (&json!(true), None), "{back}");
    let flagged = format!("String(Task.byIdentifier({}).flagged)", ids["below"]);
    assert_eq!(world.evaluate(&flagged).unwrap().trim(), "false");
}

/// The next occurrence begins with open tasks; undo restores what was done, dropped and dated.
#[test]
fn what_is_below_a_repeating_item_is_put_back() {
    const BELOW: &str = "const rule = () => new Task.RepetitionRule('FREQ=WEEKLY', null, Task.RepetitionScheduleType.Regularly, Task.AnchorDateKey.DueDate, true); \
        for (const item of [Project.byIdentifier(PROJECT), Task.byIdentifier(GROUP)]) { item.dueDate = new Date(2026, 1, 2, 17); item.repetitionRule = rule(); } \
        const group = Task.byIdentifier(GROUP); new Task('dropped', group).drop(true, new Date(2026, 0, 10)); new Task('dated', group).dueDate = new Date(2026, 1, 1, 9); return ''";
    for (target, id) in [("project", "project"), ("task", "b")] {
        let prepare = |ids: &Json| {
            BELOW.replace("PROJECT", &ids["project"].to_string()).replace("GROUP", &ids["b"].to_string())
        };
        let (mut world, ids) = scene();
        world.evaluate(&format!("(() => {{ {} }})()", prepare(&ids))).unwrap();
        let before = all(&world);
        let answer = write(&mut world, &json!({"operation": "complete", "target": target, "id": ids[id]}));
        assert_eq!(answer.get("notUndone"), None, "{answer}");
        assert_eq!(take_back(&mut world, &answer)["success"], true);
        assert_eq!(all(&world), before, "{target}");
    }
}

#[test]
fn what_would_change_nothing_is_told() {
    let (mut world, ids) = scene();
    write(&mut world, &json!({"operation": "update", "id": ids["a"], "changes": {"status": "dropped"}}));
    let before = all(&world);
    for (mutation, warning) in [
        (json!({"operation": "complete", "id": ids["below"]}), "status: it is completed already"),
        (
            json!({"operation": "update", "id": ids["a"], "changes": {"status": "dropped"}}),
            "status: it is dropped already",
        ),
        (
            json!({"operation": "update", "id": ids["below"], "changes": {"project": "P"}}),
            "project: it is there already, so it was not moved",
        ),
    ] {
        let answer = write(&mut world, &mutation);
        assert_eq!(answer["warnings"], json!([warning]), "{answer}");
        assert_eq!(all(&world), before, "{warning}");
        let line = &world.asked.last().unwrap().lines[0];
        assert!(
            line.contains("already, so that changes nothing") || line.contains("it stays where"),
            "{line}"
        );
    }
}

/// The day of a drop, the place of a tag among its neighbors, and that a project was never reviewed.
#[test]
fn what_undo_once_lost_is_put_back() {
    let (mut world, ids) = scene();
    let prepare = "(() => { const a = Task.byIdentifier(A), red = flattenedTags.byName('red'); a.drop(true, new Date(2026, 0, 5)); \
                   new Tag('last', red); Project.byIdentifier(P).lastReviewDate = null; return ''; })()";
    world
        .evaluate(
            &prepare
                .replace("(A)", &format!("({})", ids["a"]))
                .replace("(P)", &format!("({})", ids["project"])),
        )
        .unwrap();
    let more = "JSON.stringify([String(flattenedTasks.byName('a').dropDate), flattenedTags.byName('red').children.map((tag) => tag.name), \
                String(flattenedProjects.byName('P').lastReviewDate), String(flattenedProjects.byName('P').nextReviewDate)])";
    let before = world.evaluate(more).unwrap();
    for mutation in [
        json!({"operation": "update", "id": ids["a"], "changes": {"status": "active"}}),
        json!({"operation": "tag_manage", "action": "unnest", "tagName": "blue"}),
        json!({"operation": "update", "target": "project", "id": ids["project"], "changes": {"lastReviewDate": "2026-01-20"}}),
    ] {
        let answer = write(&mut world, &mutation);
        assert_ne!(world.evaluate(more).unwrap(), before, "{answer}");
        let back = take_back(&mut world, &answer);
        assert_eq!(back["success"], true, "{back}");
        assert_eq!(world.evaluate(more).unwrap(), before, "{answer}");
    }
}

#[test]
fn what_was_changed_since_is_left_alone() {
    let (mut world, ids) = scene();
    let answer =
        write(&mut world, &json!({"operation": "update", "id": ids["a"], "changes": {"note": "mine"}}));
    let asked = world.asked.len();
    world
        .evaluate(&format!("(() => {{ Task.byIdentifier({}).note = 'theirs'; return ''; }})()", ids["a"]))
        .unwrap();
    let back = take_back(&mut world, &answer);
    assert!(back["error"].as_str().unwrap().contains("the task `a` was changed since"), "{back}");
    assert_eq!(world.asked.len(), asked, "nobody is asked");
}

/// A long note with the same beginning and the same length is still another note, for an undo and for a change that was
/// asked about.
#[test]
fn all_of_a_note_is_compared() {
    let (mut world, ids) = scene();
    let note = "the same words at the beginning ".repeat(4);
    let change = |note: &str| json!({"operation": "update", "id": ids["a"], "changes": {"note": note}});
    let edit = format!(
        "(() => {{ const a = Task.byIdentifier({}); a.note = a.note.slice(0, -1) + '!'; return ''; }})()",
        ids["a"]
    );
    let answer = write(&mut world, &change(&note));
    world.evaluate(&edit).unwrap();
    let back = take_back(&mut world, &answer);
    assert!(back["error"].as_str().unwrap().contains("the task `a` was changed since"), "{back}");
    write(&mut world, &change(&note));
    world.meanwhile = Some(edit);
    let other = write(&mut world, &change("other"));
    assert!(other["error"].as_str().unwrap().contains("has changed since"), "{other}");
}

/// The undo of an appended text leaves the note before it alone, because an assignment would remove its styles. The
/// simulated OmniFocus has no styled notes, so here their part is played by a text that can only lose its end.
#[test]
fn an_appended_text_is_taken_off_again() {
    const STYLED: &str = "globalThis.Text = { FindOption: { Anchored: 1, Backwards: 2, Literal: 4 } }; \
        Object.defineProperty(Object.getPrototypeOf(flattenedTasks[0]), 'noteText', { configurable: true, get() { return { \
          find: (end, options) => options.length === 3 && this.note.endsWith(end) ? end.length : null, \
          remove: (length) => { this.note = this.note.slice(0, -length); } }; } });";
    for (styled, warnings) in [
        (STYLED, json!(null)),
        ("", json!(["note: its end was removed, and any styles of the rest with it"])),
    ] {
        let (mut world, ids) = scene();
        world.sabotage = styled.to_owned();
        let append = json!({"operation": "update", "id": ids["a"], "changes": {"appendNote": "more", "flagged": false}});
        let answer = write(&mut world, &append);
        let steps = &answer["undo"]["arguments"]["mutation"]["steps"];
        assert_eq!(steps[0]["set"], json!({"cut": "\nmore", "flagged": true}), "{answer}");
        let back = take_back(&mut world, &answer);
        assert_eq!(back["data"]["results"][0]["warnings"], warnings, "{back}");
        assert_eq!(
            world.asked.last().unwrap().lines,
            [
                "update task “a” in “P”: note “old words⏎more” (14 characters) without its end “⏎more” (5 characters), \
              flagged false -> true"
            ]
        );
        let note = format!("JSON.stringify(Task.byIdentifier({}).note)", ids["a"]);
        assert_eq!(world.evaluate(&note).unwrap().trim(), "\"old words\"");
        take_back(&mut world, &back);
        assert_eq!(world.evaluate(&note).unwrap().trim(), "\"old words\\nmore\"");
    }
}

/// If OmniFocus ignores an appended text, the undo leaves the note alone, and nothing asks about it.
#[test]
fn an_appended_text_that_was_not_taken_is_not_taken_off() {
    let (mut world, ids) = scene();
    world.sabotage = "Object.defineProperty(Object.getPrototypeOf(flattenedTasks[0]), 'appendStringToNote', { value() {} });".to_owned();
    let note = format!("JSON.stringify(Task.byIdentifier({}).note)", ids["a"]);
    let mut append = |more: Json| {
        let mut changes = json!({"appendNote": "more"});
        changes.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = write(&mut world, &json!({"operation": "update", "id": ids["a"], "changes": changes}));
        assert_eq!(answer["data"]["note"], "old words", "{answer}");
        answer
    };
    assert_eq!(append(json!({}))["undo"], Json::Null);
    let answer = append(json!({"flagged": false}));
    assert_eq!(
        answer["undo"]["arguments"]["mutation"]["steps"][0]["set"],
        json!({"flagged": true}),
        "{answer}"
    );
    // A step that an older version recorded.
    let was = json!({"do": "update", "kind": "task", "id": {"id": ids["a"]}, "set": {"cut": ""}});
    let cut = write(&mut world, &json!({"operation": "restore", "steps": [was]}));
    assert_eq!(
        (&cut["success"], world.evaluate(&note).unwrap().trim()),
        (&json!(true), "\"old words\""),
        "{cut}"
    );
}

/// Undo deletes what a call made, but not what someone has written into it since: a field, a tag, an alert, or a value
/// of something below it.
#[test]
fn what_was_made_and_then_edited_stays() {
    let tree = json!({"operation": "batch", "operations": [
        {"operation": "create", "target": "project", "data": {"name": "new", "tempId": "p", "folder": "F"}},
        {"operation": "create", "target": "task", "data": {"name": "one", "parentTempId": "p", "tempId": "t", "tags": ["fresh"]}},
        {"operation": "create", "target": "task", "data": {"name": "two", "parentTempId": "t"}}]});
    let task = json!({"operation": "create", "target": "task", "data": {"name": "one", "note": "short"}});
    let folder = json!({"operation": "create_folder", "data": {"name": "new"}});
    let tag = json!({"operation": "tag_manage", "action": "create", "tagName": "fresh"});
    let copy = |ids: &Json| json!({"operation": "duplicate", "id": ids["b"], "name": "one"});
    let one = "flattenedTasks.byName('one')";
    for (made, edit) in [
        (&task, format!("{one}.note = 'short\\nand theirs'")),
        (&task, format!("{one}.dueDate = new Date(2026, 1, 5)")),
        (&task, format!("{one}.addTag(flattenedTags.byName('red'))")),
        (&task, format!("{one}.addNotification(new Date(2026, 1, 5))")),
        (&task, format!("{one}.flagged = true")),
        (&task, format!("{one}.estimatedMinutes = 5")),
        (&task, format!("{one}.markComplete()")),
        (&tree, "flattenedTasks.byName('two').note = 'theirs'".to_owned()),
        (&tree, "flattenedProjects.byName('new').sequential = true".to_owned()),
        (&tree, "flattenedTags.byName('fresh').status = Tag.Status.OnHold".to_owned()),
        (&folder, "flattenedFolders.byName('new').status = Folder.Status.Dropped".to_owned()),
        (&tag, "new Tag('theirs', flattenedTags.byName('fresh'))".to_owned()),
        (
            &Json::Null,
            "flattenedTasks.filter((task) => task.name === 'below').pop().note = 'theirs'".to_owned(),
        ),
    ] {
        let (mut world, ids) = scene();
        let made = if made.is_null() { copy(&ids) } else { made.clone() };
        let answer = write(&mut world, &made);
        let asked = world.asked.len();
        world.evaluate(&format!("(() => {{ {edit}; return ''; }})()")).unwrap();
        let edited = all(&world);
        let back = take_back(&mut world, &answer);
        assert!(
            back["error"].as_str().is_some_and(|error| error.contains("was changed since")),
            "{edit}: {back}"
        );
        assert_eq!(all(&world), edited, "{edit}");
        assert_eq!(world.asked.len(), asked, "nobody is asked: {edit}");
    }
}

/// A change that takes several runs has the same guard, and its later runs do not count as changes of others.
#[test]
fn the_undo_of_a_long_change_is_guarded_too() {
    let long = "words ".repeat(10_000);
    let task = |name: &str| json!({"operation": "create", "target": "task", "data": {"name": name, "tempId": name, "note": long}});
    let batch = json!({"operation": "batch", "operations": [task("one"), task("two"), task("three"),
        {"operation": "update", "id": "one", "changes": {"flagged": true}}, {"operation": "update", "id": "two", "changes": {"name": "second"}}]});
    for edit in [None, Some("flattenedTasks.byName('one').estimatedMinutes = 5")] {
        let (mut world, _) = scene();
        let before = all(&world);
        let runs = world.runs;
        let answer = write(&mut world, &batch);
        assert_eq!(answer["success"], true, "{answer}");
        assert!(world.runs > runs + 2, "it takes several runs");
        if let Some(edit) = edit {
            world.evaluate(&format!("(() => {{ {edit}; return ''; }})()")).unwrap();
        }
        let back = take_back(&mut world, &answer);
        match edit {
            None => assert_eq!(all(&world), before, "{back}"),
            Some(_) => {
                assert!(
                    back["error"].as_str().unwrap().contains("the task `one` was changed since"),
                    "{back}"
                );
            }
        }
    }
}

#[test]
fn only_steps_that_take_something_back_are_taken() {
    let mut world = World::new();
    for (steps, part) in [
        (json!([]), "expected a list of steps"),
        (json!([{"do": "create", "kind": "task", "name": "x"}]), "`mutation.steps[0].do` is `\"create\"`"),
        (json!([{"do": "tag", "action": "merge", "name": "x", "to": "y"}]), "`mutation.steps[0].action` is"),
        (json!([{"do": "update", "kind": "task", "id": {"id": "x"}}]), "`mutation.steps[0].set` is `null`"),
        (json!([{"do": "delete", "kind": "task", "id": {"temp": "x"}}]), "`mutation.steps[0].id` is"),
        (
            json!([{"do": "delete", "kind": "task", "id": {"id": "x"}, "at": 1}]),
            "`mutation.steps[0].at` is not known",
        ),
    ] {
        let answer = write(&mut world, &json!({"operation": "restore", "steps": steps}));
        assert!(answer["error"].as_str().unwrap().contains(part), "{answer}");
    }
    assert!(world.asked.is_empty());
}

/// A skipped occurrence stays dropped, so an undo that only moves the dates back would make the task appear twice.
#[test]
fn a_skip_has_no_undo() {
    let (mut world, ids) = scene();
    let answer = write(&mut world, &json!({"operation": "skip", "id": ids["c"]}));
    assert_eq!((&answer["success"], &answer["undo"]), (&json!(true), &Json::Null), "{answer}");
}
