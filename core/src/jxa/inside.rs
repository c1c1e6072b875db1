//! The program that an app's own script engine runs: a granted text, and one literal of data.

use serde_json::Value as Json;

use super::literal;

/// Writes the program. The text is a function of one argument, which is parsed from the literal; what it returns comes
/// back as JSON, and what it throws as its message.
pub(crate) fn inside(text: &str, data: &Json) -> String {
    let data = literal::string(&literal::ascii(data));
    format!(
        "(() => {{ try {{ const value = (\n{text}\n)(JSON.parse({data}));
return JSON.stringify({{ value: value === undefined ? null : value }});
}} catch (error) {{ return JSON.stringify({{ error: String(error && error.message || error) }}); }} }})()"
    )
}
