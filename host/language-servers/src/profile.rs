//! The known facts about each language server, as data.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Map, Value as Json};

use crate::types::{Abilities, Naming, Search};

/// A kind of language server.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Profile {
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// How a person installs it.
    #[serde(default)]
    pub install: Option<String>,
    /// Languages by file name extension.
    pub files: BTreeMap<String, String>,
    /// Folders of the root to search for its program first.
    #[serde(default)]
    pub local: Vec<String>,
    /// The package of its program, if a version matters.
    #[serde(default)]
    pub package: Option<Package>,
    /// Names of other files whose changes the host reports to it.
    #[serde(default)]
    pub watched: Vec<String>,
    /// Files that mark the root as a project. One of them is enough.
    #[serde(default)]
    pub project: Vec<String>,
    #[serde(default)]
    pub without_project: WithoutProject,
    /// Which settings file of the project tells the server what to read.
    #[serde(default)]
    pub scope: Option<String>,
    /// How it reports that it has loaded the project.
    #[serde(default)]
    pub ready: Ready,
    /// Prefixes of the names of work that does not affect answers.
    #[serde(default)]
    pub ignored_progress: Vec<String>,
    /// The work that means that it could not read the project. This work never ends.
    #[serde(default)]
    pub failed_progress: Option<FailedProgress>,
    /// Whether one file must stay open.
    #[serde(default)]
    pub anchor: bool,
    /// Whether it outlines files that are not open.
    #[serde(default)]
    pub unopened: bool,
    /// Whether it notices a changed file only when that file is opened again.
    #[serde(default)]
    pub reopens: bool,
    /// Extensions of files that others include. When one of them changes, the server does not parse an open file
    /// again.
    #[serde(default)]
    pub included: Vec<String>,
    /// The option on its command line that takes compiler flags, for files that the project gives no flags.
    #[serde(default)]
    pub flags: Option<String>,
    /// Whether an answer that leaves out declarations also leaves out imports.
    #[serde(default)]
    pub imports_are_declarations: bool,
    /// How to find the symbols that its outlines leave out.
    #[serde(default)]
    pub supplement: Option<Supplement>,
    /// The language in which the host searches the text for names that the server knows but its outlines leave out.
    #[serde(default)]
    pub marks: Option<Dialect>,
    /// Capabilities that it announces but does not have.
    #[serde(default)]
    pub denied: Vec<String>,
    /// How to tokenize a text, to find uses of a name that the server's search leaves out.
    #[serde(default)]
    pub words: Option<Words>,
    /// What it means when a list of completions is marked incomplete.
    #[serde(default)]
    pub incomplete: Incomplete,
    /// How its symbol names are to be read.
    #[serde(default)]
    pub naming: Naming,
    /// What its search for symbols finds.
    #[serde(default)]
    pub search: Search,
    /// The questions that it is known to answer.
    #[serde(default)]
    pub abilities: Abilities,
    /// Its initialization options.
    #[serde(default)]
    pub options: Json,
    /// The answers to its `workspace/configuration` requests, by section.
    #[serde(default)]
    pub settings: Map<String, Json>,
    /// Whether the host sends the settings instead of waiting to be asked. A server that waits for its settings would
    /// miss texts that are opened meanwhile.
    #[serde(default)]
    pub told_settings: bool,
    /// Additional environment variables.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// How long it may take to start, in milliseconds.
    #[serde(default = "start_ms")]
    pub start_ms: u64,
}

/// Work that is announced with `$/progress` and means a failure.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailedProgress {
    /// The prefix of its title.
    pub title: String,
    /// What a person can do about it.
    pub hint: String,
}

/// A package and the version that is needed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Package {
    /// The name in its `package.json`.
    pub name: String,
    /// The lowest accepted major version.
    pub at_least: u64,
}

/// The parser that adds the declarations that a server's outlines leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Supplement {
    /// Classes, functions, and values of modules and classes.
    Python,
    /// Macros of C.
    Macros,
}

