//! Prompts: what a person can ask for by name.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use iac_core::dictionary::names;
use iac_core::fault::did_you_mean;
use iac_core::foreign;
use rmcp::model::{ErrorData, GetPromptResult, Prompt as Listed, PromptArgument, PromptMessage, Role};
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::icons::icons;

/// The characters of a value. What a person types into a form is short.
const LONGEST: usize = 200;

/// The largest number that an argument takes.
const MOST: u32 = 365;

static ALL: LazyLock<Vec<Prompt>> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("prompts.toml"))
        .expect("the prompts are part of the program: a test reads them");
    file.prompts
});

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    prompts: Vec<Prompt>,
}

/// One prompt of `prompts.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Prompt {
    name: String,
    title: String,
    description: String,
    icon: String,
    /// With `{name}` where the value of an argument belongs.
    text: String,
    #[serde(default)]
    arguments: Vec<Argument>,
}

/// An argument of a prompt.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Argument {
    pub(super) name: String,
    title: String,
    description: String,
    #[serde(default)]
    required: bool,
    #[serde(default)]
    pub(super) kind: Kind,
    /// What a client can offer.
    #[serde(default)]
    pub(super) values: Vec<String>,
    #[serde(default)]
    default: Option<String>,
}

/// What an argument takes and what completes it.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    /// Any text.
    #[default]
    Text,
    /// One of the values.
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

/// Returns the prompts in the order of the file.
pub(super) fn list() -> Vec<Listed> {
    ALL.iter().map(Prompt::listed).collect()
}

/// Finds the prompt of that name.
///
/// # Errors
/// There is none.
pub(super) fn find(name: &str) -> Result<&'static Prompt, ErrorData> {
    let missing = || {
        let near = names::near(name, ALL.iter().map(|prompt| prompt.name.as_str()), 3);
        ErrorData::invalid_params(
            format!("no prompt `{}`{}", foreign::clean(name, 80), did_you_mean(&near)),
            None,
        )
    };
    ALL.iter().find(|prompt| prompt.name == name).ok_or_else(missing)
}

impl Prompt {
    /// Returns the argument of that name.
    ///
    /// # Errors
    /// There is none.
    pub(super) fn argument(&self, name: &str) -> Result<&Argument, ErrorData> {
        let names = || self.arguments.iter().map(|argument| argument.name.as_str()).collect::<Vec<_>>();
        let unknown = || {
            let expected = match names()[..] {
                [] => "it takes none".to_owned(),
                ref names => format!("expected {}", names.join(", ")),
            };
            ErrorData::invalid_params(
                format!(
                    "the prompt `{}` has no argument `{}`: {expected}",
                    self.name,
                    foreign::clean(name, 80)
                ),
                None,
            )
        };
        self.arguments.iter().find(|argument| argument.name == name).ok_or_else(unknown)
    }

    /// Writes the prompt as the message of a person.
    ///
    /// # Errors
    /// An argument is missing, unknown, or not of its kind.
    pub(super) fn message(&self, given: &Map<String, Json>) -> Result<GetPromptResult, ErrorData> {
        for name in given.keys() {
            self.argument(name)?;
        }
        let mut values = BTreeMap::new();
        for argument in &self.arguments {
            values.insert(argument.name.as_str(), argument.value(given)?);
        }
        let message = PromptMessage::new_text(Role::User, filled(&self.text, &values));
        Ok(GetPromptResult::new(vec![message]).with_description(&self.description))
    }

    fn listed(&self) -> Listed {
        let arguments: Vec<_> = self.arguments.iter().map(Argument::listed).collect();
        let arguments = (!arguments.is_empty()).then_some(arguments);
        let listed = Listed::new(&self.name, Some(&self.description), arguments).with_title(&self.title);
        listed.with_icons(icons(&self.icon))
    }
}

impl Argument {
    fn listed(&self) -> PromptArgument {
        let argument = PromptArgument::new(&self.name).with_title(&self.title);
        argument.with_description(&self.description).with_required(self.required)
    }

    /// Returns the value as it stands in JSON between quotes.
    fn value(&self, given: &Map<String, Json>) -> Result<String, ErrorData> {
        let text = match given.get(&self.name) {
            None | Some(Json::Null) => None,
            // A name or a path that is cut would be another one.
            Some(Json::String(text)) if text.chars().count() > LONGEST => {
                return Err(self.wrong(&format!("at most {LONGEST} characters"), text));
            }
            Some(Json::String(text)) => Some(foreign::clean(text, LONGEST)).filter(|text| !text.is_empty()),
            Some(other) => return Err(self.wrong("a text", &other.to_string())),
        };
        let Some(text) = text.or_else(|| self.default.clone()) else {
            let what = format!("`{}` is missing: {}", self.name, self.description);
            return Err(ErrorData::invalid_params(what, None));
        };
        match self.kind {
            Kind::Choice if !self.values.contains(&text) => {
                Err(self.wrong(&format!("one of {}", self.values.join(", ")), &text))
            }
            Kind::Number if !(1..=MOST).any(|number| number.to_string() == text) => {
                Err(self.wrong(&format!("a whole number from 1 to {MOST}"), &text))
            }
            _ => Ok(quoted(&text)),
        }
    }

