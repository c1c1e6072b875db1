//! The shell around `iac-core`: MCP server, osascript supervisor, discovery, state.
#![deny(unsafe_code)]

pub mod cli;

pub mod mcp;

pub mod pipeline;

pub mod plugins;

pub mod clients;
pub mod consent;

pub mod apps;
mod language_servers;
pub mod simulated;
