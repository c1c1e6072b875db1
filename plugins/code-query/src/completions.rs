//! `completions`: possible texts at a place, or after some text that is not in the file yet.

use iac_plugin::json;

use crate::answer::{Answer, Row};
use crate::doubts::Doubts;
use crate::kinds;
use crate::locate;
use crate::request::{Common, Spot};
use crate::scope::Desk;
use crate::trouble::Trouble;
use crate::world::{Completion, Place, Position};

/// The maximum number of completions to request.
const MOST: u32 = 1_000;

/// Answers `completions`.
pub(crate) fn answer(desk: &Desk<'_>, path: &str, spot: &Spot, common: &Common) -> Result<Answer, Trouble> {
    let mut doubts = Doubts::default();
    let (site, file) = desk.file(path)?;
    locate::ready(site, &file.language, common, "completions", |can| can.completions, &mut doubts)?;
    let text = site
        .workspace
        .text(&file.path)
        .map_err(|failure| Trouble::of(failure, "completions", common.timeout))?;
    let (at, overlay) = place(&text, path, spot, &mut doubts)?;
    let asked = Place { path: file.path.clone(), at };
    let found = site.workspace.completions(&asked, overlay.as_deref(), MOST, common.timeout);
    let found = found.map_err(|failure| Trouble::of(failure, "completions", common.timeout))?;
    doubts.hear(&found.freshness);
    let mut items = found.items;
    items.dedup_by(|one, other| {
        one.label == other.label && one.detail == other.detail && one.insert == other.insert
    });
    let row = |item: &Completion| {
        let shown = json!({
            "label": item.label,
            "kind": kind(item.kind),
            "detail": item.detail,
            "insertText": Some(inserted(&item.insert)).filter(|insert| *insert != item.label),
        });
        Row::new(site.show(&file.path), item.label.clone(), shown)
    };
    let mut answer = Answer::of(&items, common, doubts, |shown, _| shown.iter().map(row).collect());
    answer.total = answer.total.max(found.total as usize);
    Ok(answer)
}

/// The text to insert, without the dot that some servers repeat.
fn inserted(insert: &str) -> &str {
    insert.strip_prefix('.').unwrap_or(insert)
}

/// The place to ask at, and the text to show to the server if it differs from the file's own.
///
/// If the text is in the file, it is completed at its first place. Other text is put on a separate line: after the
/// named line, indented like it, or at the end.
fn place(
    text: &str,
    path: &str,
    spot: &Spot,
    doubts: &mut Doubts,
) -> Result<(Position, Option<String>), Trouble> {
    let lines: Vec<&str> = text.split('\n').collect();
    match spot {
        Spot::Place { line, character } => {
            let Some(own) = lines.get(*line as usize - 1) else { return Err(past(path, *line, lines.len())) };
            let column = (*character - 1).min(length(own.trim_end_matches('\r')));
            let start: usize = lines[..*line as usize - 1].iter().map(|line| line.len() + 1).sum();
            let inside = own.char_indices().nth(column as usize).map_or(own.len(), |(at, _)| at);
            Ok((Position { line: line - 1, column }, without_rest(text, start + inside)))
        }
        Spot::Text { prefix, context, line } => {
            let typed = context.as_deref().map_or(prefix.as_str(), |context| up_to(context, prefix));
            let standing: Vec<usize> = if line.is_none() { standing(text, typed) } else { Vec::new() };
            if let Some(at) = standing.first().map(|at| at + typed.len()) {
                let found = position(text, at);
                if standing.len() > 1 {
                    let line = found.line + 1;
                    doubts.note(format!("\"{typed}\" stands in {} places; this is line {line}, give another \"line\" for text after it", standing.len()));
                }
                return Ok((found, without_rest(text, at)));
            }
            let after = line.map_or(lines.len(), |line| line as usize);
            if after > lines.len() {
                return Err(past(path, after as u32, lines.len()));
            }
            Ok(insert(&lines, after, typed))
        }
    }
}

/// The places in the file where the text begins at the start of a word. A short text that is only a part of a name
/// matches anywhere.
fn standing(text: &str, typed: &str) -> Vec<usize> {
    let says_more = typed.chars().count() > 3 || (typed.chars().count() > 1 && !typed.chars().all(is_part));
    let inside =
        |at: usize| typed.starts_with(is_part) && text[..at].ends_with(|one| is_part(one) || one == '.');
    let all = text.match_indices(typed).map(|(at, _)| at);
    all.filter(|&at| says_more && !inside(at)).collect()
}

