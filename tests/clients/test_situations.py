"""Apps in unusual states: Mail without accounts, Safari that is not running, a path that leads nowhere."""

import json
import subprocess
import unittest

from support import BIN, Home, Server

INBOX = {"type": "property", "property": "inbox", "of": "application"}


class Situations(unittest.TestCase):
    def on(self, home, **changed):
        """A server on a simulated Mac in which these apps have the given contents."""
        world = home.path / "mac"
        subprocess.run([BIN, "sim", "new", str(world)], check=True, stdout=subprocess.DEVNULL)
        for name, change in changed.items():
            data = world / "base/data" / f"com.apple.{name}.json"
            held = json.loads(data.read_text())
            change(held)
            data.write_text(json.dumps(held))
        return Server(home, "--world", str(world))

    def test_mail_without_accounts(self):
        def no_accounts(held):
            held["application"] = {"name": "Mail", "version": "26.0", "elements": {}}

        with Home() as home, self.on(home, mail=no_accounts) as server:
            accounts = server.call("iac_mcp_get_elements", app="Mail", container="application", elementType="account")
            self.assertEqual((accounts["elements"], accounts["totalCount"]), ([], 0))
            inbox = server.call("iac_mcp_query_object", app="Mail", specifier=INBOX)
            self.assertEqual(inbox, {"value": None}, "a Mail without accounts has no inbox, and says so")
            messages = server.call("iac_mcp_get_elements", app="Mail", container=INBOX, elementType="message")
            self.assertIn("error", messages)
            self.assertTrue(messages["suggestion"], messages)
            named = {"type": "named", "element": "account", "name": "iCloud"}
            missing = server.call("iac_mcp_query_object", app="Mail", specifier=named)
            self.assertEqual((missing["error"], missing["message"]), ("reference_invalid", 'Mail has no account "iCloud"'))

    def test_safari_shows_its_page(self):
        with Home() as home, self.on(home) as server:
            window = {"type": "element", "element": "window", "index": 0}
            tab = {"type": "property", "property": "current tab", "of": window}
            url = {"type": "property", "property": "URL", "of": tab}
            answer = server.call("iac_mcp_query_object", app="Safari", specifier=url)
            self.assertRegex(answer["value"], "^https://")
            shown = server.call("iac_mcp_query_object", app="Safari", specifier=tab)["reference"]["id"]
            both = server.call("iac_mcp_get_properties", reference=shown, properties=["URL", "name"])["properties"]
            self.assertEqual(both["URL"], answer["value"])
            self.assertTrue(both["name"])
            tabs = {"app": "Safari", "container": window, "elementType": "tab"}
            every = server.call("iac_mcp_get_elements", **tabs, properties=["URL"])
            first = server.call("iac_mcp_get_elements", **tabs, limit=1)
            self.assertGreater(len(every["elements"]), 1)
            self.assertEqual((first["count"], first["totalCount"]), (1, len(every["elements"])))
            self.assertIn(answer["value"], [tab["properties"]["URL"] for tab in every["elements"]])

    def test_safari_that_does_not_run_is_not_started(self):
        with Home() as home, self.on(home, Safari=lambda held: held.update(running=False)) as server:
            windows = {"app": "Safari", "container": "application", "elementType": "window"}
            for _ in range(2):
                answer = server.call("iac_mcp_get_elements", **windows)
                self.assertEqual((answer["error"], answer["retryable"]), ("app_not_running", True), answer)
            apps = server.call("iac_mcp_list_apps", search="Safari")["apps"]
            self.assertEqual([app["running"] for app in apps if app["name"] == "Safari"], [False])

    def test_a_path_that_leads_nowhere(self):
        with Home() as home, self.on(home) as server:
            (home.state / "policy.toml").parent.mkdir(exist_ok=True)
            (home.state / "policy.toml").write_text('profile = "trusted"\n')
            there = server.call("iac_mcp_read_command", app="Finder", command="exists", target="/Users/nobody/x.txt")
            self.assertIs(there["data"], False, there)
            home_folder = {"type": "property", "property": "home", "of": "application"}
            named = {"type": "named", "element": "folder", "name": "Nowhere", "container": home_folder}
            answer = server.call("iac_mcp_query_object", app="Finder", specifier=named)
            self.assertEqual(answer["error"], "reference_invalid", answer)
            self.assertIn("Nowhere", answer["message"])
            opened = server.call(
                "iac_mcp_run_command", app="Finder", command="open", target="/Users/nobody/not there.txt"
            )
            self.assertIn("error", opened)
            self.assertTrue(opened["suggestion"], opened)

    def allows(self, home, rule):
        (home.state / "policy.toml").parent.mkdir(exist_ok=True)
        (home.state / "policy.toml").write_text(f"rules = [{rule}]\n")

    def test_a_note_loses_its_attachments_only_after_a_question(self):
        with Home() as home, self.on(home) as server:
            named = lambda name: {"app": "Notes", "reference": f'note "{name}"', "property": "body"}
            attached = lambda: server.call("iac_mcp_get_elements", app="Notes", elements='every attachment of note "Catalogue ideas"')["totalCount"]
            self.allows(home, '{ app = "com.apple.Notes", level = "MODIFY", decision = "allow" }')
            plain = server.call("iac_mcp_set_property", **named("Offsite"), append="<div>Porto</div>")
            self.assertTrue(plain["success"] and plain["undo"], plain)
            unsaid = server.call("iac_mcp_set_property", **named("Catalogue ideas"), append="<div>Index</div>")
            self.assertEqual((unsaid["error"], unsaid["removes"]), ("invalid_parameter", {"attachments": 1}), unsaid)
            change = {**named("Catalogue ideas"), "append": "<div>Index</div>", "removeAttachments": True}
            refused = server.call("iac_mcp_set_property", **change)
            self.assertEqual((refused["error"], refused["level"]), ("permission_required", "DANGEROUS"), refused)
            self.assertEqual(attached(), 1)
            self.allows(home, refused["policyLine"])
            done = server.call("iac_mcp_set_property", **change)
            self.assertIsNone(done.get("undo", "none"), done)
            self.assertIn("attachments (1)", done["changes"][0]["noWayBack"][0])
            self.assertEqual(attached(), 0)
            kept = server.call("iac_mcp_undo", list=True)["undo"]
            self.assertIn("removed what the old value does not hold", json.dumps(kept), kept)

    def test_windows_are_not_shown_without_accessibility(self):
        windows = {"app": "System Events", "elements": 'every window of process "TextEdit"', "properties": ["name"]}
        button = 'button 1 of sheet 1 of window 1 of process "TextEdit"'
        with Home() as home:
            with self.on(home) as server:
                for asked in (windows, {"app": "System Events", "elements": 'every menu bar of process "Mail"'}):
                    refused = server.call("iac_mcp_get_elements", **asked)
                    self.assertEqual(refused["error"], "automation_not_authorized", refused)
                    self.assertIn("Accessibility", refused["suggestion"])
                for asked in (button, 'window 1 of process "TextEdit"', 'name of window 1 of process "TextEdit"', 'role of process "Mail"'):
                    refused = server.call("iac_mcp_query_object", app="System Events", specifier=asked)
                    self.assertEqual(refused.get("error"), "automation_not_authorized", (asked, refused))
                refused = server.call("iac_mcp_get_properties", app="System Events", reference='window 1 of process "TextEdit"')
                self.assertEqual(refused.get("error"), "automation_not_authorized", refused)
                ids = server.call("iac_mcp_get_elements", app="System Events", elements="every process", properties=["name", "unix id"])
                self.assertGreater(ids["totalCount"], 3)
                (home.path / "mac/consent.json").write_text('{"accessibility": true}')
            with Server(home, "--world", str(home.path / "mac")) as server:
                self.assertGreater(server.call("iac_mcp_get_elements", **windows)["totalCount"], 0)

    def test_mail_deletes_nothing_for_good(self):
        trash = 'mailbox "Deleted Messages" of account 1'
        with Home() as home, self.on(home) as server:
            self.allows(home, '{ app = "com.apple.mail", command = "delete", level = "DANGEROUS", decision = "allow" }')
            listed = server.call("iac_mcp_get_elements", app="Mail", elements=f"every message of {trash}", properties=["subject"], limit=1)
            before, [first] = listed["totalCount"], listed["elements"]
            done = server.call("iac_mcp_run_command", app="Mail", command="delete", target=first["id"])
            self.assertIs(done["success"], False, done)
            self.assertIn("until the user empties the Trash in Mail", done["unverified"])
            after = server.call("iac_mcp_get_elements", app="Mail", elements=f"every message of {trash}", limit=0)
            self.assertEqual(after["totalCount"], before)

    def test_a_count_says_that_projects_are_among_the_tasks(self):
        with Home() as home, self.on(home) as server:
            counted = lambda elements, **more: server.call("iac_mcp_get_elements", app="OmniFocus", elements=elements, **more).get("note", "")
            note = "each project counts as one more flattened task"
            self.assertIn(note, counted("every flattened task", limit=0))
            self.assertIn(note, counted("every flattened task", groupBy=["containing project.name"]))
            for elements, limit in (("every flattened task", 1), ("every flattened task of first flattened project", 0)):
                self.assertNotIn(note, counted(elements, limit=limit))


if __name__ == "__main__":
    unittest.main()
