"""Every example of the guides, run against the simulated Mac in the order in which it stands there."""

import json
import re
import unittest

from support import ROOT, Home, Server

TRUSTED = 'profile = "trusted"\n'

# Recipes read what other people wrote, after which nothing dangerous would run without a human.
AS_USUAL = TRUSTED + 'after-untrusted = "as-usual"\n'


class Guide(unittest.TestCase):
    def test_every_example_of_reading_answers(self):
        self.check("docs/query-tools-guide.md", 11)

    def test_every_example_of_changing_answers(self):
        self.check("docs/changes.md", 5, TRUSTED)

    def test_every_call_of_the_book_answers(self):
        pages = [page for page in sorted(ROOT.glob("book/**/*.md")) if "\n```call\n" in page.read_text()]
        self.assertGreater(len(pages), 10)
        for page in pages:
            self.check(str(page.relative_to(ROOT)), 1, AS_USUAL)

    def check(self, guide, least, policy=""):
        text = (ROOT / guide).read_text()
        calls = [Example(block) for block in re.findall(r"^```call\n(.*?)^```", text, re.DOTALL | re.MULTILINE)]
        self.assertGreaterEqual(len(calls), least)
        kept = {}
        with Home() as home:
            home.state.mkdir(mode=0o700)
            (home.state / "policy.toml").write_text(policy)
            (home.state / "policy.toml").chmod(0o600)
            self.play_all(guide, calls, home, kept)

    def play_all(self, guide, calls, home, kept):
        with Server(home) as server:
            for call in calls:
                with self.subTest(guide, call=call.text):
                    self.play(call, server, kept)
            self.assertEqual(server.end(), 0)

    def play(self, call, server, kept):
        names = {name for name in re.findall(r'"(ref_[a-z]+)"', call.arguments)}
        self.assertLessEqual(names, kept.keys(), "a reference that no earlier example kept")
        arguments = re.sub(r'"(ref_[a-z]+)"', lambda name: json.dumps(kept[name[1]]), call.arguments)
        answer = server.ask("tools/call", name=call.tool, arguments=json.loads(arguments))["result"]
        self.assertFalse(answer.get("isError", False), answer)
        for name, pointer in call.keeps:
            kept[name] = at(answer["structuredContent"], pointer)
        if call.tool == "iac_mcp_get_elements" and not call.shows:
            self.assertNotEqual(answer["structuredContent"]["elements"], [], "an example that finds nothing")
        for pointer in call.shows:
            self.assertIsNotNone(at(answer["structuredContent"], pointer), pointer)


class Example:
    """A tool, its arguments, then lines that say what is kept of the answer and what it shows."""

    def __init__(self, text):
        self.text = text
        lines = text.splitlines()
        self.tool = lines[0]
        notes = [line.split() for line in lines if line.startswith(("keeps ", "shows "))]
        self.arguments = "\n".join(line for line in lines[1:] if not line.startswith(("keeps ", "shows ")))
        self.keeps = [(note[1], note[2]) for note in notes if note[0] == "keeps"]
        self.shows = [note[1] for note in notes if note[0] == "shows"]


def at(json_value, pointer):
    for step in pointer.strip("/").split("/"):
        json_value = json_value[int(step)] if isinstance(json_value, list) else json_value[step]
    return json_value


if __name__ == "__main__":
    unittest.main()
