//! What the commands for authors and operators share: packages, the permissions that they want, and the installed
//! plugins.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use iac_core::dictionary::names;
use iac_core::fault::did_you_mean;
use iac_language_servers::closed::{Closed, Fence};
use iac_state::regular;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value as Json};

use super::Failure;
use super::options::Common;
use super::paint;
use crate::closed::Files;
use crate::plugins::engine::PluginId;
use crate::plugins::engine::capability::{Capability, Grants, Level};
use crate::plugins::engine::engine::{Cache, Engine};
use crate::plugins::engine::http::in_words;
use crate::plugins::engine::installed::{InstallError, Installed, Receipt};
use crate::plugins::engine::limits::Limits;
use crate::plugins::engine::manifest::{Manifest, Setting};
use crate::plugins::engine::package::{self, Package, PackageError};
use crate::plugins::engine::registry::open_cache;
use crate::plugins::engine::script::Script;
use crate::plugins::{Engine as Choice, FOLDER};

impl From<InstallError> for Failure {
    fn from(error: InstallError) -> Self {
        let near = match &error {
            InstallError::Unknown(id, known) => {
                let near = names::near(id, known.iter().map(PluginId::as_str), 3);
                let near = did_you_mean(&near);
                if near.is_empty() { near } else { format!("{}\n", near.trim_start_matches("; ")) }
            }
            _ => String::new(),
        };
        // The advice follows on a line of its own.
        Self::Failed(error.to_string().replacen("; ", &format!("\n{near}"), 1))
    }
}

impl From<PackageError> for Failure {
    fn from(error: PackageError) -> Self {
        Self::Failed(error.to_string())
    }
}

/// Opens the installed plugins.
pub(super) fn installed(common: &Common) -> Result<Installed, Failure> {
    let state = common
        .state()
        .ok_or_else(|| Failure::Misuse("there is no state folder\nname one with --state DIR".to_owned()))?;
    let folder = state.join(FOLDER);
    Installed::open(&folder).map_err(|error| Failure::Failed(format!("{}: {error}", folder.display())))
}

/// Returns the installed plugins that declare secrets, without the packages that cannot be read. It creates nothing.
pub(super) fn with_secrets(common: &Common) -> Vec<PluginId> {
    let is_there = common.state().is_some_and(|state| state.join(FOLDER).is_dir());
    let Some(installed) = is_there.then(|| installed(common).ok()).flatten() else {
        return Vec::new();
    };
    let has_secrets = |id: &PluginId, receipt: &Receipt| {
        let bytes = installed.bytes(id, receipt).ok();
        let package = bytes.and_then(|bytes| package::read(&bytes).ok());
        package.is_some_and(|package| !package.manifest.secrets.is_empty())
    };
    let plugins = installed.list().unwrap_or_default();
    plugins.into_iter().filter(|(id, receipt)| has_secrets(id, receipt)).map(|(id, _)| id).collect()
}

/// Opens the cache of compiled code, which commands and servers share. Without it, everything is compiled again.
pub(super) fn cache(common: &Common) -> Option<Cache> {
    let installed = installed(common).ok()?;
    common.cache().and_then(|cache| open_cache(&cache.join(FOLDER), &installed))
}

pub(super) fn engine(choice: Choice) -> Result<Arc<Engine>, Failure> {
    choice.start().map_err(|error| Failure::Failed(error.to_string()))
}

/// Compiles a package into the cache, and checks that it lists the tools that it claims.
pub(super) fn verify(common: &Common, bytes: &[u8], package: &Package) -> Result<(), Failure> {
    let (engine, limits, cache) = (engine(common.plugin_engine)?, Limits::standard(), cache(common));
    let verified = package::verify(&engine, (bytes, package), &limits, cache.as_ref());
    Ok(working("compiling", verified)??)
}

/// The size limit for every file that an author or an operator names.
const LARGEST: u64 = 64 * 1024 * 1024;

pub(super) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let bytes = regular::bytes(path, LARGEST).map_err(|error| Failure::Failed(error.to_string()))?;
    bytes.ok_or_else(|| Failure::Failed(format!("there is no file {}", path.display())))
}

/// Runs slow work, and shows a spinner on a terminal.
pub(super) fn working<T>(what: &'static str, work: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(working_on(what, || runtime.block_on(work)))
}

/// The same for work that blocks this thread.
pub(super) fn working_on<T>(what: &'static str, work: impl FnOnce() -> T) -> T {
    let bar = ProgressBar::new_spinner().with_message(what);
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(100));
    let done = work();
    bar.finish_and_clear();
    done
}

