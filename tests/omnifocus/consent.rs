//! The question about a change: its acts, every property with its old value, and everything that is lost. Also the
//! result if the data no longer matches the question.

use iac_plugin::{Fault, Json, json};

use crate::world::World;

/// The objects for a question, made again for each case: a project with a group and two tasks, in a folder.
const SCENE: &str = "(() => {
  const folder = new Folder('Shelf'), project = new Project('Box', folder);
  const group = new Task('Group', project), task = new Task('Child', group), other = new Task('Other', project);
  const tag = new Tag('Above'), below = new Tag('Below', tag);
  task.note = 'a note of twenty-odd letters'; task.flagged = true; task.dueDate = new Date(2026, 0, 5, 17); task.addTag(below);
  other.repetitionRule = new Task.RepetitionRule('FREQ=WEEKLY', null, Task.RepetitionScheduleType.Regularly, Task.AnchorDateKey.DueDate, true);
  other.dueDate = new Date(2026, 1, 2, 17); project.note = 'why';
  return JSON.stringify({ folder, project, group, task, other, tag }, (name, value) => (name !== '' && value.id ? value.id.primaryKey : value));
})()";

struct Scene {
    world: World,
    ids: Json,
}

fn scene() -> Scene {
    let world = World::new();
    let ids = serde_json::from_str(&world.evaluate(SCENE).unwrap()).unwrap();
    Scene { world, ids }
}

impl Scene {
    /// Replaces names such as `@task` by the ids of the objects.
    fn filled(&self, mutation: &Json) -> Json {
        let mut text = mutation.to_string();
        for (name, id) in self.ids.as_object().unwrap() {
            text = text.replace(&format!("\"@{name}\""), &id.to_string());
        }
        serde_json::from_str(&text).unwrap()
    }

    fn write(&mut self, mutation: &Json) -> Json {
        let arguments = json!({ "mutation": self.filled(mutation) });
        self.world.call("omnifocus_write", &arguments)
    }

    /// Everything that the database holds, for comparisons.
    fn state(&self) -> String {
        let all = "JSON.stringify([flattenedTasks, flattenedProjects, flattenedFolders, flattenedTags].map((all) => all.map((each) => \
                   [each.id.primaryKey, each.name, each.note, each.flagged, String(each.status || each.taskStatus), String(each.dueDate), each.parent && each.parent.id.primaryKey, \
                   each.tags && each.tags.map((tag) => tag.name), String(each.repetitionRule && each.repetitionRule.ruleString)])))";
        self.world.evaluate(all).unwrap()
    }
}

fn update(target: &str, changes: &Json) -> Json {
    json!({"operation": "update", "target": target, "id": format!("@{target}"), "changes": changes})
}

fn delete(target: &str, id: &str) -> Json {
    json!({"operation": "delete", "target": target, "id": id})
}

