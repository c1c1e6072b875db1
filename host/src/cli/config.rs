//! `config.toml` in the state directory. Its keys are the names of the options. The command line takes precedence
//! over environment variables, and those over the file.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue};
use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Command, CommandFactory as _, FromArgMatches as _};
use iac_core::dictionary::names;
use iac_core::foreign::place;
use iac_state::{StateError, regular, shell_word};
use serde_json::{Value as Json, json};
use toml_edit::{Document, Item, Value};

use super::{Arguments, Failure, help};

/// The name of the file in the state directory.
pub(super) const FILE: &str = "config.toml";

/// How the names of variables begin.
const VARIABLE: &str = "IAC_MCP_";

/// The variables without an option.
const OTHERS: [&str; 5] =
    ["IAC_MCP_LOG", "IAC_MCP_PAGER", "IAC_MCP_LATENCY", "IAC_MCP_TRACE", "IAC_MCP_FAULTS"];

/// The source of a setting that was given on the command line.
const COMMAND_LINE: &str = "command line";

/// Options that the file may not set: `state`, which is its own location, and those that only print something.
const NOT_HERE: [&str; 3] = ["state", "help", "version"];

/// An option whose value is not the default, with its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    /// The name of the option.
    pub(crate) key: String,
    pub(crate) values: Vec<String>,
    /// `command line`, the name of an environment variable, or file and line.
    pub(crate) from: String,
}

/// Why there are no arguments.
pub(super) enum Unread {
    /// The command line cannot be parsed, or asks for help.
    Clap(Box<clap::Error>),
    /// The file is not valid.
    File(Failure),
}

impl From<clap::Error> for Unread {
    fn from(error: clap::Error) -> Self {
        Self::Clap(Box::new(error))
    }
}

/// One key of the file.
#[derive(Debug)]
struct Given {
    key: String,
    values: Vec<String>,
    line: usize,
}

impl Setting {
    /// Whether it was given on the command line.
    pub(crate) fn is_typed(&self) -> bool {
        self.from == COMMAND_LINE
    }

    /// The precedence of the source: lower wins.
    fn rank(&self) -> u8 {
        match self.from.as_str() {
            COMMAND_LINE => 0,
            variable if variable.starts_with(VARIABLE) => 1,
            _ => 2,
        }
    }

    /// Converts it to JSON for `system` and `doctor`.
    pub(crate) fn to_json(&self) -> Json {
        let value = match self.values.as_slice() {
            [one] => json!(one),
            several => json!(several),
        };
        json!({ "key": self.key, "value": value, "from": self.from })
    }
}

/// Parses the command line together with the settings from the file.
pub(super) fn read(line: &[OsString]) -> Result<(Arguments, Vec<Setting>), Unread> {
    let command = help::command();
    let matches = command.clone().try_get_matches_from(line)?;
    let first = Arguments::from_arg_matches(&matches)?;
    let path = first.common.state().map(|state| state.join(FILE));
    let given = path.as_deref().map_or_else(|| Ok(Vec::new()), |path| keys(path, &command))?;
    let said = said(&command, &matches);
    let fresh: Vec<Given> = given.into_iter().filter(|given| !said.contains_key(&given.key)).collect();
    let mut settings: Vec<Setting> = said.into_values().collect();
    let file = path.unwrap_or_else(|| PathBuf::from(FILE));
    settings.extend(fresh.iter().map(|given| Setting {
        key: given.key.clone(),
        values: given.values.clone(),
        from: format!("{}:{}", file.display(), given.line),
    }));
    let arguments = if fresh.is_empty() { first } else { with(&fresh, line, &command)? };
    one_mac(arguments, settings)
}

/// Inserts the settings from the file before the arguments of the command line.
fn with(fresh: &[Given], line: &[OsString], command: &Command) -> Result<Arguments, clap::Error> {
    let (program, rest) = line.split_first().map_or((None, line), |(first, rest)| (Some(first), rest));
    let more = fresh.iter().flat_map(|given| options(command, given));
    let whole = program.into_iter().cloned().chain(more).chain(rest.iter().cloned());
    Arguments::from_arg_matches(&command.clone().try_get_matches_from(whole)?)
}