/// Shows the permissions that a plugin wants. Its reasons are marked as the plugin's own words.
pub(super) fn wants(package: &Package, folders: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    for want in &package.manifest.wants {
        let apps = want.apps.iter().cloned().collect::<Vec<_>>().join(", ");
        let level = match (want.level, want.methods.is_empty()) {
            (Some(level), _) => format!(" up to {}", level.name()),
            (None, false) => format!(" by {}", in_words(&want.methods)),
            (None, true) => String::new(),
        };
        let of_folders = matches!(want.capability, Capability::Files | Capability::LanguageServers);
        let hosts = want.hosts.iter().cloned().collect::<Vec<_>>().join(", ");
        let target = if of_folders { folders.join(", ") } else { apps + &hosts };
        let explained = want.capability.explain();
        lines.push(format!("{}: {explained}", format!("{} {target}", want.capability).trim_end()) + &level);
        lines.push(format!("    reason given by the author: \"{}\"", want.reason));
    }
    for script in &package.scripts {
        let Script { name, level, reason, text, .. } = script;
        let (level, pin, length) = (level.name(), script.pin(), text.chars().count());
        lines.push(format!("script {name}, {level}, {length} characters, {pin:.12}"));
        lines.push(format!("    reason given by the author: \"{reason}\""));
        lines.extend(acts(script));
    }
    lines
}

/// Lists the declared acts of a script, with a line for each level.
fn acts(script: &Script) -> Vec<String> {
    let of = |level: Level| {
        let names: Vec<&str> =
            script.acts.iter().filter(|(_, of)| **of == level).map(|(name, _)| name.as_str()).collect();
        (!names.is_empty()).then(|| format!("    {}: {}", level.name(), names.join(", ")))
    };
    [Level::Safe, Level::Modify, Level::Dangerous].into_iter().filter_map(of).collect()
}

/// Lists the settings that a plugin declares, each with its current value.
pub(super) fn settings(manifest: &Manifest, set: &Map<String, Json>) -> Vec<String> {
    let line = |it: &Setting| {
        let now = match (set.get(&it.key), &it.default, it.required) {
            (Some(value), ..) => format!("is {value}"),
            (None, Some(default), _) => format!("is {default}, the default"),
            (None, None, true) => {
                format!("required: set it with `iac-mcp plugin set {} {} VALUE`", manifest.id, it.key)
            }
            (None, None, false) => "is not set".to_owned(),
        };
        format!("setting {} ({}): {}; {now}", it.key, it.kind.words(), it.title)
    };
    manifest.settings.iter().map(line).collect()
}

/// Lists missing grants for an error message.
pub(super) fn lacking(grants: &Grants) -> String {
    grants.lines().join(", ")
}

/// Grants folders to the capabilities that want folders.
pub(super) fn add_folders(grants: &mut Grants, package: &Package, folders: &[String]) -> Result<(), Failure> {
    let wanted = package.manifest.capabilities();
    let of_folders = [Capability::LanguageServers, Capability::Files].map(|it| wanted.contains(&it));
    let id = &package.manifest.id;
    match (of_folders, folders.is_empty()) {
        ([false, false], false) => return Err(Failure::Misuse(format!("{id} does not use folders"))),
        ([true, _], true) => {
            return Err(Failure::Misuse(format!("{id} works on folders\nname one with --root DIR")));
        }
        _ => {}
    }
    if of_folders[0] {
        grants.language_servers.extend(folders.iter().cloned());
    }
    if of_folders[1] {
        grants.files.extend(folders.iter().cloned());
    }
    Ok(())
}

/// Refuses a granted folder in a closed place, and says so if one contains a closed place.
pub(super) fn check_folders(common: &Common, grants: &Grants) -> Result<(), Failure> {
    let closed: Arc<dyn Closed> = Arc::new(Files::of(common.state().as_deref()));
    for folder in grants.files.union(&grants.language_servers) {
        let fence = Fence::new(Path::new(folder), &closed);
        if let Some(place) = fence.around() {
            let message =
                format!("{folder} is in {place}, which is closed to every call; name another folder");
            return Err(Failure::Failed(message));
        }
        if fence.is_above() {
            writeln!(
                paint::aside(common.json),
                "NOTE: some files in {folder} are closed to every call, such as the state directory of this server; the plugin does not see them"
            )?;
        }
    }
    Ok(())
}

/// Returns a folder in the form of a grant: absolute and without links, so that a grant means one place.
pub(super) fn folder(path: &Path) -> Result<String, Failure> {
    let real = std::fs::canonicalize(path);
    let real =
        real.map_err(|error| Failure::Failed(format!("{} cannot be used: {error}", path.display())))?;
    let text = real.to_str().filter(|_| real.is_dir()).map(str::to_owned);
    text.ok_or_else(|| Failure::Failed(format!("{} is not a folder with a UTF-8 name", path.display())))
}
