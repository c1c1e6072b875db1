//! Exports: an ordinary query, and a file format for its rows.

use iac_plugin::{Fault, Json, Object, json};

use super::mode::Mode;
use super::request::{Part, Request, needs_planned, sort};
use crate::answer::Answers;
use crate::program::Kind;
use crate::{Moment, fields, filter};

/// The form of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Json,
    Csv,
    Markdown,
}

const KEYS: &[&str] = &[
    "type", "exportType", "format", "filters", "fields", "sort", "limit", "offset", "details", "fastSearch",
];

/// The maximum number of rows of one export.
const MOST: i64 = 1_000;

/// Reads a query of the type `export`.
pub(super) fn read(query: &Object<'_>, moment: &Moment) -> Result<Request, Fault> {
    query.only(KEYS, &[("outputDirectory", "nothing is written to files: the answer holds the text")])?;
    let kinds = [
        ("tasks", &[Kind::Tasks][..]),
        ("projects", &[Kind::Projects]),
        ("all", &[Kind::Tasks, Kind::Projects]),
    ];
    let kinds = query.word("exportType", &kinds)?.unwrap_or(&[Kind::Tasks]);
    let formats = [("json", Format::Json), ("csv", Format::Csv), ("markdown", Format::Markdown)];
    let format = query.word("format", &formats)?.unwrap_or(Format::Json);
    let parts = kinds.iter().map(|kind| part(query, *kind, kinds.len() > 1, moment));
    Ok(Request { parts: parts.collect::<Result<_, _>>()?, export: Some(format) })
}

fn part(query: &Object<'_>, kind: Kind, of_two: bool, moment: &Moment) -> Result<Part, Fault> {
    let differing = ["fields", "filters", "sort"].into_iter().find(|key| of_two && query.has(key));
    if let Some(key) = differing {
        return Err(Fault::invalid(format!("`query.{key}` is given with `exportType`: \"all\""))
            .suggest("tasks and projects differ: export them one after the other"));
    }
    let details = query.flag("details")?.unwrap_or(false);
    let plain = if details { fields::details(kind) } else { fields::defaults(kind) };
    let filters = query.object("filters")?;
    let fast = query.flag("fastSearch")?.unwrap_or(false);
    Ok(Part {
        kind,
        filter: filter::read(filters.as_ref(), kind, fast, &[], moment)?,
        mode: Mode::All,
        days_ahead: None,
        fields: fields::list(query, kind)?.unwrap_or(plain),
        sort: sort(query, kind, Mode::All)?,
        offset: query.whole("offset", 0, i64::MAX)?.unwrap_or(0),
        limit: query.whole("limit", 1, MOST)?.unwrap_or(MOST),
        whole_notes: true,
        count_only: false,
        roots: false,
        summary: false,
        needs_planned: needs_planned(query),
    })
}

/// Shows an export.
pub(super) fn show(request: &Request, format: Format, answers: &mut Answers, moment: &Moment) -> Json {
    let mut tables = Vec::new();
    let mut metadata = json!({"truncated": false});
    for part in &request.parts {
        let mut found = answers.take();
        let rows = part.rows(&mut found, moment);
        let returned = i64::try_from(rows.len()).unwrap_or(i64::MAX);
        let truncated = part.offset + returned < found.total();
        metadata[part.kind.word()] = json!({
            "total_count": found.total(),
            "returned_count": returned,
            "truncated": truncated,
            "filter_description": part.filter.predicate.words(moment),
        });
        metadata["truncated"] = json!(truncated || metadata["truncated"] == true);
        tables.push((part, rows));
    }
    let warnings: Vec<Json> =
        request.parts.iter().flat_map(|part| &part.filter.warnings).map(|text| json!(text)).collect();
    let warnings = [warnings, answers.warnings.clone()].concat();
    if !warnings.is_empty() {
        metadata["warnings"] = Json::Array(warnings);
    }
    let content = match format {
        Format::Json => {
            tables.into_iter().map(|(part, rows)| (part.kind.word().to_owned(), Json::Array(rows))).collect()
        }
        Format::Csv => json!(joined(&tables, csv)),
        Format::Markdown => json!(joined(&tables, markdown)),
    };
    json!({"success": true, "data": {"format": format.word(), "content": content}, "metadata": metadata})
}

impl Format {
    fn word(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Markdown => "markdown",
        }
    }
}

fn joined(tables: &[(&Part, Vec<Json>)], write: fn(&Part, &[Json]) -> String) -> String {
    let texts: Vec<String> = tables.iter().map(|(part, rows)| write(part, rows)).collect();
    texts.join("\n")
}

/// Writes a table as RFC 4180 has it. A text that a spreadsheet would take for a formula gets an apostrophe before it.
fn csv(part: &Part, rows: &[Json]) -> String {
    let mut text = format!("{}\r\n", part.fields.join(","));
    for row in rows {
        // People copy an id from here into other calls, so it stays unchanged.
        let cell = |field: &&str| match is_id(field, &row[*field]) {
            true => plain(&row[*field]),
            false => quoted(&plain(&row[*field])),
        };
        let cells: Vec<String> = part.fields.iter().map(cell).collect();
        text.push_str(&cells.join(","));
        text.push_str("\r\n");
    }
    text
}

/// Whether a value consists only of characters that occur in ids.
fn is_id(field: &str, value: &Json) -> bool {
    let plain = |id: &str| id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    (field == "id" || field.ends_with("Id")) && value.as_str().is_some_and(plain)
}

fn quoted(cell: &str) -> String {
    let formula = cell.starts_with(['=', '+', '-', '@', '\t']);
    let cell = if formula { format!("'{cell}") } else { cell.to_owned() };
    if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
}

/// Shows a value as one text: lists joined, nothing as an empty text.
fn plain(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        Json::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join("; "),
        other => other.to_string(),
    }
}

fn markdown(part: &Part, rows: &[Json]) -> String {
    let title = if part.kind == Kind::Tasks { "Tasks" } else { "Projects" };
    let mut text = format!("# {title}\n\n");
    for row in rows {
        let mark = if row["completed"] == true || row["status"] == "completed" { "x" } else { " " };
        text.push_str(&format!("- [{mark}] {}\n", line(&plain(&row["name"]))));
        let rest = part.fields.iter().filter(|field| !matches!(**field, "name" | "completed" | "hasNote"));
        for field in rest.filter(|field| {
            !matches!(&row[**field], Json::Null | Json::Bool(false)) && row[**field] != json!([])
        }) {
            let value = plain(&row[*field]);
            if !value.is_empty() {
                let shown = if is_id(field, &row[*field]) { value } else { line(&value) };
                text.push_str(&format!("  - {field}: {shown}\n"));
            }
        }
    }
    text
}

/// Keeps a text on one line, and escapes characters that look like markup.
fn line(text: &str) -> String {
    let mut line = String::new();
    for letter in text.chars() {
        match letter {
            '\n' | '\r' => line.push(' '),
            '*' | '_' | '`' | '[' | ']' | '<' | '#' | '\\' => line.extend(['\\', letter]),
            other => line.push(other),
        }
    }
    line
}
