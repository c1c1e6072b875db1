//! Makes and builds plugins.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use serde_json::{Map, Value as Json, json};

use crate::cli::Failure;
use crate::cli::options::Common;
use crate::cli::package::{cache, engine, read, settings, verify, wants, working};
use crate::cli::paint;
use crate::plugins::Engine as Choice;
use crate::plugins::engine::PluginId;
use crate::plugins::engine::capability::{Capability, Level};
use crate::plugins::engine::engine::Cache;
use crate::plugins::engine::limits::Limits;
use crate::plugins::engine::manifest::{MANIFEST, Manifest, ManifestError};
use crate::plugins::engine::package::{self, Package, Texts};

const TARGET: &str = "wasm32-unknown-unknown";

#[derive(Debug, Args)]
pub(in crate::cli) struct New {
    /// The id of the plugin, which is also the name of its folder.
    id: String,
    /// The language that it is written in.
    #[arg(long, value_name = "LANGUAGE", default_value = "rust")]
    language: Language,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Build {
    /// The folder with plugin.toml and Cargo.toml, package.json or Makefile.
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// The path of the package; by default the plugin's id in that folder.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Pack {
    /// The core module or component.
    wasm: PathBuf,
    /// The manifest, plugin.toml.
    #[arg(long, value_name = "FILE", default_value = "plugin.toml")]
    manifest: PathBuf,
    /// The path of the package; by default the plugin's id beside the manifest.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Check {
    /// The package.
    file: PathBuf,
    /// Prints the text of one of its scripts as it would run inside an app.
    #[arg(long, value_name = "NAME")]
    script: Option<String>,
}

/// The files of a new plugin in Rust. The SDK is included, in the version that fits this host.
const RUST: [(&str, &str); 19] = [
    ("Cargo.toml", include_str!("../../../../plugins/template/Cargo.toml.in")),
    ("src/lib.rs", include_str!("../../../../plugins/template/lib.rs.in")),
    (".gitignore", "/target\n/*.wasm\n"),
    ("sdk/Cargo.toml", include_str!("../../../../plugins/sdk/Cargo.toml")),
    ("sdk/src/lib.rs", include_str!("../../../../plugins/sdk/src/lib.rs")),
    ("sdk/src/apps.rs", include_str!("../../../../plugins/sdk/src/apps.rs")),
    ("sdk/src/arguments.rs", include_str!("../../../../plugins/sdk/src/arguments.rs")),
    ("sdk/src/bindings.rs", include_str!("../../../../plugins/sdk/src/bindings.rs")),
    ("sdk/src/clock.rs", include_str!("../../../../plugins/sdk/src/clock.rs")),
    ("sdk/src/fault.rs", include_str!("../../../../plugins/sdk/src/fault.rs")),
    ("sdk/src/files.rs", include_str!("../../../../plugins/sdk/src/files.rs")),
    ("sdk/src/http.rs", include_str!("../../../../plugins/sdk/src/http.rs")),
    ("sdk/src/language_servers.rs", include_str!("../../../../plugins/sdk/src/language_servers.rs")),
    ("sdk/src/log.rs", include_str!("../../../../plugins/sdk/src/log.rs")),
    ("sdk/src/object.rs", include_str!("../../../../plugins/sdk/src/object.rs")),
    ("sdk/src/settings.rs", include_str!("../../../../plugins/sdk/src/settings.rs")),
    ("sdk/src/store.rs", include_str!("../../../../plugins/sdk/src/store.rs")),
    ("sdk/src/tool.rs", include_str!("../../../../plugins/sdk/src/tool.rs")),
    ("sdk/wit/plugin.wit", include_str!("../../../../wit/plugin.wit")),
];

/// The file of a plugin in any language.
const MANIFEST_TEXT: (&str, &str) =
    ("plugin.toml", include_str!("../../../../plugins/template/plugin.toml.in"));

/// The golden call of a plugin that counts notes.
const COUNTS: (&str, &str) = ("calls/counts.json", include_str!("../../../../plugins/template/call.json.in"));

/// Separate only to keep the table above at one line for each file.
const SERVERS: (&str, &str) =
    ("sdk/wit/language-servers.wit", include_str!("../../../../wit/language-servers.wit"));

/// The WIT interfaces for the binding generators of other languages, and a world for the plugin itself.
const WIT: [(&str, &str); 3] = [
    ("wit/world.wit", include_str!("../../../../plugins/template/world.wit.in")),
    ("wit/deps/iac-plugin/plugin.wit", include_str!("../../../../wit/plugin.wit")),
    ("wit/deps/iac-plugin/language-servers.wit", include_str!("../../../../wit/language-servers.wit")),
];

const JS: [(&str, &str); 3] = [
    ("plugin.js", include_str!("../../../../plugins/template/js/plugin.js.in")),
    ("package.json", include_str!("../../../../plugins/template/js/package.json.in")),
    (".gitignore", "/node_modules\n/*.wasm\n"),
];

const PYTHON: [(&str, &str); 4] = [
    ("app.py", include_str!("../../../../plugins/template/python/app.py.in")),
    ("requirements.txt", include_str!("../../../../plugins/template/python/requirements.txt")),
    ("Makefile", include_str!("../../../../plugins/template/python/Makefile")),
    (".gitignore", "__pycache__\n/.venv\n/*.wasm\n"),
];

const C: [(&str, &str); 4] = [
    ("calls/folders.json", include_str!("../../../../plugins/template/c/call.json.in")),
    ("plugin.c", include_str!("../../../../plugins/template/c/plugin.c.in")),
    ("Makefile", include_str!("../../../../plugins/template/c/Makefile")),
    (".gitignore", "/guest*\n/*.wasm\n"),
];

/// The language of a plugin.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Language {
    Rust,
    Js,
    Python,
    C,
}

