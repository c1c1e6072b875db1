//! The lane of one app. Its scripts run one after another, in the order in which their places were reserved.

use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::{Duration, Instant};

use iac_core::jxa::Script;
use iac_core::reply::Reply;
use iac_core::step::{Event, RunFailure};
use tokio::sync::{Notify, watch};
use tokio::time::Sleep;
use tokio_util::sync::CancellationToken;

use crate::job::{Client, Job};
use crate::queue::{Door, Queue, queue};
use crate::record::Record;
use crate::settings::{Kind, Settings};
use crate::slots::Slots;
use crate::spawn::Liveness;
use crate::standing::Standing;
use crate::turns::{Holder, Turn, Turns};
use crate::unfit::Unfit;
use crate::worker::{Broken, Worker};
use crate::{one_shot, raised};

/// The app quit before or during the call. The next call connects to it again.
const CONNECTION_INVALID: i64 = -609;
/// The app did not answer the script.
const EVENT_TIMED_OUT: i64 = -1712;

/// macOS does not allow this process to send events. A process keeps getting this error even after the user has
/// allowed it.
const NO_CONSENT: [i64; 2] = [-1743, -1744];

/// Runs the scripts of one app.
#[derive(Debug)]
pub(crate) struct Lane {
    app: Arc<str>,
    shared: Arc<Shared>,
    jobs: Queue,
    standing: watch::Sender<Standing>,
    record: Arc<Record>,
    evicted: Arc<Notify>,
    turns: Option<Turns>,
    /// When the server gives back the turn that it holds.
    end: Option<Pin<Box<Sleep>>>,
    /// The holder that a read gave up waiting for. The next read does not wait for it either.
    asleep: Option<Holder>,
    worker: Option<Worker>,
}

/// The state that all lanes share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) liveness: Liveness,
    pub(crate) slots: Slots,
    pub(crate) unfit: Unfit,
    pub(crate) closed: CancellationToken,
    /// Notified when a worker is released, which also happens between calls.
    pub(crate) let_go: Notify,
}

/// What a client needs to use a lane.
#[derive(Clone, Debug)]
pub(crate) struct Entrance {
    pub(crate) door: Door,
    pub(crate) standing: watch::Receiver<Standing>,
    pub(crate) record: Arc<Record>,
}

impl Lane {
    pub(crate) fn new(app: &Arc<str>, shared: &Arc<Shared>) -> (Self, Entrance) {
        let record = Arc::new(Record::default());
        let (door, jobs) = queue(&record, shared.settings.patience);
        let (standing, seen) = watch::channel(Standing::Open);
        let entrance = Entrance { door, standing: seen, record: record.clone() };
        let (app, shared, evicted) = (app.clone(), shared.clone(), Arc::new(Notify::new()));
        let (turns, end, asleep, worker) = (None, None, None, None);
        (Self { app, shared, jobs, standing, record, evicted, turns, end, asleep, worker }, entrance)
    }

    /// Serves jobs until the server stops, and then kills a running script.
    pub(crate) async fn serve(mut self) {
        let shared = self.shared.clone();
        shared.closed.run_until_cancelled(self.serve_all()).await;
    }

    async fn serve_all(&mut self) {
        loop {
            let idle = self.shared.settings.idle;
            let retired = tokio::select! {
                // The order matters. A broken worker is retired before a job could use it. A waiting job comes before
                // the end of the turn, because all scripts of a turn share its lock.
                biased;
                broken = falls(&mut self.worker) => broken.word(),
                () = self.evicted.notified() => "evicted",
                job = self.jobs.next() => match job {
                    Some(job) => { self.take(job).await; continue }
                    None => return,
                },
                () = over(&mut self.end) => { self.give_back(); continue }
                () = tokio::time::sleep(idle), if self.worker.is_some() || self.turns.is_some() => {
                    self.turns = None;
                    "idle"
                }
            };
            self.retire(retired);
        }
    }

    async fn take(&mut self, mut job: Job) {
        if !job.client.is_wanted() {
            return;
        }
        let kept = self.turns.take().filter(Turns::are_there);
        let opened = kept.map_or_else(|| turns(&self.app, &self.shared), |turns| Ok(Some(turns)));
        let mut turns = match opened {
            Err(error) if job.kind == Kind::Change => return job.client.answer(no_turn(&error)),
            opened => opened.unwrap_or_default(),
        };
        let turn = match self.turn(turns.as_mut(), &mut job).await {
            Err(error) if job.kind == Kind::Change => return job.client.answer(no_turn(&error)),
            turn => turn.unwrap_or_default(),
        };
        if job.client.is_wanted() {
            self.go(job).await;
        }
        drop(turn);
        self.turns = turns;
        self.keep();
        self.standing.send_if_modified(Standing::open);
        self.rest().await;
    }

