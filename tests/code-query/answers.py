"""Questions about small projects, with whole answers: for each, the state of the answer and its places.

The state is `complete`, the reasons why it is not, or the code of the error. A place is `path:line:column`, or the full
name of a symbol.
"""

PYTHON = {
    "pyproject.toml": '[project]\nname = "tiny"\nversion = "0"\n',
    "tiny/__init__.py": "",
    "tiny/shapes.py": '''from dataclasses import dataclass
import json
from threading import Thread
from typing import Protocol

__all__ = ["Shape", "scale"]


@dataclass
class Point:
    left: int


class Shape:
    def area(self) -> float:
        return 0.0


class Square(Shape):
    def area(self) -> float:
        return 1.0

    def sides(self) -> int:
        return 4


class Worker(Thread):
    def run(self) -> None: ...


class Encoder(json.JSONEncoder):
    def default(self, o): ...


class Runner(Protocol):
    def go(self) -> int: ...


class Fast:
    def go(self) -> int:
        return 1


def scale(shape: Shape, factor: int = 1) -> float:
    return shape.area() * factor
''',
    "tiny/use.py": '''import threading
from dataclasses import replace
from pathlib import Path
from tiny.shapes import Point, Square, scale

p = replace(Point(left=1), left=2)
total = scale(Square(), factor=3)
here = Path(".").resolve()


class Slow(threading.Thread):
    pass


class Deep(Slow):
    pass


def untyped(thing):
    return f"{thing.sides()}"


def outer(thing):
    untyped(thing)
    return thing.sides()
''',
}

PYTHON_CASES = [
    # Overrides belong together, from any of them.
    ({"type": "rename", "symbol": "Shape.area", "newName": "size"}, ["complete", "tiny/shapes.py:15:9", "tiny/shapes.py:20:9", "tiny/shapes.py:45:18"]),
    ({"type": "rename", "symbol": "Square.area", "newName": "size"}, ["complete", "tiny/shapes.py:15:9", "tiny/shapes.py:20:9", "tiny/shapes.py:45:18"]),
    # A declaration outside cannot be renamed, nor what overrides it.
    ({"type": "rename", "symbol": "Path", "newName": "Way"}, ["OUTSIDE"]),
    ({"type": "rename", "symbol": "json", "path": "tiny/shapes.py", "newName": "data"}, ["OUTSIDE"]),
    ({"type": "rename", "symbol": "Worker.run", "newName": "work"}, ["OUTSIDE"]),
    ({"type": "rename", "symbol": "Encoder.default", "newName": "other"}, ["OUTSIDE"]),
    # Names that cannot be, and names that exist.
    ({"type": "rename", "symbol": "scale", "newName": "class"}, ["BAD_FIELD"]),
    ({"type": "rename", "symbol": "Square.area", "newName": "sides"}, ["name_taken", "tiny/shapes.py:15:9", "tiny/shapes.py:20:9", "tiny/shapes.py:45:18"]),
    ({"type": "rename", "symbol": "scale", "newName": "total"}, ["name_taken", "tiny/shapes.py:44:5", "tiny/shapes.py:6:22", "tiny/use.py:4:40", "tiny/use.py:7:9"]),
    # The server does not know what `replace` does with its arguments.
    ({"type": "rename", "symbol": "Point.left", "newName": "west"}, ["untyped_uses(1)", "tiny/shapes.py:11:5", "tiny/use.py:6:19"]),
    # A protocol has implementations that do not name it.
    ({"type": "rename", "symbol": "Runner.go", "newName": "run"}, ["structural", "tiny/shapes.py:36:9"]),
    ({"type": "rename", "symbol": "Fast.go", "newName": "run"}, ["structural", "tiny/shapes.py:40:9"]),
    # Callers and callees agree about calls that have no type, in strings with code too.
    ({"type": "callers", "symbol": "Square.sides"}, ["untyped_uses(2)"]),
    ({"type": "callees", "symbol": "untyped"}, ["untyped_uses(1)"]),
    ({"type": "callees", "symbol": "outer"}, ["untyped_uses(1)", "tiny/use.py:19:5"]),
    ({"type": "implementations", "symbol": "Thread"}, ["complete", "tiny/shapes.py:27:7", "tiny/use.py:11:7", "tiny/use.py:15:7"]),
    # An empty answer says why.
    ({"type": "definition", "path": "tiny/use.py", "line": 25, "character": 18}, ["unresolved"]),
    ({"type": "definition", "path": "tiny/use.py", "line": 25, "character": 6}, ["complete"]),
    ({"type": "typeInfo", "path": "tiny/use.py", "line": 5, "character": 1}, ["NOT_FOUND"]),
]

