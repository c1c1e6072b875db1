//! Members of TypeScript's `type A = { … }`, which outlines list only for interfaces.

use std::collections::HashMap;

use super::{METHOD, PROPERTY, Page, range, symbol as made};
use crate::code::Code;
use crate::types::{Position, Symbol};

/// The most nested literals.
const DEEPEST: usize = 32;

/// Returns the members of the types of a text, below the symbols that hold them.
pub(super) fn members(code: &Code<'_>, page: &Page<'_>, symbols: &[Symbol]) -> Vec<Symbol> {
    let known: HashMap<Position, usize> =
        symbols.iter().enumerate().map(|(at, symbol)| (symbol.name_range.start, at)).collect();
    let mut reader = Reader { code, page, first: symbols.len(), found: Vec::new() };
    for at in 0..code.len() {
        if code.word(at) != "type" || !code.is_name(at + 1) || code.before(at) == "." {
            continue;
        }
        let name = page.text.position(code.place(at + 1).start);
        let Some(&own) = known.get(&name) else { continue };
        // Some servers list the members.
        let is_listed = |symbol: &Symbol| symbol.parent.map(|parent| parent as usize) == Some(own);
        let mut value = at + 2;
        if code.word(value) == "<" {
            value = reader.after_angles(value);
        }
        if code.word(value) == "=" && !symbols.iter().any(is_listed) {
            reader.value(value + 1, own, 0);
        }
    }
    reader.found
}

struct Reader<'x, 'a> {
    code: &'x Code<'a>,
    page: &'x Page<'x>,
    /// The index that the first found symbol will have.
    first: usize,
    found: Vec<Symbol>,
}

impl Reader<'_, '_> {
    /// Reads the literals of one type, such as `{ a: A } & B`, and returns where the type ends.
    fn value(&mut self, from: usize, parent: usize, depth: usize) -> usize {
        let code = self.code;
        // Whether what was read is a whole type, so that a name begins something else.
        let (mut at, mut is_whole) = (from, false);
        while at < code.len() {
            match code.word(at) {
                "{" if !is_whole => {
                    let Some(close) = code.close(at) else { return code.len() };
                    if depth < DEEPEST {
                        self.literal(at, close, parent, depth + 1);
                    }
                    (at, is_whole) = (close + 1, true);
                    continue;
                }
                "(" if !is_whole => at = code.close(at).unwrap_or(code.len()),
                "[" => at = code.close(at).unwrap_or(code.len()),
                "<" => {
                    at = self.after_angles(at);
                    continue;
                }
                "=" if code.word(at + 1) == ">" && code.touches_next(at) => {
                    (at, is_whole) = (at + 2, false);
                    continue;
                }
                "&" | "|" | "." | "?" | ":" | "-" => {
                    (at, is_whole) = (at + 1, false);
                    continue;
                }
                "extends" | "is" | "keyof" | "readonly" | "typeof" | "infer" | "unique" | "asserts"
                | "new" | "abstract" => {
                    (at, is_whole) = (at + 1, false);
                    continue;
                }
                _ if code.is_name(at) && !is_whole => {}
                word if word.starts_with(|letter: char| letter.is_ascii_digit()) && !is_whole => {}
                _ => return at,
            }
            (at, is_whole) = (at + 1, true);
        }
        at
    }

    fn after_angles(&self, open: usize) -> usize {
        let (mut at, mut depth) = (open, 0_usize);
        while at < self.code.len() {
            match self.code.word(at) {
                "<" => depth += 1,
                ">" if matches!(self.code.before(at), "=" | "-") => {}
                ">" if depth == 1 => return at + 1,
                ">" => depth -= 1,
                "(" | "[" | "{" => at = self.code.close(at).unwrap_or(self.code.len()),
                ";" | ")" | "]" | "}" => return at,
                _ => {}
            }
            at += 1;
        }
        at
    }

