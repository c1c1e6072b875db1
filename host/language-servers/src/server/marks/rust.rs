//! Symbols that macro calls declare in Rust. rust-analyzer does not outline macro calls. It knows the kind of a word
//! in a call, unless the word is in the body of a macro or the build excludes the call.

use std::ops::Range as Span;

use super::{
    CONSTANT, ENUM, ENUM_MEMBER, FIELD, FUNCTION, INTERFACE, METHOD, MODULE, Mark, OBJECT, Open, Page,
    STRUCT, TYPE_ALIAS, covers, has_code, range, shape, symbol as made,
};
use crate::code::Code;
use crate::types::Symbol;

/// Keywords after which a name is declared.
const ITEMS: [&str; 10] =
    ["fn", "struct", "enum", "union", "trait", "mod", "type", "const", "static", "macro_rules"];

/// Words that may stand between such a keyword and the name.
const BETWEEN: [&str; 3] = ["mut", "ref", "!"];

/// Words that are not names.
const WORDS: [&str; 12] =
    ["fn", "unsafe", "extern", "async", "for", "in", "if", "_", "self", "Self", "crate", "where"];

pub(super) fn open(code: &Code<'_>, page: &Page<'_>, symbols: &[Symbol]) -> Open {
    let mut open = Open::default();
    let mut at = 0;
    while at < code.len() {
        let Some(call) = call(code, at) else {
            at += 1;
            continue;
        };
        let names: Vec<usize> = call.tokens.clone().filter_map(|at| declared(code, at)).collect();
        if !call.defines && (!names.is_empty() || is_item(code, page, symbols, &call)) {
            open.parts.push(code.place(call.tokens.start).start..code.place(call.tokens.end).start);
            open.blocks.extend(call.tokens.clone().filter_map(|at| block(code, page, at)));
        }
        open.names.extend(names);
        at = call.tokens.end;
    }
    open
}

/// A macro call or definition.
struct Call {
    /// The tokens between its brackets.
    tokens: Span<usize>,
    defines: bool,
}

/// Parses `name! {`, `name!(` and `macro_rules! name {`.
fn call(code: &Code<'_>, at: usize) -> Option<Call> {
    if code.word(at + 1) != "!" || !code.is_name(at) || !code.touches_next(at) {
        return None;
    }
    let defines = code.word(at) == "macro_rules" && code.is_name(at + 2);
    let bracket = if defines { at + 3 } else { at + 2 };
    Some(Call { tokens: bracket + 1..code.close(bracket)?, defines })
}

/// Whether a macro call stands where an item can, and contains a word that it could declare.
fn is_item(code: &Code<'_>, page: &Page<'_>, symbols: &[Symbol], call: &Call) -> bool {
    let at = page.text.position(code.place(call.tokens.start - 1).start);
    let in_code = |symbol: &Symbol| has_code(symbol.kind) && covers(symbol.location.range, at);
    call.tokens.clone().any(|at| code.is_name(at)) && !symbols.iter().any(in_code)
}

/// Returns the name that is declared after a keyword.
fn declared(code: &Code<'_>, item: usize) -> Option<usize> {
    if !ITEMS.contains(&code.word(item)) || code.before(item) == "$" {
        return None;
    }
    let mut name = item + 1;
    while BETWEEN.contains(&code.word(name)) {
        name += 1;
    }
    // A raw identifier.
    if code.word(name) == "r" && code.word(name + 1) == "#" {
        name += 2;
    }
    let behind = code.word(name + 1);
    let fits = match code.word(item) {
        "union" => behind == "{" || behind == "<",
        // Pointer types use these words too. With some macros, the type is implied.
        "const" | "static" => matches!(behind, ":" | "="),
        "type" => matches!(behind, "=" | ":" | "<" | ";"),
        "fn" => matches!(behind, "(" | "<"),
        _ => true,
    };
    (fits && code.is_name(name) && code.word(name) != "$" && !WORDS.contains(&code.word(name)))
        .then_some(name)
}

/// Returns an `impl` block as a symbol, so that its contents belong to its type.
fn block(code: &Code<'_>, page: &Page<'_>, at: usize) -> Option<Symbol> {
    let begins = matches!(code.before(at), "" | "{" | "}" | ";" | "]" | "(" | "unsafe");
    if code.word(at) != "impl" || !begins {
        return None;
    }
    let mut open = at + 1;
    while !matches!(code.word(open), "{" | "" | ";" | "$") {
        open += 1;
    }
    let close = code.close(open)?;
    let head = code.place(at).start..code.place(open - 1).end;
    let name = page.text.as_str()[head].split_whitespace().collect::<Vec<_>>().join(" ");
    let about = subject(code, at, open);
    let whole = code.place(at).start..code.place(close).end;
    Some(made(page, &name, OBJECT, range(page.text, code.place(about)), whole))
}

/// Finds the type of an `impl` block: the last name outside `<>` and before the bounds.
fn subject(code: &Code<'_>, keyword: usize, open: usize) -> usize {
    let (mut depth, mut found) = (0_i32, keyword);
    for at in keyword + 1..open {
        match code.word(at) {
            "<" => depth += 1,
            ">" if code.before(at) != "-" => depth -= 1,
            "where" => break,
            _ if depth == 0 && code.is_name(at) => found = at,
            _ => {}
        }
    }
    found
}

/// Converts a token of rust-analyzer to a symbol; `None` for a symbol that is private to a function.
pub(super) fn symbol(code: &Code<'_>, page: &Page<'_>, mark: &Mark) -> Option<Symbol> {
    let mut at = code.at(page.text.offset(mark.name.start))?;
    if code.word(at) == "r" && code.word(at + 1) == "#" {
        at += 2;
    }
    let kind = if matches!(code.before(at), "static" | "const" | "ref" | "mut") {
        CONSTANT
    } else {
        kind(&mark.word)?
    };
    let whole = code.whole(at, shape(kind));
    Some(made(page, code.word(at), kind, range(page.text, code.place(at)), whole))
}

fn kind(word: &str) -> Option<u8> {
    Some(match word {
        "namespace" => MODULE,
        "struct" | "union" => STRUCT,
        "enum" => ENUM,
        "enumMember" => ENUM_MEMBER,
        "interface" => INTERFACE,
        "function" | "macro" => FUNCTION,
        "method" => METHOD,
        "property" => FIELD,
        "const" | "static" => CONSTANT,
        "typeAlias" => TYPE_ALIAS,
        _ => return None,
    })
}
