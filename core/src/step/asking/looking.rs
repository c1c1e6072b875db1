//! Reads the objects of a command before a question, so that the human sees names instead of numbers.

use std::cmp::Reverse;

use indexmap::IndexSet;
use serde_json::Value as Json;

use super::super::show::{told, value};
use super::super::words::{self, Names};
use super::super::{carried, listing, placing, query, script, web};
use super::{Behind, Step, Then, World, ask_seen, ask_unseen, run};
use crate::action::{Action, Deed, Invocation, Preview, Seen};
use crate::app::App;
use crate::change::{
    DELETES_SERIES, Fact, Look, NOT_RESTORED, QUIT, RULE, SEND_TEXT, Subject, UNSAVED, beside, binding,
    facts, placed, sends,
};
use crate::dictionary::{Dictionary, Identifier};
use crate::fault::{Code, Fault};
use crate::marshal::Given;
use crate::osa_error::OsaError;
use crate::permission::{self, Level, NAMED, Unasked, Wording, classify, may_name};
use crate::reply::Reply;
use crate::schema;
use crate::specifier::Path;
use crate::value::Value;

/// An action with objects that are read before the question.
#[derive(Debug)]
pub(in crate::step) struct Looking {
    unasked: Unasked,
    /// The objects to read: the first targets, then the objects among the arguments.
    subjects: Vec<Subject>,
    /// The state in which this server left the objects. If they have changed since, the call ends before the question.
    kept: Vec<Seen>,
    /// How many of the subjects are targets.
    targets: usize,
    name: String,
    then: Then,
}

/// Asks about an action; looks at its objects first, if it has some.
pub(super) fn look(unasked: Unasked, behind: Behind, then: Then, world: &World<'_>) -> Step {
    let app = world.apps.find(&unasked.action().app).ok();
    let dictionary = app.and_then(|app| app.dictionary.as_deref());
    let (subjects, targets) = match (&unasked.action().deed, app.zip(dictionary)) {
        (Deed::Command(invocation), Some((app, dictionary))) => subjects(invocation, app, dictionary, world),
        _ => (Vec::new(), 0),
    };
    let anchors = match &unasked.action().deed {
        Deed::Command(invocation) => invocation.anchors.clone(),
        _ => None,
    };
    let kept = match &unasked.action().deed {
        Deed::Command(invocation) => invocation.seen.clone(),
        _ => Vec::new(),
    };
    let owners = app.map(|app| owners(&unasked, &subjects, app)).unwrap_or_default();
    let all = subjects.iter().cloned().chain(owners).chain(kept.iter().map(as_kept)).collect();
    let Some(approved) = unasked.preview(Preview { subjects: all, anchors, knows: false }) else {
        let objects = match &unasked.action().deed {
            Deed::Script(script) => script.objects.clone(),
            _ => Vec::new(),
        };
        let wording = wording(&unasked, objects, &Names::default(), &behind, &then, world);
        return ask_unseen(unasked, wording, behind, then, world);
    };
    let name = behind.name.clone();
    let looking = Looking { unasked, subjects, kept, targets, name, then };
    run(approved, behind, Then::Looking(Box::new(looking)), world)
}

