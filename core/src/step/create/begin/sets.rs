//! The steps of `then` that set properties on objects of their own.

use serde_json::Value as Json;

use super::{Tree, Unfit, following};
use crate::action::{Following, StepSet};
use crate::bind::by_object;
use crate::call::Next;
use crate::dictionary::TypeExpr;
use crate::fault::Fault;
use crate::marshal::Checker;
use crate::schema::TARGET;
use crate::specifier::{Container, Path, Reader};
use crate::step::placing::has_index;
use crate::step::set::Steps;
use crate::step::{World, command, held};

impl Tree<'_> {
    /// Reads these steps.
    ///
    /// # Errors
    /// A target is not an object, or is one that the call makes; or the properties or their values are wrong.
    pub(super) fn sets(
        &self,
        then: &[Next],
        steps: &mut Steps,
        world: &mut World<'_>,
    ) -> Result<Vec<StepSet>, Unfit> {
        let mut sets = Vec::new();
        for (at, next) in then.iter().enumerate().filter(|(_, next)| !next.sets.is_empty()) {
            let here = |fault: Fault| following::at_place(fault, &next.place, &[]);
            let paths = self.targets(next, world)?;
            let ids = command::references(next.target.as_ref());
            let changes = steps.add(next, (paths, &ids), self.app, world).map_err(here)?;
            let after = then[..at].iter().filter(|next| next.sets.is_empty()).count();
            sets.extend(changes.into_iter().map(|change| StepSet {
                place: next.place.clone(),
                after,
                change,
            }));
        }
        Ok(sets)
    }

    /// The objects of a step. The server looks up what a position or `every` leads to.
    fn targets(&self, next: &Next, world: &mut World<'_>) -> Result<Vec<Path>, Unfit> {
        let reader = Reader { dictionary: self.dictionary, home: world.home };
        let here = |fault: Fault| following::at_place(fault, &next.place, &[]);
        let Some(target) = next.target.as_ref().map(|target| by_object(target, reader)) else {
            let fault = Fault::parameter(TARGET, "the step names no object", "add a `target`");
            return Err(here(fault).into());
        };
        let mut held = held(world.references, self.app, world.now);
        let mut checker = Checker {
            dictionary: self.dictionary,
            held: &mut *held,
            home: world.home,
            put: None,
            open: None,
        };
        let kind = TypeExpr::one("specifier");
        let items = target.as_array().map_or_else(|| vec![&target], |items| items.iter().collect());
        let mut paths = Vec::new();
        for item in items {
            if item.as_str().is_some_and(following::is_about_it) {
                let message = format!(
                    "{item} is a new object, and a step sets properties of objects that were there before"
                );
                let suggestion = "give them as `properties` of the new object, or of one of its `children`";
                return Err(here(Fault::parameter("target", message, suggestion)).into());
            }
            let given = checker.value(item, &kind, "`target`");
            if let Some((given, container)) = checker.open.take() {
                return Err(Unfit::Open(given, container));
            }
            let given = given.map_err(here)?;
            let found: Vec<Path> = given.objects().into_iter().cloned().collect();
            let wrong = || here(crate::fault::wrong("target", "an object, or a list of them", item));
            match found.as_slice() {
                [path] if !Following::leads_to_it(path) => paths.push(path.clone()),
                _ => return Err(wrong().into()),
            }
            // A write to an object without a class cannot be judged.
            if found.iter().any(|path| path.is_told() && path.class().is_empty()) {
                let message = format!("the class of {item} is not known before the step runs");
                let suggestion = "name its objects, for example by iac_mcp_get_elements";
                return Err(here(Fault::parameter(TARGET, message, suggestion)).into());
            }
            if let Some(container) = positioned(item, reader).filter(|_| found.iter().any(has_index)) {
                return Err(Unfit::Open(item.clone(), container));
            }
        }
        Ok(paths)
    }
}

/// The meaning of an object that was given by its position.
fn positioned(target: &Json, reader: Reader<'_>) -> Option<Container> {
    let mut container = Container::parse(target, TARGET).ok()?;
    container.read(reader).ok()?;
    matches!(container, Container::Specifier(_)).then_some(container)
}
