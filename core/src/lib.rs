//! What an assistant's request means to a scriptable Mac app, decided without touching anything.
//!
//! The modules stand in the order in which data flows: a dictionary is parsed, a call is read, its specifier is resolved,
//! its command is bound, a plan is chosen, permission is decided, a script is written, and its reply is read. A module
//! imports only modules that stand above it.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod value;

pub mod foreign;

pub mod fault;

pub mod words;

pub mod dictionary;

pub mod app;

pub mod moment;

pub mod filter;

pub mod specifier;

pub mod marshal;

pub mod schema;

pub mod undo;

pub mod call;

pub mod identity;

pub mod change;

pub mod action;

pub(crate) mod bind;

pub mod plan;

pub mod permission;

pub mod catalog;

pub mod describe;

pub mod jxa;

pub mod osa_error;
pub mod reply;

pub mod reference;

pub mod step;

pub mod audit;

/// A point in time or a span, in milliseconds. Points count from the Unix epoch; the shell reads the clock.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct Millis(pub u64);

impl Millis {
    /// The span from an earlier point to this one; zero if the clock was set back.
    pub fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }
}

impl std::ops::Add for Millis {
    type Output = Self;

    fn add(self, span: Self) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}
