//! `plugin.toml`: a plugin's description of itself, and the permissions that it wants.

mod offers;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::PluginId;
use crate::capability::{Capability, Grants, Level};
use crate::http::{HOST, Method, Secret, is_host, takes_secrets};
use crate::signature::Key;

pub use offers::{Argument, ArgumentKind, Prompt, ResourceFile};

/// The version of `iac:plugin` that this host implements.
pub const API: &str = "0.1";

/// The name of its file, which errors show too.
pub const MANIFEST: &str = "plugin.toml";

/// The most acts of a script. A person reads them all.
const ACTS: usize = 64;

/// A plugin's description of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Its name.
    pub id: PluginId,
    /// Its version, three numbers.
    pub version: String,
    /// Its licence, as an SPDX expression.
    pub licence: String,
    /// The version of `iac:plugin` it was built for.
    pub api: String,
    /// Its purpose, in one line.
    pub description: String,
    /// The address of more information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub homepage: Option<String>,
    /// The key that its author signs packages with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Key>,
    /// Whether the code checks its arguments itself, more leniently than its schemas.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lenient: bool,
    /// The settings that the operator can change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<Setting>,
    /// Secrets that the operator sets for web servers. `http` puts them into requests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<Secret>,
    /// The permissions that it wants, each with a reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wants: Vec<Want>,
    /// Scripts that it runs inside apps; they go into the package as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scripts: Vec<ScriptFile>,
    /// Its prompts, which a person can pick by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<Prompt>,
    /// Texts that a client can read; they go into the package as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<ResourceFile>,
}

/// One thing that an operator can set for a plugin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// Its name in `settings.get`: `[a-z0-9-_]`, at most 40 characters.
    pub key: String,
    /// Its purpose, in one line.
    pub title: String,
    /// The type of its value.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Its value if the operator sets none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Json>,
    /// Whether the plugin cannot be called until it is set.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
}

/// The type of a setting's value; the names are those of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A text.
    String,
    /// A whole number.
    Integer,
    Number,
    /// True or false.
    Boolean,
    /// A list of texts.
    List,
    /// Any JSON.
    Any,
}

impl Kind {
    /// Tells whether a value is of this kind.
    pub fn holds(self, value: &Json) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Integer => value.is_i64() || value.is_u64(),
            Self::Number => value.is_number(),
            Self::Boolean => value.is_boolean(),
            Self::List => value.as_array().is_some_and(|items| items.iter().all(Json::is_string)),
            Self::Any => true,
        }
    }

    pub fn words(self) -> &'static str {
        match self {
            Self::String => "a text",
            Self::Integer => "a whole number",
            Self::Number => "a number",
            Self::Boolean => "true or false",
            Self::List => "a list of texts",
            Self::Any => "any JSON",
        }
    }
}

impl Setting {
    fn check(&self) -> Result<(), ManifestError> {
        if !is_key(&self.key) {
            return Err(value("settings.key", &self.key, "1 to 40 of [a-z0-9-_]"));
        }
        line("settings.title", &self.title)?;
        match &self.default {
            Some(_) if self.required => {
                Err(value("settings.default", &self.key, "no default for a setting that is required"))
            }
            Some(default) if !self.kind.holds(default) => {
                Err(value("settings.default", &default.to_string(), self.kind.words()))
            }
            _ => Ok(()),
        }
    }
}

/// One script that a plugin runs inside apps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptFile {
    /// Its name in `app-scripts.run`: `[a-z0-9-]`, at most 40 characters.
    pub name: String,
    /// The file of its text, beside `plugin.toml`: an expression that is a function of one argument.
    pub file: String,
    /// How much harm it can do.
    pub level: Level,
    /// Its purpose, in one line; shown to the operator who grants it.
    pub reason: String,
    /// The apps it runs in; if none is named, all apps that `app-scripts` wants.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub apps: BTreeSet<String>,
    /// Its acts, each with a level of its own, which is at most the script's level. A call names its acts, and the
    /// permission gate decides about each separately.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub acts: BTreeMap<String, Level>,
    /// Booleans that the script finds in an object named `fixed`, so that one file can serve as several scripts with
    /// different levels. They become a part of the packed text, so no call can alter them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fixed: BTreeMap<String, bool>,
    /// The file of code that several scripts share: an expression that is a function without arguments. The script
    /// finds the result of that function under the name `shared`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared: Option<String>,
}

