//! Which classes derive from which, as their headers say: `class A(B)`, `class A extends B`, `class A : public B`.
//! Servers know this too, but many of them answer no question about it.

use std::collections::{BTreeMap, BTreeSet};

use crate::asker::{Asker, Declared, begin};
use crate::kinds;
use crate::mask::{Masked, is_part};
use crate::reserved;
use crate::scope::Site;
use crate::tree::{Node, Tree, key};
use crate::world::{Location, Place, Position, Relation};

/// The maximum number of lines of a header.
const LINES: u32 = 20;

/// The maximum number of steps from a class to the classes above it.
const STEPS: usize = 30;

/// What the header of a class names as a base.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    pub(crate) at: Place,
    /// As in the text: `module.Class`.
    pub(crate) text: String,
}

/// The classes above a class.
#[derive(Clone, Debug, Default)]
pub(crate) struct Above {
    pub(crate) own: BTreeSet<Declared>,
    /// Those that are declared outside, and those that the server does not know.
    pub(crate) outside: Vec<Base>,
    pub(crate) unknown: Vec<Base>,
}

/// A base, its class if that is in the project, and whether it is declared outside.
type Found = (Base, Option<Class>, bool);

/// A class and its file.
pub(crate) type Class = (String, Node);

pub(crate) fn place_of((path, node): &Class) -> Declared {
    (path.clone(), key(node.name_range.start))
}

/// The type that holds the symbol whose name is at a place.
pub(crate) fn holder(tree: &Tree, at: Position) -> Option<&Node> {
    let own = tree.named_at(at)?;
    own.parent.map(|parent| &tree.nodes[parent]).filter(|parent| kinds::is_type(parent.kind))
}

/// Finds the classes above each of some classes.
pub(crate) fn above(asker: &Asker<'_, '_>, classes: &[Class]) -> Vec<Above> {
    let mut bases: BTreeMap<Declared, Vec<Found>> = BTreeMap::new();
    let mut next: Vec<Class> = classes.to_vec();
    for _ in 0..STEPS {
        next.retain(|class| !bases.contains_key(&place_of(class)));
        if next.is_empty() {
            break;
        }
        let found = step(asker, &next);
        let own = next.iter().map(place_of).zip(found);
        let mut further: Vec<Class> = Vec::new();
        for (class, found) in own {
            further.extend(found.iter().filter_map(|(_, class, _)| class.clone()));
            bases.insert(class, found);
        }
        next = further;
    }
    classes.iter().map(|class| collect(&bases, &place_of(class))).collect()
}

fn collect(bases: &BTreeMap<Declared, Vec<Found>>, class: &Declared) -> Above {
    let mut above = Above::default();
    let mut open = vec![class.clone()];
    while let Some(class) = open.pop() {
        for (base, found, outside) in bases.get(&class).into_iter().flatten() {
            match found {
                Some(found) if above.own.insert(place_of(found)) => open.push(place_of(found)),
                Some(_) => {}
                None if *outside => above.outside.push(base.clone()),
                None => above.unknown.push(base.clone()),
            }
        }
    }
    above
}

/// The bases of each class, each with its class, or with whether it is declared outside.
fn step(asker: &Asker<'_, '_>, classes: &[Class]) -> Vec<Vec<Found>> {
    let site = asker.located.site;
    let heads: Vec<Vec<Base>> =
        classes.iter().map(|class| head(site, &asker.located.language, class)).collect();
    let places: Vec<Place> = heads.iter().flatten().map(|base| base.at.clone()).collect();
    let answers =
        site.workspace.related(Relation::Definition, &places, asker.common.timeout).unwrap_or_default();
    let meant: Vec<Option<Location>> = answers
        .into_iter()
        .map(|answer| answer.ok().and_then(|found| found.items.into_iter().next()))
        .collect();
    let trees = asker.trees(&meant.iter().flatten().cloned().collect::<Vec<_>>());
    let class = |at: &Location| {
        let node = trees.get(&at.path)?.named_at(at.range.start)?;
        kinds::is_type(node.kind).then(|| (at.path.clone(), node.clone()))
    };
    let foreign = site.foreign(meant.iter().flatten().map(|at| at.path.as_str()));
    let mut meant = meant.into_iter();
    let mut found = |base: Base| {
        let at = meant.next().flatten();
        let outside = at.as_ref().is_some_and(|at| foreign.contains(&at.path));
        (base, at.as_ref().filter(|_| !outside).and_then(class), outside)
    };
    heads.into_iter().map(|bases| bases.into_iter().map(&mut found).collect()).collect()
}

/// What the header of a class names as its bases.
pub(crate) fn head(site: Site<'_>, language: &str, (path, node): &Class) -> Vec<Base> {
    let (from, to) = (node.name_range.end, node.whole.end.line.min(node.name_range.end.line + LINES));
    let lines = site.lines((from.line..=to).map(|line| (path.clone(), line)));
    let text: Vec<&str> = lines.values().map(String::as_str).collect();
    let code = Masked::read(&text.join("\n"), language).code_lines();
    let base = |(line, column, text): (u32, u32, String)| Base {
        at: Place { path: path.clone(), at: Position { line: from.line + line, column } },
        text,
    };
    named(&code, from.column as usize, language).into_iter().map(base).collect()
}

