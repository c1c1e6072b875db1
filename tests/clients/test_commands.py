"""Every command of every simulated app, called as a tool with arguments made from its own schema.

The server runs with everything allowed and all commands as tools; each call begins on a fresh Mac. The simulator's
trace must show the requested event on the given object. The answer must be the app's: its result, or an error with a
number that is also in the trace and in `docs/errors.md`. The effects of each call are in `fixtures/commands.txt`,
which people read; `UPDATE_EXPECT=1` rewrites it.
"""

import json
import os
import re
import subprocess
import unittest

from support import BIN, ROOT, Home, Server

EXPECTED = ROOT / "fixtures/commands.txt"
APP = "application"


def first(element, container=APP, index=0):
    return {"type": "element", "element": element, "index": index, "container": container}


def prop(name, of=APP):
    return {"type": "property", "property": name, "of": of}


def named(element, name, container=APP):
    return {"type": "named", "element": element, "name": name, "container": container}


INBOX = named("mailbox", "INBOX", first("account"))
LETTERS = named("folder", "Letters", named("folder", "Documents", prop("home")))
WINDOW = first("window", named("process", "Finder"))
# For each app: the target of its commands, and the object to pass where the dictionary says only `specifier`; an
# object of each class that the dictionary names; and for `make` the class, the place and the properties.
APPS = {
    "mail": (first("message", INBOX), named("mailbox", "Projects", first("account")), {"message": first("message", INBOX), "account": first("account"), "mailbox": INBOX}, ("mailbox", first("account"), {"name": "Made"})),
    "finder": (LETTERS, prop("desktop"), {"item": LETTERS, "disk": first("disk"), "trash-object": prop("trash")}, ("folder", prop("desktop"), {"name": "Made"})),
    "calendar": (first("event", first("calendar")), first("calendar", index=1), {"event": first("event", first("calendar"))}, ("event", first("calendar"), {"summary": "Made"})),
    "contacts": (first("person"), first("group"), {"person": first("person"), "entry": first("person")}, ("person", APP, {"first name": "Made"})),
    "messages": (first("chat"), APP, {"participant": first("participant")}, ("chat", APP, {})),
    "music": (named("playlist", "Morning"), named("playlist", "Trips"), {"track": first("track"), "file track": first("track"), "playlist": named("playlist", "Morning"), "item": first("track")}, ("playlist", APP, {"name": "Made"})),
    "notes": (first("note"), first("folder", index=1), {"note": first("note"), "folder": first("folder")}, ("note", first("folder"), {"body": "Made"})),
    "reminders": (first("reminder", first("list")), first("list", index=1), {"reminder": first("reminder", first("list")), "list": first("list")}, ("reminder", first("list"), {"name": "Made"})),
    "safari": (first("tab", first("window")), first("window", index=1), {"tab": first("tab", first("window")), "document": first("document")}, ("document", APP, {"URL": "https://made.example/"})),
    "system_events": (WINDOW, APP, {"UI element": first("button", WINDOW), "action": first("action", first("button", WINDOW)), "file": first("file")}, ("login item", APP, {})),
    "textedit": (first("document"), APP, {"document": first("document")}, ("document", APP, {})),
}
# The server can ask no one here, so rules allow the dangerous commands by name; commands that are shells stay refused.
DANGEROUS = ("quit", "delete", "empty", "erase", "restart", "shut down", "log out", "send", "logout", "email contents", "abort transaction", "select", "make", "duplicate", "move")
RULES = ",\n".join(f'  {{ command = "{command}", level = "DANGEROUS", decision = "allow", launch = true }}' for command in DANGEROUS)
POLICY = f'profile = "trusted"\nrules = [\n{RULES},\n]\n'
# Commands about screen savers and network connections. The simulated Mac has none of these, so the commands have no
# target.
WITHOUT_OBJECT = {"system_events_connect", "system_events_disconnect", "system_events_start", "system_events_stop"}
# If these commands are not refused, they must change the app's objects; Messages does not show what it sent.
CHANGES = {"make", "delete", "move", "duplicate", "send", "reply", "forward", "redirect", "add", "remove", "play", "playpause", "stop", "next track", "select", "reveal"}


def new_mac(home):
    """A world in which the user has allowed Accessibility, so that there are windows and buttons of processes."""
    world = home.path / "mac"
    subprocess.run([BIN, "sim", "new", str(world)], check=True, env=home.environment, stdout=subprocess.DEVNULL)
    (world / "consent.json").write_text('{"accessibility": true}', encoding="utf-8")
    return world


