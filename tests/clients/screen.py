"""A terminal of a given size, and what a person sees on it."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

from support import BIN, PATIENCE

# Escape sequences for colours, the cursor, and the title of the window.
CODES = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07)")
# The start of a page that the program draws again.
HOME = "\x1b[1;1H"


class Screen:
    """The program at a terminal."""

    def __init__(self, home, *arguments, columns=80, rows=24, **environment):
        self.ours, theirs = pty.openpty()
        self.resize(columns, rows)
        self.before = termios.tcgetattr(theirs)
        self.process = subprocess.Popen(
            [BIN, *arguments],
            env=home.environment | {"TERM": "xterm-256color"} | environment,
            cwd=home.path,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        self.theirs = theirs
        self.said = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE)
        os.close(self.theirs)
        os.close(self.ours)

    def resize(self, columns, rows):
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys):
        os.write(self.ours, keys)

    def read(self, seconds):
        """Reads the output that arrives within this time, if there is any."""
        if select.select([self.ours], [], [], seconds)[0]:
            self.said += os.read(self.ours, 65536)
            return True
        return False

    def text(self):
        """All output without colours; for a page that is drawn again, only its last state."""
        text = self.said.decode(errors="replace").rpartition(HOME)[2]
        return CODES.sub("", text).replace("\r\n", "\n")

    def wait_for(self, text):
        end = time.monotonic() + PATIENCE
        while text not in self.text():
            assert time.monotonic() < end, f"no `{text}` on {self.text()}"
            self.read(0.1)
        return self.text()

    def end(self, how=None):
        """The exit status and the text. The program ends by itself, by a key, or by a signal."""
        if isinstance(how, bytes):
            self.type(how)
        elif how:
            os.kill(self.process.pid, how)
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < end, f"it does not end: {self.text()}"
            self.read(0.02)
        while self.read(0):
            pass
        return self.process.returncode, self.text()

    def is_given_back(self):
        """Whether the terminal is in its initial state: it echoes, it shows its cursor, and its earlier lines are
        visible again."""
        hidden, shown = self.said.rfind(b"\x1b[?25l"), self.said.rfind(b"\x1b[?25h")
        entered, left = self.said.rfind(b"\x1b[?1049h"), self.said.rfind(b"\x1b[?1049l")
        return shown >= hidden and left >= entered and termios.tcgetattr(self.theirs) == self.before


INTERRUPT = b"\x03"
ENDINGS = (b"q", INTERRUPT, b"\x1b", signal.SIGTERM, signal.SIGHUP)
