//! Formats specifiers as JavaScript source: `Application("Mail").accounts.byId("A1").mailboxes.byName("INBOX")`.

use crate::schema::identifier;
use crate::value::Value;
use crate::value::specifier::{Operator, Ordinal, Root, Specifier, Step, Test};
use crate::world::World;

/// Formats a specifier as `Automation.getDisplayString` does.
pub(crate) fn source(world: &World, specifier: &Specifier) -> String {
    let before = specifier.of().map(|of| source(world, of)).unwrap_or_default();
    match &specifier.step {
        Step::Root => root(world, specifier.root),
        Step::Property { term, .. } => format!("{before}.{}", identifier(term)),
        Step::Elements { class, .. } => format!("{before}.{}", plural(world, specifier.root, class)),
        Step::Index { index, .. } => format!("{before}.at({index})"),
        Step::Name { name, .. } => format!("{before}.byName({})", literal(name)),
        Step::Id { id, .. } => format!("{before}.byId({})", literal(id)),
        Step::Ordinal { which, .. } => format!("{before}.{}", word(*which)),
        Step::Where { filter, .. } => format!("{before}.whose({})", condition(world, &filter.test)),
        Step::Member { identifier, .. } => format!("{before}.{identifier}"),
        Step::Insertion { edge, .. } => format!("{before}.{}", edge.word()),
        Step::Each { all } => {
            let all: Vec<String> = all.iter().map(|each| source(world, each)).collect();
            format!("[{}]", all.join(", "))
        }
    }
}

/// Formats a filter's test as a script would write it.
fn condition(world: &World, test: &Test) -> String {
    let list = |key: &str, tests: &[Test]| {
        let tests: Vec<String> = tests.iter().map(|test| condition(world, test)).collect();
        format!("{{{key}: [{}]}}", tests.join(", "))
    };
    match test {
        Test::All(tests) => list("_and", tests),
        Test::Any(tests) => list("_or", tests),
        Test::None(tests) => list("_not", tests),
        Test::Compare { left, operator, right, by_name } => {
            let right = literal(right);
            match (&left.step, by_name) {
                (Step::Member { identifier, .. }, true) if *operator == Operator::Equals => {
                    format!("{{{identifier}: {right}}}")
                }
                (Step::Member { identifier, .. }, true) => {
                    format!("{{{identifier}: {{{}: {right}}}}}", operator.key())
                }
                _ => format!("{{_match: [{}, {right}]}}", source(world, left)),
            }
        }
    }
}

fn root(world: &World, root: Root) -> String {
    match root {
        Root::App(at) => format!("Application({})", quoted(&world.app(at).bundle.name)),
        Root::Current => "Application.currentApplication()".to_owned(),
        Root::It => "ObjectSpecifier()".to_owned(),
    }
}

fn plural(world: &World, root: Root, class: &str) -> String {
    let Root::App(at) = root else { return class.to_owned() };
    let app = world.app(at);
    let plural = app.schema.dictionary().class(class).map(|class| class.plural.clone());
    identifier(plural.as_deref().unwrap_or(class)).to_string()
}

fn literal(value: &Value) -> String {
    match value {
        Value::Missing => "null".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Date(time) => format!("new Date({})", quoted(&crate::value::local_text(*time))),
        Value::Int(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Utf16(units) => quoted(&String::from_utf16_lossy(units)),
        other => quoted(other.as_text().unwrap_or_default()),
    }
}

/// Quotes a string as `getDisplayString` does: it escapes quotes and backslashes, but not line breaks.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn word(which: Ordinal) -> &'static str {
    match which {
        Ordinal::First => "first",
        Ordinal::Middle => "middle",
        Ordinal::Last => "last",
        Ordinal::Any => "any",
    }
}
