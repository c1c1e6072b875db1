//! Handles MCP requests.

use std::borrow::Cow;
use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use iac_core::fault::{Fault, did_you_mean};
use iac_core::step::Outcome;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse,
    Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, MetaObject, PaginatedRequestParams,
    PromptListChangedNotification, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ResourceListChangedNotification, ServerCapabilities, ServerConfig,
    ServerNotification, SubscriptionFilter, Tool, ToolListChangedNotification,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext, SubscriptionSendError};
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value as Json;
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;

use super::answer::{is_modern, meta, result};
use super::asking::{self, Questions, Tickets};
use super::caught::caught;
use super::icons::icons;
use super::progress::Progress;
use super::{completions, prompts, resources, tools};
use crate::consent::{Caller, Listener};
use crate::pipeline::{Answer, internal};
use crate::plugins::Changes;
use crate::router::{Router, Tool as Called};

/// How long a client may cache the list of tools, in milliseconds. The list changes only when plugins do.
const FRESH: u64 = 60 * 60 * 1000;

/// The description that a client shows in its list of servers.
const DESCRIPTION: &str = "Reads and controls scriptable Mac apps, with your approval for changes.";

/// The most requests of one client that listen for changes at once. A single one receives all changes.
const LISTENING: usize = 8;

/// The request handler of every session, for both protocol generations.
#[derive(Clone)]
pub(super) struct Server {
    router: Arc<Router>,
    config: ServerConfig,
    /// The server's name and version, which the stateless protocol puts into every result. Icons would be too large
    /// for that.
    name: Implementation,
    tickets: Arc<Tickets>,
    questions: Questions,
    /// Limits the requests that listen, since each of them keeps running.
    listening: Arc<Semaphore>,
    /// Whether an older client already gets change notifications. It may send `initialized` more than once.
    told: Arc<AtomicBool>,
    /// Created at the start and never marked as seen, so no change is lost before a client listens.
    changes: watch::Receiver<Changes>,
    /// Cancelled when the client has disconnected, so that the server does not wait for its listening requests.
    closed: CancellationToken,
}

impl Server {
    pub(super) fn new(router: Arc<Router>, closed: CancellationToken) -> Self {
        let name =
            Implementation::new("iac-mcp", env!("CARGO_PKG_VERSION")).with_title("Inter-application control");
        let info = name.clone().with_description(DESCRIPTION).with_icons(icons("server"));
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed();
        let capabilities = capabilities.enable_resources().enable_resources_list_changed();
        let capabilities = capabilities.enable_prompts().enable_prompts_list_changed();
        let capabilities = capabilities.enable_completions().build();
        let config =
            ServerConfig::new(capabilities).with_server_info(info).with_instructions(tools::INSTRUCTIONS);
        let changes = router.plugins.changes();
        Self {
            router,
            config,
            name,
            tickets: Arc::new(Tickets::new()),
            questions: Questions::new(),
            listening: Arc::new(Semaphore::new(LISTENING)),
            told: Arc::default(),
            changes,
            closed,
        }
    }