/// The objects of a command to read, and the number of its targets among them.
fn subjects(
    invocation: &Invocation,
    app: &App,
    dictionary: &Dictionary,
    world: &World<'_>,
) -> (Vec<Subject>, usize) {
    let of = |path: &Path| Subject {
        mark: None,
        facts: Vec::new(),
        ..Subject::of(&app.bundle_id, dictionary, path.clone(), Vec::new())
    };
    let count: usize = invocation.direct.iter().map(|direct| direct.objects().len()).sum();
    let most = may_name(count);
    let with_facts = |subject: Subject, at: usize| {
        let mut facts = facts(&app.bundle_id, dictionary, &invocation.code, subject.path.class());
        let binding = binding(&app.bundle_id, dictionary, &invocation.code, &subject.path).into_iter();
        let binding: Vec<Fact> = binding.filter(|fact| !facts.contains(fact)).collect();
        facts.extend(binding);
        facts.extend(placed(&app.bundle_id, dictionary, &subject.path));
        // The question names those first that stand for others or contain the most, wherever they are in the list. It
        // shows each message to send.
        let weighs = |fact: &Fact| fact.is_standing() || fact.weighs();
        if at < most || sends(&invocation.code) || facts.iter().any(weighs) {
            return Some(Subject { facts, ..subject });
        }
        // The question only counts these objects. If one is found by a name, another object may get that name.
        let facts: Vec<Fact> = facts.into_iter().filter(|fact| !fact.is_shown()).collect();
        let is_loose = !facts.is_empty() && !subject.path.is_by_id();
        is_loose.then_some(Subject { facts, labels: Vec::new(), ..subject })
    };
    let is_object = |path: &&Path| path.last().is_some();
    let direct = invocation.direct.iter().flat_map(Given::paths).filter(is_object);
    let direct = gravest_first(direct, invocation, app, world);
    let mut subjects: Vec<Subject> = match beside(&app.bundle_id, dictionary, &invocation.code) {
        // The command always acts on this object, whatever its target is.
        Some((path, facts)) => vec![Subject { facts, ..Subject::at(path) }],
        None => direct.into_iter().enumerate().filter_map(|(at, path)| with_facts(of(path), at)).collect(),
    };
    // For example, the recipients.
    let arguments = invocation.parameters.iter().flat_map(|each| each.value.paths()).filter(is_object);
    let told = arguments.map(|path| with_facts(of(path), 0)).filter(|subject| {
        let is_told = |fact: &Fact| fact.is_shown() && !fact.is_standing() && !fact.is_place;
        subject.as_ref().is_some_and(|subject| subject.facts.iter().any(is_told))
    });
    subjects.extend(told.flatten());
    let targets = subjects.len();
    let arguments = invocation.parameters.iter().flat_map(|each| each.value.paths()).filter(is_object);
    subjects.extend(arguments.map(|path| {
        let mut facts = binding(&app.bundle_id, dictionary, &invocation.code, path);
        facts.extend(placed(&app.bundle_id, dictionary, path));
        Subject { facts, ..of(path) }
    }));
    (subjects, targets)
}

/// The targets in the order in which a question names them: the one for which the command does the most harm first,
/// such as a program among the files to open, and then what may hold others.
fn gravest_first<'p>(
    paths: impl Iterator<Item = &'p Path>,
    invocation: &Invocation,
    app: &App,
    world: &World<'_>,
) -> Vec<&'p Path> {
    let mut paths = words::containers_first(paths, app);
    if paths.len() > NAMED {
        let bare = Invocation { direct: None, seen: Vec::new(), ..invocation.clone() };
        let level = |path: &Path| {
            let alone = Invocation { direct: Some(Given::Object(path.clone())), ..bare.clone() };
            classify(&Action::of(app, Deed::Command(Box::new(alone))), world.gate.policy.levels()).level
        };
        paths.sort_by_cached_key(|path| Reverse(level(path)));
    }
    paths
}

/// The containers of the named objects, and then of the others.
fn owners(unasked: &Unasked, subjects: &[Subject], app: &App) -> Vec<Subject> {
    words::owners(subjects.iter().map(|subject| &subject.path).chain(targets_of(unasked)), app)
}

/// The objects that a command is about.
fn targets_of(unasked: &Unasked) -> Vec<&Path> {
    match &unasked.action().deed {
        Deed::Command(invocation) => invocation.direct.iter().flat_map(Given::objects).collect(),
        _ => Vec::new(),
    }
}

