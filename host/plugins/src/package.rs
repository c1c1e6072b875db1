//! A package is one component with custom sections of ours, among them `plugin.toml` and the tools that it listed
//! when it was made.
//!
//! The file is the unit of hashing, granting and trust. Nothing about a plugin is stored anywhere else.

mod code;
mod inspect;
mod resources;
mod scripts;
mod wasi;
mod weight;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use wit_component::ComponentEncoder;

use crate::capability::{Capability, Grants};
use crate::descriptor::{self, Descriptor, DescriptorError};
use crate::engine::{Cache, Compiled, Engine, LoadError, Plugin, Setup};
use crate::failure::Failure;
use crate::limits::Limits;
use crate::manifest::{Manifest, ManifestError};
use crate::script::Script;
use crate::signature::Key;

pub use inspect::Inspection;
pub use scripts::Texts;

/// A package that was read and checked: its claims match its code.
#[derive(Clone, Debug, PartialEq)]
pub struct Package {
    /// Its description of itself.
    pub manifest: Manifest,
    pub tools: Vec<Descriptor>,
    pub scripts: Vec<Script>,
    /// The texts of its resources, by name.
    pub resources: BTreeMap<String, String>,
    /// The imports of its code that need a grant.
    pub imports: BTreeSet<Capability>,
    /// SHA-256 of the whole file, in hexadecimal.
    pub sha256: String,
    /// Bytes of the file.
    pub size: usize,
}

/// Why a file is not a package.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PackageError {
    #[error("the file has {0} bytes, expected at most {MOST_BYTES}")]
    Size(usize),
    /// This WebAssembly cannot become a plugin.
    #[error("{0}")]
    Wasm(String),
    #[error(
        "the component imports `{import}`, expected only interfaces of iac:plugin@0.1 ({known}); {advice}"
    )]
    Import { import: String, known: String, advice: &'static str },
    #[error("the component does not export `iac:plugin/tools@0.1.0`")]
    NoTools,
    #[error("the component passes text as UTF-16, expected UTF-8")]
    Encoding,
    #[error(
        "the section `{name}` occurs {count} times, expected once; make the file with `iac-mcp plugin pack`"
    )]
    Section {
        name: &'static str,
        /// How many there are.
        count: usize,
    },
    /// The manifest is not valid.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    #[error("the code imports {imports}, but plugin.toml wants {wants}: both must be the same")]
    Wants {
        /// The imports of the code.
        imports: String,
        /// The permissions that the manifest wants.
        wants: String,
    },
    /// The list of tools is not valid.
    #[error(transparent)]
    Tools(#[from] DescriptorError),
    #[error("the section `{SECTION_TOOLS}` is not a list of tools: {0}")]
    ToolList(String),
    #[error("script `{name}`: {why}")]
    Script { name: String, why: String },
    #[error("resource `{name}`: {why}")]
    Resource { name: String, why: String },
    #[error(
        "the component lists other tools than its package; make the file again with `iac-mcp plugin pack`"
    )]
    OtherTools,
    /// It does not load.
    #[error("{0}")]
    Load(String),
    #[error("listing its tools failed: {0}")]
    Listing(#[from] Failure),
}

impl From<LoadError> for PackageError {
    fn from(error: LoadError) -> Self {
        Self::Load(error.to_string())
    }
}

const SECTION_MANIFEST: &str = "iac:plugin.toml";
const SECTION_TOOLS: &str = "iac:tools.json";
const SECTION_SCRIPTS: &str = "iac:scripts.json";
const SECTION_RESOURCES: &str = "iac:resources.json";

/// The most bytes of a package. A plugin in Python has 18 MiB with its interpreter; others are far smaller.
pub const MOST_BYTES: usize = 32 * 1024 * 1024;

