// Mutable values, character sets, patterns, predicates, JSON and property lists.
(function (tools) {
  "use strict";
  const {
    system,
    VALUE,
    kind,
    object,
    classOf,
    nil,
    string,
    data,
    bytesOf,
    wrap,
    unwrap,
    deepUnwrap,
    text,
    failed,
    ofString,
    ofData,
    ofArray,
    ofDictionary,
    range,
    NOT_FOUND,
    plist,
    Bytes,
  } = tools;
  const boxed = (self) => wrap(self)[VALUE];

  kind("NSMutableString", {
    parent: "NSString",
    call: {
      appendString(v, more) {
        this[VALUE] = v + text(more);
      },
      setString(v, value) {
        this[VALUE] = text(value);
      },
      appendFormat(v, format, ...more) {
        this[VALUE] = v + tools.$.NSString.stringWithFormat(format, ...more)[VALUE];
      },
      insertStringAtIndex(v, more, at) {
        this[VALUE] = v.slice(0, at) + text(more) + v.slice(at);
      },
      deleteCharactersInRange(v, { location, length }) {
        this[VALUE] = v.slice(0, location) + v.slice(location + length);
      },
      replaceOccurrencesOfStringWithStringOptionsRange(v, from, to) {
        const parts = v.split(text(from));
        this[VALUE] = parts.join(text(to));
        return parts.length - 1;
      },
    },
  });
  kind("NSMutableData", {
    parent: "NSData",
    get: { mutableBytes: (v, self) => self },
    call: {
      appendData(v, more) {
        this[VALUE] = new Bytes(v.text + bytesOf(more));
      },
    },
  });
  kind("NSMutableArray", {
    parent: "NSArray",
    get: {
      removeAllObjects: (v) => {
        v.length = 0;
      },
      removeLastObject: (v) => {
        v.pop();
      },
    },
    call: {
      addObject: (v, one) => {
        v.push(wrap(one));
      },
      addObjectsFromArray: (v, more) => {
        v.push(...boxed(more));
      },
      insertObjectAtIndex: (v, one, at) => {
        v.splice(at, 0, wrap(one));
      },
      removeObjectAtIndex: (v, at) => {
        v.splice(at, 1);
      },
      removeObject(v, one) {
        const at = this.indexOfObject(one);
        if (at !== NOT_FOUND) v.splice(at, 1);
      },
      replaceObjectAtIndexWithObject: (v, at, one) => {
        v[at] = wrap(one);
      },
      sortUsingSelector(v, selector) {
        this[VALUE] = this.sortedArrayUsingSelector(selector)[VALUE];
      },
      sortUsingDescriptors(v, by) {
        this[VALUE] = this.sortedArrayUsingDescriptors(by)[VALUE];
      },
    },
  });
  kind("NSMutableDictionary", {
    parent: "NSDictionary",
    get: {
      removeAllObjects: (v) => {
        v.clear();
      },
    },
    call: {
      setObjectForKey: (v, value, key) => {
        v.set(String(unwrap(key)), wrap(value));
      },
      setValueForKey: (v, value, key) => {
        v.set(String(unwrap(key)), wrap(value));
      },
      setObjectForKeyedSubscript: (v, value, key) => {
        v.set(String(unwrap(key)), wrap(value));
      },
      removeObjectForKey: (v, key) => {
        v.delete(String(unwrap(key)));
      },
      addEntriesFromDictionary: (v, more) => {
        for (const [key, value] of boxed(more)) v.set(key, value);
      },
    },
  });
  kind("NSMutableSet", {
    parent: "NSSet",
    call: {
      addObject(v, one) {
        if (!this.containsObject(one)) v.push(wrap(one));
      },
    },
  });
  ofString("NSMutableString");
  ofData("NSMutableData");
  ofArray("NSMutableArray");
  ofDictionary("NSMutableDictionary");
  classOf("NSMutableSet", { get: { set: () => object("NSMutableSet", []), blank: () => object("NSMutableSet", []) } });
  kind("NSOrderedSet", { parent: "NSSet", get: { array: (v) => object("NSArray", [...v]) } });
  classOf("NSOrderedSet", {
    make: { orderedSetWithArray: (items) => object("NSOrderedSet", tools.$.NSSet.setWithArray(items)[VALUE]) },
  });
  kind("NSIndexSet", {});
  classOf("NSIndexSet");

  // A character set is a predicate on characters.
  kind("NSCharacterSet", {
    get: { invertedSet: (v) => object("NSCharacterSet", (c) => !v(c)) },
    call: { characterIsMember: (v, code) => v(String.fromCharCode(code)) },
  });
  const matching = (pattern) => () => object("NSCharacterSet", (c) => pattern.test(c));
  classOf("NSCharacterSet", {
    make: {
      characterSetWithCharactersInString: (chars) => {
        const all = new Set(text(chars));
        return object("NSCharacterSet", (c) => all.has(c));
      },
    },
    get: {
      whitespaceCharacterSet: matching(/[ \t\u00a0\u2000-\u200b\u3000]/),
      whitespaceAndNewlineCharacterSet: matching(/\s/),
      newlineCharacterSet: matching(/[\n\r\u0085\u2028\u2029]/),
      alphanumericCharacterSet: matching(/[\p{L}\p{N}\p{M}]/u),
      letterCharacterSet: matching(/[\p{L}\p{M}]/u),
      decimalDigitCharacterSet: matching(/\p{Nd}/u),
      punctuationCharacterSet: matching(/\p{P}/u),
      uppercaseLetterCharacterSet: matching(/\p{Lu}/u),
      lowercaseLetterCharacterSet: matching(/\p{Ll}/u),
      URLQueryAllowedCharacterSet: matching(/[A-Za-z0-9!$&'()*+,\-./:;=?@_~]/),
      URLPathAllowedCharacterSet: matching(/[A-Za-z0-9!$&'()*+,\-./:=@_~]/),
      URLHostAllowedCharacterSet: matching(/[A-Za-z0-9!$&'()*+,\-.:;=[\]_~]/),
      URLFragmentAllowedCharacterSet: matching(/[A-Za-z0-9!$&'()*+,\-./:;=?@_~]/),
    },
  });

  // Regular expressions use the engine's own.
  const matchOf = (found) => object("NSTextCheckingResult", found);
  const spans = ({ indices }) =>
    indices.map((span) => (span ? range(span[0], span[1] - span[0]) : range(NOT_FOUND, 0)));
  kind("NSTextCheckingResult", {
    get: { range: (v) => spans(v)[0], numberOfRanges: (v) => v.indices.length },
    call: { rangeAtIndex: (v, at) => spans(v)[at] },
  });
  const all = (v, subject, within) => {
    const whole = text(subject),
      end = within ? within.location + within.length : whole.length,
      start = within?.location ?? 0;
    return [...whole.slice(0, end).matchAll(v)].filter((found) => found.index >= start);
  };
  kind("NSRegularExpression", {
    get: { pattern: (v) => string(v.source) },
    call: {
      matchesInStringOptionsRange: (v, subject, options, within) =>
        object("NSArray", all(v, subject, within).map(matchOf)),
      numberOfMatchesInStringOptionsRange: (v, subject, options, within) => all(v, subject, within).length,
      firstMatchInStringOptionsRange: (v, subject, options, within) => {
        const [first] = all(v, subject, within);
        return first ? matchOf(first) : nil();
      },
      stringByReplacingMatchesInStringOptionsRangeWithTemplate: (v, subject, options, within, template) =>
        string(text(subject).replace(v, text(template).replace(/\$0/g, "$$&"))),
    },
  });
  const expression = (pattern, options, error) => {
    try {
      return object(
        "NSRegularExpression",
        new RegExp(text(pattern), `dgu${options & 1 ? "i" : ""}${options & 16 ? "m" : ""}${options & 8 ? "s" : ""}`),
      );
    } catch {
      failed(error, `The value “${text(pattern)}” is invalid.`, 2048);
      return nil();
    }
  };
  classOf("NSRegularExpression", {
    make: { regularExpressionWithPatternOptionsError: expression },
    init: { initWithPatternOptionsError: expression },
  });

  // Predicates: comparisons joined by AND and OR, as `predicateWithFormat` parses them.
  function compared(left, operator, right, fold) {
    const low = (value) => (fold && typeof value === "string" ? value.toLowerCase() : value);
    const [a, b] = [low(left), low(right)];
    switch (operator.toUpperCase()) {
      case "==":
      case "=":
        return a === b;
      case "!=":
      case "<>":
        return a !== b;
      case "<":
        return a < b;
      case ">":
        return a > b;
      case "<=":
        return a <= b;
      case ">=":
        return a >= b;
      case "CONTAINS":
        return String(a ?? "").includes(b);
      case "BEGINSWITH":
        return String(a ?? "").startsWith(b);
      case "ENDSWITH":
        return String(a ?? "").endsWith(b);
      case "LIKE":
        return new RegExp(
          `^${String(b)
            .replace(/[.+^${}()|[\]\\]/g, "\\$&")
            .replaceAll("*", ".*")
            .replaceAll("?", ".")}$`,
        ).test(a);
      case "MATCHES":
        return new RegExp(`^(?:${b})$`).test(a);
    }
    throw new Error(`the simulated Mac does not read the predicate operator ${operator}`);
  }
  function predicate(format, ...values) {
    let at = 0;
    const parts = text(format).split(/\s+(AND|OR|&&|\|\|)\s+/i);
    const test = (part) => {
      const [, not, key, operator, flags, literal] =
        /^\s*(NOT\s+)?\(?\s*([\w.]+|%K)\s*(==|=|!=|<>|<=|>=|<|>|CONTAINS|BEGINSWITH|ENDSWITH|LIKE|MATCHES)(?:\[(\w+)\])?\s*(.+?)\s*\)?$/i.exec(
          part,
        ) ?? [];
      if (!operator) throw new Error(`Unable to parse the format string "${text(format)}"`);
      const name = key === "%K" ? text(values[at++]) : key;
      const value = /^%[@di]$/.test(literal)
        ? unwrap(values[at++])
        : /^['"]/.test(literal)
          ? literal.slice(1, -1)
          : /^(true|yes)$/i.test(literal)
            ? true
            : /^(false|no)$/i.test(literal)
              ? false
              : Number(literal);
      return (item) =>
        compared(
          name === "SELF" ? deepUnwrap(item) : unwrap(item.valueForKey(name)),
          operator,
          value,
          flags?.includes("c"),
        ) !== Boolean(not);
    };
    const tests = parts.filter((_, index) => index % 2 === 0).map(test);
    const joins = parts.filter((_, index) => index % 2 === 1);
    return object("NSPredicate", (item) =>
      tests
        .slice(1)
        .reduce(
          (sum, each, index) => (/^(and|&&)$/i.test(joins[index]) ? sum && each(item) : sum || each(item)),
          tests[0](item),
        ),
    );
  }
  kind("NSPredicate", { call: { evaluateWithObject: (v, item) => v(wrap(item)) } });
  classOf("NSPredicate", {
    make: {
      predicateWithFormat: predicate,
      predicateWithFormatArgumentArray: (format, values) => predicate(format, ...boxed(values)),
    },
  });
  const descriptor = (key, ascending) =>
    object("NSSortDescriptor", (a, b) => {
      const [one, other] = [a, b].map((item) =>
        unwrap(key == null || unwrap(key) === undefined ? item : item.valueForKey(key)),
      );
      return (one < other ? -1 : one > other ? 1 : 0) * (ascending ? 1 : -1);
    });
  kind("NSSortDescriptor", {});
  classOf("NSSortDescriptor", {
    make: { sortDescriptorWithKeyAscending: descriptor, sortDescriptorWithKeyAscendingSelector: descriptor },
    init: { initWithKeyAscending: descriptor, initWithKeyAscendingSelector: descriptor },
  });

  // JSON and property lists.
  const decodedText = (from) => system.decode(bytesOf(from) ?? "") ?? "";
  classOf("NSJSONSerialization", {
    make: {
      JSONObjectWithDataOptionsError: (from, options, error) => {
        try {
          return wrapNull(JSON.parse(decodedText(from)));
        } catch {
          failed(error, "The data couldn’t be read because it isn’t in the correct format.", 3840);
          return nil();
        }
      },
      dataWithJSONObjectOptionsError: (value, options) =>
        data(system.encode(JSON.stringify(deepUnwrap(wrap(value)), null, options & 1 ? 2 : undefined))),
      isValidJSONObject: (value) => {
        const inner = deepUnwrap(wrap(value));
        return typeof inner === "object" && inner !== null;
      },
    },
  });
  const wrapNull = (value) => {
    if (value === null) return tools.$.NSNull.null;
    if (Array.isArray(value)) return object("NSArray", value.map(wrapNull));
    return typeof value === "object"
      ? object("NSDictionary", new Map(Object.keys(value).map((key) => [key, wrapNull(value[key])])))
      : wrap(value);
  };
  classOf("NSPropertyListSerialization", {
    make: {
      dataWithPropertyListFormatOptionsError: (value) => data(system.encode(plist(wrap(value)))),
      propertyListWithDataOptionsFormatError: (from) => {
        const read = system.plistOf(bytesOf(from) ?? "");
        return read == null ? nil() : wrap(JSON.parse(read));
      },
    },
  });

  kind("NSAttributedString", { get: { string: (v) => string(v.text), length: (v) => v.text.length } });
  kind("NSMutableAttributedString", {
    parent: "NSAttributedString",
    call: {
      appendAttributedString: (v, more) => {
        v.text += text(more);
      },
    },
  });
  for (const name of ["NSAttributedString", "NSMutableAttributedString"]) {
    const made = (value) => object(name, { text: text(value) });
    classOf(name, { init: { initWithString: made, initWithStringAttributes: made }, get: { blank: () => made("") } });
  }

  kind("NSURLQueryItem", { get: { name: (v) => string(v.name), value: (v) => wrap(v.value) } });
  classOf("NSURLQueryItem", {
    make: {
      queryItemWithNameValue: (name, value) => object("NSURLQueryItem", { name: text(name), value: unwrap(value) }),
    },
  });
  const items = (query) =>
    (query ?? "")
      .split("&")
      .filter(Boolean)
      .map((pair) => {
        const [name, value] = pair.split("=");
        return object("NSURLQueryItem", {
          name: decodeURIComponent(name),
          value: value === undefined ? undefined : decodeURIComponent(value),
        });
      });
  const field = (name) => [
    (v) => (v[name] === undefined ? nil() : wrap(v[name])),
    (v, value) => {
      v[name] = unwrap(value);
    },
  ];
  const fields = Object.fromEntries(
    ["scheme", "host", "path", "query", "fragment", "port"].map((name) => [name, field(name)]),
  );
  const whole = (v) =>
    `${v.scheme ? `${v.scheme}:` : ""}${v.host === undefined ? "" : `//${v.host}`}${v.port === undefined ? "" : `:${v.port}`}${v.path ?? ""}${v.query === undefined ? "" : `?${v.query}`}${v.fragment === undefined ? "" : `#${v.fragment}`}`;
  kind("NSURLComponents", {
    get: {
      ...Object.fromEntries(Object.entries(fields).map(([name, [get]]) => [name, get])),
      queryItems: (v) => object("NSArray", items(v.query)),
      URL: (v) => tools.$.NSURL.URLWithString(whole(v)),
      string: (v) => string(whole(v)),
    },
    set: {
      ...Object.fromEntries(Object.entries(fields).map(([name, [, set]]) => [name, set])),
      queryItems: (v, list) => {
        v.query = boxed(list)
          .map((each) => `${encodeURIComponent(each[VALUE].name)}=${encodeURIComponent(each[VALUE].value ?? "")}`)
          .join("&");
      },
    },
  });
  const components = (value) => {
    const [, scheme, host, port, path, query, fragment] =
      /^(?:([\w+.-]+):)?(?:\/\/([^/:?#]*)(?::(\d+))?)?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/.exec(text(value));
    return object("NSURLComponents", { scheme, host, port: port && Number(port), path, query, fragment });
  };
  classOf("NSURLComponents", {
    make: { componentsWithString: components },
    init: { initWithString: components },
    get: { blank: () => object("NSURLComponents", { path: "" }) },
  });
})
