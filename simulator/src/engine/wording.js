// Rewords QuickJS's error messages as JavaScriptCore's, as far as the position in the source allows.
(function () {
  "use strict";
  const sources = new Map();

  // The new text of an error, by QuickJS's text. `where` gives the source line and the error's column.
  const words = [
    [/^(.+) is not defined$/, (name) => `Can't find variable: ${name}`],
    [/^cannot read property 'Symbol.iterator' of (undefined|null)$/, (value, where) => notIterated(value, where)],
    [
      /^cannot read property '(.*)' of (undefined|null)$/,
      (name, value, where) => `${value} is not an object (evaluating '${member(where, name)}')`,
    ],
    [
      /^cannot set property '(.*)' of (undefined|null)$/,
      (name, value, where) => `${value} is not an object (evaluating '${member(where, name, true)}')`,
    ],
    [/^not a function$/, (where) => notAFunction(where)],
    [
      /^value is not iterable$/,
      (where) =>
        `undefined is not a function (near '...${/(\[[^\]]*\])\s*(?:=[^=>]|of\b)/.exec(where.line)?.[1] ?? /for\s*\((?:const|let|var)?\s*(.+? of .+?)\)/.exec(where.line)?.[1] ?? where.line.trim()}...')`,
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
    [/^invalid array length$/, () => "Array length must be a positive integer of safe magnitude."],
    [/^expecting hex digit$/, () => "URI error"],
    [/^invalid 'instanceof' right operand$/, () => "Right hand side of instanceof is not an object"],
    [/^invalid 'in' operand$/, (where) => notInside(where)],
    [/^not an object$/, () => "Properties can only be defined on Objects."],
    [/^cannot convert symbol to string$/, () => "Cannot convert a symbol to a string"],
    [/^cannot convert to BigInt: not an integer$/, () => "Not an integer"],
    [/^cannot convert BigInt to number$/, () => "Invalid mix of BigInt and other type in addition."],
    [/^invalid number of digits$/, () => "toFixed() argument must be between 0 and 100"],
    [/^empty array$/, () => "reduce of empty array with no initial value"],
    [/^Cannot convert undefined or null to object$/, (where) => noObject(where)],
    [/^return not in a function$/, () => "Return statements are only valid inside functions."],
    [/^unexpected token in expression: ''$/, () => "Unexpected end of script"],
    [/^unexpected token in expression: '(.+)'$/, (token) => `Unexpected token '${token}'`],
    [
      /^invalid redefinition of lexical identifier$/,
      (where) => `Can't create duplicate variable: '${/(?:let|const|class)\s+([\w$]+)/.exec(where.line)?.[1] ?? ""}'`,
    ],
    [/^unexpected end of string$/, () => "Unexpected EOF"],
  ];

  // Returns where an error occurred: the line, and the whole text with the offset of the line.
  function place(sites) {
    for (const site of sites) {
      if (site.getFileName() === EVALUATED) return inside(site);
      const source = sources.get(site.getFileName());
      const number = (site.getLineNumber() ?? 0) - 1,
        line = source?.[number];
      if (line === undefined) continue;
      const before = source.slice(0, number).join("\n");
      return {
        line,
        column: wordAt(line, (site.getColumnNumber() ?? 1) - 1),
        text: source.join("\n"),
        begin: number === 0 ? 0 : before.length + 1,
      };
    }
    return { line: "", column: 0, text: "", begin: 0 };
  }

  // For text that the script itself evaluates, only the function in which the error occurred is available. Its line
  // is the only one with a word at that column. The lines of the calling script would be misleading.
  const EVALUATED = "<input>";
  function inside(site) {
    const column = (site.getColumnNumber() ?? 1) - 1,
      lines = String(site.getFunction()).split("\n").slice(1),
      found = lines.filter((line) => isWordAt(line, column)),
      line = found.length === 1 ? found[0] : "";
    return { line, column, text: line, begin: 0 };
  }

  const isWordAt = (line, at) => /[\w$]/.test(line[at] ?? "") && !/[\w$]/.test(line[at - 1] ?? "");
  // The engine's columns are sometimes off by one, so the nearest start of a word is used.
  const wordAt = (line, column) => [0, 1, -1].map((off) => column + off).find((at) => isWordAt(line, at)) ?? column;

  // Returns the expression before the property that was read of nothing (`a.b` in `a.b.c(1)`), and what was assigned
  // to it.
  function member({ line, column, text, begin }, name, assigned) {
    const from = begin + chain(line, column);
    const plain = name.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&");
    const asked = new RegExp(`(?:\\??\\.\\s*${plain}(?![\\w$])|\\[(?:'${plain}'|"${plain}"|${plain})\\])`, "g");
    const found = [...text.matchAll(asked)];
    const hit = found.find(({ index }) => index >= from) ?? found.findLast(({ index }) => index < from);
    if (!hit) return name;
    const end = hit.index + hit[0].length;
    const rest = assigned ? text.slice(end, statement(text, end)) : "";
    const first = operand(text, hit.index);
    const removed = /(?:^|[^\w$])(delete\s+)$/.exec(text.slice(0, first))?.[1] ?? "";
    return removed + text.slice(first, end) + rest.trimEnd();
  }

  // Returns the start of the expression of names, calls and indices that ends at `end`. Lines may break before a dot.
  function operand(text, end) {
    let at = end;
    for (;;) {
      if (/\s/.test(text[at - 1] ?? "") && /^\s*\??\./.test(text.slice(at))) {
        at = text.slice(0, at).trimEnd().length;
        continue;
      }
      if (/[)\]]/.test(text[at - 1] ?? "")) {
        at = opening(text, at - 1);
        if (
          /[\w$)\]]/.test(text[at - 1] ?? "") &&
          !/(?:^|[^\w$.])(?:return|typeof|await|of|in|if)$/.test(text.slice(0, at))
        )
          continue;
        return at;
      }
      if (/['"`]/.test(text[at - 1] ?? "")) return Math.max(text.lastIndexOf(text[at - 1], at - 2), 0);
      while (/[\w$]/.test(text[at - 1] ?? "")) at--;
      const dot = /\??\.\s*$/.exec(text.slice(0, at));
      if (!dot) return at;
      at = dot.index;
      while (/\s/.test(text[at - 1] ?? "")) at--;
    }
  }

  // Returns the end of the assignment that begins at `from`.
  function statement(text, from) {
    if (!/^\s*=/.test(text.slice(from))) return from;
    for (let at = from, depth = 0; at < text.length; at++) {
      if (/[[({]/.test(text[at])) depth++;
      else if (/[\])}]/.test(text[at]) && depth-- === 0) return at;
      if (/[;\n]/.test(text[at]) && depth === 0) return at;
    }
    return text.length;
  }
  // Returns the statement in a line that contains a column.
  const around = ({ line, column }) =>
    line.slice(Math.max(line.lastIndexOf(";", column), line.lastIndexOf("=>", column), -1) + 1);

  // Rewords iterating over null or undefined: in a loop, a pattern or a list.
  function notIterated(value, where) {
    const line = around(where);
    if (/\.\.\.\s*[\w$(]/.test(where.line.slice(Math.max(where.column - 4, 0)))) {
      return "Spread syntax requires ...iterable not be null or undefined";
    }
    const what = /\bof\s+(.+?)\)/.exec(line)?.[1] ?? /\]\s*=\s*([^;]+)/.exec(line)?.[1];
    return `${value} is not an object (evaluating '${what ?? value}')`;
  }
  function notInside(where) {
    const line = around(where);
    const [whole, right] = /(?:'[^']*'|"[^"]*"|[\w$.]+)\s+in\s+([\w$.]+)/.exec(line) ?? ["", "undefined"];
    return `${right} is not an Object. (evaluating '${whole}')`;
  }
  function noObject(where) {
    const line = around(where);
    const removed = /\bdelete\s+([\w$.]+)/.exec(line)?.[0];
    if (removed) return `undefined is not an object (evaluating '${removed}')`;
    const call = /\bObject(?:\.\w+)+\(/.exec(line);
    if (!call) return "Right side of assignment cannot be destructured";
    const [name] = /^Object\.(?:entries|values|assign)(?=\()/.exec(call[0]) ?? [];
    if (name) return `${name} requires that input parameter not be null or undefined`;
    const whole = line.slice(call.index, closing(line, call.index + call[0].length - 1) + 1);
    return `${/\(null\b/.test(whole) ? "null" : "undefined"} is not an object (evaluating '${whole}')`;
  }

  // `f is not a function. (In 'f(1)', 'f' is undefined)`
  function notAFunction({ line, column }) {
    const call = callAt(line, column);
    if (!call) return "undefined is not a function";
    const from = chain(line, call.end);
    const [callee, whole] = [call.end, closing(line, call.open) + 1].map((end) => line.slice(from, end));
    if (/new\s+$/.test(line.slice(0, from))) return `undefined is not a constructor (evaluating 'new ${whole}')`;
    return `${callee} is not a function. (In '${whole}', '${callee}' is undefined)`;
  }

  // Finds the call that failed. The engine reports the last name that it read before the call: the callee's own, or
  // one in the arguments. The calls around it are checked from the inside out; calls of known functions did not fail.
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

  // Whether a callee is certainly a function: one of the language, or one that the script declares.
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

  // Returns the start of the expression that contains `from`.
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

  // JavaScriptCore's messages for JSON.parse say what is wrong, but not where.
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

  // The engine joins the parameters and body of a new Function into one text and evaluates it. JavaScriptCore accepts
  // only a text that is one function. A function declaration is hoisted before the first statement, which throws.
  const Native = Function;
  const declared = (0, eval)(
    "(function () { try { eval(arguments[0]); } catch (e) { if (e !== 0) throw e; } return String(anonymous); })",
  );
  const checked = (given) => {
    const texts = given.map(String),
      parameters = texts.slice(0, -1).join(",");
    const isOne = (body) => {
      const text = `function anonymous(${parameters}\n) {\n${body}\n}`;
      return declared("throw 0;\n" + text) === text;
    };
    if (!isOne(texts.at(-1) ?? "")) throw new SyntaxError("Parser error");
    try {
      if (isOne("")) return texts;
    } catch (error) {
      // Only together with the body did the parameters form a text that parses.
    }
    throw new SyntaxError("Parameters should match arguments offered as parameters in Function constructor.");
  };
  const value = new Proxy(Native, {
    apply: (target, it, given) => Reflect.apply(target, it, checked(given)),
    construct: (target, given, made) => Reflect.construct(target, checked(given), made),
  });
  for (const owner of [
    [globalThis, "Function"],
    [Native.prototype, "constructor"],
  ])
    Object.defineProperty(...owner, { configurable: true, writable: true, value });

  Error.prepareStackTrace = (error, sites) => {
    reword(error, sites);
    return sites
      .map((site) => `${site.getFunctionName() ?? ""}@${site.getFileName()}:${site.getLineNumber()}`)
      .join("\n");
  };
  return { reword, setSource: (file, text) => sources.set(file, text.split("\n")) };
})
