//! The symbols of one file as a tree, with names, kinds and order that do not depend on the server.
//!
//! Servers name things in different ways: methods of Rust are below `impl Shape for Circle`, C++ says
//! `util::Circle::area`, Go `(*Circle).Area`, and TypeScript sorts by letters and lists callbacks. Here all of these
//! are `Circle.area`, in the order of the text.

mod names;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use crate::kinds::{self, Kind};
use crate::world::{Naming, Position, Range, Symbol, Symbols};

/// The symbols of one file, parents before their children, in the order of the text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    /// The symbols, each with the index of its parent.
    pub(crate) nodes: Vec<Node>,
}

/// One symbol.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Its name without its container.
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// The names of its containers, from the top of the file.
    pub(crate) containers: Vec<String>,
    /// More, such as a signature.
    pub(crate) detail: Option<String>,
    /// The range of its name.
    pub(crate) name_range: Range,
    /// The whole symbol, with its documentation.
    pub(crate) whole: Range,
    /// The index of its parent among the nodes.
    pub(crate) parent: Option<usize>,
}

impl Node {
    /// From its name to its end: a later question can use the beginning as its place.
    pub(crate) fn range(&self) -> Range {
        let end =
            if key(self.whole.end) < key(self.name_range.end) { self.name_range.end } else { self.whole.end };
        Range { start: self.name_range.start, end }
    }

    /// Its name with its container: `Animation.getFrame`.
    pub(crate) fn full_name(&self) -> String {
        let names: Vec<&str> =
            self.containers.iter().map(String::as_str).chain([self.name.as_str()]).collect();
        names.join(".")
    }

    /// Whether a person would ask for it by name. No one does that for an implementation block, or for a call of a
    /// macro, which has the name of the macro.
    pub(crate) fn is_named(&self) -> bool {
        !matches!(self.kind, kinds::OBJECT | kinds::NULL)
    }
}

impl Tree {
    /// Reads a server's symbols of a file. Without `locals`, declarations in a function are left out, except for
    /// functions and classes.
    pub(crate) fn read(symbols: &Symbols, naming: Naming, locals: bool) -> Self {
        let items = &symbols.items;
        let parents = if symbols.flat { enclosing(items) } else { given(items) };
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); items.len()];
        let mut roots = Vec::new();
        for (at, parent) in parents.into_iter().enumerate() {
            parent.map_or(&mut roots, |parent| &mut children[parent]).push(at);
        }
        let mut reader = Reader { items, children, naming, locals, seen: BTreeSet::new(), nodes: Vec::new() };
        reader.read(roots);
        Self { nodes: reader.nodes }
    }

    /// Returns the innermost symbol around a place that is not itself declared there.
    pub(crate) fn around(&self, at: Position) -> Option<&Node> {
        let holds = |node: &&Node| {
            node.is_named()
                && key(node.whole.start) <= key(at)
                && key(at) < key(node.whole.end)
                && key(node.name_range.start) != key(at)
        };
        self.nodes
            .iter()
            .filter(holds)
            .max_by_key(|node| (key(node.whole.start), std::cmp::Reverse(key(node.whole.end))))
    }

    /// Returns the innermost function around a place, otherwise the innermost symbol around it.
    pub(crate) fn caller(&self, at: Position) -> Option<&Node> {
        let mut node = self.around(at)?;
        let outer = node;
        while !kinds::is_callable(node.kind) {
            match node.parent {
                Some(parent) => node = &self.nodes[parent],
                None => return Some(outer),
            }
        }
        Some(node)
    }

    /// Tells whether a symbol is declared in the body of a function.
    pub(crate) fn is_in_code(&self, node: &Node) -> bool {
        let mut parent = node.parent;
        while let Some(above) = parent.map(|at| &self.nodes[at]) {
            // A symbol that is assigned to a function from outside is its member.
            if kinds::is_callable(above.kind) && covers(above.whole, node.name_range.start) {
                return true;
            }
            parent = above.parent;
        }
        false
    }

    /// Returns the symbol whose name is at a place.
    pub(crate) fn named_at(&self, at: Position) -> Option<&Node> {
        self.nodes
            .iter()
            .find(|node| key(node.name_range.start) <= key(at) && key(at) < key(node.name_range.end))
    }

    /// Returns the symbol whose name is at a place, otherwise the innermost one around it that begins there.
    pub(crate) fn declared_at(&self, at: Position) -> Option<&Node> {
        self.named_at(at).or_else(|| self.nodes.iter().rev().find(|node| key(node.whole.start) == key(at)))
    }

    /// Returns the symbol that is declared at a place, otherwise the one around it on the same line: TypeScript gives a
    /// function that is assigned to a name as the implementation, and not the name.
    pub(crate) fn implemented_at(&self, at: Position) -> Option<&Node> {
        let assigned = || self.around(at).filter(|node| node.name_range.start.line == at.line);
        self.declared_at(at).or_else(assigned)
    }
}

