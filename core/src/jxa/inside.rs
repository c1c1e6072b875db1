//! The program that an app's own script engine runs: a granted text, and one literal of data.

use serde_json::{Value as Json, json};

use super::literal;

/// Writes the program. The text is a function with one argument, which is parsed from the literal. Its result comes
/// back as JSON, and its error as a message. Later runs have a second argument, which the previous run handed on. If
/// the
/// package declares acts, a third argument lists the approved ones, and no data can change it.
pub(crate) fn inside(text: &str, data: &Json, handed: Option<&Json>, acts: Option<&[&str]>) -> String {
    let parsed = |data: &Json| format!("JSON.parse({})", literal::string(&literal::ascii(data.to_string())));
    let mut arguments = vec![parsed(data)];
    arguments.extend(handed.map(parsed));
    if let Some(acts) = acts {
        arguments.resize(2, "undefined".to_owned());
        arguments.push(format!("Object.freeze({})", parsed(&json!(acts))));
    }
    let data = arguments.join(", ");
    format!(
        "(() => {{ try {{ const value = (\n{text}\n)({data});
return JSON.stringify({{ value: value === undefined ? null : value }});
}} catch (error) {{ return JSON.stringify({{ error: String(error && error.message || error) }}); }} }})()"
    )
}
