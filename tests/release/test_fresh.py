"""A new machine with nothing but the release files: no cargo, no clone, no tool on PATH."""

import contextlib
import json
import os
import re
import signal
import subprocess
import time
import unittest

from support import FILES, LINUX, NODE, Folder, archive, file, is_for_others, version

# The first answer must come within this time, because a person waits for it.
PATIENCE = 60
# A quick build compiles a plugin's code many times more slowly than a release.
COMPILING = 600

# A release reports the commit from which it was built.
VERSION = rf"^iac-mcp {re.escape(version())}( \([0-9a-f]+ [0-9-]+\))?\n$"


class Fresh(Folder):
    def setUp(self):
        super().setUp()
        self.program = self.unpack(archive(LINUX))

    def run_it(self, *arguments, status=0):
        ended = subprocess.run([self.program, *arguments], env=self.environment, cwd=self.folder, capture_output=True, text=True, timeout=COMPILING)
        self.assertEqual(ended.returncode, status, f"{arguments}: {ended.stdout}{ended.stderr}")
        return ended.stdout + ended.stderr

    def test_first_answer(self):
        began = time.monotonic()
        with self.served([self.program, "serve", "--simulated"]) as server:
            self.call(server, 2, "iac_mcp_query_object", {"app": "Mail", "specifier": "inbox"})
            self.assertLess(time.monotonic() - began, PATIENCE)

    @contextlib.contextmanager
    def served(self, command):
        """A server after its handshake, in the environment of a client that was not started by a shell."""
        server = subprocess.Popen(command, env=self.environment, cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(server.kill)
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        said = self.ask(server, 1, "initialize", hello)
        self.assertEqual(said["serverInfo"]["version"], version())
        server.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        yield server
        server.stdin.close()
        self.assertEqual(server.wait(PATIENCE), 0)
        server.stdout.close()

    def call(self, server, number, tool, arguments):
        said = self.ask(server, number, "tools/call", {"name": tool, "arguments": arguments})
        self.assertFalse(said.get("isError"), said)
        return said["structuredContent"]

    def ask(self, server, number, method, params):
        server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
        server.stdin.flush()
        for line in server.stdout:
            said = json.loads(line)
            if said.get("id") == number:
                self.assertIn("result", said)
                return said["result"]
        self.fail(f"no answer to {method}")

    def test_from_the_first_setup_to_the_last_trace(self):
        """Adds plugins and a client without any tool, lets the client call a plugin, and removes everything again."""
        before = self.traces()
        self.run_it("plugin", "add", "omnifocus", "--yes")
        self.run_it("plugin", "add", "code-query", "--yes", "--root", str(self.folder))
        listed = self.run_it("plugin", "list")
        self.assertTrue("omnifocus" in listed and "code-query" in listed, listed)
        self.run_it("setup", "cursor", "--simulated", "--write")
        entry = json.loads((self.folder / "home/.cursor/mcp.json").read_text())["mcpServers"]["iac-mcp"]
        with self.served([entry["command"], *entry["args"]]) as server:
            read = self.call(server, 2, "omnifocus_read", {"query": {"type": "tasks", "mode": "overdue", "limit": 5}})
            self.assertTrue(read["data"]["tasks"], read)
            names = {tool["name"] for tool in self.ask(server, 3, "tools/list", {})["tools"]}
            self.assertLessEqual({"iac_mcp_get_elements", "omnifocus_write", "code_query"}, names)
        said = self.run_it("uninstall", "--yes")
        self.assertIn(".cursor/mcp.json: removed", said)
        commands = re.findall(r"run `(rm .*)`", said)
        self.assertEqual(len(commands), 3, said)
        for command in commands:
            subprocess.run(["/bin/sh", "-c", command], env={"PATH": "/bin:/usr/bin"}, check=True)
        self.assertEqual(self.traces(), before - {self.program})

    def traces(self):
        """Every existing file."""
        return {path for path in self.folder.rglob("*") if path.is_file()}

    @unittest.skipUnless(is_for_others(LINUX), "a dry run links with this machine's own glibc")
    def test_it_runs_on_older_systems(self):
        wanted = {tuple(map(int, found.split(b"."))) for found in re.findall(rb"GLIBC_(2\.\d+)", self.program.read_bytes())}
        self.assertLessEqual(max(wanted), (2, 28))


class Bundle(Folder):
    def test_it_starts_although_the_execute_bit_is_lost(self):
        bundle = self.unzip(file("iac-mcp-*.mcpb"))
        manifest = json.loads((bundle / "manifest.json").read_text())
        # The program in the bundle is for a Mac. The test puts this machine's program in its place, without the
        # execute bit.
        program = bundle / manifest["server"]["entry_point"]
        program.write_bytes(self.unpack(archive(LINUX)).read_bytes())
        self.assertEqual(program.stat().st_mode & 0o111, 0)
        start = manifest["server"]["mcp_config"]
        words = [start["command"], *(word.replace("${__dirname}", str(bundle)) for word in start["args"][:-1]), "--version"]
        self.environment["PATH"] += ":/bin:/usr/bin"
        said = subprocess.run(words, env=self.environment, capture_output=True, text=True)
        self.assertRegex(said.stdout, VERSION, said.stderr)


class Npm(Folder):
    """Does what `npx` does, with packages that are not published yet."""

    def setUp(self):
        super().setUp()
        self.environment["PATH"] = f"{os.path.dirname(NODE)}:/bin:/usr/bin"
        (self.folder / "package.json").write_text("{}")
        packages = [file(f"npm/iac-mcp-{version()}.tgz"), file("npm/iac-mcp-linux-x64-*.tgz")]
        npm = ["npm", "install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts", *map(str, packages)]
        subprocess.run(npm, cwd=self.folder, env=self.environment, check=True, capture_output=True, text=True)
        self.program = self.folder / "node_modules/.bin/iac-mcp"

    def test_the_wrapper_starts_the_program(self):
        said = subprocess.run([self.program, "--version"], env=self.environment, capture_output=True, text=True)
        self.assertRegex(said.stdout, VERSION, said.stderr)

    def test_the_wrapper_passes_on_the_end(self):
        misused = subprocess.run([self.program, "no-such-command"], env=self.environment, capture_output=True)
        self.assertEqual(misused.returncode, 2)
        server = subprocess.Popen([self.program, "serve", "--simulated"], env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.stdin.close)
        server.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        server.stdin.flush()
        self.assertTrue(server.stdout.readline())
        server.send_signal(signal.SIGTERM)
        self.assertNotEqual(server.wait(PATIENCE), None)

    def test_a_missing_program_is_explained(self):
        manifest = json.loads((self.folder / "node_modules" / self.name() / "package.json").read_text())
        for carrier in manifest["optionalDependencies"]:
            program = self.folder / "node_modules" / carrier / "bin/iac-mcp"
            if program.exists():
                program.unlink()
        said = subprocess.run([self.program], env=self.environment, capture_output=True, text=True)
        self.assertEqual(said.returncode, 1)
        self.assertIn("is missing. Install again without --omit=optional", said.stderr)

    def name(self):
        packages = json.loads((FILES / "server.json").read_text())["packages"]
        return next(package["identifier"] for package in packages if package["registryType"] == "npm")


if __name__ == "__main__":
    unittest.main()
