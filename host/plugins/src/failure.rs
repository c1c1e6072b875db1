//! Why a call of a plugin has no answer.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use crate::PluginId;
use crate::invisible::{is_invisible, makes_emoji};

/// The error of a host function or of a plugin's tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fault {
    /// The code: one of the shared codes, or a plugin's own.
    pub code: String,
    /// The message.
    pub message: String,
    /// The suggestion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// Whether the same call may succeed later.
    #[serde(default)]
    pub retryable: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Json>,
}

impl Fault {
    /// Makes a fault that is not retryable.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            message: message.into(),
            suggestion: None,
            retryable: false,
            detail: None,
        }
    }

    /// Says what to do next.
    #[must_use]
    pub fn suggest(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }
}

/// A limit of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Bound {
    /// Time that the guest computes.
    Compute,
    /// Time from start to answer, except for a human.
    Wall,
    /// Bytes of linear memory.
    Memory,
    /// Elements of tables.
    Tables,
    /// Bytes of questions and answers.
    Traffic,
    /// Calls of host functions.
    HostCalls,
    LogLines,
    /// Bytes of the answer.
    Output,
}

impl Bound {
    pub fn name(self) -> &'static str {
        match self {
            Self::Compute => "compute time",
            Self::Wall => "time",
            Self::Memory => "memory",
            Self::Tables => "table elements",
            Self::Traffic => "bytes over the boundary",
            Self::HostCalls => "host calls",
            Self::LogLines => "log lines",
            Self::Output => "bytes of the answer",
        }
    }

    /// Returns the value of the limit, with its unit.
    pub(crate) fn at(self, most: usize) -> String {
        match self {
            Self::Memory | Self::Traffic | Self::Output => bytes(most),
            Self::Compute | Self::Wall | Self::Tables | Self::HostCalls | Self::LogLines => most.to_string(),
        }
    }

    /// Returns the option of `plugin limit` that raises it, with a placeholder for its value.
    fn option(self) -> Option<&'static str> {
        match self {
            Self::Compute => Some("--compute-ms MS"),
            Self::Wall => Some("--wall-ms MS"),
            Self::Memory => Some("--memory-mib MIB"),
            Self::Tables | Self::Traffic | Self::HostCalls | Self::LogLines | Self::Output => None,
        }
    }
}

/// Formats bytes in the largest unit that divides them.
fn bytes(bytes: usize) -> String {
    const KIB: usize = 1024;
    match bytes {
        0 => "0 bytes".to_owned(),
        _ if bytes.is_multiple_of(KIB * KIB) => format!("{} MiB", bytes / (KIB * KIB)),
        _ if bytes.is_multiple_of(KIB) => format!("{} KiB", bytes / KIB),
        _ => format!("{bytes} bytes"),
    }
}

/// Why and where a guest stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Crash {
    /// The engine's reason.
    pub reason: String,
    /// The functions of the guest that ran, the innermost first.
    pub place: Vec<String>,
    /// The last error that the guest itself wrote into the log: the message of a panic or the end of a traceback.
    pub said: Option<String>,
}

/// The guest's own words come first, because they name the cause. The quotes show that they are not the host's.
impl fmt::Display for Crash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.said {
            Some(said) => write!(out, "{said:?} ({})", self.reason)?,
            None => out.write_str(&self.reason)?,
        }
        match self.place.is_empty() {
            true => Ok(()),
            false => write!(out, ", in {}", self.place.join(" called by ")),
        }
    }
}

