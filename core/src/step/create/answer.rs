//! The result for new objects: references in the shape of the tree, failures with their reasons, and the undo.

mod row;

use serde_json::{Map, Value as Json, json};

use super::begin::{CALLED, CONTAINER};
use super::sets::for_good;
use super::{Creating, Node, gathers};
use crate::action::{Following, Into, Invocation, Make};
use crate::app::{App, same_id};
use crate::call::How;
use crate::change::{DRAFT_UNSEEN, DUPLICATE, Look, SEND, Slot, holds};
use crate::dictionary::Dictionary;
use crate::fault::{Code, Fault};
use crate::identity::Identity;
use crate::marshal::Given;
use crate::osa_error::OsaError;
use crate::permission::may_read;
use crate::specifier::{By, Id, Path, Segment, read_source};
use crate::step::show::{self, show, value};
use crate::step::trace::Trace;
use crate::step::{Outcome, Step, World, command, filed, remember, trace};
use crate::undo::{self, Made, NO_REVERSE, Undo, Way};
use crate::value::Value;

/// The event that saves an object.
pub(super) const SAVE: &str = "coresave";

/// An effect of a command outside the new object: an app, the command, the class, and the words.
///
/// # Source
/// Mail's dictionary: an outgoing message is the window in which it is written. Saving it puts a copy into the drafts,
/// and no answer gives the id of that copy.
const STAYS: [(&str, &str, &str, &str); 1] =
    [("com.apple.mail", SAVE, "outgoing message", "the copy that `save` made in the drafts mailbox")];

/// The longest value that the undo keeps. A longer one would store the app's content a second time.
const LONGEST: usize = 16 * 1024;

/// How many characters of a new message's text the answer contains. They show how a reply or a forward begins. The rest
/// is the text that the client has just sent, or the message that it answers.
const BEGINNING: usize = 300;

/// What the script reports about one object.
struct Told {
    json: Map<String, Json>,
    path: Option<Path>,
    is_made: bool,
    /// Whether the app refused a value.
    is_refused: bool,
}

impl Told {
    fn is_gone(&self) -> bool {
        self.json.contains_key("gone")
    }

    /// Marks the object and its contents as gone, for example a sent message with its recipients and files. They cannot
    /// be read back, and that is not an error. If the client saw one, it might send the message again.
    fn go(&mut self) {
        self.path = None;
        self.json.remove("reference");
        self.json.remove("stable");
        self.json.insert("gone".to_owned(), json!(true));
        if let Some(Json::Object(notes)) = self.json.get_mut("unverified") {
            notes.retain(|_, note| note != UNREAD);
            if notes.is_empty() {
                self.json.remove("unverified");
            }
        }
    }
}

const UNREAD: &str = "it could not be read back";

/// The object exists even if some values differ, so the client must not make it again.
const MADE: &str = "everything was created, but the app holds other values for what `unverified` names: set those that can be set with iac_mcp_set_property if they matter, and do not create the objects again";

const UNSEEN: &str = "everything was created, and the app does not show what `unverified` names: tell the user so, and do not create the objects again";

const REFUSED: &str = "everything was created, but the app refused the values in `unverified`: set others with iac_mcp_set_property, and make nothing again";

/// Says whether the app has saved what was done, and the error if it has not.
fn tell_saved(saved: &Json, app: &App, body: &mut Json) {
    if let Some(error) = OsaError::of_row(saved, "save") {
        body["success"] = json!(false);
        body["unsaved"] = error.to_fault(&app.bundle_id, &app.name).to_json();
    } else if saved == &json!(true) {
        body["saved"] = json!(true);
    }
}

/// Why a new object comes without a reference.
const MOVED: &str =
    "it was made; only its place leads to it, and that has changed: find it with iac_mcp_get_elements";
const TWIN: &str = "it was made; another object has the same name or id, and nothing else leads to it: find it with iac_mcp_get_elements";
const SAME: &str =
    "it was made; the app gives two new objects the same name or place: find it with iac_mcp_get_elements";

