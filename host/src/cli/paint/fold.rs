//! Wraps lines to the width of the terminal between words. The terminal itself would break them inside words.

use std::io::{self, IsTerminal as _, Write};

use anstream::AutoStream;
use anstream::stream::{AsLockedWrite, RawStream};
use unicode_width::UnicodeWidthStr as _;

/// The indentation of an error's further lines, which is also that of its suggestion.
const ERROR: usize = 2;

/// An output for prose. Lines are wrapped on a terminal; piped output stays as it is. Text to copy, such as JSON,
/// must not be wrapped, so it goes to `anstream::stdout()`.
#[derive(Debug)]
pub(in crate::cli) struct Folded<S: RawStream + AsLockedWrite> {
    stream: AutoStream<S>,
    /// `None` if nothing is wrapped.
    width: Option<usize>,
    /// A line that is not complete yet.
    line: Vec<u8>,
}

/// Standard output for prose.
pub(in crate::cli) fn stdout() -> Folded<io::Stdout> {
    Folded::new(super::pager::is_terminal(), AutoStream::auto(io::stdout()))
}

/// Standard error for prose.
pub(in crate::cli) fn stderr() -> Folded<io::Stderr> {
    Folded::new(io::stderr().is_terminal(), AutoStream::auto(io::stderr()))
}

impl<S: RawStream + AsLockedWrite> Folded<S> {
    fn new(is_terminal: bool, stream: AutoStream<S>) -> Self {
        let width = is_terminal.then(super::columns).flatten();
        Self { stream, width, line: Vec::new() }
    }

    fn write_line(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        match (self.width, str::from_utf8(&line)) {
            (Some(width), Ok(text)) => {
                self.stream.write_all(fold(text, 0, hanging(text, width), width).as_bytes())
            }
            _ => self.stream.write_all(&line),
        }
    }
}

impl<S: RawStream + AsLockedWrite> Write for Folded<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend(part);
            if part.ends_with(b"\n") {
                self.write_line()?;
            }
        }
        Ok(bytes.len())
    }

    /// Also writes an incomplete line, such as a question.
    fn flush(&mut self) -> io::Result<()> {
        self.write_line()?;
        self.stream.flush()
    }
}

impl<S: RawStream + AsLockedWrite> Drop for Folded<S> {
    fn drop(&mut self) {
        // Errors of the stream were already reported by earlier writes.
        let _ = self.flush();
    }
}

/// The indentation of a wrapped line's further lines: below the text after a label such as `ok    `, otherwise the
/// same as the line's own.
fn hanging(line: &str, width: usize) -> usize {
    let line = anstream::adapter::strip_str(line).to_string();
    if line.starts_with("error: ") {
        return ERROR;
    }
    let indent = line.len() - line.trim_start_matches(' ').len();
    let label = line[indent..].find("  ").map(|at| {
        let gap = &line[indent + at..];
        line[..indent + at].width() + gap.len() - gap.trim_start_matches(' ').len()
    });
    label.filter(|label| *label <= width / 2).unwrap_or(indent)
}

/// Wraps a text between words. `used` columns of its first line are taken, and further lines are indented. A word
/// that is too long for any line is broken after a `/`, or else stays whole.
pub(in crate::cli) fn fold(text: &str, used: usize, indent: usize, width: usize) -> String {
    let (mut lines, mut used) = (String::new(), used);
    let breaks = |lines: &mut String| {
        lines.truncate(lines.trim_end_matches(' ').len());
        lines.push('\n');
        lines.push_str(&" ".repeat(indent));
        indent
    };
    for (at, word) in text.split(' ').enumerate() {
        let length = shown(word);
        if at > 0
            && length > 0
            && used > indent
            && used + 1 + length > width
            && length <= width.saturating_sub(indent)
        {
            used = breaks(&mut lines);
        } else if at > 0 {
            lines.push(' ');
            used += 1;
        }
        for part in word.split_inclusive('/') {
            if length > width.saturating_sub(indent) && used > indent && used + shown(part) > width {
                used = breaks(&mut lines);
            }
            lines.push_str(part);
            used += shown(part);
        }
    }
    lines
}

/// The width of a word in columns.
fn shown(word: &str) -> usize {
    let plain = anstream::adapter::strip_str(word).to_string();
    plain.trim_end_matches('\n').width()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_breaks_between_words() {
        for (text, used, indent, width, expected) in [
            ("one two three", 0, 0, 20, "one two three"),
            ("one two three", 0, 0, 7, "one two\nthree"),
            ("one two three", 2, 2, 7, "one\n  two\n  three"),
            ("one two three", 0, 0, 3, "one\ntwo\nthree"),
            ("a  b   c", 0, 0, 20, "a  b   c"),
            ("  name  what is said", 0, 8, 16, "  name  what is\n        said"),
            ("\u{1b}[1mone\u{1b}[0m two", 0, 0, 7, "\u{1b}[1mone\u{1b}[0m two"),
            ("see ~/Library/Caches/iac", 0, 0, 12, "see ~/\nLibrary/\nCaches/iac"),
            ("日本 日本", 0, 0, 8, "日本\n日本"),
            ("unbreakable", 0, 0, 5, "unbreakable"),
        ] {
            assert_eq!(fold(text, used, indent, width), expected, "{text} {width}");
        }
    }

    #[test]
    fn later_lines_stand_below_the_words() {
        for (line, expected) in [
            ("plain words", 0),
            ("  indented", 2),
            ("ok    clients: none", 6),
            ("  name  words", 8),
            ("a very long label  x", 0),
        ] {
            assert_eq!(hanging(line, 30), expected, "{line}");
        }
    }
}
