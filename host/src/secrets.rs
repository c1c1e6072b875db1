//! Secrets that an operator gives to plugins. On a Mac they are in the Keychain, elsewhere each is in a file that
//! only its owner can read. A secret belongs to one plugin and one host, so a package that names another host does
//! not find it.

use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use iac_osascript::{Guarded, Liveness};
use iac_plugins::PluginId;
use iac_state::{regular, shell_word};
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// The most bytes of a secret. A header could hold more, but an input line of the Keychain tool cannot.
const LONGEST: usize = 1_500;

/// The most bytes to read from a file or program that supplies a secret.
const MOST: u64 = 16 * 1024;

/// The exit status of the Keychain tool if there is no such entry.
const NOT_THERE: i32 = 44;

/// The store of secrets.
#[derive(Clone, Debug)]
pub struct Keeper {
    /// The folder of secrets, below the state directory.
    folder: PathBuf,
    /// The Keychain tool, on a Mac.
    keychain: Option<PathBuf>,
    /// The guard, which ends the Keychain tool together with this program, even if the tool waits for a person.
    guard: Option<PathBuf>,
}

/// Where one secret is stored.
#[derive(Clone, Debug)]
pub struct Place {
    keeper: Keeper,
    plugin: String,
    name: String,
}

/// Checks that a value can be put into a header.
///
/// # Errors
/// The value cannot; the text says why, without the value.
pub fn check(value: &str) -> Result<(), String> {
    let visible = value.bytes().all(|byte| (0x20..=0x7e).contains(&byte));
    match visible && value.trim() == value && (1..=LONGEST).contains(&value.len()) {
        true => Ok(()),
        false => Err(format!(
            "the secret cannot be used, expected 1 to {LONGEST} visible ASCII characters in one line, without blanks at its ends"
        )),
    }
}

impl Keeper {
    /// Opens the secrets of a state directory.
    pub fn of(state: &Path) -> Self {
        let is_mac = std::env::consts::OS == "macos";
        let keychain = is_mac.then(|| PathBuf::from("/usr/bin/security"));
        Self { folder: state.join("secrets"), keychain, guard: std::env::current_exe().ok() }
    }

    /// Returns where one secret is stored. The engine has checked that none of the three names leaves its folder.
    pub fn place(&self, plugin: &str, key: &str, host: &str) -> Place {
        Place { keeper: self.clone(), plugin: plugin.to_owned(), name: format!("{key}@{host}") }
    }

    /// Removes all secret files of a plugin, even those that its package no longer names. The Keychain cannot be
    /// searched, so its entries stay.
    ///
    /// # Errors
    /// A file cannot be removed.
    pub fn sweep(&self, plugin: &PluginId) -> io::Result<()> {
        match std::fs::remove_dir_all(self.folder.join(plugin.as_str())) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Describes to the operator where secrets are stored.
    pub fn shown(&self) -> &'static str {
        if self.keychain.is_some() { "in your Keychain" } else { "in a file that only you can read" }
    }
}

impl Place {
    /// Reads the secret; `None` if it is not set.
    ///
    /// # Errors
    /// It cannot be read.
    pub async fn read(&self) -> io::Result<Option<String>> {
        let Some(tool) = &self.keeper.keychain else {
            return regular::text(&self.file(), MOST).map_err(io::Error::other);
        };
        let (status, said) = self.run(tool, &["find-generic-password", "-w"], &self.entry(), "").await?;
        match status {
            Some(0) => Ok(Some(said.trim_end_matches('\n').to_owned())),
            Some(NOT_THERE) => Ok(None),
            _ => Err(io::Error::other("the Keychain refuses; unlock it and try again")),
        }
    }

