//! `policy explain`: shows the decision about a call, where it comes from, and the policy line that would change it.

use std::io::Write as _;

use clap::Args;
use std::sync::Arc;

use iac_core::action::Terms;
use iac_core::call::Tool;
use iac_core::dictionary::names;
use iac_core::fault::did_you_mean;
use iac_core::permission::{
    CommandScope, Gate, Level, Ruling, Scope, Source, classify_command, classify_write, forecast,
};
use iac_core::step::Unresolved;
use serde_json::{Map, Value as Json, json};

use super::super::options::{Common, Mac};
use super::super::{Failure, paint, plugin};
use super::now;
use crate::consent::Caller;
use crate::pipeline::{Explained, Pipeline, SYSTEM};
use crate::plugins::engine::capability::{Grants, Level as GrantLevel};
use crate::plugins::engine::http::Method;
use crate::plugins::engine::script::Script;

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
    /// As a call of this plugin, with its grants.
    #[arg(long, value_name = "ID")]
    plugin: Option<String>,
}

/// One command or property, for any object.
struct Term {
    scope: Scope,
    app_name: String,
    is_shell: bool,
    reason: String,
}

/// What a plugin lacks: in words, and as the arguments of `plugin grant`.
type Lacks = (String, String);

/// The explanation.
struct Told {
    decision: &'static str,
    level: Level,
    reason: String,
    why: String,
    advice: Option<Advice>,
    /// What the decision does not take into account.
    note: Option<String>,
}

/// How it could be allowed.
enum Advice {
    /// A line of the policy.
    Line(String),
    /// Anything else.
    Words(String),
}

