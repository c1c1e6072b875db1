//! Turns the rows that a script found into the requested occurrences.

use std::cmp::Ordering;

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{DAY, Zone, occurrences};
use crate::moment::Part;

/// The result of a script. Times are milliseconds since 1970.
#[derive(Debug, Deserialize)]
struct Candidates {
    rows: Vec<Candidate>,
    /// The value of each comparison of the filter that is a moment, in the filter's order.
    moments: Vec<Option<i64>>,
    span: (i64, i64),
    zone: Zone,
}

/// One row that may match: an element, a series, or an occurrence that the index has worked out.
#[derive(Debug, Deserialize)]
struct Candidate {
    id: Json,
    start: Option<i64>,
    end: Option<i64>,
    #[serde(default)]
    days: bool,
    #[serde(default)]
    rule: Option<String>,
    #[serde(default)]
    excluded: Vec<i64>,
    #[serde(default)]
    occurrence: Option<i64>,
    /// The result of each comparison of the filter; null if it depends on the occurrence.
    tests: Vec<Option<bool>>,
    keys: Vec<Json>,
}

/// The request. The filter and the order name columns by number.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The column of the start.
    pub start: usize,
    /// The column of the end, if there is one.
    pub end: Option<usize>,
    /// The columns with a part of the start or the end: the column, whether it belongs to the end, and the part.
    pub parts: &'a [(usize, bool, Part)],
    /// The filter, as the script got it.
    pub filter: &'a Json,
    /// The order: columns, and whether descending.
    pub sort: &'a [(usize, bool)],
    /// How many to skip; a negative number counts from the end.
    pub offset: i64,
    /// The maximum number.
    pub limit: usize,
}

/// The occurrences of one page.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    /// The number of all matches.
    pub total: usize,
    /// The page.
    pub page: Vec<Chose>,
    /// The number of series with a rule that cannot be read. Only their first date is considered.
    pub unreadable: usize,
    /// The number of series with more occurrences than were looked at.
    pub cut: usize,
}

/// One element, or one occurrence of a series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chose {
    /// The number of its row.
    pub row: usize,
    /// When it starts, in milliseconds since 1970.
    pub start: Option<i64>,
    /// When it ends, in milliseconds since 1970.
    pub end: Option<i64>,
    /// For an occurrence of a series, the date that its rule gives it, in milliseconds since 1970.
    pub occurrence: Option<i64>,
}

/// An answer in the wrong form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the script's rows have the wrong form: {0}")]
pub struct NotCandidates(String);

/// Chooses the requested occurrences, in order. Without an order they are sorted by their start.
///
/// # Errors
/// The rows do not have the form that the script writes.
pub fn choose(answer: &Json, asked: &Asked<'_>) -> Result<Chosen, NotCandidates> {
    let found = Candidates::deserialize(answer).map_err(|error| NotCandidates(error.to_string()))?;
    let mut chosen = Chosen::default();
    let mut all = Vec::new();
    for (row, candidate) in found.rows.iter().enumerate() {
        let each = instances(row, candidate, &found, &mut chosen).into_iter();
        all.extend(each.filter(|instance| holds(asked.filter, candidate, instance, &found, asked)));
    }
    all.sort_by(|a, b| order(a, b, &found, asked));
    chosen.total = all.len();
    let back = usize::try_from(asked.offset.unsigned_abs()).unwrap_or(usize::MAX);
    // As for other elements, the part of a page before the beginning is left out.
    let (from, limit) = match asked.offset {
        offset if offset < 0 => {
            (all.len().saturating_sub(back), asked.limit.saturating_sub(back.saturating_sub(all.len())))
        }
        _ => (back, asked.limit),
    };
    chosen.page = all.into_iter().skip(from).take(limit).collect();
    Ok(chosen)
}

/// The occurrences of a row within the span. An element that does not repeat is its own only occurrence.
fn instances(row: usize, candidate: &Candidate, found: &Candidates, chosen: &mut Chosen) -> Vec<Chose> {
    let Candidate { start, end, rule, .. } = candidate;
    let zone = &found.zone;
    // An event of whole days may end a second before midnight, whether it is read from the app or from the index.
    let whole = |end: i64| match (zone.civil(end) + 1000).rem_euclid(DAY) {
        0 if candidate.days => end + 1000,
        _ => end,
    };
    let end = end.map(whole);
    let once = vec![Chose { row, start: *start, end, occurrence: candidate.occurrence }];
    let (Some(rule), Some(start)) = (rule, *start) else { return once };
    let length = end.map_or(0, |end| (end - start).max(0));
    let span = (found.span.0.saturating_sub(length + DAY), found.span.1);
    let Ok(repeats) = occurrences(rule, start, &candidate.excluded, zone, span) else {
        chosen.unreadable += 1;
        return once;
    };
    chosen.cut += usize::from(repeats.is_cut);
    let days = end.map(|end| zone.civil(end) - zone.civil(start));
    let ends = |at: i64| match days {
        // Whole days stay whole when the clocks change; anything else keeps its length.
        Some(days) if candidate.days => Some(zone.instant(zone.civil(at) + days)),
        _ => end.map(|end| at + (end - start)),
    };
    let each = |at: i64| Chose { row, start: Some(at), end: ends(at), occurrence: Some(at) };
    repeats.starts.into_iter().map(each).collect()
}

