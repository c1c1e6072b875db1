//! The real server with rmcp's real client, in both eras of the protocol.

use rmcp::ServiceError;
use rmcp::model::{
    ArgumentInfo, CompleteRequestParams, CompletionContext, ErrorCode, ErrorData, GetPromptRequestParams,
    Prompt, Reference,
};
use serde_json::{Value as Json, json};

use crate::session::{Session, modes};

const TOOLS: [&str; 14] = [
    "iac_mcp_list_apps",
    "iac_mcp_describe_app",
    "iac_mcp_query_object",
    "iac_mcp_get_properties",
    "iac_mcp_get_elements",
    "iac_mcp_get_frontmost",
    "iac_mcp_set_property",
    "iac_mcp_create",
    "iac_mcp_read_command",
    "iac_mcp_run_command",
    "iac_mcp_undo",
    "iac_mcp_release_reference",
    "iac_mcp_get_reference_stats",
    "system",
];

fn inbox() -> Json {
    let inbox = json!({ "type": "named", "element": "mailbox", "name": "inbox", "container": "application" });
    json!({ "app": "Mail", "specifier": inbox })
}

#[tokio::test]
async fn the_tools_are_the_same_in_every_era() {
    let mut seen = Vec::new();
    for (mode, lifecycle) in modes() {
        let session = Session::start(lifecycle, &[]).await;
        let list = session.client.list_tools(None).await.unwrap();
        let names: Vec<&str> = list.tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, TOOLS, "{mode}");
        assert!(list.ttl_ms.unwrap() > 60_000, "{mode}");
        assert!(
            list.tools.iter().all(|tool| tool.annotations.is_some() && tool.output_schema.is_none()),
            "{mode}"
        );
        seen.push(serde_json::to_string(&list.tools).unwrap());
    }
    seen.dedup();
    assert_eq!(seen.len(), 1);
    assert!(seen[0].len() <= 10 * 1024, "{} bytes", seen[0].len());
}

#[tokio::test]
async fn an_answer_is_the_same_as_text_and_as_structure() {
    for (mode, lifecycle) in modes() {
        let session = Session::start(lifecycle, &[]).await;
        for (arguments, is_error) in [(inbox(), false), (json!({ "app": "Mail" }), true)] {
            let result = session.call("iac_mcp_query_object", arguments).await.unwrap();
            assert_eq!(result.is_error, Some(is_error), "{mode}");
            let [text] = &result.content[..] else { panic!("{mode}: {:?}", result.content) };
            let text: Json = serde_json::from_str(&text.as_text().unwrap().text).unwrap();
            assert_eq!(Some(&text), result.structured_content.as_ref(), "{mode}");
            let meta = result.meta.unwrap();
            assert!(
                meta["iac-mcp/events"].is_u64() && meta["iac-mcp/elapsedMs"].is_number(),
                "{mode}: {meta:?}"
            );
            let server = meta.get("io.modelcontextprotocol/serverInfo").map(|info| info["name"].clone());
            assert_eq!(server, (mode != "initialize").then(|| json!("iac-mcp")), "{mode}");
        }
    }
}

#[tokio::test]
async fn the_most_recent_email_is_found_in_every_era() {
    for (mode, lifecycle) in modes() {
        let session = Session::start(lifecycle, &[]).await;
        let inbox = session.ok("iac_mcp_query_object", inbox()).await;
        let newest = json!({
            "container": inbox["reference"]["id"], "elementType": "message", "limit": 1,
            "sort": [{ "property": "date received", "order": "desc" }],
        });
        let newest = session.ok("iac_mcp_get_elements", newest).await;
        assert_eq!((&newest["count"], &newest["hasMore"]), (&json!(1), &json!(true)), "{mode}");
        let wanted = ["subject", "sender", "date received"];
        let reference = newest["elements"][0]["id"].clone();
        let message =
            session.ok("iac_mcp_get_properties", json!({ "reference": reference, "properties": wanted }));
        let message = message.await;
        assert!(wanted.iter().all(|name| message["properties"][name].is_string()), "{mode}: {message}");
        assert_eq!(message["untrusted"], true, "{mode}");
    }
}

