//! A server's entry in a JSON file, which may have comments. The entry is inserted as text, so nothing else in the
//! file changes.

use iac_core::foreign::place;
use jsonc_parser::ast::{Object, ObjectProp, ObjectPropName, Value};
use jsonc_parser::common::{Range, Ranged as _};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value as Json};

use super::{Edit, NOT_AGAIN, marked};

/// Parser options. VS Code and Zed read JSON with comments and trailing commas. A client that does not would reject
/// such a file; then this program does too, and leaves it to the owner to remove them.
const fn form(comments: bool) -> ParseOptions {
    ParseOptions {
        allow_comments: comments,
        allow_trailing_commas: comments,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// Where a client's file has its servers: below these keys, in a file with or without comments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub(super) keys: &'a [&'a str],
    pub(super) comments: bool,
}

/// Inserts `entry` as `name` into the object at a place.
///
/// # Errors
/// The file is not a JSON object, a key occurs twice in it, or the server exists and may not be replaced.
pub(super) fn with(
    text: &str,
    place: Place<'_>,
    name: &str,
    entry: &Json,
    force: bool,
) -> Result<String, String> {
    let (mark, body) = marked(text);
    let style = Style::of(body);
    if body.trim().is_empty() {
        let whole = style.write(&nested(place.keys, name, entry), "");
        let end = if body.is_empty() { "\n" } else { body };
        return Ok(format!("{mark}{whole}{end}"));
    }
    // A file that holds nothing but comments gets the object behind them.
    if place.comments && parsed(body, true)?.is_none() {
        let whole = style.write(&nested(place.keys, name, entry), "");
        let feed = if body.ends_with('\n') { "" } else { style.line };
        return Ok(format!("{mark}{body}{feed}{whole}{}", style.line));
    }
    let edit = edit(body, &style, place, (name, entry), force)?;
    Ok(format!("{mark}{}", edit.apply(body)))
}

/// Removes a server.
///
/// # Errors
/// As for [`with`].
pub(super) fn without(text: &str, place: Place<'_>, name: &str) -> Result<String, String> {
    let (mark, body) = marked(text);
    let root = root(body, place.comments)?;
    let Some(servers) = below(&root, place.keys)? else { return Ok(text.to_owned()) };
    let Some(at) = servers.properties.iter().position(|each| text_of(&each.name) == name) else {
        return Ok(text.to_owned());
    };
    let (start, end) = removed(body, servers, at);
    Ok(format!("{mark}{}", Edit { start, end, text: String::new() }.apply(body)))
}

/// Replaces the entry of a server by the one in an older text; `None` if either text has no such entry.
///
/// # Errors
/// As for [`with`].
pub(super) fn back(text: &str, older: &str, place: Place<'_>, name: &str) -> Result<Option<String>, String> {
    let (Some((start, end)), Some((from, to))) = (value(text, place, name)?, value(older, place, name)?)
    else {
        return Ok(None);
    };
    Ok(Some(Edit { start, end, text: older[from..to].to_owned() }.apply(text)))
}

/// Returns the range of a server's value in a text.
fn value(text: &str, place: Place<'_>, name: &str) -> Result<Option<(usize, usize)>, String> {
    let (mark, body) = marked(text);
    let root = root(body, place.comments)?;
    let there = below(&root, place.keys).ok().flatten().and_then(|servers| find(servers, name));
    Ok(there.map(|there| (mark.len() + there.value.start(), mark.len() + there.value.end())))
}

/// Returns the command line that starts a server, without words that are not texts; empty if there is none.
///
/// # Errors
/// The file is not JSON.
pub(super) fn command(text: &str, place: Place<'_>, name: &str) -> Result<Vec<String>, String> {
    let root = root(marked(text).1, place.comments)?;
    let Some(server) = below(&root, &[place.keys, &[name]].concat()).ok().flatten() else {
        return Ok(Vec::new());
    };
    let words = |value: &Value<'_>| -> Vec<String> {
        let words = match value {
            Value::Array(words) => words.elements.iter().collect(),
            word => vec![word],
        };
        let text = |word: &Value<'_>| Some(word.as_string_lit()?.value.clone().into_owned());
        words.into_iter().filter_map(text).collect()
    };
    let both = ["command", "args"].map(|key| find(server, key));
    Ok(both.into_iter().flatten().flat_map(|member| words(&member.value)).collect())
}

