//! `policy explain`: shows the decision about a call, where it comes from, and the policy line that would change it.

use std::io::Write as _;

use clap::Args;
use std::sync::Arc;

use iac_core::action::Terms;
use iac_core::call::Tool;
use iac_core::dictionary::names;
use iac_core::fault::did_you_mean;
use iac_core::permission::{
    CommandScope, Level, Ruling, Scope, Source, classify_command, classify_write, forecast,
};
use serde_json::{Map, Value as Json, json};

use super::super::options::{Common, Mac};
use super::super::{Failure, paint};
use super::now;
use crate::consent::Caller;
use crate::pipeline::{Explained, Pipeline};

/// Takes either a whole call (`explain iac_mcp_run_command '{…}'`), or an app with one command or property.
#[derive(Debug, Args)]
pub(super) struct Explain {
    /// The name of a tool, or an app with --command or --property.
    #[arg(value_name = "TOOL|APP")]
    what: String,
    /// The arguments of the tool as a JSON object.
    #[arg(default_value = "{}", conflicts_with_all = ["command", "property"])]
    arguments: String,
    /// A command of the app.
    #[arg(long, conflicts_with = "property")]
    command: Option<String>,
    /// A property to set.
    #[arg(long)]
    property: Option<String>,
    /// Reads the property instead.
    #[arg(long, requires = "property")]
    read: bool,
}

/// The explanation.
struct Told {
    decision: &'static str,
    level: Level,
    reason: String,
    why: String,
    line: Option<String>,
}

impl Explain {
    pub(super) fn run(self, common: &Common, mac: Mac) -> Result<(), Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let told = runtime.block_on(async {
            let pipeline = mac.pipeline(common, &[])?;
            pipeline.prepare()?;
            let told = match (&self.command, &self.property) {
                (None, None) => self.call(&pipeline).await,
                _ => self.term(&pipeline),
            };
            pipeline.shutdown().await;
            told
        })?;
        told.print(common)
    }

    async fn call(&self, pipeline: &Pipeline) -> Result<Told, Failure> {
        let arguments: Map<String, Json> = serde_json::from_str(&self.arguments)
            .map_err(|error| Failure::Misuse(format!("the arguments are not a JSON object: {error}")))?;
        let unknown = || {
            Failure::Misuse(format!(
                "there is no tool `{}`\nto explain an app, add --command or --property",
                self.what
            ))
        };
        let tool = Tool::named(&self.what).ok_or_else(unknown)?;
        match pipeline.explain(tool, &arguments, &Caller::alone("iac-mcp")).await {
            Explained::Fault(fault) => Err((*fault).into()),
            Explained::Done(outcome) => match outcome.refused {
                None => Err(Failure::Failed(format!(
                    "the call ends without running anything: {}",
                    outcome.body["message"]
                ))),
                Some(refused) => {
                    let line = refused.scopes.first().map(Scope::policy_line);
                    Ok(Told::new(
                        Ruling::Deny,
                        refused.harm.level,
                        refused.harm.reason.clone().into(),
                        &refused.source,
                        line,
                    ))
                }
            },
            Explained::Asked(question) => {
                let line = question.scopes().first().map(Scope::policy_line);
                let (level, why) =
                    (question.level(), question.why().trim_start_matches("asked by ").to_owned());
                Ok(Told { decision: "ask", level, reason: String::new(), why, line })
            }
            Explained::Decided(decided) => Ok(match &decided.source {
                Source::Preview { of } => {
                    let line = decided.scopes.first().map(Scope::policy_line);
                    let level = decided.scopes.iter().map(|scope| scope.level).max().unwrap_or(Level::Modify);
                    Told::new(Ruling::Ask, level, String::new(), of, line)
                }
                source => Told::new(
                    Ruling::Allow,
                    decided.harm.level,
                    decided.harm.reason.clone().into(),
                    source,
                    None,
                ),
            }),
        }
    }

    /// Explains one command or property of an app, for any object.
    fn term(&self, pipeline: &Pipeline) -> Result<Told, Failure> {
        let (app, definition) = pipeline.catalog().definition(&self.what)?;
        let gate = pipeline.state().gate(now(), None)?;
        let (levels, id) = (gate.policy.levels(), &*app.bundle_id);
        let terms = Terms(Some(Arc::new(definition.dictionary.clone())));
        let mut scope = Scope { app: id.to_owned(), ..Scope::default() };
        let classified = match (&self.command, &self.property) {
            (Some(name), _) => {
                let found = definition.dictionary.commands_named(name);
                let known = definition.dictionary.commands.iter().map(|each| each.name.as_str());
                let near = did_you_mean(&names::near(name, known, 3));
                let unknown = || Failure::Failed(format!("{} has no command `{name}`{near}", app.name));
                let command = found.first().ok_or_else(unknown)?;
                scope.command = Some(CommandScope { name: command.name.clone(), code: command.code.clone() });
                Some(classify_command(id, command, levels))
            }
            (None, Some(name)) => {
                scope.property = Some(name.clone());
                (!self.read).then(|| classify_write(id, &terms, "", name, 1, levels))
            }
            (None, None) => None,
        };
        scope.level = classified.as_ref().map_or(Level::Safe, |classified| classified.level);
        let is_shell = classified.as_ref().is_some_and(|classified| classified.is_shell);
        let (ruling, source) = forecast(&scope, &app.name, is_shell, &gate, now());
        let reason = classified.map_or_else(|| "reads".to_owned(), |classified| classified.reason.into());
        let line = (ruling > Ruling::Allow).then(|| scope.policy_line());
        Ok(Told::new(ruling, scope.level, reason, &source, line))
    }
}

impl Told {
    fn new(ruling: Ruling, level: Level, reason: String, source: &Source, line: Option<String>) -> Self {
        Self { decision: ruling.as_str(), level, reason, why: source.to_string(), line }
    }

    fn print(&self, common: &Common) -> Result<(), Failure> {
        let Self { decision, level, reason, why, line } = self;
        if common.json {
            let body = json!({ "decision": decision, "level": level, "reason": reason, "by": why, "policyLine": line });
            return Ok(paint::answer(&body, true)?);
        }
        let mut stdout = paint::stdout();
        let (strong, faint) = (paint::STRONG, paint::FAINT);
        let since = if reason.is_empty() { String::new() } else { format!(": it {reason}") };
        writeln!(stdout, "{strong}{decision}{strong:#}  {}{since}", level.as_str())?;
        writeln!(stdout, "by {why}")?;
        if let Some(line) = line {
            writeln!(stdout, "{faint}a line in `rules` that would allow it:{faint:#}")?;
            writeln!(anstream::stdout(), "  {line}")?;
        }
        Ok(())
    }
}
