"""Compares omnifocus_read with an independent evaluator: random stores in three time zones, random queries.

The evaluator reads the raw data of the simulated Mac. It implements docs/omnifocus.md by itself: which items are due,
flagged or completed through a group or project, what dates mean, and what a query means. IAC_MCP_QUERIES says how many
queries each zone gets.
"""

import datetime
import json
import os
import random
import re
import sys
import time
import unicodedata
import unittest
from zoneinfo import ZoneInfo

from desk import Desk
from support import MODERN, ROOT

sys.path.append(str(ROOT / "tests/plugins"))
from installed import install  # noqa: E402

ZONES = ["America/New_York", "Pacific/Auckland", "Asia/Kolkata"]
QUERIES = int(os.environ.get("IAC_MCP_QUERIES", "30"))
DAY = datetime.timedelta(days=1)
EFFECTIVE = {"effectiveDueDate": "dueDate", "effectiveDeferDate": "deferDate", "effectivePlannedDate": "plannedDate"}
RAW = {"dueDate": "due date", "deferDate": "defer date", "plannedDate": "planned date", "completionDate": "completion date", "added": "creation date"}
DATES = [*EFFECTIVE, "dueDate", "deferDate", "plannedDate", "added"]
WORDS = ["a", "call", "the", "roof", "e", "Send", "ü", "budget"]


def folded(text):
    """Without case, and with one form for letters that Unicode can write in two ways."""
    return unicodedata.normalize("NFC", text).lower()


class Store:
    """The raw data, changed at random; dates are local times of a zone."""

    def __init__(self, path, zone, seed):
        self.zone, self.random = ZoneInfo(zone), random.Random(seed)
        data = json.loads(path.read_text())
        data["shift"] = "none"
        document = data["application"]["elements"]["document"][0]["elements"]
        self.tags = {}
        self.name_tags(document["tag"])
        self.tasks = []
        for task in document["inbox task"]:
            self.task(task, None, None, [], True)
        self.sections(document["section"], False)
        path.write_text(json.dumps(data))

    def name_tags(self, tags):
        for tag in tags:
            self.tags[tag["key"]] = tag["name"]
            self.name_tags(tag.get("elements", {}).get("tag", []))

    def sections(self, sections, dropped):
        for section in sections:
            inner = section.get("elements", {})
            if section["class"] == "folder":
                self.sections(inner.get("section", []), dropped or section.get("hidden") is True)
                continue
            root = inner["task"][0]
            self.alter(root, root=True)
            state = {"done status": "completed", "dropped status": "dropped"}.get(section["status"])
            project = {"name": root["name"], "state": state if state == "completed" or not dropped else "dropped"}
            for task in root.get("elements", {}).get("task", []):
                self.task(task, project, None, [root], False)

    def alter(self, raw, root=False):
        chance = self.random.random
        for key in ("due date", "defer date", "planned date"):
            if chance() < (0.15 if root else 0.3):
                raw[key] = self.some_date(70)
            elif chance() < 0.5:
                raw[key] = None
        if chance() < 0.3:
            raw["flagged"] = chance() < (0.1 if root else 0.4)
        if not root and chance() < 0.2 and "repetition rule" not in raw:
            kind = self.random.choice(["completion date", "dropped date", None])
            if kind:
                raw["completion date"], raw["dropped date"] = None, None
                raw[kind] = self.some_date(70, past=True)
        if not root and chance() < 0.3:
            raw["estimated minutes"] = self.random.choice([None, 0, 5, 15, 30, 60])

    def some_date(self, days, past=False):
        """Chooses a date far from clock changes, and never at the second of a query."""
        day = datetime.datetime.now(self.zone).date() + DAY * self.random.randint(-days, -1 if past else days)
        return f"{day}T{self.random.randint(6, 22):02}:{self.random.randint(0, 59):02}:30"

    def task(self, raw, project, parent, above, inbox):
        self.alter(raw)
        line = [raw, *above]
        task = {
            "id": raw["id"], "name": raw["name"], "note": raw.get("note", ""), "flagged": raw.get("flagged", False), "inInbox": inbox,
            "sequential": raw.get("sequential", False), "isRepeating": "repetition rule" in raw, "hasNote": raw.get("note", "") != "",
            "estimatedMinutes": raw.get("estimated minutes"), "tags": {self.tags[tag["ref"]] for tag in raw[".tag"]},
            "project": project and project["name"], "parentTaskId": parent,
            "effectiveFlagged": any(each.get("flagged") for each in line),
        }  # fmt: skip
        for field, key in RAW.items():
            task[field] = self.instant(raw.get(key))
        for field, own in EFFECTIVE.items():
            held = [each for each in (self.instant(each.get(RAW[own])) for each in line) if each is not None]
            # The task's own or nearest planned date counts, but the earliest due date and the latest defer date.
            choose = {"dueDate": min, "deferDate": max, "plannedDate": lambda all: all[0]}[own]
            task[field] = choose(held) if held else None
        done = any(each.get("completion date") for each in line) or (project and project["state"] == "completed")
        gone = any(each.get("dropped date") for each in line) or (project and project["state"] == "dropped")
        # A completed task stays completed, even if its project is dropped later.
        task["status"] = "completed" if done else "dropped" if gone else "active"
        self.tasks.append(task)
        for child in raw.get("elements", {}).get("task", []):
            self.task(child, project, raw["id"], line, False)

    def instant(self, text):
        return None if text is None else datetime.datetime.fromisoformat(text).replace(tzinfo=self.zone).timestamp()