impl Looking {
    /// Asks with the values that were read.
    pub(in crate::step) fn resume(
        self,
        reply: Reply,
        events: u64,
        world: &mut World<'_>,
    ) -> Result<Step, Fault> {
        let Self { unasked, mut subjects, kept, mut targets, name, then } = self;
        let behind = Behind { name, events };
        let app = world.apps.find(&unasked.action().app)?;
        let ends = matches!(&unasked.action().deed, Deed::Command(invocation) if invocation.code == QUIT);
        let rows = reply.result.map_err(|error| match placing::unseen(&error, app) {
            fault if ends && fault.code == Code::AppNotRunning => ended(fault, app),
            fault => fault,
        })?;
        let mut rows = rows.as_array().cloned().unwrap_or_default();
        let more = rows.split_off(subjects.len().min(rows.len()));
        let owners = owners(&unasked, &subjects, app);
        let (known, again) = more.split_at(owners.len().min(more.len()));
        let mut names = words::called(&owners, known, app);
        names.extend(words::folders(
            subjects.iter().map(|each| &each.path).chain(targets_of(&unasked)),
            app,
            world.home,
        ));
        let missing = subjects.iter().zip(&rows).filter(|(_, row)| is_missing(row));
        let missing: Vec<&Path> = missing.map(|(subject, _)| &subject.path).collect();
        let deleted = deleted(&unasked, &then, &missing, kept.iter().zip(again));
        let is_gone = |seen: &Seen| {
            missing.contains(&&seen.path) || deleted.iter().any(|path| seen.path.begins_with(path))
        };
        let is_changed = |(seen, row): &(&Seen, &Json)| row.get(4) != Some(&seen.shown) && !is_gone(seen);
        if let Some((seen, row)) = kept.iter().zip(again).find(is_changed) {
            return Err(changed(seen, row, app, world));
        }
        let unasked = unasked.after(shown(&subjects, &rows));
        if !deleted.is_empty() {
            if let Some(ended) = none_left(&unasked, &then, deleted.len(), app, events, world) {
                return Ok(ended);
            }
            // The question is about the objects that still exist.
            let is_here = |(subject, _): &(Subject, Json)| !deleted.contains(&subject.path);
            (subjects, rows) = subjects.into_iter().zip(rows).filter(is_here).unzip();
            targets = subjects.len();
        }
        let rows = rows.as_slice();
        if let Some(path) = wrong_name(&subjects, rows) {
            return query::offer_names(path, None, app, events, world);
        }
        let mut objects = named(&subjects, rows, &names, app, world)?;
        let arguments = objects.split_off(targets);
        let dictionary = app.dictionary()?;
        let stands = |(at, subject): (usize, &Subject)| words::stands(subject, rows.get(at)?, dictionary);
        let stands: Vec<Option<_>> = subjects.iter().take(targets).enumerate().map(stands).collect();
        // The question names only some of the objects, so what would take the most with it comes first.
        let rank = |at: usize| {
            let both = rows.get(at).zip(subjects.get(at));
            let weight = both.map_or(0, |(row, subject)| words::weight(subject, row, dictionary));
            (!stands.get(at).is_some_and(Option::is_some), Reverse(weight))
        };
        let mut ranked: Vec<_> =
            objects.into_iter().enumerate().map(|(at, words)| (rank(at), (at, words))).collect();
        ranked.sort_by_key(|(rank, _)| *rank);
        let lines: Vec<&String> = ranked.iter().map(|(_, (_, words))| words).collect();
        let shown = ranked.iter().take(permission::named(&lines));
        let shown: Vec<&Path> = shown.map(|(_, (at, _))| &subjects[*at].path).collect();
        let is_here = |path: &&Path| !deleted.contains(path);
        let all: Vec<&Path> = targets_of(&unasked).into_iter().filter(is_here).collect();
        let are_placed = subjects.iter().flat_map(|subject| &subject.facts).any(|fact| fact.is_place);
        let others = words::whence(&all, &shown, &names, are_placed);
        let objects = ranked.into_iter().map(|(_, (_, words))| words).collect();
        names.extend(subjects.iter().skip(targets).map(|subject| subject.path.clone()).zip(arguments));
        let mut wording = wording(&unasked, objects, &names, &behind, &then, world);
        wording.count = wording.count.saturating_sub(deleted.len());
        wording.others = others.into();
        let others = words::others(stands.iter().flatten(), wording.count);
        if wording.consequence.as_deref() == Some(DELETES_SERIES)
            && none_repeats(subjects.iter().take(targets).zip(rows), wording.count)
        {
            wording.consequence = Some(NOT_RESTORED.to_owned());
        }
        let unsaved = unsaved(&unasked, subjects.iter().zip(rows), dictionary).map(str::to_owned);
        let notes = wording.consequence.take().into_iter().chain(unsaved).chain(others).collect::<Vec<_>>();
        wording.consequence = (!notes.is_empty()).then(|| notes.join("; "));
        let named = subjects.iter().take(targets).map(|subject| (None, subject));
        let named = words::names(named.zip(rows), app, world);
        Ok(carried::with(ask_seen(unasked, wording, behind, then, world), named.into_iter().collect()))
    }
}

