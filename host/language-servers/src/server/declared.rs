//! Reads the declarations from a Python text, for servers whose outlines list only one of several overloads, no
//! functions inside functions, or no code that they consider unreachable.

use std::collections::{HashMap, HashSet};

use super::names::is_word;
use crate::text::Text;
use crate::types::{Location, Position, Range, Symbol};

const CLASS: u8 = 5;
const METHOD: u8 = 6;
const FIELD: u8 = 8;
const FUNCTION: u8 = 12;
const VARIABLE: u8 = 13;
const CONSTANT: u8 = 14;

/// The kinds of functions in a class. Of a property and its setter, a server lists only one.
const MEMBERS: [u8; 3] = [METHOD, 7, 9];

/// Tab stops are this many columns apart.
const TAB: usize = 8;

/// Words before a colon that are not names.
const WORDS: [&str; 4] = ["else", "try", "finally", "lambda"];

/// Adds the declarations in a text that are missing from the symbols.
pub(super) fn add(symbols: &mut Vec<Symbol>, path: &str, text: &Text, most: usize) {
    symbols.iter_mut().for_each(|symbol| narrow(symbol, text));
    let known = symbols.iter().enumerate();
    let known: HashMap<(u32, String), usize> =
        known.map(|(at, symbol)| ((symbol.name_range.start.line, symbol.name.clone()), at)).collect();
    let mut at: Vec<Option<usize>> = Vec::new();
    for declared in read(text) {
        let parent = declared.parent.and_then(|parent| at[parent]);
        if let Some(own) = known.get(&(declared.name_range.start.line, declared.name.clone())) {
            at.push(Some(*own));
            declared.shorten(&mut symbols[*own], text);
            continue;
        }
        let held = |symbol: &&Symbol| symbol.parent.map(|parent| parent as usize) == parent;
        let twin =
            symbols.iter().filter(held).find(|symbol| symbol.name == declared.name).map(|twin| twin.kind);
        // A new assignment does not declare a value again, and assigning a wrapped function does not declare a new
        // one.
        let is_wrapped = declared.is_value() && !twin.is_none_or(is_value);
        if is_wrapped || symbols.len() >= most {
            at.push(None);
            continue;
        }
        at.push(Some(symbols.len()));
        let alike = |kind: &u8| MEMBERS.contains(kind) || (declared.is_value() && is_value(*kind));
        let twin = twin.filter(alike);
        symbols.push(declared.symbol(path, parent, twin));
    }
}

/// Narrows an imported name from the whole import statement to the name itself.
fn narrow(symbol: &mut Symbol, text: &Text) {
    let line = text.line(symbol.location.range.start.line).unwrap_or_default().trim_start();
    if symbol.kind == VARIABLE && ["from ", "import "].iter().any(|word| line.starts_with(word)) {
        symbol.location.range = symbol.name_range;
    }
}

/// Tells whether a declaration is visible only in the function around it.
pub(super) fn is_local(text: &Text, at: Position) -> bool {
    let key = |at: Position| (at.line, at.column);
    let around = |one: &Declared| {
        matches!(one.kind, METHOD | FUNCTION)
            && key(one.name_range.end) <= key(at)
            && key(at) < key(one.whole.end)
    };
    let line = text.line(at.line).unwrap_or_default();
    let before: String = line.chars().take(at.column as usize).collect();
    !before.trim_end().ends_with('.') && read(text).iter().any(around)
}

/// Tells whether a declared name can be the name of an argument: a parameter, or a value in a class.
pub(super) fn names_argument(text: &Text, at: Position) -> bool {
    let key = |at: Position| (at.line, at.column);
    let holds = |one: &Statement| key(one.start) <= key(at) && key(at) < key(one.end);
    let is_head = |one: &Statement| one.code.starts_with("def ") || one.code.starts_with("async ");
    if statements(text).iter().any(|one| holds(one) && is_head(one)) {
        return true;
    }
    let declared = read(text);
    let own = declared.iter().find(|one| key(one.name_range.start) == key(at) && one.is_value());
    own.and_then(|one| one.parent).is_some_and(|parent| declared[parent].kind == CLASS)
}

