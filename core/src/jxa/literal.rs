//! Data as text that a script can carry: one string literal, pure ASCII.

/// Writes the text of JSON with every character beyond ASCII as `\uXXXX`.
pub(super) fn ascii(text: String) -> String {
    if text.is_ascii() && !text.contains('\u{7f}') {
        return text;
    }
    let mut written = String::with_capacity(text.len() + text.len() / 4);
    text.chars().for_each(|c| push(&mut written, c));
    written
}

/// Writes a text as a JavaScript string literal in double quotes.
///
/// JSON's escapes are JavaScript's. The characters that JSON allows and JavaScript forbids (U+2028, U+2029) are not
/// ASCII.
pub(crate) fn string(text: &str) -> String {
    ascii(serde_json::to_string(text).expect("a text can be written"))
}

fn push(written: &mut String, c: char) {
    if c.is_ascii() && c != '\u{7f}' {
        written.push(c);
        return;
    }
    for unit in c.encode_utf16(&mut [0; 2]) {
        written.push_str(&format!("\\u{unit:04x}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn line_separators_are_escaped() {
        assert_eq!(string("a\u{2028}\"\\\n"), r#""a\u2028\"\\\n""#);
        assert_eq!(string("\u{1f600}"), r#""\ud83d\ude00""#);
    }

    proptest! {
        #[test]
        fn any_text_is_one_ascii_literal_and_comes_back(text: String) {
            let literal = string(&text);
            prop_assert!(literal.is_ascii());
            prop_assert_eq!(serde_json::from_str::<String>(&literal).unwrap(), text);
        }
    }
}