/// Mutations, each with its acts and the text of its lines.
fn cases() -> Vec<(Json, Vec<&'static str>, &'static str)> {
    let tag = |action: &str, more: &Json| {
        let mut mutation = json!({"operation": "tag_manage", "action": action, "tagName": "Above : Below"});
        mutation.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        mutation
    };
    vec![
        (
            json!({"operation": "create", "target": "task", "data": {"name": "New", "project": "Box"}}),
            vec!["create task"],
            "create task “New” in project “Box”",
        ),
        (
            json!({"operation": "create", "target": "task", "data": {"name": "New", "tags": ["Below", "Fresh"]}}),
            vec!["create task", "create tag"],
            "create task “New” in the inbox: tags “Above : Below”, “Fresh”, new tags “Fresh”",
        ),
        (
            json!({"operation": "create", "target": "project", "data": {"name": "New", "folder": "Shelf"}}),
            vec!["create project"],
            "create project “New” in folder “Shelf”",
        ),
        (
            json!({"operation": "create_folder", "data": {"name": "Drawer", "parentFolder": "Shelf"}}),
            vec!["create folder"],
            "create folder “Drawer” in folder “Shelf”",
        ),
        (
            update("task", &json!({"flagged": false, "dueDate": null, "name": "Kid", "status": "active"})),
            vec!["edit task"],
            "update task “Child” in “Box” under “Group”: name “Child” -> “Kid”, flagged true -> false, \
             dueDate Mon 2026-01-05 17:00 +01:00 -> none, status active",
        ),
        (
            update("task", &json!({"note": ""})),
            vec!["overwrite task note"],
            "update task “Child” in “Box” under “Group”: note “a note of twenty-odd letters” (28 characters) -> empty",
        ),
        (
            update("task", &json!({"note": "a note of twenty-odd letters, and more"})),
            vec!["edit task"],
            "update task “Child” in “Box” under “Group”: note “a note of twenty-odd letters” (28 characters) -> \
             “a note of twenty-odd letters, and more” (38 characters)",
        ),
        (
            update("project", &json!({"note": "other"})),
            vec!["overwrite project note"],
            "update project “Box” in “Shelf”: note “why” (3 characters) -> “other” (5 characters)",
        ),
        (
            update("task", &json!({"tags": ["Fresh"], "project": null})),
            vec!["edit task", "move task", "create tag"],
            "update task “Child” in “Box” under “Group”: move to the inbox, tags “Above : Below” -> “Fresh”, new tags “Fresh”",
        ),
        (
            update("project", &json!({"folder": null})),
            vec!["move project"],
            "update project “Box” in “Shelf”: move to the top",
        ),
        (
            update("project", &json!({"status": "dropped"})),
            vec!["drop project"],
            "update project “Box” in “Shelf”: status active -> dropped, with 3 open tasks in it, and 1 repetition ends",
        ),
        (
            update("project", &json!({"status": "completed"})),
            vec!["complete project", "end task repetition"],
            "update project “Box” in “Shelf”: status active -> completed, with 3 open tasks in it, and 1 repetition ends",
        ),
        (
            json!({"operation": "update", "id": "@other", "changes": {"status": "dropped"}}),
            vec!["drop task"],
            "update task “Other” in “Box”: status active -> dropped, and ends its repetition “FREQ=WEEKLY”: \
             all later occurrences are lost",
        ),
        (
            json!({"operation": "update", "id": "@other", "changes": {"repetitionRule": null}}),
            vec!["end task repetition"],
            "update task “Other” in “Box”: repetitionRule FREQ=WEEKLY (fixed, catches up) -> none",
        ),
        (
            json!({"operation": "complete", "id": "@other"}),
            vec!["complete task"],
            "complete task “Other” in “Box”, which repeats by “FREQ=WEEKLY”",
        ),
        (
            json!({"operation": "complete", "target": "project", "id": "@project"}),
            vec!["complete project", "end task repetition"],
            "complete project “Box” in “Shelf”, with 3 open tasks in it, and 1 repetition ends",
        ),
        (
            update("task", &json!({"appendNote": "one more line"})),
            vec!["edit task"],
            "update task “Child” in “Box” under “Group”: appendNote “one more line” (13 characters) to “a note of twenty-odd letters” \
             (28 characters)",
        ),
        (
            json!({"operation": "skip", "id": "@other"}),
            vec!["skip task"],
            "skip task “Other” in “Box”: the occurrence that is due Mon 2026-02-02 17:00 +01:00, which repeats by “FREQ=WEEKLY”; \
             the next one is due Mon 2026-02-09 17:00 +01:00; it cannot be undone",
        ),
        (
            update("folder", &json!({"name": "Rack", "folder": "Work"})),
            vec!["edit folder", "move folder"],
            "update folder “Shelf”: move to folder “Work”, name “Shelf” -> “Rack”",
        ),
        (
            update("folder", &json!({"status": "dropped"})),
            vec!["drop folder"],
            "update folder “Shelf”: status active -> dropped, with 1 project, with 3 open tasks in it, and 1 repetition ends",
        ),
        (
            delete("folder", "@folder"),
            vec!["delete folder"],
            "delete folder “Shelf” with 1 project, 0 folders and 3 tasks in it, and 1 repetition ends; it cannot be undone",
        ),
        (
            delete("task", "@task"),
            vec!["delete task"],
            "delete task “Child” in “Box” under “Group”; it cannot be undone",
        ),
        (
            delete("task", "@group"),
            vec!["delete task"],
            "delete task “Group” in “Box” with 1 task below it, 1 of them open; it cannot be undone",
        ),
        (
            delete("project", "@project"),
            vec!["delete project"],
            "delete project “Box” in “Shelf” with 3 tasks in it, 3 of them open, and 1 repetition ends; it cannot be undone",
        ),
        (
            tag("rename", &json!({"newName": "Deep"})),
            vec!["edit tag"],
            "rename tag “Below” in “Above” to “Deep”",
        ),
        (
            tag("nest", &json!({"parentTag": "Errands"})),
            vec!["move tag"],
            "nest tag “Below” in “Above” under “Errands”",
        ),
        (
            tag("set_status", &json!({"status": "on_hold"})),
            vec!["edit tag"],
            "set_status tag “Below” in “Above”: status active -> on_hold, which holds back 1 remaining task",
        ),
        (
            tag("set_status", &json!({"status": "dropped"})),
            vec!["drop tag"],
            "set_status tag “Below” in “Above”: status active -> dropped, which 1 task has",
        ),
        (
            tag("merge", &json!({"targetTag": "Errands"})),
            vec!["merge tag"],
            "merge tag “Below” in “Above” into “Errands”, and remove it, which 1 task has",
        ),
        (
            json!({"operation": "tag_manage", "action": "delete", "tagName": "Above"}),
            vec!["delete tag"],
            "delete tag “Above”, which 0 tasks have, with 1 tag below it; 1 more task has a tag below it; it cannot be undone",
        ),
    ]
}

