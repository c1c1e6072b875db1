//! `app-scripts`: texts of the package, as they were granted, inside apps that were granted.

use serde_json::Value as Json;
use wasmtime::component::Resource;

use super::apps::App;
use super::{Returned, State, fault};
use crate::capability::Level;
use crate::engine::bindings::iac::plugin::{app_scripts, types};
use crate::host::Question;
use crate::package::Script;

/// So many lines about objects are taken, and so many bytes of them together.
const LINES: usize = 50;
const BYTES: usize = 16 * 1024;

impl app_scripts::Host for State {
    async fn run(&mut self, app: Resource<App>, name: String, data: String) -> Returned<String> {
        self.script(&app, &name, &data, Vec::new()).await
    }

    async fn run_on(
        &mut self,
        app: Resource<App>,
        name: String,
        data: String,
        objects: Vec<String>,
    ) -> Returned<String> {
        if objects.len() > LINES || objects.iter().map(String::len).sum::<usize>() > BYTES {
            let message = format!(
                "{} objects, expected at most {LINES} lines of {BYTES} bytes together",
                objects.len()
            );
            return Ok(Err(fault("invalid_parameter", message)));
        }
        self.script(&app, &name, &data, objects).await
    }
}

impl State {
    async fn script(
        &mut self,
        app: &Resource<App>,
        name: &str,
        data: &str,
        objects: Vec<String>,
    ) -> Returned<String> {
        let app = self.table.get(app)?.bundle_id.clone();
        let script = match self.granted(&app, name) {
            Ok(script) => script.clone(),
            Err(fault) => return Ok(Err(fault)),
        };
        let bytes = data.len() + objects.iter().map(String::len).sum::<usize>();
        let data: Json = match serde_json::from_str(data) {
            Ok(data) => data,
            Err(error) => return Ok(Err(fault("invalid_parameter", format!("data is no JSON: {error}")))),
        };
        let question = Question::Script { app, script, data, objects };
        let answer = match self.ask_json(question, bytes).await? {
            Ok(mut answer) => answer["value"].take(),
            Err(fault) => return Ok(Err(fault)),
        };
        self.hear(answer.to_string())
    }

    /// Finds a script that may run: it is the package's, it is for this app, and this very text was granted.
    fn granted(&self, app: &str, name: &str) -> Result<&Script, types::Fault> {
        let setup = &self.setup;
        let script = setup.scripts.iter().find(|script| script.name == name && script.is_for(app));
        let script = script.ok_or_else(|| {
            let known: Vec<&str> = setup.scripts.iter().map(|script| script.name.as_str()).collect();
            let message = format!("no script `{name}` for {app}, expected one of {}", known.join(", "));
            fault("invalid_parameter", message)
        })?;
        if setup.grants.app_scripts.get(name) != Some(&script.pin()) {
            return Err(fault("permission_denied", format!("the script `{name}` was not granted")));
        }
        if self.read_only && script.level > Level::Safe {
            return Err(fault("permission_denied", "the tool says that it only reads"));
        }
        Ok(script)
    }
}