/// Returns the members of a server's entry with the text of each value.
///
/// # Errors
/// The file is not JSON.
pub(super) fn settings(text: &str, place: Place<'_>, name: &str) -> Result<Vec<(String, String)>, String> {
    let body = marked(text).1;
    let root = root(body, place.comments)?;
    let server = below(&root, &[place.keys, &[name]].concat()).ok().flatten();
    let members = server.into_iter().flat_map(|server| &server.properties);
    let text = |value: &Value<'_>| value.text(body).to_owned();
    Ok(members.map(|member| (text_of(&member.name).to_owned(), text(&member.value))).collect())
}

/// Returns the range of a member with its comma, and with its whole lines if nothing else is on them.
fn removed(body: &str, object: &Object<'_>, at: usize) -> (usize, usize) {
    let range = object.properties[at].range;
    let rest = &body[range.end..];
    let blank = rest.len() - rest.trim_start().len();
    if rest.trim_start().starts_with(',') {
        let line = body[..range.start].rfind('\n').map_or(0, |feed| feed + 1);
        let is_first = body[line..range.start].trim().is_empty();
        let end = range.end + blank + 1;
        let feed = body[end..].find('\n').filter(|feed| body[end..end + feed].trim().is_empty());
        return match (is_first, feed) {
            (true, Some(feed)) => (line, end + feed + 1),
            _ => (range.start, end + body[end..].len() - body[end..].trim_start_matches(' ').len()),
        };
    }
    let start = match at.checked_sub(1) {
        // The comma before the member no longer separates anything. A comment in between stays.
        Some(before) => {
            let end = object.properties[before].range.end;
            match body[end..range.start].trim() == "," {
                true => end,
                false => range.start,
            }
        }
        None => object.range.start + 1,
    };
    (start, range.end)
}

fn nested(keys: &[&str], name: &str, entry: &Json) -> Json {
    let wrap = |inner: Json, key: &str| Json::Object(Map::from_iter([(key.to_owned(), inner)]));
    keys.iter().rev().fold(wrap(entry.clone(), name), |inner, key| wrap(inner, key))
}

/// Whether there is an object below these keys.
pub(super) fn has(text: &str, keys: &[&str]) -> bool {
    root(marked(text).1, true).is_ok_and(|root| matches!(below(&root, keys), Ok(Some(_))))
}

/// Returns the value in a file; `None` if there is nothing but blanks and comments.
fn parsed(body: &str, comments: bool) -> Result<Option<Value<'_>>, String> {
    let parsed = parse_to_ast(body, &CollectOptions::default(), &form(comments));
    Ok(parsed.map_err(|error| format!("it is not JSON: {error}"))?.value)
}

/// Returns the root object of a file. A file without a value counts as an empty object.
fn root(body: &str, comments: bool) -> Result<Object<'_>, String> {
    let root = match parsed(body, comments)? {
        Some(Value::Object(root)) => root,
        None => return Ok(Object { range: Range::new(0, 0), properties: Vec::new() }),
        Some(_) => return Err("it is not a JSON object; expected `{ … }`".to_owned()),
    };
    unique(body, &Value::Object(root.clone()))?;
    Ok(root)
}

/// Returns the object below these keys.
fn below<'a, 'b>(mut object: &'b Object<'a>, keys: &[&str]) -> Result<Option<&'b Object<'a>>, String> {
    for key in keys {
        object = match find(object, key).map(|below| &below.value) {
            Some(Value::Object(below)) => below,
            Some(Value::NullKeyword(_)) => return Ok(None),
            Some(_) => return Err(format!("`{key}` in it is not an object")),
            None => return Ok(None),
        };
    }
    Ok(Some(object))
}

