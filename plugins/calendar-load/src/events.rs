//! Events as Calendar shows them, and the times at which they take place.

use iac_plugin::{Json, json};

use crate::clock::{DAY, Minute};
use crate::span::Span;

const TITLE: usize = 200;

/// An event of a calendar, or one date of a repeating event.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    title: String,
    calendar: String,
    status: String,
    reference: Json,
    span: Span,
    all_day: bool,
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
}

impl Event {
    /// Reads a row of `get-elements`; `None` if its dates cannot be read.
    pub(crate) fn read(row: &Json, calendar: &str) -> Option<Self> {
        let properties = &row["properties"];
        let text = |name: &str| properties[name].as_str().filter(|text| !text.is_empty());
        let (start, _) = Minute::parse(text("start date")?)?;
        let (end, cut) = Minute::parse(text("end date")?)?;
        Some(Self {
            title: text("summary").unwrap_or_default().chars().take(TITLE).collect(),
            calendar: calendar.to_owned(),
            status: text("status").unwrap_or("none").to_owned(),
            reference: row["id"].clone(),
            span: Span::new(start.0, (end.0 + i64::from(cut)).max(start.0)),
            all_day: properties["allday event"] == true,
        })
    }

    pub(crate) fn title(&self) -> &str {
        &self.title
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

/// Returns the events in `range`, in order, without cancelled ones.
pub(crate) fn happening(events: &[Event], range: Span) -> Happening<'_> {
    let mut found = Happening::default();
    for event in events.iter().filter(|event| event.status != "cancelled") {
        let (span, list) = match event.all_day {
            true => (Event::whole_days(event.span), &mut found.whole),
            false => (event.span, &mut found.timed),
        };
        if span.touches(range) {
            list.push(Occurrence { event, span });
        }
    }
    found.timed.sort_by_key(|occurrence| occurrence.span);
    found.whole.sort_by_key(|occurrence| occurrence.span);
    found
}
