//! Scripts of plugins inside apps that have a script engine of their own.

use indexmap::IndexMap;
use serde_json::{Value as Json, json};

use super::asking::run;
use super::trace::Sent;
use super::words::listed;
use super::{Behind, Outcome, Step, Then, World, command, in_app};
use crate::action::{Action, Deed, InAppAct, InAppScript, Invocation, Rest};
use crate::app::App;
use crate::call::{Act, ScriptCall};
use crate::dictionary::{Command, Dictionary, Identifier, names};
use crate::fault::{Code, Fault};
use crate::foreign;
use crate::jxa;
use crate::marshal::Given;
use crate::permission::{Approved, Later, NAMED};
use crate::reply::Reply;
use crate::specifier::quoted;
use crate::words::{Level, TextWindow};

/// Commands that run a script inside their app and return its result. The script is their direct parameter.
const ENGINES: [&str; 1] = ["evaluate javascript"];

/// The beginning of a script's name in rules and approvals.
const NAMED_SCRIPT: &str = "script ";

/// The longest program, in UTF-16 code units. OmniFocus takes 261,124 characters.
const LONGEST: usize = 240_000;

/// The longest answer. The supervisor has its own, lower limit.
const WHOLE: TextWindow = TextWindow { offset: 0, limit: 10_000_000 };

/// The number of characters of the plugin's description to show: half of a question. Five lines are always shown.
const ROOM: usize = 15_000;

/// The number of characters of a line about an object to show. A line names every property that a change sets, so it is
/// longer than one value would be; a plugin cuts its values, not its lines.
const LINE: usize = 1_200;

/// A script while the app runs it.
#[derive(Debug)]
pub(super) struct Inside {
    name: String,
    level: Level,
    /// The answers of the runs so far, if there are several.
    answers: Option<Vec<Json>>,
    /// The run that was approved to follow this one.
    later: Option<Later>,
}

pub(super) fn start(call: &ScriptCall, world: &World<'_>) -> Result<Step, Fault> {
    let app = world.apps.find(&call.app)?;
    let command = engine(app.dictionary()?).ok_or_else(|| no_engine(app))?;
    let script = prepared(call, command, app)?;
    let answers = (!call.rest.is_empty()).then(Vec::new);
    let worst = call.acts.iter().map(|act| act.level).max().unwrap_or(call.level);
    if worst > Level::Safe && !world.gate.takes_back {
        check_lines(&call.objects)?;
    }
    let inside = Inside { name: call.name.clone(), level: worst, answers, later: None };
    Ok(in_app(app, Deed::Script(Box::new(script)), 0, Then::Script(inside), world))
}

fn engine(dictionary: &Dictionary) -> Option<&Command> {
    let known = |command: &&Command| {
        command.direct.is_some() && ENGINES.iter().any(|known| names::key(known) == names::key(&command.name))
    };
    dictionary.commands.iter().find(known)
}

fn prepared(call: &ScriptCall, command: &Command, app: &App) -> Result<InAppScript, Fault> {
    let identifier = Identifier::of(&command.name).ok_or_else(|| no_engine(app))?;
    let named = call.act_names();
    let named = (!named.is_empty()).then_some(named.as_slice());
    let source = fitting(jxa::inside(&call.text, &call.data, None, named), &call.name)?;
    for data in &call.rest {
        fitting(jxa::inside(&call.text, data, Some(&Json::Null), named), &call.name)?;
    }
    let rest = || Rest { text: call.text.clone(), parts: call.rest.iter().cloned().collect() };
    let said = |words: &&String| format!("\"{}\"", words_of(words));
    // An empty line stands for an object that an earlier line describes too.
    let lines: Vec<&String> = call.objects.iter().filter(|line| !line.is_empty()).collect();
    Ok(InAppScript {
        term: format!("{NAMED_SCRIPT}{}", call.name),
        acts: acts(call),
        objects: fitting_lines(lines.iter().map(said)),
        count: call.objects.len(),
        lines: lines.len(),
        invocation: Invocation {
            term: command.name.clone(),
            code: command.code.clone(),
            identifier,
            takes_direct: true,
            direct: Some(Given::Text(source)),
            each: false,
            parameters: Vec::new(),
            text: WHOLE,
            seen: Vec::new(),
            moves: None,
            copies: None,
            tells: Vec::new(),
            anchors: None,
            save: None,
            is_fragile: false,
        },
        rest: (!call.rest.is_empty()).then(rest),
    })
}

