//! Filters in the form that the app itself understands: `{_and: [{subject: {_contains: v[0]}}, …]}`.

use serde_json::Value as Json;

use crate::action::Column;
use crate::filter::{Compare, Filter, Operator};

/// Writes a filter that takes its values from the list `v`; the values are appended to `values`.
pub(super) fn whose(filter: &Filter<usize>, columns: &[Column], values: &mut Vec<Json>) -> String {
    match filter {
        Filter::Compare(compare) => comparison(compare, &columns[compare.property], values),
        Filter::And(filters) => joined("_and", filters, columns, values),
        Filter::Or(filters) => joined("_or", filters, columns, values),
        Filter::Not(filter) => format!("{{_not: [{}]}}", whose(filter, columns, values)),
    }
}

fn joined(word: &str, filters: &[Filter<usize>], columns: &[Column], values: &mut Vec<Json>) -> String {
    let parts: Vec<String> = filters.iter().map(|filter| whose(filter, columns, values)).collect();
    format!("{{{word}: [{}]}}", parts.join(", "))
}

fn comparison(compare: &Compare<usize>, column: &Column, values: &mut Vec<Json>) -> String {
    let value = format!("given(v[{}])", values.len());
    values.push(compare.value.clone());
    let name = column.identifiers.last().map_or("", |identifier| identifier.as_str());
    let test = |operator: &str| format!("{{{name}: {{{operator}: {value}}}}}");
    let equal = || match column.enumerated {
        true => format!("{{_match: [ObjectSpecifier().{name}, {value}]}}"),
        false => test("_equals"),
    };
    match compare.operator {
        Operator::Equal => equal(),
        Operator::NotEqual => format!("{{_not: [{}]}}", equal()),
        Operator::Less => test("_lessThan"),
        Operator::Greater => test("_greaterThan"),
        Operator::LessOrEqual => test("_lessThanEquals"),
        Operator::GreaterOrEqual => test("_greaterThanEquals"),
        Operator::Contains => test("_contains"),
        Operator::StartsWith => test("_beginsWith"),
        Operator::EndsWith => test("_endsWith"),
    }
}
