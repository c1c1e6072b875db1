"""Plugins that ask web servers: granted by host and method, with secrets that no one sees. The tests use no
network."""

import base64
import json
import stat
import subprocess
import unittest

from workshop import BIN, ROOT, Workshop

HOST = "api.rates.example"
TOKEN = "s3cret-of-a-person"


def blocks(language):
    """The code of the section about web servers in docs/plugins.md."""
    text = (ROOT / "docs/plugins.md").read_text()
    section = text.partition("### Web servers\n")[2].partition("\n### ")[0]
    return [part.partition("```")[0] for part in section.split(f"```{language}\n")[1:]]


class Http(Workshop):
    def setUp(self):
        super().setUp()
        self.run_in(self.folder, BIN, "plugin", "new", "rates")
        self.project = self.folder / "rates"
        manifest = self.project / "plugin.toml"
        head = manifest.read_text().partition("[[wants]]")[0]
        manifest.write_text(head.rpartition("#")[0] + blocks("toml")[0])
        (self.project / "src/lib.rs").write_text(blocks("rust")[0])
        for call in (self.project / "calls").iterdir():
            call.unlink()
        answer = {"of": "EUR", "rates": {"USD": 1.25}, "untrusted": True}
        self.write("calls/euro.json", {"arguments": {"of": "EUR"}, "answer": answer})

    def write(self, path, value):
        (self.project / path).write_text(json.dumps(value))

    def journal(self, url=f"https://{HOST}/latest?of=EUR"):
        secret = {"key": "token", "title": "your key for the rates", "host": HOST}
        secret |= {"header": "authorization", "prefix": "Bearer "}
        request = {"host": HOST, "method": "GET", "url": url, "headers": [], "body": ""}
        request |= {"secrets": [secret], "deadline": 10_000}
        body = base64.b64encode(b'{"rates": {"USD": 1.25}}').decode()
        answer = {"Ok": {"status": 200, "headers": [], "body": body}}
        asked = [{"question": {"ask": "http", "request": request}, "answer": answer}]
        now = {"milliseconds": 0, "offset_seconds": 0, "zone": "UTC"}
        self.write("calls/euro.journal", {"now": now, "asked": asked})

    def call(self, *options, status=0):
        return self.run_in(self.folder, BIN, "call", "rates", '{"of": "EUR"}', "--simulated", "--json", *options, status=status)

    def secret(self, *words, value=None, status=0):
        ended = subprocess.run(
            [BIN, "plugin", "secret", *words], env=self.environment, input=value, capture_output=True, text=True
        )
        said = ended.stdout + ended.stderr
        self.assertEqual(ended.returncode, status, said)
        self.assertNotIn(TOKEN, said)
        return said

    def test_from_the_docs_to_a_call(self):
        """Builds the plugin of the docs, tests it from a journal, installs it with its grants, and calls it."""
        self.run_in(self.project, BIN, "plugin", "build")

        # Without a journal the plugin asks nothing, and the error says how to record one.
        self.assertIn("plugin test --record", self.run_in(self.project, BIN, "plugin", "test", status=1))
        self.journal()
        for options in [], ["--replay"]:
            self.assertIn("ok", self.run_in(self.project, BIN, "plugin", "test", *options))
        self.journal(url=f"https://{HOST}/latest?of=USD")
        self.assertIn("latest?of=USD", self.run_in(self.project, BIN, "plugin", "test", status=1))

        package = self.project / "rates.wasm"
        refused = self.run_in(self.folder, BIN, "plugin", "add", package, status=2)
        shown = self.run_in(self.folder, BIN, "plugin", "add", package, "--yes")
        for said in refused, shown:
            self.assertIn(f"http {HOST}: send what it knows to these web servers, and read their answers by GET", said)
            self.assertIn(f"secret token: your key for the rates; goes to {HOST} only, in the header authorization", said)
        self.assertIn(f"granted: http {HOST} GET", self.run_in(self.folder, BIN, "plugin", "show", "rates"))

        self.assertIn("the secret `token` is not set", self.call(status=1))
        self.keeps_a_secret()
        # The name cannot be looked up, because no one can own a name in `.example`.
        self.assertIn(f"{HOST}: the host cannot be looked up", self.call(status=1))
        self.is_granted_host_by_host()
        self.is_held_where_it_wants_more()
        self.loses_a_secret_that_it_does_not_use()

        self.run_in(self.folder, BIN, "plugin", "remove", "rates", "--yes")
        self.assertEqual([file for file in (self.folder / "state/secrets").rglob("*") if file.is_file()], [])

    def is_held_where_it_wants_more(self):
        check = [BIN, "plugin", "check", self.project / "rates.wasm"]
        self.assertIn("it cannot change anything", self.run_in(self.folder, *check))
        manifest = self.project / "plugin.toml"
        text = manifest.read_text().replace('["GET"]', '["GET", "POST"]').replace('"0.1.0"', '"0.2.0"')
        manifest.write_text(text)
        self.run_in(self.project, BIN, "plugin", "build")
        self.assertIn("it can send things to web servers", self.run_in(self.folder, *check))
        update = [BIN, "plugin", "update", self.project / "rates.wasm"]
        self.assertIn(f"http {HOST} POST", self.run_in(self.folder, *update, status=1))
        self.assertIn("rates 0.1.0", self.run_in(self.folder, BIN, "plugin", "show", "rates"))

    def loses_a_secret_that_it_does_not_use(self):
        manifest = self.project / "plugin.toml"
        first = manifest.read_text()

        def update(text, *options, status=0):
            manifest.write_text(text)
            self.run_in(self.project, BIN, "plugin", "build")
            return self.run_in(self.folder, BIN, "plugin", "update", self.project / "rates.wasm", *options, status=status)

        # The same secret would go to the same host, but in a header that servers store.
        header = first.replace('header = "authorization"', 'header = "user-agent"').replace('"0.2.0"', '"0.3.0"')
        said = update(header, status=1)
        self.assertIn(f"the secret token goes to {HOST} as `user-agent: Bearer …`, and before as `authorization: Bearer …`", said)
        self.assertIn("not updated; version 0.1.0 stays installed", said)
        said = update(first.replace(HOST, "other.example").replace('"0.2.0"', '"0.4.0"'), "--yes")
        for expected in [
            f"no longer has the secret token for {HOST}",
            "new secret token: your key for the rates; goes to other.example only",
            f"removed the secret token for {HOST}",
        ]:
            self.assertIn(expected, said)
        self.assertEqual([file for file in (self.folder / "state/secrets").rglob("*") if file.is_file()], [])
        self.secret("rates", "token", value=TOKEN + "\n")

    def keeps_a_secret(self):
        said = self.secret("rates", "token", value=TOKEN + "\n")
        self.assertIn(f"goes to {HOST} only", said)
        (kept,) = [file for file in (self.folder / "state/secrets").rglob("*") if file.is_file()]
        self.assertEqual((kept.read_text(), stat.S_IMODE(kept.stat().st_mode)), (TOKEN, 0o600))
        self.assertIn("its secrets are: token", self.secret("rates", "other", value="x", status=2))
        self.assertIn("visible ASCII", self.secret("rates", "token", value="two\twords\n", status=2))
        self.assertNotIn(TOKEN, self.run_in(self.folder, BIN, "plugin", "show", "rates", "--json"))
        self.assertNotIn(TOKEN, self.call("--debug", status=1))
        for file in (self.folder / "state").rglob("*"):
            if file.is_file() and file != kept:
                self.assertNotIn(TOKEN.encode(), file.read_bytes(), file)

    def is_granted_host_by_host(self):
        self.run_in(self.folder, BIN, "plugin", "revoke", "rates", "http", HOST)
        said = self.call(status=1)
        self.assertIn("the plugin has no grant for `http`", said)
        self.assertIn(f"plugin grant rates http {HOST} --method GET", said)
        self.assertIn("lacks http", self.run_in(self.folder, BIN, "plugin", "list"))
        for host in "localhost", "127.0.0.1", f"{HOST}:8443", f"https://{HOST}", "*":
            said = self.run_in(self.folder, BIN, "plugin", "grant", "rates", "http", host, "--yes", status=2)
            self.assertIn("expected a host such as api.example.com", said)
        grant = [BIN, "plugin", "grant", "rates", "http", HOST, "--method"]
        self.assertIn("does not ask for", self.run_in(self.folder, *grant, "POST", status=2))
        self.assertIn("unknown method `FETCH`", self.run_in(self.folder, *grant, "FETCH", status=2))
        self.run_in(self.folder, *grant, "GET")
        self.assertIn("the host cannot be looked up", self.call(status=1))


if __name__ == "__main__":
    unittest.main()
