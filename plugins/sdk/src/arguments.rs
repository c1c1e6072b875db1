//! The arguments of a call, read by name.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

use crate::{Fault, Object};

/// The arguments of a call: a JSON object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments(Map<String, Json>);

impl Arguments {
    /// Reads the JSON text of an object.
    ///
    /// # Errors
    /// `invalid_parameter` if it is not an object.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        match serde_json::from_str(text) {
            Ok(Json::Object(map)) => Ok(Self(map)),
            Ok(other) => Err(Fault::invalid(format!("arguments are `{other}`, expected an object"))),
            Err(error) => Err(Fault::invalid(format!("the arguments are not JSON: {error}"))),
        }
    }

    /// Returns an argument; one that is null counts as left out.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// Returns them as an object to read by name.
    pub fn object(&self) -> Object<'_> {
        Object::root("", &self.0)
    }

    /// Takes the object around all arguments, such as `query`.
    ///
    /// Models forget it, or write it as JSON text. Both are repaired, because the meaning is certain: the key `sign`
    /// occurs only in the content, so its presence shows that the envelope is missing.
    ///
    /// # Errors
    /// `invalid_parameter` if it is missing, is not an object, or has another key beside it.
    pub fn envelope(self, name: &str, sign: &str) -> Result<Map<String, Json>, Fault> {
        if !self.0.contains_key(name) && self.0.contains_key(sign) {
            return Ok(self.0);
        }
        self.object().only(&[name], &[])?;
        let form = format!("an object such as {{\"{name}\":{{\"{sign}\":…}}}}");
        match self.0.get(name) {
            Some(Json::Object(map)) => Ok(map.clone()),
            Some(value) => match value.as_str().and_then(|text| serde_json::from_str(text).ok()) {
                Some(Json::Object(map)) => Ok(map),
                _ => Err(Fault::expected(name, value, &form)),
            },
            None => Err(Fault::invalid(format!("`{name}` is missing, expected {form}"))),
        }
    }

    /// Reads all arguments as a type of the plugin's own.
    ///
    /// # Errors
    /// `invalid_parameter` if they do not fit.
    pub fn into<T: DeserializeOwned>(self) -> Result<T, Fault> {
        serde_json::from_value(Json::Object(self.0)).map_err(|error| Fault::invalid(error.to_string()))
    }
}

impl From<Map<String, Json>> for Arguments {
    fn from(map: Map<String, Json>) -> Self {
        Self(map)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(text: &str, read: impl Fn(&Arguments) -> Result<String, Fault>, expected: &str) {
        let got = match Arguments::parse(text).and_then(|arguments| read(&arguments)) {
            Ok(value) => value,
            Err(fault) => format!("{}: {}", fault.code, fault.message),
        };
        assert_eq!(got, expected, "{text}");
    }

    #[test]
    fn arguments_are_an_object() {
        let number = |arguments: &Arguments| Ok(format!("{:?}", arguments.object().whole("n", 0, 9)?));
        check(r#"{"n":3}"#, number, "Some(3)");
        check(r#"{"n":null}"#, number, "None");
        check(r#"{"n":-1}"#, number, "invalid_parameter: `n` is `-1`, expected a whole number from 0 to 9");
        check("[1]", number, "invalid_parameter: arguments are `[1]`, expected an object");
        check(
            "{",
            number,
            "invalid_parameter: the arguments are not JSON: EOF while parsing an object at line 1 column 1",
        );
    }

    #[test]
    fn a_forgotten_envelope_is_put_back() {
        let form = "expected an object such as {\"query\":{\"type\":…}}";
        let query = |text: &str, expected: &str| {
            let read = |arguments: &Arguments| {
                arguments.clone().envelope("query", "type").map(|map| json!(map).to_string())
            };
            check(text, read, expected);
        };
        for text in
            [r#"{"query":{"type":"tags"}}"#, r#"{"query":"{\"type\":\"tags\"}"}"#, r#"{"type":"tags"}"#]
        {
            query(text, r#"{"type":"tags"}"#);
        }
        query("{}", &format!("invalid_parameter: `query` is missing, {form}"));
        query(r#"{"query":3}"#, &format!("invalid_parameter: `query` is `3`, {form}"));
        query(r#"{"querry":{}}"#, "invalid_parameter: `querry` is not known");
    }
}
