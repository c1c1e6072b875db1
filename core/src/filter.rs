//! Filters: `{"property","op","value"}`, joined by `and`, `or` and `not`.

use serde_json::{Map, Value as Json, json};

use crate::dictionary::names;
use crate::fault::{Code, Fault, wrong};

/// Bounds the recursion. Real filters stay far below it.
const DEEPEST: usize = 16;

/// Selects elements. `P` names a property: a text from the client, or the number of a column once the filter is
/// resolved.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter<P> {
    /// One comparison.
    Compare(Compare<P>),
    /// All of these.
    And(Vec<Self>),
    /// At least one of these.
    Or(Vec<Self>),
    /// Not this.
    Not(Box<Self>),
}

/// One comparison of a property with a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Compare<P> {
    /// The property.
    pub property: P,
    /// How they are compared.
    pub operator: Operator,
    /// As the client wrote it; checked against the property's type when the filter is resolved.
    pub value: Json,
}

/// How a property is compared with a value. Texts compare without regard to case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `<=`
    LessOrEqual,
    /// `>=`
    GreaterOrEqual,
    /// `contains`
    Contains,
    /// `startsWith`
    StartsWith,
    /// `endsWith`
    EndsWith,
}

/// An aggregate over the values of a group. Elements without a value do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// `sum(size)`, of numbers.
    Sum,
    /// `avg(size)`, for numbers; null if there is no value.
    Average,
    /// `min(size)`, of numbers and dates.
    Least,
    /// `max(size)`, of numbers and dates.
    Most,
}

const FOLDS: [(&str, Fold); 4] =
    [("sum", Fold::Sum), ("avg", Fold::Average), ("min", Fold::Least), ("max", Fold::Most)];

impl Fold {
    /// The spelling.
    pub fn as_str(self) -> &'static str {
        FOLDS.iter().find(|(_, fold)| *fold == self).map_or("", |(spelling, _)| spelling)
    }

    /// Reads `sum(size)` as an aggregate and its property; `None` for `count`, which every group has anyway.
    ///
    /// # Errors
    /// The form is unknown.
    pub fn parse(text: &str, place: &str) -> Result<Option<(Self, String)>, Fault> {
        let text = text.trim();
        if text == "count" {
            return Ok(None);
        }
        let parts = text.strip_suffix(')').and_then(|text| text.split_once('('));
        let found = parts.and_then(|(name, property)| {
            let (_, fold) = FOLDS.iter().find(|(spelling, _)| *spelling == name.trim())?;
            Some((*fold, property.trim().to_owned()))
        });
        let expected = "`count`, or sum, min, max or avg of a property, such as sum(size)";
        found.map(Some).ok_or_else(|| wrong(place, expected, &Json::from(text)))
    }
}

const OPERATORS: [(&str, Operator); 9] = [
    ("==", Operator::Equal),
    ("!=", Operator::NotEqual),
    ("<", Operator::Less),
    (">", Operator::Greater),
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    ("contains", Operator::Contains),
    ("startsWith", Operator::StartsWith),
    ("endsWith", Operator::EndsWith),
];

/// How other query languages write the operators. An answer uses the first spelling in [`OPERATORS`].
const OTHER_SPELLINGS: [(&str, Operator); 18] = [
    ("=", Operator::Equal),
    ("is", Operator::Equal),
    ("eq", Operator::Equal),
    ("equals", Operator::Equal),
    ("<>", Operator::NotEqual),
    ("≠", Operator::NotEqual),
    ("ne", Operator::NotEqual),
    ("isNot", Operator::NotEqual),
    ("lt", Operator::Less),
    ("before", Operator::Less),
    ("gt", Operator::Greater),
    ("after", Operator::Greater),
    ("≤", Operator::LessOrEqual),
    ("lte", Operator::LessOrEqual),
    ("≥", Operator::GreaterOrEqual),
    ("gte", Operator::GreaterOrEqual),
    ("includes", Operator::Contains),
    ("beginsWith", Operator::StartsWith),
];

impl Operator {
    /// The operator's spelling.
    pub fn as_str(self) -> &'static str {
        OPERATORS.iter().find(|(_, operator)| *operator == self).map_or("", |(spelling, _)| spelling)
    }

    /// Whether it applies to texts only.
    pub fn is_textual(self) -> bool {
        matches!(self, Self::Contains | Self::StartsWith | Self::EndsWith)
    }

    fn parse(spelling: &str) -> Option<Self> {
        let known = OPERATORS.iter().chain(&OTHER_SPELLINGS);
        // A character that is not part of a word may invert its meaning, as in `!contains`.
        let is_word = |letter: char| letter.is_alphanumeric() || [' ', '_', '-'].contains(&letter);
        let plain = spelling.trim();
        let plain = plain.strip_prefix('$').unwrap_or(plain);
        let words = if plain.chars().all(is_word) { names::split(plain).concat() } else { String::new() };
        let is_it =
            |known: &str| known == spelling.trim() || (!words.is_empty() && known.to_lowercase() == words);
        known.into_iter().find(|(known, _)| is_it(known)).map(|(_, operator)| *operator)
    }
}

