"""The calendar-load plugin, built, installed and asked about the simulated Mac's Calendar."""

import datetime
import json
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from workshop import BIN, ROOT, environment

DAYS = 14


class CalendarLoad(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="iac-mcp-calendar-load-")
        cls.addClassCleanup(folder.cleanup)
        folder = Path(folder.name)
        cls.environment = environment(folder)
        source = ROOT / "plugins/calendar-load"
        cls.run_in(source, BIN, "plugin", "build")
        package = shutil.move(source / "calendar-load.wasm", folder / "calendar-load.wasm")
        cls.checked = cls.run_in(folder, BIN, "plugin", "check", package)
        cls.run_in(folder, BIN, "plugin", "add", package, "--yes")

    @classmethod
    def run_in(cls, folder, *command, status=0):
        ended = subprocess.run(command, cwd=folder, env=cls.environment, capture_output=True, text=True)
        assert ended.returncode == status, f"{command}: {ended.stdout}{ended.stderr}"
        return ended.stdout

    def call(self, tool, arguments, status=0):
        words = [BIN, "call", tool, json.dumps(arguments), "--simulated", "--json"]
        return json.loads(self.run_in(ROOT, *words, status=status))

    def single_events(self, calendar, first):
        """Single events on the requested days, as the server's own tool lists them."""
        last = first + datetime.timedelta(days=DAYS)
        where = [
            {"property": "start date", "op": ">=", "value": first.isoformat()},
            {"property": "end date", "op": "<=", "value": last.isoformat()},
            {"property": "recurrence", "op": "==", "value": None},
            {"property": "allday event", "op": "==", "value": False},
            {"property": "status", "op": "!=", "value": "cancelled"},
        ]
        container = {"type": "named", "element": "calendar", "name": calendar, "container": "application"}
        arguments = {"app": "com.apple.iCal", "container": container, "elementType": "event", "where": {"and": where}}
        properties = ["start date", "end date"]
        answer = self.call("iac_mcp_get_elements", arguments | {"properties": properties, "limit": 500})
        return [[element["properties"][name][:16] for name in properties] for element in answer["elements"]]

    def test_it_can_only_read(self):
        self.assertIn("cannot change anything", self.checked)

    def test_free_slots_are_beside_all_events(self):
        today = datetime.date.today()
        answer = self.call("calendar_load", {"from": today.isoformat(), "days": DAYS, "minutes": 1})
        self.assertEqual((answer["complete"], answer["reasons"], len(answer["days"])), (True, [], DAYS))
        events = [event for name in answer["calendars"] for event in self.single_events(name, today)]
        self.assertTrue(events, answer)
        slots = [slot for day in answer["days"] for slot in day["free"]]
        for slot in slots:
            crossed = [event for event in events if event[0] < slot["end"] and event[1] > slot["start"]]
            self.assertEqual(crossed, [], slot)
        for day in answer["days"]:
            self.assertAlmostEqual(day["busyWorkingHours"] + day["freeHours"], day["workingHours"], delta=0.02)
            # The stand-up of every working day is a series that began weeks before.
            stand_up = [slot for slot in day["free"] if slot["start"][11:] < "09:30" and slot["end"][11:] > "09:15"]
            self.assertEqual(stand_up, [], day)

    def test_arguments_are_strict(self):
        refused = self.call("calendar_load", {"day": 1}, status=1)
        self.assertEqual((refused["error"], refused["plugin"]), ("invalid_parameter", "calendar-load"))


if __name__ == "__main__":
    unittest.main()
