//! `audit`

mod report;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use iac_core::dictionary::names;
use iac_core::fault::did_you_mean;
use iac_core::{Millis, foreign};
use iac_state::State;
use iac_state::audit::{self, Record};
use jiff::Timestamp;
use serde_json::{Map, Value as Json, json};

use super::options::{Common, Mac};
use super::policy::now;
use super::{Failure, paint};

/// The default number of entries to show.
const SHOWN: usize = 50;

/// Entries are kept for at least one day.
const DAY: Millis = Millis(24 * 60 * 60 * 1000);

/// Shows, exports and verifies the audit log of decisions and changes.
#[derive(Debug, Args)]
pub(super) struct Audit {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    filter: Filter,
    #[command(flatten)]
    most: Most,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Shows the latest entries.
    Show(Shown),
    /// Checks that every log is unchanged and shows where one is not.
    Verify,
    /// Prints all entries as lines of JSON, in order of time.
    Export(Filter),
    /// Prints a page of HTML with charts of decisions, apps and times, and a table to search.
    Report(Filter),
    /// Shows new entries as they arrive.
    Follow(Followed),
    /// Acknowledges the current findings of `verify`; later runs report only new ones.
    Accept,
    /// Removes old logs. The server itself removes logs after 90 days.
    Remove {
        /// The age of the logs to remove: 7d, 30d; at least one day.
        #[arg(long, value_parser = days)]
        older: Millis,
    },
}

#[derive(Debug, Args)]
struct Shown {
    #[command(flatten)]
    filter: Filter,
    #[command(flatten)]
    most: Most,
}

#[derive(Debug, Args)]
struct Followed {
    #[command(flatten)]
    filter: Filter,
    /// How many earlier entries to show first; none by default.
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    limit: usize,
}

#[derive(Debug, Args)]
struct Most {
    /// The largest number of entries to show; 50 by default.
    #[arg(long)]
    limit: Option<usize>,
}

#[derive(Debug, Default, PartialEq, Eq, Args)]
struct Filter {
    /// Only entries about this app: a part of its bundle id.
    #[arg(long)]
    app: Option<String>,
    /// Only entries about this tool.
    #[arg(long)]
    tool: Option<String>,
    /// Only entries of this kind.
    #[arg(long, value_enum)]
    kind: Option<Kind>,
    /// Only refusals.
    #[arg(long)]
    refused: bool,
    /// Only changes that ran, with how they ended.
    #[arg(long, conflicts_with = "refused")]
    changes: bool,
    /// Only recent entries: 30m, 2h, 7d.
    #[arg(long, value_parser = span)]
    since: Option<Millis>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// A log began.
    Start,
    /// Something was allowed or refused.
    Decision,
    /// A human was asked.
    Question,
    /// A script ran.
    Execution,
    /// The operator changed something on the command line.
    Operator,
}

impl Kind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Decision => "decision",
            Self::Question => "question",
            Self::Execution => "execution",
            Self::Operator => "operator",
        }
    }
}

impl Audit {
    pub(super) fn run(self, common: &Common, mac: &Mac) -> Result<(), Failure> {
        let Self { command, filter, most } = self;
        let is_bare = filter == Filter::default() && most.limit.is_none();
        if command.is_some() && !is_bare {
            let what = "put the filters after the command, as in `audit export --refused`";
            return Err(Failure::Misuse(what.to_owned()));
        }
        let state = match command {
            Some(Command::Accept | Command::Remove { .. }) => mac.open_state(common)?,
            _ => mac.look_at_state(common)?,
        };
        match command {
            None => filter.show(&state, most.number(), common),
            Some(Command::Show(Shown { filter, most })) => filter.show(&state, most.number(), common),
            Some(Command::Verify) => verify(&state, common),
            Some(Command::Export(filter)) => filter.export(&state),
            Some(Command::Report(filter)) => filter.report(&state),
            Some(Command::Follow(Followed { filter, limit })) => filter.follow(&state, limit),
            Some(Command::Accept) => accept(&state, common),
            Some(Command::Remove { older }) => {
                let removed = state.remove_logs(now(), older)?;
                Ok(paint::done(&format!("removed: {removed}"), &json!({ "removed": removed }), common.json)?)
            }
        }
    }
}

