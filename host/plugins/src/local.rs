//! Answers host calls that need no app: files below granted roots, and the plugins' stores.

mod files;
mod store;

use std::collections::BTreeSet;
use std::sync::Arc;

use cap_std::fs::Dir;
use files::Root;
use iac_language_servers::closed::{Closed, Fences};
use serde_json::{Value as Json, json};

use crate::failure::Fault;
use crate::host::{Answer, Caller, Host, Noted, Progress, Question, Refusal};

/// Answers questions about files and the store, and passes the others to the host of the apps.
pub struct Local {
    data: Arc<Dir>,
    fences: Arc<Fences>,
    apps: Arc<dyn Host>,
}

impl Local {
    /// Stores the plugins' data in `data`, reads no file that is closed, and passes other questions on.
    pub fn new(data: Arc<Dir>, closed: Arc<dyn Closed>, apps: Arc<dyn Host>) -> Self {
        Self { data, fences: Arc::new(Fences::new(closed)), apps }
    }
}

impl Host for Local {
    fn ask<'a>(&'a self, caller: &'a Caller, question: Question) -> Answer<'a> {
        if question.is_elsewhere() {
            return self.apps.ask(caller, question);
        }
        let (data, fences, caller) = (Arc::clone(&self.data), Arc::clone(&self.fences), caller.clone());
        // A disk can wait until somebody plugs it in. The threads that answer calls cannot, so this runs on a
        // blocking thread.
        let answering = tokio::task::spawn_blocking(move || answer(&data, &fences, &caller, question));
        Box::pin(async move {
            let answer = answering.await.map_err(|error| Fault::new("internal", error.to_string()))?;
            answer.map(Json::into).map_err(Refusal::Fault)
        })
    }

    fn recalled<'a>(&'a self, sources: &'a BTreeSet<String>) -> Noted<'a> {
        self.apps.recalled(sources)
    }

    fn progress(&self, caller: &Caller, progress: Progress) {
        self.apps.progress(caller, progress);
    }
}

fn answer(data: &Dir, fences: &Fences, caller: &Caller, question: Question) -> Result<Json, Fault> {
    let plugin = caller.plugin.as_str();
    match question {
        Question::OpenRoot { root } => Root::open(&root, fences).map(|_| json!({})),
        Question::Entries { root, path, after, limit } => {
            Root::open(&root, fences)?.entries(&path, after.as_deref(), limit)
        }
        Question::ReadText { root, path, offset, limit } => {
            Root::open(&root, fences)?.read(&path, offset, limit)
        }
        Question::StoreGet { key } => store::get(data, plugin, &key),
        Question::StorePut { key, value } => store::put(data, plugin, (key, value), &caller.heard),
        Question::StoreRemove { key } => store::remove(data, plugin, &key),
        Question::StoreKeys { prefix, after, limit } => {
            store::keys(data, plugin, &prefix, after.as_deref(), limit)
        }
        Question::OpenApp { .. }
        | Question::App { .. }
        | Question::Script { .. }
        | Question::OpenWorkspace { .. }
        | Question::LanguageServers { .. }
        | Question::Http { .. } => {
            Err(Fault::new("internal", "apps, language servers and web servers are answered elsewhere"))
        }
    }
}
