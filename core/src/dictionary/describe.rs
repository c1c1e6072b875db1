//! A whole dictionary as JSON, for people and for programs.

use super::{
    AccessGroup, Class, Command, Dictionary, Element, Enumeration, Enumerator, Identifier, Parameter,
    Problem, ProblemKind, Property, RecordType, Suite, TypeExpr, ValueType, Way,
};
use indexmap::IndexSet;
use serde_json::{Map, Value, json};

/// How many inherited members are written in all; a hostile dictionary could have billions.
const MOST_INHERITED: usize = 100_000;

/// Writes a dictionary and the problems of its file.
///
/// A class has its own members in `properties`, `elements` and `respondsTo`, and its inherited members in `inherited`,
/// each with its class in `from`. `builtIn` holds terms that neither the file nor its includes define. A key with an
/// empty, false or unknown value is left out unless every term has that key.
pub fn describe(dictionary: &Dictionary, problems: &[Problem]) -> Value {
    let mut describer = Describer { dictionary, room: MOST_INHERITED, cut: 0 };
    let mut json = describer.terms(false);
    let built_in = describer.terms(true);
    let mut problems: Vec<Value> = problems.iter().map(problem).collect();
    problems.extend(describer.problem());
    json.insert("problems".to_owned(), problems.into());
    if built_in.values().any(|terms| terms.as_array().is_some_and(|terms| !terms.is_empty())) {
        json.insert("builtIn".to_owned(), built_in.into());
    }
    json.into()
}

struct Describer<'a> {
    dictionary: &'a Dictionary,
    /// How many more inherited members may be written.
    room: usize,
    /// How many classes got no list of inherited members.
    cut: usize,
}

impl Describer<'_> {
    /// The terms of the file, or the built-in terms.
    fn terms(&mut self, built_in: bool) -> Map<String, Value> {
        let dictionary = self.dictionary;
        let classes = dictionary.classes.values().filter(|class| class.built_in == built_in);
        let commands = dictionary.commands.iter().filter(|command| command.built_in == built_in);
        let enumerations = dictionary.enumerations.values().filter(|each| each.built_in == built_in);
        let records = dictionary.records.values().filter(|record| record.built_in == built_in);
        let mut json = Map::new();
        let mut put = |key: &str, value: Value| json.insert(key.to_owned(), value);
        if !built_in {
            put("title", json!(dictionary.title));
            if dictionary.way != Way::Sdef {
                put("termsFrom", dictionary.way.as_str().into());
            }
            put("suites", dictionary.suites.iter().map(suite).collect());
        }
        put("classes", classes.map(|class| self.class(class)).collect());
        put("commands", commands.map(command).collect());
        put("enumerations", enumerations.map(enumeration).collect());
        put("records", records.map(record).collect());
        if !built_in {
            put("events", dictionary.events.iter().map(command).collect());
            put("values", dictionary.values.values().map(value).collect());
        }
        json
    }

    fn problem(&self) -> Option<Value> {
        let limit = format!("the inherited members of {} classes are left out", self.cut);
        let kind = ProblemKind::Limit(limit);
        (self.cut > 0).then(|| problem(&Problem { line: 0, place: "file".to_owned(), kind }))
    }

    fn class(&mut self, class: &Class) -> Value {
        let own = |built_in: bool| built_in == class.built_in;
        let properties = class.properties.iter().filter(|property| own(property.built_in));
        let elements = class.elements.iter().filter(|element| own(element.built_in));
        let json = json!({
            "name": class.name,
            "plural": class.plural,
            "code": class.code,
            "identifier": Identifier::of_class(&class.name).as_ref().map(Identifier::as_str),
            "elementsIdentifier": identifier(&class.plural),
            "suite": class.suite,
            "inherits": class.inherits,
            "properties": properties.map(property).collect::<Vec<_>>(),
            "elements": elements.map(|each| element(self.dictionary, each)).collect::<Vec<_>>(),
            "respondsTo": class.responds_to,
            "inherited": self.inherited(class),
        });
        let rest = [
            ("synonyms", json!(class.synonyms)),
            ("contents", json!(class.contents)),
            ("alsoTakenAs", kind(&class.coercions)),
            ("accessGroups", groups(&class.access_groups)),
            ("builtIn", built_in(self.dictionary, class)),
            ("description", json!(class.description)),
            ("hidden", json!(class.hidden)),
        ];
        with(json, rest)
    }

    /// The members that a class inherits and does not define itself; `null` if there is no more room.
    fn inherited(&mut self, class: &Class) -> Value {
        let lineage = self.dictionary.lineage(&class.name);
        if self.room == 0 && lineage.len() > 1 {
            self.cut += 1;
            return Value::Null;
        }
        let properties = only_inherited(&lineage, |class| &class.properties, |property| &property.name);
        let elements = only_inherited(&lineage, |class| &class.elements, |element| &element.class);
        let commands = only_inherited(&lineage, |class| &class.responds_to, |name| name);
        let members = properties.len() + elements.len() + commands.len();
        self.room = self.room.saturating_sub(members);
        let from = |member: Value, class: &Class| with(member, [("from", json!(class.name))]);
        let properties = properties.into_iter().map(|(each, class)| from(property(each), class));
        let elements = elements.into_iter().map(|(each, class)| from(element(self.dictionary, each), class));
        let commands = commands.into_iter().map(|(each, class)| from(json!({"command": each}), class));
        json!({
            "properties": properties.collect::<Vec<_>>(),
            "elements": elements.collect::<Vec<_>>(),
            "respondsTo": commands.collect::<Vec<_>>(),
        })
    }
}

