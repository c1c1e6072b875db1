//! Finds uses that a server's own search leaves out. Every use contains the name, so for each occurrence that the
//! server did not report, the host asks for its definition. If the server does not know it, the occurrence is
//! returned as unsure. An answer without unsure places is therefore complete, even if the project's settings hide
//! files from the server.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::declared::{is_local, names_argument, places};
use super::parse::Reader;
use super::words::{self, Word};
use super::{Halt, Server, imports};
use crate::listing::{Found, extension};
use crate::profile::Words;
use crate::text::Text;
use crate::types::{Doubt, Location, Locations, Place, Position, Range, State, Symbols};

/// The most places to ask about. A name with more places is too common for the time of one question.
const MOST_ASKED: usize = 3_000;

/// The most requests to send at once: enough to keep a server busy, few enough to cancel.
const AT_ONCE: usize = 16;

/// The time to reserve for returning the answer.
const LEFT: Duration = Duration::from_millis(500);

/// Kinds of symbols that have members: class, enum, interface, struct and type alias.
const TYPES: [u8; 5] = [5, 10, 11, 23, 26];

/// Kinds of symbols that have a body: method, constructor and function.
const CALLABLE: [u8; 3] = [6, 9, 12];

/// A start position: path, line and column.
type Spot = (String, (u32, u32));

/// The name to find.
struct Sought {
    name: String,
    words: Words,
    targets: BTreeSet<Spot>,
    kind: Kind,
    /// The only file in which the name can refer to the symbol, if there is one. A parameter is also the name of an
    /// argument elsewhere.
    only: Option<String>,
    /// Whether the symbol can be the name of an argument: a parameter, or a value in a class, from which `dataclass`
    /// and the like make a parameter.
    keys: bool,
}

/// The form in which a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// After a value, as its member.
    Member,
    /// Alone, or qualified by the name of its module.
    Free,
    /// Either.
    Any,
}

/// The outcome for the places that were asked about.
#[derive(Default)]
struct Settled {
    uses: Vec<Location>,
    unsure: Vec<Location>,
    unasked: usize,
    /// Whether the listing does not have every file.
    cut: bool,
    /// Whether a place has another definition, which may be a different declaration of the same symbol.
    elsewhere: bool,
    /// Definitions, and whether each is only an import, so that the symbol behind it is not known.
    imported: BTreeMap<Spot, bool>,
}

impl Server {
    /// Adds uses that were not found yet, and the places that are unsure. If every place of the name is settled,
    /// withdraws the doubts about files that the server does not read.
    pub(super) async fn look_again(
        self: &Arc<Self>,
        place: &Place,
        found: &mut Locations,
        deadline: Instant,
    ) -> Result<(), Halt> {
        // While the server is still loading, an empty answer is expected and is not checked again.
        if self.state() == State::Loading || found.freshness.doubts.contains(&Doubt::Loading) {
            return Ok(());
        }
        let narrowed = [Doubt::Degraded, Doubt::Scope, Doubt::OpenOnly];
        let is_narrowed = |doubt: &Doubt| narrowed.contains(doubt);
        let Some(words) = self.profile.words else { return Ok(()) };
        // A complete C index covers every compiled file, and opening each file again would take seconds.
        if words == Words::C && !found.freshness.doubts.iter().any(is_narrowed) {
            return Ok(());
        }
        let Some(sought) = self.sought(place, words, deadline).await? else { return Ok(()) };
        let known: BTreeSet<Spot> =
            found.items.iter().map(spot).chain(sought.targets.iter().cloned()).collect();
        let settled = self.settle_places(&sought, &known, deadline).await?;
        found.added = u32::try_from(settled.uses.len()).unwrap_or(u32::MAX);
        found.items.extend(settled.uses);
        found.unasked = u32::try_from(settled.unasked).unwrap_or(u32::MAX);
        let is_settled = settled.unsure.is_empty() && settled.unasked == 0 && !settled.cut;
        found.settled = is_settled && !(words == Words::C && settled.elsewhere);
        if found.settled {
            found.freshness.doubts.retain(|doubt| !is_narrowed(doubt));
        }
        if settled.cut {
            found.freshness.doubt(Doubt::Capped);
        }
        found.unsure = settled.unsure;
        Ok(())
    }

