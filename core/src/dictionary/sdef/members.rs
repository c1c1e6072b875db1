//! The contents of classes, commands and records: properties, elements, parameters and their types.

use super::attributes::{Attributes, Raw};
use super::terms::{Reading, no_name};
use crate::dictionary::{
    Access, AccessGroup, Class, Element, Parameter, ProblemKind, Property, TypeExpr, TypeRef,
};
use quick_xml::events::BytesStart;

/// Elements that do not matter to scripts.
const SILENT: [&str; 5] = ["cocoa", "documentation", "html", "xref", "access-group"];

impl<'a> Reading<'a> {
    /// Reads the members of a class or of its extension.
    pub(super) fn members(&mut self, class: &mut Class) {
        self.children(|reading, child| reading.class_member(class, &child));
        let mut strays = std::mem::take(&mut self.strays);
        append(class, &mut strays);
    }

    fn class_member(&mut self, class: &mut Class, child: &BytesStart<'a>) {
        match child.name().as_ref() {
            "property" => class.properties.extend(self.property(child)),
            "contents" => self.contents(child, class),
            "element" => class.elements.extend(self.element(child)),
            "responds-to" => self.responds_to(child, &mut class.responds_to),
            "synonym" => self.synonym(child, &mut class.synonyms),
            "type" => self.alternative(child, &mut class.coercions, false),
            "access-group" => self.access_group(child, &mut class.access_groups),
            _ => self.pass(child),
        }
    }

    /// Reads a member inside a property that the author forgot to close.
    fn stray(&mut self, property: &str, child: &BytesStart<'a>) {
        if !matches!(child.name().as_ref(), "property" | "contents" | "element" | "responds-to") {
            return self.pass(child);
        }
        let defect =
            format!("`{}` is nested inside it; it is read as if it stood beside it", child.name().as_ref());
        self.member_defect("property", property, defect);
        let mut before = std::mem::take(&mut self.strays);
        self.class_member(&mut before, child);
        append(&mut before, &mut self.strays);
        self.strays = before;
    }

    pub(super) fn property(&mut self, element: &BytesStart<'a>) -> Option<Property> {
        let attributes = self.attributes("property", element);
        let name = self.member("property", &attributes, element)?;
        let code = self.code("property", &name, attributes.code, 4);
        Some(self.property_of(name, code, &attributes))
    }

    /// Reads `contents`, the implied container. A missing name or code gets the default of the format.
    fn contents(&mut self, element: &BytesStart<'a>, class: &mut Class) {
        let attributes = self.attributes("contents", element);
        let name = attributes.name.and_then(Raw::term).unwrap_or_else(|| "contents".to_owned());
        let code = attributes.code.map_or_else(|| "pcnt".to_owned(), Raw::text);
        class.contents = Some(name.clone());
        class.properties.push(self.property_of(name, code, &attributes));
    }

    fn property_of(&mut self, name: String, code: String, attributes: &Attributes<'_>) -> Property {
        let access = self.access("property", &name, attributes.access);
        let mut property = Property {
            name,
            code,
            kind: one(attributes),
            access: access.unwrap_or_default(),
            description: attributes.description.map(Raw::text),
            hidden: attributes.hidden(),
            optional: attributes.optional(),
            built_in: self.built_in,
            ..Property::default()
        };
        let list = attributes.list();
        self.children(|reading, child| match child.name().as_ref() {
            "type" => reading.alternative(&child, &mut property.kind, list),
            "synonym" => reading.synonym(&child, &mut property.synonyms),
            "access-group" => reading.access_group(&child, &mut property.access_groups),
            _ => reading.stray(&property.name, &child),
        });
        property
    }

