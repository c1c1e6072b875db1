//! Chooses between the two engines that run plugins.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use iac_plugins::engine::{Backend, Engine as Sandbox, LoadError};

use super::Engine;

/// The arguments with which this program starts itself for a trial.
const PROBE: [&str; 2] = ["plugin", "probe"];

impl Engine {
    /// Returns the function that chooses the backend. It is called when a plugin is called for the first time.
    pub(crate) fn decided(self) -> fn() -> Backend {
        match self {
            Self::Auto => found_out,
            Self::Native => || Backend::Native,
            Self::Interpreter => || Backend::Interpreter,
        }
    }

    /// Starts the engine with the chosen backend.
    ///
    /// # Errors
    /// The system refuses something that the engine needs.
    pub(crate) fn start(self) -> Result<Arc<Sandbox>, LoadError> {
        Sandbox::new(self.decided()())
    }
}

/// Finds out whether machine code may run. macOS kills a hardened program that executes memory which it has written,
/// so a child process tries it. Other systems do not need this.
fn found_out() -> Backend {
    match std::env::consts::OS {
        "macos" => std::env::current_exe().map_or(Backend::Interpreter, |own| tried_by(&own)),
        _ => Backend::Native,
    }
}

/// Lets a child process compile a module and run it. If the child dies, this program must not run machine code
/// either.
#[expect(clippy::disallowed_methods, reason = "the child is this program, runs no script and ends at once")]
fn tried_by(program: &Path) -> Backend {
    let mut child = Command::new(program);
    child.args(PROBE).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match child.status() {
        Ok(status) if status.success() => Backend::Native,
        ended => {
            tracing::warn!(?ended, "the system forbids running compiled code, so plugins are interpreted");
            Backend::Interpreter
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_that_does_not_come_back_well_means_the_interpreter() {
        for (program, expected) in [
            ("/bin/true", Backend::Native),
            ("/usr/bin/true", Backend::Native),
            ("/bin/false", Backend::Interpreter),
            ("/usr/bin/false", Backend::Interpreter),
            ("/no/such/program", Backend::Interpreter),
        ] {
            let path = Path::new(program);
            if path.exists() || expected == Backend::Interpreter {
                assert_eq!(tried_by(path), expected, "{program}");
            }
        }
    }

    #[test]
    fn both_engines_run_what_they_compile() {
        for engine in [Engine::Native, Engine::Interpreter] {
            engine.start().and_then(|engine| engine.try_out()).unwrap();
        }
    }
}
