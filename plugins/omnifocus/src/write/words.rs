//! The effect of a step, in words for the human: every property with its old value, and everything that is lost.
//!
//! Long values are cut, but no property is left out: a line contains everything that a step sets.

use iac_plugin::Json;

use super::plan::{Form, Plan, Step};
use crate::Moment;

/// The maximum number of characters of a name or a text to show. The limit keeps the text after it on the same line.
const NAME: usize = 60;

/// The maximum number of characters of a new name. It is nowhere else to be seen, so more of it is shown.
const NEW_NAME: usize = 200;

/// The maximum number of tags of a list to name, and the maximum characters of each.
const TAGS: usize = 6;
const TAG: usize = 24;

/// The maximum number of notifications of a list to show. Two lists and all other properties fit into a line.
const ALERTS: usize = 4;

/// Each property of a step: its key in the program, and its name for the caller.
const PROPERTIES: [(&str, &str); 18] = [
    ("name", "name"),
    ("note", "note"),
    ("append", "appendNote"),
    ("cut", "note"),
    ("flagged", "flagged"),
    ("sequential", "sequential"),
    ("single", "singleActions"),
    ("due", "dueDate"),
    ("defer", "deferDate"),
    ("planned", "plannedDate"),
    ("reviewed", "lastReviewDate"),
    ("nextReview", "nextReviewDate"),
    ("estimate", "estimatedMinutes"),
    ("tags", "tags"),
    ("alerts", "notifications"),
    ("rule", "repetitionRule"),
    ("status", "status"),
    ("review", "reviewInterval"),
];

/// Quotes a name for the human.
pub(super) fn quoted(name: &str) -> String {
    short(name, NAME)
}

/// Quotes a new name, with its length if it is cut.
fn fresh(name: &str) -> String {
    let shown = short(name, NEW_NAME);
    if shown.ends_with("…”") { format!("{shown} ({} characters)", name.chars().count()) } else { shown }
}

/// Quotes as much of a text as fits, in quotation marks that the host does not change and that no name can close.
fn short(text: &str, most: usize) -> String {
    format!("“{}”", plain(text, most))
}

/// As much of a text as fits on one line, with a mark in place of each character that is invisible or changes the
/// direction of text.
fn plain(text: &str, most: usize) -> String {
    let mut letters = text.chars().map(|letter| match letter {
        '“' => '‘',
        '”' => '’',
        '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => '⏎',
        letter if letter.is_whitespace() => ' ',
        letter if letter.is_control() || is_hidden(letter) => char::REPLACEMENT_CHARACTER,
        letter => letter,
    });
    let shown: String = letters.by_ref().take(most).collect();
    if letters.next().is_some() { shown + "…" } else { shown }
}

/// Characters that are invisible or change the direction of text. The joiner of emoji is not among them.
fn is_hidden(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200c}' | '\u{200e}' | '\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}')
}

pub(super) fn line(plan: &Plan, step: &Step, moment: &Moment) -> String {
    let json = &step.json;
    let verb = if step.operation == "create_folder" { "create" } else { step.operation };
    let mut line = format!("{verb} {}", about(plan, step));
    match json["do"].as_str() {
        Some("create") => {
            if let Some(place) = place(plan, &json["at"], step, "in") {
                line = format!("{line} {place}");
            }
            line.push_str(&counts(step));
            line.push_str(&list(properties(step, moment)));
            line.push_str(
                &ended(step).map(|all| format!(", which also completes {all}")).unwrap_or_default(),
            );
        }
        Some("update") => {
            let mut parts: Vec<String> = Vec::new();
            if step.said["stays"] == true {
                parts.push("it stays where it is".to_owned());
            } else {
                parts.extend(moved(plan, step));
            }
            parts.extend(properties(step, moment));
            line.push_str(&list(parts));
            line.push_str(&goes_along(step, json["set"]["status"] == "dropped"));
            line.push_str(&still(step));
        }
        Some("complete") => {
            line.push_str(&as_of(step, moment));
            line.push_str(&goes_along(step, false));
            line.push_str(&still(step));
        }
        Some("delete") => {
            let parts = [finished(step, moment), held(step), lost(step), forever(plan).to_owned()];
            line.push_str(&parts.concat());
        }
        Some("duplicate") => {
            line.push_str(&if json["alone"] == true { " alone".to_owned() } else { held(step) });
            if let Some(name) = json["name"].as_str() {
                line = format!("{line} as {}", fresh(name));
            }
            if let Some(place) = place(plan, &json["to"], step, "to") {
                line = format!("{line} {place}");
            }
            line.push_str(&counts(step));
        }
        Some("convert") => {
            let place = place(plan, &json["to"], step, "in").map(|place| format!(" {place}"));
            let place = place.unwrap_or_default();
            line = format!("{line}{} to a project{place}{}; it cannot be undone", held(step), counts(step));
        }
        Some("skip") => {
            if let Some(due) = step.said["due"].as_i64() {
                line = format!("{line}: the occurrence that is due {}", moment.wall(due));
            }
            line.push_str(&goes_along(step, false));
            line.push_str(&next(step, moment));
            line.push_str(forever(plan));
        }
        _ => {
            line.push_str(&of_tag(step));
            if json["action"] == "delete" {
                line.push_str(forever(plan));
            }
        }
    }
    if let Some(state) = step.said["already"].as_str() {
        line.push_str(&format!(" (it is {state} already, so that changes nothing)"));
    } else if step.said["same"] == true && step.said["stays"].is_null() {
        line.push_str(" (it has that already, so that changes nothing)");
    }
    line
}

