//! A server's entry in a YAML file: one line that is inserted as text, so nothing else in the file changes. A parser
//! tells where the line belongs, and checks that nothing else has changed.

use serde_json::{Value as Json, json};
use yaml_rust2::parser::{Event, MarkedEventReceiver, Parser};
use yaml_rust2::scanner::Marker;
use yaml_rust2::{Yaml, YamlLoader};

use super::{Edit, NOT_AGAIN};

/// How a client stores its servers: as a mapping by name, or as a list of items with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Map,
    List,
}

/// Inserts `entry` as `name` below a key of the document.
///
/// # Errors
/// The file is not YAML, contains several documents, or has a form that this program does not change; or the server
/// exists and may not be replaced.
pub(super) fn with(
    text: &str,
    (key, kind): (&str, Kind),
    name: &str,
    entry: &Json,
    force: bool,
) -> Result<String, String> {
    let before = parse(text)?;
    let there = find(&before[key], kind, name);
    let base = match there {
        None => text.to_owned(),
        Some(_) if !force => return Err(format!("a server `{name}` {NOT_AGAIN}")),
        Some(there) if *there == yaml(entry, name) => return Ok(text.to_owned()),
        Some(_) => without(text, (key, kind), name)?,
    };
    let after = added(&base, key, kind, name, entry)?;
    // The new text is not valid YAML if the existing part has an unusual form.
    let (old, new) = (parse(&base)?, parse(&after).unwrap_or(Yaml::Null));
    let is_there = find(&new[key], kind, name).is_some_and(|there| *there == yaml(entry, name));
    match is_there && same_but(&old, &new, key, kind, name) {
        true => Ok(after),
        false => Err(format!("`{key}` in it has a form that this program does not change")),
    }
}

/// Returns the program that starts a server.
///
/// # Errors
/// The file is not YAML.
pub(super) fn command(text: &str, (key, kind): (&str, Kind), name: &str) -> Result<Vec<String>, String> {
    let document = parse(text)?;
    let Some(server) = find(&document[key], kind, name) else { return Ok(Vec::new()) };
    let program = server["cmd"].as_str().or(server["command"].as_str());
    let words = server["args"].as_vec().into_iter().flatten();
    Ok(program.into_iter().chain(words.filter_map(Yaml::as_str)).map(str::to_owned).collect())
}

/// Returns the keys of a server's entry with the form of each value.
///
/// # Errors
/// The file is not YAML.
pub(super) fn settings(
    text: &str,
    (key, kind): (&str, Kind),
    name: &str,
) -> Result<Vec<(String, String)>, String> {
    let document = parse(text)?;
    let server = find(&document[key], kind, name).and_then(Yaml::as_hash);
    let fields = server.into_iter().flat_map(|server| server.iter());
    let named = |(key, value): (&Yaml, &Yaml)| Some((key.as_str()?.to_owned(), format!("{value:?}")));
    Ok(fields.filter_map(named).collect())
}

/// Removes a server.
///
/// # Errors
/// The server is not on separate lines, or the file is not YAML.
pub(super) fn without(text: &str, (key, kind): (&str, Kind), name: &str) -> Result<String, String> {
    let before = parse(text)?;
    if find(&before[key], kind, name).is_none() {
        return Ok(text.to_owned());
    }
    let refused = || unusual(name);
    let (start, end) = lines(text, key, name).ok_or_else(refused)?;
    let after = Edit { start, end, text: String::new() }.apply(text);
    let new = parse(&after)?;
    let is_gone = find(&new[key], kind, name).is_none();
    match is_gone && same_but(&new, &before, key, kind, name) {
        true => Ok(after),
        false => Err(refused()),
    }
}

