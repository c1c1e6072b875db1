//! Synonyms for the properties of objects. Every app has its own word for the name, the text or the date of an object,
//! and a client uses the one that it knows: `title` for a subject, `due` for a due date.

use super::{APPLICATION, Class, Dictionary, Property, names};

/// Words and the properties that they may mean, likeliest first, all in the form of [`names::key`].
///
/// No row joins words that differ on a Mac. In Finder, the date on which a file was added to its folder is not its
/// creation date, and its label is a colour. In Music, the text of a track is not its description.
const KIN: [(&[&str], &[&str]); 18] = [
    (
        &["title", "subject", "summary", "name", "headline"],
        &["name", "title", "subject", "summary", "displayedname"],
    ),
    (&["from", "author", "sender"], &["sender", "author", "from"]),
    (
        &["text", "body", "content", "contents", "plaintext"],
        &["content", "plaintext", "text", "body", "note", "notes"],
    ),
    (
        &["note", "notes", "description"],
        &["content", "plaintext", "text", "body", "note", "notes", "description"],
    ),
    (
        &["created", "createdat", "createddate", "datecreated", "creationtime"],
        &["creationdate", "datecreated"],
    ),
    (
        &[
            "modified", "modifiedat", "modifieddate", "lastmodified", "datemodified", "updated", "updatedat",
            "edited", "lastedited", "changed",
        ],
        &["modificationdate", "datemodified"],
    ),
    (&["date", "time", "when"], &["datereceived", "startdate", "duedate"]),
    (&["begin", "begins", "starts", "starttime"], &["startdate"]),
    (&["finish", "finishes", "ends", "endtime"], &["enddate"]),
    (&["deadline"], &["duedate"]),
    (&["done", "complete", "finished"], &["completed"]),
    (&["flagged", "starred", "flag"], &["flaggedstatus", "flagged"]),
    (&["seen"], &["readstatus"]),
    (&["link", "href", "website", "webaddress"], &["url"]),
    (&["bytes", "filesize"], &["size", "messagesize", "filesize"]),
    (&["length"], &["duration"]),
    (&["type"], &["kind"]),
    (&["birthday", "dateofbirth"], &["birthdate"]),
];

/// Words that are never taken as synonyms, because most dictionaries use them for something else.
const PLAIN: [&str; 5] = ["class", "count", "id", "index", "number"];

fn is_yes_or_no(property: &Property) -> bool {
    property.kind.0.iter().any(|kind| kind.name == "boolean")
}

