//! One glob: `*`, `?`, `[a-z]` and `[!x]`; every other character is literal.

use super::Case;

/// A character of a pattern, and whether a `\` before it removes its special meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    character: char,
    plain: bool,
}

/// A glob over one name.
#[derive(Clone, Debug)]
pub(super) struct Glob(Vec<Token>);

#[derive(Clone, Debug)]
enum Token {
    Literal(char),
    /// `?`
    One,
    /// `*`
    Run,
    /// `[…]`
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

impl Mark {
    /// Whether it is this character and has its special meaning.
    pub(super) fn is(self, character: char) -> bool {
        !self.plain && self.character == character
    }
}

/// Reads the characters of a pattern. A `\` at the end is literal.
pub(super) fn marks(text: &str) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        let escaped = if character == '\\' { characters.next() } else { None };
        marks.push(Mark {
            character: escaped.unwrap_or(character),
            plain: escaped.is_some() || character == '\\',
        });
    }
    marks
}

/// Whether these are two or more `*` and nothing else.
pub(super) fn is_any_depth(marks: &[Mark]) -> bool {
    marks.len() > 1 && marks.iter().all(|mark| mark.is('*'))
}

/// Whether these are exactly the characters of `text`, each with its special meaning.
pub(super) fn is(marks: &[Mark], text: &str) -> bool {
    marks.len() == text.chars().count() && marks.iter().zip(text.chars()).all(|(mark, one)| mark.is(one))
}

/// The number of characters in the first unit: a class in brackets is one unit.
pub(super) fn width(marks: &[Mark]) -> usize {
    class(marks).map_or(1, |(_, width)| width)
}

impl Glob {
    pub(super) fn parse(marks: &[Mark]) -> Self {
        let mut tokens = Vec::new();
        let mut rest = marks;
        while let Some(&first) = rest.first() {
            let (token, width) = token(first, rest);
            if !matches!((&token, tokens.last()), (Token::Run, Some(Token::Run))) {
                tokens.push(token);
            }
            rest = &rest[width..];
        }
        Self(tokens)
    }

    /// Tells whether the whole name matches. A `*` first takes as little as possible. If the rest fails, only the last
    /// `*` takes more: everything before it has matched already, so a longer earlier `*` would not help.
    pub(super) fn matches(&self, name: &str, case: Case) -> bool {
        let name: Vec<char> = name.chars().collect();
        let (mut token, mut at) = (0, 0);
        let mut retry: Option<(usize, usize)> = None;
        loop {
            match self.0.get(token) {
                Some(Token::Run) => {
                    retry = Some((token + 1, at));
                    token += 1;
                    continue;
                }
                Some(one) if at < name.len() && one.takes(name[at], case) => {
                    (token, at) = (token + 1, at + 1);
                    continue;
                }
                None if at == name.len() => return true,
                _ => {}
            }
            match &mut retry {
                Some((after, from)) if *from < name.len() => {
                    *from += 1;
                    (token, at) = (*after, *from);
                }
                _ => return false,
            }
        }
    }

    /// Returns the text if no character in it is special.
    pub(super) fn literal(&self) -> Option<String> {
        self.0.iter().map(Token::literal).collect()
    }

    /// Returns the longest run of ASCII letters, digits and `_` that every match contains; if several are equally long,
    /// the first.
    pub(super) fn longest_run(&self) -> Option<String> {
        let mut best = String::new();
        let mut run = String::new();
        for token in &self.0 {
            match token.literal().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '_') {
                Some(letter) => run.push(letter),
                None => run.clear(),
            }
            if run.len() > best.len() {
                best.clone_from(&run);
            }
        }
        (!best.is_empty()).then_some(best)
    }
}

impl Token {
    fn literal(&self) -> Option<char> {
        if let Self::Literal(letter) = self { Some(*letter) } else { None }
    }

    fn takes(&self, letter: char, case: Case) -> bool {
        match self {
            Self::Literal(own) => *own == letter || (case == Case::Ignored && fold(*own) == fold(letter)),
            Self::One => true,
            Self::Run => false,
            Self::Class { negated, ranges } => {
                let held = |letter| ranges.iter().any(|(from, to)| (*from..=*to).contains(&letter));
                let other = |letter: char| held(lower(letter)) || held(upper(letter));
                (held(letter) || (case == Case::Ignored && other(letter))) != *negated
            }
        }
    }
}

fn fold(letter: char) -> char {
    lower(upper(letter))
}

/// The lower-case letter, if it is one character.
fn lower(letter: char) -> char {
    single(letter, letter.to_lowercase())
}

fn upper(letter: char) -> char {
    single(letter, letter.to_uppercase())
}

fn single(letter: char, mut mapped: impl Iterator<Item = char>) -> char {
    match (mapped.next(), mapped.next()) {
        (Some(one), None) => one,
        _ => letter,
    }
}

fn token(first: Mark, rest: &[Mark]) -> (Token, usize) {
    if first.is('*') {
        return (Token::Run, 1);
    }
    if first.is('?') {
        return (Token::One, 1);
    }
    class(rest).unwrap_or((Token::Literal(first.character), 1))
}

/// Reads a class. A `]` that comes first is a member. A `[` without its `]` is not a class, and neither is an empty
/// class.
fn class(marks: &[Mark]) -> Option<(Token, usize)> {
    let mut at = 1;
    marks.first().filter(|mark| mark.is('['))?;
    let negated = marks.get(at).is_some_and(|mark| mark.is('!') || mark.is('^'));
    at += usize::from(negated);
    let first = at;
    let mut ranges = Vec::new();
    loop {
        let mark = *marks.get(at)?;
        if mark.is(']') && at > first {
            return Some((Token::Class { negated, ranges }, at + 1));
        }
        let end = marks.get(at + 2).filter(|end| marks[at + 1].is('-') && !end.is(']'));
        ranges.push((mark.character, end.map_or(mark.character, |end| end.character)));
        at += if end.is_some() { 3 } else { 1 };
    }
}
