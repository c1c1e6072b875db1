//! Worlds for their owner: makes, shows and resets them.

mod generate;

use crate::additions::Additions;
use crate::conditions::Conditions;
use crate::engine::eventkit;
use crate::world::{Settings, World, WorldError, content, failed, settings};
use serde::Serialize;
use std::path::{Path, PathBuf};

pub use generate::Amounts;

/// One app of a world and its contents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AppSummary {
    /// The name under the icon.
    pub name: String,
    pub bundle_id: String,
    /// Whether it runs now.
    pub running: bool,
    /// How many objects it holds, those that hang on properties included, deleted ones not.
    pub objects: usize,
}

/// Makes a world in a directory, with the bundles and data of another; changes by scripts stay in this one.
///
/// A base inside the directory moves with it.
///
/// # Errors
/// The directory cannot be written, is a world already, or `base` has no `mac.json`.
pub fn create(folder: &Path, base: &Path) -> Result<(), WorldError> {
    settle(folder, &free(folder, base)?)
}

/// The path of the base on the disk, for a directory that is not a world yet.
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

/// Writes what makes the directory a world.
fn settle(folder: &Path, base: &Path) -> Result<(), WorldError> {
    let whole = folder.canonicalize().map_err(|error| failed(folder, error))?;
    let base = base.strip_prefix(whole).unwrap_or(base).to_owned();
    let path = folder.join("world.json");
    let settings = Settings { base: Some(base), clock: None };
    let text = serde_json::to_vec_pretty(&settings).map_err(|error| content(&path, error))?;
    crate::world::journal::replace(&path.with_extension("next"), &path, &text)
        .map_err(|error| failed(&path, error))
}

/// Makes a world with the requested number of objects; the directory is complete, or does not exist.
///
/// # Errors
/// Those of [`create`], base data that has nothing to repeat, and more than [`Amounts::MOST`] of a kind.
pub fn generate(folder: &Path, base: &Path, amounts: &Amounts) -> Result<(), WorldError> {
    let base = free(folder, base)?;
    generate::generate(folder, &base, amounts)?;
    settle(folder, &base)
}

/// Takes a world back to its base data.
///
/// # Errors
/// The directory is not a world, or its state cannot be removed.
pub fn reset(folder: &Path) -> Result<(), WorldError> {
    World::open(folder)?.reset()
}

/// The directory with a world's bundles: the world itself, or its source.
///
/// # Errors
/// `world.json` cannot be read.
pub fn base(folder: &Path) -> Result<PathBuf, WorldError> {
    Ok(settings(folder)?.base.map_or_else(|| folder.to_owned(), |base| folder.join(base)))
}

/// Every app of a world.
///
/// # Errors
/// The directory is not a world, or an app's data is not as it should be.
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
