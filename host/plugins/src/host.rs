//! A plugin's questions to the host, as data, and the trait that answers them.
//!
//! Every import that the call cannot answer itself becomes a [`Question`], so one place can refuse, record or replay
//! it.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use iac_language_servers::{Ask, Reply};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value as Json;
use tokio_util::sync::CancellationToken;

use crate::PluginId;
use crate::capability::Level;
use crate::failure::Fault;
use crate::http::Request;
use crate::script::Script;

/// The plugin that asks.
#[derive(Clone, Debug)]
pub struct Caller {
    pub plugin: PluginId,
    /// The tool that was called.
    pub tool: String,
    /// Cancelled when the call ends. All work for the caller stops then.
    pub cancelled: CancellationToken,
    /// The untrusted text that the call has received so far.
    pub heard: Heard,
}

/// The sources of the untrusted text that a call has received.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heard(Option<BTreeSet<String>>);

impl Heard {
    /// Notes untrusted text. The source is the bundle id of an app or the address of a web server; `None` for a file
    /// or a language server.
    pub fn note(&mut self, source: Option<&str>) {
        let sources = self.0.get_or_insert_default();
        if let Some(source) = source.filter(|source| !sources.contains(*source)) {
            sources.insert(source.to_owned());
        }
    }

    /// The apps and web servers among the sources; `None` if the call has received no untrusted text.
    pub fn sources(&self) -> Option<&BTreeSet<String>> {
        self.0.as_ref()
    }
}

/// What the plugin asks. The engine has checked the grant; the permission gate has not been asked yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
pub enum Question {
    /// Does the app exist? Answered by `{"bundleId":…}`.
    OpenApp {
        /// The bundle id as the guest wrote it.
        app: String,
    },
    /// A call of one of the server's tools on an app.
    App {
        /// The app's bundle id.
        app: String,
        /// Which tool.
        operation: Operation,
        /// The tool's arguments without the app.
        arguments: Json,
        /// The highest level that the call may reach.
        level: Level,
    },
    /// A script of the package inside an app. Answered by `{"value":…}`; the value is a list if `rest` is not empty.
    Script {
        /// The app's bundle id.
        app: String,
        /// The script as it was granted.
        script: Script,
        /// Its one argument.
        data: Json,
        /// The acts that this call declares, a subset of the script's.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        acts: Vec<String>,
        /// The arguments of the runs after the first one. One decision covers all runs.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        rest: Vec<Json>,
        /// The objects that it is about, as the plugin describes them.
        objects: Vec<String>,
    },
    /// Does the folder exist, and does this host have language servers? Answered by `{"Ok":null}` or `{"Err":…}`.
    OpenWorkspace {
        /// The root as it was granted.
        root: String,
    },
    /// A question to the language servers of a root. Answered as [`iac_language_servers::Workspace::answer`] does.
    LanguageServers {
        /// The root as it was granted.
        root: String,
        #[serde(rename = "about")]
        ask: Ask,
    },
    /// Does the folder exist? Answered by `{}`.
    OpenRoot {
        /// The root as it was granted.
        root: String,
    },
    /// A listing. Answered by `{"entries":[{"name","kind","size","modified"}]}`.
    Entries {
        /// The root as it was granted.
        root: String,
        /// The path below the root.
        path: String,
        /// The last name of the page before.
        after: Option<String>,
        limit: u32,
    },
    /// A part of a text file. Answered by `{"text":…}`.
    ReadText {
        /// The root as it was granted.
        root: String,
        /// The path below the root.
        path: String,
        /// The first byte.
        offset: u64,
        /// The maximum number of bytes.
        limit: u32,
    },
    /// A request to a web server that was granted. Answered by `{"status","headers":[[name,value]],"body":base64}`.
    Http { request: Request },
    /// A stored value. Answered by `{"value":base64 or null}`, and by `"heard":[source]` if the store may contain
    /// untrusted text.
    StoreGet { key: String },
    /// Store a value. Answered by `{}`.
    StorePut {
        key: String,
        /// The value in base64.
        value: String,
    },
    /// Remove a value. Answered by `{}`.
    StoreRemove { key: String },
    /// Keys. Answered by `{"keys":[…]}`, and `heard` as for a value.
    StoreKeys {
        /// Their prefix.
        prefix: String,
        /// The last key of the page before.
        after: Option<String>,
        limit: u32,
    },
}

