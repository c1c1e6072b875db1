//! The tool `system`: information about this server.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use iac_core::Millis;
use iac_core::app::Apps;
use iac_core::call::Call;
use iac_core::fault::Fault;
use iac_core::jxa::Script;
use iac_core::reference::Stats;
use iac_core::reply::Reply;
use iac_core::series::{Index, indexes};
use iac_core::step::{Event, Outcome, RunFailure};
use iac_osascript::{AppReport, Kind, Report as Osascript};
use serde::Serialize;
use serde_json::{Map, Value as Json, json};
use tokio_util::sync::CancellationToken;

use super::{Answer, Attempt, Need, Pipeline, refused};
use crate::consent::Caller;

/// The name of the tool.
pub const TOOL: &str = "system";

/// An app that every Mac has. If it is the only app asked for, the list still gives the time of the Mac.
const ALWAYS_THERE: &str = "com.apple.finder";

/// How long the status waits for the clock of the Mac.
const SOON: Duration = Duration::from_secs(2);

const ACTIONS: [&str; 5] = ["version", "status", "diagnostics", "metrics", CONSENT];

/// The action that takes arguments: the app, or the library.
const CONSENT: &str = "consent";

#[derive(Clone, Debug, Default)]
pub struct PluginStatus {
    pub reports: Vec<PluginReport>,
    pub tools: usize,
    /// Why the installed plugins cannot be used, if so.
    pub problem: Option<String>,
    /// Why plugins get no language server, if so.
    pub problem_of_servers: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PluginReport {
    pub id: String,
    pub version: String,
    /// How many calls have ended since it was loaded.
    pub calls: u64,
    /// How many of them ended without an answer.
    pub failures: u64,
    /// Why it is quarantined, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quarantined: Option<String>,
}

impl Pipeline {
    /// Answers a call of `system`. The answer also includes the state of plugins.
    pub async fn system(
        &self,
        arguments: &Map<String, Json>,
        caller: &Caller,
        plugins: PluginStatus,
        cancel: CancellationToken,
    ) -> Answer {
        let started = Instant::now();
        let asked = action(arguments);
        if asked == Ok(CONSENT) {
            let text = |name: &str| arguments.get(name).and_then(Json::as_str).map(str::to_owned);
            let about = (text("app"), text("access"));
            return Box::pin(self.consent(about, (TOOL, arguments), caller, cancel)).await;
        }
        self.adopt();
        let attempt = self.permission.attempt(TOOL, arguments, caller);
        let body = match asked {
            Ok("version") => Ok(version()),
            Ok("diagnostics") => self.diagnostics(&plugins, &attempt, cancel).await,
            Ok("metrics") => Ok(json!({ "osascript": self.supervisor.report(), "plugins": plugins.reports })),
            Ok(_) => self.status(&plugins, &attempt, cancel).await,
            Err(fault) => Err(fault),
        };
        let outcome =
            body.map_or_else(|fault| refused(&fault), |body| Outcome { body, ..Outcome::default() });
        self.ended(outcome.into(), started)
    }

