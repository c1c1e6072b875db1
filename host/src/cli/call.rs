//! `call`

use std::io::Read as _;

use clap::Args;
use iac_core::call::Tool;
use iac_core::dictionary::names::near;
use iac_core::fault::did_you_mean;
use iac_core::step::Outcome;
use serde_json::{Map, Value as Json};
use tokio_util::sync::CancellationToken;

use super::options::{Common, Mac};
use super::{Failure, ask, paint, plugin};
use crate::router;

#[derive(Debug, Args)]
pub(super) struct Call {
    /// The name of the tool, for example iac_mcp_list_apps.
    tool: String,
    /// The arguments as a JSON object; `-` reads them from stdin.
    #[arg(default_value = "{}")]
    arguments: String,
}

impl Call {
    pub(super) fn run(self, common: &Common, mac: Mac) -> Result<(), Failure> {
        let arguments = self.arguments()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let answer = runtime.block_on(async {
            let router = mac.router(common, &[])?;
            let Some(tool) = router.resolve(&self.tool).await else {
                return Err(unknown(&self.tool, common));
            };
            let answer = router.call(&tool, &arguments, &ask::caller(), CancellationToken::new()).await;
            router.pipeline.shutdown().await;
            Ok(answer)
        })?;
        paint::answer(&answer.outcome.body, common.json)?;
        if answer.outcome.is_error { Err(Failure::Said) } else { Ok(()) }
    }

    fn arguments(&self) -> Result<Map<String, Json>, Failure> {
        let mut text = self.arguments.clone();
        if text == "-" {
            text.clear();
            std::io::stdin().read_to_string(&mut text)?;
        }
        serde_json::from_str(&text).map_err(|error| {
            Failure::Misuse(format!("the arguments are not a JSON object: {error}\ngot {text}"))
        })
    }
}

/// Calls a tool of the core once. The router answers it, because plugins undo their own changes.
///
/// # Errors
/// There is no Mac for the call.
pub(super) fn answer(
    common: &Common,
    mac: Mac,
    tool: Tool,
    arguments: &Map<String, Json>,
) -> Result<Outcome, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let router = mac.router(common, &[])?;
        let tool = router::Tool::Core(tool);
        let answer = router.call(&tool, arguments, &ask::caller(), CancellationToken::new()).await;
        router.pipeline.shutdown().await;
        Ok(answer.outcome)
    })
}

fn unknown(tool: &str, common: &Common) -> Failure {
    if let Some((id, true)) = plugin::owner(common, tool) {
        let what = format!("the tool `{tool}` belongs to the plugin `{id}`, which is disabled");
        return Failure::Failed(format!("{what}\nrun `iac-mcp plugin enable {id}`"));
    }
    let mut names: Vec<String> =
        crate::mcp::built_in().iter().filter_map(|tool| Some(tool["name"].as_str()?.to_owned())).collect();
    names.extend(common.plugins().names());
    // Clients show a tool without its prefix, so users may type it that way.
    let meant = [tool.to_owned(), format!("iac_mcp_{tool}")];
    let near = meant.iter().map(|meant| near(meant, names.iter().map(String::as_str), 3));
    let near = near.into_iter().find(|near| !near.is_empty()).unwrap_or_default();
    let list = format!("the tools are {}", names.join(", "));
    let next = if near.is_empty() { list } else { "`iac-mcp tools` lists them".to_owned() };
    Failure::Misuse(format!("there is no tool `{tool}`{}\n{next}", did_you_mean(&near)))
}
