//! `apps` and `tools`

use std::io::Write as _;

use clap::Args;
use serde_json::{Map, Value as Json};

use super::options::{Common, Mac};
use super::{Failure, call, paint};
use crate::mcp;

#[derive(Debug, Args)]
pub(super) struct Apps {
    /// Part of a name or bundle id.
    search: Option<String>,
}

impl Apps {
    pub(super) fn run(self, common: &Common, mac: Mac) -> Result<(), Failure> {
        let arguments: Map<String, Json> =
            self.search.map(|search| ("search".to_owned(), search.into())).into_iter().collect();
        let answer = call::answer(common, mac, "iac_mcp_list_apps", &arguments)?;
        let outcome = answer.map(|answer| answer.outcome).unwrap_or_default();
        if common.json || outcome.is_error {
            paint::answer(&outcome.body, common.json)?;
            return if outcome.is_error { Err(Failure::Said) } else { Ok(()) };
        }
        let mut table = paint::table(&["App", "Bundle id", "Version", "Running", "#Commands", "#Classes"]);
        for app in outcome.body["apps"].as_array().into_iter().flatten() {
            let text = |key: &str| shown(&app[key]);
            table.add_row([
                text("name"),
                text("bundleId"),
                text("version"),
                text("running"),
                text("commands"),
                text("classes"),
            ]);
        }
        Ok(paint::print(&table)?)
    }
}

/// Prints the tools as clients see them.
pub(super) fn tools(common: &Common) -> Result<(), Failure> {
    let tools = mcp::built_in();
    if common.json {
        return Ok(paint::answer(&Json::from(tools), true)?);
    }
    let mut stdout = anstream::stdout();
    let (name, faint) = (paint::NAME, paint::FAINT);
    for tool in &tools {
        let arguments: Vec<&str> = tool["inputSchema"]["properties"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| name.as_str())
            .collect();
        let title = shown(&tool["title"]);
        writeln!(
            stdout,
            "{name}{}{name:#}  {title} {faint}({}){faint:#}",
            shown(&tool["name"]),
            arguments.join(", ")
        )?;
    }
    let bytes = serde_json::to_string(&tools).unwrap_or_default().len();
    writeln!(
        stdout,
        "\n{faint}{} tools in {bytes} bytes; --json shows the definitions{faint:#}",
        tools.len()
    )?;
    Ok(())
}

fn shown(value: &Json) -> String {
    match value {
        Json::Null => "-".to_owned(),
        Json::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}
