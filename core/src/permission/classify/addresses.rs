//! Addresses among the values of an action: which program they open, and which code they run.

use super::{Classified, Level};
use crate::action::{Action, Invocation};
use crate::app::{STANDARD_ADDITIONS, same_id};
use crate::change::Change;
use crate::dictionary::names;
use crate::marshal::Given;
use crate::permission::touch::classes;
use crate::permission::writes::{self, MAKE, Write};
use percent_encoding::percent_decode_str;

/// Schemes of addresses that open a web page or a new message, and nothing else.
const SCHEMES: [&str; 4] = ["http", "https", "mailto", "about"];

/// Schemes of addresses without `//`. A text such as `from: Ann` also has a colon, so other texts need the `//`.
const SHORT: [&str; 14] = [
    "about", "callto", "data", "facetime", "file", "imessage", "javascript", "mailto", "shortcuts", "sip",
    "sms", "tel", "webcal", "workflow",
];

/// The event that opens an address in any app.
pub(crate) const OPEN: &str = "GURLGURL";

/// Words in the names of commands and parameters that take an address, such as `GetURL` and `search the web`.
const WORDS: [&str; 10] =
    ["address", "link", "location", "mailto", "uri", "url", "urls", "web", "webpage", "website"];

/// Events that only store the texts that they get: `make`, `duplicate`, `move` and `set`.
const STORING: [&str; 4] = [MAKE, "coreclon", "coremove", "coresetd"];

/// Commands that show, keep or send the texts that they get, by code and name. Those texts are not addresses, whatever
/// they look like. A code under another name proves nothing.
const TEXTS: [(&str, &str); 7] = [
    ("ichtsend", "send"),
    ("JonspClp", "set the clipboard to"),
    ("sysonotf", "display notification"),
    ("sysodlog", "display dialog"),
    ("sysodisA", "display alert"),
    ("sysottos", "say"),
    ("OFOCFCP?", "parse tasks into"),
];

/// A command that searches for its text, although its name has a word for addresses.
const SEARCH: [(&str, &str); 1] = [("sfrisrch", "search the web")];

/// The beginning of the address of a pane of System Settings.
const PANES: &str = "x-apple.systempreferences:";

/// Objects that open the address that they are given.
const SHOWING: [&str; 4] = ["tab", "document", "window", "web view"];

/// Properties that hold the address of a page.
const PAGES: [&str; 3] = ["url", "address", "location"];

/// The addresses that an action opens, in an app or in another program. A yes to one of them says nothing about the
/// next one, which may lead anywhere and carry anything.
pub(super) fn of(action: &Action) -> Vec<&str> {
    let changed = action.deed.changes().into_iter().flat_map(|change| of_change(action, change));
    changed
        .chain(action.deed.commands().into_iter().flat_map(|command| of_command(action, command)))
        .collect()
}

/// The addresses that a command opens. Every app has its own code for such a command, so the names and the form of the
/// texts count, too.
fn of_command<'a>(action: &Action, command: &'a Invocation) -> Vec<&'a str> {
    if is_among(command, &TEXTS) {
        return Vec::new();
    }
    let stores = STORING.contains(&command.code.as_str());
    let shows = || command.code == MAKE && classes(command).into_iter().any(|class| is_shown(action, class));
    let clear = values(command).filter(|_| !stores || shows()).flat_map(|(_, value)| texts(value));
    let clear = clear.filter(|text| is_clear(text));
    let mut found = shown(action, &writes::of_command(command));
    found.extend(taken(command));
    found.extend(clear);
    found
}

/// The texts that a command takes as addresses, by its own name or by the name of a parameter.
fn taken(command: &Invocation) -> impl Iterator<Item = &str> {
    let opens = command.code == OPEN || has_word(&command.term);
    let stores = STORING.contains(&command.code.as_str());
    let is_taken = move |term: &str| opens || (!stores && has_word(term));
    values(command).filter(move |(term, _)| is_taken(term)).flat_map(|(_, value)| texts(value))
}

/// The values of a command, each with the name of its parameter.
fn values(command: &Invocation) -> impl Iterator<Item = (&str, &Given)> {
    let named = command.parameters.iter().map(|argument| (argument.term.as_str(), &argument.value));
    command.direct.iter().map(|value| ("", value)).chain(named)
}