/// Replaces the entry of a server by the one in an older text; `None` if either text has no such entry.
///
/// # Errors
/// As for [`without`].
pub(super) fn back(
    text: &str,
    older: &str,
    (key, kind): (&str, Kind),
    name: &str,
) -> Result<Option<String>, String> {
    let (now, then) = (parse(text)?, parse(older)?);
    let (Some(_), Some(wanted)) = (find(&now[key], kind, name), find(&then[key], kind, name)) else {
        return Ok(None);
    };
    let refused = || unusual(name);
    let (start, end) = lines(text, key, name).ok_or_else(refused)?;
    let (from, to) = lines(older, key, name).ok_or_else(refused)?;
    let indent = |text: &str| text.len() - text.trim_start_matches(' ').len();
    let (deep, own) = (indent(&text[start..]), indent(&older[from..]));
    let moved =
        |line: &str| format!("{}{}", " ".repeat(deep), line.get(own.min(indent(line))..).unwrap_or_default());
    let mut entry: String = older[from..to].split_inclusive('\n').map(moved).collect();
    if !entry.ends_with('\n') && end < text.len() {
        entry.push('\n');
    }
    let after = Edit { start, end, text: entry }.apply(text);
    let new = parse(&after)?;
    let is_back = find(&new[key], kind, name) == Some(wanted);
    let rest = without(text, (key, kind), name)?;
    match is_back && same_but(&parse(&rest)?, &new, key, kind, name) {
        true => Ok(Some(after)),
        false => Err(refused()),
    }
}

fn unusual(name: &str) -> String {
    format!("the entry `{name}` does not stand on lines of its own")
}

/// Returns the range of a server's lines.
fn lines(text: &str, key: &str, name: &str) -> Option<(usize, usize)> {
    let members = members(text, key)?;
    let at = members.iter().position(|member| member.name == name)?;
    let end = match members.get(at + 1) {
        Some(next) => line_start(text, next.at),
        None => block_end(text, members[at].at),
    };
    Some((line_start(text, members[at].at), end))
}

fn added(text: &str, key: &str, kind: Kind, name: &str, entry: &Json) -> Result<String, String> {
    let line = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let own = match kind {
        Kind::Map => format!("{name}: {}", flow(&fields(entry, name))),
        Kind::List => format!("- {}", flow(&fields(entry, name))),
    };
    if let Some(first) = members(text, key).and_then(|members| members.into_iter().next()) {
        let at = line_start(text, first.at);
        let indent = &text[at..first.at];
        if !indent.chars().all(|c| c == ' ') {
            return Err(format!("`{key}` in it is in flow style (`{{…}}`); write one server per line"));
        }
        return Ok(Edit { start: at, end: at, text: format!("{indent}{own}{line}") }.apply(text));
    }
    match key_end(text, key) {
        // The key has no value, so the entry goes on the line below it. An empty `{}` or `[]` makes room for it.
        Some(end) => {
            if let Some((start, end)) = empty(text, end) {
                let text = Edit { start, end, text: String::new() }.apply(text);
                return added(&text, key, kind, name, entry);
            }
            let at = text[end..].find('\n').map_or(text.len(), |feed| end + feed + 1);
            let feed = if text[..at].ends_with('\n') { "" } else { line };
            Ok(Edit { start: at, end: at, text: format!("{feed}  {own}{line}") }.apply(text))
        }
        None => {
            let feed = if text.is_empty() || text.ends_with('\n') { "" } else { line };
            Ok(format!("{text}{feed}{key}:{line}  {own}{line}"))
        }
    }
}

/// Returns the range of an empty `{}` or `[]` that is the value of a key.
fn empty(text: &str, key_end: usize) -> Option<(usize, usize)> {
    let colon = key_end + text[key_end..].find(':')? + 1;
    let value = text[colon..].trim_start_matches([' ', '\t']);
    let close = if value.starts_with('{') { '}' } else { ']' };
    let inside = value.strip_prefix(['{', '['])?;
    let rest = inside.trim_start().strip_prefix(close)?;
    Some((colon, text.len() - rest.len()))
}

/// The most aliases in a file. Each may refer to others, so with more of them the expansion could exhaust the memory.
const MOST_ALIASES: usize = 20;

