"""Runs every call in every prompt against the simulated Mac, unchanged and in order."""

import json
import re
import sys
import unittest

from support import ROOT, Home, Server

sys.path.append(str(ROOT / "tests/plugins"))
from installed import install  # noqa: E402

# Values that fit the simulated Mac, for arguments that have no default.
VALUES = {
    "file_mail": {"words": "weekly fold", "mailbox": "newsletters"},
    "prepare_meeting": {"meeting": "offsite"},
    "explore_app": {"app": "Mail"},
    "find_in_app": {"app": "Notes", "class": "note", "property": "name", "words": "offsite"},
}

# A text that must be quoted wherever it is inserted.
HOSTILE = 'a"b\\c {days} “d” \' -- \u202e'

CALL = re.compile(r"^```call\n(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def calls(text):
    return [(name, json.loads(arguments)) for name, arguments in CALL.findall(text)]


class Prompts(unittest.TestCase):
    def setUp(self):
        self.home = self.enterContext(Home())
        # The omnifocus plugin's prompt is tested with the others.
        install(self.home.state, self.home.cache)
        policy = self.home.state / "policy.toml"
        policy.write_text('profile = "trusted"\n')
        policy.chmod(0o600)
        # The meeting of this week is over on some days, so the Mac's clock is fixed.
        mac = self.home.new_mac("Europe/Berlin")
        base = mac / "base/mac.json"
        base.write_text(json.dumps(json.loads(base.read_text()) | {"clock": "anchor"}))
        self.server = self.enterContext(Server(self.home, "--world", str(mac)))
        self.prompts = self.server.ask("prompts/list")["result"]["prompts"]

    def text(self, name, **arguments):
        answer = self.server.ask("prompts/get", name=name, arguments=arguments)
        self.assertIn("result", answer, answer)
        (message,) = answer["result"]["messages"]
        self.assertEqual(message["role"], "user")
        return message["content"]["text"]

    def test_every_call_works_as_written(self):
        for prompt in self.prompts:
            name = prompt["name"]
            with self.subTest(name):
                written = calls(self.text(name, **VALUES.get(name, {})))
                self.assertTrue(1 <= len(written) <= 4, f"{len(written)} calls")
                answers = []
                for tool, arguments in written:
                    self.play(tool, arguments, answers)

    def play(self, tool, arguments, answers):
        if "app" not in arguments and "listAll" in (answers or [{}])[-1]:
            arguments = answers[-1]["listAll"]["arguments"] | arguments
        arguments = self.filled(arguments, answers)
        answer = self.server.ask("tools/call", name=tool, arguments=arguments)["result"]
        self.assertFalse(answer.get("isError", False), answer)
        answers.append(answer["structuredContent"])
        if "elements" in answers[-1] and "EMAIL" not in json.dumps(arguments):
            self.assertTrue(answers[-1]["elements"], f"nothing found by {arguments}")

    def filled(self, arguments, answers):
        """Puts references from earlier answers in place of `ref_message`: all of them into a list, otherwise the first
        one."""
        found = {}
        for answer in answers:
            for element in answer.get("elements", []):
                found.setdefault(element.get("type", answer.get("type")), []).append(element["id"])
            for element in answer.get("objects", []):
                found.setdefault(element.get("type", answer.get("type")), []).append(element["reference"])

        def fill(value):
            match value:
                case [str(name)] if name.startswith("ref_"):
                    return found[name.removeprefix("ref_")][:3]
                case str() if value.startswith("ref_"):
                    return found[value.removeprefix("ref_")][0]
                case dict():
                    return {key: fill(below) for key, below in value.items()}
                case _:
                    return value

        return fill(arguments)

    def test_a_value_stays_a_value(self):
        shown = 'a"b\\c {days} “d” \' --'
        for prompt in self.prompts:
            texts = [a["name"] for a in prompt.get("arguments", []) if a["name"] not in ("day", "days")]
            with self.subTest(prompt["name"]):
                written = calls(self.text(prompt["name"], **{name: HOSTILE for name in texts}))
                plain = calls(self.text(prompt["name"], **{name: "plain" for name in texts}))
                expected = json.loads(json.dumps(plain).replace('"plain"', json.dumps(shown)))
                self.assertEqual([list(call) for call in written], expected)

    def test_every_argument_with_choices_is_completed(self):
        for prompt in self.prompts:
            for argument in prompt.get("arguments", []):
                reference = {"type": "ref/prompt", "name": prompt["name"]}
                context = {"arguments": VALUES.get(prompt["name"], {})}
                asked = {"ref": reference, "argument": {"name": argument["name"], "value": ""}, "context": context}
                values = self.server.ask("completion/complete", **asked)["result"]["completion"]["values"]
                free = argument["name"] in ("words", "mailbox", "meeting")
                self.assertEqual(free, not values, f"{prompt['name']}: {argument['name']}")


if __name__ == "__main__":
    unittest.main()
