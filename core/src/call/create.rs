//! The arguments of `iac_mcp_create`: one object, several, or trees of them.

mod place;

use serde_json::{Map, Value as Json};

use super::arguments::check_names;
use super::change::properties;
use super::command::replace;
use super::{Arguments, How, LOSES, NewValue, collect};
use crate::fault::{Code, Fault, wrong};
use crate::words::RefId;

/// The arguments of `iac_mcp_create`.
#[derive(Clone, Debug, PartialEq)]
pub struct Create {
    /// The app, in any spelling; `None` if a reference among the places gives it.
    pub app: Option<String>,
    /// The new objects, in order.
    pub objects: Vec<NewObject>,
    /// Commands that follow, in order. The word `it` among their arguments is the first of the objects, and `it 2` is
    /// the second. If there is only one object, its children are counted after it.
    pub then: Vec<Next>,
}

/// The steps after a new object: properties to set, objects to make in it, then commands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Follow {
    /// The properties to set and the objects to make in it.
    pub object: NewObject,
    /// Commands, in order; the word `it` among their arguments is the new object.
    pub then: Vec<Next>,
}

/// A step that follows once everything is made: a command, or properties to set on an object of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Next {
    /// Its place in the call: `then[1]`.
    pub place: String,
    /// The command, in any spelling; empty if the step sets properties.
    pub command: String,
    /// The direct parameter; `None` for the new object that the command follows, if the command takes one.
    pub target: Option<Json>,
    /// The named parameters, in any spelling.
    pub arguments: Map<String, Json>,
    /// Which of the objects `it` is, counting from 0.
    pub of: usize,
    /// The properties to set on the target, in place of a command.
    pub sets: Vec<NewValue>,
    /// Whether a new value may remove a part of the object that the property does not hold, such as attachments.
    pub may_lose: bool,
}

/// The word for a new object among the arguments of later commands.
pub(crate) const IT: &str = "it";

/// How many commands may follow.
const MOST_NEXT: usize = 10;

/// A new object, with the objects to make in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewObject {
    /// The class, in any spelling; `None` if the container determines it.
    pub class: Option<String>,
    /// Its destination; `None` if the app chooses it, and for an object inside another new object.
    pub at: Option<Json>,
    /// Properties, in any spelling, with their values.
    pub properties: Map<String, Json>,
    /// Texts and items that are added to a property's existing value.
    pub added: Vec<(String, How, Json)>,
    /// The objects to make in it.
    pub children: Vec<Self>,
    /// The same as [`Next::may_lose`], for the values of this object.
    pub may_lose: bool,
    /// Its place in the call, if it is a part of `then`; otherwise its list gives the place.
    pub place: String,
}

/// How many objects one call may make.
const MOST: usize = 200;

/// How deep objects may be nested.
const DEEPEST: usize = 8;

const OBJECT: [&str; 4] = ["class", "at", "properties", "children"];

