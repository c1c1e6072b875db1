//! The options that every command accepts, and what they mean.

use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use clap::builder::BoolishValueParser;
use iac_apps::Roots;
use iac_core::Millis;
use iac_core::reference::Limits;
use iac_state::State;

use super::config::Setting;
use super::{Failure, directories};
use crate::pipeline::{Operator, Pipeline, Settings, ToolsOf};
use crate::plugins::{Engine, Plugins};
use crate::router::Router;
use crate::simulated::{NOTE, World};
use crate::web::Web;

/// Options that every command has.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Everywhere")]
pub(super) struct Common {
    /// The folder for the policy, grants, plugins and the audit log.
    #[arg(long, global = true, value_name = "DIR", env = "IAC_MCP_STATE", hide_env = true)]
    pub(super) state: Option<PathBuf>,
    /// The cache folder; `off` disables caching.
    #[arg(long, global = true, value_name = "DIR|off", env = "IAC_MCP_CACHE", hide_env = true)]
    pub(super) cache: Option<PathBuf>,
    /// The path of CocoaStandard.sdef, if the system has none.
    #[arg(long, global = true, value_name = "FILE", env = "IAC_MCP_STANDARD", hide_env = true)]
    pub(super) standard: Option<PathBuf>,
    /// Runs plugins as machine code (`native`), without executable memory (`interpreter`), or as the system allows.
    #[arg(
        long,
        global = true,
        value_name = "auto|native|interpreter",
        env = "IAC_MCP_PLUGIN_ENGINE",
        hide_env = true,
        value_enum,
        default_value_t,
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub(super) plugin_engine: Engine,
    /// Prints JSON.
    #[arg(long, global = true, env = "IAC_MCP_JSON", hide_env = true, value_parser = BoolishValueParser::new())]
    pub(super) json: bool,
    /// Logs more, and shows the script in errors.
    #[arg(long, global = true, env = "IAC_MCP_DEBUG", hide_env = true, value_parser = BoolishValueParser::new())]
    pub(super) debug: bool,
}

/// Options that choose the Mac.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "The Mac")]
pub(super) struct Mac {
    /// Uses a fresh simulated Mac that ends with the process.
    #[arg(long, global = true, env = "IAC_MCP_SIMULATED", hide_env = true, value_parser = BoolishValueParser::new())]
    pub(super) simulated: bool,
    /// Uses the simulated Mac in this folder and keeps its changes.
    #[arg(long, global = true, value_name = "DIR", env = "IAC_MCP_WORLD", hide_env = true)]
    pub(super) world: Option<PathBuf>,
    /// Searches for apps here: a folder of apps, or one with the layout of a Mac's /. You may repeat this option.
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "IAC_MCP_ROOT",
        hide_env = true,
        value_delimiter = ':'
    )]
    pub(super) root: Vec<PathBuf>,
    /// Runs scripts with this command, for example `ssh mini osascript`.
    #[arg(long, global = true, value_name = "COMMAND", env = "IAC_MCP_OSASCRIPT", hide_env = true)]
    pub(super) osascript: Option<String>,
    /// The timeout of a call in seconds, 1 to 3600; 30 by default.
    #[arg(long, global = true, value_name = "SECONDS", env = "IAC_MCP_TIMEOUT", hide_env = true,
          value_parser = within::<1, 3_600>)]
    pub(super) timeout: Option<u64>,
    /// Refuses everything but reads, whatever the policy says.
    #[arg(long, global = true, env = "IAC_MCP_READ_ONLY", hide_env = true, value_parser = BoolishValueParser::new())]
    pub(super) read_only: bool,
    /// Offers app commands as separate tools: `meta` for none, `all`, or app names as in `mail,finder`.
    #[arg(
        long,
        global = true,
        value_name = "meta|all|APP,…",
        env = "IAC_MCP_TOOLS",
        hide_env = true,
        value_delimiter = ','
    )]
    pub(super) tools: Vec<String>,
    /// How long a reference is valid after its last use, in milliseconds.
    #[arg(long, global = true, hide = true, env = "IAC_MCP_REF_TTL",
          value_parser = within::<1_000, { u64::MAX }>)]
    pub(super) ref_ttl: Option<u64>,
    /// How often expired references are dropped, in milliseconds.
    #[arg(long, global = true, hide = true, env = "IAC_MCP_REF_CLEANUP", default_value_t = 300_000,
          value_parser = within::<100, { u64::MAX }>)]
    pub(super) ref_cleanup: u64,
    /// How many references are held.
    #[arg(long, global = true, hide = true, env = "IAC_MCP_REF_MAX",
          value_parser = within::<1, { u32::MAX as u64 }>)]
    pub(super) ref_max: Option<u64>,
    /// How many references of one app are held.
    #[arg(long, global = true, hide = true, env = "IAC_MCP_REF_MAX_PER_APP",
          value_parser = within::<1, { u32::MAX as u64 }>)]
    pub(super) ref_max_per_app: Option<u64>,
    /// Asks the app for an object each time before its reference is used.
    #[arg(long, global = true, hide = true, env = "IAC_MCP_REF_VALIDATE_ON_ACCESS", value_parser = BoolishValueParser::new())]
    pub(super) ref_validate_on_access: bool,
}

