// JavaScript for Automation's own objects. `native` sends events. Everything up to a call happens here, without an
// event.
(function (native) {
  "use strict";
  const NODE = Symbol("node");
  const [ROOT, PROPERTY, ELEMENTS, INDEX, NAME, ID, WHERE, ORDINAL, MEMBER, UNSAVED, INSERTION] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
  ];
  const CURRENT = -1,
    IT = -2;

  // Errors as the bridge raises them.
  function failure(message, number) {
    const error = new Error(message);
    error.errorNumber = number;
    return error;
  }
  const messages = {
    [-38]: "File not open.",
    [-39]: "End of file error.",
    [-43]: "File not found.",
    [-48]: "Duplicate file name.",
    [-49]: "File is already open.",
    [-54]: "File permission error.",
    [-61]: "File not open with write permission.",
    [-50]: "Parameter error.",
    [-128]: "User canceled.",
    [-1700]: "Can't convert types.",
    [-1713]: "No user interaction allowed.",
    [-1728]: "Can't get object.",
    [-1762]: "Can't connect to scripting system.",
    [-10004]: "A privilege violation occurred.",
  };
  const refuse = (number) => {
    const error = failure(messages[number], number);
    error.errorNumber = native.refused(number, error.stack);
    throw error;
  };
  const notUnderstood = () => failure("Message not understood.", -1708);

  // Specifiers: a node says how an object is reached. `r` is its root, `p` the node before, `c` its class if known.
  const child = (p, k, t, v, c) => ({ r: p.r, p, k, t, v, c });
  const isCollection = (node) => node.k === ELEMENTS || node.k === WHERE || node.k === MEMBER;

  function wrap(node) {
    const target = () => undefined;
    target[NODE] = node;
    return new Proxy(target, handler);
  }

  const nodeOf = (value) => (typeof value === "function" ? value[NODE] : undefined);

  const handler = {
    get: (target, key) => (typeof key === "symbol" ? symbol(target[NODE], key) : member(target[NODE], key)),
    set: (target, key, value) => assign(target[NODE], key, value),
    apply: (target, self, args) => native.get(target[NODE], args),
    has: (target, key) =>
      key === NODE ||
      (typeof key === "string" && (hasPlace(target[NODE], key) || look(target[NODE], key) !== undefined)),
    // Elements have their indices as keys, so that `for in` and Array methods iterate over them.
    ownKeys: (target) =>
      isCollection(target[NODE]) ? Array.from({ length: native.count(target[NODE]) }, (_, at) => String(at)) : [],
    getOwnPropertyDescriptor: (target, key) =>
      hasPlace(target[NODE], key)
        ? { value: member(target[NODE], key), enumerable: true, configurable: true }
        : undefined,
    defineProperty: () => false,
    deleteProperty: () => false,
    getPrototypeOf: (target) => prototypeOf(target[NODE]),
  };

  const hasPlace = (node, key) => typeof key === "string" && isCollection(node) && /^\d+$/.test(key);
  const prototypeOf = (node) => (node.k === ROOT ? Application.prototype : ObjectSpecifier.prototype);
  const tag = (node) => (node.k === ROOT ? "Application" : "ObjectSpecifier");

  function symbol(node, key) {
    if (key === NODE) return node;
    return key === Symbol.toStringTag ? tag(node) : undefined;
  }

  function member(node, key) {
    switch (key) {
      case "toString":
        return () => `[object ${tag(node)}]`;
      case "valueOf":
        return () => wrap(node);
      case "constructor":
        return node.k === ROOT ? Application : ObjectSpecifier;
      case "toJSON":
      case "prototype":
        return undefined;
      case "get":
        return (...args) => native.get(node, args);
      case "set":
        return (value) => native.set(node, value);
    }
    if (node.k === ROOT && Object.hasOwn(node.r.flags, key)) return node.r.flags[key];
    if (node.k === ROOT && node.r.app === CURRENT && Object.hasOwn(ofOsascript, key)) return ofOsascript[key];
    if (node.k === UNSAVED && key === "make") return () => save(node, null);
    const built = isCollection(node) ? collection(node, key) : undefined;
    return built !== undefined ? built : term(node, key);
  }

  function collection(node, key) {
    if (/^-?\d+$/.test(key)) return wrap(child(node, INDEX, "", Number(key), node.c));
    switch (key) {
      case "length":
        return native.count(node);
      case "at":
        return (index) => wrap(child(node, INDEX, "", Number(index), node.c));
      case "byName":
        return (name) => wrap(child(node, NAME, "", name, node.c));
      case "byId":
        return (id) => wrap(child(node, ID, "", id, node.c));
      case "whose":
      case "where":
        return (test, modifiers) => wrap(child(node, WHERE, "", { test, modifiers }, node.c));
      case "push":
        return (object) => save(nodeOf(object), node);
      case "unshift":
        return (object) => save(nodeOf(object), child(node, INSERTION, "", ends.beginning));
    }
  }

  const ordinals = { first: 0, middle: 1, last: 2, any: 3 };
  // Insertion locations: at an end of elements, or beside one element. The location itself sends no event.
  const ends = { beginning: 0, end: 1 };
  const sides = { before: 2, after: 3 };
  const insertion = (node, key) => {
    const places = node.k === ELEMENTS ? ends : [INDEX, NAME, ID, ORDINAL].includes(node.k) ? sides : {};
    return Object.hasOwn(places, key) ? wrap(child(node, INSERTION, "", places[key])) : undefined;
  };

  // The app's dictionary decides what an identifier means. An unknown one throws when it is called.
  function term(node, key) {
    if (node.r.app === IT) return wrap(child(node, MEMBER, key));
    const meaning = look(node, key);
    switch (meaning?.kind) {
      case "property":
        return wrap(child(node, PROPERTY, meaning.term, undefined, meaning.class));
      case "elements":
        return wrap(child(node, ELEMENTS, meaning.term, undefined, meaning.class));
      case "command":
        return (...args) => native.command(node, meaning.term, args);
      case "constructor":
        if (node.k === ROOT) return constructor(node, meaning.term);
    }
    const place = insertion(node, key);
    if (place) return place;
    if (isCollection(node)) {
      return Object.hasOwn(ordinals, key)
        ? wrap(child(node, ORDINAL, "", ordinals[key], node.c))
        : wrap(child(node, NAME, "", key, node.c));
    }
    return (
      added(node, key) ??
      (() => {
        throw notUnderstood();
      })
    );
  }

  // osascript itself has no dictionary, but it answers these.
  const ofOsascript = {
    name: () => "osascript",
    running: () => true,
    activate: () => null,
    launch: () => null,
    quit: () => null,
  };

  // Standard Additions are available once their flag is set.
  let additions;
  function added(node, key) {
    if (node.k !== ROOT || !node.r.flags.includeStandardAdditions) return undefined;
    additions ??= native.additions()(native, { failure, Path, refuse });
    return additions(node, key);
  }

  // An object that a script constructed. Nothing happens until it is made or pushed; then it is a reference.
  const constructor = (app, name) =>
    function (properties, data) {
      return wrap({ r: app.r, p: null, k: UNSAVED, t: name, v: { properties, data }, c: name, made: undefined });
    };
  function save(node, place) {
    if (node?.k !== UNSAVED || node.made) throw failure("Can't convert types.", -1700);
    const made = native.make(node, place);
    node.made = nodeOf(made);
    return place ? undefined : made;
  }

  function look(node, key) {
    const { meanings } = node.r;
    const strict = (node.r.flags.strictPropertyScope ? 1 : 0) | (node.r.flags.strictCommandScope ? 2 : 0);
    const place = `${strict}${node.c ?? ""}|${key}`;
    let meaning = meanings.get(place);
    if (meaning === undefined) {
      meaning = native.meaning(node.r.app, node.c ?? null, key, strict);
      meanings.set(place, meaning);
    }
    return meaning;
  }

  function assign(node, key, value) {
    if (typeof key === "symbol") return false;
    if (node.k === ROOT && Object.hasOwn(node.r.flags, key)) {
      node.r.flags[key] = value;
      return true;
    }
    const built = isCollection(node) && /^-?\d+$/.test(key);
    const meaning = built ? undefined : look(node, key);
    if (meaning?.kind === "property") native.set(child(node, PROPERTY, meaning.term, undefined, meaning.class), value);
    else if (meaning?.kind === "elements")
      native.set(child(node, ELEMENTS, meaning.term, undefined, meaning.class), value);
    else if (built) native.set(child(node, INDEX, "", Number(key), node.c), value);
    else throw failure("Can't convert types.", -1700);
    return true;
  }

  const flags = () => ({
    includeStandardAdditions: false,
    strictPropertyScope: false,
    strictCommandScope: false,
    strictParameterType: false,
  });

  const rootNode = (app) => ({
    r: { app, flags: flags(), meanings: new Map() },
    p: null,
    k: ROOT,
    t: "",
    v: undefined,
    c: "application",
  });

  function Application(target) {
    return wrap(rootNode(native.application(target)));
  }
  Application.currentApplication = () => wrap(rootNode(CURRENT));

  const it = { r: { app: IT, flags: {}, meanings: new Map() }, p: null, k: ROOT, t: "", v: undefined, c: undefined };
  const ofSpecifiers = {
    classOf: (value) => native.className(nodeOf(value)),
    hasInstance: (value) => nodeOf(value) !== undefined,
  };
  function bareSpecifier() {
    return wrap(it);
  }
  const ObjectSpecifier = new Proxy(bareSpecifier, {
    get(target, key) {
      if (key === NODE) return it;
      if (typeof key === "symbol" || key === "prototype") return target[key];
      return Object.hasOwn(ofSpecifiers, key) ? ofSpecifiers[key] : member(it, key);
    },
  });

  function Path(path) {
    if (!(this instanceof Path)) return new Path(path);
    Object.defineProperty(this, NODE, { value: String(path) });
  }
  Path.prototype.toString = function () {
    return this[NODE];
  };

  // Converts values that enter or leave the bridge.
  const local = (seconds) => {
    const d = new SystemDate(seconds * 1000);
    return new SystemDate(
      d.getUTCFullYear(),
      d.getUTCMonth(),
      d.getUTCDate(),
      d.getUTCHours(),
      d.getUTCMinutes(),
      d.getUTCSeconds(),
    );
  };
  const seconds = (d) =>
    Math.floor(
      Date.UTC(d.getFullYear(), d.getMonth(), d.getDate(), d.getHours(), d.getMinutes(), d.getSeconds()) / 1000,
    );
  const SystemDate = Date;

  // The world's clock. It starts at the world's time and runs from there.
  function setClock(start) {
    const offset = local(start).getTime() - SystemDate.now();
    const now = () => SystemDate.now() + offset;
    const Clocked = new Proxy(SystemDate, {
      construct: (target, args, as) => Reflect.construct(target, args.length ? args : [now()], as),
      apply: () => new SystemDate(now()).toString(),
      get: (target, key) => (key === "now" ? now : target[key]),
    });
    SystemDate.prototype.constructor = Clocked;
    globalThis.Date = Clocked;
  }

  // Text forms.
  function source(value) {
    const node = nodeOf(value);
    if (node) return native.display(node);
    if (value instanceof Path) return `Path(${JSON.stringify(String(value))})`;
    if (value instanceof SystemDate) return `new Date(${value.getTime()})`;
    if (typeof value === "string") return `"${value.replace(/["\\]/g, "\\$&")}"`;
    if (Array.isArray(value)) return `[${value.map(source).join(", ")}]`;
    const bridged = ofBridge(value);
    if (bridged) return bridged;
    if (value === null || typeof value !== "object") return String(value);
    return `{${Object.keys(value)
      .map((key) => `${JSON.stringify(key)}:${source(value[key])}`)
      .join(", ")}}`;
  }

  // Formats an object of the Objective-C bridge as the expression that makes it: `$("text")`, `$()`.
  function ofBridge(value) {
    if (value === null || typeof value !== "object" || typeof value.isKindOfClass !== "function") return undefined;
    if (value.isNil()) return "$()";
    const inner = value.js;
    return inner === value ? String(value) : `$(${source(inner)})`;
  }

  const human = (value) => (value === undefined ? undefined : String(value));

  function define(name, value) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  }
  define("Application", Application);
  define("ObjectSpecifier", ObjectSpecifier);
  define("Path", Path);
  define("Automation", { getDisplayString: (value, shown) => (shown ? String(human(value)) : source(value)) });
  // A library is a separate script. It exports what it defines at the top level.
  define("Library", (name) => {
    const text = native.library(String(name));
    const names = [...text.matchAll(/^(?:function|var|let|const|class)\s+([\w$]+)/gm)].map(([, each]) => each);
    return Function(`${text}\n;return {${names.join(",")}}`)();
  });
  define("Progress", { totalUnitCount: -1, completedUnitCount: 0, description: "", additionalDescription: "" });
  define("delay", (time) => native.delay(time === undefined ? 1 : Number(time)));
  define("console", { log: (...args) => native.log(args.map(String).join(" ")) });
  // The Objective-C bridge is created when a script first names it.
  const bridged = ["ObjC", "$", "Ref"];
  for (const name of bridged) {
    Object.defineProperty(globalThis, name, {
      configurable: true,
      enumerable: false,
      get() {
        const made = native.foundation();
        for (const each of bridged)
          if (Object.getOwnPropertyDescriptor(globalThis, each)?.get) define(each, made[each]);
        return made[name];
      },
      set(value) {
        define(name, value);
      },
    });
  }
  for (const name of ["queueMicrotask", "InternalError", "gc", "navigator", "performance"]) delete globalThis[name];

  return {
    wrap,
    nodeOf,
    failure,
    local,
    seconds,
    setClock,
    setScript: (path) => (native.script = path),
    source,
    human,
    Path,
    root: (r) => ({ r, p: null, k: ROOT, t: "", v: undefined, c: "application" }),
    child,
    kind: (value) => (value instanceof SystemDate ? 1 : value instanceof Path ? 2 : 0),
    units: (text) => Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)),
    fromUnits: (units) => units.map((unit) => String.fromCharCode(unit)).join(""),
    now: () => seconds(new SystemDate()),
  };
})
