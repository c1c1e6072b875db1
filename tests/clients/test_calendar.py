"""Two years of a busy calendar: 10,000 events, 300 series with exceptions, four zones, on a Mac in Berlin.

Every answer is compared with an expansion by python-dateutil, which shares no code with the server or the simulated
Mac.
"""

import json
import random
import re
import subprocess
import time
import unittest
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr
from support import BIN, PATIENCE, Home, Server

BERLIN = ZoneInfo("Europe/Berlin")
ZONES = ["Europe/Berlin", "America/New_York", "Asia/Tokyo", "Australia/Sydney"]
CALENDARS = ["Home", "Work", "Team", "School", "Choir", "Travel", "Birthdays", "Holidays"]
SERIES, EVENTS = 300, 10_000
RULES = [
    "FREQ=WEEKLY;INTERVAL=1;BYDAY={day}",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY={day};WKST=MO",
    "FREQ=DAILY;INTERVAL=3",
    "FREQ=DAILY;COUNT=40",
    "FREQ=MONTHLY;BYDAY=-1{day}",
    "FREQ=MONTHLY;BYMONTHDAY={number}",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
    "FREQ=YEARLY;INTERVAL=1",
    "FREQ=WEEKLY;INTERVAL=1;UNTIL={until}",
]
DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
FULL, DENIED = {"consent": {"events": 3}}, {"consent": {"events": 2}}
# Weeks around both clock changes in each part of the world, and one week in between.
WEEKS = ["2026-03-02", "2026-03-23", "2026-03-30", "2026-07-06", "2026-10-05", "2026-10-26", "2026-11-02"]


class Series:
    """One series: what Calendar stores, and when the series really takes place."""

    def __init__(self, dice, number):
        self.uid = f"SERIES-{number:04}"
        self.zone = ZoneInfo(ZONES[number % 4])
        self.days = number % 10 == 9
        if self.days:
            self.zone = BERLIN
        day = datetime(2025, 1, 1) + timedelta(days=dice.randrange(300))
        start = day if self.days else day + timedelta(hours=dice.randrange(8, 18), minutes=dice.choice([0, 15, 30]))
        self.length = timedelta(days=1) if self.days else timedelta(minutes=dice.choice([30, 60, 90, 600]))
        until = (start.replace(tzinfo=self.zone) + timedelta(weeks=70)).astimezone(timezone.utc)
        self.rule = dice.choice(RULES).format(
            day=DAYS[start.weekday()], number=min(start.day, 28), until=until.strftime("%Y%m%dT%H%M%SZ")
        )
        # A series begins on a date that its rule gives.
        first = self.expand(start)[0]
        self.start = first.astimezone(self.zone).replace(tzinfo=None)
        all_of_it = self.expand(self.start)
        later = [at for at in all_of_it if at > all_of_it[0]]
        some = dice.sample(later, min(4, len(later)))
        self.excluded, moved = some[:2], some[2:] if number % 3 == 0 else []
        self.moved = {at: at + timedelta(hours=dice.choice([-2, 3, 26])) for at in moved}
        self.summary = f"Series {number}"

    def expand(self, start, zone=None):
        """The instants that the rule gives until the end of 2026, in a zone's own time."""
        zone = zone or self.zone
        rule, until = self.rule, None
        parts = rule.split(";UNTIL=")
        if len(parts) == 2:
            rule, until = parts[0], datetime.strptime(parts[1], "%Y%m%dT%H%M%SZ").replace(tzinfo=timezone.utc)
        found = rrulestr(rule, dtstart=start).between(start, datetime(2027, 1, 15), inc=True)
        instants = [at.replace(tzinfo=zone).astimezone(timezone.utc) for at in found]
        return [at for at in instants if until is None or at <= until]

    def by_rule(self):
        """The dates that the rule gives in the zone of the Mac; Apple events show only these."""
        here = self.start.replace(tzinfo=self.zone).astimezone(BERLIN).replace(tzinfo=None)
        return [(at, at) for at in self.expand(here, BERLIN) if at not in self.excluded]

    def really(self):
        """The times at which the series takes place, and the date that identifies each occurrence."""
        kept = [at for at in self.expand(self.start) if at not in self.excluded]
        return [(self.moved.get(at, at), at) for at in kept]

    def stored(self):
        here = self.start.replace(tzinfo=self.zone).astimezone(BERLIN)
        return event(self.uid, self.summary, here, here + self.length, self.days, self.rule, self.excluded)


