//! Reads the dictionary that a command line names.

use std::path::Path;

use iac_apps::Definition;
use iac_core::app::App;
use iac_core::foreign;

use super::Failure;
use super::options::{Common, Mac};

/// The most characters that are shown of a text from an app.
const LONGEST: usize = 2_000;

/// Reads the dictionary of an app, or of an `.sdef` or `.scriptSuite` file. A file counts as an app with the file's
/// name.
pub(super) fn of(what: &str, common: &Common, mac: Mac) -> Result<(App, Definition), Failure> {
    let path = Path::new(what);
    if path.extension().is_some_and(|extension| extension == "sdef" || extension == "scriptSuite")
        || path.is_file()
    {
        let read = iac_apps::read_file(path, &Common::base(&mac), common.standard()?.as_deref());
        let definition = read.map_err(|error| Failure::Failed(format!("{}: {error}", path.display())))?;
        return Ok((of_file(path), definition));
    }
    let pipeline = mac.pipeline(common, &[])?;
    pipeline.prepare()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        // This also converts the dictionary of an app that has an older format. Errors are reported below.
        _ = pipeline.definition(what).await;
        pipeline.shutdown().await;
    });
    Ok(pipeline.catalog().definition(what)?)
}

fn of_file(path: &Path) -> App {
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    App {
        bundle_id: name.as_str().into(),
        name,
        version: String::new(),
        counts: None,
        others: Vec::new(),
        dictionary: None,
    }
}

/// Cleans a text from an app for a terminal: one line, without control sequences.
pub(super) fn clean(text: &str) -> String {
    foreign::clean(text, LONGEST)
}
