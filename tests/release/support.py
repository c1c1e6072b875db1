"""The files that `./release` made, for the tests."""

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
    """Whether the program of this archive can leave the machine. The one for Linux of a dry run cannot."""
    return target != LINUX or f"{LINUX}.2." in (FILES / "provenance.json").read_text()


def version():
    return json.loads((FILES / "server.json").read_text())["version"]


class Folder(unittest.TestCase):
    """A test with a folder of its own and an environment in which no tool can be found."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="iac-mcp-release-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "bin").mkdir()
        (self.folder / "home").mkdir()
        self.environment = {"PATH": str(self.folder / "bin"), "HOME": str(self.folder / "home"), "TMPDIR": str(self.folder)}
        # The program of a dry run may be one that counts what runs, and writes that down where nobody says otherwise.
        self.environment |= {name: os.environ[name] for name in ["LLVM_PROFILE_FILE"] if name in os.environ}

    def unpack(self, path):
        """Unpacks an archive and gives the path of the program in it."""
        with tarfile.open(path) as archive:
            archive.extractall(self.folder / "unpacked")
        return next(program for program in (self.folder / "unpacked").rglob("iac-mcp") if program.is_file())

    def unzip(self, path):
        """Unpacks as Claude Desktop does on a Mac: no file keeps an execute bit."""
        with zipfile.ZipFile(path) as archive:
            archive.extractall(self.folder / "bundle")
        for found in (self.folder / "bundle").rglob("*"):
            if found.is_file():
                found.chmod(0o600)
        return self.folder / "bundle"
