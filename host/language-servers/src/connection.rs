//! A connection to one server: the host's requests by id, and the server's own notifications and requests.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, timeout_at};

use crate::launch::{Input, Launched, Output, Process};
use crate::wire::{Frames, frame};

/// How many bytes of a server's standard error are kept.
const TAIL: usize = 8 * 1024;

/// How long a process may live on after its output has ended.
const GRACE: Duration = Duration::from_millis(500);

/// Answers a server's requests, and receives its notifications. Neither may block.
pub(crate) trait Listener: Send + Sync {
    /// Receives a notification.
    fn hear(&self, method: &str, params: &Json);

    /// Answers a request; an error is a code and a message.
    fn answer(&self, method: &str, params: &Json) -> Result<Json, (i64, String)>;
}

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The server returned an error.
    Refused { code: i64, message: String },
    /// The deadline passed.
    Timeout,
    /// The server is gone.
    Ended(String),
}

type Pending = HashMap<i64, oneshot::Sender<Result<Json, Trouble>>>;

struct Shared {
    pending: Mutex<Pending>,
    next: AtomicI64,
    out: mpsc::UnboundedSender<Vec<u8>>,
    tail: Mutex<Vec<u8>>,
    ended: watch::Sender<Option<String>>,
    /// When the server last sent anything.
    heard: Mutex<Instant>,
}

/// The host's end of a connection. The process is killed when the last clone is dropped.
#[derive(Clone)]
pub(crate) struct Connection {
    shared: Arc<Shared>,
    _alive: Arc<mpsc::Sender<()>>,
}

impl Connection {
    /// Starts to read and write the streams of a process.
    pub(crate) fn begin(launched: Launched, listener: Arc<dyn Listener>) -> Self {
        let (out, to_write) = mpsc::unbounded_channel();
        let (alive, dropped) = mpsc::channel(1);
        let shared = Arc::new(Shared {
            pending: Mutex::default(),
            next: AtomicI64::new(1),
            out,
            tail: Mutex::default(),
            ended: watch::Sender::new(None),
            heard: Mutex::new(Instant::now()),
        });
        tokio::spawn(write(launched.stdin, to_write));
        tokio::spawn(keep_tail(launched.stderr, Arc::clone(&shared)));
        tokio::spawn(live(launched.process, launched.stdout, Arc::clone(&shared), listener, dropped));
        Self { shared, _alive: Arc::new(alive) }
    }

    /// Sends a notification.
    pub(crate) fn notify(&self, method: &str, params: &Json) {
        self.shared.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request, and cancels it when the deadline passes or the future is dropped.
    pub(crate) async fn request(
        &self,
        method: &str,
        params: &Json,
        deadline: Instant,
    ) -> Result<Json, Trouble> {
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = oneshot::channel();
        lock(&self.shared.pending).insert(id, sender);
        let asked = Asked { id, shared: &self.shared };
        if let Some(reason) = self.ended() {
            return Err(Trouble::Ended(reason));
        }
        self.shared.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let answer = match timeout_at(deadline, answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(Trouble::Ended(self.ended().unwrap_or_else(|| "it is gone".to_owned()))),
            Err(_) => Err(Trouble::Timeout),
        };
        drop(asked);
        answer
    }

    /// Tells whether the server has sent anything since then.
    pub(crate) fn has_spoken_since(&self, then: Instant) -> bool {
        *lock(&self.shared.heard) > then
    }

    /// Returns how the server ended, if it has.
    pub(crate) fn ended(&self) -> Option<String> {
        self.shared.ended.borrow().clone()
    }

    /// Waits until the server has ended.
    pub(crate) async fn end(&self) {
        let mut ended = self.shared.ended.subscribe();
        // `wait_for` fails only when the sender is gone, and `self` keeps it alive.
        drop(ended.wait_for(Option::is_some).await);
    }
}

/// A pending request. It is no longer pending once this is dropped.
struct Asked<'a> {
    id: i64,
    shared: &'a Shared,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        if lock(&self.shared.pending).remove(&self.id).is_some() {
            let params = json!({"id": self.id});
            self.shared.send(&json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": params}));
        }
    }
}

impl Shared {
    fn send(&self, message: &Json) {
        // If the writer has ended, the end of the connection wakes everyone who waits for an answer.
        drop(self.out.send(frame(message)));
    }

