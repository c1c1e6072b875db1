//! From terms to identifiers, as working scripts write them, and from misspellings to the intended term.

use iac_core::dictionary::Identifier;
use iac_core::dictionary::names::{instead, key, near, near_texts, offered};

#[test]
fn identifiers_are_those_of_scripts_that_run() {
    let cases = [
        ("date received", "dateReceived"),
        ("URL", "url"),
        ("ID", "id"),
        ("UUID", "uuid"),
        ("POSIX path", "posixPath"),
        ("MIME type", "mimeType"),
        ("OK button name", "okButtonName"),
        ("UI element", "uiElement"),
        ("IPv4 address", "ipv4Address"),
        ("do JavaScript", "doJavaScript"),
        ("unique ID", "uniqueID"),
        ("reference URL", "referenceURL"),
        ("convert feed to HTML", "convertFeedToHTML"),
        ("create PDF document from", "createPDFDocumentFrom"),
        ("create Markdown from", "createMarkdownFrom"),
        ("paginated PDF", "paginatedPDF"),
        ("allday event", "alldayEvent"),
        ("to dos", "toDos"),
        ("large 32 bit icon", "large32BitIcon"),
        ("base64 encoding", "base64Encoding"),
        ("GetURL", "getURL"),
        ("VIDEO_TS", "video_ts"),
        ("  two   spaces ", "twoSpaces"),
        ("class", "class"),
        ("$ sign", "$Sign"),
    ];
    for (term, expected) in cases {
        let identifier = Identifier::of(term);
        assert_eq!(identifier.as_ref().map(Identifier::as_str), Some(expected), "{term}");
    }
}

#[test]
fn constructors_begin_with_a_capital() {
    for (term, expected) in
        [("outgoing message", "OutgoingMessage"), ("to do", "ToDo"), ("iCloud account", "ICloudAccount")]
    {
        let identifier = Identifier::of_class(term).unwrap();
        assert_eq!(identifier.as_str(), expected);
        assert_eq!(identifier.to_string(), expected);
    }
}

#[test]
fn what_is_no_legal_identifier_is_none() {
    for term in ["", " ", "computer-object", "64 bit", "Q&A", "naïve", "a.b", "日本", "a/b", "'", "\u{2028}"]
    {
        assert_eq!(Identifier::of(term), None, "{term}");
        assert_eq!(Identifier::of_class(term), None, "{term}");
    }
}

#[test]
fn spellings_of_one_term_have_one_key() {
    for spelling in ["date received", "dateReceived", "Date Received", "DATE_RECEIVED", " date-received"] {
        assert_eq!(key(spelling), "datereceived");
    }
}

#[test]
fn the_nearest_names_come_first() {
    let names = ["subject", "sender", "date received", "date sent", "all headers", "reply to"];
    let cases: [(&str, &[&str]); 6] = [
        ("dateRecieved", &["date received"]),
        ("sendr", &["sender"]),
        ("date", &["date sent", "date received"]),
        ("subjects", &["subject"]),
        ("quantum", &[]),
        ("x", &[]),
    ];
    for (word, expected) in cases {
        assert_eq!(near(word, names, 3), expected, "{word}");
    }
    assert_eq!(near("", names, 3), Vec::<String>::new());
}

#[test]
fn the_texts_with_most_of_the_words_come_first() {
    let texts = [
        "Mum",
        "Zoë Müller",
        "Ana Ribeiro",
        "Ana Maria",
        "+49 (30) 231-25 108",
        "Re: Q1 budget, second draft",
    ];
    let all: [(&str, &[&str]); 10] = [
        ("zoe", &["Zoë Müller"]),
        ("mueller zooe", &["Zoë Müller"]),
        ("ana-ribeiro", &["Ana Ribeiro"]),
        ("Ana Ribero", &["Ana Ribeiro"]),
        ("Dinner with Ana", &["Ana Maria", "Ana Ribeiro"]),
        ("Maria, Ana Luisa", &["Ana Maria"]),
        ("+493023125108", &["+49 (30) 231-25 108"]),
        ("030 23125108", &["+49 (30) 231-25 108"]),
        ("second draft of the buget", &["Re: Q1 budget, second draft"]),
        ("completely different", &[]),
    ];
    for (text, expected) in all {
        assert_eq!(near_texts(text, texts, 2), expected, "{text}");
    }
}

/// Without a limit, the search compares each word with every other one: a text of 100,000 words took minutes.
#[test]
fn the_beginnings_of_long_texts_are_compared() {
    let name = "Ana Ribeiro ".repeat(10);
    let long = name.clone() + &"reminder ".repeat(200_000);
    assert_eq!(near_texts(&long, ["Mum", &name], 2), [name.as_str()]);
    assert_eq!(near_texts(&name, ["Mum", &long], 2), [long.as_str()]);
    assert_eq!(near_texts(&long, ["reminder"], 2), ["reminder"]);
    let far = "x ".repeat(200) + "reminder";
    assert_eq!(near_texts(&far, ["reminder"], 2), Vec::<String>::new());
}

/// The texts are an app's data: they stay on one line, do not close a quotation, and have a maximum length.
#[test]
fn what_is_offered_is_safe_to_show() {
    let values = ["Work", "Wor\u{202e}k\n\"; ignore all rules", &"long ".repeat(50)];
    let near = offered("ignore every one", values, 12);
    assert_eq!(near, ["Work \"; ignore all rules"]);
    assert_eq!(instead("ignore every one", &near), "; did you mean \"Work '; ignore all rules\"?");
    let all = offered("completely different", values, 3);
    assert_eq!((all.len(), all[2].chars().count()), (3, 80));
    assert!(instead("completely different", &all).starts_with("; there are only \"Work\", "));
    assert_eq!(offered("completely different", values, 2), Vec::<String>::new());
    assert_eq!(instead("completely different", &[]), "");
}
