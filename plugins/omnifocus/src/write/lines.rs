//! The lines of the question to the human: one for each step, in the order of what they need to see.

use super::plan::{Plan, Step};
use super::words;
use crate::Moment;

/// The number of lines that the question shows; the others are only counted.
const SHOWN: usize = 5;

/// From this number on, equal changes share a line.
const EQUAL: usize = 3;

/// The maximum number of characters of a shared line. The host cuts a line at 1,200, and the first line also counts all
/// steps.
const SHARED: usize = 1_000;

/// Describes the steps: one line for each, because the host counts them. Equal changes share a line, and the host shows
/// no empty line. Steps that lose something come first, so that they are not among the hidden lines. If there are
/// hidden lines, the first line counts all steps.
pub(super) fn describe(plan: &Plan, mut steps: Vec<&Step>, moment: &Moment) -> Vec<String> {
    steps.sort_by_key(|step| !step.loses());
    if steps.len() <= SHOWN {
        return steps.iter().map(|step| words::line(plan, step, moment)).collect();
    }
    let changes: Vec<Option<String>> =
        steps.iter().map(|step| words::plain_change(plan, step, moment).filter(|_| !step.loses())).collect();
    let mut shown = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        // The words may be cut, so the values are compared too.
        let values = |at: usize| (&changes[at], steps[at].target, &steps[at].json["set"]);
        let equal = |other: &usize| changes[at].is_some() && values(*other) == values(at);
        let group: Vec<usize> = (0..steps.len()).filter(equal).collect();
        match &changes[at] {
            Some(change) if group.len() >= EQUAL => {
                if group[0] == at {
                    let members: Vec<&Step> = group.iter().map(|member| steps[*member]).collect();
                    shown.push(shared(plan, &members, change, moment));
                }
            }
            _ => shown.push(words::line(plan, step, moment)),
        }
    }
    if shown.len() > SHOWN {
        shown[0] = format!("{}; {}", counted(&steps), shown[0]);
    }
    shown.resize(steps.len(), String::new());
    shown
}

/// One change of several items, with what it replaces: once if that is the same everywhere, else beside each name if
/// there is room. `update 35 tasks: flagged false -> true: “a”, “b” and 33 more`.
fn shared(plan: &Plan, members: &[&Step], change: &str, moment: &Moment) -> String {
    let (step, all) = (members[0], members.len());
    let head = |change: &str| format!("{} {all} {}s{change}:", step.operation, step.target);
    let names = || members.iter().map(|member| words::quoted(member.name()));
    let whole = |member: &&Step| words::whole_change(plan, member, moment);
    let first = whole(&step);
    if members.iter().all(|member| whole(member) == first) {
        return listed(head(&first), names());
    }
    let with_old = |(name, member): (String, &&Step)| match words::replaced(member, moment) {
        Some(old) => format!("{name} (was {old})"),
        None => name,
    };
    let told: Vec<String> = names().zip(members).map(with_old).collect();
    let length: usize = told.iter().map(|name| name.chars().count() + 2).sum();
    let is_short = head(change).chars().count() + length <= SHARED;
    if is_short { listed(head(change), told.into_iter()) } else { listed(head(change), names()) }
}

/// Adds as many names to a line as fit.
fn listed(mut line: String, names: impl ExactSizeIterator<Item = String>) -> String {
    let (all, mut length) = (names.len(), line.chars().count());
    for (at, name) in names.enumerate() {
        length += name.chars().count() + 2;
        if length > SHARED {
            return format!("{line} and {} more", all - at);
        }
        line.push_str(if at == 0 { " " } else { ", " });
        line.push_str(&name);
    }
    line
}

/// The number of names that the answer to an undo has.
const FEW: usize = 3;

/// The items of some steps in one line: `29 tasks: “a”, “b”, “c” and 26 more`.
pub(super) fn few(steps: &[&Step]) -> String {
    let mut items: Vec<&Step> = Vec::new();
    for step in steps {
        if !items.iter().any(|item| (item.target, &item.id) == (step.target, &step.id)) {
            items.push(step);
        }
    }
    let kind = items.first().map_or("item", |item| item.target);
    let kind = if items.iter().all(|item| item.target == kind) { kind } else { "item" };
    let all = items.len();
    let plural = if all == 1 { "" } else { "s" };
    let names: Vec<String> = items.iter().take(FEW).map(|item| words::quoted(item.name())).collect();
    let names = names.join(", ");
    let more = if all > FEW { format!(" and {} more", all - FEW) } else { String::new() };
    format!("{all} {kind}{plural}: {names}{more}")
}

/// Says how many steps there are of each operation: `8 in all: delete 1, create 7`.
fn counted(steps: &[&Step]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for step in steps {
        match counts.iter_mut().find(|(operation, _)| *operation == step.operation) {
            Some((_, count)) => *count += 1,
            None => counts.push((step.operation, 1)),
        }
    }
    let counts: Vec<String> =
        counts.iter().map(|(operation, count)| format!("{operation} {count}")).collect();
    format!("{} in all: {}", steps.len(), counts.join(", "))
}
