//! What an answer says beside its elements: where others are, what is spelled alike, what was not read.

use serde_json::{Map, Value as Json, json};

use super::Listing;
use crate::app::App;
use crate::dictionary::{Dictionary, names as words};
use crate::fault::{Code, Fault};
use crate::foreign;
use crate::osa_error::OsaError;
use crate::specifier::{By, Segment};

/// Elements of an app that are not all there are of them: an app, a class, and the class that has the others.
///
/// # Source
/// Mail keeps the mailboxes "On My Mac" itself and the others in accounts.
const APART: [(&str, &str, &str); 1] = [("com.apple.mail", "mailbox", "account")];

/// As many containers that were not read does an answer name; the others are counted.
const MOST_SKIPPED: usize = 5;

/// So many values are named where a filter matches nothing, and so much of each.
const MOST_NEAR: usize = 10;
const LONGEST_NEAR: usize = 80;

impl Listing {
    /// Where else objects are, if those of the app itself were looked through in vain.
    pub(super) fn elsewhere(&self, app: &str) -> Option<String> {
        let [container] = self.wanted.containers.as_slice() else { return None };
        let class = match container.segments().first() {
            Some(Segment::Element(member, By::Every)) => &member.class,
            None => &self.wanted.collection.class,
            Some(_) => return None,
        };
        let (_, class, holder) =
            APART.iter().find(|row| row.0.eq_ignore_ascii_case(app) && row.1 == class)?;
        Some(format!(
            "these are only the {class} objects that no {holder} has; `every {class} of every {holder}` has the others"
        ))
    }

    /// Says which dates the relative ones of the filter are.
    pub(super) fn with_dates(body: &mut Json, dates: &Json) {
        if dates.is_object() {
            body["dates"] = dates.clone();
        }
    }

    /// Names what there is instead of what a filter was looking for; all of it, where it is little and nothing is like it.
    pub(super) fn with_near(&self, body: &mut Json, near: &Json) {
        let mut told = Map::new();
        for each in near.as_array().into_iter().flatten() {
            let column = each[0].as_u64().and_then(|at| self.wanted.columns.get(usize::try_from(at).ok()?));
            let (Some(column), Some(text)) = (column, each[1].as_str()) else { continue };
            let values: Vec<&str> =
                each[2].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
            let mut near = words::near_texts(text, values.iter().copied(), MOST_NEAR);
            if near.is_empty() && values.len() <= MOST_NEAR {
                near = values.into_iter().map(str::to_owned).collect();
            }
            let near: Vec<String> = near.iter().map(|text| foreign::clean(text, LONGEST_NEAR)).collect();
            if !near.is_empty() {
                told.insert(column.shown().to_owned(), json!(near));
            }
        }
        if !told.is_empty() {
            body["near"] = Json::Object(told);
            body["untrusted"] = json!(true);
        }
    }

    /// Names the containers that were not read, so that what is missing does not look like what is not there.
    pub(super) fn with_skipped(&self, body: &mut Json, skipped: &Json, app: &App, dictionary: &Dictionary) {
        let skipped = skipped.as_array().map(Vec::as_slice).unwrap_or_default();
        if skipped.is_empty() {
            return;
        }
        let told = |each: &Json| {
            let mut told =
                json!({ "container": self.from(&each["from"], dictionary).map(|path| path.to_text()) });
            let fault = match OsaError::of_row(&each["error"], "elements") {
                Some(error) => error.to_fault(&app.bundle_id, &app.name),
                None => {
                    let place = self.shut(each).unwrap_or("a file");
                    let message = format!("it is or holds {place}, which is closed to every call");
                    Fault::new(Code::PermissionDenied, message, "")
                }
            };
            told["error"] = fault.to_json()["error"].take();
            told["message"] = json!(fault.message);
            told
        };
        body["complete"] = json!(false);
        let reason = match skipped.len() {
            1 => "one container was not read".to_owned(),
            count => format!("{count} containers were not read"),
        };
        let more = body["reason"].as_str().map(|before| format!("{before}; {reason}"));
        body["reason"] = json!(more.unwrap_or(reason));
        body["skipped"] = skipped.iter().take(MOST_SKIPPED).map(told).collect();
    }

    /// The closed place that a skipped container is or holds.
    fn shut(&self, skipped: &Json) -> Option<&str> {
        let number = usize::try_from(skipped["from"][0].as_u64()?).ok()?;
        let which = usize::try_from(skipped["closed"].as_u64()?).ok()?;
        Some(&self.wanted.closed.get(number)?.get(which)?.place)
    }
}
