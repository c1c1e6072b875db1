//! Descriptions of parts of dictionaries: their sizes, ways that lead to an object, and search results.

use iac_core::app::{App, Apps};
use iac_core::call::Question;
use iac_core::describe::{describe, routes};
use iac_core::specifier::Specifier;
use serde_json::Value as Json;

use crate::support::corpus::{all, corpus, dictionary};

fn ask(apps: &Apps, app: &App, question: &Question) -> Json {
    describe(Some(&app.bundle_id), question, apps, &[]).unwrap()
}

fn too_long(answer: &Json, most: usize) -> Option<String> {
    let size = answer.to_string().len();
    (size > most).then(|| format!("{size} bytes: {answer}"))
}

#[test]
fn every_answer_stays_within_its_size_and_says_what_it_leaves_out() {
    let apps = Apps(all());
    let mut wrong = Vec::new();
    for app in &apps.0 {
        let dictionary = dictionary(app);
        let classes = dictionary.classes.values().filter(|class| !class.hidden && !class.built_in).count();
        let most = if classes > 51 { 4 * 1024 } else { 2 * 1024 };
        let overview = ask(&apps, app, &Question::Overview);
        wrong.extend(too_long(&overview, most));
        let mut questions: Vec<Question> = Vec::new();
        for class in dictionary.classes.keys() {
            questions.extend([Question::Class(class.clone()), Question::Reach(class.clone())]);
        }
        questions.extend(dictionary.commands.iter().map(|command| Question::Command(command.name.clone())));
        questions.extend(dictionary.enumerations.keys().cloned().map(Question::Enumeration));
        for question in questions {
            wrong.extend(
                too_long(&ask(&apps, app, &question), 3 * 1024).map(|it| format!("{question:?}: {it}")),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_way_is_a_specifier_that_the_dictionary_knows() {
    let mut ways = 0;
    for app in &all() {
        let dictionary = dictionary(app);
        for class in dictionary.classes.keys() {
            for route in routes(dictionary, class) {
                let specifier = Specifier::parse(&route.specifier(), "specifier").unwrap();
                let found = specifier.resolve(dictionary, &mut |_| unreachable!("no references in it"));
                let path =
                    found.unwrap_or_else(|error| panic!("{} {class}: {route}: {error}", app.name)).path;
                assert_eq!(path.class(), route.class(), "{} {class}: {route}", app.name);
                ways += 1;
            }
        }
    }
    println!("{ways} ways");
}

/// Typical searches, and the expected hit: the app, and a term of the hit.
const LOOKED_FOR: [(&str, &str, &str); 44] = [
    ("send an email", "com.apple.mail", "send"),
    ("unread messages", "com.apple.mail", "read status"),
    ("reply to a message", "com.apple.mail", "reply"),
    ("mail attachments", "com.apple.mail", "mail attachment"),
    ("who sent this mail", "com.apple.mail", "sender"),
    ("archive an email into a folder", "com.apple.mail", "move"),
    ("check for new mail", "com.apple.mail", "check for new mail"),
    ("mark message as flagged", "com.apple.mail", "flagged status"),
    ("create a calendar event", "com.apple.iCal", "event"),
    ("when does a meeting start", "com.apple.iCal", "start date"),
    ("appointments", "com.apple.iCal", "event"),
    ("meeting attendees", "com.apple.iCal", "attendee"),
    ("create a note", "com.apple.Notes", "note"),
    ("note body", "com.apple.Notes", "body"),
    ("notes folders", "com.apple.Notes", "folder"),
    ("add a reminder", "com.apple.reminders", "reminder"),
    ("reminder due date", "com.apple.reminders", "due date"),
    ("complete a todo", "com.apple.reminders", "completed"),
    ("url of the current browser tab", "com.apple.Safari", "URL"),
    ("open tabs in chrome", "com.google.Chrome", "tab"),
    ("run javascript in safari", "com.apple.Safari", "do JavaScript"),
    ("active tab", "com.google.Chrome", "active tab"),
    ("empty the trash", "com.apple.finder", "empty"),
    ("selected files in finder", "com.apple.finder", "selection"),
    ("free space on a disk", "com.apple.finder", "free space"),
    ("desktop picture", "com.apple.systemevents", "picture"),
    ("eject a disk", "com.apple.finder", "eject"),
    ("reveal a file", "com.apple.finder", "reveal"),
    ("play a song", "com.apple.Music", "play"),
    ("current track", "com.apple.Music", "current track"),
    ("make it louder", "com.apple.osax.standardadditions", "set volume"),
    ("playlist", "com.apple.Music", "playlist"),
    ("phone number of a contact", "com.apple.AddressBook", "phone"),
    ("birthday of a person", "com.apple.AddressBook", "birth date"),
    ("send a text message", "com.apple.MobileSMS", "send"),
    ("dark mode", "com.apple.systemevents", "dark mode"),
    ("type text with the keyboard", "com.apple.systemevents", "keystroke"),
    ("click a button", "com.apple.systemevents", "click"),
    ("frontmost process", "com.apple.systemevents", "frontmost"),
    ("run a shell command", "com.apple.osax.standardadditions", "do shell script"),
    ("show a notification", "com.apple.osax.standardadditions", "display notification"),
    ("run a shortcut", "com.apple.shortcuts", "run"),
    ("presenter notes of a slide", "com.apple.iWork.Keynote", "presenter notes"),
    ("export a presentation", "com.apple.iWork.Keynote", "export"),
];

#[test]
fn a_search_over_all_apps_finds_what_people_mean() {
    let Some(mut apps) = corpus() else { return };
    apps.retain(|app| app.name != "CocoaStandard");
    let apps = Apps(apps);
    let mut missed = Vec::new();
    let mut within_five = 0;
    for (words, app, term) in LOOKED_FOR {
        let answer = describe(None, &Question::Search(words.to_owned()), &apps, &[]).unwrap();
        let hits = answer["hits"].as_array().unwrap();
        assert!(hits.len() <= 10, "{words}: {} hits", hits.len());
        assert!(too_long(&answer, 3 * 1024).is_none(), "{words}");
        let is_it = |hit: &Json| {
            let terms = ["command", "class", "property", "enumeration"];
            hit["app"] == app && terms.iter().any(|kind| hit[*kind] == term)
        };
        match hits.iter().position(is_it) {
            Some(at) if at < 5 => within_five += 1,
            Some(at) => println!("{words}: {term} is hit {}", at + 1),
            None => missed.push(format!("{words}: {}", Json::from(hits.clone()))),
        }
    }
    println!(
        "{} of {} found, {within_five} among the first five",
        LOOKED_FOR.len() - missed.len(),
        LOOKED_FOR.len()
    );
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    assert!(within_five * 10 >= LOOKED_FOR.len() * 9, "{within_five}");
}
