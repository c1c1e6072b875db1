//! The `osascript` of the simulated Mac as a separate program, for a `PATH` or a test.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    iac_simulator::osascript(std::env::args_os().skip(1))
}
