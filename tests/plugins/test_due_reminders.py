"""The plugin in C, built with the commands of docs/plugins.md, installed and called."""

import json
import os
import re
import shlex
import shutil
import unittest

from workshop import BIN, ROOT, Workshop

BINDINGS = os.environ.get("IAC_MCP_C_BINDINGS", str(ROOT / "target/debug/iac-c-bindings"))
ZIG = os.environ.get("IAC_MCP_ZIG")


@unittest.skipUnless(ZIG, "there is no zig: IAC_MCP_ZIG does not say where")
class DueReminders(Workshop):
    def setUp(self):
        super().setUp()
        self.environment["ZIG_LOCAL_CACHE_DIR"] = str(self.folder / "zig")
        shutil.copytree(ROOT / "plugins/due-reminders", self.folder, dirs_exist_ok=True)

    def run_it(self, *command, status=0):
        return self.ended(self.folder, *command, status=status).stdout

    def build(self):
        """Runs the commands of the guide. A program of this repository replaces `wit-bindgen`, so it need not be
        installed."""
        text = (ROOT / "docs/plugins.md").read_text()
        commands = re.search(r"## A plugin in C\n.*?```sh\n(.*?)```", text, re.S)[1].replace("\\\n", "")
        programs = {"iac-mcp": [BIN], "zig": [ZIG], "wit-bindgen": [BINDINGS]}
        for line in commands.splitlines():
            program, *words = shlex.split(line)
            words = [str(ROOT / "wit"), "."] if program == "wit-bindgen" else words
            self.run_it(*programs[program], *words)

    def test_c_is_enough(self):
        self.build()
        self.assertIn("cannot change anything", self.run_it(BIN, "plugin", "check", "due-reminders.wasm"))
        self.assertLess((self.folder / "due-reminders.wasm").stat().st_size, 64 * 1024)
        self.run_it(BIN, "plugin", "test", "due-reminders.wasm")
        self.run_it(BIN, "plugin", "bench", "due-reminders.wasm", "--call", "all", "--rounds", "3")
        self.run_it(BIN, "plugin", "add", "due-reminders.wasm", "--yes")
        call = [BIN, "call", "due_reminders", "--simulated", "--json"]
        answer = json.loads(self.run_it(*call))
        dates = [element["properties"]["due date"] for element in answer["elements"]]
        dated = [date for date in dates if date]
        self.assertTrue(dated, answer)
        self.assertEqual(dates[: len(dated)], sorted(dated))
        refused = json.loads(self.run_it(*call, '{"all":true}', status=1))
        self.assertEqual((refused["error"], refused["plugin"]), ("invalid_parameter", "due-reminders"))


if __name__ == "__main__":
    unittest.main()