impl Audit {
    /// Whether the command lists entries.
    pub(super) fn shows(&self) -> bool {
        matches!(self.command, None | Some(Command::Show(_)))
    }
}

fn verify(state: &State, common: &Common) -> Result<(), Failure> {
    let findings = audit::verify(state.folder())?;
    let mut stdout = paint::stdout();
    if common.json {
        let found: Vec<Json> = findings
            .iter()
            .map(|finding| json!({ "file": finding.file, "line": finding.line, "wrong": finding.wrong }))
            .collect();
        paint::answer(&json!({ "intact": found.is_empty(), "findings": found }), true)?;
    } else if findings.is_empty() {
        let good = paint::GOOD;
        writeln!(stdout, "{good}every log is unchanged{good:#}")?;
    }
    for finding in findings.iter().filter(|_| !common.json) {
        let (error, line) = (paint::ERROR, finding.line.map(|line| format!(":{line}")).unwrap_or_default());
        writeln!(stdout, "{error}{}{line}{error:#}: {}", finding.file, finding.wrong)?;
    }
    if findings.is_empty() { Ok(()) } else { Err(Failure::Said) }
}

fn accept(state: &State, common: &Common) -> Result<(), Failure> {
    let findings = state.accept_findings(now())?;
    if common.json {
        let findings: Vec<String> = findings.iter().map(ToString::to_string).collect();
        return Ok(paint::answer(&json!({ "acknowledged": findings }), true)?);
    }
    let mut stdout = paint::stdout();
    findings.iter().try_for_each(|finding| writeln!(stdout, "{finding}"))?;
    Ok(writeln!(stdout, "acknowledged: {}", findings.len())?)
}

impl Most {
    fn number(&self) -> usize {
        self.limit.unwrap_or(SHOWN)
    }
}

impl Filter {
    fn show(&self, state: &State, most: usize, common: &Common) -> Result<(), Failure> {
        let records = self.read(state)?;
        let latest = &records[records.len().saturating_sub(most)..];
        if common.json {
            let entries: Vec<Json> = latest.iter().map(as_json).collect();
            return Ok(paint::answer(
                &json!({ "entries": entries, "more": records.len() - latest.len() }),
                true,
            )?);
        }
        if latest.is_empty() {
            return Ok(writeln!(paint::stdout(), "{}", self.none(state)?)?);
        }
        let mut table = paint::table(&["Time", "Kind", "Client", "Tool", "What", "Level", "Result"]);
        for record in latest {
            table.add_row(row(record));
        }
        paint::print(&table)?;
        let more = records.len() - latest.len();
        if more > 0 {
            let faint = paint::FAINT;
            writeln!(paint::stdout(), "{faint}and {more} earlier; --limit shows more{faint:#}")?;
        }
        Ok(())
    }

    /// Says that there are no entries, and which apps have some if none has the wanted name.
    fn none(&self, state: &State) -> Result<String, Failure> {
        let Some(app) = self.app.as_deref() else { return Ok("no entries".to_owned()) };
        let records = audit::read(state.folder())?;
        let all: BTreeSet<String> = records.iter().flat_map(apps).filter(|id| !id.is_empty()).collect();
        let app = app.to_lowercase();
        if all.iter().any(|id| id.contains(&app)) {
            return Ok("no entries".to_owned());
        }
        // People know an app by the last part of its bundle id.
        let last = |id: &String| id.rsplit('.').next().unwrap_or_default().to_owned();
        let lasts: Vec<String> = all.iter().map(last).collect();
        let near = names::near(&app, all.iter().chain(&lasts).map(String::as_str), 3);
        Ok(format!("no entries about an app `{}`{}", foreign::clean(&app, 80), did_you_mean(&near)))
    }

    fn export(&self, state: &State) -> Result<(), Failure> {
        let mut stdout = anstream::stdout();
        Ok(self.read(state)?.iter().try_for_each(|record| writeln!(stdout, "{}", as_json(record)))?)
    }

