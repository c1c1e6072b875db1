//! The disk item at a path, with System Events's properties.

use crate::files::Kind;
use crate::resolve::View;
use crate::session::Session;
use crate::value::{ObjectId, Value};
use std::collections::BTreeMap;

/// The name of the startup disk.
pub(super) const VOLUME: &str = "Macintosh HD";

/// One item.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Its POSIX path, without a trailing slash.
    pub(super) path: String,
    /// Its class, as the dictionary names it.
    pub(super) class: &'static str,
    /// The values from the Finder or from the file itself, by the dictionary's terms.
    values: BTreeMap<&'static str, Value>,
}

impl Entry {
    /// Returns the item at a path; `None` if there is none.
    pub(super) fn at(session: &Session, path: &str) -> Option<Self> {
        if path == "/" {
            return Some(Self { path: "/".to_owned(), class: "disk", values: disk() });
        }
        let finder = |view: &View<'_>, id| of_finder(view, id, parent(path));
        let seen = if session.is_home(path) { session.in_finder(path, finder).flatten() } else { None };
        seen.or_else(|| of_files(session, path))
    }

    /// Returns the items in a folder, sorted by name.
    pub(super) fn inside(session: &Session, folder: &str) -> Vec<Self> {
        let finder = |view: &View<'_>, id: ObjectId| {
            let items = view.children(id, "item").unwrap_or_default();
            items.into_iter().filter_map(|id| of_finder(view, id, folder)).collect::<Vec<_>>()
        };
        let seen = if session.is_home(folder) { session.in_finder(folder, finder) } else { None };
        let mut found: BTreeMap<String, Self> =
            seen.into_iter().flatten().map(|each| (each.name(), each)).collect();
        for name in session.files.list(folder).unwrap_or_default() {
            if !found.contains_key(&name) {
                found.extend(of_files(session, &below(folder, &name)).map(|each| (name, each)));
            }
        }
        found.into_values().collect()
    }

    /// The last component of its path. It has a colon where people see a slash.
    fn name(&self) -> String {
        self.path.rsplit('/').next().unwrap_or_default().to_owned()
    }

    /// Whether it can contain items.
    pub(super) fn holds(&self) -> bool {
        ["folder", "disk", "file package"].contains(&self.class)
    }

    /// Its HFS path, with colons, as System Events shows it.
    pub(super) fn colons(&self) -> String {
        let end = if self.holds() && self.path != "/" { ":" } else { "" };
        if self.path == "/" {
            return format!("{VOLUME}:");
        }
        let swapped: String = self.path.chars().map(swap).collect();
        format!("{VOLUME}{swapped}{end}")
    }

    /// Returns all of its properties except its container.
    pub(super) fn properties(&self) -> BTreeMap<&'static str, Value> {
        let shown: String = self.name().chars().map(|c| if c == ':' { '/' } else { c }).collect();
        let name = if self.path == "/" { VOLUME.to_owned() } else { shown };
        let extension = match name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() && self.class != "folder" => extension.to_owned(),
            _ => String::new(),
        };
        let mut all = BTreeMap::from([
            ("name", Value::text(name.as_str())),
            ("displayed name", Value::text(name.as_str())),
            ("kind", Value::text(if self.class == "folder" { "Folder" } else { "Document" })),
            ("path", Value::text(self.colons())),
            ("id", Value::text(self.colons())),
            ("POSIX path", Value::text(self.path.as_str())),
            ("URL", Value::text(url(&self.path, self.holds()))),
            ("package folder", Value::Bool(self.class == "file package")),
            ("busy status", Value::Bool(false)),
            ("stationery", Value::Bool(false)),
            ("visible", Value::Bool(!name.starts_with('.'))),
            ("volume", Value::text(VOLUME)),
            ("type identifier", self.type_identifier(&extension)),
            ("name extension", Value::text(extension)),
        ]);
        all.extend(self.values.clone());
        all
    }
}

impl Entry {
    /// Returns the uniform type identifier for an extension.
    fn type_identifier(&self, extension: &str) -> Value {
        let known = || type_of(extension);
        Value::text(match self.class {
            "folder" => "public.folder",
            "disk" => "public.volume",
            "alias" => "com.apple.alias-file",
            "file package" if extension == "app" => "com.apple.application-bundle",
            "file package" => known().unwrap_or("com.apple.package"),
            _ => known().unwrap_or("public.data"),
        })
    }
}

/// Returns the uniform type identifier of files with an extension.
pub(crate) fn type_of(extension: &str) -> Option<&'static str> {
    TYPES.iter().find(|(each, _)| each.eq_ignore_ascii_case(extension)).map(|(_, name)| *name)
}

/// Uniform type identifiers by extension.
const TYPES: [(&str, &str); 18] = [
    ("txt", "public.plain-text"),
    ("md", "net.daringfireball.markdown"),
    ("rtf", "public.rtf"),
    ("rtfd", "com.apple.rtfd"),
    ("pdf", "com.adobe.pdf"),
    ("png", "public.png"),
    ("jpg", "public.jpeg"),
    ("heic", "public.heic"),
    ("svg", "public.svg-image"),
    ("csv", "public.comma-separated-values-text"),
    ("json", "public.json"),
    ("xml", "public.xml"),
    ("plist", "com.apple.property-list"),
    ("html", "public.html"),
    ("js", "com.netscape.javascript-source"),
    ("zip", "public.zip-archive"),
    ("mp4", "public.mpeg-4"),
    ("m4a", "com.apple.m4a-audio"),
];

