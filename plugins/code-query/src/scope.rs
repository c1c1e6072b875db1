//! The scope of a query: the granted roots, and a folder or file below one of them.

use std::collections::{BTreeMap, BTreeSet};

use crate::near;
use crate::pattern::PathPattern;
use crate::trouble::Trouble;
use crate::world::{Cause, Closed, Failure, File, FileFilter, Files, Line, Range, Server, Workspace};

/// The maximum number of lines in one request; the host gives at most 20,000.
const LINES: usize = 10_000;

/// The granted roots, each with its servers.
pub(crate) struct Desk<'a> {
    sites: Vec<Site<'a>>,
    closed: &'a [Closed],
}

/// One granted root.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    /// The workspace that answers for it.
    pub(crate) workspace: &'a dyn Workspace,
    /// Position among the roots.
    number: usize,
    /// Whether it is the only one, so that paths need not name it.
    alone: bool,
}

/// A folder or a file below a root.
pub(crate) struct Scope<'a> {
    /// The root.
    pub(crate) site: Site<'a>,
    /// Relative to the root; `""` is the root itself.
    pub(crate) under: String,
    /// Folders of the root that are granted roots themselves and answer for their own files.
    inner: Vec<String>,
}

impl<'a> Desk<'a> {
    /// Makes the list of granted roots. Those that could not be opened count too, so that paths do not change their
    /// form when a folder comes back.
    pub(crate) fn new(
        workspaces: impl ExactSizeIterator<Item = &'a (dyn Workspace + 'a)>,
        closed: &'a [Closed],
    ) -> Self {
        let alone = workspaces.len() + closed.len() == 1;
        let all = workspaces.enumerate();
        Self { sites: all.map(|(number, workspace)| Site { workspace, number, alone }).collect(), closed }
    }

    /// Returns the granted roots that could not be opened.
    pub(crate) fn closed(&self) -> &'a [Closed] {
        self.closed
    }

    /// Returns the roots.
    pub(crate) fn sites(&self) -> &[Site<'a>] {
        &self.sites
    }

    /// Returns the scope: the path, or every root if there is no path.
    ///
    /// # Errors
    /// `OUTSIDE`, `NOT_FOUND` with the nearest name.
    pub(crate) fn scopes(&self, path: Option<&str>) -> Result<Vec<Scope<'a>>, Trouble> {
        match path {
            Some(path) => Ok(vec![self.scope(path)?]),
            None => Ok(self.everything()),
        }
    }

    /// Returns every root, without what lies below another granted root, so that nothing is found twice.
    fn everything(&self) -> Vec<Scope<'a>> {
        let roots: Vec<String> = match self.sites.as_slice() {
            [_] => vec![String::new()],
            many => many.iter().map(|site| site.workspace.root()).collect(),
        };
        let mut scopes = Vec::new();
        for (at, &site) in self.sites.iter().enumerate() {
            let is_again = roots[..at].contains(&roots[at]);
            if !is_again {
                let below = roots.iter().filter_map(|root| strip(root, &roots[at]));
                let inner = below.filter(|below| !below.is_empty()).map(str::to_owned).collect();
                scopes.push(Scope { site, under: String::new(), inner });
            }
        }
        scopes
    }

    /// Returns the folder or file that a path names, relative to a root or absolute.
    ///
    /// # Errors
    /// `OUTSIDE`, `NOT_FOUND` with the nearest name.
    pub(crate) fn scope(&self, path: &str) -> Result<Scope<'a>, Trouble> {
        self.found(path, 1).map(|(scope, _)| scope)
    }

    /// Returns the place that a path names, with some of the files there.
    fn found(&self, path: &str, limit: u32) -> Result<(Scope<'a>, Files), Trouble> {
        let mut missing = None;
        for (site, under) in self.readings(path)? {
            match site.workspace.files(&filter(&under, limit)) {
                Ok(files) => return Ok((Scope::new(site, under), files)),
                Err(failure) if failure.cause == Cause::NotFound => {
                    missing.get_or_insert((site, under));
                }
                Err(failure) => return Err(Trouble::of(failure, "path", 0)),
            }
        }
        let of_closed =
            self.closed.iter().find(|closed| !path.starts_with('/') || strip(path, &closed.root).is_some());
        let missing = missing.map(|(site, under)| not_found(path, site, &under));
        Err(match (missing, of_closed) {
            (Some(trouble), None) => trouble,
            (Some(trouble), Some(closed)) => trouble.also(&closed.note()),
            (None, Some(closed)) => Trouble::not_found(closed.note()),
            (None, None) => Trouble::outside(),
        })
    }

    /// Returns the file that a path names.
    ///
    /// # Errors
    /// As for [`scope`](Self::scope), `NO_SERVER` where no language server is known for it.
    pub(crate) fn file(&self, path: &str) -> Result<(Site<'a>, File), Trouble> {
        let (scope, listed) = self.found(path, 2)?;
        match listed.items.into_iter().find(|file| file.path == scope.under) {
            Some(file) if scope.site.server(&file.language).is_none() => Err(no_server(path, scope.site)),
            Some(file) => Ok((scope.site, file)),
            None if scope.is_folder() => Err(Trouble::field(format!(
                "{path} is not a file with source code: name one, or use findSymbols with this path if it is a folder"
            ))),
            None => Err(no_server(path, scope.site)),
        }
    }

    /// Every root that the path can be in.
    fn readings(&self, path: &str) -> Result<Vec<(Site<'a>, String)>, Trouble> {
        if !path.starts_with('/') {
            let under = normal(path).ok_or_else(Trouble::outside)?;
            return Ok(self.sites.iter().map(|&site| (site, under.clone())).collect());
        }
        let absolute = format!("/{}", normal(path).ok_or_else(Trouble::outside)?);
        let below = |site: &Site<'a>| Some((*site, strip(&absolute, &site.workspace.root())?.to_owned()));
        let mut found: Vec<_> = self.sites.iter().filter_map(below).collect();
        // A root has its real path, and the query's path may lead there through links, which only the host can follow.
        if found.is_empty() {
            let linked = |site: &Site<'a>| Some((*site, site.linked(&absolute)?));
            found = self.sites.iter().filter_map(linked).collect();
        }
        // The root that is deepest leaves the shortest rest of the path.
        found.sort_by_key(|(_, under)| under.len());
        Ok(found)
    }
}

