//! Tool arguments, read into a typed call.

mod arguments;
mod change;
mod command;
mod create;
mod elements;
mod run_script;
mod script;
mod tool;
mod web;

use serde_json::{Map, Value as Json};

use crate::Millis;
use crate::fault::{Code, Fault, wrong};
use crate::specifier::{Container, Reader, Specifier};
use crate::undo::{self, Undo, Wanted};
use crate::words::{RefId, TextWindow};

pub(crate) use arguments::{Arguments, HIGHEST_OFFSET};
pub use change::{How, NewValue, SetProperty};
pub(crate) use change::{LOSES, MOST as MOST_CHANGED};
pub(crate) use command::collect;
pub use command::{CommandCall, Mode};
pub(crate) use create::IT;
pub use create::{Create, Follow, NewObject, Next};
pub use elements::{GetElements, Range};
pub use run_script::RunScript;
pub use script::{Act, ScriptCall};
pub use tool::Tool;
pub use web::{Method, Secret, WebCall};

/// A tool call with arguments of the right form. Names are not checked yet.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// `iac_mcp_list_apps`
    ListApps {
        /// Part of a name or bundle id.
        search: Option<String>,
    },
    /// `iac_mcp_describe_app`
    Describe {
        /// The app, in any spelling; `None` to search through all of them.
        app: Option<String>,
        /// The question.
        question: Question,
    },
    /// `iac_mcp_query_object`
    QueryObject {
        /// The app, in any spelling.
        app: String,
        /// Which object.
        specifier: Specifier,
    },
    /// `iac_mcp_get_properties`
    GetProperties {
        /// The app, in any spelling; may be left out if references determine it.
        app: Option<String>,
        /// The objects to read. A list may also contain entries that are not objects.
        references: Vec<Named>,
        /// Whether the call gave a list; the answer is then a list too.
        list: bool,
        /// The properties to read, in any spelling; `None` for all.
        properties: Option<Vec<String>>,
        /// How much of a long text to return.
        text: TextWindow,
    },
    /// `iac_mcp_get_elements`
    GetElements(Box<GetElements>),
    /// `iac_mcp_get_frontmost`
    Frontmost {
        /// The apps, in any spelling; none for the app in front.
        apps: Vec<String>,
        /// Whether the call gives a list; the answer is then a list too.
        list: bool,
    },
    /// `iac_mcp_read_command`, `iac_mcp_run_command`, or a command's own tool
    Command(CommandCall),
    /// `iac_mcp_set_property`
    SetProperty(SetProperty),
    /// `iac_mcp_create`
    Create(Create),
    /// `iac_mcp_undo`
    Undo {
        /// The request.
        wanted: Wanted,
        /// The writes that it names, after the shell has looked them up.
        undos: Vec<Undo>,
    },
    /// `iac_mcp_run_script`
    RunScript(RunScript),
    /// `iac_mcp_release_reference`
    Release(Release),
    /// `iac_mcp_get_reference_stats`
    ReferenceStats {
        /// Whether the apps are asked for every object first.
        validate: bool,
    },
    /// `system` and the command line ask for the consent of macOS
    Consent {
        /// The app to ask about, in any spelling; `None` for the state of all apps.
        app: Option<String>,
        /// The access to ask for instead of an app, such as `calendars`.
        access: Option<String>,
    },
    /// A plugin runs a script of its package inside an app; no tool does.
    Script(ScriptCall),
    /// A plugin sends a request to a web server; no tool does.
    Web(WebCall),
}

/// A question about a dictionary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// An overview.
    Overview,
    /// One class.
    Class(String),
    /// One command.
    Command(String),
    /// One command, with the properties that objects of a class accept: `make` of an event.
    CommandOf(String, String),
    /// One enumeration.
    Enumeration(String),
    /// Everything related to some words.
    Search(String),
    /// How to reach objects of a class.
    Reach(String),
}

/// An object in a list, or an entry of the list that is not an object.
pub type Named = Result<Container, Stranger>;

/// An entry that is not an object, and the reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Stranger {
    /// As it was given.
    pub given: Json,
    /// The error.
    pub fault: Fault,
}

/// The references that `iac_mcp_release_reference` releases.
#[derive(Clone, Debug, PartialEq)]
pub enum Release {
    /// These references.
    References(Vec<RefId>),
    /// All references of an app, in any spelling.
    App(String),
}

/// The default length of a text in an answer about one object, in characters.
const TEXT: usize = 8_000;

/// The default length of a text in each element of a list, shorter because a list has many.
const TEXT_IN_LIST: usize = 1_000;

/// The largest number of apps to look at in one call.
const MOST_APPS: usize = 20;

/// The largest number of references in one call, the same as the largest page of elements.
const MOST_REFERENCES: usize = 1_000;

