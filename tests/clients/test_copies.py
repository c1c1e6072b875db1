"""Copies of objects: which one an answer, a step and an undo mean."""

import unittest

from support import Trusting


class Copies(Trusting):
    EVENT = 'event "Copied" of calendar "Home"'

    def events(self):
        found = self.call("iac_mcp_get_elements", app="Calendar", elements='every event of calendar "Home" whose summary contains "opied"', properties=["summary"])
        return sorted(each["properties"]["summary"] for each in found["elements"])

    def make_event(self):
        times = {"start date": "2031-03-04 10:00", "end date": "2031-03-04 11:00"}
        self.call("iac_mcp_create", app="Calendar", **{"class": "event"}, at='calendar "Home"', properties={"summary": "Copied", **times})

    def test_a_copy_with_the_id_of_its_original_has_no_reference_and_no_undo(self):
        self.make_event()
        done = self.call("iac_mcp_run_command", app="Calendar", command="duplicate", target=self.EVENT, arguments={"to": 'calendar "Home"'})
        self.assertEqual((done["data"], done["undo"]), (None, None), done)
        self.assertIn("the id of its original", done["note"])
        self.assertEqual(self.events(), ["Copied", "Copied"])

    def test_a_step_about_such_a_copy_leaves_the_original_alone(self):
        self.make_event()
        then = [{"property": "summary", "value": "Recopied"}]
        done = self.server.call("iac_mcp_run_command", app="Calendar", command="duplicate", target=self.EVENT, arguments={"to": 'calendar "Home"'}, then=then)
        self.assertNotIn("reference", done["objects"][0], done)
        self.assertIs(done["success"], False, done)
        self.assertIn("not set: `summary`", done["objects"][0]["note"])
        self.assertEqual(self.events(), ["Copied", "Copied"])

    def test_the_properties_of_a_copy_are_set_and_read_back(self):
        target = self.call("iac_mcp_get_elements", app="OmniFocus", elements="every flattened task", limit=1)["elements"][0]["id"]
        values = {"name": "The copy", "flagged": True}
        to = {"to": {"position": "after", "of": target}}
        done = self.call("iac_mcp_run_command", app="OmniFocus", command="duplicate", target=target, arguments={**to, "withProperties": values})
        [copy] = done["objects"]
        self.assertEqual((copy["name"], done["success"], "unverified" in copy), ("The copy", True, False), done)
        wrong = self.server.call("iac_mcp_run_command", app="OmniFocus", command="duplicate", target=target, arguments={**to, "withProperties": {"nam": "x"}})
        self.assertEqual((wrong["error"], "name" in wrong["near"]), ("unknown_property", True), wrong)

    def test_the_properties_of_a_copy_are_not_set_without_the_copy(self):
        for targets, more, expected in ((["reminder 1", "reminder 2"], {}, "invalid_parameter"), ("reminder 1", {"dryRun": True}, None)):
            arguments = {"target": targets, "arguments": {"withProperties": {"name": "Twin"}}, **more}
            answer = self.server.call("iac_mcp_run_command", app="Reminders", command="duplicate", **arguments)
            self.assertEqual(answer.get("error"), expected, answer)
        read = self.server.call("iac_mcp_read_command", app="Reminders", command="duplicate", target="reminder 1", arguments={"withProperties": {"name": "Twin"}})
        self.assertEqual(read["error"], "permission_denied", read)
        found = self.call("iac_mcp_get_elements", app="Reminders", elements='every reminder whose name is "Twin"')
        self.assertEqual(found["count"], 0)

    def test_a_step_names_its_object_after_a_command_that_answers_none(self):
        then = [{"target": "Finder window 1", "property": "current view", "value": "icon view"}]
        done = self.call("iac_mcp_run_command", app="Finder", command="open", target='folder "~/Documents"', then=then)
        self.assertEqual(done["then"][0]["changes"][0]["new"], "icon view", done)


if __name__ == "__main__":
    unittest.main()