impl Filter<String> {
    /// Reads a filter; `place` is its name in messages.
    ///
    /// # Errors
    /// The form is not known, or it is nested too deep.
    pub fn parse(json: &Json, place: &str) -> Result<Self, Fault> {
        parse(json, place, 0)
    }

    /// Writes the filter as [`Filter::parse`] reads it.
    pub fn to_json(&self) -> Json {
        let all = |filters: &[Self]| filters.iter().map(Self::to_json).collect::<Vec<_>>();
        match self {
            Self::Compare(Compare { property, operator, value }) => {
                json!({ "property": property, "op": operator.as_str(), "value": value })
            }
            Self::And(filters) => json!({ "and": all(filters) }),
            Self::Or(filters) => json!({ "or": all(filters) }),
            Self::Not(filter) => json!({ "not": filter.to_json() }),
        }
    }
}

impl<P> Filter<P> {
    /// Returns the same filter with properties of another type and with checked values. One comparison may become
    /// several.
    ///
    /// # Errors
    /// The first error of the given function.
    pub fn map<Q, E>(
        self,
        change: &mut impl FnMut(Compare<P>) -> Result<Filter<Q>, E>,
    ) -> Result<Filter<Q>, E> {
        let mut all = |filters: Vec<Self>| {
            filters.into_iter().map(|filter| filter.map(change)).collect::<Result<Vec<_>, E>>()
        };
        Ok(match self {
            Self::Compare(compare) => change(compare)?,
            Self::And(filters) => Filter::And(all(filters)?),
            Self::Or(filters) => Filter::Or(all(filters)?),
            Self::Not(filter) => Filter::Not(Box::new(filter.map(change)?)),
        })
    }
}

impl Filter<usize> {
    /// Returns the columns that are compared.
    pub fn columns(&self) -> Vec<usize> {
        self.comparisons().into_iter().map(|compare| compare.property).collect()
    }

    /// Returns the comparisons in their order.
    pub fn comparisons(&self) -> Vec<&Compare<usize>> {
        match self {
            Self::Compare(compare) => vec![compare],
            Self::And(filters) | Self::Or(filters) => filters.iter().flat_map(Self::comparisons).collect(),
            Self::Not(filter) => filter.comparisons(),
        }
    }

    /// Whether every element that passes meets a comparison for which `is_it` is true.
    pub(crate) fn requires(&self, is_it: &dyn Fn(&Compare<usize>) -> bool) -> bool {
        match self {
            Self::Compare(compare) => is_it(compare),
            Self::And(filters) => filters.iter().any(|filter| filter.requires(is_it)),
            Self::Or(_) | Self::Not(_) => false,
        }
    }

    /// Puts expensive conditions after cheap ones, so that the script reads expensive columns for fewer elements.
    #[must_use]
    pub fn cheap_first(self, is_dear: &impl Fn(usize) -> bool) -> Self {
        let ordered = |filters: Vec<Self>| {
            let mut filters: Vec<Self> =
                filters.into_iter().map(|filter| filter.cheap_first(is_dear)).collect();
            filters.sort_by_key(|filter| filter.columns().into_iter().any(is_dear));
            filters
        };
        match self {
            Self::Compare(compare) => Self::Compare(compare),
            Self::And(filters) => Self::And(ordered(filters)),
            Self::Or(filters) => Self::Or(ordered(filters)),
            Self::Not(filter) => Self::Not(Box::new(filter.cheap_first(is_dear))),
        }
    }

    /// Writes the filter as data for the prelude: `["==",column,value]`, `["and",…]`.
    pub fn to_data(&self) -> Json {
        match self {
            Self::Compare(compare) => json!([compare.operator.as_str(), compare.property, compare.value]),
            Self::And(filters) => joined("and", filters),
            Self::Or(filters) => joined("or", filters),
            Self::Not(filter) => json!(["not", filter.to_data()]),
        }
    }
}

impl Filter<usize> {
    /// Compares a date with a span of time, given by its beginning and the beginning of the next span. `>` means after
    /// the whole span.
    pub(crate) fn of_span(property: usize, operator: Operator, [begin, end]: [Json; 2]) -> Self {
        let side =
            |operator, value: &Json| Self::Compare(Compare { property, operator, value: value.clone() });
        let within = || Self::And(vec![side(Operator::GreaterOrEqual, &begin), side(Operator::Less, &end)]);
        match operator {
            Operator::Less => side(Operator::Less, &begin),
            Operator::LessOrEqual => side(Operator::Less, &end),
            Operator::Greater => side(Operator::GreaterOrEqual, &end),
            Operator::GreaterOrEqual => side(Operator::GreaterOrEqual, &begin),
            Operator::NotEqual => Self::Not(Box::new(within())),
            _ => within(),
        }
    }
}

