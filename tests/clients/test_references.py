"""References outlive the server: those by id answer after a restart, those by a place in a list do not."""

import signal
import unittest

from support import Home, Server

INBOX = {"type": "property", "property": "inbox", "of": "application"}


class References(unittest.TestCase):
    def test_a_restart(self):
        with Home() as home:
            with Server(home) as server:
                inbox, message, subject = self.hold(server)
                self.assertEqual(server.end(), 0)
            for _ in range(2):  # also what was only taken over is handed on
                with Server(home) as server:
                    again = server.call("iac_mcp_get_properties", reference=[inbox, message], properties=["name"])
                    self.assertEqual(again["results"][0]["properties"], {"name": "INBOX"}, again)
                    again = server.call("iac_mcp_get_properties", reference=message, properties=["subject"])
                    self.assertEqual(again["properties"], {"subject": subject})
                    self.assertEqual(server.end(), 0)

    def test_two_servers_at_once_keep_their_own(self):
        with Home() as home:
            with Server(home) as first, Server(home) as second:
                inbox, _, _ = self.hold(first)
                stranger = second.call("iac_mcp_get_properties", reference=inbox, properties=["name"])
                self.assertEqual(stranger["error"], "reference_invalid")
                self.assertEqual((first.end(), second.end()), (0, 0))
            with Server(home) as heir:
                found = heir.call("iac_mcp_get_properties", reference=inbox, properties=["name"])
                self.assertIn("properties", found)

    def test_a_killed_server_leaves_nothing_broken(self):
        with Home() as home:
            with Server(home) as server:
                self.hold(server)
                server.process.send_signal(signal.SIGKILL)
            with Server(home) as server:
                self.assertIn("reference", server.call("iac_mcp_query_object", app="Mail", specifier=INBOX))

    def hold(self, server):
        inbox = server.call("iac_mcp_query_object", app="Mail", specifier=INBOX)["reference"]["id"]
        newest = server.call(
            "iac_mcp_get_elements",
            container=inbox,
            elementType="message",
            properties=["subject"],
            sort=[{"property": "date received", "order": "desc"}],
            limit=1,
        )["elements"][0]
        return inbox, newest["id"], newest["properties"]["subject"]


if __name__ == "__main__":
    unittest.main()
