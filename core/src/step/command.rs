//! `iac_mcp_read_command` and `iac_mcp_run_command`

mod listed;

use serde_json::{Map, Value as Json, json};

use listed::Listed;

use super::asking::refused;
use super::moves;
use super::show::{self, largest, show, told, value};
use super::trace::{self, Sent, Trace};
use super::{
    Outcome, Step, World, copies, create, done, filed, first, held, occurrence, placing, set, words,
};
use crate::action::{Action, Deed, Invocation};
use crate::app::App;
use crate::bind::{bind, candidates};
use crate::call::{Call, CommandCall, Mode, SetProperty};
use crate::change::{
    DELETE, DRAFT_UNSEEN, HOLDS, OLD, OPENING_WINDOW, QUIT, Tell, makes_draft, sends, tells,
};
use crate::dictionary::{Dictionary, TypeExpr};
use crate::fault::{Code, Fault};
use crate::jxa;
use crate::marshal::{Checker, Given, are_named, shapes};
use crate::osa_error::OsaError;
use crate::permission::{Classified, Decision, Gate, classify, decide, may_read, only_reads};
use crate::reply::Reply;
use crate::schema;
use crate::specifier::Container;
use crate::undo::{self, Undo, Way};
use crate::value::Value;
use crate::words::{Level, RefId, TextWindow};
/// The commands of Contacts and of the Standard Suite that add, remove or move objects. An app such as Contacts loses
/// such a change unless it gets `save`.
const KEPT: [&str; 5] = ["add", "remove", "delete", "duplicate", "move"];

/// A window in which a name from the dictionary is never cut.
const WHOLE: TextWindow = TextWindow { offset: 0, limit: 1_000 };

const NOTHING: &str = "`count` needs a class to count, or the object does not exist";
const SAY_WHAT: &str = "add `each`, the class to count, such as {\"each\":\"message\"}";

/// A command while the app runs it.
#[derive(Debug)]
pub(super) struct Sending {
    term: String,
    result: Option<TypeExpr>,
    level: Level,
    /// The trace of the command.
    trace: Trace,
    /// Whether the command counts elements and names no class.
    counts_nothing: bool,
    /// The target as the client named it, if it is a reference.
    target: Option<String>,
    /// The targets as the client named them, if the server sends the command once for each.
    each: Vec<Json>,
    /// The targets, if one event gets all of them.
    listed: Listed,
    /// The earlier changes that this command undoes: moves, new objects or a setting.
    back: Vec<Undo>,
    /// The file that is to be written.
    file: Option<String>,
    /// Whether it ends the app.
    ends: bool,
    /// Whether it sends something to other people.
    sends: bool,
    /// Whether it makes a message that the user does not see.
    hides: bool,
    /// Whether the app saves what it did.
    saves: bool,
    /// The values to read for the answer.
    tells: Vec<Tell>,
    /// The named parameters that are given.
    given: Vec<String>,
}

pub(super) fn start(call: &CommandCall, world: &mut World<'_>) -> Result<Step, Fault> {
    begin(call, None, world)
}

/// Begins the undo of a command that changed a setting: the same command runs again with the old values.
pub(super) fn start_back(undo: &Undo, world: &mut World<'_>) -> Result<Step, Fault> {
    let Way::Run { command, arguments } = &undo.way else { return Err(not_a_command()) };
    let call = CommandCall::of_undo(&undo.app, command, arguments.clone());
    begin(&call, Some(undo), world)
}

