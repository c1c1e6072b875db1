//! `policy allow`, `ask` and `deny`. They warn before a rule that matches everything or nothing is written by
//! mistake.

use clap::Args;
use iac_apps::Definition;
use iac_core::app::App;
use iac_core::dictionary::{Dictionary, names};
use iac_core::fault::{Code, Fault, did_you_mean};
use iac_core::permission::{Level, Rule, Ruling, is_everywhere};
use serde_json::json;

use super::{Failure, LevelName, change, in_words};
use crate::cli::ask::agree;
use crate::cli::options::{Common, Mac};
use crate::cli::{paint, plugin};

#[derive(Debug, Args)]
pub(super) struct RuleArguments {
    /// A bundle id, such as com.apple.mail; `*` for any app.
    app: String,
    /// The name or code of a command.
    #[arg(long, conflicts_with = "property")]
    command: Option<String>,
    /// A property.
    #[arg(long)]
    property: Option<String>,
    /// Only at this level; by default at every level.
    #[arg(long, value_enum, ignore_case = true)]
    level: Option<LevelName>,
    /// Only for calls of this plugin.
    #[arg(long)]
    plugin: Option<String>,
    /// The reason to show in refusals and questions.
    #[arg(long)]
    reason: Option<String>,
    /// Writes the rule without asking, even if it matches nothing or allows something in every app.
    #[arg(long)]
    yes: bool,
}

impl RuleArguments {
    pub(super) fn add(
        self,
        decision: Ruling,
        launch: bool,
        common: &Common,
        mac: Mac,
    ) -> Result<(), Failure> {
        let state = mac.open_state(common)?;
        let Self { app, command, property, level, plugin, reason, yes } = self;
        let level = level.map(Level::from);
        let rule = Rule {
            app: Some(app.trim().to_owned()),
            command,
            property,
            level,
            plugin,
            decision,
            reason,
            launch,
            line: 0,
        };
        if let Some(doubt) = doubt(&rule, common, mac)? {
            agree(yes, &format!("{doubt}\nwrite the rule anyway?"))?;
        }
        let order = format!("policy {} {}", decision.as_str(), in_words(&rule));
        let is_new = change(&state, &order, || state.add_rule(&rule))?;
        let (decision, rule) = (decision.as_str(), in_words(&rule));
        let body = json!({ "decision": decision, "rule": rule, "new": is_new });
        let there = if is_new { "" } else { " (already there)" };
        Ok(paint::done(&format!("{decision}: {rule}{there}"), &body, common.json)?)
    }
}

/// Returns a warning about a rule, if there is one.
fn doubt(rule: &Rule, common: &Common, mac: Mac) -> Result<Option<String>, Failure> {
    let app = rule.app.as_deref().unwrap_or("*");
    if app.is_empty() {
        return Err(Failure::Misuse("no app named\nadd a bundle id, or `*` for any app".to_owned()));
    }
    if app.strip_suffix('*').unwrap_or(app).contains('*') {
        return Ok(Some(format!("only a final `*` is a pattern, so `{app}` matches nothing")));
    }
    if let Some(id) = rule.plugin.as_deref()
        && let Err(failure) = plugin::script_terms(common, id)
    {
        return Ok(Some(format!("the rule matches nothing now: {failure}")));
    }
    if app.ends_with('*') {
        let allowed = format!("this allows {} without asking", in_words(rule));
        return Ok((rule.decision == Ruling::Allow).then_some(allowed));
    }
    match known(app, common, mac) {
        Some(Ok((found, definition))) => {
            by_id(rule, app, &found)?;
            let of_plugin = unknown_script(rule, common);
            Ok(of_plugin.unwrap_or_else(|| unknown_term(rule, &found, &definition.dictionary)))
        }
        Some(Err(fault)) if fault.code == Code::UnknownApp => {
            Ok(Some(format!("the rule matches nothing now: {}", fault.message)))
        }
        Some(Err(_)) | None => Ok(None),
    }
}

/// Returns the app with its dictionary; `None` if there is no Mac.
pub(in crate::cli) fn known(
    app: &str,
    common: &Common,
    mac: Mac,
) -> Option<Result<(App, Definition), Fault>> {
    let pipeline = mac.pipeline(common, &[]).ok()?;
    Some(pipeline.prepare().and_then(|()| pipeline.catalog().definition(app)))
}

/// Requires the bundle id in a rule that allows something, because a bundle can claim any name.
fn by_id(rule: &Rule, app: &str, found: &App) -> Result<(), Failure> {
    let id = &*found.bundle_id;
    if rule.decision != Ruling::Allow || app.eq_ignore_ascii_case(id) {
        return Ok(());
    }
    Err(Failure::Misuse(format!(
        "`{app}` is the name of an app, but a rule that allows something needs its bundle id\nwrite {id}"
    )))
}

/// Returns the warning about a rule for a plugin's script, which no dictionary lists; `None` if the rule is about
/// something else.
fn unknown_script(rule: &Rule, common: &Common) -> Option<Option<String>> {
    let (plugin, command) = (rule.plugin.as_deref()?, rule.command.as_deref()?);
    if !command.starts_with("script ") {
        return None;
    }
    let known = plugin::script_terms(common, plugin).ok()?;
    if known.iter().any(|term| names::key(term) == names::key(command)) {
        return Some(None);
    }
    let near = did_you_mean(&names::near(command, known.iter().map(String::as_str), 3));
    Some(Some(format!("the plugin `{plugin}` has no `{command}`, so the rule matches nothing{near}")))
}

fn unknown_term(rule: &Rule, app: &App, dictionary: &Dictionary) -> Option<String> {
    let commands = &dictionary.commands;
    let properties = || dictionary.classes.values().flat_map(|class| &class.properties);
    let (kind, wanted, near) = match (&rule.command, &rule.property) {
        (Some(command), _) => {
            let has_code = commands.iter().any(|each| each.code == *command);
            let is_known =
                has_code || is_everywhere(command) || !dictionary.commands_named(command).is_empty();
            let near = || names::near(command, commands.iter().map(|each| each.name.as_str()), 3);
            ("command", command, (!is_known).then(near)?)
        }
        (None, Some(property)) => {
            let key = names::key(property);
            let is_known = properties().any(|each| names::key(&each.name) == key);
            let near = || names::near(property, properties().map(|each| each.name.as_str()), 3);
            ("property", property, (!is_known).then(near)?)
        }
        (None, None) => return None,
    };
    let near = did_you_mean(&near);
    Some(format!("{} has no {kind} `{wanted}`, so the rule matches nothing{near}", app.name))
}