impl Common {
    /// The cache folder; `None` for no cache.
    pub(super) fn cache(&self) -> Option<PathBuf> {
        match &self.cache {
            Some(off) if off == Path::new("off") => None,
            Some(given) => Some(given.clone()),
            None => directories::cache(),
        }
    }

    /// The file of the standard suite.
    ///
    /// # Errors
    /// The file does not exist.
    pub(super) fn standard(&self) -> Result<Option<PathBuf>, Failure> {
        match self.standard.as_ref().filter(|file| !file.is_file()) {
            Some(file) => {
                Err(Failure::Misuse(format!("--standard {}: the file does not exist", file.display())))
            }
            None => Ok(self.standard.clone()),
        }
    }

    /// The state directory, with the policy and the audit log.
    pub(super) fn state(&self) -> Option<PathBuf> {
        self.state.clone().or_else(directories::state)
    }

    /// Opens the installed plugins.
    pub(super) fn plugins(&self) -> Plugins {
        self.plugins_with(None)
    }

    /// Opens the installed plugins, with their stores in another state directory.
    fn plugins_with(&self, own: Option<&Path>) -> Plugins {
        Plugins::open(self.state().as_deref(), own, self.cache().as_deref(), self.plugin_engine)
    }

    /// The folder that stands in for `/` when a single file is read: that of the chosen Mac, if one was given.
    pub(super) fn base(mac: &Mac) -> PathBuf {
        mac.world.clone().or_else(|| mac.root.first().cloned()).unwrap_or_else(|| PathBuf::from("/"))
    }
}

impl Mac {
    /// Makes the pipeline to the chosen Mac.
    ///
    /// # Errors
    /// There is no Mac, or it cannot be set up.
    pub(super) fn pipeline(self, common: &Common, settings: &[Setting]) -> Result<Pipeline, Failure> {
        let (world, mut osascript) = self.osascript(common)?;
        osascript.timeout = self.timeout.map_or(osascript.timeout, Duration::from_secs);
        if world.as_ref().is_none_or(|world| !world.is_fresh()) {
            osascript.locks = common.state().map(|state| state.join("locks"));
        }
        let kept = world.as_ref().is_none_or(|world| !world.is_fresh());
        let apps = iac_apps::Settings {
            roots: self.roots(world.as_ref())?,
            cache: common.cache().filter(|_| kept).map(|cache| cache.join("apps")),
            standard: common.standard()?,
        };
        let (home, tools, limits) = (self.home(world.as_ref()), self.tools(), self.limits());
        let state = Some(self.state(common, world.as_ref())?);
        let operator = self.operator(common, world.as_ref())?;
        let screen = self.screen(world.as_ref());
        Ok(Pipeline::new(Settings {
            apps,
            osascript,
            world,
            home,
            tools,
            limits,
            debug: common.debug,
            state,
            screen,
            operator,
            web: Web::of(common.state().as_deref()),
            said: settings.iter().map(Setting::to_json).collect(),
        })?)
    }

    /// Makes the pipeline to the chosen Mac, and adds the installed plugins.
    ///
    /// # Errors
    /// There is no Mac, or it cannot be set up.
    pub(super) fn router(self, common: &Common, settings: &[Setting]) -> Result<Router, Failure> {
        // A simulated Mac has the plugins of the real one, but nothing that it does changes them or their data.
        let is_apart = common.state.is_none() && (self.simulated || self.world.is_some());
        let pipeline = self.pipeline(common, settings)?;
        let plugins = common.plugins_with(Some(pipeline.state().folder()).filter(|_| is_apart));
        Ok(Router::new(pipeline, plugins))
    }

    /// Returns how osascript runs on the chosen Mac, and that Mac if it is a simulated one.
    ///
    /// # Errors
    /// There is no Mac, or it cannot be set up.
    pub(super) fn osascript(
        &self,
        common: &Common,
    ) -> Result<(Option<World>, iac_osascript::Settings), Failure> {
        let world = self.world(common)?;
        let own = std::env::current_exe()?;
        let mut settings = match &world {
            Some(world) => iac_osascript::Settings::simulated(&own, world.folder()),
            None => iac_osascript::Settings { guard: Some(own), ..iac_osascript::Settings::default() },
        };
        if let Some(command) = &self.osascript {
            settings.command = words(command)?;
        }
        Ok((world, settings))
    }

