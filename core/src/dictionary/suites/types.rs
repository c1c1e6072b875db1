//! From the types of Cocoa to those of a dictionary.

use super::registry::Registry;
use crate::dictionary::{TypeExpr, TypeRef};

/// The type that replaces Cocoa's.
///
/// # Source
/// The system's converter output for TextEdit, Script Editor and Database Events; otherwise Apple's Cocoa Scripting
/// Guide, table 1-1.
fn plain(cocoa: &str) -> Option<&'static str> {
    Some(match cocoa {
        "NSString" => "text",
        "NSString<FilePath>" => "alias",
        "NSNumber" | "NSNumber<Int>" => "integer",
        "NSNumber<UnsignedInt>" => "unsigned integer",
        "NSNumber<Bool>" => "boolean",
        "NSNumber<Float>" | "NSNumber<Double>" => "real",
        "NSNumber<TypeCode>" => "type",
        "NSDate" => "date",
        "NSDictionary" => "record",
        "NSArray" => "list",
        "NSObject" => "any",
        "NSScriptObjectSpecifier" => "specifier",
        "NSPositionalSpecifier" => "location specifier",
        "NSURL" => "file",
        "NSData" => "data",
        "NSData<QDRect>" => "rectangle",
        "NSData<QDPoint>" => "point",
        _ => return None,
    })
}

impl Registry {
    /// The type that a suite means. The second part says whether it is known; an unknown one can be anything.
    pub(super) fn kind(&self, cocoa: &str, from: usize) -> (TypeExpr, bool) {
        let cocoa = cocoa.trim();
        if let Some(name) = plain(cocoa) {
            return (TypeExpr::one(name), true);
        }
        let inner = cocoa.strip_suffix('>').and_then(|cocoa| cocoa.split_once('<'));
        let name = match inner {
            Some((of, inner)) => self.enumeration(inner, from).or_else(|| self.value_type(of, inner, from)),
            None => self.class(cocoa, from).map(|(_, class)| class.name()),
        };
        match name {
            Some(name) => (TypeExpr(vec![TypeRef::one(&name)]), true),
            None => (TypeExpr::one("any"), false),
        }
    }

    /// The converter names an enumeration by its code.
    fn enumeration(&self, name: &str, from: usize) -> Option<String> {
        let (_, found) = self.find("Enumerations", name, from)?;
        Some(found.text("AppleEventCode").unwrap_or(found.key).to_owned())
    }

    fn value_type(&self, of: &str, name: &str, from: usize) -> Option<String> {
        let found = self.find("ValueTypes", name, from).filter(|_| of.trim() == "NSData")?;
        Some(found.1.name())
    }
}
