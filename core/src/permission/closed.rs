//! Files that no argument may lead to, whatever the policy says: the state directory and the files that start clients.
//!
//! This module does not access the disk. The shell lists the closed places, and follows the links in the paths that
//! this module finds in an action. This module handles spellings that need no disk (`~`, `..`, `file:` addresses, case,
//! `/private`, colons).

mod doors;
mod spelled;
mod spot;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

pub(super) use doors::{Hit, Why, written, written_paths};
use spelled::{Parts, from_colons, from_tilde, from_url, parts, plain, straight};
pub(super) use spelled::{folded, loose, parts as whole};
pub(super) use spot::{Kind, Spot, is_file, is_of_files, is_path_of_file, spot};

use crate::action::Shut;

/// The closed places, and the way to find where links lead.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Closed {
    home: String,
    places: Arc<[Place]>,
    links: Option<Links>,
}

/// Follows links for this module: for each path the path behind all links, as far as it exists. The error is a folder
/// that does not answer.
#[derive(Clone)]
pub struct Links(Arc<Follow>);

type Follow = dyn Fn(&[String]) -> Result<Vec<String>, String> + Send + Sync;

impl Links {
    /// Makes it from a function of the shell.
    pub fn new(follow: impl Fn(&[String]) -> Result<Vec<String>, String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(follow))
    }

    /// Looks at all these paths at once and keeps the answers; `None` if there are no links on the way.
    fn known(&self, paths: BTreeSet<String>) -> Result<Option<Self>, String> {
        let asked: Vec<String> = paths.into_iter().collect();
        let found = (self.0)(&asked)?;
        // The shell resolves `..` and doubled slashes too. A name was checked in that form as well.
        let is_same = |(asked, found): (&String, &String)| found == asked || *found == straight(asked);
        if asked.len() == found.len() && asked.iter().zip(&found).all(is_same) {
            return Ok(None);
        }
        let known: BTreeMap<String, String> = asked.into_iter().zip(found).collect();
        let links = self.clone();
        Ok(Some(Self::new(move |paths| {
            let found: Option<Vec<String>> = paths.iter().map(|path| known.get(path).cloned()).collect();
            // The first call did not ask about a path that only a link leads to.
            found.map_or_else(|| (links.0)(paths), Ok)
        })))
    }
}

impl std::fmt::Debug for Links {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Links")
    }
}

impl PartialEq for Links {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The location of a closed place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Where {
    /// A file or a folder with all that is in it, by its whole path.
    At(String),
    /// The same, by its path from any user's home folder.
    InHome(String),
    /// Any path with this end, in any project.
    Ends(String),
}

/// What a path leads to if no one can follow its links.
const UNKNOWN: &str = "a place on a disk that does not answer";

/// Folders that hold users' home folders.
const HOMES: [&str; 2] = ["users", "home"];

/// A closed place in the form for comparisons.
#[derive(Clone, Debug, PartialEq)]
struct Place {
    parts: Parts,
    from: From,
    words: String,
}

/// The folder at which the names of a place begin.
#[derive(Clone, Copy, Debug, PartialEq)]
enum From {
    Root,
    Home,
    Anywhere,
}

impl Closed {
    /// Lists the closed places, each with a description. `home` is the folder that `~` means.
    pub fn new(home: &str, places: impl IntoIterator<Item = (Where, String)>) -> Self {
        let place = |(place, words): (Where, String)| match place {
            Where::At(path) => Place { parts: plain(&path), from: From::Root, words },
            Where::InHome(path) => Place { parts: plain(&path), from: From::Home, words },
            Where::Ends(path) => Place { parts: plain(&path), from: From::Anywhere, words },
        };
        Self { home: home.to_owned(), places: places.into_iter().map(place).collect(), links: None }
    }

    /// Adds the way to find where links lead.
    #[must_use]
    pub fn with_links(self, links: Links) -> Self {
        Self { links: Some(links), ..self }
    }

    /// Whether anything is closed at all.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Returns the closed place that a path is, or is in, in words; `None` if it is open.
    pub fn place(&self, path: &str) -> Option<&str> {
        self.holds(path)
    }

    /// The last names of the closed places, folded.
    pub fn last_names(&self) -> impl Iterator<Item = &str> {
        self.places.iter().filter_map(|place| place.parts.last()).map(String::as_str)
    }

