//! Kinds of symbols: the 26 kinds of LSP, type aliases, macros, and groups of kinds.

use crate::near;
use crate::trouble::Trouble;

/// A kind by its number in LSP; LSP has no number for type aliases and macros, so they are 27 and 28 here.
pub(crate) type Kind = u8;

pub(crate) const MODULE: Kind = 2;
pub(crate) const NAMESPACE: Kind = 3;
pub(crate) const CLASS: Kind = 5;
pub(crate) const METHOD: Kind = 6;
pub(crate) const PROPERTY: Kind = 7;
pub(crate) const FIELD: Kind = 8;
pub(crate) const CONSTRUCTOR: Kind = 9;
pub(crate) const INTERFACE: Kind = 11;
pub(crate) const FUNCTION: Kind = 12;
pub(crate) const VARIABLE: Kind = 13;
pub(crate) const CONSTANT: Kind = 14;
/// clangd's kind for macros.
pub(crate) const TEXT: Kind = 15;
pub(crate) const OBJECT: Kind = 19;
/// clangd's kind for the call of a macro that declares something.
pub(crate) const NULL: Kind = 21;
pub(crate) const STRUCT: Kind = 23;
pub(crate) const TYPE_PARAMETER: Kind = 26;
pub(crate) const TYPE_ALIAS: Kind = 27;
pub(crate) const MACRO: Kind = 28;

const NAMES: [&str; 28] = [
    "file", "module", "namespace", "package", "class", "method", "property", "field", "constructor", "enum",
    "interface", "function", "variable", "constant", "string", "number", "boolean", "array", "object", "key",
    "null", "enumMember", "struct", "event", "operator", "typeParameter", "typeAlias", "macro",
];

/// Groups, because servers disagree about the kind of the same symbol.
const GROUPS: [(&str, &[Kind]); 4] = [
    ("type", &[CLASS, INTERFACE, STRUCT, 10, TYPE_ALIAS]),
    ("callable", &[FUNCTION, METHOD, CONSTRUCTOR]),
    ("value", &[VARIABLE, CONSTANT, FIELD, PROPERTY, 22]),
    ("container", &[MODULE, NAMESPACE, 4]),
];

/// The keywords of languages, with the kinds that they mean.
const WORDS: [(&str, &str); 17] = [
    ("define", "macro"),
    ("trait", "interface"),
    ("protocol", "interface"),
    ("fn", "function"),
    ("func", "function"),
    ("def", "function"),
    ("var", "variable"),
    ("let", "variable"),
    ("const", "constant"),
    ("static", "constant"),
    ("mod", "module"),
    ("attribute", "property"),
    ("member", "field"),
    ("variant", "enumMember"),
    ("enumerator", "enumMember"),
    ("typedef", "typeAlias"),
    ("types", "type"),
];

/// Which kinds are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kinds(u32);

impl Kinds {
    /// Every kind.
    pub(crate) const ALL: Self = Self(u32::MAX);

    /// Reads kinds and groups.
    ///
    /// # Errors
    /// An unknown kind, with the nearest known one.
    pub(crate) fn parse<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Self, Trouble> {
        let mut set = 0;
        for word in words.into_iter().map(str::trim).filter(|word| !word.is_empty()) {
            set |= members(word).ok_or_else(|| unknown(word))?;
        }
        Ok(if set == 0 { Self::ALL } else { Self(set) })
    }

    /// Tells whether a kind is wanted.
    pub(crate) fn has(self, kind: Kind) -> bool {
        self == Self::ALL || self.0 & bit(kind) != 0
    }
}

pub(crate) fn name(kind: Kind) -> &'static str {
    NAMES.get(usize::from(kind).wrapping_sub(1)).copied().unwrap_or("unknown")
}

/// Tells whether it is a function, a method or a constructor.
pub(crate) fn is_callable(kind: Kind) -> bool {
    matches!(kind, FUNCTION | METHOD | CONSTRUCTOR)
}

/// Tells whether two symbols with the same name are one thing: overloaded functions, or a property with its setter.
pub(crate) fn are_overloads(one: Kind, other: Kind) -> bool {
    let part = |kind| is_callable(kind) || matches!(kind, PROPERTY | FIELD);
    one == other || (part(one) && part(other))
}

/// Tells whether it is a class, or a similar type.
pub(crate) fn is_type(kind: Kind) -> bool {
    GROUPS[0].1.contains(&kind)
}

fn bit(kind: Kind) -> u32 {
    1_u32.checked_shl(u32::from(kind)).unwrap_or(0)
}

fn members(word: &str) -> Option<u32> {
    if let Some((_, kinds)) = GROUPS.iter().find(|(group, _)| *group == word) {
        return Some(kinds.iter().fold(0, |set, &kind| set | bit(kind)));
    }
    let at = NAMES.iter().position(|name| *name == word)?;
    Some(1 << (at + 1))
}

fn unknown(word: &str) -> Trouble {
    let known = NAMES.iter().copied().chain(GROUPS.iter().map(|(group, _)| *group));
    let other = WORDS.iter().find(|(other, _)| other.eq_ignore_ascii_case(word)).map(|(_, kind)| *kind);
    let message = match other.or_else(|| near::nearest(word, known)) {
        Some(near) => format!("unknown kind \"{word}\"; did you mean \"{near}\"?"),
        None => format!(
            "unknown kind \"{word}\"; use one of {}, or type, callable, value, container",
            NAMES.join(", ")
        ),
    };
    Trouble::field(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &str, has: &[&str], has_not: &[&str]) {
        let kinds = Kinds::parse(words.split(',')).expect(words);
        let number = |word: &&str| NAMES.iter().position(|name| name == word).map(|at| at as Kind + 1);
        has.iter().for_each(|word| assert!(kinds.has(number(word).expect(word)), "{words} has {word}"));
        has_not
            .iter()
            .for_each(|word| assert!(!kinds.has(number(word).expect(word)), "{words} has no {word}"));
    }

    #[test]
    fn kinds_and_groups_are_read() {
        check("", &["file", "typeAlias"], &[]);
        check("class", &["class"], &["struct", "file"]);
        check("class, interface", &["class", "interface"], &["enum"]);
        check("type", &["class", "interface", "struct", "enum", "typeAlias"], &["function", "typeParameter"]);
        check("callable", &["function", "method", "constructor"], &["class"]);
        check("value", &["variable", "constant", "field", "property", "enumMember"], &["function"]);
        check("macro", &["macro"], &["function", "typeAlias"]);
        check("container", &["module", "namespace", "package"], &["class"]);
    }

    #[test]
    fn an_unknown_kind_is_an_error_with_the_nearest() {
        let message = |word| Kinds::parse([word]).expect_err("unknown").message;
        assert_eq!(message("klass"), "unknown kind \"klass\"; did you mean \"class\"?");
        assert_eq!(message("trait"), "unknown kind \"trait\"; did you mean \"interface\"?");
        assert!(message("zzzzzzzz").starts_with("unknown kind \"zzzzzzzz\"; use one of file, module, "));
    }
}
