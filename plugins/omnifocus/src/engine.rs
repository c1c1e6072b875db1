//! Runs a program: one of the package's scripts inside OmniFocus.

use iac_plugin::apps::{self, App};
use iac_plugin::{Fault, Json};

/// A script of the package. Its text is a function of one argument, the program, and its result is the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// Selects, sorts and counts; changes nothing.
    Read,
    /// Looks up the items of a change and says which it would touch; changes nothing.
    Look,
    /// Makes, alters and deletes.
    Write,
}

impl Script {
    /// Returns the file of its text beside `plugin.toml`, and the values that are fixed in it there.
    pub fn source(self) -> (&'static str, &'static [(&'static str, bool)]) {
        match self {
            Self::Read => ("scripts/read.js", &[]),
            Self::Look => ("scripts/write.js", &[("mayChange", false)]),
            Self::Write => ("scripts/write.js", &[("mayChange", true)]),
        }
    }

    /// The file that the scripts share, a function without arguments; they find its result as `shared`.
    pub const SHARED: &'static str = "scripts/shared.js";

    /// Returns the name under which the package has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Look => "look",
            Self::Write => "write",
        }
    }
}

/// Runs scripts of the package inside OmniFocus.
pub trait Engine {
    /// Runs a script with a program and returns its result.
    ///
    /// # Errors
    /// Those of the host's `app-scripts.run`.
    fn run(&mut self, script: Script, program: &Json) -> Result<Json, Fault>;

    /// Returns the bundle id of the app, once it has answered.
    fn app(&self) -> Option<String>;

    /// Runs a script once for each program, with one decision about `acts` for all runs. `objects` has a line for each
    /// item. A run gets the result of the run before it as `carry`; a run without a result is the last.
    ///
    /// # Errors
    /// As for [`run`](Self::run); `detail.answers` has the results of the runs before the failed one.
    fn run_all(
        &mut self,
        script: Script,
        programs: &[Json],
        acts: &[String],
        objects: &[String],
    ) -> Result<Vec<Json>, Fault>;
}

/// The bundle ids of OmniFocus 4 and 3, the newest first.
const BUNDLE_IDS: [&str; 4] = [
    "com.omnigroup.OmniFocus4",
    "com.omnigroup.OmniFocus4.MacAppStore",
    "com.omnigroup.OmniFocus3",
    "com.omnigroup.OmniFocus3.MacAppStore",
];

/// The OmniFocus that the host reaches: the newest one that is installed and granted.
#[derive(Default)]
pub(crate) struct Host {
    app: Option<App>,
}

impl Engine for Host {
    fn run(&mut self, script: Script, program: &Json) -> Result<Json, Fault> {
        self.opened()?.run_script(script.name(), program)
    }

    fn run_all(
        &mut self,
        script: Script,
        programs: &[Json],
        acts: &[String],
        objects: &[String],
    ) -> Result<Vec<Json>, Fault> {
        self.opened()?.run_script_parts(script.name(), programs, acts, objects)
    }

    fn app(&self) -> Option<String> {
        self.app.as_ref().map(App::bundle_id)
    }
}

impl Host {
    fn opened(&mut self) -> Result<&App, Fault> {
        let app = match self.app.take() {
            Some(app) => app,
            None => open()?,
        };
        Ok(self.app.insert(app))
    }
}

fn open() -> Result<App, Fault> {
    let mut first = None;
    for bundle_id in BUNDLE_IDS {
        match apps::open(bundle_id) {
            Ok(app) => return Ok(app),
            Err(fault) if matches!(&*fault.code, "unknown_app" | "permission_denied") => {
                first.get_or_insert(fault);
            }
            Err(fault) => return Err(fault),
        }
    }
    Err(first.unwrap_or_else(|| Fault::new("app_not_found", "OmniFocus is not installed")))
}
