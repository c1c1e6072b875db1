"""What an agent asks about a project that it does not know, and whether the answers are right.

Ten kinds of questions, asked about eight projects in eight languages. The expected answers were read from the sources
without a language server: either a regular expression for the lines, checked against each line, or words. An answer is
right if it names these lines and no others. It may lack some if it says that it is incomplete. Prints the table of
docs/code-query.md, and fails where an answer is wrong. The projects come into target/: a crate from its registry, the
others as clones. A project without its server is skipped.

    python3 tests/code-query/questions.py                      every project
    python3 tests/code-query/questions.py starlette cJSON      these
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import conformance

TIME = {"waitMs": 50_000, "timeoutMs": 55_000}

# The kinds of questions: who calls it, what breaks, what implements it, where it is checked, how it works, what it
# calls, what it takes, which members it has, who overrides it, what a rename touches.
CALLS, BREAKS, IMPLEMENTS, CHECKED, WORKS, CALLED, TAKES, HAS, OVERRIDES, RENAMED = KINDS = (
    "callers", "references", "implementations", "findSymbols", "definition", "callees", "typeInfo", "outline", "overrides", "rename",
)


def at(found, *, but=None, under="."):
    """The lines that match `found` but not `but`, in the files of a folder of the project."""
    return lambda root: lines(root, found, but, under)


def says(*words):
    """Words that the answer must contain."""
    return list(words)


# Each project with its repository and commit (or without them and with the version of a crate), its server, and the
# files to search for the expected lines.
PROJECTS = {
    "starlette": ("encode/starlette", "cb8f84f", "ty", (".py",), [
        (CALLS, "run_in_threadpool", {}, at(r"await run_in_threadpool\(")),
        (BREAKS, "get_route_path", {}, at(r"\bget_route_path\(|import .*get_route_path", but=r"def ")),
        (IMPLEMENTS, "HTTPConnection", {}, at(r"class (Request|WebSocket|_CachedRequest)\(")),
        (BREAKS, "starlette.concurrency.iterate_in_threadpool", {}, at(r"\biterate_in_threadpool\(|import iterate_in_threadpool", but=r"def ")),
        (OVERRIDES, "dispatch", {"path": "starlette"}, at(r"def dispatch\(", under="starlette")),
        (WORKS, "get_route_path", {}, says("route_path", "root_path", "return path")),
    ]),
    "redux-toolkit": ("reduxjs/redux-toolkit", "74200d8", "tsc", (".ts", ".tsx", ".mts"), [
        (CALLS, "findNonSerializableValue", {}, at(r"\bfindNonSerializableValue\(", but=r"function ")),
        (BREAKS, "executeReducerBuilderCallback", {}, at(r"\bexecuteReducerBuilderCallback\b", but=r"function ")),
        (CHECKED, "is*Plain*", {"kind": "callable"}, at(r"function is\w*Plain\w*\(")),
        (TAKES, "createDynamicMiddleware", {"path": "packages/toolkit/src/dynamicMiddleware/index.ts"}, says("DynamicMiddlewareInstance")),
        (RENAMED, "executeReducerBuilderCallback", {"newName": "runBuilder"}, at(r"\bexecuteReducerBuilderCallback\b")),
    ]),
    "hyperfine": (None, "1.20.0", "rust-analyzer", (".rs",), [
        (CALLS, "Command.get_name_with_unused_parameters", {}, at(r"\.get_name_with_unused_parameters\(")),
        (BREAKS, "Executor.calibrate", {}, at(r"\bcalibrate\(", but=r"-> Result<\(\)>;")),
        (IMPLEMENTS, "Executor", {}, at(r"impl Executor for")),
        (IMPLEMENTS, "fmt::Display", {}, at(r"impl (fmt::)?Display for|derive\(Debug, Error\)|enum ParameterScanError")),
        (CALLED, "validate_against_command_list", {}, says("len", "num_commands")),
        (OVERRIDES, "calibrate", {}, at(r"fn calibrate\(")),
    ]),
    "websocket": ("gorilla/websocket", "e064f32", "gopls", (".go",), [
        (CALLS, "messageWriter.flushFrame", {}, at(r"\.flushFrame\(", but=r"func ")),
        (BREAKS, "checkSameOrigin", {}, at(r"\bcheckSameOrigin\b", but=r"func |//|Errorf")),
        (IMPLEMENTS, "BufferPool", {}, at(r"^type simpleBufferPool struct")),
        (CHECKED, "*[vV]alid*", {"kind": "callable", "exclude": "*_test.go"}, at(r"^func (\(.*\) )?\w*[vV]alid\w*\(", but=r"Test")),
        (CALLED, "Conn.beginMessage", {}, says("isControl", "Close")),
        (HAS, "messageWriter.*", {"path": "conn.go"}, says("flushFrame", "ncopy", "ReadFrom", "compress", "frameType")),
    ]),
    "cJSON": ("DaveGamble/cJSON", "a29814f", "clangd", (".c", ".h"), [
        (CALLS, "parse_hex4", {"path": "cJSON.c"}, at(r"\bparse_hex4\(", but=r"static ")),
        (BREAKS, "ensure", {"path": "cJSON.c"}, at(r"\bensure\(", but=r"static ")),
        (CALLED, "parse_value", {"path": "cJSON.c"}, says("parse_string", "parse_number", "parse_array", "parse_object")),
        (CHECKED, "cJSON_Is*", {"path": "cJSON.c"}, at(r"^CJSON_PUBLIC\(cJSON_bool\) cJSON_Is\w+\(.*\)$", under="cJSON.c")),
        (TAKES, "cJSON_ParseWithOpts", {"path": "cJSON.h"}, says("return_parse_end", "require_null_terminated")),
    ]),
    "leveldb": ("google/leveldb", "78a352f", "clangd", (".cc", ".h", ".c"), [
        (CALLS, "DBImpl.MaybeScheduleCompaction", {}, at(r"MaybeScheduleCompaction\(\);")),
        (BREAKS, "ReadBlock", {"path": "table"}, at(r"\bReadBlock\(", but=r"^Status|//")),
        (IMPLEMENTS, "FilterPolicy", {}, at(r"(class|struct) \w+ : public FilterPolicy")),
        (WORKS, "DBImpl.RecoverLogFile", {}, says("LogReporter", "WriteBatchInternal")),
        (HAS, "InternalKeyComparator.*", {"path": "db/dbformat.h"}, says("FindShortestSeparator", "user_comparator_")),
    ]),
    "commons-cli": ("apache/commons-cli", "0a68ae0", "jdtls", (".java",), [
        (CALLS, "Util.stripLeadingHyphens", {}, at(r"\.stripLeadingHyphens\(")),
        (BREAKS, "OptionValidator.validate", {}, at(r"OptionValidator\.validate\(")),
        (IMPLEMENTS, "CommandLineParser", {}, at(r"class \w+ (implements CommandLineParser|extends (Parser|DefaultParser))\b")),
        (OVERRIDES, "processOption*", {"kind": "method"}, at(r"(void|boolean) \w*processOption\w*\(")),
        (RENAMED, "DefaultParser.handleConcatenatedOptions", {"newName": "handleJoined"}, at(r"\bhandleConcatenatedOptions\(")),
    ]),
    "monolog": ("Seldaek/monolog", "57eb102", "intelephense", (".php",), [
        (CALLS, "SocketHandler.validateTimeout", {}, at(r"->validateTimeout\(")),
        (BREAKS, "Utils.canonicalizePath", {}, at(r"::canonicalizePath\(")),
        (CHECKED, "validate*", {"kind": "method"}, at(r"function validate\w*\(")),
        (HAS, "ErrorLevelActivationStrategy.*", {"path": "src/Monolog/Handler/FingersCrossed/ErrorLevelActivationStrategy.php"}, says("isHandlerActivated", "actionLevel")),
        (WORKS, "Utils.canonicalizePath", {}, says("file://", "getcwd")),
    ]),
}


class Servers(conformance.Servers):
    """Also returns the seconds."""

    def timed(self, form, query):
        self.process.stdin.write(json.dumps(query | TIME | {"format": form}) + "\n")
        self.process.stdin.flush()
        said = json.loads(self.process.stdout.readline())
        return said["answer"]["results"][0], said["ms"] / 1000

    def patiently(self, form, query):
        """If the answer says when to ask again, asks again then, as an agent would."""
        answer, seconds = self.timed(form, query)
        for _ in range(3):
            if "retryAfterMs" in answer or "loading" in answer.get("reasons", []):
                answer, more = self.timed(form, query)
                seconds += more
        return answer, seconds


def main(wanted):
    print("| project | server | question | answer | bytes | s |")
    print("| --- | --- | --- | --- | --- | --- |")
    counts, wrong = {}, []
    for project in wanted or PROJECTS:
        repository, version, profile, endings, questions = PROJECTS[project]
        root = fetch(project, repository, version)
        if root is None:
            print(f"skipped: {project} cannot be fetched", file=sys.stderr)
            continue
        servers = Servers(root, profile)
        for kind, name, more, expected in questions:
            query = asked(kind, name, more)
            rows, seconds = servers.patiently("rows", query)
            answer, _ = servers.patiently("plain", query)
            if "is not installed" in answer.get("error", ""):
                print(f"skipped: {project}: {answer['error']}", file=sys.stderr)
                break
            verdict, why = judge(root, endings, rows, expected)
            counts[verdict] = counts.get(verdict, 0) + 1
            if verdict == "wrong":
                wrong.append(f"{project}: {kind} {name}: {why}")
            doubts = [f"`{reason}`" for reason in answer.get("reasons", [])]
            shown = ": ".join(filter(None, [verdict, ", ".join(([why] if verdict == "said incomplete" else []) + doubts)]))
            size = len(json.dumps(answer, separators=(",", ":"), ensure_ascii=False).encode())
            print(f"| {project} | {profile} | `{kind}` `{name}` | {shown} | {size:,} | {seconds:.1f} |", flush=True)
        servers.close()
    print(f"\n{', '.join(f'{count} {verdict}' for verdict, count in counts.items())}")
    for one in wrong:
        print(one, file=sys.stderr)
    return 1 if wrong else 0


def asked(kind, name, more):
    more = dict(more)
    if kind == OVERRIDES:
        return {"type": "findSymbols", "query": f"*.{name}"} | more
    field = "query" if kind == CHECKED else "symbol"
    return {"type": kind, field: name} | ({"body": True} if kind == WORKS else {}) | more


def judge(root, endings, answer, expected):
    """The verdict on an answer, with the lines that are missing or superfluous."""
    if "error" in answer:
        said = answer["code"] in ("DEGRADED", "UNSUPPORTED") or "not everything was looked at" in answer.get("hint", "")
        return ("said incomplete", f"`{answer['code']}`") if said else ("wrong", answer["error"])
    if isinstance(expected, list):
        want = expected
        missing, extra = [word for word in expected if word not in json.dumps(answer["result"])], []
    else:
        want = {one for one in expected(root) if one[0].endswith(endings)}
        got = {one for one in named(answer["result"]) if not one[0].startswith("/")}
        assert want, "nothing in the sources is what the question asks for"
        missing, extra = sorted(want - got), sorted(got - want)
    if extra or (missing and answer["complete"]):
        return "wrong", f"missing {missing}, too many {extra}"
    if missing:
        return "said incomplete", f"{len(missing)} of {len(want)} missing"
    return "right" if answer["complete"] else "right, doubted", ""


def named(found):
    """The lines that an answer names."""
    places = set()
    for row in found:
        path, *line = row["path"].split(":")
        if "sites" in row:
            places |= {(site.rsplit(":", 2)[0], int(site.split(":")[-2])) for site in row["sites"]}
        else:
            places.add((path, row.get("line") or int((line or row["range"].split(":"))[0])))
    return places


def lines(root, found, but, under):
    found, but = re.compile(found), but and re.compile(but)
    begin = root / under
    for file in sorted(begin.rglob("*")) if begin.is_dir() else [begin]:
        path = file.relative_to(root)
        if not file.is_file() or path.parts[0] in (".git", "target"):
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        for number, line in enumerate(text.split("\n"), 1):
            if found.search(line) and not (but and but.search(line)):
                yield str(path), number


def fetch(project, repository, version):
    folder = conformance.SUBJECTS / project
    if folder.is_dir():
        return folder
    if repository is None:
        conformance.FETCH[project] = lambda work, folder: fetch_crate(work, folder, project, version)
        return conformance.fetch(project)
    try:
        conformance.run("git", "clone", "--quiet", f"https://github.com/{repository}", str(folder))
        conformance.run("git", "-C", str(folder), "checkout", "--quiet", version)
    except subprocess.CalledProcessError as error:
        print(f"{project}: {error}", file=sys.stderr)
        shutil.rmtree(folder, ignore_errors=True)
        return None
    return folder


def fetch_crate(work, folder, crate, version):
    found = conformance.fetch_crate(work, crate, version)
    with open(found / "Cargo.toml", "a", encoding="utf-8") as manifest:
        manifest.write("\n[workspace]\n")
    found.rename(folder)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