impl Call {
    /// Reads the arguments of a tool by its name; `None` if no tool of the core has that name.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub fn parse(tool: &str, arguments: &Map<String, Json>) -> Option<Result<Self, Fault>> {
        Tool::named(tool).map(|tool| Self::read(tool, arguments))
    }

    /// Reads the arguments of a tool.
    ///
    /// # Errors
    /// An argument is missing, unknown or of the wrong kind; the error names it and what was expected.
    pub fn read(tool: Tool, arguments: &Map<String, Json>) -> Result<Self, Fault> {
        let arguments = &Arguments::new(tool.name(), arguments);
        arguments.check_terms()?;
        match tool {
            Tool::ListApps => list_apps(arguments),
            Tool::DescribeApp => describe_app(arguments),
            Tool::QueryObject => query_object(arguments),
            Tool::GetProperties => get_properties(arguments),
            Tool::GetElements => GetElements::read(arguments).map(|call| Self::GetElements(Box::new(call))),
            Tool::Frontmost => frontmost(arguments),
            Tool::ReadCommand => CommandCall::read(arguments).map(Self::Command),
            Tool::RunCommand => CommandCall::run(arguments).map(Self::Command),
            Tool::SetProperty => SetProperty::read(arguments).map(Self::SetProperty),
            Tool::Create => Create::read(arguments).map(Self::Create),
            Tool::Undo => change::undo(arguments).map(|wanted| Self::Undo { wanted, undos: Vec::new() }),
            Tool::RunScript => RunScript::read(arguments).map(Self::RunScript),
            Tool::ReleaseReference => release(arguments),
            Tool::ReferenceStats => reference_stats(arguments),
        }
    }
}

impl Call {
    /// Returns every reference that the call names, including those inside its specifiers.
    pub fn references(&self) -> Vec<RefId> {
        match self {
            Self::QueryObject { specifier, .. } => specifier.references(),
            Self::GetProperties { references, .. } => {
                references.iter().flatten().flat_map(Container::references).collect()
            }
            Self::Release(Release::References(references)) => references.clone(),
            Self::GetElements(call) => call.references(),
            Self::Command(call) => call.references(),
            Self::SetProperty(call) => call.references(),
            Self::Create(call) => call.references(),
            Self::Undo { .. }
            | Self::ListApps { .. }
            | Self::Frontmost { .. }
            | Self::Describe { .. }
            | Self::Release(Release::App(_))
            | Self::Script(_)
            | Self::RunScript(_)
            | Self::Web(_)
            | Self::Consent { .. }
            | Self::ReferenceStats { .. } => Vec::new(),
        }
    }
}

impl Call {
    /// The app that it names, in any spelling.
    pub(crate) fn app(&self) -> Option<&str> {
        match self {
            Self::QueryObject { app, .. } => Some(app),
            Self::GetProperties { app, .. } => app.as_deref(),
            Self::Frontmost { apps, .. } => apps.first().map(String::as_str),
            Self::GetElements(call) => call.app.as_deref(),
            Self::SetProperty(call) => call.app.as_deref(),
            Self::Create(call) => call.app.as_deref(),
            Self::Command(call) => Some(&call.app),
            _ => None,
        }
    }

    /// Replaces the texts that name objects by the specifiers that they mean.
    ///
    /// # Errors
    /// A text is not a reference form of this app.
    pub(crate) fn read_texts(&mut self, reader: Reader<'_>) -> Result<(), Fault> {
        match self {
            Self::QueryObject { specifier, .. } => specifier.read(reader)?,
            Self::GetProperties { references, list, .. } => read_all(references, *list, reader)?,
            Self::GetElements(call) => {
                for container in &mut call.containers {
                    container.read(reader)?;
                }
                if let Some(elements) = &mut call.elements {
                    let mut elsewhere = Vec::new();
                    for each in std::iter::once(elements).chain(&mut call.also) {
                        each.read(reader)?;
                        elsewhere.extend(each.elsewhere(reader.dictionary));
                    }
                    let others = call.others(reader.dictionary)?;
                    **call = call.clone().settled()?;
                    for other in others.into_iter().chain(elsewhere) {
                        if !call.containers.contains(&other) {
                            call.containers.push(other);
                        }
                    }
                }
            }
            Self::SetProperty(call) => read_all(&mut call.references, call.list, reader)?,
            _ => {}
        }
        Ok(())
    }

    /// Whether its answer may give new references to objects.
    pub(crate) fn makes_references(&self) -> bool {
        matches!(
            self,
            Self::QueryObject { .. }
                | Self::GetProperties { .. }
                | Self::GetElements(_)
                | Self::Frontmost { .. }
                | Self::Command(_)
                | Self::Create(_)
        )
    }

    /// Whether the shell must load the undo records before the call begins.
    pub fn wants_undos(&self) -> bool {
        matches!(self, Self::Undo { undos, .. } if undos.is_empty())
    }

