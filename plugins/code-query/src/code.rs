//! The code of a result: its signature on one line, or all of it with some lines around.

use crate::doubts::Doubts;
use crate::request::Common;
use crate::scope::{self, Site};
use crate::tree::Node;

/// The maximum number of lines of one signature.
const HEAD: u32 = 10;

/// The maximum number of characters of a signature.
const LONGEST: usize = 200;

/// The maximum number of lines of one body.
const LINES: u32 = 300;

/// The maximum number of bytes of all bodies of an answer, so that the rest of it has room.
const BYTES: usize = 24_000;

/// A symbol of a file; `None` if only the file is known.
pub(crate) type Thing<'a> = (Site<'a>, String, Option<Node>);

/// The shown part of a symbol's code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub(crate) signature: Option<String>,
    pub(crate) body: Option<String>,
}

/// Reads the code of symbols, in their order.
pub(crate) fn of(things: &[Thing<'_>], common: &Common, doubts: &mut Doubts) -> Vec<Code> {
    let span = |node: &Node| span(node, common);
    let spans = things.iter().filter_map(|(site, path, node)| Some((*site, path, span(node.as_ref()?))));
    let lines = scope::lines(
        spans.flat_map(|(site, path, (from, to))| (from..=to).map(move |line| (site, path.clone(), line))),
    );
    let (mut bytes, mut left) = (0, 0);
    let mut codes = Vec::with_capacity(things.len());
    for (site, path, node) in things {
        let (Some(node), Some(lines)) = (node, lines.get(&site.number())) else {
            codes.push(Code::default());
            continue;
        };
        let line = |number: u32| lines.get(&(path.clone(), number)).map(String::as_str);
        let mut code = Code { signature: signature(node, line), body: None };
        if common.body {
            let (from, to) = span(node);
            let body = (from..=to).filter_map(line).collect::<Vec<_>>().join("\n");
            bytes += body.len();
            if bytes <= BYTES || codes.is_empty() {
                code.body = Some(body);
            } else {
                left += 1;
            }
        }
        codes.push(code);
    }
    if left > 0 {
        let offset = common.offset + things.len() - left;
        doubts.note(format!("the last {left} are shown without their code; continue with offset {offset}"));
    }
    codes
}

/// The lines to read: those of the signature, or all lines of the symbol with some lines around.
fn span(node: &Node, common: &Common) -> (u32, u32) {
    let (first, last) = (node.whole.start.line, node.whole.end.line.max(node.name_range.start.line));
    if !common.body {
        let name = node.name_range.start.line;
        return (name, last.min(name + HEAD));
    }
    let context = u32::try_from(common.context).unwrap_or(0);
    let last = last.min(first.saturating_add(LINES));
    (first.saturating_sub(context), last.saturating_add(context))
}

/// The declaration, from the line of its name to the end of its brackets, on one line.
fn signature<'a>(node: &Node, line: impl Fn(u32) -> Option<&'a str>) -> Option<String> {
    let name = node.name_range.start.line;
    let mut text = line(name)?.trim().to_owned();
    for number in name + 1..=node.whole.end.line.min(name + HEAD) {
        if !is_open(&text) {
            break;
        }
        text.push(' ');
        text.push_str(line(number)?.trim());
    }
    let text =
        text.trim_end_matches(|letter: char| letter.is_whitespace() || matches!(letter, '{' | ':' | ';'));
    let text: String = text.replace("( ", "(").replace(", )", ")").replace(" )", ")");
    Some(text.chars().take(LONGEST).collect())
}

/// Whether the text ends inside the parentheses of a parameter list.
fn is_open(text: &str) -> bool {
    let count = |letters: [char; 2]| text.matches(letters).count();
    count(['(', '[']) > count([')', ']']) || text.ends_with(['<', ','])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{Position, Range};

    fn check(text: &str, expected: &str) {
        let at = |line, column| Position { line, column };
        let lines: Vec<&str> = text.lines().collect();
        let last = u32::try_from(lines.len()).expect("short") - 1;
        let node = Node {
            name: "f".to_owned(),
            kind: 12,
            containers: Vec::new(),
            detail: None,
            name_range: Range { start: at(0, 0), end: at(0, 1) },
            whole: Range { start: at(0, 0), end: at(last, 0) },
            parent: None,
        };
        let found = signature(&node, |number| lines.get(number as usize).copied());
        assert_eq!(found.as_deref(), Some(expected), "{text}");
    }

    #[test]
    fn a_signature_ends_with_its_brackets() {
        check(
            "def print(\n    self,\n    *objects: Any,\n) -> None:\n    pass",
            "def print(self, *objects: Any) -> None",
        );
        check("pub fn f(a: u32) -> u32 {\n    a\n}", "pub fn f(a: u32) -> u32");
        check("class A:\n    x = 1", "class A");
        check("export const f = (a) => {", "export const f = (a) =>");
        check("int x;", "int x");
        check("export const f = <\n  T,\n>(a: T) => {", "export const f = < T, >(a: T) =>");
    }
}
