//! Shows everything about one term of a dictionary.

use std::io::{self, Write};

use iac_core::dictionary::{
    Class, Command, Dictionary, Enumeration, Identifier, Parameter, Property, TypeExpr, describe, names,
};
use serde_json::{Value as Json, json};

use crate::cli::dictionary::clean;
use crate::cli::{Failure, paint};

/// Shows what a term means. The term may be spelled in any way.
///
/// # Errors
/// The dictionary has no such term, or the output cannot be written.
pub(super) fn show(
    out: &mut impl Write,
    term: &str,
    dictionary: &Dictionary,
    as_json: bool,
) -> Result<(), Failure> {
    let found = Found::of(term, dictionary);
    if found.is_nothing() {
        return Err(Failure::Failed(unknown(term, dictionary)));
    }
    if as_json {
        paint::answer(&found.json(dictionary), true)?;
        return Ok(());
    }
    found.class.iter().try_for_each(|each| class(out, each, dictionary))?;
    found.commands.iter().try_for_each(|each| command(out, each))?;
    found.enumerations.iter().try_for_each(|each| enumeration(out, each))?;
    let members = found.members.iter().map(|(class, property)| (*class, *property));
    Ok(members.into_iter().try_for_each(|(class, property)| member(out, class, property))?)
}

/// What a term means. It may have several meanings.
struct Found<'a> {
    class: Option<&'a Class>,
    commands: Vec<&'a Command>,
    enumerations: Vec<&'a Enumeration>,
    /// Properties of that name, each with its class.
    members: Vec<(&'a Class, &'a Property)>,
}

impl<'a> Found<'a> {
    fn of(term: &str, dictionary: &'a Dictionary) -> Self {
        let wanted = names::key(term);
        let named = |name: &str| names::key(name) == wanted;
        let own = |class: &'a Class| {
            class.properties.iter().filter(|each| named(&each.name)).map(move |each| (class, each))
        };
        Self {
            class: dictionary.class(term),
            commands: dictionary.commands_named(term),
            enumerations: dictionary.enumerations.values().filter(|each| named(&each.name)).collect(),
            members: dictionary.classes.values().flat_map(own).collect(),
        }
    }

    fn is_nothing(&self) -> bool {
        self.class.is_none()
            && self.commands.is_empty()
            && self.enumerations.is_empty()
            && self.members.is_empty()
    }

    /// Returns the parts of the dictionary's description that are about the term.
    fn json(&self, dictionary: &Dictionary) -> Json {
        let whole = describe::describe(dictionary, &[]);
        let named = |kind: &str, names: Vec<&str>| -> Vec<Json> {
            let all =
                [&whole, &whole["builtIn"]].into_iter().filter_map(|part| part[kind].as_array()).flatten();
            all.filter(|each| each["name"].as_str().is_some_and(|name| names.contains(&name)))
                .cloned()
                .collect()
        };
        let members = self.members.iter().map(|(class, property)| {
            json!({ "class": class.name, "name": property.name, "type": property.kind.to_string(), "access": property.access.as_str() })
        });
        json!({
            "classes": named("classes", self.class.iter().map(|each| each.name.as_str()).collect()),
            "commands": named("commands", self.commands.iter().map(|each| each.name.as_str()).collect()),
            "enumerations": named("enumerations", self.enumerations.iter().map(|each| each.name.as_str()).collect()),
            "properties": members.collect::<Vec<_>>(),
        })
    }
}

fn unknown(term: &str, dictionary: &Dictionary) -> String {
    let classes = dictionary.classes.keys().chain(dictionary.enumerations.keys()).map(String::as_str);
    let commands = dictionary.commands.iter().map(|command| command.name.as_str());
    let properties =
        dictionary.classes.values().flat_map(|class| class.properties.iter().map(|each| each.name.as_str()));
    let near = names::near(term, classes.chain(commands).chain(properties), 5);
    let near = near.iter().map(|name| clean(name)).collect::<Vec<_>>();
    match near.is_empty() {
        true => format!("this dictionary has no term `{term}`\nleave the term out to see all terms"),
        false => format!("this dictionary has no term `{term}`\nsimilar terms: {}", near.join(", ")),
    }
}

