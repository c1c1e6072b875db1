//! Finds the plugin that an author means, and its golden calls.

use std::path::{Path, PathBuf};

use clap::Args;

use super::build;
use super::golden::{CALLS, Golden};
use crate::cli::Failure;
use crate::cli::options::Common;
use crate::cli::package::{add_folders, cache, engine, folder, installed, read};
use crate::plugins::engine::package::{self, Package};
use crate::plugins::trial::Trial;

#[derive(Debug, Args)]
pub(super) struct Which {
    /// The path of a package, the folder with plugin.toml (built first if it has a Cargo.toml, package.json or
    /// Makefile), or the id of an installed plugin.
    #[arg(default_value = ".", value_name = "FILE|DIR|ID")]
    what: PathBuf,
    /// The folder with the calls; by default `calls` beside the package.
    #[arg(long, value_name = "DIR")]
    calls: Option<PathBuf>,
    /// A folder to grant, for reading or for language servers; `--root` means the same here.
    #[arg(long, value_name = "DIR")]
    folder: Vec<PathBuf>,
}

/// A package that was found and read, with its calls.
pub(super) struct Subject {
    pub(super) bytes: Vec<u8>,
    pub(super) package: Package,
    pub(super) golden: Vec<Golden>,
    folders: Vec<String>,
}

impl Which {
    pub(super) fn of(what: PathBuf, folder: Vec<PathBuf>) -> Self {
        Self { what, calls: None, folder }
    }

    pub(super) fn find(&self, common: &Common, roots: &[PathBuf]) -> Result<Subject, Failure> {
        let installed = if self.what.exists() { None } else { Some(self.installed(common)?) };
        let beside = match (&installed, self.what.is_dir()) {
            (Some((_, source)), _) => source.with_file_name(CALLS),
            (None, true) => self.what.join(CALLS),
            (None, false) => self.what.with_file_name(CALLS),
        };
        // Missing golden calls are reported before anything is built.
        let golden = Golden::all(self.calls.as_ref().unwrap_or(&beside))?;
        let bytes = match installed {
            Some((bytes, _)) => bytes,
            None => read(&self.package(common)?)?,
        };
        let folders: Vec<PathBuf> = self.folder.iter().chain(roots).cloned().collect();
        Subject::of(bytes, golden, &folders)
    }

    fn package(&self, common: &Common) -> Result<PathBuf, Failure> {
        let folder = &self.what;
        match folder.is_dir() {
            false => Ok(folder.clone()),
            true if build::Tool::of(folder).is_some() => {
                build::build((common.plugin_engine, cache(common).as_ref()), folder, None)
            }
            true => Ok(folder.join(format!("{}.wasm", build::id(&folder.join("plugin.toml"))?))),
        }
    }

    /// Returns the bytes of the installed plugin with that id, and its source.
    fn installed(&self, common: &Common) -> Result<(Vec<u8>, PathBuf), Failure> {
        let installed = installed(common)?;
        let is_meant = |id: &str| Path::new(id) == self.what;
        let Some((id, receipt)) = installed.list()?.into_iter().find(|(id, _)| is_meant(id.as_str())) else {
            let what = self.what.display();
            let message = format!("there is no package, no folder and no installed plugin `{what}`");
            return Err(Failure::Failed(message + "\n`iac-mcp plugin list` shows what is installed"));
        };
        Ok((installed.bytes(&id, &receipt)?, PathBuf::from(receipt.source)))
    }
}

impl Subject {
    pub(super) fn of(bytes: Vec<u8>, golden: Vec<Golden>, folders: &[PathBuf]) -> Result<Self, Failure> {
        let folders = folders.iter().map(|path| folder(path)).collect::<Result<Vec<String>, Failure>>()?;
        let subject = Self { package: package::read(&bytes)?, bytes, golden, folders };
        // A malformed file would otherwise end the command later, and the results of earlier calls would be lost.
        subject.golden.iter().try_for_each(|golden| subject.tool(golden).map(drop))?;
        Ok(subject)
    }

    /// Links the package with all permissions that it wants.
    pub(super) fn trial(&self, common: &Common) -> Result<Trial, Failure> {
        let mut grants = self.package.grants();
        // A replayed call needs no folder on disk, but the plugin asks for the recorded folder, so that folder must
        // be granted.
        add_folders(&mut grants, &self.package, &self.folders)?;
        let (engine, cache) = (engine(common.plugin_engine)?, cache(common));
        Ok(Trial::new(&engine, &self.bytes, &self.package, grants, cache.as_ref())?)
    }

    /// Returns the package with the settings of a golden call.
    ///
    /// # Errors
    /// A setting is unknown, has another type, or is required and missing.
    pub(super) fn set(&self, trial: &Trial, golden: &Golden) -> Result<Trial, Failure> {
        let (manifest, set) = (&self.package.manifest, &golden.call.settings);
        let wrong = |what: String| Failure::Misuse(format!("{CALLS}/{}.json: {what}", golden.name));
        for (key, value) in set {
            let Some(setting) = manifest.settings.iter().find(|setting| setting.key == *key) else {
                return Err(wrong(format!("plugin.toml declares no setting `{key}`")));
            };
            if !setting.kind.holds(value) {
                return Err(wrong(format!(
                    "the setting `{key}` is {value}, expected {}",
                    setting.kind.words()
                )));
            }
        }
        match manifest.unset(set).as_slice() {
            [] => Ok(trial.with_settings(manifest.settings(set))),
            [first, ..] => Err(wrong(format!(
                "the setting `{first}` is required\nadd {{\"settings\": {{\"{first}\": …}}}} to the call"
            ))),
        }
    }

    /// Returns the tool that a golden call is for.
    pub(super) fn tool(&self, golden: &Golden) -> Result<&str, Failure> {
        let mut names = self.package.tools.iter().map(|tool| tool.name.as_str());
        let known = names.clone().collect::<Vec<_>>().join(", ");
        let found = match (&golden.call.tool, names.len()) {
            (Some(tool), _) => names.find(|name| name == tool),
            (None, 1) => names.next(),
            (None, _) => None,
        };
        let name = &golden.name;
        found.ok_or_else(|| {
            Failure::Misuse(format!("{CALLS}/{name}.json: expected `tool` to be one of {known}"))
        })
    }
}
