//! Positions in a text. A server counts in its own units, everything else in Unicode scalar values.

use serde_json::{Value as Json, json};

use crate::types::{Position, Range};

/// The byte order mark.
const MARK: char = '\u{feff}';

/// The unit in which a server counts columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Bytes of UTF-8.
    Utf8,
    /// UTF-16 code units, LSP's default.
    Utf16,
    /// Unicode scalar values.
    Utf32,
}

impl Encoding {
    /// Parses LSP's name of an encoding. A server that names none counts in UTF-16.
    pub(crate) fn named(name: Option<&str>) -> Option<Self> {
        match name {
            None | Some("utf-16") => Some(Self::Utf16),
            Some("utf-8") => Some(Self::Utf8),
            Some("utf-32") => Some(Self::Utf32),
            Some(_) => None,
        }
    }

    fn width(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

/// The distance in bytes between two marks of a text.
const APART: usize = 128;

/// A position at the start of a character, and the number of units before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mark {
    byte: usize,
    units: usize,
    scalars: usize,
}

impl Mark {
    fn count(self, encoding: Encoding) -> usize {
        match encoding {
            Encoding::Utf8 => self.byte,
            Encoding::Utf16 => self.units,
            Encoding::Utf32 => self.scalars,
        }
    }
}

/// A text and where its lines begin, without the byte order mark.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Text {
    text: String,
    /// Whether the file begins with a byte order mark.
    marked: bool,
    /// Whether the file contains exactly these bytes.
    exact: bool,
    /// The start and end byte of each line, without its line break.
    lines: Vec<(usize, usize)>,
    /// An index that keeps lookups fast even in a line that holds a whole program.
    marks: Vec<Mark>,
}