/// What is known about a new item and is the same for all that have equal values and one place.
const PLAIN: [&str; 5] = ["acts", "to", "toIn", "toUnder", "tags"];

/// What a step does, without the item and its old values: equal for equal changes. `None` for steps that have a line of
/// their own, because their effects differ from item to item.
pub(super) fn plain_change(plan: &Plan, step: &Step, moment: &Moment) -> Option<String> {
    let also = ["pushedOut", "nextReview", "stays", "newTags", "already", "same", "still"];
    if step.json["do"] == "create" {
        let has_more = |(key, said): (&String, &Json)| !PLAIN.contains(&key.as_str()) && !said.is_null();
        if step.said.as_object().is_some_and(|said| said.iter().any(has_more)) {
            return None;
        }
        let place = place(plan, &step.json["at"], step, "in").map(|place| format!(" {place}"));
        return Some(place.unwrap_or_default() + &list(properties(step, moment)));
    }
    if step.id.is_none() || also.iter().any(|key| !step.said[*key].is_null()) {
        return None;
    }
    match step.json["do"].as_str()? {
        "update" => Some(whole_change(plan, &without_old(step), moment)),
        "complete" => Some(as_of(step, moment)),
        "delete" if plan.form == Form::Undo => Some(String::new()),
        "delete" => Some(", which cannot be undone".to_owned()),
        _ => None,
    }
}

/// The same step without the values that it replaces.
pub(super) fn without_old(step: &Step) -> Step {
    let mut step = step.clone();
    if let Some(said) = step.said.as_object_mut() {
        said.shift_remove("old");
    }
    step
}

/// The name of the item of a step, which may be a new one.
pub(super) fn called(plan: &Plan, step: &Step) -> String {
    let made = || step.json["id"]["temp"].as_str().and_then(|temp| plan.made(temp));
    let name = step.said["name"].as_str().or_else(|| step.json["name"].as_str()).or_else(made);
    quoted(name.or(step.id.as_deref()).unwrap_or_default())
}

/// The place of an item: its project or folder, and the group in it.
fn home(step: &Step) -> String {
    let one = |key: &str, word: &str| {
        step.said[key].as_str().map(|name| format!(" {word} {}", quoted(name))).unwrap_or_default()
    };
    format!("{}{}", one("in", "in"), one("under", "under"))
}

/// The item of a shared line. If its container or its contents matter for what a yes loses, they are named too.
pub(super) fn member(step: &Step, moment: &Moment) -> String {
    let name = match step.json["do"].as_str() {
        Some("create") => fresh(step.json["name"].as_str().unwrap_or_default()),
        _ => quoted(step.name()),
    };
    let place = home(step);
    match step.json["do"].as_str() {
        Some("delete") => {
            let parts = [name, place, finished(step, moment), held(step), lost(step)];
            parts.concat()
        }
        Some("complete") => format!("{name}{place}{}", goes_along(step, false)),
        _ => match step.json["set"]["status"].as_str() {
            Some(status @ ("completed" | "dropped")) => {
                format!("{name}{place}{}", goes_along(step, status == "dropped"))
            }
            _ if !step.said["becomes"].is_null() => format!("{name}{place}{}", goes_along(step, false)),
            _ => name,
        },
    }
}

