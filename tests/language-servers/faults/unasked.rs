//! The keeper's additions to a server's answers: uses that it left out, plans, files without a server, and clean-up.

use iac_language_servers::types::FileFilter;

use super::*;

/// A rename is a plan: the host reads its edits, and no file changes. A plan cannot contain renamed files.
#[tokio::test]
async fn a_rename_is_a_plan() {
    let edit = json!({"range": range(0, 0, 3), "newText": "uno"});
    let document = |uri: &str| json!({"textDocument": {"uri": uri, "version": 1}, "edits": [edit]});
    let changes = json!({"documentChanges": [document("file://FOLDER/root/b.faulty")]});
    let older = json!({"changes": {"file://FOLDER/root/b.faulty": [edit]}});
    let renamed =
        json!({"documentChanges": [{"kind": "rename", "oldUri": "file://a", "newUri": "file://b"}]});
    let ask = || Ask::Rename { place: place("a.faulty", 0, 0), name: "uno".to_owned(), deadline: DEADLINE };
    for answer in [changes, older] {
        let script = json!([capable(&json!({"renameProvider": true})), {"on": "textDocument/rename", "do": [{"answer": answer}]}]);
        let rig = Rig::new(&script, &json!({}), &json!({}));
        let plan = rig.answer(ask()).await["Ok"].clone();
        assert_eq!(
            (&plan["items"][0]["at"]["path"], &plan["items"][0]["text"]),
            (&json!("b.faulty"), &json!("uno")),
            "{plan}"
        );
        assert_eq!(std::fs::read_to_string(rig.root().join("b.faulty")).unwrap(), "one\n");
        let can = rig.answer(Ask::Servers).await[0]["abilities"].clone();
        assert_eq!((&can["rename"], &can["actions"]), (&json!(true), &json!(false)), "{can}");
        rig.end().await;
    }
    let script = json!([capable(&json!({"renameProvider": true})), {"on": "textDocument/rename", "do": [{"answer": renamed}]}]);
    let said =
        "Unsupported: this rename would also rename a file or a folder, which a plan of edits cannot hold";
    check(script, ask(), said).await;
    // Some servers do not even say how, since the host does not offer to rename files.
    let refused = json!({"on": "textDocument/rename", "do": [{"fail": {"code": -32803, "message": "Client does not support rename capability."}}]});
    check(json!([capable(&json!({"renameProvider": true})), refused]), ask(), said).await;
    check(json!([]), ask(), "Unsupported: faulty does not provide rename").await;
}

/// Code actions are plans as well: the host requests edits that come later, leaves out unwanted actions, and names
/// commands without running them. It sends the server its own diagnostics, because a server repairs only the
/// diagnostics that it gets.
#[tokio::test]
async fn actions_are_a_plan() {
    let edit =
        json!({"changes": {"file://FOLDER/root/b.faulty": [{"range": range(0, 0, 3), "newText": "uno"}]}});
    let made = json!({"documentChanges": [{"kind": "create", "uri": "file://FOLDER/root/c.faulty"}]});
    let offered = json!([
        {"title": "now", "kind": "quickfix", "isPreferred": true, "edit": edit},
        {"title": "later", "kind": "quickfix.all", "data": 1},
        {"title": "never", "kind": "quickfix", "disabled": {"reason": "no"}},
        {"title": "other", "kind": "refactor", "edit": edit},
        {"title": "command", "command": "run"},
        {"title": "both", "kind": "quickfix", "edit": edit, "command": {"title": "x", "command": "run"}},
        {"title": "wrapped", "kind": "quickfix", "command": {"title": "x", "command": "apply", "arguments": [edit]}},
        {"title": "file", "kind": "quickfix", "edit": made},
    ]);
    let script = json!([
        capable(&json!({"codeActionProvider": {"resolveProvider": true}, "diagnosticProvider": {}})),
        {"on": "textDocument/diagnostic", "do": [{"answer": {"kind": "full", "items": [
            {"range": range(0, 0, 3), "message": "here"}, {"range": range(1, 0, 3), "message": "elsewhere"},
        ]}}]},
        {"on": "textDocument/codeAction", "do": [{"keep": "FOLDER/asked"}, {"answer": offered}]},
        {"on": "codeAction/resolve", "do": [{"answer": {"title": "later", "kind": "quickfix.all", "edit": edit}}]},
    ]);
    let line = Range { start: Position { line: 0, column: 0 }, end: Position { line: 0, column: 3 } };
    let at = Location { path: "a.faulty".to_owned(), range: line };
    let ask = |kind: Option<&str>| Ask::Actions {
        at: at.clone(),
        kind: kind.map(str::to_owned),
        deadline: DEADLINE,
    };
    let rig = Rig::new(&script, &json!({}), &json!({}));
    let plan = rig.answer(ask(Some("quickfix"))).await["Ok"].clone();
    let shown: Vec<String> = plan["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            format!("{} {} {}", one["title"].as_str().unwrap(), one["preferred"], one["edits"][0]["text"])
        })
        .collect();
    assert_eq!(
        shown,
        [
            r#"now true "uno""#,
            r#"later false "uno""#,
            r#"both false "uno""#,
            r#"wrapped false "uno""#,
            "file false null"
        ],
        "{plan}"
    );
    let asked = std::fs::read_to_string(rig.folder.path().join("asked")).unwrap();
    assert!(
        asked.contains("here") && !asked.contains("elsewhere") && asked.contains(r#""only":["quickfix"]"#),
        "{asked}"
    );
    let all = rig.answer(ask(None)).await["Ok"]["items"].as_array().unwrap().len();
    assert_eq!(all, 7);
    assert_eq!(std::fs::read_to_string(rig.root().join("b.faulty")).unwrap(), "one\n");
    rig.end().await;
    check(json!([]), ask(None), "Unsupported: faulty does not provide codeAction").await;
}

