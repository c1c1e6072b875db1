//! Turns a name or a line into places that a language server can be asked about.

use std::collections::{BTreeMap, BTreeSet};

use iac_plugin::{Json, json};

use crate::crawl::{self, Share};
use crate::doubts::{Doubts, Reason};
use crate::find::{self, Hit, Wanted, Way};
use crate::kinds::{self, Kinds};
use crate::mask::{Masked, Part};
use crate::near;
use crate::pattern::{Case, Pattern};
use crate::request::{Common, Target};
use crate::reserved;
use crate::scope::{self, Desk, Scope, Site};
use crate::tree::{Node, Tree, key};
use crate::trouble::Trouble;
use crate::world::{
    Abilities, Failure, File, FileFilter, Line, Location, Locations, Naming, Place, Position, Relation,
    Server, State,
};

/// The maximum number of candidates that an ambiguity shows.
const CANDIDATES: usize = 10;

/// The maximum number of files to search for a name that is similar to a missing one.
const NEAR: u32 = 300;

/// The maximum number of files to search for a use of a name that is declared elsewhere, and of places in each file.
const OUTSIDE: u32 = 10;
const PLACES: usize = 5;

/// The maximum number of characters of a server's message about itself.
const LONGEST_WORD: usize = 300;

/// The maximum number of words of a line to ask about.
const WORDS: usize = 40;

/// The host cuts longer lines.
const LONGEST_LINE: usize = 10_000;

/// The places of one target.
pub(crate) struct Located<'a> {
    pub(crate) site: Site<'a>,
    pub(crate) language: String,
    pub(crate) places: Vec<Place>,
    /// Whether it is known to be declared at these places.
    pub(crate) declared: bool,
    /// The word at the place, if the query named one.
    pub(crate) word: Option<String>,
    /// The symbols at these places, if they were found by name.
    pub(crate) hits: Vec<Hit<'a>>,
}

impl Located<'_> {
    /// Returns its name from the text; empty if the text has no name there.
    pub(crate) fn name(&self) -> String {
        if let Some(hit) = self.hits.first() {
            return hit.node.name.clone();
        }
        let Some(place) = self.places.first() else { return String::new() };
        let lines = self.site.lines([(place.path.clone(), place.at.line)]);
        let words = lines.values().next().map(|text| words(text)).unwrap_or_default();
        word_at(words, place.at.column).unwrap_or_default()
    }
}

/// Finds the target of a query. There must be exactly one.
///
/// # Errors
/// `NOT_FOUND` with the nearest name, `AMBIGUOUS` with the candidates.
pub(crate) fn one<'a>(
    desk: &Desk<'a>,
    target: &Target,
    common: &Common,
    what: &str,
    doubts: &mut Doubts,
) -> Result<Located<'a>, Trouble> {
    match target {
        Target::Place { path, line, character, named } => {
            let spot = Spot { path, line: *line, character: *character, named: named.as_ref() };
            place(desk, &spot, common, what)
        }
        Target::Name { pattern, path, kinds } => {
            let mut own = Doubts::default();
            let found = named(desk, pattern, path.as_deref(), *kinds, common, what, &mut own);
            let is_exact =
                |hit: &Hit<'_>| pattern.leaf() == hit.node.name || pattern.names_exactly(&hit.node.name);
            // If a symbol outside the project has exactly this name, the query probably does not mean a symbol with
            // different case.
            let outside = match &found {
                Ok(hits) if hits.iter().any(is_exact) => None,
                Err(trouble) if trouble.code != "NOT_FOUND" => None,
                _ => from_outside(desk, pattern, path.as_deref(), common, what, doubts),
            };
            if let Some(outside) = outside {
                return Ok(outside);
            }
            // A server reads the body of a function that was found, so its calls are in no other language.
            if what == "callees" && found.is_ok() {
                own.withdraw_unserved();
            }
            doubts.join(&own);
            let unsure = |trouble: Trouble| match trouble.hint {
                None if trouble.code == "NOT_FOUND" && doubts.has(Reason::Loading) => {
                    trouble.hint("not everything was looked at: loading")
                }
                _ => trouble,
            };
            only(found.map_err(unsure)?, pattern, common)
        }
    }
}

