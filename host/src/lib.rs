//! The shell around `iac-core`: MCP server, pipeline, plugins, command line.
#![deny(unsafe_code)]

pub mod consent;
mod activity;
pub mod simulated;
pub mod clients;
mod closed;
mod language_servers;
pub mod secrets;
pub mod web;
pub mod pipeline;
pub mod plugins;
pub mod router;
pub mod mcp;
pub mod cli;
