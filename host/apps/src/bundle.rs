//! Reads an app's `Info.plist`.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::resources;

/// The largest property list that is read, in bytes.
const LARGEST: u64 = 8 * 1024 * 1024;

/// What is known about an app without its dictionary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Info {
    /// For example `com.apple.mail`.
    pub(crate) id: String,
    /// For example `16.0`; empty if `Info.plist` has none.
    pub(crate) version: String,
    /// Whether it handles Apple events and has a terminology of its own.
    pub(crate) scriptable: bool,
    /// The name of its dictionary file, as `Info.plist` spells it.
    pub(crate) definition: Option<String>,
}

/// Reads the property list of an app.
///
/// # Errors
/// It cannot be read, is not a property list, or names no bundle id. The text says which.
pub(crate) fn read(info: &Path) -> Result<Info, String> {
    let known = fs::metadata(info).map_err(|error| error.to_string())?;
    if !known.is_file() || known.len() > LARGEST {
        return Err(format!("not a regular file of at most {LARGEST} bytes"));
    }
    let list = plist::Value::from_file(info).map_err(|error| error.to_string())?;
    let list = list.as_dictionary().ok_or("expected a dictionary")?;
    let text = |key| list.get(key).and_then(plist::Value::as_string).map(str::to_owned);
    let id = text("CFBundleIdentifier").ok_or("it names no bundle id")?;
    if !is_id(&id) {
        let id = iac_core::foreign::clean(&id, 80);
        return Err(format!(
            "not a bundle id: `{id}`. Expected letters, digits, `.`, `-` and `_`. Ask the app's maker to correct it"
        ));
    }
    let definition = text("OSAScriptingDefinition").filter(|name| !name.trim().is_empty());
    let enabled = list.get("NSAppleScriptEnabled").map(means_yes);
    Ok(Info {
        id,
        version: text("CFBundleShortVersionString").or_else(|| text("CFBundleVersion")).unwrap_or_default(),
        scriptable: enabled.unwrap_or_else(|| definition.is_some() || has_resources(info)),
        definition,
    })
}

/// Whether the app that owns this property list has a dictionary in a resource file.
fn has_resources(info: &Path) -> bool {
    let bundle = info.parent().and_then(Path::parent);
    bundle.is_some_and(resources::have_dictionary)
}

/// Whether a string is a valid bundle id.
///
/// # Source
/// Apple's documentation of `CFBundleIdentifier`. It does not allow the underscore, but old apps use it. `*` must
/// stay out: in a policy or a plugin's grant it would mean every app.
fn is_id(id: &str) -> bool {
    !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || ".-_".contains(c))
}

/// The name that people see under the app's icon.
pub(crate) fn name(folder: &Path) -> String {
    folder.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Reads a Boolean setting. Property lists write it as a Boolean, a number, or a word in any case.
fn means_yes(value: &plist::Value) -> bool {
    match value {
        plist::Value::Boolean(yes) => *yes,
        plist::Value::Integer(number) => number.as_signed() != Some(0),
        plist::Value::String(word) => word.trim_start().starts_with(|c: char| "YyTt123456789".contains(c)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_bundle_id() {
        for id in ["com.apple.mail", "COM.Example.App-2", "a_b"] {
            assert!(is_id(id), "{id}");
        }
        for id in [
            "",
            "*",
            "com.apple.*",
            "com.apple.mail ",
            "com.äpple.mail",
            "a/b",
            "a\nb",
            "com.apple.ma\u{200b}il",
        ] {
            assert!(!is_id(id), "{id:?}");
        }
    }

    #[test]
    fn every_spelling_of_yes_and_no() {
        let text = |word: &str| plist::Value::String(word.to_owned());
        for yes in [text("Yes"), text("YES"), text("yes"), text("true"), text("1"), true.into(), 1.into()] {
            assert!(means_yes(&yes), "{yes:?}");
        }
        for no in [text("No"), text("NO"), text("false"), text("0"), text(""), false.into(), 0.into()] {
            assert!(!means_yes(&no), "{no:?}");
        }
    }
}
