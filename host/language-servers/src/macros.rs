//! C macros. Servers know them but leave them out of outlines, so they are read from the text.

use crate::text::Text;
use crate::types::{Location, Position, Range, Symbol};

/// The token type that C servers use for macros: the one that LSP gives to strings.
const MACRO: u8 = 15;

/// Returns the macros that a text defines, except in hidden lines.
pub(crate) fn defined(text: &Text, path: &str, hidden: &[Range]) -> Vec<Symbol> {
    let mut found = Vec::new();
    let mut inside = Inside::Code;
    let mut number = 0;
    while let Some(line) = text.line(number) {
        let first = number;
        let starts_in_code = inside == Inside::Code;
        inside = inside.after(line);
        while text.line(number).is_some_and(|line| line.ends_with('\\')) && text.line(number + 1).is_some() {
            number += 1;
            inside = inside.after(text.line(number).unwrap_or_default());
        }
        let is_hidden = hidden.iter().any(|range| (range.start.line..range.end.line).contains(&first));
        if starts_in_code && !is_hidden && line.trim_start().starts_with('#') {
            let last = text.line(number).unwrap_or_default();
            let end = Position { line: number, column: length(last) };
            found.extend(define(line).map(|define| define.symbol(path, first, end)));
        }
        number += 1;
    }
    found
}

/// A macro definition: its line, and the byte position of its name there.
struct Define<'a> {
    line: &'a str,
    at: usize,
    name: &'a str,
    parameters: Option<&'a str>,
}

/// Reads `#define NAME` or `#define NAME(a, b)`.
fn define(line: &str) -> Option<Define<'_>> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?;
    let name = rest.trim_start();
    let length = name.find(|letter: char| !is_part(letter)).unwrap_or(name.len());
    if name.len() == rest.len() || length == 0 || name.starts_with(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    let after = &name[length..];
    let parameters = after.starts_with('(').then(|| after.find(')').map_or(after, |end| &after[..=end]));
    Some(Define { line, at: line.len() - name.len(), name: &name[..length], parameters })
}

impl Define<'_> {
    fn symbol(&self, path: &str, line: u32, end: Position) -> Symbol {
        let column = length(&self.line[..self.at]);
        let begin = self.line.len() - self.line.trim_start().len();
        let start = Position { line, column: length(&self.line[..begin]) };
        let name_end = Position { line, column: column + length(self.name) };
        Symbol {
            name: self.name.to_owned(),
            kind: MACRO,
            detail: self.parameters.map(str::to_owned),
            location: Location { path: path.to_owned(), range: Range { start, end } },
            name_range: Range { start: Position { line, column }, end: name_end },
            container: None,
            parent: None,
            deprecated: false,
        }
    }
}

fn is_part(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

fn length(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}

/// What the beginning of a line is inside of.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Inside {
    Code,
    /// A comment that has not ended.
    Comment,
    /// A raw string of C++ that ends with this text.
    Raw(String),
}

impl Inside {
    /// Returns what the next line begins inside of.
    fn after(self, line: &str) -> Self {
        let mut inside = self;
        let mut rest = line;
        loop {
            let end = match &inside {
                Self::Comment => "*/",
                Self::Raw(end) => end.as_str(),
                Self::Code => match opened(rest) {
                    Some((opened, after)) => {
                        (inside, rest) = (opened, after);
                        continue;
                    }
                    None => return Self::Code,
                },
            };
            match rest.find(end) {
                Some(at) => rest = &rest[at + end.len()..],
                None => return inside,
            }
            inside = Self::Code;
        }
    }
}

/// Finds the first comment or raw string that a line of code opens, and returns it with the text after its start.
fn opened(line: &str) -> Option<(Inside, &str)> {
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'/' if bytes.get(at + 1) == Some(&b'/') => return None,
            b'/' if bytes.get(at + 1) == Some(&b'*') => return Some((Inside::Comment, &line[at + 2..])),
            b'"' if at > 0 && bytes[at - 1] == b'R' => {
                let rest = &line[at + 1..];
                let open = rest.find('(').filter(|&open| open <= 16)?;
                return Some((Inside::Raw(format!("){}\"", &rest[..open])), &rest[open + 1..]));
            }
            // After a digit, the quote is a digit separator.
            b'\'' if at > 0 && bytes[at - 1].is_ascii_hexdigit() => {}
            quote @ (b'"' | b'\'') => at = closed(bytes, at + 1, quote),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The position of the quote that ends a string. An unclosed string ends with the line.
fn closed(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    while at < bytes.len() && bytes[at] != quote {
        at += 1 + usize::from(bytes[at] == b'\\');
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let hidden =
            [Range { start: Position { line: 90, column: 0 }, end: Position { line: 91, column: 0 } }];
        let found = defined(&Text::new(text.to_owned()), "a.c", &hidden);
        let shown: Vec<String> = found
            .iter()
            .map(|one| {
                let (name, whole) = (one.name_range, one.location.range);
                let detail = one.detail.as_deref().unwrap_or_default();
                format!(
                    "{}{detail} {}:{} to {}:{}",
                    one.name, name.start.line, name.start.column, whole.end.line, whole.end.column
                )
            })
            .collect();
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn macros_of_a_text() {
        check("#define A 1\n  #  define\tB_2(x, y) x\nint z;", &["A 0:8 to 0:11", "B_2(x, y) 1:12 to 1:23"]);
        check("#define M(a) \\\n  a; \\\n  b\n#undef M", &["M(a) 0:8 to 2:3"]);
        check("/* é */ #define A\n#define é 1", &["é 1:8 to 1:11"]);
        check("#defined A\n#define 1\n#define\nx #define B\n# include <a.h>", &[]);
    }

    #[test]
    fn comments_and_texts_define_nothing() {
        check("/*\n#define A\n*/\n#define B", &["B 3:8 to 3:9"]);
        check("int a; // /*\n#define A", &["A 1:8 to 1:9"]);
        check(
            "char *s = \"/*\"; char c = '\"'; int n = 1'000'000; /*\n#define A\n*/ int b; /* c\n#define B",
            &[],
        );
        check("auto t = R\"x(\n#define A\n)\" )x\";\n#define B", &["B 3:8 to 3:9"]);
        check("#define A /* goes\n#define B\n on */\n#define C", &["A 0:8 to 0:17", "C 3:8 to 3:9"]);
    }

    #[test]
    fn what_a_build_leaves_out_is_not_defined() {
        let lines: String = (0..95).map(|at| format!("#define A{at}\n")).collect();
        let expected: Vec<String> = (0..95)
            .filter(|at| *at != 90)
            .map(|at| format!("A{at} {at}:8 to {at}:{}", 9 + at.to_string().len()))
            .collect();
        check(&lines, &expected.iter().map(String::as_str).collect::<Vec<_>>());
    }
}
