//! The answer to one query, and its size. An answer that is too long loses its least important parts, and says so.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use iac_plugin::serde_json::{self, Map};
use iac_plugin::{Json, json};

use crate::doubts::{Doubts, Reason};
use crate::request::{Common, Form};
use crate::trouble::Trouble;

/// The maximum number of bytes of the answer to one query.
const BUDGET: usize = 32_000;

/// The parts to leave out first when an answer is too long.
const EXTRAS: [&str; 6] = ["preview", "detail", "docs", "context", "sites", "edits"];

/// The answer to one query.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// The rows to show.
    pub(crate) rows: Vec<Row>,
    pub(crate) total: usize,
    /// The index of the first row that is shown.
    pub(crate) offset: usize,
    /// The reasons why it may be incomplete.
    pub(crate) doubts: Doubts,
    /// More about it, beside the result.
    pub(crate) extra: Map<String, Json>,
}

/// One element of a result.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) shown: Map<String, Json>,
    /// Its file, in the form to show.
    pub(crate) path: String,
    /// Its name in a list of names.
    pub(crate) label: String,
    /// Its line below its file; `None` if it is shown by itself.
    pub(crate) entry: Option<Entry>,
}

/// One line about a file.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The name of the list of lines.
    pub(crate) list: &'static str,
    /// Its container, if the lines are grouped by container.
    pub(crate) holder: Option<String>,
    pub(crate) head: String,
    /// More about it, such as a signature or its code.
    pub(crate) tail: String,
}

/// The separator between the head and the tail of a line.
const BAR: &str = " | ";

impl Entry {
    /// The line of a symbol: its place, its kind, and its signature or code.
    pub(crate) fn of_symbol(
        list: &'static str,
        at: &str,
        name: &str,
        signature: Option<String>,
        body: Option<&String>,
    ) -> Self {
        let tail = match (body, signature) {
            (Some(body), _) => format!("\n{body}"),
            (None, Some(signature)) => format!("{BAR}{signature}"),
            (None, None) => String::new(),
        };
        Self { list, holder: None, head: format!("{at} {name}").trim_end().to_owned(), tail }
    }

    fn text(&self) -> Json {
        json!(format!("{}{}", self.head, self.tail))
    }
}

impl Row {
    /// Makes an item; fields that are null are left out.
    pub(crate) fn new(path: String, label: String, shown: Json) -> Self {
        let mut shown = if let Json::Object(map) = shown { map } else { Map::new() };
        shown.retain(|_, value| !value.is_null());
        Self { path, label, shown, entry: None }
    }

    /// Shows it as a line below its file.
    #[must_use]
    pub(crate) fn below_file(mut self, entry: Entry) -> Self {
        self.entry = Some(entry);
        self
    }
}

/// Returns the requested page of a list, and says where the next one begins. A query for a count gets no rows.
fn page<'a, T>(items: &'a [T], common: &Common, doubts: &mut Doubts) -> &'a [T] {
    if common.count_only {
        return &[];
    }
    let start = common.offset.min(items.len());
    let end = items.len().min(start + common.limit);
    if end < items.len() {
        doubts.add(Reason::Truncated);
        doubts.note(format!("{} to {end} of {}; continue with offset {end}", start + 1, items.len()));
    } else if start == items.len() && common.offset > 0 {
        doubts.note(format!("offset {} is past the end of {}", common.offset, items.len()));
    }
    &items[start..end]
}

/// Builds the result of a query.
pub(crate) fn show(name: &str, outcome: Result<Answer, Trouble>, form: Form) -> Json {
    match (outcome, form) {
        (Ok(answer), Form::Plain) => answer.show(true),
        (Ok(answer), Form::Rows) => answer.show(false),
        (Err(trouble), Form::Plain | Form::Rows) => trouble.show(),
        (Ok(answer), Form::Envelope) => envelope(name, answer.show(false)),
        (Err(trouble), Form::Envelope) => {
            let mut shown = json!({"success": false});
            merge(&mut shown, trouble.show());
            shown
        }
    }
}

