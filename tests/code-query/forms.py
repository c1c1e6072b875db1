"""Files in unusual forms, each with its declarations: `line:column full name`, counted from 1 in characters."""

FROM = "from names import (  # noqa\n" + "".join(f"    a{number},\n" for number in range(150)) + ")\n"
EXPORT = "export {\n" + "".join(f"  a{number},\n" for number in range(150)) + "} from './names.js';\n"

PYTHON = {
    "bom.py": ("\ufeffclass Bom: ...\nBom()\n".encode(), ["1:7 Bom"]),
    "latin.py": (b"# -*- coding: latin-1 -*-\ns = '\xe9'\ndef latin(): ...\n", ["3:5 latin"]),
    "lines.py": (b"class A:\r\n\tdef m(self): ...\r\n\x0cclass B: ...\r", ["1:7 A", "2:6 A.m", "3:8 B"]),
    "names.py": (
        "s = '😀'; größe = 1\ndef 𝕗𝕦𝕟(): ...\nclass 变量:\n    def 方法(self): ...\n".encode(),
        ["1:10 größe", "2:5 𝕗𝕦𝕟", "3:7 变量", "4:9 变量.方法"],
    ),
    "imports.py": ((FROM + "import os; after = 1\n").encode(), ["153:12 after"]),
    "again.py": (
        b"x = 1\nx = 2\nclass A:\n    y = 1\n    y = 2\nif x:\n    w = 1\nelse:\n    w = 2\n",
        ["1:1 x", "2:1 x", "4:5 A.y", "5:5 A.y", "7:5 w", "9:5 w"],
    ),
    "twice.py": (
        b"import sys\nfrom typing import overload\n@overload\ndef f(a: int): ...\n@overload\ndef f(a: str): ...\n"
        b"def f(a): ...\nclass P:\n    @property\n    def w(self): ...\n    @w.setter\n    def w(self, v): ...\n"
        b"if sys.platform == 'win32':\n    class Win: ...\ndef out():\n    def inner():\n        class Deep: ...\n",
        ["4:5 f", "6:5 f", "7:5 f", "10:9 P.w", "12:9 P.w", "14:11 Win", "16:9 out.inner", "17:15 out.inner.Deep"],
    ),
}

TYPESCRIPT = {
    "src/bom.ts": ("\ufeffexport class Bom { m() {} }\n".encode(), ["1:14 Bom", "1:20 Bom.m"]),
    "src/utf16.ts": ("export function wide() {}\n".encode("utf-16"), ["1:17 wide"]),
    "src/lines.ts": (b"export class A {\r\n\tm() {}\r\n}\rexport class B {}\r", ["1:14 A", "2:2 A.m", "4:14 B"]),
    "src/names.ts": (
        "export const s = '😀', größe = 1; export class 变量 { #方法() {} }\n".encode(),
        ["1:23 größe", "1:47 变量", "1:52 变量.#方法"],
    ),
    "src/imports.ts": ((EXPORT + "import './names.js'; export const after = 1;\n").encode(), ["153:35 after"]),
    "src/quoted.ts": (
        b"export const o = { 'a-b': 1, [`c`]: 2 };\nexport class L { [Symbol.iterator]() {} 'd e'() {} }\n"
        b"export function f(a: string): void;\nexport function f(a: any) {}\nexport namespace A.B { export class C {} }\n",
        ["1:21 o.a-b", "1:32 o.c", "2:18 L.[Symbol.iterator]", "2:42 L.d e", "3:17 f", "4:17 f", "5:37 A.B.C"],
    ),
    "src/given.cjs": (b"exports.init = function (app) {};\nmodule.exports.go = () => {};\n", ["1:9 init", "2:16 go"]),
    "tsconfig.json": (b'{"compilerOptions": {"allowJs": true}, "include": ["src"]}\n', []),
}

# Declarations that not every server reports at these places.
PROTOTYPES = {
    "src/route.js": (
        b"function Route() {}\nRoute.prototype.go = function go() { function next() {} };\n"
        b"Route.prototype.run = function named() { class Held {} };\nRoute.prototype.off = () => { function deep() {} };\n",
        ["2:17 Route.go", "2:47 Route.go.next", "3:17 Route.run", "3:48 Held", "4:17 Route.off", "4:40 Route.off.deep"],
    ),
    "src/again.ts": (
        b"namespace N { export class A {} }\nexport namespace N { export class B {} }\n", ["1:11 N", "2:18 N", "2:35 N.B"],
    ),
}

C = {
    "held.c": (
        b"struct s { int a; };\nint f(struct s *s) {\n  struct in { int b; } x;\n  enum { RED, BLUE = 2 };\n  typedef int (*call)(int);\n"
        b"  typedef struct { int z; } t;\n  { union u { int c; }; }\n  struct ahead; return 0;\n}\n",
        ["3:10 f.in", "3:19 f.in.b", "4:10 f.RED", "4:15 f.BLUE", "5:17 f.call", "6:29 f.t", "7:11 f.u", "7:19 f.u.c"],
    ),
    "held.cpp": (
        b"int g() {\n  class L { public: L() {} ~L() {} int m() { enum class E { A }; return 0; } int operator+(int); };\n"
        b"  auto l = [] { struct in {}; return 0; };\n  using U = int;\n  return 0;\n}\n"
        b"template <class T> int h() { struct v { T t; }; return 0; }\nint k = [] { struct w {}; return 1; }();\n",
        ["2:9 g.L", "2:21 g.L.L", "2:28 g.L.~L", "2:40 g.L.m", "2:57 g.L.m.E", "2:61 g.L.m.E.A", "2:82 g.L.operator+"]
        + ["3:24 g.in", "4:9 g.U", "7:37 h.v", "8:21 k.w"],
    ),
}

RUST = {
    "Cargo.toml": (b'[package]\nname = "held"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n', []),
    "src/lib.rs": (
        b"macro_rules! all { ($($t:tt)*) => { $($t)* }; }\nmacro_rules! named { ($n:ident) => { fn $n() {} }; }\n"
        b"macro_rules! once { (static ref $n:ident = $e:expr;) => { static $n: u8 = $e; }; }\n"
        b"all! { mod far; pub mod near { pub struct S { f: u8 } impl S { fn m(&self) {} } pub enum E { A } } }\n"
        b"named!(made);\nonce! { static ref ONE = 1; }\nmod tests { all! { fn prop() { fn deep() {} } } }\n"
        b"fn body() { all! { struct In; } }\n",
        ["4:12 far", "4:25 near", "4:43 near.S", "4:47 near.S.f", "4:67 near.S.m", "4:90 near.E", "4:94 near.E.A", "5:8 made"]
        + ["6:20 ONE", "7:23 tests.prop", "7:35 tests.prop.deep", "8:27 body.In"],
    ),
    "src/far.rs": (b"pub fn distant() {}\n", ["1:8 distant"]),
}

# Names that a server cannot know and that answers must report, by file.
UNKNOWN = {
    "rust-analyzer": {
        "src/off.rs": (
            b"macro_rules! m { () => { fn helper() {} }; }\n#[cfg(never)]\nm! { fn gone() {} }\n", ["helper", "gone"],
        ),
    },
}
