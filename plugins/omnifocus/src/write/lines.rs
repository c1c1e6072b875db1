//! The lines of the question to the human: one for each step, in the order of what they need to see.

use std::cmp::Reverse;

use super::plan::{Plan, Step};
use super::words;
use crate::Moment;

/// Up to this number of steps, each has its own line.
const SHOWN: usize = 5;

/// From this number on, equal changes share lines.
const EQUAL: usize = 3;

/// The maximum number of characters of a shared line. The host refuses a change with a line of more than 1,200.
const SHARED: usize = 1_000;

/// The maximum number of characters of all shared lines. A question has 15,000, and the rest of it needs some.
const ROOM: usize = 14_000;

/// Values of several items have lines of their own if they are too long for this number of characters, but not more
/// than this number of values: a person reads a short paragraph or a list of one screen.
const PARAGRAPH: usize = 300;
const LISTED: usize = 20;

/// Describes the steps: at most one line for each, because the host counts them. Equal changes share lines that name
/// all their items, and the host shows no empty line. Steps that lose something come first, those with the most
/// contents before the others, and new items come last: if the whole is too long for a question, the host leaves out
/// the last lines.
pub(super) fn describe(plan: &Plan, steps: Vec<&Step>, moment: &Moment) -> Vec<String> {
    let mut lines = each(plan, steps, moment);
    let others = plan.steps.iter().filter(|step| plan.is_idle(step)).count();
    if let (Some(first), true) = (lines.first_mut(), others > 0) {
        let (noun, have) = if others == 1 { ("other", "has") } else { ("others", "have") };
        first.push_str(&format!("; {others} {noun} {have} it already"));
    }
    lines
}

fn each(plan: &Plan, mut steps: Vec<&Step>, moment: &Moment) -> Vec<String> {
    let is_new = |step: &Step| step.operation.starts_with("create") || !step.json["id"]["temp"].is_null();
    let extent = |step: &Step| if step.loses() { step.extent() } else { 0 };
    steps.sort_by_key(|step| (!step.loses(), is_new(step), Reverse(extent(step))));
    if steps.len() <= SHOWN {
        return steps.iter().map(|step| words::line(plan, step, moment)).collect();
    }
    let changes: Vec<Option<String>> =
        steps.iter().map(|step| words::plain_change(plan, step, moment)).collect();
    // The words may be cut, so the values are compared too.
    let values = |at: usize| {
        let step = steps[at];
        (&changes[at], step.operation, step.target, &step.json["set"], &step.json["at"], step.loses())
    };
    let property = |at: usize| {
        let key = changes[at].as_ref().and(words::only_property(steps[at]))?;
        Some((key, steps[at].operation, steps[at].target, steps[at].loses()))
    };
    let all =
        |is_it: &dyn Fn(usize) -> bool| (0..steps.len()).filter(|at| is_it(*at)).collect::<Vec<usize>>();
    let (mut shown, mut told) = (Vec::new(), vec![false; steps.len()]);
    for (at, _) in steps.iter().enumerate() {
        if told[at] {
            continue;
        }
        let equal = all(&|other| changes[at].is_some() && values(other) == values(at));
        let alike = all(&|other| property(at).is_some() && property(other) == property(at));
        let members = |group: &[usize]| group.iter().map(|member| steps[*member]).collect::<Vec<&Step>>();
        let room = ROOM.saturating_sub(length(&shown));
        let (group, lines) = match (&changes[at], property(at)) {
            (_, Some((key, ..))) if alike.len() >= EQUAL && alike.len() > equal.len() => {
                let lines = fitting(&members(&alike), room, &|members| by_value(key, members, moment));
                (alike, lines)
            }
            (Some(change), _) if equal.len() >= EQUAL => {
                let lines = fitting(&members(&equal), room, &|members| shared(plan, members, change, moment));
                (equal, lines)
            }
            _ => (vec![at], (Vec::new(), 0)),
        };
        let (lines, count) = lines;
        shown.extend(lines);
        shown.extend(group[count..].iter().map(|member| words::line(plan, steps[*member], moment)));
        group.into_iter().for_each(|member| told[member] = true);
    }
    shown.resize(steps.len(), String::new());
    shown
}

