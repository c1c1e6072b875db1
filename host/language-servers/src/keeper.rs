//! Manages one server: starts it when it is needed, restarts it when it dies, and stops it when it is idle.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use crate::connection::lock;
use crate::disk::Disk;
use crate::files::Files;
use crate::find;
use crate::launch::Launch;
use crate::profile::Profile;
use crate::server::{Halt, Server, Start, start};
use crate::settings::Settings;
use crate::types::{
    Answered, Cause, Completions, Doubt, Failure, Freshness, Locations, Shown, State, Status, Symbols,
};

/// A server that dies this many times within this time is not started again.
const MOST_DEATHS: usize = 5;
const REMEMBERED: Duration = Duration::from_mins(5);

/// The longest wait before a server is started again.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// How long the result of the search for the program is cached.
const FOUND: Duration = Duration::from_secs(2);

/// How long after its deadline the host gives up on a question that has not ended.
const LATE: Duration = Duration::from_millis(500);

/// How often a running server is checked.
const ROUND: Duration = Duration::from_secs(5);

/// The state that all keepers of a process share.
pub(crate) struct House {
    pub(crate) launcher: Arc<dyn Launch>,
    pub(crate) settings: Settings,
    pub(crate) keepers: Mutex<Vec<Weak<Keeper>>>,
}

/// Starts a server when a question needs it, and keeps it running while it is used.
pub(crate) struct Keeper {
    pub(crate) profile: Arc<Profile>,
    house: Arc<House>,
    disk: Arc<Disk>,
    files: Arc<Files>,
    slot: Mutex<Slot>,
    history: Mutex<History>,
    found: Mutex<Option<(Instant, Result<PathBuf, String>)>>,
}

type Started = Option<Result<Arc<Server>, Failure>>;

enum Slot {
    Empty,
    Starting { starting: watch::Receiver<Started>, _task: Task },
    Running { server: Arc<Server>, _warming: Task },
}

/// A task that is aborted when its slot is emptied. Otherwise a start that was stopped could take the slot of the
/// next one, and a task that waits for a server to become ready would keep that server alive.
struct Task(AbortHandle);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[derive(Default)]
struct History {
    deaths: VecDeque<Instant>,
    restarts: u32,
    reason: Option<String>,
}

/// An answer with a freshness to which doubts can be added.
pub(crate) trait Doubted {
    fn freshness(&mut self) -> &mut Freshness;
}

macro_rules! doubted {
    ($($answer:ty),*) => {$(
        impl Doubted for $answer {
            fn freshness(&mut self) -> &mut Freshness {
                &mut self.freshness
            }
        }
    )*};
}

doubted!(Symbols, Shown, Completions, Locations);

impl Doubted for Arc<Symbols> {
    fn freshness(&mut self) -> &mut Freshness {
        &mut Self::make_mut(self).freshness
    }
}

impl<T> Doubted for Answered<T> {
    fn freshness(&mut self) -> &mut Freshness {
        &mut self.freshness
    }
}

impl Keeper {
    pub(crate) fn new(
        profile: Arc<Profile>,
        house: &Arc<House>,
        disk: &Arc<Disk>,
        files: &Arc<Files>,
    ) -> Arc<Self> {
        let keeper = Arc::new(Self {
            profile,
            house: Arc::clone(house),
            disk: Arc::clone(disk),
            files: Arc::clone(files),
            slot: Mutex::new(Slot::Empty),
            history: Mutex::default(),
            found: Mutex::new(None),
        });
        let mut keepers = lock(&house.keepers);
        keepers.retain(|keeper| keeper.strong_count() > 0);
        keepers.push(Arc::downgrade(&keeper));
        keeper
    }

    /// Asks the server. If the server dies meanwhile, asks once more.
    pub(crate) async fn ask<T: Doubted, F>(
        self: &Arc<Self>,
        deadline: Instant,
        ask: impl Fn(Arc<Server>) -> F,
    ) -> Result<T, Failure>
    where
        F: Future<Output = Result<T, Halt>>,
    {
        match self.in_time(deadline, ask(self.server(deadline).await?)).await {
            Ok(answer) => return Ok(answer),
            Err(Halt::Failure(failure)) => return Err(failure),
            Err(Halt::Ended(reason)) => {
                tracing::info!(server = self.profile.name, reason, "a language server ended")
            }
        }
        match self.in_time(deadline, ask(self.server(deadline).await?)).await {
            Ok(mut answer) => {
                answer.freshness().doubt(Doubt::Restarted);
                Ok(answer)
            }
            Err(Halt::Failure(failure)) => Err(failure),
            Err(Halt::Ended(reason)) => Err(self.crashed(&reason)),
        }
    }

    /// Waits for an answer until the caller's deadline, even if another question delays it.
    async fn in_time<T>(
        &self,
        deadline: Instant,
        asked: impl Future<Output = Result<T, Halt>>,
    ) -> Result<T, Halt> {
        timeout_at(deadline + LATE, asked).await.unwrap_or_else(|_| {
            let message = format!("{} was busy with another question until time was up", self.profile.name);
            Err(Failure::new(Cause::Timeout, message)
                .suggest("allow more time, or ask again")
                .retry(1_000)
                .into())
        })
    }

