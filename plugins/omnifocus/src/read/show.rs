//! The form of an answer: rows, exclusions, and warnings for a reader.

use iac_plugin::serde_json::Map;
use iac_plugin::{Fault, Json, json};

use super::export;
use super::mode::{self, Mode};
use super::request::{ALL, NOTE, Part, Request};
use super::summary;
use crate::answer::{Answers, Found};
use crate::program::Kind;
use crate::{Moment, fields};

impl Request {
    /// Builds the answer from the results of the queries.
    ///
    /// # Errors
    /// The requested item does not exist.
    pub(super) fn show(&self, answers: &mut Answers, moment: &Moment) -> Result<Json, Fault> {
        if let Some(format) = self.export {
            return Ok(export::show(self, format, answers, moment));
        }
        let mut found = answers.take();
        self.parts[0].show(&mut found, &answers.warnings, moment)
    }
}

impl Part {
    fn show(&self, found: &mut Found, warnings: &[Json], moment: &Moment) -> Result<Json, Fault> {
        let mut answer = json!({"success": true});
        let mut metadata = self.metadata(found, moment);
        if self.count_only {
            let suggested = self.mode == Mode::SmartSuggest;
            answer["data"] =
                json!({"count": if suggested { found.scored().clone() } else { json!(found.total()) }});
        } else {
            let rows = self.rows(found, moment);
            metadata["returned_count"] = json!(rows.len());
            metadata["truncated"] = json!(self.truncated(found, rows.len()));
            answer["data"] = match self.mode {
                Mode::Forecast => sections(found, rows),
                _ => json!({self.kind.word(): rows}),
            };
        }
        if self.summary {
            answer["summary"] = summary::show(self, found, &metadata, moment);
        }
        if self.mode == Mode::Today {
            summary::today(self, found, &mut metadata);
        }
        let own = self.filter.warnings.iter().map(|warning| json!(warning));
        let warnings: Vec<Json> = own.chain(warnings.iter().cloned()).collect();
        if !warnings.is_empty() {
            metadata["warnings"] = Json::Array(warnings);
        }
        answer["metadata"] = metadata;
        Ok(answer)
    }

    fn metadata(&self, found: &Found, moment: &Moment) -> Json {
        let applied = match &self.filter.predicate {
            crate::program::Predicate::And(parts) => parts.iter().map(|part| part.words(moment)).collect(),
            one => vec![one.words(moment)],
        };
        let mut metadata = json!({
            "total_count": found.total(),
            "filter_description": self.description(moment),
            "filters_applied": applied,
        });
        if self.mode != Mode::All {
            metadata["mode"] = json!(self.mode.word());
        }
        if self.offset > 0 {
            metadata["offset"] = json!(self.offset);
        }
        if self.limit < ALL && !self.count_only {
            metadata["limit"] = json!(self.limit);
        }
        if self.mode == Mode::SmartSuggest {
            metadata["scored_count"] = found.scored().clone();
        }
        metadata
    }

    pub(super) fn description(&self, moment: &Moment) -> String {
        let mut description = self.filter.predicate.words(moment);
        if !self.filter.defaults.is_empty() {
            let kind = self.kind.word();
            description.push_str(&format!("; completed and dropped {kind} are left out by default"));
        }
        if self.kind == Kind::Tasks && !self.roots {
            description.push_str("; the root tasks of projects are left out");
        }
        description
    }

    /// Whether there are more rows than the answer has, out of all matches or of all items with a score.
    fn truncated(&self, found: &Found, returned: usize) -> bool {
        let returned = i64::try_from(returned).unwrap_or(i64::MAX);
        let population = found.scored().as_i64().unwrap_or(found.total());
        self.offset.saturating_add(returned) < population
    }

    /// Makes an object of each row.
    pub(super) fn rows(&self, found: &mut Found, moment: &Moment) -> Vec<Json> {
        let rows = found.take_rows();
        let reasons = found.reasons();
        let row = |(index, values): (usize, Vec<Json>)| {
            let mut row = self.row(values, moment);
            if let Some(reasons) = reasons {
                row.insert("screen_reasons".to_owned(), reasons[index].clone());
            }
            Json::Object(row)
        };
        rows.into_iter().enumerate().map(row).collect()
    }

    fn row(&self, mut values: Vec<Json>, moment: &Moment) -> Map<String, Json> {
        let hidden = values.split_off(self.fields.len().min(values.len()));
        let mut row = Map::new();
        for (field, value) in self.fields.iter().zip(values) {
            // Most tasks inherit no date, and for them the field says nothing.
            if *field == mode::FROM && value.is_null() {
                continue;
            }
            let cut = *field == "note" && !self.whole_notes && is_cut(&value);
            row.insert((*field).to_owned(), fields::show(field, value, moment));
            if cut {
                row.insert("noteTruncated".to_owned(), Json::Bool(true));
            }
        }
        if let ([due, flagged], Mode::Today) = (hidden.as_slice(), self.mode) {
            summary::reason(&mut row, due, flagged, self, moment);
        }
        row
    }
}

/// Shows the rows of each section; empty sections are left out.
fn sections(found: &Found, rows: Vec<Json>) -> Json {
    let mut rows = rows.into_iter();
    let section = |(label, count, held): (&str, i64, usize)| {
        let tasks: Vec<Json> = rows.by_ref().take(held).collect();
        json!({"section": label, "count": count, "tasks": tasks})
    };
    let sections: Vec<Json> = found.sections().into_iter().map(section).collect();
    json!({ "sections": sections })
}

/// Whether the script has cut a note: a cut note is longer than the limit by the length of the mark.
fn is_cut(note: &Json) -> bool {
    let length = note.as_str().map_or(0, |note| note.chars().count());
    i64::try_from(length).unwrap_or(i64::MAX) > NOTE
}