fn holds(filter: &Json, row: &Candidate, each: &Chose, found: &Candidates, asked: &Asked<'_>) -> bool {
    fn test(filter: &Json, at: &mut usize, leaf: &impl Fn(&Json, usize) -> bool) -> bool {
        let parts = filter.as_array().map(Vec::as_slice).unwrap_or_default();
        let word = parts.first().and_then(Json::as_str).unwrap_or_default();
        // Every part is visited, because the leaves are counted.
        let mut all = || parts.iter().skip(1).map(|part| test(part, at, leaf)).collect::<Vec<_>>();
        match word {
            "and" => all().into_iter().all(|holds| holds),
            "or" => all().into_iter().any(|holds| holds),
            "not" => !all().into_iter().all(|holds| holds),
            _ => {
                *at += 1;
                leaf(filter, *at - 1)
            }
        }
    }
    let leaf = |compare: &Json, at: usize| {
        if let Some(known) = row.tests.get(at).copied().flatten() {
            return known;
        }
        let column = compare.get(1).and_then(Json::as_u64).unwrap_or_default() as usize;
        if let Some(part) = asked.part(column, each, &found.zone) {
            return is_so(&part, compare.get(0).and_then(Json::as_str).unwrap_or_default(), &compare[2]);
        }
        let value = if column == asked.start { each.start } else { each.end };
        let operator = compare.get(0).and_then(Json::as_str).unwrap_or_default();
        let is_different = operator == "!=";
        if compare.get(2).is_some_and(Json::is_null) {
            return value.is_some() == is_different && matches!(operator, "==" | "!=");
        }
        let (Some(value), Some(moment)) = (value, found.moments.get(at).copied().flatten()) else {
            return is_different;
        };
        match operator {
            "<" => value < moment,
            "<=" => value <= moment,
            ">" => value > moment,
            ">=" => value >= moment,
            "!=" => value != moment,
            _ => value == moment,
        }
    };
    filter.is_null() || test(filter, &mut 0, &leaf)
}

impl Asked<'_> {
    /// The part of a time that a column holds for one occurrence, if it holds one.
    pub fn part(&self, column: usize, each: &Chose, zone: &Zone) -> Option<Json> {
        let (_, of_end, part) = self.parts.iter().find(|(part, ..)| *part == column)?;
        let time = if *of_end { each.end } else { each.start };
        Some(time.map_or(Json::Null, |time| part.of(zone.civil(time))))
    }
}

/// Compares a part as the prelude compares values: texts without regard to case.
fn is_so(has: &Json, operator: &str, wants: &Json) -> bool {
    let plain = |json: &Json| json.as_str().map_or_else(|| json.clone(), |text| json!(text.to_lowercase()));
    let (has, wants) = (plain(has), plain(wants));
    let text = |test: fn(&str, &str) -> bool| match (has.as_str(), wants.as_str()) {
        (Some(has), Some(wants)) => test(has, wants),
        _ => false,
    };
    let ordered = || (has.is_string() == wants.is_string() && !has.is_null()).then(|| compared(&has, &wants));
    match operator {
        "!=" => !is_so(&has, "==", &wants),
        "<" => ordered() == Some(Ordering::Less),
        ">" => ordered() == Some(Ordering::Greater),
        "<=" => ordered().is_some_and(Ordering::is_le),
        ">=" => ordered().is_some_and(Ordering::is_ge),
        "contains" => text(|has, wants| has.contains(wants)),
        "startsWith" => text(|has, wants| has.starts_with(wants)),
        "endsWith" => text(|has, wants| has.ends_with(wants)),
        _ if has.is_number() && wants.is_number() => ordered() == Some(Ordering::Equal),
        _ => has == wants,
    }
}

/// Missing values come last in either direction, as in the prelude.
fn order(a: &Chose, b: &Chose, found: &Candidates, asked: &Asked<'_>) -> Ordering {
    let rows = &found.rows;
    let key = |each: &Chose, at: usize, column: usize| match column {
        column if column == asked.start => each.start.map(Json::from),
        column if Some(column) == asked.end => each.end.map(Json::from),
        column if let Some((.., part)) = asked.parts.iter().find(|(part, ..)| *part == column) => {
            let value = asked.part(column, each, &found.zone).filter(|value| !value.is_null());
            value.map(|value| part.ranked(value))
        }
        _ => rows[each.row].keys.get(at).cloned().filter(|key| !key.is_null()),
    };
    for (at, (column, down)) in asked.sort.iter().enumerate() {
        let by_key = match (key(a, at, *column), key(b, at, *column)) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => return Ordering::Greater,
            (Some(_), None) => return Ordering::Less,
            (Some(a), Some(b)) => compared(&a, &b),
        };
        let by_key = if *down { by_key.reverse() } else { by_key };
        if by_key != Ordering::Equal {
            return by_key;
        }
    }
    // Ties have a fixed order, so rows from the app and rows from the index come in the same order.
    let last = |each: &Chose| (each.start.unwrap_or(i64::MAX), rows[each.row].id.to_string());
    last(a).cmp(&last(b))
}

fn compared(a: &Json, b: &Json) -> Ordering {
    match (a, b) {
        (Json::String(a), Json::String(b)) => a.cmp(b),
        _ => a.as_f64().unwrap_or_default().total_cmp(&b.as_f64().unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests;
