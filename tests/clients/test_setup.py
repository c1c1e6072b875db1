"""`setup` writes the file of every client without losing a character, and undoes its changes.

A third-party parser of its format reads each written file: JSON and TOML of Python, PyYAML, and json5 for JSON with
comments.
"""

import json
import subprocess
import tomllib
import unittest

import json5
import yaml

from support import BIN, Home


def strict(text):
    return json.loads(text.removeprefix("\ufeff"))


JSON = [strict, '{\n  "theme": "dark",\n  "mcpServers": {\n    "other": {"command": "/bin/true", "n": 1.50e3}\n  }\n}\n']
JSONC = [json5.loads, '// mine\n{\n\t"a": [1, 2,], // é 😀\n\t"%s": {\n\t\t/* none */\n\t\t"other": {"command": "x"},\n\t},\n}\n']
YAML = [yaml.safe_load, "# mine\nextensions:\n    other:  # o\n        cmd: 'x'\n\n    text: |\n        a\n\nz: é\n"]
LIST = [yaml.safe_load, "name: n\nversion: 1.0.0\nschema: v1\nmcpServers:\n  - name: other # o\n    command: x\nmodels: []\n"]
TOML = [tomllib.loads, "# mine\r\n[mcp_servers.other] # o\r\ncommand  =  'x'\r\n\r\n[z]\r\n  y=1\r\n"]
# Where the servers are in each file, and the file's contents before.
SHAPES = {
    "vscode": (JSONC, ["servers"]),
    "zed": (JSONC, ["context_servers"]),
    "gemini": (JSONC, ["mcpServers"]),
    "amp": (JSONC, ["amp.mcpServers"]),
    "opencode": (JSONC, ["mcp"]),
    "codex": (TOML, ["mcp_servers"]),
    "goose": (YAML, ["extensions"]),
    "continue": (LIST, ["mcpServers"]),
}
PASTED = {"jetbrains"}


def shape(client):
    """A third-party parser of the client's format, a file before `setup`, and where the servers are in it."""
    (parse, before), keys = SHAPES.get(client, (JSON, ["mcpServers"]))
    return parse, before.replace("%s", keys[0]), keys


