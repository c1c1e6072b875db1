//! The results of steps that set properties on objects of their own.

use serde_json::Value as Json;

use super::Creating;
use super::answer::rows_of;
use crate::app::App;
use crate::fault::Fault;
use crate::step::World;
use crate::step::set::Told;
use crate::undo::{self, Undo};

/// A step that has set properties, with its place in the call.
pub(super) type SetAt = (String, Told);

impl Creating {
    /// The rows of the commands, and what became of the steps that set properties, each with its place in the call.
    pub(super) fn apart_sets(
        &mut self,
        rows: &Json,
        app: &App,
        world: &mut World<'_>,
    ) -> Result<(Vec<Json>, Vec<SetAt>), Fault> {
        let mut steps = rows_of(rows).iter();
        let places: Vec<Option<String>> =
            self.creation.steps().iter().map(|step| step.err().map(|set| set.place.clone())).collect();
        let (mut commands, mut sets) = (Vec::new(), Vec::new());
        for place in places {
            let row = steps.next().unwrap_or(&Json::Null);
            match place {
                Some(place) => sets.push((place, self.steps.told(sets.len(), row, app, world)?)),
                None => commands.push(row.clone()),
            }
        }
        Ok((commands, sets))
    }

    /// The entries of the answer in the order of the steps.
    pub(super) fn in_order(&self, commands: Vec<Json>, sets: Vec<SetAt>) -> Vec<Json> {
        let mut commands = commands.into_iter();
        let mut sets = sets.into_iter().peekable();
        let mut entries = Vec::new();
        let mut last = None;
        for step in self.creation.steps() {
            let Err(set) = step else {
                entries.extend(commands.next());
                continue;
            };
            if last.as_ref() != Some(&set.place) {
                let mut all = Vec::new();
                while let Some((_, told)) = sets.next_if(|(place, _)| *place == set.place) {
                    all.push(told);
                }
                entries.push(Told::join(all));
            }
            last = Some(set.place.clone());
        }
        entries
    }

    /// The writes of all steps in the order of the steps. `commands` has those of each command.
    pub(super) fn written(&self, commands: Vec<Vec<Undo>>, sets: &[SetAt]) -> Vec<Undo> {
        let (mut commands, mut sets) = (commands.into_iter(), sets.iter());
        let steps = self.creation.steps();
        let of_step = steps.iter().map(|step| match step {
            Ok(_) => commands.next(),
            Err(_) => sets.next().map(|(_, told)| told.undo.clone()),
        });
        let mut all: Vec<Undo> = of_step.flatten().flatten().collect();
        undo::follow_moves(&mut all);
        all
    }
}

/// The record of what steps have set permanently.
pub(super) fn for_good(sets: &[SetAt], app: &App, world: &mut World<'_>) -> Option<Undo> {
    let did: Vec<&str> = sets.iter().flat_map(|(_, told)| &told.lasting).map(String::as_str).collect();
    let did = (!did.is_empty()).then(|| format!("{} {}", app.name, did.join(", then ")))?;
    Some(Undo::lasting(&app.bundle_id, did, "", (world.fresh)(), world.now))
}
