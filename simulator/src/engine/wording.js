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
    const from = chain(line, column);
    const called = /^[\w$]+/.exec(line.slice(column))?.[0];
    if (!called) return "undefined is not a function";
    const made = /new\s+$/.test(line.slice(0, from)) && /^[\w$.]+/.exec(line.slice(from))?.[0];
    if (made)
      return `${made} is not a constructor (evaluating 'new ${line.slice(from, closing(line, from + made.length) + 1)}')`;
    const base = line.slice(from, column + called.length);
    const call = line.slice(from, closing(line, column + called.length) + 1);
    return `${base} is not a function. (In '${call}', '${base}' is undefined)`;
  }

  // Where the expression begins of which something is a part.
  function chain(line, from) {
    while (from > 0 && /[\w$.'"\])]/.test(line[from - 1]))
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