/// The built-in members of a class that the file or its includes define.
fn built_in(dictionary: &Dictionary, class: &Class) -> Value {
    let properties = class.properties.iter().filter(|property| property.built_in && !class.built_in);
    let elements = class.elements.iter().filter(|element| element.built_in && !class.built_in);
    let elements = elements.map(|each| element(dictionary, each)).collect();
    with(json!({}), [("properties", properties.map(property).collect()), ("elements", elements)])
}

/// The members that the first class of a lineage inherits, each with the nearest class that defines it.
fn only_inherited<'a, T>(
    lineage: &[&'a Class],
    members: fn(&Class) -> &Vec<T>,
    name: fn(&T) -> &String,
) -> Vec<(&'a T, &'a Class)> {
    let mut nearer: IndexSet<&str> = IndexSet::new();
    let mut found = Vec::new();
    for (at, class) in lineage.iter().enumerate() {
        let new = members(class).iter().filter(|member| nearer.insert(name(member)));
        found.extend(new.filter(|_| at > 0).map(|member| (member, *class)));
    }
    found
}

fn suite(suite: &Suite) -> Value {
    let json = json!({"name": suite.name, "code": suite.code});
    with(json, [("description", json!(suite.description)), ("hidden", json!(suite.hidden))])
}

fn property(property: &Property) -> Value {
    let json = json!({
        "name": property.name,
        "identifier": identifier(&property.name),
        "code": property.code,
        "type": property.kind.to_string(),
        "access": property.access.as_str(),
    });
    let rest = [
        ("types", union(&property.kind)),
        ("optional", json!(property.optional)),
        ("synonyms", json!(property.synonyms)),
        ("accessGroups", groups(&property.access_groups)),
        ("description", json!(property.description)),
        ("hidden", json!(property.hidden)),
    ];
    with(json, rest)
}

fn element(dictionary: &Dictionary, element: &Element) -> Value {
    let plural = dictionary.classes.get(&element.class).map(|class| class.plural.as_str());
    let json = json!({
        "type": element.class,
        "identifier": plural.map_or_else(|| identifier(&format!("{}s", element.class)), identifier),
        "access": element.access.as_str(),
    });
    let rest = [
        ("accessors", json!(element.accessors)),
        ("accessGroups", groups(&element.access_groups)),
        ("description", json!(element.description)),
        ("hidden", json!(element.hidden)),
    ];
    with(json, rest)
}

