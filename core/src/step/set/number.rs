//! A number that is counted from the property's own: `sound volume / 2`, `rating + 20`.

use serde_json::{Number, Value as Json, json};

use crate::dictionary::{TypeExpr, names};

/// What is done to the property's own number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sum {
    operator: char,
    by: f64,
}

impl Sum {
    /// Reads it; `None` if the text does not begin with this property, in any spelling, or is not a sum.
    pub(super) fn parse(text: &str, property: &str) -> Option<Self> {
        let signs = text.char_indices().filter(|(_, sign)| "+-*/".contains(*sign));
        let (at, operator) =
            signs.into_iter().find(|(at, _)| names::key(&text[..*at]) == names::key(property))?;
        let by: f64 = text[at + 1..].trim().parse().ok()?;
        (by.is_finite() && !(operator == '/' && by == 0.0)).then_some(Self { operator, by })
    }

    /// The new number; an integer is rounded to the nearest one. `None` if it is too large.
    pub(super) fn of(self, old: &Number, kind: &TypeExpr) -> Option<Json> {
        let (old, Self { operator, by }) = (old.as_f64()?, self);
        let new = match operator {
            '+' => old + by,
            '-' => old - by,
            '*' => old * by,
            _ => old / by,
        };
        let is_whole = new.fract() == 0.0 || !holds(kind, &["real", "number"]);
        // Beyond this, a real does not hold every integer.
        let is_exact = new.is_finite() && (!is_whole || new.abs() < 2f64.powi(53));
        is_exact.then(|| if is_whole { json!(new.round() as i64) } else { json!(new) })
    }
}

/// Whether a property holds one number.
pub(super) fn is_number(kind: &TypeExpr) -> bool {
    holds(kind, &["integer", "real", "number"]) && !holds(kind, &["text", "date"])
}

fn holds(kind: &TypeExpr, names: &[&str]) -> bool {
    kind.0.iter().any(|each| !each.list && names.contains(&each.name.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_counted_from_their_own_value() {
        for (text, of, old, new) in [
            ("sound volume / 2", "integer", json!(75), Some(json!(38))),
            ("soundVolume + 10", "integer", json!(75), Some(json!(85))),
            ("sound volume - 1", "integer", json!(0), Some(json!(-1))),
            ("Sound Volume * 0.5", "integer", json!(9), Some(json!(5))),
            ("sound volume * -1", "real", json!(0.5), Some(json!(-0.5))),
            ("sound volume / 2", "real", json!(3), Some(json!(1.5))),
            ("sound volume / 2", "real", json!(4), Some(json!(2))),
            ("sound volume * 1e300", "integer", json!(9), None),
            ("sound volume / 0", "integer", json!(9), None),
            ("rating + 1", "integer", json!(9), None),
            ("sound volume", "integer", json!(9), None),
            ("sound volume + x", "integer", json!(9), None),
        ] {
            let old = old.as_number().cloned().unwrap_or_else(|| 0.into());
            let sum = Sum::parse(text, "sound volume").and_then(|sum| sum.of(&old, &TypeExpr::one(of)));
            assert_eq!(sum, new, "{text}");
        }
    }
}