/// Whether it is known of all `count` objects that they do not repeat.
fn none_repeats<'s>(seen: impl Iterator<Item = (&'s Subject, &'s Json)>, count: usize) -> bool {
    let is_single = |(subject, row): &(&Subject, &Json)| {
        let rule = subject.facts.iter().position(|fact| fact.caption == RULE);
        let read = rule.and_then(|at| row.get(4)?.get(at));
        read.is_some_and(|read| read.is_null() || read == "")
    };
    seen.filter(is_single).count() == count.max(1)
}

/// What becomes of unsaved documents if the command does not say.
fn unsaved<'s>(
    unasked: &Unasked,
    mut seen: impl Iterator<Item = (&'s Subject, &'s Json)>,
    dictionary: &Dictionary,
) -> Option<&'static str> {
    let Deed::Command(invocation) = &unasked.action().deed else { return None };
    let is_unsaved = |(fact, read): (&Fact, &Json)| match (&fact.look, value(read, None, dictionary)) {
        (Look::Where(..), Value::List(items)) => !items.is_empty(),
        (_, Value::Bool(is)) => is && fact.caption == UNSAVED,
        _ => false,
    };
    let has_some = |(subject, row): (&Subject, &Json)| {
        let reads = row.get(4).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        subject.facts.iter().zip(reads).any(is_unsaved)
    };
    let saving = match invocation.parameter("saving") {
        Some(Given::Enumerator(word)) => word.as_str(),
        _ => "ask",
    };
    match saving {
        "no" => None,
        _ if !seen.any(has_some) => None,
        "yes" => Some(SAVES),
        _ => Some(ASKS),
    }
}

/// What an app does with unsaved changes when it closes a document, by the argument `saving`.
///
/// # Source
/// The Standard Suite: `saving` is yes, no or ask, and ask is the default. A document without a file has no place to be
/// saved at, so the app asks for one.
const SAVES: &str =
    "the app saves the changes first, and asks on the Mac's screen where to put a new document";
const ASKS: &str = "the app first asks on the Mac's screen whether to save the changes";

/// An object that the server reads again, because it must be unchanged.
fn as_kept(seen: &Seen) -> Subject {
    let facts = seen.looks.iter().map(|look| Fact::new("", look.clone())).collect();
    Subject { facts, ..Subject::at(seen.path.clone()) }
}

/// The error for an undo that would also remove a later change of the object.
fn changed(seen: &Seen, row: &Json, app: &App, world: &World<'_>) -> Fault {
    let path = told(&seen.path, app, world);
    let terms = differing(seen, row, app);
    let terms: Vec<String> = terms.into_iter().collect();
    let which = if terms.is_empty() { String::new() } else { format!(" (changed: {})", terms.join(", ")) };
    let message =
        format!("{path} of {} was changed after this server wrote it; nothing was done{which}", app.name);
    let suggestion = "look at it, and use iac_mcp_run_command if the user still wants that";
    Fault::new(Code::ReferenceMoved, message, suggestion).with("object", path)
}

