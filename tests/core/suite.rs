//! The core through its public interface: calls, scripts in a real engine, dictionaries and texts.
#![forbid(unsafe_code)]
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a test reads files, says what it looked at, and fails loudly"
)]

mod arguments;
mod calls;
mod commands;
mod describe;
mod dictionary;
mod dictionary_counts;
mod dictionary_encodings;
mod dictionary_golden;
mod dictionary_limits;
mod dictionary_names;
mod dictionary_properties;
mod dictionary_query;
mod dictionary_suites;
mod dictionary_typings;
mod engine;
mod errors;
mod fixtures;
mod gate;
mod injection;
mod moments;
mod moved;
mod planner;
mod routes;
mod saved;
mod scripts;
mod spread;
mod support;
mod text;
mod validate;
mod web;
