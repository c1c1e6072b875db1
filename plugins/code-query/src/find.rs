//! Finds symbols by pattern: exact, independent of the server's own search.
//!
//! No server's search supports globs, most cut their lists, and some find only beginnings of words. So every answer
//! comes from outlines of files. The work is to choose the files: those with text that contains the pattern's letters,
//! or, in a large project with a reliable server, those that the server's index names.

use std::collections::{BTreeMap, BTreeSet};

use iac_plugin::json;

use crate::answer::{Answer, Entry, Row};
use crate::code::{self, Code, Thing};
use crate::crawl::{self, Outline, Share};
use crate::doubts::{Doubts, Reason};
use crate::hidden::{self, Sought};
use crate::imports;
use crate::kinds::{self, Kinds};
use crate::pattern::{Case, PathPattern, Pattern};
use crate::request::Common;
use crate::scope::{self, Cut, Desk, Own, Scope, Site, show_range};
use crate::tree::{Node, key};
use crate::trouble::Trouble;
use crate::world::{File, FileFilter, Naming, Place, State};

/// The maximum number of files to examine.
const FILES: u32 = 5_000;

/// The maximum number of files to search as text. With more files, the plugin asks an index.
const SMALL: usize = 2_000;

/// The shortest text that is worth a search.
const LETTERS: usize = 3;

/// The maximum number of texts to search for, one after the other. For a pattern with more alternatives, it is cheaper
/// to read every file once.
const MOST_LETTERS: usize = 16;

/// The largest file that the host reads for a server, in bytes.
const LARGEST: u64 = 10 * 1024 * 1024;

/// The operator that joins names in C macros.
const PASTE: &str = "##";

/// The pattern to find.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) pattern: &'a Pattern,
    pub(crate) kinds: Kinds,
    pub(crate) locals: bool,
    pub(crate) path: Option<&'a str>,
    /// Files to leave out.
    pub(crate) exclude: &'a [PathPattern],
    /// The type of the query, for errors.
    pub(crate) what: &'a str,
}

/// A symbol that was found.
#[derive(Clone)]
pub(crate) struct Hit<'a> {
    pub(crate) site: Site<'a>,
    /// Relative to the root.
    pub(crate) path: String,
    pub(crate) language: String,
    pub(crate) node: Node,
    /// Whether it is declared in the body of a function.
    pub(crate) in_code: bool,
}

impl Hit<'_> {
    /// The beginning of its name.
    pub(crate) fn place(&self) -> Place {
        Place { path: self.path.clone(), at: self.node.name_range.start }
    }
}

/// Which files to examine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// The quickest way.
    Best,
    /// The files that the index names.
    Index,
    /// Every file.
    Crawl,
}

/// Answers `findSymbols`.
pub(crate) fn symbols(desk: &Desk<'_>, wanted: &Wanted<'_>, common: &Common) -> Result<Answer, Trouble> {
    let mut doubts = Doubts::default();
    let hits = hits(desk, wanted, common, Way::Best, &mut doubts)?;
    Ok(Answer::of(&hits, common, doubts, |shown, doubts| rows(shown, common, doubts)))
}

/// Returns every symbol that matches: exact names first, then by path and place. If none matches with its case, returns
/// those that match without it, and adds a note.
pub(crate) fn hits<'a>(
    desk: &Desk<'a>,
    wanted: &Wanted<'_>,
    common: &Common,
    way: Way,
    doubts: &mut Doubts,
) -> Result<Vec<Hit<'a>>, Trouble> {
    let mut outlines = Vec::new();
    let letters = letters(wanted, 1).filter(|_| way != Way::Crawl);
    let share = letters.as_deref().map_or(Share::Whole, Share::Named);
    for scope in desk.scopes(wanted.path)? {
        let files = candidates(&scope, wanted, common, way, doubts)?;
        let files = readable(&scope, files, doubts);
        let (site, locals, what) = (scope.site, wanted.locals, wanted.what);
        outlines.extend(crawl::outlines(site, files, &share, common, locals, what, doubts)?);
    }
    let mut hits = matching(&outlines, wanted, Case::Exact);
    let case = if hits.is_empty() { Case::Ignored } else { Case::Exact };
    hidden::doubt(&outlines, Sought::Like(wanted.pattern, case), doubts);
    if hits.is_empty() {
        hits = matching(&outlines, wanted, Case::Ignored);
        if !hits.is_empty() {
            doubts.note("no case-sensitive match; showing case-insensitive");
        }
    }
    if hits.is_empty() {
        hits = in_modules(desk, wanted, common, way, doubts)?;
    }
    sort(&mut hits, wanted.pattern);
    Ok(hits)
}

