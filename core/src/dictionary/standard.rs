//! Terms that every app has.

use super::{Access, Property, TypeExpr};

/// The standard suite, for dictionaries without one and for a missing include of it.
///
/// # Source
/// Names, codes, types and access are those of the system's `CocoaStandard.sdef`.
pub const SDEF: &str = include_str!("standard.sdef");

/// Returns whether an href means the system's standard suite.
pub fn is_standard(href: &str) -> bool {
    href.rsplit(['/', '\\']).next() == Some("CocoaStandard.sdef")
}

/// Returns the properties that JXA answers for every application, independent of its dictionary.
pub fn application_properties() -> Vec<Property> {
    [
        ("name", "pnam", "text"),
        ("frontmost", "pisf", "boolean"),
        ("version", "vers", "text"),
        ("id", "ID  ", "text"),
    ]
    .map(|(name, code, kind)| Property {
        name: name.to_owned(),
        code: code.to_owned(),
        kind: TypeExpr::one(kind),
        access: Access::Read,
        built_in: true,
        ..Property::default()
    })
    .into()
}

/// The types that no dictionary defines and every one may name.
pub const TYPES: [&str; 35] = [
    "any",
    "alias",
    "application",
    "boolean",
    "bounding rectangle",
    "data",
    "date",
    "double integer",
    "file",
    "integer",
    "item",
    "list",
    "location specifier",
    "missing value",
    "null",
    "number",
    "picture",
    "point",
    "POSIX file",
    "property",
    "real",
    "record",
    "rectangle",
    "reference",
    "RGB color",
    "saveable file format",
    "script",
    "specifier",
    "string",
    "text",
    "type",
    "type class",
    "Unicode text",
    "unsigned integer",
    "version",
];
