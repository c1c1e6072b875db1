#!/usr/bin/env python3
"""Shows that each refusal of the simulator has a fact that fails when the refusal is lifted.

    python3 tests/fidelity/refusals.py --osascript target/debug/osascript --world fixtures/mac

A place that refuses is a call of `refuse` or `OsError::of` in the simulator's source. Every fact runs once while the simulator
tells which places it met; then each place is lifted, which a debug build does on request, and the facts that met it run again
until one differs. A place that no fact notices is printed, and makes the run fail unless it is excused below.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True

import run

ROOT = run.HERE.parent.parent
SOURCE = ROOT / "simulator/src"
CALL = re.compile(r"(?<!fn )\b(?:refuse|OsError::of)\(")
# The function that refuses, and why no fact can meet it there.
EXCUSED = {
    "command.rs admit": "an app with classes and no `make`, which this Mac does not have; and what holds until a definition was tried",
    "conditions.rs": "two minutes of silence",
    "engine/convert.rs step": "no script can write such a specifier",
    "resolve.rs collection": "a fault that a file orders",
    "resolve.rs filtered": "no script can write such a specifier",
    "resolve.rs pick": "no script can write such a specifier",
    "session.rs suffer": "a fault that a file orders",
    "write.rs duplicate": "what is no element was refused before",
    "write.rs make": "the dictionary's own check comes first",
    "write.rs relocate": "the dictionary's own check comes first",
    "omni": "OmniFocus answers by its own engine; its scripts are in simulator/tests/mac/omnifocus.txt",
}


def places():
    """Every place that refuses, with its function and its line."""
    found = {}
    for path in sorted(SOURCE.rglob("*.rs")):
        file, function = path.relative_to(SOURCE), ""
        if file.name == "os_error.rs":
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").split("#[cfg(test)]")[0].splitlines(), 1):
            declared = re.search(r"\bfn (\w+)", line)
            function = declared.group(1) if declared else function
            if CALL.search(line) and not line.strip().startswith("//"):
                found[f"{file}:{number}"] = f"{function}: {line.strip()}"
    return found


def main():
    parser = argparse.ArgumentParser(description="Lifts each refusal of the simulator.")
    parser.add_argument("--osascript", required=True)
    parser.add_argument("--world", required=True)
    options = parser.parse_args()
    options.writes = True
    runner = run.Runner(options)
    told = Path(runner.folder.name) / "refusals"
    met = {}
    for path in sorted((run.HERE / "facts").glob("*.txt")):
        for fact in run.read(path):
            told.unlink(missing_ok=True)
            runner.environment["IAC_MCP_TEST_REFUSALS"] = str(told)
            if runner.judge(fact)[0] != "agree":
                continue
            for line in set(told.read_text(encoding="utf-8").splitlines() if told.exists() else []):
                met.setdefault(line.split("simulator/src/", 1)[-1].removeprefix("src/"), []).append(fact)
    del runner.environment["IAC_MCP_TEST_REFUSALS"]
    unnoticed = [(place, line) for place, line in places().items() if not noticed(runner, place, met.get(place, []))]
    excused = [(place, line) for place, line in unnoticed if excuse(place, line)]
    wrong = [each for each in unnoticed if each not in excused]
    for place, line in wrong:
        print(f"no fact fails when {place} is lifted ({len(met.get(place, []))} meet it): {line}")
    print(f"{len(places())} refusals: {len(places()) - len(unnoticed)} noticed, {len(excused)} excused, {len(wrong)} unnoticed")
    return 1 if wrong else 0


def excuse(place, line):
    """Whether no fact can meet a place."""
    where = f"{place.split(':')[0]} {line.split(':')[0]}"
    return any(where.startswith(each) or (each == "omni" and each in place) for each in EXCUSED)


def noticed(runner, place, facts):
    """Whether a fact differs while a place is lifted."""
    runner.environment["IAC_MCP_TEST_LIFTED"] = place
    try:
        return any(runner.judge(fact)[0] == "differ" for fact in facts)
    except subprocess.TimeoutExpired:
        return False
    finally:
        del runner.environment["IAC_MCP_TEST_LIFTED"]


if __name__ == "__main__":
    sys.exit(main())
