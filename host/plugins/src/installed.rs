//! The installed plugins: files named by their hash, and one head file that says which of them are current.
//!
//! A change writes its file first and replaces the head last, in one rename. After a power failure at any moment, the
//! next start sees either the complete old head or the complete new one. The next change removes files that the head
//! does not name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt as _};
use data_encoding::HEXLOWER;
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use sha2::{Digest, Sha256};

use crate::PluginId;
use crate::capability::Grants;
use crate::descriptor::Descriptor;
use crate::limits::Overrides;
use crate::manifest::{Manifest, Prompt, ResourceFile};
use crate::package::Package;
use crate::signature::Key;

/// The plugins of one state directory.
pub struct Installed {
    directory: Dir,
    #[cfg(test)]
    power: std::cell::Cell<Option<usize>>,
}

/// The record of one installed plugin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    pub version: String,
    /// SHA-256 of the package; nothing else is ever run under this receipt.
    pub sha256: String,
    /// The description from its package.
    pub description: String,
    /// Its source, as the operator typed it.
    pub source: String,
    /// The key with which its author signed it. If an update has another key, the command asks the operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Key>,
    /// When it was installed, in milliseconds since 1970.
    pub installed: u64,
    /// The operator's grants.
    pub grants: Grants,
    /// The operator's settings for it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub settings: Map<String, Json>,
    /// The operator's limits, where they differ from the default.
    #[serde(default)]
    pub limits: Overrides,
    pub tools: Vec<Descriptor>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<Prompt>,
    /// Its resources; their texts are in the package.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<ResourceFile>,
    /// Why it is quarantined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quarantined: Option<String>,
    /// Whether the operator has switched it off.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disabled: bool,
}

impl Receipt {
    /// Makes the receipt of a package without any settings.
    pub fn of(package: &Package, source: String, grants: Grants) -> Self {
        let Manifest { version, description, prompts, resources, .. } = package.manifest.clone();
        Self {
            version,
            sha256: package.sha256.clone(),
            description,
            source,
            key: None,
            installed: 0,
            grants,
            settings: Map::new(),
            limits: Overrides::default(),
            tools: package.tools.clone(),
            prompts,
            resources,
            quarantined: None,
            disabled: false,
        }
    }
}

/// Why plugins cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error("the plugins below the state directory cannot be {0}: {1}")]
    Io(&'static str, #[source] io::Error),
    #[error(
        "installed.json cannot be read: {0}; move it away from `plugins` in the state directory, then add the plugins again with `iac-mcp plugin add`"
    )]
    Head(String),
    #[error(
        "no plugin `{0}` is installed; `iac-mcp plugin list` lists the installed ones, and `iac-mcp plugin add` installs one"
    )]
    Unknown(String, Vec<PluginId>),
    #[error("plugin `{0}` is already installed; use `iac-mcp plugin update`")]
    Exists(PluginId),
    #[error("the plugin `{owner}` already has the tool `{tool}`")]
    Tool { tool: String, owner: PluginId },
    #[error(
        "the file of plugin `{0}` was changed after its installation; install it again with `iac-mcp plugin update`"
    )]
    Changed(PluginId),
}

impl InstallError {
    /// The error for an id that no installed plugin has. It carries the ids that there are.
    pub fn unknown(id: &str, installed: &Receipts) -> Self {
        Self::Unknown(id.to_owned(), installed.keys().cloned().collect())
    }
}

/// The installed plugins, by id.
pub type Receipts = BTreeMap<PluginId, Receipt>;

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    format: u32,
    plugins: Receipts,
}

const HEAD: &str = "installed.json";
const LOCK: &str = "lock";
const SECRET: &str = "secret";
const FORMAT: u32 = 1;

/// The most bytes that are read of the head: enough for some thousand plugins.
const LARGEST_HEAD: u64 = 16 * 1024 * 1024;

impl Installed {
    /// Opens the plugins in a directory, which is created if it is missing.
    ///
    /// # Errors
    /// `Io` if that is not possible.
    pub fn open(path: &Path) -> Result<Self, InstallError> {
        let failed = |error| InstallError::Io("opened", error);
        // This may also create the state directory above it for the first time, readable by the owner only.
        DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(failed)?;
        let directory = Dir::open_ambient_dir(path, ambient_authority()).map_err(failed)?;
        Ok(Self {
            directory,
            #[cfg(test)]
            power: std::cell::Cell::new(None),
        })
    }

