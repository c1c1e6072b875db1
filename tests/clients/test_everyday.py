"""Everyday questions of people, each with one call on the simulated Mac, as a model would write it from the list of
tools alone."""

import unittest

from desk import MODES, Desk, Human
from support import Home, OneServer, Server, Trusting


class Everyday(OneServer):
    def elements(self, app, **arguments):
        answer = self.server.call("iac_mcp_get_elements", app=app, **arguments)
        self.assertNotIn("error", answer, answer)
        return answer

    def test_groups_of_containers_of_which_some_have_no_owner(self):
        """An empty mailbox without an account must be in the group without a name, and not in a group for an error."""
        places = ["every mailbox of every account", "every mailbox"]
        answer = self.elements("Mail", container=places, elementType="message", groupBy=["mailbox.account.name"])
        keys = [group["key"]["mailbox.account.name"] for group in answer["groups"]]
        self.assertEqual(len(keys), len(set(keys)))
        self.assertIn(None, keys)
        self.assertTrue(all(key is None or isinstance(key, str) for key in keys), keys)

    def test_a_name_without_its_place(self):
        found = self.elements("Mail", elements='every message of mailbox "Garden house"', limit=1)
        self.assertEqual(found["resolvedAs"], 'mailbox "Garden house" of account "iCloud"')
        self.assertEqual(found["count"], 1)
        again = self.elements("Mail", elements=f"every message of {found['resolvedAs']}", limit=0)
        self.assertEqual(again["totalCount"], found["totalCount"])


    def test_standard_additions_are_only_commands(self):
        said = self.server.call("iac_mcp_describe_app", app="StandardAdditions")
        self.assertNotIn("elementsOfApplication", said)
        self.assertNotIn("propertiesOfApplication", said)
        commands = [name for names in said["commands"].values() for name in names]
        self.assertIn("display notification", commands)
        self.assertNotIn("make", commands)
        refused = self.server.call("iac_mcp_run_command", app="StandardAdditions", command="close", target="window 1")
        self.assertEqual(refused["error"], "unknown_command")