    fn report(&self, state: &State) -> Result<(), Failure> {
        if std::io::stdout().is_terminal() {
            let what =
                "the report is a page of HTML; put it into a file: `iac-mcp audit report > report.html`";
            return Err(Failure::Misuse(what.to_owned()));
        }
        let is_intact = audit::verify(state.folder())?.is_empty();
        let page = report::page(&self.read(state)?, *self == Self::default(), is_intact, Timestamp::now());
        Ok(anstream::stdout().write_all(page.as_bytes())?)
    }

    /// Polls for new entries and shows them, until the process is stopped.
    fn follow(&self, state: &State, most: usize) -> Result<(), Failure> {
        let place = |record: &Record| (record.file.clone(), record.line);
        let mut stdout = paint::stdout();
        let records = self.read(state)?;
        let earlier = records.len().saturating_sub(most);
        let mut seen: BTreeSet<(String, u64)> = records[..earlier].iter().map(place).collect();
        loop {
            let records = self.read(state)?;
            for record in records.iter().filter(|record| !seen.contains(&place(record))) {
                writeln!(stdout, "{}", row(record).join("  "))?;
            }
            stdout.flush()?;
            seen = records.iter().map(place).collect();
            std::thread::sleep(Duration::from_millis(500));
        }
    }

    fn read(&self, state: &State) -> Result<Vec<Record>, Failure> {
        let from = self.since.map(|since| now().0.saturating_sub(since.0));
        let from = from.and_then(|from| Timestamp::from_millisecond(i64::try_from(from).ok()?).ok());
        let mut records = audit::read(state.folder())?;
        if self.changes {
            records = changed(records);
        }
        records.retain(|record| self.fits(record, from));
        Ok(records)
    }

    fn fits(&self, record: &Record, from: Option<Timestamp>) -> bool {
        let text = |value: &Json| value.as_str().unwrap_or_default().to_lowercase();
        let holds = |wanted: &Option<String>, given: &str| {
            wanted.as_ref().is_none_or(|wanted| given.contains(&wanted.to_lowercase()))
        };
        let field = |name: &str| record.fields.get(name).unwrap_or(&Json::Null);
        let apps: Vec<String> = apps(record).collect();
        holds(&self.app, &apps.join(" "))
            && holds(&self.tool, &text(&field("call")["tool"]))
            && self.kind.is_none_or(|kind| text(field("kind")) == kind.as_str())
            && (!self.refused || *field("allowed") == json!(false))
            && from.is_none_or(|from| record.at().is_some_and(|at| at >= from))
    }
}

/// The bundle ids that an entry names.
fn apps(record: &Record) -> impl Iterator<Item = String> {
    let scopes = record.fields.get("scopes").and_then(Json::as_array).into_iter().flatten();
    let all = record.fields.get("app").into_iter().chain(scopes.filter_map(|scope| scope.get("app")));
    all.map(|app| app.as_str().unwrap_or_default().to_lowercase())
}

/// Returns the scripts that ran and could change something. Each has the level, the scopes and the source of its
/// decision, which is the last one of the same call.
fn changed(records: Vec<Record>) -> Vec<Record> {
    let mut decided: BTreeMap<(String, u64), Map<String, Json>> = BTreeMap::new();
    let mut changed = Vec::new();
    for mut record in records {
        let Some(number) = record.fields.get("call").and_then(|call| call["number"].as_u64()) else {
            continue;
        };
        let call = (record.file.clone(), number);
        match record.fields.get("kind").and_then(Json::as_str) {
            Some("decision") => {
                decided.insert(call, record.fields);
            }
            Some("execution") => {
                let Some(decision) = decided.get(&call) else { continue };
                if !matches!(decision.get("level").and_then(Json::as_str), Some("MODIFY" | "DANGEROUS")) {
                    continue;
                }
                for name in ["level", "scopes", "by"] {
                    record.fields.insert(name.to_owned(), decision.get(name).cloned().unwrap_or_default());
                }
                changed.push(record);
            }
            _ => {}
        }
    }
    changed
}

fn as_json(record: &Record) -> Json {
    let mut fields = record.fields.clone();
    fields.insert("file".to_owned(), json!(record.file));
    Json::Object(fields)
}

