//! Guests in text form, and a small world around them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use iac_plugins::capability::Capability;
use iac_plugins::engine::{Backend, Call, Engine, Now, Plugin, Setup, Wall};
use iac_plugins::failure::{Failure, Fault};
use iac_plugins::host::{Answer, Caller, Host, Question};
use iac_plugins::limits::Limits;
use iac_plugins::package::{self, Texts};
use serde_json::{Map, Value as Json, json};
use tokio_util::sync::CancellationToken;
use wit_component::{StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

/// A guest of `tests/plugins/hostile`.
pub(crate) struct Guest {
    pub(crate) name: String,
    text: String,
}

pub(crate) fn hostile_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/plugins/hostile")
}

pub(crate) fn engine(backend: Backend) -> Arc<Engine> {
    static NATIVE: OnceLock<Arc<Engine>> = OnceLock::new();
    static INTERPRETER: OnceLock<Arc<Engine>> = OnceLock::new();
    let slot = if backend == Backend::Native { &NATIVE } else { &INTERPRETER };
    Arc::clone(slot.get_or_init(|| Engine::new(backend).expect("the engine starts")))
}

/// Time limits that no honest call reaches, however busy the machine is, and small limits for everything else.
pub(crate) fn wide() -> Limits {
    Limits {
        compute: Duration::from_secs(60),
        wall: Duration::from_secs(120),
        memory: 16 * 1024 * 1024,
        handles: 100,
        traffic: 8 * 1024 * 1024,
        ..Limits::standard()
    }
}

/// Limits with a short time, for a guest that should exceed it.
pub(crate) fn limits(expected: &str) -> Limits {
    match expected {
        "compute time" => Limits { compute: Duration::from_millis(40), ..wide() },
        "limit on time" => Limits { wall: Duration::from_millis(40), ..wide() },
        _ => wide(),
    }
}

impl Guest {
    pub(crate) fn read(name: &str) -> Self {
        let path = hostile_folder().join(format!("{name}.wat"));
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { name: name.to_owned(), text }
    }

    pub(crate) fn inline(name: &str, text: &str) -> Self {
        Self { name: name.to_owned(), text: text.to_owned() }
    }

    pub(crate) fn all() -> Vec<Self> {
        let folder = std::fs::read_dir(hostile_folder()).expect("the folder is there");
        let names = folder
            .filter_map(|entry| Some(entry.ok()?.file_name().to_str()?.strip_suffix(".wat")?.to_owned()));
        let names: BTreeSet<String> = names.filter(|name| name != "prelude").collect();
        names.iter().map(|name| Self::read(name)).collect()
    }

    /// Returns the expected reason for its end, or its expected answer.
    pub(crate) fn expected(&self) -> &str {
        self.headers("expect").next().expect("a guest says what is expected of it")
    }

