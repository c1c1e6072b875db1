//! Apple event errors: their numbers, and the English text of each.

/// The error of an event. Scripts see its text and number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} ({number})")]
pub(crate) struct OsError {
    pub(crate) number: i32,
    pub(crate) message: String,
}

/// The answer of an event, or its error.
pub(crate) type Answer<T> = Result<T, OsError>;

/// The disk failed. No app uses this number for its own errors, so it stands for a broken world.
pub(crate) const BROKEN: i32 = -36;
pub(crate) const CONNECTION: i32 = -609;
pub(crate) const COERCION: i32 = -1700;
pub(crate) const DIRECT_MISSING: i32 = -1701;
pub(crate) const NOT_UNDERSTOOD: i32 = -1708;
pub(crate) const TIMEOUT: i32 = -1712;
pub(crate) const PARAMETER_MISSING: i32 = -1715;
pub(crate) const BAD_INDEX: i32 = -1719;
pub(crate) const BAD_TEST: i32 = -1726;
pub(crate) const NO_SUCH_OBJECT: i32 = -1728;
pub(crate) const NOT_AUTHORIZED: i32 = -1743;
pub(crate) const WOULD_ASK: i32 = -1744;
pub(crate) const NOT_RUNNING: i32 = -600;
pub(crate) const UNKNOWN_CLASS: i32 = -1731;
pub(crate) const SCRIPT: i32 = -2700;
pub(crate) const FAILED: i32 = -10000;
pub(crate) const NOT_MODIFIABLE: i32 = -10003;
pub(crate) const CANT_SET: i32 = -10006;
pub(crate) const NOT_A_SINGLE_OBJECT: i32 = -10014;

impl OsError {
    /// Makes the error with this number, and the text that macOS gives it in English.
    #[track_caller]
    pub(crate) fn of(number: i32) -> Self {
        #[cfg(debug_assertions)]
        let number = probe::refused(number, &probe::place(std::panic::Location::caller()));
        Self { number, message: text(number).map_or_else(|| unknown(number), str::to_owned) }
    }

    pub(crate) fn new(number: i32, message: impl Into<String>) -> Self {
        Self { number, message: message.into() }
    }
}

/// Returns the error number when JavaScript code refuses. In a debug build, the stack tells the place of the refusal.
pub(crate) fn refused_by_script(number: i32, stack: &str) -> i32 {
    #[cfg(debug_assertions)]
    let number = match script_place(stack) {
        Some(place) => probe::refused(number, place),
        None => number,
    };
    #[cfg(not(debug_assertions))]
    let _ = stack;
    number
}

/// Returns the first place in a stack trace that is in a JavaScript file, as `name.js:12`.
#[cfg(any(test, debug_assertions))]
fn script_place(stack: &str) -> Option<&str> {
    let frame = stack.lines().find(|frame| frame.contains(".js:"))?;
    Some(frame.rsplit_once('@').map_or(frame, |(_, place)| place))
}

/// Fails with this error number.
#[track_caller]
pub(crate) fn refuse<T>(number: i32) -> Answer<T> {
    Err(OsError::of(number))
}

fn unknown(number: i32) -> String {
    format!("An error of type {number} has occurred.")
}

fn text(number: i32) -> Option<&'static str> {
    Some(match number {
        -43 => "File not found.",
        -48 => "Duplicate file name.",
        -50 => "Parameter error.",
        -128 => "User canceled.",
        -600 => "Application isn't running.",
        -609 => "Connection is invalid.",
        -1700 => "Can't convert types.",
        -1701 => "Parameter is missing.",
        -1708 => "Message not understood.",
        -1712 => "AppleEvent timed out.",
        -1713 => "No user interaction allowed.",
        -1715 => "A required parameter is missing.",
        -1719 => "Invalid index.",
        -1720 => "Invalid range.",
        -1723 | -10003 => "Access not allowed.",
        -1726 => "Illegal comparison or logical.",
        -1728 => "Can't get object.",
        -1731 => "Unknown object type.",
        -10000 => "AppleEvent handler failed.",
        -10001 => "A descriptor type mismatch occurred.",
        -10002 => "Invalid key form.",
        -10004 => "A privilege violation occurred.",
        -10006 => "Can't set object.",
        -10008 => "The specified object is a property, not an element.",
        -10010 => "Handler can't handle objects of this class.",
        -10014 => "Handler only handles single objects.",
        _ => return None,
    })
}

/// Tests whether a script notices when a refusal is lifted. `tests/fidelity/refusals.py` does this for every place
/// that refuses.
#[cfg(debug_assertions)]
mod probe {
    use std::fs::OpenOptions;
    use std::io::Write as _;
    use std::panic::Location;

    /// The variable that names a file, which gets the source location of each refusal.
    const TOLD: &str = "IAC_MCP_TEST_REFUSALS";

    /// The variable that names the refusal to lift. That place then returns an error number that no Mac returns, so
    /// code that depends on the refusal fails.
    const LIFTED: &str = "IAC_MCP_TEST_LIFTED";

    const NO_MAC_SAYS: i32 = -4_711;

    pub(super) fn place(at: &Location<'_>) -> String {
        format!("{}:{}", at.file(), at.line())
    }

    pub(super) fn refused(number: i32, place: &str) -> i32 {
        if let Some(file) = std::env::var_os(TOLD)
            && let Ok(mut file) = OpenOptions::new().create(true).append(true).open(file)
        {
            // If it cannot be written, the place is missing from the list, and the test reports that.
            let _ = writeln!(file, "{place}");
        }
        let lifted = std::env::var(LIFTED).is_ok_and(|lifted| place.ends_with(&lifted));
        if lifted { NO_MAC_SAYS } else { number }
    }
}

#[cfg(test)]
mod tests {
    use super::script_place;

    #[test]
    fn a_stack_tells_where_it_is() {
        let stack = "refuse@eval_script:12\ndelete@com.apple.finder.js:39\n<eval>@a.js:1";
        assert_eq!(script_place(stack), Some("com.apple.finder.js:39"));
        assert_eq!(script_place("refuse@eval_script:12\n<eval>@<stdin>:1"), None);
    }
}
