//! Reads an object in the source form of an app: `Application("Mail").accounts.byId("…").mailboxes.byName("INBOX")`.
//!
//! # Source
//! `Automation.getDisplayString` gives this form. Apps answer with their own path, often by id. A form that is not
//! understood is not an error, because the caller then keeps its own path.

use std::sync::Arc;

use serde_json::Value as Json;

use super::{By, Id, Member, Path, Segment};
use crate::dictionary::{Class, Dictionary, Identifier, names};

/// Reads the source form of an object of this app.
///
/// Returns `None` for forms that lead to several objects (`whose`, ranges), and for names that the dictionary lacks.
pub fn read_source(dictionary: &Dictionary, source: &str) -> Option<Path> {
    // A name may contain a line end, which the app does not escape. Control characters occur nowhere else.
    let escaped = source.contains(char::is_control).then(|| {
        source.chars().fold(String::new(), |text, c| match c {
            c if c.is_ascii_control() => text + &format!("\\u{:04x}", u32::from(c)),
            c => text + c.encode_utf8(&mut [0; 4]),
        })
    });
    let mut scan = Scan { rest: escaped.as_deref().unwrap_or(source) };
    scan.eat("Application(")?;
    scan.argument()?;
    scan.eat(")")?;
    let mut path = Path::application();
    while !scan.rest.is_empty() {
        scan.eat(".")?;
        let name = scan.identifier()?;
        path = match scan.pick() {
            Some(by) => path.then(Segment::Element(element(dictionary, name)?, by?)),
            None => path.then(Segment::Property(property(dictionary, path.class(), name)?)),
        };
    }
    Some(path)
}

fn element(dictionary: &Dictionary, name: &str) -> Option<Arc<Member>> {
    let is_it = |class: &&Class| Identifier::of(&class.plural).is_some_and(|plural| plural.as_str() == name);
    let class = dictionary.classes.values().find(is_it)?;
    let identifier = Identifier::of(&class.plural)?;
    Some(Arc::new(Member { term: class.name.clone(), identifier, class: class.name.clone() }))
}

fn property(dictionary: &Dictionary, owner: &str, name: &str) -> Option<Arc<Member>> {
    let property = dictionary.property(owner, name)?;
    let class = property.kind.0.iter().find_map(|kind| dictionary.classes.get(&kind.name));
    let class = class.map(|class| class.name.clone()).unwrap_or_default();
    Some(Arc::new(Member { term: property.name.clone(), identifier: Identifier::of(&property.name)?, class }))
        .filter(|member| names::key(&member.term) == names::key(name))
}

struct Scan<'a> {
    rest: &'a str,
}

impl<'a> Scan<'a> {
    fn eat(&mut self, token: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(token)?;
        Some(())
    }

    fn identifier(&mut self) -> Option<&'a str> {
        let end = self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$'));
        let (name, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        (!name.is_empty()).then_some(name)
    }

    /// `None`: no pick follows, so the name was a property. `Some(None)`: a pick follows that does not lead to a single
    /// object.
    fn pick(&mut self) -> Option<Option<By>> {
        let forms: [(&str, &str); 4] = [(".byId(", ")"), (".byName(", ")"), (".at(", ")"), ("[", "]")];
        for (open, close) in forms {
            if self.eat(open).is_some() {
                let by = self.argument().and_then(|argument| by(open, argument));
                return Some(self.eat(close).and(by));
            }
        }
        let unknown = [".whose(", ".where(", "("];
        unknown.into_iter().any(|form| self.rest.starts_with(form)).then_some(None)
    }

    /// One text in double quotes, or an integer.
    fn argument(&mut self) -> Option<Json> {
        if !self.rest.starts_with('"') {
            let end = self.rest.find([')', ']'])?;
            let (number, rest) = self.rest.split_at(end);
            self.rest = rest;
            return number.parse::<i64>().ok().map(Json::from);
        }
        let mut values = serde_json::Deserializer::from_str(self.rest).into_iter::<Json>();
        let value = values.next()?.ok()?;
        let used = values.byte_offset();
        self.rest = self.rest.get(used..)?;
        Some(value)
    }
}

fn by(form: &str, argument: Json) -> Option<By> {
    match (form, argument) {
        (".byId(", Json::String(id)) => Some(By::Id(Id::Text(id))),
        (".byId(", Json::Number(id)) => id.as_i64().map(|id| By::Id(Id::Number(id))),
        (".byName(" | "[", Json::String(name)) => Some(By::Name(name)),
        (".at(" | "[", Json::Number(index)) => {
            index.as_u64().and_then(|i| u32::try_from(i).ok()).map(By::Index)
        }
        _ => None,
    }
}
