//! Tests of the server with a client in the same process, where time can be fast-forwarded.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use iac_apps::Roots;
use rmcp::model::{CallToolRequestParams, ProgressNotificationParam};
use rmcp::service::NotificationContext;
use rmcp::{ClientHandler, RoleClient, ServiceExt as _};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::server::Server;
use crate::pipeline::{Pipeline, Settings};
use crate::plugins::Plugins;
use crate::router::Router;

/// A client that records the progress messages that it receives.
#[derive(Clone, Default)]
struct Listener(Arc<Mutex<Vec<f64>>>);

impl ClientHandler for Listener {
    async fn on_progress(&self, progress: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.0.lock().unwrap().push(progress.progress);
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_hears_every_ten_seconds_that_its_call_is_under_way() {
    let mac = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/mac");
    let command = ["/bin/sh", "-c", "sleep 1000"].map(Into::into).to_vec();
    let timeout = Duration::from_secs(25);
    let osascript = iac_osascript::Settings { command, timeout, ..iac_osascript::Settings::default() };
    let apps = iac_apps::Settings { roots: Roots::below(&mac), ..iac_apps::Settings::default() };
    let pipeline = Pipeline::new(Settings { apps, osascript, ..Settings::default() }).unwrap();
    let router = Router::new(pipeline, Plugins::default());
    let (near, far) = tokio::io::duplex(1 << 16);
    let serving = tokio::spawn(Server::new(Arc::new(router), CancellationToken::new()).serve(far));
    let listener = Listener::default();
    let client = listener.clone().serve(near).await.unwrap();
    let inbox = json!({ "app": "Mail", "specifier": { "type": "property", "property": "inbox", "of": "application" } });
    let call =
        CallToolRequestParams::new("iac_mcp_query_object").with_arguments(inbox.as_object().unwrap().clone());
    let result = client.call_tool(call).await.unwrap();
    assert_eq!(result.structured_content.unwrap()["error"], "timeout");
    assert_eq!(*listener.0.lock().unwrap(), [10.0, 20.0]);
    drop(serving);
}
