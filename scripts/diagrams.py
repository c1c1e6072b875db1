#!/usr/bin/env python3
"""Draws the diagrams of the book below docs/pictures; `--check` draws nothing, and fails if one is not as drawn here."""

import argparse
import sys
from html import escape
from pathlib import Path

PICTURES = Path(__file__).resolve().parents[1] / "docs/pictures"

STYLE = """
  svg { --back: #ffffff; --box: #f3f6f9; --edge: #8794a1; --text: #24292f; --faint: #566270; --gate: #fff3d6; --gate-edge: #9a6700;
        --no: #b3261e; --yes: #116329; }
  @media (prefers-color-scheme: dark) {
    svg { --back: #12171d; --box: #1d252e; --edge: #77869a; --text: #e3e8ee; --faint: #a3b0bf; --gate: #3a2d0c; --gate-edge: #e3b564;
          --no: #ff8b82; --yes: #6fd388; }
  }
  .back { fill: var(--back); } .box { fill: var(--box); stroke: var(--edge); } .gate { fill: var(--gate); stroke: var(--gate-edge); }
  .plain { fill: none; stroke: var(--edge); stroke-dasharray: 4 4; }
  text { font: 14px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: var(--text); text-anchor: middle; }
  .strong { font-weight: 600; } .small { font-size: 12px; fill: var(--faint); } .left { text-anchor: start; }
  .mono { font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 12.5px; }
  .no { fill: var(--no); } .yes { fill: var(--yes); }
  .line { stroke: var(--edge); stroke-width: 1.5; fill: none; marker-end: url(#head); } #head path { fill: var(--edge); }
"""


class Drawing:
    def __init__(self, name, width, height, title, words):
        self.name, self.parts = name, [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
            f' role="img" aria-labelledby="title words">',
            f'<title id="title">{escape(title)}</title>\n<desc id="words">{escape(words)}</desc>\n<style>{STYLE}</style>',
            '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            '<path d="M0 0L8 4L0 8z"/></marker></defs>',
            f'<rect class="back" width="{width}" height="{height}" rx="9"/>',
        ]

    def box(self, x, y, width, height, *lines, kind="box", rx=8):
        """A box around its middle, with lines: the first one is strong."""
        self.parts.append(f'<rect class="{kind}" x="{x - width / 2}" y="{y - height / 2}" width="{width}" height="{height}" rx="{rx}"/>')
        first = y + 5 - (len(lines) - 1) * 9
        for at, line in enumerate(lines):
            self.text(x, first + at * 18, line, "strong" if at == 0 else "small")

    def text(self, x, y, words, kind=""):
        self.parts.append(f'<text class="{kind}" x="{x}" y="{y}">{escape(words, quote=False)}</text>')

    def arrow(self, *points, words="", dy=-7, kind="small"):
        """An arrow through points, with words at the middle of its first part."""
        self.parts.append('<path class="line" d="M' + "L".join(f"{x} {y}" for x, y in points) + '"/>')
        if words:
            (x, y), (to, down) = points[:2]
            self.text((x + to) / 2, (y + down) / 2 + dy, words, kind)

    def done(self):
        return "\n".join([*self.parts, "</svg>", ""])


def consent():
    """Draws the consent dialog of macOS, with the names of its two programs."""
    drawing = Drawing(
        "consent", 720, 330, "The consent dialog of macOS",
        "A dialog says: X wants access to control Y, with the buttons Don't Allow and Allow. X is the program that macOS holds "
        "responsible: the terminal, the client, or iac-mcp. Y is the app, such as Mail.",
    )
    drawing.box(360, 160, 380, 190, rx=14)
    drawing.text(360, 100, "“X” wants access to control “Y”.", "strong")
    for at, line in enumerate(("Allowing control will provide access to", "documents and data in “Y”, and to perform", "actions within that app.")):
        drawing.text(360, 128 + at * 19, line, "small")
    drawing.box(275, 222, 160, 34, "Don’t Allow")
    drawing.box(445, 222, 160, 34, "Allow")
    drawing.text(95, 40, "X: who is asked about", "strong")
    drawing.text(95, 60, "Terminal, your client,", "small")
    drawing.text(95, 76, "or iac-mcp itself", "small")
    drawing.arrow((150, 70), (245, 88))
    drawing.text(625, 40, "Y: the app", "strong")
    drawing.text(625, 60, "Mail, Finder, Notes …", "small")
    drawing.arrow((600, 70), (470, 86))
    drawing.text(275, 282, "macOS never asks again:", "small no")
    drawing.text(275, 300, "only System Settings helps", "small no")
    drawing.text(445, 282, "holds until you", "small yes")
    drawing.text(445, 300, "take it back", "small yes")
    return drawing


