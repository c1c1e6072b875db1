//! Limits the host memory that a component takes when it is instantiated, counted before any of it is compiled.
//!
//! Components inside components multiply: twenty lines of text can ask for a million instances. Each instance takes
//! host memory for its functions, globals and the like, which is not guest memory and is not counted by any limit of
//! a call.

use wasmparser::{
    ComponentAlias, ComponentExternalKind, ComponentInstance, ComponentOuterAliasKind, ComponentTypeRef,
    Instance, Parser, Payload,
};

use crate::limits::MOST_PARTS;

/// The most functions, globals, segments and the like of all instances together. Each takes some 16 to 32 bytes of
/// host memory. A Python interpreter has some 40,000.
const MOST_ITEMS: u64 = 500_000;

/// The costs of one instance of a component.
#[derive(Clone, Copy, Default)]
struct Weight {
    instances: u64,
    items: u64,
}

/// The part that is being parsed: a module with its number of items, or a component with its definitions so far.
enum Open {
    Module(u64),
    Component(Room),
}

#[derive(Default)]
struct Room {
    modules: Vec<u64>,
    components: Vec<Weight>,
    own: Weight,
}

/// Counts what a valid component instantiates.
///
/// # Errors
/// There is too much, or it cannot be counted.
pub(super) fn check(wasm: &[u8]) -> Result<(), String> {
    let mut open = vec![Open::Component(Room::default())];
    for payload in Parser::new(0).parse_all(wasm) {
        let payload = payload.map_err(|error| error.to_string())?;
        if let Some(weight) = step(&mut open, payload)? {
            return weight.check();
        }
    }
    Err("the component does not end".to_owned())
}

/// Handles one payload. Returns the weight of the whole component once it ends.
fn step(open: &mut Vec<Open>, payload: Payload<'_>) -> Result<Option<Weight>, String> {
    match payload {
        Payload::ModuleSection { .. } => open.push(Open::Module(0)),
        Payload::ComponentSection { .. } => open.push(Open::Component(Room::default())),
        Payload::End(_) => return Ok(close(open)),
        other => match open.last_mut() {
            Some(Open::Module(items)) => *items = items.saturating_add(u64::from(count(&other))),
            Some(Open::Component(_)) => define(open, other)?,
            None => {}
        },
    }
    Ok(None)
}

fn close(open: &mut Vec<Open>) -> Option<Weight> {
    let closed = open.pop()?;
    match (closed, open.last_mut()) {
        (Open::Module(items), Some(Open::Component(outer))) => outer.modules.push(items),
        (Open::Component(room), Some(Open::Component(outer))) => outer.components.push(room.own),
        (Open::Component(room), None) => return Some(room.own),
        // A module contains no other modules, and the outermost part is a component: the parser allows no other
        // nesting.
        _ => {}
    }
    None
}

/// Returns how many items a section adds to a module.
fn count(section: &Payload<'_>) -> u32 {
    match section {
        Payload::ImportSection(it) => it.count(),
        Payload::FunctionSection(it) => it.count(),
        Payload::TableSection(it) => it.count(),
        Payload::MemorySection(it) => it.count(),
        Payload::TagSection(it) => it.count(),
        Payload::GlobalSection(it) => it.count(),
        Payload::ExportSection(it) => it.count(),
        Payload::ElementSection(it) => it.count(),
        Payload::DataSection(it) => it.count(),
        _ => 0,
    }
}

fn define(open: &mut [Open], payload: Payload<'_>) -> Result<(), String> {
    let wrong = |error: wasmparser::BinaryReaderError| error.to_string();
    match payload {
        Payload::InstanceSection(instances) => {
            for instance in instances {
                if let Instance::Instantiate { module_index, .. } = instance.map_err(wrong)? {
                    let room = room(open, 0)?;
                    let items = *held(&room.modules, module_index)?;
                    room.own.add(Weight { instances: 1, items });
                }
            }
        }
        Payload::ComponentInstanceSection(instances) => {
            for instance in instances {
                if let ComponentInstance::Instantiate { component_index, .. } = instance.map_err(wrong)? {
                    let room = room(open, 0)?;
                    let weight = *held(&room.components, component_index)?;
                    room.own.add(weight);
                }
            }
        }
        Payload::ComponentAliasSection(aliases) => {
            for item in aliases {
                alias(open, &item.map_err(wrong)?)?;
            }
        }
        Payload::ComponentImportSection(imports) => {
            for import in imports {
                let kind = import.map_err(wrong)?.ty;
                refuse(matches!(kind, ComponentTypeRef::Module(_) | ComponentTypeRef::Component(_)))?;
            }
        }
        Payload::ComponentExportSection(exports) => {
            for export in exports {
                refuse(is_code(export.map_err(wrong)?.kind))?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn alias(open: &mut [Open], alias: &ComponentAlias<'_>) -> Result<(), String> {
    match *alias {
        ComponentAlias::InstanceExport { kind, .. } => refuse(is_code(kind)),
        ComponentAlias::Outer { kind: ComponentOuterAliasKind::CoreModule, count, index } => {
            let items = *held(&room(open, count)?.modules, index)?;
            room(open, 0)?.modules.push(items);
            Ok(())
        }
        ComponentAlias::Outer { kind: ComponentOuterAliasKind::Component, count, index } => {
            let weight = *held(&room(open, count)?.components, index)?;
            room(open, 0)?.components.push(weight);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Refuses modules and components that are passed as values. They cannot be counted, and no compiler generates them.
fn refuse(is_code: bool) -> Result<(), String> {
    match is_code {
        true => {
            Err("the component passes modules or components around, expected only functions and types"
                .to_owned())
        }
        false => Ok(()),
    }
}

fn is_code(kind: ComponentExternalKind) -> bool {
    matches!(kind, ComponentExternalKind::Module | ComponentExternalKind::Component)
}

/// Returns the component that is being parsed, or one around it.
fn room(open: &mut [Open], outward: u32) -> Result<&mut Room, String> {
    let at = open.len().checked_sub(outward as usize + 1);
    match at.and_then(|at| open.get_mut(at)) {
        Some(Open::Component(room)) => Ok(room),
        _ => Err("the component refers to an outer item that does not exist".to_owned()),
    }
}

fn held<T>(items: &[T], index: u32) -> Result<&T, String> {
    items.get(index as usize).ok_or_else(|| format!("the component has no code number {index}"))
}

impl Weight {
    fn add(&mut self, other: Self) {
        self.instances = self.instances.saturating_add(other.instances);
        self.items = self.items.saturating_add(other.items);
    }

    fn check(self) -> Result<(), String> {
        let Self { instances, items } = self;
        if instances > MOST_PARTS as u64 {
            return Err(format!(
                "the component makes {instances} instances of modules, expected at most {MOST_PARTS}"
            ));
        }
        if items > MOST_ITEMS {
            let what = "functions, globals and the like in all instances";
            return Err(format!("the component has {items} {what}, expected at most {MOST_ITEMS}"));
        }
        Ok(())
    }
}
