//! Every way in which an action may reach a file: the files that it reads and changes, and the place of a new file.

use super::spelled::from_url;
use super::spot::{Kind, Spot, is_file, is_path, joined, last, spot, start, told};
use super::{Closed, UNKNOWN};
use crate::action::{Action, Deed, Invocation, Shut, Terms};
use crate::change::{Change, DUPLICATE};
use crate::dictionary::names::key;
use crate::marshal::{Given, Place};
use crate::permission::writes::{of_change, of_command};
use crate::specifier::{By, Path, Segment};

/// The closed thing that an action would reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::permission) struct Hit {
    /// The name that leads there, or the object in words.
    pub(in crate::permission) name: String,
    pub(in crate::permission) why: Why,
}

/// Why the action may not reach it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::permission) enum Why {
    /// It is in this closed place, or contains it.
    Closed(String),
    /// Only the app can tell which file is meant.
    Unnamed,
    /// The disk does not answer, so the links on it are unknown.
    Silent,
}

/// Commands that only look: they read, or show something on the screen.
const LOOKS: [&str; 12] = [
    "coregetd", "corecnte", "coredoex", "coredsiz", "DATASORT", "miscmvis", "miscslct", "miscactv",
    "fndrfclu", "fndrfupd", "coreclos", "fndrejct",
];
/// Commands that leave an object where it is.
const STAYS: [&str; 5] = ["aevtodoc", "aevtpdoc", "coresave", "coresetd", "corecrel"];
const MAKE: &str = "corecrel";
const SET: &str = "coresetd";
const SAVE: &str = "coresave";
/// Commands that move a file away, or to another place, even if a text names it.
const MOVES: [&str; 4] = ["coremove", DUPLICATE, "coredelo", "fndrfera"];

/// Properties that are part of a file's path.
const NAMES: [&str; 4] = ["name", "displayedname", "path", "posixpath"];
/// Properties that hold the path of a file. A property `url` counts if its value is the address of a file.
const PATHS: [&str; 3] = ["path", "posixpath", "file"];
const EXTENSION: &str = "nameextension";
/// Properties that make a folder unavailable to its users, as a rename does.
const KEYS: [&str; 6] =
    ["locked", "owner", "group", "ownerprivileges", "groupprivileges", "everyonesprivileges"];

impl Closed {
    /// Whether the contents of a container may be listed.
    pub(in crate::permission) fn is_listed(&self, app: &str, terms: &Terms, container: &Path) -> bool {
        let doors = Doors { closed: self, files: Files { app, terms } };
        self.is_empty() || doors.read(container, true).is_none()
    }

    /// The names that a read of everything in a folder has to leave out, because they are closed or contain something
    /// closed. An empty list if that cannot be determined; the read is then refused.
    pub(in crate::permission) fn left_out(&self, app: &str, terms: &Terms, folder: &Path) -> Vec<Shut> {
        let Spot::Named(names) = spot(app, terms, folder).spot else { return Vec::new() };
        let mut found: Vec<Shut> = Vec::new();
        for shut in names.iter().filter_map(|name| self.shut_in(name)).flatten() {
            if !found.iter().any(|other| other.name == shut.name) {
                found.push(shut);
            }
        }
        found
    }

    /// The closed names directly below a name, for every path that the name may mean.
    fn shut_in(&self, name: &str) -> Option<Vec<Shut>> {
        let all: Option<Vec<Vec<Shut>>> =
            self.every(name)?.iter().map(|path| self.right_below(path)).collect();
        all.map(|all| all.concat())
    }

    /// Finds the closed thing that an action would reach.
    pub(in crate::permission) fn reached_by(&self, action: &Action) -> Option<Hit> {
        if self.is_empty() {
            return None;
        }
        let silent = |folder| Some(Hit { name: folder, why: Why::Silent });
        self.at_once(|closed| closed.reached(action)).unwrap_or_else(silent)
    }