impl Site<'_> {
    /// Shows a path of this root: relative where there is only this root, and absolute otherwise.
    pub(crate) fn show(&self, path: &str) -> String {
        if self.alone || path.starts_with('/') {
            return path.to_owned();
        }
        format!("{}/{path}", self.workspace.root())
    }

    /// Tells whether one of the patterns matches a path of this root. A pattern may also name the absolute path.
    pub(crate) fn is_among(&self, patterns: &[PathPattern], path: &str) -> bool {
        let absolute = || match path.starts_with('/') {
            true => path.to_owned(),
            false => format!("{}/{path}", self.workspace.root()),
        };
        patterns.iter().any(|one| one.matches(path) || (one.is_rooted() && one.matches(&absolute())))
    }

    /// Tells whether a file belongs to the project.
    pub(crate) fn owns(&self, path: &str) -> bool {
        self.foreign([path]).is_empty()
    }

    /// Returns those of some files that do not belong to the project: they are outside the root, or in a library below
    /// it. Lists leave out libraries and what Git ignores.
    pub(crate) fn foreign<'p>(&self, paths: impl IntoIterator<Item = &'p str>) -> BTreeSet<String> {
        let paths: BTreeSet<&str> = paths.into_iter().collect();
        let mut found = BTreeSet::new();
        // A list of a folder holds what is in the folders below it, and these come later.
        let mut listed: Vec<(&str, Option<BTreeSet<String>>)> = Vec::new();
        for path in paths {
            if path.starts_with('/') || path.contains("://") {
                found.insert(path.to_owned());
                continue;
            }
            let Some((folder, _)) = path.rsplit_once('/') else { continue };
            let is_around = |other: &str| strip(folder, other).is_some();
            if !listed.iter().any(|(other, _)| is_around(other)) {
                let files = self.workspace.files(&filter(folder, LISTED));
                let names = match files {
                    Ok(files) if files.truncated => None,
                    Ok(files) => Some(files.items.into_iter().map(|file| file.path).collect()),
                    Err(_) => Some(BTreeSet::new()),
                };
                listed.push((folder, names));
            }
            let around = listed.iter().find(|(other, _)| is_around(other));
            if around.and_then(|(_, names)| names.as_ref()).is_some_and(|names| !names.contains(path)) {
                found.insert(path.to_owned());
            }
        }
        found
    }

    /// Shows a range of a file, counted from 1: `src/a.rs:3:5-9:2`.
    pub(crate) fn show_range(&self, path: &str, range: &Range) -> String {
        format!("{}:{}", self.show(path), show_range(range))
    }

    /// Tells whether two are the same root.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.number == other.number
    }

    /// Returns the relative path of an absolute path that leads below this root through links; the path itself if
    /// nothing is there. The host gives only the paths of files, so this looks for the file that comes first there.
    fn linked(&self, absolute: &str) -> Option<String> {
        let first = |under: &str, ignored: bool| {
            self.workspace.files(&FileFilter { ignored, ..filter(under, 1) }).map(|found| found.items)
        };
        let items = match first(absolute, false) {
            Err(failure) if failure.cause == Cause::Outside => return None,
            Ok(items) if items.is_empty() => first(absolute, true),
            items => items,
        };
        let Some(file) = items.ok().and_then(|items| items.into_iter().next()) else {
            return Some(absolute.to_owned());
        };
        // The folder of the query is the one below which the rest of the file's path leads to the same file.
        let is_same = |rest: &str| {
            let found = first(&format!("{absolute}/{rest}"), true);
            found.is_ok_and(|items| items.iter().any(|one| one.path == file.path))
        };
        let folders = file.path.rmatch_indices('/').map(|(at, _)| (&file.path[..at], &file.path[at + 1..]));
        let folder = folders.chain([("", file.path.as_str())]).find(|(_, rest)| is_same(rest));
        Some(folder.map_or_else(|| file.path.clone(), |(folder, _)| folder.to_owned()))
    }

    /// Position among the roots.
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// Returns the server that answers for a language.
    pub(crate) fn server(&self, language: &str) -> Option<Server> {
        self.workspace.servers().into_iter().find(|server| server.languages.iter().any(|one| one == language))
    }

    /// Returns lines of files, by path and number from 0.
    pub(crate) fn lines(
        &self,
        wanted: impl IntoIterator<Item = (String, u32)>,
    ) -> BTreeMap<(String, u32), String> {
        let mut keys: Vec<(String, u32)> =
            wanted.into_iter().filter(|(path, _)| !path.starts_with('/')).collect();
        keys.sort();
        keys.dedup();
        let asked: Vec<Line> =
            keys.iter().map(|(path, number)| Line { path: path.clone(), number: *number }).collect();
        let texts = asked.chunks(LINES).flat_map(|some| self.workspace.lines(some));
        keys.into_iter().zip(texts).filter_map(|(key, text)| Some((key, text?))).collect()
    }
}