TYPESCRIPT = {
    "package.json": '{"name": "tiny", "type": "module"}\n',
    "tsconfig.json": '{"compilerOptions": {"strict": true, "module": "nodenext", "target": "es2022"}, "include": ["src"]}\n',
    "node_modules/lib/package.json": '{"name": "lib", "version": "1.0.0", "types": "index.d.ts"}\n',
    "node_modules/lib/index.d.ts": "export declare function helper(a: number): number;\nexport declare class Held {}\n",
    "src/a.ts": '''import { helper, Held } from 'lib';
export interface Runner {
  run(speed: number): number;
  label?: string;
}
export type Config = {
  depth: number;
  inner: { width: number };
} & { extra?: string };
export class Loose {
  run(speed: number): number {
    return helper(speed);
  }
}
export class Tight implements Runner {
  run(speed: number): number {
    console.log(speed);
    return speed * 2;
  }
}
export function use(r: Runner): number {
  return r.run(1);
}
export class Mine extends Held {}
export const plain = (x: any) => x.run(2);
export function local(depth: number): Config {
  const taken = 1;
  return { depth, inner: { width: taken } };
}
''',
}

TYPESCRIPT_CASES = [
    ({"type": "rename", "symbol": "Runner.run", "newName": "go"}, ["structural untyped_uses(1)", "src/a.ts:16:3", "src/a.ts:22:12", "src/a.ts:3:3"]),
    ({"type": "callers", "symbol": "Runner.run"}, ["untyped_uses(1)", "src/a.ts:21:17"]),
    ({"type": "callees", "symbol": "plain"}, ["untyped_uses(1)"]),
    ({"type": "findSymbols", "query": "Config.**"}, ["complete", "Config.depth", "Config.extra", "Config.inner", "Config.inner.width"]),
    ({"type": "rename", "symbol": "Config.depth", "newName": "deep"}, ["complete", "src/a.ts:28:12", "src/a.ts:7:3"]),
    ({"type": "rename", "path": "src/a.ts", "line": 26, "symbol": "depth", "newName": "taken"}, ["name_taken", "src/a.ts:26:23", "src/a.ts:28:12"]),
    ({"type": "rename", "symbol": "use", "newName": "class"}, ["BAD_FIELD"]),
    # A library below the root is not part of the project either. The import keeps its name: `helper as other`.
    ({"type": "rename", "symbol": "helper", "newName": "other"}, ["complete", "src/a.ts:12:12", "src/a.ts:1:10"]),
    ({"type": "rename", "symbol": "log", "newName": "other"}, ["OUTSIDE"]),
    ({"type": "implementations", "symbol": "Held"}, ["complete", "src/a.ts:24:14"]),
]

C = {
    "compile_commands.json": '[{"directory": "ROOT", "file": "shape.cpp", "command": "c++ -c shape.cpp"}, {"directory": "ROOT", "file": "main.cpp", "command": "c++ -c main.cpp"}]\n',
    "shape.h": "#pragma once\nclass Shape {\npublic:\n    virtual double area() const = 0;\n    int scale(int by);\n    double scale(double by);\n    int name() const { return 1; }\n};\n"
    "class Square : public Shape {\npublic:\n    double area() const override;\n};\nclass Tile : public Square {\npublic:\n    double area() const override;\n};\nclass Odd : public Tile {};\n",
    "shape.cpp": '#include "shape.h"\nint Shape::scale(int by) { return by; }\ndouble Shape::scale(double by) { return by; }\n'
    "double Square::area() const { return 1; }\ndouble Tile::area() const { return 2; }\n",
    "main.cpp": '#include "shape.h"\nint main() {\n    Tile t;\n    Shape *s = &t;\n    return (int) s->area() + s->scale(1) + (int) s->scale(1.5);\n}\n',
}

