//! The prompts and resources of a package. Both are fixed texts, so no guest code runs for them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Manifest, ManifestError, below, line, value};
use crate::failure::hidden_in_prose;

/// The most prompts, and the most resources, of one plugin. A client shows all of them in one menu.
const MOST: usize = 16;

/// The most characters of a prompt. A prompt is sent as one message of a person.
const LONGEST_PROMPT: usize = 8_000;

/// A prompt. The text goes to the client's model as the person's message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prompt {
    /// Its name; a plugin's begins with the same prefix as its tools.
    pub name: String,
    /// Its title in menus.
    pub title: String,
    /// Its purpose, in one line.
    pub description: String,
    /// The name of one of the server's own icons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    /// The message, with `{name}` in place of the value of an argument.
    pub text: String,
    /// The arguments that the person gives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<Argument>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Argument {
    pub name: String,
    /// Its title in forms.
    pub title: String,
    /// Its purpose, in one line.
    pub description: String,
    /// Whether the prompt requires it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// The kind of its value, which also decides how it is completed.
    #[serde(default)]
    pub kind: ArgumentKind,
    /// Values that a client can offer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// Its value if none is given. Every optional argument has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

/// The kind of an argument's value, and how it is completed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArgumentKind {
    #[default]
    Text,
    /// One of `values`.
    Choice,
    /// A whole number from 1.
    Number,
    /// The name of an app.
    App,
    /// A class of that app.
    Class,
    /// A property of that class.
    Property,
}

/// A text that a client can read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResourceFile {
    /// Its name, the end of its address: `[a-z0-9-]`, at most 40 characters.
    pub name: String,
    /// Its title in menus.
    pub title: String,
    /// Its contents, in one line.
    pub description: String,
    /// The file of its text, beside `plugin.toml`: a name that ends with `.md`, `.txt` or `.json`.
    pub file: String,
}

impl Prompt {
    /// Checks that its texts are visible, and that the text uses each argument.
    ///
    /// # Errors
    /// A field is not valid.
    pub fn check(&self) -> Result<(), ManifestError> {
        line("prompts.title", &self.title)?;
        line("prompts.description", &self.description)?;
        let length = self.text.chars().count();
        if self.text.trim().is_empty() || length > LONGEST_PROMPT {
            let expected = format!("1 to {LONGEST_PROMPT} characters");
            return Err(value("prompts.text", &format!("{length} characters"), &expected));
        }
        visible("prompts.text", &self.text)?;
        let mut names = BTreeSet::new();
        for argument in &self.arguments {
            if !names.insert(&argument.name) {
                return Err(value("prompts.arguments.name", &argument.name, "each name once"));
            }
            argument.check(&self.text)?;
        }
        Ok(())
    }
}

impl Argument {
    fn check(&self, text: &str) -> Result<(), ManifestError> {
        let letters = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
        if !self.name.bytes().all(letters) || !(1..=40).contains(&self.name.len()) {
            return Err(value("prompts.arguments.name", &self.name, "1 to 40 of [a-z_]"));
        }
        line("prompts.arguments.title", &self.title)?;
        line("prompts.arguments.description", &self.description)?;
        self.values.iter().chain(&self.default).try_for_each(|it| line("prompts.arguments.values", it))?;
        if !text.contains(&format!("{{{}}}", self.name)) {
            let expected = format!("a text that uses it as {{{}}}", self.name);
            return Err(value("prompts.arguments.name", &self.name, &expected));
        }
        if self.required == self.default.is_some() {
            return Err(value("prompts.arguments", &self.name, "either `required = true` or a `default`"));
        }
        let offered = |default: &String| self.kind != ArgumentKind::Choice || self.values.contains(default);
        match self.default.as_ref().filter(|default| !offered(default)) {
            Some(default) => Err(value("prompts.arguments.default", default, "one of `values`")),
            None => Ok(()),
        }
    }
}

impl ResourceFile {
    /// Returns the media type of its text, by its file extension.
    pub fn media_type(&self) -> Option<&'static str> {
        let types = [("md", "text/markdown"), ("txt", "text/plain"), ("json", "application/json")];
        let (_, end) = self.file.rsplit_once('.')?;
        types.into_iter().find(|(known, _)| *known == end).map(|(_, of)| of)
    }

    fn check(&self) -> Result<(), ManifestError> {
        let letters = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if !self.name.bytes().all(letters) || !(1..=40).contains(&self.name.len()) {
            return Err(value("resources.name", &self.name, "1 to 40 of [a-z0-9-]"));
        }
        line("resources.title", &self.title)?;
        line("resources.description", &self.description)?;
        if self.media_type().is_none() {
            return Err(value("resources.file", &self.file, "a file that ends with .md, .txt or .json"));
        }
        below("resources.file", &self.file)
    }
}

