//! A tokenizer that skips comments and strings. It understands just enough C, Rust and TypeScript to find a
//! declaration and its end.

use std::ops::Range;

use crate::profile::Dialect;

/// What ends a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Its block, or the end of a statement.
    Block,
    /// The end of a statement.
    Value,
    /// The end of an entry in a list.
    Part,
}

/// A tokenized text. Offsets are in bytes.
pub(crate) struct Code<'a> {
    text: &'a str,
    pieces: Vec<Range<usize>>,
    /// The index of the matching bracket, for each bracket.
    partners: Vec<Option<usize>>,
}

impl<'a> Code<'a> {
    /// Tokenizes a text without some of its parts. The parts must be in order.
    pub(crate) fn read(text: &'a str, dialect: Dialect, without: &[Range<usize>]) -> Self {
        let pieces = pieces(text, dialect, without);
        let partners = partners(text, &pieces);
        Self { text, pieces, partners }
    }

    /// Whether every bracket has a match.
    pub(crate) fn is_balanced(&self) -> bool {
        let is_bracket = |at: usize| matches!(self.word(at), "(" | "[" | "{" | ")" | "]" | "}");
        (0..self.len()).all(|at| !is_bracket(at) || self.partners[at].is_some())
    }

    pub(crate) fn len(&self) -> usize {
        self.pieces.len()
    }

    /// The token at an index: a word or one punctuation mark; empty after the last one.
    pub(crate) fn word(&self, at: usize) -> &'a str {
        self.pieces.get(at).map_or("", |piece| &self.text[piece.clone()])
    }

    /// The token before an index; empty if there is none.
    pub(crate) fn before(&self, at: usize) -> &'a str {
        at.checked_sub(1).map_or("", |at| self.word(at))
    }

    pub(crate) fn place(&self, at: usize) -> Range<usize> {
        self.pieces.get(at).cloned().unwrap_or(self.text.len()..self.text.len())
    }

    /// Whether no space is between a token and the next one.
    pub(crate) fn touches_next(&self, at: usize) -> bool {
        self.place(at).end == self.place(at + 1).start
    }

    /// Whether the token is a word that can be a name.
    pub(crate) fn is_name(&self, at: usize) -> bool {
        self.word(at).starts_with(|letter: char| is_part(letter) && !letter.is_ascii_digit())
    }

    /// The index of the bracket that closes this one.
    pub(crate) fn close(&self, at: usize) -> Option<usize> {
        self.partners.get(at).copied().flatten().filter(|&partner| partner > at)
    }

    /// The first token that begins at or after a byte offset.
    pub(crate) fn from(&self, byte: usize) -> usize {
        self.pieces.partition_point(|piece| piece.start < byte)
    }

    /// The token that begins at a byte offset.
    pub(crate) fn at(&self, byte: usize) -> Option<usize> {
        self.pieces.binary_search_by_key(&byte, |piece| piece.start).ok()
    }

    /// The whole declaration around a name.
    pub(crate) fn whole(&self, name: usize, shape: Shape) -> Range<usize> {
        let mut first = name;
        while let Some(before) = first.checked_sub(1) {
            match self.word(before) {
                ")" | "]" => match self.partners[before].filter(|&open| open < before) {
                    Some(open) => first = open,
                    None => break,
                },
                ";" | "{" | "}" | "(" | "[" => break,
                "," if shape == Shape::Part => break,
                _ => first = before,
            }
        }
        self.place(first).start..self.place(self.last(name, shape)).end
    }

    /// The last token of the declaration of a name.
    fn last(&self, name: usize, shape: Shape) -> usize {
        let (mut at, mut angles) = (name + 1, 0_usize);
        while at < self.len() {
            match self.word(at) {
                ";" | ")" | "]" | "}" => break,
                "," if shape == Shape::Part || angles == 0 => break,
                "<" => angles += 1,
                ">" if !matches!(self.before(at), "-" | "=") => angles = angles.saturating_sub(1),
                bracket @ ("(" | "[" | "{") => match self.close(at) {
                    Some(close) if bracket == "{" && shape == Shape::Block => return close,
                    Some(close) => at = close,
                    None => break,
                },
                _ => {}
            }
            at += 1;
        }
        at - 1
    }
}

fn is_part(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '$')
}

