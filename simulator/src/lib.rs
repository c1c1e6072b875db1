//! An `osascript` stand-in: QuickJS with JXA's object model over a simulated Mac.
//!
//! [`osascript`] is the whole program; the rest lets a host create worlds and read traces. World data stays in
//! Rust, and JavaScript sees only what events answer. `docs/simulator.md` tells what is simulated and how well.
#![forbid(unsafe_code)]

mod additions;
mod birth;
mod cli;
mod coerce;
mod command;
mod conditions;
mod engine;
mod event;
mod files;
mod filter;
mod items;
mod os_error;
mod output;
pub mod record;
mod resolve;
mod schema;
mod session;
mod show;
mod specifier;
pub mod trace;
mod value;
mod world;
pub mod worlds;
mod write;

pub use cli::osascript;
pub use conditions::{FAULTS_VARIABLE, LATENCY_VARIABLE};
pub use world::WorldError;

/// Names the directory of the simulated Mac that [`osascript`] runs in.
pub const WORLD_VARIABLE: &str = "IAC_MCP_WORLD";

/// Names the file that gets the trace; without it none is written.
pub const TRACE_VARIABLE: &str = "IAC_MCP_TRACE";
