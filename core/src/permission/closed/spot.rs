//! The location of an object on the disk, as far as its specifier tells.

use indexmap::IndexSet;

use super::spelled::{from_tilde, from_url, relative};
use crate::action::Terms;
use crate::app::same_id;
use crate::dictionary::names::key;
use crate::specifier::{By, Id, Member, Path, Segment};

const FINDER: &str = "com.apple.finder";
const SYSTEM_EVENTS: &str = "com.apple.systemevents";

/// The location of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::permission) enum Spot {
    /// It is neither a file nor inside one.
    Elsewhere,
    /// It is a file, or inside a file, with one of these paths; each is written as [`super::Closed::paths`] reads it.
    Named(Vec<String>),
    /// It is in a folder with one of these paths, and only the app knows which object in it.
    Below(Vec<String>),
    /// It is a file, and only the app can tell where.
    Anywhere,
}

/// The known facts about an object on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::permission) struct Found {
    pub(in crate::permission) spot: Spot,
    /// Whether the script reads the contents of an unnamed folder, and not only its identity.
    pub(in crate::permission) goes_on: bool,
}

/// How certain it is that objects of a class are files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::permission) enum Kind {
    No,
    /// The class has a name that files have in some apps, and folders of notes in others.
    Perhaps,
    Yes,
}

/// Names of classes of files: for sure in the Finder and System Events, perhaps in other apps.
const FILES: [&str; 19] = [
    "alias",
    "alias file",
    "application file",
    "audio file",
    "clipping",
    "container",
    "disk",
    "disk item",
    "document file",
    "domain",
    "file",
    "file package",
    "folder",
    "internet location file",
    "item",
    "movie file",
    "package",
    "property list file",
    "XML file",
];

/// Codes that mark a file in the dictionaries of other apps as reliably as in those of Finder and System Events.
///
/// # Source
/// The suites "Disk-Folder-File" and "Finder Basics": the code of `disk item`, and that of its `POSIX path`.
const ITEM_CODE: &str = "ditm";
const PATH_CODE: &str = "posx";

/// Says whether objects of a class are files: by the class's name, and by all that it inherits from.
pub(in crate::permission) fn is_file(app: &str, terms: &Terms, class: &str) -> Kind {
    let line = terms.0.as_ref().map(|dictionary| dictionary.lineage(class)).unwrap_or_default();
    let named = |class: &str| FILES.iter().any(|file| key(file) == key(class));
    let by_code = line.iter().any(|each| {
        each.code == ITEM_CODE || each.properties.iter().any(|property| property.code == PATH_CODE)
    });
    let by_name = named(class) || line.iter().any(|each| named(&each.name));
    match (by_code, by_name) {
        (true, _) => Kind::Yes,
        (_, true) if is_of_files(app) => Kind::Yes,
        (_, true) => Kind::Perhaps,
        _ => Kind::No,
    }
}

/// Whether an app is mainly about files.
pub(in crate::permission) fn is_of_files(app: &str) -> bool {
    [FINDER, SYSTEM_EVENTS].iter().any(|id| same_id(id, app))
}

/// Finds the location of an object.
pub(in crate::permission) fn spot(app: &str, terms: &Terms, path: &Path) -> Found {
    let mut walk = Walk { app, terms, spot: Spot::Elsewhere, goes_on: false, class: "application" };
    path.segments().into_iter().for_each(|segment| walk.step(segment));
    Found { spot: walk.spot, goes_on: walk.goes_on }
}

struct Walk<'a> {
    app: &'a str,
    terms: &'a Terms,
    spot: Spot,
    goes_on: bool,
    class: &'a str,
}

impl<'a> Walk<'a> {
    fn step(&mut self, segment: &'a Segment) {
        match segment {
            Segment::Property(member) => self.property(member),
            Segment::Element(member, by) => self.element(member, by),
        }
        let (Segment::Property(member) | Segment::Element(member, _)) = segment;
        self.class = &member.class;
    }

