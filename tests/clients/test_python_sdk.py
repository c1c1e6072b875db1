"""The official Python SDK as a client, in both eras of the protocol: the three questions of the README."""

import datetime
import json
import unittest

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from support import BIN, LEGACY, MODERN, ROOT, Home

TOOLS = {
    "iac_mcp_list_apps",
    "iac_mcp_query_object",
    "iac_mcp_get_properties",
    "iac_mcp_get_elements",
}
DATA = ROOT / "fixtures/mac/data"


class PythonSdk(unittest.IsolatedAsyncioTestCase):
    async def test_legacy(self):
        await self.check("legacy", LEGACY)

    async def test_modern(self):
        await self.check(MODERN, MODERN)

    async def test_auto(self):
        await self.check("auto", MODERN)

    async def check(self, mode, version):
        with Home() as home:
            server = StdioServerParameters(command=BIN, args=home.arguments(), env=home.environment, cwd=home.path)
            async with Client(server, mode=mode, read_timeout_seconds=60) as client:
                self.client = client
                self.assertEqual(client.protocol_version, version)
                await self.lists_tools()
                await self.lists_apps()
                await self.newest_email()
                await self.files_in_documents()
                await self.events_of_this_week()
                await self.teaches_what_went_wrong()

    async def call(self, tool, **arguments):
        result = await self.client.call_tool(tool, arguments)
        self.assertFalse(result.is_error, result.content)
        self.assertEqual(json.loads(result.content[0].text), result.structured_content, "text and structure differ")
        return result.structured_content

    async def lists_tools(self):
        tools = (await self.client.list_tools()).tools
        self.assertLessEqual(TOOLS, {tool.name for tool in tools})

    async def lists_apps(self):
        apps = (await self.call("iac_mcp_list_apps"))["apps"]
        by_name = {app["name"]: app for app in apps}
        self.assertLessEqual({"Mail", "Finder", "Calendar"}, by_name.keys())
        self.assertEqual(by_name["Mail"]["bundleId"], "com.apple.mail")

    async def newest_email(self):
        inbox = await self.call("iac_mcp_query_object", app="Mail", specifier=of_application("inbox"))
        newest = await self.call(
            "iac_mcp_get_elements",
            container=inbox["reference"]["id"],
            elementType="message",
            properties=["subject", "sender", "date received"],
            sort=[{"property": "date received", "order": "desc"}],
            limit=1,
        )
        inboxes = messages_of_inboxes()
        self.assertEqual((newest["count"], newest["totalCount"], newest["hasMore"]), (1, len(inboxes), True))
        expected = max(inboxes, key=lambda message: message["date received"] or "")
        found = newest["elements"][0]["properties"]
        self.assertEqual((found["subject"], found["sender"]), (expected["subject"], expected["sender"]))
        received = datetime.datetime.fromisoformat(found["date received"])
        self.assertIsNotNone(received.tzinfo)
        self.assertEqual(received.time().isoformat(), expected["date received"][11:])

    async def files_in_documents(self):
        documents = {"type": "named", "element": "folder", "name": "Documents", "container": of_application("home")}
        folder = await self.call("iac_mcp_query_object", app="Finder", specifier=documents)
        self.assertEqual(folder["reference"]["type"], "folder")
        listed = await self.call(
            "iac_mcp_get_elements", container=folder["reference"]["id"], elementType="item", properties=["name"]
        )
        names = [element["properties"]["name"] for element in listed["elements"]]
        self.assertEqual(sorted(names), sorted(names_in("/Users/alex/Documents")))
        self.assertEqual(listed["totalCount"], len(names))

    async def events_of_this_week(self):
        """The app's filter over all events must choose the same events as this test."""
        monday, end = this_week()
        calendars = await self.call(
            "iac_mcp_get_elements", app="Calendar", container="application", elementType="calendar", properties=["name"]
        )
        self.assertEqual(calendars["count"], 3)
        found = 0
        for calendar in calendars["elements"]:
            ask = {"container": calendar["id"], "elementType": "event", "properties": ["summary", "start date"]}
            week = {
                "and": [
                    {"property": "start date", "op": ">=", "value": monday.isoformat()},
                    {"property": "start date", "op": "<", "value": end.isoformat()},
                ]
            }
            every = await self.call("iac_mcp_get_elements", limit=1000, **ask)
            chosen = await self.call("iac_mcp_get_elements", where=week, **ask)
            # A series is stored once; each of its occurrences is marked as one.
            expected = [event for event in summaries(every) if monday <= event[0] < end]
            single = {"elements": [event for event in chosen["elements"] if "occurrence" not in event]}
            self.assertTrue(all(monday <= event[0] < end for event in summaries(chosen)), calendar)
            self.assertLessEqual(set(summaries(single)), set(expected), calendar)
            self.assertLessEqual(set(expected), set(summaries(chosen)), calendar)
            found += chosen["count"]
        self.assertGreater(found, 0, "the simulated calendar has events in every week")

    async def teaches_what_went_wrong(self):
        missing = {"type": "named", "element": "mailbox", "name": "No such mailbox", "container": "application"}
        cases = [
            ("iac_mcp_query_object", {"app": "Mial", "specifier": of_application("inbox")}, "unknown_app"),
            ("iac_mcp_query_object", {"app": "Mail", "specifier": missing}, "reference_invalid"),
            ("iac_mcp_query_object", {"app": "Mail", "specifier": of_application("inbux")}, "unknown_property"),
            ("iac_mcp_get_properties", {"reference": "ref_aaaaaaaaaaaaaaaa"}, "reference_invalid"),
            ("iac_mcp_get_elements", {}, "invalid_parameter"),
        ]
        for tool, arguments, code in cases:
            result = await self.client.call_tool(tool, arguments)
            self.assertTrue(result.is_error, (tool, arguments))
            error = result.structured_content
            self.assertEqual(error["error"], code, error)
            self.assertEqual(json.loads(result.content[0].text), error)
            self.assertTrue(error["message"] and error["suggestion"] and error["retryable"] is False, error)


def of_application(term):
    return {"type": "property", "property": term, "of": "application"}


def this_week():
    now = datetime.datetime.now().astimezone()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    monday = midnight - datetime.timedelta(days=midnight.weekday())
    return monday.astimezone(), (monday + datetime.timedelta(days=7)).astimezone()


def summaries(answer):
    rows = [element["properties"] for element in answer["elements"]]
    return [(datetime.datetime.fromisoformat(row["start date"]), row["summary"]) for row in rows]


def application(bundle_id):
    return json.loads((DATA / f"{bundle_id}.json").read_text())["application"]


def messages_of_inboxes():
    mail = application("com.apple.mail")
    mailboxes = {box["key"]: box for account in mail["elements"]["account"] for box in account["elements"]["mailbox"]}
    keys = mail["inbox"]["view"]["message"]["union"]
    return [message for key in keys for message in mailboxes[key]["elements"]["message"]]


def names_in(path):
    """The names in a folder of the simulated disk. The folder is found by its key, wherever it is."""

    def walk(thing):
        if isinstance(thing, list):
            return next(filter(None, map(walk, thing)), None)
        if not isinstance(thing, dict):
            return None
        return thing if thing.get("key") == path else next(filter(None, map(walk, thing.values())), None)

    return [item["name"] for item in walk(application("com.apple.finder"))["elements"]["item"]]


if __name__ == "__main__":
    unittest.main()