/// The host finds a use that the search leaves out, by the meaning of its place. It reports a place without a meaning.
/// It withdraws the doubt about files that the server does not read if every place is settled.
#[tokio::test]
async fn its_search_leaves_uses_out() {
    let at = |line: u32, start: u32| json!({"uri": "file://FOLDER/root/a.faulty", "range": range(line, start, start + 3)});
    let profile = json!({"words": "script", "project": ["none"], "without-project": "open-only"});
    let uses = |defined: Json| {
        let script = json!([
            capable(&json!({"definitionProvider": true})),
            {"on": "textDocument/references", "do": [{"answer": []}]},
            {"on": "textDocument/definition", "times": 1, "do": [{"answer": at(0, 0)}]},
            {"on": "textDocument/definition", "do": [{"answer": defined}]},
        ]);
        (
            script,
            Ask::Related {
                asked: vec![Follow { relation: Relation::References, at: place("a.faulty", 0, 0) }],
                deadline: DEADLINE,
            },
        )
    };
    let (script, ask) = uses(at(0, 0));
    check_with(script, profile.clone(), ask, "@b.faulty:0:0-3 []").await;
    let (script, ask) = uses(at(1, 0));
    check_with(script, profile.clone(), ask, " []").await;
    let (script, ask) = uses(at(1, 0));
    let rig = Rig::new(&script, &profile, &json!({}));
    assert_eq!(rig.answer(ask).await["Ok"][0]["Ok"]["settled"], true);
    rig.end().await;
    let (script, ask) = uses(json!([]));
    let rig = Rig::new(&script, &profile, &json!({}));
    let answer = rig.answer(ask).await["Ok"][0]["Ok"].clone();
    assert_eq!(answer["unsure"][0]["path"], "b.faulty", "{answer}");
    assert_eq!(answer["settled"], false, "{answer}");
    assert_eq!(answer["freshness"]["doubts"], json!(["OpenOnly"]), "{answer}");
    rig.end().await;
    // The server could not follow an import, and takes it for the definition.
    let import = json!({"uri": "file://FOLDER/root/c.faulty", "range": range(0, 9, 12)});
    let (script, ask) = uses(import);
    let rig = Rig::new(&script, &profile, &json!({}));
    put(&rig.root().join("c.faulty"), "import { one } from 'x';\none();\n");
    let answer = rig.answer(ask).await["Ok"][0]["Ok"].clone();
    let unsure = |at: usize| (&answer["unsure"][at]["path"], &answer["unsure"][at]["range"]["start"]["line"]);
    assert_eq!(unsure(1), (&json!("c.faulty"), &json!(0)), "{answer}");
    assert_eq!(unsure(2), (&json!("c.faulty"), &json!(1)), "{answer}");
    assert_eq!(answer["settled"], false, "{answer}");
    rig.end().await;
}

/// An answer must not suggest that a file was read if no server reads it.
#[tokio::test]
async fn source_code_without_a_server_is_listed() {
    let rig = Rig::new(&json!([]), &json!({}), &json!({}));
    put(&rig.root().join("c.zig"), "const one = 1;\n");
    let containing = Some("one".to_owned());
    let files = rig.workspace.files(&FileFilter { containing, limit: 9, ..FileFilter::default() }).unwrap();
    let listed: Vec<(&str, &str)> =
        files.items.iter().map(|file| (file.path.as_str(), file.language.as_str())).collect();
    assert_eq!(listed, [("a.faulty", "faulty"), ("b.faulty", "faulty"), ("c.zig", "zig")]);
    let ask = Ask::DocumentSymbols { paths: vec!["c.zig".to_owned()], deadline: DEADLINE };
    assert!(show(&rig.answer(ask).await).starts_with("NoServer: no language server for .zig"));
    rig.end().await;
}

/// A server's temporary files are removed with it, even if it is killed.
#[tokio::test]
async fn its_temporary_files_are_removed() {
    let script = json!([{"on": "initialized", "do": [{"litter": "FOLDER/where"}]}]);
    let rig = Rig::new(&script, &json!({}), &json!({}));
    rig.answer(outline()).await;
    let place = rig.folder.path().join("where");
    let read = || std::fs::read_to_string(&place).unwrap_or_default();
    while read().is_empty() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let folder = std::path::PathBuf::from(read());
    assert!(folder.join("litter").exists(), "{folder:?}");
    rig.workspace.restart(None).unwrap();
    let end = Instant::now() + IN_TIME;
    while folder.exists() {
        assert!(Instant::now() < end, "{folder:?} is still there");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    rig.end().await;
}

/// An empty outline does not count while the server still reads the project.
#[tokio::test]
async fn an_outline_that_comes_too_early_is_doubted() {
    let status = |quiescent: bool| json!({"say": {"method": "experimental/serverStatus", "params": {"health": "ok", "quiescent": quiescent}}});
    let profile = json!({"ready": {"by": "status", "after": ["Roots"]}});
    let script = json!([
        {"on": "initialized", "do": [status(false)]},
        {"on": "textDocument/documentSymbol", "times": 1, "do": [{"answer": null}]},
        {"on": "textDocument/documentSymbol", "do": [{"answer": []}]},
    ]);
    let rig = Rig::new(&script, &profile, &json!({}));
    assert_eq!(show(&rig.answer(outline()).await), r#" ["Loading"]"#);
    assert_eq!(show(&rig.answer(outline()).await), " []");
    rig.end().await;
}
