//! Errors as a client sees them: one table of codes, one shape.

use serde_json::{Map, Value as Json, json};

/// The kind of error, with the code in `error`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Code {
    /// The specifier is not of a form that is known.
    InvalidSpecifier,
    /// An argument is missing, unknown or of the wrong kind.
    InvalidParameter,
    /// No installed app has that name or bundle id.
    UnknownApp,
    /// The app's dictionary has no such command.
    UnknownCommand,
    /// The class has no such property.
    UnknownProperty,
    /// The class has no such element.
    UnknownElement,
    /// The reference was never issued, is too old, or its object is gone.
    ReferenceInvalid,
    /// Another object is now where the reference points.
    ReferenceMoved,
    /// The system cannot find the app.
    AppNotFound,
    /// The app is not running and a read does not launch it.
    AppNotRunning,
    /// A human or the policy said no.
    PermissionDenied,
    /// No human could be asked.
    PermissionRequired,
    /// macOS does not let this process control the app.
    AutomationNotAuthorized,
    /// The property can only be read.
    PropertyReadOnly,
    /// A value is of another type than the dictionary wants.
    TypeMismatch,
    /// The app did not answer in time.
    Timeout,
    /// The app still works on an earlier call.
    AppBusy,
    /// The app refused.
    ExecutionFailed,
    /// The answer is larger than may be sent.
    ResultTooLarge,
    /// No more references can be held.
    TooManyReferences,
    /// The client cancelled the call.
    Cancelled,
    /// A plugin failed.
    PluginFailed,
    /// Something that the call needs is not available.
    Unavailable,
    /// A fault of this server.
    Internal,
}

struct Row {
    code: Code,
    name: &'static str,
    retryable: bool,
    cause: &'static str,
}

const fn row(code: Code, name: &'static str, retryable: bool, cause: &'static str) -> Row {
    Row { code, name, retryable, cause }
}

/// One row for each code. A test generates `docs/errors.md` from this table.
const TABLE: [Row; 24] = [
    row(Code::InvalidSpecifier, "invalid_specifier", false, "the specifier has no known form"),
    row(
        Code::InvalidParameter,
        "invalid_parameter",
        false,
        "an argument is missing, unknown or of the wrong kind",
    ),
    row(Code::UnknownApp, "unknown_app", false, "no installed scriptable app has that name or bundle id"),
    row(Code::UnknownCommand, "unknown_command", false, "the app's dictionary has no such command"),
    row(Code::UnknownProperty, "unknown_property", false, "the class has no such property"),
    row(Code::UnknownElement, "unknown_element", false, "the class has no such element"),
    row(
        Code::ReferenceInvalid,
        "reference_invalid",
        false,
        "the reference was never issued, is too old, or its object is gone",
    ),
    row(Code::ReferenceMoved, "reference_moved", false, "another object is now where the reference points"),
    row(Code::AppNotFound, "app_not_found", false, "the system cannot find the app"),
    row(
        Code::AppNotRunning,
        "app_not_running",
        true,
        "the app is not running, and the server was not allowed to open it",
    ),
    row(Code::PermissionDenied, "permission_denied", false, "a human or the policy refused the call"),
    row(
        Code::PermissionRequired,
        "permission_required",
        false,
        "the call needs a human's approval, and no one could be asked",
    ),
    row(
        Code::AutomationNotAuthorized,
        "automation_not_authorized",
        false,
        "macOS does not let this process control the app",
    ),
    row(Code::PropertyReadOnly, "property_read_only", false, "the property can only be read"),
    row(
        Code::TypeMismatch,
        "type_mismatch",
        false,
        "a value does not have the type that the dictionary requires",
    ),
    row(Code::Timeout, "timeout", true, "the app did not answer in time"),
    row(Code::AppBusy, "app_busy", true, "the app still works on an earlier call"),
    row(Code::ExecutionFailed, "execution_failed", false, "the app refused the request"),
    row(Code::ResultTooLarge, "result_too_large", false, "the answer exceeds the size limit"),
    row(Code::TooManyReferences, "too_many_references", false, "the server holds too many references"),
    row(Code::Cancelled, "cancelled", true, "the client cancelled the call"),
    row(Code::PluginFailed, "plugin_failed", false, "a plugin failed"),
    row(Code::Unavailable, "unavailable", true, "something that the call needs is not available"),
    row(Code::Internal, "internal", false, "this server has a bug"),
];

impl Code {
    /// Every code, in the order of the documentation.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.code)
    }

    /// The code on the wire, for example `reference_invalid`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Whether the same call, unchanged, may succeed later. A single fault may override this.
    pub fn retryable(self) -> bool {
        self.row().retryable
    }

    /// The sentence that `docs/errors.md` shows for this code.
    pub fn cause(self) -> &'static str {
        self.row().cause
    }

    fn row(self) -> &'static Row {
        TABLE.iter().find(|row| row.code == self).expect("every code has its row: a test reads the table")
    }
}

/// One error, ready for a client.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Which error.
    pub code: Code,
    /// What happened, naming the value.
    pub message: String,
    /// What to do next.
    pub suggestion: String,
    /// Whether the same call, unchanged, may succeed later.
    pub retryable: bool,
    /// More fields of the answer, such as `reference`.
    pub context: Map<String, Json>,
}

