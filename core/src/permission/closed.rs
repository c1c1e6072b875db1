//! Files that no argument may lead to, whatever the policy says: the state directory, and what starts clients.
//!
//! Nothing is looked up here. The shell says which places are closed and where names among the arguments lead that pass
//! through links; spellings that need no disk (`~`, `..`, `file:` addresses, case, `/private`, colons) are read here.

use std::collections::BTreeMap;

use unicode_normalization::UnicodeNormalization as _;

use crate::action::{Action, Deed, Invocation};
use crate::change::Change;
use crate::marshal::{Given, Place};
use crate::specifier::{By, Id, Path, Segment};

/// Closed places, and where names lead.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Closed {
    home: String,
    places: Vec<(Where, String)>,
    leads: BTreeMap<String, String>,
}

/// Where a closed place is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Where {
    /// A file or a folder with all that is in it, by its whole path.
    At(String),
    /// The same, by its path from any user's home folder.
    InHome(String),
    /// Whatever path ends so, in any project.
    Ends(String),
}

/// Classes of objects that are files.
const FILES: [&str; 16] = [
    "alias",
    "alias file",
    "application file",
    "clipping",
    "container",
    "disk",
    "disk item",
    "document file",
    "domain",
    "file",
    "file package",
    "folder",
    "internet location file",
    "item",
    "package",
    "property list file",
];

/// Folders that hold users' home folders.
const HOMES: [&str; 2] = ["/users/", "/home/"];

impl Closed {
    /// Names the closed places, each with what it is in words; `home` is the folder that `~` means.
    pub fn new(home: &str, places: impl IntoIterator<Item = (Where, String)>) -> Self {
        Self { home: home.to_owned(), places: places.into_iter().collect(), leads: BTreeMap::new() }
    }

    /// The same, knowing where some names lead: each as it was given, with the path behind its links.
    #[must_use]
    pub fn with_leads(self, leads: BTreeMap<String, String>) -> Self {
        Self { leads, ..self }
    }

    /// Whether anything is closed at all.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Returns the paths that a text may mean, as they stand there; none if it is no path.
    pub fn paths(&self, text: &str) -> Vec<String> {
        let text = text.trim();
        let mut found = Vec::new();
        if let Some(path) = from_url(text) {
            found.push(path);
        } else if let Some(rest) = text.strip_prefix('~') {
            found.extend(self.in_home(rest));
        } else if text.starts_with('/') {
            found.push(text.to_owned());
        } else if let Some((volume, rest)) = text.split_once(':').filter(|_| !text.contains('/')) {
            let rest = rest.replace(':', "/");
            found.extend([format!("/{rest}"), format!("/Volumes/{volume}/{rest}")]);
        }
        found
    }

    /// Says what an action would reach into, if that is closed.
    pub(super) fn reached_by(&self, action: &Action) -> Option<(String, &str)> {
        if self.places.is_empty() {
            return None;
        }
        names(&action.deed).into_iter().find_map(|name| {
            let place = self.holds(&name)?;
            Some((name, place))
        })
    }

    /// Says what a name leads into, if that is closed.
    fn holds(&self, name: &str) -> Option<&str> {
        let lexical = self.paths(name).into_iter();
        lexical.chain(self.leads.get(name).cloned()).find_map(|path| self.at(&plain(&path)))
    }

    fn at(&self, path: &str) -> Option<&str> {
        let path = folded(path);
        // These name a file by its number.
        if path.starts_with("/.vol/") {
            return Some("a file that is named by its number only");
        }
        let is_in = |(place, _): &&(Where, String)| match place {
            Where::At(place) => below(&path, &folded(&plain(place))),
            Where::InHome(rest) => self.rests(&path).iter().any(|own| below(own, &folded(rest))),
            Where::Ends(end) => path.ends_with(&format!("/{}", folded(end))),
        };
        self.places.iter().find(is_in).map(|(_, words)| words.as_str())
    }

    /// What follows the home folder in a path: of this user, or of any.
    fn rests(&self, path: &str) -> Vec<String> {
        let own = Some(folded(&plain(&self.home))).filter(|home| home.len() > 1);
        let own = own.and_then(|home| Some(path.strip_prefix(&home)?.strip_prefix('/')?.to_owned()));
        let any = HOMES.iter().filter_map(|homes| path.strip_prefix(homes)?.split_once('/'));
        own.into_iter().chain(any.map(|(_, rest)| rest.to_owned())).collect()
    }

