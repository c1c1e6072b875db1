"""Compares code_query over real language servers with independent readers of the same sources.

Subjects are fetched by the ordinary package clients into target/ and never committed. The expected symbols come from
Python's own `ast`, from the compiler API of TypeScript, from a reader of Rust's items in this file, and from ctags for
C: none of them is the server under test. Prints a table in Markdown. Fails if a symbol is missing that is not listed
as an exception, or if the line of a result does not contain its name.

    python3 tests/code-query/conformance.py             every server that is installed
    python3 tests/code-query/conformance.py ty tsc      these
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import answers
import forms
import patterns

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
SUBJECTS = TARGET / "code-query" / "subjects"
ASK = Path(os.environ.get("IAC_MCP_CODE_QUERY_ASK", TARGET / "debug/examples/code-query-ask"))
PAGE = 100
PATTERNS = 60

# The servers that also read the files of `forms.py`, each with its files.
FORMS = {
    "ty": forms.PYTHON,
    "zuban": forms.PYTHON,
    "pyright": forms.PYTHON,
    "basedpyright": forms.PYTHON,
    "tsc": forms.TYPESCRIPT | forms.PROTOTYPES,
    "typescript-language-server": forms.TYPESCRIPT,
    "clangd": forms.C,
    "rust-analyzer": forms.RUST,
}

# For each server: the subject, the folder whose symbols are counted, and the name whose uses are counted, with its
# file if several symbols have the name.
PAIRS = {
    "ty": ("flask", "src", "Flask"),
    "zuban": ("flask", "src", "Flask"),
    "pyright": ("flask", "src", "Flask"),
    "basedpyright": ("flask", "src", "Flask"),
    "tsc": ("rxjs", "src", "src/internal/Observable.ts Observable"),
    "typescript-language-server": ("rxjs", "src", "src/internal/Observable.ts Observable"),
    "rust-analyzer": ("regex-syntax", "src", "src/parser.rs ParserBuilder"),
    "clangd": ("zlib", ".", "deflate"),
    "gopls": ("pflag", ".", "flag.go FlagSet"),
}

EXCEPTIONS = {"clangd": ("left out by this build, as the answers say", lambda one: one["said"])}


class Servers:
    """One process that answers queries with one server."""

    def __init__(self, root, profile):
        self.process = subprocess.Popen(
            [ASK, root, profile], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.times = []

    def ask(self, **query):
        return self.answers(query)[0]

    def batch(self, queries):
        return self.answers({"queries": queries})

    def answers(self, query):
        self.process.stdin.write(json.dumps(query | {"format": "rows"}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        self.times.append((query, answer["ms"], answer["serversMs"]))
        return answer["answer"]["results"]

    def pages(self, **query):
        found, offset = [], 0
        while True:
            page = self.ask(**query, limit=PAGE, offset=offset)
            if "error" in page:
                return page
            found += page["result"]
            offset += PAGE
            if offset >= page["total"]:
                return page | {"result": found}

    def close(self):
        self.process.stdin.close()
        self.process.wait(20)


def main(wanted):
    rows, failures = [], []
    for profile in wanted or PAIRS:
        subject, under, name = PAIRS[profile]
        root = fetch(subject)
        if root is None:
            print(f"skipped: {subject} cannot be fetched", file=sys.stderr)
            continue
        row = check(profile, subject, root, under, name, failures)
        if row:
            rows.append(row)
            every_form(profile, FORMS.get(profile, {}), failures)
            every_answer(profile, failures)
    print("| server | subject | symbols | exceptions | precision | uses of a name | first answer | warm, of the servers' time |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |")
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


def check(profile, subject, root, under, name, failures):
    servers = Servers(root, profile)
    try:
        began = time.monotonic()
        path = {} if under == "." else {"path": under}
        # Some servers read the whole project before they answer.
        cold = servers.ask(type="findSymbols", query="*", countOnly=True, waitMs=55_000, timeoutMs=55_000, **path)
        if cold.get("code") == "NOT_INSTALLED" or "is not installed" in cold.get("error", ""):
            print(f"skipped: {cold['error']}", file=sys.stderr)
            return None
        first = time.monotonic() - began
        everything = servers.pages(type="findSymbols", query="*", timeoutMs=55_000, **path)
        if "error" in everything or not set(everything.get("reasons", [])) <= {"inactive_code"}:
            failures.append(f"{profile}: {everything.get('error') or everything.get('reasons')}")
            return None
        if cold.get("complete") and cold["total"] != everything["total"]:
            failures.append(f"{profile}: cold {cold['total']} and warm {everything['total']}")
        found, exceptions = symbols(profile, subject, root, under, servers, everything["result"], failures)
        precise = precision(profile, root, everything["result"], failures)
        used = references(profile, subject, root, servers, name, failures)
        metamorphic(profile, servers, path, everything, failures)
        return (profile, subject, found, exceptions, precise, used, f"{first:.1f} s", overhead(servers, name))
    finally:
        servers.close()


def every_form(profile, files, failures):
    """Checks that names are at their places and that each symbol is found by its full name; an answer must report the
    names that no server can know."""
    unknown = forms.UNKNOWN.get(profile, {})
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, (text, _) in (files | unknown).items():
            (root / path).parent.mkdir(exist_ok=True)
            (root / path).write_bytes(text)
        servers = Servers(root, profile)
        for path, (_, expected) in files.items():
            for line in expected:
                at, name = line.split(" ", 1)
                answer = servers.ask(type="findSymbols", query=name, path=path, waitMs=55_000, timeoutMs=55_000)
                found = [hit["path"] for hit in answer.get("result", [])]
                if not any(hit.startswith(f"{path}:{at}-") for hit in found):
                    failures.append(f"{profile}: {path}:{line} is not found: {found or answer}")
        for path, name in [(path, name) for path, (_, names) in unknown.items() for name in names]:
            said = servers.ask(type="findSymbols", query=name, waitMs=55_000, timeoutMs=55_000)
            if said.get("reasons") != ["inactive_code"] or path not in said.get("note", ""):
                failures.append(f"{profile}: nothing is said of {name} in {path}: {said}")
        if unknown and not servers.ask(type="findSymbols", query="nobodysName")["complete"]:
            failures.append(f"{profile}: a name that stands nowhere is in doubt")
        servers.close()


def every_answer(profile, failures):
    """Compares whole answers about small projects."""
    files, cases = answers.ALL.get(profile, ({}, []))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text.replace("ROOT", str(root)))
        servers = Servers(root, profile)
        for query, expected in cases:
            answer = servers.ask(**query, waitMs=55_000, timeoutMs=55_000)
            found = [answers.state(answer), *answers.places(answer)]
            if found != expected and "does not provide" not in answer.get("error", ""):
                failures.append(f"{profile}: {query}: {found}, expected {expected}: {answer.get('note') or answer.get('error')}")
        servers.close()


def symbols(profile, subject, root, under, servers, hits, failures):
    truth = TRUTH[subject](root, root / under)
    seen = {(place(hit)[0], place(hit)[1], hit["name"]) for hit in hits}
    missing = [one for one in truth if (one["path"], one["line"], one["name"]) not in seen]
    reason, excused = EXCEPTIONS.get(profile, ("", lambda one: False))
    for one in missing:
        asked = servers.ask(type="findSymbols", query=one["name"], path=one["path"], countOnly=True)
        one["said"] = "inactive_code" in asked.get("reasons", [])
    bad = [one for one in missing if not excused(one)]
    if bad:
        failures.append(f"{profile}: {len(bad)} symbols are missing, such as {bad[:5]}")
    names = sorted({one["name"] for one in missing if excused(one)})
    if names:
        print(f"{profile}: {reason}: {', '.join(names)}", file=sys.stderr)
    return f"{len(truth) - len(missing)}/{len(truth)}", f"{len(names)} names" if names else "none"


def precision(profile, root, hits, failures):
    lines, good = {}, 0
    for hit in hits:
        path, line = place(hit)
        text = lines.setdefault(path, (root / path).read_text(errors="replace").split("\n"))
        if hit["name"] in text[line - 1]:
            good += 1
        else:
            failures.append(f"{profile}: {path}:{line} does not hold {hit['name']!r}")
    return f"{good}/{len(hits)}"


def references(profile, subject, root, servers, name, failures):
    path, _, name = name.rpartition(" ")
    target = {"symbol": name} | ({"path": path} if path else {})
    answer = servers.pages(type="references", **target, waitMs=55_000, timeoutMs=55_000)
    if "error" in answer:
        failures.append(f"{profile}: references: {answer['error']}")
        return "-"
    for hit in answer["result"]:
        text = (root / hit["path"]).read_text(errors="replace").split("\n")[hit["line"] - 1]
        if not re.match(rf"\b{name}\b", text[hit["column"] - 1 :]):
            failures.append(f"{profile}: {hit['path']}:{hit['line']}:{hit['column']} is no use of {name}")
    if subject == "flask" and not answer["complete"]:
        failures.append(f"{profile}: references may be missing: {answer['reasons']}")
    found = {(hit["path"], hit["line"], hit["column"]) for hit in answer["result"]}
    shown = f"`{name}`: {len(found)}"
    if subject == "rxjs" and (truth := typescript(root, "references", name)) is not None:
        missing, more = truth - found, found - truth
        if missing or more:
            failures.append(f"{profile}: references differ: missing {sorted(missing)[:3]}, more {sorted(more)[:3]}")
        shown += f" of {len(truth)}"
    return shown + ("" if answer["complete"] else f" ({', '.join(answer['reasons'])})")


def metamorphic(profile, servers, path, everything, failures):
    """Properties of any answer: alternatives give the union, members are among everything below, and all symbols of a
    file are its outline."""
    def names(query):
        answer = servers.pages(type="findSymbols", query=query, timeoutMs=55_000, **path)
        return {(hit["path"], hit["name"]) for hit in answer.get("result", [])}

    if names("{get,set}*") != names("get*") | names("set*"):
        failures.append(f"{profile}: a choice is not the union")
    every = {(hit["path"], hit["name"]) for hit in everything["result"]}
    some_patterns(profile, servers, path, everything["result"], failures)
    for query, matches in {"*er": lambda n: n.endswith("er"), "[A-Z]*": lambda n: n[:1].isascii() and n[:1].isupper()}.items():
        if names(query) != {one for one in every if matches(one[1])}:
            failures.append(f"{profile}: {query} is not what all symbols say")


def some_patterns(profile, servers, path, hits, failures):
    """Patterns made of existing names find what an independent pattern matcher finds, one by one and in a batch."""
    def shown(hits):
        return sorted((hit["path"], hit["name"], hit["kind"]) for hit in hits)

    names = [[*hit.get("container", "").split("."), hit["name"]] if hit.get("container") else [hit["name"]] for hit in hits]
    made = patterns.some(names, PATTERNS, profile)
    for query in made:
        answer = servers.pages(type="findSymbols", query=query, timeoutMs=55_000, **path)
        flags = re.IGNORECASE if "case-insensitive" in answer.get("note", "") else 0
        expected = [hit for hit, parts in zip(hits, names) if patterns.matches(query, parts, flags)]
        if shown(answer.get("result", [])) != shown(expected):
            failures.append(f"{profile}: {query} is not what all symbols say: {answer.get('total')} of {len(expected)}")
    queries = [{"type": "findSymbols", "query": query, "limit": 20} | path for query in made[:20]]
    if servers.batch(queries) != [servers.ask(**query) for query in queries]:
        failures.append(f"{profile}: a batch is not its queries one by one")


def overhead(servers, name):
    """The time of a warm question about uses, and how much of it was spent outside the language servers."""
    path, _, name = name.rpartition(" ")
    target = {"symbol": name} | ({"path": path} if path else {})
    for _ in range(5):
        servers.ask(type="references", **target, limit=20)
    _, elapsed, inside = min(servers.times[-5:], key=lambda one: one[1])
    return f"{elapsed:.0f} ms, {elapsed / max(inside, 0.01):.2f} ×"


def place(hit):
    path, line, *_ = re.match(r"(.*?):(\d+):\d+-\d+:\d+$", hit["path"]).groups()
    return path, int(line)


# The independent readers.


def python_truth(root, under):
    declarations = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    found = []
    for file in sorted(under.rglob("*.py")):
        path = str(file.relative_to(root))
        declared = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, declarations)]
        found += [{"path": path, "line": node.lineno, "name": node.name} for node in declared]
    return found


ITEM = re.compile(
    r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:default|const|async|unsafe|extern(?:\s+\"[^\"]*\")?)\s+)*"
    r"(?:fn|struct|enum|trait|union|mod|type|const|static(?:\s+mut)?|macro_rules!)\s+(?:r#)?([A-Za-z_]\w*)"
)


def rust_truth(root, under):
    found = []
    for file in sorted(under.rglob("*.rs")):
        lines = without_comments(file.read_text()).split("\n")
        depth, macro = 0, None
        for number, line in enumerate(lines, 1):
            item = ITEM.match(line)
            name = item and item.group(1)
            if name and macro is None and name != "_" and not is_inner(lines, number - 1):
                found.append({"path": str(file.relative_to(root)), "line": number, "name": name})
            if macro is None and "macro_rules!" in line:
                macro = depth
            depth += line.count("{") - line.count("}")
            if macro is not None and depth <= macro and "}" in line:
                macro = None
    return found


def is_inner(lines, at):
    """Whether a constant or type is in a function body; only that function can use it."""
    if not re.match(r"\s*(?:pub\S*\s+)?(?:const\s+[A-Z_]|static|type)\b", lines[at]) and "const " not in lines[at][:30]:
        return False
    indent = len(lines[at]) - len(lines[at].lstrip())
    above = (line for line in reversed(lines[:at]) if line.strip() and len(line) - len(line.lstrip()) < indent)
    header = next(above, "impl").strip()
    return not re.match(r"(?:pub(?:\([^)]*\))?\s+)?(?:unsafe\s+)?(?:impl|trait|mod)\b|where\b|\{", header)


def without_comments(text):
    """The text with comments, strings and characters replaced by blanks; line breaks stay."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|r(#*)".*?"\1|b?"(?:\\.|[^"\\])*"|b?\'(?:\\.[^\']*|[^\\\'])\'', re.S)
    return token.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def c_truth(root, under):
    return ctags(under, "--kinds-C=fsugt", (".c", ".h"))


def go_truth(root, under):
    return ctags(under, "--kinds-Go=fcstian", (".go",))


def ctags(under, kinds, endings):
    if not shutil.which("ctags"):
        print("skipped: ctags, which is the truth for C and Go, is not installed", file=sys.stderr)
        return []
    tags = subprocess.run(
        ["ctags", "--output-format=json", "--fields=+n", kinds, "-R", "-f", "-", "."],
        cwd=under, capture_output=True, text=True, check=True,
    )
    found = []
    for tag in map(json.loads, tags.stdout.splitlines()):
        if tag["path"].endswith(endings) and not tag["name"].startswith("__anon"):
            found.append({"path": tag["path"].removeprefix("./"), "line": tag["line"], "name": tag["name"]})
    return found


def typescript_truth(root, under):
    return typescript(root, "symbols", "") or []


def typescript(root, what, name):
    """Asks the compiler API of TypeScript, which the server of version 7 does not use."""
    modules = os.environ.get("IAC_MCP_TYPESCRIPT", TARGET / "tools/language-servers/node_modules")
    node = shutil.which("node")
    if node is None or not Path(modules, "typescript/lib/typescript.js").is_file():
        print("skipped: the compiler API of TypeScript, which is the truth, is not installed", file=sys.stderr)
        return None
    script = ROOT / "tests/code-query/truth.cjs"
    said = subprocess.run([node, script, modules, root, what, name], capture_output=True, text=True, check=True)
    found = json.loads(said.stdout)
    return {tuple(one) for one in found} if what == "references" else found


TRUTH = {"flask": python_truth, "regex-syntax": rust_truth, "rxjs": typescript_truth, "zlib": c_truth, "pflag": go_truth}


# Where the subjects come from.


def fetch(subject):
    folder = SUBJECTS / subject
    if not folder.is_dir():
        work = SUBJECTS / "work"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        try:
            FETCH[subject](work, folder)
        except (subprocess.CalledProcessError, OSError) as error:
            print(f"{subject}: {error}", file=sys.stderr)
            return None
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return folder


def run(*command, **options):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **options)


