//! Replaces a client's file atomically. It keeps the permissions, follows links, and writes only if the file has not
//! changed since it was read.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt};
use std::path::{Path, PathBuf};

use iac_state::{StateError, regular, shell_word};

/// The size limit. Claude Code keeps projects and their history in this file.
const MOST: u64 = 64 * regular::MOST;

/// How often an edit is retried because the client wrote to the file meanwhile.
const TRIES: usize = 20;

/// The most links to follow, as many as the system itself follows.
const LINKS: usize = 40;

/// The result of an edit.
pub(super) struct Edited {
    /// How many hard links to the file still have the old contents.
    pub(super) other_names: u64,
}

/// Changes the text of a file. The text is empty if there is no file. If the text does not change, nothing is
/// written.
///
/// # Errors
/// The file cannot be read or written or is read-only, `change` refuses, or the client keeps writing to it.
pub(super) fn edit(file: &Path, change: impl Fn(&str) -> Result<String, String>) -> Result<Edited, String> {
    edit_if(file, change, |_, _| Ok(()))
}

/// The same. Just before the write, `ready` gets the old text, if there is a file, and the new text. It is called
/// again if the client wrote meanwhile.
///
/// # Errors
/// As for [`edit`], or `ready` refuses.
pub(super) fn edit_if(
    file: &Path,
    change: impl Fn(&str) -> Result<String, String>,
    ready: impl Fn(Option<&str>, &str) -> Result<(), String>,
) -> Result<Edited, String> {
    let file = behind_links(file).map_err(|error| error.to_string())?;
    for _ in 0..TRIES {
        let before = read(&file)?;
        let after = change(before.as_deref().unwrap_or_default())?;
        let found = file.metadata().ok();
        if before.as_deref() == Some(&*after) {
            return Ok(Edited { other_names: 0 });
        }
        if found.as_ref().is_some_and(|found| found.permissions().mode() & 0o222 == 0) {
            let word = shell_word(&file.to_string_lossy());
            return Err(format!("it is read-only; `chmod u+w {word}` lets it be written"));
        }
        ready(before.as_deref(), &after)?;
        let is_same = || Ok::<_, String>(read(&file)? == before);
        if replace(&file, after.as_bytes(), found.as_ref(), is_same)? {
            return Ok(Edited { other_names: found.map_or(0, |found| found.nlink().saturating_sub(1)) });
        }
    }
    Err("another program keeps writing it; close the client, then try again".to_owned())
}

/// Reads the text of a file, after following links.
pub(super) fn read_behind_links(file: &Path) -> Result<Option<String>, String> {
    read(&behind_links(file).map_err(|error| error.to_string())?)
}

/// Removes a file that contains nothing but what this program wrote.
pub(super) fn remove(file: &Path) -> Result<(), String> {
    fs::remove_file(behind_links(file).map_err(|error| error.to_string())?).map_err(|error| error.to_string())
}

fn read(file: &Path) -> Result<Option<String>, String> {
    // The caller adds the name of the file.
    let bare = |error: StateError| {
        let said = error.to_string();
        said.strip_prefix(&format!("{}: ", file.display())).map(str::to_owned).unwrap_or(said)
    };
    regular::text(file, MOST).map_err(bare)
}

/// Returns the final target of links, even if that file does not exist yet.
fn behind_links(file: &Path) -> io::Result<PathBuf> {
    let mut file = file.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&file) {
            Ok(target) => file = file.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(file),
        }
    }
    Err(io::Error::other("it is a symbolic link that leads back to itself"))
}

/// Replaces a file. Returns false if the file was changed at the last moment.
fn replace(
    file: &Path,
    bytes: &[u8],
    found: Option<&fs::Metadata>,
    is_same: impl Fn() -> Result<bool, String>,
) -> Result<bool, String> {
    let words = |error: io::Error| error.to_string();
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(words)?;
    let mut fresh = tempfile::Builder::new().prefix(".iac-mcp-").tempfile_in(folder).map_err(words)?;
    fresh.write_all(bytes).map_err(words)?;
    if let Some(found) = found {
        fresh.as_file().set_permissions(found.permissions()).map_err(words)?;
    }
    fresh.as_file().sync_all().map_err(words)?;
    if !is_same()? {
        return Ok(false);
    }
    fresh.persist(file).map_err(|error| words(error.error))?;
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(words)?;
    Ok(true)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the tests write what a client would")]
mod tests {
    use std::cell::Cell;
    use std::os::unix::fs::symlink;

    use super::*;

    fn add(text: &str) -> Result<String, String> {
        Ok(format!("{text}+"))
    }

    #[test]
    fn links_stay_and_lead_to_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        symlink("second", at("first")).unwrap();
        symlink(at("deep/target"), at("second")).unwrap();
        for expected in ["+", "++"] {
            edit(&at("first"), add).unwrap();
            assert_eq!(fs::read_to_string(at("deep/target")).unwrap(), expected);
            assert!(at("first").is_symlink() && at("second").is_symlink());
        }
        symlink("circle", at("circle")).unwrap();
        assert!(edit(&at("circle"), add).is_err_and(|wrong| wrong.contains("back to itself")));
    }

    #[test]
    fn rights_stay_and_what_is_read_only_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a file");
        fs::write(&file, "x").unwrap();
        fs::hard_link(&file, folder.path().join("other")).unwrap();
        fs::set_permissions(&file, PermissionsExt::from_mode(0o444)).unwrap();
        let wrong = edit(&file, add).err().unwrap();
        assert!(wrong.contains("read-only") && wrong.contains("chmod u+w '"), "{wrong}");
        fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).unwrap();
        assert_eq!(edit(&file, |text| Ok(text.to_owned())).unwrap().other_names, 0, "nothing is written");
        assert_eq!(edit(&file, add).unwrap().other_names, 1);
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[test]
    fn what_a_client_writes_meanwhile_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "0").unwrap();
        let rounds = Cell::new(0);
        edit(&file, |text| {
            rounds.set(rounds.get() + 1);
            if rounds.get() <= 2 {
                fs::write(&file, rounds.get().to_string()).unwrap();
            }
            add(text)
        })
        .unwrap();
        assert_eq!((fs::read_to_string(&file).unwrap(), rounds.get()), ("2+".to_owned(), 3));
        let busy = edit(&file, |text| {
            rounds.set(rounds.get() + 1);
            fs::write(&file, rounds.get().to_string()).unwrap();
            add(text)
        });
        assert!(busy.is_err_and(|wrong| wrong.contains("keeps writing it")));
    }
}
