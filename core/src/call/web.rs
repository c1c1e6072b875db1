//! A request of a plugin to a web server; no tool makes one.

use data_encoding::BASE64;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value as Json, json};

use super::script::hex;
use crate::Millis;
use crate::words::Level;

/// One request. The shell has checked that the operator granted the host and the method to the plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebCall {
    /// The host, as it was granted.
    pub host: String,
    /// The method.
    pub method: Method,
    /// The whole address, in the spelling that is sent.
    pub url: String,
    /// The headers of the plugin, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body of the request.
    #[serde(serialize_with = "encoded", deserialize_with = "decoded")]
    pub body: Vec<u8>,
    /// The secrets that the shell adds. The plugin never sees their values, and neither does the core.
    pub secrets: Vec<Secret>,
    /// How long the whole answer may take.
    pub deadline: Millis,
}

/// A secret of the operator, which goes into one header.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Secret {
    /// Its name in the package.
    pub key: String,
    /// The name of the header, in lower case.
    pub header: String,
    /// The text before the value, such as `Bearer `.
    pub prefix: String,
}

/// The HTTP methods of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[expect(missing_docs, reason = "they are those of HTTP")]
pub enum Method {
    Get,
    Head,
    Post,
    Put,
    Patch,
    Delete,
}

/// Each method with its name in rules and questions, and its code there.
const METHODS: [(Method, &str, &str, &str); 6] = [
    (Method::Get, "GET", "http get", "iac?hget"),
    (Method::Head, "HEAD", "http head", "iac?hhea"),
    (Method::Post, "POST", "http post", "iac?hpos"),
    (Method::Put, "PUT", "http put", "iac?hput"),
    (Method::Patch, "PATCH", "http patch", "iac?hpat"),
    (Method::Delete, "DELETE", "http delete", "iac?hdel"),
];

impl Method {
    /// Reads the HTTP name of a method.
    pub fn parse(name: &str) -> Option<Self> {
        METHODS.iter().find(|(_, known, ..)| *known == name).map(|(method, ..)| *method)
    }

    /// The HTTP name of the method.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Its name and its code in rules and grants. Dictionaries have no command of this name.
    pub(crate) fn term(self) -> (&'static str, &'static str) {
        let (_, _, term, code) = self.row();
        (term, code)
    }

    /// The names and codes of all methods.
    pub(crate) fn terms() -> impl Iterator<Item = (&'static str, &'static str)> {
        METHODS.iter().map(|(_, _, term, code)| (*term, *code))
    }

    /// How much harm a request can do. A sent request cannot be taken back, and the server decides what it means.
    pub fn level(self) -> Level {
        if matches!(self, Self::Get | Self::Head) { Level::Safe } else { Level::Dangerous }
    }

    fn row(self) -> &'static (Self, &'static str, &'static str, &'static str) {
        METHODS
            .iter()
            .find(|(method, ..)| *method == self)
            .expect("every method has a row: a test reads them")
    }
}

impl WebCall {
    /// The host's address in place of an app's bundle id. No app has this id.
    pub fn app(&self) -> String {
        format!("https://{}", self.host)
    }

    /// Its arguments, for the audit log; a body is identified by its digest.
    pub fn arguments(&self) -> Map<String, Json> {
        let headers: Map<String, Json> =
            self.headers.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        let secrets: Vec<&str> = self.secrets.iter().map(|secret| secret.key.as_str()).collect();
        let said = json!({
            "method": self.method, "url": self.url, "headers": headers, "secrets": secrets,
            "bytes": self.body.len(), "sha256": hex(&self.body),
        });
        match said {
            Json::Object(fields) => fields,
            _ => Map::new(),
        }
    }
}

fn encoded<S: Serializer>(bytes: &[u8], into: S) -> Result<S::Ok, S::Error> {
    into.serialize_str(&BASE64.encode(bytes))
}

fn decoded<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(from)?;
    BASE64.decode(text.as_bytes()).map_err(serde::de::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_a_row() {
        use Method::{Delete, Get, Head, Patch, Post, Put};
        for (method, level) in [
            (Get, Level::Safe),
            (Head, Level::Safe),
            (Post, Level::Dangerous),
            (Put, Level::Dangerous),
            (Patch, Level::Dangerous),
            (Delete, Level::Dangerous),
        ] {
            assert_eq!((Method::parse(method.name()), method.level()), (Some(method), level));
            assert_eq!(json!(method), method.name(), "one spelling everywhere");
            assert_eq!(method.term().1.chars().count(), 8);
        }
        assert_eq!((Method::parse("get"), Method::parse("CONNECT")), (None, None));
    }
}
