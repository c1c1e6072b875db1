//! The program: handles the arguments, the streams and the exit status of `osascript`.

use crate::additions::Additions;
use crate::conditions::Conditions;
use crate::engine::{self, Script};
use crate::files::Files;
use crate::options::{End, Options};
use crate::os_error::OsError;
use crate::output;
use crate::record;
use crate::session::Session;
use crate::trace::{TRACE_VARIABLE, Trace};
use crate::world::{WORLD_VARIABLE, World};
use std::cell::RefCell;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::rc::Rc;

/// Runs `osascript` with the arguments after the program's name, in the simulated Mac that `IAC_MCP_WORLD` names.
pub fn osascript(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.collect();
    if let Some(status) = record::stand_before(&arguments) {
        return status;
    }
    match Options::parse(arguments.into_iter()).and_then(|options| execute(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(End::Status(status)) => ExitCode::from(status),
        Err(End::Complaint(status, line)) => {
            output::complain(&line);
            ExitCode::from(status)
        }
    }
}

fn execute(options: &Options) -> Result<(), End> {
    match options.language.as_deref() {
        _ if options.is_compiled() => (),
        Some(language) if language.eq_ignore_ascii_case("javascript") => (),
        Some(language) if !language.eq_ignore_ascii_case("applescript") => {
            return Err(End::of(format!("osascript: no such component \"{language}\".")));
        }
        _ => return ask(options),
    }
    let session = session()?;
    std::thread::sleep(session.conditions.start());
    if options.interactive && options.statements.is_empty() && options.file.is_none() {
        return engine::interact(session).map_err(|error| End::of(format!("osascript: {error}")));
    }
    let script = options.script()?;
    match engine::run(session, &script, options.form) {
        Ok(text) => {
            let text = text.unwrap_or_default() + "\n";
            output::print(&text).map_err(|_| End::Status(1))
        }
        Err(error) => Err(report(options, &script, &error)),
    }
}

/// Answers a simple AppleScript query.
fn ask(options: &Options) -> Result<(), End> {
    let script = options.script()?;
    let session = session()?;
    std::thread::sleep(session.conditions.start());
    let Some(asked) = crate::applescript::translate(&session, &script.source) else {
        let expected = "of AppleScript it answers only plain questions such as `tell application \"Mail\" to count every mailbox`";
        return Err(End::of(format!(
            "osascript: the simulated Mac runs JavaScript; {expected}. Pass -l JavaScript"
        )));
    };
    let script = Script { source: asked.source, ..script };
    match engine::run(session, &script, options.form) {
        Ok(text) => output::print(&(text.unwrap_or_default() + "\n")).map_err(|_| End::Status(1)),
        Err(error) => {
            let message = error.message.trim_start_matches("Error: ");
            let app = asked.app.map(|app| format!("{app} got an error: ")).unwrap_or_default();
            Err(End::of(format!("execution error: {app}{message} ({})", error.number)))
        }
    }
}

fn session() -> Result<Rc<Session>, End> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    let complain = |error: &dyn std::fmt::Display| End::of(format!("osascript: {error}"));
    let missing = || End::of(format!("osascript: {WORLD_VARIABLE} does not name a simulated Mac"));
    let folder = variable(WORLD_VARIABLE).ok_or_else(missing)?;
    let world = World::open(&folder).map_err(|error| complain(&error))?;
    let conditions = Conditions::open(&folder).map_err(|error| complain(&error))?;
    engine::eventkit::check(&world).map_err(|error| complain(&error))?;
    let trace = Trace::open(variable(TRACE_VARIABLE).as_deref());
    let trace = trace.map_err(|error| complain(&format!("cannot open the trace: {error}")))?;
    let additions = Additions::open(&folder).map_err(|error| complain(&error))?;
    let files = Files::new(&folder, world.base(), &world.mac.home);
    Ok(Rc::new(Session { world, trace, conditions, additions, files, saved: RefCell::default() }))
}

/// Formats an uncaught error as current macOS versions do: without a position, and with `Error: ` before the text.
fn report(options: &Options, script: &Script, error: &OsError) -> End {
    let before = script.file.as_ref().map(|file| format!("{file}: ")).unwrap_or_default();
    let line = format!("{before}execution error: Error: {} ({})", error.message, error.number);
    if options.errors_to_stdout && output::print(&format!("{line}\n")).is_ok() {
        return End::Status(1);
    }
    End::of(line)
}
