//! Prompts: messages that a user can choose by name.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use iac_core::dictionary::names;
use iac_core::fault::did_you_mean;
use iac_core::foreign;
use rmcp::model::{ErrorData, GetPromptResult, Prompt as Listed, PromptArgument, PromptMessage, Role};
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::icons::icons;
use crate::plugins::Plugins;
use crate::plugins::engine::manifest::{Argument, ArgumentKind, Prompt};

/// The most characters of an argument, because a person types it into a form.
const LONGEST: usize = 200;

/// The largest number that an argument accepts.
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

/// Returns the server's own prompts in the order of the file, then those of plugins.
pub(super) fn list(plugins: &Plugins) -> Vec<Listed> {
    ALL.iter().map(listed).chain(plugins.prompts().iter().map(listed)).collect()
}

/// Finds the prompt of that name.
///
/// # Errors
/// There is none.
pub(super) fn find(plugins: &Plugins, name: &str) -> Result<Prompt, ErrorData> {
    let all: Vec<Prompt> = ALL.iter().cloned().chain(plugins.prompts()).collect();
    let missing = || {
        let near = names::near(name, all.iter().map(|prompt| prompt.name.as_str()), 3);
        ErrorData::invalid_params(
            format!("no prompt `{}`{}", foreign::clean(name, 80), did_you_mean(&near)),
            None,
        )
    };
    all.iter().find(|prompt| prompt.name == name).cloned().ok_or_else(missing)
}

/// Returns the argument of that name.
///
/// # Errors
/// There is none.
pub(super) fn argument<'a>(prompt: &'a Prompt, name: &str) -> Result<&'a Argument, ErrorData> {
    let unknown = || {
        let names: Vec<&str> = prompt.arguments.iter().map(|argument| argument.name.as_str()).collect();
        let expected = match names[..] {
            [] => "it takes none".to_owned(),
            ref names => format!("expected {}", names.join(", ")),
        };
        let name = foreign::clean(name, 80);
        let what = format!("the prompt `{}` has no argument `{name}`: {expected}", prompt.name);
        ErrorData::invalid_params(what, None)
    };
    prompt.arguments.iter().find(|argument| argument.name == name).ok_or_else(unknown)
}

/// Fills in a prompt as a message of the user.
///
/// # Errors
/// An argument is missing, unknown, or of the wrong kind.
pub(super) fn message(prompt: &Prompt, given: &Map<String, Json>) -> Result<GetPromptResult, ErrorData> {
    for name in given.keys() {
        argument(prompt, name)?;
    }
    let mut values = BTreeMap::new();
    for argument in &prompt.arguments {
        values.insert(argument.name.as_str(), value(argument, given)?);
    }
    let message = PromptMessage::new_text(Role::User, filled(&prompt.text, &values));
    Ok(GetPromptResult::new(vec![message]).with_description(&prompt.description))
}

fn listed(prompt: &Prompt) -> Listed {
    let arguments: Vec<_> = prompt.arguments.iter().map(listed_argument).collect();
    let arguments = (!arguments.is_empty()).then_some(arguments);
    let listed = Listed::new(&prompt.name, Some(&prompt.description), arguments).with_title(&prompt.title);
    listed.with_icons(icons(prompt.icon.as_deref().unwrap_or("app")))
}

fn listed_argument(argument: &Argument) -> PromptArgument {
    let listed = PromptArgument::new(&argument.name).with_title(&argument.title);
    listed.with_description(&argument.description).with_required(argument.required)
}

/// Returns the value of an argument, escaped as within a JSON string.
fn value(argument: &Argument, given: &Map<String, Json>) -> Result<String, ErrorData> {
    let wrong = |expected: &str, given: &str| {
        let given = foreign::clean(given, 80);
        ErrorData::invalid_params(format!("`{}`: expected {expected}, got `{given}`", argument.name), None)
    };
    let text = match given.get(&argument.name) {
        None | Some(Json::Null) => None,
        // A name or a path must not be cut, because it would then mean something else.
        Some(Json::String(text)) if text.chars().count() > LONGEST => {
            return Err(wrong(&format!("at most {LONGEST} characters"), text));
        }
        Some(Json::String(text)) => Some(foreign::clean(text, LONGEST)).filter(|text| !text.is_empty()),
        Some(other) => return Err(wrong("a text", &other.to_string())),
    };
    let Some(text) = text.or_else(|| argument.default.clone()) else {
        let what = format!("`{}` is missing: {}", argument.name, argument.description);
        return Err(ErrorData::invalid_params(what, None));
    };
    match argument.kind {
        ArgumentKind::Choice if !argument.values.contains(&text) => {
            Err(wrong(&format!("one of {}", argument.values.join(", ")), &text))
        }
        ArgumentKind::Number if !(1..=MOST).any(|number| number.to_string() == text) => {
            Err(wrong(&format!("a whole number from 1 to {MOST}"), &text))
        }
        _ => Ok(quoted(&text)),
    }
}

/// Escapes a text as JSON does, without the quotes around it, so that a value cannot end the string that contains it.
fn quoted(text: &str) -> String {
    let json = Json::from(text).to_string();
    json[1..json.len() - 1].to_owned()
}

/// Replaces names by values, in one pass: a value that looks like a name stays as it is.
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

    fn found(name: &str) -> Result<Prompt, ErrorData> {
        find(&Plugins::default(), name)
    }

    fn text(prompt: &str, given: &Json) -> Result<String, String> {
        let given = given.as_object().unwrap();
        let result = message(&found(prompt).unwrap(), given).map_err(|error| error.message.to_string())?;
        Ok(result.messages[0].content.as_text().unwrap().text.clone())
    }

    #[test]
    fn every_prompt_is_whole() {
        for prompt in ALL.iter() {
            let name = &prompt.name;
            assert!(name.bytes().all(|c| c.is_ascii_lowercase() || c == b'_') && name.len() <= 40, "{name}");
            assert_eq!(icons(prompt.icon.as_ref().unwrap()).len(), 1, "{name}: {:?}", prompt.icon);
            prompt.check().unwrap_or_else(|error| panic!("{name}: {error}"));
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
        assert_eq!(found("a\u{1b}b\n").unwrap_err().message, "no prompt `a b`");
        assert_eq!(error("explore_app", json!({})), "`app` is missing: The name or the bundle id of an app.");
        assert_eq!(
            error("explore_app", json!({ "app": "Mail", "apps": "Notes" })),
            "the prompt `explore_app` has no argument `apps`: expected app"
        );
        assert_eq!(
            error("weekly_review", json!({ "week": "1" })),
            "the prompt `weekly_review` has no argument `week`: it takes none"
        );
        assert_eq!(found("plan_da").unwrap_err().message, "no prompt `plan_da`; did you mean \"plan_day\"?");
    }
}
