"""The golden calls of the bundled plugins: each gets the answer in its file, and `plugin bench` can measure it."""

import json
import unittest

from workshop import BIN, ROOT, Workshop


class Shipped(Workshop):
    def plugin(self, *words):
        return self.ended(ROOT, BIN, "plugin", *words).stdout

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
