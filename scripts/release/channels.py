"""The files for each distribution channel: MCPB, the MCP registry, Homebrew and npm; and the provenance of a release."""

import hashlib
import json
import re
from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).parent / "data"
DESCRIPTION = "Safe, stateful hands on every scriptable Mac app: Mail, Calendar, Finder, OmniFocus and others"
REGISTRY_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

# npm's names for the targets, and the restrictions of the packages that contain them.
NPM = {
    "universal-apple-darwin": ("darwin", {"os": ["darwin"], "cpu": ["arm64", "x64"]}),
    "x86_64-unknown-linux-gnu": ("linux-x64", {"os": ["linux"], "cpu": ["x64"], "libc": ["glibc"]}),
    "aarch64-unknown-linux-gnu": ("linux-arm64", {"os": ["linux"], "cpu": ["arm64"], "libc": ["glibc"]}),
}


class Facts(NamedTuple):
    """What every channel needs to know."""

    version: str
    repository: str
    notes: str

    @property
    def owner(self):
        return self.repository.rstrip("/").split("/")[-2]

    @property
    def registry_name(self):
        return f"io.github.{self.owner}/iac-mcp"

    @property
    def npm_name(self):
        return f"@{self.owner.lower()}/iac-mcp"

    def download(self, name):
        return f"{self.repository}/releases/download/v{self.version}/{name}"


def write(facts, made, programs, universal):
    mcpb = f"iac-mcp-{facts.version}.mcpb"
    made.zip(mcpb, bundle(facts, programs[universal]))
    npm(facts, made, programs)
    made.json("server.json", server(facts, mcpb, made.hashes[mcpb]))
    made.text("iac-mcp.rb", formula(facts, made))
    made.text("NOTES.md", facts.notes + "\n")


def bundle(facts, program):
    """Returns the files of the MCPB bundle. Claude Desktop drops execute bits, so a shell script starts the program."""
    manifest = {
        "manifest_version": "0.3",
        "name": "iac-mcp",
        "display_name": "Mac apps",
        "version": facts.version,
        "description": DESCRIPTION,
        "author": {"name": "The iac-mcp authors", "url": facts.repository},
        "repository": {"type": "git", "url": facts.repository},
        "license": "MIT OR Apache-2.0",
        "server": {
            "type": "binary",
            "entry_point": "server/iac-mcp",
            "mcp_config": {"command": "/bin/sh", "args": ["${__dirname}/server/launch.sh", "serve"], "env": {}},
        },
        "tools_generated": True,
        "prompts_generated": True,
        "compatibility": {"platforms": ["darwin"]},
    }
    return {
        "manifest.json": (encoded(manifest), 0o644),
        "server/launch.sh": ((DATA / "launch.sh").read_bytes(), 0o755),
        "server/iac-mcp": (program, 0o755),
    }


def npm(facts, made, programs):
    """Returns one npm package for each target, and one that selects the right one and starts its program."""
    shared = {"version": facts.version, "license": "MIT OR Apache-2.0", "repository": {"type": "git", "url": f"git+{facts.repository}.git"}}
    carriers = {}
    for target, (suffix, systems) in NPM.items():
        if target not in programs:
            continue
        name = f"{facts.npm_name}-{suffix}"
        manifest = {"name": name, "description": f"The program of {facts.npm_name} for {suffix}", **shared, **systems, "preferUnplugged": True}
        files = {"package/package.json": (encoded(manifest), 0o644), "package/bin/iac-mcp": (programs[target], 0o755)}
        made.tar(f"npm/iac-mcp-{suffix}-{facts.version}.tgz", files)
        carriers[name] = facts.version
    manifest = {
        "name": facts.npm_name,
        "mcpName": facts.registry_name,
        "description": DESCRIPTION,
        **shared,
        "bin": {"iac-mcp": "bin/iac-mcp.cjs"},
        "engines": {"node": ">=18"},
        "optionalDependencies": carriers,
    }
    shim = (DATA / "iac-mcp.cjs").read_text().replace("NPM_NAME", facts.npm_name)
    files = {"package/package.json": (encoded(manifest), 0o644), "package/bin/iac-mcp.cjs": (shim.encode(), 0o755)}
    made.tar(f"npm/iac-mcp-{facts.version}.tgz", files)


def server(facts, mcpb, digest):
    """Returns the entry for the MCP registry."""
    npm = {
        "registryType": "npm",
        "identifier": facts.npm_name,
        "version": facts.version,
        "runtimeHint": "npx",
        "packageArguments": [{"type": "positional", "value": "serve"}],
        "transport": {"type": "stdio"},
    }
    file = {"registryType": "mcpb", "identifier": facts.download(mcpb), "fileSha256": digest, "transport": {"type": "stdio"}}
    return {
        "$schema": REGISTRY_SCHEMA,
        "name": facts.registry_name,
        "title": "Mac apps",
        "description": DESCRIPTION,
        "repository": {"url": facts.repository, "source": "github"},
        "version": facts.version,
        "packages": [file, npm],
    }


def formula(facts, made):
    """Returns the formula for our own Homebrew tap. A cask would mark the download as quarantined."""
    text = (DATA / "iac-mcp.rb").read_text().replace("@VERSION@", facts.version).replace("@HOMEPAGE@", facts.repository)

    def archive(found):
        indent, name = found[1], f"iac-mcp-{facts.version}-{found[2]}.tar.gz"
        return f'{indent}url "{facts.download(name)}"\n{indent}sha256 "{made.hashes[name]}"'

    def kept(block):  # a dry run does not have every target
        return block[0] if f"iac-mcp-{facts.version}-{block[1]}.tar.gz" in made.hashes else ""

    text = re.sub(r" +on_\w+ do\n +@(\S+)@\n +end\n", kept, text)
    return re.sub(r"( +)@(\S+)@", archive, text)


def notes(changelog, heading):
    """Returns the section of the changelog under a heading, which may be followed by a date."""
    found = re.search(rf"^## {re.escape(heading)}(?: [^\n]*)?\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    return found[1].strip() if found else ""


def materials(text, epoch):
    """Returns the CycloneDX list of dependencies, with the commit's time and without what differs between runs."""
    bill = json.loads(text)
    bill.pop("serialNumber", None)
    bill["metadata"].pop("authors", None)  # the name of the user on this machine
    bill["metadata"]["timestamp"] = datetime.fromtimestamp(epoch, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return json.dumps(bill, indent=1) + "\n"


def provenance(facts, made, source, tools, arguments):
    """Returns an in-toto statement in the SLSA format: which files were made from which commit, how and with what.

    A workflow on GitHub adds a signed one. This one is as trustworthy as SHA256SUMS, which lists it.
    """
    subjects = [{"name": name, "digest": {"sha256": digest}} for name, digest in sorted(made.hashes.items())]
    statement = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subjects,
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": f"{facts.repository}/blob/main/docs/releasing.md",
                "externalParameters": {"version": facts.version, "cargo": arguments, "changed": source["changed"]},
                "internalParameters": tools,
                "resolvedDependencies": [
                    {"uri": f"git+{source['repository']}", "digest": {"gitCommit": source["commit"]}},
                    {"uri": "Cargo.lock", "digest": {"sha256": source["lock"]}},
                ],
            },
            "runDetails": {"builder": {"id": f"{facts.repository}/blob/main/release"}},
        },
    }
    return json.dumps(statement, indent=2) + "\n"


def encoded(value):
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def sha256(data):
    return hashlib.sha256(data).hexdigest()