/// Returns the positions of declared names.
pub(super) fn places(text: &Text) -> HashSet<(u32, u32)> {
    let start = |one: Declared| (one.name_range.start.line, one.name_range.start.column);
    read(text).into_iter().map(start).collect()
}

/// A declaration. They are kept in the order of the text.
struct Declared {
    name: String,
    kind: u8,
    name_range: Range,
    whole: Range,
    parent: Option<usize>,
}

impl Declared {
    fn is_value(&self) -> bool {
        is_value(self.kind)
    }

    /// Ends a symbol before the comments that follow it.
    fn shorten(&self, symbol: &mut Symbol, text: &Text) {
        let end = symbol.location.range.end;
        let between = self.whole.end.line + 1..=end.line;
        let beside =
            |number| text.line(number).is_some_and(|line| line.trim().is_empty() || is_comment(line));
        if !self.is_value() && !between.is_empty() && between.clone().all(beside) {
            symbol.location.range.end = self.whole.end;
        }
    }

    fn symbol(self, path: &str, parent: Option<usize>, twin: Option<u8>) -> Symbol {
        Symbol {
            name: self.name,
            kind: twin.unwrap_or(self.kind),
            detail: None,
            location: Location { path: path.to_owned(), range: self.whole },
            name_range: self.name_range,
            container: None,
            parent: parent.and_then(|parent| u32::try_from(parent).ok()),
            deprecated: false,
        }
    }
}

/// Whether a kind is that of an assigned name. Some servers call these fields.
fn is_value(kind: u8) -> bool {
    matches!(kind, FIELD | VARIABLE | CONSTANT)
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with('#')
}

/// A class or function with a block that is still open.
struct Block {
    indent: usize,
    at: usize,
}

fn read(text: &Text) -> Vec<Declared> {
    let mut found: Vec<Declared> = Vec::new();
    let mut open: Vec<Block> = Vec::new();
    let mut end = Position::default();
    for statement in statements(text) {
        while let Some(block) = open.pop_if(|block| block.indent >= statement.indent) {
            found[block.at].whole.end = end;
        }
        end = statement.end;
        let holders: Vec<u8> = open.iter().map(|block| found[block.at].kind).collect();
        let parent = open.last().map(|block| block.at);
        let Some((kind, skipped, name)) = statement.declares(&holders) else { continue };
        let from = statement.start.column + skipped;
        let place = |column| Position { line: statement.start.line, column };
        let width = u32::try_from(name.chars().count()).unwrap_or(u32::MAX);
        if !matches!(kind, VARIABLE | CONSTANT) {
            open.push(Block { indent: statement.indent, at: found.len() });
        }
        found.push(Declared {
            name,
            kind,
            name_range: Range { start: place(from), end: place(from + width) },
            whole: Range { start: statement.start, end },
            parent,
        });
    }
    open.into_iter().for_each(|block| found[block.at].whole.end = end);
    found
}

/// A statement, or the head of one with a block.
struct Statement {
    indent: usize,
    start: Position,
    end: Position,
    /// Its code, joined from its lines, without the contents of strings and comments.
    code: String,
}

impl Statement {
    /// Returns the kind of its declaration, the number of characters before the name, and the name.
    fn declares(&self, holders: &[u8]) -> Option<(u8, u32, String)> {
        let (word, rest) = first_word(&self.code);
        let skipped = |rest: &str| u32::try_from(self.code.chars().count() - rest.chars().count()).ok();
        let begins = |rest: &str, marks: &[char]| rest.trim_start().starts_with(marks);
        let (word, rest) = if word == "async" { first_word(rest.trim_start()) } else { (word, rest) };
        let named = rest.trim_start();
        let (name, behind) = first_word(named);
        match word {
            _ if name.is_empty() && matches!(word, "def" | "class") => None,
            "def" if begins(behind, &['(', '[']) => {
                let kind = if holders.last() == Some(&CLASS) { METHOD } else { FUNCTION };
                Some((kind, skipped(named)?, name.to_owned()))
            }
            "class" if begins(behind, &['(', '[', ':']) => Some((CLASS, skipped(named)?, name.to_owned())),
            "" | "def" | "class" => None,
            _ => {
                let rest = rest.trim_start();
                let given = rest.starts_with('=') && !rest.starts_with("==") || rest.starts_with(':');
                let outer = holders.iter().all(|kind| *kind == CLASS);
                let is_name = given && outer && !WORDS.contains(&word) && !rest.starts_with(":=");
                is_name.then(|| (kind_of_value(word), 0, word.to_owned()))
            }
        }
    }
}

