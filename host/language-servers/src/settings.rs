//! The operator's settings, and what the host knows about its environment.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;

use crate::closed::{Closed, Nothing};
use crate::profile::{InvalidProfile, Profile, known, without_server};

/// How language servers are run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Profiles, in order of preference.
    pub profiles: Vec<Profile>,
    /// Languages that no profile covers, by file name extension.
    pub without_server: BTreeMap<String, String>,
    /// Folders to search for programs.
    pub path: Vec<PathBuf>,
    /// The environment of every server.
    pub environment: Vec<(OsString, OsString)>,
    /// The time without questions after which a server is stopped.
    pub idle: Duration,
    /// The memory in bytes above which a server is restarted.
    pub memory: u64,
    /// The most servers that run at the same time. To start another, the host stops the one that has been idle longest.
    pub most: usize,
    /// What stays closed below every root.
    pub closed: Arc<dyn Closed>,
}

/// The operator's settings, as they are written in the file.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Chosen {
    /// The operator's own profiles. One with the name of a built-in profile replaces it.
    pub profiles: Vec<Profile>,
    /// Names of profiles to put before all others.
    pub prefer: Vec<String>,
    /// Names of profiles that are never used.
    pub without: Vec<String>,
    /// More folders to search for programs, before the others.
    pub path: Vec<PathBuf>,
    /// Minutes after which an idle server is stopped.
    pub idle_minutes: Option<u64>,
    /// The most MiB that a server may use.
    pub memory_mib: Option<u64>,
}

/// The environment variables that a server needs: to be found, to find its own tools, and to know the user's
/// language.
const PASSED: [&str; 25] = [
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ", "CARGO_HOME",
    "CARGO_NET_OFFLINE", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "GOPATH", "GOROOT", "GOCACHE", "GOMODCACHE",
    "GOFLAGS", "VIRTUAL_ENV", "NODE_PATH", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
    "DEVELOPER_DIR",
];

const MIB: u64 = 1024 * 1024;

impl Settings {
    /// Makes the default settings. Only the environment variables that servers need are passed on.
    pub fn standard(environment: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let passed =
            |(name, _): &(OsString, OsString)| PASSED.iter().any(|passed| OsStr::new(passed) == name);
        let environment: Vec<_> = environment.into_iter().filter(passed).collect();
        let path = environment.iter().find(|(name, _)| name == "PATH");
        Self {
            profiles: known(),
            without_server: without_server(),
            path: path.map(|(_, path)| std::env::split_paths(path).collect()).unwrap_or_default(),
            environment,
            idle: Duration::from_mins(15),
            memory: 4 * 1024 * MIB,
            most: 8,
            closed: Arc::new(Nothing),
        }
    }

    /// Returns the folder for temporary files.
    pub(crate) fn temporary(&self) -> PathBuf {
        let named = self.environment.iter().find(|(name, value)| name == "TMPDIR" && !value.is_empty());
        named.map_or_else(std::env::temp_dir, |(_, folder)| folder.into())
    }

    /// Applies an operator's choices.
    ///
    /// # Errors
    /// A profile is invalid, or a name belongs to no profile.
    pub fn with(mut self, chosen: Chosen) -> Result<Self, InvalidProfile> {
        for profile in chosen.profiles {
            profile.check()?;
            self.profiles.retain(|known| known.name != profile.name);
            self.profiles.insert(0, profile);
        }
        let named = chosen.prefer.iter().chain(&chosen.without);
        if let Some(name) =
            named.into_iter().find(|name| !self.profiles.iter().any(|known| known.name == **name))
        {
            return Err(InvalidProfile::unknown(name, &self.profiles));
        }
        // Files that only a disabled server reads are still source code that an answer does not cover.
        let (without, profiles) =
            self.profiles.into_iter().partition(|profile: &Profile| chosen.without.contains(&profile.name));
        self.profiles = profiles;
        for (extension, language) in without.into_iter().flat_map(|profile| profile.files) {
            if !self.profiles.iter().any(|profile| profile.files.contains_key(&extension)) {
                self.without_server.insert(extension, language);
            }
        }
        let rank = |profile: &Profile| chosen.prefer.iter().position(|name| *name == profile.name);
        self.profiles.sort_by_key(|profile| rank(profile).unwrap_or(usize::MAX));
        self.search_first(chosen.path);
        self.idle = chosen.idle_minutes.map_or(self.idle, Duration::from_mins);
        self.memory = chosen.memory_mib.map_or(self.memory, |memory| memory.saturating_mul(MIB));
        Ok(self)
    }

