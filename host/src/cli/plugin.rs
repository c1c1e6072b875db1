//! `plugin`: made by authors, installed and granted by operators. No tool can do any of this.

mod author;
mod bench;
mod golden;
mod macs;
mod operator;
mod shipped;
mod subject;
mod test;

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Subcommand;
use indicatif::{ProgressBar, ProgressStyle};

use super::Failure;
use super::options::Common;
use crate::plugins::engine::capability::{Capability, Grants, Level};
use crate::plugins::engine::engine::Engine;
use crate::plugins::engine::installed::{InstallError, Installed};
use crate::plugins::engine::package::{Package, PackageError};
use crate::plugins::engine::script::Script;
use crate::plugins::{Engine as Choice, FOLDER};

/// Makes, installs and grants plugins.
#[derive(Debug, Subcommand)]
pub(super) enum Plugin {
    /// Makes a folder with a plugin that builds.
    New(author::New),
    /// Builds the plugin of a folder with cargo, and packs it.
    Build(author::Build),
    /// Makes a package of what a compiler wrote.
    Pack(author::Pack),
    /// Shows what a package is, what it can reach, and what is wrong with it.
    Check(author::Check),
    /// Makes the calls of a plugin's `calls` folder on a fresh simulated Mac, and compares the answers.
    Test(test::Test),
    /// Measures what a plugin costs: loading it, a call itself, and the whole call on a simulated Mac.
    Bench(bench::Bench),
    /// Installs a package, after showing what it wants.
    Add(operator::Add),
    /// Puts another version in place; one that wants more is held until that is given.
    Update(operator::Update),
    /// Gives a plugin something it may reach.
    Grant(operator::Grant),
    /// Takes back something that a plugin was granted.
    Revoke(operator::Reach),
    /// Sets something for a plugin, or takes it back.
    Set(operator::Set),
    /// Sets bounds of a plugin's calls in place of the standard ones.
    Limit(operator::Limit),
    /// Compiles something and runs it, as a trial for another process of this program.
    #[command(hide = true)]
    Probe,
    /// Lists what is installed.
    List,
    /// Lets a quarantined plugin be called again.
    Release {
        /// Which plugin.
        id: String,
    },
    /// Removes a plugin and what it has kept.
    Remove {
        /// Which plugin.
        id: String,
    },
}

impl Plugin {
    pub(super) fn run(self, common: &Common, roots: Vec<PathBuf>) -> Result<(), Failure> {
        match self {
            Self::New(new) => new.run(),
            Self::Build(build) => build.run(common),
            Self::Pack(pack) => pack.run(common),
            Self::Check(check) => check.run(common),
            Self::Test(test) => test.run(common, roots),
            Self::Bench(bench) => bench.run(common, roots),
            Self::Probe => probe(),
            Self::Add(add) => add.run(common, roots),
            Self::Update(update) => update.run(common),
            Self::Grant(grant) => grant.give(common),
            Self::Revoke(grant) => grant.take(common),
            Self::Set(set) => set.run(common),
            Self::Limit(limit) => limit.run(common),
            Self::List => operator::list(common),
            Self::Release { id } => operator::release(common, &id),
            Self::Remove { id } => operator::remove(common, &id),
        }
    }
}

impl From<InstallError> for Failure {
    fn from(error: InstallError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<PackageError> for Failure {
    fn from(error: PackageError) -> Self {
        Self::Failed(error.to_string())
    }
}

pub(super) use operator::script_terms;

/// Opens what is installed.
fn installed(common: &Common) -> Result<Installed, Failure> {
    let state = common.state().ok_or_else(|| {
        Failure::Misuse("there is no folder for state; name one with --state DIR".to_owned())
    })?;
    let folder = state.join(FOLDER);
    Installed::open(&folder).map_err(|error| Failure::Failed(format!("{}: {error}", folder.display())))
}

fn engine(choice: Choice) -> Result<Arc<Engine>, Failure> {
    choice.start().map_err(|error| Failure::Failed(error.to_string()))
}

fn probe() -> Result<(), Failure> {
    let tried = Choice::Native.start().and_then(|engine| engine.try_out());
    tried.map_err(|error| Failure::Failed(error.to_string()))
}

/// Nothing that an author or an operator names here is larger.
const LARGEST: u64 = 64 * 1024 * 1024;

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let unread = |error: &dyn std::fmt::Display| {
        Failure::Failed(format!("{} cannot be read: {error}", path.display()))
    };
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(|error| unread(&error))?;
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| unread(&error))?;
    match bytes.len() as u64 <= LARGEST {
        true => Ok(bytes),
        false => Err(unread(&"it has more than 64 MiB")),
    }
}

/// Runs something that takes a while, and shows on a terminal that it does.
fn working<T>(what: &'static str, work: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let bar = ProgressBar::new_spinner().with_message(what);
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(100));
    let done = runtime.block_on(work);
    bar.finish_and_clear();
    Ok(done)
}

/// Shows what a plugin wants, with its reasons marked as its own words.
fn wants(package: &Package, folders: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    for want in &package.manifest.wants {
        let apps = want.apps.iter().cloned().collect::<Vec<_>>().join(", ");
        let level = want.level.map(|level| format!(" up to {}", level.name())).unwrap_or_default();
        let of_folders = matches!(want.capability, Capability::Files | Capability::LanguageServers);
        let target = if of_folders { folders.join(", ") } else { apps };
        let explained = want.capability.explain();
        lines.push(format!("{}: {explained}", format!("{} {target}", want.capability).trim_end()) + &level);
        lines.push(format!("    in its words: \"{}\"", want.reason));
    }
    for script in &package.scripts {
        let Script { name, level, reason, text, .. } = script;
        let (level, pin, length) = (level.name(), script.pin(), text.chars().count());
        lines.push(format!("script {name}, {level}, {length} characters, {pin:.12}"));
        lines.push(format!("    in its words: \"{reason}\""));
        lines.extend(acts(script));
    }
    lines
}

/// What a script can do, as it declares it: a line for each level.
fn acts(script: &Script) -> Vec<String> {
    let of = |level: Level| {
        let names: Vec<&str> =
            script.acts.iter().filter(|(_, of)| **of == level).map(|(name, _)| name.as_str()).collect();
        (!names.is_empty()).then(|| format!("    {}: {}", level.name(), names.join(", ")))
    };
    [Level::Safe, Level::Modify, Level::Dangerous].into_iter().filter_map(of).collect()
}

/// What is lacking, for an error.
fn lacking(grants: &Grants) -> String {
    grants.lines().join(", ")
}