    /// The state directory.
    fn state(&self, common: &Common, world: Option<&World>) -> Result<State, Failure> {
        let state = State::open(self.place(common, world)?)?;
        let is_passing = common.state.is_none() && world.is_some_and(World::is_fresh);
        let state = if is_passing { state.goes_with_the_process() } else { state };
        Ok(if self.read_only { state.only_reads() } else { state })
    }

    /// Returns its location. Permissions on a simulated Mac do not apply to a real one, unless the operator names the
    /// same directory for both.
    fn place(&self, common: &Common, world: Option<&World>) -> Result<PathBuf, Failure> {
        let nowhere = || {
            let what = "there is no home folder for the policy\nname a folder with --state";
            Failure::Misuse(what.to_owned())
        };
        match (&common.state, world) {
            (Some(folder), _) => Ok(std::path::absolute(folder)?),
            (None, Some(world)) => Ok(world.folder().join(".iac-mcp")),
            (None, None) => common.state().ok_or_else(nowhere),
        }
    }

    /// Returns the options that reach the same Mac and state directory from another command, in any folder.
    fn operator(&self, common: &Common, world: Option<&World>) -> Result<Operator, Failure> {
        let absolute = |path: &Option<PathBuf>| path.as_deref().map(std::path::absolute).transpose();
        let is_fresh = world.is_some_and(World::is_fresh);
        let (folder, state) = (absolute(&self.world)?, absolute(&common.state)?);
        let options = [
            ("--simulated", is_fresh.then_some(Path::new(""))),
            ("--world", folder.as_deref()),
            ("--state", state.as_deref()),
        ];
        Ok(Operator::new(&options, is_fresh && state.is_none()))
    }

    /// Opens the state directory for commands that change something in it.
    ///
    /// # Errors
    /// There is no state directory.
    pub(super) fn open_state(&self, common: &Common) -> Result<State, Failure> {
        let state = self.look_at_state(common)?;
        Ok(State::open(state.folder().to_owned())?)
    }

    /// Opens the state directory for reading only, for commands that only show it. This works even if nothing can be
    /// written.
    ///
    /// # Errors
    /// There is no state directory.
    pub(super) fn look_at_state(&self, common: &Common) -> Result<State, Failure> {
        let world = self.world.as_deref().map(kept).transpose()?;
        if common.state.is_none() && world.is_none() && self.simulated {
            let what = "a fresh simulated Mac keeps no state\nname a state folder with --state, or a saved Mac with --world";
            return Err(Failure::Misuse(what.to_owned()));
        }
        Ok(State::look(self.place(common, world.as_ref())?))
    }

    fn world(&self, common: &Common) -> Result<Option<World>, Failure> {
        if let Some(folder) = &self.world {
            return kept(folder).map(Some);
        }
        if self.simulated {
            return fresh(common).map(Some);
        }
        if self.osascript.is_some() && self.root.is_empty() && !directories::is_mac() {
            let what = "--osascript runs scripts on another Mac, and this is not macOS\nadd --root DIR with copies of that Mac's apps";
            return Err(Failure::Misuse(what.to_owned()));
        }
        if directories::is_mac() || self.osascript.is_some() || common.plugins().work_on_folders() {
            return Ok(None);
        }
        let what = "this is not macOS\nadd --simulated to use the built-in simulated Mac, or --osascript 'ssh MAC osascript' --root DIR to use another Mac";
        Err(Failure::Misuse(what.to_owned()))
    }

    fn roots(&self, world: Option<&World>) -> Result<Roots, Failure> {
        if let Some(root) = self.root.iter().find(|root| !root.is_dir()) {
            return Err(Failure::Misuse(format!("--root {}: the folder does not exist", root.display())));
        }
        let mut given = self.root.iter().map(|root| Roots::below(root));
        Ok(match (given.next(), world) {
            (Some(first), _) => given.fold(first, Roots::and),
            (None, Some(world)) => Roots::below(world.base()),
            (None, None) => Roots::of_this_mac(directories::home().as_deref()),
        })
    }

    /// Describes the folders in which apps are searched.
    pub(super) fn places(&self) -> String {
        let given: Vec<String> = self.root.iter().map(|root| root.display().to_string()).collect();
        match (&given[..], &self.world) {
            ([], Some(world)) => format!("below {}", world.display()),
            ([], None) if self.simulated => "on the simulated Mac".to_owned(),
            ([], None) => "on this Mac".to_owned(),
            (given, _) => format!("below {}", given.join(", ")),
        }
    }

    /// Whether dialogs are possible: a user is logged in at the screen. On a simulated Mac, its world answers
    /// dialogs.
    fn screen(&self, world: Option<&World>) -> bool {
        match world {
            Some(world) => world.folder().join("additions.json").is_file(),
            None => self.osascript.is_none() && directories::is_mac() && directories::has_screen(),
        }
    }

