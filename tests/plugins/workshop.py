"""Shared parts of the plugin tests: the program, a folder for its state, and commands that must end as expected."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = os.environ.get("IAC_MCP_BIN", str(ROOT / "target/debug/iac-mcp"))
# Coverage counts this program, and not the programs that it starts.
WRAPPERS = {"RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "CARGO_TARGET_DIR"}


def environment(folder):
    """The environment for a program with its state and its cache below a folder."""
    kept = {name: value for name, value in os.environ.items() if name not in WRAPPERS}
    return kept | {"IAC_MCP_STATE": str(folder / "state"), "IAC_MCP_CACHE": str(folder / "cache")}


class Workshop(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="iac-mcp-plugins-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.environment = environment(self.folder)

    def ended(self, folder, *command, status=0):
        """Runs a command without a terminal; returns its output."""
        command = [*map(str, command)]
        ended = subprocess.run(
            command, cwd=folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        self.assertEqual(ended.returncode, status, f"{command}: {ended.stdout}{ended.stderr}")
        return ended

    def run_in(self, folder, *command, status=0):
        ended = self.ended(folder, *command, status=status)
        return ended.stdout + ended.stderr
