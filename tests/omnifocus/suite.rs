//! The omnifocus plugin with the simulated OmniFocus: scenarios as data, and an independent evaluator of the same
//! filters.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod along;
mod consent;
mod effective;
mod evaluator;
mod features;
mod forecast;
mod found;
mod kept;
mod limits;
mod named;
mod perspectives;
mod properties;
mod requests;
mod safe;
mod scenarios;
mod states;
mod undo;
mod world;
