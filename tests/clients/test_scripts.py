"""Scripts of clients: off by default, shown whole to a human, alone in their process, and logged by their digest."""

import asyncio
import contextlib
import hashlib
import time
import unittest
from pathlib import Path

from desk import MODES, Desk, Human

TOOL = "iac_mcp_run_script"
SCRIPT = 'const mail = Application("Mail");\nmail.accounts.length'
# The results of scripts, and what the client gets for each.
RESULTS = {
    "[1, [2.5, [true, 'x']], []]": [1, [2.5, [True, "x"]], []],
    "({name: 'a', list: [1, {deep: null}]})": {"name": "a", "list": [1, {"deep": None}]},
    "new Date(2026, 0, 5, 9, 30)": "2026-01-05T09:30:00+00:00",
    "({when: [new Date(2026, 0, 5)]})": {"when": ["2026-01-05T00:00:00+00:00"]},
    "null": None,
    "undefined": None,
    "Path('/tmp/x')": "/tmp/x",
    "Application('Notes').notes[0]": {"object": 'Application("Notes").notes.at(0)'},
    "[Application('Finder').home, 'b']": [{"object": 'Application("Finder").home'}, "b"],
}


class Scripts(Desk):
    async def names(self, client):
        return [tool.name for tool in (await client.list_tools()).tools]

    def alone(self):
        """The processes of this Mac that run only one script each."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                is_own = str(self.mac).encode() in (process / "environ").read_bytes()
                if is_own and (process / "cmdline").read_bytes().endswith(b"\0JavaScript\0-\0"):
                    found.append(process)
        return found

    async def test_a_script_is_off_until_the_user_switches_it_on(self):
        for mode in MODES:
            with self.subTest(mode):
                human = Human("once")
                async with self.client(mode, human) as client:
                    self.assertNotIn(TOOL, await self.names(client))
                    refused = await self.refused(client, TOOL, language="JavaScript", script=SCRIPT)
                    self.assertEqual(refused["error"], "permission_denied")
                    self.assertIn("policy scripts ask`", refused["suggestion"])
                self.assertEqual(human.asked, [])
                # A client may keep the list of tools for its session.
                for word, expected in (("ask", True), ("off", False)):
                    self.cli("policy", "scripts", word)
                    self.assertIn(f"scripts {word}", self.cli("policy", "show"))
                    async with self.client(mode, human) as client:
                        self.assertEqual(TOOL in await self.names(client), expected)
                    self.assertEqual(TOOL in self.cli("tools"), expected, "`tools` lists what a client sees")

    async def test_each_script_is_shown_whole_and_allowed_once(self):
        self.cli("policy", "scripts", "ask")
        for mode in MODES:
            with self.subTest(mode):
                human = Human("once", "once", "hour")
                async with self.client(mode, human) as client:
                    for _ in range(2):
                        ran = await self.call(client, TOOL, language="JavaScript", script=SCRIPT)
                        self.assertEqual((ran["value"], ran["untrusted"]), (3, True))
                    refused = await self.refused(client, TOOL, language="JavaScript", script=SCRIPT)
                    self.assertEqual(refused["error"], "permission_denied")
                self.assertEqual(len(human.asked), 3)
                for asked in human.asked:
                    for line in SCRIPT.split("\n"):
                        self.assertIn(f"| {line}\n", asked.message)
        logged = self.cli("audit", "export")
        self.assertIn(hashlib.sha256(SCRIPT.encode()).hexdigest(), logged)
        self.assertNotIn("accounts.length", logged)
        self.cli("audit", "verify")

    async def test_a_result_of_any_kind_arrives(self):
        self.cli("policy", "scripts", "ask")
        human = Human(*["once"] * len(RESULTS))
        async with self.client(MODES[0], human) as client:
            for script, expected in RESULTS.items():
                with self.subTest(script):
                    ran = await self.call(client, TOOL, language="JavaScript", script=script)
                    self.assertEqual(ran["value"], expected)

    async def test_a_script_is_the_last_change_also_if_it_failed(self):
        self.cli("policy", "scripts", "ask")
        self.cli("policy", "profile", "trusted")
        for script in ('Application("Reminders").lists[0].name = "Ran"', 'Application("Reminders").lists[0].name = "Ran"; throw new Error("x")'):
            async with self.client(MODES[0], Human("once")) as client:
                found = await self.call(client, "iac_mcp_query_object", app="Mail", specifier="message 1 of inbox")
                await self.call(client, "iac_mcp_set_property", reference=found["reference"], property="flag index", value=3)
                await client.call_tool(TOOL, {"language": "JavaScript", "script": script})
                last = await self.refused(client, "iac_mcp_undo", last=True)
                self.assertIn("the last change cannot be taken back: a script of the client ran", last["message"])

    async def test_nothing_of_a_script_runs_that_is_no_script(self):
        """A text runs only if it is a complete script by itself, even if it tries to break out of the code around
        it."""
        self.cli("policy", "scripts", "ask")
        rename = 'Application("Reminders").lists[0].name = "Ran"'
        # Each text, with the line of its error.
        wrong = {
            f'}}); {rename}; throw new Error("x"); (function(){{': 1,
            f"}}\n{rename};\n{{": 1,
            f"{rename}; 1+": 1,
            f"{rename};\nconst a = [1,\n2;\n3]": 3,
            f"{rename};\nreturn 5": 2,
            f"{rename};\n\nnew.target": 3,
            f"const a = 1;\nconst a = 2;\n{rename}": 2,
        }
        async with self.client(MODES[0], Human(*["once"] * (len(wrong) + 1))) as client:
            before = await self.call(client, "iac_mcp_query_object", app="Reminders", specifier="name of list 1")
            for script, line in wrong.items():
                with self.subTest(script):
                    refused = await self.refused(client, TOOL, language="JavaScript", script=script)
                    self.assertEqual(refused["outcome"], "not_tried", refused)
                    self.assertIn(f"(line {line})", refused["message"])
                    after = await self.call(client, "iac_mcp_query_object", app="Reminders", specifier="name of list 1")
                    self.assertEqual(after["value"], before["value"])
            # The declarations of a script are its own, even if the server's code has the same names.
            ran = await self.call(client, TOOL, language="JavaScript", script="function encode() { return 1; }\nvar text = 2, Application; text + encode()")
            self.assertEqual(ran["value"], 3)

    async def test_a_script_shares_nothing_with_others_and_ends_at_its_deadline(self):
        self.cli("policy", "scripts", "ask")
        self.home.environment["IAC_MCP_TIMEOUT"] = "3"
        human = Human("once", "once", "once")
        async with self.client(MODES[0], human) as client:
            await self.call(client, TOOL, language="JavaScript", script="globalThis.iacApplications = 7; Math.min = null; 1")
            ran = await self.call(client, TOOL, language="JavaScript", script="function run() { return [typeof iacApplications, Math.min(1, 2)]; }")
            self.assertEqual(ran["value"], ["undefined", 1])
            began = time.monotonic()
            endless = asyncio.create_task(
                self.refused(client, TOOL, language="JavaScript", script="for (;;) delay(0.1)")
            )
            while not self.alone():
                await asyncio.sleep(0.05)
            # Other calls do not wait for it.
            listed = await self.call(client, "iac_mcp_list_apps", search="Mail")
            self.assertTrue(listed["apps"])
            late = await endless
            self.assertEqual((late["error"], late["outcome"], late["retryable"]), ("timeout", "unknown", False))
            while self.alone():
                await asyncio.sleep(0.05)
            self.assertLess(time.monotonic() - began, 15)


class Shortcuts(Desk):
    """A shortcut may do anything, so a rule must name `run` before the server asks anyone."""

    EVENTS = "com.apple.shortcuts.events"

    async def test_a_shortcut_runs_after_a_rule_and_a_question(self):
        run = {"app": "Shortcuts Events", "command": "run", "target": 'shortcut "Count Words"', "arguments": {"with input": "one two three"}}
        self.cli("policy", "allow", self.EVENTS, "--command", "launch")
        for mode in MODES:
            with self.subTest(mode):
                human = Human("once", "deny")
                async with self.client(mode, human) as client:
                    await self.call(client, "iac_mcp_run_command", app="Shortcuts Events", command="launch")
                    listed = await self.call(client, "iac_mcp_get_elements", app="Shortcuts Events", elements="every shortcut of every folder")
                    self.assertEqual([each["name"] for each in listed["elements"]][:2], ["Count Words", "Upper Case"])
                    refused = await self.refused(client, "iac_mcp_run_command", **run)
                    self.assertEqual((refused["error"], human.asked), ("permission_denied", []))
                    self.cli("policy", "ask", self.EVENTS, "--command", "run")
                    ran = await self.call(client, "iac_mcp_run_command", **run)
                    self.assertEqual(ran["data"], 3)
                    refused = await self.refused(client, "iac_mcp_run_command", **run)
                    self.assertEqual(refused["error"], "permission_denied")
                [asked, _] = human.asked
                for words in ('shortcut "Count Words"', 'with input: "one two three"', "DANGEROUS"):
                    self.assertIn(words, asked.message)
                (self.home.state / "policy.toml").unlink()
                self.cli("policy", "allow", self.EVENTS, "--command", "launch")

    async def test_standard_additions_are_an_app_like_others(self):
        human = Human("once")
        async with self.client(MODES[0], human) as client:
            listed = await self.call(client, "iac_mcp_list_apps", search="additions")
            self.assertEqual([app["bundleId"] for app in listed["apps"]], ["com.apple.osax.standardadditions"])
            volume = await self.call(client, "iac_mcp_read_command", app="Standard Additions", command="get volume settings")
            self.assertEqual(volume["data"]["output volume"], 50)
            told = {"app": "Standard Additions", "command": "display notification", "target": "Tea", "arguments": {"with title": "Kitchen"}}
            await self.call(client, "iac_mcp_run_command", **told)
        self.assertIn('with title: "Kitchen"', human.asked[0].message)


if __name__ == "__main__":
    unittest.main()
