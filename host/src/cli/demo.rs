//! `demo`: a real client and a real server talk about the simulated Mac, and every message is shown.

mod conversation;
mod dates;
mod questions;

use std::ffi::OsString;
use std::io::Write as _;

use serde_json::{Value as Json, json};

use super::options::Common;
use super::{Failure, paint};
use crate::mcp::{Client, ClientError};
use conversation::Conversation;

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        Self::Failed(error.to_string())
    }
}

pub(super) fn run(common: &Common) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let client = Client::start(&server(common)).await?;
        if !common.json {
            introduce(&client).await?;
        }
        let mut conversation = Conversation::new(client, common.json);
        questions::mail(&mut conversation).await?;
        questions::files(&mut conversation).await?;
        questions::week(&mut conversation).await?;
        conclude(conversation).await
    })
}

/// Returns the arguments of the server. It gets the options that were given to this command.
fn server(common: &Common) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec!["serve".into(), "--simulated".into()];
    let folders = [("--state", &common.state), ("--cache", &common.cache), ("--standard", &common.standard)];
    for (name, folder) in folders {
        arguments.extend(folder.iter().flat_map(|folder| [name.into(), folder.clone().into()]));
    }
    arguments.extend(common.debug.then(|| "--debug".into()));
    arguments
}

async fn introduce(client: &Client) -> Result<(), Failure> {
    let tools = client.tools().await?;
    let kilobytes = serde_json::to_string(&tools).map_or(0, |text| text.len()) as f64 / 1024.0;
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    let mut out = anstream::stdout();
    let (strong, faint) = (paint::STRONG, paint::FAINT);
    writeln!(out, "{strong}A real MCP client asks a real server about a simulated Mac.{strong:#}")?;
    writeln!(
        out,
        "{faint}iac-mcp {} serve --simulated, MCP {}, first answer {:.0} ms after its start{faint:#}",
        env!("CARGO_PKG_VERSION"),
        client.protocol(),
        client.first_answer.as_secs_f64() * 1000.0
    )?;
    let tools = format!("{} tools in {kilobytes:.1} KB: {}", names.len(), names.join(", "));
    writeln!(out, "{faint}{}{faint:#}", paint::fold(&tools, 0, 0, paint::width()))?;
    Ok(())
}

async fn conclude(conversation: Conversation) -> Result<(), Failure> {
    let (client, total) = conversation.end();
    client.end().await?;
    if let Some(transcript) = total.transcript {
        return Ok(paint::answer(&Json::from(transcript), true)?);
    }
    let (strong, faint) = (paint::STRONG, paint::FAINT);
    let milliseconds = total.elapsed.as_secs_f64() * 1000.0;
    let mut out = anstream::stdout();
    writeln!(
        out,
        "\n{faint}{} calls, {} Apple events, {milliseconds:.0} ms in total. Try it yourself:{faint:#}",
        total.calls, total.events
    )?;
    let own = json!({ "search": "mail" });
    writeln!(out, "  {strong}iac-mcp call --simulated iac_mcp_list_apps '{own}'{strong:#}")?;
    writeln!(
        out,
        "  {strong}iac-mcp serve --simulated{strong:#}{faint}  is the command that an MCP client runs{faint:#}"
    )?;
    Ok(())
}
