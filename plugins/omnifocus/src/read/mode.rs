//! Modes: names for filters that people often use.

use crate::Moment;
use crate::program::Predicate;

/// A mode of the tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    All,
    Search,
    Inbox,
    Overdue,
    Today,
    Upcoming,
    Available,
    Blocked,
    Flagged,
    SmartSuggest,
    Forecast,
    ForecastPast,
}

/// The words of the modes, as a caller writes them.
pub(super) const WORDS: [&str; 12] = [
    "all", "search", "inbox", "overdue", "today", "upcoming", "available", "blocked", "flagged",
    "smart_suggest", "forecast", "forecast_past",
];

const MODES: [Mode; 12] = [
    Mode::All,
    Mode::Search,
    Mode::Inbox,
    Mode::Overdue,
    Mode::Today,
    Mode::Upcoming,
    Mode::Available,
    Mode::Blocked,
    Mode::Flagged,
    Mode::SmartSuggest,
    Mode::Forecast,
    Mode::ForecastPast,
];

/// The effective properties, as in OmniFocus itself: an item inherits a due date, a planned date and the flag from its
/// project or group.
pub(super) const DUE: &str = "effectiveDueDate";
pub(super) const FLAGGED: &str = "effectiveFlagged";
pub(super) const PLANNED: &str = "effectivePlannedDate";
const DEFER: &str = "effectiveDeferDate";
/// What a due date is inherited from.
pub(super) const FROM: &str = "dueFrom";

impl Mode {
    /// Returns every mode with its word.
    pub(super) fn all() -> Vec<(&'static str, Self)> {
        WORDS.into_iter().zip(MODES).collect()
    }

    pub(super) fn word(self) -> &'static str {
        Self::all().into_iter().find(|(_, mode)| *mode == self).map_or("all", |(word, _)| word)
    }

    /// Whether the limit, and not only the conditions, decides which items are in the answer.
    pub(super) fn is_chosen_by_rows(self) -> bool {
        matches!(self, Self::Forecast | Self::SmartSuggest)
    }

    /// Returns the default number of days ahead; `None` for a mode without days.
    pub(super) fn days_ahead(self) -> Option<i64> {
        match self {
            Self::Today => Some(3),
            Self::Upcoming | Self::Forecast => Some(7),
            _ => None,
        }
    }

    /// Returns the conditions of the mode, each under the key of the filter that replaces it.
    pub(super) fn conditions(self, days: i64, moment: &Moment) -> Vec<(&'static str, Predicate)> {
        let (today, now) = (moment.start_in(0), moment.milliseconds());
        match self {
            Self::All | Self::Search | Self::SmartSuggest => vec![],
            Self::Inbox => vec![("inInbox", Predicate::flag("inInbox", true))],
            Self::Overdue => vec![("dueDate", Predicate::until(DUE, now - 1))],
            Self::Upcoming => {
                vec![("dueDate", Predicate::between(DUE, moment.start_in(1), moment.start_in(days + 1) - 1))]
            }
            Self::Available => vec![("available", Predicate::flag("available", true))],
            Self::Blocked => vec![("blocked", Predicate::flag("blocked", true))],
            Self::Flagged => vec![("flagged", Predicate::flag(FLAGGED, true))],
            Self::Today => {
                let due = Predicate::until(DUE, moment.start_in(days) - 1);
                vec![("mode", Predicate::Or(vec![due, Predicate::flag(FLAGGED, true)]))]
            }
            Self::Forecast => {
                let end = moment.start_in(days + 1) - 1;
                let mut any = vec![Predicate::until(DUE, end), Predicate::until(PLANNED, end)];
                any.push(Predicate::between(DEFER, today, end));
                any.push(Predicate::flag(FLAGGED, true));
                any.push(tagged());
                vec![("mode", Predicate::Or(any))]
            }
            Self::ForecastPast => {
                let past = [DUE, PLANNED].map(|field| Predicate::until(field, today - 1));
                vec![("blocked", Predicate::flag("blocked", false)), ("mode", Predicate::Or(past.to_vec()))]
            }
        }
    }

    /// Returns the sections of its rows, in order; none for a mode without sections.
    pub(super) fn sections(self, days: i64, moment: &Moment) -> Vec<(String, Predicate)> {
        if self != Self::Forecast {
            return Vec::new();
        }
        let past = [DUE, PLANNED].map(|field| Predicate::until(field, moment.start_in(0) - 1));
        let mut sections = vec![("past".to_owned(), Predicate::Or(past.to_vec()))];
        for day in 0..=days {
            let (from, to) = (moment.start_in(day), moment.start_in(day + 1) - 1);
            let mut any: Vec<_> =
                [DUE, PLANNED, DEFER].map(|field| Predicate::between(field, from, to)).to_vec();
            if day == 0 {
                any.push(tagged());
            }
            let label = if day == 0 { "today".to_owned() } else { moment.day_of(from).to_string() };
            sections.push((label, Predicate::Or(any)));
        }
        sections.push(("flagged".to_owned(), Predicate::flag(FLAGGED, true)));
        sections
    }

    /// Returns the default order of its rows.
    pub(super) fn sort(self) -> &'static [(&'static str, i8)] {
        match self {
            Self::Overdue | Self::Upcoming | Self::Forecast => &[(DUE, 1)],
            Self::Today => &[("modified", -1)],
            _ => &[],
        }
    }

    /// Returns the fields that say why a row is in the answer, if the caller does not choose the fields.
    pub(super) fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Flagged => &[FLAGGED],
            Self::Overdue | Self::Upcoming | Self::Today | Self::SmartSuggest => &[DUE, FROM, FLAGGED],
            Self::Forecast => &[DUE, FROM, PLANNED, DEFER, FLAGGED],
            Self::ForecastPast => &[DUE, FROM, PLANNED, FLAGGED],
            _ => &[],
        }
    }
}

/// The tasks that the forecast tag adds to today: those that are available.
fn tagged() -> Predicate {
    Predicate::ForecastTag.and(Predicate::flag("available", true))
}
