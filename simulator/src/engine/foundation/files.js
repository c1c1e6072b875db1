// Files, bundles, user defaults, and the standard folders of a Mac.
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
    optional,
    bytesOf,
    wrap,
    unwrap,
    deepUnwrap,
    text,
    failed,
    worked,
    fileUrl,
    last,
    folderOf,
  } = tools;
  const FOLDER = 2;
  const date = (seconds) => new Date(seconds * 1000);

  const attributes = (path) => {
    const found = system.attributes(path);
    return (
      found && {
        NSFileSize: found.size,
        NSFileType: found.kind === FOLDER ? "NSFileTypeDirectory" : "NSFileTypeRegular",
        NSFileModificationDate: date(found.modified),
        NSFileCreationDate: date(found.created),
        NSFilePosixPermissions: found.kind === FOLDER ? 493 : 420,
        NSFileOwnerAccountName: last(system.home()),
        NSFileGroupOwnerAccountName: "staff",
      }
    );
  };
  const listed = (path, error) => {
    const names = system.list(path);
    if (names) return names;
    failed(error, `The folder “${last(path)}” doesn’t exist.`);
    return null;
  };
  const below = (path) =>
    (system.list(path) ?? []).flatMap((name) => [
      name,
      ...(system.kind(`${path}/${name}`) === FOLDER ? below(`${path}/${name}`).map((inner) => `${name}/${inner}`) : []),
    ]);
  const makeFolder = (path, between, error) =>
    worked(system.makeFolder(text(path), Boolean(between)), text(path), error);
  // The error messages of a file manager name the file, and the folder that it should go to.
  const moved = (done, from, to) => {
    const [file, place] = [last(text(from)), folderOf(text(to))];
    const denied = `“${file}” couldn’t be ${done} because you don’t have permission to access “${place}”.`;
    const taken = `“${file}” couldn’t be ${done} to “${place}” because an item with the same name already exists.`;
    return { file, place, own: { denied: [513, () => denied], taken: [516, () => taken] } };
  };
  const missing = [4, (path) => `The file “${last(path)}” doesn’t exist.`];
  const duplicate = (from, to, error) => {
    const { own } = moved("copied", from, to);
    return worked(system.copy(text(from), text(to)), text(from), error, { ...own, folder: missing });
  };
  const move = (from, to, error) => {
    const { file, place, own } = moved("moved", from, to);
    const why = "because either the former doesn’t exist, or the folder containing the latter doesn’t exist";
    const gone = [4, () => `“${file}” couldn’t be moved to “${place}” ${why}.`];
    return worked(system.move(text(from), text(to)), text(from), error, { ...own, gone, folder: gone });
  };
  const removed = {
    gone: [4, (path) => `“${last(path)}” couldn’t be removed.`],
    denied: [513, (path) => `“${last(path)}” couldn’t be removed because you don’t have permission to access it.`],
  };
  const remove = (path, error) => worked(system.remove(text(path)), text(path), error, removed);
  kind("NSDirectoryEnumerator", { parent: "NSEnumerator" });
  const walk = (path) => object("NSDirectoryEnumerator", below(text(path)).map(wrap));
  const urls = (path, error) => {
    const names = listed(text(path), error);
    return names
      ? object(
          "NSArray",
          names.map((name) => fileUrl(`${text(path).replace(/\/$/, "")}/${name}`)),
        )
      : nil();
  };

  kind("NSFileManager", {
    get: {
      currentDirectoryPath: () => string(system.folder()),
      homeDirectoryForCurrentUser: () => fileUrl(system.home()),
      temporaryDirectory: () => fileUrl("/tmp"),
    },
    call: {
      // A second argument receives whether it is a folder.
      fileExistsAtPath: (v, path) => system.kind(text(path)) !== 0,
      fileExistsAtPathIsDirectory: (v, path, is) => {
        const found = system.kind(text(path));
        if (is !== null && is !== undefined) is[0] = Number(found === FOLDER);
        return found !== 0;
      },
      isReadableFileAtPath: (v, path) => system.kind(text(path)) !== 0,
      isWritableFileAtPath: (v, path) => system.kind(text(path)) !== 0 && system.writable(text(path)),
      isExecutableFileAtPath: (v, path) => system.kind(text(path)) === FOLDER,
      isDeletableFileAtPath: (v, path) => system.kind(text(path)) !== 0 && system.writable(text(path)),
      contentsAtPath: (v, path) => {
        return optional(system.readFile(text(path)));
      },
      contentsEqualAtPathAndPath: (v, one, other) => {
        const read = system.readFile(text(one));
        return read != null && read === system.readFile(text(other));
      },
      contentsOfDirectoryAtPathError: (v, path, error) => {
        const names = listed(text(path), error);
        return names ? wrap(names) : nil();
      },
      contentsOfDirectoryAtURLIncludingPropertiesForKeysOptionsError: (v, url, keys, options, error) =>
        urls(url, error),
      subpathsAtPath: (v, path) => wrap(below(text(path))),
      subpathsOfDirectoryAtPathError: (v, path) => wrap(below(text(path))),
      enumeratorAtPath: (v, path) => walk(path),
      createDirectoryAtPathWithIntermediateDirectoriesAttributesError: (v, path, between, attributes, error) =>
        makeFolder(path, between, error),
      createDirectoryAtURLWithIntermediateDirectoriesAttributesError: (v, path, between, attributes, error) =>
        makeFolder(path, between, error),
      createFileAtPathContentsAttributes: (v, path, contents) => !system.writeFile(text(path), bytesOf(contents) ?? ""),
      moveItemAtPathToPathError: (v, from, to, error) => move(from, to, error),
      moveItemAtURLToURLError: (v, from, to, error) => move(from, to, error),
      copyItemAtPathToPathError: (v, from, to, error) => duplicate(from, to, error),
      copyItemAtURLToURLError: (v, from, to, error) => duplicate(from, to, error),
      removeItemAtPathError: (v, path, error) => remove(path, error),
      removeItemAtURLError: (v, path, error) => remove(path, error),
      trashItemAtURLResultingItemURLError: (v, path, put, error) => remove(path, error),
      attributesOfItemAtPathError: (v, path, error) => {
        const found = attributes(text(path));
        if (found) return wrap(found);
        worked("gone", text(path), error);
        return nil();
      },
      changeCurrentDirectoryPath: (v, path) => system.kind(text(path)) === FOLDER && system.enter(text(path)),
      displayNameAtPath: (v, path) => string(last(text(path))),
      stringWithFileSystemRepresentationLength: (v, path) => string(path),
      URLsForDirectoryInDomains: (v, which, domains) => object("NSArray", places(which, domains).map(fileUrl)),
      setAttributesOfItemAtPathError: () => true,
    },
  });
  classOf("NSFileManager", {
    get: { defaultManager: () => object("NSFileManager", 0), blank: () => object("NSFileManager", 0) },
  });

  const folders = {
    1: "Applications",
    4: "Library/Developer",
    5: "Library",
    9: "Documents",
    12: "Desktop",
    13: "Library/Caches",
    14: "Library/Application Support",
    15: "Downloads",
    16: "Input Methods",
    17: "Movies",
    18: "Music",
    19: "Pictures",
    21: "Public",
    102: ".Trash",
  };
  const places = (which, domains) => [
    ...(domains & 1 && folders[which] ? [`${system.home()}/${folders[which]}`] : []),
    ...(domains & 2 && [1, 5, 14].includes(which) ? [`/${folders[which]}`] : []),
    ...(domains & 8 && [1, 5].includes(which) ? [`/System/${folders[which]}`] : []),
  ];
  const search = (which, domains) => wrap(places(which, domains));
  tools.classes.NSSearchPathForDirectoriesInDomains = search;

  // Bundles: those of this Mac's apps. osascript itself has none.
  const bundle = (path) => {
    const info = system.plist(`${path}/Contents/Info.plist`);
    return info == null && system.kind(path) !== FOLDER
      ? nil()
      : object("NSBundle", { path, info: info == null ? {} : JSON.parse(info) });
  };
  kind("NSBundle", {
    get: {
      bundlePath: (v) => string(v.path),
      bundleURL: (v) => fileUrl(v.path),
      bundleIdentifier: (v) => wrap(v.info.CFBundleIdentifier),
      infoDictionary: (v) => wrap(v.info),
      resourcePath: (v) => string(`${v.path}/Contents/Resources`),
      executablePath: (v) => wrap(v.info.CFBundleExecutable && `${v.path}/Contents/MacOS/${v.info.CFBundleExecutable}`),
    },
    call: {
      objectForInfoDictionaryKey: (v, key) => wrap(v.info[text(key)]),
      pathForResourceOfType: (v, name, type) => {
        const path = `${v.path}/Contents/Resources/${text(name)}${unwrap(type) ? `.${text(type)}` : ""}`;
        return system.kind(path) ? string(path) : nil();
      },
    },
  });
  const identified = (id) => {
    const path = system.pathOf(text(id));
    return path == null ? nil() : bundle(path);
  };
  classOf("NSBundle", {
    make: {
      bundleWithPath: (path) => bundle(text(path)),
      bundleWithURL: (path) => bundle(text(path)),
      bundleWithIdentifier: identified,
    },
    get: { mainBundle: () => object("NSBundle", { path: "/usr/bin", info: {} }) },
  });

  // User defaults last as long as the process. Of the system's own, only a few are there.
  const kept = new Map(Object.entries({ AppleLanguages: ["en-US"], AppleLocale: "en_US" }));
  const typed = (read) => (v, key) => read(v.get(text(key)));
  kind("NSUserDefaults", {
    get: { synchronize: () => true, dictionaryRepresentation: (v) => wrap(Object.fromEntries(v)) },
    call: {
      objectForKey: typed(wrap),
      stringForKey: typed((value) => (value === undefined ? nil() : string(String(value)))),
      arrayForKey: typed((value) => (Array.isArray(value) ? wrap(value) : nil())),
      dictionaryForKey: typed(wrap),
      valueForKey: typed(wrap),
      boolForKey: typed((value) => value === true || value === 1 || /^(yes|true|1)$/i.test(value ?? "")),
      integerForKey: typed((value) => Math.trunc(Number(value)) || 0),
      doubleForKey: typed((value) => Number(value) || 0),
      floatForKey: typed((value) => Number(value) || 0),
      setObjectForKey: (v, value, key) => {
        v.set(text(key), deepUnwrap(wrap(value)));
      },
      setBoolForKey: (v, value, key) => {
        v.set(text(key), Boolean(value));
      },
      setIntegerForKey: (v, value, key) => {
        v.set(text(key), value);
      },
      setValueForKey: (v, value, key) => {
        v.set(text(key), deepUnwrap(wrap(value)));
      },
      removeObjectForKey: (v, key) => {
        v.delete(text(key));
      },
      persistentDomainForName: () => nil(),
      registerDefaults: (v, more) => {
        for (const [key, value] of wrap(more)[VALUE]) if (!v.has(key)) v.set(key, deepUnwrap(value));
      },
    },
  });
  classOf("NSUserDefaults", {
    get: { standardUserDefaults: () => object("NSUserDefaults", kept), blank: () => object("NSUserDefaults", kept) },
    init: { initWithSuiteName: () => object("NSUserDefaults", new Map()) },
  });
})
