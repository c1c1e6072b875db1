//! A script as a human reads it: the whole text, in a form in which no part can hide.

use crate::foreign;

/// The lines and bytes of a script that a person can be asked to read. No one reads more with care in a dialog.
const LINES: usize = 200;
const LONGEST: usize = 8_000;

/// The characters in a line, as many as most windows show. A longer line continues in a marked line, so that its end is
/// not outside the window and does not look like the beginning of a line.
const WIDTH: usize = 72;

/// The most blanks in a row. More would push the text after them out of sight.
const BLANKS: usize = 40;

/// The most empty lines in a row. More would look like the end.
const EMPTY: usize = 3;

/// Checks that a reader can see all of a script.
///
/// # Errors
/// A part of it would not be visible. The error names the place.
pub(super) fn check(text: &str) -> Result<(), String> {
    let (lines, length) = (text.lines().count(), text.chars().count());
    if lines > LINES || length > LONGEST {
        return Err(format!(
            "the script has {lines} lines and {length} characters, expected at most {LINES} lines and {LONGEST} characters"
        ));
    }
    if text.trim().is_empty() {
        return Err("the script is empty".to_owned());
    }
    let mut empty = 0;
    for (number, line) in (1..).zip(text.split('\n')) {
        if let Some(c) = line.chars().find(|c| hides(*c)) {
            let code = u32::from(c);
            return Err(format!(
                "line {number} has the character U+{code:04X}, which a reader cannot see or tell from others, expected visible characters"
            ));
        }
        if run_of_blanks(line) > BLANKS {
            return Err(format!("line {number} has more than {BLANKS} blanks in a row"));
        }
        empty = if line.trim().is_empty() { empty + 1 } else { 0 };
        if empty > EMPTY {
            return Err(format!("line {number} follows {EMPTY} empty lines and is empty too"));
        }
    }
    Ok(())
}

/// The lines to show, each with its number. A line with non-ASCII characters is repeated with these spelled out,
/// because letters of several alphabets look alike.
pub(super) fn lines(text: &str) -> Vec<String> {
    let mut shown = Vec::new();
    for (number, line) in (1..).zip(text.trim_end().split('\n')) {
        let spelled: String = line.chars().map(spell).collect();
        let first = format!("{number:>4}");
        // The letters of such a line would change places on the screen.
        if line.chars().any(foreign::is_right_to_left) {
            pieces(&first, &spelled, &mut shown);
            continue;
        }
        pieces(&first, line, &mut shown);
        if spelled != line {
            pieces("   =", &spelled, &mut shown);
        }
    }
    shown
}

fn pieces(first: &str, line: &str, shown: &mut Vec<String>) {
    let line: Vec<char> = line.chars().map(|c| if c == '\t' { ' ' } else { c }).collect();
    if line.is_empty() {
        shown.push(format!("{first} |"));
    }
    for (at, piece) in line.chunks(WIDTH).enumerate() {
        let piece: String = piece.iter().collect();
        let head = if at == 0 { first } else { "   >" };
        shown.push(format!("{head} | {piece}"));
    }
}

fn spell(c: char) -> String {
    if c.is_ascii() { c.to_string() } else { c.escape_unicode().to_string() }
}

fn run_of_blanks(line: &str) -> usize {
    line.split(|c| c != ' ' && c != '\t').map(str::len).max().unwrap_or_default()
}

/// Whether a character is invisible, moves its neighbours, is above or below them, or looks different in different
/// places.
fn hides(c: char) -> bool {
    let is_mark = matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}');
    let is_private = matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..);
    let is_blank = c.is_whitespace() && !matches!(c, ' ' | '\t');
    (c.is_control() && c != '\t') || is_blank || !foreign::is_visible(c) || is_mark || is_private
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_script_that_hides_something_is_refused() {
        let refused = |text: &str, expected: &str| {
            let why = check(text).expect_err(text);
            assert!(why.contains(expected), "{text:?}: {why}");
        };
        refused("a()\nb() \u{202e}x", "line 2 has the character U+202E");
        for hidden in
            ["\u{200b}", "\u{2066}", "\u{a0}", "\u{3000}", "\u{2028}", "\u{85}", "\u{feff}", "\u{e0041}"]
        {
            refused(&format!("a{hidden}b"), "line 1 has the character");
        }
        for strange in
            ["\r", "\u{1b}[2K", "\u{0}", "e\u{301}", "\u{e000}", "\u{10ffff}", "\u{3164}", "\u{fe0f}"]
        {
            refused(&format!("a{strange}b"), "which a reader cannot see");
        }
        refused(&format!("a(){}evil()", " ".repeat(41)), "line 1 has more than 40 blanks");
        refused(&format!("a(){}evil()", " \t".repeat(21)), "line 1 has more than 40 blanks");
        refused("a()\n\n \n\n\t\nevil()", "line 5 follows 3 empty lines");
        refused(&"a()\n".repeat(201), "201 lines");
        refused(&"a".repeat(8_001), "8001 characters");
        refused(" \n\t", "empty");
    }

    #[test]
    fn a_script_is_shown_whole() {
        let check = |text: &str, expected: &[&str]| {
            check(text).expect(text);
            assert_eq!(lines(text), expected);
        };
        check("a()\n\n  b()\n", &["   1 | a()", "   2 |", "   3 |   b()"]);
        check(
            "const \u{430} = \"Gr\u{f6}\u{df}e\"",
            &["   1 | const \u{430} = \"Gr\u{f6}\u{df}e\"", "   = | const \\u{430} = \"Gr\\u{f6}\\u{df}e\""],
        );
        check("say(\"\u{5d0}\u{5d1}\", 1)", &["   1 | say(\"\\u{5d0}\\u{5d1}\", 1)"]);
        let long = "x".repeat(72) + "evil()";
        check(&long, &[&format!("   1 | {}", "x".repeat(72)), "   > | evil()"]);
    }

    proptest! {
        /// Nothing of a script is left out or reordered, and no line is longer than a window.
        #[test]
        fn what_is_shown_is_what_there_is(text in "[ -~\n\t\u{e4}\u{430}\u{5d0}]{1,300}") {
            if check(&text).is_ok() {
                let shown = lines(&text);
                prop_assert!(shown.iter().all(|line| line.chars().count() <= WIDTH + 7));
                let mut whole: Vec<String> = Vec::new();
                let mut is_spelled = false;
                for line in &shown {
                    let (head, piece) = (&line[..4], line.get(7..).unwrap_or_default());
                    is_spelled = head == "   =" || (is_spelled && head == "   >");
                    match (is_spelled, head) {
                        (true, _) => {}
                        (false, "   >") => whole.last_mut().unwrap().push_str(piece),
                        (false, _) => whole.push(piece.to_owned()),
                    }
                }
                let expected: Vec<String> = text.trim_end().split('\n').map(|line| {
                    let right_to_left = line.chars().any(foreign::is_right_to_left);
                    line.replace('\t', " ").chars()
                        .map(|c| if right_to_left { spell(c) } else { c.to_string() }).collect()
                }).collect();
                prop_assert_eq!(whole, expected);
            }
        }
    }
}
