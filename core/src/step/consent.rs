//! The consent of macOS: its state for each app, and requests for it.

use serde_json::{Map, Value as Json, json};

use super::{Behind, Step, Then, World, done, propose};
use crate::action::{Action, Deed, SystemDeed};
use crate::app::{App, STANDARD_ADDITIONS};
use crate::fault::{Code, Fault};
use crate::reply::Reply;
use crate::responsible::{NOT_ASKED, NOT_RUNNING, REFUSED, Responsible};
use crate::series::{Index, index, indexes};
use crate::specifier::quoted;

/// A request that waits for an answer from macOS.
#[derive(Debug)]
pub(super) enum Consent {
    /// The state of these apps.
    List(Vec<String>),
    /// The state of this app, before anyone is asked.
    Before(String),
    /// The user's answer about this app.
    Asked(String),
    /// The access to the library of this app, before anyone is asked.
    AccessBefore(String, &'static Index),
    /// The user's answer about the library.
    AccessAsked(String, &'static Index),
}

/// The status of a library for which macOS has not asked yet, and the status of a readable one.
const UNASKED: i64 = 0;
const FULL: i64 = 3;

/// The error number of an event without an answer.
const UNANSWERED: i64 = -1712;

pub(super) fn start(app: Option<&str>, access: Option<&str>, world: &World<'_>) -> Result<Step, Fault> {
    if let Some(subject) = access {
        return start_access(app, subject, world);
    }
    let (apps, then) = match app {
        Some(app) => {
            let id = world.apps.find(app)?.bundle_id.to_string();
            if id.eq_ignore_ascii_case(STANDARD_ADDITIONS) {
                let note = "these commands run without an app, so macOS asks nobody";
                return Ok(done(json!({ "app": id, "state": "allowed", "note": note }), 0));
            }
            (vec![id.clone()], Consent::Before(id))
        }
        None => {
            let apps = world.apps.0.iter().filter(|app| &*app.bundle_id != STANDARD_ADDITIONS);
            let ids: Vec<String> = apps.map(|app| app.bundle_id.to_string()).collect();
            (ids.clone(), Consent::List(ids))
        }
    };
    let action = Action::of_system(SystemDeed::Consents { apps });
    let behind = Behind { name: "the system".to_owned(), events: 0 };
    Ok(propose(action, behind, Then::Consent(then), world))
}

fn start_access(app: Option<&str>, subject: &str, world: &World<'_>) -> Result<Step, Fault> {
    let wrong = |message: String| {
        let known: Vec<&str> = indexes().map(|(_, index)| index.subject.as_str()).collect();
        let suggestion = format!("give `access` alone, as one of {}", known.join(", "));
        Fault::new(Code::InvalidParameter, message, suggestion).with("parameter", "access")
    };
    if app.is_some() {
        return Err(wrong("`app` and `access` are two questions in one call".to_owned()));
    }
    let (app, index) = index(subject)
        .ok_or_else(|| wrong(format!("`access`: nothing is guarded as {}", quoted(subject))))?;
    let app = world.apps.find(app)?;
    let action = Action::of_system(SystemDeed::Access { entity: index.entity, wait: None });
    let behind = Behind { name: "the system".to_owned(), events: 0 };
    let then = Consent::AccessBefore(app.bundle_id.to_string(), index);
    Ok(propose(action, behind, Then::Consent(then), world))
}

impl Consent {
    pub(super) fn resume(self, reply: Reply, events: u64, world: &World<'_>) -> Result<Step, Fault> {
        let answer = reply.result.map_err(|error| error.to_fault("", "the system"))?;
        let by = Responsible::of(answer["by"].as_str());
        match self {
            Self::List(ids) => Ok(done(list(&ids, &answer["states"], &by, world), events)),
            Self::Before(id) => {
                let app = world.apps.find(&id)?;
                match answer["states"][0].as_i64() {
                    Some(state @ (0 | REFUSED)) => said(app, Some(state), &by, events),
                    state => Ok(ask(app, &by, state == Some(NOT_RUNNING), events, world)),
                }
            }
            Self::AccessBefore(id, index) => {
                let app = world.apps.find(&id)?;
                match answer["status"].as_i64() {
                    Some(UNASKED) => {
                        let behind = Behind { name: app.name.clone(), events };
                        let then = Then::Consent(Self::AccessAsked(id, index));
                        let deed = Deed::AskAccess { by: by.in_words(), index };
                        Ok(propose(Action::of(app, deed), behind, then, world))
                    }
                    status => told(index, status, None, &by, events),
                }
            }
            Self::AccessAsked(_, index) => {
                told(index, answer["status"].as_i64(), answer["granted"].as_bool(), &by, events)
            }
            Self::Asked(id) => {
                let app = world.apps.find(&id)?;
                let (state, number) = (answer["state"].as_i64(), answer["number"].as_i64());
                let step = said(app, state.or(number), &by, events)?;
                Ok(with_second(step, number))
            }
        }
    }

    /// An open dialog is not an error: the client asks again later.
    pub(super) fn failed(self, fault: Fault, events: u64) -> Result<Step, Fault> {
        match self {
            Self::Asked(app) | Self::AccessAsked(app, _) if fault.code == Code::Timeout => {
                Ok(done(open(&app), events))
            }
            _ => Err(fault),
        }
    }
}

/// The answer while macOS' dialog is open.
pub(super) fn open(app: &str) -> Json {
    json!({
        "app": app,
        "state": "asking",
        "note": "the dialog of macOS is open and waits for the user; it may be behind other windows. Tell the user, go on without it, and call this again when the user has answered",
    })
}

fn ask(app: &App, by: &Responsible, opens: bool, events: u64, world: &World<'_>) -> Step {
    let behind = Behind { name: app.name.clone(), events };
    let then = Then::Consent(Consent::Asked(app.bundle_id.to_string()));
    propose(Action::of(app, Deed::AskConsent { by: by.in_words(), opens }), behind, then, world)
}

fn list(ids: &[String], states: &Json, by: &Responsible, world: &World<'_>) -> Json {
    let one = |(at, id): (usize, &String)| {
        let app = world.apps.0.iter().find(|app| *app.bundle_id == **id)?;
        Some(json!({ "app": id, "name": app.name, "state": word(states[at].as_i64()) }))
    };
    let apps: Vec<Json> = ids.iter().enumerate().filter_map(one).collect();
    let mut body = Map::new();
    about(by, &mut body);
    body.insert("apps".to_owned(), apps.into());
    Json::Object(body)
}

/// Describes the access to a library. Only full access is useful.
///
/// # Source
/// Published reports: for some minutes after the answer, macOS 26 may still report that it has not asked. A program
/// whose `Info.plist` lacks the keys for the library is refused at once: macOS shows no dialog, and its settings have
/// no switch for that program.
fn told(
    index: &Index,
    status: Option<i64>,
    granted: Option<bool>,
    by: &Responsible,
    events: u64,
) -> Result<Step, Fault> {
    if status == Some(FULL) || (granted == Some(true) && status == Some(UNASKED)) {
        let mut body = Map::new();
        body.insert("access".to_owned(), index.subject.as_str().into());
        body.insert("state".to_owned(), "allowed".into());
        about(by, &mut body);
        if status != Some(FULL) {
            body.insert("note".to_owned(), "macOS may need some minutes until it counts".into());
        }
        return Ok(done(Json::Object(body), events));
    }
    let message = match status {
        Some(UNASKED) => format!("the user has not answered the dialog of macOS about {}", index.subject),
        status => index.standing(status),
    };
    let suggestion = match status {
        Some(UNASKED) => "call this again when the user is at the screen of the Mac".to_owned(),
        _ => format!(
            "everything works without it, only slower. The user can allow it in {}; if {} is not in that list, macOS refuses it without a dialog, and the server needs a client that may ask, such as one in Terminal",
            index.settings(),
            by.in_words()
        ),
    };
    Err(Fault::new(Code::AutomationNotAuthorized, message, suggestion).with("access", index.subject.as_str()))
}

/// Names the program that macOS asks about.
fn about(by: &Responsible, body: &mut Map<String, Json>) {
    if let Some(name) = by.name() {
        body.insert("responsible".to_owned(), name.into());
    }
    if let Some(note) = by.note() {
        body.insert("note".to_owned(), note.into());
    }
}

/// A state in one word.
fn word(state: Option<i64>) -> &'static str {
    match state {
        Some(0) => "allowed",
        Some(REFUSED) => "refused",
        Some(NOT_ASKED) => "not asked",
        Some(NOT_RUNNING) => "not running",
        _ => "unknown",
    }
}

fn said(app: &App, state: Option<i64>, by: &Responsible, events: u64) -> Result<Step, Fault> {
    let (id, name) = (&*app.bundle_id, app.name.as_str());
    match state {
        Some(0) => {
            let mut body = Map::new();
            body.insert("app".to_owned(), id.into());
            body.insert("state".to_owned(), "allowed".into());
            about(by, &mut body);
            Ok(done(Json::Object(body), events))
        }
        Some(number @ (REFUSED | NOT_ASKED)) => {
            let (message, suggestion) =
                by.refusal(number, id, name).expect("these numbers are about consent");
            let (message, suggestion) = match number {
                NOT_ASKED => (
                    format!("{name}: the user has not answered the dialog of macOS"),
                    "the dialog closes after some minutes; call this again when the user is at the screen of the Mac".to_owned(),
                ),
                _ => (message, suggestion),
            };
            let fault = Fault::new(Code::AutomationNotAuthorized, message, suggestion).in_app(id);
            Err(fault.with("number", number))
        }
        state => {
            let number = state.map(|number| format!(" ({number})")).unwrap_or_default();
            let message =
                format!("{name}: macOS does not say whether {} may control it{number}", by.in_words());
            let suggestion = "open the app, then try again";
            Err(Fault::new(Code::Unavailable, message, suggestion).in_app(id))
        }
    }
}

/// Reminders, Contacts and Calendar have a second dialog, about their data, which may stay unanswered.
fn with_second(mut step: Step, number: Option<i64>) -> Step {
    if let (Step::Done(outcome), Some(UNANSWERED | REFUSED)) = (&mut step, number) {
        outcome.body["note"] = "macOS allows controlling the app, but the app did not answer: a second dialog may be open, which asks about its data".into();
    }
    step
}