/// Finds the target of a query about uses. One overload stands for all overloads, and a property stands for its
/// setter, even if the query names the place of only one.
///
/// # Errors
/// As for [`one`].
pub(crate) fn whole<'a>(
    desk: &Desk<'a>,
    target: &Target,
    common: &Common,
    what: &str,
    doubts: &mut Doubts,
) -> Result<Located<'a>, Trouble> {
    let mut located = one(desk, target, common, what, doubts)?;
    let ([place], Some(word)) = (located.places.as_slice(), &located.word) else { return Ok(located) };
    let files = vec![crawl::file(&place.path, &located.language)];
    let share = Share::Named(std::slice::from_ref(word));
    let found = crawl::outlines(located.site, files, &share, common, true, what, &mut Doubts::default())?;
    let Some(tree) = found.first().map(|outline| &outline.tree) else { return Ok(located) };
    let Some(own) = tree.named_at(place.at) else { return Ok(located) };
    let twin =
        |node: &&Node| node.full_name() == own.full_name() && kinds::are_overloads(node.kind, own.kind);
    let at = |node: &Node| Place { path: place.path.clone(), at: node.name_range.start };
    located.places = tree.nodes.iter().filter(twin).map(at).collect();
    located.declared = true;
    Ok(located)
}

/// Finds every symbol of a name.
///
/// # Errors
/// `NOT_FOUND` with the nearest name.
pub(crate) fn named<'a>(
    desk: &Desk<'a>,
    pattern: &Pattern,
    path: Option<&str>,
    kinds: Kinds,
    common: &Common,
    what: &str,
    doubts: &mut Doubts,
) -> Result<Vec<Hit<'a>>, Trouble> {
    // What the query excludes may still be what it asks about.
    let mut wanted = Wanted { pattern, kinds, locals: false, path, exclude: &[], what };
    let mut hits = find::hits(desk, &wanted, common, Way::Best, doubts)?;
    if hits.is_empty() && path.is_some() {
        wanted.locals = true;
        hits = find::hits(desk, &wanted, common, Way::Best, doubts)?;
    }
    hits.retain(|hit| hit.node.is_named());
    prefer_outer(&mut hits);
    if hits.is_empty() {
        return Err(unknown(desk, pattern, path, common, doubts));
    }
    Ok(hits)
}

/// Finds a use of something that is declared outside of the project, such as a trait of a library. The name may include
/// its module, a part of which is in the path of the declaring file.
fn from_outside<'a>(
    desk: &Desk<'a>,
    pattern: &Pattern,
    path: Option<&str>,
    common: &Common,
    what: &str,
    doubts: &mut Doubts,
) -> Option<Located<'a>> {
    let name = pattern.leaf();
    if !pattern.names_exactly(name) {
        return None;
    }
    let modules = pattern.in_modules().into_iter().next_back().map(|(module, _)| module).unwrap_or_default();
    let is_meant = |answer: &Result<Locations, Failure>| {
        let first = answer.as_ref().ok().and_then(|found| found.items.first());
        let is_there = |path: &str| modules.is_empty() || modules.iter().any(|module| path.contains(module));
        first.is_some_and(|one| is_there(&one.path))
    };
    for scope in desk.scopes(path).ok()? {
        let is_outside = |answer: &Result<Locations, Failure>| {
            let first = answer.as_ref().ok().and_then(|found| found.items.first());
            is_meant(answer) && first.is_some_and(|one| !scope.site.owns(&one.path))
        };
        let filter = FileFilter { containing: Some(name.to_owned()), ..scope::filter(&scope.under, OUTSIDE) };
        for file in scope.listed(&filter).ok()?.items {
            let Ok(text) = scope.site.workspace.text(&file.path) else { continue };
            let places = places_of(&text, name, &file);
            // A server that still reads the project does not know symbols outside it.
            if places.is_empty() || ready(scope.site, &file.language, common, what, |_| true, doubts).is_err()
            {
                continue;
            }
            let answers = scope.site.workspace.related(Relation::Definition, &places, common.timeout);
            let mut answered = places.into_iter().zip(answers.unwrap_or_default());
            if let Some((place, _)) = answered.find(|(_, answer)| is_outside(answer)) {
                let (site, word) = (scope.site, Some(name.to_owned()));
                return Some(Located {
                    site,
                    language: file.language,
                    places: vec![place],
                    declared: false,
                    word,
                    hits: Vec::new(),
                });
            }
        }
    }
    None
}

