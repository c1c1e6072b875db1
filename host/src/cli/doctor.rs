//! `doctor`: checks the installation, and shows where each setting comes from.

mod clients;
mod mend;
mod mac;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use clap::Args;
use iac_core::dictionary::Way;
use iac_state::{State, StateError, audit, shell_word};
use rustix::fs::Access;
use serde_json::{Map, Value as Json, json};
use tokio_util::sync::CancellationToken;

use super::config::Setting;
use super::options::{Common, Mac};
use super::policy::now;
use super::{Failure, directories, package, paint};
use crate::consent::Caller;
use crate::plugins::FOLDER;
use crate::router::Router;

/// Each failed check says what to do. The exit status is 0 if nothing fails, and 1 otherwise.
#[derive(Debug, Args)]
pub(super) struct Doctor {
    /// Makes only repairs that lose no data: the permissions of files and folders, and an unusable cache.
    #[arg(long)]
    fix: bool,
}

impl Doctor {
    pub(super) fn run(self, common: &Common, mac: Mac, settings: &[Setting]) -> Result<(), Failure> {
        let mended = if self.fix { mend::all(common, &mac) } else { Vec::new() };
        run(common, mac, settings, mended)
    }
}

/// Runs all checks. It changes nothing, launches no app, and asks macOS for no consent.
fn run(common: &Common, mac: Mac, settings: &[Setting], mended: Vec<Json>) -> Result<(), Failure> {
    let mut checks = vec![check(
        "system",
        true,
        &format!("iac-mcp {} on {}", env!("CARGO_PKG_VERSION"), std::env::consts::OS),
    )];
    match mac.open_state(common) {
        Ok(state) => checks.extend(of_state(&state)),
        Err(Failure::Misuse(_)) if mac.simulated => {
            checks.push(check("state", true, "a fresh simulated Mac keeps no state"));
        }
        Err(failure) => checks.push(check("state", false, &failure.to_string())),
    }
    checks.push(cache(common));
    checks.extend(clients::all());
    checks.push(screen(&mac));
    checks.extend(mac.world.as_deref().map(of_world));
    checks.extend(of_mac(common, mac));
    checks.splice(1..1, mended);
    let healthy = checks.iter().all(|check| check["ok"] == true);
    print(common, healthy, &checks, settings)?;
    if healthy { Ok(()) } else { Err(Failure::Said) }
}

