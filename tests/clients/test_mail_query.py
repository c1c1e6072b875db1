"""Unread mail from one sender since a date, newest first, ten of them, over 10,000 messages: one call, few events."""

import json
import os
import subprocess
import unittest

from support import BIN, Home, Server

WHERE = {
    "and": [
        {"property": "date received", "op": ">=", "value": "2025-06-01"},
        {"property": "read status", "op": "==", "value": False},
        {"property": "sender", "op": "contains", "value": "ana"},
    ]
}
CALL = {
    "app": "Mail",
    "container": {"type": "property", "property": "inbox", "of": "application"},
    "elementType": "message",
    "where": WHERE,
    "sort": [{"property": "date received", "order": "desc"}],
    "limit": 10,
    "properties": ["subject", "date received"],
}
MAILBOXES = "every mailbox of every account"
OF_ANA = 'sender contains "ana" and date received > date "2026-01-14"'
SENDER = {"app": "Mail", "properties": ["subject", "mailbox.name", "mailbox.account.name"], "limit": 1000}
WITHOUT_FILTERS = {"target": "whose", "do": {"error": -1726}}
NULL_DATES = {"target": "date received of every", "do": {"error": -1700}}
SHRINKS = {"target": "date received of every", "times": 1, "do": {"shrink": 3}}


def rows(server, call):
    """The values from all pages of a list."""
    values, offset = [], 0
    while offset is not None:
        answer = server.call("iac_mcp_get_elements", **call, offset=offset)
        values += [tuple(element["properties"].values()) for element in answer["elements"]]
        offset = answer.get("nextOffset")
    return values


class MailQuery(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = Home()
        cls.addClassCleanup(cls.home.cleanup)
        cls.world = cls.home.path / "mac"
        command = [BIN, "sim", "new", str(cls.world), "--messages", "10000", "--seed", "7"]
        subprocess.run(command, check=True, env=cls.home.environment, stdout=subprocess.DEVNULL)

    def test_six_events(self):
        answer, events = self.ask()
        self.assertLessEqual(events, 6)
        self.assertEqual((answer["count"], answer["hasMore"]), (10, True))
        dates = [element["properties"]["date received"] for element in answer["elements"]]
        self.assertEqual(dates, sorted(dates, reverse=True))
        self.assertNotIn("complete", answer)

    def test_one_sender_over_all_mailboxes_of_all_accounts(self):
        """One call with three events and one for each property gives the same answer as one call per mailbox."""
        whole = SENDER | {"elements": f"every message of {MAILBOXES} whose {OF_ANA}"}
        answer, events = self.ask(call=whole)
        properties = {"sender", "date received", *SENDER["properties"]}
        self.assertLessEqual(events, 3 + len(properties))
        mailboxes, _ = self.ask(call={"app": "Mail", "elements": MAILBOXES})
        self.assertGreater(mailboxes["totalCount"], 5)
        with Server(self.home, "--world", str(self.world)) as server:
            everywhere = rows(server, whole)
            one_by_one = []
            for mailbox in mailboxes["elements"]:
                part = {"container": mailbox["id"], "elementType": "message", "where": OF_ANA}
                one_by_one += rows(server, SENDER | part)
            self.assertEqual(server.end(), 0)
        self.assertGreater(answer["totalCount"], 10)
        self.assertEqual(len(everywhere), answer["totalCount"])
        self.assertEqual(sorted(everywhere), sorted(one_by_one))

    def test_filters_of_the_app_are_broken(self):
        self.same_as_healthy(WITHOUT_FILTERS)

    def test_dates_cannot_be_read_at_once(self):
        self.same_as_healthy(NULL_DATES)

    def test_the_collection_changes_meanwhile(self):
        answer, _ = self.ask(SHRINKS)
        self.assertEqual(len(answer["elements"]), 10)
        self.assertNotIn("complete", answer)
        subprocess.run([BIN, "sim", "reset", str(self.world)], check=True, env=self.home.environment)

    def same_as_healthy(self, fault):
        healthy, _ = self.ask()
        answer, _ = self.ask(fault)
        shown = [[element["properties"] for element in each["elements"]] for each in (healthy, answer)]
        self.assertEqual(*shown)
        self.assertEqual(answer["totalCount"], healthy["totalCount"])

    def ask(self, *faults, call=CALL):
        """Calls a separate server; returns the answer and the number of Apple events that Mail received."""
        trace, file = self.home.path / "trace", self.home.path / "faults.json"
        trace.unlink(missing_ok=True)
        file.write_text(json.dumps({"faults": [{"app": "com.apple.mail", **fault} for fault in faults]}))
        environment = self.home.environment | {"IAC_MCP_TRACE": str(trace), "IAC_MCP_FAULTS": str(file)}
        arguments = ["--world", str(self.world)]
        with Server(self.home, *arguments, environment=environment) as server:
            answer = server.call("iac_mcp_get_elements", **call)
            self.assertEqual(server.end(), 0)
        self.assertNotIn("error", answer, answer)
        return answer, len(trace.read_text().splitlines()) if trace.exists() else os.EX_OK


if __name__ == "__main__":
    unittest.main()