class Setup(unittest.TestCase):
    def setUp(self):
        self.home = self.enterContext(Home())

    def told(self, *arguments, status=0, environment=None):
        ended = subprocess.run(
            [BIN, *arguments],
            env=self.home.environment | {"PATH": "/usr/bin:/bin"} | (environment or {}),
            cwd=self.home.path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
        )
        said = ended.stdout.decode() + ended.stderr.decode()
        self.assertEqual(ended.returncode, status, said)
        return ended.stdout.decode() if status == 0 else said

    def clients(self):
        return json.loads(self.told("setup", "--json"))["clients"]

    def entry(self, client, text):
        parse, _, keys = shape(client)
        servers = parse(text)
        for key in keys:
            servers = servers[key]
        if isinstance(servers, list):
            [entry] = [each for each in servers if each["name"] == "iac-mcp"]
            return entry
        return servers["iac-mcp"]

    def started(self, entry):
        """The command that a client starts."""
        command = entry.get("command", entry.get("cmd"))
        return command if isinstance(command, list) else [command, *entry["args"]]

    def test_every_client_is_written_and_restored_byte_for_byte(self):
        clients = [each for each in self.clients() if each["client"] not in PASTED]
        self.assertGreaterEqual(len(clients), 20)
        for each in clients:
            client, file = each["client"], self.home.path / each["file"]
            parse, before, keys = shape(client)
            with self.subTest(client):
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(before.encode())
                file.chmod(0o640)
                self.told("setup", client, "--read-only", "--write")
                after = file.read_bytes().decode()
                entry = self.entry(client, after)
                self.assertEqual(self.started(entry), [str(BIN), "serve", "--read-only"])
                rest, whole = parse(before), parse(after)
                for key in keys[:-1]:
                    whole = whole[key]
                servers = whole[keys[-1]]
                if isinstance(servers, list):
                    servers.remove(entry)
                else:
                    del servers["iac-mcp"]
                self.assertEqual(whole, rest, "nothing else has changed")
                self.assertEqual(file.stat().st_mode & 0o777, 0o640)
                self.assertIn("already set up", self.told("setup", client, "--read-only", "--write"))
                self.assertIn("exists already", self.told("setup", client, "--write", status=1))
                self.told("setup", client, "--write", "--force")
                self.assertEqual(self.started(self.entry(client, file.read_bytes().decode()))[1:], ["serve"])
                self.assertIn("restored", self.told("setup", client, "--undo"))
                self.assertEqual(file.read_bytes().decode(), before, "byte for byte")

    def test_a_file_that_was_not_there_goes_again(self):
        for each in self.clients():
            client, file = each["client"], self.home.path / each["file"]
            if client in PASTED:
                continue
            with self.subTest(client):
                self.told("setup", client, "--write")
                self.assertEqual(self.started(self.entry(client, file.read_text()))[1:], ["serve"])
                self.told("setup", client, "--undo")
                self.assertFalse(file.exists())
        self.assertIn("Nothing to undo", self.told("setup", "--undo"))

    def test_what_the_client_has_written_since_stays(self):
        for client, more in [("cursor", None), ("codex", "\r\n# more\r\n"), ("goose", "more: 1\n"), ("zed", "// more\n")]:
            file = self.home.path / next(each["file"] for each in self.clients() if each["client"] == client)
            parse, before, keys = shape(client)
            with self.subTest(client):
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(before.encode())
                self.told("setup", client, "--write")
                text = file.read_bytes().decode()
                text = text.replace('"dark"', '"light"') if more is None else text + more
                file.write_bytes(text.encode())
                self.assertIn("taken out", self.told("setup", client, "--undo"))
                after = file.read_bytes().decode()
                self.assertNotIn("iac-mcp", after)
                self.assertIn("other", parse(after)[keys[0]])
                self.assertIn("light" if more is None else "more", after)

    def test_the_clients_that_are_there_are_found_and_offered(self):
        for folder in (".cursor", ".codeium/windsurf", ".config/zed"):
            (self.home.path / folder).mkdir(parents=True)
        programs = self.home.path / "programs"
        programs.mkdir()
        (programs / "codex").touch()
        there = {"PATH": f"{programs}:/usr/bin:/bin"}
        found = {each["client"] for each in json.loads(self.told("setup", "--json", environment=there))["clients"] if each["found"]}
        self.assertEqual(found, {"cursor", "windsurf", "zed", "codex"})
        self.assertIn("`iac-mcp setup --yes`", self.told("setup"))
        status, said = self.home.at_a_terminal(b"n\ny\nn\nn\n", "setup", PATH="/usr/bin:/bin")
        self.assertEqual((status, said.count("[y/N]")), (0, 3), said)
        written = [path.name for path in self.home.path.rglob("*") if path.is_file() and ".local" not in path.parts and path.parent != programs]
        self.assertEqual(len(written), 1, written)
        self.told("setup", "--yes", environment=there)
        states = {each["client"]: each["setUp"] for each in self.clients()}
        self.assertEqual({client for client, is_set_up in states.items() if is_set_up}, found)
        self.told("setup", "--undo")
        self.assertFalse(any(each["setUp"] for each in self.clients()))

    def test_what_cannot_be_changed_safely_is_left_alone(self):
        for client, text, why in [
            ("cursor", "{ // a comment that Cursor does not read\n}", "not JSON"),
            ("cursor", '{"mcpServers": {}, "mcpServers": {}}', "occurs twice"),
            ("goose", "extensions: [", "not YAML"),
            ("goose", "extensions: {a: {b: c}}\n", "flow style"),
            ("continue", "mcpServers: [text]\n", "flow style"),
            ("goose", "a: &a [1]\n" + "b: [" + "*a, " * 21 + "*a]\n", "more than 20 aliases"),
            ("codex", "x = [" + "1" * 400_000, "not TOML"),
            ("codex", "mcp_servers = 1\n", "not a table"),
        ]:
            file = self.home.path / next(each["file"] for each in self.clients() if each["client"] == client)
            with self.subTest(text):
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
                self.assertIn(why, self.told("setup", client, "--write", status=1))
                self.assertEqual(file.read_text(), text)
        self.assertIn("did you mean", self.told("setup", "claude-desktp", status=2))
        said = self.told("setup", "jetbrains", "--write", status=1)
        self.assertTrue("settings" in said and str(self.home.path) not in said, said)
        (self.home.path / ".cursor/mcp.json").write_bytes(b"\xff")
        self.assertEqual(self.told("setup", "cursor", "--write", status=1).count("mcp.json:"), 1)

    def test_an_empty_place_in_a_file_is_filled(self):
        for client, text in [
            ("goose", "\ufeff# mine\nextensions: {} # none\n"),
            ("continue", "name: x\nmcpServers: []\n"),
            ("cursor", '{"mcpServers": null}'),
            ("vscode", "// only a comment"),
        ]:
            file = self.home.path / next(each["file"] for each in self.clients() if each["client"] == client)
            with self.subTest(text):
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
                self.told("setup", client, "--write")
                self.assertTrue(next(each["setUp"] for each in self.clients() if each["client"] == client))
                self.told("setup", client, "--undo")
                self.assertEqual(file.read_text(), text)

    def test_an_entry_that_starts_something_else_is_told_and_replaced(self):
        file = self.home.path / ".cursor/mcp.json"
        self.told("setup", "cursor", "--write")
        ours = file.read_text()
        offered = lambda: json.loads(self.told("setup", "--yes", "--json", environment={"PATH": "/usr/bin:/bin"}))["clients"]
        self.assertEqual([(each["client"], each["written"]) for each in offered()], [("cursor", False)])
        # A name is looked up in the client's own PATH, and a server on the network has no program.
        for entry, told in [
            ({"command": "/bin/true", "args": ["serve"]}, "another entry, /bin/true"),
            ({"command": "npx", "args": ["@x/iac-mcp", "serve"]}, "another entry, npx"),
            ({"url": "https://mac.example/mcp"}, "another entry, no program"),
        ]:
            file.write_text(json.dumps({"mcpServers": {"iac-mcp": entry}}))
            [other] = offered()
            self.assertEqual(other["written"], False)
            self.assertIn(told, other["what"])
        file.write_text(json.dumps({"mcpServers": {"iac-mcp": {"command": "/gone/iac-mcp", "args": ["serve"]}}}))
        status, said = self.home.at_a_terminal(b"n\n", "setup", PATH="/usr/bin:/bin")
        self.assertIn("/gone/iac-mcp, which is not there. Replace the entry?", said)
        [gone] = offered()
        self.assertTrue(gone["written"], gone)
        self.assertEqual(json.loads(file.read_text())["mcpServers"], json.loads(ours)["mcpServers"])
        for entry, lost in [
            ({"args": ["serve", "--read-only"]}, "arguments (serve --read-only)"),
            ({"args": ["serve"], "env": {"IAC_MCP_READ_ONLY": "1"}}, "`env`"),
            ({"args": ["serve"], "disabled": True}, "`disabled`"),
        ]:
            with self.subTest(lost):
                text = json.dumps({"mcpServers": {"iac-mcp": {"command": "/gone/iac-mcp", **entry}}})
                file.write_text(text)
                [kept] = offered()
                self.assertFalse(kept["written"])
                self.assertIn(f"would not have its {lost}", kept["what"])
                self.assertEqual(file.read_text(), text)
                status, said = self.home.at_a_terminal(b"n\n", "setup", PATH="/usr/bin:/bin")
                self.assertIn(f"{lost}. Replace the entry?", said)
        file.unlink()
        self.told("setup", "cursor", "--write", "--force", "--read-only")
        self.assertIn("other options (serve --read-only)", offered()[0]["what"])
        self.assertEqual(json.loads(self.told("setup", "cursor", "--write", "--read-only", "--json"))["written"], False)

    def test_nothing_is_written_that_cannot_be_taken_back(self):
        records = self.home.path / ".local/state/iac-mcp/setup.json"
        file = self.home.path / ".cursor/mcp.json"
        self.told("setup", "cursor", "--write")
        records.write_text("[{bad")
        before = file.read_bytes()
        self.assertIn("setup.json", self.told("setup", "cursor", "--write", "--force", "--read-only", status=1))
        self.assertEqual(file.read_bytes(), before)
        records.unlink()
        file.chmod(0o400)
        self.assertIn("read-only", self.told("setup", "cursor", "--write", "--force", "--read-only", status=1))
        self.assertEqual(json.loads(records.read_text()), [], "what was not written is not remembered")

    def test_undo_takes_back_what_was_named(self):
        other = self.home.path / "other.json"
        for more in ([], ["--file", other], ["--name", "second"]):
            self.told("setup", "cursor", "--write", *more)
        names = lambda: set(json.loads((self.home.path / ".cursor/mcp.json").read_text())["mcpServers"])
        self.told("setup", "cursor", "--undo", "--file", other)
        self.assertFalse(other.exists())
        self.assertEqual(names(), {"iac-mcp", "second"})
        self.told("setup", "cursor", "--undo", "--name", "second")
        self.assertEqual(names(), {"iac-mcp"})
        self.assertIn("expected letters", self.told("setup", "cursor", "--write", "--name", "a\nb", status=2))

    def test_what_the_client_wrote_before_the_last_write_stays(self):
        file = self.home.path / ".cursor/mcp.json"
        self.told("setup", "cursor", "--write")
        text = file.read_text().replace('"mcpServers"', '"theme": "dark", "mcpServers"')
        file.write_text(text)
        self.told("setup", "cursor", "--write", "--force", "--read-only")
        self.told("setup", "cursor", "--undo")
        self.assertEqual(json.loads(file.read_text())["theme"], "dark")

    def test_an_entry_that_was_replaced_comes_back(self):
        """This also works if the client has rewritten its file meanwhile."""
        own = {
            "cursor": ('{"mcpServers": {"iac-mcp": {"command": "/opt/own", "args": ["--mine"], "env": {"A": "1"}}}}', lambda text: text.replace("{", '{"theme": "dark", ', 1)),
            "zed": ('{ // mine\n  "context_servers": {\n    "iac-mcp": {"command": "/opt/own", "args": ["--mine"]} // own\n  }\n}\n', lambda text: "// more\n" + text),
            "codex": ('[mcp_servers.iac-mcp]\ncommand = "/opt/own"\nargs = ["--mine"]\nenv = { A = "1" }\n', lambda text: "model = 'x'\r\n".replace("\r", "") + text),
            "goose": ('extensions:\n  iac-mcp:\n    cmd: /opt/own\n    args: [--mine]\n  other: {cmd: b}\n', lambda text: "more: 1\n" + text),
            "continue": ('mcpServers:\n  - name: iac-mcp\n    command: /opt/own\n    args: [--mine]\n', lambda text: text.replace("mcpServers:", "name: x\nmcpServers:")),
        }
        files = {each["client"]: self.home.path / each["file"] for each in self.clients()}
        for client, (text, rewrite) in own.items():
            with self.subTest(client):
                file = files[client]
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
                self.told("setup", client, "--write", "--force")
                self.assertEqual(self.started(self.entry(client, file.read_text()))[1:], ["serve"])
                file.write_text(rewrite(file.read_text()))
                self.assertIn("is back", self.told("setup", client, "--undo"))
                self.assertEqual(self.started(self.entry(client, file.read_text())), ["/opt/own", "--mine"])
                self.assertNotEqual(file.read_text(), text, "what the client wrote stays")

    def test_an_entry_that_somebody_wrote_after_setup_comes_back(self):
        file = self.home.path / ".cursor/mcp.json"
        self.told("setup", "cursor", "--write")
        file.write_text('{"mcpServers": {"iac-mcp": {"command": "/opt/own", "args": []}}}')
        self.told("setup", "cursor", "--write", "--force")
        file.write_text(file.read_text().replace("{", '{"theme": "dark", ', 1))
        self.assertIn("is back", self.told("setup", "cursor", "--undo"))
        self.assertEqual(json.loads(file.read_text()), {"theme": "dark", "mcpServers": {"iac-mcp": {"command": "/opt/own", "args": []}}})

    def test_damage_in_the_place_of_a_file_is_said(self):
        (self.home.path / ".codex/config.toml").mkdir(parents=True)
        said = self.told("doctor", status=1)
        self.assertIn("config.toml", said)
        self.assertIn("a folder", said)

    def test_a_client_keeps_the_older_place_of_its_file(self):
        old = self.home.path / ".cache/lm-studio/mcp.json"
        old.parent.mkdir(parents=True)
        old.write_text("{}")
        self.told("setup", "lm-studio", "--write")
        self.assertIn("iac-mcp", old.read_text())
        newer = self.home.path / ".config/opencode/opencode.jsonc"
        newer.parent.mkdir(parents=True)
        newer.write_text('{"mcp": {"servers": {}}}')
        self.told("setup", "opencode", "--write")
        self.assertIn("iac-mcp", json.loads(newer.read_text())["mcp"]["servers"])

    def test_serve_at_a_terminal_says_what_it_waits_for(self):
        status, said = self.home.at_a_terminal(b"\x04", "serve", "--simulated", PATH="/usr/bin:/bin")
        self.assertIn("waits for an MCP client", said)
        self.assertIn("`iac-mcp setup`", said)
        self.assertEqual(status, 0)


if __name__ == "__main__":
    unittest.main()
