//! Creates, shows and resets simulated worlds.

mod generate;

use crate::additions::Additions;
use crate::conditions::Conditions;
use crate::engine::eventkit;
use crate::world::{Settings, World, WorldError, content, failed, settings};
use serde::Serialize;
use std::path::{Path, PathBuf};

pub use generate::Amounts;

/// An app of a world and its contents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AppSummary {
    /// The name under its icon.
    pub name: String,
    pub bundle_id: String,
    /// Whether it is running.
    pub running: bool,
    /// How many objects it has, including those that are values of properties, without deleted ones.
    pub objects: usize,
}

/// Creates a world in a directory, with the bundles and data of another. Changes by scripts stay in the new one.
///
/// If the base is inside the directory, it is stored as a relative path, so both can be moved together.
///
/// # Errors
/// The directory cannot be written or is already a world, or `base` has no `mac.json`.
pub fn create(folder: &Path, base: &Path) -> Result<(), WorldError> {
    settle(folder, &free(folder, base)?)
}

/// Returns the real path of the base. Checks that the directory is not a world yet.
fn free(folder: &Path, base: &Path) -> Result<PathBuf, WorldError> {
    let base = base.canonicalize().map_err(|error| failed(base, error))?;
    if !base.join("mac.json").is_file() {
        return Err(content(&base, "no `mac.json`; expected the directory of a simulated Mac"));
    }
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    if folder.join("world.json").exists() || folder.join("mac.json").exists() {
        return Err(content(folder, "it is a world already; reset it, or choose another directory"));
    }
    Ok(base)
}

/// Writes the files that make the directory a world.
fn settle(folder: &Path, base: &Path) -> Result<(), WorldError> {
    let whole = folder.canonicalize().map_err(|error| failed(folder, error))?;
    let base = base.strip_prefix(whole).unwrap_or(base).to_owned();
    let path = folder.join("world.json");
    let settings = Settings { base: Some(base), clock: None };
    let text = serde_json::to_vec_pretty(&settings).map_err(|error| content(&path, error))?;
    crate::world::journal::replace(&path.with_extension("next"), &path, &text)
        .map_err(|error| failed(&path, error))
}

/// Creates a world with the requested number of objects. The directory is complete or does not exist.
///
/// # Errors
/// As for [`create`]; also if the base data has nothing to repeat, or for more than [`Amounts::MOST`] of a kind.
pub fn generate(folder: &Path, base: &Path, amounts: &Amounts) -> Result<(), WorldError> {
    let base = free(folder, base)?;
    generate::generate(folder, &base, amounts)?;
    settle(folder, &base)
}

/// Resets a world to its base data.
///
/// # Errors
/// The directory is not a world, or its state cannot be removed.
pub fn reset(folder: &Path) -> Result<(), WorldError> {
    World::open(folder)?.reset()
}

/// Returns the directory with a world's bundles: the world itself, or its base.
///
/// # Errors
/// `world.json` cannot be read.
pub fn base(folder: &Path) -> Result<PathBuf, WorldError> {
    Ok(settings(folder)?.base.map_or_else(|| folder.to_owned(), |base| folder.join(base)))
}

/// Lists every app of a world.
///
/// # Errors
/// The directory is not a world, or an app's data is malformed.
pub fn show(folder: &Path) -> Result<Vec<AppSummary>, WorldError> {
    let world = World::open(folder)?;
    Conditions::open(folder)?;
    Additions::open(folder)?;
    eventkit::check(&world)?;
    let summary = |bundle: crate::world::bundle::Bundle| {
        let model = world.model(&bundle.id)?;
        world.behaviour(&bundle.id)?;
        let objects = model.living();
        Ok(AppSummary { name: bundle.name, bundle_id: bundle.id, running: model.running, objects })
    };
    world.bundles().into_iter().map(summary).collect()
}
