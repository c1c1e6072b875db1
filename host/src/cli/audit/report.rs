//! `audit report`: one HTML page that loads nothing from elsewhere.
//!
//! The names of apps and clients are untrusted. They reach the page only through [`escape`], as the text of an
//! element, and never in a script, an attribute name or a style. The page's content security policy also lets the
//! browser run only the script below.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use data_encoding::BASE64;
use iac_core::foreign;
use iac_state::audit::Record;
use jiff::Timestamp;
use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};

use super::{result, row};

const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

/// The most entries in the table, newest first, because a browser is slow with more. The charts count all entries.
const LISTED: usize = 2_000;

/// The most bars of a chart. The shorter ones are added up.
const BARS: usize = 10;

/// How much time one bar of the timeline covers: its name, its length in seconds, and the format of its start. The
/// first unit that needs few enough bars is used.
const UNITS: [(&str, i64, &str); 3] =
    [("hour", 3_600, "%d %b %H:00"), ("day", 86_400, "%d %b"), ("30 days", 30 * 86_400, "%d %b %Y")];

/// The most bars of the timeline.
const LONGEST: i64 = 100;

const KINDS: [&str; 5] = ["decision", "execution", "question", "operator", "start"];

/// Makes the page. `whole` tells whether the records are complete, and `intact` whether every log is unchanged.
pub(super) fn page(records: &[Record], whole: bool, intact: bool, now: Timestamp) -> String {
    let policy = BASE64.encode(&Sha256::digest(SCRIPT));
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'sha256-{policy}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>iac-mcp: audit report</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>What iac-mcp did</h1>\n<p class=\"faint\">{}</p>\n</header>\n<main>\n",
        escape(&span(records, whole, now))
    );
    totals(&mut page, records, intact);
    page.push_str("<div class=\"charts\">\n");
    timeline(&mut page, records);
    charts(&mut page, records);
    page.push_str("</div>\n");
    entries(&mut page, records);
    let _ = write!(page, "</main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n");
    page
}

fn span(records: &[Record], whole: bool, now: Timestamp) -> String {
    let part = if whole { "" } else { " Only the entries that were asked for." };
    let day = |record: Option<&Record>| record.and_then(Record::at).map(|at| minute(at).to_string());
    match (day(records.first()), day(records.last())) {
        (Some(first), Some(last)) => {
            format!("{first} to {last}, made {}. Times are in UTC.{part}", minute(now))
        }
        _ => format!("Made {}. There are no entries.{part}", minute(now)),
    }
}

fn minute(at: Timestamp) -> impl std::fmt::Display {
    at.strftime("%Y-%m-%d %H:%M")
}

fn totals(page: &mut String, records: &[Record], intact: bool) {
    let of =
        |kind: &str| records.iter().filter(|record| record.fields.get("kind") == Some(&json!(kind))).count();
    let refused = records.iter().filter(|record| allowed(record) == Some(false)).count();
    let events: u64 = records.iter().filter_map(|record| record.fields.get("events")?.as_u64()).sum();
    let log = if intact { ("allowed", "unchanged") } else { ("refused", "changed: see audit verify") };
    page.push_str("<dl>\n");
    for (name, class, value) in [
        ("decisions", "", of("decision").to_string()),
        ("refused", if refused > 0 { "refused" } else { "" }, refused.to_string()),
        ("questions to a person", "", of("question").to_string()),
        ("scripts", "", of("execution").to_string()),
        ("Apple events", "", events.to_string()),
        ("changes by the operator", "", of("operator").to_string()),
        ("the log", log.0, log.1.to_owned()),
    ] {
        let _ = writeln!(page, "<div><dt>{name}</dt><dd class=\"{class}\">{value}</dd></div>");
    }
    page.push_str("</dl>\n");
}

