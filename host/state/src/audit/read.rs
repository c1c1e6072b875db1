//! Reads all logs together and detects tampering.

use std::collections::BTreeMap;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use iac_core::audit::{Broken, Hash, Line, Link, lines};
use jiff::Timestamp;
use serde_json::{Map, Value as Json};

use super::{ACCEPTED, END, LOG, REMOVED, parse_end};
use crate::{StateError, regular};

/// The most bytes to read of one log. A new log begins at a quarter of this.
const MOST: u64 = 64 * regular::MOST;

/// One entry of a log.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The name of the log file.
    pub file: String,
    /// The line number, from 1.
    pub line: u64,
    pub fields: Map<String, Json>,
}

/// Something that differs from what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub file: String,
    /// The line number, from 1; `None` for the whole file.
    pub line: Option<u64>,
    /// What is wrong.
    pub wrong: String,
}

/// The contents of one log.
struct File {
    lines: Vec<Line>,
    broken: Option<Broken>,
    end: Option<(u64, Hash)>,
}

/// Reads the entries of all logs below a state directory, sorted by time. Damaged lines are skipped.
///
/// # Errors
/// A log cannot be read.
pub fn read(state: &Path) -> Result<Vec<Record>, StateError> {
    let mut records: Vec<Record> = Vec::new();
    for (file, log) in files(state)? {
        records.extend(log.lines.into_iter().map(|line| Record {
            file: file.clone(),
            line: line.number,
            fields: line.fields,
        }));
    }
    in_order(&mut records);
    Ok(records)
}

/// Sorts by time. Entries of one log with the same millisecond keep the order of their lines.
fn in_order(records: &mut [Record]) {
    records.sort_by_cached_key(|record| (record.at(), record.file.clone(), record.line));
}

impl Record {
    /// When the entry was written.
    pub fn at(&self) -> Option<Timestamp> {
        self.fields.get("time")?.as_str()?.parse().ok()
    }
}

/// How many bytes from the end of a log are read for its newest entries.
const TAIL: u64 = 256 * 1024;

/// How many logs are read for the newest entries.
const LOGS: usize = 16;

/// Reads the newest entries of all logs, sorted by time. Of many or long logs it reads only the ends.
///
/// # Errors
/// A log cannot be read.
pub fn newest(state: &Path, most: usize) -> Result<Vec<Record>, StateError> {
    let mut logs = logs(state)?;
    // A log's name has the time at which it began. A log that began early may still be growing, so the modification
    // time counts.
    logs.sort_by_key(|path| std::cmp::Reverse(path.metadata().and_then(|found| found.modified()).ok()));
    let mut records = Vec::new();
    for path in logs.into_iter().take(LOGS) {
        let text = tail(&path)?;
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let fields = text.lines().filter_map(|line| serde_json::from_str::<Map<String, Json>>(line).ok());
        let line = |fields: &Map<String, Json>| fields.get("line").and_then(Json::as_u64).unwrap_or_default();
        records.extend(fields.map(|fields| Record { file: file.clone(), line: line(&fields), fields }));
    }
    in_order(&mut records);
    Ok(records.split_off(records.len().saturating_sub(most)))
}

/// Reads the end of a file, beginning with a whole line.
fn tail(path: &Path) -> Result<String, StateError> {
    let mut file = regular::open(path, fs::OpenOptions::new().read(true))?;
    let (mut bytes, mut cut) = (Vec::new(), 0);
    let mut read = || {
        cut = file.metadata()?.len().saturating_sub(TAIL);
        file.seek(SeekFrom::Start(cut))?;
        // The file may grow while it is read.
        file.by_ref().take(2 * TAIL).read_to_end(&mut bytes)
    };
    read().map_err(StateError::io(path))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(if cut == 0 {
        text
    } else {
        text.split_once('\n').map_or_else(String::new, |(_, rest)| rest.to_owned())
    })
}

/// The logs below a state directory.
fn logs(state: &Path) -> Result<Vec<PathBuf>, StateError> {
    let folder = state.join("audit");
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(StateError::io(&folder))?,
    };
    let paths = entries.flatten().map(|entry| entry.path());
    Ok(paths.filter(|path| path.to_str().is_some_and(|path| path.ends_with(LOG))).collect())
}

/// Finds every place where a log below a state directory differs from what was written. An empty list means that all
/// is well.
///
/// # Errors
/// A log cannot be read.
pub fn verify(state: &Path) -> Result<Vec<Finding>, StateError> {
    let files = files(state)?;
    let mut findings: Vec<Finding> = files.iter().flat_map(|(name, file)| file.findings(name)).collect();
    let begins_anew: Vec<&String> =
        files.iter().filter(|(_, file)| file.previous().is_none()).map(|(name, _)| name).collect();
    for name in begins_anew.iter().skip(1) {
        findings.push(finding(name, Some(1), "it does not name the log before it, although there is one"));
    }
    for (name, file) in &files {
        let link = file.previous().filter(|link| !is_removed(&link.file, &files));
        findings.extend(link.and_then(|link| broken_link(name, &link, &files)));
    }
    findings.extend(newest_is_there(state, &files));
    findings.retain(|finding| !orders(&files, ACCEPTED).any(|known| known == finding.to_string()));
    Ok(findings)
}