/// A line and a column, both from 0.
pub(crate) type Spot = (u32, u32);

/// The sort key of a place.
pub(crate) fn key(at: Position) -> Spot {
    (at.line, at.column)
}

struct Reader<'a> {
    items: &'a [Symbol],
    children: Vec<Vec<usize>>,
    naming: Naming,
    locals: bool,
    seen: BTreeSet<(String, Spot, Spot)>,
    nodes: Vec<Node>,
}

/// A symbol that is still to be read.
#[derive(Clone, Copy)]
struct Waiting {
    at: usize,
    /// Its nearest container that was kept.
    parent: Option<usize>,
    /// The kind of its container, whether that was kept or not.
    held_by: Option<Kind>,
    /// Its container, as the server reports it.
    holder: Option<usize>,
}

impl Reader<'_> {
    /// Reads with its own stack, since files can be nested deeper than the call stack allows.
    fn read(&mut self, roots: Vec<usize>) {
        let mut stack = Vec::new();
        self.push(&mut stack, roots, Waiting { at: 0, parent: None, held_by: None, holder: None });
        while let Some(waiting) = stack.pop() {
            let Waiting { at, parent, held_by, holder } = waiting;
            let symbol = &self.items[at];
            // A symbol that is assigned to a function or a class from outside is its member.
            let is_given = holder
                .is_some_and(|holder| !covers(self.items[holder].location.range, symbol.name_range.start));
            let synthetic = names::is_synthetic(&symbol.name) || (is_given && symbol.name == "prototype");
            if !self.locals && !synthetic && !is_given && is_local(symbol.kind, self.naming, held_by) {
                continue;
            }
            let kept = if synthetic && !self.locals { None } else { self.keep(symbol, parent, held_by) };
            // A namespace or an object has the scope of its container; an anonymous function is still a function.
            let is_scope = is_scope(symbol.kind) || is_implementation(symbol.kind, self.naming);
            let kind = if is_scope && !(is_given && synthetic) { Some(symbol.kind) } else { held_by };
            let children = std::mem::take(&mut self.children[at]);
            let held = Waiting { at, parent: kept.or(parent), held_by: kind, holder: Some(at) };
            self.push(&mut stack, children, held);
        }
    }

    /// Pushes siblings onto the stack so that the first in the text is popped first.
    fn push(&self, stack: &mut Vec<Waiting>, mut siblings: Vec<usize>, like: Waiting) {
        siblings.sort_by_key(|&at| {
            let symbol = &self.items[at];
            (key(symbol.name_range.start), key(symbol.location.range.end), &symbol.name)
        });
        stack.extend(siblings.into_iter().rev().map(|at| Waiting { at, ..like }));
    }

    /// Keeps a symbol and returns its index; `None` for a symbol that is already there.
    fn keep(&mut self, symbol: &Symbol, parent: Option<usize>, held_by: Option<Kind>) -> Option<usize> {
        let read = names::read(&symbol.name, symbol.kind, self.naming);
        let held = |at: usize| self.nodes[at].containers.iter().cloned().chain([self.nodes[at].name.clone()]);
        let containers: Vec<String> = parent.map(held).into_iter().flatten().chain(read.containers).collect();
        let name_range = leaf_of(symbol, &read.name);
        let (start, end) = (key(name_range.start), key(name_range.end));
        if !self.seen.insert((read.name.clone(), start, end)) {
            return self
                .nodes
                .iter()
                .position(|node| node.name == read.name && key(node.name_range.start) == start);
        }
        self.nodes.push(Node {
            name: read.name,
            kind: names::kind(symbol.kind, self.naming, held_by),
            containers,
            detail: read.detail.or_else(|| symbol.detail.clone()).filter(|detail| !detail.trim().is_empty()),
            name_range,
            whole: symbol.location.range,
            parent,
        });
        Some(self.nodes.len() - 1)
    }
}

