//! Resources: the apps, the dictionary of each app and its classes, the guides, the newest entries of the audit log,
//! and the texts of plugins.

use iac_core::app::App;
use iac_core::call::Tool;
use iac_core::fault::{Code, Fault};
use iac_core::foreign;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::model::{ErrorData, Resource, ResourceContents, ResourceTemplate};
use serde_json::{Map, Value as Json, json};
use tokio_util::sync::CancellationToken;

use super::icons::icons;
use crate::consent::Caller;
use crate::pipeline::Pipeline;
use crate::plugins::engine::PluginId;
use crate::plugins::engine::manifest::ResourceFile;
use crate::router::Router;

const APPS: &str = "iac://apps";
const AUDIT: &str = "iac://audit";
const GUIDES: &str = "iac://guides";
const PLUGINS: &str = "iac://plugins";

/// The whole dictionary of an app.
pub(super) const DICTIONARY: &str = "iac://apps/{bundleId}/dictionary";
/// One class of an app.
pub(super) const CLASS: &str = "iac://apps/{bundleId}/classes/{class}";
/// One page of the documentation.
pub(super) const GUIDE: &str = "iac://guides/{guide}";

/// The number of audit log entries to show.
const NEWEST: usize = 100;

const JSON: &str = "application/json";
const MARKDOWN: &str = "text/markdown";

/// A page of the documentation that is useful to a model.
pub(super) struct Guide {
    pub(super) name: &'static str,
    title: &'static str,
    text: &'static str,
}

/// The pages that are useful to a model at work. The others are for people who install or build the server.
pub(super) const GUIDE_PAGES: [Guide; 7] = [
    page(
        "query-tools",
        "Guide: reading the data of apps",
        include_str!("../../../docs/query-tools-guide.md"),
    ),
    page(
        "objects-as-text",
        "Guide: naming objects in AppleScript's words",
        include_str!("../../../docs/objects-as-text.md"),
    ),
    page("changes", "Guide: making, changing and undoing", include_str!("../../../docs/changes.md")),
    page(
        "permissions",
        "Guide: what is allowed, asked and refused",
        include_str!("../../../docs/permissions.md"),
    ),
    page("errors", "Guide: errors", include_str!("../../../docs/errors.md")),
    page("omnifocus", "Guide: the plugin omnifocus", include_str!("../../../docs/omnifocus.md")),
    page("code-query", "Guide: the plugin code-query", include_str!("../../../docs/code-query.md")),
];

const fn page(name: &'static str, title: &'static str, text: &'static str) -> Guide {
    Guide { name, title, text }
}

/// Characters to escape in an address: all but those that RFC 3986 calls unreserved.
const MEANT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Lists the resources: the apps first, then the guides, those of plugins, and the apps' dictionaries by name.
///
/// # Errors
/// The apps cannot be listed.
pub(super) async fn list(router: &Router) -> Result<Vec<Resource>, ErrorData> {
    let apps = Resource::new(APPS, "apps").with_title("Scriptable apps").with_icons(icons("app"));
    let apps = apps.with_description("The scriptable apps of this Mac, and which of them run.");
    let audit = Resource::new(AUDIT, "audit").with_title("Audit log").with_icons(icons("log"));
    let audit = audit.with_description("The newest decisions and executions, without private values.");
    let known = router.pipeline.every_app().await.map_err(|fault| failed(&fault, APPS))?;
    router.plugins.look().await;
    let of_plugins = router.plugins.resources();
    let fixed = [apps, audit].map(|resource| resource.with_mime_type(JSON)).into_iter();
    let texts = GUIDE_PAGES.iter().map(guide).chain(of_plugins.iter().map(of_plugin));
    Ok(fixed.chain(texts).chain(known.0.iter().map(dictionary)).collect())
}

/// Lists the resource templates.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let dictionary =
        ResourceTemplate::new(DICTIONARY, "dictionary").with_title("An app's scripting dictionary");
    let dictionary =
        dictionary.with_description("All of an app's classes, commands and enumerations. Some are large.");
    let class = ResourceTemplate::new(CLASS, "class").with_title("A class of an app");
    let class = class
        .with_description("The properties, elements and commands of one class, and where its objects are.");
    let guide = ResourceTemplate::new(GUIDE, "guide").with_title("A guide").with_mime_type(MARKDOWN);
    let guide = guide.with_description("A page of the documentation, with examples that work.");
    let [dictionary, class] =
        [dictionary, class].map(|template| template.with_mime_type(JSON).with_icons(icons("app")));
    vec![dictionary, class, guide.with_icons(icons("guide"))]
}

/// Reads one resource.
///
/// # Errors
/// There is no resource with that address, or it cannot be read.
pub(super) async fn read(
    router: &Router,
    uri: &str,
    cancel: CancellationToken,
) -> Result<ResourceContents, ErrorData> {
    let pipeline = &router.pipeline;
    if let Some(guide) = GUIDE_PAGES.iter().find(|guide| address_of(guide) == uri) {
        return Ok(ResourceContents::text(guide.text, uri).with_mime_type(MARKDOWN));
    }
    router.plugins.look().await;
    if let Some((id, resource)) = router.plugins.resources().iter().find(|it| address_of_plugin(it) == uri) {
        let text = router.plugins.resource(id, &resource.name).await;
        let text = text.map_err(|error| ErrorData::internal_error(error, at(uri)))?;
        let text = text.ok_or_else(|| missing(uri))?;
        return Ok(ResourceContents::text(text, uri).with_mime_type(media_type(resource)));
    }
    let body = match (uri, class_of(uri)) {
        (APPS, _) => apps(pipeline, cancel).await?,
        (AUDIT, _) => audit(pipeline).await?,
        (_, Some((app, class))) => described(pipeline, uri, &app, &class, cancel).await?,
        _ => whole(pipeline, uri).await?,
    };
    Ok(ResourceContents::text(body.to_string(), uri).with_mime_type(JSON))
}

