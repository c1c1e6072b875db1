//! Types that conform to an interface by their members, without its name: TypeScript's interfaces, Python's protocols.

use std::collections::BTreeSet;

use crate::asker::Asker;
use crate::kin::{self, Class};
use crate::kinds;
use crate::tree::{Node, Tree, key};
use crate::world::{Location, Position};

/// Whether types of a language can conform by their members alone.
pub(crate) fn is_structural(language: &str) -> bool {
    language == "python" || language.starts_with("typescript")
}

/// The members with a name that may belong to the same interface as those of the holders. A member belongs to it if its
/// own holder has every member that the interface asks for.
pub(crate) fn loose(
    asker: &Asker<'_, '_>,
    holders: &[Class],
    at: Vec<Location>,
    name: &str,
) -> Vec<Location> {
    let mut all: Vec<Location> = at.clone();
    all.extend(holders.iter().map(|(path, node)| Location { path: path.clone(), range: node.name_range }));
    let shapes = Shapes { asker, trees: whole_trees(asker, &all) };
    let own: Vec<Shape> =
        holders.iter().filter_map(|(path, node)| shapes.read(path, node.name_range.start)).collect();
    let fits = |one: &Location| {
        let Some(tree) = shapes.trees.get(&one.path) else { return false };
        let Some(held) = outer(tree, one.range.start) else { return false };
        let Some(shape) = shapes.read(&one.path, held.name_range.start) else { return false };
        own.iter().any(|own| own.meets(&shape, name) || shape.meets(own, name))
    };
    at.into_iter().filter(fits).collect()
}

fn whole_trees(asker: &Asker<'_, '_>, all: &[Location]) -> std::collections::BTreeMap<String, Tree> {
    let paths: BTreeSet<&str> = all.iter().map(|one| one.path.as_str()).collect();
    paths.into_iter().filter_map(|path| Some((path.to_owned(), asker.outline_with_locals(path)?))).collect()
}

/// The type or the value that holds a member.
fn outer(tree: &Tree, at: Position) -> Option<&Node> {
    let parent = tree.named_at(at)?.parent?;
    let node = &tree.nodes[parent];
    let is_value = matches!(node.kind, kinds::VARIABLE | kinds::CONSTANT | kinds::PROPERTY | kinds::FIELD);
    (kinds::is_type(node.kind) || is_value).then_some(node)
}

struct Shapes<'x, 'a, 'b> {
    asker: &'x Asker<'a, 'b>,
    trees: std::collections::BTreeMap<String, Tree>,
}

/// The members of a type.
struct Shape {
    is_interface: bool,
    /// Whether it has more members, from a type that it names.
    derives: bool,
    names: BTreeSet<String>,
    /// Those that a value must have.
    asked: BTreeSet<String>,
}

impl Shape {
    /// Whether this has what an interface asks for.
    fn meets(&self, interface: &Self, name: &str) -> bool {
        interface.is_interface
            && self.names.contains(name)
            && interface.names.contains(name)
            && (self.derives || interface.asked.is_subset(&self.names))
    }
}

impl Shapes<'_, '_, '_> {
    fn read(&self, path: &str, at: Position) -> Option<Shape> {
        let tree = self.trees.get(path)?;
        let own = tree.nodes.iter().position(|node| key(node.name_range.start) == key(at))?;
        let members: Vec<&Node> = tree.nodes.iter().filter(|node| node.parent == Some(own)).collect();
        let site = self.asker.located.site;
        let lines = site.lines(members.iter().map(|node| (path.to_owned(), node.name_range.end.line)));
        let is_optional = |node: &Node| {
            let end = node.name_range.end;
            let line = lines.get(&(path.to_owned(), end.line)).map_or("", String::as_str);
            line.chars().nth(end.column as usize) == Some('?')
        };
        let class = (path.to_owned(), tree.nodes[own].clone());
        let bases = if kinds::is_type(class.1.kind) {
            kin::head(site, &self.asker.located.language, &class)
        } else {
            Vec::new()
        };
        let is_protocol = bases.iter().any(|base| base.text.rsplit('.').next() == Some("Protocol"));
        let is_plain =
            |text: &str| matches!(text.rsplit('.').next(), Some("Protocol" | "Generic" | "ABC" | "object"));
        Some(Shape {
            is_interface: is_protocol || matches!(class.1.kind, kinds::INTERFACE | kinds::TYPE_ALIAS),
            derives: bases.iter().any(|base| !is_plain(&base.text)),
            names: members.iter().map(|node| node.name.clone()).collect(),
            asked: members.iter().filter(|node| !is_optional(node)).map(|node| node.name.clone()).collect(),
        })
    }
}
