//! The core, linked without a system.
//!
//! Built for `wasm32-unknown-unknown`, this must be a module without a single import: any use of a clock, a file, a
//! variable or a random number would appear as one. Without an exported entry that reaches the core, the linker would
//! drop all of the core and the module would prove nothing. So the check calls [`answered`].
#![deny(unsafe_code)]

use std::sync::Arc;

use iac_core::Millis;
use iac_core::app::{App, Apps};
use iac_core::call::Call;
use iac_core::dictionary::{Includes, parse, suites};
use iac_core::permission::{Answer, Gate, Policy};
use iac_core::plan::Learned;
use iac_core::reference::{Limits, RefId, References};
use iac_core::step::{Event, Outcome, Step, World, resume, start};
use serde_json::{Value as Json, json};

const MAIL: &[u8] =
    include_bytes!("../../../../fixtures/mac/System/Applications/Mail.app/Contents/Resources/Mail.sdef");

/// Parses a dictionary, starts a call, resumes it with a reply, and returns how many Apple events its answer counts.
///
/// Returns 0 if the call ended before it ran a script, or in an error.
#[expect(unsafe_code, reason = "an export needs its plain name, and nothing else in this module has it")]
#[unsafe(no_mangle)]
pub extern "C" fn answered() -> u64 {
    let (dictionary, _) = parse(MAIL, &Includes::new());
    if !suites::parse(&[suites::Pair { name: "broken".to_owned(), suite: MAIL.to_vec(), terminology: None }])
        .0
        .classes
        .contains_key("paragraph")
    {
        return 0;
    }
    let mail = App {
        bundle_id: "com.apple.mail".into(),
        name: "Mail".to_owned(),
        version: "16.0".to_owned(),
        counts: None,
        others: Vec::new(),
        dictionary: Some(Arc::new(dictionary)),
    };
    let arguments =
        json!({"app": "Mail", "specifier": {"type": "property", "property": "inbox", "of": "application"}});
    match ask("iac_mcp_query_object", &arguments, &Apps(vec![mail])) {
        Some(outcome) if !outcome.is_error => outcome.events,
        _ => 0,
    }
}

/// Two violations for the test of the check: a clock, and an import.
#[cfg(feature = "impure")]
#[expect(unsafe_code, clippy::disallowed_methods, reason = "the check must be seen to fail")]
#[unsafe(no_mangle)]
pub extern "C" fn impure() -> u64 {
    #[link(wasm_import_module = "outside")]
    unsafe extern "C" {
        fn random() -> u64;
    }
    let elapsed = std::time::UNIX_EPOCH.elapsed().or_else(|_| std::time::SystemTime::now().elapsed());
    let spawned = std::thread::spawn(|| ()).is_finished();
    // SAFETY: nothing calls this; the check only reads the module.
    elapsed.map_or(0, |elapsed| elapsed.as_secs()) + u64::from(spawned) + unsafe { random() }
}

/// Carries one call to its end; every script of it gets the same reply.
fn ask(tool: &str, arguments: &Json, apps: &Apps) -> Option<Outcome> {
    let call = Call::parse(tool, arguments.as_object()?)?.ok()?;
    let mut references = References::new(Limits::default());
    let mut learned = Learned::default();
    let mut fresh = || RefId::from_random([7; 10]);
    let policy = Arc::new(Policy::parse(POLICY).ok()?);
    let gate = Gate { policy, ..Gate::default() };
    let mut world = World {
        apps,
        references: &mut references,
        learned: &mut learned,
        gate: &&gate,
        home: "/Users/alex",
        now: Millis(1),
        fresh: &mut fresh,
    };
    let mut step = start(call, &mut world);
    loop {
        step = match step {
            Step::Run(run) => resume(run.pending, Event::Replied(REPLY.to_owned()), &mut world),
            Step::Load(load) => resume(load.pending, Event::Loaded, &mut world),
            Step::Ask(ask) => {
                resume(ask.pending, Event::Answered(Answer::NoWay(NOBODY.to_owned())), &mut world)
            }
            Step::Done(outcome) => return Some(outcome),
        };
    }
}

const POLICY: &str = "profile = \"read-only\"\n";
const NOBODY: &str = "nobody is here";
const REPLY: &str = r#"{"ok":true,"value":{"$":"object","v":"Application(\"Mail\").inbox()"},"events":1}"#;