class Whole(OneServer):
    """Parts that must add up to the whole: a list that leaves something out without a word is the worst answer."""

    def count(self, app, elements, **more):
        found = self.server.call("iac_mcp_get_elements", app=app, elements=elements, limit=0, **more)
        self.assertNotIn("error", found)
        return found["totalCount"]

    def test_with_and_without_a_value(self):
        for test in ("due date", "remind me date"):
            open_ones = "every reminder whose completed is false"
            parts = [self.count("Reminders", f"{open_ones} and {test} is {word}missing value") for word in ("", "not ")]
            self.assertEqual(sum(parts), self.count("Reminders", open_ones), test)
            self.assertGreater(min(parts), 0, test)

    def test_before_or_after(self):
        before, after = "start date < today", "start date > today + 7 days"
        parts = [self.count("Calendar", f"every event whose {part}") for part in (before, after)]
        self.assertEqual(self.count("Calendar", f"every event whose {before} or {after}"), sum(parts))

    def test_all_but_one_date(self):
        span = "start date >= today and start date < today + 30 days"
        rows = self.server.call("iac_mcp_get_elements", app="Calendar", elements=f"every event whose {span}", properties=["start date"])
        first = rows["elements"][0]["properties"]["start date"]
        same = sum(row["properties"]["start date"] == first for row in rows["elements"])
        where = {"and": [
            {"property": "start date", "op": ">=", "value": "today"},
            {"property": "start date", "op": "<", "value": "today + 30 days"},
            {"property": "start date", "op": "!=", "value": first},
        ]}  # fmt: skip
        self.assertEqual(self.count("Calendar", "every event", where=where), rows["totalCount"] - same)

    def test_pages_of_the_last_of_fewer(self):
        def page(elements, **more):
            found = self.server.call("iac_mcp_get_elements", app="Notes", elements=elements, **more)
            return [note["name"] for note in found["elements"]], found.get("nextOffset")

        every, _ = page("every note")
        for elements in ("last 300 notes", "notes -300 thru -1"):
            pages, at = [], 0
            while at is not None:
                names, at = page(elements, limit=7, offset=at)
                pages += names
            self.assertEqual(pages, every, elements)
        self.assertEqual(page("notes -300 thru -290"), ([], None))
        self.assertEqual(page(f"notes {-len(every) - 2} thru {2 - len(every)}"), (every[:3], None))

    def test_a_day_is_a_whole_day(self):
        mail = {"container": ["every mailbox of every account", "every mailbox"], "elementType": "message"}

        def messages(test):
            found = self.server.call("iac_mcp_get_elements", app="Mail", where=f"date received {test}", limit=0, **mail)
            self.assertNotIn("error", found, test)
            return found["totalCount"]

        for day in ("today - 3 days", "2026-01-20", "last week"):
            before, on = (messages(f"{test} {day}") for test in ("<", "is"))
            self.assertEqual(messages(f"<= {day}"), before + on, day)
            self.assertEqual(before + messages(f">= {day}"), messages("is not missing value"), day)
            # What overlaps a day begins before its end and ends after its beginning.
            self.assertEqual(messages(f"> {day}"), messages(f">= {day}"), day)
        for wrong in ("is last 7 days", "is now", ">= 2026-02-30", ">= 2026-11"):
            found = self.server.call("iac_mcp_get_elements", app="Mail", where=f"date received {wrong}", limit=0, **mail)
            self.assertIn("error", found, wrong)
        self.assertEqual(messages(">= 2026-01-20 12:30"), messages(">= 2026-01-20T12:30"))

    def test_containers_that_hold_the_same_objects(self):
        for app, element, containers, whole in [
            ("Notes", "note", ["every account", "every folder"], "every note"),
            ("Mail", "message", ["inbox", "every mailbox of every account"], "every message of every mailbox of every account"),
            ("Reminders", "reminder", ["every account", "every list"], "every reminder"),
        ]:
            found = self.server.call("iac_mcp_get_elements", app=app, elementType=element, container=containers, limit=0)
            self.assertEqual(found["totalCount"], self.count(app, whole), app)
        nested = {"container": ["~/Documents", "~/Documents/Letters"], "elementType": "document file", "recursive": True, "limit": 0}
        found = self.server.call("iac_mcp_get_elements", app="Finder", **nested)
        nested["container"] = "~/Documents"
        self.assertEqual(found["totalCount"], self.server.call("iac_mcp_get_elements", app="Finder", **nested)["totalCount"])

    def test_a_class_is_not_one_of_its_kinds(self):
        found = self.server.call("iac_mcp_get_elements", app="Mail", container="application", elementType="message", limit=0)
        self.assertEqual(found["error"], "unknown_element", found)

    def test_each_name_that_was_asked_for(self):
        names = ["name", "account.name", "container.name"]
        found = self.server.call("iac_mcp_get_elements", app="Notes", elements="every folder", properties=names)
        # A folder may be in another one, so this is not always the name of an account.
        self.assertEqual(found["readAs"], {"account.name": "container.name"})
        for folder in found["elements"]:
            self.assertEqual([*folder["properties"]], names)

    def test_a_path_in_words_is_the_path_with_dots(self):
        for app, elements in [("Notes", "every note"), ("Reminders", "every reminder"), ("Mail", "every message of inbox")]:
            owner = "mailbox" if app == "Mail" else "container"
            with self.subTest(app):
                both = [f"name of {owner}", f"{owner}.name"]
                found = [self.server.call("iac_mcp_get_elements", app=app, elements=elements, properties=[each], limit=5) for each in both]
                words, dots = ([[*row["properties"].values()] for row in each["elements"]] for each in found)
                self.assertEqual(words, dots)
                self.assertTrue(all(dots))

    def test_an_app_that_must_be_told_what_to_count(self):
        for elements in ('items of folder "~/Desktop"', 'every file of folder "~/Desktop" whose size > 0'):
            counted = self.server.call("iac_mcp_read_command", app="Finder", command="count", target=elements)
            self.assertEqual(counted.get("data"), self.count("Finder", elements), counted)

    def test_what_is_no_object_does_not_exist(self):
        for target in ("mesage 3 of inbox", "nonsense", 'mailbox "INBOX" of acount 1'):
            found = self.server.call("iac_mcp_read_command", app="Mail", command="exists", target=target)
            self.assertIn("error", found, target)
        for target, is_there in (("message 3 of inbox", True), ("message 3000 of inbox", False)):
            found = self.server.call("iac_mcp_read_command", app="Mail", command="exists", target=target)
            self.assertIs(found["data"], is_there, found)


