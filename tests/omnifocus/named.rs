//! Items are found by name, and figures mean what their names say.

use iac_plugin::{Json, json};

use crate::world::World;

fn read(world: &mut World, query: &Json) -> Json {
    world.call("omnifocus_read", &json!({ "query": query }))
}

/// A folder with any name is found by its own name, its path and its id, for reads and for changes.
#[test]
fn a_folder_is_found_by_any_name_it_may_have() {
    let names = ["a/b", "/", "a//b", "x : y", "R&D \"s\": <b>/\\", "..", "日本/語", "Work", "null/", "it's"];
    let mut world = World::new();
    let make = format!(
        "JSON.stringify({}.map((name) => {{ const folder = new Folder(name, new Folder('Above ' + name)); new Project('in ' + name, folder); \
         return folder.id.primaryKey; }}))",
        json!(names)
    );
    let ids: Vec<String> = serde_json::from_str(&world.evaluate(&make).unwrap()).unwrap();
    for (name, id) in names.iter().zip(&ids) {
        let name = *name;
        for written in [name.to_owned(), format!("Above {name} : {name}"), id.clone()] {
            let query = json!({"type": "projects", "filters": {"folder": written}, "limit": 500});
            let answer = read(&mut world, &query);
            let rows = answer["data"]["projects"].as_array().unwrap_or_else(|| panic!("{written}: {answer}"));
            let project = format!("in {name}");
            assert!(rows.iter().any(|row| row["name"].as_str().unwrap() == project), "{written}: {answer}");
            let data =
                json!({"name": "made", "folder": if written == name { id.clone() } else { written.clone() }});
            let made = json!({"mutation": {"operation": "create", "target": "project", "data": data}});
            assert_eq!(world.call("omnifocus_write", &made)["success"], true, "{written}");
        }
    }
}

/// Unicode writes some letters in two ways, with one meaning. A text that comes from a file's name often has the other.
#[test]
fn letters_in_two_forms_are_the_same() {
    let mut world = World::new();
    let (whole, parts) = ("Cafe\u{301} Mu\u{308}ller", "Caf\u{e9} M\u{fc}ller");
    let make = format!(
        "(() => {{ const tag = new Tag({0}), folder = new Folder({0}), project = new Project({0}, folder), task = new Task({1}, project); task.note = {0}; task.addTag(tag); return task.id.primaryKey; }})()",
        json!(whole),
        json!(parts)
    );
    let id = world.evaluate(&make).unwrap().trim().to_owned();
    for text in [whole, parts, &whole.to_lowercase(), &parts.to_lowercase()] {
        for filter in [
            json!({"name": {"contains": text}}),
            json!({"text": {"contains": text}}),
            json!({"name": {"matches": text}}),
            json!({"text": {"matches": format!("^{text}$")}}),
            json!({"project": text}),
            json!({"folder": text}),
            json!({"tags": {"all": [text]}}),
        ] {
            let answer = read(&mut world, &json!({"type": "tasks", "filters": filter, "fields": ["id"]}));
            assert_eq!(answer["data"]["tasks"], json!([{ "id": id }]), "{text} {filter}: {answer}");
        }
        let update = json!({"mutation": {"operation": "update", "id": id, "changes": {"addTags": [text], "project": text}}});
        let answer = world.call("omnifocus_write", &update);
        assert_eq!(
            (&answer["success"], &answer["data"]["createdTags"]),
            (&json!(true), &Json::Null),
            "{answer}"
        );
    }
}

/// A mode and a filter that exclude each other match nothing, and the answer says so.
#[test]
fn a_mode_and_a_filter_may_contradict_each_other() {
    let mut world = World::new();
    for (mode, filter, is_refused) in [
        ("available", json!({"blocked": true}), true),
        ("blocked", json!({"available": true}), true),
        ("available", json!({"status": "completed"}), true),
        ("available", json!({"AND": [{"blocked": true}]}), true),
        ("inbox", json!({"project": "Roof"}), true),
        ("inbox", json!({"folder": null}), true),
        ("forecast_past", json!({"blocked": true}), false),
        ("available", json!({"available": false}), false),
        ("available", json!({"OR": [{"blocked": true}, {"flagged": true}]}), false),
    ] {
        let answer = read(&mut world, &json!({"type": "tasks", "mode": mode, "filters": filter}));
        let told = answer["error"]
            .as_str()
            .is_some_and(|error| error.contains("`query.mode`") && error.contains("contradict each other"));
        assert_eq!(told, is_refused, "{mode} {filter}: {answer}");
        assert_eq!(answer["success"] == true, !is_refused, "{mode} {filter}: {answer}");
    }
}

