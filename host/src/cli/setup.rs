//! `setup`: what a client has to be told about this server; written into its file only when that is asked for.

mod file;
mod json;
mod toml;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use iac_core::dictionary::names;
use iac_state::shell_word;
use serde_json::{Value as Json, json};
use toml_edit::DocumentMut;

use super::config::Setting;
use super::options::Common;
use super::{Failure, directories, paint};
use crate::clients::{CLIENTS, Client, Form};
use file::Edited;

/// Options whose values are paths; a client starts the server somewhere else.
const PATHS: [&str; 5] = ["state", "cache", "standard", "world", "root"];

/// The default name of the server in a client's file.
const NAME: &str = "iac-mcp";

/// Options for the terminal, which a client does not need.
const OWN: [&str; 1] = ["json"];

/// Shows the entry that a client needs to start this server with the options that you pass. Lists the clients if you
/// name none.
#[derive(Debug, Args)]
pub(super) struct Setup {
    /// The client, for example claude-desktop.
    client: Option<String>,
    /// Writes the entry to the client's configuration file and changes nothing else in it.
    #[arg(long, requires = "client")]
    write: bool,
    /// The file to use in place of the client's own.
    #[arg(long, value_name = "FILE", requires = "client")]
    file: Option<PathBuf>,
    /// The name of the server in that file.
    #[arg(long, value_name = "NAME", default_value = NAME, requires = "client")]
    name: String,
    /// Replaces an existing server of that name.
    #[arg(long, requires = "write")]
    force: bool,
}

impl Setup {
    pub(super) fn run(self, common: &Common, settings: &[Setting]) -> Result<(), Failure> {
        let Some(name) = &self.client else { return list(common) };
        let client = find(name)?;
        let arguments = arguments(settings)?;
        let (entry, again) = (entry(client, &arguments)?, self.again(client, &arguments[1..]));
        let file = self.file(client)?;
        if self.write {
            self.write(client, &file, &entry, &again)?;
            let what = format!(
                "Done. Restart {} to use the server (its name there is `{}`)",
                client.title, self.name
            );
            return Ok(writeln!(anstream::stdout(), "{what}\nwritten to {}", file.display())?);
        }
        self.show(client, &file, &entry, &again, common)
    }

    /// The same command again without `--write`, with all that was given: without `--read-only` it would be another one.
    fn again(&self, client: &Client, options: &[String]) -> String {
        let mut words = vec!["iac-mcp".to_owned(), "setup".to_owned(), client.id.to_owned()];
        words.extend(options.iter().map(|option| shell_word(option)));
        if let Some(file) = &self.file {
            words.extend(["--file".to_owned(), shell_word(&file.to_string_lossy())]);
        }
        if self.name != NAME {
            words.extend(["--name".to_owned(), shell_word(&self.name)]);
        }
        words.join(" ")
    }

    fn file(&self, client: &Client) -> Result<PathBuf, Failure> {
        let own = || Some(directories::home()?.join(own_file(client)));
        self.file.clone().or_else(own).ok_or_else(|| {
            Failure::Misuse(
                "there is no home folder with the client's file\nname the file with --file".to_owned(),
            )
        })
    }

    fn show(
        &self,
        client: &Client,
        file: &Path,
        entry: &Json,
        again: &str,
        common: &Common,
    ) -> Result<(), Failure> {
        if common.json {
            let body = json!({ "client": client.id, "file": file, "name": self.name, "entry": entry });
            return Ok(paint::answer(&body, true)?);
        }
        let whole = match client.form {
            Form::Json(key) => serde_json::to_string_pretty(&json!({ key: { &*self.name: entry } }))
                .map_err(|error| Failure::Failed(error.to_string()))?,
            Form::Toml(key) => {
                let mut document = DocumentMut::new();
                toml::into(&mut document, key, &self.name, entry);
                document.to_string()
            }
            Form::Yaml => format!(
                "extensions:\n  {}:\n    type: stdio\n    enabled: true\n    name: {}\n    cmd: {}\n    args: {}",
                self.name, self.name, entry["command"], entry["args"]
            ),
        };
        let how = match client.form {
            Form::Yaml => "add this by hand".to_owned(),
            _ => format!("add this by hand, or run `{again} --write`"),
        };
        Ok(writeln!(anstream::stdout(), "{}\n{how}:\n\n{whole}", file.display())?)
    }

