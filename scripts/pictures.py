#!/usr/bin/env python3
"""Draws the pictures of the README and the book: SVG recordings of a terminal, made from real runs of the program.

    scripts/pictures.py            draws the pictures that no longer show what the program says
    scripts/pictures.py --check    draws nothing, and fails if there is one

The program is IAC_MCP_BIN, or else the output of `cargo build -p iac-mcp`. Times, references and dates differ between
runs, so they do not count as a difference.
"""

import argparse
import fcntl
import json
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import termios
import time
import xml.etree.ElementTree as Tree
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = os.environ.get("IAC_MCP_BIN", str(ROOT / "target/debug/iac-mcp"))
PICTURES = ROOT / "docs/pictures"

COLUMNS = 100
CELL, LINE, MARGIN, BAR = 8.4, 19, 18, 34

# How many seconds a server may take to publish its status.
PATIENCE = 30

# The end of the line on which the program asks for approval.
PROMPT = b"[deny] "

# How many seconds the recording pauses: after a command, after a question, after any other line.
AFTER_COMMAND, AFTER_QUESTION, AFTER_LINE = 0.9, 1.6, 0.06

VARYING = [
    (re.compile(r"\b\d+ ms\b"), "N ms"),
    (re.compile(r"\b(ref|undo)_[a-z0-9]+"), r"\1_ID"),
    (re.compile(r"\b\d{4}-\d\d-\d\d(T[\d:]+[+\d:Z]*)?"), "DATE"),
    (re.compile(r"received [\w ]+ at \d\d:\d\d"), "received DAY"),
    (re.compile(r"\b[\d.]+ KB\b"), "N KB"),
    (re.compile(r"\b\d+ \d+ MB\b"), "PROCESS N MB"),
    (re.compile(r"\b\d+ (?=Claude|open)"), "PROCESS "),
    (re.compile(r"\b\d\d:\d\d:\d\d\b"), "TIME"),
    (re.compile(r"\b\d+ s\b"), "N s"),
]

CHANGE = r"""iac-mcp call iac_mcp_set_property --world mac '{
    "app": "Reminders", "reference": "reminder \"Call the plumber\"",
    "property": "name", "value": "Call the plumber on Monday"}'"""


# The calls that a client makes to the server that runs during a scene.
CALLS = [
    ("iac_mcp_get_elements", {"app": "Notes", "elements": "every note", "limit": 3}),
    ("iac_mcp_get_elements", {"app": "Mail", "elements": "every message of inbox", "limit": 5}),
    ("iac_mcp_set_property", {"app": "Mail", "reference": "message 1 of inbox", "property": "flagged status", "value": True}),
]


class Scene:
    """A scene: a title, a description, commands as they are typed, the typed answers, and the line before which it ends."""

    def __init__(self, name, title, words, commands, *, answers=(), ends_before=None, prepare=(), calls=()):
        self.name, self.title, self.words, self.commands = name, title, words, commands
        self.answers, self.ends_before, self.prepare, self.calls = answers, ends_before, prepare, calls


SCENES = [
    Scene(
        "demo",
        "iac-mcp demo",
        "A terminal runs iac-mcp demo. A client asks for the most recent email. One tool call reads it from Mail with five "
        "Apple events, and the answer is a sentence.",
        ["iac-mcp demo"],
        ends_before="2  List the files",
    ),
    Scene(
        "question",
        "a change, and the way back",
        "A terminal asks iac-mcp to rename a reminder. iac-mcp shows the old and the new name and asks once, hour, always or "
        "deny. The person types once, and the reminder is renamed. Then the person undoes it in the same way.",
        [CHANGE, "iac-mcp undo {undo} --world mac"],
        answers=[b"once\n", b"once\n"],
        prepare=["iac-mcp sim new mac"],
    ),
    Scene(
        "top",
        "what the server does now",
        "A terminal runs iac-mcp top once. It shows one server with an open question about a message, its client, two apps "
        "with their queues and workers, and the last three calls.",
        ["iac-mcp top --once --world mac"],
        prepare=["iac-mcp sim new mac"],
        calls=CALLS,
    ),
]


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--check", action="store_true", help="fail if a picture shows something else")
    check = options.parse_args().check
    PICTURES.mkdir(exist_ok=True)
    old = [scene for scene in SCENES if not fresh(scene, check)]
    if check and old:
        sys.exit(f"not what the program says now: {', '.join(s.name for s in old)}. Run scripts/pictures.py and look at them")


