//! Commands: what they require, and their effects in apps that have no script for them.

use crate::event::{Event, Kind};
use crate::os_error::{
    Answer, BAD_INDEX, DIRECT_MISSING, FAILED, NO_SUCH_OBJECT, NOT_A_SINGLE_OBJECT, NOT_UNDERSTOOD,
    PARAMETER_MISSING, TIMEOUT, refuse,
};
use crate::resolve::{Found, View};
use crate::schema::identifier;
use crate::value::specifier::{Specifier, Step};
use crate::value::{Fields, ObjectId, Value};
use crate::world::change::Change;
use crate::world::model::Place;
use crate::write::{Outcome, Reply};
use iac_core::dictionary::Command;

/// Commands that every app accepts, even if its dictionary does not have them.
const ALWAYS: [&str; 6] = ["activate", "launch", "open", "quit", "reopen", "run"];

/// Whether every app accepts a command of that name.
pub(crate) fn always(name: &str) -> bool {
    ALWAYS.contains(&name)
}

impl View<'_> {
    pub(crate) fn perform(&self, event: &Event) -> Answer<Outcome> {
        match &event.kind {
            Kind::Get => self.get(&event.target).map(answered),
            Kind::Count => self.count(&event.target).map(answered),
            Kind::Set => self.set(&event.target, event.direct.as_ref().unwrap_or(&Value::Missing)),
            Kind::Command(name) => {
                self.admit(name, event)?;
                self.command(name, event)
            }
        }
    }

    /// Checks an event before an app's own script handles it.
    pub(crate) fn admitted(&self, event: &Event) -> Answer<()> {
        match &event.kind {
            Kind::Command(name) => self.admit(name, event),
            _ => Ok(()),
        }
    }

    /// Returns an event's parameters with their specifiers resolved. An insertion location becomes the object that
    /// contains the elements.
    pub(crate) fn parameters(&self, event: &Event) -> Answer<Fields> {
        let resolved = event.parameters.iter().map(|(name, value)| {
            let value = match value {
                Value::Object(place) if matches!(&**name, "at" | "from" | "to") => {
                    Value::Held(self.container(place)?)
                }
                other => self.inward(other)?,
            };
            Ok((name.clone(), value))
        });
        resolved.collect()
    }

    /// Checks that the app has the command, and that its parameters are correct.
    fn admit(&self, name: &str, event: &Event) -> Answer<()> {
        let definitions: Vec<&Command> = self.schema().commands(name).collect();
        if definitions.is_empty() {
            return if always(name) { Ok(()) } else { refuse(NOT_UNDERSTOOD) };
        }
        let mut answer = refuse(NOT_UNDERSTOOD);
        for definition in definitions {
            answer = self.fits(definition, event);
            if answer.is_ok() {
                break;
            }
        }
        answer
    }

    fn fits(&self, definition: &Command, event: &Event) -> Answer<()> {
        if let Some(Value::List(_)) = &event.direct {
            let takes_lists =
                definition.direct.as_ref().is_some_and(|direct| direct.kind.0.iter().any(|each| each.list));
            if !takes_lists {
                return refuse(NOT_A_SINGLE_OBJECT);
            }
        }
        let needs_direct = definition.direct.as_ref().is_some_and(|direct| !direct.optional);
        if needs_direct && event.direct.is_none() && event.target.step == Step::Root {
            return refuse(DIRECT_MISSING);
        }
        if let (Some(value), Some(direct)) = (&event.direct, &definition.direct) {
            self.coerce(value, &self.schema().types(&direct.kind))?;
        }
        for parameter in &definition.parameters {
            match event.parameters.get(&identifier(&parameter.name)) {
                // An app that makes an object without a location puts it into a default place.
                None if definition.name == "make" && parameter.name == "at" => (),
                None if !parameter.optional => return refuse(PARAMETER_MISSING),
                None => (),
                Some(Value::Missing) if parameter.optional => (),
                Some(value) => _ = self.coerce(value, &self.schema().types(&parameter.kind))?,
            }
        }
        Ok(())
    }

    fn command(&self, name: &str, event: &Event) -> Answer<Outcome> {
        match name {
            "exists" => self.exists(&event.target).map(answered),
            "count" => self.count_of(event).map(answered),
            "make" => self.make(event),
            "delete" => self.delete(event),
            "move" => self.relocate(event),
            "duplicate" => self.duplicate(event),
            "quit" => Ok(vec![Change::Running(false)].into()),
            "close" => self.close(event),
            _ => self.unknown(name, event),
        }
    }

    /// `close`: removes windows, documents and tabs. Other objects stay unchanged.
    fn close(&self, event: &Event) -> Answer<Outcome> {
        let open = |id: &ObjectId| {
            let class = self.class(*id);
            ["window", "document", "tab"].iter().any(|each| class.is_a(each))
                && matches!(self.model().object(*id).place, Place::Element { .. })
        };
        let targets = self.meant(&event.target)?;
        // Without the parameter `saving`, the app asks the user about unsaved changes, and the event waits until its
        // deadline.
        let is_told = matches!(event.parameters.get("saving").and_then(Value::as_text), Some("yes" | "no"));
        let is_changed = |id: &ObjectId| {
            let modified = self.class(*id).property("modified").cloned();
            modified
                .is_some_and(|modified| matches!(self.typed(*id, &modified), Found::Leaf(Value::Bool(true))))
        };
        if !is_told && targets.iter().any(|id| open(id) && is_changed(id)) {
            return refuse(TIMEOUT);
        }
        Ok(targets.into_iter().filter(open).map(Change::Remove).collect::<Vec<_>>().into())
    }

    /// A command whose effect is not simulated. It resolves its object. If the dictionary gives the command no
    /// result, it returns nothing, otherwise it fails.
    fn unknown(&self, name: &str, event: &Event) -> Answer<Outcome> {
        self.resolve(&event.target)?;
        // `open` does not return the windows that it opens.
        if name == "open" && event.direct.is_some() {
            return Ok(Outcome::default());
        }
        let answers = self.schema().commands(name).any(|definition| definition.result.is_some());
        if answers { refuse(FAILED) } else { Ok(Outcome::default()) }
    }

    fn count(&self, target: &Specifier) -> Answer<Value> {
        match self.resolve(target)? {
            Found::Many(all) => Ok(number(all.len())),
            Found::Leaf(Value::List(items)) => Ok(number(items.len())),
            _ => refuse(NO_SUCH_OBJECT),
        }
    }

    /// `count`: counts the targets, or with `each` the elements of a class in one object.
    fn count_of(&self, event: &Event) -> Answer<Value> {
        let Some(class) = event.parameters.get("each").and_then(Value::as_text) else {
            return self.count(&event.target);
        };
        let class = self.class_named(class)?;
        Ok(number(self.elements(self.resolve(&event.target)?, &class.name)?.len()))
    }

    /// Whether the object exists. A missing container is an error, as in most apps.
    fn exists(&self, target: &Specifier) -> Answer<Value> {
        match self.resolve(target) {
            Ok(Found::Leaf(Value::Missing)) => Ok(Value::Bool(false)),
            Ok(Found::Many(all)) => Ok(Value::Bool(!all.is_empty())),
            Ok(_) => Ok(Value::Bool(true)),
            Err(error) if [NO_SUCH_OBJECT, BAD_INDEX].contains(&error.number) => {
                target.of().map_or(Ok(()), |of| self.resolve(of).map(drop))?;
                Ok(Value::Bool(false))
            }
            Err(error) => Err(error),
        }
    }
}

fn answered(value: Value) -> Outcome {
    Outcome { changes: Vec::new(), reply: Reply::Value(value) }
}

fn number(count: usize) -> Value {
    Value::Int(i64::try_from(count).unwrap_or(i64::MAX))
}