fn edit(
    body: &str,
    style: &Style,
    place: Place<'_>,
    (name, entry): (&str, &Json),
    force: bool,
) -> Result<Edit, String> {
    let root = root(body, place.comments)?;
    let mut servers = &root;
    for (depth, key) in place.keys.iter().enumerate() {
        match below(servers, &[key])? {
            Some(below) => servers = below,
            None => {
                let below = nested(&place.keys[depth..], name, entry)[*key].clone();
                if let Some(null) = find(servers, key) {
                    let text = style.write(&below, &indent_at(body, null.range.start));
                    let range = null.value.range();
                    return Ok(Edit { start: range.start, end: range.end, text });
                }
                return Ok(style.insert(body, servers, key, &below));
            }
        }
    }
    match find(servers, name) {
        None => Ok(style.insert(body, servers, name, entry)),
        Some(_) if !force => Err(format!("a server `{name}` {NOT_AGAIN}")),
        Some(there) => {
            let range = there.value.range();
            let old = &body[range.start..range.end];
            let same = serde_json::from_str::<Json>(old).is_ok_and(|old| old == *entry);
            let new = style.write(entry, &indent_at(body, there.range.start));
            Ok(Edit { start: range.start, end: range.end, text: if same { old.to_owned() } else { new } })
        }
    }
}

fn find<'a, 'b>(object: &'b Object<'a>, key: &str) -> Option<&'b ObjectProp<'a>> {
    object.properties.iter().find(|property| text_of(&property.name) == key)
}

fn text_of<'b>(name: &'b ObjectPropName<'_>) -> &'b str {
    match name {
        ObjectPropName::String(name) => &name.value,
        ObjectPropName::Word(name) => name.value,
    }
}

/// Checks that keys are unique. If two members have the same key, nobody can tell which one a client reads.
fn unique(body: &str, value: &Value<'_>) -> Result<(), String> {
    match value {
        Value::Object(object) => {
            let mut seen = std::collections::BTreeSet::new();
            for property in &object.properties {
                let key = text_of(&property.name);
                if !seen.insert(key) {
                    let (line, column) = place(body, property.range.start);
                    return Err(format!(
                        "line {line}, column {column}: the key {key:?} occurs twice in one object; remove one of them"
                    ));
                }
                unique(body, &property.value)?;
            }
            Ok(())
        }
        Value::Array(array) => array.elements.iter().try_for_each(|element| unique(body, element)),
        _ => Ok(()),
    }
}

/// The style of a file: its line break and its indentation.
struct Style {
    line: &'static str,
    unit: String,
}

impl Style {
    fn of(body: &str) -> Self {
        let line = if body.contains("\r\n") { "\r\n" } else { "\n" };
        let indents = body.lines().filter(|line| line.trim_start().starts_with('"'));
        let unit = indents.map(indent).find(|indent| !indent.is_empty()).unwrap_or("  ");
        Self { line, unit: unit.to_owned() }
    }

    /// Formats a value. Its first line has this indentation.
    fn write(&self, value: &Json, indent: &str) -> String {
        let mut bytes = Vec::new();
        let form = serde_json::ser::PrettyFormatter::with_indent(self.unit.as_bytes());
        let mut writer = serde_json::Serializer::with_formatter(&mut bytes, form);
        serde::Serialize::serialize(value, &mut writer).expect("JSON can be written");
        let text = String::from_utf8(bytes).expect("JSON is text");
        text.replace('\n', &format!("{}{indent}", self.line))
    }

