//! Finds a word in the code of a text, outside comments and strings.

use super::code_lines;
use crate::code::Code;
use crate::profile::{Dialect, Words};
use crate::text::Text;

/// An occurrence of a word, and what is around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) line: u32,
    pub(crate) column: u32,
    /// The name before the dot; empty if the dot follows something else, for example a call.
    pub(crate) holder: Option<String>,
    /// Whether it is a keyword argument: `call(word=1)`.
    pub(crate) is_key: bool,
}

/// Returns the occurrences of a word, in the order of the text.
pub(crate) fn standing(text: &Text, words: Words, name: &str) -> Vec<Word> {
    let dialect = match words {
        Words::Python => return in_python(text, name),
        Words::C => Dialect::C,
        Words::Rust => Dialect::Rust,
        Words::Script => Dialect::Script,
    };
    let code = Code::read(text.as_str(), dialect, &[]);
    // `$name` in a Rust macro is a parameter of the macro.
    let is_parameter = |at: usize| words == Words::Rust && code.before(at) == "$";
    let own = (0..code.len()).filter(|&at| code.word(at) == name && !is_parameter(at));
    own.map(|at| {
        let place = text.position(code.place(at).start);
        let (line, column) = (place.line, place.column);
        Word { line, column, holder: holder(&code, at), is_key: false }
    })
    .collect()
}

/// Whether a text has a brace outside comments and strings.
pub(crate) fn has_blocks(text: &Text, words: Words) -> bool {
    !standing(text, words, "{").is_empty()
}

/// Whether all brackets of a text are balanced. An outline lacks the symbols after an unclosed bracket.
pub(crate) fn is_balanced(text: &Text, words: Words) -> bool {
    match words {
        // Branches of `#if` may open a bracket twice and close it once.
        Words::C => true,
        Words::Rust => Code::read(text.as_str(), Dialect::Rust, &[]).is_balanced(),
        Words::Script => Code::read(text.as_str(), Dialect::Script, &[]).is_balanced(),
        Words::Python => {
            let mut open = Vec::new();
            let letters = |(_, line): (u32, String)| line.chars().collect::<Vec<char>>();
            code_lines(text).flat_map(letters).all(|letter| match letter {
                '(' => push(&mut open, ')'),
                '[' => push(&mut open, ']'),
                '{' => push(&mut open, '}'),
                ')' | ']' | '}' => open.pop() == Some(letter),
                _ => true,
            }) && open.is_empty()
        }
    }
}

fn push(open: &mut Vec<char>, close: char) -> bool {
    open.push(close);
    true
}

fn holder(code: &Code<'_>, at: usize) -> Option<String> {
    // `...rest` is not a member access. `?.` is one, just as `.` is; PHP writes `->`, `?->` and `::`.
    let last = at.checked_sub(1)?;
    let dot = match (code.before(last), code.word(last)) {
        (".", ".") => return None,
        (_, ".") => last,
        ("-", ">") | (":", ":") => last - 1,
        _ => return None,
    };
    let before = if code.before(dot) == "?" { dot.checked_sub(2) } else { dot.checked_sub(1) };
    let before = before.filter(|&before| code.is_name(before));
    Some(before.map_or(String::new(), |before| code.word(before).to_owned()))
}

fn in_python(text: &Text, name: &str) -> Vec<Word> {
    let mut all = Vec::new();
    for (line, code) in code_lines(text) {
        for (at, _) in code.match_indices(name) {
            let (before, behind) = (&code[..at], &code[at + name.len()..]);
            if before.ends_with(is_part) || behind.starts_with(is_part) {
                continue;
            }
            let column = u32::try_from(before.chars().count()).unwrap_or(u32::MAX);
            let held = before.trim_end().strip_suffix('.').map(str::trim_end);
            let holder = held.map(|held| held[held.trim_end_matches(is_part).len()..].to_owned());
            let behind = behind.trim_start();
            let opens = before.trim_end().ends_with(['(', ',']) || before.trim().is_empty();
            let is_key = opens && holder.is_none() && behind.starts_with('=') && !behind.starts_with("==");
            all.push(Word { line, column, holder, is_key });
        }
    }
    all
}

fn is_part(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: Words, text: &str, expected: &[(u32, u32, Option<&str>)]) {
        let found = standing(&Text::new(text.to_owned()), words, "Flask");
        let shown: Vec<_> = found.iter().map(|it| (it.line, it.column, it.holder.as_deref())).collect();
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn words_stand_alone_in_code() {
        let python = "é = Flask(Flask_, 'Flask', xFlask)  # Flask\n'''\nFlask\n''' ; a.Flask\nf().Flask\n";
        check(Words::Python, python, &[(0, 4, None), (3, 8, Some("a")), (4, 4, Some(""))]);
        let script = "Flask('Flask', a?.Flask, ...Flask) // Flask\n`Flask ${x.Flask} Flask`\nf().Flask";
        let expected =
            [(0, 0, None), (0, 18, Some("a")), (0, 28, None), (1, 11, Some("x")), (2, 4, Some(""))];
        check(Words::Script, script, &expected);
        check(
            Words::Rust,
            "Flask::new(\"Flask\", m!(Flask)) /* /* */ Flask */",
            &[(0, 0, None), (0, 23, None)],
        );
        check(Words::Rust, "macro_rules! m { ($Flask:expr) => { $Flask; Flask } }", &[(0, 44, None)]);
        let php = "$a->Flask(); A::Flask(); $a?->Flask(); $Flask; '->Flask';";
        check(Words::Script, php, &[(0, 4, Some("$a")), (0, 16, Some("A")), (0, 30, Some("$a"))]);
        check(Words::C, "#include <Flask>\nFlask x = \"Flask\";", &[(1, 0, None)]);
    }

    #[test]
    fn brackets_are_closed() {
        let check = |words, text: &str| is_balanced(&Text::new(text.to_owned()), words);
        assert!(check(Words::Python, "def f(a=[')']):\n    return {1: (2)}  # )\n"));
        assert!(!check(Words::Python, "def broken(:\n    pass\ndef after():\n    pass\n"));
        assert!(check(Words::Script, "f(`${a.map((x) => `)`)}`); // {\n/[(]/.test(a)"));
        assert!(!check(Words::Script, "function f( {\n}"));
        assert!(check(Words::Rust, "fn f<'a>(x: &'a str) { '('; }") && !check(Words::Rust, "fn f() {"));
        assert!(check(Words::C, "#if A\nf(\n#else\ng(\n#endif\n);"));
    }

    #[test]
    fn blocks_are_in_code() {
        let check = |words, text: &str| has_blocks(&Text::new(text.to_owned()), words);
        assert!(check(Words::Script, "class A {}") && check(Words::Rust, "mod a {}"));
        assert!(!check(Words::Script, "// {\npackage a; /* { */") && !check(Words::C, "char *a = \"{\";"));
    }

    #[test]
    fn names_of_arguments_are_told() {
        let key = |text: &str| standing(&Text::new(text.to_owned()), Words::Python, "n").remove(0).is_key;
        assert!(key("f(n=1)") && key("f(a, n = 1)"));
        assert!(!key("f(n == 1)") && !key("f(n)") && !key("a.n = 1"));
    }
}