/// One capability that a plugin wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Want {
    pub capability: Capability,
    /// The purpose, in one line; shown to the operator who grants it.
    pub reason: String,
    /// The apps, by bundle id, for `apps`, `apps-change` and `app-scripts`; `*` is every app.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub apps: BTreeSet<String>,
    /// The highest level, for `apps-change`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// The web servers, for `http`.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub hosts: BTreeSet<String>,
    /// The methods of its requests, for `http`.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub methods: BTreeSet<Method>,
}

/// The reason why a `plugin.toml` is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ManifestError {
    #[error("{MANIFEST}: {0}")]
    Form(String),
    #[error("{MANIFEST}{}: `{field}` is {value}, expected {expected}", at(*line))]
    Value {
        field: &'static str,
        /// The value.
        value: String,
        expected: String,
        /// The line, if it could be found.
        line: Option<usize>,
    },
    #[error("{MANIFEST}: `{0}` occurs twice in `wants`, expected one entry with all its apps")]
    Twice(Capability),
}

impl Manifest {
    /// Reads a `plugin.toml`.
    ///
    /// # Errors
    /// The TOML is malformed, the version is not supported, or a permission is wanted in a form that cannot be
    /// granted.
    pub fn parse(text: &str) -> Result<Self, ManifestError> {
        let manifest: Self = toml::from_str(text).map_err(|error| ManifestError::Form(form(&error)))?;
        manifest.check().map_err(|error| error.placed(text))?;
        Ok(manifest)
    }

    /// Returns the grants for everything that it wants, except folders, which only an operator can name, and scripts,
    /// which only a package has.
    pub fn grants(&self) -> Grants {
        let mut grants = Grants::default();
        for want in &self.wants {
            let apps = want.apps.iter().map(|app| app.to_ascii_lowercase());
            match want.capability {
                Capability::Apps => grants.apps.extend(apps),
                Capability::AppsChange => {
                    let level = want.level.unwrap_or(Level::Modify);
                    grants.apps_change.extend(apps.map(|app| (app, level)));
                }
                Capability::Store => grants.store = true,
                Capability::Http => {
                    let all = |host: &String| (host.clone(), want.methods.clone());
                    grants.http.extend(want.hosts.iter().map(all));
                }
                Capability::AppScripts | Capability::LanguageServers | Capability::Files => {}
            }
        }
        grants
    }

    /// Returns the value of every setting: the operator's, otherwise the default.
    pub fn settings(&self, set: &Map<String, Json>) -> Map<String, Json> {
        let defaults = self.settings.iter().filter_map(|it| Some((it.key.clone(), it.default.clone()?)));
        let mut all: Map<String, Json> = defaults.collect();
        all.extend(set.clone());
        all
    }

    /// Returns the required settings that are missing. Without them the plugin cannot be called.
    pub fn unset(&self, set: &Map<String, Json>) -> Vec<String> {
        let missing = self.settings.iter().filter(|it| it.required && !set.contains_key(&it.key));
        missing.map(|it| it.key.clone()).collect()
    }

    /// Returns the files beside `plugin.toml` that go into the package.
    pub fn files(&self) -> impl Iterator<Item = &String> {
        let of_scripts = self.scripts.iter().flat_map(ScriptFile::files);
        of_scripts.chain(self.resources.iter().map(|resource| &resource.file))
    }