impl Language {
    /// Returns the files of a new plugin. The plugin's name is filled in later.
    fn files(self) -> Vec<(&'static str, &'static str)> {
        let own: Vec<(&str, &str)> = match self {
            Self::Rust => RUST.into_iter().chain([COUNTS, SERVERS]).collect(),
            Self::Js => JS.into_iter().chain([COUNTS]).chain(WIT).collect(),
            Self::Python => PYTHON.into_iter().chain([COUNTS]).chain(WIT).collect(),
            Self::C => C.into_iter().chain(WIT).collect(),
        };
        [MANIFEST_TEXT].into_iter().chain(own).collect()
    }

    /// What the plugin does: as its own description, in a sentence, and as the reason for reading Notes.
    fn does(self) -> [&'static str; 3] {
        match self {
            Self::C => {
                ["Lists the folders of Notes", "lists the folders of Notes", "lists folders; reads no note"]
            }
            _ => ["Counts the notes in each folder", "counts notes", "counts notes; never reads their text"],
        }
    }

    /// The command to run before the first build, with a comment on its purpose.
    fn needs(self) -> &'static str {
        match self {
            Self::Rust => "cargo test                # tests the parts that need no host",
            Self::Js => "npm install               # jco, which makes a component of the script",
            Self::Python => {
                "python3 -m venv .venv && . .venv/bin/activate && pip install -r requirements.txt   # componentize-py"
            }
            Self::C => "cargo install wit-bindgen-cli@0.61.1   # and zig, whose clang compiles for WASI",
        }
    }

    fn source(self) -> &'static str {
        match self {
            Self::Rust => "src/lib.rs",
            Self::Js => "plugin.js",
            Self::Python => "app.py",
            Self::C => "plugin.c",
        }
    }
}

