//! Small types and limits that many modules share.

use serde::{Deserialize, Serialize};

/// A point in time or a span, in milliseconds. Points count from the Unix epoch; the shell reads the clock.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct Millis(pub u64);

impl Millis {
    /// The span from an earlier point to this one; zero if the clock was set back.
    pub fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }
}

impl std::ops::Add for Millis {
    type Output = Self;

    fn add(self, span: Self) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

/// The id of a reference: `ref_` and 16 base32 characters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RefId([u8; 16]);

const PREFIX: &str = "ref_";
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

impl RefId {
    /// Makes an id from 80 random bits.
    pub fn from_random(bits: [u8; 10]) -> Self {
        let mut number = bits.iter().fold(0_u128, |number, byte| number << 8 | u128::from(*byte));
        let mut id = [0; 16];
        for character in id.iter_mut().rev() {
            *character = ALPHABET[(number & 31) as usize];
            number >>= 5;
        }
        Self(id)
    }

    /// Makes a placeholder id for an object that has no reference yet, from the object's number.
    pub(crate) fn stand_in(number: usize) -> Self {
        let number = u64::MAX - number as u64;
        let mut bits = [u8::MAX; 10];
        bits[2..].copy_from_slice(&number.to_be_bytes());
        Self::from_random(bits)
    }

    /// Reads an id as [`std::fmt::Display`] writes it; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let id: [u8; 16] = text.strip_prefix(PREFIX)?.as_bytes().try_into().ok()?;
        id.iter().all(|character| ALPHABET.contains(character)).then_some(Self(id))
    }

    /// Whether a text holds one, which says nothing to a person.
    pub(crate) fn is_in(text: &str) -> bool {
        text.contains(PREFIX)
    }

    /// The ids in an object's words, `reminder 1 of ref_…`, outside of quotes. A text that only mentions one, such as
    /// `see ref_…`, does not mean its object.
    pub(crate) fn within(words: &str) -> impl Iterator<Item = Self> {
        // Every second part is in quotes.
        let outside = words.split('"').step_by(2).flat_map(str::split_whitespace);
        let mut before = "";
        outside.filter_map(move |word| {
            let is_object = ["", "of", "in"].contains(&std::mem::replace(&mut before, word));
            let id = || Self::parse(word.trim_matches(|c: char| !c.is_ascii_alphanumeric()));
            is_object.then(id).flatten()
        })
    }
}

impl std::fmt::Display for RefId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(PREFIX)?;
        self.0.iter().try_for_each(|character| std::fmt::Write::write_char(f, char::from(*character)))
    }
}

impl std::fmt::Debug for RefId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

/// Why a reference cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceError {
    /// It was never issued, was released, or expired and was removed.
    #[error("the reference {0} is unknown: it was never issued, was released, or expired")]
    Unknown(RefId),
    /// It has expired.
    #[error("the reference {0} expired")]
    Expired(RefId),
    /// It was evicted to make room for newer ones.
    #[error("the reference {0} was evicted to make room for newer ones")]
    Evicted(RefId),
}

impl ReferenceError {
    /// The reference that cannot be used.
    pub fn id(&self) -> RefId {
        match self {
            Self::Unknown(id) | Self::Expired(id) | Self::Evicted(id) => *id,
        }
    }
}

/// How much harm an action can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Level {
    /// Reads.
    Safe,
    /// Changes that can be undone, and everything unknown.
    Modify,
    /// Sends, deletes, quits, erases; runs code or types keys.
    Dangerous,
}

impl Level {
    /// The level as it is written: `SAFE`, `MODIFY` or `DANGEROUS`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "SAFE",
            Self::Modify => "MODIFY",
            Self::Dangerous => "DANGEROUS",
        }
    }
}

/// The part of a long text to read, in code points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextWindow {
    /// Its start.
    pub offset: usize,
    /// Its maximum length.
    pub limit: usize,
}

/// The longest part of a text that a call can ask for, in code points.
pub(crate) const LONGEST_TEXT: usize = 200_000;

/// How many elements an answer may hold.
pub(crate) const HIGHEST_LIMIT: usize = 1_000;