class Kept(Trusting):
    def test_contacts_keeps_every_change(self):
        server = self.server
        made = server.call("iac_mcp_create", app="Contacts", **{"class": "person"}, properties={"first name": "Zed"})
        person = made["objects"][0]["reference"]
        for call in (
            lambda: server.call("iac_mcp_set_property", reference=person, property="last name", value="Quill"),
            lambda: server.call("iac_mcp_undo", last=True),
        ):
            self.assertTrue(call()["success"])
            left = server.call("iac_mcp_get_properties", app="Contacts", reference="application", properties=["unsaved"])
            self.assertIs(left["properties"]["unsaved"], False)

    def test_contacts_keeps_what_follows_a_new_group(self):
        made = self.call("iac_mcp_create", app="Contacts", **{"class": "person"}, properties={"first name": "Zed"})
        person = made["objects"][0]["reference"]
        then = [{"command": "add", "target": person, "arguments": {"to": "it"}}]
        self.call("iac_mcp_create", app="Contacts", **{"class": "group"}, properties={"name": "Choir"}, then=then)
        left = self.call("iac_mcp_get_properties", app="Contacts", reference="application", properties=["unsaved"])
        self.assertIs(left["properties"]["unsaved"], False)


class Undone(Trusting):
    def test_a_place_that_a_later_call_has_changed(self):
        server = self.server
        [note] = server.call("iac_mcp_get_elements", app="Notes", elements="first note of folder \"Work\"")["elements"]

        def move(folder):
            to = {"to": f'folder "{folder}"'}
            return server.call("iac_mcp_run_command", app="Notes", command="move", target=note["id"], arguments=to)["undo"]

        there, on = move("Garden house"), move("Notes")
        self.assertIn(on, server.call("iac_mcp_undo", undo=there)["suggestion"])
        self.assertTrue(server.call("iac_mcp_undo", undo=[there, on])["success"])
        at = server.call("iac_mcp_get_properties", reference=note["id"], properties=["container.name"])
        self.assertEqual(at["properties"]["container.name"], "Work")

    def test_a_value_that_a_later_call_has_changed(self):
        server = self.server
        made = server.call("iac_mcp_create", app="Reminders", **{"class": "reminder"}, properties={"name": "Tea", "priority": 1})
        reminder = made["objects"][0]["reference"]

        def priority(*value):
            if value:
                return server.call("iac_mcp_set_property", reference=reminder, property="priority", value=value[0])["undo"]
            return server.call("iac_mcp_get_properties", reference=reminder, properties=["priority"])["properties"]["priority"]

        there, back = priority(5), priority(1)
        refused = server.call("iac_mcp_undo", undo=there)
        self.assertIn(back, refused["suggestion"], refused)
        self.assertTrue(server.call("iac_mcp_undo", undo=[there, back])["success"])
        self.assertEqual(priority(), 1)


class Locked(Trusting):
    def test_a_text_that_nobody_can_see_is_not_replaced(self):
        server = self.server
        locked = server.call("iac_mcp_get_elements", app="Notes", elements="every note whose password protected is true", limit=1)
        note = locked["elements"][0]
        for how in ({"value": "<div>x</div>"}, {"append": "x"}):
            refused = server.call("iac_mcp_set_property", reference=note["id"], property="body", **how)
            self.assertIn("is locked", str(refused))
        named = server.call("iac_mcp_get_properties", reference=note["id"], properties=["name"])
        self.assertEqual(named["properties"]["name"], note["name"])

    def test_plain_text_stays_as_it_is(self):
        server = self.server
        made = server.call("iac_mcp_create", app="Notes", **{"class": "note"}, properties={"name": "Shop", "body": "Salt & <Pepper>"})
        note = made["objects"][0]["reference"]
        server.call("iac_mcp_set_property", reference=note, property="body", append="\nEggs <3")
        read = server.call("iac_mcp_get_properties", reference=note, properties=["plaintext"])
        self.assertEqual(read["properties"]["plaintext"].split("\n"), ["Shop", "Salt & <Pepper>", "Eggs <3"])


