"""Checks rules of the repository that no compiler checks.

Prints each violation, and fails if there is any.
"""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import order
import pages

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 800
# The formatter gives JavaScript a line for each statement and argument. A plugin's script is a single file of its
# package, and the parts of the Foundation bridge share the helpers at the top of one file.
LONGER = {
    "plugins/omnifocus/scripts/read.js": 1200,
    "plugins/omnifocus/scripts/write.js": 1900,
    "simulator/src/engine/foundation.js": 1320,
}
CODE = {".rs", ".py", ".js", ".bash", ".sh"}

# Each rule: where it applies, what must not occur there, and why.
RULES = [
    (r"", r"(?<![\w.~-])/(?:work|root|mnt|builds?)/\w", "a path of one machine"),
    (r"(?<!Cargo\.lock)$", r"(?:crates|docs)\.(?:io|rs)/|pypi\.org|npmjs\.org|rust-lang\.org|debian\.org", "a registry's host"),
    # Change notifications exist only on Linux; elsewhere folders are walked. Limiting another process, which a test
    # uses to fill its disk, also exists only there, and so does the allocator that must be told to return memory.
    (r"^(?!host/language-servers/src/watch\.rs$|tests/host/running\.rs$|host/src/mcp/memory\.rs$).*\.rs$", r"cfg!?\(.*\b(?:target_os|target_family|target_vendor|unix|windows)\b", "code that only one system compiles"),
    (r"^host/src/(?!mcp[/.])", r"\brmcp::", "rmcp is spoken in host/src/mcp only"),
    (r"^(?!host/plugins/(?:src/engine|benches)|fuzz/|tests/).*\.rs$", r"\bwasmtime::", "wasmtime is spoken in host/plugins/src/engine only"),
    (r"\.rs$", r"\b(?:unimplemented|todo)!\(", "something left for later"),
    (r"\.(?:rs|py|js|md)$", r"\bXXX\b|\bFIXME\b|\bHACK\b", "something left for later"),
    (r"^core/src/.*\.rs$", r"^(?!\s*//).*\b(?:tokio|async fn|\.await)\b", "the core knows no runtime"),
]

BARE_ALLOW = re.compile(r"#!?\[allow\((?:(?!\breason\b)[^\]])*\]")

# Code that touches the system. PLATFORM.md must name it.
TOUCHES = re.compile(r"\bfs::|\bFile::|\bOpenOptions\b|\benv::|\bCommand::new\b|\bnet::|/proc\b|process::(?:Command|id|exit)\b|\btempfile::|\bWalkBuilder\b|\bgetrandom\b|\bgenerate_to\b")
BRANCHES = re.compile(r"\bconsts::OS\b|\bis_mac\(\)")
SHELL = re.compile(r"^(?:host(?:/(?:apps|osascript|state|plugins|language-servers))?|simulator)/(?:src/.*|build)\.rs$")
TARGETS = ["lib", "bin", "test", "bench", "example"]
VARIABLE = re.compile(r"\bIAC_MCP_[A-Z_]+\b")


def main():
    problems = [problem for path in tracked() for problem in check(path)]
    problems += [*unnamed_contacts(), *dead_links(), *unused_dependencies(), *imports_that_run_down(), *other_versions_of_rust(), *unscheduled_fuzzing()]
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(tracked())} files, {len(problems)} problems")
    return 1 if problems else 0


def tracked():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [path for path in listed.stdout.splitlines() if (ROOT / path).is_file()]