impl Creating {
    /// The answer, once the script has run.
    pub(super) fn made(
        mut self,
        answer: &Json,
        app: &App,
        events: u64,
        world: &mut World<'_>,
    ) -> Result<Step, Fault> {
        let dictionary = app.dictionary()?.clone();
        if answer.get("$").and_then(Json::as_str) == Some("other") {
            return Err(another(app, self.creation.origin()));
        }
        if self.row().is_some() {
            return self.ran(answer, app, &dictionary, events, world);
        }
        let rows = answer.get("rows").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        let (then_rows, sets) = self.apart_sets(&answer["then"], app, world)?;
        let then_rows = Json::from(then_rows);
        let mut told: Vec<Told> = Vec::new();
        for (at, (node, make)) in self.nodes.iter().zip(&self.creation.makes).enumerate() {
            let container = match node.parent {
                Some(parent) => told.get(parent).and_then(|told| told.path.clone()),
                None => node.container.clone(),
            };
            let row = rows.get(at).unwrap_or(&Json::Null);
            let mut one = tell(node, make, row, container, app, &dictionary, world);
            if node.parent.and_then(|parent| told.get(parent)).is_some_and(Told::is_gone) {
                one.go();
            }
            told.push(one);
        }
        let sends = self.creation.then.iter().filter(|next| next.sent.code == SEND);
        let sent = sends.flat_map(|next| next.sent.direct.iter().flat_map(Given::objects));
        for number in sent.filter_map(Following::number_of_it) {
            if let Some(one) = told.get_mut(number)
                && one.json.shift_remove("gone").is_some()
            {
                one.json.insert("sent".to_owned(), json!(true));
                let parts = told.iter_mut().zip(&self.nodes).filter(|(_, node)| node.parent == Some(number));
                parts.for_each(|(part, _)| drop(part.json.shift_remove("gone")));
            }
        }
        apart(&mut told);
        let made = told.iter().filter(|each| each.is_made).count();
        let is_whole = made == told.len();
        let mut unverified =
            told.iter().filter_map(|each| each.json.get("unverified")?.as_object()).peekable();
        let differs = unverified.peek().is_some();
        let is_unseen = unverified.flat_map(Map::values).all(|note| note == UNREAD);
        let is_refused = told.iter().any(|each| each.is_refused);
        let (then, moved) = self.moved_back(&then_rows, &told, app, world);
        let is_taken_back = self.is_taken_back(&dictionary);
        let stay = self.stay_for_good(&app.bundle_id, &dictionary);
        let stays = stay.iter().copied().find(Option::is_some).flatten();
        let is_mixed = stays.is_some() && stay.iter().any(Option::is_none);
        let way_back = moved.filter(|_| is_taken_back && !is_mixed).and_then(|moved| match stays {
            // A copy in it stays, too.
            Some(_) if self.creation.then.iter().any(|next| next.sent.code == DUPLICATE) => None,
            Some(_) => Some((None, moved)),
            None => Some((Some(self.way_back(rows, &told, app, world)?), moved)),
        });
        // If the undo moves back what was moved, only the new objects can be permanent, so the record leaves out the
        // commands.
        let done: Vec<bool> = rows_of(&then_rows).iter().map(is_done).collect();
        let done = if way_back.is_some() { &[][..] } else { done.as_slice() };
        let lasts = made > 0 && way_back.as_ref().is_none_or(|(made, _)| made.is_none());
        let did = self.did(&app.name, done, 0..0).filter(|_| lasts);
        let (made_back, moved) = way_back.unzip();
        let mut undo = Vec::from_iter(made_back.flatten());
        undo.extend(self.written(moved.unwrap_or_default(), &sets));
        let why = stays.unwrap_or(NO_REVERSE);
        undo.extend(did.map(|did| Undo::lasting(&app.bundle_id, did, why, (world.fresh)(), world.now)));
        undo.extend(for_good(&sets, app, world));
        let is_kept = undo.iter().any(|undo| !undo.is_lasting());
        let id = undo::together(&mut undo, world.fresh).filter(|_| is_kept);
        if made == 0
            && let [only] = told.as_slice()
            && let Some(error) = only.json.get("error")
        {
            let body = error.clone();
            return Ok(Step::Done(Outcome { body, is_error: true, events, ..Outcome::default() }));
        }
        let mut body = json!({
            "success": is_whole && !is_refused,
            "app": &*app.bundle_id,
            "objects": self.shape(None, &mut told),
            "undo": id,
            "untrusted": true,
        });
        let dates: Map<String, Json> = self
            .nodes
            .iter()
            .flat_map(|node| &node.dates)
            .map(|(said, date)| (said.clone(), json!(date)))
            .collect();
        if !dates.is_empty() {
            body["dates"] = Json::Object(dates);
        }
        let note = match differs {
            true if is_refused => Some(REFUSED),
            true if is_unseen => Some(UNSEEN),
            true => Some(MADE),
            false => self.hides_draft(app, &dictionary).then_some(DRAFT_UNSEEN),
        };
        if let Some(note) = note.filter(|_| is_whole) {
            body["note"] = json!(note);
        }
        if !self.creation.then.is_empty() || !sets.is_empty() {
            let then = self.followed(&then, app, &dictionary, world);
            let then = self.in_order(then, sets);
            let is_done = then.iter().all(|each| each.get("error").is_none());
            body["success"] = json!(body["success"] == json!(true) && is_done);
            body["then"] = Json::from(then);
        }
        tell_saved(&answer["saved"], app, &mut body);
        Ok(Step::Done(Outcome { body, is_error: made == 0, events, undo, ..Outcome::default() }))
    }

