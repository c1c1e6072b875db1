//! Simulated Macs for trying out plugins.

use std::ffi::OsString;
use std::path::Path;

use iac_apps::Roots;
use iac_state::State;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::build;
use crate::cli::Failure;
use crate::cli::package::read;
use crate::pipeline::{Pipeline, Settings};
use crate::plugins::engine::engine::Now;
use crate::simulated::{self, NOTE, World};
use crate::web::Web;

/// A folder for simulated Macs: one set of apps, and a separate world for each call.
pub(super) struct Macs {
    folder: TempDir,
    now: Now,
}

impl Macs {
    pub(super) fn new() -> Result<Self, Failure> {
        let folder = tempfile::Builder::new().prefix("iac-mcp-test-").tempdir()?;
        let base = folder.path().join("base");
        simulated::unpack(&base).map_err(Failure::Failed)?;
        let now = now(&base.join(NOTE))?;
        Ok(Self { folder, now })
    }

    /// The temporary folder, removed when this value is dropped.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The instant at which the simulated data was captured.
    pub(super) fn now(&self) -> Now {
        self.now.clone()
    }

    /// Makes a pipeline to a simulated Mac at that instant. Its policy allows everything that the gate can allow.
    pub(super) fn pipeline(&self, own: &Path, web: Web) -> Result<Pipeline, Failure> {
        let (mac, state, base) = (own.join("mac"), own.join("state"), self.folder.path().join("base"));
        let settings = json!({ "base": base, "clock": "anchor" }).to_string();
        build::write(&mac.join("world.json"), settings.as_bytes())?;
        build::write(&state.join("policy.toml"), POLICY.as_bytes())?;
        let world = World::kept(mac.clone())?;
        let mut osascript = iac_osascript::Settings::simulated(&std::env::current_exe()?, &mac);
        osascript.environment.push((OsString::from("TZ"), OsString::from("UTC")));
        let cache = Some(self.folder.path().join("cache"));
        Ok(Pipeline::new(Settings {
            apps: iac_apps::Settings { roots: Roots::below(world.base()), cache, standard: None },
            osascript,
            home: world.home(),
            world: Some(world),
            state: Some(State::open(state)?),
            web,
            ..Settings::default()
        })?)
    }
}

/// Why a trial sends no web request.
pub(super) const NO_NETWORK: &str = "there is no network here; `iac-mcp plugin test --record` asks the web server and keeps its answer in the journal";

/// Reading untrusted content changes nothing here, because there is no user to ask.
const POLICY: &str = "profile = \"trusted\"\nafter-untrusted = \"as-usual\"\n";

/// The instant at which the data of a simulated Mac was captured, in UTC.
fn now(note: &Path) -> Result<Now, Failure> {
    let note: Json = serde_json::from_slice(&read(note)?).unwrap_or_default();
    let anchor = note["anchor"].as_str().and_then(|text| text.parse::<jiff::civil::DateTime>().ok());
    let anchor = anchor.and_then(|local| local.to_zoned(jiff::tz::TimeZone::UTC).ok());
    let anchor =
        anchor.ok_or_else(|| Failure::Failed("the simulated Mac does not say when it is".to_owned()))?;
    let milliseconds = u64::try_from(anchor.timestamp().as_millisecond()).unwrap_or_default();
    Ok(Now { milliseconds, ..Now::default() })
}
