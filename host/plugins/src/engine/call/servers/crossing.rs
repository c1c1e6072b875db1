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

/// The way back, for what guests ask.
macro_rules! asked {
    ($($name:ident { $($field:ident)* })*) => {$(
        impl From<wit::$name> for types::$name {
            fn from(asked: wit::$name) -> Self {
                Self { $($field: asked.$field.into(),)* }
            }
        }
    )*};
}

macro_rules! asked_words {
    ($($name:ident { $($word:ident)* })*) => {$(
        impl From<wit::$name> for types::$name {
            fn from(asked: wit::$name) -> Self {
                match asked {
                    $(wit::$name::$word => Self::$word,)*
                }
            }
        }
    )*};
}

asked! {
    FileFilter { under languages containing ignored limit }
    Line { path number }
    Position { line column }
    Range { start end }
    Location { path range }
    Place { path at }
    Follow { relation at }
}

asked_words! {
    Relation { References ReferencesAndDeclaration Definition TypeDefinition Implementations }
    Step { Callers Callees Subtypes Supertypes }
}

impl From<wit::Part> for types::Part {
    fn from(wit::Part { path, around, named }: wit::Part) -> Self {
        Self { path, around: around.into_iter().map(Into::into).collect(), named }
    }
}
