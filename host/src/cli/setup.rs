//! `setup`: shows the entry for this server in a client's file, and writes it on request.

mod file;
mod json;
mod record;
mod toml;
mod undo;
mod yaml;

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use iac_core::dictionary::names;
use iac_core::fault::did_you_mean;
use iac_state::shell_word;
use serde_json::{Value as Json, json};

use super::config::Setting;
use super::options::Common;
use super::{Failure, ask, directories, paint};
use crate::clients::{CLIENTS, Client, Form};
use file::Edited;
use record::Records;
pub(super) use undo::{Taken, Wanted, foresee, take_back};

/// Options whose values are paths. They are made absolute, because a client starts the server in another folder.
const PATHS: [&str; 5] = ["state", "cache", "standard", "world", "root"];

/// The default name of the server in a client's file.
const NAME: &str = "iac-mcp";

/// Options for output on a terminal, which a client does not need.
const OWN: [&str; 1] = ["json"];

/// Shows the entry that a client needs to start this server with the options that you pass. Without a client it finds
/// the clients on this computer and offers each of them.
#[derive(Debug, Args)]
pub(super) struct Setup {
    /// The client, for example claude-desktop.
    client: Option<String>,
    /// Writes the entry to the client's configuration file and changes nothing else in it.
    #[arg(long, requires = "client")]
    write: bool,
    /// Writes the entry for every client on this computer without asking.
    #[arg(long, conflicts_with_all = ["client", "undo"])]
    yes: bool,
    /// Undoes the changes of this command, for one client or for all.
    #[arg(long, conflicts_with = "write")]
    undo: bool,
    /// The file to use in place of the client's own.
    #[arg(long, value_name = "FILE", requires = "client")]
    file: Option<PathBuf>,
    /// The name of the server in that file. Without it: iac-mcp.
    #[arg(long, value_name = "NAME", value_parser = name, requires = "client")]
    name: Option<String>,
    /// Replaces an existing server of that name.
    #[arg(long, requires = "write")]
    force: bool,
}

impl Setup {
    pub(super) fn run(self, common: &Common, settings: &[Setting]) -> Result<(), Failure> {
        let client = self.client.as_deref().map(find).transpose()?;
        if self.undo {
            let file = self.file.as_deref().map(std::path::absolute).transpose()?;
            return undo::run(&Wanted { client, file, name: self.name.as_deref() }, common);
        }
        let arguments = arguments(settings)?;
        let Some(client) = client else { return self.offer(&arguments, common) };
        let file = self.file(client)?;
        if self.write {
            let entry = entry(client, &arguments)?;
            let standing = Standing::of(client, &file, self.name(), &entry);
            let is_new = self.force || !matches!(standing, Standing::Same);
            if is_new {
                self.set_up(client, &file, &arguments, self.force, common)?;
            }
            return self.report(client, &file, is_new, common);
        }
        self.show(client, &file, &arguments, common)
    }

    /// Writes the entry, and records how to undo it.
    fn set_up(
        &self,
        client: &Client,
        file: &Path,
        arguments: &[String],
        force: bool,
        common: &Common,
    ) -> Result<(), Failure> {
        let entry = entry(client, arguments)?;
        let again = self.again(client, &arguments[1..]);
        if client.form == Form::Shown {
            return Err(Failure::Failed(format!(
                "{} has no file that other programs may change\n`{again}` shows the entry to paste in its settings",
                client.title
            )));
        }
        let (records, whole) = (Records::open(common)?, std::path::absolute(file)?);
        let known = records.as_ref().map(Records::all).transpose()?.unwrap_or_default();
        let old = known.iter().find(|each| each.file == whole && each.name == self.name());
        let program = |text: &str| {
            let command = command_in(client.form, text, self.name()).ok()?;
            Some(Path::new(command.first()?).file_name()?.to_owned())
        };
        let is_foreign = |before: Option<&str>, after: &str| {
            before.and_then(program).is_some_and(|before| Some(before) != program(after))
        };
        let remember = |before: Option<&str>, after: &str| match &records {
            Some(records) => records
                .add((client.id, &whole, self.name()), old, (before, is_foreign(before, after)), after)
                .map_err(|failure| failure.to_string()),
            None => Ok(()),
        };
        if let Err(failure) = self.write(client, file, (&entry, force), &again, remember) {
            if let Some(records) = &records {
                records.put(&whole, self.name(), old)?;
            }
            return Err(failure);
        }
        Ok(())
    }

