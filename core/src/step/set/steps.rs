//! The properties that the steps of a call set on objects of their own. The question shows them with the rest of the
//! call, and the script of the call sets them.

use serde_json::{Value as Json, json};

use super::begin::opened;
use super::{Item, Open, Setting};
use crate::action::StepSet;
use crate::app::App;
use crate::call::{How, NewValue, Next};
use crate::change::{Change, Expected, Subject, loss, standing};
use crate::fault::{Code, Fault};
use crate::identity::Anchors;
use crate::osa_error::OsaError;
use crate::permission::may_read;
use crate::specifier::{Path, quoted, read_source};
use crate::step::carried::ReadAs;
use crate::step::show::value;
use crate::step::trace::UNKNOWN;
use crate::step::words::{self, Apart};
use crate::step::{World, occurrence, placing, remember};
use crate::undo::Undo;
use crate::value::Value;
use crate::words::RefId;

/// How many objects the steps of one call may change: a question still shows them all.
const MOST: usize = 25;

/// The steps of one call that set properties. They are numbered in their order in the call.
#[derive(Debug)]
pub(in crate::step) struct Steps {
    /// The writes, as for `iac_mcp_set_property`. Those of the objects in `loose` are not among its open changes.
    setting: Setting,
    /// The changes of objects that the app names only when their step runs, such as `current track`.
    loose: Vec<Open>,
}

/// The result of one step.
pub(in crate::step) struct Told {
    /// The entries of the answer: one for each property.
    pub(in crate::step) changes: Vec<Json>,
    /// Why it was not done.
    pub(in crate::step) fault: Option<Fault>,
    /// The inverse of each write that has one.
    pub(in crate::step) undo: Vec<Undo>,
    /// The writes without one, in words.
    pub(in crate::step) lasting: Vec<String>,
}

impl Steps {
    pub(in crate::step) fn new() -> Self {
        let mut setting = Setting::new(false);
        // A command before the step may change the value, so an equal one is no reason to leave the step out.
        setting.is_step = true;
        Self { setting, loose: Vec::new() }
    }

    /// Adds the objects of a step.
    ///
    /// # Errors
    /// The class has no such property, a value does not fit it, or there are too many.
    pub(in crate::step) fn add(
        &mut self,
        next: &Next,
        (paths, ids): (Vec<Path>, &[Option<RefId>]),
        app: &App,
        world: &mut World<'_>,
    ) -> Result<Vec<Change>, Fault> {
        if self.setting.items.len() + paths.len() > MOST {
            let message = format!("the steps of this call change more than {MOST} objects");
            return Err(Fault::parameter("target", message, "change the others with iac_mcp_set_property"));
        }
        let may_lose = next.may_lose || world.gate.plugin.is_some();
        let mut changes = Vec::new();
        for (at, path) in paths.into_iter().enumerate() {
            let id = ids.get(at).copied().flatten();
            let open = self.open(path, id, &next.sets, app, world)?;
            changes.push(open.change.clone());
            self.setting.items.push(Item { id, may_lose, ..Item::default() });
            match open.change.subject.path.is_told() {
                true => self.loose.push(open),
                false => self.setting.open.push(open),
            }
        }
        Ok(changes)
    }

    fn open(
        &self,
        path: Path,
        id: Option<RefId>,
        values: &[NewValue],
        app: &App,
        world: &mut World<'_>,
    ) -> Result<Open, Fault> {
        occurrence::refuse(id, world)?;
        let held = id.and_then(|id| world.references.peek(id)).and_then(|held| held.mark.clone());
        let mark = held.as_deref().or(path.mark()).map(str::to_owned);
        let values: Vec<(&str, &Json, How)> =
            values.iter().map(|new| (new.property.as_str(), &new.value, new.how)).collect();
        let is_told = path.is_told();
        let mut open = opened(path, &values, Expected { mark, ..Expected::default() }, app, world)?;
        if is_told && open.adds() {
            let term = open
                .joins
                .iter()
                .position(Option::is_some)
                .map_or("", |at| &open.change.subject.slots[at].term);
            let message =
                format!("the old `{term}` is read only when the step runs, so the call cannot add to it");
            let suggestion = "give the whole new value, or change it in a call of its own";
            return Err(Fault::new(Code::InvalidParameter, message, suggestion).with("property", term));
        }
        if is_told {
            shows_less(&open.change.subject, app)?;
            // The server has read nothing of this object before, so there is nothing to compare.
            (open.change.subject.facts, open.change.subject.looks) = Default::default();
        } else {
            open.read_kept_date(app);
        }
        Ok(Open { item: self.setting.items.len(), ..open })
    }

    /// Words of the client that mean properties of other names.
    pub(in crate::step) fn read_as(&self) -> ReadAs {
        self.setting.open.iter().chain(&self.loose).flat_map(|open| open.read.clone()).collect()
    }

