//! What the arguments of a command say about the harm it can do; they only raise its level.

use super::{Classified, Level, tables};
use crate::action::Invocation;
use crate::marshal::{Given, Place};
use crate::specifier::{Path, Segment};

/// Parameters that take a command line, in whatever command they stand.
const COMMAND_LINES: [&str; 2] = ["command", "shell command"];

/// Files that are run when they are opened.
const RUNNABLE: [&str; 13] = [
    "action",
    "app",
    "applescript",
    "command",
    "jar",
    "mobileconfig",
    "pkg",
    "scpt",
    "scptd",
    "sh",
    "terminal",
    "tool",
    "workflow",
];

/// Returns the level of a command with these arguments.
pub(super) fn raise(classified: Classified, app: &str, invocation: &Invocation) -> Classified {
    let said = [
        command_line(invocation),
        made(app, invocation),
        unsaved(invocation),
        into_trash(invocation),
        runnable(invocation),
        hidden_file(invocation),
    ];
    let objects: usize = invocation.direct.iter().map(|given| given.objects().len()).sum();
    said.into_iter().flatten().fold(classified, Classified::or_worse).raised_by_count(objects)
}

fn command_line(invocation: &Invocation) -> Option<Classified> {
    let given = |term: &str| invocation.parameter(term).is_some_and(|value| *value != Given::Null);
    COMMAND_LINES.into_iter().any(given).then(|| Classified::shell("runs a shell command"))
}

fn made(app: &str, invocation: &Invocation) -> Option<Classified> {
    invocation.values().find_map(|value| match value {
        Given::Class(class) if invocation.code == "corecrel" => tables::make(app, class),
        _ => None,
    })
}

fn unsaved(invocation: &Invocation) -> Option<Classified> {
    let no = |value: &Given| matches!(value, Given::Enumerator(name) if name == "no");
    let discards = invocation.code == "coreclos" && invocation.parameter("saving").is_some_and(no);
    discards.then(|| Classified::new(Level::Dangerous, "discards unsaved changes"))
}

fn into_trash(invocation: &Invocation) -> Option<Classified> {
    let is_trash = |path: &Path| match path.last() {
        Some((_, Segment::Property(member))) => member.term == "trash",
        _ => path.class().starts_with("trash"),
    };
    let leads = |value: &Given| match value {
        Given::Object(path) | Given::Place(Place::Beginning(path, _) | Place::End(path, _)) => is_trash(path),
        _ => false,
    };
    let moves =
        invocation.code == "coremove" && invocation.parameters.iter().any(|argument| leads(&argument.value));
    moves.then(|| Classified::new(Level::Dangerous, "deletes"))
}

/// Opening a program is running it.
fn runnable(invocation: &Invocation) -> Option<Classified> {
    let opens = invocation.code == "aevtodoc";
    let runs = |path: &str| {
        let extension =
            path.trim_end_matches('/').rsplit_once('.').map(|(_, extension)| extension.to_lowercase());
        extension.is_some_and(|extension| RUNNABLE.contains(&extension.as_str()))
    };
    let file = invocation.values().flat_map(Given::files).any(runs);
    (opens && file).then(|| Classified::new(Level::Dangerous, "runs a program"))
}

/// Dot files and launch agents are where programs look for what to run.
fn hidden_file(invocation: &Invocation) -> Option<Classified> {
    let hidden = |path: &str| {
        path.split('/').any(|part| {
            (part.starts_with('.') && part.len() > 1) || matches!(part, "LaunchAgents" | "LaunchDaemons")
        })
    };
    let file = invocation.values().flat_map(Given::files).any(hidden);
    file.then(|| Classified::new(Level::Dangerous, "touches a hidden file"))
}
