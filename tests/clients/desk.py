"""A client with a human behind it, on a simulated Mac that keeps its changes: shared code of the permission tests."""

import subprocess
import unittest

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import ElicitResult

from support import BIN, MODERN, Home

MODES = ("legacy", MODERN)


class Human:
    """Answers questions in order; the last answer also counts for all later questions."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    async def __call__(self, _context, params):
        self.asked.append(params)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, ElicitResult):
            return answer
        return ElicitResult(action="accept", content={"decision": answer})


class Desk(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.home = self.enterContext(Home())
        self.mac = self.home.path / "mac"
        self.run_cli("sim", "new", str(self.mac))

    def options(self):
        return ["--world", str(self.mac), "--state", str(self.home.state), "--cache", str(self.home.cache)]

    def run_cli(self, *arguments, status=0):
        ended = subprocess.run(
            [BIN, *arguments], env=self.home.environment, cwd=self.home.path, capture_output=True, text=True, timeout=60
        )
        self.assertEqual(ended.returncode, status, ended.stdout + ended.stderr)
        return ended.stdout

    def cli(self, *arguments, status=0):
        return self.run_cli(*arguments, *self.options(), status=status)

    def client(self, mode, human=None, **more):
        server = StdioServerParameters(
            command=BIN, args=["serve", *self.options()], env=self.home.environment, cwd=self.home.path
        )
        asks = {"elicitation_callback": human} if human else {}
        return Client(server, mode=mode, read_timeout_seconds=60, **asks, **more)

    async def call(self, client, tool, **arguments):
        result = await client.call_tool(tool, arguments)
        self.assertFalse(result.is_error, result.structured_content)
        return result.structured_content

    async def refused(self, client, tool, **arguments):
        result = await client.call_tool(tool, arguments)
        self.assertTrue(result.is_error, result.structured_content)
        return result.structured_content

    async def unread(self, client, limit=5):
        inbox = {"type": "property", "property": "inbox", "of": "application"}
        found = await self.call(client, "iac_mcp_query_object", app="Mail", specifier=inbox)
        listed = await self.call(
            client,
            "iac_mcp_get_elements",
            container=found["reference"]["id"],
            elementType="message",
            where={"property": "read status", "op": "==", "value": False},
            sort=[{"property": "date received", "order": "desc"}],
            limit=limit,
        )
        return [element["id"] for element in listed["elements"]]

    async def reminder(self, client):
        """A reminder that can have any text as its name."""
        listed = await self.call(
            client, "iac_mcp_get_elements", app="Reminders", container="application", elementType="reminder", limit=1
        )
        return listed["elements"][0]["id"]

    async def read_status(self, client, references):
        told = await self.call(client, "iac_mcp_get_properties", reference=references, properties=["read status"])
        return [result["properties"]["read status"] for result in told["results"]]


def mailbox(name):
    return {"type": "named", "element": "mailbox", "name": name, "container": "application"}