impl Explain {
    pub(super) fn run(self, common: &Common, mac: Mac) -> Result<(), Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let told = runtime.block_on(async {
            let pipeline = mac.pipeline(common, &[])?;
            pipeline.prepare()?;
            let told = match (&self.command, &self.property) {
                (None, None) => self.call(&pipeline, common).await,
                _ => self.term(&pipeline, common),
            };
            pipeline.shutdown().await;
            told
        })?;
        told.print(common)
    }

    async fn call(&self, pipeline: &Pipeline, common: &Common) -> Result<Told, Failure> {
        if let Some((id, _)) = plugin::owner(common, &self.what) {
            let what = format!(
                "`{}` is a tool of the plugin `{id}`: the policy judges its calls to apps, one by one",
                self.what
            );
            let how = format!(
                "explain one with `policy explain APP --command NAME --plugin {id}`; `plugin show {id}` lists what it may reach"
            );
            return Err(Failure::Misuse(format!("{what}\n{how}")));
        }
        let arguments: Map<String, Json> = serde_json::from_str(&self.arguments)
            .map_err(|error| Failure::Misuse(format!("the arguments are not a JSON object: {error}")))?;
        let unknown = || {
            Failure::Misuse(match self.what == SYSTEM {
                true => "the policy does not judge `system`: it reads only the server's state\nfor an action in an app, use `policy explain APP --command NAME`".to_owned(),
                false => format!(
                    "there is no tool `{}`{}\nto explain an app, add --command or --property",
                    self.what,
                    did_you_mean(&names::near(&self.what, Tool::names(), 3))
                ),
            })
        };
        let tool = Tool::named(&self.what).ok_or_else(unknown)?;
        let caller = match &self.plugin {
            Some(id) => caller(pipeline, common, id, &arguments).await?,
            None => Caller::alone("iac-mcp"),
        };
        match pipeline.explain(tool, &arguments, &caller).await {
            Explained::Fault(fault) => Err((*fault).into()),
            Explained::Done(outcome) => match outcome.refused {
                None => Err(ended(&outcome.body)),
                Some(refused) => Ok(Told {
                    advice: Advice::of(&outcome.body),
                    ..Told::new(
                        Ruling::Deny,
                        refused.harm.level,
                        refused.harm.reason.clone().into(),
                        &refused.source,
                    )
                }),
            },
            Explained::Asked(question) => {
                let why = question.why().trim_start_matches("asked ").trim_start_matches("because ");
                let why = why.trim_start_matches("by ").to_owned();
                let (level, reason) = (question.level(), String::new());
                let advice = question.scopes().first().map(Advice::line);
                Ok(Told { decision: "ask", level, reason, why, advice, note: None })
            }
            Explained::Unresolved(judged, why) => {
                let Unresolved { ruling, source, harm, scope } = *judged;
                let advice = Advice::for_ruling(ruling, &source, &scope);
                let note = format!(
                    "the server could not look up the objects ({why}). This decision covers the command or property only. Many objects, or some classes, may need more"
                );
                let told = Told::new(ruling, harm.level, harm.reason.into(), &source);
                Ok(Told { advice, note: Some(note), ..told })
            }
            Explained::Decided(decided) => Ok(match &decided.source {
                Source::Preview { of } => {
                    let level = decided.scopes.iter().map(|scope| scope.level).max().unwrap_or(Level::Modify);
                    let advice = decided.scopes.first().map(Advice::line);
                    Told { advice, ..Told::new(Ruling::Ask, level, String::new(), of) }
                }
                source => {
                    Told::new(Ruling::Allow, decided.harm.level, decided.harm.reason.clone().into(), source)
                }
            }),
        }
    }

    /// Explains one command or property of an app, for any object.
    fn term(&self, pipeline: &Pipeline, common: &Common) -> Result<Told, Failure> {
        let gate = pipeline.state().gate(now(), None)?;
        let of_plugin = self.plugin.as_deref().map(|id| plugin::reach(common, id)).transpose()?;
        let (term, lacks) = match &of_plugin {
            Some((grants, scripts)) => {
                match self.web(grants).or_else(|| self.script(pipeline, grants, scripts)) {
                    Some(found) => found?,
                    None => {
                        let term = self.in_app(pipeline, &gate)?;
                        let lacks = lacks(grants, &term.scope);
                        (term, lacks)
                    }
                }
            }
            None => (self.in_app(pipeline, &gate)?, None),
        };
        let Term { mut scope, app_name, is_shell, reason } = term;
        scope.plugin.clone_from(&self.plugin);
        if let Some((what, grant)) = lacks {
            let id = self.plugin.as_deref().unwrap_or_default();
            let advice = Some(Advice::Words(format!("`iac-mcp plugin grant {id} {grant}` grants it")));
            let (level, why) = (scope.level, format!("the plugin `{id}` has no grant {what}"));
            return Ok(Told { decision: Ruling::Deny.as_str(), level, reason, why, advice, note: None });
        }
        let (ruling, source) = forecast(&scope, &app_name, is_shell, &gate, now());
        let advice = Advice::for_ruling(ruling, &source, &scope);
        Ok(Told { advice, ..Told::new(ruling, scope.level, reason, &source) })
    }

    /// Finds a command or property in the dictionary of an app.
    fn in_app(&self, pipeline: &Pipeline, gate: &Gate) -> Result<Term, Failure> {
        let (app, definition) = pipeline.catalog().definition(&self.what)?;
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
        let reason = classified.map_or_else(|| "reads".to_owned(), |classified| classified.reason.into());
        Ok(Term { scope, app_name: app.name.to_string(), is_shell, reason })
    }

    /// Finds a script of the plugin, which no dictionary lists; `None` if the command is not a script.
    fn script(
        &self,
        pipeline: &Pipeline,
        grants: &Grants,
        scripts: &[Script],
    ) -> Option<Result<(Term, Option<Lacks>), Failure>> {
        let command = self.command.as_deref().filter(|command| command.starts_with("script "))?;
        let all: Vec<(&Script, String, Option<&str>)> = scripts
            .iter()
            .flat_map(|script| plugin::terms(script).into_iter().map(move |(term, act)| (script, term, act)))
            .collect();
        let is_meant =
            |(_, term, _): &&(&Script, String, Option<&str>)| names::key(term) == names::key(command);
        let Some((script, term, act)) = all.iter().find(is_meant) else {
            let near = did_you_mean(&names::near(command, all.iter().map(|(_, term, _)| term.as_str()), 3));
            return Some(Err(Failure::Failed(format!("the plugin has no `{command}`{near}"))));
        };
        let (app, _) = match pipeline.catalog().definition(&self.what) {
            Ok(found) => found,
            Err(fault) => return Some(Err(fault.into())),
        };
        let level = act.and_then(|act| script.acts.get(act)).unwrap_or(&script.level);
        let command = CommandScope { name: term.clone(), code: String::new() };
        let (app_name, id) = (app.name.to_string(), app.bundle_id.to_string());
        let is_granted = grants.app_scripts.get(&script.name) == Some(&script.pin());
        let lacks = match (is_granted, script.is_for(&id)) {
            (false, _) => {
                Some((format!("for the script `{}`", script.name), format!("app-scripts {}", script.name)))
            }
            (true, false) => {
                return Some(Err(Failure::Failed(format!(
                    "the script `{}` is not for {app_name}",
                    script.name
                ))));
            }
            (true, true) => None,
        };
        let scope = Scope { app: id, command: Some(command), level: core(*level), ..Scope::default() };
        let reason = "runs a script of the plugin".to_owned();
        Some(Ok((Term { scope, app_name, is_shell: false, reason }, lacks)))
    }

    /// Finds a request to a web server; `None` if the app is not the address of one.
    fn web(&self, grants: &Grants) -> Option<Result<(Term, Option<Lacks>), Failure>> {
        let host = self.what.strip_prefix("https://")?;
        let method = self.command.as_deref().and_then(|command| command.strip_prefix("http "));
        let Some(method) = method.and_then(|name| name.to_uppercase().parse::<Method>().ok()) else {
            let what = "a web server has no other commands than `http get`, `http post` and so on";
            return Some(Err(Failure::Misuse(what.to_owned())));
        };
        let name = method.name();
        let level = if method.reads() { Level::Safe } else { Level::Dangerous };
        let command = CommandScope { name: format!("http {}", name.to_lowercase()), code: String::new() };
        let scope = Scope { app: self.what.clone(), command: Some(command), level, ..Scope::default() };
        let lacks = (!grants.may_send(host, method))
            .then(|| (format!("for {name} to `{host}`"), format!("http {host} --method {name}")));
        let reason = "sends a request to a web server".to_owned();
        Some(Ok((Term { scope, app_name: self.what.clone(), is_shell: false, reason }, lacks)))
    }
}

