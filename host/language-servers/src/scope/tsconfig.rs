//! What a `tsconfig.json` names, with those that it extends and refers to.

use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde_json::Value as Json;

use super::MOST;
use crate::disk::Disk;

/// Settings that lead to settings.
const DEEPEST: usize = 4;
const MOST_PROJECTS: usize = 100;

/// Projects that were found: what each one takes in, and what of that it leaves out.
#[derive(Default)]
pub(super) struct Projects(Vec<(Gitignore, Gitignore)>);

impl Projects {
    /// Reads the settings of a root; none where there are none that can be read.
    pub(super) fn of(disk: &Disk) -> Option<Self> {
        let mut projects = Self::default();
        let known = ["tsconfig.json", "jsconfig.json"];
        known.into_iter().find_map(|file| projects.read(disk, file, 0))?;
        Some(projects)
    }

    /// Tells whether a project takes a file in.
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

/// Returns the settings that name files, and the folder that they are relative to: those that are extended, where the own
/// ones name none.
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
    serde_json::from_str(&plain(&String::from_utf8_lossy(&bytes))).ok()
}

/// The patterns as rules that count from their folder; one that names a folder means all that is in it.
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

/// Joins paths with `.` and `..` in the second; what would lead out of the root stays at it.
fn join(folder: &str, path: &str) -> String {
    let mut names: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    names.join("/")
}

/// Takes out comments and the commas before an end, which these files may have.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.trim_start_matches('\u{feff}').chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('"', _) => {
                out.push(c);
                while let Some(c) = rest.next() {
                    out.push(c);
                    match c {
                        '\\' => out.extend(rest.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            ('/', Some('/')) => while rest.next_if(|c| *c != '\n').is_some() {},
            ('/', Some('*')) => {
                rest.next();
                while let Some(c) = rest.next() {
                    if c == '*' && rest.next_if_eq(&'/').is_some() {
                        break;
                    }
                }
            }
            (']' | '}', _) => {
                let kept = out.trim_end().strip_suffix(',').map(str::len);
                out.truncate(kept.unwrap_or(out.len()));
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}
