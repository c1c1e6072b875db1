//! What the world adds to Standard Additions: the user's answers to dialogs, a clipboard, and optionally a shell.

use crate::world::{WorldError, content, failed, journal, read_if_there};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// `additions.json` of a world. Without it, nobody answers dialogs and no shell command runs.
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

/// The user's answer to a dialog.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Dialog {
    /// The command, for example `display dialog`; any command if absent.
    #[serde(default)]
    command: Option<String>,
    /// A part of the text that the dialog shows.
    #[serde(default)]
    contains: String,
    /// The button to press; the default button if absent.
    #[serde(default)]
    pub(crate) button: Option<String>,
    /// The text to type.
    #[serde(default)]
    pub(crate) text: Option<String>,
    /// The items to choose from a list.
    #[serde(default)]
    pub(crate) choose: Option<Vec<String>>,
    /// The file or folder to choose.
    #[serde(default)]
    pub(crate) path: Option<String>,
    /// The files or folders to choose, if there may be several.
    #[serde(default)]
    pub(crate) paths: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) cancel: bool,
    /// How long the user takes, in milliseconds.
    #[serde(default)]
    pub(crate) after: u32,
}

/// The shell commands that the world allows. They really run, on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
enum Shell {
    All(bool),
    /// Commands that begin with one of these.
    Beginning(Vec<String>),
}

impl Default for Shell {
    fn default() -> Self {
        Self::All(false)
    }
}

/// The result of a shell command.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// The state of Standard Additions in one world.
#[derive(Debug, Default)]
pub(crate) struct Additions {
    written: Written,
    pasteboard: PathBuf,
    volume: PathBuf,
}

impl Additions {
    pub(crate) fn open(world: &Path) -> Result<Self, WorldError> {
        let path = world.join("additions.json");
        let written = match read_if_there(&path)? {
            Some(text) => serde_json::from_slice(&text).map_err(|error| content(&path, error))?,
            None => Written::default(),
        };
        let additions =
            Self { written, pasteboard: world.join("state/pasteboard"), volume: world.join("state/volume") };
        if let Some(kept) = read_if_there(&additions.pasteboard)? {
            let kept = serde_json::from_slice::<Pasteboard>(&kept);
            kept.map_err(|error| content(&additions.pasteboard, error))?;
        }
        Ok(additions)
    }

    /// Returns the answer to a dialog that shows this text, if the user answers it.
    pub(crate) fn answer(&self, command: &str, shown: &str) -> Option<&Dialog> {
        let fits = |dialog: &&Dialog| {
            dialog.command.as_ref().is_none_or(|wanted| wanted == command) && shown.contains(&dialog.contains)
        };
        self.written.dialogs.iter().find(fits)
    }

    /// Runs a shell command, if the world allows it. `shown` is the form that is compared with the allowed commands.
    pub(crate) fn shell(&self, shown: &str, command: &str) -> Option<std::io::Result<Done>> {
        let allowed = match &self.written.shell {
            Shell::All(allowed) => *allowed,
            Shell::Beginning(beginnings) => beginnings.iter().any(|beginning| shown.starts_with(beginning)),
        };
        allowed.then(|| run(command))
    }

    /// The pasteboard as the bridge's JavaScript stores it: a count of changes, and bytes by type.
    pub(crate) fn pasteboard(&self) -> Pasteboard {
        let kept = std::fs::read(&self.pasteboard).ok().and_then(|text| serde_json::from_slice(&text).ok());
        kept.unwrap_or_else(|| Pasteboard::of(1, self.written.clipboard.as_deref()))
    }

    pub(crate) fn set_pasteboard(&self, kept: &Pasteboard) -> Result<(), WorldError> {
        let text = serde_json::to_vec(kept).map_err(|error| content(&self.pasteboard, error))?;
        keep(&self.pasteboard, &text)
    }

    /// The volume as the JavaScript of Standard Additions stores it; `None` until it is changed.
    pub(crate) fn volume(&self) -> Option<String> {
        std::fs::read_to_string(&self.volume).ok()
    }

    pub(crate) fn set_volume(&self, settings: &str) -> Result<(), WorldError> {
        keep(&self.volume, settings.as_bytes())
    }
}

/// The contents of the pasteboard.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Pasteboard {
    count: u64,
    /// The contents by type. Each character stands for one byte.
    items: BTreeMap<String, String>,
}

const PLAIN_TEXT: &str = "public.utf8-plain-text";

impl Pasteboard {
    fn of(count: u64, text: Option<&str>) -> Self {
        let bytes = |text: &str| text.bytes().map(char::from).collect::<String>();
        Self { count, items: text.map(|text| (PLAIN_TEXT.to_owned(), bytes(text))).into_iter().collect() }
    }

    /// Returns the pasteboard after a text was copied.
    pub(crate) fn with_text(&self, text: &str) -> Self {
        Self::of(self.count + 1, Some(text))
    }

    pub(crate) fn text(&self) -> Option<String> {
        let bytes = self.items.get(PLAIN_TEXT)?.chars().map(|c| u8::try_from(u32::from(c)));
        String::from_utf8(bytes.collect::<Result<_, _>>().ok()?).ok()
    }
}

fn keep(path: &Path, text: &[u8]) -> Result<(), WorldError> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    journal::replace(&path.with_extension("next"), path, text).map_err(|error| failed(path, error))
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
