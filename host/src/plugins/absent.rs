//! A server that was built without plugins.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value as Json};
use tokio_util::sync::CancellationToken;

use super::Tool;
use crate::consent::Caller;
use crate::pipeline::{Answer, Pipeline};

/// The plugins of this server: none.
#[derive(Debug, Default)]
pub struct Plugins;

impl Plugins {
    /// Finds nothing.
    pub fn open(_state: Option<&Path>, _cache: Option<&Path>) -> Self {
        Self
    }

    /// Returns nothing.
    pub fn tools(&self) -> Vec<Tool> {
        Vec::new()
    }

    /// Calls nothing.
    #[expect(clippy::unused_async, reason = "the same call as with plugins")]
    pub async fn call(
        &self,
        _pipeline: &Arc<Pipeline>,
        _tool: &str,
        _arguments: &Map<String, Json>,
        _caller: &Caller,
        _cancel: CancellationToken,
    ) -> Option<Answer> {
        None
    }
}
