"""The way of an author: a new plugin is made, tested, built, checked, installed and called."""

import json
import unittest

from workshop import BIN, ROOT, Workshop


class Author(Workshop):
    def test_from_nothing_to_a_call(self):
        """Runs the first commands of docs/plugins.md as they stand there."""
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

    def test_what_is_there_is_kept(self):
        self.run_in(self.folder, BIN, "plugin", "new", "a-plugin")
        self.assertIn("already exists", self.run_in(self.folder, BIN, "plugin", "new", "a-plugin", status=1))
        self.assertIn("expected", self.run_in(self.folder, BIN, "plugin", "new", "A Plugin", status=2))


if __name__ == "__main__":
    unittest.main()
