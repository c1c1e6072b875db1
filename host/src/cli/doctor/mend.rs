//! The repairs of `doctor --fix`, which lose no data.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use super::super::options::{Common, Mac};
use super::{DEPTH, check};

/// Makes the repairs, and reports them.
pub(super) fn all(common: &Common, mac: &Mac) -> Vec<Json> {
    let mut said = Vec::new();
    if let Ok(state) = mac.look_at_state(common) {
        rights(state.folder(), 0o077, DEPTH, &mut said);
    }
    if let Some(cache) = common.cache() {
        remake(&cache, &mut said);
    }
    said.into_iter().map(|(ok, what)| check("mended", ok, &what)).collect()
}

/// Removes other users' permissions. Everything in the state directory belongs to one user.
fn rights(path: &Path, forbidden: u32, depth: usize, said: &mut Vec<(bool, String)>) {
    let Ok(found) = path.symlink_metadata() else { return };
    if found.is_symlink() || !(found.is_dir() || found.is_file()) {
        return;
    }
    let mode = found.permissions().mode();
    if mode & forbidden != 0 {
        let done = fs::set_permissions(path, Permissions::from_mode(mode & !0o077));
        said.push(told(path, "only its owner can use it now", done));
    }
    if !found.is_dir() || depth == 0 {
        return;
    }
    let mut below: Vec<PathBuf> =
        fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    below.sort();
    below.iter().for_each(|path| rights(path, 0o022, depth - 1, said));
}

/// Creates the cache folder again. A file in its place is moved aside, not removed.
fn remake(cache: &Path, said: &mut Vec<(bool, String)>) {
    let Ok(found) = cache.symlink_metadata() else { return };
    if found.is_symlink() {
        return;
    }
    if !found.is_dir() {
        let aside = aside(cache);
        let done = fs::rename(cache, &aside);
        said.push(told(cache, &format!("moved to {}", aside.display()), done));
    } else if found.permissions().mode() & 0o700 != 0o700 {
        let done = fs::set_permissions(cache, Permissions::from_mode(0o700));
        said.push(told(cache, "its owner can write it now", done));
    }
}

/// Finds an unused name beside a file, so that nothing is overwritten.
fn aside(file: &Path) -> PathBuf {
    let name = |number: usize| {
        let mut name = file.as_os_str().to_owned();
        name.push(if number == 0 { ".not-a-cache".to_owned() } else { format!(".not-a-cache-{number}") });
        PathBuf::from(name)
    };
    (0..).map(name).find(|name| name.symlink_metadata().is_err()).unwrap_or_else(|| name(0))
}

fn told(path: &Path, what: &str, done: std::io::Result<()>) -> (bool, String) {
    match done {
        Ok(()) => (true, format!("{}: {what}", path.display())),
        Err(error) => (false, format!("{}: {error}", path.display())),
    }
}