    /// What to read for the question.
    pub(in crate::step) fn look(&self, app: &App) -> Vec<Subject> {
        if self.setting.open.is_empty() { Vec::new() } else { self.setting.look(app).subjects }
    }

    /// Whether its objects were read.
    pub(in crate::step) fn is_seen(&self) -> bool {
        self.setting.seen
    }

    /// Finds the objects by the ids that were read, and no longer by names, which another step may change.
    pub(in crate::step) fn pin(&mut self, rows: &[Json], anchors: &Anchors) {
        for (open, row) in self.setting.open.iter_mut().zip(rows) {
            let path = &mut open.change.subject.path;
            *path = placing::found(path, row.get(3), anchors, true);
        }
    }

    /// Takes what was read, and completes the changes with it.
    ///
    /// # Errors
    /// An object is missing, or its change would be refused.
    pub(in crate::step) fn looked_at(
        &mut self,
        rows: &[Json],
        sets: &mut [StepSet],
        app: &App,
        world: &mut World<'_>,
    ) -> Result<(), Fault> {
        if let Some((path, error)) = self.setting.missing_value(rows) {
            let fault = error.to_fault(&app.bundle_id, &app.name);
            return Err(fault.with("object", crate::step::show::told(&path, app, world)));
        }
        let places: Vec<String> = sets.iter().map(|set| set.place.clone()).collect();
        let first = self.setting.open.first().map_or(0, |open| open.item);
        let count = self.setting.open.len();
        let seen = self.setting.looked_at(rows, app, world);
        seen.map_err(|fault| match count {
            1 => fault.with("parameter", places.get(first).cloned().unwrap_or_default()),
            _ => fault,
        })?;
        for open in &mut self.setting.open {
            // The state of an app changes all the time, such as the position in a track.
            if open.change.subject.path.last().is_none() {
                open.change.expected.old = None;
            }
            if let Some(set) = sets.get_mut(open.item) {
                set.change = open.change.clone();
            }
        }
        Ok(())
    }

    fn at(&self, number: usize) -> Option<&Open> {
        self.setting.open.iter().chain(&self.loose).find(|open| open.item == number)
    }

    /// The new values of one step, within a sentence: `set "rating" to 80`.
    fn deed(&self, number: usize, apart: &Apart) -> String {
        let Some(open) = self.at(number) else { return String::new() };
        let slots = open.change.subject.slots.iter().enumerate();
        slots.map(|(at, slot)| open.new_part(at, &slot.term, apart)).collect::<Vec<_>>().join(", ")
    }

    /// One step in a question: `then set "rating" to 80: track "Blue"`, with the old values below. If several objects
    /// get the same values, the objects are below the values.
    pub(in crate::step) fn lines(
        &self,
        numbers: std::ops::Range<usize>,
        when: &str,
        app: &App,
        apart: &Apart,
    ) -> Vec<String> {
        let deeds: Vec<String> = numbers.clone().map(|number| self.deed(number, apart)).collect();
        let objects = numbers.map(|number| self.object(number, app, apart)).collect::<Vec<_>>();
        match deeds.split_first() {
            Some((deed, rest)) if !rest.is_empty() && rest.iter().all(|other| other == deed) => {
                let below = |object: &String| format!("\n  {}", object.replace('\n', "\n  "));
                vec![format!("{when} {deed}:{}", objects.iter().map(below).collect::<String>())]
            }
            _ => {
                let line = |(deed, object): (&String, &String)| match object.as_str() {
                    "" => format!("{when} {deed} of {}", app.name),
                    object => format!("{when} {deed}: {object}"),
                };
                deeds.iter().zip(&objects).map(line).collect()
            }
        }
    }

    /// The object of one step in words, with its old values; empty for the app itself.
    fn object(&self, number: usize, app: &App, apart: &Apart) -> String {
        let Some(open) = self.at(number) else { return String::new() };
        let path = &open.change.subject.path;
        match (path.last(), path.is_told()) {
            (_, true) => format!("{}, whichever it is by then", path.in_words(&open.names)),
            (None, _) => String::new(),
            _ => open.line(app.dictionary.as_deref(), apart, true),
        }
    }

    /// The effects beyond the new values, in words.
    pub(in crate::step) fn effects(&self, app: &App) -> Option<String> {
        self.setting.effects(&app.bundle_id)
    }

    /// The texts that are set.
    pub(in crate::step) fn texts(&self) -> impl Iterator<Item = &str> {
        self.setting.open.iter().chain(&self.loose).flat_map(Open::texts)
    }

    /// What a step may have done although no answer came: `set rating of 1 object`.
    pub(in crate::step) fn did(&self, number: usize) -> Option<String> {
        let open = self.at(number)?;
        let terms: Vec<&str> = open.change.subject.slots.iter().map(|slot| slot.term.as_str()).collect();
        Some(format!("set {} of {}", terms.join(", "), open.change.subject.path))
    }

