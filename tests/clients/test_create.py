"""New objects in apps of the simulated Mac: trees of objects, what apps need to keep them, places, and undo."""

import json
import re
import time
import unittest

from desk import Desk, Human
from support import Home, Server, Trusting

TRUSTED = """profile = "trusted"
rules = [{ level = "DANGEROUS", command = "delete", app = "com.apple.*", decision = "allow" },
         { level = "DANGEROUS", command = "send", app = "com.apple.mail", decision = "allow" },
         { level = "DANGEROUS", command = "make", app = "com.apple.systemevents", decision = "allow" },
         { level = "DANGEROUS", command = "delete", app = "com.omnigroup.OmniFocus4", decision = "allow" }]
"""


class Create(Trusting):
    POLICY = TRUSTED

    def made(self, **arguments):
        answer = self.call("iac_mcp_create", **arguments)
        self.assertTrue(answer["success"], answer)
        return answer

    def names(self, reference, element, property="name", **app):
        listed = self.call("iac_mcp_get_elements", container=reference, elementType=element, properties=[property], **app)
        return [each["properties"][property] for each in listed["elements"]]

    def count(self, app, element):
        listed = self.call("iac_mcp_get_elements", app=app, container="application", elementType=element, limit=1)
        return listed["totalCount"]

    def test_a_list_with_its_reminders_is_one_call_and_so_is_the_way_back(self):
        before = self.count("Reminders", "list"), self.count("Reminders", "reminder")
        pack = {"properties": {"name": "Pack", "due date": "2026-02-01T09:00:00", "priority": 1}}
        trip = self.made(app="Reminders", **{"class": "list"}, properties={"name": "Trip"}, children=[pack, {"properties": {"name": "Tickets"}}])
        [trip_list] = trip["objects"]
        self.assertEqual([child["name"] for child in trip_list["children"]], ["Pack", "Tickets"])
        self.assertEqual(self.names(trip_list["reference"], "reminder"), ["Pack", "Tickets"])
        self.assertTrue(self.call("iac_mcp_undo", undo=trip["undo"])["success"])
        self.assertEqual((self.count("Reminders", "list"), self.count("Reminders", "reminder")), before)

    def test_a_copy_goes_by_its_new_name_though_another_property_is_refused(self):
        faults = self.home.path / "faults.json"
        fault = {"app": "com.apple.finder", "event": "set", "target": "label index", "do": {"error": -10006}}
        faults.write_text(json.dumps({"faults": [fault]}))
        environment = {**self.home.environment, "IAC_MCP_FAULTS": str(faults)}
        server = self.enterContext(Server(self.home, environment=environment))
        gets = [{"properties": {"name": "copied.txt", "label index": 2}}]
        copy = server.call("iac_mcp_run_command", app="Finder", command="duplicate", target='file "untitled.txt" of desktop', then=gets)
        self.assertEqual((copy["success"], list(copy["objects"][0]["unverified"])), (False, ["label index"]), copy)
        held = server.call("iac_mcp_get_properties", reference=copy["objects"][0]["reference"], properties=["name"])
        self.assertEqual(held.get("properties"), {"name": "copied.txt"}, held)
        self.assertTrue(server.call("iac_mcp_undo", undo=copy["undo"])["success"])

    def test_a_file_is_opened_and_changed_in_one_call(self):
        path = "/Users/alex/Documents/Shopping.txt"
        self.made(app="TextEdit", **{"class": "document"}, properties={"text": "Milk"}, then=[{"command": "save", "arguments": {"in": path}}])
        self.call("iac_mcp_run_command", app="TextEdit", command="close", target='document "Shopping.txt"')
        opened = self.call("iac_mcp_run_command", app="TextEdit", command="open", target=path, then=[{"property": "text", "value": "Milk and bread"}])
        [document] = opened["objects"]
        held = self.call("iac_mcp_get_properties", reference=document["reference"], properties=["text", "modified"])
        self.assertEqual((document["name"], held["properties"]["text"]), ("Shopping.txt", "Milk and bread"))

    def test_what_only_a_new_object_takes_is_given_with_it(self):
        guests = [{"class": "attendee", "properties": {"email": f"{name}@example.org"}} for name in ("ann", "bob")]
        lunch = self.made(app="Calendar", **{"class": "event"}, at='calendar "Home"', properties={"summary": "Lunch"}, children=guests[:1])
        event = lunch["objects"][0]["reference"]
        self.made(**{"class": "attendee"}, at=event, properties=guests[1]["properties"])
        self.assertEqual(self.names(event, "attendee", "email")[-2:], ["ann@example.org", "bob@example.org"])
        safari = {"app": "System Events", "class": "login item", "properties": {"path": "/Applications/Safari.app", "hidden": True}}
        item = self.made(**safari)
        self.assertEqual(item["objects"][0]["name"], "Safari")
        self.assertTrue(self.call("iac_mcp_undo", undo=item["undo"])["success"])
        refused = self.server.call("iac_mcp_create", app="Reminders", **{"class": "reminder"}, properties={"creation date": "today"})
        self.assertEqual(refused["error"], "property_read_only", refused)

    def test_what_ends_with_a_new_object_does_not_prevent_its_undo(self):
        self.call("iac_mcp_run_command", app="Contacts", command="launch")
        add = {"command": "add", "target": ["person 1", "person 2"], "arguments": {"to": "it"}}
        for app, new, then in [("Contacts", "group", add), ("Reminders", "list", {"command": "show", "target": "it"})]:
            made = self.made(app=app, **{"class": new}, properties={"name": "Choir"}, then=[then])
            self.assertTrue(self.call("iac_mcp_undo", undo=made["undo"])["success"], app)

    def test_what_somebody_has_used_is_not_deleted(self):
        trip = self.made(app="Reminders", **{"class": "list"}, properties={"name": "Trip"}, children=[{"properties": {"name": "Pack"}}])
        [pack] = trip["objects"][0]["children"]
        self.call("iac_mcp_set_property", reference=pack["reference"], property="completed", value=True)
        self.made(**{"class": "reminder"}, at=trip["objects"][0]["reference"], properties={"name": "Shop"})
        answer = self.server.call("iac_mcp_undo", undo=trip["undo"])
        self.assertIn("error", answer)
        self.assertEqual(self.names(trip["objects"][0]["reference"], "reminder"), ["Pack", "Shop"])
        for later in (each["undo"] for each in self.call("iac_mcp_undo", list=True)["undo"]):
            self.assertIn(later, answer["suggestion"])
        self.assertTrue(self.call("iac_mcp_undo", **json.loads(re.search(r"{.*}", answer["suggestion"])[0]))["success"])

    def test_the_last_call_is_taken_back_and_all_are_listed(self):
        trip = self.made(app="Reminders", **{"class": "list"}, properties={"name": "Trip"}, children=[{"properties": {"name": name}} for name in "ab"])
        reminders = [child["reference"] for child in trip["objects"][0]["children"]]
        self.call("iac_mcp_set_property", reference=reminders, properties={"priority": 1, "name": "same"})
        listed = self.call("iac_mcp_undo", list=True)["undo"]
        self.assertEqual([each.split(":")[0] for each in listed[0]["wrote"]], ["set priority of 2", "set name of 2"], listed)
        self.assertEqual(len(listed), 2, listed)
        self.assertTrue(self.call("iac_mcp_undo", last=True)["success"])
        read = self.call("iac_mcp_get_properties", reference=reminders, properties=["priority", "name"])["results"]
        self.assertEqual([each["properties"] for each in read], [{"priority": 0, "name": name} for name in "ab"])
        self.assertTrue(self.call("iac_mcp_undo", undo=trip["undo"])["success"])

    def test_what_is_deleted_already_does_not_hold_up_the_others(self):
        before = self.count("Reminders", "reminder")
        names = [{"properties": {"name": name}} for name in ("Pay", "Pack", "Post")]
        made = self.made(app="Reminders", **{"class": "reminder"}, objects=names)
        self.call("iac_mcp_run_command", app="Reminders", command="delete", target=made["objects"][1]["reference"])
        undone = self.call("iac_mcp_undo", undo=made["undo"])
        self.assertEqual([each["created"] for each in undone["changes"]], ["deleted", "was gone", "deleted"])
        self.assertEqual((undone["success"], self.count("Reminders", "reminder")), (True, before))
        self.assertIn("cannot be undone", self.server.call("iac_mcp_undo", undo=made["undo"])["message"])

    def test_contacts_keeps_what_was_made(self):
        self.assertEqual(self.server.call("iac_mcp_get_elements", app="Contacts", container="application", elementType="person")["error"], "app_not_running")
        self.call("iac_mcp_run_command", app="Contacts", command="launch")
        phone = {"class": "phone", "properties": {"label": "mobile", "value": "+1 555 0100"}}
        zoe = self.made(app="Contacts", **{"class": "person"}, properties={"first name": "Zoe", "last name": "Quill"}, children=[phone])
        self.assertEqual(zoe["objects"][0]["name"], "Zoe Quill")
        unsaved = {"type": "property", "property": "unsaved", "of": "application"}
        self.assertEqual(self.call("iac_mcp_query_object", app="Contacts", specifier=unsaved)["value"], False)
        self.assertEqual(self.names(zoe["objects"][0]["reference"], "phone", "value"), ["+1 555 0100"])
        self.assertTrue(self.call("iac_mcp_undo", undo=zoe["undo"])["success"])
        self.assertEqual(self.call("iac_mcp_query_object", app="Contacts", specifier=unsaved)["value"], False)

    def test_what_was_saved_is_taken_back(self):
        self.call("iac_mcp_run_command", app="Contacts", command="launch")
        ada = self.made(app="Contacts", **{"class": "person"}, properties={"first name": "Ada"}, then=[{"command": "save"}])
        self.assertTrue(self.call("iac_mcp_undo", undo=ada["undo"])["success"])
        unsaved = {"type": "property", "property": "unsaved", "of": "application"}
        self.assertEqual(self.call("iac_mcp_query_object", app="Contacts", specifier=unsaved)["value"], False)

    def test_what_an_undo_cannot_bring_back_is_named(self):
        """A missing due date cannot be written back as missing. Mail keeps two properties in step, and both go back
        together."""
        trip = self.made(app="Reminders", **{"class": "list"}, properties={"name": "Trip"}, children=[{"properties": {"name": "Pack"}}])
        pack = trip["objects"][0]["children"][0]["reference"]
        self.call("iac_mcp_set_property", reference=pack, properties={"priority": 1, "due date": "tomorrow 18:00"})
        undone = self.call("iac_mcp_undo", last=True)
        self.assertFalse(undone["success"])
        [left] = undone["left"]
        self.assertRegex(left, "^set due date of reminder ")
        self.assertEqual(self.names(trip["objects"][0]["reference"], "reminder", "priority"), [0])
        message = self.call("iac_mcp_query_object", app="Mail", specifier="first message of inbox whose flagged status is false")["reference"]
        self.call("iac_mcp_set_property", reference=message, properties={"flagged status": True, "flag index": 3})
        self.assertTrue(self.call("iac_mcp_undo", last=True)["success"])
        read = self.call("iac_mcp_get_properties", reference=message, properties=["flagged status", "flag index"])
        self.assertEqual(read["properties"], {"flagged status": False, "flag index": -1})

    def test_an_undo_of_two_apps_goes_on_after_what_it_cannot_bring_back(self):
        """Call A names a note. Call B gives a date to two reminders, of which one had none."""
        [note] = self.made(app="Notes", **{"class": "note"}, properties={"body": "<div>Draft</div><div>More</div>"})["objects"]
        due = {"due date": "2026-02-01T09:00:00"}
        made = self.made(app="Reminders", **{"class": "reminder"}, objects=[{"properties": {"name": "Pay", **due}}, {"properties": {"name": "Pack"}}])
        reminders = [each["reference"] for each in made["objects"]]
        named = self.call("iac_mcp_set_property", reference=note["reference"], property="name", value="Final")
        dated = self.call("iac_mcp_set_property", reference=reminders, property="due date", value="2026-03-01T09:00:00")
        name = lambda: self.call("iac_mcp_get_properties", reference=note["reference"], properties=["name"])["properties"]["name"]
        date = lambda: self.call("iac_mcp_get_properties", reference=reminders[0], properties=["due date"])["properties"]["due date"][:10]
        undone = self.call("iac_mcp_undo", undo=[named["undo"], dated["undo"]])
        self.assertEqual((name(), date()), ("Draft", "2026-02-01"), undone)
        self.assertEqual((undone["success"], len(undone["left"])), (False, 1), undone)
        self.assertNotIn("notTried", undone)
        # One id takes back what the undo has written in both apps.
        self.assertTrue(self.call("iac_mcp_undo", undo=undone["undo"])["success"])
        self.assertEqual((name(), date()), ("Final", "2026-03-01"))

    def test_what_stays_of_many_is_counted(self):
        children = [{"properties": {"name": f"Pack {n}"}} for n in range(8)]
        trip = self.made(app="Reminders", **{"class": "list"}, properties={"name": "Trip"}, children=children)
        packs = [child["reference"] for child in trip["objects"][0]["children"]]
        self.call("iac_mcp_set_property", reference=packs, properties={"priority": 1, "due date": "tomorrow 18:00"})
        left = self.call("iac_mcp_undo", last=True)["left"]
        self.assertEqual(len(left), 5)
        self.assertRegex(left[4], ", and 3 more: it was empty before")

    def test_a_change_without_a_way_back_is_the_last_one(self):
        made = self.made(app="Reminders", **{"class": "reminder"}, properties={"name": "Exam"})
        self.call("iac_mcp_run_command", app="Reminders", command="delete", target=made["objects"][0]["reference"])
        answer = self.server.call("iac_mcp_undo", last=True)
        self.assertIn("the last change cannot be taken back", answer["message"])

    def test_a_move_by_paths_has_a_way_back(self):
        file = "/Users/alex/Documents/CV Alex Marin.pdf"
        moved = self.call("iac_mcp_run_command", app="Finder", command="move", target=file, arguments={"to": "/Users/alex/Desktop"})
        self.assertEqual(moved["data"]["name"], "CV Alex Marin.pdf")
        self.assertTrue(self.call("iac_mcp_undo", undo=moved["undo"])["success"])
        self.call("iac_mcp_query_object", app="Finder", specifier=file)

    def test_a_row_keeps_the_way_back_of_its_moves(self):
        move = {"command": "move", "target": "~/Documents", "arguments": {"to": "~/Desktop"}}
        activate = {"command": "activate"}
        folder = {"command": "make", "arguments": {"new": "folder", "at": "~/Desktop"}}
        for row, left in (([move, activate], None), ([activate, move], None), ([move, folder], ['Finder ran "make": this server knows no reverse of it'])):
            with self.subTest(row):
                [first, *then] = row
                ran = self.call("iac_mcp_run_command", app="Finder", **first, then=then)
                self.assertTrue(ran["undo"], ran)
                undone = self.call("iac_mcp_undo", last=True)
                self.assertEqual((undone["changes"][0]["verified"], undone.get("left")), (True, left))
                self.call("iac_mcp_query_object", app="Finder", specifier="~/Documents")

    def test_two_changes_of_one_property_go_back_together(self):
        [reminder] = self.made(app="Reminders", **{"class": "reminder"}, properties={"name": "Pay", "priority": 1, "due date": "2026-02-01T09:00:00"})["objects"]
        reference = reminder["reference"]
        for is_latest_first in (True, False):
            changes = [{"priority": 5, "due date": "2026-02-02T09:00:00"}, {"priority": 9, "due date": "2026-02-03T09:00:00"}]
            ids = [self.call("iac_mcp_set_property", reference=reference, properties=change)["undo"] for change in changes]
            back = self.call("iac_mcp_undo", undo=ids[::-1] if is_latest_first else ids)
            self.assertTrue(back["success"], back)
            read = self.call("iac_mcp_get_properties", reference=reference, properties=["priority", "due date"])["properties"]
            self.assertEqual((read["priority"], read["due date"][:10]), (1, "2026-02-01"))

    def test_the_last_change_is_never_an_older_one(self):
        """This holds after a row that failed in part, and after a script or a command with an unknown outcome."""
        message = self.call("iac_mcp_query_object", app="Mail", specifier="first message of inbox whose read status is false")["reference"]
        self.call("iac_mcp_set_property", reference=message, property="read status", value=True)
        self.call("iac_mcp_run_command", app="Finder", command="activate", then=[{"command": "activate"}])
        self.assertTrue(self.call("iac_mcp_undo", last=True)["success"], "a row that only shows something changes nothing")
        self.call("iac_mcp_set_property", reference=message, property="flagged status", value=True)
        twice, to = "~/Documents/CV Alex Marin.pdf", {"to": "~/Desktop"}
        self.call("iac_mcp_run_command", app="Finder", command="duplicate", target=twice, arguments=to)
        moved = self.server.call("iac_mcp_run_command", app="Finder", command="move", target=["~/Documents/Letters", twice], arguments=to, then=[{"command": "activate"}])
        self.assertIn("some of the targets may be done", moved["note"])
        [change] = self.call("iac_mcp_undo", undo=moved["undo"])["changes"]
        self.assertIn("Letters", change["object"])
        sent = self.call("iac_mcp_run_command", app="Mail", command="redirect", target="message 1 of inbox", then=[{"command": "send"}])
        self.assertIn("error", sent["then"][0])
        last = self.server.call("iac_mcp_undo", last=True)
        self.assertEqual(last["message"], 'the last change cannot be taken back: Mail ran "redirect": this server knows no reverse of it')

    def test_a_message_with_its_recipients_and_a_file(self):
        to = [{"class": "to recipient", "properties": {"address": f"{name}@example.org"}} for name in "ab"]
        file = {"class": "attachment", "properties": {"file name": "~/Documents/CV Alex Marin.pdf"}}
        letter = self.made(app="Mail", **{"class": "outgoing message"}, properties={"subject": "Hi", "content": "Hello"}, children=[*to, file])
        reference = letter["objects"][0]["reference"]
        self.assertEqual(self.names(reference, "to recipient", "address"), ["a@example.org", "b@example.org"])
        # Mail's dictionary has no attachments in a message; undo deletes them together with the message.
        self.assertTrue(self.call("iac_mcp_undo", undo=letter["undo"])["success"])
        # The server cannot look up the attachment, and must not conclude that the message has changed: it sends the message with its
        # file.
        sent = self.made(app="Mail", **{"class": "outgoing message"}, properties={"subject": "Sent off", "content": "Hello"}, children=[*to, file], then=[{"command": "send"}])
        self.assertEqual(sent["then"], [{"command": "send", "data": True}])
        found = self.call("iac_mcp_get_elements", app="Mail", elements='every message of sent mailbox whose subject is "Sent off"', properties=["mail attachments.name"])
        self.assertEqual([each["properties"] for each in found["elements"]], [{"mail attachments.name": ["CV Alex Marin.pdf"]}])

    def test_an_event_with_an_alarm(self):
        calendar = self.call("iac_mcp_get_elements", app="Calendar", container="application", elementType="calendar")["elements"][0]["id"]
        times = {"start date": "2026-02-03T09:00:00", "end date": "2026-02-03T10:00:00"}
        alarm = {"class": "display alarm", "properties": {"trigger interval": -15}}
        event = self.made(**{"class": "event"}, at=calendar, properties={"summary": "Dentist", **times}, children=[alarm])
        self.assertEqual(self.names(event["objects"][0]["reference"], "display alarm", "trigger interval"), [-15])

    def test_folders_in_a_folder(self):
        desktop = {"type": "property", "property": "desktop", "of": "application"}
        inside = {"class": "folder", "properties": {"name": "Inside"}}
        folder = self.made(app="Finder", **{"class": "folder"}, at=desktop, properties={"name": "New one"}, children=[inside])
        self.assertEqual(self.names(folder["objects"][0]["reference"], "folder"), ["Inside"])
        self.assertTrue(self.call("iac_mcp_undo", undo=folder["undo"])["success"])

    def test_files_are_sorted_into_new_folders(self):
        move = lambda file, to: {"command": "move", "target": f'file "{file}" of folder "Downloads" of home', "arguments": {"to": to}}
        folders = [{"properties": {"name": "Music"}}, {"properties": {"name": "Papers"}, "then": [move("invoice.pdf", "it")]}]
        made = self.made(app="Finder", **{"class": "folder"}, at="~/Downloads", objects=folders, then=[move("song.flac", "it"), move("movie.mp4", "it 2")])
        self.assertEqual(len(made["then"]), 3)
        music, papers = (each["reference"] for each in made["objects"])
        self.assertEqual(self.names(music, "file"), ["song.flac"])
        self.assertEqual(sorted(self.names(papers, "file")), ["invoice.pdf", "movie.mp4"])
        refused = self.server.call("iac_mcp_create", app="Finder", **{"class": "folder"}, at="~/Downloads", properties={"name": "One"}, then=[move("movie.mp4", "it 2")])
        self.assertIn("no `it 2`", refused["message"])
        self.assertTrue(self.call("iac_mcp_undo", undo=made["undo"])["success"])
        files = self.names("~/Downloads", "file", app="Finder")
        self.assertTrue({"song.flac", "invoice.pdf", "movie.mp4"} <= set(files), files)
        self.assertNotIn("Music", self.names("~/Downloads", "folder", app="Finder"))

    def test_a_part_of_a_new_object_is_named_by_its_path(self):
        inner = [{"class": "folder", "properties": {"name": "2026"}}]
        to = {"to": 'folder "2026" of it'}
        then = [{"command": "move", "target": "~/Downloads/movie.mp4", "arguments": to}]
        made = self.made(app="Finder", **{"class": "folder"}, at="~/Downloads", properties={"name": "Films"}, children=inner, then=then)
        self.assertEqual(self.names("~/Downloads/Films/2026", "file", app="Finder"), ["movie.mp4"])
        self.assertTrue(self.call("iac_mcp_undo", undo=made["undo"])["success"])
        self.assertIn("movie.mp4", self.names("~/Downloads", "file", app="Finder"))

    def test_what_is_in_the_place_of_a_new_object_is_looked_at_too(self):
        account = 'account "Northwind Atelier"'
        listed = self.call("iac_mcp_get_elements", app="Mail", elements=f"every mailbox of {account}", properties=["name"])
        names = [each["properties"]["name"] for each in listed["elements"]]
        trash = next(at for at, name in enumerate(names, 1) if name in ("Trash", "Deleted Messages"))
        inbox = f'mailbox "INBOX" of {account}'
        asked = {"app": "Mail", "class": "mailbox", "at": account, "properties": {"name": "Filed"}}
        move = lambda target, to: [{"command": "move", "target": target, "arguments": {"to": to}}]
        refused = self.server.call("iac_mcp_create", **asked, then=move(f"message 1 of {inbox}", f"mailbox {trash} of {account}"))
        self.assertIn("`then` refuses it", refused["message"])
        for target, to in [
            ('message 1 of mailbox "INBOX" of account of it', "it"),
            (f"message 1 of {inbox}", f"mailbox {trash} of account of it"),
            ('every message of mailbox "INBOX" of account of it', "it"),
        ]:
            refused = self.server.call("iac_mcp_create", **asked, then=move(target, to))
            self.assertIn("which the question could not show", refused["message"])
        self.assertNotIn("Filed", self.names(account, "mailbox", app="Mail"))
        self.made(**asked, then=move(f"message 1 of {inbox}", "it"))

    def test_an_older_object_of_the_name_is_left_alone(self):
        signatures = lambda: self.call("iac_mcp_get_elements", app="Mail", elements="every signature", properties=["name", "content"])["elements"]
        values = lambda: [each["properties"] for each in signatures()]
        before = values()
        given = {"name": before[0]["name"], "content": "another"}
        made = self.made(app="Mail", **{"class": "signature"}, properties=given)
        self.assertIsNone(made["undo"], "only the name leads to it, and to the older one")
        self.assertEqual(values(), [*before, given])
        self.made(app="Mail", **{"class": "signature"}, properties={**given, "content": "a third"}, then=[{"command": "delete", "target": "it"}])
        self.assertEqual(values(), [*before, given])
        nothing = self.server.call("iac_mcp_create", app="Mail", **{"class": "mailbox"}, at="account 1", properties={"name": "INBOX"})
        self.assertEqual(nothing["outcome"], "not_tried", nothing)

    def test_recipients_may_have_one_name(self):
        people = [{"class": "to recipient", "properties": {"name": "Ana", "address": address}} for address in ("a@example.org", "b@example.org")]
        self.made(app="Mail", **{"class": "outgoing message"}, properties={"subject": "Namesakes"}, children=people, then=[{"command": "send"}])
        [sent] = self.call("iac_mcp_get_elements", app="Mail", elements='every message of sent mailbox whose subject is "Namesakes"', properties=["to recipients.address"])["elements"]
        self.assertEqual(sent["properties"]["to recipients.address"], ["a@example.org", "b@example.org"])

    def test_what_takes_its_name_is_not_taken_for_it(self):
        precious = self.made(app="Finder", **{"class": "folder"}, at="desktop", properties={"name": "Precious"})["objects"][0]
        moves = [
            {"command": "move", "target": "it", "arguments": {"to": "desktop"}},
            {"command": "move", "target": precious["reference"], "arguments": {"to": "~/Downloads"}},
            {"command": "delete", "target": "it"},
        ]
        made = self.server.call("iac_mcp_create", app="Finder", **{"class": "folder"}, at="~/Downloads", properties={"name": "Zed"}, then=moves)
        self.assertEqual(made["then"][2]["error"]["outcome"], "not_tried", made)
        there = self.call("iac_mcp_get_elements", app="Finder", container="~/Downloads", elementType="folder", properties=["name"])
        self.assertIn("Precious", [each["properties"]["name"] for each in there["elements"]])

    def test_an_undo_leaves_a_foreign_file_of_the_name_alone(self):
        """Finder finds a file by its name. Someone deletes the file of this server, and another one gets its name."""
        desktop = "/Users/alex/Desktop"
        run = lambda command, **arguments: self.call("iac_mcp_run_command", app="Finder", command=command, **arguments)
        new = lambda kind, name: self.made(app="Finder", **{"class": kind}, at="desktop", properties={"name": name})
        moved = lambda path: run("move", target=path, arguments={"to": desktop})
        found = lambda name: self.call("iac_mcp_query_object", app="Finder", specifier=f"{desktop}/{name}")["reference"]
        cases = [
            ("Zed", lambda: new("folder", "Zed"), None),
            ("zed.txt", lambda: new("document file", "zed.txt"), None),
            ("Letters", lambda: moved("/Users/alex/Documents/Letters"), "/Users/alex/Pictures/Lake"),
            ("movie.mp4", lambda: moved("/Users/alex/Downloads/movie.mp4"), "/Users/alex/Downloads/song.flac"),
        ]
        for name, act, foreign in cases:
            with self.subTest(name):
                undo = act()["undo"]
                run("delete", target=f"{desktop}/{name}")
                if foreign is None:
                    time.sleep(1.1)  # dates of Finder have no fractions of a second
                    act()
                else:
                    moved(foreign)
                    self.call("iac_mcp_set_property", reference=found(foreign.rsplit("/", 1)[1]), property="name", value=name)
                answer = self.server.call("iac_mcp_undo", undo=undo)
                self.assertEqual(answer.get("error"), "reference_moved", answer)
                found(name)

    def test_a_moved_file_goes_back_though_someone_has_edited_it(self):
        letters = "/Users/alex/Documents/Letters"
        moved = self.call("iac_mcp_run_command", app="Finder", command="move", target=letters, arguments={"to": "/Users/alex/Desktop"})
        self.call("iac_mcp_run_command", app="Finder", command="delete", target="/Users/alex/Desktop/Letters/Letter 01.rtf")
        self.assertTrue(self.call("iac_mcp_undo", undo=moved["undo"])["success"])
        self.call("iac_mcp_query_object", app="Finder", specifier=letters)

    def test_positions_are_not_counted_for_several_objects(self):
        people = [{"class": "to recipient", "properties": {"address": f"{letter}@example.org"}} for letter in "abc"]
        [message] = self.made(app="Mail", **{"class": "outgoing message"}, properties={"subject": "Places"}, children=people)["objects"]
        third = {"position": "before", "of": {"type": "element", "element": "to recipient", "index": 2, "container": message["reference"]}}
        first = {"position": "beginning", "of": message["reference"]}
        new = lambda at, address: {"class": "to recipient", "at": at, "properties": {"address": address}}
        refused = self.server.call("iac_mcp_create", app="Mail", objects=[new(first, "x@example.org"), new(third, "y@example.org")])
        self.assertEqual((refused["error"], refused["parameter"]), ("invalid_parameter", "at"), refused)
        self.assertEqual(self.names(message["reference"], "to recipient", "address"), [f"{letter}@example.org" for letter in "abc"])

    def test_a_question_that_could_not_tell_is_not_asked(self):
        send = {"command": "send", "target": "it"}
        bcc = {"command": "make", "arguments": {"new": "bcc recipient", "at": "it", "with properties": {"address": "evil@example.org"}}}
        message = {"app": "Mail", "class": "outgoing message", "properties": {"subject": "A"}}
        for then in ([bcc, send], [{"command": "send", "target": ["it", "it"]}, send]):
            refused = self.server.call("iac_mcp_create", **message, then=then)
            self.assertEqual(refused["error"], "invalid_parameter", refused)
        fill = {"command": "move", "target": "every reminder of list 1", "arguments": {"to": "it"}}
        refused = self.server.call("iac_mcp_create", app="Reminders", **{"class": "list"}, properties={"name": "B"}, then=[fill, {"command": "delete", "target": "it"}])
        self.assertEqual(refused["error"], "invalid_parameter", refused)

    def test_a_place_among_others(self):
        steps = [{"properties": {"name": name}} for name in ("first", "second")]
        [whole] = self.made(app="Reminders", **{"class": "list"}, properties={"name": "Steps"}, children=steps)["objects"]
        second = whole["children"][1]["reference"]
        self.made(**{"class": "reminder"}, at={"position": "before", "of": second}, properties={"name": "between"})
        self.made(**{"class": "reminder"}, at={"position": "beginning", "of": whole["reference"]}, properties={"name": "zeroth"})
        last = {"new": "reminder", "at": {"position": "end", "of": whole["reference"]}, "with properties": {"name": "last"}}
        self.call("iac_mcp_run_command", app="Reminders", command="make", arguments=last)
        self.assertEqual(self.names(whole["reference"], "reminder"), ["zeroth", "first", "between", "second", "last"])

    def test_steps_of_a_project(self):
        document = {"type": "property", "property": "default document", "of": "application"}
        inner = {"class": "task", "properties": {"name": "second"}, "children": [{"class": "task", "properties": {"name": "inner"}}]}
        steps = [{"class": "task", "properties": {"name": "first"}}, inner]
        project = self.made(app="OmniFocus", **{"class": "project"}, at=document, properties={"name": "P"}, children=steps)
        [_, second] = project["objects"][0]["children"]
        self.assertEqual([child["name"] for child in second["children"]], ["inner"])
        self.assertEqual(self.names(second["reference"], "task"), ["inner"])


