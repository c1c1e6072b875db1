//! App bundles below a world's root: where they are, and what their property lists say.

use iac_core::dictionary::suites::{FOLDERS, Pair};
use std::fs;
use std::path::{Path, PathBuf};

/// The folders in which a Mac has apps, and how many levels are searched.
const ROOTS: [(&str, usize); 6] = [
    ("Applications", 1),
    ("Users", 2),
    ("System/Applications", 1),
    ("System/Library/CoreServices", 0),
    ("System/Library/CoreServices/Applications", 0),
    ("System/Cryptexes/App/System/Applications", 0),
];

/// One app bundle.
#[derive(Clone, Debug)]
pub(crate) struct Bundle {
    /// The folder on this machine's disk.
    pub(crate) folder: PathBuf,
    /// The name that people see: that of the folder without `.app`.
    pub(crate) name: String,
    pub(crate) id: String,
    pub(crate) version: String,
    /// Whether the app declares that it handles Apple events.
    scriptable: bool,
    definition: Option<String>,
}

/// Where an app's terms come from.
#[derive(Debug)]
pub(crate) enum Definition {
    Sdef(Vec<u8>),
    Suites(Vec<Pair>),
}

/// Returns the folders of all bundles below a world's root, sorted within each of `ROOTS`.
pub(crate) fn folders(world: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for (root, depth) in ROOTS {
        collect(&world.join(root), depth, &mut found);
    }
    found
}

fn collect(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.extension().is_some_and(|extension| extension == "app") {
            let inside = path.join("Contents/Applications");
            found.push(path);
            collect(&inside, 0, found);
        } else if depth > 0 && path.is_dir() {
            collect(&path, depth - 1, found);
        }
    }
}

/// Returns the name that people see under the bundle's icon.
pub(crate) fn display_name(folder: &Path) -> String {
    folder.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

impl Bundle {
    /// Reads a bundle's `Info.plist`; `None` if there is none or it names no bundle id.
    pub(crate) fn read(folder: &Path) -> Option<Self> {
        let info = plist::Value::from_file(folder.join("Contents/Info.plist")).ok()?;
        let info = info.as_dictionary()?;
        let text = |key| info.get(key).and_then(plist::Value::as_string).map(str::to_owned);
        let definition = text("OSAScriptingDefinition");
        let enabled = info.get("NSAppleScriptEnabled").is_some_and(means_yes);
        Some(Self {
            folder: folder.to_owned(),
            name: display_name(folder),
            id: text("CFBundleIdentifier")?,
            version: text("CFBundleShortVersionString")
                .or_else(|| text("CFBundleVersion"))
                .unwrap_or_default(),
            scriptable: enabled || definition.is_some(),
            definition,
        })
    }

    /// Returns its terms: from its own `.sdef`, or else from its suites, or else the standard terms if it only
    /// declares that it is scriptable.
    pub(crate) fn definition(&self, world: &Path) -> Option<Definition> {
        let resources = self.folder.join("Contents/Resources");
        if let Some(name) = &self.definition {
            let with_extension = resources.join(format!("{name}.sdef"));
            let bytes = fs::read(resources.join(name)).or_else(|_| fs::read(with_extension));
            return bytes.ok().map(Definition::Sdef);
        }
        if !self.scriptable {
            return None;
        }
        let suites = suites(&resources);
        if !suites.is_empty() {
            return Some(Definition::Suites(suites));
        }
        let standard = world.join("System/Library/ScriptingDefinitions/CocoaStandard.sdef");
        fs::read(standard).ok().map(Definition::Sdef)
    }
}

/// Returns the suites in a bundle's resources, each with its English terminology.
fn suites(resources: &Path) -> Vec<Pair> {
    let Ok(entries) = fs::read_dir(resources) else { return Vec::new() };
    let paths = entries.flatten().map(|entry| entry.path());
    let pair = |path: PathBuf| {
        let name = path.file_name()?.to_str()?.strip_suffix(".scriptSuite")?.to_owned();
        let words = format!("{name}.scriptTerminology");
        let terminology =
            FOLDERS.iter().find_map(|folder| fs::read(resources.join(folder).join(&words)).ok());
        Some(Pair { suite: fs::read(&path).ok()?, terminology, name })
    };
    paths.filter_map(pair).collect()
}

/// Reads a Boolean. Property lists write it as a Boolean, and some as a word.
fn means_yes(value: &plist::Value) -> bool {
    match value {
        plist::Value::Boolean(yes) => *yes,
        plist::Value::String(word) => word.eq_ignore_ascii_case("yes") || word.eq_ignore_ascii_case("true"),
        _ => false,
    }
}
