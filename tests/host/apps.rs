//! The search for apps and their dictionaries, on the simulated Mac and on changed copies of it.

#![expect(clippy::unwrap_used, reason = "helpers of a test may panic")]

#[path = "support/copied.rs"]
mod copied;

use std::fs;
use std::path::{Path, PathBuf};

use iac_apps::{Catalog, Need, Roots, Settings};
use iac_core::app::Apps;
use iac_core::dictionary::Way;

use copied::copy;

fn mac() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/mac")
}

/// A changed Mac with a cache beside it.
struct Changed(tempfile::TempDir);

impl Changed {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for part in ["Applications", "System", "Users"] {
            copy(&mac().join(part), &folder.path().join("mac").join(part));
        }
        Self(folder)
    }

    fn mac(&self, path: &str) -> PathBuf {
        self.0.path().join("mac").join(path)
    }

    fn settings(&self) -> Settings {
        Settings {
            roots: Roots::below(&self.mac("")),
            cache: Some(self.0.path().join("cache")),
            standard: None,
        }
    }

    /// Everything that a process can find out, from only the disk and the cache in their present state.
    fn everything(&self) -> String {
        format!("{:?}", everything(self.settings()))
    }

    fn without_cache(&self) -> String {
        format!("{:?}", everything(Settings { cache: None, ..self.settings() }))
    }
}

fn everything(settings: Settings) -> Apps {
    let catalog = Catalog::new(settings);
    let names: Vec<String> =
        catalog.load(&Need::Counts).0.iter().map(|app| app.bundle_id.to_string()).collect();
    (*catalog.load(&Need::Dictionaries(names))).clone()
}

fn listed(roots: Roots) -> Vec<(String, String)> {
    let catalog = Catalog::new(Settings { roots, ..Settings::default() });
    let apps = catalog.load(&Need::Dictionaries(Vec::new()));
    apps.0.iter().map(|app| (app.name.clone(), app.bundle_id.to_string())).collect()
}

#[test]
fn the_scriptable_apps_of_the_simulated_mac() {
    let listed = listed(Roots::below(&mac()));
    let expected = [
        ("Atelier Studio", "com.example.AtelierStudio"),
        ("Calendar", "com.apple.iCal"),
        ("Contacts", "com.apple.AddressBook"),
        ("Finder", "com.apple.finder"),
        ("Label Printer", "com.example.LabelPrinter"),
        ("Mail", "com.apple.mail"),
        ("Messages", "com.apple.MobileSMS"),
        ("Music", "com.apple.Music"),
        ("Notes", "com.apple.Notes"),
        ("Old Scanner", "com.example.OldScanner"),
        ("OmniFocus", "com.omnigroup.OmniFocus4"),
        ("Proof Viewer", "com.example.ProofViewer"),
        ("Reminders", "com.apple.reminders"),
        ("Safari", "com.apple.Safari"),
        ("Script Editor", "com.apple.ScriptEditor2"),
        ("Shortcuts Events", "com.apple.shortcuts.events"),
        ("StandardAdditions", "com.apple.osax.standardadditions"),
        ("System Events", "com.apple.systemevents"),
        ("TextEdit", "com.apple.TextEdit"),
        ("Übersetzer", "com.example.uebersetzer"),
    ];
    let expected: Vec<(String, String)> =
        expected.iter().map(|(name, id)| ((*name).to_owned(), (*id).to_owned())).collect();
    assert_eq!(listed, expected);
}

#[test]
fn every_app_has_a_dictionary() {
    for app in everything(Settings { roots: Roots::below(&mac()), ..Settings::default() }).0 {
        let counts = app.counts.unwrap();
        let has_classes = counts.classes > 0 || &*app.bundle_id == "com.apple.osax.standardadditions";
        assert!(counts.commands > 0 && has_classes, "{}: {counts:?}", app.name);
        assert_eq!(app.dictionary.unwrap().counts(), counts, "{}", app.name);
    }
}

/// Applies a change to a Mac, and checks the listed apps (name, bundle id) with this part in their bundle id.
fn check(change: impl FnOnce(&Changed), part: &str, expected: &[(&str, &str)]) {
    let changed = Changed::new();
    changed.everything();
    change(&changed);
    let listed = listed(changed.settings().roots);
    let found: Vec<(&str, &str)> = listed
        .iter()
        .filter(|(_, id)| id.contains(part))
        .map(|(name, id)| (name.as_str(), id.as_str()))
        .collect();
    assert_eq!(found, expected);
    assert_eq!(changed.everything(), changed.without_cache(), "a cache from before the change");
    assert_eq!(changed.everything(), changed.without_cache(), "a cache from after the change");
}

