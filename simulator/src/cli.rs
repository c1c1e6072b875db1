//! The program: `osascript`'s arguments in, streams and exit status out.

use crate::additions::Additions;
use crate::conditions::Conditions;
use crate::engine::{self, Form, Script};
use crate::files::Files;
use crate::os_error::OsError;
use crate::output;
use crate::record;
use crate::session::Session;
use crate::trace::Trace;
use crate::world::World;
use std::ffi::OsString;
use std::io::{self, Read as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::rc::Rc;

const USAGE: &str =
    "usage: osascript [-l language] [-i] [-s {ehso}] [-e statement | programfile] [argument ...]";

/// Runs `osascript` with the arguments after the program's name, in the simulated Mac that the variable
/// `IAC_MCP_WORLD` names.
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

/// How the program ends if it does not end well.
enum End {
    Status(u8),
    Complaint(u8, String),
}

impl End {
    fn of(line: impl Into<String>) -> Self {
        Self::Complaint(1, line.into())
    }
}

/// What the arguments say.
#[derive(Debug, Default)]
pub(crate) struct Options {
    language: Option<String>,
    statements: Vec<String>,
    form: Form,
    interactive: bool,
    errors_to_stdout: bool,
    file: Option<String>,
    arguments: Vec<String>,
}

impl Options {
    /// What arguments say, if they say it well.
    pub(crate) fn understood(arguments: &[String]) -> Option<Self> {
        Self::parse(arguments.iter().map(OsString::from)).ok()
    }

    /// Whether the script is what stands on stdin.
    pub(crate) fn reads_script(&self) -> bool {
        let named = self.file.as_deref().is_some_and(|file| file != "-");
        self.statements.is_empty() && !named && !self.interactive
    }

    /// Which of so many arguments names the script.
    pub(crate) fn script_argument(&self, arguments: usize) -> Option<usize> {
        self.file.as_ref()?;
        arguments.checked_sub(self.arguments.len() + 1)
    }

    fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Self, End> {
        let mut options = Self::default();
        let mut rest = arguments.map(|argument| argument.to_string_lossy().into_owned()).peekable();
        while let Some(argument) = rest.next_if(|argument| argument.len() > 1 && argument.starts_with('-')) {
            if argument == "--" {
                break;
            }
            options.option(&argument[1..], &mut rest)?;
        }
        if options.statements.is_empty() {
            options.file = rest.next();
        }
        options.arguments = rest.collect();
        Ok(options)
    }

    /// Reads one word of options; a letter that takes a value takes the rest of the word, or the next one.
    fn option(&mut self, word: &str, rest: &mut dyn Iterator<Item = String>) -> Result<(), End> {
        let mut letters = word.chars();
        let letter = letters.next().unwrap_or('-');
        if letter == 'i' {
            self.interactive = true;
            return if letters.as_str().is_empty() { Ok(()) } else { self.option(letters.as_str(), rest) };
        }
        if !"els".contains(letter) {
            return Err(End::Complaint(2, format!("osascript: illegal option -- {letter}\n{USAGE}")));
        }
        let attached = letters.as_str();
        let value = if attached.is_empty() { rest.next() } else { Some(attached.to_owned()) };
        let missing = || format!("osascript: option requires an argument -- {letter}\n{USAGE}");
        self.valued(letter, value.ok_or_else(|| End::Complaint(2, missing()))?);
        Ok(())
    }

    fn valued(&mut self, letter: char, value: String) {
        match letter {
            'e' => self.statements.push(value),
            'l' => self.language = Some(value),
            _ => value.chars().for_each(|flag| match flag {
                'h' => self.form = Form::Human,
                's' => self.form = Form::Source,
                'e' => self.errors_to_stdout = false,
                'o' => self.errors_to_stdout = true,
                _ => (),
            }),
        }
    }

    fn script(&self) -> Result<Script, End> {
        let arguments = self.arguments.clone();
        if !self.statements.is_empty() {
            return Ok(Script { source: self.statements.join("\n"), file: None, arguments });
        }
        match self.file.as_deref() {
            None | Some("-") => {
                let mut bytes = Vec::new();
                io::stdin()
                    .lock()
                    .read_to_end(&mut bytes)
                    .map_err(|error| End::of(format!("osascript: {error}")))?;
                Ok(Script { source: String::from_utf8_lossy(&bytes).into_owned(), file: None, arguments })
            }
            Some(file) => {
                let bytes = std::fs::read(file)
                    .map_err(|_| End::of(format!("osascript: {file}: No such file or directory")))?;
                let source = String::from_utf8_lossy(&bytes).into_owned();
                Ok(Script { source, file: Some(file.to_owned()), arguments })
            }
        }
    }
}

fn execute(options: &Options) -> Result<(), End> {
    match options.language.as_deref() {
        Some(language) if language.eq_ignore_ascii_case("javascript") => (),
        Some(language) if !language.eq_ignore_ascii_case("applescript") => {
            return Err(End::of(format!("osascript: no such component \"{language}\".")));
        }
        _ => return Err(End::of("osascript: the simulated Mac runs only JavaScript; pass -l JavaScript")),
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

fn session() -> Result<Rc<Session>, End> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    let complain = |error: &dyn std::fmt::Display| End::of(format!("osascript: {error}"));
    let missing = || End::of(format!("osascript: {} does not name a simulated Mac", crate::WORLD_VARIABLE));
    let folder = variable(crate::WORLD_VARIABLE).ok_or_else(missing)?;
    let world = World::open(&folder).map_err(|error| complain(&error))?;
    let conditions = Conditions::open(&folder).map_err(|error| complain(&error))?;
    let trace = Trace::open(variable(crate::TRACE_VARIABLE).as_deref());
    let trace = trace.map_err(|error| complain(&format!("cannot open the trace: {error}")))?;
    let additions = Additions::open(&folder).map_err(|error| complain(&error))?;
    let files = Files::new(&folder, world.base(), &world.mac.home);
    Ok(Rc::new(Session { world, trace, conditions, additions, files }))
}

/// Says an uncaught error the way current systems do: no position, and the wrapper's `Error: ` before the text's own.
fn report(options: &Options, script: &Script, error: &OsError) -> End {
    let before = script.file.as_ref().map(|file| format!("{file}: ")).unwrap_or_default();
    let line = format!("{before}execution error: Error: {} ({})", error.message, error.number);
    if options.errors_to_stdout && output::print(&format!("{line}\n")).is_ok() {
        return End::Status(1);
    }
    End::of(line)
}