class Counted(Trusting):
    def test_a_number_that_cannot_be_counted_says_how(self):
        for value in ("sound volume / 0", "sound volume / sound volume"):
            arguments = {"app": "Music", "reference": "application", "property": "sound volume", "value": value}
            refused = self.server.call("iac_mcp_set_property", **arguments)
            self.assertIn("count from its own value: `sound volume + 10`", refused["suggestion"])


class Spoken(Trusting):
    """Values and objects as people say them."""

    def test_a_number_by_the_word_that_the_app_shows(self):
        made = self.call("iac_mcp_create", app="Reminders", **{"class": "reminder"}, properties={"name": "Tea", "priority": "High"})
        reminder = made["objects"][0]["reference"]
        self.call("iac_mcp_set_property", reference=reminder, property="priority", value="medium")
        read = self.call("iac_mcp_get_properties", reference=reminder, properties=["priority"])
        self.assertEqual(read["properties"], {"priority": 5})
        refused = self.server.call("iac_mcp_set_property", reference=reminder, property="priority", value="urgent")
        self.assertIn("one of 0 none, 1 high, 5 medium, 9 low", refused["suggestion"])

    def test_a_file_where_a_path_is_a_text(self):
        picture = {"app": "System Events", "reference": "desktop 1", "property": "picture"}
        set_to = self.call("iac_mcp_set_property", **picture, value='POSIX file "/Users/alex/Pictures/a.jpg"')
        self.assertEqual(set_to["changes"][0]["new"], "/Users/alex/Pictures/a.jpg")

    def test_a_folder_is_the_same_by_its_path_and_in_words(self):
        window = {"app": "Finder", "reference": "Finder window 1", "property": "target"}
        for value in ("/Users/alex/Downloads", 'folder "Documents" of home'):
            answer = self.call("iac_mcp_set_property", **window, value=value)
            self.assertEqual((answer["success"], answer["undo"] is None), (True, False), answer)

    def test_only_one_thing_is_played(self):
        tracks = 'every track of library playlist 1 whose artist is "Mira Solano"'
        refused = self.server.call("iac_mcp_run_command", app="Music", command="play", target=tracks)
        self.assertIn("plays one thing, and these are 4", refused["message"])
        self.call("iac_mcp_run_command", app="Music", command="play", target=tracks.replace("every", "first"))

    def test_where_a_new_event_can_go(self):
        event = {"app": "Calendar", "class": "event", "properties": {"summary": "Tea", "start date": "tomorrow 10:00"}}
        refused = self.server.call("iac_mcp_create", **event)
        self.assertEqual(refused["places"], ['calendar "Home"', 'calendar "Northwind Atelier"'], refused)
        self.call("iac_mcp_create", **event, at=refused["places"][1])
        refused = self.server.call("iac_mcp_create", **event, at='calendar "Birthdays 🎂"')
        self.assertIn("takes no new objects", refused["message"])

    def test_namesakes_have_their_dates(self):
        gym = {"summary": "Gym", "start date": "2027-01-02T10:00:00Z"}
        self.call("iac_mcp_create", app="Calendar", **{"class": "event"}, at='calendar "Northwind Atelier"', properties=gym)
        refused = self.server.call("iac_mcp_query_object", app="Calendar", specifier='event "Gym"')
        self.assertEqual(refused["dates"][1][:10], "2027-01-02", refused)


class Named(Trusting):
    def test_an_object_given_by_its_name_is_verified_by_its_id(self):
        task = self.call("iac_mcp_get_elements", app="OmniFocus", elements="every flattened task", limit=1)["elements"][0]["id"]
        for tag in ("Waiting", "Errands"):
            self.call("iac_mcp_create", app="OmniFocus", **{"class": "tag"}, properties={"name": f"New {tag}"})
            value = f'flattened tag "New {tag}"'
            answer = self.call("iac_mcp_set_property", reference=task, property="primary tag", value=value)
            self.assertIs(answer["changes"][0]["verified"], True, answer)
            read = self.call("iac_mcp_get_properties", reference=task, properties=["primary tag.name"])
            self.assertEqual(read["properties"]["primary tag.name"], f"New {tag}")