#[test]
fn a_question_names_every_act_and_what_is_lost() {
    for (mutation, acts, line) in cases() {
        let mut scene = scene();
        let answer = scene.write(&mutation);
        assert_eq!(answer["success"], true, "{mutation}: {answer}");
        let asked = &scene.world.asked[0];
        let mut said = asked.acts.clone();
        said.sort();
        let mut acts = acts.clone();
        acts.sort_unstable();
        assert_eq!((said.iter().map(String::as_str).collect::<Vec<_>>(), &asked.lines[0][..]), (acts, line));
    }
}

/// A plugin that names fewer acts can do less: without an act from the host, the script changes nothing.
#[test]
fn what_was_not_decided_is_not_done() {
    for (mutation, acts, _) in cases() {
        for act in acts {
            let mut scene = scene();
            scene.world.withheld = Some(act.to_owned());
            let before = scene.state();
            let answer = scene.write(&mutation);
            assert!(
                answer["error"].as_str().unwrap().contains(&format!("it would now {act}")),
                "{mutation}: {answer}"
            );
            assert_eq!(scene.state(), before, "{mutation} without {act}");
        }
    }
}

/// A yes is for the objects that were shown: if another user has changed an object meanwhile, the script does not
/// touch it.
#[test]
fn what_changed_after_it_was_shown_is_left_alone() {
    let meanwhile =
        [("name", "x.name = 'Renamed'"), ("note", "x.note = 'precious'"), ("tasks", "new Task('Late', x)")];
    for (what, source) in meanwhile {
        for mutation in [
            update("project", &json!({"note": "mine", "name": "B", "status": "dropped"})),
            delete("project", "@project"),
        ] {
            if what == "note" && mutation["operation"] == "delete" {
                continue;
            }
            let mut scene = scene();
            let id = scene.ids["project"].clone();
            let source = format!("(() => {{ const x = Project.byIdentifier({id}); {source}; }})()");
            scene.world.meanwhile = Some(source);
            let answer = scene.write(&mutation);
            assert!(
                answer["error"].as_str().is_some_and(|error| error.contains("has changed since")),
                "{what}: {answer}"
            );
            let left = scene.world.evaluate(&format!("String(Project.byIdentifier({id}).status)"));
            assert!(left.unwrap().contains("Active"), "{what}");
        }
    }
}

/// Each way to change something, then each way to remove it, in one batch: the answer reports everything.
#[test]
fn what_a_batch_touches_and_deletes_is_told() {
    let touches = [
        json!({"operation": "create", "target": "task", "data": {"name": "new", "parentTaskId": "@group"}}),
        json!({"operation": "create", "target": "task", "data": {"name": "new", "project": "Box"}}),
        update("task", &json!({"flagged": false})),
        update("project", &json!({"flagged": true})),
        json!({"operation": "update", "id": "@other", "changes": {"parentTaskId": "@group"}}),
        json!({"operation": "complete", "id": "@task"}),
        json!({"operation": "complete", "id": "@other"}),
        json!({"operation": "complete", "target": "project", "id": "@project"}),
        json!({"operation": "update", "id": "@other", "changes": {"status": "completed"}}),
    ];
    let ends = [
        vec![delete("task", "@task")],
        vec![delete("task", "@group")],
        vec![delete("project", "@project")],
        vec![delete("project", "@project"), delete("task", "@task"), delete("task", "@group")],
    ];
    for touch in &touches {
        for end in &ends {
            for atomic in [false, true] {
                let mut scene = scene();
                let operations = [std::slice::from_ref(touch), &end[..]].concat();
                let batch =
                    json!({"operation": "batch", "operations": operations, "atomicOperation": atomic});
                let answer = scene.write(&batch);
                let told = format!("{touch} then {end:?}: {answer}");
                assert_eq!(answer["success"], true, "{told}");
                let rows = answer["data"]["results"].as_array().unwrap();
                let ids: Json = rows.iter().map(|row| row["id"].clone()).collect();
                let there = "(id) => Boolean(Task.byIdentifier(id) || Project.byIdentifier(id))";
                let there = scene.world.evaluate(&format!("JSON.stringify({ids}.map({there}))")).unwrap();
                let there: Vec<bool> = serde_json::from_str(&there).unwrap();
                for (row, there) in rows.iter().zip(there) {
                    assert!(row["id"].is_string() && row["name"].is_string(), "{told}");
                    let gone = row["deleted"] == true || row["permanent"] == true;
                    assert_eq!(there, !gone, "{told}");
                    assert!(!gone || row["status"].is_null(), "a status of what is gone is made up: {told}");
                }
            }
        }
    }
}

