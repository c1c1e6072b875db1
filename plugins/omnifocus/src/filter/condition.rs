//! One condition of a filter: a key and its value.

use iac_plugin::{Fault, Json, Object};

use super::pattern::{self, Refused};
use crate::Moment;
use crate::dates;
use crate::fields;
use crate::program::{Bound, Kind, Match, Predicate};

/// Returns hints for keys of other tools and of other kinds of items: what to write instead.
pub(super) fn redirects(kind: Kind) -> &'static [(&'static str, &'static str)] {
    const COMMON: &[(&str, &str)] = &[
        ("tag", "use `tags`, such as {\"any\":[\"work\"]}"),
        ("context", "use `tags`, such as {\"any\":[\"work\"]}"),
        ("due", "use `dueDate`, such as {\"before\":\"now+3days\"}"),
        ("dueBefore", "use `dueDate`, such as {\"before\":\"now+3days\"}"),
        ("dueAfter", "use `dueDate`, such as {\"after\":\"today\"}"),
        ("search", "use `text`, such as {\"contains\":\"budget\"}"),
        ("query", "use `text`, such as {\"contains\":\"budget\"}"),
        ("estimate", "use `estimatedMinutes`, such as {\"lessThan\":30}"),
        ("dropped", "use `status`: \"dropped\""),
        ("inbox", "use `inInbox`: true, or `project`: null"),
        ("and", "write it in capitals: AND"),
        ("or", "write it in capitals: OR"),
        ("not", "write it in capitals: NOT"),
        ("nextReviewDate", "a task has no review: query projects"),
        ("reviewDue", "a task has no review: query projects"),
    ];
    const PROJECTS: &[(&str, &str)] = &[
        ("inInbox", "a condition of tasks: query tasks"),
        ("available", "a condition of tasks: query tasks"),
        ("blocked", "a condition of tasks: query tasks"),
        ("parentTaskId", "a condition of tasks: query tasks"),
        ("project", "a condition of tasks: query tasks, or use `name` or `id`"),
        ("projectId", "a condition of tasks: query tasks, or use `id`"),
    ];
    if kind == Kind::Projects { PROJECTS } else { COMMON }
}

/// Reads one condition. Null is refused, unless it has a meaning for this key.
pub(super) fn read(
    key: &str,
    object: &Object<'_>,
    kind: Kind,
    fast: bool,
    moment: &Moment,
) -> Result<Option<Predicate>, Fault> {
    match key {
        "project" => Ok(Some(project(object)?)),
        "folder" => Ok(Some(folder(object)?)),
        "parentTaskId" if object.get(key) == Some(&Json::Null) => {
            Err(object.wrong(key, "the id of a task; tasks without a parent cannot be asked for"))
        }
        _ if object.get(key) == Some(&Json::Null) => Err(null(key, object)),
        "status" => status(object, kind),
        "completed" => Ok(object.flag(key)?.map(|completed| completion(completed, kind))),
        "flagged" => flag("flagged", object),
        "effectiveFlagged" => flag("effectiveFlagged", object),
        "inInbox" => flag("inInbox", object),
        "available" => flag("available", object),
        "blocked" => flag("blocked", object),
        "hasNote" => flag("hasNote", object),
        "sequential" => flag("sequential", object),
        "isRepeating" => flag("isRepeating", object),
        "stalled" => flag("stalled", object),
        "reviewDue" => Ok(object.flag(key)?.map(|due| review(due, moment))),
        "tags" => tags(object),
        "id" => ids(object),
        "projectId" => Ok(object.text(key)?.map(|id| Predicate::ProjectId(id.to_owned()))),
        "perspective" => perspective(object),
        "subtreeOf" => Ok(object.text(key)?.map(|id| Predicate::Subtree(id.to_owned()))),
        "parentTaskId" => Ok(object.text(key)?.map(|id| Predicate::Parent(id.to_owned()))),
        "estimatedMinutes" => minutes(object),
        "name" => text(key, &["name"], object),
        "text" if fast => text(key, &["name"], object),
        "text" => text(key, &["name", "note"], object),
        _ => date(key, object, moment),
    }
}

