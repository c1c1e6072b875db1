//! Parts of outlines: the wanted symbols of a long outline, with everything that is needed to read them as if the
//! outline were whole.

use std::collections::HashSet;

use crate::text::Text;
use crate::types::{Part, Position, Range, Symbol, Symbols};

impl Symbols {
    /// Returns the wanted symbols, their parents, and symbols whose names are at the same place, in the same order.
    /// `text` is the text of the outlined file.
    pub(crate) fn part(&self, part: &Part, text: Option<&Text>) -> Self {
        let mut kept: Vec<bool> = self.items.iter().map(|symbol| part.wants(symbol)).collect();
        while self.hold(&mut kept) | self.pair(&mut kept) {}
        let hidden = self.hidden.iter().filter(|&&range| text.is_none_or(|text| part.wants_of(text, range)));
        let (hidden, freshness) = (hidden.copied().collect(), self.freshness.clone());
        Self { items: self.only(&kept), flat: self.flat, hidden, freshness }
    }

    /// Also keeps the containers of kept symbols. Returns whether it added any.
    fn hold(&self, kept: &mut [bool]) -> bool {
        let before = count(kept);
        if self.flat {
            let held: Vec<Range> = self.ranges(kept).collect();
            for (symbol, kept) in self.items.iter().zip(kept.iter_mut()) {
                *kept = *kept || held.iter().any(|held| covers(symbol.location.range, *held));
            }
        } else {
            // Parents come before their children.
            for at in (0..self.items.len()).rev().filter(|&at| kept[at]).collect::<Vec<_>>() {
                let mut above = self.parent(at);
                while let Some(parent) = above.filter(|&parent| !std::mem::replace(&mut kept[parent], true)) {
                    above = self.parent(parent);
                }
            }
        }
        count(kept) > before
    }

    /// Also keeps duplicates. Some servers list a symbol twice, and the reader uses the first one.
    fn pair(&self, kept: &mut [bool]) -> bool {
        let before = count(kept);
        let names: HashSet<Range> = self
            .items
            .iter()
            .zip(&*kept)
            .filter(|(_, kept)| **kept)
            .map(|(symbol, _)| symbol.name_range)
            .collect();
        for (symbol, kept) in self.items.iter().zip(kept.iter_mut()) {
            *kept = *kept || names.contains(&symbol.name_range);
        }
        count(kept) > before
    }

    fn parent(&self, at: usize) -> Option<usize> {
        self.items[at].parent.map(|parent| parent as usize).filter(|&parent| parent < at)
    }

    fn ranges<'a>(&'a self, kept: &'a [bool]) -> impl Iterator<Item = Range> + 'a {
        self.items.iter().zip(kept).filter(|(_, kept)| **kept).map(|(symbol, _)| symbol.location.range)
    }

    fn only(&self, kept: &[bool]) -> Vec<Symbol> {
        let mut places: Vec<Option<u32>> = Vec::with_capacity(kept.len());
        let mut only: Vec<Symbol> = Vec::new();
        for (symbol, &kept) in self.items.iter().zip(kept) {
            places.push(if kept { u32::try_from(only.len()).ok() } else { None });
            if kept {
                let parent = symbol.parent.and_then(|parent| places.get(parent as usize).copied().flatten());
                only.push(Symbol { parent, ..symbol.clone() });
            }
        }
        only
    }
}

impl Part {
    fn wants(&self, symbol: &Symbol) -> bool {
        let (whole, name) = (symbol.location.range, symbol.name_range);
        let around = |at: &Position| whole.start == *at || holds(whole, *at) || holds(name, *at);
        self.around.iter().any(around) || self.named.iter().any(|letters| contains(&symbol.name, letters))
    }

    /// Whether the hidden lines contain a wanted name. Without wanted names, any lines count.
    fn wants_of(&self, text: &Text, range: Range) -> bool {
        let mut lines = range.start.line..range.end.line.max(range.start.line + 1);
        let wants = |line: &str| self.named.iter().any(|letters| contains(line, letters));
        self.named.is_empty() || lines.any(|line| text.line(line).is_some_and(wants))
    }
}

/// Whether a text contains ASCII letters, ignoring case. This runs for every file of a project, so it copies nothing
/// and searches for the rarest of the letters.
pub(crate) fn contains(text: &str, letters: &str) -> bool {
    let (text, letters) = (text.as_bytes(), letters.as_bytes());
    let commonness = |letter: &u8| COMMON.iter().position(|common| common.eq_ignore_ascii_case(letter));
    let rarest = (0..letters.len()).max_by_key(|&at| commonness(&letters[at]).unwrap_or(COMMON.len()));
    let Some(rarest) = rarest else { return true };
    let rare = letters[rarest];
    let same = |at: usize| {
        let part = at.checked_sub(rarest).and_then(|start| text.get(start..start + letters.len()));
        part.is_some_and(|part| part.eq_ignore_ascii_case(letters))
    };
    memchr::memchr2_iter(rare.to_ascii_lowercase(), rare.to_ascii_uppercase(), text).any(same)
}

