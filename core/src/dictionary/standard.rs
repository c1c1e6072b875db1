//! Terms that every app has.

use super::{Access, Property, TypeExpr};

/// The standard suite, for dictionaries that have none or whose include of it is missing.
///
/// # Source
/// Names, codes, types and access are those of the system's `CocoaStandard.sdef`.
pub const SDEF: &str = include_str!("standard.sdef");

/// Returns whether an href means the system's standard suite.
pub fn is_standard(href: &str) -> bool {
    href.rsplit(['/', '\\']).next() == Some("CocoaStandard.sdef")
}

/// Returns the properties that JXA answers for every application, whatever its dictionary says.
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