/// Why a call of a plugin has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Failure {
    /// The plugin returned an error of its own.
    #[error("{}", .0.message)]
    Fault(Fault),
    /// The plugin passed on an error that the host had returned in this call.
    #[error("{}", .0.message)]
    Passed(Fault),
    #[error("it exceeded the limit on {}, {limit}{}", bound.name(), quoted(said.as_deref()))]
    Stopped {
        bound: Bound,
        /// The limit, in words.
        limit: String,
        /// The guest's last error message when it got no memory: the end of a traceback.
        said: Option<String>,
    },
    #[error("it stopped with an error: {0}")]
    Trap(Crash),
    #[error("this computer does not have the memory for the call: {0}")]
    Starved(String),
    #[error("its answer is not a JSON object: {0}")]
    Malformed(String),
    #[error("its answer cannot be used: {0}")]
    Misfit(String),
    #[error("the call differs from the recording: {0}")]
    Diverged(String),
    #[error("it waits for a human's approval")]
    Suspended,
    #[error("the call was cancelled")]
    Cancelled,
    #[error("{0} of its calls already wait")]
    Busy(usize),
    #[error("it is quarantined: {reason}")]
    Quarantined {
        reason: String,
        /// Whether only this process knows of it, so that `plugin release` would find nothing to end.
        is_passing: bool,
    },
    /// The operator has not set a required setting.
    #[error("it cannot be called before these settings are set: {}", .0.join(", "))]
    Unset(Vec<String>),
    #[error("it is not compiled yet after {} s", .0.as_secs())]
    Compiling(Duration),
    /// The host could not begin the call.
    #[error("{0}")]
    Host(String),
}

impl Failure {
    /// Makes the failure for an exceeded time limit.
    pub(crate) fn slow(bound: Bound, limit: Duration) -> Self {
        Self::Stopped { bound, limit: format!("{} ms", limit.as_millis()), said: None }
    }

    /// Adds the guest's last message about its lack of memory. An earlier error of the guest would explain nothing.
    #[must_use]
    pub(crate) fn with(mut self, words: Option<String>) -> Self {
        if let Self::Stopped { bound: Bound::Memory, said, .. } = &mut self {
            *said = words.filter(|words| words.to_ascii_lowercase().contains("memory"));
        }
        self
    }

    /// Whether it counts towards quarantine: only what the guest itself does, not answers from others or their
    /// delays.
    pub fn is_crash(&self) -> bool {
        match self {
            Self::Stopped { bound, .. } => *bound != Bound::Wall,
            Self::Trap(_) | Self::Malformed(_) | Self::Misfit(_) => true,
            _ => false,
        }
    }

    /// Returns the error that the caller of the tool sees.
    pub fn body(&self, plugin: &PluginId) -> Json {
        let mut body = Map::new();
        body.insert("error".to_owned(), json!(self.code()));
        body.insert("message".to_owned(), json!(self.message(plugin)));
        if let Some(suggestion) = self.suggestion(plugin) {
            body.insert("suggestion".to_owned(), json!(suggestion));
        }
        body.insert("retryable".to_owned(), json!(self.retryable()));
        body.insert("plugin".to_owned(), json!(plugin.as_str()));
        match (self, self.detail()) {
            // The host's own fields are the same in every answer. The plugin's fields stay in `detail`, so they
            // cannot pass for the host's.
            (Self::Passed(_), Some(Json::Object(fields))) => {
                fields.into_iter().for_each(|(key, value)| {
                    body.entry(key).or_insert(value);
                });
            }
            (_, Some(detail)) => drop(body.insert("detail".to_owned(), detail)),
            (_, None) => {}
        }
        Json::Object(body)
    }

    /// Returns the error that the caller sees if the call had sent a change before; `is_made` if the server knows that
    /// one was made. Only the plugin knows what its scripts did, and a call that waits for a human is not over.
    pub fn body_after_change(&self, plugin: &PluginId, is_made: bool) -> Json {
        let mut body = self.body(plugin);
        let outcome = match self {
            Self::Suspended => return body,
            Self::Fault(_) | Self::Passed(_) if !is_made || body.get("outcome").is_some() => return body,
            Self::Fault(_) | Self::Passed(_) => "partial",
            _ => "unknown",
        };
        let later = self.suggestion(plugin).map(|text| format!("; {text}")).unwrap_or_default();
        let first = if outcome == "partial" { SOME_MADE } else { LOOK_FIRST };
        body["suggestion"] = json!(format!("{first}{later}"));
        body["retryable"] = json!(false);
        body["outcome"] = json!(outcome);
        body
    }

    fn code(&self) -> &str {
        match self {
            Self::Fault(fault) | Self::Passed(fault) if self.is_shared(&fault.code) => &fault.code,
            Self::Stopped { bound: Bound::Wall, .. } | Self::Compiling(_) => "timeout",
            Self::Cancelled => "cancelled",
            Self::Suspended => "permission_required",
            Self::Starved(_) | Self::Unset(_) => "unavailable",
            _ => "plugin_failed",
        }
    }