/// What it means when a list of completions is marked incomplete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Incomplete {
    /// Whether it marks every list as incomplete, only to be asked again while the user types.
    pub always: bool,
    /// The length at which it truncates lists.
    pub cap: Option<u32>,
}

impl Incomplete {
    /// Tells whether a list of this length was truncated. `said` is whether the server marked it as incomplete.
    pub(crate) fn is_cut(self, length: usize, said: bool) -> bool {
        (said && !self.always) || self.cap.is_some_and(|cap| length >= cap as usize)
    }
}

/// The language in which a text is searched for names that a server knows but leaves out of its outlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dialect {
    /// C and C++.
    C,
    Rust,
    /// TypeScript and JavaScript.
    Script,
}

/// How to tell the words of a text from its comments and strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Words {
    Python,
    /// C and C++.
    C,
    Rust,
    /// TypeScript, JavaScript, Go, Java and PHP.
    Script,
}

/// The behaviour of a server in a root that is not a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WithoutProject {
    #[default]
    Same,
    /// It knows only open files.
    OpenOnly,
}

/// How a server reports that it has loaded the project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(tag = "by", deny_unknown_fields, rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Ready {
    /// It is ready as soon as it has started.
    Start,
    /// It sends `experimental/serverStatus`, after work with one of these names has ended.
    Status {
        /// Prefixes of tokens or titles.
        after: Vec<String>,
    },
    /// Work with one of these names has ended, or none has begun within `grace_ms`.
    Progress {
        /// Prefixes of tokens or titles.
        after: Vec<String>,
        /// Milliseconds within which the work would have begun.
        grace_ms: u64,
    },
    /// It has logged this text, and no work is running.
    Log {
        /// A part of the log line.
        text: String,
    },
    /// It has outlined an open file, and no work is running.
    Anchor,
    /// Its search finds a name from a file that is not open.
    Canary,
    /// It does not report it. Two equal answers in a row count as ready.
    #[default]
    Unknown,
}

/// A profile that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("profile `{name}`: {fault}")]
pub struct InvalidProfile {
    name: String,
    fault: String,
}