    fn wrong(&self, expected: &str, given: &str) -> ErrorData {
        let given = foreign::clean(given, 80);
        ErrorData::invalid_params(format!("`{}`: expected {expected}, got `{given}`", self.name), None)
    }
}

/// Writes a text as JSON does, without the quotes around it: a value cannot end the string that it stands in.
fn quoted(text: &str) -> String {
    let json = Json::from(text).to_string();
    json[1..json.len() - 1].to_owned()
}

/// Puts values in place of their names, in one pass: a value that looks like a name stays as it is.
fn filled(text: &str, values: &BTreeMap<&str, String>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(begins) = rest.find('{') {
        let (before, from) = rest.split_at(begins);
        filled.push_str(before);
        let name = from.find('}').map(|ends| &from[1..ends]);
        let value = name.and_then(|name| Some((name, values.get(name)?)));
        rest = match value {
            Some((name, value)) => {
                filled.push_str(value);
                &from[name.len() + 2..]
            }
            None => {
                filled.push('{');
                &from[1..]
            }
        };
    }
    filled + rest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(prompt: &str, given: &Json) -> Result<String, String> {
        let given = given.as_object().unwrap();
        let result = find(prompt).unwrap().message(given).map_err(|error| error.message.to_string())?;
        Ok(result.messages[0].content.as_text().unwrap().text.clone())
    }

    #[test]
    fn every_prompt_is_whole() {
        for prompt in ALL.iter() {
            let name = &prompt.name;
            let legal = |c: char| c.is_ascii_lowercase() || c == '_';
            assert!(name.chars().all(legal) && name.len() <= 40, "{name}");
            assert_eq!(icons(&prompt.icon).len(), 1, "{name}: no icon `{}`", prompt.icon);
            for argument in &prompt.arguments {
                let used = prompt.text.contains(&format!("{{{}}}", argument.name));
                assert!(used, "{name}: `{}` is not used", argument.name);
                assert_ne!(argument.required, argument.default.is_some(), "{name}: `{}`", argument.name);
            }
        }
        assert!((6..=8).contains(&ALL.len()));
    }

    #[test]
    fn values_stand_where_their_names_were() {
        let message = text("tidy_folder", &json!({ "folder": "~/Desk \"top\"" })).unwrap();
        assert!(message.starts_with(r#"Tidy the folder ~/Desk \"top\"."#), "{message}");
        assert!(message.contains(r#""container": "~/Desk \"top\"""#), "{message}");
        let message = text("tidy_folder", &json!({ "folder": " " })).unwrap();
        assert!(message.contains(r#""container": "~/Downloads""#), "{message}");
        let words = json!({ "words": "{mailbox}", "mailbox": "Bills" });
        assert!(text("file_mail", &words).unwrap().starts_with("Find the mail with \"{mailbox}\" in"));
    }

    #[test]
    fn wrong_arguments_are_named_with_what_is_expected() {
        let error = |prompt, given: Json| text(prompt, &given).unwrap_err();
        assert_eq!(
            error("plan_day", json!({ "day": "someday" })),
            "`day`: expected one of today, tomorrow, monday, tuesday, wednesday, thursday, friday, saturday, sunday, \
             got `someday`"
        );
        assert_eq!(
            error("inbox_digest", json!({ "days": "0" })),
            "`days`: expected a whole number from 1 to 365, got `0`"
        );
        assert_eq!(error("inbox_digest", json!({ "days": 2 })), "`days`: expected a text, got `2`");
        assert!(error("inbox_digest", json!({ "days": "+7" })).contains("got `+7`"));
        let long = "x".repeat(LONGEST + 1);
        assert!(error("tidy_folder", json!({ "folder": long })).contains("at most 200 characters"));
        assert_eq!(find("a\u{1b}b\n").unwrap_err().message, "no prompt `a b`");
        assert_eq!(error("explore_app", json!({})), "`app` is missing: The name or the bundle id of an app.");
        assert_eq!(
            error("explore_app", json!({ "app": "Mail", "apps": "Notes" })),
            "the prompt `explore_app` has no argument `apps`: expected app"
        );
        assert_eq!(
            error("weekly_review", json!({ "week": "1" })),
            "the prompt `weekly_review` has no argument `week`: it takes none"
        );
        assert_eq!(find("plan_da").unwrap_err().message, "no prompt `plan_da`; did you mean \"plan_day\"?");
    }
}
