//! A path in words, for people: `message id 12 of mailbox "Work"`.

use serde_json::{Value as Json, json};

use super::{By, Id, Path, Segment};

/// Longer names are cut: what is shown is one line.
const LONGEST: usize = 80;

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Some((container, segment)) = self.last() else { return f.write_str("application") };
        match segment {
            Segment::Property(member) => f.write_str(&member.term)?,
            Segment::Element(member, By::Index(index)) => write!(f, "{} at {index}", member.term)?,
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
                    By::Index(index) => ("element", "index", json!(index)),
                    By::Name(name) => ("named", "name", json!(name)),
                    By::Id(Id::Number(id)) => ("id", "id", json!(id)),
                    By::Id(Id::Text(id)) => ("id", "id", json!(id)),
                };
                json!({ "type": form, "element": member.term, field: value, "container": from })
            }
        }
    }
}

/// Puts a text that somebody else wrote on one line, in quotes, at most 80 characters, without control or bidi characters.
pub(crate) fn quoted(text: &str) -> String {
    let clean = text.chars().map(|c| if is_harmless(c) { c } else { '\u{fffd}' });
    let mut shown: String = clean.take(LONGEST).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    format!("\"{shown}\"")
}

/// Whether a character stays on its line and does not change the direction of the text around it.
fn is_harmless(c: char) -> bool {
    let bidi =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !c.is_control() && !bidi && !matches!(c, '\u{2028}' | '\u{2029}')
}
