//! The meaning of an assistant's request to a scriptable Mac app, decided without touching anything.
//!
//! The modules are in the order of the data flow: a dictionary is parsed, a call is read, its specifier is resolved,
//! its command is bound, a plan is chosen, permission is decided, a script is written, and its reply is read. A module
//! imports only modules above it.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod value;

pub mod foreign;

pub mod fault;

pub mod words;

pub mod dictionary;

pub mod app;

mod numbered;

pub mod moment;

pub mod filter;

mod labels;

pub mod specifier;

pub mod marshal;

pub mod schema;

pub mod undo;

pub mod call;

pub mod identity;

pub mod series;

pub mod change;

pub mod action;

pub(crate) mod bind;

pub mod plan;

pub mod permission;

pub mod catalog;

pub mod describe;

pub mod jxa;

pub mod responsible;

pub mod osa_error;
pub mod reply;

pub mod reference;

pub mod step;

pub mod audit;

pub use words::Millis;
