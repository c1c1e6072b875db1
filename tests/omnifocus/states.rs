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

/// An open item in a completed or dropped container counts as completed or dropped. Undo opens it again, and does not
/// give it the state of its container.
#[test]
fn undo_restores_the_state_of_the_item_itself() {
    let containers = [
        "const above = new Project('P'), end = () => above.markComplete();",
        "const above = new Task('G', null), end = () => above.drop(true, new Date(2026, 0, 5));",
        "const folder = new Folder('F'), above = new Project('P', folder), end = () => { folder.status = Folder.Status.Dropped; };",
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
                if status == "completed" && own.is_empty() {
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

/// What makes the objects, a mutation, its acts, and what its lines contain.
type Case = (&'static str, Json, &'static [&'static str], &'static str);

fn ask(cases: &[Case]) {
    for (source, mutation, acts, line) in cases {
        let (mut world, ids) = made(source);
        let before = all(&world);
        let answer = write(&mut world, &ids, mutation);
        assert_eq!(answer["success"], true, "{mutation}: {answer}");
        let asked = world.asked[0].clone();
        let mut said = asked.acts.clone();
        said.sort();
        assert_eq!(
            (&said[..], asked.lines.join("\n").contains(line)),
            (&acts.iter().map(|act| (*act).to_owned()).collect::<Vec<_>>()[..], true),
            "{mutation}: {:?}",
            asked.lines
        );
        if !answer["undo"].is_null() && answer.get("notUndone").is_none() {
            let back = take_back(&mut world, &answer);
            assert_eq!((&back["success"], all(&world)), (&json!(true), before), "{mutation}: {back}");
        }
    }
}

/// A folder, a project in it with a group of three tasks of which one repeats, and places that end or hold back.
const PLACES: &str = "const shelf = new Folder('Shelf'), old = new Folder('Old'), box = new Project('Box', shelf), gone = new Project('Gone'), \
    over = new Project('Over'), held = new Project('Held'), lost = new Project('Lost', old), group = new Task('Group', box), child = new Task('Child', group), \
    other = new Task('Other', group), single = new Task('Single', box), inside = new Task('Inside', gone), done = new Task('Done', held); \
    other.dueDate = new Date(2026, 1, 2, 17); other.repetitionRule = rule(); old.status = Folder.Status.Dropped; gone.status = Project.Status.Dropped; \
    over.markComplete(new Date(2026, 0, 5)); held.status = Project.Status.OnHold; done.markComplete(new Date(2026, 0, 5)); \
    return ids({ shelf, old, box, gone, over, held, lost, group, child, other, single, inside, done });";

/// To move something into a dropped or completed place ends it, and is asked for as that.
#[test]
fn a_move_that_ends_something_is_asked_for_as_that() {
    let to = |id: &str, place: &str, goal: &str| update(id, &json!({ place: goal }));
    let of = |target: &str, id: &str, goal: Json| json!({"operation": "update", "target": target, "id": id, "changes": {"folder": goal}});
    ask(&[
        (
            PLACES,
            to("@single", "project", "@gone"),
            &["drop task", "move task"],
            "move to project “Gone”, where it counts as dropped",
        ),
        (
            PLACES,
            to("@single", "project", "@lost"),
            &["drop task", "move task"],
            "where it counts as dropped",
        ),
        (
            PLACES,
            to("@single", "parentTaskId", "@inside"),
            &["drop task", "move task"],
            "where it counts as dropped",
        ),
        (
            PLACES,
            to("@single", "afterTaskId", "@inside"),
            &["drop task", "move task"],
            "where it counts as dropped",
        ),
        (
            PLACES,
            to("@single", "project", "@over"),
            &["complete task", "move task"],
            "move to project “Over”, where it counts as completed",
        ),
        (
            PLACES,
            to("@single", "project", "@held"),
            &["edit task", "move task"],
            "move to project “Held”, where it is on hold",
        ),
        (
            PLACES,
            to("@single", "parentTaskId", "@done"),
            &["complete task", "move task"],
            "where it counts as completed",
        ),
        (
            PLACES,
            to("@group", "project", "@gone"),
            &["drop task", "move task"],
            "where it counts as dropped, with 2 open tasks below it, and 1 repetition ends",
        ),
        (
            PLACES,
            to("@inside", "project", "@box"),
            &["edit task", "move task"],
            "where it no longer counts as dropped",
        ),
        (PLACES, to("@done", "project", "@box"), &["move task"], "move to project “Box”"),
        (
            PLACES,
            of("project", "@box", json!("Old")),
            &["drop project", "move project"],
            "move to folder “Old”, where it counts as dropped, with 4 open tasks in it, and 1 repetition ends",
        ),
        (
            PLACES,
            of("project", "@lost", json!(null)),
            &["edit project", "move project"],
            "where it no longer counts as dropped",
        ),
        (
            PLACES,
            of("folder", "@shelf", json!("Old")),
            &["drop folder", "move folder"],
            "where it counts as dropped, with 1 project, with 4 open tasks in it",
        ),
        (
            PLACES,
            json!({"operation": "convert", "id": "@group", "folder": "Old"}),
            &["convert task", "drop task"],
            "where it counts as dropped",
        ),
        (
            PLACES,
            json!({"operation": "create", "target": "task", "data": {"name": "n", "project": "@gone"}}),
            &["create task"],
            "create task “n” in project “Gone”, where it counts as dropped",
        ),
        (
            PLACES,
            json!({"operation": "create", "target": "project", "data": {"name": "n", "folder": "Old"}}),
            &["create project"],
            "create project “n” in folder “Old”, where it counts as dropped",
        ),
        (
            PLACES,
            json!({"operation": "duplicate", "id": "@single", "project": "@held"}),
            &["duplicate task"],
            "to project “Held”, where it is on hold",
        ),
        (
            PLACES,
            update("@inside", &json!({"status": "active", "flagged": true})),
            &["edit task"],
            "but it still counts as dropped, because what it is in does",
        ),
        (
            PLACES,
            json!({"operation": "complete", "id": "@inside"}),
            &["complete task"],
            "complete task “Inside” in “Gone”, and it counts as dropped already, because what it is in does",
        ),
        // What an earlier step of the batch does to the place counts too.
        (
            PLACES,
            json!({"operation": "batch", "operations": [
                {"operation": "update", "target": "project", "id": "@box", "changes": {"folder": "Old"}},
                {"operation": "update", "id": "@done", "changes": {"status": "active"}},
                {"operation": "update", "id": "@done", "changes": {"project": "@box"}}]}),
            &["drop project", "drop task", "edit task", "move project", "move task"],
            "move to project “Box”, where it counts as dropped",
        ),
        (
            PLACES,
            json!({"operation": "batch", "operations": [
                {"operation": "update", "target": "project", "id": "@box", "changes": {"status": "dropped"}},
                {"operation": "update", "id": "@inside", "changes": {"project": "@box"}}]}),
            &["drop project", "move task"],
            "move to project “Box”",
        ),
        (
            PLACES,
            json!({"operation": "batch", "operations": [
                {"operation": "create", "target": "project", "data": {"name": "n", "status": "dropped", "tempId": "p"}},
                {"operation": "update", "id": "@single", "changes": {"project": "p"}}]}),
            &["create project", "drop task", "move task"],
            "move to project “n”, where it counts as dropped",
        ),
    ]);
}

/// What ends or waits because of a change is in its question.
#[test]
fn what_else_ends_or_waits_is_in_the_question() {
    let group = "const box = new Project('Box'), group = new Task('Group', box), last = new Task('Last', group); group.completedByChildren = true; \
        group.dueDate = new Date(2026, 1, 2, 17); group.repetitionRule = rule(); return ids({ last });";
    let tags = "const wait = new Tag('Wait'), old = new Tag('Old tag'), top = new Tag('Top'), low = new Tag('Slow', wait), task = new Task('t', null); \
        wait.status = Tag.Status.OnHold; old.status = Tag.Status.Dropped; task.addTag(top); new Task('u', null).addTag(low); return ids({ top });";
    let tag = |action: &str, name: &str, parent: &str| json!({"operation": "tag_manage", "action": action, "tagName": name, "parentTag": parent});
    ask(&[
        (
            group,
            json!({"operation": "complete", "id": "@last"}),
            &["complete task"],
            "the last open task of group “Group” (it repeats by “FREQ=WEEKLY”, so its tasks open again), which this also completes",
        ),
        (
            PLACES,
            json!({"operation": "complete", "target": "project", "id": "@box"}),
            &["complete project", "end task repetition"],
            "with 4 open tasks in it, and 1 repetition ends",
        ),
        (
            PLACES,
            json!({"operation": "update", "target": "project", "id": "@box", "changes": {"status": "on_hold"}}),
            &["edit project"],
            "status active -> on_hold, with 4 open tasks in it",
        ),
        (
            tags,
            tag("nest", "Top", "Wait"),
            &["edit tag", "move tag"],
            "under “Wait”, where it is on hold, which holds back 1 remaining task",
        ),
        (
            tags,
            tag("reparent", "Top", "Old tag"),
            &["drop tag", "move tag"],
            "under “Old tag”, where it counts as dropped",
        ),
        (
            tags,
            json!({"operation": "tag_manage", "action": "unnest", "tagName": "Slow"}),
            &["edit tag", "move tag"],
            "to the top, where it is no longer on hold",
        ),
    ]);
}

/// A yes is for what was shown: what would be completed, dropped or merged must still be the same.
#[test]
fn what_ends_must_be_what_was_shown() {
    let tags = "const from = new Tag('From'), into = new Tag('Into'), task = new Task('t', null); task.addTag(from); return ids({ task });";
    let merge = json!({"operation": "tag_manage", "action": "merge", "tagName": "From", "targetTag": "Into"});
    let swap = "const child = flattenedTasks.byName('Child'); deleteObject(child); new Task('New', flattenedTasks.byName('Group'));";
    for (source, mutation, meanwhile) in [
        (
            PLACES,
            json!({"operation": "complete", "id": "@single"}),
            "flattenedTasks.byName('Single').note = 'wait'",
        ),
        (
            PLACES,
            json!({"operation": "complete", "id": "@single"}),
            "flattenedTasks.byName('Single').drop(true, new Date())",
        ),
        (PLACES, json!({"operation": "complete", "id": "@group"}), swap),
        (PLACES, update("@group", &json!({"status": "dropped"})), swap),
        (PLACES, update("@group", &json!({"project": "@gone"})), swap),
        (
            PLACES,
            update("@group", &json!({"project": "@held"})),
            "flattenedProjects.byName('Held').status = Project.Status.Dropped",
        ),
        (
            PLACES,
            json!({"operation": "skip", "id": "@other"}),
            "flattenedTasks.byName('Other').estimatedMinutes = 5",
        ),
        (tags, merge.clone(), "flattenedTags.byName('Into').status = Tag.Status.OnHold"),
        (tags, merge.clone(), "new Task('u', null).addTag(flattenedTags.byName('From'))"),
        (tags, merge.clone(), "new Task('u', null).addTag(flattenedTags.byName('Into'))"),
        (
            tags,
            merge,
            "const u = new Task('u', null); u.addTag(flattenedTags.byName('From')); flattenedTasks.byName('t').removeTag(flattenedTags.byName('From'))",
        ),
    ] {
        let (mut world, ids) = made(source);
        world.meanwhile = Some(format!("(() => {{ {meanwhile}; return ''; }})()"));
        let answer = write(&mut world, &ids, &mutation);
        let error = answer["error"].as_str().unwrap_or_default();
        assert!(
            error.contains("has changed since") || error.contains("has not approved"),
            "{mutation}, {meanwhile}: {answer}"
        );
    }
}

/// Nothing goes into itself, also through what the same batch makes.
#[test]
fn nothing_goes_into_itself() {
    let batch = json!({"operation": "batch", "operations": [
        {"operation": "create", "target": "task", "data": {"name": "n", "parentTaskId": "@child", "tempId": "n"}},
        {"operation": "create", "target": "task", "data": {"name": "m", "parentTempId": "n", "tempId": "m"}},
        {"operation": "update", "id": "@group", "changes": {"parentTaskId": "m"}}]});
    for mutation in [
        json!({"operation": "duplicate", "id": "@group", "parentTaskId": "@group"}),
        json!({"operation": "duplicate", "id": "@group", "parentTaskId": "@child"}),
        json!({"operation": "duplicate", "id": "@group", "parentTaskId": "@child", "includeSubtasks": false}),
        update("@group", &json!({"parentTaskId": "@child"})),
        update("@group", &json!({"beforeTaskId": "@child"})),
        batch,
    ] {
        let (mut world, ids) = made(PLACES);
        let answer = write(&mut world, &ids, &mutation);
        assert!(
            answer["error"].as_str().is_some_and(|error| error.contains("lies below it")),
            "{mutation}: {answer}"
        );
        assert!(world.asked.is_empty());
    }
}

/// A step does what its line says, and an item that is there already stays.
#[test]
fn an_item_goes_where_the_line_says() {
    let order = "flattenedProjects.byName('Box').tasks.map((task) => task.name).join(' ')";
    let stays = "it stays where it is";
    for (mutation, line, expected) in [
        (
            update("@child", &json!({"parentTaskId": null})),
            "move out of its group, to the end of project “Box”",
            "Group Single Child",
        ),
        (update("@group", &json!({"parentTaskId": null})), stays, "Group Single"),
        (update("@child", &json!({"parentTaskId": "@group"})), stays, "Group Single"),
        (
            json!({"operation": "update", "target": "project", "id": "@box", "changes": {"folder": "Shelf"}}),
            stays,
            "Group Single",
        ),
    ] {
        let (mut world, ids) = made(PLACES);
        let answer = write(&mut world, &ids, &mutation);
        assert!(world.asked[0].lines[0].contains(line), "{mutation}: {:?}", world.asked);
        assert_eq!(answer.get("warnings").is_some(), line == stays, "{answer}");
        assert_eq!(world.evaluate(order).unwrap().trim(), expected, "{mutation}");
    }
    // An earlier step of the batch may have moved it away.
    let (mut world, ids) = made(PLACES);
    let away = json!({"operation": "batch", "operations": [update("@single", &json!({"project": null})), update("@single", &json!({"project": "@box"})),
        {"operation": "update", "target": "project", "id": "@box", "changes": {"folder": null}}, {"operation": "update", "target": "project", "id": "@box", "changes": {"folder": "Shelf"}}]});
    let answer = write(&mut world, &ids, &away);
    assert_eq!(answer["success"], true, "{answer}");
    let place = format!("[{order}, flattenedProjects.byName('Box').parentFolder.name].join(', ')");
    assert_eq!(world.evaluate(&place).unwrap().trim(), "Single Group, Shelf");
}

/// A merge is undone: the tag is there again, with what it held, and what left because of an exclusive group is back.
#[test]
fn a_merge_is_undone() {
    let source = "const mood = new Tag('Mood'), calm = new Tag('Calm', mood), wild = new Tag('Wild', mood), from = new Tag('From'), below = new Tag('Below', from), last = new Tag('Last'); \
        mood.childrenAreMutuallyExclusive = true; from.status = Tag.Status.OnHold; from.childrenAreMutuallyExclusive = true; \
        const task = new Task('t', null), other = new Task('u', null), box = new Project('Box'); \
        [calm, from, last].forEach((tag) => task.addTag(tag)); [wild, from].forEach((tag) => other.addTag(tag)); box.addTag(from); box.addTag(below); return ids({ wild });";
    let state = "JSON.stringify([flattenedTags.map((tag) => [tag.name, tag.parent && tag.parent.name, String(tag.status), tag.childrenAreMutuallyExclusive]), \
        flattenedTasks.filter((task) => ['t', 'u', 'Box'].includes(task.name)).map((task) => [task.name, task.tags.map((tag) => tag.name)])])";
    let (mut world, ids) = made(source);
    let before = world.evaluate(state).unwrap();
    let answer = write(
        &mut world,
        &ids,
        &json!({"operation": "tag_manage", "action": "merge", "tagName": "From", "targetTag": "Wild"}),
    );
    assert_eq!(
        world.asked[0].lines,
        [
            "merge tag “From” into “Mood : Wild”, and remove it, which 3 tasks have, with 1 tag below it, so that “Mood : Calm” leaves 1 task, because the tags of a group exclude each other"
        ]
    );
    assert_eq!(
        answer["warnings"],
        json!(["tags: Mood : Calm left 1 of them, because the tags of a group exclude each other"]),
        "{answer}"
    );
    assert_eq!(
        answer["notUndone"][0]["why"],
        "undo makes the tag again with another id, so a perspective that uses it does not find it",
        "{answer}"
    );
    let back = take_back(&mut world, &answer);
    assert_eq!((&back["success"], world.evaluate(state).unwrap()), (&json!(true), before), "{back}");
    assert_eq!(
        world.asked[1].lines,
        ["unmerge tag “Wild” in “Mood”: make “From” again, and give “t”, “u”, “Box” the earlier tags"]
    );
    // Not if someone has changed the tags since.
    let (mut world, ids) = made(source);
    let answer = write(
        &mut world,
        &ids,
        &json!({"operation": "tag_manage", "action": "merge", "tagName": "From", "targetTag": "Wild"}),
    );
    world.evaluate("flattenedTasks.byName('t').clearTags(); ''").unwrap();
    let back = take_back(&mut world, &answer);
    assert!(back["error"].as_str().is_some_and(|error| error.contains("was changed since")), "{back}");
    // Two tags of one name below one tag would be a mess.
    world.evaluate("const from = new Tag('From'); new Tag('Below', from); new Tag('Below', flattenedTags.byName('Calm')); ''").unwrap();
    let answer = write(
        &mut world,
        &ids,
        &json!({"operation": "tag_manage", "action": "merge", "tagName": "From", "targetTag": "Calm"}),
    );
    assert_eq!(answer["error"], "there is a tag `Mood : Calm : Below` already", "{answer}");
}

/// A new tag of an exclusive group also pushes the others out, and the answer says so. Tags with one path are told
/// apart.
#[test]
fn tags_that_leave_are_told_and_come_back() {
    let source = "const mood = new Tag('Mood'), calm = new Tag('Calm', mood), twin = new Tag('Twin'), same = new Tag('Twin'), task = new Task('t', null); \
        mood.childrenAreMutuallyExclusive = true; task.addTag(calm); task.addTag(same); return ids({ task });";
    let (mut world, ids) = made(source);
    let tags = "JSON.stringify(flattenedTasks.byName('t').tags.map((tag) => tag.id.primaryKey))";
    let before = world.evaluate(tags).unwrap();
    let answer = write(&mut world, &ids, &update("@task", &json!({"addTags": ["Mood : New"]})));
    assert!(world.asked[0].lines[0].contains("so that “Mood : Calm” leaves"), "{:?}", world.asked);
    assert_eq!(
        answer["warnings"],
        json!(["tags: Mood : Calm left, because the tags of a group exclude each other"]),
        "{answer}"
    );
    let back = take_back(&mut world, &answer);
    assert_eq!((&back["success"], world.evaluate(tags).unwrap()), (&json!(true), before), "{back}");
}

/// A rule moves a date that the item has, if the caller names none.
#[test]
fn a_repetition_moves_a_date_that_is_there() {
    let source = "const task = new Task('t', null), due = new Task('d', null); due.dueDate = new Date(2026, 1, 2, 17); return ids({ task, due });";
    let daily = json!({"frequency": "daily"});
    for (id, changes, anchor, told) in [
        (
            "@task",
            json!({"deferDate": "2026-02-01"}),
            "DeferDate",
            "FREQ=DAILY (fixed, by the defer date, catches up)",
        ),
        (
            "@task",
            json!({"plannedDate": "2026-02-01"}),
            "PlannedDate",
            "FREQ=DAILY (fixed, by the planned date, catches up)",
        ),
        (
            "@task",
            json!({"deferDate": "2026-02-01", "dueDate": "2026-02-02"}),
            "DueDate",
            "FREQ=DAILY (fixed, catches up)",
        ),
        ("@task", json!({"flagged": true}), "DueDate", "FREQ=DAILY (fixed, catches up)"),
        ("@due", json!({"deferDate": "2026-02-01"}), "DueDate", "FREQ=DAILY (fixed, catches up)"),
        (
            "@due",
            json!({"deferDate": "2026-02-01", "dueDate": null}),
            "DeferDate",
            "FREQ=DAILY (fixed, by the defer date, catches up)",
        ),
    ] {
        let (mut world, ids) = made(source);
        let mut changes = changes;
        changes["repetitionRule"] = daily.clone();
        let answer = write(&mut world, &ids, &update(id, &changes));
        assert_eq!(answer["data"]["repetitionRule"]["anchorDateKey"], anchor, "{changes}: {answer}");
        assert!(world.asked[0].lines[0].contains(told), "{changes}: {:?}", world.asked);
        if id == "@task" {
            changes["name"] = json!("n");
            let answer =
                write(&mut world, &ids, &json!({"operation": "create", "target": "task", "data": changes}));
            assert_eq!(answer["data"]["repetitionRule"]["anchorDateKey"], anchor, "{changes}: {answer}");
        }
    }
}

/// A rule that moves a date that the item does not have gives it that date later, and a warning says so.
#[test]
fn a_rule_without_its_date_is_told() {
    let source = "const task = new Task('t', null); task.dueDate = new Date(2026, 1, 2, 17); task.deferDate = new Date(2026, 1, 1, 8); task.repetitionRule = rule(); return ids({ task });";
    let told = json!(["repetitionRule: it moves the due date, which the item does not have"]);
    for (changes, is_told) in [
        (json!({"dueDate": null}), true),
        (json!({"deferDate": null}), false),
        (json!({"dueDate": null, "deferDate": null}), false),
        (
            json!({"dueDate": null, "repetitionRule": {"frequency": "daily", "method": "due-after-completion"}}),
            true,
        ),
        (json!({"dueDate": null, "repetitionRule": {"frequency": "daily"}}), false),
    ] {
        let (mut world, ids) = made(source);
        let answer = write(&mut world, &ids, &update("@task", &changes));
        assert_eq!(
            (&answer["success"], answer.get("warnings")),
            (&json!(true), is_told.then_some(&told)),
            "{changes}: {answer}"
        );
    }
}

/// A name is not an id, and the error has the ids of that name.
#[test]
fn a_name_in_place_of_an_id_leads_to_the_id() {
    let (mut world, ids) = made(
        "const box = new Project('Box'), task = new Task('Call Zed', box), done = new Task('Call Zed', null); done.markComplete(); return ids({ task });",
    );
    let answer = write(&mut world, &ids, &json!({"operation": "complete", "id": "Call Zed"}));
    assert_eq!(answer["error"], "`Call Zed` is the name of a task, and its id is needed");
    assert_eq!(answer["suggestion"], format!("use the id: {} (in Box)", ids["task"].as_str().unwrap()));
}

/// A new name is shown whole; if it is very long, with its length.
#[test]
fn a_new_name_is_shown_whole() {
    let mut world = World::new();
    for (length, told) in [
        (150, format!("create task “{}” in", "n".repeat(150))),
        (400, format!("create task “{}…” (400 characters) in", "n".repeat(200))),
    ] {
        let create = json!({"operation": "create", "target": "task", "data": {"name": "n".repeat(length)}});
        let answer = write(&mut world, &json!({}), &create);
        assert!(world.asked.last().unwrap().lines[0].starts_with(&told), "{:?}", world.asked);
        let long = format!("{}{}", "n".repeat(length), "m");
        write(
            &mut world,
            &json!({}),
            &json!({"operation": "update", "id": answer["data"]["id"], "changes": {"name": long}}),
        );
        assert!(world.asked.last().unwrap().lines[0].contains("name “"), "{:?}", world.asked);
    }
}
