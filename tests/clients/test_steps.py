"""Calls with steps about objects of their own, and the answers of commands, as a model needs them."""

import unittest

from desk import MODES, Desk, Human
from support import OneServer, Trusting


class Steps(Trusting):
    POLICY = 'profile = "trusted"\nrules = [{ app = "com.apple.reminders", command = "delete", decision = "allow" }, { app = "com.apple.finder", command = "delete", decision = "allow" }, { app = "com.apple.mail", command = "delete", decision = "allow" }, { app = "com.apple.AddressBook", command = "delete", decision = "allow" }, { app = "com.apple.finder", command = "duplicate", decision = "allow", level = "DANGEROUS" }]\n'

    def rating(self):
        read = self.call("iac_mcp_get_properties", app="Music", reference="current track", properties=["name", "rating"])
        return read["properties"]

    def test_what_plays_is_rated_in_the_same_call(self):
        rate = {"target": "current track", "property": "rating", "value": 80}
        done = self.call("iac_mcp_run_command", app="Music", command="play", target='playlist "Morning"', then=[rate])
        [change] = done["then"][0]["changes"]
        self.assertEqual((change["name"], change["old"], change["new"]), ("Slow Train", 20, 80), done)
        self.assertEqual(self.rating(), {"name": "Slow Train", "rating": 80})
        self.call("iac_mcp_undo", undo=done["undo"])
        self.assertEqual(self.rating()["rating"], 20)

    def test_steps_keep_their_order_and_stop_at_a_failure(self):
        then = [
            {"target": "application", "property": "sound volume", "value": 33},
            {"target": "current track", "property": "rating", "value": 40},
            {"command": "play"},
        ]
        # Nothing plays after `stop`, so there is no current track.
        done = self.server.call("iac_mcp_run_command", app="Music", command="stop", then=then)
        volume, rating, play = done["then"]
        self.assertEqual((volume["changes"][0]["old"], volume["changes"][0]["new"]), (60, 33), done)
        self.assertEqual((rating["error"]["number"], play["error"]["outcome"]), (-1728, "not_tried"), done)
        self.assertIs(done["success"], False)

    def test_the_target_of_the_command_needs_no_name(self):
        [reminder] = self.call("iac_mcp_get_elements", app="Reminders", elements="first reminder whose flagged is false")["elements"]
        done = self.call("iac_mcp_run_command", app="Reminders", command="show", target=reminder["id"], then=[{"property": "flagged", "value": True}])
        self.assertEqual(done["then"][0]["changes"][0]["reference"], reminder["id"], done)
        self.assertIsNotNone(done["undo"])

    def test_a_new_object_and_others_are_one_undo(self):
        two = self.call("iac_mcp_get_elements", app="Reminders", elements="every reminder whose flagged is false", limit=2)
        found = [each["id"] for each in two["elements"]]
        then = [{"target": found, "property": "flagged", "value": True}]
        made = self.call("iac_mcp_create", app="Reminders", **{"class": "reminder"}, properties={"name": "Call Ada"}, then=then)
        self.assertEqual(len(made["then"][0]["changes"]), 2, made)
        undone = self.call("iac_mcp_undo", undo=made["undo"])
        self.assertIs(undone["success"], True, undone)
        flags = self.call("iac_mcp_get_properties", reference=found, properties=["flagged"])["results"]
        self.assertEqual([each["properties"]["flagged"] for each in flags], [False, False])
        self.assertEqual(self.call("iac_mcp_get_elements", app="Reminders", elements='every reminder whose name is "Call Ada"')["count"], 0)

    def test_names_that_were_passed_on_come_back(self):
        for name in ("First", "Second"):
            self.call("iac_mcp_create", app="Finder", **{"class": "folder"}, at="desktop", properties={"name": name})
        steps = [
            {"target": f'folder "{name}" of desktop', "property": "name", "value": value}
            for name, value in (("First", "Third"), ("Second", "First"))
        ]
        done = self.call("iac_mcp_run_command", app="Finder", command="activate", then=steps)
        undone = self.call("iac_mcp_undo", undo=done["undo"])
        self.assertIs(undone["success"], True, undone)
        names = self.call("iac_mcp_get_elements", app="Finder", elements="every folder of desktop", properties=["name"])["elements"]
        found = {each["properties"]["name"] for each in names}
        self.assertTrue({"First", "Second"} <= found and "Third" not in found, found)

    def test_a_copy_that_gets_a_name_in_a_folder_of_a_path_is_known(self):
        self.call("iac_mcp_create", app="Finder", **{"class": "folder"}, at="desktop", properties={"name": "Papers"})
        self.call("iac_mcp_create", app="Finder", **{"class": "folder"}, at="home", properties={"name": "Papers"})
        then = [{"property": "name", "value": "Copy of the papers"}]
        done = self.call("iac_mcp_run_command", app="Finder", command="duplicate", target="~/Desktop/Papers", arguments={"to": "~/Papers"}, then=then)
        [copy] = done["objects"]
        self.assertEqual((copy["name"], "unverified" in copy), ("Copy of the papers", False), done)
        self.assertIs(self.call("iac_mcp_undo", undo=done["undo"])["success"], True)

    def test_a_step_about_what_was_moved_before_is_refused(self):
        for name in ("From", "Into"):
            self.call("iac_mcp_create", app="Finder", **{"class": "folder"}, at="desktop", properties={"name": name})
        own = 'folder "From" of desktop'
        then = [{"command": "move", "target": own, "arguments": {"to": 'folder "Into" of desktop'}}, {"target": own, "property": "comment", "value": "x"}]
        refused = self.server.call("iac_mcp_run_command", app="Finder", command="activate", then=then)
        self.assertIn("is moved before", refused["message"])

    def test_what_was_moved_after_a_change_is_moved_back_before_it(self):
        for name in ("From", "Into", "Inner"):
            self.call("iac_mcp_create", app="Finder", **{"class": "folder"}, at="desktop", properties={"name": name})
        own, into = 'folder "From" of desktop', 'folder "Into" of desktop'
        then = [
            {"target": own, "property": "label index", "value": 2},
            {"command": "move", "target": own, "arguments": {"to": into}},
            {"target": into, "property": "label index", "value": 3},
        ]
        done = self.call("iac_mcp_run_command", app="Finder", command="activate", then=then)
        undone = self.call("iac_mcp_undo", undo=done["undo"])
        self.assertIs(undone["success"], True, undone)
        labels = self.call("iac_mcp_get_properties", reference=[own, into], app="Finder", properties=["label index"])["results"]
        self.assertEqual([each["properties"]["label index"] for each in labels], [0, 0])

    def test_what_gets_a_new_id_by_a_move_is_changed_back_too(self):
        [own] = self.call("iac_mcp_get_elements", app="Reminders", elements='first reminder of list "Reminders" whose completed is false')["elements"]
        for target in (own["id"], f'reminder "{own["name"]}" of list "Reminders"'):
            before = self.call("iac_mcp_get_properties", app="Reminders", reference=target, properties=["priority"])["properties"]
            then = [
                {"target": target, "property": "priority", "value": 5},
                {"command": "move", "target": target, "arguments": {"to": "last list"}},
            ]
            done = self.call("iac_mcp_run_command", app="Reminders", command="show", target=target, then=then)
            undone = self.call("iac_mcp_undo", undo=done["undo"])
            self.assertIs(undone["success"], True, undone)
            named = f'reminder "{own["name"]}" of list "Reminders"'
            after = self.call("iac_mcp_get_properties", app="Reminders", reference=named, properties=["priority"])["properties"]
            self.assertEqual(after, before)

    def test_contacts_are_saved_once_after_all_steps(self):
        self.call("iac_mcp_run_command", app="Contacts", command="launch")
        person, group = 'person "Tomás Ní Bhriain"', 'group "Choir"'
        for first in ({"command": "add", "target": person, "arguments": {"to": group}}, {"command": "save"}):
            then = [{"target": person, "property": "note", "value": first["command"]}]
            done = self.call("iac_mcp_run_command", app="Contacts", **first, then=then)
            self.assertEqual((done["saved"], len(done["then"])), (True, 1), done)
        saves = [{"command": "save"}]
        done = self.call("iac_mcp_run_command", app="Contacts", command="add", target=person, arguments={"to": group}, then=saves)
        self.assertNotIn("saved", done)

    def test_a_part_of_a_new_object_is_named_by_its_number(self):
        children = [{"class": "reminder", "properties": {"name": name}} for name in ("Tickets", "Hotel")]
        for then in (
            [{"target": "it 3", "property": "flagged", "value": True}],
            [{"command": "show", "target": "it 2"}, {"command": "move", "target": "it 3", "arguments": {"to": 'list "Reminders"'}}],
        ):
            made = self.call("iac_mcp_create", app="Reminders", **{"class": "list"}, properties={"name": "Trip"}, children=children, then=then)
            self.assertIs(made["success"], True, made)
            where = 'name is "Hotel"'
            [hotel] = self.call("iac_mcp_get_elements", app="Reminders", elements="every reminder", where=where, properties=["flagged", "container.name"])["elements"]
            is_flagged = "property" in then[0]
            self.assertEqual(hotel["properties"], {"flagged": is_flagged, "container.name": "Trip" if is_flagged else "Reminders"})
            self.call("iac_mcp_run_command", app="Reminders", command="delete", target=[hotel["id"]])
        refused = self.server.call("iac_mcp_create", app="Reminders", **{"class": "list"}, properties={"name": "Trip"}, children=children, then=[{"command": "show", "target": "it 4"}])
        self.assertIn("there is no `it 4`: `it 3` is the last", refused["message"])

    def test_a_step_changes_files_that_only_their_places_tell_apart(self):
        files = 'every file of folder "Documents" of home whose name contains "menu"'
        done = self.call("iac_mcp_run_command", app="Finder", command="activate", then=[{"target": files, "property": "label index", "value": 2}])
        self.assertEqual([each["new"] for each in done["then"][0]["changes"]], [2, 2], done)

    def test_a_draft_that_nobody_sees_says_so(self):
        for shown in (False, True):
            done = self.call("iac_mcp_run_command", app="Mail", command="reply", target="message 1 of inbox", arguments={"opening window": shown})
            self.assertEqual("does not see this draft" in done.get("note", ""), not shown, done)
            made = self.call("iac_mcp_create", app="Mail", **{"class": "outgoing message"}, properties={"subject": "Hi", "visible": shown})
            self.assertEqual("does not see this draft" in made.get("note", ""), not shown, made)

    def test_the_container_of_a_copy_is_its_destination(self):
        copy = {"app": "Mail", "command": "duplicate", "target": "message 1 of inbox"}
        to = 'mailbox "Garden house" of account "iCloud"'
        for form in ({"arguments": {"with properties": {"mailbox": to, "flag index": 3}}}, {"then": [{"property": "mailbox", "value": to}]}):
            done = self.call("iac_mcp_run_command", **copy, **form)
            made = done["objects"][0]["reference"]
            read = self.call("iac_mcp_get_properties", reference=made, properties=["mailbox.name"])
            self.assertEqual(read["properties"], {"mailbox.name": "Garden house"})
            self.assertIs(self.call("iac_mcp_undo", undo=done["undo"])["success"], True)
        refused = self.server.call("iac_mcp_run_command", **copy, arguments={"to": to}, then=[{"property": "mailbox", "value": to}])
        self.assertEqual(refused["message"], "`to` and `mailbox` both say where the copy goes")

    def test_what_is_moved_is_changed_too(self):
        made = self.call("iac_mcp_create", app="Reminders", **{"class": "list"}, properties={"name": "Done"})
        found = self.call("iac_mcp_get_elements", app="Reminders", elements='every reminder of list "Reminders" whose flagged is false', limit=2)["elements"]
        move = {"app": "Reminders", "command": "move", "target": [each["id"] for each in found], "arguments": {"to": 'list "Done"'}}
        done = self.call("iac_mcp_run_command", **move, then=[{"property": "flagged", "value": True}])
        where = "container.name of it is \"Done\" and flagged is true"
        there = self.call("iac_mcp_get_elements", app="Reminders", elements="every reminder of every list", where=where)
        self.assertEqual((there["count"], done["success"]), (2, True), done)
        self.assertIs(self.call("iac_mcp_undo", undo=done["undo"])["success"], True)
        self.assertEqual(self.call("iac_mcp_get_elements", app="Reminders", elements="every reminder of every list", where=where)["count"], 0)
        # A value that the app refuses: nothing is moved.
        refused = self.server.call("iac_mcp_run_command", **move, then=[{"property": "priority", "value": "soon"}])
        self.assertEqual(refused["error"], "type_mismatch", refused)
        self.call("iac_mcp_undo", undo=made["undo"])

    def test_mailboxes_stay_and_their_messages_go_back(self):
        then = [{"command": "move", "target": "message 1 of inbox", "arguments": {"to": "it"}}]
        done = self.call("iac_mcp_create", app="Mail", **{"class": "mailbox"}, at='account "iCloud"', properties={"name": "Bank"}, then=then)
        self.assertEqual(done["noWayBack"], ["Mail made a new mailbox: no script can delete a mailbox; only the user can, in Mail"], done)
        undone = self.call("iac_mcp_undo", undo=done["undo"])
        self.assertEqual([each["moved"] for each in undone["changes"]], ["back"], undone)
        bank = self.call("iac_mcp_get_elements", app="Mail", elements='every message of mailbox "Bank" of account "iCloud"')
        self.assertEqual(bank["count"], 0)

    def test_what_brings_a_deleted_object_back_is_said(self):
        for app, target, word in (("Notes", 'note "Roof"', "Recently Deleted"), ("Mail", "message 1 of inbox", "Trash")):
            done = self.call("iac_mcp_run_command", app=app, command="delete", target=target)
            self.assertIn(word, done["noWayBack"][0])
            last = self.server.call("iac_mcp_undo", last=True)
            self.assertIn("`move` out of", last["message"])

    def test_a_word_for_a_label_of_contacts_is_the_label_of_the_app(self):
        self.call("iac_mcp_run_command", app="Contacts", command="launch")
        person = 'person "Tomás Ní Bhriain"'
        for label, kept in (("Work", "_$!<Work>!$_"), ("home fax", "_$!<HomeFAX>!$_"), ("boat", "boat")):
            made = self.call("iac_mcp_create", app="Contacts", **{"class": "phone"}, at=person, properties={"label": label, "value": "1"})
            [phone] = made["objects"]
            read = self.call("iac_mcp_get_properties", reference=phone["reference"], properties=["label"])
            self.assertEqual((read["properties"]["label"], "unverified" in phone), (kept, False), made)

    def names_of(self, app, elements):
        return sorted(each["name"] for each in self.call("iac_mcp_get_elements", app=app, elements=elements)["elements"])

    def test_a_name_means_the_object_that_has_it_when_the_call_begins(self):
        """A step may give the name to another object: by a property, by a copy, or by a new object."""
        roof = self.call("iac_mcp_query_object", app="Notes", specifier='note "Roof"')["reference"]
        [other] = self.call("iac_mcp_get_elements", app="Notes", elements='first note whose name is not "Roof" and shared is false')["elements"]
        then = [{"target": f'note "{other["name"]}"', "property": "body", "value": "<div>Roof</div>", "removeAttachments": True}, {"command": "move", "target": 'note "Roof"', "arguments": {"to": "it"}}]
        made = self.call("iac_mcp_create", app="Notes", **{"class": "folder"}, properties={"name": "Moved"}, then=then)
        self.assertEqual([step.get("error") for step in made["then"]], [None, None], made)
        moved = self.call("iac_mcp_get_properties", reference=roof, properties=["container.name"])
        self.assertEqual(moved["properties"], {"container.name": "Moved"})
        name = self.call("iac_mcp_get_properties", reference=other["id"], properties=["container.name"])["properties"]
        self.assertNotEqual(name, {"container.name": "Moved"})

    def test_a_new_object_does_not_take_the_place_of_one_of_its_name(self):
        [old] = self.call("iac_mcp_get_elements", app="Reminders", elements='first reminder of list "Reminders"')["elements"]
        self.call("iac_mcp_create", app="Reminders", **{"class": "list"}, properties={"name": "Later"})
        then = [{"command": "move", "target": f'reminder "{old["name"]}" of list "Reminders"', "arguments": {"to": 'list "Later"'}}]
        made = self.call("iac_mcp_create", app="Reminders", **{"class": "reminder"}, at='list "Reminders"', properties={"name": old["name"], "body": "the new one"}, then=then)
        self.assertNotIn("gone", made["objects"][0], made)
        left = self.call("iac_mcp_get_elements", app="Reminders", elements='every reminder of list "Later"', properties=["body"])["elements"]
        self.assertNotIn("the new one", [each["properties"]["body"] for each in left])
        self.assertEqual(len(left), 1)

    def test_two_parts_of_the_name_of_a_person_are_one_step(self):
        self.call("iac_mcp_run_command", app="Contacts", command="launch")
        parts = {"first name": "Xenia", "last name": "Young"}
        then = [{"target": 'person "Tomás Ní Bhriain"', "properties": parts}]
        made = self.call("iac_mcp_create", app="Contacts", **{"class": "group"}, properties={"name": "Sailors"}, then=then)
        self.assertEqual([each["new"] for each in made["then"][0]["changes"]], ["Xenia", "Young"], made)
        self.assertIs(self.call("iac_mcp_undo", undo=made["undo"])["success"], True)
        self.assertEqual(len(self.names_of("Contacts", 'every person whose name is "Tomás Ní Bhriain"')), 1)

    def test_what_a_copy_replaces_does_not_come_back(self):
        for form in ({}, {"then": [{"property": "comment", "value": "x"}]}):
            self.call("iac_mcp_run_command", app="Finder", command="duplicate", target="~/Documents/CV Alex Marin.pdf", arguments={"to": "~/Desktop", "replacing": True})
            done = self.call("iac_mcp_run_command", app="Finder", command="duplicate", target="~/Documents/CV Alex Marin.pdf", arguments={"to": "~/Desktop", "replacing": True}, **form)
            self.assertIsNone(done["undo"], done)

    def test_a_property_is_set_once(self):
        then = [{"target": "application", "property": "sound volume", "value": value} for value in (20, 40)]
        refused = self.server.call("iac_mcp_run_command", app="Music", command="pause", then=then)
        self.assertEqual(refused["message"], "`then[1]` sets what `then[0]` has set")

    def test_the_target_may_be_an_argument(self):
        [reminder] = self.call("iac_mcp_get_elements", app="Reminders", elements="first reminder whose flagged is false")["elements"]
        done = self.call("iac_mcp_run_command", app="Reminders", command="show", arguments={"target": reminder["id"]}, then=[{"property": "flagged", "value": True}])
        self.assertEqual(done["then"][0]["changes"][0]["new"], True, done)

    def test_the_word_for_attachments_counts_for_its_own_step(self):
        body = {"property": "body", "value": "<div>x</div>"}
        then = [{"target": 'note "Roof"', "removeAttachments": True, **body}, {"target": 'note "Catalogue ideas"', **body}]
        refused = self.server.call("iac_mcp_run_command", app="Notes", command="activate", then=then)
        self.assertEqual(refused.get("removes"), {"attachments": 1}, refused)

    def test_attachments_go_only_if_the_call_says_so(self):
        note = 'note "Catalogue ideas"'
        calls = (
            ("iac_mcp_set_property", {"reference": note, "property": "body", "prepend": "<div>x</div>"}),
            ("iac_mcp_set_property", {"changes": [{"reference": note, "properties": {"body": "<div>x</div>"}}]}),
            ("iac_mcp_run_command", {"command": "show", "target": note, "then": [{"property": "body", "append": "<div>x</div>"}]}),
            ("iac_mcp_run_command", {"command": "duplicate", "target": note, "then": [{"property": "body", "append": "<div>x</div>"}]}),
        )
        for tool, arguments in calls:
            answer = self.server.call(tool, app="Notes", **arguments)
            fault = answer["changes"][0]["error"] if "changes" in answer else answer
            self.assertIn("removeAttachments", fault["suggestion"], answer)
        count = self.call("iac_mcp_get_elements", app="Notes", elements=f"every attachment of {note}", limit=0)
        self.assertEqual(count["totalCount"], 1)