impl Create {
    pub(super) fn read(arguments: &Arguments<'_>) -> Result<Self, Fault> {
        arguments.only(&["app", "class", "at", "properties", "children", "objects", "then"])?;
        let class = arguments.text("class")?;
        let at = arguments.get("at").cloned();
        let mut count = 0;
        let mut followed = Vec::new();
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
                    let message = format!("`{own}` is beside `objects`: put it into each object");
                    return Err(Fault::parameter(*own, message, "give each object its own"));
                }
                let (alone, steps) = apart(json);
                followed = steps;
                list(&alone, "objects", 0, &mut count)?
            }
        };
        // The values at the top are defaults for each object.
        let whole = |object: NewObject| NewObject {
            class: object.class.or_else(|| class.clone()),
            at: object.at.or_else(|| at.clone()),
            ..object
        };
        let mut objects: Vec<NewObject> = objects.into_iter().map(whole).collect();
        let mut then = Vec::new();
        let own = followed.iter().map(|(at, fields)| (*at, format!("objects[{at}]."), fields));
        let all = own.map(|(at, place, fields)| (at, place, Arguments::new("an object", fields)));
        for (at, place, of) in all.chain([(0, String::new(), arguments.clone())]) {
            let Follow { object, then: next } = follow(&of, &place, &mut count)?;
            if let Some(one) = objects.get_mut(at) {
                one.join(object)?;
            }
            then.extend(next.into_iter().map(|next| Next { of: at, ..next }));
        }
        // If no other step comes before, setting a property of a new object is the same as making it with this
        // property.
        while let Some(one) = then.first().and_then(|next| nth(&mut objects, next.number()?)) {
            one.join(then.remove(0).into_object())?;
        }
        if then.len() > MOST_NEXT {
            let message = format!("{} commands are to follow; expected {MOST_NEXT} at most", then.len());
            return Err(Fault::parameter("then", message, "make several calls"));
        }
        Ok(Self { app: arguments.text("app")?, objects, then })
    }

    /// Replaces arguments of the commands by the objects that they mean.
    pub(crate) fn replace(&mut self, given: &Json, objects: &[Json]) {
        self.objects.iter_mut().for_each(|object| object.replace(given, objects));
        self.then.iter_mut().for_each(|next| next.replace(given, objects));
    }

    /// Returns every named reference, including those inside the values.
    pub(crate) fn references(&self) -> Vec<RefId> {
        let mut found = Vec::new();
        self.objects.iter().for_each(|object| object.collect(&mut found));
        self.then.iter().for_each(|next| next.collect(&mut found));
        found
    }
}

impl Follow {
    pub(super) fn read(arguments: &Arguments<'_>) -> Result<Self, Fault> {
        follow(arguments, "", &mut 0)
    }

    /// Whether nothing follows.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn collect(&self, found: &mut Vec<RefId>) {
        self.object.collect(found);
        self.then.iter().for_each(|next| next.collect(found));
    }
}

impl Next {
    fn collect(&self, found: &mut Vec<RefId>) {
        self.values().for_each(|json| collect(json, found));
    }

    /// The number of the new object of which the step sets properties: 2 for `it 2`.
    fn number(&self) -> Option<usize> {
        let target = self.target.as_ref().filter(|_| !self.sets.is_empty())?;
        target.as_str()?.strip_prefix(IT)?.strip_prefix(' ')?.parse().ok()
    }

    /// The properties to set, as those of a new object.
    fn into_object(self) -> NewObject {
        let (set, added): (Vec<_>, Vec<_>) = self.sets.into_iter().partition(|new| new.how == How::Set);
        NewObject {
            properties: set.into_iter().map(|new| (new.property, new.value)).collect(),
            added: added.into_iter().map(|new| (new.property, new.how, new.value)).collect(),
            may_lose: self.may_lose,
            place: self.place,
            ..NewObject::default()
        }
    }

    fn values(&self) -> impl Iterator<Item = &Json> {
        let set = self.sets.iter().map(|new| &new.value);
        self.target.iter().chain(self.arguments.values()).chain(set)
    }

    /// Replaces an argument by the objects that were found for it.
    pub(super) fn replace(&mut self, given: &Json, objects: &[Json]) {
        let set = self.sets.iter_mut().map(|new| &mut new.value);
        let values = self.target.iter_mut().chain(self.arguments.values_mut()).chain(set);
        values.for_each(|value| replace(value, given, objects));
    }
}

impl NewObject {
    /// Adds the later steps to their object.
    fn join(&mut self, more: Self) -> Result<(), Fault> {
        for (name, value) in more.properties {
            if self.properties.insert(name.clone(), value).is_some() {
                return Err(twice(&name));
            }
        }
        self.added.extend(more.added);
        self.children.extend(more.children);
        self.may_lose |= more.may_lose;
        // With several steps, an error cannot name a single step.
        self.place = if self.place.is_empty() { more.place } else { "then".to_owned() };
        Ok(())
    }

    /// The object at an index, where each object comes before the objects in it.
    fn nth(&mut self, after: &mut usize) -> Option<&mut Self> {
        if *after == 0 {
            return Some(self);
        }
        *after -= 1;
        self.children.iter_mut().find_map(|child| child.nth(after))
    }