    fn literal(&mut self, open: usize, close: usize, parent: usize, depth: usize) {
        let mut at = open + 1;
        while at < close {
            let Some((name, behind)) = self.member(at) else {
                at = self.next(at, close);
                continue;
            };
            let word = self.code.word(behind);
            let kind = if matches!(word, "(" | "<") { METHOD } else { PROPERTY };
            let own = self.first + self.found.len();
            let place = self.code.place(name);
            let name_range = range(self.page.text, place.clone());
            let mut one = made(self.page, self.code.word(name), kind, name_range, place.clone());
            one.parent = u32::try_from(parent).ok();
            self.found.push(one);
            // The result type of a method is not a part of the literal.
            let end = if kind == PROPERTY && word == ":" {
                self.value(behind + 1, own, depth)
            } else {
                self.next(behind, close)
            };
            let last = self.code.place(end.clamp(name + 1, close) - 1).end;
            if let Some(one) = self.found.get_mut(own - self.first) {
                one.location.range = range(self.page.text, place.start..last.max(place.end));
            }
            at = end.max(at + 1);
        }
    }

    /// Returns the name of a member that begins at a token, and what follows the name and its `?`.
    fn member(&self, at: usize) -> Option<(usize, usize)> {
        let code = self.code;
        let is_entry = matches!(code.before(at), "{" | ";" | ",") || self.begins_line(at);
        let mut name = at;
        while matches!(code.word(name), "readonly" | "get" | "set") && code.is_name(name + 1) {
            name += 1;
        }
        let behind = if code.word(name + 1) == "?" { name + 2 } else { name + 1 };
        let is_member = is_entry && code.is_name(name) && matches!(code.word(behind), ":" | "(" | "<");
        is_member.then_some((name, behind))
    }

    fn begins_line(&self, at: usize) -> bool {
        let line = |at: usize| self.page.text.position(self.code.place(at).start).line;
        at.checked_sub(1).is_some_and(|before| line(before) < line(at))
            && !matches!(self.code.before(at), "|" | "&" | "?" | ":" | "=" | ">")
    }

    /// The next token at which a member may begin.
    fn next(&self, from: usize, close: usize) -> usize {
        let mut at = from;
        while at < close {
            at = match self.code.word(at) {
                ";" | "," => return at + 1,
                "(" | "[" | "{" => self.code.close(at).map_or(close, |end| end + 1),
                _ => at + 1,
            };
            if self.begins_line(at) {
                return at;
            }
        }
        close
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Dialect;
    use crate::text::Text;

    /// Shows the members of the first type as `kind name parent text`.
    fn check(source: &str, expected: &[&str]) {
        let text = Text::new(source.to_owned());
        let page = Page { path: "a.ts", text: &text, hidden: &[] };
        let at = source.find("type ").unwrap() + 5;
        let symbols = [made(&page, "T", 26, range(&text, at..at + 1), 0..source.len())];
        let code = Code::read(source, Dialect::Script, &[]);
        let found = members(&code, &page, &symbols);
        let shown: Vec<String> = found
            .iter()
            .map(|one| {
                let whole =
                    &source[text.offset(one.location.range.start)..text.offset(one.location.range.end)];
                format!("{} {} {} {whole}", one.kind, one.name, one.parent.unwrap())
            })
            .collect();
        assert_eq!(shown, expected, "{source}");
    }

    #[test]
    fn literals_have_members() {
        check(
            "export type T<A = {}> = {\n  readonly a: number;\n  b?: { c: string, d(): void }\n  e(x: A): B\n  get: A | 'x'\n}\nconst f = { g: 1 };",
            &[
                "7 a 0 a: number",
                "7 b 0 b?: { c: string, d(): void }",
                "7 c 2 c: string",
                "6 d 2 d(): void",
                "6 e 0 e(x: A): B",
                "7 get 0 get: A |",
            ],
        );
        check("type T = A & { a: 1 } & ({ b: 2 } | C)\nfunction f(): { c: 1 } {}", &["7 a 0 a: 1"]);
        check("type T = (a: { b: 1 }) => { c: 2 };", &["7 c 0 c: 2"]);
        check("type T = A extends B ? { a: 1 } : never", &["7 a 0 a: 1"]);
        check("type T = { [key: string]: A; a: A extends B ? C : D }", &["7 a 0 a: A extends B ? C : D"]);
        check("type T = 'a' | 'b'\nlet x = { a: 1 }", &[]);
        check("type T = string[]\nfoo({ a: 1 })", &[]);
    }
}
