"""`self-check`: one request, only when it is run, and a clear message if no server answers."""

import json
import subprocess
import unittest

from support import BIN, Home

REPOSITORY = "https://example.invalid/owner/iac-mcp"


class SelfCheck(unittest.TestCase):
    """Uses a `curl` that records its arguments and answers as the test says."""

    def setUp(self):
        home = Home()
        self.addCleanup(home.cleanup)
        self.folder = home.path
        (self.folder / "bin").mkdir()
        self.environment = {**home.environment, "PATH": f"{self.folder / 'bin'}:/bin:/usr/bin"}

    def curl(self, script):
        program = self.folder / "bin/curl"
        program.write_text(f'#!/bin/sh\necho "$@" > {self.folder}/asked\n{script}\n')
        program.chmod(0o755)

    def check(self, *arguments, status=0, repository=("--repository", REPOSITORY)):
        words = [BIN, "self-check", *repository, *arguments]
        ended = subprocess.run(words, env=self.environment, capture_output=True, text=True)
        self.assertEqual(ended.returncode, status, ended.stdout + ended.stderr)
        return ended.stdout + ended.stderr

    def test_a_newer_version(self):
        self.curl(f"printf {REPOSITORY}/releases/tag/v99.0.0")
        said = self.check()
        self.assertIn("iac-mcp 99.0.0 is out; this is ", said)
        self.assertIn("To update, ", said)
        told = json.loads(self.check("--json"))
        self.assertEqual((told["latest"], told["newer"]), ("99.0.0", True))
        asked = (self.folder / "asked").read_text()
        self.assertTrue(asked.endswith(f" -- {REPOSITORY}/releases/latest\n"), asked)
        self.assertIn("--disable", asked)
        self.assertNotIn(told["version"], asked)

    def test_the_newest_version(self):
        self.curl(f"printf {REPOSITORY}/releases/tag/v0.0.1")
        self.assertIn("is the newest version", self.check())

    def test_without_a_network(self):
        self.curl("echo 'curl: (6) Could not resolve host: example.invalid' >&2; exit 6")
        said = self.check(status=1)
        self.assertIn("Could not resolve host", said)
        self.assertIn(f"look at {REPOSITORY}/releases/latest yourself", said)

    def test_without_curl(self):
        self.environment["PATH"] = str(self.folder / "bin")
        self.assertIn("there is no `curl`", self.check(status=1))

    def test_without_a_release(self):
        self.curl("true")
        self.assertIn("has no version to compare: no release", self.check(status=1))

    def test_a_build_that_was_not_released(self):
        self.curl("echo asked >&2; exit 1")
        said = self.check(status=2, repository=("--repository", ""))
        self.assertIn("was not built by a release", said)
        said = self.check(status=2, repository=("--repository", "http://example.invalid"))
        self.assertIn("Expected one that begins with https://", said)
        self.assertFalse((self.folder / "asked").exists())

    def test_a_server_asks_nobody(self):
        self.curl("exit 1")
        hello = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
        words = [BIN, "serve", "--simulated"]
        subprocess.run(words, env=self.environment, input=hello, capture_output=True, text=True, timeout=60)
        self.assertFalse((self.folder / "asked").exists())


if __name__ == "__main__":
    unittest.main()
