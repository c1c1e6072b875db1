//! Recognizes names that an import binds. If a server gives an import as a definition, it could not follow the import.

use super::code_lines;
use crate::code::Code;
use crate::profile::{Dialect, Words};
use crate::text::Text;
use crate::types::Position;

/// The most lines above a name to search for the beginning of its import.
const ABOVE: usize = 200;

/// Whether an import binds the name at a place, and the symbol behind it can have this name. Rust, C and the like
/// give no definition for an import that they cannot follow.
pub(super) fn binds(text: &Text, words: Words, at: Position) -> bool {
    match words {
        Words::Script => in_script(text, at),
        Words::Python => in_python(text, at),
        Words::C | Words::Rust => false,
    }
}

fn in_script(text: &Text, at: Position) -> bool {
    let code = Code::read(text.as_str(), Dialect::Script, &[]);
    let Some(own) = code.at(text.offset(at)) else { return false };
    let original = code.word(own.saturating_sub(2));
    let is_other = !matches!(original, "*" | "default") && original != code.word(own);
    if code.before(own) == "as" && is_other {
        return false;
    }
    is_imported(&code, own) || is_required(&code, own)
}

/// `import X`, `import X, { Y }`, `import type { X }`, `import * as X` and `export { X }`.
fn is_imported(code: &Code<'_>, own: usize) -> bool {
    let mut at = own;
    while let Some(before) = at.checked_sub(1) {
        match code.word(before) {
            // The tokenizer skips the path of an import, because it is a string. So a declaration may seem to follow an
            // import.
            "type" if matches!(code.word(own + 1), "=" | "<") => return false,
            "import" => return code.before(before) != ".",
            "export" => return matches!(code.word(before + 1), "{" | "*" | "type"),
            "," | "{" | "*" | "as" | "type" | "typeof" => {}
            _ if code.is_name(before) && matches!(code.word(at), "," | "as") => {}
            _ => return false,
        }
        at = before;
    }
    false
}

/// `const X = require(…)`, `const { X } = require(…)` and `const X = await import(…)`.
fn is_required(code: &Code<'_>, own: usize) -> bool {
    let mut at = own;
    // Without semicolons, the next statement may follow at once.
    let begins = |word: &str| matches!(word, "const" | "let" | "var");
    while !begins(code.word(at)) && code.is_name(at) || matches!(code.word(at), "," | ":" | "}") {
        at += 1;
    }
    let behind = [code.word(at), code.word(at + 1), code.word(at + 2)];
    matches!(behind, ["=", "require", "("] | ["=", "await", "import"])
}

/// `from a import X`, on one line or several. `import X` binds a module.
fn in_python(text: &Text, at: Position) -> bool {
    let lines: Vec<String> = code_lines(text).take(at.line as usize + 1).map(|(_, code)| code).collect();
    let Some((own, above)) = lines.split_last() else { return false };
    let before: String = own.chars().take(at.column as usize).collect();
    let name: String = own.chars().skip(at.column as usize).take_while(is_part).collect();
    let statement = before.rsplit([';', ':']).next().unwrap_or_default();
    let original = statement.trim_end().strip_suffix(" as");
    if original.is_some_and(|original| original.rsplit(|letter| !is_part(&letter)).next() != Some(&name)) {
        return false;
    }
    if is_begin(statement) {
        return true;
    }
    let is_member = |line: &str| line.chars().all(|letter| is_part(&letter) || " \t,\\".contains(letter));
    let mut above = above.iter().rev().take(ABOVE).skip_while(|line| is_member(line) && !is_begin(line));
    let begins = |line: &String| {
        let goes_on = line.contains('(') && !line.contains(')') || line.trim_end().ends_with('\\');
        goes_on && is_begin(line)
    };
    is_member(statement) && above.next().is_some_and(begins)
}

fn is_begin(statement: &str) -> bool {
    statement.trim_start().starts_with("from ") && statement.contains(" import")
}

fn is_part(letter: &char) -> bool {
    letter.is_alphanumeric() || *letter == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `|` marks the place.
    fn check(words: Words, marked: &str, expected: bool) {
        let before = &marked[..marked.find('|').unwrap()];
        let line = before.matches('\n').count();
        let column = before.rsplit('\n').next().unwrap().chars().count();
        let at = Position { line: line as u32, column: column as u32 };
        assert_eq!(binds(&Text::new(marked.replace('|', "")), words, at), expected, "{marked}");
    }

    #[test]
    fn imports_of_scripts() {
        for marked in [
            "import |X from 'x'",
            "import { type A, |X } from 'x'",
            "import A, {\n  b as c, // why\n  |X,\n} from 'x'",
            "import type { |X } from 'x'",
            "import * as |X from 'x'",
            "import { default as |X } from 'x'",
            "export { |X } from 'x'",
            "const { a, |X } = require('x')",
            "const |X = require('x').default",
            "const { |X } = await import('x')",
        ] {
            check(Words::Script, marked, true);
        }
        for marked in [
            "import { A as |X } from 'x'",
            "import 'x'\nclass |X {}",
            "import 'x'\ntype |X = 1",
            "import 'x'\ninterface |X {}",
            "export const |X = 1",
            "export const { a, |X } = f()",
            "export default class |X {}",
            "const |X = requires('x')",
            "f({ a, |X })",
        ] {
            check(Words::Script, marked, false);
        }
        check(Words::Rust, "use a::|X;", false);
    }

    #[test]
    fn imports_of_python() {
        for marked in [
            "from a import |X",
            "try: from a import b, |X",
            "from a import (\n    b,  # why\n\n    |X,\n)",
            "from a import b, \\\n    |X",
            "from a import X as |X",
        ] {
            check(Words::Python, marked, true);
        }
        for marked in [
            "import |X",
            "from a import b as |X",
            "from a import b\n|X = 1",
            "from a import (b)\nX, |X = 1, 2",
            "from a import b; |X = 1",
            "def |X(): pass",
        ] {
            check(Words::Python, marked, false);
        }
    }
}