def fresh(scene, check):
    """Whether the picture shows what the program prints now. Draws it again unless it only checks."""
    path = PICTURES / f"{scene.name}.svg"
    rows = record(scene)
    drawn = Tree.fromstring(path.read_text()) if path.exists() else None
    if drawn is not None and told(drawn) == told(Tree.fromstring(draw(scene, rows))):
        return True
    if not check:
        path.write_text(draw(scene, rows))
        print(f"drew {path.relative_to(ROOT)}")
    return False


def told(drawing):
    """Returns a picture's text and the order of its colours, without what differs between runs, such as dates."""
    parts = [part for row in drawing.iter("{http://www.w3.org/2000/svg}text") for part in row]
    words = " ".join(" ".join(part.text for part in parts).split())
    for pattern, word in VARYING:
        words = pattern.sub(word, words)
    colours = [part.get("class") for part in parts]
    return words, [colour for at, colour in enumerate(colours) if at == 0 or colour != colours[at - 1]]


def record(scene):
    """Returns the rows of a run. Each is a list of parts, with the time at which it appears."""
    rows, clock, kept = [], 0.4, {}
    answers = list(scene.answers)
    with tempfile.TemporaryDirectory() as home:
        for command in scene.prepare:
            run(command, home, None)
        server = serve(scene.calls, home) if scene.calls else None
        for command in scene.commands:
            command = command.format(**kept) if kept else command
            for at, line in enumerate(command.split("\n")):
                rows.append((clock, [("p", "$ " if at == 0 else "  "), ("s", line)]))
            clock += AFTER_COMMAND
            said = run(command, home, answers.pop(0) if answers else None)
            kept |= dict(re.findall(r'"(undo)"\S*: \S*"(undo_[a-z0-9]+)', said))
            for parts in styled(said.rstrip("\n")):
                plain = "".join(text for _, text in parts)
                if scene.ends_before and plain.startswith(scene.ends_before):
                    break
                rows += [(clock, row) for row in wrapped(parts)]
                clock += AFTER_QUESTION if PROMPT.decode() in plain else AFTER_LINE
            rows.append((clock, []))
        if server:
            server.communicate()
    while rows and not any(text.strip() for _, text in rows[-1][1]):
        rows.pop()
    return rows


def environment(home):
    kept = {name: os.environ[name] for name in ("PATH", "LLVM_PROFILE_FILE") if name in os.environ}
    return kept | {"HOME": home, "TERM": "xterm-256color", "TZ": "UTC", "LANG": "C.UTF-8"}


def serve(calls, home):
    """Starts a server, makes these calls through a client that shows questions, and waits for its status."""
    server = subprocess.Popen(
        [BIN, "serve", "--world", "mac"], cwd=home, env=environment(home), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
        "io.modelcontextprotocol/clientInfo": {"name": "Claude Desktop", "version": "1.2"},
    }
    for number, (name, arguments) in enumerate(calls):
        params = {"name": name, "arguments": arguments, "_meta": meta}
        request = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        server.stdin.write(json.dumps(request).encode() + b"\n")
        server.stdin.flush()
        while json.loads(server.stdout.readline() or sys.exit("the server ended")).get("id") != number:
            pass
    end = time.monotonic() + PATIENCE
    top = [BIN, "top", "--json", "--world", "mac"]
    while time.monotonic() < end:
        told = json.loads(subprocess.run(top, cwd=home, env=environment(home), capture_output=True, check=True).stdout)
        if any(each["answered"] == len(calls) for each in told["servers"]):
            return server
        time.sleep(0.1)
    raise SystemExit("the server did not tell what it does")