/// Parses the only document. A file without one counts as an empty document.
fn parse(text: &str) -> Result<Yaml, String> {
    let aliases = text.split(|c: char| c.is_whitespace() || "[]{},".contains(c));
    if aliases.filter(|word| word.starts_with('*') && word.len() > 1).count() > MOST_ALIASES {
        return Err(format!(
            "it has more than {MOST_ALIASES} aliases (`*name`), which this program does not follow"
        ));
    }
    let mut documents =
        YamlLoader::load_from_str(text).map_err(|error| format!("it is not YAML: {error}"))?;
    match documents.len() {
        0 => Ok(Yaml::Hash(Default::default())),
        1 => match documents.remove(0) {
            Yaml::Null => Ok(Yaml::Hash(Default::default())),
            root @ Yaml::Hash(_) => Ok(root),
            _ => Err("it is not a mapping; expected `key: value`".to_owned()),
        },
        _ => Err("it holds several documents; expected one".to_owned()),
    }
}

fn find<'a>(servers: &'a Yaml, kind: Kind, name: &str) -> Option<&'a Yaml> {
    match (servers, kind) {
        (Yaml::Hash(servers), Kind::Map) => servers.get(&Yaml::String(name.to_owned())),
        (Yaml::Array(servers), Kind::List) => servers.iter().find(|each| each["name"].as_str() == Some(name)),
        _ => None,
    }
}

/// Whether two documents differ only in one server, which only the second one has.
fn same_but(old: &Yaml, new: &Yaml, key: &str, kind: Kind, name: &str) -> bool {
    let (Yaml::Hash(mut old), Yaml::Hash(mut new)) = (old.clone(), new.clone()) else { return false };
    let key = Yaml::String(key.to_owned());
    let (before, after) = (old.remove(&key), new.remove(&key));
    let rest = match (after, kind) {
        (Some(Yaml::Hash(mut servers)), Kind::Map) => {
            servers.remove(&Yaml::String(name.to_owned()));
            servers.into_iter().map(|(name, server)| Yaml::Array(vec![name, server])).collect()
        }
        (Some(Yaml::Array(mut servers)), Kind::List) => {
            servers.retain(|each| each["name"].as_str() != Some(name));
            servers
        }
        (None | Some(Yaml::Null), _) => Vec::new(),
        _ => return false,
    };
    let before = match before {
        Some(Yaml::Hash(servers)) => {
            servers.into_iter().map(|(name, server)| Yaml::Array(vec![name, server])).collect()
        }
        Some(Yaml::Array(servers)) => servers,
        None | Some(Yaml::Null) => Vec::new(),
        Some(_) => return false,
    };
    before == rest && old == new
}

/// Converts an entry to the fields that this client uses.
pub(super) fn fields(entry: &Json, name: &str) -> Json {
    let mut fields = json!({ "name": name });
    if let (Some(fields), Some(entry)) = (fields.as_object_mut(), entry.as_object()) {
        fields.extend(entry.clone());
    }
    fields
}

fn yaml(entry: &Json, name: &str) -> Yaml {
    fn of(json: &Json) -> Yaml {
        match json {
            Json::Null => Yaml::Null,
            Json::Bool(value) => Yaml::Boolean(*value),
            Json::Number(value) => {
                value.as_i64().map_or_else(|| Yaml::Real(value.to_string()), Yaml::Integer)
            }
            Json::String(text) => Yaml::String(text.clone()),
            Json::Array(items) => Yaml::Array(items.iter().map(of).collect()),
            Json::Object(fields) => {
                Yaml::Hash(fields.iter().map(|(key, value)| (Yaml::String(key.clone()), of(value))).collect())
            }
        }
    }
    of(&fields(entry, name))
}

/// Formats a value as JSON, which is also YAML and stays on one line. Older parsers need a space after a colon.
fn flow(value: &Json) -> String {
    match value {
        Json::Object(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(key, value)| format!("{key}: {}", flow(value))).collect();
            format!("{{{}}}", fields.join(", "))
        }
        Json::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        value => value.to_string(),
    }
}

/// A member of the mapping or list below a key: its position and its name.
struct Member {
    at: usize,
    name: String,
}