    async fn sought(
        self: &Arc<Self>,
        place: &Place,
        words: Words,
        deadline: Instant,
    ) -> Result<Option<Sought>, Halt> {
        let text = self.show(&place.path).await?.text;
        let Some((name, start)) = text.line(place.at.line).and_then(|line| word_at(line, place.at.column))
        else {
            return Ok(None);
        };
        let mut targets = self.defined(place, &text, None, deadline).await.unwrap_or_default();
        if targets.is_empty() {
            targets.insert((place.path.clone(), (place.at.line, start)));
        }
        let (mut kind, mut local) = (Kind::Any, true);
        for (path, at) in &targets {
            let (own, is_own_local) = self.declared_as(path, *at, words, deadline).await;
            kind = if own == kind || kind == Kind::Any { own } else { Kind::Any };
            local &= is_own_local;
        }
        let is_key = |(path, (line, column)): &Spot| {
            let at = Position { line: *line, column: *column };
            self.files.text(path).is_ok_and(|(text, _)| names_argument(&text, at))
        };
        let keys = words == Words::Python && targets.iter().any(is_key);
        // Uses in files that have not seen the definition lead to the declaration.
        let own = (place.path.clone(), (place.at.line, start));
        let only = targets.first().map(|(path, _)| path.clone());
        let only = only.filter(|only| local && targets.iter().all(|(path, _)| path == only));
        targets.insert(own);
        Ok(Some(Sought { name, words, targets, kind, only, keys }))
    }

    /// Returns how a declaration is used, and whether it is visible only in its own file.
    async fn declared_as(&self, path: &str, at: (u32, u32), words: Words, deadline: Instant) -> (Kind, bool) {
        let start = Position { line: at.0, column: at.1 };
        let Ok((text, _)) = self.files.text(path) else { return (Kind::Any, false) };
        if !self.profile.files.contains_key(extension(path)) {
            return (Kind::Any, false);
        }
        let before: String = text.line(at.0).unwrap_or_default().chars().take(at.1 as usize).collect();
        if before.trim_end().ends_with('.') {
            return (Kind::Member, false);
        }
        let Ok(symbols) = self.document_symbols(path, deadline).await else { return (Kind::Any, false) };
        let own = symbols.items.iter().position(|symbol| symbol.name_range.start == start);
        let local = match words {
            Words::Python => is_local(&text, start),
            _ => match own {
                Some(own) => holders(&symbols, own).any(|kind| CALLABLE.contains(&kind)),
                None => is_in_code(&symbols, start),
            },
        };
        let Some(own) = own else { return (Kind::Any, local) };
        let is_member = holders(&symbols, own).next().is_some_and(|kind| TYPES.contains(&kind));
        (if is_member { Kind::Member } else { Kind::Free }, local)
    }

    /// Asks for the definition at each place that is not known yet.
    async fn settle_places(
        self: &Arc<Self>,
        sought: &Sought,
        known: &BTreeSet<Spot>,
        deadline: Instant,
    ) -> Result<Settled, Halt> {
        let (mut settled, mut asked, mut asking) = (Settled::default(), 0, JoinSet::new());
        let length = u32::try_from(sought.name.chars().count()).unwrap_or(u32::MAX);
        let listing = self.files.all();
        settled.cut = listing.cut && sought.only.is_none();
        for listed in listing.iter().filter(|listed| self.can_hold(listed, sought)) {
            let Ok(text) = self.files.listed_text(listed) else { continue };
            if !text.as_str().contains(&sought.name) {
                continue;
            }
            let mut places = standing(&text, sought, |at| known.contains(&(listed.path.clone(), at)));
            if sought.only.as_ref().is_some_and(|only| *only != listed.path) {
                places.retain(|word| word.is_key);
            }
            if places.is_empty() {
                continue;
            }
            if asked + places.len() > MOST_ASKED || Instant::now() + LEFT > deadline {
                settled.unasked += places.len();
                continue;
            }
            asked += places.len();
            let text = self.show(&listed.path).await?.text;
            for word in places {
                while asking.len() >= AT_ONCE {
                    settled.take(asking.join_next().await, sought, self)?;
                }
                let (server, text, path) = (Arc::clone(self), Arc::clone(&text), listed.path.clone());
                // For the name of an argument, zuban gives the type of its value.
                let width = word.is_key.then_some(length);
                asking.spawn(async move {
                    let at = Position { line: word.line, column: word.column };
                    let place = Place { path, at };
                    let meant = server.defined(&place, &text, width, deadline - LEFT / 2).await;
                    (place, word, meant)
                });
            }
        }
        while let Some(done) = asking.join_next().await {
            settled.take(Some(done), sought, self)?;
        }
        let at = |one: &Location| (one.path.clone(), one.range.start);
        settled.uses.sort_by_key(at);
        settled.unsure.sort_by_key(at);
        Ok(settled)
    }

