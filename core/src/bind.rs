//! Finds the dictionary's command that a call means, and the meaning of each argument.

use indexmap::IndexMap;
use serde_json::Value as Json;

use crate::action::{Argument, Invocation};
use crate::app::App;
use crate::call::{CommandCall, collect};
use crate::change::DELETE;
use crate::dictionary::{Command, Dictionary, Identifier, Parameter, TypeExpr, TypeRef, names};
use crate::fault::{Code, Fault, did_you_mean};
use crate::marshal::{Checker, Fields, Given, expected, is_any_object, shapes};
use crate::schema::{self, TARGET};
use crate::specifier::{Path, Reader, Segment, Specifier};

/// Returns the commands that a term or a code may mean; several if one name has several codes.
///
/// Definitions with one code are one event: together they accept the arguments of each.
///
/// # Errors
/// [`Code::UnknownCommand`] with the nearest names.
pub(crate) fn candidates(
    call: &CommandCall,
    app: &App,
    dictionary: &Dictionary,
) -> Result<Vec<Command>, Fault> {
    let term = call.command.as_str();
    let by_code = || dictionary.commands.iter().filter(|command| command.code == term).collect();
    let named = dictionary.commands_named(term);
    let mut found: Vec<&Command> = if named.is_empty() { by_code() } else { named };
    found.retain(|command| app.is_program() || !command.built_in);
    if found.is_empty()
        && let Some(command) = schema::everywhere(term).filter(|_| app.is_program())
    {
        return Ok(vec![command]);
    }
    found.retain(|command| call.code.as_ref().is_none_or(|code| *code == command.code));
    if !found.is_empty() {
        let mut by_code: IndexMap<&str, Vec<&Command>> = IndexMap::new();
        found.into_iter().for_each(|command| by_code.entry(&command.code).or_default().push(command));
        return Ok(by_code.values().map(|same| schema::merged(same)).collect());
    }
    let known = dictionary
        .commands
        .iter()
        .filter(|command| !command.hidden && (app.is_program() || !command.built_in));
    let known = known.map(|command| command.name.as_str());
    let near = names::near(term, known, 5);
    let message =
        format!("{} has no command \"{}\"{}", app.name, crate::foreign::clean(term, 80), did_you_mean(&near));
    let list = || format!("list its commands with iac_mcp_describe_app {{\"app\":\"{}\"}}", app.bundle_id);
    let suggestion = instead(term, app).unwrap_or_else(list);
    Err(Fault::new(Code::UnknownCommand, message, suggestion).with("app", &*app.bundle_id).with("near", near))
}

/// What to use instead of a word that scripts can send to any app, but that is not a command of this app.
fn instead(term: &str, app: &App) -> Option<String> {
    let key = names::key(term);
    let words = match key.as_str() {
        "openlocation" if app.is_program() => {
            "give StandardAdditions as `app`, which opens the address in the default browser; in a browser, make a document or a tab with the property `URL`, or set the `URL` of one"
        }
        "get" => "read objects with iac_mcp_get_properties or iac_mcp_get_elements",
        "set" => "use iac_mcp_set_property",
        "make" | "create" | "new" => "use iac_mcp_create",
        _ => {
            let is_it = |command: &&&str| app.is_program() && names::key(command) == key;
            let command = ADDED.iter().find(is_it)?;
            return Some(format!(
                "give StandardAdditions as `app`: `{command}` is a command of its own there"
            ));
        }
    };
    Some(words.to_owned())
}

/// Commands that scripts send to any app, and that Standard Additions has.
///
/// # Source
/// The dictionary of Standard Additions.
const ADDED: [&str; 8] = [
    "set volume",
    "get volume settings",
    "the clipboard",
    "set the clipboard to",
    "clipboard info",
    "display notification",
    "say",
    "beep",
];

