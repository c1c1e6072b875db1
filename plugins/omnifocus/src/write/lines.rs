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

/// Describes the steps, one line for each, because the host counts them. Steps that lose something come first, so that
/// they are not among the hidden lines. If there are hidden lines, the first line counts all steps, and the first of
/// several equal changes names all their items.
pub(super) fn describe(plan: &Plan, mut steps: Vec<&Step>, moment: &Moment) -> Vec<String> {
    steps.sort_by_key(|step| !step.loses());
    if steps.len() <= SHOWN {
        return steps.iter().map(|step| words::line(plan, step, moment)).collect();
    }
    let changes: Vec<Option<String>> =
        steps.iter().map(|step| words::plain_change(plan, step, moment).filter(|_| !step.loses())).collect();
    let (mut shown, mut covered) = (Vec::new(), Vec::new());
    for (at, step) in steps.iter().enumerate() {
        let own = words::line(plan, step, moment);
        // The words may be cut, so the values are compared too.
        let values = |at: usize| (&changes[at], steps[at].target, &steps[at].json["set"]);
        let equal = |other: &usize| changes[at].is_some() && values(*other) == values(at);
        let group: Vec<usize> = (0..steps.len()).filter(equal).collect();
        match (&changes[at], group.first()) {
            (Some(change), Some(first)) if group.len() >= EQUAL => {
                let names = group.iter().map(|member| steps[*member].name());
                if *first == at { shown.push(shared(step, change, names)) } else { covered.push(own) }
            }
            _ => shown.push(own),
        }
    }
    shown.append(&mut covered);
    shown[0] = format!("{}; {}", counted(&steps), shown[0]);
    shown
}

/// One change of several items: `update 35 tasks: dueDate 2026-11-28 17:00: “a”, “b” and 33 more`.
fn shared<'a>(step: &Step, change: &str, names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let all = names.len();
    let mut line = format!("{} {all} {}s{change}:", step.operation, step.target);
    let mut length = line.chars().count();
    for (at, name) in names.enumerate() {
        let name = words::quoted(name);
        length += name.chars().count() + 2;
        if length > SHARED {
            return format!("{line} and {} more", all - at);
        }
        line.push_str(if at == 0 { " " } else { ", " });
        line.push_str(&name);
    }
    line
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