/// The first places of a word in the code of a file.
fn places_of(text: &str, name: &str, file: &File) -> Vec<Place> {
    let mut mentions = Masked::read(text, &file.language).mentions(name);
    mentions.retain(|one| one.part == Part::Code);
    mentions.into_iter().take(PLACES).map(|one| Place { path: file.path.clone(), at: one.at }).collect()
}

/// Leaves out symbols that are declared in a function body, if another symbol of that name is not: only code in that
/// body can mean them. It also leaves out a macro if a symbol has the same name, and a field with the name of a type:
/// Go gives an embedded field the name of its type, and the definition of the field is the type.
fn prefer_outer(hits: &mut Vec<Hit<'_>>) {
    if hits.iter().any(|hit| hit.node.kind != kinds::MACRO) {
        hits.retain(|hit| hit.node.kind != kinds::MACRO);
    }
    let types: BTreeSet<String> =
        hits.iter().filter(|hit| kinds::is_type(hit.node.kind)).map(|hit| hit.node.name.clone()).collect();
    hits.retain(|hit| hit.node.kind != kinds::FIELD || !types.contains(&hit.node.name));
    if hits.iter().any(|hit| !hit.in_code) {
        hits.retain(|hit| !hit.in_code);
    }
}

/// Starts the server of a language, waits until it knows the project, and checks whether it can answer.
///
/// # Errors
/// `NOT_READY` if the query wants only complete answers, `UNSUPPORTED`, and the reason why a server does not start.
pub(crate) fn ready(
    site: Site<'_>,
    language: &str,
    common: &Common,
    what: &str,
    can: impl Fn(&Abilities) -> bool,
    doubts: &mut Doubts,
) -> Result<Server, Trouble> {
    let prepared = site.workspace.prepare(language, common.wait);
    let server = prepared.map_err(|failure| Trouble::of(failure, what, common.timeout))?;
    if !can(&server.abilities) {
        return Err(unsupported(&server, what));
    }
    if crawl::is_loading(server.state) {
        if !common.allow_partial {
            return Err(crawl::not_ready(&server));
        }
        doubts.add(Reason::Loading);
    }
    // If a server knows the project and still reports a problem, it does not know all of the project.
    if server.state == State::Degraded || (server.state == State::Ready && server.message.is_some()) {
        doubts.add(Reason::Degraded);
        server.message.iter().for_each(|message| doubts.explain(Reason::Degraded, short(message)));
    }
    Ok(server)
}

/// The first lines of a server's message. The message may contain the whole output of another program.
fn short(message: &str) -> String {
    let words: Vec<&str> = message.split_whitespace().collect();
    let whole = words.join(" ");
    let cut: String = whole.chars().take(LONGEST_WORD).collect();
    if cut.len() < whole.len() { format!("{cut} …") } else { cut }
}

/// Says that a server does not answer a question, and which one may help.
pub(crate) fn unsupported(server: &Server, what: &str) -> Trouble {
    let other = if what == "references" { "findSymbols" } else { "references" };
    Trouble::new("UNSUPPORTED", format!("{} does not provide {what}; try {other}", server.profile))
}

/// Checks the answer of a server that could not read the project. If the answer is empty, every place of the name must
/// be settled.
///
/// # Errors
/// `DEGRADED`.
pub(crate) fn expect_some(server: &Server, found: usize, doubts: &Doubts) -> Result<(), Trouble> {
    if found > 0 || server.state != State::Degraded || !doubts.has(Reason::Degraded) {
        return Ok(());
    }
    let message = short(server.message.as_deref().unwrap_or("no reason given"));
    let said = format!("{} could not load the workspace: {message}", server.profile);
    Err(Trouble::new("DEGRADED", said).hint("outline, findSymbols and definition work"))
}

/// Says why a server has nothing to say about a place.
///
/// # Errors
/// `NOT_FOUND` if no name is there.
pub(crate) fn explain_nothing(
    located: &Located<'_>,
    server: &Server,
    what: &str,
    doubts: &mut Doubts,
) -> Result<(), Trouble> {
    let (name, Some(place)) = (located.name(), located.places.first()) else { return Ok(()) };
    if name.is_empty() {
        let (path, at) = (located.site.show(&place.path), place.at);
        return Err(Trouble::not_found(format!(
            "no name stands at {path}:{}:{}",
            at.line + 1,
            at.column + 1
        )));
    }
    let text = located.site.workspace.text(&place.path).unwrap_or_default();
    let part = Masked::read(&text, &located.language).part_at(place.at);
    match part {
        Some(Part::Comment) => doubts.note(format!("`{name}` stands in a comment")),
        Some(Part::Text) => doubts.note(format!("`{name}` stands in a string")),
        _ if reserved::is_keyword(&located.language, &name) => doubts.note(format!("`{name}` is a keyword")),
        _ => {
            doubts.add(Reason::Unresolved);
            doubts.note(format!("{} knows no {what} of `{name}` there", server.profile));
        }
    }
    Ok(())
}

