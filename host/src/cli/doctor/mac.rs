//! Checks the Mac: the consent of macOS, and how fast scripts run.

use std::time::{Duration, Instant};

use serde_json::{Map, Value as Json, json};
use tokio_util::sync::CancellationToken;

use super::{check, note};
use crate::consent::Caller;
use crate::pipeline::{Pipeline, PluginStatus};

/// The time above which `doctor` reports a slow Mac. A new process answers in about fifty milliseconds, over ssh in a
/// few hundred.
const SLOW: Duration = Duration::from_secs(2);

/// The most apps that are named.
const NAMED: usize = 5;

pub(super) async fn checks(pipeline: &Pipeline, caller: &Caller) -> Vec<Json> {
    // The apps are found before the measurement, so it covers only the first script, which starts a process.
    if pipeline.every_app().await.is_err() {
        return Vec::new();
    }
    let began = Instant::now();
    let body = ask(pipeline, caller).await;
    let took = began.elapsed();
    let Some(apps) = body["apps"].as_array() else { return Vec::new() };
    vec![consent(apps, &body), speed(took)]
}

async fn ask(pipeline: &Pipeline, caller: &Caller) -> Json {
    let arguments = Map::from_iter([("action".to_owned(), json!("consent"))]);
    let cancel = CancellationToken::new();
    pipeline.system(&arguments, caller, PluginStatus::default(), cancel).await.outcome.body
}

/// Reports which program macOS asks about, and which apps macOS refuses. An app that macOS has not asked about yet is
/// not a fault.
fn consent(apps: &[Json], body: &Json) -> Json {
    let named = |state: &str| -> Vec<&str> {
        apps.iter().filter(|app| app["state"] == state).filter_map(|app| app["name"].as_str()).collect()
    };
    let who = body["responsible"].as_str();
    let asks = who.map_or_else(
        || "macOS did not name the responsible program".to_owned(),
        |name| format!("macOS asks about {name}"),
    );
    let (refused, unasked, allowed) = (named("refused"), named("not asked"), named("allowed").len());
    if !refused.is_empty() {
        let who = who.unwrap_or("the app that started this program");
        let what = format!(
            "{asks}, and refuses {}: switch on in System Settings > Privacy & Security > Automation > {who}",
            some(&refused)
        );
        return check("consent", false, &what);
    }
    let unasked = match unasked.is_empty() {
        true => String::new(),
        false => format!("; not asked yet: {} (`iac-mcp consent APP`)", some(&unasked)),
    };
    let what = format!("{asks}; {allowed} running apps are allowed{unasked}");
    if who.is_none() || !unasked.is_empty() { note("consent", &what) } else { check("consent", true, &what) }
}

fn some(names: &[&str]) -> String {
    let named = names.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

fn speed(took: Duration) -> Json {
    let milliseconds = took.as_millis();
    match took < SLOW {
        true => check("speed", true, &format!("the first script takes {milliseconds} ms")),
        false => check(
            "speed",
            false,
            &format!(
                "the first script takes {milliseconds} ms, expected less than {}: look which program keeps the Mac busy; over ssh, use a connection that stays open (ControlMaster)",
                SLOW.as_millis()
            ),
        ),
    }
}
