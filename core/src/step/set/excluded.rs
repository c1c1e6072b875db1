//! Dates that are to be left out of a series. Each must be one of its dates, and a day means the date on that day.

use serde_json::{Value as Json, json};

use super::{Open, Setting};
use crate::action::{Action, SystemDeed};
use crate::app::App;
use crate::change::Look;
use crate::dictionary::Identifier;
use crate::fault::{Code, Fault};
use crate::marshal::Given;
use crate::reply::Reply;
use crate::series::{DAY, Dated, NoDate, Repeating, Zone, dated};
use crate::step::asking::{Behind, propose};
use crate::step::{Step, Then, World};

/// What is known about the time zone of the Mac.
#[derive(Debug, PartialEq)]
pub(super) enum Known {
    /// Nothing is known, and the Mac was not asked.
    Not,
    /// The Mac is being asked, and the call then continues with this app.
    Asked(String),
    /// The time zone.
    Zone(Zone),
}

impl Known {
    /// Reads the answer of the Mac.
    pub(super) fn of(reply: Reply) -> Result<Self, Fault> {
        let answer = reply.result.map_err(|error| error.to_fault("", "the system"))?;
        serde_json::from_value(answer).map(Self::Zone).map_err(|error| {
            Fault::new(Code::Internal, error.to_string(), "this is a bug in the server; please report it")
                .untrusted()
        })
    }
}

/// How far the question about the time zone reaches beyond the first and the last date, in milliseconds. It is more
/// than any offset from UTC, which is at most 14 hours.
const ZONE_MARGIN: i64 = DAY;

impl Setting {
    /// Whether the change leaves dates out of a series with a rule that the app reported.
    pub(super) fn knows_series(&self, app: &App) -> bool {
        let is_known =
            |open: &Open| open.leaves_out(&app.bundle_id) && open.repeating(&app.bundle_id).is_some();
        self.open.iter().any(|open| !self.is_undo(open) && is_known(open))
    }

    /// Asks for the time zone of the Mac at all dates that matter.
    pub(super) fn ask_zone(mut self, app: &App, events: u64, world: &World<'_>) -> Step {
        let starts = self.open.iter().filter_map(|open| Some(open.repeating(&app.bundle_id)?.start));
        let dates = self.open.iter().flat_map(|open| open.dates(&app.bundle_id));
        let all: Vec<i64> = starts.chain(dates).collect();
        let first = all.iter().min().copied().unwrap_or_default();
        let last = all.iter().max().copied().unwrap_or_default();
        let action =
            Action::of_system(SystemDeed::Zone { span: (first - ZONE_MARGIN, last + DAY + ZONE_MARGIN) });
        self.zone = Known::Asked(app.bundle_id.to_string());
        propose(action, Behind { name: "the system".to_owned(), events }, Then::Set(Box::new(self)), world)
    }

    /// Checks the dates to leave out, and drops each change with a date that the series does not have. Returns whether
    /// there were dates to leave out.
    ///
    /// # Errors
    /// The only change has a date that the series does not have.
    pub(super) fn drop_wrong_dates(&mut self, app: &App, world: &World<'_>) -> Result<bool, Fault> {
        let Known::Zone(zone) = std::mem::replace(&mut self.zone, Known::Not) else { return Ok(false) };
        let before = self.open.len();
        for mut open in std::mem::take(&mut self.open) {
            let checked = if self.is_undo(&open) { Ok(()) } else { open.check_dates(&app.bundle_id, &zone) };
            match checked {
                Ok(()) => {
                    open.name_by_date(app);
                    self.open.push(open);
                }
                Err(fault) => {
                    let told = open.told(app, world);
                    let message = format!("{told}: {}", fault.message);
                    self.tell(&open, Fault { message, ..fault })?;
                }
            }
        }
        self.zone = Known::Zone(zone);
        Ok(self.open.len() < before)
    }
}

impl Open {
    /// Whether it leaves dates out of a series.
    pub(super) fn leaves_out(&self, app: &str) -> bool {
        self.excluding(app).is_some_and(|(_, at)| match &self.change.values[at] {
            Given::List(dates) => !dates.is_empty(),
            _ => true,
        })
    }

    /// The class of the series and the index of the dates among the new values.
    fn excluding(&self, app: &str) -> Option<(&'static Dated, usize)> {
        let class = dated(app, self.change.subject.path.class())?;
        let excluded = class.excluded.as_ref()?;
        let at = self.change.subject.slots.iter().position(|slot| slot.term == *excluded)?;
        Some((class, at))
    }