/// Chooses between `simulated` and `world`. The source with the higher precedence wins; both from the same source are
/// misuse.
fn one_mac(
    mut arguments: Arguments,
    mut settings: Vec<Setting>,
) -> Result<(Arguments, Vec<Setting>), Unread> {
    if !arguments.mac.simulated || arguments.mac.world.is_none() {
        return Ok((arguments, settings));
    }
    let of = |key: &str| settings.iter().find(|setting| setting.key == key).map(Setting::rank);
    let loser = match of("simulated").cmp(&of("world")) {
        Ordering::Less => {
            arguments.mac.world = None;
            "world"
        }
        Ordering::Greater => {
            arguments.mac.simulated = false;
            "simulated"
        }
        Ordering::Equal => {
            let what = "--simulated uses a fresh Mac and --world a saved one: use only one of them";
            return Err(Unread::File(Failure::Misuse(what.to_owned())));
        }
    };
    settings.retain(|setting| setting.key != loser);
    Ok((arguments, settings))
}

/// Returns the environment variable that holds an invalid value, unless the value was given on the command line.
pub(super) fn to_blame(error: &clap::Error, line: &[OsString]) -> Option<String> {
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else { return None };
    let option = argument.split([' ', '=']).next()?;
    let is_given = |word: &OsString| word.to_str().is_some_and(|word| word.split('=').next() == Some(option));
    if line.iter().any(is_given) {
        return None;
    }
    let command = Arguments::command();
    let named = |argument: &&clap::Arg| argument.get_long() == option.strip_prefix("--");
    let variable = command.get_arguments().find(named)?.get_env()?;
    std::env::var_os(variable).map(|_| variable.to_string_lossy().into_owned())
}

/// Names the source in an error that begins with an option, unless the option was given on the command line.
pub(super) fn named(failure: Failure, settings: &[Setting]) -> Failure {
    let Failure::Misuse(text) = &failure else { return failure };
    let Some((option, rest)) = text.strip_prefix("--").and_then(|text| text.split_once(' ')) else {
        return failure;
    };
    let source = settings.iter().find(|setting| setting.key == option.trim_end_matches(':'));
    match source.filter(|setting| !setting.is_typed()) {
        Some(Setting { from, .. }) if from.starts_with(VARIABLE) => Failure::Misuse(format!("{from} {rest}")),
        Some(Setting { from, .. }) => Failure::Misuse(format!("{from}: {option} {rest}")),
        None => failure,
    }
}

/// The most edits of a mistyped variable. Developers set variables of their own, which are no mistakes.
const EDITS: usize = 1;

/// Returns warnings about variables that look like mistyped settings of this program.
pub(super) fn unknown_variables() -> Vec<String> {
    let command = Arguments::command();
    let options =
        command.get_arguments().filter_map(|argument| argument.get_env()).filter_map(|name| name.to_str());
    let known: Vec<&str> = options.chain(OTHERS).collect();
    let given = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let is_unknown = |name: &String| name.starts_with(VARIABLE) && !known.contains(&name.as_str());
    let warn = |name: String| {
        let near = known.iter().find(|known| strsim::damerau_levenshtein(&name, known) <= EDITS)?;
        Some(format!("the variable {name} is not known; did you mean \"{near}\"?"))
    };
    given.filter(is_unknown).filter_map(warn).collect()
}

/// Returns the settings from the command line and from environment variables.
fn said(command: &Command, matches: &ArgMatches) -> BTreeMap<String, Setting> {
    let mut found = BTreeMap::new();
    for argument in command.get_arguments().filter(|argument| argument.is_global_set()) {
        let (id, Some(key)) = (argument.get_id().as_str(), argument.get_long()) else { continue };
        let mut level = Some(matches);
        while let Some(at) = level {
            let from = match at.value_source(id) {
                Some(ValueSource::CommandLine) => Some(COMMAND_LINE.to_owned()),
                Some(ValueSource::EnvVariable) => {
                    argument.get_env().map(|name| name.to_string_lossy().into_owned())
                }
                _ => None,
            };
            if let Some(from) = from {
                let values = at.get_raw(id).into_iter().flatten();
                let values = values.map(|value| value.to_string_lossy().into_owned()).collect();
                found.insert(key.to_owned(), Setting { key: key.to_owned(), values, from });
            }
            level = at.subcommand().map(|(_, below)| below);
        }
    }
    found
}

/// Parses the file. Every error has its line and column.
fn keys(path: &Path, command: &Command) -> Result<Vec<Given>, Unread> {
    let text = match regular::text(path, regular::MOST) {
        Ok(Some(text)) => text,
        Ok(None) => return Ok(Vec::new()),
        Err(error) => return Err(Unread::File(unreadable(path, error))),
    };
    parse(&text, command).map_err(|(at, wrong)| {
        let (line, column) = place(&text, at);
        let what = format!("{}: line {line}, column {column}: {wrong}", path.display());
        Unread::File(Failure::Misuse(format!(
            "{what}\ncorrect that line, or name another folder with --state"
        )))
    })
}

