//! `actions`: what a server offers to change about some code, as edits. Nothing is applied.

use std::collections::BTreeMap;

use iac_plugin::{Json, json};

use crate::answer::{Answer, Row};
use crate::doubts::Doubts;
use crate::locate::{self, Side};
use crate::request::{Common, Selection};
use crate::scope::{Desk, Site, show_range};
use crate::tree::key;
use crate::trouble::Trouble;
use crate::world::{Action, Cause, Edit, Location, Range};

/// Answers `actions`.
pub(crate) fn answer(
    desk: &Desk<'_>,
    place: &Selection,
    only: Option<&str>,
    title: Option<&str>,
    common: &Common,
) -> Result<Answer, Trouble> {
    let mut doubts = Doubts::default();
    let (site, language, at) = selected(desk, place, common, &mut doubts)?;
    let server = locate::ready(site, &language, common, "actions", |_| true, &mut doubts)?;
    let found = site.workspace.actions(&at, only, common.timeout).map_err(|failure| {
        if failure.cause == Cause::Unsupported {
            Trouble::new("UNSUPPORTED", format!("{} offers no actions; try diagnostics", server.profile))
        } else {
            Trouble::of(failure, "actions", common.timeout)
        }
    })?;
    doubts.hear(&found.freshness);
    let mut items = found.items;
    let title = title.map(str::to_lowercase);
    items.retain(|one| title.as_ref().is_none_or(|title| one.title.to_lowercase().contains(title)));
    let mut answer = Answer::of(&items, common, doubts, |shown, _| {
        shown.iter().map(|one| row(site, &at.path, one)).collect()
    });
    answer.extra.insert("applied".to_owned(), json!(false));
    Ok(answer)
}

/// The selected code, with its language.
fn selected<'a>(
    desk: &Desk<'a>,
    place: &Selection,
    common: &Common,
    doubts: &mut Doubts,
) -> Result<(Site<'a>, String, Location), Trouble> {
    match place {
        Selection::Thing(target) => {
            let located = locate::one(desk, target, common, "actions", doubts)?;
            let Some(place) = located.places.first().cloned() else {
                return Err(Trouble::not_found("nothing stands there"));
            };
            let range = Range { start: place.at, end: place.at };
            Ok((located.site, located.language, Location { path: place.path, range }))
        }
        Selection::Lines { path, from, to } => {
            let (site, file) = desk.file(path)?;
            let start = locate::position(site, &file, path, *from, &Side::Start)?;
            let end = locate::position(site, &file, path, *to, &Side::End)?;
            Ok((site, file.language, Location { path: file.path, range: Range { start, end } }))
        }
    }
}

fn row(site: Site<'_>, path: &str, action: &Action) -> Row {
    let shown = json!({
        "title": action.title,
        "kind": action.kind,
        "preferred": action.preferred.then_some(true),
        "changes": action.edits.as_ref().map(Vec::len),
        "edits": action.edits.as_ref().map(|edits| by_file(site, edits)),
        "note": note(action),
    });
    Row::new(site.show(path), action.title.clone(), shown)
}

fn note(action: &Action) -> Option<&'static str> {
    match (&action.edits, action.command) {
        (None, true) => Some("a command of the server, so there are no edits to show"),
        (None, false) => Some("the server has no edits for it that a plan can hold"),
        (Some(_), true) => Some("the server would also run a command"),
        (Some(_), false) => None,
    }
}

/// The edits of each file, in the order of the text: the range, and the new text.
fn by_file(site: Site<'_>, edits: &[Edit]) -> Json {
    let mut files: BTreeMap<String, Vec<&Edit>> = BTreeMap::new();
    for edit in edits {
        files.entry(site.show(&edit.at.path)).or_default().push(edit);
    }
    let show = |edit: &Edit| json!(format!("{} -> {}", show_range(&edit.at.range), edit.text));
    let list = |(path, mut edits): (String, Vec<&Edit>)| {
        // Several edits at one place keep the order in which the server sent them.
        edits.sort_by_key(|edit| key(edit.at.range.start));
        (path, Json::Array(edits.into_iter().map(show).collect()))
    };
    Json::Object(files.into_iter().map(list).collect())
}
