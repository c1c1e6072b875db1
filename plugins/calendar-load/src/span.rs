//! Spans of time and the gaps between them.

use iac_plugin::{Json, json};

use crate::clock::{Day, Minute};

/// A span: its first minute, and the minute after its last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Span {
    pub(crate) start: Minute,
    pub(crate) end: Minute,
}

impl Span {
    pub(crate) fn new(start: i64, end: i64) -> Self {
        Self { start: Minute(start), end: Minute(end) }
    }

    /// Returns the part of a day between two minutes of it.
    pub(crate) fn of_day(day: Day, from: i64, to: i64) -> Self {
        Self::new(day.start().0 + from, day.start().0 + to)
    }

    pub(crate) fn minutes(self) -> i64 {
        self.end.0 - self.start.0
    }

    /// Returns the common part of two spans; `None` if that is shorter than a minute.
    pub(crate) fn common(self, other: Self) -> Option<Self> {
        let common = Self { start: self.start.max(other.start), end: self.end.min(other.end) };
        (common.start < common.end).then_some(common)
    }

    /// Whether at least a part of the span is in `range`; a span without length counts at its beginning.
    pub(crate) fn touches(self, range: Self) -> bool {
        self.start < range.end && (self.end > range.start || self.start >= range.start)
    }

    pub(crate) fn show(self) -> Json {
        json!({"start": self.start.to_string(), "end": self.end.to_string(), "minutes": self.minutes()})
    }
}

/// Joins spans that overlap or touch, in order.
pub(crate) fn merged(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort();
    let mut merged: Vec<Span> = Vec::new();
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}

/// Returns the parts of merged spans that are within another span.
pub(crate) fn clipped(merged: &[Span], within: Span) -> Vec<Span> {
    merged.iter().filter_map(|span| span.common(within)).collect()
}

/// Returns the parts of a span that merged spans do not cover.
pub(crate) fn gaps(merged: &[Span], within: Span) -> Vec<Span> {
    let taken = clipped(merged, within);
    let starts = std::iter::once(within.start).chain(taken.iter().map(|span| span.end));
    let ends = taken.iter().map(|span| span.start).chain(std::iter::once(within.end));
    starts.zip(ends).filter(|(start, end)| start < end).map(|(start, end)| Span { start, end }).collect()
}

pub(crate) fn total(spans: &[Span]) -> i64 {
    spans.iter().map(|span| span.minutes()).sum()
}
