//! Validates values against the parts of JSON Schema that are about types and ranges.
//!
//! `pattern`, `patternProperties` and `format` are not checked: the host would run a plugin's regular expression
//! outside the sandbox.
//! `$ref` is not allowed. A library would check all of it, but is three times as much code as the rest of this crate.

use serde_json::{Map, Value as Json};

use crate::failure::line;

/// The most characters to show of a value that does not fit, and of its place. An error is one line, and an author
/// may nest names without end.
const SHOWN: usize = 80;
const PLACE: usize = 200;

const TYPES: [&str; 7] = ["object", "array", "string", "integer", "number", "boolean", "null"];

/// Finds a fault in a schema, and its place: a keyword with an invalid value, or a property that is both required and
/// forbidden. Unknown keywords may have any value.
pub(crate) fn fault(schema: &Json) -> Option<String> {
    form(schema, "")
}

fn form(schema: &Json, place: &str) -> Option<String> {
    let Json::Object(words) = schema else {
        return (!schema.is_boolean()).then(|| wrong(place, schema, "a schema"));
    };
    words.iter().find_map(|(word, value)| word_form(word, value, &below(place, word))).or_else(|| {
        let name = ungiven(words)?;
        let place = below(place, "required");
        Some(format!("has `{place}` with {name}, which is not in `properties`, and no others are allowed"))
    })
}

fn word_form(word: &str, value: &Json, place: &str) -> Option<String> {
    let (fits, expected) = match word {
        "properties" | "patternProperties" | "$defs" | "dependentSchemas" => match value {
            Json::Object(named) => {
                return named.iter().find_map(|(name, schema)| form(schema, &below(place, name)));
            }
            _ => (false, "an object of schemas"),
        },
        "items" | "additionalProperties" | "contains" | "propertyNames" | "not" | "if" | "then" | "else" => {
            return form(value, place);
        }
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => match value {
            Json::Array(forms) if !forms.is_empty() => {
                let mut forms = forms.iter().enumerate();
                return forms.find_map(|(index, schema)| form(schema, &format!("{place}[{index}]")));
            }
            _ => (false, "a list of schemas"),
        },
        "type" => {
            let names = value.as_array().map_or_else(|| vec![value], |names| names.iter().collect());
            let known = |name: &&Json| name.as_str().is_some_and(|name| TYPES.contains(&name));
            (
                !names.is_empty() && names.iter().all(known),
                "object, array, string, integer, number, boolean or null",
            )
        }
        "required" => {
            let texts = value.as_array().is_some_and(|names| names.iter().all(Json::is_string));
            (texts, "a list of texts")
        }
        "enum" => (value.as_array().is_some_and(|values| !values.is_empty()), "a list of values"),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => (value.is_number(), "a number"),
        "multipleOf" => (value.as_f64().is_some_and(|number| number > 0.0), "a number above 0"),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            (value.is_u64(), "a whole number from 0")
        }
        "uniqueItems" => (value.is_boolean(), "true or false"),
        "title" | "description" | "format" => (value.is_string(), "a text"),
        "pattern" => (value.as_str().is_some_and(is_pattern), "a regular expression"),
        _ => return None,
    };
    (!fits).then(|| wrong(place, value, expected))
}

/// Finds a property that is required but that `additionalProperties` forbids.
fn ungiven(words: &Map<String, Json>) -> Option<&Json> {
    if words.get("additionalProperties") != Some(&Json::Bool(false))
        || words.contains_key("patternProperties")
    {
        return None;
    }
    let known = words.get("properties").and_then(Json::as_object);
    let is_known = |name: &str| known.is_some_and(|known| known.contains_key(name));
    words.get("required")?.as_array()?.iter().find(|name| name.as_str().is_some_and(|name| !is_known(name)))
}

