//! EventKit for the Objective-C bridge: consent, calendars, events with every occurrence of a series, and reminders.
//!
//! Calendars and events come from Calendar's data, lists and reminders from Reminders' data. `eventkit.json` in the
//! world's folder adds what Apple events do not show: consent, how the user would answer, time zones of events, moved
//! occurrences, and calendars that EventKit does not list.

use super::native::Bridge;
use crate::resolve::View;
use crate::schema::Kind;
use crate::session::Session;
use crate::value::specifier::Root;
use crate::value::{ObjectId, Value, local_seconds};
use crate::world::model::Children;
use crate::world::{World, WorldError, content, journal, read_if_there};
use iac_core::series::{Zone, occurrences};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use rquickjs::function::Func;
use rquickjs::{Ctx, Exception, Object};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

const CALENDAR: &str = "com.apple.iCal";

const REMINDERS: &str = "com.apple.reminders";

/// The prefix that Reminders puts before EventKit's id.
const URL: &str = "x-apple-reminder://";

/// The file with what Apple events do not show.
const FILE: &str = "eventkit.json";

/// The file with the answers that the user has given since, below `state`.
const ANSWERED: &str = "state/consent.eventkit.json";

const DAY: i64 = 86_400_000;

/// The authorization status of full access, the only one that shows data.
const FULL: u8 = 3;

/// The highest status, write-only: events can be added but not read.
const LAST_STATUS: u8 = 4;

/// A search goes no further than this from its start, and reports no error.
const FOUR_YEARS: i64 = 4 * 366 * DAY;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Settings {
    /// The authorization status for events and for reminders.
    #[serde(default)]
    consent: Consent,
    /// The user's answer when asked; `None` if nobody answers.
    #[serde(default)]
    answer: Option<bool>,
    /// Time zones of events, by their ids. An event that is not listed is in the Mac's time zone.
    #[serde(default)]
    zones: BTreeMap<String, String>,
    /// Occurrences that were moved, by the ids of their events.
    #[serde(default)]
    moved: BTreeMap<String, Vec<Moved>>,
    /// Titles of calendars and lists that EventKit does not list.
    #[serde(default)]
    missing: Vec<String>,
    /// By how many seconds EventKit shows events and reminders at another time than the apps do, by their ids.
    #[serde(default)]
    shifted: BTreeMap<String, i64>,
    /// Whether a search for reminders never ends.
    #[serde(default)]
    silent: bool,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Consent {
    #[serde(default)]
    events: u8,
    #[serde(default)]
    reminders: u8,
}

/// A moved occurrence. Its times are local.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Moved {
    from: String,
    to: String,
}