/// The acts of the call: each act that the package declares and the plugin names, or the script as a whole.
fn acts(call: &ScriptCall) -> Vec<InAppAct> {
    let code = |digest: String| digest.chars().take(8).collect();
    if call.acts.is_empty() {
        let (term, code) = (format!("{NAMED_SCRIPT}{}", call.name), code(call.sha256()));
        return vec![InAppAct { name: None, term, code, level: call.level }];
    }
    let one = |act: &Act| InAppAct {
        name: Some(act.name.clone()),
        term: format!("{NAMED_SCRIPT}{}: {}", call.name, act.name),
        code: code(call.sha256_of(act)),
        level: act.level,
    };
    call.acts.iter().map(one).collect()
}

/// What a script does, for the sentence about its plugin: `edit 22 tasks in OmniFocus`. The names of acts are plain
/// words, which the operator has read and granted.
pub(super) fn in_words(script: &InAppScript, app: &str) -> String {
    let names: Vec<&str> = script.acts.iter().filter_map(|act| act.name.as_deref()).collect();
    if let ([only], true) = (names.as_slice(), script.count > 1)
        && let Some((verb, noun)) = only.split_once(' ')
    {
        return format!("{verb} {} {} in {app}", script.count, plural(noun));
    }
    let all = match script.count {
        0 | 1 => String::new(),
        several => format!(" ({several} objects)"),
    };
    let name = script.term.strip_prefix(NAMED_SCRIPT).unwrap_or(&script.term);
    let acts = if names.is_empty() {
        format!("run its script {}", quoted(name))
    } else {
        acts_in_words(&names, script.count == 1)
    };
    format!("{acts} in {app}{all}")
}

/// Several acts, those on one kind of object together: `create projects, and create and edit tasks`.
fn acts_in_words(names: &[&str], is_one: bool) -> String {
    let mut kinds: IndexMap<&str, Vec<&str>> = IndexMap::new();
    for name in names {
        let (verb, noun) = name.split_once(' ').unwrap_or((name, ""));
        kinds.entry(noun).or_default().push(verb);
    }
    let told = |(noun, verbs): (&str, Vec<&str>)| {
        let verbs = listed(&verbs, " and ");
        match (noun, is_one) {
            ("", _) => verbs,
            (noun, true) => format!("{verbs} {}", single(noun)),
            (noun, false) => format!("{verbs} {}", plural(noun)),
        }
    };
    listed(&kinds.into_iter().map(told).collect::<Vec<_>>(), ", and ")
}

/// `a task`, `an item`; a plural stays as it is.
fn single(noun: &str) -> String {
    match noun {
        noun if is_plural(noun) => noun.to_owned(),
        noun if noun.starts_with(['a', 'e', 'i', 'o', 'u']) => format!("an {noun}"),
        noun => format!("a {noun}"),
    }
}

