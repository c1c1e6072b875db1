"""Installs the omnifocus plugin into servers; it is built and compiled only once for all tests of a program."""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

from workshop import BIN, ROOT, WRAPPERS

SOURCES = [ROOT / "plugins/omnifocus", ROOT / "plugins/sdk"]
KEPT = Path(BIN).parent.parent / "tmp/installed/omnifocus"
SAID = KEPT / "said.txt"


def install(state, cache):
    """Installs the plugin for a server that has no state and cache yet; returns the text that its operator was
    shown."""
    # The tests run in several processes, and only the first one builds.
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    with open(KEPT.parent / "omnifocus.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_fresh():
            make()
    shutil.copytree(KEPT / "state", state)
    shutil.copytree(KEPT / "cache", cache)
    return SAID.read_text()


def is_fresh():
    """Whether the stored package is newer than the program and all sources of the plugin."""
    files = [Path(BIN), *(file for source in SOURCES for file in source.rglob("*"))]
    return SAID.exists() and SAID.stat().st_mtime > max(file.stat().st_mtime for file in files)


def make():
    shutil.rmtree(KEPT, ignore_errors=True)
    KEPT.mkdir(parents=True)
    package = KEPT / "omnifocus.wasm"
    run("plugin", "build", SOURCES[0], "--output", package)
    said = run("plugin", "add", package, "--yes", "--state", KEPT / "state", "--cache", KEPT / "cache")
    SAID.write_text(said)


def run(*command):
    environment = {name: value for name, value in os.environ.items() if name not in WRAPPERS}
    ended = subprocess.run([BIN, *map(str, command)], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, f"{command}: {ended.stdout}{ended.stderr}"
    return ended.stdout + ended.stderr
