//! Inspects a file without running it: its imports, exports, string encodings, and our sections.

use std::collections::BTreeSet;

use wasmparser::{
    BinaryReader, CanonicalFunction, CanonicalOption, ComponentImport, Parser, Payload, Validator,
    WasmFeatures,
};

use super::{
    MOST_BYTES, PackageError, SECTION_MANIFEST, SECTION_RESOURCES, SECTION_SCRIPTS, SECTION_TOOLS, code,
    weight,
};
use crate::capability::Capability;

/// The contents of a component.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inspection {
    /// Its imports that need a grant.
    pub capabilities: BTreeSet<Capability>,
    /// Everything it imports, by full name.
    pub imports: Vec<String>,
    /// Everything it exports, by full name.
    pub exports: Vec<String>,
    sections: Vec<(&'static str, Vec<u8>)>,
    utf16: bool,
}

/// Interfaces that every plugin has.
const FREE: [&str; 4] = ["types", "log", "clock", "settings"];

impl Inspection {
    /// Reads a component.
    ///
    /// # Errors
    /// `Size`, `Wasm`, `Import`, `NoTools`, `Encoding`.
    pub fn of(wasm: &[u8]) -> Result<Self, PackageError> {
        if wasm.len() > MOST_BYTES {
            return Err(PackageError::Size(wasm.len()));
        }
        if !Parser::is_component(wasm) {
            return Err(PackageError::Wasm(
                "the file is not a component; make one with `iac-mcp plugin pack`".to_owned(),
            ));
        }
        let failed = |error| PackageError::Wasm(format!("the component is not valid: {error}"));
        // Validate the whole file before relying on any part of it.
        Validator::new_with_features(features()).validate_all(wasm).map_err(failed)?;
        weight::check(wasm).map_err(PackageError::Wasm)?;
        code::check(wasm).map_err(PackageError::Wasm)?;
        let mut inspection = Self::default();
        inspection.read(wasm).map_err(failed)?;
        inspection.check()?;
        Ok(inspection)
    }

    /// Finds the manifest of a file; `None` if there is none. The code is not parsed and may be anything.
    pub(super) fn manifest(wasm: &[u8]) -> Option<&str> {
        let mut sections = BinaryReader::new(wasm.get(8..)?, 0);
        while !sections.eof() {
            let (kind, length) = (sections.read_u8().ok()?, sections.read_var_u32().ok()?);
            let body = sections.read_bytes(usize::try_from(length).ok()?).ok()?;
            let mut custom = BinaryReader::new(body, 0);
            if kind == 0 && custom.read_string().ok()? == SECTION_MANIFEST {
                return std::str::from_utf8(custom.read_bytes(custom.bytes_remaining()).ok()?).ok();
            }
        }
        None
    }

    /// Returns the text of one of our sections.
    pub(super) fn text(&self, name: &'static str) -> Result<&str, PackageError> {
        let mut found = self.sections.iter().filter(|(held, _)| *held == name);
        match (found.next(), found.count()) {
            (Some((_, bytes)), 0) => std::str::from_utf8(bytes)
                .map_err(|error| PackageError::Wasm(format!("the section `{name}`: {error}"))),
            (first, more) => Err(PackageError::Section { name, count: more + usize::from(first.is_some()) }),
        }
    }

    /// Tells whether the file has one of our sections by that name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.sections.iter().any(|(held, _)| *held == name)
    }

    /// Checks that a component has none of our sections yet.
    pub(super) fn check_bare(&self) -> Result<(), PackageError> {
        match self.sections.first() {
            Some((name, _)) => {
                Err(PackageError::Wasm(format!("the component already has a section `{name}`")))
            }
            None => Ok(()),
        }
    }

    fn read(&mut self, wasm: &[u8]) -> wasmparser::Result<()> {
        let mut depth = 0_usize;
        for payload in Parser::new(0).parse_all(wasm) {
            match payload? {
                Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
                Payload::End(_) => depth = depth.saturating_sub(1),
                Payload::ComponentCanonicalSection(functions) => {
                    for function in functions {
                        self.utf16 |= options(&function?).iter().any(is_utf16);
                    }
                }
                Payload::ComponentImportSection(imports) if depth == 0 => {
                    for import in imports {
                        self.import(&import?);
                    }
                }
                Payload::ComponentExportSection(exports) if depth == 0 => {
                    for export in exports {
                        self.exports.push(export?.name.name.to_owned());
                    }
                }
                Payload::CustomSection(section) if depth == 0 => self.section(section.name(), section.data()),
                _ => {}
            }
        }
        Ok(())
    }

    fn import(&mut self, import: &ComponentImport<'_>) {
        self.imports.push(import.name.name.to_owned());
        let capability = interface(import.name.name).and_then(|name| name.parse::<Capability>().ok());
        self.capabilities.extend(capability);
    }

    fn section(&mut self, name: &str, data: &[u8]) {
        let ours = [SECTION_MANIFEST, SECTION_TOOLS, SECTION_SCRIPTS, SECTION_RESOURCES];
        let ours = ours.into_iter().find(|ours| *ours == name);
        self.sections.extend(ours.map(|name| (name, data.to_vec())));
    }

    fn check(&self) -> Result<(), PackageError> {
        if let Some(import) = self.imports.iter().find(|import| !is_known(import)) {
            return Err(unknown(import));
        }
        if !self.exports.iter().any(|export| interface(export) == Some("tools")) {
            return Err(PackageError::NoTools);
        }
        if self.utf16 { Err(PackageError::Encoding) } else { Ok(()) }
    }
}

/// The WebAssembly features that a package may use: one 32-bit memory for each module, and nothing shared.
fn features() -> WasmFeatures {
    let never = [
        WasmFeatures::MULTI_MEMORY,
        WasmFeatures::MEMORY64,
        WasmFeatures::RELAXED_SIMD,
        WasmFeatures::THREADS,
    ];
    never.into_iter().fold(WasmFeatures::default(), WasmFeatures::difference)
}

/// Returns the name of an `iac:plugin` interface if this host has its version.
fn interface(name: &str) -> Option<&str> {
    let (interface, version) = name.strip_prefix("iac:plugin/")?.split_once('@')?;
    version.starts_with("0.1.").then_some(interface)
}

fn is_known(import: &str) -> bool {
    interface(import).is_some_and(|name| FREE.contains(&name) || name.parse::<Capability>().is_ok())
}

fn unknown(import: &str) -> PackageError {
    let capabilities = Capability::ALL.iter().map(|capability| capability.name());
    let known: Vec<&str> = FREE.into_iter().chain(capabilities).collect();
    let advice = if import.starts_with("wasi:") {
        "build for wasm32-unknown-unknown, which has no WASI"
    } else if import.starts_with("iac:plugin/") {
        "build with the SDK of this version of the host"
    } else {
        "leave it out"
    };
    PackageError::Import { import: import.to_owned(), known: known.join(", "), advice }
}

fn options(function: &CanonicalFunction) -> &[CanonicalOption] {
    match function {
        CanonicalFunction::Lift { options, .. } | CanonicalFunction::Lower { options, .. } => options,
        _ => &[],
    }
}

fn is_utf16(option: &CanonicalOption) -> bool {
    matches!(option, CanonicalOption::UTF16 | CanonicalOption::CompactUTF16)
}