def local(instant):
    return instant.astimezone(BERLIN).strftime("%Y-%m-%dT%H:%M:%S")


def event(uid, summary, start, end, days=False, rule=None, excluded=()):
    return {
        "summary": summary, "uid": uid, "start date": local(start), "end date": local(end), "allday event": days,
        "location": None, "description": None, "status": "none", "recurrence": rule,
        "excluded dates": [local(at) for at in excluded], "sequence": 0, "stamp date": local(start), "url": None,
    }  # fmt: skip


def instant(text):
    return datetime.fromisoformat(text).astimezone(timezone.utc)


class Calendar(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = Home()
        cls.addClassCleanup(cls.home.cleanup)
        cls.world = cls.home.new_mac("Europe/Berlin")
        dice = random.Random(7)
        cls.series = [Series(dice, number) for number in range(SERIES)]
        cls.plain = []
        for number in range(EVENTS - SERIES):
            # The simulated Mac's JavaScript miscounts the hours around a clock change.
            start = datetime(2025, 1, 1, 6, tzinfo=BERLIN) + timedelta(days=dice.randrange(730), minutes=15 * dice.randrange(64))
            cls.plain.append((f"PLAIN-{number:05}", f"Event {number}", start, start + timedelta(minutes=45)))
        lists = [[] for _ in CALENDARS]
        for number, each in enumerate(cls.series):
            lists[number % 8].append(each.stored())
        for number, each in enumerate(cls.plain):
            lists[min(7, int(dice.expovariate(0.6)))].append(event(*each))
        cls.home_events = lists[0]
        calendars = [
            {
                "name": name, "title": name, "calendarIdentifier": f"CAL-{name}", "writable": True, "description": None,
                "elements": {"event": events},
            }
            for name, events in zip(CALENDARS, lists)
        ]  # fmt: skip
        data = {
            "running": True,
            "shift": "none",
            "forms": {"calendar": "calendarIdentifier", "event": "uid"},
            "application": {"name": "Calendar", "version": "16.0", "frontmost": False, "elements": {"calendar": calendars}},
        }
        (cls.world / "data").mkdir(exist_ok=True)
        (cls.world / "data/com.apple.iCal.json").write_text(json.dumps(data))
        cls.eventkit = {
            "zones": {each.uid: str(each.zone) for each in cls.series},
            "moved": {
                each.uid: [{"from": local(at), "to": local(to)} for at, to in each.moved.items()]
                for each in cls.series
                if each.moved
            },
        }

    def consent(self, **settings):
        """Changes what EventKit shows, before or while the server runs."""
        (self.world / "eventkit.json").write_text(json.dumps(self.eventkit | settings))

    def serve(self, latency=None):
        # Each server starts without knowledge and workers of an earlier one.
        environment = self.home.environment | ({"IAC_MCP_LATENCY": latency} if latency else {})
        return Server(self.home, "--world", str(self.world), environment=environment)

    def week(self, server, first, **more):
        end = (datetime.fromisoformat(first) + timedelta(days=7)).strftime("%Y-%m-%d")
        both = [{"property": "start date", "op": ">=", "value": first}, {"property": "start date", "op": "<", "value": end}]
        call = {"app": "Calendar", "elements": "every event of every calendar", "where": {"and": both}}
        call |= {"properties": ["uid", "start date"], "limit": 1000} | more
        answer = server.call("iac_mcp_get_elements", **call)
        self.assertIn("elements", answer, answer)
        # An answer is limited in size, so the rest comes by pages.
        while answer["hasMore"] and "limit" not in more:
            rest = server.call("iac_mcp_get_elements", **call, offset=answer["nextOffset"])
            # Only the first answer has the parts that are the same for all of them. A note may be about its page alone.
            note = "; ".join(each["note"] for each in (answer, rest) if "note" in each)
            answer = answer | rest | {"elements": answer["elements"] + rest["elements"], "note": note}
        return answer

    def expected(self, first, dates):
        begin = datetime.fromisoformat(first).replace(tzinfo=BERLIN)
        end = (datetime.fromisoformat(first) + timedelta(days=7)).replace(tzinfo=BERLIN)
        rows = {(uid, start.astimezone(timezone.utc), None) for uid, _, start, _ in self.plain if begin <= start < end}
        for each in self.series:
            rows |= {(each.uid, start, at) for start, at in dates(each) if begin <= start < end}
        return rows

    def rows(self, answer):
        found = [
            (row["properties"]["uid"], instant(row["properties"]["start date"]), row.get("occurrence") and instant(row["occurrence"]))
            for row in answer["elements"]
        ]
        self.assertEqual(len(found), len(set(found)))
        self.assertEqual(answer["totalCount"], len(found))
        self.assertEqual([start for _, start, _ in found], sorted(start for _, start, _ in found))
        return set(found)

    def test_the_index_shows_what_takes_place(self):
        self.consent(**FULL)
        with self.serve() as server:
            for first in WEEKS:
                answer = self.week(server, first)
                self.assertEqual(answer["source"], "EventKit", answer.get("note"))
                self.assertNotIn("complete", answer)
                self.assertEqual(self.rows(answer), self.expected(first, Series.really), first)

    def test_without_it_the_rules_say_the_dates(self):
        self.consent(**DENIED)
        with self.serve() as server:
            for first in WEEKS:
                answer = self.week(server, first)
                self.assertEqual(answer["source"], "Apple events")
                really, by_rule = (self.expected(first, dates) for dates in (Series.really, Series.by_rule))
                unmoved = {each.uid for each in self.series if not each.moved}
                if any(uid in unmoved for uid, *_ in by_rule - really):
                    self.assertIn("may be an hour off", answer.get("note", ""))
                for general in ["moved by itself", "access to calendars is denied"]:
                    self.assertEqual(general in answer.get("note", ""), first == WEEKS[0], answer.get("note"))
                self.assertEqual(self.rows(answer), self.expected(first, Series.by_rule), first)

    def test_both_ways_give_the_same_rows_where_apple_events_know_all(self):
        known = {each.uid for each in self.series if each.zone is BERLIN or str(each.zone) == "Europe/Berlin"}
        known -= {each.uid for each in self.series if each.moved}
        self.assertGreater(len(known), 40)
        answers = []
        for settings in (FULL, DENIED):
            self.consent(**settings)
            with self.serve() as server:
                answer = self.week(server, "2026-03-23", properties=["uid", "summary", "start date", "end date", "allday event"])
            rows = [row for row in answer["elements"] if row["properties"]["uid"] in known or "PLAIN" in row["properties"]["uid"]]
            answers.append([{**row, "id": None} for row in rows])
        self.assertEqual(*answers)
        self.assertTrue(any(row["properties"]["allday event"] for row in answers[0]))

    def test_the_index_needs_hardly_any_apple_event(self):
        self.consent(**FULL)
        with self.serve() as server:
            events = lambda: server.call("system")["calls"]["appleEvents"]  # noqa: E731
            # On the first call the server compares EventKit with Calendar.
            self.week(server, "2026-05-04", limit=10)
            before = events()
            answer = self.week(server, "2026-03-23", limit=100)
            self.assertEqual((answer["source"], answer["count"]), ("EventKit", 100))
            self.assertEqual(self.rows(self.week(server, "2026-03-23")), self.expected("2026-03-23", Series.really))
            self.assertEqual(events(), before)
            # The server reads properties that only the app has for the rows of the page. If such a property filters or
            # sorts the rows, the server asks the app for all of them.
            answer = self.week(server, "2026-03-23", limit=10, properties=["uid", "sequence"])
            self.assertEqual(answer["source"], "EventKit")
            self.assertEqual({row["properties"]["sequence"] for row in answer["elements"]}, {0})
            self.assertLessEqual(events() - before, 2 * 10)
            answer = self.week(server, "2026-03-23", limit=10, sort=[{"property": "sequence"}])
            self.assertEqual(answer["source"], "Apple events")
            # Reading one column of each of eight calendars takes fewer events than a single read for each row.
            self.assertLess(events() - before, 200)

    def test_without_it_a_large_calendar_is_answered_in_parts_before_the_deadline(self):
        self.consent(**DENIED)
        with self.serve("mac") as server:
            begun = time.monotonic()
            answer = self.week(server, "2026-03-23")
            took = time.monotonic() - begun
        self.assertLess(took, 30)
        self.assertFalse(answer["complete"])
        self.assertRegex(answer["reason"], r"slowly over Apple events: .* \(\d+ elements\).* about \d+ s; name one container")
        self.assertGreater(answer["totalCount"], 0)
        self.assertIn("EventKit gives the exact dates, in about a second", answer["note"])
        self.assertLessEqual(self.rows(answer), self.expected("2026-03-23", Series.by_rule))

    def test_odd_spans_say_what_they_leave_out(self):
        call = {"app": "Calendar", "elements": 'every event of calendar "Home"', "limit": 0}
        for settings in (FULL, DENIED):
            self.consent(**settings)
            with self.subTest(settings), self.serve() as server:
                backwards = server.call("iac_mcp_get_elements", **call, where='start date >= "2026-07-01" and start date < "2026-06-01"')
                self.assertEqual((backwards["totalCount"], backwards["complete"]), (0, False))
                self.assertIn(") before it begins (2026-07-01", backwards["reason"])
                far = server.call("iac_mcp_get_elements", **call, where='start date > "9990-12-31"')
                self.assertRegex(far["reason"], "repeating events after 999[12]-")

    def test_one_large_calendar_is_answered_from_its_last_events(self):
        self.consent(**DENIED)
        call = {"app": "Calendar", "elements": 'every event of calendar "Home"', "limit": 1000, "properties": ["uid", "start date"]}
        call["where"] = 'start date >= "2025-07-01" and start date < "2026-07-01"'
        with self.serve("mac") as server:
            events = lambda: server.call("system")["calls"]["appleEvents"]  # noqa: E731
            before, begun = events(), time.monotonic()
            answer = server.call("iac_mcp_get_elements", **call)
            took = time.monotonic() - begun
            sent = events() - before
        self.assertLess(took, 25)
        self.assertFalse(answer["complete"])
        told = re.search(r"Home \((\d+) elements, of which the last (\d+) were read\)", answer["reason"])
        self.assertIsNotNone(told, answer["reason"])
        size, read = map(int, told.groups())
        self.assertGreater(size, 3200)
        self.assertGreater(read, 20)
        # Each event needs its id and a date. Events out of the span need their rule, and the others their end and
        # their days.
        self.assertLess(sent, 4 * read + 20)
        # The last events of the calendar are the ones that were stored last.
        last = [each["uid"] for each in self.home_events[-read:]]
        self.assertLessEqual({row["properties"]["uid"] for row in answer["elements"]}, set(last))
        self.assertGreater(answer["totalCount"], read // 4)

    def test_every_state_of_consent_has_its_own_answer(self):
        states = {0: '"access":"calendars"', 1: "a profile", 2: "is denied", 4: "only adding is allowed"}
        with self.serve() as server:
            for status, words in states.items():
                self.consent(consent={"events": status}, answer=True)
                answer = self.week(server, "2026-03-23", limit=1)
                self.assertEqual(answer["source"], "Apple events")
                self.assertIn(words, answer["note"])
            # The server opened no dialog, although the answer would have been yes.
            self.assertFalse((self.world / "state/consent.eventkit.json").exists())

    def access(self, *more):
        command = [BIN, "access", *more, "--json", "--world", str(self.world)]
        return subprocess.run(command, env=self.home.environment, capture_output=True, text=True, timeout=PATIENCE)

    def test_only_the_command_asks(self):
        answered = self.world / "state/consent.eventkit.json"
        self.addCleanup(answered.unlink, missing_ok=True)
        for answer, status, words in ((False, 1, "is denied"), (True, 0, "EventKit answers")):
            self.consent(answer=answer)
            shown = self.access()
            self.assertEqual(shown.returncode, 0, shown.stderr)
            states = {each["subject"]: each["state"] for each in json.loads(shown.stdout)}
            self.assertEqual(sorted(states), ["calendars", "reminders"])
            self.assertIn("was not asked", states["calendars"])
            doctor = subprocess.run(
                [BIN, "doctor", "--world", str(self.world)], env=self.home.environment, capture_output=True, text=True
            )
            self.assertIn("calendars: macOS was not asked", doctor.stdout)
            self.assertFalse(answered.exists())
            asked = self.access("calendars")
            self.assertEqual(asked.returncode, status, asked.stderr)
            self.assertIn(words, json.loads(asked.stdout)["state"])
            self.assertEqual(json.loads(asked.stdout)["full"], answer)
            # The server asks a person only once, and the answer stays.
            self.consent(answer=not answer)
            self.assertEqual(self.access("calendars").stdout, asked.stdout)
            answered.unlink()
        self.assertEqual(self.access("photos").returncode, 2)
        built_in = subprocess.run([BIN, "access", "--simulated", "--cache", str(self.world / "cache")], capture_output=True, text=True, check=False)
        self.assertEqual(built_in.returncode, 0, built_in.stderr)

    def test_consent_that_is_taken_away_is_noticed(self):
        self.consent(**FULL)
        with self.serve() as server:
            self.assertEqual(self.week(server, "2026-03-23")["source"], "EventKit")
            self.consent(**DENIED)
            answer = self.week(server, "2026-03-23")
            self.assertEqual(answer["source"], "Apple events")
            self.assertEqual(self.rows(answer), self.expected("2026-03-23", Series.by_rule))
            self.consent(**FULL)
            self.assertEqual(self.week(server, "2026-03-23")["source"], "EventKit")

    def test_an_index_that_differs_is_switched_off(self):
        self.consent(**FULL, shifted={uid: 3600 for uid, *_ in self.plain})
        with self.serve() as server:
            answer = self.week(server, "2026-03-23")
            self.assertEqual(answer["source"], "Apple events")
            self.assertIn("another date in the app", answer["note"])
            self.assertEqual(self.rows(answer), self.expected("2026-03-23", Series.by_rule))

    def test_a_calendar_that_the_index_lacks_is_read_from_the_app(self):
        self.consent(**FULL, missing=["Team"])
        with self.serve() as server:
            answer = self.week(server, "2026-03-23", elements='every event of calendar "Team"')
            self.assertEqual(answer["source"], "Apple events")
            self.assertIn("does not have this container", answer["note"])
            self.assertGreater(answer["totalCount"], 0)
            answer = self.week(server, "2026-03-23", elements='every event of calendar "Choir"')
            self.assertEqual(answer["source"], "EventKit")

    def test_no_change_goes_through_the_reference_of_one_date(self):
        for settings in (FULL, DENIED):
            self.consent(**settings)
            with self.serve() as server:
                rows = self.week(server, "2026-03-23")["elements"]
                of_uid = {}
                for row in rows:
                    if "occurrence" in row:
                        of_uid.setdefault(row["properties"]["uid"], []).append(row)
                several = next(rows for rows in of_uid.values() if len(rows) > 1)
                self.assertEqual(len({row["id"] for row in several}), len(several))
                one = several[1]
                change = {"property": "location", "value": "Room 2"}
                refused = server.call("iac_mcp_set_property", reference=one["id"], **change)
                self.assertEqual((refused["error"], refused["occurrence"]), ("invalid_parameter", one["occurrence"]))
                read = server.call("iac_mcp_get_properties", reference=one["id"], properties=["uid", "start date"])
                self.assertEqual(read["properties"]["uid"], one["properties"]["uid"])
                self.assertEqual(read["occurrence"], one["occurrence"])
                # The series may be changed if a person agrees, but here the server can ask no one.
                asked = server.call("iac_mcp_set_property", reference=refused["series"], **change)
                self.assertEqual(asked["error"], "permission_required")
                plain = next(row for row in rows if "occurrence" not in row)
                asked = server.call("iac_mcp_set_property", reference=plain["id"], **change)
                self.assertEqual(asked["error"], "permission_required")

    def test_a_write_is_seen_by_the_next_question(self):
        self.consent(**FULL)
        with self.serve() as server:
            before = self.week(server, "2026-03-23", limit=1)["totalCount"]
            script = (
                "const c = Application('Calendar'); c.calendars.byName('Home').events.push(c.Event({summary: 'New',"
                " startDate: new Date(2026, 2, 24, 9), endDate: new Date(2026, 2, 24, 10)}))"
            )
            environment = self.home.environment | {"IAC_MCP_WORLD": str(self.world)}
            command = [BIN, "osascript", "-l", "JavaScript", "-e", script]
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.week(server, "2026-03-23", limit=1)["totalCount"], before + 1)
        subprocess.run([BIN, "sim", "reset", str(self.world)], check=True, env=self.home.environment, stdout=subprocess.DEVNULL)


class Moved(unittest.TestCase):
    """Calendar saves after each date and refuses an event that ends before it starts, so the order of the writes matters."""

    def setUp(self):
        self.home = self.enterContext(Home())
        self.home.policy('profile = "trusted"\n')
        self.server = self.enterContext(Server(self.home))
        make = {"class": "event", "at": 'calendar "Home"', "properties": {"summary": "Tea", **self.times(2, 13, 14)}}
        made = self.server.call("iac_mcp_create", app="Calendar", **make)
        self.assertTrue(made.get("success"), made)
        self.event = made["objects"][0]["reference"]

    @staticmethod
    def times(day, start, end):
        return {"start date": f"2026-02-{day:02}T{start:02}:30:00", "end date": f"2026-02-{day:02}T{end:02}:30:00"}

    def now(self):
        read = self.server.call("iac_mcp_get_properties", reference=self.event, properties=["start date", "end date"])
        return {term: date[:19] for term, date in read["properties"].items()}

    def set(self, **change):
        return self.server.call("iac_mcp_set_property", reference=self.event, **change)

    def test_an_event_is_moved_by_its_two_dates(self):
        first = self.times(2, 13, 14)
        moves = [
            (self.times(2, 17, 18), self.times(2, 17, 18)),
            (self.times(1, 8, 9), self.times(1, 8, 9)),
            (self.times(2, 14, 15), self.times(2, 14, 15)),
            ({"start date": "start date + 1 day", "end date": "end date + 1 day"}, self.times(3, 13, 14)),
            ({"start date": "start date - 1 week", "end date": "end date - 1 week"}, {"start date": "2026-01-26T13:30:00", "end date": "2026-01-26T14:30:00"}),
        ]  # fmt: skip
        for properties, expected in moves:
            for given in (properties, dict(reversed(properties.items()))):
                with self.subTest(given=given):
                    answer = self.set(properties=given)
                    self.assertTrue(answer.get("success"), answer)
                    self.assertEqual(self.now(), expected)
                    back = self.server.call("iac_mcp_undo", undo=answer["undo"])
                    self.assertTrue(back.get("success"), back)
                    self.assertEqual(self.now(), first)

    def test_a_date_that_would_pass_the_other_one_is_refused_before_the_write(self):
        changes = [
            ({"property": "start date", "value": "2026-02-02T17:00:00"}, "end date"),
            ({"property": "start date", "value": "start date + 1 day"}, "end date"),
            ({"property": "end date", "value": "2026-02-02T12:00:00"}, "start date"),
        ]
        for change, other in changes:
            with self.subTest(**change):
                refused = self.set(**change)
                self.assertEqual((refused.get("error"), refused.get("property")), ("invalid_parameter", other), refused)
                self.assertIn(f"give a new `{other}` too", refused["suggestion"])
                self.assertEqual(self.now(), self.times(2, 13, 14))
        answer = self.set(property="start date", value="2026-02-02T14:00:00")
        self.assertTrue(answer.get("success"), answer)

    def hours(self, start, end):
        """Both dates, or only one of them."""
        given = {"start date": start, "end date": end}
        return {term: date for term, date in self.times(2, start or 0, end or 0).items() if given[term] is not None}

    def test_changes_of_both_dates_are_taken_back_together(self):
        for changes in (
            [(None, 18), (17, None)],
            [(8, 9), (None, 10), (7, None)],
            [(13, 20), (19, None), (None, 23)],
            [(17, 18), (16, None), (None, 19), (9, 10)],
        ):
            with self.subTest(changes=changes):
                undos = [self.set(properties=self.hours(*change))["undo"] for change in changes]
                back = self.server.call("iac_mcp_undo", undo=undos)
                self.assertTrue(back.get("success"), back)
                self.assertEqual(self.now(), self.times(2, 13, 14))

    def test_an_undo_of_one_date_is_refused_before_the_question(self):
        undos = [self.set(properties=self.hours(*change))["undo"] for change in ((None, 18), (17, None))]
        refused = self.server.call("iac_mcp_undo", undo=undos[0])
        self.assertEqual((refused.get("error"), refused.get("property")), ("invalid_parameter", "start date"), refused)
        self.assertIn("take back the later change of its other date too", refused["suggestion"])
        self.assertEqual(self.now(), self.times(2, 17, 18))
        self.assertTrue(self.server.call("iac_mcp_undo", undo=undos).get("success"))
        self.assertEqual(self.now(), self.times(2, 13, 14))


if __name__ == "__main__":
    unittest.main()