fn covers(range: Range, at: Position) -> bool {
    key(range.start) <= key(at) && key(at) < key(range.end)
}

/// The range of the last part of a dotted name. Some servers report the range of the whole name, and some that of the
/// first part.
fn leaf_of(symbol: &Symbol, leaf: &str) -> Range {
    let mut range = symbol.name_range;
    let length = |text: &str| u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    let width = range.end.column.checked_sub(range.start.column);
    let first = symbol.name.split('.').next().unwrap_or_default();
    let spelt = range.start.line == range.end.line
        && [symbol.name.as_str(), first].iter().any(|said| width == Some(length(said)));
    if let Some(before) = symbol.name.strip_suffix(leaf).filter(|before| spelt && before.ends_with('.')) {
        range.start.column += length(before);
        range.end.column = range.start.column + length(leaf);
    }
    range
}

/// The contents of an implementation block are members, wherever the block stands.
fn is_implementation(kind: Kind, naming: Naming) -> bool {
    kind == kinds::OBJECT && matches!(naming, Naming::Rust)
}

fn is_scope(kind: Kind) -> bool {
    kinds::is_callable(kind)
        || kinds::is_type(kind)
        || matches!(
            kind,
            kinds::MODULE
                | kinds::NAMESPACE
                | kinds::VARIABLE
                | kinds::CONSTANT
                | kinds::PROPERTY
                | kinds::FIELD
        )
}

/// Whether symbols of this kind are private to their container.
fn is_local(kind: Kind, naming: Naming, held_by: Option<Kind>) -> bool {
    let Some(holder) = held_by else { return false };
    let in_code = kinds::is_callable(holder)
        || matches!(holder, kinds::VARIABLE | kinds::CONSTANT | kinds::PROPERTY | kinds::FIELD);
    match kind {
        kinds::VARIABLE | kinds::CONSTANT | kinds::MODULE => in_code,
        // Rust's associated types have this number.
        kinds::TYPE_PARAMETER => in_code || (kinds::is_type(holder) && !matches!(naming, Naming::Rust)),
        _ => false,
    }
}

fn given(items: &[Symbol]) -> Vec<Option<usize>> {
    let before = |(at, symbol): (usize, &Symbol)| {
        symbol.parent.map(|parent| parent as usize).filter(|&parent| parent < at)
    };
    items.iter().enumerate().map(before).collect()
}

/// Finds the container of each symbol if a server gives no tree: the symbol with the smallest range around it.
fn enclosing(items: &[Symbol]) -> Vec<Option<usize>> {
    let bounds = |at: usize| (key(items[at].location.range.start), key(items[at].location.range.end));
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&at| (bounds(at).0, std::cmp::Reverse(bounds(at).1), at));
    let mut parents = vec![None; items.len()];
    let mut open: Vec<usize> = Vec::new();
    for at in order {
        while open.last().is_some_and(|&outer| bounds(outer).1 < bounds(at).1 || bounds(outer) == bounds(at))
        {
            open.pop();
        }
        parents[at] = open.last().copied();
        open.push(at);
    }
    parents
}
