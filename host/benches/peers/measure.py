"""The measurements of each server. The servers take turns, so that all see the machine in the same state."""

import json
import os
import shutil
import statistics
import subprocess
import time
from pathlib import Path

from client import Refused, Server
from tasks import CALLS, SIMPLE, TASKS

# As much data as a person has after some years, so that the memory of a server that reads everything shows it.
BIG = ["--messages", "10000", "--events", "80", "--tasks", "200", "--seed", "7"]
# Each server is asked a few times in a row before the next one, so that a slow moment of the machine affects all of
# them.
TURNS, ASKED = 8, 5


class Bench:
    """The folders of one run: a stand-in for osascript, and a home for each server."""

    def __init__(self, program, folder):
        self.program, self.folder, self.worlds = program, Path(folder), 0
        self.templates, self.truths = {}, {}
        (self.folder / "bin").mkdir()
        (self.folder / "bin/osascript").symlink_to(program)

    def world(self, *options):
        """Makes a world that no server has used."""
        self.worlds += 1
        return Path(shutil.copytree(self.template(options), self.folder / f"world-{self.worlds}"))

    def template(self, options):
        if options not in self.templates:
            world = self.folder / f"template-{len(self.templates)}"
            subprocess.run([self.program, "sim", "new", *options, world], check=True, stdout=subprocess.DEVNULL)
            mail = world / "data/com.apple.mail.json"
            if mail.exists():
                newest_first(mail)
            self.templates[options] = world
        return self.templates[options]

    def truth(self, world, task):
        """Returns what a right answer must contain. It is the same in every new world."""
        if task.name not in self.truths:
            self.truths[task.name] = self.ask_the_mac(world, task.truth)
        return self.truths[task.name]

    def environment(self, peer, home, world, latency):
        return {
            **{name: os.environ[name] for name in ("LANG", "TZ") if name in os.environ},
            "PATH": os.pathsep.join([str(self.folder / "bin"), *map(str, peer.path), os.environ["PATH"]]),
            "HOME": str(home),
            "TMPDIR": str(home),
            "IAC_MCP_STATE": str(home / "state"),
            "IAC_MCP_CACHE": str(home / "cache"),
            "IAC_MCP_WORLD": str(world),
            "IAC_MCP_TRACE": str(home / "trace"),
            "IAC_MCP_LATENCY": latency,
            "NODE_OPTIONS": f"--require {Path(__file__).parent / 'mac.cjs'}",
            **peer.environment,
        }

    def start(self, peer, world, home=None, latency="none"):
        if home is None:
            home = self.folder / f"home-{peer.name}-{time.monotonic_ns()}"
        environment = self.environment(peer, home, world, latency)
        if not home.exists():
            home.mkdir()
            if peer.plugin:
                added = [self.program, "plugin", "add", peer.plugin, "--yes"]
                subprocess.run(added, env=environment, check=True, stdout=subprocess.DEVNULL)
        return Server(peer.command(world), environment, home)

    def ask_the_mac(self, world, text):
        environment = {**os.environ, "IAC_MCP_WORLD": str(world), "IAC_MCP_LATENCY": "none"}
        asked = [self.folder / "bin/osascript", "-l", "JavaScript", "-e", text]
        return json.loads(subprocess.run(asked, env=environment, check=True, capture_output=True, text=True).stdout)


def newest_first(mail):
    """Sorts the messages of each mailbox as Mail does, because some servers look only at the first ones."""
    data = json.loads(mail.read_text())
    for account in data["application"]["elements"]["account"]:
        for mailbox in account["elements"]["mailbox"]:
            mailbox["elements"]["message"].sort(key=lambda message: message["date received"] or "", reverse=True)
    mail.write_text(json.dumps(data))


def measure(bench, peers, rounds, calls, say):
    results = {peer.name: {"version": peer.version} for peer in peers}
    say("starts")
    starts(bench, peers, results, rounds)
    say("simple calls")
    simple_calls(bench, peers, results)
    say("everyday tasks")
    everyday(bench, peers, results, rounds)
    say(f"memory after {calls} calls")
    memory(bench, peers, results, calls)
    return results


def starts(bench, peers, results, rounds):
    """Measures a new process until its first answer, and its list of tools. The server has run once before in that home."""
    world = bench.world()
    seen = {peer.name: [] for peer in peers}
    for turn in range(rounds + 1):
        for peer in list(peers):
            try:
                with bench.start(peer, world, bench.folder / f"home-{peer.name}") as server:
                    began = time.perf_counter()
                    listed, size = server.ask("tools/list", {})
                    took = time.perf_counter() - began
                    if turn == 1:
                        told = server.greeting.get("instructions", "")
                        results[peer.name] |= {
                            "version": server.greeting["serverInfo"].get("version", peer.version),
                            "list_bytes": size,
                            "tools": len(listed["tools"]),
                            "instructions_bytes": len(told.encode()),
                            "memory_start": server.memory(),
                        }
                    if turn:
                        seen[peer.name].append((server.start * 1000, took * 1000))
            except Refused as refused:
                results[peer.name]["refused"] = str(refused)[:200]
                peers.remove(peer)
    for name, times in seen.items():
        if times:
            results[name] |= {"start_ms": median(t[0] for t in times), "list_ms": median(t[1] for t in times)}


