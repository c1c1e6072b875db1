//! Finds symbols that are only imported or re-exported names. Some servers list these as variables, but no one who
//! looks for a declaration wants them.

use std::collections::{BTreeMap, BTreeSet};

use crate::scope::Site;

/// How many lines above a name to search first for the beginning of its import.
const ABOVE: u32 = 40;

/// The maximum number of searches further up.
const ROUNDS: usize = 100;

/// A line of a file.
pub(crate) type Line = (String, u32);

/// The beginning of a name that may belong to an import: its line and its column.
pub(crate) type Spot = (Line, u32);

/// Tells whether a language's servers are known to list imports.
pub(crate) fn are_listed(language: &str) -> bool {
    matches!(language, "python" | "typescript" | "javascript" | "typescriptreact" | "javascriptreact")
}

/// Returns the names that belong to an import. It reads their lines. If a line may be in the middle of a long import,
/// it also reads the lines above.
pub(crate) fn among(site: Site<'_>, spots: &BTreeSet<Spot>) -> BTreeSet<Spot> {
    if spots.is_empty() {
        return BTreeSet::new();
    }
    let mut above = Above::default();
    above.read(site, spots.iter().map(|(line, _)| line.clone()));
    let middle = |(line, column): &Spot| {
        above.texts.get(line).is_some_and(|text| !is_begin(text) && is_member(text) && first(text, *column))
    };
    let middle: BTreeSet<Line> =
        spots.iter().filter(|spot| middle(spot)).map(|(line, _)| line.clone()).collect();
    above.find(site, &middle);
    let imported = |(line, column): &&Spot| {
        above.texts.get(line).is_some_and(|text| is_imported(text, *column))
            || middle.contains(line) && above.begins(line)
    };
    spots.iter().filter(imported).cloned().collect()
}

/// Tells whether a name on a line belongs to an import that begins on that line.
pub(crate) fn is_imported(text: &str, column: u32) -> bool {
    is_begin(statement(text, column))
}

/// The rest of a line, from the beginning of the statement at a column.
fn statement(text: &str, column: u32) -> &str {
    let end = text.char_indices().nth(column as usize).map_or(text.len(), |(at, _)| at);
    text[..end].rfind(';').map_or(text, |at| &text[at + 1..])
}

/// Whether no other statement ends before a column.
fn first(text: &str, column: u32) -> bool {
    statement(text, column).len() == text.len()
}

/// Lines that were read, and whether an import continues over them.
#[derive(Default)]
struct Above {
    texts: BTreeMap<Line, String>,
    /// For each line, whether an import begins above it and has not ended.
    known: BTreeMap<Line, bool>,
}

impl Above {
    fn read(&mut self, site: Site<'_>, lines: impl IntoIterator<Item = Line>) {
        let wanted: Vec<Line> = lines.into_iter().filter(|line| !self.texts.contains_key(line)).collect();
        if !wanted.is_empty() {
            self.texts.extend(site.lines(wanted));
        }
    }

    /// Reads further up until it knows for every line what begins above it.
    fn find(&mut self, site: Site<'_>, lines: &BTreeSet<Line>) {
        for _ in 0..ROUNDS {
            let missing: Vec<Line> = lines.iter().filter_map(|line| self.climb(line)).collect();
            if missing.is_empty() {
                return;
            }
            let further = missing.into_iter().flat_map(|(path, number)| {
                (number.saturating_sub(ABOVE)..=number).map(move |line| (path.clone(), line))
            });
            let before = self.texts.len();
            self.read(site, further);
            if self.texts.len() == before {
                return;
            }
        }
    }

    /// Goes down to the line that ends a pattern. A line that is missing must be read first.
    fn descend(&self, path: &str, from: u32) -> Result<&str, Line> {
        for below in from..from.saturating_add(ABOVE) {
            let line = (path.to_owned(), below);
            match self.texts.get(&line) {
                None => return Err(line),
                Some(text) if text.contains('}') => return Ok(text),
                Some(_) => {}
            }
        }
        Ok("")
    }

    fn begins(&self, line: &Line) -> bool {
        self.known.get(line) == Some(&true)
    }

    /// Goes up over lines of members, comments and blank lines, to the line that begins an import. Returns the line
    /// that it must read next.
    fn climb(&mut self, (path, from): &Line) -> Option<Line> {
        let mut visited = vec![(path.clone(), *from)];
        let mut begins = false;
        for above in (0..*from).rev() {
            let line = (path.clone(), above);
            let Some(text) = self.texts.get(&line) else { return Some(line) };
            if is_pattern(text) {
                begins = match self.descend(path, *from) {
                    Ok(end) => is_required(end),
                    Err(missing) => return Some(missing),
                };
                break;
            }
            if is_begin(text) {
                begins = without_comment(text).trim_end().ends_with(['{', '(', ',', '\\']);
                break;
            }
            if !is_between(text) {
                break;
            }
            if let Some(known) = self.known.get(&line) {
                begins = *known;
                break;
            }
            visited.push(line);
        }
        self.known.extend(visited.into_iter().map(|line| (line, begins)));
        None
    }
}

