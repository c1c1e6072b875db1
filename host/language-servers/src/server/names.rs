//! Finds the position of a symbol's name in the text, whatever the server reports: quoted names, names that a server
//! places at the start of a statement or value, and characters that it normalizes.

use crate::text::Text;
use crate::types::{Position, Range, Symbol};

/// LSP's symbol kind of a constructor.
const CONSTRUCTOR: u8 = 9;

/// A name that is not in the text because the server invents it.
const MADE_UP: &str = "<constructor>";

/// The text that may come between a name and its value.
const GIVEN: [&str; 4] = ["=", ":", "= async", ": async"];

/// Corrects a symbol so that it begins at its name, has the name as in the text, and ends with its last character.
pub(super) fn settle(symbol: &mut Symbol, text: &Text) {
    let range = symbol.name_range;
    let line = text.line(range.start.line).unwrap_or_default();
    let last = if range.end.line == range.start.line { range.end.column } else { u32::MAX };
    let said = text.part(range.start.line, range.start.column, last);
    // Java, Swift and C# add the parameters: `square(int)`, `square(_:)`, `Box<T>`.
    if is_word(said) && symbol.name.strip_prefix(said).is_some_and(|rest| rest.starts_with(['(', '<'])) {
        said.clone_into(&mut symbol.name);
    }
    if let Some((skipped, inner)) = quoted(said)
        && (inner == symbol.name || quoted(&symbol.name).is_some())
    {
        inner.clone_into(&mut symbol.name);
        symbol.name_range.start.column += length(skipped);
        symbol.name_range.end.column = symbol.name_range.start.column + length(inner);
    } else if is_word(&symbol.name) && words(said, &symbol.name).next() != Some(0) {
        if is_word(said) && !said.is_ascii() {
            said.clone_into(&mut symbol.name);
        } else if let Some(at) = found(line, range.start.column, &symbol.name) {
            let end = at + length(&symbol.name);
            symbol.name_range.start.column = at;
            symbol.name_range.end = Position { line: range.start.line, column: end };
        } else if symbol.kind == CONSTRUCTOR && symbol.name == "constructor" {
            MADE_UP.clone_into(&mut symbol.name);
        }
    }
    symbol.location.range.end = trimmed(symbol.location.range.end, symbol.name_range.end, text);
}

/// Finds the name of a symbol for which the server gives only the whole range: `function name {`.
pub(super) fn find(symbol: &mut Symbol, text: &Text) {
    let start = symbol.location.range.start;
    let said = text.part(start.line, start.column, u32::MAX);
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
    let alone = |(at, _): &(usize, &str)| {
        !said[..*at].ends_with(is_part) && !said[at + symbol.name.len()..].starts_with(is_part)
    };
    if let Some((at, name)) = said.match_indices(&symbol.name).find(alone) {
        let column = start.column + length(&said[..at]);
        let end = Position { line: start.line, column: column + length(name) };
        symbol.name_range = Range { start: Position { line: start.line, column }, end };
    }
}

fn byte(line: &str, column: u32) -> usize {
    line.char_indices().nth(column as usize).map_or(line.len(), |(at, _)| at)
}

fn length(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}

/// Returns the text before a quoted name, and the name: `'a'`, `["a"]`.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text).trim();
    let quote = bare.chars().next().filter(|letter| matches!(letter, '"' | '\'' | '`'))?;
    let inner = bare.strip_prefix(quote)?.strip_suffix(quote)?;
    let at = text.len() - text.trim_start_matches('[').trim_start().len() + 1;
    (!inner.is_empty() && !inner.contains(quote)).then(|| (&text[..at], inner))
}

/// Tells whether all characters can be part of a name.
pub(super) fn is_word(name: &str) -> bool {
    let part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    !name.is_empty() && name.trim_start_matches('#').chars().all(part)
}

/// Returns the column of a name on its line: where a value is assigned to it, or else the first occurrence after
/// `column`.
fn found(line: &str, column: u32, name: &str) -> Option<u32> {
    let (before, behind) = line.split_at(byte(line, column));
    let given = words(before, name).last().filter(|at| GIVEN.contains(&before[at + name.len()..].trim()));
    let at = given.or_else(|| words(behind, name).next().map(|at| before.len() + at))?;
    Some(length(&line[..at]))
}

