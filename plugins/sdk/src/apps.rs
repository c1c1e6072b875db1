//! Scriptable apps: reads need a grant of `apps`, and changes need a grant of `apps-change`.

use serde_json::Value as Json;

use crate::Fault;
use crate::bindings::iac::plugin::{app_scripts, apps, apps_change};
use crate::fault::read;

/// An app that was opened in this call. The arguments and answers of its methods are those of the server's tools.
#[derive(Debug)]
pub struct App(apps::App);

/// Opens a handle to an app by its bundle id. This does not launch the app and sends it nothing.
///
/// # Errors
/// `permission_denied` if it was not granted, `unknown_app` if it is not installed.
pub fn open(bundle_id: &str) -> Result<App, Fault> {
    Ok(App(apps::open(bundle_id)?))
}

impl App {
    /// Returns the app's bundle id.
    pub fn bundle_id(&self) -> String {
        self.0.bundle_id()
    }

    /// Resolves a specifier: `{"specifier":…}` to `{"reference":…}` or `{"value":…}`.
    ///
    /// # Errors
    /// Those of the tool `iac_mcp_query_object`.
    pub fn query_object(&self, arguments: &Json) -> Result<Json, Fault> {
        read(self.0.query_object(&arguments.to_string()))
    }

    /// Lists elements: `{"container","elementType","where","properties","sort","limit","offset"}` to
    /// `{"elements","count","totalCount","hasMore"}`.
    ///
    /// # Errors
    /// Those of the tool `iac_mcp_get_elements`.
    pub fn get_elements(&self, arguments: &Json) -> Result<Json, Fault> {
        read(self.0.get_elements(&arguments.to_string()))
    }

    /// Reads properties: `{"reference","properties"}` to `{"properties":…}` or `{"results":[…]}`.
    ///
    /// # Errors
    /// Those of the tool `iac_mcp_get_properties`.
    pub fn get_properties(&self, arguments: &Json) -> Result<Json, Fault> {
        read(self.0.get_properties(&arguments.to_string()))
    }

    /// Runs a safe command: `{"command","target","arguments"}` to `{"success":true,"data":…}`.
    ///
    /// # Errors
    /// Those of the tool `iac_mcp_read_command`.
    pub fn read_command(&self, arguments: &Json) -> Result<Json, Fault> {
        read(self.0.read_command(&arguments.to_string()))
    }

    /// Sets a property: `{"reference","property","value"}` to `{"success":true,"changes":[…]}`.
    ///
    /// # Errors
    /// Those of the tool `iac_mcp_set_property`, and `permission_denied` above the granted level.
    pub fn set_property(&self, arguments: &Json) -> Result<Json, Fault> {
        read(apps_change::set_property(&self.0, &arguments.to_string()))
    }

    /// Runs any command: `{"command","target","arguments","dryRun"}` to `{"success":true,"data":…}`.
    ///
    /// # Errors
    /// Those of the tool `iac_mcp_run_command`, and `permission_denied` above the granted level.
    pub fn run_command(&self, arguments: &Json) -> Result<Json, Fault> {
        read(apps_change::run_command(&self.0, &arguments.to_string()))
    }

    /// Runs a script of the package inside the app.
    ///
    /// # Errors
    /// `invalid_parameter` if there is no such script, and the errors of [`run_command`](Self::run_command).
    pub fn run_script(&self, name: &str, data: &Json) -> Result<Json, Fault> {
        read(app_scripts::run(&self.0, name, &data.to_string()))
    }

    /// Runs a script of the package that changes something. `objects` describes each object in one line; the question
    /// to a human shows these lines; an empty one stands for an object that an earlier line describes too. `acts` are
    /// the declared acts of the script that this call does; empty if the script declares none.
    ///
    /// # Errors
    /// As for [`run_script`](Self::run_script), and `invalid_parameter` for an act that the script does not declare.
    pub fn run_script_on(
        &self,
        name: &str,
        data: &Json,
        acts: &[String],
        objects: &[String],
    ) -> Result<Json, Fault> {
        read(app_scripts::run_on(&self.0, name, &data.to_string(), acts, objects))
    }

    /// Runs a script of the package once for each part of its data, under one decision. Each run after the first has a
    /// second argument: the `carry` from the result of the run before it. A run that returns no `carry` is the last.
    /// Returns the result of each run.
    ///
    /// # Errors
    /// As for [`run_script_on`](Self::run_script_on); `detail.answers` has the results of the runs before the failed
    /// one.
    pub fn run_script_parts(
        &self,
        name: &str,
        parts: &[Json],
        acts: &[String],
        objects: &[String],
    ) -> Result<Vec<Json>, Fault> {
        let parts: Vec<String> = parts.iter().map(Json::to_string).collect();
        let answers = app_scripts::run_parts(&self.0, name, &parts, acts, objects)?;
        answers.into_iter().map(|answer| read(Ok(answer))).collect()
    }
}