    /// Inserts a member before all others. There it cannot separate a comment at the end of a line from what it is
    /// about.
    fn insert(&self, body: &str, object: &Object<'_>, key: &str, value: &Json) -> Edit {
        let inside = object.range.start + 1;
        let key = serde_json::to_string(key).expect("a text is JSON");
        let comma = if object.properties.is_empty() { "" } else { "," };
        let base = indent_at(body, object.range.start);
        let line_end = first_line_end(body, inside);
        let at = line_end.unwrap_or(inside);
        let text = match (line_end, object.properties.first()) {
            (None, Some(_)) => {
                let value = serde_json::to_string(value).expect("JSON can be written");
                match body[inside..].starts_with(char::is_whitespace) {
                    true => format!(" {key}: {value},"),
                    false => format!("{key}: {value}, "),
                }
            }
            (_, first) => {
                let own = first.map(|first| indent_at(body, first.range.start));
                let own = own.filter(|own| own.len() > base.len());
                let own = own.unwrap_or_else(|| format!("{base}{}", self.unit));
                let end = if line_end.is_none() { format!("{}{base}", self.line) } else { String::new() };
                format!("{}{own}{key}: {}{comma}{end}", self.line, self.write(value, &own))
            }
        };
        Edit { start: at, end: at, text }
    }
}

fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Returns the spaces at the start of the line that contains an offset.
fn indent_at(body: &str, at: usize) -> String {
    let begin = body[..at].rfind('\n').map_or(0, |end| end + 1);
    indent(&body[begin..]).to_owned()
}