    async fn status(
        &self,
        plugins: &PluginStatus,
        attempt: &Attempt<'_>,
        cancel: CancellationToken,
    ) -> Result<Json, Fault> {
        let apps = self.apps(Need::Dictionaries(Vec::new())).await?;
        let loaded = apps.0.iter().filter(|app| app.dictionary.is_some()).count();
        let count = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
        let held = self.stats().total;
        let mut body = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "uptimeMs": u64::try_from(self.clock.started.elapsed().as_millis()).unwrap_or(u64::MAX),
            "simulated": self.world.is_some(),
            "apps": { "found": apps.0.len(), "dictionariesLoaded": loaded },
            "references": { "held": held },
            "plugins": in_short(plugins),
            "calls": {
                "answered": count(&self.counters.calls),
                "failed": count(&self.counters.errors),
                "appleEvents": count(&self.counters.events),
            },
        });
        for (field, value) in self.time_of_mac(attempt, cancel).await {
            body[field] = value;
        }
        Ok(body)
    }

    /// The date, weekday and time zone of the Mac; empty if the Mac does not answer soon, because the status must not
    /// wait.
    async fn time_of_mac(&self, attempt: &Attempt<'_>, cancel: CancellationToken) -> Map<String, Json> {
        let soon = cancel.child_token();
        let late = {
            let soon = soon.clone();
            tokio::spawn(async move {
                tokio::time::sleep(SOON).await;
                soon.cancel();
            })
        };
        let call = Call::ListApps { search: Some(ALWAYS_THERE.to_owned()) };
        let body = self.drive(call, None, attempt, soon).await.outcome.body;
        late.abort();
        let fields = ["now", "weekday", "zone"].into_iter();
        fields.filter_map(|field| Some((field.to_owned(), body.get(field)?.clone()))).collect()
    }

    async fn diagnostics(
        &self,
        plugins: &PluginStatus,
        attempt: &Attempt<'_>,
        cancel: CancellationToken,
    ) -> Result<Json, Fault> {
        let apps = self.apps(Need::Counts).await?;
        let empty: Vec<&str> = apps
            .0
            .iter()
            .filter(|app| app.counts.is_none_or(|counts| counts.commands == 0))
            .map(|app| app.name.as_str())
            .collect();
        let scripts = match self.permission.gate(attempt, self.clock.now()) {
            Ok(_) => {
                self.scripts_run(&apps, attempt, cancel).await.map_err(|why| format!("{why}; {RUNS_SCRIPTS}"))
            }
            // Then no script may run, so this says nothing about the command.
            Err(_) => Ok("not checked, because nothing runs until the policy is correct".to_owned()),
        };
        let stats = self.stats();
        let accesses = self.accesses(&apps).await;
        let mut checks = vec![
            check("apps", !apps.0.is_empty(), found(apps.0.len())),
            check("dictionaries", empty.is_empty(), said(&empty)),
            check("osascript", scripts.is_ok(), scripts.unwrap_or_else(|why| why)),
            busy(&self.supervisor.report()),
            plugins_are_well(plugins),
            language_servers_are_well(plugins),
            check("references", true, format!("{} held, {} evicted", stats.total, stats.counters.evicted)),
        ];
        checks.extend(accesses);
        let healthy = checks.iter().all(|check| check["ok"] == true);
        Ok(json!({ "healthy": healthy, "checks": checks, "settings": self.said }))
    }

    /// The state of macOS's consent for each library besides the apps, such as EventKit. Without access everything
    /// works, but more slowly.
    async fn accesses(&self, apps: &Apps) -> Vec<Json> {
        let mut found = Vec::new();
        for (_, index) in indexes().filter(|(id, _)| apps.0.iter().any(|app| *app.bundle_id == **id)) {
            let status =
                self.access(index, None).await.map_or_else(|why| why, |status| index.standing(status));
            found.push(check(&index.subject, true, status));
        }
        found
    }

    /// Asks macOS about access to a library. If `wait` is given, macOS asks the user.
    ///
    /// # Errors
    /// The script did not run.
    pub async fn access(&self, index: &Index, wait: Option<Millis>) -> Result<Option<i64>, String> {
        // A simulated Mac is unpacked only when the server looks for its apps.
        self.find_apps().await;
        let script = Script::access(index, wait);
        match self.supervisor.run("", Kind::Read, &script, CancellationToken::new()).await {
            Event::Replied(text) => {
                let reply = Reply::parse(&text).map_err(|error| error.to_string())?;
                let answer = reply.result.map_err(|error| error.message)?;
                Ok(answer["status"].as_i64())
            }
            Event::Failed(failure) => Err(failure.to_string()),
            Event::Answered(_) | Event::Loaded => Ok(None),
        }
    }

    /// Checks whether scripts work. The script asks which apps are running or, if there are no apps, asks nothing.
    async fn scripts_run(
        &self,
        apps: &Apps,
        attempt: &Attempt<'_>,
        cancel: CancellationToken,
    ) -> Result<String, String> {
        if apps.0.is_empty() {
            return match self.supervisor.run("", Kind::Read, &Script::probe(""), cancel).await {
                Event::Failed(RunFailure::Unstarted(why) | RunFailure::Process(why)) => Err(why),
                Event::Failed(failure) => Err(failure.to_string()),
                _ => Ok("answers, although there is no app".to_owned()),
            };
        }
        let outcome = self.drive(Call::ListApps { search: None }, None, attempt, cancel).await.outcome;
        let message = || outcome.body.get("message").and_then(Json::as_str).unwrap_or_default().to_owned();
        if outcome.is_error { Err(message()) } else { Ok("answers".to_owned()) }
    }

    fn stats(&self) -> Stats {
        self.memory().references.stats(self.clock.now())
    }
}