    fn reached(&self, action: &Action) -> Option<Hit> {
        let doors = Doors { closed: self, files: Files { app: &action.app, terms: &action.terms } };
        match &action.deed {
            Deed::System(_)
            | Deed::AskConsent { .. }
            | Deed::AskAccess { .. }
            | Deed::Script(_)
            | Deed::RunScript { .. }
            | Deed::Web(_) => None,
            Deed::Look { path, .. } | Deed::Value { path, .. } => doors.read(path, false),
            Deed::Names { container, .. } => doors.read(container, true),
            Deed::Elements(elements) => {
                let deep = elements.columns.iter().any(|column| key(&column.term).contains("entirecontents"));
                let deep = deep || elements.inner.is_some();
                let mut closed = elements.closed.iter();
                elements.containers.iter().find_map(|container| {
                    let left_out = closed.next().map(Vec::as_slice).unwrap_or_default();
                    doors.read(container, true).or_else(|| doors.all_of(container, deep, left_out))
                })
            }
            Deed::Properties { objects, .. } => {
                objects.iter().find_map(|object| doors.read(&object.path, false))
            }
            Deed::Find(find) => find.places.iter().find_map(|(container, _)| doors.read(container, true)),
            Deed::Preview(look) => look.subjects.iter().find_map(|subject| doors.read(&subject.path, false)),
            Deed::Command(invocation) => doors.command(invocation),
            Deed::Set(_) | Deed::Create(_) => {
                let set = || action.deed.changes().into_iter().find_map(|change| doors.set(change));
                action.deed.commands().into_iter().find_map(|command| doors.command(command)).or_else(set)
            }
        }
    }
}

/// Returns the paths that new files may have after commands and changes of an action. One file may have several
/// possible paths.
pub(in crate::permission) fn written(
    action: &Action,
    commands: &[&Invocation],
    changes: &[&Change],
) -> Vec<String> {
    let files = Files { app: &action.app, terms: &action.terms };
    let mut names: Vec<String> = commands.iter().flat_map(|command| files.targets(command).names).collect();
    names.extend(changes.iter().flat_map(|change| files.renamed(change)));
    names.extend(written_paths(commands, changes).map(str::to_owned));
    names
}

/// The paths among the new values of properties.
pub(in crate::permission) fn written_paths<'a>(
    commands: &[&'a Invocation],
    changes: &[&'a Change],
) -> impl Iterator<Item = &'a str> {
    let writes = changes.iter().flat_map(|change| of_change(change));
    let writes = writes.chain(commands.iter().flat_map(|command| of_command(command)));
    writes.flat_map(|write| paths_in(write.term, write.value))
}

/// The paths in a new value of a property. If a document of any class gets a path, the app saves it there.
fn paths_in<'a>(term: &str, value: &'a Given) -> Vec<&'a str> {
    let is_path = |text: &str| match key(term).as_str() {
        "url" => from_url(text.trim()).is_some(),
        term => PATHS.contains(&term) && !Closed::default().paths(text).is_empty(),
    };
    match value {
        Given::Text(text) | Given::File(text) if is_path(text) => vec![text],
        Given::List(items) => items.iter().flat_map(|item| paths_in(term, item)).collect(),
        _ => Vec::new(),
    }
}

/// The destination of something new.
#[derive(Default)]
struct Targets {
    names: Vec<String>,
    /// A folder that cannot be identified.
    unnamed: Option<String>,
}

#[derive(Clone, Copy)]
struct Files<'a> {
    app: &'a str,
    terms: &'a Terms,
}

