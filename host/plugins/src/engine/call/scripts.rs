//! `app-scripts`: runs scripts of the package, exactly as granted, in granted apps.

use std::sync::Arc;

use serde_json::Value as Json;
use wasmtime::component::Resource;

use super::apps::App;
use super::{Returned, State, fault};
use crate::capability::Level;
use crate::engine::bindings::iac::plugin::{app_scripts, types};
use crate::host::Question;
use crate::script::Script;

/// The largest number of lines that describe objects, and the most bytes of all of them.
const LINES: usize = 500;
const BYTES: usize = 64 * 1024;

/// The largest number of runs that one decision covers.
const PARTS: usize = 100;

impl app_scripts::Host for State {
    async fn run(&mut self, app: Resource<App>, name: String, data: String) -> Returned<String> {
        let on = self.table.get(&app)?.bundle_id.clone();
        let answer = self.script(&app, &name, &[data], Vec::new(), Vec::new()).await?;
        self.heard(&on, answer.map(|mut answers| answers.remove(0)))
    }

    async fn run_on(
        &mut self,
        app: Resource<App>,
        name: String,
        data: String,
        acts: Vec<String>,
        objects: Vec<String>,
    ) -> Returned<String> {
        let on = self.table.get(&app)?.bundle_id.clone();
        let answer = self.script(&app, &name, &[data], acts, objects).await?;
        self.heard(&on, answer.map(|mut answers| answers.remove(0)))
    }

    async fn run_parts(
        &mut self,
        app: Resource<App>,
        name: String,
        parts: Vec<String>,
        acts: Vec<String>,
        objects: Vec<String>,
    ) -> Returned<Vec<String>> {
        let on = self.table.get(&app)?.bundle_id.clone();
        let answers = match self.script(&app, &name, &parts, acts, objects).await? {
            Ok(answers) => answers,
            Err(fault) => return Ok(Err(fault)),
        };
        let mut heard = Vec::with_capacity(answers.len());
        for answer in answers {
            match self.hear(&on, answer.to_string())? {
                Ok(answer) => heard.push(answer),
                Err(fault) => return Ok(Err(fault)),
            }
        }
        Ok(Ok(heard))
    }
}

impl State {
    async fn script(
        &mut self,
        app: &Resource<App>,
        name: &str,
        parts: &[String],
        acts: Vec<String>,
        objects: Vec<String>,
    ) -> Returned<Vec<Json>> {
        let said = objects.iter().map(String::len).sum::<usize>();
        if objects.len() > LINES || said > BYTES {
            let message = format!(
                "{} objects, expected at most {LINES} lines of {BYTES} bytes together",
                objects.len()
            );
            return Ok(Err(fault("invalid_parameter", message)));
        }
        if !(1..=PARTS).contains(&parts.len()) {
            let message = format!("{} parts, expected 1 to {PARTS}", parts.len());
            return Ok(Err(fault("invalid_parameter", message)));
        }
        let app = self.table.get(app)?.bundle_id.clone();
        let script = match self.granted(&app, name) {
            Ok(script) => script,
            Err(fault) => return Ok(Err(fault)),
        };
        let acts = match declared(&script, acts) {
            Ok(acts) => acts,
            Err(fault) => return Ok(Err(fault)),
        };
        let bytes = parts.iter().map(String::len).sum::<usize>() + said;
        let parsed: Result<Vec<Json>, _> = parts.iter().map(|part| serde_json::from_str(part)).collect();
        let mut rest = match parsed {
            Ok(parts) => parts,
            Err(error) => return Ok(Err(fault("invalid_parameter", format!("data is not JSON: {error}")))),
        };
        let data = rest.remove(0);
        let several = !rest.is_empty();
        let question = Question::Script { app, script, data, acts, rest, objects };
        Ok(self.ask_json(question, bytes).await?.map(|mut answer| match answer["value"].take() {
            Json::Array(answers) if several => answers,
            answer => vec![answer],
        }))
    }

    fn heard(&mut self, app: &str, answer: Result<Json, types::Fault>) -> Returned<String> {
        match answer {
            Ok(answer) => self.hear(app, answer.to_string()),
            Err(fault) => Ok(Err(fault)),
        }
    }

    /// Finds a script that may run: it is in the package, it is for this app, and its pin was granted.
    fn granted(&mut self, app: &str, name: &str) -> Result<Script, types::Fault> {
        let setup = Arc::clone(&self.setup);
        let script = setup.scripts.iter().find(|script| script.name == name && script.is_for(app));
        let script = script.ok_or_else(|| {
            let known: Vec<&str> = setup.scripts.iter().map(|script| script.name.as_str()).collect();
            let message =
                format!("there is no script `{name}` for {app}, expected one of {}", known.join(", "));
            fault("invalid_parameter", message)
        })?;
        if setup.grants.app_scripts.get(name) != Some(&script.pin()) {
            let message = format!("the plugin has no grant for the script `{name}`");
            return Err(self.not_granted(&message, &format!("app-scripts {name}"), true));
        }
        if self.is_read_only && script.level > Level::Safe {
            return Err(self.read_only());
        }
        Ok(script.clone())
    }
}

/// Checks the acts that a call declares; each counts once. Their levels come from the package; a guest only picks
/// names.
fn declared(script: &Script, acts: Vec<String>) -> Result<Vec<String>, types::Fault> {
    let known = || script.acts.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
    let name = &script.name;
    if acts.is_empty() != script.acts.is_empty() {
        let message = match acts.first() {
            Some(act) => format!("the script `{name}` declares no acts, and the call names `{act}`"),
            None => format!("the call names no act of the script `{name}`, expected some of {}", known()),
        };
        return Err(fault("invalid_parameter", message));
    }
    let mut once: Vec<String> = Vec::new();
    for act in acts {
        if !script.acts.contains_key(&act) {
            let message =
                format!("the script `{name}` declares no act `{act}`, expected some of {}", known());
            return Err(fault("invalid_parameter", message));
        }
        if !once.contains(&act) {
            once.push(act);
        }
    }
    Ok(once)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(acts: &[&str], named: &[&str], expected: Result<&[&str], &str>) {
        let acts = acts.iter().map(|act| ((*act).to_owned(), Level::Modify)).collect();
        let (apps, text) = ([String::new()].into(), "d => d".to_owned());
        let (name, reason) = ("write".to_owned(), String::new());
        let script = Script { name, apps, level: Level::Modify, reason, text, acts };
        let found = declared(&script, named.iter().map(|act| (*act).to_owned()).collect());
        match (found, expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected),
            (Err(fault), Err(part)) => assert!(fault.message.contains(part), "{}", fault.message),
            (found, expected) => panic!("{found:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn a_call_names_declared_acts_and_at_least_one() {
        let all = ["create task", "delete task"];
        check(&all, &["delete task"], Ok(&["delete task"]));
        check(&all, &["delete task", "create task", "delete task"], Ok(&["delete task", "create task"]));
        check(&[], &[], Ok(&[]));
        check(
            &all,
            &[],
            Err("names no act of the script `write`, expected some of create task, delete task"),
        );
        check(&all, &["create task", "Delete task"], Err("declares no act `Delete task`"));
        check(&[], &["create task"], Err("declares no acts, and the call names `create task`"));
    }
}
