//! Specifiers: JSON is parsed, checked against the dictionary, and becomes an immutable path to an object.

mod json;
mod parse;
mod read;
mod resolve;
mod show;
mod source;
pub mod text;
mod write;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::dictionary::Identifier;
use crate::fault::{Code, Fault, did_you_mean};
use crate::filter::Filter;
use crate::words::{RefId, ReferenceError};

pub(crate) use parse::as_shown;
pub(crate) use read::{LABELS, Reader};
pub(crate) use resolve::find_property;
pub use resolve::{Held, Resolved, Target};
pub(crate) use show::{cited, fits_line, name_in, one_line, quoted, quoted_to};
pub use source::read_source;
pub(crate) use text::POSIX_PATH;
pub use text::{Position, Written};

/// A client's specifier, parsed but not yet checked against a dictionary.
#[derive(Clone, Debug, PartialEq)]
pub enum Specifier {
    /// `{"type":"application"}` or the word `"application"`.
    Application,
    /// `{"type":"element","element":"message","index":0,"container":…}`
    Element {
        /// The class of the element, in any spelling.
        element: String,
        /// Counts from 0; a negative index counts from the end, -1 is the last element.
        index: i32,
        /// Its container.
        container: Container,
    },
    /// `{"type":"named","element":"mailbox","name":"Work","container":…}`
    Named {
        /// The class of the element, in any spelling.
        element: String,
        /// The app compares it, usually without regard to case.
        name: String,
        /// Its container.
        container: Container,
    },
    /// `{"type":"id","element":"message","id":12,"container":…}`
    Id {
        /// The class of the element, in any spelling.
        element: String,
        /// A number or a text, as the app gave it.
        id: Id,
        /// Its container.
        container: Container,
    },
    /// `{"type":"filter","element":"message","container":…,"where":…,"limit":1,"last":false}`. If the call needs one
    /// object, it is the first match, the last one with `"last":true`, or the only one with `"only":true`.
    Filter {
        /// The class of the element, in any spelling.
        element: String,
        /// Their container.
        container: Container,
        /// Selects the elements.
        filter: Filter<String>,
        /// How many matches a query returns, 1 to 1,000.
        limit: usize,
        /// Whether the matches count from the end, so that the filter means the last match.
        last: bool,
        /// Whether several matches are an error, because the filter stands for a name: `event "Standup"`.
        only: bool,
    },
    /// `{"type":"every","element":"mailbox","container":…,"where":…,"from":0,"to":9}`: all elements, those that match,
    /// or those of a range.
    Every {
        /// The class of the elements, in any spelling.
        element: String,
        /// Their container; an `every` inside it covers all of its objects.
        container: Container,
        /// Selects the elements.
        filter: Option<Filter<String>>,
        /// The first and the last index, both included; they count as in `Element`.
        range: Option<(i32, i32)>,
    },
    /// AppleScript's reference form, `message 3 of inbox`, or a POSIX path. Its meaning depends on the app's
    /// dictionary, so `Specifier::read` replaces it by another form first.
    Text(String),
    /// `{"type":"property","property":"inbox","of":…}`
    Property {
        /// The property, in any spelling.
        property: String,
        /// The owner of the property.
        of: Container,
    },
}

/// The values that `container` and `of` accept.
#[derive(Clone, Debug, PartialEq)]
pub enum Container {
    /// A nested specifier.
    Specifier(Box<Specifier>),
    /// A reference that an earlier answer gave.
    Reference(RefId),
}

impl Specifier {
    /// Returns the references that it contains.
    pub fn references(&self) -> Vec<RefId> {
        match self {
            Self::Text(text) => RefId::within(text).collect(),
            _ => self.container().map(Container::references).unwrap_or_default(),
        }
    }

    /// Returns its container or owner; `None` for the application.
    pub fn container(&self) -> Option<&Container> {
        match self {
            Self::Application | Self::Text(_) => None,
            Self::Element { container, .. }
            | Self::Named { container, .. }
            | Self::Id { container, .. }
            | Self::Filter { container, .. }
            | Self::Every { container, .. }
            | Self::Property { of: container, .. } => Some(container),
        }
    }

    pub(crate) fn container_mut(&mut self) -> Option<&mut Container> {
        match self {
            Self::Application | Self::Text(_) => None,
            Self::Element { container, .. }
            | Self::Named { container, .. }
            | Self::Id { container, .. }
            | Self::Filter { container, .. }
            | Self::Every { container, .. }
            | Self::Property { of: container, .. } => Some(container),
        }
    }
}