    /// Tells the user what to do next.
    fn report(&self, client: &Client, file: &Path, is_new: bool, common: &Common) -> Result<(), Failure> {
        if common.json {
            let body = json!({ "client": client.id, "file": file, "name": self.name(), "written": is_new });
            return Ok(paint::answer(&body, true)?);
        }
        if !is_new {
            return Ok(writeln!(paint::stdout(), "{}: already set up ({})", client.title, file.display())?);
        }
        let what = format!("Restart {} to use the server. Its name there is `{}`", client.title, self.name());
        writeln!(paint::stdout(), "{what}\nwritten to {}", file.display())?;
        if client.id == "claude-code" {
            writeln!(
                paint::stdout(),
                "close Claude Code before its next start: a session that runs may write its own file again"
            )?;
        }
        Ok(())
    }

    /// Offers the clients that are installed. Without a terminal, it only lists them.
    fn offer(&self, arguments: &[String], common: &Common) -> Result<(), Failure> {
        let is_asked = std::io::stdin().is_terminal() && std::io::stderr().is_terminal() && !common.json;
        if !self.yes && !is_asked {
            return list(common);
        }
        let there: Vec<&Client> = CLIENTS.iter().filter(|client| is_there(client)).collect();
        if there.is_empty() {
            writeln!(paint::stdout(), "no MCP client was found; `iac-mcp setup CLIENT` shows an entry")?;
            return list(common);
        }
        let (mut failed, mut rows) = (false, Vec::new());
        for client in there {
            let offered = self.offer_one(client, arguments, common)?;
            failed |= matches!(offered, Offered::Failed(_));
            if common.json {
                rows.push(offered.json(client));
            } else {
                offered.print(client)?;
            }
        }
        if common.json {
            paint::answer(&json!({ "clients": rows }), true)?;
        }
        if failed { Err(Failure::Said) } else { Ok(()) }
    }

    /// Offers one client.
    fn offer_one(&self, client: &Client, arguments: &[String], common: &Common) -> Result<Offered, Failure> {
        let (title, again) = (client.title, self.again(client, &arguments[1..]));
        if client.form == Form::Shown {
            return Ok(Offered::Left(format!("`{again}` shows an entry to paste")));
        }
        let file = self.file(client)?;
        let (question, force) = match Standing::of(client, &file, self.name(), &entry(client, arguments)?) {
            Standing::Absent => (format!("{title}: add this server to {}?", file.display()), false),
            Standing::Same => return Ok(Offered::Left(format!("already set up ({})", file.display()))),
            Standing::Options(words) => {
                let what = format!(
                    "already set up with other options ({words}) in {}; `{again} --write --force` replaces them",
                    file.display()
                );
                return Ok(Offered::Left(what));
            }
            Standing::Other(other) => {
                let (what, file_shown) = (other.in_words(), file.display());
                // Only a program that is surely gone is replaced without a person: another one may be found by its
                // name, or be a server on the network. An option such as `--read-only` is never dropped without a
                // person.
                if self.yes && !(is_gone(&other.program) && other.lost.is_empty()) {
                    let again = match is_gone(&other.program) {
                        true => command_again(client, &other.arguments),
                        false => format!("{again} --write --force"),
                    };
                    return Ok(Offered::Left(format!("{file_shown} {what}; `{again}` replaces it")));
                }
                (format!("{title}: {file_shown} {what}. Replace the entry?"), true)
            }
        };
        if !self.yes && ask::agree(false, &question).is_err() {
            return Ok(Offered::Left("not changed".to_owned()));
        }
        Ok(match self.set_up(client, &file, arguments, force, common) {
            Ok(()) => Offered::Written(file, self.name().to_owned()),
            // Setting up the next client may still work.
            Err(failure) => Offered::Failed(failure.to_string()),
        })
    }