    fn headers<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        let mark = format!(";; {name}: ");
        self.text.lines().filter_map(move |line| line.strip_prefix(&mark))
    }

    pub(crate) fn manifest(&self) -> String {
        let head = "id = \"hostile\"\nversion = \"0.1.0\"\nlicence = \"MIT\"\napi = \"0.1\"\ndescription = \"misbehaves\"\n";
        let wants: String = self.headers("wants").map(want).collect();
        let script = |(name, level, _): (&str, &str, &str)| {
            format!(
                "[[scripts]]\nname = \"{name}\"\nfile = \"{name}.js\"\nlevel = \"{level}\"\nreason = \"none\"\n"
            )
        };
        let scripts: String = self.scripts().map(script).collect();
        let secrets: String = self.headers("secret").map(secret).collect();
        format!("{head}{wants}{scripts}{secrets}")
    }

    /// Returns name, level and text of each script.
    fn scripts(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.headers("script").filter_map(|line| {
            let (name, rest) = line.split_once(' ')?;
            let (level, text) = rest.split_once(' ')?;
            Some((name, level, text))
        })
    }

    fn texts(&self) -> Texts {
        self.scripts().map(|(name, _, text)| (format!("{name}.js"), text.to_owned())).collect()
    }

    /// Returns its core module with the description of the world.
    pub(crate) fn module(&self) -> Vec<u8> {
        self.module_of("0.1.0", StringEncoding::UTF8)
    }

    /// Returns the module for another version of the interfaces, or with another encoding of text.
    pub(crate) fn module_of(&self, version: &str, encoding: StringEncoding) -> Vec<u8> {
        let wat = self.wat().replace("@0.1.0", &format!("@{version}"));
        let mut module = wat::parse_str(&wat).unwrap_or_else(|error| panic!("{}: {error}\n{wat}", self.name));
        let folder = interfaces(version);
        let mut resolve = Resolve::default();
        let (package, _) = resolve.push_dir(folder.path()).expect("the package is valid");
        let world = resolve.select_world(&[package], Some("plugin")).expect("the world is there");
        embed_component_metadata(&mut module, &resolve, world, encoding).expect("the world is described");
        module
    }

    /// Puts imports first, as the text format requires, then the prelude, then the guest's own part.
    fn wat(&self) -> String {
        let prelude =
            std::fs::read_to_string(hostile_folder().join("prelude.wat")).expect("the prelude is there");
        let (imports, own): (Vec<&str>, Vec<&str>) =
            self.text.lines().partition(|line| line.starts_with("(import"));
        let own = own.join("\n");
        let or = |mark: &str, text: &'static str| if own.contains(mark) { "" } else { text };
        let realloc = or("$realloc", REALLOC);
        let list = or("$list", LIST);
        let imports = imports.join("\n");
        format!("(module {imports}\n{prelude}\n{realloc}\n{list}\n{own}\n{EXPORT})")
    }

    pub(crate) async fn packed(
        &self,
        engine: &Arc<Engine>,
        limits: &Limits,
    ) -> Result<Vec<u8>, package::PackageError> {
        package::pack(engine, &self.module(), &self.manifest(), &self.texts(), limits, None).await
    }

    /// Packs the guest, grants everything that it wants, and links it.
    pub(crate) async fn plugin(&self, engine: &Arc<Engine>, limits: Limits) -> Result<Plugin, String> {
        let bytes = self.packed(engine, &limits).await.map_err(|error| error.to_string())?;
        let package = package::read(&bytes).map_err(|error| error.to_string())?;
        let compiled = engine.compile(&bytes, None).map_err(|error| error.to_string())?;
        let mut grants = package.grants();
        let folders = |name: &'static str| {
            self.headers("wants").filter_map(move |want| Some(want.strip_prefix(name)?.to_owned()))
        };
        if package.imports.contains(&Capability::Files) {
            grants.files.extend(folders("files "));
        }
        if package.imports.contains(&Capability::LanguageServers) {
            grants.language_servers.extend(folders("language-servers "));
        }
        for withheld in self.headers("withheld") {
            match withheld.parse() {
                Ok(Capability::Apps) => grants.apps.clear(),
                Ok(Capability::AppsChange) => grants.apps_change.clear(),
                Ok(Capability::AppScripts) => grants.app_scripts.clear(),
                Ok(Capability::Store) => grants.store = false,
                Ok(Capability::Http) => grants.http.clear(),
                other => panic!("{}: {other:?} cannot be withheld", self.name),
            }
        }
        let setup = Setup {
            wanted: package.grants(),
            id: package.manifest.id.clone(),
            grants,
            limits,
            settings: Map::new(),
            lenient: false,
            tools: package.tools,
            scripts: package.scripts,
            secrets: package.manifest.secrets,
        };
        Plugin::link(engine, &compiled, setup).map_err(|error| error.to_string())
    }
}