fn pieces(text: &str, dialect: Dialect, without: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut pieces: Vec<Range<usize>> = Vec::new();
    let mut without = without.iter().peekable();
    let mut at = 0;
    // For each open template, the number of open brackets in the code inside it.
    let mut templates: Vec<usize> = Vec::new();
    while let Some(letter) = text[at..].chars().next() {
        while without.next_if(|part| part.end <= at).is_some() {}
        if let Some(part) = without.peek().filter(|part| part.start <= at) {
            at = part.end.min(text.len());
            continue;
        }
        let goes_on = letter == '}' && templates.last() == Some(&0);
        if (letter == '`' && dialect == Dialect::Script) || goes_on {
            templates.truncate(templates.len() - usize::from(goes_on));
            let (width, holds_code) = template(&text[at..]);
            if holds_code {
                templates.push(0);
            }
            at += width;
            continue;
        }
        if let (Some(open), '{' | '}') = (templates.last_mut(), letter) {
            *open = if letter == '{' { *open + 1 } else { open.saturating_sub(1) };
        }
        let before = pieces.last().map_or("", |piece| &text[piece.clone()]);
        let skipped =
            if letter.is_whitespace() { letter.len_utf8() } else { skipped(dialect, text, at, before) };
        if skipped > 0 {
            at += skipped;
            continue;
        }
        let is_mark = !is_part(letter) || (letter == '$' && dialect == Dialect::Rust);
        let is_other = |letter: char| !is_part(letter) || (letter == '$' && dialect == Dialect::Rust);
        let width = if is_mark { letter.len_utf8() } else { width_until(&text[at..], is_other) };
        pieces.push(at..at + width);
        at += width;
    }
    pieces
}

/// Measures one piece of a template string. Returns its length, and whether code follows. A piece begins at the start
/// of the template or after `${…}`, and ends at the next `${` or at the end.
fn template(rest: &str) -> (usize, bool) {
    let mut bytes = rest.bytes().enumerate().skip(1);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'`' => return (at + 1, false),
            b'$' if rest.as_bytes().get(at + 1) == Some(&b'{') => return (at + 2, true),
            _ => {}
        }
    }
    (rest.len(), false)
}

fn width_until(rest: &str, ends: impl Fn(char) -> bool) -> usize {
    rest.find(ends).unwrap_or(rest.len())
}

/// The length of the comment, string or directive at an offset; 0 if there is none.
fn skipped(dialect: Dialect, text: &str, at: usize, before: &str) -> usize {
    let rest = &text[at..];
    match (rest.as_bytes()[0], dialect) {
        (b'/', _) if rest.starts_with("//") => width_until(rest, |letter| letter == '\n'),
        (b'/', _) if rest.starts_with("/*") => comment(rest, dialect == Dialect::Rust),
        (b'/', Dialect::Script) if begins_value(before) => expression(rest),
        (b'"', _) => {
            raw(&text[..at], rest, dialect).unwrap_or_else(|| quoted(rest, dialect != Dialect::Rust))
        }
        (b'\'', Dialect::Rust) => letter(rest),
        // A digit separator, as in `1'000`.
        (b'\'', Dialect::C) if text[..at].ends_with(|letter: char| letter.is_ascii_hexdigit()) => 1,
        (b'\'', _) => quoted(rest, true),
        (b'#', Dialect::C) if is_first(&text[..at]) => directive(rest),
        _ => 0,
    }
}

fn is_first(before: &str) -> bool {
    let line = before.trim_end_matches([' ', '\t']);
    line.is_empty() || line.ends_with(['\n', '\r'])
}

/// A directive continues on the next line if it ends with a `\`.
fn directive(rest: &str) -> usize {
    let mut width = 0;
    for line in rest.split_inclusive('\n') {
        width += line.len();
        if !line.trim_end_matches(['\n', '\r']).ends_with('\\') {
            break;
        }
    }
    width
}

