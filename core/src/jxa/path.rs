//! Paths as JavaScript: `app.accounts.byId(p[0]).mailboxes.byName(p[1])`. Whoever goes by a place with a mark looks who
//! stands there: `still(app.windows.at(p[0]), x => x.name(), p[1])`.

use serde_json::Value as Json;

use crate::specifier::{By, Id, Path, Segment};

/// Writes a path that starts at `app` and takes its values from the list `p`; the values are appended to `values`.
pub(super) fn path(path: &Path, values: &mut Vec<Json>) -> String {
    let mut code = String::from("app");
    for segment in path.segments() {
        match segment {
            Segment::Property(member) => code.extend([".", member.identifier.as_str()]),
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
    }
    code
}

fn form(by: &By) -> &'static str {
    match by {
        By::Index(_) | By::Place(..) => "at",
        By::Name(_) => "byName",
        By::Id(_) => "byId",
    }
}

fn value(by: &By) -> Json {
    match by {
        By::Index(index) | By::Place(index, _) => Json::from(*index),
        By::Name(text) | By::Id(Id::Text(text)) => Json::from(text.as_str()),
        By::Id(Id::Number(id)) => Json::from(*id),
    }
}
