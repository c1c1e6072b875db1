#!/usr/bin/env python3
"""Runs the scripts that this project generates for a Mac on JavaScriptCore, the engine of a Mac.

    python3 tests/core/javascriptcore.py --jsc jsc --plays plays.jsonl

It checks four things: every play that the core's tests recorded (each generated script, with the same app, must give
the same answer), the worker's loop, every fact that is only about the language, and the syntax of each source file
that runs on a Mac. Without `--plays` it skips the first part.

`LISTED` has the facts in which Debian's JavaScriptCore differs from the expectation, each with its reason.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/fidelity"))
sys.dont_write_bytecode = True

import run as fidelity

LISTED = {}
# A script that contains one of these needs more than the language.
BRIDGE = re.compile(r"\b(Application|ObjC|ObjectSpecifier|Automation|Path|Library|Progress|Ref|delay)\b|\$")
# Source files that run on a Mac unchanged.
SOURCES = ["core/src/jxa/*.js", "host/osascript/src/*.js", "plugins/*/src/**/*.js", "plugins/*/scripts/**/*.js"]
# Globals that jsc has in addition to the language, and that osascript lacks.
SHELL = "print console load loadString run runString quit gc fullGC edenGC describe readFile read checkSyntax sleepSeconds setTimeout".split()
# The maximum number of shown characters of a long answer.
SHOWN = 300

WORKER = r"""
globalThis.sent = [];
const given = %s;
let at = 0;
const wrapped = (text) => ({ js: text, text, length: text.length, dataUsingEncoding: () => wrapped(text) });
globalThis.ObjC = { import: () => undefined };
globalThis.$ = {
  NSFileHandle: {
    fileHandleWithStandardInput: { get availableData() { return wrapped(given[at++] ?? ""); } },
    fileHandleWithStandardOutput: { writeData: (data) => sent.push(data.text) },
  },
  NSString: { alloc: { initWithUTF8String: wrapped, initWithDataEncoding: (data) => data } },
  NSProcessInfo: { processInfo: { processIdentifier: 4711 } },
};
"""


class Failures:
    """The differences, printed as they are found."""

    def __init__(self):
        self.count = 0

    def add(self, title, *lines):
        self.count += 1
        if self.count <= 20:
            print(f"differs: {title}", *(f"    {str(line)[:SHOWN]}" for line in lines), sep="\n")


def jsc(program, source, zone):
    """Runs a source in a time zone; returns the status and the output."""
    environment = {**os.environ, **({"TZ": zone} if zone else {})}
    with tempfile.NamedTemporaryFile("w", suffix=".js", encoding="utf-8") as file:
        file.write(source)
        file.flush()
        done = subprocess.run([program, file.name], capture_output=True, timeout=300, env=environment)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def lines(program, jobs, prepare="", zone=None):
    """Runs each job, a list of sources, in its own global object; returns the result of each source."""
    source = """