/// Tags that are there already are not new ones, whatever their case and whether they have a path.
#[test]
fn notes_know_the_tags_that_are_there() {
    let mut world = World::new();
    let items = json!([{"name": "x", "tags": ["work", "People : ana", "Ana", "Nobody", "People : Nobody"]}]);
    let analysis = json!({"analysis": {"type": "parse_meeting_notes", "params": {"items": items}}});
    let answer = world.call("omnifocus_analyze", &analysis);
    let tags = json!({"existing": ["work", "People : ana", "Ana"], "new": ["Nobody", "People : Nobody"]});
    assert_eq!(answer["data"]["items"][0]["tags"], tags, "{answer}");
}

/// A project that repeats is a repeating item too.
#[test]
fn projects_that_repeat_are_listed() {
    let mut world = World::new();
    let analyze = |world: &mut World, operation: &str| {
        let analysis = json!({"analysis": {"type": "recurring_tasks", "params": {"operation": operation}}});
        world.call("omnifocus_analyze", &analysis)["data"].clone()
    };
    let (before, patterns) = (analyze(&mut world, "analyze"), analyze(&mut world, "patterns"));
    let make = "(() => { const project = new Project('Clean'); project.dueDate = new Date(2026, 0, 5, 17); \
                project.repetitionRule = new Task.RepetitionRule('FREQ=WEEKLY', null, Task.RepetitionScheduleType.Regularly, Task.AnchorDateKey.DueDate, true); \
                return project.id.primaryKey; })()";
    let id = world.evaluate(make).unwrap().trim().to_owned();
    let after = analyze(&mut world, "analyze");
    let count = |data: &Json, key: &str| data["summary"][key].as_i64().unwrap();
    for (key, more) in [("totalRecurring", 1), ("projects", 1), ("overdue", 1), ("dueThisWeek", 0)] {
        assert_eq!(count(&after, key) - count(&before, key), more, "{key}");
    }
    let row = after["projects"].as_array().unwrap().iter().find(|row| row["id"] == json!(id)).unwrap();
    assert_eq!(
        (&row["frequency"], &row["isOverdue"], &row["overdueDays"]),
        (&json!("Weekly"), &json!(true), &json!(22))
    );
    assert_eq!(after["tasks"], before["tasks"]);
    let total = |data: &Json| data["totalRecurring"].as_i64().unwrap();
    assert_eq!(total(&analyze(&mut world, "patterns")) - total(&patterns), 1);
}

/// A task that is flagged through its project is flagged in every row that says why it is there.
#[test]
fn rows_show_the_flag_that_counts() {
    let mut world = World::new();
    let make = "(() => { const project = new Project('P'), task = new Task('late', project); project.flagged = true; task.dueDate = new Date(2026, 0, 5, 17); return task.id.primaryKey; })()";
    let id = world.evaluate(make).unwrap().trim().to_owned();
    let is_flagged = |rows: &Json| {
        let all = rows.as_array().unwrap_or_else(|| panic!("{rows}"));
        all.iter().find(|row| row["id"] == json!(id)).unwrap()["effectiveFlagged"].clone()
    };
    let answer = read(&mut world, &json!({"type": "tasks", "mode": "overdue", "limit": 500}));
    assert_eq!(is_flagged(&answer["data"]["tasks"]), true, "{answer}");
    let answer = world.call("omnifocus_analyze", &json!({"analysis": {"type": "overdue_analysis"}}));
    assert_eq!(is_flagged(&answer["data"]["bySeverity"]["high"]["tasks"]), true, "{answer}");
}

/// People copy an id from an export into another call.
#[test]
fn ids_are_exact_in_every_export() {
    let mut world = World::with_tasks(1_000, 5);
    let all: Vec<String> = serde_json::from_str(
        &world.evaluate("JSON.stringify(flattenedTasks.map((task) => task.id.primaryKey))").unwrap(),
    )
    .unwrap();
    assert!(all.iter().any(|id| id.starts_with('-')) && all.iter().any(|id| id.contains('_')));
    for format in ["csv", "markdown"] {
        let query = json!({"type": "export", "exportType": "tasks", "format": format, "fields": ["id"], "filters": {"NOT": {"status": "active"}}});
        let text = read(&mut world, &query)["data"]["content"].as_str().unwrap().to_owned();
        let mut ids = text.lines().filter_map(|line| match format {
            "csv" => Some(line).filter(|line| *line != "id"),
            _ => line.trim().strip_prefix("- id: "),
        });
        let found: Vec<&str> = ids.by_ref().collect();
        assert!(found.len() > 50, "{text}");
        assert!(found.iter().all(|id| all.iter().any(|known| known == id)), "{format}: {found:?}");
    }
}