impl Text {
    /// Decodes UTF-8, UTF-16 with a byte order mark, or Latin-1 if the text declares it. Invalid bytes are replaced.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let decoded = utf16(bytes).or_else(|| latin_1(bytes));
        let text = Self::new(decoded.unwrap_or_else(|| String::from_utf8_lossy(bytes).into_owned()));
        let exact = text.text.as_bytes() == bytes;
        Self { exact, ..text }
    }

    pub(crate) fn new(mut text: String) -> Self {
        let marked = text.starts_with(MARK);
        if marked {
            text.drain(..MARK.len_utf8());
        }
        let (lines, marks) = (lines(text.as_bytes()), marks(&text));
        Self { text, marked, exact: true, lines, marks }
    }

    /// Whether a server that reads the file itself gets this same text: there is no byte order mark, and nothing was
    /// replaced.
    pub(crate) fn is_exact(&self) -> bool {
        self.exact
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns a line without its line break.
    pub(crate) fn line(&self, number: u32) -> Option<&str> {
        let (start, end) = *self.lines.get(number as usize)?;
        self.text.get(start..end)
    }

    /// Returns the characters of a line from one column to another.
    pub(crate) fn part(&self, line: u32, from: u32, to: u32) -> &str {
        let Some(&line) = self.lines.get(line as usize) else { return "" };
        let byte = |column: u32| self.seek(line, column as usize, Encoding::Utf32);
        self.text.get(byte(from)..byte(to)).unwrap_or_default()
    }

    pub(crate) fn column_of(&self, line: u32, byte: usize) -> u32 {
        let Some(&(start, _)) = self.lines.get(line as usize) else { return 0 };
        u32::try_from(self.between(start, start + byte, Encoding::Utf32)).unwrap_or(u32::MAX)
    }

    /// Tells whether a range on the first line starts and ends at the boundaries of a word.
    fn is_name(&self, range: Range) -> bool {
        let line: Vec<char> = self.line(0).unwrap_or_default().chars().collect();
        let part =
            |at: u32| line.get(at as usize).is_some_and(|letter| letter.is_alphanumeric() || *letter == '_');
        let begins = |at: u32| part(at) && (at == 0 || !part(at - 1));
        let ends = |at: u32| at > 0 && part(at - 1) && !part(at);
        begins(range.start.column) && (range.end.line > 0 || ends(range.end.column))
    }

    /// Returns the byte offset of a position. A column past the end of its line means the end of the line, and a line
    /// past the last one means the end of the text.
    pub(crate) fn offset(&self, at: Position) -> usize {
        let Some(&line) = self.lines.get(at.line as usize) else { return self.text.len() };
        self.seek(line, at.column as usize, Encoding::Utf32)
    }

    /// Returns the position of a byte offset at which a character begins.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let line = self.lines.partition_point(|(start, _)| *start <= offset).saturating_sub(1);
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let column = self.between(self.lines[line].0, offset, Encoding::Utf32);
        Position { line: number(line), column: number(column) }
    }

    /// The number of units between two byte offsets at which characters begin.
    fn between(&self, start: usize, end: usize, encoding: Encoding) -> usize {
        self.before(end, encoding).saturating_sub(self.before(start, encoding))
    }

    fn before(&self, byte: usize, encoding: Encoding) -> usize {
        let near = self.marks.partition_point(|mark| mark.byte <= byte).saturating_sub(1);
        let mark = self.marks.get(near).copied().unwrap_or_default();
        let rest = self.text.get(mark.byte..byte).unwrap_or_default();
        mark.count(encoding) + rest.chars().map(|c| encoding.width(c)).sum::<usize>()
    }

    /// Returns the byte offset that is `far` units from the start of a line: at most the line's end, and always at a
    /// character boundary.
    fn seek(&self, (start, end): (usize, usize), far: usize, encoding: Encoding) -> usize {
        let before = self.before(start, encoding);
        let target = before.saturating_add(far);
        let near = self.marks.partition_point(|mark| mark.count(encoding) <= target).saturating_sub(1);
        let mark = self.marks.get(near).filter(|mark| mark.byte > start);
        let (mut at, mut count) = mark.map_or((start, before), |mark| (mark.byte, mark.count(encoding)));
        for c in self.text.get(at..end).unwrap_or_default().chars() {
            count += encoding.width(c);
            if count > target {
                break;
            }
            at += c.len_utf8();
        }
        at.min(end)
    }

    pub(crate) fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// Converts a position for the server; `None` if it is not in the text.
    pub(crate) fn to_server(&self, at: Position, encoding: Encoding) -> Option<Json> {
        let line = *self.lines.get(at.line as usize)?;
        let byte = self.seek(line, at.column as usize, Encoding::Utf32);
        let units = self.between(line.0, byte, encoding);
        let is_there = self.between(line.0, byte, Encoding::Utf32) == at.column as usize;
        is_there.then(|| json!({"line": at.line, "character": units}))
    }

    /// Converts a column of the server. Past the end of the line it means the end; inside a character, the
    /// character's start.
    pub(crate) fn column(&self, line: u32, units: u32, encoding: Encoding) -> u32 {
        let Some(&line) = self.lines.get(line as usize) else { return 0 };
        let byte = self.seek(line, units as usize, encoding);
        u32::try_from(self.between(line.0, byte, Encoding::Utf32)).unwrap_or(u32::MAX)
    }
}

/// Decodes Latin-1 if one of the first two lines declares it in Python's form: `# -*- coding: latin-1 -*-`.
fn latin_1(bytes: &[u8]) -> Option<String> {
    if std::str::from_utf8(bytes).is_ok() {
        return None;
    }
    let says = |line: &[u8]| {
        let line = String::from_utf8_lossy(line).to_ascii_lowercase().replace('_', "-");
        let named =
            line.split_once("coding").map_or("", |(_, rest)| rest.trim_start_matches([':', '=', ' ']));
        ["latin-1", "iso-8859-1", "iso8859-1", "latin1"].iter().any(|name| named.starts_with(name))
    };
    let mut lines = bytes.split(|byte| *byte == b'\n').take(2);
    lines.any(says).then(|| bytes.iter().copied().map(char::from).collect())
}

