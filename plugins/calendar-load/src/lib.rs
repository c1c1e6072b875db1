//! How full a week is: busy hours of each day, events that overlap, and free slots within working hours, from Calendar.
//!
//! Times are those of the Mac's wall clock. The server lists each date of a repeating event.

mod clock;
mod span;
mod events;
mod request;
mod load;
#[cfg(test)]
mod tests;

use iac_plugin::apps::App;
use iac_plugin::{Arguments, Fault, Json, Plugin, Tool, apps, json, log};

use clock::Minute;
use events::{Event, happening};
use request::{Request, schema};

const PAGE: usize = 1_000;
const MOST: usize = 5_000;
const MOST_REASONS: usize = 20;

struct CalendarLoad;

impl Plugin for CalendarLoad {
    fn tools() -> Vec<Tool> {
        vec![
            Tool::reads("calendar_load", DESCRIPTION, schema())
                .titled("Busy hours, conflicts and free slots"),
        ]
    }

    fn call(_tool: &str, arguments: Arguments) -> Result<Json, Fault> {
        let now = iac_plugin::clock::now();
        let ahead = i64::from(now.offset_seconds).div_euclid(60);
        let minute = Minute(i64::try_from(now.milliseconds / 60_000).unwrap_or(0) + ahead);
        let request = Request::read(arguments, minute.day())?;
        let found = Found::read(&request)?;
        let mut answer = found.answer(&request);
        (answer["now"], answer["zone"]) = (json!(minute.to_string()), json!(now.zone));
        Ok(answer)
    }
}

iac_plugin::export!(CalendarLoad);

const DESCRIPTION: &str = "Measures a range of days in Calendar: busy hours per day, timed events that overlap, and free \
    slots within working hours. Returns {from,to,days:[{date,weekday,events,allDay,busyHours,workingHours,\
    busyWorkingHours,freeHours,free:[{start,end,minutes}]}],busyHours,freeHours,conflicts:[{start,end,minutes,events}],\
    otherConflicts,calendars,complete,reasons,note,now,zone}. All-day and cancelled events take no time; tentative ones do, and \
    so do invitations that were declined, which Calendar does not tell. If `complete` is false, \
    `reasons` lists what could not be read. `note` may say how exact the dates of repeating events are. References of events can be given to the other tools.";

/// The events that were read from the calendars.
#[derive(Debug, Default)]
struct Found {
    calendars: Vec<String>,
    events: Vec<Event>,
    reasons: Vec<String>,
    /// The parts of the host's notes, each once: every calendar has a note of its own.
    notes: Vec<String>,
}

impl Found {
    /// Reads the events of all requested calendars; each page of one calendar takes one call.
    fn read(request: &Request) -> Result<Self, Fault> {
        let app = apps::open("com.apple.iCal")?;
        let page = app.get_elements(&json!({
            "container": {"type": "application"}, "elementType": "calendar", "properties": ["name"], "limit": PAGE,
        }))?;
        let mut found = Self::default();
        found.note(&page, "the list of calendars");
        let chosen = chosen(rows(&page), request.calendars.as_deref())?;
        for (place, (name, reference)) in chosen.iter().enumerate() {
            found.read_calendar(&app, name, reference, request)?;
            log::progress(clip(place + 1), Some(clip(chosen.len())), "calendars read");
        }
        Ok(found)
    }

    fn read_calendar(
        &mut self,
        app: &App,
        name: &str,
        reference: &Json,
        request: &Request,
    ) -> Result<(), Fault> {
        self.calendars.push(name.to_owned());
        let mut offset = 0;
        loop {
            let page = match app.get_elements(&question(reference, request, offset)) {
                Ok(page) => page,
                Err(fault) if is_of_one(&fault) => {
                    self.reasons.push(format!("calendar `{name}` was not read whole: {fault}"));
                    return Ok(());
                }
                Err(fault) => return Err(fault),
            };
            offset += self.take(&page, name);
            if page["hasMore"] == false || rows(&page).is_empty() {
                return Ok(());
            }
            if self.events.len() >= MOST {
                self.reasons
                    .push(format!("calendar `{name}` holds more events, only {MOST} of all are looked at"));
                return Ok(());
            }
        }
    }