#[tokio::test]
async fn an_unknown_tool_is_an_error_of_the_protocol() {
    for (mode, lifecycle) in modes() {
        let session = Session::start(lifecycle, &[]).await;
        let error = protocol_error(session.call("iac_mcp_list_app", json!({})).await, mode);
        assert_eq!(error.code, ErrorCode::INVALID_PARAMS, "{mode}");
        assert!(error.message.contains("iac_mcp_list_apps"), "{mode}: {}", error.message);
    }
}

#[tokio::test]
async fn prompts_are_the_same_in_every_era() {
    for (mode, lifecycle) in modes() {
        let session = Session::start(lifecycle, &[]).await;
        let list = session.client.list_prompts(None).await.unwrap();
        assert!(list.ttl_ms.unwrap() > 60_000, "{mode}");
        let whole = |prompt: &Prompt| {
            prompt.title.is_some() && prompt.description.is_some() && prompt.icons.is_some()
        };
        assert!(list.prompts.iter().all(whole), "{mode}");
        assert_eq!(list.prompts[0].name, "plan_day", "{mode}");
        let day = json!({ "day": "tomorrow" }).as_object().unwrap().clone();
        let request = GetPromptRequestParams::new("plan_day").with_arguments(day);
        let prompt = session.client.get_prompt(request).await.unwrap();
        let text = &prompt.messages[0].content.as_text().unwrap().text;
        assert!(text.starts_with("Plan my day: tomorrow."), "{mode}: {text}");
        let error =
            protocol_error(session.client.get_prompt(GetPromptRequestParams::new("plan_days")).await, mode);
        assert_eq!(error.code, ErrorCode::INVALID_PARAMS, "{mode}");
        assert!(error.message.contains("plan_day"), "{mode}: {}", error.message);
    }
}

#[tokio::test]
async fn arguments_are_completed_from_the_apps() {
    for (mode, lifecycle) in modes() {
        let session = Session::start(lifecycle, &[]).await;
        let prompt = Reference::for_prompt("find_in_app");
        assert_eq!(complete(&session, &prompt, "app", "ma", &[]).await[0], "Mail", "{mode}");
        let none = complete(&session, &prompt, "class", "", &[]).await;
        assert!(none.is_empty(), "{mode}: {none:?}");
        let mail = ("app", "Mail");
        let classes = complete(&session, &prompt, "class", "mess", &[mail]).await;
        assert_eq!(classes, ["message viewer", "message", "outgoing message"], "{mode}: {classes:?}");
        let terms = complete(&session, &prompt, "property", "date", &[mail, ("class", "message")]).await;
        assert_eq!(terms, ["date received", "date sent"], "{mode}");
        let days = complete(&session, &Reference::for_prompt("plan_day"), "day", "t", &[]).await;
        assert_eq!(days[..2], ["today", "tomorrow"], "{mode}: {days:?}");
        let class = Reference::for_resource("iac://apps/{bundleId}/classes/{class}");
        assert_eq!(complete(&session, &class, "bundleId", "com.apple.mail", &[]).await, ["com.apple.mail"]);
        let in_mail = [("bundleId", "com.apple.mail")];
        assert_eq!(
            complete(&session, &class, "class", "outgoing", &in_mail).await,
            ["outgoing message"],
            "{mode}"
        );
        let guide = Reference::for_resource("iac://guides/{guide}");
        assert_eq!(complete(&session, &guide, "guide", "omni", &[]).await, ["omnifocus"], "{mode}");
        for unknown in [Reference::for_prompt("none"), Reference::for_resource("iac://none/{guide}"), prompt]
        {
            let request = CompleteRequestParams::new(unknown, ArgumentInfo::new("guide", ""));
            let error = protocol_error(session.client.complete(request).await, mode);
            assert_eq!(error.code, ErrorCode::INVALID_PARAMS, "{mode}");
        }
    }
}

