"""The everyday tasks of `./bench peers`: this server answers each of them correctly, as the page says."""

import sys
import tempfile
import unittest
from pathlib import Path

from support import BIN, ROOT

sys.path.insert(0, str(ROOT / "host/benches/peers"))

import measure  # noqa: E402
import page  # noqa: E402
from run import Peer  # noqa: E402
from tasks import TASKS  # noqa: E402


class Peers(unittest.TestCase):
    def test_each_task_is_answered_right(self):
        with tempfile.TemporaryDirectory(prefix="iac-mcp-peers-") as folder:
            bench = measure.Bench(Path(BIN).resolve(), folder)
            ours = Peer("iac-mcp", lambda world: [BIN, "serve", "--world", world])
            for task in TASKS:
                with self.subTest(task.name):
                    made = measure.attempt(bench, ours, task, latency="none")
                    self.assertEqual(made["verdict"], "right", made)
                    self.assertEqual(made["calls"], 1)
                    self.assertGreater(made["events"], 0)

    def test_a_wrong_answer_is_not_taken_for_a_right_one(self):
        truth = {"must": ["Zoë's \"plan\"", "Roof"], "not": ["Garden house"]}
        for answer, verdict in [
            ('["Zoë\'s \\"plan\\"", "Roof"]', "right"),
            ('{"text": "[\\"Zo\\u00eb\'s \\\\\\"plan\\\\\\"\\", \\"Roof\\"]"}', "right"),
            ('Roof, Zoë\'s "plan", Garden house', "and others"),
            ('["Roof"]', "1 of 2"),
            ("[]", "wrong"),
        ]:
            with self.subTest(answer):
                self.assertEqual(measure.judged(answer, truth), verdict)

    def test_the_page_names_who_is_ahead(self):
        figures = {"start_ms": 3.0, "simple_ms": 1.0, "tasks": {"notes": {"verdict": "right", "calls": 1, "events": 4, "text": 700, "seconds": 0.2, "sent": 100}}}
        other = {"start_ms": 300.0, "simple_ms": 0.95, "tasks": {"notes": {"verdict": "right", "calls": 1, "events": 1, "text": 690, "seconds": 0.3, "sent": 200}}}
        told = page.better({"iac-mcp": figures, "other": other}).splitlines()[2:]
        self.assertEqual(told, ["| notes that contain a word | Apple events | other | 1 | 4 |"])


if __name__ == "__main__":
    unittest.main()
