// What this engine says in its own words is said in JavaScriptCore's, as far as an error's place in the source tells.
(function () {
  "use strict";
  const sources = new Map();

  // The text of an error, by what the engine said; `where` gives the source line from the error's column on.
  const words = [
    [/^(.+) is not defined$/, (name) => `Can't find variable: ${name}`],
    [
      /^cannot (?:read|set) property '(.*)' of (undefined|null)$/,
      (name, value, where) => `${value} is not an object (evaluating '${member(where, name)}')`,
    ],
    [/^not a function$/, (where) => notAFunction(where)],
    [
      /^value is not iterable$/,
      (where) =>
        `undefined is not a function (near '...${/for\s*\((?:const|let|var)?\s*(.+? of .+?)\)/.exec(where.line)?.[1] ?? where.line.trim()}...')`,
    ],
    [/^(.+) is not initialized$/, (name) => `Cannot access '${name}' before initialization.`],
    [/^'(.+)' is read-only$/, () => "Attempted to assign to readonly property."],
    [/^Maximum call stack size exceeded$/, () => "Maximum call stack size exceeded."],
    [/^circular reference$/, () => "JSON.stringify cannot serialize cyclic structures."],
    [
      /^invalid repeat count$/,
      () => "String.prototype.repeat argument must be greater than or equal to 0 and not be Infinity",
    ],
    [/^Date value is NaN$/, () => "Invalid Date"],
    [/^invalid array length$/, () => "Array size is not a small enough positive integer."],
    [/^empty array$/, () => "reduce of empty array with no initial value"],
    [/^Cannot convert undefined or null to object$/, () => "Right side of assignment cannot be destructured"],
    [/^return not in a function$/, () => "Return statements are only valid inside functions."],
    [/^unexpected token in expression: ''$/, () => "Unexpected end of script"],
    [/^unexpected token in expression: '(.+)'$/, (token) => `Unexpected token '${token}'`],
    [
      /^invalid redefinition of lexical identifier$/,
      (where) => `Can't create duplicate variable: '${/(?:let|const|class)\s+([\w$]+)/.exec(where.line)?.[1] ?? ""}'`,
    ],
    [/^unexpected end of string$/, () => "Unexpected EOF"],
  ];

  function place(sites) {
    for (const site of sites) {
      const source = sources.get(site.getFileName());
      const line = source?.[(site.getLineNumber() ?? 0) - 1];
      if (line !== undefined) return { line, column: wordAt(line, (site.getColumnNumber() ?? 1) - 1) };
    }
    return { line: "", column: 0 };
  }

  // The engine's columns are off by one at times: the nearest beginning of a word is meant.
  function wordAt(line, column) {
    const begins = (at) => /[\w$]/.test(line[at] ?? "") && !/[\w$]/.test(line[at - 1] ?? "");
    return [0, 1, -1].map((off) => column + off).find(begins) ?? column;
  }

  // The expression up to the property that was asked of nothing: `a.b` of `a.b.c(1)`.
  function member({ line, column }, name) {
    const rest = line.slice(chain(line, column));
    const ends = [`.${name}`, `['${name}']`, `["${name}"]`, `[${name}]`]
      .map((end) => [rest.indexOf(end), end.length])
      .filter(([at]) => at > 0);
    const first = ends.sort(([a], [b]) => a - b)[0];
    return first ? rest.slice(0, first[0] + first[1]) : name;
  }

  // `f is not a function. (In 'f(1)', 'f' is undefined)`
  function notAFunction({ line, column }) {
    const call = callAt(line, column);
    if (!call) return "undefined is not a function";
    const from = chain(line, call.end);
    const [callee, whole] = [call.end, closing(line, call.open) + 1].map((end) => line.slice(from, end));
    if (/new\s+$/.test(line.slice(0, from))) return `${callee} is not a constructor (evaluating 'new ${whole}')`;
    return `${callee} is not a function. (In '${whole}', '${callee}' is undefined)`;
  }

  // The call that failed. The engine tells where the last name stands that it read before the call: the callee's own,
  // or one in the arguments. The calls around it are looked at from the inside; those of known functions did not fail.
  function callAt(line, column) {
    const word = /^[\w$]+(?:\[[^\]]*\]|\.[\w$]+)*/.exec(line.slice(column))?.[0] ?? "";
    const after = column + word.length;
    const own = word && line[after] === "(" ? { end: after, open: after } : undefined;
    if (own && !isKnown(line.slice(chain(line, after), after))) return own;
    let known = own;
    for (let at = column - 1, depth = 0; at > 0; at--) {
      if (/[\])}]/.test(line[at])) depth++;
      else if (/[[{(]/.test(line[at]) && depth-- === 0) {
        depth = 0;
        if (line[at] !== "(" || !/[\w$\])]/.test(line[at - 1])) continue;
        const call = { end: at, open: at };
        if (!isKnown(line.slice(chain(line, at), at))) return call;
        known ??= call;
      }
    }
    return known;
  }

  // Whether a callee is a function for sure: one of the language, or one that the script itself declares.
  function isKnown(callee) {
    if (/^(?:if|for|while|switch|return|catch|function)$/.test(callee)) return true;
    const names = callee.split(".");
    if (names.length > 1 && names.at(-1) in Object.prototype) return true;
    const standard = ["JSON", "Math", "Object", "Array", "Number", "String", "Date", "Promise", "Reflect", "console"];
    const owner = names.length === 1 ? globalThis : standard.includes(names[0]) && globalThis[names[0]];
    if (owner && names.length <= 2 && typeof Reflect.get(owner, names.at(-1)) === "function") return true;
    const declared = new RegExp(
      `function\\s*\\*?\\s*${names[0]}\\b|\\b${names[0]}\\s*=\\s*(?:async\\s*)?(?:function|\\([^()]*\\)\\s*=>|[\\w$]+\\s*=>)`,
    );
    return /^\w+$/.test(callee) && [...sources.values()].some((lines) => lines.some((each) => declared.test(each)));
  }

  // Where the expression begins of which something is a part.
  function chain(line, from) {
    while (from > 0 && (/[\w$.'"\])]/.test(line[from - 1]) || line.startsWith("?.", from - 1)))
      from = /[\])]/.test(line[from - 1]) ? opening(line, from - 1) : from - 1;
    return from;
  }

  function opening(line, at) {
    for (let depth = 0; at >= 0; at--) {
      if (/[\])}]/.test(line[at])) depth++;
      else if (/[[({]/.test(line[at]) && --depth === 0) return at;
    }
    return 0;
  }
  function closing(line, at) {
    for (let depth = 0; at < line.length; at++) {
      if (/[[({]/.test(line[at])) depth++;
      else if (/[\])}]/.test(line[at]) && --depth <= 0) return at;
    }
    return line.length - 1;
  }

  function reword(error, sites) {
    const message = error?.message;
    if (typeof message !== "string") return;
    for (const [pattern, say] of words) {
      const found = pattern.exec(message);
      if (found) {
        error.message = say(...found.slice(1), place(sites ?? []));
        return;
      }
    }
  }

  // JSON.parse says what is wrong, not where.
  const parse = JSON.parse;
  function parseError(text) {
    const rest = text.trim();
    if (rest === "" || /^[[{]\s*$/.test(rest)) return rest.startsWith("{") ? "Expected '}'" : "Unexpected EOF";
    const word = /^[A-Za-z_$][\w$]*/.exec(rest)?.[0];
    if (word) return `Unexpected identifier "${word}"`;
    if (rest.startsWith("'")) return "Single quotes (') are not allowed in JSON";
    if (rest.startsWith("{")) return "Expected '}'";
    if (rest.startsWith("[")) return "Expected ']'";
    if (/^["\d-]/.test(rest))
      return rest.startsWith('"') && !/[^\\]"/.test(rest) ? "Unterminated string" : "Unable to parse JSON string";
    return `Unrecognized token '${rest[0]}'`;
  }
  Object.defineProperty(JSON, "parse", {
    configurable: true,
    writable: true,
    value: function (text, reviver) {
      let value;
      try {
        value = parse(text);
      } catch (error) {
        throw error instanceof SyntaxError ? new SyntaxError(`JSON Parse error: ${parseError(String(text))}`) : error;
      }
      return reviver === undefined ? value : parse(text, reviver);
    },
  });

  Error.prepareStackTrace = (error, sites) => {
    reword(error, sites);
    return sites
      .map((site) => `${site.getFunctionName() ?? ""}@${site.getFileName()}:${site.getLineNumber()}`)
      .join("\n");
  };
  return { reword, setSource: (file, text) => sources.set(file, text.split("\n")) };
})
