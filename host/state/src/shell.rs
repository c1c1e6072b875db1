//! Quotes words for the shell, in commands that are suggested to people.

/// Quotes a word for the shell, if anything in it needs quoting.
pub fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | ',' | '-' | '_' | '/' | '=');
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}
