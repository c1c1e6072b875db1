"""code_query as people get it: the plugin that comes with the program, its tool, a real language server."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from workshop import environment

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
BIN = os.environ.get("IAC_MCP_BIN", str(TARGET / "debug/iac-mcp"))
# The id of a bundled plugin builds it first; the path of a package installs that package.
PLUGIN = os.environ.get("IAC_MCP_CODE_QUERY", "code-query")
SERVERS = [TARGET / "tools/python/servers/bin", ROOT / "target/tools/python/servers/bin"]

SOURCE = '''class Animation:
    def get_frame(self) -> int:
        return self.get_time()

    def get_time(self) -> int:
        return 1


def play(animation: Animation) -> int:
    return animation.get_frame()
'''


class CodeQuery(unittest.TestCase):
    def setUp(self):
        search = os.pathsep.join([*map(str, SERVERS), os.environ["PATH"]])
        if shutil.which("ty", path=search) is None:
            self.skipTest("ty is not installed; `./test servers` brings it")
        folder = tempfile.TemporaryDirectory(prefix="iac-mcp-code-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.project = self.folder / "project"
        self.project.mkdir()
        (self.project / "animation.py").write_text(SOURCE)
        self.environment = environment(self.folder) | {"PATH": search}
        self.run_in("plugin", "add", PLUGIN, "--root", ".", "--yes")

    def run_in(self, *command):
        ended = subprocess.run([BIN, *command], cwd=self.project, env=self.environment, capture_output=True, text=True)
        self.assertEqual(ended.returncode, 0, f"{command}: {ended.stdout}{ended.stderr}")
        return ended.stdout

    def ask(self, query):
        return json.loads(self.run_in("call", "code_query", json.dumps(query), "--json"))["results"]

    def test_questions_are_answered(self):
        found = self.ask({"type": "findSymbols", "query": "Animation.get*"})[0]
        (file,) = found["result"]
        self.assertEqual(file["path"], "animation.py")
        self.assertEqual([line.split(" | ")[0] for line in file["symbols"]],
                         ["2:9-3:31 method Animation.get_frame", "5:9-6:17 method Animation.get_time"])
        self.assertIs(found["complete"], True)
        batch = self.ask({"queries": [
            {"type": "outline", "path": "animation.py", "depth": 1},
            {"type": "references", "symbol": "get_frame"},
            {"type": "outline", "path": "animaton.py"},
        ]})
        self.assertEqual([one["name"] for one in batch[0]["result"]], ["Animation", "play"])
        (file,) = batch[1]["result"]
        self.assertEqual([line.split(":")[0] for line in file["uses"]["play"]], ["10"])
        self.assertEqual(batch[2]["code"], "NOT_FOUND")
        self.assertEqual(batch[2]["hint"], "nearest: animation.py")


if __name__ == "__main__":
    unittest.main()
