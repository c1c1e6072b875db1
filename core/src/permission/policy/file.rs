//! The text of a `policy.toml`: every mistake is an error with its place.

use serde::Deserialize;
use toml::Spanned;

use super::{PROFILES, Policy, RULINGS, Rule, Ruling};
use crate::dictionary::names;
use crate::foreign::place;
use crate::permission::{Level, LevelRule};

/// A policy that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {wrong}")]
pub struct PolicyError {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// The fault and the expected value.
    pub wrong: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    profile: Option<Spanned<String>>,
    after_untrusted: Option<Spanned<String>>,
    scripts: Option<Spanned<String>>,
    #[serde(default)]
    own_content: Vec<Spanned<String>>,
    #[serde(default)]
    rules: Vec<Spanned<RuleTable>>,
    #[serde(default)]
    levels: Vec<Spanned<LevelTable>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleTable {
    app: Option<Spanned<String>>,
    command: Option<Spanned<String>>,
    property: Option<Spanned<String>>,
    level: Option<Spanned<String>>,
    plugin: Option<Spanned<String>>,
    decision: Spanned<String>,
    reason: Option<String>,
    #[serde(default)]
    launch: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LevelTable {
    app: Option<Spanned<String>>,
    command: Option<Spanned<String>>,
    property: Option<Spanned<String>>,
    level: Spanned<String>,
}

/// A mistake and its position, in bytes.
struct Wrong(usize, String);

pub(super) fn parse(text: &str) -> Result<Policy, PolicyError> {
    let file: File = toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(text.len(), |span| span.start);
        at(text, Wrong(start, error.message().replace('\n', "; ")))
    })?;
    policy(text, file).map_err(|wrong| at(text, wrong))
}

fn policy(text: &str, file: File) -> Result<Policy, Wrong> {
    let profile = file.profile.map(|word| one_of(&word, &PROFILES)).transpose()?.unwrap_or_default();
    let words = [("ask", false), ("as-usual", true)];
    let ignores_taint = file.after_untrusted.map(|word| one_of(&word, &words)).transpose()?;
    let scripts = file.scripts.map(|word| one_of(&word, &[("off", false), ("ask", true)])).transpose()?;
    let rules = file.rules.into_iter().map(|table| rule(text, table)).collect::<Result<_, _>>()?;
    let own_content = file.own_content.iter().map(bundle_id).collect::<Result<_, _>>()?;
    let ignores_taint = ignores_taint.unwrap_or_default();
    let levels = file.levels.into_iter().map(level_rule).collect::<Result<_, _>>()?;
    let scripts = scripts.unwrap_or_default();
    Ok(Policy { profile, rules, levels, own_content, ignores_taint, scripts, only_reads: false })
}

fn level_rule(table: Spanned<LevelTable>) -> Result<LevelRule, Wrong> {
    let start = table.span().start;
    let table = table.into_inner();
    if table.command.is_some() == table.property.is_some() {
        return Err(Wrong(start, "`levels` needs either a command or a property in each entry".to_owned()));
    }
    Ok(LevelRule {
        app: table.app.as_ref().map(bundle_id).transpose()?,
        command: table.command.map(word).transpose()?,
        property: table.property.map(word).transpose()?,
        level: one_of(&table.level, &levels())?,
    })
}

fn rule(text: &str, table: Spanned<RuleTable>) -> Result<Rule, Wrong> {
    let start = table.span().start;
    let table = table.into_inner();
    let decision = one_of(&table.decision, &RULINGS)?;
    if let Some(app) = table.app.as_ref().filter(|_| decision == Ruling::Allow) {
        app_that_is_allowed(app)?;
    }
    if table.command.is_some() && table.property.is_some() {
        let wrong = "a rule may name a command or a property, but not both";
        return Err(Wrong(start, wrong.to_owned()));
    }
    let level = table.level.map(|word| one_of(&word, &levels())).transpose()?;
    Ok(Rule {
        app: table.app.map(word).transpose()?,
        command: table.command.map(word).transpose()?,
        property: table.property.map(word).transpose()?,
        level,
        plugin: table.plugin.map(word).transpose()?,
        decision,
        reason: table.reason,
        launch: table.launch,
        line: place(text, start).0,
    })
}

fn levels() -> [(&'static str, Level); 3] {
    [Level::Safe, Level::Modify, Level::Dangerous].map(|level| (level.as_str(), level))
}

/// Any app can have any name, so a rule that allows something must use the bundle id.
fn app_that_is_allowed(app: &Spanned<String>) -> Result<(), Wrong> {
    if app.get_ref() == "*" || app.get_ref().contains('.') {
        return Ok(());
    }
    let wrong = format!(
        "`{}` is not a bundle id: a rule that allows something needs a bundle id such as \"com.apple.mail\", or \"*\" for any app",
        app.get_ref()
    );
    Err(Wrong(app.span().start, wrong))
}

fn bundle_id(word: &Spanned<String>) -> Result<String, Wrong> {
    if word.get_ref().contains('.') {
        return Ok(word.get_ref().clone());
    }
    let wrong = format!("`{}` is not a bundle id such as \"com.apple.mail\"", word.get_ref());
    Err(Wrong(word.span().start, wrong))
}

/// An empty word would match nothing, which is never intended.
fn word(text: Spanned<String>) -> Result<String, Wrong> {
    if text.get_ref().trim().is_empty() {
        return Err(Wrong(text.span().start, "expected a name, got an empty text".to_owned()));
    }
    Ok(text.into_inner())
}

fn one_of<T: Copy>(word: &Spanned<String>, known: &[(&str, T)]) -> Result<T, Wrong> {
    let found = known.iter().find(|(name, _)| name.eq_ignore_ascii_case(word.get_ref()));
    found.map(|(_, meant)| *meant).ok_or_else(|| {
        let expected: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let near = names::near(word.get_ref(), expected.iter().copied(), 1);
        let meant = crate::fault::did_you_mean(&near);
        let wrong = format!("expected one of {}, got \"{}\"{meant}", expected.join(", "), word.get_ref());
        Wrong(word.span().start, wrong)
    })
}

fn at(text: &str, Wrong(start, wrong): Wrong) -> PolicyError {
    let (line, column) = place(text, start);
    PolicyError { line, column, wrong }
}
