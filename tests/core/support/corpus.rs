//! The dictionaries of real apps, if the corpus exists here.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use iac_core::app::App;
use iac_core::dictionary::{Dictionary, Includes, parse};

/// The apps in the corpus, by file name.
const BUNDLE_IDS: [(&str, &str); 25] = [
    ("BBEdit", "com.barebones.bbedit"),
    ("Calendar", "com.apple.iCal"),
    ("CocoaStandard", "com.example.standard"),
    ("Contacts", "com.apple.AddressBook"),
    ("Finder", "com.apple.finder"),
    ("Google Chrome", "com.google.Chrome"),
    ("Image Events", "com.apple.imageevents"),
    ("Keynote", "com.apple.iWork.Keynote"),
    ("Mail", "com.apple.mail"),
    ("Messages", "com.apple.MobileSMS"),
    ("Music", "com.apple.Music"),
    ("Notes", "com.apple.Notes"),
    ("OmniFocus", "com.omnigroup.OmniFocus3"),
    ("Reminders", "com.apple.reminders"),
    ("Safari", "com.apple.Safari"),
    ("Script Editor", "com.apple.ScriptEditor2"),
    ("Shortcuts", "com.apple.shortcuts"),
    ("StandardAdditions", "com.apple.osax.standardadditions"),
    ("System Events", "com.apple.systemevents"),
    ("System Settings", "com.apple.systempreferences"),
    ("Terminal", "com.apple.Terminal"),
    ("TextEdit", "com.apple.TextEdit"),
    ("Things3", "com.culturedcode.ThingsMac"),
    ("Vienna", "uk.co.opencommunity.vienna2"),
    ("iTerm2", "com.googlecode.iterm2"),
];

pub(crate) fn dictionary(app: &App) -> &Dictionary {
    app.dictionary.as_ref().expect("it was read")
}

/// The simulated apps, and the apps of the corpus if it exists.
pub(crate) fn all() -> Vec<App> {
    let mut apps = super::apps().0;
    apps.extend(
        corpus()
            .unwrap_or_default()
            .into_iter()
            .map(|app| App { bundle_id: format!("{}.corpus", app.bundle_id).into(), ..app }),
    );
    apps
}

pub(crate) fn corpus() -> Option<Vec<App>> {
    let folder = corpus_folder()?;
    let standard = std::fs::read(folder.join("CocoaStandard.sdef")).unwrap();
    let path = "/System/Library/ScriptingDefinitions/CocoaStandard.sdef".to_owned();
    let includes = Includes::from([(path, standard)]);
    let read = |(name, bundle_id): &(&str, &str)| {
        let bytes = std::fs::read(folder.join(format!("{name}.sdef"))).unwrap();
        App {
            bundle_id: (*bundle_id).into(),
            name: (*name).to_owned(),
            version: String::new(),
            counts: None,
            others: Vec::new(),
            dictionary: Some(Arc::new(parse(&bytes, &includes).0)),
        }
    };
    Some(BUNDLE_IDS.iter().map(read).collect())
}

/// The folder of real dictionaries; without it, the tests that need it print a note and pass.
fn corpus_folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let folder = std::env::var_os("IAC_MCP_CORPUS").map_or(beside, PathBuf::from).join("sdef");
    if !folder.is_dir() {
        println!("skipped: no dictionaries in {}", folder.display());
    }
    folder.is_dir().then_some(folder)
}
