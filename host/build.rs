//! Embeds the built-in simulated Mac, plugin packages and, for a Mac, `Info.plist` into the program.

use std::env;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The simulated Mac in the repository, and the entry in it that is not embedded, because it only generates the data.
const MAC: &str = "../fixtures/mac";
const LEFT_OUT: &str = "make";

/// The variable with the folder of plugin packages to embed.
const PACKAGES: &str = "IAC_MCP_PACKAGES";

/// The file that macOS reads from the program when it asks the user for consent.
const INFO: &str = "Info.plist";

fn main() -> io::Result<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?);
    File::create(out.join("mac.rs"))?.write_all(mac()?.as_bytes())?;
    File::create(out.join("packages.rs"))?.write_all(packages()?.as_bytes())?;
    tell(&format!("cargo::rerun-if-env-changed={PACKAGES}"))?;
    // A program with embedded packages never builds plugins, so it contains no path of the machine that built it.
    if env::var_os(PACKAGES).is_none() {
        let source = env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?;
        tell(&format!("cargo::rustc-env=IAC_MCP_SOURCE={source}"))?;
    }
    [MAC, INFO, "build.rs"].iter().try_for_each(|path| tell(&format!("cargo::rerun-if-changed={path}")))?;
    info(&out)
}

/// Lists the files and links of the simulated Mac as the elements of a Rust array.
fn mac() -> io::Result<String> {
    let root = fs::canonicalize(MAC)?;
    let mut list = String::from("[\n");
    for path in files(&root)? {
        let name = path.strip_prefix(&root).map_err(io::Error::other)?;
        let item = match fs::read_link(&path) {
            Ok(target) => format!("Item::Link({:?})", target.to_string_lossy()),
            Err(_) => format!("Item::File(include_bytes!({:?}))", path.to_string_lossy()),
        };
        writeln!(list, "({:?}, {item}),", name.to_string_lossy()).map_err(io::Error::other)?;
    }
    list.push_str("]\n");
    Ok(list)
}

/// Lists the plugin packages to embed as the elements of a Rust array, by id.
fn packages() -> io::Result<String> {
    let mut list = String::from("[\n");
    for path in env::var_os(PACKAGES).map_or_else(|| Ok(Vec::new()), |folder| files(Path::new(&folder)))? {
        if path.extension().is_some_and(|extension| extension == "wasm") {
            let id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let path = fs::canonicalize(&path)?;
            tell(&format!("cargo::rerun-if-changed={}", path.display()))?;
            writeln!(list, "({id:?}, include_bytes!({:?})),", path.to_string_lossy())
                .map_err(io::Error::other)?;
        }
    }
    list.push_str("]\n");
    Ok(list)
}

/// Links `Info.plist` into the section where macOS looks for it. The section comes from an object file: the linker
/// that cross-builds for a Mac cannot make a section from a file, and an attribute in the code would be unsafe.
fn info(out: &Path) -> io::Result<()> {
    if env::var_os("CARGO_CFG_TARGET_VENDOR").is_none_or(|vendor| vendor != "apple") {
        return Ok(());
    }
    let (plist, source) = (out.join(INFO), out.join("info.s"));
    let text = fs::read_to_string(INFO)?.replace(">VERSION<", concat!(">", env!("CARGO_PKG_VERSION"), "<"));
    File::create(&plist)?.write_all(text.as_bytes())?;
    let section =
        format!(".section __TEXT,__info_plist,regular,no_dead_strip\n.incbin \"{}\"\n", plist.display());
    File::create(&source)?.write_all(section.as_bytes())?;
    // When asked for its version, zig leaves an empty file in the current folder.
    env::set_current_dir(out)?;
    let objects = cc::Build::new().file(&source).try_compile_intermediates().map_err(io::Error::other)?;
    objects.iter().try_for_each(|object| tell(&format!("cargo::rustc-link-arg-bins={}", object.display())))
}

/// Lists every file and link below a path, sorted; the path itself if it is a file.
fn files(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !fs::symlink_metadata(path)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = fs::read_dir(path)?.map(|entry| Ok(entry?.path()));
    let mut entries = entries.collect::<io::Result<Vec<_>>>()?;
    entries.retain(|path| !path.ends_with(LEFT_OUT));
    entries.sort();
    let below = entries.iter().map(|path| files(path)).collect::<io::Result<Vec<_>>>()?;
    Ok(below.into_iter().flatten().collect())
}

fn tell(line: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{line}")
}