/// Finds a name that is written with its module, because no outline of a file names the module.
fn in_modules<'a>(
    desk: &Desk<'a>,
    wanted: &Wanted<'_>,
    common: &Common,
    way: Way,
    doubts: &mut Doubts,
) -> Result<Vec<Hit<'a>>, Trouble> {
    for (module, pattern) in wanted.pattern.in_modules() {
        let inner = Wanted { pattern: &pattern, ..*wanted };
        let mut own = Doubts::default();
        let mut outlines = Vec::new();
        for scope in desk.scopes(wanted.path)? {
            let mut files = candidates(&scope, &inner, common, way, &mut own)?;
            let root = scope.site.workspace.root();
            files.retain(|file| is_in_module(&root, &file.path, &module));
            let (site, locals, what) = (scope.site, wanted.locals, wanted.what);
            outlines.extend(crawl::outlines(site, files, &Share::Whole, common, locals, what, &mut own)?);
        }
        let hits = matching(&outlines, &inner, Case::Exact);
        if !hits.is_empty() {
            doubts.join(&own);
            return Ok(hits);
        }
    }
    Ok(Vec::new())
}

/// Whether the names of a module occur in this order among the root's own name, the folders of a path and the name of
/// the file. A crate or a package has the name of its folder, except for hyphens.
fn is_in_module(root: &str, path: &str, module: &[String]) -> bool {
    let own = root.rsplit('/').next().unwrap_or(root);
    let mut parts = std::iter::once(own).chain(path.split('/'));
    let is = |part: &str, name: &str| {
        part.split('.').next().unwrap_or(part).replace('-', "_") == name.replace('-', "_")
    };
    module.iter().all(|name| parts.any(|part| is(part, name)))
}

/// Sets aside files that no server reads, and says so, unless the query named them. If no file is left that an
/// installed server could read, the query fails, and the error says what to install.
pub(crate) fn readable(scope: &Scope<'_>, files: Vec<File>, doubts: &mut Doubts) -> Vec<File> {
    if files.is_empty() || files.iter().any(|file| file.path == scope.under) {
        return files;
    }
    let servers = scope.site.workspace.servers();
    let speaking =
        |file: &File| servers.iter().filter(|one| one.languages.contains(&file.language)).collect::<Vec<_>>();
    let is_read = |file: &File| speaking(file).iter().any(|server| server.state != State::Absent);
    if !files.iter().any(is_read) && files.iter().all(|file| !speaking(file).is_empty()) {
        return files;
    }
    let (large, mut read): (Vec<File>, Vec<File>) = files.into_iter().partition(|file| file.size > LARGEST);
    if let Some(first) = large.first() {
        doubts.fail(large.len());
        doubts.note(format!(
            "`{}` has {} bytes, expected at most {LARGEST}",
            scope.site.show(&first.path),
            first.size
        ));
    }
    read.retain(|file| {
        let read = is_read(file);
        if !read {
            let absent = speaking(file).first().and_then(|server| server.message.clone());
            let why = absent.unwrap_or_else(|| format!("no language server of {} is known", file.language));
            doubts.unserved(file.path.rsplit('.').next().unwrap_or(""), &why);
        }
        read
    });
    read
}