/// Refuses null. For a date or an estimate it means "none", which has a form of its own.
fn null(key: &str, object: &Object<'_>) -> Fault {
    if key == "estimatedMinutes" || fields::is_date(key) {
        return object
            .wrong(key, "an object")
            .suggest(format!("write {{\"{key}\":{{\"exists\":false}}}} for items without one"));
    }
    object.wrong(key, "a value; null has a meaning only for `project` and `folder`, so leave the key out")
}

fn flag(field: &'static str, object: &Object<'_>) -> Result<Option<Predicate>, Fault> {
    Ok(object.flag(field)?.map(|value| Predicate::flag(field, value)))
}

fn state(word: &'static str) -> Predicate {
    Predicate::Is("status", Json::String(word.to_owned()))
}

fn status(object: &Object<'_>, kind: Kind) -> Result<Option<Predicate>, Fault> {
    let all =
        [("active", "active"), ("completed", "completed"), ("dropped", "dropped"), ("on_hold", "on_hold")];
    let words = match kind {
        Kind::Projects => &all[..],
        Kind::Tags => &[all[0], all[3], all[2]],
        Kind::Folders => &[all[0], all[2]],
        _ => &all[..3],
    };
    let held = object.get("status").and_then(Json::as_str) == Some("on_hold");
    object.word("status", words).map(|word| word.map(state)).map_err(|fault| match kind {
        Kind::Tasks if held => fault.suggest(
            "only a project is on hold; its tasks are `available`: false, or query projects with this status",
        ),
        Kind::Tasks if object.get("status").and_then(Json::as_str).is_some_and(is_doable) => fault.suggest(
            "what can be done now is `available`: true; all that remains is `status` active, as without it",
        ),
        _ if object.get("status").is_some_and(Json::is_array) => {
            let accepted: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            object
                .wrong("status", &format!("one of {}", accepted.join(", ")))
                .suggest("several: {\"OR\":[{\"status\":\"completed\"},{\"status\":\"dropped\"}]}")
        }
        _ => fault,
    })
}

/// The words of OmniFocus and of other tools for tasks that are not done.
fn is_doable(word: &str) -> bool {
    ["available", "next", "remaining", "open", "todo"].contains(&word.trim().to_ascii_lowercase().as_str())
}

/// A task that is not completed is active, since dropped tasks have a `status` filter; a project may also be on hold.
fn completion(completed: bool, kind: Kind) -> Predicate {
    match (completed, kind) {
        (true, _) => state("completed"),
        (false, Kind::Projects) => Predicate::Among("status", vec!["active", "on_hold"]),
        (false, _) => state("active"),
    }
}

fn review(due: bool, moment: &Moment) -> Predicate {
    let until = Predicate::until("nextReviewDate", moment.end_of(moment.today()));
    if due { until } else { Predicate::Not(Box::new(until)) }
}

/// One id, or a list of them.
fn ids(object: &Object<'_>) -> Result<Option<Predicate>, Fault> {
    let wrong = || object.wrong("id", "an id, or a list of 1 to 100 ids");
    let mut ids = object.texts("id").map_err(|_| wrong())?.unwrap_or_default();
    let mut seen = std::collections::BTreeSet::new();
    ids.retain(|id| seen.insert(id.clone()));
    if ids.is_empty() || ids.len() > MOST_IDS { Err(wrong()) } else { Ok(Some(Predicate::Ids(ids))) }
}

/// The maximum number of ids in a list.
const MOST_IDS: usize = 100;

