//! A path in words, for people: `message id 12 of mailbox "Work"`.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::foreign::{is_right_to_left, is_visible, makes_emoji};
use crate::labels;

use super::{By, Id, Path, Segment};

/// Longer names are cut, because the text must fit on one line.
const LONGEST: usize = 80;

/// AppleScript's reference form, which [`super::Specifier::from_text`] reads. A long name, or a name with invisible
/// characters, is cut and cleaned: the text then does not lead back to the object.
impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.write(f, &tidy, &BTreeMap::new(), true)
    }
}

impl Path {
    /// Writes the path in AppleScript's reference form with every name in full, so that
    /// [`super::Specifier::from_text`] leads back to it.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text, &exact, &BTreeMap::new(), false).expect("a text takes everything");
        text
    }

    /// The path in words. Objects that are identified only by an id get their names, if known.
    pub(crate) fn in_words(&self, names: &BTreeMap<Self, String>) -> String {
        let mut text = String::new();
        self.write(&mut text, &tidy, names, true).expect("a text takes everything");
        text
    }

    /// A folder of Finder as a POSIX path; `None` for anything else, and for a name that a POSIX path cannot contain
    /// unchanged.
    pub(crate) fn to_posix(&self, home: &str) -> Option<String> {
        let segments = self.segments();
        let (Segment::Property(root), names) = segments.split_first()? else { return None };
        let mut path = match root.term.as_str() {
            "home" => "~".to_owned(),
            "startup disk" => String::new(),
            _ => return None,
        };
        for segment in names {
            let Segment::Element(member, By::Name(name)) = segment else { return None };
            if member.class != "folder" || name.contains(['/', ':']) {
                return None;
            }
            path.extend(["/", name]);
        }
        let below = path.strip_prefix(home).filter(|rest| rest.is_empty() || rest.starts_with('/'));
        match below.filter(|_| !home.is_empty()) {
            Some(rest) => Some(format!("~{rest}")),
            None if path.is_empty() => Some("/".to_owned()),
            None => Some(path),
        }
    }

    fn write(
        &self,
        f: &mut dyn std::fmt::Write,
        quote: &dyn Fn(&str) -> String,
        names: &BTreeMap<Self, String>,
        is_for_people: bool,
    ) -> std::fmt::Result {
        if let Some(words) = names.get(self).filter(|_| self.is_by_id() || self.name().is_some()) {
            return f.write_str(words);
        }
        let Some((container, segment)) = self.last() else { return f.write_str("application") };
        match segment {
            Segment::Property(member) => f.write_str(&member.term)?,
            Segment::Element(member, By::Index(index) | By::Place(index, _)) => {
                write!(f, "{} {}", member.term, u64::from(*index) + 1)?;
            }
            Segment::Element(member, By::Every) => write!(f, "every {}", member.term)?,
            Segment::Element(member, By::Name(name)) => write!(f, "{} {}", member.term, quote(name))?,
            Segment::Element(member, By::Id(Id::Number(id))) => write!(f, "{} id {id}", member.term)?,
            Segment::Element(member, By::Id(Id::Text(id))) => write!(f, "{} id {}", member.term, quote(id))?,
        }
        if container.last().is_some() && !(is_for_people && container.is_implied()) {
            f.write_str(" of ")?;
            return container.write(f, quote, names, is_for_people);
        }
        // Without these words, the parser would take the name for the path of a file.
        if is_like_a_file(segment) { f.write_str(" of application") } else { Ok(()) }
    }

    /// Whether a text need not name it: a text without a container means the one document of OmniFocus, too.
    pub(crate) fn is_implied(&self) -> bool {
        matches!(self.segments().as_slice(), [Segment::Property(member)] if member.term == "default document")
    }

    /// Writes the path as the specifier that leads there, as [`super::Specifier::parse`] reads it.
    pub fn to_json(&self) -> Json {
        let Some((container, segment)) = self.last() else { return json!("application") };
        let from = container.to_json();
        match segment {
            Segment::Property(member) => json!({ "type": "property", "property": member.term, "of": from }),
            Segment::Element(member, By::Every) => {
                json!({ "type": "every", "element": member.term, "container": from })
            }
            Segment::Element(member, by) => {
                let (form, field, value) = match by {
                    By::Index(index) | By::Place(index, _) => ("element", "index", json!(index)),
                    By::Name(name) => ("named", "name", json!(name)),
                    By::Id(Id::Number(id)) => ("id", "id", json!(id)),
                    By::Id(Id::Text(id)) => ("id", "id", json!(id)),
                    By::Every => ("every", "element", json!(member.term)),
                };
                json!({ "type": form, "element": member.term, field: value, "container": from })
            }
        }
    }
}