    fn message(&self, plugin: &PluginId) -> String {
        match self {
            Self::Fault(fault) => line(&fault.message, 1_000),
            Self::Passed(fault) => clean(&fault.message, 1_000),
            other => format!("plugin `{plugin}` failed: {other}"),
        }
    }

    fn suggestion(&self, plugin: &PluginId) -> Option<String> {
        match self {
            Self::Fault(fault) | Self::Passed(fault) => {
                let own = fault.suggestion.as_deref().map(|text| line(text, 1_000));
                own.or_else(|| (self.code() == "plugin_failed").then(|| ITS_OWN.to_owned()))
            }
            Self::Busy(_) => Some("call again after the earlier calls have been answered".to_owned()),
            Self::Compiling(_) => Some("compiling continues; call again in a minute".to_owned()),
            Self::Quarantined { is_passing: true, .. } => Some(
                "on this simulated Mac, the quarantine ends with this server: tell the user to restart it"
                    .to_owned(),
            ),
            Self::Quarantined { is_passing: false, .. } => {
                Some(format!("the operator can run `iac-mcp plugin release {plugin}`"))
            }
            Self::Stopped { bound, .. } => {
                let less = match bound {
                    Bound::Wall => "ask for less at once, or try later",
                    _ => "ask for less at once",
                };
                let raises = bound.option().map(|option| {
                    format!("; only the user can raise the limit: `iac-mcp plugin limit {plugin} {option}`")
                });
                Some(format!("{less}{}", raises.unwrap_or_default()))
            }
            Self::Trap(_) | Self::Malformed(_) | Self::Misfit(_) | Self::Diverged(_) => {
                Some("this is a bug in the plugin: tell the user, and try another way".to_owned())
            }
            Self::Host(_) => Some(format!(
                "tell the user: {plugin} may need a new installation, with `iac-mcp plugin update {plugin}`"
            )),
            Self::Unset(keys) => {
                let commands = keys.iter().map(|key| format!("`iac-mcp plugin set {plugin} {key} VALUE`"));
                let commands: Vec<String> = commands.collect();
                Some(format!("only the user can change this: {}", commands.join(" and ")))
            }
            Self::Starved(_) => Some("close other programs, or call again later".to_owned()),
            Self::Suspended | Self::Cancelled => None,
        }
    }

    fn retryable(&self) -> bool {
        match self {
            Self::Fault(fault) | Self::Passed(fault) => fault.retryable,
            other => matches!(other, Self::Busy(_) | Self::Cancelled | Self::Compiling(_) | Self::Starved(_)),
        }
    }

    /// Whether the answer may have this code as its own `error`. A plugin may pass on the host's codes about
    /// permissions, but not make them up.
    fn is_shared(&self, code: &str) -> bool {
        SHARED.contains(&code) && (matches!(self, Self::Passed(_)) || !is_hosts(code))
    }

    fn detail(&self) -> Option<Json> {
        let (Self::Fault(fault) | Self::Passed(fault)) = self else { return None };
        match (self.is_shared(&fault.code), &fault.detail) {
            (true, detail) => detail.clone(),
            (false, None) => Some(json!({"code": clean(&fault.code, 64)})),
            (false, Some(detail)) => Some(json!({"code": clean(&fault.code, 64), "detail": detail})),
        }
    }
}

/// Puts the guest's message in quotes, which show that it is not the host's.
fn quoted(said: Option<&str>) -> String {
    said.map(|said| format!(": {said:?}")).unwrap_or_default()
}

/// The suggestion after a change with an unknown outcome. The core uses the same words.
const LOOK_FIRST: &str = "check whether it happened before you try again";

/// The suggestion after a change that was made, if a later step failed.
const SOME_MADE: &str = "part of it was done: check the current state before you try again";

/// The suggestion for an error of the plugin's own kind, if the plugin gives none.
const ITS_OWN: &str = "this message comes from the plugin: ask it for something else, or tell the user";