impl Container {
    /// Returns the references that it contains.
    pub fn references(&self) -> Vec<RefId> {
        match self {
            Self::Reference(id) => vec![*id],
            Self::Specifier(specifier) => specifier.references(),
        }
    }
}

/// The id of an object. Apps distinguish numbers from texts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Id {
    /// For example Mail's.
    Number(i64),
    /// For example `x-coredata://…`.
    Text(String),
}

/// A step of a path as the dictionary defines it; all paths that take the same step share it.
#[derive(Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Member {
    /// The dictionary's term: of a property, or of an element's class in the singular.
    pub term: String,
    /// The spelling in the script: the property, or the plural of the class.
    pub identifier: Identifier,
    /// The class of the object that the step leads to; empty if the dictionary does not say.
    pub class: String,
}

/// One step from a container to an object in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Segment {
    /// A property that holds an object.
    Property(Arc<Member>),
    /// One element of a collection.
    Element(Arc<Member>, By),
}

impl Segment {
    /// Whether it means all elements of a collection.
    pub(crate) fn is_every(&self) -> bool {
        matches!(self, Self::Element(_, By::Every))
    }
}

/// How one element is picked.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum By {
    /// Counts from 0; not stable.
    Index(u32),
    /// An index from 0. The object there must still be the same as when the path was made.
    Place(u32, Arc<Mark>),
    /// A name, which the app compares.
    Name(String),
    /// An id, the most stable form.
    Id(Id),
    /// All elements. Such a path leads to many objects, and only lists of elements accept it.
    Every,
}

/// The mark of an object at a position: a property and its value, which tell the object from its neighbours.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mark {
    /// The property, as the script spells it.
    pub property: Identifier,
    /// Its value as a text; a long one is cut.
    pub value: String,
}

impl Mark {
    /// Makes a mark from a property and the value that a script has read; `None` if there is no value.
    pub(crate) fn of(property: Option<Identifier>, read: &serde_json::Value) -> Option<Arc<Self>> {
        Some(Arc::new(Self { property: property?, value: read.as_str()?.to_owned() }))
    }
}

/// A path from the application to one object, checked against the dictionary. Clones share their container.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path(Option<Arc<Node>>);

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Node {
    container: Path,
    segment: Segment,
    /// The hash of the whole path. The store looks paths up often, and most of them differ only in the last step.
    hash: u64,
}

impl Hash for Node {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

impl Path {
    /// The application itself.
    pub fn application() -> Self {
        Self(None)
    }

    /// Adds one step.
    #[must_use]
    pub fn then(&self, segment: Segment) -> Self {
        let mut hasher = DefaultHasher::new();
        (self, &segment).hash(&mut hasher);
        Self(Some(Arc::new(Node { container: self.clone(), segment, hash: hasher.finish() })))
    }

    /// Returns the last step and the path before it; `None` for the application.
    pub fn last(&self) -> Option<(&Self, &Segment)> {
        self.0.as_deref().map(|node| (&node.container, &node.segment))
    }

    /// The objects on the way to its object, nearest first.
    pub(crate) fn containers(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(self.last(), |(container, _)| container.last()).map(|(container, _)| container)
    }

    /// Whether both lead through the same properties and elements, whatever picks the objects.
    pub(crate) fn is_alike(&self, other: &Self) -> bool {
        let term = |segment: &Segment| match segment {
            Segment::Property(member) | Segment::Element(member, _) => member.term.clone(),
        };
        self.segments().into_iter().map(term).eq(other.segments().into_iter().map(term))
    }

    /// Whether the object at the end is picked by an id, which tells a person nothing.
    pub(crate) fn is_by_id(&self) -> bool {
        matches!(self.last(), Some((_, Segment::Element(_, By::Id(_)))))
    }

    /// Whether it leads to the other object, or through it.
    pub(crate) fn begins_with(&self, other: &Self) -> bool {
        self == other || self.last().is_some_and(|(container, _)| container.begins_with(other))
    }

