//! `consent`: shows the macOS consent for each app, and asks for it.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use iac_core::permission::{Answer, Choice, Question};
use serde_json::{Map, Value as Json};
use tokio_util::sync::CancellationToken;

use super::options::{Common, Mac};
use super::{Failure, paint};
use crate::consent::{Asked, Asker, Asking, Caller};

/// How many seconds a dialog of macOS stays open, plus some time for the answer to arrive.
const PATIENCE: u64 = 620;

/// macOS asks about the app that started this program: an answer in a terminal counts for that terminal, and not for
/// another MCP client.
#[derive(Debug, Args)]
pub(super) struct Consent {
    /// The app, for example Mail. Without it the command shows the state of every app, and opens no dialog.
    app: Option<String>,
}

/// An asker that always agrees, because the person who typed the command asked for the dialog.
#[derive(Debug)]
struct Typed;

impl Asker for Typed {
    fn ask<'a>(&'a self, question: &'a Question, _: Duration) -> Asking<'a> {
        let (choice, digest, by) = (Choice::Once, question.digest(), "command line".to_owned());
        Box::pin(async move {
            // If the announcement cannot be printed, the dialog is still shown.
            _ = announce();
            Asked::Answered(Answer::Chosen { choice, digest, by })
        })
    }
}

fn announce() -> std::io::Result<()> {
    let mut stderr = paint::stderr();
    writeln!(stderr, "macOS now shows its dialog; it may be behind other windows. Click Allow (or OK).")?;
    writeln!(stderr, "Reminders, Contacts and Calendar may show a second one.")?;
    writeln!(stderr, "Do not press Ctrl-C meanwhile: macOS may keep that as a no.")
}

impl Consent {
    pub(super) fn run(self, common: &Common, mut mac: Mac) -> Result<(), Failure> {
        mac.timeout = mac.timeout.or(Some(PATIENCE));
        let (all, of_app) = (arguments(None), self.app.as_deref().map(|app| arguments(Some(app))));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let outcome = runtime.block_on(async {
            let router = mac.router(common, &[])?;
            let caller = Caller::new("iac-mcp consent", Arc::new(Typed));
            let ask = async |arguments| {
                let (plugins, cancel) = (router.plugins.status(), CancellationToken::new());
                router.pipeline.system(arguments, &caller, plugins, cancel).await.outcome
            };
            let mut outcome = ask(&all).await;
            if let (Some(of_app), false) = (&of_app, outcome.is_error) {
                if !common.json {
                    writeln!(paint::stderr(), "{}", about(&outcome.body))?;
                }
                outcome = ask(of_app).await;
            }
            router.pipeline.shutdown().await;
            Ok::<_, Failure>(outcome)
        })?;
        let body = &outcome.body;
        if common.json {
            paint::answer(body, true)?;
            return if outcome.is_error { Err(Failure::Said) } else { Ok(()) };
        }
        if outcome.is_error {
            let text = |key: &str| body[key].as_str().unwrap_or_default().to_owned();
            let suggestion = super::at_a_terminal(&text("suggestion"));
            return Err(Failure::Failed(format!("{}\n{suggestion}", text("message"))));
        }
        match body["apps"].as_array() {
            Some(apps) => list(body, apps),
            None => one(body),
        }
    }
}

fn arguments(app: Option<&str>) -> Map<String, Json> {
    let mut arguments = Map::from_iter([("action".to_owned(), Json::from("consent"))]);
    arguments.extend(app.map(|app| ("app".to_owned(), Json::from(app))));
    arguments
}

fn one(body: &Json) -> Result<(), Failure> {
    let text = |key: &str| body[key].as_str().unwrap_or_default();
    let who = body["responsible"].as_str().map(|name| format!(" to {name}")).unwrap_or_default();
    writeln!(paint::stdout(), "{}: {}{who}", text("app"), text("state"))?;
    Ok(note(body)?)
}

fn list(body: &Json, apps: &[Json]) -> Result<(), Failure> {
    writeln!(paint::stdout(), "{}", about(body))?;
    note(body)?;
    let mut table = paint::table(&["App", "Bundle id", "Consent"]);
    for app in apps {
        table.add_row(["name", "app", "state"].map(|key| app[key].as_str().unwrap_or_default().to_owned()));
    }
    Ok(paint::print(&table)?)
}

/// Returns the name of the program that macOS asks about.
fn about(body: &Json) -> String {
    let name = body["responsible"]
        .as_str()
        .unwrap_or("the app that started this program (macOS does not say which)");
    format!("macOS asks about: {name}")
}

fn note(body: &Json) -> std::io::Result<()> {
    match body["note"].as_str() {
        Some(note) => writeln!(paint::stdout(), "{note}"),
        None => Ok(()),
    }
}
