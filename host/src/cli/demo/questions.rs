//! The three questions of the demo: the calls that answer each, and the conclusion.

use serde_json::{Value as Json, json};

use super::conversation::Conversation;
use super::dates::{self, Week};
use crate::cli::Failure;
use crate::cli::dictionary::clean;

/// The most names that are listed.
const NAMED: usize = 25;

/// "What's my most recent email?"
pub(super) async fn mail(ask: &mut Conversation) -> Result<(), Failure> {
    ask.question("What's my most recent email?")?;
    let wanted = json!({
        "app": "Mail", "elements": "every message of inbox", "properties": ["subject", "sender", "date received"],
        "sort": [{ "property": "date received", "order": "desc" }], "limit": 1,
    });
    let found = ask.call("iac_mcp_get_elements", "the newest message, in one call", wanted).await?;
    let message = &found["elements"][0]["properties"];
    let sender = text(&message["sender"]);
    let sender = sender.split(" <").next().unwrap_or_default();
    let received = dates::read(&text(&message["date received"]));
    let received = received.map(|at| format!(", received {}", dates::in_words(at, dates::today())));
    let sentence = format!(
        "Your most recent email is “{}” from {sender}{}.",
        text(&message["subject"]),
        received.unwrap_or_default()
    );
    ask.conclude(&sentence, &[])
}

/// "List the files in my Documents folder"
pub(super) async fn files(ask: &mut Conversation) -> Result<(), Failure> {
    ask.question("List the files in my Documents folder")?;
    let wanted = json!({
        "app": "Finder", "elements": "every file of folder \"Documents\" of home",
        "properties": ["name", "kind", "size"], "sort": [{ "property": "name", "order": "asc" }],
    });
    let files = ask.call("iac_mcp_get_elements", "its files, by name", wanted).await?;
    let names: Vec<String> =
        list(&files["elements"]).iter().map(|file| text(&file["properties"]["name"])).collect();
    let sentence = match names.len() {
        0 => "There are no files in your Documents folder.".to_owned(),
        1 => format!("There is one file in your Documents folder: {}.", names[0]),
        count => format!("There are {count} files in your Documents folder:"),
    };
    let lines = if names.len() > 1 { in_lines(&names) } else { Vec::new() };
    ask.conclude(&sentence, &lines)
}

/// "What is on my calendar this week?"
pub(super) async fn week(ask: &mut Conversation) -> Result<(), Failure> {
    ask.question("What is on my calendar this week?")?;
    let week = Week::of(dates::today());
    let found = ask.call("iac_mcp_get_elements", "this week, over all calendars", within(week)).await?;
    let events: Vec<&Json> = list(&found["elements"]).iter().map(|event| &event["properties"]).collect();
    let sentence = match events.len() {
        0 => format!("Nothing is on your calendar this week ({}).", week.in_words()),
        1 => format!("One event is on your calendar this week ({}):", week.in_words()),
        count => format!("{count} events are on your calendar this week ({}):", week.in_words()),
    };
    ask.conclude(&sentence, &events.into_iter().map(event).collect::<Vec<_>>())
}

fn within(week: Week) -> Json {
    let events = format!(
        "every event of every calendar whose start date >= date \"{}\" and start date < date \"{}\"",
        week.monday, week.next
    );
    json!({
        "app": "Calendar", "elements": events,
        "properties": ["summary", "start date", "end date", "location", "allday event"],
        "sort": [{ "property": "start date", "order": "asc" }],
    })
}

/// Formats an event on one line: `Mon 16  09:30–10:00  Week start, Room 2`.
fn event(event: &Json) -> String {
    let at = |key: &str| dates::read(&text(&event[key]));
    let time = |key: &str| at(key).map_or_else(|| "     ".to_owned(), |at| at.strftime("%H:%M").to_string());
    let day = at("start date").map_or_else(String::new, |at| at.strftime("%a %d").to_string());
    let hours = match event["allday event"] == true {
        true => "all day    ".to_owned(),
        false => format!("{}–{}", time("start date"), time("end date")),
    };
    let place =
        Some(text(&event["location"])).filter(|place| !place.is_empty()).map(|place| format!(", {place}"));
    format!("{day}  {hours}  {}{}", text(&event["summary"]), place.unwrap_or_default())
}

/// Lists the first names, and how many more there are.
fn in_lines(names: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = names.iter().take(NAMED).map(|name| shortened(name)).collect();
    let more = names.len().saturating_sub(NAMED);
    lines.extend((more > 0).then(|| format!("… and {more} more")));
    lines
}

fn shortened(name: &str) -> String {
    match name.char_indices().nth(70) {
        None => name.to_owned(),
        Some((at, _)) => format!("{}…", &name[..at]),
    }
}

fn list(value: &Json) -> &[Json] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text(value: &Json) -> String {
    clean(value.as_str().unwrap_or_default())
}
