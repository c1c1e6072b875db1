"""An MCP client that is the same for every server, and what it sees of the servers' processes."""

import json
import os
import queue
import signal
import subprocess
import threading
import time
from pathlib import Path

REVISION = "2025-06-18"
# The name of a variable in the environment of every process that a server starts, so that all of them can be found.
MARK = "IAC_MCP_PEER"
# How many seconds to wait for an answer. Real clients give up after one or two minutes.
PATIENCE = 120


class Refused(Exception):
    """A call that a server answers with an error or not at all."""


class Server:
    """A server as a process. It is ready after its first answer."""

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
        """Closes the server's input as a client does, and kills what is left of the server and its children."""
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
        """Returns a request's result and its answer's size in bytes. Questions to the user are answered meanwhile."""
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
        """Approves the server's question, for this once."""
        if message["method"] != "elicitation/create":
            return {}
        self.questions += 1
        fields = message["params"].get("requestedSchema", {}).get("properties", {})
        return {"action": "accept", "content": {name: yes(field) for name, field in fields.items()}}

    def call(self, tool, arguments):
        """Returns the text of an answer, without a second copy of it, and the answer's size in bytes."""
        result, size = self.ask("tools/call", {"name": tool, "arguments": arguments})
        text = "\n".join(part.get("text", "") for part in result.get("content", []))
        if result.get("isError"):
            raise Refused(text)
        return text, size

    def memory(self):
        """Returns the MB of the server and its helpers, without the osascript stand-in: a real Mac has its own."""
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
    """Returns a process's memory in KB, with its share of the memory that it shares with other processes."""
    try:
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0
