//! The `initialize` handshake.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::Instant;

use super::Server;
use super::documents::Documents;
use super::heard::{Heard, folders};
use crate::connection::{Connection, Trouble};
use crate::disk::Disk;
use crate::files::Files;
use crate::includes;
use crate::launch::{Launch, Program};
use crate::profile::Profile;
use crate::scope;
use crate::settings::Settings;
use crate::temporary::Folder;
use crate::text::Encoding;
use crate::types::{Cause, Failure};

/// What is needed to start a server.
pub(crate) struct Start<'a> {
    pub(crate) profile: &'a Arc<Profile>,
    pub(crate) program: PathBuf,
    pub(crate) disk: &'a Arc<Disk>,
    pub(crate) files: &'a Arc<Files>,
    pub(crate) launcher: &'a dyn Launch,
    pub(crate) settings: &'a Settings,
}

/// Starts a server and initializes it.
///
/// # Errors
/// `StartFailed`, with how the server ended and the end of its standard error.
pub(crate) async fn start(start: Start<'_>) -> Result<Arc<Server>, Failure> {
    let Start { profile, disk, files, .. } = start;
    let folder = Folder::make(&start.settings.temporary());
    let program = program(&start, folder.as_ref());
    let mut launched =
        start.launcher.launch(&program).map_err(|error| failed(profile, &error.to_string()))?;
    if let Some(folder) = folder {
        launched.process = folder.with(launched.process);
    }
    let pid = launched.pid;
    let heard = Arc::new(Heard::new(Arc::clone(profile), Arc::clone(disk)));
    let connection = Connection::begin(launched, Arc::clone(&heard) as _);
    let found = files.all();
    let told = found.iter().filter(|found| profile.watches(&found.path, found.extension()));
    let told = told.map(|found| (found.path.clone(), found.stamp)).collect();
    let deadline = Instant::now() + Duration::from_millis(profile.start_ms);
    let said = connection.request("initialize", &initialize(profile, disk, files), deadline).await;
    let said = said.map_err(|trouble| why(profile, trouble))?;
    let capabilities = said.get("capabilities").cloned().unwrap_or_default();
    let named = capabilities.get("positionEncoding").and_then(Json::as_str);
    let Some(encoding) = Encoding::named(named) else {
        return Err(failed(
            profile,
            &format!("it chose the position encoding `{}`, which was not offered", named.unwrap_or_default()),
        ));
    };
    connection.notify("initialized", &json!({}));
    if !profile.settings.is_empty() {
        connection.notify("workspace/didChangeConfiguration", &json!({"settings": profile.settings}));
    }
    Ok(Arc::new(Server {
        profile: Arc::clone(profile),
        pid,
        memory: AtomicU64::new(0),
        disk: Arc::clone(disk),
        files: Arc::clone(files),
        connection,
        heard,
        encoding,
        version: version(&said),
        capabilities,
        documents: tokio::sync::Mutex::new(Documents::default()),
        told: Mutex::new(told),
        compared: Mutex::new(None),
        changed: Mutex::new(Instant::now()),
        generation: AtomicU64::new(0),
        included: AtomicU64::new(0),
        outlines: Mutex::default(),
        used: Mutex::new(Instant::now()),
        silence: Mutex::default(),
        stirred: Mutex::default(),
        unfollowed: Mutex::default(),
        is_project: profile.project.is_empty() || profile.project.iter().any(|file| disk.exists(file)),
        scoped: AtomicBool::new(scope::is_narrow(profile, disk, &found)),
    }))
}

fn program(start: &Start<'_>, folder: Option<&Folder>) -> Program {
    let mut command = vec![start.program.clone().into_os_string()];
    command.extend(start.profile.command.iter().skip(1).map(OsString::from));
    let own = start.profile.environment.iter().map(|(name, value)| (name.into(), value.into()));
    let temporary = folder.map(|folder| ("TMPDIR".into(), folder.path().as_os_str().to_owned()));
    let environment =
        start.settings.environment.iter().filter(|(name, _)| folder.is_none() || name != "TMPDIR");
    let environment = environment.cloned().chain(temporary).chain(own).collect();
    Program { command, directory: start.disk.path().to_owned(), environment }
}