/// The properties that are no longer as they were, as the dictionary names them.
fn differing(seen: &Seen, row: &Json, app: &App) -> IndexSet<String> {
    let list = |json: Option<&Json>| json.and_then(Json::as_array).cloned().unwrap_or_default();
    let (was, is) = (list(Some(&seen.shown)), list(row.get(4)));
    let apart = |at: usize| {
        let (was, is) = (list(was.get(at)), list(is.get(at)));
        let lines =
            was.iter().filter(|each| !is.contains(each)).chain(is.iter().filter(|each| !was.contains(each)));
        lines.filter_map(|line| Some(line.as_str()?.split_once(' ')?.0.to_owned())).collect::<Vec<_>>()
    };
    let looks = seen.looks.iter().enumerate().filter(|(at, _)| was.get(*at) != is.get(*at));
    let identifiers = looks.flat_map(|(at, look)| match look {
        Look::Held(_) => apart(at),
        Look::Property(way) => way.last().map(|last| last.as_str().to_owned()).into_iter().collect(),
        _ => Vec::new(),
    });
    let properties = app.dictionary().map(|all| all.properties(seen.path.class())).unwrap_or_default();
    let term = |identifier: String| {
        let is_it = |name: &str| Identifier::of(name).is_some_and(|each| each.as_str() == identifier);
        properties.iter().find(|property| is_it(&property.name)).map(|property| property.name.clone())
    };
    identifiers.filter_map(term).collect()
}

/// The facts about each object to show. Unreadable facts are left out.
pub(in crate::step) fn shown(subjects: &[Subject], rows: &[Json]) -> Vec<Seen> {
    let of = |(at, subject): (usize, &Subject)| {
        let part = |at: usize, row: &Json| row.get(at).and_then(Json::as_array).cloned().unwrap_or_default();
        let shown = rows.get(at).map(|row| [part(1, row), part(4, row)].concat())?;
        let labels = subject.labels.iter().map(|label| Look::Property(vec![label.clone()]));
        let looks: Vec<Look> = labels.chain(subject.facts.iter().map(|fact| fact.look.clone())).collect();
        let is_whole = !looks.is_empty() && looks.len() == shown.len();
        is_whole.then(|| Seen { path: subject.path.clone(), looks, shown: Json::from(shown) })
    };
    subjects.iter().enumerate().filter_map(of).collect()
}

/// New objects to delete that do not exist any more.
fn deleted<'k>(
    unasked: &Unasked,
    then: &Then,
    missing: &[&Path],
    kept: impl Iterator<Item = (&'k Seen, &'k Json)>,
) -> Vec<Path> {
    let Deed::Command(invocation) = &unasked.action().deed else { return Vec::new() };
    if !matches!(then, Then::Command(sending) if sending.unmakes()) {
        return Vec::new();
    }
    // An app that refuses to read all properties at once may also do so for a missing object.
    let is_whole = |look: &Look| matches!(look, Look::Held(_));
    let is_lost = |(seen, row): &(&Seen, &Json)| {
        let facts = row.get(4).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        let mut some = seen.looks.iter().zip(facts).filter(|(look, _)| !is_whole(look)).peekable();
        is_missing(row) || some.peek().is_some() && some.all(|(_, fact)| is_missing(fact))
    };
    let lost: Vec<&Path> = kept.filter(is_lost).map(|(seen, _)| &seen.path).collect();
    let targets = invocation.direct.iter().flat_map(Given::objects);
    targets.filter(|path| missing.contains(path) || lost.contains(path)).cloned().collect()
}

