//! Words of a shell, for commands that are advised.

/// A word for a shell: in single quotes unless nothing in it needs them.
pub fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | ',' | '-' | '_' | '/' | '=');
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}
