//! `docs/errors.md` says what the tables in the code say. `UPDATE_EXPECT=1` writes it.

mod support;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use iac_core::fault::Code;
use iac_core::osa_error::{OsaError, known};
use proptest::prelude::*;

const HEAD: &str = "# Errors

Written from the tables in `core/src/fault.rs` and `core/src/osa_error.rs` by a test; `UPDATE_EXPECT=1` writes it anew.

A tool that fails answers with `isError` and

```json
{\"error\": \"reference_invalid\", \"message\": \"…\", \"suggestion\": \"…\", \"retryable\": false}
```

`message` says what happened and names the value; `suggestion` says what to do next, and is missing only where a plugin
gives none. `retryable` says whether the same call may work later without a change; what an answer says of itself counts
before the table below. More fields stand beside them where they help: `app` (always a bundle id), `reference`,
`untrusted` where the message quotes an app, `parameter` with `expected` and the command's `schema`, `near` with the names that were perhaps meant, `number` with the
Apple event number, `requiresPrompt` with the `policyLine` that would allow it (several rules where several things were to
be allowed), `plugin` with its id, `detail` with a plugin's own code.

A tool that does not exist is an error of the protocol, -32602, with the nearest name.

`\"outcome\": \"unknown\"` stands on a change that did not answer: it may have happened. Look before trying it again.

An error of a part stands beside the parts that worked: `errors` beside `properties`, an `error` among `results`. An
answer that is not whole says `\"complete\": false` with its `reason`.

A line from the client that cannot be read is answered too: by an error of the protocol, -32700 or -32600, with the id
of the request if one can be found in it, however broken, deep or long the rest is. Half an emoji (`\"\\ud83d\"`) is read
as U+FFFD. A line holds at most 16 MiB and 100,000 JSON values. A second request with the id of one that still runs is refused.

## Codes

| code | when | retryable |
| --- | --- | --- |
";

const NUMBERS: &str = "
## Apple event and script error numbers

Only numbers are looked at: texts are in the language of the system. A number that is not in this table is
`execution_failed` and quotes the app: `Mail says: \"…\"`; -2700 is any exception of JavaScript, and `app_not_found`
where it comes while the app is opened.

| number | code | meaning | what to do |
| --- | --- | --- | --- |
";

#[test]
fn the_page_says_what_the_tables_say() {
    let mut page = HEAD.to_owned();
    for code in Code::all() {
        let retryable = if code.retryable() { "yes" } else { "no" };
        writeln!(page, "| `{}` | {} | {retryable} |", code.name(), code.cause()).unwrap();
    }
    page.push_str(NUMBERS);
    for (number, code, meaning, suggestion) in known() {
        writeln!(page, "| {number} | `{}` | {meaning} | {suggestion} |", code.name()).unwrap();
    }
    support::expect(&support::root().join("docs/errors.md"), &page).unwrap();
}

#[test]
fn each_number_stands_once_and_is_told_by_it_alone() {
    let numbers: BTreeSet<i64> = known().map(|(number, ..)| number).collect();
    assert_eq!(numbers.len(), known().count());
    for (number, code, meaning, _) in known() {
        let error = OsaError { number, message: "Keine Berechtigung.".to_owned(), at: "command".to_owned() };
        let fault = error.to_fault("com.apple.mail", "Mail");
        assert_eq!(fault.code, code, "{number}");
        assert!(
            fault.message.contains(meaning) && !fault.message.contains("Berechtigung"),
            "{}",
            fault.message
        );
        assert!(!fault.suggestion.is_empty(), "{number}");
    }
}

proptest! {
    /// Names and letters that others wrote stand in what an app says of its failure.
    #[test]
    fn what_an_app_says_is_quoted_cut_and_marked(said in ".*|(?s)[\"\n\u{202e}\u{200b}a ]{0,900}") {
        let error = OsaError { number: -2700, message: said, at: "object".to_owned() };
        let fault = error.to_fault("com.apple.mail", "Mail");
        prop_assert_eq!(&fault.context["untrusted"], true);
        prop_assert!(fault.message.chars().count() < 330, "{}", fault.message);
        let words = fault.message.strip_prefix("Mail says: \"").and_then(|rest| rest.strip_suffix('"'));
        prop_assert!(words.is_some() || fault.message == "Mail gives no reason", "{}", fault.message);
        let words = words.unwrap_or_default();
        prop_assert!(!words.contains('"') && !words.contains(char::is_control), "{words}");
        prop_assert_eq!(iac_core::foreign::clean(words, 400), words);
    }
}