    fn element(&mut self, element: &BytesStart<'a>) -> Option<Element> {
        let attributes = self.attributes("element", element);
        let Some(class) = attributes.kind.and_then(Raw::term) else {
            let place = format!("element of {}", self.owner);
            self.stream.problem(place, ProblemKind::Defect("no type; it is skipped".to_owned()));
            self.stream.skip(element);
            return None;
        };
        let access = self.access("element", &class, attributes.access);
        let mut found = Element {
            class,
            access: access.unwrap_or_default(),
            description: attributes.description.map(Raw::text),
            hidden: attributes.hidden(),
            built_in: self.built_in,
            ..Element::default()
        };
        self.children(|reading, child| match child.name().as_ref() {
            "accessor" => {
                let style = reading.attributes("accessor", &child).style.map(Raw::text);
                found.accessors.extend(style);
                reading.stream.skip(&child);
            }
            "access-group" => reading.access_group(&child, &mut found.access_groups),
            _ => reading.pass(&child),
        });
        Some(found)
    }

    /// Old files say `name` for `command`.
    fn responds_to(&mut self, element: &BytesStart<'a>, names: &mut Vec<String>) {
        let attributes = self.attributes("responds-to", element);
        names.extend(attributes.command.or(attributes.name).map(Raw::text));
        self.stream.skip(element);
    }

    pub(super) fn parameter(&mut self, element: &BytesStart<'a>) -> Option<Parameter> {
        let attributes = self.attributes("parameter", element);
        let name = self.member("parameter", &attributes, element)?;
        let code = self.code("parameter", &name, attributes.code, 4);
        Some(Parameter { name, code, ..self.parameter_of(&attributes) })
    }

    pub(super) fn direct_parameter(&mut self, element: &BytesStart<'a>) -> Parameter {
        let attributes = self.attributes("direct-parameter", element);
        self.parameter_of(&attributes)
    }

    fn parameter_of(&mut self, attributes: &Attributes<'_>) -> Parameter {
        let requires_access = self.access("parameter", "", attributes.requires_access);
        let kind = one(attributes);
        let mut parameter = Parameter {
            kind,
            optional: attributes.optional(),
            description: attributes.description.map(Raw::text),
            hidden: attributes.hidden(),
            requires_access,
            ..Parameter::default()
        };
        let list = attributes.list();
        self.children(|reading, child| match child.name().as_ref() {
            "type" => reading.alternative(&child, &mut parameter.kind, list),
            "synonym" => reading.synonym(&child, &mut parameter.synonyms),
            _ => reading.pass(&child),
        });
        parameter
    }

    /// Adds the types in child elements: a union, if there are several.
    pub(super) fn alternatives(&mut self, mut kind: TypeExpr, list: bool) -> TypeExpr {
        self.children(|reading, child| match child.name().as_ref() {
            "type" => reading.alternative(&child, &mut kind, list),
            _ => reading.pass(&child),
        });
        kind
    }

    /// A list of a union of types becomes a union of lists.
    fn alternative(&mut self, element: &BytesStart<'a>, kind: &mut TypeExpr, list: bool) {
        let attributes = self.attributes("type", element);
        let list = list || attributes.list();
        let hidden = attributes.hidden();
        let name = attributes.kind.and_then(Raw::term);
        kind.0.extend(name.map(|name| TypeRef { name, list, hidden }));
        self.children(|reading, child| match child.name().as_ref() {
            "type" => reading.alternative(&child, kind, list),
            _ => reading.pass(&child),
        });
    }

    /// A synonym without a name only gives another code, which no script sees.
    pub(super) fn synonym(&mut self, element: &BytesStart<'a>, names: &mut Vec<String>) {
        let attributes = self.attributes("synonym", element);
        names.extend(attributes.name.and_then(Raw::term));
        self.stream.skip(element);
    }

    pub(super) fn access_group(&mut self, element: &BytesStart<'a>, groups: &mut Vec<AccessGroup>) {
        let attributes = self.attributes("access-group", element);
        let access = self.access("access-group", "", attributes.access);
        groups.extend(attributes.identifier.map(|name| AccessGroup { identifier: name.text(), access }));
        self.stream.skip(element);
    }