    fn can_hold(&self, listed: &Found, sought: &Sought) -> bool {
        self.profile.files.contains_key(listed.extension())
            && (sought.keys || sought.only.as_ref().is_none_or(|only| *only == listed.path))
    }

    /// Returns the definitions of the name at a place; with `width`, only those with a name of this length.
    async fn defined(
        &self,
        place: &Place,
        text: &Text,
        width: Option<u32>,
        deadline: Instant,
    ) -> Result<BTreeSet<Spot>, Halt> {
        let Some(position) = text.to_server(place.at, self.encoding) else { return Ok(BTreeSet::new()) };
        let mut params = self.document(&place.path);
        params["position"] = json!(position);
        let answer = self.ask("textDocument/definition", &params, deadline).await?;
        let mut found = Reader::new(self).locations(&answer);
        let is_wide = |range: Range, width| range.end.column.saturating_sub(range.start.column) == width;
        found.retain(|one| width.is_none_or(|width| is_wide(one.range, width)));
        Ok(found.iter().map(spot).collect())
    }
}

type Answer = (Place, Word, Result<BTreeSet<Spot>, Halt>);

impl Settled {
    fn take(
        &mut self,
        done: Option<Result<Answer, tokio::task::JoinError>>,
        sought: &Sought,
        server: &Server,
    ) -> Result<(), Halt> {
        let Some(Ok((place, word, meant))) = done else { return Ok(()) };
        let length = u32::try_from(sought.name.chars().count()).unwrap_or(u32::MAX);
        let end = Position { line: place.at.line, column: place.at.column.saturating_add(length) };
        let location = Location { path: place.path, range: Range { start: place.at, end } };
        match meant {
            Ok(meant) if !meant.is_disjoint(&sought.targets) => self.uses.push(location),
            Ok(meant) if self.is_lost(&meant, sought.words, server) => {
                if sought.could_be(&word) {
                    self.unsure.push(location);
                }
            }
            Ok(_) => self.elsewhere = true,
            Err(Halt::Failure(_)) => self.unasked += 1,
            Err(ended) => return Err(ended),
        }
        Ok(())
    }

    /// Whether a place has no definition, or only an import that the server cannot follow.
    fn is_lost(&mut self, meant: &BTreeSet<Spot>, words: Words, server: &Server) -> bool {
        let is_imported = |(path, (line, column)): &Spot| {
            let at = Position { line: *line, column: *column };
            server.files.text(path).is_ok_and(|(text, _)| imports::binds(&text, words, at))
        };
        let is_lost = |spot: &Spot| *self.imported.entry(spot.clone()).or_insert_with(|| is_imported(spot));
        meant.is_empty() || meant.iter().any(is_lost)
    }
}

impl Sought {
    /// Whether a place without a known definition could be a use, judged by its form. A method call needs a value
    /// before it; a function of a module is written alone or after its module.
    fn could_be(&self, word: &Word) -> bool {
        let is_typed = matches!(self.words, Words::Python | Words::Script);
        if word.is_key && is_typed {
            return self.keys;
        }
        if self.only.is_some() {
            return false;
        }
        match (self.kind, &word.holder) {
            _ if !is_typed => true,
            (Kind::Any, _) | (Kind::Member, Some(_)) | (Kind::Free, None) => true,
            (Kind::Member, None) => false,
            (Kind::Free, Some(holder)) => self.targets.iter().any(|(path, _)| is_module(path, holder)),
        }
    }
}