/// A line and a character, both from 1 as in the query, and the name there.
struct Spot<'a> {
    path: &'a str,
    line: u32,
    character: Option<u32>,
    named: Option<&'a Pattern>,
}

/// The place of a line and a character; without a character, the place of the only target on the line.
fn place<'a>(desk: &Desk<'a>, spot: &Spot<'_>, common: &Common, what: &str) -> Result<Located<'a>, Trouble> {
    let (site, file) = desk.file(spot.path)?;
    let text = text_of_line(site, &file, spot.path, spot.line)?;
    let column = match spot.character {
        Some(character) => {
            let column = within(&text, spot.path, spot.line, character)?;
            spot.named.map_or(Ok(()), |named| is_called(site, &file, spot, column, named, common, what))?;
            column
        }
        None => only_on_line(site, &file, spot, &text, common, what)?,
    };
    let at = Position { line: spot.line - 1, column };
    Ok(Located {
        site,
        language: file.language,
        places: vec![Place { path: file.path, at }],
        declared: false,
        word: word_at(words(&text), column),
        hits: Vec::new(),
    })
}

/// Checks that the declaration at a place has the given name. A mere use there may have any name.
fn is_called(
    site: Site<'_>,
    file: &File,
    spot: &Spot<'_>,
    column: u32,
    named: &Pattern,
    common: &Common,
    what: &str,
) -> Result<(), Trouble> {
    let found =
        crawl::outlines(site, vec![file.clone()], &Share::Whole, common, true, what, &mut Doubts::default())?;
    let at = Position { line: spot.line - 1, column };
    let other = found.iter().find_map(|outline| outline.tree.named_at(at));
    match other.filter(|node| !named.matches(&node.containers, &node.name, Case::Exact)) {
        None => Ok(()),
        Some(node) => Err(Trouble::not_found(format!(
            "{}:{}:{} is {}, not \"{}\"; leave one of them out",
            spot.path,
            spot.line,
            column + 1,
            node.full_name(),
            named.text()
        ))),
    }
}

/// The end of the text that a query with a line and no character means.
pub(crate) enum Side {
    Start,
    End,
}

/// The place of a line and a character, both from 1; without a character, an end of the text on the line.
///
/// # Errors
/// `NOT_FOUND` if the file has no such place.
pub(crate) fn position(
    site: Site<'_>,
    file: &File,
    path: &str,
    (line, character): (u32, Option<u32>),
    side: &Side,
) -> Result<Position, Trouble> {
    let text = text_of_line(site, file, path, line)?;
    let column = match (character, side) {
        (Some(character), _) => within(&text, path, line, character)?,
        (None, Side::Start) => length(&text) - length(text.trim_start()),
        (None, Side::End) => length(text.trim_end()),
    };
    Ok(Position { line: line - 1, column })
}

fn length(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}

fn text_of_line(site: Site<'_>, file: &File, path: &str, line: u32) -> Result<String, Trouble> {
    let asked = [Line { path: file.path.clone(), number: line - 1 }];
    if let Some(Some(text)) = site.workspace.lines(&asked).into_iter().next() {
        return Ok(text);
    }
    let text = site.workspace.text(&file.path).map_err(|failure| Trouble::of(failure, "path", 0))?;
    let count = text.lines().count();
    Err(Trouble::not_found(format!("line {line} is past the end of {path} ({count} lines)")))
}

fn within(text: &str, path: &str, line: u32, character: u32) -> Result<u32, Trouble> {
    let count = text.chars().count();
    if count >= LONGEST_LINE && character as usize > count {
        let message = format!(
            "line {line} of {path} is longer than {LONGEST_LINE} characters; places further on cannot be asked about"
        );
        return Err(Trouble::not_found(message).hint("ask by symbol name"));
    }
    // The place after the last character counts, because a cursor can be there.
    if character as usize > count + 1 {
        let message =
            format!("character {character} is past the end of line {line} of {path} ({count} characters)");
        return Err(Trouble::not_found(message));
    }
    Ok(character - 1)
}

