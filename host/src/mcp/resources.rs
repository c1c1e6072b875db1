//! Resources: the apps, the dictionary of each app, and the newest entries of the audit log.

use iac_core::app::App;
use iac_core::call::Tool;
use iac_core::fault::{Code, Fault};
use iac_core::foreign;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rmcp::model::{ErrorData, Resource, ResourceContents, ResourceTemplate};
use serde_json::{Map, Value as Json, json};
use tokio_util::sync::CancellationToken;

use crate::consent::Caller;
use crate::pipeline::Pipeline;

const APPS: &str = "iac://apps";
const AUDIT: &str = "iac://audit";

/// The number of entries of the audit log to show.
const NEWEST: usize = 100;

const JSON: &str = "application/json";

/// What has a meaning in an address: all but what RFC 3986 calls unreserved.
const MEANT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Lists the resources: the apps first, then their dictionaries by name.
///
/// # Errors
/// The apps cannot be found out.
pub(super) async fn list(pipeline: &Pipeline) -> Result<Vec<Resource>, ErrorData> {
    let apps = Resource::new(APPS, "apps").with_title("Scriptable apps").with_mime_type(JSON);
    let audit =
        Resource::new(AUDIT, "audit").with_title("The newest entries of the audit log").with_mime_type(JSON);
    let known = pipeline.every_app().await.map_err(|fault| failed(&fault, APPS))?;
    Ok([apps, audit].into_iter().chain(known.0.iter().map(dictionary)).collect())
}

/// Lists how addresses of resources are made.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let dictionary = ResourceTemplate::new("iac://apps/{bundle-id}/dictionary", "dictionary");
    vec![dictionary.with_title("An app's whole scripting dictionary").with_mime_type(JSON)]
}

/// Reads one resource.
///
/// # Errors
/// There is none of that address, or it cannot be read.
pub(super) async fn read(
    pipeline: &Pipeline,
    uri: &str,
    cancel: CancellationToken,
) -> Result<ResourceContents, ErrorData> {
    let body = match uri {
        APPS => apps(pipeline, cancel).await?,
        AUDIT => audit(pipeline).await?,
        _ => whole(pipeline, uri).await?,
    };
    Ok(ResourceContents::text(body.to_string(), uri).with_mime_type(JSON))
}

async fn apps(pipeline: &Pipeline, cancel: CancellationToken) -> Result<Json, ErrorData> {
    let outcome = pipeline.call(Tool::ListApps, &Map::new(), &Caller::alone(APPS), cancel).await.outcome;
    match outcome.is_error {
        true => Err(ErrorData::internal_error("the apps cannot be listed", Some(outcome.body))),
        false => Ok(outcome.body),
    }
}

/// The newest entries of all servers' logs, the oldest of them first; they were redacted when they were written.
async fn audit(pipeline: &Pipeline) -> Result<Json, ErrorData> {
    let folder = pipeline.state().folder().to_owned();
    let read = move || iac_state::audit::newest(&folder, NEWEST).map_err(|error| error.to_string());
    let records = tokio::task::spawn_blocking(read).await.map_err(|error| error.to_string()).flatten();
    let records = records.map_err(|error| ErrorData::internal_error(error, Some(json!({ "uri": AUDIT }))))?;
    let entries: Vec<Json> = records.into_iter().map(|record| Json::Object(record.fields)).collect();
    Ok(json!({ "entries": entries, "newest": NEWEST, "untrusted": true }))
}

async fn whole(pipeline: &Pipeline, uri: &str) -> Result<Json, ErrorData> {
    let known = pipeline.every_app().await.map_err(|fault| failed(&fault, uri))?;
    let app = known.0.iter().find(|app| address(app) == uri);
    let app = app.ok_or_else(|| {
        ErrorData::resource_not_found("there is no such resource", Some(json!({ "uri": uri })))
    })?;
    pipeline.dictionary(&app.bundle_id).await.map_err(|fault| failed(&fault, uri))
}

fn dictionary(app: &App) -> Resource {
    let name = foreign::clean(&app.name, 80);
    let resource = Resource::new(address(app), app.bundle_id.to_string()).with_mime_type(JSON);
    resource.with_title(format!("{name}: scripting dictionary"))
}

/// A bundle id may contain any character. Characters with a meaning in an address are written as `%XX`.
fn address(app: &App) -> String {
    let id = utf8_percent_encode(&app.bundle_id, MEANT);
    format!("{APPS}/{id}/dictionary")
}

fn failed(fault: &Fault, uri: &str) -> ErrorData {
    let data = json!({ "uri": uri, "fault": fault.to_json() });
    match fault.code {
        Code::UnknownApp => ErrorData::resource_not_found(fault.message.clone(), Some(data)),
        _ => ErrorData::internal_error(fault.message.clone(), Some(data)),
    }
}