/// For all values, a line names every property to set, and the host shows the whole line.
#[test]
fn no_property_is_cut_off() {
    const WHOLE: usize = 1_200;
    let labels = [
        "name", "note", "flagged", "sequential", "dueDate", "deferDate", "plannedDate", "estimatedMinutes",
        "tags", "repetitionRule", "status",
    ];
    for letter in ["x", "\u{202e}", "”", "\n", "日", "\\"] {
        let long = format!("a{}", letter.repeat(1_200));
        let tags: Vec<String> = (0..30).map(|at| format!("{at}{}", letter.repeat(100))).collect();
        let all = json!({
            "name": long, "note": long, "flagged": true, "sequential": true, "dueDate": "2026-02-01",
            "deferDate": "2026-01-30", "plannedDate": "2026-01-31", "estimatedMinutes": 525_600, "tags": tags,
            "repetitionRule": {"frequency": "monthly", "daysOfMonth": (1..=31).collect::<Vec<_>>(), "count": 10_000},
            "status": "active",
        });
        let mut scene = scene();
        for id in ["@group", "@group"] {
            let answer = scene.write(&json!({"operation": "update", "id": id, "changes": all}));
            assert_eq!(answer["success"], true, "{answer}");
            let line = scene.world.asked.last().unwrap().lines[0].clone();
            for label in labels {
                assert!(line.contains(&format!("{label} ")), "{label}: {line}");
            }
            let is_same = line.ends_with("status active (it has that already, so that changes nothing)");
            assert!(is_same || line.contains(", new tags “0"), "{line}");
            assert!(line.chars().count() <= WHOLE, "{} characters: {line}", line.chars().count());
            assert!(line.chars().all(|letter| !letter.is_control() && letter != '\u{202e}'), "{line}");
        }
    }
}

#[test]
fn what_timed_out_is_named_and_not_repeated() {
    let mut scene = scene();
    let late = Fault {
        retryable: true,
        detail: Some(json!({"outcome": "unknown"})),
        ..Fault::new("timeout", "OmniFocus: the app did not answer in time")
    };
    scene.world.fault = Some(late);
    let batch = json!({"mutation": scene.filled(&json!({"operation": "batch", "operations": [delete("task", "@task"), delete("task", "@other")]}))});
    let fault = scene.world.try_call("omnifocus_write", &batch).unwrap_err();
    let detail = fault.detail.unwrap();
    assert_eq!(
        (fault.retryable, &detail["unknown"], &detail["outcome"]),
        (false, &json!([0, 1]), &json!("unknown"))
    );
}

/// In an all-or-nothing change, a failure rolls back the new items, and the answer names the changes that cannot be
/// rolled back.
#[test]
fn what_fails_half_way_is_taken_back() {
    let batch = json!({"operation": "batch", "atomicOperation": true, "operations": [
        {"operation": "create", "target": "task", "data": {"name": "first", "tags": ["Brand new"], "tempId": "a"}},
        {"operation": "create", "target": "task", "data": {"name": "second", "parentTempId": "a"}},
        update("task", &json!({"flagged": false})),
        {"operation": "complete", "id": "@other"},
        delete("task", "@group"),
    ]});
    let mut scene = scene();
    scene.world.sabotage =
        "Task.prototype.markComplete = () => { throw new Error('not today'); };".to_owned();
    let answer = scene.write(&batch);
    assert_eq!((&answer["success"], &answer["rolledBack"]), (&json!(false), &json!("partial")), "{answer}");
    assert_eq!(answer["notRolledBack"]["operations"], json!([2]), "{answer}");
    let rows = &answer["data"]["results"];
    assert!(rows[3]["error"]["message"].as_str().unwrap().contains("not today"), "{answer}");
    assert!(rows[4]["error"]["message"].as_str().unwrap().contains("not run"), "{answer}");
    let left = "JSON.stringify([flattenedTasks.filter((task) => ['first', 'second'].includes(task.name)).length, \
                flattenedTags.filter((tag) => tag.name === 'Brand new').length])";
    assert_eq!(scene.world.evaluate(left).unwrap().trim(), "[0,0]");
}

