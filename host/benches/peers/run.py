"""Measures this server beside others, all of them driven by one client on the same simulated Mac, and draws the page.

    run.py PROGRAM TOOLS [--peer NAME=COMMAND ...] [--rounds N] [--calls N] [--only NAME,...] [--draw]

PROGRAM is an optimised `iac-mcp`, TOOLS the folder of what `./bench peers` installs. A COMMAND may say {folder} for a
folder with a few files. The names airmcp, apple-mcp, kip-d and jsavin are known: their tools are asked for the same tasks. Any
other name takes part in the start and the list of tools. `--only` prints, and leaves the page alone. `--draw` makes the page
again from the last run.
"""

import argparse
import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import page
from measure import Bench, measure

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]


@dataclass
class Peer:
    name: str
    command: object
    path: list = field(default_factory=list)
    environment: dict = field(default_factory=dict)
    version: str = ""
    # A plugin package to install in each new home.
    plugin: object = None


def roster(program, tools, folder, more, plugin):
    node = tools / "python/node/bin"
    python, serena = tools / "python/peers", tools / "python/serena"
    packages = tools / "peers/node_modules"

    def runs(name, *words, path=(node,), **environment):
        return Peer(name, lambda _: words, list(path), environment)

    peers = [Peer("iac-mcp", lambda world: [program, "serve", "--world", world])]
    peers.append(Peer("iac-mcp+omnifocus", peers[0].command, plugin=plugin))
    if packages.is_dir():
        peers += [
            runs("macos-automator-mcp", node / "node", packages / "@steipete/macos-automator-mcp/dist/server.js"),
            runs("omnifocus-mcp", node / "node", packages / "omnifocus-mcp/cli.cjs"),
            runs("server-filesystem", node / "node", packages / "@modelcontextprotocol/server-filesystem/dist/index.js", folder),
        ]
    if (python / "bin/apple-mail-mcp").exists():
        peers.append(runs("apple-mail-mcp", python / "bin/apple-mail-mcp", "serve"))
    if (serena / "bin/serena").exists():
        options = ["--project", folder, "--enable-web-dashboard", "false", "--agent-interface", "tools"]
        peers.append(runs("serena", serena / "bin/serena", "start-mcp-server", *options, path=(serena / "bin", node)))
    for name, command in more:
        words = [word.replace("{folder}", str(folder)) for word in shlex.split(command)]
        peers.append(runs(name, *words))
    return peers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("tools", type=Path)
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--rounds", type=int, default=5, help="how often each start and each task is measured")
    parser.add_argument("--calls", type=int, default=1000, help="calls before memory is measured again")
    parser.add_argument("--only", default="")
    parser.add_argument("--draw", action="store_true")
    options = parser.parse_args()
    if unnamed := [peer for peer in options.peer if "=" not in peer]:
        parser.error(f"--peer {unnamed[0]}: expected NAME=COMMAND, such as airmcp='node airmcp/dist/index.js'")
    kept = options.tools / "peers.json"
    if options.only:
        kept = kept.with_name("peers-only.json")
    if not options.draw:
        kept.write_text(json.dumps(measured(options), indent=1) + "\n")
    results = json.loads(kept.read_text())
    page.show(results)
    if not options.only:
        page.write(results)
        print("wrote docs/peers.md and its pictures")
    # The benchmark fails if this server gives a wrong answer. Wrong answers of others are only reported.
    ours = results["servers"].get("iac-mcp", {})
    return any(not page.done(task) for task in ours.get("tasks", {}).values())


def measured(options):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        some = Path(folder) / "some-files"
        shutil.copytree(HERE, some, ignore=shutil.ignore_patterns("__pycache__"))
        plugin = Path(folder) / "omnifocus.wasm"
        more = [peer.split("=", 1) for peer in options.peer]
        peers = roster(options.program.resolve(), options.tools.resolve(), some, more, plugin)
        if options.only:
            peers = [peer for peer in peers if peer.name in options.only.split(",")]
        if any(peer.plugin for peer in peers):
            made = [options.program.resolve(), "plugin", "build", ROOT / "plugins/omnifocus", "--output", plugin]
            subprocess.run(made, check=True, stdout=subprocess.DEVNULL)
        machine = {"processors": os.cpu_count(), "system": platform.system(), "load": os.getloadavg()[0]}
        machine["optimised"] = options.program.resolve().parent.name == "release"
        bench = Bench(options.program.resolve(), folder)
        servers = measure(bench, peers, options.rounds, options.calls, lambda part: print(f"measuring: {part}", file=sys.stderr))
        return {"machine": machine, "rounds": options.rounds, "calls": options.calls, "servers": servers}


if __name__ == "__main__":
    sys.exit(main())
