// AppKit, as far as it works without a screen: running apps, the pasteboard, screens.
(function (tools, part) {
  "use strict";
  const { system, VALUE, kind, object, classOf, nil, string, data, bytesOf, wrap, unwrap, text, isA, fileUrl } = tools;
  const { last, worked } = tools;

  kind("NSRunningApplication", {
    get: {
      localizedName: (v) => string(v.name),
      bundleIdentifier: (v) => string(v.id),
      processIdentifier: (v) => v.pid,
      isActive: (v) => v.active,
      active: (v) => v.active,
      isTerminated: () => false,
      terminated: () => false,
      isHidden: () => false,
      hidden: () => false,
      isFinishedLaunching: () => true,
      activationPolicy: () => 0,
      bundleURL: (v) => fileUrl(system.pathOf(v.id) ?? "/"),
      hide: () => true,
      unhide: () => true,
      terminate: () => false,
      forceTerminate: () => false,
    },
    call: { activateWithOptions: () => true },
  });
  const running = () => system.running().map((app) => object("NSRunningApplication", app));
  const identified = (id) => running().filter((app) => app[VALUE].id.toLowerCase() === id.toLowerCase());
  classOf("NSRunningApplication", {
    make: {
      runningApplicationsWithBundleIdentifier: (id) => object("NSArray", identified(text(id))),
      runningApplicationWithProcessIdentifier: (pid) => running().find((app) => app[VALUE].pid === pid) ?? nil(),
    },
    get: {
      currentApplication: () =>
        object("NSRunningApplication", {
          name: "osascript",
          id: "com.apple.osascript",
          pid: system.pid(),
          active: false,
        }),
    },
  });
  const front = () => running().find((app) => app[VALUE].active) ?? nil();
  const located = (name) => {
    const path = system.pathOf(text(name));
    return path == null ? nil() : fileUrl(path);
  };
  // Which app opens a URL: the apps that come with a Mac.
  const openers = [
    [/^https?:/, "com.apple.Safari"],
    [/^mailto:/, "com.apple.mail"],
    [/^file:.*\.(txt|rtf|rtfd|md)$/, "com.apple.TextEdit"],
    [/^file:.*\/$/, "com.apple.finder"],
  ];
  const opener = (url) => {
    const id = openers.find(([pattern]) => pattern.test(url))?.[1];
    return id ? located(id) : nil();
  };
  // Returns the uniform type identifier of a file, by its extension if that is known.
  const uniformType = (path) => {
    const [, extension = ""] = last(path).match(/[^.]\.([^.]+)$/) ?? [];
    if (system.kind(path) !== 1) {
      if (extension === "app") return "com.apple.application-bundle";
      return extension === "rtfd" ? system.typeOf(extension) : "public.folder";
    }
    const known = extension === "" ? "public.data" : system.typeOf(extension);
    if (known == null) throw new Error(`the type of .${extension} files is not simulated`);
    return known;
  };

  kind("NSWorkspace", {
    get: {
      runningApplications: () => object("NSArray", running()),
      frontmostApplication: front,
      menuBarOwningApplication: front,
      notificationCenter: () => tools.$.NSNotificationCenter.defaultCenter,
    },
    call: {
      fullPathForApplication: (v, name) => wrap(system.pathOf(text(name))),
      absolutePathForAppBundleWithIdentifier: (v, id) => wrap(system.pathOf(text(id))),
      URLForApplicationWithBundleIdentifier: (v, id) => located(id),
      // Nothing is really opened. The answer says whether it could be.
      openURL: (v, url) =>
        isA(url, "NSURL") &&
        (url[VALUE].path === undefined || !url[VALUE].text.startsWith("file:") || system.kind(url[VALUE].path) !== 0),
      openFile: (v, path) => system.kind(text(path)) !== 0,
      URLForApplicationToOpenURL: (v, url) => opener(url[VALUE].text),
      launchApplication: (v, name) => system.pathOf(text(name)) != null,
      iconForFile: () => nil(),
      typeOfFileError: (v, path, error) => {
        if (system.kind(text(path)) !== 0) return string(uniformType(text(path)));
        worked("gone", text(path), error);
        return nil();
      },
      isFilePackageAtPath: (v, path) => text(path).endsWith(".app"),
      selectFileInFileViewerRootedAtPath: (v, path) => system.kind(text(path)) !== 0,
      activateFileViewerSelectingURLs: () => undefined,
    },
  });
  classOf("NSWorkspace", { get: { sharedWorkspace: () => object("NSWorkspace", 0) } });

  // The pasteboard: strings and bytes by type, shared by all processes of the world. Old type names are mapped to new
  // ones.
  const types = {
    NSStringPboardType: "public.utf8-plain-text",
    "public.plain-text": "public.utf8-plain-text",
    "public.text": "public.utf8-plain-text",
  };
  const typeOf = (type) => types[text(type)] ?? text(type);
  const read = (v) => (v ? v.state : JSON.parse(system.pasteboard()));
  const write = (v, state) => {
    if (v) v.state = state;
    else system.setPasteboard(JSON.stringify(state));
  };
  const put = (v, type, bytes) => {
    const state = read(v);
    state.items[typeOf(type)] = bytes;
    write(v, state);
    return true;
  };
  const cleared = (v) => {
    const state = { count: read(v).count + 1, items: {} };
    write(v, state);
    return state.count;
  };
  const list = (value) => wrap(value)[VALUE];
  kind("NSPasteboardItem", {
    get: { types: (v) => wrap(Object.keys(v)) },
    call: {
      stringForType: (v, type) => decodedText(v[typeOf(type)]),
      dataForType: (v, type) => dataOf(v[typeOf(type)]),
      setStringForType: (v, value, type) => {
        v[typeOf(type)] = system.encode(text(value));
        return true;
      },
      setDataForType: (v, value, type) => {
        v[typeOf(type)] = bytesOf(value);
        return true;
      },
    },
  });
  const decodedText = (bytes) => {
    const value = bytes === undefined ? null : system.decode(bytes);
    return value == null ? nil() : string(value);
  };
  const dataOf = (bytes) => (bytes === undefined ? nil() : data(bytes));
  classOf("NSPasteboardItem", { get: { blank: () => object("NSPasteboardItem", {}) } });
  function writeObjects(v, objects) {
    for (const each of list(objects)) {
      if (isA(each, "NSString")) put(v, "public.utf8-plain-text", system.encode(each[VALUE]));
      else if (isA(each, "NSURL"))
        put(
          v,
          each[VALUE].text.startsWith("file:") ? "public.file-url" : "public.url",
          system.encode(each[VALUE].text),
        );
      else if (isA(each, "NSPasteboardItem"))
        for (const [type, bytes] of Object.entries(each[VALUE])) put(v, type, bytes);
      else return false;
    }
    return true;
  }
  kind("NSPasteboard", {
    get: {
      changeCount: (v) => read(v).count,
      clearContents: cleared,
      name: () => string("Apple CFPasteboard general"),
      types: (v) => {
        const all = Object.keys(read(v).items);
        return wrap(all);
      },
      pasteboardItems: (v) => {
        const { items } = read(v);
        return Object.keys(items).length
          ? object("NSArray", [object("NSPasteboardItem", items)])
          : object("NSArray", []);
      },
    },
    call: {
      stringForType: (v, type) => decodedText(read(v).items[typeOf(type)]),
      dataForType: (v, type) => dataOf(read(v).items[typeOf(type)]),
      propertyListForType: (v, type) => decodedText(read(v).items[typeOf(type)]),
      setStringForType: (v, value, type) => put(v, type, system.encode(text(value))),
      setDataForType: (v, value, type) => put(v, type, bytesOf(value)),
      setPropertyListForType: (v, value, type) =>
        put(v, type, system.encode(JSON.stringify(tools.deepUnwrap(wrap(value))))),
      declareTypesOwner: (v) => cleared(v),
      addTypesOwner: (v) => read(v).count,
      writeObjects,
      availableTypeFromArray: (v, wanted) => {
        const { items } = read(v);
        return list(wanted).find((type) => typeOf(type) in items) ?? nil();
      },
      canReadObjectForClassesOptions: (v, wanted) =>
        list(wanted).some((each) => each === tools.$.NSString) && "public.utf8-plain-text" in read(v).items,
      readObjectsForClassesOptions: (v, wanted) => {
        const { items } = read(v);
        const all = [];
        for (const each of list(wanted)) {
          if (each === tools.$.NSString && "public.utf8-plain-text" in items)
            all.push(decodedText(items["public.utf8-plain-text"]));
          if (each === tools.$.NSURL)
            for (const type of ["public.file-url", "public.url"])
              if (type in items) all.push(tools.$.NSURL.URLWithString(system.decode(items[type])));
        }
        return object("NSArray", all);
      },
    },
  });
  const own = {};
  classOf("NSPasteboard", {
    get: {
      generalPasteboard: () => object("NSPasteboard", null),
      pasteboardWithUniqueName: () => object("NSPasteboard", { state: { count: 1, items: {} } }),
    },
    make: {
      pasteboardWithName: (name) => object("NSPasteboard", (own[text(name)] ??= { state: { count: 1, items: {} } })),
    },
  });

  const frame = { origin: { x: 0, y: 0 }, size: { width: 1512, height: 982 } };
  kind("NSScreen", {
    get: {
      frame: () => frame,
      visibleFrame: () => ({ origin: { x: 0, y: 74 }, size: { width: 1512, height: 875 } }),
      backingScaleFactor: () => 2,
      localizedName: () => string("Built-in Display"),
      deviceDescription: () =>
        wrap({ NSScreenNumber: 1, NSDeviceIsScreen: "YES", NSDeviceColorSpaceName: "NSCalibratedRGBColorSpace" }),
    },
  });
  const screen = () => object("NSScreen", 0);
  classOf("NSScreen", { get: { mainScreen: screen, screens: () => object("NSArray", [screen()]) } });
  kind("NSSound", { get: { play: () => true, stop: () => true, isPlaying: () => false } });
  classOf("NSSound", {
    make: {
      soundNamed: (name) =>
        /^(Basso|Blow|Bottle|Frog|Funk|Glass|Hero|Morse|Ping|Pop|Purr|Sosumi|Submarine|Tink)$/.test(text(name))
          ? object("NSSound", 0)
          : nil(),
    },
  });
  kind("NSApplication", {
    get: { activationPolicy: () => 2, isActive: () => false },
    call: {
      setActivationPolicy: () => true,
      activateIgnoringOtherApps: () => undefined,
      // Lets another app come to the front (since macOS 14).
      yieldActivationToApplication: () => undefined,
    },
  });
  const app = object("NSApplication", 0);
  classOf("NSApplication", { get: { sharedApplication: () => app } });
  tools.classes.NSApp = app;
  kind("NSColor", {});
  classOf("NSColor");
  kind("NSEvent", {});
  classOf("NSEvent", { get: { mouseLocation: () => ({ x: 0, y: 0 }), modifierFlags: () => 0 } });
  void part;
  void unwrap;
})