def fetch_flask(work, folder):
    run(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "flask==3.1.0", cwd=work)
    run("tar", "xzf", "flask-3.1.0.tar.gz", cwd=work)
    (work / "flask-3.1.0").rename(folder)


def fetch_rxjs(work, folder):
    run("npm", "pack", "--silent", "rxjs@7.8.2", cwd=work)
    run("tar", "xzf", "rxjs-7.8.2.tgz", cwd=work)
    # Otherwise, files that were built from the sources would be found too.
    shutil.rmtree(work / "package/dist")
    (work / "package").rename(folder)


def fetch_crate(work, crate, version):
    (work / "src").mkdir()
    (work / "src/lib.rs").write_text("")
    manifest = f'[package]\nname = "subject"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n{crate} = "={version}"\n[workspace]\n'
    (work / "Cargo.toml").write_text(manifest)
    run("cargo", "vendor", "--quiet", "vendor", cwd=work)
    return work / "vendor" / crate


def fetch_regex_syntax(work, folder):
    crate = fetch_crate(work, "regex-syntax", "0.8.11")
    with open(crate / "Cargo.toml", "a", encoding="utf-8") as manifest:
        manifest.write("\n[workspace]\n")
    crate.rename(folder)


def fetch_zlib(work, folder):
    (fetch_crate(work, "libz-sys", "1.1.20") / "src/zlib").rename(folder)
    for name in ("contrib", "examples", "test", "msdos", "win32"):
        shutil.rmtree(folder / name, ignore_errors=True)
    commands = [{"directory": str(folder), "file": one.name, "command": f"cc -D_LARGEFILE64_SOURCE=1 -c {one.name}"} for one in sorted(folder.glob("*.c"))]
    (folder / "compile_commands.json").write_text(json.dumps(commands))


def fetch_pflag(work, folder):
    (work / "go.mod").write_text("module subject\n")
    said = subprocess.run(["go", "mod", "download", "-json", "github.com/spf13/pflag@v1.0.5"], cwd=work, check=True, capture_output=True, text=True)
    shutil.copytree(json.loads(said.stdout)["Dir"], folder)
    run("chmod", "-R", "u+w", str(folder))


FETCH = {"pflag": fetch_pflag, "flask": fetch_flask, "rxjs": fetch_rxjs, "regex-syntax": fetch_regex_syntax, "zlib": fetch_zlib}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
