//! A script of the client, in a separate process, after a human has read it.

use serde_json::{Value as Json, json};

use super::command::unknown;
use super::show::largest;
use super::trace::Sent;
use super::{Behind, Outcome, Step, Then, World, listing, propose};
use crate::action::{Action, Deed, Terms};
use crate::call::RunScript;
use crate::fault::{Code, Fault};
use crate::foreign;
use crate::osa_error::OsaError;
use crate::reply::Reply;
use crate::undo::Undo;
use crate::value::Value;

pub(super) fn start(call: RunScript, world: &World<'_>) -> Result<Step, Fault> {
    let RunScript { language, text } = call;
    listing::check(&text).map_err(|wrong| {
        let suggestion =
            "send a short script that a human can read; write characters that are not ASCII as escapes";
        Fault::new(Code::InvalidParameter, wrong, suggestion).with("parameter", "script")
    })?;
    let action = Action { app: "".into(), terms: Terms::default(), deed: Deed::RunScript { language, text } };
    let behind = Behind { name: "this Mac".to_owned(), events: 0 };
    Ok(propose(action, behind, Then::RunScript, world))
}

/// The effect of the script, as far as the server knows.
const RAN: &str = "a script of the client ran";

/// The change that the script may have made although no answer came.
pub(super) fn sent() -> Sent {
    Sent { app: String::new(), did: RAN.to_owned() }
}

/// Continues with the script's answer, which may contain anyone's words.
pub(super) fn resume(reply: Reply, events: u64, world: &mut World<'_>) -> Result<Step, Fault> {
    let answer = reply.result.map_err(|error| match error.at.as_str() {
        "syntax" => never_ran(&error),
        _ => failed(error.to_fault("", "the script")),
    })?;
    let value = match Value::decode(&answer) {
        Ok(value) => value.to_json(&mut |source| json!({ "object": source })),
        Err(error) => Json::from(error.to_string()),
    };
    let (text, most) = (value.to_string(), largest(world));
    let body = if text.len() > most {
        let reason =
            format!("the script ran, and its result has {} bytes, expected at most {most}", text.len());
        let part = &text[..text.floor_char_boundary(most / 2)];
        let cut = json!({ "from": 0, "to": part.len(), "total": text.len() });
        json!({ "value": part, "cut": cut, "complete": false, "reason": reason, "untrusted": true })
    } else {
        json!({ "value": value, "untrusted": true })
    };
    let undo =
        vec![Undo::lasting("", RAN.to_owned(), "a script can do anything", (world.fresh)(), world.now)];
    Ok(Step::Done(Outcome { body, events, undo, ..Outcome::default() }))
}

/// The error if the engine refused the text of the script, so that none of it ran.
fn never_ran(error: &OsaError) -> Fault {
    let message = foreign::says("the script", &error.message, foreign::ERROR);
    let suggestion = "the script did not run: correct it and send it again; the user will be asked again";
    Fault::new(Code::InvalidParameter, message, suggestion)
        .with("parameter", "script")
        .with("outcome", "not_tried")
        .untrusted()
}

/// The error of a script that failed. It may have changed anything before that.
pub(super) fn failed(fault: Fault) -> Fault {
    unknown(fault)
}