/// The shared lines of as many items as have room, and how many these are. The host counts the lines that it leaves out,
/// so the other items get lines of their own.
fn fitting(members: &[&Step], room: usize, lines: &dyn Fn(&[&Step]) -> Vec<String>) -> (Vec<String>, usize) {
    let mut count = members.len();
    while count >= EQUAL {
        let found = lines(&members[..count]);
        if length(&found) <= room {
            return (found, count);
        }
        count = count * 9 / 10;
    }
    (Vec::new(), 0)
}

/// One change of several items, with what it replaces: once if that is the same everywhere, else beside each name.
/// `update 35 tasks: flagged false -> true: “a”, “b”, “c”`. If one line has no room for all items, more lines follow,
/// and the first one counts all of them: `and “d”, …`.
fn shared(plan: &Plan, members: &[&Step], change: &str, moment: &Moment) -> Vec<String> {
    let step = members[0];
    let whole = |member: &&Step| words::whole_change(plan, member, moment);
    let is_update = step.json["do"] == "update";
    let first = if is_update { whole(&step) } else { change.to_owned() };
    let is_same = !is_update || members.iter().all(|member| whole(member) == first);
    let named = |member: &&Step| match words::replaced(member, moment).filter(|_| !is_same) {
        Some(old) => format!("{} (was {old})", words::member(member, moment)),
        None => words::member(member, moment),
    };
    let change = if is_same { &first } else { change };
    let items: Vec<String> = members.iter().map(named).collect();
    in_lines(&format!("{}{change}:", head(members)), &items)
}

/// One property of several items that get different values: `update 3 tasks: dueDate none -> Fri 2026-11-27 17:00 (“a”,
/// “b”), Sat 2026-11-28 17:00 (“c”)`. If that is long, each value is on a line.
fn by_value(key: &str, members: &[&Step], moment: &Moment) -> Vec<String> {
    let values = |step: &Step| words::values(step, key, moment);
    let (old, _) = values(members[0]);
    let is_same = members.iter().all(|member| values(member).0 == old);
    let mut items: Vec<(String, Vec<String>)> = Vec::new();
    for member in members {
        let (old, new) = values(member);
        let old = old.filter(|_| !is_same).map(|old| format!(" (was {old})")).unwrap_or_default();
        let name = format!("{}{old}", words::member(member, moment));
        match items.iter_mut().find(|(value, names)| *value == new && length(names) < SHARED / 2) {
            Some((_, names)) => names.push(name),
            None => items.push((new, vec![name])),
        }
    }
    let items: Vec<String> =
        items.into_iter().map(|(new, names)| format!("{new} ({})", names.join(", "))).collect();
    let old = old.filter(|_| is_same).map(|old| format!(" {old}")).unwrap_or_default();
    let head = format!("{}: {}{old} ->", head(members), words::label(key));
    if items.len() > LISTED || length(&items) <= PARAGRAPH {
        return in_lines(&head, &items);
    }
    let line = |(at, item): (usize, &String)| format!("{} {item}", if at == 0 { &*head } else { "->" });
    items.iter().enumerate().map(line).collect()
}

fn head(members: &[&Step]) -> String {
    let plural = if members.len() == 1 { "" } else { "s" };
    format!("{} {} {}{plural}", members[0].operation, members.len(), members[0].target)
}

/// One list behind its head, in as many lines as it needs.
fn in_lines(head: &str, items: &[String]) -> Vec<String> {
    let (mut lines, mut names): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let line = |lines: &[String], names: &[String]| {
        let before = if lines.is_empty() { head } else { "and" };
        format!("{before} {}", names.join(", "))
    };
    for item in items {
        let room = SHARED.saturating_sub(if lines.is_empty() { head.chars().count() } else { 0 });
        if !names.is_empty() && length(&names) + item.chars().count() > room {
            lines.push(line(&lines, &names));
            names.clear();
        }
        names.push(item.clone());
    }
    lines.push(line(&lines, &names));
    lines
}

fn length(names: &[String]) -> usize {
    names.iter().map(|name| name.chars().count() + 2).sum()
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