/// Returns the folder of a path.
pub(super) fn parent(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some(("", _)) | None => "/",
        Some((above, _)) => above,
    }
}

/// Joins a folder and a name. A slash in the name is a colon on disk.
pub(super) fn below(folder: &str, name: &str) -> String {
    let name: String = name.chars().map(|c| if c == '/' { ':' } else { c }).collect();
    format!("{}/{name}", folder.trim_end_matches('/'))
}

/// Converts a path from a script to a POSIX path. It may have slashes or colons, or begin with `~`.
pub(super) fn spelled(text: &str, home: &str) -> Option<String> {
    let path = match text.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
        _ if text.starts_with('/') => text.to_owned(),
        _ => {
            let (volume, rest) = text.split_once(':').unwrap_or((text, ""));
            if volume != VOLUME {
                return None;
            }
            format!("/{rest}").chars().map(swap).collect::<String>().replacen(':', "/", 1)
        }
    };
    let trimmed = path.trim_end_matches('/');
    Some(if trimmed.is_empty() { "/".to_owned() } else { trimmed.to_owned() })
}

fn swap(c: char) -> char {
    match c {
        '/' => ':',
        ':' => '/',
        other => other,
    }
}

fn of_finder(view: &View<'_>, id: ObjectId, folder: &str) -> Option<Entry> {
    let read = |term: &str| view.property(id, term).ok().map(|found| view.inner(found));
    let name = read("name")?.as_text()?.to_owned();
    let own = view.class(id);
    let class = match &*own.name {
        "package" | "application file" => "file package",
        "alias file" => "alias",
        _ if own.is_a("container") => "folder",
        _ => "file",
    };
    let terms = ["size", "physical size", "creation date", "modification date", "kind"];
    let values = terms.into_iter().filter_map(|term| Some((term, read(term)?)));
    let values = values.filter(|(_, value)| *value != Value::Missing).collect();
    let path = if &*own.name == "trash-object" { below(folder, ".Trash") } else { below(folder, &name) };
    Some(Entry { path, class, values })
}

fn of_files(session: &Session, path: &str) -> Option<Entry> {
    let found = session.files.attributes(path)?;
    let package = [".app", ".bundle", ".rtfd", ".photoslibrary"].iter().any(|end| path.ends_with(end));
    let class = match found.kind {
        Kind::Nothing => return None,
        Kind::Folder if package => "file package",
        Kind::Folder => "folder",
        Kind::File => "file",
    };
    let size = if found.kind == Kind::Folder { 0 } else { i64::try_from(found.size).unwrap_or(i64::MAX) };
    let values = BTreeMap::from([
        ("size", Value::Int(size)),
        ("physical size", Value::Int((size + 4095) / 4096 * 4096)),
        ("creation date", Value::Date(wall_clock(found.created))),
        ("modification date", Value::Date(wall_clock(found.modified))),
    ]);
    Some(Entry { path: path.to_owned(), class, values })
}

/// Converts a time in seconds since 1970 to the local time.
fn wall_clock(moment: f64) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "a file's time is within the years of a calendar")]
    let moment = jiff::Timestamp::from_second(moment as i64).unwrap_or_default();
    moment.as_second() + i64::from(jiff::tz::TimeZone::system().to_offset(moment).seconds())
}

fn disk() -> BTreeMap<&'static str, Value> {
    BTreeMap::from([
        ("capacity", Value::Int(994_662_584_320)),
        ("free space", Value::Int(412_013_105_152)),
        ("ejectable", Value::Bool(false)),
        ("format", Value::Enumerator("unknown format".into())),
        ("ignore privileges", Value::Bool(false)),
        ("local volume", Value::Bool(true)),
        ("startup", Value::Bool(true)),
        ("kind", Value::text("Volume")),
    ])
}

/// Makes a file URL. Everything except letters, digits and the characters of paths is percent-encoded.
fn url(path: &str, holds: bool) -> String {
    use std::fmt::Write as _;
    let mut url = String::from("file://");
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/!$&'()*+,-.:=@_~".contains(&byte) {
            url.push(char::from(byte));
        } else {
            write!(url, "%{byte:02X}").expect("writing to a String does not fail");
        }
    }
    if holds && path != "/" {
        url.push('/');
    }
    url
}

#[cfg(test)]
mod tests {
    use super::spelled;

    #[test]
    fn paths_are_spelled_in_three_ways() {
        let check =
            |text: &str, path: Option<&str>| assert_eq!(spelled(text, "/Users/a").as_deref(), path, "{text}");
        check("/Users/a/b/", Some("/Users/a/b"));
        check("/", Some("/"));
        check("~", Some("/Users/a"));
        check("~/b", Some("/Users/a/b"));
        check("~b", None);
        check("Macintosh HD:", Some("/"));
        check("Macintosh HD", Some("/"));
        check("Macintosh HD:Users:a:", Some("/Users/a"));
        check("Macintosh HD:x:3/4.txt", Some("/x/3:4.txt"));
        check("Desktop", None);
        check("", None);
    }
}