fn comment(rest: &str, nests: bool) -> usize {
    let (mut depth, mut at) = (1_usize, 2);
    while let Some(found) = rest[at..].find(['*', '/']) {
        at += found;
        let step = if rest[at..].starts_with("*/") { 2 } else { 1 };
        if step == 2 {
            depth -= 1;
        } else if nests && rest[at..].starts_with("/*") {
            depth += 1;
            at += 1;
        }
        at += step;
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// The length of a string with its quotes. If `of_a_line` is set, an unclosed string ends with the line.
fn quoted(rest: &str, of_a_line: bool) -> usize {
    let quote = rest.as_bytes()[0];
    let mut bytes = rest.bytes().enumerate().skip(1);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'\n' if of_a_line => return at,
            _ if byte == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// The length of a raw string: after `r`, `br##` and the like in Rust, or after `R` with its own delimiter in C++.
fn raw(before: &str, rest: &str, dialect: Dialect) -> Option<usize> {
    let end = match dialect {
        Dialect::Rust => {
            let bare = before.trim_end_matches('#');
            let word = &bare[bare.trim_end_matches(is_part).len()..];
            matches!(word, "r" | "br" | "cr")
                .then(|| format!("\"{}", "#".repeat(before.len() - bare.len())))?
        }
        Dialect::C if before.ends_with('R') => {
            let open = rest.find('(').filter(|&open| open <= 17)?;
            format!("){}\"", &rest[1..open])
        }
        Dialect::C | Dialect::Script => return None,
    };
    Some(rest[1..].find(&end).map_or(rest.len(), |at| 1 + at + end.len()))
}

/// `'a'` is a character; `'a` is a lifetime, of which only the quote is skipped.
fn letter(rest: &str) -> usize {
    let Some(first) = rest[1..].chars().next() else { return 1 };
    let end = match first {
        '\\' => rest.get(3..).and_then(|rest| rest.find('\'')).map(|at| at + 3),
        _ => Some(1 + first.len_utf8()).filter(|&at| rest[at..].starts_with('\'')),
    };
    end.map_or(1, |at| at + 1)
}

/// Whether a `/` after this token begins a regular expression.
fn begins_value(before: &str) -> bool {
    matches!(before, "return" | "typeof" | "case" | "in" | "of" | "void" | "delete" | "do" | "else" | "")
        || before.ends_with([
            '(', ',', '=', ':', '[', '!', '&', '|', '?', '{', '}', ';', '+', '-', '*', '%', '<', '>', '~',
            '^',
        ])
}

/// The length of a regular expression; 0 if none ends on this line.
fn expression(rest: &str) -> usize {
    let mut bytes = rest.bytes().enumerate().skip(1);
    let mut class = false;
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'\n' => return 0,
            b'[' => class = true,
            b']' => class = false,
            b'/' if !class => return at + 1,
            _ => {}
        }
    }
    0
}

fn partners(text: &str, pieces: &[Range<usize>]) -> Vec<Option<usize>> {
    let mut partners = vec![None; pieces.len()];
    let mut open: Vec<(usize, &str)> = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        let closes = match &text[piece.clone()] {
            "(" => {
                open.push((at, ")"));
                continue;
            }
            "[" => {
                open.push((at, "]"));
                continue;
            }
            "{" => {
                open.push((at, "}"));
                continue;
            }
            bracket @ (")" | "]" | "}") => bracket,
            _ => continue,
        };
        // An unclosed bracket is skipped, if a bracket further out matches this one.
        if let Some(own) = open.iter().rposition(|(_, wanted)| *wanted == closes) {
            let (opened, _) = open[own];
            open.truncate(own);
            (partners[at], partners[opened]) = (Some(opened), Some(at));
        }
    }
    partners
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(dialect: Dialect, text: &str, expected: &str) {
        let code = Code::read(text, dialect, &[]);
        let words: Vec<&str> = (0..code.len()).map(|at| code.word(at)).collect();
        assert_eq!(words.join(" "), expected, "{text}");
    }

    #[test]
    fn comments_and_texts_are_no_words() {
        check(Dialect::C, "int a; // b\n/* c /* d */ e \"f \\\" g\" 'h'", "int a ; e");
        check(Dialect::C, "# define A \\\n b\nc 1'000 R\"x(d)\" )x\" e \"open\nf", "c 1 000 R e f");
        check(Dialect::Rust, "/* a /* b */ c */ d r#\"e\" f\"# g 'h' 'i \"j\nk\" $l", "d r # g i $ l");
        check(Dialect::Script, "a = /b\"[/]c/.d; e / f; `g\nh` 'i' // j", "a = . d ; e / f ;");
        check(Dialect::Script, "é / 2 /* open", "é / 2");
    }

    #[test]
    fn parts_can_be_left_out() {
        let code = Code::read("a { b } c d e", Dialect::C, &[2..7, 10..12]);
        assert_eq!((code.word(0), code.word(1), code.word(2), code.word(3)), ("a", "c", "e", ""));
    }

    fn check_whole(dialect: Dialect, text: &str, name: &str, shape: Shape, expected: &str) {
        let code = Code::read(text, dialect, &[]);
        let at = (0..code.len()).find(|&at| code.word(at) == name).unwrap();
        assert_eq!(&text[code.whole(at, shape)], expected, "{text}");
    }

    #[test]
    fn declarations_begin_and_end() {
        let rust = "m! { #[a] pub(crate) fn f<A, B>(x: A) -> Vec<A, B> { {} } static C: [u8; 2] = x{1}; } }";
        let whole = "#[a] pub(crate) fn f<A, B>(x: A) -> Vec<A, B> { {} }";
        check_whole(Dialect::Rust, rust, "f", Shape::Block, whole);
        check_whole(Dialect::Rust, rust, "C", Shape::Value, "static C: [u8; 2] = x{1}");
        check_whole(Dialect::Rust, "named!(one, two);", "one", Shape::Block, "one");
        check_whole(Dialect::C, "f() { enum e { A = g(1, 2), B }; }", "A", Shape::Part, "A = g(1, 2)");
        check_whole(Dialect::C, "f() { enum e { A, B }; }", "e", Shape::Block, "enum e { A, B }");
        check_whole(Dialect::C, "f() { typedef long t[3]; }", "t", Shape::Value, "typedef long t[3]");
        check_whole(Dialect::C, "enum e {", "e", Shape::Block, "enum e");
        check_whole(Dialect::C, ") a", "a", Shape::Value, "a");
    }
}
