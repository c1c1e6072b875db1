//! Calls with several parts, one after the other: an undo of different kinds, and a look at several apps.

use super::{Outcome, Step, World, back, frontmost};

/// What a call still has to do after its current part.
#[derive(Debug)]
pub(super) enum Rest {
    /// Further parts of an undo.
    Undo(back::Rest),
    /// Further apps to look at.
    Front(frontmost::Rest),
}

/// Goes on with the next part when a step has ended one.
pub(super) fn with(mut step: Step, rest: Option<Box<Rest>>, world: &mut World<'_>) -> Step {
    let Some(mut rest) = rest else { return step };
    loop {
        let outcome = match step {
            Step::Run(mut run) => {
                run.pending.rest = Some(rest);
                return Step::Run(run);
            }
            Step::Load(mut load) => {
                load.pending.rest = Some(rest);
                return Step::Load(load);
            }
            Step::Ask(mut ask) => {
                ask.pending.rest = Some(rest);
                return Step::Ask(ask);
            }
            Step::Done(outcome) => outcome,
        };
        let next = match &mut *rest {
            Rest::Undo(rest) => rest.next(outcome, world),
            Rest::Front(rest) => rest.next(outcome, world),
        };
        step = match next {
            Some(step) => step,
            None => return Step::Done(rest.ended(world)),
        };
    }
}

impl Rest {
    fn ended(self, world: &mut World<'_>) -> Outcome {
        match self {
            Self::Undo(rest) => rest.ended(world),
            Self::Front(rest) => rest.ended(),
        }
    }
}