impl New {
    pub(super) fn run(self) -> Result<(), Failure> {
        let id: PluginId = self.id.parse().map_err(|error| Failure::Misuse(format!("{error}")))?;
        let folder = Path::new(id.as_str());
        if folder.exists() {
            return Err(Failure::Failed(format!("{} already exists", folder.display())));
        }
        let [description, does, reason] = self.language.does();
        for (name, text) in self.language.files() {
            let text = text.replace("{{id}}", id.as_str()).replace("{{tool}}", &id.tool_prefix());
            let text = text.replace("{{description}}", description).replace("{{reason}}", reason);
            write(&folder.join(name), text.as_bytes())?;
        }
        let (needs, source) = (self.language.needs(), self.language.source());
        Ok(writeln!(
            paint::stdout(),
            "created {id}/: a plugin that {does}, and one golden call\n\n\
             \x20 cd {id}\n\
             \x20 {needs}\n\
             \x20 iac-mcp plugin test       # builds {id}.wasm and runs calls/ on a simulated Mac\n\
             \x20 iac-mcp plugin dev        # does so again after every change\n\
             \x20 iac-mcp plugin add {id}.wasm\n\
             \x20 iac-mcp call {tool} --simulated\n\n\
             {source} is the plugin, plugin.toml says what it may reach. After a change of its answers, \
             `iac-mcp plugin test --update` writes them.",
            tool = id.tool_prefix(),
        )?)
    }
}

impl Build {
    pub(super) fn run(self, common: &Common) -> Result<(), Failure> {
        made(&build((common.plugin_engine, cache(common).as_ref()), &self.folder, self.output)?)
    }
}

/// Prints the path and the size of a package.
fn made(package: &Path) -> Result<(), Failure> {
    let bytes = std::fs::metadata(package)?.len();
    Ok(writeln!(paint::stdout(), "{}: {bytes} bytes", package.display())?)
}

/// Builds the plugin in a folder. Returns the path of its package.
pub(in crate::cli) fn build(
    (choice, cache): (Choice, Option<&Cache>),
    folder: &Path,
    output: Option<PathBuf>,
) -> Result<PathBuf, Failure> {
    let manifest = folder.join("plugin.toml");
    let id = id(&manifest)?;
    let module = match Tool::of(folder) {
        Some(Tool::Cargo) => cargo(folder, &id.as_str().replace('-', "_"))?,
        Some(tool) => tool.run(folder)?,
        None => {
            let message =
                format!("{} has no Cargo.toml, package.json or Makefile, expected one", folder.display());
            return Err(Failure::Misuse(format!(
                "{message}\nmake the module yourself and run `iac-mcp plugin pack`"
            )));
        }
    };
    let output = output.unwrap_or_else(|| folder.join(format!("{id}.wasm")));
    pack((choice, cache), &module, &manifest, &output)?;
    Ok(output)
}

impl Pack {
    pub(super) fn run(self, common: &Common) -> Result<(), Failure> {
        let id = id(&self.manifest)?;
        let beside = self.manifest.with_file_name(format!("{id}.wasm"));
        let output = self.output.unwrap_or(beside);
        pack((common.plugin_engine, cache(common).as_ref()), &self.wasm, &self.manifest, &output)?;
        made(&output)
    }
}

impl Check {
    pub(super) fn run(self, common: &Common) -> Result<(), Failure> {
        let bytes = read(&self.file)?;
        let package = package::read(&bytes)?;
        verify(common, &bytes, &package)?;
        if let Some(name) = &self.script {
            return script(&package, name);
        }
        if common.json {
            let body = json!({
                "id": package.manifest.id, "version": package.manifest.version, "sha256": package.sha256,
                "bytes": package.size, "imports": package.imports, "wants": package.manifest.wants,
                "tools": package.tools, "scripts": package.scripts, "settings": package.manifest.settings,
            });
            return Ok(paint::answer(&body, true)?);
        }
        show(&package)
    }
}

fn script(package: &Package, name: &str) -> Result<(), Failure> {
    let found = package.scripts.iter().find(|script| script.name == name);
    let found = found.ok_or_else(|| Failure::Failed(format!("the package has no script `{name}`")))?;
    Ok(write!(anstream::stdout(), "{}", found.text)?)
}

