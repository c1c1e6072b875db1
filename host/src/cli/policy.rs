//! `policy`

mod explain;
mod rule;

use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use iac_core::Millis;
use iac_core::audit::{self, Entry};
use iac_core::permission::{Grant, Level, MANY, Policy, Profile, Rule, Ruling, Scope};
use iac_state::{State, StateError};
use serde_json::{Value as Json, json};

use rule::RuleArguments;
pub(super) use rule::known;

use super::options::{Common, Mac};
use super::{Failure, paint};

/// Shows and changes the policy: what is allowed, what needs approval, what is refused.
#[derive(Debug, Args)]
pub(super) struct PolicyCommand {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Shows the profile, the rules and the path of the file.
    Show,
    /// Checks a policy and shows its mistakes.
    Check {
        /// The file to check; the policy in use by default.
        file: Option<PathBuf>,
    },
    /// Allows an action without asking.
    Allow {
        #[command(flatten)]
        rule: RuleArguments,
        /// Also allows opening the app if it is not running.
        #[arg(long)]
        launch: bool,
    },
    /// Requires approval for an action.
    Ask(RuleArguments),
    /// Refuses an action.
    Deny(RuleArguments),
    /// Removes one rule and keeps all else in the file.
    Remove {
        /// The line of the rule, as `policy show` lists it.
        line: usize,
    },
    /// Sets the profile, which decides if no rule matches.
    Profile {
        /// The profile.
        #[arg(value_enum)]
        profile: ProfileName,
    },
    /// Switches scripts of clients on or off. A human is asked about each script.
    Scripts {
        /// Whether a client may ask to run one.
        #[arg(value_enum)]
        scripts: ScriptsName,
    },
    /// Lists the approvals for an hour or always.
    Grants,
    /// Revokes approvals.
    Revoke(Revoke),
    /// Shows what the gate would decide about a call, and why.
    Explain(explain::Explain),
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum LevelName {
    /// Reads.
    Safe,
    /// Changes.
    Modify,
    /// Sends, deletes, quits, runs code.
    Dangerous,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ProfileName {
    /// Reads are allowed, everything else is refused.
    ReadOnly,
    /// Reads are allowed, everything else needs approval.
    Standard,
    /// Everything is allowed except commands that run code.
    Trusted,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ScriptsName {
    /// No client can run a script.
    Off,
    /// A client can run a script that a human has read and allowed.
    Ask,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Revoke {
    /// The id of one grant, as `policy grants` shows it.
    id: Option<String>,
    /// All grants of this app.
    #[arg(long, value_name = "BUNDLE_ID")]
    app: Option<String>,
    /// All grants.
    #[arg(long)]
    all: bool,
}

impl From<LevelName> for Level {
    fn from(name: LevelName) -> Self {
        match name {
            LevelName::Safe => Self::Safe,
            LevelName::Modify => Self::Modify,
            LevelName::Dangerous => Self::Dangerous,
        }
    }
}

impl PolicyCommand {
    pub(super) fn run(self, common: &Common, mac: Mac) -> Result<(), Failure> {
        match self.command {
            Command::Show => show(&mac.look_at_state(common)?, common),
            Command::Check { file } => check(file, common, &mac),
            Command::Allow { rule, launch } => rule.add(Ruling::Allow, launch, common, mac),
            Command::Ask(rule) => rule.add(Ruling::Ask, false, common, mac),
            Command::Deny(rule) => rule.add(Ruling::Deny, false, common, mac),
            Command::Remove { line } => remove(line, common, &mac),
            Command::Profile { profile } => set_profile(profile, common, &mac),
            Command::Scripts { scripts } => set_scripts(scripts, common, &mac),
            Command::Grants => grants(&mac.look_at_state(common)?, common),
            Command::Revoke(revoke) => revoke.run(&mac.open_state(common)?, common),
            Command::Explain(explain) => explain.run(common, mac),
        }
    }
}

fn show(state: &State, common: &Common) -> Result<(), Failure> {
    let path = state.policy_path();
    let policy = state.gate(Millis(0), None)?.policy;
    if common.json {
        return Ok(paint::answer(&as_json(&policy, &path.display().to_string()), true)?);
    }
    let mut stdout = paint::stdout();
    let (strong, faint) = (paint::STRONG, paint::FAINT);
    let there = if path.is_file() { "" } else { " (missing: the default applies)" };
    writeln!(stdout, "{faint}{}{there}{faint:#}", path.display())?;
    writeln!(stdout, "profile {strong}{}{strong:#}", policy.profile().as_str())?;
    writeln!(stdout, "scripts {strong}{}{strong:#}", scripts_word(policy.runs_scripts()))?;
    if policy.rules().is_empty() {
        return Ok(writeln!(stdout, "no rules")?);
    }
    let mut table = paint::table(&["#Line", "Decision", "App", "What", "Level", "Plugin", "Reason"]);
    for rule in policy.rules() {
        let or_any = |text: &Option<String>| text.clone().unwrap_or_else(|| "any".to_owned());
        table.add_row([
            rule.line.to_string(),
            rule.decision.as_str().to_owned(),
            or_any(&rule.app),
            what(&rule.command, &rule.property),
            rule.level.map_or("any", Level::as_str).to_owned(),
            rule.plugin.clone().unwrap_or_default(),
            rule.reason.clone().unwrap_or_default(),
        ]);
    }
    Ok(paint::print(&table)?)
}

fn what(command: &Option<String>, property: &Option<String>) -> String {
    match (command, property) {
        (Some(command), _) => format!("command {command}"),
        (None, Some(property)) => format!("property {property}"),
        (None, None) => "anything".to_owned(),
    }
}

fn as_json(policy: &Policy, path: &str) -> Json {
    let rule = |rule: &Rule| {
        json!({
            "line": rule.line, "decision": rule.decision.as_str(), "app": rule.app, "command": rule.command,
            "property": rule.property, "level": rule.level, "plugin": rule.plugin, "reason": rule.reason,
            "launch": rule.launch,
        })
    };
    let rules: Vec<Json> = policy.rules().iter().map(rule).collect();
    json!({ "path": path, "profile": policy.profile().as_str(), "scripts": scripts_word(policy.runs_scripts()), "rules": rules })
}

fn scripts_word(on: bool) -> &'static str {
    if on { "ask" } else { "off" }
}

fn check(file: Option<PathBuf>, common: &Common, mac: &Mac) -> Result<(), Failure> {
    let (path, text) = match file {
        Some(file) => {
            (file.clone(), std::fs::read_to_string(&file).map_err(|error| unreadable(&file, &error))?)
        }
        None => {
            let state = mac.look_at_state(common)?;
            (state.policy_path(), state.policy_text()?)
        }
    };
    match Policy::parse(&text) {
        Ok(policy) => {
            let (rules, profile) = (policy.rules().len(), policy.profile().as_str());
            let said = format!("{}: correct; profile {profile}, {rules} rules", path.display());
            let body = json!({ "path": path, "profile": profile, "rules": rules });
            Ok(paint::done(&said, &body, common.json)?)
        }
        Err(error) => Err(Failure::Failed(format!(
            "{}:{}:{}: {}",
            path.display(),
            error.line,
            error.column,
            error.wrong
        ))),
    }
}

fn unreadable(path: &std::path::Path, error: &io::Error) -> Failure {
    Failure::Failed(format!("{}: {error}", path.display()))
}

fn in_words(rule: &Rule) -> String {
    let app = rule.app.as_deref().unwrap_or("*");
    let level = rule.level.map(|level| format!(", {}", level.as_str())).unwrap_or_default();
    let plugin = rule.plugin.as_ref().map(|id| format!(", for the plugin `{id}`")).unwrap_or_default();
    let launch = if rule.launch { ", and opens the app" } else { "" };
    format!("{} of {app}{level}{plugin}{launch}", what(&rule.command, &rule.property))
}

fn remove(line: usize, common: &Common, mac: &Mac) -> Result<(), Failure> {
    let state = mac.open_state(common)?;
    let policy = state.gate(Millis(0), None)?.policy;
    let mut there = policy.rules().iter().filter(|rule| rule.line == line);
    let (Some(rule), None) = (there.next(), there.next()) else {
        return Err(Failure::Failed(no_rule(line, &policy)));
    };
    let said = format!("{}: {}", rule.decision.as_str(), in_words(rule));
    if !change(&state, &format!("policy remove: {said}"), || state.remove_rule(rule))? {
        return Err(Failure::Failed(format!("the policy was changed meanwhile\n{SHOW}")));
    }
    let body = json!({ "removed": { "decision": rule.decision.as_str(), "rule": in_words(rule) } });
    Ok(paint::done(&format!("removed: {said}"), &body, common.json)?)
}

/// Where a person finds the lines of the rules.
const SHOW: &str = "`iac-mcp policy show` lists the rules with their lines";

fn no_rule(line: usize, policy: &Policy) -> String {
    let lines: Vec<String> = policy.rules().iter().map(|rule| rule.line.to_string()).collect();
    let here = policy.rules().iter().filter(|rule| rule.line == line).count();
    if here > 1 {
        return format!(
            "{here} rules begin in line {line}\nput each rule on a line of its own, or edit the file"
        );
    }
    match lines.is_empty() {
        true => format!("no rule begins in line {line}; the policy has no rules"),
        false => format!(
            "no rule begins in line {line}; the rules begin in the lines {}\n{SHOW}",
            lines.join(", ")
        ),
    }
}

fn set_profile(name: ProfileName, common: &Common, mac: &Mac) -> Result<(), Failure> {
    let profile = match name {
        ProfileName::ReadOnly => Profile::ReadOnly,
        ProfileName::Standard => Profile::Standard,
        ProfileName::Trusted => Profile::Trusted,
    };
    let state = mac.open_state(common)?;
    change(&state, &format!("policy profile {}", profile.as_str()), || state.set_profile(profile))?;
    let name = profile.as_str();
    Ok(paint::done(&format!("profile {name}"), &json!({ "profile": name }), common.json)?)
}

fn set_scripts(name: ScriptsName, common: &Common, mac: &Mac) -> Result<(), Failure> {
    let on = matches!(name, ScriptsName::Ask);
    let word = scripts_word(on);
    let state = mac.open_state(common)?;
    change(&state, &format!("policy scripts {word}"), || state.set_scripts(on))?;
    paint::done(&format!("scripts {word}"), &json!({ "scripts": word }), common.json)?;
    Ok(writeln!(paint::stderr(), "Restart your client to see the change")?)
}

fn grants(state: &State, common: &Common) -> Result<(), Failure> {
    let grants = state.grants()?;
    let now = now();
    let counting: Vec<&Grant> = grants.all().iter().filter(|grant| grant.counts(now)).collect();
    if common.json {
        return Ok(paint::answer(&json!({ "grants": counting }), true)?);
    }
    if counting.is_empty() {
        return Ok(writeln!(paint::stdout(), "No lasting approvals")?);
    }
    let mut table = paint::table(&["Id", "App", "What", "Class", "Level", "Until", "Plugin", "By"]);
    for grant in counting {
        let Scope { app, plugin, level, command, property, class, many } = &grant.scope;
        let count = if *many { format!(", more than {MANY} objects") } else { String::new() };
        let command = command.as_ref().map(|command| command.name.clone());
        table.add_row([
            grant.id.clone(),
            app.clone(),
            what(&command, property),
            class.clone().unwrap_or_default(),
            format!("{}{count}", level.as_str()),
            grant.until.map_or_else(|| "always".to_owned(), audit::time),
            plugin.clone().unwrap_or_default(),
            grant.by.clone(),
        ]);
    }
    Ok(paint::print(&table)?)
}

impl Revoke {
    fn run(self, state: &State, common: &Common) -> Result<(), Failure> {
        let Self { id, app, all } = self;
        let is_meant = |grant: &Grant| {
            all || id.as_ref().is_some_and(|id| *id == grant.id)
                || app.as_ref().is_some_and(|app| app.eq_ignore_ascii_case(&grant.scope.app))
        };
        let revoked = state.revoke(is_meant)?;
        if revoked == 0 && !all {
            return Err(Failure::Failed(
                "there is no such grant\n`iac-mcp policy grants` lists the grants".to_owned(),
            ));
        }
        // The revocation took effect above. It does not depend on the log.
        note(state, format!("policy revoke: {revoked} grants"))?;
        Ok(paint::done(&format!("revoked: {revoked}"), &json!({ "revoked": revoked }), common.json)?)
    }
}

/// Changes the policy after the change was logged. If the log cannot be written, nothing changes.
fn change<T>(
    state: &State,
    order: &str,
    change: impl FnOnce() -> Result<T, StateError>,
) -> Result<T, Failure> {
    note(state, order.to_owned())?;
    change().or_else(|error| {
        note(state, format!("{order}: it failed, and nothing was changed"))?;
        Err(error.into())
    })
}

/// Records in the audit log what the operator did.
fn note(state: &State, order: String) -> Result<(), Failure> {
    Ok(state.record(now(), &Entry::Operator { order }, true)?)
}

/// The time, in milliseconds since the Unix epoch.
pub(super) fn now() -> Millis {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
