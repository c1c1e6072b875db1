//! Types in function bodies, with their members and constants. clangd leaves these out of its outlines.

use std::ops::Range as Span;

use super::{
    CLASS, CONSTRUCTOR, ENUM, ENUM_MEMBER, FIELD, FUNCTION, METHOD, Mark, Open, Page, STRUCT, TYPE_ALIAS,
    has_code, shape, span, symbol as made,
};
use crate::code::Code;
use crate::text::Text;
use crate::types::{Position, Range, Symbol};

/// The most words between `struct` and its name.
const AHEAD: usize = 6;

/// Returns the function bodies in which a type is declared.
pub(super) fn open(code: &Code<'_>, text: &Text, symbols: &[Symbol]) -> Open {
    let bodies = symbols.iter().filter(|symbol| has_code(symbol.kind)).filter_map(|symbol| {
        let whole = span(text, symbol.location.range);
        let (first, last) = (code.from(whole.start), code.from(whole.end));
        let brace = (first..last).find(|&at| code.word(at) == "{")?;
        (brace..last).any(|at| declares(code, at)).then(|| code.place(brace).start..whole.end)
    });
    let mut parts: Vec<Span<usize>> = bodies.collect();
    parts.sort_by_key(|part| (part.start, part.end));
    Open { parts, ..Open::default() }
}

/// Whether a type seems to be declared in a function body, judged from the text alone.
pub(super) fn seems_open(code: &Code<'_>) -> bool {
    let mut blocks = Vec::new();
    for at in 0..code.len() {
        match code.word(at) {
            "{" => blocks.push(matches!(code.before(at), ")" | "const" | "noexcept" | "override")),
            "}" => drop(blocks.pop()),
            _ if blocks.contains(&true) && declares(code, at) => return true,
            _ => {}
        }
    }
    false
}

/// Whether a word begins a type declaration: `struct a {`, `enum class b : char`, `typedef`, `using c =`.
fn declares(code: &Code<'_>, at: usize) -> bool {
    match code.word(at) {
        "typedef" => true,
        "using" => code.word(at + 2) == "=",
        "struct" | "class" | "union" | "enum" => has_block(code, at),
        _ => false,
    }
}

fn has_block(code: &Code<'_>, keyword: usize) -> bool {
    let mut at = keyword + 1;
    for _ in 0..AHEAD {
        match code.word(at) {
            "{" | ":" => return true,
            "(" | "[" => match code.close(at) {
                Some(close) => at = close,
                None => return false,
            },
            _ if code.is_name(at) => {}
            _ => return false,
        }
        at += 1;
    }
    false
}

/// Converts a token of clangd to a symbol; `None` for a symbol that is private to a function, and for a type that is
/// only named.
pub(super) fn symbol(code: &Code<'_>, page: &Page<'_>, mark: &Mark) -> Option<Symbol> {
    let at = code.at(page.text.offset(mark.name.start))?;
    let (mut kind, mut name, mut first) = (kind(mark)?, code.word(at).to_owned(), at);
    let (before, next) = (code.before(at), code.word(at + 1));
    match kind {
        CONSTRUCTOR if before == "~" => (name, first) = (format!("~{name}"), at - 1),
        METHOD if before == "operator" => (name, first) = (format!("operator{name}"), at - 1),
        CLASS | ENUM if matches!(before, "struct" | "class" | "union" | "enum") => {
            let has_block = matches!(next, "{" | ":" | "final");
            if !has_block && !mark.defined {
                return None;
            }
            kind = if before == "struct" && kind == CLASS { STRUCT } else { kind };
        }
        // A name given to the type before it, as in `typedef`.
        CLASS if !matches!(next, "{" | ":" | "final") => kind = TYPE_ALIAS,
        _ => {}
    }
    let whole = code.whole(at, shape(kind));
    let name_range =
        Range { start: page.text.position(code.place(first).start), end: end(page, code, at, mark) };
    Some(made(page, &name, if kind == TYPE_ALIAS { CLASS } else { kind }, name_range, whole))
}

fn end(page: &Page<'_>, code: &Code<'_>, at: usize, mark: &Mark) -> Position {
    mark.name.end.max(page.text.position(code.place(at).end))
}

fn kind(mark: &Mark) -> Option<u8> {
    Some(match mark.word.as_str() {
        "class" if mark.special => CONSTRUCTOR,
        "class" => CLASS,
        "enum" => ENUM,
        "enumMember" => ENUM_MEMBER,
        "type" => TYPE_ALIAS,
        "property" => FIELD,
        "method" | "operator" => METHOD,
        // A function that is only declared here is defined elsewhere.
        "function" if mark.defined => FUNCTION,
        _ => return None,
    })
}
