//! The program: what the fixed scripts interpret. Everything in it is data.

use iac_plugin::serde_json::{Map, Value};
use iac_plugin::{Json, json};

use crate::Moment;

/// The kind of items that a query searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Tasks,
    Projects,
    Tags,
    Folders,
    Perspectives,
}

impl Kind {
    /// Returns the name of the kind in programs and answers.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Tasks => "tasks",
            Self::Projects => "projects",
            Self::Tags => "tags",
            Self::Folders => "folders",
            Self::Perspectives => "perspectives",
        }
    }
}

/// A condition on one item: true, false, or unknown if a text is too long for a regular expression. Unknown does not
/// match, and its negation does not match either.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Predicate {
    And(Vec<Predicate>),
    Or(Vec<Predicate>),
    Not(Box<Predicate>),
    /// A field has the given value.
    Is(&'static str, Json),
    /// A field has one of the given values.
    Among(&'static str, Vec<&'static str>),
    /// A field has some value (true), or has no value (false).
    Exists(&'static str, bool),
    /// The value of a field is between two bounds, both included. False for a missing value.
    Within(&'static str, Bound, Bound),
    /// At least one of the fields contains a text, in any case.
    Contains(&'static [&'static str], String),
    /// At least one of the fields matches a regular expression, in any case. The number limits how long a text may be
    /// to be tried; `None` means no limit.
    Matches(&'static [&'static str], String, Option<usize>),
    /// How the item relates to these tags; if true, the tags below them count as well.
    Tags(Match, Vec<String>, bool),
    /// The name of at least one tag matches a regular expression.
    Tagged(String),
    /// The name is one of these; spaces around it and case do not matter.
    Named(Vec<String>),
    /// The item has the tag that the app shows in today's forecast.
    ForecastTag,
    /// The item belongs to the project with this id, otherwise to the one with this name.
    Project(String),
    /// The item belongs to the project with this id.
    ProjectId(String),
    /// The item belongs to one of these projects.
    Projects(Vec<String>),
    /// The item is directly below the task with this id.
    Parent(String),
    /// The item is the task with this id, or is anywhere below it.
    Subtree(String),
    /// The item matches the rules of a custom perspective.
    Perspective(String),
    /// The item is anywhere below a folder, given by the segments of its path.
    Folder(String),
    /// The item is in no folder.
    Top,
    /// The item has one of these ids.
    Ids(Vec<String>),
}

/// One end of the range of a number or a date; without a value, the end is open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bound {
    Open,
    At(i64),
    Number(f64),
}

/// How an item must relate to the given tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    Any,
    All,
    None,
}

impl Match {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::All => "all",
            Self::None => "none",
        }
    }
}

impl Predicate {
    /// Returns the condition that everything fulfils.
    pub(crate) fn everything() -> Self {
        Self::And(Vec::new())
    }

    /// Returns the condition that a boolean field has a value.
    pub(crate) fn flag(field: &'static str, value: bool) -> Self {
        Self::Is(field, Json::Bool(value))
    }

    /// Returns the condition that a date is at most an instant.
    pub(crate) fn until(field: &'static str, to: i64) -> Self {
        Self::Within(field, Bound::Open, Bound::At(to))
    }

    /// Returns the condition that a date is at least an instant.
    pub(crate) fn since(field: &'static str, from: i64) -> Self {
        Self::Within(field, Bound::At(from), Bound::Open)
    }

    /// Returns the condition that a date lies between two instants, both included.
    pub(crate) fn between(field: &'static str, from: i64, to: i64) -> Self {
        Self::Within(field, Bound::At(from), Bound::At(to))
    }

    /// Returns the condition that both hold.
    #[must_use]
    pub(crate) fn and(self, other: Self) -> Self {
        let parts = |predicate| match predicate {
            Self::And(parts) => parts,
            one => vec![one],
        };
        let mut all = parts(self);
        all.extend(parts(other));
        Self::And(all)
    }

