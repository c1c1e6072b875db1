//! `typeInfo`: signature and documentation of a symbol.

use iac_plugin::json;

use crate::answer::{Answer, Row};
use crate::doubts::{Doubts, Reason};
use crate::kinds;
use crate::locate::{self, Located};
use crate::request::{Common, Target};
use crate::scope::Desk;
use crate::trouble::Trouble;
use crate::world::{Place, Range, Shown};

/// The maximum number of characters of documentation.
const DOCS: usize = 1_500;

/// How often to ask again if a server says that it is loading.
const TRIES: usize = 3;

/// Answers `typeInfo`.
pub(crate) fn answer(desk: &Desk<'_>, target: &Target, common: &Common) -> Result<Answer, Trouble> {
    let mut doubts = Doubts::default();
    let located = locate::one(desk, target, common, "typeInfo", &mut doubts)?;
    let server =
        locate::ready(located.site, &located.language, common, "typeInfo", |can| can.hover, &mut doubts)?;
    let shown = ask(&located, common, &mut doubts)?;
    let mut found: Vec<(usize, Text)> =
        shown.into_iter().enumerate().filter_map(|(at, text)| Some((at, text?))).collect();
    each_once(&mut found);
    if found.is_empty() && !doubts.has(Reason::Loading) {
        locate::explain_nothing(&located, &server, "type", &mut doubts)?;
    }
    Ok(Answer::of(&found, common, doubts, |shown, _| {
        shown.iter().map(|(at, text)| row(&located, *at, text)).collect()
    }))
}

/// A server's hover text, in parts.
#[derive(Debug, Default, PartialEq)]
struct Text {
    signature: String,
    docs: String,
}

fn ask(located: &Located<'_>, common: &Common, doubts: &mut Doubts) -> Result<Vec<Option<Text>>, Trouble> {
    for _ in 0..TRIES {
        let answers = located.site.workspace.hover(&located.places, common.timeout);
        let trouble = |failure| Trouble::of(failure, "typeInfo", common.timeout);
        let shown: Result<Vec<Shown>, _> = answers.map_err(trouble)?.into_iter().collect();
        let shown = shown.map_err(trouble)?;
        if !shown.iter().any(is_loading) {
            shown.iter().for_each(|one| doubts.hear(&one.freshness));
            return Ok(shown.into_iter().map(|one| one.markdown.as_deref().map(read)).collect());
        }
    }
    doubts.add(Reason::Loading);
    Ok(Vec::new())
}

fn is_loading(shown: &Shown) -> bool {
    shown.markdown.as_ref().is_some_and(|text| text.starts_with("(loading") || text.contains("(loading...)"))
}

fn row(located: &Located<'_>, at: usize, text: &Text) -> Row {
    let place = &located.places[at];
    let node = located.hits.get(at).map(|hit| &hit.node);
    let range = node.map_or(Range { start: place.at, end: place.at }, |node| node.range());
    let end = text.docs.char_indices().nth(DOCS).map_or(text.docs.len(), |(at, _)| at);
    let docs = &text.docs[..end];
    let shown = json!({
        "name": node.map(|node| node.full_name()),
        "kind": node.map(|node| kinds::name(node.kind)),
        "signature": text.signature,
        "docs": (!docs.is_empty()).then_some(docs),
        "path": show(located, place, &range, node.is_some()),
    });
    Row::new(located.site.show(&place.path), node.map_or_else(String::new, |node| node.full_name()), shown)
}

/// Leaves out the text of earlier overloads, because ty repeats all of them at each overload.
fn each_once(found: &mut [(usize, Text)]) {
    for at in (1..found.len()).rev() {
        let (before, own) = found.split_at_mut(at);
        let (Some((_, before)), Some((_, own))) = (before.last(), own.first_mut()) else { continue };
        let rest = own.signature.strip_prefix(&before.signature).and_then(|rest| rest.strip_prefix('\n'));
        if let Some(rest) = rest.map(str::to_owned).filter(|_| !before.signature.is_empty()) {
            own.signature = rest;
            if own.docs == before.docs {
                own.docs.clear();
            }
        }
    }
}

