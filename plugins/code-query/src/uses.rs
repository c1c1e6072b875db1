//! Uses of a name as the host found them, and the notes about places whose meaning the server does not know.

use std::collections::BTreeSet;

use crate::doubts::{Doubts, Reason};
use crate::imports;
use crate::locate::Located;
use crate::mask::{Masked, is_part};
use crate::request::Common;
use crate::reserved;
use crate::scope::Site;
use crate::tree::key;
use crate::world::{Location, Locations, Naming, Position, Range, Server};

/// The maximum number of lines of a body to search for calls.
const LINES: u32 = 5_000;

/// Uses, and places that may be uses.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    pub(crate) items: Vec<Location>,
    unsure: Vec<Location>,
    unasked: u32,
    /// The number of answers in which every place of the name has a meaning, and the number of all answers.
    settled: (usize, usize),
}

impl Uses {
    /// Adds the results from one place of the symbol.
    pub(crate) fn add(&mut self, found: Locations) {
        self.items.extend(found.items);
        self.unsure.extend(found.unsure);
        self.unasked = self.unasked.max(found.unasked);
        self.settled.0 += usize::from(found.settled);
        self.settled.1 += 1;
    }

    /// Sorts the places and removes duplicates. If a place is a certain use in one answer, it is not an uncertain one
    /// in another.
    pub(crate) fn sort(&mut self) {
        self.items = sorted(std::mem::take(&mut self.items).into_iter());
        let known: BTreeSet<(&str, u32, u32)> = self.items.iter().map(at).collect();
        let unsure = self.unsure.iter().filter(|one| !known.contains(&at(one))).cloned();
        self.unsure = sorted(unsure.collect::<Vec<_>>().into_iter());
    }

    /// Leaves out uncertain places in excluded files.
    pub(crate) fn exclude(&mut self, located: &Located<'_>, common: &Common) {
        self.unsure.retain(|one| !located.site.is_among(&common.exclude, &one.path));
    }

    /// Leaves out uncertain places that are known after all.
    pub(crate) fn forget(&mut self, is_known: impl Fn(&Location) -> bool) {
        self.unsure.retain(|one| !is_known(one));
    }

    /// Keeps the places that have the form of a call: the name, and then its arguments. An uncertain import stays,
    /// because the calls behind it may use another name.
    pub(crate) fn only_calls(&mut self, located: &Located<'_>) {
        let places = self.items.iter().chain(&self.unsure);
        let lines = located.site.lines(places.map(|one| (one.path.clone(), one.range.start.line)));
        let is_call = |one: &Location| {
            let line = lines.get(&(one.path.clone(), one.range.start.line));
            line.is_some_and(|line| is_called(line, one.range.end.column))
        };
        self.items.retain(is_call);
        let spot = |one: &Location| ((one.path.clone(), one.range.start.line), one.range.start.column);
        let imported = imports::among(located.site, &self.unsure.iter().map(spot).collect());
        self.unsure.retain(|one| is_call(one) || imported.contains(&spot(one)));
    }

    /// Withdraws the doubts about the name if every place of it has a meaning. Then the parts of the project or of a
    /// file that the server could not read contain no other declaration and no use of the name.
    pub(crate) fn settle(&self, server: &Server, doubts: &mut Doubts) {
        if self.settled.0 < self.settled.1 || self.settled.1 == 0 {
            return;
        }
        doubts.withdraw(match server.naming {
            Naming::Scoped | Naming::Rust => &[Reason::Degraded, Reason::SyntaxErrors, Reason::InactiveCode],
            // The host does not ask about names that a file with syntax errors declares itself.
            Naming::Plain | Naming::Receiver => &[Reason::Degraded],
        });
    }

    /// Says which places may be uses, and how many were not asked about.
    pub(crate) fn doubt(&self, located: &Located<'_>, server: &Server, doubts: &mut Doubts) {
        let name = located.name();
        let show = |one: &Location| format!("{}:{}", located.site.show(&one.path), one.range.start.line + 1);
        let places: Vec<String> = self.unsure.iter().map(show).collect();
        if matches!(server.naming, Naming::Rust | Naming::Receiver) {
            let said = "this build leaves out code, or macros hold some, that has the name";
            doubts.inactive(said, &places, "places");
        } else {
            doubts.untyped(&name, &places);
        }
        if self.unasked > 0 {
            doubts.add(Reason::IndexCapped);
            doubts.note(format!("`{name}` stands at {} more places that were not asked about", self.unasked));
        }
        if located.language == "python" && is_implicit(&name) {
            doubts.add(Reason::IndexCapped);
            doubts
                .note(format!("Python calls `{name}` by syntax, without its name; such uses are not known"));
        }
    }
}

fn at(one: &Location) -> (&str, u32, u32) {
    (&one.path, one.range.start.line, one.range.start.column)
}

