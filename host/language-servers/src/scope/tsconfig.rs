//! The files that a `tsconfig.json` includes, with the configurations that it extends and references.

use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use jsonc_parser::ParseOptions;
use serde_json::Value as Json;

use super::{MOST, join};
use crate::disk::Disk;

/// The longest chain of configurations that extend or reference each other.
const DEEPEST: usize = 4;
const MOST_PROJECTS: usize = 100;

/// The projects that were found. For each, patterns of the files that it includes and of those that it excludes.
#[derive(Default)]
pub(super) struct Projects(Vec<(Gitignore, Gitignore)>);

impl Projects {
    /// Reads the projects of a root; `None` if no configuration can be read.
    pub(super) fn of(disk: &Disk) -> Option<Self> {
        let mut projects = Self::default();
        let known = ["tsconfig.json", "jsconfig.json"];
        known.into_iter().find_map(|file| projects.read(disk, file, 0))?;
        Some(projects)
    }

    /// Tells whether a project includes a file.
    pub(super) fn have(&self, path: &str) -> bool {
        let path = Path::new("/").join(path);
        let holds = |rules: &Gitignore| rules.matched_path_or_any_parents(&path, false).is_ignore();
        self.0.iter().any(|(included, excluded)| holds(included) && !holds(excluded))
    }

    fn read(&mut self, disk: &Disk, file: &str, depth: usize) -> Option<()> {
        let json = parse(disk, file)?;
        let (named, base) = said(disk, &json, folder(file), depth);
        let list = |key: &str| named.get(key).and_then(Json::as_array);
        let patterns = match (list("files"), list("include")) {
            (None, None) => vec![Json::from("**")],
            (files, include) => files.into_iter().chain(include).flatten().cloned().collect(),
        };
        let excluded = list("exclude").cloned().unwrap_or_default();
        self.0.push((rules(&base, &patterns)?, rules(&base, &excluded)?));
        let references = json.get("references").and_then(Json::as_array);
        for path in references.into_iter().flatten().filter_map(|reference| reference.get("path")?.as_str()) {
            let path = join(folder(file), path);
            let path = if path.ends_with(".json") { path } else { join(&path, "tsconfig.json") };
            if depth < DEEPEST && self.0.len() < MOST_PROJECTS {
                self.read(disk, &path, depth + 1);
            }
        }
        Some(())
    }
}

/// Returns the configuration that names files, and the folder that its paths are relative to: the file's own
/// configuration, or else the one that it extends.
fn said(disk: &Disk, json: &Json, own_folder: &str, depth: usize) -> (Json, String) {
    let own = ["files", "include"].iter().any(|key| json.get(key).is_some());
    let base = json.get("extends").and_then(Json::as_str).filter(|base| base.starts_with('.'));
    if let Some(base) = base.filter(|_| !own && depth < DEEPEST) {
        let file = join(own_folder, base);
        let file = if file.ends_with(".json") { file } else { format!("{file}.json") };
        if let Some(base) = parse(disk, &file) {
            let (found, at) = said(disk, &base, folder(&file), depth + 1);
            if ["files", "include"].iter().any(|key| found.get(key).is_some()) {
                return (found, at);
            }
        }
    }
    (json.clone(), own_folder.to_owned())
}

fn parse(disk: &Disk, file: &str) -> Option<Json> {
    let (bytes, _) = disk.read(file, MOST).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    // These files may have comments and trailing commas.
    jsonc_parser::parse_to_serde_value(text.trim_start_matches('\u{feff}'), &ParseOptions::default()).ok()
}

/// Converts patterns to rules relative to their folder. A pattern that names a folder means everything in it.
fn rules(base: &str, patterns: &[Json]) -> Option<Gitignore> {
    let mut rules = GitignoreBuilder::new("/");
    for pattern in patterns.iter().filter_map(Json::as_str) {
        let path = join(base, pattern);
        rules.add_line(None, &format!("/{}", if path.is_empty() { "**" } else { &path })).ok()?;
    }
    rules.build().ok()
}

fn folder(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}