    /// The rows of the commands that follow, with the app's own answers, and the way back of what each has moved into
    /// the new objects; `None` if a moved object has none.
    fn moved_back(
        &self,
        rows: &Json,
        told: &[Told],
        app: &App,
        world: &mut World<'_>,
    ) -> (Json, Option<Vec<Vec<Undo>>>) {
        let real = |path: &Path| {
            let number = Following::number_of_it(path)?;
            path.replaced(
                &Following::it(number, &self.nodes.get(number)?.class),
                told.get(number)?.path.as_ref()?,
            )
        };
        let mut rows = rows_of(rows).to_vec();
        let mut back = Some(Vec::new());
        for (row, trace) in rows.iter_mut().zip(&self.traces) {
            let ways: Option<Vec<Undo>> = match row.get("value") {
                Some(answer) if trace.moves() => {
                    let (answer, ways) = trace.split_at(answer, &real, app, world);
                    row["value"] = answer;
                    ways.into_iter().collect()
                }
                None if trace.moves() => row.get("unknown").is_none().then(Vec::new),
                _ => Some(Vec::new()),
            };
            back = back.zip(ways).map(|(back, ways)| [back, vec![ways]].concat());
        }
        (Json::from(rows), back)
    }

    /// Whether an undo can reverse everything. It can if each command copied into the new objects (the copies are
    /// deleted with them), moved objects into them (these go back first), added objects to each other, showed
    /// something, or saved something without leaving a file.
    pub(super) fn is_taken_back(&self, dictionary: &Dictionary) -> bool {
        let reaches = |command: &Invocation, is_new: fn(&Path) -> bool| {
            let mut places = command.parameters.iter().flat_map(|each| each.value.paths());
            places.any(is_new)
        };
        // An object that is added to another one existed before, and `remove` takes it out again.
        let joins = |command: &Invocation| {
            let is_target = command.direct.iter().flat_map(Given::paths).all(Following::is_it);
            let is_pair = command.term == "add" && !dictionary.commands_named("remove").is_empty();
            is_pair && (is_target || reaches(command, Following::is_it))
        };
        // A saved document has a file, which stays after the document is deleted. The same is true of an object that is
        // saved in a file.
        let is_document = |node: &Node| dictionary.is_a(&node.class, "document");
        let keeps =
            |command: &Invocation| command.parameters.is_empty() && !self.nodes.iter().any(is_document);
        // A document that was only opened existed before, and what a copy replaces is gone.
        !self.is_old
            && !self.creation.origin().is_some_and(Invocation::replaces)
            && self.creation.then.iter().map(|next| &next.sent).all(|sent| match sent.code.as_str() {
                DUPLICATE => reaches(sent, Following::is_it),
                SAVE => keeps(sent),
                _ => gathers(sent) || joins(sent) || trace::shows(sent),
            })
    }