fn begin(call: &CommandCall, back: Option<&Undo>, world: &mut World<'_>) -> Result<Step, Fault> {
    let app = world.apps.find(&call.app)?;
    let dictionary = app.dictionary()?.clone();
    create::check_following(&call.then.then, app, &dictionary)?;
    let checked = checked(call, app, &dictionary, world);
    if let Checked::Fits(invocation) = &checked
        && let Some(call) = copies::set_after(call, invocation)
    {
        return begin(&call, back, world);
    }
    if let Checked::Fits(invocation) = &checked
        && let Some((call, set)) = copies::to_its_container(call, invocation, app, world)?
    {
        if let Decision::Deny(refusal) = decide(set, &app.name, world.gate, world.now) {
            return Ok(refused(refusal, 0));
        }
        return begin(&call, back, world);
    }
    let mut invocation = match checked {
        Checked::Fits(invocation) if !call.then.is_empty() => {
            return create::start_after(call, *invocation, world);
        }
        Checked::Fits(invocation) => *invocation,
        Checked::Open(given, container) => {
            return first::argument(Call::Command(call.clone()), &call.app, given, container, world);
        }
        Checked::Wrong(fault) => return first::count(call, world).unwrap_or(Err(fault)),
    };
    check_targets(&invocation)?;
    let result = result_of(&invocation, &dictionary);
    if result.as_ref().is_some_and(|kind| are_named(&shapes(kind, &dictionary))) {
        invocation.text = WHOLE;
    }
    let mut action = Action::of(app, Deed::Command(Box::new(invocation)));
    let classified = classify(&action, world.gate.policy.levels());
    if let Deed::Command(invocation) = &mut action.deed
        && classified.level > Level::Safe
    {
        invocation.tells = tells(&app.bundle_id, &invocation.code);
        let may_read = |term: &&str| may_read(term.trim_start_matches('#'), app, world.gate, world.now);
        invocation.tells.retain(|tell| !invocation.each && tell.terms.iter().all(may_read));
        if KEPT.contains(&invocation.term.as_str()) {
            invocation.save = create::saving(app, &dictionary).map(Box::new);
        }
        invocation.anchors = Some(placing::anchors(app, &dictionary, invocation));
    }
    if call.mode == Mode::Read && !only_reads(&action, world.gate.policy.levels()) {
        return Err(not_a_read(&action, &classified, app));
    }
    if is_deletion(&action)
        && let Some(change) = occurrence::deletion(call.target.as_ref(), world)
    {
        if call.mode == Mode::DryRun {
            return left_out(action, &change?, app, world).map(|shown| done(shown, 0));
        }
        // If the policy denies `delete`, it also denies the change that leaves the date out instead.
        if let Decision::Deny(refusal) = decide(action, &app.name, world.gate, world.now) {
            return Ok(refused(refusal, 0));
        }
        return set::start(&change?, world);
    }
    if classified.level > Level::Safe {
        occurrence::refuse(call.references(), world)?;
    }
    if call.mode == Mode::DryRun {
        return Ok(done(preview(action, &classified, app, world), 0));
    }
    let Deed::Command(invocation) = action.deed else { return Err(not_a_command()) };
    let sending = Sending {
        term: invocation.term.clone(),
        result,
        level: classified.level,
        trace: Trace::new(&invocation, classified.level),
        counts_nothing: invocation.code == schema::COUNT && invocation.parameters.is_empty(),
        target: call.target.as_ref().and_then(Json::as_str).map(str::to_owned),
        each: if invocation.each { named(call, &invocation, app, world) } else { Vec::new() },
        listed: Listed::of(call.target.as_ref(), invocation.direct.as_ref().filter(|_| !invocation.each)),
        back: back.into_iter().cloned().collect(),
        file: invocation.file_to_be().map(str::to_owned),
        ends: invocation.code == QUIT,
        sends: sends(&invocation.code),
        hides: makes_draft(&invocation.code)
            && invocation.parameter(OPENING_WINDOW) != Some(&Given::Bool(true)),
        saves: invocation.save.is_some(),
        tells: invocation.tells.clone(),
        given: invocation.parameters.iter().map(|argument| argument.term.clone()).collect(),
    };
    Ok(placing::begin(*invocation, references(call.target.as_ref()), sending, app, world))
}

