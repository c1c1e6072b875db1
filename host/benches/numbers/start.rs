//! Measures how soon the server answers, how large its list of tools is, and how long it takes to find 55 apps.

use std::path::{Path, PathBuf};
use std::process::Command;

use iac_apps::{Catalog, Need, Roots, Settings};
use serde_json::json;

use crate::client::Client;
use crate::mac::{BINARY, corpus};
use crate::table::{Row, Target, milliseconds, took};

const ROUNDS: usize = 41;
const APPS: usize = 55;

pub(crate) fn rows() -> Vec<Row> {
    let folder = tempfile::tempdir().expect("a folder for things that pass");
    let home = folder.path();
    let mut bytes = 0;
    let first = milliseconds(ROUNDS, || drop(server(home, None)));
    let mut client = server(home, None);
    bytes += client.request("tools/list", &json!({})).to_string().len();
    drop(client);
    let nothing = milliseconds(ROUNDS, || {
        let ran = Command::new(BINARY).arg("--version").output();
        assert!(ran.is_ok_and(|ran| ran.status.success()));
    });
    let mut rows = vec![
        Row::new("start to first answer, and its end", first, "ms", Target::AtMost(15.0))
            .note(format!("a process that only says its version: {nothing:.1} ms")),
        Row::new("tools/list of the built-in tools", bytes as f64 / 1024.0, "KB", Target::AtMost(8.0)),
    ];
    rows.extend(lists(home));
    rows
}

fn lists(home: &Path) -> Vec<Row> {
    let root = home.join("mac");
    let made = make_apps(&root);
    let settings = |cache: usize| Settings {
        roots: Roots::below(&root),
        cache: Some(home.join(format!("cache-{cache}"))),
        standard: None,
    };
    let load = |cache: usize, need: &Need| {
        let apps = Catalog::new(settings(cache)).load(need);
        assert_eq!(apps.0.len(), APPS);
    };
    let every = Need::Dictionaries(vec!["*".to_owned()]);
    let mut round = 0;
    let cold = milliseconds(ROUNDS, || {
        round += 1;
        load(round, &Need::Counts);
    });
    let warm = milliseconds(ROUNDS, || load(1, &Need::Counts));
    let every_cold = milliseconds(5, || {
        round += 1;
        load(round, &every);
    });
    let every_warm = milliseconds(ROUNDS, || load(round, &every));
    vec![
        Row::new("list of 55 apps, nothing kept", cold, "ms", Target::AtMost(250.0)).note(made),
        Row::new("list of 55 apps, kept from an earlier process", warm, "ms", Target::AtMost(20.0)),
        Row::told("every dictionary of 55 apps, nothing kept", every_cold, "ms"),
        Row::told("every dictionary of 55 apps, kept", every_warm, "ms"),
        listed(home),
    ]
}

/// Measures the whole call of a new server on the simulated Mac, including the start of its worker.
fn listed(home: &Path) -> Row {
    let one = || {
        let mut client = server(home, None);
        took(|| drop(client.call("iac_mcp_list_apps", &json!({}))))
    };
    let call = crate::table::median((0..9).map(|_| one()).collect());
    Row::told("first call of a fresh server: iac_mcp_list_apps", call, "ms")
        .note("unpacks the simulated Mac and starts a worker")
}

fn server(home: &Path, root: Option<&Path>) -> Client {
    let mut command = Command::new(BINARY);
    command.args(["serve", "--simulated"]).env("HOME", home).env("IAC_MCP_LOG", "error");
    command.env("XDG_CACHE_HOME", home.join("cache")).env("XDG_STATE_HOME", home.join("state"));
    if let Some(root) = root {
        command.arg("--root").arg(root);
    }
    Client::start(&mut command)
}

/// Makes apps from the available dictionaries, using each several times. Describes how much there is to read.
fn make_apps(root: &Path) -> String {
    let (files, whose) = dictionaries();
    let mut bytes = 0;
    for (at, file) in (0..APPS).zip(files.iter().cycle()) {
        let contents = root.join(format!("Applications/App {at}.app/Contents"));
        std::fs::create_dir_all(contents.join("Resources")).expect("a folder for an app");
        bytes += std::fs::copy(file, contents.join("Resources/App.sdef")).expect("a dictionary");
        std::fs::write(contents.join("Info.plist"), property_list(at)).expect("a property list");
    }
    let definitions = root.join("System/Library/ScriptingDefinitions");
    std::fs::create_dir_all(&definitions).expect("a folder for definitions");
    if let Some(standard) = files.iter().find(|file| file.ends_with("CocoaStandard.sdef")) {
        std::fs::copy(standard, definitions.join("CocoaStandard.sdef")).expect("the standard suite");
    }
    format!("{} KB of {whose}", bytes / 1024)
}

/// Makes a property list as long as those of real apps.
fn property_list(at: usize) -> String {
    let filler: String =
        (0..100).map(|key| format!("<key>Filler{key}</key><string>{key}</string>\n")).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\n<dict>\n{filler}\
         <key>CFBundleIdentifier</key><string>com.example.app{at}</string>\n\
         <key>NSAppleScriptEnabled</key><true/>\n<key>OSAScriptingDefinition</key><string>App.sdef</string>\n\
         </dict>\n</plist>\n"
    )
}

/// Returns the dictionaries of real apps if there are any, otherwise those of the tests.
pub(crate) fn dictionaries() -> (Vec<PathBuf>, &'static str) {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/sdef/ok");
    let (folder, whose) = match corpus() {
        Some(corpus) => (corpus, "real dictionaries"),
        None => (fixtures, "the tests' own dictionaries"),
    };
    let entries = std::fs::read_dir(folder).expect("a folder of dictionaries");
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "sdef"));
    files.sort();
    (files, whose)
}