/// The largest limit of a list that the host accepts.
const LISTED: u32 = 50_000;

/// The files of a root that a query may examine.
pub(crate) struct Own {
    pub(crate) items: Vec<File>,
    /// Why files are missing, if any are.
    pub(crate) cut: Option<Cut>,
    /// Whether there is no file at all, not even one to leave out.
    pub(crate) is_empty: bool,
}

/// Why a list lacks files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// There are more than the query asked for.
    Limit,
    /// The host cannot list all files of the root.
    Host,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(site: Site<'a>, under: String) -> Self {
        Self { site, under, inner: Vec::new() }
    }

    /// Whether another granted root answers for a file.
    pub(crate) fn leaves(&self, path: &str) -> bool {
        let is_below =
            |folder: &String| path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'));
        self.inner.iter().any(is_below)
    }

    /// Lists files with a language server, at most `limit`.
    pub(crate) fn list(&self, limit: u32) -> Result<Files, Trouble> {
        self.listed(&filter(&self.under, limit))
    }

    /// Lists files by a filter, without those that another root answers for and those that the query excludes. They do
    /// not count toward the limit of the filter.
    pub(crate) fn own(&self, filter: &FileFilter, exclude: &[PathPattern]) -> Result<Own, Trouble> {
        let most = filter.limit as usize;
        let limit = if self.inner.is_empty() && exclude.is_empty() { filter.limit } else { LISTED };
        let Files { mut items, truncated } = self.listed(&FileFilter { limit, ..filter.clone() })?;
        let is_empty = items.is_empty();
        let by_host = truncated && items.len() < limit as usize;
        items.retain(|file| !self.leaves(&file.path) && !self.site.is_among(exclude, &file.path));
        let cut = match truncated || items.len() > most {
            true if by_host && items.len() <= most => Some(Cut::Host),
            true => Some(Cut::Limit),
            false => None,
        };
        items.truncate(most);
        Ok(Own { items, cut, is_empty })
    }

    /// Lists files by any filter.
    pub(crate) fn listed(&self, filter: &FileFilter) -> Result<Files, Trouble> {
        self.site.workspace.files(filter).map_err(|failure| Trouble::of(failure, "path", 0))
    }

    /// Whether the path contains files. To tell an empty folder from a file, it asks for the paths below.
    fn is_folder(&self) -> bool {
        self.under.is_empty()
            || !matches!(
                self.site.workspace.text(&self.under),
                Ok(_) | Err(Failure { cause: Cause::TooLarge, .. })
            )
    }
}