/// The suggestion if no script runs.
const RUNS_SCRIPTS: &str = "expected what `osascript -l JavaScript -e 7` prints on a Mac: name the command with --osascript or IAC_MCP_OSASCRIPT, or leave both out for this Mac's own";

fn found(apps: usize) -> String {
    let what = format!("{apps} scriptable apps found");
    let how = "name a folder with apps with --root, or try the simulated Mac with --simulated";
    if apps == 0 { format!("{what}: {how}") } else { what }
}

/// The requested action; `status` is the default.
fn action(arguments: &Map<String, Json>) -> Result<&'static str, Fault> {
    let wrong = |message: String, name: &str| {
        let suggestion =
            format!("its arguments are action: {}; and for {CONSENT} app or access", ACTIONS.join(", "));
        Fault::parameter(name, message, suggestion)
    };
    let is_consent = arguments.get("action").is_some_and(|action| action == CONSENT);
    let known =
        |name: &&String| *name == "action" || (matches!(name.as_str(), "app" | "access") && is_consent);
    if let Some(unknown) = arguments.keys().find(|name| !known(name)) {
        return Err(wrong(format!("{TOOL} has no argument `{unknown}`"), unknown));
    }
    if let Some(app) = arguments.get("app").filter(|app| !app.is_string() && !app.is_null()) {
        return Err(wrong(format!("`app`: expected the name or bundle id of an app, got {app}"), "app"));
    }
    if let Some(access) = arguments.get("access").filter(|access| !access.is_string() && !access.is_null()) {
        return Err(wrong(format!("`access`: expected calendars or reminders, got {access}"), "access"));
    }
    match arguments.get("action").filter(|action| !action.is_null()) {
        None => Ok("status"),
        Some(given) => {
            let known = ACTIONS.into_iter().find(|action| given.as_str() == Some(action));
            known.ok_or_else(|| {
                wrong(format!("`action`: expected one of {}, got {given}", ACTIONS.join(", ")), "action")
            })
        }
    }
}

fn version() -> Json {
    json!({ "name": "iac-mcp", "version": env!("CARGO_PKG_VERSION"), "system": std::env::consts::OS })
}

fn check(name: &str, ok: bool, detail: String) -> Json {
    json!({ "name": name, "ok": ok, "detail": detail })
}

/// Lists the apps that have not answered an earlier call.
fn busy(report: &Osascript) -> Json {
    let silent = |app: &AppReport| matches!(app.state, "busy" | "suspect");
    let apps: Vec<String> = report
        .apps
        .iter()
        .filter(|(_, app)| silent(app))
        .map(|(id, app)| format!("{id}: {}", app.because.as_deref().unwrap_or(app.state)))
        .collect();
    let detail =
        if apps.is_empty() { "no app is busy with an earlier call".to_owned() } else { apps.join("; ") };
    check("busy", apps.is_empty(), detail)
}

fn in_short(plugins: &PluginStatus) -> Json {
    let named = |report: &PluginReport| format!("{} {}", report.id, report.version);
    let installed: Vec<String> = plugins.reports.iter().map(named).collect();
    let mut short = json!({ "installed": installed, "tools": plugins.tools });
    if let Some(problem) = &plugins.problem {
        short["problem"] = problem.as_str().into();
    }
    short
}

/// Lists the plugins that cannot be used or are quarantined.
fn plugins_are_well(plugins: &PluginStatus) -> Json {
    if let Some(problem) = &plugins.problem {
        return check("plugins", false, format!("unavailable: {problem}"));
    }
    let why = |plugin: &PluginReport| Some(format!("{}: {}", plugin.id, plugin.quarantined.as_deref()?));
    let left: Vec<String> = plugins.reports.iter().filter_map(why).collect();
    let detail = match &left[..] {
        [] => format!("{} installed, none is quarantined", plugins.reports.len()),
        left => format!("quarantined: {}", left.join("; ")),
    };
    check("plugins", left.is_empty(), detail)
}

fn language_servers_are_well(plugins: &PluginStatus) -> Json {
    let problem = plugins.problem_of_servers.clone();
    let well = "what was chosen can be read".to_owned();
    check("language servers", problem.is_none(), problem.unwrap_or(well))
}

fn said(empty: &[&str]) -> String {
    match empty {
        [] => "every app offers commands".to_owned(),
        names => format!("no commands in {}", names.join(", ")),
    }
}
