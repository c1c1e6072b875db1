//! Recordings of a program's runs of `osascript`, with its input and output. They can be read, or repeated on another
//! Mac, real or simulated.
//!
//! The program finds this one first on its `PATH`, under the name `osascript`. It passes the request to the next
//! osascript, streams the output through, and adds one line to the recording when the run ends.

use crate::options::Options;
use crate::output;
use crate::trace::{self, TRACE_VARIABLE, Traced};
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};

/// The variable that names the recording. While it is set, this program only wraps another osascript.
const RECORD: &str = "IAC_MCP_RECORD";

/// The variable that names the wrapped osascript: the program and its first arguments, one on each line.
const BEHIND: &str = "IAC_MCP_RECORD_OF";

/// How to run an osascript: the program with its first arguments, and its environment.
#[derive(Clone, Debug, Default)]
pub struct Osascript {
    /// For example `/usr/bin/osascript`.
    pub command: Vec<OsString>,
    /// For example the variable that names a simulated world.
    pub environment: Vec<(OsString, OsString)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    pub arguments: Vec<String>,
    /// The script file that the arguments name, if any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub script: Option<ScriptFile>,
    /// The script on stdin. Input that the script itself reads is not recorded.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub stdin: String,
    /// Its exit status; 128 plus the number of the signal if a signal ended it.
    pub status: i32,
    /// What it wrote to stdout.
    pub stdout: String,
    /// What it wrote to stderr.
    pub stderr: String,
    /// The Apple events that it sent, if the Mac was simulated.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub events: Vec<Traced>,
}

/// The text of a script file when it ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptFile {
    /// The index of the argument that names it.
    pub argument: usize,
    pub text: String,
}

/// A run that was repeated.
#[derive(Clone, Debug)]
pub struct Again {
    /// The recorded run.
    pub recorded: Run,
    /// The repeated run.
    pub happened: Run,
}

impl Again {
    /// Returns which parts differ: `status`, `stdout`, `stderr`.
    pub fn differences(&self) -> Vec<&'static str> {
        let (one, other) = (&self.recorded, &self.happened);
        let pairs = [
            ("status", one.status == other.status),
            ("stdout", one.stdout == other.stdout),
            ("stderr", one.complaint() == other.complaint()),
        ];
        pairs.into_iter().filter(|(_, same)| !same).map(|(part, _)| part).collect()
    }
}

impl Run {
    /// Returns its stderr without the path of its script.
    fn complaint(&self) -> String {
        match &self.script {
            Some(script) => self.stderr.replace(&self.arguments[script.argument], "SCRIPT"),
            None => self.stderr.clone(),
        }
    }

    fn append(&self, path: &Path) -> io::Result<()> {
        let line = format!("{}\n", serde_json::to_string(self)?);
        OpenOptions::new().create(true).append(true).open(path)?.write_all(line.as_bytes())
    }
}

/// Reads a recording.
///
/// # Errors
/// The file cannot be read, or a line is not a run.
pub fn read(path: &Path) -> io::Result<Vec<Run>> {
    let line = |(at, line): (usize, &str)| {
        let run: Run = serde_json::from_str(line)
            .map_err(|error| io::Error::other(format!("{}, line {}: {error}", path.display(), at + 1)))?;
        match &run.script {
            Some(script) if script.argument >= run.arguments.len() => {
                Err(io::Error::other(format!("{}, line {}: no such argument", path.display(), at + 1)))
            }
            _ => Ok(run),
        }
    };
    let text = fs::read_to_string(path).map_err(|error| named(path.as_os_str(), &error))?;
    text.lines().enumerate().map(line).collect()
}

/// Runs a command that finds `own`, this program, as `osascript`, and adds its runs to a recording.
///
/// # Errors
/// The command cannot be started, or no folder for its `PATH` can be made.
pub fn record(
    path: &Path,
    own: &Path,
    osascript: &Osascript,
    command: &[OsString],
) -> io::Result<ExitStatus> {
    let folder = tempfile::tempdir()?;
    std::os::unix::fs::symlink(own, folder.path().join("osascript"))?;
    let mut places = vec![folder.path().to_owned()];
    places.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let mut started = of(command)?;
    started.env("PATH", std::env::join_paths(places).map_err(io::Error::other)?);
    started.env(RECORD, std::path::absolute(path)?).env(BEHIND, osascript.command.join(OsStr::new("\n")));
    started.envs(osascript.environment.iter().map(|(name, value)| (name, value)));
    started.status().map_err(|error| named(&command[0], &error))
}

/// Adds the name of its subject to an error.
fn named(what: &OsStr, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", what.to_string_lossy()))
}

