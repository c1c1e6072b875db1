"""Files in forms that are rare, with what each declares: `line:column full name`, counted from 1 in characters."""

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