fn without_comment(text: &str) -> &str {
    let text = text.split(" #").next().unwrap_or(text);
    text.split("//").next().unwrap_or(text)
}

/// The text that may come between the lines of an import.
fn is_between(text: &str) -> bool {
    let bare = text.trim_start();
    bare.is_empty() || ["//", "/*", "*", "#"].iter().any(|mark| bare.starts_with(mark)) || is_member(text)
}

/// The first line of `const {`, `a,` and `} = require('x')`.
fn is_pattern(text: &str) -> bool {
    let text = without_comment(text).trim();
    text.strip_suffix('{').is_some_and(|word| matches!(word.trim_end(), "const" | "let" | "var"))
}

/// `… = require('x')` and `… = require('x').y`; not what a call of either returns.
fn is_required(text: &str) -> bool {
    let Some((_, rest)) = text.split_once("= require(") else { return false };
    let Some((_, rest)) = rest.split_once(')') else { return false };
    let is_path = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '_' | '$');
    without_comment(rest).trim().trim_end_matches(';').chars().all(is_path)
}

/// `import x`, `from x import y`, `import {`, `import type X from`, `export { X }`, `const x = require(…)`; not the
/// call `import(…)`.
fn is_begin(text: &str) -> bool {
    let text = text.trim_start();
    let word = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next().unwrap_or("");
    match word {
        "import" => !text["import".len()..].trim_start().starts_with(['(', '.', '=']),
        "from" => text.contains(" import"),
        "const" | "let" | "var" => is_required(text),
        "export" => {
            let rest = text["export".len()..].trim_start();
            let rest = rest.strip_prefix("type ").map_or(rest, str::trim_start);
            rest.starts_with(['{', '*'])
        }
        _ => false,
    }
}

/// A line in the middle of an import: nothing but names, `as` and commas, perhaps with the end of the import.
fn is_member(text: &str) -> bool {
    let text = text.split(['#', '}', ')']).next().unwrap_or(text);
    let text = text.split("//").next().unwrap_or(text).trim();
    let part = |part: &str| {
        let words: Vec<&str> = part.split_whitespace().filter(|word| *word != "type").collect();
        let named = |word: &&str| {
            word.chars().all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '$')
        };
        matches!(words.len(), 0 | 1 | 3) && words.iter().all(named) && (words.len() < 3 || words[1] == "as")
    };
    !text.is_empty() && text.split(',').all(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, imported: &[u32]) {
        let lines = text.lines().enumerate().map(|(number, line)| (number as u32, line.to_owned()));
        let mut above = Above {
            texts: lines.map(|(number, line)| (("a".to_owned(), number), line)).collect(),
            known: BTreeMap::new(),
        };
        let lines: Vec<Line> = above.texts.keys().cloned().collect();
        lines.iter().for_each(|line| assert_eq!(above.climb(line), None));
        let is = |line: &&Line| {
            let text = &above.texts[*line];
            is_begin(text) || (is_member(text) && above.begins(line))
        };
        let found: Vec<u32> = lines.iter().filter(is).map(|(_, number)| *number).collect();
        assert_eq!(found, imported, "{text}");
    }

    #[test]
    fn a_line_can_hold_more_than_an_import() {
        for (text, column, expected) in [
            ("import os; x = 1", 7, true),
            ("import os; x = 1", 11, false),
            ("x = 1; import os", 0, false),
            ("x = 1; import os", 14, true),
            ("é = ';'; from a import b", 23, true),
        ] {
            assert_eq!(is_imported(text, column), expected, "{text} {column}");
        }
    }

    #[test]
    fn imports_are_told_from_declarations() {
        check("import os\nfrom a import b as c\nx = 1\nimport_me = 2", &[0, 1]);
        check("from a import (\n    b,\n    c as d,  # why\n)\nE\n", &[0, 1, 2]);
        check("import {\n  a,\n  // why\n  type B,\n  c as d } from 'x';\nconst e = 1;", &[0, 1, 3, 4]);
        check("import type { A } from 'a';\nexport const x = 1;\nconst l = await import('y');", &[0]);
        check(
            "export { A } from 'a';\nexport type {\n  B,\n} from 'b';\nexport * as c from 'c';\nexport type D = {\n};",
            &[0, 1, 2, 4],
        );
        check("import {\n  /* why */\n  a,\n  /**\n   * what\n   */\n  b,\n} from 'x';", &[0, 2, 6]);
        check("from a import (  # noqa\n    b,\n)\nimport { // why\n  #c,\n  d } from 'x';", &[0, 1, 3, 5]);
        check("enum E {\n  A,\n  B,\n}", &[]);
        check(
            "const a = require('a')\nvar { b, c: d } = require('b'); // why\nlet e = require('e').f.g;",
            &[0, 1, 2],
        );
        check("const a = require('a')('b')\nconst b = require('b'), c = 1\nconst c = f(require('c'))", &[]);
        check("const {\n  a,\n  b,\n} = require('x')\nconst {\n  c,\n} = f()", &[1, 2]);
        check("import('x')\nimport.meta", &[]);
    }
}