/// Draws decisions over time: a bar for each hour or day, with the refused decisions below the allowed ones.
fn timeline(page: &mut String, records: &[Record]) {
    const HEIGHT: f64 = 120.0;
    let decisions: Vec<(i64, bool)> =
        records.iter().filter_map(|record| Some((record.at()?.as_second(), allowed(record)?))).collect();
    let seconds = decisions.iter().map(|(at, _)| *at);
    let (Some(first), Some(last)) = (seconds.clone().min(), seconds.max()) else { return };
    let bars_of = |unit: i64| last.div_euclid(unit) - first.div_euclid(unit) + 1;
    let Some((name, unit, form)) = UNITS.into_iter().find(|(_, unit, _)| bars_of(*unit) <= LONGEST) else {
        return;
    };
    let start = first.div_euclid(unit);
    let mut bars: Vec<[u32; 2]> = (0..bars_of(unit)).map(|_| [0, 0]).collect();
    for (at, is_allowed) in decisions {
        if let Some(bar) = usize::try_from(at.div_euclid(unit) - start).ok().and_then(|at| bars.get_mut(at)) {
            bar[usize::from(!is_allowed)] += 1;
        }
    }
    let most = bars.iter().map(|[yes, no]| yes + no).max().unwrap_or(1).max(1);
    let each = (1_000.0 / bars.len() as f64).min(60.0);
    let labelled = bars.len().div_ceil(10);
    let _ = writeln!(
        page,
        "<section class=\"wide\">\n<h2>Decisions by {name}: <span class=\"allowed\">allowed</span>, <span \
         class=\"refused\">refused</span></h2>\n<svg viewBox=\"0 0 1000 145\" role=\"img\" aria-label=\"At most {most} \
         decisions in one {name}\">"
    );
    for (at, (begins, [yes, no])) in (start..).zip(bars).enumerate() {
        let label =
            Timestamp::from_second(begins * unit).map(|at| at.strftime(form).to_string()).unwrap_or_default();
        let height = |count: u32| f64::from(count) / f64::from(most) * HEIGHT;
        let (x, width) = (at as f64 * each, (each - 2.0).max(1.0));
        let _ = writeln!(page, "<g><title>{label}: {yes} allowed, {no} refused</title>");
        for (class, count, below) in [("allowed", yes, no), ("refused", no, 0)] {
            let (y, tall) = (HEIGHT - height(count + below), height(count));
            let _ = writeln!(
                page,
                "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{tall:.1}\"/>"
            );
        }
        page.push_str("</g>\n");
        if at % labelled == 0 {
            let _ = writeln!(page, "<text x=\"{x:.1}\" y=\"138\">{label}</text>");
        }
    }
    page.push_str("</svg>\n</section>\n");
}

fn charts(page: &mut String, records: &[Record]) {
    let (mut sources, mut apps, mut clients) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let mut times: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for record in records {
        let text = |value: &Json| foreign::clean(value.as_str().unwrap_or_default(), 60);
        let field = |name: &str| record.fields.get(name).unwrap_or(&Json::Null);
        let call = field("call");
        match field("kind").as_str() {
            Some("decision") => {
                let word = if allowed(record) == Some(true) { "allowed" } else { "refused" };
                add(&mut sources, format!("{word}: {}, {}", text(field("level")), text(field("by"))), 1.0);
                add(&mut clients, text(&call["client"]), 1.0);
            }
            Some("execution") => {
                let app = Some(text(field("app"))).filter(|app| !app.is_empty());
                let app = app.unwrap_or_else(|| "(the system)".to_owned());
                add(&mut apps, app, field("events").as_f64().unwrap_or_default());
                times
                    .entry(text(&call["tool"]))
                    .or_default()
                    .push(field("elapsedMs").as_f64().unwrap_or_default());
            }
            _ => {}
        }
    }
    let middle = |(tool, mut times): (String, Vec<f64>)| {
        times.sort_by(f64::total_cmp);
        let slowest = times.last().copied().unwrap_or_default();
        let words = format!("{} ms, at most {slowest} ms", times[times.len() / 2]);
        (tool, times[times.len() / 2], words)
    };
    bars(page, "Who decided", counted(sources));
    bars(page, "Apple events by app", counted(apps));
    bars(page, "Decisions by client", counted(clients));
    bars(page, "Time of a script by tool: the middle one", times.into_iter().map(middle).collect());
}