impl Files<'_> {
    fn spot(self, path: &Path) -> Spot {
        spot(self.app, self.terms, path).spot
    }

    /// The destination of a command.
    fn targets(self, invocation: &Invocation) -> Targets {
        match invocation.code.as_str() {
            MAKE => self.made(invocation),
            SET => Targets { names: self.set_by_command(invocation), unnamed: None },
            SAVE => self.put(invocation),
            code if MOVES.contains(&code) => self.put(invocation),
            _ => Targets::default(),
        }
    }

    /// A new file is in the folder in which it is made, under the name among its properties.
    fn made(self, invocation: &Invocation) -> Targets {
        let classes = invocation.values().filter_map(|value| match value {
            Given::Class(class) => Some(class),
            _ => None,
        });
        let Some((class, kind)) = classes
            .map(|class| (class, is_file(self.app, self.terms, class)))
            .find(|(_, kind)| *kind != Kind::No)
        else {
            return Targets::default();
        };
        let names = named(invocation);
        // A text among them is not a folder; texts in a record belong to the new file.
        let mut at = self.bases(beside(invocation).filter(|value| !matches!(value, Given::Text(_))));
        let is_free = at.names.is_empty();
        if is_free && at.unnamed.is_none() && kind == Kind::Yes {
            at.names = start(class);
        }
        let mut targets = all_joined(&at.names, &names);
        if is_free {
            // Folders of notes and tasks have names too, so only a path counts here.
            targets.extend(names.into_iter().filter(|name| is_path(name)));
        }
        Targets { names: targets, unnamed: at.unnamed }
    }

    /// A moved, copied or saved file keeps its old name in the new folder, or gets the given name.
    fn put(self, invocation: &Invocation) -> Targets {
        let mut names = named(invocation);
        if let Some(value) = &invocation.direct {
            value.visit(&mut |each| match each {
                Given::File(text) | Given::Text(text) => names.extend(last(text).map(str::to_owned)),
                Given::Object(path) => names.extend(self.own_names(path)),
                _ => {}
            });
        }
        let Targets { names: bases, unnamed } = self.bases(beside(invocation));
        let mut targets = all_joined(&bases, &names);
        let texts = beside(invocation).filter_map(|value| match value {
            Given::File(text) | Given::Text(text) => Some(text),
            _ => None,
        });
        // The text may be the new name itself. Usually it is the name of an existing folder.
        let is_new =
            |text: &&String| invocation.code == SAVE || last(text).is_some_and(|name| name.starts_with('.'));
        targets.extend(texts.filter(is_new).cloned());
        Targets { names: targets, unnamed }
    }

    /// The last name of an object: that of a file, or that of a document with a name.
    fn own_names(self, path: &Path) -> Vec<String> {
        match (self.spot(path), path.last()) {
            (Spot::Named(names), _) => {
                names.iter().filter_map(|name| last(name)).map(str::to_owned).collect()
            }
            (_, Some((_, Segment::Element(_, By::Name(name))))) => vec![name.clone()],
            _ => Vec::new(),
        }
    }

    /// The folders among values.
    fn bases<'v>(self, values: impl Iterator<Item = &'v Given>) -> Targets {
        let mut bases = Targets::default();
        for value in values {
            value.visit(&mut |each| match each {
                Given::File(text) | Given::Text(text) => bases.names.push(text.clone()),
                Given::Object(path) => bases.at(path, self.spot(path)),
                Given::Place(Place::Beginning(path, _) | Place::End(path, _)) => {
                    bases.at(path, self.spot(path));
                }
                Given::Place(Place::Before(path) | Place::After(path)) => match self.spot(path) {
                    Spot::Named(names) => {
                        bases.names.extend(names.iter().map(|name| format!("{name}/..")));
                    }
                    spot => bases.at(path, spot),
                },
                _ => {}
            });
        }
        bases
    }

    /// The paths that an object will have after its name was set.
    fn renamed(self, change: &Change) -> Vec<String> {
        let mut old = match self.spot(&change.subject.path) {
            Spot::Named(names) => names,
            _ => Vec::new(),
        };
        let marked = change.expected.mark.as_deref().and_then(told);
        old.extend(marked.filter(|mark| mark.starts_with('/')));
        let terms = change.subject.slots.iter().map(|slot| slot.term.as_str());
        terms.zip(&change.values).flat_map(|(term, value)| renames(&old, term, value)).collect()
    }

    fn set_by_command(self, invocation: &Invocation) -> Vec<String> {
        let Some((owner, term)) = set_property(invocation) else { return Vec::new() };
        let Spot::Named(old) = self.spot(owner) else { return Vec::new() };
        let values = invocation.parameters.iter().map(|argument| &argument.value);
        values.flat_map(|value| renames(&old, term, value)).collect()
    }
}

