//! Output for people: colours where there is a terminal, plain text everywhere else.

mod json;

use std::io::{self, Write as _};

use anstyle::{AnsiColor, Style};
use comfy_table::presets::NOTHING;
use comfy_table::{Attribute, Cell, CellAlignment, ContentArrangement, Table};
use serde_json::Value as Json;

pub(super) use json::{Shortened, json};

pub(super) const ERROR: Style = AnsiColor::Red.on_default().bold();
pub(super) const STRONG: Style = Style::new().bold();
pub(super) const FAINT: Style = Style::new().dimmed();
pub(super) const GOOD: Style = AnsiColor::Green.on_default();
pub(super) const NAME: Style = AnsiColor::Cyan.on_default().bold();

/// How wide a terminal is that does not say it.
const UNKNOWN: u16 = 100;

/// How wide text for people is at most.
const WIDEST: usize = 120;

/// Prints an answer: as JSON for programs, or with colours for people.
///
/// # Errors
/// The output cannot be written.
pub(super) fn answer(body: &Json, for_programs: bool) -> io::Result<()> {
    let text = match for_programs {
        true => serde_json::to_string_pretty(body)?,
        false => json(body, width(), Shortened::NOT),
    };
    writeln!(anstream::stdout(), "{text}")
}

/// A number of things: `1 note`, `2 notes`.
pub(super) fn count(number: usize, name: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {name}{ending}")
}

/// How wide the terminal is, within reason.
pub(super) fn width() -> usize {
    Table::new()
        .width()
        .filter(|width| *width > 0)
        .map_or(usize::from(UNKNOWN), usize::from)
        .clamp(40, WIDEST)
}

/// Breaks a text between words where the terminal would break it inside one; later lines begin with the indent.
pub(super) fn folded(text: &str, indent: usize, width: usize) -> String {
    let (mut lines, mut used) = (String::new(), indent);
    for (at, word) in text.split(' ').enumerate() {
        let length = word.chars().count();
        if at > 0 && used + 1 + length > width {
            lines.push('\n');
            lines.push_str(&" ".repeat(indent));
            used = indent;
        } else if at > 0 {
            lines.push(' ');
            used += 1;
        }
        lines.push_str(word);
        used += length;
    }
    lines
}

/// Makes a table; a column whose header begins with `#` holds numbers.
pub(super) fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    // A terminal that was never given a size says 0, and every letter would get a line of its own.
    if table.width() == Some(0) {
        table.set_width(UNKNOWN);
    }
    let cell = |name: &&str| Cell::new(name.trim_start_matches('#')).add_attribute(Attribute::Bold);
    table.set_header(header.iter().map(cell));
    for (at, name) in header.iter().enumerate() {
        if let (true, Some(column)) = (name.starts_with('#'), table.column_mut(at)) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// Prints a table.
///
/// # Errors
/// The output cannot be written.
pub(super) fn print(table: &Table) -> io::Result<()> {
    let mut stdout = anstream::stdout();
    lines(table).try_for_each(|line| writeln!(stdout, "{line}"))
}

/// The lines of a table, without blanks at their ends.
pub(super) fn lines(table: &Table) -> impl Iterator<Item = String> + '_ {
    table.lines().map(|line| line.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_breaks_between_words() {
        for (indent, width, expected) in [
            (0, 20, "one two three"),
            (0, 7, "one two\nthree"),
            (2, 7, "one\n  two\n  three"),
            (0, 3, "one\ntwo\nthree"),
        ] {
            assert_eq!(folded("one two three", indent, width), expected, "{indent} {width}");
        }
    }
}
