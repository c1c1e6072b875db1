//! A server's entry in a TOML file: a table at the end, so that nothing else in the file changes.

use serde_json::Value as Json;
use toml_edit::{Array, Document, DocumentMut, InlineTable, Item, Table, Value};

use super::{Edit, NOT_AGAIN, marked};

/// Inserts `entry` as `name` into the table `key`.
///
/// # Errors
/// The file is not TOML, or the server exists and may not be replaced.
pub(super) fn with(text: &str, key: &str, name: &str, entry: &Json, force: bool) -> Result<String, String> {
    let (mark, body) = marked(text);
    let document = Document::parse(body).map_err(|error| wrong(&error))?;
    let servers = document.get(key);
    if servers.is_some_and(|servers| !servers.is_table_like()) {
        return Err(format!("`{key}` in it is not a table"));
    }
    let after = match servers.and_then(|servers| servers.get(name)) {
        Some(_) if !force => return Err(format!("a server `{name}` {NOT_AGAIN}")),
        Some(there) if is_same(there, entry) => body.to_owned(),
        Some(_) => replaced(body, key, name, entry)?,
        None => added(body, servers, key, name, entry),
    };
    let there = |document: &DocumentMut| is_same(&document[key][name], entry);
    match after.parse::<DocumentMut>() {
        Ok(document) if there(&document) => Ok(format!("{mark}{after}")),
        _ => Err(format!("`{key}` in it has a form that allows no table after it")),
    }
}

/// Formats a TOML error with its position. It quotes the line, cut to what fits a screen.
fn wrong(error: &toml_edit::TomlError) -> String {
    let said = error.to_string();
    let lines: Vec<String> =
        said.trim_end().lines().map(|line| line.chars().take(LONGEST).collect()).collect();
    format!("it is not TOML: {}", lines.join("\n"))
}

/// The most characters of a line in an error.
const LONGEST: usize = 160;

fn added(body: &str, servers: Option<&Item>, key: &str, name: &str, entry: &Json) -> String {
    if let Some(Item::Value(Value::InlineTable(servers))) = servers
        && let Some(span) = servers.span()
    {
        let mut inline = InlineTable::new();
        inline.insert(name, Value::InlineTable(table(entry).into_inline_table()));
        let inline = inline.to_string();
        let comma = if servers.is_empty() { "" } else { "," };
        let member = inline.trim_start_matches('{').trim_end_matches(' ');
        let member = member.strip_suffix('}').unwrap_or(member).trim_end();
        return Edit { start: span.start + 1, end: span.start + 1, text: format!("{member}{comma}") }
            .apply(body);
    }
    let line = if body.contains("\r\n") { "\r\n" } else { "\n" };
    let mut whole = DocumentMut::new();
    into(&mut whole, key, name, entry);
    let mut text = whole.to_string().replace('\n', line);
    if !body.is_empty() {
        let ends = body.ends_with('\n');
        text = format!("{}{text}", if ends { line.to_owned() } else { line.repeat(2) });
        if !ends {
            text.truncate(text.trim_end().len());
        }
    }
    format!("{body}{text}")
}

/// Returns the program that starts a server.
///
/// # Errors
/// The file is not TOML.
pub(super) fn command(text: &str, key: &str, name: &str) -> Result<Vec<String>, String> {
    let document: DocumentMut =
        marked(text).1.parse().map_err(|error: toml_edit::TomlError| wrong(&error))?;
    let Some(server) = document.get(key).and_then(|servers| servers.get(name)) else {
        return Ok(Vec::new());
    };
    let program = server.get("command").and_then(Item::as_str);
    let words = server.get("args").and_then(Item::as_array).into_iter().flatten();
    Ok(program.into_iter().chain(words.filter_map(Value::as_str)).map(str::to_owned).collect())
}

/// Returns the keys of a server's entry with the text of each value.
///
/// # Errors
/// The file is not TOML.
pub(super) fn settings(text: &str, key: &str, name: &str) -> Result<Vec<(String, String)>, String> {
    let document: DocumentMut =
        marked(text).1.parse().map_err(|error: toml_edit::TomlError| wrong(&error))?;
    let server = document.get(key).and_then(|servers| servers.get(name)).and_then(Item::as_table_like);
    let fields = server.into_iter().flat_map(|server| server.iter());
    Ok(fields.map(|(key, value)| (key.to_owned(), value.to_string().trim().to_owned())).collect())
}