    /// Returns the same command without `--write`, with all options that were given. Leaving out an option such as
    /// `--read-only` would set up another server.
    fn again(&self, client: &Client, options: &[String]) -> String {
        let mut words = vec!["iac-mcp".to_owned(), "setup".to_owned(), client.id.to_owned()];
        words.extend(options.iter().map(|option| shell_word(option)));
        if let Some(file) = &self.file {
            words.extend(["--file".to_owned(), shell_word(&file.to_string_lossy())]);
        }
        if let Some(name) = &self.name {
            words.extend(["--name".to_owned(), shell_word(name)]);
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
        arguments: &[String],
        common: &Common,
    ) -> Result<(), Failure> {
        let (entry, again) = (entry(client, arguments)?, self.again(client, &arguments[1..]));
        if common.json {
            let body = json!({ "client": client.id, "file": file, "name": self.name(), "entry": entry });
            return Ok(paint::answer(&body, true)?);
        }
        let whole = with(client.form, "", self.name(), &entry, false).map_err(Failure::Failed)?;
        let (place, how) = match client.form {
            Form::Shown => (client.title.to_owned(), "paste this in its settings".to_owned()),
            _ => (file.display().to_string(), format!("add this by hand, or run `{again} --write`")),
        };
        writeln!(paint::stdout(), "{place}\n{how}:\n")?;
        Ok(writeln!(anstream::stdout(), "{}", whole.trim_end())?)
    }

    fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(NAME)
    }

    fn write(
        &self,
        client: &Client,
        file: &Path,
        (entry, force): (&Json, bool),
        again: &str,
        remember: impl Fn(Option<&str>, &str) -> Result<(), String>,
    ) -> Result<(), Failure> {
        let put = |text: &str| with(client.form, text, self.name(), entry, force);
        let edited = file::edit_if(file, put, remember);
        let Edited { other_names } = edited.map_err(|error| {
            let by_hand = format!("the file was not changed; `{again}` shows the entry to add by hand");
            Failure::Failed(format!("{}: {error}\n{by_hand}", file.display()))
        })?;
        if other_names > 0 {
            let what = format!(
                "{} had {other_names} more names (hard links); they still have the old content",
                file.display()
            );
            writeln!(paint::stderr(), "{what}")?;
        }
        Ok(())
    }
}

/// Whether an entry starts a program by its path, and there is none.
fn is_gone(program: &str) -> bool {
    let path = Path::new(program);
    path.is_absolute() && !path.exists()
}

/// What a client's file has under the name of this server.
enum Standing {
    Absent,
    /// The same command.
    Same,
    /// This program, with these options.
    Options(String),
    /// Another program.
    Other(Other),
}

/// An entry that starts another program.
struct Other {
    program: String,
    arguments: Vec<String>,
    /// The arguments and settings that a new entry would not have.
    lost: Vec<String>,
}

impl Other {
    fn in_words(&self) -> String {
        let program = &self.program;
        let what = match is_gone(program) {
            true => format!("starts {program}, which is not there"),
            false => format!("has another entry, {program}"),
        };
        match self.lost.is_empty() {
            true => what,
            false => format!("{what}; a new entry would not have its {}", self.lost.join(", ")),
        }
    }
}

impl Standing {
    fn of(client: &Client, file: &Path, name: &str, entry: &Json) -> Self {
        let text = file::read_behind_links(file).ok().flatten().unwrap_or_default();
        if !has_server(client, file, name) {
            return Self::Absent;
        }
        let new = with(client.form, "", name, entry, false).unwrap_or_default();
        let words = |text: &str| command_in(client.form, text, name).unwrap_or_default();
        match (&words(&text)[..], &words(&new)[..]) {
            (old, new) if old == new => Self::Same,
            ([old, options @ ..], [new, ..]) if old == new => Self::Options(options.join(" ")),
            (old, own) => {
                let (program, arguments) = match old {
                    [program, arguments @ ..] => (program.clone(), arguments.to_vec()),
                    [] => ("no program".to_owned(), Vec::new()),
                };
                let is_more = !arguments.is_empty() && Some(&arguments[..]) != own.get(1..);
                let options = is_more.then(|| format!("arguments ({})", shown(&arguments)));
                let kept = settings_in(client.form, &new, name).unwrap_or_default();
                let settings = settings_in(client.form, &text, name).unwrap_or_default();
                let settings = settings.into_iter().filter(|setting| !kept.contains(setting));
                let lost = options.into_iter().chain(settings.map(|(key, _)| format!("`{key}`"))).collect();
                Self::Other(Other { program, arguments, lost })
            }
        }
    }
}

