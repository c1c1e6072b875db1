//! The dictionary that a command line names.

use std::path::Path;

use iac_apps::Definition;
use iac_core::app::App;
use iac_core::foreign;

use super::Failure;
use super::options::{Common, Mac};

/// How many characters of one text of an app are shown.
const LONGEST: usize = 2_000;

/// Reads the dictionary of an app or of an `.sdef` or `.scriptSuite` file; a file counts as an app of its name.
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
        // An app with another form of dictionary is converted here; errors are reported below.
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

/// Text of an app on its way to a terminal: one line, and nothing that a terminal would obey.
pub(super) fn clean(text: &str) -> String {
    foreign::clean(text, LONGEST)
}
