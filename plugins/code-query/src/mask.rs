//! Tells code from comments and strings, to judge the places where a name stands. It knows just enough of each language
//! for that.

use crate::world::Position;

/// What a character belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Code,
    Comment,
    Text,
}

/// A place of a name.
#[derive(Clone, Debug)]
pub(crate) struct Mention {
    pub(crate) at: Position,
    pub(crate) part: Part,
    /// For a string: whether it contains nothing but names, such as `"a"` or `"module.a"`, so that code can look the
    /// name up by it; or the name is written as in code, so that it probably means the symbol.
    pub(crate) is_name: bool,
    /// For code: what stands before the name on its line, without spaces at its end.
    pub(crate) before: String,
    /// For code: what stands behind it.
    pub(crate) behind: String,
}

impl Mention {
    /// Whether a name is after a value or a module, as its member.
    pub(crate) fn is_member(&self) -> bool {
        let dots = self.before.ends_with('.') && !self.before.ends_with("..");
        dots || self.before.ends_with("->") || self.before.ends_with("::")
    }
}

/// The greatest depth of code in strings in code.
const DEEPEST: usize = 16;

/// How a language writes its comments and strings.
#[derive(Clone, Copy, Default)]
struct Style {
    /// `#` begins a comment.
    hash: bool,
    /// `//` and `/*` begin comments.
    slashes: bool,
    /// `/* /* */ */` is one comment.
    nested: bool,
    /// `"""` begins a string of several lines.
    triple: bool,
    /// `` ` `` begins a string, with code in `${…}` if the language is a script.
    backtick: bool,
    /// Regular expressions are between slashes.
    script: bool,
    /// `f"{code}"`
    python: bool,
    /// `'a` can be a lifetime, and strings have several lines.
    rust: bool,
}

impl Style {
    fn of(language: &str) -> Self {
        let slashes = Self { slashes: true, ..Self::default() };
        match language {
            "python" => Self { hash: true, triple: true, python: true, ..Self::default() },
            "shellscript" | "ruby" => Self { hash: true, ..Self::default() },
            "rust" => Self { nested: true, rust: true, ..slashes },
            "go" => Self { backtick: true, ..slashes },
            "php" => Self { hash: true, ..slashes },
            "swift" | "kotlin" => Self { nested: true, triple: true, ..slashes },
            "java" | "csharp" => Self { triple: true, ..slashes },
            "typescript" | "typescriptreact" | "javascript" | "javascriptreact" => {
                Self { backtick: true, script: true, ..slashes }
            }
            _ => slashes,
        }
    }
}

/// A text with the part of each character.
pub(crate) struct Masked {
    letters: Vec<char>,
    parts: Vec<Part>,
}

impl Masked {
    pub(crate) fn read(text: &str, language: &str) -> Self {
        let letters: Vec<char> = text.chars().collect();
        let parts = vec![Part::Code; letters.len()];
        let mut reader =
            Reader { style: Style::of(language), at: 0, depth: 0, masked: Self { letters, parts } };
        while reader.at < reader.masked.letters.len() {
            reader.code(false, false);
            // A bracket that closes nothing.
            reader.at += 1;
        }
        reader.masked
    }

    /// Its lines, with spaces in place of comments and strings.
    pub(crate) fn code_lines(&self) -> Vec<String> {
        let code = |(letter, part): (&char, &Part)| {
            if *part == Part::Code || *letter == '\n' { *letter } else { ' ' }
        };
        let code: String = self.letters.iter().zip(&self.parts).map(code).collect();
        code.split('\n').map(|line| line.trim_end_matches('\r').to_owned()).collect()
    }

    /// What the character at a place belongs to.
    pub(crate) fn part_at(&self, at: Position) -> Option<Part> {
        let mut lines = self.letters.split(|letter| *letter == '\n').zip(0..);
        let mut start = 0;
        let found = lines.find(|(line, number)| {
            let is = *number == at.line;
            start += if is { 0 } else { line.len() + 1 };
            is
        });
        let column = at.column as usize;
        found.filter(|(line, _)| column < line.len()).map(|_| self.parts[start + column])
    }

    /// Every place where a name stands as a word.
    pub(crate) fn mentions(&self, name: &str) -> Vec<Mention> {
        let name: Vec<char> = name.chars().collect();
        let (mut found, mut line, mut start) = (Vec::new(), 0, 0);
        for at in 0..self.letters.len() {
            if self.letters[at] == '\n' {
                (line, start) = (line + 1, at + 1);
            } else if self.is_word(at, &name) {
                let column = u32::try_from(at - start).unwrap_or(u32::MAX);
                found.push(self.mention(at, name.len(), start, Position { line, column }));
            }
        }
        found
    }

