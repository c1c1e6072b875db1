//! The command line: one file for each command.

mod access;
mod ask;
mod audit;
mod call;
pub(crate) mod config;
mod consent;
mod demo;
mod describe;
mod dictionary;
mod directories;
mod doctor;
mod help;
mod installation;
mod list;
mod options;
mod paint;
mod web;
mod author;
mod package;
mod plugin;
mod policy;
mod self_check;
mod serve;
mod setup;
mod sim;
mod top;
mod undo;
mod uninstall;

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use iac_core::fault::Fault;

use colorchoice_clap::Color;
use iac_state::StateError;
use options::{Common, Mac};
use serde_json::json;

/// The version. A release adds its commit and date.
const VERSION: &str = match option_env!("IAC_MCP_BUILD") {
    Some(build) => build,
    None => env!("CARGO_PKG_VERSION"),
};

/// An MCP server that lets an AI assistant read and control scriptable Mac apps.
///
/// Without a command it serves MCP over stdin and stdout, as MCP clients start it.
#[derive(Debug, Parser)]
#[command(name = "iac-mcp", version = VERSION, max_term_width = 100, args_override_self = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    mac: Mac,
    #[command(flatten)]
    color: Color,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serves MCP over stdin and stdout.
    Serve,
    /// Shows a real client asking a real server about a simulated Mac.
    Demo,
    /// Lists the scriptable apps.
    Apps(list::Apps),
    /// Describes the dictionary of an app or a file, or one of its terms.
    Describe(describe::Describe),
    /// Calls a tool and prints its answer.
    Call(call::Call),
    /// Lists the faults of the dictionary of an app or of an .sdef file.
    Lint(list::Lint),
    /// Lists the tools as clients see them.
    Tools(list::Tools),
    /// Creates, shows and resets simulated Macs; records osascript.
    Sim(sim::Sim),
    /// Shows and changes what is allowed.
    Policy(policy::PolicyCommand),
    /// Shows and verifies the audit log.
    Audit(audit::Audit),
    /// Shows what running servers do: calls, questions, queues and workers.
    Top(top::Top),
    /// Undoes writes of the last hour.
    Undo(undo::Undo),
    /// Lets macOS ask you for consent to control an app.
    Consent(consent::Consent),
    /// Shows the access to calendars and reminders and asks for it.
    Access(access::Access),
    /// Checks the installation and shows where each setting comes from.
    Doctor(doctor::Doctor),
    /// Adds this server to your MCP clients, or removes it.
    Setup(setup::Setup),
    /// Checks, only when you run it, whether there is a newer version.
    SelfCheck(self_check::SelfCheck),
    /// Removes this server from your MCP clients and lists everything that is left.
    Uninstall(uninstall::Uninstall),
    /// Creates, installs and manages plugins.
    #[command(subcommand)]
    Plugin(plugin::Plugin),
    /// Prints a script that completes the command line in your shell.
    Completions(help::Completions),
    /// Writes the manual pages into a folder.
    // Packages run this, so the help on the first page does not list it.
    #[command(hide = true)]
    Man(help::Man),
}

impl Command {
    /// Whether its output is often longer than a screen, so that a pager is used.
    fn is_long(&self) -> bool {
        match self {
            Self::Describe(_) | Self::Tools(_) | Self::Lint(_) => true,
            Self::Audit(audit) => audit.shows(),
            _ => false,
        }
    }
}

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
enum Failure {
    /// The command was used in a way that cannot work: exit status 2.
    #[error("{0}")]
    Misuse(String),
    /// The command could not do its work: exit status 1.
    #[error("{0}")]
    Failed(String),
    /// The error was already printed: exit status 1.
    #[error("failed")]
    Said,
    /// The help was already printed: exit status 2.
    #[error("misused")]
    Shown,
    /// The reader of the output is gone, which is not a failure.
    #[error("the output was closed")]
    Unread,
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Failed(format!("{}\n{}", fault.message, at_a_terminal(&fault.suggestion)))
    }
}

/// Replaces tool names in a suggestion by the commands that do the same.
fn at_a_terminal(suggestion: &str) -> String {
    suggestion
        .replace("iac_mcp_list_apps", "`iac-mcp apps`")
        .replace("iac_mcp_describe_app", "`iac-mcp describe`")
}

impl From<StateError> for Failure {
    fn from(error: StateError) -> Self {
        let remedy = error.remedy().map(|remedy| format!("\n{remedy}")).unwrap_or_default();
        Self::Failed(format!("{error}{remedy}"))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Unread,
            _ => Self::Failed(error.to_string()),
        }
    }
}

/// Runs the program with these arguments: all commands except `osascript` and `guard`, which `main` runs itself.
pub fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let line: Vec<OsString> = std::iter::once("iac-mcp".into()).chain(arguments).collect();
    let (arguments, settings) = match config::read(&line) {
        Ok(read) => read,
        Err(config::Unread::Clap(error)) => return misread(&error, &line),
        Err(config::Unread::File(failure)) => return complain(&failure, wants_json(&line)),
    };
    directories::log(arguments.common.debug);
    for warning in config::unknown_variables() {
        tracing::warn!("{warning}");
    }
    let json = arguments.common.json;
    match arguments.run(&settings) {
        Ok(()) | Err(Failure::Unread) => ExitCode::SUCCESS,
        Err(Failure::Said) => ExitCode::FAILURE,
        Err(Failure::Shown) => ExitCode::from(2),
        Err(failure) => complain(&config::named(failure, &settings), json),
    }
}

