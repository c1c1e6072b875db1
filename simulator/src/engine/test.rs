//! Parses a filter as a script writes it: `{subject: {_contains: 'x'}}`.

use super::convert::Helpers;
use crate::os_error::{Answer, BAD_TEST, COERCION, OsError};
use crate::value::Value;
use crate::value::specifier::{Filter, Operator, Root, Specifier, Step, Test, TextRules};
use rquickjs::{Array, Object, Value as Js};

/// The result of parsing a part of a filter: the outer error is the engine's failure, the inner one is for the
/// script.
type Read<T> = rquickjs::Result<Answer<T>>;

/// Unwraps a [`Read`], and returns early with a refusal.
macro_rules! read {
    ($read:expr) => {
        match $read? {
            Ok(value) => value,
            Err(error) => return Ok(Err(error)),
        }
    };
}

fn refused<T>() -> Read<T> {
    Ok(Err(OsError::of(COERCION)))
}

/// Reads the arguments of `whose`.
pub(super) fn filter<'js>(helpers: &Helpers<'js>, written: &Object<'js>) -> Read<Filter> {
    let test = read!(test(helpers, &written.get("test")?));
    let rules = match written.get::<_, Option<Object<'js>>>("modifiers")? {
        Some(modifiers) => rules(&modifiers)?,
        None => TextRules::default(),
    };
    Ok(Ok(Filter { test, rules }))
}

/// Parses one test: an object in which every key must hold.
fn test<'js>(helpers: &Helpers<'js>, value: &Js<'js>) -> Read<Test> {
    let plain = value.as_object().filter(|_| !value.is_function() && !value.is_array());
    let Some(object) = plain else { return refused() };
    let mut tests = Vec::new();
    for entry in object.props::<String, Js<'js>>() {
        let (key, value) = entry?;
        tests.push(read!(one(helpers, &key, &value)));
    }
    Ok(Ok(match tests.len() {
        0 => return refused(),
        1 => tests.remove(0),
        _ => Test::All(tests),
    }))
}

/// Parses the condition of one key.
fn one<'js>(helpers: &Helpers<'js>, key: &str, value: &Js<'js>) -> Read<Test> {
    match key {
        "_and" => Ok(tests(helpers, value)?.map(Test::All)),
        "_or" => Ok(tests(helpers, value)?.map(Test::Any)),
        "_not" => Ok(tests(helpers, value)?.map(Test::None)),
        "_match" => matching(helpers, value),
        _ => named(helpers, key, value),
    }
}

fn tests<'js>(helpers: &Helpers<'js>, value: &Js<'js>) -> Read<Vec<Test>> {
    let Some(list) = value.as_array() else { return refused() };
    let mut tests = Vec::with_capacity(list.len());
    for item in list.iter::<Js<'js>>() {
        tests.push(read!(test(helpers, &item?)));
    }
    if tests.is_empty() { refused() } else { Ok(Ok(tests)) }
}

/// `{_match: [ObjectSpecifier().status, 'done']}`
fn matching<'js>(helpers: &Helpers<'js>, value: &Js<'js>) -> Read<Test> {
    let pair: Option<&Array<'js>> = value.as_array().filter(|pair| pair.len() == 2);
    let Some(pair) = pair else { return refused() };
    let Value::Object(left) = read!(helpers.read(&pair.get(0)?)) else { return refused() };
    let right = read!(comparable(helpers, &pair.get(1)?));
    Ok(Ok(Test::Compare { left, operator: Operator::Equals, right, by_name: false }))
}

/// `{subject: 'x'}` or `{subject: {_contains: 'x'}}`
fn named<'js>(helpers: &Helpers<'js>, key: &str, value: &Js<'js>) -> Read<Test> {
    let it = Specifier::root(Root::It);
    let left = Specifier::then(Root::It, Step::Member { of: it, identifier: key.into() });
    if is_negation(value)? {
        return Ok(Err(OsError::of(BAD_TEST)));
    }
    let (operator, value) = match operator(value)? {
        Some(pair) => pair,
        None => (Operator::Equals, value.clone()),
    };
    let right = read!(comparable(helpers, &value));
    Ok(Ok(Test::Compare { left, operator, right, by_name: true }))
}

/// Whether a value is `{_not: …}` or `{'!=': …}`, which no app accepts below a property.
fn is_negation(value: &Js<'_>) -> rquickjs::Result<bool> {
    let Some(object) = value.as_object().filter(|_| !value.is_function() && !value.is_array()) else {
        return Ok(false);
    };
    Ok(object.contains_key("_not")? || object.contains_key("!=")?)
}

/// Returns the operator and the value of `{_contains: 'x'}`.
fn operator<'js>(value: &Js<'js>) -> rquickjs::Result<Option<(Operator, Js<'js>)>> {
    let Some(object) = value.as_object().filter(|_| !value.is_function() && !value.is_array()) else {
        return Ok(None);
    };
    let mut entries = object.props::<String, Js<'js>>();
    let (Some(entry), None) = (entries.next(), entries.next()) else { return Ok(None) };
    let (key, value) = entry?;
    Ok(Operator::of(&key).map(|operator| (operator, value)))
}

/// Converts the value to compare with. Records and lists cannot be compared.
fn comparable<'js>(helpers: &Helpers<'js>, value: &Js<'js>) -> Read<Value> {
    match helpers.read(value)? {
        Ok(Value::Record(_) | Value::List(_)) => refused(),
        other => Ok(other),
    }
}

/// Parses `{ignoring: 'case', considering: ['hyphens']}`. Unknown words are ignored, as in events.
fn rules(modifiers: &Object<'_>) -> rquickjs::Result<TextRules> {
    let mut rules = TextRules::default();
    for (key, ignored) in [("ignoring", true), ("considering", false)] {
        let words: Js<'_> = modifiers.get(key)?;
        let words: Vec<String> = match words.as_array() {
            Some(list) => list.iter::<String>().collect::<Result<_, _>>()?,
            None => words.as_string().map(|word| word.to_string()).transpose()?.into_iter().collect(),
        };
        for word in words {
            match word.as_str() {
                "case" => rules.case = ignored,
                "diacriticals" => rules.diacriticals = ignored,
                "white space" => rules.white_space = ignored,
                "hyphens" => rules.hyphens = ignored,
                "punctuation" => rules.punctuation = ignored,
                _ => (),
            }
        }
    }
    Ok(rules)
}
