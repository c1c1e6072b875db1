"""Gives the tests the files that `./release` made."""

import json
import os
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = Path(os.environ.get("IAC_MCP_RELEASE", ROOT / "target/release-files"))
NODE = os.environ.get("IAC_MCP_NODE", "node")
NODE_PACKAGES = Path(os.environ.get("IAC_MCP_NODE_PACKAGES", ROOT / "target/tools/release/node_modules"))
LINUX = "x86_64-unknown-linux-gnu"

sys.path.insert(0, str(ROOT / "scripts/release"))


def file(pattern):
    found = sorted(FILES.glob(pattern))
    assert len(found) == 1, f"{pattern} in {FILES}: {found}"
    return found[0]


def archive(target):
    return file(f"iac-mcp-*-{target}.tar.gz")


def is_for_others(target):
    """Whether the program of this archive runs on other machines. The Linux program of a dry run does not."""
    return target != LINUX or f"{LINUX}.2." in (FILES / "provenance.json").read_text()


def version():
    return json.loads((FILES / "server.json").read_text())["version"]


class Folder(unittest.TestCase):
    """A test with a folder of its own and an environment without tools."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="iac-mcp-release-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "bin").mkdir()
        (self.folder / "home").mkdir()
        self.environment = {"PATH": str(self.folder / "bin"), "HOME": str(self.folder / "home"), "TMPDIR": str(self.folder)}
        # The program of a dry run may be instrumented; without this variable it would write its counts somewhere else.
        self.environment |= {name: os.environ[name] for name in ["LLVM_PROFILE_FILE"] if name in os.environ}

    def unpack(self, path):
        """Unpacks an archive and returns the path of the program in it."""
        with tarfile.open(path) as archive:
            archive.extractall(self.folder / "unpacked")
        return next(program for program in (self.folder / "unpacked").rglob("iac-mcp") if program.is_file())

    def unzip(self, path):
        """Unpacks as Claude Desktop does on a Mac: the files lose their execute bits."""
        with zipfile.ZipFile(path) as archive:
            archive.extractall(self.folder / "bundle")
        for found in (self.folder / "bundle").rglob("*"):
            if found.is_file():
                found.chmod(0o600)
        return self.folder / "bundle"
