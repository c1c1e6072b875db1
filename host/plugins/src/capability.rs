//! The permissions that a plugin can have, and those that an operator has granted.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::http::{Method, in_words};

/// Something that must be granted; each is one interface of `iac:plugin`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Capability {
    /// Reads objects of apps.
    Apps,
    /// Changes what apps hold.
    AppsChange,
    /// Runs scripts of the package inside apps.
    AppScripts,
    /// Asks language servers.
    LanguageServers,
    /// Reads text below folders.
    Files,
    /// Keeps small things between calls.
    Store,
    /// Asks web servers.
    Http,
}

impl Capability {
    /// Every capability.
    pub const ALL: [Self; 7] = [
        Self::Apps,
        Self::AppsChange,
        Self::AppScripts,
        Self::LanguageServers,
        Self::Files,
        Self::Store,
        Self::Http,
    ];

    /// Returns its name, which is that of its interface.
    pub fn name(self) -> &'static str {
        match self {
            Self::Apps => "apps",
            Self::AppsChange => "apps-change",
            Self::AppScripts => "app-scripts",
            Self::LanguageServers => "language-servers",
            Self::Files => "files",
            Self::Store => "store",
            Self::Http => "http",
        }
    }

    /// Describes what it lets a plugin do, for the operator who grants it.
    pub fn explain(self) -> &'static str {
        match self {
            Self::Apps => "read the data of these apps",
            Self::AppsChange => "change the data of these apps",
            Self::AppScripts => "run the package's own scripts inside these apps",
            Self::LanguageServers => {
                "start language servers below these folders, which runs code of the project (build scripts, macros, compiler \
                 plugins), and read its source text"
            }
            Self::Files => "read text below these folders",
            Self::Store => "keep up to 1 MiB between calls",
            Self::Http => "send what it knows to these web servers, and read their answers",
        }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The error for a name that is not a capability.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown capability `{0}`, expected apps, apps-change, app-scripts, language-servers, files, store or http"
)]
pub struct UnknownCapability(String);

impl FromStr for Capability {
    type Err = UnknownCapability;

    fn from_str(text: &str) -> Result<Self, UnknownCapability> {
        Self::ALL.into_iter().find(|it| it.name() == text).ok_or_else(|| UnknownCapability(text.to_owned()))
    }
}

/// How far a change may go; the names are those of the permission gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Changes nothing.
    #[serde(alias = "SAFE")]
    Safe,
    /// Its changes can be undone.
    #[serde(alias = "MODIFY")]
    Modify,
    /// Sends, deletes, quits or runs something.
    #[serde(alias = "DANGEROUS")]
    Dangerous,
}

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Modify => "modify",
            Self::Dangerous => "dangerous",
        }
    }
}

/// The permissions that an operator gave to one plugin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Grants {
    /// Apps that may be read, by bundle id in lower case; `*` is every app.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub apps: BTreeSet<String>,
    /// Apps that may be changed, and how far.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub apps_change: BTreeMap<String, Level>,
    /// Scripts of the package, by name. Each value is a hash of the text, level and apps that were granted.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub app_scripts: BTreeMap<String, String>,
    /// Roots whose language servers may be asked.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub language_servers: BTreeSet<String>,
    /// Roots that may be read.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub files: BTreeSet<String>,
    /// Whether the plugin may use its store.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub store: bool,
    /// Web servers that may be called, by host, each with its allowed methods.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub http: BTreeMap<String, BTreeSet<Method>>,
}

impl Grants {
    /// Tells whether anything was granted for a capability. The interface is linked only then.
    pub fn has(&self, capability: Capability) -> bool {
        match capability {
            Capability::Apps => !self.apps.is_empty(),
            Capability::AppsChange => !self.apps_change.is_empty(),
            Capability::AppScripts => !self.app_scripts.is_empty(),
            Capability::LanguageServers => !self.language_servers.is_empty(),
            Capability::Files => !self.files.is_empty(),
            Capability::Store => self.store,
            Capability::Http => !self.http.is_empty(),
        }
    }

    /// Tells whether an app may be read.
    pub fn may_read(&self, bundle_id: &str) -> bool {
        self.apps.contains("*") || self.apps.contains(&bundle_id.to_ascii_lowercase())
    }

    /// Returns how far an app may be changed.
    pub fn may_change(&self, bundle_id: &str) -> Option<Level> {
        let named = self.apps_change.get(&bundle_id.to_ascii_lowercase());
        named.or_else(|| self.apps_change.get("*")).copied()
    }

    /// Tells whether a request with this method may be sent to a host.
    pub fn may_send(&self, host: &str, method: Method) -> bool {
        self.http.get(host).is_some_and(|methods| methods.contains(&method))
    }

