//! The texts that are open in the server, and the changes of other files that the server is told of.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value as Json, json};
use tokio::time::Instant;

use super::{Halt, Server};
use crate::connection::lock;
use crate::listing::{Found, extension};
use crate::scope;
use crate::text::Text;

/// The most texts that are open at the same time.
const MOST_OPEN: usize = 64;

/// The most files to open again after one change. A checkout of another branch changes thousands.
const MOST_REOPENED: usize = 100;

/// The texts that are open.
#[derive(Default)]
pub(super) struct Documents {
    open: HashMap<String, Open>,
    turn: u64,
}

struct Open {
    version: i64,
    text: Arc<Text>,
    synced: Instant,
    used: u64,
    stays: bool,
    /// The generation of file changes in which the server read it.
    generation: u64,
}

/// A text as it was sent to the server.
#[derive(Clone)]
pub(super) struct Shown {
    pub(super) text: Arc<Text>,
    pub(super) version: i64,
    pub(super) synced: Instant,
}

impl Server {
    /// Opens a file in the server with its newest text.
    pub(super) async fn show(&self, path: &str) -> Result<Shown, Halt> {
        let mut documents = self.documents.lock().await;
        let (text, _) = self.files.text(path)?;
        Ok(self.show_in(&mut documents, path, text))
    }

    /// Opens a file in the server that stays open.
    pub(super) async fn anchor(&self, path: &str) -> Result<Shown, Halt> {
        let mut documents = self.documents.lock().await;
        let (text, _) = self.files.text(path)?;
        let shown = self.show_in(&mut documents, path, text);
        if let Some(open) = documents.open.get_mut(path) {
            open.stays = true;
        }
        Ok(shown)
    }

    /// Closes a text that is open in the server.
    pub(super) async fn hide(&self, path: &str) {
        self.close(&mut *self.documents.lock().await, path);
    }

    /// Asks about a text that differs from the file's. No other question runs meanwhile, and afterwards the file's
    /// own text is restored.
    pub(super) async fn with_overlay(
        &self,
        path: &str,
        overlay: Arc<Text>,
        method: &str,
        params: &Json,
        deadline: Instant,
    ) -> Result<Json, Halt> {
        let mut documents = self.documents.lock().await;
        let (text, _) = self.files.text(path)?;
        self.show_in(&mut documents, path, overlay);
        let mut restored = Restore { server: self, path, text: Some(text), documents: &mut documents };
        let answer = self.ask(method, params, deadline).await;
        restored.restore();
        answer
    }

    fn show_in(&self, documents: &mut Documents, path: &str, text: Arc<Text>) -> Shown {
        documents.turn += 1;
        let turn = documents.turn;
        let stays = self.forget_included(documents, path);
        if let Some(open) = documents.open.get_mut(path) {
            open.used = turn;
            if !Arc::ptr_eq(&open.text, &text) && open.text != text {
                open.version += 1;
                open.text = text;
                open.synced = Instant::now();
                lock(&self.heard.hidden).remove(path);
                let document = json!({"uri": self.disk.uri(path), "version": open.version});
                let changes = json!([{"text": open.text.as_str()}]);
                self.connection.notify(
                    "textDocument/didChange",
                    &json!({"textDocument": document, "contentChanges": changes}),
                );
            }
            return Shown { text: Arc::clone(&open.text), version: open.version, synced: open.synced };
        }
        self.make_room(documents);
        let language = self.profile.files.get(extension(path)).map_or("plaintext", String::as_str);
        let document =
            json!({"uri": self.disk.uri(path), "languageId": language, "version": 1, "text": text.as_str()});
        self.connection.notify("textDocument/didOpen", &json!({"textDocument": document}));
        let synced = Instant::now();
        let generation = self.generation.load(Ordering::Relaxed);
        let shown = Shown { text: Arc::clone(&text), version: 1, synced };
        documents
            .open
            .insert(path.to_owned(), Open { version: 1, text, synced, used: turn, stays, generation });
        shown
    }

    /// Closes a text that the server read before one of its includes changed. Returns whether it should stay open.
    fn forget_included(&self, documents: &mut Documents, path: &str) -> bool {
        let changed = self.included.load(Ordering::Relaxed);
        let Some(open) = documents.open.get(path).filter(|open| open.generation < changed) else {
            return false;
        };
        let stays = open.stays;
        self.close(documents, path);
        stays
    }

