"""A bridge for these tests: the conformance suite speaks HTTP, and the server speaks lines of JSON over stdin and
stdout.

The bridge listens on the loopback interface. It starts one server for each session of the older revisions and one for
all requests of the stateless revision, and passes messages on unchanged. It adds only two things: the rules of HTTP
(status codes, headers, sessions), and real tool calls in place of the suite's fixtures (`FIXTURES`).

"""

import json
import queue
import subprocess
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

STATELESS = "2026-07-28"
VERSION = "io.modelcontextprotocol/protocolVersion"
PATIENCE = 25

# The suite calls tools, prompts and resources by its own names. If the server can do what a scenario tests, the name
# stands for a request that does it. The change is one that the server asks about every time.
CHANGE = {
    "name": "iac_mcp_create",
    "arguments": {"app": "Reminders", "class": "reminder", "properties": {"name": "Call the plumber again"}},
}
FIXTURES = {
    "tools/call": {
        "test_simple_text": {"name": "system", "arguments": {"action": "version"}},
        "test_error_handling": {"name": "iac_mcp_query_object", "arguments": {"app": "Mail"}},
        "test_elicitation": CHANGE,
        "test_input_required_result_elicitation": CHANGE,
        "test_input_required_result_request_state": CHANGE,
        "test_input_required_result_tampered_state": CHANGE,
    },
    "prompts/get": {
        "test_simple_prompt": {"name": "plan_day"},
        "test_prompt_with_arguments": {"name": "file_mail"},
    },
    "completion/complete": {"test_prompt_with_arguments": {"ref": {"type": "ref/prompt", "name": "file_mail"}}},
    "resources/read": {"test://static-text": {"uri": "iac://guides/changes"}},
}
ARGUMENTS = {"arg1": "words", "arg2": "mailbox"}

# The one input that the server requests, and an answer to it, under the names of the suite.
INPUT, ANSWER = "permission", {"decision": "once"}
INPUTS = ("user_name", "confirm")


def translated(message):
    """Puts the server's own request in place of the suite's fixture."""
    params = message.get("params") or {}
    named = params.get("name", params.get("uri", params.get("ref", {}).get("name")))
    own = FIXTURES.get(message["method"], {}).get(named)
    if own is None:
        return message
    own = params | own
    if named == "test_prompt_with_arguments":
        if "arguments" in own:
            own["arguments"] = {ARGUMENTS[name]: value for name, value in own["arguments"].items()}
        if "argument" in own:
            own["argument"] = own["argument"] | {"name": ARGUMENTS[own["argument"]["name"]]}
    if isinstance(own.get("inputResponses"), dict):
        own["inputResponses"] = {
            INPUT if name in INPUTS else name: answered(answer) for name, answer in own["inputResponses"].items()
        }
    return message | {"params": own}


def answered(answer):
    """Turns a yes to the suite's question into a yes to the server's. A message that is not an answer stays
    unchanged."""
    is_answer = isinstance(answer, dict) and answer.get("content")
    return answer | {"content": ANSWER} if is_answer else answer


def asked(message, named):
    """Gives the server's question the name that the suite expects."""
    requests = message.get("result", {}).get("inputRequests", {})
    if INPUT in requests and named in FIXTURES["tools/call"]:
        requests[INPUTS[0] if named.endswith("_elicitation") else INPUTS[1]] = requests.pop(INPUT)
    return message


class Peer:
    """One server, and the requests that wait for answers."""

    def __init__(self, start):
        self.process = start()
        self.waiting = {}
        self.news = queue.Queue()
        self.lock = threading.Lock()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            is_answer = "method" not in message and "id" in message
            with self.lock:
                waiting = list(self.waiting.values())
                mine = self.waiting.get(json.dumps(message["id"])) if is_answer else None
            # Messages that belong to no answer go to every request that is under way.
            for inbox in [mine] if mine else waiting if not is_answer else []:
                inbox.put(message)

    def send(self, message):
        with self.lock:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()

    def expect(self, message_id):
        inbox = queue.Queue()
        with self.lock:
            self.waiting[json.dumps(message_id)] = inbox
        return inbox

    def forget(self, message_id):
        with self.lock:
            self.waiting.pop(json.dumps(message_id), None)

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()