fn kind_of_value(name: &str) -> u8 {
    let loud = name.chars().count() > 1 && !name.chars().any(char::is_lowercase);
    if loud && name.chars().any(char::is_uppercase) { CONSTANT } else { VARIABLE }
}

/// Returns the first word, and what follows it.
fn first_word(code: &str) -> (&str, &str) {
    let end = code.find(|letter: char| !(letter.is_alphanumeric() || letter == '_')).unwrap_or(code.len());
    let (word, rest) = code.split_at(end);
    let is_name = is_word(word) && !word.starts_with(|letter: char| letter.is_ascii_digit());
    if is_name { (word, rest) } else { ("", code) }
}

/// Splits a text into statements: joins lines within brackets, within a multi-line string, or after a `\`.
fn statements(text: &Text) -> Vec<Statement> {
    let mut all: Vec<Statement> = Vec::new();
    let (mut state, mut depth, mut goes_on) = (State::Code, 0_usize, false);
    for (number, line) in (0..).map_while(|number| text.line(number).map(|line| (number, line))) {
        let inside = goes_on;
        let (code, after) = masked(line, state);
        state = after;
        for letter in code.chars() {
            match letter {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        goes_on = depth > 0 || state != State::Code || code.trim_end().ends_with('\\');
        let bare = code.trim();
        let width = |text: &str| u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        let end = Position { line: number, column: width(code.trim_end()) };
        match all.last_mut().filter(|_| inside) {
            Some(statement) if !bare.is_empty() => statement.end = end,
            Some(_) => {}
            None if bare.is_empty() => goes_on = false,
            None => {
                let before = &code[..code.len() - code.trim_start().len()];
                let start = Position { line: number, column: width(before) };
                all.push(Statement { indent: indent(before), start, end, code: bare.to_owned() });
            }
        }
    }
    all
}

fn indent(spaces: &str) -> usize {
    spaces.chars().fold(0, |width, letter| match letter {
        '\t' => (width / TAB + 1) * TAB,
        '\u{c}' => 0,
        _ => width + 1,
    })
}

/// What a line begins inside of.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Code,
    /// A string: its quote character, and whether it is triple-quoted.
    Text(char, bool),
    /// A string with code in braces, `f"…{code}…"`, and the number of open braces.
    Formatted(char, bool, u32),
}

/// The lines of a text without the contents of strings and comments.
pub(crate) fn code_lines(text: &Text) -> impl Iterator<Item = (u32, String)> {
    let mut state = State::Code;
    (0..).map_while(move |number| {
        let (code, after) = masked(text.line(number)?, state);
        state = after;
        Some((number, code))
    })
}

/// Masks a line: replaces the contents of strings by `_`, drops comments, and keeps the columns. Also returns what
/// the next line begins inside of.
fn masked(line: &str, mut state: State) -> (String, State) {
    // A shortcut: most lines are entirely code or entirely inside a string.
    match state {
        State::Code if !line.contains(['#', '"', '\'']) => return (line.to_owned(), state),
        State::Text(quote, true) if !line.contains([quote, '\\']) => {
            return ("_".repeat(line.chars().count()), state);
        }
        _ => {}
    }
    let letters: Vec<char> = line.chars().collect();
    let mut code = String::with_capacity(line.len());
    let three =
        |at: usize, quote: char| letters[at..].iter().take(3).filter(|one| **one == quote).count() == 3;
    let mut at = 0;
    while let Some(&letter) = letters.get(at) {
        let (width, next) = match state {
            State::Code if letter == '#' => return (code, state),
            State::Code if matches!(letter, '"' | '\'') => {
                let (width, triple) = if three(at, letter) { (3, true) } else { (1, false) };
                let is_formatted = is_formatted(&letters[..at]);
                let text = State::Text(letter, triple);
                (width, if is_formatted { State::Formatted(letter, triple, 0) } else { text })
            }
            State::Code => (0, state),
            State::Formatted(_, _, 0) if letter == '\\' => (2, state),
            State::Formatted(_, _, 0)
                if matches!(letter, '{' | '}') && letters.get(at + 1) == Some(&letter) =>
            {
                (2, state)
            }
            State::Formatted(quote, true, 0) if three(at, quote) => (3, State::Code),
            State::Formatted(quote, false, 0) if letter == quote => (1, State::Code),
            State::Formatted(quote, triple, depth) if letter == '{' => {
                (1, State::Formatted(quote, triple, depth + 1))
            }
            State::Formatted(_, _, 0) => (1, state),
            State::Formatted(quote, triple, depth) if letter == '}' => {
                (1, State::Formatted(quote, triple, depth - 1))
            }
            // A string in the braces.
            State::Formatted(..) if matches!(letter, '"' | '\'') => {
                let end = letters[at + 1..].iter().position(|one| *one == letter);
                (end.map_or(letters.len() - at, |end| end + 2), state)
            }
            State::Formatted(..) => (0, state),
            State::Text(..) if letter == '\\' => (2, state),
            State::Text(quote, true) if three(at, quote) => (3, State::Code),
            State::Text(quote, false) if letter == quote => (1, State::Code),
            State::Text(..) => (1, state),
        };
        if width == 0 {
            code.push(letter);
        }
        code.extend(std::iter::repeat_n('_', width.min(letters.len() - at)));
        at += width.max(1);
        state = next;
    }
    match state {
        // Such a string continues on the next line only after a `\`.
        State::Text(_, false) | State::Formatted(_, false, _) if !line.ends_with('\\') => (code, State::Code),
        state => (code, state),
    }
}

/// Whether the letters before a quote end in a prefix such as `f` or `rf`.
fn is_formatted(before: &[char]) -> bool {
    let prefix: Vec<char> = before
        .iter()
        .rev()
        .copied()
        .take_while(|letter| letter.is_alphanumeric() || *letter == '_')
        .collect();
    prefix.len() <= 2 && prefix.iter().any(|letter| matches!(letter, 'f' | 'F' | 't' | 'T'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_of_a_string_hold_code() {
        let check = |line: &str, expected: &str| assert_eq!(masked(line, State::Code).0, expected, "{line}");
        check("f'a{b.c}{{d}}{e[\"f\"]!r}' + g('{h}')", "f___b.c_______e[___]!r__ + g(_____)");
        check("rf\"{a}\" # {b}", "rf__a__ ");
        check("elf'{a}'", "elf_____");
        check("f'{a", "f__a");
    }

    #[test]
    fn what_can_be_the_name_of_an_argument() {
        let text = "class A:\n    x: int = 1\n    def m(self, y=2):\n        z = y\n\nw = 3\n";
        let text = Text::new(text.to_owned());
        for (line, column, expected) in [(1, 4, true), (2, 16, true), (3, 8, false), (5, 0, false)] {
            assert_eq!(names_argument(&text, Position { line, column }), expected, "{line} {column}");
        }
    }

    /// Checks the declarations, one per line: kind, lines, position of the name, full name.
    fn check(text: &str, expected: &[&str]) {
        let found = read(&Text::new(text.to_owned()));
        let full = |mut at: usize| {
            let mut names = vec![found[at].name.as_str()];
            while let Some(parent) = found[at].parent {
                names.insert(0, &found[parent].name);
                at = parent;
            }
            names.join(".")
        };
        let shown: Vec<String> = (0..found.len())
            .map(|at| {
                let Declared { kind, whole, name_range, .. } = &found[at];
                let (start, end) = (whole.start.line, whole.end);
                format!("{kind} {start}-{}:{} {} {}", end.line, end.column, name_range.start.column, full(at))
            })
            .collect();
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn blocks_hold_what_is_indented() {
        check(
            "class A(B):\n    x: int = 1\n\n    async  def m(self): return 1\n    @p\n    def n(self):\n        def i(): pass\n        y = 1\n    # end\n\nZED = 2\ndef f[T](a,\n      b): ...\n",
            &[
                "5 0-7:13 6 A", "13 1-1:14 4 A.x", "6 3-3:32 15 A.m", "6 5-7:13 8 A.n", "12 6-6:21 12 A.n.i",
                "14 10-10:7 0 ZED", "12 11-12:13 4 f",
            ],
        );
        check(
            "if x:\n\tdef a():\n\t\tclass C: pass\nelse:\n\tdef a(): pass",
            &["12 1-2:15 5 a", "5 2-2:15 8 a.C", "12 4-4:14 5 a"],
        );
        check(
            "class A: x = 1\nclass B:\n  def m(self): ...",
            &["5 0-0:14 6 A", "5 1-2:18 6 B", "6 2-2:18 6 B.m"],
        );
    }

    #[test]
    fn strings_brackets_and_comments_declare_nothing() {
        check("'''\ndef no(): pass\n'''\ndef yes(): pass", &["12 3-3:15 4 yes"]);
        check("f(\nclass_=1,\ndef_ = 2)\n# x = 1\nx == 1\ny: int\n", &["13 5-5:6 0 y"]);
        check(
            "a = 'it\\'s' + \\\n  b\ns = 'open\nt = f\"{x[\"k\"]}\"\nelse: pass",
            &["13 0-1:3 0 a", "13 2-2:9 0 s", "13 3-3:15 0 t"],
        );
        check("a = '''x\n''' ; b = 1\nc = r'\\'\nd = 1", &["13 0-1:11 0 a", "13 2-2:8 0 c", "13 3-3:5 0 d"]);
        check(
            "é = {\n  'a': 1,\n}\ndefine(1)\nclasses: x\n(y := 1)\nz := 1",
            &["13 0-2:1 0 é", "13 4-4:10 0 classes"],
        );
        check("", &[]);
    }

    fn symbol(name: &str, line: u32, kind: u8, parent: Option<u32>) -> Symbol {
        let at = Position { line, column: 4 };
        let range = Range { start: at, end: at };
        let declared =
            Declared { name: name.to_owned(), kind, name_range: range, whole: range, parent: None };
        declared.symbol("a", parent.map(|parent| parent as usize), None)
    }

    #[test]
    fn what_is_in_a_function_is_local() {
        let text = Text::new("def f(a):\n    b = 1\n    self.c = b\nd = 1\n".to_owned());
        for (line, column, expected) in
            [(0, 4, false), (0, 6, true), (1, 4, true), (2, 9, false), (3, 0, false)]
        {
            assert_eq!(is_local(&text, Position { line, column }), expected, "{line} {column}");
        }
    }

    #[test]
    fn comments_behind_belong_to_nobody() {
        let ends = |text: &str, line| {
            let mut symbols = vec![symbol("f", 0, FUNCTION, None)];
            symbols[0].location.range.end = Position { line, column: 1 };
            add(&mut symbols, "a", &Text::new(text.to_owned()), 100);
            symbols[0].location.range.end.line
        };
        assert_eq!(ends("def f():\n    x()\n\n# next\n\nx = 1", 4), 1);
        assert_eq!(ends("def f():\n    x()\n\n# next\n\nx = 1", 5), 5);
        assert_eq!(ends("def f():\n    x()\n", 1), 1);
    }

    #[test]
    fn what_a_server_leaves_out_is_added_where_it_belongs() {
        let text = "class A:\n    @p\n    def m(self): ...\n    @m.s\n    def m(self, v): ...\n    x = 1\n    x = 2\n    ZED = 3\n    m = w(m)\ndef f():\n    def g(): ...\nif w:\n    def f(): ...\n";
        let mut symbols =
            vec![symbol("A", 0, CLASS, None), symbol("m", 2, 7, Some(0)), symbol("x", 5, VARIABLE, Some(0))];
        add(&mut symbols, "a", &Text::new(text.to_owned()), 100);
        let shown: Vec<String> = symbols[3..]
            .iter()
            .map(|one| format!("{} {} {} {:?}", one.kind, one.name, one.name_range.start.line, one.parent))
            .collect();
        let expected = [
            "7 m 4 Some(0)", "13 x 6 Some(0)", "14 ZED 7 Some(0)", "12 f 9 None", "12 g 10 Some(6)",
            "12 f 12 None",
        ];
        assert_eq!(shown, expected);
        let mut few = Vec::new();
        add(&mut few, "a", &Text::new(text.to_owned()), 2);
        assert_eq!(few.len(), 2);
    }
}