/// Averages cover all days, including days without activity.
#[test]
fn averages_count_idle_days() {
    let mut world = World::new();
    for (start, end, unit) in [
        ("2026-01-01", "2026-01-28", "day"),
        ("2025-12-01", "2026-02-28", "week"),
        ("2026-01-22", "2026-01-28", "month"),
    ] {
        let range = json!({"start": start, "end": end});
        let analysis =
            json!({"type": "task_velocity", "scope": {"dateRange": range}, "params": {"groupBy": unit}});
        let velocity =
            world.call("omnifocus_analyze", &json!({ "analysis": analysis }))["data"]["velocity"].clone();
        let number = |key: &str| velocity[key].as_f64().unwrap_or_else(|| panic!("{key}: {velocity}"));
        let (done, made, days) = (number("tasksCompleted"), number("tasksCreated"), number("daysAveraged"));
        let length = match unit {
            "day" => 1.0,
            "week" => 7.0,
            _ => 30.0,
        };
        let near = |found: f64, wanted: f64, step: f64| {
            assert!((found - wanted).abs() <= step, "{found}, not {wanted}: {velocity}")
        };
        assert!(
            (days
                - match start {
                    "2025-12-01" => 59.0,
                    "2026-01-01" => 28.0,
                    _ => 7.0,
                })
            .abs()
                < 0.1,
            "{velocity}"
        );
        near(number("averagePerDay"), done / days, 0.005);
        near(number("predictedCapacity"), done / days * 7.0, 0.05);
        near(number("averageCreated"), made / days * length, 0.005);
        near(number("backlogGrowthRate"), (made - done) / days * length, 0.005);
    }
}

#[test]
fn the_usual_period_has_seven_days_and_a_blocked_rate_is_called_so() {
    let mut world = World::new();
    let data =
        world.call("omnifocus_analyze", &json!({"analysis": {"type": "productivity_stats"}}))["data"].clone();
    assert_eq!(data["stats"]["overview"]["daysInPeriod"], 7.0, "{data}");
    // The seven days up to Wednesday are in two weeks of the calendar.
    let starts: Vec<&Json> =
        data["stats"]["periods"].as_array().unwrap().iter().map(|part| &part["start"]).collect();
    assert_eq!(starts, ["2026-01-22T00:00:00+01:00", "2026-01-26T00:00:00+01:00"], "{data}");
    for tag in data["stats"]["tagStats"].as_array().unwrap() {
        let (open, left) = (tag["available"].as_f64().unwrap(), tag["remaining"].as_f64().unwrap());
        let rate = tag["blockedRate"].as_f64().unwrap();
        assert!((rate - (left - open) / left).abs() < 0.0001 && tag.get("completionRate").is_none(), "{tag}");
    }
}

/// Equal names below two parents are distinguished by their paths.
#[test]
fn equal_tags_are_told_apart() {
    let mut world = World::new();
    let make = "(() => { for (const above of ['Left', 'Right']) { const tag = new Tag('Same', new Tag(above)); \
                const task = new Task('tagged ' + above, null); task.addTag(tag); } })()";
    world.evaluate(make).unwrap();
    for (tag, rows) in [("Left : Same", 1), ("right : same", 1), ("Same", 2), ("same", 2)] {
        let answer = read(
            &mut world,
            &json!({"type": "tasks", "filters": {"tags": {"any": [tag]}}, "fields": ["name", "tags"]}),
        );
        let found = answer["data"]["tasks"].as_array().unwrap_or_else(|| panic!("{tag}: {answer}"));
        assert_eq!(found.len(), rows, "{tag}: {answer}");
        assert!(found.iter().all(|row| row["tags"][0].as_str().unwrap().ends_with(" : Same")), "{answer}");
    }
    let create = |tag: &str| json!({"mutation": {"operation": "create", "target": "task", "data": {"name": "x", "tags": [tag]}}});
    let answer = world.call("omnifocus_write", &create("Same"));
    assert!(answer["error"].as_str().unwrap().contains("2 tags are named `Same`"), "{answer}");
    let answer = world.call("omnifocus_write", &create("Left : Same"));
    assert_eq!(answer["data"]["tags"], json!(["Left : Same"]), "{answer}");
}