    /// Takes the events of a page; returns how many rows it had.
    fn take(&mut self, page: &Json, calendar: &str) -> usize {
        let rows = rows(page);
        let before = self.events.len();
        self.events.extend(rows.iter().filter_map(|row| Event::read(row, calendar)));
        let unread = rows.len() - (self.events.len() - before);
        if unread > 0 {
            self.reasons
                .push(format!("calendar `{calendar}` has events without dates that can be read: {unread}"));
        }
        self.note(page, &format!("calendar `{calendar}`"));
        rows.len()
    }

    /// Keeps the host's reason why an answer is incomplete, and its note on the dates of repeating events.
    fn note(&mut self, page: &Json, what: &str) {
        for part in page["note"].as_str().into_iter().flat_map(|note| note.split("; ")) {
            if !self.notes.iter().any(|known| known == part) {
                self.notes.push(part.to_owned());
            }
        }
        if page["complete"] == false {
            let reason = page["reason"].as_str().unwrap_or("no reason was given");
            self.reasons.push(format!("{what} was not read whole: {reason}"));
        }
    }

    fn answer(self, request: &Request) -> Json {
        let mut answer = load::show(&happening(&self.events, request.range()), request);
        let mut reasons = self.reasons;
        answer["calendars"] = json!(self.calendars);
        answer["complete"] = json!(reasons.is_empty());
        if reasons.len() > MOST_REASONS {
            let others = reasons.split_off(MOST_REASONS).len();
            reasons.push(format!("and {others} more"));
        }
        answer["reasons"] = json!(reasons);
        if !self.notes.is_empty() {
            answer["note"] = json!(self.notes.join("; "));
        }
        answer
    }
}

/// Returns the names and references of the requested calendars.
fn chosen(rows: &[Json], wanted: Option<&[String]>) -> Result<Vec<(String, Json)>, Fault> {
    let name = |row: &Json| row["properties"]["name"].as_str().unwrap_or_default().to_owned();
    let all: Vec<(String, Json)> = rows.iter().map(|row| (name(row), row["id"].clone())).collect();
    let Some(wanted) = wanted else { return Ok(all) };
    if let Some(missing) = wanted.iter().find(|wanted| !all.iter().any(|(name, _)| name == *wanted)) {
        let names: Vec<String> = all.iter().map(|(name, _)| format!("`{name}`")).collect();
        let fault = Fault::invalid(format!(
            "there is no calendar `{missing}`, expected some of {}",
            names.join(", ")
        ));
        return Err(fault.suggest("leave `calendars` out to look at all of them"));
    }
    Ok(all.into_iter().filter(|(name, _)| wanted.contains(name)).collect())
}

/// Asks for the events on the days. Because the filter gives both ends of a span, the server lists every date of a
/// series.
fn question(calendar: &Json, request: &Request, offset: usize) -> Json {
    let range = request.range();
    let comparison =
        |property: &str, op: &str, value: Json| json!({"property": property, "op": op, "value": value});
    json!({
        "container": calendar,
        "elementType": "event",
        "where": {"and": [
            comparison("start date", "<", json!(format!("{}:00", range.end))),
            comparison("end date", ">=", json!(format!("{}:00", range.start))),
        ]},
        "properties": ["summary", "start date", "end date", "allday event", "status"],
        "offset": offset,
        "limit": PAGE,
    })
}

/// Whether a fault concerns only one calendar, so that the others can still be read.
fn is_of_one(fault: &Fault) -> bool {
    ["execution_failed", "reference_invalid", "reference_moved", "result_too_large"].contains(&&*fault.code)
}

fn rows(page: &Json) -> &[Json] {
    page["elements"].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn clip(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