class Asked(Desk):
    async def test_one_question_shows_everything(self):
        human = Human("once")
        async with self.client("legacy", human) as client:
            lunch = {"class": "list", "properties": {"name": "Lunch"}, "children": [{"properties": {"name": "Bread"}}, {"properties": {"name": "Salt"}}]}
            answer = await self.call(client, "iac_mcp_create", app="Reminders", objects=[lunch, {"class": "reminder", "properties": {"name": "Cook"}}])
            self.assertTrue(answer["success"], answer)
            [question] = human.asked
            for words in ("Lunch", "Bread", "Salt", "Cook"):
                self.assertIn(words, question.message)

    async def test_an_app_is_opened_by_a_yes(self):
        human = Human("once")
        async with self.client("legacy", human) as client:
            await self.call(client, "iac_mcp_run_command", app="Contacts", command="launch")
            self.assertIn("Contacts: open it in the background", human.asked[0].message)
            await self.call(client, "iac_mcp_get_elements", app="Contacts", container="application", elementType="person")

    async def test_who_is_asked_to_quit_an_app_sees_what_is_not_saved(self):
        human = Human("once")
        async with self.client("legacy", human) as client:
            answer = await self.call(client, "iac_mcp_run_command", app="TextEdit", command="quit")
            self.assertTrue(answer["success"], answer)
            self.assertIn('documents with unsaved changes: "Letter to Tomás"', human.asked[0].message)


if __name__ == "__main__":
    unittest.main()