impl Targets {
    fn at(&mut self, path: &Path, spot: Spot) {
        match spot {
            Spot::Elsewhere => {}
            Spot::Named(names) => self.names.extend(names),
            Spot::Below(_) | Spot::Anywhere => self.unnamed = Some(path.to_string()),
        }
    }
}

/// The paths that files get when a property is set.
fn renames(old: &[String], term: &str, value: &Given) -> Vec<String> {
    match (key(term).as_str(), value) {
        (term, Given::Text(name)) if NAMES.contains(&term) => {
            old.iter().flat_map(|old| joined(&format!("{old}/.."), name)).collect()
        }
        (EXTENSION, Given::Text(extension)) => old.iter().flat_map(|old| extended(old, extension)).collect(),
        ("properties", Given::Record(fields)) => {
            fields.iter().flat_map(|(term, value)| renames(old, term.as_str(), value)).collect()
        }
        _ => Vec::new(),
    }
}

/// A path with a new extension: in place of the old one, and after it.
fn extended(old: &str, extension: &str) -> Vec<String> {
    let extension = extension.trim_start_matches('.');
    let Some(name) = last(old) else { return Vec::new() };
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    [stem, name]
        .iter()
        .flat_map(|stem| joined(&format!("{old}/.."), &format!("{stem}.{extension}")))
        .collect()
}

fn all_joined(bases: &[String], names: &[String]) -> Vec<String> {
    bases.iter().flat_map(|base| names.iter().flat_map(move |name| joined(base, name))).collect()
}

/// The arguments of a command besides its targets, without the properties of a new object.
fn beside(invocation: &Invocation) -> impl Iterator<Item = &Given> {
    let values = invocation.parameters.iter().map(|argument| &argument.value);
    values.filter(|value| !matches!(value, Given::Record(_)))
}

/// The names among the properties of a new object.
fn named(invocation: &Invocation) -> Vec<String> {
    let (mut found, mut extensions) = (Vec::new(), Vec::new());
    for argument in &invocation.parameters {
        argument.value.visit(&mut |each| {
            let Given::Record(fields) = each else { return };
            for (term, value) in fields {
                match (key(term.as_str()), value) {
                    (term, Given::Text(name)) if NAMES.contains(&term.as_str()) => found.push(name.clone()),
                    (term, Given::Text(extension)) if term == EXTENSION => extensions.push(extension.clone()),
                    _ => {}
                }
            }
        });
    }
    let whole =
        |name: &String| extensions.iter().map(move |extension| format!("{name}.{extension}")).collect();
    let extended: Vec<String> = found.iter().flat_map(|name| -> Vec<String> { whole(name) }).collect();
    found.extend(extended);
    found
}

/// The property that the command `set` sets, and its owner.
fn set_property(invocation: &Invocation) -> Option<(&Path, &str)> {
    let Some(Given::Object(path)) = &invocation.direct else { return None };
    let (owner, Segment::Property(member)) = path.last()? else { return None };
    (invocation.code == SET).then_some((owner, member.term.as_str()))
}

#[derive(Clone, Copy)]
struct Doors<'a> {
    closed: &'a Closed,
    files: Files<'a>,
}

