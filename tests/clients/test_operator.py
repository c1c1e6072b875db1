"""Messages to the operator: advice that works, damage that is reported, and settings that make no sense."""

import json
import os
import re
import shlex
import subprocess
import unittest

from desk import Desk
from support import BIN, ROOT, Server

INBOX = {"type": "property", "property": "inbox", "of": "application"}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bare", "version": "0"}}
FLAG = json.dumps({"app": "Mail", "command": "check for new mail"})


class Operator(Desk):
    def told(self, *arguments, status=0, environment=None):
        """The output of the program, on both streams."""
        ended = subprocess.run(
            [BIN, *arguments],
            env=self.home.environment | (environment or {}),
            cwd=self.home.path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.assertEqual(ended.returncode, status, ended.stdout + ended.stderr)
        return ended.stdout + ended.stderr

    def refusal(self, *options):
        return json.loads(self.told("call", "iac_mcp_run_command", FLAG, "--json", *options, status=1))

    def test_the_advice_of_a_refusal_leads_to_a_yes(self):
        state = ["--state", str(self.home.path / "a state of its own")]
        for options in (["--world", "mac"], ["--world", "mac", *state]):
            with self.subTest(options):
                refusal = self.refusal(*options)
                self.assertEqual(refusal["error"], "permission_required", refusal)
                advised = re.search("`iac-mcp (.*?)`", refusal["suggestion"])[1]
                self.told(*shlex.split(advised))
                self.told("call", "iac_mcp_run_command", FLAG, *options)
        self.assertFalse((self.home.path / ".local/state/iac-mcp/policy.toml").exists(), "the real Mac's policy")

    def test_a_mac_that_forgets_says_how_one_is_kept(self):
        refusal = self.refusal("--simulated")
        self.assertIn("`iac-mcp sim new DIR`", refusal["suggestion"])
        self.assertIn("policyLine", refusal)

    def test_a_fresh_mac_on_the_command_line_is_fresh(self):
        kept = {"IAC_MCP_WORLD": str(self.mac)}
        told = json.loads(self.told("doctor", "--simulated", "--json", environment=kept))
        self.assertEqual([setting["key"] for setting in told["settings"]], ["json", "simulated"])
        self.assertIn("use only one of them", self.told("apps", "--simulated", "--world", "mac", status=2))

    def test_folders_of_apps_are_no_folders_to_grant(self):
        package = str(ROOT / "tests/plugins/released/0.1.0.wasm")
        apps = {"IAC_MCP_ROOT": str(self.home.path)}
        self.assertIn("does not use folders", self.told("plugin", "add", package, "--yes", "--root", ".", status=2))
        self.told("plugin", "add", package, "--yes", environment=apps)

    def test_the_last_change_is_taken_back_without_its_id(self):
        mac = ["--world", "mac"]
        name = json.dumps({"app": "Reminders", "reference": 'reminder "Call the plumber"', "property": "name", "value": "Ask"})
        self.told("policy", "profile", "trusted", *mac)
        self.told("call", "iac_mcp_set_property", name, *mac)
        self.assertIn("Call the plumber", self.told("undo", "--json", *mac), "without an option it only lists")
        self.assertIn("cannot be used with", self.told("undo", "--last", "undo_x", *mac, status=2))
        undone = json.loads(self.told("undo", "--last", "--json", *mac))
        self.assertEqual((undone["success"], undone["changes"][0]["verified"]), (True, True), undone)
        last = json.loads(self.told("undo", "--last", "--json", *mac, status=1))
        self.assertIn("only undos are left", last["message"])
        self.assertIn("`iac-mcp undo`", self.told("undo", "undo_aaaaaaaaaaaaaaaa", *mac, status=1))
        self.told(*shlex.split(re.search("`iac-mcp (.*?)`", last["suggestion"])[1]), *mac)

    def explained(self, tool, *options, **arguments):
        return json.loads(self.told("policy", "explain", tool, json.dumps(arguments), "--json", "--world", "mac", *options))

    def test_a_call_is_explained_with_its_objects(self):
        """The lookup of the objects is a read, and the decision is about the change."""
        command = "iac_mcp_run_command"
        cases = [
            ("DANGEROUS", "delete", command, {"app": "Mail", "command": "delete", "target": "message 1 of inbox"}),
            ("DANGEROUS", "delete", command, {"app": "Mail", "command": "delete", "target": "every message of inbox whose read status is false"}),
            ("MODIFY", "move", command, {"app": "Mail", "command": "move", "target": "message 1 of inbox", "arguments": {"to": 'mailbox "Projects"'}}),
            ("MODIFY", "read status", "iac_mcp_set_property", {"app": "Mail", "reference": "message 1 of inbox", "property": "read status", "value": True}),
            (
                "MODIFY",
                "flagged",
                "iac_mcp_set_property",
                {"app": "Reminders", "changes": [{"reference": 'reminder "Call the plumber"', "properties": {"flagged": True}}]},
            ),
            ("MODIFY", "make", "iac_mcp_create", {"app": "Reminders", "class": "reminder", "at": 'list "Reminders"', "properties": {"name": "x"}}),
            (
                "DANGEROUS",
                "send",
                "iac_mcp_create",
                {
                    "app": "Mail",
                    "class": "outgoing message",
                    "properties": {"subject": "x"},
                    "children": [{"class": "to recipient", "properties": {"address": "ana@example.org"}}],
                    "then": [{"command": "send"}],
                },
            ),
        ]
        for level, named, tool, arguments in cases:
            with self.subTest(arguments):
                told = self.explained(tool, **arguments)
                self.assertEqual((told["decision"], told["level"]), ("ask", level), told)
                refused = self.explained(tool, "--read-only", **arguments)
                self.assertEqual((refused["decision"], refused["policyLine"]), ("deny", None), refused)
                self.assertIn("without --read-only", refused["suggestion"])
        self.assertEqual(self.explained("iac_mcp_query_object", app="Mail", specifier="message 1 of inbox")["decision"], "allow")
        script = self.explained("iac_mcp_run_script", language="applescript", script="beep")
        self.assertEqual((script["decision"], script["policyLine"]), ("deny", None))
        self.assertIn("`iac-mcp policy scripts ask`", script["suggestion"])
        messages = json.dumps({"app": "Mail", "elements": "every message of inbox", "limit": 0})
        total = lambda: json.loads(self.told("call", "iac_mcp_get_elements", messages, "--json", "--world", "mac"))["totalCount"]
        before = total()
        self.told("policy", "profile", "trusted", "--world", "mac")
        told = self.explained(command, app="Mail", command="delete", target="message 1 of inbox")
        self.assertEqual((told["decision"], total()), ("allow", before), "it only says so")

    def test_a_call_to_a_silent_app_is_explained_without_its_objects(self):
        call = json.dumps({"app": "Mail", "command": "delete", "target": "message 1 of inbox"})
        words = ["policy", "explain", "iac_mcp_run_command", call, "--json", "--world", "mac", "--osascript", "/no/such"]
        told = json.loads(self.run_cli(*words))
        self.assertEqual((told["decision"], told["level"]), ("ask", "DANGEROUS"), told)
        self.assertIn("could not look up the objects", told["note"])
        refused = self.run_cli(*words, "--read-only")
        self.assertIn("without --read-only", refused)
        self.assertNotIn("decision = ", refused)

    def test_the_changes_that_ran_are_listed_with_their_end(self):
        mac = ["--world", "mac"]
        delete = json.dumps({"app": "Mail", "command": "delete", "target": "message 1 of inbox"})
        changes = lambda *more: json.loads(self.told("audit", "show", "--json", *mac, *more))["entries"]
        self.assertIn("no entries", self.told("audit", *mac))
        self.told("call", "iac_mcp_run_command", delete, *mac, status=1)
        self.assertEqual((changes("--changes"), len(changes("--refused"))), ([], 1), "a refusal is not a change")
        self.told("policy", "profile", "trusted", *mac)
        self.told("call", "iac_mcp_run_command", delete, *mac)
        [entry] = changes("--changes")
        self.assertEqual((entry["kind"], entry["result"], entry["level"]), ("execution", "ok", "DANGEROUS"), entry)
        self.assertEqual(entry["scopes"][0]["command"]["name"], "delete")
        self.assertIn("did you mean", self.told("audit", "--app", "mial", *mac))

    def test_rules_are_asked_about_named_and_removed(self):
        mac = ["--world", "mac"]
        for rule in (["allow", "com.apple.mail", "--plugin", "nosuch"], ["deny", "*Notes"], ["deny", " Nosuch "]):
            self.assertIn("matches nothing", self.told("policy", *rule, *mac, status=2))
        allow = ["policy", "allow", " com.apple.mail ", "--plugin", "nosuch", "--launch", "--yes", *mac]
        said = self.told(*allow)
        self.assertIn("allow: anything of com.apple.mail, for the plugin `nosuch`, and opens the app", said)
        self.assertIn("already there", self.told(*allow))
        rules = lambda: json.loads(self.told("policy", "show", "--json", *mac))["rules"]
        [rule] = rules()
        self.assertIn("begin in the lines", self.told("policy", "remove", "1", *mac, status=1))
        self.assertIn("removed: allow: anything", self.told("policy", "remove", str(rule["line"]), *mac))
        self.assertEqual(rules(), [])

    def test_a_wrong_setting_names_its_source(self):
        wrong = lambda: json.loads(self.told("apps", "--world", "mac", "--json", status=2))
        said = self.told("apps", "--world", "mac", status=2, environment={"IAC_MCP_ROOT": "/no/such"})
        self.assertIn("error: IAC_MCP_ROOT /no/such: the folder does not exist", said)
        self.assertIn('did you mean "IAC_MCP_WORLD"', self.told("sim", "show", "mac", environment={"IAC_MCP_WROLD": "x"}))
        state = self.home.path / ".local/state/iac-mcp"
        state.mkdir(parents=True, exist_ok=True)
        config = state / "config.toml"
        config.write_text('root = ["/no/such"]')
        self.assertIn("config.toml:1: root /no/such: the folder does not exist", wrong()["message"])
        config.write_bytes(b"\xff")
        self.assertIn("--state", wrong()["suggestion"])
        config.unlink()
        config.mkdir()
        self.assertIn("--state", wrong()["suggestion"])
        config.rmdir()
        required = json.loads(self.told("setup", "--write", "--json", status=2))
        self.assertTrue("CLIENT" in required["message"].upper() and required["suggestion"], required)

    def test_a_person_who_is_not_there_is_not_waited_for(self):
        self.assertIn("this simulated Mac does not answer its dialogs", self.told("access", "calendars", "--simulated", status=1))

    def test_plugins_that_are_not_there(self):
        plugin = lambda *words, status: self.told("plugin", *words, status=status)
        package = str(ROOT / "tests/plugins/released/0.1.0.wasm")
        self.told("plugin", "add", package, "--yes")
        [installed] = json.loads(self.told("plugin", "list", "--json"))["plugins"]
        for order in ("show", "disable", "enable", "remove"):
            self.assertIn("did you mean", plugin(order, installed["id"][:-1], status=1))
        self.assertIn(f"`iac-mcp plugin update {package}`", plugin("add", package, "--yes", status=1))
        self.assertIn("/no/such:", plugin("check-index", "/no/such", status=1))
        self.assertIn("has no plugin.toml", plugin("dev", ".", status=2))
        self.assertNotIn("plugins/nosuch/", plugin("add", "nosuch", status=1))

    def test_a_report_is_a_page_for_a_file(self):
        self.told("policy", "profile", "read-only", *self.options())
        status, said = self.home.at_a_terminal(b"", "audit", "report", *self.options())
        self.assertEqual((status, "audit report > report.html" in said, "<html" in said), (2, True, False), said)
        whole, part = self.cli("audit", "report"), self.cli("audit", "report", "--kind", "decision")
        self.assertIn("policy profile read-only", whole)
        self.assertNotIn("asked for", whole)
        self.assertNotIn("policy profile read-only", part)
        self.assertIn("Only the entries that were asked for", part)

    def test_the_doctor_names_what_is_damaged(self):
        self.told("policy", "profile", "standard", *self.options())
        damaged = {
            "plugins": ("plugins/installed.json", b"{"),
            "language servers": ("language-servers.toml", b"x ="),
            "undo": ("undo.json", b"{"),
            "audit": ("audit/last", b"\xff"),
        }
        for name, (file, damage) in damaged.items():
            with self.subTest(file):
                path = self.home.state / file
                path.parent.mkdir(mode=0o700, exist_ok=True)
                path.write_bytes(damage)
                told = json.loads(self.cli("doctor", "--json", status=1))
                self.assertEqual([check["name"] for check in told["checks"] if not check["ok"]], [name], told)
                path.unlink()
        self.assertIn("acknowledged: ", self.cli("audit", "accept"))
        self.assertTrue(json.loads(self.cli("doctor", "--json"))["healthy"])
        for name, mode, mended in (("policy.toml", 0o666, "chmod 600"), ("audit", 0o777, "chmod 700"), ("lock", None, "rm")):
            with self.subTest(name):
                path = self.home.state / name
                if mode is None:
                    path.unlink(missing_ok=True)
                    os.mkfifo(path)
                else:
                    path.chmod(mode)
                told = json.loads(self.cli("doctor", "--json", status=1))
                [files] = [check for check in told["checks"] if check["name"] == "files"]
                advised = re.search(f"`({mended} .*?)`", files["detail"])[1]
                subprocess.run(shlex.split(advised), check=True)
                self.assertTrue(json.loads(self.cli("doctor", "--json"))["healthy"])

    def test_a_mac_that_cannot_be_meant_is_named(self):
        (self.home.path / "empty").mkdir()
        elsewhere = ["--osascript", "/bin/false"]
        cases = [
            (["apps", "--root", "/no/such", "--world", "mac"], 2, "--root /no/such: the folder does not exist"),
            (["serve", "--root", "/no/such", *elsewhere], 2, "--root /no/such: the folder does not exist"),
            (["apps", *elsewhere], 2, "--root DIR"),
            (["doctor", *elsewhere], 1, "--root DIR"),
            (["doctor", "--root", "empty", *elsewhere], 1, "osascript: it ended without an answer"),
            (["doctor", "--root", "empty", "--osascript", f"/usr/bin/env IAC_MCP_WORLD=mac {BIN} osascript"], 1, "osascript: answers, although there is no app"),
            (["apps", "--root", "empty", *elsewhere], 1, "no scriptable app was found below empty"),
            (["apps", "zzzz", "--simulated"], 1, "no scriptable app on the simulated Mac has `zzzz`"),
            (["apps", "--simulated", "--standard", "/no/such"], 2, "--standard /no/such: the file does not exist"),
            (["lint", str(ROOT / "fixtures/sdef/ok/extensions.sdef"), "--standard", "/no/such"], 2, "the file does not exist"),
        ]
        for arguments, status, expected in cases:
            with self.subTest(arguments):
                self.assertIn(expected, self.told(*arguments, status=status))

    def test_it_is_told_where_terms_come_from(self):
        for app, expected in (
            ("TextEdit", "terms from the app's suites and terminologies"),
            ("Script Editor", "terms from the system's converter"),
            ("Label Printer", "terms from the standard suite"),
        ):
            with self.subTest(app):
                self.assertIn(expected, self.told("describe", app, "--simulated"))
        self.assertNotIn("terms from", self.told("describe", "Mail", "--simulated"))
        checks = json.loads(self.told("doctor", "--simulated", "--json"))["checks"]
        [terms] = [check["detail"] for check in checks if check["name"] == "terms"]
        self.assertRegex(terms, "suites and terminologies.*: TextEdit; .*converter.*: Script Editor; .*standard suite.*: Label Printer")

    def test_the_text_of_a_document_is_read_and_changed(self):
        def call(tool, **arguments):
            return json.loads(self.cli("call", tool, json.dumps({"app": "TextEdit", **arguments}), "--json"))

        self.cli("policy", "profile", "trusted")
        listed = call("iac_mcp_get_elements", elements="documents", properties=["name", "text"])["elements"]
        [letter, notes] = [document["properties"] for document in listed]
        self.assertIn("garden house", letter["text"])
        paragraphs = call("iac_mcp_get_elements", elements="paragraphs of text of document 1")
        self.assertEqual((paragraphs["count"], paragraphs["type"]), (5, "paragraph"))
        counted = call("iac_mcp_read_command", command="count", target="text of document 1", arguments={"each": "word"})
        self.assertEqual(counted["data"], len(re.findall(r"\w+", letter["text"])))
        read = call("iac_mcp_read_command", command="get", target="paragraph 2 of document 1")
        self.assertEqual(read["data"], letter["text"].splitlines(keepends=True)[1])
        call("iac_mcp_set_property", reference="document 1", property="text", value="One two\nthree\n")
        read = call("iac_mcp_query_object", specifier="text of document 1")
        self.assertEqual(read["value"], "One two\nthree\n")

    def test_the_tools_are_listed_as_clients_see_them(self):
        def names(*options):
            return [tool["name"] for tool in json.loads(self.told("tools", "--json", "--simulated", *options))]

        few, more, every = names(), names("--tools", "finder"), names("--tools", "all")
        self.assertEqual(more[: len(few)], few)
        self.assertIn("finder_count", more)
        self.assertLess(set(more), set(every))
        with Server(self.home, "--tools", "finder") as server:
            listed = server.ask("tools/list")["result"]["tools"]
            self.assertEqual([tool["name"] for tool in listed], more)
        self.assertIn("no scriptable app", self.told("tools", "--simulated", "--tools", "foo", status=2))

    def test_a_policy_is_not_changed_before_that_is_written_down(self):
        self.home.state.mkdir()
        (self.home.state / "audit").write_text("no folder")
        for order in (["profile", "trusted"], ["allow", "com.apple.mail"]):
            with self.subTest(order):
                self.cli("policy", *order, status=1)
                shown = json.loads(self.cli("policy", "show", "--json"))
                self.assertEqual((shown["profile"], shown["rules"]), ("standard", []))
        (self.home.state / "audit").unlink()
        self.cli("policy", "profile", "trusted")
        (self.home.state / "policy.toml").write_text("profile = 'x'")
        self.cli("policy", "profile", "standard", status=1)
        entries = [json.loads(line) for line in self.cli("audit", "export", "--kind", "operator").splitlines()]
        orders = [entry["order"] for entry in entries]
        self.assertEqual(orders[:2], ["policy profile trusted", "policy profile standard"])
        self.assertIn("it failed", orders[2])

    def test_a_rule_that_fits_everything_or_nothing_is_not_written_by_mistake(self):
        doubtful = [
            (["allow", "*"], "allows anything of * without asking"),
            (["allow", "com.apple.*", "--command", "delete"], "allows command delete of com.apple.*"),
            (["allow", "com.apple.mail", "--command", "sned"], "Mail has no command `sned`, so the rule matches nothing; did you mean"),
            (["deny", "com.apple.mail", "--property", "subjekt"], "Mail has no property `subjekt`, so the rule matches nothing; did you mean"),
            (["ask", "com.example.none"], 'no scriptable app "com.example.none" is installed'),
        ]
        rules = 0
        for order, expected in doubtful:
            with self.subTest(order):
                self.assertIn(expected, self.cli_says("policy", *order, status=2))
                self.assertEqual(len(json.loads(self.cli("policy", "show", "--json"))["rules"]), rules)
                self.cli("policy", *order, "--yes")
                rules += 1
        for order in (["allow", "Mail"], ["deny", ""]):
            self.assertIn("bundle id", self.cli_says("policy", *order, status=2))
        for order in (["deny", "*"], ["deny", "Mail", "--command", "emsgsend"], ["allow", "COM.apple.mail", "--command", "checkForNewMail"], ["allow", "com.apple.mail", "--property", "readStatus"]):
            self.cli("policy", *order)

    def test_a_fresh_mac_leaves_nothing_behind(self):
        def begin(*options):
            process = subprocess.Popen(
                [BIN, "serve", "--simulated", *options],
                env=self.home.environment,
                cwd=self.home.path,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            asked = {"name": "iac_mcp_list_apps", "arguments": {}}
            for number, (method, params) in enumerate([("initialize", HELLO), ("tools/call", asked)]):
                line = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
                process.stdin.write(json.dumps(line).encode() + b"\n")
                process.stdin.flush()
                process.stdout.readline()
            return process

        temporary, macs = self.home.path / "tmp", self.home.path / ".cache/iac-mcp/macs"
        with begin() as killed:
            self.assertEqual(list(temporary.iterdir()), [])
            killed.kill()
        self.assertEqual(len(list(macs.iterdir())), 1)
        with begin():
            self.assertEqual(len(list(macs.iterdir())), 1, "what the killed one left is gone")
        self.assertEqual([list(macs.iterdir()), list(temporary.iterdir())], [[], []])
        with begin("--cache", "off"):
            [folder] = temporary.iterdir()
            self.assertEqual((folder.name, folder.stat().st_mode & 0o777), (f"iac-mcp-{os.getuid()}", 0o700))
        folder.chmod(0o755)
        self.assertIn("other users can open", self.told("apps", "--simulated", "--cache", "off", status=1))

    def test_what_cannot_be_written_can_be_looked_at(self):
        nowhere = ["--state", "/dev/null/state"]
        for shown in (["policy", "show"], ["policy", "grants"], ["policy", "check"], ["audit"], ["undo"]):
            with self.subTest(shown):
                missing = ["--state", str(self.home.path / "missing")]
                self.told(*shown, *missing)
                self.assertFalse((self.home.path / "missing").exists())
        self.assertIn("/dev/null/state", self.told("policy", "profile", "trusted", *nowhere, status=1))
        told = self.told("setup", "claude-desktop", "--file", "/proc/x.json", "--write", status=1)
        self.assertIn("/proc/x.json", told)
        self.assertIn("by hand", told)

    def test_whoever_is_wrong_is_told_what(self):
        self.home.state.mkdir()
        (self.home.state / "undo.json").write_bytes(b"\xff")
        self.assertIn("remove it with `rm ", self.cli_says("undo", status=1))
        (self.home.state / "undo.json").unlink()
        os.mkfifo(self.home.state / "config.toml")
        self.assertIn("expected a file", self.cli_says("apps", status=2))
        (self.home.state / "config.toml").unlink()
        wrong = {"IAC_MCP_TIMEOUT": "x"}
        self.assertIn("the value comes from IAC_MCP_TIMEOUT", self.told("apps", status=2, environment=wrong))
        for value in ("", "perhaps"):
            self.assertIn("IAC_MCP_READ_ONLY", self.told("apps", status=2, environment={"IAC_MCP_READ_ONLY": value}))
        self.assertNotIn("the value comes from", self.told("apps", "--timeout", "y", status=2, environment=wrong))
        self.assertIn("`iac-mcp apps`", self.told("describe", "NoSuchApp", "--simulated", status=1))
        self.assertIn("there is no such file", self.told("lint", "no.sdef", status=1))
        self.assertIn("did you mean", self.cli_says("policy", "explain", "Mail", "--command", "sned", status=1))
        self.assertIn("`iac-mcp plugin add FILE|ID`", self.told("plugin", "list"))
        for order in ("test", "bench"):
            self.assertIn("`iac-mcp plugin list`", self.told("plugin", order, "nofile", status=1))
        self.assertIn("`iac-mcp plugin pack`", self.told("plugin", "add", "nofile.wasm", status=1))
        for order in ("show", "reset"):
            self.assertIn("`iac-mcp sim new DIR`", self.told("sim", order, "nofolder", status=1))
        self.assertIn("IAC_MCP_LOG", self.told("apps", "--simulated", environment={"IAC_MCP_LOG": "[[["}))

    def test_advice_can_be_copied_as_it_stands(self):
        options = ["--read-only", "--state", str(self.home.path / "a b"), "--name", "my mac"]
        told = self.told("setup", "cursor", *options)
        entry = json.loads(self.told("setup", "cursor", *options, "--json"))["entry"]
        self.assertIn("--read-only", entry["args"])
        advised = re.search("`iac-mcp (.*?)`", told)[1]
        self.told(*shlex.split(advised))
        written = json.loads((self.home.path / ".cursor/mcp.json").read_text())
        self.assertEqual(written["mcpServers"], {"my mac": entry})
        self.assertIn("already set up", self.told(*shlex.split(advised)))
        (self.home.path / ".cursor/mcp.json").write_text("[]")
        self.assertIn(f"`iac-mcp {advised.removesuffix(' --write')}`", self.told(*shlex.split(advised), status=1))
        made = self.told("sim", "new", "it's a mac")
        world = shlex.split(made.split("iac-mcp serve ")[1])
        self.assertIn("Mail", self.told("apps", "mail", *world))
        flags = json.dumps({"reference": self.newest(*world), "properties": {"flagged status": True, "read status": False}})
        refusal = json.loads(self.told("call", "iac_mcp_set_property", flags, "--json", *world, status=1))
        advised = re.findall("`iac-mcp (.*?)`", refusal["suggestion"])
        self.assertEqual(len(advised), 2, refusal)
        (self.home.path / "both.toml").write_text(f"rules = [{refusal['policyLine']}]")
        self.assertIn("2 rules", self.told("policy", "check", "both.toml"))
        for order in advised:
            self.told(*shlex.split(order))
        self.told("call", "iac_mcp_set_property", flags, *world)

    def newest(self, *world):
        asked = {"app": "Mail", "container": INBOX, "elementType": "message", "limit": 1}
        told = self.told("call", "iac_mcp_get_elements", json.dumps(asked), "--json", *world)
        return json.loads(told)["elements"][0]["id"]

    def test_the_log_says_who_said_no_and_takes_what_it_uses(self):
        self.told("call", "iac_mcp_run_command", FLAG, *self.options(), status=1)
        self.assertIn("refused: no one approved it (this client has no way to ask)", self.cli("audit", "show", "--refused"))
        self.assertEqual(len(json.loads(self.cli("audit", "--limit", "1", "--json"))["entries"]), 1)
        for unused in (["verify", "--refused"], ["accept", "--app", "x"], ["export", "--limit", "1"], ["--refused", "show"]):
            with self.subTest(unused):
                self.cli("audit", *unused, status=2)
        self.assertIn("at least one day", self.cli_says("audit", "remove", "--older", "23h", status=2))
        self.cli("audit", "remove", "--older", "1d")

    def test_options_that_do_nothing_are_not_taken(self):
        cases = [
            (["setup", "--write"], "<CLIENT>"),
            (["policy", "deny", "com.apple.mail", "--launch"], "--launch"),
            (["plugin", "revoke", "x", "apps", "y", "--level", "safe"], "--level"),
            (["plugin", "limit", "x", "--compute-ms", "0"], "`--compute-ms` is 0, expected 1 to 60000"),
            (["apps", "--timeout", "0"], "expected a whole number from 1 to 3600"),
        ]
        for arguments, expected in cases:
            with self.subTest(arguments):
                self.assertIn(expected, self.cli_says(*arguments, status=2))
        self.assertIn("revoked: 0", self.cli("policy", "revoke", "--all"))
        self.assertIn("there is no file", self.told("plugin", "add", "no.wasm", status=1))
        self.assertIn("no.jsonl: ", self.told("sim", "record", "no.jsonl", "--again", "--simulated", status=1))
        self.assertIn("nocommand: ", self.told("sim", "record", "x", "--simulated", "--", "nocommand", status=1))
        shown = json.loads(self.cli("sim", "show", str(self.mac), "--json"))
        self.assertIn("com.apple.mail", [app["bundleId"] for app in shown["apps"]])
        told = json.loads(self.cli("doctor", "--json", "--tools", "mail,nope", status=1))
        self.assertEqual([check["name"] for check in told["checks"] if not check["ok"]], ["tools"])

    def test_a_terminal_is_asked_until_it_answers(self):
        refused, said = self.home.at_a_terminal(b"yes\n\n", "call", "iac_mcp_run_command", FLAG, *self.options())
        self.assertEqual((refused, said.count("expected one of these words")), (1, 1), said)
        agreed, said = self.home.at_a_terminal(b"y\nonce\n", "call", "iac_mcp_run_command", FLAG, *self.options())
        self.assertEqual((agreed, said.count("expected one of these words")), (0, 1), said)
        _, said = self.home.at_a_terminal(b"", "apps", "mail", *self.options())
        self.assertIn("com.apple.mail", said, "a terminal that says it has no columns")

    def test_the_doctor_sees_a_state_directory_that_cannot_be_written(self):
        if os.getuid() == 0:
            self.skipTest("root may write everywhere")
        self.home.state.mkdir(mode=0o500)
        self.assertIn("cannot be written", self.cli("doctor", status=1))
        self.home.state.chmod(0o700)

    def cli_says(self, *arguments, status=0):
        return self.told(*arguments, *self.options(), status=status)


if __name__ == "__main__":
    unittest.main()
