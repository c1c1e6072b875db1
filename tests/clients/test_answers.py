"""What lists, counts and questions say about objects of the simulated Mac."""

from support import Trusting


class Answers(Trusting):
    POLICY = 'profile = "trusted"\n'

    def listed(self, app, elements, **more):
        return self.call("iac_mcp_get_elements", app=app, elements=elements, **more)

    def test_a_copy_on_the_desktop_is_in_its_folder(self):
        copied = {"app": "Finder", "command": "duplicate", "target": "~/Documents/CV Alex Marin.pdf", "arguments": {"to": "desktop"}}
        self.call("iac_mcp_run_command", **copied)
        for place in ("~/Desktop", "desktop"):
            names = [each["name"] for each in self.call("iac_mcp_get_elements", app="Finder", container=place)["elements"]]
            self.assertIn("CV Alex Marin.pdf", names, place)
        self.call("iac_mcp_query_object", app="Finder", specifier="~/Desktop/CV Alex Marin.pdf")
