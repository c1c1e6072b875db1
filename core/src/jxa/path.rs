//! Paths as JavaScript: `app.accounts.byId(p[0]).mailboxes.byName(p[1])`. A path by a position with a mark checks the
//! object there first: `still(app.windows.at(p[0]), x => x.name(), p[1])`.

use serde_json::Value as Json;

use crate::change::Look;
use crate::dictionary::Identifier;
use crate::identity::{Anchor, Anchors, Identity};
use crate::specifier::{By, Id, Path, Segment};

/// Writes a path that starts at `app` and takes its values from the list `p`; the values are appended to `values`.
pub(super) fn path(path: &Path, values: &mut Vec<Json>) -> String {
    path.segments().into_iter().fold(String::from("app"), |code, segment| step(code, segment, values))
}

/// Writes a path through `every` element as its beginning and a function for each of its collections.
pub(super) fn chain(path: &Path, values: &mut Vec<Json>) -> (String, Vec<String>) {
    let segments = path.segments();
    let mut parts = segments.chunk_by(|_, next| !next.is_every()).peekable();
    let begins = parts.next_if(|part| part.first().is_some_and(|first| !first.is_every()));
    let mut write = |from: &str, part: &[&Segment]| {
        part.iter().fold(from.to_owned(), |code, each| step(code, each, values))
    };
    let root = write("app", begins.unwrap_or_default());
    (root, parts.map(|part| format!("x => {}", write("x", part))).collect())
}

/// Writes the last part of a path through `every` element: the number of its collections, and the code from the
/// container of the last collection to the end.
pub(super) fn tail(path: &Path, values: &mut Vec<Json>) -> (usize, String) {
    let segments = path.segments();
    let depth = segments.iter().filter(|segment| segment.is_every()).count();
    let last = segments.iter().rposition(|segment| segment.is_every());
    let (from, part) = last.map_or(("app", &segments[..]), |last| ("x", &segments[last..]));
    (depth, part.iter().fold(from.to_owned(), |code, each| step(code, each, values)))
}

fn step(mut code: String, segment: &Segment, values: &mut Vec<Json>) -> String {
    match segment {
        Segment::Property(member) | Segment::Element(member, By::Every) => {
            code.extend([".", member.identifier.as_str()]);
        }
        Segment::Element(member, by) => {
            let at = values.len().to_string();
            code.extend([".", member.identifier.as_str(), ".", form(by), "(p[", &at, "])"]);
            values.push(value(by));
            if let By::Place(_, mark) = by {
                code = format!("still({code}, x => x.{}(), p[{}])", mark.property, values.len());
                values.push(Json::from(mark.value.as_str()));
            }
        }
    }
    code
}

/// Writes the path for a script that changes something: positions become ids or names, or are checked (`places.js`).
///
/// `end` says what to do with a name at the end of the path.
pub(super) fn pinned(path: &Path, anchors: &Anchors, end: End, values: &mut Vec<Json>) -> String {
    let mut code = String::from("app");
    let segments = path.segments();
    for (at, segment) in segments.iter().enumerate() {
        let (member, by) = match segment {
            Segment::Property(member) | Segment::Element(member, By::Every) => {
                code.extend([".", member.identifier.as_str()]);
                continue;
            }
            Segment::Element(member, by) => (member, by),
        };
        let collection = format!("{code}.{}", member.identifier);
        let p = values.len();
        values.push(value(by));
        let anchor = anchors.of(&member.class);
        let is_last = at + 1 == segments.len();
        code = match (by, anchor.and_then(|anchor| anchor.name.as_ref())) {
            (By::Name(_), Some(name))
                if is_last
                    && end == End::Known
                    && let Some(Identity::Id(id)) = anchor.map(|anchor| &anchor.identity) =>
            {
                format!("titled({collection}, p[{p}], x => x.{name}(), x => x.{id}())")
            }
            (By::Index(_), _) => format!("pin({collection}, p[{p}], {})", anchored(anchor)),
            (By::Place(_, mark), _) => {
                values.push(Json::from(mark.value.as_str()));
                format!("hold({collection}.at(p[{p}]), p[{p}], x => x.{}(), p[{}])", mark.property, p + 1)
            }
            (By::Name(_), Some(name)) if is_last && end != End::Any => {
                format!("sole({collection}, p[{p}], x => x.{name}())")
            }
            _ => format!("{collection}.{}(p[{p}])", form(by)),
        };
    }
    code
}

/// What to do with a name at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Nothing: the object is not changed.
    Any,
    /// No other object may have it, because the object is changed.
    Sole,
    /// The same, and its id is read, if that finds objects of the class.
    Known,
}

/// How to tell elements of a class apart, in the form that `pin` takes.
fn anchored(anchor: Option<&Anchor>) -> String {
    let getter = |property: Option<&Identifier>| {
        property.map_or_else(|| "null".to_owned(), |property| format!("x => x.{property}()"))
    };
    let mark = getter(anchor.and_then(|anchor| anchor.mark.as_ref()));
    match anchor.map(|anchor| &anchor.identity) {
        Some(Identity::Id(id)) => {
            format!("{{ id: x => x.{id}(), alone: false, pick: (c, v) => c.byId(v), mark: {mark} }}")
        }
        Some(Identity::Name(name)) => {
            format!("{{ id: x => x.{name}(), alone: true, pick: (c, v) => c.byName(v), mark: {mark} }}")
        }
        Some(Identity::Index) | None => format!("{{ id: null, mark: {mark} }}"),
    }
}

impl Look {
    /// A getter for it: `x => x.to.address()`.
    pub(super) fn getter(&self) -> String {
        let way = |identifiers: &[Identifier]| {
            identifiers.iter().map(Identifier::as_str).collect::<Vec<_>>().join(".")
        };
        match self {
            Self::Property(identifiers) if identifiers.is_empty() => "x => x()".to_owned(),
            Self::Property(identifiers) => format!("x => x.{}()", way(identifiers)),
            Self::Count(identifiers) => format!("x => x.{}.length", way(identifiers)),
            Self::Standing([owner, same, name, elements]) => format!(
                "standsFor(x => x.{owner}, x => x.{same}(), [x => x.{name}(), x => x.{elements}.length])"
            ),
            Self::Held(properties) => {
                let names: Vec<&str> = properties.iter().map(Identifier::as_str).collect();
                format!("heldIn({names:?})")
            }
            Self::Where(elements, is, property) => {
                format!("x => x.{elements}.whose({{ {is}: true }}).{property}()")
            }
        }
    }
}

fn form(by: &By) -> &'static str {
    match by {
        By::Index(_) | By::Place(..) | By::Every => "at",
        By::Name(_) => "byName",
        By::Id(_) => "byId",
    }
}

fn value(by: &By) -> Json {
    match by {
        By::Index(index) | By::Place(index, _) => Json::from(*index),
        By::Name(text) | By::Id(Id::Text(text)) => Json::from(text.as_str()),
        By::Id(Id::Number(id)) => Json::from(*id),
        By::Every => Json::Null,
    }
}
