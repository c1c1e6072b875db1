//! Turns a plugin's question into a tool call, and the answer back.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use data_encoding::BASE64;
use iac_core::Millis;
use iac_core::call::{Act, Method, ScriptCall, Secret as WebSecret, Tool, WebCall};
use iac_core::permission::{Level as CoreLevel, Question as CoreQuestion};
use iac_language_servers::types::{Cause, Failure};
use iac_plugins::capability::Level;
use iac_plugins::engine::{Now, Wall};
use iac_plugins::failure::Fault;
use iac_plugins::host::{
    Answer, Caller as Asking, Host, Noted, Operation, Progress, Question, Refusal, Told,
};
use iac_plugins::http::{Request, Secret};
use iac_plugins::journal::Recording;
use serde_json::{Map, Value as Json, json};

use crate::consent::{Asker, Asking as Asked, Caller};
use crate::language_servers::Servers;
use crate::pipeline::{Answer as PipelineAnswer, Pipeline, SERVERS};

/// Answers plugins' questions about apps by calling the server's own tools, so that all calls pass the same gate.
pub(super) struct Bridge {
    pipeline: Arc<Pipeline>,
    servers: Arc<Servers>,
    caller: Caller,
    /// The wall clock of the plugin's call.
    wall: Wall,
    /// When the call began. Deadlines of its questions to language servers count from here.
    began: Instant,
    events: AtomicU64,
    question: Mutex<Option<Box<CoreQuestion>>>,
}

impl Bridge {
    pub(super) fn new(pipeline: Arc<Pipeline>, servers: Arc<Servers>, caller: Caller) -> Self {
        let wall = Wall::default();
        let asker = Arc::new(Patient { asker: Arc::clone(&caller.asker), wall: wall.clone() });
        Self {
            pipeline,
            servers,
            caller: Caller { asker, ..caller },
            wall,
            began: Instant::now(),
            events: AtomicU64::new(0),
            question: Mutex::default(),
        }
    }

    /// Returns how many Apple events the call has sent.
    pub(super) fn events(&self) -> u64 {
        self.events.load(Ordering::Relaxed)
    }

    /// Returns the wall clock, which stands from a question to a human until that question of the plugin is answered.
    pub(super) fn wall(&self) -> Wall {
        self.wall.clone()
    }

