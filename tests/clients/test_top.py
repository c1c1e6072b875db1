"""`iac-mcp top` shows what running servers do, at a terminal and as JSON."""

import json
import os
import shutil
import subprocess
import time
import unittest

from screen import ENDINGS, Screen
from support import BIN, PATIENCE, Home, Server

LETTER = {"app": "Mail", "class": "outgoing message", "properties": {"subject": "Secret subject", "content": "Secret text"}}
ASKED = {"name": "iac_mcp_create", "arguments": LETTER}


class Top(unittest.TestCase):
    def setUp(self):
        self.home = self.enterContext(Home())
        self.state = ["--state", str(self.home.state)]
        made = [BIN, "sim", "new", str(self.home.path / "mac")]
        subprocess.run(made, env=self.home.environment, check=True, stdout=subprocess.DEVNULL)

    def server(self, environment=None, **more):
        environment = self.home.environment | (environment or {})
        return Server(self.home, "--world", str(self.home.path / "mac"), environment=environment, **more)

    def top(self, *arguments):
        ended = subprocess.run(
            [BIN, "top", *self.state, *arguments], env=self.home.environment, capture_output=True, text=True, timeout=PATIENCE
        )
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        return ended.stdout

    def servers(self):
        return json.loads(self.top("--json"))["servers"]

    def until(self, what):
        """Waits until the servers report the expected state; they report at most once a second."""
        end = time.monotonic() + PATIENCE
        while not what(servers := self.servers()):
            self.assertLess(time.monotonic(), end, servers)
            time.sleep(0.1)
        return servers

    def test_no_server_is_said(self):
        self.assertIn("no server runs with the state in", self.top())
        self.assertEqual(self.servers(), [])
        self.assertFalse((self.home.state / "servers").exists(), "looking on makes nothing")

    def test_calls_are_seen_while_they_run_and_after(self):
        slow = self.home.path / "latency.json"
        slow.write_text('{"start": 0, "rules": [{"app": "com.apple.mail", "event": 3000}]}')
        with self.server({"IAC_MCP_LATENCY": str(slow)}) as server, self.server(client="other") as other:
            other.call("iac_mcp_list_apps")
            waits = server.send("tools/call", {"name": "iac_mcp_get_elements", "arguments": {"app": "Mail", "elements": "every account"}})
            # On a busy machine the other call may still be shown for a second after its answer.
            under_way = lambda servers: [call for each in servers for call in each["calls"]]
            [call] = under_way(self.until(lambda servers: len(under_way(servers)) == 1 and under_way(servers)[0]["tool"] == "iac_mcp_get_elements"))
            self.assertEqual(call["client"], "bare 0")
            running = self.until(lambda servers: any(lane["state"] == "running" for each in servers for lane in each["osascript"]["apps"].values()))
            self.assertEqual({each["process"] for each in running}, {server.process.pid, other.process.pid})
            view = self.top()
            self.assertIn("2 servers, 1 call now, 0 open questions", view)
            self.assertRegex(view, r"com\.apple\.mail +\d+ +running")
            while json.loads(server.arrived.get(timeout=PATIENCE)).get("id") != waits:
                pass
            done = self.until(lambda servers: not any(each["underWay"] for each in servers))
            [mine] = [each for each in done if each["process"] == server.process.pid]
            self.assertEqual((mine["answered"], mine["failed"], mine["latest"][0]["result"]), (1, 0, "ok"))
            self.assertGreater(mine["latest"][0]["elapsedMs"], 1000)

    def test_an_open_question_is_shown_without_its_values_until_it_is_answered(self):
        with self.server(capabilities={"elicitation": {}}) as server:
            asked = server.ask("tools/call", **ASKED)["result"]
            [shown] = self.until(lambda servers: servers and servers[0]["questions"])
            self.assertEqual(shown["questions"][0]["level"], "MODIFY")
            self.assertEqual(shown["latest"][0]["result"], "asks you")
            view, program = self.top(), self.top("--json")
            self.assertRegex(view, r"0 calls now, 1 open question\n[\s\S]*Mail: .*MODIFY +bare 0")
            kept = [file.read_text() for file in (self.home.state / "servers").iterdir()]
            for told in [view, program, *kept]:
                self.assertNotIn("Secret", told)
            denied = {name: {"action": "decline"} for name in asked["inputRequests"]}
            server.ask("tools/call", **ASKED, inputResponses=denied, requestState=asked["requestState"])
            [after] = self.until(lambda servers: not servers[0]["questions"])
            self.assertEqual(after["latest"][0]["result"], "error")

    def test_a_dead_server_is_not_shown_as_alive(self):
        for end in ("kill", "end"):
            with self.subTest(end), self.server() as server:
                self.until(lambda servers: len(servers) == 1)
                server.end() if end == "end" else server.process.kill()
                server.process.wait(PATIENCE)
                self.assertEqual(self.servers(), [])
        self.assertEqual(os.listdir(self.home.state / "servers"), [], "the second server removed what the first one left")

    def test_a_server_whose_file_was_removed_comes_back(self):
        with self.server() as server:
            self.until(lambda servers: len(servers) == 1)
            shutil.rmtree(self.home.state / "servers")
            self.assertEqual(self.servers(), [])
            server.call("iac_mcp_list_apps")
            self.until(lambda servers: len(servers) == 1 and servers[0]["answered"] == 1)

    def test_a_fresh_simulated_mac_tells_nobody(self):
        with Home() as home, Server(home) as server:
            server.call("iac_mcp_list_apps")
            self.assertTrue((home.state / "servers").exists(), "with a state folder of its own it does")
        ended = subprocess.run([BIN, "top", "--simulated"], env=self.home.environment, capture_output=True, text=True)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("a fresh simulated Mac keeps no state", ended.stderr)

    def test_the_view_renews_itself_and_leaves_the_terminal_as_it_was(self):
        for ending in ENDINGS:
            with self.subTest(ending), self.server() as server, Screen(self.home, "top", *self.state) as screen:
                screen.wait_for("1 server, 0 calls now")
                server.call("iac_mcp_list_apps")
                view = screen.wait_for("iac_mcp_list_apps")
                self.assertTrue(all(len(line) <= 80 for line in view.splitlines()), view)
                screen.type(b"x\x1b[A")
                screen.resize(200, 5)
                os.kill(screen.process.pid, 28)
                self.assertLessEqual(len(screen.wait_for("q ends").splitlines()), 24)
                self.assertEqual(screen.end(ending)[0], 0)
                self.assertTrue(screen.is_given_back(), screen.said[-200:])

    def test_what_is_no_terminal_gets_one_picture(self):
        for environment in ({"TERM": "dumb"}, {"TERM": ""}):
            with self.subTest(environment), Screen(self.home, "top", *self.state, **environment) as screen:
                self.assertEqual(screen.end()[0], 0)
                self.assertNotIn(b"\x1b", screen.said)
        with Screen(self.home, "top", "--once", *self.state) as screen:
            self.assertEqual(screen.end()[0], 0)
            self.assertNotIn(b"\x1b[?", screen.said)

    def test_colours_can_be_switched_off_and_the_view_still_moves(self):
        with Screen(self.home, "top", *self.state, NO_COLOR="1") as screen:
            screen.wait_for("no server runs")
            self.assertEqual(screen.end(b"q")[0], 0)
            self.assertIn(b"\x1b[1;1H", screen.said)
            self.assertNotRegex(screen.said, rb"\x1b\[[0-9;]*m")


if __name__ == "__main__":
    unittest.main()
