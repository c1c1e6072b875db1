//! Authority is what is linked.

use wasmtime::component::{HasSelf, Linker};

use super::bindings::iac::plugin;
use super::call::State;
use crate::capability::{Capability, Grants};

/// Links what every plugin has, and what was granted; nothing else has a name that a guest could import.
pub(super) fn linker(engine: &wasmtime::Engine, grants: &Grants) -> wasmtime::Result<Linker<State>> {
    let mut linker = Linker::new(engine);
    plugin::types::add_to_linker::<State, HasSelf<State>>(&mut linker, |state| state)?;
    plugin::log::add_to_linker::<State, HasSelf<State>>(&mut linker, |state| state)?;
    plugin::clock::add_to_linker::<State, HasSelf<State>>(&mut linker, |state| state)?;
    plugin::settings::add_to_linker::<State, HasSelf<State>>(&mut linker, |state| state)?;
    for capability in Capability::ALL {
        if grants.has(capability) {
            add(&mut linker, capability)?;
        }
    }
    Ok(linker)
}

fn add(linker: &mut Linker<State>, capability: Capability) -> wasmtime::Result<()> {
    match capability {
        Capability::Apps => plugin::apps::add_to_linker::<State, HasSelf<State>>(linker, |state| state),
        Capability::AppsChange => {
            plugin::apps_change::add_to_linker::<State, HasSelf<State>>(linker, |state| state)
        }
        Capability::Files => plugin::files::add_to_linker::<State, HasSelf<State>>(linker, |state| state),
        Capability::Store => plugin::store::add_to_linker::<State, HasSelf<State>>(linker, |state| state),
        Capability::AppScripts => {
            plugin::app_scripts::add_to_linker::<State, HasSelf<State>>(linker, |state| state)
        }
        Capability::LanguageServers => {
            plugin::language_servers::add_to_linker::<State, HasSelf<State>>(linker, |state| state)
        }
    }
}
