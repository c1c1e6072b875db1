//! OmniFocus for an assistant: tools that compile their arguments to a small program, and fixed scripts that interpret
//! it inside OmniFocus.
//!
//! A caller's text never becomes source text: names, dates and patterns are data of the program. The code reaches
//! OmniFocus only through its [`Engine`], so tests can run all of it natively.
#![forbid(unsafe_code)]

mod moment;
mod dates;
mod program;
mod fields;
mod filter;
mod engine;
mod answer;
mod read;
mod system;
mod write;
mod analyze;

pub use engine::{Engine, Script};
pub use moment::Moment;

use iac_plugin::{Arguments, Fault, Json, Plugin, Tool};

/// Returns the tools in the order in which a client sees them.
pub fn tools() -> Vec<Tool> {
    vec![read::tool(), write::tool(), analyze::tool(), system::tool()]
}

/// Answers one call of one of [`tools`].
///
/// # Errors
/// `invalid_parameter` for arguments that are not understood or that name something missing in OmniFocus, and the
/// errors of the engine.
pub fn call(
    tool: &str,
    arguments: Arguments,
    moment: &Moment,
    engine: &mut dyn Engine,
) -> Result<Json, Fault> {
    match tool {
        "omnifocus_read" => read::call(arguments, moment, engine),
        "omnifocus_write" => write::call(arguments, moment, engine),
        "omnifocus_analyze" => analyze::call(arguments, moment, engine),
        "omnifocus_system" => system::call(arguments, moment, engine),
        _ => Err(Fault::invalid(format!("no tool `{tool}`, expected one of this plugin's"))),
    }
}

struct OmniFocus;

impl Plugin for OmniFocus {
    fn tools() -> Vec<Tool> {
        tools()
    }

    fn call(tool: &str, arguments: Arguments) -> Result<Json, Fault> {
        let moment = Moment::of(&iac_plugin::clock::now());
        call(tool, arguments, &moment, &mut engine::Host::default())
    }
}

iac_plugin::export!(OmniFocus);
