"""A client of MCP that is the same for every server, and what it sees of their processes."""

import json
import os
import queue
import signal
import subprocess
import threading
import time
from pathlib import Path

REVISION = "2025-06-18"
# Stands in the environment of every process that a server starts, so that all of them can be found.
MARK = "IAC_MCP_PEER"
# Seconds until an answer. Clients give up after one minute or two.
PATIENCE = 120


class Refused(Exception):
    """A call that a server answers with an error, or not at all."""


class Server:
    """A server as a process, from its start to its first answer."""

    def __init__(self, command, environment, folder):
        self.mark = f"{MARK}={folder}"
        self.log = (Path(folder) / "log").open("w+")
        began = time.perf_counter()
        self.process = subprocess.Popen(
            [str(word) for word in command],
            env=environment | {MARK: str(folder)},
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            start_new_session=True,
        )
        self.number = self.questions = 0
        self.lines = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        client = {"protocolVersion": REVISION, "capabilities": {"elicitation": {}}, "clientInfo": {"name": "peers", "version": "1"}}
        self.greeting, _ = self.ask("initialize", client)
        self.start = time.perf_counter() - began
        self._send({"method": "notifications/initialized"})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Closes the input as a client does, and ends what is left of the server and of its children."""
        self.process.stdin.close()
        try:
            self.process.wait(1)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for process in self._processes():
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.reader.join(1)
        self.process.stdout.close()
        self.log.close()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def _send(self, message):
        try:
            self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Refused(self._last_words()) from None

    def _last_words(self):
        self.log.seek(0)
        return f"the server ended: {self.log.read()[-300:].strip()}"

    def ask(self, method, params):
        """The result of a request and the bytes of its answer. Questions to the person are answered on the way."""
        self.number += 1
        wanted = self.number
        self._send({"id": wanted, "method": method, "params": params})
        end = time.monotonic() + PATIENCE
        while True:
            try:
                line = self.lines.get(timeout=max(0, end - time.monotonic()))
            except queue.Empty:
                raise Refused(f"no answer to {method} within {PATIENCE} seconds") from None
            if line is None:
                raise Refused(self._last_words())
            try:
                message = json.loads(line)
            except ValueError:
                continue  # some servers print other text
            if "method" in message:
                if "id" in message:
                    self._send({"id": message["id"], "result": self._decided(message)})
            elif message.get("id") == wanted:
                if "error" in message:
                    raise Refused(message["error"].get("message", "an error"))
                return message["result"], len(line.encode())

    def _decided(self, message):
        """A yes of the person, this once."""
        if message["method"] != "elicitation/create":
            return {}
        self.questions += 1
        fields = message["params"].get("requestedSchema", {}).get("properties", {})
        return {"action": "accept", "content": {name: yes(field) for name, field in fields.items()}}

    def call(self, tool, arguments):
        """The text of an answer, without a second copy of it, and its bytes."""
        result, size = self.ask("tools/call", {"name": tool, "arguments": arguments})
        text = "\n".join(part.get("text", "") for part in result.get("content", []))
        if result.get("isError"):
            raise Refused(text)
        return text, size

    def memory(self):
        """MB of the server and its helpers. What stands in for osascript is left out, since a Mac has its own."""
        return sum(map(proportional, self._processes())) / 1024

    def _processes(self):
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if self.mark.encode() in (entry / "environ").read_bytes().split(b"\0") and not stands_in(entry):
                    yield int(entry.name)
            except OSError:
                pass  # it ended, or belongs to another user


def yes(field):
    if choices := field.get("enum"):
        return choices[0]
    return True if field.get("type") == "boolean" else "yes"


def stands_in(entry):
    first = (entry / "cmdline").read_bytes().split(b"\0")
    return first[0].endswith(b"osascript") or b"osascript" in first[1:2]


def proportional(process):
    """KB of memory, with a share of what it shares with other processes."""
    try:
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0