    fn make_room(&self, documents: &mut Documents) {
        if documents.open.len() < MOST_OPEN {
            return;
        }
        let oldest = documents.open.iter().filter(|(_, open)| !open.stays).min_by_key(|(_, open)| open.used);
        if let Some(oldest) = oldest.map(|(path, _)| path.clone()) {
            self.close(documents, &oldest);
        }
    }

    fn close(&self, documents: &mut Documents, path: &str) {
        if documents.open.remove(path).is_some() {
            lock(&self.heard.pushed).remove(path);
            lock(&self.heard.hidden).remove(path);
            let document = json!({"uri": self.disk.uri(path)});
            self.connection.notify("textDocument/didClose", &json!({"textDocument": document}));
        }
    }

    /// Tells the server about changes on disk since the last call.
    pub(super) async fn refresh(&self) {
        let found = self.files.all();
        let before = lock(&self.compared).replace(Arc::clone(&found));
        if !before.is_some_and(|before| Arc::ptr_eq(&before, &found)) {
            self.tell(&found);
        }
        self.follow().await;
    }

    fn tell(&self, found: &[Found]) {
        let changes = self.compare(found);
        if changes.is_empty() {
            return;
        }
        let generation = self.generation.fetch_add(1, Ordering::Relaxed) + 1;
        let is_included = |path: &str| self.profile.included.iter().any(|one| one == extension(path));
        if changes.iter().any(|(path, _)| is_included(path)) {
            self.included.store(generation, Ordering::Relaxed);
        }
        *lock(&self.changed) = Instant::now();
        let is_text = |path: &str| self.profile.files.contains_key(extension(path));
        if changes.iter().any(|(path, kind)| *kind != CHANGED || !is_text(path)) {
            self.scoped.store(scope::is_narrow(&self.profile, &self.disk, found), Ordering::Relaxed);
        }
        let event = |(path, kind): &(String, u8)| json!({"uri": self.disk.uri(path), "type": kind});
        let events: Vec<Json> = changes.iter().map(event).collect();
        self.connection.notify("workspace/didChangeWatchedFiles", &json!({"changes": events}));
        lock(&self.unfollowed).extend(changes.into_iter().take(MOST_REOPENED));
    }

    /// Sends the newest text of open files, and of files that the server reads only when they are opened. If the
    /// caller gives up while another question holds the documents, the next call does this.
    async fn follow(&self) {
        if lock(&self.unfollowed).is_empty() {
            return;
        }
        let mut documents = self.documents.lock().await;
        let changes = std::mem::take(&mut *lock(&self.unfollowed));
        for (path, kind) in &changes {
            let wanted = documents.open.contains_key(path) || (self.profile.reopens && *kind != DELETED);
            if !wanted || !self.profile.files.contains_key(extension(path)) {
                continue;
            }
            match self.files.text(path) {
                Ok((text, _)) => drop(self.show_in(&mut documents, path, text)),
                Err(_) => self.close(&mut documents, path),
            }
        }
    }

    /// Returns the paths that were created (1), changed (2) or deleted (3), and remembers that they were reported.
    fn compare(&self, found: &[Found]) -> Vec<(String, u8)> {
        let mut told = lock(&self.told);
        let mut gone: HashMap<String, ()> = told.keys().map(|path| (path.clone(), ())).collect();
        let mut changes = Vec::new();
        for found in found.iter().filter(|found| self.profile.watches(&found.path, found.extension())) {
            gone.remove(&found.path);
            match told.insert(found.path.clone(), found.stamp) {
                None => changes.push((found.path.clone(), 1)),
                Some(before) if before != found.stamp => changes.push((found.path.clone(), CHANGED)),
                Some(_) => {}
            }
        }
        for (path, ()) in gone {
            told.remove(&path);
            changes.push((path, DELETED));
        }
        changes
    }
}

const CHANGED: u8 = 2;

const DELETED: u8 = 3;

/// Restores the file's own text when it is dropped, even if nobody waits for the answer any more.
struct Restore<'a> {
    server: &'a Server,
    path: &'a str,
    text: Option<Arc<Text>>,
    documents: &'a mut Documents,
}

impl Restore<'_> {
    fn restore(&mut self) {
        if let Some(text) = self.text.take() {
            self.server.show_in(self.documents, self.path, text);
        }
    }
}

impl Drop for Restore<'_> {
    fn drop(&mut self) {
        self.restore();
    }
}