#[test]
fn the_copy_in_the_best_place_is_taken() {
    check(
        |mac| rename(mac, "Applications/Atelier Studio.app", "Applications/Zeta.app"),
        "Atelier",
        &[("Zeta", "com.example.AtelierStudio")],
    );
    check(
        |mac| rename(mac, "Applications/Atelier Studio.app", "System/Applications/Atelier Studio.app"),
        "Atelier",
        &[("Atelier Studio", "com.example.AtelierStudio")],
    );
}

/// Anyone who can write to a folder of apps can claim the id of Mail there, with their own dictionary.
#[test]
fn no_bundle_takes_the_place_of_an_app_of_the_system() {
    for (folder, id) in [
        ("Applications/A.app", "com.apple.mail"),
        ("Applications/A.app", "COM.APPLE.MAIL"),
        ("Users/alex/Applications/Mail.app", "com.apple.mail"),
        ("A.app", "Com.Apple.Mail"),
    ] {
        let twin = |mac: &Changed| {
            copy(&mac.mac("Applications/Atelier Studio.app"), &mac.mac(folder));
            let list = mac.mac(folder).join("Contents/Info.plist");
            let text = fs::read_to_string(&list).unwrap();
            assert!(text.contains("com.example.AtelierStudio"));
            write(&list, text.replace("com.example.AtelierStudio", id).as_bytes());
        };
        check(twin, "mail", &[("Mail", "com.apple.mail")]);
        check(twin, "MAIL", &[]);
        let changed = Changed::new();
        twin(&changed);
        let catalog = Catalog::new(changed.settings());
        let claims: Vec<String> =
            catalog.troubles().into_iter().filter(|(_, bad)| *bad).map(|(what, _)| what).collect();
        let told = |claim: &String| {
            claim.contains(&format!("/{folder}")) && claim.contains("/System/Applications/Mail.app is used")
        };
        assert!(claims.len() == 1 && claims.iter().all(told), "{claims:?}");
        let mail = everything(changed.settings()).find("com.apple.mail").unwrap().clone();
        assert_eq!(mail.others, [format!("/{folder}")]);
        assert!(mail.dictionary.unwrap().class("message").is_some(), "the dictionary of Mail itself");
    }
}

#[test]
fn an_id_that_means_other_apps_is_refused() {
    for id in ["*", "com.apple.*", "com.example.Atelier Studio", "&lt;&gt;", " "] {
        let changed = Changed::new();
        let list = changed.mac("Applications/Atelier Studio.app/Contents/Info.plist");
        let text = fs::read_to_string(&list).unwrap();
        write(&list, text.replace("com.example.AtelierStudio", id).as_bytes());
        let catalog = Catalog::new(changed.settings());
        let troubles = catalog.troubles();
        assert!(
            troubles
                .iter()
                .any(|(what, _)| what.contains("not a bundle id") && what.contains("Atelier Studio.app")),
            "{troubles:?}"
        );
        assert!(listed(changed.settings().roots).iter().all(|(_, found)| found != id.trim()), "{id}");
    }
}

fn rename(mac: &Changed, from: &str, to: &str) {
    fs::rename(mac.mac(from), mac.mac(to)).unwrap();
}

fn write(path: &Path, text: &[u8]) {
    use std::io::Write as _;
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::File::create(path).unwrap().write_all(text).unwrap();
}

#[test]
fn an_absolute_link_leads_below_the_root() {
    check(
        |mac| {
            fs::remove_file(mac.mac("Applications/Safari.app")).unwrap();
            let target = "/System/Cryptexes/App/System/Applications/Safari.app";
            std::os::unix::fs::symlink(target, mac.mac("Applications/Safari.app")).unwrap();
        },
        "Safari",
        &[("Safari", "com.apple.Safari")],
    );
}

#[test]
fn an_app_that_goes_or_changes_is_seen() {
    check(|mac| fs::remove_dir_all(mac.mac("System/Applications/Mail.app")).unwrap(), "mail", &[]);
    check(
        |mac| {
            let list = mac.mac("System/Applications/Notes.app/Contents/Info.plist");
            let text = fs::read(mac.mac("System/Applications/Mail.app/Contents/Info.plist")).unwrap();
            let text = String::from_utf8(text).unwrap().replace("com.apple.mail", "com.example.post");
            write(&list, text.replace("<true/>", "<string>yes</string>").as_bytes());
        },
        "post",
        &[("Notes", "com.example.post")],
    );
}