/// Returns the text after this prefix, for all operator entries in the undamaged parts of all logs.
fn orders<'a>(files: &'a BTreeMap<String, File>, begin: &'a str) -> impl Iterator<Item = &'a str> {
    let lines = files.values().flat_map(|file| &file.lines);
    lines.filter_map(move |line| line.fields.get("order")?.as_str()?.strip_prefix(begin))
}

/// Returns the text of an entry that acknowledges a finding.
pub(crate) fn accepted(finding: &Finding) -> String {
    format!("{ACCEPTED}{finding}")
}

/// Whether another log records that this log was removed.
fn is_removed(log: &str, files: &BTreeMap<String, File>) -> bool {
    let name = log.strip_suffix(LOG).unwrap_or(log);
    orders(files, REMOVED).flat_map(str::split_whitespace).any(|removed| removed == name)
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        write!(f, "{}{line}: {}", self.file, self.wrong)
    }
}

/// Checks that the newest log exists. `last` names it, so its removal is noticed.
fn newest_is_there(state: &Path, files: &BTreeMap<String, File>) -> Option<Finding> {
    match regular::text(&state.join("audit/last"), regular::MOST) {
        Ok(Some(last)) => {
            let last = format!("{last}{LOG}");
            let gone = || finding(&last, None, "it is missing: the newest log was removed");
            (!files.contains_key(&last)).then(gone)
        }
        Ok(None) => {
            let gone = || finding("last", None, "it is missing, so the newest log is unknown");
            (!files.is_empty()).then(gone)
        }
        Err(error) => Some(finding("last", None, &format!("it cannot be read: {error}"))),
    }
}

impl File {
    fn findings(&self, name: &str) -> Vec<Finding> {
        let read = self.lines.len() as u64;
        let mut found = Vec::new();
        if let Some(broken) = &self.broken {
            found.push(finding(name, Some(broken.line()), &broken.to_string()));
        }
        match &self.end {
            None => found.push(finding(
                name,
                None,
                "its end is unknown: the file beside it is missing or damaged",
            )),
            Some((line, _)) if *line > read && self.broken.is_none() => {
                let wrong = match line - read {
                    1 => "one line was cut off at the end".to_owned(),
                    several => format!("{several} lines were cut off at the end"),
                };
                found.push(finding(name, Some(read + 1), &wrong));
            }
            Some((line, hash)) => {
                let at = usize::try_from(*line)
                    .ok()
                    .and_then(|line| line.checked_sub(1))
                    .and_then(|at| self.lines.get(at));
                if at.is_some_and(|at| at.hash != *hash) {
                    found.push(finding(name, Some(*line), "the log was rewritten: its end has changed"));
                }
            }
        }
        found
    }

    /// Returns the end of the log before this one, as the first line gives it.
    fn previous(&self) -> Option<Link> {
        let link = self.lines.first()?.fields.get("previous")?;
        serde_json::from_value(link.clone()).ok()
    }
}

fn broken_link(name: &str, link: &Link, files: &BTreeMap<String, File>) -> Option<Finding> {
    let Some(file) = files.get(&link.file) else {
        let wrong = format!("it is missing, but {name} names it as the log before");
        return Some(finding(&link.file, None, &wrong));
    };
    let at = usize::try_from(link.line).ok()?.checked_sub(1)?;
    match file.lines.get(at) {
        Some(line) if line.hash == link.hash => None,
        Some(_) => {
            Some(finding(&link.file, Some(link.line), &format!("the line is not the one that {name} names")))
        }
        None if file.broken.is_some() => None,
        None => {
            Some(finding(&link.file, Some(link.line), &format!("the line is missing, but {name} names it")))
        }
    }
}

fn finding(file: &str, line: Option<u64>, wrong: &str) -> Finding {
    Finding { file: file.to_owned(), line, wrong: wrong.to_owned() }
}

fn files(state: &Path) -> Result<BTreeMap<String, File>, StateError> {
    let folder = state.join("audit");
    let mut found = BTreeMap::new();
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(found),
        entries => entries.map_err(StateError::io(&folder))?,
    };
    for entry in entries {
        let path = entry.map_err(StateError::io(&folder))?.path();
        let Some(name) =
            path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(LOG))
        else {
            continue;
        };
        // The end is read first. If the log is being written, it can then only be longer than its end says.
        let end = regular::text(&folder.join(format!("{name}{END}")), regular::MOST).ok().flatten();
        let Some(bytes) = regular::bytes(&path, MOST)? else { continue };
        let (lines, broken) = lines(&String::from_utf8_lossy(&bytes));
        let file = File { lines, broken, end: end.as_deref().and_then(parse_end) };
        found.insert(format!("{name}{LOG}"), file);
    }
    Ok(found)
}