impl Arguments {
    fn run(self, settings: &[config::Setting]) -> Result<(), Failure> {
        let Self { command, common, mac, color } = self;
        color.write_global();
        // To a command of `plugin`, `--root` names folders to grant. A setting of the same name is about folders of
        // apps.
        let is_typed = |key: &str| settings.iter().any(|setting| setting.is_typed() && setting.key == key);
        let folders = if is_typed("root") { mac.root.clone() } else { Vec::new() };
        let is_long = command.as_ref().is_some_and(Command::is_long) && !common.json;
        // Dropped at the end of this function, so that an error appears after the pager has closed.
        let _pager = is_long.then(paint::paged).flatten();
        match command {
            None if io::stdin().is_terminal() => usage(),
            None | Some(Command::Serve) => serve::run(&common, mac, settings),
            Some(Command::Demo) => demo::run(&common),
            Some(Command::Apps(apps)) => apps.run(&common, mac),
            Some(Command::Describe(describe)) => describe.run(&common, mac),
            Some(Command::Call(call)) => call.run(&common, mac),
            Some(Command::Lint(lint)) => lint.run(&common, mac),
            Some(Command::Tools(tools)) => tools.run(&common, mac),
            Some(Command::Sim(sim)) => sim.run(&common, &mac),
            Some(Command::Policy(policy)) => policy.run(&common, mac),
            Some(Command::Audit(audit)) => audit.run(&common, &mac),
            Some(Command::Top(top)) => top.run(&common, &mac),
            Some(Command::Undo(undo)) => undo.run(&common, mac),
            Some(Command::Consent(consent)) => consent.run(&common, mac),
            Some(Command::Access(access)) => access.run(&common, mac),
            Some(Command::Doctor(doctor)) => doctor.run(&common, mac, settings),
            Some(Command::Setup(setup)) => setup.run(&common, settings),
            Some(Command::SelfCheck(check)) => check.run(&common),
            Some(Command::Uninstall(uninstall)) => uninstall.run(&common),
            Some(Command::Plugin(plugin)) if plugin.is_test() && is_typed("world") => Err(Failure::Misuse(
                "`plugin test` makes a simulated Mac for each call, so it takes no --world".to_owned(),
            )),
            // The list of plugins is that of the state directory, not of a simulated Mac.
            Some(Command::Plugin(plugin))
                if plugin.changes()
                    && common.state.is_none()
                    && (is_typed("simulated") || is_typed("world")) =>
            {
                let what =
                    "this command changes the installed plugins, which every Mac shares, simulated or not";
                let how = "leave out --simulated and --world, or name another state folder with --state";
                Err(Failure::Misuse(format!("{what}\n{how}")))
            }
            Some(Command::Plugin(plugin)) => plugin.run(&common, mac, folders),
            Some(Command::Completions(completions)) => completions.run(),
            Some(Command::Man(man)) => man.run(),
        }
    }
}

/// Prints the help, because a person started the server at a terminal. It goes to stderr, because stdout is for MCP.
fn usage() -> Result<(), Failure> {
    writeln!(paint::stderr(), "{}", help::command().render_help().ansi())?;
    Err(Failure::Shown)
}

/// Prints a message of clap. Help and version are not failures, even if the reader stops early; anything else is
/// misuse.
fn misread(error: &clap::Error, line: &[OsString]) -> ExitCode {
    let blamed = config::to_blame(error, line).map(|variable| format!("the value comes from {variable}"));
    if error.use_stderr() && wants_json(line) {
        return complain(&Failure::Misuse(in_short(&error.to_string(), blamed)), true);
    }
    let printed = match error.use_stderr() {
        true => write!(paint::stderr(), "{}", error.render().ansi()),
        false => error.print(),
    };
    if let Some(blamed) = blamed {
        let style = paint::FAINT;
        // If stderr cannot be written, the exit status is all that is left.
        let _ = writeln!(paint::stderr(), "{style}{blamed}{style:#}");
    }
    let unread = printed.err().filter(|error| error.kind() != io::ErrorKind::BrokenPipe);
    if error.use_stderr() || unread.is_some() { ExitCode::from(2) } else { ExitCode::SUCCESS }
}

/// Puts a message of clap on two lines: what is wrong, and what to do. Its paragraphs may have several lines.
fn in_short(text: &str, blamed: Option<String>) -> String {
    let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.trim_start_matches("error: ");
    let mut parts = text.split("\n\n").map(line).filter(|part| !part.is_empty());
    let wrong = parts.next().unwrap_or_default();
    let advice: Vec<String> = blamed.into_iter().chain(parts).collect();
    format!("{wrong}\n{}", advice.join("; "))
}

/// Whether a command line that could not be parsed asks for JSON.
fn wants_json(line: &[OsString]) -> bool {
    line.iter().any(|word| word == "--json")
}

/// Splits off what was probably meant.
fn near(text: &str) -> Option<(&str, &str)> {
    let at = text.find("; did you mean ")?;
    Some((&text[..at], &text[at + 2..]))
}

/// Prints an error: on stderr for people, as a JSON object on stdout for programs.
fn complain(failure: &Failure, json: bool) -> ExitCode {
    let is_misuse = matches!(failure, Failure::Misuse(_));
    let text = failure.to_string();
    let (first, rest) = text.split_once('\n').or_else(|| near(&text)).unwrap_or((&text, ""));
    // If the stream cannot be written, the exit status is all that is left.
    if json {
        let kind = if is_misuse { "misuse" } else { "failed" };
        let _ = paint::answer(&json!({ "error": kind, "message": first, "suggestion": rest.trim() }), true);
    } else {
        let mut stderr = paint::stderr();
        let style = paint::ERROR;
        let _ = writeln!(stderr, "{style}error:{style:#} {first}");
        for line in rest.lines() {
            let _ = writeln!(stderr, "  {line}");
        }
    }
    ExitCode::from(if is_misuse { 2 } else { 1 })
}