fn shown(arguments: &[String]) -> String {
    arguments.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
}

/// What became of an offer.
enum Offered {
    Written(PathBuf, String),
    /// Nothing was written, for this reason.
    Left(String),
    Failed(String),
}

impl Offered {
    fn json(&self, client: &Client) -> Json {
        let (written, what) = match self {
            Self::Written(file, _) => (true, format!("written to {}", file.display())),
            Self::Left(why) | Self::Failed(why) => (false, why.clone()),
        };
        json!({ "client": client.id, "written": written, "ok": !matches!(self, Self::Failed(_)), "what": what })
    }

    fn print(&self, client: &Client) -> Result<(), Failure> {
        let title = client.title;
        match self {
            Self::Written(file, name) => {
                writeln!(paint::stdout(), "Restart {title} to use the server. Its name there is `{name}`")?;
                writeln!(paint::stdout(), "written to {}", file.display())?;
            }
            Self::Left(why) => writeln!(paint::stdout(), "{title}: {why}")?,
            Self::Failed(why) => writeln!(paint::stderr(), "{title}: {why}")?,
        }
        Ok(())
    }
}

/// Checks a name: it must be valid in every file format and readable for people.
fn name(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_alphanumeric() || "-_. ".contains(c);
    match text.trim() == text && !text.is_empty() && text.chars().all(is_plain) {
        true => Ok(text.to_owned()),
        false => Err("expected letters, digits, spaces, `-`, `_` and `.`".to_owned()),
    }
}

/// Inserts an entry into the text of a file.
fn with(form: Form, text: &str, name: &str, entry: &Json, force: bool) -> Result<String, String> {
    match form {
        Form::Toml(key) => toml::with(text, key, name, entry, force),
        Form::YamlMap(key) => {
            in_yaml(text, |text| yaml::with(text, (key, yaml::Kind::Map), name, entry, force))
        }
        Form::YamlList(key) => {
            in_yaml(text, |text| yaml::with(text, (key, yaml::Kind::List), name, entry, force))
        }
        form => in_json(form, text, |place| json::with(text, place, name, entry, force)),
    }
}

/// Removes an entry from the text of a file.
fn without(form: Form, text: &str, name: &str) -> Result<String, String> {
    match form {
        Form::Toml(key) => toml::without(text, key, name),
        Form::YamlMap(key) => in_yaml(text, |text| yaml::without(text, (key, yaml::Kind::Map), name)),
        Form::YamlList(key) => in_yaml(text, |text| yaml::without(text, (key, yaml::Kind::List), name)),
        form => in_json(form, text, |place| json::without(text, place, name)),
    }
}

/// Replaces the current entry by the one in an older text; `None` if there is none to restore.
fn back(form: Form, text: &str, older: &str, name: &str) -> Result<Option<String>, String> {
    let in_yaml = |place| {
        let (mark, body) = marked(text);
        Ok(yaml::back(body, marked(older).1, place, name)?.map(|body| format!("{mark}{body}")))
    };
    match form {
        Form::Toml(key) => toml::back(text, older, key, name),
        Form::YamlMap(key) => in_yaml((key, yaml::Kind::Map)),
        Form::YamlList(key) => in_yaml((key, yaml::Kind::List)),
        form => in_json(form, text, |place| json::back(text, older, place, name)),
    }
}

/// Splits off the byte order mark, which stays first.
fn marked(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 })
}

/// Edits a text behind its byte order mark, which the YAML parser takes only before some texts.
fn in_yaml(text: &str, edit: impl FnOnce(&str) -> Result<String, String>) -> Result<String, String> {
    let (mark, body) = marked(text);
    Ok(format!("{mark}{}", edit(body)?))
}

