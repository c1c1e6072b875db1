//! What the gate would decide about a change if its objects cannot be looked up: by its commands and properties only.

use super::{World, first};
use crate::action::Terms;
use crate::app::App;
use crate::bind;
use crate::call::{Call, Mode, Next};
use crate::dictionary::Command;
use crate::permission::{
    Classified, CommandScope, Ruling, Scope, Source, classify_command, classify_write, forecast,
};

/// The strictest decision about a part of a change. The number of its objects may raise it.
#[derive(Clone, Debug)]
pub struct Unresolved {
    /// What is decided.
    pub ruling: Ruling,
    /// Who decides.
    pub source: Source,
    /// How much harm this part can do.
    pub harm: Classified,
    /// What a rule about this part would name.
    pub scope: Scope,
}

/// Judges a change without its objects; `None` if the call changes nothing or its app is unknown.
pub fn unresolved(call: &Call, world: &World<'_>) -> Option<Unresolved> {
    let app = world.apps.find(&first::app_of(call, world)?).ok()?;
    let parts = match call {
        Call::Command(call) if call.mode == Mode::Run => {
            let sent = bind::candidates(call, app, app.dictionary().ok()?).ok()?;
            let sent = sent.first().map(|command| of_command(command, app, world));
            let set = call.then.object.properties.keys().map(|term| of_property(term, app, world));
            sent.into_iter().chain(set).chain(following(&call.then.then, app, world)).collect()
        }
        Call::SetProperty(call) => {
            call.properties.iter().flatten().map(|value| of_property(&value.property, app, world)).collect()
        }
        Call::Create(call) => {
            let make = named("make", app, world).into_iter();
            make.chain(following(&call.then, app, world)).collect()
        }
        _ => Vec::new(),
    };
    let strictest = |part: &Unresolved| (part.ruling, part.harm.level);
    parts.into_iter().max_by_key(strictest)
}

fn following(then: &[Next], app: &App, world: &World<'_>) -> Vec<Unresolved> {
    then.iter().filter_map(|next| named(&next.command, app, world)).collect()
}

fn named(term: &str, app: &App, world: &World<'_>) -> Option<Unresolved> {
    let command = app.dictionary().ok()?.commands_named(term).into_iter().next()?;
    Some(of_command(command, app, world))
}

fn of_command(command: &Command, app: &App, world: &World<'_>) -> Unresolved {
    let harm = classify_command(&app.bundle_id, command, world.gate.policy.levels());
    let named = CommandScope { name: command.name.clone(), code: command.code.clone() };
    judged(harm, Scope { command: Some(named), ..Scope::default() }, app, world)
}

fn of_property(term: &str, app: &App, world: &World<'_>) -> Unresolved {
    let levels = world.gate.policy.levels();
    let harm = classify_write(&app.bundle_id, &Terms(app.dictionary.clone()), "", term, 1, levels);
    judged(harm, Scope { property: Some(term.to_owned()), ..Scope::default() }, app, world)
}

fn judged(harm: Classified, scope: Scope, app: &App, world: &World<'_>) -> Unresolved {
    let scope = Scope { app: app.bundle_id.to_string(), level: harm.level, ..scope };
    let (ruling, source) = forecast(&scope, &app.name, harm.is_shell, world.gate, world.now);
    Unresolved { ruling, source, harm, scope }
}