/// Checks the number of targets.
///
/// # Errors
/// A list of targets is empty, or there are several things to play: each event would stop the one before it.
fn check_targets(invocation: &Invocation) -> Result<(), Fault> {
    if invocation.each && matches!(&invocation.direct, Some(Given::List(targets)) if targets.is_empty()) {
        let message = format!("`target` is an empty list, so `{}` would do nothing", invocation.term);
        return Err(Fault::parameter("target", message, "name at least one object"));
    }
    let count = invocation.direct.as_ref().map_or(0, |direct| direct.objects().len());
    if invocation.code != schema::PLAY || !invocation.each || count < 2 {
        return Ok(());
    }
    let message = format!(
        "`{}` plays one thing, and these are {count}: each would stop the one before it",
        invocation.term
    );
    let suggestion = "play one of them, or make a playlist with iac_mcp_create, duplicate them to it in `then`, and play that";
    Err(Fault::parameter("target", message, suggestion).with("command", invocation.term.as_str()))
}

/// The references among the targets, in their order; `None` for a target that is not a reference.
pub(super) fn references(target: Option<&Json>) -> Vec<Option<RefId>> {
    let one = |json: &Json| json.as_str().and_then(RefId::parse);
    match target {
        Some(Json::Array(items)) => items.iter().map(one).collect(),
        Some(json) => vec![one(json)],
        None => Vec::new(),
    }
}

fn checked(call: &CommandCall, app: &App, dictionary: &Dictionary, world: &mut World<'_>) -> Checked {
    let candidates = match candidates(call, app, dictionary) {
        Ok(candidates) => candidates,
        Err(fault) => return Checked::Wrong(fault),
    };
    let mut held = held(world.references, app, world.now);
    let mut checker = Checker { dictionary, held: &mut *held, home: world.home, put: None, open: None };
    match (bind(call, &candidates, app, &mut checker), checker.open) {
        (Ok(invocation), _) => Checked::Fits(Box::new(invocation)),
        (Err(_), Some((given, container))) => Checked::Open(given, container),
        (Err(fault), None) => Checked::Wrong(fault),
    }
}

/// The result of checking the arguments of a command.
enum Checked {
    Fits(Box<Invocation>),
    /// The server must first look up an object among them: the client's text, and its meaning.
    Open(Json, Container),
    Wrong(Fault),
}

pub(super) fn result_of(invocation: &Invocation, dictionary: &Dictionary) -> Option<TypeExpr> {
    let named = dictionary
        .commands
        .iter()
        .filter(|each| each.code == invocation.code && each.name == invocation.term);
    named.filter_map(|command| command.result.as_ref()).map(|result| result.kind.clone()).next()
}

fn is_deletion(action: &Action) -> bool {
    matches!(&action.deed, Deed::Command(invocation) if invocation.code == DELETE)
}

fn not_a_command() -> Fault {
    Fault::new(
        Code::Internal,
        "the command changed while it ran",
        "this is a bug in the server; please report it",
    )
}

fn not_a_read(action: &Action, classified: &Classified, app: &App) -> Fault {
    let Deed::Command(invocation) = &action.deed else { return not_a_command() };
    let message = format!(
        "iac_mcp_read_command takes only commands that change nothing; `{}` of {} {}",
        invocation.term, app.name, classified.reason
    );
    Fault::new(Code::PermissionDenied, message, "use iac_mcp_run_command, which asks the user if necessary")
        .with("app", &*app.bundle_id)
        .with("command", invocation.term.as_str())
        .with("level", classified.level.as_str())
}

