//! A root with files, and the faulty server for them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use iac_language_servers::settings::{Chosen, Settings};
use iac_language_servers::types::{Place, Position};
use iac_language_servers::{Ask, LanguageServers, Workspace};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::launcher::Launcher;
use crate::mark::Mark;

pub(crate) struct Rig {
    pub(crate) workspace: Arc<Workspace>,
    pub(crate) servers: LanguageServers,
    pub(crate) folder: TempDir,
    pub(crate) mark: Mark,
}

impl Rig {
    /// Makes a root in which the faulty server handles the files of the language `faulty`, as the script says.
    /// `FOLDER` in the script stands for the folder.
    pub(crate) fn new(script: &Json, profile: &Json, chosen: &Json) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        for (path, text) in
            [("a.faulty", "one two\nthree é😀 four\n"), ("b.faulty", "one\n"), ("plain.txt", "")]
        {
            put(&root.join(path), text);
        }
        let text = script.to_string().replace("FOLDER", folder.path().to_str().unwrap());
        put(&folder.path().join("script.json"), &text);
        let mut chosen = chosen.clone();
        chosen["profiles"] = json!([own(profile, &folder.path().join("script.json"))]);
        let chosen: Chosen = serde_json::from_value(chosen).unwrap();
        let mark = Mark::new();
        let environment = std::env::vars_os().filter(|(name, _)| name == "PATH");
        let mut settings = Settings::standard(environment).with(chosen).unwrap();
        settings.environment.push(mark.variable());
        let servers = LanguageServers::new(Arc::new(Launcher), settings);
        let workspace = servers.workspace(&root).unwrap();
        Self { workspace, servers, folder, mark }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    /// Answers a question in the form in which it is recorded.
    pub(crate) async fn answer(&self, ask: Ask) -> Json {
        serde_json::to_value(self.workspace.answer(ask).await).unwrap()
    }

    /// Drops all handles, and waits until no process is left.
    pub(crate) async fn end(self) {
        let Self { workspace, servers, folder, mark } = self;
        drop((workspace, servers));
        mark.gone().await;
        drop(folder);
    }
}

fn own(profile: &Json, script: &Path) -> Json {
    let mut own = json!({
        "name": "faulty", "command": [env!("CARGO_BIN_EXE_faulty-server"), script], "files": {"faulty": "faulty"},
        "ready": {"by": "start"}, "start-ms": 3000,
    });
    for (key, value) in profile.as_object().into_iter().flatten() {
        own[key] = value.clone();
    }
    own
}

pub(crate) fn put(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::io::Write::write_all(&mut std::fs::File::create(path).unwrap(), text.as_bytes()).unwrap();
}

pub(crate) fn place(path: &str, line: u32, column: u32) -> Place {
    Place { path: path.to_owned(), at: Position { line, column } }
}
