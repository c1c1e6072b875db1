//! Simulated Macs of any size, and scripts that run in them without the server.

use std::fs::{DirBuilder, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;
use tempfile::TempDir;

/// The program that is measured.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_iac-mcp");

pub(crate) const MAIL: &str = "com.apple.mail";

/// A Mac that exists for the length of a measurement, with a state directory for its server.
pub(crate) struct Mac {
    folder: TempDir,
    latency: &'static str,
}

impl Mac {
    /// A Mac with this many messages in its inbox; `latency` is `none`, or `mac` for times measured on real Macs.
    pub(crate) fn new(messages: usize, latency: &'static str) -> Self {
        let mac = Self { folder: tempfile::tempdir().expect("a folder for things that pass"), latency };
        let made = Command::new(BINARY)
            .args(["sim", "new", "--seed", "7", "--messages", &messages.to_string()])
            .arg(mac.world())
            .output()
            .expect("the program starts");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        mac
    }

    /// Lets its servers make changes without asking.
    pub(crate) fn trust(&self) {
        let state = self.folder.path().join("state");
        DirBuilder::new().mode(0o700).create(&state).expect("the state folder");
        let mut policy = OpenOptions::new();
        let policy = policy.create_new(true).write(true).mode(0o600).open(state.join("policy.toml"));
        policy.and_then(|mut file| file.write_all(b"profile = \"trusted\"\n")).expect("a policy");
    }

    /// Returns the command that starts a server for this Mac.
    pub(crate) fn server(&self) -> Command {
        let mut command = self.program();
        command.arg("serve").arg("--world").arg(self.world()).args(["--timeout", "300"]);
        command.arg("--state").arg(self.folder.path().join("state"));
        command.arg("--cache").arg(self.folder.path().join("cache"));
        command
    }

    /// Runs a script in its own process. Returns its answer and its number of Apple events.
    pub(crate) fn run(&self, script: &str) -> (Json, usize) {
        let before = self.events();
        let ran = self
            .program()
            .args(["osascript", "-l", "JavaScript", "-e", script])
            .env("IAC_MCP_WORLD", self.world())
            .output()
            .expect("the program starts");
        let said = String::from_utf8_lossy(&ran.stdout);
        let answer = serde_json::from_str(&said)
            .unwrap_or_else(|error| panic!("{error}: {said}{}", String::from_utf8_lossy(&ran.stderr)));
        (answer, self.events() - before)
    }

    /// Returns the number of all Apple events so far.
    pub(crate) fn events(&self) -> usize {
        std::fs::read_to_string(self.trace()).unwrap_or_default().lines().count()
    }

    pub(crate) fn world(&self) -> PathBuf {
        self.folder.path().join("mac")
    }

    fn trace(&self) -> PathBuf {
        self.folder.path().join("trace")
    }

    fn program(&self) -> Command {
        let mut command = Command::new(BINARY);
        command.env("IAC_MCP_LATENCY", self.latency).env("IAC_MCP_TRACE", self.trace());
        command.env("IAC_MCP_LOG", "error").env("HOME", self.folder.path());
        command
    }
}

/// Returns the folder of dictionaries of real apps, which may lie beside the repository; `None` if there is none.
pub(crate) fn corpus() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let corpus = std::env::var_os("IAC_MCP_CORPUS").map_or(beside, PathBuf::from).join("sdef");
    corpus.is_dir().then_some(corpus)
}
