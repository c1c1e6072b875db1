// The Objective-C bridge: `$`, `ObjC`, `Ref`, and the Foundation classes that nearly every script uses. The files in
// `foundation` have the others; each is evaluated when a script first names one of its classes. A method without
// arguments is read as a property; one with arguments is called by its joined selector.
(function (system) {
  "use strict";
  const VALUE = Symbol("value");
  const NIL = Symbol("nil");
  const LINEAGE = Symbol("lineage");
  const NAME = Symbol("name");

  const define = (target, key, how) =>
    Object.defineProperty(target, key, { configurable: true, enumerable: false, ...how });

  // Wrapped objects: one prototype per class. `get` is read, `call` is called, `set` is assigned or called as setX.
  const prototypes = {};
  function kind(name, { parent, get = {}, call = {}, set = {} }) {
    const prototype = Object.create(prototypes[parent ?? "NSObject"] ?? null);
    define(prototype, LINEAGE, { value: [name, ...(prototype[LINEAGE] ?? [])] });
    for (const key of new Set([...Object.keys(get), ...Object.keys(set)])) {
      const how = {
        get: get[key]
          ? function () {
              return get[key](this[VALUE], this);
            }
          : undefined,
      };
      if (set[key]) {
        how.set = function (value) {
          set[key](this[VALUE], value, this);
        };
        define(prototype, `set${key[0].toUpperCase()}${key.slice(1)}`, {
          value(...args) {
            set[key](this[VALUE], args[0], this);
          },
          writable: true,
        });
      }
      define(prototype, key, how);
    }
    for (const [key, method] of Object.entries(call)) {
      define(prototype, key, {
        value(...args) {
          return method.call(this, this[VALUE], ...args);
        },
        writable: true,
      });
    }
    prototypes[name] = prototype;
  }
  function object(name, value) {
    const made = Object.create(prototypes[name]);
    define(made, VALUE, { value, writable: true });
    return made;
  }
  const isWrapped = (value) => value !== null && typeof value === "object" && VALUE in value;
  const isA = (value, name) => isWrapped(value) && (value[LINEAGE] ?? []).includes(name);

  const root = {
    get: {
      js: (v, self) => unwrap(self),
      className: (v, self) => string(self[LINEAGE][0]),
      class: (v, self) => $[self[LINEAGE][0]],
      description: (v, self) => string(describe(self)),
      debugDescription: (v, self) => string(describe(self)),
      self: (v, self) => self,
      copy: (v, self) => copy(self, self[LINEAGE][0].replace("NSMutable", "NS")),
      mutableCopy: (v, self) => copy(self, self[LINEAGE][0].replace(/^NS(?!Mutable)/, "NSMutable")),
      retain: (v, self) => self,
      autorelease: (v, self) => self,
      release: () => undefined,
      hash: () => 0,
    },
    call: {
      isNil() {
        return this[VALUE] === NIL;
      },
      toString() {
        return `[id ${this[LINEAGE][0]}]`;
      },
      isEqual(v, other) {
        return same(this, wrap(other));
      },
      isKindOfClass(v, other) {
        return isA(this, other?.[NAME]);
      },
      isMemberOfClass(v, other) {
        return this[LINEAGE][0] === other?.[NAME];
      },
      respondsToSelector(v, selector) {
        return selectorName(text(selector)) in this;
      },
      performSelector(v, selector) {
        const name = selectorName(text(selector));
        return typeof this[name] === "function" ? this[name]() : this[name];
      },
      performSelectorWithObject(v, selector, argument) {
        return this[selectorName(text(selector))](argument);
      },
      valueForKey(v, key) {
        return wrap(this[text(key)]);
      },
      setValueForKey(v, value, key) {
        this[text(key)] = value;
      },
    },
  };
  kind("NSObject", root);
  // `initWithData:encoding:` becomes `initWithDataEncoding`.
  const selectorName = (selector) => selector.replace(/:(.)?/g, (all, next) => (next ?? "").toUpperCase());
  function describe(value) {
    const inner = value[VALUE];
    if (inner === NIL) return "[id nil]";
    if (isA(value, "NSString") || isA(value, "NSNumber")) return String(inner);
    return `[id ${value[LINEAGE][0]}]`;
  }
  const same = (one, other) =>
    one === other ||
    (one[VALUE] !== undefined &&
      JSON.stringify(deepUnwrap(one)) === JSON.stringify(deepUnwrap(other)) &&
      one[LINEAGE].at(-2) === other[LINEAGE].at(-2));
  function copy(self, name) {
    const inner = self[VALUE];
    if (name.includes("Mutable")) use(name);
    return object(
      prototypes[name] ? name : self[LINEAGE][0],
      inner instanceof Map ? new Map(inner) : Array.isArray(inner) ? [...inner] : inner,
    );
  }

  const nil = () => object("nil", NIL);
  const string = system.part("texts")({ object });
  // The bytes of an NSData, as a string with one character for each byte.
  class Bytes {
    constructor(text) {
      this.text = text;
    }
  }
  const data = (text) => object("NSData", new Bytes(text));
  const optional = (bytes) => (bytes == null ? nil() : data(bytes));
  const bytesOf = (value) => (value?.[VALUE] instanceof Bytes ? value[VALUE].text : null);

  function wrap(value) {
    if (value === null || value === undefined) return nil();
    if (isWrapped(value)) return value;
    switch (typeof value) {
      case "string":
        return string(value);
      case "number":
      case "boolean":
        return object("NSNumber", value);
      case "function":
        return value;
    }
    if (Array.isArray(value)) return object("NSArray", value.map(wrap));
    if (value instanceof Date) return object("NSDate", value);
    return object("NSDictionary", new Map(Object.keys(value).map((key) => [key, wrap(value[key])])));
  }
  // Unwraps one level. What is inside a collection stays wrapped.
  function unwrap(value) {
    if (!isWrapped(value)) return value;
    const inner = value[VALUE];
    if (inner === NIL) return undefined;
    if (isA(value, "NSNull")) return null;
    if (inner instanceof Map) return Object.fromEntries(inner);
    return Array.isArray(inner) || ["string", "number", "boolean"].includes(typeof inner) || inner instanceof Date
      ? inner
      : value;
  }
  function deepUnwrap(value) {
    const one = unwrap(value);
    if (Array.isArray(one)) return one.map(deepUnwrap);
    if (isWrapped(one) || one === null || typeof one !== "object" || one instanceof Date) return one;
    return Object.fromEntries(Object.entries(one).map(([key, inner]) => [key, deepUnwrap(inner)]));
  }
  // Returns an argument as a string. It may be a JavaScript string or a Foundation object; a URL means its path.
  const text = (value) => {
    const inner = isA(value, "NSURL")
      ? value[VALUE].path
      : isA(value, "NSAttributedString")
        ? value[VALUE].text
        : unwrap(value);
    if (typeof inner !== "string") throw new TypeError("expected a string");
    return inner;
  };
  const number = (value) => Number(unwrap(value));
  const time = (value) => {
    const inner = unwrap(value);
    if (inner instanceof Date) return inner;
    throw new TypeError("expected a date");
  };

  const encoded = (value, encoding) => {
    if (encoding === 5) return [...value].every((c) => c.charCodeAt(0) < 256) ? data(value) : nil();
    const bytes = [1, 4].includes(encoding) ? system.encode(value) : null;
    return bytes != null && (encoding === 4 || bytes.length === value.length) ? data(bytes) : nil();
  };
  const decoded = (bytes, encoding) => {
    if (encoding === 5) return string(bytes);
    const readable = encoding === 4 || (encoding === 1 && /^[\0-\x7f]*$/.test(bytes));
    const value = readable ? system.decode(bytes) : null;
    return value == null ? nil() : string(value);
  };
  // An out-parameter that was made with $() becomes the error.
  const failed = (error, description, code = 260) => {
    if (!isWrapped(error)) return;
    Object.setPrototypeOf(error, prototypes.NSError);
    error[VALUE] = { description, code };
  };
  const last = (path) => path.replace(/\/+$/, "").split("/").pop();
  const folderOf = (path) => last(path.replace(/\/+$/, "").replace(/\/[^/]*$/, "")) || "/";
  // For each failure of a file operation: Cocoa's error code, and its message about the path that a script gave.
  const complaints = {
    gone: [260, (path) => `The file “${last(path)}” couldn’t be opened because there is no such file.`],
    folder: [4, (path) => `The folder “${last(path)}” doesn’t exist.`],
    denied: [
      513,
      (path) => `You don’t have permission to save the file “${last(path)}” in the folder “${folderOf(path)}”.`,
    ],
    taken: [
      516,
      (path) =>
        `The file “${last(path)}” couldn’t be saved in the folder “${folderOf(path)}” because a file with the same name already exists.`,
    ],
  };
  // Whether a file operation worked. If not, fills the out-parameter. `own` has the operation's own messages.
  function worked(outcome, path, error, own = {}) {
    if (outcome === null || outcome === undefined) return true;
    const [code, say] = own[outcome] ?? complaints[outcome] ?? complaints.denied;
    failed(error, say(path), code);
    return false;
  }
  const fileText = (path, encoding, error) => {
    const bytes = system.readFile(text(path));
    if (bytes == null) {
      worked("gone", text(path), error);
      return nil();
    }
    const read = decoded(bytes, encoding);
    if (read.isNil())
      failed(error, `The file “${last(text(path))}” couldn’t be opened using the text encoding it was saved in.`, 261);
    return read;
  };
  const writeText = (v, path, atomically, encoding, error) => {
    const bytes = bytesOf(encoded(v, encoding));
    return worked(bytes === null ? "denied" : system.writeFile(text(path), bytes), text(path), error);
  };
  const writeData = (v, path, error) => worked(system.writeFile(text(path), v.text), text(path), error);

  // Formats with C's conversions and Foundation's %@.
  const formatted = (format, values) => {
    let at = 0;
    return String(format).replace(
      /%(?:%|(\d+)?\$?([-+ 0#]*)(\d*)(?:\.(\d+))?(?:l*|h*|q)([sdiufgxXcp@]))/g,
      (all, place, flags, width, digits, kind) => {
        if (all === "%%") return "%";
        const value = values[at++],
          inner = unwrap(value);
        let shown = kind === "@" ? (isWrapped(value) ? describe(value) : String(inner)) : String(inner);
        if (kind === "f") shown = Number(inner).toFixed(digits ?? 6);
        else if ("diu".includes(kind)) shown = String(Math.trunc(Number(inner)));
        else if ("xX".includes(kind))
          shown = kind === "x" ? Number(inner).toString(16) : Number(inner).toString(16).toUpperCase();
        else if (kind === "c") shown = typeof inner === "number" ? String.fromCharCode(inner) : shown;
        const wide = Number((place && !all.includes("$") ? place : "") + width);
        if (flags.includes("-")) return shown.padEnd(wide);
        return shown.padStart(wide, flags.includes("0") || /^%0/.test(all) ? "0" : " ");
      },
    );
  };

  const trimmed = (v, set) => {
    const chars = set?.[VALUE];
    let from = 0,
      to = v.length;
    while (from < to && chars(v[from])) from++;
    while (to > from && chars(v[to - 1])) to--;
    return string(v.slice(from, to));
  };
  const range = (location, length) => ({ location, length });
  const NOT_FOUND = 2 ** 63; // NSNotFound, as JavaScript rounds it to a double
  const found = (at, length) => (at < 0 ? range(NOT_FOUND, 0) : range(at, length));
  const ordered = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  const joined = (v, more) =>
    `${v.replace(/\/+$/, v === "/" ? "/" : "")}${v === "/" ? "" : "/"}${more}`.replace(/\/$/, "");
  const standard = (v) =>
    v
      .replace(/^~(?=\/|$)/, system.home())
      .replace(/\/{2,}/g, "/")
      .replace(/(.)\/$/, "$1");

  kind("nil", { get: { js: () => undefined }, call: { isNil: () => true } });
  kind("NSError", {
    get: {
      localizedDescription: (v) => string(v.description),
      code: (v) => v.code,
      domain: () => string("NSCocoaErrorDomain"),
      userInfo: () => wrap({}),
      description: (v) => string(`Error Domain=NSCocoaErrorDomain Code=${v.code} "${v.description}"`),
      localizedFailureReason: () => nil(),
    },
  });
  kind("NSNull", {});
  kind("NSNumber", {
    get: {
      intValue: (v) => Math.trunc(v),
      integerValue: (v) => Math.trunc(v),
      longValue: (v) => Math.trunc(v),
      longLongValue: (v) => Math.trunc(v),
      unsignedIntegerValue: (v) => Math.trunc(v),
      doubleValue: Number,
      floatValue: Number,
      boolValue: Boolean,
      stringValue: (v) => string(String(Number(v))),
    },
    call: { isEqualToNumber: (v, other) => v === number(other), compare: (v, other) => ordered(v, number(other)) },
  });
  kind("NSString", {
    get: {
      length: (v) => v.length,
      UTF8String: (v) => v,
      lowercaseString: (v) => string(v.toLowerCase()),
      uppercaseString: (v) => string(v.toUpperCase()),
      capitalizedString: (v) =>
        string(
          v
            .toLowerCase()
            .replace(/(^|[^\p{L}\p{N}'’])(\p{L})/gu, (all, before, letter) => before + letter.toUpperCase()),
        ),
      localizedLowercaseString: (v) => string(v.toLowerCase()),
      localizedUppercaseString: (v) => string(v.toUpperCase()),
      intValue: (v) => Number.parseInt(v, 10) || 0,
      integerValue: (v) => Number.parseInt(v, 10) || 0,
      longLongValue: (v) => Number.parseInt(v, 10) || 0,
      doubleValue: (v) => Number.parseFloat(v) || 0,
      floatValue: (v) => Number.parseFloat(v) || 0,
      boolValue: (v) => /^\s*[-+]?0*[YyTt1-9]/.test(v),
      lastPathComponent: (v) => string(last(v) || (v.startsWith("/") ? "/" : "")),
      pathExtension: (v) => string(/[^/]\.([^./]+)\/*$/.exec(v)?.[1] ?? ""),
      pathComponents: (v) => wrap([...(v.startsWith("/") ? ["/"] : []), ...v.split("/").filter(Boolean)]),
      isAbsolutePath: (v) => v.startsWith("/") || v.startsWith("~"),
      stringByDeletingLastPathComponent: (v) => string(v.replace(/\/*[^/]*\/*$/, "") || (v.startsWith("/") ? "/" : "")),
      stringByDeletingPathExtension: (v) => string(v.replace(/([^/])\.[^./]+\/*$/, "$1")),
      stringByExpandingTildeInPath: (v) => string(v.replace(/^~(?=\/|$)/, system.home())),
      stringByAbbreviatingWithTildeInPath: (v) =>
        string(v === system.home() || v.startsWith(`${system.home()}/`) ? `~${v.slice(system.home().length)}` : v),
      stringByStandardizingPath: (v) => string(standard(v)),
      stringByResolvingSymlinksInPath: (v) => string(standard(v)),
      stringByRemovingPercentEncoding: (v) => {
        try {
          return string(decodeURIComponent(v));
        } catch {
          return nil();
        }
      },
      precomposedStringWithCanonicalMapping: (v) => string(v.normalize("NFC")),
      decomposedStringWithCanonicalMapping: (v) => string(v.normalize("NFD")),
      localizedCapitalizedString: (v, self) => self.capitalizedString,
    },
    call: {
      dataUsingEncoding: encoded,
      dataUsingEncodingAllowLossyConversion: encoded,
      lengthOfBytesUsingEncoding: (v, encoding) => bytesOf(encoded(v, encoding))?.length ?? 0,
      cStringUsingEncoding: (v) => v,
      characterAtIndex: (v, at) => v.charCodeAt(at),
      isEqualToString: (v, other) => v === text(other),
      compare: (v, other) => ordered(v, text(other)),
      caseInsensitiveCompare: (v, other) => ordered(v.toLowerCase(), text(other).toLowerCase()),
      localizedStandardCompare: (v, other) => ordered(v.toLowerCase(), text(other).toLowerCase()),
      localizedCaseInsensitiveCompare: (v, other) => ordered(v.toLowerCase(), text(other).toLowerCase()),
      hasPrefix: (v, other) => v.startsWith(text(other)),
      hasSuffix: (v, other) => v.endsWith(text(other)),
      containsString: (v, other) => v.includes(text(other)),
      localizedCaseInsensitiveContainsString: (v, other) => v.toLowerCase().includes(text(other).toLowerCase()),
      localizedStandardContainsString: (v, other) => v.toLowerCase().includes(text(other).toLowerCase()),
      rangeOfString: (v, other) => found(v.indexOf(text(other)), text(other).length),
      substringFromIndex: (v, at) => string(v.slice(at)),
      substringToIndex: (v, at) => string(v.slice(0, at)),
      substringWithRange: (v, { location, length }) => string(v.slice(location, location + length)),
      componentsSeparatedByString: (v, by) => wrap(v.split(text(by))),
      componentsSeparatedByCharactersInSet(v, set) {
        const parts = [""];
        for (const c of v)
          if (set[VALUE](c)) parts.push("");
          else parts[parts.length - 1] += c;
        return wrap(parts);
      },
      stringByTrimmingCharactersInSet: trimmed,
      stringByAppendingString: (v, other) => string(v + text(other)),
      stringByAppendingFormat: (v, format, ...values) => string(v + formatted(text(format), values)),
      stringByAppendingPathComponent: (v, other) => string(v === "" ? text(other) : joined(v, text(other))),
      stringByAppendingPathExtension: (v, other) => string(`${v}.${text(other)}`),
      stringByReplacingOccurrencesOfStringWithString: (v, from, to) => string(v.split(text(from)).join(text(to))),
      stringByReplacingOccurrencesOfStringWithStringOptionsRange: (v, from, to, options) =>
        string(options & 1024 ? v.replace(new RegExp(text(from), "g"), text(to)) : v.split(text(from)).join(text(to))),
      stringByReplacingCharactersInRangeWithString: (v, { location, length }, to) =>
        string(v.slice(0, location) + text(to) + v.slice(location + length)),
      stringByPaddingToLengthWithStringStartingAtIndex: (v, length, pad) =>
        string(v.padEnd(length, text(pad)).slice(0, length)),
      stringByAddingPercentEncodingWithAllowedCharacters: (v, set) =>
        string(
          [...v]
            .map((c) =>
              c < "\x80" && set[VALUE](c)
                ? c
                : encodeURIComponent(c).replace(/[!'()*~\-._A-Za-z0-9]/, (plain) =>
                    encodeURIComponent(c).length > 1 ? plain : `%${plain.charCodeAt(0).toString(16).toUpperCase()}`,
                  ),
            )
            .join(""),
        ),
      writeToFileAtomicallyEncodingError: writeText,
      writeToURLAtomicallyEncodingError: writeText,
      writeToFileAtomically: (v, path) => writeText(v, path, true, 4, null),
    },
  });
  kind("NSData", {
    get: { length: (v) => v.text.length },
    call: {
      base64EncodedStringWithOptions: (v) => string(system.base64(v.text)),
      isEqualToData: (v, other) => v.text === bytesOf(other),
      subdataWithRange: (v, { location, length }) => data(v.text.slice(location, location + length)),
      writeToFileAtomically: (v, path) => writeData(v, path, null),
      writeToURLAtomically: (v, url) => writeData(v, url, null),
      writeToFileOptionsError: (v, path, options, error) => writeData(v, path, error),
    },
  });
  const values = (v) => v.map((item) => deepUnwrap(item));
  const indexOf = (v, other) => v.findIndex((item) => same(item, wrap(other)));
  kind("NSArray", {
    get: {
      count: (v) => v.length,
      firstObject: (v) => v[0] ?? nil(),
      lastObject: (v) => v.at(-1) ?? nil(),
      reverseObjectEnumerator: (v) => object("NSEnumerator", [...v].reverse()),
      objectEnumerator: (v) => object("NSEnumerator", [...v]),
    },
    call: {
      objectAtIndex: (v, at) => {
        if (at in v) return v[at];
        throw new Error(`index ${at} beyond bounds [0 .. ${v.length - 1}]`);
      },
      objectAtIndexedSubscript: (v, at) => v[at] ?? nil(),
      containsObject: (v, other) => indexOf(v, other) >= 0,
      indexOfObject: (v, other) => {
        const at = indexOf(v, other);
        return at < 0 ? NOT_FOUND : at;
      },
      componentsJoinedByString: (v, by) => string(values(v).join(text(by))),
      arrayByAddingObject: (v, more) => object("NSArray", [...v, wrap(more)]),
      arrayByAddingObjectsFromArray: (v, more) => object("NSArray", [...v, ...wrap(more)[VALUE]]),
      subarrayWithRange: (v, { location, length }) => object("NSArray", v.slice(location, location + length)),
      sortedArrayUsingSelector: (v, selector) =>
        object(
          "NSArray",
          [...v].sort((a, b) => a[selectorName(text(selector))](b)),
        ),
      sortedArrayUsingDescriptors: (v, descriptors) =>
        object(
          "NSArray",
          [...v].sort((a, b) => wrap(descriptors)[VALUE].reduce((order, by) => order || by[VALUE](a, b), 0)),
        ),
      filteredArrayUsingPredicate: (v, predicate) =>
        object(
          "NSArray",
          v.filter((item) => predicate[VALUE](item)),
        ),
      valueForKey: (v, key) =>
        object(
          "NSArray",
          v.map((item) => item.valueForKey(key)),
        ),
      writeToFileAtomically: (v, path) =>
        worked(system.writeFile(text(path), system.encode(plist(object("NSArray", v)))), text(path), null),
    },
  });
  kind("NSEnumerator", {
    get: { nextObject: (v) => v.shift() ?? nil(), allObjects: (v) => object("NSArray", v.splice(0)) },
  });
  kind("NSDictionary", {
    get: {
      count: (v) => v.size,
      allKeys: (v) => wrap([...v.keys()]),
      allValues: (v) => object("NSArray", [...v.values()]),
      keyEnumerator: (v) => object("NSEnumerator", [...v.keys()].map(wrap)),
      objectEnumerator: (v) => object("NSEnumerator", [...v.values()]),
    },
    call: {
      objectForKey: (v, key) => v.get(String(unwrap(key))) ?? nil(),
      objectForKeyedSubscript: (v, key) => v.get(String(unwrap(key))) ?? nil(),
      valueForKey: (v, key) => v.get(String(unwrap(key))) ?? nil(),
      valueForKeyPath(v, path) {
        return text(path)
          .split(".")
          .reduce((inner, key) => inner.valueForKey(key), this);
      },
      writeToFileAtomically: (v, path) =>
        worked(system.writeFile(text(path), system.encode(plist(object("NSDictionary", v)))), text(path), null),
    },
  });
  kind("NSSet", {
    get: { count: (v) => v.length, allObjects: (v) => object("NSArray", [...v]), anyObject: (v) => v[0] ?? nil() },
    call: { containsObject: (v, other) => indexOf(v, other) >= 0 },
  });
  kind("NSDate", {
    get: {
      timeIntervalSince1970: (v) => v.getTime() / 1000,
      timeIntervalSinceNow: (v) => (v.getTime() - Date.now()) / 1000,
      timeIntervalSinceReferenceDate: (v) => v.getTime() / 1000 - 978307200,
      description: (v) => string(`${v.toISOString().slice(0, 19).replace("T", " ")} +0000`),
    },
    call: {
      dateByAddingTimeInterval: (v, seconds) => wrap(new Date(v.getTime() + seconds * 1000)),
      timeIntervalSinceDate: (v, other) => (v - time(other)) / 1000,
      compare: (v, other) => ordered(v.getTime(), time(other).getTime()),
      isEqualToDate: (v, other) => v.getTime() === time(other).getTime(),
      earlierDate: (v, other) => wrap(new Date(Math.min(v, time(other)))),
      laterDate: (v, other) => wrap(new Date(Math.max(v, time(other)))),
    },
  });
  const pathOf = (parts) =>
    values(wrap(parts)[VALUE])
      .join("/")
      .replace(/\/{2,}/g, "/");
  const fileUrl = (path) => object("NSURL", { path: standard(path), text: `file://${encodeURI(standard(path))}` });
  kind("NSURL", {
    get: {
      path: (v) => (v.path === undefined ? nil() : string(v.path)),
      absoluteString: (v) => string(v.text),
      isFileURL: (v) => v.text.startsWith("file:"),
      scheme: (v) => wrap(/^([\w+.-]+):/.exec(v.text)?.[1]),
      host: (v) => wrap(/^[\w+.-]+:\/\/(?:[^/@]*@)?([^/:?#]+)/.exec(v.text)?.[1]),
      query: (v) => wrap(/\?([^#]*)/.exec(v.text)?.[1]),
      fragment: (v) => wrap(/#(.*)$/.exec(v.text)?.[1]),
      lastPathComponent: (v) => string(last(v.path ?? "")),
      pathComponents: (v) => (v.path === undefined ? nil() : string(v.path).pathComponents),
      pathExtension: (v) => string(v.path ?? "").pathExtension,
      URLByDeletingLastPathComponent: (v) => fileUrl((v.path ?? "/").replace(/\/[^/]*$/, "") || "/"),
      URLByDeletingPathExtension: (v) => fileUrl(v.path.replace(/\.[^./]+$/, "")),
      URLByStandardizingPath: (v) => fileUrl(v.path),
      fileSystemRepresentation: (v) => v.path,
    },
    call: {
      URLByAppendingPathComponent: (v, part) => fileUrl(joined(v.path ?? "/", text(part))),
      URLByAppendingPathExtension: (v, part) => fileUrl(`${v.path}.${text(part)}`),
      isEqual: (v, other) => v.text === other?.[VALUE]?.text,
    },
  });
  const url = (value) => {
    if (/[\s<>"]/.test(value) || value === "") return nil();
    const path = value.startsWith("file://")
      ? decodeURI(value.slice(7))
      : /^[\w+.-]+:\/\/[^/?#]*([^?#]*)/.exec(value)?.[1];
    return object("NSURL", { path: path ?? (/^[\w+.-]+:/.test(value) ? undefined : value), text: value });
  };
  kind("NSUUID", { get: { UUIDString: string } });
  kind("NSFileHandle", {
    get: {
      availableData: (h) => data(h.fd === 0 ? system.available() : rest(h)),
      readDataToEndOfFile: (h) => data(h.fd === 0 ? system.readAll() : rest(h)),
      fileDescriptor: (h) => h.fd ?? 3,
      offsetInFile: (h) => h.at ?? 0,
      waitForDataInBackgroundAndNotify: (h, self) => {
        part("running").expect(self);
      },
      closeFile: () => undefined,
      synchronizeFile: () => undefined,
      seekToEndOfFile: (h) => (h.at = (system.readFile(h.path) ?? "").length),
    },
    call: {
      readDataOfLength: (h, length) => data(h.fd === 0 ? system.read(length) : rest(h, length)),
      seekToFileOffset: (h, at) => {
        h.at = at;
      },
      truncateFileAtOffset: (h, at) => {
        h.at = at;
        system.writeFile(h.path, (system.readFile(h.path) ?? "").slice(0, at));
      },
      writeData: (h, what) => {
        const bytes = bytesOf(what);
        if (bytes === null) throw new TypeError("writeData: expected an NSData");
        if (h.path === undefined) return system.write(h.fd, bytes);
        const old = system.readFile(h.path) ?? "";
        if (system.writeFile(h.path, old.slice(0, h.at) + bytes + old.slice(h.at + bytes.length)))
          throw new Error(`cannot write to ${h.path}`);
        h.at += bytes.length;
      },
    },
  });
  // Returns the rest of a file, or the next `length` bytes.
  function rest(handle, length) {
    if (handle.path === undefined) return handle.text === undefined ? "" : handle.text.splice(0).join("");
    const bytes = (system.readFile(handle.path) ?? "").slice(
      handle.at,
      length === undefined ? undefined : handle.at + length,
    );
    handle.at += bytes.length;
    return bytes;
  }
  kind("NSProcessInfo", {
    get: {
      arguments: () => wrap(system.arguments()),
      environment: () => wrap(system.environment()),
      processIdentifier: () => system.pid(),
      processName: () => string("osascript"),
      operatingSystemVersionString: () => string("Version 26.5 (Build 25F71)"),
      operatingSystemVersion: () => ({ majorVersion: 26, minorVersion: 5, patchVersion: 0 }),
      hostName: () => string("simulated-mac.local"),
      userName: () => string(last(system.home())),
      fullUserName: () => string(system.user()),
      globallyUniqueString: () => string(system.uuid()),
      systemUptime: () => system.uptime(),
      processorCount: () => 8,
      activeProcessorCount: () => 8,
      physicalMemory: () => 17179869184,
    },
    call: {
      isOperatingSystemAtLeastVersion: (v, { majorVersion = 0, minorVersion = 0 }) =>
        majorVersion < 26 || (majorVersion === 26 && minorVersion <= 5),
    },
  });

  // Writes property lists as XML, the form in which scripts store settings.
  function plist(value) {
    const escape = (part) => part.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
    const write = (item) => {
      const inner = item[VALUE];
      if (typeof inner === "string") return `<string>${escape(inner)}</string>`;
      if (typeof inner === "boolean") return `<${inner}/>`;
      if (typeof inner === "number")
        return Number.isInteger(inner) ? `<integer>${inner}</integer>` : `<real>${inner}</real>`;
      if (inner instanceof Date) return `<date>${inner.toISOString().slice(0, 19)}Z</date>`;
      if (inner instanceof Bytes) return `<data>${system.base64(inner.text)}</data>`;
      if (Array.isArray(inner)) return `<array>${inner.map(write).join("")}</array>`;
      return `<dict>${[...inner].map(([key, each]) => `<key>${escape(key)}</key>${write(each)}`).join("")}</dict>`;
    };
    return `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n<plist version="1.0">\n${write(value)}\n</plist>\n`;
  }
  const readPlist = (path) => {
    const read = system.plist(text(path));
    return read == null ? nil() : wrap(JSON.parse(read));
  };
  // Reads a property list of one kind from a file. The out-parameter says why there is none.
  const listOf = (name) => (path, error) => {
    const read = readPlist(path);
    if (isA(read, name)) return read;
    if (system.kind(text(path)) === 0) worked("gone", text(path), error);
    else failed(error, "The data couldn’t be read because it isn’t in the correct format.", 3840);
    return nil();
  };

  // Classes: what the class itself answers, and how `alloc` can be initialised.
  function lazily(target, properties) {
    for (const [key, get] of Object.entries(properties))
      Object.defineProperty(target, key, { get, configurable: true, enumerable: true });
    return target;
  }
  const classes = {};
  // `make` is called on the class, `get` is read from it, `init` is called on `alloc`.
  // `blank` is the result of `alloc.init`.
  function classOf(name, { make = {}, get: { blank = () => object(name, {}), ...get } = {}, init = {} } = {}) {
    const made = lazily(
      { ...make },
      {
        ...get,
        alloc: () => lazily({ ...init }, { init: blank }),
        new: blank,
        className: () => string(name),
        class: () => made,
        self: () => made,
        description: () => string(name),
      },
    );
    define(made, NAME, { value: name });
    define(made, "toString", { value: () => `[class ${name}]` });
    classes[name] = made;
  }
  const ofString = (name) => {
    const made = (value) => object(name, value);
    const read = (...args) => {
      const found = fileText(...args);
      return found.isNil() ? found : made(found[VALUE]);
    };
    classOf(name, {
      make: {
        stringWithString: (value) => made(text(value)),
        stringWithUTF8String: (value) => made(text(value)),
        stringWithFormat: (format, ...more) => made(formatted(text(format), more)),
        localizedStringWithFormat: (format, ...more) => made(formatted(text(format), more)),
        stringWithContentsOfFileEncodingError: read,
        stringWithContentsOfURLEncodingError: read,
        stringWithContentsOfFileUsedEncodingError: (path, used, error) => read(path, 4, error),
        stringWithContentsOfFile: (path) => read(path, 4, null),
        pathWithComponents: (parts) => made(pathOf(parts)),
        stringWithCStringEncoding: (value) => made(text(value)),
      },
      get: { string: () => made(""), blank: () => made("") },
      init: {
        initWithDataEncoding: (from, encoding) => {
          const found = bytesOf(from) === null ? nil() : decoded(bytesOf(from), encoding);
          return found.isNil() ? found : made(found[VALUE]);
        },
        initWithUTF8String: (value) => made(text(value)),
        initWithString: (value) => made(text(value)),
        initWithFormat: (format, ...more) => made(formatted(text(format), more)),
        initWithContentsOfFileEncodingError: read,
        initWithContentsOfURLEncodingError: read,
        initWithContentsOfFileUsedEncodingError: (path, used, error) => read(path, 4, error),
        initWithCStringEncoding: (value) => made(text(value)),
        initWithBytesLengthEncoding: (value) => made(text(value)),
      },
    });
  };
  const ofData = (name) => {
    const made = (bytes) => (bytes == null ? nil() : object(name, new Bytes(bytes)));
    // A character outside the alphabet, such as a line break, is an error unless the option ignores it.
    const base64 = (value, options) => {
      const from = typeof value === "string" || isA(value, "NSString") ? text(value) : (bytesOf(value) ?? "");
      const unknown = /[^A-Za-z0-9+/=]/g;
      return made(options & 1 || !unknown.test(from) ? system.unbase64(from.replace(unknown, "")) : null);
    };
    classOf(name, {
      make: {
        dataWithContentsOfFile: (path) => made(system.readFile(text(path))),
        dataWithContentsOfURL: (path) => made(system.readFile(text(path))),
        dataWithData: (other) => made(bytesOf(other)),
        dataWithLength: (length) => made("\0".repeat(length)),
        dataWithContentsOfFileOptionsError: (path, options, error) => {
          const bytes = system.readFile(text(path));
          if (bytes == null) worked("gone", text(path), error);
          return made(bytes);
        },
      },
      get: { data: () => made(""), blank: () => made("") },
      init: {
        initWithBase64EncodedStringOptions: base64,
        initWithBase64EncodedDataOptions: base64,
        initWithContentsOfFile: (path) => made(system.readFile(text(path))),
        initWithData: (other) => made(bytesOf(other)),
      },
    });
  };
  const ofArray = (name) => {
    const made = (items) => object(name, items);
    const from = (other) => made([...wrap(other)[VALUE]]);
    classOf(name, {
      make: {
        arrayWithArray: from,
        arrayWithObject: (one) => made([wrap(one)]),
        arrayWithObjects: (...all) => made(all.filter((each) => each != null && !each?.isNil?.()).map(wrap)),
        arrayWithCapacity: () => made([]),
        arrayWithContentsOfFile: readPlist,
        arrayWithContentsOfURLError: listOf("NSArray"),
      },
      get: { array: () => made([]), blank: () => made([]) },
      init: {
        initWithArray: from,
        initWithCapacity: () => made([]),
        initWithContentsOfFile: readPlist,
        initWithContentsOfURLError: listOf("NSArray"),
        initWithObjects: (...all) => made(all.filter((each) => each != null && !each?.isNil?.()).map(wrap)),
      },
    });
  };
  const ofDictionary = (name) => {
    const made = (map) => object(name, map);
    const from = (other) => made(new Map(wrap(other)[VALUE]));
    const pairs = (all, keys) =>
      made(new Map(values(wrap(keys)[VALUE]).map((key, at) => [String(key), wrap(all)[VALUE][at]])));
    classOf(name, {
      make: {
        dictionaryWithDictionary: from,
        dictionaryWithObjectForKey: (value, key) => made(new Map([[String(unwrap(key)), wrap(value)]])),
        dictionaryWithObjectsForKeys: pairs,
        dictionaryWithContentsOfFile: readPlist,
        dictionaryWithContentsOfURL: readPlist,
        dictionaryWithContentsOfURLError: listOf("NSDictionary"),
        dictionaryWithCapacity: () => made(new Map()),
      },
      get: { dictionary: () => made(new Map()), blank: () => made(new Map()) },
      init: {
        initWithDictionary: from,
        initWithContentsOfFile: readPlist,
        initWithContentsOfURLError: listOf("NSDictionary"),
        initWithObjectsForKeys: pairs,
        initWithCapacity: () => made(new Map()),
      },
    });
  };
  classOf("NSObject");
  ofString("NSString");
  ofData("NSData");
  ofArray("NSArray");
  ofDictionary("NSDictionary");
  classOf("NSNull", { get: { null: () => object("NSNull", NIL), blank: () => object("NSNull", NIL) } });
  const numbers = Object.fromEntries(
    ["Int", "Integer", "Double", "Float", "Long", "LongLong", "UnsignedInteger"].map((each) => [
      `numberWith${each}`,
      (value) => wrap(number(value)),
    ]),
  );
  classOf("NSNumber", {
    make: { ...numbers, numberWithBool: (value) => wrap(Boolean(unwrap(value))) },
    init: { initWithInt: wrap, initWithDouble: wrap, initWithBool: (value) => wrap(Boolean(value)) },
  });
  const sets = (items) =>
    object(
      "NSSet",
      [...wrap(items)[VALUE]].filter((item, at, all) => indexOf(all, item) === at),
    );
  classOf("NSSet", {
    make: {
      setWithArray: sets,
      setWithObject: (one) => sets([one]),
      setWithObjects: (...all) => sets(all.filter((each) => each != null)),
    },
    get: { set: () => sets([]), blank: () => sets([]) },
    init: { initWithArray: sets },
  });
  classOf("NSDate", {
    make: {
      dateWithTimeIntervalSince1970: (seconds) => wrap(new Date(seconds * 1000)),
      dateWithTimeIntervalSinceNow: (seconds) => wrap(new Date(Date.now() + seconds * 1000)),
      dateWithTimeIntervalSinceReferenceDate: (seconds) => wrap(new Date((seconds + 978307200) * 1000)),
      dateWithTimeIntervalSinceDate: (seconds, other) => wrap(new Date(time(other).getTime() + seconds * 1000)),
    },
    get: {
      date: () => wrap(new Date()),
      now: () => wrap(new Date()),
      blank: () => wrap(new Date()),
      distantFuture: () => wrap(new Date(Date.UTC(4001, 0, 1))),
      distantPast: () => wrap(new Date(-62135769600000)),
      timeIntervalSinceReferenceDate: () => Date.now() / 1000 - 978307200,
    },
    init: {
      initWithTimeIntervalSince1970: (seconds) => wrap(new Date(seconds * 1000)),
      initWithTimeIntervalSinceNow: (seconds) => wrap(new Date(Date.now() + seconds * 1000)),
    },
  });
  classOf("NSURL", {
    make: {
      fileURLWithPath: (path) => fileUrl(text(path)),
      fileURLWithPathIsDirectory: (path) => fileUrl(text(path)),
      fileURLWithPathComponents: (parts) => fileUrl(pathOf(parts)),
      URLWithString: (value) => url(text(value)),
    },
    init: { initFileURLWithPath: (path) => fileUrl(text(path)), initWithString: (value) => url(text(value)) },
  });
  classOf("NSUUID", {
    get: { UUID: () => object("NSUUID", system.uuid()), blank: () => object("NSUUID", system.uuid()) },
    init: { initWithUUIDString: (value) => object("NSUUID", text(value)) },
  });
  const standardStream = (fd) => () => object("NSFileHandle", { fd });
  const fileAt = (path, at, must) =>
    must && system.kind(text(path)) !== 1 ? nil() : object("NSFileHandle", { path: text(path), at });
  classOf("NSFileHandle", {
    make: {
      fileHandleForReadingAtPath: (path) => fileAt(path, 0, true),
      fileHandleForWritingAtPath: (path) => fileAt(path, 0, true),
      fileHandleForUpdatingAtPath: (path) => fileAt(path, 0, true),
    },
    get: {
      fileHandleWithStandardInput: standardStream(0),
      fileHandleWithStandardOutput: standardStream(1),
      fileHandleWithStandardError: standardStream(2),
      fileHandleWithNullDevice: () => object("NSFileHandle", { text: [] }),
    },
  });
  classOf("NSProcessInfo", { get: { processInfo: () => object("NSProcessInfo", 0) } });

  const constants = {
    NSASCIIStringEncoding: 1,
    NSUTF8StringEncoding: 4,
    NSISOLatin1StringEncoding: 5,
    NSDataBase64DecodingIgnoreUnknownCharacters: 1,
    NSNotFound: NOT_FOUND,
    YES: true,
    NO: false,
    NSZeroPoint: { x: 0, y: 0 },
    NSZeroSize: { width: 0, height: 0 },
    NSKeyValueObservingOptionNew: 1,
    NSKeyValueObservingOptionOld: 2,
    NSKeyValueObservingOptionInitial: 4,
    NSZeroRect: { origin: { x: 0, y: 0 }, size: { width: 0, height: 0 } },
    NSFileNoSuchFileError: 4,
    NSFileReadUnknownError: 256,
    NSFileReadNoPermissionError: 257,
    NSFileReadNoSuchFileError: 260,
    NSFileWriteUnknownError: 512,
    NSFileWriteNoPermissionError: 513,
    NSFileWriteFileExistsError: 516,
    NSOrderedAscending: -1,
    NSOrderedSame: 0,
    NSOrderedDescending: 1,
    NSCaseInsensitiveSearch: 1,
    NSLiteralSearch: 2,
    NSBackwardsSearch: 4,
    NSRegularExpressionSearch: 1024,
    NSUserDomainMask: 1,
    NSLocalDomainMask: 2,
    NSSystemDomainMask: 8,
    NSAllDomainsMask: 65535,
    NSDefaultRunLoopMode: "kCFRunLoopDefaultMode",
    NSRunLoopCommonModes: "kCFRunLoopCommonModes",
    NSFileHandleDataAvailableNotification: "NSFileHandleDataAvailableNotification",
    NSDateFormatterNoStyle: 0,
    NSDateFormatterShortStyle: 1,
    NSDateFormatterMediumStyle: 2,
    NSDateFormatterLongStyle: 3,
    NSDateFormatterFullStyle: 4,
    NSCalendarUnitYear: 4,
    NSCalendarUnitMonth: 8,
    NSCalendarUnitDay: 16,
    NSCalendarUnitHour: 32,
    NSCalendarUnitMinute: 64,
    NSCalendarUnitSecond: 128,
    NSCalendarUnitWeekday: 512,
    NSCalendarIdentifierGregorian: "gregorian",
    NSNumberFormatterDecimalStyle: 1,
    NSNumberFormatterCurrencyStyle: 2,
    NSApplicationDirectory: 1,
    NSLibraryDirectory: 5,
    NSDocumentDirectory: 9,
    NSDesktopDirectory: 12,
    NSCachesDirectory: 13,
    NSApplicationSupportDirectory: 14,
    NSDownloadsDirectory: 15,
    NSMoviesDirectory: 17,
    NSMusicDirectory: 18,
    NSPicturesDirectory: 19,
    NSTrashDirectory: 102,
    NSFileSize: "NSFileSize",
    NSFileType: "NSFileType",
    NSFileTypeDirectory: "NSFileTypeDirectory",
    NSFileTypeRegular: "NSFileTypeRegular",
    NSFileModificationDate: "NSFileModificationDate",
    NSFileCreationDate: "NSFileCreationDate",
    NSFilePosixPermissions: "NSFilePosixPermissions",
    NSDirectoryEnumerationSkipsHiddenFiles: 4,
    NSJSONReadingMutableContainers: 1,
    NSJSONReadingMutableLeaves: 2,
    NSJSONReadingFragmentsAllowed: 4,
    NSJSONWritingPrettyPrinted: 1,
    NSJSONWritingSortedKeys: 2,
    NSJSONWritingFragmentsAllowed: 4,
    NSJSONWritingWithoutEscapingSlashes: 8,
    NSRegularExpressionCaseInsensitive: 1,
    NSRegularExpressionDotMatchesLineSeparators: 8,
    NSRegularExpressionAnchorsMatchLines: 16,
    NSAnchoredSearch: 8,
    NSNumericSearch: 64,
    NSDiacriticInsensitiveSearch: 128,
    NSPropertyListXMLFormat_v1_0: 100,
    NSPropertyListBinaryFormat_v1_0: 200,
    NSUnicodeStringEncoding: 10,
    NSUTF16StringEncoding: 10,
    NSMacOSRomanStringEncoding: 30,
    NSWindowsCP1252StringEncoding: 12,
    NSURLNameKey: "NSURLNameKey",
    NSURLIsDirectoryKey: "NSURLIsDirectoryKey",
    NSURLFileSizeKey: "NSURLFileSizeKey",
    NSURLContentModificationDateKey: "NSURLContentModificationDateKey",
    NSURLCreationDateKey: "NSURLCreationDateKey",
    NSURLIsHiddenKey: "NSURLIsHiddenKey",
    NSLog: (format, ...more) => system.log(formatted(text(format), more)),
    NSHomeDirectory: () => string(system.home()),
    NSHomeDirectoryForUser: () => string(system.home()),
    NSUserName: () => string(last(system.home())),
    NSFullUserName: () => string(system.user()),
    NSTemporaryDirectory: () => string("/tmp/"),
    NSMakeRange: range,
    NSMakePoint: (x, y) => ({ x, y }),
    NSMakeSize: (width, height) => ({ width, height }),
    NSMakeRect: (x, y, width, height) => ({ origin: { x, y }, size: { width, height } }),
    NSClassFromString: (name) => $[text(name)] ?? nil(),
    NSStringFromClass: (of) => string(of?.[NAME] ?? ""),
    NSSelectorFromString: (name) => text(name),
  };
  const out = (line) => {
    system.write(1, system.encode(line) ?? "");
    return line.length;
  };
  const changed = new Map();
  const libraries = {
    stdlib: {
      exit: (status) => system.exit(status),
      getenv: (name) => changed.get(String(name)) ?? system.getenv(String(name)),
      system: (command) => {
        const done = system.spawn(String(command));
        if (!done) return -1;
        out(done.out);
        return done.status * 256;
      },
      setenv: (name, value) => {
        changed.set(String(name), String(value));
        return 0;
      },
      rand: () => Math.floor(Math.random() * 2147483647),
      arc4random: () => Math.floor(Math.random() * 4294967296),
      arc4random_uniform: (below) => Math.floor(Math.random() * below),
      atoi: (value) => Number.parseInt(value, 10) || 0,
      abs: Math.abs,
    },
    unistd: {
      getpid: () => system.pid(),
      getppid: () => 1,
      getuid: () => 501,
      sleep: (seconds) => {
        system.sleep(seconds);
        return 0;
      },
      usleep: (micros) => {
        system.sleep(micros / 1e6);
        return 0;
      },
    },
    stdio: {
      printf: (format, ...more) => out(formatted(format, more)),
      puts: (line) => out(`${line}\n`),
      putchar: (code) => out(String.fromCharCode(code)),
      fflush: () => 0,
    },
    math: Object.fromEntries(
      ["floor", "ceil", "sqrt", "pow", "sin", "cos", "tan", "exp", "log", "log10", "log2", "round", "trunc"].map(
        (name) => [name, Math[name]],
      ),
    ),
    ApplicationServices: { AXIsProcessTrusted: () => system.accessibility() },
    time: { time: () => Math.floor(Date.now() / 1000) },
  };
  const frameworks = [
    "Foundation",
    "AppKit",
    "Cocoa",
    "stdlib",
    "stdio",
    "unistd",
    "CoreFoundation",
    "CoreGraphics",
    "ApplicationServices",
    "Carbon",
    "CoreServices",
    "Quartz",
    "QuartzCore",
    "OSAKit",
    "EventKit",
    "Contacts",
    "AddressBook",
    "IOKit",
    "ScriptingBridge",
    "WebKit",
    "Vision",
    "PDFKit",
    "AVFoundation",
    "UniformTypeIdentifiers",
    "JavaScriptCore",
    "sys/types",
    "sys/stat",
    "string",
    "math",
    "time",
    "errno",
    "signal",
    "dispatch",
    "Security",
    "CoreImage",
    "CoreLocation",
    "UserNotifications",
    "SystemConfiguration",
    "objc/runtime",
    "sqlite3",
    "libc",
    // Headers of system libraries that Apple's release notes name, in addition to those above.
    ..."arpa/inet asl copyfile dyld getopt glob grp ifaddrs launch membership netdb netinet/in notify objc paths pwd".split(
      " ",
    ),
    ..."readline removefile spawn sys/fcntl sys/file sys/ioctl sys/mount sys/param sys/resource sys/socket".split(" "),
    ..."sys/sysctl sys/time sys/times sys/wait sys/xattr syslog uuid/uuid vImage vecLib vmnet xpc zlib".split(" "),
  ];

  // Foundation is always there. Other frameworks must be imported.
  const $ = function (value) {
    return wrap(value);
  };
  // Reading one of the system's names that is not simulated throws, because a Mac may well have it.
  const OF_THE_SYSTEM = /^k?[A-Z]{2,}[A-Za-z0-9_]*[a-z]/;
  const absent = {
    get(target, key, receiver) {
      if (typeof key === "string" && OF_THE_SYSTEM.test(key)) throw new Error(`$.${key} is not simulated`);
      return Reflect.get(target, key, receiver);
    },
  };
  Object.setPrototypeOf($, new Proxy(Function.prototype, absent));
  for (const [key, value] of Object.entries(constants)) define($, key, { value, writable: true, enumerable: true });
  for (const key of Object.keys(classes)) define($, key, { value: classes[key], writable: true });
  const tools = {
    system,
    VALUE,
    kind,
    object,
    classOf,
    classes,
    define,
    nil,
    string,
    data,
    optional,
    bytesOf,
    wrap,
    unwrap,
    deepUnwrap,
    text,
    number,
    time,
    failed,
    worked,
    isA,
    same,
    lazily,
    fileUrl,
    plist,
    readPlist,
    ofString,
    ofData,
    ofArray,
    ofDictionary,
    range,
    NOT_FOUND,
    prototypes,
    last,
    folderOf,
    standard,
    decoded,
    encoded,
    selectorName,
    Bytes,
    $,
  };
  // The parts of Foundation and AppKit, by the classes that they define.
  const parts = {
    values: [
      "NSMutableString",
      "NSMutableData",
      "NSMutableArray",
      "NSMutableDictionary",
      "NSMutableSet",
      "NSOrderedSet",
      "NSCharacterSet",
      "NSRegularExpression",
      "NSPredicate",
      "NSSortDescriptor",
      "NSJSONSerialization",
      "NSPropertyListSerialization",
      "NSAttributedString",
      "NSMutableAttributedString",
      "NSURLComponents",
      "NSURLQueryItem",
      "NSIndexSet",
    ],
    dates: [
      "NSDateFormatter",
      "NSISO8601DateFormatter",
      "NSCalendar",
      "NSDateComponents",
      "NSTimeZone",
      "NSLocale",
      "NSNumberFormatter",
    ],
    files: ["NSFileManager", "NSBundle", "NSUserDefaults", "NSSearchPathForDirectoriesInDomains"],
    running: [
      "NSTask",
      "NSPipe",
      "NSRunLoop",
      "NSTimer",
      "NSNotificationCenter",
      "NSDistributedNotificationCenter",
      "NSThread",
      "NSHost",
    ],
  };
  const appKit = {
    appkit: [
      "NSWorkspace",
      "NSRunningApplication",
      "NSPasteboard",
      "NSPasteboardItem",
      "NSScreen",
      "NSSound",
      "NSApplication",
      "NSApp",
      "NSColor",
      "NSEvent",
    ],
  };
  const eventKit = { eventkit: ["EKEventStore"] };
  const loaded = {};
  function part(name) {
    if (!loaded[name]) {
      loaded[name] = system.part(name)(tools, part) ?? {};
      const names = parts[name] ?? appKit[name] ?? eventKit[name];
      for (const each of names) if (classes[each]) define($, each, { value: classes[each], writable: true });
    }
    return loaded[name];
  }
  function offer(table) {
    for (const [name, names] of Object.entries(table)) {
      for (const each of names)
        define($, each, {
          get() {
            part(name);
            return Object.getOwnPropertyDescriptor($, each).value;
          },
          set(value) {
            define($, each, { value, writable: true });
          },
        });
    }
  }
  const use = (name) => {
    for (const [each, names] of Object.entries(parts)) if (names.includes(name)) part(each);
  };
  offer(parts);

  let withAppKit = false;
  function importFramework(name) {
    if (!frameworks.includes(name)) throw new Error(`Framework not found: ${name}`);
    Object.assign($, libraries[name] ?? {});
    // AppKit re-exports ApplicationServices, so its functions are imported too.
    if (name === "AppKit" || name === "Cocoa") Object.assign($, libraries.ApplicationServices);
    if (name === "EventKit" && !classes.EKEventStore) {
      offer(eventKit);
      Object.assign($, { EKEntityTypeEvent: 0, EKEntityTypeReminder: 1 });
    }
    imported.add(name);
    if ((name === "AppKit" || name === "Cocoa") && !withAppKit) {
      withAppKit = true;
      offer(appKit);
      for (const [key, value] of Object.entries(pasteboardTypes)) $[key] = value;
    }
  }
  const pasteboardTypes = {
    NSPasteboardTypeString: "public.utf8-plain-text",
    NSStringPboardType: "NSStringPboardType",
    NSPasteboardTypeHTML: "public.html",
    NSPasteboardTypeRTF: "public.rtf",
    NSPasteboardTypePNG: "public.png",
    NSPasteboardTypeTIFF: "public.tiff",
    NSPasteboardTypeFileURL: "public.file-url",
    NSPasteboardTypeURL: "public.url",
    NSFilenamesPboardType: "NSFilenamesPboardType",
    NSPasteboardURLReadingFileURLsOnlyKey: "NSPasteboardURLReadingFileURLsOnlyKey",
    NSWorkspaceLaunchDefault: 65536,
    NSEventModifierFlagCapsLock: 1 << 16,
    NSEventModifierFlagShift: 1 << 17,
    NSEventModifierFlagControl: 1 << 18,
    NSEventModifierFlagOption: 1 << 19,
    NSEventModifierFlagCommand: 1 << 20,
    NSEventModifierFlagFunction: 1 << 23,
    NSBeep: () => undefined,
    NSApplicationActivateIgnoringOtherApps: 2,
    NSApplicationActivateAllWindows: 1,
  };

  const { Ref, copyDefinition, cast } = system.part("references")({ system, VALUE, data, text, define });
  // C functions that scripts bind by name. Others are not simulated.
  const BUNDLE_ID = Symbol("bundle id");
  kind("NSAppleEventDescriptor", { get: { aeDesc: (v) => ({ [BUNDLE_ID]: v }) } });
  classOf("NSAppleEventDescriptor", {
    make: { descriptorWithBundleIdentifier: (id) => object("NSAppleEventDescriptor", text(id)) },
  });
  define($, "NSAppleEventDescriptor", { value: classes.NSAppleEventDescriptor, writable: true });
  // The id of the process that macOS asks about, whatever program that is.
  const RESPONSIBLE = 290;
  const ofConsent = {
    AEDeterminePermissionToAutomateTarget: (target, eventClass, event, asks) =>
      system.permission(target[BUNDLE_ID], asks === true),
    responsibility_get_pid_responsible_for_pid: () => (system.responsible() == null ? -1 : RESPONSIBLE),
    proc_pidpath: (pid, buffer, size) => {
      const path = pid === RESPONSIBLE ? system.encode(system.responsible()) : "";
      if (path.length > size) return 0;
      buffer[VALUE] = new Bytes(path + buffer[VALUE].text.slice(path.length));
      return path.length;
    },
  };
  const bindable = Object.assign(
    { CFMakeCollectable: (value) => value, CFBridgingRelease: (value) => value },
    ...Object.values(libraries),
    ofConsent,
  );
  const imported = new Set();

  const ofClasses = { VALUE, $, kind, object, classOf, classes, prototypes, define, selectorName, string, text, wrap };
  const registerSubclass = system.part("subclasses")(ofClasses);
  const ObjC = {
    import: importFramework,
    wrap,
    unwrap,
    deepUnwrap,
    $,
    castRefToObject: cast,
    castObjectToRef: (value) => value,
    bindFunction(name) {
      if (Object.hasOwn($, name)) return;
      const converts =
        name === "OSACopyScriptingDefinitionFromURL" && ["OSAKit", "Carbon"].some((each) => imported.has(each));
      $[name] =
        bindable[name] ??
        (converts ? copyDefinition : undefined) ??
        (() => {
          throw new Error(`${name} is not simulated`);
        });
    },
    super: (self) => lazily({}, { init: () => self }),
    block: (types, body) => body ?? types,
    dict: (value) => wrap(value),
    registerSubclass,
  };
  return { ObjC, $, Ref };
})
