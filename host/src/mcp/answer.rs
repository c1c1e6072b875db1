//! Converts the answer of a call for the client.

use rmcp::RoleServer;
use rmcp::model::{CallToolResult, ContentBlock, Implementation, MetaObject, ProtocolVersion};
use rmcp::service::RequestContext;
use serde_json::json;

use crate::pipeline::Answer;

/// Converts an answer. Its text is the same JSON as its structured content, because some clients show only one of the
/// two.
pub(super) fn result(answer: Answer, meta: MetaObject) -> CallToolResult {
    let Answer { outcome, elapsed, .. } = answer;
    let mut meta = meta;
    meta.insert("iac-mcp/events".to_owned(), json!(outcome.events));
    if let Some(strategy) = outcome.strategy {
        meta.insert("iac-mcp/strategy".to_owned(), json!(strategy));
    }
    let elapsed = elapsed.as_secs_f64() * 1000.0;
    meta.insert("iac-mcp/elapsedMs".to_owned(), json!((elapsed * 100.0).round() / 100.0));
    let text = serde_json::to_string(&outcome.body).expect("JSON can be written");
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(outcome.body);
    result.is_error = Some(outcome.is_error);
    result.with_meta(Some(meta))
}

/// Makes the metadata of a result. Under the stateless protocol, each result carries the server's name.
pub(super) fn meta(context: &RequestContext<RoleServer>, info: &Implementation) -> MetaObject {
    let mut meta = MetaObject::new();
    if is_modern(context) {
        let info = serde_json::to_value(info).expect("a name and a version are plain data");
        meta.insert("io.modelcontextprotocol/serverInfo".to_owned(), info);
    }
    meta
}

/// Whether a request uses the stateless protocol.
pub(super) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}