/// The letters of source code, most common first. Characters that are not listed are rarer.
const COMMON: &[u8; 26] = b"etrnsaioldcpfumhgbyxvwkqjz";

fn holds(range: Range, at: Position) -> bool {
    range.start <= at && at < range.end
}

fn covers(outer: Range, inner: Range) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

fn count(kept: &[bool]) -> usize {
    kept.iter().filter(|kept| **kept).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Freshness, Location};

    /// Each symbol is `(name, first line, last line, parent)`. Its name is at the beginning of its first line.
    fn symbols(flat: bool, list: &[(&str, u32, u32, Option<u32>)]) -> Symbols {
        let symbol = |&(name, from, to, parent): &(&str, u32, u32, Option<u32>)| {
            let (start, end) = (Position { line: from, column: 0 }, Position { line: to, column: 9 });
            let name_end = Position { line: from, column: u32::try_from(name.len()).unwrap() };
            Symbol {
                name: name.to_owned(),
                kind: 5,
                detail: None,
                location: Location { path: "a".to_owned(), range: Range { start, end } },
                name_range: Range { start, end: name_end },
                container: None,
                parent,
                deprecated: false,
            }
        };
        let freshness = Freshness { doubts: Vec::new(), settled: 0, generation: 0 };
        Symbols { items: list.iter().map(symbol).collect(), flat, hidden: Vec::new(), freshness }
    }

    fn check(flat: bool, around: &[u32], named: &[&str], expected: &[(&str, Option<u32>)]) {
        let parent = |at| if flat { None } else { Some(at) };
        let all = symbols(
            flat,
            &[
                ("Shape", 0, 9, None),
                ("area", 1, 2, parent(0)),
                ("size", 3, 8, parent(0)),
                ("Inner", 4, 7, parent(2)),
                ("get", 5, 6, parent(3)),
                ("other", 10, 12, None),
                // A duplicate, because some servers list overloads and macros twice.
                ("area", 1, 2, None),
            ],
        );
        let part = Part {
            path: "a".to_owned(),
            around: around.iter().map(|&line| Position { line, column: 4 }).collect(),
            named: named.iter().map(|&name| name.to_owned()).collect(),
        };
        let found = all.part(&part, None);
        let shown: Vec<_> = found.items.iter().map(|symbol| (symbol.name.as_str(), symbol.parent)).collect();
        assert_eq!(shown, expected, "{around:?} {named:?}");
    }

    #[test]
    fn a_part_holds_what_is_wanted_and_what_holds_it() {
        check(false, &[], &[], &[]);
        check(false, &[11], &[], &[("other", None)]);
        check(
            false,
            &[],
            &["GET"],
            &[("Shape", None), ("size", Some(0)), ("Inner", Some(1)), ("get", Some(2))],
        );
        check(false, &[3], &["oth"], &[("Shape", None), ("size", Some(0)), ("other", None)]);
        check(false, &[1], &[], &[("Shape", None), ("area", Some(0)), ("area", None)]);
        check(true, &[], &["get"], &[("Shape", None), ("size", None), ("Inner", None), ("get", None)]);
        check(true, &[10], &["rea"], &[("Shape", None), ("area", None), ("other", None), ("area", None)]);
    }

    #[test]
    fn letters_are_found_in_any_case() {
        for (text, letters, expected) in [
            ("int DeFlate(x)", "deflate", true),
            ("deflat", "deflate", false),
            ("late", "deflate", false),
            ("def fdeflate", "DEFLATE", true),
            ("größe", "röß", true),
            ("a_1", "_1", true),
            ("", "", true),
            ("", "a", false),
        ] {
            assert_eq!(contains(text, letters), expected, "{text} {letters}");
        }
    }

    #[test]
    fn of_what_is_left_out_a_part_has_what_holds_its_letters() {
        let text = Text::new("a\nGet_it\nb\nonly(get)\n".to_owned());
        let at = |line, column| Position { line, column };
        let lines = |first, last: u32| Range { start: at(first, 0), end: at(last + 1, 0) };
        let word = Range { start: at(3, 5), end: at(3, 8) };
        let all =
            Symbols { hidden: vec![lines(0, 0), lines(0, 1), lines(2, 2), word], ..symbols(false, &[]) };
        let check = |named: &[&str], expected: &[Range]| {
            let named = named.iter().map(|&name| name.to_owned()).collect();
            let part = Part { path: "a".to_owned(), around: Vec::new(), named };
            assert_eq!(all.part(&part, Some(&text)).hidden, expected, "{:?}", part.named);
        };
        check(&["get"], &[lines(0, 1), word]);
        check(&["B", "none"], &[lines(2, 2)]);
        check(&["none"], &[]);
        check(&[], &all.hidden);
    }
}