SCALES = ["main.cpp:5:33", "main.cpp:5:53", "shape.cpp:2:12", "shape.cpp:3:15", "shape.h:5:9", "shape.h:6:12"]

C_CASES = [
    # Overloads are one symbol, from a declaration or a use.
    ({"type": "rename", "symbol": "Shape.scale", "newName": "grow"}, ["complete", *SCALES]),
    ({"type": "rename", "path": "main.cpp", "line": 5, "character": 33, "newName": "grow"}, ["complete", *SCALES]),
    ({"type": "rename", "symbol": "Shape.scale", "newName": "name"}, ["name_taken", *SCALES]),
    ({"type": "implementations", "symbol": "Shape"}, ["complete", "shape.h:13:7", "shape.h:17:7", "shape.h:9:7"]),
    ({"type": "implementations", "symbol": "Shape.area"}, ["complete", "shape.cpp:4:16", "shape.cpp:5:14"]),
]

RUST = {
    "Cargo.toml": '[package]\nname = "tiny"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n',
    "src/lib.rs": "pub mod area;\nuse std::fmt;\npub struct Sq { pub side: u32 }\n"
    "impl fmt::Display for Sq { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, \"{}\", self.side) } }\n"
    "pub fn taken() {}\npub fn all(s: &Sq) -> u32 { area::square(s.side) }\n",
    "src/area.rs": "pub fn square(side: u32) -> u32 { side * side }\n",
}

RUST_CASES = [
    ({"type": "rename", "symbol": "Sq.side", "newName": "edge"}, ["complete", "src/lib.rs:3:21", "src/lib.rs:4:108", "src/lib.rs:6:44"]),
    ({"type": "rename", "symbol": "Sq.fmt", "newName": "show"}, ["OUTSIDE"]),
    ({"type": "rename", "symbol": "Display", "newName": "Show"}, ["OUTSIDE"]),
    # A module is a file, which a plan of edits cannot rename.
    ({"type": "rename", "symbol": "area", "kind": "module", "newName": "zone"}, ["UNSUPPORTED"]),
    ({"type": "rename", "symbol": "all", "newName": "taken"}, ["name_taken", "src/lib.rs:6:8"]),
    ({"type": "rename", "symbol": "all", "newName": "Self"}, ["BAD_FIELD"]),
]

# zuban does not know the names of arguments, and refuses to rename a module.
ZUBAN_CASES = [case for case in PYTHON_CASES if case[0].get("symbol") not in ("Point.left", "json")] + [
    ({"type": "rename", "symbol": "Point.left", "newName": "west"}, ["untyped_uses(2)", "tiny/shapes.py:11:5"]),
    ({"type": "rename", "symbol": "json", "path": "tiny/shapes.py", "newName": "data"}, ["UNSUPPORTED"]),
]

# A server need not provide every question.
ALL = {
    "ty": (PYTHON, PYTHON_CASES),
    "pyright": (PYTHON, PYTHON_CASES),
    "basedpyright": (PYTHON, PYTHON_CASES),
    "zuban": (PYTHON, ZUBAN_CASES),
    "tsc": (TYPESCRIPT, TYPESCRIPT_CASES),
    "clangd": (C, C_CASES),
    "rust-analyzer": (RUST, RUST_CASES),
}


def state(answer):
    return answer.get("code") or " ".join(answer.get("reasons", [])) or "complete"


def places(answer):
    """The beginning of each place, or the full name of each symbol that a search found."""
    found = set()
    for one in answer.get("result", []):
        if "signature" in one:
            continue
        if "detail" in one or "container" in one and "via" not in one and "sites" not in one:
            found.add(f"{one['container']}.{one['name']}")
        elif "range" in one:
            found.add(f"{one['path']}:{one['range'].split('-')[0]}")
        elif not one.get("external"):
            found.add(one["path"].split("-")[0] if "line" not in one else f"{one['path']}:{one['line']}:{one['column']}")
    return sorted(found)
