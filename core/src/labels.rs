//! Labels of Contacts. The app keeps its own labels in a form that it translates for people.

use serde_json::{Value as Json, json};

use crate::app::same_id;
use crate::dictionary::names;
use crate::filter::{Compare, Operator};

/// # Source
/// Apple's `CNLabeledValue.h` and `ABGlobals.h`: `CNLabelHome` is `_$!<Home>!$_`.
const APP: &str = "com.apple.AddressBook";
const OPEN: &str = "_$!<";
const CLOSE: &str = ">!$_";

/// The app's own labels.
///
/// # Source
/// Apple's `CNLabeledValue.h` and `CNPhoneNumber.h`.
const OWN: [&str; 24] = [
    "Anniversary", "Assistant", "Brother", "Child", "Daughter", "Father", "Friend", "Home", "HomeFAX",
    "HomePage", "Main", "Manager", "Mobile", "Mother", "Other", "OtherFAX", "Pager", "Parent", "Partner",
    "School", "Sister", "Son", "Spouse", "Work",
];

/// The app's own label for a word that a client gives as a new value. A label of the client's own with the same word
/// would be another one to the app.
pub(crate) fn own(app: &str, property: &str, said: &str) -> Option<String> {
    let is_label = same_id(app, APP) && property == "label";
    let said = names::key(said);
    let own = OWN.iter().find(|own| is_label && names::key(own) == said)?;
    Some(format!("{OPEN}{own}{CLOSE}"))
}

/// Adds the words that people know for the app's own labels in an answer: `"names":{"_$!<HomeFAX>!$_":"home fax"}`.
pub(crate) fn named(app: &str, body: &mut Json) {
    let mut found = Vec::new();
    if same_id(app, APP) {
        collect(body, &mut found);
    }
    for label in found {
        body["names"][label.as_str()] = json!(in_words(&label));
    }
}

/// The word that people know for one of the app's own labels: `home fax`.
pub(crate) fn in_words(label: &str) -> Option<String> {
    word(label).map(|word| names::split(word).join(" "))
}

fn word(label: &str) -> Option<&str> {
    let word = label.strip_prefix(OPEN)?.strip_suffix(CLOSE)?;
    // Apple's labels are words. Any other text in this form is shown as it is.
    let is_word = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphabetic());
    is_word.then_some(word)
}

fn collect(json: &Json, found: &mut Vec<String>) {
    match json {
        Json::String(text) if word(text).is_some() && !found.contains(text) => found.push(text.clone()),
        Json::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Json::Object(fields) => fields.values().for_each(|value| collect(value, found)),
        _ => {}
    }
}

/// The app's own label for a word that a property must be equal to, or must not. Texts compare without regard to case.
pub(crate) fn kept(app: &str, property: &str, compare: &Compare<String>) -> Option<Json> {
    let is_equality = matches!(compare.operator, Operator::Equal | Operator::NotEqual);
    let is_label = is_equality && same_id(app, APP) && property.rsplit('.').next() == Some("label");
    let said = compare.value.as_str().filter(|said| is_label && word(said).is_none())?;
    Some(json!(format!("{OPEN}{}{CLOSE}", said.replace(' ', ""))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{kept, named, own};
    use crate::filter::{Compare, Operator};

    #[test]
    fn words_for_the_labels_of_the_app_mean_these() {
        let check = |app: &str, property: &str, said: &str, expected: Option<&str>| {
            assert_eq!(own(app, property, said).as_deref(), expected, "{said}");
        };
        check(super::APP, "label", "work", Some("_$!<Work>!$_"));
        check(super::APP, "label", "Home Fax", Some("_$!<HomeFAX>!$_"));
        check(super::APP, "label", "_$!<Work>!$_", Some("_$!<Work>!$_"));
        for said in ["boat", "", "work phone"] {
            check(super::APP, "label", said, None);
        }
        check(super::APP, "value", "work", None);
        check("com.apple.mail", "label", "work", None);
    }

    #[test]
    fn labels_get_the_words_that_people_know() {
        let mut body =
            json!({"elements": [{"label": "_$!<HomeFAX>!$_"}, {"label": "boat"}], "names": {"a": "b"}});
        named("com.apple.addressbook", &mut body);
        assert_eq!(body["names"], json!({"a": "b", "_$!<HomeFAX>!$_": "home fax"}));
        let mut other = json!({"subject": "_$!<Work>!$_"});
        named("com.apple.mail", &mut other);
        assert_eq!(other, json!({"subject": "_$!<Work>!$_"}));
        let kept = |operator, property: &str, value| {
            kept(super::APP, property, &Compare { property: property.to_owned(), operator, value })
        };
        assert_eq!(kept(Operator::Equal, "label", json!("home fax")), Some(json!("_$!<homefax>!$_")));
        assert_eq!(kept(Operator::Contains, "label", json!("work")), None);
        for (property, said) in
            [("label", json!("_$!<Work>!$_")), ("value", json!("work")), ("label", json!(null))]
        {
            assert_eq!(kept(Operator::Equal, property, said), None);
        }
    }
}
