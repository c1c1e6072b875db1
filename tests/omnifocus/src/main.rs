//! The simulated `osascript`, under a name of this package.

use std::process::ExitCode;

fn main() -> ExitCode {
    iac_simulator::osascript(std::env::args_os().skip(1))
}