fn show(package: &Package) -> Result<(), Failure> {
    let mut out = paint::stdout();
    let manifest = &package.manifest;
    writeln!(out, "{} {}: {}", manifest.id, manifest.version, manifest.description)?;
    writeln!(out, "{} bytes, sha256 {}", package.size, package.sha256)?;
    for line in wants(package, &["the folders you name".to_owned()]) {
        writeln!(out, "  {line}")?;
    }
    let writes = package.imports.contains(&Capability::AppsChange)
        || package.scripts.iter().any(|script| script.level > Level::Safe);
    let sends = manifest.wants.iter().flat_map(|want| &want.methods).any(|method| !method.reads());
    let can = match (writes, sends, package.scripts.is_empty()) {
        (true, true, _) => "it can change apps, and send things to web servers",
        (true, false, _) => "it can change apps",
        (false, true, _) => "it can send things to web servers",
        (false, false, false) => "it declares that its scripts change nothing",
        (false, false, true) => "it cannot change anything, because it imports nothing that does",
    };
    writeln!(out, "{can}")?;
    for tool in &package.tools {
        let effect = if tool.read_only { "reads" } else { "changes" };
        writeln!(out, "  {} ({effect})", tool.name)?;
    }
    for line in settings(manifest, &Map::new()) {
        writeln!(out, "  {line}")?;
    }
    Ok(())
}

fn pack(
    (choice, cache): (Choice, Option<&Cache>),
    wasm: &Path,
    manifest: &Path,
    output: &Path,
) -> Result<(), Failure> {
    let (module, text) = (read(wasm)?, text(manifest)?);
    let texts = texts(manifest, &text)?;
    let (engine, limits) = (engine(choice)?, Limits::standard());
    let packed = package::pack(&engine, &module, &text, &texts, &limits, cache);
    let package = working("packing", packed)??;
    write(output, &package)
}

/// Reads the scripts and resources that a manifest names. They are beside the manifest.
fn texts(manifest: &Path, toml: &str) -> Result<Texts, Failure> {
    let parsed = parsed(manifest, toml)?;
    let read = |file: &String| Ok((file.clone(), text(&manifest.with_file_name(file))?));
    parsed.files().map(read).collect()
}

/// The tool that builds the module of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    Cargo,
    Npm,
    Make,
}

/// The file that `npm run build` and `make` write.
const MODULE: &str = "module.wasm";

impl Tool {
    pub(super) fn of(folder: &Path) -> Option<Self> {
        let tools = [("Cargo.toml", Self::Cargo), ("package.json", Self::Npm), ("Makefile", Self::Make)];
        tools.into_iter().find(|(file, _)| folder.join(file).is_file()).map(|(_, tool)| tool)
    }

    /// Runs the author's own build command, which writes `module.wasm`.
    #[expect(
        clippy::disallowed_methods,
        reason = "the compiler is started for its author at the terminal, never by a server"
    )]
    fn run(self, folder: &Path) -> Result<PathBuf, Failure> {
        let words: &[&str] =
            if self == Self::Npm { &["npm", "run", "--silent", "build"] } else { &["make", MODULE] };
        let shown = words.join(" ");
        let mut command = Command::new(words[0]);
        // The build's messages go to stderr, because stdout is for the answer.
        command.args(&words[1..]).current_dir(folder).stdout(std::io::stderr());
        let ended = command
            .status()
            .map_err(|error| Failure::Failed(format!("{} cannot be started: {error}", words[0])))?;
        let module = folder.join(MODULE);
        match (ended.success(), module.is_file()) {
            (true, true) => Ok(module),
            (true, false) => Err(Failure::Failed(format!("`{shown}` did not write {}", module.display()))),
            (false, _) => Err(Failure::Failed(format!("`{shown}` failed; its messages stand above"))),
        }
    }
}

/// Builds the plugin in a folder with cargo. Returns the path of the module with that name.
#[expect(
    clippy::disallowed_methods,
    reason = "the compiler is started for its author at the terminal, never by a server"
)]
fn cargo(folder: &Path, name: &str) -> Result<PathBuf, Failure> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["build", "--lib", "--release", "--target", TARGET]);
    command.arg("--message-format=json-render-diagnostics").current_dir(folder).stderr(Stdio::inherit());
    let ended = command.output();
    let ended =
        ended.map_err(|error| Failure::Failed(format!("cargo cannot be started: {error}\n{TOOLCHAIN}")))?;
    if !ended.status.success() {
        // cargo has printed the error above. A missing target looks like a missing crate `core` or `std`.
        let hint = match has_target() {
            Some(false) => format!("\nthe target is missing; run `rustup target add {TARGET}`"),
            Some(true) => String::new(),
            None => format!("\n{TOOLCHAIN}"),
        };
        return Err(Failure::Failed(format!("cargo could not build the plugin{hint}")));
    }
    let lines = || ended.stdout.split(|byte| *byte == b'\n').rev();
    lines().find_map(|line| module(line, name)).ok_or_else(|| Failure::Failed(unwritten(name, lines())))
}

