"""The bytes of answers of code_query, compared with `grep` for the name and with a read of the files in the answer.

Asks twenty questions about four published projects, which are fetched by the ordinary package clients into target/.
Prints the table of docs/code-query.md. All but the first question about a project are warm.

    python3 tests/code-query/bytes.py                   every project
    python3 tests/code-query/bytes.py rich ignore       these
"""

import json
import subprocess
import sys
from pathlib import Path

import conformance

WHOLE = {"waitMs": 55_000, "timeoutMs": 55_000, "limit": 1_000}

# Each project with its server, its folder of sources, and the queries. A path selects one of several symbols with the
# same name.
QUESTIONS = {
    "rich": ("ty", "rich", [
        ("references", "Console", {}),
        ("references", "Text.append", {}),
        ("callers", "Console.print", {}),
        ("definition", "Console.print", {"body": True}),
        ("findSymbols", "*Style*", {}),
        ("typeInfo", "Table.add_row", {}),
    ]),
    "requests": ("ty", "src/requests", [
        ("references", "Session.send", {}),
        ("implementations", "AuthBase", {}),
        ("callers", "prepare_body", {}),
        ("references", "Response", {}),
    ]),
    "rxjs": ("tsc", "src", [
        ("references", "Observable", {"path": "src/internal/Observable.ts"}),
        ("references", "mergeInternals", {}),
        ("implementations", "SchedulerLike", {}),
        ("callers", "innerFrom", {}),
        ("findSymbols", "*Scheduler", {"kind": "class"}),
    ]),
    "ignore": ("rust-analyzer", "src", [
        ("references", "Gitignore", {"kind": "struct"}),
        ("callers", "Gitignore.matched", {}),
        ("definition", "WalkBuilder.build", {"body": True}),
        ("implementations", "ParallelVisitor", {}),
        ("findSymbols", "Override*", {}),
    ]),
}


class Servers(conformance.Servers):
    """Asks in one of the formats, and also returns the milliseconds."""

    def in_form(self, form, query):
        self.process.stdin.write(json.dumps(query | WHOLE | {"format": form}) + "\n")
        self.process.stdin.flush()
        said = json.loads(self.process.stdout.readline())
        return said["answer"]["results"][0], said["ms"]


def main(wanted):
    print("| project | question | found | doubts | bytes | rows | grep | read | ms |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    totals, wrong = [0, 0, 0, 0], []
    for project in wanted or QUESTIONS:
        profile, under, questions = QUESTIONS[project]
        root = conformance.fetch(project)
        if root is None:
            print(f"skipped: {project} cannot be fetched", file=sys.stderr)
            continue
        servers = Servers(root, profile)
        for kind, name, more in questions:
            answer, milliseconds = servers.in_form("plain", question(kind, name, more))
            rows, _ = servers.in_form("rows", question(kind, name, more))
            if not answer.get("result"):
                wrong.append(f"{project}: {kind} {name}: {answer}")
                continue
            sizes = [size(answer), size(rows), grep(root, under, name), read(root, rows)]
            totals = [total + one for total, one in zip(totals, sizes)]
            asked = f"`{kind}` `{name}`" + (" with `body`" if "body" in more else "")
            doubts = ", ".join(f"`{reason}`" for reason in answer.get("reasons", [])) or "-"
            shown = " | ".join(f"{one:,}" for one in sizes)
            print(f"| {project} | {asked} | {answer['total']} | {doubts} | {shown} | {milliseconds:,.0f} |", flush=True)
        servers.close()
    print(f"| all | | | | {' | '.join(f'{total:,}' for total in totals)} | |")
    for one in wrong:
        print(one, file=sys.stderr)
    return 1 if wrong else 0


def question(kind, name, more):
    return {"type": kind, "query" if kind == "findSymbols" else "symbol": name} | more


def size(answer):
    """The bytes of an answer as a client receives it."""
    return len(json.dumps(answer, separators=(",", ":"), ensure_ascii=False).encode())


def grep(root, under, name):
    """The bytes of the lines that contain the letters of a name, or only of those that contain it as a whole word."""
    leaf = name.rsplit(".", 1)[-1]
    words = ["-w"] if "*" not in leaf else []
    said = subprocess.run(["grep", "-rnI", *words, leaf.replace("*", ""), under], cwd=root, capture_output=True, check=False)
    return len(said.stdout)


def read(root, rows):
    """The bytes of the project's files that an answer names."""
    paths = {row["path"].split(":")[0] for row in rows["result"]}
    return sum((root / path).stat().st_size for path in paths if not Path(path).is_absolute() and (root / path).is_file())


def fetch_source(name, version):
    def fetch(work, folder):
        conformance.run(
            sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", f"{name}=={version}", cwd=work
        )
        conformance.run("tar", "xzf", f"{name}-{version}.tar.gz", cwd=work)
        (work / f"{name}-{version}").rename(folder)

    return fetch


def fetch_ignore(work, folder):
    crate = conformance.fetch_crate(work, "ignore", "0.4.30")
    with open(crate / "Cargo.toml", "a", encoding="utf-8") as manifest:
        manifest.write("\n[workspace]\n")
    crate.rename(folder)


conformance.FETCH |= {
    "rich": fetch_source("rich", "13.9.4"),
    "requests": fetch_source("requests", "2.32.3"),
    "ignore": fetch_ignore,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