    /// The result of one step, from the row of the script.
    pub(in crate::step) fn told(
        &mut self,
        number: usize,
        row: &Json,
        app: &App,
        world: &mut World<'_>,
    ) -> Result<Told, Fault> {
        let did = self.did(number);
        let from = self.setting.open.iter().position(|open| open.item == number);
        let open = match from {
            Some(at) => Some(self.setting.open.remove(at)),
            None => self.loose.iter().position(|open| open.item == number).map(|at| self.loose.remove(at)),
        };
        let untried = || {
            let message = "it was not tried, because something before it failed";
            let fault = Fault::new(Code::Unavailable, message, "set it with iac_mcp_set_property");
            fault.with("outcome", "not_tried")
        };
        let failed = |fault: Fault| Told {
            changes: Vec::new(),
            fault: Some(fault),
            undo: Vec::new(),
            lasting: Vec::new(),
        };
        let Some(mut open) = open.filter(|_| row.get("untried").is_none() && !row.is_null()) else {
            return Ok(failed(untried()));
        };
        if let Some(error) = row.get("error").and_then(|error| OsaError::of_row(error, "object")) {
            return Ok(failed(error.to_fault(&app.bundle_id, &app.name)));
        }
        let dictionary = app.dictionary()?;
        if let Some(path) =
            row.get("source").and_then(Json::as_str).and_then(|it| read_source(dictionary, it))
        {
            open.change.subject.path = path;
            // The row of a look has the labels in its second place.
            let row = json!([null, row["called"]]);
            open.words = words::object(&open.change.subject, &row, app, &open.names);
        }
        let name =
            row.get("called").and_then(|called| called.get(0)).map(|name| value(name, None, dictionary));
        let path = open.change.subject.path.clone();
        let id = self.setting.items.get(number).and_then(|item| item.id);
        let id = id.unwrap_or_else(|| remember(path, app, world));
        if let Some(item) = self.setting.items.get_mut(number) {
            item.id = Some(id);
        }
        let row = row.get("row").unwrap_or(row);
        if row.get("changed").is_some() {
            let terms: Vec<String> =
                open.change.subject.slots.iter().map(|slot| quoted(&slot.term)).collect();
            let message =
                format!("{} was changed after the user saw it, so nothing was set", terms.join(", "));
            let suggestion = "read it, and set it with iac_mcp_set_property";
            let fault = Fault::new(Code::ReferenceMoved, message, suggestion);
            return Ok(failed(fault.with("reference", id.to_string())));
        }
        let label = open.change.subject.labels.first();
        let may_tell = label.is_some_and(|label| may_read(label.as_str(), app, world.gate, world.now));
        let fault = self.setting.one_written(open, row, app, world).err();
        let lasting = std::mem::take(&mut self.setting.lasting);
        let mut lasting: Vec<String> =
            lasting.into_iter().map(|(_, did, why)| format!("{did}: {why}")).collect();
        if fault.as_ref().is_some_and(|fault| fault.context.get("outcome").is_some_and(|it| it == "unknown"))
        {
            lasting.extend(did.map(|did| format!("{did}, with an unknown outcome: {UNKNOWN}")));
        }
        let item = self.setting.items.get_mut(number);
        let mut changes = item.map(|item| std::mem::take(&mut item.told)).unwrap_or_default();
        // The client has not named this object, so it cannot know which one it is.
        if let (Some(Value::Text(name)), Some(first)) = (name.filter(|_| may_tell), changes.first_mut()) {
            first["name"] = json!(name);
        }
        Ok(Told { changes, fault, undo: std::mem::take(&mut self.setting.undo), lasting })
    }
}

/// Refuses an object that only the app tells, if the question about its new values would say what they remove or which
/// other object it is.
fn shows_less(subject: &Subject, app: &App) -> Result<(), Fault> {
    let dictionary = app.dictionary()?;
    let (id, class) = (&app.bundle_id, subject.path.class());
    let says = |kind: &str| {
        loss(id, dictionary, kind, &subject.slots).is_some() || standing(id, dictionary, kind).is_some()
    };
    let kinds = dictionary.classes.keys().filter(|kind| dictionary.is_a(kind, class));
    if !says(class) && !kinds.into_iter().any(|kind| says(kind)) {
        return Ok(());
    }
    let message = format!(
        "the app decides which object `{}` is when the step runs, so nobody can say what would be lost",
        subject.path
    );
    let suggestion = "name the object itself, by its id or its name";
    Err(Fault::parameter("target", message, suggestion))
}

impl Told {
    /// The entry of a step in the answer.
    pub(in crate::step) fn join(all: Vec<Self>) -> Json {
        let mut entry = json!({});
        let changes: Vec<Json> = all.iter().flat_map(|told| told.changes.clone()).collect();
        if !changes.is_empty() {
            entry["changes"] = Json::from(changes);
        }
        if let Some(fault) = all.iter().find_map(|told| told.fault.as_ref()) {
            entry["error"] = fault.to_json();
        }
        entry
    }
}
