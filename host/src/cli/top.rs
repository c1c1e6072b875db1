//! `top`

mod screen;

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

use clap::Args;
use comfy_table::Table;
use iac_core::foreign;
use iac_state::servers;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value as Json, json};

use super::options::{Common, Mac};
use super::{Failure, paint};
use crate::activity::now;
use screen::Screen;

/// How often the view is updated.
const EVERY: Duration = Duration::from_secs(1);

/// The most characters that are shown of a name.
const NAME: usize = 40;

/// Shows what running servers do: calls, questions, queues and workers.
///
/// At a terminal the view updates until you press q. Elsewhere it is printed once.
#[derive(Debug, Args)]
pub(super) struct Top {
    /// Prints the view once, even at a terminal.
    #[arg(long)]
    once: bool,
}

impl Top {
    pub(super) fn run(self, common: &Common, mac: &Mac) -> Result<(), Failure> {
        let state = mac.look_at_state(common)?;
        if common.json {
            return Ok(paint::answer(&json!({ "servers": living(state.folder()) }), true)?);
        }
        if self.once || !Screen::is_possible() {
            return Ok(write!(
                anstream::stdout(),
                "{}",
                view(&living(state.folder()), state.folder(), now())
            )?);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(runtime.block_on(watch(state.folder()))?)
    }
}

async fn watch(folder: &Path) -> io::Result<()> {
    let mut screen = Screen::enter()?;
    loop {
        let time = local(now());
        let faint = paint::FAINT;
        let head = format!("{faint}iac-mcp top · {time} · q ends{faint:#}\n");
        screen.draw(&(head + &view(&living(folder), folder, now())))?;
        if screen.ended_within(EVERY).await {
            return Ok(());
        }
    }
}

/// Returns the status of the running servers, oldest first.
fn living(folder: &Path) -> Vec<Json> {
    let mut servers = servers::living(folder);
    servers.sort_by_key(|server| (number(&server["since"]), number(&server["process"])));
    servers
}

/// Formats the whole view. Text from clients and apps is cleaned.
fn view(servers: &[Json], folder: &Path, now: u64) -> String {
    let mut text = String::new();
    if servers.is_empty() {
        let what = "no server runs with the state in";
        let next = "MCP clients start servers: see `iac-mcp setup`";
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "{what} {}\n{next}", folder.display());
        return text;
    }
    let of_all = |list: &'static str| {
        let each = |server: &Json| server[list].as_array().cloned().unwrap_or_default();
        servers.iter().flat_map(each).collect::<Vec<_>>()
    };
    let under_way = servers.iter().map(|server| number(&server["underWay"])).sum::<u64>();
    let questions = of_all("questions");
    let strong = paint::STRONG;
    let _ = writeln!(
        text,
        "{strong}{}, {} now, {}{strong:#}",
        paint::count(servers.len(), "server"),
        paint::count(usize::try_from(under_way).unwrap_or(usize::MAX), "call"),
        paint::count(questions.len(), "open question"),
    );
    if !questions.is_empty() {
        let mut table = paint::table(&["Question, asked by the client", "Level", "Client", "#Open for"]);
        for question in &questions {
            table.add_row([
                clean(&question["what"], 200),
                clean(&question["level"], NAME),
                clean(&question["client"], NAME),
                ago(&question["since"], now),
            ]);
        }
        section(&mut text, &table);
    }
    let calls = of_all("calls");
    if !calls.is_empty() {
        let mut table = paint::table(&["Call", "Client", "#For"]);
        for call in &calls {
            table.add_row([
                clean(&call["tool"], NAME),
                clean(&call["client"], NAME),
                ago(&call["since"], now),
            ]);
        }
        section(&mut text, &table);
    }
    section(&mut text, &of_servers(servers, now));
    section(&mut text, &of_apps(servers));
    section(&mut text, &of_latest(of_all("latest")));
    text
}

fn of_servers(servers: &[Json], now: u64) -> Table {
    let mut table = paint::table(&["Server", "Client", "#Up", "#Calls", "#Errors", "#Events", "#Workers"]);
    for server in servers {
        let osascript = &server["osascript"];
        table.add_row([
            server["process"].to_string(),
            server["client"]
                .as_str()
                .map_or_else(|| "none yet".to_owned(), |name| foreign::clean(name, NAME)),
            ago(&server["since"], now),
            server["answered"].to_string(),
            server["failed"].to_string(),
            server["events"].to_string(),
            format!("{} of {}", osascript["workers"], osascript["mostWorkers"]),
        ]);
    }
    table
}

