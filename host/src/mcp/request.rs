//! A call of a tool, read without trying every other form of message first.

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientJsonRpcMessage, ClientRequest, JsonObject, MetaObject,
    RequestId, RequestMetaObject,
};
use serde::Deserialize;

/// The form of nearly every call. Whatever has more or less than this is read by rmcp.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    jsonrpc: &'a str,
    id: RequestId,
    method: &'a str,
    params: Params,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    name: String,
    arguments: JsonObject,
    #[serde(rename = "_meta")]
    meta: Option<JsonObject>,
}

/// Reads a line that is a call of a tool and nothing else.
pub(super) fn call(line: &[u8]) -> Option<ClientJsonRpcMessage> {
    let Line { jsonrpc, id, method, params } = serde_json::from_slice(line).ok()?;
    if jsonrpc != "2.0" || method != "tools/call" {
        return None;
    }
    let Params { name, arguments, meta } = params;
    let mut request = CallToolRequest::new(CallToolRequestParams::new(name).with_arguments(arguments));
    if let Some(meta) = meta {
        request.extensions.insert(RequestMetaObject(MetaObject(meta)));
    }
    Some(ClientJsonRpcMessage::request(ClientRequest::CallToolRequest(request), id))
}

#[cfg(test)]
mod tests {
    use rmcp::model::{GetExtensions as _, GetMeta as _};
    use serde_json::{Value as Json, json};

    use super::*;

    /// A call is read here, or left to rmcp; what is read here is what rmcp makes of it.
    fn check(message: &Json, here: bool) {
        let line = message.to_string();
        let call = call(line.as_bytes());
        assert_eq!(call.is_some(), here, "{line}");
        let expected: Result<ClientJsonRpcMessage, _> = serde_json::from_str(&line);
        let (Some(call), Ok(expected)) = (call, expected) else { return };
        let shown = |message: &ClientJsonRpcMessage| serde_json::to_value(message).unwrap();
        assert_eq!(shown(&call), shown(&expected), "{line}");
        let meta = |message: &ClientJsonRpcMessage| match message {
            ClientJsonRpcMessage::Request(request) => {
                format!("{} {:?}", request.request.extensions().is_empty(), request.request.get_meta())
            }
            other => format!("{other:?}"),
        };
        assert_eq!(meta(&call), meta(&expected), "{line}");
    }

    fn with(id: Json, params: Json) -> Json {
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
    }

    #[test]
    fn a_call_is_what_rmcp_makes_of_it() {
        let some = json!({ "name": "x", "arguments": { "a": [1, -2.5, "\u{fc}\u{2028}", null], "b": { "c": true } } });
        for meta in [json!({}), json!({ "progressToken": 7 }), json!({ "x": { "y": [1] } })] {
            let mut params = some.clone();
            params["_meta"] = meta;
            check(&with(json!(1), params), true);
        }
        check(&with(json!("one"), some.clone()), true);
        check(&with(json!(0), some.clone()), true);
        check(&with(json!(1), json!({ "name": "x", "arguments": {} })), true);
        check(&with(json!(1), json!({ "name": "x", "arguments": {}, "_meta": null })), true);
        check(&with(json!(1), json!({ "name": "x" })), false);
        check(&with(json!(1), json!({ "name": "x", "arguments": null })), false);
        check(&with(json!(1), json!({ "name": "x", "arguments": {}, "requestState": "s" })), false);
        check(&with(json!(1), json!({ "name": "x", "arguments": [1] })), false);
        check(&with(json!(1.5), some.clone()), false);
        check(&with(json!(null), some), false);
        check(
            &json!({ "jsonrpc": "1.0", "id": 1, "method": "tools/call", "params": { "name": "x", "arguments": {} } }),
            false,
        );
        check(&json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }), false);
        check(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }), false);
    }
}