/// The column of the only symbol that is declared on a line; otherwise of the only local that is declared on it;
/// otherwise of the only name on it that has a meaning.
fn only_on_line(
    site: Site<'_>,
    file: &File,
    spot: &Spot<'_>,
    text: &str,
    common: &Common,
    what: &str,
) -> Result<u32, Trouble> {
    let (path, line) = (spot.path, spot.line);
    let mut columns: Vec<(u32, String)> = Vec::new();
    for locals in [false, true] {
        if columns.is_empty() {
            let files = vec![file.clone()];
            let found =
                crawl::outlines(site, files, &Share::Whole, common, locals, what, &mut Doubts::default())?;
            columns =
                found.iter().flat_map(|outline| declared_on(&outline.tree, line - 1, spot.named)).collect();
        }
    }
    if columns.is_empty() {
        columns = meaningful(site, file, line - 1, text, common);
        columns.retain(|(_, word)| spot.named.is_none_or(|named| named.matches(&[], word, Case::Exact)));
    }
    match columns.as_slice() {
        [] => Err(Trouble::not_found(format!("nothing on line {line} of {path} can be asked about"))),
        [(column, _)] => Ok(*column),
        many => Err(ambiguous_line(many, path, line)),
    }
}

fn declared_on(tree: &Tree, line: u32, named: Option<&Pattern>) -> Vec<(u32, String)> {
    let on = tree.nodes.iter().filter(|node| node.is_named() && node.name_range.start.line == line);
    let meant =
        on.filter(|node| named.is_none_or(|named| named.matches(&node.containers, &node.name, Case::Exact)));
    meant.map(|node| (node.name_range.start.column, node.name.clone())).collect()
}

/// The names on a line that have a definition. If several have the same one, only the first is returned.
fn meaningful(site: Site<'_>, file: &File, line: u32, text: &str, common: &Common) -> Vec<(u32, String)> {
    let mut words = words(text);
    words.truncate(WORDS);
    let place = |(column, _): &(u32, String)| Place {
        path: file.path.clone(),
        at: Position { line, column: *column },
    };
    let places: Vec<Place> = words.iter().map(place).collect();
    let Ok(answers) = site.workspace.related(Relation::Definition, &places, common.timeout) else {
        return Vec::new();
    };
    let mut seen = BTreeSet::new();
    let places = |items: Vec<Location>| items.into_iter().map(|one| (one.path, key(one.range.start)));
    let mut meant = |word: &(u32, String), items: Vec<Location>| {
        !items.is_empty() && seen.insert((word.1.clone(), places(items).collect::<Vec<_>>()))
    };
    let answered = words.into_iter().zip(answers);
    answered.filter_map(|(word, answer)| meant(&word, answer.ok()?.items).then_some(word)).collect()
}

/// The words of a line with their columns.
fn words(text: &str) -> Vec<(u32, String)> {
    let mut words: Vec<(u32, String)> = Vec::new();
    let mut inside = false;
    for (column, letter) in (0..).zip(text.chars()) {
        let part = letter.is_alphanumeric() || letter == '_' || letter == '$';
        match words.last_mut() {
            Some((_, word)) if part && inside => word.push(letter),
            _ if part => words.push((column, letter.to_string())),
            _ => {}
        }
        inside = part;
    }
    words.retain(|(_, word)| !word.starts_with(|letter: char| letter.is_ascii_digit()));
    words
}

fn word_at(words: Vec<(u32, String)>, column: u32) -> Option<String> {
    let spans =
        |(start, word): &(u32, String)| (*start..=start.saturating_add(length(word))).contains(&column);
    words.into_iter().find(spans).map(|(_, word)| word)
}

fn ambiguous_line(columns: &[(u32, String)], path: &str, line: u32) -> Trouble {
    let named: Vec<String> =
        columns.iter().map(|(column, name)| format!("{name} ({})", column + 1)).collect();
    let message =
        format!("line {line} of {path} has several symbols; add \"character\": {}", named.join(", "));
    let show = |(column, name): &(u32, String)| json!({"symbol": name, "path": path, "line": line, "character": column + 1});
    Trouble {
        candidates: columns.iter().take(CANDIDATES).map(show).collect(),
        ..Trouble::new("AMBIGUOUS", message)
    }
}

