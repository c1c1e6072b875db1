//! The simulated Mac is consistent: its dictionaries have no problems, and its objects fit them.

mod objects;

use iac_core::dictionary::{Dictionary, Includes, Problem, parse, suites};
use objects::faults;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn every_dictionary_is_read_without_a_problem() {
    let mut read = 0;
    for path in files(&mac(), "sdef") {
        let (dictionary, problems) = dictionary(&path);
        assert_eq!(problems, [], "{}", path.display());
        let offers = dictionary.counts();
        assert!(offers.commands + offers.classes > 0, "{} offers nothing", path.display());
        read += 1;
    }
    assert!(read >= 14, "only {read} dictionaries");
}

#[test]
fn every_object_is_as_its_dictionary_says() {
    let definitions = definitions();
    let data = files(&mac().join("data"), "json");
    assert!(data.len() >= 10, "only {} apps have objects", data.len());
    for path in data {
        let app = path.file_stem().unwrap().to_str().unwrap();
        let faults = faults(&dictionary(&definitions[app]).0, &object_file(app));
        assert!(faults.is_empty(), "{app} has {} faults:\n{}", faults.len(), faults.join("\n"));
    }
}

/// The check above is useful only if it finds mistakes.
#[test]
fn a_wrong_object_is_found() {
    let mail = dictionary(&definitions()["com.apple.mail"]).0;
    let check = |application: Value, expected: &str| {
        let found = faults(&mail, &json!({ "application": application }));
        assert_eq!(found, [expected], "{application}");
    };
    let account = |account: Value| json!({ "elements": { "account": [account] } });
    let message =
        |message: Value| json!({ "elements": { "mailbox": [{ "elements": { "message": [message] } }] } });
    check(json!({ "colour": "red" }), "application: no property `colour`");
    check(json!({ "selection": "none" }), "application.selection: \"none\" is not list of message");
    check(json!({ "inbox": { "ref": "nowhere" } }), "application.inbox: no object has the key `nowhere`");
    check(json!({ "elements": { "folder": [] } }), "application: no elements `folder`");
    check(json!({ "folder": { "union": [] } }), "application: no elements `folder`");
    check(account(json!({ "class": "message" })), "application/account: a message is no account");
    check(account(json!({ "class": "cloud" })), "application/account: no class `cloud`");
    check(
        account(json!({ "through": "mail" })),
        "application/account: the application has no property `mail`",
    );
    check(account(json!({ "port": "993" })), "application/account.port: \"993\" is not integer");
    check(
        account(json!({ "account type": "exchange" })),
        "application/account.account type: \"exchange\" is not TypeOfAccount",
    );
    check(
        account(json!({ "email addresses": [1] })),
        "application/account.email addresses: 1 is not list of text",
    );
    let place = "application/mailbox/message";
    check(
        message(json!({ "date sent": "yesterday" })),
        &format!("{place}.date sent: \"yesterday\" is not date"),
    );
    check(
        message(json!({ "date sent": "2026-01-28T09:30:00Z" })),
        &format!("{place}.date sent: \"2026-01-28T09:30:00Z\" is not date"),
    );
    check(
        message(json!({ "mailbox": { "view": { "subject": "x" } } })),
        &format!("{place}.mailbox: no property `subject`"),
    );
    let twice = json!({ "elements": { "account": [{ "key": "a" }, { "key": "a" }] } });
    check(twice, "application/account: two objects have the key `a`");
}