/// Completing by a status works like the button: a repeating item continues, and the answer gives its next date.
#[test]
fn what_repeats_goes_on_however_it_is_completed() {
    let rule = "task.repetitionRule = new Task.RepetitionRule('FREQ=WEEKLY', null, Task.RepetitionScheduleType.Regularly, Task.AnchorDateKey.DueDate, true); \
                task.dueDate = new Date(2026, 1, 2, 17)";
    for mutation in [
        json!({"operation": "complete", "id": "@other"}),
        json!({"operation": "update", "id": "@other", "changes": {"status": "completed"}}),
        json!({"operation": "complete", "target": "project", "id": "@project"}),
        update("project", &json!({"status": "completed"})),
    ] {
        let mut scene = scene();
        let id = scene.ids["project"].clone();
        scene
            .world
            .evaluate(&format!("(() => {{ const task = Project.byIdentifier({id}); {rule}; }})()"))
            .unwrap();
        let answer = scene.write(&mutation);
        let data = &answer["data"];
        assert_eq!(data["status"], "completed", "{answer}");
        assert_eq!(data["next"]["dueDate"], "2026-02-09T17:00:00+01:00", "{answer}");
        assert_eq!(answer.get("warnings"), None, "{answer}");
    }
}

/// If a change is too long for one run, the question before the first run shows all of it, and each later run does
/// only what was shown.
#[test]
fn every_run_of_a_long_batch_keeps_to_what_was_shown() {
    let scene = "(() => { const ids = {}; for (const name of ['a', 'b', 'c', 'd']) { const project = new Project('P' + name); \
                 ids[name] = new Task(name, project).id.primaryKey; ids['P' + name] = project.id.primaryKey; } return JSON.stringify(ids); })()";
    let long = "x".repeat(128_000);
    for (meanwhile, failed) in [
        (None, None),
        (Some(("a", "name = 'other'")), Some(0)),
        (Some(("c", "name = 'other'")), Some(2)),
        (Some(("d", "flagged = true")), Some(3)),
        (Some(("d", "dueDate = new Date()")), None),
    ] {
        let mut world = World::new();
        let ids: Json = serde_json::from_str(&world.evaluate(scene).unwrap()).unwrap();
        world.meanwhile = meanwhile.map(|(name, change)| {
            format!("(() => {{ Task.byIdentifier({}).{change}; return ''; }})()", ids[name])
        });
        let update =
            |name: &str, changes: Json| json!({"operation": "update", "id": ids[name], "changes": changes});
        let made = json!({"operation": "create", "target": "task", "data": {"name": "made", "project": ids["Pb"], "note": long}});
        let operations = json!([
            update("a", json!({"note": long, "addTags": ["brand new"]})),
            update("b", json!({"flagged": true})),
            update("c", json!({"note": long})),
            update("d", json!({"flagged": true, "addTags": ["brand new"]})),
            made,
            {"operation": "complete", "target": "project", "id": ids["Pb"]},
        ]);
        let answer = world
            .call("omnifocus_write", &json!({"mutation": {"operation": "batch", "operations": operations}}));
        let row = |at: usize| &answer["data"]["results"][at];
        match failed {
            None => assert_eq!(answer["success"], true, "{meanwhile:?}: {}", answer["data"]["summary"]),
            // The first run creates the new items, the second run changes a and b, and the third changes the rest.
            Some(at) => {
                let message = row(at)["error"]["message"].as_str().unwrap_or_default();
                assert!(message.contains("has changed since"), "{meanwhile:?}: {}", row(at));
            }
        }
        assert_eq!(world.asked.len(), 1);
    }
}

/// A long batch of equal changes names what they have in common, and then all items. The host counts the lines.
#[test]
fn equal_changes_share_a_line() {
    let mut world = World::new();
    let make = "JSON.stringify(Array.from({ length: 60 }, (_, at) => { const task = new Task('Task with a long name, number ' + at, null); \
                task.dueDate = new Date(2026, 0, 1 + at % 20, 17); return task.id.primaryKey; }))";
    let ids: Vec<String> = serde_json::from_str(&world.evaluate(make).unwrap()).unwrap();
    let mut operations: Vec<Json> = ids
        .iter()
        .map(|id| json!({"operation": "update", "id": id, "changes": {"dueDate": "2026-02-28"}}))
        .collect();
    operations.push(json!({"operation": "update", "id": ids[0], "changes": {"flagged": true}}));
    operations.push(json!({"operation": "delete", "id": ids[1]}));
    let answer =
        world.call("omnifocus_write", &json!({"mutation": {"operation": "batch", "operations": operations}}));
    assert_eq!(answer["success"], true, "{answer}");
    let lines = &world.asked[0].lines;
    assert_eq!(lines.len(), 62);
    let first = "delete task “Task with a long name, number 1”; it cannot be undone";
    assert_eq!(lines[0], first);
    let (shared, rest) = lines[1..].split_at(5);
    let old = "“Task with a long name, number 0” (was Thu 2026-01-01 17:00 +01:00)";
    let start = format!("update 60 tasks: dueDate Sat 2026-02-28 17:00 +01:00: {old}, “Task");
    assert!(shared[0].starts_with(&start), "{}", shared[0]);
    assert!(
        shared[1..].iter().all(|line| line.starts_with("and “Task")),
        "one list, in several lines: {shared:?}"
    );
    assert!(shared.iter().all(|line| line.chars().count() <= 1_000), "{shared:?}");
    let named = |at: &usize| shared.iter().any(|line| line.contains(&format!("number {at}” (was ")));
    assert!((0..60).all(|at| named(&at)), "every item is named with what it loses: {shared:?}");
    assert_eq!(rest[0], "update task “Task with a long name, number 0”: flagged false -> true");
    assert!(rest[1..].iter().all(String::is_empty), "the host counts these and shows none of them");
}