impl Dictionary {
    /// Finds the property for a word that is not a term of the class. It takes the likeliest property by a synonym, or
    /// the only property with that word at its beginning or its end. `isFlagged` is `flagged`.
    pub(crate) fn meant<'a>(&'a self, class: &str, word: &str) -> Option<&'a Property> {
        let words = names::split(word);
        let bare = match words.as_slice() {
            [is, rest @ ..] if !rest.is_empty() && ["is", "has", "the", "its"].contains(&is.as_str()) => rest,
            all => all,
        };
        let key = bare.concat();
        if bare.is_empty() || PLAIN.contains(&key.as_str()) {
            return None;
        }
        let known = || self.properties(class).into_iter().filter(|property| !property.hidden);
        let of_key = |key: &str| known().find(|property| names::key(&property.name) == key);
        let kin = || KIN.iter().find(|(words, _)| words.contains(&key.as_str()));
        // The name of a class means its objects.
        let is_class = self.class(word).is_some();
        let only = || {
            let is_it = |property: &&Property| {
                let name = names::split(&property.name);
                // `hidden` is not `extension hidden`, though `sent` is `date sent`.
                name.starts_with(bare) || (name.ends_with(bare) && !is_yes_or_no(property))
            };
            let mut alike = known().filter(is_it);
            alike.next().filter(|_| !is_class && alike.next().is_none())
        };
        of_key(&key)
            .or_else(|| kin().and_then(|(_, terms)| terms.iter().find_map(|term| of_key(term))))
            .or_else(only)
    }

    /// Finds the elements for a word that is not a term of the class. It takes the only elements with that word at the
    /// end of their name, or otherwise at its beginning. The attachments of a message are its `mail attachments`, and
    /// `to` its `to recipients`.
    pub(crate) fn meant_element<'a>(&'a self, class: &str, word: &str) -> Option<&'a Class> {
        let words = names::split(word);
        let bare = words.strip_prefix(&["has".to_owned()]).unwrap_or(&words);
        let only = |is_it: fn(&[String], &[String]) -> bool| {
            let held = self.elements(class).into_iter().filter(|element| !element.hidden);
            let mut alike = held.filter_map(|element| self.class(&element.class)).filter(|class| {
                is_it(&names::split(&class.name), bare) || is_it(&names::split(&class.plural), bare)
            });
            alike.next().filter(|_| !bare.is_empty() && alike.next().is_none())
        };
        // Objects of a class that the application does not hold are in something else: a message in a mailbox, although
        // the application has outgoing messages.
        if class == APPLICATION && self.class(word).is_some() {
            return None;
        }
        only(|name, words| name.ends_with(words)).or_else(|| only(|name, words| name.starts_with(words)))
    }

    /// Replaces the words of a path of properties, joined by dots, by the terms that they mean; `None` if no word needs
    /// that.
    pub(crate) fn meant_path(&self, class: &str, path: &str) -> Option<String> {
        let mut owner = class.to_owned();
        let mut is_other = false;
        let mut terms: Vec<String> = Vec::new();
        for (at, part) in path.split('.').map(str::trim).enumerate() {
            let held = |property: &Property| {
                let class = property.kind.0.iter().find(|kind| self.classes.contains_key(&kind.name));
                class.map(|kind| kind.name.clone()).unwrap_or_default()
            };
            let (term, next) = if owner.is_empty() {
                (part.to_owned(), String::new())
            } else if let Some(property) = self.property(&owner, part) {
                (part.to_owned(), held(property))
            } else if let Some((_, class)) = self.element(&owner, part) {
                (part.to_owned(), class.name.clone())
            } else if let Some(property) = self.meant(&owner, part) {
                is_other = true;
                (property.name.clone(), held(property))
            } else if let Some(class) = self.meant_element(&owner, part) {
                is_other = true;
                (class.plural.clone(), class.name.clone())
            } else {
                let holder = self.class(part).filter(|_| at == 0);
                (part.to_owned(), holder.map(|class| class.name.clone()).unwrap_or_default())
            };
            terms.push(term);
            owner = next;
        }
        is_other.then(|| terms.join("."))
    }
}

#[cfg(test)]
mod tests {
    use crate::dictionary::{Includes, parse};

    #[test]
    fn a_word_means_a_property_if_no_other_is_as_likely() {
        let names = [
            "subject", "sender", "date received", "date sent", "read status", "deleted status", "flag index",
            "extension hidden", "name extension", "size",
        ];
        let properties: String = names
            .iter()
            .map(|name| {
                let kind = if name.ends_with("hidden") { "boolean" } else { "text" };
                format!("<property name=\"{name}\" code=\"abcd\" type=\"{kind}\"/>")
            })
            .collect();
        let sdef = format!(
            "<dictionary><suite name=\"s\" code=\"abcd\"><class name=\"message\" code=\"mssg\">{properties}</class></suite></dictionary>"
        );
        let (dictionary, _) = parse(sdef.as_bytes(), &Includes::default());
        let check = |word: &str, expected: Option<&str>| {
            let found = dictionary.meant("message", word).map(|property| property.name.as_str());
            assert_eq!(found, expected, "{word}");
        };
        check("title", Some("subject"));
        check("from", Some("sender"));
        check("isRead", Some("read status"));
        check("is_read", Some("read status"));
        check("sent", Some("date sent"));
        check("date", Some("date received"));
        // Two properties end with it.
        check("status", None);
        // One property begins with it, and one ends with it.
        check("extension", None);
        // `hidden` is about the display of an object. It does not mean `extension hidden`.
        check("hidden", None);
        check("length", None);
        // Every dictionary has its own index.
        check("index", None);
        check("is", None);
        check("", None);
        assert_eq!(dictionary.meant_path("message", "sender.title"), None);
    }
}
