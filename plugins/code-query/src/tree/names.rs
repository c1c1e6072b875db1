//! Splits a server's name of a symbol into the name itself and its container.

use crate::kinds::{self, Kind};
use crate::world::Naming;

/// A parsed name.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Read {
    pub(super) containers: Vec<String>,
    pub(super) name: String,
    /// The server's name, if it says more than the other fields.
    pub(super) detail: Option<String>,
}

pub(super) fn read(name: &str, kind: Kind, naming: Naming) -> Read {
    match naming {
        Naming::Rust if kind == kinds::OBJECT => implementation(name),
        Naming::Scoped => scoped(name),
        Naming::Receiver => receiver(name),
        Naming::Plain if matches!(kind, kinds::MODULE | kinds::NAMESPACE) => dotted(name),
        _ => plain(name.strip_suffix("()").filter(|rest| !rest.is_empty()).unwrap_or(name)),
    }
}

/// The kind to show: kinds without a number in LSP have their own numbers here.
pub(super) fn kind(kind: Kind, naming: Naming, held_by: Option<Kind>) -> Kind {
    let in_code = held_by.is_some_and(|holder| kinds::is_callable(holder) || kinds::is_type(holder));
    match kind {
        kinds::TEXT if matches!(naming, Naming::Scoped) => kinds::MACRO,
        kinds::TYPE_PARAMETER if matches!(naming, Naming::Rust) || !in_code => kinds::TYPE_ALIAS,
        kind => kind,
    }
}

/// Names that servers invent for anonymous symbols.
const MADE_UP: [&str; 9] =
    ["()", "[]", "export=", "<function>", "<class>", "<constructor>", "<unknown>", "<anonymous>", "<module>"];

/// Whether the server made up the name: for a callback, an anonymous symbol, or with the text of a whole expression.
pub(super) fn is_synthetic(name: &str) -> bool {
    name.is_empty()
        || name.ends_with(" callback")
        || name.starts_with("(anonymous")
        || name.contains('\n')
        || MADE_UP.contains(&name)
}

fn plain(name: &str) -> Read {
    Read { name: name.to_owned(), ..Read::default() }
}

/// TypeScript's `namespace A.B` is `B` in `A`. A module with a string as its name keeps the whole string.
fn dotted(name: &str) -> Read {
    let parts: Vec<&str> = name.split('.').collect();
    let part = |part: &&str| {
        !part.is_empty() && part.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '$'))
    };
    match parts.split_last().filter(|_| parts.iter().all(part)) {
        Some((leaf, holders)) => {
            Read { containers: holders.iter().map(|&one| one.to_owned()).collect(), ..plain(leaf) }
        }
        None => plain(name),
    }
}

/// `impl fmt::Display for shapes::Circle<T>` is about `Circle`.
fn implementation(name: &str) -> Read {
    let Some(rest) = name.strip_prefix("impl").filter(|rest| !rest.is_empty()) else { return plain(name) };
    let about = rest.rsplit_once(" for ").map_or(rest, |(_, about)| about);
    let about = about.split(" where ").next().unwrap_or(about);
    let about = if about.starts_with('<') { after_generics(about) } else { about };
    let bare =
        about.trim().trim_start_matches(['&', '*']).trim_start_matches("mut ").trim_start_matches("dyn ");
    let bare = bare.strip_prefix('\'').and_then(|rest| rest.split_once(' ')).map_or(bare, |(_, rest)| rest);
    let bare = bare.trim_start_matches("mut ").trim_start_matches("dyn ");
    let path = bare.split('<').next().unwrap_or(bare).trim();
    let leaf = path.rsplit("::").next().unwrap_or(path);
    let name_of = if leaf.is_empty() { bare } else { leaf };
    Read { name: name_of.to_owned(), detail: Some(name.to_owned()), ..Read::default() }
}

/// The text after `<…>` at the beginning.
fn after_generics(text: &str) -> &str {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        depth += i32::from(letter == '<') - i32::from(letter == '>');
        if depth == 0 {
            return &text[at + 1..];
        }
    }
    text
}

/// `util::Inner<a::b>::getDeep` is `getDeep` in `util` and `Inner`; an operator is one name.
fn scoped(name: &str) -> Read {
    let mut parts: Vec<&str> = Vec::new();
    let (mut depth, mut start, mut skip) = (0_i32, 0, false);
    for (at, letter) in name.char_indices() {
        if depth == 0 && name[start..].starts_with("operator") {
            break;
        }
        match letter {
            _ if skip => skip = false,
            '<' | '(' => depth += 1,
            '>' | ')' => depth -= 1,
            ':' if depth == 0 && at > start && name[at..].starts_with("::") => {
                parts.push(&name[start..at]);
                start = at + 2;
                skip = true;
            }
            _ => {}
        }
    }
    let leaf = general(&name[start..]);
    let containers = parts.into_iter().map(|part| general(part).to_owned()).collect();
    let detail = (leaf.len() < name.len() - start).then(|| name[start..].to_owned());
    Read { containers, detail, ..plain(leaf) }
}

/// A specialisation has the name of its template: `Inner<int>` is `Inner`.
fn general(name: &str) -> &str {
    let is_operator =
        name.strip_prefix("operator").is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    match name.find('<') {
        Some(at) if at > 0 && !is_operator && name.ends_with('>') => &name[..at],
        _ => name,
    }
}

/// `(*Circle).GetR` and `Circle.GetR` are `GetR` in `Circle`.
fn receiver(name: &str) -> Read {
    let Some((holder, leaf)) = name.rsplit_once('.') else { return plain(name) };
    let holder = holder.trim_start_matches('(').trim_start_matches('*').trim_end_matches(')');
    let holder = holder.split('[').next().unwrap_or(holder);
    Read { containers: vec![holder.to_owned()], ..plain(leaf) }
}
