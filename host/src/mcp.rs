//! The MCP server, for both protocol generations. Only this module uses rmcp.

mod answer;
mod asking;
mod backlog;
mod caught;
mod client;
mod completions;
mod flow;
mod icons;
mod lines;
mod memory;
mod progress;
mod prompts;
mod resources;
mod server;
mod streams;
mod tools;
mod transport;
mod unread;
mod values;

use std::sync::Arc;
use std::time::Duration;

use iac_state::servers::Status;
use rmcp::ServiceExt as _;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

pub use client::{Client, ClientError, Received};
pub use tools::{built_in, commands, of_plugins_too, of_server};

use crate::pipeline::Pipeline;
use crate::router::Router;
use flow::Flow;
use server::Server;
use transport::Stdio;

/// How long scripts may go on after the client has disconnected.
const GRACE: Duration = Duration::from_secs(1);
/// The delay between handling a large line and returning freed memory to the system. By then, the objects that were
/// parsed from the line are dropped.
const GIVEN_BACK: Duration = Duration::from_millis(500);
/// The shortest interval between two writes of the status file.
const TOLD: Duration = Duration::from_secs(1);
/// After this time without an answer, and with no script running, no answer will come.
const SILENCE: Duration = Duration::from_millis(500);

/// Why a server ended early.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("no session began: {0}")]
    Session(#[from] Box<rmcp::service::ServerInitializeError>),
    #[error("signals cannot be handled: {0}")]
    Signals(#[from] std::io::Error),
}

/// Serves over stdin and stdout until the client closes its end or the system asks the process to end.
///
/// Expired references are dropped at the interval `clean_up`.
///
/// # Errors
/// The session could not begin.
pub async fn serve(router: Router, clean_up: Duration) -> Result<(), ServeError> {
    let (router, closed) = (Arc::new(router), CancellationToken::new());
    let pipeline = Arc::clone(&router.pipeline);
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let cleaning = tokio::spawn(cleaning(Arc::clone(&pipeline), clean_up));
    let watched = Arc::clone(&router);
    let watching = tokio::spawn(async move { watched.plugins.watch().await });
    let flow = Arc::<Flow>::default();
    let giving_back = tokio::spawn(giving_back(Arc::clone(&flow)));
    let status = pipeline.state().status().map(Arc::new);
    let telling = status.clone().map(|status| tokio::spawn(telling(Arc::clone(&pipeline), status)));
    let (server, stdio) = (Server::new(router, closed.clone()), Stdio::new(closed.clone(), flow));
    let ended = tokio::select! {
        ended = session(server, stdio) => ended,
        () = late(&closed, &pipeline) => Ok(()),
        _ = terminate.recv() => Ok(()),
        _ = interrupt.recv() => Ok(()),
    };
    cleaning.abort();
    watching.abort();
    giving_back.abort();
    if let Some(telling) = telling {
        telling.abort();
    }
    pipeline.shutdown().await;
    if let Some(status) = status {
        status.end();
    }
    ended
}

async fn session(server: Server, transport: Stdio) -> Result<(), ServeError> {
    match server.serve(transport).await {
        Ok(running) => {
            if let Err(error) = running.waiting().await {
                tracing::error!(%error, "the session ended in a panic");
            }
            Ok(())
        }
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(Box::new(error).into()),
    }
}

/// Waits until the client is gone and its requests are answered. Scripts run until their time limit at most; requests
/// without scripts are all answered.
async fn late(closed: &CancellationToken, pipeline: &Pipeline) {
    closed.cancelled().await;
    tokio::time::sleep(GRACE).await;
    pipeline.shutdown().await;
    let mut answered = pipeline.answered();
    loop {
        tokio::time::sleep(SILENCE).await;
        let now = pipeline.answered();
        if now == answered {
            break;
        }
        answered = now;
    }
}

async fn giving_back(flow: Arc<Flow>) {
    loop {
        flow.freed().await;
        tokio::time::sleep(GIVEN_BACK).await;
        let given = tokio::task::spawn_blocking(memory::give_back).await;
        given.unwrap_or_else(|error| tracing::debug!(%error, "memory was not given back"));
    }
}

async fn cleaning(pipeline: Arc<Pipeline>, every: Duration) {
    loop {
        tokio::time::sleep(every).await;
        let pipeline = Arc::clone(&pipeline);
        // References are saved on a thread that may block.
        let cleaned = tokio::task::spawn_blocking(move || pipeline.clean_up()).await;
        tracing::debug!(dropped = cleaned.unwrap_or_default(), "references whose time has passed");
    }
}

/// Keeps the status file of this server up to date. While nothing happens, the server does not wake up for it.
async fn telling(pipeline: Arc<Pipeline>, status: Arc<Status>) {
    loop {
        let (status, doing) = (Arc::clone(&status), pipeline.doing());
        // A slow volume may block this write. Without the file, the server is only missing from `iac-mcp top`.
        match tokio::task::spawn_blocking(move || status.write(&doing)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(%error, "the status is not written"),
            Err(error) => tracing::debug!(%error, "the status is not written"),
        }
        tokio::time::sleep(TOLD).await;
        pipeline.does_something_else(TOLD).await;
    }
}

#[cfg(test)]
mod tests;