    /// Sets the secret, or removes it.
    ///
    /// # Errors
    /// It cannot be written.
    pub async fn write(&self, value: Option<&str>) -> io::Result<()> {
        let Some(tool) = &self.keeper.keychain else { return self.write_file(value) };
        let entry = self.entry();
        match value {
            // Every user of a computer can see the arguments of its processes, so the tool gets the secret on
            // standard input.
            Some(value) => {
                let words = entry.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" ");
                let hex = HEXLOWER.encode(value.as_bytes());
                let order = format!("add-generic-password -U {words} -X {hex}\n");
                self.run(tool, &["-i"], &[], &order).await?;
            }
            None => drop(self.run(tool, &["delete-generic-password"], &entry, "").await?),
        }
        match self.read().await?.as_deref() == value {
            true => Ok(()),
            false => Err(io::Error::other("the Keychain has not taken it; unlock it and try again")),
        }
    }

    /// Returns a command with which the operator can remove the secret.
    pub fn by_hand(&self) -> String {
        let words = match &self.keeper.keychain {
            Some(_) => self.entry().map(|word| format!(" {}", shell_word(&word))).concat(),
            None => return format!("rm {}", shell_word(&self.file().display().to_string())),
        };
        format!("security delete-generic-password{words}")
    }

    fn write_file(&self, value: Option<&str>) -> io::Result<()> {
        let file = self.file();
        let Some(value) = value else {
            return match std::fs::remove_file(file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        };
        let folder = file.parent().unwrap_or(&self.keeper.folder);
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        // From its creation, only the owner can read the file, and it appears whole or not at all.
        let mut made = tempfile::NamedTempFile::new_in(folder)?;
        made.write_all(value.as_bytes())?;
        made.as_file().sync_all()?;
        made.persist(file).map(drop).map_err(|error| error.error)
    }

    /// Runs the Keychain tool. Returns its exit status and its output.
    async fn run(
        &self,
        tool: &Path,
        order: &[&str],
        entry: &[String],
        input: &str,
    ) -> io::Result<(Option<i32>, String)> {
        let words = order.iter().copied().chain(entry.iter().map(String::as_str)).map(OsString::from);
        let program: Vec<OsString> = std::iter::once(tool.as_os_str().to_owned()).chain(words).collect();
        let home = std::env::var_os("HOME").map(|home| ("HOME".into(), home));
        let environment: Vec<(OsString, OsString)> = home.into_iter().collect();
        let (guard, liveness) = (self.keeper.guard.as_deref(), Liveness::new()?);
        let (mut process, pipes) = Guarded::server(guard, &liveness, &program, Path::new("/"), &environment)?;
        let (mut stdin, mut said) = (pipes.stdin, String::new());
        stdin.write_all(input.as_bytes()).await?;
        drop(stdin);
        pipes.stdout.take(MOST).read_to_string(&mut said).await?;
        Ok((process.wait().await?.code(), said))
    }

    fn file(&self) -> PathBuf {
        self.keeper.folder.join(&self.plugin).join(&self.name)
    }

    /// The names of the Keychain entry. Two state directories have separate entries.
    fn entry(&self) -> [String; 4] {
        let state = HEXLOWER.encode(&Sha256::digest(self.keeper.folder.as_os_str().as_encoded_bytes())[..4]);
        let account = format!("{}/{}", self.plugin, self.name);
        ["-s".to_owned(), format!("iac-mcp plugin secret {state}"), "-a".to_owned(), account]
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    async fn check_keeper(keeper: &Keeper) {
        let place = keeper.place("weather", "token", "api.example.com");
        assert_eq!(place.read().await.unwrap(), None);
        for value in ["s3cret", "other \"value\" \\ $HOME"] {
            place.write(Some(value)).await.unwrap();
            assert_eq!(place.read().await.unwrap().as_deref(), Some(value));
        }
        // A secret belongs to one plugin, one key and one host.
        for (plugin, key, host) in [
            ("weather2", "token", "api.example.com"),
            ("weather", "token2", "api.example.com"),
            ("weather", "token", "evil.example.com"),
        ] {
            assert_eq!(keeper.place(plugin, key, host).read().await.unwrap(), None, "{plugin} {key} {host}");
        }
        place.write(None).await.unwrap();
        assert_eq!(place.read().await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_file_is_the_owners_alone() {
        let state = tempfile::tempdir().unwrap();
        let keeper = Keeper { keychain: None, ..Keeper::of(state.path()) };
        check_keeper(&keeper).await;
        let place = keeper.place("weather", "token", "api.example.com");
        place.write(Some("s3cret")).await.unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&place.file()), mode(place.file().parent().unwrap())), (0o600, 0o700));
        let file = format!("rm '{}'", place.file().display());
        assert_eq!(place.by_hand(), file);
        let apart = Keeper { folder: "/a'; x '/b".into(), ..keeper.clone() }.place("p", "k", "h").by_hand();
        assert_eq!(apart, r"rm '/a'\''; x '\''/b/p/k@h'");
        keeper.sweep(&"other".parse().unwrap()).unwrap();
        assert_eq!(place.read().await.unwrap().as_deref(), Some("s3cret"));
        keeper.sweep(&"weather".parse().unwrap()).unwrap();
        assert!(!place.file().parent().unwrap().exists());
    }

    /// A stand-in for the Keychain tool, as the manual describes it: one entry for each service and account, and
    /// commands on standard input.
    const TOOL: &str = r#"#!/bin/sh
here=$(dirname "$0")
echo "$*" >> "$here/seen"
if [ "$1" = -i ]; then read -r line; eval "set -- $line"; typed=1; fi
order=$1; shift
while [ $# -gt 0 ]; do case $1 in
  -s) service=$2; shift;; -a) account=$2; shift;; -X) hex=$2; shift;;
