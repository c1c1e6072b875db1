//! Which symbols are only names of something imported, or exported again. Some servers list these as variables; nobody
//! who looks for a declaration wants them.

use std::collections::{BTreeMap, BTreeSet};

use crate::scope::Site;

/// How many lines an import statement is looked for above one of its names.
const ABOVE: u32 = 60;

/// A line of a file that may belong to an import.
pub(crate) type Line = (String, u32);

/// Tells whether a language's servers are known to list imports.
pub(crate) fn are_listed(language: &str) -> bool {
    matches!(language, "python" | "typescript" | "javascript" | "typescriptreact" | "javascriptreact")
}

/// Returns which of the lines belong to an import. Asks for the lines, and for those above what may be the middle of a
/// long import.
pub(crate) fn among(site: Site<'_>, lines: &BTreeSet<Line>) -> BTreeSet<Line> {
    if lines.is_empty() {
        return BTreeSet::new();
    }
    let texts = site.lines(lines.iter().cloned());
    let middle: Vec<&Line> =
        lines.iter().filter(|line| texts.get(*line).is_some_and(|text| is_member(text))).collect();
    let above = middle.iter().flat_map(|(path, number)| {
        (number.saturating_sub(ABOVE)..*number).map(|above| (path.clone(), above))
    });
    let context = if middle.is_empty() { BTreeMap::new() } else { site.lines(above) };
    let imported = |line: &&Line| {
        texts
            .get(*line)
            .is_some_and(|text| is_begin(text) || (is_member(text) && begins_above(line, &context)))
    };
    lines.iter().filter(imported).cloned().collect()
}

/// `import x`, `from x import y`, `import {`, `import type X from`, `export { X }`; not the call `import(…)`.
pub(crate) fn is_begin(text: &str) -> bool {
    let text = text.trim_start();
    let word = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next().unwrap_or("");
    match word {
        "import" => !text["import".len()..].trim_start().starts_with(['(', '.', '=']),
        "from" => text.contains(" import"),
        "export" => {
            let rest = text["export".len()..].trim_start();
            let rest = rest.strip_prefix("type ").map_or(rest, str::trim_start);
            rest.starts_with(['{', '*'])
        }
        _ => false,
    }
}

/// Nothing but names, `as` and commas, perhaps with the end of the import: a line in the middle of one.
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

/// Goes up over lines of members, comments and nothing, to the line that begins an import.
fn begins_above((path, number): &Line, context: &BTreeMap<Line, String>) -> bool {
    for above in (number.saturating_sub(ABOVE)..*number).rev() {
        let Some(text) = context.get(&(path.clone(), above)) else { return false };
        if is_begin(text) {
            return text.trim_end().ends_with(['{', '(', ',', '\\']);
        }
        let bare = text.trim_start();
        if !(bare.is_empty() || bare.starts_with("//") || bare.starts_with('#') || is_member(text)) {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, imported: &[u32]) {
        let context: BTreeMap<Line, String> = text
            .lines()
            .enumerate()
            .map(|(number, line)| (("a".to_owned(), number as u32), line.to_owned()))
            .collect();
        let is = |(line, text): &(&Line, &String)| {
            is_begin(text) || (is_member(text) && begins_above(line, &context))
        };
        let found: Vec<u32> = context.iter().filter(is).map(|((_, number), _)| *number).collect();
        assert_eq!(found, imported, "{text}");
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
        check("enum E {\n  A,\n  B,\n}", &[]);
        check("import('x')\nimport.meta", &[]);
    }
}
