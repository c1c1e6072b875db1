//! Sets and removes the secrets of plugins at the terminal. Their values are never shown.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};

use clap::Args;
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use serde_json::json;

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
            Failure::Misuse(format!("{id} has no secret `{key}`\nits secrets are: {known}"))
        })?;
        let keeper = keeper(common)?;
        let place = keeper.place(&id, &key, &host);
        let value = if remove { None } else { Some(typed(&format!("{key} for {host}: "))?) };
        if let Some(value) = &value {
            check(value).map_err(Failure::Misuse)?;
        }
        working("storing", place.write(value.as_deref()))??;
        let said = match remove {
            true => format!("{id}: {key} was removed"),
            false => format!("{id}: {key} is set; it is {}, and goes to {host} only", keeper.shown()),
        };
        Ok(paint::done(&said, &json!({ "id": id, "secret": key, "set": !remove }), common.json)?)
    }
}

/// Returns the secrets that an installed plugin declares.
fn declared(common: &Common, id: &str) -> Result<Vec<Declared>, Failure> {
    let installed = installed(common)?;
    let mut all = installed.list()?;
    let (id, receipt) = all.remove_entry(id).ok_or_else(|| InstallError::unknown(id, &all))?;
    Ok(package::read(&installed.bytes(&id, &receipt)?)?.manifest.secrets)
}

fn keeper(common: &Common) -> Result<Keeper, Failure> {
    let state = common
        .state()
        .ok_or_else(|| Failure::Misuse("there is no state folder\nname one with --state DIR".to_owned()))?;
    Ok(Keeper::of(&state))
}

/// Removes the secrets of a plugin that is being removed.
pub(super) fn forget(common: &Common, id: &str) -> Result<(), Failure> {
    let keeper = keeper(common)?;
    // A package that can no longer be read names no secrets.
    for Declared { key, host, .. } in declared(common, id).unwrap_or_default() {
        working("removing", keeper.place(id, &key, &host).write(None))??;
    }
    id.parse().map_or(Ok(()), |id| Ok(keeper.sweep(&id)?))
}

/// Describes the effects of an update on secrets: those that the new version no longer uses, and those that are new.
pub(super) fn changes(id: &str, old: &[Declared], new: &[Declared]) -> Vec<String> {
    let gone = without(old, new).map(|it| format!("no longer has the secret {} for {}", it.key, it.host));
    let added: Vec<Declared> = without(new, old).cloned().collect();
    gone.chain(lines(id, &added).into_iter().map(|line| format!("new {line}"))).collect()
}

/// Returns a warning if the new version sends a secret in another header. A server protects a header that it knows as
/// a login better than others.
pub(super) fn doubt(old: &[Declared], new: &[Declared]) -> Option<String> {
    let of = |it: &Declared| format!("`{}: {}…`", it.header, it.prefix);
    let moved = |it: &Declared| {
        let before = old.iter().find(|other| is_same(it, other))?;
        let (key, host, before, now) = (&it.key, &it.host, of(before), of(it));
        (before != now).then(|| format!("the secret {key} goes to {host} as {now}, and before as {before}"))
    };
    let moved: Vec<String> = new.iter().filter_map(moved).collect();
    (!moved.is_empty()).then(|| moved.join("; "))
}

/// Removes the secrets that the new version of a plugin does not use, and reports them.
pub(super) fn drop_old(
    common: &Common,
    id: &str,
    old: &[Declared],
    new: &[Declared],
) -> Result<Vec<String>, Failure> {
    let (keeper, mut said) = (keeper(common)?, Vec::new());
    for Declared { key, host, .. } in without(old, new) {
        let place = keeper.place(id, key, host);
        let removed = working("removing", async {
            let is_set = place.read().await?.is_some();
            if is_set {
                place.write(None).await?;
            }
            Ok::<bool, io::Error>(is_set)
        })?;
        match removed {
            Ok(true) => said.push(format!("removed the secret {key} for {host}")),
            Ok(false) => {}
            Err(error) => said.push(format!(
                "the secret {key} for {host} stays, since it could not be removed: {error}\n  remove it with `{}`",
                place.by_hand()
            )),
        }
    }
    Ok(said)
}

/// Returns the secrets in `some` that are not in `others`, compared by the names under which they are stored.
fn without<'a>(some: &'a [Declared], others: &'a [Declared]) -> impl Iterator<Item = &'a Declared> {
    some.iter().filter(|it| !others.iter().any(|other| is_same(it, other)))
}

fn is_same(one: &Declared, other: &Declared) -> bool {
    one.key == other.key && one.host == other.host
}

/// Describes the secrets that a package declares, one in each line.
pub(super) fn lines(id: &str, secrets: &[Declared]) -> Vec<String> {
    let line = |it: &Declared| {
        let Declared { key, title, host, header, .. } = it;
        format!(
            "secret {key}: {title}; goes to {host} only, in the header {header}; set it with `iac-mcp plugin secret {id} {key}`"
        )
    };
    secrets.iter().map(line).collect()
}

/// Reads a value without showing it: without echo on a terminal, otherwise one line of the input.
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

/// Reads the typed text key by key.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses secrets of the form `KEY HOST HEADER PREFIX`, separated by `;`.
    fn secrets(text: &str) -> Vec<Declared> {
        let one = |line: &str| {
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            let [key, host, header, prefix] = words.try_into().expect("four words");
            Declared { key, title: "t".to_owned(), host, header, prefix }
        };
        text.split(';').map(one).collect()
    }

    #[test]
    fn an_update_says_what_becomes_of_secrets() {
        let check = |new: &str, lines: &[&str], expected: Option<&str>| {
            let (old, new) = (secrets("token a.example authorization Bearer"), secrets(new));
            let said = changes("demo", &old, &new);
            assert_eq!(said.len(), lines.len(), "{said:?}");
            assert!(said.iter().zip(lines).all(|(line, start)| line.starts_with(start)), "{said:?}");
            assert_eq!(doubt(&old, &new).as_deref(), expected);
        };
        check("token a.example authorization Bearer", &[], None);
        let gone = "no longer has the secret token for a.example";
        let added =
            "new secret token: t; goes to b.example only, in the header authorization; set it with `iac-mcp";
        check("token b.example authorization Bearer", &[gone, added], None);
        let moved = "the secret token goes to a.example as `user-agent: Bearer…`, and before as `authorization: Bearer…`";
        check("token a.example user-agent Bearer", &[], Some(moved));
        let other = "the secret token goes to a.example as `authorization: q=…`, and before as `authorization: Bearer…`";
        check("token a.example authorization q=", &[], Some(other));
        check("key a.example x-key x; token a.example authorization Bearer", &["new secret key: t"], None);
    }
}