    /// Whether it leads to the same object as another path. An id means one object, whatever container leads to it.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let id = |path: &Self| match path.last() {
            Some((_, Segment::Element(member, By::Id(id)))) => Some((member.clone(), id.clone())),
            _ => None,
        };
        self == other || id(self).is_some_and(|own| id(other) == Some(own))
    }

    /// The same path with another beginning; `None` if it does not lead through the object at `from`.
    pub(crate) fn replaced(&self, from: &Self, to: &Self) -> Option<Self> {
        if self.is_same(from) {
            // The application itself finds an id in every container.
            let is_kept = self.is_same(to) && self.last().is_some_and(|(of, _)| of.last().is_none());
            return Some(if is_kept { self.clone() } else { to.clone() });
        }
        let (container, segment) = self.last()?;
        Some(container.replaced(from, to)?.then(segment.clone()))
    }

    /// The same path without its last steps.
    pub(crate) fn without(&self, steps: usize) -> Self {
        let mut at = self.clone();
        for _ in 0..steps {
            at = at.last().map(|(container, _)| container.clone()).unwrap_or_default();
        }
        at
    }

    /// Returns the steps from the application on.
    pub fn segments(&self) -> Vec<&Segment> {
        let mut steps: Vec<&Segment> = Vec::new();
        let mut at = self;
        while let Some((container, segment)) = at.last() {
            steps.push(segment);
            at = container;
        }
        steps.reverse();
        steps
    }

    /// The mark of the object at the end, if only a position leads to the object.
    pub fn mark(&self) -> Option<&str> {
        match self.last() {
            Some((_, Segment::Element(_, By::Place(_, mark)))) => Some(&mark.value),
            _ => None,
        }
    }

    /// The name of the object at the end, if it is picked by its name.
    pub fn name(&self) -> Option<&str> {
        match self.last() {
            Some((_, Segment::Element(_, By::Name(name)))) => Some(name),
            _ => None,
        }
    }

    /// The class of the object at the end; empty if the dictionary does not say.
    pub fn class(&self) -> &str {
        match self.last() {
            None => crate::dictionary::APPLICATION,
            Some((_, Segment::Property(member) | Segment::Element(member, _))) => &member.class,
        }
    }

    /// Whether the path leads through all elements of a collection.
    pub fn is_spread(&self) -> bool {
        self.segments().into_iter().any(|segment| matches!(segment, Segment::Element(_, By::Every)))
    }

    /// Whether the path still leads to the same object after other objects are added or removed: no step is by index.
    pub fn is_stable(&self) -> bool {
        let by_place = |segment: &Segment| {
            matches!(segment, Segment::Element(_, By::Index(_) | By::Place(..) | By::Every))
        };
        !self.segments().into_iter().any(by_place)
    }

    /// Whether it ends with a property, such as `current track`. Only the app tells which object that is, and it may be
    /// of any kind of its class.
    pub fn is_told(&self) -> bool {
        matches!(self.last(), Some((_, Segment::Property(_))))
    }
}

/// Why a specifier cannot be resolved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SpecifierError {
    /// Its form is unknown.
    #[error("{place}: {wrong}")]
    Form {
        /// The place in the specifier, for example `specifier.container.index`.
        place: String,
        /// The fault and the expected form.
        wrong: String,
    },
    /// A text is not of AppleScript's reference form.
    #[error("character {at} of the text: {wrong}")]
    Text {
        /// The position, in characters from 1.
        at: usize,
        /// The text at that position, and what was expected.
        wrong: String,
        /// What to write instead.
        instead: String,
    },
    /// The class is an element of other classes only.
    #[error("no element `{element}` in `{owner}`: it is in {}", .holders.join(", "))]
    Elsewhere {
        /// The class, in the dictionary's spelling.
        element: String,
        /// The class of the container.
        owner: String,
        /// The classes that have it.
        holders: Vec<String>,
    },
    /// The dictionary has no such class, or it is not an element of the container.
    #[error("no element `{element}` in `{owner}`")]
    UnknownElement {
        /// As the client wrote it.
        element: String,
        /// The class of the container.
        owner: String,
        /// Elements with similar names.
        near: Vec<String>,
    },
    /// The class has no such property.
    #[error("no property `{property}` in `{owner}`")]
    UnknownProperty {
        /// As the client wrote it.
        property: String,
        /// The class of the object.
        owner: String,
        /// Properties with similar names.
        near: Vec<String>,
    },
    /// No class has the property, and the dictionary does not say what the object is.
    #[error("no class has a property `{term}`, and the dictionary does not say what class `{holder}` has")]
    Open {
        /// As the client wrote it.
        term: String,
        /// The object: a property that holds any object, or a path.
        holder: String,
    },
    /// A property was requested, but the name is that of an element.
    #[error("`{element}` is an element of `{owner}`, not a property")]
    IsElement {
        /// The class of the elements.
        element: String,
        /// The class that has them.
        owner: String,
    },
    /// The property holds a value, and values have no elements or properties.
    #[error("`{property}` of `{owner}` is {kind}, not an object")]
    NotAnObject {
        /// The property.
        property: String,
        /// The class that has it.
        owner: String,
        /// Its type.
        kind: String,
    },
    /// The term cannot be written in JavaScript for Automation.
    #[error("`{0}` cannot be reached from JavaScript for Automation: its name gives no identifier")]
    NoIdentifier(String),
    /// A reference in the specifier cannot be used.
    #[error(transparent)]
    Reference(#[from] ReferenceError),
    /// The reference belongs to another app.
    #[error("the reference `{reference}` belongs to {other}, not to {app}")]
    OtherApp {
        /// The reference.
        reference: RefId,
        /// The app it belongs to.
        other: String,
        /// The app that was asked for.
        app: String,
    },
}

