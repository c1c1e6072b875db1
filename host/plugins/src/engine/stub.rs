//! Stubs for interfaces that were not granted. Each function refuses, so the rest of the plugin still works.
//!
//! No stub can reach what its interface protects. The types are the component's own, as it imports them.

use std::sync::Arc;

use wasmtime::component::types::{ComponentInstance, ComponentItem, Type};
use wasmtime::component::{Linker, LinkerInstance, ResourceType, Val};

use super::call::{App, Directory, State, Workspace};
use crate::capability::Capability;

/// Links a component's import of an interface to the stub.
pub(super) fn add(
    linker: &mut Linker<State>,
    engine: &wasmtime::Engine,
    (name, instance): (&str, &ComponentInstance),
    capability: Capability,
) -> wasmtime::Result<()> {
    let mut stub = linker.instance(name)?;
    for (name, item) in instance.exports(engine) {
        match item.ty {
            ComponentItem::ComponentFunc(_) => refuse(&mut stub, name, capability)?,
            // No function creates such a resource, so none can be dropped. Interfaces that share it must agree on its
            // type.
            ComponentItem::Resource(held) => {
                let own = [
                    ResourceType::host::<App>(),
                    ResourceType::host::<Directory>(),
                    ResourceType::host::<Workspace>(),
                ];
                let of = match name {
                    "app" => own[0],
                    "directory" => own[1],
                    "workspace" => own[2],
                    _ => held,
                };
                stub.resource(name, of, |_, _| Ok(()))?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn refuse(stub: &mut LinkerInstance<'_, State>, name: &str, capability: Capability) -> wasmtime::Result<()> {
    let function: Arc<str> = name.into();
    stub.func_new_async(name, move |mut store, ty, given, results| {
        let function = Arc::clone(&function);
        Box::new(async move {
            // Resources that were lent for the call are dropped with it.
            for value in given {
                if let Val::Resource(lent) = value {
                    lent.resource_drop_async(&mut store).await?;
                }
            }
            let (says, advice) = store.data_mut().refuse(capability)?;
            let (Some(result), Some(ty)) = (results.first_mut(), ty.results().next()) else { return Ok(()) };
            *result = refusal(&ty, &says, &advice)
                .ok_or_else(|| wasmtime::Error::msg(format!("{says}: `{function}` cannot say so")))?;
            Ok(())
        })
    })
}

/// Builds a refusal of a given type: an error if the type has one, an empty list if it is a list.
fn refusal(ty: &Type, says: &str, advice: &str) -> Option<Val> {
    match ty {
        Type::List(_) => Some(Val::List(Vec::new())),
        Type::Result(result) => {
            let Some(Type::Record(fault)) = result.err() else { return None };
            let fields =
                fault.fields().map(|field| Some((field.name.to_owned(), part(field.name, says, advice)?)));
            let fault = Val::Record(fields.collect::<Option<_>>()?);
            Some(Val::Result(Err(Some(Box::new(fault)))))
        }
        _ => None,
    }
}

/// Returns a field of `fault`, or of `failure` of the language servers.
fn part(field: &str, says: &str, advice: &str) -> Option<Val> {
    Some(match field {
        "code" => Val::String("permission_denied".to_owned()),
        "cause" => Val::Enum("outside".to_owned()),
        "message" => Val::String(says.to_owned()),
        "suggestion" => Val::Option(Some(Box::new(Val::String(advice.to_owned())))),
        "retryable" => Val::Bool(false),
        "detail" | "retry-after" => Val::Option(None),
        _ => return None,
    })
}
