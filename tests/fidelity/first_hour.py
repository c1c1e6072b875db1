"""The first hour on a Mac: checks that need a real Mac, with one report without private content.

`run.py --first-hour` calls this. Each part says what it does and asks first; `--yes` answers for the person. It
launches no app, causes no consent dialog except for the first event to each app, and deletes everything that it makes.
The report contains counts, times, verdicts and error numbers. It contains the output of a script only if the script
asked no app.
"""

import hashlib
import json
import os
import platform
import re
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORKER = ROOT / "host/osascript/src/worker.js"
# For each app: a list that is long in most libraries, a property that is cheap to read, and a filter that few elements
# match.
APPS = {
    "Mail": ("inbox.messages", "readStatus", "{readStatus: false}"),
    "Calendar": ("calendars[0].events", "summary", "{alldayEvent: true}"),
    "Reminders": ("reminders", "name", "{completed: false}"),
    "Contacts": ("people", "name", "{company: true}"),
    "Notes": ("notes", "name", "{passwordProtected: true}"),
    "Music": ("libraryPlaylists[0].tracks", "name", "{rating: 100}"),
    "Finder": ("home.folders", "name", "{name: {_beginsWith: 'D'}}"),
    "Safari": ("windows", "name", "{visible: true}"),
    "OmniFocus": ("defaultDocument.flattenedTasks", "name", "{flagged: true}"),
    "System Events": ("processes", "name", "{visible: true}"),
}
# Questions whose answers no one has published, each as a script.
QUESTIONS = {
    "a record in the human form": "({a: 1, b: 'x'})",
    "undefined": "undefined",
    "a specifier in the human form": "Application('Finder').desktop",
    "a specifier as a display string": "Automation.getDisplayString(Application('Finder').desktop, true)",
    "a bridged text as a display string": "Automation.getDisplayString($('bar'))",
    "getenv of a name that is not set": "ObjC.import('stdlib'); let told; try { told = String($.getenv('IAC_MCP_NO_SUCH_VARIABLE')) } catch (error) { told = 'throws ' + error } told",
    "a promise after the end": "(async () => { await null; console.log('ran') })(); 'end'",
    "a name that the bridge does not have": "typeof $.NSNoSuchName4711",
    "an app that is not there": "Application('no such app 4711')",
    "the version of JavaScriptCore": "[typeof [].at, typeof Object.groupBy, typeof Iterator, typeof [].toSorted, typeof Promise.withResolvers].join()",
    "the converter's dictionary of TextEdit": "ObjC.import('Carbon'); ObjC.bindFunction('OSACopyScriptingDefinitionFromURL', ['int', ['id', 'int', 'id*']]); const made = Ref('id*'); const status = $.OSACopyScriptingDefinitionFromURL($.NSURL.fileURLWithPath('/System/Applications/TextEdit.app'), 0, made); status + ' ' + Number(made[0].length)",
}
# The constructs that generated scripts and the worker rely on, tried on whatever Finder has.
RISKS = {
    "an indirect eval keeps nothing": "(0, eval)('(function () { return typeof argv })')()",
    "a column has one value for each element": "const f = Application('Finder').home.folders; f.name().length === f.length",
    "two columns belong together": "const f = Application('Finder').home.folders; const [names, urls] = [f.name(), f.url()]; names.every((name, at) => decodeURIComponent(urls[at]).normalize().endsWith(name.normalize() + '/'))",
    "byId with the type that id() gave": "const p = Application('System Events').processes[0]; Application('System Events').processes.byId(p.id()).exists()",
    "the ids of calendars": "const C = Application('Calendar'); let told; try { told = C.running() ? C.calendars.calendarIdentifier().map((id) => typeof id + String(id ?? '').length).join() : 'not running' } catch (error) { told = error.errorNumber } told",
    "an enumerator by a match": "Array.isArray(Application('Finder').home.items.whose({_match: [ObjectSpecifier().kind, 'Folder']})())",
    "running() launches nothing": "const before = Application('Chess').running(); Application('Chess').running() === before",
    "the number of an Apple event's error": "try { Application('Finder').home.folders.byName('no such folder 4711').name() } catch (error) { error.errorNumber }",
    "a timeout of one event": "Application('Finder').home.name({timeout: 5}) === Application('Finder').home.name()",
    "dates are dates": "Application('Finder').home.creationDate() instanceof Date",
    "records have the prototype of Object": "Object.getPrototypeOf(Application('Finder').home.properties()) === Object.prototype",
}
STORES = """ObjC.import('%(framework)s'); const began = Date.now();
const status = Number($.%(class)s.authorizationStatusForEntityType(%(entity)d)); let count = null;
if (status === 3 && '%(class)s' === 'EKEventStore') count = Number($.EKEventStore.alloc.init.calendarsForEntityType(%(entity)d).count);
JSON.stringify({ status, count, ms: Date.now() - began })"""