def gates():
    """Draws the gates that a call passes between a client and an app."""
    drawing = Drawing(
        "gates", 760, 300, "Two gates between your assistant and an app",
        "A call goes from your client to iac-mcp. The gate of iac-mcp allows reads, asks you before a change, and refuses code. "
        "Then the gate of macOS looks whether this program may control this app. Only then the app gets an Apple event.",
    )
    drawing.box(80, 150, 120, 64, "your client", "Claude, Cursor …")
    drawing.box(290, 150, 150, 84, "gate of iac-mcp", "which objects?", "read or change?", kind="gate")
    drawing.box(510, 150, 150, 84, "gate of macOS", "may this program", "control this app?", kind="gate")
    drawing.box(690, 150, 100, 64, "the app", "Mail, Finder …")
    drawing.arrow((140, 150), (213, 150), words="call")
    drawing.arrow((365, 150), (433, 150), words="script")
    drawing.arrow((585, 150), (638, 150), words="event")
    drawing.box(290, 40, 200, 44, "you, for each change", "once · hour · always · deny", kind="plain")
    drawing.arrow((290, 108), (290, 64))
    drawing.box(510, 40, 200, 44, "you, once for each app", "Allow · Don’t Allow", kind="plain")
    drawing.arrow((510, 108), (510, 64))
    drawing.arrow((290, 192), (290, 240))
    drawing.text(290, 262, "permission_required", "mono no")
    drawing.arrow((510, 192), (510, 240))
    drawing.text(510, 262, "automation_not_authorized", "mono no")
    drawing.arrow((690, 182), (690, 282), (80, 282), (80, 184))
    return drawing


def one_call():
    """Draws the way of one call through the program."""
    drawing = Drawing(
        "one-call", 760, 470, "The way of one call",
        "The shell receives a call and gives it to the core. The core reads the arguments, resolves names by the app's dictionary, "
        "plans, decides about permission and writes the script. The shell runs the script with osascript and gives the reply back "
        "to the core, which turns new objects into references and makes the answer.",
    )
    drawing.text(130, 30, "client", "strong")
    drawing.text(380, 30, "core: decides, without I/O", "strong")
    drawing.text(640, 30, "shell: acts", "strong")
    drawing.parts.append('<rect class="plain" x="250" y="44" width="260" height="410" rx="12"/>')
    steps = [
        ("arguments → Call", "core/src/call"),
        ("names → specifier", "dictionary, references"),
        ("costs → plan", "columns, or one by one"),
        ("harm → decision", "permission"),
        ("Approved → script", "code fixed, data as JSON"),
        ("reply → answer", "references, untrusted marks"),
    ]
    places = [80, 146, 212, 278, 344, 418]
    for (words, where), y in zip(steps, places):
        drawing.box(380, y, 220, 48, words, where, kind="gate" if "decision" in words else "box")
    for y, to in zip(places[:4], places[1:5]):
        drawing.arrow((380, y + 24), (380, to - 25))
    drawing.box(130, 80, 150, 48, "tools/call", "JSON on stdin")
    drawing.arrow((205, 80), (268, 80))
    drawing.box(130, 418, 150, 48, "result", "text and structure")
    drawing.arrow((270, 418), (207, 418))
    drawing.box(640, 146, 170, 48, "read the dictionary", "only the apps it needs")
    drawing.arrow((490, 138), (553, 138))
    drawing.text(533, 131, "Load", "small")
    drawing.arrow((555, 154), (492, 154))
    drawing.box(640, 278, 170, 48, "ask the person", "form, terminal or dialog")
    drawing.arrow((490, 270), (553, 270))
    drawing.text(533, 263, "Ask", "small")
    drawing.arrow((555, 286), (492, 286))
    drawing.box(640, 381, 170, 66, "osascript", "one script at a time", "for each app, a deadline")
    drawing.arrow((490, 344), (520, 344), (520, 366), (553, 366))
    drawing.text(536, 340, "Run", "small")
    drawing.arrow((555, 400), (520, 400), (520, 418), (492, 418))
    return drawing


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--check", action="store_true", help="fail if a file is not as drawn here")
    check = options.parse_args().check
    PICTURES.mkdir(exist_ok=True)
    for drawing in (consent(), gates(), one_call()):
        path = PICTURES / f"{drawing.name}.svg"
        if not check:
            path.write_text(drawing.done())
        elif not path.exists() or path.read_text() != drawing.done():
            sys.exit(f"{path.name} is not as drawn by scripts/diagrams.py. Run it without --check")


if __name__ == "__main__":
    main()
