//! The operator's settings for references, as variables of a real server.

use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::server::Server;

async fn serve(folder: &std::path::Path, variables: &[(&str, &str)]) -> Server {
    Server::start(folder, |command| {
        command.arg("--simulated").envs(variables.iter().copied());
    })
    .await
}

async fn inbox(server: &Server) -> Json {
    let specifier = json!({ "type": "property", "property": "inbox", "of": "application" });
    let answer = server.call("iac_mcp_query_object", json!({ "app": "Mail", "specifier": specifier })).await;
    answer["reference"]["id"].clone()
}

async fn stats(server: &Server) -> Json {
    server.call("iac_mcp_get_reference_stats", json!({})).await
}

async fn name(server: &Server, inbox: &Json) -> Json {
    server.call("iac_mcp_get_properties", json!({ "reference": inbox, "properties": ["name"] })).await
}

/// A reference by position: attendees have neither an id nor a unique name.
async fn attendee(server: &Server) -> Json {
    let elements = "every attendee of every event of every calendar";
    let wanted = json!({ "app": "Calendar", "elements": elements, "limit": 1 });
    let answer = server.call("iac_mcp_get_elements", wanted).await;
    assert_eq!(answer["elements"][0]["stable"], false, "{answer}");
    answer["elements"][0]["id"].clone()
}

async fn display_name(server: &Server, attendee: &Json) -> Json {
    server
        .call("iac_mcp_get_properties", json!({ "reference": attendee, "properties": ["display name"] }))
        .await
}

#[tokio::test]
async fn those_of_a_place_expire_and_are_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path(), &[("IAC_MCP_REF_TTL", "1000")]).await;
    let (held, inbox) = (attendee(&server).await, inbox(&server).await);
    assert!(display_name(&server, &held).await["properties"].is_object());
    tokio::time::sleep(Duration::from_millis(1100)).await;
    assert_eq!(display_name(&server, &held).await["error"], "reference_invalid");
    assert_eq!(stats(&server).await["expired"], 1, "when it was used; nobody has cleaned up yet");
    assert!(name(&server, &inbox).await["properties"].is_object(), "it leads to the same object for ever");

    let variables = [("IAC_MCP_REF_TTL", "1000"), ("IAC_MCP_REF_CLEANUP", "100")];
    let server = serve(folder.path(), &variables).await;
    attendee(&server).await;
    while stats(&server).await["totalReferences"] != 0 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(stats(&server).await["expired"], 1, "without being used");
}

#[tokio::test]
async fn there_are_so_many_at_most() {
    let folder = tempfile::tempdir().unwrap();
    let variables =
        [("IAC_MCP_REF_MAX", "12"), ("IAC_MCP_REF_MAX_PER_APP", "7"), ("IAC_MCP_REF_TTL", "60000")];
    let server = serve(folder.path(), &variables).await;
    let inbox = inbox(&server).await;
    let messages = json!({ "container": inbox, "elementType": "message", "limit": 6 });
    server.call("iac_mcp_get_elements", messages).await;
    let stats = stats(&server).await;
    assert_eq!(stats["limits"], json!({ "total": 12, "perApp": 7, "ttlMs": 60_000 }));
    assert_eq!((&stats["totalReferences"], &stats["health"]), (&json!(7), &json!("attention")), "{stats}");
    assert!(stats["recommendations"][0].as_str().unwrap().contains("com.apple.mail"), "{stats}");
}

#[tokio::test]
async fn the_app_is_asked_before_each_use() {
    let folder = tempfile::tempdir().unwrap();
    for (value, checked) in [("1", 1), ("0", 0)] {
        let server = serve(folder.path(), &[("IAC_MCP_REF_VALIDATE_ON_ACCESS", value)]).await;
        let inbox = inbox(&server).await;
        assert!(name(&server, &inbox).await["properties"].is_object());
        assert_eq!(stats(&server).await["validated"], checked);
    }
}

#[tokio::test]
async fn all_are_asked_for_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path(), &[]).await;
    let inbox = inbox(&server).await;
    let messages = json!({ "container": inbox, "elementType": "message", "limit": 20 });
    server.call("iac_mcp_get_elements", messages).await;
    let stats = server.call("iac_mcp_get_reference_stats", json!({ "validate": true })).await;
    assert_eq!(stats["checked"], json!({ "valid": 21, "gone": 0, "moved": 0, "unknown": 0 }), "{stats}");
}