#[test]
fn a_dictionary_that_changes_is_read_again() {
    let changed = Changed::new();
    let before = changed.everything();
    let sdef = changed.mac("System/Applications/Notes.app/Contents/Resources/Notes.sdef");
    let text = fs::read_to_string(&sdef).unwrap();
    write(&sdef, text.replace("\"folder\"", "\"binder\"").as_bytes());
    let after = changed.everything();
    assert_ne!(before, after);
    assert_eq!(after, changed.without_cache());
}

#[test]
fn an_included_file_that_changes_or_comes_is_read_again() {
    let changed = Changed::new();
    let standard = changed.mac("System/Library/ScriptingDefinitions/CocoaStandard.sdef");
    let text = fs::read_to_string(&standard).unwrap();
    let mut seen = vec![changed.everything()];
    fs::remove_file(&standard).unwrap();
    seen.push(changed.everything());
    write(&standard, text.replace("\"print settings\"", "\"ink settings\"").as_bytes());
    seen.push(changed.everything());
    assert_eq!(seen[2], changed.without_cache());
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 3, "each state is another");
}

#[test]
fn a_damaged_cache_is_as_none() {
    let changed = Changed::new();
    let whole = changed.everything();
    let kept: Vec<PathBuf> =
        fs::read_dir(changed.0.path().join("cache")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(kept.len() > 10, "{kept:?}");
    for path in &kept {
        let mut bytes = fs::read(path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x40;
        write(path, &bytes);
    }
    assert_eq!(changed.everything(), whole);
    for path in kept {
        fs::remove_file(&path).unwrap();
        fs::create_dir(path).unwrap();
    }
    assert_eq!(changed.everything(), whole);
}

const INCLUDES: &str = r#"<?xml version="1.0"?><dictionary xmlns:xi="http://www.w3.org/2003/XInclude">
<xi:include href="HREF" xpointer="xpointer(/dictionary/suite)"/></dictionary>"#;

const SECRET: &str = r#"<dictionary><suite name="Secret" code="secr">
<command name="tell all" code="secrtell"/></suite></dictionary>"#;

#[test]
fn includes_come_from_the_app_and_the_systems_definitions_only() {
    let cases = [
        ("file:///System/Library/ScriptingDefinitions/Secret.sdef", true),
        ("file://localhost/System/Library/ScriptingDefinitions/Secret.sdef", true),
        ("file:///System/Library/ScriptingDefinitions/../Secret.sdef", false),
        ("file:///System/Library/ScriptingDefinitions/Link.sdef", false),
        ("file:///System/Library/Secret.sdef", false),
        ("Secret%2Esdef", true),
        ("../../../Secret.sdef", false),
        ("http://example.com/Secret.sdef", false),
    ];
    for (href, loaded) in cases {
        let changed = Changed::new();
        let resources = changed.mac("System/Applications/Notes.app/Contents/Resources");
        write(&resources.join("Notes.sdef"), INCLUDES.replace("HREF", href).as_bytes());
        write(&resources.join("Secret.sdef"), SECRET.as_bytes());
        for place in
            ["System/Library/ScriptingDefinitions", "System/Library", "System/Applications", "Library"]
        {
            write(&changed.mac(place).join("Secret.sdef"), SECRET.as_bytes());
        }
        let link = changed.mac("System/Library/ScriptingDefinitions/Link.sdef");
        std::os::unix::fs::symlink("../../../Library/Secret.sdef", link).unwrap();
        let (_, definition) = Catalog::new(changed.settings()).definition("Notes").unwrap();
        let found = definition.dictionary.commands.iter().any(|command| command.name == "tell all");
        assert_eq!(found, loaded, "{href}: {:?}", definition.problems);
    }
}

#[test]
fn standard_additions_are_in_the_list_and_other_additions_are_not() {
    let changed = Changed::new();
    let add = |name: &str, id: &str| {
        let inside = changed.mac(&format!("System/Library/ScriptingAdditions/{name}.osax/Contents"));
        let list = format!(
            "<plist version=\"1.0\"><dict><key>CFBundleIdentifier</key><string>{id}</string><key>OSAScriptingDefinition</key><string>{name}.sdef</string></dict></plist>"
        );
        write(&inside.join("Info.plist"), list.as_bytes());
        let terms = "<dictionary title=\"x\"><suite name=\"x\" code=\"suit\"><command name=\"beep\" code=\"sysobeep\"/></suite></dictionary>";
        write(&inside.join(format!("Resources/{name}.sdef")), terms.as_bytes());
    };
    add("StandardAdditions", "com.apple.osax.standardadditions");
    add("Digital Hub Scripting", "com.apple.osax.digihub");
    let found: Vec<_> =
        listed(changed.settings().roots).into_iter().filter(|(_, id)| id.contains("osax")).collect();
    assert_eq!(found, [("StandardAdditions".to_owned(), "com.apple.osax.standardadditions".to_owned())]);
    let (_, definition) = Catalog::new(changed.settings()).definition("Standard Additions").unwrap();
    assert!(definition.dictionary.commands.iter().any(|command| command.name == "beep"));
}

#[test]
fn a_folder_of_apps_is_a_root() {
    let apps = listed(Roots::below(&mac().join("System/Applications")));
    assert!(apps.contains(&("Mail".to_owned(), "com.apple.mail".to_owned())), "{apps:?}");
}

#[test]
fn an_app_whose_definition_is_missing_says_so() {
    let catalog = Catalog::new(Settings { roots: Roots::below(&mac()), ..Settings::default() });
    let (app, definition) = catalog.definition("label printer").unwrap();
    assert_eq!(&*app.bundle_id, "com.example.LabelPrinter");
    assert!(definition.dictionary.classes.contains_key("document"));
    let problems: Vec<String> = definition.problems.iter().map(|problem| problem.kind.to_string()).collect();
    assert!(problems.iter().any(|problem| problem.contains("LabelPrinter.sdef")), "{problems:?}");
}

/// How the terms of the app were read, and the classes that it has in addition to the system's.
fn terms_of(mac: &Changed, app: &str) -> (Way, Vec<String>, usize) {
    let (_, definition) = Catalog::new(mac.settings()).definition(app).unwrap();
    let dictionary = definition.dictionary;
    let own = dictionary.classes.into_keys().filter(|name| name.starts_with("own ")).collect();
    (dictionary.way, own, definition.problems.len())
}

fn suite(folder: &Path, name: &str, words: &[(&str, &str)]) {
    let facts = format!(
        "{{ Name = {name}; AppleEventCode = ownS; Classes = {{ {name}Thing = {{ AppleEventCode = ownT; }}; }}; }}"
    );
    write(&folder.join(format!("{name}.scriptSuite")), facts.as_bytes());
    for (language, word) in words {
        let words =
            format!("{{ Name = {name}; Classes = {{ {name}Thing = {{ Name = \"own {word}\"; }}; }}; }}");
        write(&folder.join(language).join(format!("{name}.scriptTerminology")), words.as_bytes());
    }
}

#[test]
fn an_app_without_an_sdef_has_the_terms_of_its_suites() {
    let changed = Changed::new();
    let (_, definition) = Catalog::new(changed.settings()).definition("TextEdit").unwrap();
    assert_eq!(definition.problems, []);
    assert_eq!(definition.dictionary.way, Way::Suites);
    assert_eq!(definition.dictionary.classes["document"].contents.as_deref(), Some("text"));
    assert!(definition.dictionary.class("paragraphs").is_some());
    let ways = Catalog::new(changed.settings()).ways();
    assert_eq!(ways[&Way::Suites], ["TextEdit"]);
    assert_eq!(ways[&Way::Standard], ["Label Printer", "Script Editor"]);
}

#[test]
fn terms_are_in_english_if_there_are_english_ones() {
    for (words, expected) in [
        (&[("de.lproj", "Wort"), ("en.lproj", "word"), ("English.lproj", "old word")][..], "own word"),
        (&[("de.lproj", "Wort"), ("English.lproj", "old word"), ("", "flat word")], "own old word"),
        (&[("de.lproj", "Wort"), ("", "flat word")], "own flat word"),
        (&[("fr.lproj", "mot"), ("de.lproj", "Wort")], "own Wort"),
    ] {
        let changed = Changed::new();
        suite(&changed.mac("System/Applications/TextEdit.app/Contents/Resources"), "Extra", words);
        assert_eq!(terms_of(&changed, "TextEdit"), (Way::Suites, vec![expected.to_owned()], 0), "{words:?}");
    }
}

#[test]
fn suites_of_frameworks_inside_the_app_count_too() {
    let changed = Changed::new();
    let contents = changed.mac("System/Applications/TextEdit.app/Contents");
    let framework = contents.join("Frameworks/Extra.framework/Versions/A/Resources");
    suite(&framework, "Extra", &[("en.lproj", "frame")]);
    std::os::unix::fs::symlink("Versions/A/Resources", contents.join("Frameworks/Extra.framework/Resources"))
        .unwrap();
    assert_eq!(terms_of(&changed, "TextEdit").1, ["own frame"]);
}

#[test]
fn an_sdef_comes_before_suites() {
    let changed = Changed::new();
    suite(&changed.mac("System/Applications/Notes.app/Contents/Resources"), "Extra", &[("en.lproj", "word")]);
    assert_eq!(terms_of(&changed, "Notes"), (Way::Sdef, Vec::new(), 0));
}

#[test]
fn suites_that_change_are_read_again() {
    let changed = Changed::new();
    let resources = changed.mac("System/Applications/TextEdit.app/Contents/Resources");
    suite(&resources, "Extra", &[]);
    assert_eq!(terms_of(&changed, "TextEdit"), (Way::Suites, Vec::new(), 1), "no terminology");
    suite(&resources, "Extra", &[("en.lproj", "word")]);
    assert_eq!(terms_of(&changed, "TextEdit").1, ["own word"]);
    suite(&resources, "Extra", &[("en.lproj", "longer word")]);
    assert_eq!(terms_of(&changed, "TextEdit").1, ["own longer word"]);
    assert_eq!(changed.everything(), changed.without_cache());
}

#[test]
fn a_suite_is_read_by_its_path_too() {
    let file = mac().join("System/Applications/TextEdit.app/Contents/Resources/TextEdit.scriptSuite");
    let definition = iac_apps::read_file(&file, &mac(), None).unwrap();
    assert!(definition.dictionary.property("document", "text").is_some());
    assert!(iac_apps::read_file(&file.with_file_name("None.scriptSuite"), &mac(), None).is_err());
}

const CONVERTED: &str = r#"<dictionary><suite name="Own" code="ownS"><class name="application" code="capp"/>
<class name="own thing" code="ownT"/></suite></dictionary>"#;

#[test]
fn what_the_systems_converter_made_is_kept() {
    let changed = Changed::new();
    let need = || Need::Dictionaries(vec!["Script Editor".to_owned()]);
    let path = "/System/Applications/Utilities/Script Editor.app";
    let catalog = Catalog::new(changed.settings());
    assert_eq!(
        catalog.unconverted(&Need::Dictionaries(vec!["Mail".to_owned(), "TextEdit".to_owned()])),
        [""; 0]
    );
    assert_eq!(catalog.unconverted(&need()), [path]);
    catalog.keep_converted(path, Some(CONVERTED.into()));
    assert_eq!(catalog.unconverted(&need()), [""; 0]);
    assert_eq!(terms_of(&changed, "Script Editor"), (Way::Converter, vec!["own thing".to_owned()], 0));
    let next = Catalog::new(changed.settings());
    assert_eq!(next.unconverted(&need()), [""; 0], "the cache has it");
    assert_eq!(next.ways()[&Way::Converter], ["Script Editor"]);
    assert_eq!(changed.everything(), changed.everything());

    let list = changed.mac(&path[1..]).join("Contents/Info.plist");
    let text = fs::read_to_string(&list).unwrap();
    write(&list, text.replace("</dict>", "<key>New</key><true/></dict>").as_bytes());
    assert_eq!(Catalog::new(changed.settings()).unconverted(&need()), [path], "another version of the app");
    assert_eq!(terms_of(&changed, "Script Editor").0, Way::Standard);
}

#[test]
fn an_app_that_cannot_be_converted_is_tried_once_in_a_process() {
    let changed = Changed::new();
    let need = Need::Counts;
    let catalog = Catalog::new(changed.settings());
    let paths = catalog.unconverted(&need);
    assert_eq!(paths.len(), 2, "{paths:?}");
    paths.iter().for_each(|path| catalog.keep_converted(path, None));
    assert_eq!(catalog.unconverted(&need), [""; 0]);
    assert_eq!(terms_of(&changed, "Script Editor").0, Way::Standard);
    assert_eq!(Catalog::new(changed.settings()).unconverted(&need), paths);
}
