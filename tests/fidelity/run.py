#!/usr/bin/env python3
"""Checks the facts about osascript with any osascript, and reports where it agrees.

    python3 tests/fidelity/run.py                               on a Mac: the real one
    python3 tests/fidelity/run.py --osascript target/debug/osascript --world fixtures/mac

python3 tests/fidelity/run.py --first-hour on a Mac: checks that need a real Mac, for an hour

Each fact in `facts/` is a small script and its expected result. The verdict is that the fact agrees, differs, or could
not be checked: the app is missing, the permission is missing, or no one answered in time. Facts that change something
run only with `--writes`, and delete the objects that they make. With `--report`, the report goes to a file.

A fact begins with `=== section title [confidence assumption]`. Confidence: D documented, M measured, S seen in several
scripts, K a platform constant, I inferred. Then come directives (`@ needs App`, `@ args [...]`, `@ argv [...]`, `@
stdin "..."`, `@ env {...}`, `@ as file|stdin|-`, `@ language L`, `@ writes`, `@ dialog`, `@ shell`), the script, and
the expectations: `>>>` stdout, `!!!` the error after "execution error: ", `???` all of stderr, `$$$` the exit status;
with `~` as the third sign a regular expression, `!!#` only the error's number. A text that begins with a quote is
JSON.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from datetime import datetime
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXPECTATIONS = {">>": "stdout", "!!": "error", "??": "stderr", "$$": "status"}
# Errors that come from the machine and not from osascript.
HINDRANCES = {-1743: "not authorised to send Apple events", -1744: "consent is needed", -600: "the app does not run", -10004: "not permitted"}
PATIENCE = 60


def read(path):
    """The facts in one file."""
    blocks = ("\n" + path.read_text(encoding="utf-8")).split("\n=== ")[1:]
    return [fact(path.stem, block) for block in blocks]


def fact(file, block):
    """One fact, from its text."""
    head, *lines = block.rstrip("\n").split("\n")
    match = re.fullmatch(r"(\d+) (.*) \[([DMSKI])(?: ([\w-]+))?\]", head)
    if not match:
        raise SystemExit(f"{file}: malformed heading: {head}")
    section, title, confidence, assumption = match.groups()
    result = {"file": file, "section": int(section), "title": title, "confidence": confidence, "assumption": assumption, "directives": {}, "expected": []}
    script = []
    for line in lines:
        directive = re.fullmatch(r"@ (\w+)(?: (.*))?", line)
        expected = re.match(r"(>>|!!|\?\?|\$\$)(.)(?: (.*))?$", line)
        if directive:
            name, value = directive.groups()
            result["directives"][name] = json.loads(value) if value and value[0] in '["{' else value or True
        elif expected and expected.group(2) in ">!?$~#":
            sign, kind, value = expected.groups()
            value = value or ""
            result["expected"].append((EXPECTATIONS[sign], kind, json.loads(value) if value.startswith('"') and kind not in "~#" and loads(value) else value))
        else:
            script.append(line)
    result["script"] = "\n".join(script).strip("\n")
    if not result["expected"]:
        raise SystemExit(f"{file}: nothing is expected of: {title}")
    return result


def loads(text):
    """Whether a text is JSON."""
    try:
        json.loads(text)
        return True
    except ValueError:
        return False


class Runner:
    """Checks facts with one osascript."""

    def __init__(self, options):
        self.osascript = options.osascript
        self.writes = options.writes
        self.simulated = options.world is not None
        self.folder = tempfile.TemporaryDirectory()
        self.environment = dict(os.environ)
        if self.simulated:
            world = Path(self.folder.name) / "world"
            world.mkdir()
            (world / "world.json").write_text(json.dumps({"base": str(Path(options.world).resolve())}), encoding="utf-8")
            (world / "additions.json").write_text(json.dumps({"shell": True}), encoding="utf-8")
            self.environment["IAC_MCP_WORLD"] = str(world)
        self.there = {}
        self.number = 0

    def run(self, script, directives):
        """Status, stdout and stderr of one script."""
        self.number += 1
        language = ["-l", directives.get("language", "JavaScript")]
        arguments, stdin = list(directives.get("args", [])), directives.get("stdin", "")
        how, argv = directives.get("as", "argument"), directives.get("argv", [])
        if how == "argument":
            arguments += (["-e", script] if script else []) + argv
        elif how == "file":
            path = Path(self.folder.name) / f"fact-{self.number}.js"
            path.write_text(script, encoding="utf-8")
            arguments += [str(path), *argv]
        else:
            arguments += (["-"] if how == "-" else []) + argv
            stdin = script
        environment = {**self.environment, **directives.get("env", {})}
        done = subprocess.run([self.osascript, *language, *arguments], input=stdin.encode(), capture_output=True, timeout=PATIENCE, env=environment)
        return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")

    def has(self, app):
        """Whether an app exists; asked only once."""
        if app not in self.there:
            status, _, _ = self.run(f"Application({json.dumps(app)}).running()", {})
            self.there[app] = status == 0
        return self.there[app]

    def judge(self, each):
        """The verdict (agrees, differs or could not be checked), with the result."""
        directives = each["directives"]
        if directives.get("writes") and not self.writes:
            return "could not tell", "it changes things; run with --writes", None
        if directives.get("needs") and not self.has(directives["needs"]):
            return "could not tell", f"{directives['needs']} is not there", None
        try:
            happened = self.run(each["script"], directives)
        except subprocess.TimeoutExpired:
            return "could not tell", f"no answer in {PATIENCE} s; a dialog may be open", None
        wrong = [each for each in each["expected"] if not agrees(each, happened)]
        if not wrong:
            return "agree", None, happened
        number = error(happened)[1]
        if not self.simulated and number in HINDRANCES and not any(str(number) in str(value) for _, _, value in each["expected"]):
            return "could not tell", HINDRANCES[number], happened
        if not self.simulated and all(kind == "error" and same_number(value, number) for kind, _, value in wrong):
            return "could not tell", "the number agrees, the text does not; texts are in the language of the system", happened
        return "differ", "; ".join(f"expected {kind} {sign}{value!r}" for kind, sign, value in wrong), happened


def error(happened):
    """The error on stderr or stdout without its place, and its number."""
    text = happened[2] if "execution error: " in happened[2] else happened[1]
    line = next((line for line in text.splitlines() if "execution error: " in line), "")
    message = line.split("execution error: ", 1)[-1]
    number = re.search(r"\((-?\d+)\)$", message)
    return message, int(number.group(1)) if number else None


def same_number(value, number):
    found = re.search(r"\((-?\d+)\)$", str(value))
    return found is not None and int(found.group(1)) == number


def agrees(expectation, happened):
    """Whether one expectation is met."""
    kind, sign, value = expectation
    status, stdout, stderr = happened
    if kind == "status":
        return re.fullmatch(value, str(status)) is not None if sign == "~" else str(status) == value
    if kind == "error":
        message, number = error(happened)
        if sign == "#":
            return number == int(value)
        return re.fullmatch(value, message) is not None if sign == "~" else message == value
    text = (stdout if kind == "stdout" else stderr).rstrip("\n")
    return re.search(value, text) is not None if sign == "~" else text == value


def system():
    """What the report says about the machine."""
    version = platform.mac_ver()[0]
    return {"system": f"macOS {version}" if version else platform.platform(), "time": datetime.now().isoformat(timespec="seconds")}


def main():
    parser = argparse.ArgumentParser(description="Runs the facts about osascript.")
    parser.add_argument("--osascript", default="/usr/bin/osascript")
    parser.add_argument("--world", help="the simulated Mac, where osascript is the simulator")
    parser.add_argument("--writes", action="store_true", help="also run facts that make, change and delete things of their own")
    parser.add_argument("--only", default="", help="only facts whose title contains this")
    parser.add_argument("--report", help="write what happened to this file")
    parser.add_argument("--first-hour", action="store_true", help="facts, open questions, times, a worker: asks before each part and writes one report")
    parser.add_argument("--yes", action="store_true", help="answer every question of --first-hour with yes")
    parser.add_argument("--hours", type=float, default=1.0, help="how long --first-hour keeps a worker")
    parser.add_argument("--latency-of", metavar="REPORT", help="print the latency model of a report of --first-hour")
    options = parser.parse_args()
    if options.latency_of:
        print(json.dumps(json.loads(Path(options.latency_of).read_text(encoding="utf-8"))["latency"], indent=1))
        return 0
    runner = Runner(options)
    facts = [each for path in sorted((HERE / "facts").glob("*.txt")) for each in read(path) if options.only in each["title"]]
    if options.first_hour:
        sys.dont_write_bytecode = True
        import first_hour

        return first_hour.main(runner, facts, options)
    results = []
    for each in facts:
        verdict, why, happened = runner.judge(each)
        results.append({**{key: each[key] for key in ("file", "section", "title", "confidence", "assumption", "script")}, "verdict": verdict, "why": why, "happened": happened})
        if verdict != "agree":
            print(f"{verdict}: [{each['confidence']}] {each['title']}: {why}")
            if happened and verdict == "differ":
                print(f"    {each['script'].splitlines()[-1][:150] if each['script'] else ''}\n    happened: {happened}")
    return conclude(results, options)


def conclude(results, options):
    """Prints the totals and writes the report. On a Mac, the run fails only if facts of the confidence D, M or S
    differ."""
    sums = {verdict: sum(each["verdict"] == verdict for each in results) for verdict in ("agree", "differ", "could not tell")}
    print(f"{len(results)} facts: " + ", ".join(f"{count} {verdict}" for verdict, count in sums.items()))
    firm = [each for each in results if each["verdict"] == "differ" and (each["confidence"] in "DMS" or options.world)]
    if options.report:
        Path(options.report).write_text(json.dumps({**system(), "sums": sums, "facts": results}, indent=1, ensure_ascii=False), encoding="utf-8")
    return 1 if firm else 0


if __name__ == "__main__":
    sys.exit(main())