    /// Returns a name in the form in which names are compared.
    pub fn folded(name: &str) -> String {
        // Most names need no Unicode tables, and a folder may have very many names.
        match name.bytes().all(|byte| byte.is_ascii_graphic()) && !name.ends_with('.') {
            true => name.to_ascii_lowercase(),
            false => folded(name),
        }
    }

    /// Returns the paths that a text may mean, in their original spelling; none if it is not a path.
    pub fn paths(&self, text: &str) -> Vec<String> {
        let text = text.trim();
        let mut found = Vec::new();
        if let Some(path) = from_url(text) {
            found.push(path);
        } else if let Some(rest) = from_tilde(text) {
            found.extend(self.in_home(rest));
        } else if text.starts_with('/') {
            found.push(text.to_owned());
        } else if let Some((volume, rests)) = from_colons(text) {
            found.extend(
                rests.iter().flat_map(|rest| [format!("/{rest}"), format!("/Volumes/{volume}/{rest}")]),
            );
        }
        found
    }

    /// Checks as `check` does, but asks the disk only once, about all paths together: each question costs a switch to
    /// another thread. The first pass finds the paths that the check needs. The error is a folder that does not answer.
    fn at_once<T>(&self, check: impl Fn(&Self) -> Option<T>) -> Result<Option<T>, String> {
        let Some(links) = &self.links else { return Ok(check(self)) };
        let asked = Arc::new(Mutex::new(BTreeSet::new()));
        let asking = Arc::clone(&asked);
        let note = move |paths: &[String]| {
            let mut asking = asking.lock().unwrap_or_else(PoisonError::into_inner);
            asking.extend(paths.iter().cloned());
            Ok(Vec::new())
        };
        let found = check(&self.clone().with_links(Links::new(note)));
        let asked = std::mem::take(&mut *asked.lock().unwrap_or_else(PoisonError::into_inner));
        if found.is_some() || asked.is_empty() {
            return Ok(found);
        }
        Ok(links.known(asked)?.and_then(|links| check(&self.clone().with_links(links))))
    }

    /// Returns the closed place that a name leads to, if any.
    fn holds(&self, name: &str) -> Option<&str> {
        let Some(all) = self.every(name) else { return Some(UNKNOWN) };
        all.iter().find_map(|path| self.inside(path))
    }

    /// Returns the closed place at or below a name, if any. A move of the folder would move that place too.
    fn holds_up(&self, name: &str) -> Option<&str> {
        let Some(all) = self.every(name) else { return Some(UNKNOWN) };
        all.iter().find_map(|path| self.around(path))
    }

    /// Returns the closed place into which names lead from an unknown folder, if any. `None` among the names stands for
    /// any name. The folder may be on the path to the closed place. It may also be above the known part of that path:
    /// above any project, and above the home folders if `in_homes`.
    fn along(&self, names: &[Option<&str>], in_homes: bool) -> Option<&str> {
        let folded: Vec<Option<Parts>> = names.iter().map(|name| name.map(plain)).collect();
        let fits = |part: &String, name: &Option<Parts>| match name {
            Some(parts) => parts.last() == Some(part),
            None => true,
        };
        let begin_with = |names: &[Option<Parts>], parts: &[String]| {
            parts.len() <= names.len() && parts.iter().zip(names).all(|(part, name)| fits(part, name))
        };
        let leads_in = |place: &&Place| {
            let is_below_any = place.from == From::Anywhere || in_homes;
            // An unknown name could be any name, so a match begins with a known one.
            let mut below = (1..folded.len()).filter(|from| is_below_any && folded[*from].is_some());
            (0..place.parts.len()).any(|from| begin_with(&folded, &place.parts[from..]))
                || below.any(|from| !place.parts.is_empty() && begin_with(&folded[from..], &place.parts))
        };
        self.places.iter().find(leads_in).map(|place| place.words.as_str())
    }