/// Ends an undo of new objects if none of them exists where it was made.
fn none_left(
    unasked: &Unasked,
    then: &Then,
    deleted: usize,
    app: &App,
    events: u64,
    world: &mut World<'_>,
) -> Option<Step> {
    let (Deed::Command(invocation), Then::Command(sending)) = (&unasked.action().deed, then) else {
        return None;
    };
    let all: usize = invocation.direct.iter().map(|direct| direct.objects().len()).sum();
    (all == deleted).then(|| sending.none_there(app, events, world))
}

/// Whether an object, or a value of it, could not be read because the object does not exist.
fn is_missing(row: &Json) -> bool {
    OsaError::of_row(row, "object").is_some_and(|error| error.is_missing_object())
}

/// The first missing object that was picked by its name.
fn wrong_name<'s>(subjects: &'s [Subject], rows: &[Json]) -> Option<&'s Path> {
    subjects.iter().zip(rows).find_map(|(subject, row)| {
        (is_missing(row) && subject.path.name().is_some()).then_some(&subject.path)
    })
}

/// The name of each object. If an object is missing or is another one, the call ends without a question.
fn named(
    subjects: &[Subject],
    rows: &[Json],
    names: &Names,
    app: &App,
    world: &World<'_>,
) -> Result<Vec<String>, Fault> {
    let one = |(at, subject): (usize, &Subject)| {
        let row = rows.get(at).unwrap_or(&Json::Null);
        match OsaError::of_row(row, "object") {
            Some(error) if error.is_missing_object() || error.is_moved() || error.is_several() => {
                Err(error.to_fault(&app.bundle_id, &app.name).with("object", told(&subject.path, app, world)))
            }
            _ => Ok(words::object(subject, row, app, names)),
        }
    };
    subjects.iter().enumerate().map(one).collect()
}

/// The error for a command to quit an app that does not run.
fn ended(fault: Fault, app: &App) -> Fault {
    let message = format!("{} is not running, so there is nothing to quit", app.name);
    Fault { message, suggestion: "nothing needs to be done".to_owned(), ..fault }.retryable(false)
}

/// The lasting effect of a yes in the dialog of macOS.
const LASTING_CONSENT: &str = "if you allow this in macOS, it stays allowed until you switch it off in System Settings, also for every other program that the named app starts";

/// The meaning of a yes to a script of the client.
const SCRIPT: &str = "a script can do everything that you can do on this Mac, including to files and programs, and this server cannot take any of it back; allow it only if you understand every line";

fn run_script(language: &str, text: &str) -> String {
    match text.trim_end().lines().count() {
        1 => format!("run this line of {language}"),
        lines => format!("run these {lines} lines of {language}"),
    }
}

fn ask_consent(by: &str, opens: bool) -> String {
    let open = if opens { "open it, and " } else { "" };
    format!("{open}let macOS ask you now whether {by} may control it")
}

/// Whether a command of Messages sends a text or a file to someone who has a line of the question.
fn sends_text(invocation: &Invocation, objects: &[String]) -> bool {
    let is_seen = |value: &Given| value.objects().len() == 1;
    let is_one = [TO] == *invocation.parameters.iter().map(|each| each.term.as_str()).collect::<Vec<_>>();
    invocation.code == SEND_TEXT
        && is_one
        && invocation.values().skip(1).all(is_seen)
        && objects.len() == 1
        && invocation.direct.as_ref().and_then(words::message).is_some()
}

/// The parameter with the recipient of a text.
const TO: &str = "to";

/// The codes of `launch`, `quit`, `open` and `open location`. What they open or close is seen at once, and a person
/// opens or closes it again.
const PASSING: [&str; 4] = [schema::LAUNCH, QUIT, "aevtodoc", permission::OPEN];

/// That an undo cannot take back a command, if nothing else is said of it.
fn lasting(invocation: &Invocation, then: &Then) -> Option<&'static str> {
    let is_noted = matches!(then, Then::Command(sending) if sending.stays());
    (is_noted && !PASSING.contains(&&*invocation.code)).then_some("an undo cannot take this back")
}

