//! `iac_mcp_list_apps`

use serde_json::{Value as Json, json};

use super::{Behind, Step, Then, World, done, propose};
use crate::action::{Action, SystemDeed};
use crate::app::App;
use crate::dictionary::{Counts, names};
use crate::fault::Fault;
use crate::reply::Reply;

/// The apps to list, while the system is asked which of them run.
#[derive(Debug)]
pub(super) struct Listing {
    bundle_ids: Vec<String>,
}

pub(super) fn start(search: Option<&str>, world: &World<'_>) -> Result<Step, Fault> {
    let wanted = search.map(names::key);
    let matches = |app: &&App| {
        wanted
            .as_ref()
            .is_none_or(|key| names::key(&app.name).contains(key) || names::key(&app.bundle_id).contains(key))
    };
    let bundle_ids: Vec<String> =
        world.apps.0.iter().filter(matches).map(|app| app.bundle_id.to_string()).collect();
    if bundle_ids.is_empty() {
        let mut none = json!({ "apps": [] });
        if search.is_some() && !world.apps.0.is_empty() {
            none["note"] =
                "no app's name or bundle id contains that; leave `search` out to list every scriptable app"
                    .into();
        }
        return Ok(done(none, 0));
    }
    let action = Action::of_system(SystemDeed::Running { apps: bundle_ids.clone(), files: Vec::new() });
    let behind = Behind { name: "the system".to_owned(), events: 0 };
    Ok(propose(action, behind, Then::Apps(Listing { bundle_ids }), world))
}

impl Listing {
    pub(super) fn resume(self, reply: Reply, world: &World<'_>) -> Result<Step, Fault> {
        let answer = reply.result.map_err(|error| error.to_fault("", "the system"))?;
        let running = &answer["running"];
        let listed = self.bundle_ids.iter().enumerate().filter_map(|(at, id)| {
            let app = world.apps.0.iter().find(|app| *app.bundle_id == **id)?;
            Some(show(app, running.get(at).unwrap_or(&Json::Null)))
        });
        let mut body = json!({ "apps": listed.collect::<Vec<_>>() });
        for field in ["now", "weekday", "zone"] {
            if let Some(value) = answer["clock"].get(field).filter(|value| value.is_string()) {
                body[field] = value.clone();
            }
        }
        Ok(done(body, 0))
    }
}

fn show(app: &App, running: &Json) -> Json {
    let mut json =
        json!({ "name": app.name, "bundleId": &*app.bundle_id, "version": app.version, "running": running });
    if !app.others.is_empty() {
        json["otherBundles"] = json!(app.others);
    }
    let counts = app.counts.or_else(|| app.dictionary.as_ref().map(|dictionary| dictionary.counts()));
    if let Some(Counts { commands, classes }) = counts {
        json["commands"] = json!(commands);
        json["classes"] = json!(classes);
    }
    json
}