/// Removes a server.
///
/// # Errors
/// The file is not TOML, or the rest of it would change.
pub(super) fn without(text: &str, key: &str, name: &str) -> Result<String, String> {
    let (mark, body) = marked(text);
    let after = changed(body, |document| {
        if let Some(servers) = document.get_mut(key).and_then(Item::as_table_like_mut) {
            servers.remove(name);
        }
    })?;
    Ok(format!("{mark}{after}"))
}

/// Replaces the entry of a server by the one in an older text; `None` if either text has no such entry.
///
/// # Errors
/// A text is not TOML, or the rest of it would change.
pub(super) fn back(text: &str, older: &str, key: &str, name: &str) -> Result<Option<String>, String> {
    let parse = |text: &str| {
        text.trim_start_matches('\u{feff}')
            .replace("\r\n", "\n")
            .parse::<DocumentMut>()
            .map_err(|error| wrong(&error))
    };
    let (now, older) = (parse(text)?, parse(older)?);
    let there = |document: &DocumentMut| document.get(key)?.get(name)?.is_table_like().then_some(());
    let (Some(()), Some(())) = (there(&now), there(&older)) else { return Ok(None) };
    let (mark, body) = text.split_at(if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 });
    let after = changed(body, |document| {
        let Some(there) = document[key][name].as_table_like_mut() else { return };
        there.clear();
        for (field, value) in older[key][name].as_table_like().into_iter().flat_map(|old| old.iter()) {
            there.insert(field, value.clone());
        }
    })?;
    Ok(Some(format!("{mark}{after}")))
}

/// Replaces the existing entry. The rest is written exactly as it was read, or nothing is written.
fn replaced(body: &str, key: &str, name: &str, entry: &Json) -> Result<String, String> {
    changed(body, |document| into(document, key, name, entry))
}

fn changed(body: &str, change: impl FnOnce(&mut DocumentMut)) -> Result<String, String> {
    let plain = body.replace("\r\n", "\n");
    let has_cr = plain.len() != body.len();
    let back = |text: String| if has_cr { text.replace('\n', "\r\n") } else { text };
    let mut document: DocumentMut = plain.parse().map_err(|_| "it is not TOML".to_owned())?;
    if back(document.to_string()) != body {
        return Err("it has two kinds of line ends, so the rest of it would change".to_owned());
    }
    change(&mut document);
    Ok(back(document.to_string()))
}

/// Inserts an entry into a document as a table.
pub(super) fn into(document: &mut DocumentMut, key: &str, name: &str, entry: &Json) {
    let servers = document.entry(key).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    if let Some(there) = servers.get_mut(name).and_then(Item::as_table_like_mut) {
        for (field, value) in table(entry) {
            there.insert(&field, value);
        }
        return;
    }
    servers[name] = Item::Table(table(entry));
}

fn table(entry: &Json) -> Table {
    let text = |json: &Json| json.as_str().unwrap_or_default().to_owned();
    let mut table = Table::new();
    table["command"] = toml_edit::value(text(&entry["command"]));
    table["args"] = toml_edit::value(arguments(entry).collect::<Array>());
    table
}

fn arguments(entry: &Json) -> impl Iterator<Item = &str> {
    entry["args"].as_array().into_iter().flatten().filter_map(Json::as_str)
}

