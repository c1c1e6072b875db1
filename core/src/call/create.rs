//! The arguments of `iac_mcp_create`: one object, several, or trees of them.

use serde_json::{Map, Value as Json};

use super::{Arguments, collect};
use crate::fault::{Code, Fault, wrong};
use crate::words::RefId;

/// The arguments of `iac_mcp_create`.
#[derive(Clone, Debug, PartialEq)]
pub struct Create {
    /// The app, in any spelling; `None` where a reference among the places says it.
    pub app: Option<String>,
    /// What is made, in order.
    pub objects: Vec<NewObject>,
    /// Commands that follow, in order; the word `it` among their arguments is the first new object.
    pub then: Vec<Next>,
}

/// A command that follows once everything is made.
#[derive(Clone, Debug, PartialEq)]
pub struct Next {
    /// The command, in any spelling.
    pub command: String,
    /// The direct parameter; `None` for the first new object, if the command takes one.
    pub target: Option<Json>,
    /// The named parameters, in any spelling.
    pub arguments: Map<String, Json>,
}

/// The first new object, among the arguments of what follows.
pub(crate) const IT: &str = "it";

/// How many commands may follow.
const MOST_NEXT: usize = 10;

/// An object that is to be made, with all that is made in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewObject {
    /// The class, in any spelling; `None` where the container says it.
    pub class: Option<String>,
    /// Where it is put; `None` for where the app puts it, and for what is made in another new object.
    pub at: Option<Json>,
    /// Properties, in any spelling, with their values.
    pub properties: Map<String, Json>,
    /// What is made in it.
    pub children: Vec<Self>,
}

/// How many objects one call may make.
const MOST: usize = 200;

/// How deep objects may stand in one another.
const DEEPEST: usize = 8;

const OBJECT: [&str; 4] = ["class", "at", "properties", "children"];

impl Create {
    pub(super) fn read(arguments: &Arguments<'_>) -> Result<Self, Fault> {
        arguments.only(&["app", "class", "at", "properties", "children", "objects", "then"])?;
        let class = arguments.text("class")?;
        let at = arguments.get("at").cloned();
        let mut count = 0;
        let objects = match arguments.get("objects") {
            None => {
                let own =
                    OBJECT.iter().filter_map(|name| Some(((*name).to_owned(), arguments.get(name)?.clone())));
                vec![object(&Json::Object(own.collect()), "", 0, &mut count)?]
            }
            Some(json) => {
                if let Some(own) =
                    ["properties", "children"].iter().find(|name| arguments.get(name).is_some())
                {
                    let message =
                        format!("`{own}` stands beside `objects`; expected it inside of each object");
                    let fault = Fault::new(Code::InvalidParameter, message, "give each object its own");
                    return Err(fault.with("parameter", *own));
                }
                list(json, "objects", 0, &mut count)?
            }
        };
        // What stands at the top is meant for each object that says nothing else.
        let whole = |object: NewObject| NewObject {
            class: object.class.or_else(|| class.clone()),
            at: object.at.or_else(|| at.clone()),
            ..object
        };
        let objects = objects.into_iter().map(whole).collect();
        Ok(Self {
            app: arguments.text("app")?,
            objects,
            then: arguments.get("then").map_or(Ok(Vec::new()), next)?,
        })
    }

    /// Returns every reference that is named, also inside the values.
    pub(crate) fn references(&self) -> Vec<RefId> {
        let mut found = Vec::new();
        self.objects.iter().for_each(|object| object.collect(&mut found));
        let values = self.then.iter().flat_map(|next| next.target.iter().chain(next.arguments.values()));
        values.for_each(|json| collect(json, &mut found));
        found
    }
}

impl NewObject {
    fn collect(&self, found: &mut Vec<RefId>) {
        self.at.iter().chain(self.properties.values()).for_each(|json| collect(json, found));
        self.children.iter().for_each(|child| child.collect(found));
    }
}

/// Reads `[{"command":"send"}]`.
fn next(json: &Json) -> Result<Vec<Next>, Fault> {
    let expected = format!("a list of 1 to {MOST_NEXT} commands: {{command, target, arguments}}");
    let items = json.as_array().filter(|items| (1..=MOST_NEXT).contains(&items.len()));
    let items = items.ok_or_else(|| wrong("then", &expected, json))?;
    let one = |(at, item): (usize, &Json)| {
        let place = format!("then[{at}]");
        let fields = item.as_object().ok_or_else(|| wrong(&place, "{command, target, arguments}", item))?;
        let of = Arguments::new(&place, fields);
        let here = |fault: Fault| fault.inside(&place);
        of.only(&["command", "target", "arguments"]).map_err(here)?;
        Ok(Next {
            command: of.required_text("command").map_err(here)?,
            target: of.given("target").cloned(),
            arguments: of.object("arguments").map_err(here)?.unwrap_or_default(),
        })
    };
    items.iter().enumerate().map(one).collect()
}

fn list(json: &Json, place: &str, depth: usize, count: &mut usize) -> Result<Vec<NewObject>, Fault> {
    let items = json.as_array().filter(|items| !items.is_empty());
    let items =
        items.ok_or_else(|| wrong(place, "a list of objects: {class, properties, children}", json))?;
    items.iter().enumerate().map(|(at, item)| object(item, &format!("{place}[{at}]"), depth, count)).collect()
}

fn object(json: &Json, place: &str, depth: usize, count: &mut usize) -> Result<NewObject, Fault> {
    *count += 1;
    if *count > MOST {
        let message = format!("more than {MOST} objects are to be made; expected {MOST} at most");
        return Err(Fault::new(Code::InvalidParameter, message, "make several calls"));
    }
    if depth > DEEPEST {
        return Err(wrong(place, &format!("objects nested at most {DEEPEST} deep"), json));
    }
    let inside = |name: &str| if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") };
    let fields =
        json.as_object().ok_or_else(|| wrong(place, "an object: {class, properties, children}", json))?;
    let is_known = |name: &&String| OBJECT.contains(&name.as_str()) && (depth == 0 || name.as_str() != "at");
    if let Some(name) = fields.keys().find(|name| !is_known(name)) {
        let message = match name.as_str() {
            "at" => format!("`{}`: a child is put into the object that it stands in", inside("at")),
            name => format!("`{}` is not a part of a new object", inside(&crate::foreign::clean(name, 40))),
        };
        let suggestion = "an object is {class, properties, children}; its values stand in `properties`";
        return Err(Fault::new(Code::InvalidParameter, message, suggestion).with("parameter", inside(name)));
    }
    let given = |name: &str| fields.get(name).filter(|json| !json.is_null());
    let class = given("class").map(|json| {
        json.as_str().map(str::to_owned).ok_or_else(|| wrong(&inside("class"), "the name of a class", json))
    });
    let properties = given("properties").map(|json| {
        json.as_object()
            .cloned()
            .ok_or_else(|| wrong(&inside("properties"), "properties with their values", json))
    });
    let children = given("children").map(|json| list(json, &inside("children"), depth + 1, count));
    Ok(NewObject {
        class: class.transpose()?,
        at: given("at").cloned(),
        properties: properties.transpose()?.unwrap_or_default(),
        children: children.transpose()?.unwrap_or_default(),
    })
}
