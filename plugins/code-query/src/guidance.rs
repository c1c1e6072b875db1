//! The description of the tool for a model. The long form is `docs/code-query.md`.

use iac_plugin::{Json, json};

use crate::request::LONGEST;

pub(crate) const DESCRIPTION: &str = "Answers questions about source code from real language servers, better than text \
    search: it knows declarations from mentions, and reads no file you do not need. One query, or up to 50 in \
    {\"queries\":[..]}.\n\
    types: findSymbols {query,path?,kind?}; outline {path,symbol?,kind?,depth?}; diagnostics {path?,severity?}; \
    references, definition, implementations, typeInfo, callers, callees {symbol,path?} or {path,line,character?}; \
    completions {path,prefix,context?} or {path,line,character}; rename {symbol,newName} and actions \
    {path,line,only?,title?} (quick fixes, refactorings): the edits, none applied; status; restart.\n\
    Patterns: * ? [a-z] [!x] {a,b}, and . for hierarchy: \"{get,set}*\", \"[A-Z]*Service\", \"Animation.get*\", \
    \"Shapes.**.area\"; a leading . means top level. kind: class, method, .. or a group: type, callable, value, container.\n\
    Answers {\"results\":[{\"result\":[{path, ..}],\"total\",\"complete\",\"reasons\"?,\"note\"?} or {\"error\",\"code\",\"hint\"?}]}, \
    grouped by file: symbols as \"3:5-9:2 method A.b | signature\", uses under the function that holds them as \
    \"6:3 line\"; body:true adds the code. \
    complete:false says why (loading, deadline, truncated, ..): an empty list is proof only with complete:true. Lines and \
    characters count from 1; 3:5-9:2 begins at the name, so 3 and 5 can be sent back. Ask by symbol name \
    first: no position is needed. limit, offset page; countOnly counts; exclude takes path globs.";

pub(crate) fn schema() -> Json {
    let text = |description: &str| json!({"type": "string", "description": description});
    let number = |least: u32, most: u32, description: &str| json!({"type": "integer", "minimum": least, "maximum": most, "description": description});
    let flag = |description: &str| json!({"type": "boolean", "description": description});
    json!({
        "type": "object",
        "properties": {
            "type": {"type": "string", "enum": TYPES, "description": "what is asked"},
            "queries": {"type": "array", "maxItems": 50, "items": {"type": "object"}, "description": "several queries in place of one, each with the fields below"},
            "args": {"description": "the same as queries, or one query", "type": ["object", "array"]},
            "format": {"type": "string", "enum": ["plain", "rows", "envelope"], "description": "rows: an object for each; envelope: {success,data}"},
            "query": text("findSymbols: pattern"),
            "symbol": text("name or pattern; outline: which symbols"),
            "path": text("file, or folder for findSymbols and diagnostics; relative to the root, or absolute"),
            "line": number(1, u32::MAX, "from 1"),
            "character": number(1, u32::MAX, "from 1, in characters"),
            "kind": {"type": ["string", "array"], "items": {"type": "string"}, "description": "\"class,interface\", a list, or a group"},
            "depth": number(1, 1_000, "outline: levels from each match; 1 is without children"),
            "includeLocals": flag("also locals, parameters and imports"),
            "severity": {"type": ["string", "array"], "items": {"type": "string"}, "description": "error, warning, info, hint"},
            "source": text("diagnostics: who says it"),
            "includeDeclaration": flag("references: also the declaration"),
            "contextLines": number(0, 50, "lines around each use or body"),
            "body": flag("findSymbols, definition, implementations, callers, callees: with the code itself"),
            "prefix": text("completions: text before the cursor"),
            "context": text("completions: line that ends in the prefix"),
            "newName": text("rename: the new name"),
            "endLine": number(1, u32::MAX, "actions: last line of the code"),
            "endCharacter": number(1, u32::MAX, "actions: character after its end"),
            "only": text("actions: quickfix, refactor, source.organizeImports, .."),
            "title": text("actions: a part of the title"),
            "language": text("restart: which server"),
            "limit": number(1, 1_000, "100"),
            "offset": number(0, u32::MAX, "0"),
            "exclude": {"type": ["string", "array"], "items": {"type": "string"}, "description": "path globs that no result may match; not for a query about one place"},
            "countOnly": flag("only the total"),
            "timeoutMs": number(1, LONGEST, "for the whole call, 25000"),
            "waitMs": number(0, LONGEST, "how much of it a server may load, 15000"),
            "allowPartial": flag("false: an error rather than an answer of a server that still loads"),
        },
        "additionalProperties": false
    })
}

const TYPES: [&str; 14] = [
    "findSymbols", "outline", "diagnostics", "references", "definition", "implementations", "typeInfo",
    "completions", "callers", "callees", "rename", "actions", "status", "restart",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn description_and_schema_are_short_enough() {
        assert!(DESCRIPTION.chars().count() <= 2_000, "{}", DESCRIPTION.chars().count());
        assert!(schema().to_string().len() <= 16 * 1024);
    }
}