    /// Answers a tool call.
    async fn answer(
        &self,
        called: &Called,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let progress = Progress::of(context).map(Arc::new);
        let listener = progress.clone().map(|progress| progress as Arc<dyn Listener>);
        let caller =
            Caller { listener, ..asking::caller(&self.tickets, &self.questions, &request, context)? };
        let CallToolRequestParams { name: tool, arguments, .. } = request;
        let arguments = arguments.unwrap_or_default();
        let call = pin!(self.router.call(called, &arguments, &caller, context.ct.clone()));
        let answer = tokio::select! {
            answer = caught(call) => answer,
            never = waiting(progress.as_deref()) => match never {},
        };
        if let Some(progress) = &progress {
            progress.is_said().await;
        }
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => failed(&internal(&error)),
        };
        let meta = meta(context, &self.name);
        Ok(match &answer.question {
            Some(question) => {
                asking::input_required(&self.tickets, question, &tool, &arguments).with_meta(meta).into()
            }
            None => result(answer, meta).into(),
        })
    }

    /// Returns the metadata of a list; older protocol versions have none.
    fn meta(&self, context: &RequestContext<RoleServer>) -> Option<MetaObject> {
        is_modern(context).then(|| meta(context, &self.name))
    }

    async fn resolved(&self, name: &str) -> Result<Called, ErrorData> {
        if let Some(called) = self.router.resolve(name).await {
            return Ok(called);
        }
        let of_plugins = self.router.plugins.names();
        let near = tools::near(name, &*self.router.pipeline.command_tools().await, &of_plugins);
        let problem = self.router.plugins.problem();
        let problem =
            problem.map(|problem| format!("; plugins are unavailable: {problem}")).unwrap_or_default();
        Err(ErrorData::invalid_params(format!("no tool `{name}`{}{problem}", did_you_mean(&near)), None))
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        self.config.clone()
    }

    /// Supports every version but 2025-03-26, which requires batches of messages on one line. No known client sends
    /// them.
    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        let all = ProtocolVersion::KNOWN_VERSIONS.iter();
        Cow::Owned(all.filter(|version| **version != ProtocolVersion::V_2025_03_26).cloned().collect())
    }

    /// Chooses the requested version, or else the newest supported one before it, which a client of the requested
    /// version supports too.
    fn negotiate_initialize(&self, request: &InitializeRequestParams) -> Result<InitializeResult, ErrorData> {
        let supported = self.supported_protocol_versions();
        let begins = |version: &&ProtocolVersion| **version < ProtocolVersion::V_2026_07_28;
        let known = supported.iter().filter(begins);
        let before = known
            .filter(|version| **version <= request.protocol_version)
            .max_by(|a, b| a.as_str().cmp(b.as_str()));
        let agreed = before.cloned().unwrap_or(ProtocolVersion::V_2025_11_25);
        Ok(self.config.clone().with_protocol_version(agreed))
    }

    /// Sends a client of the older protocol every change, without a subscription.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if self.told.swap(true, Ordering::Relaxed) {
            return;
        }
        let mut changes = self.changes.clone();
        tokio::spawn(async move {
            let mut seen = Changes::default();
            while changes.changed().await.is_ok() {
                let now = *changes.borrow_and_update();
                for notification in told(&mut seen, now) {
                    if context.peer.send_notification(notification).await.is_err() {
                        return;
                    }
                }
            }
        });
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.config.capabilities))
    }

    /// Sends a client of the stateless protocol the changes while it listens.
    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let Ok(_listens) = self.listening.try_acquire() else {
            let what = format!("already {LISTENING} requests listen, the maximum: cancel one of them first");
            return Err(ErrorData::invalid_request(what, None));
        };
        Box::pin(tell_changes(context, self.changes.clone(), self.closed.clone())).await;
        Ok(())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        one_page(request)?;
        let list = ListToolsResult::with_all_items(Box::pin(tools::listed(&self.router)).await);
        let mut list = list.with_ttl_ms(FRESH).with_cache_scope(CacheScope::Private);
        list.meta = self.meta(&context);
        Ok(list)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let called = async move {
            let called = self.resolved(&request.name).await?;
            self.answer(&called, request, &context).await
        };
        Box::pin(called).await
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::find(name).cloned()
    }

    /// Handles unknown methods, and known methods with invalid parameters.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let CustomRequest { method, params, .. } = request;
        if method != "tools/call" {
            return Err(malformed(&method));
        }
        let name = params.as_ref().and_then(|params| params.get("name")).and_then(Json::as_str);
        let name =
            name.ok_or_else(|| ErrorData::invalid_params("`name`: expected the name of a tool", None))?;
        Box::pin(self.resolved(name)).await?;
        let given = params.as_ref().and_then(|params| params.get("arguments")).unwrap_or(&Json::Null);
        let answer = result(failed(&no_arguments(given)), meta(&context, &self.name));
        let mut answer = serde_json::to_value(answer)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        if let (false, Some(fields)) = (is_modern(&context), answer.as_object_mut()) {
            fields.remove("resultType");
        }
        Ok(CustomResult::new(answer))
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        one_page(request)?;
        self.router.plugins.look().await;
        let list = ListPromptsResult::with_all_items(prompts::list(&self.router.plugins));
        let mut list = list.with_ttl_ms(FRESH).with_cache_scope(CacheScope::Private);
        list.meta = self.meta(&context);
        Ok(list)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.router.plugins.look().await;
        let prompt = prompts::find(&self.router.plugins, &request.name)?;
        let mut result = prompts::message(&prompt, &request.arguments.unwrap_or_default())?;
        result.meta = self.meta(&context);
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        one_page(request)?;
        let list = ListResourcesResult::with_all_items(Box::pin(resources::list(&self.router)).await?);
        let mut list = list.with_ttl_ms(FRESH).with_cache_scope(CacheScope::Private);
        list.meta = self.meta(&context);
        Ok(list)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        one_page(request)?;
        let list = ListResourceTemplatesResult::with_all_items(resources::templates());
        let mut list = list.with_ttl_ms(FRESH).with_cache_scope(CacheScope::Private);
        list.meta = self.meta(&context);
        Ok(list)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents = Box::pin(resources::read(&self.router, &request.uri, context.ct.clone())).await?;
        let mut result = ReadResourceResult::new(vec![contents]).with_cache_scope(CacheScope::Private);
        result.meta = self.meta(&context);
        Ok(result.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let found = Box::pin(completions::complete(&self.router, &request)).await?;
        let mut result = CompleteResult::new(found);
        result.meta = self.meta(&context);
        Ok(result)
    }
}

