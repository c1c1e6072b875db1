"""An independent conformance checker, over stdio: the handshake, the tools, the envelope, unknown methods."""

import shlex
import subprocess
import sys
import unittest
from pathlib import Path

from support import BIN, Home

CHECKER = Path(sys.executable).with_name("mcp-conform")


@unittest.skipUnless(CHECKER.is_file(), "skipped: mcp-conform is not installed beside this Python")
class Conform(unittest.TestCase):
    def test_every_check_passes(self):
        with Home() as home:
            server = shlex.join([BIN, *home.arguments()])
            command = [CHECKER, "server", "--transport", "stdio", "--command", server]
            done = subprocess.run(
                command, env=home.environment, cwd=home.path, capture_output=True, text=True, timeout=120, check=False
            )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("Result: PASS", done.stdout)


if __name__ == "__main__":
    unittest.main()
