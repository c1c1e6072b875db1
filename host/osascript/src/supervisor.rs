//! The lanes of all apps.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use iac_core::jxa::Script;
use iac_core::step::{Event, RunFailure};
use tokio::sync::{Notify, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::job::{self, Limits};
use crate::lane::{Entrance, Lane, Shared};
use crate::one_shot;
use crate::queue::{self, NoPlace};
use crate::report::{self, Report};
use crate::settings::{Kind, Settings};
use crate::slots::Slots;
use crate::spawn::Liveness;
use crate::unfit::Unfit;

/// Runs scripts, and is responsible for every process that it starts.
#[derive(Debug)]
pub struct Supervisor {
    pub(crate) shared: Arc<Shared>,
    lanes: Mutex<HashMap<Arc<str>, Entrance>>,
    tasks: TaskTracker,
}

/// A place for one script in the lane of an app. Dropping it gives the place up. The lane skips a place that has no
/// script for too long.
#[derive(Debug)]
pub struct Place {
    app: Arc<str>,
    entrance: Entrance,
    taken: Result<queue::Place, NoPlace>,
}

impl Supervisor {
    /// Makes a supervisor. It starts no process until the first script.
    ///
    /// # Errors
    /// Too many files are open.
    pub fn new(settings: Settings) -> io::Result<Self> {
        let (liveness, slots) = (Liveness::new()?, Slots::new(settings.most_workers));
        let (unfit, closed, let_go) = (Unfit::default(), CancellationToken::new(), Notify::new());
        let shared = Arc::new(Shared { settings, liveness, slots, unfit, closed, let_go });
        Ok(Self { shared, lanes: Mutex::default(), tasks: TaskTracker::new() })
    }

    /// Runs a script that talks to one app, given by its bundle id. The id is empty if the script talks to no app.
    ///
    /// Returns within the time limit in every case. Dropping the future cancels the script.
    pub async fn run(&self, app: &str, kind: Kind, script: &Script, cancel: CancellationToken) -> Event {
        self.run_at(self.place(app), self.timeout(), kind, script, cancel).await
    }

    /// Runs a script in its own process, outside all lanes, for at most this long. It goes on even without its
    /// client, because it waits for a person. `over` is called when it ends.
    pub fn apart(
        &self,
        script: Script,
        most: Duration,
        over: impl FnOnce() + Send + 'static,
    ) -> oneshot::Receiver<Event> {
        let (answer, answered) = oneshot::channel();
        let shared = Arc::clone(&self.shared);
        self.tasks.spawn(async move {
            let run = one_shot::run(&shared.settings, &shared.liveness, &script);
            let limited = tokio::time::timeout(most, run);
            let event = match shared.closed.run_until_cancelled(limited).await {
                Some(Ok(Ok(event))) => event,
                Some(Ok(Err(error))) => Event::Failed(RunFailure::Unstarted(error.to_string())),
                Some(Err(_)) => Event::Failed(RunFailure::Timeout(job::millis(most))),
                None => job::stopping(),
            };
            over();
            // The client may be gone. Then the answer is stored by the system, where the next call finds it.
            _ = answer.send(event);
        });
        answered
    }

    /// Runs a script in its own process. The process and its descendants are killed when the client cancels or the
    /// time is over.
    pub async fn alone(&self, script: &Script, left: Duration, cancel: CancellationToken) -> Event {
        let run = one_shot::run(&self.shared.settings, &self.shared.liveness, script);
        tokio::select! {
            biased;
            event = run => event.unwrap_or_else(|error| Event::Failed(RunFailure::Unstarted(error.to_string()))),
            () = cancel.cancelled() => Event::Failed(RunFailure::Cancelled),
            () = self.shared.closed.cancelled() => job::stopping(),
            () = tokio::time::sleep(left) => Event::Failed(RunFailure::Timeout(job::millis(self.timeout()))),
        }
    }

    /// The time limit of a call.
    pub fn timeout(&self) -> Duration {
        self.shared.settings.timeout
    }

    /// Reserves the last place in the lane of an app. Scripts that come later run later, although this script is not
    /// known yet.
    pub fn place(&self, app: &str) -> Place {
        let (app, entrance) = self.entrance(app);
        let taken = entrance.door.place();
        Place { app, entrance, taken }
    }

    /// Runs a script at a reserved place. `left` is what remains of the client's time, because the client has already
    /// waited.
    pub async fn run_at(
        &self,
        place: Place,
        left: Duration,
        kind: Kind,
        script: &Script,
        cancel: CancellationToken,
    ) -> Event {
        let Place { entrance: Entrance { door, standing, record }, taken, .. } = place;
        record.asked();
        let (job, ticket) = job::job(script, kind);
        let event = match taken.and_then(|place| door.enter(place, job)) {
            Ok(()) => {
                let Settings { timeout, patience, .. } = self.shared.settings;
                ticket.outcome(standing, Limits { left, timeout, patience, cancel }).await
            }
            Err(NoPlace::Full) => {
                Event::Failed(RunFailure::Busy(format!("{} calls wait for it", queue::MOST)))
            }
            Err(NoPlace::Ended) => job::stopping(),
        };
        record.answered(&event);
        event
    }

    /// Kills all running scripts.
    pub async fn shutdown(&self) {
        self.shared.closed.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// Waits until a worker is released. That changes the report although no call ends. Only one task may wait here.
    pub async fn worker_let_go(&self) {
        self.shared.let_go.notified().await;
    }

    /// Describes the state of every app.
    pub fn report(&self) -> Report {
        let lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        Report {
            workers: self.shared.slots.taken(),
            most_workers: self.shared.settings.most_workers,
            unfit: self.shared.unfit.is_set(),
            apps: lanes
                .iter()
                .map(|(app, entrance)| (app.to_string(), report::of(entrance)))
                .filter(|(_, report)| report.counts.calls > 0)
                .collect(),
        }
    }

    fn entrance(&self, app: &str) -> (Arc<str>, Entrance) {
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((app, entrance)) = lanes.get_key_value(app) {
            return (Arc::clone(app), entrance.clone());
        }
        let app: Arc<str> = app.into();
        let (lane, entrance) = Lane::new(&app, &self.shared);
        self.tasks.spawn(lane.serve());
        lanes.insert(Arc::clone(&app), entrance.clone());
        (app, entrance)
    }
}

impl Place {
    /// Tells whether the place is in the lane of this app.
    pub fn is_for(&self, app: &str) -> bool {
        *self.app == *app
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.shared.closed.cancel();
    }
}
