//! The cost of a regular expression.
//!
//! Expressions run inside OmniFocus, over all names and notes, in a backtracking engine. Nothing can stop it there. Its
//! time depends on the number of ways to divide a text among the repeated parts. If a repeated group can itself match
//! in several ways, that number has no useful bound. Otherwise it is a power of the text's length. Both follow from the
//! expression alone. The answer errs on the safe side.

/// Sets of letters: one bit for each ASCII character, one for all other spaces, and one for all other characters.
type Letters = (u128, u8);

const ALL: Letters = (u128::MAX, SPACES | OTHERS);
const SPACES: u8 = 1;
const OTHERS: u8 = 2;

/// The number of ways in which something can match: a power of the text's length, and a power of two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Ways {
    degree: u32,
    bits: u32,
}

impl Ways {
    fn and(self, other: Self) -> Self {
        Self { degree: self.degree + other.degree, bits: self.bits + other.bits }
    }
}

/// A part of an expression, such as a letter, a class or a group, with its quantifier.
#[derive(Clone, Copy, Debug)]
struct Part {
    letters: Letters,
    /// The letters that it can begin with.
    first: Letters,
    ways: Ways,
    /// Whether it takes at least one letter.
    takes: bool,
}

/// The maximum length of a text to try: for an expression whose number of ways grows with the length, and for one
/// whose number grows with the square of the length. Each limit means at most 50 million steps.
const LENGTHS: [usize; 2] = [10_000, 500];

/// Returns how many letters of each text may be tried (`None` for any number), or an error if no limit helps. An
/// invalid expression is left to the engine, which gives the reason.
pub(super) fn most(pattern: &str) -> Result<Option<usize>, ()> {
    let letters: Vec<char> = pattern.chars().collect();
    let mut reader = Reader { letters: &letters, at: 0 };
    let mut worst = Ways::default();
    // A closing parenthesis without an opening one ends the sequence here; later the engine refuses the expression.
    while reader.at < letters.len() {
        worst = worst.max(reader.choice()?.ways);
        reader.at += 1;
    }
    match (worst.degree, worst.bits) {
        (0, 0..=8) => Ok(None),
        (degree @ 1..=2, 0..=3) => Ok(Some(LENGTHS[degree as usize - 1])),
        _ => Err(()),
    }
}

struct Reader<'a> {
    letters: &'a [char],
    at: usize,
}