    /// The results of the commands that followed.
    fn followed(&self, rows: &Json, app: &App, dictionary: &Dictionary, world: &mut World<'_>) -> Vec<Json> {
        let mut told = Vec::new();
        for (at, next) in self.creation.then.iter().enumerate() {
            let row = rows.get(at).unwrap_or(&Json::Null);
            let mut entry = json!({ "command": next.sent.term });
            let error = row.get("error").and_then(|error| OsaError::of_row(error, "command"));
            let number = row.get("unknown").and_then(Json::as_i64);
            if let Some(error) = error {
                entry["error"] = error.to_fault(&app.bundle_id, &app.name).to_json();
            } else if let Some(number) = number {
                let message = row["message"].as_str().unwrap_or_default().to_owned();
                let error = OsaError { number, message, at: "command".to_owned(), by: None };
                entry["error"] = command::unknown(error.to_fault(&app.bundle_id, &app.name)).to_json();
            } else if let Some(answer) = row.get("value") {
                let (answer, filed) = filed::split(answer, &next.sent);
                let values = answer.as_array().filter(|_| next.sent.each).into_iter().flatten();
                let failed = values.filter_map(|value| OsaError::of_row(value, "command")).next();
                match failed {
                    Some(error) => entry["error"] = error.to_fault(&app.bundle_id, &app.name).to_json(),
                    None if is_cut_off(&answer, &next.sent) => entry["error"] = cut_off(app).to_json(),
                    None => entry["data"] = show(&value(&answer, None, dictionary), app, world),
                }
                if let Some(filed) = filed {
                    filed.tell(&mut entry);
                }
            } else {
                entry["error"] = self.not_tried(row, app, dictionary, world).to_json();
            }
            told.push(entry);
        }
        told
    }

    /// Why a later command was not sent. A human has approved it for one object with the values that were shown.
    fn not_tried(&self, row: &Json, app: &App, dictionary: &Dictionary, world: &World<'_>) -> Fault {
        let number = row.get("number").and_then(Json::as_u64).and_then(|number| usize::try_from(number).ok());
        let it = self.it(number.unwrap_or(0));
        let unlike = row.get("unlike").and_then(|unlike| {
            let at = |n: usize| usize::try_from(unlike.get(n)?.as_u64()?).ok();
            let (make, slot) = (self.creation.makes.get(at(0)?)?, at(1)?);
            Some((
                &self.nodes.get(at(0)?)?.class,
                make.slots.get(slot)?,
                make.values.get(slot)?,
                unlike.get(2)?,
            ))
        });
        let fault = |message: String, suggestion: &str| {
            Fault::new(Code::Unavailable, message, suggestion).with("outcome", "not_tried")
        };
        if let Some((class, slot, given, is)) = unlike {
            // The names that were read for the question are left out, because a rule may keep them from the client.
            let given = crate::step::words::given(given, &crate::step::words::Names::default());
            let holds = match value(is, Some(&slot.kind), dictionary) {
                Value::Failed { .. } => "could not be read back".to_owned(),
                held if may_read(&slot.term, app, world.gate, world.now) => {
                    format!(
                        "is {}",
                        crate::step::words::shown(&held.to_json(&mut |source| Json::from(source)))
                    )
                }
                _ => "is another value".to_owned(),
            };
            let message = format!(
                "it was not tried, because the new {class} differs from the call: `{}` was given as {given} and {holds}",
                slot.term
            );
            let suggestion = "set the property, or send the command by iac_mcp_run_command with the reference of the new object";
            return fault(message, suggestion).with("property", slot.term.clone());
        }
        match row.get("lost").and_then(Json::as_str) {
            Some("place") => fault(
                format!(
                    "it was not tried, because only its place leads to {it}, and that may lead to another one by now"
                ),
                "find it with iac_mcp_get_elements, and send the command by iac_mcp_run_command",
            ),
            Some(_) => fault(
                format!("it was not tried, because {it} is gone, or no longer the only one of its name"),
                "find it with iac_mcp_get_elements, and send the command by iac_mcp_run_command",
            ),
            None => fault(
                "it was not tried, because something before it failed".to_owned(),
                "send it by iac_mcp_run_command",
            ),
        }
    }