    /// Returns the form that the script reads.
    pub(crate) fn json(&self) -> Json {
        let list = |word: &str, parts: &[Self]| {
            let parts = parts.iter().map(Self::json);
            Json::Array(std::iter::once(json!(word)).chain(parts).collect())
        };
        match self {
            Self::And(parts) => list("and", parts),
            Self::Or(parts) => list("or", parts),
            Self::Not(part) => json!(["not", part.json()]),
            Self::Is(field, value) => json!(["is", field, value]),
            Self::Among(field, values) => json!(["among", field, values]),
            Self::Exists(field, there) => json!(["exists", field, there]),
            Self::Within(field, least, most) => json!(["within", field, least.json(), most.json()]),
            Self::Contains(fields, term) => json!(["contains", fields, term]),
            Self::Matches(fields, pattern, most) => json!(["matches", fields, pattern, most]),
            Self::Tags(how, names, below) => json!(["tags", how.word(), names, below]),
            Self::Tagged(pattern) => json!(["tagged", pattern]),
            Self::Named(names) => json!(["named", names]),
            Self::ForecastTag => json!(["forecast_tag"]),
            Self::Project(name) => json!(["project", name, false]),
            Self::ProjectId(id) => json!(["project", id, true]),
            Self::Projects(names) => json!(["projects", names]),
            Self::Parent(id) => json!(["parent", id]),
            Self::Folder(path) => json!(["folder", path]),
            Self::Subtree(id) => json!(["subtree", id]),
            Self::Perspective(name) => json!(["perspective", name]),
            Self::Top => json!(["top"]),
            Self::Ids(ids) => json!(["ids", ids]),
        }
    }

    /// Returns the condition in words, with dates in local time.
    pub(crate) fn words(&self, moment: &Moment) -> String {
        let joined = |parts: &[Self], word: &str| match parts {
            [one] => one.words(moment),
            parts => {
                let words: Vec<String> = parts.iter().map(|part| part.words(moment)).collect();
                format!("({})", words.join(word))
            }
        };
        let quoted = |names: &[String]| {
            let names: Vec<String> = names.iter().map(|name| short(name)).collect();
            format!("[{}]", names.join(", "))
        };
        match self {
            Self::And(parts) if parts.is_empty() => "everything".to_owned(),
            Self::And(parts) => joined(parts, " and "),
            Self::Or(parts) => joined(parts, " or "),
            Self::Not(part) => format!("not {}", part.words(moment)),
            Self::Is(field, value) => format!("{field} is {value}"),
            Self::Among(field, values) => format!("{field} is {}", values.join(" or ")),
            Self::Exists(field, true) => format!("{field} is set"),
            Self::Exists(field, false) => format!("{field} is not set"),
            Self::Within(field, least, most) => within(field, *least, *most, moment),
            Self::Contains(fields, term) => format!("{} contains {}", fields.join(" or "), short(term)),
            Self::Matches(fields, pattern, _) => {
                format!("{} matches {}", fields.join(" or "), short(pattern))
            }
            Self::Tags(how, names, below) => {
                let below = if *below { " or those below them" } else { "" };
                format!("has {} of the tags {}{below}", how.word(), quoted(names))
            }
            Self::Tagged(pattern) => format!("has a tag that matches {pattern:?}"),
            Self::Named(names) => format!("name is one of {}", quoted(names)),
            Self::ForecastTag => "has the tag of the forecast".to_owned(),
            Self::Project(name) => format!("project is {}", short(name)),
            Self::ProjectId(id) => format!("project has the id {}", short(id)),
            Self::Projects(names) => format!("project is one of {}", quoted(names)),
            Self::Parent(id) => format!("parent has the id {}", short(id)),
            Self::Folder(path) => format!("below the folder {}", short(path)),
            Self::Subtree(id) => format!("is the task {}, or below it", short(id)),
            Self::Perspective(name) => format!("in the perspective {}", short(name)),
            Self::Top => "in no folder".to_owned(),
            Self::Ids(ids) => match ids.as_slice() {
                [id] => format!("id is {}", short(id)),
                ids => format!("id is one of {}", quoted(ids)),
            },
        }
    }
}

