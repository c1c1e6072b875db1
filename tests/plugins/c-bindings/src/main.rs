//! Writes the files that a plugin in C needs: `iac-c-bindings WIT FOLDER` puts `plugin.h`, `plugin.c` and
//! `plugin_component_type.o` into the folder, as `wit-bindgen c WIT` does. `WORLD` names another world than `plugin`.

use std::env::args;
use std::error::Error;
use std::path::Path;

use wit_bindgen_core::Files;
use wit_bindgen_core::wit_parser::Resolve;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = args().skip(1).collect();
    let (wit, folder, world) = match &arguments[..] {
        [wit, folder] => (wit, folder, "plugin"),
        [wit, folder, world] => (wit, folder, world.as_str()),
        _ => return Err("expected: iac-c-bindings WIT FOLDER [WORLD]".into()),
    };
    for (name, content) in generate(Path::new(wit), world)?.iter() {
        write(&Path::new(folder).join(name), content)?;
    }
    Ok(())
}

fn generate(wit: &Path, world: &str) -> Result<Files, Box<dyn Error>> {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_path(wit)?;
    let world = resolve.select_world(&[package], Some(world))?;
    let mut files = Files::default();
    wit_bindgen_c::Opts::default().build().generate(&mut resolve, world, &mut files)?;
    Ok(files)
}

#[expect(
    clippy::disallowed_methods,
    reason = "a tool of the tests writes where it is told to, and keeps no state"
)]
fn write(file: &Path, content: &[u8]) -> Result<(), Box<dyn Error>> {
    std::fs::write(file, content).map_err(|error| format!("{}: {error}", file.display()).into())
}