fn tags(object: &Object<'_>) -> Result<Option<Predicate>, Fault> {
    let form = "an object with any, all or none, each a list of names, such as {\"any\":[\"work\"]}";
    let tags = object.object("tags").map_err(|_| object.wrong("tags", form))?;
    let Some(tags) = tags else { return Ok(None) };
    tags.only(&["any", "all", "none", "below"], &[])?;
    let below = tags.flag("below")?.unwrap_or(false);
    let mut parts = Vec::new();
    for (key, how) in [("any", Match::Any), ("all", Match::All), ("none", Match::None)] {
        parts.extend(tags.texts(key)?.map(|names| Predicate::Tags(how, names, below)));
    }
    match parts.len() {
        0 => Err(object.wrong("tags", form)),
        1 => Ok(parts.pop()),
        _ => Ok(Some(Predicate::And(parts))),
    }
}

/// Whether a value means "none": null, and other spellings of it.
fn nothing(value: Option<&Json>) -> bool {
    match value {
        None | Some(Json::Null) => true,
        Some(value) => value.as_str().is_some_and(|text| matches!(text.trim(), "" | "null")),
    }
}

fn project(object: &Object<'_>) -> Result<Predicate, Fault> {
    if nothing(object.get("project")) {
        return Ok(Predicate::flag("inInbox", true));
    }
    let form = "the name or id of a project, or null for the inbox";
    let name = object.text("project").map_err(|_| object.wrong("project", form))?;
    Ok(Predicate::Project(name.unwrap_or_default().to_owned()))
}

/// A script cannot read the rules of the app's own perspectives; modes and filters show the same items.
fn perspective(object: &Object<'_>) -> Result<Option<Predicate>, Fault> {
    let Some(name) = object.text("perspective")? else { return Ok(None) };
    let own = [
        ("inbox", "the mode `inbox`"),
        ("flagged", "the mode `flagged`"),
        ("forecast", "the mode `forecast`"),
        ("projects", "the type `projects`"),
        ("tags", "the type `tags`"),
        ("review", "the type `projects` with `reviewDue`"),
    ];
    match own.iter().find(|(own, _)| name.trim().eq_ignore_ascii_case(own)) {
        Some((_, instead)) => Err(Fault::invalid(format!(
            "`{}` is `{name}`, one of the perspectives of OmniFocus itself, whose rules cannot be read",
            object.at("perspective")
        ))
        .suggest(format!("use {instead}"))),
        None => Ok(Some(Predicate::Perspective(name.to_owned()))),
    }
}

fn folder(object: &Object<'_>) -> Result<Predicate, Fault> {
    if nothing(object.get("folder")) {
        return Ok(Predicate::Top);
    }
    let form = "the path of a folder such as \"Work : Clients\" or \"Work/Clients\", or null for no folder";
    let wrong = || object.wrong("folder", form);
    let path = object.text("folder").map_err(|_| wrong())?.unwrap_or_default();
    Ok(Predicate::Folder(path.trim().to_owned()))
}

fn text(key: &str, fields: &'static [&'static str], object: &Object<'_>) -> Result<Option<Predicate>, Fault> {
    let form = "an object with one of contains and matches, such as {\"contains\":\"budget\"}";
    let wrong = || object.wrong(key, form);
    let Some(text) = object.object(key).map_err(|_| wrong())? else { return Ok(None) };
    text.only(&["contains", "matches"], &[])?;
    match (text.text("contains")?, text.text("matches")?) {
        (Some(term), None) => Ok(Some(Predicate::Contains(fields, term.to_owned()))),
        (None, Some(pattern)) if pattern.chars().count() > 500 => {
            Err(text.wrong("matches", "a regular expression of at most 500 characters"))
        }
        (None, Some(pattern)) => match pattern::most(pattern) {
            Ok(most) => Ok(Some(Predicate::Matches(fields, pattern.to_owned(), most))),
            Err(refused) => Err(refusal(&text, refused)),
        },
        _ => Err(wrong()),
    }
}