    fn crashed(&self, reason: &str) -> Failure {
        let message =
            format!("{} died and was restarted; the question failed twice: {reason}", self.profile.name);
        Failure::new(Cause::Crashed, message).suggest("ask about another file, or restart the server")
    }

    /// Returns the server, after starting it if necessary.
    pub(crate) async fn server(self: &Arc<Self>, deadline: Instant) -> Result<Arc<Server>, Failure> {
        loop {
            let mut starting = match self.at_hand()? {
                Ok(server) => return Ok(server),
                Err(starting) => starting,
            };
            let started = timeout_at(deadline, starting.wait_for(Option::is_some)).await;
            match started {
                Ok(Ok(started)) => return started.clone().unwrap_or_else(|| Err(self.still_starting())),
                // The question that started the server was cancelled. The next iteration starts it.
                Ok(Err(_)) => {}
                Err(_) => return Err(self.still_starting()),
            }
        }
    }

    /// Returns the running server, or a receiver for the start in progress.
    fn at_hand(self: &Arc<Self>) -> Result<Result<Arc<Server>, watch::Receiver<Started>>, Failure> {
        let mut slot = lock(&self.slot);
        match &*slot {
            Slot::Running { server, .. } => match server.ended() {
                None => return Ok(Ok(Arc::clone(server))),
                Some(reason) => self.died(reason),
            },
            Slot::Starting { starting, .. }
                if starting.has_changed().is_ok() || starting.borrow().is_some() =>
            {
                return Ok(Err(starting.clone()));
            }
            Slot::Starting { .. } | Slot::Empty => {}
        }
        *slot = Slot::Empty;
        let program = self.program()?;
        let wait = self.wait()?;
        let (sender, starting) = watch::channel(None);
        let task = tokio::spawn(Arc::clone(self).start(program, wait, sender));
        *slot = Slot::Starting { starting: starting.clone(), _task: Task(task.abort_handle()) };
        Ok(Err(starting))
    }

    async fn start(self: Arc<Self>, program: PathBuf, at: Option<Instant>, done: watch::Sender<Started>) {
        if let Some(at) = at {
            sleep_until(at).await;
        }
        self.make_room(self.house.settings.most.saturating_sub(1));
        let begun = start(Start {
            profile: &self.profile,
            program,
            disk: &self.disk,
            files: &self.files,
            launcher: self.house.launcher.as_ref(),
            settings: &self.house.settings,
        });
        let begun = begun.await;
        {
            let mut slot = lock(&self.slot);
            let own = done.subscribe();
            if !matches!(&*slot, Slot::Starting { starting, .. } if starting.same_channel(&own)) {
                return;
            }
            match &begun {
                Ok(server) => {
                    let warming = tokio::spawn(Arc::clone(server).warm_up());
                    let _warming = Task(warming.abort_handle());
                    *slot = Slot::Running { server: Arc::clone(server), _warming };
                    tokio::spawn(tend(Arc::downgrade(&self), Arc::downgrade(server)));
                }
                Err(failure) => {
                    *slot = Slot::Empty;
                    self.died(failure.message.clone());
                }
            }
        }
        done.send_replace(Some(begun));
        // Other servers may have started meanwhile.
        self.make_room(self.house.settings.most);
    }

    fn still_starting(&self) -> Failure {
        let message = format!("{} is still starting", self.profile.name);
        Failure::new(Cause::Timeout, message).suggest("allow more time, or ask again").retry(2_000)
    }

    fn died(&self, reason: String) {
        let mut history = lock(&self.history);
        history.deaths.push_back(Instant::now());
        history.restarts += 1;
        history.reason = Some(reason);
    }

    /// Returns when it may be started again: at once after the first death, and later after each further one.
    fn wait(&self) -> Result<Option<Instant>, Failure> {
        let mut history = lock(&self.history);
        while history.deaths.front().is_some_and(|death| death.elapsed() > REMEMBERED) {
            history.deaths.pop_front();
        }
        let deaths = history.deaths.len();
        if deaths >= MOST_DEATHS {
            let reason = history.reason.clone().unwrap_or_default();
            let message = format!(
                "{} ended {deaths} times in 5 minutes and is not started any more: {reason}",
                self.profile.name
            );
            return Err(Failure::new(Cause::GaveUp, message).suggest("repair what it says, then restart it"));
        }
        let steps = u32::try_from(deaths.saturating_sub(2)).unwrap_or(u32::MAX);
        let wait =
            if deaths < 2 { Duration::ZERO } else { Duration::from_secs(1 << steps).min(LONGEST_WAIT) };
        Ok(history.deaths.back().map(|death| *death + wait))
    }