/// Finds the command that the arguments fit, and checks every one of them.
///
/// # Errors
/// An argument is missing, unknown or of the wrong type. The error is that of the definition which fits best, and
/// carries its schema.
pub(crate) fn bind(
    call: &CommandCall,
    candidates: &[Command],
    app: &App,
    checker: &mut Checker<'_, '_>,
) -> Result<Invocation, Fault> {
    let mut best: Option<(Misfit, Fault)> = None;
    for command in candidates {
        let (misfit, fault) = match bind_one(call, command, checker) {
            Ok(invocation) => return Ok(invocation),
            Err(refused) => refused,
        };
        if best.as_ref().is_none_or(|(least, _)| misfit < *least) {
            let schema = schema::compact(checker.dictionary, command);
            let fault = fault
                .with("app", &*app.bundle_id)
                .with("command", command.name.as_str())
                .with("schema", schema);
            best = Some((misfit, fault));
        }
    }
    Err(best.map(|(_, fault)| fault).unwrap_or_else(|| {
        Fault::new(
            Code::Internal,
            "no command to choose from",
            "this is a bug in the server; please report it",
        )
    }))
}

/// How badly arguments fit a definition; the best fit comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Misfit {
    Value,
    Missing,
    Unknown,
}

fn bind_one(
    call: &CommandCall,
    command: &Command,
    checker: &mut Checker<'_, '_>,
) -> Result<Invocation, (Misfit, Fault)> {
    let parameters = command.named_parameters();
    let (target, given) = sort_out(call, command, &parameters).map_err(|fault| (Misfit::Unknown, fault))?;
    required(command, target.is_some(), &parameters, &given, checker.dictionary)
        .map_err(|fault| (Misfit::Missing, fault))?;
    let reader = Reader { dictionary: checker.dictionary, home: checker.home };
    let is_shown = SHOWN.contains(&command.code.as_str()) || !call.then.is_empty();
    let by_object = target.filter(|_| is_shown).map(|json| by_object(json, reader));
    let target = by_object.as_ref().or(target);
    let wrong = |fault| (Misfit::Value, fault);
    let identifier = Identifier::of(&command.name).ok_or_else(|| wrong(unwritable(&command.name)))?;
    // If a command takes one object of a class and gets several, the script sends it once for each.
    let is_of_class = command.direct.as_ref().is_some_and(|direct| match direct.kind.0.as_slice() {
        [only] => !only.list && checker.dictionary.class(&only.name).is_some(),
        _ => false,
    });
    let many = (command.takes_many() || is_of_class) && target.is_some_and(Json::is_array);
    let direct = match (&command.direct, target) {
        (Some(direct), Some(json)) => {
            Some(checker.value(json, &several(&direct.kind, many), "`target`").map_err(wrong)?)
        }
        _ => None,
    };
    let parameters = values(command, direct.as_ref(), &parameters, &given, checker).map_err(wrong)?;
    let is_fragile = target.is_some_and(names_reference)
        && direct.iter().flat_map(Given::objects).any(|path| !path.is_stable());
    Ok(Invocation {
        term: command.name.clone(),
        code: command.code.clone(),
        identifier,
        takes_direct: command.direct.is_some(),
        direct,
        each: many && command.is_sent_for_each(),
        parameters,
        text: call.text,
        is_fragile,
        seen: Vec::new(),
        moves: None,
        copies: None,
        tells: Vec::new(),
        anchors: None,
        save: None,
    })
}

/// The events delete, move and duplicate. Before one of them, a person must see the file or folder at the end of a
/// path, with its contents.
const SHOWN: [&str; 3] = [DELETE, "coremove", "coreclon"];

/// Turns paths among the targets into objects, if the app has such objects. The server can then set properties of a
/// copy, look at an object, count it and move it back. Other targets stay as they are.
pub(crate) fn by_object(target: &Json, reader: Reader<'_>) -> Json {
    if let Json::Array(items) = target {
        return items.iter().map(|item| by_object(item, reader)).collect();
    }
    let text = target.as_str().or_else(|| target.get("file")?.as_str());
    let text = text.filter(|text| text.starts_with('/') || text.starts_with("~/") || *text == "~");
    let object = |text: &str| {
        let mut specifier = Specifier::parse(&Json::from(text), TARGET).ok()?;
        specifier.read(reader).ok()?;
        Some(specifier.to_json())
    };
    text.and_then(object).unwrap_or_else(|| target.clone())
}

