//! The secrets of plugins: set and removed at the terminal, and never shown.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};

use clap::Args;
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};

use crate::cli::Failure;
use crate::cli::options::Common;
use crate::cli::package::{installed, working};
use crate::cli::paint;
use crate::plugins::engine::http::Secret as Declared;
use crate::plugins::engine::installed::InstallError;
use crate::plugins::engine::package;
use crate::secrets::{Keeper, check};

#[derive(Debug, Args)]
pub(in crate::cli) struct Secret {
    /// The id of the plugin.
    id: String,
    /// The name of the secret, from the plugin's documentation.
    key: String,
    /// Removes the secret. Without this, the value is asked for, or read from standard input.
    #[arg(long)]
    remove: bool,
}

impl Secret {
    pub(super) fn run(self, common: &Common) -> Result<(), Failure> {
        let Self { id, key, remove } = self;
        let declared = declared(common, &id)?;
        let known: Vec<String> = declared.iter().map(|it| format!("{} ({})", it.key, it.title)).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        let Declared { host, .. } = declared.into_iter().find(|it| it.key == key).ok_or_else(|| {
            Failure::Misuse(format!("{id} has no secret `{key}`; its secrets are: {known}"))
        })?;
        let keeper = keeper(common)?;
        let place = keeper.place(&id, &key, &host);
        let value = if remove { None } else { Some(typed(&format!("{key} for {host}: "))?) };
        if let Some(value) = &value {
            check(value).map_err(Failure::Misuse)?;
        }
        working("storing", place.write(value.as_deref()))??;
        let mut out = paint::stdout();
        match remove {
            true => writeln!(out, "{id}: {key} was removed")?,
            false => writeln!(out, "{id}: {key} is set; it is {}, and goes to {host} only", keeper.shown())?,
        }
        Ok(())
    }
}

/// The secrets that an installed plugin declares.
fn declared(common: &Common, id: &str) -> Result<Vec<Declared>, Failure> {
    let installed = installed(common)?;
    let (id, receipt) =
        installed.list()?.remove_entry(id).ok_or_else(|| InstallError::Unknown(id.to_owned()))?;
    Ok(package::read(&installed.bytes(&id, &receipt)?)?.manifest.secrets)
}

fn keeper(common: &Common) -> Result<Keeper, Failure> {
    let state = common
        .state()
        .ok_or_else(|| Failure::Misuse("there is no state folder; name one with --state DIR".to_owned()))?;
    Ok(Keeper::of(&state))
}

/// Removes the secrets of a plugin that is removed.
pub(super) fn forget(common: &Common, id: &str) -> Result<(), Failure> {
    let keeper = keeper(common)?;
    // A package that cannot be read any more names none.
    for Declared { key, host, .. } in declared(common, id).unwrap_or_default() {
        working("removing", keeper.place(id, &key, &host).write(None))??;
    }
    Ok(())
}

/// The secrets that a package declares, in one line each.
pub(super) fn lines(id: &str, secrets: &[Declared]) -> Vec<String> {
    let line = |it: &Declared| {
        let Declared { key, title, host, header, .. } = it;
        format!(
            "secret {key}: {title}; goes to {host} only, in the header {header}; set it with `iac-mcp plugin secret {id} {key}`"
        )
    };
    secrets.iter().map(line).collect()
}

/// Reads a value that nobody sees: without an echo at a terminal, else one line of the input.
fn typed(prompt: &str) -> Result<String, Failure> {
    let mut line = String::new();
    if !io::stdin().is_terminal() {
        io::stdin().lock().read_line(&mut line)?;
        return Ok(line.trim_end_matches(['\r', '\n']).to_owned());
    }
    write!(paint::stderr(), "{prompt}")?;
    paint::stderr().flush()?;
    enable_raw_mode()?;
    let ended = keys(&mut line);
    disable_raw_mode()?;
    writeln!(paint::stderr())?;
    ended.map(|()| line)
}

/// Reads what is typed, key by key.
fn keys(line: &mut String) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    for byte in io::stdin().lock().bytes() {
        match byte? {
            b'\r' | b'\n' => break,
            // Control-C and Control-D.
            3 | 4 => return Err(Failure::Failed("nothing was set".to_owned())),
            // Backspace.
            8 | 127 => drop(bytes.pop()),
            byte => bytes.push(byte),
        }
    }
    line.push_str(&String::from_utf8_lossy(&bytes));
    Ok(())
}