def run(command, home, answer):
    """Returns what a command prints on a terminal at which a person types the answer when asked."""
    words = shlex.split(command)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
    with subprocess.Popen(
        [BIN, *words[1:]], cwd=home, env=environment(home), stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        said = b""
        while part := read(ours):
            said += part
            if answer and said.endswith(PROMPT):
                os.write(ours, answer)
                answer = None
    os.close(ours)
    said = said.decode().replace("\r\n", "\n")
    if process.returncode != 0 or answer:
        raise SystemExit(f"`{command}` ended with {process.returncode}, expected 0 after its question:\n{said}")
    # A slow machine shows progress, which is overwritten in place: only the last state of a line is kept.
    said = re.sub(r"\x1b\[[\d;?]*[A-Za-ln-z]", "", said)
    return "\n".join(line.split("\r")[-1] for line in said.split("\n"))


def read(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is closed
        return b""


COLOURS = {31: "r", 32: "g", 33: "y", 35: "m", 36: "c"}


def styled(said):
    """Splits each line into parts with the classes of their style: `b` bold, `f` faint, and a letter for each colour."""
    style = []
    for line in said.split("\n"):
        parts = []
        for at, text in enumerate(re.split(r"\x1b\[([\d;]*)m", line)):
            if at % 2:
                for code in [int(number or 0) for number in text.split(";")]:
                    style = [] if code == 0 else [*style, {1: "b", 2: "f", **COLOURS}.get(code, "")]
            elif text:
                parts.append((" ".join(style), text))
        yield parts


def wrapped(parts):
    """Wraps a line into the rows that a terminal shows."""
    row, left = [], COLUMNS
    for style, text in parts:
        while len(text) > left:
            yield [*row, (style, text[:left])]
            row, text, left = [], text[left:], COLUMNS
        row.append((style, text))
        left -= len(text)
    yield row


STYLE = """
  svg { --back: #ffffff; --bar: #eceff3; --edge: #c9d1d9; --text: #24292f; --faint: #5d6670; --red: #b3261e;
        --green: #116329; --yellow: #7a4b00; --magenta: #6f3cc0; --cyan: #0b5c8a; }
  @media (prefers-color-scheme: dark) {
    svg { --back: #0f141a; --bar: #1b222b; --edge: #303a46; --text: #e3e8ee; --faint: #97a2ae; --red: #ff8b82;
          --green: #6fd388; --yellow: #e3b564; --magenta: #c8a6ff; --cyan: #6cc7f5; }
  }
  .back { fill: var(--back); stroke: var(--edge); } .bar { fill: var(--bar); } .dot { fill: var(--edge); }
  text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: var(--text);
         white-space: pre; }
  .title { fill: var(--faint); text-anchor: middle; }
  .b, .s { font-weight: 600; } .f, .p { fill: var(--faint); } .r { fill: var(--red); } .g { fill: var(--green); }
  .y { fill: var(--yellow); } .m { fill: var(--magenta); } .c { fill: var(--cyan); }
  .row { animation: wait steps(1) backwards; } @keyframes wait { from, 99.9% { opacity: 0; } to { opacity: 1; } }
  @media (prefers-reduced-motion: reduce) { .row { animation: none; } }
"""


def draw(scene, rows):
    width = round(2 * MARGIN + COLUMNS * CELL)
    height = BAR + MARGIN + len(rows) * LINE + MARGIN // 2
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        f' role="img" aria-labelledby="title words">',
        f'<title id="title">{escape(scene.title)}</title>',
        f'<desc id="words">{escape(scene.words)}</desc>',
        f"<style>{STYLE}</style>",
        f'<rect class="back" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="9"/>',
        f'<path class="bar" d="M1 {BAR}V10a9 9 0 0 1 9-9H{width - 10}a9 9 0 0 1 9 9V{BAR}z"/>',
        *(f'<circle class="dot" cx="{MARGIN + 18 * at}" cy="{BAR / 2}" r="5.5"/>' for at in range(3)),
        f'<text class="title" x="{width / 2}" y="{BAR / 2 + 5}">{escape(scene.title)}</text>',
    ]
    for at, (appears, parts) in enumerate(rows):
        drawn, column = "", 0
        for style, text in parts:
            if text.strip():
                inner = text.lstrip(" ")
                start = column + len(text) - len(inner)
                place = f'x="{MARGIN + start * CELL:.1f}" textLength="{len(inner.rstrip(" ")) * CELL:.1f}"'
                drawn += f'<tspan class="{style}" {place}>{escape(inner.rstrip(" "), quote=False)}</tspan>'
            column += len(text)
        if drawn:
            y = BAR + MARGIN + at * LINE + 8
            lines.append(f'<text class="row" y="{y}" style="animation-duration:{appears:.2f}s">{drawn}</text>')
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    main()