fn show(located: &Located<'_>, place: &Place, range: &Range, whole: bool) -> String {
    if whole {
        return located.site.show_range(&place.path, range);
    }
    format!("{}:{}:{}", located.site.show(&place.path), place.at.line + 1, place.at.column + 1)
}

/// Splits Markdown into a signature and documentation. Code at its beginning is the signature (the last of several
/// blocks, since the first ones name the module), and the rest is documentation. If the text does not begin with code,
/// the last code block is the signature.
fn read(markdown: &str) -> Text {
    let blocks = blocks(markdown);
    let leading = blocks.iter().take_while(|block| block.is_code).count();
    let at = match leading {
        0 => blocks.iter().rposition(|block| block.is_code),
        many => Some(many - 1),
    };
    let Some(at) = at else { return Text { signature: String::new(), docs: tidy(markdown) } };
    let others = blocks.iter().enumerate().filter(|(number, _)| *number != at && *number >= leading);
    let docs: Vec<String> = others.map(|(_, block)| block.spell()).collect();
    Text { signature: blocks[at].text.trim().to_owned(), docs: tidy(&docs.join("\n\n")) }
}

struct Block {
    is_code: bool,
    text: String,
}

impl Block {
    fn spell(&self) -> String {
        if self.is_code { format!("```\n{}\n```", self.text.trim_end()) } else { self.text.clone() }
    }
}

/// Splits at code fences; leaves out horizontal rules and blank lines between blocks.
fn blocks(markdown: &str) -> Vec<Block> {
    let mut blocks = vec![Block { is_code: false, text: String::new() }];
    for line in markdown.lines() {
        let inside = blocks.last().is_some_and(|block| block.is_code);
        if line.trim_start().starts_with("```") {
            blocks.push(Block { is_code: !inside, text: String::new() });
        } else if let Some(block) = blocks.last_mut() {
            block.text.push_str(line);
            block.text.push('\n');
        }
    }
    blocks.retain(|block| block.text.lines().any(says));
    blocks
}

/// Whether a line is neither empty nor a horizontal rule.
fn says(line: &str) -> bool {
    !line.trim().is_empty() && !is_rule(line.trim_end())
}

fn is_rule(line: &str) -> bool {
    matches!(line, "---" | "***" | "___")
}

/// The text without rules and empty lines around it.
fn tidy(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    for line in text.lines().map(str::trim_end).filter(|line| !is_rule(line)) {
        if !(line.is_empty() && (tidy.is_empty() || tidy.ends_with("\n\n"))) {
            tidy.push_str(line);
            tidy.push('\n');
        }
    }
    tidy.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(markdown: &str, signature: &str, docs: &str) {
        assert_eq!(
            read(markdown),
            Text { signature: signature.to_owned(), docs: docs.to_owned() },
            "{markdown}"
        );
    }

    #[test]
    fn overloads_are_shown_once() {
        let text = |signature: &str| Text { signature: signature.to_owned(), docs: "d".to_owned() };
        let mut found: Vec<(usize, Text)> =
            ["a()", "a()\na(b)", "a()\na(b)\na(c)", "a()"].map(text).into_iter().enumerate().collect();
        each_once(&mut found);
        let shown: Vec<(&str, &str)> =
            found.iter().map(|(_, one)| (one.signature.as_str(), one.docs.as_str())).collect();
        assert_eq!(shown, [("a()", "d"), ("a(b)", ""), ("a(c)", ""), ("a()", "d")]);
    }

    #[test]
    fn signature_and_documentation_are_told_apart() {
        check("```ts\nfunction f(): void\n```\nDoes *it*.", "function f(): void", "Does *it*.");
        check(
            "\n```rust\na::b\n```\n\n```rust\npub struct B\n```\n\n---\n\nA b.\n\n```\nlet b = B;\n```",
            "pub struct B",
            "A b.\n\n```\nlet b = B;\n```",
        );
        check(
            "### function `deflate`  \n\n---\n→ `int`  \n\n---\n```cpp\nint deflate(int flush)\n```",
            "int deflate(int flush)",
            "### function `deflate`\n\n→ `int`",
        );
        check("only words", "", "only words");
        check("", "", "");
        check("```\nnever closed", "never closed", "");
    }
}
