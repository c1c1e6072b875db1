"""Everyday tasks: what the right answer is, and how each server is asked for it.

A task says what the answers must contain and must not contain. Its calls are those of somebody who knows the server well:
as few as possible, with only the properties and elements that the task needs. If a server cannot do a task, `CANNOT` says
why.
"""

import datetime
import json
from dataclasses import dataclass

# A sender with few messages, so that even a server that stops after some number of messages finds all of them.
SENDER = "John Ashworth"
WORD = "ladder"
EVENT = "Lunch with the choir"

# For servers that run any script, the way with the fewest Apple events: reading whole columns.
COLUMNS = "const m = Application('Mail').inbox.messages;"


@dataclass
class Task:
    name: str
    title: str
    # A script that prints {"must": [...], "not": [...]}. It runs before the calls, or after them if the task creates
    # something.
    truth: str
    after: bool = False


TASKS = [
    Task(
        "sender",
        "mail from one sender in the last 14 days, of 10,100 messages",
        f"""{COLUMNS} const from = m.sender(), dates = m.dateReceived(), subjects = m.subject(), since = Date.now() - 14 * 864e5;
        const theirs = subjects.map((s, i) => [s, from[i].includes("{SENDER}"), dates[i] >= since]).filter(x => x[1]);
        const must = [...new Set(theirs.filter(x => x[2]).map(x => x[0]))];
        JSON.stringify({{must, not: theirs.filter(x => !x[2] && !must.some(y => x[0].includes(y) || y.includes(x[0]))).map(x => x[0])}})""",
    ),
    Task(
        "unread",
        "the unread count of each of 25 mailboxes",
        """const must = []; for (const a of Application("Mail").accounts()) for (const b of a.mailboxes())
        { must.push(b.name()); if (b.unreadCount() > 5) must.push(String(b.unreadCount())) }
        JSON.stringify({must, not: []})""",
    ),
    Task(
        "newest",
        "the 10 newest unread messages, of 10,100",
        f"""{COLUMNS} const read = m.readStatus(), dates = m.dateReceived(), subjects = m.subject();
        const all = subjects.map((s, i) => [s, read[i], dates[i]]).filter(x => !x[1]).sort((a, b) => b[2] - a[2]);
        const must = all.slice(0, 10).map(x => x[0]), apart = x => x.length > 8 && !must.some(m => m.includes(x) || x.includes(m));
        JSON.stringify({{must, not: all.slice(20, 400).map(x => x[0]).filter(apart)}})""",
    ),
    Task(
        "notes",
        "notes that contain a word",
        f"""const notes = Application("Notes").notes().map(n => [n.name(), n.plaintext().includes("{WORD}")]);
        JSON.stringify({{must: notes.filter(n => n[1]).map(n => n[0]), not: notes.filter(n => !n[1]).map(n => n[0])}})""",
    ),
    Task(
        "event",
        "a new event in a named calendar",
        f"""const found = Application("Calendar").calendars.byName("Home").events.whose({{summary: "{EVENT}"}})();
        const at = new Date(Date.now() + 864e5); at.setHours(12, 0, 0, 0);
        JSON.stringify({{made: found.length === 1 && +found[0].startDate() === +at && found[0].endDate() - at === 36e5}})""",
        after=True,
    ),
    Task(
        "flagged",
        "flagged tasks of OmniFocus that remain, of 326",
        """const left = Application("OmniFocus").evaluateJavascript(`JSON.stringify(flattenedTasks.filter(t => !t.project)
        .map(t => [t.name, t.flagged && ![Task.Status.Completed, Task.Status.Dropped].includes(t.taskStatus),
          t.containingProject?.parentFolder?.effectiveActive === false]))`);
        // Whether a task of a dropped folder remains is said by no page: either answer is right.
        const all = JSON.parse(left).filter(t => t[1] || !t[2]), must = all.filter(t => t[1]).map(t => t[0]);
        const apart = t => t.length > 8 && !must.some(m => m.includes(t) || t.includes(m));
        JSON.stringify({must, not: all.filter(t => !t[1]).map(t => t[0]).filter(apart)})""",
    ),
]


def ours(tool, **arguments):
    return lambda call: call(f"iac_mcp_{tool}", arguments)


def script(text):
    return lambda call: call("execute_script", {"language": "javascript", "script_content": text})


def one(tool, **arguments):
    return lambda call: call(tool, arguments)


def airmcp(tool, **arguments):
    return lambda call: call("run_tool", {"name": tool, "args": arguments})


def each_account(tool, **arguments):
    """For a server that looks at one account at a time: lists the accounts first."""

    def calls(call):
        for account in json.loads(call("list_accounts", {})):
            call(tool, {"account": account["name"], **arguments})

    return calls


def airmcp_each_account(tool, **arguments):
    def calls(call):
        listed = call("run_tool", {"name": "list_accounts", "args": {}})
        accounts = json.loads(listed[listed.index("{") : listed.rindex("}") + 1])["accounts"]
        for account in accounts:
            call("run_tool", {"name": tool, "args": {"account": account["name"], **arguments}})

    return calls


def at_noon(start, end):
    """The start and end of an event tomorrow, in the form that most servers expect."""
    day = datetime.date.today() + datetime.timedelta(days=1)
    return {start: f"{day}T12:00:00", end: f"{day}T13:00:00"}


