//! Patterns over names: `get*`, `[A-Z]*Service`, `{get,set}*`, `Animation.get*`, `Shapes.**.area`.
//!
//! Names of symbols are not paths: `operator[]`, `$scope`, `(*Circle).GetR` and emoji are all names, and only the
//! separators of the hierarchy are special in them. So the matcher is our own. Matching one name takes at most
//! (pattern × name) steps, because the matcher never backtracks within a backtracking step.

mod braces;
mod glob;

#[cfg(test)]
mod tests;

use braces::TooMany;
use glob::Glob;

/// The longest pattern, in characters.
const LONGEST: usize = 1_000;

/// A pattern over the name and the place in the hierarchy of a symbol.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    text: String,
    alternatives: Vec<Alternative>,
}

/// A pattern over paths: `**/generated/**`, `src/*.test.ts`, `vendor`. Without a `/` it matches any one name of the
/// path; with a `/` it begins at the root. Everything below a matching folder matches too.
#[derive(Clone, Debug)]
pub(crate) struct PathPattern {
    /// Whether it begins with `/`, so that it may name an absolute path.
    rooted: bool,
    alternatives: Vec<Vec<Segment>>,
}

/// The rest of a pattern after its braces are expanded.
#[derive(Clone, Debug)]
struct Alternative {
    /// The pattern without regard to separators, for names that contain separators.
    whole: Glob,
    /// Whether it begins at the top of a file.
    anchored: bool,
    segments: Vec<Segment>,
}

#[derive(Clone, Debug)]
enum Segment {
    One(Glob),
    /// `**`
    AnyDepth,
}

/// How letters are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    /// `a` is not `A`.
    Exact,
    /// `a` is `A`.
    Ignored,
}

/// The reason why a pattern is not valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PatternError {
    /// It is empty.
    Empty,
    /// It has more than 1,000 characters.
    TooLong,
    /// Its braces make more than 256 patterns.
    TooMany,
}

impl std::fmt::Display for PatternError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Empty => "pattern must not be empty; use \"*\" for every symbol",
            Self::TooLong => "pattern is longer than 1000 characters",
            Self::TooMany => "pattern expands to more than 256 alternatives",
        })
    }
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// An empty one, one of more than 1,000 characters, one that expands to more than 256 alternatives.
    pub(crate) fn parse(text: &str) -> Result<Self, PatternError> {
        if text.is_empty() {
            return Err(PatternError::Empty);
        }
        if text.chars().count() > LONGEST {
            return Err(PatternError::TooLong);
        }
        let expanded = braces::expand(text).map_err(|TooMany| PatternError::TooMany)?;
        let alternatives = expanded.iter().map(|one| Alternative::parse(one)).collect();
        Ok(Self { text: text.to_owned(), alternatives })
    }

    /// Returns the text it was read from.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Tells whether a symbol matches. `name` is its name; `containers` are the names of its containers from the top
    /// of the file.
    pub(crate) fn matches(&self, containers: &[String], name: &str, case: Case) -> bool {
        self.alternatives.iter().any(|one| one.matches(containers, name, case))
            || self.spells(containers, name)
    }

    /// Tells whether the pattern is the full name or the end of it, letter by letter, as an answer writes it:
    /// `List.[Symbol.iterator]`.
    fn spells(&self, containers: &[String], name: &str) -> bool {
        let mut rest = self.text.strip_suffix(name).filter(|_| !name.is_empty());
        for holder in containers.iter().rev() {
            rest = match rest {
                None | Some("") => break,
                Some(more) => more.strip_suffix('.').and_then(|more| more.strip_suffix(holder.as_str())),
            };
        }
        rest == Some("")
    }

    /// Tells whether the pattern is literally `name`.
    pub(crate) fn names_exactly(&self, name: &str) -> bool {
        self.alternatives.iter().any(|one| match one.segments.last() {
            Some(Segment::One(leaf)) => leaf.literal().is_some_and(|literal| literal == name),
            _ => false,
        })
    }

    /// Tells whether a symbol called `name` could match, wherever it is.
    pub(crate) fn could_name(&self, name: &str, case: Case) -> bool {
        self.alternatives.iter().any(|one| match one.segments.last() {
            Some(Segment::One(leaf)) => leaf.matches(name, case),
            _ => true,
        })
    }

    /// Returns strings: every matching name contains at least one of them, in any case; `None` if a name may contain
    /// anything. Each string has at least `least` characters, all ASCII.
    pub(crate) fn literals(&self, least: usize) -> Option<Vec<String>> {
        let mut literals = Vec::new();
        for one in &self.alternatives {
            let literal = one.literal().filter(|literal| literal.len() >= least)?;
            if !literals.contains(&literal) {
                literals.push(literal);
            }
        }
        Some(literals)
    }

    /// Returns strings: the text of every file with a match contains at least one of them. They come from a name or
    /// its containers, since both are in the text.
    pub(crate) fn text_literals(&self, least: usize) -> Option<Vec<String>> {
        let mut literals = Vec::new();
        for one in &self.alternatives {
            let runs = one.segments.iter().filter_map(Segment::literal);
            let literal = runs.max_by_key(String::len).filter(|literal| literal.len() >= least)?;
            if !literals.contains(&literal) {
                literals.push(literal);
            }
        }
        Some(literals)
    }

    /// Returns the ways to read the pattern as the path of a module and a name in it, the shortest path first:
    /// `requests.sessions.Session` as `Session` in `requests/sessions`. This is only done for names without wildcards.
    /// Leading `crate`, `self` and `super` of a Rust path are skipped, because they name no module.
    pub(crate) fn in_modules(&self) -> Vec<(Vec<String>, Self)> {
        let parts: Vec<&str> = self.text.split(['.', '/', ':']).filter(|part| !part.is_empty()).collect();
        let relative = parts.iter().take_while(|part| matches!(**part, "crate" | "self" | "super")).count();
        let is_rust = self.text.contains("::");
        let parts = if is_rust { &parts[relative..] } else { &parts[..] };
        let is_plain =
            |part: &&str| part.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-'));
        if !parts.iter().all(is_plain) {
            return Vec::new();
        }
        let read = |at: usize| {
            let module = parts[..at].iter().map(|&part| part.to_owned()).collect();
            Some((module, Self::parse(&format!(".{}", parts[at..].join("."))).ok()?))
        };
        (usize::from(!is_rust || relative == 0)..parts.len()).filter_map(read).collect()
    }

    /// Returns the last name of the pattern, to search for similar names.
    pub(crate) fn leaf(&self) -> &str {
        let from = self.text.rfind(['.', '#', '/', ':']).map_or(0, |at| at + 1);
        &self.text[from..]
    }
}