/// Notifies a client of each change of the lists that it listens for, until it stops listening.
async fn tell_changes(
    context: SubscriptionContext,
    mut changes: watch::Receiver<Changes>,
    closed: CancellationToken,
) {
    let mut seen = Changes::default();
    loop {
        tokio::select! {
            () = context.cancelled() => return,
            () = closed.cancelled() => return,
            changed = changes.changed() => if changed.is_err() { return },
        }
        let now = *changes.borrow_and_update();
        for notification in told(&mut seen, now) {
            match context.sink().send(notification).await {
                Ok(()) | Err(SubscriptionSendError::NotificationNotAccepted(_)) => {}
                Err(_) => return,
            }
        }
    }
}

/// Returns the notifications for the lists that have changed since the last call.
fn told(seen: &mut Changes, now: Changes) -> Vec<ServerNotification> {
    let before = std::mem::replace(seen, now);
    let tools = (before.tools != now.tools).then(|| ToolListChangedNotification::default().into());
    let prompts = (before.prompts != now.prompts).then(|| PromptListChangedNotification::default().into());
    let resources =
        (before.resources != now.resources).then(|| ResourceListChangedNotification::default().into());
    [tools, prompts, resources].into_iter().flatten().collect()
}

async fn waiting(progress: Option<&Progress>) -> Infallible {
    match progress {
        Some(progress) => Box::pin(progress.say()).await,
        None => std::future::pending().await,
    }
}

/// Known methods. They reach the handler of unknown methods only if their parameters could not be parsed.
const KNOWN: [&str; 11] = [
    "initialize",
    "server/discover",
    "ping",
    "tools/list",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "subscriptions/listen",
];

fn malformed(method: &str) -> ErrorData {
    if KNOWN.contains(&method) {
        return ErrorData::invalid_params(format!("invalid parameters for {method}"), None);
    }
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method `{method}`"), None)
}

/// Refuses cursors, because there is only one page.
fn one_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        None => Ok(()),
        Some(cursor) => {
            let message = format!("unknown cursor `{cursor}`: the list has one page");
            Err(ErrorData::invalid_params(message, None))
        }
    }
}

fn no_arguments(given: &Json) -> Fault {
    let shown: String = given.to_string().chars().take(80).collect();
    let message = format!("`arguments`: expected an object, got {shown}");
    Fault::parameter("arguments", message, "pass the arguments by name, as in the tool's schema")
}

fn failed(fault: &Fault) -> Answer {
    let outcome = Outcome { body: fault.to_json(), is_error: true, ..Outcome::default() };
    Answer { outcome, elapsed: Duration::ZERO, question: None }
}
