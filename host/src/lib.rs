//! The shell around `iac-core`: MCP server, pipeline, plugins, command line.
#![deny(unsafe_code)]

pub mod cli;

pub mod mcp;

pub mod pipeline;

pub mod plugins;

pub mod clients;
pub mod consent;

mod language_servers;
pub mod simulated;