    /// The reports about the objects inside another one, each with its contents.
    fn shape(&self, parent: Option<usize>, told: &mut Vec<Told>) -> Vec<Json> {
        let own: Vec<usize> = (0..self.nodes.len()).filter(|at| self.nodes[*at].parent == parent).collect();
        let one = |at: usize| {
            let mut json = std::mem::take(&mut told[at].json);
            let children = self.shape(Some(at), told);
            if !children.is_empty() {
                json.insert("children".to_owned(), Json::from(children));
            }
            Json::Object(json)
        };
        own.into_iter().map(one).collect()
    }

    /// The undo for all of it; `None` if an object cannot be found again.
    fn way_back(&self, rows: &[Json], told: &[Told], app: &App, world: &mut World<'_>) -> Option<Undo> {
        let made = (0..self.nodes.len()).filter(|at| told[*at].is_made);
        // An object inside another new object is deleted with it, and need not be found separately.
        let is_top = |at: usize| self.nodes[at].parent.is_none_or(|parent| !told[parent].is_made);
        let mut all: Vec<Made> = Vec::new();
        for at in made {
            match told[at].path.as_ref().filter(|path| path.is_stable() || !is_top(at)) {
                Some(path) => {
                    let words = show::told(path, app, world);
                    all.push(self.one_made(at, (path, words), is_top(at), &told[at], rows.get(at)?));
                }
                None if is_top(at) => return None,
                None => {}
            }
        }
        let made = all;
        let first = made.first()?;
        let words = match made.len() {
            1 => first.words.clone(),
            several => format!("{} and {} more", first.words, several - 1),
        };
        Some(Undo {
            id: Undo::id((world.fresh)()),
            call: None,
            is_undo: false,
            app: app.bundle_id.to_string(),
            object: first.object.clone(),
            words,
            mark: None,
            at: world.now,
            way: Way::Create { made, stays: self.stays(&app.bundle_id) },
        })
    }

    /// The effects that stay after the new objects are deleted.
    fn stays(&self, app: &str) -> Vec<String> {
        let sent = |code: &str| self.creation.then.iter().any(|next| next.sent.code == code);
        let is_made = |class: &str| self.nodes.iter().any(|node| node.class == class);
        let rows = STAYS.iter().filter(|row| same_id(row.0, app) && sent(row.1) && is_made(row.2));
        rows.map(|row| row.3.to_owned()).collect()
    }

    fn one_made(
        &self,
        at: usize,
        (path, way): (&Path, String),
        is_top: bool,
        told: &Told,
        row: &Json,
    ) -> Made {
        let name = told.json.get("name").and_then(Json::as_str);
        let named = |name: &str| format!("{} {}", self.nodes[at].class, crate::specifier::quoted(name));
        // Before the new object is deleted, an undo moves back what was moved into it.
        let first = row.get("first").filter(|_| self.traces.iter().any(Trace::moves));
        let shown = first.or_else(|| row.get("looks")).and_then(Json::as_array).cloned().unwrap_or_default();
        let looks = self.creation.makes[at].looks.iter().zip(shown);
        // If an app does not return all properties at once, the undo has only the other values.
        let is_kept = |(look, shown): &(&Look, Json)| !matches!(look, Look::Held(_)) || shown.is_array();
        let looks = looks.filter(is_kept).map(|(look, shown)| (look.spelled(), shown));
        Made {
            object: path.to_json(),
            words: name.map_or(way, named),
            is_top,
            looks: looks.filter(|(_, shown)| shown.to_string().len() <= LONGEST).collect(),
            is_lost: false,
        }
    }
}

