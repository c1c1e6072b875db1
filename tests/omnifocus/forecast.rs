//! Compares the mode `forecast` with OmniFocus's own objects.

use iac_plugin::{Json, json};

use crate::world::World;

/// Tasks, each named after the only section to which it belongs.
const SCENE: &str = "const at = (day, hour) => new Date(2026, 0, day, hour);\n\
    const make = (name, set, above) => Object.assign(new Task(name, above || null), set);\n\
    make('past', { dueDate: at(27, 23) }); make('past', { plannedDate: at(20, 9), flagged: true });\n\
    make('today', { dueDate: at(28, 0) }); make('today', { deferDate: at(28, 23), dueDate: at(30, 9) });\n\
    make('2026-01-29', { plannedDate: at(29, 0), dueDate: at(31, 9) }); make('2026-01-30', { deferDate: at(30, 8) });\n\
    make('flagged', { flagged: true }); make('flagged', { flagged: true, dueDate: at(31, 9) });\n\
    make('none', { dueDate: at(31, 9) }); make('none', {}); make('none', { deferDate: at(20, 9) });\n\
    const group = make('2026-01-29', { dueDate: at(29, 12) }); make('2026-01-29', {}, group);\n\
    const tag = new Tag('forecast'); settings.setObjectForKey(tag.id.primaryKey, '_ForecastBlessedTagIdentifier');\n\
    make('today', {}).addTag(tag); make('none', { deferDate: at(31, 9) }).addTag(tag); make('2026-01-30', { dueDate: at(30, 23) });";

fn forecast(world: &mut World, more: Json) -> Json {
    let mut query =
        json!({"type": "tasks", "mode": "forecast", "daysAhead": 2, "limit": 500, "fields": ["name"]});
    query.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    world.call("omnifocus_read", &json!({ "query": query }))
}

#[test]
fn each_task_stands_in_the_first_section_that_it_belongs_to() {
    let mut world = World::new();
    let all = "flattenedTasks.filter((task) => task.parent === null || task.inInbox).forEach((task) => task.drop(true)); \
               flattenedProjects.forEach((project) => { project.status = Project.Status.Dropped; });";
    world.evaluate(&format!("(() => {{ {all} {SCENE} return ''; }})()")).unwrap();
    let answer = forecast(&mut world, json!({}));
    let sections = answer["data"]["sections"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let told: Vec<(&str, i64)> = sections
        .iter()
        .map(|section| (section["section"].as_str().unwrap(), section["count"].as_i64().unwrap()))
        .collect();
    assert_eq!(told, [("past", 2), ("today", 3), ("2026-01-29", 3), ("2026-01-30", 2), ("flagged", 2)]);
    for section in sections {
        for task in section["tasks"].as_array().unwrap() {
            assert_eq!(task["name"], section["section"], "{answer}");
        }
    }
    assert_eq!(
        (&answer["metadata"]["total_count"], &answer["metadata"]["truncated"]),
        (&json!(12), &json!(false))
    );

    let cut = forecast(&mut world, json!({"limit": 1, "filters": {"name": {"contains": "2026"}}}));
    let told: Vec<(&Json, usize)> = cut["data"]["sections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|section| (&section["count"], section["tasks"].as_array().unwrap().len()))
        .collect();
    assert_eq!(told, [(&json!(3), 1), (&json!(2), 1)], "the limit is that of each section");
    assert_eq!((&cut["metadata"]["total_count"], &cut["metadata"]["truncated"]), (&json!(5), &json!(true)));

    let paged = forecast(&mut world, json!({"offset": 1}));
    assert!(paged["error"].as_str().unwrap().contains("`query.offset` is given with the mode"), "{paged}");
}