pub(super) fn define<'js>(system: &Object<'js>, bridge: &Rc<Bridge<'js>>) -> rquickjs::Result<()> {
    let it = Rc::clone(bridge);
    let consent = move |ctx: Ctx<'js>, entity: u8| {
        settled(&it.session)
            .map_err(|error| thrown(&ctx, &error))
            .map(|(consent, _)| if entity == 0 { consent.events } else { consent.reminders })
    };
    system.set("eventKitConsent", Func::from(consent))?;
    let it = Rc::clone(bridge);
    let ask = move |ctx: Ctx<'js>, entity: u8| ask(&it.session, entity).map_err(|error| thrown(&ctx, &error));
    system.set("eventKitAsk", Func::from(ask))?;
    // Each store shows the data as it was when the store was created or reset.
    let stores: Rc<RefCell<Vec<[Json; 2]>>> = Rc::default();
    let (it, kept) = (Rc::clone(bridge), Rc::clone(&stores));
    let load = move |ctx: Ctx<'js>, store: i32| {
        let (consent, settings) = settled(&it.session).map_err(|error| thrown(&ctx, &error))?;
        let all = [
            if consent.events == FULL { calendars(&it.session, &settings) } else { json!([]) },
            if consent.reminders == FULL { lists(&it.session, &settings) } else { json!([]) },
        ];
        let titles = all.each_ref().map(|all| {
            let each = all.as_array().into_iter().flatten();
            each.map(|each| json!({ "title": each["title"], "id": each["id"] })).collect::<Vec<_>>()
        });
        let mut stores = kept.borrow_mut();
        let slot = usize::try_from(store).unwrap_or(stores.len());
        let length = stores.len().max(slot + 1);
        stores.resize(length, [Json::Null, Json::Null]);
        stores[slot] = all;
        let [calendars, lists] = titles;
        Ok::<_, rquickjs::Error>(json!({ "store": slot, "calendars": calendars, "lists": lists }).to_string())
    };
    system.set("eventKitLoad", Func::from(load))?;
    let (it, kept) = (Rc::clone(bridge), Rc::clone(&stores));
    let reminders = move |ctx: Ctx<'js>, store: usize| {
        let (consent, settings) = settled(&it.session).map_err(|error| thrown(&ctx, &error))?;
        let stores = kept.borrow();
        let lists = stores.get(store).and_then(|[_, lists]| lists.as_array()).into_iter().flatten();
        let rows = lists.enumerate().flat_map(|(at, list)| {
            let reminders = list["reminders"].as_array().into_iter().flatten();
            reminders.map(move |reminder| json!([at, reminder])).collect::<Vec<_>>()
        });
        let rows = if consent.reminders == FULL { Json::from_iter(rows) } else { Json::Null };
        Ok::<_, rquickjs::Error>(json!({ "rows": rows, "silent": settings.silent }).to_string())
    };
    system.set("eventKitReminders", Func::from(reminders))?;
    let it = Rc::clone(bridge);
    let search = move |ctx: Ctx<'js>, store: usize, from: f64, to: f64| {
        let (_, settings) = settled(&it.session).map_err(|error| thrown(&ctx, &error))?;
        #[expect(clippy::cast_possible_truncation, reason = "milliseconds of a date")]
        let span = (from as i64, (to as i64).min(from as i64 + FOUR_YEARS));
        let stores = stores.borrow();
        let calendars =
            stores.get(store).and_then(|[calendars, _]| calendars.as_array()).into_iter().flatten();
        let rows = calendars.enumerate().flat_map(|(at, calendar)| {
            let events = calendar["events"].as_array().into_iter().flatten();
            let found = events.map(|event| (event, expanded(event, &settings, span)));
            found
                .filter(|(_, times)| !times.is_empty())
                .map(move |(event, times)| json!([at, event, times]))
                .collect::<Vec<_>>()
        });
        Ok::<_, rquickjs::Error>(Json::from_iter(rows).to_string())
    };
    system.set("eventKitSearch", Func::from(search))?;
    let it = Rc::clone(bridge);
    let wait = move |rows: u32| it.session.conditions.bridge(rows);
    system.set("eventKitWait", Func::from(wait))
}

fn thrown(ctx: &Ctx<'_>, error: &str) -> rquickjs::Error {
    Exception::throw_message(ctx, error)
}

/// Checks the files of a world that add what Apple events do not show.
///
/// # Errors
/// A file cannot be read, or describes something that no Mac has.
pub(crate) fn check(world: &World) -> Result<(), WorldError> {
    read(world).map(|_| ())
}

/// Reads the current state. It is read again each time, because consent may change while a script runs.
fn settled(session: &Session) -> Result<(Consent, Settings), String> {
    read(&session.world).map_err(|error| error.to_string())
}

fn read(world: &World) -> Result<(Consent, Settings), WorldError> {
    let (own, base) = (world.folder().join(FILE), world.base().join(FILE));
    let file = if own.symlink_metadata().is_ok() { own } else { base };
    let settings: Settings = parsed(&file)?.unwrap_or_default();
    settings.checked().map_err(|error| content(&file, error))?;
    let answers = world.folder().join(ANSWERED);
    let answered = parsed::<Consent>(&answers)?.unwrap_or_default();
    answered.checked().map_err(|error| content(&answers, error))?;
    let consent = Consent {
        events: settings.consent.events.max(answered.events),
        reminders: settings.consent.reminders.max(answered.reminders),
    };
    Ok((consent, settings))
}