    /// Returns the grants of `other` that are missing here; empty if none is missing.
    pub fn lacks(&self, other: &Self) -> Self {
        let level = |app: &String| self.may_change(app);
        Self {
            apps: other.apps.iter().filter(|app| !self.may_read(app)).cloned().collect(),
            apps_change: other
                .apps_change
                .iter()
                .filter(|(app, wanted)| level(app).is_none_or(|given| given < **wanted))
                .map(|(app, wanted)| (app.clone(), *wanted))
                .collect(),
            app_scripts: other
                .app_scripts
                .iter()
                .filter(|(name, pin)| self.app_scripts.get(*name) != Some(*pin))
                .map(|(name, pin)| (name.clone(), pin.clone()))
                .collect(),
            language_servers: other.language_servers.difference(&self.language_servers).cloned().collect(),
            files: other.files.difference(&self.files).cloned().collect(),
            store: other.store && !self.store,
            http: without(&other.http, &self.http),
        }
    }

    /// Adds the grants of `other`; if both have a level for an app, the higher one stays.
    pub fn add(&mut self, other: Self) {
        self.apps.extend(other.apps);
        for (app, level) in other.apps_change {
            let held = self.apps_change.entry(app).or_insert(level);
            *held = level.max(*held);
        }
        self.app_scripts.extend(other.app_scripts);
        self.language_servers.extend(other.language_servers);
        self.files.extend(other.files);
        self.store |= other.store;
        for (host, methods) in other.http {
            self.http.entry(host).or_default().extend(methods);
        }
    }

    /// Returns the grants of one capability, as arguments of `plugin grant`.
    pub(crate) fn arguments(&self, capability: Capability) -> Vec<String> {
        let name = capability.name();
        match capability {
            Capability::Apps => self.apps.iter().map(|app| format!("{name} {app}")).collect(),
            Capability::AppsChange => {
                let of = |(app, level): (&String, &Level)| format!("{name} {app} --level {}", level.name());
                self.apps_change.iter().map(of).collect()
            }
            Capability::AppScripts => {
                self.app_scripts.keys().map(|script| format!("{name} {script}")).collect()
            }
            Capability::LanguageServers | Capability::Files => vec![format!("{name} DIR")],
            Capability::Store => vec![name.to_owned()],
            Capability::Http => {
                let options = |methods: &BTreeSet<Method>| -> String {
                    methods.iter().map(|method| format!(" --method {}", method.name())).collect()
                };
                self.http.iter().map(|(host, methods)| format!("{name} {host}{}", options(methods))).collect()
            }
        }
    }

    /// Removes the grants of `other`. It removes an app from `apps_change` at whatever level.
    pub fn take(&mut self, other: &Self) {
        self.apps.retain(|app| !other.apps.contains(app));
        self.apps_change.retain(|app, _| !other.apps_change.contains_key(app));
        self.app_scripts.retain(|name, _| !other.app_scripts.contains_key(name));
        self.files.retain(|root| !other.files.contains(root));
        self.language_servers.retain(|root| !other.language_servers.contains(root));
        self.store &= !other.store;
        self.http = without(&self.http, &other.http);
    }

    /// Returns the grants that remain after an update: these, without the ones that only the old version wanted.
    /// Grants beyond what the package wanted stay. So do narrower grants, such as one app where the package wanted
    /// all.
    #[must_use]
    pub fn after(&self, before: &Self, wanted: &Self) -> Self {
        let mut given = wanted.clone();
        given.take(&self.lacks(wanted));
        let mut left = self.clone();
        left.take(&wanted.lacks(before));
        left.add(given);
        left
    }

    /// Returns one line for each grant.
    pub fn lines(&self) -> Vec<String> {
        let apps = self.apps.iter().map(|app| format!("apps {app}"));
        let changes =
            self.apps_change.iter().map(|(app, level)| format!("apps-change {app} {}", level.name()));
        let pinned = |(name, pin): (&String, &String)| format!("app-scripts {name} {pin:.12}");
        let scripts = self.app_scripts.iter().map(pinned);
        let servers = self.language_servers.iter().map(|root| format!("language-servers {root}"));
        let files = self.files.iter().map(|root| format!("files {root}"));
        let store = self.store.then(|| "store".to_owned());
        let hosts = self.http.iter().map(|(host, methods)| format!("http {host} {}", in_words(methods)));
        apps.chain(changes).chain(scripts).chain(servers).chain(files).chain(store).chain(hosts).collect()
    }
}

