// Standard Additions: the commands of every application object whose `includeStandardAdditions` is set.
// The world answers dialogs. If it has no answer, it is as if nobody sat at the Mac.
(function (native, tools) {
  "use strict";
  const { failure, Path, refuse } = tools;
  const text = (value) => (typeof value === "string" ? value : refuse(-1700));
  const number = (value) => (typeof value === "number" ? value : refuse(-1700));
  const path = (value) => (value instanceof Path ? String(value) : refuse(-1700));
  // Files are named by a Path. Commands on an open file also accept the number from `openForAccess`.
  const file = (value) => (typeof value === "number" ? (open.get(value) ?? refuse(-38)).path : path(value));

  // Returns the world's answer to a dialog. A user who is asked may also cancel, or let the time run out.
  function ask(command, shown, { givingUpAfter } = {}) {
    const answer = native.dialog(command, shown);
    if (!answer) {
      if (typeof givingUpAfter !== "number" || givingUpAfter <= 0) refuse(-1713);
      native.delay(givingUpAfter);
      return { gaveUp: true };
    }
    if (answer.after) native.delay(answer.after / 1000);
    if (answer.cancel) refuse(-128);
    return answer;
  }
  function buttons(shown, params, standard) {
    const names = params.buttons ?? standard;
    if (!Array.isArray(names) || names.length < 1 || names.length > 3) refuse(-50);
    const pick = (which) => (typeof which === "number" ? names[which - 1] : which);
    const cancel = pick(params.cancelButton) ?? (params.buttons ? undefined : "Cancel");
    for (const which of [params.defaultButton, params.cancelButton])
      if (which !== undefined && !names.includes(pick(which))) refuse(-50);
    return { names, cancel, standard: pick(params.defaultButton) ?? names.at(-1) };
  }
  function pressed(answer, { names, cancel, standard }) {
    if (answer.gaveUp) return { buttonReturned: "", gaveUp: true };
    const button = answer.button ?? standard;
    if (!names.includes(button)) throw new Error(`the world presses “${button}”, which this dialog does not have`);
    if (button === cancel) refuse(-128);
    return { buttonReturned: button };
  }

  const folders = {
    "home folder": "",
    desktop: "Desktop",
    "desktop folder": "Desktop",
    "documents folder": "Documents",
    "downloads folder": "Downloads",
    "movies folder": "Movies",
    "music folder": "Music",
    "pictures folder": "Pictures",
    "public folder": "Public",
    "sites folder": "Sites",
    trash: ".Trash",
    preferences: "Library/Preferences",
    "preferences folder": "Library/Preferences",
    "current user folder": "",
    "scripts folder": "Library/Scripts",
  };
  // Folders that are the Mac's in the default domain. The user domain has the same paths below the home folder.
  const shared = {
    "library folder": "Library",
    "application support": "Library/Application Support",
    "fonts folder": "Library/Fonts",
    "modem scripts": "Library/Modem Scripts",
  };
  const places = {
    "applications folder": "/Applications",
    "utilities folder": "/Applications/Utilities",
    "startup disk": "/",
    "system folder": "/System",
    "temporary items": "/tmp",
    "temporary items folder": "/tmp",
    "users folder": "/Users",
    fonts: "/System/Library/Fonts",
  };

  // Files that this script opened, by the number that it got.
  const open = new Map();
  const complaints = { gone: -43, folder: -43, denied: -54, taken: -48 };
  const wrote = (outcome) => {
    if (outcome) refuse(complaints[outcome] ?? -54);
  };
  function writable(what) {
    const name = file(what);
    const given = open.get(what) ?? [...open.values()].find((each) => each.path === name);
    return given?.writes ? name : refuse(-61);
  }
  // Returns what the user chose: one path, or several if multiple selections are allowed.
  function chosen(command, params = {}) {
    const answer = ask(command, String(params.withPrompt ?? ""));
    const paths = answer.paths ?? (answer.path === undefined ? refuse(-128) : [answer.path]);
    return params.multipleSelectionsAllowed === true ? paths.map((each) => Path(each)) : Path(paths[0]);
  }

  const additions = {
    displayDialog(shown, params = {}) {
      const set = buttons(shown, params, ["Cancel", "OK"]);
      const answer = ask("display dialog", text(shown), params);
      const result = pressed(answer, set);
      if (params.defaultAnswer !== undefined)
        result.textReturned = answer.gaveUp ? "" : (answer.text ?? text(params.defaultAnswer));
      if (params.givingUpAfter !== undefined) result.gaveUp = answer.gaveUp === true;
      return result;
    },
    displayAlert(shown, params = {}) {
      const set = buttons(shown, params, ["OK"]);
      const result = pressed(ask("display alert", text(shown), params), set);
      if (params.givingUpAfter !== undefined) result.gaveUp ??= false;
      return result;
    },
    displayNotification(shown) {
      native.dialog("display notification", text(shown));
      return null;
    },
    chooseFromList(items, params = {}) {
      if (!Array.isArray(items) || items.length === 0) refuse(-50);
      const answer = native.dialog("choose from list", String(params.withPrompt ?? "")) ?? refuse(-1713);
      if (answer.cancel) return false;
      const chosen = answer.choose ?? [];
      if (!chosen.every((item) => items.includes(item)))
        throw new Error("the world chooses what this list does not have");
      return chosen;
    },
    chooseFile(params) {
      return chosen("choose file", params);
    },
    chooseFolder(params) {
      return chosen("choose folder", params);
    },
    chooseFileName(params = {}) {
      const answer = ask("choose file name", String(params.withPrompt ?? ""));
      return Path(
        answer.path ?? `${params.defaultLocation ?? `${native.home()}/Documents`}/${params.defaultName ?? "untitled"}`,
      );
    },
    chooseColor(params = {}) {
      ask("choose color", "");
      return params.defaultColor ?? [0, 0, 0];
    },
    chooseURL() {
      return text(ask("choose URL", "").text);
    },
    say(words) {
      text(words);
      return null;
    },
    beep() {
      return null;
    },
    doShellScript(command, params = {}) {
      const done = native.shell(text(command)) ?? refuse(-10004);
      const clean = (out) => (params.alteringLineEndings === false ? out : out.replace(/\n$/, "").replace(/\n/g, "\r"));
      if (done.status !== 0)
        throw failure(clean(done.err) || "The command exited with a non-zero status.", done.status);
      return clean(done.out);
    },
    theClipboard(params = {}) {
      void params;
      return native.clipboard() ?? "";
    },
    // Each kind of data with its size in bytes. In JavaScript, only the kind of plain text has a name.
    clipboardInfo() {
      const words = native.clipboard() ?? "";
      if (words === "") return [];
      const utf8 = (native.encode(words) ?? "").length;
      return [
        [null, words.length * 2],
        ["ctxt", utf8],
        [null, utf8],
      ];
    },
    setTheClipboardTo(value) {
      native.setClipboard(text(value));
      return null;
    },
    currentDate() {
      return new Date();
    },
    timeToGMT() {
      return -new Date().getTimezoneOffset() * 60;
    },
    randomNumber(upTo, params = {}) {
      upTo ??= undefined;
      if (upTo === undefined && params.from === undefined) return Math.random();
      const from = params.from ?? 0,
        to = params.to ?? number(upTo);
      return Number.isInteger(from) && Number.isInteger(to)
        ? from + Math.floor(Math.random() * (to - from + 1))
        : from + Math.random() * (to - from);
    },
    round(value, params = {}) {
      switch (params.rounding ?? "to nearest") {
        case "up":
          return Math.ceil(number(value));
        case "down":
          return Math.floor(number(value));
        case "toward zero":
          return Math.trunc(number(value));
        case "as taught in school":
          return Math.sign(number(value)) * Math.round(Math.abs(value));
        case "to nearest": {
          const low = Math.floor(number(value)),
            rest = value - low;
          return rest === 0.5 ? low + (low % 2 === 0 ? 0 : 1) : Math.round(value);
        }
      }
      return refuse(-1700);
    },
    pathTo(what, params = {}) {
      // `this` means the script itself. What a script without a file gets on a Mac is not known.
      if (what === globalThis) return Path(native.script ?? refuse(-1700));
      if (typeof what === "function") return Path(native.pathOf(what) ?? refuse(-1728));
      if (what === "frontmost application") return Path(native.frontmost() ?? refuse(-1728));
      if (Object.hasOwn(shared, what))
        return Path(`${/^user/.test(params.from ?? "") ? native.home() : ""}/${shared[what]}`);
      if (Object.hasOwn(folders, what)) return Path(`${native.home()}/${folders[what]}`.replace(/\/$/, ""));
      return Object.hasOwn(places, what) ? Path(places[what]) : refuse(-1700);
    },
    systemInfo() {
      const home = native.home(),
        name = home.split("/").pop();
      return {
        shortUserName: name,
        longUserName: name,
        homeDirectory: Path(home),
        computerName: "Simulated Mac",
        hostName: "simulated-mac.local",
        systemVersion: "26.5",
        cpuType: "ARM64",
        bootVolume: "Macintosh HD",
        userLocale: "en_US",
        userId: 501,
        ipv4Address: "127.0.0.1",
        physicalMemory: 16384,
        applescriptVersion: "2.8",
        applescriptStudioVersion: "1.5.3",
        primaryEthernetAddress: "00:00:00:00:00:00",
        cpuSpeed: 0,
      };
    },
    systemAttribute(name) {
      return native.getenv(text(name)) ?? "";
    },
    getVolumeSettings() {
      const settings = { outputVolume: 50, inputVolume: 50, alertVolume: 100, outputMuted: false };
      return Object.assign(settings, JSON.parse(native.volume() ?? "{}"));
    },
    setVolume(loudness, params = {}) {
      const settings = this.getVolumeSettings();
      const within = (value, most) => Math.max(0, Math.min(most, number(value)));
      // The older form counts from 0 to 7.
      if (typeof loudness === "number") settings.outputVolume = Math.round((within(loudness, 7) * 100) / 7);
      for (const name of ["outputVolume", "inputVolume", "alertVolume"])
        if (params[name] !== undefined) settings[name] = Math.round(within(params[name], 100));
      if (params.outputMuted !== undefined) settings.outputMuted = Boolean(params.outputMuted);
      native.setVolume(JSON.stringify(settings));
      return null;
    },
    openLocation(url) {
      text(url);
      return null;
    },
    read(what, params = {}) {
      const bytes = native.readFile(file(what)) ?? refuse(-43);
      const from = params.from === undefined ? (open.get(what)?.at ?? 0) : params.from - 1;
      const to = params.to ?? (params.for === undefined ? bytes.length : from + params.for);
      if (from >= bytes.length && bytes.length > 0) refuse(-39);
      let read = bytes.slice(from, to);
      for (const ends of [params.before, params.until])
        if (ends !== undefined && read.includes(ends))
          read = read.slice(0, read.indexOf(ends) + (ends === params.until ? 1 : 0));
      if (open.has(what)) open.get(what).at = from + read.length;
      const words = native.decode(read) ?? read;
      const by = params.usingDelimiter ?? params.usingDelimiters;
      return by === undefined ? words : words.split([].concat(by)[0]);
    },
    openForAccess(what, params = {}) {
      const name = path(what);
      if (params.writePermission !== true && native.kind(name) !== 1) refuse(-43);
      for (const each of open.values()) if (each.path === name && each.writes && params.writePermission) refuse(-49);
      if (params.writePermission === true && native.kind(name) === 0) wrote(native.writeFile(name, ""));
      const number = 5000 + open.size * 2;
      open.set(number, { path: name, writes: params.writePermission === true, at: 0 });
      return number;
    },
    closeAccess(what) {
      const [number] =
        [...open].find(([number, each]) => number === what || (what instanceof Path && each.path === String(what))) ??
        refuse(-38);
      open.delete(number);
      return null;
    },
    getEof(what) {
      return native.readFile(file(what))?.length ?? native.attributes(file(what))?.size ?? refuse(-43);
    },
    setEof(what, params = {}) {
      // The content of one of Finder's items is known only once it is emptied.
      const emptied = params.to === 0 && native.kind(file(what)) === 1;
      const bytes = native.readFile(file(what)) ?? (emptied ? "" : refuse(-43));
      wrote(native.writeFile(writable(what), bytes.slice(0, number(params.to)).padEnd(params.to, "\0")));
      return null;
    },
    write(words, params = {}) {
      if (params.to === undefined) refuse(-1701);
      const name = writable(params.to),
        old = native.readFile(name) ?? "";
      const bytes = native.encode(text(words)) ?? refuse(-1700);
      const at =
        params.startingAt === undefined
          ? (open.get(params.to)?.at ?? 0)
          : params.startingAt < 0
            ? old.length + params.startingAt + 1
            : Math.max(params.startingAt - 1, 0);
      wrote(native.writeFile(name, old.slice(0, at) + bytes + old.slice(at + bytes.length)));
      if (open.has(params.to)) open.get(params.to).at = at + bytes.length;
      return null;
    },
    listFolder(what) {
      return native.list(path(what)) ?? refuse(-43);
    },
    infoFor(what) {
      const name = path(what),
        found = native.attributes(name) ?? refuse(-43);
      const last = name.replace(/\/$/, "").split("/").pop();
      return {
        name: last,
        displayedName: last,
        nameExtension: /[^.]\.([^.]+)$/.exec(last)?.[1] ?? null,
        folder: found.kind === 2,
        alias: false,
        size: found.size,
        creationDate: new Date(found.created * 1000),
        modificationDate: new Date(found.modified * 1000),
        visible: !last.startsWith("."),
        extensionHidden: false,
        busyStatus: false,
        locked: false,
        packageFolder: false,
      };
    },
    // Runs a script in the named language. The simulated Mac has only JavaScript.
    runScript(source, params = {}) {
      if (!/^javascript$/i.test(params.in ?? "AppleScript")) refuse(-1762);
      const before = globalThis.run;
      globalThis.run = undefined;
      try {
        const value = (0, eval)(text(source));
        return typeof globalThis.run === "function" ? globalThis.run([].concat(params.withParameters ?? [])) : value;
      } finally {
        globalThis.run = before;
      }
    },
    asciiCharacter(code) {
      return String.fromCharCode(number(code));
    },
    asciiNumber(character) {
      return text(character).charCodeAt(0);
    },
    offset(params = {}) {
      return text(params.in).indexOf(text(params.of)) + 1;
    },
  };

  // Each command is an event to the application object that it is called on.
  return (node, key) =>
    Object.hasOwn(additions, key)
      ? (...args) => {
          native.addition(node, key);
          return additions[key](...args);
        }
      : undefined;
})
