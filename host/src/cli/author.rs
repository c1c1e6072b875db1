//! `plugin`, as far as authors use it: to make a plugin, build it, try it out and measure it.

mod bench;
pub(super) mod build;
mod golden;
mod macs;
mod subject;
mod test;

use std::path::PathBuf;

use clap::Subcommand;

use super::Failure;
use super::options::Common;

/// Makes plugins.
#[derive(Debug, Subcommand)]
pub(super) enum Author {
    /// Makes a folder with a plugin that builds.
    New(build::New),
    /// Builds the plugin of a folder with cargo, and packs it.
    Build(build::Build),
    /// Makes a package of what a compiler wrote.
    Pack(build::Pack),
    /// Shows what a package is, what it can reach, and what is wrong with it.
    Check(build::Check),
    /// Makes the calls of a plugin's `calls` folder on a fresh simulated Mac, and compares the answers.
    Test(test::Test),
    /// Measures what a plugin costs: loading it, a call itself, and the whole call on a simulated Mac.
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
            Self::Bench(bench) => bench.run(common, roots),
        }
    }
}