/// The script and the objects of a command, and the decision about it.
fn preview(action: Action, classified: &Classified, app: &App, world: &World<'_>) -> Json {
    let (body, data) = jxa::preview(&action, &world.learned.costs(&app.bundle_id));
    let Deed::Command(invocation) = &action.deed else { return Json::Null };
    let mut shown = json!({
        "dryRun": true,
        "app": &*app.bundle_id,
        "command": invocation.term,
        "code": invocation.code,
        "level": classified.level.as_str(),
        "reason": format!("it {}", classified.reason),
        "touches": targets(invocation, app, world),
        "script": { "body": body },
    });
    // The data contains the names of the objects that were looked up, so it is shown only if the client may know them
    // all.
    if invocation.values().flat_map(Given::paths).all(|path| show::in_words(path, app, world).is_some()) {
        shown["script"]["data"] = json!(data);
    }
    shown["decision"] = forecast(decide(action, &app.name, world.gate, world.now), world.gate);
    shown
}

/// The dates that a deletion would leave out of series, and the decision about it.
fn left_out(action: Action, change: &SetProperty, app: &App, world: &mut World<'_>) -> Result<Json, Fault> {
    let changes = set::changes(change, world)?;
    let touches: Vec<String> = changes.iter().map(|change| told(&change.subject.path, app, world)).collect();
    let values = change.values.iter().flat_map(|at| change.properties.get(*at)).flatten();
    let leaves_out: Vec<Json> = touches
        .iter()
        .zip(values)
        .map(|(object, new)| json!({ "object": object, "property": new.property, "adds": new.value }))
        .collect();
    let Deed::Command(invocation) = &action.deed else { return Err(not_a_command()) };
    let (term, code) = (invocation.term.clone(), invocation.code.clone());
    let set = Action::of(app, Deed::Set(changes));
    let classified = classify(&set, world.gate.policy.levels());
    // If the policy denies `delete`, it also denies the change that leaves the dates out instead.
    let decision = match decide(action, &app.name, world.gate, world.now) {
        Decision::Deny(refusal) => Decision::Deny(refusal),
        _ => decide(set, &app.name, world.gate, world.now),
    };
    Ok(json!({
        "dryRun": true,
        "app": &*app.bundle_id,
        "command": term,
        "code": code,
        "level": classified.level.as_str(),
        "reason": "it leaves dates out of their series, and the other dates stay",
        "touches": touches,
        "leavesOut": leaves_out,
        "decision": forecast(decision, world.gate),
    }))
}

fn forecast(decision: Decision, gate: &Gate) -> Json {
    match decision {
        Decision::Allow(approved) => json!({ "is": "allow", "why": approved.source().to_string() }),
        Decision::Ask(unasked) if gate.alone => json!({
            "is": "deny",
            "why": "a human must approve this, and no one can be asked",
            "policyLine": unasked.policy_line(),
        }),
        Decision::Ask(_) => json!({ "is": "ask", "why": "the server will ask a human" }),
        Decision::Deny(refusal) => json!({ "is": "deny", "why": refusal.fault.message }),
    }
}

/// What a command acts on, in words: the objects, files and new classes among its arguments.
fn targets(invocation: &Invocation, app: &App, world: &World<'_>) -> Vec<String> {
    let makes = invocation.code == "corecrel";
    let mut words = Vec::new();
    for value in invocation.values() {
        value.visit(&mut |each| match each {
            Given::Class(_) if !makes => {}
            each => words.extend(in_words(each, app, world)),
        });
    }
    words
}

/// The targets: references as they were given, the others in words.
fn named(call: &CommandCall, invocation: &Invocation, app: &App, world: &World<'_>) -> Vec<Json> {
    let given = call.target.as_ref().and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let Some(Given::List(targets)) = &invocation.direct else { return Vec::new() };
    let named = |(at, target): (usize, &Given)| match given.get(at) {
        Some(Json::String(text)) => json!(text),
        _ => json!(in_words(target, app, world)),
    };
    targets.iter().enumerate().map(named).collect()
}

fn in_words(given: &Given, app: &App, world: &World<'_>) -> Option<String> {
    match given {
        Given::Object(path) => Some(told(path, app, world)),
        Given::Place(place) => Some(place.to_string()),
        Given::File(path) => Some(format!("file {}", words::long(path))),
        Given::Class(class) => Some(format!("a new {class}")),
        _ => None,
    }
}