impl Reader<'_> {
    /// Reads alternatives up to the end of their group.
    fn choice(&mut self) -> Result<Part, ()> {
        let mut all = vec![self.sequence()?];
        while self.letters.get(self.at) == Some(&'|') {
            self.at += 1;
            all.push(self.sequence()?);
        }
        let mut choice = all[0];
        let mut is_clear = true;
        for one in &all[1..] {
            is_clear &= !meet(choice.first, one.first) && choice.takes && one.takes;
            choice = Part {
                letters: join(choice.letters, one.letters),
                first: join(choice.first, one.first),
                ways: Ways {
                    degree: choice.ways.degree.max(one.ways.degree),
                    bits: choice.ways.bits.max(one.ways.bits),
                },
                takes: choice.takes && one.takes,
            };
        }
        if !is_clear {
            choice.ways.bits += all.len().next_power_of_two().ilog2();
        }
        Ok(choice)
    }

    fn sequence(&mut self) -> Result<Part, ()> {
        let mut whole = Part { letters: (0, 0), first: (0, 0), ways: Ways::default(), takes: false };
        // The parts whose letters a later part can also match.
        let mut open: Vec<(Letters, Ways)> = Vec::new();
        while let Some(letter) = self.letters.get(self.at).filter(|letter| !matches!(letter, '|' | ')')) {
            let Some(part) = self.part(*letter)? else { continue };
            let before =
                open.iter().filter(|(letters, _)| meet(*letters, part.letters)).map(|(_, ways)| *ways);
            let ways = before.max().unwrap_or_default().and(part.ways);
            if part.takes {
                open.retain(|(letters, _)| meet(*letters, part.letters));
            }
            if part.ways != Ways::default() {
                open.push((part.letters, ways));
                whole.ways = whole.ways.max(ways);
            }
            if !whole.takes {
                whole.first = join(whole.first, part.first);
            }
            whole.letters = join(whole.letters, part.letters);
            whole.takes |= part.takes;
        }
        Ok(whole)
    }

    /// Reads one part with its quantifier; `None` for a part that matches no letters.
    fn part(&mut self, letter: char) -> Result<Option<Part>, ()> {
        let mut part = match letter {
            '(' => {
                self.at += opening(&self.letters[self.at..]);
                let inner = self.choice()?;
                self.at += 1;
                inner
            }
            '^' | '$' => {
                self.at += 1;
                return Ok(None);
            }
            '[' => plain(self.class()),
            '\\' => match self.escape() {
                Some(letters) => plain(letters),
                None => return Ok(None),
            },
            '.' => {
                self.at += 1;
                plain((ALL.0 & !bit('\n') & !bit('\r'), ALL.1))
            }
            letter => {
                self.at += 1;
                plain(one(letter))
            }
        };
        if let Some((least, most)) = self.quantifier() {
            let repeated = most.is_none_or(|most| most > 1);
            if repeated && part.ways != Ways::default() {
                return Err(());
            }
            let spread = most.map(|most| most.saturating_sub(least));
            part.ways = part.ways.and(match spread {
                Some(spread @ 0..16) => Ways { degree: 0, bits: (spread + 1).next_power_of_two().ilog2() },
                _ => Ways { degree: 1, bits: 0 },
            });
            part.takes &= least > 0;
        }
        Ok(Some(part))
    }

    /// Reads the minimum and maximum of a quantifier.
    fn quantifier(&mut self) -> Option<(u32, Option<u32>)> {
        let rest = &self.letters[self.at.min(self.letters.len())..];
        let (least, most, length) = match rest.first()? {
            '*' => (0, None, 1),
            '+' => (1, None, 1),
            '?' => (0, Some(1), 1),
            '{' => {
                let end = rest.iter().position(|letter| *letter == '}')?;
                let inside: String = rest[1..end].iter().collect();
                let (least, most) = match inside.split_once(',') {
                    None => (inside.parse().ok()?, Some(inside.parse().ok()?)),
                    Some((least, "")) => (least.parse().ok()?, None),
                    Some((least, most)) => (least.parse().ok()?, Some(most.parse().ok()?)),
                };
                (least, most, end + 1)
            }
            _ => return None,
        };
        self.at += length + usize::from(rest.get(length) == Some(&'?'));
        Some((least, most))
    }

    /// Reads an escape; `None` for a boundary. An unknown escape matches any letter.
    fn escape(&mut self) -> Option<Letters> {
        let letter = self.letters.get(self.at + 1).copied();
        self.at += 2;
        match letter {
            Some('b' | 'B') => None,
            Some('1'..='9' | 'k' | 'x' | 'u' | 'c' | 'p' | 'P') => Some(ALL),
            Some(letter) => Some(escaped(letter)),
            None => Some(ALL),
        }
    }

    fn class(&mut self) -> Letters {
        self.at += 1;
        let negated = self.letters.get(self.at) == Some(&'^');
        self.at += usize::from(negated);
        let mut letters = (0, 0);
        let mut before: Option<char> = None;
        while let Some(letter) = self.letters.get(self.at).copied() {
            self.at += 1;
            match letter {
                ']' => break,
                '\\' => {
                    let escape = self.letters.get(self.at).copied().unwrap_or('\\');
                    self.at += 1;
                    // `\x41` and similar escapes would have to be parsed further.
                    letters =
                        join(letters, if matches!(escape, 'x' | 'u' | 'c') { ALL } else { escaped(escape) });
                    before = None;
                }
                '-' if before.is_some() && self.letters.get(self.at).is_some_and(|next| *next != ']') => {
                    let end = self.letters[self.at];
                    self.at += 1;
                    let start = before.take().unwrap_or(end);
                    letters = join(letters, if end == '\\' { ALL } else { between(start, end) });
                }
                letter => {
                    letters = join(letters, one(letter));
                    before = Some(letter);
                }
            }
        }
        // A negated class is described by the other letters; those beyond ASCII are in both.
        if negated { (!letters.0, ALL.1) } else { letters }
    }
}

fn plain(letters: Letters) -> Part {
    Part { letters, first: letters, ways: Ways::default(), takes: true }
}

fn bit(letter: char) -> u128 {
    if letter.is_ascii() { 1 << (letter as u32) } else { 0 }
}

