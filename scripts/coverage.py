"""Judges a coverage report of `llvm-cov export`.

    coverage.py REPORT.json --least core=95 --least all=85 [--uncovered FILE]

Counts the regions of each package's sources without its unit tests, because test code is always covered. A region is
covered if any of its instantiations ran. Writes the lines with an uncovered region to FILE, and fails if the coverage of
a package, or of `all` packages, is below its minimum.
"""

import argparse
import json
import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = re.compile(r"^(?P<package>[\w-]+(?:/[\w-]+)?)/src/(?!.*(?:^|/)tests(?:\.rs|/))")
# A module called `tests` in a mangled name, where each name follows its length.
IN_TESTS = re.compile(r"(?<!\d)5tests")
CODE_REGION = 0


def main():
    options = read_options()
    report = json.loads(Path(options.report).read_text())
    files = regions_by_file(report["data"][0]["functions"])
    packages = totals(files)
    uncovered = uncovered_lines(files)
    if options.uncovered:
        Path(options.uncovered).write_text("".join(f"{line}\n" for line in uncovered))
    least = {name: float(percent) for name, _, percent in (entry.partition("=") for entry in options.least)}
    missed = [name for name in least if name not in packages or not show(name, packages[name], least[name])]
    for name in sorted(packages.keys() - least.keys()):
        show(name, packages[name], None)
    print(f"{len(uncovered)} files have uncovered lines" + (f", listed in {options.uncovered}" if options.uncovered else ""))
    return 1 if missed else 0


def read_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("report")
    parser.add_argument("--least", action="append", default=[], metavar="PACKAGE=PERCENT")
    parser.add_argument("--uncovered", metavar="FILE")
    return parser.parse_args()


def regions_by_file(functions):
    """Maps each source file to its regions, and each region to the number of times it ran."""
    files = defaultdict(lambda: defaultdict(int))
    for function in functions:
        if IN_TESTS.search(function["name"]):
            continue
        names = [source(name) for name in function["filenames"]]
        for *place, count, file, _, kind in function["regions"]:
            if kind == CODE_REGION and names[file]:
                files[names[file]][tuple(place)] += count
    return files


def source(name):
    """Returns the path of one of our source files relative to the repository; None for other files."""
    path = Path(name)
    inside = path.is_relative_to(ROOT) and str(path.relative_to(ROOT))
    return inside if inside and SOURCE.match(inside) else None


def totals(files):
    packages = defaultdict(lambda: [0, 0])
    for path, regions in files.items():
        for name in (SOURCE.match(path)["package"], "all"):
            packages[name][0] += sum(1 for count in regions.values() if count)
            packages[name][1] += len(regions)
    return packages


def uncovered_lines(files):
    """Lists for each file the lines on which a region begins that never ran."""
    shown = []
    for path in sorted(files):
        lines = sorted({place[0] for place, count in files[path].items() if not count})
        if lines:
            shown.append(f"{path}: {', '.join(map(str, lines))}")
    return shown


def show(name, total, least):
    covered, regions = total
    percent = 100 * covered / regions if regions else 100.0
    enough = least is None or percent >= least
    wanted = "" if least is None else f", at least {least:g} % wanted{'' if enough else ': TOO LITTLE'}"
    print(f"{name:20} {percent:6.2f} % of {regions} regions{wanted}")
    return enough


if __name__ == "__main__":
    sys.exit(main())
