"""The commands in the pages exist and run, and their output is what the pages show."""

import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import BIN, PATIENCE, ROOT, Home

sys.path.insert(0, str(ROOT / "scripts"))
import pages

FOR_PEOPLE = [*ROOT.glob("book/**/*.md"), ROOT / "docs/troubleshooting.md"]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("book/**/*.md")]
BLOCK = re.compile(r"^```(console|sh)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"`(?:iac-mcp|/path/to/iac-mcp|cargo run --) ([a-z-]+)(?: ([a-z]+))?")
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]+)")
INLINE = re.compile(r"`(?:iac-mcp |serve )[^`]*`")
STAGE = re.compile(r"`\./test ([a-z ]+)`")


def helps(*words):
    done = subprocess.run([BIN, *words, "--help"], capture_output=True, text=True, timeout=PATIENCE, check=False)
    return done.stdout if done.returncode == 0 else None


def options_of(*words):
    """The options of a command and of all its subcommands."""
    text = helps(*words) or ""
    listed = re.search(r"^Commands:\n((?:  .*\n)+)", text, re.MULTILINE)
    below = re.findall(r"^  ([a-z-]+)", listed[1], re.MULTILINE) if listed else []
    deeper = [option for word in below if word != "help" for option in options_of(*words, word)]
    return OPTION.findall(text) + deeper


# Commands that pass on their arguments unchanged, so that other options may follow.
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

    def test_links_to_headings_are_looked_at(self):
        """`./test style` runs the same check on every page."""
        with tempfile.TemporaryDirectory() as folder:
            other, page = Path(folder) / "other.md", Path(folder) / "page.md"
            other.write_text("# Two `words`\n\n```sh\n# no heading\n```\n\n## Again\n\n## Again\n")
            good = ["other.md", "other.md#two-words", "other.md#again-1", "#here"]
            bad = ["none.md", "other.md#no-heading", "other.md#again-2", "#there"]
            page.write_text("## Here\n\n" + "".join(f"[a\nlink]({target})\n" for target in good + bad) + "`[code](x.md)`\n")
            self.assertEqual([re.search(r"link to (\S+?):? ", told)[1] for told in pages.dead(page)], bad)

    def test_what_pages_show_of_a_terminal_happens(self):
        """Runs the commands in a home folder of each page, on a simulated Mac that keeps its changes; `…` stands for
        anything."""
        played = 0
        for page in PAGES:
            blocks = BLOCK.findall(page.read_text())
            if not any(kind == "console" for kind, _ in blocks):
                continue
            with Home() as home:
                self.run_line(home, "iac-mcp sim new mac")
                for block in (text for kind, text in blocks if kind == "console"):
                    for line, expected in entries(block):
                        with self.subTest(page.name, line=line):
                            self.assertRegex(plain(self.run_line(home, line)), pattern(expected))
                            played += 1
        self.assertGreater(played, 5)

    def test_what_pages_tell_to_run_runs(self):
        """Runs in order, in a home folder of each page: the lines in shell blocks, and in pages for people also the
        commands in sentences."""
        played = 0
        for page in PAGES:
            blocks = [line for kind, text in BLOCK.findall(page.read_text()) if kind == "sh" for line in text.splitlines()]
            spoken = re.findall(r"`(iac-mcp [^`]*)`", page.read_text()) if page in FOR_PEOPLE else []
            sentences = [code for code in spoken if not PLACEHOLDER.search(code)]
            lines = [re.split(r"  #| > ", line)[0].strip() for line in blocks + sentences]
            lines = [line for line in lines if line.startswith("iac-mcp ") and not UNTRIED.search(line)]
            if not lines:
                continue
            with Home() as home:
                if not any(line.startswith("iac-mcp sim new") for line in lines):
                    self.run_line(home, "iac-mcp sim new mac")
                for line in lines:
                    with self.subTest(page.name, line=line):
                        self.run_line(home, line)
                        played += 1
        self.assertGreater(played, 40)

    def run_line(self, home, line):
        named = re.search(r"--(?:simulated|world)|sim ", line)
        ended = subprocess.run(
            [BIN, *shlex.split(line)[1:]],
            env=home.environment | ({} if named else {"IAC_MCP_WORLD": "mac"}),
            cwd=home.path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        return ended.stdout + ended.stderr


# A word that a person replaces, or an omission.
PLACEHOLDER = re.compile(r"\b[A-Z]{2,}\b|…| \| ")

# Plugins are built first and have their own tests. `setup` without a client and `self-check` depend on the computer,
# and `uninstall` asks. Others wait for a client, a person or another
# Mac, and `undo --last` needs a change to take back.
UNTRIED = re.compile(r"ssh |iac-mcp (?:plugin|serve|audit follow|access .|consent .|setup(?: --yes| --undo)?$|uninstall$|self-check|undo --last|call (?!iac_mcp_)|lint)")


def entries(block):
    """The commands, which follow `$ `, each with its output."""
    for entry in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        line, _, expected = entry.partition("\n")
        yield line, expected


def plain(text):
    """Text without its layout: the width of a table depends on its contents."""
    return " ".join(text.split())


def pattern(expected):
    return "^" + re.escape(plain(expected)).replace("…", ".*").replace(r"\ ", " ") + "$" if expected.strip() else "^"


if __name__ == "__main__":
    unittest.main()