/// Tells whether a string can be a regular expression. Clients accept forms that this parser does not, such as
/// look-around, so only what is wrong in every dialect is refused.
fn is_pattern(text: &str) -> bool {
    use regex_syntax::ast::ErrorKind;
    let parsed = regex_syntax::ast::parse::Parser::new().parse(text);
    !parsed.is_err_and(|error| {
        let kinds = [ErrorKind::GroupUnclosed, ErrorKind::GroupUnopened, ErrorKind::RepetitionMissing];
        kinds.contains(error.kind()) || *error.kind() == ErrorKind::EscapeUnexpectedEof
    })
}

fn wrong(place: &str, value: &Json, expected: &str) -> String {
    format!("has {} for `{}`, expected {expected}", line(&value.to_string(), SHOWN), line(place, PLACE))
}

fn below(place: &str, name: &str) -> String {
    if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") }
}

/// Returns where and how a value does not fit; `None` if it fits.
pub(crate) fn misfit(schema: &Json, value: &Json) -> Option<String> {
    let (place, wrong) = at(schema, value, String::new())?;
    Some(if place.is_empty() { wrong } else { format!("`{}` {wrong}", line(&place, PLACE)) })
}

type Misfit = Option<(String, String)>;

fn at(schema: &Json, value: &Json, place: String) -> Misfit {
    let Json::Object(words) = schema else {
        return (schema == &Json::Bool(false)).then(|| (place, "is not allowed".to_owned()));
    };
    if let Some(wrong) = itself(words, value) {
        return Some((place, wrong));
    }
    let inner = match value {
        Json::Object(fields) => object(words, fields, &place),
        Json::Array(items) => {
            let schema = words.get("items");
            // `items` is about the items after those of `prefixItems`.
            let first = words.get("prefixItems").and_then(Json::as_array).map_or(0, Vec::len);
            let each =
                |(index, item)| schema.and_then(|schema| at(schema, item, format!("{place}[{index}]")));
            items.iter().enumerate().skip(first).find_map(each)
        }
        _ => None,
    };
    inner.or_else(|| choices(words, value, place))
}

/// Checks the value itself, without its members.
fn itself(words: &Map<String, Json>, value: &Json) -> Option<String> {
    let is = || line(&value.to_string(), SHOWN);
    if let Some(named) = words.get("type") {
        let names: Vec<&str> = match named {
            Json::Array(names) => names.iter().filter_map(Json::as_str).collect(),
            name => name.as_str().into_iter().collect(),
        };
        if !names.iter().any(|name| is_of(name, value)) {
            return Some(format!("is {}, expected {}", is(), names.join(" or ")));
        }
    }
    if let Some(Json::Array(values)) =
        words.get("enum").filter(|it| it.as_array().is_some_and(|it| !it.contains(value)))
    {
        let values: Vec<String> = values.iter().take(20).map(Json::to_string).collect();
        return Some(format!("is {}, expected one of {}", is(), values.join(", ")));
    }
    if let Some(only) = words.get("const").filter(|only| *only != value) {
        return Some(format!("is {}, expected {only}", is()));
    }
    let (measured, least, most) = match value {
        Json::Number(number) => (number.as_f64()?, "minimum", "maximum"),
        Json::String(text) => (count(text.chars().count()), "minLength", "maxLength"),
        Json::Array(items) => (count(items.len()), "minItems", "maxItems"),
        _ => return None,
    };
    let bound = |word: &str| words.get(word).and_then(Json::as_f64);
    let of = |word: &str| if word.ends_with("imum") { "" } else { " characters or items" };
    if let Some(bound) = bound(least).filter(|bound| measured < *bound) {
        return Some(format!("is {}, expected at least {bound}{}", is(), of(least)));
    }
    if let Some(bound) = bound(most).filter(|bound| measured > *bound) {
        return Some(format!("is {}, expected at most {bound}{}", is(), of(most)));
    }
    let is_number = value.is_number();
    if let Some(bound) = bound("exclusiveMinimum").filter(|bound| is_number && measured <= *bound) {
        return Some(format!("is {}, expected more than {bound}", is()));
    }
    let bound = bound("exclusiveMaximum").filter(|bound| is_number && measured >= *bound)?;
    Some(format!("is {}, expected less than {bound}", is()))
}