fn refusal(text: &Object<'_>, refused: Refused) -> Fault {
    let form = match refused {
        Refused::Costly => {
            "a regular expression that matches a text in few ways, since OmniFocus would hang; \
                write `a+` for `(a+)+`, and repeat `.*` and its like twice at most"
        }
        Refused::Opening(opening) => {
            let ignored = if opening.split('-').next().is_some_and(|on| on.contains('i')) {
                "; case is ignored anyway"
            } else {
                ""
            };
            return text
                .wrong("matches", "a regular expression without flags and special groups")
                .suggest(format!("`{opening}` cannot be read here{ignored}"));
        }
        Refused::Unreadable => "a regular expression with complete escapes, classes and groups",
    };
    text.wrong("matches", form)
}

fn date(key: &str, object: &Object<'_>, moment: &Moment) -> Result<Option<Predicate>, Fault> {
    let field = field(key);
    let form = "an object with before, after, onOrBefore, onOrAfter, between or exists, such as \
        {\"before\":\"now+3days\"}";
    let wrong = || object.wrong(key, form);
    let Some(date) = object.object(key).map_err(|_| wrong())? else { return Ok(None) };
    date.only(
        &["before", "after", "onOrBefore", "onOrAfter", "between", "exists"],
        &[
            ("until", "use `onOrBefore`"),
            ("from", "use `onOrAfter`"),
            ("since", "use `onOrAfter`"),
            ("on", "use `between` with the day twice, such as [\"today\",\"today\"]"),
        ],
    )?;
    let bound = |end: Option<i64>| end.map_or(Bound::Open, Bound::At);
    match (dates::range(&date, moment)?, date.flag("exists")?) {
        (Some(range), None) => Ok(Some(Predicate::Within(field, bound(range.from), bound(range.to)))),
        (None, Some(there)) => Ok(Some(Predicate::Exists(field, there))),
        _ => Err(wrong()),
    }
}

/// Returns the name of a date field as a static string.
fn field(key: &str) -> &'static str {
    [Kind::Tasks, Kind::Projects]
        .into_iter()
        .find_map(|kind| fields::find(key, kind))
        .expect("only known keys are read")
}

/// OmniFocus stores whole minutes, so a strict bound is the same as the next inclusive one.
fn minutes(object: &Object<'_>) -> Result<Option<Predicate>, Fault> {
    const FIELD: &str = "estimatedMinutes";
    let form =
        "an object with one of equals, lessThan, greaterThan, between and exists, such as {\"lessThan\":30}";
    let wrong = || object.wrong(FIELD, form);
    let Some(minutes) = object.object(FIELD).map_err(|_| wrong())? else { return Ok(None) };
    minutes.only(&["equals", "lessThan", "greaterThan", "between", "exists"], &[])?;
    if minutes.keys().count() != 1 {
        return Err(wrong());
    }
    if let Some(there) = minutes.flag("exists")? {
        return Ok(Some(Predicate::Exists(FIELD, there)));
    }
    let (least, most) =
        match (minutes.number("equals")?, minutes.number("lessThan")?, minutes.number("greaterThan")?) {
            (Some(value), ..) => (Bound::Number(value), Bound::Number(value)),
            (_, Some(value), _) => (Bound::Open, Bound::Number(value.ceil() - 1.0)),
            (.., Some(value)) => (Bound::Number(value.floor() + 1.0), Bound::Open),
            _ => between(&minutes)?,
        };
    Ok(Some(Predicate::Within(FIELD, least, most)))
}

fn between(minutes: &Object<'_>) -> Result<(Bound, Bound), Fault> {
    let wrong = || minutes.wrong("between", "a list of two numbers, the smaller one first");
    let Some([left, right]) = minutes.list("between").map_err(|_| wrong())? else { return Err(wrong()) };
    match (left.as_f64(), right.as_f64()) {
        (Some(left), Some(right)) if left <= right => Ok((Bound::Number(left), Bound::Number(right))),
        _ => Err(wrong()),
    }
}
