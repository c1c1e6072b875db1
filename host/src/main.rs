//! Starts what its name and first argument mean: the commands, the simulated `osascript`, or the guard of workers.
#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os();
    let name = arguments.next().unwrap_or_default();
    if Path::new(&name).file_name() == Some(OsStr::new("osascript")) {
        return iac_simulator::osascript(arguments);
    }
    let mut arguments = arguments.peekable();
    let own = |first: &OsString| first == "osascript" || first == "guard";
    match arguments.next_if(own) {
        None => iac_mcp::cli::run(arguments),
        Some(command) if command == "osascript" => iac_simulator::osascript(arguments),
        Some(_) => iac_osascript::guard(arguments.collect()),
    }
}