    fn is_word(&self, at: usize, name: &[char]) -> bool {
        let is_other = |letter: Option<&char>| letter.is_none_or(|letter| !is_part(*letter));
        self.letters[at..].starts_with(name)
            && is_other(at.checked_sub(1).and_then(|at| self.letters.get(at)))
            && is_other(self.letters.get(at + name.len()))
    }

    fn mention(&self, at: usize, length: usize, start: usize, place: Position) -> Mention {
        let part = self.parts[at];
        let end = (at..self.letters.len()).find(|&at| self.letters[at] == '\n').unwrap_or(self.letters.len());
        let code = |from: usize, to: usize| -> String {
            (from..to).map(|at| if self.parts[at] == part { self.letters[at] } else { ' ' }).collect()
        };
        let is_code = part == Part::Code;
        Mention {
            at: place,
            part,
            is_name: part == Part::Text && (self.is_name(at, start, end) || self.is_like_code(at, length)),
            before: if is_code { code(start, at).trim_end().to_owned() } else { String::new() },
            behind: if is_code { code(at + length, end).trim_start().to_owned() } else { String::new() },
        }
    }

    /// Whether a name in a string is written as in code: `Class(…)`, `module.name`, or with a `_` or a capital in it.
    fn is_like_code(&self, at: usize, length: usize) -> bool {
        let name = &self.letters[at..at + length];
        let is_mark = |letter: &char| *letter == '_' || letter.is_uppercase() || letter.is_ascii_digit();
        let is_distinct = name.iter().skip(1).any(is_mark);
        let next = |ahead: usize| self.letters.get(at + length + ahead).copied().unwrap_or(' ');
        let is_member = at > 1 && self.letters[at - 1] == '.' && is_part(self.letters[at - 2]);
        is_distinct || is_member || next(0) == '(' || next(0) == '.' && is_part(next(1))
    }

    /// Whether the string around a place holds only names, and its quotes are on this line.
    fn is_name(&self, at: usize, start: usize, end: usize) -> bool {
        let is_quote = |at: &usize| matches!(self.letters[*at], '"' | '\'' | '`');
        let first = (start..at).rev().find(is_quote);
        let last = (at..end).find(is_quote);
        let (Some(first), Some(last)) = (first, last) else { return false };
        let is_path = |letter: &char| is_part(*letter) || matches!(letter, '.' | ':' | '#');
        self.parts[first..last].iter().all(|part| *part == Part::Text)
            && self.letters[first + 1..last].iter().all(is_path)
    }
}

pub(crate) fn is_part(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '$')
}

struct Reader {
    style: Style,
    at: usize,
    depth: usize,
    masked: Masked,
}

impl Reader {
    fn letter(&self, ahead: usize) -> char {
        self.masked.letters.get(self.at + ahead).copied().unwrap_or('\0')
    }