fn is_same(there: &Item, entry: &Json) -> bool {
    let given = there.get("args").and_then(Item::as_array);
    let given = given.map(|given| given.iter().map(|each| each.as_str().unwrap_or_default()));
    there.get("command").and_then(Item::as_str) == entry["command"].as_str()
        && given.is_some_and(|given| given.eq(arguments(entry)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn put(text: &str, force: bool) -> Result<String, String> {
        with(text, "mcp_servers", "iac-mcp", &json!({ "command": "/x", "args": ["serve"] }), force)
    }

    #[test]
    fn the_entry_is_added_and_all_else_stays() {
        const TABLE: &str = "[mcp_servers.iac-mcp]\ncommand = \"/x\"\nargs = [\"serve\"]\n";
        for (before, after) in [
            ("", TABLE.to_owned()),
            (
                "# mine\n[mcp_servers.b] # b\ncommand  =  'c'\n",
                format!("# mine\n[mcp_servers.b] # b\ncommand  =  'c'\n\n{TABLE}"),
            ),
            ("\u{feff}a = 1\r\n", format!("\u{feff}a = 1\r\n\r\n{}", TABLE.replace('\n', "\r\n"))),
            ("a = 1", format!("a = 1\n\n{}", TABLE.trim_end())),
            ("a = 1\r\nb = 2\n", format!("a = 1\r\nb = 2\n\r\n{}", TABLE.replace('\n', "\r\n"))),
        ] {
            let got = put(before, false).unwrap();
            assert_eq!(got, after);
            assert_eq!(put(&got, true).unwrap(), got, "a second run changes nothing");
            assert!(put(&got, false).unwrap_err().contains("--force"));
        }
        for before in ["mcp_servers = { b = { command = 'c' } } # d\n", "mcp_servers = {}\nx = 1\n"] {
            let got = put(before, false).unwrap();
            let (head, tail) = before.split_once('{').unwrap();
            assert!(
                got.starts_with(head) && got.ends_with(tail) && got.parse::<DocumentMut>().is_ok(),
                "{got}"
            );
        }
    }

    #[test]
    fn the_entry_is_taken_out_and_all_else_stays() {
        for before in
            ["# mine\n[mcp_servers.b] # b\ncommand  =  'c'\n", "a = 1\r\n[b]\r\n  c=1\r\n", "x = 1\n"]
        {
            let back = without(&put(before, false).unwrap(), "mcp_servers", "iac-mcp").unwrap();
            assert_eq!(back.trim_end(), before.trim_end());
            assert_eq!(without(before, "mcp_servers", "iac-mcp").unwrap(), before);
        }
    }

    #[test]
    fn another_entry_is_replaced_and_all_else_stays() {
        let before = "# a\r\n[mcp_servers.iac-mcp] # mine\r\ncommand = 'old'\r\nenv = { A = '1' }\r\n\r\n[z]\r\n  y=1\r\n";
        let after = put(before, true).unwrap();
        assert!(after.contains("env = { A = '1' }\r\n") && after.contains("\r\n[z]\r\n  y=1\r\n"), "{after}");
        assert!(
            after.starts_with("# a\r\n[mcp_servers.iac-mcp] # mine\r\n") && after.contains("\"/x\""),
            "{after}"
        );
        assert_eq!(put(&after, true).unwrap(), after);
    }

    #[test]
    fn an_older_entry_comes_back_where_the_file_has_changed() {
        let older = "[mcp_servers.iac-mcp]\ncommand = 'own'\n[mcp_servers.iac-mcp.env]\nA = '1'\n";
        let put = |text: &str| back(text, older, "mcp_servers", "iac-mcp").unwrap();
        let after = put("new = 1\r\n\r\n[mcp_servers.iac-mcp]\r\ncommand = \"/x\"\r\n\r\n[z] # z\r\ny=1\r\n")
            .unwrap();
        assert!(after.starts_with("new = 1\r\n") && after.contains("[z] # z\r\ny=1\r\n"), "{after}");
        let inline = put("mcp_servers = { iac-mcp = { command = '/x' } }\n").unwrap();
        for after in [after, inline] {
            let entry = after.parse::<DocumentMut>().unwrap()["mcp_servers"]["iac-mcp"].clone();
            assert_eq!(entry["command"].as_str(), Some("own"), "{after}");
            assert_eq!(entry["env"]["A"].as_str(), Some("1"), "{after}");
        }
        assert_eq!(put("x = 1\n"), None);
        assert_eq!(back(older, "x = 1\n", "mcp_servers", "iac-mcp").unwrap(), None);
    }

    #[test]
    fn what_cannot_be_changed_safely_is_left_alone() {
        for before in ["mcp_servers = 1", "x = ", "a = 1\na = 2\n"] {
            assert!(put(before, true).is_err(), "{before}");
        }
        assert!(put("a = 1\r\n[mcp_servers.iac-mcp]\ncommand = 'old'\n", true).is_err());
    }
}
