//! `setup`: what a client has to be told about this server; written into its file only when that is asked for.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use iac_core::dictionary::names;
use serde_json::{Map, Value as Json, json};
use toml_edit::{Array, DocumentMut, Item, Table, value};

use super::config::Setting;
use super::options::Common;
use super::{Failure, directories, paint};
use crate::clients::{CLIENTS, Client, Form};
use crate::pipeline::shell_word;

/// Options whose values are paths; a client starts the server somewhere else.
const PATHS: [&str; 5] = ["state", "cache", "standard", "world", "root"];

/// What the server is called in a client's file, unless another name is given.
const NAME: &str = "iac-mcp";

/// Options that are for whoever types.
const OWN: [&str; 1] = ["json"];

/// Shows what a client needs to start this server, with the options that are given here; lists the clients if none is
/// named.
#[derive(Debug, Args)]
pub(super) struct Setup {
    /// The client, for example claude-desktop.
    client: Option<String>,
    /// Writes it into the client's own file; everything else in there stays.
    #[arg(long, requires = "client")]
    write: bool,
    /// Another file than the client's own.
    #[arg(long, value_name = "FILE", requires = "client")]
    file: Option<PathBuf>,
    /// What the server is called there.
    #[arg(long, value_name = "NAME", default_value = NAME, requires = "client")]
    name: String,
    /// Replaces a server of that name that is there already.
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
            let what =
                format!("{} starts this server as `{}` from its next start on", client.title, self.name);
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
                "there is no home folder to find the client's file in\nname it with --file".to_owned(),
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
                into_toml(&mut document, key, &self.name, entry);
                document.to_string()
            }
            Form::Yaml => format!(
                "extensions:\n  {}:\n    type: stdio\n    enabled: true\n    name: {}\n    cmd: {}\n    args: {}",
                self.name, self.name, entry["command"], entry["args"]
            ),
        };
        let how = match client.form {
            Form::Yaml => "put this there by hand".to_owned(),
            _ => format!("put this there, or run `{again} --write`"),
        };
        Ok(writeln!(anstream::stdout(), "{}\n{how}:\n\n{whole}", file.display())?)
    }

    fn write(&self, client: &Client, file: &Path, entry: &Json, again: &str) -> Result<(), Failure> {
        let text = match fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(Failure::Failed(format!("{}: {error}", file.display()))),
        };
        let failed = |error: String| {
            let by_hand = format!("it is left as it is; `{again}` shows what to put there by hand");
            Failure::Failed(format!("{}: {error}\n{by_hand}", file.display()))
        };
        let after = match client.form {
            Form::Json(key) => self.with_json(&text, key, entry),
            Form::Toml(key) => self.with_toml(&text, key, entry),
            Form::Yaml => Err("YAML is not written, only shown".to_owned()),
        };
        let after = after.map_err(failed)?;
        replace(file, after.as_bytes()).map_err(|error| failed(error.to_string()))
    }

    fn with_json(&self, text: &str, key: &str, entry: &Json) -> Result<String, String> {
        let text = if text.trim().is_empty() { "{}" } else { text };
        let mut whole: Map<String, Json> =
            serde_json::from_str(text).map_err(|error| format!("it is no plain JSON object: {error}"))?;
        let servers = whole.entry(key).or_insert_with(|| json!({}));
        let servers = servers.as_object_mut().ok_or_else(|| format!("`{key}` in it is no object"))?;
        self.may_be_put(servers.contains_key(&self.name))?;
        servers.insert(self.name.clone(), entry.clone());
        let mut text = serde_json::to_string_pretty(&whole).map_err(|error| error.to_string())?;
        text.push('\n');
        Ok(text)
    }

    fn with_toml(&self, text: &str, key: &str, entry: &Json) -> Result<String, String> {
        let mut document: DocumentMut = text
            .parse()
            .map_err(|error: toml_edit::TomlError| format!("it is no TOML: {}", error.message()))?;
        let there = document.get(key).and_then(|servers| servers.get(&self.name)).is_some();
        self.may_be_put(there)?;
        if document.get(key).is_some_and(|servers| !servers.is_table_like()) {
            return Err(format!("`{key}` in it is no table"));
        }
        into_toml(&mut document, key, &self.name, entry);
        Ok(document.to_string())
    }

    fn may_be_put(&self, is_there: bool) -> Result<(), String> {
        match is_there && !self.force {
            true => Err(format!("a server `{}` is there already; --force replaces it", self.name)),
            false => Ok(()),
        }
    }
}

