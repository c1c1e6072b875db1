//! Long texts of one question that begin alike, each with the parts that differ.

use std::collections::{BTreeMap, BTreeSet};

use super::{CONTEXT, LONGEST};
use crate::fault::{Code, Fault};
use crate::specifier::quoted;

/// The part of a text after a difference that is looked at. Only 80 characters of it are shown, but blanks in a row
/// count as one.
const WINDOW: usize = 500;

/// Long texts of one question that begin alike. Each also shows where it differs from the others, because a human could
/// not tell them apart otherwise: the first place at which any of them differ, and the places at which it differs from
/// the two that are most like it.
#[derive(Debug, Default)]
pub(in crate::step) struct Apart {
    shown: BTreeMap<String, String>,
    /// How many texts look like another one, although each shows three differences.
    alike: usize,
}

impl Apart {
    /// Compares all texts of a question. In sorted order, the texts that are most like a text stand beside it, so it is
    /// enough to compare each with its neighbours.
    pub(in crate::step) fn of<'t>(texts: impl Iterator<Item = &'t str>) -> Self {
        let long: BTreeSet<&str> = texts.filter(|text| text.chars().nth(LONGEST).is_some()).collect();
        let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        long.into_iter().for_each(|text| groups.entry(quoted(text)).or_default().push(text));
        let mut apart = Self::default();
        for (shown, texts) in groups.into_iter().filter(|(_, texts)| texts.len() > 1) {
            let told = Group::of(&texts).told(&shown);
            let different: BTreeSet<&String> = told.iter().collect();
            apart.alike += told.len() - different.len();
            apart.shown.extend(texts.iter().map(|text| (*text).to_owned()).zip(told));
        }
        apart
    }

    /// A text as it is shown among similar ones; `None` if none is similar.
    pub(in crate::step) fn get(&self, text: &str) -> Option<String> {
        self.shown.get(text).cloned()
    }

    /// Checks that a human can tell the texts apart.
    ///
    /// # Errors
    /// Some of them look like others in the question.
    pub(in crate::step) fn check(&self, parameter: &str) -> Result<(), Fault> {
        if self.alike == 0 {
            return Ok(());
        }
        let message = format!(
            "`{parameter}` has long texts that differ in so many places that a question cannot show {} of them",
            self.alike
        );
        let suggestion = "make several calls with fewer of these texts each";
        Err(Fault::new(Code::InvalidParameter, message, suggestion).with("parameter", parameter))
    }
}

/// Sorted texts that begin alike.
struct Group<'t> {
    texts: &'t [&'t str],
    /// For each text but the last, the number of bytes that it has in common with the next one.
    common: Vec<usize>,
    /// Where two neighbours look alike even behind the difference.
    hidden: BTreeSet<usize>,
}

impl<'t> Group<'t> {
    fn of(texts: &'t [&'t str]) -> Self {
        let same = |pair: &[&str]| -> usize {
            let letters = pair[0].chars().zip(pair[1].chars());
            letters.take_while(|(one, other)| one == other).map(|(letter, _)| letter.len_utf8()).sum()
        };
        let common: Vec<usize> = texts.windows(2).map(same).collect();
        let pairs = texts.windows(2).zip(&common);
        let hidden = pairs.filter(|(pair, at)| excerpt(pair[0], **at) == excerpt(pair[1], **at));
        let hidden = hidden.map(|(_, at)| *at).collect();
        Self { texts, common, hidden }
    }

    /// Each text as it is shown; `shown` is how all of them begin.
    fn told(&self, shown: &str) -> Vec<String> {
        let first = self.common.iter().min().copied().unwrap_or_default();
        let told = |(at, text): (usize, &&str)| {
            let beside = [at.checked_sub(1), Some(at)].into_iter().flatten();
            let beside = beside.filter_map(|pair| Some((pair, *self.common.get(pair)?)));
            let further = beside.filter(|(pair, _)| !self.is_seen(*pair, first)).map(|(_, place)| place);
            let places: BTreeSet<usize> = further.chain([first]).collect();
            let parts: String = places.iter().map(|place| self.part(text, *place)).collect();
            format!("{shown}{parts} ({} characters)", text.chars().count())
        };
        self.texts.iter().enumerate().map(told).collect()
    }

    /// Whether the excerpts that begin at a place already show that two neighbours differ.
    fn is_seen(&self, pair: usize, from: usize) -> bool {
        self.common[pair] != from && excerpt(self.texts[pair], from) != excerpt(self.texts[pair + 1], from)
    }

    fn part(&self, text: &str, place: usize) -> String {
        let letter = match (self.hidden.contains(&place), text[place..].chars().next()) {
            (false, _) => String::new(),
            (true, letter) => {
                let number = text[..place].chars().count() + 1;
                let letter =
                    letter.map_or("missing".to_owned(), |letter| format!("U+{:04X}", u32::from(letter)));
                // Blanks and quotes may look alike even there, so the letter itself is named.
                format!(" (character {number} is {letter})")
            }
        };
        format!(" … {}{letter}", excerpt(text, place))
    }
}

/// The part of a text around a place.
fn excerpt(text: &str, place: usize) -> String {
    let from = text[..place].char_indices().rev().take(CONTEXT).last().map_or(place, |(at, _)| at);
    let rest = &text[from..];
    let to = rest.char_indices().nth(WINDOW).map_or(rest.len(), |(at, _)| at);
    quoted(&rest[..to])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_differences_only_three_are_shown() {
        const COUNT: usize = 200;
        const LENGTH: usize = 12_000;
        let step = LENGTH / COUNT;
        let text = |at: usize| format!("{}{}", "x".repeat(step * at), "y".repeat(LENGTH - step * at));
        let texts: Vec<String> = (0..COUNT).map(text).collect();
        // A comparison that copies the texts at each of their 200 differences takes a minute and a gigabyte.
        let apart = Apart::of(texts.iter().map(String::as_str));
        let shown: Vec<String> = texts.iter().filter_map(|text| apart.get(text)).collect();
        assert!(shown.len() > COUNT / 2, "{}", shown.len());
        assert!(shown.iter().all(|shown| shown.matches(" … ").count() <= 3), "{shown:#?}");
    }

    #[test]
    fn texts_that_cannot_be_told_apart_are_no_question() {
        // 32 texts, one for each way through five differences that are far from each other.
        let letter = |number: u32, at: u32| if number & (1 << at) == 0 { "no" } else { "ok" };
        let part = |number: u32, at: u32| format!("{}{}", "x".repeat(200), letter(number, at));
        let text = |number: u32| (0..5).map(|at| part(number, at)).collect::<String>();
        let texts: Vec<String> = (0..32).map(text).collect();
        let apart = Apart::of(texts.iter().map(String::as_str));
        let fault = apart.check("objects").expect_err("some look alike");
        assert!(fault.message.contains("`objects`"), "{}", fault.message);
        assert!(Apart::of(texts[..2].iter().map(String::as_str)).check("objects").is_ok());
    }

    #[test]
    fn every_two_neighbours_differ_in_what_is_shown() {
        let text = |end: &str| format!("{}{end}", "é".repeat(100));
        let texts = ["a", "ab", "b", "b c", "b  c", "c"].map(text);
        let apart = Apart::of(texts.iter().map(String::as_str));
        let shown: BTreeSet<String> = texts.iter().filter_map(|text| apart.get(text)).collect();
        assert_eq!(shown.len(), texts.len(), "{shown:#?}");
        assert!(apart.check("objects").is_ok());
    }
}