/// Repeats all runs of a recording, one after the other.
///
/// # Errors
/// osascript cannot be started, or the scripts cannot be stored.
pub fn again(runs: Vec<Run>, osascript: &Osascript) -> io::Result<Vec<Again>> {
    let folder = tempfile::tempdir()?;
    let ask = |recorded: Run| {
        let mut run = Run { stdin: recorded.stdin.clone(), ..Run::default() };
        run.arguments.clone_from(&recorded.arguments);
        run.script.clone_from(&recorded.script);
        if let Some(script) = &run.script {
            let named = PathBuf::from(&run.arguments[script.argument]);
            let path = folder.path().join(named.file_name().unwrap_or(OsStr::new("script.js")));
            write(&path, &script.text)?;
            run.arguments[script.argument] = path.to_string_lossy().into_owned();
        }
        let mut command = of(&osascript.command)?;
        command.envs(osascript.environment.iter().map(|(name, value)| (name, value)));
        perform(command, &mut run, false)?;
        Ok(Again { recorded, happened: run })
    };
    runs.into_iter().map(ask).collect()
}

/// Wraps another osascript, if this program is used for a recording.
pub(crate) fn stand_before(arguments: &[OsString]) -> Option<ExitCode> {
    let path = PathBuf::from(std::env::var_os(RECORD)?);
    let status = pass_on(&path, arguments).unwrap_or_else(|error| {
        output::complain(&format!("osascript: cannot be recorded: {error}"));
        1
    });
    Some(ExitCode::from(u8::try_from(status).unwrap_or(1)))
}

fn pass_on(path: &Path, arguments: &[OsString]) -> io::Result<i32> {
    let mut run = asked(arguments)?;
    let behind = std::env::var(BEHIND).unwrap_or_default();
    let behind: Vec<OsString> = behind.lines().map(OsString::from).collect();
    perform(of(&behind)?, &mut run, true)?;
    run.append(path)?;
    Ok(run.status)
}

/// Captures the request before it is run.
fn asked(arguments: &[OsString]) -> io::Result<Run> {
    let arguments: Vec<String> =
        arguments.iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let mut run = Run { arguments, ..Run::default() };
    let Some(options) = Options::understood(&run.arguments) else { return Ok(run) };
    if options.reads_script() {
        let mut script = Vec::new();
        io::stdin().lock().read_to_end(&mut script)?;
        run.stdin = String::from_utf8_lossy(&script).into_owned();
    } else if let Some(argument) = options.script_argument(run.arguments.len()) {
        let text = fs::read(&run.arguments[argument]).unwrap_or_default();
        run.script = Some(ScriptFile { argument, text: String::from_utf8_lossy(&text).into_owned() });
    }
    Ok(run)
}

/// Runs osascript. With `through`, its output is passed on as it arrives.
fn perform(mut command: Command, run: &mut Run, through: bool) -> io::Result<()> {
    let events = tempfile::NamedTempFile::new()?;
    let traced = std::env::var_os(TRACE_VARIABLE).is_none();
    if traced {
        command.env(TRACE_VARIABLE, events.path());
    }
    command.args(&run.arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    let feeds = !run.stdin.is_empty() || !through;
    command.stdin(if feeds { Stdio::piped() } else { Stdio::inherit() });
    let mut child = command.spawn()?;
    let fed = child.stdin.take();
    std::thread::scope(|scope| {
        let out = child.stdout.take().map(|from| scope.spawn(move || copy(from, through.then(io::stdout))));
        let err = child.stderr.take().map(|from| scope.spawn(move || copy(from, through.then(io::stderr))));
        // A program that ends without reading its input closes the pipe.
        let _ = fed.map(|mut fed| fed.write_all(run.stdin.as_bytes()));
        let text = |copied: Option<std::thread::ScopedJoinHandle<'_, String>>| {
            copied.and_then(|copied| copied.join().ok()).unwrap_or_default()
        };
        run.stdout = text(out);
        run.stderr = text(err);
    });
    run.status = status(&mut child)?;
    if traced {
        run.events = trace::read(events.path()).unwrap_or_default();
    }
    Ok(())
}

/// Reads a stream to its end and passes it on as it arrives. If passing on fails, it still reads to the end.
fn copy(mut from: impl Read, mut to: Option<impl Write>) -> String {
    let (mut all, mut chunk) = (Vec::new(), [0; 8192]);
    while let Ok(length @ 1..) = from.read(&mut chunk) {
        all.extend_from_slice(&chunk[..length]);
        if let Some(to) = &mut to {
            let _ = to.write_all(&chunk[..length]).and_then(|()| to.flush());
        }
    }
    String::from_utf8_lossy(&all).into_owned()
}

fn status(child: &mut Child) -> io::Result<i32> {
    use std::os::unix::process::ExitStatusExt as _;
    let status = child.wait()?;
    Ok(status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1))
}

/// Makes a command whose environment lacks the variables of a recording.
#[expect(
    clippy::disallowed_methods,
    reason = "the command that a person wants recorded, and the osascript behind it"
)]
fn of(words: &[OsString]) -> io::Result<Command> {
    let (program, first) = words.split_first().ok_or_else(|| io::Error::other("no command is named"))?;
    let mut command = Command::new(program);
    command.args(first).env_remove(RECORD).env_remove(BEHIND);
    Ok(command)
}

#[expect(clippy::disallowed_methods, reason = "a script in a folder that is gone with the run")]
fn write(path: &Path, text: &str) -> io::Result<()> {
    fs::write(path, text)
}
