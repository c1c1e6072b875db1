//! The audit log: an entry for every decision and every execution, in a chain that reveals changes.
//!
//! A log is lines of JSON. Each line names the hash of the line before it and ends with its own, so that a line that
//! was edited, inserted, moved or taken out breaks the chain at its place. A log begins with the link to the log
//! before.

mod chain;
mod redact;

use std::sync::Arc;

use serde::Serialize;
use serde::ser::SerializeMap;
use serde_json::Value as Json;

use crate::permission::{Decided, Question, Scope};
use crate::words::Level;

pub use chain::{Broken, Chain, Hash, Line, Link, lines, time};
pub use redact::redact;

/// One entry of the log.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// A log begins.
    Start {
        /// The version of this program.
        version: String,
        /// The process that writes it.
        process: u32,
        /// The end of the log before this one.
        previous: Option<Link>,
    },
    /// Something was allowed or refused.
    Decision {
        /// The call.
        call: Arc<CallWords>,
        /// The decision and its source.
        decided: Arc<Decided>,
    },
    /// A human was asked.
    Question {
        /// The call.
        call: Arc<CallWords>,
        /// The digest that the question is bound to.
        digest: String,
        /// The level.
        level: Level,
        /// Why it was asked.
        why: String,
        /// The requested action.
        scopes: Vec<Scope>,
    },
    /// A script ran.
    Execution {
        /// The call.
        call: Arc<CallWords>,
        /// The bundle id of the app.
        app: String,
        /// How it ended: `ok`, or the code of the error.
        result: String,
        /// Apple events sent.
        events: u64,
        /// How long it took.
        elapsed_ms: u64,
    },
    /// The operator changed something on the command line.
    Operator {
        /// The change, as a command: `policy allow com.apple.mail`.
        order: String,
    },
}

/// A call, as far as the log may contain it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CallWords {
    /// Its number in this process.
    pub number: u64,
    /// The tool.
    pub tool: String,
    /// The client, by its own name.
    pub client: String,
    /// The plugin that called, if it was not the client itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugin: Option<String>,
    /// The arguments: their shape, or all of them if the operator wants that.
    pub arguments: Json,
}

impl Entry {
    /// The entry for a question.
    pub fn question(call: Arc<CallWords>, question: &Question) -> Self {
        Self::Question {
            call,
            digest: question.digest().to_hex(),
            level: question.level(),
            why: question.why().to_owned(),
            scopes: question.scopes().to_vec(),
        }
    }

    /// The word for the kind of entry: `start`, `decision`, `question`, `execution` or `operator`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Start { .. } => "start",
            Self::Decision { .. } => "decision",
            Self::Question { .. } => "question",
            Self::Execution { .. } => "execution",
            Self::Operator { .. } => "operator",
        }
    }

    /// Writes the fields of the line, in order.
    fn write<M: SerializeMap>(&self, fields: &mut M) -> Result<(), M::Error> {
        match self {
            Self::Start { version, process, previous } => {
                fields.serialize_entry("version", version)?;
                fields.serialize_entry("process", process)?;
                fields.serialize_entry("previous", previous)
            }
            Self::Decision { call, decided } => {
                fields.serialize_entry("call", &**call)?;
                fields.serialize_entry("allowed", &decided.allowed)?;
                fields.serialize_entry("by", &decided.source.to_string())?;
                fields.serialize_entry("level", &decided.harm.level)?;
                fields.serialize_entry("reason", &decided.harm.reason)?;
                fields.serialize_entry("scopes", &decided.scopes)
            }
            Self::Question { call, digest, level, why, scopes } => {
                fields.serialize_entry("call", &**call)?;
                fields.serialize_entry("digest", digest)?;
                fields.serialize_entry("level", level)?;
                fields.serialize_entry("reason", why)?;
                fields.serialize_entry("scopes", scopes)
            }
            Self::Execution { call, app, result, events, elapsed_ms } => {
                fields.serialize_entry("call", &**call)?;
                fields.serialize_entry("app", app)?;
                fields.serialize_entry("result", result)?;
                fields.serialize_entry("events", events)?;
                fields.serialize_entry("elapsedMs", elapsed_ms)
            }
            Self::Operator { order } => fields.serialize_entry("order", order),
        }
    }
}