impl Answer {
    /// Shows the requested page of the results.
    pub(crate) fn of<T>(
        found: &[T],
        common: &Common,
        mut doubts: Doubts,
        rows: impl FnOnce(&[T], &mut Doubts) -> Vec<Row>,
    ) -> Self {
        let shown = page(found, common, &mut doubts);
        let rows = rows(shown, &mut doubts);
        Self { rows, total: found.len(), offset: common.offset, doubts, extra: Map::new() }
    }

    fn show(mut self, grouped: bool) -> Json {
        if !grouped {
            self.rows.iter_mut().for_each(|row| row.entry = None);
        }
        let mut stage = 0;
        while stage < STAGES && self.length(stage) > BUDGET {
            stage += 1;
            self.shorten(stage);
        }
        let rows = std::mem::take(&mut self.rows);
        match stage {
            0..=WITH_ROWS => self.with(files(rows)),
            stage => self.with(by_file(&rows, stage)),
        }
    }

    /// The number of bytes after this stage. Rows are counted without a copy, because most answers are short enough.
    fn length(&self, stage: usize) -> usize {
        if stage <= WITH_ROWS && self.rows.iter().any(|row| row.entry.is_some()) {
            return below_files(&self.rows) + self.with(Vec::new()).to_string().len();
        }
        if stage > WITH_ROWS {
            return self.with(by_file(&self.rows, stage)).to_string().len();
        }
        let mut count = Count(0);
        for row in &self.rows {
            // A comma follows each row.
            count.0 += 1;
            serde_json::to_writer(&mut count, &row.shown).expect("counting does not fail");
        }
        count.0.saturating_sub(1) + self.with(Vec::new()).to_string().len()
    }

    /// Removes the parts of a stage, and adds a note about what is missing.
    fn shorten(&mut self, stage: usize) {
        let rows = self.rows.len();
        if stage == 1 {
            for row in &mut self.rows {
                EXTRAS.iter().for_each(|field| drop(row.shown.shift_remove(*field)));
                row.entry.iter_mut().for_each(|entry| entry.tail.clear());
            }
        }
        let what = match stage {
            1 => "shortened: without preview and detail",
            2 => "shortened: without children",
            3 => "shortened: names by file",
            4 => "shortened: counts by file",
            _ => "shortened: the total only",
        };
        if stage == 2 {
            self.rows.iter_mut().for_each(prune);
        }
        if stage >= 2 {
            self.doubts.add(Reason::Truncated);
        }
        self.doubts.shortened(format!(
            "{what}; for all of it ask for fewer, such as limit {} from offset {}",
            fewer(rows, stage),
            self.offset
        ));
    }

    fn with(&self, result: Vec<Json>) -> Json {
        let mut shown = json!({"result": result, "total": self.total, "complete": self.doubts.is_complete()});
        if !self.doubts.is_complete() {
            shown["reasons"] = json!(self.doubts.reasons());
        }
        if let Some(notes) = self.doubts.notes() {
            shown["note"] = json!(notes);
        }
        merge(&mut shown, Json::Object(self.extra.clone()));
        shown
    }
}

/// Shows rows without a line by themselves, and lines below their files. Results outside every root come last, in a
/// short form.
fn files(rows: Vec<Row>) -> Vec<Json> {
    let mut shown: Vec<Json> = Vec::new();
    let mut outside: Vec<Json> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for row in rows {
        let Some(entry) = row.entry else {
            shown.push(Json::Object(row.shown));
            continue;
        };
        if row.shown.contains_key("external") {
            // What has no name is shown by its line.
            let is_line = row.label.bytes().all(|byte| byte.is_ascii_digit());
            let (label, path) = (&row.label, short(&row.path));
            let name = json!(if is_line { format!("{path}:{label}") } else { format!("{label} in {path}") });
            if !outside.contains(&name) {
                outside.push(name);
            }
            continue;
        }
        let at = *places.entry(row.path.clone()).or_insert_with(|| {
            shown.push(json!({"path": row.path}));
            shown.len() - 1
        });
        let file = &mut shown[at];
        let text = entry.text();
        let line = match entry.holder {
            Some(holder) => &mut file[entry.list][holder],
            None => &mut file[entry.list],
        };
        match line {
            Json::Array(lines) => lines.push(text),
            other => *other = json!([text]),
        }
    }
    if !outside.is_empty() {
        shown.push(json!({"outside": outside}));
    }
    shown
}