/// A folder's own name comes before names that contain it; a part of a name is told.
#[test]
fn an_exact_folder_comes_first() {
    let mut world = World::new();
    let make = "(() => { for (const name of ['Shop', 'Workshop', 'Wo/Shopping']) new Project('in ' + name, new Folder(name)); })()";
    world.evaluate(make).unwrap();
    for (folder, names, warned) in [
        ("shop", vec!["in Shop"], false),
        ("Workshop", vec!["in Workshop"], false),
        ("sho", vec!["in Shop", "in Workshop", "in Wo/Shopping"], true),
        ("o/shopp", vec!["in Wo/Shopping"], true),
    ] {
        let query = json!({"type": "projects", "filters": {"folder": folder}, "fields": ["name"]});
        let answer = read(&mut world, &query);
        let rows = answer["data"]["projects"].as_array().unwrap_or_else(|| panic!("{folder}: {answer}"));
        let found: Vec<&str> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
        assert_eq!(found, names, "{folder}");
        assert_eq!(answer["metadata"].get("warnings").is_some(), warned, "{answer}");
    }
}

/// A tag does not mean the tags below it, unless the filter says so.
#[test]
fn the_tags_below_a_tag_can_be_asked_for() {
    let mut world = World::new();
    let make = "(() => { const above = new Tag('Above it'), below = new Tag('Below it', above); new Task('tagged below', null).addTag(below); })()";
    world.evaluate(make).unwrap();
    let mut ask = |tags: Json| {
        read(&mut world, &json!({"type": "tasks", "filters": {"tags": tags}, "fields": ["name"]}))
    };
    let answer = ask(json!({"any": ["above it"]}));
    assert_eq!(answer["metadata"]["total_count"], 0, "{answer}");
    let warnings = answer["metadata"]["warnings"].as_array().unwrap();
    assert_eq!((warnings.len(), &warnings[0]["below"]), (1, &json!(["Above it : Below it"])), "{answer}");
    let answer = ask(json!({"any": ["above it"], "below": true}));
    assert_eq!(answer["data"]["tasks"][0]["name"], "tagged below", "{answer}");
    assert_eq!(answer["metadata"].get("warnings"), None, "{answer}");
}

/// Projects are named in any case, for reads and for changes; an exact name comes first.
#[test]
fn projects_are_named_in_any_case() {
    let mut world = World::new();
    let make = "(() => { for (const name of ['Attic', 'Cellar', 'CELLAR']) new Task('in ' + name, new Project(name)); })()";
    world.evaluate(make).unwrap();
    for (name, task) in [("attic", "in Attic"), ("Cellar", "in Cellar"), ("CELLAR", "in CELLAR")] {
        let answer =
            read(&mut world, &json!({"type": "tasks", "filters": {"project": name}, "fields": ["name"]}));
        assert_eq!(answer["data"]["tasks"][0]["name"], task, "{answer}");
    }
    let update = |name: &str| json!({"mutation": {"operation": "update", "target": "project", "id": name, "changes": {"status": "on_hold"}}});
    let answer = world.call("omnifocus_write", &update("attic"));
    assert_eq!((&answer["data"]["name"], &answer["data"]["status"]), (&json!("Attic"), &json!("on_hold")));
    let answer = world.call("omnifocus_write", &update("cellar"));
    assert!(answer["error"].as_str().unwrap().contains("2 projects are named `cellar`"), "{answer}");
    let answer = world.call("omnifocus_write", &update("nowhere"));
    assert!(answer["error"].as_str().unwrap().contains("no project `nowhere`"), "{answer}");
}

/// The link of a project has the id of its root task, so that id finds the project too.
#[test]
fn a_project_is_found_by_its_root() {
    let mut world = World::new();
    let ids = "JSON.stringify((() => { const project = new Project('P'); return [project.id.primaryKey, project.task.id.primaryKey]; })())";
    let ids: [String; 2] = serde_json::from_str(&world.evaluate(ids).unwrap()).unwrap();
    let query = json!({"query": {"type": "projects", "filters": {"id": ids[1]}, "fields": ["id"]}});
    let answer = world.call("omnifocus_read", &query);
    assert_eq!(answer["data"]["projects"], json!([{"id": ids[0]}]), "{answer}");
}

/// A project whose task was changed lately is not dormant.
#[test]
fn a_change_of_a_task_wakes_its_project() {
    let mut world = World::new();
    let make = "(() => { for (const name of ['Asleep', 'Awake']) { const project = new Project(name), task = new Task(name, project); \
                project.task.modified = new Date(2025, 8, 1); task.modified = name === 'Awake' ? new Date(2026, 0, 20) : new Date(2025, 8, 2); } return ''; })()";
    world.evaluate(make).unwrap();
    let analysis =
        json!({"analysis": {"type": "pattern_analysis", "params": {"insights": ["dormant_projects"]}}});
    let text = world.call("omnifocus_analyze", &analysis).to_string();
    assert!(text.contains("\"Asleep\"") && !text.contains("\"Awake\""), "{text}");
}