/// Returns the one symbol that all hits stand for: overloads in one file, or symbols of which the server gives one as
/// the definition of the other.
fn only<'a>(hits: Vec<Hit<'a>>, pattern: &Pattern, common: &Common) -> Result<Located<'a>, Trouble> {
    let first = hits[0].clone();
    let same_name =
        |hit: &Hit<'_>| hit.site.is(&first.site) && hit.node.full_name() == first.node.full_name();
    let overloads = hits.iter().all(|hit| hit.path == first.path && same_name(hit));
    let one_server = hits.iter().all(|hit| hit.site.is(&first.site)) && have_one_server(&hits);
    if !(overloads || one_server && are_linked(&hits, common)) {
        return Err(ambiguous(&hits, pattern));
    }
    let places: Vec<Place> = hits.iter().map(Hit::place).collect();
    let (places, declared) = match of_macro(&hits, &places) {
        Some(of_macro) => (vec![use_of(&first, &of_macro, common)?], false),
        None => (places, true),
    };
    Ok(Located { site: first.site, language: first.language, places, declared, word: None, hits })
}

/// The places of symbols that a C macro declares, if all are: there the text calls the macro, and a server answers
/// about the macro.
fn of_macro(hits: &[Hit<'_>], places: &[Place]) -> Option<Vec<Place>> {
    let first = &hits[0];
    if !matches!(crawl::naming(first.site, &first.language), Naming::Scoped) {
        return None;
    }
    let lines = first.site.lines(places.iter().map(|place| (place.path.clone(), place.at.line)));
    let is_call = |place: &Place| {
        let text = lines.get(&(place.path.clone(), place.at.line)).map_or("", String::as_str);
        let word = words(text).into_iter().find(|(column, _)| *column == place.at.column);
        // The name of an operator has several words.
        word.is_some_and(|(_, word)| !first.node.name.starts_with(&word))
    };
    places.iter().all(is_call).then(|| places.to_vec())
}

/// A place that uses a symbol that a macro declares at one of the places.
///
/// # Errors
/// `UNSUPPORTED` if no place is found.
fn use_of(hit: &Hit<'_>, of_macro: &[Place], common: &Common) -> Result<Place, Trouble> {
    let name = &hit.node.name;
    let is_meant = |one: &Location| {
        of_macro.iter().any(|own| own.path == one.path && own.at.line == one.range.start.line)
    };
    let filter = FileFilter { containing: Some(name.clone()), ..scope::filter("", OUTSIDE) };
    let files = Scope::new(hit.site, String::new()).listed(&filter).map(|files| files.items);
    for file in files.unwrap_or_default() {
        let Ok(text) = hit.site.workspace.text(&file.path) else { continue };
        let places = places_of(&text, name, &file);
        let answers = hit.site.workspace.related(Relation::Definition, &places, common.timeout);
        let mut answered = places.into_iter().zip(answers.unwrap_or_default());
        let leads = |answer: &Result<Locations, Failure>| {
            answer.as_ref().is_ok_and(|found| found.items.iter().any(is_meant))
        };
        if let Some((place, _)) = answered.find(|(_, answer)| leads(answer)) {
            return Ok(place);
        }
    }
    let message = format!("a macro declares `{name}`, and no text that was looked at names it");
    Err(Trouble::new("UNSUPPORTED", message).hint("ask about the macro, with kind \"macro\""))
}

/// Whether one server of one root reads the files of all hits. A header counts as C, although its declarations may be
/// C++.
fn have_one_server(hits: &[Hit<'_>]) -> bool {
    let languages: BTreeSet<&str> = hits.iter().map(|hit| hit.language.as_str()).collect();
    let reads = |server: &Server| languages.iter().all(|it| server.languages.iter().any(|own| own == it));
    languages.len() == 1 || hits[0].site.workspace.servers().iter().any(reads)
}

/// Whether the only results are a declaration and its definition, as in C: for one of them the server gives the other
/// as the definition.
fn are_linked(hits: &[Hit<'_>], common: &Common) -> bool {
    if hits.len() > CANDIDATES || hits.iter().any(|hit| hit.node.name != hits[0].node.name) {
        return false;
    }
    let places: Vec<Place> = hits.iter().map(Hit::place).collect();
    let Ok(answers) = hits[0].site.workspace.related(Relation::Definition, &places, common.timeout) else {
        return false;
    };
    // Overloads in one file count as one symbol, even if their definitions are in different files.
    let twin = |hit: &Hit<'_>| {
        let is = |one: &Hit<'_>| one.path == hit.path && one.node.full_name() == hit.node.full_name();
        hits.iter().position(is).unwrap_or_default()
    };
    let mut group: Vec<usize> = hits.iter().map(twin).collect();
    let mut targets: BTreeMap<(String, (u32, u32)), usize> = BTreeMap::new();
    for (from, answer) in answers.into_iter().enumerate() {
        for location in answer.map(|found| found.items).unwrap_or_default() {
            let at = (location.path.clone(), key(location.range.start));
            let own = hits.iter().position(|hit| hit.path == at.0 && key(hit.node.name_range.start) == at.1);
            let to = own.unwrap_or_else(|| *targets.entry(at).or_insert(from));
            let (old, new) = (group[to], group[from]);
            group.iter_mut().filter(|one| **one == old).for_each(|one| *one = new);
        }
    }
    group.iter().all(|one| *one == group[0])
}

fn ambiguous(hits: &[Hit<'_>], pattern: &Pattern) -> Trouble {
    // A question about one overload has the same answer as a question about all of them.
    let mut one_each: Vec<&Hit<'_>> = Vec::new();
    for hit in hits {
        let is_twin = |one: &&Hit<'_>| {
            one.site.is(&hit.site)
                && one.path == hit.path
                && one.node.full_name() == hit.node.full_name()
                && kinds::are_overloads(one.node.kind, hit.node.kind)
        };
        if !one_each.iter().any(is_twin) {
            one_each.push(hit);
        }
    }
    let show = |hit: &Hit<'_>| -> Json {
        let start = hit.node.name_range.start;
        json!({
            "symbol": hit.node.full_name(),
            "kind": kinds::name(hit.node.kind),
            "path": hit.site.show(&hit.path),
            "line": start.line + 1,
            "character": start.column + 1,
        })
    };
    let message = format!("\"{}\" matches {} symbols; ask about one of them", pattern.text(), one_each.len());
    Trouble {
        candidates: one_each.into_iter().take(CANDIDATES).map(show).collect(),
        ..Trouble::new("AMBIGUOUS", message)
    }
    .hint("add \"path\" and \"line\", a longer name such as \"Class.method\", or \"kind\"")
}

/// Says that there is no such symbol, and suggests a similar one. If the search was incomplete, it says that too.
fn unknown(
    desk: &Desk<'_>,
    pattern: &Pattern,
    path: Option<&str>,
    common: &Common,
    doubts: &Doubts,
) -> Trouble {
    let mut message = format!("no symbol matches \"{}\"", pattern.text());
    if let Some(near) = nearest(desk, pattern, path, common) {
        message.push_str("; nearest: ");
        message.push_str(&near);
    }
    let trouble = Trouble::not_found(message);
    if doubts.is_complete() {
        return trouble;
    }
    let notes = doubts.notes().map(|notes| format!("; {notes}")).unwrap_or_default();
    trouble.hint(format!("not everything was looked at: {}{notes}", doubts.reasons().join(", ")))
}

fn nearest(desk: &Desk<'_>, pattern: &Pattern, path: Option<&str>, common: &Common) -> Option<String> {
    let mut best: Option<(usize, String)> = None;
    for scope in desk.scopes(path).ok()? {
        for (distance, shown) in near_in(&scope, pattern, common)? {
            if best.as_ref().is_none_or(|(least, _)| distance < *least) {
                best = Some((distance, shown));
            }
        }
    }
    best.filter(|(distance, _)| *distance <= pattern.leaf().chars().count().div_ceil(2))
        .map(|(_, shown)| shown)
}

fn near_in(scope: &Scope<'_>, pattern: &Pattern, common: &Common) -> Option<Vec<(usize, String)>> {
    let files = scope.list(NEAR).ok().filter(|files| !files.truncated)?;
    let mut doubts = Doubts::default();
    let outlines =
        crawl::outlines(scope.site, files.items, &Share::Whole, common, false, "outline", &mut doubts)
            .ok()?;
    let mut found = Vec::new();
    for outline in &outlines {
        for node in outline.tree.nodes.iter().filter(|node| node.is_named()) {
            let distance = near::distance(&node.name, pattern.leaf())
                .min(near::distance(&node.full_name(), pattern.text()));
            let place =
                format!("{}:{}", outline.site.show(&outline.file.path), node.name_range.start.line + 1);
            found.push((distance, format!("{} ({place})", node.full_name())));
        }
    }
    Some(found)
}