    /// Sets the timer for the rest of the turn. All scripts of a turn share one timer, because a timer that fires
    /// before all others wakes the thread once more.
    fn keep(&mut self) {
        let until = self.turns.as_ref().and_then(Turns::kept_until).map(tokio::time::Instant::from);
        if self.end.as_ref().map(|end| end.deadline()) != until {
            self.end = until.map(|until| Box::pin(tokio::time::sleep_until(until)));
        }
    }

    fn give_back(&mut self) {
        self.end = None;
        if let Some(turns) = &mut self.turns {
            turns.give_back();
        }
    }

    async fn go(&mut self, job: Job) {
        if !self.has_revived().await {
            let why = self.standing.borrow().to_string();
            job.client.answer(Event::Failed(RunFailure::Busy(why)));
        } else if job.client.begin() {
            self.run(job).await;
        }
    }

    /// Waits for the app's turn among all servers. A read continues without the turn after a while, because the
    /// holder may be suspended.
    async fn turn<'a>(
        &mut self,
        turns: Option<&'a mut Turns>,
        job: &mut Job,
    ) -> io::Result<Option<Turn<'a>>> {
        let Some(turns) = turns else { return Ok(None) };
        if turns.take_now() {
            return Ok(Some(turns.taken()));
        }
        let holder = turns.holder();
        let known = holder.is_some() && holder == self.asleep;
        let patience = if known { Duration::ZERO } else { self.shared.settings.patience };
        self.standing.send_if_modified(|standing| standing.waits(holder.clone()));
        tokio::select! {
            // The order matters: a free lock counts even if the patience ends at the same moment, so no read goes
            // without its turn needlessly.
            biased;
            turn = turns.take() => turn.inspect_err(|error| tracing::warn!(%error, "no turn can be taken")).map(Some),
            () = job.client.given_up() => Ok(None),
            () = tokio::time::sleep(patience), if job.kind == Kind::Read => {
                self.record.count(|counts| counts.without_turn += 1);
                self.asleep = holder;
                Ok(None)
            }
        }
    }

    async fn run(&mut self, job: Job) {
        let Job { script, kind, mut client, since } = job;
        let began = Instant::now();
        self.record.began(since);
        self.standing.send_if_modified(|standing| standing.becomes(Standing::Runs(began)));
        match self.run_for(&script, kind, &mut client, began).await {
            Some(event) => {
                self.record.ended(began, &event);
                if number(&event).is_some_and(|number| NO_CONSENT.contains(&number)) {
                    self.retire("no consent");
                }
                client.answer(event);
            }
            None => {
                self.retire("silent");
                self.standing.send_replace(Standing::Suspect(began));
            }
        }
    }

    /// Runs a script to its end. If the client gives up, the script still gets some time, so that the app can finish.
    ///
    /// `None` if it did not end.
    async fn run_for(
        &mut self,
        script: &Script,
        kind: Kind,
        client: &mut Client,
        began: Instant,
    ) -> Option<Event> {
        let (standing, end) = (self.standing.clone(), began + self.shared.settings.linger);
        let mut event = pin!(self.attempt(script, kind));
        tokio::select! {
            // The order matters: a result counts even if the client gives up at the same moment.
            biased;
            event = &mut event => return Some(event),
            () = client.given_up() => standing.send_replace(Standing::Silent(began)),
        };
        tokio::time::timeout_at(end.into(), event).await.ok()
    }

    /// Runs a script. If the connection broke, a read runs again, but only once and only while its client waits.
    async fn attempt(&mut self, script: &Script, kind: Kind) -> Event {
        let event = self.once(script, kind).await;
        let again = kind == Kind::Read && may_pass(&event) && !self.standing.borrow().is_silent();
        if !again {
            return event;
        }
        self.record.count(|counts| counts.retried += 1);
        self.once(script, kind).await
    }

    /// Runs a script once. If the worker ends before it has the whole request, another worker or a separate process
    /// runs the script.
    async fn once(&mut self, script: &Script, kind: Kind) -> Event {
        for _ in 0..2 {
            let ran = match self.ready().await {
                Some(worker) => worker.run(script).await,
                None => break,
            };
            let broken = match ran {
                Ok(event) => return event,
                Err(broken) => broken,
            };
            self.retire(broken.word());
            if !matches!(broken, Broken::Unasked) {
                return failed(broken, kind);
            }
        }
        self.alone(script, kind).await
    }

    async fn alone(&self, script: &Script, kind: Kind) -> Event {
        self.record.count(|counts| counts.one_shots += 1);
        match one_shot::run(&self.shared.settings, &self.shared.liveness, script).await {
            Ok(Event::Failed(failure)) => Event::Failed(doubtful(failure, kind)),
            Ok(event) => event,
            Err(error) => Event::Failed(RunFailure::Unstarted(error.to_string())),
        }
    }

    /// Returns the worker, starting it if necessary; `None` if the script needs its own process.
    async fn ready(&mut self) -> Option<&mut Worker> {
        let Shared { settings, liveness, slots, unfit, .. } = &*self.shared;
        let may_start = settings.workers && !unfit.is_set();
        if (self.worker.is_none() && !may_start) || !slots.claim(&self.app, &self.evicted) {
            self.worker = None;
            return None;
        }
        if self.worker.is_none() {
            self.worker = match Worker::start(settings, liveness).await {
                Ok(worker) => Some(worker),
                Err(broken) => {
                    slots.leave(&self.app);
                    unfit.failed(&broken);
                    None
                }
            };
        }
        self.worker.as_mut()
    }

    fn retire(&mut self, why: &str) {
        if self.worker.take().is_some() {
            tracing::debug!(app = %self.app, why, "a worker is retired");
            self.record.retired(why);
            self.shared.let_go.notify_one();
        }
        self.shared.slots.leave(&self.app);
    }

    /// Sends a harmless event to an app that did not recover. This may take long, but clients are answered meanwhile.
    async fn has_revived(&mut self) -> bool {
        let Standing::Suspect(since) = *self.standing.borrow() else { return true };
        let probe = Script::probe(&self.app);
        let end = tokio::time::Instant::now() + self.shared.settings.linger;
        let event = tokio::time::timeout_at(end, self.once(&probe, Kind::Read)).await.ok();
        let alive = event.is_some_and(|event| number(&event) != Some(EVENT_TIMED_OUT));
        if !alive {
            self.retire("silent");
        }
        self.standing.send_replace(if alive { Standing::Open } else { Standing::Suspect(since) });
        alive
    }

    async fn rest(&mut self) {
        self.shared.slots.rest(&self.app);
        let Some(worker) = &mut self.worker else { return };
        self.record.kept(worker);
        if worker.is_worn(self.shared.settings.growth).await {
            self.retire("worn");
        }
    }
}

