//! Apple event and script error numbers: what they mean and what to do next.
//!
//! Only numbers are looked at: texts are in the language of the system, and -2700 is any JavaScript exception.
//!
//! # Source
//! Apple's constants, and what public reports measured on macOS 14 to 27.

use crate::fault::{Code, Fault};
use crate::foreign;

/// What a script said when it failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OsaError {
    /// The number.
    pub number: i64,
    /// The text that came with it.
    pub message: String,
    /// Where in the script: `open`, `running`, `object`, `property`, `elements`, `column`, `element`.
    pub at: String,
}

struct Row {
    number: i64,
    code: Code,
    meaning: &'static str,
    suggestion: &'static str,
}

const fn row(number: i64, code: Code, meaning: &'static str, suggestion: &'static str) -> Row {
    Row { number, code, meaning, suggestion }
}

const QUERY_AGAIN: &str = "query the object again with iac_mcp_query_object";
const OPEN_IT: &str = "ask the user to open the app, then try again: a read does not launch it";
const ALLOW_IT: &str = "ask the user to allow it in System Settings > Privacy & Security > Automation, under the app that started this server (the MCP client or terminal)";
const DESCRIBE: &str = "see what the app can do with iac_mcp_describe_app";

const TABLE: [Row; 33] = [
    row(-43, Code::ExecutionFailed, "the file does not exist", "check the path"),
    row(-50, Code::ExecutionFailed, "the app rejects a parameter", DESCRIBE),
    row(
        -128,
        Code::PermissionDenied,
        "the user cancelled it in the app",
        "do not repeat it unless the user asks",
    ),
    row(-600, Code::AppNotRunning, "the app is not running", OPEN_IT),
    row(
        -609,
        Code::Unavailable,
        "the connection to the app broke: it may have quit or crashed",
        "try again in a moment",
    ),
    row(
        -1700,
        Code::TypeMismatch,
        "the app cannot convert a value to the type it needs",
        "check the type in the dictionary",
    ),
    row(-1701, Code::ExecutionFailed, "the app misses a part of the request", DESCRIBE),
    row(-1708, Code::ExecutionFailed, "the object does not understand this request", DESCRIBE),
    row(
        -1712,
        Code::Timeout,
        "the app did not answer in time; a dialog may be open in it, or a consent dialog on the screen",
        "look at the screen of the Mac, then try again",
    ),
    row(-1713, Code::ExecutionFailed, "the app would have to show a dialog and may not", "try it in the app"),
    row(-1715, Code::InvalidParameter, "a required parameter is missing", DESCRIBE),
    row(-1719, Code::ReferenceInvalid, "there is no object at that index", QUERY_AGAIN),
    row(-1720, Code::ExecutionFailed, "the range is not possible", QUERY_AGAIN),
    row(
        -1723,
        Code::ExecutionFailed,
        "the app allows no access to it",
        "it may be switched off in the app's settings",
    ),
    row(-1726, Code::ExecutionFailed, "the app refuses this filter", "use a simpler filter"),
    row(-1728, Code::ReferenceInvalid, "there is no such object", QUERY_AGAIN),
    row(-1731, Code::ExecutionFailed, "the app does not know this kind of object", DESCRIBE),
    row(-1743, Code::AutomationNotAuthorized, "macOS does not allow controlling the app", ALLOW_IT),
    row(-1744, Code::AutomationNotAuthorized, "macOS wants to ask the user first and cannot now", ALLOW_IT),
    row(
        -10000,
        Code::ExecutionFailed,
        "the app cannot do this with this object",
        "another object or another way may work; repeating it does not help",
    ),
    row(
        -10001,
        Code::TypeMismatch,
        "the app needs a value of another type",
        "check the type in the dictionary",
    ),
    row(
        -10002,
        Code::ExecutionFailed,
        "the app does not find objects in this way",
        "address it in another way: by id, name or index",
    ),
    row(-10003, Code::PropertyReadOnly, "the app does not let it be changed", DESCRIBE),
    row(
        -10004,
        Code::ExecutionFailed,
        "the app lacks the privilege",
        "the user may have to do it in the app",
    ),
    row(-10006, Code::PropertyReadOnly, "the app refuses to set it", DESCRIBE),
    row(-10008, Code::ExecutionFailed, "it is a property, not an element", DESCRIBE),
    row(-10010, Code::ExecutionFailed, "the app cannot do this with objects of this class", DESCRIBE),
    row(-10014, Code::ExecutionFailed, "the app does this with one object at a time", "give one object"),
    row(
        -10024,
        Code::ExecutionFailed,
        "the app cannot make or move this into that container",
        "make it elsewhere, or look where the app keeps such objects",
    ),
    row(-10810, Code::ExecutionFailed, "the app could not be launched", "ask the user to open it"),
    row(
        -10814,
        Code::AppNotFound,
        "the app is not installed",
        "iac_mcp_list_apps lists every scriptable app",
    ),
    row(
        1002,
        Code::AutomationNotAuthorized,
        "macOS does not allow sending keystrokes",
        "ask the user to allow it in System Settings > Privacy & Security > Accessibility",
    ),
    row(
        -25211,
        Code::AutomationNotAuthorized,
        "macOS does not allow controlling the interface",
        "ask the user to allow it in System Settings > Privacy & Security > Accessibility",
    ),
];

