//! Symbols that TypeScript outlines omit or misplace. Of a namespace that is declared several times, they list only
//! the first. A function that is assigned to a prototype appears as the child of a name whose range ends before the
//! function.

use std::collections::HashSet;

use super::{
    CLASS, CONSTANT, CONSTRUCTOR, FIELD, FUNCTION, METHOD, NAMESPACE, PROPERTY, Page, TYPE_ALIAS, VARIABLE,
    covers, innermost, range, symbol as made,
};
use crate::code::{Code, Shape};
use crate::text::Text;
use crate::types::{Position, Symbol};

/// The name that the server invents for a function without one. Readers of an outline skip it.
const MADE_UP: &str = "<function>";

/// Turns `A.prototype.b = function c() {}` into a method with all of its contents. A function of the same name is not a
/// separate symbol.
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

/// Turns a value into a function if one is assigned to it: `const f = () => …`, as most functions are written.
pub(super) fn name_functions(code: &Code<'_>, text: &Text, symbols: &mut [Symbol]) {
    for at in 0..symbols.len() {
        if !matches!(symbols[at].kind, VARIABLE | CONSTANT | PROPERTY | FIELD) {
            continue;
        }
        let name = code.at(text.offset(symbols[at].name_range.start));
        if name.and_then(|name| given(code, name)).is_some_and(|value| is_function(code, value)) {
            let holder = symbols[at].parent.and_then(|parent| symbols.get(parent as usize));
            symbols[at].kind =
                if holder.is_some_and(|holder| holder.kind == CLASS) { METHOD } else { FUNCTION };
        }
    }
}

/// Marks type aliases, which TypeScript 7 calls classes. In a function they stay classes, as a reader of an outline
/// leaves out other things that only a function sees.
pub(super) fn name_aliases(code: &Code<'_>, text: &Text, symbols: &mut [Symbol]) {
    for at in 0..symbols.len() {
        let holder = symbols[at].parent.and_then(|parent| symbols.get(parent as usize));
        if symbols[at].kind != CLASS || holder.is_some_and(|holder| holder.kind != NAMESPACE) {
            continue;
        }
        let name = code.at(text.offset(symbols[at].name_range.start));
        if name.is_some_and(|name| code.before(name) == "type") {
            symbols[at].kind = TYPE_ALIAS;
        }
    }
}

/// Returns the first token of the value that is assigned to a name. A type may stand between the two.
fn given(code: &Code<'_>, name: usize) -> Option<usize> {
    let (mut at, mut angles) = (name + 1, 0_usize);
    while at < code.len() {
        match code.word(at) {
            // Neither `==`, nor a `=>` within a type.
            "=" if angles == 0 && code.word(at + 1) != ">" => return Some(at + 1),
            "=" if code.word(at + 1) == ">" => at += 1,
            "<" => angles += 1,
            ">" => angles = angles.saturating_sub(1),
            "(" | "[" | "{" => at = code.close(at)?,
            ";" | "," | ")" | "]" | "}" => return None,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Whether a value is a function: `function`, `x =>`, `(x): T =>`, `async <T>(x) =>`.
fn is_function(code: &Code<'_>, value: usize) -> bool {
    let mut at = if code.word(value) == "async" { value + 1 } else { value };
    if code.word(at) == "function" {
        return true;
    }
    if code.word(at) == "<" {
        while at < code.len() && code.word(at) != "(" {
            at += 1;
        }
    }
    let Some(mut behind) =
        (if code.word(at) == "(" { code.close(at).map(|close| close + 1) } else { Some(at + 1) })
    else {
        return false;
    };
    if code.word(behind) == ":" && code.word(at) == "(" {
        // The result type ends at the arrow. If something else ends it, this is not an arrow function.
        while behind < code.len() && !matches!(code.word(behind), "=" | ";" | "?") {
            behind = match code.word(behind) {
                "(" | "[" | "{" => code.close(behind).map_or(code.len(), |close| close + 1),
                _ => behind + 1,
            };
        }
    }
    code.word(behind) == "=" && code.word(behind + 1) == ">" && code.touches_next(behind)
}

/// Returns the namespaces in a text that repeat a listed one and are not listed themselves.
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

/// Returns the first and the last part of a namespace's name: `namespace A.B {`.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Dialect;

    fn check(text: &str, expected: bool) {
        let code = Code::read(text, Dialect::Script, &[]);
        let name = (0..code.len()).find(|&at| code.word(at) == "f").unwrap();
        let found = given(&code, name).is_some_and(|value| is_function(&code, value));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn type_aliases_are_no_classes() {
        for (source, expected) in
            [("export type f = 1", TYPE_ALIAS), ("type f<T> = T[]", TYPE_ALIAS), ("class f {}", CLASS)]
        {
            let text = Text::new(source.to_owned());
            let page = Page { path: "a.ts", text: &text, hidden: &[] };
            let at = source.find(" f").unwrap() + 1;
            let mut symbols = [made(&page, "f", CLASS, range(&text, at..at + 1), 0..source.len())];
            name_aliases(&Code::read(source, Dialect::Script, &[]), &text, &mut symbols);
            assert_eq!(symbols[0].kind, expected, "{source}");
        }
    }

    #[test]
    fn values_that_are_functions() {
        for text in [
            "export const f = (a, b = (1)) => a",
            "const f = async x => x",
            "const f = async <T,>(x: T): Promise<Map<T, () => void>> => { }",
            "const f: (a: Map<A, B>) => C = function (a) {}",
            "const f = (a): a is string => true",
            "class A { f = (a) => a }",
        ] {
            check(text, true);
        }
        for text in [
            "const f = a(x => x)",
            "const f = (a)",
            "let f, g = () => 1",
            "const f = a ? (b) : () => c",
            "f: string;",
            "const f = [() => 1]",
        ] {
            check(text, false);
        }
    }
}
