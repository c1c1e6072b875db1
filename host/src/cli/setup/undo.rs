//! Removes the server from the files to which `setup` added it, for `setup --undo` and for `uninstall`.

use std::io::Write as _;
use std::path::PathBuf;

use serde_json::{Value as Json, json};

use super::super::options::Common;
use super::super::{Failure, paint};
use super::record::{Out, Record, Records};
use super::{back, find, without};
use crate::clients::Client;

/// A file to which `setup` added the server, and what was or would be done to it.
#[derive(Debug)]
pub(in super::super) struct Taken {
    pub(in super::super) client: String,
    pub(in super::super) file: PathBuf,
    pub(in super::super) what: Result<&'static str, String>,
}

/// Selects the records to undo: all, or those of a client, a file or a name.
#[derive(Debug, Default)]
pub(in super::super) struct Wanted<'a> {
    pub(super) client: Option<&'a Client>,
    /// An absolute path.
    pub(super) file: Option<PathBuf>,
    pub(super) name: Option<&'a str>,
}

impl Wanted<'_> {
    fn has(&self, record: &Record) -> bool {
        self.client.is_none_or(|client| client.id == record.client)
            && self.file.as_ref().is_none_or(|file| *file == record.file)
            && self.name.is_none_or(|name| name == record.name)
    }
}

/// Removes the server from one client or from all, and reports the result for each file.
pub(super) fn run(wanted: &Wanted<'_>, common: &Common) -> Result<(), Failure> {
    let all = take_back(wanted, common)?;
    if common.json {
        paint::answer(&json!({ "clients": all.iter().map(Taken::json).collect::<Vec<_>>() }), true)?;
    } else if all.is_empty() {
        let what = match wanted.client.is_some() || wanted.file.is_some() {
            true => "`setup` has not changed this file",
            false => "`setup` has changed no file",
        };
        writeln!(paint::stdout(), "Nothing to undo: {what}")?;
    }
    if !common.json {
        all.iter().try_for_each(Taken::print)?;
    }
    if all.iter().any(|each| each.what.is_err()) { Err(Failure::Said) } else { Ok(()) }
}

/// Describes the effect of an undo on each file, without changing anything.
///
/// # Errors
/// The records cannot be read.
pub(in super::super) fn foresee(common: &Common) -> Result<Vec<Taken>, Failure> {
    let records = Records::of_before(common)?.map(|records| records.all()).transpose()?.unwrap_or_default();
    Ok(records.iter().map(|record| Taken::by(record, |out| record.foresee(out))).collect())
}

/// Undoes the writes of `setup`. An unchanged file gets its old text back; otherwise only the entry is removed. A
/// file that cannot be changed stays in the records, so that a later try finds it.
///
/// # Errors
/// The records cannot be read or written.
pub(in super::super) fn take_back(wanted: &Wanted<'_>, common: &Common) -> Result<Vec<Taken>, Failure> {
    let Some(records) = Records::of_before(common)? else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for record in records.all()?.iter().filter(|each| wanted.has(each)) {
        let taken = Taken::by(record, |out| record.undo(out));
        if taken.what.is_ok() {
            records.forget(record)?;
        }
        all.push(taken);
    }
    Ok(all)
}

impl Taken {
    /// Runs `work` on a record, and passes it a function that removes only the server from a text.
    fn by(
        record: &Record,
        work: impl FnOnce(&dyn Fn(&str) -> Result<Out, String>) -> Result<&'static str, String>,
    ) -> Self {
        let what = find(&record.client).map_err(|failure| failure.to_string());
        let what = what.and_then(|client| {
            work(&|text| {
                // An entry that `--force` replaced is restored.
                let older = record.before().unwrap_or_default();
                Ok(match back(client.form, text, older, &record.name)? {
                    Some(text) => Out { text, is_back: true },
                    None => Out { text: without(client.form, text, &record.name)?, is_back: false },
                })
            })
        });
        Self { client: record.client.clone(), file: record.file.clone(), what }
    }

    pub(in super::super) fn json(&self) -> Json {
        let (ok, what) = match &self.what {
            Ok(what) => (true, *what),
            Err(error) => (false, error.as_str()),
        };
        json!({ "client": self.client, "file": self.file, "ok": ok, "what": what })
    }

    pub(in super::super) fn print(&self) -> Result<(), Failure> {
        let file = self.file.display();
        match &self.what {
            Ok(what) => writeln!(paint::stdout(), "{file}: {what}")?,
            Err(error) => writeln!(paint::stderr(), "{file}: {error}")?,
        }
        Ok(())
    }
}