    /// Searches folders before the others, also for the programs that a server starts itself: a script of Node.js
    /// needs `node`.
    fn search_first(&mut self, folders: Vec<PathBuf>) {
        if folders.is_empty() {
            return;
        }
        self.path.splice(0..0, folders);
        // A folder with a `:` cannot stand in `PATH`, but the server itself is found there.
        let joinable = self.path.iter().filter(|folder| std::env::join_paths([folder]).is_ok());
        let Ok(joined) = std::env::join_paths(joinable) else { return };
        self.environment.retain(|(name, _)| name != "PATH");
        self.environment.push(("PATH".into(), joined));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    fn check(chosen: Json, first: &str, path: &[&str]) {
        let environment = [("PATH", "/bin:/usr/bin"), ("TOKEN", "secret"), ("HOME", "/home")];
        let environment = environment.map(|(name, value)| (name.into(), value.into()));
        let settings = Settings::standard(environment).with(serde_json::from_value(chosen).unwrap()).unwrap();
        assert_eq!(settings.profiles[0].name, first);
        assert_eq!(settings.path, path.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert!(settings.environment.iter().all(|(name, _)| name != "TOKEN"));
        let passed: Vec<_> = settings.environment.iter().filter(|(name, _)| name == "PATH").collect();
        assert_eq!(passed, [&("PATH".into(), path.join(":").into())]);
    }

    #[test]
    fn a_name_that_no_profile_has_is_said() {
        for chosen in [json!({"prefer": ["ty", "nope"]}), json!({"without": ["nope"]})] {
            let chosen = serde_json::from_value(chosen).unwrap();
            let error = Settings::standard([]).with(chosen).err().unwrap().to_string();
            assert!(error.contains("`nope`") && error.contains("rust-analyzer, "), "{error}");
        }
    }

    #[test]
    fn files_of_a_server_that_is_not_wanted_are_known() {
        let chosen = serde_json::from_value(json!({"without": ["clangd", "tsc"]})).unwrap();
        let settings = Settings::standard([]).with(chosen).unwrap();
        assert_eq!(settings.without_server.get("cpp").map(String::as_str), Some("cpp"));
        assert!(!settings.without_server.contains_key("ts"), "another server reads them");
    }

    #[test]
    fn a_folder_that_no_path_can_hold_is_searched_and_not_passed_on() {
        let chosen = serde_json::from_value(json!({"path": ["/a:b", "/c"]})).unwrap();
        let settings = Settings::standard([("PATH".into(), "/bin".into())]).with(chosen).unwrap();
        assert_eq!(settings.path[0], PathBuf::from("/a:b"));
        assert_eq!(settings.environment, [("PATH".into(), "/c:/bin".into())]);
    }

    #[test]
    fn an_operator_chooses() {
        check(json!({}), "rust-analyzer", &["/bin", "/usr/bin"]);
        check(json!({"prefer": ["zuban", "ty"], "path": ["/opt"]}), "zuban", &["/opt", "/bin", "/usr/bin"]);
        check(json!({"without": ["rust-analyzer"]}), "tsc", &["/bin", "/usr/bin"]);
        let own = json!({"name": "kotlin", "command": ["kotlin-lsp"], "files": {"kt": "kotlin"}});
        check(
            json!({"profiles": [own], "memory-mib": 1, "idle-minutes": 1}),
            "kotlin",
            &["/bin", "/usr/bin"],
        );
    }
}
