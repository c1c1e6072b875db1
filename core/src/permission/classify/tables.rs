//! What is known of commands, classes and properties, as data.
//!
//! # Source
//! The dictionaries of the apps; each row was decided by reading what the command says it does.

use super::{Classified, Level};
use crate::dictionary::names;

#[derive(Clone, Copy)]
enum Verdict {
    Safe,
    Modify,
    Dangerous,
    Shell,
}

use Verdict::{Dangerous, Modify, Safe, Shell};

/// The app (a bundle id, or empty for every app), the command by its code or by its name, what it is, and why.
type Row = (&'static str, &'static str, Verdict, &'static str);

const ADDITIONS: &str = crate::app::STANDARD_ADDITIONS;
const SYSTEM_EVENTS: &str = "com.apple.systemevents";
const FINDER: &str = "com.apple.finder";
const BBEDIT: &str = "com.barebones.bbedit";
const TERMINALS: [&str; 2] = ["com.apple.Terminal", "com.googlecode.iterm2"];
const OMNIFOCUS: [&str; 2] = ["com.omnigroup.OmniFocus4", "com.omnigroup.OmniFocus3"];

/// What is known to do no harm in every app: it only answers.
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
    (ADDITIONS, "earsffdr", Safe, "reads a path"),
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
    (ADDITIONS, "fbcssumm", Safe, "computes from its argument"),
];

/// What is a shell, or cannot be taken back. Codes are the same in every app that has the command.
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
    ("", "prcsclic", Shell, "clicks"),
    ("", "prcsperf", Shell, "presses a control of an app"),
    ("", "prcspick", Shell, "presses a control of an app"),
    ("", "prcscnfm", Shell, "presses a control of an app"),
    ("", "facoatfa", Shell, "makes a script run whenever a folder changes"),
    ("", "facofola", Shell, "runs a script"),
    ("", "coredelo", Dangerous, "deletes"),
    ("", "aevtquit", Dangerous, "quits the app"),
    ("", "miscrvrt", Dangerous, "discards unsaved changes"),
    ("", "emsgsend", Dangerous, "sends"),
    ("", "ichtsend", Dangerous, "sends"),
    ("", "emalbcms", Dangerous, "sends"),
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
    (BBEDIT, "apply text factory", Dangerous, "may run scripts that the factory names"),
    (BBEDIT, "update", Dangerous, "may run scripts that the files include"),
    (BBEDIT, "sleep", Dangerous, "quits the app"),
    (BBEDIT, "clear undo history", Dangerous, "makes changes impossible to take back"),
];

/// What the words of the name would raise although it can be taken back, and what deserves its reason.
const ORDINARY: &[Row] = &[
    ("", "aevtoapp", Modify, "launches the app"),
    ("", "coresetd", Modify, "changes"),
    ("", "corecrel", Modify, "makes"),
    ("", "coreclon", Modify, "copies"),
    ("", "coremove", Modify, "moves"),
    ("", "coresave", Modify, "writes a file"),
    ("", "coreclos", Modify, "closes"),
    ("", "aevtodoc", Modify, "opens"),
    ("", "aevtpdoc", Modify, "prints"),
    ("", "miscactv", Modify, "brings the app to the front"),
    ("", "GURLGURL", Modify, "opens an address"),
    ("", "az00az46", Modify, "takes a person out of a group"),
    ("", "OFssremv", Modify, "takes an object out of a selection"),
    ("", "OSssOScl", Modify, "resets a style"),
    ("", "sedscmpl", Modify, "compiles, without running"),
    (ADDITIONS, "rdwrread", Modify, "reads any file, beyond what apps hold"),
    (ADDITIONS, "JonsgClp", Modify, "reads the clipboard, which may hold a password"),
    (ADDITIONS, "fndrgstl", Modify, "reads the environment, which may hold a password"),
    (BBEDIT, "remove prefix", Modify, "changes text"),
    (BBEDIT, "remove suffix", Modify, "changes text"),
    (BBEDIT, "remove prefix and suffix", Modify, "changes text"),
    (BBEDIT, "remove line numbers", Modify, "changes text"),
    (BBEDIT, "remove blank lines", Modify, "changes text"),
    (BBEDIT, "remove line breaks", Modify, "changes text"),
];

/// Whole words of a name that raise what no table knows. None of them ever lowers a level.
const WORDS: &[(&str, &str)] = &[
    ("applescript", "runs a script"),
    ("clear", "erases"),
    ("delete", "deletes"),
    ("destroy", "deletes"),
    ("discard", "discards"),
    ("empty", "empties"),
    ("erase", "erases"),
    ("eval", "runs code"),
    ("evaluate", "runs code"),
    ("execute", "runs code"),
    ("javascript", "runs a script"),
    ("keystroke", "types keys"),
    ("kill", "quits"),
    ("logout", "logs out"),
    ("publish", "sends"),
    ("purge", "deletes"),
    ("quit", "quits"),
    ("reboot", "restarts"),
    ("remove", "removes"),
    ("restart", "restarts"),
    ("revert", "discards unsaved changes"),
    ("run", "runs something"),
    ("script", "runs a script"),
    ("send", "sends"),
    ("shell", "runs a shell command"),
    ("shutdown", "shuts down"),
    ("terminate", "quits"),
    ("trash", "deletes"),
    ("uninstall", "removes"),
    ("upload", "sends"),
    ("wipe", "erases"),
];

