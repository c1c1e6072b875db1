//! Filters: tests whether an object passes, and compares values as apps do.

use crate::os_error::{Answer, COERCION, refuse};
use crate::resolve::{Found, View};
use crate::schema::Kind;
use crate::value::specifier::{Filter, Operator, Specifier, Step, Test, TextRules};
use crate::value::{ObjectId, Value};
use std::cmp::Ordering;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

impl View<'_> {
    /// Whether an object passes a filter.
    ///
    /// # Errors
    /// The object lacks a property that the test names, or two values cannot be compared.
    pub(crate) fn passes(&self, id: ObjectId, filter: &Filter) -> Answer<bool> {
        self.holds(id, &filter.test, filter.rules)
    }

    fn holds(&self, id: ObjectId, test: &Test, rules: TextRules) -> Answer<bool> {
        let each = |tests: &[Test], stop: bool| {
            for test in tests {
                if self.holds(id, test, rules)? == stop {
                    return Ok(stop);
                }
            }
            Ok(!stop)
        };
        match test {
            Test::All(tests) => each(tests, false),
            Test::Any(tests) => each(tests, true),
            Test::None(tests) => each(tests, true).map(|any| !any),
            Test::Compare { left, operator, right, by_name } => {
                if *by_name && self.is_enumeration(id, left) {
                    return refuse(COERCION);
                }
                let left = self.resolve_from(left, id)?;
                self.compare(&self.comparable(left), *operator, right, rules)
            }
        }
    }

    /// Whether a test's left side is a property whose value is an enumerator. The short form of a test sends a string
    /// for it.
    fn is_enumeration(&self, id: ObjectId, left: &Specifier) -> bool {
        let Step::Member { of, identifier } = &left.step else { return false };
        let class = self.class(id);
        of.step == Step::Root && class.property(identifier).is_some_and(|info| info.kind == Kind::Enumerator)
    }

    /// Converts a result to a value for comparison. Objects are compared by identity.
    fn comparable(&self, found: Found) -> Value {
        match found {
            Found::One(id) => Value::Held(id),
            Found::Many(all) => Value::List(all.into_iter().map(|each| self.comparable(each)).collect()),
            Found::Leaf(value) => value,
        }
    }

    fn compare(&self, left: &Value, operator: Operator, right: &Value, rules: TextRules) -> Answer<bool> {
        if let Value::Object(specifier) = right {
            let Found::One(object) = self.resolve(specifier)? else { return refuse(COERCION) };
            return compare(left, operator, &Value::Held(object), rules);
        }
        compare(left, operator, right, rules)
    }
}

/// Compares two values as apps do. A missing value equals only itself. On the left of any other comparison it does not
/// pass; on the right it is an error.
fn compare(left: &Value, operator: Operator, right: &Value, rules: TextRules) -> Answer<bool> {
    match (left, operator) {
        (Value::List(items), Operator::Contains) => {
            let equal = items.iter().map(|item| compare(item, Operator::Equals, right, rules));
            Ok(equal.collect::<Answer<Vec<bool>>>()?.contains(&true))
        }
        (_, Operator::Equals) if *left == Value::Missing || *right == Value::Missing => Ok(left == right),
        (_, _) if *right == Value::Missing => refuse(COERCION),
        (Value::Missing, _) => Ok(false),
        (_, Operator::Contains | Operator::BeginsWith | Operator::EndsWith) => {
            within(left, operator, right, rules)
        }
        _ => order(left, right, rules, operator).map(|order| satisfies(order, operator)),
    }
}

fn within(left: &Value, operator: Operator, right: &Value, rules: TextRules) -> Answer<bool> {
    let (Some(left), Some(right)) = (text(left), text(right)) else { return refuse(COERCION) };
    let (left, right) = (fold(&left, rules), fold(&right, rules));
    Ok(match operator {
        Operator::BeginsWith => left.starts_with(&right),
        Operator::EndsWith => left.ends_with(&right),
        _ => left.contains(&right),
    })
}

fn satisfies(order: Ordering, operator: Operator) -> bool {
    match operator {
        Operator::Greater => order.is_gt(),
        Operator::GreaterOrEqual => order.is_ge(),
        Operator::Less => order.is_lt(),
        Operator::LessOrEqual => order.is_le(),
        _ => order.is_eq(),
    }
}

fn order(left: &Value, right: &Value, rules: TextRules, operator: Operator) -> Answer<Ordering> {
    let equality = operator == Operator::Equals;
    match (left, right) {
        (Value::Date(left), Value::Date(right)) => Ok(left.cmp(right)),
        (Value::Bool(left), Value::Bool(right)) if equality => Ok(left.cmp(right)),
        (Value::Held(left), Value::Held(right)) if equality => Ok(left.cmp(right)),
        (Value::File(left), Value::File(right)) if equality => Ok(left.cmp(right)),
        _ => match (left.as_number(), right.as_number()) {
            (Some(left), Some(right)) => Ok(left.total_cmp(&right)),
            _ => match (text(left), text(right)) {
                (Some(left), Some(right)) => Ok(fold(&left, rules).cmp(&fold(&right, rules))),
                _ => refuse(COERCION),
            },
        },
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) | Value::Enumerator(text) => Some(text.to_string()),
        Value::Utf16(units) => Some(String::from_utf16_lossy(units)),
        _ => None,
    }
}

/// Removes the differences that a comparison ignores.
fn fold(text: &str, rules: TextRules) -> String {
    let kept = text.nfd().filter(|c| {
        !(rules.diacriticals && is_combining_mark(*c)
            || rules.white_space && c.is_whitespace()
            || rules.hyphens && *c == '-'
            || rules.punctuation && c.is_ascii_punctuation() && *c != '-')
    });
    if rules.case { kept.flat_map(char::to_lowercase).collect() } else { kept.collect() }
}
