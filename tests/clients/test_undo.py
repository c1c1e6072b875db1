"""Undo of objects that something has happened to since: they were moved, renamed, deleted or replaced."""

import time
import unittest

from support import Trusting

TRUSTED = """profile = "trusted"
rules = [{ level = "DANGEROUS", command = "delete", decision = "allow" }, { level = "DANGEROUS", command = "move", decision = "allow" }]
"""


class Undo(Trusting):
    POLICY = TRUSTED

    def run_command(self, app, command, target, **arguments):
        return self.call("iac_mcp_run_command", app=app, command=command, target=target, arguments=arguments)

    def named(self, app, elements, *properties):
        rows = self.call("iac_mcp_get_elements", app=app, elements=elements, properties=[*properties, "name"])["elements"]
        return {row["properties"]["name"]: row | row["properties"] for row in rows}

    def undo(self, *ids):
        return self.server.call("iac_mcp_undo", undo=list(ids))

    def is_listed(self, undo):
        return undo in [each["undo"] for each in self.call("iac_mcp_undo", list=True)["undo"]]


class Made(Undo):
    """The undo of a new object."""

    APPS = {
        "Reminders": ("reminder", {"name": "Milk"}, "list", ("Groceries 🛒", "Reminders")),
        "Notes": ("note", {"body": "<div>Milk</div>", "name": "Milk"}, "folder", ("Work", "Garden house")),
    }

    def made(self, app, by_id):
        """A new object in the first container, and the second container."""
        element, properties, container, (here, there) = self.APPS[app]
        folders = self.named(app, f"every {container}", "id")
        place = lambda name: f'{container} id "{folders[name]["id"]}"' if by_id else f'{container} "{name}"'
        new = self.call("iac_mcp_create", app=app, **{"class": element}, at=place(here), properties=properties)
        return new["objects"][0]["reference"], new["undo"], place(there)

    def test_what_was_moved_since_is_deleted_where_it_is(self):
        for app in self.APPS:
            for by_id in (True, False):
                for together in (False, True):
                    with self.subTest(app, by_id=by_id, together=together):
                        milk, undo, there = self.made(app, by_id)
                        moved = self.run_command(app, "move", milk, to=there)["undo"]
                        undone = self.undo(*[moved, undo] if together else [undo])
                        self.assertTrue(undone.get("success"), undone)
                        self.assertEqual(undone["changes"][-1]["created"], "deleted")
                        element, _, container, places = self.APPS[app]
                        held = [self.named(app, f'every {element} of {container} "{place}"') for place in places]
                        self.assertFalse([each for each in held if "Milk" in each], undone)

    def test_what_was_deleted_since_counts_as_taken_back(self):
        for by_id in (True, False):
            with self.subTest(by_id=by_id):
                milk, undo, _ = self.made("Reminders", by_id)
                self.run_command("Reminders", "delete", milk)
                undone = self.undo(undo)
                self.assertEqual((undone.get("success"), undone["changes"][0]["created"]), (True, "was gone"), undone)
                self.assertFalse(self.is_listed(undo))

    def test_what_may_be_elsewhere_does_not_count_as_deleted(self):
        """A deleted note is still in the app, in another folder. Reminders gives a moved reminder another id, and nothing
        tells two of one name apart."""
        note, of_note, _ = self.made("Notes", True)
        self.run_command("Notes", "delete", note)
        twins = [{"properties": {"name": "Twin"}}] * 2
        lists = [{"properties": {"name": "Here"}, "children": twins}, {"properties": {"name": "There"}}]
        here, there = (each["reference"] for each in self.call("iac_mcp_create", app="Reminders", **{"class": "list"}, objects=lists)["objects"])
        twins = self.call("iac_mcp_create", app="Reminders", **{"class": "reminder"}, at=here, objects=[{"properties": {"name": "Two"}}] * 2)
        self.run_command("Reminders", "move", [each["reference"] for each in twins["objects"]], to=there)
        for undo, count in ((of_note, 1), (twins["undo"], 2)):
            undone = self.undo(undo)
            self.assertFalse(undone["success"], undone)
            self.assertEqual([each["created"] for each in undone["changes"]], ["not found"] * count, undone)
            self.assertIn("not found where it was made: it was deleted or moved", str(undone["changes"]))
            self.assertTrue(self.is_listed(undo))


    def test_what_takes_the_place_of_new_contents_is_kept(self):
        then = [{"command": "duplicate", "target": "first reminder of first list", "arguments": {"to": "it"}}]
        made = self.call("iac_mcp_create", app="Reminders", **{"class": "list"}, properties={"name": "Trip"}, then=then)
        self.assertIsNotNone(made["undo"])
        self.call("iac_mcp_run_command", app="Reminders", command="move", target='first reminder of list "Trip"', arguments={"to": "first list"})
        self.call("iac_mcp_create", app="Reminders", **{"class": "reminder"}, at='list "Trip"', properties={"name": "Theirs"})
        self.undo(made["undo"])
        found = self.call("iac_mcp_get_elements", app="Reminders", elements='every reminder of list "Trip"', properties=["name"])
        self.assertEqual([each["properties"]["name"] for each in found["elements"]], ["Theirs"])

    def test_a_file_in_place_of_a_new_one_is_kept(self):
        then = [{"command": "duplicate", "target": "~/Documents/Projects", "arguments": {"to": "it"}}]
        made = self.call("iac_mcp_create", app="Finder", **{"class": "folder"}, at="desktop", properties={"name": "Trip"}, then=then)
        self.run_command("Finder", "delete", "/Users/alex/Desktop/Trip/Projects")
        self.call("iac_mcp_create", app="Finder", **{"class": "folder"}, at='folder "~/Desktop/Trip"', properties={"name": "Theirs"})
        self.assertIs(self.undo(made["undo"]).get("success"), None)
        self.assertEqual(self.call("iac_mcp_get_elements", app="Finder", elements='every folder of folder "~/Desktop/Trip"')["count"], 1)

    def test_what_was_written_in_the_last_of_many_is_kept(self):
        children = [{"class": "reminder", "properties": {"name": f"Step {at}"}} for at in range(60)]
        made = self.call("iac_mcp_create", app="Reminders", **{"class": "list"}, properties={"name": "Steps"}, children=children)
        self.call("iac_mcp_set_property", app="Reminders", reference='reminder "Step 57" of list "Steps"', property="body", value="mine")
        self.assertIn("have changed", self.undo(made["undo"])["message"])

    def test_a_note_that_was_written_later_is_kept(self):
        made = self.call("iac_mcp_create", app="OmniFocus", **{"class": "inbox task"}, properties={"name": "Plan"})
        self.call("iac_mcp_set_property", reference=made["objects"][0]["reference"], property="note", value="two hours of work")
        self.assertIn("after", self.undo(made["undo"])["message"])


