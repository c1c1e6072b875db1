// The Objective-C bridge, as far as scripts in the wild use it: a few classes of Foundation, `$`, `ObjC` and `Ref`.
// A method without arguments is read as a property; one with arguments is called by its joined selector.
(function (system) {
  'use strict';
  const VALUE = Symbol('value');
  const NIL = Symbol('nil');

  // Wrapped objects: one prototype per class, made from two tables of methods.
  const prototypes = {};
  function kind(name, properties, methods) {
    const prototype = {
      get [Symbol.toStringTag]() { return name; },
      toString() { return `[id ${name}]`; },
      isNil() { return false; },
      get js() { return unwrap(this); },
      get className() { return string(name); },
      get description() { return string(String(unwrap(this))); },
      isEqual(other) { return deepUnwrap(this) === deepUnwrap(wrap(other)); },
    };
    for (const [key, get] of Object.entries(properties)) {
      Object.defineProperty(prototype, key, { get() { return get(this[VALUE], this); }, configurable: true });
    }
    for (const [key, call] of Object.entries(methods)) {
      prototype[key] = function (...args) { return call(this[VALUE], ...args); };
    }
    prototypes[name] = prototype;
  }
  function object(name, value) {
    const made = Object.create(prototypes[name]);
    made[VALUE] = value;
    return made;
  }
  const nil = () => object('nil', NIL);
  const string = (value) => object('NSString', value);
  // The bytes of an NSData, one character of a string for each.
  class Bytes { constructor(text) { this.text = text; } }
  const data = (text) => object('NSData', new Bytes(text));
  const optional = (bytes) => (bytes == null ? nil() : data(bytes));
  const bytesOf = (value) => (value?.[VALUE] instanceof Bytes ? value[VALUE].text : null);

  const isWrapped = (value) => value !== null && typeof value === 'object' && VALUE in value;
  function wrap(value) {
    if (value === null || value === undefined) return nil();
    if (isWrapped(value)) return value;
    switch (typeof value) {
      case 'string': return string(value);
      case 'number': case 'boolean': return object('NSNumber', value);
    }
    if (Array.isArray(value)) return object('NSArray', value.map(wrap));
    if (value instanceof Date) return object('NSDate', value);
    return object('NSDictionary', new Map(Object.keys(value).map((key) => [key, wrap(value[key])])));
  }
  // One level: what is inside a collection stays wrapped.
  function unwrap(value) {
    if (!isWrapped(value)) return value;
    const inner = value[VALUE];
    if (inner === NIL) return undefined;
    if (inner instanceof Map) return Object.fromEntries(inner);
    return Array.isArray(inner) || ['string', 'number', 'boolean'].includes(typeof inner) || inner instanceof Date ? inner : value;
  }
  function deepUnwrap(value) {
    const one = unwrap(value);
    if (Array.isArray(one)) return one.map(deepUnwrap);
    if (isWrapped(one) || one === null || typeof one !== 'object' || one instanceof Date) return one;
    return Object.fromEntries(Object.entries(one).map(([key, inner]) => [key, deepUnwrap(inner)]));
  }
  const text = (value) => {
    const inner = unwrap(value);
    if (typeof inner !== 'string') throw new TypeError('expected a string');
    return inner;
  };

  const encoded = (value, encoding) => {
    const bytes = [1, 4].includes(encoding) ? system.encode(value) : null;
    return bytes != null && (encoding === 4 || bytes.length === value.length) ? data(bytes) : nil();
  };
  const decoded = (bytes, encoding) => {
    const readable = encoding === 4 || (encoding === 1 && /^[\0-\x7f]*$/.test(bytes));
    const value = readable ? system.decode(bytes) : null;
    return value == null ? nil() : string(value);
  };
  const failed = (error, what) => {
    if (isWrapped(error)) {
      Object.setPrototypeOf(error, prototypes.NSError);
      error[VALUE] = what;
    }
  };
  const fileText = (path, encoding, error) => {
    const bytes = system.readFile(text(path));
    if (bytes != null) return decoded(bytes, encoding);
    failed(error, `The file “${text(path).split('/').pop()}” couldn’t be opened because there is no such file.`);
    return nil();
  };

  kind('nil', { js: () => undefined }, { isNil: () => true });
  kind('NSError', { localizedDescription: string, code: () => 260, domain: () => string('NSCocoaErrorDomain') }, {});
  kind('NSNumber', {
    intValue: (v) => Math.trunc(v), integerValue: (v) => Math.trunc(v), doubleValue: Number, floatValue: Number,
    boolValue: Boolean, stringValue: (v) => string(String(v)),
  }, {});
  kind('NSString', {
    length: (v) => v.length,
    UTF8String: (v) => v,
    lowercaseString: (v) => string(v.toLowerCase()),
    uppercaseString: (v) => string(v.toUpperCase()),
    intValue: (v) => Number.parseInt(v, 10) || 0,
    integerValue: (v) => Number.parseInt(v, 10) || 0,
    doubleValue: (v) => Number.parseFloat(v) || 0,
    boolValue: (v) => /^\s*[-+]?0*[YyTt1-9]/.test(v),
    lastPathComponent: (v) => string(v.replace(/\/+$/, '').split('/').pop() || (v.startsWith('/') ? '/' : '')),
    pathExtension: (v) => string(/\.([^./]+)\/*$/.exec(v)?.[1] ?? ''),
    stringByDeletingLastPathComponent: (v) => string(v.replace(/\/*[^/]*\/*$/, '') || (v.startsWith('/') ? '/' : '')),
    stringByDeletingPathExtension: (v) => string(v.replace(/\.[^./]+$/, '')),
    stringByExpandingTildeInPath: (v) => string(v.replace(/^~(?=\/|$)/, system.home())),
    stringByStandardizingPath: (v) => string(v.replace(/^~(?=\/|$)/, system.home()).replace(/\/{2,}/g, '/')),
  }, {
    dataUsingEncoding: encoded,
    isEqualToString: (v, other) => v === text(other),
    hasPrefix: (v, other) => v.startsWith(text(other)),
    hasSuffix: (v, other) => v.endsWith(text(other)),
    containsString: (v, other) => v.includes(text(other)),
    componentsSeparatedByString: (v, by) => wrap(v.split(text(by))),
    stringByAppendingString: (v, other) => string(v + text(other)),
    stringByAppendingPathComponent: (v, other) => string(`${v.replace(/\/+$/, '')}/${text(other)}`),
    stringByReplacingOccurrencesOfStringWithString: (v, from, to) => string(v.split(text(from)).join(text(to))),
    writeToFileAtomicallyEncodingError: (v, path, atomically, encoding, error) => system.writeFile(text(path), system.encode(v)) || (failed(error, `You don’t have permission to save the file “${text(path)}”.`), false),
  });
  kind('NSData', { length: (v) => v.text.length }, {
    base64EncodedStringWithOptions: (v) => string(system.base64(v.text)),
    writeToFileAtomically: (v, path) => system.writeFile(text(path), v.text),
  });
  kind('NSArray', { count: (v) => v.length, firstObject: (v) => v[0] ?? nil(), lastObject: (v) => v.at(-1) ?? nil() }, {
    objectAtIndex: (v, at) => v[at] ?? nil(),
    containsObject: (v, other) => v.some((item) => deepUnwrap(item) === deepUnwrap(wrap(other))),
    componentsJoinedByString: (v, by) => string(v.map((item) => String(unwrap(item))).join(text(by))),
  });
  kind('NSDictionary', { count: (v) => v.size, allKeys: (v) => wrap([...v.keys()]), allValues: (v) => object('NSArray', [...v.values()]) }, {
    objectForKey: (v, key) => v.get(text(key)) ?? nil(),
    valueForKey: (v, key) => v.get(text(key)) ?? nil(),
  });
  kind('NSDate', { timeIntervalSince1970: (v) => v.getTime() / 1000 }, {});
  kind('NSURL', { path: (v) => string(v), absoluteString: (v) => string(`file://${encodeURI(v)}`) }, {});
  kind('NSUUID', { UUIDString: (v) => string(v) }, {});
  kind('NSFileHandle', {
    availableData: (fd) => data(fd === 0 ? system.available() : ''),
    readDataToEndOfFile: (fd) => data(fd === 0 ? system.readAll() : ''),
    fileDescriptor: (fd) => fd,
    closeFile: () => undefined,
    synchronizeFile: () => undefined,
  }, {
    readDataOfLength: (fd, length) => data(fd === 0 ? system.read(length) : ''),
    writeData: (fd, what) => {
      const bytes = bytesOf(what);
      if (bytes === null) throw new TypeError('writeData: expected an NSData');
      system.write(fd, bytes);
    },
  });
  kind('NSFileManager', { currentDirectoryPath: () => string(system.folder()), homeDirectoryForCurrentUser: () => object('NSURL', system.home()) }, {
    fileExistsAtPath: (v, path) => system.exists(text(path)),
    isReadableFileAtPath: (v, path) => system.exists(text(path)),
    contentsAtPath: (v, path) => { return optional(system.readFile(text(path))); },
    contentsOfDirectoryAtPathError: (v, path, error) => {
      const names = system.list(text(path));
      if (names) return wrap(names);
      failed(error, `The folder “${text(path).split('/').pop()}” doesn’t exist.`);
      return nil();
    },
  });
  kind('NSProcessInfo', {
    arguments: () => wrap(system.arguments()),
    environment: () => wrap(system.environment()),
    processIdentifier: () => system.pid(),
    processName: () => string('osascript'),
    operatingSystemVersionString: () => string('Version 26.5 (Build 25F71)'),
    systemUptime: () => system.uptime(),
  }, {});
  kind('NSRunningApplication', {
    localizedName: (v) => string(v.name), bundleIdentifier: (v) => string(v.id), processIdentifier: (v) => v.pid,
    isActive: (v) => v.active, active: (v) => v.active, isTerminated: () => false,
  }, {});
  kind('NSWorkspace', {
    runningApplications: () => object('NSArray', system.running().map((app) => object('NSRunningApplication', app))),
    frontmostApplication: () => {
      const front = system.running().find((app) => app.active);
      return front ? object('NSRunningApplication', front) : nil();
    },
  }, {
    fullPathForApplication: (v, name) => wrap(system.pathOf(text(name))),
    absolutePathForAppBundleWithIdentifier: (v, id) => wrap(system.pathOf(text(id))),
    URLForApplicationWithBundleIdentifier: (v, id) => { const path = system.pathOf(text(id)); return path ? object('NSURL', path) : nil(); },
  });

  // Classes: what they answer themselves, and what `alloc` can be initialised with.
  function lazily(target, properties) {
    for (const [key, get] of Object.entries(properties)) Object.defineProperty(target, key, { get, configurable: true, enumerable: true });
    return target;
  }
  const classes = {
    NSString: lazily({
      stringWithString: (value) => string(text(value)),
      stringWithUTF8String: (value) => string(text(value)),
      stringWithContentsOfFileEncodingError: fileText,
    }, {
      string: () => string(''),
      alloc: () => lazily({
        initWithDataEncoding: (from, encoding) => (bytesOf(from) === null ? nil() : decoded(bytesOf(from), encoding)),
        initWithUTF8String: (value) => string(text(value)),
        initWithString: (value) => string(text(value)),
        initWithContentsOfFileEncodingError: fileText,
      }, { init: () => string('') }),
    }),
    NSData: lazily({
      dataWithContentsOfFile: (path) => { return optional(system.readFile(text(path))); },
    }, { data: () => data('') }),
    NSArray: lazily({ arrayWithArray: wrap }, { array: () => wrap([]) }),
    NSDictionary: lazily({ dictionaryWithDictionary: wrap }, { dictionary: () => wrap({}) }),
    NSNumber: { numberWithInt: wrap, numberWithDouble: wrap, numberWithBool: wrap, numberWithInteger: wrap },
    NSDate: lazily({ dateWithTimeIntervalSince1970: (time) => wrap(new Date(time * 1000)) }, { date: () => wrap(new Date()) }),
    NSURL: { fileURLWithPath: (path) => object('NSURL', text(path)) },
    NSUUID: lazily({}, { UUID: () => object('NSUUID', system.uuid()) }),
    NSFileHandle: lazily({}, {
      fileHandleWithStandardInput: () => object('NSFileHandle', 0),
      fileHandleWithStandardOutput: () => object('NSFileHandle', 1),
      fileHandleWithStandardError: () => object('NSFileHandle', 2),
    }),
    NSFileManager: lazily({}, { defaultManager: () => object('NSFileManager', 0) }),
    NSProcessInfo: lazily({}, { processInfo: () => object('NSProcessInfo', 0) }),
    NSThread: { sleepForTimeInterval: (time) => system.sleep(time) },
    NSWorkspace: lazily({}, { sharedWorkspace: () => object('NSWorkspace', 0) }),
  };
  const appKit = ['NSWorkspace', 'NSRunningApplication'];
  const constants = {
    NSASCIIStringEncoding: 1, NSUTF8StringEncoding: 4, NSNotFound: 9223372036854775807, nil: undefined,
    NSLog: (format) => system.log(text(format)),
    NSHomeDirectory: () => string(system.home()),
    NSUserName: () => string(system.home().split('/').pop()),
    NSTemporaryDirectory: () => string('/tmp/'),
  };
  const libraries = {
    stdlib: { exit: (status) => system.exit(status), getenv: (name) => system.getenv(String(name)), system: () => -1 },
    unistd: { getpid: () => system.pid(), sleep: (time) => { system.sleep(time); return 0; }, usleep: (time) => { system.sleep(time / 1e6); return 0; } },
  };
  const frameworks = ['Foundation', 'AppKit', 'Cocoa', 'stdlib', 'stdio', 'unistd', 'CoreFoundation', 'CoreGraphics', 'CoreServices', 'Quartz', 'OSAKit', 'EventKit', 'Contacts', 'sys/types', 'string', 'math'];

  // Foundation is there from the start; the rest is what a script imports.
  const $ = function (value) { return wrap(value); };
  Object.assign($, constants);
  for (const name of Object.keys(classes)) if (!appKit.includes(name)) $[name] = classes[name];

  function importFramework(name) {
    if (!frameworks.includes(name)) throw new Error(`Framework not found: ${name}`);
    Object.assign($, libraries[name] ?? {});
    if (name === 'AppKit' || name === 'Cocoa') for (const each of appKit) if (classes[each]) $[each] = classes[each];
  }

  // An out-parameter for an object that is made by Ref() ends the process when it is read, as it does on a Mac.
  function Ref() {
    return new Proxy({}, { get: (target, key) => (key === '0' && VALUE in target ? system.exit(139) : target[key]) });
  }

  const ObjC = {
    import: importFramework, wrap, unwrap, deepUnwrap, $,
    castRefToObject: (value) => value, castObjectToRef: (value) => value,
  };
  return { ObjC, $, Ref };
})