/// The properties with one short value, which a line can name for many items.
const SHORT: [&str; 9] =
    ["due", "defer", "planned", "reviewed", "nextReview", "flagged", "sequential", "single", "estimate"];

/// The property that an update sets, if it sets only one and its value is short.
pub(super) fn only_property(step: &Step) -> Option<&'static str> {
    let set = step.json["set"].as_object().filter(|set| step.json["do"] == "update" && set.len() == 1)?;
    SHORT.into_iter().find(|key| set.contains_key(*key))
}

/// The old value of a property, if it is known, and the new one.
pub(super) fn values(step: &Step, key: &str, moment: &Moment) -> (Option<String>, String) {
    let old = step.said["old"].get(key).map(|old| value(key, old, moment));
    (old, value(key, &step.json["set"][key], moment))
}

/// The name of a property for the caller.
pub(super) fn label(key: &str) -> &'static str {
    PROPERTIES.into_iter().find(|(known, _)| *known == key).map_or("", |(_, label)| label)
}

fn as_of(step: &Step, moment: &Moment) -> String {
    step.json["when"].as_i64().map(|when| format!(" as of {}", moment.wall(when))).unwrap_or_default()
}

/// What an update sets, and what it replaces, without the item.
pub(super) fn whole_change(plan: &Plan, step: &Step, moment: &Moment) -> String {
    list(moved(plan, step).into_iter().chain(properties(step, moment)).collect())
}

/// Where an update moves its item, and what it counts as there.
fn moved(plan: &Plan, step: &Step) -> Option<String> {
    let to = Some(&step.json["set"]["move"]).filter(|place| place.is_object())?;
    let place = place(plan, to, step, "to").unwrap_or_else(|| "to the top".to_owned());
    Some(format!("move {place}{}", counts(step)))
}

/// What an item counts as in the place where it goes, if that is not what it counts as now.
fn counts(step: &Step) -> String {
    match (step.said["before"].as_str(), step.said["becomes"].as_str()) {
        (_, None) => String::new(),
        (Some("on_hold"), Some("active")) => ", where it is no longer on hold".to_owned(),
        (Some(before), Some("active")) => format!(", where it no longer counts as {before}"),
        (_, Some(state)) => format!(", where it {}", counted_as(state)),
    }
}

/// What an item goes on to count as because of what it is in, whatever its own state.
fn still(step: &Step) -> String {
    let Some(state) = step.said["still"].as_str() else { return String::new() };
    let opens = step.json["set"]["status"] == "active";
    let (but, already) = if opens { (", but it still", "") } else { (", and it", " already") };
    format!("{but} {}{already}, because what it is in does", counted_as(state))
}

fn counted_as(state: &str) -> String {
    if state == "on_hold" { "is on hold".to_owned() } else { format!("counts as {state}") }
}

