//! The arguments of `omnifocus_read`.

use iac_plugin::{Arguments, Fault, Json, Object};

use super::export::{self, Format};
use super::mode::{self, Mode};
use super::summary;
use crate::filter::{self, Filter};
use crate::program::{Kind, Query};
use crate::{Moment, fields};

/// One parsed query.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) parts: Vec<Part>,
    /// The form of an export.
    pub(super) export: Option<Format>,
}

/// The query about one kind of item. An export may have two of them.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) kind: Kind,
    pub(super) filter: Filter,
    /// Whether the filter asks for planned dates, which older versions do not have.
    pub(super) needs_planned: bool,
    pub(super) mode: Mode,
    pub(super) days_ahead: Option<i64>,
    pub(super) fields: Vec<&'static str>,
    pub(super) sort: Vec<(&'static str, i8)>,
    pub(super) offset: i64,
    pub(super) limit: i64,
    pub(super) whole_notes: bool,
    pub(super) count_only: bool,
    pub(super) roots: bool,
    /// Whether the answer has a summary of the matches.
    pub(super) summary: bool,
}

/// More rows than any database has.
pub(super) const ALL: i64 = 1_000_000;

const TASK_KEYS: &[&str] = &[
    "type", "filters", "fields", "sort", "limit", "offset", "mode", "details", "countOnly", "fastSearch",
    "daysAhead", "includeProjectRoot", "summary",
];
const PROJECT_KEYS: &[&str] = &[
    "type", "filters", "fields", "sort", "limit", "offset", "details", "countOnly", "fastSearch",
    "includeStats",
];
const PLAIN_KEYS: &[&str] = &["type", "filters", "fields", "sort", "limit", "offset", "details", "countOnly"];
const PERSPECTIVE_KEYS: &[&str] = &["type", "fields", "sort", "limit", "offset", "details"];

const REDIRECTS: &[(&str, &str)] = &[
    ("mode", "modes are for tasks: use `filters`"),
    ("includeStats", "it belongs to projects"),
    ("filter", "did you mean `filters`?"),
    ("where", "use `filters`"),
    ("orderBy", "use `sort`, such as [{\"field\":\"dueDate\",\"order\":\"asc\"}]"),
    ("exportType", "it belongs to the type `export`"),
    ("format", "it belongs to the type `export`"),
];

impl Request {
    /// Reads the arguments of a call.
    pub(super) fn read(arguments: Arguments, moment: &Moment) -> Result<Self, Fault> {
        let query = arguments.envelope("query", "type")?;
        let query = Object::root("query", &query);
        let kinds = [
            ("tasks", Some(Kind::Tasks)),
            ("projects", Some(Kind::Projects)),
            ("tags", Some(Kind::Tags)),
            ("perspectives", Some(Kind::Perspectives)),
            ("folders", Some(Kind::Folders)),
            ("export", None),
        ];
        let form = "one of tasks, projects, tags, perspectives, folders, export";
        match query.word("type", &kinds)? {
            Some(Some(kind)) => Ok(Self { parts: vec![part(&query, kind, moment)?], export: None }),
            Some(None) => export::read(&query, moment),
            None => Err(Fault::invalid(format!("`query.type` is missing, expected {form}"))),
        }
    }

    /// Returns the queries of its program.
    pub(super) fn queries(&self, moment: &Moment) -> Vec<Query> {
        self.parts.iter().map(|part| part.query(moment)).collect()
    }
}

