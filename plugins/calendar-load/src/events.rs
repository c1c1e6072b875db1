//! Events as Calendar shows them, and the times at which they take place.

use std::collections::BTreeSet;

use iac_plugin::{Json, json};

use crate::clock::{DAY, Minute};
use crate::recurrence::{Rule, until};
use crate::span::Span;

const TITLE: usize = 200;

/// An event of a calendar: a single event, or the first one of a series.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    title: String,
    calendar: String,
    status: String,
    reference: Json,
    span: Span,
    all_day: bool,
    recurrence: Option<String>,
    excluded: BTreeSet<Minute>,
}

/// One time at which an event takes place.
#[derive(Clone, Debug)]
pub(crate) struct Occurrence<'a> {
    pub(crate) event: &'a Event,
    pub(crate) span: Span,
}

/// Everything that takes place in a range of days.
#[derive(Debug, Default)]
pub(crate) struct Happening<'a> {
    pub(crate) timed: Vec<Occurrence<'a>>,
    /// All-day events, which take no hours.
    pub(crate) whole: Vec<Occurrence<'a>>,
    /// Series with a rule that the plugin does not support.
    pub(crate) unknown: Vec<&'a Event>,
}

impl Event {
    /// Reads a row of `get-elements`; `None` if its dates cannot be read.
    pub(crate) fn read(row: &Json, calendar: &str) -> Option<Self> {
        let properties = &row["properties"];
        let text = |name: &str| properties[name].as_str().filter(|text| !text.is_empty());
        let (start, _) = Minute::parse(text("start date")?)?;
        let (end, cut) = Minute::parse(text("end date")?)?;
        let excluded = properties["excluded dates"].as_array().map(Vec::as_slice).unwrap_or_default();
        Some(Self {
            title: text("summary").unwrap_or_default().chars().take(TITLE).collect(),
            calendar: calendar.to_owned(),
            status: text("status").unwrap_or("none").to_owned(),
            reference: row["id"].clone(),
            span: Span::new(start.0, (end.0 + i64::from(cut)).max(start.0)),
            all_day: properties["allday event"] == true,
            recurrence: text("recurrence").map(str::to_owned),
            excluded: excluded.iter().filter_map(|date| Some(Minute::parse(date.as_str()?)?.0)).collect(),
        })
    }

    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    /// Says which rule is not supported.
    pub(crate) fn doubt(&self) -> String {
        let rule: String = self.recurrence.iter().flat_map(|rule| rule.chars()).take(TITLE).collect();
        format!("`{}` repeats by `{rule}`, which is not worked out: only its first date counts", self.title)
    }

    /// Returns the times in `range` at which the event takes place; `None` if the plugin does not support its rule and
    /// the rule may give a time in the range.
    fn spans(&self, range: Span, ahead: i64) -> Option<Vec<Span>> {
        let Some(text) = &self.recurrence else { return Some(vec![self.span]) };
        let last = until(text, ahead).unwrap_or(Minute(i64::MAX));
        if last.0.saturating_add(self.span.minutes()) < range.start.0 {
            return Some(Vec::new());
        }
        let rule = Rule::parse(text)?;
        let (time, lasts) = (self.span.start.0.rem_euclid(DAY), self.span.minutes());
        let within = Minute(range.start.0 - lasts).day().0..range.end.day().0 + 1;
        let starts =
            rule.days(self.span.start.day(), within).into_iter().map(|day| Minute(day.start().0 + time));
        let kept = starts.filter(|start| *start <= last && !self.excluded.contains(start));
        Some(kept.map(|start| Span::new(start.0, start.0 + lasts)).collect())
    }

    /// Rounds an all-day event to whole days; its end may be at any time of the last day.
    fn whole_days(span: Span) -> Span {
        let (first, last) = (span.start.day().0, Minute(span.end.0 - 1).day().0);
        Span::new(first * DAY, (first.max(last) + 1) * DAY)
    }
}

impl Occurrence<'_> {
    pub(crate) fn show(&self) -> Json {
        let Event { title, calendar, status, reference, .. } = self.event;
        let (start, end) = (self.span.start.to_string(), self.span.end.to_string());
        json!({"title": title, "calendar": calendar, "status": status, "start": start, "end": end, "reference": reference})
    }
}

/// Returns the events in `range`, in order, without cancelled ones. `ahead`: how many minutes local time is ahead of
/// UTC.
pub(crate) fn happening(events: &[Event], range: Span, ahead: i64) -> Happening<'_> {
    let mut found = Happening::default();
    for event in events.iter().filter(|event| event.status != "cancelled") {
        let spans = event.spans(range, ahead).unwrap_or_else(|| {
            found.unknown.push(event);
            vec![event.span]
        });
        for span in spans {
            let (span, list) = if event.all_day {
                (Event::whole_days(span), &mut found.whole)
            } else {
                (span, &mut found.timed)
            };
            if span.touches(range) {
                list.push(Occurrence { event, span });
            }
        }
    }
    found.timed.sort_by_key(|occurrence| occurrence.span);
    found.whole.sort_by_key(|occurrence| occurrence.span);
    found
}