esac; shift; done
file="$here/$(printf %s "$service $account" | tr '/ ' '__')"
case $order in
  add-generic-password) [ "$typed" ] && printf "$(printf %s "$hex" | sed 's/../\\x&/g')" > "$file";;
  find-generic-password) [ -f "$file" ] || exit 44; cat "$file"; echo;;
  delete-generic-password) rm -f "$file";;
esac
"#;

    #[tokio::test]
    async fn a_keychain_gets_no_value_as_an_argument() {
        let folder = tempfile::tempdir().unwrap();
        let program = |name: &str, text: &str| {
            let path = folder.path().join(name);
            let mut file = std::fs::File::create(&path).unwrap();
            file.write_all(text.as_bytes()).unwrap();
            file.set_permissions(std::fs::Permissions::from_mode(0o755)).unwrap();
            path
        };
        let tool = program("security", &TOOL.replace("#!/bin/sh", "#!/bin/bash"));
        // It is called as `guard FD -- TOOL …`.
        let guard = program("guard", "#!/bin/sh\necho guarded >> \"$0.seen\"\nshift 3\nexec \"$@\"\n");
        let keeper = Keeper { keychain: Some(tool), guard: Some(guard), ..Keeper::of(folder.path()) };
        check_keeper(&keeper).await;
        let seen = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(seen("guard.seen").lines().count(), seen("seen").lines().count());
        let seen = seen("seen");
        assert!(seen.contains("find-generic-password") && !seen.contains("s3cret"), "{seen}");
        assert!(!seen.contains(&HEXLOWER.encode(b"s3cret")), "{seen}");
        assert!(!keeper.folder.exists(), "no file holds it");
        let order = keeper.place("weather", "token", "api.example.com").by_hand();
        let expected = "security delete-generic-password -s 'iac-mcp plugin secret ";
        assert!(
            order.starts_with(expected) && order.ends_with("' -a 'weather/token@api.example.com'"),
            "{order}"
        );
    }

    #[test]
    fn a_value_can_stand_in_a_header() {
        assert_eq!((check("a b"), check(&"x".repeat(LONGEST))), (Ok(()), Ok(())));
        for value in ["", " a", "a ", "a\nb", "ü", "a\0", &"x".repeat(1_501)] {
            assert!(check(value).is_err_and(|why| value.len() < 3 || !why.contains(value)), "{value:?}");
        }
    }
}
