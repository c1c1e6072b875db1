//! The sizes that the tools promise, and a test that data stays data.

use iac_plugin::{Json, json};

use crate::world::World;

#[test]
fn tools_fit_into_their_budget() {
    let mut bytes = 0;
    for tool in omnifocus::tools() {
        assert!(tool.description.chars().count() <= 2_000, "{}", tool.name);
        bytes += tool.description.len() + tool.input_schema.to_string().len();
    }
    println!("all tools together have {bytes} bytes");
    assert!(bytes <= 12_000, "all tools together have {bytes} bytes");
}

/// A search finds text that looks like code, a pattern or an escape literally.
#[test]
fn words_stay_data() {
    let mut world = World::new();
    let tags: Vec<Json> = serde_json::from_str(
        &world.evaluate("JSON.stringify(flattenedTags.map((tag) => tag.name))").unwrap(),
    )
    .unwrap();
    for text in ["\"); deleteAll(\"", "${process.exit(1)}", "\\", "'", "x\u{2028}y", "</script>", "`"] {
        for key in ["name", "text"] {
            let query =
                json!({"query": {"type": "tasks", "filters": {key: {"contains": text}}, "fields": ["name"]}});
            let answer = world.call("omnifocus_read", &query);
            assert_eq!(answer["success"], true, "{text}: {answer}");
            for task in answer["data"]["tasks"].as_array().unwrap() {
                assert!(key == "text" || task["name"].as_str().unwrap().contains(text), "{text}: {task}");
            }
        }
        let tagged = json!({"query": {"type": "tasks", "filters": {"tags": {"any": [text]}}}});
        let answer = world.call("omnifocus_read", &tagged);
        let known = tags.contains(&json!(text));
        assert_eq!(answer["success"] == true, known, "{answer}");
        assert!(known || answer["error"] == format!("no tag `{text}`"), "{answer}");
    }
    for pattern in ["a/b", "/", "\\/", "(a|b)/?$"] {
        let query =
            json!({"query": {"type": "tasks", "filters": {"text": {"matches": pattern}}, "countOnly": true}});
        assert_eq!(world.call("omnifocus_read", &query)["success"], true, "{pattern}");
    }
}

/// The slowest analysis of ten thousand tasks takes one run, and its answer is small enough for a client.
#[test]
fn ten_thousand_tasks_are_one_run() {
    let mut world = World::with_tasks(10_000, 3);
    let answer = world.call("omnifocus_analyze", &json!({"analysis": {"type": "pattern_analysis"}}));
    assert_eq!(world.runs, 1);
    assert_eq!(answer["success"], true, "{answer}");
    assert!(answer.to_string().len() < 100_000, "{}", answer.to_string().len());
}