    /// The names of the properties, as the client gives them.
    pub(crate) fn terms(&self) -> impl Iterator<Item = &str> {
        let set = self.properties.iter().filter(|(_, value)| !value.is_null()).map(|(name, _)| name);
        set.chain(self.added.iter().map(|(name, ..)| name)).map(String::as_str)
    }

    fn replace(&mut self, given: &Json, objects: &[Json]) {
        let values = self.at.iter_mut().chain(self.properties.values_mut());
        values.for_each(|value| replace(value, given, objects));
        self.children.iter_mut().for_each(|child| child.replace(given, objects));
    }

    fn collect(&self, found: &mut Vec<RefId>) {
        let added = self.added.iter().map(|(.., json)| json);
        self.at.iter().chain(self.properties.values()).chain(added).for_each(|json| collect(json, found));
        self.children.iter().for_each(|child| child.collect(found));
    }
}

/// The new object that `it 2` means: the second one, or if there is only one with others in it, the first of these.
fn nth(objects: &mut [NewObject], number: usize) -> Option<&mut NewObject> {
    let at = number.checked_sub(1)?;
    match objects {
        [one] => one.nth(&mut at.clone()),
        objects => objects.get_mut(at),
    }
}

/// The steps that follow one of the objects, with the index of that object.
type Own = (usize, Map<String, Json>);

/// Separates the objects from the steps that follow each of them.
fn apart(objects: &Json) -> (Json, Vec<Own>) {
    let (mut alone, mut steps) = (objects.clone(), Vec::new());
    for (at, item) in alone.as_array_mut().into_iter().flatten().enumerate() {
        let then = item.as_object_mut().and_then(|fields| fields.shift_remove_entry("then"));
        steps.extend(then.map(|then| (at, Map::from_iter([then]))));
    }
    (alone, steps)
}

/// Reads `then`: `[{"properties":{"content":"…"}},{"class":"attachment",…},{"command":"send"}]`. `outer` says where in
/// the call it stands.
fn follow(arguments: &Arguments<'_>, outer: &str, count: &mut usize) -> Result<Follow, Fault> {
    let nothing = |json: &&Json| json.as_array().is_some_and(Vec::is_empty);
    let Some(json) = arguments.get("then").filter(|json| !nothing(json)) else {
        return Ok(Follow::default());
    };
    let expected = format!("a list of 1 to {MOST_NEXT} of {STEP}");
    let items = json.as_array().filter(|items| (1..=MOST_NEXT).contains(&items.len()));
    let items = items.ok_or_else(|| wrong(&format!("{outer}then"), &expected, json))?;
    let mut all = Follow::default();
    for (at, item) in items.iter().enumerate() {
        let place = format!("{outer}then[{at}]");
        let fields = item.as_object().ok_or_else(|| wrong(&place, STEP, item))?;
        let of = Arguments::new("a step of `then`", fields);
        let sets = ["property", "properties"].iter().any(|name| of.get(name).is_some());
        if ["target", "reference"].into_iter().all(|name| of.get(name).is_some()) {
            let message = format!("`{place}` has a `target` and a `reference`");
            return Err(Fault::parameter(place, message, "name the object once, as `target`"));
        }
        let own = ["target", "reference"].into_iter().find_map(|name| of.get(name).filter(|it| *it != IT));
        if sets && own.is_some() {
            all.then.push(setting(&of, own, &place).map_err(|fault| fault.inside(&place))?);
            continue;
        }
        let runs = ["command", "target", "arguments"].iter().any(|name| of.get(name).is_some());
        if runs && !sets {
            all.then.push(next(&of, &place).map_err(|fault| fault.inside(&place))?);
            continue;
        }
        if all.then.iter().any(|next| next.number().is_none()) {
            let message =
                format!("`{place}` changes the new object after a command or a step about another object");
            let suggestion = "put the steps that set its properties and make objects in it first, or name the object as `target`";
            return Err(Fault::parameter(place, message, suggestion));
        }
        if of.get("class").is_some() {
            let part = object(item, &place, 1, count)?;
            all.object.children.push(NewObject { place, ..part });
        } else if sets {
            let set = setting(&of, None, &place).map_err(|fault| fault.inside(&place))?;
            all.object.join(set.into_object())?;
        } else {
            return Err(wrong(&place, STEP, item));
        }
    }
    Ok(all)
}

