//! Code that a build leaves out. A C server knows nothing about a branch if its condition is not met, so it does not
//! see the names there. An answer that may lack these names says so. The same holds for names in macro bodies, and for
//! macro calls that the build leaves out.

use crate::crawl::{self, Outline, Share};
use crate::doubts::{Doubts, Reason};
use crate::pattern::{Case, Pattern};
use crate::request::Common;
use crate::reserved::is_keyword;
use crate::scope::{self, Scope, Site};
use crate::world::{FileFilter, Line, Naming, Range, Server};

/// The maximum number of lines of one request.
const LINES: u32 = 1_000;

/// The maximum number of files to search for uses of a name.
const FILES: u32 = 200;

/// The note about left-out lines of files.
const LEFT_OUT: &str = "this build leaves out code that was not looked at";

/// The note about names in macros.
const IN_MACROS: &str = "macros hold declarations that mean nothing to the server";

/// The words to find in lines that a build leaves out.
#[derive(Clone, Copy)]
pub(crate) enum Sought<'a> {
    /// Any name.
    Any,
    /// Names that could match a pattern.
    Like(&'a Pattern, Case),
    Name(&'a str),
}

/// Adds a doubt if the lines that are left out of files contain the wanted words.
pub(crate) fn doubt(outlines: &[Outline<'_>], sought: Sought<'_>, doubts: &mut Doubts) {
    let hides = |outline: &&Outline<'_>| !outline.hidden.is_empty();
    let found: Vec<String> =
        outlines.iter().filter(hides).filter_map(|outline| found(outline, &outline.hidden, sought)).collect();
    doubts.inactive(LEFT_OUT, &found, "files");
    doubts.inactive(IN_MACROS, &in_macros(outlines, sought), "places");
}

/// The places in macros with the wanted names.
fn in_macros(outlines: &[Outline<'_>], sought: Sought<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for outline in outlines {
        let names: Vec<&Range> = outline.hidden.iter().filter(|range| is_name(range)).collect();
        let path = &outline.file.path;
        let lines = outline.site.lines(names.iter().map(|name| (path.clone(), name.start.line)));
        for name in names {
            let line = lines.get(&(path.clone(), name.start.line)).map_or("", String::as_str);
            let width = name.end.column.saturating_sub(name.start.column);
            let word: String = line.chars().skip(name.start.column as usize).take(width as usize).collect();
            if is_sought(&word, sought) {
                found.push(format!("{}:{}", outline.site.show(path), name.start.line + 1));
            }
        }
    }
    found
}

/// Whether this is a name in a macro and not a range of lines.
fn is_name(range: &Range) -> bool {
    range.start.line == range.end.line
}

/// Adds a doubt if the left-out lines of a symbol contain any name: the plugin does not know which functions the
/// symbol calls there.
pub(crate) fn doubt_within(outlines: &[Outline<'_>], whole: &Range, doubts: &mut Doubts) {
    let within = |range: &&Range| {
        !is_name(range) && range.start.line >= whole.start.line && range.start.line <= whole.end.line
    };
    let found: Vec<String> = outlines
        .iter()
        .filter_map(|outline| {
            let hidden: Vec<Range> = outline.hidden.iter().filter(within).copied().collect();
            found(outline, &hidden, Sought::Any)
        })
        .collect();
    doubts.inactive(LEFT_OUT, &found, "files");
}

/// Adds a doubt if the left-out lines of any file of a root could use a name. Only languages with headers have such
/// conditions.
pub(crate) fn doubt_uses(site: Site<'_>, server: &Server, name: &str, common: &Common, doubts: &mut Doubts) {
    if !matches!(server.naming, Naming::Scoped) || name.is_empty() {
        return;
    }
    let scope = Scope::new(site, String::new());
    let (languages, containing) = (server.languages.clone(), Some(name.to_owned()));
    let wanted = FileFilter { languages, containing, ..scope::filter("", FILES) };
    let Ok(files) = scope.listed(&wanted) else { return };
    if files.truncated {
        doubts.add(Reason::FileCap);
        doubts
            .note(format!("only the first {FILES} files were searched for code that this build leaves out"));
    }
    let partial = Common { allow_partial: true, ..common.clone() };
    let letters = [name.to_owned()];
    let (share, mut others) = (Share::Named(&letters), Doubts::default());
    let mut files = files.items;
    files.retain(|file| !site.is_among(&common.exclude, &file.path));
    if let Ok(outlines) = crawl::outlines(site, files, &share, &partial, false, "outline", &mut others) {
        doubt(&outlines, Sought::Name(name), doubts);
    }
}

/// Returns the first place, in the form to show, where left-out lines contain the wanted words.
fn found(outline: &Outline<'_>, hidden: &[Range], sought: Sought<'_>) -> Option<String> {
    let mut lines = hidden.iter().filter(|range| !is_name(range));
    let line = lines.find_map(|range| first(outline, range, sought))?;
    Some(format!("{}:{}", outline.site.show(&outline.file.path), line + 1))
}

/// Returns the first line of a range with the wanted words.
fn first(outline: &Outline<'_>, range: &Range, sought: Sought<'_>) -> Option<u32> {
    let mut reader = Reader::default();
    let mut from = range.start.line;
    while from < range.end.line {
        let to = range.end.line.min(from.saturating_add(LINES));
        let line = |number| Line { path: outline.file.path.clone(), number };
        let texts = outline.site.workspace.lines(&(from..to).map(line).collect::<Vec<_>>());
        let mut is_found = |text: &Option<String>| {
            text.as_ref().is_some_and(|text| reader.finds(text, |word| is_sought(word, sought)))
        };
        if let Some(at) = (from..to).zip(&texts).find_map(|(at, text)| is_found(text).then_some(at)) {
            return Some(at);
        }
        from = to;
    }
    None
}

fn is_sought(word: &str, sought: Sought<'_>) -> bool {
    match sought {
        Sought::Any => true,
        Sought::Like(pattern, case) => pattern.could_name(word, case),
        Sought::Name(name) => word == name,
    }
}

/// Reads words line by line. Skips comments, strings, and words that cannot name a symbol.
#[derive(Default)]
struct Reader {
    /// Inside of a comment of several lines.
    comment: bool,
    /// Inside a directive that continues.
    directive: bool,
}

impl Reader {
    /// Says whether a line has a wanted word, and remembers how the line ends.
    fn finds(&mut self, line: &str, wanted: impl Fn(&str) -> bool) -> bool {
        let goes_on = line.trim_end().ends_with('\\');
        let begins = line.trim_start().strip_prefix('#').map(str::trim_start);
        let skipped = self.directive || begins.is_some_and(|rest| !rest.starts_with("define"));
        let rest = begins.and_then(|rest| rest.strip_prefix("define")).unwrap_or(line);
        let found = self.plain(rest, |word| !skipped && wanted(word) && !is_keyword("c", word));
        self.directive = goes_on && skipped;
        found
    }

    /// Examines all words of a line outside comments and strings, even after a match, because a comment may begin in
    /// the rest of the line.
    fn plain(&mut self, line: &str, wanted: impl Fn(&str) -> bool) -> bool {
        let (mut found, mut at) = (false, 0);
        while let Some(letter) = line[at..].chars().next() {
            let rest = &line[at..];
            if self.comment {
                let end = rest.find("*/").map(|end| end + 2);
                self.comment = end.is_none();
                at += end.unwrap_or(rest.len());
            } else if rest.starts_with("//") {
                break;
            } else if rest.starts_with("/*") {
                self.comment = true;
                at += 2;
            } else if letter == '"' || letter == '\'' {
                at += quoted(rest, letter);
            } else if is_part(letter) {
                let word = &rest[..rest.find(|letter| !is_part(letter)).unwrap_or(rest.len())];
                found = found || (!letter.is_ascii_digit() && wanted(word));
                at += word.len();
            } else {
                at += letter.len_utf8();
            }
        }
        found
    }
}

fn is_part(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

/// The length of a string with its quotes. An unclosed string ends with the line.
fn quoted(rest: &str, quote: char) -> usize {
    let mut letters = rest.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        if letter == quote {
            return at + 1;
        }
        if letter == '\\' {
            letters.next();
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn check(lines: &[&str], expected: &[&str]) {
        let mut reader = Reader::default();
        let words = RefCell::new(Vec::new());
        for line in lines {
            reader.finds(line, |word| {
                words.borrow_mut().push(word.to_owned());
                false
            });
        }
        let words: Vec<String> =
            words.into_inner().into_iter().filter(|word| !is_keyword("c", word)).collect();
        assert_eq!(words, expected, "{lines:?}");
    }

    #[test]
    fn words_that_could_be_names() {
        check(&["int áb(char *c_1);"], &["áb", "c_1"]);
        check(&["return 0x1f; /* a */ // b", "\"c\\\"d\" 'e' \"f", "g"], &["g"]);
        check(&["extern \"C\" {", "}"], &[]);
        check(&["/* a", "b", "c */ d /* e */ f"], &["d", "f"]);
        check(&["#include <windows.h>", "  # pragma once", "#error no \\", "goes on", "a"], &["a"]);
        check(&["#define MAX(a) \\", "  max_of(a)"], &["MAX", "a", "max_of", "a"]);
    }
}
