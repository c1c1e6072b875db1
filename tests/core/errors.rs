//! Checks that `docs/errors.md` matches the tables in the code. `UPDATE_EXPECT=1` writes the page.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use iac_core::fault::Code;
use iac_core::osa_error::{OsaError, known};
use proptest::prelude::*;

use crate::support;

const HEAD: &str = "# Errors

A test generates this page from the tables in `core/src/fault.rs` and `core/src/osa_error.rs`. Run that test with
`UPDATE_EXPECT=1` to update the page.

A tool that fails returns `isError` and an object like this:

```json
{\"error\": \"reference_invalid\", \"message\": \"…\", \"suggestion\": \"…\", \"retryable\": false}
```

| field | meaning |
| --- | --- |
| `error` | the code, see below |
| `message` | what happened, with the value that caused it |
| `suggestion` | what to do next; only an error of a plugin may lack it |
| `retryable` | whether the same call may work later; if it differs from the table below, this field is right |

An error has more fields if they help:

| field | meaning |
| --- | --- |
| `app` | the bundle id of the app |
| `reference` | the reference that caused the error |
| `untrusted` | the message quotes an app |
| `parameter` | the wrong argument, with `expected` and the command's `schema` |
| `near` | the nearest names that exist |
| `number` | the Apple event number |
| `requiresPrompt` | a human must approve the call; `policyLine` is the rule that would allow it, or several rules if the call needs several |
| `plugin` | the plugin's id; `detail` is the plugin's own code |
| `outcome` | `\"unknown\"` on a change that did not answer and may have happened, or on a call of a plugin that failed after it had sent a change; `\"partial\"` on a write with a refused value, if the values before it could not be put back. Read the object before you try again |

A call of a tool that does not exist gets the protocol error -32602 with the nearest names, also those of plugins.

If only a part of a call fails, its error stands beside the parts that worked: `errors` beside `properties`, or an `error`
among `results`. If several objects have the same error, the answer lists it once, in its own `errors`. If other objects do
not have that error, each object that has it names the properties in `failed`. An incomplete answer has `\"complete\": false`
and a `reason`.

The server also answers a line that it cannot read, with the protocol error -32700 or -32600. The answer has the id of the
request if the line is JSON. Otherwise it has no `id`, as MCP requires. The server reads half of a surrogate pair
(`\"\\ud83d\"`) as U+FFFD. A line holds at most 16 MiB and 100,000 JSON values. The
server refuses a request with the id of another request that still runs.

## Codes

| code | when | retryable |
| --- | --- | --- |
";

const NUMBERS: &str = "
## Apple event and script error numbers

The server looks only at numbers, because error texts are in the language of the system. A number that is not in this
table is `execution_failed` and quotes the app: `Mail says: \"…\"`. The number -2700 is any JavaScript exception. If it
occurs while the server opens the app, the code is `app_not_found`.

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
        let error = OsaError {
            number,
            message: "Keine Berechtigung.".to_owned(),
            at: "command".to_owned(),
            by: None,
        };
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

/// System Events says -1719 for a missing object, and also where the user has not allowed Accessibility.
#[test]
fn a_refusal_of_accessibility_is_not_a_missing_object() {
    let check = |number: i64, message: &str, app: &str, code: Code, words: &str| {
        let error = OsaError { number, message: message.to_owned(), at: "column".to_owned(), by: None };
        let fault = error.to_fault(app, "System Events");
        assert_eq!(fault.code, code, "{message}");
        assert_eq!(error.is_missing_object(), code == Code::ReferenceInvalid, "{message}");
        assert_eq!(fault.suggestion.contains("Accessibility"), !words.is_empty(), "{}", fault.suggestion);
        assert!(fault.suggestion.contains(words), "{}", fault.suggestion);
    };
    let (events, refused) = ("com.apple.systemevents", Code::AutomationNotAuthorized);
    check(-1719, "osascript is not allowed assistive access.", events, refused, "ask the user");
    check(-25211, "osascript is not allowed assistive access.", events, refused, "ask the user");
    check(-25211, "x", events, refused, "ask the user");
    // In other languages the text is unknown, so both may be true.
    check(-1719, "Index.", events, Code::ReferenceInvalid, "if it is part of a window");
    check(-1719, "Invalid index.", "com.apple.mail", Code::ReferenceInvalid, "");
    check(-1728, "Can't get object.", events, Code::ReferenceInvalid, "");
}

proptest! {
    /// An app's error message contains names and letters that other people wrote.
    #[test]
    fn what_an_app_says_is_quoted_cut_and_marked(said in ".*|(?s)[\"\n\u{202e}\u{200b}a ]{0,900}") {
        let error = OsaError { number: -2700, message: said, at: "object".to_owned(), by: None };
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
