//! Uses that a server's own search misses. rust-analyzer does not find all of what stands in calls of macros, and not the
//! same each time, and gopls nothing in files for another system; what a place means they know better. So places where the name stands in the text and no use was found
//! are asked about one by one, and those that mean nothing to the server are told.

use std::collections::BTreeSet;

use crate::doubts::{Doubts, Reason};
use crate::request::Common;
use crate::scope::{self, Scope, Site};
use crate::tree::{Spot, key};
use crate::world::{FileFilter, Location, Naming, Place, Position, Range, Relation, Server};

/// The most files whose text is searched.
const FILES: u32 = 400;

/// The most places that are asked about.
const PLACES: usize = 1_000;

/// Whose uses are wanted.
pub(crate) struct Used<'a> {
    pub(crate) name: &'a str,
    /// Where it is declared.
    pub(crate) declared: &'a BTreeSet<(String, Spot)>,
    /// Where it is used, as far as the server has found out.
    pub(crate) found: &'a [Location],
}

/// Tells whether a server's search is known to miss uses: those in calls of macros, or in files for another system.
pub(crate) fn can_miss(server: &Server) -> bool {
    matches!(server.naming, Naming::Rust | Naming::Receiver)
}

/// Returns further uses, and adds a doubt for places that mean nothing to the server.
pub(crate) fn uses(
    site: Site<'_>,
    server: &Server,
    used: &Used<'_>,
    common: &Common,
    doubts: &mut Doubts,
) -> Vec<Location> {
    if !can_miss(server) || used.name.is_empty() {
        return Vec::new();
    }
    let places = open(site, server, used, doubts);
    let Ok(answers) = site.workspace.related(Relation::Definition, &places, common.timeout) else {
        return Vec::new();
    };
    let (mut more, mut unknown) = (Vec::new(), Vec::new());
    for (place, answer) in places.iter().zip(answers) {
        let meant = answer.map(|found| found.items).unwrap_or_default();
        let is_declared = |one: &Location| used.declared.contains(&(one.path.clone(), key(one.range.start)));
        if meant.iter().any(is_declared) {
            more.push(location(place, used.name));
        } else if meant.is_empty() {
            unknown.push(format!("{}:{}", site.show(&place.path), place.at.line + 1));
        }
    }
    doubts.inactive("this build leaves out code, or macros hold some, that has the name", &unknown, "places");
    more
}

fn location(place: &Place, name: &str) -> Location {
    let length = u32::try_from(name.chars().count()).unwrap_or(u32::MAX);
    let end = Position { line: place.at.line, column: place.at.column.saturating_add(length) };
    Location { path: place.path.clone(), range: Range { start: place.at, end } }
}

/// The places of the name at which no use is known.
fn open(site: Site<'_>, server: &Server, used: &Used<'_>, doubts: &mut Doubts) -> Vec<Place> {
    let scope = Scope { site, under: String::new() };
    let (languages, containing) = (server.languages.clone(), Some(used.name.to_owned()));
    let wanted = FileFilter { languages, containing, ..scope::filter("", FILES) };
    let Ok(files) = scope.listed(&wanted) else { return Vec::new() };
    let known: BTreeSet<(&str, Spot)> =
        used.found.iter().map(|one| (one.path.as_str(), key(one.range.start))).collect();
    let mut places = Vec::new();
    for file in &files.items {
        let Ok(text) = site.workspace.text(&file.path) else { continue };
        let is_open = |at: &Position| {
            !known.contains(&(file.path.as_str(), key(*at)))
                && !used.declared.contains(&(file.path.clone(), key(*at)))
        };
        let here = words(&text, used.name).into_iter().filter(is_open);
        places.extend(here.map(|at| Place { path: file.path.clone(), at }));
    }
    if files.truncated || places.len() > PLACES {
        doubts.add(Reason::FileCap);
        doubts.note("the name stands in too many places to ask about each; uses in macros may be missing");
    }
    places.truncate(PLACES);
    places
}