fn command(command: &Command) -> Value {
    let result = command.result.as_ref().map(|result| {
        let json = json!({"type": result.kind.to_string()});
        with(json, [("types", union(&result.kind)), ("description", json!(result.description))])
    });
    let json = json!({
        "name": command.name,
        "identifier": identifier(&command.name),
        "code": command.code,
        "suite": command.suite,
        "directParameter": command.direct.as_ref().map(parameter),
        "parameters": command.parameters.iter().map(named).collect::<Vec<_>>(),
        "result": result,
    });
    let rest = [
        ("synonyms", json!(command.synonyms)),
        ("accessGroups", groups(&command.access_groups)),
        ("description", json!(command.description)),
        ("hidden", json!(command.hidden)),
    ];
    with(json, rest)
}

fn named(each: &Parameter) -> Value {
    let mut json = Map::new();
    json.insert("name".to_owned(), json!(each.name));
    json.insert("identifier".to_owned(), json!(identifier(&each.name)));
    json.insert("code".to_owned(), json!(each.code));
    if let Value::Object(rest) = parameter(each) {
        json.extend(rest);
    }
    json.into()
}

fn parameter(parameter: &Parameter) -> Value {
    let json = json!({"type": parameter.kind.to_string(), "optional": parameter.optional});
    let rest = [
        ("types", union(&parameter.kind)),
        ("requiresAccess", json!(parameter.requires_access.map(super::Access::as_str))),
        ("synonyms", json!(parameter.synonyms)),
        ("description", json!(parameter.description)),
        ("hidden", json!(parameter.hidden)),
    ];
    with(json, rest)
}

fn enumeration(enumeration: &Enumeration) -> Value {
    let json = json!({
        "name": enumeration.name,
        "code": enumeration.code,
        "enumerators": enumeration.enumerators.iter().map(enumerator).collect::<Vec<_>>(),
    });
    said(json, &enumeration.synonyms, &enumeration.description, enumeration.hidden)
}

fn enumerator(enumerator: &Enumerator) -> Value {
    let json = json!({"name": enumerator.name, "code": enumerator.code});
    said(json, &enumerator.synonyms, &enumerator.description, enumerator.hidden)
}

fn record(record: &RecordType) -> Value {
    let properties: Vec<Value> = record.properties.iter().map(property).collect();
    let json = json!({"name": record.name, "code": record.code, "properties": properties});
    said(json, &record.synonyms, &record.description, record.hidden)
}

fn value(value: &ValueType) -> Value {
    let json = json!({"name": value.name, "code": value.code});
    said(json, &value.synonyms, &value.description, value.hidden)
}

fn problem(problem: &Problem) -> Value {
    let kind = match problem.kind {
        ProblemKind::MissingInclude(_) => "missingInclude",
        ProblemKind::Malformed(_) | ProblemKind::NotAPropertyList(_) => "malformed",
        ProblemKind::Limit(_) => "limit",
        ProblemKind::Defect(_) => "defect",
    };
    json!({"line": problem.line, "place": problem.place, "kind": kind, "message": problem.kind.to_string()})
}

fn identifier(term: &str) -> Option<String> {
    Identifier::of(term).map(|identifier| identifier.to_string())
}

fn kind(kind: &TypeExpr) -> Value {
    kind.0.iter().map(|one| json!({"type": one.name, "list": one.list})).collect()
}

/// The alternatives of a type one by one, if there are several.
fn union(expression: &TypeExpr) -> Value {
    if expression.0.len() > 1 { kind(expression) } else { Value::Null }
}

fn groups(groups: &[AccessGroup]) -> Value {
    let group = |group: &AccessGroup| {
        with(
            json!({"identifier": group.identifier}),
            [("access", json!(group.access.map(super::Access::as_str)))],
        )
    };
    groups.iter().map(group).collect()
}

fn said(json: Value, synonyms: &[String], description: &Option<String>, hidden: bool) -> Value {
    with(
        json,
        [("synonyms", json!(synonyms)), ("description", json!(description)), ("hidden", json!(hidden))],
    )
}

/// Adds a value if it is not empty.
fn with<const N: usize>(mut json: Value, more: [(&str, Value); N]) -> Value {
    let says = |value: &Value| match value {
        Value::Null | Value::Bool(false) => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(items) => !items.is_empty(),
        _ => true,
    };
    if let Value::Object(map) = &mut json {
        map.extend(
            more.into_iter().filter(|(_, value)| says(value)).map(|(key, value)| (key.to_owned(), value)),
        );
    }
    json
}
