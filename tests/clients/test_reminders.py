"""Reminders by their due dates: 900 of them in three lists, through EventKit and through Apple events."""

import json
import random
import subprocess
import unittest
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from desk import MODES, Desk, Human
from support import BIN, PATIENCE, Home, Server

BERLIN = ZoneInfo("Europe/Berlin")
LISTS = ["Reminders", "Groceries", "Work"]
COUNT = 900
FULL, DENIED = {"consent": {"reminders": 3}}, {"consent": {"reminders": 2}}
WEEK = 'due date >= "2026-03-23" and due date < "2026-03-30"'
OPEN = "completed is false"
OVERDUE = 'completed is false and due date < "2026-03-23"'
WAYS = ["every reminder", "every reminder of every list", 'every reminder of list "Work"']


def written(number, name, due, done, priority):
    stamp = lambda at: at and at.strftime("%Y-%m-%dT%H:%M:%S")  # noqa: E731
    made = datetime(2025, 1, 1) + timedelta(hours=number)
    return {
        "name": name, "id": f"x-apple-reminder://UUID-{number:04}", "container": {"ref": LISTS[number % 3]},
        "body": f"Note {number}" if number % 4 == 0 else None, "completed": done,
        "completion date": stamp(made + timedelta(days=9)) if done else None, "due date": stamp(due),
        "allday due date": due and due.strftime("%Y-%m-%dT00:00:00"), "remind me date": None, "priority": priority,
        "flagged": number % 5 == 0, "creation date": stamp(made), "modification date": stamp(made),
    }  # fmt: skip