/// Makes a package from a compiler's output: a core module with the description of its world, or a component. `texts`
/// are those of its scripts and resources. Runs the guest once, to list its tools.
///
/// # Errors
/// The module, the manifest, or their combination is wrong.
pub async fn pack(
    engine: &Arc<Engine>,
    wasm: &[u8],
    manifest: &str,
    texts: &Texts,
    limits: &Limits,
    cache: Option<&Cache>,
) -> Result<Vec<u8>, PackageError> {
    let parsed = Manifest::parse(manifest)?;
    let scripts = scripts::collect(&parsed, texts)?;
    let resources = resources::collect(&parsed, texts)?;
    let component = component(wasm)?;
    let inspection = Inspection::of(&component)?;
    inspection.check_bare()?;
    compare(&inspection.capabilities, &parsed)?;
    let compiled = engine.compile(&component, cache)?;
    let tools = list(engine, &compiled, &parsed, limits).await?;
    descriptor::check(&parsed.id, &tools)?;
    let tools = serde_json::to_vec(&tools).map_err(|error| PackageError::ToolList(error.to_string()))?;
    let mut package = component;
    append(&mut package, SECTION_MANIFEST, manifest.as_bytes());
    append(&mut package, SECTION_TOOLS, &tools);
    if !scripts.is_empty() {
        append(&mut package, SECTION_SCRIPTS, &scripts::write(&scripts));
    }
    if !resources.is_empty() {
        append(&mut package, SECTION_RESOURCES, &resources::write(&resources));
    }
    Ok(package)
}

/// Reads a package. No guest code runs.
///
/// # Errors
/// The file is wrong, or its claims differ from its code.
pub fn read(bytes: &[u8]) -> Result<Package, PackageError> {
    let inspection = Inspection::of(bytes)?;
    let manifest = Manifest::parse(inspection.text(SECTION_MANIFEST)?)?;
    compare(&inspection.capabilities, &manifest)?;
    let tools: Vec<Descriptor> = serde_json::from_str(inspection.text(SECTION_TOOLS)?)
        .map_err(|error| PackageError::ToolList(error.to_string()))?;
    descriptor::check(&manifest.id, &tools)?;
    let scripts = scripts::read(&manifest, &inspection)?;
    let resources = resources::read(&manifest, &inspection)?;
    let sha256 = HEXLOWER.encode(&Sha256::digest(bytes));
    let imports = inspection.capabilities;
    Ok(Package { manifest, tools, scripts, resources, imports, sha256, size: bytes.len() })
}

/// Reads the text of one resource of a package, and nothing else; `None` if there is no resource of that name.
///
/// # Errors
/// As for [`read`].
pub fn resource(bytes: &[u8], name: &str) -> Result<Option<String>, PackageError> {
    let inspection = Inspection::of(bytes)?;
    let manifest = Manifest::parse(inspection.text(SECTION_MANIFEST)?)?;
    Ok(resources::read(&manifest, &inspection)?.remove(name))
}

/// Compiles a package that was read from these bytes, and checks that it still lists the tools that the package
/// claims.
///
/// # Errors
/// It does not compile, or the guest fails or lists other tools.
pub async fn verify(
    engine: &Arc<Engine>,
    (bytes, package): (&[u8], &Package),
    limits: &Limits,
    cache: Option<&Cache>,
) -> Result<(), PackageError> {
    let compiled = engine.compile(bytes, cache)?;
    let tools = list(engine, &compiled, &package.manifest, limits).await?;
    if tools == package.tools { Ok(()) } else { Err(PackageError::OtherTools) }
}

/// Returns the key that a package names. Its code is not parsed, so the signature can be checked first.
pub fn key(bytes: &[u8]) -> Option<Key> {
    Manifest::parse(Inspection::manifest(bytes)?).ok()?.key
}

/// The advice if a module was built for a browser, as wasm-bindgen does it.
const JAVASCRIPT: &str = "a crate imports JavaScript (`__wbindgen…`), and a plugin can import only `iac:plugin`; switch off its features such as `wasmbind` or `js`, often with `default-features = false`";

