//! The transport: lines of JSON over stdin and stdout.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, ErrorData, GetExtensions as _,
    GetMeta as _, JsonRpcRequest, ProtocolVersion, RequestId,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::backlog::Backlog;
use super::flow::{Flow, Lane};
use super::lines::{Came, LONGEST, Lines};
use super::streams::{self, standard};
use super::unread::{whom_to_answer, without_lone_surrogates};
use super::values;

type Sending = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

/// The standard streams. A message that is out of order before a session begins is dropped and does not end the
/// server. A line that cannot be parsed gets an answer, because its sender is waiting.
pub(super) struct Stdio {
    lines: Lines<streams::Input>,
    /// `None` once the session has ended.
    output: Arc<Mutex<Option<streams::Output>>>,
    begun: bool,
    /// Requests that have no answer yet.
    backlog: Backlog,
    flow: Arc<Flow>,
    /// Whether stdin has ended. Lines that were read before are still answered.
    ended: bool,
    /// Answers to lines that could not be parsed. They are sent even if nobody waits for the next message.
    sending: Option<Sending>,
    /// Cancelled when the client disconnects.
    closed: CancellationToken,
}

impl Stdio {
    /// Opens the standard streams. `closed` is cancelled when stdin ends.
    pub(super) fn new(closed: CancellationToken, flow: Arc<Flow>) -> Self {
        let (reader, writer) = standard();
        Self {
            lines: Lines::new(reader, LONGEST),
            output: Arc::new(Mutex::new(Some(writer))),
            begun: false,
            backlog: Backlog::default(),
            flow,
            ended: false,
            sending: None,
            closed,
        }
    }

    /// Returns the next message; `None` for a line that was answered here or needs no answer.
    async fn next(&mut self) -> io::Result<Option<ClientJsonRpcMessage>> {
        if let Some(sending) = &mut self.sending {
            sending.await?;
            self.sending = None;
        }
        if let Some((lane, kept)) = self.backlog.next(&self.flow) {
            // The line was already parsed once, when it arrived.
            return Ok(match read(&kept.line) {
                Ok(Some(ClientJsonRpcMessage::Request(request))) => {
                    Some(self.begin(request, lane, kept.line.len(), kept.since))
                }
                _ => None,
            });
        }
        if self.ended && self.backlog.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        tokio::select! {
            came = self.lines.next(), if !self.ended && self.backlog.has_room() => {
                let came = came?;
                Ok(self.came(came))
            }
            () = self.flow.less(), if !self.backlog.is_empty() => Ok(None),
        }
    }

    fn came(&mut self, came: Came) -> Option<ClientJsonRpcMessage> {
        match came {
            Came::End => {
                self.ended = true;
                self.closed.cancel();
                None
            }
            Came::TooLong => {
                // Its id could be anywhere in it, and the server keeps no part of it.
                self.refuse(Some(None), &too_long());
                None
            }
            Came::Line => {
                let message = match read(self.lines.line()) {
                    Ok(message) => message.and_then(|message| self.sorted(message)),
                    Err(error) => {
                        self.refuse(whom_to_answer(self.lines.line()), &error);
                        None
                    }
                };
                self.flow.frees(self.lines.line().len());
                self.lines.clear();
                message
            }
        }
    }

    /// Returns a message if the session can take it now.
    fn sorted(&mut self, message: ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        if !self.is_in_turn(&message) {
            return None;
        }
        match message {
            ClientJsonRpcMessage::Request(request) => self.request(request),
            ClientJsonRpcMessage::Notification(told) => {
                let cancelled = match &told.notification {
                    ClientNotification::CancelledNotification(it) => it.params.request_id.as_ref(),
                    _ => None,
                };
                let goes_on = cancelled.is_none_or(|id| self.backlog.cancel(id));
                goes_on.then_some(ClientJsonRpcMessage::Notification(told))
            }
            // The ids of the server's own requests are numbers. rmcp accepts the text "0" for the number 0, so an
            // answer to something else could count as the user's approval.
            ClientJsonRpcMessage::Response(ref answer) if is_text(&answer.id) => stray(&answer.id),
            ClientJsonRpcMessage::Error(ref failed) if failed.id.as_ref().is_some_and(is_text) => {
                failed.id.as_ref().and_then(stray)
            }
            answer => Some(answer),
        }
    }

    /// Starts a request, or keeps it for later.
    fn request(&mut self, request: JsonRpcRequest<ClientRequest>) -> Option<ClientJsonRpcMessage> {
        let JsonRpcRequest { id, request: asked, .. } = &request;
        if self.backlog.is_taken(id) {
            let what = format!(
                "a request with the id {id} is still running or was just cancelled: use a new id for each request"
            );
            self.answer(Some(id.clone()), ErrorData::invalid_request(what, None));
            return None;
        }
        let lane = if matches!(asked, ClientRequest::CallToolRequest(_)) { Lane::Call } else { Lane::Other };
        let line = self.lines.line();
        if self.backlog.has_turn(lane, &self.flow) {
            let bytes = line.len();
            self.backlog.begins(id.clone());
            return Some(self.begin(request, lane, bytes, Instant::now()));
        }
        self.backlog.keep(lane, id.clone(), line.to_vec());
        None
    }