class Moved(Undo):
    """The undo of what was written before a move."""

    def setUp(self):
        super().setUp()
        lists = [{"properties": {"name": name}} for name in ("One", "Two", "Three")]
        lists[0]["children"] = [{"properties": {"name": "Pack"}}, {"properties": {"name": "Tickets"}}]
        made = self.call("iac_mcp_create", app="Reminders", **{"class": "list"}, objects=lists)["objects"]
        self.lists = [each["reference"] for each in made]
        self.pack = made[0]["children"][0]["reference"]

    def where(self, name):
        [place] = [place for place, reference in zip(("One", "Two", "Three"), self.lists, strict=True) if name in self.held(reference)]
        return place

    def held(self, reference):
        rows = self.call("iac_mcp_get_elements", container=reference, elementType="reminder", properties=["name"])["elements"]
        return [row["properties"]["name"] for row in rows]

    def set(self, reference, **properties):
        return self.call("iac_mcp_set_property", reference=reference, properties=properties)["undo"]

    def move(self, target, to):
        return self.run_command("Reminders", "move", target, to=self.lists[to])["undo"]

    def test_every_earlier_undo_follows_a_move(self):
        for apart in (False, True):
            with self.subTest(apart=apart):
                undos = [self.set(self.pack, name="Bag"), self.move(self.pack, 2), self.set(self.pack, priority=1), self.move(self.pack, 0), self.move(self.pack, 1)]
                self.assertEqual(self.where("Bag"), "Two")
                for some in [[each] for each in reversed(undos)] if apart else [undos]:
                    undone = self.undo(*some)
                    self.assertTrue(undone.get("success"), undone)
                self.assertEqual(self.where("Pack"), "One")
                read = self.call("iac_mcp_get_properties", reference=self.pack, properties=["name", "priority"])
                self.assertEqual(read["properties"], {"name": "Pack", "priority": 0})

    def test_the_write_before_a_move_is_taken_back_alone(self):
        undo = self.set(self.pack, name="Bag")
        self.move(self.pack, 1)
        self.assertTrue(self.undo(undo).get("success"))
        self.assertEqual(self.where("Pack"), "Two")

    def test_every_reference_follows_a_move(self):
        identity = self.call("iac_mcp_get_properties", reference=self.pack, properties=["id"])["properties"]["id"]
        other = self.call("iac_mcp_query_object", app="Reminders", specifier=f'reminder id "{identity}"')["reference"]["id"]
        self.assertNotEqual(other, self.pack)
        for target in (self.pack, other, f"every reminder of {self.lists[0]} whose priority is 0"):
            with self.subTest(target):
                undo = self.move(target, 1)
                for reference in (self.pack, other):
                    self.set(reference, priority=5)
                undone = self.undo(undo)
                self.assertTrue(undone.get("success"), undone)
                for reference in (self.pack, other):
                    self.set(reference, priority=0)

    def test_notes_keep_their_ids(self):
        note = self.call("iac_mcp_create", app="Notes", **{"class": "note"}, at='folder "Work"', properties={"body": "<div>Draft</div>"})["objects"][0]["reference"]
        undos = [self.call("iac_mcp_set_property", reference=note, property="name", value="Final")["undo"]]
        for folder in ("Garden house", "Work", "Garden house"):
            undos.append(self.run_command("Notes", "move", note, to=f'folder "{folder}"')["undo"])
        for undo in reversed(undos):
            undone = self.undo(undo)
            self.assertTrue(undone.get("success"), undone)
        self.assertIn("Draft", self.named("Notes", 'every note of folder "Work"'))


