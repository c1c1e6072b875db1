//! Outlines of many files, and the files without one.

use std::collections::BTreeMap;

use crate::doubts::{Doubts, Reason, named};
use crate::request::Common;
use crate::scope::Site;
use crate::tree::Tree;
use crate::trouble::Trouble;
use crate::world::{
    Cause, Doubt, Each, Failure, File, Naming, Part, Position, Range, Server, State, Symbols,
};

/// The maximum number of files in one request for outlines.
const FILES: usize = 400;

/// The maximum number of bytes of source in one request for whole outlines, so that the answer is not too long.
const BYTES: u64 = 2 * 1024 * 1024;

/// A file and its symbols.
pub(crate) struct Outline<'a> {
    /// The root of the file.
    pub(crate) site: Site<'a>,
    pub(crate) file: File,
    /// Its symbols.
    pub(crate) tree: Tree,
    /// Whole lines that the server leaves out.
    pub(crate) hidden: Vec<Range>,
}

/// The wanted part of each outline. A symbol has the same meaning in a part as in the whole.
pub(crate) enum Share<'a> {
    /// All of it.
    Whole,
    /// Symbols with one of these texts in their name.
    Named(&'a [String]),
    /// Symbols around these places, and symbols with the name at one of them. The places are listed by path.
    Around(&'a BTreeMap<&'a str, Vec<Position>>),
}

impl Share<'_> {
    fn part(&self, path: &str) -> Option<Part> {
        let (around, named) = match self {
            Self::Whole => return None,
            Self::Named(letters) => (Vec::new(), letters.to_vec()),
            Self::Around(places) => (places.get(path).cloned().unwrap_or_default(), Vec::new()),
        };
        Some(Part { path: path.to_owned(), around, named })
    }
}

/// Returns the outlines of files, in their order. Files that fail are counted and their reasons noted.
///
/// # Errors
/// The first failure if no file has an outline; `NOT_READY` if the query wants only complete answers.
pub(crate) fn outlines<'a>(
    site: Site<'a>,
    files: Vec<File>,
    share: &Share<'_>,
    common: &Common,
    locals: bool,
    what: &str,
    doubts: &mut Doubts,
) -> Result<Vec<Outline<'a>>, Trouble> {
    let mut crawl = Crawl {
        site,
        share,
        namings: BTreeMap::new(),
        locals,
        wait: common.wait,
        failures: Vec::new(),
        partial: Vec::new(),
        broken: Vec::new(),
        found: Vec::new(),
    };
    let mut rest = files.into_iter().peekable();
    while rest.peek().is_some() {
        let batch = batch(&mut rest, if matches!(share, Share::Whole) { BYTES } else { u64::MAX });
        crawl.batch(batch, common.timeout, doubts);
        // A server that did not answer in time is not asked again; its remaining files are counted.
        if crawl.timed_out() {
            crawl.failures.extend(rest.by_ref().map(|file| (file, failure_of_time())));
        }
    }
    crawl.finish(common, what, doubts)
}

/// A file with only a path and a language.
pub(crate) fn file(path: &str, language: &str) -> File {
    File { path: path.to_owned(), language: language.to_owned(), size: 0, stamp: 0 }
}

/// Returns the form of names in a language.
pub(crate) fn naming(site: Site<'_>, language: &str) -> Naming {
    // Asks only the server that has just answered: the list of all servers is longer.
    let server = site.workspace.prepare(language, 0).ok().or_else(|| site.server(language));
    server.map_or(Naming::Plain, |server| server.naming)
}

pub(crate) fn not_ready(server: &Server) -> Trouble {
    let progress = server.progress.as_ref().map(|progress| format!(" ({progress})")).unwrap_or_default();
    let message = format!("{} is still loading{progress}; retry in ~5000 ms", server.profile);
    Trouble { retry_after: Some(5_000), ..Trouble::new("NOT_READY", message) }
}

struct Crawl<'a, 'b> {
    site: Site<'a>,
    share: &'b Share<'b>,
    namings: BTreeMap<String, Naming>,
    locals: bool,
    /// The maximum time for which a server may load.
    wait: u32,
    failures: Vec<(File, Failure)>,
    /// Files that a server could read only in part.
    partial: Vec<String>,
    /// Files with syntax errors.
    broken: Vec<String>,
    found: Vec<Outline<'a>>,
}

