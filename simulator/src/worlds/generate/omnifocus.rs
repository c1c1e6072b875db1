//! Makes more tasks for OmniFocus: each resembles a task of the same project.

use super::{Maker, moved, without_elements};
use serde_json::{Map, Value, json};

/// Fills the projects until the database has this many tasks. A database that has more stays unchanged.
pub(super) fn fill(maker: &mut Maker, data: &mut Value, count: usize) -> Option<()> {
    let document = data.pointer_mut("/application/elements/document/0/elements")?;
    let mut have = 0;
    count_tasks(document, &mut have);
    let mut lists = Vec::new();
    task_lists(document.get_mut("section")?, &mut lists);
    lists.retain(|list| list.len() > 3);
    let models: Vec<Vec<Value>> =
        lists.iter().map(|list| list.iter().cloned().map(without_elements).collect()).collect();
    for at in 0..count.saturating_sub(have) {
        let list = at % lists.len().max(1);
        let model = models.get(list)?.get(at / lists.len() % models[list].len())?;
        lists[list].push(Value::Object(like(maker, model.as_object()?)));
    }
    Some(())
}

/// Counts the tasks in lists, without the root tasks of projects.
fn count_tasks(elements: &Value, count: &mut usize) {
    for (class, objects) in elements.as_object().into_iter().flatten() {
        for object in objects.as_array().into_iter().flatten() {
            *count += usize::from(class.ends_with("task"));
            if object["class"] == "project" {
                *count -= 1;
            }
            count_tasks(&object["elements"], count);
        }
    }
}

/// Collects the task lists of all active projects.
fn task_lists<'a>(sections: &'a mut Value, found: &mut Vec<&'a mut Vec<Value>>) {
    for section in sections.as_array_mut().into_iter().flatten() {
        let ended = matches!(section["status"].as_str(), Some("done status" | "dropped status"));
        let project = section["class"] == "project";
        let Some(elements) = section.get_mut("elements") else { continue };
        if project && !ended {
            let list = elements.pointer_mut("/task/0/elements/task").and_then(Value::as_array_mut);
            found.extend(list);
        } else if let Some(below) = elements.get_mut("section") {
            task_lists(below, found);
        }
    }
}

/// Makes a task like another one. Past dates move further back; future dates move either way.
fn like(maker: &mut Maker, model: &Map<String, Value>) -> Map<String, Value> {
    let ahead = i64::try_from(maker.next() % 120).unwrap_or_default() - 40;
    let back = -i64::try_from(maker.next() % 300).unwrap_or_default();
    let entries = model.iter().map(|(term, value)| {
        let value = match term.as_str() {
            "id" => json!(id(maker)),
            "name" => json!(maker.title()),
            "due date" | "defer date" | "planned date" => moved(value, ahead),
            _ => moved(value, back),
        };
        (term.clone(), value)
    });
    entries.collect()
}

fn id(maker: &mut Maker) -> String {
    crate::birth::short_id("generated", u32::try_from(maker.made).unwrap_or(u32::MAX), 0)
}