/// The forms that `then` accepts.
const STEP: &str = "{command, target, arguments}, {target, properties}, {target, property, value or append or prepend}, {class, properties, children}";

/// Reads the properties to set on an object; `None` for the new one.
fn setting(of: &Arguments<'_>, target: Option<&Json>, place: &str) -> Result<Next, Fault> {
    of.only(&["target", "reference", "properties", "property", "value", "append", "prepend", LOSES])?;
    Ok(Next {
        place: place.to_owned(),
        target: target.cloned(),
        sets: properties(of)?,
        may_lose: of.flag(LOSES)?.unwrap_or_default(),
        ..Next::default()
    })
}

fn next(of: &Arguments<'_>, place: &str) -> Result<Next, Fault> {
    of.only(&["command", "target", "arguments"])?;
    Ok(Next {
        place: place.to_owned(),
        command: of.required_text("command")?,
        target: of.given("target").cloned(),
        arguments: of.object("arguments")?.unwrap_or_default(),
        ..Next::default()
    })
}

fn twice(name: &str) -> Fault {
    let message = format!("`{name}` is given twice for the new object");
    Fault::parameter(name, message, "give each property once")
}

fn list(json: &Json, place: &str, depth: usize, count: &mut usize) -> Result<Vec<NewObject>, Fault> {
    let items = json.as_array().filter(|items| !items.is_empty());
    let items =
        items.ok_or_else(|| wrong(place, "a list of objects: {class, properties, children}", json))?;
    items.iter().enumerate().map(|(at, item)| object(item, &format!("{place}[{at}]"), depth, count)).collect()
}

/// Whether AppleScript's words for a child's place mean the end, which is the default: `after last paragraph of
/// content`, `end`.
fn is_at_the_end(at: &Json) -> bool {
    let text = |name: &str| at.get(name).and_then(Json::as_str);
    let said = match (at.as_str(), text("position"), text("of")) {
        (Some(words), ..) => words.to_owned(),
        (None, Some("end"), Some(of)) => format!("end of {of}"),
        (None, Some(position), of) => format!("{position} {}", of.unwrap_or_default()),
        _ => return false,
    };
    let words: Vec<&str> = said.split_whitespace().filter(|word| *word != "the").collect();
    let is_end =
        matches!(words.as_slice(), ["end", ..] | ["after", "last", "paragraph" | "word" | "character", ..]);
    // The end of the object itself or of its text, and of nothing else.
    let own = [
        "end", "after", "last", "paragraph", "word", "character", "paragraphs", "of", "it", "content", "text",
    ];
    is_end && words.iter().all(|word| own.contains(word))
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
    let is_last = depth > 0 && fields.get("at").is_some_and(is_at_the_end);
    let is_known =
        |name: &&String| OBJECT.contains(&name.as_str()) && (depth == 0 || is_last || name.as_str() != "at");
    if let Some(name) = fields.keys().find(|name| !is_known(name)) {
        let message = match name.as_str() {
            "at" => format!("`{}`: a child always goes to the end of its parent", inside("at")),
            name => format!("`{}` is not a part of a new object", inside(&crate::foreign::clean(name, 40))),
        };
        let suggestion = "an object is {class, properties, children}; its values stand in `properties`";
        return Err(Fault::parameter(inside(name), message, suggestion));
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
    if let Some(Ok(fields)) = &properties {
        check_names(&inside("properties"), fields.len())?;
    }
    let children = given("children").map(|json| list(json, &inside("children"), depth + 1, count));
    Ok(NewObject {
        class: class.transpose()?,
        at: given("at").filter(|_| depth == 0).cloned(),
        properties: properties.transpose()?.unwrap_or_default(),
        added: Vec::new(),
        children: children.transpose()?.unwrap_or_default(),
        may_lose: false,
        place: String::new(),
    })
}
