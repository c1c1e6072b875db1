//! Texts in specifiers, which can be read only once their app is known.

use serde_json::Value as Json;

use super::text::Written;
use super::{Container, Specifier, SpecifierError};
use crate::dictionary::{APPLICATION, Class, Dictionary, Property};
use crate::filter::{Compare, Filter, Operator};
use crate::words::RefId;

/// Real folders are not nested deeper than this; it bounds the recursion over a specifier.
const DEEPEST: usize = 64;

/// The properties by which people know an object without a name, in the order in which they are tried.
pub(crate) const LABELS: [&str; 5] = ["subject", "title", "summary", "display name", "filename"];

/// The one property that takes the place of a name in a class without names.
pub(super) fn called_by(dictionary: &Dictionary, element: &str) -> Option<String> {
    let class = &dictionary.class(element)?.name;
    let is_name = |property: &&Property| property.code == NAME_CODE || property.name == "name";
    if dictionary.properties(class).iter().any(is_name) {
        return None;
    }
    let mut known = LABELS.iter().filter_map(|term| dictionary.property(class, term));
    let only = known.next().filter(|property| property.access.can_read())?;
    known.next().is_none().then(|| only.name.clone())
}

/// The property that identifies a person, such as a participant of a chat: a number or an address. Two people can have
/// the same name, and a number is not a name.
fn handle_of(dictionary: &Dictionary, element: &str, name: &str) -> Option<(String, String)> {
    let class = &dictionary.class(element)?.name;
    let handle = dictionary.property(class, HANDLE).filter(|handle| handle.access.can_read())?;
    let number: String = name.chars().filter(|letter| !" -()./\u{a0}".contains(*letter)).collect();
    let digits = number.strip_prefix('+').unwrap_or(&number);
    if digits.len() >= SHORTEST && digits.chars().all(|letter| letter.is_ascii_digit()) {
        return Some((handle.name.clone(), number));
    }
    let property = if name.contains('@') { &handle.name } else { &dictionary.property(class, "name")?.name };
    Some((property.clone(), name.to_owned()))
}

/// # Source
/// Messages' dictionary: the handle of a participant is a number or an address.
const HANDLE: &str = "handle";

/// The fewest digits of a phone number.
const SHORTEST: usize = 3;

/// The classes that hold further elements of a class, if the application holds only some of them: Mail's application
/// has only the mailboxes outside of accounts. A property of the elements with the name of a containing class shows
/// this. Objects without elements of their own are all in the application's own list: the participants of Messages.
pub(crate) fn holders_apart<'a>(dictionary: &'a Dictionary, element: &str) -> Vec<&'a str> {
    let Some((_, class)) = dictionary.element(APPLICATION, element) else { return Vec::new() };
    let class = &class.name;
    if dictionary.elements(class).is_empty() {
        return Vec::new();
    }
    let holders = dictionary.elements(APPLICATION).into_iter().filter(|holder| !holder.hidden);
    let mut holders: Vec<&Class> = holders.filter_map(|holder| dictionary.class(&holder.class)).collect();
    holders.retain(|holder| holder.name != *class && dictionary.element(&holder.name, class).is_some());
    let leads_back = |holder: &&&Class| {
        let is_it =
            |property: &Property| property.kind.0.iter().any(|kind| !kind.list && kind.name == holder.name);
        dictionary.property(class, &holder.name).is_some_and(is_it)
    };
    if !holders.iter().any(|holder| leads_back(&holder)) {
        return Vec::new();
    }
    // The accounts of Mail include its IMAP accounts.
    let is_kind = |holder: &&&Class| {
        holders.iter().any(|other| other.name != holder.name && dictionary.is_a(&holder.name, &other.name))
    };
    let own = holders.iter().filter(|holder| leads_back(holder) || !is_kind(holder));
    own.map(|holder| holder.name.as_str()).collect()
}

/// The code of the property by which apps find an object by name.
pub(super) const NAME_CODE: &str = "pnam";

/// The context for reading texts.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    /// The app's dictionary.
    pub(crate) dictionary: &'a Dictionary,
    /// The folder that `~/` means; empty if unknown.
    pub(crate) home: &'a str,
}

