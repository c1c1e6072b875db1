//! An index: a list of plugins that other people maintain, with one entry for each.
//!
//! An entry says where a package is, and repeats facts from it. The facts are checked against the package, so a wrong
//! entry can hide a plugin, but it cannot pass one plugin off as another.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::PluginId;
use crate::descriptor::Descriptor;
use crate::manifest::{ManifestError, Want, check_version, check_wants, line};
use crate::package::Package;
use crate::signature::Key;

/// The most bytes of an entry.
pub const LARGEST: u64 = 64 * 1024;

/// The entry of one plugin in an index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub id: PluginId,
    pub version: String,
    /// The description of its package.
    pub summary: String,
    pub licence: String,
    /// The address of its package, with the digest.
    pub source: String,
    /// The key that its author signs with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Key>,
    /// Its tools, each with its effect on the world.
    #[serde(default)]
    pub tools: BTreeMap<String, Effect>,
    /// The permissions that it wants, as in its package.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wants: Vec<Want>,
}

/// The effect of a tool on the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    Reads,
    Changes,
    /// It changes things, and may overwrite or delete some.
    Overwrites,
}

impl Effect {
    fn of(tool: &Descriptor) -> Self {
        match (tool.read_only, tool.destructive) {
            (true, _) => Self::Reads,
            (false, false) => Self::Changes,
            (false, true) => Self::Overwrites,
        }
    }
}

/// Why an entry cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntryError {
    #[error("{0}")]
    Form(String),
    #[error("`{field}` is {value}, expected {expected}")]
    Value { field: &'static str, value: String, expected: String },
}

impl From<ManifestError> for EntryError {
    fn from(error: ManifestError) -> Self {
        match error {
            ManifestError::Form(message) => Self::Form(message),
            ManifestError::Value { field, value, expected, .. } => Self::Value { field, value, expected },
            ManifestError::Twice(capability) => {
                Self::Form(format!("`{capability}` occurs twice in `wants`, expected once"))
            }
        }
    }
}

impl Entry {
    /// Reads the text of an entry.
    ///
    /// # Errors
    /// The entry has the wrong form. The message contains no characters that move or hide text.
    pub fn parse(text: &str) -> Result<Self, EntryError> {
        let entry: Self = toml::from_str(text).map_err(|error| EntryError::Form(form(text, &error)))?;
        entry.check()?;
        Ok(entry)
    }

    /// Returns the entry of a package at this address.
    pub fn of(package: &Package, source: &str) -> Self {
        let manifest = &package.manifest;
        Self {
            id: manifest.id.clone(),
            version: manifest.version.clone(),
            summary: manifest.description.clone(),
            licence: manifest.licence.clone(),
            source: source.to_owned(),
            key: manifest.key.clone(),
            tools: package.tools.iter().map(|tool| (tool.name.clone(), Effect::of(tool))).collect(),
            wants: manifest.wants.clone(),
        }
    }

    /// Returns the text of the entry.
    pub fn text(&self) -> String {
        toml::to_string(self).expect("plain data is written as TOML")
    }

    /// Returns the first field in which the entry differs from its package.
    pub fn difference(&self, package: &Package) -> Option<String> {
        let fields = |entry: &Self| match serde_json::to_value(entry) {
            Ok(Json::Object(fields)) => fields,
            _ => unreachable!("an entry is a table"),
        };
        let (says, has) = (fields(self), fields(&Self::of(package, &self.source)));
        let names: BTreeSet<&String> = says.keys().chain(has.keys()).collect();
        let name = names.into_iter().find(|name| says.get(*name) != has.get(*name))?;
        let words = |value: Option<&Json>| value.map_or("nothing".to_owned(), Json::to_string);
        Some(format!(
            "its `{name}` is {}, and the package says {}",
            words(says.get(name)),
            words(has.get(name))
        ))
    }

    /// Returns the permissions that it wants, one line for each capability with its details, such as its apps and its
    /// level.
    pub fn wanted(&self) -> Vec<String> {
        let of = |name: &str, value: &Json| match value {
            Json::Array(items) => items.iter().filter_map(Json::as_str).collect::<Vec<_>>().join(", "),
            Json::String(text) if name == "level" => format!("up to {text}"),
            _ => String::new(),
        };
        let line = |want: &Want| {
            let fields = serde_json::to_value(want).unwrap_or_default();
            let fields = fields.as_object().into_iter().flatten().map(|(name, value)| of(name, value));
            let parts = std::iter::once(want.capability.to_string()).chain(fields);
            parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
        };
        self.wants.iter().map(line).collect()
    }

    /// Tells whether each of these words occurs in its name, summary, tools or wanted permissions.
    pub fn matches(&self, words: &[String]) -> bool {
        let own = [self.id.to_string(), self.summary.clone()].into_iter();
        let texts = own.chain(self.tools.keys().cloned()).chain(self.wanted());
        let text = texts.collect::<Vec<_>>().join("\n").to_lowercase();
        words.iter().all(|word| text.contains(&word.to_lowercase()))
    }