fn into_toml(document: &mut DocumentMut, key: &str, name: &str, entry: &Json) {
    let servers = document.entry(key).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let text = |json: &Json| json.as_str().unwrap_or_default().to_owned();
    let mut table = Table::new();
    table["command"] = value(text(&entry["command"]));
    table["args"] = value(entry["args"].as_array().into_iter().flatten().map(text).collect::<Array>());
    servers[name] = Item::Table(table);
}

fn find(name: &str) -> Result<&'static Client, Failure> {
    let found = CLIENTS.iter().find(|client| {
        names::key(client.id) == names::key(name) || names::key(client.title) == names::key(name)
    });
    found.ok_or_else(|| {
        let known: Vec<&str> = CLIENTS.iter().map(|client| client.id).collect();
        Failure::Misuse(format!("no client `{name}` is known\nknown are {}", known.join(", ")))
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

/// Replaces a file whole, with the rights that it has, also behind a link.
fn replace(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let folder = file.parent().ok_or_else(|| io::Error::other("a file is in a folder"))?;
    fs::create_dir_all(folder)?;
    let mut fresh = tempfile::Builder::new().prefix(".iac-mcp-").tempfile_in(folder)?;
    fresh.write_all(bytes)?;
    if let Ok(found) = file.metadata() {
        fresh.as_file().set_permissions(found.permissions())?;
    }
    fresh.as_file().sync_all()?;
    fresh.persist(&file)?;
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup(force: bool) -> Setup {
        Setup { client: None, write: true, file: None, name: "iac-mcp".to_owned(), force }
    }

    const ENTRY: &str = r#"{"command":"/x","args":["serve","--read-only"]}"#;

    fn json_after(before: &str, force: bool) -> Result<String, String> {
        setup(force).with_json(before, "mcpServers", &serde_json::from_str(ENTRY).unwrap())
    }

    fn toml_after(before: &str, force: bool) -> Result<String, String> {
        setup(force).with_toml(before, "mcp_servers", &serde_json::from_str(ENTRY).unwrap())
    }

    #[test]
    fn what_is_there_stays() {
        let after: Json =
            serde_json::from_str(&json_after("{\"a\":1,\"mcpServers\":{\"b\":{}}}", false).unwrap()).unwrap();
        assert_eq!(after["a"], 1);
        assert_eq!(after["mcpServers"]["b"], json!({}));
        assert_eq!(after["mcpServers"]["iac-mcp"]["args"][1], "--read-only");
        let after = toml_after("# mine\nmodel = \"m\"\n[mcp_servers.b]\ncommand = \"c\"\n", false).unwrap();
        assert!(after.starts_with("# mine\nmodel = \"m\"\n[mcp_servers.b]\n"), "{after}");
        assert!(
            after.contains("[mcp_servers.iac-mcp]\ncommand = \"/x\"\nargs = [\"serve\", \"--read-only\"]"),
            "{after}"
        );
        assert!(json_after("", false).is_ok() && toml_after("", false).is_ok());
    }

    #[test]
    fn what_cannot_be_changed_safely_is_left_alone() {
        for before in ["[1]", "{ // mine\n}", "{\"mcpServers\":[]}", "{"] {
            assert!(json_after(before, true).is_err(), "{before}");
        }
        for before in ["mcp_servers = 1", "x = "] {
            assert!(toml_after(before, true).is_err(), "{before}");
        }
        let there = json_after("", false).unwrap();
        assert!(json_after(&there, false).is_err());
        assert_eq!(json_after(&there, true).unwrap(), there);
        let there = toml_after("", false).unwrap();
        assert!(toml_after(&there, false).is_err() && toml_after(&there, true).is_ok());
    }
}