/// The data that the demo's questions and the tests of paging and sorting rely on.
#[test]
fn the_mac_holds_enough_to_ask_about() {
    let mail = object_file("com.apple.mail");
    let accounts = mail["application"]["elements"]["account"].as_array().unwrap();
    let boxes = |account: &Value| account["elements"]["mailbox"].as_array().unwrap().clone();
    assert!(accounts.len() >= 2 && accounts.iter().all(|account| boxes(account).len() >= 3));
    let inbox = |account: &Value| boxes(account).into_iter().find(|each| each["name"] == "INBOX").unwrap();
    let messages: Vec<Value> = accounts
        .iter()
        .flat_map(|account| inbox(account)["elements"]["message"].as_array().unwrap().clone())
        .collect();
    let dates: Vec<&str> = messages.iter().filter_map(|message| message["date received"].as_str()).collect();
    let newest = dates.iter().max().unwrap();
    assert_eq!(messages.len(), 200);
    assert!(dates.len() < messages.len(), "some messages have no date");
    assert!(!dates.is_sorted() && dates[0] != *newest && dates[dates.len() - 1] != *newest);
    assert_eq!(dates.iter().filter(|date| *date == newest).count(), 1);
    assert!(messages.iter().any(|message| message["content"].as_str().unwrap().len() >= 60_000));

    let calendars =
        object_file("com.apple.iCal")["application"]["elements"]["calendar"].as_array().unwrap().clone();
    let events: Vec<Value> = calendars
        .iter()
        .flat_map(|calendar| calendar["elements"]["event"].as_array().unwrap().clone())
        .collect();
    let week = |event: &&Value| ("2026-01-26".."2026-02-02").contains(&event["start date"].as_str().unwrap());
    assert_eq!((calendars.len(), events.len()), (3, 100));
    assert!(events.iter().filter(week).count() >= 10);
}

/// Detects data that was edited by hand, and a change of the generator after which the data was not generated again.
#[test]
fn the_objects_are_what_their_program_writes() {
    let program = Command::new("python3").arg(mac().join("make")).arg("--check").output();
    let Ok(output) = program else {
        return println!("skipped: no python3 to run fixtures/mac/make with");
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn mac() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/mac")
}

/// All files with an extension below a folder. It does not follow links, so that it finds no file twice.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&entry.path(), extension));
        } else if entry.path().extension().is_some_and(|each| each == extension) {
            found.push(entry.path());
        }
    }
    found.sort();
    found
}

/// The dictionary of each app by its bundle id. An app without a dictionary of its own has the standard suite, or
/// suites.
fn definitions() -> BTreeMap<String, PathBuf> {
    let standard = mac().join("System/Library/ScriptingDefinitions/CocoaStandard.sdef");
    let apps = files(&mac(), "plist").into_iter().filter_map(|path| {
        let info = plist::Value::from_file(&path).ok()?.into_dictionary()?;
        let text = |key| info.get(key).and_then(plist::Value::as_string);
        let own = text("OSAScriptingDefinition").map(|name| {
            let name = name.strip_suffix(".sdef").unwrap_or(name);
            path.with_file_name("Resources").join(format!("{name}.sdef"))
        });
        let suites = || files(path.parent()?, "scriptSuite").into_iter().next();
        let definition = own.or_else(suites).unwrap_or_else(|| standard.clone());
        Some((text("CFBundleIdentifier")?.to_owned(), definition))
    });
    apps.collect()
}

fn dictionary(path: &Path) -> (Dictionary, Vec<Problem>) {
    if path.extension().is_some_and(|extension| extension == "scriptSuite") {
        let words = path.with_extension("scriptTerminology");
        let words = path.with_file_name("en.lproj").join(words.file_name().unwrap());
        let suite = std::fs::read(path).unwrap();
        let terminology = Some(std::fs::read(words).unwrap());
        return suites::parse(&[suites::Pair { name: "suite".to_owned(), suite, terminology }]);
    }
    let included = [
        "/System/Library/ScriptingDefinitions/CocoaStandard.sdef",
        "/System/Library/PrivateFrameworks/FolderActionsKit.framework/Versions/A/Resources/FolderActions.sdef",
    ];
    let load = |href: &str| (href.to_owned(), std::fs::read(mac().join(&href[1..])).unwrap());
    parse(&std::fs::read(path).unwrap(), &Includes::from(included.map(load)))
}

fn object_file(app: &str) -> Value {
    let path = mac().join(format!("data/{app}.json"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}
