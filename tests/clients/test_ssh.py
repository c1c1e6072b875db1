"""A Mac on the network: the server talks to `osascript` through a real ssh, with a key, over a connection that breaks.

It needs an `sshd`, on PATH or named by IAC_MCP_SSHD, and is skipped without one. It uses nothing outside a temporary
folder: the host key, the user's key and the settings are made for one run, and sshd listens on the loopback interface
only.
"""

import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
import unittest
from pathlib import Path

from support import BIN, ROOT, Home

SSHD = os.environ.get("IAC_MCP_SSHD") or shutil.which("sshd", path=os.environ.get("PATH", "") + ":/usr/sbin")
MAILBOXES = {"app": "Mail", "elements": "every mailbox", "limit": 1}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def children(pid):
    """The descendants of a process, the nearest first."""
    try:
        below = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [each for child in map(int, below) for each in [child, *children(child)]]


def command(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


@unittest.skipUnless(SSHD and shutil.which("ssh") and os.path.isdir("/proc/self"), "there is no sshd")
class Remote(unittest.TestCase):
    def setUp(self):
        self.home = self.enterContext(Home())
        self.mac = self.home.path / "mac"
        subprocess.run([BIN, "sim", "new", self.mac], env=self.home.environment, check=True, capture_output=True)
        self.start_sshd()

    def start_sshd(self):
        folder, port, user = self.home.path, free_port(), pwd.getpwuid(os.getuid()).pw_name
        for key in ("host", "key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", folder / key], check=True)
        shutil.copy(folder / "key.pub", folder / "authorized")
        (folder / "sshd_config").write_text(
            f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/authorized\n"
            f"PidFile {folder}/pid\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\n"
        )
        (folder / "ssh_config").write_text(
            f"Host mini\n  HostName 127.0.0.1\n  Port {port}\n  User {user}\n  IdentityFile {folder}/key\n  IdentitiesOnly yes\n"
            f"  UserKnownHostsFile {folder}/known\n  StrictHostKeyChecking accept-new\n  BatchMode yes\n  LogLevel ERROR\n"
        )
        self.sshd = subprocess.Popen([SSHD, "-D", "-f", folder / "sshd_config", "-E", folder / "log"], stderr=subprocess.PIPE)
        self.addCleanup(self.stop)
        self.ssh = f"ssh -F {folder}/ssh_config mini"
        for _ in range(50):
            if self.sshd.poll() is not None:
                self.skipTest(f"sshd does not start: {self.sshd.stderr.read().decode().strip()}")
            if subprocess.run([*self.ssh.split(), "true"], capture_output=True).returncode == 0:
                return
            time.sleep(0.1)
        self.skipTest(f"no login over the loopback: {(folder / 'log').read_text()}")

    def stop(self):
        # A script that hangs in its app outlives the connection, as the test below shows.
        for pid in children(self.sshd.pid):
            if "osascript" in command(pid):
                os.kill(pid, signal.SIGKILL)
        self.sshd.kill()
        self.sshd.wait()
        self.sshd.stderr.close()

    def options(self):
        remote = f"{self.ssh} env IAC_MCP_WORLD={self.mac} {BIN} osascript"
        return ["--osascript", remote, "--root", str(ROOT / "fixtures/mac")]

    def server(self, *more):
        command = [BIN, "serve", "--state", str(self.home.state), "--cache", str(self.home.cache), *self.options(), *more]
        return self.enterContext(Lines(command, self.home))

    def far(self):
        """The osascript processes on the other side, whichever process is their parent now."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            words = command(int(pid))
            if words.startswith(f"{BIN} osascript") and f"IAC_MCP_WORLD={self.mac}" in environment(pid):
                found.append(int(pid))
        return found

    def test_a_key_leads_to_the_other_mac(self):
        server = self.server()
        self.assertEqual(server.call("iac_mcp_get_elements", MAILBOXES)["count"], 1)
        ended = subprocess.run(
            [BIN, "doctor", "--json", "--state", self.home.state, *self.options()],
            env=self.home.environment, capture_output=True, text=True, timeout=60,
        )
        checks = {check["name"]: check for check in json.loads(ended.stdout)["checks"]}
        self.assertTrue(checks["osascript"]["ok"] and checks["speed"]["ok"], checks)

    def test_a_connection_that_breaks_is_made_again(self):
        server = self.server()
        self.assertEqual(server.call("iac_mcp_get_elements", MAILBOXES)["count"], 1)
        sessions = [pid for pid in children(self.sshd.pid) if command(pid).startswith("sshd: ")]
        self.assertTrue(sessions)
        for pid in sessions:
            os.kill(pid, signal.SIGKILL)
        self.assertEqual(server.call("iac_mcp_get_elements", MAILBOXES)["count"], 1, "a read goes on by itself")

    def test_a_login_that_is_refused_says_so(self):
        (self.home.path / "authorized").write_text("")
        refused = self.server().call("iac_mcp_get_elements", MAILBOXES)
        self.assertEqual(refused["error"], "unavailable", refused)
        self.assertIn("Permission denied", refused["message"])

    def test_what_is_left_on_the_other_side(self):
        server = self.server("--timeout", "2")
        self.assertEqual(server.call("iac_mcp_get_elements", MAILBOXES)["count"], 1)
        self.assertEqual(len(self.far()), 1, "a worker is kept")
        server.process.kill()
        self.assertEqual(self.until_gone(), [], "one that waits for work ends with the connection")
        faults = {"faults": [{"app": "com.apple.mail", "do": {"hang": None}}]}
        (self.mac / "faults.json").write_text(json.dumps(faults))
        server = self.server("--timeout", "2")
        self.assertEqual(server.call("iac_mcp_get_elements", MAILBOXES)["error"], "timeout")
        server.process.kill()
        left = self.until_gone()
        self.assertEqual(len(left), 1, "one inside an event stays until the event ends: no signal goes over ssh")
        os.kill(left[0], signal.SIGKILL)

    def until_gone(self):
        for _ in range(30):
            left = self.far()
            if not left:
                break
            time.sleep(0.1)
        return left


def environment(pid):
    try:
        return Path(f"/proc/{pid}/environ").read_text()
    except OSError:
        return ""


class Lines:
    """A server as a plain process, with the calls of one client."""

    def __init__(self, command, home):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=home.environment, cwd=home.path
        )
        self.next = 0

    def __enter__(self):
        about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}
        self.ask("initialize", about)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def send(self, message):
        self.process.stdin.write((json.dumps(message) + "\n").encode())
        self.process.stdin.flush()

    def ask(self, method, params):
        self.next += 1
        self.send({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params})
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.next:
                return answer["result"]

    def call(self, tool, arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})["structuredContent"]


if __name__ == "__main__":
    unittest.main()