/// Shows symbols, each with its signature, or with its code if the query wants that.
pub(crate) fn rows(hits: &[Hit<'_>], common: &Common, doubts: &mut Doubts) -> Vec<Row> {
    let previews =
        previews(hits.iter().map(|hit| (hit.site, hit.path.as_str(), hit.node.name_range.start.line)));
    let things: Vec<Thing<'_>> =
        hits.iter().map(|hit| (hit.site, hit.path.clone(), Some(hit.node.clone()))).collect();
    let codes = code::of(&things, common, doubts);
    hits.iter().zip(previews).zip(codes).map(|((hit, preview), code)| row(hit, preview, code)).collect()
}

/// Returns lines in the form to show: trimmed, with at most 200 characters.
pub(crate) fn previews<'a>(places: impl Iterator<Item = (Site<'a>, &'a str, u32)>) -> Vec<Option<String>> {
    let places: Vec<_> = places.map(|(site, path, line)| (site, path.to_owned(), line)).collect();
    let lines = scope::lines(places.iter().cloned());
    let cut = |text: &String| text.trim().chars().take(200).collect::<String>();
    places.into_iter().map(|(site, path, line)| lines[&site.number()].get(&(path, line)).map(cut)).collect()
}

fn row(hit: &Hit<'_>, preview: Option<String>, code: Code) -> Row {
    let node = &hit.node;
    let container = (!node.containers.is_empty()).then(|| node.containers.join("."));
    let shown = json!({
        "name": node.name,
        "kind": kinds::name(node.kind),
        "path": hit.site.show_range(&hit.path, &node.range()),
        "container": container,
        "detail": node.detail,
        "preview": preview,
        "body": code.body,
    });
    let name = format!("{} {}", kinds::name(node.kind), node.full_name());
    let entry =
        Entry::of_symbol("symbols", &show_range(&node.range()), &name, code.signature, code.body.as_ref());
    Row::new(hit.site.show(&hit.path), node.full_name(), shown).below_file(entry)
}

fn sort(hits: &mut [Hit<'_>], pattern: &Pattern) {
    hits.sort_by_cached_key(|hit| {
        let inexact = !pattern.names_exactly(&hit.node.name);
        let start = key(hit.node.name_range.start);
        (inexact, hit.site.number(), hit.path.clone(), start, hit.node.name.clone())
    });
}

fn matching<'a>(outlines: &[Outline<'a>], wanted: &Wanted<'_>, case: Case) -> Vec<Hit<'a>> {
    let mut hits = Vec::new();
    let mut doubtful: Vec<(Site<'a>, BTreeSet<imports::Spot>)> = Vec::new();
    for outline in outlines {
        let listed = !wanted.locals && imports::are_listed(&outline.file.language);
        for node in &outline.tree.nodes {
            if !wanted.kinds.has(node.kind) || !wanted.pattern.matches(&node.containers, &node.name, case) {
                continue;
            }
            if listed && may_be_imported(node) {
                let spot = spot(&outline.file.path, node);
                match doubtful.iter_mut().find(|(site, _)| site.is(&outline.site)) {
                    Some((_, spots)) => drop(spots.insert(spot)),
                    None => doubtful.push((outline.site, BTreeSet::from([spot]))),
                }
            }
            hits.push(hit(outline, node));
        }
    }
    for (site, spots) in doubtful {
        let imported = imports::among(site, &spots);
        let is = |hit: &Hit<'_>| {
            hit.site.is(&site) && may_be_imported(&hit.node) && imported.contains(&spot(&hit.path, &hit.node))
        };
        hits.retain(|hit| !is(hit));
    }
    hits
}

/// Whether it can be a name in an import: it is at the top of a file, and is in one line or is a value, because some
/// servers give each name the range of the whole import.
pub(crate) fn may_be_imported(node: &Node) -> bool {
    let is_value = matches!(node.kind, kinds::VARIABLE | kinds::CONSTANT | kinds::MODULE);
    node.parent.is_none() && (is_value || node.whole.start.line == node.whole.end.line)
}