    /// Every path that a name may mean, folded, including the targets of its links; `None` if the disk does not answer.
    fn every(&self, name: &str) -> Option<Vec<Parts>> {
        let mut paths = self.paths(name);
        if let Some(Links(follow)) = self.links.as_ref().filter(|_| !paths.is_empty()) {
            // Some programs take `link/..` as the folder behind the link, and others as the one that holds the link.
            let plain = paths.iter().map(|path| straight(path)).filter(|plain| !paths.contains(plain));
            let plain: Vec<String> = plain.collect();
            paths.extend(plain);
            let behind = follow(&paths).ok()?;
            paths.extend(behind);
        }
        Some(paths.iter().flat_map(|path| parts(path)).collect())
    }

    /// The closed place that a path is, or is in, if any.
    fn inside(&self, path: &[String]) -> Option<&str> {
        // Paths in these folders name a file by its number.
        if matches!(path.first().map(String::as_str), Some(".vol" | ".file")) {
            return Some("a file that is named by its number only");
        }
        let rests = self.rests(path);
        let is_in = |place: &&Place| match place.from {
            From::Root => path.starts_with(&place.parts),
            From::Home => rests.iter().any(|own| own.starts_with(&place.parts)),
            From::Anywhere => path.windows(place.parts.len().max(1)).any(|part| part == place.parts),
        };
        self.places.iter().find(is_in).map(|place| place.words.as_str())
    }

    /// The closed place at or below a path, if any.
    fn around(&self, path: &[String]) -> Option<&str> {
        let rests = self.rests(path);
        let is_above = |place: &&Place| match place.from {
            From::Root => place.parts.starts_with(path),
            From::Home => self.holds_homes(path) || rests.iter().any(|own| place.parts.starts_with(own)),
            From::Anywhere => (1..place.parts.len()).any(|end| path.ends_with(&place.parts[..end])),
        };
        self.places.iter().find(is_above).map(|place| place.words.as_str())
    }

    /// Whether home folders are at or below a path. The home folder of root is in `/var`, and some folders contain the
    /// whole disk again.
    fn holds_homes(&self, path: &[String]) -> bool {
        let names: Vec<&str> = path.iter().map(String::as_str).collect();
        matches!(names[..], ["var" | "private" | "system" | "volumes"] | ["system", "volumes"])
            || matches!(names[..], [name] if HOMES.contains(&name))
            || plain(&self.home).starts_with(path)
    }

    /// The closed places below a path, each as the name directly below it; `None` if they cannot all be listed, because
    /// they may be in any home folder.
    fn right_below(&self, path: &[String]) -> Option<Vec<Shut>> {
        let rests = self.rests(path);
        let mut found: Vec<Shut> = Vec::new();
        let mut add = |place: &Place, name: Option<&String>| {
            found.extend(name.map(|name| Shut { name: name.clone(), place: place.words.clone() }));
        };
        for place in self.places.iter() {
            match place.from {
                From::Root if place.parts.starts_with(path) => add(place, place.parts.get(path.len())),
                From::Root => {}
                From::Home if rests.is_empty() && self.holds_homes(path) => return None,
                From::Home => {
                    for own in rests.iter().filter(|own| place.parts.starts_with(own)) {
                        add(place, place.parts.get(own.len()));
                    }
                }
                From::Anywhere => {
                    for end in (1..place.parts.len()).filter(|end| path.ends_with(&place.parts[..*end])) {
                        add(place, place.parts.get(end));
                    }
                }
            }
        }
        Some(found)
    }

    /// The rest of a path after the home folder, of this user or of any user.
    fn rests<'a>(&self, path: &'a [String]) -> Vec<&'a [String]> {
        let home = Some(plain(&self.home)).filter(|home| !home.is_empty());
        let own = home.and_then(|home| path.strip_prefix(home.as_slice()));
        let any = match path {
            [homes, _, rest @ ..] if HOMES.contains(&homes.as_str()) => Some(rest),
            [var, root, rest @ ..] if var == "var" && root == "root" => Some(rest),
            _ => None,
        };
        own.into_iter().chain(any).collect()
    }

    /// `~/…`, or `~name/…` for the user with that name.
    fn in_home(&self, rest: &str) -> Option<String> {
        let (user, rest) = rest.split_once('/').unwrap_or((rest, ""));
        match user {
            "" if self.home.is_empty() => Some(format!("/Users/~/{rest}")),
            "" => Some(format!("{}/{rest}", self.home)),
            user => Some(format!("/Users/{user}/{rest}")),
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
