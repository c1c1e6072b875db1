"""What lists, counts and questions say about objects of the simulated Mac."""

from support import Trusting


class Answers(Trusting):
    POLICY = 'profile = "trusted"\n'

    def listed(self, app, elements, **more):
        return self.call("iac_mcp_get_elements", app=app, elements=elements, **more)

    def test_a_mailbox_on_the_mac_has_no_account(self):
        everywhere = ["every message of every mailbox of every account", "every message of every mailbox"]
        grouped = self.listed("Mail", everywhere, groupBy=["account.name", "mailbox.name"])
        self.assertNotIn("complete", grouped)
        here = [group for group in grouped["groups"] if group["key"]["account.name"] is None]
        self.assertEqual(sum(group["count"] for group in here), self.listed("Mail", "every message of every mailbox", limit=0)["totalCount"])

    def test_each_item_of_a_list_has_a_group(self):
        tagged = self.listed("OmniFocus", "every flattened task", groupBy=["tags.name"], limit=100)
        counts = {group["key"]["tags.name"]: group["count"] for group in tagged["groups"]}
        self.assertIn("counts in each of their groups", tagged["note"])
        self.assertEqual(len(counts), len(tagged["groups"]))
        rows = self.listed("OmniFocus", "every flattened task", properties=["tags.name"], limit=1000)["elements"]
        tags = [row["properties"]["tags.name"] for row in rows]
        self.assertEqual(counts[None], sum(each == [] for each in tags))
        self.assertEqual(counts["Work"], sum("Work" in each for each in tags))
        both = self.listed("OmniFocus", "every flattened task", groupBy=["tags.name", "flagged"], sort=[{"property": "tags.name"}], limit=100)
        names = [group["key"]["tags.name"] for group in both["groups"] if group["key"]["tags.name"]]
        self.assertEqual(names, sorted(names, key=str.casefold))

    def test_a_long_answer_counts_most_of_its_empty_groups(self):
        tags = self.listed("OmniFocus", "every task of every flattened project", groupBy=["container"])
        self.assertLessEqual(len(tags.get("empty", [])), 10)

    def test_a_row_does_not_repeat_the_name_of_its_container(self):
        for app, elements in (("Music", "every track of every playlist"), ("Finder", "every file of every folder of folder \"Documents\" of home")):
            found = self.listed(app, elements, properties=["name", "container.name"], limit=3)
            self.assertNotIn("container", found)
            self.assertNotIn("container", found["elements"][0])

    def test_a_copy_on_the_desktop_is_in_its_folder(self):
        copied = {"app": "Finder", "command": "duplicate", "target": "~/Documents/CV Alex Marin.pdf", "arguments": {"to": "desktop"}}
        self.call("iac_mcp_run_command", **copied)
        for place in ("~/Desktop", "desktop"):
            names = [each["name"] for each in self.call("iac_mcp_get_elements", app="Finder", container=place)["elements"]]
            self.assertIn("CV Alex Marin.pdf", names, place)
        self.call("iac_mcp_query_object", app="Finder", specifier="~/Desktop/CV Alex Marin.pdf")