/// Decodes UTF-16. Its byte order mark tells the byte order.
fn utf16(bytes: &[u8]) -> Option<String> {
    let (from, rest): (fn([u8; 2]) -> u16, _) = match bytes {
        [0xff, 0xfe, rest @ ..] => (u16::from_le_bytes, rest),
        [0xfe, 0xff, rest @ ..] => (u16::from_be_bytes, rest),
        _ => return None,
    };
    let units: Vec<u16> = rest.chunks_exact(2).map(|pair| from([pair[0], pair[1]])).collect();
    Some(String::from_utf16_lossy(&units))
}

/// Parses a range in the server's own units.
pub(crate) fn raw_range(range: &Json) -> Option<Range> {
    Some(Range { start: raw_position(range.get("start")?)?, end: raw_position(range.get("end")?)? })
}

fn raw_position(position: &Json) -> Option<Position> {
    let number = |key: &str| {
        position.get(key).and_then(Json::as_u64).map(|number| u32::try_from(number).unwrap_or(u32::MAX))
    };
    Some(Position { line: number("line")?, column: number("character")? })
}

/// Converts a range from the server's units.
pub(crate) fn converted(range: Range, text: &Text, encoding: Encoding) -> Range {
    let place = |at: Position| Position { line: at.line, column: text.column(at.line, at.column, encoding) };
    let found = Range { start: place(range.start), end: place(range.end) };
    if !(text.marked && range.start.line == 0) {
        return found;
    }
    // Some servers count the byte order mark if they read the file themselves. In that case, the range one mark
    // earlier is a whole name.
    let width = u32::try_from(encoding.width(MARK)).unwrap_or(1);
    let back = |at: Position| match at.line {
        0 => at.column.checked_sub(width).map(|column| place(Position { line: 0, column })),
        _ => Some(place(at)),
    };
    match (back(range.start), back(range.end)) {
        (Some(start), Some(end)) if !text.is_name(found) && text.is_name(Range { start, end }) => {
            Range { start, end }
        }
        _ => found,
    }
}

fn marks(text: &str) -> Vec<Mark> {
    let (mut marks, mut mark) = (vec![Mark::default()], Mark::default());
    for (byte, c) in text.char_indices() {
        mark.byte = byte;
        if byte >= marks.len() * APART {
            marks.push(mark);
        }
        mark.units += c.len_utf16();
        mark.scalars += 1;
    }
    marks
}