/// The approximate bytes of rows below their files: a file and a container are written once, with some punctuation.
fn below_files(rows: &[Row]) -> usize {
    let mut seen = BTreeSet::new();
    let mut length = 0;
    for row in rows {
        let Some(entry) = &row.entry else { continue };
        length += entry.text().to_string().len() + 1;
        if seen.insert((&row.path, None)) {
            length += row.path.len() + entry.list.len() + r#"{"path":"","":{}},"#.len();
        }
        if let Some(holder) = &entry.holder
            && seen.insert((&row.path, Some(holder)))
        {
            length += holder.len() + r#""":[],"#.len();
        }
    }
    length
}

/// The last two names of a path: enough to recognize a library.
fn short(path: &str) -> &str {
    let from = path.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
    &path[from..]
}

/// Names or numbers in place of rows.
fn by_file(rows: &[Row], stage: usize) -> Vec<Json> {
    let mut files: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in rows {
        files.entry(&row.path).or_default().push(&row.label);
    }
    let show = |(path, labels): (&str, Vec<&str>)| match stage {
        3 => json!({"path": path, "names": labels}),
        _ => json!({"path": path, "count": labels.len()}),
    };
    if stage == STAGES { Vec::new() } else { files.into_iter().map(show).collect() }
}

/// Counts the written bytes.
struct Count(usize);

impl io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The last stage that keeps rows.
const WITH_ROWS: usize = 2;

/// The last stage, which leaves only the total.
const STAGES: usize = 5;

/// A smaller number of rows, which is more likely to fit.
fn fewer(rows: usize, stage: usize) -> usize {
    (rows >> stage.min(6)).max(1)
}

/// Replaces children by their number.
fn prune(row: &mut Row) {
    if let Some(Json::Array(children)) = row.shown.shift_remove("children") {
        row.shown.insert("members".to_owned(), json!(children.len()));
    }
}

fn merge(into: &mut Json, from: Json) {
    if let (Json::Object(into), Json::Object(from)) = (into, from) {
        into.extend(from);
    }
}

