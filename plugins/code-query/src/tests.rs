//! Scenarios as data, and properties that every answer has, against a small model of a language server.

mod model;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use iac_plugin::serde_json::{self, Map};
use iac_plugin::{Json, json};
use proptest::prelude::*;

use crate::doubts::Doubts;
use crate::find::{self, Way};
use crate::kinds::Kinds;
use crate::pattern::Pattern;
use crate::request::{Ask, Request};
use crate::scope::Desk;
use crate::world::Workspace;
use model::{Knobs, Model};

/// Rewrites the expected answers instead of comparing; review the diff.
const REWRITE: &str = "UPDATE_EXPECT";

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

fn project() -> BTreeMap<String, String> {
    let root = fixtures().join("project");
    let mut files = BTreeMap::new();
    for folder in ["src", "lib", "ignored"] {
        for entry in fs::read_dir(root.join(folder)).expect("the fixture's folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
            files.insert(format!("{folder}/{name}"), fs::read_to_string(&path).expect("a text"));
        }
    }
    files
}

fn ask(model: Model, arguments: &Json) -> Json {
    let workspaces: Vec<Box<dyn Workspace>> = vec![Box::new(model)];
    ask_all(&workspaces, arguments)
}

fn ask_all(workspaces: &[Box<dyn Workspace + '_>], arguments: &Json) -> Json {
    let empty = Map::new();
    match crate::answer(workspaces, &[], arguments.as_object().unwrap_or(&empty)) {
        Ok(answer) => answer,
        Err(fault) => json!({"fault": fault.code, "message": fault.message, "suggestion": fault.suggestion}),
    }
}

/// Every file in `fixtures/scenarios`: a list of `{"arguments", "server"?, "answer"}`.
#[test]
fn scenarios_are_answered_as_written() {
    let files = scenario_files();
    let mut wrong = Vec::new();
    for file in &files {
        let mut scenarios = scenarios(file);
        for scenario in &mut scenarios {
            let answer = ask(Model::new(project(), Knobs::read(&scenario["server"])), &scenario["arguments"]);
            if scenario["answer"] != answer {
                wrong.push(format!(
                    "{}\n  {}\n  is       {answer}\n  expected {}",
                    file.display(),
                    scenario["arguments"],
                    scenario["answer"]
                ));
                scenario["answer"] = answer;
            }
        }
        if std::env::var_os(REWRITE).is_some() {
            rewrite(file, &lines(&scenarios));
        }
    }
    assert!(files.len() > 5, "there are scenarios");
    assert!(wrong.is_empty() || std::env::var_os(REWRITE).is_some(), "{}", wrong.join("\n"));
}

fn scenario_files() -> Vec<PathBuf> {
    let entries = fs::read_dir(fixtures().join("scenarios")).expect("the scenarios");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

fn scenarios(file: &Path) -> Vec<Json> {
    let text = fs::read_to_string(file).expect("a text");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

#[test]
fn candidates_can_be_sent_back_as_they_are() {
    let all: Vec<Json> = scenario_files().iter().flat_map(|file| scenarios(file)).collect();
    let mut sent = 0;
    for scenario in &all {
        let candidates = scenario["answer"]["results"][0]["candidates"].as_array();
        for candidate in candidates.into_iter().flatten() {
            let mut query = candidate.clone();
            query["type"] = scenario["arguments"]["type"].clone();
            let server = Knobs::read(&scenario["server"]);
            let answer = ask(Model::new(project(), server), &query);
            assert!(answer["results"][0]["error"].is_null(), "{query}: {answer}");
            sent += 1;
        }
    }
    assert!(sent > 3, "there are ambiguities");
}

#[expect(clippy::disallowed_methods, reason = "a fixture is no state, and is written by hand's order only")]
fn rewrite(file: &Path, text: &str) {
    fs::write(file, text).expect("the fixture can be written");
}

/// One scenario on three lines, so that a difference can be read.
fn lines(scenarios: &[Json]) -> String {
    let show = |scenario: &Json| {
        let server =
            scenario.get("server").map(|server| format!("\"server\": {server},\n  ")).unwrap_or_default();
        let answer =
            serde_json::to_string_pretty(&scenario["answer"]).unwrap_or_default().replace('\n', "\n  ");
        format!("{{{server}\"arguments\": {},\n  \"answer\": {answer}}}", scenario["arguments"])
    };
    format!("[{}]\n", scenarios.iter().map(show).collect::<Vec<_>>().join(",\n"))
}

fn plain() -> Model {
    Model::new(project(), Knobs::read(&model::none()))
}

/// The queries that these tests combine into batches.
fn queries() -> Vec<Json> {
    vec![
        json!({"type": "findSymbols", "query": "{get,set}*"}),
        json!({"type": "findSymbols", "query": "*", "limit": 3}),
        json!({"type": "outline", "path": "src/animation.toy"}),
        json!({"type": "outline", "path": "nowhere.toy"}),
        json!({"type": "references", "symbol": "getFrame"}),
        json!({"type": "references", "symbol": "handleOpen"}),
        json!({"type": "diagnostics"}),
        json!({"type": "typeInfo", "symbol": "greet"}),
        json!({"type": "find"}),
        json!({"type": "callers", "symbol": "getFrame"}),
    ]
}

#[test]
fn a_batch_is_its_queries_one_after_another() {
    let batch = ask(plain(), &json!({"queries": queries()}));
    let singles: Vec<Json> =
        queries().iter().map(|query| ask(plain(), query)["results"][0].clone()).collect();
    assert_eq!(batch["results"], json!(singles));
}

#[test]
fn pages_are_the_whole_one_after_another() {
    for query in [
        json!({"type": "findSymbols", "query": "*"}),
        json!({"type": "outline", "path": "src/animation.toy"}),
        json!({"type": "references", "symbol": "getFrame", "includeDeclaration": true}),
        json!({"type": "diagnostics"}),
        json!({"type": "callees", "path": "src/animation.toy", "line": 15}),
    ] {
        let mut query = query;
        query["format"] = json!("rows");
        let whole = ask(plain(), &query)["results"][0].clone();
        let total = whole["total"].as_u64().expect("a total");
        assert!(total > 1 && whole["complete"] == true, "{whole}");
        for limit in 1..=total + 1 {
            let mut joined: Vec<Json> = Vec::new();
            for offset in (0..total).step_by(usize::try_from(limit).expect("small")) {
                let mut page = query.clone();
                page["limit"] = json!(limit);
                page["offset"] = json!(offset);
                let answer = ask(plain(), &page)["results"][0].clone();
                assert_eq!(answer["total"], total);
                assert_eq!(answer["complete"], offset + limit >= total, "{answer}");
                joined.extend(answer["result"].as_array().expect("a list").clone());
            }
            assert_eq!(json!(joined), whole["result"], "{query} by {limit}");
        }
    }
}

/// The host cuts a line of a minified file.
#[test]
fn places_far_behind_in_a_line_are_explained() {
    let check = |character: usize| {
        let files = BTreeMap::from([("long.toy".to_owned(), format!("function long{}", " x".repeat(4_994)))]);
        let query = json!({"type": "definition", "path": "long.toy", "line": 1, "character": character});
        ask(Model::new(files, Knobs::read(&model::none())), &query)["results"][0].clone()
    };
    let far = "line 1 of long.toy is longer than 10000 characters; places further on cannot be asked about";
    assert_eq!(check(20_000)["error"], far);
    assert_eq!(check(9_999)["note"], "toyls knows no definition of `x` there");
}

/// A search for all symbols of a file finds what its outline shows, without the tree.
#[test]
fn all_symbols_of_a_file_are_its_flattened_outline() {
    for path in ["src/animation.toy", "src/handler.toy", "lib/names.toy"] {
        let found =
            ask(plain(), &json!({"type": "findSymbols", "query": "*", "path": path, "format": "rows"}));
        let outline = ask(plain(), &json!({"type": "outline", "path": path}));
        let mut names = Vec::new();
        flatten(&outline["results"][0]["result"], path, &mut names);
        let found: Vec<String> = found["results"][0]["result"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| format!("{} {} {}", one["kind"], one["name"], one["path"]))
            .collect();
        assert_eq!(found, names, "{path}");
        assert_eq!(outline["results"][0]["symbols"], names.len());
    }
}

fn flatten(nodes: &Json, path: &str, names: &mut Vec<String>) {
    for node in nodes.as_array().into_iter().flatten() {
        let range = node["range"].as_str().unwrap_or("");
        names.push(format!("{} {} {}", node["kind"], node["name"], json!(format!("{path}:{range}"))));
        flatten(&node["children"], path, names);
    }
}

/// The names that each kind of file selection finds, and the questions that it asked.
fn found(model: Model, pattern: &str, way: Way) -> (Vec<String>, bool) {
    let workspaces: Vec<Box<dyn Workspace>> = vec![Box::new(model)];
    let desk = Desk::new(workspaces.iter().map(AsRef::as_ref), &[]);
    let request =
        Request::parse(json!({"type": "findSymbols", "query": pattern}).as_object().expect("an object"));
    let query = request.expect("a request").queries.remove(0).expect("a query");
    let Ask::FindSymbols { pattern, .. } = &query.ask else { panic!("another query") };
    let wanted = find::Wanted {
        pattern,
        kinds: Kinds::ALL,
        locals: false,
        path: None,
        exclude: &[],
        what: "findSymbols",
    };
    let mut doubts = Doubts::default();
    let hits = find::hits(&desk, &wanted, &query.common, way, &mut doubts).expect("an answer");
    let show = |hit: &find::Hit<'_>| {
        format!("{} {}", hit.site.show_range(&hit.path, &hit.node.range()), hit.node.full_name())
    };
    (hits.iter().map(show).collect(), doubts.is_complete())
}

#[test]
fn every_way_of_looking_finds_the_same() {
    let patterns = [
        "handle*", "*handle*", "{get,set}*", "[A-Z]*Service", "Animation.get*", "*OPEN", "*rame", "**.area",
        "nothing*", "*", "deflate", "größe", "*item1*",
    ];
    for knobs in
        [json!({}), json!({"cap": 2}), json!({"heads": true}), json!({"flat": true}), json!({"loading": 9})]
    {
        for files in [project(), model::long(3, 4)] {
            for pattern in patterns {
                let model = || Model::new(files.clone(), Knobs::read(&knobs));
                let (all, _) = found(model(), pattern, Way::Crawl);
                assert_eq!(found(model(), pattern, Way::Best).0, all, "{pattern} {knobs}");
                assert_eq!(found(model(), pattern, Way::Index).0, all, "{pattern} {knobs}");
            }
        }
    }
}

#[test]
fn the_index_spares_files_where_it_can_be_relied_upon() {
    let asked = |knobs: Json| {
        let model = Box::leak(Box::new(Model::new(model::long(9, 2), Knobs::read(&knobs))));
        let workspaces: Vec<Box<dyn Workspace>> = vec![Box::new(Lent(model))];
        let desk = Desk::new(workspaces.iter().map(AsRef::as_ref), &[]);
        let pattern = Pattern::parse("*item0of3").expect("a pattern");
        let request =
            Request::parse(json!({"type": "findSymbols", "query": "x"}).as_object().expect("an object"));
        let query = request.expect("a request").queries.remove(0).expect("a query");
        let wanted = find::Wanted {
            pattern: &pattern,
            kinds: Kinds::ALL,
            locals: false,
            path: None,
            exclude: &[],
            what: "findSymbols",
        };
        find::hits(&desk, &wanted, &query.common, Way::Index, &mut Doubts::default()).expect("an answer");
        model.asked.borrow().join(", ")
    };
    assert_eq!(asked(json!({})), "workspace-symbols item0of3, symbol-parts 1");
    assert_eq!(asked(json!({"heads": true})), "symbol-parts 1");
    assert_eq!(asked(json!({"cap": 1})), "workspace-symbols item0of3, symbol-parts 1");
}

/// `Animation.*` searches only files that contain `Animation`.
#[test]
fn the_letters_of_a_holder_choose_files() {
    for (pattern, files) in [("Animation.*", 3), ("UserService.**.a", 1), ("Animation.get*", 3), ("*", 4)] {
        let model = Box::leak(Box::new(plain()));
        let workspaces: Vec<Box<dyn Workspace>> = vec![Box::new(Lent(model))];
        ask_all(&workspaces, &json!({"type": "findSymbols", "query": pattern}));
        let asked = model.asked.borrow().join(", ");
        let count: usize = asked.rsplit(' ').next().and_then(|count| count.parse().ok()).unwrap_or_default();
        assert_eq!(count, files, "{pattern}: {asked}");
    }
}

/// However many queries there are, each round asks at most one question of each kind.
#[test]
fn queries_of_one_call_ask_together() {
    let check = |queries: Json, expected: &[&str]| {
        let model = Box::leak(Box::new(Model::new(model::long(9, 2), Knobs::read(&model::none()))));
        let workspaces: Vec<Box<dyn Workspace>> = vec![Box::new(Lent(model))];
        let answer = ask_all(&workspaces, &json!({ "queries": queries }));
        let results = answer["results"].as_array().unwrap_or_else(|| panic!("{answer}"));
        assert!(results.iter().all(|result| result["complete"] == true), "{answer}");
        assert_eq!(*model.asked.borrow(), expected, "{queries}");
    };
    let places = |kind: &str| -> Json {
        let query = |file: usize| json!({"type": kind, "path": format!("src/file{file:03}.toy"), "line": 1, "character": 12});
        (0..9).map(query).collect()
    };
    check(places("typeInfo"), &["hover 9"]);
    check(places("references"), &["symbol-parts 9", "related 9"]);
    let mut uses = places("references");
    uses.as_array_mut().into_iter().flatten().for_each(|query| query["includeDeclaration"] = json!(true));
    check(uses, &["symbol-parts 9", "related 18", "symbol-parts 9"]);
    check(places("definition"), &["related 9", "symbol-parts 9"]);
    let by_name = |kind: &str| -> Json {
        (0..9).map(|file| json!({"type": kind, "symbol": format!("handleItem0Of{file}")})).collect()
    };
    check(by_name("typeInfo"), &["symbol-parts 9", "hover 9"]);
    check(
        json!([{"type": "outline", "path": "src/file000.toy"}, {"type": "outline", "path": "src/file001.toy"}]),
        &["document-symbols 2"],
    );
    let same: Json = (0..9).map(|_| json!({"type": "findSymbols", "query": "getOne*"})).collect();
    check(same, &["symbol-parts 9"]);
    // Queries that change something keep their order, and answers from before a change are dropped.
    let acting = json!([{"type": "typeInfo", "path": "src/file000.toy", "line": 1, "character": 12}, {"type": "restart"},
        {"type": "typeInfo", "path": "src/file000.toy", "line": 1, "character": 12}]);
    check(acting, &["hover 1", "restart", "hover 1"]);
}

/// A model server that a test can inspect afterwards.
struct Lent(&'static Model);

macro_rules! lend {
    ($($name:ident($($argument:ident: $kind:ty),*) -> $answer:ty;)*) => {
        impl Workspace for Lent {
            $(fn $name(&self, $($argument: $kind),*) -> $answer { self.0.$name($($argument),*) })*
        }
    };
}

use crate::world::*;

lend! {
    root() -> String;
    servers() -> Vec<Server>;
    files(filter: &FileFilter) -> Result<Files, Failure>;
    text(path: &str) -> Result<String, Failure>;
    lines(lines: &[Line]) -> Vec<Option<String>>;
    prepare(language: &str, deadline: u32) -> Result<Server, Failure>;
    document_symbols(paths: &[String], deadline: u32) -> Each<Symbols>;
    workspace_symbols(language: &str, text: &str, deadline: u32) -> Result<Symbols, Failure>;
    symbol_parts(parts: &[Part], deadline: u32) -> Each<Symbols>;
    follow(asked: &[Follow], deadline: u32) -> Each<Locations>;
    hierarchy(step: Step, places: &[Place], deadline: u32) -> Each<Neighbours>;
    hover(places: &[Place], deadline: u32) -> Each<Shown>;
    diagnostics(paths: &[String], deadline: u32) -> Each<Diagnostics>;
    workspace_diagnostics(language: &str, deadline: u32) -> Result<Diagnostics, Failure>;
    completions(place: &Place, overlay: Option<&str>, limit: u32, deadline: u32) -> Result<Completions, Failure>;
    rename(place: &Place, name: &str, deadline: u32) -> Result<Edits, Failure>;
    actions(at: &Location, kind: Option<&str>, deadline: u32) -> Result<Actions, Failure>;
    restart(language: Option<&str>) -> Result<(), Failure>;
}

/// A server that is not ready says so, or answers like a server that is ready.
#[test]
fn a_cold_answer_is_the_warm_one_or_says_why_not() {
    for query in queries() {
        let warm = ask(plain(), &query)["results"][0].clone();
        let cold =
            ask(Model::new(project(), Knobs::read(&json!({"loading": 99}))), &query)["results"][0].clone();
        let loading = cold["reasons"].as_array().is_some_and(|reasons| reasons.contains(&json!("loading")));
        assert!(
            cold == warm || (cold["complete"] == false && loading) || cold["error"].is_string(),
            "{query}: {cold}"
        );
    }
}

/// Files of an inner root and excluded files take no place of others in the list.
#[test]
fn files_that_do_not_count_leave_room_for_others() {
    let knobs = |root: &str| Knobs { root: root.to_owned(), ..Knobs::default() };
    let outer = || {
        let many = (0..5_100).map(|at| (format!("two/{at}.toy"), "function zz !error wrong".to_owned()));
        Model::new(
            many.chain([("z.toy".to_owned(), "function zz !error wrong".to_owned())]).collect(),
            knobs("/one"),
        )
    };
    let two = Model::new(BTreeMap::from([("b.toy".to_owned(), "function b".to_owned())]), knobs("/one/two"));
    let both: Vec<Box<dyn Workspace>> = vec![Box::new(outer()), Box::new(two)];
    let one: Vec<Box<dyn Workspace>> = vec![Box::new(outer())];
    for (workspaces, exclude) in [(&both, json!([])), (&one, json!(["two/**"]))] {
        for mut arguments in [json!({"type": "findSymbols", "query": "zz"}), json!({"type": "diagnostics"})] {
            if exclude != json!([]) {
                arguments["exclude"] = exclude.clone();
            }
            let answer = ask_all(workspaces, &arguments);
            let result = &answer["results"][0];
            assert_eq!(
                (&result["total"], &result["complete"]),
                (&json!(1), &json!(true)),
                "{arguments}: {answer}"
            );
        }
    }
}

#[test]
fn roots_are_told_apart_by_their_paths() {
    let knobs = |root: &str| Knobs::read(&json!({"root": root}));
    let inner = "function two\nfunction one\nfunction bad !error wrong".to_owned();
    let outer = [("a.toy".to_owned(), "function one".to_owned()), ("two/b.toy".to_owned(), inner.clone())];
    let one = Model::new(BTreeMap::from(outer), knobs("/one"));
    let two = Model::new(BTreeMap::from([("b.toy".to_owned(), inner)]), knobs("/one/two"));
    let workspaces: Vec<Box<dyn Workspace>> = vec![Box::new(one), Box::new(two)];
    let paths = |mut arguments: Json| -> Vec<String> {
        arguments["format"] = json!("rows");
        let answer = ask_all(&workspaces, &arguments);
        answer["results"][0]["result"]
            .as_array()
            .unwrap_or_else(|| panic!("{answer}"))
            .iter()
            .map(|one| one["path"].as_str().unwrap_or("").to_owned())
            .collect()
    };
    assert_eq!(
        paths(json!({"type": "findSymbols", "query": "one"})),
        ["/one/a.toy:1:10-1:13", "/one/two/b.toy:2:10-2:13"]
    );
    assert_eq!(paths(json!({"type": "findSymbols", "query": "*", "path": "/one"})).len(), 4);
    assert_eq!(paths(json!({"type": "definition", "symbol": "two"})), ["/one/two/b.toy:1:10-1:13"]);
    let ambiguous = ask_all(&workspaces, &json!({"type": "references", "symbol": "one"}));
    assert_eq!(ambiguous["results"][0]["candidates"].as_array().map(Vec::len), Some(2), "{ambiguous}");
    assert_eq!(paths(json!({"type": "diagnostics"})), ["/one/two/b.toy"]);
    assert_eq!(paths(json!({"type": "findSymbols", "query": "*", "path": "/one/two/b.toy"})).len(), 3);
    assert_eq!(paths(json!({"type": "findSymbols", "query": "*", "path": "b.toy"})).len(), 3);
    assert_eq!(
        ask_all(&workspaces, &json!({"type": "outline", "path": "/two/b.toy"}))["results"][0]["code"],
        "OUTSIDE"
    );
    let ungranted = ask_all(&[], &json!({"type": "status"}));
    assert_eq!(ungranted["fault"], "unavailable");
    assert_eq!(
        ungranted["suggestion"],
        "only the user can change this: `iac-mcp plugin grant code-query language-servers DIR`"
    );
}

#[test]
fn a_path_may_lead_to_a_root_through_a_link() {
    let server = json!({"root": "/private/project", "link": "/project"});
    let result = |mut arguments: Json| {
        arguments["format"] = json!("rows");
        ask(Model::new(project(), Knobs::read(&server)), &arguments)["results"][0].clone()
    };
    let outline = result(json!({"type": "outline", "path": "/project/src/handler.toy"}));
    assert_eq!(outline, result(json!({"type": "outline", "path": "src/handler.toy"})));
    for (path, plain) in [("/project/src", "src"), ("/project", "."), ("/project/ignored", "ignored")] {
        let found = result(json!({"type": "findSymbols", "query": "*", "path": path}));
        assert_eq!(found, result(json!({"type": "findSymbols", "query": "*", "path": plain})), "{path}");
        assert!(found["total"].as_u64() > Some(0), "{found}");
    }
    let at = json!({"type": "typeInfo", "path": "/project/src/handler.toy", "line": 5});
    assert_eq!(result(at)["result"][0]["path"], "src/handler.toy:5:10");
    assert_eq!(result(json!({"type": "outline", "path": "/project/src/none.toy"}))["code"], "NOT_FOUND");
    assert_eq!(result(json!({"type": "outline", "path": "/elsewhere/a.toy"}))["code"], "OUTSIDE");
}

#[test]
fn a_folder_that_is_gone_leaves_the_others() {
    let closed = |root: &str| Closed {
        root: root.to_owned(),
        failure: Failure {
            cause: Cause::NotFound,
            message: format!("the root `{root}` cannot be read"),
            suggestion: Some("make it again".to_owned()),
            retry_after: None,
        },
    };
    let closed = [closed("/gone")];
    let workspaces: Vec<Box<dyn Workspace>> = vec![Box::new(plain())];
    let ask = |workspaces: &[Box<dyn Workspace>], arguments: Json| {
        crate::answer(workspaces, &closed, arguments.as_object().expect("an object"))
    };
    let result = |arguments: Json| ask(&workspaces, arguments).expect("an answer")["results"][0].clone();
    let note = "`/gone` was not looked at: the root `/gone` cannot be read";
    let all = result(json!({"type": "findSymbols", "query": "greet"}));
    assert_eq!(
        (&all["total"], &all["reasons"], &all["note"]),
        (&json!(1), &json!(["root_closed"]), &json!(note))
    );
    assert_eq!(all["result"][0]["path"], "/project/src/handler.toy", "there are two roots");
    assert_eq!(result(json!({"type": "outline", "path": "src/handler.toy"}))["complete"], true);
    let missing = result(json!({"type": "outline", "path": "/gone/src/a.toy"}));
    assert_eq!((&missing["code"], &missing["error"]), (&json!("NOT_FOUND"), &json!(note)));
    let unsure = result(json!({"type": "outline", "path": "src/a.toy"}));
    assert_eq!((&unsure["code"], &unsure["hint"]), (&json!("NOT_FOUND"), &json!(note)));
    let fault = ask(&[], json!({"type": "status"})).expect_err("no folder is left");
    assert_eq!((fault.code.as_ref(), fault.suggestion.as_deref()), ("unavailable", Some("make it again")));
}

#[test]
fn long_answers_stay_within_their_size() {
    let model = || Model::new(model::long(40, 25), Knobs::read(&model::none()));
    for query in [
        json!({"type": "findSymbols", "query": "*", "limit": 1000}),
        json!({"type": "outline", "path": "src/file000.toy"}),
        json!({"type": "findSymbols", "query": "*"}),
    ] {
        let answer = ask(model(), &query)["results"][0].clone();
        assert!(answer.to_string().len() <= 32_000, "{}", answer.to_string().len());
        assert!(answer["total"].as_u64().is_some_and(|total| total >= 25), "{query}");
    }
    let counted = ask(model(), &json!({"type": "findSymbols", "query": "*", "countOnly": true}));
    assert_eq!(counted, json!({"results": [{"result": [], "total": 4_000, "complete": true}]}));
}

#[test]
fn the_order_is_the_same_every_time() {
    let names: BTreeSet<String> =
        (0..3).map(|_| ask(plain(), &json!({"type": "findSymbols", "query": "*"})).to_string()).collect();
    assert_eq!(names.len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn ways_agree_on_any_pattern(pattern in r"[a-zA-Z*?.{},\[\]]{1,8}") {
        if Pattern::parse(&pattern).is_ok() {
            prop_assert_eq!(found(plain(), &pattern, Way::Best).0, found(plain(), &pattern, Way::Crawl).0);
            prop_assert_eq!(found(plain(), &pattern, Way::Index).0, found(plain(), &pattern, Way::Crawl).0);
        }
    }

    #[test]
    fn members_are_among_everything_below(name in "(Animation|UserService|Shape|Colour)") {
        let members: BTreeSet<String> = found(plain(), &format!("{name}.*"), Way::Best).0.into_iter().collect();
        let below: BTreeSet<String> = found(plain(), &format!("{name}.**"), Way::Best).0.into_iter().collect();
        prop_assert!(!members.is_empty() && members.is_subset(&below));
    }
}