impl<'a> Crawl<'a, '_> {
    fn batch(&mut self, files: Vec<File>, deadline: u32, doubts: &mut Doubts) {
        match self.ask(&files, deadline) {
            Err(failure) => self.failures.extend(files.into_iter().map(|file| (file, failure.clone()))),
            Ok(mut answers) => {
                self.ask_again(&files, &mut answers, deadline);
                files.into_iter().zip(answers).for_each(|(file, answer)| match answer {
                    Ok(symbols) => self.read(file, &symbols, doubts),
                    Err(failure) => self.failures.push((file, failure)),
                });
            }
        }
    }

    /// Some servers outline a file before they know the project, and leave symbols out. So this waits for the server
    /// and asks again.
    fn ask_again(&mut self, files: &[File], answers: &mut [Result<Symbols, Failure>], deadline: u32) {
        let loads = |symbols: &Symbols| symbols.freshness.doubts.contains(&Doubt::Loading);
        let open: Vec<usize> = (0..files.len())
            .filter(|&at| answers.get(at).is_some_and(|one| one.as_ref().is_ok_and(loads)))
            .collect();
        let Some(&first) = open.first() else { return };
        let wait = std::mem::take(&mut self.wait);
        let prepared = self.site.workspace.prepare(&files[first].language, wait);
        if !prepared.is_ok_and(|server| !is_loading(server.state)) {
            return;
        }
        let asked: Vec<File> = open.iter().map(|&at| files[at].clone()).collect();
        for (at, answer) in open.into_iter().zip(self.ask(&asked, deadline).into_iter().flatten()) {
            answers[at] = answer;
        }
    }

    fn ask(&self, files: &[File], deadline: u32) -> Each<Symbols> {
        let parts: Vec<Part> = files.iter().filter_map(|file| self.share.part(&file.path)).collect();
        if !parts.is_empty() {
            return self.site.workspace.symbol_parts(&parts, deadline);
        }
        let paths: Vec<String> = files.iter().map(|file| file.path.clone()).collect();
        self.site.workspace.document_symbols(&paths, deadline)
    }

    fn read(&mut self, file: File, symbols: &Symbols, doubts: &mut Doubts) {
        doubts.hear(&symbols.freshness);
        if symbols.freshness.doubts.contains(&Doubt::Degraded) {
            self.partial.push(self.site.show(&file.path));
        }
        if symbols.freshness.doubts.contains(&Doubt::Syntax) {
            self.broken.push(self.site.show(&file.path));
        }
        let naming =
            *self.namings.entry(file.language.clone()).or_insert_with(|| naming(self.site, &file.language));
        let tree = Tree::read(symbols, naming, self.locals);
        self.found.push(Outline { site: self.site, file, tree, hidden: symbols.hidden.clone() });
    }

    fn timed_out(&self) -> bool {
        self.failures.last().is_some_and(|(_, failure)| failure.cause == Cause::Timeout)
    }

    fn finish(self, common: &Common, what: &str, doubts: &mut Doubts) -> Result<Vec<Outline<'a>>, Trouble> {
        if !common.allow_partial && doubts.has(Reason::Loading) {
            let loading = self.site.workspace.servers().into_iter().find(|server| is_loading(server.state));
            return Err(loading.map_or_else(
                || Trouble::new("NOT_READY", "a server is still loading; retry in ~5000 ms"),
                |server| not_ready(&server),
            ));
        }
        if let (true, Some((_, failure))) = (self.found.is_empty(), self.failures.first()) {
            return Err(Trouble::of(failure.clone(), what, common.timeout));
        }
        report(&self.failures, common.timeout, what, doubts);
        if !self.partial.is_empty() {
            let files = named(&self.partial, "files");
            doubts.explain(
                Reason::Degraded,
                format!("what these files need was not all found: {files}; diagnostics say what"),
            );
        }
        if !self.broken.is_empty() {
            let files = named(&self.broken, "files");
            doubts.explain(
                Reason::SyntaxErrors,
                format!("symbols after a syntax error may be missing: {files}"),
            );
        }
        Ok(self.found)
    }
}

/// Tells whether a server does not know the project yet.
pub(crate) fn is_loading(state: State) -> bool {
    matches!(state, State::Starting | State::Loading | State::Idle)
}

/// Counts files that failed, and says why, once for each reason.
fn report(failures: &[(File, Failure)], timeout: u32, what: &str, doubts: &mut Doubts) {
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for (_, failure) in failures {
        if failure.cause == Cause::Timeout {
            doubts.add(Reason::Deadline);
        }
        *reasons.entry(Trouble::of(failure.clone(), what, timeout).message).or_default() += 1;
    }
    doubts.fail(failures.len());
    for (message, count) in reasons {
        let files = if count == 1 { "file" } else { "files" };
        doubts.note(format!("{count} {files}: {message}"));
    }
}

fn batch(rest: &mut std::iter::Peekable<std::vec::IntoIter<File>>, most: u64) -> Vec<File> {
    let mut batch: Vec<File> = Vec::new();
    let mut bytes = 0;
    while let Some(file) =
        rest.next_if(|file| batch.is_empty() || (batch.len() < FILES && bytes + file.size <= most))
    {
        bytes += file.size;
        batch.push(file);
    }
    batch
}

fn failure_of_time() -> Failure {
    Failure {
        cause: Cause::Timeout,
        message: "the deadline passed".to_owned(),
        suggestion: None,
        retry_after: None,
    }
}