fn class(out: &mut impl Write, class: &Class, dictionary: &Dictionary) -> io::Result<()> {
    let parent = class.inherits.as_deref().map(|parent| format!(", inherits from {}", clean(parent)));
    head(out, &class.name, &format!("class{}", parent.unwrap_or_default()), class.description.as_deref())?;
    let line = dictionary.lineage(&class.name);
    for owner in &line {
        let from =
            if std::ptr::eq(*owner, *line.first().unwrap_or(owner)) { None } else { Some(&owner.name) };
        members(out, owner, from.map(String::as_str))?;
    }
    writeln!(out)
}

fn members(out: &mut impl Write, class: &Class, from: Option<&str>) -> io::Result<()> {
    let whose = from.map(|from| format!(" of {}", clean(from))).unwrap_or_default();
    if !class.properties.is_empty() {
        writeln!(out, "\n{}properties{whose}{:#}", paint::STRONG, paint::STRONG)?;
        let mut table = paint::table(&["name", "in JavaScript", "type", "access", "what it is"]);
        for property in &class.properties {
            let access = property.access.as_str().to_owned();
            table.add_row([
                clean(&property.name),
                identifier(&property.name),
                kind(&property.kind),
                access,
                words(property.description.as_deref()),
            ]);
        }
        paint::print(&table)?;
    }
    let elements: Vec<String> = class.elements.iter().map(|element| clean(&element.class)).collect();
    if !elements.is_empty() {
        writeln!(out, "\n{}elements{whose}{:#}\n  {}", paint::STRONG, paint::STRONG, elements.join(", "))?;
    }
    Ok(())
}

fn command(out: &mut impl Write, command: &Command) -> io::Result<()> {
    head(out, &command.name, "command", command.description.as_deref())?;
    let mut table = paint::table(&["parameter", "in JavaScript", "type", "needed", "what it is"]);
    let direct = command.direct.iter().map(|parameter| ("(direct)", parameter));
    let named = command.parameters.iter().map(|parameter| (parameter.name.as_str(), parameter));
    for (name, parameter) in direct.chain(named) {
        table.add_row(row(name, parameter));
    }
    if command.direct.is_some() || !command.parameters.is_empty() {
        paint::print(&table)?;
    }
    let result = command
        .result
        .as_ref()
        .map(|result| format!("{}  {}", kind(&result.kind), words(result.description.as_deref())));
    writeln!(out, "answers {}\n", result.as_deref().unwrap_or("nothing").trim_end())
}

fn row(name: &str, parameter: &Parameter) -> [String; 5] {
    let needed = if parameter.optional { "no" } else { "yes" };
    let identifier = if name == "(direct)" { "1st argument".to_owned() } else { identifier(name) };
    [
        clean(name),
        identifier,
        kind(&parameter.kind),
        needed.to_owned(),
        words(parameter.description.as_deref()),
    ]
}

fn enumeration(out: &mut impl Write, enumeration: &Enumeration) -> io::Result<()> {
    head(out, &enumeration.name, "enumeration", enumeration.description.as_deref())?;
    let mut table = paint::table(&["value", "code", "what it is"]);
    for each in &enumeration.enumerators {
        table.add_row([clean(&each.name), clean(&each.code), words(each.description.as_deref())]);
    }
    paint::print(&table)?;
    writeln!(out)
}

fn member(out: &mut impl Write, class: &Class, property: &Property) -> io::Result<()> {
    let what =
        format!("property of {}, {}, {}", clean(&class.name), kind(&property.kind), property.access.as_str());
    head(out, &property.name, &what, property.description.as_deref())
}

fn head(out: &mut impl Write, name: &str, what: &str, description: Option<&str>) -> io::Result<()> {
    let (style, faint) = (paint::NAME, paint::FAINT);
    writeln!(out, "{style}{}{style:#}  {faint}{what}{faint:#}", clean(name))?;
    match description {
        Some(text) => writeln!(out, "  {}", clean(text)),
        None => Ok(()),
    }
}

fn identifier(name: &str) -> String {
    Identifier::of(name).map_or_else(|| "(none)".to_owned(), |identifier| identifier.to_string())
}

fn kind(kind: &TypeExpr) -> String {
    clean(&kind.to_string())
}

fn words(description: Option<&str>) -> String {
    clean(description.unwrap_or_default())
}
