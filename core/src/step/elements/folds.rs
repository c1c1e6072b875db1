//! Which values can be summed, which have a minimum and a maximum, and what groups are sorted by.

use crate::action::{Column, Rank, View};
use crate::call::GetElements;
use crate::dictionary::{Dictionary, names};
use crate::fault::{Code, Fault};
use crate::filter::Fold;
use crate::marshal::{Shape, expected, shapes};
use crate::moment::Part;

/// Checks that a property has values that an aggregate takes. For other values the answer would be empty, as if no
/// element had a value.
///
/// # Errors
/// [`Code::TypeMismatch`]: its values have no sum, or no order.
pub(super) fn check(fold: Fold, column: &Column, term: &str, dictionary: &Dictionary) -> Result<(), Fault> {
    let shapes: Vec<Shape<'_>> =
        shapes(&column.kind, dictionary).into_iter().filter(|shape| *shape != Shape::Null).collect();
    let is_any = |some: &[Shape<'_>]| shapes.iter().any(|shape| some.contains(shape));
    let is_order = matches!(fold, Fold::Least | Fold::Most);
    let is_date = is_any(&[Shape::Date]);
    let is_ordered = is_date || matches!(column.view, Some(View::Part(Part::Week | Part::Date)));
    if is_any(&[Shape::Number, Shape::Integer, Shape::Any]) || (is_order && is_ordered) {
        return Ok(());
    }
    let (held, suggestion) = match column.view {
        _ if is_date => ("dates".to_owned(), "use min or max for dates; sum and avg take numbers"),
        Some(View::Part(Part::Weekday)) => {
            ("days of the week".to_owned(), "count them with `groupBy`, or use min or max of the date itself")
        }
        Some(View::Part(_)) => ("weeks or days".to_owned(), "use min or max; sum and avg take numbers"),
        _ => (
            expected(&shapes),
            "sum and avg take numbers, min and max take numbers and dates; `groupBy` counts other values",
        ),
    };
    let message = format!("`aggregate`: {} cannot be used with `{term}`, which holds {held}", fold.as_str());
    Err(Fault::new(Code::TypeMismatch, message, suggestion).with("parameter", "aggregate"))
}

/// What a term of `sort` means for groups.
///
/// # Errors
/// It is no property of `groupBy`, no aggregate such as `sum(size)`, and not `count`.
pub(super) fn rank(call: &GetElements, term: &str) -> Result<Rank, Fault> {
    let key = names::key(term);
    let by = call.group_by.iter().position(|term| names::key(term) == key).map(Rank::By);
    let is_this = |(fold, of): &(Fold, String)| names::key(&format!("{}({of})", fold.as_str())) == key;
    let of = || call.aggregate.iter().position(is_this).map(Rank::Of);
    let count = || (key == "count").then_some(Rank::Count);
    by.or_else(of).or_else(count).ok_or_else(|| {
        let message = format!("`sort`: groups have no `{term}`");
        let suggestion = "sort groups by `count`, by a property of `groupBy`, or by an aggregate of the call";
        Fault::new(Code::InvalidParameter, message, suggestion).with("parameter", "sort")
    })
}
