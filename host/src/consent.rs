//! The ways to ask the user, when the policy says that a call needs approval.
//!
//! The client is asked first, in the way that its protocol version allows. If it cannot ask, the Mac shows a dialog.
//! If nobody can be asked, the call ends and says what the user can do. Silence counts as a refusal, and so does a
//! client that disconnects.

use std::fmt::Debug;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use iac_core::permission::{Answer, Level, Question};

/// Older clients end a request after 60 seconds, so the server stops waiting for the user earlier.
const PATIENCE: Duration = Duration::from_secs(50);

/// If less time than this is left, nobody is asked.
pub(crate) const LEAST: Duration = Duration::from_secs(2);

/// How long a client of the stateless protocol may take to repeat the call with the answer.
pub(crate) const GOOD: Duration = Duration::from_secs(10 * 60);

/// The caller, and the user behind it.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The client's own name, for the audit log.
    pub client: String,
    /// The plugin, if a plugin makes the call.
    pub plugin: Option<String>,
    /// Whether the call undoes an earlier call of the plugin.
    pub takes_back: bool,
    /// The highest level that the plugin may reach.
    pub most: Option<Level>,
    /// The only app that the plugin may reach: the one that its handle is for.
    pub app: Option<String>,
    /// How the user is asked.
    pub asker: Arc<dyn Asker>,
    /// Where progress messages go, if the client asked for them.
    pub listener: Option<Arc<dyn Listener>>,
    /// When the call came in.
    pub since: Instant,
    /// How long the call waited in the backlog. The time that it may still wait is shorter by this much.
    pub kept: Duration,
}

/// Receives the progress of a call.
pub trait Listener: Debug + Send + Sync {
    /// Reports progress: the number of finished steps, the total, and the current step.
    fn hear(&self, done: u32, total: Option<u32>, message: &str);
}

/// A way to ask the user behind a call.
pub trait Asker: Debug + Send + Sync {
    /// Asks a question, and waits for an answer for at most `patience`.
    fn ask<'a>(&'a self, question: &'a Question, patience: Duration) -> Asking<'a>;

    /// Whether anybody can be asked in this way.
    fn is_somebody(&self) -> bool {
        true
    }

    /// If the call brings an answer, the digest of the question that was answered.
    fn brought(&self) -> Option<&str> {
        None
    }
}

/// The future answer to a question.
pub type Asking<'a> = Pin<Box<dyn Future<Output = Asked> + Send + 'a>>;

/// The result of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// An answer. It may be silence.
    Answered(Answer),
    /// The call ends here, and the client will repeat it with an answer.
    Later,
    /// Nobody can be asked in this way.
    NoWay(String),
}

impl Caller {
    /// Makes a caller without a user who can be asked.
    pub fn alone(client: &str) -> Self {
        Self::new(client, Arc::new(Nobody))
    }

    /// Makes a caller with a way to ask its user.
    pub fn new(client: &str, asker: Arc<dyn Asker>) -> Self {
        Self {
            client: client.to_owned(),
            plugin: None,
            takes_back: false,
            most: None,
            app: None,
            asker,
            listener: None,
            since: Instant::now(),
            kept: Duration::ZERO,
        }
    }

    /// Returns the caller for calls in one app by a plugin that this caller has called.
    #[must_use]
    pub fn through(&self, plugin: &str, app: &str, most: Level) -> Self {
        let (plugin, app) = (Some(plugin.to_owned()), Some(app.to_owned()));
        Self { plugin, app, most: Some(most), kept: Duration::ZERO, ..self.clone() }
    }

    /// How long the user may still take to answer; `None` if the answer would come too late.
    pub(crate) fn patience(&self) -> Option<Duration> {
        PATIENCE.checked_sub(self.since.elapsed()).filter(|left| *left >= LEAST)
    }
}

/// The asker of a caller without a user.
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
