//! Which known word was meant.

/// Returns the known word nearest to `word`, where one is near: a third of its letters may differ.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let most = word.chars().count() / 3 + 1;
    let scored = known.into_iter().map(|other| (distance(word, other), other));
    scored.filter(|(score, _)| *score <= most).min_by_key(|(score, _)| *score).map(|(_, other)| other)
}

/// How many letters must be added, removed, exchanged or swapped with the next one, in any case.
pub(crate) fn distance(one: &str, other: &str) -> usize {
    let one: Vec<char> = one.chars().flat_map(char::to_lowercase).take(80).collect();
    let other: Vec<char> = other.chars().flat_map(char::to_lowercase).take(80).collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let mut best = (row[j] + usize::from(a != b)).min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && *a == other[j - 1] && one[i - 1] == *b {
                best = best.min(before[j - 1] + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or(0)
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