/// Checks the cache. Without it everything works, but each start takes longer.
fn cache(common: &Common) -> Json {
    let Some(folder) = common.cache() else { return check("cache", true, "switched off") };
    let word = shell_word(&folder.to_string_lossy());
    let usable = || -> std::io::Result<()> {
        match folder.metadata() {
            Ok(found) if !found.is_dir() => Err(std::io::Error::other("it is not a folder")),
            Ok(_) => Ok(rustix::fs::access(&folder, Access::WRITE_OK | Access::EXEC_OK)?),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    };
    match usable() {
        Ok(()) => check("cache", true, &folder.display().to_string()),
        Err(error) => {
            let what = format!(
                "{} cannot be used: {error}; run `iac-mcp doctor --fix`, or remove it with `rm -r {word}`",
                folder.display()
            );
            check("cache", false, &what)
        }
    }
}

fn check(name: &str, ok: bool, detail: &str) -> Json {
    json!({ "name": name, "ok": ok, "detail": detail })
}

/// Makes a check that does not fail, although there is something to know or to do.
fn note(name: &str, detail: &str) -> Json {
    json!({ "name": name, "ok": true, "note": true, "detail": detail })
}

fn of_state(state: &State) -> Vec<Json> {
    let folder = state.folder();
    let mode = folder.metadata().map(|found| found.permissions().mode() & 0o077);
    let private = match mode {
        Ok(0) => match rustix::fs::access(folder, Access::WRITE_OK | Access::EXEC_OK) {
            Ok(()) => check("state", true, &folder.display().to_string()),
            Err(error) => check("state", false, &format!("{} cannot be written: {error}", folder.display())),
        },
        Ok(mode) => {
            let (name, word) = (folder.display(), shell_word(&folder.to_string_lossy()));
            check(
                "state",
                false,
                &format!("other users can open {name} ({mode:03o}): run `chmod 700 {word}`"),
            )
        }
        Err(error) => check("state", false, &format!("{}: {error}", folder.display())),
    };
    let policy = match state.gate(now(), None) {
        Ok(gate) => {
            let (profile, rules) = (gate.policy.profile().as_str(), gate.policy.rules().len());
            let grants = gate.grants.all().len();
            check("policy", true, &format!("profile {profile}, {rules} rules, {grants} grants"))
        }
        Err(error @ StateError::Policy { .. }) => {
            let edit = format!("edit {}, then run `iac-mcp policy check`", state.policy_path().display());
            check("policy", false, &format!("{error}; {edit}"))
        }
        Err(error) => check("policy", false, &told(&error)),
    };
    let log = match audit::verify(folder) {
        Ok(findings) if findings.is_empty() => check("audit", true, "every log is unchanged"),
        Ok(findings) => {
            let what = format!("{} findings: run `iac-mcp audit verify`", findings.len());
            check("audit", false, &what)
        }
        Err(error) => check("audit", false, &error.to_string()),
    };
    let undo = match state.undos(now()) {
        Ok(undos) => {
            let count = undos.iter().filter(|undo| !undo.is_lasting()).count();
            check("undo", true, &format!("{count} writes can be undone"))
        }
        Err(error) => check("undo", false, &told(&error)),
    };
    vec![private, files(folder), policy, undo, log]
}

/// Returns the error, with the command that repairs it.
fn told(error: &StateError) -> String {
    let remedy = error.remedy().map(|remedy| format!("; {remedy}")).unwrap_or_default();
    format!("{error}{remedy}")
}

/// How many levels of folders are checked. The data of plugins is the deepest.
const DEPTH: usize = 3;

/// Checks that nobody else can write to the files of the state directory, and that each of them can be read.
fn files(folder: &Path) -> Json {
    let mut wrong = Vec::new();
    faults(folder, DEPTH, &mut wrong);
    match wrong.is_empty() {
        true => check("files", true, "only this user can change its files"),
        false => check("files", false, &wrong.join("; ")),
    }
}

fn faults(folder: &Path, depth: usize, wrong: &mut Vec<String>) {
    // Simulated Macs and the files that plugins have stored are not checked.
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let Ok(found) = path.metadata() else { continue };
        let (name, word) = (path.display(), shell_word(&path.to_string_lossy()));
        let (others, right) =
            (found.permissions().mode() & 0o022, if found.is_dir() { "700" } else { "600" });
        if others != 0 {
            wrong.push(format!("other users can change {name}: run `chmod {right} {word}`"));
        }
        if found.is_dir() && depth > 0 && !path.is_symlink() {
            faults(&path, depth - 1, wrong);
        } else if !found.is_file() && !found.is_dir() {
            wrong.push(format!("{name} is not a file: run `rm {word}`"));
        }
    }
}

/// Checks that the files of a kept simulated Mac can be read. Otherwise an app would fail only when it is called.
fn of_world(world: &Path) -> Json {
    match iac_simulator::worlds::show(world) {
        Ok(apps) => check("world", true, &format!("{}: {} apps", world.display(), apps.len())),
        Err(error) => {
            let word = shell_word(&world.to_string_lossy());
            check(
                "world",
                false,
                &format!("{error}; `iac-mcp sim reset {word}` makes the simulated Mac anew"),
            )
        }
    }
}

/// Reports whether dialogs are possible. Without a screen, changes are refused for a client that cannot ask; that is
/// not a fault.
fn screen(mac: &Mac) -> Json {
    let has_screen = directories::is_mac() && directories::has_screen();
    match (mac.simulated || mac.world.is_some(), has_screen) {
        (true, _) => {
            check("screen", true, "simulated Mac: its dialogs get an answer only if its world sets one")
        }
        (false, true) => {
            check("screen", true, "if a client cannot ask, this Mac shows the question as a dialog")
        }
        (false, false) => {
            note("screen", "no one is logged in at this screen: if a client cannot ask, the call is refused")
        }
    }
}

