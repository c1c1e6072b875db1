//! Indexes: finds a plugin by its name, and checks the entries of an index.
//!
//! An index is a folder with one file for each plugin, which people maintain in a repository, or one file with all of
//! them. It names sources and digests. Otherwise everything works as if the operator had named the source: the same
//! checks and questions apply, and the entry must also match the package.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use iac_core::dictionary::names;
use iac_core::fault::did_you_mean;
use iac_state::regular;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::found::Found;
use super::place::{self, Place};
use super::shipped;
use super::trust;
use crate::cli::Failure;
use crate::cli::author::replayed;
use crate::cli::options::Common;
use crate::cli::package::{installed, verify};
use crate::cli::paint;
use crate::cli::web::{Address, shown};
use crate::plugins::engine::PluginId;
use crate::plugins::engine::capability::Capability;
use crate::plugins::engine::index::{self, Entry};
use crate::plugins::engine::installed::Installed;
use crate::plugins::engine::package::{self, Package};

/// The most entries of an index, and the most bytes of an index in one file.
const MOST: usize = 10_000;
const LARGEST: u64 = 8 * 1024 * 1024;

/// The most files with golden calls of one plugin, including journals.
const MOST_CALLS: usize = 200;

/// The index in which a command looks up a name.
#[derive(Debug, Args)]
pub(in crate::cli) struct Named {
    /// Looks the id up in an index, which is a folder, a file, or the https address of a file.
    #[arg(long, value_name = "FOLDER|FILE|ADDRESS", conflicts_with = "login")]
    index: Option<String>,
    /// Takes packages from this computer and from private networks too.
    #[arg(long, requires = "index")]
    local: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Find {
    /// Words from the name, the summary, the tools or the wanted permissions of a plugin. Without words, all plugins
    /// are listed.
    words: Vec<String>,
    /// The index: a folder, a file, or the https address of a file.
    #[arg(long, value_name = "FOLDER|FILE|ADDRESS")]
    index: String,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Write {
    /// The address of the package: https://…#sha256:DIGEST or oci://HOST/NAME@sha256:DIGEST.
    #[arg(value_name = "ADDRESS")]
    source: PathBuf,
    /// A file with USER:PASSWORD for a registry.
    #[arg(long, value_name = "FILE")]
    login: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Check {
    /// The folder with a file ID.toml and a folder ID with golden calls for each plugin.
    folder: PathBuf,
    /// The ids of the plugins to check; by default all.
    ids: Vec<String>,
    /// Takes packages from this computer and from private networks too.
    #[arg(long)]
    local: bool,
    /// Writes all entries into one file if none has a fault; that file is an index too.
    #[arg(long, short, value_name = "FILE", conflicts_with = "ids")]
    output: Option<PathBuf>,
}

/// An index that was read. A malformed entry hides only itself.
struct Index {
    entries: BTreeMap<PluginId, Entry>,
    /// The faults, by the name of the entry in a form that is safe to show.
    problems: BTreeMap<String, String>,
}

/// An index in one file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Joined<T> {
    plugins: Vec<T>,
}

impl Index {
    fn open(given: &str) -> Result<Self, Failure> {
        if given.contains("://") {
            return Self::joined(&place::text(&Address::parse(given)?, LARGEST)?, given);
        }
        if Path::new(given).is_dir() {
            return Self::folder(Path::new(given));
        }
        let text = text(Path::new(given), LARGEST).map_err(Failure::Failed)?;
        Self::joined(&text, given)
    }

    /// Reads the files in a folder. Links are skipped, because a link in a repository may lead anywhere.
    fn folder(folder: &Path) -> Result<Self, Failure> {
        let mut read = Self { entries: BTreeMap::new(), problems: BTreeMap::new() };
        let named = |path: &PathBuf| path.extension().is_some_and(|it| it == "toml");
        let unread = |error: std::io::Error| Failure::Failed(format!("{}: {error}", folder.display()));
        let paths = std::fs::read_dir(folder).map_err(unread)?.map(|entry| entry.map(|entry| entry.path()));
        let paths: Vec<PathBuf> = paths.collect::<Result<Vec<_>, _>>()?.into_iter().filter(named).collect();
        few(paths.len())?;
        for path in paths {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            match entry(&path, &name) {
                Ok(entry) => drop(read.entries.insert(entry.id.clone(), entry)),
                Err(why) => drop(read.problems.insert(shown(&name), why)),
            }
        }
        Ok(read)
    }

    fn joined(text: &str, given: &str) -> Result<Self, Failure> {
        let wrong = |error: toml::de::Error| {
            let what = format!("{} is not an index: {}", shown(given), shown(error.message()));
            Failure::Failed(format!("{what}\nexpected a file that `plugin check-index --output` wrote"))
        };
        let Joined::<toml::Table> { plugins } = toml::from_str(text).map_err(wrong)?;
        few(plugins.len())?;
        let mut read = Self { entries: BTreeMap::new(), problems: BTreeMap::new() };
        for (at, plugin) in plugins.iter().enumerate() {
            match Entry::parse(&toml::to_string(plugin).unwrap_or_default()) {
                Ok(entry) if read.entries.contains_key(&entry.id) => {
                    read.problems.insert(entry.id.to_string(), "it occurs twice".to_owned());
                }
                Ok(entry) => drop(read.entries.insert(entry.id.clone(), entry)),
                Err(error) => drop(read.problems.insert(format!("entry {}", at + 1), error.to_string())),
            }
        }
        // If two entries have one id, both are dropped: only the maintainer of the index knows which one is meant.
        read.entries.retain(|id, _| !read.problems.contains_key(id.as_str()));
        Ok(read)
    }

    fn get(&self, name: &str, given: &str) -> Result<&Entry, Failure> {
        if let Some(entry) = self.entries.get(name) {
            return Ok(entry);
        }
        if let Some(why) = self.problems.get(name) {
            return Err(Failure::Failed(format!("the entry of {name} in the index cannot be used: {why}")));
        }
        let near = did_you_mean(&names::near(name, self.entries.keys().map(PluginId::as_str), 3));
        let (name, given) = (shown(name), shown(given));
        let how = format!("`iac-mcp plugin find --index {given}` lists what it has");
        Err(Failure::Failed(format!("the index has no plugin `{name}`{near}\n{how}")))
    }

    /// Finds another plugin, in the index or already known, whose name is easily confused with this one.
    fn alike<'a>(&'a self, id: &PluginId, known: &'a BTreeSet<PluginId>) -> Option<&'a PluginId> {
        let look = index::look(id);
        self.entries.keys().chain(known).find(|other| *other != id && index::look(other) == look)
    }

    /// Returns a warning if a person may mistake this plugin for another one.
    fn doubt(
        &self,
        id: &PluginId,
        installed: &BTreeSet<PluginId>,
        bundled: &BTreeSet<PluginId>,
    ) -> Option<String> {
        if bundled.contains(id) {
            return Some(format!(
                "`{id}` of the index is not the plugin `{id}` that comes with this program"
            ));
        }
        let known = installed.union(bundled).cloned().collect();
        let other = self.alike(id, &known)?;
        Some(format!("`{id}` is not `{other}`, but looks like it"))
    }
}

impl Named {
    /// Fetches the package that the index names, if an index was given. Also returns a warning about its name, if
    /// there is one.
    ///
    /// # Errors
    /// The index does not have it, or the entry differs from the package.
    pub(super) fn find(
        &self,
        name: &Path,
        installed: &Installed,
    ) -> Result<Option<(Found, Option<String>)>, Failure> {
        let Some(given) = &self.index else { return Ok(None) };
        let index = Index::open(given)?;
        let entry = index.get(&name.to_string_lossy(), given)?;
        let (found, _) = fetch(entry, self.local)?;
        let installed = installed.list()?.into_keys().collect();
        Ok(Some((found, index.doubt(&entry.id, &installed, &shipped::carried()))))
    }
}

/// Fetches the package of an entry, and checks that it matches the entry.
fn fetch(entry: &Entry, local: bool) -> Result<(Found, Package), Failure> {
    let id = &entry.id;
    let no_address = || Failure::Failed(format!("the source of {id} in the index is not an address"));
    let place = Place::parse(&entry.source)?.ok_or_else(no_address)?;
    if place.is_private() && !local {
        let what = format!(
            "the index leads to this computer or a private network for {id}: {}",
            shown(&entry.source)
        );
        return Err(Failure::Failed(format!("{what}\nif the index is of that network too, add --local")));
    }
    let found = place.fetch(None)?;
    let signer = trust::signer(&found)?;
    let package = package::read(&found.bytes)?;
    if let Some(how) = entry.difference(&package) {
        let what = format!("the entry of {id} in the index is not about this package: {}", shown(&how));
        return Err(Failure::Failed(format!("{what}\nask the maintainer of the index")));
    }
    match trust::missing(&package, signer.as_ref()) {
        None => Ok((found, package)),
        Some(why) => Err(Failure::Failed(format!("{id}: {why}\nask the maintainer of the index"))),
    }
}

impl Find {
    pub(super) fn run(self, common: &Common) -> Result<(), Failure> {
        let index = Index::open(&self.index)?;
        let held = installed(common).and_then(|it| Ok(it.list()?)).unwrap_or_default();
        let names = held.keys().cloned().collect();
        let found: Vec<&Entry> = index.entries.values().filter(|it| it.matches(&self.words)).collect();
        let note = |entry: &Entry| match (held.get(&entry.id), index.alike(&entry.id, &names)) {
            (Some(receipt), _) => format!("installed: {}", receipt.version),
            (None, Some(other)) => format!("looks like {other}"),
            (None, None) => String::new(),
        };
        if common.json {
            let row = |entry: &&Entry| json!({ "plugin": entry, "note": note(entry) });
            let rows: Vec<Json> = found.iter().map(row).collect();
            return Ok(paint::answer(&json!({ "found": rows, "problems": index.problems }), true)?);
        }
        for (name, why) in &index.problems {
            writeln!(paint::stderr(), "left out: {name}: {why}")?;
        }
        if found.is_empty() {
            let what = format!("none of {} fits", paint::count(index.entries.len(), "plugin"));
            return Ok(writeln!(paint::stdout(), "{what}")?);
        }
        let mut table = paint::table(&["Plugin", "Version", "Summary", "Wants", "From", "Note"]);
        for entry in found {
            let (id, version, summary) = (entry.id.to_string(), entry.version.clone(), entry.summary.clone());
            table.add_row([id, version, summary, entry.wanted().join("\n"), from(entry), note(entry)]);
        }
        paint::print(&table)?;
        let given = shown(&self.index);
        Ok(writeln!(
            paint::stdout(),
            "`iac-mcp plugin add ID --index {given}` shows more, asks, and installs one"
        )?)
    }
}

/// Describes the address of a package, and whether the package is signed.
fn from(entry: &Entry) -> String {
    let place = entry.source.split(['#', '@']).next().unwrap_or_default();
    format!("{place}\n{}", if entry.key.is_some() { "signed" } else { "not signed" })
}

impl Write {
    pub(super) fn run(self) -> Result<(), Failure> {
        let found = shipped::package(&self.source, trust::login(self.login.as_deref())?.as_deref())?;
        if !found.from.contains("://") {
            let what = format!("{} is not an address, and an index names one", found.from);
            return Err(Failure::Misuse(format!("{what}\npublish the package first")));
        }
        let signer = trust::signer(&found)?;
        let package = package::read(&found.bytes)?;
        if let Some(why) = trust::missing(&package, signer.as_ref()) {
            return Err(Failure::Failed(format!("{why}\nsign it with `iac-mcp plugin sign`")));
        }
        Ok(write!(paint::stdout(), "{}", Entry::of(&package, &found.from).text())?)
    }
}

impl Check {
    pub(super) fn run(self, common: &Common, roots: &[PathBuf]) -> Result<(), Failure> {
        let index = Index::folder(&self.folder)?;
        for id in &self.ids {
            index.get(id, &self.folder.display().to_string())?;
        }
        let is_meant = |id: &PluginId| self.ids.is_empty() || self.ids.iter().any(|it| it == id.as_str());
        let mut faults: BTreeMap<String, String> = BTreeMap::new();
        if self.ids.is_empty() {
            faults.extend(index.problems.clone());
        }
        let mut rows = faults.clone();
        for (id, entry) in index.entries.iter().filter(|(id, _)| is_meant(id)) {
            let said = self.check(common, &index, entry, roots);
            if let Err(failure) = &said {
                faults.insert(id.to_string(), failure.to_string());
            }
            rows.insert(
                id.to_string(),
                said.map_or_else(|failure| failure.to_string(), |()| "ok".to_owned()),
            );
        }
        if common.json {
            let row = |(id, why): (&String, &String)| match faults.contains_key(id) {
                true => json!({"plugin": id, "result": "fault", "why": why}),
                false => json!({"plugin": id, "result": "ok"}),
            };
            let rows: Vec<Json> = rows.iter().map(row).collect();
            paint::answer(&json!({ "plugins": rows }), true)?;
        } else if rows.is_empty() {
            writeln!(paint::stdout(), "there is no entry in {}", self.folder.display())?;
        } else {
            let line = |said: &String| said.replace('\n', "\n  ");
            rows.iter().try_for_each(|(id, said)| writeln!(paint::stdout(), "{id}: {}", line(said)))?;
        }
        if !faults.is_empty() {
            return Err(Failure::Said);
        }
        let Some(output) = &self.output else { return Ok(()) };
        let joined = Joined { plugins: index.entries.into_values().collect() };
        let text = toml::to_string(&joined).map_err(|error| Failure::Failed(error.to_string()))?;
        Ok(std::fs::File::create(output)?.write_all(text.as_bytes())?)
    }

    fn check(&self, common: &Common, index: &Index, entry: &Entry, roots: &[PathBuf]) -> Result<(), Failure> {
        if let Some(other) = index.alike(&entry.id, &BTreeSet::new()) {
            return Err(Failure::Failed(format!("its name looks like `{other}`; people could confuse them")));
        }
        let calls = self.folder.join(entry.id.as_str());
        are_own(&calls)?;
        let (found, package) = fetch(entry, self.local)?;
        verify(common, &found.bytes, &package)?;
        let of_folders = [Capability::Files, Capability::LanguageServers];
        let roots = if of_folders.iter().any(|it| package.imports.contains(it)) { roots } else { &[] };
        match replayed(common, found.bytes, &calls, roots)? {
            differs if differs.is_empty() => Ok(()),
            differs => Err(Failure::Failed(differs.join("\n"))),
        }
    }
}

/// Checks that golden calls are files of the index itself, not links to something else.
fn are_own(calls: &Path) -> Result<(), Failure> {
    let (place, is_folder) = (calls.display(), calls.symlink_metadata().is_ok_and(|it| it.is_dir()));
    if !is_folder {
        let how = "copy `calls` of the plugin there, with the journals of `plugin test --record`";
        return Err(Failure::Failed(format!(
            "its golden calls are missing, expected the folder {place}\n{how}"
        )));
    }
    let files = std::fs::read_dir(calls)?.collect::<Result<Vec<_>, _>>()?;
    if files.len() > MOST_CALLS {
        let what = format!("{place} has {} files, expected at most {MOST_CALLS}", files.len());
        return Err(Failure::Failed(what));
    }
    for file in files {
        if !file.file_type()?.is_file() {
            let name = shown(&file.file_name().to_string_lossy());
            return Err(Failure::Failed(format!("{place} has `{name}`, expected files only")));
        }
    }
    Ok(())
}

/// Reads an entry from a file. The file must have the name of the plugin.
fn entry(path: &Path, name: &str) -> Result<Entry, String> {
    if !path.symlink_metadata().is_ok_and(|it| it.is_file()) {
        return Err("it is not a file, expected no links and no folders".to_owned());
    }
    let entry = Entry::parse(&text(path, index::LARGEST)?).map_err(|error| error.to_string())?;
    match entry.id.as_str() == name {
        true => Ok(entry),
        false => Err(format!("it is about `{0}`, expected the name {0}.toml", entry.id)),
    }
}

fn text(path: &Path, most: u64) -> Result<String, String> {
    let text = regular::text(path, most).map_err(|error| error.to_string())?;
    text.ok_or_else(|| format!("there is no folder and no file {}", path.display()))
}

fn few(entries: usize) -> Result<(), Failure> {
    match entries <= MOST {
        true => Ok(()),
        false => Err(Failure::Failed(format!("the index has {entries} entries, expected at most {MOST}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_leads_to_no_private_network() {
        for source in ["https://10.0.0.1/x.wasm#", "https://[fd00::1]/x.wasm#", "oci://192.168.1.1/x@"] {
            let source = format!("{source}sha256:{}", "0".repeat(64));
            let text =
                format!("version = \"0.1.0\"\nsummary = \"s\"\nlicence = \"l\"\nsource = \"{source}\"");
            let entry = Entry::parse(&format!("id = \"notes\"\n{text}")).unwrap();
            let said = fetch(&entry, false).map(drop).unwrap_err().to_string();
            assert!(
                said.contains("to this computer or a private network for notes") && said.contains("--local"),
                "{said}"
            );
        }
    }

    #[test]
    fn a_name_that_is_taken_is_doubted() {
        let ids = |names: &str| names.split_whitespace().map(|name| name.parse().unwrap()).collect();
        let entry = |id: &PluginId| {
            let text = format!(
                "id = \"{id}\"\nversion = \"0.1.0\"\nsummary = \"s\"\nlicence = \"l\"\nsource = \"s\""
            );
            (id.clone(), Entry::parse(&text).unwrap())
        };
        let check = |held: &str, id: &str, installed: &str, expected: Option<&str>| {
            let held: BTreeSet<PluginId> = ids(held);
            let index = Index { entries: held.iter().map(entry).collect(), problems: BTreeMap::new() };
            let said = index.doubt(&id.parse().unwrap(), &ids(installed), &ids("omnifocus"));
            assert_eq!(said.as_deref(), expected, "{held:?} {id}");
        };
        check("notes mail", "notes", "mail calendar", None);
        check("notes n0tes", "notes", "", Some("`notes` is not `n0tes`, but looks like it"));
        check("notes", "notes", "no-tes", Some("`notes` is not `no-tes`, but looks like it"));
        check("omnif0cus", "omnif0cus", "", Some("`omnif0cus` is not `omnifocus`, but looks like it"));
        let bundled = "`omnifocus` of the index is not the plugin `omnifocus` that comes with this program";
        check("omnifocus", "omnifocus", "", Some(bundled));
    }
}