/// What an update replaces: each old value that differs from the new one, with its label if the update sets several
/// properties. `None` if nothing differs.
pub(super) fn replaced(step: &Step, moment: &Moment) -> Option<String> {
    let (set, old) = (step.json["set"].as_object()?, &step.said["old"]);
    let mut parts = Vec::new();
    for (key, label) in PROPERTIES {
        let (Some(wanted), Some(old)) = (set.get(key), old.get(key)) else { continue };
        if key == "name" && old == wanted {
            continue;
        }
        let old = match key {
            "append" | "cut" | "alerts" => continue,
            "tags" => names(old.as_array().map(Vec::as_slice).unwrap_or_default()),
            _ => value(key, old, moment),
        };
        if key != "tags" && key != "name" && old == value(key, wanted, moment) {
            continue;
        }
        parts.push(if set.len() == 1 { old } else { format!("{label} {old}") });
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// The subject of a step: its kind, its name and its place.
fn about(plan: &Plan, step: &Step) -> String {
    let made = || step.json["id"]["temp"].as_str().and_then(|temp| plan.made(temp));
    let name = step.said["name"].as_str().or_else(|| step.json["name"].as_str()).or_else(made);
    let name = name.or(step.id.as_deref()).unwrap_or_default();
    let is_new = matches!(step.operation, "create" | "create_folder");
    let name = if is_new { fresh(name) } else { quoted(name) };
    format!("{} {name}{}", step.target, home(step))
}

/// Names a place; `None` for the top.
fn place(plan: &Plan, place: &Json, step: &Step, before: &str) -> Option<String> {
    if place["inbox"] == true {
        return Some(format!("{before} the inbox"));
    }
    if place["top"] == true {
        let end =
            step.said["to"].as_str().map_or("the inbox".to_owned(), |to| format!("project {}", quoted(to)));
        return Some(format!("out of its group, to the end of {end}"));
    }
    for side in ["after", "before"] {
        if let Some(id) = place[side]["id"].as_str() {
            let name = quoted(step.said["to"].as_str().unwrap_or(id));
            return Some(format!("{side} {} {name}{}", step.target, around(step)));
        }
    }
    let (kind, given) = ["project", "task", "folder"].iter().find_map(|kind| {
        let given = &place[*kind];
        (!given.is_null()).then_some((*kind, given))
    })?;
    let made = given["temp"].as_str().and_then(|temp| plan.made(temp));
    let name = made.or_else(|| step.said["to"].as_str()).or_else(|| given.as_str());
    let name = quoted(name.or_else(|| given["id"].as_str()).unwrap_or_default());
    Some(format!("{before} {kind} {name}{}", if kind == "task" { around(step) } else { String::new() }))
}

/// Where the item is beside or below which a step puts its own.
fn around(step: &Step) -> String {
    let under = step.said["toUnder"].as_str().map(|name| format!(" under {}", quoted(name)));
    let project = match step.said.get("toIn") {
        Some(Json::String(name)) => format!(" in {}", quoted(name)),
        Some(_) if step.target == "task" => " in the inbox".to_owned(),
        _ => String::new(),
    };
    project + &under.unwrap_or_default()
}

fn list(parts: Vec<String>) -> String {
    if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) }
}

/// Every property that a step sets, with its old value if it had one.
fn properties(step: &Step, moment: &Moment) -> Vec<String> {
    let (set, old) = (&step.json["set"], &step.said["old"]);
    let mut parts = Vec::new();
    for (key, label) in PROPERTIES {
        let Some(wanted) = set.get(key) else { continue };
        if key == "tags" {
            let told = &step.said["tags"];
            parts.extend(tags(if told.is_object() { told } else { wanted }, &old["tags"]));
            if let Some(gone) = step.said["pushedOut"].as_array() {
                let leave = if gone.len() == 1 { "leaves" } else { "leave" };
                parts.push(format!("so that {} {leave}, whose group is exclusive", names(gone)));
            }
            continue;
        }
        if key == "name" {
            let old = old.get(key).filter(|old| *old != wanted).and_then(Json::as_str);
            let old = old.map(|old| format!("{} -> ", quoted(old))).unwrap_or_default();
            parts.push(format!("{label} {old}{}", fresh(wanted.as_str().unwrap_or_default())));
            continue;
        }
        let anchored = (key == "rule" && wanted.is_object() && step.said["anchor"].is_string()).then(|| {
            let mut rule = wanted.clone();
            rule["anchor"] = step.said["anchor"].clone();
            rule
        });
        let new = value(key, anchored.as_ref().unwrap_or(wanted), moment);
        if key == "alerts" {
            parts.extend(notifications(wanted, &old["alerts"], moment));
            continue;
        }
        if key == "append" {
            let old = old.get(key).map(|old| format!(" to {}", value("note", old, moment)));
            parts.push(format!("{label} {new}{}", old.unwrap_or_default()));
            continue;
        }
        if key == "cut" {
            let old = old.get(key).map(|old| format!(" {}", value("note", old, moment)));
            parts.push(format!("{label}{} without its end {new}", old.unwrap_or_default()));
            continue;
        }
        match old.get(key).map(|old| value(key, old, moment)).filter(|old| *old != new) {
            Some(old) => parts.push(format!("{label} {old} -> {new}")),
            None => parts.push(format!("{label} {new}")),
        }
    }
    if let Some(review) = step.said["nextReview"].as_object() {
        let shown = |key: &str| value("nextReview", review.get(key).unwrap_or(&Json::Null), moment);
        parts.push(format!("nextReviewDate {} -> {}", shown("old"), shown("next")));
    }
    if let Some(new) = step.said["newTags"].as_array() {
        parts.push(format!("new tags {}", names(new)));
    }
    parts
}

