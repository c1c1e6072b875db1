"""Makes an audit report for a client with a hostile name, then checks the report and the book in a browser: see
look.mjs.

    run.py BOOK PICTURES        with IAC_MCP_BIN, IAC_MCP_NODE and IAC_MCP_NODE_PACKAGES
"""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "clients"))
from support import BIN, Home, Server

HOSTILE = "</script><script>alert(1)</script><img src='https://example.org/x' onerror=alert(2)>"


def main():
    book, pictures = map(Path, sys.argv[1:])
    pictures.mkdir(parents=True, exist_ok=True)
    with Home() as home:
        report = home.path / "report.html"
        report.write_text(made(home))
        look = [os.environ["IAC_MCP_NODE"], HERE / "look.mjs", book, report, pictures]
        # The browser unpacks itself into the temporary folder.
        return subprocess.run(look, env=os.environ | {"TMPDIR": str(home.path / "tmp")}, check=False).returncode


def made(home):
    """A report of reads, a refusal, and an act of the operator."""
    with Server(home, client=HOSTILE) as server:
        for app, elements in (("Notes", "every note"), ("Reminders", "every list"), ("Music", "every playlist")):
            server.call("iac_mcp_get_elements", app=app, elements=elements, limit=2)
        server.call("iac_mcp_set_property", app="Notes", reference='note "Packing list"', property="name", value=HOSTILE)
        server.call("iac_mcp_run_command", app="Mail", command="check for new mail")
        server.end()
    options = ["--simulated", "--state", str(home.state)]
    run(home, "policy", "profile", "read-only", *options)
    page = run(home, "audit", "report", *options)
    if "&lt;/script&gt;" not in page:
        raise SystemExit("the report does not show what the client is called")
    return page


def run(home, *arguments):
    done = subprocess.run([BIN, *arguments], env=home.environment, cwd=home.path, capture_output=True, text=True, check=True)
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