/// Returns the members of the block below a root key; `None` if there is no such block.
fn members(text: &str, key: &str) -> Option<Vec<Member>> {
    let (_, block) = root_member(text, key)?;
    let members: Vec<Member> = match block.value {
        Value::Map(members) => members
            .into_iter()
            .map(|(name, _)| Member { at: byte(text, name.at), name: name.text() })
            .collect(),
        Value::List(items) => items.into_iter().map(|item| listed(text, item)).collect(),
        Value::Text(_) | Value::Alias => return None,
    };
    (!members.is_empty()).then_some(members)
}

fn listed(text: &str, item: Node) -> Member {
    let at = byte(text, item.at);
    let name = match item.value {
        Value::Map(fields) => fields.into_iter().find(|(field, _)| field.is("name")),
        _ => None,
    };
    // The parser gives the position after the dash of an item.
    Member {
        at: text[..at].rfind('-').unwrap_or(at),
        name: name.map(|(_, name)| name.text()).unwrap_or_default(),
    }
}

/// Returns the end of a root key that has no value.
fn key_end(text: &str, key: &str) -> Option<usize> {
    root_member(text, key).map(|(name, _)| byte(text, name.at) + key.len())
}

/// Returns a root key with its value.
fn root_member(text: &str, key: &str) -> Option<(Node, Node)> {
    let mut events = Events::default();
    Parser::new_from_str(text).load(&mut events, false).ok()?;
    match node(&mut events.0.into_iter())?.value {
        Value::Map(members) => members.into_iter().find(|(name, _)| name.is(key)),
        _ => None,
    }
}

/// The parser's events of a document, with their positions.
#[derive(Default)]
struct Events(Vec<(Event, usize)>);

impl MarkedEventReceiver for Events {
    fn on_event(&mut self, event: Event, mark: Marker) {
        use Event::{DocumentEnd, DocumentStart, Nothing, StreamEnd, StreamStart};
        if !matches!(event, Nothing | StreamStart | StreamEnd | DocumentStart | DocumentEnd) {
            self.0.push((event, mark.index()));
        }
    }
}

/// A value with its position, which the parser counts in characters.
struct Node {
    at: usize,
    value: Value,
}

enum Value {
    Text(String),
    Map(Vec<(Node, Node)>),
    List(Vec<Node>),
    Alias,
}

impl Node {
    fn is(&self, expected: &str) -> bool {
        matches!(&self.value, Value::Text(text) if text == expected)
    }

    fn text(self) -> String {
        if let Value::Text(text) = self.value { text } else { String::new() }
    }
}

/// Returns the value that begins with the next event; `None` at the end of a mapping or list.
fn node(events: &mut impl Iterator<Item = (Event, usize)>) -> Option<Node> {
    let (event, at) = events.next()?;
    let value = match event {
        Event::Scalar(text, ..) => Value::Text(text),
        Event::MappingStart(..) => {
            Value::Map(std::iter::from_fn(|| Some((node(&mut *events)?, node(&mut *events)?))).collect())
        }
        Event::SequenceStart(..) => Value::List(std::iter::from_fn(|| node(&mut *events)).collect()),
        Event::Alias(_) => Value::Alias,
        _ => return None,
    };
    Some(Node { at, value })
}