    /// Returns the question that the user must answer before the call goes on.
    pub(super) fn question(&self) -> Option<Box<CoreQuestion>> {
        self.question.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    async fn answer(&self, plugin: &Asking, question: Question) -> Result<Told, Refusal> {
        if let Question::LanguageServers { root, ask } = question {
            return match self.servers.get().opened(Path::new(&root)) {
                Ok(workspace) => Ok(workspace.answer(ask.after(self.began.elapsed())).await.into()),
                Err(failure) => Err(Fault::new("unavailable", failure.message).into()),
            };
        }
        self.answer_json(plugin, question).await.map(Told::from)
    }

    async fn answer_json(&self, plugin: &Asking, question: Question) -> Result<Json, Refusal> {
        match question {
            Question::OpenApp { app } => match self.pipeline.bundle_id(&app).await {
                Ok(bundle_id) => Ok(json!({ "bundleId": bundle_id })),
                Err(fault) => Err(from_body(fault.to_json()).into()),
            },
            Question::App { app, operation, arguments, level } => {
                let arguments = self.arguments(&app, arguments)?;
                self.call(plugin, &app, tool(operation), &arguments, level).await
            }
            Question::Script { app, script, data, acts, rest, objects } => {
                let level = script.level;
                // The levels come from the package as it was granted, never from the call.
                let of = |name| script.acts.get(&name).map(|level| Act { level: most(*level), name });
                let acts = acts.into_iter().filter_map(of).collect();
                let caller = self.caller.through(plugin.plugin.as_str(), &app, most(level));
                let call = ScriptCall {
                    app,
                    name: script.name,
                    text: script.text,
                    level: most(level),
                    acts,
                    data,
                    rest,
                    objects,
                };
                let answer = self.pipeline.run_script(call, &caller, plugin.cancelled.clone()).await;
                self.take(answer)
            }
            Question::OpenWorkspace { root } => Ok(self.open_workspace(plugin, &root)),
            Question::Http { request } => {
                let call = web_call(request)?;
                let caller = self.caller.through(plugin.plugin.as_str(), &call.app(), call.method.level());
                self.take(self.pipeline.request(call, &caller, plugin.cancelled.clone()).await)
            }
            _ => Err(Fault::new("internal", "only questions about apps and servers come this far").into()),
        }
    }

    /// Opens a root without starting a server. The audit log records this as a read of the plugin.
    fn open_workspace(&self, plugin: &Asking, root: &str) -> Json {
        // Without servers, a search would find nothing and count as complete.
        let opened = match self.servers.unused() {
            Some(why) => Err(unusable(why)),
            None => self.servers.get().workspace(Path::new(root)).map(drop),
        };
        let caller = self.caller.through(plugin.plugin.as_str(), SERVERS, CoreLevel::Safe);
        self.pipeline.note_servers(&plugin.tool, root, opened.is_ok(), &caller);
        json!(opened)
    }

    /// Converts a guest's arguments to a tool's. The handle determines the app, so the guest cannot name another one.
    /// The gate refuses every action in another app. A plain reference to one is refused here, because this error can
    /// name it.
    fn arguments(&self, app: &str, given: Json) -> Result<Map<String, Json>, Refusal> {
        if let Some(other) = foreign(&self.pipeline, app, &given) {
            let message = format!("`{other}` is a reference to another app than `{app}`");
            return Err(Fault::new("permission_denied", message).into());
        }
        let Json::Object(mut arguments) = given else {
            return Err(Fault::new("invalid_parameter", "arguments are not an object").into());
        };
        arguments.insert("app".to_owned(), json!(app));
        Ok(arguments)
    }

    async fn call(
        &self,
        plugin: &Asking,
        app: &str,
        tool: Tool,
        arguments: &Map<String, Json>,
        level: Level,
    ) -> Result<Json, Refusal> {
        let caller = self.caller.through(plugin.plugin.as_str(), app, most(level));
        let (id, shown) = (plugin.plugin.as_str(), shown(arguments));
        tracing::debug!(target: "plugin", plugin = id, tool = tool.name(), arguments = %shown, "asks");
        let answer = self.take(self.pipeline.call(tool, arguments, &caller, plugin.cancelled.clone()).await);
        if let Err(Refusal::Fault(fault)) = &answer {
            tracing::debug!(target: "plugin", plugin = id, "is told {}: {}", fault.code, fault.message);
        }
        answer
    }

    /// Converts an outcome to an answer for the guest. If it is a question for the user, the guest's call ends.
    fn take(&self, answer: PipelineAnswer) -> Result<Json, Refusal> {
        self.events.fetch_add(answer.outcome.events, Ordering::Relaxed);
        if let Some(question) = answer.question {
            *self.question.lock().unwrap_or_else(PoisonError::into_inner) = Some(question);
            return Err(Refusal::Suspended);
        }
        match (answer.outcome.is_error, answer.outcome.body) {
            (false, body) => Ok(body),
            (true, body) => Err(from_body(body).into()),
        }
    }
}

impl Host for Bridge {
    fn ask<'a>(&'a self, plugin: &'a Asking, question: Question) -> Answer<'a> {
        Box::pin(async {
            let answer = self.answer(plugin, question).await;
            self.wall.go_on();
            answer
        })
    }

    fn recalled<'a>(&'a self, sources: &'a BTreeSet<String>) -> Noted<'a> {
        Box::pin(self.pipeline.recalled(sources))
    }

