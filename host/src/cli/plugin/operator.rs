//! Installs plugins and grants permissions.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use iac_core::dictionary::names;
use iac_core::fault::Code;
use iac_core::permission::Grant as Approval;
use iac_state::{State, shell_word};
use serde_json::{Map, Value as Json, json};

use super::change;
use super::found::Found;
use super::index;
use super::place::Place;
use super::secret;
use super::shipped;
use super::trust;
use crate::cli::Failure;
use crate::cli::ask::agree;
use crate::cli::options::{Common, Mac};
use crate::cli::package::{add_folders, check_folders, folder, installed, lacking, settings, verify, wants};
use crate::cli::paint;
use crate::cli::policy;
use crate::plugins::engine::PluginId;
use crate::plugins::engine::capability::{Capability, Grants, Level};
use crate::plugins::engine::http::{HOST, Method, is_host};
use crate::plugins::engine::installed::{InstallError, Installed, Receipt};
use crate::plugins::engine::limits::{Limits, OutOfBounds, Overrides};
use crate::plugins::engine::manifest::is_bundle_id;
use crate::plugins::engine::package::{self, Package};
use crate::plugins::engine::signature::Key;

#[derive(Debug, Args)]
pub(in crate::cli) struct Add {
    /// The path of a package, its address (https://…#sha256:DIGEST or oci://HOST/NAME@sha256:DIGEST), the id of a
    /// bundled plugin, such as `code-query`, or with --index the id of a plugin in an index.
    #[arg(value_name = "FILE|ADDRESS|ID")]
    file: PathBuf,
    #[command(flatten)]
    named: index::Named,
    /// A file with USER:PASSWORD for a registry.
    #[arg(long, value_name = "FILE")]
    login: Option<PathBuf>,
    /// Grants all permissions that it needs without asking.
    #[arg(long)]
    yes: bool,
    /// A folder to grant, for reading or for language servers; `--root` means the same here.
    #[arg(long, value_name = "DIR")]
    folder: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Update {
    /// The package, its address with the digest, the id of a plugin that came from a registry, or the id of a plugin
    /// that comes with this program or, with --index, is in an index.
    #[arg(value_name = "FILE|ADDRESS|ID")]
    file: PathBuf,
    #[command(flatten)]
    named: index::Named,
    /// A file with USER:PASSWORD for a registry.
    #[arg(long, value_name = "FILE")]
    login: Option<PathBuf>,
    /// Agrees to everything that would be asked, such as new permissions.
    #[arg(long)]
    yes: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Grant {
    #[command(flatten)]
    what: Reach,
    /// The highest level, for apps-change.
    #[arg(long, value_name = "LEVEL", default_value = "modify", value_parser = ["safe", "modify", "dangerous"])]
    level: String,
    /// The methods to grant for http: GET, HEAD, POST, PUT, PATCH or DELETE. You can repeat this option.
    #[arg(long, value_name = "METHOD", default_values = ["GET", "HEAD"])]
    method: Vec<Method>,
    /// Grants without asking, even permissions that the plugin does not want.
    #[arg(long)]
    yes: bool,
}

/// Something that a plugin may reach.
#[derive(Debug, Args)]
pub(in crate::cli) struct Reach {
    /// The id of the plugin.
    id: String,
    /// The capability: apps, apps-change, app-scripts, language-servers, files, store or http.
    capability: String,
    /// The bundle id of an app, the name of a script, a folder, or a web server such as api.example.com.
    target: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Set {
    /// The id of the plugin.
    id: String,
    /// The name of the setting, from the plugin's documentation.
    key: String,
    /// The value as JSON or as text. Without a value, the setting is reset.
    value: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Limit {
    /// The id of the plugin.
    id: String,
    /// Milliseconds of computing per call. Without an option, all limits return to the standard.
    #[arg(long, value_name = "MS")]
    compute_ms: Option<u64>,
    /// Milliseconds from a call's start to its answer.
    #[arg(long, value_name = "MS")]
    wall_ms: Option<u64>,
    /// MiB of memory.
    #[arg(long, value_name = "MIB")]
    memory_mib: Option<u64>,
}

/// An installed plugin.
struct Held<'a> {
    installed: &'a Installed,
    id: PluginId,
    receipt: Receipt,
}

impl<'a> Held<'a> {
    fn find(installed: &'a Installed, id: &str) -> Result<Self, InstallError> {
        let mut all = installed.list()?;
        let (id, receipt) = all.remove_entry(id).ok_or_else(|| InstallError::unknown(id, &all))?;
        Ok(Self { installed, id, receipt })
    }

    fn package(&self) -> Result<Package, Failure> {
        Ok(package::read(&self.installed.bytes(&self.id, &self.receipt)?)?)
    }

    /// Describes whether it can be called, or why not.
    fn state(&self) -> String {
        if let Some(reason) = &self.receipt.quarantined {
            return format!("quarantined: {reason}; `iac-mcp plugin release {}` ends it", self.id);
        }
        if self.receipt.disabled {
            return "disabled".to_owned();
        }
        match self.package().map(|package| package.lacks(&self.receipt.grants)) {
            Ok(lacks) if lacks.is_empty() => "ok".to_owned(),
            Ok(lacks) => format!("lacks {}", lacks.join(", ")),
            Err(error) => error.to_string(),
        }
    }

    /// Lists its grants, one on each line. Apps are spelled as in its package, because grants store them in lower
    /// case.
    fn has(&self) -> String {
        let wants = self.package().map(|package| package.manifest.wants).unwrap_or_default();
        let apps: Vec<&String> = wants.iter().flat_map(|want| &want.apps).collect();
        let spelled = |word: &str| {
            let app = apps.iter().find(|app| app.eq_ignore_ascii_case(word));
            app.map_or_else(|| word.to_owned(), |app| app.to_string())
        };
        let line = |line: String| line.split(' ').map(spelled).collect::<Vec<_>>().join(" ");
        self.receipt.grants.lines().into_iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// Whether its package wants the grants. The operator may name any folder.
    fn wants(&self, grants: &Grants) -> Result<bool, Failure> {
        let package = self.package()?;
        let of_folders = [Capability::Files, Capability::LanguageServers];
        let mut folders = of_folders.into_iter().filter(|capability| grants.has(*capability));
        let mut wanted = package.grants();
        wanted.files.clone_from(&grants.files);
        wanted.language_servers.clone_from(&grants.language_servers);
        let are_imported = folders.all(|capability| package.imports.contains(&capability));
        Ok(are_imported && wanted.lacks(grants) == Grants::default())
    }

    /// Checks a setting against what the plugin declares.
    fn fits(&self, key: &str, value: &Json) -> Result<(), Failure> {
        let (id, settings) = (&self.id, self.package()?.manifest.settings);
        let known: Vec<String> = settings.iter().map(|it| format!("{} ({})", it.key, it.title)).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        match settings.iter().find(|it| it.key == key) {
            None => Err(Failure::Misuse(format!("{id} has no setting `{key}`\nits settings are: {known}"))),
            Some(it) if it.kind.holds(value) => Ok(()),
            Some(it) => Err(Failure::Misuse(format!("`{key}` is {value}, expected {}", it.kind.words()))),
        }
    }

    /// Answers an update to the package that is installed. If the stored file is damaged, it is written again; the
    /// grants, settings and data stay.
    fn keep(&self, found: &Found, package: &Package, common: &Common) -> Result<(), Failure> {
        let (id, version) = (&self.id, &self.receipt.version);
        let is_damaged = self.installed.bytes(id, &self.receipt).is_err();
        let said = if is_damaged {
            self.installed.update(&found.bytes, package, self.receipt.clone())?;
            format!("{id} {version} was damaged and is installed again; its permissions and data stay")
        } else {
            format!("{id} {version} is up to date; nothing changed")
        };
        let body = json!({ "id": id, "version": version, "changed": false, "repaired": is_damaged });
        Ok(paint::done(&said, &body, common.json)?)
    }

    /// Returns the pin of one of its scripts.
    fn pin(&self, name: &str) -> Result<String, Failure> {
        let script = self.package()?.scripts.into_iter().find(|script| script.name == name);
        let missing = || Failure::Failed(format!("plugin `{}` has no script `{name}`", self.id));
        Ok(script.ok_or_else(missing)?.pin())
    }
}

/// The advice if the key is not the one that the author had before.
const COMPARE: &str = "compare the new key with what the author publishes";

/// The most bytes of a setting, as the interface promises.
const LARGEST_SETTING: usize = 64 * 1024;

impl Set {
    pub(super) fn run(self, common: &Common) -> Result<(), Failure> {
        let Self { id, key, value } = self;
        let value = value.map(|text| serde_json::from_str(&text).unwrap_or(Json::String(text)));
        let bytes = value.as_ref().map_or(0, |value: &Json| value.to_string().len());
        if bytes > LARGEST_SETTING {
            let message = format!("the value has {bytes} bytes, expected at most {LARGEST_SETTING}");
            return Err(Failure::Misuse(message));
        }
        let installed = installed(common)?;
        if let Some(value) = &value {
            Held::find(&installed, &id)?.fits(&key, value)?;
        }
        let said = match &value {
            Some(value) => format!("{id}: {key} is {value}"),
            None => format!("{id}: {key} was reset"),
        };
        installed.edit(&id, |receipt| match value {
            Some(value) => drop(receipt.settings.insert(key.clone(), value)),
            None => drop(receipt.settings.shift_remove(&key)),
        })?;
        Ok(paint::done(&said, &json!({ "id": id, "setting": key }), common.json)?)
    }
}

impl Limit {
    pub(super) fn run(self, common: &Common) -> Result<(), Failure> {
        let Self { id, compute_ms, wall_ms, memory_mib } = self;
        let asked = Overrides { compute_ms, wall_ms, memory_mib };
        // Limits are named as in a receipt; here they are named as options.
        let as_option =
            |wrong: OutOfBounds| misuse(wrong.to_string().replace('_', "-").replacen('`', "`--", 1));
        Limits::standard().with(&asked).map_err(as_option)?;
        let mut set = Overrides::default();
        installed(common)?.edit(&id, |receipt| {
            let old = &receipt.limits;
            if asked != Overrides::default() {
                set = Overrides {
                    compute_ms: compute_ms.or(old.compute_ms),
                    wall_ms: wall_ms.or(old.wall_ms),
                    memory_mib: memory_mib.or(old.memory_mib),
                };
            }
            receipt.limits = set.clone();
        })?;
        let bounds = Limits::standard().with(&set).map_err(as_option)?;
        let said = format!("{id}: at most {}", in_words(&bounds));
        Ok(paint::done(&said, &json!({ "id": id, "limits": set }), common.json)?)
    }
}

impl Add {
    pub(super) fn run(self, common: &Common, roots: Vec<PathBuf>) -> Result<(), Failure> {
        let folders = self.folder.iter().chain(&roots).map(|path| folder(path));
        let folders = folders.collect::<Result<Vec<String>, Failure>>()?;
        let installed = installed(common)?;
        let login = trust::login(self.login.as_deref())?;
        let (found, alike) = match self.named.find(&self.file, &installed)? {
            Some((found, alike)) => (found, alike),
            None => (shipped::package(&self.file, login.as_deref())?, None),
        };
        let (package, signer) = signed(&found)?;
        let id = &package.manifest.id;
        if installed.list()?.contains_key(id) {
            let word = shell_word(&self.file.to_string_lossy());
            let what = format!("plugin `{id}` is already installed");
            return Err(Failure::Failed(format!("{what}\nupdate it with `iac-mcp plugin update {word}`")));
        }
        verify(common, &found.bytes, &package)?;
        let mut grants = package.grants();
        add_folders(&mut grants, &package, &folders)?;
        check_folders(common, &grants)?;
        let manifest = &package.manifest;
        let mut out = paint::aside(common.json);
        writeln!(out, "{} {}: {}", manifest.id, manifest.version, manifest.description)?;
        let lines = trust::lines(&package, &found, signer.as_ref());
        let receipt = receipt(&package, &found, signer.clone(), grants);
        let settings = settings(manifest, &Map::new());
        let secrets = secret::lines(id.as_str(), &manifest.secrets);
        let tools = package.tools.iter().map(change::shown).chain(change::texts(&receipt));
        let tools = tools.chain(settings).chain(secrets);
        for line in lines.into_iter().chain(wants(&package, &folders)).chain(tools) {
            writeln!(out, "  {line}")?;
        }
        let doubts = [trust::missing(&package, signer.as_ref()), alike];
        for doubt in doubts.iter().flatten() {
            writeln!(out, "{doubt}")?;
        }
        let is_sure = doubts.iter().all(Option::is_none);
        let is_plain = receipt.grants == Grants::default() && is_sure && !found.from.contains("://");
        agree(self.yes || is_plain, "install it and grant these permissions?")?;
        installed.add(&found.bytes, &package, receipt)?;
        let said = format!("installed {}; running servers pick it up within a second", manifest.id);
        let body = json!({ "installed": manifest.id, "version": manifest.version });
        Ok(paint::done(&said, &body, common.json)?)
    }
}

impl Update {
    pub(super) fn run(self, common: &Common) -> Result<(), Failure> {
        let installed = installed(common)?;
        let (found, asked, alike) = self.find(&installed)?;
        let (package, signer) = signed(&found)?;
        verify(common, &found.bytes, &package)?;
        let held = Held::find(&installed, package.manifest.id.as_str())?;
        let old = &held.receipt;
        let mut out = paint::aside(common.json);
        if package.sha256 == old.sha256 {
            return held.keep(&found, &package, common);
        }
        asked.as_ref().map_or(Ok(()), |id| expect_id(&found, &package, id))?;
        let before = held.package().map_err(|failure| {
            let how = format!("first install version {} again: `iac-mcp plugin update FILE`", old.version);
            Failure::Failed(format!("{failure}\nwithout it, nobody can say what the new version changes; {how}, or remove the plugin and add it"))
        })?;
        let (id, secrets) = (&package.manifest.id, (&before.manifest.secrets, &package.manifest.secrets));
        let (before, wanted) = (before.grants(), package.grants());
        // The command asks only about newly wanted permissions, not again about those that the operator revoked.
        let more = old.grants.lacks(&before.lacks(&wanted));
        let new = receipt(&package, &found, signer.clone(), Grants::default());
        let (told, texts) = (change::texts(old), change::texts(&new));
        let gone =
            told.iter().filter(|line| !texts.contains(line)).map(|line| format!("no longer has {line}"));
        let added = texts.iter().filter(|line| !told.contains(line)).map(|line| format!("new {line}"));
        let of_secrets = secret::changes(id.as_str(), secrets.0, secrets.1);
        let of_tools = change::tools(&old.tools, &package.tools);
        for line in of_tools.into_iter().chain(gone).chain(added).chain(of_secrets) {
            writeln!(out, "  {line}")?;
        }
        let unnamed = asked
            .filter(|_| signer.is_none())
            .map(|id| format!("{id} is not signed: check that you trust its source, {}", found.from));
        let of_author = trust::doubt(old, &package, signer.as_ref());
        let is_other_key = of_author.is_some() && signer.is_some();
        let of_secret = secret::doubt(secrets.0, secrets.1);
        let doubts = [change::doubt(old, &package), of_author, unnamed, alike, of_secret];
        let doubts: Vec<String> = doubts.into_iter().flatten().collect();
        let stays = |why: &str, then: &str| {
            Failure::Failed(format!("not updated{why}; version {} stays installed\n{then}", old.version))
        };
        if !doubts.is_empty() {
            writeln!(out, "{}", doubts.join("\n"))?;
            let then = match is_other_key {
                true => format!("{COMPARE}; if it is there, add --yes"),
                false => "if you want it all the same, add --yes".to_owned(),
            };
            agree(self.yes, "install it in place of the other one?").map_err(|_| stays("", &then))?;
        }
        if more != Grants::default() {
            writeln!(
                out,
                "{} {} needs more permissions than {}:",
                package.manifest.id, package.manifest.version, old.version
            )?;
            for line in more.lines() {
                writeln!(out, "  {line}")?;
            }
            for line in change::reasons(&package, &more) {
                writeln!(out, "  {line}")?;
            }
            agree(self.yes, "grant these too?").map_err(|_| {
                let why = format!(": the new version needs more permissions ({})", lacking(&more));
                stays(&why, "--yes grants them")
            })?;
        }
        let mut grants = old.grants.after(&before, &wanted);
        grants.add(more);
        if !package.imports.contains(&Capability::Files) {
            grants.files.clear();
        }
        if !package.imports.contains(&Capability::LanguageServers) {
            grants.language_servers.clear();
        }
        let mut dropped = grants.lacks(&old.grants);
        // A script whose text has changed was asked about above; it still exists under its name, so it is not listed
        // as dropped.
        dropped.app_scripts.retain(|name, _| !wanted.app_scripts.contains_key(name));
        let Receipt { mut settings, limits, disabled, .. } = old.clone();
        let declared = |key: &str| package.manifest.settings.iter().any(|setting| setting.key == key);
        let no_longer: Vec<String> = settings.keys().filter(|key| !declared(key)).cloned().collect();
        settings.retain(|key, _| declared(key));
        let unset = package.manifest.unset(&settings);
        let receipt = Receipt { grants, settings, limits, disabled, ..new };
        installed.update(&found.bytes, &package, receipt)?;
        for line in dropped.lines() {
            writeln!(out, "  no longer has {line}, which the new version does not want")?;
        }
        for line in secret::drop_old(common, id.as_str(), secrets.0, secrets.1)? {
            writeln!(out, "  {line}")?;
        }
        for key in no_longer {
            writeln!(out, "  no longer has the setting {key}")?;
        }
        let version = &package.manifest.version;
        writeln!(out, "{id}: {} is now {version}", old.version)?;
        for key in unset {
            writeln!(out, "before you use it, run `iac-mcp plugin set {id} {key} VALUE`")?;
        }
        // With `--yes`, nobody has read the question.
        if self.yes && !doubts.is_empty() {
            writeln!(out, "WARNING: --yes agreed to this: {}", doubts.join("; "))?;
            if is_other_key {
                writeln!(out, "{COMPARE}; if it is not there, run `iac-mcp plugin disable {id}`")?;
            }
        }
        if common.json {
            let body = json!({ "id": id, "version": version, "changed": true, "doubts": doubts });
            paint::answer(&body, true)?;
        }
        Ok(())
    }

    /// Finds the package. For the id of a plugin that came from an address, this is the newest package there. Nobody
    /// gave a digest for that one.
    fn find(&self, installed: &Installed) -> Result<(Found, Option<PluginId>, Option<String>), Failure> {
        if let Some((found, alike)) = self.named.find(&self.file, installed)? {
            // The digest comes from the index, not from the operator.
            return Ok((found, self.file.to_str().and_then(|id| id.parse().ok()), alike));
        }
        let login = trust::login(self.login.as_deref())?;
        let login = login.as_deref();
        let id = self.file.to_str().unwrap_or_default();
        if let Some((id, receipt)) = installed.list()?.remove_entry(id)
            && let Some(place) = Place::parse(&receipt.source)?
        {
            return Ok((place.fetch_newest(login)?, Some(id), None));
        }
        // A folder of that name does not count: `plugin new` makes one, and leaves its author beside it.
        if id.parse::<PluginId>().is_err() || self.file.is_file() {
            return Ok((shipped::package(&self.file, login)?, None, None));
        }
        // This is checked before a build, because a build takes long.
        let held = Held::find(installed, id)?;
        let source = PathBuf::from(held.receipt.source);
        let is_bundled = source.extension().is_none_or(|it| it != "wasm") || shipped::comes_with(&held.id);
        match (is_bundled, source.is_file()) {
            (true, _) => Ok((shipped::package(&self.file, login)?, None, None)),
            (false, true) => {
                let found = shipped::file(source)?;
                expect_id(&found, &package::read(&found.bytes)?, &held.id)?;
                Ok((found, None, None))
            }
            (false, false) => Err(Failure::Failed(format!(
                "{id} was added from {}, which is not there any more\nname the file of the new version: `iac-mcp plugin update FILE`",
                source.display()
            ))),
        }
    }
}

impl Grant {
    pub(super) fn give(self, common: &Common, mac: Mac) -> Result<(), Failure> {
        let installed = installed(common)?;
        let Self { what, level, method, yes } = self;
        let held = Held::find(&installed, &what.id)?;
        let doubt = what.doubt(&held.package()?, common, mac)?;
        let grants = what.grants(&installed, &level, method)?;
        check_folders(common, &grants)?;
        let lines = what.shown(&grants);
        if !held.wants(&grants)? {
            let doubt = doubt.map(|doubt| format!(", and {doubt}")).unwrap_or_default();
            writeln!(paint::aside(common.json), "{} does not ask for {lines}{doubt}", what.id)?;
            agree(yes, "grant it all the same?")?;
        }
        installed.edit(&what.id, |receipt| receipt.grants.add(grants))?;
        let said = format!("{} has {lines}", what.id);
        Ok(paint::done(&said, &json!({ "id": what.id, "granted": lines }), common.json)?)
    }
}

impl Reach {
    pub(super) fn take(self, common: &Common) -> Result<(), Failure> {
        let installed = installed(common)?;
        let grants = self.grants(&installed, "dangerous", Method::ALL.to_vec())?;
        // A revocation ignores the level and the methods.
        let lines = match (grants.apps_change.keys().next(), grants.http.keys().next()) {
            (Some(app), _) => format!("apps-change {app}"),
            (_, Some(host)) => format!("http {host}"),
            _ => self.shown(&grants),
        };
        installed.edit(&self.id, |receipt| {
            receipt.grants.take(&grants);
        })?;
        let said = format!("{} no longer has {lines}", self.id);
        Ok(paint::done(&said, &json!({ "id": self.id, "revoked": lines }), common.json)?)
    }

    /// Returns a warning about an app that this Mac does not have.
    ///
    /// # Errors
    /// The grant could never have an effect.
    fn doubt(&self, package: &Package, common: &Common, mac: Mac) -> Result<Option<String>, Failure> {
        let capability: Capability = self.capability.parse().map_err(misuse)?;
        if !package.imports.contains(&capability) {
            let used: Vec<&str> = package.imports.iter().map(|it| it.name()).collect();
            let used = if used.is_empty() { "nothing".to_owned() } else { used.join(", ") };
            let what = format!("{} does not use `{capability}`, so this grant would do nothing", self.id);
            return Err(Failure::Misuse(format!("{what}\nit uses {used}")));
        }
        let app = self.target.as_deref().unwrap_or_default();
        if !matches!(capability, Capability::Apps | Capability::AppsChange) || matches!(app, "" | "*") {
            return Ok(None);
        }
        let found = policy::known(app, common, mac);
        match (is_bundle_id(app), found) {
            (true, Some(Err(fault))) if fault.code == Code::UnknownApp => Ok(Some(fault.message)),
            (true, _) => Ok(None),
            (false, Some(Ok((found, _)))) => Err(Failure::Misuse(format!(
                "`{app}` is the name of an app, but a grant needs its bundle id\nwrite {}",
                found.bundle_id
            ))),
            (false, _) => {
                let wants = package.manifest.wants.iter().find(|want| want.capability == capability);
                let wanted: Vec<&String> = wants.into_iter().flat_map(|want| &want.apps).collect();
                let is_alike = |id: &&&String| names::key(id).contains(&names::key(app));
                let alike = wanted.iter().find(is_alike).or(wanted.first());
                let wanted = alike.map_or("com.apple.mail", |id| id.as_str());
                let what = format!("`{app}` is not a bundle id, so the grant would match no app");
                Err(Failure::Misuse(format!("{what}\nwrite one such as {wanted}")))
            }
        }
    }

    /// Describes the grant, with the target as it was typed.
    fn shown(&self, grants: &Grants) -> String {
        let typed = self.target.as_deref().unwrap_or_default();
        let lines = grants.lines().join(", ");
        if typed.is_empty() { lines } else { lines.replace(&typed.to_ascii_lowercase(), typed) }
    }

    fn grants(&self, installed: &Installed, how_far: &str, methods: Vec<Method>) -> Result<Grants, Failure> {
        let capability: Capability = self.capability.parse().map_err(misuse)?;
        let target = self.target.clone().filter(|target| !target.is_empty());
        let needed = || {
            Failure::Misuse(format!(
                "`{capability}` needs a target: an app's bundle id, a script, a folder or a web server"
            ))
        };
        let mut grants = Grants::default();
        match capability {
            Capability::Store => grants.store = true,
            Capability::Files => drop(grants.files.insert(folder(Path::new(&target.ok_or_else(needed)?))?)),
            Capability::LanguageServers => {
                grants.language_servers.insert(folder(Path::new(&target.ok_or_else(needed)?))?);
            }
            Capability::Http => {
                let host = target.ok_or_else(needed)?;
                if !is_host(&host) {
                    return Err(Failure::Misuse(format!("`{host}` is not a web server, expected {HOST}")));
                }
                grants.http.insert(host, methods.into_iter().collect());
            }
            Capability::AppScripts => {
                let name = target.ok_or_else(needed)?;
                let pin = Held::find(installed, &self.id)?.pin(&name)?;
                grants.app_scripts.insert(name, pin);
            }
            Capability::AppsChange => {
                let app = target.ok_or_else(needed)?.to_ascii_lowercase();
                grants.apps_change.insert(app, level(how_far));
            }
            Capability::Apps => grants.apps.extend([target.ok_or_else(needed)?.to_ascii_lowercase()]),
        }
        Ok(grants)
    }
}

pub(super) fn list(common: &Common) -> Result<(), Failure> {
    let installed = installed(common)?;
    let held = |(id, receipt)| Held { installed: &installed, id, receipt };
    let plugins: Vec<Held<'_>> = installed.list()?.into_iter().map(held).collect();
    if common.json {
        let shown = |it: &Held<'_>| json!({"id": it.id, "state": it.state(), "receipt": it.receipt});
        let shown: Vec<_> = plugins.iter().map(shown).collect();
        return Ok(paint::answer(&json!({ "plugins": shown }), true)?);
    }
    if plugins.is_empty() {
        let none = "no plugin is installed; `iac-mcp plugin add FILE|ID` installs one";
        return Ok(writeln!(paint::stdout(), "{none}")?);
    }
    let mut table = paint::table(&["Plugin", "Version", "State", "Tools", "Has"]);
    for held in &plugins {
        let tools: Vec<&str> = held.receipt.tools.iter().map(|tool| tool.name.as_str()).collect();
        let (id, version) = (held.id.to_string(), held.receipt.version.clone());
        let state = match held.receipt.quarantined {
            Some(_) => format!("quarantined\n`plugin show {id}` says why\n`plugin release {id}` ends it"),
            None => held.state().replace(", ", ",\n"),
        };
        table.add_row([id, version, state, tools.join("\n"), held.has()]);
    }
    Ok(paint::print(&table)?)
}

/// Switches a plugin off or on. Its grants and its data stay.
pub(super) fn switch(common: &Common, id: &str, off: bool) -> Result<(), Failure> {
    let mut before = off;
    installed(common)?.edit(id, |receipt| before = std::mem::replace(&mut receipt.disabled, off))?;
    let said = match (before == off, off) {
        (true, true) => "was disabled already; nothing changed",
        (true, false) => "was not disabled; nothing changed",
        (false, true) => "is disabled: its tools are gone, and its permissions and data stay",
        (false, false) => "is enabled again",
    };
    Ok(paint::done(&format!("{id} {said}"), &json!({ "id": id, "disabled": off }), common.json)?)
}

/// Shows everything about an installed plugin.
pub(super) fn show(common: &Common, id: &str) -> Result<(), Failure> {
    let installed = installed(common)?;
    let held = Held::find(&installed, id)?;
    let (state, receipt) = (held.state(), &held.receipt);
    if common.json {
        return Ok(paint::answer(&json!({"id": id, "state": state, "receipt": receipt}), true)?);
    }
    let mut out = paint::stdout();
    writeln!(out, "{id} {}: {}", receipt.version, receipt.description)?;
    writeln!(out, "state: {state}")?;
    writeln!(out, "from {}, sha256 {}", receipt.source, receipt.sha256)?;
    if let Some(key) = &receipt.key {
        writeln!(out, "signed by {key}")?;
    }
    for tool in &receipt.tools {
        writeln!(out, "{}", change::shown(tool))?;
    }
    for line in change::texts(receipt) {
        writeln!(out, "{line}")?;
    }
    for line in held.has().lines() {
        writeln!(out, "granted: {line}")?;
    }
    for line in held.package().map(|it| settings(&it.manifest, &receipt.settings)).unwrap_or_default() {
        writeln!(out, "{line}")?;
    }
    let secrets = held.package().map(|it| secret::lines(id, &it.manifest.secrets)).unwrap_or_default();
    for line in secrets {
        writeln!(out, "{line}")?;
    }
    let limits = Limits::standard().with(&receipt.limits).map_err(misuse)?;
    Ok(writeln!(out, "limits: {}", in_words(&limits))?)
}

/// Compares each plugin with the package at its source, or with the one that comes with this program.
pub(super) fn outdated(common: &Common, login: Option<&Path>) -> Result<(), Failure> {
    let (plugins, login) = (installed(common)?.list()?, trust::login(login)?);
    let none = plugins.is_empty();
    let mut table = paint::table(&["Plugin", "Installed", "There", "Source"]);
    let (mut rows, mut failures) = (Vec::new(), Vec::new());
    for (id, receipt) in plugins {
        let there = shipped::again(&id, &receipt.source, login.as_deref());
        let source = match &there {
            Ok(Some(found)) => found.from.clone(),
            _ => receipt.source,
        };
        let read =
            |found: Option<Found>| Some(package::read(&found?.bytes).ok()?).filter(|it| it.manifest.id == id);
        let said = match there.map(read) {
            Err(failure) => {
                rows.push(json!({"id": id, "installed": receipt.version, "error": failure.to_string(), "source": source}));
                failures.push(format!("{id}: {failure}"));
                continue;
            }
            Ok(None) => "not found".to_owned(),
            Ok(Some(package)) if package.sha256 == receipt.sha256 => continue,
            Ok(Some(package)) if package.manifest.version == receipt.version => {
                format!("{} with other contents", receipt.version)
            }
            Ok(Some(package)) => package.manifest.version,
        };
        rows.push(json!({"id": id, "installed": receipt.version, "there": said, "source": source}));
        table.add_row([id.to_string(), receipt.version, said, source]);
    }
    match (common.json, none, table.is_empty()) {
        (true, ..) => paint::answer(&json!({ "plugins": rows }), true)?,
        (_, true, _) => writeln!(paint::stdout(), "no plugin is installed")?,
        (_, _, true) if failures.is_empty() => writeln!(paint::stdout(), "all plugins are up to date")?,
        (_, _, true) => {}
        _ => paint::print(&table)?,
    }
    match failures.is_empty() {
        true => Ok(()),
        false => Err(Failure::Failed(failures.join("\n"))),
    }
}

pub(super) fn release(common: &Common, id: &str) -> Result<(), Failure> {
    let mut reason = None;
    installed(common)?.edit(id, |receipt| reason = receipt.quarantined.take())?;
    let said = match &reason {
        Some(reason) => format!("{id} is no longer quarantined; the reason was: {reason}"),
        None => format!(
            "{id} was not quarantined; nothing changed\na server on a simulated Mac keeps its own quarantine until it restarts"
        ),
    };
    Ok(paint::done(&said, &json!({ "id": id, "reason": reason }), common.json)?)
}

/// Removes a plugin. A person is asked, because its data cannot be restored. A later plugin of the same id must not
/// inherit approvals, so these go too.
pub(super) fn remove(common: &Common, id: &str, yes: bool) -> Result<(), Failure> {
    Held::find(&installed(common)?, id)?;
    agree(yes, &format!("remove {id} with its grants, approvals, settings, secrets and data?"))?;
    secret::forget(common, id)?;
    installed(common)?.remove(id)?;
    let mut said = format!("removed {id} and its data");
    // A policy with a mistake must not keep a plugin installed.
    let rules = common.state().map_or(Ok(0), |state| forget_approvals(state, id));
    match &rules {
        Ok(0) => {}
        Ok(count) => {
            let rules = paint::count(*count, "rule");
            said +=
                &format!("\npolicy.toml still has {rules} for the plugin {id}; `iac-mcp policy` shows them");
        }
        Err(failure) => {
            said += &format!("\nits approvals and the rules about it were not looked at: {failure}");
        }
    }
    said += &format!(
        "\nsimulated Macs that you keep may still have its data, in .iac-mcp/plugins/data/{id}.json"
    );
    Ok(paint::done(&said, &json!({ "removed": id, "rules": rules.ok() }), common.json)?)
}

/// Revokes the approvals of a plugin, and counts the rules that name it.
fn forget_approvals(state: PathBuf, id: &str) -> Result<usize, Failure> {
    let state = State::open(state)?;
    let is_own = |grant: &Approval| grant.scope.plugin.as_deref() == Some(id);
    if state.grants()?.all().iter().any(is_own) {
        state.revoke(is_own)?;
    }
    let gate = state.gate(policy::now(), None)?;
    Ok(gate.policy.rules().iter().filter(|rule| rule.plugin.as_deref() == Some(id)).count())
}

/// Refuses the package of another plugin.
fn expect_id(found: &Found, package: &Package, id: &PluginId) -> Result<(), Failure> {
    let there = &package.manifest.id;
    if there == id {
        return Ok(());
    }
    Err(Failure::Failed(format!("{} is the plugin `{there}`, expected `{id}`", found.from)))
}

/// Checks who signed a package before its code is parsed.
fn signed(found: &Found) -> Result<(Package, Option<Key>), Failure> {
    let signer = trust::signer(found)?;
    Ok((package::read(&found.bytes)?, signer))
}

fn receipt(package: &Package, found: &Found, key: Option<Key>, grants: Grants) -> Receipt {
    let installed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let installed = u64::try_from(installed).unwrap_or_default();
    Receipt { key, installed, ..Receipt::of(package, found.from.clone(), grants) }
}

fn in_words(Limits { compute, wall, memory, .. }: &Limits) -> String {
    format!("{compute:?} of computing, {wall:?} in total, {} MiB", memory / (1024 * 1024))
}

fn level(name: &str) -> Level {
    match name {
        "safe" => Level::Safe,
        "dangerous" => Level::Dangerous,
        _ => Level::Modify,
    }
}

fn misuse(error: impl std::fmt::Display) -> Failure {
    Failure::Misuse(error.to_string())
}