    fn property(&mut self, member: &Member) {
        let term = key(&member.term);
        if let Some(bases) = base(&term).filter(|_| self.is_about_files(member)) {
            self.spot = Spot::Named(bases);
            return;
        }
        self.spot = match (term.as_str(), std::mem::replace(&mut self.spot, Spot::Elsewhere)) {
            ("container", Spot::Named(names)) => {
                Spot::Named(names.iter().map(|name| format!("{name}/..")).collect())
            }
            ("disk", Spot::Named(_) | Spot::Below(_) | Spot::Anywhere) => Spot::Named(vec!["/".to_owned()]),
            ("entirecontents", Spot::Named(names) | Spot::Below(names)) => {
                self.goes_on = true;
                Spot::Below(names)
            }
            (_, spot) if self.may_hold_a_file(member) => match spot {
                // The container of an object without a known name may be the folder itself or the one above it.
                Spot::Below(names) if term == "container" => {
                    let above = names.iter().map(|name| format!("{name}/.."));
                    Spot::Below(names.iter().cloned().chain(above).collect())
                }
                _ => Spot::Anywhere,
            },
            (_, spot) => spot,
        };
    }

    /// Whether the usual names of folders mean folders on the disk here.
    fn is_about_files(&self, member: &Member) -> bool {
        is_of_files(self.app)
            || self.spot != Spot::Elsewhere
            || is_file(self.app, self.terms, &member.class) == Kind::Yes
    }

    /// A property may hold a file according to its class. Without a class, the dictionary may leave its type open.
    fn may_hold_a_file(&self, member: &Member) -> bool {
        if !member.class.is_empty() {
            return is_file(self.app, self.terms, &member.class) == Kind::Yes;
        }
        let known =
            self.terms.0.as_ref().and_then(|dictionary| dictionary.property(self.class, &member.term));
        let is_open =
            known.is_some_and(|property| property.kind.0.iter().any(|kind| kind.name == "specifier"));
        is_open && self.app.eq_ignore_ascii_case(FINDER)
    }

    fn element(&mut self, member: &Member, by: &By) {
        let kind = is_file(self.app, self.terms, &member.class);
        if kind == Kind::No {
            return;
        }
        let spot = std::mem::replace(&mut self.spot, Spot::Elsewhere);
        self.goes_on |= matches!(spot, Spot::Below(_) | Spot::Anywhere);
        let name = name(by);
        let absolute = name.clone().filter(|name| is_path(name));
        let own = absolute.clone().filter(|_| spot == Spot::Elsewhere);
        let bases = match (spot, absolute) {
            // Folders of notes and tasks have names too, so only a path counts here.
            (Spot::Elsewhere, absolute) if kind == Kind::Perhaps => {
                self.spot = absolute.map_or(Spot::Elsewhere, |path| Spot::Named(vec![path]));
                return;
            }
            (Spot::Elsewhere, _) => start(&member.class),
            (Spot::Named(names), _) => names,
            (unnamed, absolute) => {
                let absolute = absolute.filter(|name| name.contains(['/', ':']));
                self.spot = absolute.map_or(unnamed, |path| Spot::Named(vec![path]));
                return;
            }
        };
        self.spot = match name {
            Some(name) => {
                let all = bases.iter().flat_map(|base| joined(base, &name)).chain(own);
                Spot::Named(all.collect::<IndexSet<_>>().into_iter().collect())
            }
            // A disk without a name may be the disk of the home folder.
            None if key(&member.class) == "disk" => Spot::Named(vec!["/".to_owned()]),
            None => Spot::Below(bases),
        };
    }
}

/// The name, or the path, that an element is picked by.
fn name(by: &By) -> Option<String> {
    let name = match by {
        By::Name(name) => name,
        By::Id(Id::Text(id)) if is_path(id) => id,
        By::Place(_, mark) if MARKS.contains(&mark.property.as_str()) => return told(&mark.value),
        By::Id(_) | By::Place(..) | By::Index(_) | By::Every => return None,
    };
    Some(from_url(name).unwrap_or_else(|| name.clone()))
}

/// A mark is cut after this many UTF-16 code units, so a mark of that length may be incomplete.
const CUT: usize = 500;

