//! Links only what a plugin is allowed to use.

use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, HasSelf, Linker};

use super::bindings::iac::plugin;
use super::call::State;
use super::stub;
use crate::capability::{Capability, Grants};

/// Links the interfaces that every plugin has, and the granted ones. Any other import gets a stub that refuses.
pub(super) fn linker(
    engine: &wasmtime::Engine,
    component: &Component,
    grants: &Grants,
) -> wasmtime::Result<Linker<State>> {
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
    for (name, item) in component.component_type().imports(engine) {
        let ComponentItem::ComponentInstance(instance) = item.ty else { continue };
        if let Some(capability) = capability(name).filter(|it| !grants.has(*it)) {
            stub::add(&mut linker, engine, (name, &instance), capability)?;
        }
    }
    Ok(linker)
}

/// The permission that an import needs, if any.
fn capability(import: &str) -> Option<Capability> {
    let (interface, _) = import.strip_prefix("iac:plugin/")?.split_once('@')?;
    interface.parse().ok()
}

fn add(linker: &mut Linker<State>, capability: Capability) -> wasmtime::Result<()> {
    match capability {
        Capability::Apps => plugin::apps::add_to_linker::<State, HasSelf<State>>(linker, |state| state),
        Capability::AppsChange => {
            plugin::apps_change::add_to_linker::<State, HasSelf<State>>(linker, |state| state)
        }
        Capability::Files => plugin::files::add_to_linker::<State, HasSelf<State>>(linker, |state| state),
        Capability::Store => plugin::store::add_to_linker::<State, HasSelf<State>>(linker, |state| state),
        Capability::Http => plugin::http::add_to_linker::<State, HasSelf<State>>(linker, |state| state),
        Capability::AppScripts => {
            plugin::app_scripts::add_to_linker::<State, HasSelf<State>>(linker, |state| state)
        }
        Capability::LanguageServers => {
            plugin::language_servers::add_to_linker::<State, HasSelf<State>>(linker, |state| state)
        }
    }
}