/// Makes a component from a core module; a component stays as it is.
fn component(wasm: &[u8]) -> Result<Vec<u8>, PackageError> {
    if wasm.len() > MOST_BYTES {
        return Err(PackageError::Size(wasm.len()));
    }
    let failed = |what: &str, error: &anyhow::Error| PackageError::Wasm(format!("{what}: {error:#}"));
    let component = match wasmparser::Parser::is_component(wasm) {
        false if wasi::imports(wasm, |from| from.starts_with("__wbindgen")) => {
            return Err(PackageError::Wasm(JAVASCRIPT.to_owned()));
        }
        true => Ok(wasm.to_vec()),
        false => encoded(wasm).map_err(|error| failed("the module cannot become a component", &error)),
    };
    wasi::close(component?).map_err(|error| failed("the component's use of WASI cannot be closed", &error))
}

fn encoded(module: &[u8]) -> anyhow::Result<Vec<u8>> {
    wasi::lift(ComponentEncoder::default().module(module)?, module)?.validate(true).encode()
}

async fn list(
    engine: &Arc<Engine>,
    compiled: &Compiled,
    manifest: &Manifest,
    limits: &Limits,
) -> Result<Vec<Descriptor>, PackageError> {
    let setup = Setup {
        id: manifest.id.clone(),
        // Listing tools needs no permission, so every interface refuses.
        grants: Grants::default(),
        wanted: Grants::default(),
        limits: limits.clone(),
        settings: serde_json::Map::new(),
        tools: Vec::new(),
        scripts: Vec::new(),
        secrets: Vec::new(),
        lenient: true,
    };
    Ok(Plugin::link(engine, compiled, setup)?.list_tools().await?)
}

impl Package {
    /// Returns the grants for everything that it wants, except folders, which only an operator can name.
    pub fn grants(&self) -> Grants {
        let mut grants = self.manifest.grants();
        let pins = self.scripts.iter().map(|script| (script.name.clone(), script.pin()));
        grants.app_scripts.extend(pins);
        grants
    }
}

impl Package {
    /// Returns the missing grants, as arguments of `plugin grant`. For each imported capability without a grant,
    /// these are all permissions that the package wants.
    pub fn lacks(&self, held: &Grants) -> Vec<String> {
        let wanted = self.grants();
        let missing = self.imports.iter().filter(|capability| !held.has(**capability));
        missing.flat_map(|capability| wanted.arguments(*capability)).collect()
    }
}

fn compare(imports: &BTreeSet<Capability>, manifest: &Manifest) -> Result<(), PackageError> {
    let wants = manifest.capabilities();
    if *imports == wants {
        return Ok(());
    }
    Err(PackageError::Wants { imports: names(imports), wants: names(&wants) })
}

fn names(capabilities: &BTreeSet<Capability>) -> String {
    let names: Vec<&str> = capabilities.iter().map(|capability| capability.name()).collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}

/// Appends a custom section: its id, and two lengths around its name.
fn append(wasm: &mut Vec<u8>, name: &str, data: &[u8]) {
    let mut body = Vec::new();
    number(&mut body, name.len());
    body.extend_from_slice(name.as_bytes());
    body.extend_from_slice(data);
    wasm.push(0);
    number(wasm, body.len());
    wasm.extend_from_slice(&body);
}

/// Writes a number as LEB128: groups of seven bits, the lowest first.
fn number(out: &mut Vec<u8>, mut value: usize) {
    loop {
        let group = u8::try_from(value & 0x7f).expect("seven bits fit a byte");
        value >>= 7;
        if value == 0 {
            return out.push(group);
        }
        out.push(group | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_for_a_browser_is_told_what_to_switch_off() {
        let module =
            r#"(module (import "__wbindgen_externref_xform__" "__wbindgen_externref_table_grow" (func)))"#;
        let module = wat::parse_str(module).expect("the test's own module");
        let said = component(&module).expect_err("nobody can answer it").to_string();
        assert!(said.contains("switch off its features such as `wasmbind`"), "{said}");
    }
}
