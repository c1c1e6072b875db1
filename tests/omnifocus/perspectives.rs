//! The contents of perspectives: compares each rule with a simple check of the same tasks.

use iac_plugin::{Json, json};

use crate::world::World;

/// Makes a perspective with these rules, under a name that nothing else has.
fn keep(world: &World, rules: &Json, how: &str) {
    let source = format!(
        "(() => {{ const one = Perspective.Custom.byName('Quick wins'); one.archivedFilterRules = {rules}; one.archivedTopLevelFilterAggregation = {how:?}; }})()"
    );
    world.evaluate(&source).unwrap();
}

fn shown(world: &mut World) -> Json {
    let query = json!({"query": {"type": "tasks", "filters": {"perspective": "quick WINS"}, "limit": 500, "fields": ["id"]}});
    world.call("omnifocus_read", &query)
}

fn ids(answer: &Json) -> Vec<String> {
    let rows = answer["data"]["tasks"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let mut ids: Vec<String> = rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect();
    ids.sort();
    ids
}

/// The rules, how they combine, and the same condition as a plain expression about a task `t`.
#[test]
fn every_rule_is_what_it_says() {
    let mut world = World::new();
    let open = "(() => { const dues = []; for (let at = t; at; at = at.parent) { dues.push([at, at.dueDate]); at.dueDate = null; } \
                const status = t.taskStatus; for (const [at, due] of dues) at.dueDate = due; \
                return status === Task.Status.Available || status === Task.Status.Next; })()";
    let active = "![Task.Status.Completed, Task.Status.Dropped].includes(t.taskStatus)";
    let work: String =
        world.evaluate("flattenedTags.byName('Work').id.primaryKey").unwrap().trim().to_owned();
    let phone: String =
        world.evaluate("flattenedTags.byName('Phone').id.primaryKey").unwrap().trim().to_owned();
    let clients: String =
        world.evaluate("flattenedFolders.byName('Clients').id.primaryKey").unwrap().trim().to_owned();
    let tagged = "t.tags.some((tag) => tag.name === 'Work')";
    let cases = [
        (json!([{"actionAvailability": "available"}]), "all", open.to_owned()),
        (json!([{"actionAvailability": "remaining"}]), "all", active.to_owned()),
        (json!([{"actionAvailability": "completed"}]), "all", "t.taskStatus === Task.Status.Completed".to_owned()),
        (json!([{"actionAvailability": "dropped"}]), "all", "t.taskStatus === Task.Status.Dropped".to_owned()),
        (json!([{"actionStatus": "flagged"}, {"actionAvailability": "remaining"}]), "all", format!("t.effectiveFlagged && {active}")),
        (json!([{"actionStatus": "due"}]), "all", "[Task.Status.DueSoon, Task.Status.Overdue].includes(t.taskStatus)".to_owned()),
        (json!([{"actionHasAnyOfTags": [work]}]), "all", tagged.to_owned()),
        (
            json!([{"actionHasAllOfTags": [work, phone]}]),
            "all",
            format!("{tagged} && t.tags.some((tag) => tag.name === 'Phone')"),
        ),
        (json!([{"actionIsUntagged": true}]), "none", "t.tags.length > 0".to_owned()),
        (json!([{"actionWithinDuration": 15}, {"actionHasNoProject": true}]), "any", "(t.estimatedMinutes !== null && t.estimatedMinutes <= 15) || t.inInbox".to_owned()),
        (json!([{"actionHasDueDate": false}]), "all", "t.effectiveDueDate === null".to_owned()),
        (json!([{"actionRepeats": true}]), "all", "t.repetitionRule !== null".to_owned()),
        (json!([{"actionIsLeaf": true}]), "all", "t.children.length === 0".to_owned()),
        (json!([{"actionIsGroup": true}]), "all", "t.children.length > 0".to_owned()),
        (json!([{"actionMatchingSearch": ["the", "c"]}]), "all", "/the/i.test(t.name + t.note) && /c/i.test(t.name + t.note)".to_owned()),
        (json!([{"actionHasProjectWithStatus": "onHold"}]), "all", "t.containingProject !== null && t.containingProject.status === Project.Status.OnHold".to_owned()),
        (
            json!([{"actionWithinFocus": [clients]}]),
            "all",
            "t.containingProject !== null && t.containingProject.parentFolder !== null && t.containingProject.parentFolder.name === 'Clients'".to_owned(),
        ),
        (json!([{"actionDateField": "due", "actionDateIsToday": true}]), "all", "t.effectiveDueDate !== null && t.effectiveDueDate.toDateString() === new Date().toDateString()".to_owned()),
        (
            json!([{"aggregateType": "none", "aggregateRules": [{"actionStatus": "flagged"}]}, {"actionAvailability": "remaining"}, {"disabledRule": {"actionIsUntagged": true}}]),
            "all",
            format!("!t.effectiveFlagged && {active}"),
        ),
    ];
    let mut filled = 0;
    for (rules, how, plain) in cases {
        keep(&world, &rules, how);
        let expected = format!(
            "JSON.stringify(flattenedTasks.filter((t) => !t.project && ({plain})).map((t) => t.id.primaryKey).sort())"
        );
        let mut expected: Vec<String> = serde_json::from_str(&world.evaluate(&expected).unwrap()).unwrap();
        expected.sort();
        let answer = shown(&mut world);
        assert_eq!(ids(&answer), expected, "{rules} {how}");
        assert!(answer["metadata"].get("warnings").is_none(), "{rules}: {answer}");
        filled += usize::from(!expected.is_empty());
    }
    assert!(filled > 14, "{filled} of them show anything");
}

/// An unknown rule does not narrow the result, and the answer names it.
#[test]
fn what_is_not_known_is_told() {
    let mut world = World::new();
    for (rule, known) in [
        (
            json!({"actionDateField": "due", "actionDateIsInTheNext": {"any": "thing"}}),
            "actionDateIsInTheNext",
        ),
        (json!({"actionAvailability": "someday"}), "actionAvailability"),
        (json!({"somethingNew": true}), "somethingNew"),
        (json!({"toString": true}), "toString"),
    ] {
        keep(&world, &json!([rule, {"actionStatus": "flagged"}]), "all");
        let answer = shown(&mut world);
        let warning = &answer["metadata"]["warnings"][0];
        assert!(warning["rules"][0].get(known).is_some(), "{answer}");
        keep(&world, &json!([{"actionStatus": "flagged"}]), "all");
        assert_eq!(ids(&answer), ids(&shown(&mut world)), "{rule}");
    }
}

/// If no rule is known, there is no answer: all tasks are not the contents of the perspective.
#[test]
fn a_perspective_without_a_known_rule_is_refused() {
    let mut world = World::new();
    for (rules, how, part) in [
        (json!([{"somethingNew": true}]), "all", "{\"somethingNew\":true}"),
        (json!([{"actionDateField": "due"}]), "all", "actionDateField"),
        (
            json!([{"aggregateType": "any", "aggregateRules": [{"somethingNew": 1}, {"actionStatus": "late"}]}]),
            "none",
            "somethingNew",
        ),
    ] {
        keep(&world, &rules, how);
        let answer = shown(&mut world);
        let error = answer["error"].as_str().unwrap_or_default();
        assert!(
            error.starts_with("none of the rules of the perspective `Quick wins` is known")
                && error.contains(part),
            "{answer}"
        );
    }
    keep(&world, &json!([{"actionStatus": "flagged"}]), "most");
    let answer = shown(&mut world);
    assert_eq!(answer["metadata"]["warnings"][0]["rules"], json!([{"aggregateType": "most"}]), "{answer}");
    // A perspective without rules shows everything, and so does one whose only rule is switched off.
    keep(&world, &json!([{"disabledRule": {"actionIsUntagged": true}}]), "all");
    assert_eq!(shown(&mut world)["success"], true);
}

#[test]
fn what_is_no_perspective_is_refused() {
    let mut world = World::new();
    for (name, part) in [
        ("Quick win", "no perspective `Quick win`"),
        ("Forecast", "one of the perspectives of OmniFocus itself"),
        ("Ohne Regeln", "does not tell the rules"),
    ] {
        let query = json!({"query": {"type": "tasks", "filters": {"perspective": name}}});
        let answer = world.call("omnifocus_read", &query);
        assert!(answer["error"].as_str().unwrap().contains(part), "{answer}");
    }
}