impl Question {
    /// Tells whether the question is about apps, language servers or web servers, which the engine cannot answer
    /// itself.
    pub(crate) fn is_elsewhere(&self) -> bool {
        matches!(
            self,
            Self::OpenApp { .. }
                | Self::App { .. }
                | Self::Script { .. }
                | Self::OpenWorkspace { .. }
                | Self::LanguageServers { .. }
                | Self::Http { .. }
        )
    }
}

/// A tool of the server that plugins can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// `iac_mcp_query_object`
    QueryObject,
    /// `iac_mcp_get_elements`
    GetElements,
    /// `iac_mcp_get_properties`
    GetProperties,
    /// `iac_mcp_read_command`
    ReadCommand,
    /// `iac_mcp_set_property`
    SetProperty,
    /// `iac_mcp_run_command`
    RunCommand,
}

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// The guest receives this error.
    Fault(Fault),
    /// The call cannot continue: it differs from its recording.
    Diverged(String),
    /// The call ends here, and will be repeated with the record so far.
    Suspended,
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// The answer to a question.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Told {
    /// The answer to most questions, and every answer in a recording.
    Json(Json),
    /// An answer of language servers. It is long and frequent, so it is converted to JSON only for a recording.
    Servers(#[serde(serialize_with = "shared")] Arc<Reply>),
}

fn shared<S: Serializer>(reply: &Arc<Reply>, into: S) -> Result<S::Ok, S::Error> {
    reply.serialize(into)
}

impl Told {
    /// Returns the form for a recording.
    pub fn into_json(self) -> Json {
        match self {
            Self::Json(json) => json,
            Self::Servers(reply) => serde_json::to_value(&*reply).expect("an answer is plain data"),
        }
    }
}

impl From<Json> for Told {
    fn from(json: Json) -> Self {
        Self::Json(json)
    }
}

impl From<Reply> for Told {
    fn from(reply: Reply) -> Self {
        Self::Servers(Arc::new(reply))
    }
}

impl<'de> Deserialize<'de> for Told {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Json::deserialize(from).map(Self::Json)
    }
}

/// A recorded answer equals the original one.
impl PartialEq for Told {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Json(one), Self::Json(other)) => one == other,
            (Self::Servers(one), Self::Servers(other)) => one == other,
            (one, other) => one.clone().into_json() == other.clone().into_json(),
        }
    }
}

/// Something is noted, which may take time.
pub type Noted<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// An answer that may take time.
pub type Answer<'a> = Pin<Box<dyn Future<Output = Result<Told, Refusal>> + Send + 'a>>;

/// How far a call has got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// How much is done.
    pub done: u32,
    /// The total amount, if known.
    pub total: Option<u32>,
    /// The current work.
    pub message: String,
}

/// Answers the questions of plugins. The permission gate, the audit log and the apps are behind it.
pub trait Host: Send + Sync {
    /// Answers one question. The future is dropped when the call ends early.
    fn ask<'a>(&'a self, caller: &'a Caller, question: Question) -> Answer<'a>;

    /// Notes untrusted text of these apps and web servers that the plugin gets from its store. The guest goes on only
    /// after that, so that it counts for everything that the guest does with the text.
    fn recalled<'a>(&'a self, _sources: &'a BTreeSet<String>) -> Noted<'a> {
        Box::pin(std::future::ready(()))
    }

    /// Reports how far a call has got.
    fn progress(&self, _caller: &Caller, _progress: Progress) {}
}

/// A host that offers nothing. It serves a plugin that lists its tools.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing;

impl Host for Nothing {
    fn ask<'a>(&'a self, _caller: &'a Caller, _question: Question) -> Answer<'a> {
        let fault = Fault::new("unavailable", "no questions are possible here");
        Box::pin(async move { Err(fault.into()) })
    }
}
