//! The plugin does not harm a real OmniFocus: no script hangs it, none probes for functions that may not exist, and
//! answers stay small.

use std::path::Path;

use iac_plugin::{Arguments, Fault, Json, json};
use omnifocus::{Engine, Script};

use crate::world::{World, moment};

fn read(world: &mut World, query: &Json) -> Json {
    world.call("omnifocus_read", &json!({ "query": query }))
}

/// The app's objects need not have their properties on their prototypes, so the plugin does not look at prototypes.
#[test]
fn no_script_probes_a_prototype() {
    for script in [Script::Read, Script::Look, Script::Write] {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins/omnifocus").join(script.source().0);
        let text = std::fs::read_to_string(path).unwrap();
        assert!(!text.contains("prototype in ") && !text.contains(".prototype"), "{script:?}");
    }
    let mut world = World::new();
    assert_eq!(world.evaluate("'plannedDate' in Task.prototype").unwrap().trim(), "false", "as on a Mac");
    let planned = json!({"type": "tasks", "filters": {"plannedDate": {"exists": true}}, "countOnly": true});
    assert_eq!(read(&mut world, &planned)["success"], true);
    let features = world.call("omnifocus_system", &json!({}))["data"]["features"].clone();
    assert_eq!((&features["plannedDates"], &features["mutuallyExclusiveTags"]), (&json!(true), &json!(true)));
}

#[test]
fn what_a_caller_wrote_is_not_told_at_length() {
    let mut world = World::new();
    for long in ["x".repeat(100_000), "日".repeat(50_000)] {
        for key in ["name", "text"] {
            let answer = read(&mut world, &json!({"type": "tasks", "filters": {key: {"contains": long}}}));
            assert_eq!(answer["success"], true);
            assert!(answer.to_string().len() < 2_000, "{}", answer.to_string().len());
        }
        let long: String = long.chars().take(40_000).collect();
        for filters in [
            json!({"project": long}),
            json!({"tags": {"any": [long]}}),
            json!({"folder": long}),
            json!({"id": long}),
        ] {
            let answer = read(&mut world, &json!({"type": "tasks", "filters": filters}));
            assert!(
                answer["error"].is_string() && answer.to_string().len() < 2_000,
                "{}",
                answer.to_string().len()
            );
        }
        let changes = json!({"operation": "update", "id": "x", "changes": {"project": long}});
        let answer = world.call("omnifocus_write", &json!({"mutation": changes}));
        assert!(
            answer["error"].is_string() && answer.to_string().len() < 2_000,
            "{}",
            answer.to_string().len()
        );
    }
}

#[test]
fn an_expression_that_would_hang_the_app_is_refused_at_once() {
    let mut world = World::new();
    for pattern in ["(a+)+$", "(x|x)*y", "(\\w+\\s?)*$", ".*.*.*x"] {
        let answer = read(&mut world, &json!({"type": "tasks", "filters": {"text": {"matches": pattern}}}));
        assert!(answer["error"].as_str().unwrap().contains("OmniFocus would hang"), "{answer}");
    }
    let flags = json!({"type": "tasks", "filters": {"name": {"matches": "(?i:call)"}}});
    let answer = read(&mut world, &flags).to_string();
    assert!(answer.contains("`(?i:` cannot be read here; case is ignored anyway"), "{answer}");
    assert!(!answer.contains("hang"), "{answer}");
    for pattern in ["(?-i:a)", "(?#a)"] {
        let refused = json!({"type": "tasks", "filters": {"name": {"matches": pattern}}});
        let answer = read(&mut world, &refused).to_string();
        assert!(
            answer.contains("expected a regular expression without flags and special groups"),
            "{answer}"
        );
        assert!(!answer.contains("case is ignored"), "{answer}");
    }
    assert_eq!(world.runs, 0);
}

