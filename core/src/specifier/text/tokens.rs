//! Splits AppleScript's reference form into words, numbers, texts and signs.

use super::error::Fail;

/// One token, and its position.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// The first byte.
    pub(super) start: usize,
    /// The byte after the last one.
    pub(super) end: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// Letters and digits that are not a number; a contraction has a straight apostrophe.
    Word(String),
    /// The text between bars: a term, never a keyword.
    Barred(String),
    /// Digits, perhaps with a fraction or an exponent.
    Number(String),
    /// The text between quotes, without its escapes.
    Text(String),
    /// `'s` after a term.
    Possessive,
    /// Anything else.
    Sign(&'static str),
}

/// The signs, longest first.
const SIGNS: [&str; 28] = [
    "==", "!=", "/=", ">=", "<=", "=", "≠", "≥", "≤", ">", "<", "(", ")", "{", "}", ",", "+", "-", "*", "&",
    "/", ".", "«", "»", ":", ";", "@", "^",
];

/// The deepest nesting of comments. Nobody nests them deeper by hand.
const DEEPEST_COMMENT: usize = 32;

/// Cuts a text into tokens.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, Fail> {
    let mut lexer = Lexer { text, at: 0, found: Vec::new() };
    while lexer.skip_blank()? {
        let start = lexer.at;
        let kind = lexer.token()?;
        lexer.found.push(Token { kind, start, end: lexer.at });
    }
    Ok(lexer.found)
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    found: Vec<Token>,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Skips white space and comments; `false` at the end of the text.
    fn skip_blank(&mut self) -> Result<bool, Fail> {
        loop {
            let rest = self.rest();
            let Some(first) = rest.chars().next() else { return Ok(false) };
            if first.is_whitespace() || first == '¬' {
                self.at += first.len_utf8();
            } else if rest.starts_with("--") || first == '#' {
                self.at += rest.find(['\n', '\r']).unwrap_or(rest.len());
            } else if rest.starts_with("(*") {
                self.comment()?;
            } else {
                return Ok(true);
            }
        }
    }

    fn comment(&mut self) -> Result<(), Fail> {
        let (start, mut depth) = (self.at, 0);
        loop {
            let rest = self.rest();
            if rest.starts_with("(*") && depth < DEEPEST_COMMENT {
                (depth, self.at) = (depth + 1, self.at + 2);
            } else if rest.starts_with("*)") {
                (depth, self.at) = (depth - 1, self.at + 2);
            } else if let Some(next) = rest.chars().next() {
                self.at += next.len_utf8();
            } else {
                return Err(Fail::lexical(start, "a comment that is not closed", "close it with `*)`"));
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    fn token(&mut self) -> Result<Kind, Fail> {
        let first = self.rest().chars().next().unwrap_or_default();
        if let Some(length) = self.possessive() {
            self.at += length;
            return Ok(Kind::Possessive);
        }
        match first {
            '"' => self.quoted('"'),
            '\'' => self.quoted('\''),
            '“' => self.quoted('”'),
            '‘' => self.quoted('’'),
            '|' => self.barred(),
            c if c.is_ascii_digit() => Ok(self.number()),
            c if is_of_word(c) => Ok(self.word()),
            _ => self.sign(first),
        }
    }

    /// `'s` directly after a word, a number, a text or `)`. A quoted text, by contrast, begins after white space or a
    /// sign.
    fn possessive(&self) -> Option<usize> {
        let last = self.found.last().filter(|last| last.end == self.at)?;
        let after_term =
            !matches!(last.kind, Kind::Possessive | Kind::Sign(_)) || last.kind == Kind::Sign(")");
        let rest = self.rest();
        let length = ["'s", "’s"].into_iter().find(|mark| rest.starts_with(mark))?.len();
        (after_term && !rest[length..].starts_with(is_of_word)).then_some(length)
    }

    fn quoted(&mut self, close: char) -> Result<Kind, Fail> {
        let start = self.at;
        let mut text = String::new();
        let mut characters = self.text[start..].char_indices().skip(1);
        while let Some((at, c)) = characters.next() {
            match c {
                c if c == close => {
                    self.at = start + at + c.len_utf8();
                    return Ok(Kind::Text(text));
                }
                '\\' => text.push(match characters.next() {
                    Some((_, 'n')) => '\n',
                    Some((_, 'r')) => '\r',
                    Some((_, 't')) => '\t',
                    Some((_, c @ ('"' | '\\' | '\''))) => c,
                    _ => {
                        let instead = "write a backslash as `\\\\`, a quote as `\\\"`";
                        return Err(Fail::lexical(
                            start + at,
                            "an unknown escape after a backslash",
                            instead,
                        ));
                    }
                }),
                c => text.push(c),
            }
        }
        let wrong = "a text in quotes that is not closed";
        Err(Fail::lexical(start, wrong, "close it with a quote, and write a quote inside it as `\\\"`"))
    }

    fn barred(&mut self) -> Result<Kind, Fail> {
        let start = self.at + 1;
        let length = self.text[start..].find('|').ok_or_else(|| {
            Fail::lexical(self.at, "a bar that is not closed", "write the term without bars")
        })?;
        self.at = start + length + 1;
        Ok(Kind::Barred(self.text[start..start + length].to_owned()))
    }

    /// Digits; with letters directly after them, as in `1080p` or `3rd`, they are a word.
    fn number(&mut self) -> Kind {
        let rest = self.rest();
        let digits =
            |from: usize| rest[from..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |n| from + n);
        let mut end = digits(0);
        if rest[end..].starts_with('.') && digits(end + 1) > end + 1 {
            end = digits(end + 1);
        }
        if rest[end..].starts_with(['e', 'E']) {
            let sign = usize::from(rest[end + 1..].starts_with(['+', '-']));
            let exponent = digits(end + 1 + sign);
            if exponent > end + 1 + sign {
                end = exponent;
            }
        }
        if rest[end..].starts_with(is_of_word) {
            return self.word();
        }
        let number = rest[..end].to_owned();
        self.at += end;
        Kind::Number(number)
    }

    fn word(&mut self) -> Kind {
        let rest = self.rest();
        let mut end = rest.find(|c: char| !is_of_word(c)).unwrap_or(rest.len());
        let is_contraction = rest[..end].ends_with(['n', 'N']);
        let contracted = ["'t", "’t", "'T", "’T"].into_iter().find(|mark| rest[end..].starts_with(mark));
        if let Some(mark) =
            contracted.filter(|mark| is_contraction && !rest[end + mark.len()..].starts_with(is_of_word))
        {
            end += mark.len();
        }
        let word = rest[..end].replace('’', "'");
        self.at += end;
        Kind::Word(word)
    }

    fn sign(&mut self, first: char) -> Result<Kind, Fail> {
        // A list in brackets is JSON's. Clients write JSON all around these texts.
        if let Some(brace) = [('[', "{"), (']', "}")].into_iter().find(|(bracket, _)| *bracket == first) {
            self.at += first.len_utf8();
            return Ok(Kind::Sign(brace.1));
        }
        let sign = SIGNS.into_iter().find(|sign| self.rest().starts_with(sign));
        let sign = sign.ok_or_else(|| {
            let wrong = format!("`{}`, which has no meaning here", first.escape_debug());
            Fail::lexical(self.at, &wrong, "leave it out, or put a name in quotes")
        })?;
        self.at += sign.len();
        Ok(Kind::Sign(sign))
    }
}

pub(super) fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