CALLS = {
    "iac-mcp": {
        "sender": ours(
            "get_elements",
            app="Mail",
            elements=f'every message of inbox whose sender contains "{SENDER}" and date received > now - 14 days',
            properties=["subject", "date received"],
        ),
        "unread": ours("get_elements", app="Mail", elements="every mailbox of every account", properties=["name", "unread count"]),
        "newest": ours(
            "get_elements",
            app="Mail",
            elements="every message of inbox whose read status is false",
            properties=["subject", "sender"],
            sort=[{"property": "date received", "order": "desc"}],
            limit=10,
        ),
        "notes": ours("get_elements", app="Notes", elements=f'every note whose plaintext contains "{WORD}"', properties=["name"]),
        "event": ours(
            "create",
            **{"app": "Calendar", "class": "event", "at": 'calendar "Home"'},
            properties={"summary": EVENT, "start date": "tomorrow 12:00", "end date": "tomorrow 13:00"},
        ),
        "flagged": ours(
            "get_elements",
            app="OmniFocus",
            elements="every flattened task of default document whose flagged is true and effectively completed is false and effectively dropped is false",
            properties=["name"],
        ),
    },
    "iac-mcp+omnifocus": {
        "flagged": one("omnifocus_read", query={"type": "tasks", "filters": {"flagged": True}, "fields": ["name"], "limit": 100}),
    },
    "macos-automator-mcp": {
        "sender": script(
            f"""{COLUMNS} const from = m.sender(), dates = m.dateReceived(), subjects = m.subject(), since = Date.now() - 14 * 864e5;
JSON.stringify(subjects.map((s, i) => [s, dates[i]]).filter((x, i) => from[i].includes("{SENDER}") && x[1] > since))"""
        ),
        "unread": script(
            """const a = Application("Mail").accounts, names = a.mailboxes.name(), unread = a.mailboxes.unreadCount();
JSON.stringify(names.map((list, i) => list.map((name, k) => [name, unread[i][k]])))"""
        ),
        "newest": script(
            f"""{COLUMNS} const read = m.readStatus(), dates = m.dateReceived(), subjects = m.subject(), from = m.sender();
JSON.stringify(subjects.map((s, i) => [s, from[i], dates[i], read[i]]).filter(x => !x[3]).sort((a, b) => b[2] - a[2]).slice(0, 10))"""
        ),
        "notes": script(f"""JSON.stringify(Application("Notes").notes.whose({{plaintext: {{_contains: "{WORD}"}}}}).name())"""),
        "event": script(
            f"""const c = Application("Calendar"), start = new Date(Date.now() + 864e5); start.setHours(12, 0, 0, 0);
const event = c.Event({{summary: "{EVENT}", startDate: start, endDate: new Date(+start + 36e5)}});
c.calendars.byName("Home").events.push(event); event.uid()"""
        ),
        "flagged": script(
            """Application("OmniFocus").evaluateJavascript(`JSON.stringify(flattenedTasks.filter(t => !t.project && t.flagged &&
![Task.Status.Completed, Task.Status.Dropped].includes(t.taskStatus)).map(t => t.name))`)"""
        ),
    },
    "apple-mail-mcp": {
        "sender": each_account("search", query=SENDER, scope="sender", limit=20),
        "unread": each_account("list_mailboxes"),
        "newest": each_account("get_emails", mailbox="INBOX", filter="unread", limit=10),
    },
    "omnifocus-mcp": {
        "flagged": one("query_omnifocus", entity="tasks", filters={"flagged": True}, fields=["name"]),
    },
    "kip-d": {
        "flagged": one("omnifocus_read", query={"type": "tasks", "filters": {"flagged": True}, "fields": ["name"], "limit": 100}),
    },
    "airmcp": {
        "sender": airmcp("search_messages", query=SENDER, limit=30),
        "unread": airmcp("list_mailboxes"),
        "newest": airmcp_each_account("list_messages", mailbox="INBOX", limit=40),
        "notes": one("search_notes", query=WORD),
        "event": airmcp("create_event", summary=EVENT, calendar="Home", **at_noon("startDate", "endDate")),
    },
    "apple-mcp": {
        "sender": one("mail", operation="search", searchTerm=SENDER, limit=30),
        "newest": one("mail", operation="unread", limit=10),
        "notes": one("notes", operation="search", searchText=WORD),
        "event": one("calendar", operation="create", title=EVENT, calendarName="Home", **at_noon("startDate", "endDate")),
    },
}

# The smallest question about the Mac that a server accepts, asked of a small world. It shows the cost of a call
# without its work.
SIMPLE = {
    "iac-mcp": ours("query_object", app="Mail", specifier="unread count of inbox"),
    "macos-automator-mcp": script('Application("Mail").inbox.unreadCount()'),
    "apple-mail-mcp": one("list_mailboxes", account="iCloud"),
    "omnifocus-mcp": one("query_omnifocus", entity="folders", fields=["name"]),
    "server-filesystem": lambda call: call("list_allowed_directories", {}),
    "kip-d": one("omnifocus_read", query={"type": "folders"}),
    "airmcp": one("list_notes", limit=1),
    "apple-mcp": one("notes", operation="search", searchText=WORD),
}