/// Makes the error for a file that cannot be read. Usually the state directory is not a directory.
fn unreadable(path: &Path, error: StateError) -> Failure {
    match path.parent().filter(|folder| folder.exists() && !folder.is_dir()) {
        None if matches!(error, StateError::Io { .. }) => error.into(),
        None => Failure::Misuse(format!(
            "{error}\ncorrect or remove the file, or name another folder with --state"
        )),
        Some(folder) => {
            let word = shell_word(&folder.to_string_lossy());
            let how =
                format!("move it away with `mv {word} {word}.old`, or name another folder with --state");
            Failure::Failed(format!("{} is not a folder\n{how}", folder.display()))
        }
    }
}

fn parse(text: &str, command: &Command) -> Result<Vec<Given>, (usize, String)> {
    let document = Document::parse(text).map_err(|error| {
        (error.span().map_or(text.len(), |span| span.start), error.message().replace('\n', "; "))
    })?;
    let mut found = Vec::new();
    for (name, item) in document.as_table() {
        let key = document.as_table().key(name).and_then(toml_edit::Key::span).map_or(0, |span| span.start);
        let at = item.span().map_or(key, |span| span.start);
        let argument = command.get_arguments().find(|argument| {
            argument.is_global_set() && argument.get_long() == Some(name) && !NOT_HERE.contains(&name)
        });
        let argument = argument.ok_or_else(|| (key, unknown(name, command)))?;
        let is_flag = matches!(argument.get_action(), ArgAction::SetTrue);
        let given = Given {
            key: name.to_owned(),
            values: values(item, is_flag).map_err(|wrong| (at, wrong))?,
            line: place(text, key).0,
        };
        check(command, &given).map_err(|wrong| (at, wrong))?;
        found.push(given);
    }
    Ok(found)
}

fn unknown(name: &str, command: &Command) -> String {
    let known: Vec<&str> = command
        .get_arguments()
        .filter(|argument| argument.is_global_set())
        .filter_map(clap::Arg::get_long)
        .filter(|known| !NOT_HERE.contains(known))
        .collect();
    let near = names::near(name, known.iter().copied(), 1);
    let near = near.first().map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
    format!("`{name}` is not an option that you can set in this file{near}")
}

fn values(item: &Item, is_flag: bool) -> Result<Vec<String>, String> {
    match item {
        Item::Value(Value::Boolean(flag)) if is_flag => Ok(vec![flag.value().to_string()]),
        Item::Value(other) if is_flag => {
            Err(format!("expected true or false, got {}", other.to_string().trim()))
        }
        Item::Value(Value::Array(items)) => items.iter().map(one).collect(),
        Item::Value(value) => one(value).map(|value| vec![value]),
        _ => Err("expected a value, got a table".to_owned()),
    }
}

fn one(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.value().clone()),
        Value::Integer(number) => Ok(number.value().to_string()),
        other => Err(format!("expected a text or a number, got {}", other.to_string().trim())),
    }
}

/// Checks a value by parsing it as the option.
fn check(command: &Command, given: &Given) -> Result<(), String> {
    let line = std::iter::once(OsString::from("iac-mcp")).chain(options(command, given));
    let tried = command.clone().try_get_matches_from(line.chain(["apps".into()]));
    tried.map(|_| ()).map_err(|error| {
        let text = error.to_string();
        text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
    })
}