impl Specifier {
    /// Replaces texts by the specifiers that they mean, here and in the containers.
    ///
    /// # Errors
    /// A text is not a reference form, or has a name that the dictionary does not know.
    pub(crate) fn read(&mut self, reader: Reader<'_>) -> Result<(), SpecifierError> {
        self.read_as(reader, "item")
    }

    /// `last` is the class of the last step, if the text is a path.
    fn read_as(&mut self, reader: Reader<'_>, last: &str) -> Result<(), SpecifierError> {
        if let Self::Text(text) = self {
            *self = match (reader.file(text, last), reader.with_a_file(text)) {
                (Some(file), _) => file,
                (None, Some((words, path))) => {
                    let mut specifier = Self::from_text(&words, reader.dictionary)?;
                    specifier.begin_at(path);
                    specifier
                }
                (None, None) => match Written::read(text, reader.dictionary)? {
                    Written::File(path) if reader.file(&path, last).is_some() => {
                        reader.file(&path, last).unwrap_or(Self::Application)
                    }
                    Written::Object { specifier, .. } => specifier,
                    _ => Self::from_text(text, reader.dictionary)?,
                },
            };
        }
        if let Some(file) = self.named_by_path(reader, last) {
            *self = file;
        }
        self.name_by_property(reader.dictionary);
        let last = self.class_of_path(reader.dictionary);
        match self.container_mut() {
            Some(Container::Specifier(container)) => container.read_as(reader, last),
            _ => Ok(()),
        }
    }

    /// The class of the last step of a path that is the container of this object. A document has properties too: the
    /// words ask for its size.
    fn class_of_path(&self, dictionary: &Dictionary) -> &'static str {
        let Self::Property { property, .. } = self else { return "folder" };
        let has = |class: &&str| dictionary.property(class, property).is_some();
        ["item", "folder", "file"].into_iter().find(has).unwrap_or("item")
    }

    /// `folder "~/Downloads"` in the Finder, whose own names are not paths.
    fn named_by_path(&self, reader: Reader<'_>, last: &str) -> Option<Self> {
        let Self::Named { element, name, container } = self else { return None };
        let is_path = container.is_application()
            && super::text::is_of_files(element)
            && (name.starts_with('/') || name.starts_with('~'));
        let last = if element == "folder" { element } else { last };
        (is_path && has_folders(reader.dictionary)).then(|| reader.file(name, last)).flatten()
    }

    /// Objects without a name are found by the property that people know them by, if their class has exactly one:
    /// `event "Standup"` is the event with that summary.
    fn name_by_property(&mut self, dictionary: &Dictionary) {
        let Self::Named { element, name, container } = self else { return };
        let found = handle_of(dictionary, element, name)
            .or_else(|| called_by(dictionary, element).map(|property| (property, name.clone())));
        let Some((property, name)) = found else { return };
        let compare = Compare { property, operator: Operator::Equal, value: Json::from(name.as_str()) };
        *self = Self::Filter {
            element: std::mem::take(element),
            container: container.clone(),
            filter: Filter::Compare(compare),
            limit: 1,
            last: false,
            only: true,
        };
    }

    /// The classes of the containers in which to look for the only object with a name. None, if the specifier names the
    /// container.
    pub(crate) fn holders(&self, dictionary: &Dictionary) -> Vec<String> {
        let Self::Filter { element, container: Container::Specifier(container), only: true, .. } = self
        else {
            return Vec::new();
        };
        match &**container {
            Self::Application => holders_apart(dictionary, element).into_iter().map(str::to_owned).collect(),
            Self::Every { element, filter: None, range: None, .. } => vec![element.clone()],
            _ => Vec::new(),
        }
    }

    /// The containers in which to look for the only object with a name, besides its own container.
    pub(crate) fn elsewhere(&self, dictionary: &Dictionary) -> Vec<Container> {
        if !self.container().is_some_and(Container::is_application) {
            return Vec::new();
        }
        let every = |element| Self::Every {
            element,
            container: inside(Self::Application),
            filter: None,
            range: None,
        };
        self.holders(dictionary).into_iter().map(|holder| inside(every(holder))).collect()
    }

    /// Replaces the reference of [`stand_in`] by a path.
    fn begin_at(&mut self, path: String) {
        match self.container_mut() {
            Some(container @ Container::Reference(_)) if *container == Container::Reference(stand_in()) => {
                *container = inside(Self::Text(path));
            }
            Some(Container::Specifier(specifier)) => specifier.begin_at(path),
            _ => {}
        }
    }

    /// Whether only the app can say where it leads: a filter, a position, or all elements if one path is needed.
    pub(crate) fn is_open(&self, spreads: bool) -> bool {
        match self {
            Self::Filter { .. } | Self::Element { .. } => true,
            Self::Every { filter, range, .. } => !spreads || filter.is_some() || range.is_some(),
            Self::Application
            | Self::Named { .. }
            | Self::Id { .. }
            | Self::Property { .. }
            | Self::Text(_) => false,
        }
    }

    /// Whether it has no path until the app has answered: it contains a filter, `every`, or an index that counts from
    /// the end.
    pub(crate) fn is_unanswered(&self) -> bool {
        let own = match self {
            Self::Filter { .. } | Self::Every { .. } => true,
            Self::Element { index, .. } => *index < 0,
            _ => false,
        };
        own || self.container().is_some_and(Container::is_open)
    }

    /// Its target in words, for an error: a class, a property or the application.
    pub(crate) fn in_words(&self) -> String {
        match self {
            Self::Application => "the application".to_owned(),
            Self::Text(text) => super::quoted(text),
            Self::Property { property, .. } => format!("`{}`", super::one_line(property)),
            Self::Element { element, index, .. } if *index >= 0 => {
                format!("{} {}", super::one_line(element), i64::from(*index) + 1)
            }
            Self::Element { element, index, .. } => format!("{} {index}", super::one_line(element)),
            Self::Named { element, name, .. } => {
                format!("{} {}", super::one_line(element), super::quoted(name))
            }
            Self::Id { element, .. } => format!("{} of that id", super::one_line(element)),
            Self::Every { element, .. } => format!("every {}", super::one_line(element)),
            Self::Filter { only: true, .. } => self.to_text(),
            Self::Filter { element, .. } => format!("the filter for {}", super::one_line(element)),
        }
    }

    /// Whether it may lead to more than one object.
    pub(crate) fn is_many(&self) -> bool {
        match self {
            Self::Every { .. } => true,
            Self::Property { of: Container::Specifier(of), .. } => of.is_many(),
            _ => false,
        }
    }
}

