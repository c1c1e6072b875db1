//! The known facts about commands, classes and properties, as data.
//!
//! # Source
//! The dictionaries of the apps. Each row follows from the description of the command.

use super::{Classified, Level};
use crate::action::Terms;
use crate::app::same_id;
use crate::dictionary::names;

#[derive(Clone, Copy, PartialEq)]
enum Verdict {
    Safe,
    Modify,
    Dangerous,
    Shell,
}

use Verdict::{Dangerous, Modify, Safe, Shell};

/// The app (a bundle id, or empty for every app), the command's code or name, its level, and the reason.
type Row = (&'static str, &'static str, Verdict, &'static str);

const ADDITIONS: &str = crate::app::STANDARD_ADDITIONS;
const SYSTEM_EVENTS: &str = "com.apple.systemevents";
const FINDER: &str = "com.apple.finder";
const BBEDIT: &str = "com.barebones.bbedit";
const TERMINALS: [&str; 2] = ["com.apple.Terminal", "com.googlecode.iterm2"];

/// Commands that are harmless in every app, because they only answer.
const SAFELIST: &[Row] = &[
    ("", "coregetd", Safe, "reads"),
    ("", "corecnte", Safe, "counts"),
    ("", "coredoex", Safe, "asks whether it exists"),
    ("", "coredsiz", Safe, "reads a size"),
    ("", "emaleafn", Safe, "computes from its argument"),
    ("", "emaleaua", Safe, "computes from its argument"),
    ("", "facolact", Safe, "reads"),
    ("", "hookSrch", Safe, "searches"),
    ("", "Itrmvarb", Safe, "reads a variable of a session"),
    ("", "THGSlocs", Safe, "reads a text of the app"),
    ("", "OFOCFCCm", Safe, "searches"),
    ("", "OFOCFCst", Safe, "computes from its argument"),
    (FINDER, "DATASORT", Safe, "computes from its argument"),
    (BBEDIT, "get html preferences", Safe, "reads"),
    (BBEDIT, "generate tag text", Safe, "computes from its argument"),
    (BBEDIT, "find tag", Safe, "searches"),
    (BBEDIT, "inside open tag", Safe, "reads"),
    (BBEDIT, "inside tag", Safe, "reads"),
    (BBEDIT, "inside tag pair", Safe, "reads"),
    (BBEDIT, "grep substitution", Safe, "computes from its argument"),
    (ADDITIONS, "sysorpth", Safe, "reads a path"),
    (ADDITIONS, "earslfdr", Safe, "reads"),
    (ADDITIONS, "earslvol", Safe, "reads"),
    (ADDITIONS, "sysonfo4", Safe, "reads"),
    (ADDITIONS, "sysosigt", Safe, "reads"),
    (ADDITIONS, "sysogtvl", Safe, "reads"),
    (ADDITIONS, "sysocpls", Safe, "reads"),
    (ADDITIONS, "sysolocS", Safe, "reads a text of the app"),
    (ADDITIONS, "JonsiClp", Safe, "reads kinds and sizes, not the content"),
    (ADDITIONS, "rdwrgeof", Safe, "reads a size"),
    (ADDITIONS, "misccurd", Safe, "reads the clock"),
    (ADDITIONS, "sysoGMT ", Safe, "reads the clock"),
    (ADDITIONS, "sysorand", Safe, "computes from its argument"),
    (ADDITIONS, "sysorond", Safe, "computes from its argument"),
    (ADDITIONS, "sysocton", Safe, "computes from its argument"),
    (ADDITIONS, "sysontoc", Safe, "computes from its argument"),
    (ADDITIONS, "sysooffs", Safe, "computes from its argument"),
];

/// Commands that are shells or have no undo. Codes are the same in every app that has the command.
const BLOCKLIST: &[Row] = &[
    ("", "sysoexec", Shell, "runs a shell command"),
    ("", "sysodsct", Shell, "runs a script"),
    ("", "coredosc", Shell, "runs a shell command"),
    ("", "miscdosc", Shell, "runs a script"),
    ("", "sfridojs", Shell, "runs JavaScript in a web page"),
    ("", "CrSuExJa", Shell, "runs JavaScript in a web page"),
    ("", "OFOCOFEJ", Shell, "runs JavaScript in the app"),
    ("", "sedsexec", Shell, "runs a script"),
    ("", "srctrun ", Shell, "runs a shortcut, which may do anything"),
    ("", "Itrmsntx", Shell, "types into a shell"),
    ("", "prcskprs", Shell, "types keys"),
    ("", "prcskcod", Shell, "types keys"),
    ("", "prcskeyF", Shell, "holds keys down"),
    ("", "prcskeyU", Shell, "releases keys"),
    ("", "prcsclic", Shell, "clicks in an app"),
    ("", "prcsperf", Shell, "presses a control of an app"),
    ("", "prcspick", Shell, "presses a control of an app"),
    ("", "prcscnfm", Shell, "presses a control of an app"),
    ("", "facoatfa", Shell, "makes a script run whenever a folder changes"),
    ("", "facofola", Shell, "runs a script"),
    ("", "coredelo", Dangerous, "deletes objects"),
    ("", "aevtquit", Dangerous, "quits the app"),
    ("", "miscrvrt", Dangerous, "discards unsaved changes"),
    ("", "emsgsend", Dangerous, "sends a message"),
    ("", "ichtsend", Dangerous, "sends a message"),
    ("", "emalbcms", Dangerous, "sends a message back"),
    ("", "fndrempt", Dangerous, "empties the trash"),
    ("", "THGSempt", Dangerous, "empties the trash"),
    ("", "VnnaVnET", Dangerous, "empties the trash"),
    ("", "fndrfera", Dangerous, "erases a disk"),
    ("", "fndrrest", Dangerous, "restarts the Mac"),
    ("", "fndrshut", Dangerous, "shuts the Mac down"),
    ("", "fndrlogo", Dangerous, "logs the user out"),
    ("", "aevtrrst", Dangerous, "restarts the Mac"),
    ("", "aevtrsdn", Dangerous, "shuts the Mac down"),
    ("", "aevtrlgo", Dangerous, "logs the user out"),
    ("", "aevtlogo", Dangerous, "logs the user out"),
    ("", "miscttrm", Dangerous, "discards changes"),
    ("", "prcscncl", Dangerous, "presses a control of an app"),
    ("", "prcsincE", Dangerous, "turns a control of an app"),
    ("", "prcsdecr", Dangerous, "turns a control of an app"),
    (SYSTEM_EVENTS, "miscslct", Dangerous, "presses a control of an app"),
    ("", "sfrimlct", Dangerous, "sends a page by mail"),
    ("", "NmTbCLR ", Dangerous, "erases cells"),
    ("", "sysostor", Dangerous, "writes a script to a file"),
    ("", "sysoload", Dangerous, "loads a script"),
    ("", "rdwrwrit", Dangerous, "writes into any file"),
    ("", "rdwrseof", Dangerous, "cuts any file"),
    (TERMINALS[0], "GURLGURL", Dangerous, "opens a connection in a shell"),
    (TERMINALS[0], "aevtodoc", Shell, "runs a file in a shell"),
    (TERMINALS[1], "aevtodoc", Shell, "runs a file in a shell"),
    (TERMINALS[1], "write", Shell, "types into a shell"),
    (BBEDIT, "apply text factory", Dangerous, "may run scripts that the factory names"),
    (BBEDIT, "update", Dangerous, "may run scripts that the files include"),
    (BBEDIT, "sleep", Dangerous, "quits the app"),
    (BBEDIT, "clear undo history", Dangerous, "makes undo impossible"),
];

/// Commands that can be undone although a word in their name suggests otherwise, and commands that deserve their own
/// reason.
const ORDINARY: &[Row] = &[
    ("", "aevtoapp", Modify, "launches the app"),
    ("", "ascrnoop", Modify, "opens the app"),
    ("", "coresetd", Modify, "changes properties"),
    ("", "corecrel", Modify, "makes objects"),
    ("", "coreclon", Modify, "copies objects"),
    ("", "coremove", Modify, "moves objects"),
    ("", "coresave", Modify, "writes a file"),
    ("", "coreclos", Modify, "closes documents or windows"),
    ("", "aevtodoc", Modify, "opens files"),
    ("", "aevtpdoc", Modify, "prints files"),
    ("", "miscactv", Modify, "brings the app to the front"),
    ("", "GURLGURL", Modify, "opens an address"),
    ("", "miscmvis", Modify, "shows objects"),
    ("", "miscslct", Modify, "selects objects"),
    ("", "fndrejct", Modify, "ejects disks"),
    ("", "fndrslep", Modify, "puts the Mac to sleep"),
    ("", "az00az44", Modify, "adds a person to a group"),
    ("", "az00az46", Modify, "removes a person from a group"),
    ("", "emalrpms", Modify, "makes a message"),
    ("", "emalfwms", Modify, "makes a message"),
    ("", "emalrdms", Modify, "makes a message"),
    ("", "emalchma", Modify, "fetches mail"),
    ("", "emalsyac", Modify, "fetches mail"),
    ("", "wrbtaec3", Modify, "shows objects"),
    ("", "wrbtaec9", Modify, "shows another day"),
    ("", "wrbtaeca", Modify, "changes the view"),
    ("", "wrbtaec8", Modify, "fetches calendars"),
    ("", "noteshow", Modify, "shows objects"),
    ("", "remishow", Modify, "shows objects"),
    ("", "THGSshow", Modify, "shows objects"),
    ("", "THGSschd", Modify, "changes dates"),
    ("", "THGSmvtl", Modify, "moves objects"),
    ("", "OFOCFCMc", Modify, "completes tasks"),
    ("", "OFOCFCMi", Modify, "makes completed tasks active again"),
    ("", "OFOCFCMd", Modify, "drops tasks"),
    ("", "OFOCFCsy", Modify, "synchronizes"),
    ("", "sfriarli", Modify, "adds to the reading list"),
    ("", "sfrisrch", Modify, "searches the web"),
    ("", "hookPlay", Modify, "controls playback"),
    ("", "hookPlPs", Modify, "controls playback"),
    ("", "hookPaus", Modify, "controls playback"),
    ("", "hookResu", Modify, "controls playback"),
    ("", "hookStop", Modify, "controls playback"),
    ("", "hookNext", Modify, "controls playback"),
    ("", "hookPrev", Modify, "controls playback"),
    ("", "hookBack", Modify, "controls playback"),
    ("", "hookFast", Modify, "controls playback"),
    ("", "hookRwnd", Modify, "controls playback"),
    ("", "hookRevl", Modify, "shows objects"),
    ("", "hookAdd ", Modify, "adds files to the library"),
    ("", "OFssremv", Modify, "removes an object from a selection"),
    ("", "OSssOScl", Modify, "resets a style"),
    ("", "sedscmpl", Modify, "compiles, without running"),
    (ADDITIONS, "aevtstvl", Modify, "changes the volume"),
    (ADDITIONS, "JonspClp", Modify, "replaces what is on the clipboard"),
    (ADDITIONS, "sysonotf", Modify, "shows a notification"),
    (ADDITIONS, "sysodlog", Modify, "shows a dialog"),
    (ADDITIONS, "sysodisA", Modify, "shows a dialog"),
    (ADDITIONS, "sysottos", Modify, "speaks"),
    (ADDITIONS, "sysobeep", Modify, "makes a sound"),
    (ADDITIONS, "sysodela", Modify, "waits"),
    (ADDITIONS, "aevtmvol", Modify, "connects to a server"),
    (ADDITIONS, "earsffdr", Modify, "creates the folder, unless a parameter prevents it"),
    (ADDITIONS, "fbcssumm", Modify, "reads any file, also outside of apps"),
    (ADDITIONS, "rdwrread", Modify, "reads any file, also outside of apps"),
    (
        ADDITIONS,
        "JonsgClp",
        Modify,
        "reads the clipboard, which may hold a password, and gives it to the assistant",
    ),
    (ADDITIONS, "fndrgstl", Modify, "reads the environment, which may hold a password"),
    (BBEDIT, "remove prefix", Modify, "changes text"),
    (BBEDIT, "remove suffix", Modify, "changes text"),
    (BBEDIT, "remove prefix and suffix", Modify, "changes text"),
    (BBEDIT, "remove line numbers", Modify, "changes text"),
    (BBEDIT, "remove blank lines", Modify, "changes text"),
    (BBEDIT, "remove line breaks", Modify, "changes text"),
];

/// Codes that make a command harmless, or milder than its name suggests, each with its name. A script sends the name,
/// and the
/// running app decides what the name means. Another bundle with the same id may have a dictionary that gives the code
/// of `count` to `delete`, so a code under another name proves nothing.
///
/// # Source
/// The dictionaries of macOS and of 25 apps.
const CALLED: &[(&str, &str)] = &[
    ("coregetd", "get"),
    ("corecnte", "count"),
    ("coredoex", "exists"),
    ("coredsiz", "data size"),
    ("emaleafn", "extract name from"),
    ("emaleaua", "extract address from"),
    ("facolact", "attached scripts"),
    ("hookSrch", "search"),
    ("Itrmvarb", "variable"),
    ("THGSlocs", "get localized string"),
    ("OFOCFCCm", "complete"),
    ("OFOCFCst", "summarize clipped text"),
    ("DATASORT", "sort"),
    ("sysorpth", "path to resource"),
    ("earslfdr", "list folder"),
    ("earslvol", "list disks"),
    ("sysonfo4", "info for"),
    ("sysosigt", "system info"),
    ("sysogtvl", "get volume settings"),
    ("sysocpls", "scripting components"),
    ("sysolocS", "localized string"),
    ("JonsiClp", "clipboard info"),
    ("rdwrgeof", "get eof"),
    ("misccurd", "current date"),
    ("sysoGMT ", "time to GMT"),
    ("sysorand", "random number"),
    ("sysorond", "round"),
    ("sysocton", "ASCII number"),
    ("sysontoc", "ASCII character"),
    ("sysooffs", "offset"),
    ("aevtoapp", "run"),
    ("az00az46", "remove"),
    ("OFssremv", "remove"),
    ("OSssOScl", "clear"),
];

/// Commands that change nothing and yet need approval, because of what they read; each with its name.
pub(crate) const READS: &[(&str, &str)] = &[
    ("JonsgClp", "the clipboard"),
    ("rdwrread", "read"),
    ("fbcssumm", "summarize"),
    ("fndrgstl", "system attribute"),
];

/// Whether a command of Standard Additions only reads.
pub(super) fn only_reads(app: &str, name: &str, code: &str) -> bool {
    let is_it = |(known, called): &(&str, &str)| *known == code && names::key(called) == names::key(name);
    same_id(app, ADDITIONS) && READS.iter().any(is_it)
}

/// Whole words of a name that raise the level of an unknown command. None of them ever lowers a level.
const WORDS: &[(&str, &str)] = &[
    ("applescript", "runs a script"),
    ("clear", "erases something"),
    ("delete", "deletes something"),
    ("destroy", "deletes something"),
    ("discard", "discards something"),
    ("empty", "empties something"),
    ("erase", "erases something"),
    ("eval", "runs code"),
    ("evaluate", "runs code"),
    ("execute", "runs code"),
    ("javascript", "runs a script"),
    ("keystroke", "types keys"),
    ("kill", "quits something"),
    ("logout", "logs out"),
    ("publish", "sends something"),
    ("purge", "deletes something"),
    ("quit", "quits something"),
    ("reboot", "restarts something"),
    ("remove", "removes something"),
    ("restart", "restarts something"),
    ("revert", "discards unsaved changes"),
    ("run", "runs something"),
    ("script", "runs a script"),
    ("send", "sends something"),
    ("shell", "runs a shell command"),
    ("shutdown", "shuts something down"),
    ("terminate", "quits something"),
    ("trash", "deletes something"),
    ("uninstall", "removes something"),
    ("upload", "sends something"),
    ("wipe", "erases something"),
];

/// A name with one word of each list belongs to a command that runs any code that it gets.
const SHELL_VERBS: &[&str] = &["do", "eval", "evaluate", "execute", "invoke", "run", "trigger"];
const SHELL_NOUNS: &[&str] = &["command", "macro", "script", "shell", "shortcut", "workflow"];

/// Names that are always shells.
const SHELL_NAMES: &[&str] = &[
    "eval", "evaluate", "execute", "inputtext", "keycode", "keystroke", "sendkey", "sendkeys", "sendtext",
    "typekeys", "typetext",
];

/// The app, the class (including classes that inherit from it), and the effect of making an object of it.
const MAKES: &[Row] = &[
    (SYSTEM_EVENTS, "login item", Dangerous, "starts a program at every login"),
    (SYSTEM_EVENTS, "folder action", Shell, "makes a script run whenever a folder changes"),
    (SYSTEM_EVENTS, "script", Shell, "makes a script run whenever a folder changes"),
    ("com.apple.mail", "rule", Dangerous, "creates a rule for incoming mail"),
    ("com.apple.mail", "rule condition", Dangerous, "changes the scope of a rule for incoming mail"),
    ("com.apple.mail", "account", Dangerous, "makes an account"),
    ("com.apple.mail", "smtp server", Dangerous, "makes an account for sending"),
    ("com.apple.iCal", "open file alarm", Dangerous, "opens a file at a later time"),
    ("com.apple.iCal", "mail alarm", Dangerous, "sends at a later time"),
];

/// The app, the class (including classes that inherit from it), the property that is dangerous to write, and the
/// reason; an empty class means every class of the app.
const WRITES: &[(&str, &str, &str, &str)] = &[
    (SYSTEM_EVENTS, "", "value", "types into a control of an app, or changes a setting"),
    (SYSTEM_EVENTS, "", "selected", "presses a control of an app"),
    (SYSTEM_EVENTS, "folder action", "enabled", "makes a script run whenever a folder changes"),
    (SYSTEM_EVENTS, "script", "enabled", "makes a script run whenever a folder changes"),
    (SYSTEM_EVENTS, "application", "folder actions enabled", "lets scripts run when folders change"),
    (SYSTEM_EVENTS, "login item", "path", "starts a program at every login"),
    (SYSTEM_EVENTS, "security preferences object", "", "changes how the Mac is secured"),
    (SYSTEM_EVENTS, "user", "", "changes a user of the Mac"),
    ("com.apple.mail", "rule", "", "changes a rule for incoming mail"),
    ("com.apple.iCal", "open file alarm", "", "opens a file at a later time"),
    ("com.apple.iCal", "mail alarm", "", "sends at a later time"),
    ("com.apple.mail", "message", "deleted status", "deletes"),
    ("com.apple.mail", "rule condition", "", "changes which mail a rule acts on"),
    ("com.apple.mail", "account", "", "changes an account"),
    ("com.apple.mail", "smtp server", "", "changes an account for sending"),
];

/// Returns the entry of the tables for a command.
pub(super) fn command(app: &str, name: &str, code: &str) -> Option<Classified> {
    let tables = [BLOCKLIST, SAFELIST, ORDINARY];
    let rows = || tables.into_iter().flatten();
    let by_name = |row: &Row| !row.0.is_empty() && names::key(row.1) == names::key(name);
    let is_it = |row: &&Row| row.1 == code || by_name(row);
    let of_app = rows().find(|row| same_id(row.0, app) && is_it(row));
    let row = of_app.or_else(|| rows().find(|row| row.0.is_empty() && is_it(row)))?;
    let found = verdict(row.2, row.3);
    if by_name(row) || is_called(code, name) {
        return Some(found);
    }
    let other = Classified::new(Level::Modify, "is not known to be harmless under that name");
    Some(words(name).into_iter().fold(found.or_worse(other), Classified::or_worse))
}

/// Whether a code is known under a name.
fn is_called(code: &str, name: &str) -> bool {
    CALLED.iter().any(|(known, called)| *known == code && names::key(called) == names::key(name))
}

/// Returns the level that the words of a name suggest, if any.
pub(super) fn words(name: &str) -> Option<Classified> {
    let key = names::key(name);
    let words = names::split(name);
    let has = |word: &str| words.iter().any(|each| each == word);
    let shell = SHELL_NAMES.contains(&key.as_str())
        || (SHELL_VERBS.iter().any(|verb| has(verb)) && SHELL_NOUNS.iter().any(|noun| key.contains(noun)));
    if shell {
        return Some(Classified::shell("runs any code that it gets"));
    }
    let row = WORDS.iter().find(|(word, _)| has(word));
    row.map(|(_, why)| Classified::new(Level::Dangerous, why))
}

/// Returns the entry for making objects of a class.
pub(super) fn make(app: &str, terms: &Terms, class: &str) -> Option<Classified> {
    let rows = MAKES.iter().filter(|row| same_id(row.0, app) && terms.is_a(class, row.1));
    rows.map(|row| verdict(row.2, row.3)).reduce(Classified::or_worse)
}

/// Returns the entry for writing a property. If the class is unknown, it covers every class with that property.
pub(super) fn write(app: &str, terms: &Terms, class: &str, property: &str) -> Option<Classified> {
    let has = |row: &str| terms.0.as_ref().is_none_or(|terms| terms.property(row, property).is_some());
    let of_class = |row: &str| match (row, class) {
        ("", _) => true,
        (row, "") => has(row),
        (row, class) => terms.is_a(class, row),
    };
    let named = |row: &str| row.is_empty() || names::key(row) == names::key(property);
    let row = WRITES.iter().find(|row| same_id(row.0, app) && of_class(row.1) && named(row.2));
    row.map(|row| Classified::new(Level::Dangerous, row.3))
}

/// Names of commands. If a property has the same spelling in JavaScript as a command, a script that reads it calls the
/// command. In the dictionaries of macOS and of 25 apps, no property has this problem.
const CALLS: &[&str] = &[
    "activate", "close", "delete", "doscript", "dojavascript", "doshellscript", "duplicate", "emptytrash",
    "erase", "eval", "execute", "keycode", "keystroke", "launch", "logout", "make", "move", "open",
    "openlocation", "print", "quit", "remove", "restart", "revert", "run", "save", "send", "set", "shutdown",
    "sleep",
];

/// Returns the level of reading a property with the name of a command.
pub(super) fn read(property: &str) -> Option<Classified> {
    let key = names::key(property);
    let calls =
        || Classified::new(Level::Dangerous, "has the name of a command, so the app would run that command");
    CALLS.contains(&key.as_str()).then(|| words(property).into_iter().fold(calls(), Classified::or_worse))
}

fn verdict(verdict: Verdict, why: &'static str) -> Classified {
    match verdict {
        Safe => Classified::new(Level::Safe, why),
        Modify => Classified::new(Level::Modify, why),
        Dangerous => Classified::new(Level::Dangerous, why),
        Shell => Classified::shell(why),
    }
}
