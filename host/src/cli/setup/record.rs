//! Records `setup`'s writes, so that they can be undone: the old text of each file, and a hash of the new one.

use std::path::{Path, PathBuf};

use iac_state::State;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::super::Failure;
use super::super::options::Common;
use super::file;

/// The records in the state directory.
#[derive(Debug)]
pub(super) struct Records(PathBuf);

/// The record of one written file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) client: String,
    pub(super) file: PathBuf,
    /// The name of the server in it.
    pub(super) name: String,
    /// The text before the write; `None` if there was no file.
    before: Option<String>,
    /// The hash of the text after the write.
    after: String,
}

impl Records {
    /// Opens the records; `None` if there is no state directory, so nothing can be recorded.
    ///
    /// # Errors
    /// The directory cannot be created.
    pub(super) fn open(common: &Common) -> Result<Option<Self>, Failure> {
        let Some(folder) = common.state() else { return Ok(None) };
        Ok(Some(Self(State::open(std::path::absolute(folder)?)?.folder().join("setup.json"))))
    }

    /// Opens the records in an existing state directory. If there is no directory, `setup` has written nothing.
    ///
    /// # Errors
    /// The directory cannot be used.
    pub(super) fn of_before(common: &Common) -> Result<Option<Self>, Failure> {
        match common.state() {
            Some(folder) if folder.is_dir() => Self::open(common),
            _ => Ok(None),
        }
    }

    /// Returns every record, oldest first.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn all(&self) -> Result<Vec<Record>, Failure> {
        let text = file::read_behind_links(&self.0).map_err(|error| self.wrong(&error))?;
        parse(text.as_deref().unwrap_or_default()).map_err(|error| self.wrong(&error))
    }

    /// Records a write in advance, so that it can be undone even if this program ends at that moment. After two
    /// writes, the text before the first one is kept, unless the second one replaces an entry that is not ours. `old`
    /// is the record of an earlier write.
    pub(super) fn add(
        &self,
        (client, file, name): (&str, &Path, &str),
        old: Option<&Record>,
        (before, is_foreign): (Option<&str>, bool),
        after: &str,
    ) -> Result<(), Failure> {
        let (first, after) = match old {
            None => (before.map(str::to_owned), hash(after)),
            Some(old) if before.map(hash).as_ref() == Some(&old.after) => (old.before.clone(), hash(after)),
            Some(_) if is_foreign => (before.map(str::to_owned), hash(after)),
            // The client has written to the file since, so only the entry can be removed. An empty hash matches no
            // text.
            Some(old) => (old.before.clone(), String::new()),
        };
        let record = Record {
            client: client.to_owned(),
            file: file.to_owned(),
            name: name.to_owned(),
            before: first,
            after,
        };
        self.put(file, name, Some(&record))
    }

    /// Replaces the record of a file and name, or removes it.
    pub(super) fn put(&self, file: &Path, name: &str, record: Option<&Record>) -> Result<(), Failure> {
        self.change(|records| {
            records.retain(|each| each.file != file || each.name != name);
            records.extend(record.cloned());
        })
    }

    pub(super) fn forget(&self, record: &Record) -> Result<(), Failure> {
        self.change(|records| records.retain(|each| each != record))
    }

    fn change(&self, change: impl Fn(&mut Vec<Record>)) -> Result<(), Failure> {
        let edited = file::edit(&self.0, |text| {
            let mut records = parse(text)?;
            change(&mut records);
            serde_json::to_string_pretty(&records).map_err(|error| error.to_string())
        });
        edited.map(drop).map_err(|error| self.wrong(&error))
    }

    fn wrong(&self, error: &str) -> Failure {
        Failure::Failed(format!("{}: {error}", self.0.display()))
    }
}

fn parse(text: &str) -> Result<Vec<Record>, String> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// How a file is restored.
enum Way {
    /// The file no longer exists.
    Gone,
    /// `setup` created the file and it has not changed since, so it is removed.
    Remove,
    /// The file has not changed since `setup` wrote it, so it gets its earlier text.
    Restore(String),
    /// The file has changed since, so only the server is removed.
    TakeOut(String),
}

/// A text without this server.
pub(super) struct Out {
    pub(super) text: String,
    /// Whether the entry that `setup` had replaced was restored.
    pub(super) is_back: bool,
}

impl Record {
    /// The text before the first write.
    pub(super) fn before(&self) -> Option<&str> {
        self.before.as_deref()
    }

    /// Describes what `undo` would do. `out` removes only the server from a text.
    ///
    /// # Errors
    /// The file cannot be read, or `out` cannot parse it.
    pub(super) fn foresee(&self, out: impl Fn(&str) -> Result<Out, String>) -> Result<&'static str, String> {
        let now = file::read_behind_links(&self.file)?;
        Ok(match self.way(now) {
            Way::Gone => "the file is gone",
            Way::Remove => "would be removed, because `setup` made it",
            Way::Restore(_) => "would be restored",
            Way::TakeOut(text) if out(&text)?.is_back => "would get the entry that was there before",
            Way::TakeOut(_) => "would lose the entry and nothing else",
        })
    }

    /// Undoes the writes, and describes how. `out` removes only the server from a text.
    ///
    /// # Errors
    /// The file cannot be changed.
    pub(super) fn undo(&self, out: impl Fn(&str) -> Result<Out, String>) -> Result<&'static str, String> {
        let now = file::read_behind_links(&self.file)?;
        let done = match self.way(now) {
            Way::Gone => return Ok("the file is gone"),
            Way::Remove => {
                return file::remove(&self.file).map(|()| "removed, because `setup` had made it");
            }
            Way::Restore(_) => "restored",
            Way::TakeOut(text) if out(&text)?.is_back => "the entry that was there before is back",
            Way::TakeOut(_) => "the entry was taken out",
        };
        // The client may write to the file right now, so the way is chosen again for the text that is replaced.
        file::edit(&self.file, |text| match self.way(Some(text.to_owned())) {
            Way::Restore(before) => Ok(before),
            _ => out(text).map(|out| out.text),
        })?;
        Ok(done)
    }

    fn way(&self, now: Option<String>) -> Way {
        let Some(now) = now else { return Way::Gone };
        match &self.before {
            _ if hash(&now) != self.after => Way::TakeOut(now),
            None => Way::Remove,
            Some(before) => Way::Restore(before.clone()),
        }
    }
}

fn hash(text: &str) -> String {
    data_encoding::HEXLOWER.encode(&Sha256::digest(text.as_bytes()))
}