impl Container {
    /// Replaces texts by the specifiers that they mean.
    ///
    /// # Errors
    /// As [`Specifier::read`].
    pub(crate) fn read(&mut self, reader: Reader<'_>) -> Result<(), SpecifierError> {
        match self {
            Self::Specifier(specifier) => specifier.read_as(reader, "folder"),
            Self::Reference(_) => Ok(()),
        }
    }
}

impl Container {
    /// Whether it is the application itself.
    pub(crate) fn is_application(&self) -> bool {
        matches!(self, Self::Specifier(specifier) if **specifier == Specifier::Application)
    }

    /// Whether it has no path until the app has answered.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self, Self::Specifier(specifier) if specifier.is_unanswered())
    }
}

/// The reference that stands for a file while the words around it are read. No answer ever contains this reference.
fn stand_in() -> RefId {
    RefId::from_random([u8::MAX; 10])
}

/// The words that end a path without quotes.
const BEHIND_PATH: [&str; 2] = [" whose ", " where "];

impl Reader<'_> {
    /// Takes a path out of a text, `every file of ~/Downloads whose …`, and leaves a reference in its place. `None` if
    /// the text has no path without quotes, or the app has no files.
    fn with_a_file(self, text: &str) -> Option<(String, String)> {
        let starts = [" of ~", " in ~", " of /", " in /"].iter().filter_map(|start| text.find(start));
        let at = starts.min()? + " of ".len();
        let (words, rest) = text.split_at(at);
        let end = BEHIND_PATH.iter().filter_map(|word| rest.find(word)).min().unwrap_or(rest.len());
        let (path, tail) = rest.split_at(end);
        if words.matches('"').count() % 2 == 1 || path.contains('"') {
            return None;
        }
        self.file(path.trim(), "folder")?;
        Some((format!("{words}{}{tail}", stand_in()), path.trim().to_owned()))
    }

    /// Reads a POSIX path in an app that has files as objects; `None` for any other text, and in any other app.
    ///
    /// In the Finder, the path goes from the home folder or the startup disk, one name at a time; the last one is of a
    /// class. System Events takes a POSIX path as a name.
    fn file(self, text: &str, class: &str) -> Option<Specifier> {
        let rest = text.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let home = self.home.trim_end_matches('/');
        let below_home = rest.or_else(|| {
            let rest = text.strip_prefix(home).filter(|_| !home.is_empty())?;
            (rest.is_empty() || rest.starts_with('/')).then_some(rest)
        });
        if below_home.is_none() && !text.starts_with('/') {
            return None;
        }
        if has_folders(self.dictionary) {
            let (first, names) = match below_home {
                Some(rest) => ("home", rest),
                None => ("startup disk", text),
            };
            let first =
                Specifier::Property { property: first.to_owned(), of: inside(Specifier::Application) };
            let names: Vec<&str> = names.split('/').filter(|name| !name.is_empty()).collect();
            if names.len() > DEEPEST {
                return None;
            }
            let last = names.len().saturating_sub(1);
            let step = |from: Specifier, (at, name): (usize, &&str)| Specifier::Named {
                element: if at < last { "folder" } else { class }.to_owned(),
                name: (*name).to_owned(),
                container: inside(from),
            };
            return Some(names.iter().enumerate().fold(first, step));
        }
        self.dictionary.element(APPLICATION, "disk item")?;
        let name = match rest {
            Some(rest) if !home.is_empty() => format!("{home}{rest}"),
            _ => text.to_owned(),
        };
        let container = inside(Specifier::Application);
        Some(Specifier::Named { element: "disk item".to_owned(), name, container })
    }
}