    fn tools(&self) -> ToolsOf {
        match self.tools.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            [] | ["meta"] => ToolsOf::Nobody,
            ["all"] => ToolsOf::All,
            ref apps => ToolsOf::These(apps.iter().map(|app| (*app).trim().to_owned()).collect()),
        }
    }

    /// The folder that `~/` stands for; empty if the Mac is reached by another command, because its home is unknown.
    fn home(&self, world: Option<&World>) -> String {
        let own = || directories::home().filter(|_| self.osascript.is_none());
        match world {
            Some(world) => world.home(),
            None => own().map(|home| home.to_string_lossy().into_owned()).unwrap_or_default(),
        }
    }

    fn limits(&self) -> Limits {
        let default = Limits::default();
        let number = |given: Option<u64>, default| {
            given.and_then(|given| usize::try_from(given).ok()).unwrap_or(default)
        };
        Limits {
            ttl: self.ref_ttl.map_or(default.ttl, Millis),
            most: number(self.ref_max, default.most),
            most_per_app: number(self.ref_max_per_app, default.most_per_app),
            validate: self.ref_validate_on_access,
        }
    }
}

/// Parses a whole number from `LEAST` to `MOST`.
fn within<const LEAST: u64, const MOST: u64>(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| (LEAST..=MOST).contains(number));
    number.ok_or_else(|| match MOST {
        u64::MAX => format!("expected a whole number of at least {LEAST}"),
        most => format!("expected a whole number from {LEAST} to {most}"),
    })
}

/// Makes a fresh copy below the cache, or in the system's temporary folder if the cache cannot be written.
fn fresh(common: &Common) -> Result<World, Failure> {
    let made = match common.cache() {
        Some(cache) => World::fresh(&cache.join("macs")).or_else(|error| {
            tracing::warn!(%error, "{} cannot be written", cache.display());
            World::fresh(&passing()?)
        }),
        None => passing().and_then(|folder| World::fresh(&folder)),
    };
    made.map_err(|error| Failure::Failed(format!("the simulated Mac could not be created: {error}")))
}

/// A folder of this user in the shared temporary folder. It must not belong to anybody else.
fn passing() -> io::Result<PathBuf> {
    let user = rustix::process::getuid().as_raw();
    let folder = std::env::temp_dir().join(format!("iac-mcp-{user}"));
    DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    let found = folder.symlink_metadata()?;
    if found.is_dir() && found.uid() == user && found.mode() & 0o077 == 0 {
        return Ok(folder);
    }
    Err(io::Error::other(format!("other users can open {}, or it belongs to another user", folder.display())))
}

fn kept(folder: &Path) -> Result<World, Failure> {
    let world = World::kept(std::path::absolute(folder)?)?;
    if world.base().join(NOTE).is_file() {
        return Ok(world);
    }
    let what = format!("{} is not a simulated Mac: it has no {NOTE}", folder.display());
    Err(Failure::Misuse(format!(
        "{what}\ncreate one with `iac-mcp sim new`, or use a fresh one with --simulated"
    )))
}

/// Splits a command line at spaces. Quotes keep a word together.
fn words(command: &str) -> Result<Vec<OsString>, Failure> {
    let mut words: Vec<OsString> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in command.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take().map(OsString::from)),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word.map(OsString::from));
    match (quote, words.is_empty()) {
        (Some(open), _) => Err(Failure::Misuse(format!("--osascript: a quote {open} is not closed"))),
        (None, true) => Err(Failure::Misuse("--osascript: expected a command".to_owned())),
        (None, false) => Ok(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_does_not_fit_says_which_do() {
        assert_eq!(within::<1, 3_600>("3600"), Ok(3_600));
        for wrong in ["0", "3601", "soon", "", "-1", "1.5"] {
            assert_eq!(
                within::<1, 3_600>(wrong).unwrap_err(),
                "expected a whole number from 1 to 3600",
                "{wrong}"
            );
        }
        assert_eq!(within::<100, { u64::MAX }>("9").unwrap_err(), "expected a whole number of at least 100");
    }

    #[test]
    fn commands_are_split_at_spaces_outside_of_quotes() {
        let check = |command: &str, expected: &[&str]| {
            assert_eq!(words(command).unwrap(), expected, "{command}");
        };
        check("osascript", &["osascript"]);
        check("  ssh  mini osascript ", &["ssh", "mini", "osascript"]);
        check("'/my apps/osascript' -x ''", &["/my apps/osascript", "-x", ""]);
        check("a\"b c\"d", &["ab cd"]);
        assert!(words("").is_err() && words("'open").is_err());
    }
}
