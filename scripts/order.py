"""Checks that the modules of a crate import only modules that come before them in its `lib.rs` or `main.rs`.

A reader can then read a crate from top to bottom, and no two modules depend on each other. `style.py` runs it.
"""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMENT = re.compile(r"//[^\n]*")
# Raw strings and the character literal `"` come first, because a quote in them does not begin a string.
TEXT = re.compile(r"""r(#+)".*?"\1|'\\?"'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
TESTS = re.compile(r"^#\[cfg\(test\)\]\s*(?:#\[[^\n]*\]\s*)*mod \w+ \{.*?^\}", re.MULTILINE | re.DOTALL)
MODULE = re.compile(r"^(?:pub(?:\([^)]*\))? )?mod (\w+);", re.MULTILINE)
TEST_MODULE = re.compile(r"^#\[cfg\(test\)\]\s*(?:#\[path[^\n]*\s*)?mod \w+;", re.MULTILINE)
EXPORT = re.compile(r"^pub(?:\([^)]*\))? use (?:crate::|self::)?(\w+)::([^;]+);", re.MULTILINE)
PATH = re.compile(r"(?<![\w:])(crate|(?:super::)*super)::(\{|\w+)")


def problems(crate):
    """Lists the imports of a crate, given by its folder, that refer to a later module."""
    source = ROOT / crate / "src"
    root = next((source / name for name in ("lib.rs", "main.rs") if (source / name).is_file()), None)
    if root is None:
        return
    text = stripped(root.read_text())
    order = MODULE.findall(text)
    exported = {name: module for module, names in EXPORT.findall(text) for name in re.findall(r"\w+", names)}
    for at, module in enumerate(order):
        for file in files(source, module):
            for name in sorted(imports(file, source)):
                target = name if name in order else exported.get(name)
                shown = file.relative_to(ROOT)
                if target is None:
                    yield f"{shown}: imports `{name}` from {root.name}; move it to a module above `{module}`"
                elif target in order[at + 1 :]:
                    yield f"{shown}: imports `{target}`, which stands below `{module}` in {root.name}; move what both need above"


def files(source, module):
    """Returns the files of a module, without tests."""
    below = sorted((source / module).rglob("*.rs"))
    return [file for file in [source / f"{module}.rs", *below] if file.is_file() and not re.search(r"/tests?(?:\.rs|/)", str(file.relative_to(source)))]


def imports(file, source):
    """Yields what a file imports directly below the root of its crate."""
    modules = file.relative_to(source).with_suffix("").parts
    text = stripped(file.read_text())
    for path in PATH.finditer(text):
        up, first = path.groups()
        if up != "crate" and up.count("super") != len(modules):
            continue
        yield from group(text, path.start(2)) if first == "{" else [first]


def group(text, start):
    """Yields the first name of each path in `{a, b::c, d::{e, f}}`. `self` adds no name."""
    depth, words, fresh = 0, [], True
    for token in re.findall(r"[{},]|\w+|::|\*", text[start:]):
        if token == "{":
            depth += 1
            fresh = depth == 1
        elif token == "}":
            depth -= 1
            if depth == 0:
                break
        elif token == ",":
            fresh = depth == 1
        elif fresh and token != "self":
            words.append(token)
            fresh = False
    return words


def stripped(text):
    """Returns code without comments, strings and tests."""
    return TEST_MODULE.sub("", TESTS.sub("", TEXT.sub('""', COMMENT.sub("", text))))

