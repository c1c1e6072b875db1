#!/usr/bin/env python3
"""Builds the book with mdBook: target/book/html/index.html.

The pages stay where they are, so that they can also be read in the repository: new ones in `book`, the others in `docs`
and the root. `book/SUMMARY.md` lists all of them. mdBook needs them in one folder, so this script copies them to
target/book/src, points their links at the copies, and removes links that leave the book. Afterwards it checks every
link of the finished pages.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pages

ROOT = pages.ROOT
BOOK = ROOT / "book"
SUMMARY = BOOK / "SUMMARY.md"
MADE = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "book"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--mdbook", default="mdbook", help="the program to build with")
    copy(MADE / "src")
    for file in ("book.toml", "book.css"):
        shutil.copy(BOOK / file, MADE / file)
    subprocess.run([options.parse_args().mdbook, "build", MADE], check=True)
    html = MADE / "html"
    problems = [f"{page.name}: {problem}" for page in sorted(html.rglob("*.html")) for problem in dead(page)]
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(list(html.rglob('*.html')))} pages in {html}, {len(problems)} dead links")
    return 1 if problems else 0


def copy(folder):
    """Copies the pages that the summary names, and the pictures that they show."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    summary = SUMMARY.read_text()
    names = {(BOOK / target).resolve(): name(target) for target in pages.links(summary)}
    if len(set(names.values())) != len(names):
        sys.exit("two pages of book/SUMMARY.md have the same file name; rename one")
    (folder / "SUMMARY.md").write_text(turned(summary, SUMMARY, names, folder))
    for path, new in names.items():
        text = path.read_text()
        text = turned(text, path, names, folder) if path.suffix == ".md" else f"# {path.name}\n\n```text\n{text}```\n"
        (folder / new).write_text(text)


def name(target):
    """Returns a page's name in the book: that of its file. README is the first page; some folders stay part of the name."""
    file = Path(target)
    words = [file.parent.name] if file.parent.name in {"recipes", "wit"} else []
    return "index.md" if file.name == "README.md" else "-".join([*words, f"{file.stem}.md"]).lower()


def turned(text, path, names, folder):
    """Returns the text of a page with links that work in the book."""

    def link(match):
        mark, words, target = match.groups()
        place, _, anchor = target.partition("#")
        file = (path.parent / place).resolve() if place else path
        if file in names or not place:
            return f"[{words}]({names.get(file, '') if place else ''}{anchor and '#' + anchor})"
        if mark:
            shutil.copy(file, folder / file.name)
            return f"![{words}]({file.name})"
        return words  # a file that is not in the book

    parts, prose = [], []
    for line, is_prose in [*pages.prose(text), ("", False)]:
        if is_prose:
            prose.append(line)
            continue
        if prose:
            parts.append(pages.LINK.sub(link, "\n".join(prose)))
        prose = []
        parts.append(line)
    return "\n".join(parts)


class Page(HTMLParser):
    """The ids and the link targets of a page."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.targets = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for key, value in attributes:
            if key == "id":
                self.ids.add(value)
            elif key in {"href", "src"} and value and not re.match(r"\w+:|//", value):
                self.targets.append(value)


@cache
def read(path):
    return Page(path.read_text())


def dead(path):
    """Lists the broken links of a finished page."""
    for target in read(path).targets:
        file, _, anchor = unquote(target).partition("#")
        other = path.parent / file if file else path
        if not other.exists():
            yield f"{target} leads nowhere"
        elif anchor and other.suffix == ".html" and anchor not in read(other.resolve()).ids:
            yield f"{target}: there is no such place"


if __name__ == "__main__":
    sys.exit(main())
