//! `apps` and `apps-change`: a handle stands for a granted app, and each request goes to the host's gate.

use serde::Deserialize;
use serde_json::{Map, Value as Json};
use wasmtime::component::Resource;

use super::{Returned, State, fault};
use crate::capability::Level;
use crate::engine::bindings::iac::plugin::{apps, apps_change, types};
use crate::host::{Operation, Question};
use crate::manifest::is_bundle_id;

/// An app that was granted and opened in this call.
#[derive(Debug)]
#[expect(unreachable_pub, reason = "the generated bindings export it again")]
pub struct App {
    pub(super) bundle_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Opened {
    bundle_id: String,
}

impl apps::Host for State {
    async fn open(&mut self, bundle_id: String) -> Returned<Resource<App>> {
        if !self.setup.grants.may_read(&bundle_id) {
            return Ok(Err(self.unread(&bundle_id)));
        }
        let bytes = bundle_id.len();
        let opened: Opened = match self.ask(Question::OpenApp { app: bundle_id }, bytes).await? {
            Ok(opened) => opened,
            Err(fault) => return Ok(Err(fault)),
        };
        // The host's bundle id is checked, not the guest's spelling: a grant is for the app itself.
        if !self.setup.grants.may_read(&opened.bundle_id) {
            return Ok(Err(self.unread(&opened.bundle_id)));
        }
        Ok(self.table.push(App { bundle_id: opened.bundle_id }).map_err(|_| too_many()))
    }
}

impl apps::HostApp for State {
    async fn bundle_id(&mut self, app: Resource<App>) -> wasmtime::Result<String> {
        self.count_call()?;
        Ok(self.table.get(&app)?.bundle_id.clone())
    }

    async fn query_object(&mut self, app: Resource<App>, arguments: String) -> Returned<String> {
        self.request(&app, Operation::QueryObject, Level::Safe, &arguments).await
    }

    async fn get_elements(&mut self, app: Resource<App>, arguments: String) -> Returned<String> {
        self.request(&app, Operation::GetElements, Level::Safe, &arguments).await
    }

    async fn get_properties(&mut self, app: Resource<App>, arguments: String) -> Returned<String> {
        self.request(&app, Operation::GetProperties, Level::Safe, &arguments).await
    }

    async fn read_command(&mut self, app: Resource<App>, arguments: String) -> Returned<String> {
        self.request(&app, Operation::ReadCommand, Level::Safe, &arguments).await
    }

    async fn drop(&mut self, app: Resource<App>) -> wasmtime::Result<()> {
        self.table.delete(app)?;
        Ok(())
    }
}

impl apps_change::Host for State {
    async fn set_property(&mut self, app: Resource<App>, arguments: String) -> Returned<String> {
        self.change(&app, Operation::SetProperty, &arguments).await
    }

    async fn run_command(&mut self, app: Resource<App>, arguments: String) -> Returned<String> {
        self.change(&app, Operation::RunCommand, &arguments).await
    }
}

impl State {
    async fn change(
        &mut self,
        app: &Resource<App>,
        operation: Operation,
        arguments: &str,
    ) -> Returned<String> {
        let bundle_id = self.table.get(app)?.bundle_id.clone();
        let level = match self.setup.grants.may_change(&bundle_id) {
            Some(level) if !self.is_read_only => level,
            Some(_) => return Ok(Err(self.read_only())),
            None => {
                let message = format!("the plugin has no grant to change `{bundle_id}`");
                let wanted = self.setup.wanted.may_change(&bundle_id);
                let level = wanted.map(|level| format!(" --level {}", level.name())).unwrap_or_default();
                let arguments = format!("apps-change {}{level}", target(&bundle_id));
                return Ok(Err(self.not_granted(&message, &arguments, wanted.is_some())));
            }
        };
        self.request(app, operation, level, arguments).await
    }

    fn unread(&mut self, app: &str) -> types::Fault {
        let message = format!("the plugin has no grant to read `{app}`");
        let is_wanted = self.setup.wanted.may_read(app);
        self.not_granted(&message, &format!("apps {}", target(app)), is_wanted)
    }

    async fn request(
        &mut self,
        app: &Resource<App>,
        operation: Operation,
        level: Level,
        arguments: &str,
    ) -> Returned<String> {
        let app = self.table.get(app)?.bundle_id.clone();
        let bytes = arguments.len();
        let arguments = match read(arguments) {
            Ok(arguments) => arguments,
            Err(fault) => return Ok(Err(fault)),
        };
        let question = Question::App { app: app.clone(), operation, arguments, level };
        match self.ask_json(question, bytes).await? {
            Ok(answer) => self.hear(&app, answer.to_string()),
            Err(fault) => Ok(Err(fault)),
        }
    }

    /// Notes that the call has received text from an app.
    pub(super) fn hear(&mut self, app: &str, answer: String) -> Returned<String> {
        self.caller.heard.note(Some(app));
        self.count_traffic(answer.len())?;
        let most = self.setup.limits.reply;
        Ok(if answer.len() <= most { Ok(answer) } else { Err(too_large(answer.len(), most)) })
    }
}

/// Parses a guest's arguments. The app always comes from the handle.
fn read(text: &str) -> Result<Json, types::Fault> {
    let map: Map<String, Json> = serde_json::from_str(text)
        .map_err(|error| fault("invalid_parameter", format!("arguments are not a JSON object: {error}")))?;
    match map.get("app") {
        Some(_) => Err(fault(
            "invalid_parameter",
            "arguments name an `app`; leave it out, because the handle names the app",
        )),
        None => Ok(Json::Object(map)),
    }
}

/// Returns the app's name for a command that a person may copy. The text comes from the guest, so anything but a
/// bundle id becomes `APP`.
fn target(app: &str) -> &str {
    if is_bundle_id(app) && app != "*" { app } else { "APP" }
}

pub(super) fn too_many() -> types::Fault {
    fault("unavailable", "the call holds too many handles, expected at most 1,000 at the same time")
}

fn too_large(bytes: usize, most: usize) -> types::Fault {
    fault(
        "result_too_large",
        format!("the answer has {bytes} bytes, expected at most {most}: ask for less at once"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_bundle_ids_only() {
        let check = |app: &str, expected: &str| assert_eq!(target(app), expected);
        check("com.example.app", "com.example.app");
        check("*", "APP");
        check("x; rm -r ~", "APP");
        check("x` --level dangerous `", "APP");
    }
}
