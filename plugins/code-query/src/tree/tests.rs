use super::*;
use crate::world::{Freshness, Location};

/// Symbols as `indent kind name start-end`, one a line; the indent is the depth.
fn symbols(text: &str, flat: bool) -> Symbols {
    let mut open: Vec<u32> = Vec::new();
    let mut items = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let depth = (line.len() - line.trim_start().len()) / 2;
        let mut words = line.trim().splitn(3, ' ');
        let mut word = || words.next().expect("kind, lines and name");
        let (kind, lines, name) = (word(), word(), word());
        let (start, end) = lines.split_once('-').expect("two lines");
        let at = |line: &str, column| Position { line: line.parse().expect("a number"), column };
        open.truncate(depth);
        let whole = Range { start: at(start, 0), end: at(end, 9) };
        items.push(Symbol {
            name: name.to_owned(),
            kind: kind.parse().expect("a number"),
            detail: None,
            location: Location { path: "a".to_owned(), range: whole },
            name_range: Range { start: at(start, 1), end: at(start, 5) },
            container: None,
            parent: if flat { None } else { open.last().copied() },
            deprecated: false,
        });
        open.push(items.len() as u32 - 1);
    }
    Symbols {
        items,
        flat,
        hidden: Vec::new(),
        freshness: Freshness { doubts: Vec::new(), settled: 0, generation: 0 },
    }
}

fn check(text: &str, naming: Naming, expected: &[&str]) {
    for flat in [false, true] {
        let tree = Tree::read(&symbols(text, flat), naming, false);
        let shown: Vec<String> = tree
            .nodes
            .iter()
            .map(|node| format!("{} {}", kinds::name(node.kind), node.full_name()))
            .collect();
        assert_eq!(shown, expected, "flat: {flat}");
    }
}

#[test]
fn rust_methods_belong_to_their_type() {
    check(
        "23 0-2 Circle\n19 3-9 impl<T> fmt::Display for shapes::Circle<T>\n  6 4-5 area\n26 10-10 Alias\n11 11-13 Visitor\n  26 12-12 Output\n12 14-20 run\n  26 14-14 Local\n  19 15-18 impl V for X\n    26 16-16 Value",
        Naming::Rust,
        &[
            "struct Circle",
            "object Circle",
            "method Circle.area",
            "typeAlias Alias",
            "interface Visitor",
            "typeAlias Visitor.Output",
            "function run",
            "object run.X",
            "typeAlias run.X.Value",
        ],
    );
}

#[test]
fn scopes_and_receivers_are_told_apart() {
    check(
        "3 0-9 util\n  6 1-2 Inner<a::b>::getDeep\n  6 3-4 Inner::operator[]\n  9 5-6 ::Inner\n5 10-10 Inner<int>\n12 11-11 operator<<int>\n15 12-12 MAX",
        Naming::Scoped,
        &[
            "namespace util",
            "method util.Inner.getDeep",
            "method util.Inner.operator[]",
            "constructor util.::Inner",
            "class Inner",
            "function operator<<int>",
            "macro MAX",
        ],
    );
    check(
        "23 0-1 Circle\n6 2-3 (*Circle).GetR\n6 4-5 Circle.Area\n6 6-7 (*List[T]).Len",
        Naming::Receiver,
        &["struct Circle", "method Circle.GetR", "method Circle.Area", "method List.Len"],
    );
}

#[test]
fn locals_and_callbacks_are_left_out_and_inner_functions_stay() {
    let text = "12 0-20 outer\n  13 1-1 local\n  12 2-9 reduce() callback\n    13 3-3 x\n    12 4-5 named\n  12 10-12 inner\n  5 13-15 Class\n    13 14-14 field\n13 21-22 arrow\n  14 22-22 y";
    let expected = [
        "function outer",
        "function outer.named",
        "function outer.inner",
        "class outer.Class",
        "variable outer.Class.field",
        "variable arrow",
    ];
    check(text, Naming::Plain, &expected);
    let all = Tree::read(&symbols(text, false), Naming::Plain, true);
    assert_eq!(all.nodes.len(), 10);
    assert_eq!(all.nodes[4].full_name(), "outer.reduce() callback.named");
}

