#!/usr/bin/env python3
"""Shows that each refusal of the simulator has a script that fails when the refusal is lifted.

    python3 tests/fidelity/refusals.py --osascript target/debug/osascript --world fixtures/mac

A refusal is a call of `refuse` or `OsError::of` in the simulator's source, of `refuse` in the source of Standard
Additions, or of `it.refuse` in the behaviour script of an app. Every fact, and every case of `simulator/tests`, runs
once while the simulator logs the refusals that it reaches. Then each refusal is lifted, which a debug build does on
request, and the scripts that reached it run again until one ends differently. If no script notices that a refusal is
lifted, this program prints it, and fails unless the refusal is listed below.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True

import run

ROOT = run.HERE.parent.parent
SOURCE = ROOT / "simulator/src"
CALL = re.compile(r"(?<!fn )\b(?:refuse|OsError::of)\(")
# The test cases, by the Mac on which they run.
CASES = {"mac": ROOT / "fixtures/mac", "cases": ROOT / "simulator/tests/world"}
# The function that refuses, and the reason why no script can reach it there.
EXCUSED = {
    "com.apple.systemevents.js it.refuse(-25211": "without Accessibility, the object itself is refused first",
    "command.rs admit": "an app with classes and no `make`, which this Mac does not have; and what holds until a definition was tried",
    "engine/omni.rs value": "the evaluation itself refuses first what cannot travel",
    "engine/convert.rs step": "no script can write such a specifier",
    "resolve.rs collection": "a fault that a file orders",
    "resolve.rs filtered": "no script can write such a specifier",
    "resolve.rs pick": "no script can write such a specifier",
    "write.rs duplicate": "what is no element was refused before",
    "write.rs make": "the dictionary's own check comes first",
    "write.rs relocate": "the dictionary's own check comes first",
}


def places():
    """Every refusal, with its function and its line."""
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
    for path in [SOURCE / "engine/additions.js", *sorted((ROOT / "fixtures/mac/data").glob("*.js"))]:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if re.search(r"\brefuse\(", line):
                found[f"{path.name}:{number}"] = line.strip()
    return found


class Case:
    """A case of the simulator's own tests; each runs in its own world."""

    def __init__(self, osascript, base, text):
        self.osascript, self.base = osascript, base
        title, rest = text.split("\n", 1)
        self.title = title
        script = rest.rsplit("\n--- ", 1)[0].split("\n")
        self.files = [line[4:].split(" ", 1) for line in script if line.startswith("+++ ")]
        self.script = "\n".join(line for line in script if not line.startswith("+++ "))

    def happens(self, environment):
        """Status, stdout and stderr of the script."""
        with tempfile.TemporaryDirectory() as folder:
            world = {"base": str(self.base), "clock": "anchor"}
            for name, content in [("world.json", json.dumps(world)), *self.files]:
                (Path(folder) / name).write_text(content, encoding="utf-8")
            arguments = [self.osascript, "-l", "JavaScript", "-e", self.script, "one", "zwei drei", ""]
            environment = {**environment, "IAC_MCP_WORLD": folder, "TZ": "Europe/Berlin"}
            done = subprocess.run(arguments, capture_output=True, timeout=run.PATIENCE, env=environment, stdin=subprocess.DEVNULL)
            return done.returncode, done.stdout, done.stderr.replace(folder.encode(), b"WORLD")


class Fact:
    """A fact about osascript."""

    def __init__(self, runner, fact):
        self.runner, self.fact = runner, fact

    def happens(self, environment):
        """Whether the fact holds."""
        kept, self.runner.environment = self.runner.environment, {**self.runner.environment, **environment}
        try:
            return self.runner.judge(self.fact)[0]
        finally:
            self.runner.environment = kept


def scripts(options, runner):
    """All facts and all cases."""
    for path in sorted((run.HERE / "facts").glob("*.txt")):
        for fact in run.read(path):
            yield Fact(runner, fact)
    for folder, base in CASES.items():
        for path in sorted((ROOT / "simulator/tests" / folder).glob("*.txt")):
            for text in ("\n" + path.read_text(encoding="utf-8")).split("\n=== ")[1:]:
                yield Case(options.osascript, base, text)


def main():
    parser = argparse.ArgumentParser(description="Lifts each refusal of the simulator.")
    parser.add_argument("--osascript", required=True)
    parser.add_argument("--world", required=True)
    options = parser.parse_args()
    options.writes = True
    runner = run.Runner(options)
    told = Path(runner.folder.name) / "refusals"
    met = {}
    for script in scripts(options, runner):
        told.unlink(missing_ok=True)
        happened = script.happens({**runner.environment, "IAC_MCP_TEST_REFUSALS": str(told)})
        for line in set(told.read_text(encoding="utf-8").splitlines() if told.exists() else []):
            place = line.split("simulator/src/", 1)[-1].removeprefix("src/")
            met.setdefault(place, []).append((script, happened))
    unnoticed = [(place, line) for place, line in places().items() if not noticed(runner, place, met.get(place, []))]
    excused = [(place, line) for place, line in unnoticed if excuse(place, line)]
    wrong = [each for each in unnoticed if each not in excused]
    for place, line in wrong:
        print(f"no script fails when {place} is lifted ({len(met.get(place, []))} meet it): {line}")
    print(f"{len(places())} refusals: {len(places()) - len(unnoticed)} noticed, {len(excused)} excused, {len(wrong)} unnoticed")
    return 1 if wrong else 0


def excuse(place, line):
    """Whether no script can reach a refusal."""
    where = f"{place.split(':')[0]} {line.split(':')[0]}"
    return any(where.startswith(each) for each in EXCUSED)


def noticed(runner, place, scripts):
    """Whether a script ends differently while a refusal is lifted."""
    environment = {**runner.environment, "IAC_MCP_TEST_LIFTED": place}
    try:
        return any(script.happens(environment) != happened for script, happened in scripts)
    except subprocess.TimeoutExpired:
        return False


if __name__ == "__main__":
    sys.exit(main())