/// Whether a path goes from folder to folder, as in the Finder.
fn has_folders(dictionary: &Dictionary) -> bool {
    ["home", "startup disk"].iter().all(|name| dictionary.property(APPLICATION, name).is_some())
}

/// Whether an app has files as objects, so that a path may name one.
pub(super) fn has_files(dictionary: &Dictionary) -> bool {
    has_folders(dictionary) || dictionary.element(APPLICATION, "disk item").is_some()
}

fn inside(specifier: Specifier) -> Container {
    Container::Specifier(Box::new(specifier))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::dictionary::{Includes, parse};
    use crate::specifier::read_source;

    const FINDER: &str = r#"<dictionary><suite name="f" code="ffff">
      <class name="application" code="capp"><property name="home" code="home" type="folder"/>
        <property name="startup disk" code="sdsk" type="folder"/><element type="folder"/><element type="file"/></class>
      <class name="folder" code="cfol" inherits="item"><element type="item"/><element type="folder"/></class>
      <class name="file" code="file" inherits="item"><property name="file type" code="asty" type="type"/></class>
      <class name="item" code="cobj"><property name="name" code="pnam" type="text"/></class></suite></dictionary>"#;
    const EVENTS: &str = r#"<dictionary><suite name="s" code="ssss">
      <class name="application" code="capp"><element type="disk item"/></class>
      <class name="disk item" code="ditm"><property name="name" code="pnam" type="text"/></class></suite></dictionary>"#;

    fn read(sdef: &str, json: Json) -> Result<String, SpecifierError> {
        let (dictionary, _) = parse(sdef.as_bytes(), &Includes::new());
        let mut specifier = Specifier::parse(&json, "specifier")?;
        specifier.read(Reader { dictionary: &dictionary, home: "/Users/ann" })?;
        Ok(specifier.to_text())
    }

    #[test]
    fn paths_lead_from_the_home_folder_or_the_disk() {
        let check = |sdef, text: &str, expected: &str| {
            assert_eq!(read(sdef, json!(text)).as_deref(), Ok(expected), "{text}");
        };
        check(FINDER, "~", "home");
        check(FINDER, "~/a b/c", "item \"c\" of folder \"a b\" of home");
        check(FINDER, "/Users/ann/a", "item \"a\" of home");
        check(FINDER, "/Users/anna/a", "item \"a\" of folder \"anna\" of folder \"Users\" of startup disk");
        check(FINDER, "POSIX file \"/tmp/x\"", "item \"x\" of folder \"tmp\" of startup disk");
        check(EVENTS, "~/a", "disk item \"/Users/ann/a\"");
        check(EVENTS, "/tmp", "disk item \"/tmp\"");
        assert!(read(FINDER, json!(format!("~{}", "/a".repeat(65)))).is_err());
        check(FINDER, "every item of ~/a b", "every item of folder \"a b\" of home");
        check(
            FINDER,
            "name of items of /tmp whose name is \"x/y\"",
            "name of (every item of folder \"tmp\" of startup disk whose name is \"x/y\")",
        );
        check(FINDER, "name of ~/a b/c", "name of item \"c\" of folder \"a b\" of home");
        check(FINDER, "file type of ~/c", "file type of file \"c\" of home");
        check(FINDER, "name of file \"/tmp\"", "name of item \"tmp\" of startup disk");
        check(FINDER, "name of folder \"/tmp\"", "name of folder \"tmp\" of startup disk");
        check(FINDER, "name of POSIX file \"~/c\"", "name of item \"c\" of home");
        check(
            FINDER,
            "every item of (POSIX file \"~/a of b\" as alias)",
            "every item of folder \"a of b\" of home",
        );
        check(FINDER, "alias \"~/c\" as alias", "item \"c\" of home");
        check(EVENTS, "name of POSIX file \"/tmp\"", "name of disk item \"/tmp\"");
        assert!(read(FINDER, json!("every item of home whose name is \"a of ~/b\"")).is_ok());
        assert!(read(FINDER, json!("every item of ~/a of home")).is_ok(), "the rest of a path is its name");
        let folder = json!({ "type": "element", "element": "item", "index": 0, "container": "~/a" });
        assert_eq!(read(FINDER, folder).as_deref(), Ok("item 1 of folder \"a\" of home"));
    }

    #[test]
    fn folders_have_paths() {
        let (dictionary, _) = parse(FINDER.as_bytes(), &Includes::new());
        let check = |way: &str, expected: Option<&str>| {
            let path = read_source(&dictionary, &format!("Application(\"Finder\").{way}"));
            let path = path.unwrap_or_else(|| panic!("{way} is a path"));
            assert_eq!(path.to_posix("/Users/ann").as_deref(), expected, "{way}");
        };
        check("home", Some("~"));
        check("home.folders.byName(\"a b\")", Some("~/a b"));
        check("startupDisk", Some("/"));
        check("startupDisk.folders.byName(\"Users\").folders.byName(\"ann\")", Some("~"));
        check(
            "startupDisk.folders.byName(\"Users\").folders.byName(\"ann\").folders.byName(\"c\")",
            Some("~/c"),
        );
        check("startupDisk.folders.byName(\"Users\").folders.byName(\"anna\")", Some("/Users/anna"));
        check("home.folders.byName(\"a/b\")", None);
        check("home.items.byName(\"a\")", None);
        check("home.folders.at(0)", None);
        check("folders.byName(\"a\")", None);
    }

    #[test]
    fn errors_name_what_was_looked_for() {
        let words = |json: Json| Specifier::parse(&json, "specifier").expect("a specifier").in_words();
        assert_eq!(words(json!("application")), "the application");
        assert_eq!(words(json!("x")), "\"x\"");
        assert_eq!(words(json!({ "type": "property", "property": "home", "of": "application" })), "`home`");
        assert_eq!(words(json!({ "type": "element", "element": "tab", "index": 2 })), "tab 3");
        assert_eq!(words(json!({ "type": "element", "element": "tab", "index": -1 })), "tab -1");
        assert_eq!(words(json!({ "type": "named", "element": "tab", "name": "x" })), "tab \"x\"");
        assert_eq!(words(json!({ "type": "id", "element": "tab", "id": 1 })), "tab of that id");
        assert_eq!(words(json!({ "type": "every", "element": "tab" })), "every tab");
    }
}