/// The codes that a plugin may pass on or use as they are.
const SHARED: [&str; 23] = [
    "invalid_specifier",
    "invalid_parameter",
    "unknown_app",
    "unknown_command",
    "unknown_property",
    "unknown_element",
    "reference_invalid",
    "reference_moved",
    "app_not_found",
    "app_not_running",
    "permission_denied",
    "permission_required",
    "automation_not_authorized",
    "property_read_only",
    "type_mismatch",
    "timeout",
    "app_busy",
    "execution_failed",
    "result_too_large",
    "too_many_references",
    "cancelled",
    "unavailable",
    "internal",
];

/// Those of them that only the host can know.
const HOSTS: [&str; 4] =
    ["permission_denied", "permission_required", "automation_not_authorized", "internal"];

/// Tells whether only the host can know that a code is true.
pub(crate) fn is_hosts(code: &str) -> bool {
    HOSTS.contains(&code)
}

/// Turns a plugin's text into one line that is safe to show. A line break would let the rest look like a line of the
/// host.
pub(crate) fn line(text: &str, most: usize) -> String {
    let parts = text.split(['\n', '\r', '\u{2028}', '\u{2029}', '\u{b}', '\u{c}', '\u{85}']).map(str::trim);
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    clean(&parts.join(" "), most)
}

/// Makes a plugin's text safe to show: removes control and bidirectional characters, and cuts it after `most`
/// characters.
pub(crate) fn clean(text: &str, most: usize) -> String {
    let shown = |c: &char| (!c.is_control() || *c == '\n') && !is_invisible(*c);
    text.chars().filter(shown).take(most).collect()
}

/// Tells whether a character is invisible or changes how the text around it reads.
pub(crate) fn hides(c: char) -> bool {
    c.is_control() || is_invisible(c)
}

/// Finds the first invisible character in a text of several lines.
pub(crate) fn hidden(text: &str) -> Option<char> {
    text.chars().find(|c| hides(*c) && !matches!(c, '\n' | '\t'))
}

/// Finds the first invisible character in a text for people and models, and its line. Emoji are allowed.
pub(crate) fn hidden_in_prose(text: &str) -> Option<(char, usize)> {
    let hides_here = |(at, c): &(usize, char)| {
        hides(*c) && !matches!(c, '\n' | '\t') && !makes_emoji(*c, &text[..*at], &text[at + c.len_utf8()..])
    };
    let (at, hidden) = text.char_indices().find(hides_here)?;
    Some((hidden, text[..at].matches('\n').count() + 1))
}

/// Finds the plugin's last message about why it ended. A Rust panic counts from its first line on, because a panic of
/// a script engine has several lines. If Python's engine panics, the innermost frame and the exception before it say
/// more.
pub(crate) fn cause<'a>(errors: impl Iterator<Item = &'a str>) -> Option<String> {
    let errors: Vec<&str> =
        errors.filter(|said| !said.contains("RUST_BACKTRACE=1")).filter_map(without_addresses).collect();
    let last = |mark: &str| errors.iter().rposition(|said| said.contains(mark));
    let trace = last("Traceback (most recent call last)").and(last("File \""));
    let said = match (trace, last("panicked at ")) {
        (Some(frame), Some(panic)) if frame < panic => &errors[frame..panic],
        (_, Some(panic)) => &errors[panic..],
        _ => &errors[errors.len().checked_sub(1)?..],
    };
    Some(said.join(" "))
}