/// A shared line tells what is replaced: once if it is the same for all, otherwise beside each name. Items that get
/// different values of one property share a line, too.
#[test]
fn a_shared_line_tells_what_is_replaced() {
    let mut world = World::new();
    let make = "JSON.stringify(Array.from({ length: 16 }, (_, at) => { const task = new Task('t' + at, null); \
                if (at > 0) task.dueDate = new Date(2026, 0, 1 + at % 2, 17); return task.id.primaryKey; }))";
    let ids: Vec<String> = serde_json::from_str(&world.evaluate(make).unwrap()).unwrap();
    let mut lines = |mutation: Json| {
        let answer = world.call("omnifocus_write", &json!({ "mutation": mutation }));
        assert_eq!(answer["success"], true, "{answer}");
        let lines = world.asked.last().unwrap().lines.clone();
        lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>()
    };
    let mut many =
        |ids: &[String], changes: Json| lines(json!({"operation": "update", "ids": ids, "changes": changes}));
    let (first, second) = ("Thu 2026-01-01 17:00 +01:00", "Fri 2026-01-02 17:00 +01:00");
    let told = format!(
        "update 6 tasks: dueDate Sat 2026-02-28 17:00 +01:00: “t0” (was none), “t1” (was {second}), “t2” (was {first}), \
         “t3” (was {second}), “t4” (was {first}), “t5” (was {second})"
    );
    assert_eq!(many(&ids[..6], json!({"dueDate": "2026-02-28"})), [told]);
    let again = json!({"dueDate": "2026-03-01", "flagged": true});
    let told = "update 6 tasks: flagged false -> true, \
                dueDate Sat 2026-02-28 17:00 +01:00 -> Sun 2026-03-01 17:00 +01:00: “t0”, “t1”, “t2”, “t3”, “t4”, “t5”";
    assert_eq!(many(&ids[..6], again), [told]);
    let told = format!(
        "update 7 tasks: flagged true, dueDate Mon 2026-03-02 17:00 +01:00: “t0” (was dueDate Sun 2026-03-01 17:00 +01:00), \
         “t1” (was dueDate Sun 2026-03-01 17:00 +01:00), “t2” (was dueDate Sun 2026-03-01 17:00 +01:00), \
         “t3” (was dueDate Sun 2026-03-01 17:00 +01:00), “t4” (was dueDate Sun 2026-03-01 17:00 +01:00), \
         “t5” (was dueDate Sun 2026-03-01 17:00 +01:00), “t6” (was flagged false, dueDate {first})"
    );
    assert_eq!(many(&ids[..7], json!({"dueDate": "2026-03-02", "flagged": true})), [told]);
    let update = |at: usize, minutes: usize| json!({"operation": "update", "id": ids[at], "changes": {"estimatedMinutes": minutes}});
    let operations: Vec<Json> = (7..16).map(|at| update(at, if at < 11 { 5 } else { at })).collect();
    let told = "update 9 tasks: estimatedMinutes none -> 5 (“t7”, “t8”, “t9”, “t10”), 11 (“t11”), 12 (“t12”), 13 (“t13”), \
                14 (“t14”), 15 (“t15”)";
    assert_eq!(lines(json!({"operation": "batch", "operations": operations})), [told]);
    let operations: Vec<Json> = (6..12).map(|at| update(at, 20 + at / 10)).collect();
    let told = "update 6 tasks: estimatedMinutes -> 20 (“t6” (was none), “t7” (was 5), “t8” (was 5), “t9” (was 5)), \
                21 (“t10” (was 5), “t11” (was 11))";
    assert_eq!(lines(json!({"operation": "batch", "operations": operations})), [told]);
    let create = |at: usize| json!({"operation": "create", "target": "task", "data": {"name": format!("n{at}"), "flagged": at < 6}});
    let operations: Vec<Json> = (0..7).map(create).collect();
    let shared = "create 6 tasks in the inbox: flagged true: “n0”, “n1”, “n2”, “n3”, “n4”, “n5”";
    let alone = "create task “n6” in the inbox: flagged false";
    assert_eq!(lines(json!({"operation": "batch", "operations": operations})), [shared, alone]);
}

