//! Converts the answers of language servers to the records of the WIT interface, once, and without cloning data that
//! others still share.

use iac_language_servers::types;

use super::wit;

/// A type that is converted for a guest.
pub(super) trait Cross {
    /// The type in the guest's bindings.
    type Into;

    fn cross(&self) -> Self::Into;

    /// Its approximate size in bytes, without serializing it.
    fn weight(&self) -> usize;
}

macro_rules! plain {
    ($($kind:ty),*) => {$(
        impl Cross for $kind {
            type Into = Self;

            fn cross(&self) -> Self {
                *self
            }

            fn weight(&self) -> usize {
                size_of::<Self>()
            }
        }
    )*};
}

macro_rules! words {
    ($($name:ident { $($word:ident)* })*) => {$(
        impl Cross for types::$name {
            type Into = wit::$name;

            fn cross(&self) -> wit::$name {
                match self {
                    $(Self::$word => wit::$name::$word,)*
                }
            }

            fn weight(&self) -> usize {
                1
            }
        }
    )*};
}

macro_rules! records {
    ($($from:ty => $into:ident { $($field:ident)* })*) => {$(
        impl Cross for $from {
            type Into = wit::$into;

            fn cross(&self) -> wit::$into {
                wit::$into { $($field: self.$field.cross(),)* }
            }

            fn weight(&self) -> usize {
                0 $(+ self.$field.weight())*
            }
        }
    )*};
}

plain!(bool, u8, u32, u64, ());

words! {
    State { Absent Idle Starting Loading Ready Degraded Dead }
    Naming { Plain Rust Scoped Receiver }
    Doubt { Loading ReadinessUnknown Degraded Capped Scope OpenOnly Restarted Stale Syntax }
    Cause {
        Outside NotFound Invalid NoServer NotInstalled StartFailed Crashed GaveUp Timeout Unsupported TooLarge
        Failed
    }
}

records! {
    types::Abilities => Abilities {
        document_symbols workspace_symbols references definition type_definition implementations calls types
        hover completions pull_diagnostics workspace_diagnostics rename actions
    }
    types::Search => Search { substring cap }
    types::Status => Server {
        profile languages extensions state message progress version abilities naming search restarts memory
    }
    types::Freshness => Freshness { doubts settled generation }
    types::Position => Position { line column }
    types::Range => Range { start end }
    types::Location => Location { path range }
    types::Symbol => Symbol { name kind detail location name_range container parent deprecated }
    types::Symbols => Symbols { items flat hidden freshness }
    types::Locations => Locations { items added unsure unasked settled freshness }
    types::Neighbour => Neighbour { symbol sites }
    types::Answered<types::Neighbour> => Neighbours { items freshness }
    types::Shown => Shown { markdown freshness }
    types::Diagnostic => Diagnostic { location severity code source message }
    types::Answered<types::Diagnostic> => Diagnostics { items freshness }
    types::Edit => Edit { at text }
    types::Answered<types::Edit> => Edits { items freshness }
    types::Action => Action { title kind preferred edits command }
    types::Answered<types::Action> => Actions { items freshness }
    types::Completion => Completion { label kind detail insert }
    types::Completions => Completions { items total freshness }
    types::SourceFile => File { path language size stamp }
    types::Files => Files { items truncated }
    types::Failure => Failure { cause message suggestion retry_after }
}

impl Cross for String {
    type Into = Self;

    fn cross(&self) -> Self {
        self.clone()
    }

    fn weight(&self) -> usize {
        self.len() + 2 * size_of::<u32>()
    }
}

impl<T: Cross> Cross for Option<T> {
    type Into = Option<T::Into>;

    fn cross(&self) -> Self::Into {
        self.as_ref().map(T::cross)
    }

    fn weight(&self) -> usize {
        1 + self.as_ref().map_or(0, T::weight)
    }
}

impl<T: Cross> Cross for Vec<T> {
    type Into = Vec<T::Into>;

    fn cross(&self) -> Self::Into {
        self.iter().map(T::cross).collect()
    }

    fn weight(&self) -> usize {
        2 * size_of::<u32>() + self.iter().map(T::weight).sum::<usize>()
    }
}

impl<T: Cross, E: Cross> Cross for Result<T, E> {
    type Into = Result<T::Into, E::Into>;

    fn cross(&self) -> Self::Into {
        self.as_ref().map(T::cross).map_err(E::cross)
    }

    fn weight(&self) -> usize {
        1 + match self {
            Ok(value) => value.weight(),
            Err(error) => error.weight(),
        }
    }
}

impl From<wit::FileFilter> for types::FileFilter {
    fn from(filter: wit::FileFilter) -> Self {
        let wit::FileFilter { under, languages, containing, ignored, limit } = filter;
        Self { under, languages, containing, ignored, limit }
    }
}

impl From<wit::Line> for types::Line {
    fn from(wit::Line { path, number }: wit::Line) -> Self {
        Self { path, number }
    }
}

impl From<wit::Place> for types::Place {
    fn from(wit::Place { path, at }: wit::Place) -> Self {
        Self { path, at: types::Position { line: at.line, column: at.column } }
    }
}

impl From<wit::Location> for types::Location {
    fn from(wit::Location { path, range }: wit::Location) -> Self {
        let position = |at: wit::Position| types::Position { line: at.line, column: at.column };
        Self { path, range: types::Range { start: position(range.start), end: position(range.end) } }
    }
}

impl From<wit::Follow> for types::Follow {
    fn from(wit::Follow { relation, at }: wit::Follow) -> Self {
        Self { relation: relation.into(), at: at.into() }
    }
}

impl From<wit::Part> for types::Part {
    fn from(wit::Part { path, around, named }: wit::Part) -> Self {
        let place = |at: wit::Position| types::Position { line: at.line, column: at.column };
        Self { path, around: around.into_iter().map(place).collect(), named }
    }
}

impl From<wit::Relation> for types::Relation {
    fn from(relation: wit::Relation) -> Self {
        match relation {
            wit::Relation::References => Self::References,
            wit::Relation::ReferencesAndDeclaration => Self::ReferencesAndDeclaration,
            wit::Relation::Definition => Self::Definition,
            wit::Relation::TypeDefinition => Self::TypeDefinition,
            wit::Relation::Implementations => Self::Implementations,
        }
    }
}

impl From<wit::Step> for types::Step {
    fn from(step: wit::Step) -> Self {
        match step {
            wit::Step::Callers => Self::Callers,
            wit::Step::Callees => Self::Callees,
            wit::Step::Subtypes => Self::Subtypes,
            wit::Step::Supertypes => Self::Supertypes,
        }
    }
}
