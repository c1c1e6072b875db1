//! What the arguments of a command say about the harm it can do; they only raise its level.

use super::{Classified, Level, tables};
use crate::action::Invocation;
use crate::marshal::{Given, Place};
use crate::specifier::{By, Path, Segment};

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
        script_address(invocation.values()),
        property(app, invocation),
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

/// An address that is a script runs in the page that is shown.
pub(super) fn script_address<'a>(values: impl IntoIterator<Item = &'a Given>) -> Option<Classified> {
    let mut found = false;
    for value in values {
        value.visit(&mut |each| {
            if let Given::Text(text) = each {
                found |= text
                    .trim_start()
                    .get(..11)
                    .is_some_and(|scheme| scheme.eq_ignore_ascii_case("javascript:"));
            }
        });
    }
    found.then(|| Classified::shell("runs JavaScript in a web page"))
}

/// To set a property by a command is to write it.
fn property(app: &str, invocation: &Invocation) -> Option<Classified> {
    let Some(Given::Object(path)) = invocation.direct.as_ref().filter(|_| invocation.code == "coresetd")
    else {
        return None;
    };
    let (owner, Segment::Property(member)) = path.last()? else { return None };
    tables::write(app, owner.class(), &member.term)
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
    let named = |path: &&Path| match path.last() {
        Some((_, Segment::Element(member, By::Name(name)))) => {
            member.class == "application file" || runs(name)
        }
        Some((_, Segment::Element(member, _))) => member.class == "application file",
        _ => false,
    };
    let file = invocation.values().flat_map(Given::files).any(runs)
        || invocation.values().flat_map(Given::objects).any(|path| named(&path));
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
