//! Plugins as a server manages them: installed, granted, called, quarantined, started again.

use std::path::Path;
use std::sync::Arc;

use iac_language_servers::closed::Nothing;
use iac_plugins::engine::{Backend, Wall};
use iac_plugins::failure::Failure;
use iac_plugins::installed::{Installed, Receipt};
use iac_plugins::journal::Recording;
use iac_plugins::package;
use iac_plugins::registry::{Registry, Request};
use serde_json::{Map, Value as Json};
use tokio_util::sync::CancellationToken;

use crate::guests::{Guest, World, engine, show, wide};

async fn install(state: &Path, guest: &Guest) {
    let bytes = guest.packed(&engine(Backend::Native), &wide()).await.expect("the guest is packed");
    install_bytes(state, &bytes);
}

fn install_bytes(state: &Path, bytes: &[u8]) {
    let package = package::read(bytes).expect("the package is whole");
    let receipt = Receipt::of(&package, "test".to_owned(), package.manifest.grants());
    Installed::open(state).and_then(|it| it.add(bytes, &package, receipt)).expect("it is installed");
}

fn open(state: &Path) -> Registry {
    Registry::open(state, None, Some(&state.join("cache")), || Backend::Native, Arc::new(Nothing))
        .expect("the registry opens")
}

fn request(cancelled: CancellationToken) -> Request {
    Request {
        tool: "hostile".to_owned(),
        arguments: Map::new(),
        recording: Recording::default(),
        cancelled,
        wall: Wall::default(),
        apps: Arc::new(World),
    }
}

async fn call(registry: &Registry) -> Result<Json, Failure> {
    let cancelled = CancellationToken::new();
    registry.call(request(cancelled)).await.expect("the tool is there").answer
}

#[tokio::test]
async fn a_plugin_that_fails_three_times_is_left_alone() {
    let state = tempfile::tempdir().expect("a folder can be made");
    install(state.path(), &Guest::read("panic")).await;
    let registry = open(state.path());
    for _ in 0..3 {
        assert!(show(call(&registry).await).contains("unreachable"));
    }
    let quarantined = "it is quarantined: 3 failures in 10 minutes, the last one: it stopped with an error";
    assert!(show(call(&registry).await).starts_with(quarantined));
    let again = open(state.path());
    assert!(show(call(&again).await).starts_with(quarantined), "a new start does not forget");
    Installed::open(state.path())
        .and_then(|it| it.edit("hostile", |receipt| receipt.quarantined = None))
        .expect("the operator releases it");
    assert!(show(call(&open(state.path())).await).contains("unreachable"));
}

