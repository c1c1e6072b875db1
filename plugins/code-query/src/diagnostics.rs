//! `diagnostics`: the messages of compilers and linters about a file, a folder or everything, and the number of checked
//! files.

use std::collections::{BTreeMap, BTreeSet};

use iac_plugin::json;

use crate::answer::{Answer, Entry, Row};
use crate::crawl;
use crate::doubts::{self, Doubts, Reason};
use crate::find;
use crate::request::Common;
use crate::scope::{self, Desk, Scope, Site, show_range};
use crate::tree::key;
use crate::trouble::Trouble;
use crate::world::{Cause, Diagnostic, Diagnostics, Failure, File, Naming};

/// The maximum number of files to ask about one by one.
const FILES: usize = 200;

/// The maximum number of files to count.
const LISTED: u32 = 5_000;

/// rust-analyzer's code for a file that belongs to no crate. It checks nothing else there.
const UNLINKED: &str = "unlinked-file";

/// The host does not let rust-analyzer run the compiler, because that would build the project.
const OWN_CHECKS: &str =
    "these are the server's own checks and not the compiler's; `cargo check` finds the rest";

/// Which diagnostics a query asks for.
pub(crate) struct Wanted<'a> {
    pub(crate) path: Option<&'a str>,
    /// Severities by their numbers in LSP; an empty list means all.
    pub(crate) severities: &'a [u8],
    pub(crate) source: Option<&'a str>,
}

/// Answers `diagnostics`.
pub(crate) fn answer(desk: &Desk<'_>, wanted: &Wanted<'_>, common: &Common) -> Result<Answer, Trouble> {
    let mut found = Found::default();
    match wanted.path {
        Some(path) => match desk.file(path) {
            Ok((site, file)) => found.files(site, vec![file], 1, common),
            Err(trouble) if trouble.code == "BAD_FIELD" => found.scope(&desk.scope(path)?, common, false)?,
            Err(trouble) => return Err(trouble),
        },
        None => {
            for scope in desk.scopes(None)? {
                found.scope(&scope, common, true)?;
            }
        }
    }
    found.answer(wanted, common)
}

/// The diagnostics so far.
#[derive(Default)]
struct Found<'a> {
    said: Vec<(Site<'a>, Diagnostic)>,
    doubts: Doubts,
    failure: Option<Failure>,
    checked: usize,
    of: usize,
}

impl<'a> Found<'a> {
    /// Asks about everything below a folder: in one question if the server of the language supports that, otherwise
    /// file by file.
    fn scope(&mut self, scope: &Scope<'a>, common: &Common, whole: bool) -> Result<(), Trouble> {
        let listed = scope.own(&scope::filter(&scope.under, LISTED), &common.exclude)?;
        if listed.cut.is_some() {
            self.doubts.add(Reason::FileCap);
        }
        let mut languages: BTreeMap<String, Vec<File>> = BTreeMap::new();
        for file in find::readable(scope, listed.items, &mut self.doubts) {
            languages.entry(file.language.clone()).or_default().push(file);
        }
        for (language, files) in languages {
            let at_once =
                whole && common.exclude.is_empty() && self.at_once(scope, &language, files.len(), common);
            if !at_once {
                let of = files.len();
                self.files(scope.site, files, of, common);
            }
        }
        Ok(())
    }

    /// Asks for everything at once; false if the server cannot answer that.
    fn at_once(&mut self, scope: &Scope<'a>, language: &str, files: usize, common: &Common) -> bool {
        let site = scope.site;
        let prepared = site.workspace.prepare(language, common.wait);
        if !prepared.is_ok_and(|server| server.abilities.workspace_diagnostics) {
            return false;
        }
        match site.workspace.workspace_diagnostics(language, common.timeout) {
            Ok(mut answer) => {
                answer.items.retain(|one| !scope.leaves(&one.location.path));
                self.hear(site, answer);
                self.checked += files;
                self.of += files;
                true
            }
            Err(_) => false,
        }
    }

    fn files(&mut self, site: Site<'a>, mut files: Vec<File>, of: usize, common: &Common) {
        self.of += of;
        if files.len() > FILES {
            self.doubts.add(Reason::FileCap);
            self.doubts
                .note(format!("only the first {FILES} files of a language were looked at; narrow path"));
            files.truncate(FILES);
        }
        // A loading server may report more later.
        let languages: BTreeSet<&str> = files.iter().map(|file| file.language.as_str()).collect();
        for language in languages {
            let prepared = site.workspace.prepare(language, common.wait);
            if prepared.is_ok_and(|server| server.naming == Naming::Rust) {
                self.doubts.add(Reason::OwnChecks);
                self.doubts.note(OWN_CHECKS);
            }
        }
        let paths: Vec<String> = files.into_iter().map(|file| file.path).collect();
        match site.workspace.diagnostics(&paths, common.timeout) {
            Err(failure) => self.fail(failure, paths.len(), common),
            Ok(answers) => {
                let mut unlinked = Vec::new();
                for (path, answer) in paths.iter().zip(answers) {
                    match answer {
                        Err(failure) => self.fail(failure, 1, common),
                        Ok(answer) => {
                            let is_unlinked =
                                answer.items.iter().any(|one| one.code.as_deref() == Some(UNLINKED));
                            unlinked.extend(is_unlinked.then(|| site.show(path)));
                            self.checked += usize::from(!is_unlinked);
                            self.hear(site, answer);
                        }
                    }
                }
                self.unlinked(&unlinked);
            }
        }
    }