impl PathPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// As for [`Pattern::parse`].
    pub(crate) fn parse(text: &str) -> Result<Self, PatternError> {
        Pattern::parse(text)?;
        let expanded = braces::expand(text).map_err(|TooMany| PatternError::TooMany)?;
        let alternatives = expanded.iter().map(|marks| path_segments(marks)).collect();
        Ok(Self { rooted: text.starts_with('/'), alternatives })
    }

    /// Whether it may name an absolute path.
    pub(crate) fn is_rooted(&self) -> bool {
        self.rooted
    }

    /// Tells whether a path with `/`, relative to its root or absolute, or a folder above it, matches.
    pub(crate) fn matches(&self, path: &str) -> bool {
        let names: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        let folders = |segments: &Vec<Segment>| {
            (1..=names.len()).any(|depth| follows(segments, &names[..depth], Case::Exact))
        };
        self.alternatives.iter().any(folders)
    }
}

fn path_segments(marks: &[glob::Mark]) -> Vec<Segment> {
    let parts: Vec<&[glob::Mark]> = marks.split(|mark| mark.is('/')).collect();
    let anywhere = (parts.len() == 1).then_some(Segment::AnyDepth);
    let named = parts.into_iter().filter(|part| !part.is_empty() && !glob::is(part, "."));
    anywhere.into_iter().chain(named.map(Segment::parse)).collect()
}

impl Alternative {
    fn parse(text: &[glob::Mark]) -> Self {
        let (anchored, parts) = split(text);
        let segments = parts.into_iter().map(Segment::parse).collect();
        Self { whole: Glob::parse(text), anchored, segments }
    }

    fn matches(&self, containers: &[String], name: &str, case: Case) -> bool {
        self.whole.matches(name, case) || self.matches_path(containers, name, case)
    }

    fn matches_path(&self, containers: &[String], name: &str, case: Case) -> bool {
        let path: Vec<&str> = containers.iter().map(String::as_str).chain([name]).collect();
        if self.anchored {
            return follows(&self.segments, &path, case);
        }
        // The last segment is for the name itself, so only as many containers matter as there are segments, unless one
        // of them matches any number.
        (0..path.len()).any(|from| follows(&self.segments, &path[from..], case))
    }

    /// The longest run of ASCII that every match contains, whether it matches as a whole or by its last segment.
    fn literal(&self) -> Option<String> {
        self.segments.last()?.literal()
    }
}

impl Segment {
    fn literal(&self) -> Option<String> {
        match self {
            Self::One(glob) => glob.longest_run(),
            Self::AnyDepth => None,
        }
    }

    fn parse(marks: &[glob::Mark]) -> Self {
        if glob::is_any_depth(marks) { Self::AnyDepth } else { Self::One(Glob::parse(marks)) }
    }
}

/// Whether the segments match the whole path. `**` matches any number of names, but at least one at the end.
fn follows(segments: &[Segment], path: &[&str], case: Case) -> bool {
    // reached[i]: the segments so far match the first i names.
    let mut reached = vec![false; path.len() + 1];
    reached[0] = true;
    for (number, segment) in segments.iter().enumerate() {
        let mut next = vec![false; path.len() + 1];
        let least = usize::from(number + 1 == segments.len());
        for from in (0..=path.len()).filter(|&from| reached[from]) {
            match segment {
                Segment::AnyDepth => next.iter_mut().skip(from + least).for_each(|to| *to = true),
                Segment::One(glob) if from < path.len() => next[from + 1] |= glob.matches(path[from], case),
                Segment::One(_) => {}
            }
        }
        reached = next;
    }
    reached[path.len()]
}

/// Splits at separators outside of brackets: `.`, `::`, `#`, `/`. A leading `.` or `::` anchors. `#` after another
/// separator or at the beginning is a part of a private name (`Stack.#items`). A character at the end of the text is
/// not a separator.
fn split(marks: &[glob::Mark]) -> (bool, Vec<&[glob::Mark]>) {
    let mut parts = Vec::new();
    let (mut start, mut at) = (0, 0);
    let mut anchored = false;
    while at < marks.len() {
        let width = separator(&marks[at..]);
        if width == 0 || at + width == marks.len() || (at == start && marks[at].is('#')) {
            at += glob::width(&marks[at..]);
            continue;
        }
        if at > start {
            parts.push(&marks[start..at]);
        } else if start == 0 {
            anchored = true;
        }
        at += width;
        start = at;
    }
    parts.push(&marks[start..]);
    (anchored, parts)
}

/// The number of characters of a separator at the beginning; 0 if there is none.
fn separator(marks: &[glob::Mark]) -> usize {
    match marks {
        [one, ..] if one.is('.') || one.is('#') || one.is('/') => 1,
        [one, two, ..] if one.is(':') && two.is(':') => 2,
        _ => 0,
    }
}
