//! A server that was built without plugins.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value as Json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{Engine, Report};
use crate::consent::Caller;
use crate::pipeline::{Answer, Pipeline};

/// A tool of a plugin: there is none.
#[derive(Clone, Debug)]
pub enum Tool {}

/// The plugins of this server: none.
#[derive(Debug, Default)]
pub struct Plugins;

impl Plugins {
    /// Finds nothing.
    pub fn open(_state: Option<&Path>, _cache: Option<&Path>, _engine: Engine) -> Self {
        Self
    }

    /// Works on nothing.
    pub fn work_on_folders(&self) -> bool {
        false
    }

    /// Returns nothing.
    pub fn tools(&self) -> Vec<Tool> {
        Vec::new()
    }

    /// Returns nothing.
    pub fn names(&self) -> Vec<String> {
        Vec::new()
    }

    /// Knows none.
    pub fn has(&self, _name: &str) -> bool {
        false
    }

    /// Returns a counter that never changes.
    pub fn changes(&self) -> watch::Receiver<u64> {
        watch::channel(0).1
    }

    /// Waits for ever.
    pub async fn watch(&self) {
        std::future::pending().await
    }

    /// Returns nothing.
    pub fn report(&self) -> Vec<Report> {
        Vec::new()
    }

    /// Returns nothing: nothing can go wrong.
    pub fn problem(&self) -> Option<String> {
        None
    }

    /// Returns nothing: nothing can go wrong.
    pub fn problem_of_servers(&self) -> Option<String> {
        None
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
