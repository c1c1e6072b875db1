//! What outlines of TypeScript leave out or say at another place: namespaces that are declared again, of which they list
//! the first, and functions that are given to a prototype, which are children of a name that ends before them.

use std::collections::HashSet;

use super::{
    CONSTRUCTOR, FUNCTION, METHOD, NAMESPACE, Page, VARIABLE, covers, innermost, range, symbol as made,
};
use crate::code::{Code, Shape};
use crate::types::{Position, Symbol};

/// What is no symbol to whoever reads an outline.
const MADE_UP: &str = "<function>";

/// Lets `A.prototype.b = function c() {}` be a method with all that it holds; a function of the same name is not another one.
pub(super) fn settle(symbols: &mut [Symbol]) {
    for at in 1..symbols.len() {
        let Some((name, parent)) =
            symbols[at].parent.map(|parent| (parent as usize, &symbols[parent as usize]))
        else {
            continue;
        };
        let is_function = matches!(symbols[at].kind, FUNCTION | METHOD | CONSTRUCTOR);
        let is_given = parent.kind == VARIABLE
            && !covers(parent.location.range, symbols[at].location.range.start)
            && parent.parent.is_some_and(|owner| {
                !covers(symbols[owner as usize].location.range, parent.name_range.start)
            });
        if is_function && is_given {
            symbols[name].kind = METHOD;
            symbols[name].location.range.end = symbols[at].location.range.end;
            if symbols[name].name == symbols[at].name {
                MADE_UP.clone_into(&mut symbols[at].name);
            }
        }
    }
}

/// The namespaces of a text that are not among the symbols and have a namesake there.
pub(super) fn again(code: &Code<'_>, page: &Page<'_>, symbols: &[Symbol]) -> Vec<Symbol> {
    let named: Vec<(usize, usize)> = (0..code.len()).filter_map(|at| declared(code, at)).collect();
    if named.len() < 2 {
        return Vec::new();
    }
    let known: HashSet<Position> = symbols.iter().map(|symbol| symbol.name_range.start).collect();
    let mut found = Vec::new();
    for (first, last) in named {
        let name = page.text.as_str().get(code.place(first).start..code.place(last).end).unwrap_or_default();
        let name_range = range(page.text, code.place(first).start..code.place(last).end);
        let twin = |symbol: &Symbol| symbol.kind == NAMESPACE && symbol.name == name;
        if known.contains(&name_range.start) || !symbols.iter().any(twin) {
            continue;
        }
        let mut one = made(page, name, NAMESPACE, name_range, code.whole(first, Shape::Block));
        one.parent = innermost(symbols, name_range.start).and_then(|at| u32::try_from(at).ok());
        found.push(one);
    }
    found
}

/// The first and the last part of the name of a namespace: `namespace A.B {`.
fn declared(code: &Code<'_>, at: usize) -> Option<(usize, usize)> {
    let begins = matches!(code.before(at), "" | "{" | "}" | ";" | "export" | "declare");
    if !begins || !matches!(code.word(at), "namespace" | "module") || !code.is_name(at + 1) {
        return None;
    }
    let mut last = at + 1;
    while code.word(last + 1) == "." && code.is_name(last + 2) {
        last += 2;
    }
    (code.word(last + 1) == "{").then_some((at + 1, last))
}
