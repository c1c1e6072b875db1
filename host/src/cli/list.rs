//! `apps`, `tools` and `lint`

use std::collections::BTreeSet;
use std::io::Write as _;

use clap::Args;
use iac_core::app::App;
use iac_core::call::Tool;
use iac_core::catalog::Catalog;
use iac_core::dictionary::lint::{self, Weight};
use serde_json::{Map, Value as Json};

use super::options::{Common, Mac};
use super::policy::now;
use super::{Failure, call, dictionary, paint};
use crate::mcp;

#[derive(Debug, Args)]
pub(super) struct Apps {
    /// A part of a name or bundle id.
    search: Option<String>,
}

impl Apps {
    pub(super) fn run(self, common: &Common, mac: Mac) -> Result<(), Failure> {
        let places = mac.places();
        let arguments: Map<String, Json> =
            self.search.clone().map(|search| ("search".to_owned(), search.into())).into_iter().collect();
        let outcome = call::answer(common, mac, Tool::ListApps, &arguments)?;
        if common.json || outcome.is_error {
            paint::answer(&outcome.body, common.json)?;
            return if outcome.is_error { Err(Failure::Said) } else { Ok(()) };
        }
        if outcome.body["apps"].as_array().is_none_or(Vec::is_empty) {
            let what = self.search.map_or_else(
                || format!("no scriptable app was found {places}\nname a folder with apps with --root DIR"),
                |search| format!("no scriptable app {places} has `{search}` in its name or bundle id"),
            );
            return Err(Failure::Failed(what));
        }
        let columns = [
            ("App", "name"),
            ("Bundle id", "bundleId"),
            ("Version", "version"),
            ("Running", "running"),
            ("#Commands", "commands"),
            ("#Classes", "classes"),
        ];
        let table = |columns: &[(&str, &str)]| {
            let mut table = paint::table(&columns.iter().map(|(header, _)| *header).collect::<Vec<_>>());
            for app in outcome.body["apps"].as_array().into_iter().flatten() {
                table.add_row(columns.iter().map(|(_, key)| shown(&app[key])));
            }
            table
        };
        let whole = table(&columns);
        // Some bundle ids are so long that a terminal of 80 columns has no room for the numbers.
        let table = if paint::fits(&whole) { whole } else { table(&columns[..4]) };
        paint::print(&table)?;
        for app in outcome.body["apps"].as_array().into_iter().flatten() {
            for other in app["otherBundles"].as_array().into_iter().flatten() {
                writeln!(
                    paint::stdout(),
                    "{} claims the bundle id of {} and is not used",
                    shown(other),
                    shown(&app["name"])
                )?;
            }
        }
        Ok(())
    }
}

#[derive(Debug, Args)]
pub(super) struct Tools {
    /// Lists an app's commands as tools instead: a name, a bundle id, or the path of an .sdef or .scriptSuite file.
    #[arg(value_name = "APP|FILE")]
    what: Option<String>,
}

impl Tools {
    pub(super) fn run(self, common: &Common, mac: Mac) -> Result<(), Failure> {
        let tools = match &self.what {
            None if mac.tools.is_empty() => {
                // A fresh simulated Mac has no saved policy, and a server that cannot read its policy offers no
                // scripts either.
                let gate = mac.look_at_state(common).ok().and_then(|state| state.gate(now(), None).ok());
                mcp::of_plugins_too(&common.plugins(), &gate.map(|gate| gate.policy).unwrap_or_default())
            }
            None => as_served(common, mac)?,
            Some(what) => {
                let (app, definition) = dictionary::of(what, common, mac)?;
                let app = App { dictionary: Some(definition.dictionary.into()), ..app };
                mcp::commands(&Catalog::new([&app], &BTreeSet::new(), &[]))
            }
        };
        if common.json {
            return Ok(paint::answer(&Json::from(tools), true)?);
        }
        let mut stdout = paint::stdout();
        let (name, faint) = (paint::NAME, paint::FAINT);
        for tool in &tools {
            let arguments = tool["inputSchema"]["properties"].as_object();
            let arguments: Vec<&str> =
                arguments.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
            let (arguments, title) = (arguments.join(", "), dictionary::clean(&shown(&tool["title"])));
            writeln!(
                stdout,
                "{name}{}{name:#}  {title} {faint}({arguments}){faint:#}",
                shown(&tool["name"])
            )?;
        }
        let bytes = serde_json::to_string(&tools).unwrap_or_default().len();
        let count = tools.len();
        writeln!(stdout, "\n{faint}{count} tools in {bytes} bytes; --json shows the definitions{faint:#}")?;
        Ok(())
    }
}

/// Returns the tools of a server with the same options. As in a server, a missing app only causes a warning.
fn as_served(common: &Common, mac: Mac) -> Result<Vec<Json>, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let router = mac.router(common, &[])?;
        if let Some(fault) = router.pipeline.tools_of_nobody().await.into_iter().next() {
            return Err(Failure::Misuse(format!(
                "--tools: {}\n`iac-mcp apps` lists every scriptable app",
                fault.message
            )));
        }
        Ok(mcp::of_server(&router).await)
    })
}

#[derive(Debug, Args)]
pub(super) struct Lint {
    /// The name or bundle id of an app, or the path of an .sdef or .scriptSuite file.
    #[arg(value_name = "APP|FILE")]
    what: String,
}

impl Lint {
    /// Prints the faults of a dictionary. If there are errors among them, the command fails.
    pub(super) fn run(self, common: &Common, mac: Mac) -> Result<(), Failure> {
        let (_, definition) = dictionary::of(&self.what, common, mac)?;
        let found = lint::lint(&definition.dictionary, &definition.problems);
        if common.json {
            paint::answer(&serde_json::to_value(&found).unwrap_or_default(), true)?;
        } else {
            let mut stdout = paint::stdout();
            found.iter().try_for_each(|each| writeln!(stdout, "{}", dictionary::clean(&each.to_string())))?;
            let of = |weight| found.iter().filter(|each| each.weight == weight).count();
            let (errors, warnings, notes) = (of(Weight::Error), of(Weight::Warning), of(Weight::Note));
            let faint = paint::FAINT;
            let counts = [(errors, "error"), (warnings, "warning"), (notes, "note")];
            let counts = counts.map(|(count, name)| paint::count(count, name)).join(", ");
            writeln!(stdout, "{faint}{counts}{faint:#}")?;
        }
        if found.iter().any(|each| each.weight == Weight::Error) { Err(Failure::Said) } else { Ok(()) }
    }
}

fn shown(value: &Json) -> String {
    match value {
        Json::Null => "-".to_owned(),
        Json::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}