/// The beginning of a symbol's name.
pub(crate) fn spot(path: &str, node: &Node) -> imports::Spot {
    let start = node.name_range.start;
    ((path.to_owned(), start.line), start.column)
}

fn hit<'a>(outline: &Outline<'a>, node: &Node) -> Hit<'a> {
    Hit {
        site: outline.site,
        path: outline.file.path.clone(),
        language: outline.file.language.clone(),
        node: node.clone(),
        in_code: outline.tree.is_in_code(node),
    }
}

/// Returns the files that can contain a match, in order of their paths.
fn candidates(
    scope: &Scope<'_>,
    wanted: &Wanted<'_>,
    common: &Common,
    way: Way,
    doubts: &mut Doubts,
) -> Result<Vec<File>, Trouble> {
    let listed = own(scope, wanted, None)?;
    let excluded = |file: &File| scope.leaves(&file.path) || scope.site.is_among(wanted.exclude, &file.path);
    // An index is asked only about the languages of listed files, so a list that the host cut proves nothing there.
    if listed.cut == Some(Cut::Host) {
        cap(listed.cut, doubts);
    }
    let in_names = letters(wanted, LETTERS);
    let in_texts = text_letters(wanted).filter(|_| way != Way::Crawl);
    let pasted =
        in_texts.as_deref().map_or_else(Vec::new, |letters| pasted(scope, letters, &listed.items, common));
    let small = listed.cut.is_none() && listed.items.len() <= SMALL;
    let all = listed.items.len();
    let mut found = match in_texts {
        Some(letters) if all > 1 => {
            // An index knows the names of symbols, but not their containers.
            let names = in_names.filter(|_| way == Way::Index || !small);
            match names.and_then(|names| indexed(scope, &names, &listed.items, common, doubts)) {
                Some(found) => found,
                None => containing(scope, wanted, &letters, doubts)?,
            }
        }
        _ => {
            cap(listed.cut, doubts);
            listed.items
        }
    };
    let known: BTreeSet<String> = found.iter().map(|file| file.path.clone()).collect();
    let more: Vec<File> = pasted.into_iter().filter(|file| !known.contains(&file.path)).collect();
    if !more.is_empty() {
        found.extend(more);
        found.sort_by(|one, other| one.path.cmp(&other.path));
    }
    Ok(found.into_iter().filter(|file| !excluded(file)).collect())
}

/// The files for a name that no text contains because a C macro joins it from parts. If there are such macros, the
/// server's index may know the name.
fn pasted(scope: &Scope<'_>, letters: &[String], files: &[File], common: &Common) -> Vec<File> {
    let site = scope.site;
    let languages: BTreeSet<&str> = files.iter().map(|file| file.language.as_str()).collect();
    let of_macros = |language: &&str| matches!(crawl::naming(site, language), Naming::Scoped);
    let language = if files.len() > 1 { languages.into_iter().find(of_macros) } else { None };
    let whole = Scope::new(site, String::new());
    let pasting = || whole.listed(&FileFilter { containing: Some(PASTE.to_owned()), ..scope::filter("", 1) });
    let Some(language) = language.filter(|_| pasting().is_ok_and(|found| !found.items.is_empty())) else {
        return Vec::new();
    };
    let mut known = BTreeSet::new();
    for one in letters {
        let answer = site.workspace.workspace_symbols(language, &one.to_ascii_lowercase(), common.timeout);
        let items = answer.map(|answer| answer.items).unwrap_or_default();
        known.extend(items.into_iter().map(|symbol| symbol.location.path));
    }
    files.iter().filter(|file| known.contains(&file.path)).cloned().collect()
}

/// Letters that a name or a text must contain to be examined. A name that the server made up need not be in the text;
/// such names appear only with `includeLocals`.
fn letters(wanted: &Wanted<'_>, least: usize) -> Option<Vec<String>> {
    let pattern = Some(wanted.pattern).filter(|_| !wanted.locals);
    pattern?.literals(least).filter(|letters| letters.len() <= MOST_LETTERS)
}

