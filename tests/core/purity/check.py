"""Checks that a WebAssembly module needs nothing from outside, and that it still contains the core.

    check.py MODULE [NODE]

Fails if the module has an import section that is not empty, if it does not export `answered`, or if it is so small
that the linker must have dropped the core. On a target without a system, the standard library imports nothing and
panics instead. So each function of its clock, environment, files, network or processes that the linker found reachable
also counts as an import. With NODE, a Node.js program, the module is also instantiated with nothing to import, and
`answered` must return 1: the Apple event of the one script that it carried through.
"""

import re
import subprocess
import sys
from pathlib import Path

CUSTOM, IMPORTS, EXPORTS, CODE = 0, 2, 7, 10
FUNCTION_NAMES = 1
FEWEST_FUNCTIONS = 1000
ENTRY = "answered"
# Mangled paths: the length stands before each name. Reading a clock counts; the dates of property lists only add and
# subtract.
SYSTEM = re.compile(r"3std(3env|2fs|3net|7process(?!5abort)|6thread9functions5spawn)|(7Instant|10SystemTime)(3now|7elapsed)")


def main(arguments):
    module, *node = arguments
    data = Path(module).read_bytes()
    sections = dict(read_sections(data))
    imports = read_imports(sections.get(IMPORTS, b"\0"))
    exports = read_exports(sections.get(EXPORTS, b"\0"))
    functions, _ = number(sections.get(CODE, b"\0"), 0)
    names = read_function_names(sections.get("name", b""))
    problems = [f"it imports {name}" for name in imports]
    problems += [f"it can reach {name}" for name in names if SYSTEM.search(name)]
    if len(names) < functions:
        problems.append(f"only {len(names)} of {functions} functions are named, so what they reach cannot be seen")
    if ENTRY not in exports:
        problems.append(f"it does not export `{ENTRY}`, so the linker may have dropped what it should show")
    if functions < FEWEST_FUNCTIONS:
        problems.append(f"it has only {functions} functions, so the core cannot be in it")
    if node and not problems:
        problems += [f"`{ENTRY}` returned {got}, expected 1" for got in [run(node[0], module)] if got != "1"]
    for problem in problems:
        print(f"{module}: {problem}", file=sys.stderr)
    ran = "and answers" if node else "(not run: no node here)"
    if not problems:
        print(f"the core imports nothing: {len(data):,} bytes, {functions:,} functions, 0 imports {ran}")
    return 1 if problems else 0


def read_sections(data):
    """Yields the number of each section (the name of a custom section), and its bytes."""
    if data[:8] != b"\0asm\1\0\0\0":
        raise SystemExit("not a WebAssembly module of version 1")
    at = 8
    while at < len(data):
        kind = data[at]
        size, at = number(data, at + 1)
        section, at = data[at : at + size], at + size
        if kind == CUSTOM:
            kind, start = text(section, 0)
            section = section[start:]
        yield kind, section


def read_imports(section):
    """Names the imports. After each name comes its kind, and then one to three more numbers."""
    count, at = number(section, 0)
    names = []
    for _ in range(count):
        module, at = text(section, at)
        name, at = text(section, at)
        names.append(f"{module}.{name}")
        at = after_import(section, at)
    return names


def after_import(section, at):
    kind = section[at]
    at += 1
    if kind == 1:  # a table: its element type stands before its limits
        at += 1
    if kind in (1, 2):
        flags = section[at]
        _, at = number(section, at + 1)
        return number(section, at)[1] if flags & 1 else at
    return at + 2 if kind == 3 else number(section, at + (kind == 4))[1]


def read_exports(section):
    count, at = number(section, 0)
    names = set()
    for _ in range(count):
        name, at = text(section, at)
        _, at = number(section, at + 1)
        names.add(name)
    return names


def read_function_names(section):
    at, names = 0, []
    while at < len(section):
        kind = section[at]
        size, at = number(section, at + 1)
        if kind == FUNCTION_NAMES:
            names = read_names(section[at : at + size])
        at += size
    return names


def read_names(table):
    count, at = number(table, 0)
    names = []
    for _ in range(count):
        _, at = number(table, at)
        name, at = text(table, at)
        names.append(name)
    return names


def text(data, at):
    size, at = number(data, at)
    return data[at : at + size].decode(), at + size


def number(data, at):
    """Reads an unsigned LEB128 number; returns it and the place after it."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def run(node, module):
    """Calls the entry without any imports for the module."""
    script = (
        "const bytes = require('fs').readFileSync(process.argv[1]);"
        "WebAssembly.instantiate(bytes, {}).then(({instance}) => console.log(`${instance.exports.%s()}`));"
    )
    done = subprocess.run([node, "-e", script % ENTRY, module], capture_output=True, text=True, check=False)
    return done.stdout.strip() or done.stderr.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
