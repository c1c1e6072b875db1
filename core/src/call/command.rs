//! A command with its arguments: the dictionary's command, and the meaning of each argument.

use serde_json::{Map, Value as Json};

use super::{Arguments, Follow};
use crate::fault::{Code, Fault};
use crate::schema::TARGET;
use crate::words::{RefId, TextWindow};

/// The arguments of `iac_mcp_read_command` and `iac_mcp_run_command`, and of a command's own tool.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandCall {
    /// The app, in any spelling.
    pub app: String,
    /// The command, in any spelling, or its eight-character code.
    pub command: String,
    /// The event code, if the name alone is not enough.
    pub code: Option<String>,
    /// The direct parameter.
    pub target: Option<Json>,
    /// The named parameters, in any spelling.
    pub arguments: Map<String, Json>,
    /// The steps that follow, with the object that the command returns.
    pub then: Box<Follow>,
    /// How to run it.
    pub mode: Mode,
    /// How much of a long text the answer holds.
    pub text: TextWindow,
}

/// How to run a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Run it if it only reads.
    Read,
    /// Run it.
    Run,
    /// Show the script and the objects that it would change.
    DryRun,
}

/// The default length of a text in an answer. It is large, because a command that changes something should not be
/// repeated to read the rest.
const TEXT: usize = 24_000;

const COMMON: [&str; 6] = ["app", "command", "target", "arguments", "textOffset", "textLimit"];

impl CommandCall {
    /// Reads the arguments of `iac_mcp_read_command`.
    pub(super) fn read(arguments: &Arguments<'_>) -> Result<Self, Fault> {
        arguments.only(&COMMON)?;
        Self::parse(arguments, Mode::Read)
    }

    /// Reads the arguments of `iac_mcp_run_command`.
    pub(super) fn run(arguments: &Arguments<'_>) -> Result<Self, Fault> {
        let known: Vec<&str> = COMMON.into_iter().chain(["then", "dryRun"]).collect();
        arguments.only(&known)?;
        let dry = arguments.flag("dryRun")?.unwrap_or(false);
        let call = Self::parse(arguments, if dry { Mode::DryRun } else { Mode::Run })?;
        let then = Follow::read(arguments)?;
        if dry && !then.is_empty() {
            let message = "`dryRun` cannot be combined with `then`: a dry run shows only one command";
            let fault = Fault::new(Code::InvalidParameter, message, "leave one of them out");
            return Err(fault.with("parameter", "dryRun"));
        }
        Ok(Self { then: Box::new(then), ..call })
    }

    fn parse(arguments: &Arguments<'_>, mode: Mode) -> Result<Self, Fault> {
        Ok(Self {
            app: arguments.required_text("app")?,
            command: arguments.required_text("command")?,
            code: None,
            target: arguments.get(TARGET).cloned(),
            arguments: arguments.object("arguments")?.unwrap_or_default(),
            then: Box::default(),
            mode,
            text: arguments.window(TEXT)?,
        })
    }

    /// Returns every reference among the values.
    pub(crate) fn references(&self) -> Vec<RefId> {
        let mut found = Vec::new();
        self.target.iter().chain(self.arguments.values()).for_each(|json| collect(json, &mut found));
        self.then.collect(&mut found);
        found
    }

    /// Replaces an argument by the objects that it means, wherever it occurs. Several objects become a list, or items
    /// of the list around it.
    pub(crate) fn replace(&mut self, given: &Json, objects: &[Json]) {
        let values = self.target.iter_mut().chain(self.arguments.values_mut());
        values.for_each(|value| replace(value, given, objects));
        self.then.then.iter_mut().for_each(|next| next.replace(given, objects));
    }

    /// Makes the call that takes a command back.
    pub(crate) fn of_undo(app: &str, term: &str, arguments: Map<String, Json>) -> Self {
        Self { code: None, ..Self::of_tool(app, term, "", arguments) }
    }

    /// Makes the call of a command's separate tool: the direct parameter and the named ones are side by side.
    pub(crate) fn of_tool(app: &str, term: &str, code: &str, mut arguments: Map<String, Json>) -> Self {
        let target = arguments.shift_remove(TARGET);
        Self {
            app: app.to_owned(),
            command: term.to_owned(),
            code: Some(code.to_owned()),
            target,
            arguments,
            then: Box::default(),
            mode: Mode::Run,
            text: TextWindow { offset: 0, limit: TEXT },
        }
    }
}

pub(super) fn replace(value: &mut Json, given: &Json, objects: &[Json]) {
    if value == given {
        *value = match objects {
            [one] => one.clone(),
            several => Json::from(several.to_vec()),
        };
        return;
    }
    match value {
        Json::Array(items) => {
            let all = std::mem::take(items);
            for mut item in all {
                if item == *given {
                    items.extend(objects.iter().cloned());
                } else {
                    replace(&mut item, given, objects);
                    items.push(item);
                }
            }
        }
        Json::Object(fields) => fields.values_mut().for_each(|field| replace(field, given, objects)),
        _ => {}
    }
}

/// The most bytes of an object in words; a longer text is content.
const LONGEST_WORDS: usize = 300;

pub(crate) fn collect(json: &Json, found: &mut Vec<RefId>) {
    match json {
        Json::String(text) if text.len() <= LONGEST_WORDS => found.extend(RefId::within(text)),
        Json::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Json::Object(fields) => fields.values().for_each(|value| collect(value, found)),
        _ => {}
    }
}