#[tokio::test]
async fn a_quarantine_says_how_it_ends() {
    let (state, own) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    install(state.path(), &Guest::read("panic")).await;
    let apart = Some(own.path().to_owned());
    let mac = Registry::open(state.path(), apart, None, || Backend::Native, Arc::new(Nothing));
    let mac = mac.expect("it opens");
    for (registry, expected) in
        [(&mac, "ends with this server"), (&open(state.path()), "`iac-mcp plugin release hostile`")]
    {
        for _ in 0..3 {
            assert!(show(call(registry).await).contains("unreachable"));
        }
        let body =
            call(registry).await.expect_err("it is quarantined").body(&"hostile".parse().expect("an id"));
        let suggestion = body["suggestion"].as_str().expect("it has one");
        assert!(suggestion.contains(expected), "{suggestion}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_that_waited_are_not_run_after_the_quarantine() {
    let state = tempfile::tempdir().expect("a folder can be made");
    install(state.path(), &Guest::read("panic")).await;
    let registry = Arc::new(open(state.path()));
    let calls: Vec<_> = (0..16)
        .map(|_| {
            let registry = Arc::clone(&registry);
            tokio::spawn(async move { show(call(&registry).await) })
        })
        .collect();
    let mut shown = Vec::new();
    for call in calls {
        shown.push(call.await.expect("the call ends"));
    }
    let ran = shown.iter().filter(|it| it.contains("unreachable") && !it.contains("quarantined")).count();
    let refused = shown.iter().filter(|it| it.starts_with("it is quarantined: 3 failures")).count();
    // Two calls run at a time, so at most one other call is still running at the third failure.
    assert!((3..=4).contains(&ran) && ran + refused == 16, "{shown:?}");
}

/// Makes a component with a module that has this many functions.
fn heavier(mut component: Vec<u8>, functions: usize) -> Vec<u8> {
    let body = "local.get 0 i32.const 3 i32.mul local.set 0 ".repeat(20);
    let function = format!("(func (param i32) {body})");
    let module = wat::parse_str(format!("(module {})", function.repeat(functions))).expect("a module");
    component.push(1);
    let mut size = module.len();
    while size > 0x7f {
        component.push(u8::try_from(size & 0x7f | 0x80).expect("a byte"));
        size >>= 7;
    }
    component.push(u8::try_from(size).expect("a byte"));
    component.extend(module);
    component
}

#[tokio::test(start_paused = true)]
async fn a_call_does_not_wait_for_the_compiler_longer_than_its_client() {
    let state = tempfile::tempdir().expect("a folder can be made");
    let bytes = Guest::read("honest").packed(&engine(Backend::Native), &wide()).await.expect("it is packed");
    install_bytes(state.path(), &heavier(bytes, 400));
    let registry = Arc::new(open(state.path()));
    let calling = |cancelled: CancellationToken| {
        let registry = Arc::clone(&registry);
        tokio::spawn(async move {
            show(registry.call(request(cancelled)).await.expect("the tool is there").answer)
        })
    };
    let cancelled = CancellationToken::new();
    // These are more calls than may run at a time; none of them waits for another waiting call.
    let calls: Vec<_> = (0..5).map(|_| calling(CancellationToken::new())).collect();
    let given_up = calling(cancelled.clone());
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    cancelled.cancel();
    assert_eq!(given_up.await.expect("the call ends"), "the call was cancelled");
    tokio::time::advance(std::time::Duration::from_secs(26)).await;
    for call in calls {
        assert_eq!(call.await.expect("the call ends"), "it is not compiled yet after 25 s");
    }
    tokio::time::resume();
    while let shown = calling(CancellationToken::new()).await.expect("the call ends")
        && shown != "{}"
    {
        assert_eq!(shown, "it is not compiled yet after 25 s");
    }
    assert_eq!(registry.health()[0].quarantined, None);
}

#[tokio::test]
async fn what_a_plugin_is_told_is_no_crash() {
    let state = tempfile::tempdir().expect("a folder can be made");
    install(state.path(), &Guest::read("app-not-granted")).await;
    let registry = open(state.path());
    for _ in 0..5 {
        assert!(show(call(&registry).await).starts_with("permission_denied"));
    }
    assert_eq!(registry.health()[0].quarantined, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn too_many_calls_at_once_are_busy() {
    let state = tempfile::tempdir().expect("a folder can be made");
    install(state.path(), &Guest::read("slow-host")).await;
    let registry = Arc::new(open(state.path()));
    let cancelled = CancellationToken::new();
    let calls: Vec<_> = (0..24)
        .map(|_| {
            let (registry, cancelled) = (Arc::clone(&registry), cancelled.clone());
            tokio::spawn(async move {
                let called = registry.call(request(cancelled.clone())).await;
                let shown = show(called.expect("the tool is there").answer);
                if shown.contains("already wait") {
                    // Six of them were refused, so the others may end now.
                    cancelled.cancel();
                }
                shown
            })
        })
        .collect();
    let mut shown = Vec::new();
    for call in calls {
        shown.push(call.await.expect("the call ends"));
    }
    let busy = shown.iter().filter(|it| it.ends_with("of its calls already wait")).count();
    let ended = shown.iter().filter(|it| *it == "the call was cancelled").count();
    assert!(busy >= 1 && busy + ended == 24, "{shown:?}");
}
