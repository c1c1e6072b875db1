"""What `serve` leaves alone: no file outside of its two folders, no listening socket, nothing that outlives it."""

import os
import re
import shutil
import subprocess
import time
import unittest
from pathlib import Path

from support import BIN, PATIENCE, Home, Server

INBOX = {"type": "property", "property": "inbox", "of": "application"}
LISTENS = "0A"
SERVER_SOCKET = 0x10000
# Opened for writing, made, renamed, removed: the first path of each such call.
CHANGES = re.compile(
    r'(?:openat?2?\((?:\w+, )?"(?P<opened>[^"]*)", [^)]*?O_(?:WRONLY|RDWR|CREAT|TRUNC)'
    r'|(?:creat|mkdir|rmdir|unlink|rename|link|symlink|truncate|chmod|mknod)\w*\((?:\w+, )?"(?P<changed>[^"]*)")'
)
SOCKETS = re.compile(r"\b(?:listen|bind)\(.*|\bsocket\(AF_INET6?.*")
HARMLESS = re.compile(r"^/dev/(?:null|tty|urandom)$|^/proc/self/|^/dev/shm/$")


def converse(server):
    """Something of everything that reads."""
    apps = server.call("iac_mcp_list_apps")["apps"]
    assert len(apps) >= 3, apps
    inbox = server.call("iac_mcp_query_object", app="Mail", specifier=INBOX)["reference"]["id"]
    ask = {"container": inbox, "elementType": "message", "properties": ["subject"], "limit": 3}
    messages = server.call("iac_mcp_get_elements", **ask)["elements"]
    server.call("iac_mcp_get_properties", reference=[message["id"] for message in messages])
    server.call("iac_mcp_query_object", app="Mail", specifier={"type": "property", "property": "nonsense"})


def tree_of(process):
    """The process and all that came from it."""
    children = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue
        children.setdefault(parent, []).append(int(folder.name))
    found, waiting = [], [process]
    while waiting:
        found.append(waiting.pop())
        waiting += children.get(found[-1], [])
    return found


def listening(processes):
    """The sockets among their files that wait for somebody to connect."""
    held = set()
    for process in processes:
        for entry in Path(f"/proc/{process}/fd").glob("*"):
            try:
                target = os.readlink(entry)
            except OSError:
                continue
            held |= {target[8:-1]} if target.startswith("socket:[") else set()
    return [row for row in rows_of_listeners() if row[1] in held]


def rows_of_listeners():
    for kind in ("tcp", "tcp6", "udp", "udp6"):
        for row in Path(f"/proc/net/{kind}").read_text().splitlines()[1:]:
            fields = row.split()
            if fields[3] == LISTENS or kind.startswith("udp"):
                yield kind, fields[9], fields[1]
    for row in Path("/proc/net/unix").read_text().splitlines()[1:]:
        fields = row.split()
        if int(fields[3], 16) & SERVER_SOCKET:
            yield "unix", fields[6], fields[-1]


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


@unittest.skipUnless(Path("/proc/self/fd").is_dir(), "skipped: there is no /proc here to look into")
class Footprint(unittest.TestCase):
    def test_no_socket_listens(self):
        with Home() as home, Server(home) as server:
            converse(server)
            processes = tree_of(server.process.pid)
            self.assertIn(server.process.pid, processes)
            self.assertEqual(listening(processes), [])

    def test_the_search_for_sockets_itself(self):
        """A process that listens is found."""
        code = "import socket,time; s=socket.socket(); s.bind(('127.0.0.1',0)); s.listen(); print(flush=True); time.sleep(60)"
        with subprocess.Popen(["python3", "-c", code], stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            found = listening([process.pid])
            process.kill()
        self.assertEqual([row[0] for row in found], ["tcp"])

    def test_files_only_in_state_and_cache(self):
        with Home() as home:
            (home.path / "Documents").mkdir()
            (home.path / "Documents/mine.txt").write_text("mine")
            with Server(home, environment=unprofiled(home)) as server:
                converse(server)
                self.assertEqual(server.end(), 0, server.log)
            elsewhere = [name for name in files_below(home.path) if not name.startswith(("state/", "cache/"))]
            self.assertEqual(elsewhere, ["Documents/mine.txt"])

    @unittest.skipUnless(shutil.which("strace"), "skipped: strace is not installed, so only the home folder is compared")
    def test_every_system_call(self):
        """Even what is written and removed again, and even outside of the home folder, by it and by its children."""
        with Home() as home:
            trace = home.path / "trace"
            watch = "trace=%file,socket,bind,listen"
            command = ("strace", "-f", "-qq", "-s", "4096", "-e", watch, "-o", str(trace), BIN)
            with Server(home, command=command, environment=unprofiled(home)) as server:
                converse(server)
                server.end()
            calls = trace.read_text(errors="replace").splitlines()
        self.assertGreater(len(calls), 100, "the trace holds the program")
        allowed = (str(home.state), str(home.cache))
        changed = [match["opened"] or match["changed"] for match in map(CHANGES.search, calls) if match]
        self.assertTrue(any(path.startswith(allowed) for path in changed), "the trace shows what is written")
        outside = {path for path in changed if not path.startswith(allowed) and not HARMLESS.match(path)}
        self.assertEqual(outside - {""}, set())
        self.assertEqual([call for call in calls if SOCKETS.search(call)], [])

    def test_nothing_outlives_it(self):
        for end in ("end", "kill"):
            with self.subTest(end), Home() as home, Server(home) as server:
                converse(server)
                processes = tree_of(server.process.pid)
                server.end() if end == "end" else server.process.kill()
                server.process.wait(PATIENCE)
                patience = time.monotonic() + PATIENCE
                while left := [process for process in processes if alive(process)]:
                    self.assertLess(time.monotonic(), patience, f"still running: {left}")
                    time.sleep(0.05)


def alive(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def unprofiled(home):
    """A program that counts its coverage would write that down, too."""
    return {**home.environment, "LLVM_PROFILE_FILE": "/dev/null"}


if __name__ == "__main__":
    unittest.main()