/// Returns lines of files in any roots, by the number of the root. Each root is asked once.
pub(crate) fn lines<'a>(
    wanted: impl Iterator<Item = (Site<'a>, String, u32)>,
) -> BTreeMap<usize, BTreeMap<(String, u32), String>> {
    let mut sites: BTreeMap<usize, (Site<'a>, Vec<(String, u32)>)> = BTreeMap::new();
    for (site, path, line) in wanted {
        sites.entry(site.number).or_insert_with(|| (site, Vec::new())).1.push((path, line));
    }
    sites.into_iter().map(|(number, (site, own))| (number, site.lines(own))).collect()
}

/// A filter for every file below a path. A path that the query names is searched even if Git ignores it.
pub(crate) fn filter(under: &str, limit: u32) -> FileFilter {
    FileFilter { under: under.to_owned(), languages: Vec::new(), containing: None, ignored: false, limit }
}

/// Shows a range, counted from 1: `3:5-9:2`.
pub(crate) fn show_range(range: &Range) -> String {
    let (start, end) = (range.start, range.end);
    format!(
        "{}:{}-{}:{}",
        u64::from(start.line) + 1,
        u64::from(start.column) + 1,
        u64::from(end.line) + 1,
        u64::from(end.column) + 1
    )
}

/// Resolves `.` and `..` in a path; `None` if it leads out of its root.
fn normal(path: &str) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()?),
            name => names.push(name),
        }
    }
    Some(names.join("/"))
}

fn strip<'a>(absolute: &'a str, root: &str) -> Option<&'a str> {
    let rest = absolute.strip_prefix(root.trim_end_matches('/'))?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }
}

/// Names the file with the nearest name, in the nearest folder that exists.
fn not_found(path: &str, site: Site<'_>, under: &str) -> Trouble {
    let trouble = Trouble::not_found(format!("path not found: {path}"));
    let mut folder = under;
    let mut scope;
    loop {
        folder = folder.rsplit_once('/').map_or("", |(parent, _)| parent);
        scope = Scope::new(site, folder.to_owned());
        if folder.is_empty() || scope.list(1).is_ok() {
            break;
        }
    }
    let Ok(files) = scope.list(2_000) else { return trouble };
    let leaf = under.rsplit('/').next().unwrap_or(under);
    let near = files.items.iter().map(|file| (score(&file.path, under, leaf), &file.path)).min();
    match near {
        Some((distance, near)) if distance <= leaf.chars().count().div_ceil(3) => {
            trouble.hint(format!("nearest: {}", site.show(near)))
        }
        _ => trouble,
    }
}

/// The distance of a file from the requested path: by its name, or by its whole path.
fn score(path: &str, asked: &str, leaf: &str) -> usize {
    let name = path.rsplit('/').next().unwrap_or(path);
    near::distance(name, leaf).min(near::distance(path, asked))
}

fn no_server(path: &str, site: Site<'_>) -> Trouble {
    let name = path.rsplit('/').next().unwrap_or(path);
    let kind =
        name.rsplit_once('.').map_or_else(|| name.to_owned(), |(_, extension)| format!(".{extension}"));
    let mut languages: Vec<String> =
        site.workspace.servers().into_iter().flat_map(|server| server.languages).collect();
    languages.sort();
    languages.dedup();
    Trouble::new("NO_SERVER", format!("Language server not available for this file type: {kind}"))
        .hint(format!("configured languages: {}", languages.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_made_normal_and_stay_below() {
        assert_eq!(normal("./src//a.rs").as_deref(), Some("src/a.rs"));
        assert_eq!(normal("src/../b.rs").as_deref(), Some("b.rs"));
        assert_eq!(normal("."), Some(String::new()));
        assert_eq!(normal("../a"), None);
        assert_eq!(strip("/a/b/c", "/a/b"), Some("c"));
        assert_eq!(strip("/a/b", "/a/b/"), Some(""));
        assert_eq!(strip("/a/bc", "/a/b"), None);
    }
}