fn parsed<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, WorldError> {
    let parsed = |text: Vec<u8>| serde_json::from_slice(&text).map_err(|error| content(path, error));
    read_if_there(path)?.map(parsed).transpose()
}

impl Settings {
    /// Finds settings that no Mac could have.
    fn checked(&self) -> Result<(), String> {
        self.consent.checked()?;
        if let Some(zone) = self.zones.values().find(|zone| named(zone).is_none()) {
            return Err(format!("the zone `{zone}` is not known here"));
        }
        let mut times = self.moved.values().flatten().flat_map(|moved| [&moved.from, &moved.to]);
        match times.find(|time| local_seconds(time).is_none()) {
            Some(time) => Err(format!("`{time}` is not a local time such as 2026-01-28T09:30:00")),
            None => Ok(()),
        }
    }
}

impl Consent {
    fn checked(self) -> Result<(), String> {
        match [self.events, self.reminders].into_iter().find(|status| *status > LAST_STATUS) {
            Some(status) => Err(format!("the status {status} is not known; expected 0 to {LAST_STATUS}")),
            None => Ok(()),
        }
    }
}

/// Asks a user who has not been asked yet; `None` if nobody answers.
fn ask(session: &Session, entity: u8) -> Result<Option<bool>, String> {
    let (mut consent, settings) = settled(session)?;
    let status = if entity == 0 { &mut consent.events } else { &mut consent.reminders };
    if *status != 0 {
        return Ok(Some(*status == 3));
    }
    let Some(answer) = settings.answer else { return Ok(None) };
    *status = if answer { 3 } else { 2 };
    let path = session.world.folder().join(ANSWERED);
    let text = serde_json::to_string(&consent).unwrap_or_default();
    let written = path
        .parent()
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| journal::replace(&path.with_extension("next"), &path, text.as_bytes()));
    written.map_err(|error| error.to_string())?;
    Ok(Some(answer))
}

/// Returns the calendars with their events, as the store sees them now.
fn calendars(session: &Session, settings: &Settings) -> Json {
    shown(session, CALENDAR, settings, |view| {
        let calendars = of(view, crate::value::APP, "calendar").into_iter().map(|id| {
            let title = text(view, id, "name").unwrap_or_default();
            let events: Vec<Json> =
                of(view, id, "event").into_iter().map(|event| written(view, event, settings)).collect();
            json!({ "title": title, "id": text(view, id, "calendarIdentifier"), "events": events })
        });
        calendars.collect()
    })
}

/// Returns the lists with their reminders, as the store sees them now.
fn lists(session: &Session, settings: &Settings) -> Json {
    shown(session, REMINDERS, settings, |view| {
        let lists = of(view, crate::value::APP, "list").into_iter().map(|id| {
            let title = text(view, id, "name").unwrap_or_default();
            let reminders: Vec<Json> =
                of(view, id, "reminder").into_iter().map(|each| reminder(view, each, settings)).collect();
            json!({ "title": title, "id": text(view, id, "id"), "reminders": reminders })
        });
        lists.collect()
    })
}