impl Filter<usize> {
    /// Compares a property with a value that may have several forms.
    pub(crate) fn of_forms(property: usize, operator: Operator, forms: impl Iterator<Item = Json>) -> Self {
        let one = |value| Self::Compare(Compare { property, operator, value });
        let mut all: Vec<Self> = forms.map(one).collect();
        match operator {
            _ if all.len() == 1 => all.remove(0),
            Operator::NotEqual => Self::And(all),
            _ => Self::Or(all),
        }
    }
}

fn joined(word: &str, filters: &[Filter<usize>]) -> Json {
    std::iter::once(json!(word)).chain(filters.iter().map(Filter::to_data)).collect()
}

fn parse(json: &Json, place: &str, depth: usize) -> Result<Filter<String>, Fault> {
    let expected = "{\"property\",\"op\",\"value\"}, {\"and\":[…]}, {\"or\":[…]} or {\"not\":…}";
    let fields = json.as_object().filter(|_| depth <= DEEPEST).ok_or_else(|| wrong(place, expected, json))?;
    let list = |word: &str| match fields.get(word).and_then(Json::as_array) {
        Some(items) if fields.len() == 1 && !items.is_empty() => items
            .iter()
            .enumerate()
            .map(|(at, item)| parse(item, &format!("{place}.{word}[{at}]"), depth + 1))
            .collect(),
        _ => Err(wrong(place, "a list with at least one filter, and no other field", json)),
    };
    if fields.contains_key("and") {
        return list("and").map(Filter::And);
    }
    if fields.contains_key("or") {
        return list("or").map(Filter::Or);
    }
    if let Some(inner) = fields.get("not").filter(|_| fields.len() == 1) {
        return parse(inner, &format!("{place}.not"), depth + 1).map(|inner| Filter::Not(Box::new(inner)));
    }
    let is_known = |name: &String| ["property", "op", "value"].contains(&name.as_str());
    match fields.keys().any(is_known) {
        true if fields.keys().all(is_known) => compare(json, place, expected),
        false if !fields.is_empty() => by_property(fields, place, expected),
        _ => Err(wrong(place, expected, json)),
    }
}

fn compare(json: &Json, place: &str, expected: &str) -> Result<Filter<String>, Fault> {
    let text = |name: &str| json.get(name).and_then(Json::as_str).ok_or_else(|| wrong(place, expected, json));
    let value = json.get("value").ok_or_else(|| wrong(place, expected, json))?;
    let spelling = if json.get("op").is_some() { text("op")? } else { Operator::Equal.as_str() };
    test(text("property")?, spelling, value, &format!("{place}.op"))
}

/// One comparison, or one with each value of a list.
fn test(property: &str, spelling: &str, value: &Json, place: &str) -> Result<Filter<String>, Fault> {
    let one = |operator, value: &Json| {
        Filter::Compare(Compare { property: property.to_owned(), operator, value: value.clone() })
    };
    match (spelling, value.as_array()) {
        ("in", Some(values)) if !values.is_empty() => {
            Ok(Filter::Or(values.iter().map(|value| one(Operator::Equal, value)).collect()))
        }
        _ => Ok(one(operator(spelling, place)?, value)),
    }
}

/// `{"read status": false, "sender": {"contains": "ann"}}`: all of these must hold. A list means any of its values.
fn by_property(fields: &Map<String, Json>, place: &str, expected: &str) -> Result<Filter<String>, Fault> {
    let mut all = Vec::new();
    for (property, value) in fields {
        match value {
            Json::Object(tests) if !tests.is_empty() => {
                for (spelling, value) in tests {
                    all.push(test(property, spelling, value, &format!("{place}.{property}"))?);
                }
            }
            Json::Array(values) if !values.is_empty() => all.push(test(property, "in", value, place)?),
            Json::Object(_) | Json::Array(_) => return Err(wrong(place, expected, value)),
            value => all.push(test(property, Operator::Equal.as_str(), value, place)?),
        }
    }
    Ok(if all.len() == 1 { all.remove(0) } else { Filter::And(all) })
}

fn operator(spelling: &str, place: &str) -> Result<Operator, Fault> {
    Operator::parse(spelling).ok_or_else(|| {
        let known: Vec<&str> = OPERATORS.iter().map(|(spelling, _)| *spelling).collect();
        let message = format!("`{place}`: no operator `{spelling}`");
        let suggestion = match spelling {
            // Languages differ on whether `between` includes the last day.
            "between" => {
                "say both ends: {\"start date\": {\">=\": \"today\", \"<\": \"tomorrow\"}}".to_owned()
            }
            _ => format!("use one of {}", known.join(" ")),
        };
        Fault::new(Code::InvalidParameter, message, suggestion)
    })
}