fn count(length: usize) -> f64 {
    u32::try_from(length).map_or(f64::MAX, f64::from)
}

fn object(words: &Map<String, Json>, fields: &Map<String, Json>, place: &str) -> Misfit {
    let required =
        words.get("required").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str);
    for name in required {
        if !fields.contains_key(name) {
            return Some((below(place, name), "is missing".to_owned()));
        }
    }
    let known = words.get("properties").and_then(Json::as_object);
    fields.iter().find_map(|(name, value)| match known.and_then(|known| known.get(name)) {
        Some(schema) => at(schema, value, below(place, name)),
        // A pattern may match the name, and patterns are not run here.
        None if words.contains_key("patternProperties") => None,
        None => match words.get("additionalProperties") {
            Some(Json::Bool(false)) => {
                let names = known.map(|known| known.keys().cloned().collect::<Vec<_>>().join(", "));
                Some((
                    below(place, name),
                    format!("is not known, expected one of {}", names.unwrap_or_default()),
                ))
            }
            Some(schema) => at(schema, value, below(place, name)),
            None => None,
        },
    })
}

fn choices(words: &Map<String, Json>, value: &Json, place: String) -> Misfit {
    let list = |word: &str| words.get(word).and_then(Json::as_array);
    let fits = |schema: &&Json| at(schema, value, String::new()).is_none();
    if let Some(wrong) =
        list("allOf").into_iter().flatten().find_map(|schema| at(schema, value, place.clone()))
    {
        return Some(wrong);
    }
    // For `anyOf` the first form is the most likely one: its error is the hint, and the message counts the other
    // forms.
    if let Some(forms) = list("anyOf").filter(|forms| !forms.iter().any(|form| fits(&form))) {
        return Some((place, format!("fits none of {} forms", forms.len())));
    }
    if let Some(forms) = list("oneOf") {
        match forms.iter().filter(fits).count() {
            1 => {}
            found => return Some((place, format!("fits {found} of {} forms, expected one", forms.len()))),
        }
    }
    let not = words.get("not").filter(fits)?;
    Some((place, format!("is of the form {}, which is not allowed", line(&not.to_string(), SHOWN))))
}

