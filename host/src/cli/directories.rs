//! The folders of this program, and the setup of its log.

use std::env;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use tracing_subscriber::EnvFilter;

/// The user's home folder.
pub(super) fn home() -> Option<PathBuf> {
    env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from)
}

/// The platform's folder for application state.
pub(super) fn state() -> Option<PathBuf> {
    place("XDG_STATE_HOME", "Library/Application Support", ".local/state")
}

/// The platform's cache folder.
pub(super) fn cache() -> Option<PathBuf> {
    place("XDG_CACHE_HOME", "Library/Caches", ".cache")
}

/// Whether this is a Mac.
pub(super) fn is_mac() -> bool {
    env::consts::OS == "macos"
}

/// Whether a program of this name is on `PATH`.
pub(super) fn is_on_path(program: &str) -> bool {
    let folders = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

/// Whether this user is logged in at the screen: `/dev/console` belongs to the user who is.
pub(super) fn has_screen() -> bool {
    let console = std::fs::metadata("/dev/console").map(|console| console.uid());
    console.is_ok_and(|owner| owner == rustix::process::getuid().as_raw())
}

fn place(variable: &str, mac: &str, other: &str) -> Option<PathBuf> {
    let named = env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = match is_mac() {
        true => home()?.join(mac),
        false => named.or_else(|| Some(home()?.join(other)))?,
    };
    Some(base.join("iac-mcp"))
}

/// Sends the log to stderr: warnings, or more if `IAC_MCP_LOG` or `--debug` asks for it.
pub(super) fn log(debug: bool) {
    let default = if debug { "iac_=debug,plugin=debug,warn,rmcp=error" } else { "warn,rmcp=error" };
    let (filter, wrong) = match env::var("IAC_MCP_LOG").map(EnvFilter::try_new) {
        Ok(Ok(filter)) => (filter, None),
        Ok(Err(wrong)) => (EnvFilter::new(default), Some(wrong)),
        Err(_) => (EnvFilter::new(default), None),
    };
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    // If stderr cannot be written, reporting that on stderr would panic.
    let log = log.log_internal_errors(false);
    let is_colourless = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let has_colours = io::IsTerminal::is_terminal(&io::stderr()) && !is_colourless;
    if log.with_ansi(has_colours).try_init().is_err() {
        tracing::debug!("somebody else keeps the log");
    }
    if let Some(error) = wrong {
        tracing::warn!(%error, "IAC_MCP_LOG is not a valid filter, expected a filter such as `iac_=debug`");
    }
}