    fn progress(&self, _: &Asking, progress: Progress) {
        if let Some(listener) = &self.caller.listener {
            listener.hear(progress.done, progress.total, &progress.message);
        }
    }
}

/// Asks as the caller does, and stops the clock of the plugin's call meanwhile. The clock goes on only after the
/// approved action has ended, which has the limits of the server's own calls.
#[derive(Debug)]
struct Patient {
    asker: Arc<dyn Asker>,
    wall: Wall,
}

impl Asker for Patient {
    fn ask<'a>(&'a self, question: &'a CoreQuestion, patience: Duration) -> Asked<'a> {
        self.wall.stop();
        self.asker.ask(question, patience)
    }

    fn is_somebody(&self) -> bool {
        self.asker.is_somebody()
    }

    fn brought(&self) -> Option<&str> {
        self.asker.brought()
    }
}

/// Converts a request. The engine has checked it against the grants.
fn web_call(request: Request) -> Result<WebCall, Fault> {
    let Request { host, method, url, headers, body, secrets, deadline } = request;
    let wrong = |what: &str| Fault::new("internal", format!("the request has no readable {what}"));
    let secret = |secret: Secret| WebSecret { key: secret.key, header: secret.header, prefix: secret.prefix };
    Ok(WebCall {
        host,
        method: Method::parse(method.name()).ok_or_else(|| wrong("method"))?,
        url,
        headers,
        body: BASE64.decode(body.as_bytes()).map_err(|_| wrong("body"))?,
        secrets: secrets.into_iter().map(secret).collect(),
        deadline: Millis(deadline.into()),
    })
}

/// Begins a call at the current time, in this computer's time zone.
pub(super) fn begin() -> Recording {
    let now = jiff::Zoned::now();
    Recording::at(Now {
        milliseconds: u64::try_from(now.timestamp().as_millisecond()).unwrap_or_default(),
        offset_seconds: now.offset().seconds(),
        zone: now.time_zone().iana_name().unwrap_or("UTC").to_owned(),
    })
}

/// Formats arguments for one line, cut to a maximum. JSON contains no raw control characters.
fn shown(arguments: &Map<String, Json>) -> String {
    // A few lines in a terminal: enough to recognize the request without showing all of it.
    const MOST: usize = 300;
    let text = json!(arguments).to_string();
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

fn tool(operation: Operation) -> Tool {
    match operation {
        Operation::QueryObject => Tool::QueryObject,
        Operation::GetElements => Tool::GetElements,
        Operation::GetProperties => Tool::GetProperties,
        Operation::ReadCommand => Tool::ReadCommand,
        Operation::SetProperty => Tool::SetProperty,
        Operation::RunCommand => Tool::RunCommand,
    }
}

fn most(level: Level) -> CoreLevel {
    match level {
        Level::Safe => CoreLevel::Safe,
        Level::Modify => CoreLevel::Modify,
        Level::Dangerous => CoreLevel::Dangerous,
    }
}

/// Finds a reference to another app anywhere in the arguments.
fn foreign<'a>(pipeline: &Pipeline, app: &str, arguments: &'a Json) -> Option<&'a str> {
    match arguments {
        Json::String(text) => {
            let owner = pipeline.app_of(text)?;
            (!owner.eq_ignore_ascii_case(app)).then_some(text)
        }
        Json::Array(items) => items.iter().find_map(|item| foreign(pipeline, app, item)),
        Json::Object(fields) => fields.values().find_map(|value| foreign(pipeline, app, value)),
        _ => None,
    }
}

/// The error for a mistake in the operator's settings, which only the operator can fix.
fn unusable(why: &str) -> Failure {
    let suggestion = Some("only the user can correct that file; `iac-mcp doctor` looks at it".to_owned());
    Failure { suggestion, ..Failure::new(Cause::StartFailed, why) }
}

