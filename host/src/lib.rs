//! The shell around `iac-core`: MCP server, osascript supervisor, discovery, state.
#![forbid(unsafe_code)]

pub mod cli;

pub mod mcp;

pub mod pipeline;

pub mod plugins;

pub mod clients;
pub mod consent;
pub mod state;

pub mod apps;
pub mod osascript;
pub mod simulated;