fn is_part(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '$')
}

/// The text without the rest of the name at a place, because some servers complete no name that is already complete;
/// `None` if no name continues there.
fn without_rest(text: &str, at: usize) -> Option<String> {
    let (before, behind) = text.split_at(at);
    let rest = behind.trim_start_matches(is_part);
    (rest.len() < behind.len()).then(|| format!("{before}{rest}"))
}

/// The context up to the end of the prefix in it; both together if the prefix is not in it.
fn up_to<'a>(context: &'a str, prefix: &str) -> &'a str {
    context.rfind(prefix).map_or(context, |at| &context[..at + prefix.len()])
}

fn insert(lines: &[&str], after: usize, typed: &str) -> (Position, Option<String>) {
    let indent: String = lines
        .get(after - 1)
        .map_or("", |line| *line)
        .chars()
        .take_while(|letter| matches!(letter, ' ' | '\t'))
        .collect();
    let added = format!("{indent}{typed}");
    let mut all = lines.to_vec();
    all.insert(after, &added);
    let text = all.join("\n");
    let at = all[..after].iter().map(|line| line.len() + 1).sum::<usize>() + added.len();
    (position(&text, at), Some(text))
}

/// The place of a byte of a text.
fn position(text: &str, at: usize) -> Position {
    let before = &text[..at];
    let line = before.matches('\n').count();
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Position { line: u32::try_from(line).unwrap_or(u32::MAX), column: length(&before[start..]) }
}

fn length(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}

fn past(path: &str, line: u32, lines: usize) -> Trouble {
    Trouble::not_found(format!("line {line} is past the end of {path} ({lines} lines)"))
}

/// The names of kinds of completions, which have numbers of their own.
fn kind(number: u8) -> &'static str {
    const NAMES: [&str; 25] = [
        "text", "method", "function", "constructor", "field", "variable", "class", "interface", "module",
        "property", "unit", "value", "enum", "keyword", "snippet", "color", "file", "reference", "folder",
        "enumMember", "constant", "struct", "event", "operator", "typeParameter",
    ];
    NAMES.get(usize::from(number).wrapping_sub(1)).copied().unwrap_or_else(|| kinds::name(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, spot: Spot, expected: (u32, u32), overlay: Option<&str>) {
        let (at, shown) = place(text, "a", &spot, &mut Doubts::default()).expect("a place");
        assert_eq!(((at.line, at.column), shown.as_deref()), (expected, overlay));
    }

    fn text(prefix: &str, context: Option<&str>, line: Option<u32>) -> Spot {
        Spot::Text { prefix: prefix.to_owned(), context: context.map(str::to_owned), line }
    }

    #[test]
    fn text_is_completed_where_it_stands_or_on_a_line_of_its_own() {
        check("a\n  é.b\n", Spot::Place { line: 2, character: 6 }, (1, 5), None);
        check("a\n  é.b\n", Spot::Place { line: 2, character: 5 }, (1, 4), Some("a\n  é.\n"));
        check("a\n", Spot::Place { line: 1, character: 99 }, (0, 1), None);
        check("x\nr = user.name;", text("user.", Some("r = user."), None), (1, 9), Some("x\nr = user.;"));
        check("a.c.d()\nc.e", text("c.", None, None), (1, 2), Some("a.c.d()\nc."));
        check("superuser.\n", text("user.", None, None), (2, 5), Some("superuser.\n\nuser."));
        check("ab\n", text("a", None, None), (2, 1), Some("ab\n\na"));
        check("x\n", text("user.", None, None), (2, 5), Some("x\n\nuser."));
        check("{\n  x\n}", text("u.", Some("y = u."), Some(2)), (2, 8), Some("{\n  x\n  y = u.\n}"));
        let past = place("a", "a.ts", &text("u.", None, Some(9)), &mut Doubts::default()).expect_err("past");
        let mut doubts = Doubts::default();
        let found = place("a.b\na.c", "a", &text("a.", None, None), &mut doubts).expect("a place");
        assert_eq!((found.0.line, found.0.column), (0, 2));
        let note = "\"a.\" stands in 2 places; this is line 1, give another \"line\" for text after it";
        assert_eq!(doubts.notes().as_deref(), Some(note));
        assert_eq!(past.message, "line 9 is past the end of a.ts (1 lines)");
    }
}
