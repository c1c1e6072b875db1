//! State files that are not regular files: a pipe without a writer, an endless device, a folder, a file of two
//! gigabytes. The client gets the error at once, nothing runs, and the server ends with its client.

use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::Signal;
use serde_json::{Value as Json, json};
use tempfile::TempDir;
use tokio::time::timeout;

use crate::server::Server;

/// An answer or an end takes at most this long, even on a busy machine.
const SOON: Duration = Duration::from_secs(20);

type Put = fn(&Path);

const FORMS: [(&str, Put); 4] = [
    ("pipe", |path| mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap()),
    ("device", |path| std::os::unix::fs::symlink("/dev/zero", path).unwrap()),
    ("folder", |path| fs::create_dir(path).unwrap()),
    ("larger than", |path| File::create(path).unwrap().set_len(2 << 30).unwrap()),
];

#[tokio::test(flavor = "multi_thread")]
async fn what_decides_has_to_be_a_file() {
    for file in ["policy.toml", "grants.json", "untrusted.json"] {
        for (form, put) in FORMS {
            check(file, form, put, "iac_mcp_list_apps", json!({})).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_written_down_has_to_be_a_file() {
    let change = json!({ "app": "com.apple.mail", "command": "check for new mail" });
    for file in ["lock", "audit/last"] {
        for (form, put) in FORMS {
            // A lock may have any size, because nothing reads its contents.
            if (file, form) != ("lock", "larger than") {
                check(file, form, put, "iac_mcp_run_command", change.clone()).await;
            }
        }
    }
}

async fn check(file: &str, form: &str, put: Put, tool: &str, arguments: Json) {
    for signal in [None, Some(Signal::TERM)] {
        let folder = TempDir::new().unwrap();
        let state = folder.path().join("state");
        fs::create_dir_all(state.join("audit")).unwrap();
        fs::write(state.join("policy.toml"), "profile = \"trusted\"\n").unwrap();
        drop(fs::remove_file(state.join(file)));
        put(&state.join(file));
        let mut server = Server::start(folder.path(), |command| {
            command.args(["--simulated", "--state"]).arg(&state);
        })
        .await;
        let answer = timeout(SOON, server.call(tool, arguments.clone())).await;
        let answer = answer.unwrap_or_else(|_| panic!("{file}: {form}: no answer")).to_string();
        let name = file.rsplit('/').next().unwrap();
        assert!(answer.contains("unavailable") && answer.contains(name), "{file}: {answer}");
        assert!(answer.contains(form), "{file}: {form}: {answer}");
        match signal {
            Some(signal) => server.signal(signal),
            None => server.close().await,
        }
        let ended = timeout(SOON, server.process.wait()).await;
        assert!(ended.is_ok(), "{file}: {form}: the server goes on after {signal:?}");
    }
}