/// Whether a value contains a reference. The server looks up a specifier during this call; it looked up a reference
/// earlier.
fn names_reference(json: &Json) -> bool {
    let mut found = Vec::new();
    collect(json, &mut found);
    !found.is_empty()
}

/// Commands that treat several objects as one target: sort, select and reveal.
const WHOLE_LISTS: [&str; 3] = ["DATASORT", "miscslct", "miscmvis"];

impl Command {
    /// Whether it takes any object, and so also several objects. A dictionary may spell the type differently than the
    /// suite that it includes.
    pub(crate) fn takes_many(&self) -> bool {
        let kinds = self.direct.as_ref().map(|direct| direct.kind.0.as_slice()).unwrap_or_default();
        !kinds.is_empty() && kinds.iter().all(|kind| !kind.list && is_any_object(&kind.name))
    }

    /// Whether the script sends it once for each of several targets.
    pub(crate) fn is_sent_for_each(&self) -> bool {
        !WHOLE_LISTS.contains(&self.code.as_str())
    }
}

/// The type for several objects instead of one.
fn several(kind: &TypeExpr, each: bool) -> TypeExpr {
    TypeExpr(kind.0.iter().map(|kind| TypeRef { list: kind.list || each, ..kind.clone() }).collect())
}

/// Finds each argument's parameter; an argument `target` is the direct parameter unless one of that name is there.
fn sort_out<'c>(
    call: &'c CommandCall,
    command: &Command,
    parameters: &IndexMap<&str, Parameter>,
) -> Result<(Option<&'c Json>, IndexMap<String, &'c Json>), Fault> {
    let mut target = call.target.as_ref();
    let mut given: IndexMap<String, &Json> = IndexMap::new();
    for (name, json) in call.arguments.iter().filter(|(_, json)| !json.is_null()) {
        let found = find(name, parameters);
        if found.is_none() && target.is_none() && name == TARGET {
            target = Some(json);
            continue;
        }
        let term = found.ok_or_else(|| unknown(name, command, parameters))?;
        if given.insert(term.to_owned(), json).is_some() {
            let message = format!("`{term}` of `{}` occurs twice, in two spellings", command.name);
            return Err(Fault::parameter(term, message, "give it once"));
        }
    }
    if target.is_some() && command.direct.is_none() {
        let message = format!("`{}` takes no `target`", command.name);
        return Err(Fault::parameter(TARGET, message, "leave `target` out"));
    }
    Ok((target, given))
}

fn find<'p>(name: &str, parameters: &'p IndexMap<&str, Parameter>) -> Option<&'p str> {
    let exact = parameters.get_key_value(name).map(|(term, _)| *term);
    let wanted = names::key(schema::plain_name(name));
    let alike = |(term, parameter): &(&&'p str, &'p Parameter)| {
        names::key(term) == wanted || parameter.synonyms.iter().any(|other| names::key(other) == wanted)
    };
    exact.or_else(|| parameters.iter().find(|each| alike(each)).map(|(term, _)| *term))
}

fn unknown(name: &str, command: &Command, parameters: &IndexMap<&str, Parameter>) -> Fault {
    let shown = parameters.values().filter(|each| !schema::is_hidden(command, each));
    let known: Vec<String> = shown.map(|each| schema::key_of(&each.name)).collect();
    let near = names::near(name, known.iter().map(String::as_str), 3);
    let name = crate::foreign::clean(name, 80);
    let message = format!("`{}` has no parameter `{name}`{}", command.name, did_you_mean(&near));
    let suggestion = match known.as_slice() {
        [] => "it has no named parameters".to_owned(),
        known => format!("its parameters are {}", known.join(", ")),
    };
    Fault::parameter(name, message, suggestion)
}