class Moved(unittest.TestCase):
    """Notes has no property that marks a note, but a note keeps its id."""

    def test_a_moved_note_goes_back(self):
        with Home() as home:
            home.policy('profile = "trusted"\n')
            with Server(home) as server:

                def held(folder):
                    rows = server.call("iac_mcp_get_elements", app="Notes", elements=f'every note of folder "{folder}"', properties=["name"])
                    return sorted(row["properties"]["name"] for row in rows["elements"])

                there, here = held("Work"), held("Garden house")
                notes = server.call("iac_mcp_get_elements", app="Notes", elements='every note of folder "Garden house"', properties=["id"])
                first = notes["elements"][0]
                for target in ([note["id"] for note in notes["elements"]], first["id"], f'note id "{first["properties"]["id"]}"'):
                    to = {"to": 'folder "Work"'}
                    moved = server.call("iac_mcp_run_command", app="Notes", command="move", target=target, arguments=to)
                    self.assertNotEqual((held("Work"), held("Garden house")), (there, here), moved)
                    at = server.call("iac_mcp_get_properties", app="Notes", reference=target, properties=["container.name"])
                    self.assertIn("Work", str(at), at)
                    undone = server.call("iac_mcp_undo", undo=moved["undo"])
                    self.assertTrue(undone["success"], undone)
                    self.assertTrue(all(each["verified"] for each in undone["changes"]), undone)
                    self.assertEqual((held("Work"), held("Garden house")), (there, here), target)


class Asked(Desk):
    async def test_a_question_names_no_reference(self):
        human = Human("deny")
        async with self.client(MODES[0], human) as client:
            lists = await self.call(client, "iac_mcp_get_elements", app="Reminders", elements="every list", limit=1)
            every = f"every reminder of {lists['elements'][0]['id']}"
            await client.call_tool("iac_mcp_set_property", {"reference": every, "property": "priority", "value": 5})
        self.assertIn("“every reminder of that list” means 7 objects", human.asked[0].message)
        self.assertNotIn("ref_", human.asked[0].message)

    async def test_commands_of_macos_are_asked_as_such(self):
        human = Human("deny")
        async with self.client(MODES[0], human) as client:
            for place, level in (
                ("com.apple.BluetoothSettings", "MODIFY · it opens a pane of System Settings"),
                ("com.apple.preferences.softwareupdate?action=install", "DANGEROUS · it opens an address that may start any program"),
            ):
                pane = {"app": "StandardAdditions", "command": "open location", "target": f"x-apple.systempreferences:{place}"}
                await client.call_tool("iac_mcp_run_command", pane)
                head, last = human.asked[-1].message.splitlines()
                self.assertTrue(head.startswith('macOS: run "open location"'), head)
                self.assertEqual(last, level)

    async def test_a_change_of_contacts_writes_no_file(self):
        human = Human("once", "deny")
        async with self.client(MODES[0], human) as client:
            await self.call(client, "iac_mcp_run_command", app="Contacts", command="launch")
            phone = {"class": "phone", "at": "first person", "properties": {"label": "work", "value": "+49 1"}}
            await client.call_tool("iac_mcp_create", {"app": "Contacts", **phone})
        self.assertEqual(human.asked[-1].message.splitlines()[-1], "MODIFY · it makes objects and saves the app's own data")