/// A letter in both cases.
fn one(letter: char) -> Letters {
    let others = if letter.is_whitespace() { SPACES } else { OTHERS };
    let ascii = bit(letter.to_ascii_lowercase()) | bit(letter.to_ascii_uppercase());
    (ascii, if letter.is_ascii() { 0 } else { others })
}

fn between(start: char, end: char) -> Letters {
    if !end.is_ascii() {
        return ALL;
    }
    (start..=end).fold((0, 0), |letters, letter| join(letters, one(letter)))
}

fn escaped(letter: char) -> Letters {
    let word = || {
        let letters = ('0'..='9').chain('a'..='z').chain('A'..='Z').chain(['_']);
        letters.fold(0, |letters, letter| letters | bit(letter))
    };
    let digits = || ('0'..='9').fold(0, |letters, letter| letters | bit(letter));
    let spaces = || {
        ['\t', '\n', '\u{b}', '\u{c}', '\r', ' '].into_iter().fold(0, |letters, letter| letters | bit(letter))
    };
    match letter {
        'w' => (word(), 0),
        'W' => (!word(), ALL.1),
        'd' => (digits(), 0),
        'D' => (!digits(), ALL.1),
        's' => (spaces(), SPACES),
        'S' => (!spaces(), OTHERS),
        't' => one('\t'),
        'n' => one('\n'),
        'r' => one('\r'),
        'f' => one('\u{c}'),
        'v' => one('\u{b}'),
        letter => one(letter),
    }
}

fn join(left: Letters, right: Letters) -> Letters {
    (left.0 | right.0, left.1 | right.1)
}

fn meet(left: Letters, right: Letters) -> bool {
    left.0 & right.0 != 0 || left.1 & right.1 != 0
}

/// The length of the beginning of a group: `(`, `(?:`, `(?=`, `(?!`, `(?<=`, `(?<!`, `(?<name>`.
fn opening(letters: &[char]) -> usize {
    match letters {
        ['(', '?', '<', '=' | '!', ..] => 4,
        ['(', '?', '<', ..] => letters.iter().position(|letter| *letter == '>').map_or(3, |end| end + 1),
        ['(', '?', ..] => 3.min(letters.len()),
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expected: Result<Option<usize>, ()>, patterns: &[&str]) {
        for pattern in patterns {
            assert_eq!(most(pattern), expected, "{pattern}");
        }
    }

    #[test]
    fn what_no_bound_helps_is_refused() {
        check(
            Err(()),
            &[
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
                "(aa?)+$",
                "(|a)+",
                "a?a?a?a?a?a?a?a?a?aaaaaaaaa",
                "(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)",
                ".*.*.*x",
                "(.*)a(.*)b(.*)c",
                "\\s*\\s*\\s*$",
                "x*x{0,99}x*",
                "[a-f]+[e-k]+[^d]+z",
                "(a+)\\1*.*b",
                "(?=a*)a*a*a*b",
            ],
        );
    }

    #[test]
    fn what_a_power_of_the_length_takes_is_bounded() {
        check(
            Ok(None),
            &[
                "budget", "(call|mail)", "a{2}x{3}", "\\b\\w{3}\\b", "colou?r", "https?:", "(ü|é)", "",
                "a{,3}", "\\(a\\)", "^$",
            ],
        );
        check(
            Ok(Some(10_000)),
            &[
                "^\\d+$",
                "a+b+",
                "(foo|bar)+",
                "(ab)+",
                "[(+*]+",
                "(a+)?",
                "(a+)|b",
                "(a{2})+x{3}",
                "part \\d+, .*$",
                "x{0,99}",
                "\\w+\\s+\\w+\\s+\\w+",
                "(\\w+) (\\w+)",
                "\\d{4}-\\d{2}-\\d+",
                "[^:]*:[^:]*",
            ],
        );
        check(Ok(Some(500)), &[".*a.*b", "\\w+\\w+$", "\\S+@\\S+", "(.*)x(.*)", "\\s*\\S*\\s*$", "a*ab*a*"]);
    }

    #[test]
    fn what_is_no_expression_is_left_to_the_engine() {
        for wrong in
            ["(", ")", "[", "\\", "{", "a{", "(?", "*", "a)b+)", "[\\", "[a-", "[z-a]", "a{9999999999}"]
        {
            let _ = most(wrong);
        }
    }
}
