//! What an assistant's request means to a scriptable Mac app, decided without touching anything.
//!
//! The modules stand in the order in which data flows: a dictionary is parsed, a call is read against it, its
//! specifier is resolved, permission is decided, a plan is chosen, a script is written, and its reply is read.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod dictionary;
