//! Whether an action may run: it is classified, decided upon, and leaves with the proof in its type.

use crate::action::{Action, Deed};
use crate::jxa::{self, Script};
use crate::plan::Costs;

/// How much harm an action can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Reads.
    Safe,
    /// Changes that can be taken back, and everything that is not known.
    Modify,
    /// Sends, deletes, quits, erases; runs code or types keys.
    Dangerous,
}

/// An action that may run: the only thing a script is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Approved {
    action: Action,
    level: Level,
}

/// Says how much harm an action can do.
pub fn classify(action: &Action) -> Level {
    match action.deed {
        Deed::Running { .. }
        | Deed::Look { .. }
        | Deed::Names { .. }
        | Deed::Value { .. }
        | Deed::Properties { .. }
        | Deed::Elements(_) => Level::Safe,
    }
}

/// Decides on an action. Every deed that exists today is a read, and reads are allowed.
pub fn decide(action: Action) -> Approved {
    let level = classify(&action);
    Approved { action, level }
}

impl Approved {
    /// What was approved.
    pub fn action(&self) -> &Action {
        &self.action
    }

    /// The level it was approved at.
    pub fn level(&self) -> Level {
        self.level
    }

    /// Writes the script. There is no other way to one.
    pub fn into_script(self, costs: &Costs) -> Script {
        jxa::script(&self, costs)
    }
}
