//! A script that waits or runs: the client's half waits for the answer, and the lane's half runs the script.

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

/// The lane's half.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) script: Script,
    pub(crate) kind: Kind,
    /// When the client made the call.
    pub(crate) since: Instant,
    pub(crate) client: Client,
}

/// The client that waits for a script.
#[derive(Debug)]
pub(crate) struct Client {
    stage: Arc<Stage>,
    answer: oneshot::Sender<Event>,
}

/// The client's half of a job. Dropping it means that the client has given up.
#[derive(Debug)]
pub(crate) struct Ticket {
    stage: Arc<Stage>,
    answer: oneshot::Receiver<Event>,
}

/// The stage of a job. It decides the error for a client that gives up: a script that has not started by then never
/// runs.
#[derive(Debug, Default)]
struct Stage(AtomicU8);

const WAITING: u8 = 0;
const BEGUN: u8 = 1;
const GIVEN_UP: u8 = 2;

/// When a client stops waiting.
pub(crate) struct Limits {
    /// The client's remaining time.
    pub(crate) left: Duration,
    /// The client's total time limit.
    pub(crate) timeout: Duration,
    /// The longest wait for an app that has not answered an earlier call.
    pub(crate) patience: Duration,
    /// Cancelled by the client.
    pub(crate) cancel: CancellationToken,
}

/// Makes both halves.
pub(crate) fn job(script: &Script, kind: Kind) -> (Job, Ticket) {
    let stage = Arc::new(Stage::default());
    let (answer, answered) = oneshot::channel();
    let client = Client { stage: stage.clone(), answer };
    (Job { script: script.clone(), kind, since: Instant::now(), client }, Ticket { stage, answer: answered })
}

impl Client {
    /// Whether the client still waits.
    pub(crate) fn is_wanted(&self) -> bool {
        !self.answer.is_closed()
    }

    /// Waits until the client has given up.
    pub(crate) async fn given_up(&mut self) {
        self.answer.closed().await;
    }

    /// Marks the script as started. Returns false if the client has given up.
    pub(crate) fn begin(&self) -> bool {
        self.stage.move_on(BEGUN)
    }

    /// Sends the answer, if the client still waits.
    pub(crate) fn answer(self, event: Event) {
        if self.answer.send(event).is_err() {
            tracing::debug!("an answer came after its client had given up");
        }
    }
}

impl Ticket {
    /// Waits for the answer, within the limits.
    pub(crate) async fn outcome(mut self, standing: watch::Receiver<Standing>, limits: Limits) -> Event {
        let Limits { left, timeout, patience, cancel } = limits;
        let stage = self.stage.clone();
        tokio::select! {
            // The order matters: an answer counts even if the client gives up at the same moment.
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
    /// Leaves the stage `WAITING`. Returns false if the job has already left it.
    fn move_on(&self, to: u8) -> bool {
        self.0.compare_exchange(WAITING, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}

/// Waits until the app has been silent for longer than a client should wait.
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

/// The error for a client whose script was killed because the server stopped.
pub(crate) fn stopping() -> Event {
    Event::Failed(RunFailure::Process("the server is stopping".to_owned()))
}

pub(crate) fn millis(duration: Duration) -> Millis {
    Millis(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}