/// Formats one entry for people. Text from clients and apps is cleaned.
fn row(record: &Record) -> [String; 7] {
    let field = |name: &str| record.fields.get(name).unwrap_or(&Json::Null);
    let clean = |value: &Json| foreign::clean(value.as_str().unwrap_or_default(), 80);
    let call = field("call");
    [
        clean(field("time")).replace('T', " "),
        clean(field("kind")),
        who(call),
        clean(&call["tool"]),
        what(record),
        clean(field("level")),
        result(record),
    ]
}

/// Names the client of a call, and the plugin if one made the call.
fn who(call: &Json) -> String {
    let clean = |value: &Json| foreign::clean(value.as_str().unwrap_or_default(), 80);
    match call["plugin"].is_string() {
        true => format!("{}, plugin {}", clean(&call["client"]), clean(&call["plugin"])),
        false => clean(&call["client"]),
    }
}

fn what(record: &Record) -> String {
    let field = |name: &str| record.fields.get(name).unwrap_or(&Json::Null);
    let clean = |value: &Json| foreign::clean(value.as_str().unwrap_or_default(), 80);
    if let Some(order) = field("order").as_str() {
        return foreign::clean(order, 120);
    }
    let Some(scope) = field("scopes").get(0) else { return clean(field("app")) };
    let of = [&scope["command"]["name"], &scope["property"]].into_iter().find(|name| name.is_string());
    let what = of.map(|name| format!(" {}", clean(name))).unwrap_or_default();
    let more = field("scopes").as_array().map_or(0, Vec::len).saturating_sub(1);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{what}{more}", clean(&scope["app"]))
}

fn result(record: &Record) -> String {
    let field = |name: &str| record.fields.get(name).unwrap_or(&Json::Null);
    let text = |name: &str| foreign::clean(field(name).as_str().unwrap_or_default(), 120);
    match field("kind").as_str() {
        Some("decision") => {
            let word = if *field("allowed") == json!(true) { "allowed" } else { "refused" };
            format!("{word}: {}", text("by"))
        }
        Some("execution") => {
            let events = field("events").as_u64().and_then(|events| usize::try_from(events).ok());
            let events = paint::count(events.unwrap_or_default(), "event");
            // Only a list of changes has the source of the decision here.
            let by = field("by").as_str().map(|by| format!(", allowed by: {}", foreign::clean(by, 120)));
            let by = by.unwrap_or_default();
            format!("{}, {events}, {} ms{by}", text("result"), field("elapsedMs"))
        }
        Some("question") => text("reason"),
        Some("start") => format!("version {}", text("version")),
        _ => String::new(),
    }
}

/// Parses `30m`, `2h` or `7d`.
fn span(text: &str) -> Result<Millis, String> {
    let wrong = || format!("expected a number with s, m, h or d, such as 2h, got {text}");
    let unit = text.chars().last().ok_or_else(wrong)?;
    let seconds = [('s', 1), ('m', 60), ('h', 3_600), ('d', 86_400)];
    let (_, seconds) = seconds.into_iter().find(|(name, _)| *name == unit).ok_or_else(wrong)?;
    let number: u64 = text[..text.len() - unit.len_utf8()].parse().map_err(|_| wrong())?;
    Ok(Millis(number.saturating_mul(seconds).saturating_mul(1_000)))
}

/// Parses `7d` or `30d`. Nothing younger than a day is removed.
fn days(text: &str) -> Result<Millis, String> {
    let old = span(text)?;
    if old < DAY { Err(format!("expected at least one day, such as 7d, got {text}")) } else { Ok(old) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_of_a_plugin_names_it() {
        assert_eq!(who(&json!({ "client": "desk", "plugin": "notes" })), "desk, plugin notes");
        assert_eq!(who(&json!({ "client": "desk" })), "desk");
        assert_eq!(who(&Json::Null), "");
    }

    #[test]
    fn spans_are_a_number_and_a_unit() {
        for (text, expected) in [("30s", 30_000), ("2h", 7_200_000), ("7d", 604_800_000), ("0m", 0)] {
            assert_eq!(span(text), Ok(Millis(expected)), "{text}");
        }
        for wrong in ["", "h", "2", "2w", "-1h", "é"] {
            assert!(span(wrong).is_err(), "{wrong}");
        }
        assert_eq!(days("24h"), Ok(DAY));
        assert!(days("23h").is_err_and(|wrong| wrong.contains("at least one day")));
    }
}