impl Sending {
    /// A command that undoes earlier changes: it moves objects back, or deletes new ones.
    pub(super) fn back(invocation: &Invocation, level: Level, back: Vec<Undo>) -> Self {
        let each =
            if invocation.each { back.iter().map(|undo| json!(undo.words)).collect() } else { Vec::new() };
        Self {
            term: invocation.term.clone(),
            result: None,
            level,
            trace: Trace::new(invocation, level),
            counts_nothing: false,
            target: None,
            each,
            listed: Listed::default(),
            back,
            file: None,
            ends: false,
            sends: false,
            hides: false,
            saves: false,
            tells: Vec::new(),
            given: Vec::new(),
        }
    }

    /// Whether it undoes an earlier call.
    pub(super) fn takes_back(&self) -> bool {
        !self.back.is_empty()
    }

    /// Whether it deletes objects that an earlier call has made.
    pub(super) fn unmakes(&self) -> bool {
        self.back.iter().any(|undo| matches!(undo.way, Way::Create { .. }))
    }

    /// Ends an undo of new objects if none of them is where it was made.
    pub(super) fn none_there(&self, app: &App, events: u64, world: &mut World<'_>) -> Step {
        create::unmade(&self.back, None, app, events, world)
    }

    /// Names targets that were given by position after the objects that were found there.
    pub(super) fn named(
        mut self,
        invocation: &Invocation,
        references: &[Option<RefId>],
        app: &App,
        world: &World<'_>,
    ) -> Self {
        let Some(Given::List(targets)) = &invocation.direct else { return self };
        for (at, (each, target)) in self.each.iter_mut().zip(targets).enumerate() {
            if let (None, Given::Object(path)) = (references.get(at).copied().flatten(), target) {
                *each = json!(told(path, app, world));
            }
        }
        self
    }

    /// Follows the moved objects, if there are any.
    pub(super) fn moving(self, invocation: &mut Invocation, references: &[Option<RefId>], app: &App) -> Self {
        Self { trace: self.trace.following(invocation, references, app), ..self }
    }

    /// The change that the app may have made although no answer came. An undo that did not finish can be tried again.
    pub(super) fn sent(&self, app: &str, name: &str) -> Option<Sent> {
        let did = self.trace.did().filter(|_| self.back.is_empty())?;
        Some(Sent { app: app.to_owned(), did: format!("{name} {did}") })
    }

    /// Whether the effect of the command lasts, and nothing is read that an undo could use.
    pub(super) fn stays(&self) -> bool {
        self.trace.did().is_some() && !self.trace.is_followed() && self.back.is_empty()
    }

    /// Whether the app may have changed something although no answer came.
    pub(super) fn changes(&self) -> bool {
        self.level > Level::Safe
    }