pub(super) fn rows_of(answers: &Json) -> &[Json] {
    answers.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Whether a later command ran, or ran for one of its targets.
fn is_done(row: &Json) -> bool {
    row.get("value").is_some()
}

/// Whether the app stopped answering before all targets of a command were reached.
fn is_cut_off(answer: &Json, sent: &Invocation) -> bool {
    sent.each && answer.as_array().is_some_and(|answers| answers.len() < targets(sent))
}

fn targets(sent: &Invocation) -> usize {
    match &sent.direct {
        Some(Given::List(items)) => items.len(),
        _ => 0,
    }
}

fn cut_off(app: &App) -> Fault {
    let message = format!("{} stopped answering before all targets were reached", app.name);
    command::unknown(Fault::new(Code::Unavailable, message, "look at the targets"))
}

/// If two new objects would have the same reference, it is unclear which one it means, so neither gets it.
fn apart(told: &mut [Told]) {
    let paths: Vec<Option<Path>> = told.iter().map(|each| each.path.clone()).collect();
    for (at, each) in told.iter_mut().enumerate().filter(|(_, each)| each.path.is_some()) {
        if (0..paths.len()).any(|other| other != at && paths[other] == paths[at]) {
            lose(&mut each.json, SAME);
            each.path = None;
        }
    }
}

fn lose(json: &mut Map<String, Json>, note: &str) {
    json.shift_remove("reference");
    json.shift_remove("stable");
    json.insert("note".to_owned(), json!(note));
}

fn tell(
    node: &Node,
    make: &Make,
    row: &Json,
    container: Option<Path>,
    app: &App,
    dictionary: &Dictionary,
    world: &mut World<'_>,
) -> Told {
    let mut json = Map::new();
    if let Some(fault) = failure(row, &node.class, app) {
        json.insert("type".to_owned(), json!(node.class));
        json.insert("error".to_owned(), fault.to_json());
        return Told { json, path: None, is_made: false, is_refused: false };
    }
    let is_gone = row.get("gone") == Some(&Json::Bool(true));
    let path = way(make, row, container.as_ref(), dictionary).filter(|_| !is_gone);
    if let Some(path) = path.clone() {
        let is_stable = path.is_stable();
        json.insert("reference".to_owned(), json!(remember(path, app, world).to_string()));
        if !is_stable {
            json.insert("stable".to_owned(), json!(false));
        }
    }
    json.insert("type".to_owned(), json!(node.class));
    let label = make.label.as_ref().and_then(|label| Some((label, row.get("name")?)));
    if let Some((label, name)) = label
        && let Value::Text(name) = value(name, None, dictionary)
        && may_read(label.as_str(), app, world.gate, world.now)
    {
        json.insert("name".to_owned(), json!(name));
    }
    if let Some(home) = home(make, row, dictionary) {
        json.insert(CONTAINER.to_owned(), json!(home));
    }
    let draft = draft(make, row, dictionary);
    if !draft.is_empty() {
        json.insert("draft".to_owned(), Json::Object(draft));
    }
    let (mut notes, mut is_refused) = (Map::new(), false);
    let late = row.get("late").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let is_read = row.get("lost").is_none();
    for (at, (slot, given)) in make.slots.iter().zip(&make.values).enumerate().filter(|_| is_read) {
        let refused = late.iter().find(|each| each.get(0).and_then(Json::as_u64) == Some(at as u64));
        if let Some(refused) = refused {
            let number = refused.get(1).and_then(Json::as_i64).unwrap_or(-2700);
            let message = refused.get(2).and_then(Json::as_str).unwrap_or_default().to_owned();
            let error = OsaError { number, message, at: "set".to_owned(), by: None };
            notes.insert(slot.term.clone(), json!(error.to_fault(&app.bundle_id, &app.name).message));
            is_refused = true;
            continue;
        }
        let now = row.get("now").and_then(|now| now.get(at)).unwrap_or(&Json::Null);
        let how = make.how.get(at).copied().unwrap_or(How::Set);
        if let Some(note) = differs(slot, (given, how), now, app, dictionary, world) {
            let property = dictionary.property(&node.class, &slot.term);
            let is_fixed = property.is_some_and(|property| !property.access.can_write());
            let note = if is_fixed { format!("{note}; it cannot be set") } else { note.to_owned() };
            notes.insert(slot.term.clone(), json!(note));
        }
    }
    if !notes.is_empty() {
        json.insert("unverified".to_owned(), Json::Object(notes));
    }
    if is_gone {
        json.insert("gone".to_owned(), json!(true));
    }
    if row.get("lost").is_some() {
        let is_twin = row.get("twin").is_some();
        let mut note = if is_twin { TWIN } else { MOVED }.to_owned();
        // A command takes no values, and they are set only on an object that is known.
        if is_twin && make.into == Into::Command && !make.slots.is_empty() {
            let terms: Vec<&str> = make.slots.iter().map(|slot| slot.term.as_str()).collect();
            note.push_str(&format!("; not set: `{}`", terms.join("`, `")));
            is_refused = true;
        }
        json.insert("note".to_owned(), json!(note));
    }
    if row.get("unread").is_some() {
        json.insert("note".to_owned(), json!("it was made and could not be read back"));
    }
    Told { json, path, is_made: true, is_refused }
}

/// The container of an object for which the call gave no place: `list "Home"`.
fn home(make: &Make, row: &Json, dictionary: &Dictionary) -> Option<String> {
    let told = |name: &str| {
        let at = make.tells.iter().position(|(told, _)| told == name)?;
        Some(value(row.get("tells")?.get(at)?, None, dictionary))
    };
    let Value::Object(source) = told(CONTAINER)? else { return None };
    let path = read_source(dictionary, &source).filter(|path| path.last().is_some())?;
    match told(CALLED) {
        Some(Value::Text(name)) => Some(format!("{} {}", path.class(), crate::specifier::quoted(&name))),
        _ => Some(path.to_text()),
    }
}

/// A summary of a message that a command has written: its recipients, and the beginning of its text.
fn draft(make: &Make, row: &Json, dictionary: &Dictionary) -> Map<String, Json> {
    let told = row.get("tells").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let tell = |((name, _), cell): (&(String, Look), &Json)| {
        let json = match value(cell, None, dictionary) {
            _ if make.into != Into::Command => return None,
            Value::Failed { .. } | Value::Null => return None,
            Value::List(items) if items.is_empty() => return None,
            Value::Text(text) => json!(beginning(&text)),
            Value::Excerpt(part) => json!(beginning(&part.text)),
            other => other.to_json(&mut |source| Json::from(source)),
        };
        Some((name.clone(), json))
    };
    make.tells.iter().zip(told).filter_map(tell).collect()
}

fn beginning(text: &str) -> String {
    match text.char_indices().nth(BEGINNING) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The difference between a property and its given value; `None` if there is none, or if it is unknown.
fn differs(
    slot: &Slot,
    (given, how): (&Given, How),
    now: &Json,
    app: &App,
    dictionary: &Dictionary,
    world: &World<'_>,
) -> Option<String> {
    let now = value(now, Some(&slot.kind), dictionary);
    let is_held = match (how, given, &now) {
        (How::Append, Given::Text(added), Value::Text(now)) => now.ends_with(added.as_str()),
        (How::Prepend, Given::Text(added), Value::Text(now)) => now.starts_with(added.as_str()),
        // Only the beginning of a long text was read.
        (How::Append, _, Value::Excerpt(_)) => true,
        (How::Prepend, Given::Text(added), Value::Excerpt(now)) => now.text.starts_with(added.as_str()),
        _ => holds(given, &now, dictionary) != Some(false),
    };
    if !slot.readable || is_held {
        return None;
    }
    let note = match now {
        Value::Null => "the app took it without an error and holds nothing".to_owned(),
        Value::Failed { .. } => return Some(UNREAD.to_owned()),
        other if may_read(&slot.term, app, world.gate, world.now) => {
            let held = other.to_json(&mut |source| Json::from(source));
            format!("the app holds it in its own way: {}", crate::step::words::shown(&held))
        }
        _ => "the app holds it in its own way".to_owned(),
    };
    Some(note)
}

/// Why an object was not made; `None` if it was.
fn failure(row: &Json, class: &str, app: &App) -> Option<Fault> {
    let name = (&*app.bundle_id, app.name.as_str());
    if let Some(error) = OsaError::of_row(row, "make") {
        return Some(error.to_fault(name.0, name.1));
    }
    if let Some(number) = row.get("unknown").and_then(Json::as_i64) {
        let message = row.get("message").and_then(Json::as_str).unwrap_or_default().to_owned();
        let error = OsaError { number, message, at: "make".to_owned(), by: None };
        return Some(command::unknown(error.to_fault(name.0, name.1)));
    }
    if row.get("source").is_some() || row.get("lost").is_some() {
        return None;
    }
    if row.get("twin").is_some() {
        let message = format!("{} made nothing: there is a {class} of this name already", app.name);
        let suggestion = "give another name, or change the one that is there with iac_mcp_set_property";
        return Some(Fault::new(Code::InvalidParameter, message, suggestion).with("outcome", "not_tried"));
    }
    if row.get("nothing").is_some() {
        let message = "the command was done and answered no object, so nothing followed it";
        let suggestion =
            "find what it has made with iac_mcp_get_elements, and send the rest in calls of their own";
        return Some(Fault::new(Code::ExecutionFailed, message, suggestion).with("outcome", "done"));
    }
    let message = "it was not tried: its container was not made, or the app stopped answering before";
    Some(Fault::new(Code::Unavailable, message, "fix the earlier error, then create this object again"))
}

/// The path to a new object: by its id in its container, by the app's own name for it, or by its name.
fn way(make: &Make, row: &Json, container: Option<&Path>, dictionary: &Dictionary) -> Option<Path> {
    let source = row.get("source").and_then(Json::as_str).and_then(|source| read_source(dictionary, source));
    // If another object has the same name, the name leads to that older object too.
    let is_twin = row.get("twin").is_some();
    let source = source.filter(|path| path.last().is_some() && !(is_twin && path.name().is_some()));
    let member = |container: &Path| container.collection(dictionary, &make_class(make)).ok();
    let by = |by: By| {
        let container = container?;
        Some(container.then(Segment::Element(member(container)?, by)))
    };
    let id = match (&make.identity, row.get("id")) {
        (Identity::Id(_), Some(Json::String(id))) if !id.is_empty() => Some(Id::Text(id.clone())),
        (Identity::Id(_), Some(Json::Number(id))) => id.as_i64().map(Id::Number),
        _ => None,
    };
    let name = match (&make.identity, row.get("name")) {
        // The name for people is not always the name that the app finds it by: a recipient is known by its address.
        (Identity::Name(by), Some(Json::String(name))) if make.label.as_ref() == Some(by) && !is_twin => {
            Some(name.clone())
        }
        _ => None,
    };
    let own = || source.clone().filter(Path::is_stable);
    id.and_then(|id| by(By::Id(id))).or_else(own).or_else(|| by(By::Name(name?))).or(source)
}

fn make_class(make: &Make) -> String {
    if make.into == Into::Command {
        return make.class.as_str().to_owned();
    }
    let class = make.command.values().find_map(|value| match value {
        Given::Class(class) => Some(class.clone()),
        _ => None,
    });
    class.unwrap_or_default()
}

/// The error if a different object is there than the one that the human approved.
fn another(app: &App, origin: Option<&Invocation>) -> Fault {
    let (what, done) = if origin.is_some() { ("objects", "done") } else { ("containers", "made") };
    let message = format!("the {what} changed after the user saw them; nothing was {done} in {}", app.name);
    let suggestion = format!("look at the {what}, and call again if the user still wants it");
    Fault::new(Code::ReferenceMoved, message, suggestion)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::{Told, UNREAD};

    #[test]
    fn what_goes_with_its_message_is_no_fault() {
        let check = |unverified: Json, expected: Json| {
            let json = json!({ "reference": "ref_x", "stable": false, "unverified": unverified });
            let Json::Object(json) = json else { panic!("an object") };
            let mut told = Told { json, path: None, is_made: true, is_refused: false };
            told.go();
            assert_eq!(Json::Object(told.json), expected);
        };
        check(json!({ "file name": UNREAD }), json!({ "gone": true }));
        let refused = json!({ "file name": UNREAD, "name": "the app refused it" });
        check(refused, json!({ "gone": true, "unverified": { "name": "the app refused it" } }));
    }
}