    /// Returns the installed plugins.
    ///
    /// # Errors
    /// `Io`, `Head`.
    pub fn list(&self) -> Result<Receipts, InstallError> {
        let text = match self.read_head() {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Receipts::new()),
            Err(error) => return Err(InstallError::Io("read", error)),
        };
        let head: Head =
            serde_json::from_str(&text).map_err(|error| InstallError::Head(error.to_string()))?;
        if head.format != FORMAT {
            return Err(InstallError::Head(format!("it has the format {}, expected {FORMAT}", head.format)));
        }
        Ok(head.plugins)
    }

    /// Returns the package of a plugin, after its hash was checked.
    ///
    /// # Errors
    /// `Io`, `Changed`.
    pub fn bytes(&self, id: &PluginId, receipt: &Receipt) -> Result<Vec<u8>, InstallError> {
        let bytes =
            self.directory.read(file(&receipt.sha256)).map_err(|error| InstallError::Io("read", error))?;
        let same = HEXLOWER.encode(&Sha256::digest(&bytes)) == receipt.sha256;
        if same { Ok(bytes) } else { Err(InstallError::Changed(id.clone())) }
    }

    /// Installs a package that is not there yet.
    ///
    /// # Errors
    /// `Io`, `Head`, `Exists`, `Tool`.
    pub fn add(&self, bytes: &[u8], package: &Package, receipt: Receipt) -> Result<(), InstallError> {
        self.change(Some((&receipt.sha256.clone(), bytes)), |plugins| {
            if plugins.contains_key(&package.manifest.id) {
                return Err(InstallError::Exists(package.manifest.id.clone()));
            }
            put(plugins, package.manifest.id.clone(), receipt)
        })
    }

    /// Replaces the installed version of a package by another one.
    ///
    /// # Errors
    /// `Io`, `Head`, `Unknown`, `Tool`.
    pub fn update(&self, bytes: &[u8], package: &Package, receipt: Receipt) -> Result<(), InstallError> {
        let id = package.manifest.id.clone();
        self.change(Some((&receipt.sha256.clone(), bytes)), |plugins| {
            plugins.remove(&id).ok_or_else(|| InstallError::unknown(id.as_str(), plugins))?;
            put(plugins, id, receipt)
        })
    }

    /// Changes the record of a plugin.
    ///
    /// # Errors
    /// `Io`, `Head`, `Unknown`.
    pub fn edit(&self, id: &str, edit: impl FnOnce(&mut Receipt)) -> Result<(), InstallError> {
        self.change(None, |plugins| {
            let Some(receipt) = plugins.get_mut(id) else { return Err(InstallError::unknown(id, plugins)) };
            edit(receipt);
            Ok(())
        })
    }

    /// Removes a plugin and its data.
    ///
    /// # Errors
    /// `Io`, `Head`, `Unknown`.
    pub fn remove(&self, id: &str) -> Result<(), InstallError> {
        self.change(None, |plugins| {
            plugins.remove(id).map(drop).ok_or_else(|| InstallError::unknown(id, plugins))
        })
    }

    /// Returns the secret that authenticates compiled code. It is created on first use.
    ///
    /// # Errors
    /// `Io`.
    pub fn secret(&self) -> Result<[u8; 32], InstallError> {
        let failed = |error| InstallError::Io("read", error);
        let _lock = self.lock().map_err(failed)?;
        let known = self.directory.read(SECRET).ok().and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
        if let Some(secret) = known {
            return Ok(secret);
        }
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(|error| failed(io::Error::other(error.to_string())))?;
        self.write(SECRET, &secret).map_err(failed)?;
        Ok(secret)
    }

    /// Returns the folder with the stored data of plugins.
    ///
    /// # Errors
    /// `Io`.
    pub fn data(&self) -> Result<Dir, InstallError> {
        let failed = |error| InstallError::Io("opened", error);
        self.directory.create_dir_all("data").map_err(failed)?;
        self.directory.open_dir("data").map_err(failed)
    }

    /// Makes one change: writes the file, replaces the head, then removes unused files. A lock serializes processes.
    fn change(
        &self,
        file: Option<(&str, &[u8])>,
        edit: impl FnOnce(&mut Receipts) -> Result<(), InstallError>,
    ) -> Result<(), InstallError> {
        let failed = |error| InstallError::Io("changed", error);
        let _lock = self.lock().map_err(failed)?;
        let mut plugins = self.list()?;
        edit(&mut plugins)?;
        if let Some((sha256, bytes)) = file {
            self.write(&self::file(sha256), bytes).map_err(failed)?;
        }
        let head = Head { format: FORMAT, plugins };
        let text = serde_json::to_vec_pretty(&head).map_err(|error| failed(error.into()))?;
        self.write(HEAD, &text).map_err(failed)?;
        self.sweep(&head.plugins).map_err(failed)
    }

    /// Reads the head. A pipe would wait for a writer and a device has no end, so the file is opened without blocking
    /// and checked before it is read.
    fn read_head(&self) -> io::Result<String> {
        use io::Read as _;

        let mut options = OpenOptions::new();
        options.read(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed());
        let file = self.directory.open_with(HEAD, &options)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() || metadata.len() > LARGEST_HEAD {
            let wrong = format!("{HEAD} is not a file of at most {LARGEST_HEAD} bytes; move it away");
            return Err(io::Error::other(wrong));
        }
        let mut text = String::new();
        file.take(LARGEST_HEAD).read_to_string(&mut text)?;
        Ok(text)
    }

    /// Writes a file atomically and syncs it to disk before anything refers to it.
    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        use io::Write as _;

        let temporary = format!("{name}.new");
        self.spend()?;
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        options.mode(0o600);
        let mut file = self.directory.open_with(&temporary, &options)?;
        file.write_all(&bytes[..bytes.len() / 2])?;
        self.spend()?;
        file.write_all(&bytes[bytes.len() / 2..])?;
        file.sync_all()?;
        self.spend()?;
        self.directory.rename(&temporary, &self.directory, name)?;
        self.directory.open(".")?.sync_all()
    }

    /// Removes files that the head does not name. If one cannot be removed, the next change tries again.
    fn sweep(&self, plugins: &Receipts) -> io::Result<()> {
        let files: BTreeSet<String> = plugins.values().map(|receipt| file(&receipt.sha256)).collect();
        for entry in self.directory.entries()?.flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let stale = name.ends_with(".new") || (name.ends_with(".wasm") && !files.contains(&name));
            if stale {
                self.spend()?;
                let _ = self.directory.remove_file(&name);
            }
        }
        let data = plugins.keys().map(|id| format!("{id}.json")).collect::<BTreeSet<_>>();
        for entry in self.directory.read_dir("data").into_iter().flatten().flatten() {
            let stale = |name: &str| name.ends_with(".json") && !data.contains(name);
            if entry.file_name().to_str().is_some_and(stale) {
                let _ = entry.remove_file();
            }
        }
        Ok(())
    }

    fn lock(&self) -> io::Result<std::fs::File> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        options.mode(0o600);
        let file = self.directory.open_with(LOCK, &options)?.into_std();
        file.lock()?;
        Ok(file)
    }

    /// Called before every effect, so that a test can simulate a power failure there.
    #[cfg(test)]
    fn spend(&self) -> io::Result<()> {
        match self.power.get() {
            Some(0) => Err(io::Error::other("the power is gone")),
            left => {
                self.power.set(left.map(|left| left - 1));
                Ok(())
            }
        }
    }

    #[cfg(not(test))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "only tests cut the power")]
    fn spend(&self) -> io::Result<()> {
        Ok(())
    }
}

fn file(sha256: &str) -> String {
    format!("{sha256}.wasm")
}

fn put(plugins: &mut Receipts, id: PluginId, receipt: Receipt) -> Result<(), InstallError> {
    for tool in &receipt.tools {
        let owner = plugins.iter().find(|(_, other)| other.tools.iter().any(|held| held.name == tool.name));
        if let Some((owner, _)) = owner {
            return Err(InstallError::Tool { tool: tool.name.clone(), owner: owner.clone() });
        }
    }
    plugins.insert(id, receipt);
    Ok(())
}

#[cfg(test)]
mod tests;
