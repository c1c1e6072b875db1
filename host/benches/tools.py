"""Measures what two plugins add to the time of the apps and servers they ask. A part of `./bench`.

    tools.py PROGRAM PYTHON [WORD ...]
    tools.py --list

PROGRAM is an optimised `iac-mcp` with plugins. PYTHON is a virtual environment with the packages in `requirements.txt`
beside this file, or the reason why there is none. Fails if a target is missed.
"""

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/language-servers"))

from overhead import Framed, Host, place  # noqa: E402

OMNIFOCUS = "com.omnigroup.OmniFocus4"
TASKS = 10_000
SERVERS = {"ty": ["ty", "server"], "basedpyright": ["basedpyright-langserver", "--stdio"]}
ROUNDS = 9
TURNS, ASKED = 8, 5

READS = [
    ("25 overdue tasks of 10,000", {"type": "tasks", "mode": "overdue"}),
    ("a count of all available tasks", {"type": "tasks", "mode": "available", "countOnly": True}),
    ("25 tasks whose text has a word", {"type": "tasks", "mode": "search", "filters": {"text": {"contains": "report"}}}),
    (
        "25 tasks due this week, also through their projects",
        {"type": "tasks", "filters": {"effectiveDueDate": {"before": "now+7days"}}, "sort": [{"field": "effectiveDueDate"}]},
    ),
    ("25 suggestions", {"type": "tasks", "mode": "smart_suggest"}),
    ("all projects with counts", {"type": "projects", "includeStats": True, "limit": 500}),
    ("all tags", {"type": "tags"}),
    ("500 tasks with their names", {"type": "tasks", "limit": 500, "fields": ["id", "name"]}),
    ("500 tasks with all details", {"type": "tasks", "limit": 500, "details": True}),
]
ANALYSES = [
    "productivity_stats", "task_velocity", "overdue_analysis", "workflow_analysis", "recurring_tasks", "pattern_analysis",
]  # fmt: skip

missed = 0


def row(what, figure, unit, most=None, note=""):
    """Prints a line in the same form as `table.rs` in `numbers`."""
    global missed
    shown = f"{digits(figure)} {unit}"
    target, share, verdict = "", "", ""
    if most is not None:
        missed += figure > most
        target, share, verdict = f"≤ {digits(most)} {unit}", f"{figure / most:.2f}", "pass" if figure <= most else "MISS"
    print(f"  {what:<58} {shown:>12} {target:>12} {share:>6} {verdict:<4}  {note}".rstrip(), flush=True)


def digits(figure):
    text = f"{figure:.{0 if figure >= 100 else 1 if figure >= 10 else 2}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def skipped(what, why):
    print(f"  {what:<58} {'-':>12} {'':>12} {'':>6} {'':<4}  skipped: {why}", flush=True)


def took(ask):
    began = time.perf_counter()
    ask()
    return (time.perf_counter() - began) * 1000


class Home:
    """The folders of one measurement, and the program that uses them."""

    def __init__(self, program, folder, path=""):
        self.program, self.folder = program, Path(folder)
        self.environment = {
            **os.environ,
            "PATH": path + os.environ["PATH"],
            "IAC_MCP_STATE": f"{folder}/state",
            "IAC_MCP_CACHE": f"{folder}/cache",
            "IAC_MCP_LATENCY": "none",
            "IAC_MCP_LOG": "error",
        }
        (self.folder / "state").mkdir()

    def run(self, *arguments):
        ended = subprocess.run([self.program, *arguments], env=self.environment, capture_output=True, text=True)
        if ended.returncode:
            sys.exit(f"{arguments}: {ended.stdout}{ended.stderr}")

    def add(self, plugin, *grants):
        package = self.folder / f"{plugin}.wasm"
        self.run("plugin", "build", ROOT / "plugins" / plugin, "--output", package)
        self.run("plugin", "add", package, "--yes", *grants)

    def serve(self, *arguments):
        return Host(self.program, self.environment, *arguments)


def omnifocus(program, _):
    """Measures what the guest and the host take of a call, without the time of the script in the app."""
    with tempfile.TemporaryDirectory() as folder:
        home, world = Home(program, folder), f"{folder}/world"
        home.add("omnifocus")
        home.run("sim", "new", "--seed", "7", "--tasks", str(TASKS), world)
        host = home.serve("--world", world, "--timeout", "300")
        for what, query in READS:
            apart(host, f"omnifocus_read: {what}", "omnifocus_read", {"query": query}, 50)
        for kind in ANALYSES:
            apart(host, f"omnifocus_analyze: {kind}", "omnifocus_analyze", {"analysis": {"type": kind}}, 250)
        host.close()


def apart(host, what, tool, arguments, most):
    size = len(json.dumps(host.call(tool, arguments)))
    own, app = [], []
    for _ in range(ROUNDS):
        before = ran(host)
        whole = took(lambda: host.call(tool, arguments))
        app.append(ran(host) - before)
        own.append(whole - app[-1])
    row(what, statistics.median(own), "ms", most, f"the app {statistics.median(app):.0f} ms; {size / 1024:.1f} KiB")


def ran(host):
    """Returns how many milliseconds scripts have run in OmniFocus so far."""
    metrics = host.call("system", {"action": "metrics"})
    return metrics["osascript"]["apps"].get(OMNIFOCUS, {"ran": {"totalMs": 0}})["ran"]["totalMs"]


