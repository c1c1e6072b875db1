"""What the pages tell people to type exists."""

import re
import subprocess
import unittest

from support import BIN, PATIENCE, ROOT

PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
COMMAND = re.compile(r"`(?:iac-mcp|/path/to/iac-mcp|cargo run --) ([a-z-]+)(?: ([a-z]+))?")
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]+)")
INLINE = re.compile(r"`(?:iac-mcp |serve )[^`]*`")
STAGE = re.compile(r"`\./test ([a-z ]+)`")


def helps(*words):
    done = subprocess.run([BIN, *words, "--help"], capture_output=True, text=True, timeout=PATIENCE, check=False)
    return done.stdout if done.returncode == 0 else None


def options_of(*words):
    """The options of a command and of all commands below it."""
    text = helps(*words) or ""
    listed = re.search(r"^Commands:\n((?:  .*\n)+)", text, re.MULTILINE)
    below = re.findall(r"^  ([a-z-]+)", listed[1], re.MULTILINE) if listed else []
    deeper = [option for word in below if word != "help" for option in options_of(*words, word)]
    return OPTION.findall(text) + deeper


# What is handed on as it is, with options of its own.
HANDED_ON = {"osascript", "guard"}


class Pages(unittest.TestCase):
    def test_commands(self):
        named = {match[1] for page in PAGES for match in COMMAND.finditer(page.read_text())} - HANDED_ON
        self.assertLessEqual({"apps", "describe", "call"}, named)
        self.assertEqual([word for word in sorted(named) if helps(word) is None], [])

    def test_options(self):
        known = set(options_of())
        for page in PAGES:
            named = {option for code in INLINE.findall(page.read_text()) for option in OPTION.findall(code)}
            self.assertEqual(sorted(named - known), [], page.name)

    def test_stages(self):
        listed = subprocess.run([ROOT / "test", "--list"], capture_output=True, text=True, timeout=PATIENCE, check=True)
        stages = {line.split()[0] for line in listed.stdout.splitlines()}
        named = {stage for page in PAGES for match in STAGE.finditer(page.read_text()) for stage in match[1].split()}
        self.assertLessEqual({"purity", "style", "release"}, named)
        self.assertEqual(sorted(named - stages), [])


if __name__ == "__main__":
    unittest.main()