/// The envelope format: the results under the name of their kind.
fn envelope(name: &str, mut shown: Json) -> Json {
    let found = match name {
        "findSymbols" | "outline" => "symbols",
        "definition" => "definitions",
        "typeInfo" => "types",
        "status" | "restart" => "servers",
        same => same,
    };
    let result = shown.as_object_mut().and_then(|map| map.shift_remove("result"));
    let mut data = json!({found: result});
    merge(&mut data, shown);
    json!({"success": true, "data": data})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(rows: usize, preview: usize, files: usize) -> Answer {
        let row = |at: usize| {
            let path = format!("src/file{}.ts", at % files);
            Row::new(
                path.clone(),
                format!("name{at}"),
                json!({"name": format!("name{at}"), "path": path, "preview": "x".repeat(preview)}),
            )
        };
        Answer { rows: (0..rows).map(row).collect(), total: rows, ..Answer::default() }
    }

    fn check(answer: Answer, expected: &str) {
        let shown = show("findSymbols", Ok(answer), Form::Plain);
        assert!(shown.to_string().len() <= BUDGET);
        let note = shown["note"].as_str().unwrap_or("whole");
        assert!(note.starts_with(expected), "{note}");
    }

    #[test]
    fn what_is_too_long_loses_what_matters_least() {
        check(answer(100, 100, 9), "whole");
        check(
            answer(100, 1_000, 9),
            "shortened: without preview and detail; for all of it ask for fewer, such as limit 50 from offset 0",
        );
        check(answer(1_000, 100, 9), "shortened: names by file");
        check(answer(4_000, 100, 9), "shortened: counts by file");
        check(answer(4_000, 100, 3_000), "shortened: the total only");
    }

    #[test]
    fn the_length_is_that_of_what_is_shown() {
        for (rows, preview, files) in [(0, 0, 1), (1, 0, 1), (7, 3, 2), (100, 100, 9)] {
            let mut long = answer(rows, preview, files);
            long.doubts.note("a \"note\"");
            long.extra.insert("checked".to_owned(), json!(1));
            let length = long.length(0);
            assert_eq!(long.show(false).to_string().len(), length, "{rows} rows");
        }
    }

    #[test]
    fn what_stands_below_files_is_counted_with_them() {
        let row = |at: usize| {
            let holder = Some(format!("holder{}", at / 2));
            let entry = Entry { list: "uses", holder, head: format!("{at}:1"), tail: " x".repeat(20) };
            let path = format!("a/long/folder/with/file{}.ts", at / 5);
            Row::new(path, at.to_string(), json!({})).below_file(entry)
        };
        for rows in [1, 10, 350, 500] {
            let answer = Answer { rows: (0..rows).map(row).collect(), total: rows, ..Answer::default() };
            let counted = answer.length(0);
            let shown = show("references", Ok(answer), Form::Plain).to_string().len();
            assert!(shown <= BUDGET, "{rows} rows: {shown}");
            assert!(
                shown <= counted && (counted > BUDGET || counted < shown + rows + 20),
                "{rows}: {shown} {counted}"
            );
        }
    }

    #[test]
    fn what_has_no_name_is_shown_by_its_line() {
        let row = |label: &str| {
            let entry = Entry::of_symbol("symbols", "1:1-1:2", "", None, None);
            Row::new("/lib/a/b.rs".to_owned(), label.to_owned(), json!({"external": true})).below_file(entry)
        };
        assert_eq!(files(vec![row("7"), row("f")]), [json!({"outside": ["a/b.rs:7", "f in a/b.rs"]})]);
    }

    #[test]
    fn pages_say_where_the_next_begins() {
        let common = Common {
            limit: 2,
            offset: 1,
            exclude: Vec::new(),
            count_only: false,
            timeout: 1,
            wait: 1,
            allow_partial: true,
            body: false,
            context: 0,
        };
        let mut doubts = Doubts::default();
        assert_eq!(page(&[1, 2, 3, 4], &common, &mut doubts), [2, 3]);
        assert_eq!(doubts.notes().as_deref(), Some("2 to 3 of 4; continue with offset 3"));
        let mut doubts = Doubts::default();
        assert_eq!(page(&[1, 2, 3], &common, &mut doubts), [2, 3]);
        assert!(doubts.is_complete());
        let past = Common { offset: 9, ..common.clone() };
        assert!(page(&[1], &past, &mut doubts).is_empty());
        assert_eq!(doubts.notes().as_deref(), Some("offset 9 is past the end of 1"));
        let counted = Common { count_only: true, ..common };
        assert!(page(&[1, 2, 3, 4], &counted, &mut Doubts::default()).is_empty());
    }

    #[test]
    fn the_other_form_names_what_was_found() {
        let shown = show("findSymbols", Ok(answer(1, 1, 1)), Form::Envelope);
        assert_eq!(shown["success"], true);
        assert_eq!(shown["data"]["symbols"][0]["name"], "name0");
        let failed = show("outline", Err(Trouble::not_found("path not found: x")), Form::Envelope);
        assert_eq!(failed, json!({"success": false, "error": "path not found: x", "code": "NOT_FOUND"}));
    }
}
