"""The omnifocus tools through the official Python SDK: the questions to the human, and the contents of OmniFocus
afterwards."""

import json
import re
import shlex
import sys
import unittest

from desk import MODES, Desk, Human
from support import MODERN, ROOT

sys.path.append(str(ROOT / "tests/plugins"))
from installed import install  # noqa: E402

EVIL = '"); deleteAll("'
SAYS = "In the plugin's words:"


def to(acts, back=False):
    """The host's sentence about the acts of a call."""
    return f'{"Take back an earlier change. " if back else ""}The plugin "omnifocus" wants to {acts} in OmniFocus'


def create(name, target="task", **data):
    return {"operation": "create", "target": target, "data": {"name": name, **data}}


def delete(ident, target="task"):
    return {"operation": "delete", "target": target, "id": ident}


class OmniFocus(Desk):
    def setUp(self):
        super().setUp()
        install(self.home.state, self.home.cache)

    async def write(self, client, mutation):
        answer = await self.call(client, "omnifocus_write", mutation=mutation)
        self.assertIs(answer["success"], True, answer)
        return answer["data"]

    async def batch(self, client, *operations):
        return await self.write(client, {"operation": "batch", "operations": operations})

    async def no(self, client, mutation):
        return await self.refused(client, "omnifocus_write", mutation=mutation)

    async def read(self, client, **query):
        return await self.call(client, "omnifocus_read", query=query)

    async def count(self, client, **filters):
        return (await self.read(client, type="tasks", filters=filters, countOnly=True))["data"]["count"]

    async def tasks(self, client, limit=1, **filters):
        wanted = {"type": "tasks", "filters": filters, "limit": limit, "details": True}
        return (await self.read(client, **wanted))["data"]["tasks"]

    def asked(self, human, head, *lines, level="MODIFY"):
        """The last question has the host's sentence, and the lines are marked as the plugin's words."""
        shown = human.asked[-1].message.splitlines()
        self.assertTrue(shown[0].startswith(head), shown)
        self.assertEqual(shown[1:-1], [SAYS, *(f'- "{line}"' for line in lines)])
        self.assertTrue(shown[-1].startswith(f"{level} · "), shown)

    def choices(self, human):
        return json.dumps(human.asked[-1].requested_schema)

    async def test_a_task_is_made_altered_done_and_deleted_with_a_yes_for_each(self):
        quoted = "“'); deleteAll('”"
        for mode in MODES:
            with self.subTest(mode):
                human = Human("once")
                async with self.client(mode, human) as client:
                    before = await self.count(client, name={"contains": "deleteAll"})
                    whole = await self.count(client, status="active")
                    made = await self.write(client, create(EVIL, project="Q1 budget", dueDate="2027-01-15"))
                    due = f"Fri {made['dueDate'][:16].replace('T', ' ')} {made['dueDate'][19:]}"
                    self.asked(human, to("create a task"), f"create task {quoted} in project “Q1 budget”: dueDate {due}")
                    self.assertEqual((made["name"], made["project"]), (EVIL, "Q1 budget"))
                    self.assertEqual(await self.count(client, name={"contains": "deleteAll"}), before + 1)
                    self.assertEqual(await self.count(client, status="active"), whole + 1)
                    moved = {"operation": "update", "id": made["id"], "changes": {"project": None, "flagged": True}}
                    altered = await self.write(client, moved)
                    line = f"update task {quoted} in “Q1 budget”: move to the inbox, flagged false -> true"
                    self.asked(human, to("edit and move a task"), line)
                    self.assertEqual((altered["flagged"], altered["inInbox"]), (True, True))
                    done = await self.write(client, {"operation": "complete", "target": "task", "id": made["id"]})
                    self.asked(human, to("complete a task"), f"complete task {quoted}")
                    self.assertEqual(done["status"], "completed")
                    gone = await self.write(client, delete(made["id"]))
                    self.asked(human, to("delete a task"), f"delete task {quoted}; it cannot be undone", level="DANGEROUS")
                    self.assertNotIn("always", self.choices(human))
                    self.assertEqual((gone["name"], gone["permanent"]), (EVIL, True))
                    error = await self.no(client, delete(made["id"]))
                    self.assertEqual(error["error"], "invalid_parameter")
                    self.assertIn("it may have been deleted", error["suggestion"])
                    self.assertEqual(await self.count(client, status="active"), whole)
                self.assertEqual(len(human.asked), 4, "what is not there is not asked about")
        self.cli("audit", "verify")
        entries = json.loads(self.cli("audit", "--json"))["entries"]
        done = [entry for entry in entries if entry["kind"] == "execution" and entry["call"].get("plugin") == "omnifocus"]
        self.assertGreaterEqual(len(done), 8)

    async def test_a_batch_is_one_question(self):
        for mode in MODES:
            with self.subTest(mode):
                human = Human("once")
                async with self.client(mode, human) as client:
                    done = await self.batch(
                        client,
                        create("Seat", parentTempId="t"),
                        create("Tickets", parentTempId="p", tempId="t"),
                        create(f"Trip, {mode}", "project", tempId="p"),
                        {"operation": "update", "target": "task", "id": "t", "changes": {"flagged": True}},
                    )
                    self.assertEqual((done["summary"]["created"], done["summary"]["updated"]), (3, 1))
                    ids = done["tempIdMapping"]
                    [seat] = await self.tasks(client, parentTaskId=ids["t"])
                    self.assertEqual((seat["name"], seat["projectId"]), ("Seat", ids["p"]))
                self.assertEqual(len(human.asked), 1)
                self.asked(
                    human,
                    f"{to('create projects, and create and edit tasks')} (4 objects)",
                    f"create project “Trip, {mode}”",
                    f"create task “Tickets” in project “Trip, {mode}”",
                    "create task “Seat” in task “Tickets”",
                    "update task “Tickets”: flagged true",
                )

    async def test_a_change_is_taken_back_with_a_yes_for_what_that_does(self):
        for mode in MODES:
            with self.subTest(mode):
                human = Human("once")
                async with self.client(mode, human) as client:
                    changed = await self.call(client, "omnifocus_write", mutation=create("undo me", tags=["undone"]))
                    self.assertRegex(changed["undo"], "^undo_")
                    back = await self.call(client, "iac_mcp_undo", undo=changed["undo"])
                    lines = "delete tag “undone”, which 1 task has", "delete task “undo me”"
                    self.asked(human, f"{to('delete tags, and delete tasks', back=True)} (2 objects)", *lines, level="DANGEROUS")
                    self.assertIs(back["success"], True, back)
                    self.assertIn("undo me", back["changes"][0]["object"])
                    self.assertEqual(await self.count(client, name={"contains": "undo me"}), 0)
                    again = await self.refused(client, "iac_mcp_undo", undo=changed["undo"])
                    self.assertIn("undone already", again["message"])
        async with self.client(MODERN, Human("once")) as client:
            kept = (await self.call(client, "omnifocus_write", mutation=create("kept")))["undo"]
        listed = json.loads(self.cli("undo", "--json"))["undo"]
        self.assertEqual([entry["words"] for entry in listed if entry["id"] == kept], ["create task “kept” in the inbox"])

    async def test_one_change_of_many_items_is_shown_and_told_once(self):
        human = Human("once")
        async with self.client(MODERN, human) as client:
            ids = [task["id"] for task in await self.tasks(client, 30, status="active")]
            change = {"operation": "update", "ids": ids, "changes": {"estimatedMinutes": 7}, "minimalResponse": True}
            answer = await self.call(client, "omnifocus_write", mutation=change)
            self.assertEqual((answer["data"]["summary"]["updated"], answer["data"]["results"]), (30, []))
            head, says, line, *more, level = human.asked[-1].message.splitlines()
            self.assertEqual((head, says), (to("edit 30 tasks"), SAYS))
            self.assertTrue(line.startswith('- "update 30 tasks: estimatedMinutes '), line)
            self.assertTrue(all(line.startswith('- "and “') for line in more), more)
            self.assertTrue(level.startswith("MODIFY · "), level)
            back = await self.call(client, "iac_mcp_undo", undo=answer["undo"])
            self.assertLess(len(json.dumps(back)), 1500, back)
            self.assertRegex(back["changes"][0]["answer"]["data"]["undone"], "^30 tasks: .* and 27 more$")
            # The old values differ, so each is shown with the tasks that get it.
            head, says, first, *lines, level = human.asked[-1].message.splitlines()
            self.assertEqual((head, says), (to("edit 30 tasks", back=True), SAYS))
            self.assertRegex(first, r'^- "update 30 tasks: estimatedMinutes 7 -> \w+ \(“')
            self.assertTrue(all(line.startswith(('- "and ', '- "-> ')) for line in lines), lines)

    async def test_what_is_too_long_for_one_script_is_one_question(self):
        for mode in MODES:
            with self.subTest(mode):
                human = Human("once")
                note = '"ä"\n' * 600
                many = [create(f"part {at}, {mode}", note=note, parentTempId="0") for at in range(1, 40)]
                first = create(f"part 0, {mode}", note=note, tempId="0")
                async with self.client(mode, human) as client:
                    done = await self.batch(client, first, *many)
                    self.assertEqual((done["summary"]["created"], done["summary"]["errors"]), (40, 0))
                    self.assertEqual(await self.count(client, name={"matches": f"^part \\d+, {mode}$"}), 40)
                    self.assertEqual(await self.count(client, parentTaskId=done["tempIdMapping"]["0"]), 39)
                [asked] = human.asked
                head, _, line, rest = asked.message.splitlines()[:4]
                self.assertEqual(head, to("create 40 tasks"))
                self.assertIn(f"create task “part 0, {mode}” in the inbox", line)
                self.assertIn(f"create 39 tasks in task “part 0, {mode}”: note ", rest)
                async with self.client(mode, Human("deny")) as client:
                    error = await self.no(client, {"operation": "batch", "operations": [first, *many]})
                    self.assertEqual(error["error"], "permission_denied")
                    self.assertEqual(await self.count(client, name={"matches": f"^part \\d+, {mode}$"}), 40)
        executed = [entry for entry in json.loads(self.cli("audit", "--json"))["entries"] if entry["kind"] == "execution"]
        parts = [entry for entry in executed if entry["call"].get("plugin") == "omnifocus"]
        self.assertGreater(len(parts), 2 * len(MODES), "each run is written down")

    async def test_a_part_that_fails_ends_the_batch_and_says_what_is_done(self):
        # The steps need no lookup: the first run makes the first part, and the second run gets no answer in time.
        fault = {"app": "com.omnigroup.OmniFocus4", "event": "evaluate javascript", "occurrence": 2, "times": 1, "do": {"error": -1712}}
        (self.mac / "faults.json").write_text(json.dumps({"faults": [fault]}))
        human = Human("once")
        note = '"ä"\n' * 600
        async with self.client(MODES[0], human) as client:
            many = [create(f"half {at}", note=note) for at in range(40)]
            error = await self.no(client, {"operation": "batch", "operations": many})
            made = await self.tasks(client, limit=100, name={"contains": "half"})
        self.assertEqual(len(human.asked), 1)
        self.assertTrue(0 < len(made) < 40, len(made))
        self.assertIn(f"{len(made)} of 40 operations were done before", error["message"])
        self.assertEqual((error["retryable"], error["detail"]["outcome"]), (False, "unknown"))
        told = error["detail"]["done"]
        self.assertEqual(error["detail"]["unknown"] + error["detail"]["notRun"], list(range(len(made), 40)))
        self.assertEqual([one["index"] for one in told], list(range(len(made))))
        self.assertEqual({one["id"] for one in told}, {task["id"] for task in made})

    async def test_what_was_done_before_a_failed_part_is_the_last_change(self):
        # The first run is the older change, and the third one fails.
        fault = {"app": "com.omnigroup.OmniFocus4", "event": "evaluate javascript", "occurrence": 3, "times": 1, "do": {"error": -10000}}
        (self.mac / "faults.json").write_text(json.dumps({"faults": [fault]}))
        async with self.client(MODES[0], Human("once")) as client:
            await self.write(client, create("an older one"))
            many = [create(f"half {at}", note='"ä"\n' * 600) for at in range(40)]
            error = await self.no(client, {"operation": "batch", "operations": many})
            self.assertTrue(error["detail"]["done"], error)
            self.assertNotIn("outcome", error["detail"])
            last = await self.refused(client, "iac_mcp_undo", last=True)
            self.assertIn('omnifocus ran "omnifocus_write", which ended with an error', last["message"])

    async def test_what_is_not_there_is_refused_before_a_part_runs(self):
        human = Human("once")
        note = '"ä"\n' * 600
        many = [create(f"whole {at}", note=note) for at in range(39)]
        async with self.client(MODES[0], human) as client:
            gone = (await self.batch(client, create("gone")))["tempIdMapping"]["auto_1"]
            await self.write(client, delete(gone))
            error = await self.no(client, {"operation": "batch", "operations": [*many, delete(gone)]})
            self.assertIn("nothing was changed", error["message"])
            self.assertEqual(await self.count(client, name={"contains": "whole"}), 0)

    async def test_tags_are_resolved_before_anybody_is_asked(self):
        human = Human("once")
        async with self.client(MODES[0], human) as client:
            for mutation, part in [
                ({"action": "delete", "tagName": "Wurk"}, "no tag `Wurk`"),
                ({"action": "rename", "tagName": "Wurk", "newName": "x"}, "no tag `Wurk`"),
                ({"action": "rename", "tagName": "Work", "newName": "Home"}, "there is a tag `Home` already"),
                ({"action": "create", "tagName": "Work"}, "there is a tag `Work` already"),
                ({"action": "create", "tagName": "new", "parentTag": "Wurk"}, "no tag `Wurk`"),
                ({"action": "create", "tagName": "Grocery", "parentTag": "Errands"}, "there is a tag `Grocery` already"),
                ({"action": "nest", "tagName": "Errands", "parentTag": "Grocery"}, "or lies below it"),
                ({"action": "merge", "tagName": "Errands", "targetTag": "Grocery"}, "or lies below it"),
                ({"action": "unnest", "tagName": EVIL + "x"}, "no tag"),
                ({"action": "set_status", "tagName": "Wurk", "status": "dropped"}, "no tag `Wurk`"),
            ]:
                error = await self.no(client, {"operation": "tag_manage", **mutation})
                self.assertEqual(error["error"], "invalid_parameter", error)
                self.assertIn(part, error["message"])
            self.assertEqual(human.asked, [], "what cannot be done is not asked about")
            await self.write(client, {"operation": "tag_manage", "action": "delete", "tagName": "Errands"})
            self.asked(human, to("delete a tag"), "delete tag “Errands”, which 0 tasks have, with 2 tags below it; 56 more tasks have a tag below it; it cannot be undone", level="DANGEROUS")

    async def test_an_hour_of_one_act_is_no_hour_of_another(self):
        for mode in MODES:
            with self.subTest(mode):
                human = Human("hour", "hour", "deny")
                async with self.client(mode, human) as client:
                    made = [await self.write(client, create(f"{name}, {mode}")) for name in ("one", "two", "three")]
                    self.assertEqual(len(human.asked), 1)
                    for one in made[:2]:
                        await self.write(client, delete(one["id"]))
                    self.assertEqual(len(human.asked), 2)
                    self.asked(human, to("delete a task"), f"delete task “one, {mode}”; it cannot be undone", level="DANGEROUS")
                    [project] = (await self.read(client, type="projects", limit=1, fields=["id"]))["data"]["projects"]
                    error = await self.no(client, delete(project["id"], "project"))
                    self.assertEqual(error["error"], "permission_denied")
                    mixed = {"operation": "batch", "operations": [create("four"), delete(made[2]["id"]), delete(project["id"], "project")]}
                    await self.no(client, mixed)
                    self.assertEqual(len(human.asked), 4, "a batch is as dangerous as the worst of it")
                    dropped = {"operation": "update", "id": made[2]["id"], "changes": {"status": "dropped"}}
                    await self.no(client, dropped)
                    self.assertNotIn("always", self.choices(human))
                    self.assertEqual(await self.count(client, name={"matches": f"^(one|two|three), {mode}$|^four$"}), 1)
                self.cli("policy", "revoke", "--all")

    async def test_what_is_deleted_does_not_hide_behind_the_rest(self):
        human = Human("deny")
        async with self.client(MODERN, human) as client:
            many = await self.tasks(client, 60, status="active")
            hidden = many[-1]
            await self.no(client, {
                "operation": "batch",
                "operations": [*(create(f"new {at}") for at in range(8)), delete(hidden["id"])],
            })
            _, _, first, rest, *_ = human.asked[-1].message.splitlines()
            self.assertIn("delete task", first)
            self.assertIn(hidden["name"].replace('"', "'")[:20], first)
            self.assertIn("create 8 tasks in the inbox: “new 0”, “new 1”", rest)
            await self.no(client, {"operation": "bulk_delete", "target": "task", "ids": [task["id"] for task in many]})
            asked = human.asked[-1].message
            self.assertIn("wants to delete 60 tasks in", asked)
            self.assertEqual(re.findall(r"delete (\d+) tasks, which cannot be undone: ", asked), ["60"])
            self.assertGreaterEqual(asked.count("”, “") + asked.count("\n- \"and “"), 50, "each is named, in as many lines as it takes")
            self.assertNotIn(" more", asked)
            stats = {"type": "projects", "filters": {"name": {"matches": "^Q1 budget$"}}, "includeStats": True}
            [project] = (await self.read(client, **stats))["data"]["projects"]
            await self.no(client, delete(project["id"], "project"))
            self.assertIn(f" with {project['taskCounts']['total']} tasks in it", human.asked[-1].message)
            long = create("N" * 300, project="Q1 budget")
            await self.no(client, long)
            self.assertIn("N…” (300 characters) in project “Q1 budget”", human.asked[-1].message)

    async def test_without_a_yes_nothing_changes(self):
        for mode in MODES:
            with self.subTest(mode):
                async with self.client(mode, Human("deny")) as client:
                    [task] = await self.tasks(client, status="active")
                    before = await self.count(client)
                    for mutation in (
                        create("no", tags=["never made"]),
                        {"operation": "update", "id": task["id"], "changes": {"name": "no"}},
                        {"operation": "complete", "id": task["id"]},
                        delete(task["id"]),
                        {"operation": "tag_manage", "action": "create", "tagName": "never made"},
                    ):
                        error = await self.no(client, mutation)
                        self.assertEqual((error["error"], error["plugin"]), ("permission_denied", "omnifocus"), error)
                        self.assertIn("do not repeat it", error["suggestion"])
                    self.assertEqual(await self.count(client), before)
                    self.assertEqual(await self.tasks(client, status="active"), [task])
                    tags = (await self.read(client, type="tags", filters={"name": {"contains": "never made"}}))["data"]["tags"]
                    self.assertEqual(tags, [])

    async def test_nobody_to_ask_names_the_line_that_helps(self):
        for mode in MODES:
            with self.subTest(mode):
                rules = []
                async with self.client(mode) as client:
                    wanted = create(f"asked of nobody, {mode}")
                    for level in ("MODIFY", "DANGEROUS"):
                        error = await self.no(client, wanted)
                        self.assertEqual((error["error"], error["requiresPrompt"]), ("permission_required", True))
                        self.assertEqual(error["level"], level)
                        self.assertRegex(error["suggestion"], "`iac-mcp .*--state .*policy allow ")
                        rules.append(error["policyLine"])
                        advised = shlex.split(re.search("`iac-mcp (.*)`", error["suggestion"].split(" or by ")[0])[1])
                        self.assertIn("allow: ", self.run_cli(*advised, status=0))
                        (self.home.state / "policy.toml").write_text(f"rules = [{', '.join(rules)}]\n")
                        made = await self.write(client, wanted)
                        wanted = delete(made["id"])
                    self.assertEqual(made["name"], f"asked of nobody, {mode}")
                (self.home.state / "policy.toml").unlink()

    async def test_what_the_wish_asks_is_answered_as_written(self):
        for mode in MODES:
            with self.subTest(mode):
                human = Human("once")
                async with self.client(mode, human) as client:
                    goals = {
                        "name": "Review quarterly goals", "project": "Planning", "tags": ["work", "review"],
                        "dueDate": "2025-01-15 17:00", "deferDate": "2025-01-10 08:00", "estimatedMinutes": 60,
                    }
                    made = await self.write(client, {"operation": "create", "target": "task", "data": goals})
                    self.assertEqual((made["project"], made["tags"], made["estimatedMinutes"]), ("Planning", ["Work", "review"], 60))
                    changes = {"project": None, "flagged": True, "addTags": ["urgent"]}
                    moved = await self.write(client, {"operation": "update", "target": "task", "id": made["id"], "changes": changes})
                    self.assertEqual((moved["inInbox"], moved["flagged"], moved["tags"]), (True, True, ["Work", "review", "urgent"]))
                    both = await self.batch(client, create("Task 1", tags=["work"]), create("Task 2", tags=["work"]))
                    self.assertEqual(both["summary"]["created"], 2)
                    docs = create("Review docs", tags=["work", "review"], dueDate="2025-01-15")
                    self.assertRegex((await self.write(client, docs))["dueDate"], "^2025-01-15T17:00:00")
                    self.assertEqual(len(human.asked), 4)
                    await self.reads_of_the_wish(client)
                    self.assertEqual(len(human.asked), 4, "what only reads is not asked about")
                    await self.notes_of_the_wish(client, mode)
                    self.assertEqual(len(human.asked), 6, "one for the project, one for all that was proposed")

    async def reads_of_the_wish(self, client):
        inbox = await self.read(client, type="tasks", filters={"project": None, "status": "active"}, limit=25)
        self.assertIn("Review quarterly goals", [task["name"] for task in inbox["data"]["tasks"]])
        near = {"dueDate": {"before": "now+3days"}, "status": "active"}
        either = {"OR": [near, {"flagged": True}], "tags": {"any": ["work", "urgent"]}}
        fields, sort = ["id", "name", "dueDate", "tags"], [{"field": "dueDate", "order": "asc"}]
        found = await self.read(client, type="tasks", filters=either, fields=fields, sort=sort, limit=10)
        self.assertIn("Review quarterly goals", [task["name"] for task in found["data"]["tasks"]])
        for filters in ({}, {"filters": {"tags": {"any": ["work"]}}}):
            best = await self.read(client, type="tasks", mode="smart_suggest", limit=10, **filters)
            self.assertTrue(all(task["screen_reasons"] for task in best["data"]["tasks"]), best)
        january = {"dateRange": {"start": "2025-01-01", "end": "2025-01-31"}}
        params = {"groupBy": "week", "metrics": ["completed", "created", "velocity"]}
        stats = await self.call(client, "omnifocus_analyze", analysis={"type": "productivity_stats", "scope": january, "params": params})
        self.assertIs(stats["success"], True)
        self.assertEqual(stats["data"]["period"]["groupBy"], "week")

    async def notes_of_the_wish(self, client, mode):
        """`parse_meeting_notes` proposes a batch that `omnifocus_write` accepts unchanged, once its project exists."""
        text = "Action items:\n- Follow up with Sarah about Q1 goals\n- Review budget proposal by Friday\n- Schedule team sync for next week"
        project = "Meetings" if mode == MODES[0] else f"Meetings, {mode}"
        params = {"text": text, "extractTasks": True, "defaultProject": project, "defaultTags": ["action-item"]}
        await self.write(client, create(project, "project"))
        notes = await self.call(client, "omnifocus_analyze", analysis={"type": "parse_meeting_notes", "params": params})
        proposed = notes["data"]["batchPayload"]
        done = (await self.call(client, "omnifocus_write", **proposed))["data"]
        self.assertEqual(done["summary"]["created"], 3)

    async def test_a_mistake_is_told_before_anybody_is_asked(self):
        human = Human("once")
        said = [
            (create("x", project="Planing"), "no project `Planing`", "did you mean `Planning`?"),
            (create("x", dueDate="tomorow"), "expected now, today, tomorrow", None),
            ({"operation": "create", "target": "task", "data": {}}, "`mutation.data.name` is missing", None),
            ({"operation": "erase", "id": "x"}, "expected one of create, update, complete, skip, duplicate, convert, delete", None),
            ({"operation": "delete", "target": "task", "id": "nobody"}, "no task has the id `nobody`", "query tasks"),
        ]
        async with self.client(MODERN, human) as client:
            for mutation, message, suggestion in said:
                error = await self.no(client, mutation)
                self.assertEqual(error["error"], "invalid_parameter")
                self.assertIn(message, error["message"])
                self.assertIn(suggestion or "", error.get("suggestion", ""))
        self.assertEqual(human.asked, [])


if __name__ == "__main__":
    unittest.main()
