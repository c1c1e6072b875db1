//! Formats JSON for people: on one line if it fits, otherwise on several lines.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use serde_json::Value as Json;

use super::FAINT;

const KEY: Style = AnsiColor::Cyan.on_default();
const TEXT: Style = AnsiColor::Green.on_default();
const NUMBER: Style = AnsiColor::Yellow.on_default();
const WORD: Style = AnsiColor::Magenta.on_default();

/// How much of a value is shown. A note replaces the rest.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct Shortened {
    /// The most items of a list.
    pub(in crate::cli) items: usize,
    /// The most characters of a text.
    pub(in crate::cli) characters: usize,
}

impl Shortened {
    /// Shows everything.
    pub(in crate::cli) const NOT: Self = Self { items: usize::MAX, characters: usize::MAX };
}

/// Formats a value for a terminal of this many columns.
pub(in crate::cli) fn json(value: &Json, width: usize, shortened: Shortened) -> String {
    let mut writer = Writer { out: String::new(), column: 0, width, shortened };
    writer.value(value, 0);
    writer.out
}

/// Wider than any line, but small enough to be added many times without overflow.
const NEVER_FITS: usize = 1 << 20;

struct Writer {
    out: String,
    /// How many columns of the current line are used.
    column: usize,
    width: usize,
    shortened: Shortened,
}

impl Writer {
    /// Writes a value. If it takes several lines, they are indented by `indent`.
    fn value(&mut self, value: &Json, indent: usize) {
        let fits = self.fits(self.length(value));
        match value {
            Json::Object(fields) if !fields.is_empty() => self.object(fields, indent, fits),
            Json::Array(items) if !items.is_empty() => self.array(items, indent, fits),
            Json::String(text) => self.text(text),
            Json::Number(number) => self.styled(NUMBER, &number.to_string()),
            other => self.styled(WORD, &other.to_string()),
        }
    }

    /// Writes an object. Short fields share a line.
    fn object(&mut self, fields: &serde_json::Map<String, Json>, indent: usize, fits: bool) {
        self.styled(Style::new(), "{");
        let mut broken = true;
        for (at, (name, value)) in fields.iter().enumerate() {
            let name = Json::from(name.as_str()).to_string();
            let length = name.chars().count() + 2 + self.length(value);
            let stays = fits || (!broken && self.fits(length + 3));
            self.separate(at, indent + 2, stays);
            broken = !fits && !self.fits(length + 1);
            self.styled(KEY, &name);
            self.styled(Style::new(), ": ");
            self.value(value, indent + 2);
        }
        self.close("}", indent, fits);
    }

    fn array(&mut self, items: &[Json], indent: usize, fits: bool) {
        self.styled(Style::new(), "[");
        for (at, item) in items.iter().take(self.shortened.items).enumerate() {
            self.separate(at, indent + 2, fits);
            self.value(item, indent + 2);
        }
        let more = items.len().saturating_sub(self.shortened.items);
        if more > 0 {
            self.separate(usize::MAX, indent + 2, fits);
            self.styled(FAINT, &format!("… {more} more of {}, not shown here", items.len()));
        }
        self.close("]", indent, fits);
    }

    fn text(&mut self, text: &str) {
        let total = text.chars().count();
        if total <= self.shortened.characters {
            return self.styled(TEXT, &Json::from(text).to_string());
        }
        let shown: String = text.chars().take(self.shortened.characters).collect();
        self.styled(TEXT, &Json::from(shown).to_string());
        self.styled(FAINT, &format!(" … of {total} characters"));
    }

    /// Separates two items, on the same line or by a line break.
    fn separate(&mut self, at: usize, indent: usize, stays: bool) {
        match (at, stays) {
            (0, true) => {}
            (0, false) => self.line(indent),
            (_, true) => self.styled(Style::new(), ", "),
            (_, false) => {
                self.styled(Style::new(), ",");
                self.line(indent);
            }
        }
    }

    fn close(&mut self, bracket: &str, indent: usize, fits: bool) {
        if !fits {
            self.line(indent);
        }
        self.styled(Style::new(), bracket);
    }

    fn line(&mut self, indent: usize) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(' ', indent));
        self.column = indent;
    }

    fn styled(&mut self, style: Style, text: &str) {
        self.column += text.chars().count();
        write!(self.out, "{style}{text}{style:#}").expect("writing to a string cannot fail");
    }

    fn fits(&self, length: usize) -> bool {
        self.column + length <= self.width
    }

    /// The width of a value on one line, up to the limit. Lists that are cut never fit.
    fn length(&self, value: &Json) -> usize {
        match value {
            Json::Array(items) if items.len() > self.shortened.items => NEVER_FITS,
            Json::Array(items) => {
                between(items.len()) + items.iter().map(|item| self.length(item)).sum::<usize>()
            }
            Json::Object(fields) => {
                let field = |(name, value): (&String, &Json)| name.chars().count() + 4 + self.length(value);
                between(fields.len()) + fields.iter().map(field).sum::<usize>()
            }
            Json::String(text) => 2 + text.chars().count().min(self.shortened.characters),
            other => other.to_string().len(),
        }
    }
}

/// The width of the brackets and separators around this many values.
fn between(count: usize) -> usize {
    2 + 2 * count.saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(value: Json, width: usize, shortened: Shortened, expected: &str) {
        let shown = json(&value, width, shortened);
        assert_eq!(anstream::adapter::strip_str(&shown).to_string(), expected);
    }

    #[test]
    fn what_fits_stays_on_a_line() {
        check(json!({"a": [1, "b"], "c": null}), 40, Shortened::NOT, r#"{"a": [1, "b"], "c": null}"#);
        check(
            json!({"a": [1, "b"], "c": null}),
            20,
            Shortened::NOT,
            "{\n  \"a\": [1, \"b\"],\n  \"c\": null\n}",
        );
        check(json!([]), 0, Shortened::NOT, "[]");
    }

    #[test]
    fn short_fields_share_a_line() {
        let value = json!({"a": 1, "b": 2, "c": [{"d": "a long text"}, 4], "e": 5, "f": 6});
        let expected = "{\n  \"a\": 1, \"b\": 2,\n  \"c\": [\n    {\"d\": \"a long text\"},\n    4\n  ],\n  \"e\": 5, \"f\": 6\n}";
        check(value, 24, Shortened::NOT, expected);
    }

    #[test]
    fn what_is_left_out_is_said() {
        let shortened = Shortened { items: 1, characters: 3 };
        check(json!([1, 2, 3]), 40, shortened, "[\n  1,\n  … 2 more of 3, not shown here\n]");
        check(json!("abcdef"), 40, shortened, "\"abc\" … of 6 characters");
    }

    #[test]
    fn without_shortening_it_is_the_same_json() {
        let value = json!({"a": {"b": [1.5, true, null, "x\n\u{1b}[1m"], "": {}}, "c": "é\"\\"});
        for width in [0, 10, 30, 200] {
            let shown = json(&value, width, Shortened::NOT);
            let plain = anstream::adapter::strip_str(&shown).to_string();
            assert_eq!(serde_json::from_str::<Json>(&plain).unwrap(), value, "{plain}");
        }
    }
}