class Told(Trusting):
    POLICY = 'profile = "trusted"\nrules = [{ app = "com.apple.finder", command = "empty", decision = "allow" }]\n'

    def test_what_a_command_did(self):
        played = self.call("iac_mcp_run_command", app="Music", command="play", target='playlist "Morning"')
        self.assertEqual(played["playing"], "Slow Train", played)
        self.assertIn("no reverse", played["noWayBack"][0])
        volume = self.call("iac_mcp_run_command", app="StandardAdditions", command="set volume", arguments={"output volume": 20})
        old = volume["old"]["output volume"]
        self.assertNotEqual(old, 20)
        self.assertIs(self.call("iac_mcp_undo", undo=volume["undo"])["success"], True)
        now = self.call("iac_mcp_read_command", app="StandardAdditions", command="get volume settings")
        self.assertEqual(now["data"]["output volume"], old)
        items = self.call("iac_mcp_get_elements", app="Finder", elements="every item of trash", limit=0)["totalCount"]
        emptied = self.call("iac_mcp_run_command", app="Finder", command="empty")
        self.assertEqual((emptied["removed"], emptied["undo"]), (items, None), emptied)
        added = self.call("iac_mcp_create", app="Contacts", **{"class": "person"}, properties={"first name": "Zed"})
        self.assertIs(added["saved"], True, added)

    def test_a_saved_document_has_the_name_of_its_file(self):
        then = [{"command": "save", "arguments": {"in": "~/Documents/Packing list.rtf"}}]
        made = self.call("iac_mcp_create", app="TextEdit", **{"class": "document"}, properties={"text": "Socks"}, then=then)
        [document] = made["objects"]
        self.assertEqual(document["name"], "Packing list.rtf", made)
        read = self.call("iac_mcp_get_properties", reference=document["reference"], properties=["name", "text"])
        self.assertEqual(read["properties"], {"name": "Packing list.rtf", "text": "Socks"})

    def test_what_was_so_already_takes_little_room(self):
        flags = "first 9 reminders"
        self.call("iac_mcp_set_property", app="Reminders", reference=flags, property="flagged", value=True)
        again = self.call("iac_mcp_set_property", app="Reminders", reference=flags, property="flagged", value=True)
        [entry] = again["changes"]
        self.assertEqual((entry["count"], "reference" in entry), (9, False), again)


