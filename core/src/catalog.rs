//! Commands as tools of their own: `mail_send`, `finder_empty`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::{Map, Value as Json};
use sha2::{Digest, Sha256};

use crate::app::App;
use crate::call::{Call, CommandCall};
use crate::dictionary::{Command, Dictionary, Identifier, names};
use crate::foreign;
use crate::permission::{Classified, LevelRule, classify_command};
use crate::schema;
use crate::words::Level;

/// One command of one app as a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandTool {
    /// `<app>_<command>`: `[a-z0-9_]`, at most 40 characters, unique in its catalog.
    pub name: String,
    /// For people: `Mail: send`.
    pub title: String,
    /// Its description. The app's own words are cleaned, cut and marked.
    pub description: String,
    /// JSON Schema of its arguments.
    pub input_schema: Json,
    /// What the tool promises to clients.
    pub hints: Hints,
    app: Arc<str>,
    term: String,
    code: String,
}

/// A tool's effects, for its annotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hints {
    /// It changes nothing.
    pub read_only: bool,
    /// Its effect cannot be undone.
    pub destructive: bool,
    /// Doing it twice does no more than doing it once.
    pub idempotent: bool,
    /// It reaches beyond this Mac, or may do anything.
    pub open_world: bool,
}

/// The commands of some apps as tools, in the order of their names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalog {
    tools: BTreeMap<String, Arc<CommandTool>>,
}

/// The longest tool name. It leaves room for the prefix that clients add.
const LONGEST: usize = 40;

/// The longest description of a command from the app, in characters. Longer ones are cut, because the text of every
/// tool takes room in a conversation.
const DESCRIPTION: usize = 240;

/// Codes of commands that send something out of this Mac or fetch something into it.
const OPEN_WORLD: [&str; 8] =
    ["emsgsend", "ichtsend", "emalchma", "emalsyac", "GURLGURL", "emalemtg", "sfrisrch", "OFOCFCsy"];

impl CommandTool {
    /// The bundle id of its app.
    pub fn app(&self) -> &str {
        &self.app
    }

    /// Makes a call of the command with these arguments, which are read against its dictionary later.
    pub fn call(&self, arguments: Map<String, Json>) -> Call {
        Call::Command(CommandCall::of_tool(&self.app, &self.term, &self.code, arguments))
    }
}

impl Catalog {
    /// Makes the tools of some apps. No tool gets a name in `taken`. An app without a dictionary has no tools. The
    /// order of the apps does not change the names.
    pub fn new<'a>(
        apps: impl IntoIterator<Item = &'a App>,
        taken: &BTreeSet<String>,
        rules: &[LevelRule],
    ) -> Self {
        let by_id: BTreeMap<&str, &App> = apps.into_iter().map(|app| (&*app.bundle_id, app)).collect();
        let mut catalog = Self::default();
        for app in by_id.into_values() {
            let Some(dictionary) = &app.dictionary else { continue };
            for commands in callable(app, dictionary) {
                let name = catalog.free_name(app, &commands, taken);
                let tool = tool(name.clone(), app, dictionary, &commands, rules);
                catalog.tools.insert(name, Arc::new(tool));
            }
        }
        catalog
    }

    /// Returns the tools, by name.
    pub fn tools(&self) -> impl Iterator<Item = &CommandTool> {
        self.tools.values().map(|tool| &**tool)
    }

    /// Returns the tool of this name.
    pub fn find(&self, name: &str) -> Option<Arc<CommandTool>> {
        self.tools.get(name).cloned()
    }

    fn free_name(&self, app: &App, commands: &Variants<'_>, taken: &BTreeSet<String>) -> String {
        let plain = format!("{}_{}", app_slug(app), slug(&commands.first.name));
        let digest = digest(app, commands.first);
        let is_free =
            |name: &String| name.len() <= LONGEST && !taken.contains(name) && !self.tools.contains_key(name);
        let marked = |digits: usize| {
            let room = LONGEST - digits - 1;
            format!("{}_{}", plain[..plain.len().min(room)].trim_end_matches('_'), &digest[..digits])
        };
        let names = std::iter::once(plain.clone()).chain((4..=LONGEST / 2).map(marked));
        names.into_iter().find(is_free).unwrap_or_else(|| digest[..LONGEST].to_owned())
    }
}

/// The definitions of one command: same name, same code.
struct Variants<'a> {
    first: &'a Command,
    all: Vec<&'a Command>,
}

/// Returns the commands that are meant for people and can be written in JavaScript for Automation.
fn callable<'a>(app: &App, dictionary: &'a Dictionary) -> impl Iterator<Item = Variants<'a>> + use<'a> {
    // Standard Additions need no app, so commands that every app understands do not apply to them.
    let is_app = app.is_program();
    let mut found: IndexMap<(String, &str), Variants<'_>> = IndexMap::new();
    for command in
        dictionary.commands.iter().filter(|command| !command.hidden && (is_app || !command.built_in))
    {
        if Identifier::of(&command.name).is_some() {
            found
                .entry((names::key(&command.name), &command.code))
                .or_insert_with(|| Variants { first: command, all: Vec::new() })
                .all
                .push(command);
        }
    }
    found.into_values()
}

fn tool(
    name: String,
    app: &App,
    dictionary: &Dictionary,
    commands: &Variants<'_>,
    rules: &[LevelRule],
) -> CommandTool {
    let command = schema::merged(&commands.all);
    // The app decides which definition runs, so the highest level counts.
    let each = commands.all.iter().map(|one| classify_command(&app.bundle_id, one, rules));
    let classified = each.fold(classify_command(&app.bundle_id, &command, rules), Classified::or_worse);
    CommandTool {
        name,
        title: format!("{}: {}", foreign::clean(&app.name, 40), foreign::clean(&command.name, 60)),
        description: description(app, &command, &classified),
        input_schema: schema::full(dictionary, &command),
        hints: hints(&command, &classified),
        app: app.bundle_id.clone(),
        term: command.name,
        code: command.code,
    }
}

fn description(app: &App, command: &Command, classified: &Classified) -> String {
    let term = foreign::clean(&command.name, 60);
    let app_name = foreign::clean(&app.name, 40);
    let refused = if classified.is_shell { "; refused unless the policy names it" } else { "" };
    let mut words = format!("Command `{term}` of {app_name}: it {}{refused}.", classified.reason);
    if let Some(result) = &command.result {
        words.push_str(&format!(" Answers {}.", foreign::clean(&result.kind.to_string(), 60)));
    }
    let said = foreign::said(command.description.as_deref(), DESCRIPTION);
    if said.is_empty() { words } else { format!("{words} {said}") }
}

fn hints(command: &Command, classified: &Classified) -> Hints {
    let read_only = classified.level == Level::Safe;
    Hints {
        read_only,
        destructive: classified.level == Level::Dangerous,
        idempotent: read_only,
        open_world: classified.is_shell || OPEN_WORLD.contains(&command.code.as_str()),
    }
}

fn app_slug(app: &App) -> String {
    let last = app.bundle_id.rsplit('.').next().unwrap_or_default();
    let found = [slug(&app.name), slug(last)].into_iter().find(|slug| !slug.is_empty());
    found.unwrap_or_else(|| "app".to_owned())
}

/// Lower-case letters and digits; any run of other characters becomes one `_`.
fn slug(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("_")
}

fn digest(app: &App, command: &Command) -> String {
    let bytes = Sha256::digest(format!("{}\0{}\0{}", app.bundle_id, command.code, command.name));
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