    /// Says which files the server did not check because they belong to no crate.
    fn unlinked(&mut self, paths: &[String]) {
        if !paths.is_empty() {
            self.doubts.add(Reason::ServerScope);
            let named = doubts::named(paths, "files");
            self.doubts.note(format!("not checked, because they belong to no crate: {named}"));
        }
    }

    fn hear(&mut self, site: Site<'a>, answer: Diagnostics) {
        self.doubts.hear(&answer.freshness);
        self.said.extend(answer.items.into_iter().map(|one| (site, one)));
    }

    fn fail(&mut self, failure: Failure, files: usize, common: &Common) {
        if failure.cause == Cause::Timeout {
            self.doubts.add(Reason::Deadline);
        }
        self.doubts.fail(files);
        let trouble = Trouble::of(failure.clone(), "diagnostics", common.timeout);
        self.doubts.note(trouble.message);
        self.failure.get_or_insert(failure);
    }

    fn answer(self, wanted: &Wanted<'_>, common: &Common) -> Result<Answer, Trouble> {
        if let (0, Some(failure)) = (self.checked, self.failure) {
            return Err(Trouble::of(failure, "diagnostics", common.timeout));
        }
        if !common.allow_partial && self.doubts.has(Reason::Loading) {
            let servers = self.said.first().map(|(site, _)| site.workspace.servers()).unwrap_or_default();
            let loading = servers.into_iter().find(|server| crawl::is_loading(server.state));
            return Err(loading.map_or_else(
                || Trouble::new("NOT_READY", "a server is still loading; retry in ~5000 ms"),
                |server| crawl::not_ready(&server),
            ));
        }
        let said = chosen(self.said, wanted);
        let mut answer = Answer::of(&said, common, self.doubts, |shown, _| shown.iter().map(row).collect());
        answer.extra.insert("checked".to_owned(), json!(format!("{}/{}", self.checked, self.of)));
        Ok(answer)
    }
}

/// The wanted diagnostics, by path and place, each once.
fn chosen<'a>(said: Vec<(Site<'a>, Diagnostic)>, wanted: &Wanted<'_>) -> Vec<(Site<'a>, Diagnostic)> {
    let source = |one: &Diagnostic| one.source.clone().unwrap_or_default();
    let fits = |one: &Diagnostic| {
        (wanted.severities.is_empty() || wanted.severities.contains(&one.severity))
            && wanted.source.is_none_or(|wanted| source(one).eq_ignore_ascii_case(wanted))
    };
    let mut chosen: Vec<(Site<'a>, Diagnostic)> = said.into_iter().filter(|(_, one)| fits(one)).collect();
    chosen.sort_by_cached_key(|(site, one)| {
        let range = one.location.range;
        (
            site.number(),
            one.location.path.clone(),
            key(range.start),
            one.severity,
            one.message.clone(),
            key(range.end),
        )
    });
    let mut seen = BTreeSet::new();
    chosen.retain(|(site, one)| {
        let range = one.location.range;
        seen.insert((
            site.number(),
            one.location.path.clone(),
            key(range.start),
            key(range.end),
            one.code.clone(),
            fold(&one.message),
        ))
    });
    chosen
}

fn row((site, one): &(Site<'_>, Diagnostic)) -> Row {
    let range = one.location.range;
    let path = site.show(&one.location.path);
    let severity = match one.severity {
        1 => "error",
        2 => "warning",
        3 => "info",
        _ => "hint",
    };
    let shown = json!({
        "path": path,
        "line": range.start.line + 1,
        "column": range.start.column + 1,
        "endLine": range.end.line + 1,
        "endColumn": range.end.column + 1,
        "severity": severity,
        "message": fold(&one.message),
        "code": one.code,
        "source": one.source,
    });
    let label = format!("{severity} {}:{}", range.start.line + 1, range.start.column + 1);
    let said: Vec<&str> = one.source.as_deref().into_iter().chain(one.code.as_deref()).collect();
    let by = if said.is_empty() { String::new() } else { format!(" [{}]", said.join(" ")) };
    let tail = format!(": {}{by}", fold(&one.message));
    let entry =
        Entry { list: "diagnostics", holder: None, head: format!("{} {severity}", show_range(&range)), tail };
    Row::new(path, label, shown).below_file(entry)
}

/// One line with ordinary spaces, 500 characters at most. ty ends a message with lines of `info:`, such as the folders
/// in which it searched, and they are the same in many rows.
fn fold(message: &str) -> String {
    let end = message.find("\ninfo: ").unwrap_or(message.len());
    message[..end]
        .split(|letter: char| letter.is_whitespace())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .take(500)
        .collect()
}
