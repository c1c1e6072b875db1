use iac_plugin::json;
use proptest::prelude::*;

use super::*;

fn read(arguments: Json) -> Result<Request, Trouble> {
    let Json::Object(map) = arguments else { panic!("a test's arguments are an object") };
    Request::parse(&map)
}

/// Returns the error of the first query, or the error of the whole call.
fn check(arguments: Json, expected: &str) {
    let shown = arguments.to_string();
    let error = match read(arguments) {
        Err(whole) => format!("whole {}: {}", whole.code, whole.message),
        Ok(request) => match request.queries.into_iter().next() {
            Some(Err(one)) => format!("{}: {}", one.code, one.message),
            Some(Ok(query)) => format!("ok {}", query.name()),
            None => "nothing".to_owned(),
        },
    };
    assert_eq!(error, expected, "{shown}");
}

const LIST: &str =
    "findSymbols, outline, diagnostics, references, definition, implementations, typeInfo, completions";

#[test]
fn every_form_of_arguments_is_read() {
    let one = json!({"type": "findSymbols", "query": "handle*"});
    check(one.clone(), "ok findSymbols");
    check(json!({"queries": [one.clone()]}), "ok findSymbols");
    check(json!({"queries": one.clone()}), "ok findSymbols");
    check(json!({"args": [one.clone()]}), "ok findSymbols");
    check(json!({"args": one.clone(), "format": "envelope"}), "ok findSymbols");
    check(json!({"queries": [], "format": null}), "whole BAD_QUERY: no query; give at least one");
    check(json!({"queries": vec![one.clone(); 51]}), "whole BAD_QUERY: 51 queries; a call takes at most 50");
    check(json!({"queries": 3}), "whole BAD_FIELD: \"queries\" must be a list of queries, not a number");
    check(
        json!({"queries": [one.clone()], "limit": 3}),
        "whole BAD_FIELD: \"limit\" beside \"queries\"; put it into each query",
    );
    check(
        json!({"queries": [], "args": []}),
        "whole BAD_FIELD: takes either \"queries\" or \"args\", not both",
    );
    check(json!({"queries": [3]}), "BAD_QUERY: a query is an object, not a number");
    check(
        json!({"type": "status", "format": "xml"}),
        "whole BAD_FIELD: unknown format \"xml\"; use \"plain\", \"rows\" or \"envelope\"",
    );
}

#[test]
fn an_unknown_type_is_named_with_all_that_there_are() {
    check(json!({"type": "find"}), &format!("BAD_QUERY: unknown query type \"find\"; use one of {LIST}"));
    check(json!({}), &format!("BAD_QUERY: a query needs \"type\"; use one of {LIST}"));
    check(
        json!({"type": 3}),
        &format!("BAD_QUERY: \"type\" must be a text, not a number; use one of {LIST}"),
    );
}

#[test]
fn every_type_says_what_it_needs() {
    check(json!({"type": "findSymbols"}), "BAD_FIELD: findSymbols needs \"query\"");
    check(json!({"type": "outline"}), "BAD_FIELD: outline needs \"path\"");
    check(json!({"type": "references"}), "BAD_FIELD: references needs \"symbol\", or \"path\" and \"line\"");
    check(
        json!({"type": "references", "path": "a"}),
        "BAD_FIELD: references needs \"line\" beside \"path\", or \"symbol\"",
    );
    check(json!({"type": "references", "line": 1}), "BAD_FIELD: references needs \"path\"");
    check(json!({"type": "typeInfo", "symbol": "a", "line": 1}), "BAD_FIELD: typeInfo needs \"path\"");
    check(
        json!({"type": "typeInfo", "symbol": "a", "kind": "class", "path": "b", "line": 1, "character": 2}),
        "ok typeInfo",
    );
    check(
        json!({"type": "typeInfo", "symbol": "a", "character": 1}),
        "BAD_FIELD: typeInfo takes \"character\" only with \"line\"",
    );
    check(
        json!({"type": "completions", "path": "a"}),
        "BAD_FIELD: completions needs \"line\" and \"character\", or \"prefix\"",
    );
    check(json!({"type": "completions", "prefix": "a."}), "BAD_FIELD: completions needs \"path\"");
    check(json!({"type": "completions", "path": "a", "prefix": "a.", "line": 2}), "ok completions");
    check(
        json!({"type": "completions", "path": "a", "prefix": "a.", "line": 2, "character": 1}),
        "BAD_FIELD: completions takes either \"prefix\" or \"character\", not both",
    );
    for ready in ["status", "restart", "diagnostics"] {
        check(json!({"type": ready}), &format!("ok {ready}"));
    }
    for about in ["references", "definition", "implementations", "typeInfo", "callers", "callees"] {
        check(json!({"type": about, "symbol": "Foo.bar", "path": null}), &format!("ok {about}"));
        check(json!({"type": about, "path": "a", "line": 1, "character": 2}), &format!("ok {about}"));
    }
}

