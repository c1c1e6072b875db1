"""Starts the server for these tests as a client would: on a simulated Mac, with its own home folder."""

import json
import os
import pty
import queue
import signal
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = os.environ.get("IAC_MCP_BIN", str(ROOT / "target/debug/iac-mcp"))
MODERN = "2026-07-28"
LEGACY = "2025-11-25"
PATIENCE = 60

# A shell makes its background processes ignore some signals. The programs that the tests start would inherit this.
for each in (signal.SIGINT, signal.SIGHUP):
    if signal.getsignal(each) is signal.SIG_IGN:
        signal.signal(each, signal.SIG_DFL)


class Home(tempfile.TemporaryDirectory):
    """An empty home folder, the environment that points to it, and the server's own two folders."""

    def __init__(self):
        super().__init__(prefix="iac-mcp-home-")
        self.path = Path(self.name).resolve()
        self.state = self.path / "state"
        self.cache = self.path / "cache"
        (self.path / "tmp").mkdir()
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "TZ", "LLVM_PROFILE_FILE") if name in os.environ}
        self.environment = kept | {"HOME": str(self.path), "TMPDIR": str(self.path / "tmp")}

    def __enter__(self):
        return self

    def cleanup(self):
        """A process that is about to end may still write a file. It gets five seconds for that."""
        for _ in range(50):
            try:
                return super().cleanup()
            except OSError:
                time.sleep(0.1)
        return super().cleanup()

    def arguments(self, *more):
        fresh = [] if "--world" in more else ["--simulated"]
        return ["serve", *fresh, "--state", str(self.state), "--cache", str(self.cache), *more]

    def policy(self, text):
        """The operator's policy, which only the operator can change."""
        self.state.mkdir(mode=0o700, exist_ok=True)
        file = self.state / "policy.toml"
        file.write_text(text, encoding="utf-8")
        file.chmod(0o600)

    def new_mac(self, zone):
        """A world on disk, in a time zone."""
        self.environment["TZ"] = zone
        world = self.path / "mac"
        command = [BIN, "sim", "new", str(world)]
        subprocess.run(command, check=True, env=self.environment, stdout=subprocess.DEVNULL)
        return world

    def at_a_terminal(self, answers, *arguments, **environment):
        """The exit status and the text that a person reads, at a terminal whose size was never set."""
        ours, theirs = pty.openpty()
        with subprocess.Popen(
            [BIN, *arguments], env=self.environment | environment, cwd=self.path, stdin=theirs, stdout=theirs, stderr=theirs
        ) as process:
            os.close(theirs)
            os.write(ours, answers)
            said = b""
            while True:
                try:
                    part = os.read(ours, 4096)
                except OSError:
                    break
                if not part:
                    break
                said += part
        os.close(ours)
        return process.returncode, said.decode()


class Server:
    """The server as a plain process: JSON lines in, JSON lines out, without an SDK."""

    def __init__(self, home, *more, command=(BIN,), environment=None, client="bare", capabilities=None):
        self.client = client
        self.capabilities = capabilities or {}
        self.process = subprocess.Popen(
            [*command, *home.arguments(*more)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment or home.environment,
            cwd=home.path,
        )
        self.lines = []
        self.arrived = queue.Queue()
        self.log = b""
        self.readers = [threading.Thread(target=read) for read in (self._read_lines, self._read_log)]
        for reader in self.readers:
            reader.start()
        self.next_id = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self._reap()

    def _read_lines(self):
        for line in self.process.stdout:
            self.lines.append(line)
            self.arrived.put(line)
        self.arrived.put(None)

    def _read_log(self):
        self.log = self.process.stderr.read()

    def _reap(self):
        status = self.process.wait(PATIENCE)
        for reader in self.readers:
            reader.join(PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                pipe.close()
            except BrokenPipeError:
                pass
        return status

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, method, params):
        """Sends a request of the stateless revision; returns its id."""
        self.next_id += 1
        meta = {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": self.capabilities,
            "io.modelcontextprotocol/clientInfo": {"name": self.client, "version": "0"},
        }
        message = {"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": {**params, "_meta": meta}}
        self.write(json.dumps(message).encode() + b"\n")
        return self.next_id

    def ask(self, method, **params):
        """Sends a request and returns the whole answer to it."""
        wanted = self.send(method, params)
        while (line := self.arrived.get(timeout=PATIENCE)) is not None:
            message = json.loads(line)
            if message.get("id") == wanted and "method" not in message:
                return message
        raise AssertionError(f"the server ended before it answered {method}: {self.log.decode()}")

    def call(self, tool, **arguments):
        """Calls a tool and returns its structured answer."""
        return self.ask("tools/call", name=tool, arguments=arguments)["result"]["structuredContent"]

    def end(self):
        """Closes the input, as a client does when it has finished; returns the exit status."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass  # the server did not wait for this line
        return self._reap()


class Trusting(unittest.TestCase):
    """Tests of changes that nobody is asked about, each with a server of its own."""

    POLICY = 'profile = "trusted"\n'

    def setUp(self):
        self.home = self.enterContext(Home())
        self.home.policy(self.POLICY)
        self.server = self.enterContext(Server(self.home))

    def call(self, tool, **arguments):
        answer = self.server.call(tool, **arguments)
        self.assertNotIn("error", answer)
        return answer


class OneServer(unittest.TestCase):
    """Tests that share one server, because they only read or undo their changes."""

    @classmethod
    def setUpClass(cls):
        cls.home = Home()
        cls.addClassCleanup(cls.home.cleanup)
        cls.server = Server(cls.home)
        cls.addClassCleanup(cls.server.__exit__)