/// Where a word stands in a text of Rust or Go, outside of comments and texts. Most of a text is passed over: only what
/// begins something that could hold the word is looked at.
fn words(text: &str, name: &str) -> Vec<Position> {
    let alone = |(at, _): &(usize, &str)| {
        !text[..*at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part)
    };
    let mut found = Vec::new();
    let (mut line, mut begin, mut at) = (0_u32, 0, 0);
    for (word, _) in text.match_indices(name).filter(alone) {
        while let Some(special) =
            text.as_bytes()[at.min(word)..word].iter().position(|byte| is_special(*byte))
        {
            at += special;
            at += skipped(text, at).max(1);
        }
        if at > word {
            continue;
        }
        at = word;
        let passed = &text[begin..word];
        if let Some(last) = passed.rfind('\n') {
            let lines = passed.bytes().filter(|byte| *byte == b'\n').count();
            line = line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
            begin += last + 1;
        }
        let column = u32::try_from(text[begin..word].chars().count()).unwrap_or(u32::MAX);
        found.push(Position { line, column });
    }
    found
}

fn is_part(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn is_special(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'/' | b'`')
}

/// The length of the comment, the text or the letter that begins at a place, 0 where none does.
fn skipped(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    match rest.as_bytes()[0] {
        b'"' => raw(&text[..at], rest).unwrap_or_else(|| quoted(rest)),
        b'\'' => letter(rest),
        // Go's texts of several lines.
        b'`' => rest[1..].find('`').map_or(rest.len(), |end| end + 2),
        _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
        _ if rest.starts_with("/*") => comment(rest),
        _ => 0,
    }
}

/// The length of a text behind `r`, `br#` and the like.
fn raw(before: &str, rest: &str) -> Option<usize> {
    let bare = before.trim_end_matches('#');
    let letters = bare.len() - bare.trim_end_matches(is_part).len();
    if !matches!(&bare[bare.len() - letters..], "r" | "br" | "cr") {
        return None;
    }
    let end = format!("\"{}", "#".repeat(before.len() - bare.len()));
    Some(rest[1..].find(&end).map_or(rest.len(), |at| 1 + at + end.len()))
}

/// Comments of Rust hold comments.
fn comment(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let (mut depth, mut at) = (0, 0);
    while at < bytes.len() {
        let step = match bytes[at..] {
            [b'/', b'*', ..] => 1,
            [b'*', b'/', ..] => -1,
            _ => 0,
        };
        depth += step;
        at += if step == 0 { 1 } else { 2 };
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

fn quoted(rest: &str) -> usize {
    let mut letters = rest.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return at + 1,
            '\\' => drop(letters.next()),
            _ => {}
        }
    }
    rest.len()
}

/// `'a'` is a letter, `'a` a lifetime.
fn letter(rest: &str) -> usize {
    let mut letters = rest.char_indices().skip(1);
    match letters.next() {
        Some((_, '\\')) => {
            rest.char_indices().skip(3).find(|(_, letter)| *letter == '\'').map_or(1, |(at, _)| at + 1)
        }
        Some(_) => letters.next().filter(|(_, letter)| *letter == '\'').map_or(1, |(at, _)| at + 1),
        None => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(u32, u32)]) {
        let found: Vec<Spot> = words(text, "a").into_iter().map(key).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn words_outside_of_comments_and_texts() {
        check("a b.a\n  a_b a", &[(0, 0), (0, 4), (1, 6)]);
        check("/* a /* a */ a */ a // a\na", &[(0, 18), (1, 0)]);
        check("\"a \\\" a\" a r#\"a \" a\"# a b\"a\" a r\"a\\\" a", &[(0, 9), (0, 22), (0, 29), (0, 37)]);
        check("'a' a <'a> '\\'' a '\\u{61}' a 'é' a", &[(0, 4), (0, 8), (0, 16), (0, 27), (0, 33)]);
        check("\"x\ny\" a\nr#a", &[(1, 3), (2, 2)]);
        check("é a /*", &[(0, 2)]);
        check("a `a\na` a ` a", &[(0, 0), (1, 3)]);
    }
}
