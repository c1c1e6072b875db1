//! Shows long answers on a terminal in the user's pager, as git does.

use std::io::{self, IsTerminal as _, Write as _};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use anstream::{AutoStream, ColorChoice};
use tokio::signal::unix::{SignalKind, signal};

/// The pager, unless a variable names another one.
const USUAL: &str = "less";

/// The options of `less`, unless the user has set others: a page that fits the screen is only printed, and colours
/// are kept.
const LESS: &str = "FRX";

/// Whether standard output goes to a terminal through a pager.
static PAGED: AtomicBool = AtomicBool::new(false);

/// The pager, and the terminal behind it.
#[derive(Debug)]
pub(in crate::cli) struct Pager {
    child: Child,
    terminal: OwnedFd,
}

/// Whether the output goes to a terminal, directly or through a pager.
pub(super) fn is_terminal() -> bool {
    PAGED.load(Ordering::Relaxed) || io::stdout().is_terminal()
}

/// Whether a pager is running.
pub(super) fn is_paged() -> bool {
    PAGED.load(Ordering::Relaxed)
}

/// Starts a pager until the value is dropped; `None` if there is no terminal or no pager.
pub(in crate::cli) fn paged() -> Option<Pager> {
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
    if is_dumb || !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return None;
    }
    let named = ["IAC_MCP_PAGER", "PAGER"].into_iter().find_map(|name| std::env::var(name).ok());
    let words = named.unwrap_or_else(|| USUAL.to_owned());
    let mut words = words.split_whitespace();
    let program = words.next().filter(|program| *program != "cat")?;
    let colours = AutoStream::choice(&io::stdout());
    let terminal = rustix::io::dup(io::stdout()).ok()?;
    #[expect(
        clippy::disallowed_methods,
        reason = "a person's pager, at their terminal and never for `serve`"
    )]
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", LESS);
    }
    let mut child = command.spawn().ok()?;
    // The pager also gets Ctrl-C and handles it. Without this handler, Ctrl-C would end this program and leave the
    // pager alone.
    if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() {
        let _inside = runtime.enter();
        drop(signal(SignalKind::interrupt()));
    }
    let input = child.stdin.take()?;
    rustix::stdio::dup2_stdout(&input).ok()?;
    let colours = if colours == ColorChoice::Never { colours } else { ColorChoice::Always };
    colours.write_global();
    PAGED.store(true, Ordering::Relaxed);
    Some(Pager { child, terminal })
}

impl Drop for Pager {
    /// Closes the pager's input, and waits until the user quits the pager.
    fn drop(&mut self) {
        // If the reader or the terminal is gone, there is nothing left to do.
        let _ = io::stdout().flush();
        let _ = rustix::stdio::dup2_stdout(&self.terminal);
        PAGED.store(false, Ordering::Relaxed);
        let _ = self.child.wait();
    }
}
