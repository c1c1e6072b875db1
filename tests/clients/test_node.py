"""Clients that run on Node.js: both generations of the TypeScript SDK, and the MCP inspector with its strict
checks."""

import json
import os
import subprocess
import unittest
from pathlib import Path

from support import BIN, Home

NODE = os.environ.get("IAC_MCP_NODE")
PACKAGES = Path(os.environ.get("IAC_MCP_NODE_PACKAGES", "."))
INSPECTOR = PACKAGES / "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
LIST = Path(__file__).parent / "list.cjs"
INBOX = {"app": "Mail", "specifier": {"type": "property", "property": "inbox", "of": "application"}}


def run(home, *arguments):
    environment = {**home.environment, "NODE_PATH": str(PACKAGES)}
    command = [NODE, *map(str, arguments)]
    return subprocess.run(
        command, env=environment, cwd=home.path, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False
    )


@unittest.skipUnless(NODE, "skipped: no Node.js and packages could be brought in")
class Node(unittest.TestCase):
    def printed(self, done):
        self.assertEqual(done.returncode, 0, done.stderr.decode() + done.stdout.decode())
        return json.loads(done.stdout)

    def test_typescript_sdk(self):
        for generation in ("v1", "v2"):
            with self.subTest(generation), Home() as home:
                answer = self.printed(run(home, LIST, generation, BIN, *home.arguments()))
                self.assertIn("iac_mcp_query_object", answer["tools"])
                self.assertLessEqual({"Mail", "Finder", "Calendar"}, set(answer["apps"]))

    def test_inspector_lists(self):
        """Exit status 6 means a schema that some client cannot use."""
        for era in ("legacy", "modern"):
            with self.subTest(era), Home() as home:
                options = ["--protocol-era", era, "--method", "tools/list", "--strict", "--format", "json"]
                listed = self.printed(self.inspect(home, *options))["result"]
                self.assertIn("iac_mcp_query_object", [tool["name"] for tool in listed["tools"]])

    def test_inspector_calls(self):
        for era in ("legacy", "modern"):
            with self.subTest(era), Home() as home:
                options = ["--protocol-era", era, "--method", "tools/call", "--tool-name", "iac_mcp_query_object"]
                options += ["--tool-args-json", json.dumps(INBOX), "--format", "json"]
                answer = self.printed(self.inspect(home, *options))["result"]
                self.assertEqual(answer["structuredContent"]["reference"]["type"], "mailbox")

    def inspect(self, home, *options):
        return run(home, INSPECTOR, "--cli", *options, "--", BIN, *home.arguments())


if __name__ == "__main__":
    unittest.main()
