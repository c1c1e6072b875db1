//! Elements with dates, such as events: which classes they are, and the occurrences of a series from its rule.
//!
//! An app such as Calendar stores a series once, with its first date and a rule. The script finds the rows that may
//! matter and resolves the moments of the filter; this module turns the rows into occurrences, and filters and sorts
//! them. All dates are in the Mac's time zone, because an event does not report its own.

mod apps;
mod choose;
mod clocks;
mod leave;
mod rule;
mod words;
mod zone;

pub use apps::{Dated, Index, dated, holds_rules, index, indexes};
pub use choose::{Asked, Chose, Chosen, NotCandidates, choose};
pub(crate) use clocks::agree;
pub use leave::{NoDate, Repeating};
pub use rule::{Occurrences, Unreadable, WrongRule, check_rule, occurrences};
pub(crate) use words::in_words;
pub(crate) use zone::DAY;
pub use zone::Zone;
