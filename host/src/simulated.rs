//! The built-in simulated Mac. It is unpacked for one process and removed with it.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use iac_simulator::{WorldError, worlds};
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

/// A file or folder of the built-in Mac.
enum Item {
    File(&'static [u8]),
    Link(&'static str),
}

/// Its files and links, by path.
static MAC: &[(&str, Item)] = &include!(concat!(env!("OUT_DIR"), "/mac.rs"));

/// The file that describes a simulated Mac.
pub(crate) const NOTE: &str = "mac.json";

/// The prefix of the folders of built-in Macs; the process id follows.
const PREFIX: &str = "mac-";

/// A simulated Mac.
#[derive(Debug)]
pub struct World {
    folder: PathBuf,
    /// The folder with its app bundles: usually the same folder.
    base: PathBuf,
    /// The temporary folder, removed when this value is dropped; `None` for a Mac that is kept.
    own: Option<tempfile::TempDir>,
    unpacked: OnceLock<Result<(), String>>,
}

impl World {
    /// Opens a simulated Mac that is kept.
    ///
    /// # Errors
    /// The folder is not a simulated Mac.
    pub fn kept(folder: PathBuf) -> Result<Self, WorldError> {
        let base = worlds::base(&folder)?;
        Ok(Self { folder, base, own: None, unpacked: OnceLock::from(Ok(())) })
    }

    /// Makes a fresh copy of the built-in Mac, in a new folder below the given one. It is not unpacked yet.
    ///
    /// Also removes the folders that dead processes left behind there.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn fresh(below: &Path) -> io::Result<Self> {
        fs::create_dir_all(below)?;
        remove_abandoned(below);
        let prefix = format!("{PREFIX}{}-", std::process::id());
        let own = tempfile::Builder::new().prefix(&prefix).tempdir_in(below)?;
        let folder = own.path().to_owned();
        Ok(Self { base: folder.clone(), folder, own: Some(own), unpacked: OnceLock::new() })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the folder of its app bundles, which stands in for `/`.
    pub fn base(&self) -> &Path {
        &self.base
    }

    /// Returns its user's home folder, below its own `/`; empty if it names none.
    pub fn home(&self) -> String {
        let built_in = MAC.iter().find(|(name, _)| *name == NOTE);
        let text = match (&self.own, built_in) {
            (Some(_), Some((_, Item::File(bytes)))) => bytes.to_vec(),
            _ => fs::read(self.base.join(NOTE)).unwrap_or_default(),
        };
        let note: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
        note["home"].as_str().unwrap_or_default().to_owned()
    }

    /// Whether it is removed when this process ends.
    pub fn is_fresh(&self) -> bool {
        self.own.is_some()
    }

    /// Unpacks a fresh copy, once. This may block.
    ///
    /// # Errors
    /// A file cannot be written. The text says which.
    pub fn unpack(&self) -> Result<(), String> {
        self.unpacked.get_or_init(|| unpack(&self.folder)).clone()
    }
}

/// Writes the built-in Mac into a folder.
///
/// # Errors
/// A file cannot be written. The text says which.
pub(crate) fn unpack(folder: &Path) -> Result<(), String> {
    MAC.iter().try_for_each(|(name, item)| {
        let path = folder.join(name);
        let written = write(&path, item);
        written.map_err(|error| format!("the simulated Mac cannot be written: {}: {error}", path.display()))
    })
}

fn write(path: &Path, item: &Item) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    match item {
        Item::File(bytes) => File::create(path)?.write_all(bytes),
        Item::Link(target) => std::os::unix::fs::symlink(target, path),
    }
}

/// Removes the Macs of killed processes, which could not do so themselves. A process of another user cannot be
/// checked, so it counts as alive.
fn remove_abandoned(below: &Path) {
    for entry in fs::read_dir(below).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process =
            name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split('-').next()?.parse().ok());
        let is_gone = |pid| test_kill_process(pid) == Err(Errno::SRCH);
        let gone = process.and_then(Pid::from_raw).is_some_and(is_gone);
        if gone && let Err(error) = fs::remove_dir_all(entry.path()) {
            tracing::debug!(%error, "an abandoned simulated Mac stays");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_mac_is_whole_and_goes_with_its_owner() {
        let below = tempfile::tempdir().unwrap();
        let abandoned = below.path().join(format!("{PREFIX}{}-x", i32::MAX));
        fs::create_dir(&abandoned).unwrap();
        let alive = below.path().join(format!("{PREFIX}1-x"));
        fs::create_dir(&alive).unwrap();
        let world = World::fresh(below.path()).unwrap();
        assert!(!abandoned.exists() && alive.exists());
        world.unpack().unwrap();
        let folder = world.folder().to_owned();
        assert!(folder.join(NOTE).is_file());
        assert_eq!(world.home(), World::kept(folder.clone()).unwrap().home());
        assert!(world.home().starts_with("/Users/"));
        assert!(folder.join("Applications/Safari.app/Contents/Info.plist").is_file());
        assert!(!folder.join("make").exists());
        drop(world);
        assert!(!folder.exists());
    }
}