/// Returns the end of the line in which an object begins, if only comments follow on that line.
fn first_line_end(body: &str, from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = &body[at..];
        if rest.starts_with("\r\n") || rest.starts_with('\n') {
            return Some(at);
        } else if rest.starts_with("//") {
            let end = rest.find('\n')?;
            return Some(at + end - usize::from(rest[..end].ends_with('\r')));
        } else if rest.starts_with("/*") {
            at += rest.find("*/")? + 2;
        } else if rest.starts_with([' ', '\t', '\r']) {
            at += 1;
        } else {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const KEY: &str = "mcpServers";

    fn put(text: &str, force: bool) -> Result<String, String> {
        with(text, PLACE, "iac-mcp", &json!({ "command": "/x", "args": ["serve"] }), force)
    }

    const PLACE: Place<'_> = Place { keys: &[KEY], comments: true };

    #[test]
    fn an_empty_place_is_filled() {
        let entry = "\"iac-mcp\": {\n      \"command\": \"/x\",\n      \"args\": [\n        \"serve\"\n      ]\n    }";
        let null = "{\n  \"a\": 1,\n  \"mcpServers\": null // none\n}";
        let filled = null.replace("null", &format!("{{\n    {entry}\n  }}"));
        assert_eq!(put(null, false).unwrap(), filled);
        assert_eq!(without(null, PLACE, "iac-mcp").unwrap(), null);
        let comment = "// mine";
        let after = put(comment, false).unwrap();
        assert!(after.starts_with("// mine\n{\n") && after.ends_with("}\n"), "{after}");
        assert!(put(&after, false).is_err_and(|wrong| wrong.contains("exists already")));
        let strict = Place { comments: false, ..PLACE };
        assert!(with(comment, strict, "iac-mcp", &json!({}), false).is_err());
    }

    #[test]
    fn the_entry_is_taken_out_and_all_else_stays() {
        for before in [
            "{\"mcpServers\":{\"b\":{}}}",
            "{\n  \"mcpServers\": { /* none */\n    \"b\": 1.0e2, // b\n  },\n}",
            "{\r\n\t\"mcpServers\": {\r\n\t\t\"b\": 1\r\n\t}\r\n}\r\n",
        ] {
            assert_eq!(without(&put(before, false).unwrap(), PLACE, "iac-mcp").unwrap(), before);
            assert_eq!(without(before, PLACE, "iac-mcp").unwrap(), before, "there is nothing to take out");
        }
        for (before, after) in [
            ("{\"mcpServers\": {\"iac-mcp\": 1}}", "{\"mcpServers\": {}}"),
            ("{\"mcpServers\": {\"b\": 1, \"iac-mcp\": 2}}", "{\"mcpServers\": {\"b\": 1}}"),
            ("{\"mcpServers\": {\n  \"b\": 1,\n  \"iac-mcp\": 2,\n}}", "{\"mcpServers\": {\n  \"b\": 1,\n}}"),
            ("", ""),
            ("{}", "{}"),
        ] {
            assert_eq!(without(before, PLACE, "iac-mcp").unwrap(), after);
        }
    }

    #[test]
    fn an_older_entry_comes_back_where_the_file_has_changed() {
        let older =
            "\u{feff}{ // mine\n\"mcpServers\": {\"iac-mcp\": {\"command\": \"own\", /* a */ \"env\": {}}}}";
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(back(text, older, PLACE, "iac-mcp").unwrap().as_deref(), expected, "{text}");
        };
        check(
            "{\"new\": 1, \"mcpServers\": {\"iac-mcp\": {\"command\": \"/x\"}, \"b\": 2}}",
            Some(
                "{\"new\": 1, \"mcpServers\": {\"iac-mcp\": {\"command\": \"own\", /* a */ \"env\": {}}, \"b\": 2}}",
            ),
        );
        for text in ["", "{}", "{\"mcpServers\": {\"b\": 2}}"] {
            check(text, None);
        }
        assert_eq!(back(older, "{}", PLACE, "iac-mcp").unwrap(), None);
        assert!(back("{", older, PLACE, "iac-mcp").is_err());
    }

    #[test]
    fn a_client_without_comments_gets_none_blessed() {
        let strict = Place { keys: &[KEY], comments: false };
        let entry = json!({ "command": "/x" });
        for before in ["{ // mine\n}", "{\"a\": 1,}"] {
            assert!(
                put(before, false).is_ok() && with(before, strict, "iac-mcp", &entry, false).is_err(),
                "{before}"
            );
        }
        let deep = Place { keys: &["mcp", "servers"], comments: true };
        let after = with("{\"mcp\": {\"a\": 1}}", deep, "x", &entry, false).unwrap();
        let parsed: Json = serde_json::from_str(&after).unwrap();
        assert_eq!(parsed, json!({ "mcp": { "a": 1, "servers": { "x": entry } } }));
    }

    fn check(before: &str, after: &str) {
        let got = put(before, false).unwrap();
        assert_eq!(got, after.replace("ENTRY", r#"{"command":"/x","args":["serve"]}"#));
        assert_eq!(put(&got, true).unwrap(), got, "a second run changes nothing");
        assert!(put(&got, false).unwrap_err().contains("--force"));
    }

    #[test]
    fn the_entry_is_put_first_and_all_else_stays() {
        check("{\"mcpServers\":{\"b\":{}}}", "{\"mcpServers\":{\"iac-mcp\": ENTRY, \"b\":{}}}");
        check("{ \"a\": 1 }", "{ \"mcpServers\": {\"iac-mcp\":ENTRY}, \"a\": 1 }");
        check(
            "\u{feff}{\r\n\t\"n\": 12345678901234567890123, // big\r\n}",
            "\u{feff}{\r\n\t\"mcpServers\": {\r\n\t\t\"iac-mcp\": {\r\n\t\t\t\"command\": \"/x\",\r\n\t\t\t\"args\": [\r\n\t\t\t\t\"serve\"\r\n\t\t\t]\r\n\t\t}\r\n\t},\r\n\t\"n\": 12345678901234567890123, // big\r\n}",
        );
        let entry = "    \"iac-mcp\": {\n      \"command\": \"/x\",\n      \"args\": [\n        \"serve\"\n      ]\n    }";
        check("", &format!("{{\n  \"mcpServers\": {{\n{entry}\n  }}\n}}\n"));
        check("{}", &format!("{{\n  \"mcpServers\": {{\n{entry}\n  }}\n}}"));
        check("{ // mine\n}\n", &format!("{{ // mine\n  \"mcpServers\": {{\n{entry}\n  }}\n}}\n"));
        check(
            "{\n  \"mcpServers\": { /* none */\n    \"b\": 1.0e2,\n  },\n}",
            &format!("{{\n  \"mcpServers\": {{ /* none */\n{entry},\n    \"b\": 1.0e2,\n  }},\n}}"),
        );
    }

    #[test]
    fn what_cannot_be_changed_safely_is_left_alone() {
        for (before, wrong) in [
            ("[1]", "not a"),
            ("{", "not JSON"),
            ("{'a': 1}", "not JSON"),
            ("{\"mcpServers\":[]}", "not a"),
            (
                "{\"mcpServers\":{},\n \"mcpServers\":{}}",
                "line 2, column 2: the key \"mcpServers\" occurs twice",
            ),
            ("{\"a\":{\"allow\":1,\"\\u0061llow\":2}}", "line 1, column 17: the key \"allow\" occurs twice"),
        ] {
            let said = put(before, true).unwrap_err();
            assert!(said.contains(wrong), "{before}: {said}");
        }
        assert!(put(&"[".repeat(100_000), true).is_err(), "no depth is too deep");
    }

    #[test]
    fn another_entry_is_replaced_where_it_stands() {
        let before = "{\n  \"mcpServers\": {\n    \"iac-mcp\": {\"command\": \"old\"}, // mine\n    \"b\": 1\n  }\n}\n";
        let after = put(before, true).unwrap();
        let (head, tail) = before.split_once("{\"command\": \"old\"}").unwrap();
        assert!(after.starts_with(head) && after.ends_with(tail), "{after}");
        assert_eq!(put(&after, true).unwrap(), after);
    }

    fn blanks() -> impl Strategy<Value = String> {
        let one = prop_oneof![
            Just(""),
            Just(" "),
            Just("\n"),
            Just("\r\n  "),
            Just("\t"),
            Just("/* c \" { */"),
            Just("// d }\n")
        ];
        prop::collection::vec(one, 0..3).prop_map(|all| all.concat())
    }

    /// Generates documents with comments, spaces, big numbers and trailing commas. The keys within each object are
    /// unique.
    fn document() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            "-?[1-9][0-9]{0,30}",
            "\"[a-z{}/*, é]{0,6}\"",
            Just("null".to_owned()),
            Just("1.50e+3".to_owned())
        ];
        let object = |inner: BoxedStrategy<String>, named: bool| {
            (prop::collection::vec((blanks(), blanks(), inner, blanks()), 0..4), blanks(), any::<bool>())
                .prop_map(move |(members, end, trailing)| {
                    let members: Vec<String> = members
                        .into_iter()
                        .enumerate()
                        .map(|(at, (before, between, value, after))| {
                            let key = if named && at == 1 && value.starts_with('{') {
                                KEY.to_owned()
                            } else {
                                format!("k{at}")
                            };
                            format!("{before}\"{key}\"{between}:{value}{after}")
                        })
                        .collect();
                    let comma = if trailing && !members.is_empty() { "," } else { "" };
                    format!("{{{}{comma}{end}}}", members.join(","))
                })
        };
        let value = leaf.boxed().prop_recursive(3, 12, 4, move |inner| {
            prop_oneof![object(inner.clone(), false), inner.prop_map(|value| format!("[{value}]"))].boxed()
        });
        (prop_oneof![Just(""), Just("\u{feff}")], blanks(), object(value.boxed(), true), blanks())
            .prop_map(|(mark, before, object, after)| format!("{mark}{before}{object}{after}"))
    }

    proptest! {
        #[test]
        fn all_else_stays_byte_for_byte(before in document()) {
            let after = put(&before, false).unwrap();
            let head = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
            let tail = before.bytes().rev().zip(after.bytes().rev()).take_while(|(a, b)| a == b).count();
            prop_assert!(head + tail >= before.len(), "{before}\n{after}");
            let parsed = parse_to_ast(after.trim_start_matches('\u{feff}'), &CollectOptions::default(), &form(true)).unwrap();
            let Some(Value::Object(root)) = parsed.value else { panic!("{after}") };
            let Value::Object(servers) = &find(&root, KEY).unwrap().value else { panic!("{after}") };
            prop_assert!(find(servers, "iac-mcp").is_some(), "{after}");
            prop_assert_eq!(put(&after, true).unwrap(), after.clone(), "a second run changes nothing");
            let back = without(&after, PLACE, "iac-mcp").unwrap();
            prop_assert!(put(&back, false).is_ok(), "{after}\n{back}");
        }

        #[test]
        fn any_text_is_answered(text: String) {
            drop(put(&text, true));
        }
    }
}