/// Opens the files for an app's turns, if servers share them. A script that talks to no app needs no turn.
fn turns(app: &str, shared: &Shared) -> io::Result<Option<Turns>> {
    let Some(directory) = shared.settings.locks.as_ref().filter(|_| !app.is_empty()) else { return Ok(None) };
    let opened = Turns::open(directory, app);
    opened
        .inspect_err(|error| tracing::warn!(%error, "servers cannot take turns in {}", directory.display()))
        .map(Some)
}

/// The error for a change without a turn. A change never runs without one, because two servers would write to one app
/// at the same time.
fn no_turn(error: &io::Error) -> Event {
    Event::Failed(RunFailure::Busy(format!(
        "servers cannot take turns at it, because files cannot be locked: {error}"
    )))
}

async fn over(end: &mut Option<Pin<Box<Sleep>>>) {
    match end {
        Some(end) => end.await,
        None => std::future::pending().await,
    }
}

async fn falls(worker: &mut Option<Worker>) -> Broken {
    match worker {
        Some(worker) => worker.falls().await,
        None => std::future::pending().await,
    }
}

fn may_pass(event: &Event) -> bool {
    matches!(event, Event::Failed(RunFailure::Process(_))) || number(event) == Some(CONNECTION_INVALID)
}

/// The error number that a script ended with.
fn number(event: &Event) -> Option<i64> {
    match event {
        Event::Replied(text) if text.starts_with("{\"ok\":false") => {
            Reply::parse(text).ok()?.result.err().map(|error| error.number)
        }
        Event::Failed(RunFailure::Script { number, .. }) => Some(*number),
        _ => None,
    }
}

fn failed(broken: Broken, kind: Kind) -> Event {
    let failure = match broken {
        Broken::TooLong(most) => RunFailure::TooLarge(most),
        Broken::Ended(said) => raised::read(&said),
        other => RunFailure::Process(other.to_string()),
    };
    Event::Failed(doubtful(failure, kind))
}

/// A process that failed during a change may have done its work.
fn doubtful(failure: RunFailure, kind: Kind) -> RunFailure {
    match (failure, kind) {
        (RunFailure::Process(why), Kind::Change) => {
            RunFailure::Process(format!("{why}; whether it changed anything is not known"))
        }
        (failure, _) => failure,
    }
}
