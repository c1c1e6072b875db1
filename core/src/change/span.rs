//! The two dates of an object that takes time. An app that saves after each write refuses an object that ends before it
//! starts, even if the next write would set its other date.

use super::Slot;
use crate::series::dated;

/// The slots of both dates. The script writes first the one that leaves the object whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The slot of the date when it begins.
    pub start: usize,
    /// The slot of the date when it ends.
    pub end: usize,
}

impl Span {
    /// `None` unless both dates are among the slots.
    pub(crate) fn of(app: &str, class: &str, slots: &[Slot]) -> Option<Self> {
        let [start, end] = dates(app, class)?.map(|term| slots.iter().position(|slot| slot.term == term));
        Some(Self { start: start?, end: end? })
    }

    /// Writes it for the script.
    pub(crate) fn in_script(self) -> String {
        format!("[{}, {}]", self.start, self.end)
    }
}

/// The date that stays as it is, if only the other one is among the slots.
pub(crate) fn kept_date(app: &str, class: &str, slots: &[Slot]) -> Option<&'static str> {
    let [start, end] = dates(app, class)?;
    let is_set = |term: &str| slots.iter().any(|slot| slot.term == term);
    match (is_set(start), is_set(end)) {
        (true, false) => Some(end),
        (false, true) => Some(start),
        _ => None,
    }
}

/// Whether these properties are the two dates of an object that takes time.
pub(crate) fn are_dates(app: &str, class: &str, one: &str, other: &str) -> bool {
    dates(app, class).is_some_and(|dates| dates == [one, other] || dates == [other, one])
}

fn dates(app: &str, class: &str) -> Option<[&'static str; 2]> {
    let dated = dated(app, class)?;
    Some([&dated.start, dated.end.as_deref()?])
}
