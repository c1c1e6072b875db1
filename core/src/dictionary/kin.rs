//! Synonyms for the properties of objects. Every app has its own word for the name, the text or the date of an object,
//! and a client uses the one that it knows: `title` for a subject, `due` for a due date.

use super::{APPLICATION, Class, Dictionary, Property, names};

/// Words and the properties that they may mean, likeliest first, all in the form of [`names::key`].
///
/// No row joins words that differ on a Mac. In Finder, the date on which a file was added to its folder is not its
/// creation date, and its label is a colour. In Music, the text of a track is not its description.
const KIN: [(&[&str], &[&str]); 19] = [
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
    (&["allday", "wholeday"], &["alldayevent"]),
];

/// Words that a read takes as the likeliest property. A change does not guess which date is meant.
const VAGUE: [&str; 3] = ["date", "time", "when"];

/// The last words that a client leaves out: `due` is the `due date`. A `home` is not a `home page`.
const TAILS: [&str; 5] = ["date", "time", "status", "name", "index"];

/// Words that are never taken as synonyms, because most dictionaries use them for something else.
const PLAIN: [&str; 5] = ["class", "count", "id", "index", "number"];

fn is_yes_or_no(property: &Property) -> bool {
    property.kind.0.iter().any(|kind| kind.name == "boolean")
}

/// The words without `is`, as in `isFlagged`.
fn without_is(words: &[String]) -> &[String] {
    match words {
        [is, rest @ ..] if !rest.is_empty() && ["is", "has", "the", "its"].contains(&is.as_str()) => rest,
        all => all,
    }
}

impl Dictionary {
    /// Finds the property for a word that is not a term of the class. It takes the likeliest property by a synonym, or
    /// the only property with that word at its beginning or its end. `isFlagged` is `flagged`.
    pub(crate) fn meant<'a>(&'a self, class: &str, word: &str) -> Option<&'a Property> {
        let words = names::split(word);
        let bare = without_is(&words);
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

    /// Finds the property that a change means by a word that is not a term of the class. Only one property may fit: a
    /// read may take the likeliest one, but a write to another one would be a loss.
    pub(crate) fn meant_to_set<'a>(&'a self, class: &str, word: &str) -> Option<&'a Property> {
        let words = names::split(word);
        let bare = without_is(&words);
        let key = bare.concat();
        let is_term = || self.property(class, word).is_some() || self.element(class, word).is_some();
        if bare.is_empty() || class.is_empty() || PLAIN.contains(&key.as_str()) || is_term() {
            return None;
        }
        let kin = KIN.iter().find(|(words, _)| words.contains(&key.as_str()) && !VAGUE.contains(&words[0]));
        let fits = |property: &&Property| {
            let (name, own) = (names::split(&property.name), names::key(&property.name));
            let is_kin = kin.is_some_and(|(_, terms)| terms.contains(&own.as_str()));
            let is_longer = name.len() > bare.len();
            let is_tail = |rest: &[String]| matches!(rest, [last] if TAILS.contains(&last.as_str()));
            let begins = name.strip_prefix(bare).is_some_and(|rest| is_yes_or_no(property) || is_tail(rest));
            let ends = name.ends_with(bare) && !is_yes_or_no(property);
            own == key || (is_kin && property.access.can_write()) || (is_longer && (begins || ends))
        };
        let mut alike = self.properties(class).into_iter().filter(|property| !property.hidden).filter(fits);
        alike.next().filter(|only| alike.next().is_none() && only.access.can_write())
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
    fn a_change_takes_a_word_for_the_only_property_that_fits() {
        let properties = [
            ("name", "text"),
            ("body", "text"),
            ("due date", "date"),
            ("allday due date", "date"),
            ("remind me date", "date"),
            ("flagged status", "boolean"),
            ("read status", "boolean"),
            ("flag index", "integer"),
            ("label index", "integer"),
            ("home page", "text"),
            ("played date", "date"),
            ("allday event", "boolean"),
            ("class size", "integer"),
        ];
        let properties: String = properties
            .iter()
            .map(|(name, kind)| format!("<property name=\"{name}\" code=\"abcd\" type=\"{kind}\"/>"))
            .collect();
        let fixed = "<property name=\"creation date\" code=\"abcd\" type=\"date\" access=\"r\"/>";
        let sdef = format!(
            "<dictionary><suite name=\"s\" code=\"abcd\"><class name=\"thing\" code=\"thng\">{properties}{fixed}</class></suite></dictionary>"
        );
        let (dictionary, _) = parse(sdef.as_bytes(), &Includes::default());
        let check = |word: &str, expected: Option<&str>| {
            let found = dictionary.meant_to_set("thing", word).map(|property| property.name.as_str());
            assert_eq!(found, expected, "{word}");
        };
        check("title", Some("name"));
        check("notes", Some("body"));
        check("text", Some("body"));
        check("due", Some("due date"));
        check("isRead", Some("read status"));
        check("allDay", Some("allday event"));
        check("label", Some("label index"));
        // A colour or a yes, and one of several dates.
        check("flag", None);
        check("date", None);
        check("when", None);
        // A word in front makes something else of it.
        check("home", None);
        // No one can set it.
        check("created", None);
        // Terms mean themselves.
        check("name", None);
        check("class", None);
    }

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
