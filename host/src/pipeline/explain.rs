//! What the gate would decide about a call. It asks nobody and changes nothing in an app. It reads the objects of the
//! call, and the log records these reads.

use std::sync::Arc;
use std::time::Instant;

use iac_core::app::Apps;
use iac_core::call::{Call, Tool};
use iac_core::fault::{Code, Fault};
use iac_core::permission::{Decided, Level, Question, Ruling};
use iac_core::step::{self, Outcome, Run, Step, Unresolved};
use iac_osascript::Kind;
use serde_json::{Map, Value as Json};
use tokio_util::sync::CancellationToken;

use super::permission::Attempt;
use super::{Pipeline, internal};
use crate::consent::Caller;

/// The decision about a call that is not run.
#[derive(Debug)]
pub enum Explained {
    /// The call would run, or it would first read what the user must be shown.
    Decided(Arc<Decided>),
    /// The user would be asked.
    Asked(Box<Question>),
    /// The objects of a change could not be looked up, so the decision is about its commands and properties only.
    Unresolved(Box<Unresolved>, String),
    /// The call would end without a script.
    Done(Box<Outcome>),
    /// The call is not valid.
    Fault(Box<Fault>),
}

/// Errors that say nothing about the call: the app does not answer.
const SILENT: [Code; 5] =
    [Code::AppNotRunning, Code::Unavailable, Code::Timeout, Code::AppBusy, Code::AutomationNotAuthorized];

impl Pipeline {
    /// Returns what the permission gate would decide about a call. It looks up the objects of the call, which are reads
    /// that the policy allows, because the decision depends on their number and class. It opens no app.
    pub async fn explain(&self, tool: Tool, arguments: &Map<String, Json>, caller: &Caller) -> Explained {
        let call = match Call::read(tool, arguments) {
            Ok(call) => call,
            Err(fault) => return Explained::Fault(Box::new(fault)),
        };
        let attempt = self.permission.attempt(tool.name(), arguments, caller);
        let explained = self.explained(call, &attempt).await;
        explained.unwrap_or_else(|fault| Explained::Fault(Box::new(fault)))
    }

    async fn explained(&self, call: Call, attempt: &Attempt<'_>) -> Result<Explained, Fault> {
        self.adopt();
        let call = self.permission.with_undos(call, self.clock.now()).await?;
        let apps = self.apps(self.need(&call)).await?;
        let kept = call.clone();
        let unresolved = || {
            let judged = |world: &mut step::World<'_>| step::unresolved(&kept, world);
            Ok::<_, Fault>(self.in_world(&apps, &&self.gate_of(attempt)?, judged))
        };
        let mut step = self.begin(&apps, attempt, |world| step::start(call, world))?;
        let mut found = None;
        loop {
            step = match step {
                Step::Run(run) if run.is_lookup() && run.decided.harm.level == Level::Safe => {
                    found = Some(Arc::clone(&run.decided));
                    self.look_up(run, &apps, attempt).await?
                }
                Step::Run(run) => match unresolved()?.filter(|_| run.opens_app()) {
                    Some(judged) => {
                        return Ok(Explained::Unresolved(
                            Box::new(judged),
                            "the app does not run".to_owned(),
                        ));
                    }
                    None => return Ok(Explained::Decided(run.decided)),
                },
                Step::Ask(ask) => {
                    let stricter = ask.is_lookup().then(unresolved).transpose()?.flatten();
                    return Ok(match stricter.filter(|judged| judged.ruling >= Ruling::Ask) {
                        Some(judged) => {
                            let why = "looking them up needs approval too";
                            Explained::Unresolved(Box::new(judged), why.to_owned())
                        }
                        None => Explained::Asked(Box::new(ask.question)),
                    });
                }
                Step::Load(load) => return Err(internal(&load.app)),
                Step::Done(outcome) => {
                    // A refusal of the gate is an answer, also if its reason is a disk that does not answer.
                    let is_silent = outcome.refused.is_none()
                        && SILENT.iter().any(|code| outcome.body["error"] == code.name());
                    return Ok(match (is_silent.then(unresolved).transpose()?.flatten(), found) {
                        (Some(judged), _) => {
                            let why = outcome.body["message"].as_str().unwrap_or_default().to_owned();
                            Explained::Unresolved(Box::new(judged), why)
                        }
                        (None, Some(decided)) if !outcome.is_error => Explained::Decided(decided),
                        _ => Explained::Done(Box::new(outcome)),
                    });
                }
            }
        }
    }

    /// Runs a read of a call, and continues with its answer.
    async fn look_up(&self, run: Run, apps: &Apps, attempt: &Attempt<'_>) -> Result<Step, Fault> {
        let Run { app, script, decided, pending, .. } = run;
        self.permission.decided(attempt, &decided, self.clock.now()).await?;
        let (place, left) = (self.supervisor.place(&app), self.supervisor.timeout());
        let began = Instant::now();
        let event = self.supervisor.run_at(place, left, Kind::Read, &script, CancellationToken::new()).await;
        let what = (&*app, decided.harm.level);
        self.permission.executed(attempt, what, &event, (began, self.clock.now())).await;
        Ok(self.decide(apps, attempt, |world| step::resume(pending, event, world)))
    }
}