/// Makes the caller for a call of a plugin, which has a handle of one app.
async fn caller(
    pipeline: &Pipeline,
    common: &Common,
    id: &str,
    arguments: &Map<String, Json>,
) -> Result<Caller, Failure> {
    let (grants, _) = plugin::reach(common, id)?;
    let Some(app) = arguments.get("app").and_then(Json::as_str) else {
        let what = "a call of a plugin is for one app\nadd `app` to the arguments";
        return Err(Failure::Misuse(what.to_owned()));
    };
    let app = pipeline.bundle_id(app).await?;
    let change = grants.may_change(&app);
    if !grants.may_read(&app) {
        let what = format!("the plugin `{id}` has no grant to read `{app}`");
        return Err(Failure::Failed(format!("{what}\n`iac-mcp plugin grant {id} apps {app}` grants it")));
    }
    Ok(Caller::alone("iac-mcp").through(id, &app, change.map_or(Level::Safe, core)))
}

/// What a plugin lacks for a command or property of an app.
fn lacks(grants: &Grants, scope: &Scope) -> Option<Lacks> {
    let (app, level) = (&scope.app, scope.level);
    if level == Level::Safe {
        return (!grants.may_read(app)).then(|| (format!("to read `{app}`"), format!("apps {app}")));
    }
    let granted = grants.may_change(app).map(core);
    let is_enough = granted.is_some_and(|granted| granted >= level);
    let words = || match granted {
        Some(granted) => format!("above {} for `{app}`", granted.as_str()),
        None => format!("to change `{app}`"),
    };
    let arguments = || format!("apps-change {app} --level {}", level.as_str().to_lowercase());
    (!is_enough).then(|| (words(), arguments()))
}

fn core(level: GrantLevel) -> Level {
    match level {
        GrantLevel::Safe => Level::Safe,
        GrantLevel::Modify => Level::Modify,
        GrantLevel::Dangerous => Level::Dangerous,
    }
}

impl Advice {
    fn for_ruling(ruling: Ruling, source: &Source, scope: &Scope) -> Option<Self> {
        match (source, ruling) {
            (_, Ruling::Allow) => None,
            // No rule can allow it.
            (Source::OnlyReads, _) => Some(Self::Words("start the server without --read-only".to_owned())),
            _ => Some(Self::line(scope)),
        }
    }

    fn line(scope: &Scope) -> Self {
        Self::Line(scope.policy_line())
    }

    /// The advice of a refusal: the rule that would allow it if there is one, otherwise its suggestion.
    fn of(body: &Json) -> Option<Self> {
        let text = |field: &str| body[field].as_str().map(str::to_owned);
        text("policyLine").map(Self::Line).or_else(|| text("suggestion").map(Self::Words))
    }
}

/// The failure for a call that ends before the policy has a part in it.
fn ended(body: &Json) -> Failure {
    let message = body["message"].as_str();
    Failure::Failed(message.map_or_else(
        || "the call reads and changes nothing of an app, so the policy does not judge it".to_owned(),
        |message| format!("the call ends before anything is decided: {message}"),
    ))
}

impl Told {
    fn new(ruling: Ruling, level: Level, reason: String, source: &Source) -> Self {
        let (decision, why) = (ruling.as_str(), source.to_string());
        Self { decision, level, reason, why, advice: None, note: None }
    }

    fn print(&self, common: &Common) -> Result<(), Failure> {
        let Self { decision, level, reason, why, advice, note } = self;
        if common.json {
            let (line, suggestion) = match advice {
                Some(Advice::Line(line)) => (Some(line), None),
                Some(Advice::Words(words)) => (None, Some(words)),
                None => (None, None),
            };
            let body = json!({ "decision": decision, "level": level, "reason": reason, "by": why, "policyLine": line,
                "suggestion": suggestion, "note": note });
            return Ok(paint::answer(&body, true)?);
        }
        let mut stdout = paint::stdout();
        let (strong, faint) = (paint::STRONG, paint::FAINT);
        let since = if reason.is_empty() { String::new() } else { format!(": it {reason}") };
        writeln!(stdout, "{strong}{decision}{strong:#}  {}{since}", level.as_str())?;
        writeln!(stdout, "Reason: {why}")?;
        if let Some(note) = note {
            writeln!(stdout, "Note: {note}")?;
        }
        match advice {
            Some(Advice::Line(line)) => {
                writeln!(stdout, "{faint}a line in `rules` that would allow it:{faint:#}")?;
                writeln!(anstream::stdout(), "  {line}")?;
            }
            Some(Advice::Words(words)) => writeln!(stdout, "{words}")?,
            None => {}
        }
        Ok(())
    }
}