/// A name that has one of each runs whatever it is given.
const SHELL_VERBS: &[&str] = &["do", "eval", "evaluate", "execute", "invoke", "run", "trigger"];
const SHELL_NOUNS: &[&str] =
    &["applescript", "command", "javascript", "macro", "script", "shell", "shortcut", "workflow"];

/// Names that are shells as they stand.
const SHELL_NAMES: &[&str] = &[
    "eval",
    "evaluate",
    "execute",
    "inputtext",
    "keycode",
    "keystroke",
    "sendkey",
    "sendkeys",
    "sendtext",
    "typekeys",
    "typetext",
];

/// The app, the class by its name, and what making an object of it does.
const MAKES: &[Row] = &[
    (SYSTEM_EVENTS, "login item", Dangerous, "makes something start at every login"),
    (SYSTEM_EVENTS, "folder action", Shell, "makes a script run whenever a folder changes"),
    (SYSTEM_EVENTS, "script", Shell, "makes a script run whenever a folder changes"),
    ("com.apple.mail", "rule", Dangerous, "makes a rule that acts on mail to come"),
    ("com.apple.mail", "signature", Modify, "makes a signature"),
    ("com.apple.iCal", "open file alarm", Dangerous, "opens a file at a later time"),
    ("com.apple.iCal", "mail alarm", Dangerous, "sends at a later time"),
    (OMNIFOCUS[0], "preference", Modify, "changes a setting"),
];

/// The app, the class, the property, what writing it does, and why; an empty class is every class of the app.
const WRITES: &[(&str, &str, &str, Verdict, &str)] = &[
    (SYSTEM_EVENTS, "", "value", Dangerous, "types into a control of an app, or changes a setting"),
    (SYSTEM_EVENTS, "", "selected", Dangerous, "presses a control of an app"),
    (SYSTEM_EVENTS, "folder action", "enabled", Dangerous, "makes a script run whenever a folder changes"),
    (SYSTEM_EVENTS, "script", "enabled", Dangerous, "makes a script run whenever a folder changes"),
    (
        SYSTEM_EVENTS,
        "application",
        "folder actions enabled",
        Dangerous,
        "lets scripts run when folders change",
    ),
    (SYSTEM_EVENTS, "login item", "path", Dangerous, "makes something start at every login"),
    (SYSTEM_EVENTS, "security preferences object", "", Dangerous, "changes how the Mac is secured"),
    (SYSTEM_EVENTS, "user", "", Dangerous, "changes a user of the Mac"),
    ("com.apple.mail", "rule", "", Dangerous, "changes a rule that acts on mail to come"),
    ("com.apple.iCal", "open file alarm", "", Dangerous, "opens a file at a later time"),
    ("com.apple.iCal", "mail alarm", "", Dangerous, "sends at a later time"),
    ("com.apple.mail", "account", "", Dangerous, "changes an account"),
];

/// Returns what the tables know of a command.
pub(super) fn command(app: &str, name: &str, code: &str) -> Option<Classified> {
    let tables = [BLOCKLIST, SAFELIST, ORDINARY];
    let rows = || tables.into_iter().flatten();
    let is_it = |row: &&Row| row.1 == code || (!row.0.is_empty() && names::key(row.1) == names::key(name));
    let of_app = rows().find(|row| row.0 == app && is_it(row));
    of_app.or_else(|| rows().find(|row| row.0.is_empty() && is_it(row))).map(|row| verdict(row.2, row.3))
}

/// Returns what the words of a name say, if they say anything.
pub(super) fn words(name: &str) -> Option<Classified> {
    let key = names::key(name);
    let words = split(name);
    let has = |word: &str| words.iter().any(|each| each == word);
    let shell = SHELL_NAMES.contains(&key.as_str())
        || (SHELL_VERBS.iter().any(|verb| has(verb)) && SHELL_NOUNS.iter().any(|noun| key.contains(noun)));
    if shell {
        return Some(Classified::shell("runs whatever it is given"));
    }
    let row = WORDS.iter().find(|(word, _)| has(word));
    row.map(|(_, why)| Classified::new(Level::Dangerous, why))
}

/// Returns what is known of making objects of a class.
pub(super) fn make(app: &str, class: &str) -> Option<Classified> {
    let row = MAKES.iter().find(|row| row.0 == app && names::key(row.1) == names::key(class))?;
    Some(verdict(row.2, row.3))
}

/// Returns what is known of writing a property.
pub(super) fn write(app: &str, class: &str, property: &str) -> Option<Classified> {
    let alike = |row: &str, wanted: &str| row.is_empty() || names::key(row) == names::key(wanted);
    let row = WRITES.iter().find(|row| row.0 == app && alike(row.1, class) && alike(row.2, property))?;
    Some(verdict(row.3, row.4))
}

fn verdict(verdict: Verdict, why: &'static str) -> Classified {
    match verdict {
        Safe => Classified::new(Level::Safe, why),
        Modify => Classified::new(Level::Modify, why),
        Dangerous => Classified::new(Level::Dangerous, why),
        Shell => Classified::shell(why),
    }
}

/// Splits `emptyTrash`, `empty_trash` and `empty trash` alike, lower-cased.
fn split(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before_lower = false;
    for c in name.chars() {
        let begins = !c.is_alphanumeric() || (before_lower && c.is_uppercase());
        if begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        before_lower = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}