/// The maximum number of characters of a caller's text to repeat.
const TOLD: usize = 80;

/// Quotes as much of a text as a reader needs to recognize it.
fn short(text: &str) -> String {
    match text.char_indices().nth(TOLD) {
        Some((end, _)) => format!("{:?}", format!("{}…", &text[..end])),
        None => format!("{text:?}"),
    }
}

fn within(field: &str, least: Bound, most: Bound, moment: &Moment) -> String {
    match (least, most) {
        (Bound::Open, Bound::Open) => format!("{field} is set"),
        // The millisecond beside a whole second is shown as that second, which is left out.
        (Bound::At(least), Bound::Open) if least.rem_euclid(1_000) == 1 => {
            format!("{field} > {}", moment.text(least - 1))
        }
        (Bound::Open, Bound::At(most)) if most.rem_euclid(1_000) == 999 => {
            format!("{field} < {}", moment.text(most + 1))
        }
        (least, Bound::Open) => format!("{field} >= {}", least.words(moment)),
        (Bound::Open, most) => format!("{field} <= {}", most.words(moment)),
        (least, most) if least == most => format!("{field} = {}", least.words(moment)),
        (least, most) => format!("{field} from {} to {}", least.words(moment), most.words(moment)),
    }
}

impl Bound {
    fn json(self) -> Json {
        match self {
            Self::Open => Json::Null,
            Self::At(instant) => json!(instant),
            Self::Number(number) => json!(number),
        }
    }

    fn words(self, moment: &Moment) -> String {
        match self {
            Self::Open => "any".to_owned(),
            Self::At(instant) => moment.text(instant),
            Self::Number(number) => number.to_string(),
        }
    }

    /// Returns the value as a number, to compare it with other values of its field.
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a date are below 2^53")]
    pub(crate) fn value(self) -> Option<f64> {
        match self {
            Self::Open => None,
            Self::At(instant) => Some(instant as f64),
            Self::Number(number) => Some(number),
        }
    }
}

/// One query of a program. A builder adds what it should return.
#[derive(Clone, Debug)]
#[must_use]
pub(crate) struct Query(Map<String, Value>);

impl Query {
    /// Searches all items of a kind for those that match.
    pub(crate) fn new(kind: Kind, wanted: &Predicate) -> Self {
        let mut query = Map::new();
        query.insert("from".to_owned(), json!(kind.word()));
        query.insert("where".to_owned(), wanted.json());
        Self(query)
    }

    /// Looks up only these items.
    pub(crate) fn only(self, ids: &[String]) -> Self {
        self.with("ids", json!(ids))
    }

    /// Also includes the tasks that are the roots of projects.
    pub(crate) fn roots(self) -> Self {
        self.with("roots", json!(true))
    }

    /// Makes the query fail if the app is too old to have a property of its tasks.
    pub(crate) fn needs(self, property: &str, version: &str) -> Self {
        self.within("needs", property, json!(version))
    }

    /// Counts the matches that also fulfil a further condition.
    pub(crate) fn count(self, label: &str, wanted: &Predicate) -> Self {
        self.within("counts", label, wanted.json())
    }

    /// Summarizes a field of the matches: `sum`, `mean`, `min`, `max` or `median`.
    pub(crate) fn stat(self, label: &str, how: &str, field: &str) -> Self {
        self.within("stats", label, json!([how, field]))
    }

    /// Summarizes a field of the matches that also fulfil a further condition.
    pub(crate) fn stat_of(self, label: &str, how: &str, field: &str, wanted: &Predicate) -> Self {
        self.within("stats", label, json!([how, field, wanted.json()]))
    }

    /// Groups the matches.
    pub(crate) fn group(self, label: &str, group: Group) -> Self {
        self.within("groups", label, Value::Object(group.0))
    }

    /// Returns rows of some fields, sorted by pairs of a field and 1 or -1.
    pub(crate) fn rows(self, fields: &[&str], sort: &[(&str, i8)], offset: i64, limit: i64) -> Self {
        self.with(
            "rows",
            json!({"fields": fields, "sort": sort, "offset": offset, "limit": limit, "text": null}),
        )
    }