/// Returns the key as options of the command line. A flag that is off gives none.
fn options(command: &Command, given: &Given) -> Vec<OsString> {
    let argument = command.get_arguments().find(|argument| argument.get_long() == Some(given.key.as_str()));
    let is_flag = argument.is_some_and(|argument| matches!(argument.get_action(), ArgAction::SetTrue));
    let option = |value: &String| match is_flag {
        true => (value == "true").then(|| OsString::from(format!("--{}", given.key))),
        false => Some(OsString::from(format!("--{}={value}", given.key))),
    };
    given.values.iter().filter_map(option).collect()
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    fn wrong(text: &str) -> String {
        let (at, wrong) = parse(text, &Arguments::command()).expect_err(text);
        let (line, column) = place(text, at);
        format!("{line}:{column}: {wrong}")
    }

    #[test]
    fn mistakes_have_their_place() {
        let check = |text: &str, expected: &str| {
            let wrong = wrong(text);
            assert!(wrong.starts_with(expected), "{wrong}");
        };
        check(
            "timeout = 5\ntimeut = 7",
            "2:1: `timeut` is not an option that you can set in this file: did you mean `timeout`?",
        );
        check("state = \"/x\"", "1:1: `state` is not an option");
        check("timeout = 0", "1:11: invalid value '0'");
        check("timeout = \"soon\"", "1:11: invalid value 'soon'");
        check("debug = \"yes\"", "1:9: expected true or false, got \"yes\"");
        check("root = [1.5]", "1:8: expected a text or a number, got 1.5");
        check("[timeout]\nx = 1", "1:");
        check("timeout = ", "1:");
    }

    #[test]
    fn every_option_can_stand_in_the_file() {
        let text = "timeout = 7\nread-only = true\ndebug = false\nroot = [\"/a\", \"/b\"]\ntools = [\"mail\", \"finder\"]\nref-max = 9";
        let given = parse(text, &Arguments::command()).expect("a file without mistakes");
        let options: Vec<OsString> =
            given.iter().flat_map(|given| options(&Arguments::command(), given)).collect();
        let expected = [
            "--timeout=7", "--read-only", "--root=/a", "--root=/b", "--tools=mail", "--tools=finder",
            "--ref-max=9",
        ];
        assert_eq!(options, expected);
    }

    #[test]
    fn one_mac_is_meant() {
        let check = |from: [&str; 2], expected: Option<bool>| {
            let line = ["iac-mcp", "--simulated", "--world", "/w", "apps"];
            let arguments = Arguments::parse_from(line);
            let setting = |key: &str, from: &str| Setting {
                key: key.to_owned(),
                values: Vec::new(),
                from: from.to_owned(),
            };
            let settings = vec![setting("simulated", from[0]), setting("world", from[1])];
            let Ok((arguments, settings)) = one_mac(arguments, settings) else {
                return assert_eq!(expected, None, "{from:?}");
            };
            assert_eq!(Some(arguments.mac.simulated), expected, "{from:?}");
            assert_eq!(arguments.mac.world.is_none(), arguments.mac.simulated, "{from:?}");
            assert_eq!(settings.len(), 1, "{from:?}");
        };
        check(["command line", "IAC_MCP_WORLD"], Some(true));
        check(["command line", "/s/config.toml:1"], Some(true));
        check(["IAC_MCP_SIMULATED", "/s/config.toml:1"], Some(true));
        check(["IAC_MCP_SIMULATED", "command line"], Some(false));
        check(["/s/config.toml:1", "IAC_MCP_WORLD"], Some(false));
        check(["command line", "command line"], None);
        check(["IAC_MCP_SIMULATED", "IAC_MCP_WORLD"], None);
    }

    #[test]
    fn the_command_line_wins() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/dev/null", folder.path().join("none")).unwrap();
        let state = folder.path().to_string_lossy().into_owned();
        let write = |text: &str| {
            let path = folder.path().join(FILE);
            std::io::Write::write_all(&mut std::fs::File::create(path).unwrap(), text.as_bytes()).unwrap();
        };
        write("timeout = 7\nread-only = true\n");
        let line = |more: &[&str]| -> Vec<OsString> {
            ["iac-mcp", "--state", state.as_str()].iter().chain(more).map(OsString::from).collect()
        };
        let Ok((arguments, settings)) = read(&line(&["apps"])) else { panic!("it is read") };
        assert_eq!((arguments.mac.timeout, arguments.mac.read_only), (Some(7), true));
        let from = |key: &str, settings: &[Setting]| {
            settings
                .iter()
                .find(|setting| setting.key == key)
                .map(|setting| setting.from.clone())
                .unwrap_or_default()
        };
        assert!(from("timeout", &settings).ends_with("config.toml:1"), "{settings:?}");
        let Ok((arguments, settings)) = read(&line(&["apps", "--timeout", "9"])) else {
            panic!("it is read")
        };
        assert_eq!((arguments.mac.timeout, arguments.mac.read_only), (Some(9), true));
        assert_eq!(from("timeout", &settings), "command line");
        write("timeout = -1");
        assert!(
            matches!(read(&line(&["apps"])), Err(Unread::File(Failure::Misuse(wrong))) if wrong.contains("line 1, column 11"))
        );
    }
}