def code_query(program, python):
    """Compares a server asked directly and through the plugin, warm and in turns, for a fast and a slow server."""
    installed = next(Path(python).glob("lib/python3*/site-packages/flask"), None)
    if not installed:
        return skipped("code_query over the server itself", python)
    for name, command in SERVERS.items():
        with tempfile.TemporaryDirectory() as folder:
            # The package is used as a module of a project, not as the project itself.
            subject = Path(folder).resolve() / "project"
            shutil.copytree(installed, subject / "flask")
            home = Home(program, folder, f"{Path(python).resolve()}/bin:")
            (home.folder / "state/language-servers.toml").write_text(f"prefer = {json.dumps([name])}\n")
            home.add("code-query", "--root", subject)
            over(name, [f"{Path(python).resolve()}/bin/{command[0]}", *command[1:]], home, subject)


def over(name, command, home, subject):
    first(name, home, command, subject)
    host = home.serve()
    server = Framed(command, subject)
    pairs = questions(server, host, subject)
    pairs[0][2]()
    floor = [took(lambda: host.query(type="none")) for _ in range(TURNS * ASKED)]
    row("code_query: a call that asks no server", statistics.median(floor), "ms", note=f"at the least {min(floor):.2f} ms")
    for what, direct, through in pairs:
        against(f"code_query over {name}: {what}", direct, through)
    server.process.kill()
    server.process.wait()
    host.close()


def first(name, home, command, subject):
    """Measures the first answer of a new process, minus the server's own time from its start to the same answer."""
    theirs, ours = [], []
    for _ in range(3):
        began = time.perf_counter()
        server = Framed(command, subject)
        questions(server, None, subject)[0][1]()
        theirs.append((time.perf_counter() - began) * 1000)
        server.process.kill()
        server.process.wait()
        began = time.perf_counter()
        host = home.serve()
        questions(server, host, subject, shown=True)[0][2]()
        ours.append((time.perf_counter() - began) * 1000)
        host.close()
    note = f"{statistics.median(theirs):.0f} ms itself, {statistics.median(ours):.0f} ms with the start of everything"
    row(f"code_query over {name}: first answer of a new process, later by", statistics.median(ours) - statistics.median(theirs), "ms", 2000, note)


def questions(server, host, subject, shown=False):
    file, line, column = place(subject, "Flask")
    opened = {file} if shown else set()
    show(server, [file], opened)
    at = {"textDocument": {"uri": file.as_uri()}, "position": {"line": line, "character": column}}
    uses = {**at, "context": {"includeDeclaration": True}}
    path = str(file.relative_to(subject))
    target = {"path": path, "line": line + 1, "character": column + 1}
    spots = defined(subject)
    each = [{"textDocument": {"uri": file.as_uri()}, "position": {"line": line, "character": column}} for file, line, column in spots]
    hovers = {
        "queries": [
            {"type": "typeInfo", "path": str(file.relative_to(subject)), "line": line + 1, "character": column + 1}
            for file, line, column in spots
        ]
    }

    def fifty():
        # The files are opened only now, because a server may be much faster when more files are open than the one in
        # question.
        show(server, [file for file, *_ in spots], opened)
        return [server.ask("textDocument/hover", spot) for spot in each]

    return [
        ("references", lambda: server.ask("textDocument/references", uses), lambda: host.query(type="references", limit=1000, **target)),
        ("typeInfo", lambda: server.ask("textDocument/hover", at), lambda: host.query(type="typeInfo", **target)),
        ("typeInfo, 50 in a call", fifty, lambda: host.query(**hovers)),
        ("outline", lambda: server.ask("textDocument/documentSymbol", {"textDocument": at["textDocument"]}), lambda: host.query(type="outline", path=path)),
        ("findSymbols", lambda: server.ask("workspace/symbol", {"query": "flask"}), lambda: host.query(type="findSymbols", query="Flask")),
    ]


def show(server, files, opened):
    """Opens files that are not open yet, as the host does with files that it asks about."""
    for file in sorted(set(files) - opened):
        document = {"uri": file.as_uri(), "languageId": "python", "version": 1, "text": file.read_text()}
        server.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
        opened.add(file)


def defined(subject):
    """Finds fifty places at which something is defined: file, line, and column from 0."""
    found = []
    for file in sorted(subject.rglob("*.py")):
        for number, line in enumerate(file.read_text().splitlines()):
            if match := re.match(r"\s*(?:async )?(?:class|def) (\w+)", line):
                found.append((file, number, match.start(1)))
    # Spread over the whole project, and the same ones every time.
    return found[:: len(found) // 50][:50]


def against(what, direct, through):
    found = through()
    if "error" in found:
        sys.exit(f"{what}: {found}")
    direct(), through(), direct()
    theirs, ours = [], []
    for _ in range(TURNS):
        theirs += [took(direct) for _ in range(ASKED)]
        ours += [took(through) for _ in range(ASKED)]
    least = (min(ours) - min(theirs)) * 1000
    theirs, ours = statistics.median(theirs), statistics.median(ours)
    note = f"{theirs:.2f} ms itself, {ours:.2f} ms through the plugin; at the least {least:.0f} µs more"
    row(what, ours / theirs, "x", 1.2, note)


PARTS = {"omnifocus": omnifocus, "code-query": code_query}


def main(program, python, *words):
    for name, part in PARTS.items():
        if not words or name in words:
            print(name)
            part(program, python)
    print("every target is met" if not missed else f"{missed} missed")
    return 1 if missed else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        print(*PARTS, sep="\n")
    else:
        sys.exit(main(*sys.argv[1:]))