    /// Checks the texts that people will read, and the fields that nothing else checks before the package is fetched.
    ///
    /// # Errors
    /// The first field that is wrong.
    pub fn check(&self) -> Result<(), EntryError> {
        check_version(&self.version)?;
        for (field, text) in
            [("summary", &self.summary), ("licence", &self.licence), ("source", &self.source)]
        {
            line(field, text)?;
        }
        check_wants(&self.wants)?;
        match self.tools.keys().find(|tool| !self.id.owns(tool)) {
            None => Ok(()),
            Some(tool) => Err(EntryError::Value {
                field: "tools",
                value: format!("`{}`", shown(tool)),
                expected: format!("names that begin with `{}`", self.id.tool_prefix()),
            }),
        }
    }
}

/// Returns the look of a name. Two names that are easily confused have the same look.
///
/// # Source
/// The ASCII part of Unicode's confusables.txt, which names `1` and `l`, `0` and `o`, `rn` and `m`. A `-` is easily
/// missed, and so is the second half of `vv`.
pub fn look(id: &PluginId) -> String {
    let bare: String = id.as_str().chars().filter(|c| *c != '-').collect();
    bare.replace("rn", "m").replace("vv", "w").replace('1', "l").replace('0', "o")
}

/// Gives the line number of a TOML error, without the text of the line, which may contain anything.
fn form(text: &str, error: &toml::de::Error) -> String {
    let message = shown(error.message());
    match error.span().map(|span| span.start).filter(|start| *start > 0) {
        Some(start) => format!("line {}: {message}", text[..start].matches('\n').count() + 1),
        None => message,
    }
}

fn shown(text: &str) -> String {
    crate::failure::line(text, 300)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
        id = "note-counts"
        version = "0.1.0"
        summary = "Counts notes"
        licence = "MIT"
        source = "oci://a.example/note-counts"
        [tools]
        note_counts = "reads"
        [[wants]]
        capability = "apps"
        apps = ["com.apple.Notes"]
        reason = "counts notes"
    "#;

    fn check(text: &str, expected: &str) {
        let said = Entry::parse(text).map_or_else(|error| error.to_string(), |entry| entry.text());
        assert!(said.contains(expected), "{text}\n{said}");
        assert!(!said.contains(['\u{1b}', '\u{202e}']), "{said:?}");
    }

    #[test]
    fn entries_are_of_their_form() {
        check(GOOD, "note_counts = \"reads\"");
        check(&GOOD.replace("\"note-counts\"", "\"../note-counts\""), "is not a plugin id");
        check(
            &GOOD.replace("note_counts =", "mail ="),
            "`tools` is `mail`, expected names that begin with `note_counts`",
        );
        check(&GOOD.replace("0.1.0", "latest"), "`version` is `latest`, expected three numbers");
        check(
            &GOOD.replace("Counts notes", "Counts\\u001b[2Jnotes"),
            "`summary` is `\"Counts\\u{1b}[2Jnotes\"`",
        );
        check(&GOOD.replace("MIT", "\\u202eTIM"), "`licence` is `\"\\u{202e}TIM\"`");
        check(&GOOD.replace("summary", "\"x\\u001b\\u202e\""), "unknown field `x");
        check(&GOOD.replace("\"reads\"", "\"nothing\""), "line 8: unknown variant `nothing`");
        check(&GOOD.replace("com.apple.Notes", "Notes"), "expected a bundle id");
        check(
            &format!("{GOOD}[[wants]]\ncapability = \"apps\"\napps = [\"*\"]\nreason = \"r\""),
            "`apps` occurs twice",
        );
        check("", "missing field `id`");
    }

    #[test]
    fn what_is_written_is_read_again() {
        let entry = Entry::parse(GOOD).unwrap();
        assert_eq!(Entry::parse(&entry.text()), Ok(entry));
    }

    #[test]
    fn words_are_found_in_names_summaries_tools_and_apps() {
        let entry = Entry::parse(GOOD).unwrap();
        let check = |words: &str, expected: bool| {
            let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
            assert_eq!(entry.matches(&words), expected, "{words:?}");
        };
        check("", true);
        check("NOTES counts", true);
        check("com.apple", true);
        check("note_counts", true);
        check("notes mail", false);
    }

    #[test]
    fn what_it_wants_is_shown_in_full() {
        let more = "[[wants]]\ncapability = \"apps-change\"\nlevel = \"modify\"\napps = [\"a.b\", \"c.d\"]\nreason = \"r\"\n\
            [[wants]]\ncapability = \"store\"\nreason = \"r\"\n";
        let entry = Entry::parse(&format!("{GOOD}{more}")).unwrap();
        assert_eq!(entry.wanted(), ["apps com.apple.Notes", "apps-change a.b, c.d up to modify", "store"]);
    }

    #[test]
    fn names_that_look_alike() {
        let check = |one: &str, other: &str, same: bool| {
            let look = |id: &str| look(&id.parse().unwrap());
            assert_eq!(look(one) == look(other), same, "{one} {other}");
        };
        check("note-counts", "notecounts", true);
        check("mail-tools", "mai1-t00ls", true);
        check("mail", "rnail", true);
        check("window", "vvindow", true);
        check("mail", "mall", false);
        check("note-count", "note-counts", false);
    }
}
