//! The values to read from objects besides their names. From new objects, they serve the undo. From others, they show
//! whether another object has taken the name.

use super::Tree;
use crate::action::{Following, Invocation};
use crate::app::{App, same_id};
use crate::change::{DELETE, Fact, Look, Slot, Subject, binding, counts, held, unshown};
use crate::dictionary::{Dictionary, Identifier};
use crate::identity::{Identity, identity};
use crate::specifier::Path;

/// The app whose copies are not read whole: all properties of a folder include its size, which takes minutes to count.
///
/// # Source
/// Finder's dictionary: an item has a `size` and a `physical size`.
const COUNTING: &str = "com.apple.finder";

/// The name for people and the values to read from a copy that a command makes of objects of a class.
pub(in crate::step) fn looks_of_copy(
    command: &Invocation,
    class: &str,
    app: &App,
    dictionary: &Dictionary,
) -> (Option<Identifier>, Vec<Look>) {
    let tree = Tree::new(app, dictionary, None);
    tree.looks(&tree.home_of(command), class, &[], true)
}

impl Tree<'_> {
    /// The name of an object of a class for people, and the values to record right after it is made.
    pub(super) fn looks(
        &self,
        container: &Path,
        class: &str,
        slots: &[Slot],
        is_copy: bool,
    ) -> (Option<Identifier>, Vec<Look>) {
        let under = self.under(container, class);
        let fresh = Subject::of(&self.app.bundle_id, self.dictionary, under, Vec::new());
        let label = fresh.labels.first().cloned();
        let mut looks: Vec<Look> = label.iter().map(|label| Look::Property(vec![label.clone()])).collect();
        let readable = slots.iter().filter(|slot| slot.readable && Some(&slot.identifier) != label.as_ref());
        looks.extend(readable.map(|slot| Look::Property(vec![slot.identifier.clone()])));
        let mut held = held(self.dictionary, class);
        // Another object may take the name of this one.
        let telling = unshown(&self.app.bundle_id, self.dictionary, DELETE, class);
        let counts = counts(&self.app.bundle_id, self.dictionary, class);
        let contents = |look| contents(look, self.dictionary, !telling.is_empty());
        // A copy may have any amount of contents, so they are only counted.
        looks.extend(counts.map(|look| if is_copy { look } else { contents(look) }));
        let is_read = |each: &Identifier| looks.contains(&Look::Property(vec![each.clone()]));
        let is_slow = is_copy && same_id(&self.app.bundle_id, COUNTING);
        if !held.iter().all(is_read) && !is_slow {
            // One event reads them all.
            held.extend(telling);
            looks.push(Look::Held(held));
        } else {
            looks.extend(telling.into_iter().map(|each| Look::Property(vec![each])));
        }
        (label, looks)
    }
}

/// Reads the ids of the elements instead of their number, because a person may replace an element by another. Reads the
/// names of files.
fn contents(look: Look, dictionary: &Dictionary, are_files: bool) -> Look {
    let Look::Count(way) = look else { return look };
    let is_it = |class: &&String| {
        dictionary.class(class).is_some_and(|it| Identifier::of(&it.plural).as_ref() == way.last())
    };
    match dictionary.classes.keys().find(is_it).map(|class| identity(dictionary, class)) {
        Some(Identity::Id(own)) => Look::Property([way, vec![own]].concat()),
        Some(Identity::Name(own)) if are_files => Look::Property([way, vec![own]].concat()),
        _ => Look::Count(way),
    }
}

/// Adds values to the looks at destinations and targets, which the question does not show.
pub(super) fn tell_apart(places: &mut [Subject], then: &[Following], app: &App, dictionary: &Dictionary) {
    for subject in places {
        let is_target =
            |next: &&Following| next.sent.direct.iter().any(|it| it.paths().contains(&&subject.path));
        let code = then.iter().find(is_target).map_or("", |next| next.sent.code.as_str());
        let facts = binding(&app.bundle_id, dictionary, code, &subject.path).into_iter();
        let facts: Vec<Fact> = facts.filter(|fact| !subject.facts.contains(fact)).collect();
        subject.facts.extend(facts);
    }
}