    fn starts(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(ahead, letter)| self.letter(ahead) == letter)
    }

    fn is_end(&self) -> bool {
        self.at >= self.masked.letters.len()
    }

    fn skip(&mut self, count: usize, part: Part) {
        let end = (self.at + count).min(self.masked.letters.len());
        self.masked.parts[self.at..end].fill(part);
        self.at = end;
    }

    fn skip_until(&mut self, part: Part, ends: impl Fn(&Self) -> bool) {
        while !self.is_end() && !ends(self) {
            self.skip(1, part);
        }
    }

    /// Reads code up to a `}` that it has not opened, or up to the end of the line if it is in a string of one line.
    fn code(&mut self, in_string: bool, of_a_line: bool) {
        let mut open = 0_usize;
        while !self.is_end() {
            let style = self.style;
            match self.letter(0) {
                '}' if open == 0 => return,
                '\n' if in_string && of_a_line => return,
                '{' => open += 1,
                '}' => open -= 1,
                '#' if style.hash && !self.is_inside_word() => {
                    self.skip_until(Part::Comment, |reader| reader.letter(0) == '\n');
                    continue;
                }
                '/' if style.slashes && self.letter(1) == '/' => {
                    self.skip_until(Part::Comment, |reader| reader.letter(0) == '\n');
                    continue;
                }
                '/' if style.slashes && self.letter(1) == '*' => {
                    self.comment();
                    continue;
                }
                '/' if style.script && self.begins_value() => {
                    self.expression();
                    continue;
                }
                '\'' if style.rust => {
                    let is_letter = self.letter(1) == '\\' || self.letter(2) == '\'';
                    if is_letter {
                        self.quoted('\'', false)
                    } else {
                        self.at += 1
                    }
                    continue;
                }
                // A digit separator, as in `1'000`.
                '\'' if style.slashes
                    && !style.script
                    && self.is_inside_word()
                    && self.letter(1).is_ascii_hexdigit() => {}
                quote @ ('"' | '\'') => {
                    self.string(quote);
                    continue;
                }
                '`' if style.backtick => {
                    self.template();
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Whether a letter or a digit precedes: `$#` of a shell, `a#b`.
    fn is_inside_word(&self) -> bool {
        self.before().is_some_and(is_part) && !self.style.python
    }

    fn before(&self) -> Option<char> {
        self.at.checked_sub(1).map(|at| self.masked.letters[at])
    }

    fn comment(&mut self) {
        let mut depth = 0_usize;
        while !self.is_end() {
            if self.starts("/*") && (depth == 0 || self.style.nested) {
                depth += 1;
                self.skip(2, Part::Comment);
            } else if self.starts("*/") {
                depth -= 1;
                self.skip(2, Part::Comment);
                if depth == 0 {
                    return;
                }
            } else {
                self.skip(1, Part::Comment);
            }
        }
    }

    /// Whether a `/` here begins a regular expression.
    fn begins_value(&self) -> bool {
        let code = self.masked.letters[..self.at].iter().zip(&self.masked.parts[..self.at]);
        let before: String = code.rev().take(40).map(|(letter, _)| *letter).collect();
        let before = before.trim_start();
        let word: String = before.chars().take_while(|letter| is_part(*letter)).collect();
        let word: String = word.chars().rev().collect();
        let value =
            matches!(word.as_str(), "return" | "typeof" | "case" | "in" | "of" | "do" | "else" | "void");
        let is_quoted = before.starts_with(['"', '\'', '`']);
        value || (word.is_empty() && !is_quoted && !before.starts_with([')', ']', '}']))
    }

    fn expression(&mut self) {
        let letters = &self.masked.letters[self.at..];
        let (mut at, mut class) = (1, false);
        while let Some(letter) = letters.get(at) {
            match letter {
                '\\' => at += 1,
                '\n' => break,
                '[' => class = true,
                ']' => class = false,
                '/' if !class => return self.skip(at + 1, Part::Text),
                _ => {}
            }
            at += 1;
        }
        self.at += 1;
    }

    fn string(&mut self, quote: char) {
        let triple = self.style.triple && self.letter(1) == quote && self.letter(2) == quote;
        let bare: String = self.masked.letters[..self.at]
            .iter()
            .rev()
            .take(64)
            .take_while(|letter| **letter == '#' || is_part(**letter))
            .collect();
        let word = bare.trim_start_matches('#');
        if self.style.rust && quote == '"' && matches!(word, "r" | "rb" | "rc") {
            return self.raw(bare.len() - word.len());
        }
        let has_code =
            self.style.python && (1..=2).contains(&word.len()) && word.contains(['f', 'F', 't', 'T']);
        if has_code {
            return self.formatted(quote, triple);
        }
        if triple {
            // A documentation string is a comment.
            let is_doc = self.style.python && self.begins_line(word.len());
            let part = if is_doc { Part::Comment } else { Part::Text };
            self.skip(3, part);
            self.skip_until_quotes(quote, part);
            return self.skip(3, part);
        }
        self.quoted(quote, !self.style.rust);
    }

    /// Whether nothing but a prefix precedes on the line.
    fn begins_line(&self, prefix: usize) -> bool {
        let before = self.masked.letters[..self.at - prefix].iter().rev();
        before.take_while(|letter| **letter != '\n').all(|letter| letter.is_whitespace())
    }

    fn skip_until_quotes(&mut self, quote: char, part: Part) {
        while !self.is_end() && !(0..3).all(|ahead| self.letter(ahead) == quote) {
            let width = if self.letter(0) == '\\' { 2 } else { 1 };
            self.skip(width, part);
        }
    }

    /// A raw string of Rust, which ends with as many `#`.
    fn raw(&mut self, marks: usize) {
        let end = format!("\"{}", "#".repeat(marks));
        self.skip(1, Part::Text);
        self.skip_until(Part::Text, |reader| reader.starts(&end));
        self.skip(end.len(), Part::Text);
    }

    fn quoted(&mut self, quote: char, of_a_line: bool) {
        self.skip(1, Part::Text);
        while !self.is_end() {
            match self.letter(0) {
                '\\' => self.skip(2, Part::Text),
                '\n' if of_a_line => return,
                letter => {
                    self.skip(1, Part::Text);
                    if letter == quote {
                        return;
                    }
                }
            }
        }
    }

    /// A string of Python with code in braces.
    fn formatted(&mut self, quote: char, triple: bool) {
        let width = if triple { 3 } else { 1 };
        self.skip(width, Part::Text);
        while !self.is_end() {
            let closes = (0..width).all(|ahead| self.letter(ahead) == quote);
            match self.letter(0) {
                _ if closes => return self.skip(width, Part::Text),
                '\n' if !triple => return,
                '\\' | '{' | '}' if self.letter(0) == '\\' || self.letter(1) == self.letter(0) => {
                    self.skip(2, Part::Text);
                }
                '{' => self.inner(!triple),
                _ => self.skip(1, Part::Text),
            }
        }
    }

    /// A template of a script, or a raw string of Go.
    fn template(&mut self) {
        self.skip(1, Part::Text);
        while !self.is_end() {
            match self.letter(0) {
                '`' => return self.skip(1, Part::Text),
                '\\' if self.style.script => self.skip(2, Part::Text),
                '$' if self.style.script && self.letter(1) == '{' => {
                    self.skip(1, Part::Text);
                    self.inner(false);
                }
                _ => self.skip(1, Part::Text),
            }
        }
    }

    /// Code in braces in a string.
    fn inner(&mut self, of_a_line: bool) {
        self.skip(1, Part::Text);
        if self.depth < DEEPEST {
            self.depth += 1;
            self.code(true, of_a_line);
            self.depth -= 1;
        }
        if self.letter(0) == '}' {
            self.skip(1, Part::Text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows comments as `-` and strings as `_`.
    fn check(language: &str, text: &str, expected: &str) {
        let masked = Masked::read(text, language);
        let show = |(letter, part): (&char, &Part)| match part {
            _ if *letter == '\n' => '\n',
            Part::Code => *letter,
            Part::Comment => '-',
            Part::Text => '_',
        };
        let shown: String = masked.letters.iter().zip(&masked.parts).map(show).collect();
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn comments_and_strings_are_no_code() {
        check("python", "a = 'b' # c\nd('''e\nf''')", "a = ___ ---\nd(____\n____)");
        check("python", r#"f"a{b}{{c}}{d["e"]!r}" g"#, r#"f___b_______d[___]!r__ g"#);
        check(
            "python",
            "def f():\n  r'''a'''\n  '''b\nc''' ; d('''e''')",
            "def f():\n  r-------\n  ----\n---- ; d(_______)",
        );
        check("python", "'open\na\nrb'\\'' b", "_____\na\nrb____ b");
        check(
            "rust",
            "a('b', 'c) // d\n/* /* e */ */ \"f\ng\" r#\"h\"i\"# 'static",
            "a(___, 'c) ----\n------------- __\n__ r#______ 'static",
        );
        check("c", "1'000 + 'a' /* /* b */ c", "1'000 + ___ ---------- c");
        check(
            "typescript",
            "`a ${b + `${c}` } d` / e; f = /g\"/.test('h')",
            "_____b + ___c__ ____ / e; f = ____.test(___)",
        );
        check("go", "a := `b ${c}\n` + d // e", "a := _______\n_ + d ----");
        check("shellscript", "a $# b # c", "a $# b ---");
        check("toy", "a } b", "a } b");
    }

    #[test]
    fn places_of_a_name() {
        let found =
            Masked::read("a.x = x2 + x # x\ny['x'] = 'an x' + \"m.x\" + f'{x}'", "python").mentions("x");
        let shown: Vec<String> = found
            .iter()
            .map(|one| {
                format!(
                    "{}:{} {:?} {} {}",
                    one.at.line,
                    one.at.column,
                    one.part,
                    one.is_name,
                    one.is_member()
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                "0:2 Code false true",
                "0:11 Code false false",
                "0:15 Comment false false",
                "1:3 Text true false",
                "1:13 Text false false",
                "1:21 Text true false",
                "1:29 Code false false"
            ]
        );
    }
}