/// Letters that the text of a file must contain to be examined: they are part of the name or of a container.
fn text_letters(wanted: &Wanted<'_>) -> Option<Vec<String>> {
    let pattern = Some(wanted.pattern).filter(|_| !wanted.locals);
    pattern?.text_literals(LETTERS).filter(|letters| letters.len() <= MOST_LETTERS)
}

/// The files with text that contains any of the letters.
fn containing(
    scope: &Scope<'_>,
    wanted: &Wanted<'_>,
    letters: &[String],
    doubts: &mut Doubts,
) -> Result<Vec<File>, Trouble> {
    let mut found: BTreeMap<String, File> = BTreeMap::new();
    for one in letters {
        let files = own(scope, wanted, Some(one))?;
        cap(files.cut, doubts);
        found.extend(files.items.into_iter().map(|file| (file.path.clone(), file)));
    }
    Ok(found.into_values().collect())
}

/// Lists the files to examine. If a path that the query names has none, those that Git ignores count too.
fn own(scope: &Scope<'_>, wanted: &Wanted<'_>, containing: Option<&String>) -> Result<Own, Trouble> {
    let filter = FileFilter { containing: containing.cloned(), ..scope::filter(&scope.under, FILES) };
    let files = scope.own(&filter, wanted.exclude)?;
    if files.is_empty && !scope.under.is_empty() {
        return scope.own(&FileFilter { ignored: true, ..filter }, wanted.exclude);
    }
    Ok(files)
}

fn cap(cut: Option<Cut>, doubts: &mut Doubts) {
    let note = match cut {
        Some(Cut::Host) => {
            "the root has too many files, or folders nested too deeply; set `path` to one file".to_owned()
        }
        Some(Cut::Limit) => format!("only the first {FILES} files were looked at; narrow path"),
        None => return,
    };
    doubts.add(Reason::FileCap);
    doubts.note(note);
}

/// The files that the servers' indexes name; `None` unless the index of every language's server is reliable.
fn indexed(
    scope: &Scope<'_>,
    letters: &[String],
    files: &[File],
    common: &Common,
    doubts: &mut Doubts,
) -> Option<Vec<File>> {
    let languages: BTreeSet<&str> = files.iter().map(|file| file.language.as_str()).collect();
    let mut found: BTreeMap<String, File> = BTreeMap::new();
    for language in languages {
        let server = scope.site.workspace.prepare(language, common.wait).ok()?;
        if !(server.search.substring && server.abilities.workspace_symbols) {
            return None;
        }
        for one in letters {
            let answer = scope
                .site
                .workspace
                .workspace_symbols(language, &one.to_ascii_lowercase(), common.timeout)
                .ok()?;
            let capped = server.search.cap.is_some_and(|cap| answer.items.len() >= cap as usize);
            if capped || !answer.freshness.doubts.is_empty() {
                return None;
            }
            doubts.hear(&answer.freshness);
            let below = |path: &str| {
                scope.under.is_empty()
                    || path == scope.under
                    || path.strip_prefix(&scope.under).is_some_and(|rest| rest.starts_with('/'))
            };
            for symbol in answer.items.into_iter().filter(|symbol| below(&symbol.location.path)) {
                let path = symbol.location.path;
                found.entry(path.clone()).or_insert_with(|| crawl::file(&path, language));
            }
        }
    }
    Some(found.into_values().collect())
}

#[cfg(test)]
mod tests {
    use super::is_in_module;

    #[test]
    fn modules_are_named_as_folders() {
        let check = |path: &str, module: &str| {
            let module: Vec<String> = module.split('.').map(str::to_owned).collect();
            is_in_module("/home/my-crate", path, &module)
        };
        assert!(check("src/a/b.rs", "a.b") && check("src/a/b.rs", "my_crate.b") && check("c.go", "my-crate"));
        assert!(
            !check("src/a/b.rs", "b.a") && !check("src/a/b.rs", "crate.b") && !check("b.rs", "b.my_crate")
        );
    }
}