/// What to do without a toolchain.
const TOOLCHAIN: &str = "a plugin in Rust needs Rust's toolchain: install it from https://rustup.rs, then run `rustup target add wasm32-unknown-unknown`";

/// Whether the target for plugins is installed; `None` if there is no compiler that works.
#[expect(
    clippy::disallowed_methods,
    reason = "the compiler is asked for its author at the terminal, never by a server"
)]
fn has_target() -> Option<bool> {
    let asked = Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).output();
    let said = asked.ok().filter(|said| said.status.success())?;
    Some(Path::new(String::from_utf8_lossy(&said.stdout).trim()).is_dir())
}

/// Explains why cargo wrote no module of that name.
fn unwritten<'a>(name: &str, mut messages: impl Iterator<Item = &'a [u8]>) -> String {
    match messages.find_map(any_module) {
        Some(other) => format!(
            "cargo wrote {other}, expected {name}.wasm: give the package the id of plugin.toml as its name"
        ),
        None => format!("cargo did not write {name}.wasm; Cargo.toml needs crate-type = [\"cdylib\"]"),
    }
}

/// Returns the name of any module that a cargo message reports.
fn any_module(line: &[u8]) -> Option<String> {
    let message: Json = serde_json::from_slice(line).ok()?;
    let mut files = message["filenames"].as_array()?.iter().filter_map(Json::as_str).map(Path::new);
    let found = files.find(|file| file.extension().is_some_and(|it| it == "wasm"))?;
    found.file_name().map(|name| name.to_string_lossy().into_owned())
}

/// Returns the path of the built module, if a cargo message reports it.
fn module(line: &[u8], name: &str) -> Option<PathBuf> {
    let message: Json = serde_json::from_slice(line).ok()?;
    let mut files = message["filenames"].as_array()?.iter().filter_map(Json::as_str).map(PathBuf::from);
    files.find(|file| file.file_name().is_some_and(|it| it.to_str() == Some(&format!("{name}.wasm"))))
}

pub(in crate::cli) fn id(manifest: &Path) -> Result<PluginId, Failure> {
    Ok(parsed(manifest, &text(manifest)?)?.id)
}

/// Parses a manifest. An error names the actual file, which may have any name.
fn parsed(manifest: &Path, toml: &str) -> Result<Manifest, Failure> {
    let named =
        |error: ManifestError| error.to_string().replacen(MANIFEST, &manifest.display().to_string(), 1);
    Manifest::parse(toml).map_err(|error| Failure::Failed(named(error)))
}

pub(super) fn text(path: &Path) -> Result<String, Failure> {
    let not_text = |error| Failure::Failed(format!("{} is not a text file: {error}", path.display()));
    String::from_utf8(read(path)?).map_err(not_text)
}

pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let written = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    let written =
        written.and_then(|()| std::fs::File::create(path)).and_then(|mut file| file.write_all(bytes));
    written.map_err(|error| Failure::Failed(format!("{} cannot be written: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn names(folder: &str) -> BTreeSet<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugins/sdk").join(folder);
        let files = std::fs::read_dir(folder).expect("the SDK is there").flatten();
        files.filter_map(|file| file.file_name().into_string().ok()).collect()
    }

    #[test]
    fn a_new_plugin_gets_the_whole_sdk() {
        for (folder, suffix) in [("src", ".rs"), ("wit", ".wit")] {
            let given = RUST.iter().chain([&SERVERS]).map(|(name, _)| *name);
            let given =
                given.filter_map(|name| name.strip_prefix(&format!("sdk/{folder}/")).map(str::to_owned));
            let held = names(folder).into_iter().filter(|name| name.ends_with(suffix));
            assert_eq!(given.collect::<BTreeSet<_>>(), held.collect(), "{folder}");
        }
    }
}