    fn dispatch(&self, message: Json, listener: &dyn Listener) {
        *lock(&self.heard) = Instant::now();
        let params = message.get("params").unwrap_or(&Json::Null);
        match (message.get("method").and_then(Json::as_str), message.get("id")) {
            (Some(method), Some(id)) => {
                let answer = match listener.answer(method, params) {
                    Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
                    Err((code, message)) => {
                        json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
                    }
                };
                self.send(&answer);
            }
            (Some(method), None) => listener.hear(method, params),
            (None, Some(id)) => self.answered(&id.clone(), message),
            (None, None) => tracing::debug!("a language server sent something that is not a message"),
        }
    }

    /// Delivers an answer. One that fits no pending request is dropped.
    fn answered(&self, id: &Json, mut message: Json) {
        let number = id.as_i64().or_else(|| id.as_str().and_then(|id| id.parse().ok()));
        let Some(sender) = number.and_then(|id| lock(&self.pending).remove(&id)) else { return };
        let answer = match message.get("error") {
            Some(error) if !error.is_null() => Err(Trouble::Refused {
                code: error.get("code").and_then(Json::as_i64).unwrap_or_default(),
                message: error
                    .get("message")
                    .and_then(Json::as_str)
                    .unwrap_or("it gave no reason")
                    .to_owned(),
            }),
            _ => Ok(message.get_mut("result").map(Json::take).unwrap_or_default()),
        };
        // The receiver may have stopped waiting.
        drop(sender.send(answer));
    }

    fn finish(&self, reason: String) {
        self.ended.send_replace(Some(reason.clone()));
        for (_, sender) in lock(&self.pending).drain() {
            drop(sender.send(Err(Trouble::Ended(reason.clone()))));
        }
    }

    /// Returns the last lines of standard error.
    fn last_words(&self) -> String {
        let tail = lock(&self.tail);
        let text = String::from_utf8_lossy(&tail);
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let last = lines[lines.len().saturating_sub(3)..].join("; ");
        let long = last.chars().count().saturating_sub(300);
        last.chars().skip(long).collect()
    }
}

/// Reads until the output ends, the process ends, or the connection is dropped. Then it kills the process and fails
/// all pending requests.
async fn live(
    mut process: Box<dyn Process>,
    stdout: Output,
    shared: Arc<Shared>,
    listener: Arc<dyn Listener>,
    mut dropped: mpsc::Receiver<()>,
) {
    let reading = read(stdout, &shared, listener.as_ref());
    let reason = tokio::select! {
        fault = reading => match (fault, tokio::time::timeout(GRACE, process.wait()).await) {
            (Some(fault), _) => fault,
            (None, Ok(how)) => how,
            (None, Err(_)) => "it closed its output".to_owned(),
        },
        _ = dropped.recv() => "it was stopped".to_owned(),
    };
    drop(process);
    // The last lines of standard error may still be on their way.
    tokio::time::sleep(Duration::from_millis(20)).await;
    let words = shared.last_words();
    shared.finish(if words.is_empty() { reason } else { format!("{reason}: {words}") });
}

/// Reads to the end. Returns the error, if one ended it.
async fn read(stdout: Output, shared: &Shared, listener: &dyn Listener) -> Option<String> {
    let mut frames = Frames::new(BufReader::with_capacity(64 * 1024, stdout));
    loop {
        match frames.next().await {
            Ok(Some(message)) => shared.dispatch(message, listener),
            Ok(None) => return None,
            Err(error) => return Some(error.to_string()),
        }
    }
}

async fn write(mut stdin: Input, mut frames: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(frame) = frames.recv().await {
        if stdin.write_all(&frame).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
    }
}

async fn keep_tail(mut stderr: Output, shared: Arc<Shared>) {
    let mut piece = vec![0; 4096];
    while let Ok(read @ 1..) = stderr.read(&mut piece).await {
        let mut tail = lock(&shared.tail);
        tail.extend_from_slice(&piece[..read]);
        let long = tail.len().saturating_sub(TAIL);
        tail.drain(..long);
    }
}

/// Locks a mutex even if it is poisoned. The data is consistent after each statement, so a panic of another holder
/// does no harm.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
