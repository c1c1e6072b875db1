//! New objects: one, several, or trees of them, made by one script.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Invocation, Seen};
use crate::call::{How, IT};
use crate::change::{Change, Look, Slot, Span};
use crate::dictionary::Identifier;
use crate::identity::Identity;
use crate::marshal::Given;
use crate::specifier::{Member, Path, Segment};

/// Objects to make one after another, each after its container.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Creation {
    /// In the order in which they are made.
    pub makes: Vec<Make>,
    /// The command that the app needs afterwards to keep them, if it needs one.
    pub save: Option<Box<Invocation>>,
    /// The properties to set on an object that a command returns. The gate judges them; they name the object by its
    /// future path.
    pub writes: Option<Box<Change>>,
    /// For each object a path to the collection that will hold it, as far as the dictionary names it.
    pub homes: Vec<Path>,
    /// Commands that follow, once everything is made.
    pub then: Vec<Following>,
    /// Properties that steps set on objects of their own, in the order of the steps.
    pub sets: Vec<StepSet>,
    /// The containers as the human saw them. If they have changed, nothing is made.
    pub seen: Vec<Seen>,
}

/// A command that follows.
#[derive(Clone, Debug, PartialEq)]
pub struct Following {
    /// Its place in the call: `then[1]`; empty if the call does not name it there.
    pub place: String,
    /// The form for the gate: new objects by their future paths, as far as those are known.
    pub judged: Invocation,
    /// As it is sent: new objects by their placeholders.
    pub sent: Invocation,
}

/// Properties that a step sets on an object of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct StepSet {
    /// Its place in the call: `then[1]`.
    pub place: String,
    /// How many of the commands that follow come before it.
    pub after: usize,
    /// The object and its new values.
    pub change: Change,
}

impl StepSet {
    /// Whether only the app tells which object it is, once the step runs: `current track`.
    pub fn is_loose(&self) -> bool {
        self.change.subject.path.is_told()
    }
}

impl Following {
    /// Makes the placeholder for a new object, which has no path yet, from its number among the objects that are made.
    pub(crate) fn it(number: usize, class: &str) -> Path {
        let term = if number == 0 { IT.to_owned() } else { format!("{IT} {number}") };
        let identifier = Identifier::of(&term).unwrap_or_else(|| unreachable!("it is an identifier"));
        let member = Member { term, identifier, class: class.to_owned() };
        Path::application().then(Segment::Property(Arc::new(member)))
    }

    /// The number of the new object to which, or into which, a path leads.
    pub(crate) fn number_of_it(path: &Path) -> Option<usize> {
        let Some(Segment::Property(member)) = path.segments().first() else { return None };
        match member.term.strip_prefix(IT)? {
            "" => Some(0),
            number => number.strip_prefix(' ')?.parse().ok(),
        }
    }

    /// Whether a path leads to a new object, or into it.
    pub(crate) fn leads_to_it(path: &Path) -> bool {
        Self::number_of_it(path).is_some()
    }

    /// Whether a path leads to a new object itself.
    pub(crate) fn is_it(path: &Path) -> bool {
        path.segments().len() == 1 && Self::leads_to_it(path)
    }

    /// The numbers of the new objects that some commands use.
    pub(crate) fn numbers_of(all: &[Self]) -> BTreeSet<usize> {
        let paths = all.iter().flat_map(|next| next.sent.values()).flat_map(Given::paths);
        paths.filter_map(Self::number_of_it).collect()
    }
}

/// One new object.
#[derive(Clone, Debug, PartialEq)]
pub struct Make {
    /// Its `make` command, for rules, grants and closed files.
    pub command: Invocation,
    /// The class, as the script gives it to the command.
    pub class: Identifier,
    /// Its destination.
    pub into: Into,
    /// The properties that are given.
    pub slots: Vec<Slot>,
    /// Their values.
    pub values: Vec<Given>,
    /// How each value is combined with the object's own value.
    pub how: Vec<How>,
    /// The two dates of an object that takes time, if both are given.
    pub span: Option<Span>,
    /// How to find the object after its name was set, if its name identifies it.
    pub renamed: Option<Renamed>,
    /// How the command takes the properties.
    pub takes: Takes,
    /// How objects of its class are identified.
    pub identity: Identity,
    /// The property that people know these objects by.
    pub label: Option<Identifier>,
    /// The facts that the answer tells the client about an object that a command has filled in, each with its name in
    /// the answer.
    pub tells: Vec<(String, Look)>,
    /// The values to record right after it is made, so that a later read shows whether someone has changed it.
    pub looks: Vec<Look>,
}

