//! The lines of the question to the human: one for each step, in the order of what they need to see.

use std::cmp::Reverse;

use super::plan::{Plan, Step};
use super::words;
use crate::Moment;

/// Up to this number of steps, each has its own line.
const SHOWN: usize = 5;

/// From this number on, equal changes share lines.
const EQUAL: usize = 3;

/// The maximum number of characters of a shared line. The host cuts a line at 1,200, and the first line also counts all
/// steps.
const SHARED: usize = 1_000;

/// Describes the steps: at most one line for each, because the host counts them. Equal changes share lines that name all
/// their items, and the host shows no empty line. Steps that lose something come first, those with the most contents
/// before the others: if the whole is too long for a question, the host leaves out the last lines. If there are many
/// lines, the first one counts all steps.
pub(super) fn describe(plan: &Plan, mut steps: Vec<&Step>, moment: &Moment) -> Vec<String> {
    steps.sort_by_key(|step| (!step.loses(), Reverse(if step.loses() { step.extent() } else { 0 })));
    if steps.len() <= SHOWN {
        return steps.iter().map(|step| words::line(plan, step, moment)).collect();
    }
    let changes: Vec<Option<String>> =
        steps.iter().map(|step| words::plain_change(plan, step, moment)).collect();
    let mut shown = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        // The words may be cut, so the values are compared too.
        let values = |at: usize| {
            let step = steps[at];
            (&changes[at], step.operation, step.target, &step.json["set"], step.loses())
        };
        let equal = |other: &usize| changes[at].is_some() && values(*other) == values(at);
        let group: Vec<usize> = (0..steps.len()).filter(equal).collect();
        match &changes[at] {
            Some(change) if group.len() >= EQUAL => {
                if group[0] == at {
                    let members: Vec<&Step> = group.iter().map(|member| steps[*member]).collect();
                    shown.extend(shared(plan, &members, change, moment));
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

/// One change of several items, with what it replaces: once if that is the same everywhere, else beside each name.
/// `update 35 tasks: flagged false -> true: “a”, “b”, “c”`. If one line has no room for all items, more lines follow, and
/// the first one counts all of them: `and these 6 of the 35 tasks: “d”, …`.
fn shared(plan: &Plan, members: &[&Step], change: &str, moment: &Moment) -> Vec<String> {
    let step = members[0];
    let whole = |member: &&Step| words::whole_change(plan, member, moment);
    let is_update = step.json["do"] == "update";
    let first = if is_update { whole(&step) } else { change.to_owned() };
    let is_same = !is_update || members.iter().all(|member| whole(member) == first);
    let told = |member: &&Step| match words::replaced(member, moment).filter(|_| !is_same) {
        Some(old) => format!("{} (was {old})", words::member(member)),
        None => words::member(member),
    };
    let change = if is_same { &first } else { change };
    let all = members.len();
    let begin = format!("{} {all} {}s{change}:", step.operation, step.target);
    let head = |is_first: bool, count: usize| match is_first {
        true => begin.clone(),
        false => format!("and these {count} of the {all} {}s:", step.target),
    };
    let room = SHARED.saturating_sub(begin.chars().count());
    let (mut lines, mut names, mut length) = (Vec::new(), Vec::new(), 0);
    for name in members.iter().map(told) {
        let more = name.chars().count() + 2;
        if length + more > room && !names.is_empty() {
            lines.push(format!("{} {}", head(lines.is_empty(), names.len()), names.join(", ")));
            (names, length) = (Vec::new(), 0);
        }
        length += more;
        names.push(name);
    }
    lines.push(format!("{} {}", head(lines.is_empty(), names.len()), names.join(", ")));
    lines
}

/// What some steps have done, without the values that they replaced: an undo goes the other way.
/// `update 22 tasks: dueDate …: “a”, “b”, “c” and 19 more`.
pub(super) fn done(plan: &Plan, steps: &[&Step], moment: &Moment) -> String {
    let [first, rest @ ..] = steps else { return String::new() };
    let change = |step: &Step| words::plain_change(plan, step, moment);
    let is_same = |step: &&Step| {
        (step.operation, step.target) == (first.operation, first.target) && change(step) == change(first)
    };
    let all = steps.len();
    let names: Vec<String> = steps.iter().take(FEW).map(|step| words::called(plan, step)).collect();
    let more = if all > FEW { format!(" and {} more", all - FEW) } else { String::new() };
    let named = format!("{}{more}", names.join(", "));
    match change(first).filter(|_| rest.iter().all(is_same)) {
        _ if rest.is_empty() => words::line(plan, &words::without_old(first), moment),
        Some(change) => format!("{} {all} {}s{change}: {named}", first.operation, first.target),
        None => format!("{}: {named}", counted(steps)),
    }
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
