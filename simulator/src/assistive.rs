//! Accessibility: System Events shows what is in the windows of processes, and acts on it, only for programs that the
//! user has allowed to control the Mac.

use crate::event::{Event, Kind};
use crate::os_error::{Answer, BAD_INDEX, OsError};
use crate::session::PROCESSES;
use crate::value::Value;
use crate::value::specifier::{Specifier, Step, Test};
use crate::world::App;

/// The class of processes.
const PROCESS: &str = "process";

/// The class of everything on the screen. A process inherits its properties.
const ELEMENT: &str = "UI element";

/// Properties of [`ELEMENT`] that System Events knows of a process by other means.
const KNOWN: [&str; 3] = ["class", "id", "name"];

/// The property of System Events that says whether Accessibility is allowed.
const ENABLED: &str = "UI elements enabled";

/// What System Events says if it is not allowed. A read then has the number of an index that is not there.
const REFUSAL: &str = "osascript is not allowed assistive access.";
const NO_ACTION: i32 = -25_211;

/// Answers an event that depends on Accessibility; `None` for all other events.
pub(crate) fn answer(app: &App, event: &Event, is_allowed: bool) -> Option<Answer<Value>> {
    if app.bundle.id != PROCESSES {
        return None;
    }
    let is_switch =
        matches!(&event.target.step, Step::Property { of, term } if is_root(of) && &**term == ENABLED);
    if is_switch && event.kind == Kind::Get {
        return Some(Ok(Value::Bool(is_allowed)));
    }
    if is_allowed || !needs(app, &event.target) {
        return None;
    }
    let acts = matches!(event.kind, Kind::Command(_)) && !event.kind.reads();
    Some(Err(OsError::new(if acts { NO_ACTION } else { BAD_INDEX }, REFUSAL)))
}

/// Whether a specifier leads to what a process shows on the screen.
fn needs(app: &App, specifier: &Specifier) -> bool {
    let here = match &specifier.step {
        Step::Elements { of, .. } => is_process(app, of),
        Step::Property { of, term } => is_process(app, of) && is_seen(app, term),
        Step::Member { of, identifier } => is_process(app, of) && is_shown(app, identifier),
        Step::Where { of, filter } => is_process(app, of) && tests(app, &filter.test),
        Step::Each { all } => all.iter().any(|each| needs(app, each)),
        _ => false,
    };
    here || specifier.of().is_some_and(|of| needs(app, of))
}

/// Whether a specifier is of one or of several processes.
fn is_process(app: &App, specifier: &Specifier) -> bool {
    match &specifier.step {
        Step::Elements { class, .. } => app.schema.is_a(class, PROCESS),
        Step::Each { all } => all.iter().any(|each| is_process(app, each)),
        Step::Index { of, .. }
        | Step::Name { of, .. }
        | Step::Id { of, .. }
        | Step::Ordinal { of, .. }
        | Step::Where { of, .. } => is_process(app, of),
        _ => false,
    }
}

/// Whether a property of a process is one of those that everything on the screen has.
fn is_seen(app: &App, term: &str) -> bool {
    let of_elements = || app.schema.class(ELEMENT).is_some_and(|class| class.properties.contains_key(term));
    term == "properties" || (!KNOWN.contains(&term) && of_elements())
}

/// As [`is_seen`], by the identifier that a script uses.
fn is_shown(app: &App, identifier: &str) -> bool {
    let Some(process) = app.schema.class(PROCESS) else { return false };
    match process.property(identifier) {
        Some(property) => is_seen(app, &property.term),
        None => process.member(identifier).is_some(),
    }
}

/// Whether a test of processes looks at the screen.
fn tests(app: &App, test: &Test) -> bool {
    match test {
        Test::Compare { left, .. } => looks(app, left),
        Test::All(all) | Test::Any(all) | Test::None(all) => all.iter().any(|each| tests(app, each)),
    }
}

/// Whether a specifier that begins at a process looks at the screen.
fn looks(app: &App, specifier: &Specifier) -> bool {
    let here = match &specifier.step {
        Step::Elements { of, .. } => is_root(of),
        Step::Property { of, term } => is_root(of) && is_seen(app, term),
        Step::Member { of, identifier } => is_root(of) && is_shown(app, identifier),
        _ => false,
    };
    here || specifier.of().is_some_and(|of| looks(app, of))
}

fn is_root(specifier: &Specifier) -> bool {
    matches!(specifier.step, Step::Root)
}