def simple_calls(bench, peers, results):
    """Measures the smallest question about the Mac, after three others. The stand-in for osascript answers at once."""
    world = bench.world()
    servers = {}
    times = {peer.name: [] for peer in peers if peer.name in SIMPLE}
    try:
        for peer in peers:
            if peer.name in SIMPLE:
                servers[peer.name] = bench.start(peer, world)
        for name, server in list(servers.items()):
            try:
                for _ in range(3):
                    SIMPLE[name](server.call)
            except Refused as refused:
                results[name]["simple_refused"] = str(refused)[:200]
                servers.pop(name).__exit__()
        for _ in range(TURNS):
            for name, server in servers.items():
                for _ in range(ASKED):
                    began = time.perf_counter()
                    SIMPLE[name](server.call)
                    times[name].append((time.perf_counter() - began) * 1000)
    finally:
        for server in servers.values():
            server.__exit__()
    for name in servers:
        results[name]["simple_ms"] = median(times[name])


def everyday(bench, peers, results, rounds):
    """Measures each task with a new process on a new Mac, which takes the measured time for every Apple event."""
    for task in TASKS:
        able = [peer for peer in peers if task.name in CALLS.get(peer.name, {})]
        tries = {peer.name: [] for peer in able}
        for _ in range(rounds):
            for peer in able:
                tries[peer.name].append(attempt(bench, peer, task))
        for name, made in tries.items():
            # A server that is right only in some rounds is not shown as right.
            worst = dict(min(made, key=lambda one: one["verdict"] == "right"))
            worst["seconds"] = median(one["seconds"] for one in made if one["verdict"] == worst["verdict"])
            results[name].setdefault("tasks", {})[task.name] = worst


def attempt(bench, peer, task, latency="mac"):
    world = bench.world(*BIG)
    truth = None if task.after else bench.truth(world, task)
    home = bench.folder / f"task-{bench.worlds}"
    made = {"calls": 0, "sent": 0, "received": 0, "text": 0, "verdict": "refused"}
    answers = []
    with bench.start(peer, world, home, latency) as server:
        server.ask("tools/list", {})

        def call(tool, arguments):
            made["calls"] += 1
            made["sent"] += len(json.dumps(arguments, ensure_ascii=False).encode())
            text, size = server.call(tool, arguments)
            made["received"] += size
            made["text"] += len(text.encode())
            answers.append(text)
            return text

        (home / "trace").unlink(missing_ok=True)
        began = time.perf_counter()
        try:
            CALLS[peer.name][task.name](call)
            made["verdict"] = None
        except Refused as refused:
            made["why"] = str(refused)[:300]
        made["seconds"] = time.perf_counter() - began
        made["questions"] = server.questions
    trace = home / "trace"
    made["events"] = len(trace.read_text().splitlines()) if trace.exists() else 0
    if task.after and bench.ask_the_mac(world, task.truth)["made"]:
        made["verdict"] = "right"
    elif made["verdict"] is None:
        made["verdict"] = "not made" if task.after else judged("\n".join(answers), truth)
    return made


def judged(answers, truth):
    """Judges the answers: whether they contain everything that the task needs, and nothing else."""
    missing = sum(not holds(answers, text) for text in truth["must"])
    if missing == len(truth["must"]):
        return "wrong"
    if missing:
        return f"{len(truth['must']) - missing} of {len(truth['must'])}"
    return "and others" if any(holds(answers, text) for text in truth["not"]) else "right"


def holds(answers, text):
    """Whether a text occurs in answers that may be JSON, with or without escapes, or JSON within JSON."""
    forms = {text}
    for _ in range(2):
        forms |= {json.dumps(form, ensure_ascii=ascii)[1:-1] for form in forms for ascii in (True, False)}
    return any(form in answers for form in forms)


def memory(bench, peers, results, calls):
    world = bench.world()
    for peer in peers:
        if peer.name not in SIMPLE or "simple_refused" in results[peer.name]:
            continue
        with bench.start(peer, world) as server:
            try:
                for number in range(calls):
                    SIMPLE[peer.name](server.call)
                    if number == 9:
                        results[peer.name]["memory_ten"] = server.memory()
                results[peer.name] |= {"memory_end": server.memory(), "memory_calls": calls}
            except Refused as refused:
                results[peer.name]["memory_refused"] = f"after {number} calls: {refused}"[:200]


def median(values):
    return statistics.median(values)
