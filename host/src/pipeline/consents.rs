//! Asks macOS for consent. Each app has at most one open dialog, which outlives the call that opened it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use iac_core::Millis;
use iac_core::call::Call;
use iac_core::jxa::Script;
use iac_core::series::index;
use iac_core::step::{self, Event, RunFailure};
use serde_json::{Map, Value as Json};
use tokio_util::sync::CancellationToken;

use super::{Answer, Pipeline, millis};
use crate::consent::Caller;

/// How long a dialog stays open. macOS closes it when its Apple event times out, and may store that as a refusal.
const DIALOG: Duration = Duration::from_mins(10);

/// The apps with an open dialog.
#[derive(Clone, Debug, Default)]
pub(super) struct Consents(Arc<Mutex<BTreeSet<String>>>);

impl Consents {
    /// Marks a dialog as open. Returns false if it already is.
    fn open(&self, app: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(app.to_owned())
    }

    fn is_open(&self, app: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(app)
    }

    fn close(&self, app: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(app);
    }
}

impl Pipeline {
    /// Asks macOS for consent to control an app or to access a library, or reports the state for all apps. The user
    /// is asked first.
    pub async fn consent(
        &self,
        (app, access): (Option<String>, Option<String>),
        tool: (&str, &Map<String, Json>),
        caller: &Caller,
        cancel: CancellationToken,
    ) -> Answer {
        let started = Instant::now();
        self.adopt();
        let (name, arguments) = tool;
        let attempt = self.permission.attempt(name, arguments, caller);
        self.find_apps().await;
        let beside = access.as_deref().and_then(|access| Some(index(access)?.0.into()));
        let open = beside.or_else(|| app.as_deref().and_then(|app| self.catalog.known_as(app)));
        let driven = match open.filter(|id| self.consents.is_open(id)) {
            Some(id) => step::consent_is_open(&id).into(),
            None => self.drive(Call::Consent { app, access }, None, &attempt, cancel).await,
        };
        self.ended(driven, started)
    }

    /// Opens the dialog and waits for its answer, for at most as long as the client waits.
    pub(super) async fn ask_consent(
        &self,
        app: &str,
        script: Script,
        left: Duration,
        cancel: &CancellationToken,
    ) -> Event {
        if !self.consents.open(app) {
            return Event::Failed(RunFailure::Timeout(Millis(0)));
        }
        let (consents, id) = (self.consents.clone(), app.to_owned());
        let answered = self.supervisor.apart(script, DIALOG, move || consents.close(&id));
        tokio::select! {
            event = answered => {
                event.unwrap_or_else(|_| Event::Failed(RunFailure::Process("it ended early".to_owned())))
            }
            () = cancel.cancelled() => Event::Failed(RunFailure::Cancelled),
            () = tokio::time::sleep(left) => Event::Failed(RunFailure::Timeout(millis(left))),
        }
    }
}