async fn complete(
    session: &Session,
    of: &Reference,
    argument: &str,
    typed: &str,
    earlier: &[(&str, &str)],
) -> Vec<String> {
    let earlier = earlier.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let request = CompleteRequestParams::new(of.clone(), ArgumentInfo::new(argument, typed));
    let request = request.with_context(CompletionContext::with_arguments(earlier.collect()));
    session.client.complete(request).await.unwrap().completion.values
}

#[tokio::test]
async fn a_session_says_how_to_work_with_it() {
    let (_, discover) = modes().into_iter().nth(1).unwrap();
    let sessions = [Session::new().await, Session::start(discover, &[]).await];
    for session in sessions {
        let info = session.client.peer_info();
        let instructions = info.and_then(|info| info.instructions.clone()).unwrap_or_default();
        assert!(
            instructions.contains("iac_mcp_get_elements") && instructions.len() <= 2048,
            "{instructions}"
        );
    }
}

#[tokio::test]
async fn the_server_tells_of_itself() {
    let session = Session::new().await;
    let version = session.ok("system", json!({ "action": "version" })).await;
    assert_eq!(version["version"], env!("CARGO_PKG_VERSION"));
    session.ok("iac_mcp_query_object", inbox()).await;
    let status = session.ok("system", json!({})).await;
    assert_eq!(status["apps"]["dictionariesLoaded"], 1, "{status}");
    assert_eq!(status["references"]["held"], 1, "{status}");
    let diagnostics = session.ok("system", json!({ "action": "diagnostics" })).await;
    assert_eq!(diagnostics["healthy"], true, "{diagnostics}");
    let wrong = session.err("system", json!({ "action": "reboot" })).await;
    assert_eq!((&wrong["error"], &wrong["parameter"]), (&json!("invalid_parameter"), &json!("action")));
}

fn protocol_error<T: std::fmt::Debug>(result: Result<T, ServiceError>, mode: &str) -> ErrorData {
    match result {
        Err(ServiceError::McpError(error)) => error,
        other => panic!("{mode}: expected an error of the protocol, got {other:?}"),
    }
}

#[tokio::test]
async fn commands_are_tools_where_the_operator_wants_it() {
    for (mode, lifecycle) in modes() {
        let session = Session::start(lifecycle, &["--tools", "finder,Calendar,nobody"]).await;
        let list = session.client.list_tools(None).await.unwrap();
        let names: Vec<&str> = list.tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names[..TOOLS.len()], TOOLS, "{mode}");
        let own = &names[TOOLS.len()..];
        assert!(
            own.is_sorted() && own.contains(&"finder_count") && own.contains(&"calendar_count"),
            "{mode}: {own:?}"
        );
        assert!(
            own.iter().all(|name| name.starts_with("finder_") || name.starts_with("calendar_")),
            "{mode}: {own:?}"
        );
        let count = list.tools.iter().find(|tool| tool.name == "finder_count").unwrap();
        assert_eq!(count.annotations.as_ref().unwrap().read_only_hint, Some(true), "{mode}");
        let home = json!({ "type": "property", "property": "home", "of": "application" });
        let counted = session.client.call_tool(
            rmcp::model::CallToolRequestParams::new("finder_count")
                .with_arguments(json!({ "target": home, "each": "item" }).as_object().unwrap().clone()),
        );
        let counted = counted.await.unwrap().structured_content.unwrap();
        assert_eq!(counted["success"], true, "{mode}: {counted}");
    }
}

#[tokio::test]
async fn the_list_of_tools_does_not_change_with_calls() {
    let session = Session::new().await;
    let before = session.client.list_tools(None).await.unwrap().tools;
    session.ok("iac_mcp_query_object", inbox()).await;
    assert_eq!(session.client.list_tools(None).await.unwrap().tools, before);
}