impl InvalidProfile {
    /// Makes the error for the name of an unknown profile.
    pub(crate) fn unknown(name: &str, known: &[Profile]) -> Self {
        let known: Vec<&str> = known.iter().map(|profile| profile.name.as_str()).collect();
        let fault = format!("there is none of that name, expected one of {}", known.join(", "));
        Self { name: name.to_owned(), fault }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Known {
    profile: Vec<Profile>,
    without_server: BTreeMap<String, String>,
}

impl Known {
    fn read() -> Self {
        toml::from_str(include_str!("profiles.toml")).expect("the file is tested")
    }
}

/// Returns the profiles that come with the program.
pub fn known() -> Vec<Profile> {
    Known::read().profile
}

/// Returns the languages that no profile covers, by file name extension.
pub(crate) fn without_server() -> BTreeMap<String, String> {
    Known::read().without_server
}

fn start_ms() -> u64 {
    30_000
}

impl Profile {
    /// Checks what the types cannot express.
    ///
    /// # Errors
    /// It has no name, no command or no files.
    pub(crate) fn check(&self) -> Result<(), InvalidProfile> {
        let fault = if self.name.is_empty() {
            "has no name"
        } else if self.command.first().is_none_or(String::is_empty) {
            "has no command, expected a program and its arguments"
        } else if self.files.is_empty() {
            "has no files, expected languages by file name extension"
        } else {
            return Ok(());
        };
        Err(InvalidProfile { name: self.name.clone(), fault: fault.to_owned() })
    }

    /// Returns its languages, sorted.
    pub(crate) fn languages(&self) -> Vec<String> {
        self.files.values().collect::<BTreeSet<_>>().into_iter().cloned().collect()
    }

    pub(crate) fn speaks(&self, language: &str) -> bool {
        self.files.values().any(|spoken| spoken == language)
    }

    /// Tells whether the host reports changes of a file to the server.
    pub(crate) fn watches(&self, path: &str, extension: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.files.contains_key(extension) || self.watched.iter().any(|watched| watched == name)
    }

    /// Returns the settings of one section. The section's name is a path with dots.
    pub(crate) fn section(&self, section: Option<&str>) -> Json {
        let whole = Json::Object(self.settings.clone());
        let Some(section) = section.filter(|section| !section.is_empty()) else { return whole };
        let mut at = &whole;
        for part in section.split('.') {
            match at.get(part) {
                Some(found) => at = found,
                None => return Json::Null,
            }
        }
        at.clone()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn known_profiles_are_whole() {
        let known = known();
        let names: Vec<&str> = known.iter().map(|profile| profile.name.as_str()).collect();
        assert_eq!(names.len(), names.iter().collect::<BTreeSet<_>>().len());
        for profile in &known {
            profile.check().unwrap();
            assert!(profile.install.is_some(), "{}", profile.name);
        }
    }

    #[test]
    fn no_language_has_a_server_and_none() {
        let known = known();
        for extension in without_server().keys() {
            assert!(known.iter().all(|profile| !profile.files.contains_key(extension)), "{extension}");
        }
    }

    /// A server that fetches the types of a project's imports would reveal the project's dependencies to a registry.
    #[test]
    fn no_profile_lets_its_server_fetch_types() {
        let known = known();
        let named = |name: &str| known.iter().find(|profile| profile.name == name).unwrap();
        for section in ["js/ts", "typescript", "javascript"] {
            let asked = named("tsc").section(Some(section));
            assert_eq!(asked["automaticTypeAcquisition"]["enabled"], json!(false), "{section}");
        }
        let wrapped = &named("typescript-language-server").options;
        assert_eq!(wrapped["disableAutomaticTypingAcquisition"], json!(true));
    }

    #[test]
    fn sections_of_settings() {
        let known = known();
        let pyright = known.iter().find(|profile| profile.name == "pyright").unwrap();
        assert_eq!(pyright.section(Some("python.analysis.autoSearchPaths")), json!(true));
        assert_eq!(pyright.section(Some("python.venvPath")), Json::Null);
        assert_eq!(pyright.section(None), pyright.section(Some("")));
    }

    #[test]
    fn lists_of_completions_are_cut_where_they_are_long() {
        let known = known();
        let is_cut = |name: &str, length| {
            known.iter().find(|profile| profile.name == name).unwrap().incomplete.is_cut(length, true)
        };
        assert!(is_cut("gopls", 3));
        assert!(!is_cut("ty", 999) && is_cut("ty", 1_000));
        assert!(!is_cut("pyright", 3_000) && !is_cut("basedpyright", 3_000));
        assert!(!Incomplete::default().is_cut(3_000, false));
    }

    fn check(profile: Json, expected: &str) {
        let said = serde_json::from_value::<Profile>(profile).map_err(|error| error.to_string());
        let said = said.and_then(|profile| profile.check().map_err(|error| error.to_string()));
        assert_eq!(said.err().unwrap_or_default(), expected);
    }

    #[test]
    fn profiles_of_an_operator() {
        check(json!({"name": "kt", "command": ["kotlin-lsp"], "files": {"kt": "kotlin"}}), "");
        let ready = json!({"by": "progress", "after": ["Importing"], "grace-ms": 10});
        check(json!({"name": "kt", "command": ["k"], "files": {"kt": "kotlin"}, "ready": ready}), "");
        check(json!({"name": "", "command": ["k"], "files": {"kt": "kotlin"}}), "profile ``: has no name");
        let empty = "profile `kt`: has no command, expected a program and its arguments";
        check(json!({"name": "kt", "command": [], "files": {"kt": "kotlin"}}), empty);
        let none = "profile `kt`: has no files, expected languages by file name extension";
        check(json!({"name": "kt", "command": ["k"], "files": {}}), none);
    }
}
