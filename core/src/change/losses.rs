//! What a write of a property destroys besides the old value.

use super::{Fact, Look, Slot};
use crate::app::same_id;
use crate::dictionary::{Dictionary, Identifier};

/// Properties that hold only a part of an object. The app removes the other part when such a property is set: an app, a
/// class, the property, and the elements that go.
///
/// # Source
/// Two servers for Notes measured it: `body` is HTML without the files, scans and recordings of the note, and setting
/// it removes them, even if the value is the old one with something added.
const LOSSES: [(&str, &str, &str, &str); 1] = [("com.apple.Notes", "note", "body", "attachment")];

/// Properties that some objects hide: an app, a class, the properties, and the property that marks these objects.
///
/// # Source
/// Notes' dictionary: a locked note is `password protected`. Notes shows no text of one until a person unlocks it.
const HIDDEN: [(&str, &str, &[&str], &str); 1] =
    [("com.apple.Notes", "note", &["plaintext", "body"], "password protected")];

/// The properties that some objects of a class hide, and the property that marks these objects.
pub(crate) fn hidden(app: &str, class: &str) -> Option<(&'static [&'static str], &'static str)> {
    let row = HIDDEN.iter().find(|row| same_id(row.0, app) && row.1 == class)?;
    Some((row.2, row.3))
}

/// Whether an object hides one of these properties. Nobody sees what a write would replace.
pub(crate) fn lock(app: &str, class: &str, slots: &[Slot]) -> Option<Fact> {
    let (properties, flag) = hidden(app, class)?;
    let is_set = slots.iter().any(|slot| properties.contains(&slot.term.as_str()));
    is_set.then(|| Some(Fact::new("", Look::Property(vec![Identifier::of(flag)?]))))?
}

/// The reason why a write with such a loss cannot be undone.
pub(crate) const LOST: &str = "it removed what the old value does not hold";

/// What setting these properties removes from an object for good. The server counts it before the write.
pub(crate) fn loss(app: &str, dictionary: &Dictionary, class: &str, slots: &[Slot]) -> Option<Fact> {
    let is_set = |term: &str| slots.iter().any(|slot| slot.term == term);
    let mut rows = LOSSES.iter().filter(|row| same_id(row.0, app) && dictionary.is_a(class, row.1));
    let row = rows.find(|row| is_set(row.2))?;
    let (_, element) = dictionary.element(class, row.3)?;
    let fact = Fact::new(element.plural.clone(), Look::Count(vec![Identifier::of(&element.plural)?]));
    Some(Fact { is_lost: true, ..fact })
}

/// The names of what such a write removes.
pub(crate) fn examples(loss: &Fact, dictionary: &Dictionary) -> Option<Fact> {
    let Look::Count(way) = &loss.look else { return None };
    let class = dictionary.classes.values().find(|class| class.plural == loss.caption)?;
    let name = dictionary.property_of_code(&class.name, "pnam")?;
    let way = way.iter().cloned().chain([Identifier::of(&name.name)?]).collect();
    Some(Fact { is_sample: true, ..Fact::new("among them", Look::Property(way)) })
}

/// Whether setting a property removes something else of the object.
pub(crate) fn is_lossy(app: &str, dictionary: &Dictionary, class: &str, property: &str) -> bool {
    let mut rows = LOSSES.iter().filter(|row| same_id(row.0, app) && row.2 == property);
    rows.any(|row| dictionary.is_a(class, row.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dictionary::{Includes, TypeExpr, parse};

    const NOTES: &[u8] =
        include_bytes!("../../../fixtures/mac/System/Applications/Notes.app/Contents/Resources/Notes.sdef");

    #[test]
    fn only_a_new_body_of_a_note_removes_its_attachments() {
        let (dictionary, _) = parse(NOTES, &Includes::new());
        let check = |app: &str, class: &str, term: &str, expected: Option<&str>| {
            let identifier = Identifier::of(term).expect("a property's name");
            let slot = Slot {
                term: term.to_owned(),
                identifier,
                kind: TypeExpr::default(),
                numbers: &[],
                is_interval: false,
                readable: true,
                writable: true,
            };
            let found = loss(app, &dictionary, class, &[slot]);
            assert_eq!(found.map(|fact| fact.look.spelled()).as_deref(), expected, "{app} {class} {term}");
            assert_eq!(is_lossy(app, &dictionary, class, term), expected.is_some(), "{app} {class} {term}");
        };
        check("com.apple.Notes", "note", "body", Some("#attachments"));
        check("com.apple.Notes", "note", "name", None);
        check("com.apple.Notes", "folder", "body", None);
        check("com.apple.mail", "note", "body", None);
    }
}
