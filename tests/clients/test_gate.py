"""What surrounds the questions: closed files, read-only servers, the dialog of the Mac, settings, and undo."""

import asyncio
import json
import os
import subprocess
import unittest
from contextlib import suppress
from pathlib import Path

from desk import MODES, Desk, Human, mailbox
from support import BIN, MODERN

WITHIN = "a text with names of others in it"


def command_lines():
    """The arguments of all processes, which every user of a machine can read."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # a process may end meanwhile
            found.append(path.read_bytes())
    return found


class Gate(Desk):
    def policy(self, text):
        self.home.state.mkdir(exist_ok=True)
        (self.home.state / "policy.toml").write_text(text)

    def dialogs(self, *answers):
        (self.mac / "additions.json").write_text(json.dumps({"dialogs": list(answers)}))

    def entries(self):
        return [json.loads(line) for line in self.cli("audit", "export").splitlines()]

    def spellings(self):
        """Ways to name a file in the state directory, or one that starts a client."""
        state = str(self.home.state)
        os.symlink(state, self.home.path / "link")
        os.symlink(self.home.path / "link", self.home.path / "again")
        return [
            f"{state}/policy.toml",
            state,
            f"{state}/new/file",
            state.upper() + "/policy.toml",
            f"{self.home.path}/./tmp/..//state/grants.json",
            f"file://{state}/policy.toml",
            "file://localhost" + state.replace("state", "st%61te"),
            f"{self.home.path}/link/policy.toml",
            f"{self.home.path}/again/audit",
            f"{self.home.path}/link/../state/policy.toml",
            "~/Library/Application Support/Claude/claude_desktop_config.json",
            "~alex/.cursor/mcp.json",
            "/Users/somebody/.claude.json",
            "/private/tmp/project/.vscode/mcp.json",
        ]

    async def test_a_link_into_a_closed_folder_is_followed_however_it_is_named(self):
        self.policy("profile = 'trusted'\nafter-untrusted = 'as-usual'\n")
        way = self.home.path / "x"
        way.mkdir()
        (way / "link").symlink_to(self.home.state)
        (way / "plain.txt").write_text("plain")
        (self.home.state / "kept.txt").write_text("kept")
        words = [f'folder "{way}/link"', f'folder "link" of folder "{way}"', f'folder "../x/link" of folder "{way}"']
        async with self.client(MODERN, Human("once")) as client:
            found = await self.call(client, "iac_mcp_query_object", app="System Events", specifier=f'folder "{way}"')
            to = {"type": "named", "element": "folder", "name": "link", "container": found["reference"]["id"]}
            for at in [*words, f'folder "link" of {found["reference"]["id"]}']:
                calls = [
                    ("iac_mcp_get_elements", {"container": at, "elementType": "disk item"}),
                    ("iac_mcp_get_elements", {"elements": f"every disk item of {at}", "properties": ["name"]}),
                    ("iac_mcp_query_object", {"specifier": f'disk item "kept.txt" of {at}'}),
                    ("iac_mcp_get_properties", {"reference": f'disk item "kept.txt" of {at}'}),
                    ("iac_mcp_run_command", {"command": "delete", "target": f'disk item "kept.txt" of {at}'}),
                    ("iac_mcp_run_command", {"command": "move", "target": f'disk item "{way}/plain.txt"', "arguments": {"to": to}}),
                ]
                for tool, arguments in calls:
                    with self.subTest(tool, arguments=arguments):
                        error = await self.refused(client, tool, app="System Events", **arguments)
                        self.assertEqual(error["error"], "permission_denied")
                        self.assertIn("closed to every call", error["message"])
        self.assertTrue((self.home.state / "kept.txt").exists())
        self.assertTrue((way / "plain.txt").exists())

    async def test_closed_files_are_refused_under_every_profile(self):
        spellings = self.spellings()
        for policy in ("profile = 'standard'", "profile = 'trusted'", "rules = [{ decision = 'allow' }]"):
            self.policy(policy)
            human = Human("once")
            async with self.client(MODERN, human) as client:
                for spelling in spellings:
                    calls = [
                        {"app": "TextEdit", "command": "open", "target": spelling},
                        {"app": "TextEdit", "command": "open", "target": [spelling]},
                        {
                            "app": "Mail",
                            "command": "make",
                            "arguments": {"new": "outgoing message", "with properties": {"subject": spelling}},
                        },
                    ]
                    for call in calls:
                        with self.subTest(policy=policy, call=call):
                            result = await client.call_tool("iac_mcp_run_command", call)
                            body = result.structured_content
                            if body.get("error") == "invalid_parameter" and "target" in call:
                                continue  # no path to begin with
                            self.assertEqual(body.get("error"), "permission_denied", body)
                            self.assertIn("closed to every call", body["message"])
                open_file = {"app": "TextEdit", "command": "open", "target": f"{self.home.path}/tmp/notes.txt"}
                body = (await client.call_tool("iac_mcp_run_command", open_file)).structured_content
                self.assertNotIn("closed to every call", body.get("message", ""))

    async def test_the_newest_of_the_log_is_a_resource(self):
        for mode in MODES:
            with self.subTest(mode):
                async with self.client(mode, Human("once")) as client:
                    self.assertIn("iac://audit", [str(each.uri) for each in (await client.list_resources()).resources])
                    reminder = await self.reminder(client)
                    await self.call(client, "iac_mcp_set_property", reference=reminder, property="name", value=WITHIN)
                    told = json.loads((await client.read_resource("iac://audit")).contents[0].text)
                    kinds = [entry["kind"] for entry in told["entries"]]
                    self.assertEqual(
                        [kinds.count(kind) > 0 for kind in ("start", "decision", "question", "execution")], [True] * 4
                    )
                    self.assertNotIn(WITHIN, json.dumps(told))
                    self.assertTrue(told["untrusted"])

    async def test_a_server_for_reads_writes_nothing(self):
        self.policy("profile = 'trusted'")
        (self.home.state / "config.toml").write_text("read-only = true\ntimeout = 21\n")
        async with self.client(MODERN, Human("once")) as client:
            [message] = await self.unread(client, 1)
            error = await self.refused(
                client, "iac_mcp_set_property", reference=message, property="read status", value=True
            )
            self.assertEqual(error["error"], "permission_denied")
            self.assertIn("--read-only", error["suggestion"])
            told = await self.call(client, "system", action="diagnostics")
            from_where = {setting["key"]: setting["from"] for setting in told["settings"]}
            self.assertTrue(from_where["timeout"].endswith("config.toml:2"), from_where)
            self.assertEqual(from_where["state"], "command line")

    def test_a_mistake_in_the_settings_has_its_place(self):
        self.home.state.mkdir(exist_ok=True)
        (self.home.state / "config.toml").write_text("timeout = 21\ntimeut = 3\n")
        ended = subprocess.run(
            [BIN, "serve", *self.options()], env=self.home.environment, capture_output=True, text=True, input=""
        )
        self.assertEqual((ended.returncode, ended.stdout), (2, ""))
        self.assertIn("config.toml: line 2, column 1: `timeut`", ended.stderr)
        self.assertIn("did you mean `timeout`?", ended.stderr)

    async def test_after_content_of_others_a_deletion_is_asked_even_where_all_is_trusted(self):
        self.policy("profile = 'trusted'")
        inbox = {"type": "property", "property": "inbox", "of": "application"}
        newest = {"type": "element", "element": "message", "index": 0, "container": inbox}
        delete = {"app": "Mail", "command": "delete", "target": newest}
        for mode in MODES:
            with self.subTest(mode):
                human = Human("deny")
                async with self.client(mode, human) as client:
                    await self.call(client, "iac_mcp_run_command", **delete)
                    self.assertEqual(human.asked, [])
                    [message] = await self.unread(client, 1)
                    await self.call(client, "iac_mcp_get_properties", reference=message, properties=["subject"])
                    error = await self.refused(client, "iac_mcp_run_command", **delete)
                    self.assertEqual((error["error"], len(human.asked)), ("permission_denied", 1))
                    self.assertIn("other people's content", human.asked[0].message)
                    # A change that can be undone still needs no question.
                    await self.call(
                        client, "iac_mcp_set_property", reference=message, property="read status", value=True
                    )
                    self.assertEqual(len(human.asked), 1)
                # If a client starts its server again, its conversation still contains the text.
                human = Human("deny")
                async with self.client(mode, human) as client:
                    await self.refused(client, "iac_mcp_run_command", **delete)
                    self.assertEqual(len(human.asked), 1)
                self.assertEqual(json.loads(self.run_cli("call", "iac_mcp_run_command", json.dumps(delete), "--json", *self.options(), status=1))["error"], "permission_required")
                (self.home.state / "untrusted.json").unlink()

    async def test_where_no_client_asks_the_mac_does(self):
        answers = {"Allow once": False, "Allow for an hour": False, "Deny": True, None: True}
        for mode in MODES:
            for button, refused in answers.items():
                with self.subTest(mode=mode, button=button):
                    answer = {"command": "display dialog", "contains": "read status"}
                    self.dialogs(answer | ({"button": button} if button else {"cancel": True}))
                    async with self.client(mode) as client:
                        [message] = await self.unread(client, 1)
                        wanted = {"reference": message, "property": "read status", "value": True}
                        result = await client.call_tool("iac_mcp_set_property", wanted)
                        self.assertEqual(result.is_error, refused, result.structured_content)
                        if refused:
                            self.assertEqual(result.structured_content["error"], "permission_denied")
                        self.assertEqual(await self.read_status(client, [message]), [not refused])
                    if button == "Allow for an hour":
                        self.cli("policy", "revoke", "--all")
        allowed = [entry["by"] for entry in self.entries() if entry["kind"] == "decision" and entry["level"] == "MODIFY"]
        self.assertIn("a human (once, dialog of this Mac)", allowed)

    async def test_a_client_that_asks_is_asked_before_the_mac(self):
        self.dialogs({"command": "display dialog", "button": "Allow once"})
        async with self.client(MODERN, Human("deny")) as client:
            [message] = await self.unread(client, 1)
            await self.refused(client, "iac_mcp_set_property", reference=message, property="read status", value=True)

    async def test_no_process_list_shows_the_text_of_a_dialog(self):
        self.dialogs({"command": "display dialog", "contains": "Evenings", "button": "Allow once", "after": 2500})
        async with self.client(MODERN) as client:
            made = asyncio.create_task(
                self.call(client, "iac_mcp_create", app="Notes", **{"class": "note"}, properties={"body": "Evenings of Ada"})
            )
            while not any(entry["kind"] == "question" for entry in self.entries()):
                await asyncio.sleep(0.05)
            await asyncio.sleep(0.5)
            running = command_lines()
            self.assertTrue(any(b"displayDialog" in words for words in running), "the dialog is open")
            self.assertEqual([words for words in running if b"Evenings" in words], [])
            await made

    async def test_a_question_that_a_dialog_cannot_show_is_not_asked_there(self):
        self.dialogs({"command": "display dialog", "button": "Allow once"})
        objects = [{"class": "note", "properties": {"body": f"<h1>{n}</h1>" + "x" * 40}} for n in range(25)]
        async with self.client(MODERN) as client:
            error = await self.refused(client, "iac_mcp_create", app="Notes", objects=objects)
            self.assertEqual(error["error"], "permission_required")
            self.assertIn("too long for a dialog", error["message"])
        human = Human("once")
        async with self.client(MODERN, human) as client:
            await self.call(client, "iac_mcp_create", app="Notes", objects=objects)
            self.assertIn("<h1>24</h1>", human.asked[0].message)

    async def test_a_question_that_nobody_can_read_is_not_asked(self):
        human = Human("once")
        async with self.client(MODERN, human) as client:
            words = {"app": "StandardAdditions", "command": "choose from list", "target": ["x" * 80] * 600}
            error = await self.refused(client, "iac_mcp_run_command", **words)
            self.assertEqual(error["error"], "invalid_parameter")
            self.assertIn("expected at most 30000", error["message"])
            self.assertEqual(human.asked, [])

    async def test_a_longer_answer_says_what_it_covers(self):
        human = Human("deny")
        for mode in MODES:
            async with self.client(mode, human) as client:
                [message] = await self.unread(client, 1)
                await self.refused(client, "iac_mcp_set_property", reference=message, property="read status", value=True)
                form = json.dumps(human.asked[-1].requested_schema)
                self.assertIn('Allow for an hour: set \\"read status\\" of any message in Mail', form)
                await self.refused(client, "iac_mcp_run_command", app="Mail", command="GetURL", target="ssh://host")
                self.assertIn("DANGEROUS", human.asked[-1].message)
                self.assertNotIn("hour", json.dumps(human.asked[-1].requested_schema))

    async def test_paths_and_lists_of_properties_have_a_bound(self):
        async with self.client(MODERN) as client:
            wanted = {"app": "Mail", "elements": "every message of inbox", "limit": 1}
            for more in [
                {"properties": [".".join(["mailbox"] * 40 + ["name"])]},
                {"groupBy": ["subject"] * 201},
                {"properties": ["x" * 10_001]},
            ]:
                error = await self.refused(client, "iac_mcp_get_elements", **wanted, **more)
                self.assertEqual(error["error"], "invalid_parameter", error)

    async def test_nothing_touches_the_screen_while_a_dialog_is_open(self):
        self.dialogs({"command": "display dialog", "button": "Allow once", "after": 2500})
        async with self.client(MODERN) as client:
            [message] = await self.unread(client, 1)
            asked = asyncio.create_task(
                self.call(client, "iac_mcp_set_property", reference=message, property="read status", value=True)
            )
            while not any(entry["kind"] == "question" for entry in self.entries()):
                await asyncio.sleep(0.05)
            await asyncio.sleep(0.3)
            processes = {"app": "System Events", "container": "application", "elementType": "process"}
            mailboxes = {"app": "Mail", "container": "application", "elementType": "mailbox"}
            await asyncio.gather(
                asked,
                self.call(client, "iac_mcp_get_elements", **processes),
                self.call(client, "iac_mcp_get_elements", **mailboxes),
            )
        done = self.entries()
        answered = next(at for at, entry in enumerate(done) if "dialog of this Mac" in entry.get("by", ""))
        ran = {
            entry["app"]: at
            for at, entry in enumerate(done)
            if entry["kind"] == "execution" and entry["call"]["arguments"].get("elementType") in ("process", "mailbox")
        }
        self.assertLess(ran["com.apple.mail"], answered, "other apps are not held up")
        self.assertGreater(ran["com.apple.systemevents"], answered)

    async def test_a_move_is_followed_and_taken_back(self):
        for mode in MODES:
            with self.subTest(mode):
                name = f"Elsewhere {mode}"
                async with self.client(mode, Human("hour")) as client:
                    [message] = await self.unread(client, 1)
                    make = {"new": "mailbox", "with properties": {"name": name}}
                    await self.call(client, "iac_mcp_run_command", app="Mail", command="make", arguments=make)
                    move = {"app": "Mail", "command": "move", "target": message, "arguments": {"to": mailbox(name)}}
                    undo = (await self.call(client, "iac_mcp_run_command", **move))["undo"]
                    before = await self.unread(client, 50)
                    set_it = {"reference": message, "property": "read status", "value": True}
                    await self.call(client, "iac_mcp_set_property", **set_it)
                    there = await self.call(
                        client,
                        "iac_mcp_get_elements",
                        app="Mail",
                        container=mailbox(name),
                        elementType="message",
                        properties=["read status"],
                    )
                    self.assertEqual([each["properties"] for each in there["elements"]], [{"read status": True}])
                    self.assertEqual(await self.unread(client, 50), before, "no neighbour was touched")
                    done = await self.call(client, "iac_mcp_undo", undo=undo)
                    self.assertEqual((done["success"], done["changes"][0]["verified"]), (True, True))
                    left = await self.call(
                        client, "iac_mcp_get_elements", app="Mail", container=mailbox(name), elementType="message"
                    )
                    self.assertEqual(left["totalCount"], 0)
                self.cli("policy", "revoke", "--all")

    def test_the_doctor_tells_what_is_wrong(self):
        told = json.loads(self.cli("doctor", "--json"))
        self.assertTrue(told["healthy"], told)
        self.assertLess(
            {"system", "state", "policy", "audit", "screen", "apps", "osascript"},
            {check["name"] for check in told["checks"]},
        )
        self.policy("profile = 'truste'")
        told = json.loads(self.cli("doctor", "--json", status=1))
        [policy] = [check for check in told["checks"] if check["name"] == "policy"]
        self.assertIn("line 1, column 11", policy["detail"])

    def test_setup_writes_only_when_it_is_asked_to(self):
        config = self.home.path / "claude.json"
        shown = self.cli("setup", "claude-desktop", "--file", str(config))
        self.assertIn('"mcpServers"', shown)
        self.assertFalse(config.exists())
        config.write_text('{"theme": "dark", "mcpServers": {"other": {"command": "/bin/true"}}}')
        config.chmod(0o640)
        self.cli("setup", "claude-desktop", "--file", str(config), "--write")
        written = json.loads(config.read_text())
        self.assertEqual((written["theme"], config.stat().st_mode & 0o777), ("dark", 0o640))
        self.assertIn("other", written["mcpServers"])
        entry = written["mcpServers"]["iac-mcp"]
        self.assertIn(f"--world={self.mac}", entry["args"])
        asked = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
        ended = subprocess.run(
            [entry["command"], *entry["args"]], env=self.home.environment, input=asked, capture_output=True, timeout=60
        )
        self.assertEqual(json.loads(ended.stdout)["id"], 1, "the client can start it so")
        self.cli("setup", "claude-desktop", "--file", str(config), "--write")
        self.cli("setup", "claude-desktop", "--file", str(config), "--write", "--force")
        config.write_text("{ // mine\n}")
        self.cli("setup", "vscode", "--file", str(config), "--write")
        self.assertRegex(config.read_text(), r'(?s)^\{ // mine\n  "servers": .*\n\}$')
        # Claude Desktop itself does not accept comments.
        for text, status in [('{"a": 1, "a": 2}', 1), ("{", 1), ("{ // mine\n}", 1)]:
            config.write_text(text)
            self.cli("setup", "claude-desktop", "--file", str(config), "--write", status=status)
            self.assertEqual(config.read_text(), text)
        self.assertEqual(self.run_cli("setup", "no-such-client", status=2), "")


if __name__ == "__main__":
    unittest.main()
