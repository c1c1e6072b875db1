//! Makes text from outside safe to show. The author of an app writes its dictionary's descriptions, and a client's
//! model reads them.

mod invisible;

pub(crate) use invisible::makes_emoji;

/// Cleans a foreign text: one line, no control, direction or invisible characters, at most `most` characters.
pub fn clean(text: &str, most: usize) -> String {
    let harmless = text.chars().map(|c| if c.is_whitespace() || c.is_control() { ' ' } else { c });
    let mut cleaned = String::new();
    for c in harmless.filter(|c| is_visible(*c)) {
        if c != ' ' || !(cleaned.is_empty() || cleaned.ends_with(' ')) {
            cleaned.push(c);
        }
    }
    cut(cleaned.trim_end(), most)
}

/// The line and column of a byte of a text, both from 1.
pub fn place(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

/// Quotes a cleaned foreign text as the app's own: `The app says: "…"`; empty for an empty text.
pub fn said(text: Option<&str>, most: usize) -> String {
    let cleaned = clean(text.unwrap_or_default(), most).replace('"', "'");
    if cleaned.is_empty() { cleaned } else { format!("The app says: \"{cleaned}\"") }
}

/// The longest part of an app's own error to pass on. A cause fits into it, but a long text addressed to the model does
/// not.
pub const ERROR: usize = 300;

/// Quotes an app: `Mail says: "…"`, cleaned and cut. If there is no text, it says so.
pub fn says(name: &str, text: &str, most: usize) -> String {
    let cleaned = clean(text, most).replace('"', "'");
    match cleaned.is_empty() {
        true => format!("{name} gives no reason"),
        false => format!("{name} says: \"{cleaned}\""),
    }
}

/// Cuts after a word if one ends near the limit. A cut text ends in `…`.
fn cut(text: &str, most: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(most) else { return text.to_owned() };
    let whole = &text[..end];
    let word = whole.rfind(' ').filter(|at| *at > end / 2).unwrap_or(end);
    format!("{}…", whole[..word].trim_end())
}

/// Whether a character is visible and does not change the direction of the text around it.
pub(crate) fn is_visible(c: char) -> bool {
    !invisible::is_invisible(c)
}

/// Whether a character belongs to a script that is written from right to left.
///
/// # Source
/// The blocks whose characters have the class R or AL by default (Unicode, `DerivedBidiClass.txt`).
pub(crate) fn is_right_to_left(c: char) -> bool {
    matches!(c,
        '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}' | '\u{10800}'..='\u{10fff}'
        | '\u{1e800}'..='\u{1efff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_foreign_text_becomes_one_plain_line() {
        for (text, shown) in [
            ("Sends a\n\t message.", "Sends a message."),
            ("\u{202e}evil\u{202c} te\u{200b}xt\u{e0041}", "evil text"),
            ("  spaces   around  ", "spaces around"),
            ("one two three four", "one two three…"),
            ("abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnop…"),
            ("", ""),
        ] {
            assert_eq!(clean(text, 16), shown);
        }
        assert_eq!(said(Some("Say \"hi\""), 40), "The app says: \"Say 'hi'\"");
        assert_eq!(said(Some("\u{200b}"), 40), "");
        assert_eq!(said(None, 40), "");
        assert_eq!(says("Mail", "no \"x\"\n\u{202e}here", 40), "Mail says: \"no 'x' here\"");
        assert_eq!(says("Mail", "\u{200b}", 40), "Mail gives no reason");
    }

    proptest! {
        #[test]
        fn no_control_character_survives(text: String, most in 1_usize..50) {
            let cleaned = clean(&text, most);
            prop_assert!(cleaned.chars().all(|c| !c.is_control() && is_visible(c)));
            prop_assert!(cleaned.chars().count() <= most + 1);
        }
    }
}