class Bridge(ThreadingHTTPServer):
    """The sessions by their ids, and the one server of the stateless revision."""

    daemon_threads = True

    def __init__(self, start):
        super().__init__(("127.0.0.1", 0), Handler)
        self.start = start
        self.sessions = {}
        self.guard = threading.Lock()
        self.counter = 0

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/mcp"

    def session(self, name):
        with self.guard:
            return self.sessions.get(name)

    def open(self, name):
        peer = Peer(self.start)
        with self.guard:
            return self.sessions.setdefault(name, peer)

    def stateless(self):
        return self.session(STATELESS) or self.open(STATELESS)

    def fresh(self):
        with self.guard:
            self.counter += 1
            return f"bridge-{self.counter}"

    def close(self):
        self.shutdown()
        self.server_close()
        for peer in self.sessions.values():
            peer.end()


class Handler(BaseHTTPRequestHandler):
    """The streamable HTTP of the specification, as far as the suite needs it."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def refuse(self, status, code=-32600, message="", message_id=None):
        body = {"jsonrpc": "2.0", "id": message_id, "error": {"code": code, "message": message}}
        self.answer(status, body)

    def answer(self, status, body=None, **headers):
        data = json.dumps(body).encode() if body is not None else b""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if body is not None:
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def is_local(self):
        """A web page of another origin must not reach the bridge."""
        hosts = [self.headers.get("Host", ""), self.headers.get("Origin", "http://127.0.0.1").split("//")[-1]]
        return all(host.rsplit(":", 1)[0] in ("127.0.0.1", "localhost", "[::1]") for host in hosts)

    def do_GET(self):
        self.answer(405, Allow="POST")

    def do_DELETE(self):
        with self.server.guard:
            peer = self.server.sessions.pop(self.headers.get("Mcp-Session-Id"), None)
        if peer:
            peer.end()
        self.answer(200 if peer else 404)

    def do_POST(self):
        data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not self.is_local():
            return self.refuse(403, message="not a local host")
        try:
            message = json.loads(data)
        except ValueError:
            return self.refuse(400, -32700, "not JSON")
        if not isinstance(message, dict):
            return self.refuse(400, message="expected one message")
        named, method = self.headers.get("Mcp-Session-Id"), message.get("method")
        is_stateless = VERSION in ((message.get("params") or {}).get("_meta") or {})
        if method == "initialize" and not is_stateless:
            named = uuid.uuid4().hex
            return self.hand_on(self.server.open(named), message, named)
        if named:
            peer = self.server.session(named)
            return self.hand_on(peer, message, named) if peer else self.refuse(404, message="no such session")
        return self.hand_on(self.server.stateless(), message, None)

    def hand_on(self, peer, message, session):
        headers = {"Mcp_Session_Id": session} if session else {}
        if "method" not in message or "id" not in message:
            peer.send(message)
            return self.answer(202, **headers)
        # The suite's clients share the one server of the stateless revision, so their ids are made unique.
        own, named, message = message["id"], (message.get("params") or {}).get("name"), translated(message)
        sent = own if session else self.server.fresh()
        inbox = peer.expect(sent)
        try:
            peer.send(message | {"id": sent})
            self.relay(inbox, own, named, headers)
        finally:
            peer.forget(sent)

    def relay(self, inbox, own, named, headers):
        """Answers as JSON, or as a stream if the server sends something before its answer."""
        first = inbox.get(timeout=PATIENCE)
        if "method" not in first:
            return self.answer(status(first), asked(first | {"id": own}, named), **headers)
        self.send_response(200)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        message = first
        while True:
            done = "method" not in message
            data = asked(message | {"id": own}, named) if done else message
            try:
                self.wfile.write(b"event: message\ndata: " + json.dumps(data).encode() + b"\n\n")
                self.wfile.flush()
            except (BrokenPipeError, ConnectionResetError):
                break  # the client may close the stream
            if done:
                break
            message = inbox.get(timeout=PATIENCE)
        self.close_connection = True


def status(answer):
    """The HTTP status that the specification requires for an error of the protocol."""
    code = answer.get("error", {}).get("code")
    return {-32601: 404, -32020: 400, -32021: 400, -32022: 400, -32602: 400}.get(code, 200)
