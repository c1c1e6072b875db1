// Symbols and references of a project by the compiler API of TypeScript: `truth.cjs MODULES ROOT symbols|references
// NAME`.
"use strict";
const path = require("node:path");
const [, , modules, root, what, name] = process.argv;
const ts = require(path.join(modules, "typescript"));

const files = ts.sys.readDirectory(path.join(root, "src"), [".ts"]);
const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.CommonJS, strict: true, baseUrl: root };
const relative = (file) => path.relative(root, file);
const place = (source, at) => {
  const { line, character } = source.getLineAndCharacterOfPosition(at);
  return [line + 1, character + 1];
};

function symbols() {
  const program = ts.createProgram(files, options);
  program.getTypeChecker(); // lets every node know its parent
  const found = [];
  for (const file of files) {
    const source = program.getSourceFile(file);
    const visit = (node, nested) => {
      const declares =
        ts.isClassDeclaration(node) ||
        ts.isInterfaceDeclaration(node) ||
        ts.isEnumDeclaration(node) ||
        ts.isTypeAliasDeclaration(node) ||
        ts.isFunctionDeclaration(node) ||
        (!nested && (ts.isMethodDeclaration(node) || ts.isAccessor(node)) && ts.isClassDeclaration(node.parent));
      if (declares && node.name && ts.isIdentifier(node.name)) {
        const [line] = place(source, node.name.getStart(source));
        found.push({ path: relative(file), line, name: node.name.text, nested });
      }
      ts.forEachChild(node, (child) => visit(child, nested || ts.isFunctionLike(node)));
    };
    ts.forEachChild(source, (child) => visit(child, false));
  }
  return found;
}

function references() {
  const host = {
    getScriptFileNames: () => files,
    getScriptVersion: () => "1",
    getScriptSnapshot: (file) =>
      ts.sys.fileExists(file) ? ts.ScriptSnapshot.fromString(ts.sys.readFile(file)) : undefined,
    getCurrentDirectory: () => root,
    getCompilationSettings: () => options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
  };
  const service = ts.createLanguageService(host);
  const file = files.find((file) => path.basename(file) === `${name}.ts`);
  const at = ts.sys.readFile(file).search(new RegExp(`export class ${name}\\b`)) + "export class ".length;
  const program = service.getProgram();
  const uses = service
    .findReferences(file, at)
    .flatMap((one) => one.references)
    .filter((one) => !one.isDefinition);
  return uses.map((one) => [relative(one.fileName), ...place(program.getSourceFile(one.fileName), one.textSpan.start)]);
}

process.stdout.write(JSON.stringify(what === "symbols" ? symbols() : references()));