class Binned(Undo):
    """Finder's `delete` moves to the Trash."""

    def test_a_deleted_file_comes_back(self):
        files = ["/Users/alex/Downloads/song.flac", "/Users/alex/Documents/Letters"]
        deleted = self.run_command("Finder", "delete", files)
        self.assertEqual({"song.flac", "Letters"} - set(self.named("Finder", "every item of trash")), set())
        undone = self.undo(deleted["undo"])
        self.assertTrue(undone.get("success"), undone)
        for file in files:
            self.assertEqual(self.call("iac_mcp_get_properties", app="Finder", reference=file, properties=["name"])["properties"]["name"], file.split("/")[-1])

    def test_what_is_in_the_trash_is_not_moved_there_again(self):
        """What Finder does with it on a Mac is not known, so the simulated one refuses. The first undo stays."""
        undo = self.run_command("Finder", "delete", "/Users/alex/Downloads/song.flac")["undo"]
        again = self.server.call("iac_mcp_run_command", app="Finder", command="delete", target='file "song.flac" of trash')
        self.assertEqual(again["number"], -10000)
        self.assertTrue(self.undo(undo).get("success"))


class Copied(Undo):
    """The undo of copies."""

    def test_copies_are_deleted_again(self):
        desktop, song = "/Users/alex/Desktop/untitled.txt", "/Users/alex/Downloads/song.flac"
        for target, to in ((desktop, {}), ([desktop, song], {"to": "/Users/alex/Documents"})):
            answer = self.run_command("Finder", "duplicate", target, **to)
            copies = [each["data"] for each in answer.get("results", [answer])]
            self.assertEqual(self.undo(answer["undo"])["success"], True)
            for copy in copies:
                read = self.server.call("iac_mcp_get_properties", reference=copy["reference"], properties=["name"])
                self.assertEqual(read.get("error"), "reference_invalid", read)

    def test_a_copy_that_somebody_has_changed_stays(self):
        answer = self.run_command("Reminders", "duplicate", "reminder 1")
        later = self.call("iac_mcp_set_property", reference=answer["data"]["reference"], property="priority", value=9)["undo"]
        self.assertIn(later, self.undo(answer["undo"])["suggestion"])
        self.assertTrue(self.undo(answer["undo"], later)["success"])


class Emptied(Undo):
    def test_a_text_that_was_empty_is_empty_again(self):
        new = self.call("iac_mcp_create", app="Reminders", **{"class": "reminder"}, properties={"name": "Tea"})["objects"][0]["reference"]
        wrote = self.call("iac_mcp_set_property", reference=new, properties={"body": "Green", "due date": "tomorrow"})
        self.assertEqual(["undo" in change for change in wrote["changes"]], [False, True], wrote)
        self.undo(wrote["undo"])
        read = self.call("iac_mcp_get_properties", reference=new, properties=["body"])
        self.assertFalse(read["properties"]["body"], read)


class Replaced(Undo):
    """Finder finds a file by its name. Someone deletes the file, and another one gets its name."""

    def test_a_reference_still_leads_to_its_file(self):
        file = self.call("iac_mcp_query_object", app="Finder", specifier="/Users/alex/Downloads/song.flac")["reference"]["id"]
        rename = lambda: self.call("iac_mcp_set_property", reference=file, property="name", value="tune.flac")
        for change in (rename, lambda: self.run_command("Finder", "move", file, to="/Users/alex/Desktop"), rename):
            self.assertTrue(self.undo(change()["undo"]).get("success"))
        read = self.call("iac_mcp_get_properties", reference=file, properties=["name"])
        self.assertEqual(read["properties"], {"name": "song.flac"})

    def test_the_undo_of_a_change_leaves_a_foreign_file_alone(self):
        desktop = "/Users/alex/Desktop"
        new = lambda kind, name: self.call("iac_mcp_create", app="Finder", **{"class": kind}, at="desktop", properties={"name": name})["objects"][0]["reference"]
        for kind, name, change in [("folder", "BBB", {"name": "BBB"}), ("document file", "b.txt", {"name": "b.txt"}), ("folder", "Red", {"label index": 2})]:
            for is_foreign in (False, True):
                with self.subTest(change, is_foreign=is_foreign):
                    old = name if "name" not in change else "A" + name
                    item = new(kind, old)
                    undo = self.call("iac_mcp_set_property", reference=item, properties=change)["undo"]
                    if is_foreign:
                        self.run_command("Finder", "delete", f"{desktop}/{name}")
                        time.sleep(1.1)  # dates of Finder have no fractions of a second
                        other = new(kind, name)
                        if "name" not in change:
                            self.call("iac_mcp_set_property", reference=other, properties=change)
                    undone = self.undo(undo)
                    self.assertEqual(undone.get("error"), "reference_moved" if is_foreign else None, undone)
                    left = name if is_foreign else old
                    self.run_command("Finder", "delete", f"{desktop}/{left}")


if __name__ == "__main__":
    unittest.main()