/// A value of a property, old or new.
fn value(key: &str, value: &Json, moment: &Moment) -> String {
    match (key, value) {
        ("note", Json::Null) => "empty".to_owned(),
        ("note" | "append" | "cut", Json::String(text)) => note(text, text.chars().count()),
        ("note", old) => {
            let length = usize::try_from(old["length"].as_u64().unwrap_or_default()).unwrap_or(usize::MAX);
            note(old["head"].as_str().unwrap_or_default(), length)
        }
        ("rule", rule) if rule.is_object() => format!("{} ({})", value_text(&rule["rule"]), kind_of(rule)),
        ("review", every) if every.is_object() => {
            let unit = every["unit"].as_str().unwrap_or_default().trim_end_matches('s');
            format!("{} {unit}(s)", every["steps"])
        }
        (_, Json::Null) => "none".to_owned(),
        ("due" | "defer" | "planned" | "reviewed" | "nextReview", time) => {
            moment.wall_of(time).unwrap_or_else(|| "none".to_owned())
        }
        ("name", _) => quoted(value.as_str().unwrap_or_default()),
        (_, other) => value_text(other),
    }
}

/// How a repetition counts, as OmniFocus names it: from fixed dates, or from the completion.
fn kind_of(rule: &Json) -> String {
    let from_completion = rule["schedule"] == "FromCompletion";
    let again = match rule["anchor"].as_str() {
        Some("DeferDate") if from_completion => "defer another",
        Some("PlannedDate") if from_completion => "plan again",
        _ if from_completion => "due again",
        Some("DeferDate") => "fixed, by the defer date",
        Some("PlannedDate") => "fixed, by the planned date",
        _ => "fixed",
    };
    let catches_up = if !from_completion && rule["catchUp"] == true { ", catches up" } else { "" };
    format!("{again}{catches_up}")
}

/// A word or a number unchanged, and cut like a name.
fn value_text(value: &Json) -> String {
    match value {
        Json::String(text) => plain(text, NAME),
        other => other.to_string(),
    }
}

/// A note by its beginning and its length; a human needs both to know what is lost.
fn note(head: &str, length: usize) -> String {
    if length == 0 {
        return "empty".to_owned();
    }
    let characters = if length == 1 { "character" } else { "characters" };
    format!("{} ({length} {characters})", quoted(head))
}

/// The change of tags: all new tags if the step replaces them, otherwise those that it adds and removes.
fn tags(wanted: &Json, old: &Json) -> Vec<String> {
    let mut parts = Vec::new();
    if let Some(new) = wanted["replace"].as_array() {
        match old.as_array().filter(|old| !old.is_empty()) {
            Some(old) => parts.push(format!("tags {} -> {}", names(old), names(new))),
            None => parts.push(format!("tags {}", names(new))),
        }
    }
    parts.extend(wanted["add"].as_array().map(|added| format!("with the tags {}", names(added))));
    parts.extend(wanted["remove"].as_array().map(|gone| format!("without the tags {}", names(gone))));
    parts
}

/// The change of notifications: all new ones if the step replaces them, otherwise those that it adds.
fn notifications(wanted: &Json, old: &Json, moment: &Moment) -> Vec<String> {
    let one = |alert: &Json| match alert["minutes"].as_f64() {
        Some(minutes) if minutes < 0.0 => format!("{} minutes before it is due", -minutes),
        Some(minutes) => format!("{minutes} minutes after it is due"),
        None => moment.wall_of(&alert["at"]).unwrap_or_else(|| "without a date".to_owned()),
    };
    let all = |all: &Json| match all.as_array().filter(|all| !all.is_empty()) {
        Some(all) => {
            let more = all.len().saturating_sub(ALERTS);
            let more = (more > 0).then(|| format!("and {more} more"));
            all.iter().take(ALERTS).map(one).chain(more).collect::<Vec<_>>().join(", ")
        }
        None => "none".to_owned(),
    };
    let mut parts = Vec::new();
    if wanted["replace"].is_array() {
        let before = old.as_array().filter(|old| !old.is_empty()).map(|_| format!("{} -> ", all(old)));
        parts.push(format!("notifications {}{}", before.unwrap_or_default(), all(&wanted["replace"])));
    }
    if wanted["add"].is_array() {
        parts.push(format!("with the notifications {}", all(&wanted["add"])));
    }
    parts
}