/// Quotes a name, unchanged if it can be shown safely.
fn tidy(name: &str) -> String {
    if one_line(name) == name { exact(name) } else { quoted(name) }
}

/// Whether the name of an element of the application looks like the path of a file.
fn is_like_a_file(segment: &Segment) -> bool {
    matches!(segment, Segment::Element(member, By::Name(name))
        if super::text::is_of_files(&member.term) && (name.contains(':') || name.starts_with(['/', '~'])))
}

/// Quotes a text exactly, as AppleScript does, so that it can be read back.
pub(super) fn exact(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Puts text from outside on one line, in quotes that it cannot close, at most 80 characters.
pub(crate) fn quoted(text: &str) -> String {
    in_quotes(&one_line(text))
}

/// Puts text from outside on one line, in quotes, with at most this many characters.
pub(crate) fn quoted_to(text: &str, most: usize) -> String {
    in_quotes(&line_of(text, most))
}

/// A straight quote inside becomes a curved one: it looks alike, but not like the end of the text. With a backslash
/// before it, it would look like the end to many people.
fn in_quotes(line: &str) -> String {
    format!("\"{}\"", line.replace('"', "”"))
}

/// Puts AppleScript's words, which have quotes of their own, on one line in other quotes.
pub(crate) fn cited(words: &str, most: usize) -> String {
    format!("“{}”", line_of(words, most).replace(['“', '”'], "\""))
}

/// The name in an object's words: `"Lunch"` of `event "Lunch" of calendar "Work"`; all the words if it has no name.
pub(crate) fn name_in(words: &str) -> String {
    let Some(from) = words.find('"') else { return words.to_owned() };
    // `message id 5 of mailbox "In"` begins with no name.
    if words[..from].contains(" of ") || words[..from].ends_with(" id ") {
        return words.to_owned();
    }
    let mut is_escaped = false;
    let end = words[from + 1..].char_indices().find(|(_, letter)| {
        let ends = *letter == '"' && !is_escaped;
        is_escaped = *letter == '\\' && !is_escaped;
        ends
    });
    end.map_or_else(|| words.to_owned(), |(at, _)| words[from..from + at + 2].to_owned())
}

/// Puts a text on one line, at most 80 characters. Joins blanks, makes plain text of markup, turns line ends into `⏎`,
/// and replaces invisible and direction-changing characters by U+FFFD.
///
/// Isolates right-to-left text. Otherwise it could reorder its neighbours, so that an old and a new value change places
/// on the screen.
pub(crate) fn one_line(text: &str) -> String {
    line_of(text, LONGEST)
}

/// Whether a text is shown whole on one line.
pub(crate) fn fits_line(text: &str) -> bool {
    joined(text).chars().nth(LONGEST).is_none()
}

fn line_of(text: &str, most: usize) -> String {
    let label = labels::in_words(text);
    let joined = joined(&label.as_deref().unwrap_or(text).replace("\r\n", "\n"));
    let mut shown: String = joined.chars().take(most).collect();
    if joined.chars().nth(most).is_some() {
        shown.push('…');
    }
    if shown.chars().any(is_right_to_left) { format!("\u{2068}{shown}\u{2069}") } else { shown }
}

fn joined(text: &str) -> String {
    let mut joined = String::new();
    for (at, c) in text.char_indices() {
        if makes_emoji(c, &text[..at], &text[at + c.len_utf8()..]) {
            joined.push(c);
            continue;
        }
        for c in visible(c).chain(is_markup(&text[at..]).then_some(' ')) {
            if c != ' ' || !joined.ends_with(' ') {
                joined.push(c);
            }
        }
    }
    joined
}

/// Tags without attributes that stand in the texts of notes.
const HARMLESS: [&str; 19] = [
    "b", "br", "code", "div", "em", "h1", "h2", "h3", "h4", "h5", "h6", "i", "li", "ol", "p", "span",
    "strong", "u", "ul",
];

/// Whether a text begins with a character that makes markup of what follows: a tag or a comment, a link or a picture,
/// or a character reference. Some clients show a question as Markdown, which would hide a part of it. A blank behind
/// the character makes it a plain one. Addresses such as `<ada@example.org>` stay as they are, and so do the tags of a
/// note, which hide nothing but themselves.
fn is_markup(text: &str) -> bool {
    let is_address = |inner: &str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "@._+-".contains(c);
        inner.split_once('>').is_some_and(|(inner, _)| inner.contains('@') && inner.chars().all(is_plain))
    };
    let tag = text.strip_prefix('<').and_then(|rest| rest.split_once('>'));
    if tag.is_some_and(|(tag, _)| HARMLESS.contains(&tag.trim_matches('/'))) {
        return false;
    }
    let mut rest = text.chars();
    match (rest.next(), rest.next()) {
        (Some('<'), Some('!' | '/' | '?')) | (Some(']'), Some('(' | '[' | ':')) | (Some('&'), Some('#')) => {
            true
        }
        (Some('<'), Some(next)) => next.is_ascii_alphabetic() && !is_address(rest.as_str()),
        (Some('&'), Some(next)) if next.is_ascii_alphabetic() => {
            let name = rest.as_str().trim_start_matches(|c: char| c.is_ascii_alphanumeric());
            name.starts_with(';') && name.len() < rest.as_str().len()
        }
        _ => false,
    }
}