/// Many values of one property are a list with a line for each of them.
#[test]
fn long_values_have_lines_of_their_own() {
    let mut world = World::new();
    let make = "JSON.stringify(Array.from({ length: 8 }, (_, at) => new Task('A task with a long name, number ' + at, null).id.primaryKey))";
    let ids: Vec<String> = serde_json::from_str(&world.evaluate(make).unwrap()).unwrap();
    let due = |(at, id): (usize, &String)| json!({"operation": "update", "id": id, "changes": {"dueDate": format!("2026-03-{:02}", 1 + at.max(1))}});
    let operations: Vec<Json> = ids.iter().enumerate().map(due).collect();
    let answer =
        world.call("omnifocus_write", &json!({"mutation": {"operation": "batch", "operations": operations}}));
    assert_eq!(answer["success"], true, "{answer}");
    let lines = &world.asked[0].lines;
    assert_eq!(
        lines[0],
        "update 8 tasks: dueDate none -> Mon 2026-03-02 17:00 +01:00 (“A task with a long name, number 0”, “A task with a long name, number 1”)"
    );
    assert_eq!(lines[1], "-> Tue 2026-03-03 17:00 +01:00 (“A task with a long name, number 2”)");
    assert_eq!((lines.iter().filter(|line| !line.is_empty()).count(), lines.len()), (7, 8));
}

/// One change of many items, with an answer and an undo that count.
#[test]
fn one_change_of_many_items_is_one_call() {
    let mut world = World::new();
    let make =
        "JSON.stringify(Array.from({ length: 12 }, (_, at) => new Task('t' + at, null).id.primaryKey))";
    let ids: Vec<String> = serde_json::from_str(&world.evaluate(make).unwrap()).unwrap();
    let mut write = |mutation: Json| world.call("omnifocus_write", &json!({ "mutation": mutation }));
    let many = |operation: &str, more: Json| {
        let mut mutation = json!({"operation": operation, "ids": ids});
        mutation.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        mutation
    };
    let answer = write(many("update", json!({"changes": {"flagged": true}})));
    let rows = answer["data"]["results"].as_array().unwrap();
    assert!(rows.len() == 12 && rows.iter().all(|row| row["flagged"] == true), "{answer}");
    let answer = write(many("update", json!({"changes": {"flagged": false}, "minimalResponse": true})));
    let summary = json!({"created": 0, "updated": 12, "completed": 0, "deleted": 0, "errors": 0});
    assert_eq!(answer["data"], json!({"summary": summary, "results": []}), "{answer}");
    let back = write(answer["undo"]["arguments"]["mutation"].clone());
    let undone =
        json!({"summary": summary, "undone": "12 tasks: “t11”, “t10”, “t9” and 9 more", "results": []});
    assert_eq!(back["data"], undone, "{back}");
    let planned = write(many("complete", json!({"dryRun": true})));
    assert_eq!(planned["data"]["summary"], json!({"planned": 12, "errors": 0}), "{planned}");
    let answer = write(many("complete", json!({"minimalResponse": true})));
    assert_eq!(answer["data"]["summary"]["completed"], 12, "{answer}");
    // An id that OmniFocus does not have stops everything, or only itself.
    let mixed = |more: Json| {
        let mut mutation = many("update", json!({"changes": {"flagged": false}, "minimalResponse": true}));
        mutation["ids"] = json!([ids[0], "nobody"]);
        mutation.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        mutation
    };
    assert_eq!(write(mixed(json!({})))["error"], "no task has the id `nobody`; nothing was changed");
    let answer = write(mixed(json!({"stopOnError": false})));
    let rows = &answer["data"]["results"];
    assert_eq!(
        (&answer["success"], &answer["data"]["summary"]["updated"]),
        (&json!(true), &json!(1)),
        "{answer}"
    );
    assert_eq!((rows.as_array().map(Vec::len), &rows[0]["index"]), (Some(1), &json!(1)), "{answer}");
    let answer = write(many("delete", json!({"minimalResponse": true})));
    assert_eq!(
        (&answer["success"], &answer["data"]["summary"]["deleted"]),
        (&json!(true), &json!(12)),
        "{answer}"
    );
    let both = json!({"operation": "update", "id": "x", "ids": ["y"], "changes": {"flagged": true}});
    assert_eq!(write(both)["error"], "`mutation.id` and `mutation.ids` are both given");
    let within = json!({"operation": "batch", "operations": [{"operation": "update", "ids": ["y"], "changes": {"flagged": true}}]});
    let answer = write(within);
    assert!(
        answer["suggestion"].as_str().is_some_and(|told| told.contains("a mutation of its own")),
        "{answer}"
    );
}

