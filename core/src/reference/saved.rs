//! References that outlive a process: as JSON without a dictionary, asleep until they are used.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::{Held, Object, RefId, References};
use crate::Millis;
use crate::app::Apps;
use crate::specifier::{Path, Specifier, SpecifierError};

/// A stable reference as it is kept in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    /// The id, `ref_…`.
    pub id: String,
    /// The bundle id of the app.
    pub app: String,
    /// The specifier that leads to the object.
    pub specifier: Json,
    /// When it was made, in milliseconds since the Unix epoch.
    pub created: u64,
    /// When it was last used, in milliseconds since the Unix epoch.
    pub used: u64,
    /// The value of the unique property, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<String>,
    /// The date of the one occurrence that it stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occurrence: Option<String>,
}

/// How long after its last use a later process still takes over a reference: yesterday's conversation may continue.
const TAKEN_OVER: Millis = Millis(24 * 60 * 60 * 1000);

impl References {
    /// Returns every reference that still means the same after a restart of the app or of this process.
    pub fn saved(&self) -> Vec<Saved> {
        let stable = self.table.iter().filter(|held| held.object.path.is_stable());
        let mut saved: Vec<Saved> = stable
            .map(|held| Saved {
                id: held.id.to_string(),
                app: held.object.app.to_string(),
                specifier: held.object.path.to_json(),
                created: held.created.0,
                used: held.used.0,
                mark: held.mark.as_deref().map(str::to_owned),
                occurrence: held.object.occurrence.as_deref().map(str::to_owned),
            })
            .chain(self.asleep.values().cloned())
            .collect();
        saved.sort_by(|a, b| a.id.cmp(&b.id));
        saved
    }

    /// Takes over the references of an earlier process without those that were last used long ago. Returns their
    /// number.
    pub fn adopt(&mut self, saved: Vec<Saved>, now: Millis) -> usize {
        let room = self.limits.most.saturating_sub(self.table.len() + self.asleep.len());
        let longest = self.limits.ttl.max(TAKEN_OVER);
        let fresh = saved.into_iter().filter(|each| now.since(Millis(each.used)) <= longest);
        let known = fresh.filter_map(|each| Some((RefId::parse(&each.id)?, each)));
        let taken: Vec<(RefId, Saved)> =
            known.filter(|(id, _)| self.table.get(*id).is_none()).take(room).collect();
        let count = taken.len();
        self.asleep.extend(taken);
        count
    }

    /// Returns the app of a reference, awake or asleep.
    pub fn app_of(&self, id: RefId) -> Option<&str> {
        let awake = self.table.get(id).map(|held| &*held.object.app);
        awake.or_else(|| self.asleep.get(&id).map(|saved| saved.app.as_str()))
    }

    /// Restores a reference of an earlier process. Drops it if its app's dictionary no longer has its terms.
    pub fn wake(&mut self, id: RefId, apps: &Apps) {
        let Some(saved) = self.asleep.remove(&id) else { return };
        let Some(object) = object(&saved, apps) else { return };
        *self.per_app.entry(object.app.clone()).or_default() += 1;
        let (key, mark) = (object.key(), saved.mark.map(Into::into));
        let (created, used) = (Millis(saved.created), Millis(saved.used));
        self.table.insert_beside(Held { id, object, created, used, mark, went: None, key });
    }
}

fn object(saved: &Saved, apps: &Apps) -> Option<Object> {
    let app = apps.find(&saved.app).ok()?;
    let dictionary = app.dictionary.as_ref()?;
    let specifier = Specifier::parse(&saved.specifier, "specifier").ok()?;
    let mut none =
        |id: &RefId| -> Result<Path, SpecifierError> { Err(super::ReferenceError::Unknown(*id).into()) };
    let path = specifier.resolve(dictionary, &mut none).ok()?.path;
    let occurrence = saved.occurrence.as_deref().map(Into::into);
    Some(Object { app: Arc::clone(&app.bundle_id), path, occurrence })
}
