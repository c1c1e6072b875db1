//! AppleScript that is not an object reference. Each such form is refused with its own error, which says what to write
//! instead.

use super::Parser;
use super::chain::FILTERS;
use super::error::Fail;
use super::step::Term;

const WRITE_THE_OBJECT: &str = "write the object only, and let the tool act on it";

/// The hint for how to count objects.
const COUNTED: &str = "list the objects and read `totalCount`, or name `count of …` in `properties` for each of several objects";

/// The same in a filter, which has forms for what these words are meant to say.
const COUNTED_THERE: &str = "write `count of tracks > 0` for all elements of a kind, and `not (artist of tracks contains \"…\")` to test that none of them is so";
const ANY_THERE: &str = "leave it out: `file size of mail attachments > 1000` is true if one of them is so";

/// Words at the beginning of an object, their meaning, and what to write instead; the longest first.
const REFUSED: [(&[&str], &str, &str); 39] = [
    (&["a", "reference", "to"], "is not needed", "leave the words out"),
    (&["do", "shell", "script"], "is a command", "run a command with its own tool"),
    (
        &["posix", "path", "of"],
        "is not a property of this object",
        "name the object, and ask for `POSIX path` among the `properties` of iac_mcp_get_properties",
    ),
    (&["path", "to"], "is a command", "write a property of the app, such as `desktop` or `home`"),
    (&["current", "application"], "is the script itself", "name an object of the app"),
    (&["number", "of"], "counts", COUNTED),
    (&["count", "of"], "counts", COUNTED),
    (&["count", "every"], "counts", COUNTED),
    (&["count", "each"], "counts", COUNTED),
    (
        &["properties", "of"],
        "reads all properties",
        "write the object alone, and read it with iac_mcp_get_properties without `properties`",
    ),
    (
        &["reverse", "of"],
        "turns a list around",
        "list the elements with `sort`, or name the last ones: `last 5 messages of inbox`",
    ),
    (&["rest", "of"], "leaves the first one out", "write a range, such as `messages 2 thru -1 of inbox`"),
    (&["sort"], "is a command", "give `sort` to iac_mcp_get_elements"),
    (&["contents", "of"], "reads a script variable", "leave the words out"),
    (&["count"], "counts", COUNTED),
    (
        &["all"],
        "is not a word of a reference",
        "write `every` and the class, such as `every message of inbox`",
    ),
    (&["some"], "picks at random", "a random object cannot be asked for again; use an index"),
    (&["any"], "picks at random", "a random object cannot be asked for again; use an index"),
    (&["middle"], "picks a middle object", "use an index, which can be asked for again"),
    (&["get"], "is a command", WRITE_THE_OBJECT),
    (&["set"], "is a command", WRITE_THE_OBJECT),
    (&["make"], "is a command", WRITE_THE_OBJECT),
    (&["delete"], "is a command", WRITE_THE_OBJECT),
    (&["move"], "is a command", WRITE_THE_OBJECT),
    (&["copy"], "is a command", WRITE_THE_OBJECT),
    (&["exists"], "is a command", "write the object only; an answer says whether it is there"),
    (&["return"], "is a statement", WRITE_THE_OBJECT),
    (&["tell"], "is a statement", "write only `tell application \"…\" to` and an object behind it"),
    (&["if"], "is a statement", WRITE_THE_OBJECT),
    (&["repeat"], "is a statement", "write `every …`, which reads all at once"),
    (&["considering"], "is a statement", "leave it out; texts compare without regard to case"),
    (&["ignoring"], "is a statement", "leave it out; texts compare without regard to case"),
    (&["using"], "is a statement", "leave it out"),
    (&["me"], "is the script itself", "name an object of the app"),
    (&["my"], "is the script itself", "leave it out"),
    (&["result"], "is a script variable", "write the object out, or give its reference"),
    (&["it"], "has a meaning only in a filter", "name the object"),
    (&["its"], "has a meaning only in a filter", "leave it out"),
    (&["not"], "has a meaning only in a filter", "leave it out"),
];

impl Parser<'_> {
    /// The refusal for the word at which a reading failed; `None` if there is no special one.
    pub(super) fn refusal(&self, start: usize, fail: &Fail) -> Option<Fail> {
        let at = fail.token()?;
        self.operator(at)
            .or_else(|| self.phrase(at))
            .or_else(|| self.phrase(start).filter(|_| at <= start + 3))
    }

    pub(super) fn phrase(&self, at: usize) -> Option<Fail> {
        if self.is_sign(at, "«") || self.is_sign(at, "»") {
            let instead = "write the term as the dictionary has it";
            return Some(Fail::refused(at, at, "a raw code has no meaning here", instead));
        }
        let stands = |words: &[&str]| words.iter().enumerate().all(|(n, word)| self.is_word(at + n, &[word]));
        let (words, what, instead) = REFUSED.iter().find(|(words, ..)| stands(words))?;
        let wrong = format!("`{}` {what}", words.join(" "));
        let match_of = self.first_match(at).filter(|_| ["some", "any"].contains(&words[0]));
        let is_in_filter = (0..at).any(|at| self.is_word(at, &FILTERS));
        let there = match words[0] {
            "count" | "number" => Some(COUNTED_THERE),
            "some" | "any" => Some(ANY_THERE),
            _ => None,
        };
        let there = there.filter(|_| is_in_filter && match_of.is_none()).unwrap_or(instead);
        let instead = match_of.unwrap_or_else(|| there.to_owned());
        Some(Fail::refused(at, at + words.len(), wrong, instead))
    }

    /// What to write instead of `some encoder whose …`, which people write where only one matches.
    fn first_match(&self, at: usize) -> Option<String> {
        (at..self.tokens.len()).find(|at| self.is_word(*at, &FILTERS))?;
        let named = self.terms(at + 1).into_iter().find_map(|(term, _)| match term {
            Term::Class(class, _) => self.class_at(class).map(|class| class.name.as_str()),
            Term::Property(_) => None,
        });
        let class = named?;
        Some(format!("a random object cannot be asked for again; write `first {class} whose …`"))
    }

    fn operator(&self, at: usize) -> Option<Fail> {
        let refused = |wrong: &str, instead: &str| Some(Fail::refused(at, at, wrong, instead));
        if self.is_word(at, &["as"]) {
            return refused(
                "`as …` is a coercion",
                "leave it out; values come in the form that answers have",
            );
        }
        if self.is_sign(at, "&") {
            return refused("`&` joins texts", "write the whole text in quotes");
        }
        None
    }
}