impl Manifest {
    pub(super) fn check_offers(&self) -> Result<(), ManifestError> {
        let few = |field, count: usize| match count {
            0..=MOST => Ok(()),
            _ => Err(value(field, &count.to_string(), &format!("at most {MOST}"))),
        };
        few("prompts", self.prompts.len())?;
        few("resources", self.resources.len())?;
        let mut names = BTreeSet::new();
        for prompt in &self.prompts {
            prompt.check()?;
            if !self.id.owns(&prompt.name) {
                let prefix = self.id.tool_prefix();
                let expected = format!("`{prefix}` or `{prefix}_…` of a-z, 0-9 and _, at most 40 characters");
                return Err(value("prompts.name", &prompt.name, &expected));
            }
            if !names.insert(&prompt.name) {
                return Err(value("prompts.name", &prompt.name, "each name once"));
            }
        }
        let mut names = BTreeSet::new();
        for resource in &self.resources {
            resource.check()?;
            if !names.insert(&resource.name) {
                return Err(value("resources.name", &resource.name, "each name once"));
            }
        }
        Ok(())
    }
}

/// Checks that a text of several lines has no invisible characters.
fn visible(field: &'static str, text: &str) -> Result<(), ManifestError> {
    match hidden_in_prose(text) {
        Some((c, line)) => {
            let expected = format!("no invisible character; remove it from line {line} of the text");
            Err(value(field, &format!("U+{:04X}", u32::from(c)), &expected))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str =
        "id = \"de-mo\"\nversion = \"0.1.0\"\nlicence = \"MIT\"\napi = \"0.1\"\ndescription = \"d\"\n";
    const PROMPT: &str = "[[prompts]]\nname = \"de_mo_review\"\ntitle = \"Review\"\ndescription = \"Reviews.\"\ntext = \"Review {days} days.\"\n\
        [[prompts.arguments]]\nname = \"days\"\ntitle = \"Days\"\ndescription = \"How many.\"\nkind = \"number\"\ndefault = \"7\"\n";
    const RESOURCE: &str = "[[resources]]\nname = \"guide\"\ntitle = \"Guide\"\ndescription = \"How to.\"\nfile = \"docs/guide.md\"\n";

    fn check(body: &str, expected: Option<&str>) {
        let error = Manifest::parse(&format!("{HEAD}{body}")).err().map(|error| error.to_string());
        match (&error, expected) {
            (None, None) => {}
            (Some(error), Some(part)) if error.contains(part) => {}
            _ => panic!("{body}\n{error:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn prompts_are_whole_and_the_plugins_own() {
        check(PROMPT, None);
        let changed = |from: &str, to: &str, expected| check(&PROMPT.replace(from, to), Some(expected));
        changed("de_mo_review", "review", "`prompts.name` is `review`, expected `de_mo` or `de_mo_…`");
        changed("Review {days} days.", "Review.", "expected a text that uses it as {days}");
        changed("Review {days} days.", "", "`prompts.text` is `0 characters`");
        changed("Review {days}", "Review \\u202e{days}", "`prompts.text` is `U+202E`");
        changed("Review {days}", &format!("{{days}}{}", "x".repeat(LONGEST_PROMPT)), "expected 1 to 8000");
        changed("default = \"7\"\n", "", "expected either `required = true` or a `default`");
        changed("kind = \"number\"", "kind = \"choice\"\nvalues = [\"1\"]", "expected one of `values`");
        changed("kind = \"number\"", "kind = \"date\"", "unknown variant `date`");
        changed("name = \"days\"", "name = \"Days\"", "expected 1 to 40 of [a-z_]");
        changed("title = \"Review\"", "title = \"\"", "`prompts.title`");
        check(
            &format!("{PROMPT}{PROMPT}"),
            Some("`prompts.name` is `de_mo_review`, expected each name once"),
        );
        let more = PROMPT.split_once("[[prompts.arguments]]").expect("it has one").1;
        check(&format!("{PROMPT}[[prompts.arguments]]{more}"), Some("expected each name once"));
        let many: String = (0..=MOST).map(|at| PROMPT.replace("review", &format!("review{at}"))).collect();
        check(&many, Some("`prompts` is `17`, expected at most 16"));
    }

    #[test]
    fn resources_are_texts_beside_the_manifest() {
        check(RESOURCE, None);
        let changed = |from: &str, to: &str, expected| check(&RESOURCE.replace(from, to), Some(expected));
        changed("docs/guide.md", "../guide.md", "`resources.file` is `../guide.md`");
        changed("guide.md", "guide.png", "expected a file that ends with .md, .txt or .json");
        changed("name = \"guide\"", "name = \"a/b\"", "expected 1 to 40 of [a-z0-9-]");
        check(&format!("{RESOURCE}{RESOURCE}"), Some("`resources.name` is `guide`, expected each name once"));
        let many: String =
            (0..=MOST).map(|at| RESOURCE.replace("\"guide\"", &format!("\"guide{at}\""))).collect();
        check(&many, Some("`resources` is `17`, expected at most 16"));
    }
}