/// The methods of each host that are not among those of the same host in `other`.
fn without(
    hosts: &BTreeMap<String, BTreeSet<Method>>,
    other: &BTreeMap<String, BTreeSet<Method>>,
) -> BTreeMap<String, BTreeSet<Method>> {
    let left = |(host, methods): (&String, &BTreeSet<Method>)| {
        let left = match other.get(host) {
            Some(taken) => methods.difference(taken).copied().collect(),
            None => methods.clone(),
        };
        (!left.is_empty()).then(|| (host.clone(), left))
    };
    hosts.iter().filter_map(left).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grants(text: &str) -> Grants {
        serde_json::from_str(text).expect("the test's own grants")
    }

    fn check(held: &str, wanted: &str, lacking: &[&str]) {
        assert_eq!(grants(held).lacks(&grants(wanted)).lines(), lacking, "{held} against {wanted}");
    }

    #[test]
    fn what_is_lacking_is_what_was_not_given() {
        check(r#"{"apps":["a.b"]}"#, r#"{"apps":["a.b"]}"#, &[]);
        check("{}", r#"{"apps":["a.b"],"store":true}"#, &["apps a.b", "store"]);
        check(r#"{"apps":["*"]}"#, r#"{"apps":["a.b"]}"#, &[]);
        check(r#"{"apps":["a.b"]}"#, r#"{"apps":["*"]}"#, &["apps *"]);
        check(r#"{"apps_change":{"a.b":"modify"}}"#, r#"{"apps_change":{"a.b":"safe"}}"#, &[]);
        check(
            r#"{"apps_change":{"a.b":"modify"}}"#,
            r#"{"apps_change":{"a.b":"dangerous"}}"#,
            &["apps-change a.b dangerous"],
        );
        check(r#"{"app_scripts":{"a":"1"}}"#, r#"{"app_scripts":{"a":"1"}}"#, &[]);
        check(r#"{"app_scripts":{"a":"1"}}"#, r#"{"app_scripts":{"a":"2"}}"#, &["app-scripts a 2"]);
        check(r#"{"files":["/a"]}"#, r#"{"files":["/a","/a/b"]}"#, &["files /a/b"]);
        let http = |hosts: &str| format!(r#"{{"http":{{{hosts}}}}}"#);
        let (get, both) = (http(r#""a.b":["GET"]"#), http(r#""a.b":["GET","POST"]"#));
        check(&both, &get, &[]);
        check(&get, &both, &["http a.b POST"]);
        check(&get, &http(r#""b.a.b":["GET"]"#), &["http b.a.b GET"]);
    }

    #[test]
    fn what_was_added_is_not_lacking() {
        let wanted = r#"{"apps":["a"],"apps_change":{"a":"modify"},"files":["/x"],"store":true}"#;
        let mut held = grants(r#"{"apps_change":{"a":"safe"}}"#);
        held.add(grants(wanted));
        assert_eq!(held.lacks(&grants(wanted)), Grants::default());
    }

    #[test]
    fn an_update_keeps_what_is_still_wanted() {
        let check = |held: &str, before: &str, wanted: &str, left: &[&str]| {
            let after = grants(held).after(&grants(before), &grants(wanted));
            assert_eq!(after.lines(), left, "{held}, {before}, {wanted}");
        };
        let (one, two) = (r#"{"apps":["a"]}"#, r#"{"apps":["a","b"]}"#);
        check(two, two, one, &["apps a"]);
        check(one, one, two, &["apps a"]);
        check(two, one, one, &["apps a", "apps b"]);
        check(r#"{"store":true}"#, r#"{"store":true}"#, "{}", &[]);
        check(r#"{"apps":["*"]}"#, r#"{"apps":["*"]}"#, one, &["apps a"]);
        check("{}", r#"{"apps":["*"]}"#, one, &[]);
        let (safe, modify) = (r#"{"apps_change":{"a":"safe"}}"#, r#"{"apps_change":{"a":"modify"}}"#);
        check(modify, modify, safe, &["apps-change a safe"]);
        check(safe, safe, modify, &["apps-change a safe"]);
        check(safe, modify, modify, &["apps-change a safe"]);
        check(
            r#"{"app_scripts":{"a":"1"}}"#,
            r#"{"app_scripts":{"a":"1"}}"#,
            r#"{"app_scripts":{"a":"2"}}"#,
            &[],
        );
        let (get, both) = (r#"{"http":{"a.b":["GET"]}}"#, r#"{"http":{"a.b":["GET","POST"]}}"#);
        check(both, both, get, &["http a.b GET"]);
        check(get, get, both, &["http a.b GET"]);
        check(both, both, r#"{"http":{"c.d":["GET"]}}"#, &[]);
        check(both, get, get, &["http a.b GET POST"]);
    }

    #[test]
    fn an_app_is_named_in_any_case() {
        let held = grants(r#"{"apps":["com.apple.ical"],"apps_change":{"com.apple.ical":"modify"}}"#);
        assert!(held.may_read("com.apple.iCal"));
        assert_eq!(held.may_change("com.apple.iCal"), Some(Level::Modify));
        assert_eq!((held.may_read("com.apple.mail"), held.may_change("com.apple.mail")), (false, None));
    }
}