/// Parses the bundle id and the class from the address of a class.
fn class_of(uri: &str) -> Option<(String, String)> {
    let (app, class) = uri.strip_prefix(APPS)?.strip_prefix('/')?.split_once("/classes/")?;
    let decoded = |text| percent_decode_str(text).decode_utf8().ok().map(|text| text.into_owned());
    Some((decoded(app)?, decoded(class)?))
}

/// Describes one class, with the same text as the tool that does it for models.
async fn described(
    pipeline: &Pipeline,
    uri: &str,
    app: &str,
    class: &str,
    cancel: CancellationToken,
) -> Result<Json, ErrorData> {
    let arguments = Map::from_iter([("app".to_owned(), json!(app)), ("class".to_owned(), json!(class))]);
    let outcome = pipeline.call(Tool::DescribeApp, &arguments, &Caller::alone(uri), cancel).await.outcome;
    if !outcome.is_error {
        return Ok(outcome.body);
    }
    let message = outcome.body["message"].as_str().unwrap_or("the class cannot be described").to_owned();
    Err(ErrorData::resource_not_found(message, Some(json!({ "uri": uri, "fault": outcome.body }))))
}

async fn apps(pipeline: &Pipeline, cancel: CancellationToken) -> Result<Json, ErrorData> {
    let outcome = pipeline.call(Tool::ListApps, &Map::new(), &Caller::alone(APPS), cancel).await.outcome;
    match outcome.is_error {
        true => Err(ErrorData::internal_error("the apps cannot be listed", Some(outcome.body))),
        false => Ok(outcome.body),
    }
}

/// The newest entries of all servers' logs, oldest first. They were redacted when they were written.
async fn audit(pipeline: &Pipeline) -> Result<Json, ErrorData> {
    let folder = pipeline.state().folder().to_owned();
    let read = move || iac_state::audit::newest(&folder, NEWEST).map_err(|error| error.to_string());
    let records = tokio::task::spawn_blocking(read).await.map_err(|error| error.to_string()).flatten();
    let records = records.map_err(|error| ErrorData::internal_error(error, at(AUDIT)))?;
    let entries: Vec<Json> = records.into_iter().map(|record| Json::Object(record.fields)).collect();
    Ok(json!({ "entries": entries, "newest": NEWEST, "untrusted": true }))
}

async fn whole(pipeline: &Pipeline, uri: &str) -> Result<Json, ErrorData> {
    let known = pipeline.every_app().await.map_err(|fault| failed(&fault, uri))?;
    let app = known.0.iter().find(|app| address(app) == uri);
    let app = app.ok_or_else(|| missing(uri))?;
    pipeline.dictionary(&app.bundle_id).await.map_err(|fault| failed(&fault, uri))
}

fn dictionary(app: &App) -> Resource {
    let name = foreign::clean(&app.name, 80);
    let resource = Resource::new(address(app), app.bundle_id.to_string()).with_mime_type(JSON);
    let resource =
        resource.with_description(format!("What {name} offers: its classes, commands and enumerations."));
    resource.with_title(format!("{name}: scripting dictionary")).with_icons(icons("app"))
}

fn guide(guide: &Guide) -> Resource {
    let resource = Resource::new(address_of(guide), guide.name).with_title(guide.title);
    let resource = resource.with_description(summary(guide.text)).with_mime_type(MARKDOWN);
    resource.with_size(guide.text.len() as u64).with_icons(icons("guide"))
}

fn of_plugin(held: &(PluginId, ResourceFile)) -> Resource {
    let (id, of) = held;
    let resource = Resource::new(address_of_plugin(held), format!("{id}/{}", of.name)).with_title(&of.title);
    let resource = resource.with_description(&of.description).with_mime_type(media_type(of));
    resource.with_icons(icons("guide"))
}

fn address_of_plugin((id, resource): &(PluginId, ResourceFile)) -> String {
    format!("{PLUGINS}/{id}/{}", resource.name)
}

fn media_type(resource: &ResourceFile) -> &'static str {
    resource.media_type().unwrap_or("text/plain")
}

fn address_of(guide: &Guide) -> String {
    format!("{GUIDES}/{}", guide.name)
}

/// Returns the first sentence below the title of a page.
fn summary(page: &str) -> String {
    let body = page.split("\n\n").nth(1).unwrap_or_default();
    let body = foreign::clean(body, 300);
    let end = body.find(". ").map_or(body.len(), |end| end + 1);
    body[..end].to_owned()
}

/// Returns the address of an app. A bundle id may contain any character, so characters that have a meaning in an
/// address are written as `%XX`.
fn address(app: &App) -> String {
    let id = utf8_percent_encode(&app.bundle_id, MEANT);
    format!("{APPS}/{id}/dictionary")
}

fn missing(uri: &str) -> ErrorData {
    ErrorData::resource_not_found("there is no such resource", at(uri))
}

fn at(uri: &str) -> Option<Json> {
    Some(json!({ "uri": uri }))
}

fn failed(fault: &Fault, uri: &str) -> ErrorData {
    let data = json!({ "uri": uri, "fault": fault.to_json() });
    match fault.code {
        Code::UnknownApp => ErrorData::resource_not_found(fault.message.clone(), Some(data)),
        _ => ErrorData::internal_error(fault.message.clone(), Some(data)),
    }
}