fn part(query: &Object<'_>, kind: Kind, moment: &Moment) -> Result<Part, Fault> {
    let keys = match kind {
        Kind::Tasks => TASK_KEYS,
        Kind::Projects => PROJECT_KEYS,
        Kind::Perspectives => PERSPECTIVE_KEYS,
        Kind::Tags | Kind::Folders => PLAIN_KEYS,
    };
    let redirects = if kind == Kind::Perspectives && query.has("filters") {
        &[("filters", "perspectives take no filters: ask for all of them")][..]
    } else {
        REDIRECTS
    };
    query.only(keys, redirects)?;
    let modes = Mode::all();
    let mode = query.word("mode", &modes)?.unwrap_or(Mode::All);
    let days_ahead = days_ahead(query, mode)?;
    let filters = query.object("filters")?;
    let fast = fast(query, filters.as_ref())?;
    let conditions = mode.conditions(days_ahead.unwrap_or_default(), moment);
    let filter = filter::read(filters.as_ref(), kind, fast, &conditions, moment)?;
    if mode == Mode::Forecast && query.has("offset") {
        return Err(Fault::invalid("`query.offset` is given with the mode `forecast`").suggest(
            "the limit is that of each section: raise it, or ask for one day with `effectiveDueDate`",
        ));
    }
    let details = query.flag("details")?.unwrap_or(false);
    let count_only = query.flag("countOnly")?.unwrap_or(false);
    let roots = query.flag("includeProjectRoot")?.unwrap_or(false) || filter.ids.is_some();
    Ok(Part {
        kind,
        fields: wanted(query, kind, details || filter.ids.is_some(), roots, mode)?,
        sort: sort(query, kind, mode)?,
        offset: query.whole("offset", 0, i64::MAX)?.unwrap_or(0),
        limit: limit(query, kind, filter.ids.as_deref())?,
        whole_notes: details || filter.ids.is_some(),
        count_only,
        summary: kind == Kind::Tasks
            && !count_only
            && query.flag("summary")?.unwrap_or(!filter.narrow && mode != Mode::Forecast),
        roots,
        mode,
        days_ahead,
        filter,
        needs_planned: needs_planned(query),
    })
}

/// Reads the conditions of a change of many items.
pub(super) fn named(query: &Object<'_>, kind: Kind, most: i64, moment: &Moment) -> Result<Part, Fault> {
    let mode = query.word("mode", &Mode::all())?.unwrap_or(Mode::All);
    if query.has("mode") && (kind != Kind::Tasks || mode.is_chosen_by_rows()) {
        return Err(Fault::invalid(format!("`{}` cannot name what to change", query.at("mode")))
            .suggest("tasks have the modes inbox, overdue, today, upcoming, available, blocked, flagged and forecast_past; else use `filters`"));
    }
    let filters = query.object("filters")?;
    let is_open = |object: &Object<'_>| object.keys().next().is_none();
    if matches!(mode, Mode::All | Mode::Search) && filters.as_ref().is_none_or(is_open) {
        return Err(Fault::invalid(format!(
            "`{}` has no condition, so it means everything",
            query.at("filters")
        ))
        .suggest("name at least one condition, as in omnifocus_read"));
    }
    let days_ahead = days_ahead(query, mode)?;
    let conditions = mode.conditions(days_ahead.unwrap_or_default(), moment);
    Ok(Part {
        kind,
        filter: filter::read(filters.as_ref(), kind, false, &conditions, moment)?,
        needs_planned: needs_planned(query),
        mode,
        days_ahead,
        fields: vec!["id"],
        sort: mode.sort().to_vec(),
        offset: 0,
        limit: most,
        whole_notes: false,
        count_only: false,
        roots: false,
        summary: false,
    })
}

/// Whether a query filters by planned dates.
pub(super) fn needs_planned(query: &Object<'_>) -> bool {
    query.get("filters").is_some_and(|filters| {
        ["plannedDate", "effectivePlannedDate"].iter().any(|key| mentions(filters, key))
    })
}

/// Whether a key occurs anywhere in a filter.
fn mentions(filter: &Json, key: &str) -> bool {
    match filter {
        Json::Object(map) => map.iter().any(|(name, value)| name == key || mentions(value, key)),
        Json::Array(items) => items.iter().any(|item| mentions(item, key)),
        _ => false,
    }
}

fn days_ahead(query: &Object<'_>, mode: Mode) -> Result<Option<i64>, Fault> {
    let given = query.whole("daysAhead", 1, 30)?;
    match (given, mode.days_ahead()) {
        (Some(_), None) => {
            Err(Fault::invalid(format!("`query.daysAhead` means nothing to the mode `{}`", mode.word()))
                .suggest("use it with the modes today, upcoming and forecast, or filter by `dueDate`"))
        }
        (given, usual) => Ok(given.or(usual)),
    }
}

/// Whether `text` searches names only; an error without a condition on `text`.
fn fast(query: &Object<'_>, filters: Option<&Object<'_>>) -> Result<bool, Fault> {
    let fast = query.flag("fastSearch")?.unwrap_or(false);
    if fast && filters.is_none() {
        return Err(Fault::invalid("`query.fastSearch` is given without `query.filters.text`")
            .suggest("add `filters`: {\"text\":{\"contains\":…}}, or leave it out"));
    }
    Ok(fast)
}

