//! A script of the client, in a process of its own, after a human has read it.

use serde_json::{Value as Json, json};

use super::command::unknown;
use super::show::largest;
use super::{Behind, Step, Then, World, done, listing, propose};
use crate::action::{Action, Deed, Terms};
use crate::call::RunScript;
use crate::fault::{Code, Fault};
use crate::reply::Reply;
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

/// The script's answer may hold anybody's words.
pub(super) fn resume(reply: Reply, events: u64, world: &World<'_>) -> Result<Step, Fault> {
    let answer = reply.result.map_err(|error| failed(error.to_fault("", "the script")))?;
    let value = match Value::decode(&answer) {
        Ok(value) => value.to_json(&mut |source| json!({ "object": source })),
        Err(error) => Json::from(error.to_string()),
    };
    let (size, most) = (value.to_string().len(), largest(world));
    if size > most {
        let reason = format!("the script ran, and its result has {size} bytes, expected at most {most}");
        return Ok(done(json!({ "value": null, "complete": false, "reason": reason }), events));
    }
    Ok(done(json!({ "value": value, "untrusted": true }), events))
}

/// A script may have changed anything before it failed.
pub(super) fn failed(fault: Fault) -> Fault {
    unknown(fault)
}
