//! An element's attributes.

use memchr::{memchr, memchr3};
use quick_xml::events::BytesStart;
use std::borrow::Cow;

/// The raw value of an attribute, with its escapes.
#[derive(Clone, Copy)]
pub(super) struct Raw<'e>(&'e str);

impl<'e> Raw<'e> {
    /// The text without escapes.
    pub(super) fn text(self) -> String {
        unescape(self.0).0.into_owned()
    }

    /// The text without white space around it; `None` if it is then empty.
    pub(super) fn term(self) -> Option<String> {
        let text = unescape(self.0).0;
        let term = text.trim();
        (!term.is_empty()).then(|| term.to_owned())
    }

    /// The text, borrowed if it has no escapes.
    pub(super) fn short(self) -> Cow<'e, str> {
        unescape(self.0).0
    }

    /// Whether the value is yes; every other value means no.
    fn yes(self) -> bool {
        let value = self.0.trim();
        ["yes", "true", "1"].iter().any(|word| value.eq_ignore_ascii_case(word))
    }
}

/// The attributes of a dictionary's elements, under their names in the files; `type` is `kind`.
#[derive(Default)]
pub(super) struct Attributes<'e> {
    pub(super) access: Option<Raw<'e>>,
    pub(super) code: Option<Raw<'e>>,
    pub(super) command: Option<Raw<'e>>,
    pub(super) description: Option<Raw<'e>>,
    pub(super) extends: Option<Raw<'e>>,
    pub(super) href: Option<Raw<'e>>,
    pub(super) id: Option<Raw<'e>>,
    pub(super) identifier: Option<Raw<'e>>,
    pub(super) inherits: Option<Raw<'e>>,
    pub(super) kind: Option<Raw<'e>>,
    pub(super) name: Option<Raw<'e>>,
    pub(super) parse: Option<Raw<'e>>,
    pub(super) plural: Option<Raw<'e>>,
    pub(super) requires_access: Option<Raw<'e>>,
    pub(super) style: Option<Raw<'e>>,
    pub(super) title: Option<Raw<'e>>,
    pub(super) xpointer: Option<Raw<'e>>,
    hidden: Option<Raw<'e>>,
    list: Option<Raw<'e>>,
    optional: Option<Raw<'e>>,
    /// The first thing that could not be unescaped or read, in words.
    pub(super) defect: Option<String>,
}

impl<'e> Attributes<'e> {
    /// Reads an element's attributes; skips unknown ones.
    pub(super) fn of(element: &'e BytesStart<'_>) -> Self {
        let mut found = Self::default();
        let mut rest = element.attributes_raw().trim_ascii_start();
        let escaped = memchr(b'&', rest.as_bytes()).is_some();
        while !rest.is_empty() {
            match first(rest) {
                Some((key, value, after)) => {
                    found.put(key, value, escaped);
                    rest = after.trim_ascii_start();
                }
                None => {
                    let rest: String = rest.chars().take(40).collect();
                    found.broken(format!(
                        "expected an attribute with a quoted value, got `{rest}`; the rest of the tag is skipped"
                    ));
                    break;
                }
            }
        }
        found
    }

    pub(super) fn hidden(&self) -> bool {
        self.hidden.is_some_and(Raw::yes)
    }

    pub(super) fn list(&self) -> bool {
        self.list.is_some_and(Raw::yes)
    }

    pub(super) fn optional(&self) -> bool {
        self.optional.is_some_and(Raw::yes)
    }

    fn put(&mut self, key: &str, value: &'e str, escaped: bool) {
        let Some(slot) = self.slot(key) else { return };
        if slot.is_some() {
            return self.broken(format!("attribute `{key}` occurs twice; the first one counts"));
        }
        *slot = Some(Raw(value));
        if escaped && let Some(entity) = unescape(value).1 {
            self.broken(format!("unknown entity `{entity}` in `{key}`; it is kept unchanged"));
        }
    }

    fn broken(&mut self, defect: String) {
        self.defect.get_or_insert(defect);
    }

    fn slot(&mut self, key: &str) -> Option<&mut Option<Raw<'e>>> {
        Some(match key {
            "access" => &mut self.access,
            "code" => &mut self.code,
            "command" => &mut self.command,
            "description" => &mut self.description,
            "extends" => &mut self.extends,
            "hidden" => &mut self.hidden,
            "href" => &mut self.href,
            "id" => &mut self.id,
            "identifier" => &mut self.identifier,
            "inherits" => &mut self.inherits,
            "list" => &mut self.list,
            "name" => &mut self.name,
            "optional" => &mut self.optional,
            "parse" => &mut self.parse,
            "plural" => &mut self.plural,
            "requires-access" => &mut self.requires_access,
            "style" => &mut self.style,
            "title" => &mut self.title,
            "type" => &mut self.kind,
            "xpointer" => &mut self.xpointer,
            _ => return None,
        })
    }
}

/// Splits off the first attribute: its name, its value without quotes, and the rest.
fn first(attributes: &str) -> Option<(&str, &str, &str)> {
    let equals = memchr(b'=', attributes.as_bytes())?;
    let (key, rest) = (attributes[..equals].trim_ascii_end(), attributes[equals + 1..].trim_ascii_start());
    let quote = *rest.as_bytes().first().filter(|quote| matches!(quote, b'"' | b'\''))?;
    let end = 1 + memchr(quote, &rest.as_bytes()[1..])?;
    let odd = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'');
    (!key.is_empty() && !key.bytes().any(odd)).then(|| (key, &rest[1..end], &rest[end + 1..]))
}

/// Replaces predefined entities and character references, and white space by spaces; no other entity is expanded.
///
/// Returns the text, and the first thing in it that looks like an entity and is not one of these.
pub(super) fn unescape(raw: &str) -> (Cow<'_, str>, Option<String>) {
    let bytes = raw.as_bytes();
    if memchr3(b'&', b'\n', b'\r', bytes).or_else(|| memchr(b'\t', bytes)).is_none() {
        return (Cow::Borrowed(raw), None);
    }
    let flat = raw.replace("\r\n", " ").replace(['\n', '\r', '\t'], " ");
    let mut parts = flat.split('&');
    let mut text = parts.next().unwrap_or_default().to_owned();
    let mut unknown = None;
    for part in parts {
        match reference(part) {
            Some((character, rest)) => {
                text.push(character);
                text.push_str(rest);
            }
            None => {
                unknown.get_or_insert_with(|| format!("&{}", head(part)));
                text.push('&');
                text.push_str(part);
            }
        }
    }
    (Cow::Owned(text), unknown)
}

fn reference(part: &str) -> Option<(char, &str)> {
    let (name, rest) = part.split_once(';')?;
    let character = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => numbered(name.strip_prefix('#')?)?,
    };
    Some((character, rest))
}

fn numbered(number: &str) -> Option<char> {
    let code = match number.strip_prefix('x') {
        _ if number.contains('+') => return None,
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => number.parse().ok()?,
    };
    char::from_u32(code).filter(|character| *character != '\0')
}

fn head(part: &str) -> String {
    let name: String =
        part.chars().take_while(|c| c.is_alphanumeric() || "#_".contains(*c)).take(32).collect();
    let end = if part[name.len()..].starts_with(';') { ";" } else { "" };
    name + end
}
