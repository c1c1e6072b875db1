"""What lists, counts and questions say about objects of the simulated Mac."""

from desk import MODERN, Desk, Human
from support import Trusting


class Answers(Trusting):
    POLICY = 'profile = "trusted"\n'

    def listed(self, app, elements, **more):
        return self.call("iac_mcp_get_elements", app=app, elements=elements, **more)

    def test_no_project_is_in_the_inbox(self):
        for elements in ("every inbox task", "every flattened task whose in inbox is true", "every flattened task whose in inbox is true and flagged is true"):
            self.assertNotIn("counts as one more", self.listed("OmniFocus", elements, limit=0).get("note", ""), elements)
        self.assertIn("counts as one more", self.listed("OmniFocus", "every flattened task", limit=0)["note"])
        self.assertIn("counts as one more", self.listed("OmniFocus", "every flattened task whose in inbox is false", limit=0)["note"])

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

    def test_what_a_new_object_holds_is_given_as_its_children(self):
        self.call("iac_mcp_run_command", app="Contacts", command="launch")
        refused = self.server.call("iac_mcp_create", app="Contacts", **{"class": "person"}, properties={"first name": "Ana", "phone": "+1 555", "name": "Ana"})
        self.assertIn('{"children":[{"class":"phone","properties":{', refused["suggestion"])
        self.assertRegex(refused["suggestion"], r"you can set .*last name, first name, and \d+ others")

    def test_a_copy_on_the_desktop_is_in_its_folder(self):
        copied = {"app": "Finder", "command": "duplicate", "target": "~/Documents/CV Alex Marin.pdf", "arguments": {"to": "desktop"}}
        self.call("iac_mcp_run_command", **copied)
        for place in ("~/Desktop", "desktop"):
            names = [each["name"] for each in self.call("iac_mcp_get_elements", app="Finder", container=place)["elements"]]
            self.assertIn("CV Alex Marin.pdf", names, place)
        self.call("iac_mcp_query_object", app="Finder", specifier="~/Desktop/CV Alex Marin.pdf")


class Questions(Desk):
    async def asked(self, tool, **arguments):
        human = Human("deny")
        async with self.client(MODERN, human) as client:
            await client.call_tool("iac_mcp_run_command", {"app": "Contacts", "command": "launch"})
            human.asked.clear()
            await client.call_tool(tool, arguments)
        return human.asked[-1].message

    async def test_what_has_only_an_id_is_told_by_its_values(self):
        human = Human("once")
        async with self.client(MODERN, human) as client:
            await client.call_tool("iac_mcp_run_command", {"app": "Contacts", "command": "launch"})
            phones = await self.call(client, "iac_mcp_get_elements", app="Contacts", elements="every phone of every person", properties=["value"], limit=1)
            [phone] = phones["elements"]
            await self.call(client, "iac_mcp_set_property", reference=phone["id"], property="label", value="home")
        message = human.asked[-1].message
        self.assertRegex(message, r'- phone of person "')
        self.assertIn(f'value: "{phone["properties"]["value"]}"', message)

    async def test_a_window_names_its_tabs(self):
        self.assertRegex(await self.asked("iac_mcp_run_command", app="Safari", command="close", target="window 1"), r'its tabs: ".*", "')

    async def test_the_desktop_and_the_trash_have_names(self):
        moved = await self.asked("iac_mcp_run_command", app="Finder", command="move", target="~/Desktop/untitled.txt", arguments={"to": "trash"})
        self.assertIn("(to: the Trash)", moved)
        self.assertIn("got back out of the Trash", moved)
        made = await self.asked("iac_mcp_create", app="Finder", **{"class": "folder"}, at="desktop", properties={"name": "Exam"})
        self.assertIn("folder in the desktop {", made)

    async def test_a_deletion_tells_its_own_effect(self):
        track = await self.asked("iac_mcp_run_command", app="Music", command="delete", target='track 1 of playlist "Morning"')
        self.assertIn("removes from the playlist", track)
        alarm = await self.asked("iac_mcp_run_command", app="Calendar", command="delete", target="display alarm 1 of event 1 of calendar 1")
        self.assertNotIn("repeating event", alarm)
