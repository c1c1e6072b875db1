//! `outline`: the symbols of one file as a tree.

use std::collections::BTreeSet;

use iac_plugin::{Json, json};

use crate::answer::{Answer, Row};
use crate::crawl::{self, Share};
use crate::doubts::Doubts;
use crate::find;
use crate::hidden::{self, Sought};
use crate::imports;
use crate::kinds::{self, Kinds};
use crate::pattern::{Case, Pattern};
use crate::request::Common;
use crate::scope::{Desk, Site, show_range};
use crate::tree::{Node, Tree};
use crate::trouble::Trouble;
use crate::world::File;

/// The wanted part of a file.
pub(crate) struct Wanted<'a> {
    pub(crate) path: &'a str,
    pub(crate) pattern: Option<&'a Pattern>,
    pub(crate) kinds: Kinds,
    /// The number of levels: 1 is a match without its contents.
    pub(crate) depth: Option<usize>,
    pub(crate) locals: bool,
}

/// Answers `outline`.
pub(crate) fn answer(desk: &Desk<'_>, wanted: &Wanted<'_>, common: &Common) -> Result<Answer, Trouble> {
    let mut doubts = Doubts::default();
    let (site, file) = desk.file(wanted.path)?;
    let (files, locals) = (vec![file.clone()], wanted.locals);
    let found = crawl::outlines(site, files, &Share::Whole, common, locals, "outline", &mut doubts)?;
    hidden::doubt(
        &found,
        wanted.pattern.map_or(Sought::Any, |pattern| Sought::Like(pattern, Case::Exact)),
        &mut doubts,
    );
    let tree = found.into_iter().next().map(|outline| outline.tree).unwrap_or_default();
    let dropped = if wanted.locals { BTreeSet::new() } else { imported(site, &file, &tree) };
    let shown = shown(&tree, &dropped, wanted, &mut doubts);
    let roots: Vec<usize> =
        (0..tree.nodes.len()).filter(|&at| shown[at] && tree.nodes[at].parent.is_none()).collect();
    let mut answer = Answer::of(&roots, common, doubts, |page, _| {
        page.iter().map(|&at| row(site, &file, &tree, at, &shown)).collect()
    });
    answer.extra.insert("symbols".to_owned(), json!(shown.iter().filter(|shown| **shown).count()));
    Ok(answer)
}

/// The top-level names that are only imported.
fn imported(site: Site<'_>, file: &File, tree: &Tree) -> BTreeSet<usize> {
    if !imports::are_listed(&file.language) {
        return BTreeSet::new();
    }
    let spot = |at: usize| find::spot(&file.path, &tree.nodes[at]);
    let doubtful: Vec<usize> =
        (0..tree.nodes.len()).filter(|&at| find::may_be_imported(&tree.nodes[at])).collect();
    let found = imports::among(site, &doubtful.iter().map(|&at| spot(at)).collect());
    doubtful.into_iter().filter(|&at| found.contains(&spot(at))).collect()
}

/// Marks the symbols to show: the matches, their contents down to the wanted depth, and their containers.
fn shown(tree: &Tree, dropped: &BTreeSet<usize>, wanted: &Wanted<'_>, doubts: &mut Doubts) -> Vec<bool> {
    let exact = matches(tree, dropped, wanted, Case::Exact);
    let found = if exact.contains(&true) || wanted.pattern.is_none() {
        exact
    } else {
        let loose = matches(tree, dropped, wanted, Case::Ignored);
        if loose.contains(&true) {
            doubts.note("no case-sensitive match; showing case-insensitive");
        }
        loose
    };
    let mut shown = found.clone();
    for at in (0..tree.nodes.len()).filter(|&at| found[at]) {
        let mut parent = tree.nodes[at].parent;
        while let Some(above) = parent.filter(|&above| !shown[above]) {
            shown[above] = true;
            parent = tree.nodes[above].parent;
        }
    }
    shown
}

/// Marks the matches, and their contents down to the wanted depth. Without a pattern everything matches, so only the
/// kind and the depth from the top decide. With a pattern, a match shows its contents only if the query gives a depth.
fn matches(tree: &Tree, dropped: &BTreeSet<usize>, wanted: &Wanted<'_>, case: Case) -> Vec<bool> {
    let mut levels: Vec<Option<usize>> = Vec::with_capacity(tree.nodes.len());
    let depth = wanted.depth.unwrap_or(if wanted.pattern.is_some() { 1 } else { usize::MAX });
    let mut found = Vec::with_capacity(tree.nodes.len());
    for (at, node) in tree.nodes.iter().enumerate() {
        let above = node.parent.and_then(|parent| levels[parent]).map(|level| level + 1);
        let kind = wanted.kinds.has(node.kind);
        let own = match wanted.pattern {
            Some(pattern) => (kind && pattern.matches(&node.containers, &node.name, case)).then_some(1),
            None => node.parent.is_none().then_some(1),
        };
        let level = if dropped.contains(&at) { None } else { own.or(above) };
        levels.push(level);
        let wanted_kind = kind || wanted.pattern.is_some();
        found.push(level.is_some_and(|level| level <= depth) && wanted_kind);
    }
    found
}

fn row(site: Site<'_>, file: &File, tree: &Tree, at: usize, shown: &[bool]) -> Row {
    let node = &tree.nodes[at];
    let json = nodes(tree, shown, at);
    Row::new(site.show(&file.path), format!("{} {}", kinds::name(node.kind), node.full_name()), json)
}

/// Shows a symbol with its contents. Goes through the nodes in reverse, so that the contents of each node exist when
/// the node itself is shown.
fn nodes(tree: &Tree, shown: &[bool], root: usize) -> Json {
    let end =
        (root + 1..tree.nodes.len()).find(|&at| tree.nodes[at].parent.is_none()).unwrap_or(tree.nodes.len());
    let mut children: Vec<Vec<Json>> = vec![Vec::new(); end - root];
    for at in (root..end).rev().filter(|&at| shown[at]) {
        let held: Vec<Json> = std::mem::take(&mut children[at - root]).into_iter().rev().collect();
        let json = node(&tree.nodes[at], held);
        if at == root {
            return json;
        }
        // If a server lists a container twice, the contents of the second one may have their parent under an earlier
        // root.
        let slot = tree.nodes[at].parent.and_then(|parent| parent.checked_sub(root));
        slot.into_iter().for_each(|slot| children[slot].push(json.clone()));
    }
    Json::Null
}

fn node(node: &Node, children: Vec<Json>) -> Json {
    let mut shown =
        json!({"name": node.name, "kind": kinds::name(node.kind), "range": show_range(&node.range())});
    if let Some(detail) = &node.detail {
        shown["detail"] = json!(detail);
    }
    if !children.is_empty() {
        shown["children"] = Json::Array(children);
    }
    shown
}