fn is_among(command: &Invocation, rows: &[(&str, &str)]) -> bool {
    let key = names::key(&command.term);
    rows.iter().any(|(code, name)| *code == command.code && names::key(name) == key)
}

/// Whether a text has the form of an address. A question does not cut it, because its end may decide its host.
pub(crate) fn is_told(text: &str) -> bool {
    address(text).is_some_and(|(scheme, rest)| {
        let is_known = SCHEMES.contains(&scheme.as_str()) || is_clear(text);
        !rest.is_empty() && (is_known || !has_blank(text))
    })
}

/// Whether a property, a parameter or a command has a name for what holds or opens addresses.
pub(crate) fn holds(term: &str) -> bool {
    has_word(term)
}

/// The most harmful effect of the addresses that a command gets. A command that only has a word for addresses in its
/// name may take other texts, too, such as `rust: ownership`.
pub(super) fn worst_of_command(action: &Action, command: &Invocation) -> Option<Classified> {
    let surely = shown(action, &writes::of_command(command));
    let is_sure = |text: &&str| command.code == OPEN || surely.contains(text) || is_whole(text);
    let is_mild = |text: &&str| is_of_system(action, command) && is_pane(text);
    let opened = of_command(action, command).into_iter().filter(|text| is_sure(text) && !is_mild(text));
    let opened = worst(&opened.collect::<Vec<_>>());
    let is_text = is_among(command, &TEXTS);
    let pages = pages(&writes::of_command(command));
    let taken = taken(command).filter(|_| !is_among(command, &SEARCH));
    let run = script(command.values(), pages.into_iter().chain(taken)).filter(|_| !is_text);
    opened.into_iter().chain(run).reduce(Classified::or_worse)
}

/// Opening panes of System Settings, if the command opens nothing else. Standard Additions pass each address to the
/// system; an app may do something else with it.
pub(super) fn settings(action: &Action, command: &Invocation) -> Option<Classified> {
    let opened = of_command(action, command);
    let are_panes = !opened.is_empty() && opened.iter().all(|text| is_pane(text));
    (is_of_system(action, command) && are_panes)
        .then(|| Classified::new(Level::Modify, "opens a pane of System Settings"))
}

fn is_of_system(action: &Action, command: &Invocation) -> bool {
    command.code == OPEN && same_id(&action.app, STANDARD_ADDITIONS)
}

/// Whether an address names a pane of System Settings, and perhaps a place in it. The scheme belongs to System
/// Settings, and opening a pane changes nothing. An address with an argument, or in any unusual spelling, is judged
/// like others.
///
/// # Source
/// Apple's identifiers of panes and their anchors, such as `com.apple.preference.security?Privacy_Camera`: letters,
/// digits, dots, hyphens and underscores.
fn is_pane(text: &str) -> bool {
    let is_plain = |part: &str| part.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
    text.strip_prefix(PANES).is_some_and(|rest| {
        let (pane, place) = rest.split_once('?').unwrap_or((rest, ""));
        is_plain(pane) && is_plain(place)
    })
}

/// The most harmful effect of the addresses among new values of properties.
pub(super) fn worst_of_change(action: &Action, change: &Change) -> Option<Classified> {
    let opened = worst(&of_change(action, change));
    let run = script(&change.values, pages(&writes::of_change(change)));
    opened.into_iter().chain(run).reduce(Classified::or_worse)
}

/// The addresses that new values of properties open.
fn of_change<'a>(action: &Action, change: &'a Change) -> Vec<&'a str> {
    shown(action, &writes::of_change(change))
}

/// The most harmful effect of opening the addresses.
fn worst(addresses: &[&str]) -> Option<Classified> {
    addresses.iter().filter_map(|text| opened(text)).reduce(Classified::or_worse)
}

/// If a tab, a document or a window gets an address, the app opens it, as `open location` does. Elsewhere an address is
/// only stored, such as the link of an event.
fn shown<'a>(action: &Action, writes: &[Write<'a>]) -> Vec<&'a str> {
    let is_page = |term: &str| PAGES.contains(&names::key(term).as_str());
    let given = writes.iter().filter(|write| is_page(write.term) && is_shown(action, write.class));
    given.flat_map(|write| texts(write.value)).collect()
}

/// The texts that any object gets as an address.
fn pages<'a>(writes: &[Write<'a>]) -> Vec<&'a str> {
    let given = writes.iter().filter(|write| has_word(write.term));
    given.flat_map(|write| texts(write.value)).collect()
}

