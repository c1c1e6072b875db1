//! Events that change a part of a text. The object that has the text gets a new text.

use super::{Outcome, Reply};
use crate::event::Event;
use crate::os_error::{Answer, CANT_SET, COERCION, NOT_MODIFIABLE, refuse};
use crate::resolve::View;
use crate::resolve::text::{Part, Run, has, runs_of, stored_runs};
use crate::value::specifier::{Edge, Specifier, Step};
use crate::value::{APP, ObjectId, Value};
use crate::world::change::Change;
use std::ops::Range;
use std::rc::Rc;

impl View<'_> {
    /// `set` of a paragraph, a word or a character.
    pub(super) fn set_part(&self, target: &Specifier, value: &Value) -> Answer<Outcome> {
        let Some(part) = self.part(target, APP)? else { return refuse(CANT_SET) };
        Ok(self.written(&part, &part.replaced_by(&text(value)?))?.into())
    }

    /// `set` of the font, size or colour of parts of a text; `None` if the target is not a part of a text.
    pub(super) fn set_style(&self, of: &Specifier, term: &Rc<str>, value: &Value) -> Answer<Option<Outcome>> {
        let (whole, ranges) = match self.part(of, APP)? {
            Some(part) => (part.clone(), vec![part.range]),
            None => match self.parts(of, APP)? {
                Some(parts) => (parts.of, parts.ranges),
                None => return Ok(None),
            },
        };
        let Some(property) = self.style_of(&whole, term) else { return Ok(None) };
        if !self.is_writable(&whole) {
            return refuse(NOT_MODIFIABLE);
        }
        let value = match value {
            Value::List(parts) if &**term == "color" && parts.len() == 3 && parts.iter().all(is_number) => {
                value.clone()
            }
            _ if &**term == "color" => return refuse(COERCION),
            _ => self.coerce(value, &property.types)?,
        };
        let mut runs = self.runs(&whole);
        runs.extend(ranges.into_iter().map(|range| Run {
            range,
            term: Rc::clone(term),
            value: value.clone(),
        }));
        let set = Change::Set {
            object: whole.object,
            term: runs_of(&whole.term),
            value: stored_runs(whole.whole(), runs),
        };
        let changes: Vec<Change> =
            [set].into_iter().chain(self.modified(whole.object, &whole.term)).collect();
        Ok(Some(changes.into()))
    }

    /// Whether the property that has the text can be written.
    fn is_writable(&self, part: &Part) -> bool {
        let class = self.class(part.object);
        class.properties.get(&part.term).is_none_or(|property| property.access.can_write())
    }

    /// `delete` of parts of a text; `None` if the target is not a part of a text.
    pub(super) fn delete_in_text(&self, target: &Specifier) -> Answer<Option<Outcome>> {
        if let Some(parts) = self.parts(target, APP)? {
            let mut text = parts.of.replaced_by(parts.of.text());
            for range in parts.ranges.into_iter().rev() {
                text.replace_range(range, "");
            }
            return Ok(Some(self.written(&parts.of, &text)?.into()));
        }
        if matches!(target.step, Step::Property { .. }) {
            return Ok(None);
        }
        let part = self.part(target, APP)?;
        part.map(|part| Ok(self.written(&part, &part.replaced_by(""))?.into())).transpose()
    }

    /// `make` of a paragraph, a word or a character in a text: inserts the given text as it is; `None` if the
    /// location is not in a text.
    pub(super) fn make_in_text(&self, event: &Event) -> Answer<Option<Outcome>> {
        let class = event.parameters.get("new").and_then(Value::as_text).unwrap_or_default();
        let class = self.class_named(class).map(|class| class.name.to_string()).unwrap_or_default();
        let Some(Value::Object(at)) =
            event.parameters.get("at").filter(|_| class != "attachment" && has(&class))
        else {
            return Ok(None);
        };
        let Some(slot) = self.slot_in_text(at, &class)? else { return Ok(None) };
        let text = match event.parameters.get("withData") {
            Some(Value::Missing) | None => "".into(),
            Some(value) => text(value)?,
        };
        let of = Specifier::then(
            self.root(),
            Step::Property { of: self.specifier(slot.object), term: Rc::clone(&slot.term) },
        );
        let all = Specifier::then(self.root(), Step::Elements { of, class: class.as_str().into() });
        let before = self
            .parts(&all, APP)?
            .map_or(0, |parts| parts.ranges.iter().filter(|range| range.end <= slot.range.start).count());
        let index = i64::try_from(before).unwrap_or_default();
        let new = Specifier::then(self.root(), Step::Index { of: all, index });
        let changes = self.written(&slot, &slot.replaced_by(&text))?;
        Ok(Some(Outcome { changes, reply: Reply::Value(Value::Object(new)) }))
    }

    /// Marks an object as modified if its text has changed.
    pub(super) fn modified(&self, object: ObjectId, term: &str) -> Option<Change> {
        let class = self.class(object);
        class.properties.get("modified").filter(|_| class.contents.as_deref() == Some(term))?;
        Some(Change::Set { object, term: "modified".to_owned(), value: Value::Bool(true) })
    }

    fn written(&self, part: &Part, whole: &str) -> Answer<Vec<Change>> {
        if !self.is_writable(part) {
            return refuse(NOT_MODIFIABLE);
        }
        let set = Change::Set { object: part.object, term: part.term.to_string(), value: Value::text(whole) };
        let mut changes = vec![set];
        let runs = self.runs(part);
        if !runs.is_empty() {
            let runs = runs.into_iter().map(|run| moved(run, part, whole)).collect();
            let (term, value) = (runs_of(&part.term), stored_runs(whole, runs));
            changes.push(Change::Set { object: part.object, term, value });
        }
        changes.extend(self.modified(part.object, &part.term));
        Ok(changes)
    }

    /// Returns the empty part of a text at an insertion location.
    fn slot_in_text(&self, at: &Specifier, class: &str) -> Answer<Option<Part>> {
        let (of, edge) = match &at.step {
            Step::Insertion { of, edge } => (&**of, *edge),
            _ => (at, Edge::End),
        };
        let part = match self.parts(of, APP)? {
            Some(parts) => Some(parts.of),
            None => match self.part(of, APP)? {
                Some(part) => Some(part),
                None => self.object(of).ok().and_then(|id| self.implied(id, class)),
            },
        };
        Ok(part.map(|part| {
            let place = match edge {
                Edge::Beginning | Edge::Before => part.range.start,
                Edge::End | Edge::After => part.range.end,
            };
            part.at(&(place..place))
        }))
    }
}

/// Adjusts the range of a style run after a part was replaced. The new part has the style of the text at its start.
fn moved(run: Run, part: &Part, whole: &str) -> Run {
    let (old, end) = (&part.range, whole.len() - (part.whole().len() - part.range.end));
    let Range { start: from, end: to } = run.range;
    let holds_start = from < old.start || from == old.start && !old.is_empty();
    let start = match from {
        _ if holds_start => from,
        _ if from < old.end => end,
        _ => from - old.end + end,
    };
    let to = match to {
        _ if to <= old.start => to,
        _ if to >= old.end => to - old.end + end,
        _ if holds_start => end,
        _ => start,
    };
    Run { range: start..to.max(start), ..run }
}

fn is_number(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::Real(_))
}

fn text(value: &Value) -> Answer<Rc<str>> {
    match value {
        Value::Text(text) => Ok(Rc::clone(text)),
        _ => refuse(COERCION),
    }
}