class Reminders(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = Home()
        cls.addClassCleanup(cls.home.cleanup)
        cls.world = cls.home.new_mac("Europe/Berlin")
        dice = random.Random(11)
        cls.all = []
        for number in range(COUNT):
            # One in three has no date, and one in four of the others has no time.
            day = datetime(2025, 9, 1) + timedelta(days=dice.randrange(400))
            timed = day + timedelta(hours=dice.randrange(6, 22), minutes=dice.choice([0, 30]))
            due = dice.choice([None, timed, timed, timed, day, None])
            cls.all.append((number, f"Reminder {number}", due, dice.random() < 0.6, dice.choice([0, 1, 5, 9])))
        lists = [
            {
                "key": name, "name": name, "id": f"LIST-{name}", "container": {"ref": "icloud"}, "color": "#1BADF8", "emblem": "symbol0",
                "elements": {"reminder": [written(*each) for each in cls.all if LISTS[each[0] % 3] == name]},
            }
            for name in LISTS
        ]  # fmt: skip
        account = {"key": "icloud", "name": "iCloud", "id": "ACCOUNT", "list": {"union": ["application"]}, "reminder": {"union": LISTS}}
        application = {
            "key": "application", "name": "Reminders", "version": "7.0", "default account": {"ref": "icloud"},
            "default list": {"ref": "Reminders"}, "reminder": {"union": LISTS}, "elements": {"account": [account], "list": lists},
        }  # fmt: skip
        data = {"running": True, "shift": "none", "application": application}
        (cls.world / "data").mkdir(exist_ok=True)
        (cls.world / "data/com.apple.reminders.json").write_text(json.dumps(data))

    def consent(self, **settings):
        (self.world / "eventkit.json").write_text(json.dumps(settings))

    def serve(self, latency=None):
        environment = self.home.environment | ({"IAC_MCP_LATENCY": latency} if latency else {})
        return Server(self.home, "--world", str(self.world), environment=environment)

    def ask(self, server, where=WEEK, elements="every reminder", **more):
        call = {"app": "Reminders", "elements": elements, "where": where, "limit": 1000}
        call |= {"properties": ["id", "name", "due date", "completed", "priority"]} | more
        answer = server.call("iac_mcp_get_elements", **call)
        self.assertIn("elements", answer, answer)
        while answer["hasMore"] and "limit" not in more:
            rest = server.call("iac_mcp_get_elements", **call, offset=answer["nextOffset"])
            answer = rest | {"elements": answer["elements"] + rest["elements"]}
        return answer

    def expected(self, where, elements):
        begin, end = datetime(2026, 3, 23), datetime(2026, 3, 30)
        tests = {
            WEEK: lambda due, done: due is not None and begin <= due < end,
            OPEN: lambda due, done: not done,
            OVERDUE: lambda due, done: not done and due is not None and due < begin,
        }
        of = lambda number: "Work" not in elements or LISTS[number % 3] == "Work"  # noqa: E731
        found = [each for each in self.all if tests[where](each[2], each[3]) and of(each[0])]
        far = datetime(9999, 1, 1)
        return [
            {
                "id": f"x-apple-reminder://UUID-{number:04}", "name": name,
                "due date": due and due.replace(tzinfo=BERLIN).isoformat(), "completed": done, "priority": priority,
            }
            for number, name, due, done, priority in sorted(found, key=lambda each: (each[2] or far, each[0]))
        ]  # fmt: skip

    def test_both_ways_give_the_same_rows(self):
        self.assertGreater(len(self.expected(WEEK, "")), 5)
        for settings, source in ((FULL, "EventKit"), (DENIED, "Apple events")):
            self.consent(**settings)
            with self.serve() as server:
                for where in (WEEK, OPEN, OVERDUE):
                    for elements in WAYS:
                        answer = self.ask(server, where, elements)
                        self.assertEqual(answer["source"], source, answer.get("note"))
                        self.assertNotIn("complete", answer)
                        rows = [row["properties"] for row in answer["elements"]]
                        self.assertEqual(rows, self.expected(where, elements), (where, elements))

    def test_what_the_index_lacks_is_read_from_the_app_for_the_page(self):
        self.consent(**FULL)
        with self.serve() as server:
            answer = self.ask(server, properties=["id", "flagged"])
            self.assertEqual(answer["source"], "EventKit")
            for row in answer["elements"]:
                self.assertEqual(row["properties"]["flagged"], int(row["properties"]["id"][-4:]) % 5 == 0)
            # A filter by such a property still goes to the app.
            self.assertNotIn("source", self.ask(server, f"{WEEK} and flagged is true"))

    def test_a_row_leads_to_its_reminder(self):
        self.consent(**FULL)
        with self.serve() as server:
            for elements in WAYS:
                row = self.ask(server, elements=elements, limit=1)["elements"][0]
                read = server.call("iac_mcp_get_properties", reference=row["id"], properties=["name"])
                self.assertEqual(read["properties"]["name"], row["properties"]["name"])
                self.assertNotIn("occurrence", read)

    def test_the_index_needs_no_apple_event(self):
        self.consent(**FULL)
        with self.serve() as server:
            events = lambda: server.call("system")["calls"]["appleEvents"]  # noqa: E731
            # On the first call the server compares EventKit with Reminders.
            self.ask(server, limit=50)
            before = events()
            answer = self.ask(server, OPEN, limit=50)
            self.assertEqual(answer["source"], "EventKit", answer.get("note"))
            self.assertEqual(events(), before)

    def test_every_state_of_consent_has_its_own_answer(self):
        states = {0: '"access":"reminders"', 1: "a profile", 2: "is denied"}
        with self.serve() as server:
            for status, words in states.items():
                # Consent for calendars is separate.
                self.consent(consent={"reminders": status, "events": 3}, answer=True)
                answer = self.ask(server, limit=1)
                self.assertEqual(answer["source"], "Apple events")
                self.assertIn(words, answer["note"])
            self.assertFalse((self.world / "state/consent.eventkit.json").exists())

    def test_the_command_asks_for_reminders_alone(self):
        answered = self.world / "state/consent.eventkit.json"
        self.addCleanup(answered.unlink, missing_ok=True)
        self.consent(answer=True)
        command = [BIN, "access", "reminders", "--json", "--world", str(self.world)]
        asked = subprocess.run(command, env=self.home.environment, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(asked.returncode, 0, asked.stderr)
        self.assertIn("EventKit answers for reminders", json.loads(asked.stdout)["state"])
        self.assertEqual(json.loads(answered.read_text()), {"events": 0, "reminders": 3})
        with self.serve() as server:
            self.assertEqual(self.ask(server, limit=1)["source"], "EventKit")

    def test_what_cannot_be_believed_is_not_used(self):
        troubles = [
            ({"silent": True}, "no answer about reminders"),
            ({"shifted": {f"UUID-{number:04}": 3600 for number in range(COUNT)}}, "another date in the app"),
            ({"missing": ["Work"]}, "does not have this container"),
        ]
        for settings, words in troubles:
            self.consent(**FULL, **settings)
            with self.serve() as server:
                answer = self.ask(server, elements='every reminder of list "Work"')
                self.assertEqual(answer["source"], "Apple events")
                self.assertIn(words, answer["note"])
                rows = [row["properties"] for row in answer["elements"]]
                self.assertEqual(rows, self.expected(WEEK, "Work"))


class Access(Desk):
    """macOS asks about the client that started the server, so the request must come from that client."""

    CONSENT = {"action": "consent", "access": "reminders"}

    def setUp(self):
        super().setUp()
        self.answered = self.mac / "state/consent.eventkit.json"

    def consent(self, **settings):
        (self.mac / "eventkit.json").write_text(json.dumps(settings))

    async def source(self, client):
        listed = await self.call(client, "iac_mcp_get_elements", app="Reminders", elements="every reminder", where=OPEN)
        return listed["source"], listed.get("note", "")

    async def test_a_yes_to_both_questions_makes_it_fast(self):
        self.consent(answer=True)
        for mode in MODES:
            human = Human("once")
            async with self.client(mode, human) as client:
                source, note = await self.source(client)
                self.assertEqual(source, "Apple events")
                self.assertIn('{"action":"consent","access":"reminders"}', note)
                said = await self.call(client, "system", **self.CONSENT)
                self.assertEqual((said["access"], said["state"]), ("reminders", "allowed"))
                self.assertIn("full access to your reminders for ", human.asked[-1].message)
                self.assertEqual((await self.source(client))[0], "EventKit")
                # If the server already has the answer, it does not ask again.
                await self.call(client, "system", **self.CONSENT)
                self.assertEqual(len(human.asked), 1)
            self.answered.unlink()

    async def test_a_no_to_either_question_is_a_no(self):
        self.consent(answer=False)
        human = Human("deny", "once")
        async with self.client(MODES[1], human) as client:
            refused = await self.refused(client, "system", **self.CONSENT)
            self.assertEqual(refused["error"], "permission_denied")
            self.assertFalse(self.answered.exists())
            refused = await self.refused(client, "system", **self.CONSENT)
            self.assertEqual((refused["error"], refused["access"]), ("automation_not_authorized", "reminders"))
            self.assertIn("without a dialog", refused["suggestion"])
            self.assertIn("is denied", (await self.source(client))[1])

    async def test_nobody_is_asked_where_no_human_can_be(self):
        self.consent(answer=True)
        async with self.client(MODES[1]) as client:
            refused = await self.refused(client, "system", **self.CONSENT)
            self.assertEqual(refused["error"], "permission_required")
            self.assertFalse(self.answered.exists())
            both = await self.refused(client, "system", **self.CONSENT, app="Reminders")
            self.assertEqual((both["error"], both["parameter"]), ("invalid_parameter", "access"))
            strange = await self.refused(client, "system", action="consent", access="photos")
            self.assertIn("calendars, reminders", strange["suggestion"])


class Moved(unittest.TestCase):
    """Reminders makes a new reminder in the other list and deletes the old one."""

    def setUp(self):
        self.home = self.enterContext(Home())
        self.home.policy('profile = "trusted"\nrules = [{ level = "DANGEROUS", command = "move", app = "com.apple.reminders", decision = "allow" }]\n')
        self.server = self.enterContext(Server(self.home))
        alike = {"properties": {"name": "Water"}}
        lists = [
            {"properties": {"name": "Here"}, "children": [{"properties": {"name": "Pack"}}, {"properties": {"name": "Tickets"}}, alike, alike]},
            {"properties": {"name": "There"}, "children": [{"properties": {"name": "Pack"}}]},
        ]  # fmt: skip
        made = self.call("iac_mcp_create", app="Reminders", **{"class": "list"}, objects=lists)
        self.here, self.there = (each["reference"] for each in made["objects"])
        rows = self.call("iac_mcp_get_elements", container=self.here, elementType="reminder", properties=["name"])
        self.all = [row["id"] for row in rows["elements"]]

    def call(self, tool, **arguments):
        answer = self.server.call(tool, **arguments)
        self.assertNotIn("error", answer)
        return answer

    def places(self, *references):
        reads = [self.server.call("iac_mcp_get_properties", reference=each, properties=["container.name"]) for each in references]
        return [read.get("properties", read).get("container.name") for read in reads]

    def move(self, target):
        answer = self.call("iac_mcp_run_command", app="Reminders", command="move", target=target, arguments={"to": self.there})
        return answer["undo"]

    def test_a_reference_follows_a_move_and_its_undo(self):
        pack, tickets, *_ = self.all
        undo = self.move(pack)
        self.assertEqual(self.places(pack, tickets), ["There", "Here"])
        self.call("iac_mcp_set_property", reference=pack, property="priority", value=1)
        self.assertTrue(self.call("iac_mcp_undo", last=True)["success"])
        self.assertTrue(self.call("iac_mcp_undo", undo=undo)["success"])
        self.assertEqual(self.places(pack, tickets), ["Here", "Here"])
        self.assertTrue(self.call("iac_mcp_set_property", reference=pack, property="priority", value=1)["success"])

    def test_several_are_moved_and_taken_back_together(self):
        pack, tickets, *_ = self.all
        undo = self.move([pack, tickets])
        self.assertEqual(self.places(pack, tickets), ["There", "There"])
        self.assertTrue(self.call("iac_mcp_undo", undo=undo)["success"])
        self.assertEqual(self.places(pack, tickets), ["Here", "Here"])

    def test_reminders_that_nothing_tells_apart_are_not_followed(self):
        *_, first, second = self.all
        self.assertIsNone(self.move([first, second]))
        self.assertEqual(self.places(first, second), [None, None])
        listed = self.call("iac_mcp_get_elements", container=self.there, elementType="reminder", properties=["name"])
        self.assertEqual([row["properties"]["name"] for row in listed["elements"]], ["Pack", "Water", "Water"])


if __name__ == "__main__":
    unittest.main()