    pub(super) fn resume(
        self,
        reply: Reply,
        app: &str,
        events: u64,
        world: &mut World<'_>,
    ) -> Result<Step, Fault> {
        let app = world.apps.find(app)?;
        let answer = match &reply.result {
            Ok(answer) => answer,
            Err(error) => {
                // Of several objects, each has its own error.
                let is_gone = self.each.is_empty() && error.is_missing_object() && error.at == "command";
                return match self.unmakes() && is_gone {
                    true => Ok(self.none_there(app, events, world)),
                    false => Err(self.refused(error, app)),
                };
            }
        };
        if answer.get("$").and_then(Json::as_str) == Some("other") {
            return Err(self.another(app));
        }
        if self.unmakes() {
            return Ok(create::unmade(&self.back, Some(answer), app, events, world));
        }
        let is_setting = matches!(self.back.as_slice(), [Undo { way: Way::Run { .. }, .. }]);
        if !self.back.is_empty() && !is_setting {
            let (_, reports) = moves::split(answer);
            moves::follow_back(&self.back, &reports, app, world);
            return Ok(Step::Done(moves::taken_back(&self.back, &reports, events)));
        }
        let (answer, told) = match answer["$"].as_str() {
            Some("told") => (&answer["value"], answer["told"].as_array().cloned().unwrap_or_default()),
            _ => (answer, Vec::new()),
        };
        let (answer, there) = self.trace.still_there(answer);
        let shared: Vec<bool> = match &answer {
            Json::Array(answers) => answers.iter().map(copies::is_shared).collect(),
            one => vec![copies::is_shared(one)],
        };
        let (answer, back) = self.trace.split(&answer, app, world);
        let answer = &answer;
        let mut undo: Vec<Undo> = back.iter().flatten().cloned().collect();
        undo.extend(self.set_back(&told, app, world));
        let id = undo::together(&mut undo, world.fresh);
        let is_set = undo.iter().any(|undo| matches!(undo.way, Way::Run { .. }));
        if let [back] = self.back.as_slice() {
            let entry = json!({ "object": back.words, "command": self.term, "undo": null });
            let body = json!({ "success": true, "changes": [entry], "undo": id, "untrusted": true });
            let undone = vec![back.id.clone()];
            return Ok(Step::Done(Outcome { body, events, undo, undone, ..Outcome::default() }));
        }
        let answers = answer.as_array().map(Vec::as_slice).unwrap_or_default();
        let is_done = self.each.is_empty() || trace::is_done(answers, self.each.len());
        if let Some(did) = self.trace.did().filter(|_| undo.is_empty() && is_done) {
            let did = format!("{} {did}", app.name);
            undo.push(Undo::lasting(&app.bundle_id, did, &self.trace.why(app), (world.fresh)(), world.now));
        }
        let outcome =
            |body: Json, is_error| Step::Done(Outcome { body, is_error, events, undo, ..Outcome::default() });
        if !self.each.is_empty() {
            let mut body = self.results(answer, reply.reason.clone(), app, world)?;
            self.tell_kept(reply.reason, &mut body);
            let is_tried = |answer: &Json| answer.get("$").and_then(Json::as_str) != Some("untried");
            let there = answers.iter().zip(there).filter(|(answer, _)| is_tried(answer));
            let results = body["results"].as_array_mut().into_iter().flatten();
            let (note, has_no_effect) = self.trace.is_still_there(&app.bundle_id);
            let mut are_done = true;
            for (result, _) in results.zip(there).filter(|(_, (_, there))| *there) {
                result["unverified"] = json!(note);
                are_done = !has_no_effect;
            }
            if !are_done {
                body["success"] = json!(false);
            }
            if self.trace.is_followed() {
                let results = body["results"].as_array_mut().into_iter().flatten();
                let unknown = results.zip(&shared).filter(|(_, is_shared)| **is_shared);
                unknown.for_each(|(result, _)| result["note"] = json!(copies::SHARED));
                let results = body["results"].as_array_mut().into_iter().flatten();
                // An entry that cannot be undone says so; the id of the whole call is at the top.
                let stays = |at: &usize| back.get(*at).is_none_or(Option::is_none);
                results
                    .enumerate()
                    .filter(|(at, _)| stays(at))
                    .for_each(|(_, result)| result["undo"] = Json::Null);
                body["undo"] = json!(id);
            }
            return Ok(outcome(body, false));
        }
        let dictionary = app.dictionary()?.clone();
        let (answer, filed) = match &self.file {
            Some(path) => filed::of(answer, path),
            None => (answer.clone(), None),
        };
        let (answer, runs) = match answer["$"].as_str() {
            Some("standing") => (answer["value"].clone(), answer["runs"].as_bool()),
            _ => (answer, None),
        };
        let value = value(&answer, self.result.as_ref(), &dictionary);
        let mut body = self.listed.told(&value, app, world).unwrap_or_else(|| {
            let mut body = json!({ "success": true });
            data(&value, &mut body, app, world);
            body
        });
        if let Some(runs) = runs {
            body["running"] = json!(runs);
            if runs && self.ends {
                body["note"] = json!("it still runs: it may ask the person about changes that are not saved");
            }
        }
        if let Some(filed) = filed {
            filed.tell(&mut body);
        }
        if self.hides {
            body["note"] = json!(DRAFT_UNSEEN);
        }
        if shared == [true] {
            body["note"] = json!(copies::SHARED);
        }
        self.tell_kept(reply.reason, &mut body);
        self.tell_values(&told, &mut body, app, world);
        if there == [true] {
            let (note, has_no_effect) = self.trace.is_still_there(&app.bundle_id);
            body["unverified"] = json!(note);
            body["success"] = json!(!has_no_effect);
        }
        if self.trace.is_followed() || is_set {
            body["undo"] = json!(id);
        }
        Ok(outcome(body, false))
    }