def check(path):
    try:
        text = (ROOT / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return  # data
    # The release sets the modes of its own data files.
    if text.startswith("#!/") and not os.access(ROOT / path, os.X_OK) and not path.startswith("scripts/release/data/"):
        yield f"{path}: begins with #! and cannot be run; give it the mode of a program"
    lines = text.splitlines()
    longest = LONGER.get(path, LONGEST)
    if Path(path).suffix in CODE and len(lines) > longest:
        yield f"{path}: {len(lines)} lines; split it before {longest}"
    if Path(path) == Path(__file__).relative_to(ROOT):
        return  # the rules themselves
    if path.endswith(".rs") and BARE_ALLOW.search(text):
        yield f"{path}: an allow without a reason; write `expect` with one"
    for where, what, why in RULES:
        if re.search(where, path):
            yield from (f"{path}:{at}: {why}: {line.strip()[:100]}" for at, line in enumerate(lines, 1) if re.search(what, line))


def unnamed_contacts():
    """Lists the contacts with the system that PLATFORM.md does not mention, outside tests."""
    told = (ROOT / "PLATFORM.md").read_text()
    branches = told.partition("## Branches at run time")[2].partition("\n## ")[0]
    for path in filter(SHELL.match, tracked()):
        code = (ROOT / path).read_text().partition("#[cfg(test)]")[0]
        if TOUCHES.search(code) and f"`{path}`" not in told and not re.search(r"\btests?(?:\.rs|/)", path):
            yield f"{path}: touches the system, and PLATFORM.md does not say how"
        if BRANCHES.search(code) and f"`{path}`" not in branches:
            yield f"{path}: asks which system this is, and PLATFORM.md does not name it under \"Branches at run time\""
        unknown = {name for name in VARIABLE.findall(code) if f"`{name}`" not in told}
        yield from (f"{path}: the variable {name} is not in PLATFORM.md" for name in sorted(unknown))


def dead_links():
    """Lists broken links between the pages of the repository."""
    yield from (f"{path}: {problem}" for path in pages.tracked() for problem in pages.dead(path))


def unused_dependencies():
    """Lists dependencies that no source of their package uses, and workspace dependencies that no package uses."""
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]
    left = set(workspace["dependencies"])
    for member in workspace["members"]:
        manifest = tomllib.loads((ROOT / member / "Cargo.toml").read_text())
        tables = [manifest, *manifest.get("target", {}).values()]
        # Dependencies of tests must be separate, so that the program is not built with them.
        script = ROOT / member / "build.rs"
        kinds = {
            "dependencies": sources(member, manifest, ["lib", "bin"]),
            "dev-dependencies": sources(member, manifest, TARGETS),
            "build-dependencies": script.read_text() if script.exists() else "",
        }
        for kind, code in kinds.items():
            for name in {name for table in tables for name in table.get(kind, {})}:
                left.discard(name)
                if not re.search(rf"(?<![\w.]){name.replace('-', '_')}(?:::|;| as )", code):
                    yield f"{member}/Cargo.toml: nothing uses {name}; remove it, or move it to dev-dependencies if only tests do"
    yield from (f"Cargo.toml: no package takes {name} from the workspace; remove it" for name in sorted(left))


def imports_that_run_down():
    """Lists imports of modules that come later in the root of their crate."""
    members = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["members"]
    for crate in members:
        yield from order.problems(crate)


def other_versions_of_rust():
    """Lists packages that declare another Rust version than the one that rustup installs here and the tests run with."""
    channel = tomllib.loads((ROOT / "rust-toolchain.toml").read_text())["toolchain"]["channel"]
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]
    for manifest in ["Cargo.toml", *(f"{member}/Cargo.toml" for member in workspace["members"])]:
        told = tomllib.loads((ROOT / manifest).read_text())
        version = told.get("package", workspace["package"]).get("rust-version")
        if version != {"workspace": True} and version != channel.rpartition(".")[0]:
            yield f"{manifest}: its rust-version is {version}, and rust-toolchain.toml has {channel}"


def unscheduled_fuzzing():
    """Lists fuzz targets that the weekly workflow does not run for an hour."""
    workflow = (ROOT / ".github/workflows/weekly.yml").read_text()
    for target in sorted((ROOT / "fuzz/targets").glob("*.rs")):
        if f"          - {target.stem}\n" not in workflow:
            yield f"fuzz/targets/{target.name}: .github/workflows/weekly.yml does not name it"


def sources(member, manifest, kinds):
    """Returns the code of these targets of a package and of its build script."""
    folder = ROOT / member
    named = [target for kind in kinds for target in as_list(manifest.get(kind, []))]
    roots = [(folder / target["path"]).resolve() for target in named if "path" in target]
    folders = [folder / default for default in ("src", *(["tests", "benches", "examples"] if "test" in kinds else []))]
    files = {folder / "build.rs", *roots, *(file for root in roots for file in root.parent.rglob("*.rs"))}
    files |= {file for folder in folders for file in folder.rglob("*.rs")}
    # Tests of several packages include shared files by path.
    shared = re.compile(r'#\[path = "([^"]+)"\]')
    files |= {(file.parent / path).resolve() for file in files if file.is_file() for path in shared.findall(file.read_text())}
    return "\n".join(file.read_text() for file in sorted(files) if file.is_file())


def as_list(value):
    return value if isinstance(value, list) else [value]


if __name__ == "__main__":
    sys.exit(main())