/// Returns the positions where a name is not part of a longer one.
fn words<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    let part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    text.match_indices(name)
        .map(|(at, _)| at)
        .filter(move |at| !text[..*at].ends_with(part) && !text[at + name.len()..].starts_with(part))
}

/// Moves an end back over spaces and line breaks, but not before the end of the name.
fn trimmed(end: Position, least: Position, text: &Text) -> Position {
    let key = |at: Position| (at.line, at.column);
    let mut end = end;
    loop {
        let before = text.part(end.line, 0, end.column).trim_end();
        let column = text.column_of(end.line, before.len());
        let moved = match (before.is_empty(), end.line) {
            (true, 1..) => Position { line: end.line - 1, column: u32::MAX },
            _ => Position { line: end.line, column },
        };
        if key(moved) < key(least) {
            return least;
        }
        if !before.is_empty() || end.line == 0 {
            return moved;
        }
        end = moved;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Location, Range};

    /// Checks a symbol whose name is reported at `from` to `to` of the second line against its real position.
    fn check(line: &str, name: &str, (from, to): (u32, u32), expected: (&str, u32)) {
        let text = Text::new(format!("\n{line}\n\n\n"));
        let at = |line, column| Position { line, column };
        let mut symbol = Symbol {
            name: name.to_owned(),
            kind: if name == "constructor" { CONSTRUCTOR } else { 12 },
            detail: None,
            location: Location { path: "a".to_owned(), range: Range { start: at(1, 0), end: at(4, 0) } },
            name_range: Range { start: at(1, from), end: at(1, to) },
            container: None,
            parent: None,
            deprecated: false,
        };
        settle(&mut symbol, &text);
        assert_eq!((symbol.name.as_str(), symbol.name_range.start.column), expected, "{line}");
        assert_eq!(symbol.location.range.end, at(1, length(line)), "{line}");
    }

    #[test]
    fn a_name_in_quotes_is_what_they_hold() {
        check("  'a-b': 1,", "\"a-b\"", (2, 7), ("a-b", 3));
        check("  [\"a\"]: 1,", "\"a\"", (2, 7), ("a", 4));
        check("  [`a`]: 1,", "`a`", (2, 7), ("a", 4));
        check("__slots__ = ('é', \"s\")", "s", (18, 21), ("s", 19));
        check("  [Symbol.iterator]() {}", "[Symbol.iterator]", (2, 19), ("[Symbol.iterator]", 2));
        check("  '': 1,", "\"\"", (2, 4), ("\"\"", 2));
    }

    #[test]
    fn a_name_is_where_it_stands() {
        check("export function over(a) {}", "over", (0, 26), ("over", 16));
        check("exports.init = function (app) {}", "init", (15, 23), ("init", 8));
        check("  this.run = async () => run()", "run", (13, 30), ("run", 7));
        check("é.prototype.ü = function () {}", "ü", (16, 24), ("ü", 12));
        check("export default class {}", "default", (0, 0), ("default", 7));
        check("fn r#type() {}", "type", (3, 9), ("type", 5));
        check("MAKE(other)", "made", (0, 4), ("made", 0));
        check("a.b = bb => 1", "b", (6, 13), ("b", 2));
        check("    public int square(int x) {", "square(int)", (15, 21), ("square", 15));
        check("class Box<T> {", "Box<T>", (6, 9), ("Box", 6));
        check("  func take(_ x: Int) {", "take(_:)", (7, 11), ("take", 7));
    }

    #[test]
    fn letters_are_those_of_the_text() {
        check("def 𝕗𝕦𝕟(): return 1", "fun", (4, 7), ("𝕗𝕦𝕟", 4));
        check("größe = 1", "größe", (0, 5), ("größe", 0));
    }

    #[test]
    fn what_is_made_up_is_called_so() {
        check("function Old() { this.a = 1; }", "constructor", (0, 30), (MADE_UP, 0));
        check("  constructor() {}", "constructor", (2, 13), ("constructor", 2));
    }
}