    /// Returns the capabilities that are wanted.
    pub fn capabilities(&self) -> BTreeSet<Capability> {
        self.wants.iter().map(|want| want.capability).collect()
    }

    fn check(&self) -> Result<(), ManifestError> {
        check_version(&self.version)?;
        if self.api != API {
            return Err(value("api", &self.api, API));
        }
        line("licence", &self.licence)?;
        line("description", &self.description)?;
        let mut keys = BTreeSet::new();
        for setting in &self.settings {
            setting.check()?;
            if !keys.insert(&setting.key) {
                return Err(value("settings.key", &setting.key, "each key once"));
            }
        }
        check_wants(&self.wants)?;
        self.check_secrets()?;
        self.check_offers()?;
        self.check_scripts()
    }

    fn check_secrets(&self) -> Result<(), ManifestError> {
        let hosts = || self.wants.iter().flat_map(|want| &want.hosts);
        let mut keys = BTreeSet::new();
        for Secret { key, title, host, header, prefix } in &self.secrets {
            if !is_key(key) || !keys.insert(key) {
                return Err(value("secrets.key", key, "1 to 40 of [a-z0-9-_], each key once"));
            }
            line("secrets.title", title)?;
            if !hosts().any(|wanted| wanted == host) {
                return Err(value("secrets.host", host, "a host that `http` wants"));
            }
            if !takes_secrets(header) {
                return Err(value(
                    "secrets.header",
                    header,
                    "a header in small letters, such as authorization",
                ));
            }
            if prefix.len() > 40 || !prefix.bytes().all(|byte| (0x20..=0x7e).contains(&byte)) {
                return Err(value("secrets.prefix", prefix, "at most 40 visible ASCII characters"));
            }
        }
        Ok(())
    }

    fn check_scripts(&self) -> Result<(), ManifestError> {
        let want = self.wants.iter().find(|want| want.capability == Capability::AppScripts);
        if want.is_some() == self.scripts.is_empty() {
            let expected = "scripts where `app-scripts` is wanted, and none elsewhere";
            return Err(value("scripts", &self.scripts.len().to_string(), expected));
        }
        let mut names = BTreeSet::new();
        for script in &self.scripts {
            script.check()?;
            if !names.insert(&script.name) {
                return Err(value("scripts.name", &script.name, "each name once"));
            }
            let foreign = script.apps.iter().find(|app| want.is_none_or(|want| !want.apps.contains(*app)));
            if let Some(app) = foreign {
                return Err(value("scripts.apps", app, "an app that `app-scripts` wants"));
            }
        }
        Ok(())
    }
}

impl ScriptFile {
    /// Returns the files that make up its text.
    pub fn files(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.file).chain(&self.shared)
    }

    fn check(&self) -> Result<(), ManifestError> {
        line("scripts.reason", &self.reason)?;
        let letters = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if !self.name.bytes().all(letters) || !(1..=40).contains(&self.name.len()) {
            return Err(value("scripts.name", &self.name, "1 to 40 of [a-z0-9-]"));
        }
        let word = |name: &&String| {
            let letters = name.bytes().all(|byte| byte.is_ascii_alphanumeric());
            !letters || !name.starts_with(|first: char| first.is_ascii_lowercase())
        };
        if let Some(name) = self.fixed.keys().find(word) {
            return Err(value("scripts.fixed", name, "names like mayDelete"));
        }
        self.check_acts()?;
        self.files().try_for_each(|file| below("scripts.file", file))
    }
}

impl ScriptFile {
    /// Checks the acts. Their names appear in questions to the user and in policy rules, so they are plain words.
    fn check_acts(&self) -> Result<(), ManifestError> {
        if self.acts.len() > ACTS {
            return Err(value("scripts.acts", &self.acts.len().to_string(), "at most 64 acts"));
        }
        for (name, level) in &self.acts {
            let words = name.split(' ').all(|word| !word.is_empty());
            let letters = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b' ');
            if !words || !letters || name.len() > 40 {
                return Err(value("scripts.acts", name, "1 to 40 of [a-z ], such as `delete project`"));
            }
            if *level > self.level {
                let expected = format!("at most {}, which the script is", self.level.name());
                return Err(value("scripts.acts", &format!("{name} = {}", level.name()), &expected));
            }
        }
        Ok(())
    }
}

