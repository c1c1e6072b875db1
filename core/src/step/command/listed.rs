//! The answer of a command that gets a list of objects and answers with the same objects.

use serde_json::{Value as Json, json};

use crate::app::App;
use crate::marshal::Given;
use crate::specifier::{By, Id, Path, Segment, read_source};
use crate::step::World;
use crate::step::show::show;
use crate::value::Value;

/// How many of the objects the answer names. The others are counted, as in the answer of `iac_mcp_set_property`.
const MOST: usize = 20;

/// The targets of one event, each as the client named it.
#[derive(Debug, Default)]
pub(super) struct Listed(Vec<(Json, Path)>);

impl Listed {
    /// The targets if they are a list that the command gets as a whole.
    pub(super) fn of(target: Option<&Json>, direct: Option<&Given>) -> Self {
        let (Some(Json::Array(named)), Some(Given::List(targets))) = (target, direct) else {
            return Self::default();
        };
        let both = named.iter().zip(targets).map(|(named, target)| match target {
            Given::Object(path) => Some((named.clone(), path.clone())),
            _ => None,
        });
        Self(both.collect::<Option<_>>().filter(|_| named.len() == targets.len()).unwrap_or_default())
    }

    /// The objects by the client's own references, and beside them each answer that is another object, such as the
    /// completed copy of a task that repeats. `None` if the app does not answer with the objects.
    pub(super) fn told(&self, value: &Value, app: &App, world: &mut World<'_>) -> Option<Json> {
        let (Value::List(answers), Ok(dictionary)) = (value, app.dictionary()) else { return None };
        let is_same = |answer: &Value, path: &Path| match answer {
            Value::Object(source) => {
                read_source(dictionary, source).is_some_and(|answered| is_one(&answered, path))
            }
            _ => false,
        };
        let both = answers.iter().zip(&self.0);
        let (same, others): (Vec<_>, Vec<_>) = both.partition(|(answer, (_, path))| is_same(answer, path));
        if same.is_empty() || answers.len() != self.0.len() {
            return None;
        }
        let names: Vec<&Json> = same.iter().take(MOST).map(|(_, (named, _))| named).collect();
        let mut body = json!({ "success": true, "count": same.len(), "reference": names });
        if same.len() > MOST {
            body["more"] = json!(same.len() - MOST);
        }
        if !others.is_empty() {
            let other = |(answer, (named, _)): (&Value, &(Json, Path))| json!({ "target": named, "data": show(answer, app, world) });
            body["results"] = others.into_iter().map(other).collect();
            body["untrusted"] = json!(true);
        }
        Some(body)
    }
}

/// Whether two paths lead to one object: an app names a task by another container and class than the client.
fn is_one(one: &Path, other: &Path) -> bool {
    let id = |path: &Path| -> Option<Id> {
        match path.last() {
            Some((_, Segment::Element(_, By::Id(id)))) => Some(id.clone()),
            _ => None,
        }
    };
    one == other || id(one).is_some_and(|own| id(other) == Some(own))
}
