//! The folders to search for apps.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders of a Mac that contain apps, best first, and how many levels below each are searched.
const PLACES: [(&str, usize); 5] = [
    ("Applications", 1),
    ("System/Applications", 1),
    ("System/Cryptexes/App/System/Applications", 0),
    ("System/Library/CoreServices", 0),
    ("System/Library/CoreServices/Applications", 0),
];

/// The file with the commands that need no app: dialogs, the clipboard, the volume. Other scripting additions beside
/// it belong to single apps or users, and JavaScript can address only this one by its id.
const ADDITIONS: &str = "System/Library/ScriptingAdditions/StandardAdditions.osax";

/// The folders for apps inside an app.
const NESTED: [&str; 2] = ["Contents/Applications", "Contents/Developer/Applications"];

/// One folder that contains apps, or a folder whose subfolders each have a folder `Applications`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    folder: PathBuf,
    of_each_user: bool,
    depth: usize,
    /// The folder that stands in for `/`.
    base: PathBuf,
}

/// All folders to search for apps, best first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roots(Vec<Place>);

/// A folder that looks like an app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// The path by which the folder was found.
    pub(crate) folder: PathBuf,
    /// The folder that stood in for `/` in the search.
    pub(crate) base: PathBuf,
    /// Its rank among copies of one app; lower is better.
    pub(crate) rank: (usize, usize),
}

impl Roots {
    /// The folders of the Mac that this process runs on. `home` is the user's home folder.
    pub fn of_this_mac(home: Option<&Path>) -> Self {
        let base = Path::new("/");
        let own = home.map(|home| Place::new(home.join("Applications"), 1, base));
        Self::laid_out(base, own)
    }

    /// The same folders below `base`, which stands in for `/`, and `base` itself, because it may contain apps.
    pub fn below(base: &Path) -> Self {
        let users = Place { of_each_user: true, ..Place::new(base.join("Users"), 1, base) };
        let mut roots = Self::laid_out(base, Some(users));
        roots.0.push(Place::new(base.to_owned(), 1, base));
        roots
    }

    /// Lays out the places. A user's own apps come right after the apps for all users.
    fn laid_out(base: &Path, own: Option<Place>) -> Self {
        let mut places: Vec<Place> =
            PLACES.iter().map(|(folder, depth)| Place::new(base.join(folder), *depth, base)).collect();
        places.splice(1..1, own);
        Self(places)
    }

    /// Appends more places.
    #[must_use]
    pub fn and(mut self, more: Self) -> Self {
        self.0.extend(more.0);
        self
    }

    /// Lists every app folder, including apps inside apps. Each is listed once, even if several paths lead to it.
    pub(crate) fn search(&self) -> Vec<Found> {
        let mut found = Vec::new();
        for (rank, place) in self.0.iter().enumerate() {
            for folder in place.folders() {
                place.collect(&folder, place.depth, rank, &mut found);
            }
            found.extend(place.additions(self.0.len()));
        }
        let mut seen = std::collections::BTreeSet::new();
        found.retain(|app| seen.insert(fs::canonicalize(&app.folder).unwrap_or_else(|_| app.folder.clone())));
        found
    }
}

impl Place {
    fn new(folder: PathBuf, depth: usize, base: &Path) -> Self {
        Self { folder, of_each_user: false, depth, base: base.to_owned() }
    }

    fn folders(&self) -> Vec<PathBuf> {
        match self.of_each_user {
            true => folders(&self.folder).iter().map(|home| home.join("Applications")).collect(),
            false => vec![self.folder.clone()],
        }
    }

    /// Finds Standard Additions. They are listed after the apps, so an app of the same name comes first.
    fn additions(&self, rank: usize) -> Option<Found> {
        let folder = self.base.join(ADDITIONS);
        let is_there = self.folder == self.base.join(PLACES[0].0) && folder.is_dir();
        is_there.then(|| Found { folder, base: self.base.clone(), rank: (rank, 0) })
    }

    fn collect(&self, folder: &Path, depth: usize, rank: usize, found: &mut Vec<Found>) {
        let deeper = self.depth - depth;
        for path in folders(folder) {
            if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("app")) {
                self.collect_app(path, (rank, deeper), found);
            } else if depth > 0 {
                self.collect(&path, depth - 1, rank, found);
            }
        }
    }

    fn collect_app(&self, path: PathBuf, rank: (usize, usize), found: &mut Vec<Found>) {
        let Some(folder) = self.reachable(path) else { return };
        let inside = NESTED.iter().flat_map(|nested| folders(&folder.join(nested)));
        let inside = inside.filter(|path| path.extension().is_some_and(|extension| extension == "app"));
        let nested: Vec<PathBuf> = inside.collect();
        found.push(Found { folder, base: self.base.clone(), rank });
        let rank = (rank.0, rank.1 + 2);
        found.extend(nested.into_iter().map(|folder| Found { folder, base: self.base.clone(), rank }));
    }

    /// Resolves a link. An absolute target means a path below `base`, as it does on the Mac that the files come from.
    fn reachable(&self, path: PathBuf) -> Option<PathBuf> {
        match fs::read_link(&path) {
            Ok(target) if target.is_absolute() => {
                let below = self.base.join(target.strip_prefix("/").ok()?);
                Some(if below.is_dir() { below } else { path })
            }
            _ => Some(path),
        }
    }
}

/// The subfolders of a folder, sorted by name, including links to folders that cannot be followed from here.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let is_folder = |entry: &fs::DirEntry| {
        entry.file_type().is_ok_and(|kind| kind.is_dir() || (kind.is_symlink() && !entry.path().is_file()))
    };
    let mut paths: Vec<PathBuf> = entries.flatten().filter(is_folder).map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
