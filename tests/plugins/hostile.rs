//! Every guest of `tests/plugins/hostile`, under both engines: each ends with the result in its first lines, and the
//! engine then still answers an honest guest.

use iac_plugins::engine::{Backend, Plugin};
use tokio_util::sync::CancellationToken;

use crate::guests::{Guest, call, engine, limits, shown, wide};

async fn check(guest: &Guest, backend: Backend, honest: &Plugin) -> Result<(), String> {
    let engine = engine(backend);
    let came = match guest.plugin(&engine, limits(guest.expected())).await {
        Ok(plugin) => {
            let first = shown(&plugin).await;
            let second = shown(&plugin).await;
            if first != second {
                return Err(format!("{} {backend:?}: first {first:?}, then {second:?}", guest.name));
            }
            first
        }
        Err(refused) => refused,
    };
    if !came.contains(guest.expected()) {
        return Err(format!("{} {backend:?}: {came:?}, expected {:?}", guest.name, guest.expected()));
    }
    match shown(honest).await {
        answer if answer == "{}" => Ok(()),
        answer => Err(format!("after {} {backend:?}, the honest guest answers {answer}", guest.name)),
    }
}

/// A refusal that a guest passes on keeps the host's code. The host has not said what `fault-of-the-host` says.
#[tokio::test]
async fn the_codes_of_the_host_are_for_what_it_has_said() {
    let engine = engine(Backend::Interpreter);
    for guest in Guest::all().into_iter().filter(|guest| guest.expected().starts_with("permission_")) {
        let plugin = guest.plugin(&engine, wide()).await.expect("the guest is linked");
        let failure = plugin.call(call(CancellationToken::new())).await.0.expect_err("it is refused");
        let body = failure.body(&plugin.setup().id);
        let own = guest.name == "fault-of-the-host";
        let expected = if own { "plugin_failed" } else { "permission_denied" };
        assert_eq!(body["error"], expected, "{}: {body}", guest.name);
        let suggestion = body["suggestion"].as_str().unwrap_or_default();
        assert_eq!(suggestion.contains("comes from the plugin"), own, "{}: {body}", guest.name);
    }
}

async fn check_all(backend: Backend) {
    let honest = Guest::read("honest").plugin(&engine(backend), wide()).await.expect("the guest is linked");
    let mut failures = Vec::new();
    for guest in Guest::all() {
        failures.extend(check(&guest, backend, &honest).await.err());
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_guest_is_stopped_by_the_bound_meant_for_it() {
    check_all(Backend::Native).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_interpreter_stops_them_too() {
    check_all(Backend::Interpreter).await;
}