#[test]
fn what_is_given_to_a_prototype_is_no_local() {
    // The flat list says nothing about members that are declared outside their class.
    let text = "12 0-2 Route\n  13 4-4 prototype\n    6 4-4 lit\n  6 5-9 dispatch\n    12 5-9 <function>\n      13 6-6 local\n      12 7-8 next\n  13 1-1 own\n5 10-12 Class\n  13 14-14 shared";
    let tree = Tree::read(&symbols(text, false), Naming::Plain, false);
    let shown: Vec<String> =
        tree.nodes.iter().map(|node| format!("{} {}", node.full_name(), tree.is_in_code(node))).collect();
    let expected = [
        "Route false",
        "Route.lit false",
        "Route.dispatch false",
        "Route.dispatch.next true",
        "Class false",
        "Class.shared false",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn signatures_without_a_name_are_no_names() {
    check(
        "11 0-4 Ctor\n  6 1-1 new()\n  6 2-2 ()\n  7 3-3 []\n  9 4-4 <constructor>\n    7 4-4 size\n13 5-5 export=",
        Naming::Plain,
        &["interface Ctor", "method Ctor.new", "property Ctor.size"],
    );
}

#[test]
fn namespaces_with_dots_are_as_many() {
    let text = "3 0-9 Outer\n  3 1-8 A.B\n    12 2-2 f\n2 10-10 ./a.css";
    let expected = ["namespace Outer", "namespace Outer.A.B", "function Outer.A.B.f", "module ./a.css"];
    check(text, Naming::Plain, &expected);
    let mut spelt = symbols("3 0-9 A.Bé", false);
    spelt.items[0].name_range.end.column = 5;
    let tree = Tree::read(&spelt, Naming::Plain, false);
    let node = &tree.nodes[0];
    assert_eq!((node.name.as_str(), &node.containers), ("Bé", &vec!["A".to_owned()]));
    assert_eq!(key(node.name_range.start), (0, 3));
}

#[test]
fn order_is_that_of_the_text_and_twins_are_one() {
    check(
        "5 5-9 B\n  6 7-7 z\n  6 6-6 a\n5 0-2 A",
        Naming::Plain,
        &["class A", "class B", "method B.a", "method B.z"],
    );
    let twice = Tree::read(&symbols("5 0-2 A\n5 0-2 A", false), Naming::Plain, false);
    assert_eq!(twice.nodes.len(), 1);
}

#[test]
fn places_find_their_symbols() {
    let tree = Tree::read(&symbols("5 0-9 A\n  6 2-4 m", false), Naming::Plain, false);
    let name = |node: Option<&Node>| node.map(Node::full_name);
    assert_eq!(name(tree.around(Position { line: 3, column: 0 })).as_deref(), Some("A.m"));
    assert_eq!(name(tree.around(Position { line: 2, column: 1 })).as_deref(), Some("A"));
    assert_eq!(name(tree.named_at(Position { line: 2, column: 3 })).as_deref(), Some("A.m"));
    assert_eq!(name(tree.declared_at(Position { line: 0, column: 0 })).as_deref(), Some("A"));
    assert_eq!(name(tree.around(Position { line: 20, column: 0 })), None);
    let value = Position { line: 2, column: 7 };
    assert_eq!(name(tree.declared_at(value)), None);
    assert_eq!(name(tree.implemented_at(value)).as_deref(), Some("A.m"));
    assert_eq!(name(tree.implemented_at(Position { line: 3, column: 7 })), None);
}

fn implementation(name: &str) -> String {
    names::read(name, kinds::OBJECT, Naming::Rust).name
}

#[test]
fn what_an_implementation_is_about() {
    for (name, expected) in [
        ("impl Circle", "Circle"),
        ("impl Stack<T>", "Stack"),
        ("impl<T: Into<U>> Stack<T>", "Stack"),
        ("impl Shape for &'a mut Circle", "Circle"),
        ("impl From<a::B> for c::D<E> where E: F", "D"),
        ("impl Shape for [T]", "[T]"),
        ("impl Shape for dyn Other", "Other"),
        ("impl", "impl"),
    ] {
        assert_eq!(implementation(name), expected, "{name}");
    }
}