/// Makes a row for each app of each server, because every server has its own queue and worker for an app.
fn of_apps(servers: &[Json]) -> Table {
    let mut table = paint::table(&["App", "Server", "State", "#Waiting", "#Scripts", "#Worker", "#Memory"]);
    for server in servers {
        for (app, lane) in server["osascript"]["apps"].as_object().into_iter().flatten() {
            let worker = &lane["worker"];
            let is_kept = worker.is_object();
            table.add_row([
                if app.is_empty() { "(no app)".to_owned() } else { foreign::clean(app, NAME) },
                server["process"].to_string(),
                state(lane),
                lane["waiting"].to_string(),
                lane["began"].to_string(),
                if is_kept { worker["pid"].to_string() } else { "-".to_owned() },
                if is_kept { memory(number(&worker["memory"])) } else { "-".to_owned() },
            ]);
        }
    }
    table
}

/// Describes the state in one word, or names the server that the lane waits for: an app serves one server at a time.
fn state(lane: &Json) -> String {
    match lane["holder"]["pid"].as_u64() {
        Some(holder) => format!("waits for {holder}"),
        None => clean(&lane["state"], NAME),
    }
}

fn of_latest(mut latest: Vec<Json>) -> Table {
    latest.sort_by_key(|call| std::cmp::Reverse(number(&call["ended"])));
    let mut table = paint::table(&["Ended", "Call", "Client", "#Took", "Result"]);
    for call in latest.iter().take(20) {
        table.add_row([
            local(number(&call["ended"])),
            clean(&call["tool"], NAME),
            clean(&call["client"], NAME),
            format!("{} ms", call["elapsedMs"]),
            clean(&call["result"], NAME),
        ]);
    }
    table
}

fn section(text: &mut String, table: &Table) {
    if table.row_iter().next().is_some() {
        text.push('\n');
        for line in paint::lines(table) {
            let _ = writeln!(text, "{line}");
        }
    }
}

fn number(value: &Json) -> u64 {
    value.as_u64().unwrap_or_default()
}

fn clean(value: &Json, most: usize) -> String {
    foreign::clean(value.as_str().unwrap_or_default(), most)
}

fn memory(bytes: u64) -> String {
    format!("{} MB", bytes.div_ceil(1024 * 1024))
}

/// Formats how long ago a time was: `7 s`, `3 min`, `2 h 5 min`, `4 d 3 h`.
fn ago(since: &Json, now: u64) -> String {
    let seconds = now.saturating_sub(number(since)) / 1000;
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{minutes} min"),
        3600..86400 => format!("{hours} h {} min", minutes % 60),
        _ => format!("{} d {} h", hours / 24, hours % 24),
    }
}

/// Formats the time of day in this computer's time zone.
fn local(at: u64) -> String {
    let at = i64::try_from(at).ok().and_then(|at| Timestamp::from_millisecond(at).ok()).unwrap_or_default();
    at.to_zoned(TimeZone::system()).strftime("%H:%M:%S").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_as_long_as_somebody_wants_to_read() {
        for (seconds, expected) in [
            (0, "0 s"),
            (59, "59 s"),
            (60, "1 min"),
            (3_599, "59 min"),
            (7_500, "2 h 5 min"),
            (356_400, "4 d 3 h"),
        ] {
            assert_eq!(ago(&json!(1_000), 1_000 + seconds * 1000), expected);
        }
        assert_eq!(ago(&json!(2_000), 1_000), "0 s", "a clock that was set back");
    }

    #[test]
    fn what_others_wrote_cannot_move_the_cursor() {
        let client = "evil\u{1b}[2J\u{202e}client";
        let server = json!({
            "process": 7, "since": 0, "client": client, "underWay": 1, "answered": 1, "failed": 0, "events": 0,
            "calls": [{ "tool": "a\u{1b}]0;b", "client": client, "since": 0 }],
            "questions": [{ "what": "\u{1b}[1Ayes", "level": "MODIFY", "client": client, "since": 0 }],
            "latest": [{ "tool": "\r\n", "client": client, "ended": 0, "elapsedMs": 3, "result": "ok" }],
            "osascript": { "workers": 1, "mostWorkers": 8, "apps": { "com.\u{1b}c": { "state": "open", "waiting": 0, "began": 1, "worker": null } } },
        });
        let shown = anstream::adapter::strip_str(&view(&[server], Path::new("/state"), 0)).to_string();
        assert!(shown.contains("1 server, 1 call now, 1 open question"), "{shown}");
        assert!(!shown.contains(['\u{1b}', '\u{202e}', '\r']), "{shown:?}");
    }
}