/// Skips lines with addresses. When Python is out of memory, it writes an exception in five lines, and only one
/// has its name.
fn without_addresses(said: &str) -> Option<&str> {
    const EMPTY: [&str; 5] = [
        "object address  :", "object refcount :", "object type     :", "object repr     :", "lost sys.stderr",
    ];
    match said.strip_prefix("object type name: ") {
        Some(name) => Some(name),
        None => (!EMPTY.iter().any(|empty| said.starts_with(empty))).then_some(said),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(failure: Failure, expected: &Json) {
        let id: PluginId = "demo".parse().expect("the test's own id");
        assert_eq!(&failure.body(&id), expected);
    }

    #[test]
    fn failures_are_errors_that_teach() {
        check(
            Failure::Fault(Fault::new("unknown_app", "no app `x`")),
            &json!({"error": "unknown_app", "message": "no app `x`", "retryable": false, "plugin": "demo"}),
        );
        check(
            Failure::Fault(Fault {
                detail: Some(json!({"n": 1})),
                ..Fault::new("no-tasks", "nothing\u{202e} to do\u{1b}[2J")
            }),
            &json!({"error": "plugin_failed", "message": "nothing to do[2J",
                "suggestion": "this message comes from the plugin: ask it for something else, or tell the user", "retryable": false, "plugin": "demo",
                "detail": {"code": "no-tasks", "detail": {"n": 1}}}),
        );
        let told = Fault {
            detail: Some(json!({"requiresPrompt": true, "policyLine": "{ … }", "message": "no"})),
            ..Fault::new("permission_required", "ask")
        };
        check(
            Failure::Passed(told.clone()),
            &json!({"error": "permission_required", "message": "ask", "retryable": false, "plugin": "demo",
                "requiresPrompt": true, "policyLine": "{ … }"}),
        );
        check(
            Failure::Fault(told),
            &json!({"error": "plugin_failed", "message": "ask", "suggestion": ITS_OWN, "retryable": false,
                "plugin": "demo", "detail": {"code": "permission_required",
                    "detail": {"requiresPrompt": true, "policyLine": "{ … }", "message": "no"}}}),
        );
        check(
            Failure::slow(Bound::Compute, Duration::from_millis(20)),
            &json!({"error": "plugin_failed", "message": "plugin `demo` failed: it exceeded the limit on compute time, 20 ms",
                "suggestion": "ask for less at once; only the user can raise the limit: `iac-mcp plugin limit demo --compute-ms MS`",
                "retryable": false, "plugin": "demo"}),
        );
        check(
            Failure::Stopped { bound: Bound::Memory, limit: Bound::Memory.at(64 * 1024 * 1024), said: None },
            &json!({"error": "plugin_failed", "message": "plugin `demo` failed: it exceeded the limit on memory, 64 MiB",
                "suggestion": "ask for less at once; only the user can raise the limit: `iac-mcp plugin limit demo --memory-mib MIB`",
                "retryable": false, "plugin": "demo"}),
        );
        check(
            Failure::Stopped { bound: Bound::HostCalls, limit: Bound::HostCalls.at(1_000), said: None },
            &json!({"error": "plugin_failed", "message": "plugin `demo` failed: it exceeded the limit on host calls, 1000",
                "suggestion": "ask for less at once", "retryable": false, "plugin": "demo"}),
        );
        check(
            Failure::Quarantined { reason: "3 failures in 10 minutes".to_owned(), is_passing: false },
            &json!({"error": "plugin_failed", "message": "plugin `demo` failed: it is quarantined: 3 failures in 10 minutes",
                "suggestion": "the operator can run `iac-mcp plugin release demo`", "retryable": false, "plugin": "demo"}),
        );
    }

    #[test]
    fn a_change_before_the_end_has_an_unknown_outcome() {
        let check = |failure: Failure, expected: &Json| {
            let id: PluginId = "demo".parse().expect("the test's own id");
            assert_eq!(&failure.body_after_change(&id, true), expected);
        };
        let fault = Fault::new("app_not_running", "Notes:\nit is not running").suggest("start\nit");
        let mut body = json!({"error": "app_not_running", "message": "Notes: it is not running",
            "suggestion": "part of it was done: check the current state before you try again; start it",
            "retryable": false, "outcome": "partial", "plugin": "demo"});
        check(Failure::Fault(fault.clone()), &body);
        // The host has said how the change ended.
        let unknown = Fault { detail: Some(json!({"outcome": "unknown"})), ..fault.clone() };
        let told = Failure::Passed(unknown);
        check(told.clone(), &told.body(&"demo".parse().expect("the test's own id")));
        // Only the plugin knows what its scripts did.
        body["suggestion"] = json!("start it");
        body.as_object_mut().expect("an object").remove("outcome");
        let failure = Failure::Fault(fault);
        assert_eq!(failure.body_after_change(&"demo".parse().expect("the test's own id"), false), body);
        check(
            Failure::slow(Bound::Wall, Duration::from_mins(1)),
            &json!({"error": "timeout", "message": "plugin `demo` failed: it exceeded the limit on time, 60000 ms",
                "suggestion": "check whether it happened before you try again; ask for less at once, or try later; only the user can raise the limit: `iac-mcp plugin limit demo --wall-ms MS`",
                "retryable": false, "outcome": "unknown", "plugin": "demo"}),
        );
        check(
            Failure::Cancelled,
            &json!({"error": "cancelled", "message": "plugin `demo` failed: the call was cancelled",
                "suggestion": "check whether it happened before you try again",
                "retryable": false, "outcome": "unknown", "plugin": "demo"}),
        );
    }

    #[test]
    fn what_a_guest_says_of_its_memory_is_told() {
        let stopped = |bound: Bound| Failure::Stopped { bound, limit: bound.at(1_000), said: None };
        let check = |bound: Bound, said: Option<&str>, expected: &str| {
            assert_eq!(stopped(bound).with(said.map(str::to_owned)).to_string(), expected);
        };
        let place = "File \"/0/app.py\", line 2, in f MemoryError";
        let memory = "it exceeded the limit on memory, 1000 bytes";
        check(Bound::Memory, Some(place), &format!("{memory}: {place:?}"));
        check(Bound::Memory, Some("earlier"), memory);
        check(Bound::Memory, None, memory);
        check(Bound::Tables, Some(place), "it exceeded the limit on table elements, 1000");
    }

    #[test]
    fn no_character_of_a_text_hides() {
        for letter in ['\u{3164}', '\u{115f}', '\u{ad}', '\u{2800}', '\u{fe0f}', '\u{e0101}'] {
            assert_eq!(hidden(&format!("a\n{letter}b")), Some(letter), "{letter:?}");
            assert_eq!(hidden_in_prose(&format!("a\n{letter}b")), Some((letter, 2)), "{letter:?}");
        }
        assert_eq!(hidden("plain\n\ttext, größer 日本語"), None);
        assert_eq!(hidden_in_prose("plain\n\t⚠️ text, größer 日本語, 1️⃣"), None);
        for bad in ["⚠\u{fe0f}\u{fe0f}", " \u{fe0f}", "\u{fe0f}", "\u{200b}\u{fe0f}", "⚠\u{fe0e}"] {
            assert!(hidden_in_prose(bad).is_some(), "{bad:?}");
        }
    }

    #[test]
    fn bytes_are_shown_in_a_unit_that_loses_none() {
        let check = |given: usize, expected: &str| assert_eq!(bytes(given), expected);
        check(64 * 1024 * 1024, "64 MiB");
        check(1536 * 1024, "1536 KiB");
        check(1_000, "1000 bytes");
        check(0, "0 bytes");
    }

    #[test]
    fn the_cause_is_what_was_said_last() {
        let check = |errors: &[&str], expected: Option<&str>| {
            assert_eq!(cause(errors.iter().copied()).as_deref(), expected, "{errors:?}");
        };
        check(&[], None);
        check(&["Traceback", "ValueError: no"], Some("ValueError: no"));
        check(&["earlier", "panicked at src/lib.rs:1:2: no"], Some("panicked at src/lib.rs:1:2: no"));
        let note = "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace";
        let script =
            ["thread panicked at engine.rs:5:3:", "Exception {", "message: no", "at /plugin.js:2 })", note];
        check(&script, Some("thread panicked at engine.rs:5:3: Exception { message: no at /plugin.js:2 })"));
        check(&[note], None);
        let python =
            ["Traceback (most recent call last):", "File \"/0/app.py\", line 2, in f", "ValueError: no"];
        let engine =
            ["thread panicked at runtime.rs:1:2:", "Python function threw an unexpected exception", note];
        let both = [python.as_slice(), engine.as_slice()].concat();
        check(&both, Some("File \"/0/app.py\", line 2, in f ValueError: no"));
        let poor = [
            &python[..2],
            &["object address  : 0x481598", "object refcount : 2", "object type     : 0x373230"],
            &["object type name: MemoryError", "object repr     : MemoryError()", "lost sys.stderr"],
            engine.as_slice(),
        ];
        check(&poor.concat(), Some("File \"/0/app.py\", line 2, in f MemoryError"));
    }
}