    /// Skips an element. An element that the format does not know is a problem.
    pub(super) fn pass(&mut self, element: &BytesStart<'a>) {
        let name = element.name();
        if !SILENT.contains(&name.as_ref()) && name.prefix().is_none() {
            let place = self.owner.clone();
            let defect = format!("unknown element `{}` here; it is skipped", name.as_ref());
            self.stream.problem(place, ProblemKind::Defect(defect));
        }
        self.stream.skip(element);
    }

    /// The attributes of an element. An unreadable attribute becomes a problem.
    pub(super) fn attributes<'e>(&mut self, what: &str, element: &'e BytesStart<'a>) -> Attributes<'e> {
        let mut attributes = Attributes::of(element);
        if let Some(defect) = attributes.defect.take() {
            let place = match attributes.name {
                Some(name) => format!("{what} \"{}\"", name.short()),
                None => what.to_owned(),
            };
            self.stream.problem(place, ProblemKind::Defect(defect));
        }
        attributes
    }

    /// The name of a member. A member without a name is skipped and reported as a problem.
    pub(super) fn member(
        &mut self,
        what: &str,
        attributes: &Attributes<'_>,
        element: &BytesStart<'a>,
    ) -> Option<String> {
        let name = attributes.name.and_then(Raw::term);
        if name.is_none() {
            let place = format!("{what} of {}", self.owner);
            self.stream.problem(place, no_name());
            self.stream.skip(element);
        }
        name
    }

    /// The code of a term. A hexadecimal literal is decoded if the result is printable.
    pub(super) fn code(&mut self, what: &str, name: &str, code: Option<Raw<'_>>, length: usize) -> String {
        let Some(code) = code.map(Raw::text) else {
            self.member_defect(what, name, "it has no code".to_owned());
            return String::new();
        };
        let code = from_hexadecimal(&code).unwrap_or(code);
        if code.chars().count() != length && !code.starts_with("0x") {
            self.member_defect(what, name, format!("the code `{code}` does not have {length} characters"));
        }
        code
    }

    fn access(&mut self, what: &str, name: &str, access: Option<Raw<'_>>) -> Option<Access> {
        match access?.short().trim() {
            "r" => Some(Access::Read),
            "w" => Some(Access::Write),
            "rw" | "wr" => Some(Access::ReadWrite),
            other => {
                let defect = format!("expected the access r, w or rw, got `{other}`; the default is used");
                self.member_defect(what, name, defect);
                None
            }
        }
    }

    fn member_defect(&mut self, what: &str, name: &str, defect: String) {
        let itself = self.owner.strip_prefix(what).is_some_and(|rest| rest == format!(" \"{name}\""));
        let place = match itself {
            true => self.owner.clone(),
            false => format!("{what} \"{name}\" of {}", self.owner),
        };
        self.stream.problem(place, ProblemKind::Defect(defect));
    }
}

/// The type in the attribute.
pub(super) fn one(attributes: &Attributes<'_>) -> TypeExpr {
    let one = |name| TypeRef { name, list: attributes.list(), hidden: false };
    TypeExpr(attributes.kind.and_then(Raw::term).map(one).into_iter().collect())
}

fn append(class: &mut Class, more: &mut Class) {
    class.properties.append(&mut more.properties);
    class.elements.append(&mut more.elements);
    class.responds_to.append(&mut more.responds_to);
    class.contents = class.contents.take().or(more.contents.take());
}

fn from_hexadecimal(code: &str) -> Option<String> {
    let digits = code.strip_prefix("0x").or_else(|| code.strip_prefix("0X"))?;
    if digits.is_empty() || digits.len() % 8 != 0 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).ok();
    let bytes: Vec<u8> = (0..digits.len()).step_by(2).filter_map(byte).collect();
    let (text, _) = encoding_rs::MACINTOSH.decode_without_bom_handling(&bytes);
    let printable = !text.chars().any(char::is_control);
    Some(if printable { text.into_owned() } else { format!("0x{}", digits.to_ascii_lowercase()) })
}