/// The name or the path in the value of a mark; `None` if it has neither, such as a file's number.
pub(super) fn told(mark: &str) -> Option<String> {
    let told = from_url(mark).unwrap_or_else(|| mark.to_owned());
    let first = told.trim_start_matches('/').split('/').next().unwrap_or_default();
    let is_number = told.starts_with('/') && [".file", ".vol"].contains(&first);
    (mark.encode_utf16().count() < CUT && !is_number).then_some(told)
}

/// Properties that give the location of a file, as scripts spell them.
const MARKS: [&str; 4] = ["name", "url", "posixPath", "path"];

/// The folders that may contain a name given without a folder. Apps differ in this.
pub(super) fn start(class: &str) -> Vec<String> {
    if key(class) == "disk" {
        return vec!["/Volumes".to_owned()];
    }
    ["~", "~/Desktop", "/"].map(str::to_owned).to_vec()
}

/// Whether a path of an object has a path of a file in it: System Events finds `disk item "/Users/ada/Letters"`.
pub(in crate::permission) fn is_path_of_file(app: &str, terms: &Terms, path: &Path) -> bool {
    path.segments().into_iter().any(|segment| match segment {
        Segment::Element(member, by) => {
            name(by).is_some_and(|name| is_path(&name)) && is_file(app, terms, &member.class) == Kind::Yes
        }
        Segment::Property(_) => false,
    })
}

/// Whether a name is itself a path.
pub(super) fn is_path(name: &str) -> bool {
    name.contains(['/', ':']) || from_tilde(name).is_some()
}

/// Every path that a name may mean in a folder. There, `~ada` is a file and not the home folder of a person.
pub(super) fn joined(base: &str, name: &str) -> Vec<String> {
    let mut all = vec![format!("{base}/{}", relative(name))];
    if name == "~" || name.contains(['/', ':']) {
        // The Finder shows a colon in a name as `/`: then `a/../b` is one name.
        all.push(format!("{base}/{}", name.replace('/', ":")));
        all.push(name.to_owned());
    }
    all
}

/// The last name of a path.
pub(super) fn last(path: &str) -> Option<&str> {
    let path = path.trim_end_matches(['/', ':']);
    path.rsplit(['/', ':']).next().filter(|name| !name.is_empty())
}

/// The folder that a property of the Finder or System Events leads to, by its key: that of the user, and that of the
/// Mac.
fn base(term: &str) -> Option<Vec<String>> {
    let library = |below: &str| ["~/Library", "/Library"].map(|library| format!("{library}{below}")).to_vec();
    let one = |path: &str| vec![path.to_owned()];
    Some(match term {
        "home" | "homefolder" | "homedirectory" => one("~"),
        "startupdisk" | "bootvolume" => one("/"),
        "computercontainer" => one("/Volumes"),
        "trash" => one("~/.Trash"),
        "desktop" | "desktopfolder" => one("~/Desktop"),
        "documentsfolder" => one("~/Documents"),
        "downloadsfolder" => one("~/Downloads"),
        "moviesfolder" => one("~/Movies"),
        "musicfolder" => one("~/Music"),
        "picturesfolder" => one("~/Pictures"),
        "publicfolder" => one("~/Public"),
        "sitesfolder" => one("~/Sites"),
        "shareddocumentsfolder" => one("/Users/Shared"),
        "applicationsfolder" => vec!["/Applications".to_owned(), "~/Applications".to_owned()],
        "utilitiesfolder" => one("/Applications/Utilities"),
        "libraryfolder" => library(""),
        "applicationsupportfolder" => library("/Application Support"),
        "preferencesfolder" => library("/Preferences"),
        "favoritesfolder" => library("/Favorites"),
        "fontsfolder" => library("/Fonts"),
        "scriptsfolder" => library("/Scripts"),
        "folderactionscriptsfolder" => library("/Scripts/Folder Action Scripts"),
        "scriptingadditionsfolder" => library("/ScriptingAdditions"),
        "workflowsfolder" => library("/Workflows"),
        "desktoppicturesfolder" => library("/Desktop Pictures"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
