//! Whether a regular expression may take forever.
//!
//! Expressions run inside OmniFocus, over all names and notes, by an engine that goes back and tries again; nobody can stop
//! it there. What makes it exponential is a repeated group whose parts can match the same text in several ways. That is
//! told from the expression alone, and a little too strictly.

/// What is known of a group while it is read.
#[derive(Clone, Debug, Default)]
struct Group {
    /// Whether something in it is repeated without a bound.
    repeats: bool,
    /// How each of its alternatives begins; none for what is not a plain letter.
    begins: Vec<Option<char>>,
    /// Whether the next part begins an alternative.
    fresh: bool,
}

impl Group {
    fn new() -> Self {
        Self { fresh: true, ..Self::default() }
    }

    fn begin(&mut self, letter: Option<char>) {
        if std::mem::take(&mut self.fresh) {
            self.begins.push(letter.map(|letter| letter.to_ascii_lowercase()));
        }
    }

    /// Whether it can match one text in several ways when it is repeated.
    fn is_ambiguous(&self) -> bool {
        let mut seen = Vec::new();
        let doubled = self.begins.iter().any(|begin| {
            let known = begin.is_none() || seen.contains(begin);
            seen.push(*begin);
            known
        });
        self.repeats || (self.begins.len() > 1 && doubled)
    }
}

/// Tells whether an expression repeats what is ambiguous. One that is no expression is left to the engine, which says why.
pub(super) fn explodes(pattern: &str) -> bool {
    let letters: Vec<char> = pattern.chars().collect();
    let (mut groups, mut last, mut at) = (vec![Group::new()], None::<Group>, 0);
    while let Some(letter) = letters.get(at) {
        let depth = groups.len();
        let group = groups.last_mut().expect("the outermost group is never closed");
        let (many, unbounded, length) = quantifier(&letters[at..]);
        if length > 0 {
            if many && last.take().is_some_and(|inner| inner.is_ambiguous()) {
                return true;
            }
            group.repeats |= unbounded;
            at += length;
            continue;
        }
        last = None;
        match letter {
            '(' => {
                group.begin(None);
                groups.push(Group::new());
                at += opening(&letters[at..]);
                continue;
            }
            ')' if depth > 1 => {
                let inner = groups.pop().expect("there are two");
                groups.last_mut().expect("there was one more").repeats |= inner.repeats;
                last = Some(inner);
            }
            '|' => group.fresh = true,
            '[' => {
                group.begin(None);
                at += class(&letters[at..]);
                continue;
            }
            '\\' => {
                group.begin(None);
                at += 1;
            }
            '.' | '^' | '$' => group.begin(None),
            letter => group.begin(Some(*letter)),
        }
        at += 1;
    }
    false
}

/// Returns whether a quantifier takes its part more than once, whether without a bound, and how long it is.
fn quantifier(letters: &[char]) -> (bool, bool, usize) {
    let (many, unbounded, length) = match letters.first() {
        Some('*' | '+') => (true, true, 1),
        Some('?') => (false, false, 1),
        Some('{') => {
            let end = letters.iter().position(|letter| *letter == '}').unwrap_or(0);
            let inside: String = letters[1..end.max(1)].iter().collect();
            let counts = inside.split(',').all(|count| count.bytes().all(|byte| byte.is_ascii_digit()));
            if end == 0 || inside.is_empty() || !counts {
                return (false, false, 0);
            }
            (!matches!(&*inside, "0" | "1" | "0,1"), inside.ends_with(','), end + 1)
        }
        _ => return (false, false, 0),
    };
    let lazy = usize::from(letters.get(length) == Some(&'?'));
    (many, unbounded, length + lazy)
}

/// How long the beginning of a group is: `(`, `(?:`, `(?=`, `(?!`, `(?<=`, `(?<!`, `(?<name>`.
fn opening(letters: &[char]) -> usize {
    match letters {
        ['(', '?', '<', '=' | '!', ..] => 4,
        ['(', '?', '<', ..] => letters.iter().position(|letter| *letter == '>').map_or(3, |end| end + 1),
        ['(', '?', ..] => 3.min(letters.len()),
        _ => 1,
    }
}

/// How long a class of letters is.
fn class(letters: &[char]) -> usize {
    let mut at = 1;
    while let Some(letter) = letters.get(at) {
        match letter {
            '\\' => at += 1,
            ']' => return at + 1,
            _ => {}
        }
        at += 1;
    }
    letters.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_forever_is_told_from_what_does_not() {
        for bad in [
            "(a+)+$",
            "(a*)*",
            "(?:a+)*b",
            "((a+)b?)+",
            "(a|a)*$",
            "(a|ab)+$",
            "([a-z]+)*",
            "(\\w+\\s?)*$",
            "(.*)+",
            "(x{2,})+",
            "(a+){10}",
            "(?<n>a+)+",
            "(a+)+?",
            "(.|x)*",
            "^(([a-z])+.)+$",
            "(A|a)*",
            "((ab)*c*)*",
        ] {
            assert!(explodes(bad), "{bad}");
        }
        for good in [
            "budget",
            "^\\d+$",
            "a+b+",
            "(call|mail)",
            "(foo|bar)+",
            "(ab)+",
            "[(+*]+",
            "\\(a+\\)+",
            "(a+)?",
            "x{3}",
            "(a{2})+",
            "a{,3}+",
            "\\b\\w{3}\\b",
            "(?=a+)b",
            "(",
            ")",
            "[",
            "\\",
            "{",
            "a{",
            "(?",
            "*",
            "",
            "part \\d+, .*$",
        ] {
            assert!(!explodes(good), "{good}");
        }
    }
}
