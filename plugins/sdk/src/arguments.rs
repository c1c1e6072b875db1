//! The arguments of a call, read by name.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

use crate::Fault;

/// The arguments of a call: a JSON object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments(Map<String, Json>);

impl Arguments {
    /// Reads the JSON text of an object.
    ///
    /// # Errors
    /// `invalid_parameter` where it is no object.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        match serde_json::from_str(text) {
            Ok(Json::Object(map)) => Ok(Self(map)),
            Ok(other) => Err(Fault::invalid(format!("arguments are `{other}`, expected an object"))),
            Err(error) => Err(Fault::invalid(format!("arguments are no JSON: {error}"))),
        }
    }

    /// Returns an argument; one that is null counts as left out.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// Returns a text argument.
    ///
    /// # Errors
    /// `invalid_parameter` where it is there and no text.
    pub fn text(&self, name: &str) -> Result<Option<&str>, Fault> {
        self.read(name, "a text", Json::as_str)
    }

    /// Returns a whole number of 0 or more.
    ///
    /// # Errors
    /// `invalid_parameter` where it is there and no such number.
    pub fn number(&self, name: &str) -> Result<Option<u64>, Fault> {
        self.read(name, "a whole number of 0 or more", Json::as_u64)
    }

    /// Returns a truth value.
    ///
    /// # Errors
    /// `invalid_parameter` where it is there and neither true nor false.
    pub fn flag(&self, name: &str) -> Result<Option<bool>, Fault> {
        self.read(name, "true or false", Json::as_bool)
    }

    /// Reads all arguments as a type of the plugin's own.
    ///
    /// # Errors
    /// `invalid_parameter` where they do not fit.
    pub fn into<T: DeserializeOwned>(self) -> Result<T, Fault> {
        serde_json::from_value(Json::Object(self.0)).map_err(|error| Fault::invalid(error.to_string()))
    }

    fn read<'a, T>(
        &'a self,
        name: &str,
        expected: &str,
        read: impl Fn(&'a Json) -> Option<T>,
    ) -> Result<Option<T>, Fault> {
        let Some(value) = self.get(name) else { return Ok(None) };
        match read(value) {
            Some(value) => Ok(Some(value)),
            None => Err(Fault::invalid(format!("`{name}` is `{value}`, expected {expected}"))),
        }
    }
}

impl From<Map<String, Json>> for Arguments {
    fn from(map: Map<String, Json>) -> Self {
        Self(map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, read: impl Fn(&Arguments) -> Result<String, Fault>, expected: &str) {
        let got = match Arguments::parse(text).and_then(|arguments| read(&arguments)) {
            Ok(value) => value,
            Err(fault) => format!("{}: {}", fault.code, fault.message),
        };
        assert_eq!(got, expected, "{text}");
    }

    #[test]
    fn arguments_are_read_by_name_and_kind() {
        let number = |arguments: &Arguments| Ok(format!("{:?}", arguments.number("n")?));
        check(r#"{"n":3}"#, number, "Some(3)");
        check(r#"{"n":null}"#, number, "None");
        check("{}", number, "None");
        check(r#"{"n":-1}"#, number, "invalid_parameter: `n` is `-1`, expected a whole number of 0 or more");
        check(
            r#"{"n":"3"}"#,
            number,
            r#"invalid_parameter: `n` is `"3"`, expected a whole number of 0 or more"#,
        );
        check("[1]", number, "invalid_parameter: arguments are `[1]`, expected an object");
        check(r#"{"n":"x"}"#, |arguments| Ok(format!("{:?}", arguments.text("n")?)), r#"Some("x")"#);
        check(r#"{"n":true}"#, |arguments| Ok(format!("{:?}", arguments.flag("n")?)), "Some(true)");
    }
}
