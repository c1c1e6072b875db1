//! Runs that were approved together with another one, and come after it.

use serde_json::Value as Json;

use super::Approved;
use crate::action::Deed;
use crate::marshal::Given;

/// Writes the program that an app's own script engine runs.
type Write = fn(&str, &Json, Option<&Json>, Option<&[&str]>) -> String;

/// A run that was approved together with an earlier one: the same script with data that the human saw or that the
/// digest covers.
#[derive(Debug)]
pub(crate) struct Later(Box<Approved>);

impl Later {
    /// Returns the remaining parts of an approved script; `None` after the last one.
    pub(crate) fn of(approved: &Approved) -> Option<Self> {
        let Deed::Script(script) = &approved.action.deed else { return None };
        let more = script.rest.as_ref().is_some_and(|rest| !rest.parts.is_empty());
        more.then(|| Self(Box::new(approved.clone())))
    }

    /// Returns the next run, with the result that the previous, equally approved run hands on. `write` makes its
    /// program from the granted text, the data, the handed-on result, and the acts.
    pub(crate) fn next(self, handed: &Json, write: Write) -> Approved {
        let Self(mut approved) = self;
        if let Deed::Script(script) = &mut approved.action.deed
            && let Some(rest) = &mut script.rest
            && let Some(data) = rest.parts.pop_front()
        {
            let text = rest.text.clone();
            let source = write(&text, &data, Some(handed), script.act_names().as_deref());
            script.invocation.direct = Some(Given::Text(source));
        }
        *approved
    }
}