fn visible(c: char) -> impl Iterator<Item = char> {
    let shown: &[char] = match c {
        '\n' | '\r' | '\u{2028}' | '\u{2029}' => &[' ', '⏎', ' '],
        c if c.is_whitespace() => &[' '],
        c if c.is_control() || !is_visible(c) => &['\u{fffd}'],
        _ => &[],
    };
    let own = shown.is_empty().then_some(c);
    shown.iter().copied().chain(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emoji_are_shown_and_nothing_hides_as_a_part_of_one() {
        let check = |text: &str, expected: &str| assert_eq!(one_line(text), expected);
        for plain in [
            "Love ❤\u{fe0f}",
            "☎\u{fe0f} Zoë",
            "👩\u{200d}💻",
            "❤\u{fe0f}\u{200d}🔥",
            "👍🏽",
            "1\u{fe0f}\u{20e3}",
        ] {
            check(plain, plain);
        }
        check("Work\u{fe0f}", "Work\u{fffd}");
        check("❤\u{fe0f}\u{fe0f}", "❤\u{fe0f}\u{fffd}");
        check("💻\u{200d}a", "💻\u{fffd}a");
        check("\u{2800}\u{fe0f}", "\u{fffd}\u{fffd}");
    }

    #[test]
    fn a_label_of_contacts_is_shown_by_its_word() {
        let check = |text: &str, expected: &str| assert_eq!(quoted(text), expected);
        check("_$!<HomeFAX>!$_", "\"home fax\"");
        check("my _$!<Home>!$_", "\"my _$!< Home>!$_\"");
        check("_$!<rm -r x>!$_", "\"_$!< rm -r x>!$_\"");
    }

    /// Clients that show a question as Markdown must show all of it.
    #[test]
    fn nothing_hides_as_markup() {
        let check = |text: &str, expected: &str| assert_eq!(one_line(text), expected);
        check("Lunch <!-- bcc -->", "Lunch < !-- bcc -->");
        check("<a title=", "< a title=");
        check("<script>x</script>", "< script>x< /script>");
        check("[bank](https://example.org)", "[bank] (https://example.org)");
        check("a&#x202e;b &lrm; c", "a& #x202e;b & lrm; c");
        for plain in ["<div>Tea</div><br/>", "Ada <ada@example.org>", "1 < 2 <3", "R&D; a & b", "[1] (2)"] {
            check(plain, plain);
        }
    }
}
