//! The cost of a regular expression.
//!
//! Expressions run inside OmniFocus, over all names and notes, in a backtracking engine. Nothing can stop it there. Its
//! time depends on the number of ways to divide a text among the repeated parts. If a repeated group can itself match
//! in several ways, that number has no useful bound. Otherwise it is a power of the text's length. Both follow from the
//! expression alone. The answer errs on the safe side: an escape that is not a single known letter stands for all
//! letters, and what cannot be read to its end is refused, because a quantifier might belong to another part than it
//! seems.

/// Why an expression is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// It may match a text in too many ways.
    Costly,
    /// It has a group with flags, or an unknown kind of group: the beginning of the group, such as `(?i:`.
    Opening(String),
    /// It has an escape or a class that cannot be read to its end.
    Unreadable,
}

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
    /// The number of steps for one way to match it, without those that a repetition may add.
    steps: u32,
}

/// The maximum length of a text to try: for an expression whose number of ways grows with the length, and for one
/// whose number grows with the square of the length. Each limit means at most 50 million steps.
const LENGTHS: [usize; 2] = [10_000, 500];

/// The number of steps of a short expression. A longer one takes more for each way, so it gets shorter texts.
const SHORT: u32 = 10;

/// An expression without a repetition takes at most this many steps for each letter, so its texts need no limit.
const LONG: u32 = 1_000;

/// Returns how many letters of each text may be tried (`None` for any number), or an error if no limit helps or if the
/// expression cannot be read. Other mistakes in it are left to the engine, which gives the reason.
pub(super) fn most(pattern: &str) -> Result<Option<usize>, Refused> {
    let letters: Vec<char> = pattern.chars().collect();
    let mut reader = Reader { letters: &letters, at: 0 };
    let (mut worst, mut steps) = (Ways::default(), 0_u32);
    // A closing parenthesis without an opening one ends the sequence here; later the engine refuses the expression.
    while reader.at < letters.len() {
        let choice = reader.choice()?;
        (worst, steps) = (worst.max(choice.ways), steps.saturating_add(choice.steps));
        reader.at += 1;
    }
    match (worst.degree, worst.bits) {
        (0, 0..=8) if steps <= LONG => Ok(None),
        (degree @ 0..=2, 0..=3) => Ok(Some(shortened(degree.max(1), steps))),
        _ => Err(Refused::Costly),
    }
}

/// The maximum length of a text for a number of ways and of steps for each of them: the number of all steps grows with
/// the length to the power of one more than the degree, because a match may begin anywhere.
fn shortened(degree: u32, steps: u32) -> usize {
    let most = LENGTHS[degree as usize - 1];
    let times = u64::from(steps.max(SHORT)).div_ceil(u64::from(SHORT));
    let fits = |length: &usize| {
        let power = |length: usize| (length as u64).pow(degree + 1);
        power(*length).saturating_mul(times) <= power(most)
    };
    std::iter::successors(Some(most), |length| Some(length - length / 20 - 1)).find(fits).unwrap_or_default()
}

struct Reader<'a> {
    letters: &'a [char],
    at: usize,
}