    /// Gives the undo records to a call.
    ///
    /// # Errors
    /// A named write cannot be undone.
    pub fn with_undos(self, known: &[Undo], now: Millis) -> Result<Self, Fault> {
        match self {
            Self::Undo { wanted, .. } => {
                undo::find(&wanted, known, now).map(|undos| Self::Undo { wanted, undos })
            }
            other => Ok(other),
        }
    }
}

fn read_all(references: &mut [Named], list: bool, reader: Reader<'_>) -> Result<(), Fault> {
    for named in references {
        let Ok(Container::Specifier(specifier)) = named else { continue };
        match specifier.read(reader).map_err(Fault::from) {
            Ok(()) => {}
            Err(fault) if list => *named = Err(Stranger { given: Json::from(specifier.to_text()), fault }),
            Err(fault) => return Err(fault),
        }
    }
    Ok(())
}

fn list_apps(arguments: &Arguments<'_>) -> Result<Call, Fault> {
    arguments.only(&["search"])?;
    Ok(Call::ListApps { search: arguments.text("search")? })
}

fn describe_app(arguments: &Arguments<'_>) -> Result<Call, Fault> {
    let parts = ["class", "command", "enumeration", "search", "reach"];
    arguments.only(&["app", "class", "command", "enumeration", "search", "reach"])?;
    let app = arguments.text("app")?;
    let both = (arguments.text("command")?, arguments.text("class")?);
    let others = ["enumeration", "search", "reach"].iter().any(|part| arguments.get(part).is_some());
    if let (Some(app), (Some(command), Some(class)), false) = (&app, &both, others) {
        let question = Question::CommandOf(command.clone(), class.clone());
        return Ok(Call::Describe { app: Some(app.clone()), question });
    }
    let mut asked = parts.into_iter().filter(|part| arguments.get(part).is_some());
    let (first, second) = (asked.next(), asked.next());
    if let (Some(first), Some(second)) = (first, second) {
        let message = format!("`{first}` and `{second}` are two questions in one call");
        return Err(Fault::parameter(second, message, "ask one after the other"));
    }
    let question = match first {
        None => Question::Overview,
        Some(part) => {
            let text = arguments.required_text(part)?;
            match part {
                "class" => Question::Class(text),
                "command" => Question::Command(text),
                "enumeration" => Question::Enumeration(text),
                "search" => Question::Search(text),
                _ => Question::Reach(text),
            }
        }
    };
    if app.is_none() && !matches!(question, Question::Search(_)) {
        let message = "iac_mcp_describe_app needs the argument `app`";
        return Err(Fault::parameter("app", message, "add `app`; only a search may cover all apps"));
    }
    Ok(Call::Describe { app, question })
}

fn query_object(arguments: &Arguments<'_>) -> Result<Call, Fault> {
    arguments.only(&["app", "specifier"])?;
    let app = arguments.required_text("app")?;
    let specifier = Specifier::parse(arguments.required("specifier")?, "specifier")?;
    Ok(Call::QueryObject { app, specifier })
}

fn get_properties(arguments: &Arguments<'_>) -> Result<Call, Fault> {
    arguments.only(&["app", "reference", "properties", "textOffset", "textLimit"])?;
    let app = arguments.text("app")?;
    let (references, list) = arguments.named("reference", MOST_REFERENCES)?;
    let properties = arguments.one_or_more_texts("properties")?;
    let window = arguments.window(if list { TEXT_IN_LIST } else { TEXT })?;
    Ok(Call::GetProperties { app, references, list, properties, text: window })
}

fn frontmost(arguments: &Arguments<'_>) -> Result<Call, Fault> {
    arguments.only(&["app"])?;
    let list = arguments.get("app").is_some_and(Json::is_array);
    let apps = match list {
        true => arguments.texts("app")?.unwrap_or_default(),
        false => arguments.text("app")?.into_iter().collect(),
    };
    match (list, apps.len()) {
        (true, 0) => Err(wrong("app", "at least one app", &Json::from(0))),
        (_, count) if count > MOST_APPS => {
            Err(wrong("app", &format!("at most {MOST_APPS} apps"), &Json::from(count)))
        }
        _ => Ok(Call::Frontmost { apps, list }),
    }
}

fn release(arguments: &Arguments<'_>) -> Result<Call, Fault> {
    arguments.only(&["reference", "app"])?;
    match (arguments.get("reference"), arguments.text("app")?) {
        (None, Some(app)) => Ok(Call::Release(Release::App(app))),
        (Some(_), None) => {
            arguments.references("reference").map(|ids| Call::Release(Release::References(ids)))
        }
        _ => {
            let message = "expected either `reference` (one or a list) or `app`";
            Err(Fault::new(Code::InvalidParameter, message, "name the references or the app to release"))
        }
    }
}

fn reference_stats(arguments: &Arguments<'_>) -> Result<Call, Fault> {
    arguments.only(&["validate"])?;
    Ok(Call::ReferenceStats { validate: arguments.flag("validate")?.unwrap_or_default() })
}