impl Want {
    fn check(&self) -> Result<(), ManifestError> {
        line("reason", &self.reason)?;
        let of_apps =
            matches!(self.capability, Capability::Apps | Capability::AppsChange | Capability::AppScripts);
        if of_apps == self.apps.is_empty() {
            let expected = if of_apps { "at least one bundle id" } else { "no apps for this capability" };
            return Err(value("apps", &format!("{:?}", self.apps), expected));
        }
        if (self.capability == Capability::AppsChange) != self.level.is_some() {
            let level = self.level.map_or("missing", Level::name);
            return Err(value(
                "level",
                level,
                "one of safe, modify, dangerous for apps-change, and none for others",
            ));
        }
        self.check_hosts()?;
        match self.apps.iter().find(|app| !is_bundle_id(app)) {
            Some(app) => Err(value("apps", app, BUNDLE_ID)),
            None => Ok(()),
        }
    }
}

impl Want {
    fn check_hosts(&self) -> Result<(), ManifestError> {
        let is_http = self.capability == Capability::Http;
        let all = |names: Vec<&str>| format!("{names:?}");
        if is_http == self.hosts.is_empty() {
            let expected = if is_http { "at least one host" } else { "no hosts for this capability" };
            return Err(value("hosts", &all(self.hosts.iter().map(String::as_str).collect()), expected));
        }
        if is_http == self.methods.is_empty() {
            let expected = if is_http { "at least one method" } else { "no methods for this capability" };
            return Err(value("methods", &all(self.methods.iter().map(|it| it.name()).collect()), expected));
        }
        match self.hosts.iter().find(|host| !is_host(host)) {
            Some(host) => Err(value("hosts", host, HOST)),
            None => Ok(()),
        }
    }
}

/// Tells whether a string is a valid key of a setting or a secret.
fn is_key(key: &str) -> bool {
    let letters =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_');
    key.bytes().all(letters) && (1..=40).contains(&key.len())
}

const BUNDLE_ID: &str = "a bundle id such as com.apple.iCal, which `iac-mcp apps` lists, or *";

/// Tells whether a text can be the bundle id of an app; `*` stands for every app.
pub fn is_bundle_id(app: &str) -> bool {
    let letters = app.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
    // The name of an app, such as Calendar, could be granted but would never match a bundle id.
    app == "*" || (letters && app.contains('.') && (1..=200).contains(&app.len()))
}

/// Checks that a version consists of three numbers.
pub(crate) fn check_version(version: &str) -> Result<(), ManifestError> {
    let numbers = version.split('.').filter(|part| part.parse::<u32>().is_ok()).count();
    match numbers == 3 && version.split('.').count() == 3 {
        true => Ok(()),
        false => Err(value("version", version, "three numbers such as 0.1.0")),
    }
}

/// Checks that each capability is wanted once, and in a form that can be granted.
pub(crate) fn check_wants(wants: &[Want]) -> Result<(), ManifestError> {
    let mut seen = BTreeSet::new();
    for want in wants {
        want.check()?;
        if !seen.insert(want.capability) {
            return Err(ManifestError::Twice(want.capability));
        }
    }
    Ok(())
}

/// Checks a line that people read: it is not empty, and nothing in it moves or hides text.
pub(crate) fn line(field: &'static str, text: &str) -> Result<(), ManifestError> {
    let visible = crate::failure::clean(text, 300) == text && !text.contains('\n');
    if visible && !text.trim().is_empty() {
        return Ok(());
    }
    Err(value(field, &format!("{text:?}"), "one line of 1 to 300 visible characters"))
}

