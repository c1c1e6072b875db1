//! `plugin`: operators install plugins and grant permissions. No MCP tool can do any of this.

mod change;
mod found;
mod index;
mod oci;
mod lookup;
mod operator;
mod place;
mod publish;
mod secret;
mod shipped;
mod trust;

use std::path::PathBuf;

use clap::Subcommand;

use super::Failure;
use super::author::Author;
use super::options::{Common, Mac};
use crate::plugins::Engine as Choice;

pub(super) use lookup::{owner, reach, script_terms, terms};

/// Creates, installs and manages plugins.
#[derive(Debug, Subcommand)]
pub(super) enum Plugin {
    #[command(flatten)]
    Author(Author),
    /// Shows the permissions that a package needs, asks, and installs it.
    Add(operator::Add),
    /// Updates a plugin, and asks you about new permissions.
    Update(operator::Update),
    /// Grants a permission to a plugin.
    Grant(operator::Grant),
    /// Revokes a permission of a plugin.
    Revoke(operator::Reach),
    /// Changes or resets a setting of a plugin.
    Set(operator::Set),
    /// Sets or removes a secret of a plugin, such as a token.
    Secret(secret::Secret),
    /// Changes the limits of a plugin's calls.
    Limit(operator::Limit),
    /// Compiles something and runs it, as a trial for another process of this program.
    #[command(hide = true)]
    Probe,
    /// Makes the key that an author signs packages with.
    Keygen(publish::Keygen),
    /// Signs a package, for its author.
    Sign(publish::Sign),
    /// Puts a package into an OCI registry for others to install.
    Publish(publish::Publish),
    /// Finds plugins in an index.
    Find(index::Find),
    /// Writes the index entry of a package.
    Entry(index::Write),
    /// Checks each entry of an index, its package and its golden calls.
    CheckIndex(index::Check),
    /// Lists the installed plugins.
    List,
    /// Shows a plugin, its permissions and its settings.
    Show {
        /// The id of the plugin.
        id: String,
    },
    /// Lists the plugins that differ from the package at their source.
    Outdated {
        /// A file with USER:PASSWORD for a registry.
        #[arg(long, value_name = "FILE")]
        login: Option<PathBuf>,
    },
    /// Switches a plugin off; its permissions and data stay.
    Disable {
        /// The id of the plugin.
        id: String,
    },
    /// Switches a disabled plugin on again.
    Enable {
        /// The id of the plugin.
        id: String,
    },
    /// Ends the quarantine of a plugin.
    Release {
        /// The id of the plugin.
        id: String,
    },
    /// Removes a plugin and its data.
    Remove {
        /// The id of the plugin.
        id: String,
        /// Removes it without asking.
        #[arg(long)]
        yes: bool,
    },
}

impl Plugin {
    /// Whether this is `plugin test`.
    pub(super) fn is_test(&self) -> bool {
        matches!(self, Self::Author(Author::Test(_)))
    }

    /// Whether this changes the installed plugins.
    pub(super) fn changes(&self) -> bool {
        match self {
            Self::Add(_)
            | Self::Update(_)
            | Self::Grant(_)
            | Self::Revoke(_)
            | Self::Set(_)
            | Self::Secret(_)
            | Self::Limit(_)
            | Self::Disable { .. }
            | Self::Enable { .. }
            | Self::Release { .. }
            | Self::Remove { .. } => true,
            Self::Author(_)
            | Self::Probe
            | Self::Keygen(_)
            | Self::Sign(_)
            | Self::Publish(_)
            | Self::Find(_)
            | Self::Entry(_)
            | Self::CheckIndex(_)
            | Self::List
            | Self::Show { .. }
            | Self::Outdated { .. } => false,
        }
    }

    pub(super) fn run(self, common: &Common, mac: Mac, roots: Vec<PathBuf>) -> Result<(), Failure> {
        match self {
            Self::Author(author) => author.run(common, roots),
            Self::Probe => probe(),
            Self::Add(add) => add.run(common, roots),
            Self::Update(update) => update.run(common),
            Self::Grant(grant) => grant.give(common, mac),
            Self::Revoke(grant) => grant.take(common),
            Self::Set(set) => set.run(common),
            Self::Secret(secret) => secret.run(common),
            Self::Limit(limit) => limit.run(common),
            Self::Keygen(keygen) => keygen.run(common),
            Self::Sign(sign) => sign.run(),
            Self::Publish(publish) => publish.run(common),
            Self::Find(find) => find.run(common),
            Self::Entry(entry) => entry.run(),
            Self::CheckIndex(check) => check.run(common, &roots),
            Self::List => operator::list(common),
            Self::Show { id } => operator::show(common, &id),
            Self::Outdated { login } => operator::outdated(common, login.as_deref()),
            Self::Disable { id } => operator::switch(common, &id, true),
            Self::Enable { id } => operator::switch(common, &id, false),
            Self::Release { id } => operator::release(common, &id),
            Self::Remove { id, yes } => operator::remove(common, &id, yes),
        }
    }
}

fn probe() -> Result<(), Failure> {
    let tried = Choice::Native.start().and_then(|engine| engine.try_out());
    tried.map_err(|error| Failure::Failed(error.to_string()))
}
