"""First calls as models write them: in common words, without a look at the app's dictionary."""

import unittest

from support import Home, Server

# A read that works at once: the tool, its arguments, and the keys that the first object or the answer has.
RIGHT = [
    ("get_elements", {"app": "mail", "elements": "messages of inbox where read is false", "properties": "subject, from, date", "limit": "5"}, ["subject", "sender", "date received"]),
    ("get_elements", {"app": "Mail", "container": "inbox", "elementType": "messages", "where": {"isRead": False, "subject": {"contains": "house"}}, "properties": ["title"]}, ["subject"]),
    ("get_elements", {"app": "Mail", "elements": "attachments of messages of inbox", "limit": 2}, ["id", "name"]),
    ("get_elements", {"app": "Mail", "elements": "messages of inbox", "properties": ["subject", "attachments", "to"], "limit": 1}, ["subject", "mail attachments.name"]),
    ("get_elements", {"app": "Calendar", "elements": "every event of every calendar", "where": {"start": {">=": "today", "<": "today + 7 days"}}, "properties": ["title", "start", "end"]}, ["summary", "start date", "end date"]),
    ("get_elements", {"app": "reminders", "elements": "every reminder whose done is false", "properties": ["title", "due", "list"]}, ["name", "due date"]),
    ("get_elements", {"app": "Notes", "elements": "notes", "sort": [{"property": "modified", "order": "desc"}], "properties": ["title", "text"], "limit": 2}, ["name", "plaintext"]),
    ("get_elements", {"app": "Safari", "elements": "tabs", "properties": ["title", "link"]}, ["name", "URL"]),
    ("get_elements", {"app": "Finder", "elements": "files of ~/Downloads", "sort": "size desc", "properties": ["name", "type", "modified"]}, ["name", "kind", "modification date"]),
    ("get_elements", {"app": "OmniFocus", "elements": "tasks", "where": {"flagged": True, "done": False}, "properties": ["title", "due"]}, ["name", "due date"]),
    ("get_elements", {"app": "omnifocus", "elements": "projects", "where": "status is active", "properties": ["title", "status"]}, ["name", "status"]),
]

# A wrong call, and the words in the error that the second call needs.
NEAR = [
    ("query_object", {"app": "Safari", "specifier": "current tab"}, "current tab of front window"),
    ("query_object", {"app": "Safari", "specifier": "URL of active tab of front window"}, "current tab"),
    ("query_object", {"app": "Safari", "specifier": "title of current tab of front window"}, "name"),
    ("query_object", {"app": "System Events", "specifier": "dark mode"}, "dark mode of appearance preferences"),
    ("get_elements", {"app": "System Events", "elements": "every process whose POSIX path contains \"Mail\""}, "POSIX path of file"),
]


class FirstCalls(unittest.TestCase):
    def test_common_words_are_answered_at_once(self):
        with Home() as home, Server(home) as server:
            for tool, arguments, keys in RIGHT:
                with self.subTest(arguments=arguments):
                    answer = server.call(f"iac_mcp_{tool}", **arguments)
                    self.assertNotIn("error", answer)
                    first = answer["elements"][0]
                    self.assertLessEqual(set(keys), set(first.get("properties", first)), first)

    def test_an_error_has_the_words_of_the_next_call(self):
        with Home() as home, Server(home) as server:
            for tool, arguments, near in NEAR:
                with self.subTest(arguments=arguments):
                    self.assertIn(near, server.call(f"iac_mcp_{tool}", **arguments)["near"])

    def test_a_task_may_be_open_in_a_project_that_is_not(self):
        every = "every flattened task whose completed is false"
        with Home() as home, Server(home) as server:
            note = server.call("iac_mcp_get_elements", app="OmniFocus", elements=every, limit=1)["note"]
            self.assertIn("effectively completed is false and effectively dropped is false", note)
            both = "every flattened task whose effectively completed is false and effectively dropped is false"
            answer = server.call("iac_mcp_get_elements", app="OmniFocus", elements=both, limit=1)
            self.assertNotIn("note", answer)


if __name__ == "__main__":
    unittest.main()
