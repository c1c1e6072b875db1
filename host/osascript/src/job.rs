//! One script on its way: the client's side waits for it, the lane's side runs it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use iac_core::Millis;
use iac_core::jxa::Script;
use iac_core::step::{Event, RunFailure};
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;

use crate::settings::Kind;
use crate::standing::Standing;

/// The lane's side.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) script: Script,
    pub(crate) kind: Kind,
    /// When the client came.
    pub(crate) since: Instant,
    pub(crate) client: Client,
}

/// The client that waits for a script.
#[derive(Debug)]
pub(crate) struct Client {
    stage: Arc<Stage>,
    answer: oneshot::Sender<Event>,
}

/// The client's side of a job. If it is dropped, the client has given up.
#[derive(Debug)]
pub(crate) struct Ticket {
    stage: Arc<Stage>,
    answer: oneshot::Receiver<Event>,
}

/// Whether a script has started decides the error for a client that gives up: a script that has not started by then
/// never runs.
#[derive(Debug, Default)]
struct Stage(AtomicU8);

const WAITING: u8 = 0;
const BEGUN: u8 = 1;
const GIVEN_UP: u8 = 2;

/// When and why a client stops waiting.
pub(crate) struct Limits {
    /// The rest of its time.
    pub(crate) left: Duration,
    /// The most that a client waits, in all.
    pub(crate) timeout: Duration,
    /// The most that it waits for an app that left an earlier call without an answer.
    pub(crate) patience: Duration,
    /// Cancels the call if the client wants that.
    pub(crate) cancel: CancellationToken,
}

/// Makes the two sides.
pub(crate) fn job(script: &Script, kind: Kind) -> (Job, Ticket) {
    let stage = Arc::new(Stage::default());
    let (answer, answered) = oneshot::channel();
    let client = Client { stage: stage.clone(), answer };
    (Job { script: script.clone(), kind, since: Instant::now(), client }, Ticket { stage, answer: answered })
}

impl Client {
    /// Whether it still waits.
    pub(crate) fn is_wanted(&self) -> bool {
        !self.answer.is_closed()
    }

    /// Waits until it has given up.
    pub(crate) async fn given_up(&mut self) {
        self.answer.closed().await;
    }

    /// Begins its script, unless it has given up before.
    pub(crate) fn begin(&self) -> bool {
        self.stage.move_on(BEGUN)
    }

    /// Answers it, if it still waits.
    pub(crate) fn answer(self, event: Event) {
        if self.answer.send(event).is_err() {
            tracing::debug!("an answer came after its client had given up");
        }
    }
}

impl Ticket {
    /// Waits for the answer, and not longer than the limits allow.
    pub(crate) async fn outcome(mut self, standing: watch::Receiver<Standing>, limits: Limits) -> Event {
        let Limits { left, timeout, patience, cancel } = limits;
        let stage = self.stage.clone();
        tokio::select! {
            // In this order, an answer counts even if the client gives up at the same moment.
            biased;
            event = &mut self.answer => event.unwrap_or_else(|_| stopping()),
            () = cancel.cancelled() => Event::Failed(RunFailure::Cancelled),
            () = tokio::time::sleep(left) => match stage.move_on(GIVEN_UP) {
                true => Event::Failed(RunFailure::Busy(standing.borrow().to_string())),
                false => Event::Failed(RunFailure::Timeout(millis(timeout))),
            },
            why = turned_away(standing.clone(), patience, &stage) => Event::Failed(RunFailure::Busy(why)),
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.stage.move_on(GIVEN_UP);
    }
}

impl Stage {
    /// Leaves the first stage; false if it was left before.
    fn move_on(&self, to: u8) -> bool {
        self.0.compare_exchange(WAITING, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}

/// Waits until the app has been silent for longer than a client should wait for it.
async fn turned_away(mut standing: watch::Receiver<Standing>, patience: Duration, stage: &Stage) -> String {
    loop {
        if standing.wait_for(Standing::is_silent).await.is_err() {
            return std::future::pending().await;
        }
        let speaks =
            tokio::time::timeout(patience, standing.wait_for(|standing| !standing.is_silent())).await.is_ok();
        if !speaks && stage.move_on(GIVEN_UP) {
            return standing.borrow().to_string();
        }
    }
}

/// The error for a client with a script that ended with the server.
pub(crate) fn stopping() -> Event {
    Event::Failed(RunFailure::Process("the server is stopping".to_owned()))
}

pub(crate) fn millis(duration: Duration) -> Millis {
    Millis(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}