/// The slowest allowed expressions, with the longest texts that they may be tried on.
#[test]
fn an_expression_takes_its_time_and_no_more() {
    let mut world = World::new();
    let made = "(() => { new Task('long', null).note = 'a'.repeat(100000) + '!'; new Task('short', null).note = 'aa!'; return ''; })()";
    world.evaluate(made).unwrap();
    let just = "(() => { new Task('just', null).note = 'a'.repeat(499); return ''; })()";
    world.evaluate(just).unwrap();
    for (pattern, names) in [
        ("a+$", &["just"][..]),
        ("a*a*b", &[]),
        ("a*ab*a*c", &[]),
        ("a+!$", &["short"]),
        ("^aa*", &["short", "just"]),
    ] {
        let began = std::time::Instant::now();
        let mut found = Vec::new();
        for filter in [json!({"text": {"matches": pattern}}), json!({"NOT": {"text": {"matches": pattern}}})]
        {
            let filters = json!({"name": {"matches": "^(long|short|just)$"}, "AND": [filter]});
            let answer = read(&mut world, &json!({"type": "tasks", "filters": filters}));
            let rows = answer["data"]["tasks"].as_array().unwrap_or_else(|| panic!("{answer}"));
            found.push(rows.iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>());
            let warned = answer["metadata"]["warnings"].to_string();
            assert!(
                warned.contains("characters were not tried") && warned.contains(r#""texts":1"#),
                "{pattern}: {warned}"
            );
        }
        assert_eq!(found[0], names, "{pattern}");
        assert_eq!(found.concat().len(), 2, "{pattern}: whether the long one matches is not known");
        assert!(began.elapsed().as_secs() < 20, "{pattern} took {:?}", began.elapsed());
    }
    world.sabotage = "Date.now = (() => { let at = 0; return () => (at += 1000); })();".to_owned();
    let slow = read(&mut world, &json!({"type": "tasks", "filters": {"name": {"matches": "x"}}}));
    assert!(slow["error"].as_str().unwrap().contains("takes longer than 5 seconds"), "{slow}");
}

#[test]
fn a_summary_is_left_out_or_asked_for() {
    let mut world = World::new();
    let mut has = |query: &Json| read(&mut world, query).get("summary").is_some();
    assert!(has(&json!({"type": "tasks", "limit": 1})));
    assert!(!has(&json!({"type": "tasks", "limit": 1, "summary": false})));
    assert!(!has(&json!({"type": "tasks", "filters": {"name": {"contains": "a"}}})));
    assert!(has(&json!({"type": "tasks", "filters": {"name": {"contains": "a"}}, "summary": true})));
}

/// An engine that runs nothing.
struct Broken(&'static str);

impl Engine for Broken {
    fn run(&mut self, _: Script, _: &Json) -> Result<Json, Fault> {
        Err(Fault::new(self.0, "no"))
    }

    fn run_all(&mut self, _: Script, _: &[Json], _: &[String], _: &[String]) -> Result<Vec<Json>, Fault> {
        Err(Fault::new(self.0, "no"))
    }

    fn app(&self) -> Option<String> {
        None
    }
}

#[test]
fn diagnostics_name_what_may_be_missing() {
    for (code, named) in [("execution_failed", true), ("unknown_command", true), ("unknown_app", false)] {
        let map = json!({"operation": "diagnostics"}).as_object().unwrap().clone();
        let answer =
            omnifocus::call("omnifocus_system", Arguments::from(map), &moment(), &mut Broken(code)).unwrap();
        let check = &answer["data"]["checks"][0];
        assert_eq!(
            check["suggestion"].as_str().unwrap_or_default().contains("OmniFocus Pro"),
            named,
            "{code}: {answer}"
        );
    }
}

#[test]
fn every_edition_is_wanted() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins/omnifocus/plugin.toml");
    let text = std::fs::read_to_string(path).unwrap();
    for edition in ["OmniFocus4", "OmniFocus4.MacAppStore", "OmniFocus3", "OmniFocus3.MacAppStore"] {
        assert_eq!(text.matches(&format!("\"com.omnigroup.{edition}\"")).count(), 2, "{edition}");
    }
}
