"""Plugins through the official Python SDK: their permissions, the questions, and changes by their operator
meanwhile."""

import asyncio
import json
import os
import shutil
import subprocess
import time
import unittest
from pathlib import Path

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import ElicitResult

from desk import MODES, Desk, Human
from support import BIN, MODERN, ROOT
PACKAGES = Path(BIN).parent.parent / "tmp" / "guests"
# Coverage counts this program, and not its guests.
WRAPPERS = {"RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER"}


def package(folder):
    """Builds a plugin of this repository; cargo reuses its earlier output."""
    file = PACKAGES / f"{Path(folder).name}.wasm"
    environment = {name: value for name, value in os.environ.items() if name not in WRAPPERS}
    environment |= {"CARGO_TARGET_DIR": str(PACKAGES)}
    PACKAGES.mkdir(parents=True, exist_ok=True)
    command = [BIN, "plugin", "build", str(ROOT / folder), "--output", str(file)]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return file


class Plugins(Desk):
    @classmethod
    def setUpClass(cls):
        cls.probe = package("tests/plugins/probe")

    def setUp(self):
        super().setUp()
        self.cli("plugin", "add", str(self.probe), "--yes")

    async def ok(self, client, tool, **arguments):
        return await self.call(client, tool, **arguments)

    async def test_a_plugin_asks_for_each_write_and_does_nothing_twice(self):
        for mode in MODES:
            with self.subTest(mode):
                human = Human("once")
                names = [f"first, {mode}", f"second, {mode}"]
                async with self.client(mode, human) as client:
                    before = (await self.ok(client, "probe", do="count"))["calls"]
                    done = await self.ok(client, "probe_change", do="rename", names=names)
                self.assertEqual(done["written"], names)
                self.assertEqual(done["counted"], before + 1, "the call was counted once, however often it came")
                self.assertEqual(len(human.asked), 2, human.asked)
                for asked in human.asked:
                    self.assertTrue(asked.message.startswith('The plugin "probe" wants to: Reminders: set "name"'), asked)
        entries = json.loads(self.cli("audit", "--json"))["entries"]
        writes = [entry for entry in entries if entry["kind"] == "execution" and entry["call"]["tool"] == "iac_mcp_set_property"]
        self.assertTrue(writes)
        self.assertTrue(all(entry["call"]["plugin"] == "probe" for entry in writes), writes)
        self.assertIn("plugin probe", " ".join(self.cli("audit", "--kind", "execution").split()))

    async def test_without_a_yes_nothing_is_written(self):
        for mode in MODES:
            with self.subTest(mode):
                human = Human("deny")
                async with self.client(mode, human) as client:
                    error = await self.refused(client, "probe_change", do="rename", names=["no"])
                self.assertEqual((error["error"], error["plugin"]), ("permission_denied", "probe"))
                async with self.client(mode) as client:
                    error = await self.refused(client, "probe_change", do="rename", names=["no"])
                self.assertEqual((error["error"], error["requiresPrompt"]), ("permission_required", True))
                self.assertIn('app = "com.apple.reminders"', error["policyLine"].lower())
                self.assertNotIn("detail", error, "the host's own words stand where they always do")

    async def test_nothing_goes_beyond_the_grant(self):
        (self.home.state / "policy.toml").write_text('profile = "trusted"\n')
        async with self.client(MODERN) as client:
            error = await self.refused(client, "probe_change", do="command", **{"with": {"command": "delete", "target": await self.reminder(client)}})
            self.assertEqual(error["error"], "permission_denied")
            self.assertIn("the plugin was granted no more than MODIFY", error["message"])
            self.assertIn(" plugin grant probe", error["suggestion"])
            error = await self.refused(client, "probe", do="finder")
            self.assertIn("has no grant to read", error["message"])
            error = await self.refused(client, "probe", do="rename", names=["no"])
            self.assertIn("declares itself read-only", error["message"])
            mail = await self.ok(client, "iac_mcp_query_object", app="Mail", specifier={"type": "property", "property": "inbox", "of": "application"})
            error = await self.refused(client, "probe", do="properties", **{"with": {"reference": mail["reference"]["id"]}})
            self.assertIn("is a reference to another app", error["message"])

    async def test_no_spelling_of_an_object_leads_to_another_app(self):
        (self.home.state / "policy.toml").write_text('profile = "trusted"\nafter-untrusted = "as-usual"\n')
        async with self.client(MODERN) as client:
            wanted = {"app": "Mail", "elements": "every message of inbox", "properties": ["subject", "flagged status"], "limit": 1}
            mail = (await self.ok(client, "iac_mcp_get_elements", **wanted))["elements"][0]
            words = f"message 1 of mailbox of {mail['id']}"
        # The server restarts, and the reference lives on.
        async with self.client(MODERN) as client:
            for reference in [words, [words], f" {mail['id']}", [f"mailbox of {mail['id']}"], f"every message of mailbox of {mail['id']}"]:
                for do, more in [("properties", {"properties": ["name", "subject"]}), ("set", {"property": "flagged status", "value": True})]:
                    with self.subTest(do, reference=reference):
                        tools = ["probe_change"] if do == "set" else ["probe", "probe_change"]
                        for tool in tools:
                            result = await client.call_tool(tool, {"do": do, "with": {"reference": reference, **more}})
                            told = result.structured_content
                            # A list names the error of each object.
                            refused = result.is_error or all("error" in each for each in told["results"])
                            self.assertTrue(refused, told)
                            self.assertNotIn("properties", told)
            again = (await self.ok(client, "iac_mcp_get_elements", **wanted))["elements"][0]
            self.assertEqual(again, mail)

    async def test_a_granted_folder_does_not_open_what_is_closed(self):
        state = self.home.state
        home = state.parent.resolve()
        (home / "x").mkdir()
        (home / "x" / "plain.txt").write_text("plain")
        (home / "x" / "link").symlink_to(f"../{state.name}")
        (home / "project" / ".vscode").mkdir(parents=True)
        (home / "project" / ".vscode" / "mcp.json").write_text("token")
        (home / "project" / "other.json").symlink_to(".vscode/mcp.json")
        (state / "secrets" / "weather").mkdir(parents=True)
        (state / "secrets" / "weather" / "token@api.example.com").write_text("s3cret")
        for folder, status in [(state, 1), (state / "plugins", 1), (home / "x" / "link", 1), (home, 0)]:
            command = [BIN, "plugin", "grant", "probe", "files", str(folder), "--yes", *self.options()]
            ended = subprocess.run(command, env=self.home.environment, capture_output=True, text=True)
            self.assertEqual(ended.returncode, status, ended)
            self.assertIn("closed to every call", ended.stdout + ended.stderr)
        name = state.name
        paths = [f"{name}/plugins/installed.json", f"{name}/secrets/weather/token@api.example.com", name, f"{name}/secrets", "x/link", "x/link/plugins/installed.json", "project/.vscode/mcp.json", "project/other.json", "x/../" + name]
        async with self.client(MODERN) as client:
            read = (await self.ok(client, "probe", do="files", **{"with": {"root": str(home), "paths": paths}}))["read"]
            for path, found in zip(paths, read, strict=True):
                self.assertEqual(found, {"code": "permission_denied", "message": f"`{path}` is closed to every call"})
            read = (await self.ok(client, "probe", do="files", **{"with": {"root": str(home), "paths": ["", "x/plain.txt", "project/.vscode"]}}))["read"]
            self.assertNotIn(name, read[0])
            self.assertIn("x", read[0])
            self.assertEqual(read[1:], ["plain", []])

    async def test_what_a_plugin_has_kept_is_still_untrusted(self):
        (self.home.state / "policy.toml").write_text('profile = "trusted"\n')
        note = self.home.state / "untrusted.json"
        async with self.client(MODERN) as client:
            own = await self.ok(client, "probe", do="count")
            self.assertNotIn("untrusted", own, "nothing but its own number is in the store")
            wanted = {"elements": "every message of inbox", "properties": ["subject"], "limit": 1}
            await self.ok(client, "probe", do="keep", **{"with": wanted})
        note.unlink()
        async with self.client(MODERN) as client:
            kept = await self.ok(client, "probe", do="kept")
            self.assertTrue(kept["untrusted"], kept)
            self.assertTrue(note.exists(), "the hour of caution begins again")
            error = await self.refused(client, "iac_mcp_run_command", app="Reminders", command="delete", target=await self.reminder(client))
            self.assertEqual(error["error"], "permission_required")

    async def test_what_a_plugin_has_kept_counts_in_the_call_that_gets_it(self):
        (self.home.state / "policy.toml").write_text('profile = "trusted"\n')
        self.cli("plugin", "grant", "probe", "apps-change", "com.apple.reminders", "--level", "dangerous", "--yes")
        note = self.home.state / "untrusted.json"
        async with self.client(MODERN) as client:
            wanted = {"elements": "every message of inbox", "properties": ["subject"], "limit": 1}
            await self.ok(client, "probe", do="keep", **{"with": wanted})
            target = await self.reminder(client)
        # The second call needs no reminder: it is refused before it looks for one.
        for do in ["command", "kept and command"]:
            note.unlink(missing_ok=True)
            with self.subTest(do):
                async with self.client(MODERN) as client:
                    delete = {"with": {"command": "delete", "target": target if do == "command" else "reminder 1"}}
                    if do == "command":
                        await self.ok(client, "probe_change", do=do, **delete)
                    else:
                        error = await self.refused(client, "probe_change", do=do, **delete)
                        self.assertEqual(error["error"], "permission_required")
                        self.assertTrue(note.exists())

    async def reminder(self, client):
        wanted = {"app": "Reminders", "container": "application", "elementType": "reminder", "limit": 1}
        return (await self.ok(client, "iac_mcp_get_elements", **wanted))["elements"][0]["id"]

    async def test_scripts_run_inside_the_app_at_their_level(self):
        for mode in MODES:
            with self.subTest(mode):
                human = Human("once")
                async with self.client(mode, human) as client:
                    counted = await self.ok(client, "probe", do="tasks")
                    self.assertGreater(counted["tasks"], 0)
                    self.assertTrue(counted["untrusted"])
                    self.assertEqual(human.asked, [], "what only reads is not asked about")
                    renamed = await self.ok(client, "probe_change", do="rename task", **{"with": {"name": mode}})
                self.assertEqual(renamed["names"][1], mode)
                self.assertEqual(len(human.asked), 1)
                self.assertTrue(human.asked[0].message.startswith('The plugin "probe" wants to run its script "rename" in OmniFocus'), human.asked)
                self.assertIn('In the plugin\'s words:\n- "the first task"', human.asked[0].message)

    async def test_a_human_may_take_longer_than_the_plugin(self):
        self.cli("plugin", "limit", "probe", "--wall-ms", "5000")

        async def slow(*_):
            await asyncio.sleep(8)
            return ElicitResult(action="accept", content={"decision": "once"})

        async with self.client("legacy", slow) as client:
            renamed = await self.ok(client, "probe_change", do="rename task", **{"with": {"name": "late"}})
        self.assertEqual(renamed["names"][1], "late")

    async def test_a_change_is_not_forgotten_when_its_call_fails(self):
        for mode in MODES:
            with self.subTest(mode):
                async with self.client(mode, Human("once")) as client:
                    await self.ok(client, "probe_change", do="rename", names=["older"])
                    error = await self.refused(client, "probe_change", do="rename task and spin", **{"with": {"name": "new"}})
                    self.assertEqual((error["error"], error["outcome"], error["retryable"]), ("plugin_failed", "unknown", False))
                    self.assertTrue(error["suggestion"].startswith("check whether it happened before you try again; "), error)
                    last = await self.refused(client, "iac_mcp_undo", last=True)
                    self.assertIn('probe ran "probe_change", with an unknown outcome', last["message"])
                    await self.ok(client, "probe_change", do="rename task", **{"with": {"name": "newer"}})
                    last = await self.refused(client, "iac_mcp_undo", last=True)
                    self.assertTrue(last["message"].endswith('probe ran "probe_change": the plugin gave no way back'), last)

    def told(self, *arguments, status=0):
        """The output of the program, on both streams."""
        command = [BIN, *arguments, *self.options()]
        ended = subprocess.run(command, env=self.home.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=self.home.path)
        self.assertEqual(ended.returncode, status, ended.stdout + ended.stderr)
        return ended.stdout + ended.stderr

    def renamed(self, name, undo):
        """The answer of a call whose plugin gives this way back."""
        return json.loads(self.cli("call", "probe_change", json.dumps({"do": "rename task", "with": {"name": name}, "undo": undo}), "--json"))

    def test_the_terminal_takes_back_what_a_plugin_did(self):
        self.cli("policy", "profile", "trusted")
        back = {"tool": "probe_change", "arguments": {"do": "rename task", "with": {"name": "as it was"}}, "words": "a task"}
        for which in ("id", "--last"):
            with self.subTest(which):
                change = self.renamed("something else", back)
                undone = json.loads(self.cli("undo", change["undo"] if which == "id" else which, "--json"))
                self.assertTrue(undone["success"], undone)
                self.assertEqual(undone["changes"][0]["answer"]["names"], ["something else", "as it was"])
        name = {"app": "Reminders", "reference": 'reminder "Call the plumber"', "property": "name", "value": "Ask"}
        ids = [self.renamed("another", back)["undo"], json.loads(self.cli("call", "iac_mcp_set_property", json.dumps(name), "--json"))["undo"]]
        said = self.told("undo", *ids, status=1)
        self.assertIn(f"run these in this order: `iac-mcp undo {ids[1]}`, then `iac-mcp undo {ids[0]}`", said)
        said = self.told("undo", "nothere", status=1)
        self.assertTrue(said.startswith("error: ") and "{" not in said and "[" not in said, said)
        self.assertIn("`iac-mcp undo` lists the ids", said)

    def test_a_way_back_that_cannot_work_gets_no_id(self):
        self.cli("policy", "profile", "trusted")
        for undo, why in [
            ({"tool": "probe_chang", "arguments": {}}, "`undo.tool` is \"probe_chang\", expected one of probe_change"),
            ({"tool": "probe", "arguments": {}}, "which only reads"),
            ({"tool": "probe_change"}, "`undo.arguments` is missing"),
        ]:
            with self.subTest(undo):
                self.assertIsNone(self.renamed("x", undo)["undo"])
                call = {"do": "rename task", "with": {"name": "x"}, "undo": undo}
                self.assertIn(why, self.told("call", "probe_change", json.dumps(call)))
                self.assertIn(why, self.golden(call))

    def golden(self, arguments):
        """What `plugin test` tells of a call of the probe's that passes; it is recorded too."""
        calls = self.home.path / "calls"
        calls.mkdir(exist_ok=True)
        (calls / "one.json").write_text(json.dumps({"tool": "probe_change", "arguments": arguments}))
        test = [BIN, "plugin", "test", str(self.probe), "--calls", str(calls), "--folder", str(self.home.path)]
        for more in (["--update"], ["--record"], ["--replay"], []):
            ended = subprocess.run([*test, *more], env=self.home.environment, capture_output=True, text=True)
            self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        return ended.stdout

    def test_a_golden_call_of_a_change_passes_again(self):
        self.golden({"do": "rename", "names": ["another name"]})
        recorded = (self.home.path / "calls/one.journal").read_text()
        self.assertIn('"undo": "undo_1"', recorded)
        self.golden({"do": "set", "with": {"reference": 'reminder "Call the plumber"', "property": "name", "value": "Ask"}})
        self.assertIn('"undo": "undo_1"', (self.home.path / "calls/one.json").read_text())

    def bare(self, *words, status=0):
        """The output of the program with the state directory of the user."""
        ended = subprocess.run([BIN, *words], env=self.home.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=self.home.path)
        self.assertEqual(ended.returncode, status, ended.stdout + ended.stderr)
        return ended.stdout + ended.stderr

    def test_a_simulated_mac_leaves_the_plugins_of_the_real_one_alone(self):
        self.bare("plugin", "add", str(self.probe), "--yes", "--folder", ".")
        plugins = self.home.path / ".local/state/iac-mcp/plugins"
        kept = lambda: {path: path.read_bytes() for path in plugins.rglob("*") if path.is_file()}
        before = kept()
        for options, counts in ((["--simulated"], [1, 1]), (["--world", "mac"], [1, 2])):
            with self.subTest(options):
                count = lambda: json.loads(self.bare("call", "probe", '{"do": "count"}', "--json", *options))["calls"]
                self.assertEqual([count(), count()], counts)
                for words in (["remove", "probe"], ["disable", "probe"], ["grant", "probe", "store"], ["add", str(self.probe), "--yes"]):
                    self.assertIn("which every Mac shares", self.bare("plugin", *words, *options, status=2))
                self.assertIn("probe", self.bare("plugin", "list", *options))
        self.assertEqual(kept(), before)
        self.assertTrue((self.mac / ".iac-mcp/plugins/data").is_dir())

    def explained(self, *words, status=0):
        return self.told("policy", "explain", *words, status=status)

    def test_the_decision_about_a_plugin_is_explained_with_its_grants(self):
        self.assertIn("policy explain APP --command NAME --plugin probe", self.explained("probe_change", status=2))
        rename = ["com.apple.reminders", "--property", "name", "--plugin"]
        self.assertIn("ask  MODIFY", self.explained(*rename, "probe"))
        self.assertIn('did you mean "probe"', self.explained(*rename, "prob", status=1))
        for words, lacks, grant in [
            (["Mail", "--command", "send"], "to change `com.apple.mail`", "apps-change com.apple.mail --level dangerous"),
            (["Reminders", "--command", "delete"], "above MODIFY for `com.apple.reminders`", "apps-change com.apple.reminders --level dangerous"),
            (["Finder", "--property", "name", "--read"], "to read `com.apple.finder`", "apps com.apple.finder"),
            (["https://api.example.com", "--command", "http post"], "for POST to `api.example.com`", "http api.example.com --method POST"),
        ]:
            with self.subTest(words):
                said = self.explained(*words, "--plugin", "probe")
                self.assertTrue(said.startswith("deny") and f"has no grant {lacks}" in said and f"plugin grant probe {grant}`" in said, said)
        script = ["com.omnigroup.OmniFocus4", "--plugin", "probe", "--command"]
        self.assertIn("ask  MODIFY", self.explained(*script, "script rename"))
        self.assertIn('did you mean "script rename"', self.explained(*script, "script renam", status=1))
        self.told("policy", "allow", *script, "script rename")
        self.assertIn("allow  MODIFY", self.explained(*script, "script rename"))
        self.told("plugin", "revoke", "probe", "app-scripts", "rename")
        self.assertIn("for the script `rename`", self.explained(*script, "script rename"))
        call = json.dumps({"app": "Mail", "reference": "message 1 of inbox", "property": "read status", "value": True})
        self.assertIn("no more than SAFE", self.explained("iac_mcp_set_property", call, "--plugin", "probe"))

    def test_a_grant_that_can_never_match_is_refused(self):
        grant = lambda *words, status: self.told("plugin", "grant", "probe", *words, "--yes", status=status)
        self.assertIn("write com.apple.reminders", grant("apps", "Reminders", status=2))
        self.assertIn("`No Such App` is not a bundle id", grant("apps-change", "No Such App", status=2))
        self.assertIn("probe does not use `http`", grant("http", "api.example.com", status=2))
        self.assertIn('no scriptable app "com.apple.reminder"', grant("apps", "com.apple.reminder", status=0))
        self.told("plugin", "revoke", "probe", "apps", "Reminders")

    def test_a_disabled_plugin_is_named(self):
        self.told("plugin", "disable", "probe")
        self.assertIn("belongs to the plugin `probe`, which is disabled", self.told("call", "probe", status=1))

    def test_what_is_left_of_a_removed_plugin_is_told(self):
        self.cli("policy", "allow", "com.apple.reminders", "--plugin", "probe", "--yes")
        self.assertIn("Add `--yes`", self.told("plugin", "remove", "probe", status=2))
        said = self.told("plugin", "remove", "probe", "--yes")
        self.assertIn("policy.toml still has 1 rule for the plugin probe", said)
        self.assertIn(".iac-mcp/plugins/data/probe.json", said)
        self.assertNotIn("policy.toml", self.told("plugin", "add", str(self.probe), "--yes"))

    async def test_approvals_go_with_their_plugin(self):
        human = Human("always")
        async with self.client(MODERN, human) as client:
            await self.ok(client, "probe_change", do="rename", names=["one"])
        approvals = lambda: [grant for grant in json.loads(self.cli("policy", "grants", "--json"))["grants"] if grant.get("plugin") == "probe"]
        self.assertTrue(approvals())
        self.cli("plugin", "remove", "probe", "--yes")
        self.assertEqual(approvals(), [])

    def test_an_update_repairs_a_damaged_file(self):
        self.cli("plugin", "set", "probe", "word", "kept")
        [file] = (self.home.state / "plugins").glob("*.wasm")
        for damage in (lambda: file.write_bytes(b"damaged"), file.unlink):
            damage()
            self.cli("call", "probe", '{"do": "count"}', status=1)
            self.assertIn("is installed again", self.told("plugin", "update", str(self.probe)))
            self.assertEqual(json.loads(self.cli("call", "probe", '{"do": "settings"}', "--json"))["word"], "kept")
        self.assertIn("is up to date", self.told("plugin", "update", str(self.probe)))

    async def test_a_tool_that_does_not_exist_names_those_of_plugins(self):
        async with self.client(MODERN) as client:
            with self.assertRaisesRegex(Exception, 'did you mean.*probe_change'):
                await client.call_tool("probe_chang", {})

    def test_a_plugin_from_a_file_is_updated_by_its_id(self):
        file = self.home.path / "own.wasm"
        shutil.copy(self.probe, file)
        self.told("plugin", "remove", "probe", "--yes")
        self.told("plugin", "add", str(file), "--yes")
        self.assertIn("is up to date", self.told("plugin", "update", "probe"))
        # The folder that `plugin new` makes has the plugin's name too.
        project = self.home.path / "probe"
        project.mkdir()
        update = lambda word, status=0: self.told("plugin", "update", word, status=status)
        self.assertIn("is up to date", update("probe"))
        self.assertIn("expected a package", update("./probe", 2))
        shutil.copy(ROOT / "tests/plugins/probe/plugin.toml", project)
        self.assertIn("iac-mcp plugin build ./probe", update("./probe", 2))
        shutil.copy(self.probe, project / "probe.wasm")
        self.assertIn("name its package: ./probe/probe.wasm", update("./probe", 2))
        shutil.copy(ROOT / "tests/plugins/released/0.1.0.wasm", file)
        self.assertIn("expected `probe`", self.told("plugin", "update", "probe", status=1))
        file.unlink()
        self.assertIn("own.wasm, which is not there any more", self.told("plugin", "update", "probe", status=1))

    async def test_a_server_that_runs_sees_what_its_operator_changes(self):
        heard = asyncio.Event()

        async def listen(message):
            if "list_changed" in repr(message) or "ToolListChanged" in type(getattr(message, "root", message)).__name__:
                heard.set()

        async with self.client("legacy", message_handler=listen) as client:
            self.assertIn("probe", {tool.name for tool in (await client.list_tools()).tools})
            self.assertEqual(await self.ok(client, "probe", do="settings"), {"word": None})
            self.cli("plugin", "set", "probe", "word", '{"a": 1}')
            self.assertEqual(await self.ok(client, "probe", do="settings"), {"word": {"a": 1}})
            self.assertFalse(heard.is_set(), "the tools are the same")
            running = asyncio.create_task(client.call_tool("probe", {"do": "spin"}))
            await asyncio.sleep(0.5)
            self.cli("plugin", "remove", "probe", "--yes")
            await asyncio.wait_for(heard.wait(), 30)
            self.assertNotIn("probe", {tool.name for tool in (await client.list_tools()).tools})
            ended = await running
            self.assertIn("compute time", ended.structured_content["message"], "a call that runs goes on as it began")

    @unittest.skipUnless(shutil.which("strace"), "skipped: strace is not installed, so no file can be slow")
    async def test_a_volume_that_does_not_answer_delays_no_answer(self):
        """strace makes each look at the list of plugins take three seconds, also the one at the start."""
        head = self.home.state / "plugins" / "installed.json"
        slow = ["-f", "--seccomp-bpf", "-qq", "-o", "/dev/null", "-P", str(head), "-e", "trace=statx", "-e", "inject=statx:delay_enter=3s"]
        server = StdioServerParameters(
            command="strace", args=[*slow, BIN, "serve", *self.options()], env=self.home.environment, cwd=self.home.path
        )
        async with Client(server, mode=MODERN, read_timeout_seconds=60) as client:
            await self.ok(client, "probe", do="settings")  # loads the plugin
            for _ in range(20):
                begin = time.monotonic()
                self.assertIn("probe", {tool.name for tool in (await client.list_tools()).tools})
                await self.ok(client, "probe", do="settings")
                self.assertLess(time.monotonic() - begin, 2)
                await asyncio.sleep(0.2)

    async def test_texts_of_a_plugin_are_the_servers_as_long_as_it_is_there(self):
        heard = set()

        async def listen(message):
            heard.add(getattr(getattr(message, "root", message), "method", None))

        async def until(name):
            for _ in range(300):
                if name in heard:
                    return
                await asyncio.sleep(0.1)
            self.fail(f"{name} was not heard, only {heard}")

        uri = "iac://plugins/probe/notes"
        async with self.client("legacy", message_handler=listen) as client:
            prompts = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
            self.assertEqual(prompts["probe_ask"].arguments[0].required, True)
            message = (await client.get_prompt("probe_ask", {"what": 'a "b"'})).messages[0]
            self.assertEqual((message.role, message.content.text), ("user", 'Tell me about “a \\"b\\"”.'))
            held = {str(resource.uri): resource for resource in (await client.list_resources()).resources}
            self.assertEqual((held[uri].title, held[uri].mime_type), ("Notes of the probe", "text/markdown"))
            (read,) = (await client.read_resource(uri)).contents
            self.assertEqual(read.text, (ROOT / "tests/plugins/probe/notes.md").read_text())
            shown = self.cli("plugin", "show", "probe")
            self.assertIn("prompt probe_ask: Asks for what a test names.\n", shown)
            self.assertIn("resource notes: What the probe is for.\n", shown)
            self.cli("plugin", "disable", "probe")
            await until("notifications/prompts/list_changed")
            await until("notifications/resources/list_changed")
            self.assertNotIn("probe_ask", {prompt.name for prompt in (await client.list_prompts()).prompts})
            with self.assertRaisesRegex(Exception, "there is no such resource"):
                await client.read_resource(uri)

    async def test_a_plugin_that_fails_is_quarantined_and_released(self):
        async with self.client(MODERN) as client:
            for what, why in (("panic", "stopped with an error"), ("hog", "memory"), ("spin", "compute time")):
                error = await self.refused(client, "probe", do=what)
                self.assertEqual(error["error"], "plugin_failed")
                self.assertIn(why, error["message"])
            error = await self.refused(client, "probe", do="count")
            self.assertIn("quarantined", error["message"])
            self.assertIn("plugin release probe", error["suggestion"])
            checks = (await self.ok(client, "system", action="diagnostics"))["checks"]
            plugins = next(check for check in checks if check["name"] == "plugins")
            self.assertFalse(plugins["ok"])
            self.assertIn("3 failures in 10 minutes", plugins["detail"])
            self.assertIn("3 failures in 10 minutes", json.loads(self.cli("plugin", "list", "--json"))["plugins"][0]["receipt"]["quarantined"])
            self.assertIn("no longer quarantined; the reason was: 3 failures", self.cli("plugin", "release", "probe"))
            self.assertIn("probe was not quarantined", self.cli("plugin", "release", "probe"))
            await self.ok(client, "probe", do="count")
            metrics = (await self.ok(client, "system", action="metrics"))["plugins"]
            self.assertEqual((metrics[0]["id"], metrics[0]["calls"]), ("probe", 1))

    async def test_progress_reaches_the_client(self):
        heard = []

        async def listen(progress, total, message):
            heard.append((progress, message))

        for mode in MODES:
            with self.subTest(mode):
                heard.clear()
                async with self.client(mode) as client:
                    await client.call_tool("probe", {"do": "progress"}, progress_callback=listen)
                self.assertEqual([message for _, message in heard], ["0 of 5: steps"], "at most one a second")

    async def test_a_call_that_is_taken_back_ends(self):
        self.cli("plugin", "limit", "probe", "--compute-ms", "60000", "--wall-ms", "60000")
        async with self.client(MODERN) as client:
            await self.ok(client, "probe", do="count")
            with self.assertRaises(TimeoutError):
                await asyncio.wait_for(client.call_tool("probe", {"do": "spin"}), 1)
            for _ in range(100):
                metrics = (await self.ok(client, "system", action="metrics"))["plugins"][0]
                if metrics["calls"] == 2:
                    break
                await asyncio.sleep(0.1)
            self.assertEqual((metrics["calls"], metrics["failures"]), (2, 1))
            self.assertNotIn("quarantined", metrics)

    async def test_no_tool_can_install_or_grant(self):
        before = (self.home.state / "plugins" / "installed.json").read_bytes()
        async with self.client(MODERN, Human("always")) as client:
            tools = (await client.list_tools()).tools
            words = {"plugin", "install", "grant", "update"}
            named = [tool.name for tool in tools if words & set(tool.name.split("_"))]
            self.assertEqual(named, [])
            fields = {field for tool in tools for field in tool.input_schema["properties"]}
            self.assertEqual(fields & {"plugin", "grant", "grants", "capability", "install"}, set())
            await self.ok(client, "probe", do="count")
            await self.refused(client, "probe", do="finder", grants={"apps": ["com.apple.finder"]})
            await self.refused(client, "system", action="plugins", grant="probe")
        self.assertEqual((self.home.state / "plugins" / "installed.json").read_bytes(), before)


if __name__ == "__main__":
    unittest.main()
