//! A path in words, for people: `message id 12 of mailbox "Work"`.

use serde_json::{Value as Json, json};

use crate::foreign::is_visible;

use super::{By, Id, Path, Segment};

/// Longer names are cut: what is shown is one line.
const LONGEST: usize = 80;

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Some((container, segment)) = self.last() else { return f.write_str("application") };
        match segment {
            Segment::Property(member) => f.write_str(&member.term)?,
            Segment::Element(member, By::Index(index) | By::Place(index, _)) => {
                write!(f, "{} at {index}", member.term)?
            }
            Segment::Element(member, By::Name(name)) => write!(f, "{} {}", member.term, quoted(name))?,
            Segment::Element(member, By::Id(Id::Number(id))) => write!(f, "{} id {id}", member.term)?,
            Segment::Element(member, By::Id(Id::Text(id))) => write!(f, "{} id {}", member.term, quoted(id))?,
        }
        if container.last().is_some() { write!(f, " of {container}") } else { Ok(()) }
    }
}

impl Path {
    /// Writes the path as the specifier that leads there, as [`super::Specifier::parse`] reads it.
    pub fn to_json(&self) -> Json {
        let Some((container, segment)) = self.last() else { return json!("application") };
        let from = container.to_json();
        match segment {
            Segment::Property(member) => json!({ "type": "property", "property": member.term, "of": from }),
            Segment::Element(member, by) => {
                let (form, field, value) = match by {
                    By::Index(index) | By::Place(index, _) => ("element", "index", json!(index)),
                    By::Name(name) => ("named", "name", json!(name)),
                    By::Id(Id::Number(id)) => ("id", "id", json!(id)),
                    By::Id(Id::Text(id)) => ("id", "id", json!(id)),
                };
                json!({ "type": form, "element": member.term, field: value, "container": from })
            }
        }
    }
}

/// Puts a text that somebody else wrote on one line, in quotes that it cannot close, at most 80 characters.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", one_line(text).replace('"', "'"))
}

/// Puts a text on one line, at most 80 characters; what is not visible or turns the direction becomes U+FFFD.
pub(crate) fn one_line(text: &str) -> String {
    let clean = text.chars().map(|c| if c.is_control() || !is_visible(c) { '\u{fffd}' } else { c });
    let mut shown: String = clean.take(LONGEST).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}