/// `tasks`, `repetitions`, `entries`, `boxes`.
fn plural(noun: &str) -> String {
    let ends = |endings: &[&str]| endings.iter().any(|ending| noun.ends_with(ending));
    match noun.strip_suffix('y') {
        _ if is_plural(noun) => noun.to_owned(),
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ if ends(&["ss", "x", "ch", "sh"]) => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

fn is_plural(noun: &str) -> bool {
    noun.ends_with('s') && !noun.ends_with("ss")
}

/// As many lines as a question has room for. The plugin puts lines about a loss first, so these are shown.
fn fitting_lines(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut length = 0;
    let fits = |(at, line): &(usize, String)| {
        length += line.chars().count();
        *at < NAMED || length <= ROOM
    };
    lines.enumerate().take_while(fits).map(|(_, line)| line).collect()
}

/// Checks that a question shows each line to its end, because the end may name a property too. The lines of an undo are
/// not checked, because the client cannot divide the old values among several calls.
fn check_lines(lines: &[String]) -> Result<(), Fault> {
    let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or_default();
    if longest <= LINE {
        return Ok(());
    }
    let message = format!(
        "the question to a human would describe one change in {longest} characters, expected at most {LINE}"
    );
    let suggestion =
        "nothing was done and nobody was asked; set fewer or shorter values of one object at once";
    Err(Fault::new(Code::InvalidParameter, message, suggestion))
}

/// Returns a program if it is short enough.
fn fitting(source: String, name: &str) -> Result<String, Fault> {
    let length = source.encode_utf16().count();
    if length < LONGEST {
        return Ok(source);
    }
    let message =
        format!("script `{name}` has {length} characters with its data, expected fewer than {LONGEST}");
    Err(Fault::new(Code::InvalidParameter, message, "send less data at once"))
}

/// Makes words safe, so that they can leave neither their line nor their quotes.
fn words_of(text: &str) -> String {
    foreign::clean(text, LINE).replace('"', "'")
}

fn no_engine(app: &App) -> Fault {
    let message = format!("{} has no script engine that a plugin's script can run in", app.name);
    let suggestion = format!("scripts run in apps that have the command `{}`", ENGINES[0]);
    Fault::new(Code::UnknownCommand, message, suggestion).with("app", &*app.bundle_id)
}

impl Inside {
    /// Whether the app may have changed something although no answer came.
    pub(super) fn changes(&self) -> bool {
        self.level > Level::Safe
    }

    /// The change that the app may have made although no answer came.
    pub(super) fn sent(&self, app: &str, name: &str) -> Option<Sent> {
        let did = format!("{name} ran a plugin's script {}", quoted(&self.name));
        self.changes().then(|| Sent { app: app.to_owned(), did })
    }

    /// Keeps the run that was approved to follow this one.
    pub(super) fn before(self, approved: &Approved) -> Self {
        Self { later: Later::of(approved), ..self }
    }

    /// Adds the answers of the earlier runs to a fault.
    pub(super) fn after(&self, fault: Fault) -> Fault {
        match &self.answers {
            Some(answers) if !answers.is_empty() => {
                // The same call would repeat the earlier runs.
                let retryable = fault.retryable && !self.changes();
                fault.with("answers", answers.clone()).retryable(retryable)
            }
            _ => fault,
        }
    }

    pub(super) fn resume(
        self,
        reply: Reply,
        app: &str,
        behind: Behind,
        world: &World<'_>,
    ) -> Result<Step, Fault> {
        let value = match reply.result {
            Ok(answer) => self.value(&answer),
            Err(error) => {
                let fault = error.to_fault(app, &behind.name).with("script", self.name.as_str());
                // An app that did not answer in time may still do it.
                Err(if self.changes() { command::uncertain(fault) } else { fault })
            }
        };
        let value = value.map_err(|fault| self.after(fault))?;
        if self.answers.is_some() {
            self.next(value, behind, world)
        } else {
            Ok(answered(&value, behind.events))
        }
    }

    /// Continues with the next run, if there is one and this run returned a `carry` for it.
    fn next(mut self, value: Json, behind: Behind, world: &World<'_>) -> Result<Step, Fault> {
        let handed = value.get("carry").filter(|handed| !handed.is_null()).cloned();
        let mut answers = self.answers.take().unwrap_or_default();
        answers.push(value);
        let (Some(handed), Some(later)) = (handed, self.later.take()) else {
            return Ok(answered(&json!(answers), behind.events));
        };
        self.answers = Some(answers);
        let approved = later.next(&handed, jxa::inside);
        if let Action { deed: Deed::Script(script), .. } = approved.action()
            && let Some(Given::Text(source)) = &script.invocation.direct
        {
            fitting(source.clone(), &self.name).map_err(|fault| self.after(fault))?;
        }
        Ok(run(approved, behind, Then::Script(self), world))
    }

    /// Reads the script's result or its error.
    fn value(&self, answer: &Json) -> Result<Json, Fault> {
        let text = answer.as_str().unwrap_or_default();
        let Ok(Json::Object(mut envelope)) = serde_json::from_str(text) else {
            let shown = foreign::clean(&answer.to_string(), 80);
            return Err(self.failed(&format!("it answered {shown}, expected JSON")));
        };
        match (envelope.remove("value"), envelope.remove("error")) {
            (Some(value), None) => Ok(value),
            (_, error) => {
                let thrown = error.as_ref().and_then(Json::as_str).unwrap_or("it said nothing");
                Err(self.failed(&format!("it threw \"{}\"", foreign::clean(thrown, 500).replace('"', "'"))))
            }
        }
    }

    fn failed(&self, why: &str) -> Fault {
        let message = format!("script `{}` failed inside the app: {why}", self.name);
        let suggestion = "the plugin's author can say more; its scripts stand in its package";
        let fault = Fault::new(Code::ExecutionFailed, message, suggestion)
            .with("script", self.name.as_str())
            .untrusted();
        if self.changes() { fault.with("outcome", "unknown") } else { fault }
    }
}

fn answered(value: &Json, events: u64) -> Step {
    let body = json!({ "value": value, "untrusted": true });
    Step::Done(Outcome { body, events, ..Outcome::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acts_are_a_sentence() {
        let check = |names: &[&str], is_one: bool, expected: &str| {
            assert_eq!(acts_in_words(names, is_one), expected);
        };
        check(&["edit task"], true, "edit a task");
        check(&["edit item", "move item"], true, "edit and move an item");
        check(&["end task repetition"], false, "end task repetitions");
        check(
            &["create project", "create task", "edit task"],
            false,
            "create projects, and create and edit tasks",
        );
        check(
            &["create entry", "delete box", "move day"],
            false,
            "create entries, delete boxes, and move days",
        );
        check(&["sync"], false, "sync");
        check(&["sync", "check address"], true, "sync, and check an address");
        check(&["read notes"], true, "read notes");
    }
}