/// Whether the language itself calls functions with this name, for example `__call__`. `__init__` is not one of them,
/// because servers know the calls of `__init__`.
fn is_implicit(name: &str) -> bool {
    name.len() > 4
        && name.starts_with("__")
        && name.ends_with("__")
        && !matches!(name, "__init__" | "__new__")
}

/// Whether arguments follow a column: `(…)`, `!(…)`, `?.(…)`, `<T>(…)` and `::<T>(…)`.
fn is_called(line: &str, column: u32) -> bool {
    let rest: String = line.chars().skip(column as usize).collect();
    let rest = rest.trim_start();
    let rest = rest.strip_prefix("?.").or_else(|| rest.strip_prefix("::")).unwrap_or(rest);
    match rest.chars().next() {
        Some('(' | '`') => true,
        // A macro; `!=` is none.
        Some('!') => rest[1..].starts_with(['(', '[', '{']),
        Some('<') => after_types(rest).is_none_or(|rest| rest.starts_with('(')),
        _ => false,
    }
}

/// The text after `<…>` at the beginning. `None` if the line ends before. If this is a comparison, the rest is empty.
fn after_types(rest: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, letter) in rest.char_indices() {
        match letter {
            '<' => depth += 1,
            '>' if rest[..at].ends_with(['-', '=']) => {}
            '>' if depth == 1 => return Some(rest[at + 1..].trim_start()),
            '>' => depth -= 1,
            ';' | '+' | ')' if !rest[..at].contains('(') => return Some(""),
            '0'..='9' if rest[..at].trim_end().ends_with('<') => return Some(""),
            _ => {}
        }
        if rest[at..].starts_with("&&") || rest[at..].starts_with("||") {
            return Some("");
        }
    }
    None
}

/// The words in a range that arguments follow, except those in comments and strings.
pub(crate) fn calls(site: Site<'_>, path: &str, language: &str, whole: Range) -> Vec<Range> {
    let last = whole.end.line.min(whole.start.line.saturating_add(LINES));
    let lines = site.lines((whole.start.line..=last).map(|line| (path.to_owned(), line)));
    let texts: Vec<&str> = lines.values().map(String::as_str).collect();
    let code = Masked::read(&texts.join("\n"), language).code_lines();
    let mut found = Vec::new();
    // Attributes and directives have arguments too.
    let has_marks = matches!(language, "rust" | "c" | "cpp" | "objective-c" | "objective-cpp");
    for (line, code) in (whole.start.line..).zip(&code) {
        if has_marks && code.trim_start().starts_with('#') {
            continue;
        }
        for (column, word) in words(code) {
            let place = |column: usize| Position { line, column: u32::try_from(column).unwrap_or(u32::MAX) };
            let range = Range { start: place(column), end: place(column + word.chars().count()) };
            let is_within = key(range.start) > key(whole.start) && key(range.start) < key(whole.end);
            if is_within && is_called(code, range.end.column) && !reserved::is_keyword(language, word) {
                found.push(range);
            }
        }
    }
    found
}

/// The names in a line of code, with their columns.
fn words(line: &str) -> Vec<(usize, &str)> {
    let (mut found, mut column) = (Vec::new(), 0);
    for word in line.split_inclusive(|letter: char| !is_part(letter)) {
        let name = word.trim_end_matches(|letter: char| !is_part(letter));
        if !name.is_empty() && !name.starts_with(|letter: char| letter.is_ascii_digit()) {
            found.push((column, name));
        }
        column += word.chars().count();
    }
    found
}

/// Orders locations by path and place, each once.
pub(crate) fn sorted(locations: impl Iterator<Item = Location>) -> Vec<Location> {
    // Places outside of the project come last.
    let place = |one: &Location| {
        (one.path.starts_with('/'), one.path.clone(), key(one.range.start), key(one.range.end))
    };
    let mut all: Vec<Location> = locations.collect();
    all.sort_by_cached_key(place);
    all.dedup_by(|one, other| place(one) == place(other));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_make_a_call() {
        for (line, column, expected) in [
            ("send(x)", 4, true),
            ("send (x)", 4, true),
            ("send;", 4, false),
            ("a.send?.(x)", 6, true),
            ("send::<T>(x)", 4, true),
            ("send!(x)", 4, true),
            ("send", 4, false),
            ("send != (x)", 4, false),
            ("send![x]", 4, true),
            ("send<T, Map<A, B>>(x)", 4, true),
            ("send<", 4, true),
            ("send < 3", 4, false),
            ("send < a && b > (c)", 4, false),
            ("if (send < a) b >", 8, false),
        ] {
            assert_eq!(is_called(line, column), expected, "{line}");
        }
    }

    #[test]
    fn names_have_columns() {
        assert_eq!(words("é(x_1); 2(3)"), [(0, "é"), (2, "x_1")]);
    }

    #[test]
    fn what_python_calls_by_syntax() {
        assert!(
            is_implicit("__call__")
                && !is_implicit("__init__")
                && !is_implicit("call")
                && !is_implicit("____")
        );
    }
}