/// Whether objects of a class open the address that they get. Browsers have their own names, such as `browser tab`.
fn is_shown(action: &Action, class: &str) -> bool {
    let ends = |row: &str| names::key(class).ends_with(&names::key(row));
    class.is_empty() || SHOWING.iter().any(|row| action.terms.is_a(class, row) || ends(row))
}

fn has_word(name: &str) -> bool {
    names::split(name).iter().any(|word| WORDS.contains(&word.as_str()))
}

/// The texts and files in a value, but not those in the properties of a new object.
fn texts(value: &Given) -> Vec<&str> {
    match value {
        Given::Text(text) | Given::File(text) if !text.trim().is_empty() => vec![text],
        Given::List(items) => items.iter().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

/// Whether a text can only be an address, whatever the command does with it.
fn is_clear(text: &str) -> bool {
    address(text).is_some_and(|(scheme, rest)| {
        let begins = scheme.starts_with(|c: char| c.is_ascii_alphabetic());
        let is_short = SHORT.contains(&scheme.as_str());
        let is_path = is_short && rest.starts_with('/');
        begins
            && (rest.starts_with("//") || is_path || ((is_short || scheme.contains('-')) && !has_blank(text)))
    })
}

/// Whether a text with a colon has the form of an address, and not of a sentence such as `rust: ownership`.
fn is_whole(text: &str) -> bool {
    is_clear(text) || !has_blank(text)
}

/// Whether a blank is behind the colon, as in a sentence: `To-do: buy milk`.
fn has_blank(text: &str) -> bool {
    text.split_once(':').is_some_and(|(_, rest)| rest.trim_end().contains(char::is_whitespace))
}

/// An address that is a script runs in the page that is shown. Among the other values, a text with a blank right behind
/// the colon does not count as a script, because `JavaScript: The Good Parts` may be the name of a note.
fn script<'a>(
    values: impl IntoIterator<Item = &'a Given>,
    opened: impl IntoIterator<Item = &'a str>,
) -> Option<Classified> {
    let mut found = opened.into_iter().any(is_script);
    let is_clear = |text: &String| {
        let begins = text.split_once(':').is_some_and(|(_, rest)| !rest.starts_with(char::is_whitespace));
        begins && is_script(text)
    };
    for value in values {
        value.visit(&mut |each| found |= matches!(each, Given::Text(text) if is_clear(text)));
    }
    found.then(|| Classified::shell("runs JavaScript in a web page"))
}

/// Whether a browser runs a text as code if it gets the text as an address.
fn is_script(text: &str) -> bool {
    let Some((scheme, rest)) = address(text) else { return false };
    let kind = || rest.split([',', ';']).next().unwrap_or_default().to_ascii_lowercase();
    let runs = |kind: &str| ["html", "xml", "svg", "script"].iter().any(|word| kind.contains(word));
    scheme == "javascript" || (scheme == "data" && rest.contains(',') && runs(&kind()))
}

/// The scheme of an address and the rest of it.
///
/// # Source
/// The URL standard of WHATWG: it ignores tabs and line ends everywhere, and control characters and blanks at the
/// start.
fn address(text: &str) -> Option<(String, String)> {
    let text: String = text.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
    // Some apps drop more than the standard does: other blanks and invisible characters.
    let text = text.trim_start_matches(|c: char| c.is_ascii_control() || c.is_whitespace() || !c.is_ascii());
    let (scheme, rest) = text.split_once(':')?;
    let legal = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    (!scheme.is_empty() && scheme.chars().all(legal)).then(|| (scheme.to_ascii_lowercase(), rest.to_owned()))
}

/// The system passes an address with another scheme to the program that registered for it.
fn opened(text: &str) -> Option<Classified> {
    let (scheme, rest) = address(text)?;
    if SCHEMES.contains(&scheme.as_str()) {
        return None;
    }
    if scheme == "shortcuts" || scheme == "workflow" {
        return Some(Classified::shell("runs a shortcut, which may do anything"));
    }
    if percent_decode_str(&rest).decode_utf8_lossy().contains("omnijs-run") {
        return Some(Classified::shell("runs JavaScript in the app"));
    }
    Some(Classified::new(Level::Dangerous, "opens an address that may start any program"))
}