/// A minimal answer of a batch has the ids of what is new.
#[test]
fn a_minimal_answer_has_new_ids() {
    let mut world = World::new();
    let id = world.evaluate("new Task('there', null).id.primaryKey").unwrap().trim().to_owned();
    let mut batch = |mapping: bool| {
        let operations = json!([
            {"operation": "create", "target": "task", "data": {"name": "new", "tempId": "n"}},
            {"operation": "update", "id": id, "changes": {"flagged": true}},
            {"operation": "duplicate", "id": id},
        ]);
        let mutation = json!({"operation": "batch", "operations": operations, "minimalResponse": true, "returnMapping": mapping});
        let answer = world.call("omnifocus_write", &json!({ "mutation": mutation }));
        assert_eq!(answer["success"], true, "{answer}");
        answer["data"].clone()
    };
    let told = |data: &Json| {
        let rows = data["results"].as_array().unwrap().clone();
        assert!(rows.iter().all(|row| row["id"].is_string() && row.get("flagged").is_none()), "{data}");
        rows.iter().map(|row| row["operation"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let mapped = batch(true);
    assert!(mapped["tempIdMapping"]["n"].is_string(), "{mapped}");
    assert_eq!(told(&mapped), ["duplicate"]);
    assert_eq!(told(&batch(false)), ["create", "duplicate"]);
}

/// What follows from a change is in its line.
#[test]
fn a_line_tells_what_follows() {
    let mut world = World::new();
    let make = "(() => { const group = new Tag('Mood'), low = new Tag('Low', group), high = new Tag('High mood', group); \
                group.childrenAreMutuallyExclusive = true; const task = new Task('t', null), project = new Project('P'); task.addTag(low); \
                project.lastReviewDate = new Date(2026, 0, 1); project.nextReviewDate = new Date(2026, 0, 8); \
                const interval = project.reviewInterval; interval.steps = 2; interval.unit = 'weeks'; project.reviewInterval = interval; \
                task.repetitionRule = new Task.RepetitionRule('FREQ=DAILY', null, Task.RepetitionScheduleType.FromCompletion, Task.AnchorDateKey.DueDate, false); \
                return JSON.stringify([task, project].map((item) => item.id.primaryKey)); })()";
    let ids: [String; 2] = serde_json::from_str(&world.evaluate(make).unwrap()).unwrap();
    let update = |at: usize, changes: Json| json!({"operation": "update", "target": (["task", "project"][at]), "id": ids[at], "changes": changes});
    for (mutation, line) in [
        (
            update(0, json!({"addTags": ["High mood"]})),
            "update task “t”: with the tags “Mood : High mood”, so that “Mood : Low” leaves, whose group is exclusive",
        ),
        (
            update(0, json!({"repetitionRule": {"frequency": "daily", "method": "defer-after-completion"}})),
            "update task “t”: repetitionRule FREQ=DAILY (due again) -> FREQ=DAILY (defer another)",
        ),
        (
            update(1, json!({"lastReviewDate": "2026-01-28"})),
            "update project “P”: lastReviewDate Thu 2026-01-01 00:00 +01:00 -> Wed 2026-01-28 00:00 +01:00, \
             nextReviewDate Thu 2026-01-08 00:00 +01:00 -> Wed 2026-02-11 00:00 +01:00",
        ),
        (json!({"operation": "convert", "id": ids[0]}), "convert task “t” to a project; it cannot be undone"),
    ] {
        let answer = world.call("omnifocus_write", &json!({ "mutation": mutation }));
        assert_eq!(answer["success"], true, "{answer}");
        assert_eq!(world.asked.last().unwrap().lines, [line]);
    }
}

/// The earlier date of a project counts, so a later one of its task has no effect.
#[test]
fn a_due_date_after_that_of_the_project_is_told() {
    let mut world = World::new();
    let make = "(() => { const project = new Project('P'), task = new Task('t', project); project.dueDate = new Date(2026, 1, 1, 17); return task.id.primaryKey; })()";
    let id = world.evaluate(make).unwrap().trim().to_owned();
    let mut due = |date: &str| {
        let update = json!({"operation": "update", "id": id, "changes": {"dueDate": date}});
        world.call("omnifocus_write", &json!({ "mutation": update }))
    };
    let told =
        json!(["dueDate: its project or group is due earlier, 2026-02-01 17:00:00, and that date counts"]);
    assert_eq!(due("2026-03-01")["warnings"], told);
    assert_eq!(due("2026-01-31").get("warnings"), None);
}