fn lines(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut lines = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'\n' => 1,
            b'\r' if bytes.get(at + 1) == Some(&b'\n') => 2,
            b'\r' => 1,
            _ => 0,
        };
        if end > 0 {
            lines.push((start, at));
            start = at + end;
        }
        at += end.max(1);
    }
    lines.push((start, bytes.len()));
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

    fn check(text: &str, at: (u32, u32), utf8: u32, utf16: u32) {
        let text = Text::new(text.to_owned());
        let position = Position { line: at.0, column: at.1 };
        for (encoding, units) in ALL.into_iter().zip([utf8, utf16, at.1]) {
            let expected = json!({"line": at.0, "character": units});
            assert_eq!(text.to_server(position, encoding), Some(expected), "{text:?}");
            assert_eq!(text.column(at.0, units, encoding), at.1, "{text:?}");
        }
    }

    #[test]
    fn columns_are_scalar_values() {
        check("let a;", (0, 4), 4, 4);
        check("é = 1", (0, 2), 3, 2);
        check("😀 x", (0, 2), 5, 3);
        check("a\r\nß😀b\rc\n", (1, 2), 6, 3);
        check("a\r\nß😀b\rc\n", (2, 1), 1, 1);
        check("a\r\nß😀b\rc\n", (3, 0), 0, 0);
        check("\u{feff}ab", (0, 1), 1, 1);
    }

    #[test]
    fn a_mark_counts_only_for_those_who_have_read_it() {
        let text = Text::from_bytes("\u{feff}def f(x, y): return f\n".as_bytes());
        assert!(!text.is_exact());
        assert!(!Text::from_bytes(b"\xe9").is_exact());
        assert!(Text::from_bytes("é".as_bytes()).is_exact());
        let range = |from, to| Range {
            start: Position { line: 0, column: from },
            end: Position { line: 0, column: to },
        };
        for (encoding, from, to) in
            [(Encoding::Utf8, 4, 5), (Encoding::Utf8, 7, 8), (Encoding::Utf16, 5, 6), (Encoding::Utf16, 4, 5)]
        {
            assert_eq!(converted(range(from, to), &text, encoding), range(4, 5), "{encoding:?} {from}");
        }
        assert_eq!(converted(range(2, 4), &text, Encoding::Utf8), range(2, 4));
    }

    #[test]
    fn latin_1_is_told_by_its_cookie() {
        let text = |bytes: &[u8]| Text::from_bytes(bytes).as_str().to_owned();
        assert_eq!(
            text(b"# -*- coding: latin-1 -*-\ndef caf\xe9(): ..."),
            "# -*- coding: latin-1 -*-\ndef café(): ..."
        );
        assert_eq!(text(b"#!x\n# coding=ISO-8859-1\n\xe9"), "#!x\n# coding=ISO-8859-1\né");
        assert_eq!(text(b"\xe9"), "\u{fffd}");
        assert_eq!(text("# coding: latin-1\né".as_bytes()), "# coding: latin-1\né");
    }

    #[test]
    fn utf_16_is_told_by_its_mark() {
        let text = "fn é() {} // 😀\n";
        for (mark, bytes) in
            [([0xff, 0xfe], u16::to_le_bytes as fn(u16) -> [u8; 2]), ([0xfe, 0xff], u16::to_be_bytes)]
        {
            let bytes: Vec<u8> = mark.into_iter().chain(text.encode_utf16().flat_map(bytes)).collect();
            let read = Text::from_bytes(&bytes);
            assert_eq!((read.as_str(), read.is_exact()), (text, false));
        }
    }

    #[test]
    fn long_lines_are_counted_as_short_ones() {
        let line = "aé😀".repeat(1_000);
        let text = Text::new(format!("é\n{line}\nß{line}"));
        for number in [1, 2] {
            let letters: Vec<char> = text.line(number).unwrap().chars().collect();
            for column in (0..letters.len()).step_by(7) {
                let before = &letters[..column];
                let at = Position { line: number, column: column as u32 };
                for encoding in ALL {
                    let units: usize = before.iter().map(|c| encoding.width(*c)).sum();
                    let there = json!({"line": number, "character": units});
                    assert_eq!(text.to_server(at, encoding), Some(there), "{at:?} {encoding:?}");
                    assert_eq!(text.column(number, units as u32, encoding), at.column, "{at:?} {encoding:?}");
                }
                assert_eq!(text.position(text.offset(at)), at);
            }
        }
    }

    #[test]
    fn what_is_not_in_the_text() {
        let text = Text::new("😀b".to_owned());
        assert_eq!(text.to_server(Position { line: 0, column: 3 }, Encoding::Utf8), None);
        assert_eq!(text.to_server(Position { line: 1, column: 0 }, Encoding::Utf8), None);
        assert_eq!(text.column(0, 99, Encoding::Utf16), 2);
        assert_eq!(text.column(0, 1, Encoding::Utf16), 0);
        assert_eq!(text.column(9, 1, Encoding::Utf16), 0);
    }

    #[test]
    fn places_are_bytes_and_back() {
        let text = Text::new("é\r\n😀b\n".to_owned());
        for (line, column, offset) in [(0, 0, 0), (0, 1, 2), (1, 1, 8), (1, 2, 9), (2, 0, 10)] {
            let at = Position { line, column };
            assert_eq!((text.offset(at), text.position(offset)), (offset, at));
        }
        assert_eq!(text.offset(Position { line: 0, column: 9 }), 2);
        assert_eq!(text.offset(Position { line: 9, column: 0 }), 10);
    }

    proptest! {
        #[test]
        fn there_and_back(text in "[a-z😀é\n\r\u{10ffff}]{0,40}", line in 0_u32..6, column in 0_u32..20) {
            let text = Text::new(text);
            for encoding in ALL {
                if let Some(sent) = text.to_server(Position { line, column }, encoding) {
                    let units = u32::try_from(sent["character"].as_u64().unwrap()).unwrap();
                    prop_assert_eq!(text.column(line, units, encoding), column);
                }
            }
        }
    }
}