fn is_of(name: &str, value: &Json) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        _ => value.is_null(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(property: Json, value: Json, expected: &str) {
        let schema = json!({"type": "object", "properties": {"a": property}, "additionalProperties": false});
        assert_eq!(misfit(&schema, &json!({"a": value})).unwrap_or_default(), expected);
    }

    #[test]
    fn what_does_not_fit_has_a_place_and_an_expectation() {
        check(json!({"type": "integer"}), json!(3), "");
        check(json!({"type": "integer"}), json!(3.0), "");
        check(json!({"type": "integer"}), json!("x"), "`a` is \"x\", expected integer");
        check(json!({"type": ["string", "null"]}), json!(1), "`a` is 1, expected string or null");
        check(json!({"maximum": 10}), json!(99), "`a` is 99, expected at most 10");
        check(json!({"minimum": 1}), json!(0), "`a` is 0, expected at least 1");
        check(json!({"exclusiveMinimum": 1}), json!(1), "`a` is 1, expected more than 1");
        check(json!({"exclusiveMaximum": 1}), json!(1), "`a` is 1, expected less than 1");
        check(json!({"maxLength": 1}), json!("ab"), "`a` is \"ab\", expected at most 1 characters or items");
        check(json!({"minItems": 1}), json!([]), "`a` is [], expected at least 1 characters or items");
        check(json!({"enum": ["x", "y"]}), json!("z"), "`a` is \"z\", expected one of \"x\", \"y\"");
        check(json!({"const": 1}), json!(2), "`a` is 2, expected 1");
        check(json!({"items": {"type": "string"}}), json!(["x", 1]), "`a[1]` is 1, expected string");
        check(json!({"properties": {"b": {"type": "null"}}}), json!({"b": 1}), "`a.b` is 1, expected null");
        check(json!({"required": ["b"]}), json!({}), "`a.b` is missing");
        check(
            json!({"additionalProperties": {"type": "null"}}),
            json!({"c": 1}),
            "`a.c` is 1, expected null",
        );
        check(json!({"anyOf": [{"type": "null"}, {"type": "string"}]}), json!(1), "`a` fits none of 2 forms");
        check(
            json!({"oneOf": [{"minimum": 1}, {"minimum": 2}]}),
            json!(3),
            "`a` fits 2 of 2 forms, expected one",
        );
        check(json!({"allOf": [{"type": "null"}]}), json!(1), "`a` is 1, expected null");
        check(
            json!({"not": {"type": "null"}}),
            json!(null),
            "`a` is of the form {\"type\":\"null\"}, which is not allowed",
        );
        check(json!(false), json!(1), "`a` is not allowed");
        check(json!(true), json!(1), "");
        let closed = json!({"properties": {"a": {}}, "additionalProperties": false});
        assert_eq!(misfit(&closed, &json!({"b": 1})).as_deref(), Some("`b` is not known, expected one of a"));
        assert_eq!(misfit(&json!({"type": "object"}), &json!(1)).as_deref(), Some("is 1, expected object"));
    }

    #[test]
    fn what_a_pattern_may_allow_is_not_refused() {
        let named = json!({"patternProperties": {"^x-": {}}, "additionalProperties": false});
        check(named, json!({"x-a": 1}), "");
        let tuple = json!({"prefixItems": [{"type": "integer"}], "items": {"type": "string"}});
        check(tuple.clone(), json!([1, "x"]), "");
        check(tuple, json!([1, 2]), "`a[1]` is 2, expected string");
    }

    #[test]
    fn a_schema_that_no_client_can_use_is_refused() {
        let check = |schema: Json, expected: Option<&str>| {
            assert_eq!(fault(&schema).as_deref(), expected, "{schema}");
        };
        let of = |property: Json| json!({"type": "object", "properties": {"a": property}});
        check(json!({"properties": {"type": {"type": "string"}}}), None);
        check(json!({"properties": {"required": {"default": {"type": "tags"}}}}), None);
        check(
            of(json!({"type": "numbr"})),
            Some(
                "has \"numbr\" for `properties.a.type`, expected object, array, string, integer, number, boolean or null",
            ),
        );
        check(
            of(json!({"minimum": "zero"})),
            Some("has \"zero\" for `properties.a.minimum`, expected a number"),
        );
        check(
            of(json!({"maxLength": -1})),
            Some("has -1 for `properties.a.maxLength`, expected a whole number from 0"),
        );
        check(
            of(json!({"pattern": "("})),
            Some("has \"(\" for `properties.a.pattern`, expected a regular expression"),
        );
        for pattern in ["^[a-z]+$", "(?=a)b", "[[]", r"\d{1,2}\/\p{L}", "(?<year>[0-9]+)"] {
            check(of(json!({ "pattern": pattern })), None);
        }
        check(of(json!("string")), Some("has \"string\" for `properties.a`, expected a schema"));
        check(of(json!({"enum": "x"})), Some("has \"x\" for `properties.a.enum`, expected a list of values"));
        check(of(json!({"oneOf": []})), Some("has [] for `properties.a.oneOf`, expected a list of schemas"));
        check(
            of(json!({"items": {"anyOf": [{}, {"uniqueItems": 1}]}})),
            Some("has 1 for `properties.a.items.anyOf[1].uniqueItems`, expected true or false"),
        );
        check(json!({"required": "title"}), Some("has \"title\" for `required`, expected a list of texts"));
        check(json!({"required": ["b"], "properties": {"a": {}}}), None);
        check(
            json!({"required": ["a", "b"], "properties": {"a": {}}, "additionalProperties": false}),
            Some("has `required` with \"b\", which is not in `properties`, and no others are allowed"),
        );
    }
}
