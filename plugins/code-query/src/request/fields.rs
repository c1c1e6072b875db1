//! The fields of one query, each read by name and type. A null field counts as left out.

use iac_plugin::serde_json::Map;
use iac_plugin::{Json, json};

use crate::kinds::Kinds;
use crate::near;
use crate::pattern::{PathPattern, Pattern};
use crate::trouble::Trouble;

/// Other names that people use for a field, each with the name here.
const WORDS: [(&str, &[&str]); 9] = [
    ("symbol", &["query"]),
    ("name", &["query", "symbol"]),
    ("pattern", &["query", "symbol"]),
    ("query", &["symbol"]),
    ("file", &["path"]),
    ("filename", &["path"]),
    ("uri", &["path"]),
    ("column", &["character"]),
    ("timeout", &["timeoutMs"]),
];

pub(super) struct Fields<'a> {
    pub(super) name: &'a str,
    map: &'a Map<String, Json>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(name: &'a str, map: &'a Map<String, Json>) -> Self {
        Self { name, map }
    }

    /// Fails if there is an unknown field.
    pub(super) fn only<'b>(&self, known: impl Iterator<Item = &'b &'b str> + Clone) -> Result<(), Trouble> {
        let unknown = self.map.keys().find(|field| !known.clone().any(|known| *known == field.as_str()));
        match unknown {
            None => Ok(()),
            Some(field) => Err(self.unknown(field, &known.copied().collect::<Vec<_>>())),
        }
    }

    pub(super) fn has(&self, field: &str) -> bool {
        self.get(field).is_some()
    }

    pub(super) fn text(&self, field: &str) -> Result<Option<String>, Trouble> {
        match self.get(field) {
            None => Ok(None),
            Some(Json::String(text)) if text.is_empty() => {
                Err(Trouble::field(format!("\"{field}\" must not be empty")))
            }
            Some(Json::String(text)) => Ok(Some(text.clone())),
            Some(other) => Err(wrong(field, "a text", other)),
        }
    }

    pub(super) fn required(&self, field: &str) -> Result<String, Trouble> {
        self.text(field)?.ok_or_else(|| self.needs(field))
    }

    pub(super) fn flag(&self, field: &str) -> Result<Option<bool>, Trouble> {
        match self.get(field) {
            None => Ok(None),
            Some(Json::Bool(flag)) => Ok(Some(*flag)),
            Some(other) => Err(wrong(field, "true or false", other)),
        }
    }

    pub(super) fn number(&self, field: &str, least: u32, most: u32) -> Result<Option<u32>, Trouble> {
        let Some(value) = self.get(field) else { return Ok(None) };
        // Models send numbers as texts, and the meaning of these texts is certain.
        let spelled = value.as_str().and_then(|text| text.parse::<u32>().ok()).map(|number| json!(number));
        let value = spelled.as_ref().unwrap_or(value);
        let whole =
            value.as_i64().or_else(|| value.as_f64().filter(|one| one.fract() == 0.0).map(|one| one as i64));
        let Some(whole) = whole.filter(|_| value.is_number()) else {
            return Err(wrong(field, "a whole number", value));
        };
        match u32::try_from(whole) {
            Ok(number) if number < least => Err(Trouble::field(format!("{field} must be >= {least}"))),
            Ok(number) if number <= most => Ok(Some(number)),
            Err(_) if whole < 0 => Err(Trouble::field(format!("{field} must be >= {least}"))),
            _ => Err(Trouble::field(format!("{field} must be <= {most}"))),
        }
    }

    pub(super) fn pattern(&self, field: &str) -> Result<Option<Pattern>, Trouble> {
        match self.get(field) {
            None => Ok(None),
            Some(Json::String(text)) => Ok(Some(pattern(text)?)),
            Some(other) => Err(wrong(field, "a text", other)),
        }
    }

    pub(super) fn path_patterns(&self, field: &str) -> Result<Vec<PathPattern>, Trouble> {
        let read =
            |text: &String| PathPattern::parse(text).map_err(|error| Trouble::pattern(error.to_string()));
        self.list(field)?.iter().map(read).collect()
    }

    pub(super) fn kinds(&self) -> Result<Kinds, Trouble> {
        let words = self.list("kind")?;
        Kinds::parse(words.iter().flat_map(|word| word.split(',')))
    }

    /// Severities by their numbers in LSP; all of them if the query gives none.
    pub(super) fn severities(&self) -> Result<Vec<u8>, Trouble> {
        let words = self.list("severity")?;
        let words =
            words.iter().flat_map(|word| word.split(',')).map(str::trim).filter(|word| !word.is_empty());
        words.map(severity).collect()
    }

    pub(super) fn needs(&self, field: &str) -> Trouble {
        self.trouble(&format!("needs \"{field}\""))
    }

    pub(super) fn trouble(&self, what: &str) -> Trouble {
        Trouble::field(format!("{} {what}", self.name))
    }

    fn get(&self, field: &str) -> Option<&'a Json> {
        self.map.get(field).filter(|value| !value.is_null())
    }

    /// A text, or a list of them.
    fn list(&self, field: &str) -> Result<Vec<String>, Trouble> {
        match self.get(field) {
            None => Ok(Vec::new()),
            Some(Json::String(text)) => Ok(vec![text.clone()]),
            Some(Json::Array(items)) => items
                .iter()
                .map(|item| match item {
                    Json::String(text) => Ok(text.clone()),
                    other => Err(wrong(field, "a list of texts", other)),
                })
                .collect(),
            Some(other) => Err(wrong(field, "a text or a list of texts", other)),
        }
    }

    fn unknown(&self, field: &str, known: &[&str]) -> Trouble {
        let said = WORDS.iter().find(|(word, _)| *word == field).map_or(&[][..], |(_, meant)| meant);
        let near = said
            .iter()
            .copied()
            .find(|meant| known.contains(meant))
            .or_else(|| near::nearest(field, known.iter().copied()));
        if field == "exclude" {
            return self.trouble(
                "does not take \"exclude\"; searches, diagnostics, references, definitions, implementations and calls do",
            );
        }
        Trouble::field(match near {
            Some(near) => format!("unknown field \"{field}\" in {}; did you mean \"{near}\"?", self.name),
            None => format!("unknown field \"{field}\" in {}; it takes {}", self.name, known.join(", ")),
        })
    }
}

/// The type of a value, in words.
pub(super) fn kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "a truth value",
        Json::Number(_) => "a number",
        Json::String(_) => "a text",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    }
}

fn wrong(field: &str, expected: &str, value: &Json) -> Trouble {
    Trouble::field(format!("{field} must be {expected}, not {}", kind(value)))
}

fn pattern(text: &str) -> Result<Pattern, Trouble> {
    Pattern::parse(text).map_err(|error| Trouble::pattern(error.to_string()))
}

fn severity(word: &str) -> Result<u8, Trouble> {
    match word {
        "error" => Ok(1),
        "warning" => Ok(2),
        "info" | "information" => Ok(3),
        "hint" => Ok(4),
        other => Err(Trouble::field(format!("unknown severity \"{other}\"; use error, warning, info, hint"))),
    }
}