fn in_json<T>(form: Form, text: &str, work: impl FnOnce(json::Place<'_>) -> T) -> T {
    match form {
        Form::Json(key) => work(json::Place { keys: &[key], comments: false }),
        Form::Commented(key) => work(json::Place { keys: &[key], comments: true }),
        // OpenCode's newer layout has one more level. A file keeps the layout that it has.
        Form::OpenCode if json::has(text, &["mcp", "servers"]) => {
            work(json::Place { keys: &["mcp", "servers"], comments: true })
        }
        Form::OpenCode => work(json::Place { keys: &["mcp"], comments: true }),
        _ => work(json::Place { keys: &["mcpServers"], comments: false }),
    }
}

/// Whether a file has a server of this name, tested by whether removing it would change the text.
fn has_server(client: &Client, file: &Path, name: &str) -> bool {
    let text = file::read_behind_links(file).ok().flatten().unwrap_or_default();
    without(client.form, &text, name).is_ok_and(|other| other != text)
}

/// The command with which a client starts this server.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) file: PathBuf,
    /// The program.
    pub(super) command: String,
    /// What follows it on the command line.
    pub(super) arguments: Vec<String>,
}

/// Returns the command that writes an entry again with the options that the old one has. A command that starts another
/// program first, such as npx, has none that are known.
pub(super) fn command_again(client: &Client, arguments: &[String]) -> String {
    let options = match arguments {
        [serve, options @ ..] if serve == "serve" => options,
        [first, ..] if first.starts_with("--") => arguments,
        _ => &[],
    };
    let options: String = options.iter().map(|option| format!(" {}", shell_word(option))).collect();
    format!("iac-mcp setup {}{options} --write --force", client.id)
}

/// Returns the command that a client starts for this server; `None` if the client does not start it, or an error if
/// its file is damaged.
pub(super) fn installed(client: &Client) -> Option<Result<Entry, (PathBuf, String)>> {
    let file = directories::home()?.join(own_file(client));
    // A folder or a pipe in place of the file is an error. It does not mean that the client lacks this server.
    if client.form == Form::Shown || file.symlink_metadata().is_err() {
        return None;
    }
    let read = || -> Result<Vec<String>, String> {
        let text = file::read_behind_links(&file)?.unwrap_or_default();
        command_in(client.form, &text, NAME)
    };
    match read() {
        Ok(mut words) if !words.is_empty() => {
            let arguments = words.split_off(1);
            Some(Ok(Entry { file, command: words.remove(0), arguments }))
        }
        Ok(_) => None,
        Err(error) => Some(Err((file, error))),
    }
}

/// Returns the command line of the entry `name` in the text of a file.
fn command_in(form: Form, text: &str, name: &str) -> Result<Vec<String>, String> {
    match form {
        Form::Toml(key) => toml::command(text, key, name),
        Form::YamlMap(key) => yaml::command(marked(text).1, (key, yaml::Kind::Map), name),
        Form::YamlList(key) => yaml::command(marked(text).1, (key, yaml::Kind::List), name),
        form => in_json(form, text, |place| json::command(text, place, name)),
    }
}

/// Returns the settings of an entry beside its command line, such as `env`, each with the text of its value.
fn settings_in(form: Form, text: &str, name: &str) -> Result<Vec<(String, String)>, String> {
    let all = match form {
        Form::Toml(key) => toml::settings(text, key, name),
        Form::YamlMap(key) => yaml::settings(marked(text).1, (key, yaml::Kind::Map), name),
        Form::YamlList(key) => yaml::settings(marked(text).1, (key, yaml::Kind::List), name),
        form => in_json(form, text, |place| json::settings(text, place, name)),
    };
    let is_beside = |(key, _): &(String, String)| !["command", "cmd", "args"].contains(&key.as_str());
    all.map(|all| all.into_iter().filter(is_beside).collect())
}

fn find(name: &str) -> Result<&'static Client, Failure> {
    let found = CLIENTS.iter().find(|client| {
        names::key(client.id) == names::key(name) || names::key(client.title) == names::key(name)
    });
    found.ok_or_else(|| {
        let known: Vec<&str> = CLIENTS.iter().map(|client| client.id).collect();
        let meant = did_you_mean(&names::near(name, known.iter().copied(), 2));
        Failure::Misuse(format!("unknown client `{name}`{meant}\nthe known clients are {}", known.join(", ")))
    })
}

/// The client's own file, relative to the home folder. An older path is used if there is no file at the newer one.
pub(super) fn own_file(client: &Client) -> &'static str {
    let [mac, elsewhere] = client.file;
    let own = if directories::is_mac() { mac } else { elsewhere };
    let home = directories::home().unwrap_or_default();
    let is_there = |path: &&&'static str| home.join(path).is_file();
    let older = client.older.iter().find(is_there).filter(|_| !home.join(own).is_file());
    older.copied().unwrap_or(own)
}