/// Checks that a path does not leave the folder of `plugin.toml`.
fn below(field: &'static str, file: &str) -> Result<(), ManifestError> {
    let stays = |part: &str| !part.is_empty() && part != "." && part != "..";
    match file.split('/').all(stays) {
        true => Ok(()),
        false => Err(value(field, file, "a file below the folder of plugin.toml")),
    }
}

fn value(field: &'static str, value: &str, expected: &str) -> ManifestError {
    ManifestError::Value { field, value: format!("`{value}`"), expected: expected.to_owned(), line: None }
}

impl ManifestError {
    /// Finds the line of a wrong value. It is known only if exactly one line gives this value to a key of this name.
    fn placed(self, text: &str) -> Self {
        let Self::Value { field, value, expected, .. } = self else { return self };
        let key = field.rsplit('.').next().unwrap_or(field);
        let is_meant = |line: &str| {
            let given =
                line.trim_start().strip_prefix(key).and_then(|rest| rest.trim_start().strip_prefix('='));
            given.is_some_and(|given| given.contains(value.trim_matches('`')))
        };
        let mut lines =
            text.lines().enumerate().filter(|(_, line)| is_meant(line)).map(|(index, _)| index + 1);
        let line = lines.next().filter(|_| lines.next().is_none());
        Self::Value { field, value, expected, line }
    }
}

fn at(line: Option<usize>) -> String {
    line.map(|line| format!(", line {line}")).unwrap_or_default()
}