    /// `~/…`, or `~name/…` for whoever has that name.
    fn in_home(&self, rest: &str) -> Option<String> {
        let (user, rest) = rest.split_once('/').unwrap_or((rest, ""));
        match user {
            "" if self.home.is_empty() => Some(format!("/Users/~/{rest}")),
            "" => Some(format!("{}/{rest}", self.home)),
            user => Some(format!("/Users/{user}/{rest}")),
        }
    }
}

/// Every name in a deed that may lead to a file: values anywhere in its arguments, and objects that are files.
fn names(deed: &Deed) -> Vec<String> {
    let mut found = Vec::new();
    match deed {
        Deed::Command(invocation) => of_command(invocation, &mut found),
        Deed::Set(changes) => changes.iter().for_each(|change| of_change(change, &mut found)),
        _ => {}
    }
    found
}

fn of_command(invocation: &Invocation, found: &mut Vec<String>) {
    invocation.values().for_each(|value| of_value(value, found));
}

fn of_change(change: &Change, found: &mut Vec<String>) {
    of_path(&change.subject.path, found);
    found.extend(change.expected.mark.clone());
    change.values.iter().for_each(|value| of_value(value, found));
}

fn of_value(value: &Given, found: &mut Vec<String>) {
    value.visit(&mut |each| match each {
        Given::File(text) | Given::Text(text) => found.push(text.clone()),
        Given::Object(path) => of_path(path, found),
        Given::Place(
            Place::Beginning(path, _) | Place::End(path, _) | Place::Before(path) | Place::After(path),
        ) => of_path(path, found),
        _ => {}
    });
}

/// The names on the way to a file, alone and joined to a path from the disk or the home folder.
fn of_path(path: &Path, found: &mut Vec<String>) {
    let mut way = String::from("~");
    for segment in path.segments() {
        match segment {
            Segment::Property(member) => way = base(&member.term).unwrap_or(&way).to_owned(),
            Segment::Element(member, By::Name(name) | By::Id(Id::Text(name)))
                if FILES.contains(&member.class.as_str()) =>
            {
                found.push(name.clone());
                way = if member.class == "disk" { String::new() } else { format!("{way}/{name}") };
                found.extend([way.clone(), way.trim_start_matches('~').to_owned()]);
            }
            Segment::Element(..) => {}
        }
    }
}

/// Where a property of Finder or System Events leads to.
fn base(term: &str) -> Option<&'static str> {
    Some(match term {
        "home" | "home folder" => "~",
        "startup disk" | "boot volume" => "",
        "desktop" | "desktop folder" => "~/Desktop",
        "documents folder" => "~/Documents",
        "library folder" => "~/Library",
        "application support folder" => "~/Library/Application Support",
        "preferences folder" => "~/Library/Preferences",
        _ => return None,
    })
}

fn from_url(text: &str) -> Option<String> {
    let scheme = text.get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("file:"))?;
    let rest = &text[scheme.len()..];
    let path = rest.strip_prefix("//").map_or(rest, |rest| &rest[rest.find('/').unwrap_or(rest.len())..]);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    Some(decoded(path))
}

/// Reads `%XX`.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut read, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let hex = text.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                read.push(byte);
                at += 3;
            }
            None => {
                read.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&read).into_owned()
}

/// An absolute path without `.`, `..`, empty parts and what only stands for the same disk.
fn plain(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let is = |at: usize, word: &str| parts.get(at).is_some_and(|part| folded(part) == word);
    let skipped = match () {
        () if is(0, "private") && ["var", "tmp", "etc"].iter().any(|word| is(1, word)) => 1,
        () if is(0, "system") && is(1, "volumes") && is(2, "data") => 3,
        () if is(0, "volumes") && HOMES.iter().any(|homes| is(2, homes.trim_matches('/'))) => 2,
        () if is(0, ".nofollow") => 1,
        () if is(0, ".resolve") => 2,
        () => 0,
    };
    format!("/{}", parts[skipped.min(parts.len())..].join("/"))
}

/// Mac file systems take any case, and any way to write a letter with its accents, for the same name.
fn folded(path: &str) -> String {
    path.nfd().flat_map(char::to_lowercase).collect()
}

fn below(path: &str, place: &str) -> bool {
    path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests;
