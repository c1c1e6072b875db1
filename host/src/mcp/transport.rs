//! Lines of JSON over stdin and stdout.

use std::future::Future;

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetMeta as _, ProtocolVersion};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::{StdioReader, StdioWriter, stdio_pipes};
use tokio_util::sync::CancellationToken;

/// The standard streams. What comes out of turn before a session begins is dropped instead of ending the server.
pub(super) struct Stdio {
    inner: AsyncRwTransport<RoleServer, StdioReader, StdioWriter>,
    begun: bool,
    /// Cancelled when the client closes its end.
    closed: CancellationToken,
}

impl Stdio {
    /// Takes the standard streams; `closed` is cancelled when stdin ends.
    pub(super) fn new(closed: CancellationToken) -> Self {
        let (reader, writer) = stdio_pipes();
        Self { inner: AsyncRwTransport::new(reader, writer), begun: false, closed }
    }

    /// Whether a message may go on to the session, or to what waits for one to begin.
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

/// Whether a request begins a session: the handshake, or any other request that says all of itself, but no probe.
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
    type Error = std::io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            match self.inner.receive().await {
                Some(message) if self.is_in_turn(&message) => return Some(message),
                Some(_) => {}
                None => {
                    self.closed.cancel();
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
