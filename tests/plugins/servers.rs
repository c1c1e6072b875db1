//! Language servers, as a guest uses them: only if they are linked, and only below the granted folder.

use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use iac_language_servers::LanguageServers;
use iac_language_servers::launch::{Launch, Launched, Program};
use iac_language_servers::settings::Settings;
use iac_plugins::engine::{Backend, Call};
use iac_plugins::failure::Fault;
use iac_plugins::host::{Answer, Caller, Host, Question};
use iac_plugins::journal::{End, Journal, Recording};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::guests::{Guest, call, engine, show, wide};

/// Answers for folders as the server does, but starts no language server.
struct Folders(LanguageServers);

struct Nobody;

impl Launch for Nobody {
    fn launch(&self, _: &Program) -> io::Result<Launched> {
        Err(io::Error::other("nothing is started here"))
    }

    fn memory(&self, _: u32) -> Pin<Box<dyn Future<Output = Option<u64>> + Send + '_>> {
        Box::pin(async { None })
    }
}

impl Folders {
    fn new() -> Self {
        Self(LanguageServers::new(Arc::new(Nobody), Settings::standard([])))
    }
}

impl Host for Folders {
    fn ask<'a>(&'a self, _: &'a Caller, question: Question) -> Answer<'a> {
        Box::pin(async move {
            let missing = |failure: iac_language_servers::types::Failure| Fault::new("gone", failure.message);
            match question {
                Question::OpenWorkspace { root } => {
                    Ok(json!(self.0.workspace(Path::new(&root)).map(drop)).into())
                }
                Question::LanguageServers { root, ask } => {
                    let workspace = self.0.workspace(Path::new(&root)).map_err(missing)?;
                    Ok(workspace.answer(ask).await.into())
                }
                other => Err(Fault::new("unavailable", format!("{other:?}")).into()),
            }
        })
    }
}

/// Reads a text below a root; the answer is an error that contains the text, or the reason why there is none.
const READS: &str = r#"
(import "iac:plugin/language-servers@0.1.0" "open" (func $open (param i32 i32 i32)))
(import "iac:plugin/language-servers@0.1.0" "[method]workspace.text" (func $text (param i32 i32 i32 i32)))
(data (i32.const 512) "ROOT")
(data (i32.const 1024) "PATH")
(data (i32.const 1536) "told")
(func $call (param i32 i32 i32 i32) (result i32)
  (local $told i32)
  (call $open (i32.const 512) (i32.const ROOT_LENGTH) (i32.const 2048))
  (call $text (i32.load (i32.const 2052)) (i32.const 1024) (i32.const PATH_LENGTH) (i32.const 3072))
  (local.set $told (select (i32.const 3080) (i32.const 3076) (i32.load8_u (i32.const 3072))))
  (i32.store8 (i32.const 3584) (i32.const 1))
  (i32.store (i32.const 3588) (i32.const 1536))
  (i32.store (i32.const 3592) (i32.const 4))
  (i32.store (i32.const 3596) (i32.load (local.get $told)))
  (i32.store (i32.const 3600) (i32.load (i32.add (local.get $told) (i32.const 4))))
  (i32.const 3584))
"#;

async fn check(root: &str, path: &str, expected: &str) {
    let text = format!(";; wants: language-servers {root}\n{READS}");
    let text = text
        .replace("ROOT_LENGTH", &root.len().to_string())
        .replace("PATH_LENGTH", &path.len().to_string())
        .replace("ROOT", root)
        .replace("PATH", path);
    let plugin =
        Guest::inline("reads", &text).plugin(&engine(Backend::Native), wide()).await.expect("it is linked");
    let journal = Arc::new(Journal::new(Recording::default(), Arc::new(Folders::new())));
    let asking = |host: Arc<dyn Host>| Call { host, ..call(CancellationToken::new()) };
    let said = show(plugin.call(asking(Arc::clone(&journal) as Arc<dyn Host>)).await.0);
    assert_eq!(said.replace(root, "ROOT"), format!("told: {expected}"), "{path}");

    // The records are the same, whether they come from the servers directly or from a recording in a file.
    let kept = serde_json::to_string(&journal.recording()).expect("a recording is plain data");
    let recording: Recording = serde_json::from_str(&kept).expect("a recording is read again");
    assert_eq!(recording.asked.len(), 2, "{kept}");
    let again = Arc::new(Journal::new(recording, Arc::new(End)));
    assert_eq!(show(plugin.call(asking(again)).await.0), said, "{path}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_guest_stays_below_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap().join("root");
    std::fs::create_dir_all(root.join("src")).unwrap();
    let write = |path: std::path::PathBuf, text: &str| {
        io::Write::write_all(&mut std::fs::File::create(path).unwrap(), text.as_bytes()).unwrap();
    };
    write(root.join("src/a.rs"), "fn grüße() {}");
    write(root.join("../secret.rs"), "secret");
    std::os::unix::fs::symlink("../secret.rs", root.join("out.rs")).unwrap();
    std::os::unix::fs::symlink("..", root.join("up")).unwrap();
    std::os::unix::fs::symlink("src/a.rs", root.join("in.rs")).unwrap();
    let root = root.to_str().unwrap();
    check(root, "src/a.rs", "fn grüße() {}").await;
    check(root, "in.rs", "fn grüße() {}").await;
    check(root, "none.rs", "path not found: none.rs").await;
    check(root, "src", "`src` is not a regular file").await;
    let outside = "path is outside the workspace root";
    check(root, "../secret.rs", &format!("{outside}: ../secret.rs")).await;
    check(root, "/etc/hosts", &format!("{outside}: /etc/hosts")).await;
    check(root, "out.rs", &format!("{outside}, or cannot be read: out.rs")).await;
    check(root, "up/secret.rs", &format!("{outside}, or cannot be read: up/secret.rs")).await;
}
