"""`serve` writes no file outside its two folders, opens no listening socket, and leaves no process behind."""

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
# One call as strace shows it: its name, its arguments and, where it failed, -1.
CALL = re.compile(r"^(?P<name>\w+)\((?P<arguments>.*)\)\s+= (?P<result>-?\w+)")
# A path among the arguments, and the folder that it is relative to, if that is not the current one.
PATH = re.compile(r'(?:<(?P<folder>[^<>]*)>, )?"(?P<path>(?:[^"\\]|\\.)*)"')
WRITES = re.compile(r"O_(?:WRONLY|RDWR|CREAT|TRUNC)")
CHANGES = re.compile(r"^(?:creat|mkdir|rmdir|unlink|rename|link|symlink|truncate|chmod|chown|mknod|utime|setxattr)")
SOCKETS = re.compile(r"\b(?:listen|bind)\(.*|\bsocket\(AF_INET6?.*")
# Opening its own output again does not count as a file.
HARMLESS = re.compile(r"^/dev/(?:null|tty)$|^/proc/self/fd/[12]$")


def converse(server):
    """Makes one call of each reading tool."""
    apps = server.call("iac_mcp_list_apps")["apps"]
    assert len(apps) >= 3, apps
    inbox = server.call("iac_mcp_query_object", app="Mail", specifier=INBOX)["reference"]["id"]
    ask = {"container": inbox, "elementType": "message", "properties": ["subject"], "limit": 3}
    messages = server.call("iac_mcp_get_elements", **ask)["elements"]
    server.call("iac_mcp_get_properties", reference=[message["id"] for message in messages])
    server.call("iac_mcp_query_object", app="Mail", specifier={"type": "property", "property": "nonsense"})


def tree_of(process):
    """The process and all its descendants."""
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
    """The sockets of these processes that wait for connections."""
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
        """The search finds a process that listens."""
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
        """This covers files that the server or its children write and then remove, also outside the home folder."""
        with Home() as home:
            (home.path / "traces").mkdir()
            trace = home.path / "traces/of"
            watch = "trace=%file,socket,bind,listen"
            command = ("strace", "-ff", "-y", "-qq", "-s", "4096", "-e", watch, "-o", str(trace), BIN)
            with Server(home, command=command, environment=unprofiled(home)) as server:
                converse(server)
                server.end()
            calls = [call for file in (home.path / "traces").iterdir() for call in file.read_text().splitlines()]
        own = (f"{home.state}/", f"{home.cache}/")
        changed = {path for call in calls for path in changed_by(call, home.path)}
        self.assertTrue(any(path.startswith(own) for path in changed), "the trace shows what is written")
        outside = {path for path in changed if not f"{path}/".startswith(own) and not HARMLESS.match(path)}
        self.assertEqual(outside, set())
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


def changed_by(call, current):
    """The paths that one system call created, changed or removed."""
    parts = CALL.match(call)
    if not parts or parts["result"] == "-1":
        return []
    if parts["name"].startswith("open") and not WRITES.search(parts["arguments"]):
        return []
    if not parts["name"].startswith("open") and not CHANGES.match(parts["name"]):
        return []
    paths = [os.path.join(path["folder"] or current, path["path"]) for path in PATH.finditer(parts["arguments"])]
    return paths[1:] if parts["name"].startswith("symlink") else paths


def alive(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def unprofiled(home):
    """A program that is instrumented for coverage would write a file of its counts, too."""
    return {**home.environment, "LLVM_PROFILE_FILE": "/dev/null"}


if __name__ == "__main__":
    unittest.main()