impl SpecifierError {
    /// Names the object that lacks the property or element, if the dictionary does not give its class.
    pub(crate) fn held_by(self, holder: &str) -> Self {
        match self {
            Self::UnknownProperty { property: term, owner, .. }
            | Self::UnknownElement { element: term, owner, .. }
                if owner.is_empty() =>
            {
                Self::Open { term, holder: holder.to_owned() }
            }
            other => other,
        }
    }
}

/// The hint for something that is a column and not an object.
const COLUMNS: &str = "parts of a date and counts of elements go into `properties` of iac_mcp_get_elements or iac_mcp_get_properties";

/// The hint for a POSIX path, which is not a property that can be set.
const POSIX_PATHS: &str = "only files and folders have a path, and it is read-only; to change where a file is, set its `name` or run the command `move`";

/// An example of a specifier, for errors.
const EXAMPLE: &str = r#"{"type":"property","property":"inbox","of":"application"}"#;

impl From<SpecifierError> for Fault {
    fn from(error: SpecifierError) -> Self {
        let message = error.to_string();
        match error {
            SpecifierError::Form { .. } => {
                let suggestion = format!("correct that part; an example of a whole specifier is {EXAMPLE}");
                Self::new(Code::InvalidSpecifier, message, suggestion)
            }
            SpecifierError::Text { instead, .. } => Self::new(Code::InvalidSpecifier, message, instead),
            SpecifierError::Elsewhere { holders, .. } => {
                let first = holders.first().map_or("", String::as_str);
                let suggestion =
                    format!("add the container, such as `… of {first} 1` or `… of every {first}`");
                Self::new(Code::UnknownElement, message, suggestion).with("near", holders)
            }
            SpecifierError::UnknownElement { owner, near, .. } => {
                let suggestion = format!("list the elements of `{owner}` with iac_mcp_describe_app");
                Self::new(Code::UnknownElement, message + &did_you_mean(&near), suggestion).with("near", near)
            }
            SpecifierError::UnknownProperty { property, owner, near } => {
                let suggestion = match property.eq_ignore_ascii_case(POSIX_PATH) {
                    true => POSIX_PATHS.to_owned(),
                    false => format!("list the properties of `{owner}` with iac_mcp_describe_app"),
                };
                // For a small class, `near` has all properties, which would make a long sentence.
                let meant = if near.len() <= 5 { did_you_mean(&near) } else { String::new() };
                Self::new(Code::UnknownProperty, message + &meant, suggestion).with("near", near)
            }
            SpecifierError::IsElement { element, .. } => {
                let suggestion = format!(
                    "read a property of them, such as {element}.name, or list them with iac_mcp_get_elements: {{\"elements\":\"every {element} of …\"}}"
                );
                Self::new(Code::UnknownProperty, message, suggestion).with("element", element)
            }
            SpecifierError::Open { holder, .. } => {
                let suggestion =
                    format!("read `{holder}` first, then query the reference in the answer; {COLUMNS}");
                Self::new(Code::UnknownProperty, message, suggestion)
            }
            SpecifierError::NotAnObject { property, kind, .. } => {
                let mut suggestion = "query the property itself to read its value".to_owned();
                if kind == "date" {
                    suggestion = format!("{suggestion}; {COLUMNS}, such as `{property}.month`");
                }
                Self::new(Code::InvalidSpecifier, message, suggestion)
            }
            SpecifierError::NoIdentifier(_) => {
                Self::new(Code::InvalidSpecifier, message, "use another property or element")
            }
            SpecifierError::Reference(error) => error.into(),
            SpecifierError::OtherApp { reference, .. } => Self::new(
                Code::InvalidSpecifier,
                message,
                "leave `app` out, or query the container in the app that you mean",
            )
            .with("reference", reference.to_string()),
        }
    }
}
