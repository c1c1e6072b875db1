//! Questions to the language servers of a granted root.
//!
//! The records are those of the interface, which documents each field.

pub use crate::bindings::iac::plugin::language_servers::{
    Abilities, Action, Actions, Cause, Completion, Completions, Diagnostic, Diagnostics, Doubt, Edit, Edits,
    Failure, File, FileFilter, Files, Follow, Freshness, Line, Location, Locations, Naming, Neighbour,
    Neighbours, Part, Place, Position, Range, Relation, Search, Server, Shown, State, Step, Symbol, Symbols,
    Workspace, open, roots,
};
