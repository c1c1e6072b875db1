//! The stores of plugins: one file for each, read and replaced under a lock.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};

use cap_std::fs::{Dir, OpenOptions};
use serde_json::{Value as Json, json};

use crate::failure::Fault;
use crate::host::Heard;

/// Values in base64, by key.
type Kept = BTreeMap<String, String>;

/// The key of the sources of untrusted text that the store may contain. No plugin can use it, because it is empty.
/// Its value holds the sources, one on each line.
const HEARD: &str = "";

/// The most bytes of all keys and values together, and the extra bytes that each key counts for, because a million
/// empty values need memory too.
const QUOTA: usize = 1024 * 1024;
const ENTRY: usize = 64;

pub(super) fn get(data: &Dir, plugin: &str, key: &str) -> Result<Json, Fault> {
    let kept = read(data, plugin)?;
    let value = kept.get(key);
    Ok(marked(json!({ "value": value }), &kept, value.is_some()))
}

/// Stores a value. If the call has heard untrusted text, the value may contain it, and so may the key.
pub(super) fn put(
    data: &Dir,
    plugin: &str,
    (key, value): (String, String),
    heard: &Heard,
) -> Result<Json, Fault> {
    change(data, plugin, |kept| {
        if let Some(sources) = heard.sources() {
            let known = kept.remove(HEARD).unwrap_or_default();
            let all: BTreeSet<&str> = known.lines().chain(sources.iter().map(String::as_str)).collect();
            kept.insert(HEARD.to_owned(), all.into_iter().collect::<Vec<_>>().join("\n"));
        }
        kept.insert(key, value);
        let own = kept.iter().filter(|(key, _)| *key != HEARD);
        let bytes: usize = own.map(|(key, value)| ENTRY + key.len() + value.len() / 4 * 3).sum();
        if bytes <= QUOTA { Ok(()) } else { Err(full(bytes)) }
    })
}

pub(super) fn remove(data: &Dir, plugin: &str, key: &str) -> Result<Json, Fault> {
    change(data, plugin, |kept| {
        kept.remove(key);
        // Nothing is left that could hold such a text.
        if kept.keys().all(|key| key == HEARD) {
            kept.clear();
        }
        Ok(())
    })
}

pub(super) fn keys(
    data: &Dir,
    plugin: &str,
    prefix: &str,
    after: Option<&str>,
    limit: u32,
) -> Result<Json, Fault> {
    let kept = read(data, plugin)?;
    let wanted = |key: &&String| {
        *key != HEARD && key.starts_with(prefix) && after.is_none_or(|after| key.as_str() > after)
    };
    let keys: Vec<&String> = kept.keys().filter(wanted).take(limit as usize).collect();
    let is_any = !keys.is_empty();
    Ok(marked(json!({ "keys": keys }), &kept, is_any))
}

/// Adds the sources of untrusted text to an answer that may hold such text.
fn marked(mut answer: Json, kept: &Kept, holds_some: bool) -> Json {
    if let Some(sources) = kept.get(HEARD).filter(|_| holds_some) {
        answer["heard"] = sources.lines().collect();
    }
    answer
}

fn change(
    data: &Dir,
    plugin: &str,
    change: impl FnOnce(&mut Kept) -> Result<(), Fault>,
) -> Result<Json, Fault> {
    let _lock = lock(data).map_err(|error| unavailable(&error))?;
    let mut kept = read(data, plugin)?;
    change(&mut kept)?;
    write(data, plugin, &kept).map_err(|error| unavailable(&error))?;
    Ok(json!({}))
}

fn read(data: &Dir, plugin: &str) -> Result<Kept, Fault> {
    match data.read(file(plugin)) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| unavailable(&error.into())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Kept::new()),
        Err(error) => Err(unavailable(&error)),
    }
}

fn write(data: &Dir, plugin: &str, kept: &Kept) -> io::Result<()> {
    let temporary = format!("{plugin}.new");
    let mut file = data.create(&temporary)?;
    file.write_all(&serde_json::to_vec(kept)?)?;
    file.sync_all()?;
    data.rename(&temporary, data, self::file(plugin))
}

fn lock(data: &Dir) -> io::Result<std::fs::File> {
    let file =
        data.open_with(".lock", OpenOptions::new().write(true).create(true).truncate(false))?.into_std();
    file.lock()?;
    Ok(file)
}

fn file(plugin: &str) -> String {
    format!("{plugin}.json")
}

fn full(bytes: usize) -> Fault {
    let message = format!("the store would have {bytes} bytes, expected at most {QUOTA}");
    Fault::new("result_too_large", message).suggest("remove old values first, or store less")
}

fn unavailable(error: &io::Error) -> Fault {
    Fault::new("unavailable", format!("the store cannot be used: {error}"))
}
