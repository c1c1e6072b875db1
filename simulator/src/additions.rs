//! What the world has for Standard Additions: a person's answers to dialogs, a clipboard, perhaps a shell.

use crate::world::{WorldError, content, failed, journal};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// `additions.json` of a world; without it nobody answers a dialog, and no shell command runs.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    dialogs: Vec<Dialog>,
    #[serde(default)]
    shell: Shell,
    #[serde(default)]
    clipboard: Option<String>,
}

/// A person's answer to a dialog.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Dialog {
    /// Which command, for example `display dialog`; absent: any.
    #[serde(default)]
    command: Option<String>,
    /// A part of the text that the dialog shows.
    #[serde(default)]
    contains: String,
    /// The button that is pressed; absent: the default one.
    #[serde(default)]
    pub(crate) button: Option<String>,
    /// What is typed.
    #[serde(default)]
    pub(crate) text: Option<String>,
    /// What is chosen from a list.
    #[serde(default)]
    pub(crate) choose: Option<Vec<String>>,
    /// The file or folder that is chosen.
    #[serde(default)]
    pub(crate) path: Option<String>,
    #[serde(default)]
    pub(crate) cancel: bool,
    /// How long the person takes, in milliseconds.
    #[serde(default)]
    pub(crate) after: u32,
}

/// Which shell commands the world lets run, really, on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
enum Shell {
    All(bool),
    /// Those that begin so.
    Beginning(Vec<String>),
}

impl Default for Shell {
    fn default() -> Self {
        Self::All(false)
    }
}

/// How a shell command ended.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// The world's side of Standard Additions.
#[derive(Debug, Default)]
pub(crate) struct Additions {
    written: Written,
    clipboard: PathBuf,
}

impl Additions {
    pub(crate) fn open(world: &Path) -> Result<Self, WorldError> {
        let path = world.join("additions.json");
        let written = match std::fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).map_err(|error| content(&path, error))?,
            Err(_) => Written::default(),
        };
        Ok(Self { written, clipboard: world.join("state/clipboard") })
    }

    /// The answer to a dialog that shows this text, if anybody answers it.
    pub(crate) fn answer(&self, command: &str, shown: &str) -> Option<&Dialog> {
        let fits = |dialog: &&Dialog| {
            dialog.command.as_ref().is_none_or(|wanted| wanted == command) && shown.contains(&dialog.contains)
        };
        self.written.dialogs.iter().find(fits)
    }

    /// Runs a shell command, if the world lets it.
    pub(crate) fn shell(&self, command: &str) -> Option<std::io::Result<Done>> {
        let allowed = match &self.written.shell {
            Shell::All(allowed) => *allowed,
            Shell::Beginning(beginnings) => beginnings.iter().any(|beginning| command.starts_with(beginning)),
        };
        allowed.then(|| run(command))
    }

    pub(crate) fn clipboard(&self) -> Option<String> {
        std::fs::read_to_string(&self.clipboard).ok().or_else(|| self.written.clipboard.clone())
    }

    pub(crate) fn set_clipboard(&self, text: &str) -> Result<(), WorldError> {
        let path = &self.clipboard;
        let folder = path.parent().unwrap_or(path);
        std::fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
        journal::replace(&path.with_extension("next"), path, text.as_bytes())
            .map_err(|error| failed(path, error))
    }
}

fn run(command: &str) -> std::io::Result<Done> {
    #[expect(clippy::disallowed_methods, reason = "a world that allows it has a shell")]
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", command]).stdin(Stdio::null()).env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin");
    let output = shell.output()?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok(Done {
        status: output.status.code().unwrap_or(255),
        out: text(output.stdout),
        err: text(output.stderr),
    })
}