impl Fault {
    /// Makes an error with the retryability of its code.
    pub fn new(code: Code, message: impl Into<String>, suggestion: impl Into<String>) -> Self {
        let retryable = code.retryable();
        Self { code, message: message.into(), suggestion: suggestion.into(), retryable, context: Map::new() }
    }

    /// Makes the error for a wrong argument, by its name.
    pub fn parameter(
        name: impl Into<Json>,
        message: impl Into<String>,
        suggestion: impl Into<String>,
    ) -> Self {
        Self::new(Code::InvalidParameter, message, suggestion).with("parameter", name)
    }

    /// Adds a field to the answer.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Json>) -> Self {
        self.context.insert(name.to_owned(), value.into());
        self
    }

    /// Puts the argument's place in a list before its name: `changes[37].reference`.
    #[must_use]
    pub(crate) fn inside(self, place: &str) -> Self {
        let parameter = self.context.get("parameter").and_then(Json::as_str).map(str::to_owned);
        let Some(parameter) = parameter else {
            let message = format!("`{place}`: {}", self.message);
            return Self { message, ..self }.with("parameter", place);
        };
        let whole = format!("{place}.{parameter}");
        let message = self.message.replacen(&format!("`{parameter}`"), &format!("`{whole}`"), 1);
        Self { message, ..self }.with("parameter", whole)
    }

    /// Adds the app's bundle id, which is unique; the message contains the app's name. An empty id means that the error
    /// concerns no single app, and adds no field.
    #[must_use]
    pub(crate) fn in_app(self, bundle_id: &str) -> Self {
        if bundle_id.is_empty() { self } else { self.with("app", bundle_id) }
    }

    /// Marks the message as quoting an app or a script.
    #[must_use]
    pub(crate) fn untrusted(self) -> Self {
        self.with("untrusted", true)
    }

    /// Overrides whether the same call may succeed later.
    #[must_use]
    pub fn retryable(mut self, retryable: bool) -> Self {
        self.retryable = retryable;
        self
    }

    /// Joins errors of one call, so that its client can correct all of them at once. The code and the context are those
    /// of the first. `None` if there are none.
    pub(crate) fn joined(faults: Vec<Self>) -> Option<Self> {
        let (mut messages, mut suggestions, mut near) = (Vec::new(), Vec::new(), Vec::new());
        let add = |text: &String, to: &mut Vec<String>| {
            if !to.contains(text) {
                to.push(text.clone());
            }
        };
        for fault in &faults {
            add(&fault.message, &mut messages);
            add(&fault.suggestion, &mut suggestions);
            let own = fault.context.get("near").and_then(Json::as_array).into_iter().flatten();
            own.filter_map(Json::as_str).for_each(|each| add(&each.to_owned(), &mut near));
        }
        let several = faults.len() > 1;
        let mut first = faults.into_iter().next()?;
        if several {
            (first.message, first.suggestion) = (messages.join("; "), suggestions.join("; "));
            if !near.is_empty() {
                first = first.with("near", near);
            }
        }
        Some(first)
    }

    /// Writes `{"error","message","suggestion","retryable", …context}`.
    pub fn to_json(&self) -> Json {
        let mut json = json!({
            "error": self.code.name(),
            "message": self.message,
            "suggestion": self.suggestion,
            "retryable": self.retryable,
        });
        if let Json::Object(fields) = &mut json {
            fields.extend(self.context.clone());
        }
        json
    }
}

/// Returns the end of a message that suggests similar names, such as `; did you mean "subject"?`. Empty if there are
/// none.
pub fn did_you_mean(near: &[String]) -> String {
    match near {
        [] => String::new(),
        [one] => format!("; did you mean \"{one}\"?"),
        several => format!("; did you mean one of: {}?", several.join(", ")),
    }
}

/// The error for an argument of the wrong kind.
pub(crate) fn wrong(name: &str, expected: &str, got: &Json) -> Fault {
    let mut shown: String = got.to_string().chars().take(80).collect();
    if shown.len() < got.to_string().len() {
        shown.push('…');
    }
    let message = format!("`{name}`: expected {expected}, got {shown}");
    Fault::parameter(name, message, format!("give {expected}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_one_row_and_one_name() {
        let mut names: Vec<&str> = Code::all().map(Code::name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), TABLE.len());
        assert!(Code::all().all(|code| !code.cause().is_empty()));
    }

    #[test]
    fn the_answer_has_the_shape_of_the_contract() {
        let fault = Fault::new(Code::ReferenceInvalid, "gone", "query again").with("reference", "ref_x");
        let expected = json!({"error": "reference_invalid", "message": "gone", "suggestion": "query again",
            "retryable": false, "reference": "ref_x"});
        assert_eq!(fault.to_json(), expected);
    }

    #[test]
    fn names_that_were_meant() {
        assert_eq!(did_you_mean(&[]), "");
        assert_eq!(did_you_mean(&["a".into()]), "; did you mean \"a\"?");
        assert_eq!(did_you_mean(&["a".into(), "b".into()]), "; did you mean one of: a, b?");
    }
}
