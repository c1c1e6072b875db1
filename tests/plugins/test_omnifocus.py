"""The omnifocus plugin through the server: built, installed, and tested with the calls of the scenarios."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from installed import BIN, ROOT, install

SCENARIOS = ROOT / "tests/omnifocus/scenarios"
# Calls that depend on the present time: on the day, or on which tasks are available at a time of day.
DATED = re.compile(r"Date|added|mode|available|blocked|dateRange|velocity|overdue|review|productivity|deadline|notes|suggest")


def scenarios(path):
    """The cases of a file: a title, a call, and the answer as lines of a path and a value."""
    for block in path.read_text(encoding="utf-8").split("=== ")[1:]:
        says, call, *lines = block.rstrip().split("\n")
        tool, arguments = call.removeprefix("writes ").split(" ", 1)
        expected = {}
        for line in (line for line in lines if line.startswith(("metadata", "error"))):
            where, value = line.split(" ", 1)
            place, value = where.removeprefix("metadata."), json.loads(value)
            if where == "metadata":
                expected |= value
            elif found := re.fullmatch(r"(\w+)\[\d+\]", place):
                expected.setdefault(found[1], []).append(value)
            else:
                expected[place] = value
        yield {"says": says, "tool": tool, "arguments": json.loads(arguments), "answer": expected}


class Server:
    """A server; the test talks to it line by line."""

    def __init__(self, environment, world):
        command = [BIN, "serve", "--world", str(world)]
        self.process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.number = 0
        client = {"name": "test", "version": "0"}
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == self.number and "method" not in message:
                return message["result"]
        raise AssertionError("the server has ended")

    def call(self, tool, arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})["structuredContent"]

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)
        self.process.stdout.close()


class OmniFocus(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="iac-mcp-omnifocus-")
        cls.addClassCleanup(folder.cleanup)
        folder = Path(folder.name)
        state, cache = folder / "state", folder / "cache"
        cls.added = install(state, cache)
        environment = os.environ | {"IAC_MCP_STATE": str(state), "IAC_MCP_CACHE": str(cache)}
        world = folder / "world"
        world.mkdir()
        (world / "world.json").write_text(json.dumps({"base": str(ROOT / "fixtures/mac")}))
        cls.environment, cls.folder = environment, folder
        cls.server = Server(environment, world)
        cls.addClassCleanup(cls.server.close)

    def test_whoever_installs_it_sees_its_scripts(self):
        self.assertIn("script read, safe", self.added)
        self.assertNotIn("files", self.added.split())

    def test_tools_fit_into_their_budget(self):
        tools = [tool for tool in self.server.ask("tools/list", {})["tools"] if tool["name"].startswith("omnifocus_")]
        self.assertEqual(len(tools), 4)
        size = sum(len(json.dumps(tool["inputSchema"])) + len(tool["description"]) for tool in tools)
        self.assertLess(size, 12_500)

    def test_scenarios_have_the_same_answers_through_the_server(self):
        checked = 0
        for path in sorted(SCENARIOS.glob("*.txt")):
            for scenario in scenarios(path):
                if path.name == "11-reviews.txt":
                    continue  # each batch changes the world for the next one, and causes a question
                with self.subTest(path.name, says=scenario["says"]):
                    answer = self.server.call(scenario["tool"], scenario["arguments"])
                    self.compare(scenario, answer)
                    checked += 1
        self.assertGreater(checked, 150)

    def test_the_version_before_is_found_and_lacks_what_came_later(self):
        base, world = self.folder / "mac", self.folder / "older"
        shutil.copytree(ROOT / "fixtures/mac", base)
        info = base / "Applications/OmniFocus.app/Contents/Info.plist"
        info.write_text(info.read_text().replace("com.omnigroup.OmniFocus4", "com.omnigroup.OmniFocus3").replace("4.8.11", "3.15.8"))
        for file in (base / "data").glob("com.omnigroup.OmniFocus4.*"):
            file.rename(file.with_stem("com.omnigroup.OmniFocus3"))
        world.mkdir()
        (world / "world.json").write_text(json.dumps({"base": str(base)}))
        server = Server(self.environment, world)
        try:
            about = server.call("omnifocus_system", {"operation": "version"})["data"]
            self.assertEqual((about["omnifocus"]["app"], about["omnifocus"]["version"]), ("com.omnigroup.OmniFocus3", "3.15.8"))
            self.assertFalse(any(about["features"][feature] for feature in ("plannedDates", "mutuallyExclusiveTags")))
            for mode in ("overdue", "forecast_past", "smart_suggest"):
                answer = server.call("omnifocus_read", {"query": {"type": "tasks", "mode": mode}})
                self.assertGreater(len(answer["data"]["tasks"]), 0, answer)
            planned = {"OR": [{"flagged": True}, {"plannedDate": {"before": "today"}}]}
            answer = server.call("omnifocus_read", {"query": {"type": "tasks", "filters": planned}})
            self.assertEqual(answer["message"], "this OmniFocus has no `plannedDate`", answer)
        finally:
            server.close()

    def compare(self, scenario, answer):
        expected = scenario["answer"]
        if "error" in expected:
            self.assertEqual(answer["error"], "invalid_parameter", answer)
            self.assertEqual(answer["message"], expected["error"])
            return
        self.assertIs(answer.get("success"), True, answer)
        # An answer that comes from the arguments alone, without the app, contains no untrusted text.
        self.assertEqual(answer.get("untrusted"), "unchecked" not in scenario["says"] or None, answer)
        if not DATED.search(json.dumps(scenario["arguments"])):
            found = answer.get("metadata", {})
            for key in ("total_count", "warnings"):
                self.assertEqual(found.get(key), expected.get(key), key)
            self.assertEqual(found.get("truncated", False), expected.get("truncated", False))


if __name__ == "__main__":
    unittest.main()
