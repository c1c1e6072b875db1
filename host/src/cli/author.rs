//! The part of `plugin` for authors: making, building, testing and measuring a plugin.

mod bench;
pub(super) mod build;
mod dev;
mod golden;
mod macs;
mod subject;
mod test;

pub(super) use test::replayed;

use std::path::PathBuf;

use clap::Subcommand;

use super::Failure;
use super::options::Common;

/// Makes plugins.
#[derive(Debug, Subcommand)]
pub(super) enum Author {
    /// Creates a new plugin project.
    New(build::New),
    /// Builds the plugin of a folder and packages it.
    Build(build::Build),
    /// Packages a compiled .wasm module.
    Pack(build::Pack),
    /// Shows a package, the permissions it needs, and its faults.
    Check(build::Check),
    /// Runs a plugin's golden calls and compares the answers.
    Test(test::Test),
    /// Builds and tests a plugin again after every change of its folder.
    Dev(dev::Dev),
    /// Measures loading, a call alone, and a whole call.
    Bench(bench::Bench),
}

impl Author {
    pub(super) fn run(self, common: &Common, roots: Vec<PathBuf>) -> Result<(), Failure> {
        match self {
            Self::New(new) => new.run(),
            Self::Build(build) => build.run(common),
            Self::Pack(pack) => pack.run(common),
            Self::Check(check) => check.run(common),
            Self::Test(test) => test.run(common, roots),
            Self::Dev(dev) => dev.run(common, &roots),
            Self::Bench(bench) => bench.run(common, roots),
        }
    }
}
