"""Good manners at a terminal: no line is wider than the screen or breaks inside a word, and colours and pagers appear
only at a terminal."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import unittest

from screen import CODES, Screen
from support import BIN, PATIENCE, Home

WIDTHS = (80, 200)
LONG = "Call the plumber on Monday, about the tap in the kitchen and the other one in the bath"
RENAME = {"app": "Reminders", "reference": 'reminder "Call the plumber"', "property": "name", "value": LONG}
# Commands that people run, each with its exit status.
LINES = {
    "apps": 0,
    "describe Mail": 0,
    "describe Mail message": 0,
    "describe Finder folder": 0,
    "describe Mail send": 0,
    "tools": 0,
    "tools Mail": 0,
    "lint Mail": 0,
    "doctor": 0,
    "audit": 0,
    "undo": 0,
    "policy show": 0,
    "policy grants": 0,
    "plugin list": 0,
    "consent": 0,
    "access": 0,
    "setup": 0,
    "top --once": 0,
    "call nope": 2,
    "describe Mial": 1,
    "plugin show x": 1,
    "self-check": 2,
    "serv": 2,
    "apps --jsno": 2,
    "apps --timeout soon": 2,
}
# Numbers and times that differ between two runs, also in how many digits they have.
VARYING = re.compile(r"\d+")


class Terminal(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = Home()
        cls.addClassCleanup(cls.home.cleanup)
        cls.run_piped("sim", "new", "mac")
        cls.run_piped("policy", "profile", "trusted", world=True)
        cls.run_piped("call", "iac_mcp_set_property", json.dumps(RENAME), world=True)
        cls.run_piped("call", "iac_mcp_get_elements", '{"app": "Mail", "elements": "every account"}', world=True)
        cls.run_piped("policy", "allow", "com.apple.reminders", "--command", "make", world=True)

    @classmethod
    def run_piped(cls, *arguments, world=False, **environment):
        kept = {"IAC_MCP_WORLD": "mac"} if world else {}
        return subprocess.run(
            [BIN, *arguments],
            env=cls.home.environment | kept | environment,
            cwd=cls.home.path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )

    def at(self, line, columns, pager="cat", **environment):
        environment = {"IAC_MCP_WORLD": "mac", "PAGER": pager} | environment
        with Screen(self.home, *shlex.split(line), columns=columns, rows=60, **environment) as screen:
            status, text = screen.end()
            return status, text, screen.said

    def test_nothing_is_wider_than_the_terminal_and_no_word_breaks(self):
        """Each word also appears on a terminal wide enough to need no wrapping; text that is cut ends in `…`."""
        for line, expected in LINES.items():
            status, whole, _ = self.at(line, 2000)
            self.assertEqual(status, expected, whole)
            known = set(words(whole))
            for columns in WIDTHS:
                with self.subTest(line, columns=columns):
                    status, text, _ = self.at(line, columns)
                    self.assertEqual(status, expected, text)
                    wide = [each for each in text.splitlines() if len(each) > columns]
                    self.assertEqual([each for each in wide if " " in each.strip()], [])
                    broken = [word for word in words(text) if word not in known and "…" not in word]
                    self.assertEqual(broken, [])

    def test_help_fits(self):
        for line in ("-h", "--help", "apps -h", "plugin -h", "call --help", "audit --help", "policy allow -h"):
            for columns in WIDTHS:
                with self.subTest(line, columns=columns):
                    status, text, _ = self.at(line, columns)
                    self.assertEqual(status, 0)
                    self.assertLessEqual(max(map(len, text.splitlines())), columns)

    def test_colours_are_for_terminals_and_can_be_chosen(self):
        for line in ("apps", "describe Mail", "doctor", "call nope"):
            with self.subTest(line):
                colours = [
                    (True, self.at(line, 80)[2]),
                    (False, self.at(line, 80, NO_COLOR="1")[2]),
                    (False, self.at(f"{line} --color never", 80)[2]),
                    (False, self.at(line, 80, TERM="dumb")[2]),
                    (False, self.piped(line)),
                    (True, self.piped(line, CLICOLOR_FORCE="1")),
                    (True, self.piped(f"{line} --color always")),
                ]
                self.assertEqual([is_coloured(text) for _, text in colours], [expected for expected, _ in colours])

    def test_colours_read_well_on_light_and_dark(self):
        """Only the terminal's own colours, which its owner has chosen to suit the background: no white, black or fixed
        shade."""
        said = b"".join(self.at(line, 80)[2] for line in ("-h", "apps", "describe Mail", "doctor", "audit", "call nope", "call iac_mcp_list_apps"))
        codes = {code for match in re.findall(rb"\x1b\[([\d;]*)m", said) for code in match.split(b";")}
        self.assertLessEqual({int(code or 0) for code in codes}, {0, 1, 2, 4, 22, 31, 32, 33, 35, 36, 39})

    def test_errors_are_on_stderr_and_results_are_not(self):
        good, bad = self.run_piped("apps", world=True), self.run_piped("describe", "Mial", world=True)
        self.assertEqual((good.returncode, good.stderr, bool(good.stdout)), (0, "", True))
        self.assertEqual((bad.returncode, bad.stdout), (1, ""))
        self.assertRegex(bad.stderr, r"^error: .*Mial.*did you mean \"Mail\"")

    def test_what_is_misspelt_is_suggested(self):
        for line, expected in (
            ("serv", "serve"),
            ("plugin lst", "list"),
            ("apps --jsno", "--json"),
            ("completions bsh", "bash"),
            ("describe Mial", "Mail"),
            ("describe Mail mesage", "message"),
            ("call iac_mcp_list_app", "iac_mcp_list_apps"),
            ("call list_apps", "iac_mcp_list_apps"),
            ("setup claude-desktp", "claude-desktop"),
            ("policy profile trustd", "trusted"),
            ("audit --kind decison", "decision"),
        ):
            with self.subTest(line):
                ended = self.run_piped(*shlex.split(line), world=True)
                self.assertIn(ended.returncode, (1, 2))
                self.assertRegex(ended.stderr, f"(?i)(did you mean|similar|nearest|tip)[^\n]*{expected}")

    @unittest.skipUnless(shutil.which("less"), "skipped: less is not installed")
    def test_a_long_answer_waits_in_the_pager_and_a_short_one_does_not(self):
        for rows, waits in ((10, True), (200, False)):
            with self.subTest(rows), Screen(self.home, "describe", "Finder", rows=rows, IAC_MCP_WORLD="mac") as screen:
                screen.wait_for("add a term to see" if rows == 200 else ":")
                self.assertIn(b"\x1b[1m", screen.said)
                if waits:
                    os.kill(screen.process.pid, signal.SIGINT)
                    self.assertIsNone(screen.process.poll(), "the pager is not left alone")
                self.assertEqual(screen.end(b"q" if waits else None)[0], 0)
                self.assertTrue(screen.is_given_back(), screen.said)

    def test_the_pager_is_the_one_of_its_reader(self):
        marks = "sed s/^/|/"
        for line, environment, is_paged in (
            ("describe Mail", {"PAGER": marks}, True),
            ("describe Mail", {"PAGER": "cat", "IAC_MCP_PAGER": marks}, True),
            ("audit", {"PAGER": marks}, True),
            ("audit verify", {"PAGER": marks}, False),
            ("describe Mail --json", {"PAGER": marks}, False),
            ("describe Mail", {"PAGER": marks, "TERM": "dumb"}, False),
            ("describe Mail", {"PAGER": "no-such-pager"}, False),
        ):
            with self.subTest(line, **environment):
                status, text, _ = self.at(line, 80, **environment)
                self.assertEqual((status, text.startswith("|")), (0, is_paged), text)
                if is_paged:
                    self.assertLessEqual(max(map(len, text.splitlines())), 81)
        self.assertNotIn("|", self.run_piped("describe", "Mail", world=True, PAGER=marks).stdout)
        status, text, said = self.at("describe Mial", 80, pager=marks)
        self.assertEqual((status, text.startswith("error: ")), (1, True))
        self.assertFalse(is_coloured(self.at("describe Mail", 80, pager=marks, NO_COLOR="1")[2]))

    def test_a_reader_that_has_enough_is_no_failure(self):
        for line in ("describe Finder", "audit export", "completions bash"):
            with self.subTest(line):
                piped = f"{shlex.quote(BIN)} {line} --world mac 2>&1 | head -n 1; exit ${{PIPESTATUS[0]}}"
                ended = subprocess.run(
                    ["bash", "-c", piped], env=self.home.environment, cwd=self.home.path, capture_output=True, text=True, timeout=PATIENCE
                )
                self.assertEqual(ended.returncode, 0, ended.stdout)
                self.assertEqual(len(ended.stdout.splitlines()), 1)

    def test_the_version_says_which_build_it_is(self):
        for line in ("-V", "--version"):
            self.assertRegex(self.run_piped(line).stdout, r"^iac-mcp \d+\.\d+\.\d+\S*( \([0-9a-f]{7,} \d{4}-\d\d-\d\d\))?\n$")

    def test_an_option_may_stand_twice(self):
        self.assertEqual(self.run_piped("apps", "--json", "--json", "--simulated", "--simulated").returncode, 0)
        twice = self.run_piped("audit", "--limit", "1", "--limit", "2", "--json", world=True)
        self.assertEqual((twice.returncode, len(json.loads(twice.stdout)["entries"])), (0, 2))

    def test_json_is_one_object_also_where_a_sentence_says_what_was_done(self):
        for line, said in {
            "sim new other": {"world": "other"},
            "sim reset other": {"world": "other"},
            "policy check --world other": {"profile": "standard", "rules": 0},
            "policy profile trusted --world other": {"profile": "trusted"},
            "policy scripts ask --world other": {"scripts": "ask"},
            "policy deny com.apple.Notes --world other": {"decision": "deny", "rule": "anything of com.apple.Notes"},
            "policy revoke --all --world other": {"revoked": 0},
            "audit remove --older 30d --world other": {"removed": 0},
            "audit accept --world other": {"acknowledged": []},
        }.items():
            with self.subTest(line):
                ended = self.run_piped(*shlex.split(line), "--json")
                self.assertEqual(ended.returncode, 0, ended.stderr)
                self.assertLessEqual(said.items(), json.loads(ended.stdout).items())

    def test_an_interrupt_ends_it_and_leaves_the_terminal_as_it_was(self):
        for line in ("audit follow", "serve", "top"):
            with self.subTest(line), Screen(self.home, *line.split(), IAC_MCP_WORLD="mac") as screen:
                end = 3
                while end > 0 and not screen.said:
                    screen.read(0.1)
                    end -= 0.1
                status, _ = screen.end(b"\x03" if line == "top" else signal.SIGINT)
                self.assertIn(status, (0, -signal.SIGINT))
                self.assertTrue(screen.is_given_back(), screen.said)

    def piped(self, line, **environment):
        ended = self.run_piped(*shlex.split(line), world=True, **environment)
        return (ended.stdout + ended.stderr).encode()


def words(text):
    # A path that is wider than the terminal continues on the next line after a slash.
    return [VARYING.sub("0", word) for word in re.sub(r"/\n *", "/", CODES.sub("", text)).split()]


def is_coloured(said):
    return re.search(rb"\x1b\[[\d;]*m", said) is not None


if __name__ == "__main__":
    unittest.main()