class Query:
    """A random query, and its expected result."""

    def __init__(self, store, now):
        self.store, self.now, self.random = store, now, store.random
        self.today = datetime.datetime.fromtimestamp(now, store.zone).date()
        depth = self.random.choice([0, 1, 1, 2])
        self.filters = self.tree(depth)
        if self.random.random() < 0.3:
            self.filters["status"] = self.random.choice(["active", "completed", "dropped"])
        self.sort = self.random.sample([*DATES, "name", "estimatedMinutes"], self.random.randint(0, 2))
        self.orders = [self.random.choice(["asc", "desc"]) for _ in self.sort]
        self.offset, self.limit = self.random.choice([0, 0, 3]), self.random.choice([5, 25, 500])

    def asked(self):
        query = {"type": "tasks", "filters": self.filters, "offset": self.offset, "limit": self.limit, "summary": False}
        fields = ["id", "name", "effectiveDueDate", "effectiveDeferDate", "effectivePlannedDate", "effectiveFlagged", "status"]
        return query | {"fields": fields, "sort": [{"field": field, "order": order} for field, order in zip(self.sort, self.orders)]}

    def tree(self, depth):
        filters = {}
        for _ in range(self.random.randint(1, 2)):
            filters |= self.leaf()
        if depth:
            key = self.random.choice(["AND", "OR", "OR", "NOT"])
            filters[key] = self.tree(depth - 1) if key == "NOT" else [self.tree(depth - 1) for _ in range(self.random.randint(1, 3))]
        return filters

    def leaf(self):
        pick = self.random.choice
        kind = pick(["flag", "date", "date", "date", "minutes", "text", "tags", "place"])
        if kind == "flag":
            return {pick(["flagged", "effectiveFlagged", "inInbox", "hasNote", "sequential", "isRepeating"]): pick([True, False])}
        if kind == "date":
            ends = sorted([self.date(), self.date()], key=lambda end: self.span(end)[0])
            form = pick([*({how: ends[0]} for how in ["before", "after", "onOrBefore", "onOrAfter"]), {"between": ends}, {"exists": pick([True, False])}])
            return {pick(DATES): form}
        if kind == "minutes":
            return {"estimatedMinutes": pick([{"equals": 15}, {"lessThan": 30}, {"greaterThan": 5}, {"between": [5, 30]}, {"exists": False}])}
        if kind == "text":
            return {pick(["name", "text"]): {pick(["contains", "matches"]): pick(WORDS)}}
        if kind == "tags":
            names = self.random.sample(sorted({"Work", "Home", "Phone", "Computer"} & set(self.store.tags.values())), 2)
            return {"tags": {pick(["any", "all", "none"]): names}}
        task = pick(self.store.tasks)
        names = [each["name"] for each in [task] if each["parentTaskId"]]
        return {"parentTaskId": task["parentTaskId"]} if names else {"project": None}

    def date(self):
        day = self.random.randint(-60, 60)
        some = self.today + DAY * day
        forms = ["now", "today", f"now{day:+}d", f"today{day:+}d", f"now{day:+}h", str(some), f"{some} {self.random.randint(6, 22):02}:15"]
        return self.random.choice([*forms, f"{some}T12:00:00Z"])

    def span(self, text):
        """The first and the last instant of a date; the length of a day depends on the zone."""
        zone = self.store.zone
        found = re.fullmatch(r"(now|today)(?:([+-]\d+)([dh]))?", text)
        if found:
            word, count, unit = found[1], int(found[2] or 0), found[3]
            if word == "now" and unit == "h":
                return [self.now + 3600 * count] * 2
            if word == "now":
                # The same local time, this many days later.
                at = datetime.datetime.fromtimestamp(self.now, zone).replace(tzinfo=None) + DAY * count
                return [at.replace(tzinfo=zone).timestamp()] * 2
            return self.day(self.today + DAY * count)
        if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            return self.day(datetime.date.fromisoformat(text))
        at = datetime.datetime.fromisoformat(text)
        return [(at if at.tzinfo else at.replace(tzinfo=zone)).timestamp()] * 2

    def day(self, day):
        start, end = (datetime.datetime.combine(each, datetime.time(), self.store.zone).timestamp() for each in (day, day + DAY))
        return [start, end - 0.001]

    def holds(self, filters, task):
        return all(self.condition(key, value, task) for key, value in filters.items())

    def condition(self, key, value, task):
        if key == "AND":
            return all(self.holds(each, task) for each in value)
        if key == "OR":
            return any(self.holds(each, task) for each in value)
        if key == "NOT":
            return not self.holds(value, task)
        if key == "project":
            return task["inInbox"]
        if key in ("name", "text"):
            texts = [task["name"]] + ([task["note"]] if key == "text" else [])
            return any(folded(value.get("contains", value.get("matches"))) in folded(text) for text in texts)
        if key == "tags":
            [(how, names)] = value.items()
            has = [name in task["tags"] for name in names]
            return {"any": any(has), "all": all(has), "none": not any(has)}[how]
        if "exists" in (value if isinstance(value, dict) else {}):
            return (task[key] is not None) == value["exists"]
        if key == "estimatedMinutes":
            minutes = task[key]
            if minutes is None:
                return False
            [(how, than)] = value.items()
            if how == "between":
                return than[0] <= minutes <= than[1]
            return {"equals": minutes == than, "lessThan": minutes < than, "greaterThan": minutes > than}[how]
        if key in DATES:
            if task[key] is None:
                return False
            [(how, dates)] = value.items()
            ends = dates if how == "between" else [dates, dates]
            first, last = self.span(ends[0])[0], self.span(ends[1])[1]
            return {
                "before": task[key] < first, "onOrBefore": task[key] <= last, "after": task[key] > last,
                "onOrAfter": task[key] >= first, "between": first <= task[key] <= last,
            }[how]  # fmt: skip
        return task[key] == value

    def given(self):
        filters = self.filters if "status" in self.filters else self.filters | {"status": "active"}
        found = [task for task in self.store.tasks if self.holds(filters, task)]
        for field, order in reversed(list(zip(self.sort, self.orders))):
            has = [task for task in found if task[field] is not None]
            # Items with equal keys keep their order, even in descending order.
            has.sort(key=lambda task: folded(task[field]) if field == "name" else task[field], reverse=order == "desc")
            found = has + [task for task in found if task[field] is None]
        return found