class Hour:
    """One run."""

    def __init__(self, runner, facts, options):
        self.runner, self.facts, self.options = runner, facts, options
        # Facts that need an app run only if the app is running, so they launch none.
        runner.has = self.runs
        self.report = {"format": 1, "time": datetime.now().isoformat(timespec="minutes"), "machine": machine()}

    def ask(self, what):
        """Whether a person agrees."""
        if self.options.yes:
            return True
        print(f"\n{what}\nGo on? [y/N] ", end="", flush=True)
        return sys.stdin.readline().strip().lower() in ("y", "yes")

    def part(self, name, what, work):
        """Runs one part if the person agrees; a failure does not stop the other parts."""
        if not self.ask(what):
            self.report[name] = {"left_out": True}
            return
        began = time.monotonic()
        try:
            self.report[name] = work()
        except Exception as error:  # an error is a part of the report
            self.report[name] = {"failed": type(error).__name__}
        print(f"{name}: {time.monotonic() - began:.0f} s")

    def run(self):
        """Runs all parts."""
        before = self.amounts()
        self.part("facts", "Runs small scripts that only read, in Finder, System Events and the apps that you have.", lambda: self.judge(False))
        self.part("questions", "Asks what nobody has published. Nothing is changed.", lambda: {name: self.answer(script) for name, script in QUESTIONS.items()})
        self.part("risks", "Tries what the server's own scripts rely on. Nothing is changed.", lambda: {name: self.answer(script) for name, script in RISKS.items()})
        self.part("times", f"Measures reads in those of these apps that run now: {', '.join(APPS)}. Only counts and times are kept.", self.times)
        self.part("stores", "Asks whether EventKit and Contacts would answer, and asks nobody for consent.", self.stores)
        self.part("worker", f"Keeps one osascript for {self.options.hours:g} hours and notes its memory. Your apps are not touched.", self.worker)
        self.part("writes", "Makes objects with `iac-mcp fidelity` in their names, in your apps, and deletes them again.", lambda: self.judge(True))
        after = self.amounts()
        self.report["left_behind"] = {app: after[app] - count for app, count in before.items() if after.get(app, count) != count}
        self.report["latency"] = latency(self.report.get("times", {}))
        return self.report

    def judge(self, writes):
        """Checks the facts that only read, or only those that write."""
        chosen = [fact for fact in self.facts if bool(fact["directives"].get("writes")) is writes]
        self.runner.writes = writes
        told = []
        for fact in chosen:
            verdict, why, happened = self.runner.judge(fact)
            row = {"file": fact["file"], "title": fact["title"], "assumption": fact["assumption"], "verdict": verdict}
            if verdict != "agree":
                row["happened"] = None if happened is None else shown(fact["script"], happened)
                row["why"] = why if happened is None else None
            told.append(row)
        return told

    def answer(self, script):
        """The result of a script."""
        try:
            return shown(script, self.runner.run(script, {}))
        except subprocess.TimeoutExpired:
            return {"timeout": True}

    def number(self, script):
        """A number that a script prints; None if it prints something else."""
        status, out, _ = self.runner.run(script, {})
        return json.loads(out) if status == 0 and re.fullmatch(r"-?[\d.]+\s*", out) else None

    def amounts(self):
        """The number of objects of each kind that a part could leave behind."""
        lists = {"Reminders": "reminders", "Notes": "notes", "Calendar": "calendars", "Finder": "home.items", "OmniFocus": "defaultDocument.flattenedTasks"}
        return {app: count for app, elements in lists.items() if self.runs(app) and (count := self.number(f"Application('{app}').{elements}.length")) is not None}

    def runs(self, app):
        """Whether an app runs; this launches nothing."""
        return self.runner.run(f"Application({json.dumps(app)}).running()", {})[1].strip() == "true"

    def times(self):
        """For each app that runs: a count, a column, a filter, one property of one object."""
        return {app: self.timed(app, *how) if self.runs(app) else {"running": False} for app, how in APPS.items()}

    def timed(self, app, elements, term, test):
        """Times in milliseconds, and the number with which an event failed."""
        script = f"""const all = Application('{app}').{elements}, told = {{ running: true }};
const time = (name, work) => {{ const began = Date.now(); try {{ const value = work(); told[name] = Date.now() - began; return value }} catch (error) {{ told[name] = 'error ' + (error.errorNumber ?? -2700) }} }};
told.count = time('count_ms', () => all.length);
time('column_ms', () => all.{term}()); told.matches = time('whose_ms', () => all.whose({test}).{term}().length);
if (told.count > 0) time('single_ms', () => all[0].{term}());
JSON.stringify(told)"""
        status, out, error = self.runner.run(script, {})
        return json.loads(out) if status == 0 else {"running": True, "error": number(error)}

    def stores(self):
        """The state of consent for each app, and how fast the system gives it."""
        asked = {"events": ("EventKit", "EKEventStore", 0), "reminders": ("EventKit", "EKEventStore", 1), "contacts": ("Contacts", "CNContactStore", 0)}
        told = {}
        for name, (framework, store, entity) in asked.items():
            status, out, error = self.runner.run(STORES % {"framework": framework, "class": store, "entity": entity}, {})
            told[name] = json.loads(out) if status == 0 else {"error": number(error)}
        return told

    def worker(self):
        """Round-trip times and memory of one process that evaluates one script again and again."""
        command = [self.runner.osascript, "-l", "JavaScript", "-e", WORKER.read_text(encoding="utf-8")]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.runner.environment, text=True)
        process.stdout.readline()
        ends, samples, asked, slowest = time.monotonic() + self.options.hours * 3600, [], 0, 0.0
        request = {"program": "p", "code": "(text) => { const all = JSON.parse(text); return JSON.stringify(all.map((n) => n + 1)) }", "data": json.dumps(list(range(500)))}
        while process.poll() is None:
            for _ in range(200):
                began = time.perf_counter()
                process.stdin.write(json.dumps({"id": asked, **request}) + "\n")
                process.stdin.flush()
                if not process.stdout.readline():
                    break
                slowest, asked = max(slowest, time.perf_counter() - began), asked + 1
            samples.append({"asked": asked, "kilobytes": memory(process.pid)})
            if time.monotonic() >= ends:
                break
            time.sleep(min(30, max(0, ends - time.monotonic())))
        process.stdin.close()
        return {"asked": asked, "slowest_ms": round(slowest * 1000, 2), "status": process.wait(60), "memory": samples[:: max(1, len(samples) // 200)]}


def machine():
    """The system, without its name or its user."""
    version = platform.mac_ver()[0]
    return {"system": f"macOS {version}" if version else platform.system(), "machine": platform.machine(), "python": platform.python_version()}


def memory(process):
    """The resident memory of a process."""
    done = subprocess.run(["ps", "-o", "rss=", "-p", str(process)], capture_output=True, text=True)
    return int(done.stdout.strip() or 0)


def number(text):
    """The number in an error text."""
    found = re.search(r"\((-?\d+)\)\s*$", text)
    return int(found.group(1)) if found else None


def shown(script, happened):
    """The part of a result that may be in the report: the output only if the script asked no app, otherwise a digest
    that shows whether two outputs are equal."""
    status, out, error = happened
    told = {"status": status, "error": number(error)}
    asks = re.search(r"Application\((?!\)|'no such)", script)
    if not asks or out.strip() in ("true", "false") or re.fullmatch(r"-?\d+\s*", out) or out.startswith(("[object ", 'Application("Finder").desktop')):
        return {**told, "out": out.strip()[:200], "err": None if asks else scrubbed(error)}
    return {**told, "length": len(out), "digest": hashlib.sha256(out.encode()).hexdigest()[:12]}


def scrubbed(text):
    """A system message without paths."""
    return re.sub(r"/\S+", "…", text.replace(os.path.expanduser("~"), "~")).strip()[:200]


def latency(times):
    """A latency model for the simulator from the measurements: the columns and filters of each app."""
    rules = []
    for app, told in times.items():
        count = told.get("count") if isinstance(told, dict) else None
        if not count:
            continue
        for form, key, share in (("whose", "whose_ms", "element"), ("column", "column_ms", "value")):
            if isinstance(told.get(key), int):
                rules.append({"app": BUNDLES.get(app, app), "form": form, "event": 5, share: round(max(0, told[key] - 5) * 1000 / count, 1), "source": "first hour"})
        if isinstance(told.get("single_ms"), int):
            rules.append({"app": BUNDLES.get(app, app), "event": told["single_ms"], "source": "first hour"})
    return {"start": 30, "rules": rules}


BUNDLES = {
    "Mail": "com.apple.mail",
    "Calendar": "com.apple.iCal",
    "Reminders": "com.apple.reminders",
    "Contacts": "com.apple.AddressBook",
    "Notes": "com.apple.Notes",
    "Music": "com.apple.Music",
    "Finder": "com.apple.finder",
    "Safari": "com.apple.Safari",
    "OmniFocus": "com.omnigroup.OmniFocus4",
    "System Events": "com.apple.systemevents",
}


def main(runner, facts, options):
    """Runs the hour and writes its report."""
    report = Hour(runner, facts, options).run()
    path = Path(options.report or "first-hour.json")
    path.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    facts_told = [row for part in ("facts", "writes") for row in report[part] if isinstance(report[part], list)]
    sums = {verdict: sum(row["verdict"] == verdict for row in facts_told) for verdict in ("agree", "differ", "could not tell")}
    print(", ".join(f"{count} {verdict}" for verdict, count in sums.items()))
    if report["left_behind"]:
        print(f"not put back: {report['left_behind']}; look for objects named `iac-mcp fidelity`", file=sys.stderr)
    print(f"\nRead {path}: it holds counts, times and error numbers, and no text of yours. Then attach it to an issue of the project")
    print("with the title `first hour` and the version of your system. Its part `latency` is a model that the simulator reads:")
    print(f"IAC_MCP_LATENCY takes a file with that part alone (`python3 tests/fidelity/run.py --latency-of {path}` prints it).")
    return 1 if report["left_behind"] else 0
