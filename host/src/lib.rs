//! The shell around `iac-core`: MCP server, osascript supervisor, discovery, state.
#![forbid(unsafe_code)]

pub mod apps;
pub mod osascript;