class Ended(Desk):
    async def test_what_goes_along_is_shown(self):
        human = Human("deny")
        async with self.client(MODES[0], human) as client:
            tasks = {"app": "OmniFocus", "elements": "every flattened task whose completed is false", "limit": 300}
            found = await self.call(client, "iac_mcp_get_elements", **tasks, properties=["repetition rule", "count of flattened tasks"])
            rows = {row["id"]: row["properties"] for row in found["elements"]}
            for task, properties in rows.items():
                rule, count = properties["repetition rule"], properties["count of flattened tasks"]
                if rule or count == 3:
                    await client.call_tool("iac_mcp_run_command", {"app": "OmniFocus", "command": "mark complete", "target": task})
                    asked = human.asked[-1].message
                    self.assertIn(f"tasks in it: {count}\n" if count else "", asked)
                    self.assertIn(f'recurrence: "{rule["recurrence"]}"' if rule else "", asked)
                    self.assertEqual(("tasks in it" in asked, "repeats:" in asked), (bool(count), bool(rule)), asked)
                    self.assertIn("its contents count as completed too; repeating items stay open", asked)
        self.assertGreater(len(human.asked), 2)

    async def test_a_command_that_was_allowed_is_done(self):
        """Between the question and the command, the script compares the tasks with what the question showed."""
        human = Human("once")
        async with self.client(MODES[0], human) as client:
            tasks = {"app": "OmniFocus", "elements": "every flattened task whose completed is false and repetition rule is missing value"}
            found = await self.call(client, "iac_mcp_get_elements", **tasks, properties=["count of flattened tasks", "containing project.name"])
            alone = [row["id"] for row in found["elements"] if row["properties"]["count of flattened tasks"] == 0]
            run = {"app": "OmniFocus", "target": alone[0]}
            await self.call(client, "iac_mcp_run_command", **run, command="mark complete")
            await self.call(client, "iac_mcp_run_command", **run, command="mark incomplete")
            await self.call(client, "iac_mcp_run_command", **run, command="mark dropped")
            await self.call(client, "iac_mcp_run_command", **run | {"target": alone[1:3]}, command="delete")
        self.assertEqual(len(human.asked), 4)


class Made(unittest.TestCase):
    """A new object goes to the place that people expect, although the call names no place."""

    def test_a_place_that_is_left_out_or_named_by_a_property(self):
        with Home() as home:
            home.policy('profile = "trusted"\n')
            with Server(home) as server:
                for app, new, held in [
                    ("OmniFocus", {"class": "inbox task", "properties": {"name": "Milk"}}, "every inbox task"),
                    (
                        "Reminders",
                        {"class": "reminder", "properties": {"name": "Milk", "list": "Reminders"}},
                        'every reminder of list "Reminders"',
                    ),
                    (
                        "Reminders",
                        {"class": "reminder", "properties": {"name": "Milk", "list": 'Work "urgent"'}},
                        r'every reminder of list "Work \"urgent\""',
                    ),
                    (
                        "Reminders",
                        {"class": "reminder", "properties": {"name": "Milk", "list": 'list "Groceries 🛒"'}},
                        'every reminder of list "Groceries 🛒"',
                    ),
                ]:
                    made = server.call("iac_mcp_create", app=app, **new)
                    self.assertTrue(made.get("success"), made)
                    found = server.call("iac_mcp_get_elements", app=app, elements=held, where='name is "Milk"')
                    self.assertEqual(found["totalCount"], 1, found)
                self.assertEqual(server.end(), 0)

    def test_a_message_goes_to_the_trash_of_its_account(self):
        with Home() as home:
            # This command is as dangerous as a deletion.
            rule = '{ app = "com.apple.mail", command = "move", level = "DANGEROUS", decision = "allow" }'
            home.policy(f'profile = "trusted"\nrules = [{rule}]\n')
            with Server(home) as server:

                def held(mailbox):
                    elements = f'every message of mailbox "{mailbox}" of account "iCloud"'
                    return server.call("iac_mcp_get_elements", app="Mail", elements=elements)["totalCount"]

                before = held("INBOX"), held("Deleted Messages")
                message = 'message 1 of mailbox "INBOX" of account "iCloud"'
                move = {"command": "move", "target": message, "arguments": {"to": "trash mailbox"}}
                moved = server.call("iac_mcp_run_command", app="Mail", **move)
                self.assertTrue(moved.get("success"), moved)
                self.assertEqual((held("INBOX"), held("Deleted Messages")), (before[0] - 1, before[1] + 1))
                self.assertTrue(server.call("iac_mcp_undo", last=True)["success"])
                self.assertEqual((held("INBOX"), held("Deleted Messages")), before)
                self.assertEqual(server.end(), 0)


if __name__ == "__main__":
    unittest.main()
