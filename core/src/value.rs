//! One tree for every value that goes to an app or comes from one.

use serde_json::{Map, Value as Json, json};

/// A value as an app holds it.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `missing value`, or the result of a command that returns nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer or a real.
    Number(serde_json::Number),
    /// Text, whole.
    Text(String),
    /// A part of a long text.
    Excerpt(Excerpt),
    /// RFC 3339 with the local offset, for example `2026-01-27T10:30:00-05:00`.
    Date(String),
    /// Values in order.
    List(Vec<Self>),
    /// Named values, in the app's order; a name may be any text.
    Record(Vec<(String, Self)>),
    /// A POSIX path.
    File(String),
    /// Raw data, base64.
    Data {
        /// Base64. The script cuts long data.
        base64: String,
        /// The app's type code, if known.
        kind: String,
    },
    /// An object, as the JavaScript source that addresses it: `Application("Mail").inbox`.
    Object(String),
    /// A value that JSON cannot hold, as its source text.
    Other(String),
    /// A value that could not be read, although its neighbours could.
    Failed {
        /// The Apple event or script error number.
        number: i64,
        /// The text that came with it, in the language of the system.
        message: String,
    },
}

/// A part of a long text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The part, cut at code points.
    pub text: String,
    /// The offset of its first character in the whole text, in code points.
    pub from: usize,
    /// The length of the whole text, in code points.
    pub total: usize,
}

/// A reply that the prelude did not write.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the script returned {0}, which is not an encoded value")]
pub struct NotAValue(String);

impl Value {
    /// Reads a value as the prelude encodes it: JSON, with `{"$":kind,…}` for values that JSON does not have.
    ///
    /// # Errors
    /// The tag is unknown or its fields are missing.
    pub fn decode(json: &Json) -> Result<Self, NotAValue> {
        Ok(match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(*value),
            Json::Number(number) => Self::Number(number.clone()),
            Json::String(text) => Self::Text(text.clone()),
            Json::Array(items) => Self::List(items.iter().map(Self::decode).collect::<Result<_, _>>()?),
            Json::Object(fields) => Self::decode_tagged(fields).ok_or_else(|| NotAValue(short(json)))??,
        })
    }

    fn decode_tagged(fields: &Map<String, Json>) -> Option<Result<Self, NotAValue>> {
        let text = |name: &str| Some(fields.get(name)?.as_str()?.to_owned());
        let count = |name: &str| usize::try_from(fields.get(name)?.as_u64()?).ok();
        Some(Ok(match fields.get("$")?.as_str()? {
            "text" => {
                Self::Excerpt(Excerpt { text: text("v")?, from: count("from")?, total: count("total")? })
            }
            "date" => Self::Date(text("v")?),
            "file" => Self::File(text("v")?),
            "object" => Self::Object(text("v")?),
            "other" => Self::Other(text("v")?),
            "data" => Self::Data { base64: text("v")?, kind: text("type")? },
            "list" => return Some(Self::decode(fields.get("v").filter(|v| v.is_array())?)),
            "record" => return Some(Self::decode_record(fields.get("v")?.as_array()?)),
            "error" => {
                let message = text("message")?;
                Self::Failed { number: meant(fields.get("number")?.as_i64()?, &message), message }
            }
            _ => return None,
        }))
    }

    fn decode_record(pairs: &[Json]) -> Result<Self, NotAValue> {
        let pair = |pair: &Json| {
            let [Json::String(name), value] = pair.as_array().map(Vec::as_slice).unwrap_or_default() else {
                return Err(NotAValue(short(pair)));
            };
            Ok((name.clone(), Self::decode(value)?))
        };
        pairs.iter().map(pair).collect::<Result<_, _>>().map(Self::Record)
    }

    /// Writes the value as clients see it; `object` says how an object is shown.
    pub fn to_json(&self, object: &mut dyn FnMut(&str) -> Json) -> Json {
        match self {
            Self::Null => Json::Null,
            Self::Bool(value) => json!(value),
            Self::Number(number) => Json::Number(number.clone()),
            Self::Text(text) | Self::Date(text) | Self::File(text) | Self::Other(text) => json!(text),
            Self::Excerpt(excerpt) => json!(excerpt.text),
            Self::List(items) => items.iter().map(|item| item.to_json(object)).collect(),
            Self::Record(fields) => {
                fields.iter().map(|(name, value)| (name.clone(), value.to_json(object))).collect()
            }
            Self::Data { base64, kind } => json!({ "data": base64, "type": kind }),
            Self::Object(source) => object(source),
            Self::Failed { .. } => Json::Null,
        }
    }
}

/// System Events has one number for an index where nothing is, and for a read that needs Accessibility.
pub(crate) const BAD_INDEX: i64 = -1719;
/// Where Accessibility is missing, it also refuses with this number.
pub(crate) const NO_ACCESSIBILITY: i64 = -25_211;
const ASSISTIVE: &str = "assistive access";

/// The number that an error would have if each number meant one thing. Only the text tells a read that needs
/// Accessibility, and only in English.
pub(crate) fn meant(number: i64, message: &str) -> i64 {
    let is_refusal = number == BAD_INDEX && message.to_lowercase().contains(ASSISTIVE);
    if is_refusal { NO_ACCESSIBILITY } else { number }
}

fn short(json: &Json) -> String {
    let text = json.to_string();
    text.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(encoded: &str, shown: &str) {
        let encoded: Json = serde_json::from_str(encoded).expect("the test's own JSON");
        let value = Value::decode(&encoded).expect("a value");
        let json = value.to_json(&mut |source| json!({ "object": source }));
        assert_eq!(json.to_string(), shown);
    }

    #[test]
    fn what_json_has_stays() {
        check("null", "null");
        check("[1,2.5,true,\"x\"]", "[1,2.5,true,\"x\"]");
    }

    #[test]
    fn what_json_has_not_is_tagged() {
        check(r#"{"$":"date","v":"2026-01-27T10:30:00-05:00"}"#, "\"2026-01-27T10:30:00-05:00\"");
        check(r#"{"$":"file","v":"/a b"}"#, "\"/a b\"");
        check(r#"{"$":"text","v":"ab","from":0,"total":9}"#, "\"ab\"");
        check(r#"{"$":"data","v":"AAE=","type":"tiff"}"#, r#"{"data":"AAE=","type":"tiff"}"#);
        check(r#"{"$":"object","v":"Application(\"Mail\")"}"#, r#"{"object":"Application(\"Mail\")"}"#);
        check(r#"{"$":"other","v":"Infinity"}"#, "\"Infinity\"");
        check(r#"{"$":"error","number":-1728,"message":"gone"}"#, "null");
    }

    #[test]
    fn a_record_may_have_any_key() {
        check(r#"{"$":"record","v":[["__proto__",1],["$","date"]]}"#, r#"{"__proto__":1,"$":"date"}"#);
    }

    #[test]
    fn what_is_not_encoded_is_refused() {
        for wrong in
            [r#"{"a":1}"#, r#"{"$":"date"}"#, r#"{"$":"new","v":1}"#, r#"{"$":"record","v":[[1,2]]}"#]
        {
            let json: Json = serde_json::from_str(wrong).expect("the test's own JSON");
            assert!(Value::decode(&json).is_err(), "{wrong}");
        }
    }
}
