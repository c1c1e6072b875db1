"""What people ask every day, each with one call on the simulated Mac, from the list of tools alone."""

import unittest

from support import Home, Server


class Everyday(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = Home()
        cls.addClassCleanup(cls.home.cleanup)
        cls.server = Server(cls.home)
        cls.addClassCleanup(cls.server.__exit__)

    def elements(self, app, **arguments):
        answer = self.server.call("iac_mcp_get_elements", app=app, **arguments)
        self.assertNotIn("error", answer, answer)
        return answer

    def test_groups_of_containers_of_which_some_have_no_owner(self):
        """An empty mailbox without an account is in the group without a name, and not in a group of an error."""
        places = ["every mailbox of every account", "every mailbox"]
        answer = self.elements("Mail", container=places, elementType="message", groupBy=["mailbox.account.name"])
        keys = [group["key"]["mailbox.account.name"] for group in answer["groups"]]
        self.assertEqual(len(keys), len(set(keys)))
        self.assertIn(None, keys)
        self.assertTrue(all(key is None or isinstance(key, str) for key in keys), keys)

    def test_a_name_without_its_place(self):
        found = self.elements("Mail", elements='every message of mailbox "Garden house"', limit=1)
        self.assertEqual(found["resolvedAs"], 'mailbox "Garden house" of account "iCloud"')
        self.assertEqual(found["count"], 1)
        again = self.elements("Mail", elements=f"every message of {found['resolvedAs']}", limit=0)
        self.assertEqual(again["totalCount"], found["totalCount"])


if __name__ == "__main__":
    unittest.main()
