//! Look-ups of apps and references outside of a call.

use iac_core::fault::Fault;
use iac_core::reference::RefId;

use super::{Need, Pipeline};

impl Pipeline {
    /// Returns the bundle id of an app in any spelling.
    ///
    /// # Errors
    /// There is no such app.
    pub async fn bundle_id(&self, app: &str) -> Result<String, Fault> {
        let apps = self.apps(Need::Dictionaries(Vec::new())).await?;
        apps.find(app).map(|app| app.bundle_id.to_string())
    }

    /// Returns the bundle id of a reference's app; `None` if the store has no such reference.
    pub fn app_of(&self, reference: &str) -> Option<String> {
        let id = RefId::parse(reference)?;
        // A reference of an earlier process belongs to its app before the first call too.
        self.adopt();
        self.memory().references.app_of(id).map(str::to_owned)
    }
}