fn required(
    command: &Command,
    has_target: bool,
    parameters: &IndexMap<&str, Parameter>,
    given: &IndexMap<String, &Json>,
    dictionary: &Dictionary,
) -> Result<(), Fault> {
    let direct = command.direct.as_ref().filter(|direct| !direct.optional && !has_target);
    let named =
        parameters.values().find(|each| !each.optional && !each.hidden && !given.contains_key(&each.name));
    let (name, parameter) = match (direct, named) {
        (Some(direct), _) => (TARGET.to_owned(), direct),
        (None, Some(named)) => (schema::key_of(&named.name), named),
        (None, None) => return Ok(()),
    };
    let expected = expected(&shapes(&parameter.kind, dictionary));
    let message = format!("`{}` needs `{name}` ({expected})", command.name);
    let suggestion = format!("add `{name}`");
    Err(Fault::parameter(name, message, suggestion).with("expected", expected))
}

/// Checks the named arguments; the class of a new object comes first, since its properties depend on it.
fn values(
    command: &Command,
    direct: Option<&Given>,
    parameters: &IndexMap<&str, Parameter>,
    given: &IndexMap<String, &Json>,
    checker: &mut Checker<'_, '_>,
) -> Result<Vec<Argument>, Fault> {
    let class = class_of(command, direct, parameters, given, checker)?;
    checker.put.clone_from(&class);
    let mut checked = Vec::new();
    for (term, parameter) in parameters {
        let Some(json) = given.get(*term) else { continue };
        let place = format!("`{}`", schema::key_of(term));
        let value = match &class {
            Some(class) if is_properties(command, parameter) => {
                checker.record(json, Fields::Class(class), &place)?
            }
            _ => checker.value(json, &kind_of(command, direct, parameter, checker.dictionary), &place)?,
        };
        let identifier = Identifier::of(term).ok_or_else(|| unwritable(term))?;
        checked.push(Argument { term: (*term).to_owned(), identifier, value });
    }
    Ok(checked)
}

/// The class of the new, copied or moved object.
fn class_of(
    command: &Command,
    direct: Option<&Given>,
    parameters: &IndexMap<&str, Parameter>,
    given: &IndexMap<String, &Json>,
    checker: &mut Checker<'_, '_>,
) -> Result<Option<String>, Fault> {
    if command.code == "corecrel"
        && let (Some(parameter), Some(json)) = (parameters.get("new"), given.get("new"))
    {
        let value = checker.value(json, &parameter.kind, "`new`")?;
        return Ok(if let Given::Class(class) = value { Some(class) } else { None });
    }
    let first = direct.and_then(|direct| direct.objects().first().map(|path| path.class().to_owned()));
    Ok(first.filter(|class| !class.is_empty()))
}

/// Whether a parameter contains properties of the new or copied object.
fn is_properties(command: &Command, parameter: &Parameter) -> bool {
    let open = parameter.kind.0.is_empty() || parameter.kind.0.iter().any(|kind| kind.name == "record");
    matches!(command.code.as_str(), "corecrel" | "coreclon") && parameter.code == "prdt" && open
}

/// The value of `set` has the type of the property.
fn kind_of(
    command: &Command,
    direct: Option<&Given>,
    parameter: &Parameter,
    dictionary: &Dictionary,
) -> TypeExpr {
    let is_value = command.code == "coresetd" && parameter.code == "data";
    let property = direct.filter(|_| is_value).and_then(|direct| match direct {
        Given::Object(path) => property_of(path, dictionary),
        _ => None,
    });
    property.unwrap_or_else(|| parameter.kind.clone())
}

fn property_of(path: &Path, dictionary: &Dictionary) -> Option<TypeExpr> {
    let (owner, Segment::Property(member)) = path.last()? else { return None };
    dictionary.property(owner.class(), &member.term).map(|property| property.kind.clone())
}

fn unwritable(term: &str) -> Fault {
    let message =
        format!("`{term}` cannot be written in JavaScript for Automation: its name gives no identifier");
    Fault::parameter(term, message, "use another term; this one cannot be used")
}
