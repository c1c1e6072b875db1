//! Arguments in, exit status out; everything else is in the library.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next() {
        Some(command) if command == "guard" => iac_mcp::osascript::guard(arguments.collect()),
        _ => ExitCode::from(2),
    }
}