#[tokio::test]
async fn apps_and_dictionaries_are_resources() {
    for (mode, lifecycle) in modes() {
        let session = Session::start(lifecycle, &[]).await;
        let list = session.client.list_resources(None).await.unwrap().resources;
        assert!(
            list.iter().all(|resource| resource.title.is_some() && resource.description.is_some()),
            "{mode}"
        );
        let addresses: Vec<&str> = list.iter().map(|resource| resource.uri.as_str()).collect();
        assert_eq!(addresses[..2], ["iac://apps", "iac://audit"], "{mode}");
        assert!(addresses.contains(&"iac://apps/com.apple.mail/dictionary"), "{mode}: {addresses:?}");
        let apps = read(&session, "iac://apps").await;
        let dictionaries = addresses.iter().filter(|address| address.ends_with("/dictionary")).count();
        assert_eq!(apps["apps"].as_array().unwrap().len(), dictionaries, "{mode}");
        let mail = read(&session, "iac://apps/com.apple.mail/dictionary").await;
        assert!(mail["classes"].as_array().unwrap().iter().any(|class| class["name"] == "message"), "{mode}");
        let class = read(&session, "iac://apps/com.apple.mail/classes/outgoing%20message").await;
        assert_eq!(class["class"], "outgoing message", "{mode}");
        let templates = session.client.list_resource_templates(None).await.unwrap().resource_templates;
        for template in &templates {
            let variables = template.uri_template.split(['{', '}']).skip(1).step_by(2);
            for variable in variables {
                assert!(
                    variable.chars().all(|c| c.is_ascii_alphanumeric()),
                    "{mode}: {}",
                    template.uri_template
                );
                let of = Reference::for_resource(template.uri_template.clone());
                let found = complete(&session, &of, variable, "", &[("bundleId", "com.apple.mail")]).await;
                assert!(!found.is_empty(), "{mode}: {} {variable}", template.uri_template);
            }
        }
        let missing = rmcp::model::ReadResourceRequestParams::new("iac://apps/com.example.none/dictionary");
        let error = protocol_error(session.client.read_resource(missing).await, mode);
        let expected =
            if mode == "initialize" { ErrorCode::RESOURCE_NOT_FOUND } else { ErrorCode::INVALID_PARAMS };
        assert_eq!(error.code, expected, "{mode}");
    }
}

#[tokio::test]
async fn guides_are_resources() {
    let session = Session::new().await;
    let list = session.client.list_resources(None).await.unwrap().resources;
    let guides: Vec<_> = list.iter().filter(|resource| resource.uri.starts_with("iac://guides/")).collect();
    assert!(guides.len() >= 6, "{guides:?}");
    for guide in guides {
        let (text, mime_type) = content(&session, &guide.uri).await;
        assert_eq!(mime_type.as_deref(), Some("text/markdown"), "{}", guide.uri);
        assert_eq!(guide.size, Some(text.len() as u64), "{}", guide.uri);
        assert!(text.starts_with("# "), "{}", guide.uri);
    }
}

#[tokio::test]
async fn a_missing_resource_is_named() {
    let session = Session::new().await;
    let missing = [
        ("iac://guides/none", "there is no such resource"),
        ("iac://apps/com.apple.mail/classes/letter", "no class \"letter\""),
        ("iac://apps/com.example.none/classes/letter", "com.example.none"),
    ];
    for (uri, says) in missing {
        let request = rmcp::model::ReadResourceRequestParams::new(uri);
        let error = protocol_error(session.client.read_resource(request).await, uri);
        assert_eq!(error.code, ErrorCode::RESOURCE_NOT_FOUND, "{uri}");
        assert!(error.message.contains(says), "{uri}: {}", error.message);
    }
}

async fn read(session: &Session, uri: &str) -> Json {
    let (text, mime_type) = content(session, uri).await;
    assert_eq!(mime_type.as_deref(), Some("application/json"));
    serde_json::from_str(&text).unwrap()
}

async fn content(session: &Session, uri: &str) -> (String, Option<String>) {
    let request = rmcp::model::ReadResourceRequestParams::new(uri);
    let contents = session.client.read_resource(request).await.unwrap().contents;
    let [rmcp::model::ResourceContents::TextResourceContents { text, mime_type, .. }] = &contents[..] else {
        panic!("{contents:?}")
    };
    (text.clone(), mime_type.clone())
}
