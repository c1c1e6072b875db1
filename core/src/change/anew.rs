//! Moves that make a new object: the app puts a copy into the other container and deletes the original.

use super::known;
use crate::app::same_id;
use crate::dictionary::{Dictionary, Identifier};
use crate::identity::{Identity, identity};
use crate::specifier::Path;

/// How to find the new object. Its id is not among those from before the move, and some values are the old ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Anew {
    /// The collection in the new container.
    pub collection: Identifier,
    /// The property with the id.
    pub id: Identifier,
    /// The properties that keep their values.
    pub kept: Vec<Identifier>,
}

/// The classes: an app, a class, and the properties that keep their values.
///
/// # Source
/// Published fixes of other programs for Reminders: a moved reminder has another id, and the date of its making stays.
const CLASSES: [(&str, &str, [&str; 2]); 1] =
    [("com.apple.reminders", "reminder", ["creation date", "name"])];

/// Returns how to find an object after a move into a container, if the app makes a new one there.
pub(crate) fn anew(app: &str, dictionary: &Dictionary, class: &str, to: &Path) -> Option<Anew> {
    let (_, _, kept) = CLASSES.iter().find(|row| same_id(row.0, app) && dictionary.is_a(class, row.1))?;
    let Identity::Id(id) = identity(dictionary, class) else { return None };
    let collection = to.collection(dictionary, class).ok()?.identifier.clone();
    let kept = kept.iter().filter_map(|term| known(dictionary, class, term)).collect();
    Some(Anew { collection, id, kept })
}
