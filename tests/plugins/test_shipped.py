"""The golden calls of the plugins that come with the program: each is answered as its file says, and can be measured."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = os.environ.get("IAC_MCP_BIN", str(ROOT / "target/debug/iac-mcp"))
# Coverage is of this program, not of what it starts.
WRAPPERS = {"RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "CARGO_TARGET_DIR"}


class Shipped(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="iac-mcp-shipped-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        kept = {name: value for name, value in os.environ.items() if name not in WRAPPERS}
        own = {"IAC_MCP_STATE": str(self.folder / "state"), "IAC_MCP_CACHE": str(self.folder / "cache")}
        self.environment = kept | own

    def plugin(self, *words):
        command = [BIN, "plugin", *map(str, words)]
        ended = subprocess.run(command, cwd=ROOT, env=self.environment, capture_output=True, text=True)
        self.assertEqual(ended.returncode, 0, f"{command}: {ended.stdout}{ended.stderr}")
        return ended.stdout

    def check(self, name):
        calls = ROOT / "plugins" / name / "calls"
        package = self.folder / f"{name}.wasm"
        self.plugin("build", calls.parent, "--output", package)
        rows = json.loads(self.plugin("test", package, "--calls", calls, "--json"))["calls"]
        self.assertEqual({row["call"] for row in rows}, {file.stem for file in calls.glob("*.json")})
        answered = next(file.stem for file in sorted(calls.glob("*.json")) if "answer" in json.loads(file.read_text()))
        self.plugin("bench", package, "--calls", calls, "--call", answered, "--rounds", "3", "--json")

    def test_inbox_digest(self):
        self.check("inbox-digest")

    def test_calendar_load(self):
        self.check("calendar-load")

    def test_omnifocus(self):
        self.check("omnifocus")


if __name__ == "__main__":
    unittest.main()
