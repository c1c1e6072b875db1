"""A new plugin in each language is built, tested and called, and its errors give a useful reason."""

import json
import os
import unittest

from workshop import BIN, ROOT, Workshop

BINDINGS = os.environ.get("IAC_MCP_C_BINDINGS", str(ROOT / "target/debug/iac-c-bindings"))
ZIG = os.environ.get("IAC_MCP_ZIG")
# A folder with `jco`, and the program `componentize-py`.
JCO = os.environ.get("IAC_MCP_JCO")
COMPONENTIZE_PY = os.environ.get("IAC_MCP_COMPONENTIZE_PY")


class Languages(Workshop):
    def setUp(self):
        super().setUp()
        self.plugin = self.folder / "notes"
        programs = self.folder / "bin"
        programs.mkdir()
        self.environment |= {
            "ZIG_LOCAL_CACHE_DIR": str(self.folder / "zig"),
            "PATH": f"{programs}:{os.environ['PATH']}",
        }
        self.programs = programs

    def program(self, name, text):
        path = self.programs / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def run_it(self, *command, status=0, cwd=None):
        return self.run_in(cwd or self.plugin, *command, status=status)

    def new(self, language):
        return self.run_it(BIN, "plugin", "new", "notes", "--language", language, cwd=self.folder)

    def fails(self, file, before, after, *expected):
        """Changes a line of the plugin, and searches the output of the plugin's test for some words."""
        path = self.plugin / file
        text = path.read_text()
        self.assertIn(before, text)
        path.write_text(text.replace(before, after, 1))
        said = self.run_it(BIN, "plugin", "test", status=1)
        for words in expected:
            self.assertIn(words, said)
        path.write_text(text)

    def called(self):
        self.run_it(BIN, "plugin", "add", "notes.wasm", "--yes")
        answer = json.loads(self.run_it(BIN, "call", "notes", "--simulated", "--json"))
        return {folder["name"] for folder in answer["folders"]}

    def failing(self, file, before, after, calls):
        """Changes a line so that calls fail as their arguments say, and searches the output of the test for the words
        of each."""
        path = self.plugin / file
        text = path.read_text()
        self.assertIn(before, text)
        path.write_text(text.replace(before, after + before, 1))
        for how in calls:
            (self.plugin / f"calls/{how}.json").write_text(json.dumps({"arguments": {"how": how}}))
        # The output of the language's tools follows the answer.
        said = self.run_it(BIN, "plugin", "test", "--json", status=1)
        rows = json.JSONDecoder().raw_decode(said)[0]["calls"]
        rows = {row["call"]: row for row in rows}
        self.assertEqual(rows["counts"]["result"], "ok", rows["counts"])
        for how, expected in calls.items():
            # The cause is in the error that the client sees, and not only in the log.
            self.assertIn(expected[0], rows[how]["got"]["message"])
            for words in expected[1:]:
                self.assertIn(words, json.dumps(rows[how], ensure_ascii=False))

    # An interpreter takes minutes to compile in a debug build, so one package contains every kind of failure.
    @unittest.skipUnless(JCO, "there is no jco: IAC_MCP_JCO does not say where")
    def test_javascript(self):
        self.new("js")
        self.program("jco", f'exec "{JCO}/jco" "$@"')
        how = """
    const { how } = JSON.parse(text);
    if (how === "throw") throw new Error("no such luck");
    if (how === "undefined") how.length.too.far;
    if (how === "loop") for (;;) {}
    if (how === "log") { log("seen", Date.now()); throw new Error("x"); }
    if (how === "answer") return { value: "7 apples" };
    if (how === "fault") throw { code: "not_found", message: "no such note", retryable: false };
"""
        self.failing("plugin.js", "    const notes = open", how, {
            "throw": ["no such luck", "at callTool (/plugin.js:"], "undefined": ["(/plugin.js:"], "loop": ["compute time"],
            "log": ["(/plugin.js:", '"level": "info", "text": "seen'], "answer": ["its answer is not a JSON object"], "fault": ["no such note", "not_found"],
        })
        self.assertIn("Garden house", self.called())

    @unittest.skipUnless(COMPONENTIZE_PY, "there is no componentize-py: IAC_MCP_COMPONENTIZE_PY does not say where")
    def test_python(self):
        self.new("python")
        self.program("componentize-py", f'exec "{COMPONENTIZE_PY}" "$@"')
        how = """        how = json.loads(arguments).get("how")
        if how == "raise":
            print("seen")
            raise ValueError("no such luck")
        if how == "exit":
            sys.exit(3)
        if how == "import":
            import decimal
        if how == "loop":
            sys.settrace(watch)
            forever()
        if how == "memory":
            hoard()
        if how == "calls":
            with apps.open("com.apple.Notes") as notes:
                while True:
                    notes.get_elements('{"container": {"type": "application"}, "elementType": "folder", "limit": 1}')
        if how == "answer":
            return Outcome("7 apples", None)
        if how == "fault":
            raise Err(Fault("not_found", "no such note", None, False, None))
"""
        path = self.plugin / "app.py"
        # The code of the docs, but active in one call only.
        watch = (ROOT / "docs/plugin-debugging.md").read_text().partition("```python\n")[2].partition("```")[0]
        self.assertIn("sys.settrace(watch)", watch)
        long = "def forever():\n    while True:\n        pass\n\n\ndef hoard():\n    kept = []\n    while True:\n        kept.append(bytearray(1_000_000))\n\n\n"
        long = watch.replace("\nsys.settrace(watch)\n", "") + long
        imports = "import json\nimport sys\n\nfrom componentize_py_types import Err\nfrom wit_world.imports.types import Fault\n"
        path.write_text(path.read_text().replace("import json\n", imports, 1).replace("class Tools", long + "class Tools", 1))
        self.failing("app.py", "        # An exception here", how, {
            "raise": ["in call_tool ValueError: no such luck", "app.py", '"level": "info", "text": "seen"'], "exit": ["it stopped with"], "import": ["No module named 'decimal'"],
            "loop": ["log lines", "app.py", ", in forever"], "calls": ["host calls", '"code of Python"'],
            "memory": ["the limit on memory, 64 MiB: ", "in hoard MemoryError"], "answer": ["its answer is not a JSON object"], "fault": ["no such note", "not_found"],
        })
        self.assertIn("Garden house", self.called())

    @unittest.skipUnless(ZIG, "there is no zig: IAC_MCP_ZIG does not say where")
    def test_c(self):
        self.assertIn("a plugin that lists the folders of Notes", self.new("c"))
        self.program("zig", f'exec "{ZIG}" "$@"')
        self.program("wit-bindgen", f'exec "{BINDINGS}" "$2" . "$4"')
        self.run_it(BIN, "plugin", "test")
        start = 'printf("called'
        self.fails("plugin.c", start, f'if (arguments->len) {{ fprintf(stderr, "no such luck\\n"); abort(); }} {start}', "no such luck", "call_tool")
        self.fails("plugin.c", start, f"while (arguments->len) printf(\"%s\", \"\"); {start}", "compute time")


if __name__ == "__main__":
    unittest.main()
