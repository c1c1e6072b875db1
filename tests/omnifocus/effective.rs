//! If an item inherits a due date, a planned date or the flag from its project or group, every tool uses the inherited
//! value and counts the item in the same way.

use iac_plugin::{Json, json};

use crate::evaluator;
use crate::world::{NOW, World};

const DAY: i64 = 86_400_000;

/// The first millisecond of the day in the zone of the tests; no clock change is near it.
const TODAY: i64 = NOW - (9 * 60 + 30) * 60_000;

fn worlds() -> [World; 2] {
    [World::new(), World::with_tasks(400, 21)]
}

fn ids(world: &mut World, query: &Json) -> Vec<String> {
    let answer = world.call("omnifocus_read", &json!({ "query": query }));
    let rows = answer["data"]["tasks"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let mut ids: Vec<String> = rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect();
    ids.sort();
    ids
}

fn active(tasks: &[Json]) -> impl Iterator<Item = &Json> {
    tasks.iter().filter(|task| !["Completed", "Dropped"].contains(&task["status"].as_str().unwrap()))
}

#[test]
fn modes_go_by_what_counts() {
    for mut world in worlds() {
        let tasks = evaluator::list(&world);
        let due = |task: &Json| task["effectiveDueDate"].as_i64();
        let check = |world: &mut World, mode: &str, wanted: &dyn Fn(&Json) -> bool| {
            let mut expected: Vec<String> = active(&tasks)
                .filter(|task| wanted(task))
                .map(|task| task["id"].as_str().unwrap().to_owned())
                .collect();
            expected.sort();
            let found = ids(world, &json!({"type": "tasks", "mode": mode, "limit": 500}));
            assert_eq!(found, expected, "{mode}");
            let own = active(&tasks).filter(|task| wanted(&without_inheritance(task))).count();
            assert!(own < expected.len(), "{mode}: some are there only through what contains them");
        };
        check(&mut world, "overdue", &|task| due(task).is_some_and(|due| due < NOW));
        check(&mut world, "upcoming", &|task| {
            due(task).is_some_and(|due| (TODAY + DAY..TODAY + 8 * DAY).contains(&due))
        });
        check(&mut world, "flagged", &|task| task["effectiveFlagged"] == true);
    }
}

/// A row says which group or project its due date comes from; a task with its own date has no such field.
#[test]
fn an_inherited_due_date_says_where_it_comes_from() {
    for mut world in worlds() {
        let tasks = evaluator::list(&world);
        let answer = world
            .call("omnifocus_read", &json!({"query": {"type": "tasks", "mode": "overdue", "limit": 500}}));
        let rows = answer["data"]["tasks"].as_array().unwrap();
        let (own, inherited): (Vec<&Json>, Vec<&Json>) =
            rows.iter().partition(|row| row["dueDate"] == row["effectiveDueDate"]);
        assert!(own.iter().all(|row| row.get("dueFrom").is_none()), "{answer}");
        assert!(!inherited.is_empty(), "{answer}");
        for row in inherited {
            let from = &row["dueFrom"];
            if from["project"].is_string() {
                let task = tasks.iter().find(|task| task["id"] == row["id"]).unwrap();
                assert_eq!((&from["project"], &from["id"]), (&task["project"], &task["projectId"]), "{row}");
            } else {
                let group = tasks.iter().find(|task| task["id"] == from["id"]).unwrap();
                assert_eq!(from["task"], group["name"], "{row}");
            }
        }
    }
}

/// The summary counts under the name of a filter what that filter finds.
#[test]
fn the_summary_counts_flags_as_the_filters_do() {
    for mut world in worlds() {
        let answer = world.call("omnifocus_read", &json!({"query": {"type": "tasks", "limit": 1}}));
        let mut counts = Vec::new();
        for filter in ["flagged", "effectiveFlagged"] {
            let query = json!({"query": {"type": "tasks", "filters": {filter: true}, "countOnly": true}});
            let count = world.call("omnifocus_read", &query)["data"]["count"].clone();
            assert_eq!(answer["summary"]["breakdown"][filter], count, "{filter}: {answer}");
            counts.push(count.as_i64().unwrap());
        }
        assert!(counts[0] < counts[1], "some are flagged only through what contains them: {counts:?}");
    }
}

/// The task as it would be without inherited values.
fn without_inheritance(task: &Json) -> Json {
    let mut own = task.clone();
    own["effectiveDueDate"] = task["dueDate"].clone();
    own["effectiveFlagged"] = task["flagged"].clone();
    own
}

/// A task that is due soon or overdue is as blocked as it would be without its due date.
#[test]
fn a_due_date_hides_nothing_that_blocks() {
    for (mut world, other) in worlds().into_iter().zip(worlds()) {
        let all = "flattenedTasks.filter((task) => !task.project)";
        let due = format!(
            "String({all}.filter((task) => ['DueSoon', 'Overdue'].some((status) => String(task.taskStatus).includes(status))).length)"
        );
        let due: usize = world.evaluate(&due).unwrap().trim().parse().unwrap();
        let plain = format!(
            "for (const each of [...flattenedTasks, ...flattenedProjects]) each.dueDate = null; \
             JSON.stringify(['Blocked', 'Available|Next'].map((wanted) => {all} \
               .filter((task) => new RegExp(`: (${{wanted}})]`).test(String(task.taskStatus))).map((task) => task.id.primaryKey).sort()))"
        );
        let plain: [Vec<String>; 2] = serde_json::from_str(&other.evaluate(&plain).unwrap()).unwrap();
        for (mode, expected) in ["blocked", "available"].into_iter().zip(plain) {
            assert_eq!(
                ids(&mut world, &json!({"type": "tasks", "mode": mode, "limit": 500})),
                expected,
                "{mode}"
            );
        }
        assert!(due > 10, "{due} tasks have a status that says nothing about blocking");
    }
}

/// The same figure has the same value and the same name everywhere.
#[test]
fn every_analysis_counts_alike() {
    for mut world in worlds() {
        let tasks = evaluator::list(&world);
        let overdue =
            active(&tasks).filter(|task| task["effectiveDueDate"].as_i64().is_some_and(|due| due < NOW));
        let overdue = json!(overdue.count());
        let available = tasks.iter().filter(|task| task["available"] == true).count();
        let mut analyze = |analysis: Json| {
            world.call("omnifocus_analyze", &json!({ "analysis": analysis }))["data"].clone()
        };
        let productivity = analyze(json!({"type": "productivity_stats"}));
        let workflow = analyze(json!({"type": "workflow_analysis"}));
        let late = analyze(json!({"type": "overdue_analysis"}));
        let patterns =
            analyze(json!({"type": "pattern_analysis", "params": {"insights": ["deadline_health"]}}));
        let overview = &productivity["stats"]["overview"];
        for found in [
            &overview["overdueCount"],
            &workflow["workflowMetrics"]["overdue"]["count"],
            &late["summary"]["totalOverdue"],
            &patterns["insights"]["deadline_health"]["overdue"],
        ] {
            assert_eq!(found, &overdue, "{productivity} {patterns}");
        }
        for found in [&overview["availableTasks"], &workflow["workflowMetrics"]["available"]["count"]] {
            assert_eq!(found, &json!(available));
        }
    }
}

/// A dropped folder also drops its projects, at any depth.
#[test]
fn projects_of_a_dropped_folder_are_not_active() {
    let mut world = World::new();
    let make = "(() => { const above = new Folder('Attic'), folder = new Folder('Box', above); const project = new Project('Stored', folder); \
                new Task('inside', project); above.status = Folder.Status.Dropped; return project.id.primaryKey; })()";
    let id = world.evaluate(make).unwrap().trim().to_owned();
    let mut named = |status: &str| {
        let query = json!({"query": {"type": "projects", "filters": {"status": status, "name": {"contains": "Stored"}}}});
        world.call("omnifocus_read", &query)["data"]["projects"].as_array().unwrap().len()
    };
    assert_eq!((named("active"), named("dropped")), (0, 1));
    let create = json!({"mutation": {"operation": "create", "target": "task", "data": {"name": "x", "project": "Stored"}}});
    let answer = world.call("omnifocus_write", &create);
    assert!(answer["error"].as_str().unwrap().contains("is completed or dropped"), "{answer}");
    assert!(answer["suggestion"].as_str().unwrap().contains(&id), "{answer}");
}
