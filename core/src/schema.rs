//! JSON Schema of a command's arguments, limited to the forms that every client accepts: the root is a plain object,
//! unions occur only inside, and there are no references, no lists of types and no boolean schemas.

use indexmap::IndexSet;
use serde_json::{Map, Value as Json, json};

use crate::dictionary::{Command, Dictionary, Identifier, Parameter, Property, TypeExpr, names};
use crate::foreign;
use crate::marshal::{Shape, shapes, shown};

/// The direct parameter's name.
pub(crate) const TARGET: &str = "target";

/// Suffix for the name of a parameter that would hide the direct one.
const PARAMETER: &str = "Parameter";

/// The code of the command `count`.
pub(crate) const COUNT: &str = "corecnte";

/// The code of Music's command `play`, which plays one thing.
pub(crate) const PLAY: &str = "hookPlay";

/// Opens an app in the background and does nothing else. No dictionary has this command, and every app obeys it.
///
/// # Source
/// JXA's `launch()` can always be called; AppleScript sends this event, and apps ignore it once they run.
pub(crate) const LAUNCH: &str = "ascrnoop";

/// Its name for callers.
pub(crate) const LAUNCH_TERM: &str = "launch";

/// The command that opens an app.
pub(crate) fn launch() -> Command {
    Command { name: LAUNCH_TERM.to_owned(), code: LAUNCH.to_owned(), built_in: true, ..Command::default() }
}

/// Commands that every app obeys, even if its dictionary does not list them.
///
/// # Source
/// JXA's `launch()`, `activate()` and `quit()` can always be called.
const EVERYWHERE: [(&str, &str); 3] = [(LAUNCH_TERM, LAUNCH), ("activate", "miscactv"), ("quit", "aevtquit")];

/// The command with a name or code, if every app obeys it.
pub(crate) fn everywhere(term: &str) -> Option<Command> {
    let is_it = |(name, code): &&(&str, &str)| names::key(term) == names::key(name) || *code == term;
    let (name, code) = EVERYWHERE.iter().find(is_it)?;
    Some(Command { name: (*name).to_owned(), code: (*code).to_owned(), built_in: true, ..Command::default() })
}

/// The code of the parameter that gives the class of the objects to count.
const EACH: &str = "kocl";

/// How much of a parameter's description is shown.
const DESCRIPTION: usize = 160;

/// More enumerators than this are not listed.
const MOST_NAMES: usize = 120;

/// How deep records within records are shown.
const DEEPEST: usize = 2;

/// Writes the schema of a command's arguments: `target` is the direct parameter, the others have camelCase names.
pub fn full(dictionary: &Dictionary, command: &Command) -> Json {
    Writer { dictionary, words: true }.root(command)
}

/// Like [`full`], but without descriptions: for an answer to wrong arguments.
pub(crate) fn compact(dictionary: &Dictionary, command: &Command) -> Json {
    Writer { dictionary, words: false }.root(command)
}

/// Merges definitions into one that accepts the arguments of each.
pub(crate) fn merged(commands: &[&Command]) -> Command {
    let mut whole = commands.first().map(|command| (*command).clone()).unwrap_or_default();
    for other in commands.iter().skip(1) {
        match (&mut whole.direct, &other.direct) {
            (Some(direct), Some(also)) => {
                direct.kind.0.extend(also.kind.0.iter().cloned());
                direct.optional |= also.optional;
            }
            (Some(direct), None) => direct.optional = true,
            (direct @ None, also) => *direct = also.clone().map(|also| Parameter { optional: true, ..also }),
        }
        let has = |command: &Command, name: &str| command.parameters.iter().any(|each| each.name == name);
        whole
            .parameters
            .iter_mut()
            .filter(|each| !has(other, &each.name))
            .for_each(|each| each.optional = true);
        let mut new = other.parameters.clone();
        new.iter_mut().filter(|each| !has(&whole, &each.name)).for_each(|each| each.optional = true);
        whole.parameters.extend(new);
    }
    whole
}

