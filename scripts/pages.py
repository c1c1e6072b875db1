"""The pages of the repository as text: their headings, their links, and the targets of the links."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

FENCE = re.compile(r"^ {0,3}(```+)", re.MULTILINE)
HEADING = re.compile(r"^#{1,6} +(.*?)(?: +#+)?$")
LINK = re.compile(r"(!?)\[([^][]*)\]\((?!\w+:)([^)\s]+)\)")
CODE = re.compile(r"`[^`\n]*`")


def tracked():
    """Returns the Markdown files, relative to the root of the repository."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )
    return [path for path in listed.stdout.splitlines() if (ROOT / path).is_file()]


def prose(text):
    """Yields each line and whether it is prose. Lines in a code block are not."""
    fence = None
    for line in text.split("\n"):
        mark = FENCE.match(line)
        if fence is None:
            fence = mark[1] if mark else None
            yield line, mark is None
        else:
            if mark and line.strip() == fence:
                fence = None
            yield line, False


def anchors(text):
    """Returns the anchors of a page's headings, as GitHub and mdBook make them."""
    found = []
    for line, is_prose in prose(text):
        heading = HEADING.match(line) if is_prose else None
        if heading:
            words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading[1]).replace("`", "").lower()
            name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
            found.append(name if name not in found else f"{name}-{found.count(name)}")
    return found


def links(text):
    """Returns the links of a page to other files or to its own headings."""
    written = "\n".join(line if is_prose else "" for line, is_prose in prose(text))
    return [match[3] for match in LINK.finditer(CODE.sub("", written))]


def dead(path):
    """Yields the broken links of a page, each with a reason."""
    page = ROOT / path
    for target in links(page.read_text()):
        file, _, anchor = target.partition("#")
        other = page.parent / file if file else page
        if not other.exists():
            yield f"the link to {target} leads nowhere"
        elif anchor and other.suffix == ".md" and anchor not in anchors(other.read_text()):
            yield f"the link to {target}: there is no such heading"
