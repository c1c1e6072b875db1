//! Language servers for plugins. They run under the same guard as every other process, with the operator's settings.

use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use iac_core::foreign::place;
use iac_language_servers::LanguageServers;
use iac_language_servers::launch::{Launch, Launched, Process, Program};
use iac_language_servers::settings::{Chosen, Settings};
use iac_osascript::{Guarded, Liveness, memory_of_group};

use iac_state::regular;

use crate::closed::Files;

/// The operator's settings, a file in the state directory.
const FILE: &str = "language-servers.toml";

/// The language servers of one state directory. They are set up at the first question.
#[derive(Default)]
pub(crate) struct Servers {
    state: Option<PathBuf>,
    made: OnceLock<LanguageServers>,
    /// Why no server is used, if so.
    problem: OnceLock<String>,
}

impl Servers {
    /// Uses the operator's settings in a state directory, or the defaults if there is none.
    pub(crate) fn new(state: Option<&Path>) -> Self {
        Self { state: state.map(Path::to_owned), ..Self::default() }
    }

    /// Returns the language servers. If the operator's settings cannot be read, it logs an error and uses no server.
    pub(crate) fn get(&self) -> &LanguageServers {
        self.made.get_or_init(|| {
            open(self.state.as_deref()).unwrap_or_else(|error| {
                tracing::error!(%error, "language servers are off");
                self.problem.get_or_init(|| format!("{error}; restart the server after correcting it"));
                none()
            })
        })
    }

    /// Returns why no server is used, if the operator's settings cannot be read.
    pub(crate) fn unused(&self) -> Option<&str> {
        self.get();
        self.problem.get().map(String::as_str)
    }

    /// Returns why language servers are off, or why they would be. It starts none to find out.
    pub(crate) fn problem(&self) -> Option<String> {
        let now = || check(self.state.as_deref()).err().map(|error| error.to_string());
        self.problem.get().cloned().or_else(now)
    }
}

/// Sets up the language servers. None is started before the first question.
///
/// # Errors
/// The settings cannot be read, or too many files are open.
fn open(state: Option<&Path>) -> io::Result<LanguageServers> {
    let settings = Settings::standard(std::env::vars_os()).with(chosen(state)?).map_err(io::Error::other)?;
    let settings = Settings { closed: Arc::new(Files::of(state)), ..settings };
    let guard = std::env::current_exe().ok();
    let launcher = Launcher { guard, liveness: Liveness::new()? };
    Ok(LanguageServers::new(Arc::new(launcher), settings))
}

/// Reads and checks the operator's settings without using them.
///
/// # Errors
/// The settings cannot be read or are not valid.
fn check(state: Option<&Path>) -> io::Result<()> {
    Settings::standard([]).with(chosen(state)?).map(drop).map_err(io::Error::other)
}

/// Makes a host without language servers.
fn none() -> LanguageServers {
    let mut settings = Settings::standard([]);
    settings.profiles.clear();
    LanguageServers::new(Arc::new(Nobody), settings)
}

/// A launcher that starts nothing.
struct Nobody;

impl Launch for Nobody {
    fn launch(&self, _: &Program) -> io::Result<Launched> {
        Err(io::Error::other("language servers are off here"))
    }

    fn memory(&self, _: u32) -> Pin<Box<dyn Future<Output = Option<u64>> + Send + '_>> {
        Box::pin(async { None })
    }
}

/// Reads the operator's settings. Without a file, they are the defaults.
fn chosen(state: Option<&Path>) -> io::Result<Chosen> {
    let Some(file) = state.map(|state| state.join(FILE)) else { return Ok(Chosen::default()) };
    match regular::text(&file, regular::MOST) {
        Ok(Some(text)) => toml::from_str(&text).map_err(|error| {
            let (line, column) = place(&text, error.span().map_or(0, |span| span.start));
            let message = error.message().replace('\n', "; ");
            io::Error::other(format!("{}: line {line}, column {column}: {message}", file.display()))
        }),
        Ok(None) => Ok(Chosen::default()),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// Starts servers under a guard, so that none outlives this process.
struct Launcher {
    guard: Option<PathBuf>,
    liveness: Liveness,
}

struct Server(Guarded);

impl Launch for Launcher {
    fn launch(&self, program: &Program) -> io::Result<Launched> {
        let (process, pipes) = Guarded::server(
            self.guard.as_deref(),
            &self.liveness,
            &program.command,
            &program.directory,
            &program.environment,
        )?;
        Ok(Launched {
            pid: process.pid(),
            stdin: Box::new(pipes.stdin),
            stdout: Box::new(pipes.stdout),
            stderr: Box::new(pipes.stderr),
            process: Box::new(Server(process)),
        })
    }

    fn memory(&self, pid: u32) -> Pin<Box<dyn Future<Output = Option<u64>> + Send + '_>> {
        Box::pin(memory_of_group(pid))
    }
}

impl Process for Server {
    fn wait(&mut self) -> Pin<Box<dyn Future<Output = String> + Send + '_>> {
        Box::pin(async {
            match self.0.wait().await {
                Ok(status) => status.to_string(),
                Err(error) => error.to_string(),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: Option<&str>, expected: &str) {
        let folder = tempfile::tempdir().unwrap();
        if let Some(text) = text {
            let mut file = std::fs::File::create(folder.path().join(FILE)).unwrap();
            io::Write::write_all(&mut file, text.as_bytes()).unwrap();
        }
        let said = match chosen(Some(folder.path())) {
            Ok(chosen) => format!("{:?} {}", chosen.prefer, chosen.profiles.len()),
            Err(error) => error.to_string(),
        };
        assert!(said.contains(expected), "{said}");
    }

    #[tokio::test]
    async fn choices_that_cannot_be_read_are_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Servers::new(Some(folder.path())).unused(), None);
        let mut file = std::fs::File::create(folder.path().join(FILE)).unwrap();
        io::Write::write_all(&mut file, b"idle = 5").unwrap();
        let servers = Servers::new(Some(folder.path()));
        let why = servers.unused().expect("nothing is served by halves");
        assert!(why.contains("line 1, column 1: unknown field `idle`"), "{why}");
    }

    #[test]
    fn an_operator_chooses() {
        check(None, "[] 0");
        check(Some("prefer = [\"ty\"]"), "[\"ty\"] 0");
        let own =
            "[[profiles]]\nname = \"kotlin\"\ncommand = [\"kotlin-lsp\"]\nfiles = { kt = \"kotlin\" }\n";
        check(Some(own), "[] 1");
        check(Some("prefers = [\"ty\"]"), "language-servers.toml: line 1, column 1: unknown field `prefers`");
        check(Some("prefer = []\nidle-minutes = \"x\""), "line 2, column 16: invalid type");
    }

    #[tokio::test]
    async fn a_choice_that_is_wrong_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = std::fs::File::create(folder.path().join(FILE)).unwrap();
        io::Write::write_all(&mut file, b"[[profiles]]\nname = \"x\"\ncommand = []\nfiles = {}\n").unwrap();
        let said = open(Some(folder.path())).err().map(|error| error.to_string());
        assert_eq!(
            said.as_deref(),
            Some("profile `x`: has no command, expected a program and its arguments")
        );
    }
}