/// Returns the plugins whose package file is missing or was changed.
fn unusable(common: &Common) -> Vec<Json> {
    // The check must not create the folder.
    let is_there = common.state().is_some_and(|state| state.join(FOLDER).is_dir());
    let Some(installed) = is_there.then(|| package::installed(common).ok()).flatten() else {
        return Vec::new();
    };
    let plugins = installed.list().unwrap_or_default();
    let why = |(id, receipt)| Some(installed.bytes(id, receipt).err()?.to_string());
    plugins.iter().filter_map(why).map(|why| check("plugins", false, &why)).collect()
}

fn of_mac(common: &Common, mac: Mac) -> Vec<Json> {
    let asked = || -> Result<Json, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let Router { pipeline, plugins } = mac.router(common, &[])?;
            let arguments = Map::from_iter([("action".to_owned(), json!("diagnostics"))]);
            let caller = Caller::alone("iac-mcp doctor");
            let more = mac::checks(&pipeline, &caller).await;
            let answer =
                pipeline.system(&arguments, &caller, plugins.status(), CancellationToken::new()).await;
            let nobody = pipeline.tools_of_nobody().await;
            let troubles = pipeline.catalog().troubles();
            let ways = pipeline.catalog().ways();
            pipeline.shutdown().await;
            let mut body = answer.outcome.body;
            if let Some(checks) = body["checks"].as_array_mut() {
                checks.push(terms(&ways));
                checks.extend(more);
                checks.extend(unusable(common));
                checks.extend(troubles.iter().map(|(what, is_bad)| {
                    if *is_bad { check("apps", false, what) } else { note("apps", what) }
                }));
                checks.extend(
                    nobody.iter().map(|fault| check("tools", false, &format!("--tools: {}", fault.message))),
                );
            }
            Ok(body)
        })
    };
    match asked() {
        Ok(body) if body["checks"].is_array() => body["checks"].as_array().cloned().unwrap_or_default(),
        Ok(body) => vec![check("mac", false, body["message"].as_str().unwrap_or("it does not answer"))],
        Err(failure) => vec![check("mac", false, &failure.to_string())],
    }
}

/// Reports where the apps' terms come from. Apps with an `.sdef` are only counted.
fn terms(ways: &BTreeMap<Way, Vec<String>>) -> Json {
    let told = |(way, apps): (&Way, &Vec<String>)| match way {
        Way::Sdef => format!("{} apps have an .sdef", apps.len()),
        way => format!("from {}: {}", way.as_str(), apps.join(", ")),
    };
    check("terms", true, &Vec::from_iter(ways.iter().map(told)).join("; "))
}

fn print(common: &Common, healthy: bool, checks: &[Json], settings: &[Setting]) -> Result<(), Failure> {
    if common.json {
        let settings: Vec<Json> = settings.iter().map(Setting::to_json).collect();
        let body = json!({ "healthy": healthy, "checks": checks, "settings": settings });
        return Ok(paint::answer(&body, true)?);
    }
    let mut stdout = paint::stdout();
    let (good, bad, faint) = (paint::GOOD, paint::ERROR, paint::FAINT);
    for check in checks {
        let (name, detail) =
            (check["name"].as_str().unwrap_or_default(), check["detail"].as_str().unwrap_or_default());
        let detail = detail.replace('\n', "; ");
        match (check["ok"] == true, check["note"] == true) {
            (true, false) => writeln!(stdout, "{good}ok{good:#}    {name}: {detail}")?,
            (true, true) => writeln!(stdout, "{faint}note{faint:#}  {name}: {detail}")?,
            (false, _) => writeln!(stdout, "{bad}fails{bad:#} {name}: {detail}")?,
        }
    }
    for Setting { key, values, from } in settings {
        writeln!(stdout, "{faint}set{faint:#}   {key} = {} {faint}({from}){faint:#}", values.join(", "))?;
    }
    Ok(())
}