    /// Cuts the notes in rows to a number of characters.
    pub(crate) fn cut_notes(mut self, most: i64) -> Self {
        self.0["rows"]["text"] = json!(most);
        self
    }

    /// Divides the rows into sections, each item into the first one that fits; the limit holds for each section.
    pub(crate) fn sections(mut self, sections: &[(String, Predicate)]) -> Self {
        let sections = sections.iter().map(|(label, wanted)| json!([label, wanted.json()]));
        self.0["rows"]["sections"] = sections.collect();
        self
    }

    /// Scores the matches and returns the rows with the best scores. A task that is due by `end_of_today` is always
    /// among them.
    pub(crate) fn suggest(mut self, end_of_today: i64) -> Self {
        self.0["rows"]["suggest"] = json!(end_of_today);
        self
    }

    fn with(mut self, key: &str, value: Json) -> Self {
        self.0.insert(key.to_owned(), value);
        self
    }

    fn within(mut self, key: &str, label: &str, value: Json) -> Self {
        let entry = self.0.entry(key).or_insert_with(|| json!({}));
        entry[label] = value;
        self
    }
}

/// How to group the matches of a query, and what to count in each group.
#[derive(Clone, Debug)]
#[must_use]
pub(crate) struct Group(Map<String, Value>);

impl Group {
    /// Groups by project; items without a project are one group with the key null.
    pub(crate) fn by_project() -> Self {
        Self::by(json!(["project"]))
    }

    /// Groups by tag; an item is in the group of each of its tags.
    pub(crate) fn by_tag() -> Self {
        Self::by(json!(["tag"]))
    }

    /// Groups by the local day of a date.
    pub(crate) fn by_day(field: &str) -> Self {
        Self::by(json!(["day", field]))
    }

    pub(crate) fn by_value(field: &str) -> Self {
        Self::by(json!(["value", field]))
    }

    /// Groups by spans that begin at the bounds; a value below the first bound is in no group.
    pub(crate) fn by_spans(field: &str, bounds: &[i64]) -> Self {
        Self::by(json!(["span", field, bounds]))
    }

    fn by(by: Json) -> Self {
        Self(Map::from_iter([("by".to_owned(), by)]))
    }

    /// Groups only the matches that also fulfil a further condition.
    pub(crate) fn only(mut self, wanted: &Predicate) -> Self {
        self.0.insert("where".to_owned(), wanted.json());
        self
    }

    /// Counts, in each group, the items that also fulfil a further condition.
    pub(crate) fn count(mut self, label: &str, wanted: &Predicate) -> Self {
        self.0.entry("counts").or_insert_with(|| json!({}))[label] = wanted.json();
        self
    }

    /// Summarizes a field in each group.
    pub(crate) fn stat(mut self, label: &str, how: &str, field: &str) -> Self {
        self.0.entry("stats").or_insert_with(|| json!({}))[label] = json!([how, field]);
        self
    }

    /// Sorts the groups by `key`, `count` or a label, 1 or -1.
    pub(crate) fn sort(mut self, label: &str, direction: i8) -> Self {
        self.0.insert("sort".to_owned(), json!([label, direction]));
        self
    }

    /// Returns only the first groups, up to a number.
    pub(crate) fn most(mut self, most: usize) -> Self {
        self.0.insert("most".to_owned(), json!(most));
        self
    }
}

pub(crate) fn program(moment: &Moment, queries: Vec<Query>) -> Json {
    let queries: Vec<Json> = queries.into_iter().map(|query| Json::Object(query.0)).collect();
    let mut program = json!({"now": moment.milliseconds(), "queries": queries});
    if program["queries"].as_array().is_some_and(|queries| queries.iter().any(by_day)) {
        program["offsets"] = json!(moment.offsets());
    }
    program
}

/// Whether a query groups by local days. The program then needs the clock changes.
fn by_day(query: &Json) -> bool {
    let groups = query["groups"].as_object();
    groups.is_some_and(|groups| groups.values().any(|group| group["by"][0] == "day"))
}
