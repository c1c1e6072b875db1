//! What other commands look up about installed plugins.

use crate::cli::Failure;
use crate::cli::options::Common;
use crate::cli::package::installed;
use crate::plugins::engine::PluginId;
use crate::plugins::engine::capability::Grants;
use crate::plugins::engine::installed::{InstallError, Receipt};
use crate::plugins::engine::package;
use crate::plugins::engine::script::Script;

/// Returns the plugin that has a tool, and whether it is disabled; `None` if no installed plugin has it.
pub(in crate::cli) fn owner(common: &Common, tool: &str) -> Option<(PluginId, bool)> {
    let plugins = installed(common).ok()?.list().ok()?;
    let has = |receipt: &Receipt| receipt.tools.iter().any(|held| held.name == tool);
    plugins.into_iter().find_map(|(id, receipt)| has(&receipt).then_some((id, receipt.disabled)))
}

/// Returns the grants of an installed plugin, and the scripts of its package.
pub(in crate::cli) fn reach(common: &Common, id: &str) -> Result<(Grants, Vec<Script>), Failure> {
    let installed = installed(common)?;
    let mut all = installed.list()?;
    let (id, receipt) = all.remove_entry(id).ok_or_else(|| InstallError::unknown(id, &all))?;
    let package = package::read(&installed.bytes(&id, &receipt)?)?;
    Ok((receipt.grants, package.scripts))
}

/// Returns the names of an installed plugin's scripts in policy rules.
pub(in crate::cli) fn script_terms(common: &Common, id: &str) -> Result<Vec<String>, Failure> {
    let (_, scripts) = reach(common, id)?;
    Ok(scripts.iter().flat_map(terms).map(|(term, _)| term).collect())
}

/// Returns the names of a script in policy rules, each with its act: `script read`, or `script write: create task` for
/// each act.
pub(in crate::cli) fn terms(script: &Script) -> Vec<(String, Option<&str>)> {
    let name = &script.name;
    match script.acts.is_empty() {
        true => vec![(format!("script {name}"), None)],
        false => {
            script.acts.keys().map(|act| (format!("script {name}: {act}"), Some(act.as_str()))).collect()
        }
    }
}
