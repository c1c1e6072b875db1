"""Runs every example of the guides against the simulated Mac, in the order of the page.

A block `call` is a call. A block `answer` after it is a part of its answer, and a block `question` is the question
that a person gets. Both are compared with what happens; `…` stands for anything.

"""

import json
import re
import subprocess
import unittest

from support import BIN, ROOT, Home, Server

TRUSTED = 'profile = "trusted"\n'

# Recipes read text by other people. After that, the server would ask about every dangerous command.
AS_USUAL = TRUSTED + 'after-untrusted = "as-usual"\n'


class Guide(unittest.TestCase):
    def test_every_example_of_reading_answers(self):
        self.check("docs/query-tools-guide.md", 11)

    def test_every_example_of_changing_answers(self):
        self.check("docs/changes.md", 5, TRUSTED)

    def test_every_call_of_the_book_answers(self):
        changing = {"docs/query-tools-guide.md", "docs/changes.md"}
        pages = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("book/**/*.md")])
        pages = [page for page in pages if "\n```call\n" in page.read_text() and str(page.relative_to(ROOT)) not in changing]
        self.assertGreater(len(pages), 10)
        for page in pages:
            self.check(str(page.relative_to(ROOT)), 1, AS_USUAL)

    def test_every_block_is_run_or_says_what_it_is(self):
        """Printed output becomes outdated, so a page shows it in a block that a test compares."""
        pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("book/**/*.md")]
        found = {(page.name, kind) for page in pages for kind, _ in fences(page.read_text()) if kind not in RUN}
        self.assertEqual(sorted(found - SHOWN), [])
        self.assertEqual(sorted(SHOWN - found), [], "no page has it any more")

    def test_what_differs_from_an_answer_is_found(self):
        answer = {"name": "INBOX", "list": [1, {"a": 2, "b": 3}], "text": "ref_abc is here"}
        for shown in ({"name": "INBOX"}, {"list": [1, {"a": 2}]}, {"list": [1, "…"]}, {"text": "ref_… is here"}, {"name": "…"}):
            self.assertEqual(list(differences(shown, answer)), [], shown)
        for shown in ({"name": "Inbox"}, {"list": [1]}, {"list": [1, {"a": 3}]}, {"none": "…"}, {"text": "…there"}, ["…"]):
            self.assertEqual(len(list(differences(shown, answer))), 1, shown)

    def check(self, guide, least, policy=""):
        text = (ROOT / guide).read_text()
        calls = []
        for kind, block in fences(text):
            if kind == "call":
                calls.append(Example(block))
            elif kind == "answer":
                calls[-1].answer = json.loads(block)
            elif kind == "question":
                calls[-1].question = block
        self.assertGreaterEqual(len(calls), least)
        kept = {}
        with Home() as home:
            home.policy(policy)
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
        if call.question:
            self.asked(call.question, call.tool, json.loads(arguments))
            if not (call.answer or call.keeps or call.shows):
                return
        answer = server.ask("tools/call", name=call.tool, arguments=json.loads(arguments))["result"]
        self.assertFalse(answer.get("isError", False), answer)
        self.assertEqual(list(differences(call.answer, answer["structuredContent"])), [])
        for name, pointer in call.keeps:
            kept[name] = at(answer["structuredContent"], pointer)
        if call.tool == "iac_mcp_get_elements" and not call.shows:
            self.assertNotEqual(answer["structuredContent"]["elements"], [], "an example that finds nothing")
        for pointer in call.shows:
            self.assertIsNotNone(at(answer["structuredContent"], pointer), pointer)

    def asked(self, question, tool, arguments):
        """The questions under the default policy; scripts of clients are switched on first."""
        with Home() as home:
            if tool == "iac_mcp_run_script":
                options = ["--simulated", "--state", str(home.state)]
                subprocess.run([BIN, "policy", "scripts", "ask", *options], env=home.environment, check=True, capture_output=True)
            self.answers_with(question, home, tool, arguments)

    def answers_with(self, question, home, tool, arguments):
        with Server(home, capabilities={"elicitation": {}}) as server:
            result = server.ask("tools/call", name=tool, arguments=arguments)["result"]
            [request] = result["inputRequests"].values()
            self.assertRegex(request["params"]["message"], pattern(question.rstrip("\n")))


class Example:
    """A block: a tool, its arguments, then lines that say which part of the answer to keep and which it must have."""

    def __init__(self, text):
        self.text, self.answer, self.question = text, {}, None
        lines = text.splitlines()
        self.tool = lines[0]
        notes = [line.split() for line in lines if line.startswith(("keeps ", "shows "))]
        self.arguments = "\n".join(line for line in lines[1:] if not line.startswith(("keeps ", "shows ")))
        self.keeps = [(note[1], note[2]) for note in notes if note[0] == "keeps"]
        self.shows = [note[1] for note in notes if note[0] == "shows"]


# Kinds of blocks that a test runs or compares.
RUN = {"call", "answer", "question", "console", "sh"}

# Blocks of other kinds, by page: drawings, templates with names to replace, and files that other tests read or make.
SHOWN = {
    ("ARCHITECTURE.md", "text"),
    ("ARCHITECTURE.md", "rust,ignore"),
    ("code-query.md", "json"),
    ("errors.md", "json"),
    ("execution.md", "text"),
    ("language-servers.md", "toml"),
    ("permissions.md", "toml"),
    # The tests of Python plugins run this block.
    ("plugin-debugging.md", "python"),
    ("plugin-debugging.md", "text"),
    ("plugins.md", "js"),
    ("plugins.md", "json"),
    ("plugins.md", "rust"),
    ("plugins.md", "toml"),
    ("query-tools-guide.md", "text"),
    ("simulator.md", "applescript"),
}


def fences(text):
    """The blocks of a page, each with its kind and its text."""
    return [found[1:] for found in re.findall(r"^(`{3,})([^\n`]*)\n(.*?)^\1$", text, re.DOTALL | re.MULTILINE)]


def pattern(shown):
    return "^" + re.escape(shown).replace("…", "[\\s\\S]*") + "$"


def differences(shown, actual, path=""):
    """Where an answer differs from the page. Parts that the page leaves out are not compared."""
    if isinstance(shown, dict) and isinstance(actual, dict):
        for key, value in shown.items():
            if key in actual:
                yield from differences(value, actual[key], f"{path}/{key}")
            else:
                yield f"{path}/{key}: not in the answer"
    elif isinstance(shown, list) and isinstance(actual, list):
        goes_on = shown[-1:] == ["…"]
        listed = shown[:-1] if goes_on else shown
        if len(actual) < len(listed) or (len(actual) > len(listed) and not goes_on):
            yield f"{path}: {len(actual)} items, shown are {len(listed)}"
        for place, (one, other) in enumerate(zip(listed, actual)):
            yield from differences(one, other, f"{path}/{place}")
    elif isinstance(shown, str) and "…" in shown and not isinstance(actual, (dict, list)):
        if not re.match(pattern(shown), str(actual)):
            yield f"{path}: {actual!r}, shown is {shown!r}"
    elif shown != actual:
        yield f"{path}: {actual!r}, shown is {shown!r}"


def at(json_value, pointer):
    for step in pointer.strip("/").split("/"):
        json_value = json_value[int(step)] if isinstance(json_value, list) else json_value[step]
    return json_value


if __name__ == "__main__":
    unittest.main()