class Reads(OneServer):
    def test_several_apps_are_looked_at(self):
        seen = self.server.call("iac_mcp_get_frontmost", app=["Mail", "Nowhere", "Notes"])["apps"]
        self.assertEqual([each["app"]["name"] for each in seen], ["Mail", "Nowhere", "Notes"])
        self.assertEqual(["error" in each for each in seen], [False, True, False])

    def test_elements_of_one_class(self):
        both = self.server.call("iac_mcp_get_elements", app="Mail", elements=["every mailbox of every account", "every mailbox"], limit=0)
        containers = ["every account", "application"]
        one = self.server.call("iac_mcp_get_elements", app="Mail", container=containers, elementType="mailbox", limit=0)
        self.assertEqual(both["totalCount"], one["totalCount"], both)
        refused = self.server.call("iac_mcp_get_elements", app="Mail", elements=["every mailbox", "every account"])
        self.assertEqual(refused["parameter"], "elements[1]", refused)


class Asked(Desk):
    async def test_a_read_that_needs_a_yes(self):
        for answer, field in (("once", "data"), ("deny", "error")):
            human = Human(answer)
            async with self.client(MODES[0], human) as client:
                read = await client.call_tool("iac_mcp_read_command", {"app": "StandardAdditions", "command": "the clipboard"})
                self.assertIn(field, read.structured_content)
                self.assertIn("clipboard", human.asked[0].message)
                # An empty text alone could also be a picture.
                self.assertEqual(read.structured_content.get("holds"), "nothing" if field == "data" else None)
                refused = await self.refused(client, "iac_mcp_read_command", app="StandardAdditions", command="set the clipboard to", target="x")
                self.assertIn("change nothing", refused["message"])
            self.assertEqual(len(human.asked), 1)

    async def test_an_object_among_the_values_is_looked_up_before_the_question(self):
        human = Human("once")
        async with self.client(MODES[0], human) as client:
            new = {"class": "inbox task", "properties": {"name": "x", "primary tag": 'tag "Nowhere"'}}
            refused = await self.refused(client, "iac_mcp_create", app="OmniFocus", **new)
            self.assertEqual((refused["error"], human.asked), ("reference_invalid", []), refused)

    async def test_the_objects_of_one_step_are_below_its_values(self):
        human = Human("once")
        async with self.client(MODES[0], human) as client:
            files = 'every file of folder "Documents" of home whose name contains "menu"'
            then = [{"target": files, "property": "label index", "value": 2}]
            await self.call(client, "iac_mcp_run_command", app="Finder", command="activate", then=then)
            [asked] = human.asked
            self.assertEqual(asked.message.count('then set "label index" to 2 (red):'), 1, asked.message)
            self.assertEqual(asked.message.count("old: 0 (none)"), 2, asked.message)

    async def test_what_is_so_already_is_only_counted(self):
        human = Human("once")
        async with self.client(MODES[0], human) as client:
            every = 'every reminder of list "Reminders"'
            listed = await self.call(client, "iac_mcp_get_elements", app="Reminders", elements=every, properties=["flagged", "priority"])
            flags = [each["properties"]["flagged"] for each in listed["elements"]]
            [first] = listed["elements"][flags.index(True) :][:1]
            await self.call(client, "iac_mcp_set_property", app="Reminders", reference=every, properties={"flagged": True, "priority": first["properties"]["priority"]})
            already = sum(each["properties"] == first["properties"] for each in listed["elements"])
            self.assertIn(f"{already} of {len(flags)} objects have these values already", human.asked[0].message)
            values = [tuple(each["properties"].values()) for each in listed["elements"]]
            half = any(flag != (priority == first["properties"]["priority"]) for flag, priority in values)
            self.assertEqual("stays" in human.asked[0].message, half, human.asked[0].message)


if __name__ == "__main__":
    unittest.main()
