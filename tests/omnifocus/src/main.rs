//! The simulated `osascript`, as a program of this package.

use std::process::ExitCode;

fn main() -> ExitCode {
    iac_simulator::osascript(std::env::args_os().skip(1))
}