impl Reader<'_> {
    /// Reads alternatives up to the end of their group.
    fn choice(&mut self) -> Result<Part, Refused> {
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
                steps: choice.steps.saturating_add(one.steps),
            };
        }
        if !is_clear {
            choice.ways.bits += all.len().next_power_of_two().ilog2();
        }
        Ok(choice)
    }

    fn sequence(&mut self) -> Result<Part, Refused> {
        let mut whole =
            Part { letters: (0, 0), first: (0, 0), ways: Ways::default(), takes: false, steps: 0 };
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
            whole.steps = whole.steps.saturating_add(part.steps);
        }
        Ok(whole)
    }

    /// Reads one part with its quantifier; `None` for a part that matches no letters.
    fn part(&mut self, letter: char) -> Result<Option<Part>, Refused> {
        let mut part = match letter {
            '(' => {
                let (length, looks) = opening(&self.letters[self.at..])?;
                self.at += length;
                let inner = self.choice()?;
                self.at += 1;
                // A look ahead or back takes nothing, so it does not separate what stands on both sides of it.
                Part { takes: inner.takes && !looks, ..inner }
            }
            '^' | '$' => {
                self.at += 1;
                return Ok(None);
            }
            '[' => plain(self.class()?),
            '\\' => match self.escape(false)? {
                Escape::Letters(letters) => plain(letters),
                Escape::Unknown => plain(ALL),
                // The text that it repeats may be empty.
                Escape::Again => Part { takes: false, ..plain(ALL) },
                Escape::Boundary => return Ok(None),
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
        if let Some((least, most)) = self.quantifier()? {
            let repeated = most.is_none_or(|most| most > 1);
            if repeated && part.ways != Ways::default() {
                return Err(Refused::Costly);
            }
            let spread = most.map(|most| most.saturating_sub(least));
            part.ways = part.ways.and(match spread {
                Some(spread @ 0..16) => Ways { degree: 0, bits: (spread + 1).next_power_of_two().ilog2() },
                _ => Ways { degree: 1, bits: 0 },
            });
            part.takes &= least > 0;
            part.steps = part.steps.saturating_mul(least.max(1));
        }
        Ok(Some(part))
    }

    /// Reads the minimum and maximum of a quantifier.
    fn quantifier(&mut self) -> Result<Option<(u32, Option<u32>)>, Refused> {
        let rest = &self.letters[self.at.min(self.letters.len())..];
        let (least, most, length) = match rest.first() {
            Some('*') => (0, None, 1),
            Some('+') => (1, None, 1),
            Some('?') => (0, Some(1), 1),
            Some('{') => match bounds(rest)? {
                Some(bounds) => bounds,
                // Any other brace is a letter.
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        self.at += length + usize::from(rest.get(length) == Some(&'?'));
        Ok(Some((least, most)))
    }

    /// Reads an escape to its end.
    fn escape(&mut self, in_class: bool) -> Result<Escape, Refused> {
        let letter = self.letters.get(self.at + 1).copied().ok_or(Refused::Unreadable)?;
        self.at += 2;
        let rest = &self.letters[self.at..];
        let hex = |count: usize| {
            let digits = rest.get(..count).unwrap_or_default();
            if digits.len() == count && digits.iter().all(char::is_ascii_hexdigit) {
                Ok(count)
            } else {
                Err(Refused::Unreadable)
            }
        };
        let until = |close: char, fits: fn(&char) -> bool| {
            let end = rest.iter().position(|letter| *letter == close).ok_or(Refused::Unreadable)?;
            let inside = rest.get(1..end).filter(|inside| !inside.is_empty() && inside.iter().all(fits));
            inside.map(|_| end + 1).ok_or(Refused::Unreadable)
        };
        let is_name = |letter: &char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
        let (length, escape) = match letter {
            'b' if in_class => (0, Escape::Letters(one('\u{8}'))),
            'b' | 'B' if !in_class => (0, Escape::Boundary),
            // More digits may be a letter by its octal number, of which only some belong to it.
            '0'..='9' if rest.first().is_some_and(char::is_ascii_digit) => return Err(Refused::Unreadable),
            '1'..='9' if !in_class => (0, Escape::Again),
            'k' if !in_class && rest.first() == Some(&'<') => (until('>', is_name)?, Escape::Again),
            'x' => (hex(2)?, Escape::Unknown),
            'u' => (hex(4)?, Escape::Unknown),
            'c' if rest.first().is_some_and(char::is_ascii_alphabetic) => (1, Escape::Unknown),
            'p' | 'P' if rest.first() == Some(&'{') => {
                let is_word = |letter: &char| letter.is_ascii_alphabetic() || matches!(letter, '_' | '=');
                (until('}', is_word)?, Escape::Unknown)
            }
            'k' | 'c' | 'p' | 'P' => return Err(Refused::Unreadable),
            letter => (0, escaped(letter).map_or(Escape::Unknown, Escape::Letters)),
        };
        self.at += length;
        Ok(escape)
    }

    fn class(&mut self) -> Result<Letters, Refused> {
        self.at += 1;
        let negated = self.letters.get(self.at) == Some(&'^');
        self.at += usize::from(negated);
        let mut letters = (0, 0);
        // Whether the class may hold letters that are not among `letters`.
        let mut is_open = false;
        loop {
            let start = match self.letters.get(self.at).copied() {
                None => return Err(Refused::Unreadable),
                Some(']') => break,
                Some(_) => self.member()?,
            };
            let is_range = self.letters.get(self.at) == Some(&'-')
                && self.letters.get(self.at + 1).is_some_and(|next| *next != ']');
            let end = if is_range {
                self.at += 1;
                Some(self.member()?)
            } else {
                None
            };
            match (start, end) {
                (Member::Letter(start), Some(Member::Letter(end))) if start.is_ascii() && end.is_ascii() => {
                    letters = join(letters, between(start, end));
                }
                // A range from or to an escape could be anything.
                (_, Some(_)) | (Member::Escape(None), None) => is_open = true,
                (Member::Letter(letter), None) => letters = join(letters, one(letter)),
                (Member::Escape(Some(escaped)), None) => letters = join(letters, escaped),
            }
        }
        self.at += 1;
        Ok(match (is_open, negated) {
            // The letters that it does not hold are unknown, too.
            (true, _) => ALL,
            // A negated class is described by the other letters; those beyond ASCII are in both.
            (false, true) => (!letters.0, ALL.1),
            (false, false) => letters,
        })
    }

    /// Reads a letter or an escape of a class.
    fn member(&mut self) -> Result<Member, Refused> {
        let letter = self.letters.get(self.at).copied().ok_or(Refused::Unreadable)?;
        if letter != '\\' {
            self.at += 1;
            return Ok(Member::Letter(letter));
        }
        Ok(match self.escape(true)? {
            Escape::Letters(letters) => Member::Escape(Some(letters)),
            Escape::Unknown | Escape::Again | Escape::Boundary => Member::Escape(None),
        })
    }
}

/// What an escape stands for.
enum Escape {
    /// One of these letters.
    Letters(Letters),
    /// One letter, which may be any.
    Unknown,
    /// The text of an earlier group.
    Again,
    /// A place between letters.
    Boundary,
}

/// A part of a class.
enum Member {
    Letter(char),
    /// The letters of an escape; `None` if they may be any.
    Escape(Option<Letters>),
}

/// Reads a quantifier in braces, and its length; `None` if the braces are not a quantifier.
fn bounds(rest: &[char]) -> Result<Option<(u32, Option<u32>, usize)>, Refused> {
    let Some(end) = rest.iter().position(|letter| *letter == '}') else { return Ok(None) };
    let inside: String = rest[1..end].iter().collect();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // No limit helps a number that is too large to be read.
    let number = |text: &str| text.parse::<u32>().map_err(|_| Refused::Costly);
    Ok(match inside.split_once(',') {
        None if is_number(&inside) => Some((number(&inside)?, Some(number(&inside)?), end + 1)),
        Some((least, "")) if is_number(least) => Some((number(least)?, None, end + 1)),
        Some((least, most)) if is_number(least) && is_number(most) => {
            Some((number(least)?, Some(number(most)?), end + 1))
        }
        _ => None,
    })
}

fn plain(letters: Letters) -> Part {
    Part { letters, first: letters, ways: Ways::default(), takes: true, steps: 1 }
}

fn bit(letter: char) -> u128 {
    if letter.is_ascii() { 1 << (letter as u32) } else { 0 }
}

/// A letter in both cases.
fn one(letter: char) -> Letters {
    let others = match letter {
        // JavaScript and Rust differ about these.
        '\u{85}' | '\u{180e}' | '\u{feff}' => SPACES | OTHERS,
        letter if letter.is_whitespace() => SPACES,
        _ => OTHERS,
    };
    let ascii = bit(letter.to_ascii_lowercase()) | bit(letter.to_ascii_uppercase());
    (ascii, if letter.is_ascii() { 0 } else { others })
}

fn between(start: char, end: char) -> Letters {
    (start..=end).fold((0, 0), |letters, letter| join(letters, one(letter)))
}

/// The letters of an escape with a single letter; `None` if its meaning depends on the engine.
fn escaped(letter: char) -> Option<Letters> {
    let word = || {
        let letters = ('0'..='9').chain('a'..='z').chain('A'..='Z').chain(['_']);
        letters.fold(0, |letters, letter| letters | bit(letter))
    };
    let digits = || ('0'..='9').fold(0, |letters, letter| letters | bit(letter));
    let spaces = || {
        ['\t', '\n', '\u{b}', '\u{c}', '\r', ' '].into_iter().fold(0, |letters, letter| letters | bit(letter))
    };
    Some(match letter {
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
        '0' => one('\0'),
        letter if letter.is_ascii() && !letter.is_ascii_alphanumeric() => one(letter),
        _ => return None,
    })
}

fn join(left: Letters, right: Letters) -> Letters {
    (left.0 | right.0, left.1 | right.1)
}

fn meet(left: Letters, right: Letters) -> bool {
    left.0 & right.0 != 0 || left.1 & right.1 != 0
}

/// The length of the beginning of a group: `(`, `(?:`, `(?=`, `(?!`, `(?<=`, `(?<!`, `(?<name>`; and whether the group
/// only looks ahead or back.
fn opening(letters: &[char]) -> Result<(usize, bool), Refused> {
    match letters {
        ['(', '?', '<', '=' | '!', ..] => Ok((4, true)),
        ['(', '?', '<', ..] => {
            let end = letters.iter().position(|letter| *letter == '>').ok_or(Refused::Unreadable)?;
            Ok((end + 1, false))
        }
        ['(', '?', '=' | '!', ..] => Ok((3, true)),
        ['(', '?', ':', ..] => Ok((3, false)),
        // Such as flags, which newer engines read.
        ['(', '?', rest @ ..] => Err(Refused::Opening(told(rest))),
        _ => Ok((1, false)),
    }
}

/// The beginning of a group for an error, from the letters behind `(?`.
fn told(rest: &[char]) -> String {
    let flags = rest.iter().take_while(|letter| letter.is_ascii_alphabetic() || **letter == '-');
    let flags: String = flags.take(MOST_FLAGS).collect();
    let end = rest.get(flags.len()).filter(|letter| matches!(letter, ':' | ')'));
    format!("(?{flags}{}", end.map(char::to_string).unwrap_or_default())
}

/// More flags than any engine has.
const MOST_FLAGS: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expected: Result<Option<usize>, Refused>, patterns: &[&str]) {
        for pattern in patterns {
            assert_eq!(most(pattern), expected.clone(), "{pattern}");
        }
    }

    #[test]
    fn what_no_bound_helps_is_refused() {
        check(
            Err(Refused::Costly),
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
                // What an escape hides: a range, an end of a class, and the part that a quantifier belongs to.
                r"[\t-~]*[^\t~-]*[\t-~]*[^\t~-]*\cZ",
                r"[\t-~]*[\t-~]*[\t-~]*b",
                r"[a-\]]*[a-\]]*[a-\]]*b",
                r"\x61*\x61*\x61*\x61*\x62!",
                r"\u0061*\x61*a*b",
                r"[^\x00]*[^\x00]*[^\x00]*b",
                r"[^\e]*[^\e]*[^\e]*b",
                r"[^\t-~]*[^\t-~]*[^\t-~]*b",
                r"(?<n>a)\k<n>*\k<n>*a*b",
                r"\p{L}*\p{L}*a*b",
                r"a*(?!b)a*(?!b)a*c",
                r"a*(?<=a)a*(?=a)a*c",
                r"(c?)a*\1a*\1a*b",
                "\\s*\u{feff}*\u{feff}*b",
                "(a*){9999999999}",
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
    fn what_cannot_be_read_to_its_end_is_refused() {
        check(
            Err(Refused::Unreadable),
            &[
                r"\x6", r"\u12", r"\u{61}", r"\u{1,9}", r"\c", r"\c1", r"[\c]", r"\k", r"\k<", r"\p",
                r"\p{1,30}", r"\141", r"\01", "(?<n", r"\", r"[a\", "[a", r"\cA*\x61*\141*a*b",
            ],
        );
        check(Err(Refused::Costly), &["a{9999999999}"]);
        for (pattern, opening) in [
            ("(?i:a)", "(?i:"),
            ("x(?i)a", "(?i)"),
            ("(?s-i:a)", "(?s-i:"),
            ("(?", "(?"),
            ("(?#a)", "(?"),
            ("(?abcdefghijkl:a)", "(?abcdefghij"),
        ] {
            check(Err(Refused::Opening(opening.to_owned())), &[pattern]);
        }
    }

    #[test]
    fn an_escape_is_read_to_its_end() {
        check(Ok(None), &[r"\x61b", r"\u0061", r"\cA", r"[\x61-\x7a]", r"[\b]", r"(a)\1", r"\0", r"[\]]"]);
        check(Ok(Some(10_000)), &[r"\x61+", r"[\w.-]+", r"[\]a-c]+b", r"\p{Lu}+", r"[^\]]+\]", "x{+1}"]);
    }

    #[test]
    fn a_long_expression_gets_shorter_texts() {
        check(Ok(None), &["a{900}", "abc".repeat(100).as_str()]);
        check(Ok(Some(987)), &["a{1001}"]);
        check(Ok(Some(802)), &["((a{50}){30})"]);
        check(Ok(Some(3_767)), &[r"\d*u{60}"]);
        check(Ok(Some(251)), &[r"\D*[^e]*u{60}", format!(r"\D*[^e]*{}", "u".repeat(60)).as_str()]);
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
