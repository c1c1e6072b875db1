//! The identity of objects, and how to tell them apart.

use std::collections::BTreeMap;

use crate::dictionary::{Dictionary, Identifier};

/// How to tell elements of each class apart, for the classes on the paths of an action.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Anchors(BTreeMap<String, Anchor>);

/// How to tell elements of a class apart, so that the server can replace a position by an object before other objects
/// are added or removed.
#[derive(Clone, Debug, PartialEq)]
pub struct Anchor {
    /// The key that the app uses to find an object again.
    pub identity: Identity,
    /// The property that holds the name, if the class has one.
    pub name: Option<Identifier>,
    /// The property that tells an object from its neighbours if nothing else does.
    pub mark: Option<Identifier>,
}

impl Anchors {
    /// Joins the facts about all of these classes.
    pub(crate) fn joined(all: impl Iterator<Item = Self>) -> Self {
        Self(all.flat_map(|each| each.0).collect())
    }

    /// Returns the identity of a class.
    pub fn of(&self, class: &str) -> Option<&Anchor> {
        self.0.get(class)
    }
}

impl FromIterator<(String, Anchor)> for Anchors {
    fn from_iter<I: IntoIterator<Item = (String, Anchor)>>(all: I) -> Self {
        Self(all.into_iter().collect())
    }
}

/// How objects of a class are identified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// A property that the dictionary marks as the id.
    Id(Identifier),
    /// Its name, if no other object in the container has it.
    Name(Identifier),
    /// Only its position.
    Index,
}

impl Identity {
    /// Returns the property with the id; `None` if objects have none.
    pub(crate) fn id(self) -> Option<Identifier> {
        match self {
            Self::Id(id) => Some(id),
            Self::Name(_) | Self::Index => None,
        }
    }
}

/// Says how objects of a class are identified: by the property with the id's code, otherwise by a name, otherwise by
/// their position.
pub(crate) fn identity(dictionary: &Dictionary, class: &str) -> Identity {
    let by_code = |code: &str| dictionary.property_of_code(class, code).and_then(|p| Identifier::of(&p.name));
    match (by_code("ID  "), by_code("pnam")) {
        (Some(id), _) => Identity::Id(id),
        (None, Some(name)) => Identity::Name(name),
        (None, None) => Identity::Index,
    }
}