    /// The undo of a command that changed a setting: the same command with the values that were read before it.
    fn set_back(&self, told: &[Json], app: &App, world: &mut World<'_>) -> Option<Undo> {
        let dictionary = app.dictionary().ok()?;
        // The old values are the first ones that were read.
        let old = told.first().filter(|_| self.tells.iter().any(|tell| tell.name == OLD))?;
        let old = value(old, None, dictionary).to_json(&mut |source| Json::from(source));
        let value = |term: &String| Some((term.clone(), old.get(term).filter(|old| !old.is_null())?.clone()));
        let arguments: Map<String, Json> = self.given.iter().map(value).collect::<Option<_>>()?;
        (!arguments.is_empty()).then(|| Undo {
            id: Undo::id((world.fresh)()),
            call: None,
            is_undo: !self.back.is_empty(),
            app: app.bundle_id.to_string(),
            object: Json::Null,
            words: self.term.clone(),
            mark: None,
            at: world.now,
            way: Way::Run { command: self.term.clone(), arguments },
        })
    }

    /// Says whether the app has kept or sent what it was told.
    fn tell_kept(&self, reason: Option<String>, body: &mut Json) {
        if self.saves {
            body["saved"] = json!(reason.is_none());
            body["note"] = reason.map_or(body["note"].take(), Json::from);
        }
        if self.sends && body["success"] == json!(true) {
            body["sent"] = json!(true);
        }
        if body["note"].is_null() {
            body.as_object_mut().into_iter().for_each(|body| drop(body.shift_remove("note")));
        }
    }

    /// Adds the values that were read for the answer. Those before the command come first.
    fn tell_values(&self, told: &[Json], body: &mut Json, app: &App, world: &mut World<'_>) {
        let Ok(dictionary) = app.dictionary().cloned() else { return };
        let (before, after): (Vec<&Tell>, Vec<&Tell>) = self.tells.iter().partition(|tell| tell.is_before);
        for (tell, cell) in before.into_iter().chain(after).zip(told) {
            match value(cell, None, &dictionary) {
                Value::Failed { .. } | Value::Null => {}
                Value::List(kinds) if tell.name == HOLDS => {
                    let holds = if kinds.is_empty() {
                        "nothing"
                    } else {
                        "something that is not a text, such as a picture"
                    };
                    body[tell.name] = json!(holds);
                }
                value => {
                    body[tell.name] = show(&value, app, world);
                    body["untrusted"] = json!(true);
                }
            }
        }
    }

    /// The error if the shown objects have changed since a human approved the command.
    fn another(&self, app: &App) -> Fault {
        let message = format!(
            "the objects of `{}` have changed since the user saw them; nothing was done in {}",
            self.term, app.name
        );
        Fault::new(
            Code::ReferenceMoved,
            message,
            "look at the objects, and call again if the user still wants this",
        )
        .with("command", self.term.as_str())
    }

