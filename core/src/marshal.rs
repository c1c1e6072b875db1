//! Values for an app, checked against the dictionary's types. A wrong value is refused before anything runs.

mod check;
mod dated;
mod shape;

use std::sync::Arc;

use serde_json::Number;

use crate::dictionary::Identifier;
use crate::specifier::{Member, Path};

pub(crate) use check::{Checker, Fields, MISSING, date};
pub(crate) use dated::{Dated, as_meant};
pub(crate) use shape::{Shape, are_named, expected, is_any_object, shapes, shown};

/// A checked value, ready to be sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// Missing value.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer or a real.
    Number(Number),
    /// Text.
    Text(String),
    /// RFC 3339; a date without an offset is in the time zone of the Mac.
    Date(String),
    /// An absolute POSIX path.
    File(String),
    /// An enumerator, by the dictionary's term.
    Enumerator(String),
    /// A class, by the dictionary's term.
    Class(String),
    /// Values in order.
    List(Vec<Self>),
    /// Named values; every name comes from the dictionary.
    Record(Vec<(Identifier, Self)>),
    /// An object.
    Object(Path),
    /// A place in or beside a container's elements.
    Place(Place),
}

/// A place for an object.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// Before all elements of a collection.
    Beginning(Path, Arc<Member>),
    /// After all elements of a collection.
    End(Path, Arc<Member>),
    /// Before an object.
    Before(Path),
    /// After an object.
    After(Path),
}

impl Given {
    /// Visits this value and everything in it, outermost first.
    pub fn visit<'a>(&'a self, look: &mut dyn FnMut(&'a Self)) {
        look(self);
        match self {
            Self::List(items) => items.iter().for_each(|item| item.visit(look)),
            Self::Record(fields) => fields.iter().for_each(|(_, value)| value.visit(look)),
            _ => {}
        }
    }

    /// Returns the objects in this value.
    pub fn objects(&self) -> Vec<&Path> {
        let mut found = Vec::new();
        self.visit(&mut |value| {
            if let Self::Object(path) = value {
                found.push(path);
            }
        });
        found
    }

    /// Returns the paths in this value: those of objects, and those of the objects that a place is in or beside.
    pub fn paths(&self) -> Vec<&Path> {
        let mut found = Vec::new();
        self.visit(&mut |value| match value {
            Self::Object(path) => found.push(path),
            Self::Place(place) => found.push(place.path()),
            _ => {}
        });
        found
    }

    /// Replaces these paths by others, in the order of [`Self::paths`].
    pub(crate) fn replace_paths(&mut self, with: &mut dyn FnMut(&Path) -> Path) {
        match self {
            Self::List(items) => items.iter_mut().for_each(|item| item.replace_paths(with)),
            Self::Record(fields) => fields.iter_mut().for_each(|(_, value)| value.replace_paths(with)),
            Self::Object(path) => *path = with(path),
            Self::Place(place) => *place.path_mut() = with(place.path()),
            _ => {}
        }
    }

    /// Returns the files in this value, as absolute POSIX paths.
    pub fn files(&self) -> Vec<&str> {
        let mut found = Vec::new();
        self.visit(&mut |value| {
            if let Self::File(path) = value {
                found.push(path.as_str());
            }
        });
        found
    }
}

impl Place {
    /// The path of the container, or of the object beside the place.
    pub fn path(&self) -> &Path {
        match self {
            Self::Beginning(path, _) | Self::End(path, _) | Self::Before(path) | Self::After(path) => path,
        }
    }

    fn path_mut(&mut self) -> &mut Path {
        match self {
            Self::Beginning(path, _) | Self::End(path, _) | Self::Before(path) | Self::After(path) => path,
        }
    }
}

impl std::fmt::Display for Place {
    /// For example `the end of the slides of document "Talk"`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Beginning(of, member) => write!(f, "the beginning of the {} elements of {of}", member.term),
            Self::End(of, member) => write!(f, "the end of the {} elements of {of}", member.term),
            Self::Before(of) => write!(f, "the place before {of}"),
            Self::After(of) => write!(f, "the place after {of}"),
        }
    }
}
