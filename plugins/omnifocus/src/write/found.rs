//! A change that names its items by conditions in place of ids.

use iac_plugin::serde_json::Map;
use iac_plugin::{Fault, Json, Object};

use super::request::Target;
use crate::program::Kind;
use crate::read::{self, Named};
use crate::{Engine, Moment};

/// The keys that name items, as a read has them.
pub(super) const KEYS: [&str; 3] = ["filters", "mode", "daysAhead"];

/// The most items of one change. A person cannot judge more names in one question. It is more than a list of `ids`
/// takes, because the caller need not write these ids.
const MOST: i64 = 300;

/// Whether a mutation names its items by conditions.
pub(super) fn is_meant(map: &Map<String, Json>) -> bool {
    KEYS.iter().any(|key| map.get(*key).is_some_and(|value| !value.is_null()))
}

/// Finds the items.
///
/// # Errors
/// The conditions are wrong or not exact, or they name too many items.
pub(super) fn find(
    map: &Map<String, Json>,
    target: Target,
    moment: &Moment,
    engine: &mut dyn Engine,
) -> Result<Named, Fault> {
    let kind = match target {
        Target::Task => Kind::Tasks,
        Target::Project => Kind::Projects,
        Target::Folder => Kind::Folders,
    };
    let query = map.iter().filter(|(key, _)| KEYS.contains(&key.as_str()));
    let query = query.map(|(key, value)| (key.clone(), value.clone())).collect();
    let found = read::named(&Object::root("mutation", &query), kind, MOST, moment, engine)?;
    if found.total > MOST {
        let message = format!(
            "`mutation.filters` names {} {}s, and one change takes at most {MOST}; nothing was changed",
            found.total,
            target.word()
        );
        return Err(
            Fault::invalid(message).suggest("add conditions, such as a project, a tag or a span of dates")
        );
    }
    Ok(found)
}
