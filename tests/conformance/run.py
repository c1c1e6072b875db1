"""The official conformance suite against `iac-mcp serve` on the simulated Mac, once for each revision.

    python3 tests/conformance/run.py [REVISION ...]

`IAC_MCP_BIN` is the program, `IAC_MCP_NODE` Node.js, `IAC_MCP_CONFORMANCE` the folder with the suite's packages. Each
failing check must be in `baseline-REVISION.yml` with a reason; if a check in that file passes, that is an error too.
"""

import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "clients"))

from bridge import Bridge  # noqa: E402
from support import BIN, Home  # noqa: E402

REVISIONS = ("2026-07-28", "2025-11-25")


def run(revision, folder):
    suite = Path(os.environ["IAC_MCP_CONFORMANCE"]) / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    with Home() as home:
        command = [BIN, *home.arguments()]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        bridge = Bridge(lambda: subprocess.Popen(command, env=home.environment, cwd=home.path, **pipes))
        threading.Thread(target=bridge.serve_forever, daemon=True).start()
        arguments = ["--url", bridge.url, "--requirements", revision, "-o", folder]
        arguments += ["--expected-failures", HERE / f"baseline-{revision}.yml"]
        try:
            return subprocess.run([os.environ.get("IAC_MCP_NODE", "node"), suite, "server", *arguments], check=False).returncode
        finally:
            bridge.close()


def main(revisions):
    with tempfile.TemporaryDirectory(prefix="iac-mcp-conformance-") as folder:
        failed = [revision for revision in revisions if run(revision, Path(folder) / revision)]
    for revision in failed:
        print(f"conformance: {revision} differs from its baseline", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or REVISIONS))
