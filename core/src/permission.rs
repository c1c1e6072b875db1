//! Whether an action may run: it is classified, decided upon, and leaves with the proof in its type.

mod classify;

use crate::action::Action;
use crate::jxa::{self, Script};
use crate::plan::Costs;

pub use classify::{Classified, LevelRule, MANY, classify, classify_command, classify_write};

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

impl Level {
    /// The level as it is written: `SAFE`, `MODIFY` or `DANGEROUS`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "SAFE",
            Self::Modify => "MODIFY",
            Self::Dangerous => "DANGEROUS",
        }
    }
}

/// An action that may run: the only thing a script is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Approved {
    action: Action,
    level: Level,
}

/// Decides on an action: reads are allowed.
///
/// # Errors
/// It does more than read, and there is nobody to ask.
pub fn decide(action: Action) -> Result<Approved, Classified> {
    let classified = classify(&action, &[]);
    match classified.level {
        Level::Safe => Ok(Approved { action, level: Level::Safe }),
        Level::Modify | Level::Dangerous => Err(classified),
    }
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
