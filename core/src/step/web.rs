//! A request of a plugin to a web server. The gate judges it like every other action, and the shell sends it.

use super::{Behind, RunFailure, Step, Then, World, done, propose};
use crate::action::{Action, Deed, Terms};
use crate::call::{Secret, WebCall};
use crate::fault::{Code, Fault};
use crate::foreign;
use crate::permission::Level;
use crate::reply::Reply;
use crate::specifier::{quoted, quoted_to};

/// The number of characters of an address, of the headers and of a body to show.
const SHOWN: usize = 1_200;

/// The meaning of a yes to a request.
pub(super) const SENT: &str = "a sent request cannot be taken back, and the server decides what it means";

pub(super) fn start(call: WebCall, world: &World<'_>) -> Step {
    let behind = Behind { name: call.host.clone(), events: 0 };
    let then = Then::Web(call.method.level());
    let action = Action { app: call.app().into(), terms: Terms::default(), deed: Deed::Web(Box::new(call)) };
    propose(action, behind, then, world)
}

/// Continues with the server's answer, which may contain anyone's words.
pub(super) fn resume(reply: Reply) -> Result<Step, Fault> {
    let mut body = reply.result.map_err(|error| error.to_fault("", "the request"))?;
    if let Some(fields) = body.as_object_mut() {
        fields.insert("untrusted".to_owned(), true.into());
    }
    Ok(done(body, 0))
}

/// The error for a request without an answer. The request may have been sent, so no one should send it again.
pub(super) fn failed(failure: &RunFailure, host: &str, level: Level) -> Fault {
    let (code, suggestion, retryable) = match failure {
        RunFailure::Timeout(_) => {
            (Code::Timeout, "try again later, or let the plugin wait longer", level == Level::Safe)
        }
        RunFailure::Cancelled => (Code::Cancelled, "the call will have no further effect", false),
        RunFailure::TooLarge(_) => (Code::ResultTooLarge, "ask the server for less", false),
        _ => (Code::Unavailable, "check the address and the network connection", false),
    };
    let message = match failure {
        RunFailure::Unstarted(why) | RunFailure::Process(why) => {
            format!("{host}: {}", foreign::clean(why, foreign::ERROR))
        }
        failure => format!("{host}: {failure}"),
    };
    let fault = Fault::new(code, message, suggestion).retryable(retryable).with("host", host);
    let was_sent = !matches!(failure, RunFailure::Unstarted(_));
    match was_sent && level > Level::Safe {
        true => fault.with("outcome", "unknown"),
        false => fault,
    }
}

/// Describes a request: `send a POST request to "https://api.example.com/items"`. A server's action depends on the
/// whole address, so the length limit of names does not apply.
pub(super) fn in_words(call: &WebCall) -> String {
    let (name, url) = (call.method.name(), quoted_to(&call.url, SHOWN));
    match call.method.level() {
        Level::Safe => format!("fetch {url} by {name}"),
        _ => format!("send a {name} request to {url}"),
    }
}

/// The parts of a request: its headers, its secrets by name, and its body. If the question shows only the beginning of
/// a part, it also gives the whole length.
pub(super) fn parts(call: &WebCall) -> Vec<String> {
    let mut lines = Vec::new();
    // The address is ASCII.
    if call.url.len() > SHOWN {
        lines.push(format!("the address has {} characters, of which {SHOWN} are shown", call.url.len()));
    }
    let headers: Vec<String> = call.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    let headers = headers.join("; ");
    if !headers.is_empty() {
        let of = if headers.len() > SHOWN { format!(" of {} bytes", headers.len()) } else { String::new() };
        lines.push(format!("with the headers{of} {}", quoted_to(&headers, SHOWN)));
    }
    // The question shows only a few lines. All secrets share one, so that they cannot push out the line with the body.
    let secret = |secret: &Secret| format!("{} in the header {}", quoted(&secret.key), secret.header);
    let secrets: Vec<String> = call.secrets.iter().map(secret).collect();
    if !secrets.is_empty() {
        lines.push(format!("with your secret {}", secrets.join(", ")));
    }
    if !call.body.is_empty() {
        let bytes = call.body.len();
        lines.push(match std::str::from_utf8(&call.body) {
            Ok(text) => format!("with {bytes} bytes: {}", quoted_to(text, SHOWN)),
            Err(_) => format!("with {bytes} bytes that are not text"),
        });
    }
    lines
}
