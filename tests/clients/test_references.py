"""References outlive the server: references by id still work after a restart, and references by position do not."""

import signal
import subprocess
import unittest

from support import BIN, Home, Server

INBOX = {"type": "property", "property": "inbox", "of": "application"}


class References(unittest.TestCase):
    def test_a_restart(self):
        with Home() as home:
            with Server(home) as server:
                inbox, message, subject = self.hold(server)
                self.assertEqual(server.end(), 0)
            for _ in range(2):  # the second restart also gets the references that the first one took over
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

    def test_places_in_an_app_that_quits_and_a_server_that_restarts(self):
        with Home() as home:
            world = home.path / "mac"
            subprocess.run([BIN, "sim", "new", str(world)], check=True, stdout=subprocess.DEVNULL)
            environment = home.environment | {"IAC_MCP_WORLD": str(world)}
            (home.state).mkdir()
            (home.state / "policy.toml").write_text('profile = "trusted"\n')
            safari(environment, "for (const x of 'abc') s.windows[0].tabs.push(s.Tab({url: 'https://twins.example/' + x}))")
            with Server(home, "--world", str(world)) as server:
                window, twins = self.hold_twins(server)
                self.assertEqual(self.url(server, twins[1]), "https://twins.example/b")
                safari(environment, "s.quit(); s.activate()")
                self.assertIn("properties", server.call("iac_mcp_get_properties", reference=window, properties=["name"]))
                self.assertEqual(self.url(server, twins[1]), "https://twins.example/b")
                safari(environment, "s.delete(s.windows[0].tabs[3])")
                self.assertEqual(self.url(server, twins[0]), "reference_moved")
                written = server.call("iac_mcp_set_property", reference=twins[1], property="URL", value="https://x.example/")
                self.assertEqual(written["error"], "reference_moved", written)
                self.assertEqual(self.url(server, twins[2]), "reference_invalid")
                _, twins = self.hold_twins(server)
                self.assertEqual(server.end(), 0)
            with Server(home, "--world", str(world)) as server:
                self.assertIn("properties", server.call("iac_mcp_get_properties", reference=window, properties=["name"]))
                self.assertEqual([self.url(server, twin) for twin in twins], ["reference_invalid"] * 2)
                _, twins = self.hold_twins(server)
                self.assertEqual(self.url(server, twins[0]), "https://twins.example/b", "the neighbour was not touched")

    def hold_twins(self, server):
        """A window by its id, and its unnamed tabs, which only a position identifies."""
        window = server.call(
            "iac_mcp_get_elements", app="Safari", container="application", elementType="window", limit=1
        )["elements"][0]
        tabs = server.call("iac_mcp_get_elements", container=window["id"], elementType="tab", properties=["name"])
        twins = [tab for tab in tabs["elements"] if tab["properties"]["name"] in (None, "twins.example")]
        self.assertTrue(twins and all(tab["stable"] is False for tab in twins), tabs)
        return window["id"], [tab["id"] for tab in twins]

    def url(self, server, tab):
        answer = server.call("iac_mcp_get_properties", reference=tab, properties=["URL"])
        return answer["properties"]["URL"] if "properties" in answer else answer["error"]

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


def safari(environment, script):
    code = f"const s = Application('Safari'); {script}"
    subprocess.run([BIN, "osascript", "-l", "JavaScript", "-e", code], check=True, env=environment, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    unittest.main()