    fn write(&self, client: &Client, file: &Path, entry: &Json, again: &str) -> Result<(), Failure> {
        let edited = file::edit(file, |text| match client.form {
            Form::Json(key) => json::with(text, key, &self.name, entry, self.force),
            Form::Toml(key) => toml::with(text, key, &self.name, entry, self.force),
            Form::Yaml => Err("YAML files are only shown and not written".to_owned()),
        });
        let Edited { other_names } = edited.map_err(|error| {
            let by_hand = format!("the file was not changed; `{again}` shows the entry to add by hand");
            Failure::Failed(format!("{}: {error}\n{by_hand}", file.display()))
        })?;
        if other_names > 0 {
            let what = format!(
                "{} had {other_names} more names (hard links); they still have the old content",
                file.display()
            );
            writeln!(anstream::stderr(), "{what}")?;
        }
        Ok(())
    }
}

fn find(name: &str) -> Result<&'static Client, Failure> {
    let found = CLIENTS.iter().find(|client| {
        names::key(client.id) == names::key(name) || names::key(client.title) == names::key(name)
    });
    found.ok_or_else(|| {
        let known: Vec<&str> = CLIENTS.iter().map(|client| client.id).collect();
        Failure::Misuse(format!("unknown client `{name}`\nthe known clients are {}", known.join(", ")))
    })
}

fn own_file(client: &Client) -> &'static str {
    let [mac, elsewhere] = client.file;
    if directories::is_mac() { mac } else { elsewhere }
}

fn list(common: &Common) -> Result<(), Failure> {
    let home = directories::home().unwrap_or_default();
    let rows = CLIENTS.iter().map(|client| (client, home.join(own_file(client))));
    if common.json {
        let rows: Vec<Json> = rows
            .map(|(client, file)| json!({ "client": client.id, "title": client.title, "file": file, "found": file.is_file() }))
            .collect();
        return Ok(paint::answer(&json!({ "clients": rows }), true)?);
    }
    let mut table = paint::table(&["Client", "Name", "File", "Found"]);
    for (client, file) in rows {
        let found = if file.is_file() { "yes" } else { "no" };
        table.add_row([client.id, client.title, &file.display().to_string(), found]);
    }
    Ok(paint::print(&table)?)
}

/// What the client starts the server with: the options that were given here, with whole paths.
fn arguments(settings: &[Setting]) -> Result<Vec<String>, Failure> {
    let mut arguments = vec!["serve".to_owned()];
    let given =
        settings.iter().filter(|each| each.from == "command line" && !OWN.contains(&each.key.as_str()));
    for Setting { key, values, .. } in given {
        for value in values {
            arguments.push(match (key.as_str(), value.as_str()) {
                (key, "true") => format!("--{key}"),
                ("cache", "off") => "--cache=off".to_owned(),
                (key, value) if PATHS.contains(&key) => {
                    format!("--{key}={}", std::path::absolute(value)?.display())
                }
                (key, value) => format!("--{key}={value}"),
            });
        }
    }
    Ok(arguments)
}

/// Clients start with few folders to look for programs in, so that this one is named by its whole path.
fn entry(client: &Client, arguments: &[String]) -> Result<Json, Failure> {
    let program = std::env::current_exe()?.display().to_string();
    let mut entry = json!({ "command": program, "args": arguments });
    match client.id {
        "vscode" | "claude-code" => entry["type"] = json!("stdio"),
        "zed" => entry["source"] = json!("custom"),
        _ => {}
    }
    Ok(entry)
}

/// What is said of a server that is there already.
const NOT_AGAIN: &str = "exists already; --force replaces it";

/// A piece of a text that another one takes the place of.
struct Edit {
    start: usize,
    end: usize,
    text: String,
}

impl Edit {
    fn apply(&self, body: &str) -> String {
        format!("{}{}{}", &body[..self.start], self.text, &body[self.end..])
    }
}

/// Line and column of a byte, both from 1.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..at];
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}