/// Whether a parameter is hidden from everyone. AppleScript has its own words for the class that `count` counts, so
/// dictionaries hide `each`. Callers here have no other way to give the class.
pub(crate) fn is_hidden(command: &Command, parameter: &Parameter) -> bool {
    let is_each = command.code == COUNT && parameter.code == EACH;
    parameter.hidden && !is_each
}

/// The name of a parameter as clients write it.
pub(crate) fn key_of(term: &str) -> String {
    match Identifier::of(term) {
        Some(identifier) if identifier.as_str() == TARGET => format!("{TARGET}{PARAMETER}"),
        Some(identifier) => identifier.as_str().to_owned(),
        None => term.to_owned(),
    }
}

/// The term for a name as clients write it.
pub(crate) fn plain_name(name: &str) -> &str {
    if name.strip_suffix(PARAMETER) == Some(TARGET) { TARGET } else { name }
}

struct Writer<'a> {
    dictionary: &'a Dictionary,
    words: bool,
}

impl Writer<'_> {
    fn root(&self, command: &Command) -> Json {
        let mut properties = Map::new();
        let mut required = Vec::new();
        if let Some(direct) = &command.direct {
            properties.insert(TARGET.to_owned(), self.target(direct, command));
            required.extend((!direct.optional).then_some(TARGET.to_owned()));
        }
        for (term, parameter) in command.named_parameters() {
            if is_hidden(command, &parameter) || Identifier::of(term).is_none() {
                continue;
            }
            let name = key_of(term);
            required.extend((!parameter.optional).then(|| name.clone()));
            properties.insert(name, self.parameter(&parameter, self.kind(&parameter.kind, 0)));
        }
        let mut root = json!({ "type": "object", "properties": properties });
        if !required.is_empty() {
            root["required"] = json!(required);
        }
        root["additionalProperties"] = json!(false);
        root
    }

    fn target(&self, direct: &Parameter, command: &Command) -> Json {
        let one = self.kind(&direct.kind, 0);
        if !command.takes_many() {
            return self.parameter(direct, one);
        }
        let mut several = json!({ "type": "array", "items": one });
        if command.is_sent_for_each() {
            several["minItems"] = json!(1);
        }
        if command.code == PLAY {
            several["maxItems"] = json!(1);
        }
        self.parameter(direct, union(vec![one, several]))
    }

    fn parameter(&self, parameter: &Parameter, mut schema: Json) -> Json {
        if self.words {
            let said = foreign::said(parameter.description.as_deref(), DESCRIPTION);
            let own = schema.get("description").and_then(Json::as_str).unwrap_or_default();
            let words =
                [own, &said].into_iter().filter(|each| !each.is_empty()).collect::<Vec<_>>().join(". ");
            if !words.is_empty() {
                schema["description"] = json!(words);
            }
        }
        schema
    }

    fn kind(&self, kind: &TypeExpr, depth: usize) -> Json {
        self.any_of(&shapes(kind, self.dictionary), depth)
    }

    fn any_of(&self, all: &[Shape<'_>], depth: usize) -> Json {
        // Leaving an optional parameter out says the same as null.
        let some = all.iter().any(|shape| *shape != Shape::Null);
        let shown = all.iter().filter(|shape| !some || **shape != Shape::Null);
        let mut alternatives: Vec<Json> = Vec::new();
        for schema in shown.flat_map(|shape| self.shape(shape, depth)) {
            if !alternatives.contains(&schema) {
                alternatives.push(schema);
            }
        }
        union(alternatives)
    }

    fn shape(&self, shape: &Shape<'_>, depth: usize) -> Vec<Json> {
        let one = |schema| vec![schema];
        match shape {
            Shape::Null => one(json!({ "type": "null" })),
            Shape::Bool => one(json!({ "type": "boolean" })),
            Shape::Integer => one(json!({ "type": "integer" })),
            Shape::Number => one(json!({ "type": "number" })),
            Shape::Text => one(json!({ "type": "string" })),
            Shape::Date => {
                one(self
                    .said(json!({ "type": "string", "format": "date-time" }), "a date, or a date and time"))
            }
            Shape::File => {
                one(self.said(json!({ "type": "string" }), "path of a file, absolute or beginning with ~/"))
            }
            Shape::ClassName => one(self.said(json!({ "type": "string" }), "name of a class")),
            Shape::Choice(choice) => {
                let names: IndexSet<String> =
                    shown(choice).map(|each| foreign::clean(&each.name, 80)).collect();
                let listed = (1..=MOST_NAMES).contains(&names.len());
                one(if listed {
                    json!({ "type": "string", "enum": names })
                } else {
                    json!({ "type": "string" })
                })
            }
            Shape::Object(class) => self.object(class.map(|class| class.name.as_str())),
            Shape::Location => {
                let mut all = self.object(None);
                all.push(self.place());
                all
            }
            Shape::Point => one(numbers(&["x", "y"])),
            Shape::Rectangle => one(numbers(&["x", "y", "width", "height"])),
            Shape::Color => {
                one(json!({ "type": "array", "items": { "type": "number" }, "minItems": 3, "maxItems": 3 }))
            }
            Shape::Record(Some(record)) if depth < DEEPEST => one(self.fields(&record.properties, depth)),
            Shape::Properties(class) => {
                let words = format!("properties of class {} by name", foreign::clean(&class.name, 40));
                one(self.said(json!({ "type": "object" }), &words))
            }
            Shape::Record(_) => one(self.said(json!({ "type": "object" }), "properties by name")),
            Shape::List(of) => one(json!({ "type": "array", "items": self.any_of(of, depth) })),
            Shape::Any => anything(),
        }
    }

    fn object(&self, class: Option<&str>) -> Vec<Json> {
        let reference = class.map_or_else(
            || "reference (ref_…), or \"application\"".to_owned(),
            |class| format!("reference (ref_…) of class {}", foreign::clean(class, 40)),
        );
        vec![
            self.said(json!({ "type": "string" }), &reference),
            self.said(
                json!({ "type": "object", "properties": { "type": { "type": "string" } }, "required": ["type"] }),
                "or a specifier as in iac_mcp_query_object",
            ),
        ]
    }

    fn place(&self) -> Json {
        let mut of = self.object(None);
        of.iter_mut().for_each(without_words);
        json!({
            "type": "object",
            "properties": {
                "position": { "type": "string", "enum": ["beginning", "end", "before", "after"] },
                "of": union(of),
                "element": self.said(json!({ "type": "string" }), "class of the object to put there"),
            },
            "required": ["position"],
        })
    }

    fn fields(&self, properties: &[Property], depth: usize) -> Json {
        let fields = properties.iter().filter(|field| !field.hidden);
        let shown = fields.filter_map(|field| {
            let name = Identifier::of(&field.name)?.as_str().to_owned();
            Some((name, self.kind(&field.kind, depth + 1)))
        });
        json!({ "type": "object", "properties": shown.collect::<Map<_, _>>() })
    }

    fn said(&self, mut schema: Json, words: &str) -> Json {
        if self.words {
            schema["description"] = json!(words);
        }
        schema
    }
}

fn without_words(schema: &mut Json) {
    if let Json::Object(fields) = schema {
        fields.shift_remove("description");
    }
}

fn union(mut alternatives: Vec<Json>) -> Json {
    match alternatives.len() {
        0 => json!({ "anyOf": anything() }),
        1 => alternatives.remove(0),
        _ => json!({ "anyOf": alternatives }),
    }
}

fn anything() -> Vec<Json> {
    let mut simple: Vec<Json> =
        ["string", "number", "boolean", "object"].into_iter().map(|kind| json!({ "type": kind })).collect();
    simple.push(json!({ "type": "array", "items": { "anyOf": simple } }));
    simple
}

fn numbers(fields: &[&str]) -> Json {
    let each = fields.iter().map(|name| ((*name).to_owned(), json!({ "type": "number" })));
    json!({ "type": "object", "properties": each.collect::<Map<_, _>>(), "required": fields })
}