class Truth(Desk):
    async def agree(self, zone, seed):
        self.home.environment["TZ"] = zone
        self.mac = self.home.path / zone.replace("/", "-")
        self.run_cli("sim", "new", str(self.mac), "--tasks", "300", "--seed", str(seed))
        store = Store(self.mac / "data/com.omnigroup.OmniFocus4.json", zone, seed)
        agreed = refused = rows = 0
        async with self.client(MODERN) as client:
            for _ in range(QUERIES):
                query = Query(store, time.time())
                answer = await client.call_tool("omnifocus_read", {"query": query.asked()})
                said, given = answer.structured_content, query.given()
                what = json.dumps({"zone": zone, "seed": seed, **query.asked()}, ensure_ascii=False)
                if answer.is_error:
                    self.assertIn("contradict", said["message"], what)
                    self.assertEqual([task["id"] for task in given], [], what)
                    refused += 1
                    continue
                self.assertEqual(said["metadata"]["total_count"], len(given), what)
                wanted = given[query.offset : query.offset + query.limit]
                self.assertEqual([row["id"] for row in said["data"]["tasks"]], [task["id"] for task in wanted], what)
                for row, task in zip(said["data"]["tasks"], wanted):
                    for field in EFFECTIVE:
                        at = row[field] and datetime.datetime.fromisoformat(row[field]).timestamp()
                        self.assertEqual(at, task[field], f"{field} of {task['name']}: {what}")
                    self.assertEqual((row["effectiveFlagged"], row["status"]), (task["effectiveFlagged"], task["status"]), what)
                agreed += 1
                rows += len(wanted)
        self.assertGreater(rows, QUERIES, "most queries give something")
        print(f"\n{zone}: {agreed} agree with {rows} rows, {refused} contradict themselves and give nothing", file=sys.stderr)

    async def test_every_answer_is_what_the_raw_data_says(self):
        install(self.home.state, self.home.cache)
        for at, zone in enumerate(ZONES):
            with self.subTest(zone):
                await self.agree(zone, int(os.environ.get("IAC_MCP_SEED", "1")) + at)


if __name__ == "__main__":
    unittest.main()
