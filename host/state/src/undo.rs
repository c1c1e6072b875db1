//! Undo records: stored for an hour and shared by all servers and the command line.

use iac_core::Millis;
use iac_core::undo::{Renamed, Undo, follow};

use crate::{State, StateError, file, regular};

/// The size limit: an hour of writes of long texts, old and new.
const MOST: u64 = 32 * regular::MOST;

impl State {
    /// Returns the undo records.
    ///
    /// # Errors
    /// The file cannot be read or parsed.
    pub fn undos(&self, now: Millis) -> Result<Vec<Undo>, StateError> {
        let path = self.folder().join("undo.json");
        let Some(text) = regular::text(&path, MOST)? else { return Ok(Vec::new()) };
        let mut undos: Vec<Undo> = serde_json::from_str(&text)
            .map_err(|error| StateError::Damaged { path, error: error.to_string() })?;
        undos.retain(|undo| undo.counts(now));
        Ok(undos)
    }

    /// Stores undo records, and deletes the used and expired ones. The older ones follow the objects that were moved or
    /// renamed.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn keep_undos(
        &self,
        fresh: &[Undo],
        undone: &[String],
        renamed: &[Renamed],
        now: Millis,
    ) -> Result<(), StateError> {
        if fresh.is_empty() && undone.is_empty() && renamed.is_empty() {
            return Ok(());
        }
        let _lock = file::lock(&self.folder().join("lock"))?;
        let mut undos = self.undos(now)?;
        undos.retain(|undo| !undone.contains(&undo.id));
        follow(&mut undos, renamed);
        undos.extend(fresh.iter().cloned());
        let write =
            |undos: &[Undo]| serde_json::to_string(undos).expect("what can be taken back is plain data");
        let mut text = write(&undos);
        // The oldest records are dropped to make room. If the file were full, no later write could be undone.
        while text.len() as u64 > MOST && undos.len() > fresh.len() {
            let old = undos.len() - fresh.len();
            undos.drain(..old.div_ceil(2));
            text = write(&undos);
        }
        file::replace(&self.folder().join("undo.json"), text.as_bytes(), MOST)
    }
}