/// Whether a name is that of a file without its extension, or of its folder.
fn is_module(path: &str, name: &str) -> bool {
    let mut parts = path.rsplit('/').map(|part| part.split('.').next().unwrap_or(part));
    !name.is_empty() && (parts.next() == Some(name) || parts.next() == Some(name))
}

/// The kinds of a symbol's containers, the nearest first.
fn holders(symbols: &Symbols, own: usize) -> impl Iterator<Item = u8> {
    let parent = |at: usize| symbols.items[at].parent.map(|parent| parent as usize);
    std::iter::successors(parent(own), move |&at| parent(at)).map(|at| symbols.items[at].kind)
}

/// Whether a place is in the body or among the parameters of a callable symbol.
fn is_in_code(symbols: &Symbols, at: Position) -> bool {
    symbols.items.iter().any(|symbol| {
        let whole = symbol.location.range;
        CALLABLE.contains(&symbol.kind) && symbol.name_range.end <= at && at < whole.end
    })
}

fn spot(location: &Location) -> Spot {
    let start = location.range.start;
    (location.path.clone(), (start.line, start.column))
}

fn is_part(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

/// Returns the name around a column, and where it begins.
fn word_at(line: &str, column: u32) -> Option<(String, u32)> {
    let letters: Vec<char> = line.chars().collect();
    let at = (column as usize).min(letters.len());
    let start = letters[..at].iter().rposition(|letter| !is_part(*letter)).map_or(0, |before| before + 1);
    let word: String = letters[start..].iter().take_while(|letter| is_part(**letter)).collect();
    (!word.is_empty()).then(|| (word, u32::try_from(start).unwrap_or(u32::MAX)))
}

/// Returns places in code where a name stands by itself, is not declared and is not known.
fn standing(text: &Text, sought: &Sought, is_known: impl Fn((u32, u32)) -> bool) -> Vec<Word> {
    let mut all = words::standing(text, sought.words, &sought.name);
    all.retain(|word| !is_known((word.line, word.column)));
    if sought.words == Words::Python && !all.is_empty() {
        // Reading the declarations is slowest, and usually all places are known by now.
        let declared: HashSet<(u32, u32)> = places(text);
        all.retain(|word| !declared.contains(&(word.line, word.column)));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_in_a_name() {
        for (column, expected) in [
            (0, Some(("é_1", 0))),
            (2, Some(("é_1", 0))),
            (3, Some(("é_1", 0))),
            (4, None),
            (5, Some(("x", 5))),
        ] {
            let found = word_at("é_1 (x)", column);
            assert_eq!(found.as_ref().map(|(word, start)| (word.as_str(), *start)), expected, "{column}");
        }
        assert_eq!(word_at("", 0), None);
    }

    #[test]
    fn how_a_name_is_written_tells_what_it_can_mean() {
        let word = |holder: Option<&str>, is_key| Word {
            line: 0,
            column: 0,
            holder: holder.map(str::to_owned),
            is_key,
        };
        let could = |kind, word: &Word| {
            let targets = BTreeSet::from([("src/area.py".to_owned(), (0, 0))]);
            let sought =
                Sought { name: "f".to_owned(), words: Words::Python, targets, kind, only: None, keys: false };
            sought.could_be(word)
        };
        assert!(could(Kind::Member, &word(Some("x"), false)));
        assert!(could(Kind::Member, &word(Some(""), false)));
        assert!(!could(Kind::Member, &word(None, false)));
        assert!(could(Kind::Free, &word(None, false)));
        assert!(could(Kind::Free, &word(Some("area"), false)));
        assert!(could(Kind::Free, &word(Some("src"), false)));
        assert!(!could(Kind::Free, &word(Some("x"), false)));
        assert!(could(Kind::Any, &word(Some("x"), false)));
        assert!(!could(Kind::Any, &word(None, true)));
    }
}
