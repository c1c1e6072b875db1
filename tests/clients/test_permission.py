"""Changes that ask first, through the official Python SDK: the questions, the changes, and the audit log."""

import asyncio
import json
import unittest

from mcp_types import ElicitResult

from desk import MODES, Desk, Human, mailbox
from support import MODERN


class Permission(Desk):
    async def test_five_messages_in_one_call_are_one_question(self):
        for mode in MODES:
            with self.subTest(mode):
                human = Human("once")
                async with self.client(mode, human) as client:
                    messages = await self.unread(client)
                    done = await self.call(
                        client, "iac_mcp_set_property", reference=messages, property="read status", value=True
                    )
                    self.assertEqual(len(human.asked), 1)
                    self.assertIn("(5 objects)", human.asked[0].message)
                    # Parts that are the same for all of them appear once.
                    self.assertEqual([(change["verified"], change["reference"]) for change in done["changes"]], [(True, messages)])
                    self.assertEqual(await self.read_status(client, messages), [True] * 5)
        self.cli("audit", "verify")

    async def test_five_calls_for_an_hour_are_one_question(self):
        for mode in MODES:
            with self.subTest(mode):
                human = Human("hour")
                async with self.client(mode, human) as client:
                    for message in await self.unread(client):
                        await self.call(
                            client, "iac_mcp_set_property", reference=message, property="read status", value=True
                        )
                self.assertEqual(len(human.asked), 1)
                self.cli("policy", "revoke", "--all")

    async def test_without_a_yes_nothing_changes(self):
        nos = [
            "deny",
            "nonsense",
            ElicitResult(action="accept", content={}),
            ElicitResult(action="accept"),
            ElicitResult(action="decline"),
            ElicitResult(action="cancel"),
        ]
        for mode in MODES:
            for no in nos:
                with self.subTest(mode=mode, no=no):
                    async with self.client(mode, Human(no)) as client:
                        [message] = await self.unread(client, 1)
                        error = await self.refused(
                            client, "iac_mcp_set_property", reference=message, property="read status", value=True
                        )
                        self.assertEqual(error["error"], "permission_denied")
                        self.assertEqual(await self.read_status(client, [message]), [False])

    async def test_nobody_to_ask_names_the_line_that_helps(self):
        for mode in MODES:
            with self.subTest(mode):
                async with self.client(mode) as client:
                    [message] = await self.unread(client, 1)
                    wanted = {"reference": message, "property": "read status", "value": True}
                    error = await self.refused(client, "iac_mcp_set_property", **wanted)
                    self.assertEqual((error["error"], error["requiresPrompt"]), ("permission_required", True))
                    (self.home.state / "policy.toml").write_text(f"rules = [{error['policyLine']}]\n")
                    await self.call(client, "iac_mcp_set_property", **wanted)
                (self.home.state / "policy.toml").unlink()

    async def test_always_outlives_the_server_and_is_taken_back(self):
        for mode in MODES:
            with self.subTest(mode):
                human = Human("always")
                for _ in range(2):
                    async with self.client(mode, human) as client:
                        [message] = await self.unread(client, 1)
                        await self.call(
                            client, "iac_mcp_set_property", reference=message, property="read status", value=True
                        )
                self.assertEqual(len(human.asked), 1)
                [grant] = json.loads(self.cli("policy", "grants", "--json"))["grants"]
                self.assertEqual((grant["property"], grant["until"]), ("read status", None))
                self.cli("policy", "revoke", grant["id"])
                async with self.client(mode, human) as client:
                    [message] = await self.unread(client, 1)
                    await self.call(
                        client, "iac_mcp_set_property", reference=message, property="read status", value=True
                    )
                self.assertEqual(len(human.asked), 2)
                self.cli("policy", "revoke", "--all")

    async def test_a_write_is_taken_back(self):
        human = Human("once")
        async with self.client(MODERN, human) as client:
            [message] = await self.unread(client, 1)
            done = await self.call(
                client, "iac_mcp_set_property", reference=message, property="read status", value=True
            )
            await self.call(client, "iac_mcp_undo", undo=done["undo"])
            self.assertEqual(await self.read_status(client, [message]), [False])
        self.assertEqual(len(human.asked), 2)

    async def test_questions_at_once_do_not_mix(self):
        async def by_subject(_context, params):
            return ElicitResult(action="accept", content={"decision": "once" if '"read status"' in params.message else "deny"})

        for mode in MODES:
            with self.subTest(mode):
                async with self.client(mode, by_subject) as client:
                    first, second = await self.unread(client, 2)
                    wanted = [(first, "read status"), (second, "flagged status")]
                    results = await asyncio.gather(*(
                        client.call_tool(
                            "iac_mcp_set_property", {"reference": reference, "property": property, "value": True}
                        )
                        for reference, property in wanted
                    ))
                    self.assertEqual([result.is_error for result in results], [False, True])

    async def test_two_servers_lose_nothing(self):
        async def work(mode):
            async with self.client(mode, Human("hour")) as client:
                for message in await self.unread(client):
                    await self.call(
                        client, "iac_mcp_set_property", reference=message, property="read status", value=True
                    )

        await asyncio.gather(*(work(mode) for mode in MODES))
        self.cli("audit", "verify")
        entries = [json.loads(line) for line in self.cli("audit", "export").splitlines()]
        done = [entry for entry in entries if entry["kind"] == "execution" and entry["call"]["tool"] == "iac_mcp_set_property"]
        self.assertGreaterEqual(len(done), 10)

    async def test_a_changed_log_is_found_at_its_place(self):
        async with self.client(MODERN, Human("once")) as client:
            [message] = await self.unread(client, 1)
            await self.call(client, "iac_mcp_set_property", reference=message, property="read status", value=True)
        self.cli("audit", "verify")
        [log] = (self.home.state / "audit").glob("*.jsonl")
        whole = log.read_text()
        log.write_text(whole.replace('"allowed":true', '"allowed":false', 1))
        self.assertIn(".jsonl:", self.cli("audit", "verify", status=1))
        log.write_text("".join(line + "\n" for line in whole.splitlines()[:-1]))
        self.assertIn("cut off", self.cli("audit", "verify", status=1))
        log.write_text(whole)
        self.cli("audit", "verify")

    async def test_nothing_runs_on_a_policy_with_a_mistake(self):
        self.home.state.mkdir(exist_ok=True)
        (self.home.state / "policy.toml").write_text('profile = "trusted"\nrules = [{ decision = "alow" }]\n')
        async with self.client(MODERN) as client:
            error = await self.refused(client, "iac_mcp_list_apps")
            self.assertIn("line 2, column 23", error["message"])

    async def test_organizing_an_inbox_takes_twelve_calls(self):
        for mode in MODES:
            with self.subTest(mode):
                human = Human("hour")
                names = [f"{name} {mode}" for name in ("Travel", "Reading")]
                async with self.client(mode, human) as client:
                    messages = await self.unread(client, 4)  # two calls
                    for name in names:
                        await self.call(
                            client,
                            "iac_mcp_run_command",
                            app="Mail",
                            command="make",
                            arguments={"new": "mailbox", "with properties": {"name": name}},
                        )
                    boxes = []
                    for name in names:
                        found = await self.call(client, "iac_mcp_query_object", app="Mail", specifier=mailbox(name))
                        boxes.append(found["reference"]["id"])
                    for message in messages[:2]:
                        await self.call(
                            client, "iac_mcp_set_property", reference=message, property="flagged status", value=mode == MODES[0]
                        )
                    for message, box in zip(messages[2:], boxes):
                        await self.call(
                            client,
                            "iac_mcp_run_command",
                            app="Mail",
                            command="move",
                            target=message,
                            arguments={"to": box},
                        )
                    for box in boxes:
                        listed = await self.call(
                            client, "iac_mcp_get_elements", container=box, elementType="message"
                        )
                        self.assertEqual(listed["totalCount"], 1)
                # The server asks once each about creating, flagging and moving.
                self.assertEqual(len(human.asked), 3, [asked.message for asked in human.asked])
                self.cli("policy", "revoke", "--all")
        self.cli("audit", "verify")

    async def test_a_neighbour_is_never_changed(self):
        for mode in MODES:
            with self.subTest(mode):
                async with self.client(mode, Human("hour")) as client:
                    gone, moved, stays = await self.unread(client, 3)
                    await self.call(client, "iac_mcp_run_command", app="Mail", command="delete", target=gone)
                    await self.call(
                        client,
                        "iac_mcp_run_command",
                        app="Mail",
                        command="make",
                        arguments={"new": "mailbox", "with properties": {"name": f"Elsewhere {mode}"}},
                    )
                    archive = await self.call(
                        client, "iac_mcp_query_object", app="Mail", specifier=mailbox(f"Elsewhere {mode}")
                    )
                    await self.call(
                        client,
                        "iac_mcp_run_command",
                        app="Mail",
                        command="move",
                        target=moved,
                        arguments={"to": archive["reference"]["id"]},
                    )
                    before = await self.unread(client, 50)
                    error = await self.refused(
                        client, "iac_mcp_set_property", reference=gone, property="read status", value=True
                    )
                    self.assertEqual(error["error"], "reference_invalid")
                    # A moved object is found at its new place.
                    await self.call(client, "iac_mcp_set_property", reference=moved, property="read status", value=True)
                    there = await self.call(
                        client,
                        "iac_mcp_get_elements",
                        container=archive["reference"]["id"],
                        elementType="message",
                        properties=["read status"],
                    )
                    self.assertEqual([each["properties"] for each in there["elements"]], [{"read status": True}])
                    self.assertEqual(await self.unread(client, 50), before)
                    await self.call(client, "iac_mcp_set_property", reference=stays, property="read status", value=True)
                    self.assertEqual(await self.read_status(client, [stays]), [True])
                self.cli("policy", "revoke", "--all")


if __name__ == "__main__":
    unittest.main()
