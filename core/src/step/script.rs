//! Scripts of plugins inside apps that have a script engine of their own.

use serde_json::{Value as Json, json};

use super::{Outcome, Step, Then, World, in_app};
use crate::action::{Deed, InAppScript, Invocation};
use crate::app::App;
use crate::call::{ScriptCall, TextWindow};
use crate::dictionary::{Command, Dictionary, Identifier, names};
use crate::fault::{Code, Fault};
use crate::foreign;
use crate::jxa;
use crate::marshal::Given;
use crate::permission::Level;
use crate::reply::Reply;

/// Commands that run a script inside their app, which is their direct parameter, and answer its value.
const ENGINES: [&str; 1] = ["evaluate javascript"];

/// OmniFocus takes 261,124 characters.
const LONGEST: usize = 240_000;

/// As long as an answer may be; the supervisor's own bound comes before it.
const WHOLE: TextWindow = TextWindow { offset: 0, limit: 10_000_000 };

/// So many objects are kept of what the plugin says.
const OBJECTS: usize = 50;

/// A script while the app is at it.
#[derive(Debug)]
pub(super) struct Inside {
    name: String,
    level: Level,
}

pub(super) fn start(call: &ScriptCall, world: &World<'_>) -> Result<Step, Fault> {
    let app = world.apps.find(&call.app)?;
    let command = engine(app.dictionary()?).ok_or_else(|| no_engine(app))?;
    let script = prepared(call, command, app)?;
    let inside = Inside { name: call.name.clone(), level: call.level };
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
    let source = jxa::inside(&call.text, &call.data);
    let length = source.encode_utf16().count();
    if length >= LONGEST {
        let message = format!(
            "script `{}` has {length} characters with its data, expected fewer than {LONGEST}",
            call.name
        );
        return Err(Fault::new(Code::InvalidParameter, message, "send less data at once"));
    }
    let said = |words: &String| format!("in the plugin's words: \"{}\"", words_of(words));
    Ok(InAppScript {
        term: format!("script {}", call.name),
        code: call.sha256().chars().take(8).collect(),
        level: call.level,
        objects: call.objects.iter().take(OBJECTS).map(said).collect(),
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
            is_fragile: false,
        },
    })
}

/// Words that can neither leave their line nor their quotes.
fn words_of(text: &str) -> String {
    foreign::clean(text, 160).replace('"', "'")
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

    pub(super) fn resume(self, reply: Reply, app: &str, events: u64) -> Result<Step, Fault> {
        let answer = reply.result.map_err(|error| error.to_fault(app).with("script", self.name.as_str()))?;
        let value = self.value(&answer)?;
        let body = json!({ "value": value, "untrusted": true });
        Ok(Step::Done(Outcome { body, events, ..Outcome::default() }))
    }

    /// Reads what the script returned, or what it threw.
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
        let fault = Fault::new(Code::ExecutionFailed, message, suggestion).with("script", self.name.as_str());
        if self.changes() { fault.with("outcome", "unknown") } else { fault }
    }
}