    fn refused(&self, error: &OsaError, app: &App) -> Fault {
        let mut fault = error.to_fault(&app.bundle_id, &app.name).with("command", self.term.as_str());
        if error.is_missing_object() && self.counts_nothing {
            fault = Fault { message: format!("{}: {NOTHING}", app.name), ..fault };
            (fault.code, fault.suggestion) = (Code::InvalidParameter, SAY_WHAT.to_owned());
        }
        if let Some(target) = self.target.as_ref().filter(|_| error.is_missing_object()) {
            fault = fault.with("target", target.as_str());
        }
        if self.changes() { uncertain(fault) } else { fault }
    }

    /// One result for each target, in the client's order.
    fn results(
        &self,
        answer: &Json,
        reason: Option<String>,
        app: &App,
        world: &mut World<'_>,
    ) -> Result<Json, Fault> {
        let dictionary = app.dictionary()?.clone();
        let answers = answer.as_array().map(Vec::as_slice).unwrap_or_default();
        let mut failures = 0;
        let mut results = Vec::new();
        let untried = |answer: &Json| answer.get("$").and_then(Json::as_str) == Some("untried");
        let mut missing = self.each.len().saturating_sub(answers.len());
        for (target, answer) in self.each.iter().zip(answers) {
            if untried(answer) {
                missing += 1;
                continue;
            }
            let mut shown = json!({ "target": target });
            match value(answer, self.result.as_ref(), &dictionary) {
                Value::Failed { number, message } => {
                    failures += 1;
                    let error = OsaError { number, message, at: "command".to_owned(), by: None };
                    shown["error"] = self.refused(&error, app).to_json();
                }
                value => data(&value, &mut shown, app, world),
            }
            // A move returns the object itself, which the answer names already.
            if shown["data"].get("reference").is_some_and(|answered| answered == target) {
                shown.as_object_mut().into_iter().for_each(|shown| shown.retain(|name, _| name == "target"));
            }
            results.push(shown);
        }
        let mut body = json!({ "success": failures == 0 && missing == 0, "results": results });
        if missing > 0 {
            body["complete"] = json!(false);
            body["reason"] =
                json!(reason.unwrap_or_else(|| format!("{missing} of the targets have no answer")));
        }
        Ok(body)
    }
}

/// A change without a readable answer may have happened, so a client should not simply repeat it.
pub(super) fn uncertain(fault: Fault) -> Fault {
    match fault.code {
        Code::Timeout | Code::Cancelled | Code::Unavailable | Code::ResultTooLarge | Code::Internal => {
            unknown(fault)
        }
        _ => fault,
    }
}

/// Marks an error of a change as one with an unknown outcome.
pub(super) fn unknown(fault: Fault) -> Fault {
    let suggestion = format!("check whether it happened before you try again; {}", fault.suggestion);
    Fault { suggestion, ..fault.with("outcome", "unknown").retryable(false) }
}

/// Adds a command's answer. An answer that is too large is cut and counted.
fn data(value: &Value, body: &mut Json, app: &App, world: &mut World<'_>) {
    let mut shown = Vec::new();
    if let Value::List(items) = value {
        let mut size = 0;
        for item in items {
            let item = show(item, app, world);
            size += item.to_string().len() + 1;
            if size > largest(world) && !shown.is_empty() {
                break;
            }
            shown.push(item);
        }
        if shown.len() < items.len() {
            body["cut"] = json!({ "from": 0, "to": shown.len(), "total": items.len() });
        }
        body["data"] = Json::from(shown);
    } else {
        body["data"] = show(value, app, world);
    }
    if let Value::Excerpt(part) = value {
        let end = part.from + part.text.chars().count();
        body["cut"] = json!({ "from": part.from, "to": end, "total": part.total });
    }
    if !matches!(value, Value::Null | Value::Bool(_) | Value::Number(_)) {
        body["untrusted"] = json!(true);
    }
}
