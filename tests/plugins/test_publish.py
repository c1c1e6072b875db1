"""Plugins from elsewhere: addresses and registries that are honest, hostile or broken, and packages that someone
changed."""

import hashlib
import http.server
import json
import os
import shutil
import socket
import subprocess
import threading
import time
import unittest

from workshop import BIN, ROOT, Workshop

REGISTRY = os.environ.get("IAC_MCP_REGISTRY") or shutil.which("docker-registry")
RELEASED = ROOT / "tests/plugins/released/0.1.0.wasm"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"


def number(bytes, at):
    """An unsigned LEB128 number, and the position after it."""
    value = shift = 0
    while True:
        byte = bytes[at]
        value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return value, at


def leb(value):
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def package(version="0.1.0", key=None, says="misbehaves", more=""):
    """The released package with another manifest, packed as its author would do it."""
    held, out, at = RELEASED.read_bytes(), RELEASED.read_bytes()[:8], 8
    while at < len(held):
        length, start = number(held, at + 1)
        end = start + length
        if held[at] != 0 or held[start + 1 : start + 5] != b"iac:":
            out += held[at:end]
        at = end
    toml = f'id = "hostile"\nversion = "{version}"\nlicence = "MIT"\napi = "0.1"\ndescription = "{says}"\n'
    toml += (f'key = "{key}"\n' if key else "") + more
    tools = [{"name": "hostile", "description": "Misbehaves.", "input_schema": {"type": "object", "properties": {}}, "read_only": True, "destructive": False, "idempotent": True}]
    for name, text in [("iac:plugin.toml", toml), ("iac:tools.json", json.dumps(tools))]:
        body = leb(len(name)) + name.encode() + text.encode()
        out += b"\0" + leb(len(body)) + body
    return out


def sha(bytes):
    return "sha256:" + hashlib.sha256(bytes).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers with the content that the test has set for a path: bytes, or a function that controls the connection."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        headers.setdefault("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self):
        self.server.asked.append((self.path, self.headers.get("Authorization")))
        self.close_connection = True
        held = self.server.held.get(self.path.partition("?")[0])
        try:
            if held is None:
                self.answer(404)
            elif callable(held):
                held(self)
            else:
                self.answer(200, held)
        except OSError:
            pass

    do_HEAD = do_POST = do_PUT = do_GET


