//! Output for people: coloured on a terminal, plain text everywhere else.

mod fold;
mod json;
mod pager;

use std::io::{self, Write as _};

use anstyle::{AnsiColor, Style};
use comfy_table::presets::NOTHING;
use comfy_table::{Attribute, Cell, CellAlignment, ColumnConstraint, ContentArrangement, Row, Table, Width};
use serde_json::Value as Json;
use unicode_width::UnicodeWidthStr;

pub(super) use fold::{fold, stderr, stdout};
pub(super) use json::{Shortened, json};
pub(super) use pager::paged;

pub(super) const ERROR: Style = AnsiColor::Red.on_default().bold();
pub(super) const STRONG: Style = Style::new().bold();
pub(super) const FAINT: Style = Style::new().dimmed();
pub(super) const GOOD: Style = AnsiColor::Green.on_default();
pub(super) const NAME: Style = AnsiColor::Cyan.on_default().bold();

/// The assumed width of a terminal that does not report one.
const UNKNOWN: u16 = 100;

/// The escape sequence that ends a style.
const RESET: &str = "\u{1b}[0m";

/// The number of spaces around the text of a column.
const PADDING: usize = 2;

/// The widest text for people, in columns.
const WIDEST: usize = 120;

/// Prints an answer: as JSON for programs, or coloured for people.
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

/// Reports what a command has done: a sentence for people, an object for programs.
///
/// # Errors
/// The output cannot be written.
pub(super) fn done(said: &str, body: &Json, for_programs: bool) -> io::Result<()> {
    if for_programs { answer(body, true) } else { writeln!(stdout(), "{said}") }
}

/// The stream for progress messages: stderr if the answer is for programs, so that it is not mixed with the answer.
pub(super) fn aside(for_programs: bool) -> Box<dyn io::Write> {
    if for_programs { Box::new(stderr()) } else { Box::new(stdout()) }
}

/// Formats a number of things: `1 note`, `2 notes`.
pub(super) fn count(number: usize, name: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {name}{ending}")
}

/// The width of the terminal, within limits.
pub(super) fn width() -> usize {
    columns().unwrap_or(usize::from(UNKNOWN)).clamp(40, WIDEST)
}

/// The width of the terminal, if it is known.
fn columns() -> Option<usize> {
    let (columns, _) = crossterm::terminal::size().ok()?;
    (columns > 0).then_some(usize::from(columns))
}

/// Makes a table. A column whose header begins with `#` holds numbers.
pub(super) fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    // Colours are removed on output, unless it is a terminal and the user wants them.
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Dynamic).enforce_styling();
    // A terminal whose size was never set reports 0, and every letter would get a line of its own.
    if table.width() == Some(0) {
        table.set_width(UNKNOWN);
    }
    if let (true, Some(columns)) = (pager::is_paged(), columns()) {
        table.set_width(u16::try_from(columns).unwrap_or(UNKNOWN));
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
    lines(table).iter().try_for_each(|line| writeln!(stdout, "{line}"))
}

/// Formats a table without trailing spaces. If the terminal is so narrow that a column would break inside a word,
/// each row becomes a paragraph.
pub(super) fn lines(table: &Table) -> Vec<String> {
    let mut table = table.clone();
    let Some(width) = table.width().map(usize::from) else { return trimmed(&table) };
    let words = least(&mut table);
    if words.iter().sum::<usize>() > width {
        return table.header().into_iter().chain(table.row_iter()).map(|row| paragraph(row, width)).collect();
    }
    for (column, least) in table.column_iter_mut().zip(words) {
        let least = Width::Fixed(u16::try_from(least).unwrap_or(u16::MAX));
        column.set_constraint(ColumnConstraint::LowerBoundary(least));
    }
    trimmed(&table)
}

/// Tells whether a table fits the available width without becoming paragraphs.
pub(super) fn fits(table: &Table) -> bool {
    table.width().is_none_or(|width| least(&mut table.clone()).iter().sum::<usize>() <= usize::from(width))
}

/// The smallest width of each column.
fn least(table: &mut Table) -> Vec<usize> {
    (0..table.column_count()).map(|at| longest_word(table, at) + PADDING).collect()
}

fn trimmed(table: &Table) -> Vec<String> {
    let trim = |line: String| match line.strip_suffix(RESET) {
        Some(line) => format!("{}{RESET}", line.trim_end()),
        None => line.trim_end().to_owned(),
    };
    table.lines().map(trim).collect()
}

fn longest_word(table: &Table, column: usize) -> usize {
    let rows = table.header().into_iter().chain(table.row_iter());
    let cells = rows.filter_map(|row| row.cell_iter().nth(column)).map(Cell::content);
    let longest = |cell: String| cell.split_whitespace().map(UnicodeWidthStr::width).max();
    cells.filter_map(longest).max().unwrap_or_default()
}

/// Formats the cells of a row one after the other. Lines after the first are indented.
fn paragraph(row: &Row, width: usize) -> String {
    let cells = row.cell_iter().map(Cell::content).filter(|cell| !cell.is_empty());
    let (mut text, mut used) = (String::new(), 0);
    for cell in cells {
        let length = cell.width();
        if used > 0 && used + 2 + length > width {
            text.push_str("\n    ");
            used = 4;
        } else if used > 0 {
            text.push_str("  ");
            used += 2;
        }
        let folded = fold(&cell, used, 6, width);
        used = folded.rsplit_once('\n').map_or(used + length, |(_, last)| last.width());
        text.push_str(&folded);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_is_too_wide_becomes_paragraphs() {
        let mut table = table(&["App", "What", "Result"]);
        table.add_row(["com.apple.mail", "read the subject", "allowed: the policy"]);
        table.add_row(["com.apple.mail", "", "ok"]);
        let check = |width: u16, expected: &[&str]| {
            let mut table = table.clone();
            table.set_width(width);
            let lines = lines(&table).join("\n");
            assert_eq!(anstream::adapter::strip_str(&lines).to_string(), expected.join("\n"), "{width}");
        };
        check(
            60,
            &[
                " App             What              Result",
                " com.apple.mail  read the subject  allowed: the policy",
                " com.apple.mail                    ok",
            ],
        );
        check(
            45,
            &[
                " App             What      Result",
                " com.apple.mail  read the  allowed: the",
                "                 subject   policy",
                " com.apple.mail            ok",
            ],
        );
        check(
            30,
            &[
                "App  What  Result",
                "com.apple.mail",
                "    read the subject",
                "    allowed: the policy",
                "com.apple.mail  ok",
            ],
        );
    }
}