/// Whether a client is installed on this computer.
pub(super) fn is_there(client: &Client) -> bool {
    let home = directories::home().unwrap_or_default();
    let has = |sign: &&str| match sign {
        sign if sign.starts_with('/') => Path::new(sign).exists(),
        sign if sign.starts_with('.') || sign.contains('/') => home.join(sign).exists(),
        program => directories::is_on_path(program),
    };
    let file = own_file(client);
    client.signs.iter().any(has) || (!file.is_empty() && home.join(file).is_file())
}

fn list(common: &Common) -> Result<(), Failure> {
    let home = directories::home().unwrap_or_default();
    let rows = CLIENTS.iter().map(|client| (client, home.join(own_file(client)), is_there(client)));
    if common.json {
        let rows: Vec<Json> = rows
            .map(|(client, file, found)| {
                let is_set_up = has_server(client, &file, NAME);
                json!({ "client": client.id, "title": client.title, "file": file, "found": found, "setUp": is_set_up })
            })
            .collect();
        return Ok(paint::answer(&json!({ "clients": rows }), true)?);
    }
    let mut table = paint::table(&["Client", "Name", "File", "Found"]);
    for (client, file, found) in rows {
        let found = match (found, has_server(client, &file, NAME)) {
            (_, true) => "set up",
            (true, false) => "yes",
            (false, false) => "no",
        };
        let file = if client.form == Form::Shown { "none".to_owned() } else { as_typed(&file, &home) };
        table.add_row([client.id, client.title, &file, found]);
    }
    paint::print(&table)?;
    let how =
        "`iac-mcp setup --yes` writes to every client that was found; `iac-mcp setup --undo` takes that back";
    Ok(writeln!(paint::stdout(), "{how}")?)
}

/// Formats a path as people write it, with `~` for the home folder.
fn as_typed(file: &Path, home: &Path) -> String {
    match file.strip_prefix(home) {
        Ok(below) => format!("~/{}", below.display()),
        Err(_) => file.display().to_string(),
    }
}

/// Returns the arguments for the client's entry: the options of this call, with absolute paths.
fn arguments(settings: &[Setting]) -> Result<Vec<String>, Failure> {
    let mut arguments = vec!["serve".to_owned()];
    let given = settings.iter().filter(|each| each.is_typed() && !OWN.contains(&each.key.as_str()));
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

/// Makes the entry. Clients start with few folders on `PATH`, so the program is named by its absolute path.
fn entry(client: &Client, arguments: &[String]) -> Result<Json, Failure> {
    let program = steady(&std::env::current_exe()?).display().to_string();
    let plain = json!({ "command": program, "args": arguments });
    Ok(match client.id {
        "vscode" | "claude-code" => json!({ "command": program, "args": arguments, "type": "stdio" }),
        "zed" => json!({ "command": program, "args": arguments, "source": "custom" }),
        "goose" => {
            json!({ "description": "", "type": "stdio", "cmd": program, "args": arguments, "enabled": true, "timeout": 300 })
        }
        "continue" => json!({ "type": "stdio", "command": program, "args": arguments }),
        "opencode" => {
            let command: Vec<&str> =
                std::iter::once(program.as_str()).chain(arguments.iter().map(String::as_str)).collect();
            json!({ "type": "local", "command": command, "enabled": true })
        }
        _ => plain,
    })
}

/// Returns the stable link that Homebrew keeps for a program, because the folder of a version disappears with the
/// next one.
fn steady(program: &Path) -> PathBuf {
    let parts: Vec<_> = program.components().collect();
    let cellar = parts.iter().position(|part| part.as_os_str() == "Cellar");
    let link = cellar
        .zip(program.file_name())
        .map(|(at, name)| parts[..at].iter().collect::<PathBuf>().join("bin").join(name));
    link.filter(|link| link.is_file()).unwrap_or_else(|| program.to_owned())
}

/// The error about an existing server.
const NOT_AGAIN: &str = "exists already; --force replaces it";

/// A replacement of a part of a text.
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
