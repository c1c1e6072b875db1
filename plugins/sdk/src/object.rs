//! Reads objects strictly: an unknown key is an error, and every error names the accepted form.

use serde_json::{Map, Value as Json};

use crate::Fault;

/// An object of the arguments, and its path in them, for errors. A key with null counts as missing, except for
/// [`get`](Self::get) and [`has`](Self::has).
#[derive(Clone, Debug)]
pub struct Object<'a> {
    path: String,
    map: &'a Map<String, Json>,
}

impl<'a> Object<'a> {
    /// Takes a value as the object at `path`.
    ///
    /// # Errors
    /// `invalid_parameter` if it is not an object.
    pub fn of(path: impl Into<String>, value: &'a Json) -> Result<Self, Fault> {
        let path = path.into();
        match value.as_object() {
            Some(map) => Ok(Self { path, map }),
            None => Err(Fault::expected(&path, value, "an object")),
        }
    }

    /// Takes a map as the object at `path`.
    pub fn root(path: &str, map: &'a Map<String, Json>) -> Self {
        Self { path: path.to_owned(), map }
    }

    /// Refuses a key that is not in `known`. `redirects` says what to write in place of keys from other tools.
    ///
    /// # Errors
    /// `invalid_parameter` if it has another key.
    pub fn only(&self, known: &[&str], redirects: &[(&str, &str)]) -> Result<(), Fault> {
        let Some(key) = self.map.keys().find(|key| !known.contains(&key.as_str())) else { return Ok(()) };
        let fault = Fault::invalid(format!("`{}` is not known", self.at(key)));
        let advice = redirects.iter().find(|(foreign, _)| foreign == key).map(|(_, advice)| *advice);
        let near = nearest(key, known).map(|near| format!("did you mean `{near}`? "));
        Err(fault.suggest(match advice {
            Some(advice) => advice.to_owned(),
            None => format!("{}accepted here: {}", near.unwrap_or_default(), known.join(", ")),
        }))
    }

    /// Returns the path of a key of this object.
    pub fn at(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// Returns the path of this object.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the keys in the order in which they were written.
    pub fn keys(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.map.keys().map(String::as_str)
    }

    /// Says whether a key exists, even if its value is null.
    pub fn has(&self, key: &str) -> bool {
        self.map.contains_key(key)
    }

    /// Returns a value unchanged.
    pub fn get(&self, key: &str) -> Option<&'a Json> {
        self.map.get(key)
    }

    /// Returns a boolean. Also accepts the texts `true` and `false`, because some clients send these.
    ///
    /// # Errors
    /// `invalid_parameter` if it is something else.
    pub fn flag(&self, key: &str) -> Result<Option<bool>, Fault> {
        self.read(key, "true or false", |value| match value {
            Json::Bool(flag) => Some(*flag),
            Json::String(text) => text.parse().ok(),
            _ => None,
        })
    }

    /// Returns a number. Also accepts a number as text.
    ///
    /// # Errors
    /// `invalid_parameter` if it is not a number.
    pub fn number(&self, key: &str) -> Result<Option<f64>, Fault> {
        self.read(key, "a number", number)
    }

    /// Returns a whole number between two bounds.
    ///
    /// # Errors
    /// `invalid_parameter` if it is not a whole number in this range.
    pub fn whole(&self, key: &str, least: i64, most: i64) -> Result<Option<i64>, Fault> {
        let accepted = if most == i64::MAX {
            format!("a whole number of {least} or more")
        } else {
            format!("a whole number from {least} to {most}")
        };
        self.read(key, &accepted, |value| whole(value).filter(|value| (least..=most).contains(value)))
    }

