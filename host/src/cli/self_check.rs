//! `self-check`: asks whether there is a newer version. It asks only when a person runs it, and reveals nothing about
//! them.

use std::io::{self, Write as _};
use std::process::{Output, Stdio};

use clap::Args;
use semver::Version;
use serde_json::json;

use super::options::Common;
use super::{Failure, installation, paint, web};

/// The repository that releases come from: set by `./release`, otherwise `repository` in Cargo.toml.
const REPOSITORY: &str = match option_env!("IAC_MCP_REPOSITORY") {
    Some(told) => told,
    None => env!("CARGO_PKG_REPOSITORY"),
};

/// How long the answer may take, in seconds.
const PATIENCE: &str = "10";

/// Asks the repository of this program whether there is a newer version.
///
/// One request goes out, by `curl`. It contains nothing about you, this computer or this version. Nothing is installed.
#[derive(Debug, Args)]
pub(super) struct SelfCheck {
    /// The repository to ask, in place of the program's own.
    #[arg(long, value_name = "URL", default_value = REPOSITORY, hide_default_value = true)]
    repository: String,
}

impl SelfCheck {
    pub(super) fn run(self, common: &Common) -> Result<(), Failure> {
        let repository = self.repository.trim_end_matches('/');
        let own = env!("CARGO_PKG_VERSION");
        if !repository.starts_with("https://") {
            return Err(Failure::Misuse(unknown(repository)));
        }
        let page = ask(&format!("{repository}/releases/latest"))?;
        let latest = version(&page).ok_or_else(|| {
            let found = if page.is_empty() { "no release" } else { &*page };
            Failure::Failed(format!("{repository} has no version to compare: {found}\nexpected a page that ends with /tag/vVERSION"))
        })?;
        let newer = version(own).is_some_and(|own| latest > own);
        if common.json {
            let body = json!({ "version": own, "latest": latest.to_string(), "newer": newer, "page": page });
            return Ok(paint::answer(&body, true)?);
        }
        let mut stdout = paint::stdout();
        if !newer {
            return Ok(writeln!(stdout, "iac-mcp {own} is the newest version")?);
        }
        writeln!(stdout, "iac-mcp {latest} is out; this is {own}\n{page}")?;
        Ok(writeln!(stdout, "To update, {}", installation::update(&installation::program()?))?)
    }
}

fn unknown(repository: &str) -> String {
    let what = match repository {
        "" => "this program was not built by a release, so it does not know where to look".to_owned(),
        other => format!("not an address to ask: {other}. Expected one that begins with https://"),
    };
    format!("{what}\nname the repository with --repository https://github.com/OWNER/NAME")
}

/// Returns where the address of the newest release redirects to. Only the headers are fetched.
fn ask(address: &str) -> Result<String, Failure> {
    let unasked = |why: &str| {
        Failure::Failed(format!("could not ask for a newer version: {why}\nlook at {address} yourself"))
    };
    let ended = match curl(address) {
        Ok(ended) => ended,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(unasked("there is no `curl`")),
        Err(error) => return Err(unasked(&format!("`curl` did not start: {error}"))),
    };
    match ended.status.success() {
        true => Ok(String::from_utf8_lossy(&ended.stdout).trim().to_owned()),
        false => Err(unasked(String::from_utf8_lossy(&ended.stderr).trim())),
    }
}

fn curl(address: &str) -> io::Result<Output> {
    let mut curl = web::curl();
    curl.args(["--fail", "--head", "--proto", "=https", "--max-time", PATIENCE, "--output", "/dev/null"]);
    curl.args(["--write-out", "%{redirect_url}", "--", address]).stdin(Stdio::null());
    curl.output()
}

/// Parses the version at the end of an address or a tag.
fn version(text: &str) -> Option<Version> {
    let last = text.rsplit('/').next().unwrap_or(text);
    Version::parse(last.strip_prefix('v').unwrap_or(last)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_versions() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(version(text).map(|version| version.to_string()).as_deref(), expected, "{text}");
        };
        check("https://x.example/a/b/releases/tag/v1.10.0", Some("1.10.0"));
        check("0.2.0-beta.1", Some("0.2.0-beta.1"));
        check("https://x.example/a/b/releases", None);
        check("", None);
        assert!(version("v1.10.0") > version("v1.9.3"));
        assert!(version("v1.0.0") > version("v1.0.0-rc.1"));
        assert!(version(env!("CARGO_PKG_VERSION")).is_some());
    }
}