/// Formats a TOML error. For a missing key at the top level the parser would show line 1, which is wrong, so no line
/// is given.
fn form(error: &toml::de::Error) -> String {
    let message = error.message();
    match message.starts_with("missing field") && error.span().is_none_or(|span| span.start == 0) {
        true => format!("{message}; put it above the first [[section]]"),
        false => error.to_string().trim_end().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str =
        "id = \"demo\"\nversion = \"0.1.0\"\nlicence = \"MIT\"\napi = \"0.1\"\ndescription = \"d\"\n";

    fn check(rest: &str, expected: &str) {
        let shown = match Manifest::parse(&format!("{HEAD}{rest}")) {
            Ok(manifest) => manifest.grants().lines().join(", "),
            Err(error) => error.to_string(),
        };
        assert!(shown.contains(expected) && (expected.is_empty() == shown.is_empty()), "{rest}\n{shown}");
    }

    fn want(body: &str) -> String {
        format!("[[wants]]\nreason = \"r\"\n{body}")
    }

    #[test]
    fn wants_are_what_can_be_granted() {
        check("", "");
        check(&want("capability = \"apps\"\napps = [\"com.apple.iCal\"]"), "apps com.apple.ical");
        check(
            &want("capability = \"apps-change\"\napps = [\"*\"]\nlevel = \"dangerous\""),
            "apps-change * dangerous",
        );
        check(&want("capability = \"store\""), "store");
        check(&want("capability = \"files\""), "");
        let http =
            "capability = \"http\"\nhosts = [\"b.example\", \"a.example\"]\nmethods = [\"POST\", \"GET\"]";
        check(&want(http), "http a.example GET POST, http b.example GET POST");
    }

    #[test]
    fn web_servers_are_named_one_by_one() {
        let http = |hosts: &str, methods: &str| {
            want(&format!("capability = \"http\"\nhosts = [{hosts}]\nmethods = [{methods}]"))
        };
        check(&http("", "\"GET\""), "expected at least one host");
        check(&http("\"a.example\"", ""), "expected at least one method");
        check(&http("\"a.example\"", "\"get\""), "unknown variant `get`");
        for host in
            ["*", "*.example", "localhost", "127.0.0.1", "A.example", "a.example:80", "https://a.example"]
        {
            check(&http(&format!("\"{host}\""), "\"GET\""), "expected a host such as api.example.com");
        }
        check(&want("capability = \"store\"\nhosts = [\"a.example\"]"), "no hosts for this capability");
        check(&want("capability = \"store\"\nmethods = [\"GET\"]"), "no methods for this capability");
    }

    #[test]
    fn a_secret_is_for_one_header_of_a_wanted_host() {
        let secret = |rest: &str| {
            let http = want("capability = \"http\"\nhosts = [\"a.example\"]\nmethods = [\"GET\"]");
            format!("{http}\n[[secrets]]\ntitle = \"t\"\n{rest}")
        };
        let own = "key = \"token\"\nhost = \"a.example\"\nheader = \"authorization\"\n";
        check(&secret(&format!("{own}prefix = \"Bearer \"")), "http a.example GET");
        check(&secret(&own.replace("a.example", "b.example")), "`secrets.host` is `b.example`");
        check(&secret(&own.replace("authorization", "cookie")), "`secrets.header` is `cookie`");
        check(&secret(&own.replace("authorization", "X-Key")), "`secrets.header` is `X-Key`");
        check(&secret(&own.replace("token", "a b")), "`secrets.key` is `a b`");
        check(&secret(&format!("{own}prefix = \"a\\nb\"")), "`secrets.prefix` is");
        check(&format!("{}\n[[secrets]]\ntitle = \"t\"\n{own}", secret(own)), "each key once");
    }

    #[test]
    fn what_cannot_be_granted_is_refused() {
        check(&want("capability = \"apps\""), "`apps` is `{}`, expected at least one bundle id");
        check(&want("capability = \"store\"\napps = [\"x\"]"), "expected no apps for this capability");
        check(&want("capability = \"apps-change\"\napps = [\"a.x\"]"), "`level` is `missing`");
        check(
            &want("capability = \"apps\"\napps = [\"../x\"]"),
            "plugin.toml, line 9: `apps` is `../x`, expected a bundle id such as com.apple.iCal",
        );
        check(&want("capability = \"network\""), "unknown variant `network`");
        check("[[wants]]\ncapability = \"store\"\nreason = \"\"", "`reason` is");
        check("[[wants]]\ncapability = \"store\"\nreason = \"a\u{202e}b\"", "`reason` is");
        check(
            &format!("{}\n{}", want("capability = \"store\""), want("capability = \"store\"")),
            "occurs twice",
        );
        check(&want("capability = \"app-scripts\"\napps = [\"a.x\"]"), "`scripts` is `0`");
        check(
            "[[scripts]]\nname = \"a\"\nfile = \"a.js\"\nlevel = \"safe\"\nreason = \"r\"",
            "`scripts` is `1`",
        );
        check("colour = 1", "unknown field `colour`");
        check("version = \"1\"", "duplicate key");
        check(
            &want("capability = \"apps\"\napps = [\"Calendar\"]"),
            "`apps` is `Calendar`, expected a bundle id",
        );
        check("[[wants]]\ncapability = \"store\"", "missing field `reason`");
        let error = Manifest::parse("id = \"demo\"\nversion = \"0.1.0\"").expect_err("more is needed");
        let expected = "plugin.toml: missing field `licence`; put it above the first [[section]]";
        assert_eq!(error.to_string(), expected);
    }

    fn check_script(body: &str, expected: &str) {
        let wants = want("capability = \"app-scripts\"\napps = [\"com.example.App\"]");
        check(&format!("{wants}\n[[scripts]]\nreason = \"r\"\n{body}"), expected);
    }

    #[test]
    fn acts_are_plain_words_no_worse_than_their_script() {
        let script = |level: &str, act: &str| {
            format!("name = \"a\"\nfile = \"a.js\"\nlevel = \"{level}\"\n[scripts.acts]\n{act}")
        };
        check_script(&script("dangerous", "\"delete project\" = \"dangerous\"\nedit = \"modify\""), "");
        check_script(
            &script("modify", "edit = \"dangerous\""),
            "expected at most modify, which the script is",
        );
        for name in ["Delete", "delete  project", " delete", "delete-project", "", "say \u{202e}"] {
            check_script(&script("safe", &format!("\"{name}\" = \"safe\"")), "expected 1 to 40 of [a-z ]");
        }
        let many: Vec<String> = (0..=ACTS).map(|at| format!("{} = \"safe\"", letters(at))).collect();
        check_script(&script("safe", &many.join("\n")), "expected at most 64 acts");
    }

    /// Makes a distinct word for each number.
    fn letters(number: usize) -> String {
        number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
    }

    #[test]
    fn scripts_are_files_beside_the_manifest() {
        check_script("name = \"read\"\nfile = \"scripts/read.js\"\nlevel = \"safe\"", "");
        check_script(
            "name = \"read\"\nfile = \"read.js\"\nlevel = \"SAFE\"\napps = [\"com.example.App\"]",
            "",
        );
        check_script("name = \"Read\"\nfile = \"read.js\"\nlevel = \"safe\"", "`scripts.name` is `Read`");
        check_script(
            "name = \"read\"\nfile = \"../read.js\"\nlevel = \"safe\"",
            "`scripts.file` is `../read.js`",
        );
        check_script(
            "name = \"read\"\nfile = \"/read.js\"\nlevel = \"safe\"",
            "`scripts.file` is `/read.js`",
        );
        check_script(
            "name = \"read\"\nfile = \"r.js\"\nlevel = \"safe\"\napps = [\"a\"]",
            "`scripts.apps` is `a`",
        );
        check_script("name = \"read\"\nfile = \"r.js\"\nlevel = \"high\"", "unknown variant `high`");
    }

    #[test]
    fn settings_are_declared_with_their_kind() {
        let setting = |rest: &str| format!("[[settings]]\nkey = \"mails\"\ntitle = \"how many\"\n{rest}");
        check(&setting("type = \"integer\"\ndefault = 3"), "");
        check(
            &setting("type = \"integer\"\ndefault = \"three\""),
            "plugin.toml, line 10: `settings.default` is `\"three\"`, expected a whole number",
        );
        check(&setting("type = \"integer\"\ndefault = 3\nrequired = true"), "expected no default");
        check(&setting("type = \"date\""), "unknown variant `date`");
        check(
            &format!("{}{}", setting("type = \"any\"\n"), setting("type = \"any\"")),
            "expected each key once",
        );
        check("[[settings]]\nkey = \"a b\"\ntitle = \"t\"\ntype = \"any\"", "1 to 40 of");
        let text = setting("type = \"list\"\ndefault = [\"a\"]")
            + "\n[[settings]]\nkey = \"b\"\ntitle = \"t\"\ntype = \"boolean\"\nrequired = true";
        let manifest = Manifest::parse(&format!("{HEAD}{text}")).expect("it is a manifest");
        let set = Map::from_iter([("b".to_owned(), Json::Bool(false))]);
        assert_eq!(Json::Object(manifest.settings(&set)).to_string(), r#"{"mails":["a"],"b":false}"#);
        assert_eq!((manifest.unset(&Map::new()), manifest.unset(&set)), (vec!["b".to_owned()], vec![]));
    }

    #[test]
    fn a_key_is_one_line_of_minisign() {
        check("key = \"RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3\"", "");
        check("key = \"RWQf6LRC\"", "not a public key of minisign: `RWQf6LRC`");
    }

    #[test]
    fn versions_are_three_numbers() {
        for (text, valid) in
            [("1.2.3", true), ("1.2", false), ("1.2.x", false), ("1.2.3.4", false), ("", false)]
        {
            let parsed = Manifest::parse(&HEAD.replace("0.1.0", text));
            assert_eq!(parsed.is_ok(), valid, "{text:?}");
        }
        assert!(Manifest::parse(&HEAD.replace("\"0.1\"", "\"0.2\"")).is_err());
    }
}
