//! An `osascript` stand-in: QuickJS with JXA's object model over a simulated Mac.
//!
//! [`osascript`] is the whole program; the rest lets a host create worlds and read traces. World data stays in Rust,
//! and JavaScript sees only the answers of events. `docs/simulator.md` describes the simulation and its accuracy.
#![forbid(unsafe_code)]

mod os_error;
mod schema;
mod value;
mod world;
mod resolve;
mod event;
mod filter;
mod coerce;
mod show;
mod birth;
mod write;
mod command;
mod additions;
mod conditions;
mod files;
mod output;
pub mod trace;
mod session;
mod items;
mod processes;
mod assistive;
mod delivery;
mod engine;
mod applescript;
mod options;
pub mod record;
mod cli;
pub mod worlds;

pub use cli::osascript;
pub use conditions::{FAULTS_VARIABLE, LATENCY_VARIABLE};
pub use trace::TRACE_VARIABLE;
pub use world::{WORLD_VARIABLE, WorldError};