fn names(all: &[Json]) -> String {
    if all.is_empty() {
        return "none".to_owned();
    }
    let shown = all.iter().take(TAGS).map(|name| short(name.as_str().unwrap_or_default(), TAG));
    let more = all.len().saturating_sub(TAGS);
    let more = (more > 0).then(|| format!("and {more} more"));
    shown.chain(more).collect::<Vec<_>>().join(", ")
}

/// The items that are completed or dropped together with a task or project.
fn goes_along(step: &Step, drops: bool) -> String {
    let mut words = String::new();
    let below = if step.target == "task" { "below it" } else { "in it" };
    if let Some(projects) = step.said["projects"].as_i64() {
        words.push_str(&format!(", with {}", counted(projects, "project")));
    }
    match step.said["open"].as_i64().unwrap_or_default() {
        0 => {}
        1 => words.push_str(&format!(", with 1 open task {below}")),
        open => words.push_str(&format!(", with {open} open tasks {below}")),
    }
    words.push_str(&ending(step));
    if let Some(all) = ended(step) {
        words.push_str(&format!(", the last open task of {all}, which this also completes"));
    }
    if let Some(rule) = step.said["repeats"].as_str() {
        let repeats = format!(", which repeats by {}", short(rule, NAME));
        words.push_str(&if drops { own_ending(rule) } else { repeats });
    }
    words
}

/// The repetitions that end with what is above them.
fn ending(step: &Step) -> String {
    match step.said["repetitions"].as_i64().unwrap_or_default() {
        0 => String::new(),
        1 => ", and 1 repetition ends".to_owned(),
        more => format!(", and {more} repetitions end"),
    }
}

fn own_ending(rule: &str) -> String {
    format!(", and ends its repetition {}: all later occurrences are lost", short(rule, NAME))
}

/// What the undo of a completion deletes: it looks like the task itself.
fn finished(step: &Step, moment: &Moment) -> String {
    let done = step.said["done"].as_i64().map(|at| format!(", completed {}", moment.wall(at)));
    done.map(|done| format!(": the finished occurrence{done}")).unwrap_or_default()
}

/// The repetitions that a deletion ends.
fn lost(step: &Step) -> String {
    ending(step) + &step.said["repeats"].as_str().map(own_ending).unwrap_or_default()
}

/// What a question adds to an act without an undo. An undo is the way back itself.
fn forever(plan: &Plan) -> &'static str {
    if plan.form == Form::Undo { "" } else { "; it cannot be undone" }
}

/// The next occurrence of a repeating item, if it is known.
fn next(step: &Step, moment: &Moment) -> String {
    let all = [("dueDate", "due"), ("deferDate", "deferred to"), ("plannedDate", "planned for")];
    let found = all.iter().find_map(|(key, word)| Some((word, step.said["next"][*key].as_i64()?)));
    found.map(|(word, at)| format!("; the next one is {word} {}", moment.wall(at))).unwrap_or_default()
}

/// The groups and the project that OmniFocus completes with a task.
fn ended(step: &Step) -> Option<String> {
    let one = |each: &Json| {
        let kind = if each["kind"] == "project" { "project" } else { "group" };
        let name = quoted(each["name"].as_str().unwrap_or_default());
        match each["repeats"].as_str() {
            Some(rule) => {
                format!("{kind} {name} (it repeats by {}, so its tasks open again)", short(rule, NAME))
            }
            None => format!("{kind} {name}"),
        }
    };
    let all: Vec<String> = step.said["alsoCompletes"].as_array()?.iter().map(one).collect();
    Some(all.join(" and "))
}