/// Returns a part of an app's data, without the calendars or lists that EventKit does not list.
fn shown(
    session: &Session,
    app: &str,
    settings: &Settings,
    look: impl FnOnce(&View<'_>) -> Vec<Json>,
) -> Json {
    let world = &session.world;
    let Ok(Some(at)) = world.find(app) else { return json!([]) };
    if world.sync().is_err() {
        return json!([]);
    }
    let app = world.app(at);
    let all = session.look(&app, Root::Current, look);
    let is_missing = |each: &Json| settings.missing.iter().any(|missing| each["title"] == **missing);
    all.into_iter().filter(|each| !is_missing(each)).collect()
}

fn of(view: &View<'_>, id: ObjectId, class: &str) -> Vec<ObjectId> {
    let model = view.model();
    let symbol = model.known(class);
    let lists = &model.object(id).elements;
    let own = lists.iter().find(|(name, _)| Some(*name) == symbol);
    let ids = match own {
        Some((_, Children::Own(ids))) => ids.clone(),
        _ => Vec::new(),
    };
    ids.into_iter().filter(|id| !model.object(*id).gone).collect()
}

fn reminder(view: &View<'_>, id: ObjectId, settings: &Settings) -> Json {
    let zone = local();
    let local_date = |term: &str| match view.model().value(id, term).map(|value| view.read(value, Kind::Date))
    {
        Some(Value::Date(seconds)) => Some(seconds),
        _ => None,
    };
    let date = |term: &str| local_date(term).map(|seconds| instant(seconds, &zone));
    let own = text(view, id, "id").unwrap_or_default();
    let uuid = own.strip_prefix(URL).unwrap_or(&own);
    let shift = settings.shifted.get(uuid).copied().unwrap_or_default();
    let priority = match view.model().value(id, "priority") {
        Some(Value::Int(number)) => *number,
        _ => 0,
    };
    // An all-day date is the same in both properties. A date with a time may still be at midnight.
    let (timed, day) = (local_date("due date"), local_date("allday due date"));
    let (due, is_day) = (timed.or(day), day.is_some() && (timed.is_none() || timed == day));
    json!({
        "uuid": uuid,
        "title": text(view, id, "name"),
        "notes": text(view, id, "body"),
        "due": due.map(|seconds| components(seconds + shift, is_day)),
        "done": matches!(view.model().value(id, "completed"), Some(Value::Bool(true))),
        "completion": date("completion date"),
        "creation": date("creation date"),
        "stamp": date("modification date"),
        "priority": priority,
    })
}

/// Returns the components of a local time. An all-day date has no hour.
fn components(local_seconds: i64, is_day: bool) -> Json {
    let civil = Timestamp::from_second(local_seconds).unwrap_or(Timestamp::UNIX_EPOCH);
    let civil = TimeZone::UTC.to_datetime(civil);
    let mut parts = json!({ "year": civil.year(), "month": civil.month(), "day": civil.day() });
    if !is_day {
        parts["hour"] = json!(civil.hour());
        parts["minute"] = json!(civil.minute());
        parts["second"] = json!(civil.second());
    }
    parts
}

fn text(view: &View<'_>, id: ObjectId, term: &str) -> Option<String> {
    view.model().value(id, term).and_then(Value::as_text).map(str::to_owned)
}

fn written(view: &View<'_>, id: ObjectId, settings: &Settings) -> Json {
    let zone = local();
    let date = |term: &str| match view.model().value(id, term).map(|value| view.read(value, Kind::Date)) {
        Some(Value::Date(seconds)) => Some(instant(seconds, &zone)),
        _ => None,
    };
    let excluded = match view.model().value(id, "excluded dates").map(|value| view.read(value, Kind::Date)) {
        Some(Value::List(dates)) => dates,
        _ => Vec::new(),
    };
    let excluded: Vec<i64> = excluded
        .iter()
        .filter_map(|date| match date {
            Value::Date(seconds) => Some(instant(*seconds, &zone)),
            _ => None,
        })
        .collect();
    let uid = text(view, id, "uid").unwrap_or_default();
    let shift = settings.shifted.get(&uid).copied().unwrap_or_default() * 1000;
    json!({
        "uid": uid,
        "start": date("start date").unwrap_or_default() + shift,
        "end": date("end date").unwrap_or_default() + shift,
        "days": matches!(view.model().value(id, "allday event"), Some(Value::Bool(true))),
        "rule": text(view, id, "recurrence").filter(|rule| !rule.is_empty()),
        "excluded": excluded,
        "title": text(view, id, "summary"),
        "location": text(view, id, "location"),
        "notes": text(view, id, "description"),
        "url": text(view, id, "url"),
        "status": text(view, id, "status"),
        "stamp": date("stamp date"),
    })
}

/// Returns the occurrences of an event that overlap a span. Each is `[start, end, occurrence, detached]`.
fn expanded(event: &Json, settings: &Settings, (from, to): (i64, i64)) -> Vec<Json> {
    let number = |name: &str| event[name].as_i64().unwrap_or_default();
    let (start, end, days) = (number("start"), number("end"), event["days"] == true);
    // EventKit ends an all-day event at the last second of its day.
    let last = |end: i64| if days { end - 1000 } else { end };
    let overlaps = |start: i64, end: i64| start <= to && end >= from;
    let Some(rule) = event["rule"].as_str() else {
        let found = if overlaps(start, last(end)) {
            vec![json!([start, last(end), start, false])]
        } else {
            Vec::new()
        };
        return found;
    };
    let excluded: Vec<i64> =
        event["excluded"].as_array().into_iter().flatten().filter_map(Json::as_i64).collect();
    let uid = event["uid"].as_str().unwrap_or_default();
    let zone = settings.zones.get(uid).and_then(|name| named(name)).unwrap_or_else(local);
    let span = (from - (end - start) - 2 * DAY, to);
    let changes = table(&zone, start.min(span.0), span.1);
    let Ok(found) = occurrences(rule, start, &excluded, &changes, span) else { return Vec::new() };
    let ends = |at: i64| {
        let civil = changes.civil(at) + (changes.civil(end) - changes.civil(start));
        last(if days { changes.instant(civil) } else { at + end - start })
    };
    let here = local();
    let time = |text: &str| local_seconds(text).map(|seconds| instant(seconds, &here));
    let moved: Vec<(i64, i64)> = settings
        .moved
        .get(uid)
        .into_iter()
        .flatten()
        .filter_map(|each| Some((time(&each.from)?, time(&each.to)?)))
        .collect();
    let by_rule = found
        .starts
        .into_iter()
        .filter(|at| moved.iter().all(|(from, _)| from != at))
        .map(|at| (at, at, false));
    let all = by_rule.chain(moved.iter().map(|(from, to)| (*to, *from, true)));
    let inside = all.filter(|(at, ..)| overlaps(*at, ends(*at)));
    inside.map(|(at, occurrence, detached)| json!([at, ends(at), occurrence, detached])).collect()
}

/// Returns the offsets of a time zone over a span.
fn table(zone: &TimeZone, from: i64, to: i64) -> Zone {
    let offset = |at: Timestamp| i64::from(zone.to_offset(at).seconds()) * 1000;
    let begin = Timestamp::from_millisecond(from - DAY).unwrap_or(Timestamp::UNIX_EPOCH);
    let mut changes = vec![(begin.as_millisecond(), offset(begin))];
    let later = zone.following(begin).map(|change| change.timestamp());
    changes.extend(
        later.take_while(|at| at.as_millisecond() <= to + DAY).map(|at| (at.as_millisecond(), offset(at))),
    );
    Zone::new(changes)
}

fn instant(local_seconds: i64, zone: &TimeZone) -> i64 {
    let civil = Timestamp::from_second(local_seconds).unwrap_or(Timestamp::UNIX_EPOCH);
    let civil = TimeZone::UTC.to_datetime(civil);
    zone.to_ambiguous_zoned(civil)
        .compatible()
        .map_or(local_seconds * 1000, |time| time.timestamp().as_millisecond())
}

/// The name that stands for the system's time zone if `TZ` is not set.
const LOCAL: &str = "local";

/// Returns the time zone of this process, which is the simulated Mac's.
fn local() -> TimeZone {
    let by_name = std::env::var("TZ").ok().and_then(|name| named(&name));
    by_name.or_else(|| named(LOCAL)).unwrap_or(TimeZone::UTC)
}

thread_local! {
    /// A cache of time zones, because each event asks for one.
    static ZONES: RefCell<BTreeMap<String, Option<TimeZone>>> = RefCell::default();
}

pub(super) fn named(name: &str) -> Option<TimeZone> {
    if let Some(known) = ZONES.with_borrow(|zones| zones.get(name).cloned()) {
        return known;
    }
    let zone = read_zone(name);
    ZONES.with_borrow_mut(|zones| zones.insert(name.to_owned(), zone.clone()));
    zone
}

fn read_zone(name: &str) -> Option<TimeZone> {
    if name == LOCAL {
        return TimeZone::tzif(name, &std::fs::read("/etc/localtime").ok()?).ok();
    }
    let path = Path::new("/usr/share/zoneinfo").join(name.trim_start_matches(':'));
    TimeZone::tzif(name, &std::fs::read(path).ok()?).ok()
}
