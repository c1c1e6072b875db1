//! The ways to ask a human: the ladder below the policy.
//!
//! The client is asked first, in the way of its era; then a dialog of the Mac itself; and if no one can be asked, the
//! call ends and says what the user can do. Silence is a no, and so is a client that disconnects.

use std::fmt::Debug;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use iac_core::permission::{Answer, Level, Question};

/// Older clients end a request after 60 seconds, so the server stops waiting for the human before that.
const PATIENCE: Duration = Duration::from_secs(50);

/// Less time than this counts as no time.
pub(crate) const LEAST: Duration = Duration::from_secs(2);

/// How long a client of the stateless era may take to call again with the answer.
pub(crate) const GOOD: Duration = Duration::from_secs(10 * 60);

/// The caller, and the human behind it.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The client by its own name, for the audit log.
    pub client: String,
    /// The plugin, if it is not the client itself.
    pub plugin: Option<String>,
    /// How far the plugin may go.
    pub most: Option<Level>,
    /// How the human is asked.
    pub asker: Arc<dyn Asker>,
    /// The receiver of progress messages, if anyone wants them.
    pub listener: Option<Arc<dyn Listener>>,
    /// When the call came in.
    pub since: Instant,
    /// How long the call waited before it began; its own waiting time is shorter by this much.
    pub kept: Duration,
}

/// A caller that wants to know how far a call is.
pub trait Listener: Debug + Send + Sync {
    /// Reports progress: the steps that are done, the total, and the current work.
    fn hear(&self, done: u32, total: Option<u32>, message: &str);
}

/// A way to ask the human behind a call.
pub trait Asker: Debug + Send + Sync {
    /// Puts a question; waits for an answer until the time is over.
    fn ask<'a>(&'a self, question: &'a Question, patience: Duration) -> Asking<'a>;

    /// Whether there is anyone at the other end.
    fn is_somebody(&self) -> bool {
        true
    }

    /// The digest of the question that the call answers.
    fn brought(&self) -> Option<&str> {
        None
    }
}

/// The future answer to a question.
pub type Asking<'a> = Pin<Box<dyn Future<Output = Asked> + Send + 'a>>;

/// The result of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// An answer, which may be silence.
    Answered(Answer),
    /// The call ends here, and comes again with an answer.
    Later,
    /// No one can be reached in this way.
    NoWay(String),
}

impl Caller {
    /// A caller for whom no human can be asked.
    pub fn alone(client: &str) -> Self {
        Self::new(client, Arc::new(Nobody))
    }

    /// A caller with a way to ask.
    pub fn new(client: &str, asker: Arc<dyn Asker>) -> Self {
        Self {
            client: client.to_owned(),
            plugin: None,
            most: None,
            asker,
            listener: None,
            since: Instant::now(),
            kept: Duration::ZERO,
        }
    }

    /// A plugin that was called by this caller.
    #[must_use]
    pub fn through(&self, plugin: &str, most: Level) -> Self {
        Self { plugin: Some(plugin.to_owned()), most: Some(most), kept: Duration::ZERO, ..self.clone() }
    }

    /// How long an answer may still take; `None` if it would come too late.
    pub(crate) fn patience(&self) -> Option<Duration> {
        PATIENCE.checked_sub(self.since.elapsed()).filter(|left| *left >= LEAST)
    }
}

/// A caller without a human.
#[derive(Debug)]
struct Nobody;

impl Asker for Nobody {
    fn ask<'a>(&'a self, _: &'a Question, _: Duration) -> Asking<'a> {
        Box::pin(async { Asked::NoWay("this client has no way to ask".to_owned()) })
    }

    fn is_somebody(&self) -> bool {
        false
    }
}