const jobs = %s, hidden = %s;
for (const job of jobs) {
  const realm = createGlobalObject();
  const run = realm.loadString;
  for (const name of hidden) delete realm[name];
  const said = [];
  realm.said = said;
  run(%s);
  const came = job.map((source) => {
    try {
      const value = run(source);
      return { value: value === undefined ? "" : String(value) };
    } catch (error) {
      return { error: String(error), number: error.errorNumber ?? -2700 };
    }
  });
  print(JSON.stringify([came, said]));
}""" % (
        json.dumps(jobs),
        json.dumps(SHELL),
        json.dumps(prepare),
    )
    status, out, error = jsc(program, source, zone)
    if status != 0:
        raise SystemExit(f"jsc ended with {status}: {error or out}")
    return [json.loads(line) for line in out.split("\n") if line]


def plays(program, path, failures):
    """Every script that the tests of the core generated, with the answer that QuickJS gave."""
    recorded = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").split("\n") if line]
    if not recorded:
        raise SystemExit(f"{path} holds no play")
    count, codes = 0, set()
    for zone in sorted({play["zone"] or "" for play in recorded}):
        batch = [play for play in recorded if (play["zone"] or "") == zone]
        jobs = [play["setup"] + [script for script, _ in play["runs"]] for play in batch]
        for play, (came, _) in zip(batch, lines(program, jobs, zone=zone)):
            moves = '\\"drift\\":0' not in play["setup"][0]
            for result in came[: len(play["setup"])]:
                if "error" in result:
                    failures.add("the app of a play", result["error"])
            for (script, answer), result in zip(play["runs"], came[len(play["setup"]) :]):
                count += 1
                codes.add(script.split("(JSON.parse(")[0])
                if told(result.get("value"), moves) != told(answer, moves):
                    failures.add("a generated script", script[-SHOWN:], f"QuickJS: {answer}", f"JavaScriptCore: {result}")
    print(f"{count} generated scripts in {len(recorded)} plays, {len(codes)} different codes")


def told(answer, moves):
    """An answer without the milliseconds that its events took. If a list changes while it is read, the number of
    events depends on how an engine sorts, and only the values are compared."""
    try:
        value = json.loads(answer)
    except (TypeError, ValueError):
        return answer
    if isinstance(value, dict):
        for field in ["spent", "events"] if moves else ["spent"]:
            value.pop(field, None)
    return value


def worker(program, failures):
    """The loop, with input in pieces as pipes deliver it: half lines, several lines at once, a script that throws."""
    source = (ROOT / "host/osascript/src/worker.js").read_text(encoding="utf-8")
    requests = [
        {"id": 1, "program": "a", "code": "(text) => JSON.parse(text).n + 1", "data": '{"n": 1}'},
        {"id": 2, "program": "a", "data": '{"n": 41}'},
        {"id": 3, "program": "b", "code": "() => { throw Object.assign(new Error('no'), { errorNumber: -1728 }) }", "data": ""},
        {"id": 4, "program": "c", "code": "() => nothing", "data": ""},
    ]
    text = "".join(json.dumps(request) + "\n" for request in requests)
    chunks = [text[:10], text[10:200], text[200:]]
    ((came, _),) = lines(program, [[WORKER % json.dumps(chunks), source, "run(); JSON.stringify(sent)"]])
    said = json.loads(came[-1].get("value") or "[]")
    expected = [
        "iac-mcp worker 1 4711\n",
        "1 = 2\n",
        "2 = 42\n",
        '3 ! {"number":-1728,"message":"Error: no"}\n',
        '4 ! {"number":-2700,"message":"ReferenceError: Can\'t find variable: nothing"}\n',
    ]
    if said != expected:
        failures.add("the worker's loop", came, said)
    print(f"{len(requests)} requests to the worker's loop")


def facts(program, failures):
    """The facts that need only the language: they must give the same value, or an error with the same text."""
    chosen = [fact for path in sorted((ROOT / "tests/fidelity/facts").glob("*.txt")) for fact in fidelity.read(path) if of_language(fact)]
    prepare = "globalThis.console = { log: (...all) => void said.push(all.map(String).join(' ')) }"
    came = lines(program, [[fact["script"]] for fact in chosen], prepare)
    for fact, ((result,), said) in zip(chosen, came):
        error = f"execution error: Error: {result['error']} ({result['number']})\n" if "error" in result else ""
        happened = (1 if error else 0, result.get("value", ""), "".join(f"{line}\n" for line in said) + error)
        wrong = [each for each in fact["expected"] if not fidelity.agrees(each, happened)]
        if bool(wrong) != (fact["title"] in LISTED):
            failures.add(fact["title"], fact["script"], f"expected {fact['expected']}", f"happened {happened}")
    if not chosen:
        failures.add("no fact is about the language")
    print(f"{len(chosen)} facts about the language, {len(LISTED)} listed as different")


def of_language(fact):
    """Whether a fact needs no app, no bridge, and no directive for its process."""
    return not fact["directives"] and fact["script"] and not BRIDGE.search(fact["script"]) and "function run" not in fact["script"]


def syntax(program, failures):
    """JavaScriptCore can parse each source that runs on a Mac."""
    found = sorted({path for pattern in SOURCES for path in ROOT.glob(pattern)})
    read = "try { %s; '' } catch (error) { if (error instanceof SyntaxError) throw error }"
    jobs = [[read % ("new Function(" + json.dumps(path.read_text(encoding="utf-8")) + ")")] for path in found]
    for path, ((result,), _) in zip(found, lines(program, jobs)):
        if "error" in result:
            failures.add(str(path.relative_to(ROOT)), result["error"])
    print(f"{len(found)} sources read")


def teeth(program, failures):
    """These checks must notice features that QuickJS has and JavaScriptCore lacks: names, syntax, and a different
    answer."""
    jobs = [["InternalError.name"], ["std.gc()"], ["new Function('let x; let x')"]]
    for job, ((result,), _) in zip(jobs, lines(program, jobs)):
        if "error" not in result:
            failures.add("JavaScriptCore accepts what it should lack", job)
    if told('{"value": 1, "spent": 2}', False) == told('{"value": 2, "spent": 2}', False):
        failures.add("two answers count as one")


def main():
    parser = argparse.ArgumentParser(description="Runs on JavaScriptCore what the project writes for a Mac.")
    parser.add_argument("--jsc", required=True, help="the shell of JavaScriptCore")
    parser.add_argument("--plays", help="what the tests of the core recorded with IAC_MCP_TEST_PLAYS")
    options = parser.parse_args()
    failures = Failures()
    if options.plays:
        plays(options.jsc, options.plays, failures)
    for part in (teeth, worker, facts, syntax):
        part(options.jsc, failures)
    print(f"{failures.count} differ")
    return 1 if failures.count else 0


if __name__ == "__main__":
    sys.exit(main())
