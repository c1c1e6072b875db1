"""Measures the overhead of `code_query` over the language server itself, and checks what is left of a server after
`kill -9` of the host.

    overhead.py IAC_MCP PACKAGE SERVERS SUBJECT [SYMBOL]

IAC_MCP is the program, PACKAGE the packed plugin, SERVERS the folder that holds `ty`, SUBJECT a folder with Python
code. The same questions go to `ty` itself and through the plugin, warm, and the medians are compared. Prints one line
for each question. Fails if a server outlives the host, but not because of a time.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 40


class Framed:
    """A language server; the test talks to it directly."""

    def __init__(self, command, root):
        self.process = subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.number = 0
        # The host's own capabilities that change an answer.
        shapes = {"documentSymbol": {"hierarchicalDocumentSymbolSupport": True}, "hover": {"contentFormat": ["markdown", "plaintext"]}}
        shapes["definition"] = {"linkSupport": True}
        capabilities = {"general": {"positionEncodings": ["utf-8"]}, "textDocument": shapes}
        folders = [{"uri": root.as_uri(), "name": root.name}]
        self.ask("initialize", {"processId": None, "rootUri": root.as_uri(), "capabilities": capabilities, "workspaceFolders": folders})
        self.send({"method": "initialized", "params": {}})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def ask(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            message = self.read()
            if message.get("id") == self.number and "method" not in message:
                return message.get("result")
            if "id" in message:
                self.send({"id": message["id"], "result": None})

    def read(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        return json.loads(self.process.stdout.read(length))


class Host:
    """The host with the plugin; the test talks to it as a client."""

    def __init__(self, program, environment, *arguments):
        self.process = subprocess.Popen([program, "serve", *arguments], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.number = 0
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "overhead", "version": "1"}}
        self.ask("initialize", client)
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("id") == self.number:
                return message["result"]

    def call(self, tool, arguments):
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            sys.exit(f"{tool} {arguments}: {result}")
        return result["structuredContent"]

    def query(self, **query):
        return self.call("code_query", query)["results"][0]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def timed(ask):
    ask(), ask()
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        ask()
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def place(subject, symbol):
    """Where the symbol is defined: file, line and column from 0."""
    for path in sorted(subject.rglob("*.py")):
        for number, line in enumerate(path.read_text().splitlines()):
            if found := re.match(rf"(?:class|def) ({symbol})\b", line):
                return path, number, found.start(1)
    sys.exit(f"{symbol} is not defined below {subject}")


def compare(name, direct, through):
    direct, through = timed(direct), timed(through)
    print(f"{name:18} {direct:8.2f} ms itself {through:8.2f} ms through code_query  x{through / direct:.2f}  +{through - direct:.2f} ms")


def living(mark):
    """Processes with this run's environment variable."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            environment = (entry / "environ").read_bytes()
            if mark.encode() in environment and int(entry.name) != os.getpid():
                found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            pass
    return found


def main(program, package, servers, subject, symbol="Flask"):
    subject, folder, servers = pathlib.Path(subject).resolve(), pathlib.Path(tempfile.mkdtemp()), pathlib.Path(servers).resolve()
    path = f"{servers}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "IAC_MCP_STATE": f"{folder}/state", "IAC_MCP_CACHE": f"{folder}/cache", "TMPDIR": str(folder)}
    (folder / "state").mkdir()
    (folder / "state/language-servers.toml").write_text('prefer = ["ty"]\n')
    subprocess.run([program, "plugin", "add", package, "--root", subject, "--yes"], env=environment, check=True, stdout=subprocess.DEVNULL)
    host = Host(program, environment)
    file, line, column = place(subject, symbol)
    began = time.perf_counter()
    first = host.query(type="references", symbol=symbol, path=str(file.relative_to(subject)))
    print(f"first answer, with the start of everything: {time.perf_counter() - began:.2f} s, {first.get('total')} uses, complete: {first.get('complete')}")
    server = Framed([servers / "ty", "server"], subject)
    document = {"uri": file.as_uri(), "languageId": "python", "version": 1, "text": file.read_text()}
    server.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
    at = {"textDocument": {"uri": file.as_uri()}, "position": {"line": line, "character": column}}
    relative = {"path": str(file.relative_to(subject)), "line": line + 1, "character": column + 1}
    uses = {**at, "context": {"includeDeclaration": True}}
    compare("references", lambda: server.ask("textDocument/references", uses), lambda: host.query(type="references", limit=1000, **relative))
    compare("typeInfo", lambda: server.ask("textDocument/hover", at), lambda: host.query(type="typeInfo", **relative))
    compare("outline", lambda: server.ask("textDocument/documentSymbol", {"textDocument": at["textDocument"]}), lambda: host.query(type="outline", path=relative["path"]))
    compare("workspace symbols", lambda: server.ask("workspace/symbol", {"query": symbol.lower()}), lambda: host.query(type="findSymbols", query=symbol))
    server.process.kill()
    before = [one for one in living(f"TMPDIR={folder}") if "ty" in one]
    os.kill(host.process.pid, signal.SIGKILL)
    host.process.wait()
    end = time.monotonic() + 5
    while (left := living(f"TMPDIR={folder}")) and time.monotonic() < end:
        time.sleep(0.05)
    print(f"after kill -9 of the host: {len(before)} processes of servers before, {len(left)} left")
    shutil.rmtree(folder)
    return 1 if left or not before else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
