//! `iac_mcp_describe_app`: one dictionary, piece by piece, each within a stated size.
//!
//! Names are the dictionary's own. Descriptions are the app's words: they follow `—`, cleaned and cut.

mod budget;
mod class;
mod command;
mod enumeration;
mod overview;
mod reach;
mod search;

use serde_json::Value as Json;

use crate::app::{App, Apps};
use crate::call::Question;
use crate::dictionary::{Dictionary, names};
use crate::fault::{Code, Fault, did_you_mean};
use crate::foreign;
use crate::permission::LevelRule;

pub use reach::Route;

/// The largest answer about a class, a command, an enumeration or a search, in bytes.
const LARGEST: usize = 3 * 1024;

/// Answers a question about one app. A search without an app covers every app with a loaded dictionary.
///
/// # Errors
/// There is no such app, or its dictionary has no such term; the error names the nearest ones.
pub fn describe(
    app: Option<&str>,
    question: &Question,
    apps: &Apps,
    rules: &[LevelRule],
) -> Result<Json, Fault> {
    let Some(app) = app else {
        return match question {
            Question::Search(words) => Ok(search::search(words, apps.0.iter().collect(), rules)),
            _ => Err(Fault::parameter("app", "`app` is missing", "add `app`, or only `search`")),
        };
    };
    let app = apps.find(app)?;
    let dictionary = app.dictionary()?;
    match question {
        Question::Overview => Ok(overview::overview(app, dictionary, rules)),
        Question::Class(term) => class::class(app, dictionary, term),
        Question::Command(term) => command::command(app, dictionary, term, rules),
        Question::CommandOf(term, class) => {
            let mut body = command::command(app, dictionary, term, rules)?;
            body["class"] = class::settable(app, dictionary, class)?;
            if body["tool"] == "iac_mcp_create" {
                body["example"]["class"] = body["class"]["name"].clone();
            }
            Ok(body)
        }
        Question::Enumeration(term) => enumeration::enumeration(app, dictionary, term),
        Question::Search(words) => Ok(search::search(words, vec![app], rules)),
        Question::Reach(term) => reach::reach(app, dictionary, term),
    }
}

/// The paths from the application to objects of a class, surest and shortest first.
pub fn routes(dictionary: &Dictionary, class: &str) -> Vec<Route> {
    reach::routes(dictionary, class)
}

/// A term of a dictionary, cleaned for display.
fn term(name: &str) -> String {
    foreign::clean(name, 80)
}

fn unknown<'a>(app: &App, what: &str, term: &str, known: impl IntoIterator<Item = &'a str>) -> Fault {
    let near = names::near(term, known, 5);
    let message =
        format!("{} has no {what} \"{}\"{}", app.name, foreign::clean(term, 80), did_you_mean(&near));
    let suggestion = format!("search for it: {{\"app\":\"{}\",\"search\":…}}", app.bundle_id);
    Fault::new(Code::InvalidParameter, message, suggestion)
        .with("app", &*app.bundle_id)
        .with("parameter", what)
        .with("near", near)
}