fn wanted(
    query: &Object<'_>,
    kind: Kind,
    details: bool,
    roots: bool,
    mode: Mode,
) -> Result<Vec<&'static str>, Fault> {
    let chosen = fields::list(query, kind)?;
    if chosen.is_some() && query.flag("details")? == Some(true) {
        return Err(Fault::invalid("`query.fields` and `query.details` are both given")
            .suggest("details returns every field: leave one of them out"));
    }
    let plain = || match details {
        true => fields::details(kind),
        false => [&fields::defaults(kind)[..], mode.fields()].concat(),
    };
    let mut wanted = chosen.unwrap_or_else(plain);
    let stats = query.flag("includeStats")?.unwrap_or(false);
    let more = [("isProjectRoot", roots && kind == Kind::Tasks), ("taskCounts", stats), ("nextTask", stats)];
    for (field, _) in more.into_iter().filter(|(_, more)| *more) {
        if !wanted.contains(&field) {
            wanted.push(field);
        }
    }
    Ok(wanted)
}

/// Reads `sort`: a list of pairs of a field and an order.
pub(super) fn sort(query: &Object<'_>, kind: Kind, mode: Mode) -> Result<Vec<(&'static str, i8)>, Fault> {
    let Some(list) = query.list("sort")? else {
        return Ok(if kind == Kind::Folders { vec![("name", 1)] } else { mode.sort().to_vec() });
    };
    if mode == Mode::SmartSuggest {
        return Err(Fault::invalid("`query.sort` is given with the mode `smart_suggest`")
            .suggest("it sorts by its score: leave `sort` out"));
    }
    let key = |(index, value): (usize, &Json)| {
        let object = Object::of(format!("{}[{index}]", query.at("sort")), value)?;
        object.only(&["field", "order", "direction"], &[])?;
        let orders = [("asc", 1_i8), ("desc", -1)];
        let order = match object.word("order", &orders)? {
            Some(order) => Some(order),
            None => object.word("direction", &orders)?,
        };
        let missing = || Fault::invalid(format!("`{}` is missing, expected a field", object.at("field")));
        let field = fields::read(&object.at("field"), object.get("field").ok_or_else(missing)?, kind)?;
        Ok((field, order.unwrap_or(1)))
    };
    list.iter().enumerate().map(key).collect()
}

fn limit(query: &Object<'_>, kind: Kind, ids: Option<&[String]>) -> Result<i64, Fault> {
    let usual = match kind {
        Kind::Tasks | Kind::Projects => {
            25_i64.max(ids.map_or(0, |ids| i64::try_from(ids.len()).unwrap_or(ALL)))
        }
        Kind::Folders => 100,
        Kind::Tags | Kind::Perspectives => ALL,
    };
    Ok(query.whole("limit", 1, 500)?.unwrap_or(usual))
}

/// The maximum number of characters of a note in a list.
pub(super) const NOTE: i64 = 200;

impl Part {
    pub(super) fn query(&self, moment: &Moment) -> Query {
        let mut query = Query::new(self.kind, &self.filter.predicate);
        if let Some(ids) = &self.filter.ids {
            query = query.only(ids);
        }
        if self.roots {
            query = query.roots();
        }
        if self.needs_planned {
            query = query.needs("plannedDate", "4.7");
        }
        if self.summary {
            query = summary::ask(query, self, moment);
        }
        if self.count_only && self.mode == Mode::SmartSuggest {
            return query.rows(&[], &[], 0, 0).suggest(moment.end_of(moment.today()));
        }
        if self.count_only {
            return query;
        }
        let mut columns = self.fields.clone();
        columns.extend(self.hidden());
        query = query.rows(&columns, &self.sort, self.offset, self.limit);
        if !self.whole_notes {
            query = query.cut_notes(NOTE);
        }
        match self.mode {
            Mode::SmartSuggest => query.suggest(moment.end_of(moment.today())),
            Mode::Forecast => {
                query.sections(&self.mode.sections(self.days_ahead.unwrap_or_default(), moment))
            }
            _ => query,
        }
    }

    /// Returns the columns that only the remarks of the answer need.
    pub(super) fn hidden(&self) -> &'static [&'static str] {
        if self.mode == Mode::Today { &[mode::DUE, mode::FLAGGED] } else { &[] }
    }
}