/// How many tasks an item takes along when it is deleted.
fn held(step: &Step) -> String {
    let below = if step.target == "task" { "below it" } else { "in it" };
    if let (Some(projects), Some(folders)) = (step.said["projects"].as_i64(), step.said["folders"].as_i64()) {
        let tasks = counted(step.said["total"].as_i64().unwrap_or_default(), "task");
        let (projects, folders) = (counted(projects, "project"), counted(folders, "folder"));
        return format!(" with {projects}, {folders} and {tasks} in it");
    }
    let tasks = match step.said["total"].as_i64().unwrap_or_default() {
        0 => return String::new(),
        1 => " with 1 task".to_owned(),
        total => format!(" with {total} tasks"),
    };
    match step.said["open"].as_i64().unwrap_or_default() {
        0 => format!("{tasks} {below}"),
        open => format!("{tasks} {below}, {open} of them open"),
    }
}

fn counted(count: i64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The tasks that a tag on hold holds back.
fn back(step: &Step) -> String {
    format!(
        ", which holds back {}",
        counted(step.said["open"].as_i64().unwrap_or_default(), "remaining task")
    )
}

/// The tasks that a tag holds back from now on, because the tag above it or the one that takes its place is on hold.
fn holds_back(step: &Step) -> String {
    if step.said["becomes"] == "on_hold" { back(step) } else { String::new() }
}

/// The other tags that leave tasks when two tags are merged.
fn leave(step: &Step) -> String {
    let all = step.said["leave"].as_array().map(Vec::as_slice).unwrap_or_default();
    let one = |each: &Json| {
        let name = short(each[0].as_str().unwrap_or_default(), TAG);
        format!("{name} leaves {}", counted(each[1].as_i64().unwrap_or_default(), "task"))
    };
    let shown: Vec<String> = all.iter().take(TAGS).map(one).collect();
    let more = all.len().saturating_sub(TAGS);
    let more = if more > 0 { format!(" and {more} more tags leave tasks") } else { String::new() };
    if shown.is_empty() {
        return String::new();
    }
    format!(", so that {}{more}, because the tags of a group exclude each other", shown.join(", "))
}

/// The change of a tag, and the tasks and tags that it affects.
fn of_tag(step: &Step) -> String {
    let (json, said) = (&step.json, &step.said);
    let goal = |key: &str| quoted(said["to"].as_str().or_else(|| json[key].as_str()).unwrap_or_default());
    let had = || {
        let tasks = match said["total"].as_i64().unwrap_or_default() {
            1 => ", which 1 task has".to_owned(),
            tasks => format!(", which {tasks} tasks have"),
        };
        let below = match said["tags"].as_i64().unwrap_or_default() {
            0 => return tasks,
            tags => counted(tags, "tag"),
        };
        match said["below"].as_i64().unwrap_or_default() {
            0 => format!("{tasks}, with {below} below it"),
            1 => format!("{tasks}, with {below} below it; 1 more task has a tag below it"),
            more => format!("{tasks}, with {below} below it; {more} more tasks have a tag below it"),
        }
    };
    match json["action"].as_str().unwrap_or_default() {
        "create" if json["under"].is_string() => format!(" under {}", goal("under")),
        "rename" => format!(" to {}", fresh(json["to"].as_str().unwrap_or_default())),
        "nest" => format!(" under {}{}{}", goal("under"), counts(step), holds_back(step)),
        "unnest" => format!(" to the top{}{}", counts(step), holds_back(step)),
        "merge" => {
            format!(" into {}, and remove it{}{}{}", goal("to"), had(), leave(step), holds_back(step))
        }
        "unmerge" => {
            let shown = said["names"].as_array().map(Vec::as_slice).unwrap_or_default();
            let more = said["total"].as_u64().unwrap_or_default().saturating_sub(shown.len() as u64);
            let more = if more > 0 { format!(" and {more} more tasks") } else { String::new() };
            format!(": make {} again, and give {}{more} the earlier tags", goal("to"), names(shown))
        }
        "delete" => had(),
        "set" => {
            let changed = |key: &str| match (&said["old"][key], &json[key]) {
                (_, Json::Null) => None,
                (Json::Null, new) => Some(format!(": {key} {}", value_text(new))),
                (old, new) => Some(format!(": {key} {} -> {}", value_text(old), value_text(new))),
            };
            let more = match json["status"].as_str() {
                Some("dropped") => had(),
                Some("on_hold") => back(step),
                _ => String::new(),
            };
            changed("status").or_else(|| changed("exclusive")).unwrap_or_default() + &more
        }
        _ => String::new(),
    }
}