    /// Stops the least recently used servers until at most `left` of them run.
    fn make_room(&self, left: usize) {
        let keepers: Vec<Arc<Self>> = lock(&self.house.keepers).iter().filter_map(Weak::upgrade).collect();
        let mut running: Vec<(Duration, &Arc<Self>)> =
            keepers.iter().filter_map(|keeper| Some((keeper.running()?.unused(), keeper))).collect();
        running.sort_by_key(|(unused, _)| *unused);
        for (_, keeper) in running.drain(left.min(running.len())..) {
            keeper.stop();
        }
    }

    /// Stops the server, and forgets earlier deaths.
    pub(crate) fn restart(&self) {
        *lock(&self.history) = History::default();
        *lock(&self.found) = None;
        self.stop();
    }

    pub(crate) fn stop(&self) {
        self.empty(|_| true);
    }

    /// Stops this server, unless another one has replaced it.
    fn stop_only(&self, server: &Arc<Server>) {
        self.empty(
            |slot| matches!(slot, Slot::Running { server: running, .. } if Arc::ptr_eq(running, server)),
        );
    }

    fn empty(&self, is_meant: impl FnOnce(&Slot) -> bool) {
        let mut slot = lock(&self.slot);
        if !is_meant(&slot) {
            return;
        }
        let before = std::mem::replace(&mut *slot, Slot::Empty);
        drop(slot);
        if let Slot::Running { server, .. } = before {
            tokio::spawn(async move { server.stop().await });
        }
    }

    /// Whether it is running or starting.
    pub(crate) fn is_active(&self) -> bool {
        !matches!(*lock(&self.slot), Slot::Empty)
    }

    fn running(&self) -> Option<Arc<Server>> {
        match &*lock(&self.slot) {
            Slot::Running { server, .. } if server.ended().is_none() => Some(Arc::clone(server)),
            _ => None,
        }
    }

    /// Finds the program.
    ///
    /// # Errors
    /// `NotInstalled`.
    pub(crate) fn program(&self) -> Result<PathBuf, Failure> {
        let mut found = lock(&self.found);
        let fresh = found.take().filter(|(at, _)| at.elapsed() < FOUND);
        let (at, result) = fresh.unwrap_or_else(|| {
            (Instant::now(), find::program(&self.profile, &self.house.settings, self.disk.path()))
        });
        *found = Some((at, result.clone()));
        result.map_err(|why| {
            let failure = Failure::new(Cause::NotInstalled, why);
            match &self.profile.install {
                Some(install) => failure.suggest(format!("install: {install}")),
                None => failure,
            }
        })
    }

    /// Returns the status of the server, without starting it.
    pub(crate) fn status(&self) -> Status {
        let running = self.running();
        let (state, message) = self.condition(running.as_deref());
        let server = running.as_deref();
        Status {
            profile: self.profile.name.clone(),
            languages: self.profile.languages(),
            extensions: self.profile.files.keys().cloned().collect(),
            state,
            message,
            progress: server.and_then(Server::work),
            version: server.and_then(Server::version),
            abilities: server.map_or(self.profile.abilities, Server::abilities),
            naming: self.profile.naming,
            search: self.profile.search,
            restarts: lock(&self.history).restarts,
            memory: server.map(|server| server.memory.load(Ordering::Relaxed)).filter(|memory| *memory > 0),
        }
    }

    fn condition(&self, running: Option<&Server>) -> (State, Option<String>) {
        if let Some(server) = running {
            return (server.state(), server.message());
        }
        let starting = matches!(*lock(&self.slot), Slot::Starting { .. });
        match (starting, self.program(), self.wait()) {
            (true, ..) => (State::Starting, None),
            (_, Err(failure), _) => (State::Absent, Some(words(&failure))),
            (.., Err(failure)) => (State::Dead, Some(failure.message)),
            _ => (State::Idle, lock(&self.history).reason.clone()),
        }
    }
}

fn words(failure: &Failure) -> String {
    let suggestion = failure.suggestion.as_deref().map(|text| format!("; {text}")).unwrap_or_default();
    format!("{}{suggestion}", failure.message)
}

/// Watches a server while it runs: stops an idle one, and restarts one that uses too much memory.
async fn tend(keeper: Weak<Keeper>, server: Weak<Server>) {
    loop {
        let round = keeper.upgrade().map_or(ROUND, |keeper| ROUND.min(keeper.house.settings.idle / 4));
        sleep(round.max(Duration::from_millis(20))).await;
        let (Some(keeper), Some(server)) = (keeper.upgrade(), server.upgrade()) else { return };
        if server.ended().is_some() {
            return;
        }
        let memory = match server.pid {
            Some(pid) => keeper.house.launcher.memory(pid).await.unwrap_or_default(),
            None => 0,
        };
        server.weighs(memory);
        if memory > keeper.house.settings.memory {
            keeper.died(format!("it held {} MiB of memory", memory / 1024 / 1024));
            return keeper.stop_only(&server);
        }
        if server.unused() >= keeper.house.settings.idle {
            return keeper.stop_only(&server);
        }
    }
}