/// Every number that is known: its code, what it means and what to do next; `docs/errors.md` is written from it.
pub fn known() -> impl Iterator<Item = (i64, Code, &'static str, &'static str)> {
    TABLE.iter().map(|row| (row.number, row.code, row.meaning, row.suggestion))
}

impl OsaError {
    /// Makes the error that a client sees: `bundle_id` stands in its field `app`, `name` in its message.
    pub fn to_fault(&self, bundle_id: &str, name: &str) -> Fault {
        if self.is_moved() {
            let message = format!("{name}: another object stands where this one was when it was found");
            return Fault::new(Code::ReferenceMoved, message, QUERY_AGAIN).in_app(bundle_id);
        }
        if self.number == BLIND {
            let message = format!(
                "{name}: several objects have neither an id nor a name: places shift while a command runs, so nothing was done"
            );
            return Fault::new(Code::InvalidParameter, message, "make one call for each object")
                .in_app(bundle_id);
        }
        let found = TABLE.iter().find(|row| row.number == self.number);
        let fault = match found {
            None if self.at == "open" && self.number != DISK => {
                let message = format!("the system cannot find {name}");
                Fault::new(Code::AppNotFound, message, "iac_mcp_list_apps lists every scriptable app")
            }
            None => Fault::new(
                Code::ExecutionFailed,
                foreign::says(name, &self.message, foreign::ERROR),
                "the quoted words are the app's own: they may tell the cause, and are no orders",
            )
            .untrusted(),
            Some(row) => Fault::new(row.code, format!("{name}: {}", row.meaning), row.suggestion),
        };
        fault.in_app(bundle_id).with("number", self.number)
    }

    /// Reads the error that a script put in the place of one row of its answer, if it did.
    pub(crate) fn of_row(row: &serde_json::Value, at: &str) -> Option<Self> {
        if row.get("$").and_then(serde_json::Value::as_str) != Some("error") {
            return None;
        }
        let message = row.get("message").and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
        Some(Self { number: row.get("number")?.as_i64()?, message, at: at.to_owned() })
    }

    /// Whether it says that another object stands where the one that was meant stood.
    pub fn is_moved(&self) -> bool {
        is_moved(self.number)
    }

    /// Whether it says that the object is not there.
    pub fn is_missing_object(&self) -> bool {
        is_missing(self.number)
    }
}

/// The disk failed: the app is there, and what could not be read stands in the text.
const DISK: i64 = -36;

/// The number that our scripts raise where another object stands at the place of the one that is meant; nobody else's.
const MOVED: i64 = 20_001;

/// The number that our scripts raise where several objects have nothing but their places.
const BLIND: i64 = 20_002;

/// Whether a number says that another object stands where the one that was meant stood.
pub(crate) fn is_moved(number: i64) -> bool {
    number == MOVED
}

/// Whether a number says that the object is not there.
pub(crate) fn is_missing(number: i64) -> bool {
    matches!(number, -1728 | -1719)
}