#[test]
fn fields_are_read_strictly() {
    let find = |field: &str, value: Json| {
        let mut query = json!({"type": "findSymbols", "query": "x"});
        query[field] = value;
        query
    };
    check(find("pth", json!("a")), "BAD_FIELD: unknown field \"pth\" in findSymbols; did you mean \"path\"?");
    check(
        find("symbol", json!("a")),
        "BAD_FIELD: unknown field \"symbol\" in findSymbols; did you mean \"query\"?",
    );
    check(
        find("file", json!("a")),
        "BAD_FIELD: unknown field \"file\" in findSymbols; did you mean \"path\"?",
    );
    check(
        find("zzzzzzzzz", json!("a")),
        "BAD_FIELD: unknown field \"zzzzzzzzz\" in findSymbols; it takes query, path, kind, includeLocals, body, contextLines, exclude, type, limit, \
         offset, countOnly, timeoutMs, waitMs, allowPartial",
    );
    check(find("query", json!(3)), "BAD_FIELD: query must be a text, not a number");
    check(find("query", json!("")), "BAD_PATTERN: pattern must not be empty; use \"*\" for every symbol");
    check(
        find("query", json!("{a,b}".repeat(9))),
        "BAD_PATTERN: pattern expands to more than 256 alternatives",
    );
    check(find("path", json!("")), "BAD_FIELD: \"path\" must not be empty");
    check(find("kind", json!("klass")), "BAD_FIELD: unknown kind \"klass\"; did you mean \"class\"?");
    check(
        find("kind", json!(["class", "klass"])),
        "BAD_FIELD: unknown kind \"klass\"; did you mean \"class\"?",
    );
    check(find("kind", json!(["class,interface", "enum"])), "ok findSymbols");
    check(find("kind", json!([1])), "BAD_FIELD: kind must be a list of texts, not a number");
    check(find("limit", json!(0)), "BAD_FIELD: limit must be >= 1");
    check(find("limit", json!(1001)), "BAD_FIELD: limit must be <= 1000");
    check(find("limit", json!("nine")), "BAD_FIELD: limit must be a whole number, not a text");
    check(find("limit", json!(1.5)), "BAD_FIELD: limit must be a whole number, not a number");
    check(find("limit", json!(10.0)), "ok findSymbols");
    check(find("offset", json!(-1)), "BAD_FIELD: offset must be >= 0");
    check(find("countOnly", json!("yes")), "BAD_FIELD: countOnly must be true or false, not a text");
    check(find("timeoutMs", json!(55_001)), "BAD_FIELD: timeoutMs must be <= 55000");
    check(find("exclude", json!(["**/gen/**"])), "ok findSymbols");
    check(json!({"type": "references", "path": "a", "line": 0}), "BAD_FIELD: line must be >= 1");
    check(json!({"type": "outline", "path": "a", "depth": 0}), "BAD_FIELD: depth must be >= 1");
    check(
        json!({"type": "outline", "path": "a", "query": "x"}),
        "BAD_FIELD: unknown field \"query\" in outline; did you mean \"symbol\"?",
    );
    check(
        json!({"type": "diagnostics", "severity": "fatal"}),
        "BAD_FIELD: unknown severity \"fatal\"; use error, warning, info, hint",
    );
    check(json!({"type": "diagnostics", "severity": "error, warning"}), "ok diagnostics");
    check(
        json!({"type": "status", "path": "a"}),
        "BAD_FIELD: unknown field \"path\" in status; it takes type, limit, offset, countOnly, timeoutMs, waitMs, allowPartial",
    );
}

fn value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|one| json!(one)),
        any::<i64>().prop_map(|one| json!(one)),
        any::<f64>().prop_map(|one| json!(one)),
        ".{0,12}".prop_map(|one| json!(one)),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| json!(items)),
            prop::collection::btree_map("(type|path|query|args|queries|[a-z]{1,5})", inner, 0..4)
                .prop_map(|map| json!(map)),
        ]
    })
}

proptest! {
    #[test]
    fn any_arguments_are_read_without_harm(
        kind in prop::sample::select(TYPES.map(|(name, _)| name).to_vec()),
        fields in prop::collection::btree_map("(type|path|line|character|symbol|query|kind|args|queries|format|prefix)", value(), 0..6),
        typed in any::<bool>(),
    ) {
        let mut arguments = json!(fields);
        if typed {
            arguments["type"] = json!(kind);
        }
        if let Ok(request) = read(arguments) {
            prop_assert!((1..=MOST).contains(&request.queries.len()));
        }
    }
}