/// Parses an error from the form that clients see.
fn from_body(body: Json) -> Fault {
    let Json::Object(mut fields) = body else {
        return Fault::new("internal", "the error has an invalid form");
    };
    let mut text = |name: &str| match fields.remove(name) {
        Some(Json::String(text)) => Some(text),
        _ => None,
    };
    let (code, message, suggestion) = (text("error"), text("message"), text("suggestion"));
    let retryable = fields.remove("retryable") == Some(Json::Bool(true));
    Fault {
        code: code.unwrap_or_else(|| "internal".to_owned()),
        message: message.unwrap_or_default(),
        suggestion,
        retryable,
        detail: detail(fields),
    }
}

fn detail(fields: Map<String, Json>) -> Option<Json> {
    if fields.is_empty() { None } else { Some(Json::Object(fields)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_a_tool_is_the_guests_fault() {
        let body = json!({"error": "reference_invalid", "message": "m", "suggestion": "s", "retryable": true, "reference": "ref_x"});
        let fault = from_body(body);
        assert_eq!((fault.code.as_str(), fault.message.as_str()), ("reference_invalid", "m"));
        assert_eq!((fault.suggestion.as_deref(), fault.retryable), (Some("s"), true));
        assert_eq!(fault.detail, Some(json!({"reference": "ref_x"})));
        assert_eq!(from_body(json!(1)).code, "internal");
    }

    /// Makes a web request as a plugin does, through the gate.
    async fn asked(method: &str, policy: &str) -> (Result<Json, Refusal>, bool) {
        let state = tempfile::tempdir().unwrap();
        let mut file = std::fs::File::create(state.path().join("policy.toml")).unwrap();
        std::io::Write::write_all(&mut file, policy.as_bytes()).unwrap();
        let (web, told) = crate::web::tests::says("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
        let state = Some(iac_state::State::open(state.path().to_owned()).unwrap());
        let settings = crate::pipeline::Settings { web, state, ..crate::pipeline::Settings::default() };
        let pipeline = Arc::new(Pipeline::new(settings).unwrap());
        let bridge = Bridge::new(Arc::clone(&pipeline), Arc::default(), Caller::alone("test"));
        let plugin = Asking {
            plugin: "weather".parse().unwrap(),
            tool: "weather".to_owned(),
            cancelled: tokio_util::sync::CancellationToken::new(),
            heard: iac_plugins::host::Heard::default(),
        };
        let request = Request {
            host: "api.example.com".to_owned(),
            method: method.parse().unwrap(),
            url: "https://api.example.com/now".to_owned(),
            headers: Vec::new(),
            body: String::new(),
            secrets: Vec::new(),
            deadline: 10_000,
        };
        let answer = bridge.ask(&plugin, Question::Http { request }).await.map(Told::into_json);
        (answer, told.try_recv().is_ok())
    }

    #[tokio::test]
    async fn a_request_of_a_plugin_passes_the_gate() {
        let answer =
            json!({ "status": 200, "headers": [["content-length", "2"]], "body": "aGk=", "untrusted": true });
        assert_eq!(asked("GET", "").await, (Ok(answer.clone()), true));
        assert_eq!(asked("POST", "profile = \"trusted\"").await, (Ok(answer), true));
        let check = |(answer, was_sent): (Result<Json, Refusal>, bool), code: &str| {
            let Err(Refusal::Fault(fault)) = answer else { panic!("{answer:?}") };
            assert_eq!((fault.code.as_str(), was_sent), (code, false), "{fault:?}");
            fault
        };
        let unasked = check(asked("POST", "").await, "permission_required");
        let order = "iac-mcp policy allow 'https://api.example.com' --command 'http post' --plugin weather";
        assert!(unasked.suggestion.is_some_and(|it| it.contains(order)));
        let rule = "rules = [{ app = \"https://*\", plugin = \"weather\", decision = \"deny\" }]";
        check(asked("GET", rule).await, "permission_denied");
    }
}
