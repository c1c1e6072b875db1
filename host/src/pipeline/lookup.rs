//! Looks up apps and references outside a call.

use iac_core::fault::Fault;
use iac_core::reference::RefId;

use super::{Need, Pipeline};

impl Pipeline {
    /// Returns the bundle id of an app, whose name may be spelled in any way.
    ///
    /// # Errors
    /// There is no such app.
    pub async fn bundle_id(&self, app: &str) -> Result<String, Fault> {
        let apps = self.apps(Need::Dictionaries(Vec::new())).await?;
        apps.find(app).map(|app| app.bundle_id.to_string())
    }

    /// Returns the bundle id of a reference's app; `None` if there is no such reference.
    pub fn app_of(&self, reference: &str) -> Option<String> {
        let id = RefId::parse(reference)?;
        // References of earlier processes must be found even before the first call.
        self.adopt();
        self.memory().references.app_of(id).map(str::to_owned)
    }
}
