"""`uninstall` removes the server from every client and lists what is left."""

import json
import subprocess
import unittest

from support import BIN, Home
from test_setup import PASTED, shape


class Uninstall(unittest.TestCase):
    def setUp(self):
        self.home = self.enterContext(Home())
        self.environment = self.home.environment | {"PATH": "/usr/bin:/bin"}

    def told(self, *arguments, status=0):
        ended = subprocess.run(
            [BIN, *arguments],
            env=self.environment,
            cwd=self.home.path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.assertEqual(ended.returncode, status, ended.stdout + ended.stderr)
        return ended.stdout + ended.stderr

    def files(self):
        """Every file below the home folder except our own, with its bytes and its permissions."""
        own = self.home.path / ".local"
        paths = (path for path in self.home.path.rglob("*") if path.is_file() and own not in path.parents)
        return {path: (path.read_bytes(), path.stat().st_mode) for path in paths}

    def set_up(self, clients):
        """Adds the server to clients; every second one has no file yet."""
        known = {each["client"]: self.home.path / each["file"] for each in json.loads(self.told("setup", "--json"))["clients"]}
        clients = [client for client in known if client not in PASTED] if clients is None else clients
        for at, client in enumerate(clients):
            if at % 2 == 0:
                _, before, _ = shape(client)
                known[client].parent.mkdir(parents=True, exist_ok=True)
                known[client].write_bytes(before.encode())
                known[client].chmod(0o640)
        before = self.files()
        for client in clients:
            self.told("setup", client, "--write")
            self.assertTrue(known[client].is_file())
        return before, {client: known[client] for client in clients}

    def test_every_client_becomes_what_it_was(self):
        before, written = self.set_up(None)
        self.assertEqual(len(written), 20)
        after = self.files()
        self.assertEqual(len(after), 20)

        told = json.loads(self.told("uninstall", "--dry-run", "--json"))
        self.assertEqual({each["client"] for each in told["clients"]}, set(written))
        said = self.told("uninstall", "--dry-run")
        self.assertEqual((said.count("would be restored"), said.count("would be removed")), (10, 10))
        self.assertIn("Add `--yes`", self.told("uninstall", status=2))
        status, said = self.home.at_a_terminal(b"n\n", "uninstall", PATH="/usr/bin:/bin")
        self.assertEqual((status, said.count("[y/N]")), (1, 1), said)
        self.assertIn("nothing was changed", said)
        self.assertEqual(self.files(), after, "nothing is changed without a yes")

        status, said = self.home.at_a_terminal(b"y\n", "uninstall", PATH="/usr/bin:/bin")
        self.assertEqual(status, 0, said)
        self.assertEqual(self.files(), before, "byte for byte")
        self.assertIn("no client has the server", self.told("uninstall"))

    def test_what_a_client_has_written_since_stays(self):
        _, written = self.set_up(["zed", "goose"])
        zed, goose = written["zed"], written["goose"]
        zed.write_text(zed.read_text() + "// more\n")
        goose.write_text(goose.read_text() + "more: 1\n")
        self.assertEqual(self.told("uninstall", "--dry-run").count("would lose the entry and nothing else"), 2)
        self.assertEqual(self.told("uninstall", "--yes").count("the entry was taken out"), 2)
        for file in (zed, goose):
            self.assertIn("more", file.read_text())
            self.assertNotIn("iac-mcp", file.read_text())

    def test_a_file_that_cannot_be_read_is_named_and_tried_again_later(self):
        before, written = self.set_up(["cursor", "codex", "warp"])
        good = written["cursor"].read_text()
        written["cursor"].write_text(good + "}")
        said = self.told("uninstall", "--yes", status=1)
        self.assertIn("not JSON", said)
        self.assertFalse(written["codex"].exists())
        written["cursor"].write_text(good)
        self.assertIn("restored", self.told("uninstall", "--yes"))
        self.assertEqual(self.files(), before)

    def test_it_says_what_is_left(self):
        self.assertEqual([each["what"] for each in json.loads(self.told("uninstall", "--json"))["left"]], [f"the program {BIN}"])
        self.assertFalse((self.home.path / ".local").exists(), "looking makes no folder")

        _, written = self.set_up(["cursor", "warp"])
        records = self.home.path / ".local/state/iac-mcp/setup.json"
        kept = [each for each in json.loads(records.read_text()) if each["client"] == "cursor"]
        records.write_text(json.dumps(kept))
        left = {each["what"]: each["how"] for each in json.loads(self.told("uninstall", "--yes", "--json"))["left"]}
        entry, state, program = left
        self.assertIn(str(written["warp"]), entry)
        self.assertIn("Warp still starts the server", left[entry])
        self.assertEqual(left[state], f"run `rm -r {self.home.path}/.local/state/iac-mcp`")
        self.assertEqual(left[program], f"run `rm {BIN}`")
        self.told("setup", "cursor", "--write", "--cache", str(self.home.path / "my cache"))
        (self.home.path / "my cache").mkdir()
        said = self.told("uninstall", "--yes", "--cache", "my cache")
        self.assertIn(f"run `rm -r '{self.home.path}/my cache'`", said)
        self.assertIn("restart the clients", said)


if __name__ == "__main__":
    unittest.main()