    /// The dates that would be left out.
    fn dates(&self, app: &str) -> Vec<i64> {
        let values = self.excluding(app).map(|(_, at)| &self.change.values[at]);
        match values {
            Some(Given::List(dates)) => dates.iter().filter_map(date).collect(),
            _ => Vec::new(),
        }
    }

    /// The series, with the other values of the same change; `None` if the app did not report it.
    fn repeating(&self, app: &str) -> Option<Repeating> {
        let (class, _) = self.excluding(app)?;
        let subject = &self.change.subject;
        let new = |term: &str| {
            let at = subject.slots.iter().position(|slot| slot.term == term)?;
            self.change.values.get(at)
        };
        let start = match new(&class.start) {
            Some(given) => date(given)?,
            None => {
                let start = Identifier::of(&class.start)?;
                let at = subject.labels.iter().position(|label| *label == start)?;
                instant(self.row[1][at]["v"].as_str()?)?
            }
        };
        let term = class.rule.as_ref()?;
        let rule = match new(term) {
            Some(Given::Text(rule)) => rule.clone(),
            Some(_) => String::new(),
            None => {
                let look = Look::Property(vec![Identifier::of(term)?]);
                let at = subject.facts.iter().position(|fact| fact.look == look)?;
                match self.row.get(4)?.get(at)? {
                    Json::Null => String::new(),
                    rule => rule.as_str()?.to_owned(),
                }
            }
        };
        Some(Repeating { rule, start })
    }

    /// Checks the dates that are not left out yet, and replaces days by the dates of the series.
    fn check_dates(&mut self, app: &str, zone: &Zone) -> Result<(), Fault> {
        let Some((class, at)) = self.excluding(app) else { return Ok(()) };
        let Some(series) = self.repeating(app) else { return Ok(()) };
        let Given::List(given) = self.change.values[at].clone() else { return Ok(()) };
        let old = self.change.expected.old.as_ref().map_or(&Json::Null, |old| &old[at]);
        let old: Vec<i64> =
            old.as_array().into_iter().flatten().filter_map(|date| instant(date["v"].as_str()?)).collect();
        let adds = self.joins[at].is_some();
        let mut kept = old.clone();
        // Existing entries are not checked; the new ones become dates of the series.
        let (mut added, mut whole) = (Vec::new(), Vec::new());
        for each in given {
            let Some(time) = date(&each) else { return Ok(()) };
            if let Some(place) = kept.iter().position(|known| *known == time)
                && !added.contains(&time)
            {
                kept.remove(place);
                whole.push(time);
                continue;
            }
            let found = series.date(time, zone).map_err(|error| wrong(&error, class))?;
            let time = found.unwrap_or(time);
            if whole.contains(&time) || (adds && old.contains(&time)) {
                return Err(twice(&zone.stamp(time), class));
            }
            added.push(time);
            whole.push(time);
        }
        let stamps = |times: &[i64]| times.iter().map(|time| zone.stamp(*time)).collect::<Vec<_>>();
        self.given[at] = json!(stamps(&whole));
        if let Some((_, items @ Json::Array(_))) = &mut self.joins[at] {
            *items = json!(stamps(&added));
        }
        self.change.values[at] = Given::List(stamps(&whole).into_iter().map(Given::Date).collect());
        Ok(())
    }
}

fn date(given: &Given) -> Option<i64> {
    match given {
        Given::Date(text) => instant(text),
        _ => None,
    }
}

fn instant(text: &str) -> Option<i64> {
    text.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_millisecond)
}

fn wrong(error: &NoDate, class: &Dated) -> Fault {
    let property = class.excluded.as_deref().unwrap_or_default();
    let suggestion = match error {
        NoDate::Once => "change nothing, or delete the event if the user wants that".to_owned(),
        _ => format!(
            "give a date of the series; a filter by `{}` with a beginning and an end lists them as `occurrence`",
            class.start
        ),
    };
    Fault::new(Code::InvalidParameter, format!("`{property}`: {error}"), suggestion)
        .with("property", property)
}

fn twice(date: &str, class: &Dated) -> Fault {
    let property = class.excluded.as_deref().unwrap_or_default();
    let message = format!("`{property}`: {date} is left out already, or the call names it twice");
    Fault::new(Code::InvalidParameter, message, "leave this date out of the call").with("property", property)
}
