// Formats and lints the JavaScript of this repository.
//
//   check.cjs format [--fix]   checks that every file is formatted by Prettier, or formats it
//   check.cjs lint             runs ESLint
//
// `./test fmt` and `./test style` run it with the packages in package-lock.json. To run it by hand:
// NODE_PATH=target/tools/javascript/node_modules node scripts/javascript/check.cjs format --fix
"use strict";
const { execFileSync } = require("node:child_process");
const { readFileSync, writeFileSync } = require("node:fs");
const { extname, join } = require("node:path");

const ROOT = join(__dirname, "../..");

const STYLE = { parser: "babel", printWidth: 120, tabWidth: 2 };

// The globals that JXA gives scripts in addition to the language.
const JXA = ["Application", "Automation", "ObjectSpecifier", "ObjC", "$", "Path", "Library", "delay"];
// In the same order as in simulator/src/engine/omni.rs.
const OMNI =
  "rows enumerations collections status repetition objects tasks projects sections hangings database windows plugins system";

// Files that are concatenated at run time are linted as one text, so that each sees the names in the others.
const TOGETHER = [
  {
    files: ["prelude", "objects", "near", "spread", "groups", "changes", "places", "create", "commands"].map(
      (name) => `core/src/jxa/${name}.js`,
    ),
    globals: [...JXA, "d"],
    sourceType: "script",
  },
  {
    files: [...OMNI.split(" "), "classic"].map((name) => `simulator/src/engine/omni/${name}.js`),
    globals: ["native", "console"],
    sourceType: "commonjs", // because the last part has a top-level return
  },
];

// The globals of Omni Automation that the plugin's scripts use, and `fixed` from plugin.toml.
const OMNI_AUTOMATION = [
  ..."Task Project Folder Tag Text Perspective ForecastDay Preferences Settings DateComponents Calendar app fixed".split(
    " ",
  ),
  ..."flattenedTasks flattenedProjects flattenedFolders flattenedTags tags folders inbox library".split(" "),
  ..."moveTasks moveSections moveTags duplicateTasks duplicateSections convertTasksToProjects deleteObject shared".split(
    " ",
  ),
];

// The globals that files below a folder may use. `no-undef` is off for all other files.
const GLOBALS = [
  ["host/osascript/src/", JXA],
  ["plugins/omnifocus/scripts/", OMNI_AUTOMATION],
  ["scripts/javascript/", ["require", "process", "console", "__dirname"]],
];

const SOURCE_TYPES = { ".cjs": "commonjs", ".mjs": "module" };

const RULES = {
  "array-callback-return": "error",
  eqeqeq: ["error", "always", { null: "ignore" }],
  "no-const-assign": "error",
  "no-dupe-args": "error",
  "no-dupe-class-members": "error",
  "no-dupe-else-if": "error",
  "no-dupe-keys": "error",
  "no-duplicate-case": "error",
  "no-fallthrough": "error",
  "no-func-assign": "error",
  "no-implicit-globals": "off",
  "no-loss-of-precision": "error",
  "no-redeclare": "error",
  "no-self-assign": "error",
  "no-self-compare": "error",
  "no-sparse-arrays": "error",
  "no-throw-literal": "off",
  "no-undef": "error",
  "no-unreachable": "error",
  "no-unsafe-finally": "error",
  "no-unsafe-negation": "error",
  "no-unused-expressions": "off",
  "no-unused-vars": ["error", { vars: "local", args: "after-used", caughtErrors: "none" }],
  "no-useless-escape": "error",
  "no-var": "error",
  "prefer-const": "error",
  "use-isnan": "error",
  "valid-typeof": "error",
};

function tracked() {
  const listed = execFileSync("git", ["ls-files", "*.js", "*.cjs", "*.mjs"], { cwd: ROOT, encoding: "utf8" });
  return listed.split("\n").filter(Boolean);
}

async function formatted(source) {
  const prettier = require("prettier");
  const text = await prettier.format(source, STYLE);
  // A file that is one expression is put in parentheses where it is used, so it must not end with a semicolon.
  return source.trimEnd().endsWith(";") ? text : text.replace(/;\n$/, "\n");
}

async function format(fix) {
  let wrong = 0;
  for (const path of tracked()) {
    const source = readFileSync(join(ROOT, path), "utf8");
    const wanted = await formatted(source);
    if (source === wanted) continue;
    if (fix) writeFileSync(join(ROOT, path), wanted);
    else console.error(`${path}: not formatted; see the head of scripts/javascript/check.cjs`);
    wrong += 1;
  }
  return fix ? 0 : wrong;
}

function groups() {
  const joined = new Set(TOGETHER.flatMap((group) => group.files));
  const alone = tracked().filter((path) => !joined.has(path));
  const globalsOf = (path) => GLOBALS.find(([below]) => path.startsWith(below))?.[1];
  return [...TOGETHER, ...alone.map((path) => ({ files: [path], globals: globalsOf(path) }))];
}

async function lint() {
  const { Linter } = require("eslint");
  let wrong = 0;
  for (const { files, globals, sourceType } of groups()) {
    const lines = files.flatMap((path) => {
      const text = readFileSync(join(ROOT, path), "utf8").trimEnd().split("\n");
      return text.map((line, at) => ({ line, place: `${path}:${at + 1}` }));
    });
    const config = {
      languageOptions: {
        sourceType: sourceType ?? SOURCE_TYPES[extname(files[0])] ?? "script",
        globals: Object.fromEntries((globals ?? []).map((name) => [name, "readonly"])),
      },
      // A file without a list of globals uses names that its host provides.
      rules: { ...RULES, "no-undef": globals ? "error" : "off" },
    };
    for (const found of new Linter().verify(lines.map(({ line }) => line).join("\n"), config)) {
      console.error(`${lines[found.line - 1]?.place ?? files[0]}: ${found.message} (${found.ruleId})`);
      wrong += 1;
    }
  }
  return wrong;
}

async function main([what, option]) {
  const wrong = what === "format" ? await format(option === "--fix") : await lint();
  console.log(`${tracked().length} files, ${wrong} problems`);
  process.exitCode = wrong === 0 ? 0 : 1;
}

main(process.argv.slice(2));