/// Writes the interfaces with another version number.
fn interfaces(version: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit");
    for entry in std::fs::read_dir(source).expect("the interfaces are there").flatten() {
        if entry.path().extension().is_some_and(|extension| extension == "wit") {
            let text = std::fs::read_to_string(entry.path()).expect("the interfaces are text");
            let text = text.replace("@0.1.0;", &format!("@{version};"));
            let mut file =
                std::fs::File::create(folder.path().join(entry.file_name())).expect("a file can be made");
            std::io::Write::write_all(&mut file, text.as_bytes()).expect("a file can be written");
        }
    }
    folder
}

fn want(line: &str) -> String {
    let (capability, target) = line.split_once(' ').unwrap_or((line, ""));
    let apps = if capability.starts_with("app") { format!("apps = [\"{target}\"]\n") } else { String::new() };
    let level = if capability == "apps-change" { "level = \"modify\"\n" } else { "" };
    let hosts = if capability == "http" {
        let (host, methods) = target.split_once(' ').expect("a host and its methods");
        let methods: Vec<&str> = methods.split(' ').collect();
        format!("hosts = [\"{host}\"]\nmethods = {methods:?}\n")
    } else {
        String::new()
    };
    format!("[[wants]]\ncapability = \"{capability}\"\nreason = \"none\"\n{apps}{level}{hosts}")
}

/// `KEY HOST`: a secret for that host.
fn secret(line: &str) -> String {
    let (key, host) = line.split_once(' ').expect("a key and a host");
    format!("[[secrets]]\nkey = \"{key}\"\ntitle = \"t\"\nhost = \"{host}\"\nheader = \"authorization\"\n")
}

const REALLOC: &str = r#"(func $realloc (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
  (local $at i32)
  (local.set $at (i32.and (i32.add (global.get $heap) (i32.const 15)) (i32.const -16)))
  (global.set $heap (i32.add (local.get $at) (local.get 3)))
  (local.get $at))"#;

const LIST: &str =
    r#"(func $list (export "iac:plugin/tools@0.1.0#list-tools") (result i32) (i32.const 128))"#;

const EXPORT: &str = r#"(export "iac:plugin/tools@0.1.0#call-tool" (func $call))"#;

/// The world around a guest: a slow app, a name that leads to another app, and empty apps.
pub(crate) struct World;

impl Host for World {
    fn ask<'a>(&'a self, _caller: &'a Caller, question: Question) -> Answer<'a> {
        Box::pin(async move {
            let answer = match question {
                Question::OpenApp { app } if app == "com.example.slow" => std::future::pending().await,
                Question::OpenApp { app } if app == "com.example.alias" => {
                    json!({"bundleId": "com.example.other"})
                }
                Question::OpenApp { app } => json!({"bundleId": app}),
                Question::Script { script, data, .. } => {
                    json!({"value": {"script": script.text, "data": data}})
                }
                Question::App { .. } => json!({"elements": [], "count": 0}),
                Question::Http { request } => {
                    json!({"status": 200, "headers": [["x-asked", request.url]], "body": ""})
                }
                Question::StorePut { .. } | Question::StoreRemove { .. } => json!({}),
                other => return Err(Fault::new("unavailable", format!("{other:?}")).into()),
            };
            Ok(answer.into())
        })
    }
}

pub(crate) fn call(cancelled: CancellationToken) -> Call {
    Call {
        tool: "hostile".to_owned(),
        arguments: Map::new(),
        now: Now::default(),
        cancelled,
        wall: Wall::default(),
        host: Arc::new(World),
    }
}

/// Calls a plugin and shows the result.
pub(crate) async fn shown(plugin: &Plugin) -> String {
    show(plugin.call(call(CancellationToken::new())).await.0)
}

pub(crate) fn show(answer: Result<Json, Failure>) -> String {
    match answer {
        Ok(body) => body.to_string(),
        Err(Failure::Fault(fault) | Failure::Passed(fault)) => format!("{}: {}", fault.code, fault.message),
        Err(failure) => failure.to_string(),
    }
}