/// The names in a header, from a column of its first line, without type arguments and keywords.
fn named(code: &[String], from: usize, language: &str) -> Vec<(u32, u32, String)> {
    let is_python = language == "python";
    let (mut found, mut round, mut other) = (Vec::new(), 0_usize, 0_usize);
    for (number, line) in (0..).zip(code) {
        let letters: Vec<char> = line.chars().collect();
        let mut at = if number == 0 { from } else { 0 };
        while at < letters.len() {
            let letter = letters[at];
            let begin = at;
            at += 1;
            match letter {
                '(' => round += 1,
                ')' => round = round.saturating_sub(1),
                '[' | '<' => other += 1,
                ']' | '>' => other = other.saturating_sub(1),
                ':' if is_python && round == 0 && other == 0 => return found,
                '{' | ';' if !is_python && round == 0 => return found,
                letter if is_part(letter) => {
                    while at < letters.len() && (is_part(letters[at]) || is_joint(&letters, at)) {
                        at += 1;
                    }
                    let text: String = letters[begin..at].iter().collect();
                    let behind = letters[at..].iter().find(|letter| **letter != ' ');
                    let is_key = behind == Some(&'=') && is_python;
                    let is_base = round == usize::from(is_python)
                        && other == 0
                        && !is_key
                        && !is_plain(language, &text);
                    let leaf = text.rsplit(['.', ':']).next().unwrap_or(&text).chars().count();
                    let column = u32::try_from(at - leaf).unwrap_or(u32::MAX);
                    // `metaclass=Meta` names no base.
                    let is_value = letters[..begin].iter().rev().find(|letter| **letter != ' ') == Some(&'=');
                    if is_base && !is_value {
                        found.push((number, column, text));
                    }
                }
                _ => {}
            }
        }
    }
    found
}

/// Whether a dot or a `::` at a place joins two names.
fn is_joint(letters: &[char], at: usize) -> bool {
    let next = |ahead: usize| letters.get(at + ahead).copied().unwrap_or(' ');
    match letters[at] {
        '.' => is_part(next(1)),
        ':' => next(1) == ':' && is_part(next(2)) || letters[at - 1] == ':' && is_part(next(1)),
        _ => false,
    }
}

/// Words in headers that name no class.
fn is_plain(language: &str, word: &str) -> bool {
    matches!(word, "extends" | "implements" | "final" | "virtual" | "sealed" | "with" | "permits" | "where")
        || reserved::is_keyword(language, word)
}

/// Whether a base that is declared outside has a member, for Python: the server would complete its name. `None` if the
/// server does not complete anything there.
pub(crate) fn has_member(asker: &Asker<'_, '_>, base: &Base, member: &str) -> Option<bool> {
    let workspace = asker.located.site.workspace;
    let text = workspace.text(&base.at.path).ok()?;
    let line = u32::try_from(text.split('\n').count()).ok()?;
    let completes = |name: &str| -> Option<bool> {
        let last = format!("{}.{name}", base.text);
        let at = Position { line, column: u32::try_from(last.chars().count()).ok()? };
        let place = Place { path: base.at.path.clone(), at };
        let found = workspace
            .completions(&place, Some(&format!("{text}\n{last}")), 1_000, asker.common.timeout)
            .ok()?;
        Some(found.items.iter().any(|item| item.label.trim_end_matches("()") == name))
    };
    match completes(member)? {
        true => Some(true),
        false => completes("__init__")?.then_some(false),
    }
}

/// The classes whose headers use one of some names, and those below them.
pub(crate) fn below(asker: &Asker<'_, '_>, uses: &[Location]) -> Vec<Location> {
    let site = asker.located.site;
    let mut found: BTreeMap<Declared, Location> = BTreeMap::new();
    let mut uses = uses.to_vec();
    for _ in 0..STEPS {
        let trees = asker.trees(&uses);
        let mut fresh = Vec::new();
        for one in &uses {
            let Some(node) = trees.get(&one.path).and_then(|tree| tree.around(one.range.start)) else {
                continue;
            };
            let class = (one.path.clone(), node.clone());
            let names = |base: &Base| key(base.at.at) == key(one.range.start);
            if kinds::is_type(node.kind) && head(site, &asker.located.language, &class).iter().any(names) {
                let at = Location { path: one.path.clone(), range: node.name_range };
                if found.insert(begin(&at), at.clone()).is_none() {
                    fresh.push(Place { path: at.path, at: at.range.start });
                }
            }
        }
        if fresh.is_empty() {
            break;
        }
        let answers = site.workspace.related(Relation::References, &fresh, asker.common.timeout);
        uses = answers.unwrap_or_default().into_iter().flatten().flat_map(|found| found.items).collect();
    }
    found.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: &str, code: &str, expected: &[(u32, u32, &str)]) {
        let lines: Vec<String> = code.lines().map(str::to_owned).collect();
        let found = named(&lines, 7, language);
        let shown: Vec<(u32, u32, &str)> =
            found.iter().map(|(line, column, text)| (*line, *column, text.as_str())).collect();
        assert_eq!(shown, expected, "{code}");
    }

    #[test]
    fn headers_name_bases() {
        check("python", "class A(B, m.C[T],\n  metaclass=M): D", &[(0, 8, "B"), (0, 13, "m.C")]);
        check("python", "class A: B", &[]);
        check("python", "class A(f(B)): pass", &[(0, 8, "f")]);
        check(
            "typescript",
            "class A<T extends U> extends n.B<C>\n  implements D, E {",
            &[(0, 31, "n.B"), (1, 13, "D"), (1, 16, "E")],
        );
        check("cpp", "class A final : public B, private n::C<D> {", &[(0, 23, "B"), (0, 37, "n::C")]);
    }
}
