"""Checks that every known client accepts the tool list; no SDK checks this.

Some clients drop a tool, or the whole list, in silence when one schema has a root union, a bare boolean or a reference.
"""

import json
import re
import unittest

from support import Home, Server

NAME = re.compile(r"^[a-z0-9_]{1,40}$")
MOST_BYTES = 10 * 1024
LONGEST_DESCRIPTION = 2048
UNIONS = ("anyOf", "oneOf", "allOf", "not", "if", "then", "else")
NOT_CARRIED = ("$ref", "$schema", "$id", "$defs", "definitions")
# The places where a schema contains schemas: by name, in a list, or a single one.
BY_NAME, IN_LIST, ONE = ("properties",), ("anyOf", "oneOf", "allOf", "prefixItems"), ("items", "not", "if", "then", "else")


def problems(tool):
    """Lists the parts of a tool that some client would refuse."""
    found = []
    if not NAME.match(tool["name"]):
        found.append(f"the name {tool['name']!r} is not 1 to 40 of a-z, 0-9 and _")
    if not 0 < len(tool.get("description", "").encode()) <= LONGEST_DESCRIPTION:
        found.append("the description is empty, or longer than clients keep")
    schemas = [tool.get("inputSchema")] + ([tool["outputSchema"]] if "outputSchema" in tool else [])
    for schema in schemas:
        found += problems_of_root(schema)
        found += problems_within(schema, "#")
    return found


def problems_of_root(schema):
    if not isinstance(schema, dict):
        return [f"the root is {schema!r}, not an object"]
    found = [] if schema.get("type") == "object" else ["the root's type is not object"]
    found += [] if isinstance(schema.get("properties"), dict) else ["the root has no properties"]
    return found + [f"the root has `{word}`" for word in UNIONS if word in schema]


def problems_within(schema, place):
    if not isinstance(schema, dict):
        return [f"{place} is {schema!r}, not a schema"]
    found = [f"{place} has `{word}`" for word in NOT_CARRIED if word in schema]
    found += [f"{place} has a list of types"] if isinstance(schema.get("type"), list) else []
    for word, child in schemas_within(schema):
        found += problems_within(child, f"{place}/{word}")
    unknown = [name for name in schema.get("required", []) if name not in schema.get("properties", {})]
    return found + [f"{place} requires {name}, which it does not have" for name in unknown]


def schemas_within(schema):
    for word in BY_NAME:
        yield from schema.get(word, {}).items()
    for word in IN_LIST:
        yield from ((f"{word}/{at}", child) for at, child in enumerate(schema.get(word, [])))
    yield from ((word, schema[word]) for word in ONE if word in schema)


class Schemas(unittest.TestCase):
    def test_built_in_tools(self):
        with Home() as home, Server(home) as server:
            server.send("tools/list", {})
            line = server.arrived.get(timeout=60)
            listed = json.loads(line)["result"]
        self.assertLessEqual(len(line), MOST_BYTES, "the list costs every conversation its tokens")
        self.assertGreater(len(listed["tools"]), 3)
        self.assertGreater(listed["ttlMs"], 0)
        for tool in listed["tools"]:
            with self.subTest(tool["name"]):
                self.assertEqual(problems(tool), [])
        names = [tool["name"] for tool in listed["tools"]]
        self.assertEqual(len(names), len(set(names)))

    def test_the_list_is_the_same_every_time(self):
        def listed():
            with Home() as home, Server(home) as server:
                return server.ask("tools/list")["result"]["tools"]

        self.assertEqual(listed(), listed())

    def test_the_lint_itself(self):
        """Each of these is known to have made a client drop a tool."""
        fine = {"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "array", "items": {}}]}}}
        cases = [
            ({}, 0),
            ({"name": "Query.Object"}, 1),
            ({"name": "q" * 41}, 1),
            ({"description": ""}, 1),
            ({"inputSchema": {**fine, "anyOf": [{"type": "object"}]}}, 1),
            ({"inputSchema": {"type": "array"}}, 2),
            ({"inputSchema": {**fine, "properties": {"a": True}}}, 1),
            ({"inputSchema": {**fine, "properties": {"a": {"$ref": "#/$defs/b"}}}}, 1),
            ({"inputSchema": {**fine, "properties": {"a": {"type": ["string", "null"]}}}}, 1),
            ({"inputSchema": {**fine, "required": ["b"]}}, 1),
            ({"outputSchema": {"type": "array", "items": {}}}, 2),
        ]
        for change, count in cases:
            tool = {"name": "query_object", "description": "Asks.", "inputSchema": fine, **change}
            self.assertEqual(len(problems(tool)), count, (change, problems(tool)))


if __name__ == "__main__":
    unittest.main()