/// How to find an object by the name that it is given.
#[derive(Clone, Debug, PartialEq)]
pub struct Renamed {
    /// Its container.
    pub container: Path,
    /// The collection that contains it.
    pub member: Arc<Member>,
    /// The slot of its name.
    pub slot: usize,
}

/// The destination of a new object.
#[derive(Clone, Debug, PartialEq)]
pub enum Into {
    /// The app chooses.
    App,
    /// Among the elements of an object: these properties lead to it, and this collection has the elements.
    In(Path, Vec<Identifier>, Arc<Member>),
    /// At an object or a place that the command itself understands.
    At(Given),
    /// Among the elements of another new object, which is made earlier; by its number.
    Child(usize, Vec<Identifier>, Arc<Member>),
    /// At another new object, which is made earlier; by its number.
    AtChild(usize),
    /// The container in which a command puts or finds the object that it returns.
    Command,
}

/// How the `make` of an app takes properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Takes {
    /// All at once.
    Properties,
    /// A name alone, by this parameter; the others are set afterwards.
    Named(Identifier),
    /// No property: the script sets each of them afterwards.
    Nothing,
}

impl Make {
    /// The existing object that is given as the destination, if there is one.
    pub fn at(&self) -> Option<&Path> {
        match &self.into {
            Into::In(path, ..) | Into::At(Given::Object(path)) => Some(path),
            Into::At(Given::Place(place)) => Some(place.path()),
            Into::App | Into::At(_) | Into::Child(..) | Into::AtChild(_) | Into::Command => None,
        }
    }

    /// The new object that it is in, if there is one.
    pub fn parent(&self) -> Option<usize> {
        match &self.into {
            Into::Child(parent, ..) | Into::AtChild(parent) => Some(*parent),
            Into::App | Into::In(..) | Into::At(_) | Into::Command => None,
        }
    }
}

impl Creation {
    /// The command that returns the first object, if `make` does not make it.
    pub(crate) fn origin(&self) -> Option<&Invocation> {
        self.makes.first().filter(|make| make.into == Into::Command).map(|make| &make.command)
    }

    /// The steps that follow, in their order: commands and properties to set.
    pub(crate) fn steps(&self) -> Vec<Result<&Following, &StepSet>> {
        let mut sets = self.sets.iter().peekable();
        let mut steps = Vec::new();
        for (at, next) in self.then.iter().enumerate() {
            while let Some(set) = sets.next_if(|set| set.after <= at) {
                steps.push(Err(set));
            }
            steps.push(Ok(next));
        }
        steps.extend(sets.map(Err));
        steps
    }

    /// The new objects without the steps that follow. A rule or an approval for the objects need not cover the steps.
    pub(crate) fn alone(&self) -> Self {
        let own = if self.origin().is_some() { 1 } else { self.makes.len() };
        let makes = self.makes.iter().take(own).cloned().collect();
        Self { makes, writes: None, then: Vec::new(), sets: Vec::new(), ..self.clone() }
    }

    /// The objects to make inside an object that a command returns.
    pub(crate) fn parts(&self) -> &[Make] {
        if self.origin().is_some() { self.makes.get(1..).unwrap_or_default() } else { &[] }
    }

    /// Replaces the paths of the containers.
    pub(crate) fn replace_places(&mut self, with: &dyn Fn(&Path) -> Path) {
        for Following { judged, sent, .. } in &mut self.then {
            judged.replace_paths(with);
            sent.replace_paths(with);
        }
        self.homes.iter_mut().for_each(|home| *home = with(home));
        let written = self.writes.iter_mut().flat_map(|change| &mut change.values);
        written.for_each(|value| value.replace_paths(&mut |path| with(path)));
        for make in &mut self.makes {
            match &mut make.into {
                Into::In(path, ..) => *path = with(path),
                Into::At(given) => given.replace_paths(&mut |path| with(path)),
                Into::App | Into::Child(..) | Into::AtChild(_) | Into::Command => {}
            }
            make.command.replace_paths(with);
            make.values.iter_mut().for_each(|value| value.replace_paths(&mut |path| with(path)));
            if let Some(renamed) = &mut make.renamed {
                renamed.container = with(&renamed.container);
            }
        }
    }
}
