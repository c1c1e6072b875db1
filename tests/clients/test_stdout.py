"""Nothing but JSON-RPC on stdout, whatever fails."""

import json
import signal
import subprocess
import unittest

from support import BIN, LEGACY, PATIENCE, Home, Server

HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "bare", "version": "0"}},
}


def line(message):
    return json.dumps(message).encode() + b"\n"


def call(tool, arguments):
    return line({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})


# Lines that a client may write, from wrong to hostile. Each goes to its own server, after a handshake.
INPUTS = {
    "not json": b"hello\n",
    "an empty line": b"\n\r\n",
    "half a message": b'{"jsonrpc":"2.0","id":1,"method":"tools/',
    "bytes that are no text": b"\xff\xfe\x00\n",
    "a list": b"[1,2,3]\n",
    "another version": line({"jsonrpc": "1.0", "id": 1, "method": "ping"}),
    "an unknown method": line({"jsonrpc": "2.0", "id": 1, "method": "no/such"}),
    "an unknown notification": line({"jsonrpc": "2.0", "method": "notifications/no_such"}),
    "a second handshake": line(HELLO),
    "an unknown tool": call("no_such_tool", {}),
    "no arguments": line({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "iac_mcp_query_object"}}),
    "arguments of another kind": call("iac_mcp_query_object", {"app": ["Mail"], "specifier": "inbox"}),
    "a name with everything in it": call(
        "iac_mcp_query_object",
        {
            "app": "Mail",
            "specifier": {
                "type": "named",
                "element": "mailbox",
                "name": "\"'`\\\n\r\u2028\u202e\0 console.log(1) ${x}",
                "container": "application",
            },
        },
    ),
    "very deep": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":' + b"[" * 100_000 + b"\n",
    "a very long line": call("iac_mcp_list_apps", {"search": "x" * 20_000_000}),
}

# Problems that the machine may have.
CIRCUMSTANCES = {
    "no osascript": ["--osascript", "/no/such/program"],
    "osascript that writes nonsense": ["--osascript", "/bin/echo nonsense"],
    "osascript that fails": ["--osascript", "/bin/false"],
    "a state folder that cannot be": ["--state", "/dev/null/state"],
    "a cache folder that cannot be": ["--cache", "/dev/null/cache"],
    "a folder of apps that is not there": ["--root", "/no/such/folder"],
    "a log of everything": [],
}


class Stdout(unittest.TestCase):
    def check_lines(self, lines):
        for written in lines:
            message = json.loads(written)
            self.assertIsInstance(message, dict, written)
            self.assertEqual(message["jsonrpc"], "2.0", written)
            self.assertTrue(written.endswith(b"\n"), written)

    def test_whatever_the_client_writes(self):
        for name, data in INPUTS.items():
            with self.subTest(name), Home() as home, Server(home) as server:
                try:
                    server.write(line(HELLO) + line({"jsonrpc": "2.0", "method": "notifications/initialized"}))
                    server.write(data)
                    server.write(line({"jsonrpc": "2.0", "id": 99, "method": "tools/list"}))
                except BrokenPipeError:
                    pass  # the server may refuse to go on
                server.end()
                self.check_lines(server.lines)
                self.assertTrue(server.lines, server.log)

    def test_whatever_is_wrong_with_the_machine(self):
        for name, options in CIRCUMSTANCES.items():
            with self.subTest(name), Home() as home:
                environment = {**home.environment, "IAC_MCP_LOG": "trace"}
                with Server(home, *options, environment=environment) as server:
                    try:
                        server.send("tools/call", {"name": "iac_mcp_list_apps", "arguments": {}})
                        server.send("tools/call", json.loads(INPUTS["a name with everything in it"])["params"])
                        server.arrived.get(timeout=PATIENCE)
                    except BrokenPipeError:
                        pass  # the server may refuse to start
                    server.end()
                    self.check_lines(server.lines)
                    self.assertTrue(server.lines or server.log, "it neither answered nor said why")

    def test_however_it_ends(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(number.name), Home() as home, Server(home) as server:
                server.ask("tools/list")
                server.send("tools/call", {"name": "iac_mcp_list_apps", "arguments": {}})
                server.process.send_signal(number)
                server.process.wait(PATIENCE)
                server.readers[0].join(PATIENCE)
                whole = [written for written in server.lines if written.endswith(b"\n")]
                self.check_lines(whole)

    def test_misuse(self):
        for arguments in (["serve", "--no-such-option"], ["no-such-command"], ["serve", "--timeout", "soon"]):
            with self.subTest(arguments):
                done = subprocess.run(
                    [BIN, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False
                )
                self.assertEqual((done.returncode, done.stdout), (2, b""))
                self.assertTrue(done.stderr)

    def test_a_reader_that_went_away(self):
        """A closed stdout is the end of the conversation, not a panic."""
        with Home() as home:
            command = [BIN, *home.arguments()]
            pipes = {name: subprocess.PIPE for name in ("stdin", "stdout", "stderr")}
            with subprocess.Popen(command, env=home.environment, cwd=home.path, **pipes) as process:
                process.stdout.close()
                process.stdout = None
                requests = line(HELLO) + call("iac_mcp_list_apps", {})
                _, log = process.communicate(requests, timeout=PATIENCE)
            self.assertNotIn(b"panicked", log)


if __name__ == "__main__":
    unittest.main()
