//! Words that cannot be names in a language.

use crate::mask::is_part;

const C: &str = "\
    alignas alignof asm auto bool break case catch char class const consteval constexpr constinit \
    const_cast continue co_await co_return co_yield decltype default defined delete do double \
    dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable \
    namespace new noexcept nullptr operator override private protected public register reinterpret_cast \
    requires restrict return short signed sizeof static static_assert static_cast struct switch template \
    this throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while";

const PYTHON: &str = "\
    False None True and as assert async await break class continue def del elif else except finally for from \
    global if import in is lambda nonlocal not or pass raise return try while with yield";

const RUST: &str = "\
    Self _ as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod \
    move mut pub ref return self static struct super trait true type unsafe use where while";

/// Any other keyword of Rust can be a name if it is written as `r#name`, and rust-analyzer writes it so.
const NEVER_RAW: [&str; 5] = ["Self", "_", "crate", "self", "super"];

const SCRIPT: &str = "\
    await break case catch class const continue debugger default delete do else enum export extends false \
    finally for function if implements import in instanceof interface let new null package private protected \
    public return static super switch this throw true try typeof var void while with yield";

const GO: &str = "\
    break case chan const continue default defer else fallthrough for func go goto if import interface map \
    package range return select struct switch type var";

const JAVA: &str = "\
    abstract assert boolean break byte case catch char class const continue default do double else enum \
    extends false final finally float for goto if implements import instanceof int interface long native new \
    null package private protected public return short static strictfp super switch synchronized this throw \
    throws transient true try void volatile while";

/// The words of a language that cannot be names.
fn of(language: &str) -> &'static str {
    match language {
        "c" | "cpp" | "objective-c" | "objective-cpp" => C,
        "python" => PYTHON,
        "rust" => RUST,
        "typescript" | "typescriptreact" | "javascript" | "javascriptreact" => SCRIPT,
        "go" => GO,
        "java" => JAVA,
        _ => "",
    }
}

pub(crate) fn is_keyword(language: &str, word: &str) -> bool {
    let own = Some(of(language)).filter(|words| !words.is_empty()).unwrap_or(C);
    own.split_whitespace().any(|keyword| keyword == word)
}

/// Says why a word cannot be the name of a symbol. Scripts allow every word as the name of a member.
pub(crate) fn objection(language: &str, word: &str, is_member: bool) -> Option<String> {
    let is_word =
        |word: &str| word.chars().all(is_part) && word.starts_with(|letter: char| !letter.is_ascii_digit());
    let bare = word.strip_prefix("r#").filter(|_| language == "rust").unwrap_or(word);
    let bare = bare.strip_prefix('#').filter(|_| of(language) == SCRIPT && is_member).unwrap_or(bare);
    if !of(language).is_empty() && !is_word(bare) || word.trim().is_empty() {
        return Some(format!("\"{word}\" is not a name in {language}"));
    }
    let may_be = match of(language) {
        RUST => !NEVER_RAW.contains(&word),
        SCRIPT => is_member,
        _ => false,
    };
    (is_keyword(language, word) && !of(language).is_empty() && !may_be)
        .then(|| format!("\"{word}\" is a keyword of {language}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_cannot_be() {
        for (language, word, is_member, expected) in [
            ("python", "class", false, Some("\"class\" is a keyword of python")),
            ("python", "match", false, None),
            ("python", "a-b", false, Some("\"a-b\" is not a name in python")),
            ("python", "1a", true, Some("\"1a\" is not a name in python")),
            ("typescript", "delete", true, None),
            ("typescript", "delete", false, Some("\"delete\" is a keyword of typescript")),
            ("typescript", "#a", true, None),
            ("rust", "r#type", false, None),
            ("rust", "fn", false, None),
            ("rust", "Self", false, Some("\"Self\" is a keyword of rust")),
            ("cpp", "operator", false, Some("\"operator\" is a keyword of cpp")),
            ("go", "func", false, Some("\"func\" is a keyword of go")),
            ("ruby", "a?", true, None),
            ("ruby", " ", true, Some("\" \" is not a name in ruby")),
        ] {
            assert_eq!(objection(language, word, is_member).as_deref(), expected, "{language} {word}");
        }
    }
}