impl Doors<'_> {
    fn inside(self, name: &str) -> Option<Hit> {
        self.closed.holds(name).map(|place| in_place(name, place))
    }

    fn around(self, name: &str) -> Option<Hit> {
        self.closed.holds_up(name).map(|place| in_place(name, place))
    }

    /// Checks a read of an object or of its contents.
    fn read(self, path: &Path, goes_on: bool) -> Option<Hit> {
        let found = spot(self.files.app, self.files.terms, path);
        match found.spot {
            Spot::Elsewhere => None,
            Spot::Anywhere => self.below_any(path, goes_on, true),
            Spot::Named(names) => names.iter().find_map(|name| self.inside(name)),
            Spot::Below(names) => {
                let hit = |name: &String| {
                    let around = || self.around(name).filter(|_| goes_on || found.goes_on);
                    self.inside(name).or_else(around)
                };
                // Here it is known whether the folder is above a home folder.
                names.iter().find_map(hit).or_else(|| self.below_any(path, false, false))
            }
        }
    }

    /// Checks names below a folder that only the app knows, such as the contents of a window. The folder may be the
    /// home folder, or any folder above a closed place.
    fn below_any(self, path: &Path, goes_on: bool, in_homes: bool) -> Option<Hit> {
        let segments = path.segments();
        // A property at the end is read from the object before it.
        let ending = segments.iter().rev().skip_while(|segment| matches!(segment, Segment::Property(_)));
        let mut tail: Vec<Option<&str>> = ending
            .map_while(|segment| match segment {
                Segment::Element(_, By::Name(name)) => Some(Some(name.as_str())),
                Segment::Element(..) => Some(None),
                Segment::Property(_) => None,
            })
            .collect();
        tail.reverse();
        let unnamed = || Hit { name: path.to_string(), why: Why::Unnamed };
        if goes_on && path.is_spread() {
            return Some(unnamed());
        }
        // Elements without a known name, such as windows, are not folders.
        let from = tail.iter().position(Option::is_some)?;
        let place = self.closed.along(&tail[from..], in_homes)?;
        Some(Hit { name: path.to_string(), why: Why::Closed(place.to_owned()) })
    }

    /// Checks a read of everything in a folder, at any depth, except for the names that the script leaves out.
    fn all_of(self, path: &Path, deep: bool, left_out: &[Shut]) -> Option<Hit> {
        let is_left_out = |shut: &Shut| left_out.iter().any(|other| other.name == shut.name);
        let covered =
            |name: &String| self.closed.shut_in(name).is_some_and(|all| all.iter().all(is_left_out));
        match self.files.spot(path) {
            Spot::Named(names) if deep => {
                names.iter().filter(|name| !covered(name)).find_map(|name| self.around(name))
            }
            // Only the app knows the object at which this path begins.
            Spot::Anywhere | Spot::Below(_) if deep => {
                Some(Hit { name: path.to_string(), why: Why::Unnamed })
            }
            _ => None,
        }
    }

    fn command(self, invocation: &Invocation) -> Option<Hit> {
        let code = invocation.code.as_str();
        let texts = invocation.values().find_map(|value| self.texts(value));
        let seen = || invocation.seen.iter().find_map(|seen| self.read(&seen.path, false));
        let direct = || invocation.direct.iter().find_map(|value| self.direct(value, invocation));
        let rest = || invocation.parameters.iter().find_map(|argument| self.objects(&argument.value));
        let new = || self.put_there(invocation);
        // An object made from a folder, such as an attachment, contains everything in it.
        let whole = || {
            let given = |value: &Given| value.files().into_iter().find_map(|file| self.around(file));
            invocation.parameters.iter().find_map(|each| given(&each.value)).filter(|_| code == MAKE)
        };
        texts.or_else(whole).or_else(seen).or_else(direct).or_else(rest).or_else(new)
    }

    /// Checks the texts and files anywhere in a value.
    fn texts(self, value: &Given) -> Option<Hit> {
        let mut hit = None;
        value.visit(&mut |each| {
            if let Given::File(text) | Given::Text(text) = each {
                hit = hit.take().or_else(|| self.inside(text));
            }
        });
        hit
    }

    /// Checks the objects among the arguments of a command, besides its targets.
    fn objects(self, value: &Given) -> Option<Hit> {
        let mut hit = None;
        value.visit(&mut |each| {
            let (Given::Object(path)
            | Given::Place(
                Place::Beginning(path, _) | Place::End(path, _) | Place::Before(path) | Place::After(path),
            )) = each
            else {
                return;
            };
            hit = hit.take().or_else(|| self.read(path, false));
        });
        hit
    }

    /// Checks the targets of a command.
    fn direct(self, value: &Given, invocation: &Invocation) -> Option<Hit> {
        let code = invocation.code.as_str();
        let mut hit = None;
        value.visit(&mut |each| {
            let found = || match each {
                Given::Object(_) if LOOKS.contains(&code) => self.objects(each),
                Given::Object(path) => {
                    let set = set_property(invocation);
                    let (path, moves) =
                        set.map_or((path, !STAYS.contains(&code)), |(owner, term)| (owner, takes_away(term)));
                    self.changed(path, moves, None)
                }
                Given::File(text) | Given::Text(text) if MOVES.contains(&code) => self.around(text),
                _ => None,
            };
            hit = hit.take().or_else(found);
        });
        hit
    }

    /// Checks an object that is changed, or moved with everything in it.
    fn changed(self, path: &Path, moves: bool, mark: Option<&str>) -> Option<Hit> {
        let hit = |name: &String| self.inside(name).or_else(|| self.around(name).filter(|_| moves));
        let marked = mark.and_then(told).filter(|mark| mark.starts_with('/'));
        if let Some(found) = marked.as_ref().and_then(hit) {
            return Some(found);
        }
        match self.files.spot(path) {
            Spot::Elsewhere => None,
            Spot::Named(names) => names.iter().find_map(hit),
            Spot::Below(_) | Spot::Anywhere if marked.is_some() => None,
            Spot::Below(names) => {
                names.iter().find_map(|name| self.inside(name)).or_else(|| Some(unnamed(path.to_string())))
            }
            Spot::Anywhere => Some(unnamed(path.to_string())),
        }
    }

    /// Checks the destination of something new.
    fn put_there(self, invocation: &Invocation) -> Option<Hit> {
        let Targets { names, unnamed: place } = self.files.targets(invocation);
        let whole = invocation.code != SAVE;
        let hit = |name: &String| self.inside(name).or_else(|| self.around(name).filter(|_| whole));
        names.iter().find_map(hit).or_else(|| place.map(unnamed))
    }

    fn set(self, change: &Change) -> Option<Hit> {
        let moves = change.subject.slots.iter().zip(&change.values).any(|(slot, value)| match value {
            Given::Record(fields) => fields.iter().any(|(term, _)| takes_away(term.as_str())),
            _ => takes_away(&slot.term),
        });
        let values =
            || change.values.iter().find_map(|value| self.texts(value).or_else(|| self.objects(value)));
        let both = |name: &String| self.inside(name).or_else(|| self.around(name));
        let new = || self.files.renamed(change).iter().find_map(both);
        let subject = self.changed(&change.subject.path, moves, change.expected.mark.as_deref());
        subject.or_else(values).or_else(new)
    }
}

/// Whether a folder can no longer be found by its path once the property is set.
fn takes_away(term: &str) -> bool {
    let term = key(term);
    NAMES.contains(&term.as_str()) || KEYS.contains(&term.as_str()) || term == EXTENSION
}

fn in_place(name: &str, place: &str) -> Hit {
    let why = match place {
        UNKNOWN => Why::Silent,
        place => Why::Closed(place.to_owned()),
    };
    Hit { name: name.to_owned(), why }
}

fn unnamed(name: String) -> Hit {
    Hit { name, why: Why::Unnamed }
}

#[cfg(test)]
mod tests;