fn why(profile: &Profile, trouble: Trouble) -> Failure {
    match trouble {
        Trouble::Ended(reason) => failed(profile, &format!("it ended during initialize: {reason}")),
        Trouble::Timeout => {
            failed(profile, &format!("it did not answer initialize within {} ms", profile.start_ms))
        }
        Trouble::Refused { code, message } => {
            failed(profile, &format!("it refused initialize ({code}): {message}"))
        }
    }
}

fn failed(profile: &Profile, why: &str) -> Failure {
    let why: String = why.chars().take(800).collect();
    let failure = Failure::new(Cause::StartFailed, format!("{} could not be started: {why}", profile.name))
        .retry(2_000);
    match &profile.install {
        Some(install) => failure.suggest(format!("check the installation: {install}")),
        None => failure,
    }
}

fn version(said: &Json) -> Option<String> {
    let info = said.get("serverInfo")?;
    let text = |key: &str| info.get(key).and_then(Json::as_str);
    let whole = [text("name"), text("version")].into_iter().flatten().collect::<Vec<_>>().join(" ");
    Some(whole.chars().take(200).collect())
}

fn initialize(profile: &Profile, disk: &Disk, files: &Files) -> Json {
    let mut options = profile.options.clone();
    if let Some(flags) = profile.flags.as_ref().filter(|_| options.is_null() || options.is_object()) {
        options[flags] = json!(includes::flags(profile, disk, files));
    }
    json!({
        "processId": std::process::id(),
        "clientInfo": {"name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION")},
        "rootUri": disk.uri(""),
        "rootPath": disk.path().to_string_lossy(),
        "workspaceFolders": folders(disk),
        "initializationOptions": options,
        "capabilities": capabilities(profile),
    })
}

fn capabilities(profile: &Profile) -> Json {
    let kinds: Vec<u8> = (1..=26).collect();
    // The host learns of dynamic registrations late, so only abilities that a server cannot announce at start may use
    // them.
    let dynamic = json!({"dynamicRegistration": true});
    let fixed = json!({"dynamicRegistration": false});
    json!({
        "general": {"positionEncodings": ["utf-8", "utf-16", "utf-32"]},
        "window": {"workDoneProgress": true},
        "experimental": {"serverStatusNotification": true},
        "workspace": {
            "configuration": !profile.told_settings,
            "workspaceFolders": true,
            "didChangeConfiguration": dynamic,
            "didChangeWatchedFiles": {"dynamicRegistration": true, "relativePatternSupport": true},
            "symbol": {"symbolKind": {"valueSet": kinds}, "tagSupport": {"valueSet": [1]}},
            "diagnostics": {"refreshSupport": true},
        },
        "textDocument": {
            "synchronization": {"dynamicRegistration": false},
            "documentSymbol": {
                "hierarchicalDocumentSymbolSupport": true, "symbolKind": {"valueSet": kinds}, "tagSupport": {"valueSet": [1]},
            },
            "semanticTokens": {
                "requests": {"range": true, "full": true}, "formats": ["relative"], "tokenTypes": [], "tokenModifiers": [],
                "multilineTokenSupport": true, "overlappingTokenSupport": false,
            },
            "references": fixed,
            "rename": fixed,
            // Without these capabilities a server sends commands, which are never run, in place of edits.
            "codeAction": {
                "dynamicRegistration": false, "isPreferredSupport": true, "disabledSupport": true, "dataSupport": true,
                "resolveSupport": {"properties": ["edit"]},
                "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "refactor", "source"]}},
            },
            "definition": {"linkSupport": true},
            "typeDefinition": {"linkSupport": true},
            "implementation": {"linkSupport": true},
            "hover": {"contentFormat": ["markdown", "plaintext"]},
            "completion": {"completionItem": {"snippetSupport": false}, "contextSupport": true},
            "callHierarchy": fixed,
            "typeHierarchy": fixed,
            "diagnostic": fixed,
            "publishDiagnostics": {"versionSupport": true, "codeDescriptionSupport": true},
            // clangd's extension that reports inactive regions.
            "inactiveRegionsCapabilities": {"inactiveRegions": true},
        },
    })
}