    /// Returns a text that is not empty.
    ///
    /// # Errors
    /// `invalid_parameter` if it is not a text of this kind.
    pub fn text(&self, key: &str) -> Result<Option<&'a str>, Fault> {
        self.read(key, "a text that is not empty", |value| {
            value.as_str().filter(|text| !text.trim().is_empty())
        })
    }

    /// Returns one of some words, written with any case, with `_` or `-`.
    ///
    /// # Errors
    /// `invalid_parameter` if it is not one of them.
    pub fn word<T: Copy>(&self, key: &str, words: &[(&str, T)]) -> Result<Option<T>, Fault> {
        let accepted: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        self.read(key, &format!("one of {}", accepted.join(", ")), |value| {
            let word = value.as_str()?.trim().to_ascii_lowercase().replace('-', "_");
            words.iter().find(|(name, _)| name.to_ascii_lowercase() == word).map(|(_, value)| *value)
        })
    }

    /// Returns a list with at least one text; a single text counts as a list of one.
    pub fn texts(&self, key: &str) -> Result<Option<Vec<String>>, Fault> {
        self.read(key, "a list of texts that is not empty", |value| {
            let texts: Vec<String> = match value {
                Json::String(text) => vec![text.clone()],
                Json::Array(items) => {
                    items.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<_>>()?
                }
                _ => return None,
            };
            (!texts.is_empty() && texts.iter().all(|text| !text.is_empty())).then_some(texts)
        })
    }

    /// Returns an object below this one.
    ///
    /// # Errors
    /// `invalid_parameter` if it is not an object.
    pub fn object(&self, key: &str) -> Result<Option<Object<'a>>, Fault> {
        match self.get(key) {
            None | Some(Json::Null) => Ok(None),
            Some(value) => Object::of(self.at(key), value).map(Some),
        }
    }

    /// Returns a list unchanged.
    pub fn list(&self, key: &str) -> Result<Option<&'a [Json]>, Fault> {
        self.read(key, "a list", |value| value.as_array().map(Vec::as_slice))
    }

    /// Makes the fault of a wrong value.
    pub fn wrong(&self, key: &str, accepted: &str) -> Fault {
        Fault::expected(&self.at(key), self.get(key).unwrap_or(&Json::Null), accepted)
    }

    fn read<T>(
        &self,
        key: &str,
        accepted: &str,
        read: impl Fn(&'a Json) -> Option<T>,
    ) -> Result<Option<T>, Fault> {
        match self.get(key) {
            None | Some(Json::Null) => Ok(None),
            Some(value) => match read(value) {
                Some(read) => Ok(Some(read)),
                None => Err(Fault::expected(&self.at(key), value, accepted)),
            },
        }
    }
}

/// Returns the known word that a wrong one most likely means.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let word = word.to_lowercase();
    let length = word.chars().count();
    let distance = |known: &str| {
        let known = known.to_lowercase();
        let within = length > 2 && known.len() > 2 && (known.contains(&word) || word.contains(&known));
        if within { 1 } else { strsim::levenshtein(&word, &known) }
    };
    // A word of three letters is not a likely misspelling of a word that shares only one letter with it.
    let most = if length < 4 { 1 } else { 2.max(length / 3) };
    let near = known.iter().map(|known| (distance(known), *known)).min_by_key(|(distance, _)| *distance);
    near.filter(|(distance, _)| *distance <= most).map(|(_, known)| known)
}

fn number(value: &Json) -> Option<f64> {
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
    number.is_finite().then_some(number)
}

#[expect(clippy::cast_possible_truncation, reason = "only whole numbers of at most 2^53 get there")]
fn whole(value: &Json) -> Option<i64> {
    let number = number(value)?;
    (number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0).then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check<T: std::fmt::Debug>(
        value: &Json,
        read: impl Fn(&Object<'_>) -> Result<T, Fault>,
        expected: &str,
    ) {
        let object = Object::of("query", value).expect("the test's own object");
        let shown = match read(&object) {
            Ok(read) => format!("{read:?}"),
            Err(fault) => match fault.suggestion {
                Some(suggestion) => format!("{}; {suggestion}", fault.message),
                None => fault.message,
            },
        };
        assert_eq!(shown, expected, "{value}");
    }

    #[test]
    fn values_are_read_in_the_forms_that_clients_write() {
        check(&json!({"a": "true"}), |object| object.flag("a"), "Some(true)");
        check(&json!({"a": "7"}), |object| object.whole("a", 1, 9), "Some(7)");
        check(&json!({"a": "x"}), |object| object.texts("a"), r#"Some(["x"])"#);
        check(&json!({"a": "On-Hold"}), |object| object.word("a", &[("on_hold", 1)]), "Some(1)");
        check(&json!({"a": null}), |object| object.text("a").map(|text| text.map(str::to_owned)), "None");
    }

    #[test]
    fn a_wrong_value_is_named_with_what_was_expected() {
        check(&json!({"a": 1}), |object| object.flag("a"), "`query.a` is `1`, expected true or false");
        check(
            &json!({"a": 1.5}),
            |object| object.whole("a", 1, 9),
            "`query.a` is `1.5`, expected a whole number from 1 to 9",
        );
        check(
            &json!({"a": []}),
            |object| object.texts("a"),
            "`query.a` is `[]`, expected a list of texts that is not empty",
        );
        check(
            &json!({"a": " "}),
            |object| object.text("a").map(|text| text.map(str::to_owned)),
            "`query.a` is `\" \"`, expected a text that is not empty",
        );
    }

    #[test]
    fn an_unknown_key_names_the_known_ones() {
        check(
            &json!({"dueDtae": 1}),
            |object| object.only(&["dueDate", "name"], &[]),
            "`query.dueDtae` is not known; did you mean `dueDate`? accepted here: dueDate, name",
        );
        check(
            &json!({"context": 1}),
            |object| object.only(&["tags"], &[("context", "use `tags`")]),
            "`query.context` is not known; use `tags`",
        );
    }
}
