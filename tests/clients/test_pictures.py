"""The pictures show the current output of the program, and load nothing from elsewhere."""

import os
import subprocess
import sys
import unittest
import xml.etree.ElementTree as Tree

from support import BIN, PATIENCE, ROOT

PICTURES = ROOT / "docs/pictures"


class Pictures(unittest.TestCase):
    def test_they_show_what_the_program_says(self):
        done = self.check(BIN)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_diagrams_are_as_the_script_draws_them(self):
        script = ROOT / "scripts/diagrams.py"
        done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_another_program_is_not_what_they_show(self):
        done = self.check("/bin/echo")
        self.assertNotEqual(done.returncode, 0)

    def check(self, program):
        return subprocess.run(
            [sys.executable, ROOT / "scripts/pictures.py", "--check"],
            env=os.environ | {"IAC_MCP_BIN": program},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    def test_each_is_one_file_with_words_and_both_schemes(self):
        pictures = sorted(PICTURES.glob("*.svg"))
        self.assertGreaterEqual(len(pictures), 5)
        for picture in pictures:
            with self.subTest(picture.name):
                text = picture.read_text()
                names = {element.tag.split("}")[1] for element in Tree.fromstring(text).iter()}
                self.assertTrue({"title", "desc"} <= names)
                self.assertFalse({"script", "image", "foreignObject"} & names)
                self.assertNotRegex(text, r"url\((?!#)")
                self.assertIn("prefers-color-scheme: dark", text)


if __name__ == "__main__":
    unittest.main()
