"""A day of a server in compressed time: faults of apps, apps that quit, sleep, updates of plugins, clients that come and go.

`IAC_MCP_DAY` is its length in simulated hours; the test is made for 8. A simulated hour has 360 calls, one for every
ten seconds, without waits between them. Every call gets one answer, every confirmed change exists once, and the memory
and files of the server that runs all day do not grow. The test checks no times.
"""

import json
import os
import random
import signal
import subprocess
import time
import unittest
from pathlib import Path

from support import BIN, Home, Server
from test_plugins import package

HOURS = float(os.environ.get("IAC_MCP_DAY", "0.25"))
CALLS = int(HOURS * 360)

# Each action happens after this many calls. The numbers share no factor, so over a day every combination of actions
# happens.
WRITE, VISIT, QUIT, SLEEP, UPDATE = 5, 23, 47, 61, 71
# Apple events between two faults.
EVENTS = 37
FAULTS = [{"error": -1712}, {"slow": 40}, {"error": -609}, "crash", {"error": -10000}, "die", {"flood": 200_000}, {"hang": 700}]

APPS = ["Mail", "Reminders", "Calendar", "Notes"]
READS = [
    {"app": "Mail", "elements": "every message of inbox", "properties": ["subject", "sender"], "limit": 5},
    {"app": "Calendar", "elements": "every event of every calendar", "properties": ["summary"], "limit": 5},
    {"app": "Notes", "elements": "every note", "properties": ["name"], "limit": 5},
    {"app": "Reminders", "elements": "every list", "properties": ["name"]},
]


class Day(unittest.TestCase):
    def setUp(self):
        self.home = self.enterContext(Home())
        self.world = self.home.new_mac("UTC")
        self.chance = random.Random(7)
        self.plugin = package("tests/plugins/probe")
        self.home.policy('profile = "trusted"\n')
        self.cli("policy", "allow", "*", "--command", "quit", "--yes")
        faults = [{"occurrence": EVENTS * (at + 1), "times": 1, "do": FAULTS[at % len(FAULTS)]} for at in range(CALLS * 6 // EVENTS)]
        (self.world / "faults.json").write_text(json.dumps({"faults": faults}))
        self.confirmed, self.tried, self.met = set(), set(), {}

    def server(self, name):
        return self.enterContext(Server(self.home, "--world", str(self.world), client=name))

    def cli(self, *arguments):
        options = ["--world", str(self.world), "--state", str(self.home.state), "--cache", str(self.home.cache)]
        ended = subprocess.run([BIN, *arguments, *options], env=self.home.environment, capture_output=True, text=True)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        return ended.stdout

    def call(self, server, tool, **arguments):
        """The structured answer of a call, which may be an error; if the app has quit, this opens it again."""
        answer = server.call(tool, **arguments)
        error = answer.get("error")
        self.met[error] = self.met.get(error, 0) + 1
        if error == "app_not_running":
            self.call(server, "iac_mcp_run_command", app=arguments["app"], command="launch")
        return answer

    def write(self, server, name):
        self.tried.add(name)
        made = self.call(server, "iac_mcp_create", app="Reminders", **{"class": "reminder"}, properties={"name": name})
        if made.get("success"):
            self.confirmed.add(name)

    def test_nothing_is_lost_and_nothing_grows(self):
        stays = self.server("stays")
        installed = False
        held = []
        for at in range(1, CALLS + 1):
            self.call(stays, "iac_mcp_get_elements", **READS[at % len(READS)])
            if at % WRITE == 0:
                self.write(stays, f"stays {at}")
            if at % VISIT == 0:
                self.visit(at)
            if at % QUIT == 0:
                self.call(stays, "iac_mcp_run_command", app=APPS[at % len(APPS)], command="quit")
            if at % SLEEP == 0:
                self.sleep(stays)
            if at % UPDATE == 0:
                self.cli("plugin", *(["remove", "probe"] if installed else ["add", str(self.plugin), "--yes"]))
                installed = not installed
            if at in (CALLS // 4, CALLS):
                held.append(holds(stays.process.pid))
        self.answered_once(stays)
        self.nothing_grew(*held)
        self.every_app_answers()
        self.every_change_is_there_once()
        self.cli("audit", "verify")
        self.assertEqual(stays.end(), 0, stays.log.decode()[-1000:])
        print(f"{CALLS} calls, {len(self.tried)} changes, {self.met}, {held}")

    def visit(self, at):
        """Another client: it reads and changes something. It then ends normally, or is killed in the middle of a
        change."""
        guest = self.server(f"guest {at}")
        self.call(guest, "iac_mcp_get_elements", **READS[at % len(READS)])
        self.write(guest, f"guest {at}")
        if at % 2:
            self.assertEqual(guest.end(), 0)
            return
        name = f"killed {at}"
        self.tried.add(name)
        guest.send("tools/call", {"name": "iac_mcp_create", "arguments": {"app": "Reminders", "class": "reminder", "properties": {"name": name}}})
        time.sleep(self.chance.random() / 20)
        guest.process.kill()
        guest.process.wait()

    def sleep(self, server):
        """The Mac sleeps while a request is under way; the answer comes after it wakes up."""
        family = [server.process.pid, *descendants(server.process.pid)]
        for process in family:
            send(process, signal.SIGSTOP)
        wanted = server.send("tools/call", {"name": "iac_mcp_get_elements", "arguments": READS[2]})
        time.sleep(0.2)
        for process in reversed(family):
            send(process, signal.SIGCONT)
        while json.loads(server.arrived.get(timeout=60)).get("id") != wanted:
            pass

    def answered_once(self, server):
        answered = [message["id"] for line in server.lines if "method" not in (message := json.loads(line))]
        self.assertEqual(sorted(answered), list(range(1, server.next_id + 1)))

    def nothing_grew(self, before, after):
        (memory, files), (later, open_later) = before, after
        self.assertLessEqual(open_later, files + 8, "files were left open")
        self.assertLess(later, memory * 1.1 + 4096, "KB of memory after a quarter, and at the end")

    def every_app_answers(self):
        """After the last fault, each app answers a new client normally, and no process of the other clients is
        left."""
        (self.world / "faults.json").unlink()
        fresh = self.server("fresh")
        for read in READS:
            self.call(fresh, "iac_mcp_get_elements", **read)
            self.assertNotIn("error", fresh.call("iac_mcp_get_elements", **read))
        self.assertGreater(self.met[None], CALLS * 0.7, self.met)
        self.assertEqual(fresh.end(), 0)

    def every_change_is_there_once(self):
        script = 'JSON.stringify(Application("Reminders").reminders.name())'
        environment = self.home.environment | {"IAC_MCP_WORLD": str(self.world)}
        told = subprocess.run([BIN, "osascript", "-l", "JavaScript", "-e", script], env=environment, capture_output=True, text=True, check=True)
        names = json.loads(told.stdout)
        counts = {name: names.count(name) for name in self.tried}
        self.assertEqual({name for name in self.confirmed if counts[name] != 1}, set())
        self.assertEqual({name: count for name, count in counts.items() if count > 1}, {}, "a change was made twice")
        self.assertGreater(len(self.confirmed), len(self.tried) / 2, self.met)


def descendants(process):
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return []
    return [each for child in children for each in (int(child), *descendants(int(child)))]


def send(process, number):
    try:
        os.kill(process, number)
    except ProcessLookupError:
        pass


def holds(process):
    """Memory in KB and open files of a process."""
    status = Path(f"/proc/{process}/status").read_text()
    memory = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(memory.split()[1]), len(list(Path(f"/proc/{process}/fd").iterdir()))


if __name__ == "__main__":
    unittest.main()