class Commands(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.home = Home()
        cls.addClassCleanup(cls.home.cleanup)
        cls.world = new_mac(cls.home)
        # The server cannot show the objects of an app that is not running, so it would refuse to change them. So every
        # app runs here.
        for data in (cls.world / "base/data").glob("*.json"):
            data.write_text(data.read_text(encoding="utf-8").replace('"running": false', '"running": true', 1), encoding="utf-8")
        cls.home.state.mkdir()
        (cls.home.state / "policy.toml").write_text(POLICY, encoding="utf-8")
        cls.trace = cls.home.path / "trace.jsonl"
        environment = cls.home.environment | {"IAC_MCP_TRACE": str(cls.trace)}
        cls.server = Server(cls.home, "--world", str(cls.world), "--tools", "all", environment=environment)
        cls.addClassCleanup(cls.server.__exit__)
        cls.tools = [tool for tool in cls.server.ask("tools/list")["result"]["tools"] if app_of(tool["name"])]
        cls.known = set(re.findall(r"^\| (-?\d+) \|", (ROOT / "docs/errors.md").read_text(encoding="utf-8"), re.M))

    def test_every_command_does_what_the_log_says(self):
        self.assertGreater(len(self.tools), 130)
        text = "".join(self.line(tool) + "\n" for tool in self.tools)
        if os.environ.get("UPDATE_EXPECT"):
            EXPECTED.write_text(text, encoding="utf-8")
        self.assertEqual(EXPECTED.read_text(encoding="utf-8"), text)

    def line(self, tool):
        """Calls one command on a fresh Mac, checks its answer against the trace, and returns a description of the
        effects."""
        name, app, command = tool["name"], app_of(tool["name"]), tool["title"].split(": ", 1)[1]
        self.reset()
        arguments = arguments_of(app, command, tool["inputSchema"])
        if (app, command) == ("mail", "send"):
            arguments["target"] = self.letter()
        answer = self.server.ask("tools/call", name=name, arguments=arguments)["result"]
        body, events = answer["structuredContent"], self.events()
        shown = [event for event in events if event["event"] == command]
        at = f"{name} {json.dumps(arguments, ensure_ascii=False)} {json.dumps(body, ensure_ascii=False)[:400]} {events}"
        if body.get("error") == "permission_denied" and not events:
            return f"{name}: refused by the policy, no event"
        if body.get("error") == "reference_invalid" and not shown:
            return f"{name}: nothing that it could be about, not sent"
        if name in WITHOUT_OBJECT:
            self.assertEqual((body.get("error"), events), ("invalid_parameter", []), at)
            self.assertIn("of class", body["message"], at)
            return f"{name}: there is no object of its class, not sent"
        self.assertEqual(len(shown), 1, at)
        number = shown[0].get("error")
        self.assertEqual(bool(answer.get("isError")), number is not None, at)
        if number is not None:
            self.assertEqual(body.get("number"), number, at)
            self.assertIn(str(number), self.known, at)
        changed = self.changed()
        if command in CHANGES and number is None and app != "messages":
            self.assertTrue(changed, at)
        outcome = "answers" if number is None else f"error {number}"
        return f"{name}: {shown[0]['target']}: {outcome}{', changes' if changed else ''}"

    def letter(self):
        """A message that can be sent."""
        made = self.server.call("mail_make", new="outgoing message", withProperties={"subject": "Made", "content": "Text"})
        letter = made["data"]["reference"]
        self.server.call("mail_make", new="to recipient", at=letter, withProperties={"address": "ana@example.com"})
        self.trace.write_text("", encoding="utf-8")
        return letter

    def reset(self):
        subprocess.run([BIN, "sim", "reset", str(self.world)], check=True, env=self.home.environment, stdout=subprocess.DEVNULL)
        self.trace.write_text("", encoding="utf-8")

    def events(self):
        return [json.loads(line) for line in self.trace.read_text(encoding="utf-8").splitlines()]

    def changed(self):
        """Whether the journal contains more than starts and ends of apps."""
        journal = self.world / "state/journal"
        lines = journal.read_text(encoding="utf-8").splitlines()[1:] if journal.exists() else []
        return any("running" not in change for line in lines for change in json.loads(line)["changes"])


class Paths(unittest.TestCase):
    """Each way to a class that the path finder gives leads to an object of that class."""

    @classmethod
    def setUpClass(cls):
        cls.home = Home()
        cls.addClassCleanup(cls.home.cleanup)
        cls.server = Server(cls.home, "--world", str(new_mac(cls.home)))
        cls.addClassCleanup(cls.server.__exit__)

    def test_every_way_to_a_class_leads_there(self):
        ways, found = 0, 0
        for app in ("Mail", "Finder", "Calendar", "Contacts", "Notes", "Reminders", "Safari", "System Events", "Music", "TextEdit"):
            if app == "Contacts":
                self.server.call("iac_mcp_run_command", app=app, command="launch")
            for name in class_names(app):
                described = self.server.call("iac_mcp_describe_app", app=app, reach=name)
                for way in described.get("ways", []):
                    ways += 1
                    found += self.leads(app, way["specifier"], f"{app}: {name}: {way}")
        self.assertGreater(ways, 150)
        self.assertGreater(found, 100)

    def leads(self, app, specifier, at):
        """Whether there is an object at a specifier. If there is none, its collection must be empty."""
        answer = self.server.call("iac_mcp_query_object", app=app, specifier=specifier)
        if "error" not in answer:
            # A specifier can lead to a plain value, which is not an object.
            return "reference" in answer
        if answer["error"] == "app_not_running":
            return False
        self.assertEqual(answer["error"], "reference_invalid", f"{at}: {answer}")
        container = specifier.get("container", specifier.get("of", APP))
        if isinstance(container, dict) and not self.leads(app, container, at):
            return False
        self.assertIn("element", specifier, f"{at}: {answer}")
        listed = self.server.call("iac_mcp_get_elements", app=app, container=container, elementType=specifier["element"], limit=1)
        self.assertEqual(listed.get("totalCount"), 0, f"{at}: {answer}: {listed}")
        return False


def class_names(app):
    """The classes of an app's dictionary that are not hidden."""
    [path] = [path for path in (ROOT / "fixtures/mac").rglob("*.sdef") if f"/{app}.app/" in str(path)] or [ROOT / "fixtures/mac/System/Library/ScriptingDefinitions/CocoaStandard.sdef"]
    command = [BIN, "describe", str(path), "--json", "--standard", str(ROOT / "fixtures/mac/System/Library/ScriptingDefinitions/CocoaStandard.sdef")]
    described = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return [each["name"] for each in described["classes"]]


def app_of(tool):
    """The simulated app of a tool, if this test has objects for it."""
    return next((app for app in APPS if tool.startswith(f"{app}_")), None)


def arguments_of(app, command, schema):
    """Arguments for a command: the required ones, the target, and those of a simple type."""
    properties, required = schema["properties"], schema.get("required", [])
    if command == "make":
        new, at, values = APPS[app][3]
        wanted = {"new": new, "at": at, "withProperties": values}
        return {name: value for name, value in wanted.items() if name in properties and (name in required or value not in ({}, APP))}
    simple = {name for name, kind in properties.items() if "enum" in kind or kind.get("type") == "boolean"}
    return {name: value_of(app, name, kind) for name, kind in properties.items() if name in required or name == "target" or name in simple}


def value_of(app, name, kind):
    """A value that fits a schema."""
    about, place, of_class, _ = APPS[app]
    options = flat(kind)
    words = [option.get("description", "") for option in options]
    if "enum" in kind:
        return kind["enum"][0]
    classes = [match.group(1).strip() for each in words if (match := re.search(r"of class ([\w -]+)", each))]
    if classes:
        return next((of_class[each] for each in classes if each in of_class), about)
    if any("reference (ref_" in each for each in words):
        return place if name in ("to", "at", "from", "in") else about
    if any("name of a class" in each for each in words):
        return {"mail": "account", "finder": "item", "music": "track"}.get(app, next(iter(of_class)))
    if any("path of a file" in each for each in words):
        return ["/tmp/file.txt"] if kind.get("type") == "array" else "/tmp/file.txt"
    if any("date" in option.get("format", "") for option in options):
        return "2026-01-28T10:00:00+01:00"
    return {"boolean": True, "integer": 1, "number": 1.5, "object": {}, "array": []}.get(next((option["type"] for option in options if "type" in option), None), "text")


def flat(kind):
    """A schema, and every schema of its unions."""
    return [kind, *(inner for option in kind.get("anyOf", []) for inner in flat(option))]


if __name__ == "__main__":
    unittest.main()