class Desk(Workshop):
    """A person with a state directory, and a server on the loopback interface."""

    def plugin(self, *words, status=0):
        return self.run_in(self.folder, BIN, "plugin", *words, status=status)

    def refused(self, *words, status=1):
        """The message about a refusal; the refusal must change nothing."""
        before = self.plugin("list", "--json")
        said = self.plugin(*words, status=status)
        self.assertEqual(before, self.plugin("list", "--json"), said)
        return said

    def installed(self):
        return json.loads(self.plugin("list", "--json"))["plugins"]

    def write(self, name, bytes):
        (self.folder / name).write_bytes(bytes)
        return name

    def serve(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        server.held, server.asked = {}, []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.server, self.port = server, server.server_port
        self.site = f"http://127.0.0.1:{self.port}"
        return server.held

    def key(self, name):
        said = self.plugin("keygen", name, "--no-password")
        return said.partition('key = "')[2].partition('"')[0]


class Addresses(Desk):
    def setUp(self):
        super().setUp()
        self.held = self.serve()
        self.good = package()

    def at(self, path, bytes=None):
        return f"{self.site}{path}#{sha(self.good if bytes is None else bytes)}"

    def test_a_package_at_an_address(self):
        self.held["/x.wasm"] = self.good
        said = self.refused("add", self.at("/x.wasm"), status=2)
        for words in [f"from {self.at('/x.wasm')}", f"{len(self.good)} bytes", "licence MIT", "tool hostile (only reads)", "did not sign it", "Add `--yes`"]:
            self.assertIn(words, said)
        self.plugin("add", self.at("/x.wasm"), "--yes")
        self.assertEqual(self.installed()[0]["receipt"]["source"], self.at("/x.wasm"))
        self.assertIn("all plugins are up to date", self.plugin("outdated"))
        self.assertIn("hostile 0.1.0 is up to date; nothing changed", self.plugin("update", "hostile"))
        self.held["/x.wasm"] = package("0.2.0")
        rows = json.loads(self.plugin("outdated", "--json"))["plugins"]
        self.assertEqual([(row["there"], row["source"]) for row in rows], [("0.2.0", self.at("/x.wasm", package("0.2.0")))])
        self.assertIn("check that you trust its source", self.refused("update", "hostile"))
        self.plugin("update", "hostile", "--yes")
        self.held.clear()
        self.assertIn("there is nothing (404)", self.plugin("outdated", status=1))
        (row,) = json.loads(self.plugin("outdated", "--json", status=1).partition("\n}")[0] + "}")["plugins"]
        self.assertIn("there is nothing (404)", row["error"])
        self.assertNotIn("there", row)
        self.plugin("remove", "hostile", "--yes")
        self.assertIn("no plugin is installed", self.plugin("outdated"))
        self.assertIn("no plugin `hostile` is installed", self.plugin("update", "hostile", status=1))

    def test_a_login_in_an_address_is_not_repeated(self):
        said = self.plugin("add", f"https://me:pass-word@a.example/x.wasm#{sha(self.good)}", status=2)
        self.assertIn("the address at a.example has a login in it", said)
        self.assertNotIn("pass-word", said)

    def test_only_what_the_digest_says(self):
        for how, bytes in [("swapped", package("0.2.0")), ("tampered", self.good[:-1] + b"}"), ("cut", self.good[:-9]), ("empty", b"")]:
            with self.subTest(how):
                self.held["/x.wasm"] = bytes
                said = self.refused("add", self.at("/x.wasm"), "--yes")
                self.assertIn(f"it has the digest {sha(bytes)}, expected {sha(self.good)}", said)
        self.assertIn("needs the digest", self.refused("add", f"{self.site}/x.wasm", "--yes", status=2))
        self.assertEqual(len(self.server.asked), 4)

    def test_addresses_that_are_never_asked(self):
        for address in ["http://example.com/x.wasm", "ftp://example.com/x", "file:///etc/passwd", "https://user:word@example.com/x"]:
            with self.subTest(address):
                said = self.refused("add", f"{address}#{sha(self.good)}", "--yes", status=2)
                self.assertIn("expected https://HOST/PATH", said)

    def test_redirects(self):
        self.held["/x.wasm"] = self.good
        to = lambda where: lambda request: request.answer(302, Location=where)
        self.held |= {
            "/near": to("/x.wasm"), "/away": to(f"http://localhost:{self.port}/x.wasm"), "/loop": to("/loop"),
            "/plain": to("http://example.com/x.wasm"), "/file": to("file:///etc/passwd"),
        }
        for path, expected in [("/loop", "it leads on more than 5 times"), ("/plain", "which is not https"), ("/file", "which is not https")]:
            self.assertIn(expected, self.refused("add", self.at(path), "--yes"))
        self.assertIn(f"127.0.0.1:{self.port} leads to localhost:{self.port}", self.plugin("add", self.at("/away"), "--yes"))
        self.plugin("remove", "hostile", "--yes")
        self.assertNotIn("leads to", self.plugin("add", self.at("/near"), "--yes"))

    def test_a_server_that_never_ends(self):
        def huge(request):
            request.answer(200, Content_Length=str(10**12))

        def endless(request):
            request.answer(200, Content_Length="1", Transfer_Encoding="chunked")
            while True:
                request.wfile.write(b"10000\r\n" + b"x" * 65536 + b"\r\n")

        def drip(request):
            request.answer(200, Content_Length="10000")
            while True:
                request.wfile.write(b"x")
                time.sleep(0.5)

        def heads(request):
            request.wfile.write(b"HTTP/1.1 200 OK\r\n")
            while True:
                request.wfile.write(b"X: " + b"x" * 50_000 + b"\r\n")

        def silent(request):
            time.sleep(60)

        def broken(request):
            request.answer(200, self.good[:99], Content_Length=str(len(self.good)))

        def garbage(request):
            request.wfile.write(b"\x00\xff garbage\r\n\r\n")

        bad = {"huge": huge, "endless": endless, "drip": drip, "heads": heads, "silent": silent, "broken": broken, "garbage": garbage}
        for name, how in bad.items():
            with self.subTest(name):
                self.held[f"/{name}"] = how
                began = time.monotonic()
                said = self.refused("add", self.at(f"/{name}"), "--yes")
                self.assertIn(f"{self.site}/{name}: ", said)
                self.assertLess(time.monotonic() - began, 40, said)

    def test_without_curl(self):
        self.environment["PATH"] = str(self.folder)
        self.assertIn("there is no `curl`", self.refused("add", self.at("/x.wasm"), "--yes"))

    def test_a_persons_own_settings_do_not_count(self):
        (self.folder / ".curlrc").write_text('url = "http://example.com"\ninsecure\n')
        self.environment |= {"HOME": str(self.folder), "CURL_HOME": str(self.folder), "http_proxy": "http://127.0.0.1:1"}
        self.held["/x.wasm"] = self.good
        self.plugin("add", self.at("/x.wasm"), "--yes")


class Signatures(Desk):
    def setUp(self):
        super().setUp()
        self.own, self.other = self.key("own"), self.key("other")

    def sign(self, name, secret="own", status=0):
        return self.plugin("sign", name, "--key", secret, status=status)

    def test_what_its_author_signed(self):
        self.write("x.wasm", package(key=self.own))
        self.assertIn(f"hostile 0.1.0 {sha(package(key=self.own))}", self.sign("x.wasm"))
        self.assertIn(f"signed by {self.own}", self.plugin("add", "x.wasm", "--yes"))
        self.assertIn(f"signed by {self.own}", self.plugin("show", "hostile"))
        self.write("y.wasm", package("0.2.0", key=self.own))
        self.sign("y.wasm")
        self.plugin("update", "y.wasm")

    def test_what_somebody_touched(self):
        self.write("x.wasm", package(key=self.own))
        self.sign("x.wasm")
        self.write("x.wasm", package(key=self.own, says="does good"))
        said = self.refused("add", "x.wasm", "--yes")
        self.assertIn("does not fit: it belongs to other contents", said)
        code = bytearray(package(key=self.own))
        code[600] ^= 0xFF
        self.write("x.wasm", bytes(code))
        self.assertIn("does not fit: it belongs to other contents", self.refused("add", "x.wasm", "--yes"))
        self.write("x.wasm", package(key=self.other))
        self.assertIn("does not fit: another key made it", self.refused("add", "x.wasm", "--yes"))
        self.write("x.wasm.minisig", b"\xff" * 9)
        self.assertIn("not a signature of minisign", self.refused("add", "x.wasm", "--yes"))
        (self.folder / "x.wasm.minisig").unlink()
        said = self.refused("add", "x.wasm", status=2)
        self.assertIn(f"it has no signature (.minisig), but says that its author signs with {self.other}", said)

    def test_what_somebody_signed_later(self):
        self.write("x.wasm", package())
        self.plugin("add", "x.wasm", "--yes")
        self.write("y.wasm", package("0.2.0", key=self.own))
        self.sign("y.wasm")
        said = self.refused("update", "y.wasm")
        self.assertIn(f"hostile 0.2.0 is signed by {self.own}, and the installed one is not signed", said)
        self.assertIn("compare the new key with what the author publishes", said)
        self.plugin("update", "y.wasm", "--yes")

    def test_limits_that_are_not_named_stay(self):
        self.write("x.wasm", package())
        self.plugin("add", "x.wasm", "--yes")
        self.plugin("limit", "hostile", "--memory-mib", "100")
        self.assertIn("at most 5s of computing, 60s in total, 100 MiB", self.plugin("limit", "hostile", "--compute-ms", "5000"))
        self.assertIn("at most 2s of computing, 60s in total, 64 MiB", self.plugin("limit", "hostile"))

    def test_what_somebody_else_signed(self):
        self.write("x.wasm", package(key=self.own))
        self.sign("x.wasm")
        self.plugin("add", "x.wasm", "--yes")
        self.write("other.wasm", package("0.2.0", key=self.other))
        self.sign("other.wasm", "other")
        said = self.refused("update", "other.wasm")
        self.assertIn(f"signed by another key: {self.other}, and the installed one by {self.own}", said)
        self.write("bare.wasm", package("0.2.0"))
        self.assertIn("is not signed, and the installed one is", self.refused("update", "bare.wasm"))
        self.write("stripped.wasm", package("0.2.0", key=self.own))
        self.assertIn("is not signed, and the installed one is", self.refused("update", "stripped.wasm"))
        said = self.refused("update", "other.wasm")
        self.assertEqual(said.count("is signed by another key"), 1, said)
        self.assertIn("compare the new key with what the author publishes; if it is there, add --yes", said)
        said = self.plugin("update", "other.wasm", "--yes")
        self.assertIn("WARNING: --yes agreed to this: hostile 0.2.0 is signed by another key", said)
        self.assertIn(f"signed by {self.other}", self.plugin("show", "hostile"))

    def test_what_went_back_or_changed(self):
        for name, fields in [("old", {"version": "0.1.0"}), ("new", {"version": "0.10.0"}), ("same", {"version": "0.10.0", "says": "other"})]:
            self.write(f"{name}.wasm", package(key=self.own, **fields))
            self.sign(f"{name}.wasm")
        self.plugin("add", "new.wasm", "--yes")
        self.assertIn("0.1.0 is older than the installed version 0.10.0", self.refused("update", "old.wasm"))
        self.assertIn("other contents than the installed package of the same version", self.refused("update", "same.wasm"))
        self.assertIn("version 0.10.0 stays installed\n  if you want it all the same, add --yes", self.refused("update", "old.wasm"))
        said = self.plugin("add", "old.wasm", status=1)
        self.assertIn("`hostile` is already installed", said)
        self.assertNotIn("install it and grant", said)

    def test_a_key_that_the_package_does_not_name(self):
        self.write("x.wasm", package(key=self.other))
        self.assertIn(f'write `key = "{self.own}"` into it', self.sign("x.wasm", status=1))
        self.write("x.wasm", package())
        self.assertIn("plugin.toml names no key", self.sign("x.wasm", status=1))
        self.write("torn", (self.folder / "own").read_bytes()[:-40])
        self.assertIn("torn is not a secret key", self.sign("x.wasm", "torn", status=1))

    def test_keys_are_kept(self):
        self.assertIn("keys are never replaced", self.plugin("keygen", "own", "--no-password", status=1))
        made = json.loads(self.plugin("keygen", "third", "--no-password", "--json"))
        self.assertEqual((made["secretKey"], made["publicKey"]), ("third", "third.pub"))
        self.assertIn(made["key"], (self.folder / made["publicKey"]).read_text())
        self.assertEqual((self.folder / "own").stat().st_mode & 0o777, 0o600)


class Shown(Desk):
    """The information about a plugin that an operator sees."""

    def test_settings(self):
        declared = '[[settings]]\nkey = "limit"\ntitle = "how many"\ntype = "integer"\n'
        self.write("x.wasm", package(more=declared + "default = 3\n"))
        line = "setting limit (a whole number): how many; is 3, the default"
        for words in [("check", "x.wasm"), ("add", "x.wasm", "--yes"), ("show", "hostile")]:
            self.assertIn(line, self.plugin(*words))
        expected = [{"key": "limit", "title": "how many", "type": "integer", "default": 3}]
        self.assertEqual(json.loads(self.plugin("check", "x.wasm", "--json"))["settings"], expected)
        self.plugin("set", "hostile", "limit", "5")
        self.assertIn("how many; is 5\n", self.plugin("show", "hostile"))
        self.write("y.wasm", package("0.2.0", more=declared + "required = true\n"))
        self.assertIn("required: set it with `iac-mcp plugin set hostile limit VALUE`", self.plugin("check", "y.wasm"))
        other = declared.replace("limit", "most") + "required = true\n"
        self.write("z.wasm", package("0.3.0", more=other))
        said = self.plugin("update", "z.wasm", "--yes")
        self.assertIn("no longer has the setting limit\n", said)
        self.assertIn("before you use it, run `iac-mcp plugin set hostile most VALUE`", said)

    def test_settings_of_a_golden_call(self):
        declared = '[[settings]]\nkey = "limit"\ntitle = "how many"\ntype = "integer"\nrequired = true\n'
        self.write("x.wasm", package(more=declared))
        (self.folder / "calls").mkdir()
        for settings, expected in [
            ({}, 'the setting `limit` is required'),
            ({"limit": "5"}, 'calls/one.json: the setting `limit` is "5", expected a whole number'),
            ({"limit": 5, "x": 1}, "plugin.toml declares no setting `x`"),
        ]:
            self.write("calls/one.json", json.dumps({"settings": settings, "answer": {}}).encode())
            self.assertIn(expected, self.plugin("test", "x.wasm", status=2))
        self.write("calls/one.json", json.dumps({"settings": {"limit": 5}}).encode())
        self.plugin("test", "x.wasm", "--update")
        self.assertIn("ok", self.plugin("test", "x.wasm"))
        self.assertIn("takes no --world", self.plugin("test", "x.wasm", "--world", ".", status=2))

    def test_a_quarantine_and_a_changed_file(self):
        self.write("x.wasm", package())
        self.plugin("add", "x.wasm", "--yes")
        held = self.folder / "state/plugins/installed.json"
        text = json.loads(held.read_text())
        text["plugins"]["hostile"]["quarantined"] = "3 failures, the last one: " + "x" * 400
        held.write_text(json.dumps(text))
        listed = self.plugin("list")
        self.assertIn("quarantined", listed)
        self.assertIn("`plugin release hostile` ends it", listed)
        self.assertLess(max(map(len, listed.splitlines())), 200)
        self.assertIn("x" * 400, self.plugin("show", "hostile"))
        (file,) = (path for path in held.parent.rglob("*.wasm"))
        file.chmod(0o600)
        file.write_bytes(b"x")
        said = self.ended(self.folder, BIN, "doctor", "--simulated", status=1).stdout
        self.assertIn("the file of plugin `hostile` was changed after its installation", said)


class Registries(Desk):
    """A registry that lies."""

    def setUp(self):
        super().setUp()
        self.held = self.serve()
        self.good = package()

    def image(self, *layers, **changes):
        """Uploads a manifest; returns the name of the package."""
        blobs = [{"mediaType": kind, "digest": sha(bytes), "size": len(bytes)} | changes for kind, bytes in layers]
        for kind, bytes in layers:
            self.held.setdefault(f"/v2/x/blobs/{sha(bytes)}", bytes)
        manifest = json.dumps({"schemaVersion": 2, "mediaType": MANIFEST, "layers": blobs}).encode()
        self.held[f"/v2/x/manifests/{sha(manifest)}"] = manifest
        return f"oci://127.0.0.1:{self.port}/x@{sha(manifest)}"

    def lies(self, image, expected):
        self.assertIn(expected, self.refused("add", image, "--yes"))

    def test_lies(self):
        wasm = ("application/wasm", self.good)
        honest = self.image(wasm)
        self.plugin("add", honest, "--yes")
        self.plugin("remove", "hostile", "--yes")
        digest = honest.partition("@")[2]
        manifest = self.held[f"/v2/x/manifests/{digest}"]
        self.held[f"/v2/x/manifests/{digest}"] = manifest + b" "
        self.lies(honest, f"it has the digest {sha(manifest + b' ')}, expected {digest}")
        self.held[f"/v2/x/manifests/{digest}"] = b"x" * 2_000_000
        self.lies(honest, "127.0.0.1")
        del self.held[f"/v2/x/manifests/{digest}"]
        self.lies(honest, "the registry answered 404\n  no such package is there")
        self.lies(self.image(), "it is not a plugin")
        self.lies(self.image(wasm, wasm), "it is not a plugin")
        self.lies(self.image(("text/plain", self.good)), "it is not a plugin")
        self.lies(self.image(wasm, size=10**12), "expected at most 33554432")
        self.lies(self.image(wasm, size=10), "127.0.0.1")
        self.lies(self.image(wasm, digest="sha256:../../x"), "expected sha256:…")
        self.lies(self.image(wasm, size=-1), "it is not a manifest")
        self.lies(self.image(wasm, ("application/vnd.iac-mcp.plugin.v1.minisign", b"x" * 9999)), "expected at most 4096")
        self.held[f"/v2/x/blobs/{sha(self.good)}"] = package("0.2.0")
        self.lies(self.image(wasm), f"it has the digest {sha(package('0.2.0'))}, expected {sha(self.good)}")
        self.held[f"/v2/x/blobs/{sha(self.good)}"] = lambda request: request.answer(307, Location="http://example.com/x")
        self.lies(self.image(wasm), "which is not https")

    def test_a_login_stays_with_its_registry(self):
        self.write("login", b"person:secret\n")
        image = self.image(("application/wasm", self.good))
        blob = f"/v2/x/blobs/{sha(self.good)}"
        self.held["/else"] = self.good
        self.held[blob] = lambda request: request.answer(307, Location=f"http://localhost:{self.port}/else")
        manifest = f"/v2/x/manifests/{image.partition('@')[2]}"
        held = self.held[manifest]
        realm = f'Bearer realm="{self.site}/token",service="a registry",scope="other"'

        def guarded(request):
            if request.headers.get("Authorization") == "Bearer t0ken":
                request.answer(200, held)
            else:
                request.answer(401, WWW_Authenticate=realm)

        self.held[manifest] = guarded
        self.held["/token"] = json.dumps({"token": "t0ken"}).encode()
        said = self.plugin("add", image, "--yes", "--login", "login")
        self.assertIn("leads to localhost", said)
        asked = dict(self.server.asked)
        self.assertEqual(asked[blob], "Bearer t0ken")
        self.assertIsNone(asked["/else"])
        self.assertEqual(asked["/token?service=a+registry&scope=repository%3Ax%3Apull"], "Basic cGVyc29uOnNlY3JldA==")
        self.assertNotIn("secret", (self.folder / "state/plugins/installed.json").read_text())

    def test_a_tag_is_the_version_of_its_package(self):
        wasm = ("application/wasm", self.good)
        honest = self.image(wasm)
        self.plugin("add", honest, "--yes")
        digest = honest.partition("@")[2]
        self.held["/v2/x/tags/list"] = json.dumps({"tags": ["0.1.0", "99.0.0"]}).encode()
        self.held["/v2/x/manifests/99.0.0"] = self.held[f"/v2/x/manifests/{digest}"]
        for words in [("update", "hostile", "--yes"), ("outdated",)]:
            self.assertIn("99.0.0, but the package has the version 0.1.0", self.refused(*words))

    def test_a_login_is_for_no_host_that_a_registry_leads_to(self):
        self.write("login", b"person:secret\n")
        image = self.image(("application/wasm", self.good))
        manifest = f"/v2/x/manifests/{image.partition('@')[2]}"
        elsewhere = f"http://localhost:{self.port}"
        self.held[manifest] = lambda request: request.answer(302, Location=f"{elsewhere}/else")
        self.held["/else"] = lambda request: request.answer(401, WWW_Authenticate=f'Bearer realm="{elsewhere}/token"')
        self.held["/token"] = json.dumps({"token": "t0ken"}).encode()
        self.assertIn("401", self.refused("add", image, "--yes", "--login", "login"))
        self.assertEqual([login for _, login in self.server.asked], [None] * len(self.server.asked))

    def test_names_that_mean_nothing(self):
        for name in ["oci://ghcr.io/a:0.1.0", "oci://ghcr.io/a", "oci://ghcr.io/../a@" + sha(b""), "oci://u@ghcr.io/a@" + sha(b"")]:
            self.assertIn("expected oci://HOST/NAME", self.refused("add", name, "--yes", status=2))


class Indexes(Desk):
    """Plugins that are found by words, in indexes that are honest, wrong or hostile."""

    def setUp(self):
        super().setUp()
        self.held = self.serve()
        self.own = self.key("own")
        self.write("x.wasm", package(key=self.own))
        self.plugin("sign", "x.wasm", "--key", "own")
        self.publish()
        self.index = self.folder / "index"
        calls = self.index / "hostile"
        calls.mkdir(parents=True)
        (calls / "one.json").write_text("{}")
        self.plugin("test", "x.wasm", "--calls", calls, "--update", "--record")
        self.good = self.plugin("entry", self.source())
        self.entry("hostile", self.good)

    def publish(self, name="x.wasm"):
        self.held["/x.wasm"] = (self.folder / name).read_bytes()
        self.held["/x.wasm.minisig"] = (self.folder / f"{name}.minisig").read_bytes()

    def source(self):
        return f"{self.site}/x.wasm#{sha(self.held['/x.wasm'])}"

    def entry(self, name, text):
        (self.index / f"{name}.toml").write_text(text)

    def change(self, before, after):
        self.assertIn(before, self.good)
        self.entry("hostile", self.good.replace(before, after))

    def find(self, *words, index="index"):
        return json.loads(self.ended(self.folder, BIN, "plugin", "find", *words, "--index", index, "--json").stdout)

    def names(self, *words, **where):
        return [row["plugin"]["id"] for row in self.find(*words, **where)["found"]]

    def add(self, status=0):
        return self.plugin("add", "hostile", "--index", "index", "--local", "--yes", status=status)

    def checked(self, *words, status=0):
        return self.plugin("check-index", "index", "--local", *words, status=status)

    def test_from_an_author_to_another_person(self):
        self.assertIn("hostile: ok", self.checked())
        self.assertEqual([self.names(*words) for words in [(), ("MISBEHAVES",), ("hostile", "misbe"), ("mail",)]], [["hostile"], ["hostile"], ["hostile"], []])
        said = self.plugin("find", "--index", "index")
        for words in ["hostile", "misbehaves", f"{self.site}/x.wasm", "signed", "plugin add ID --index index"]:
            self.assertIn(words, said)
        self.assertIn("none of 1 plugin fits", self.plugin("find", "mail", "--index", "index"))
        said = self.refused("add", "hostile", "--index", "index", "--local", status=2)
        self.assertIn("Add `--yes`", said)
        for words in [f"from {self.source()}", f"signed by {self.own}", "tool hostile (only reads)"]:
            self.assertIn(words, self.add() if words.startswith("from") else self.plugin("show", "hostile"))
        (receipt,) = (row["receipt"] for row in self.installed())
        self.assertEqual((receipt["source"], receipt["key"]), (self.source(), self.own))
        self.assertEqual(self.find()["found"][0]["note"], "installed: 0.1.0")
        self.write("x.wasm", package("0.2.0", key=self.own))
        self.plugin("sign", "x.wasm", "--key", "own")
        self.publish()
        self.entry("hostile", self.plugin("entry", self.source()))
        self.assertIn("hostile: 0.1.0 is now 0.2.0", self.plugin("update", "hostile", "--index", "index", "--local"))

    def test_one_file(self):
        self.checked("--output", "all.toml")
        self.assertEqual(self.names(index="all.toml"), ["hostile"])
        self.held["/all.toml"] = (self.folder / "all.toml").read_bytes()
        self.assertEqual(self.names(index=f"{self.site}/all.toml"), ["hostile"])
        self.plugin("add", "hostile", "--index", f"{self.site}/all.toml", "--local", "--yes")
        self.plugin("remove", "hostile", "--yes")
        self.write("twice.toml", (self.folder / "all.toml").read_bytes() * 2)
        self.assertEqual(self.find(index="twice.toml"), {"found": [], "problems": {"hostile": "it occurs twice"}})
        said = self.plugin("add", "hostile", "--index", "twice.toml", "--local", "--yes", status=1)
        self.assertIn("the entry of hostile in the index cannot be used: it occurs twice", said)
        self.write("long.toml", b"#" * 9_000_000)
        for index, expected in [("long.toml", "larger than 8 MiB"), ("x.wasm", "UTF-8"), ("none", "there is no folder and no file none"), (f"{self.site}/x.wasm", "not text"), (f"{self.site}/none", "404")]:
            self.assertIn(expected, self.plugin("find", "--index", index, status=1))
        self.assertIn("expected https://HOST/PATH", self.plugin("find", "--index", "http://example.com/all.toml", status=2))

    def test_an_entry_that_is_not_about_its_package(self):
        fields = {
            'version = "0.1.0"': 'version = "0.1.1"', 'licence = "MIT"': 'licence = "BSD"', '"misbehaves"': '"does good"', 'hostile = "reads"': 'hostile = "changes"',
            f'key = "{self.own}"\n': "", self.own: self.key("other"),
            "[tools]": '[[wants]]\ncapability = "store"\nreason = "r"\n[tools]',
        }
        for before, after in fields.items():
            with self.subTest(before):
                self.change(before, after)
                name = after.split()[0] if after else "key"
                expected = {"[[wants]]": "wants", "hostile": "tools", '"does': "summary"}.get(name, name if name.islower() else "key")
                for said in [self.checked(status=1), self.refused("add", "hostile", "--index", "index", "--local", "--yes")]:
                    self.assertIn("the entry of hostile in the index is not about this package", said)
                    self.assertIn(f"its `{expected}` is", said)

    def test_an_index_loosens_nothing(self):
        self.assertIn("cannot be used with", self.plugin("add", "hostile", "--index", "index", "--login", "own", status=2))
        said = self.refused("add", "hostile", "--index", "index", "--yes")
        self.assertIn("the index leads to this computer or a private network for hostile", said)
        self.held["/x.wasm"] = package("0.2.0", key=self.own)
        self.assertIn("it has the digest", self.add(status=1))
        del self.held["/x.wasm.minisig"]
        self.held["/x.wasm"] = package(key=self.own)
        self.assertIn("it has no signature", self.add(status=1))
        self.held["/x.wasm.minisig"] = b"x"
        self.assertIn("not a signature of minisign", self.add(status=1))
        self.publish()
        self.add()
        # The pinned key decides, even if the index names another one.
        self.key("other")
        other = (self.folder / "other.pub").read_text().splitlines()[1]
        self.write("x.wasm", package("0.2.0", key=other))
        self.plugin("sign", "x.wasm", "--key", "other")
        self.publish()
        self.entry("hostile", self.plugin("entry", self.source()))
        said = self.refused("update", "hostile", "--index", "index", "--local")
        self.assertIn(f"signed by another key: {other}, and the installed one by {self.own}", said)

    def test_an_unsigned_package_is_asked_about(self):
        self.write("x.wasm", package())
        self.held["/x.wasm"] = package()
        self.entry("hostile", self.plugin("entry", self.source()))
        self.assertIn("Add `--yes`", self.refused("add", "hostile", "--index", "index", "--local", status=2))
        self.add()
        self.held["/x.wasm"] = package("0.2.0")
        self.entry("hostile", self.plugin("entry", self.source()))
        self.assertIn("hostile is not signed", self.refused("update", "hostile", "--index", "index", "--local"))

    def test_hostile_entries(self):
        (self.index / "link.toml").symlink_to("/etc/passwd")
        (self.index / "zero.toml").symlink_to("/dev/zero")
        (self.index / "folder.toml").mkdir()
        self.entry("large", self.good + "#" * 70_000)
        self.entry("other", self.good)
        self.entry("es\x1b[2Jcape", "x")
        self.entry("escape", self.good.replace('"misbehaves"', '"\\u001b[2J"').replace("hostile", "escape"))
        self.entry("path", self.good.replace('id = "hostile"', 'id = "../../path"'))
        self.entry("empty", "")
        (self.index / "bytes.toml").write_bytes(b"\xff\x00")
        self.assertEqual(self.names(), ["hostile"])
        problems = self.find()["problems"]
        expected = {
            "link": "not a file", "zero": "not a file", "folder": "not a file", "large": "larger than 64 KiB", "other": "it is about `hostile`", "es [2Jcape": "TOML",
            "escape": "visible characters", "path": "is not a plugin id", "empty": "missing field", "bytes": "UTF-8",
        }
        self.assertEqual(set(problems), set(expected))
        said = self.checked(status=1)
        for name, words in expected.items():
            if words != "TOML":
                self.assertIn(words, problems[name])
            self.assertIn(f"{name}: ", said)
        self.assertNotIn("\x1b", said + self.plugin("find", "--index", "index"))
        self.assertIn("hostile: ok", self.checked("hostile"))
        self.assertIn("the entry of path in the index cannot be used", self.plugin("add", "path", "--index", "index", status=1))
        said = self.plugin("add", "hostle", "--index", "index", status=1)
        self.assertIn("the index has no plugin `hostle`; did you mean \"hostile\"?", said)
        self.assertIn("the index has no plugin `../x`", self.plugin("add", "../x", "--index", "index", status=1))

    def test_sources_that_are_no_addresses(self):
        for source, expected in [("/etc/passwd", "is not an address"), ("x.wasm", "is not an address"), ("file:///etc/passwd", "expected https"), ("https://a.example/x", "needs the digest"), ("oci://a.example/x:1", "has no digest")]:
            with self.subTest(source):
                self.change(self.source(), source)
                self.assertIn(expected, self.checked(status=1))
        self.assertIn("and an index names one", self.plugin("entry", "x.wasm", status=2))

    def test_names_that_look_alike(self):
        self.entry("h0stile", self.good.replace("hostile", "h0stile"))
        self.assertIn("hostile: its name looks like `h0stile`", self.checked(status=1))
        self.assertEqual([row["note"] for row in self.find()["found"]], ["looks like hostile", "looks like h0stile"])
        said = self.refused("add", "hostile", "--index", "index", "--local", status=2)
        self.assertIn("`hostile` is not `h0stile`, but looks like it", said)
        self.add()
        self.held["/x.wasm"] = package("0.2.0")
        self.entry("hostile", self.plugin("entry", self.source()))
        said = self.refused("update", "hostile", "--index", "index", "--local")
        self.assertIn("`hostile` is not `h0stile`, but looks like it", said)

    def test_golden_calls_are_replayed(self):
        call = self.index / "hostile/one.json"
        said = json.loads(call.read_text())
        call.write_text(json.dumps(said | {"error": None, "answer": {"other": 1}}))
        self.assertIn("hostile: its call one: ", self.checked(status=1))
        call.write_text(json.dumps(said))
        self.assertIn("hostile: ok", self.checked())
        (self.index / "hostile/one.journal").unlink()
        self.assertIn("it has no journal; record one with --record", self.checked(status=1))
        (self.index / "hostile/two.json").symlink_to("/etc/passwd")
        self.assertIn("has `two.json`, expected files only", self.checked(status=1))
        shutil.rmtree(self.index / "hostile")
        self.assertIn("its golden calls are missing", self.checked(status=1))
        (self.index / "hostile").symlink_to(self.folder)
        self.assertIn("its golden calls are missing", self.checked(status=1))
        rows = json.loads(self.ended(self.folder, BIN, "plugin", "check-index", "index", "--json", status=1).stdout)["plugins"]
        self.assertEqual([(row["plugin"], row["result"]) for row in rows], [("hostile", "fault")])


@unittest.skipUnless(REGISTRY, "there is no docker-registry: IAC_MCP_REGISTRY does not say where")
class Published(Desk):
    """Debian's registry, on the loopback interface."""

    def setUp(self):
        super().setUp()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        storage = {"filesystem": {"rootdirectory": str(self.folder / "blobs")}}
        settings = {"version": 0.1, "log": {"level": "error"}, "storage": storage, "http": {"addr": f"127.0.0.1:{self.port}"}}
        (self.folder / "registry.yml").write_text(json.dumps(settings))
        said = open(self.folder / "registry.log", "w")
        self.addCleanup(said.close)
        process = subprocess.Popen([REGISTRY, "serve", self.folder / "registry.yml"], stdout=said, stderr=said)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        until = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                break
            except OSError:
                self.assertLess(time.monotonic(), until, (self.folder / "registry.log").read_text())
                time.sleep(0.1)
        self.place = f"oci://127.0.0.1:{self.port}/people/hostile"

    def publish(self, *words, status=0):
        return self.plugin("publish", "x.wasm", self.place, *words, status=status)

    def test_from_an_author_to_another_person(self):
        key = self.key("own")
        self.write("x.wasm", package(key=key))
        self.assertIn("sign it with `iac-mcp plugin sign`", self.publish(status=1))
        self.plugin("sign", "x.wasm", "--key", "own")
        published = json.loads(self.publish("--json"))
        self.assertEqual(published["sha256"], hashlib.sha256(package(key=key)).hexdigest())
        self.assertEqual(json.loads(self.publish("--json")), published, "the same again changes nothing")
        said = self.plugin("add", published["source"], "--yes")
        self.assertIn(f"signed by {key}", said)
        self.assertIn("all plugins are up to date", self.plugin("outdated"))

        self.write("x.wasm", package(key=key, says="other"))
        self.plugin("sign", "x.wasm", "--key", "own")
        self.assertIn("0.1.0 is published already, with other contents\n  raise `version`", self.publish(status=1))

        self.write("x.wasm", package("0.10.0", key=key))
        self.plugin("sign", "x.wasm", "--key", "own")
        newer = json.loads(self.publish("--json"))["source"]
        rows = json.loads(self.plugin("outdated", "--json"))["plugins"]
        self.assertEqual([(row["there"], row["source"]) for row in rows], [("0.10.0", newer)])
        self.assertIn("hostile: 0.1.0 is now 0.10.0", self.plugin("update", "hostile"))
        self.assertEqual(self.installed()[0]["receipt"]["source"], newer)

    def test_an_unsigned_one(self):
        self.write("x.wasm", package())
        said = self.publish()
        self.assertIn(f"iac-mcp plugin add {self.place}@sha256:", said)
        self.assertIn("its author did not sign it", self.plugin("add", said.split()[-1], "--yes"))
        self.write("x.wasm", package("0.2.0"))
        self.publish()
        self.assertIn("check that you trust its source", self.refused("update", "hostile"))
        self.plugin("update", "hostile", "--yes")
        self.assertEqual(self.installed()[0]["receipt"]["version"], "0.2.0")

    def test_a_registry_that_is_not_there(self):
        self.write("x.wasm", package())
        self.place = "oci://127.0.0.1:1/people/hostile"
        self.assertIn("http://127.0.0.1:1/v2/people/hostile/", self.publish(status=1))


if __name__ == "__main__":
    unittest.main()
