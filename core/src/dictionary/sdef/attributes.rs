//! An element's attributes, unescaped.

use quick_xml::events::BytesStart;
use std::borrow::Cow;

/// The attributes that a dictionary's elements have, by what the files call them; `type` is `kind`.
#[derive(Default)]
pub(super) struct Attributes<'e> {
    pub(super) access: Option<Cow<'e, str>>,
    pub(super) code: Option<Cow<'e, str>>,
    pub(super) command: Option<Cow<'e, str>>,
    pub(super) description: Option<Cow<'e, str>>,
    pub(super) extends: Option<Cow<'e, str>>,
    pub(super) hidden: Option<Cow<'e, str>>,
    pub(super) href: Option<Cow<'e, str>>,
    pub(super) id: Option<Cow<'e, str>>,
    pub(super) identifier: Option<Cow<'e, str>>,
    pub(super) inherits: Option<Cow<'e, str>>,
    pub(super) kind: Option<Cow<'e, str>>,
    pub(super) list: Option<Cow<'e, str>>,
    pub(super) name: Option<Cow<'e, str>>,
    pub(super) optional: Option<Cow<'e, str>>,
    pub(super) parse: Option<Cow<'e, str>>,
    pub(super) plural: Option<Cow<'e, str>>,
    pub(super) requires_access: Option<Cow<'e, str>>,
    pub(super) style: Option<Cow<'e, str>>,
    pub(super) title: Option<Cow<'e, str>>,
    pub(super) xpointer: Option<Cow<'e, str>>,
    /// The first thing that could not be unescaped or read, in words.
    pub(super) defect: Option<String>,
}

impl<'e> Attributes<'e> {
    /// Reads an element's attributes; unknown ones are passed over.
    pub(super) fn of(element: &'e BytesStart<'_>) -> Self {
        let mut found = Self::default();
        for attribute in element.attributes().with_checks(false) {
            match attribute {
                Ok(attribute) => found.put(attribute.key.as_ref(), attribute.value),
                Err(error) => found.broken(format!("unreadable attribute: {error}")),
            }
        }
        found
    }

    /// A `yes` or `no` attribute; anything else is no.
    pub(super) fn yes(value: &Option<Cow<'_, str>>) -> bool {
        let yes = |value: &str| ["yes", "true", "1"].iter().any(|word| value.eq_ignore_ascii_case(word));
        value.as_deref().is_some_and(|value| yes(value.trim()))
    }

    fn put(&mut self, key: &str, raw: Cow<'e, str>) {
        let Some(slot) = self.slot(key) else { return };
        if slot.is_some() {
            return self.broken(format!("attribute `{key}` stands twice, the first holds"));
        }
        let (value, unknown) = match raw {
            Cow::Borrowed(raw) => unescape(raw),
            Cow::Owned(raw) => {
                let (value, unknown) = unescape(&raw);
                (Cow::Owned(value.into_owned()), unknown)
            }
        };
        *slot = Some(value);
        if let Some(entity) = unknown {
            self.defect =
                Some(format!("`{entity}` in `{key}` is not an entity that is read, kept as it stands"));
        }
    }

    fn broken(&mut self, defect: String) {
        self.defect.get_or_insert(defect);
    }

    fn slot(&mut self, key: &str) -> Option<&mut Option<Cow<'e, str>>> {
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

/// Replaces predefined entities and character references, and white space by spaces; no other entity is expanded.
///
/// Returns the first thing that looks like an entity and is none of these beside the text.
pub(super) fn unescape(raw: &str) -> (Cow<'_, str>, Option<String>) {
    if !raw.bytes().any(|byte| matches!(byte, b'&' | b'\n' | b'\r' | b'\t')) {
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