    /// Gives a request its slot, which it holds until its task ends.
    fn begin(
        &self,
        mut request: JsonRpcRequest<ClientRequest>,
        lane: Lane,
        bytes: usize,
        since: Instant,
    ) -> ClientJsonRpcMessage {
        let slot = self.flow.begin(lane, bytes, since);
        request.request.extensions_mut().insert(slot);
        ClientJsonRpcMessage::Request(request)
    }

    fn refuse(&mut self, whom: Option<Option<RequestId>>, error: &ErrorData) {
        tracing::warn!(
            answered = whom.is_some(),
            "a line from the client is not a message: {}",
            error.message
        );
        if let Some(id) = whom {
            self.answer(id, error.clone());
        }
    }

    fn answer(&mut self, id: Option<RequestId>, error: ErrorData) {
        self.sending = Some(Box::pin(self.write(&TxJsonRpcMessage::<RoleServer>::error(error, id))));
    }

    /// Queues a message after the earlier ones. Its bytes count as unread from now on, so a client that reads nothing
    /// gets no more answers.
    fn write(
        &self,
        message: &TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + use<> {
        let line = line(message).map(|line| (self.flow.unwritten(line.len()), line));
        let output = Arc::clone(&self.output);
        async move {
            let (_counted, line) = line?;
            let mut output = output.lock().await;
            let output = output.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            output.write_all(&line).await?;
            output.flush().await
        }
    }

    /// Whether a message is allowed now: either a session has begun, or the message begins one.
    fn is_in_turn(&mut self, message: &ClientJsonRpcMessage) -> bool {
        match message {
            _ if self.begun => true,
            ClientJsonRpcMessage::Request(request) => {
                self.begun = begins(&request.request);
                true
            }
            _ => {
                tracing::debug!("dropped what came before a session began");
                false
            }
        }
    }
}

fn line(message: &TxJsonRpcMessage<RoleServer>) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

/// Parses a message. An empty line is not a message.
fn read(line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, ErrorData> {
    if line.is_empty() {
        return Ok(None);
    }
    if values::are_too_many(line) {
        return Err(too_many_values());
    }
    let error = match serde_json::from_slice(line) {
        Ok(message) => return Ok(Some(message)),
        Err(error) => error,
    };
    let better = without_lone_surrogates(line).and_then(|line| serde_json::from_slice(&line).ok());
    if better.is_some() {
        return Ok(better);
    }
    Err(if error.is_data() { no_message() } else { no_json(&error) })
}

fn is_text(id: &RequestId) -> bool {
    matches!(id, RequestId::String(_))
}

fn stray(id: &RequestId) -> Option<ClientJsonRpcMessage> {
    tracing::warn!(%id, "dropped an answer to a request that was never sent");
    None
}

fn no_json(error: &serde_json::Error) -> ErrorData {
    let what = format!(
        "this line cannot be read: {error}; expected one message of JSON, in UTF-8, on a line of its own"
    );
    ErrorData::parse_error(what, None)
}

fn no_message() -> ErrorData {
    let what = "not a JSON-RPC message: expected one object on a line, with `jsonrpc` \"2.0\", a `method`, and for a \
                request an `id` that is a text or a whole number";
    ErrorData::invalid_request(what, None)
}

fn too_long() -> ErrorData {
    let what = format!("this message is too long: expected at most {LONGEST} bytes on a line");
    ErrorData::invalid_request(what, None)
}

fn too_many_values() -> ErrorData {
    let most = values::MOST;
    let what = format!(
        "this message has too many JSON values: expected at most {most} objects, lists, texts, numbers and words \
         in all; send it in parts"
    );
    ErrorData::invalid_request(what, None)
}

/// Replaces rmcp's terse messages, so that a reader knows what to do.
fn in_words(error: &mut ErrorData, begun: bool) {
    if error.code == ErrorCode::METHOD_NOT_FOUND && !error.message.contains(' ') {
        error.message = format!("there is no method `{}`", error.message).into();
    } else if error.code == ErrorCode::INVALID_PARAMS && !begun {
        error.message = format!("{}; or send `initialize` first", error.message).into();
    }
}

/// Whether a request begins a session: the `initialize` handshake, or a request that carries everything that the
/// server must know, unless it is a probe.
fn begins(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            let known = |version| ProtocolVersion::KNOWN_VERSIONS.contains(&version);
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && meta.protocol_version().is_some_and(known)
        }
    }
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        mut item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        match &mut item {
            TxJsonRpcMessage::<RoleServer>::Response(response) => self.backlog.answered(&response.id),
            TxJsonRpcMessage::<RoleServer>::Error(failed) => {
                failed.id.iter().for_each(|id| self.backlog.answered(id));
                in_words(&mut failed.error, self.begun);
            }
            _ => {}
        }
        let (sent, closed) = (self.write(&item), self.closed.clone());
        async move {
            // A client that no longer reads is gone, even if another process still holds the other end of stdin.
            sent.await.inspect_err(|_| closed.cancel())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            match self.next().await {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(error) => {
                    if error.kind() != io::ErrorKind::UnexpectedEof {
                        tracing::error!(%error, "stdin cannot be read, or stdout not be written");
                    }
                    self.closed.cancel();
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        drop(self.output.lock().await.take());
        Ok(())
    }
}