/// Converts a position in characters to a byte offset.
fn byte(text: &str, characters: usize) -> usize {
    text.char_indices().nth(characters).map_or(text.len(), |(at, _)| at)
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// Returns the end of a block: the start of the next line that is not indented deeper than the block's first line.
fn block_end(text: &str, at: usize) -> usize {
    let column = at - line_start(text, at);
    let mut end = text[at..].find('\n').map_or(text.len(), |feed| at + feed + 1);
    while let Some(line) = text[end..].split_inclusive('\n').next() {
        let indent = line.len() - line.trim_start_matches(' ').len();
        if line.trim().is_empty() || indent <= column {
            break;
        }
        end += line.len();
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOSE: (&str, Kind) = ("extensions", Kind::Map);
    const CONTINUE: (&str, Kind) = ("mcpServers", Kind::List);

    fn entry() -> Json {
        json!({ "type": "stdio", "cmd": "/opt/iac mcp/iac-mcp", "args": ["serve", "--tools=mail: all # \"x\""], "enabled": true })
    }

    #[test]
    fn the_entry_is_added_taken_out_and_all_else_stays() {
        let check = |place: (&str, Kind), before: &str| {
            let after = with(before, place, "iac-mcp", &entry(), false)
                .unwrap_or_else(|why| panic!("{before}: {why}"));
            assert!(find(&parse(&after).unwrap()[place.0], place.1, "iac-mcp").is_some(), "{after}");
            let head = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
            let tail = before.bytes().rev().zip(after.bytes().rev()).take_while(|(a, b)| a == b).count();
            assert!(head + tail >= before.len(), "{before}\n{after}");
            assert_eq!(
                with(&after, place, "iac-mcp", &entry(), true).unwrap(),
                after,
                "a second run changes nothing"
            );
            assert!(with(&after, place, "iac-mcp", &entry(), false).unwrap_err().contains("--force"));
            assert_eq!(without(before, place, "iac-mcp").unwrap(), before, "there is nothing to take out");
            without(&after, place, "iac-mcp").unwrap()
        };
        for before in [
            "extensions:\n  developer:\n    enabled: true\n    type: builtin\n",
            "# mine\nGOOSE_MODEL: x\nextensions: # servers\n    # first\n    a: {cmd: b} # c\n    d:\n        e: |\n            text\n\n    f: 1\nz: 1\n",
            "---\nextensions:\r\n  a: &anchor\r\n    b: 'c'\r\n  d: *anchor\r\n...\n",
            "extensions:\n  é: 😀\n  b: 1",
            "name: \"extensions\"\nextensions:\n  x: 1\n",
        ] {
            assert_eq!(check(GOOSE, before), before);
        }
        for before in [
            "mcpServers:\n  - name: a\n    command: b\n  - {name: c, command: d} # e\nmodels: []\n",
            "name: n\nversion: 1\nmcpServers:\n- name: a\n  command: b\n",
            "mcpServers:\n  -   name: a\n",
        ] {
            assert_eq!(check(CONTINUE, before), before);
        }
        for before in
            ["", "# nothing\n", "GOOSE_MODEL: x\n", "extensions:\n", "extensions: # none\nx: 1\n", "x: 1"]
        {
            check(GOOSE, before);
        }
        // The empty braces and brackets make room for the entry.
        for (place, before) in
            [(GOOSE, "extensions: {  } # none\nx: 1\n"), (CONTINUE, "name: x\nmcpServers: []\nz: 1\n")]
        {
            let after = with(before, place, "iac-mcp", &entry(), false).unwrap();
            assert!(find(&parse(&after).unwrap()[place.0], place.1, "iac-mcp").is_some(), "{after}");
        }
    }

    #[test]
    fn another_entry_is_replaced_and_all_else_stays() {
        let before = "extensions:\n  a: 1\n  iac-mcp:\n    cmd: old\n    args: [x]\n  b: 2\nz: 1\n";
        let after = with(before, GOOSE, "iac-mcp", &entry(), true).unwrap();
        assert!(
            after.starts_with("extensions:\n  iac-mcp: {") && after.ends_with("  a: 1\n  b: 2\nz: 1\n"),
            "{after}"
        );
        let list = "mcpServers:\n  - name: x\n  - command: old\n    name: iac-mcp\n# end\n";
        let after = with(list, CONTINUE, "iac-mcp", &entry(), true).unwrap();
        assert!(!after.contains("old") && after.ends_with("  - name: x\n# end\n"), "{after}");
        let list = "mcpServers:\n  - text\n  - name: iac-mcp\n    command: old\n";
        let after = with(list, CONTINUE, "iac-mcp", &entry(), true).unwrap();
        assert!(!after.contains("old") && after.ends_with("  - text\n"), "{after}");
    }

    #[test]
    fn what_cannot_be_changed_safely_is_left_alone() {
        for before in [
            "a: [",
            "- a\n",
            "a: 1\n---\nb: 2\n",
            "extensions: {a: {b: c}}\n",
            "extensions: text\n",
            "a: 1\na: 2\n",
        ] {
            assert!(with(before, GOOSE, "iac-mcp", &entry(), true).is_err(), "{before}");
        }
    }
}
