"""The steps of an author: a new plugin is made, tested, built, checked, installed and called."""

import json
import unittest

from workshop import BIN, ROOT, Workshop


class Author(Workshop):
    def test_from_nothing_to_a_call(self):
        """Runs the first commands of docs/plugins.md exactly as the page has them."""
        text = (ROOT / "docs/plugins.md").read_text()
        folder = self.folder
        for line in text.partition("```sh\n")[2].partition("```")[0].splitlines():
            words = [BIN if word == "iac-mcp" else word for word in line.split()]
            if words[0] == "cd":
                folder = folder / words[1]
                continue
            said = self.run_in(folder, *words)
            if "check" in words:
                self.assertIn("cannot change anything", said)
        answer = json.loads(self.run_in(folder, *words, "--json"))
        names = {folder["name"] for folder in answer["folders"]}
        self.assertTrue(names, answer)
        self.assertTrue(all(isinstance(folder["notes"], int) for folder in answer["folders"]), answer)

    def golden(self, **calls):
        folder = self.folder / "calls"
        folder.mkdir(exist_ok=True)
        for name, call in calls.items():
            (folder / f"{name}.json").write_text(json.dumps(call))
        return [BIN, "plugin", "test", ROOT / "tests/plugins/released/0.1.0.wasm", "--calls", folder]

    def test_a_difference_is_shown_in_full(self):
        said = self.run_in(self.folder, *self.golden(one={"answer": {"a": "x" * 300 + " the cause"}}), status=1)
        self.assertIn("one: answer.a: expected", said)
        self.assertIn("the cause", said)

    def test_a_call_without_an_answer_shows_what_came(self):
        said = self.run_in(self.folder, *self.golden(one={}, two={"arguments": {"n": 1}}), status=1)
        self.assertIn("the file has no answer; --update writes the answer {", said)

    def test_calls_are_read_before_the_first_one_is_made(self):
        command = self.golden(one={"answer": {}}, two={"tool": "hostel"})
        said = self.run_in(self.folder, *command, "--update", status=2)
        self.assertIn("calls/two.json: expected `tool` to be one of hostile", said)

    def test_an_error_names_the_manifest(self):
        manifest = self.folder / "m.toml"
        manifest.write_text('id = "demo"\nversion = "one"\nlicence = "MIT"\napi = "0.1"\ndescription = "d"\n')
        command = [BIN, "plugin", "pack", ROOT / "tests/plugins/released/0.1.0.wasm", "--manifest", manifest]
        self.assertIn("m.toml, line 2: `version` is `one`", self.run_in(self.folder, *command, status=1))

    def test_what_is_there_is_kept(self):
        self.run_in(self.folder, BIN, "plugin", "new", "a-plugin")
        self.assertIn("already exists", self.run_in(self.folder, BIN, "plugin", "new", "a-plugin", status=1))
        new = lambda name: self.run_in(self.folder, BIN, "plugin", "new", name, status=2)
        self.assertIn("expected", new("A Plugin"))
        self.assertIn("reserve this name for a device", new("con"))
        self.assertIn("the server uses this name", new("system"))


if __name__ == "__main__":
    unittest.main()
