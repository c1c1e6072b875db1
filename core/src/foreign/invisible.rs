//! The invisible characters. `iac-core` and `iac-plugins` both have this file as a module, because neither depends on
//! the other, and both must agree on what is invisible.

/// Tells whether an invisible character makes one emoji of what is beside it, as in `❤️`, `1️⃣` and `👩‍💻`. Elsewhere it
/// hides something.
pub(crate) fn makes_emoji(c: char, before: &str, after: &str) -> bool {
    const VARIANT: char = '\u{fe0f}';
    const JOINER: char = '\u{200d}';
    const KEYCAP: char = '\u{20e3}';
    let is_part =
        |c: char| matches!(c, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}') && !is_invisible(c);
    match c {
        VARIANT => before.ends_with(is_part) || after.starts_with(KEYCAP),
        JOINER => before.trim_end_matches(VARIANT).ends_with(is_part) && after.starts_with(is_part),
        _ => false,
    }
}

/// Tells whether a character is invisible or changes how the text around it reads.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{2800}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}