fn wording(
    unasked: &Unasked,
    objects: Vec<String>,
    names: &Names,
    behind: &Behind,
    then: &Then,
    world: &World<'_>,
) -> Wording {
    let id = &unasked.action().app;
    let dictionary = world.apps.find(id).ok().and_then(|app| app.dictionary.as_deref());
    // Whether a command acts on another object than its target.
    let is_beside = |code: &str| dictionary.is_some_and(|dictionary| beside(id, dictionary, code).is_some());
    let (deed, count) = match &unasked.action().deed {
        Deed::Command(invocation) if invocation.code == schema::LAUNCH => {
            ("open it in the background".to_owned(), 0)
        }
        Deed::Command(invocation) if sends_text(invocation, &objects) => {
            let what = if matches!(invocation.direct, Some(Given::File(_))) { "file" } else { "text" };
            (format!("send a {what}"), 0)
        }
        Deed::Command(invocation) => {
            let direct = invocation.direct.iter().map(|given| given.objects().len()).sum();
            let direct = if is_beside(&invocation.code) { 0 } else { direct };
            (format!("run {}", words::command(invocation, names)), direct)
        }
        Deed::Script(script) => (script::in_words(script, &behind.name), script.count),
        Deed::RunScript { language, text } => (run_script(language, text), 0),
        Deed::Web(call) => (web::in_words(call), 0),
        Deed::AskConsent { by, opens } => (ask_consent(by, *opens), 0),
        Deed::AskAccess { by, index } => {
            (format!("let macOS ask you now for full access to your {} for {by}", index.subject), 0)
        }
        Deed::Properties { objects, .. } => (unasked.in_words(), objects.len()),
        Deed::Elements(elements) => (unasked.in_words(), elements.containers.len()),
        _ => (unasked.in_words(), 0),
    };
    let consequence = match &unasked.action().deed {
        Deed::Command(invocation) => {
            words::effect(id, dictionary, invocation).or_else(|| lasting(invocation, then))
        }
        Deed::AskConsent { .. } | Deed::AskAccess { .. } => Some(LASTING_CONSENT),
        Deed::RunScript { .. } => Some(SCRIPT),
        Deed::Web(call) if call.method.level() > Level::Safe => Some(web::SENT),
        _ => None,
    };
    // Each message to send has its own text, so the question shows all of them.
    let differs = matches!(&unasked.action().deed, Deed::Command(invocation) if sends(&invocation.code));
    let script = match &unasked.action().deed {
        Deed::RunScript { text, .. } => listing::lines(text),
        _ => Vec::new(),
    }
    .into();
    let shared = match &unasked.action().deed {
        Deed::Script(script) => u32::try_from(script.count - script.lines).unwrap_or(u32::MAX),
        _ => 0,
    };
    let count = if objects.is_empty() { count } else { count.max(objects.len()) };
    let mut objects = objects;
    match &unasked.action().deed {
        Deed::Command(invocation) if sends_text(invocation, &objects) => {
            objects.iter_mut().for_each(|to| *to = format!("to: {to}"));
            objects.extend(invocation.direct.as_ref().and_then(words::message));
        }
        Deed::Command(invocation) => objects.extend(words::sent(invocation)),
        Deed::Properties { .. } | Deed::Elements(_) | Deed::Value { .. } => {
            objects.extend(words::read(&unasked.action().deed));
        }
        Deed::Web(call) => objects.extend(web::parts(call)),
        _ => {}
    }
    Wording {
        app: behind.name.as_str().into(),
        plugin: world.gate.plugin.clone(),
        deed,
        is_undo: world.gate.takes_back || matches!(then, Then::Command(sending) if sending.takes_back()),
        objects,
        count,
        others: Box::default(),
        shared,
        script,
        differs,
        plugins: matches!(unasked.action().deed, Deed::Script(_)),
        consequence: consequence.map(str::to_owned),
    }
}
