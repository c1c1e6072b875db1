//! The arguments of `osascript`.

use crate::engine::{Form, Script};
use std::ffi::OsString;
use std::io::{self, Read as _};

const USAGE: &str =
    "usage: osascript [-l language] [-i] [-s {ehso}] [-e statement | programfile] [argument ...]";

/// How the program ends when it fails.
pub(crate) enum End {
    Status(u8),
    Complaint(u8, String),
}

impl End {
    pub(crate) fn of(line: impl Into<String>) -> Self {
        Self::Complaint(1, line.into())
    }
}

/// The parsed arguments.
#[derive(Debug, Default)]
pub(crate) struct Options {
    pub(crate) language: Option<String>,
    pub(crate) statements: Vec<String>,
    pub(crate) form: Form,
    pub(crate) interactive: bool,
    pub(crate) errors_to_stdout: bool,
    pub(crate) file: Option<String>,
    arguments: Vec<String>,
}

impl Options {
    /// Parses the arguments; `None` if they are not valid.
    pub(crate) fn understood(arguments: &[String]) -> Option<Self> {
        Self::parse(arguments.iter().map(OsString::from)).ok()
    }

    /// Whether the script is read from stdin.
    pub(crate) fn reads_script(&self) -> bool {
        let named = self.file.as_deref().is_some_and(|file| file != "-");
        self.statements.is_empty() && !named && !self.interactive
    }

    /// The index of the argument that names the script file.
    pub(crate) fn script_argument(&self, arguments: usize) -> Option<usize> {
        self.file.as_ref()?;
        arguments.checked_sub(self.arguments.len() + 1)
    }

    pub(crate) fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Self, End> {
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

    /// Parses one word of options. A letter with a value takes the rest of the word, or the next word.
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

    /// Whether the file is a compiled script, which needs no option to be JavaScript.
    pub(crate) fn is_compiled(&self) -> bool {
        let file = self.file.as_deref().filter(|_| self.statements.is_empty());
        file.and_then(|file| std::fs::read(file).ok()).is_some_and(|bytes| bytes.starts_with(COMPILED))
    }

    pub(crate) fn script(&self) -> Result<Script, End> {
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
                let source =
                    decompiled(&bytes).unwrap_or_else(|| String::from_utf8_lossy(&bytes).into_owned());
                Ok(Script { source, file: Some(file.to_owned()), arguments })
            }
        }
    }
}

/// The first bytes of a compiled JavaScript script.
const COMPILED: &[u8] = b"JsOsaDAS1.001.00";

/// Extracts the source from a compiled script: a property list, possibly a padding byte, and twelve trailing bytes.
fn decompiled(bytes: &[u8]) -> Option<String> {
    let list = bytes.strip_prefix(COMPILED)?;
    let list = &list[..list.len().checked_sub(12)?];
    let read = |list: &[u8]| plist::Value::from_reader(io::Cursor::new(list)).ok();
    let list = read(list).or_else(|| read(list.strip_suffix(&[0])?))?;
    list.as_dictionary()?.get("script")?.as_string().map(str::to_owned)
}
