//! Finds the known word that was probably meant.

/// Returns the known word nearest to `word`, if one is near enough: at most a third of its letters may differ.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let most = word.chars().count() / 3 + 1;
    let scored = known.into_iter().map(|other| (distance(word, other), other));
    scored.filter(|(score, _)| *score <= most).min_by_key(|(score, _)| *score).map(|(_, other)| other)
}

/// How many letters must be added, removed, replaced or swapped with the next one, ignoring case.
pub(crate) fn distance(one: &str, other: &str) -> usize {
    let small = |text: &str| text.chars().flat_map(char::to_lowercase).take(80).collect::<String>();
    strsim::osa_distance(&small(one), &small(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let known = ["outline", "references", "status"];
        assert_eq!(nearest("outlines", known), Some("outline"));
        assert_eq!(nearest("refrences", known), Some("references"));
        assert_eq!(nearest("staus", known), Some("status"));
        assert_eq!(nearest("find", known), None);
        assert_eq!(distance("ab", "ba"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("Abc", "abC"), 0);
    }
}
