//! Turns a dictionary's term into its identifier in JavaScript for Automation, and a spelling back into the intended
//! term.
//!
//! # Source
//! The rule fits every case found in real scripts: split on spaces; if the first word has no lower-case letters, all of
//! it becomes lower case (`URL` is `url`); otherwise only its leading capitals do (`IPv4 address` is `ipv4Address`);
//! every other word gets a capital first letter and keeps the rest.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::foreign::clean;

/// A legal JavaScript identifier that was made from a dictionary's term; nothing else becomes code.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identifier(String);

impl Identifier {
    /// Makes the identifier of a property, command or parameter: `date received` is `dateReceived`, `URL` is `url`.
    ///
    /// Returns `None` if the term gives no legal identifier, such as `computer-object`.
    pub fn of(term: &str) -> Option<Self> {
        Self::check(camel(term))
    }

    /// Makes the identifier of a class's constructor: `outgoing message` is `OutgoingMessage`.
    pub fn of_class(term: &str) -> Option<Self> {
        let mut name = String::new();
        term.split_whitespace().for_each(|word| raise(&mut name, word));
        Self::check(name)
    }

    /// The identifier's text: ASCII letters, digits, `_` and `$`, not beginning with a digit.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn check(text: String) -> Option<Self> {
        let mut characters = text.chars();
        let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
        let first = characters.next()?;
        (legal(first) && !first.is_ascii_digit() && characters.all(legal)).then_some(Self(text))
    }
}

impl std::fmt::Display for Identifier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Splits a term into lower-case words. `emptyTrash`, `empty_trash` and `empty trash` give the same words.
pub(crate) fn split(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (before_lower && c.is_uppercase()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        before_lower = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The common key of all spellings of a term: letters and digits, lower-cased.
///
/// `date received`, `dateReceived` and `Date Received` all give `datereceived`.
pub fn key(term: &str) -> String {
    if term.is_ascii() {
        return term
            .bytes()
            .filter(u8::is_ascii_alphanumeric)
            .map(|c| char::from(c.to_ascii_lowercase()))
            .collect();
    }
    term.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns up to `most` of the candidates that are spelled most like a word, nearest first.
pub fn near<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>, most: usize) -> Vec<String> {
    let wanted = key(beginning(word));
    let mut scored: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter_map(|candidate| Some((distance(&wanted, &key(candidate))?, candidate)))
        .collect();
    scored.sort();
    scored.dedup();
    scored.into_iter().take(most).map(|(_, name)| name.to_owned()).collect()
}

/// Returns up to `most` of the texts that a person may have meant: those with a similar spelling, otherwise those with
/// the most words in common. If some texts differ only in case, accents, blanks and signs, returns only these. Only the
/// beginnings of long texts are compared.
pub fn near_texts<'a>(text: &str, candidates: impl IntoIterator<Item = &'a str>, most: usize) -> Vec<String> {
    let text = beginning(text);
    let (wanted, parts) = (key(&plain(text)), words(text));
    let missing = |candidate: &str, other: &str| {
        if wanted == other {
            return Some(0);
        }
        if distance(&wanted, other).is_some() {
            return Some(1);
        }
        let there = words(candidate);
        let has = |part: &&String| there.iter().any(|each| is_like(part, each));
        let found = parts.iter().filter(has).count();
        (found > 0).then(|| parts.len() + 2 - found)
    };
    let mut scored: Vec<(usize, usize, &str)> = candidates
        .into_iter()
        .filter_map(|candidate| {
            let compared = beginning(candidate);
            let other = key(&plain(compared));
            Some((missing(compared, &other)?, levenshtein(&wanted, &other), candidate))
        })
        .collect();
    scored.sort();
    scored.dedup();
    let best = scored.first().map(|(missing, ..)| *missing);
    let alike = scored.into_iter().take_while(|(missing, ..)| Some(*missing) == best);
    alike.take(most).map(|(_, _, name)| name.to_owned()).collect()
}

/// The most characters of a text to compare. Every word is compared with every other, so the time grows with the square
/// of this. A name or a subject is shorter.
const COMPARED: usize = 200;

fn beginning(text: &str) -> &str {
    text.char_indices().nth(COMPARED).map_or(text, |(end, _)| &text[..end])
}

/// Returns an app's own texts to suggest when it does not have the requested one: the similar ones, otherwise all if
/// there are at most `few`. They come from the app's data, so each is made safe to show.
pub fn offered<'a>(text: &str, values: impl IntoIterator<Item = &'a str>, few: usize) -> Vec<String> {
    let values: Vec<&str> = values.into_iter().collect();
    let near = near_texts(text, values.iter().copied(), few.min(MOST_OFFERED));
    let shown = |text: &str| clean(text, LONGEST_OFFERED);
    match near.is_empty() {
        true if values.len() <= few => values.into_iter().map(shown).collect(),
        _ => near.iter().map(|text| shown(text)).collect(),
    }
}

/// The number of similar texts to suggest, and the length of each.
const MOST_OFFERED: usize = 10;
const LONGEST_OFFERED: usize = 80;

/// Returns the end of a message that lists the texts from [`offered`]. A text cannot close its own quotes.
pub fn instead(text: &str, offered: &[String]) -> String {
    if offered.is_empty() {
        return String::new();
    }
    let is_like = !near_texts(text, offered.iter().map(String::as_str), 1).is_empty();
    let quoted: Vec<String> = offered.iter().map(|text| format!("\"{}\"", text.replace('"', "'"))).collect();
    match (is_like, quoted.as_slice()) {
        (false, _) => format!("; there are only {}", quoted.join(", ")),
        (true, [one]) => format!("; did you mean {one}?"),
        (true, several) => format!("; did you mean one of: {}?", several.join(", ")),
    }
}

/// A text without accents.
fn plain(text: &str) -> String {
    text.nfd().filter(|c| !is_combining_mark(*c)).collect()
}

/// The significant words of a text.
fn words(text: &str) -> Vec<String> {
    let text = plain(text);
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 2);
    words.map(key).collect()
}

/// Whether two words differ by no more than a typing error or an accent.
fn is_like(a: &str, b: &str) -> bool {
    levenshtein(a, b) <= a.chars().count().max(b.chars().count()) / 3
}

fn camel(term: &str) -> String {
    let mut words = term.split_whitespace();
    let mut name = words.next().map(lower).unwrap_or_default();
    words.for_each(|word| raise(&mut name, word));
    name
}

fn lower(word: &str) -> String {
    let small = word.contains(char::is_lowercase);
    let capitals = word.find(|c: char| small && !c.is_uppercase()).unwrap_or(word.len());
    word[..capitals].to_lowercase() + &word[capitals..]
}

fn raise(name: &mut String, word: &str) {
    let mut letters = word.chars();
    name.extend(letters.next().map(|first| first.to_ascii_uppercase()));
    name.push_str(letters.as_str());
}

/// The number of edits between two keys; `None` if they are too different to suggest. A common part counts as near, but
/// a single letter does not, because almost every key contains it.
fn distance(a: &str, b: &str) -> Option<usize> {
    let edits = levenshtein(a, b);
    let (shorter, longer) =
        (a.chars().count().min(b.chars().count()), a.chars().count().max(b.chars().count()));
    let shared = shorter > 1 && (a.contains(b) || b.contains(a));
    (shared || edits <= (longer / 2).min(4)).then_some(edits)
}

fn levenshtein(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, right) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(left != *right);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
