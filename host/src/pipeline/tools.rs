//! Commands of apps as separate tools. The tools are made once.

use std::collections::BTreeSet;
use std::sync::Arc;

use iac_core::app::{App, Apps};
use iac_core::call::Tool;
use iac_core::catalog::Catalog;
use iac_core::fault::Fault;
use iac_core::step::EVERY_APP;
use tokio::sync::OnceCell;

use super::{Need, Pipeline, SYSTEM};

/// The names of the tools that always exist, in the order in which clients see them. No command's tool may use one.
pub(crate) fn built_in() -> impl Iterator<Item = &'static str> {
    Tool::names().chain([SYSTEM])
}

/// The apps whose commands become separate tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolsOf {
    /// No app: every command is run through the built-in tools.
    #[default]
    Nobody,
    /// These apps, whose names may be spelled in any way.
    These(Vec<String>),
    /// Every app.
    All,
}

/// The tools, once they are made.
#[derive(Debug, Default)]
pub(super) struct Tools {
    of: ToolsOf,
    made: OnceCell<Arc<Catalog>>,
}

impl Tools {
    pub(super) fn new(of: ToolsOf) -> Self {
        Self { of, made: OnceCell::new() }
    }
}

impl Pipeline {
    /// Returns the commands that are separate tools. For an app that does not exist, it logs a warning.
    pub async fn command_tools(&self) -> Arc<Catalog> {
        Arc::clone(self.tools.made.get_or_init(|| self.make_tools()).await)
    }

    async fn make_tools(&self) -> Arc<Catalog> {
        let Some(apps) = self.whose().await else { return Arc::default() };
        let taken: BTreeSet<String> = built_in().map(str::to_owned).collect();
        Arc::new(Catalog::new(apps.iter(), &taken, self.permission.policy().levels()))
    }

    /// Returns an error for each named app that does not exist.
    pub(crate) async fn tools_of_nobody(&self) -> Vec<Fault> {
        let ToolsOf::These(terms) = &self.tools.of else { return Vec::new() };
        match self.every_app().await {
            Ok(apps) => terms.iter().filter_map(|term| apps.find(term).err()).collect(),
            Err(fault) => vec![fault],
        }
    }

    /// Returns the apps whose commands become tools, with their dictionaries.
    async fn whose(&self) -> Option<Vec<App>> {
        let terms = match &self.tools.of {
            ToolsOf::Nobody => return None,
            ToolsOf::These(terms) => terms.clone(),
            ToolsOf::All => {
                let all = self.apps(Need::Dictionaries(vec![EVERY_APP.to_owned()])).await.ok()?;
                return Some(all.0.clone());
            }
        };
        let apps: Arc<Apps> = self.apps(Need::Dictionaries(terms.clone())).await.ok()?;
        let find = |term: &String| match apps.find(term) {
            Ok(app) => Some(app.clone()),
            Err(fault) => {
                tracing::warn!("--tools: {}", fault.message);
                None
            }
        };
        Some(terms.iter().filter_map(find).collect())
    }
}