fn add(sums: &mut BTreeMap<String, f64>, name: String, value: f64) {
    *sums.entry(name).or_default() += value;
}

fn counted(sums: BTreeMap<String, f64>) -> Vec<(String, f64, String)> {
    let sums = sums.into_iter().filter(|(_, sum)| *sum > 0.0);
    sums.map(|(name, sum)| (name, sum, sum.to_string())).collect()
}

/// Draws a chart as a table: a name, a bar, and a value.
fn bars(page: &mut String, title: &str, mut rows: Vec<(String, f64, String)>) {
    rows.sort_by(|one, other| other.1.total_cmp(&one.1));
    let more = rows.len().saturating_sub(BARS);
    let most = rows.first().map_or(1.0, |row| row.1.max(1.0));
    let _ = writeln!(page, "<section>\n<h2>{title}</h2>\n<table class=\"bars\">");
    for (name, value, words) in rows.into_iter().take(BARS) {
        let class =
            name.split(':').next().filter(|word| matches!(*word, "allowed" | "refused")).unwrap_or_default();
        let name = if name.is_empty() { "(without a name)" } else { &name };
        let _ = writeln!(
            page,
            "<tr><th scope=\"row\">{}</th><td><svg viewBox=\"0 0 100 12\" height=\"12\" preserveAspectRatio=\"none\" \
             aria-hidden=\"true\"><rect class=\"{class}\" width=\"{:.1}\" height=\"12\"/></svg></td><td>{}</td></tr>",
            escape(name),
            (value / most * 100.0).max(0.5),
            escape(&words)
        );
    }
    page.push_str("</table>\n");
    if more > 0 {
        let _ = writeln!(page, "<p class=\"faint\">and {more} more</p>");
    }
    page.push_str("</section>\n");
}

fn entries(page: &mut String, records: &[Record]) {
    let listed = &records[records.len().saturating_sub(LISTED)..];
    let all = records.len();
    let newest = if listed.len() < all { format!("the newest {LISTED} of {all}") } else { all.to_string() };
    let options: String = KINDS.iter().map(|kind| format!("<option>{kind}</option>")).collect();
    let _ = write!(
        page,
        "<section>\n<h2>Entries: {newest}</h2>\n<form hidden role=\"search\"><label>Search <input name=\"words\" type=\"search\" \
         placeholder=\"mail refused\"></label><label>Kind <select name=\"kind\"><option value=\"\">all</option>{options}</select>\
         </label><output class=\"faint\"></output></form>\n<div class=\"entries\" role=\"region\" aria-label=\"Entries\" \
         tabindex=\"0\">\n<table>\n<thead><tr>"
    );
    for name in ["Time", "Kind", "Client", "Tool", "What", "Level", "Result"] {
        let _ = write!(page, "<th scope=\"col\">{name}</th>");
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for record in listed.iter().rev() {
        let cells = row(record);
        let _ = write!(page, "<tr data-kind=\"{}\">", escape(&cells[1]));
        for (at, cell) in cells.iter().enumerate() {
            let class = match (at, cell.as_str()) {
                (5, "MODIFY" | "DANGEROUS") => " class=\"modify\"",
                (6, _) if result(record).starts_with("refused") => " class=\"refused\"",
                _ => "",
            };
            let _ = write!(page, "<td{class}>{}</td>", escape(cell));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table>\n</div>\n</section>\n");
}

fn allowed(record: &Record) -> Option<bool> {
    record.fields.get("allowed")?.as_bool()
}

/// Escapes text for an HTML element or a quoted attribute.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests;
