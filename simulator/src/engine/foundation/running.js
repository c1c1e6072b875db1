// Tasks, threads and the host, and what happens while a run loop runs: incoming input, and timers.
(function (tools) {
  "use strict";
  const { system, VALUE, kind, object, classOf, string, wrap, unwrap, deepUnwrap, text, time, selectorName } = tools;

  const HOST = "simulated-mac.local";
  kind("NSHost", {
    get: {
      localizedName: () => string("Simulated Mac"),
      name: () => string(HOST),
      names: () => wrap([HOST, "localhost"]),
      address: () => string("127.0.0.1"),
      addresses: () => wrap(["127.0.0.1", "::1"]),
    },
    call: { isEqualToHost: () => true },
  });
  classOf("NSHost", { get: { currentHost: () => object("NSHost", 0) } });
  classOf("NSThread", {
    make: {
      sleepForTimeInterval: (seconds) => system.sleep(seconds),
      sleepUntilDate: (date) => system.sleep(Math.max(0, (time(date) - Date.now()) / 1000)),
    },
    get: { isMainThread: () => true },
  });

  // A task runs if the world allows its shell command. It has already ended when launch returns.
  kind("NSPipe", { get: { fileHandleForReading: (v) => v.reading, fileHandleForWriting: (v) => v.writing } });
  const pipe = () => {
    const chunks = [];
    return object("NSPipe", {
      chunks,
      reading: object("NSFileHandle", { text: chunks }),
      writing: object("NSFileHandle", { text: chunks }),
    });
  };
  classOf("NSPipe", { get: { pipe, blank: pipe } });
  const quoted = (word) => `'${word.replaceAll("'", "'\\''")}'`;
  // Recognizes a command that opens an app without an Apple event. Everything else is a command for the shell.
  const opened = ([...words]) => (words.length > 1 && words.at(-2) === "-b" ? system.open(words.at(-1)) : null);
  function launch(v) {
    const open = v.launchPath === "/usr/bin/open" ? opened(v.arguments) : null;
    if (open !== null) {
      v.status = open ? 0 : 1;
      return;
    }
    if (!v.launchPath || system.kind(v.launchPath) === 0) throw new Error("launch path not accessible");
    const done = system.spawn(
      [v.launchPath, ...v.arguments].map(quoted).join(" "),
      [v.launchPath, ...v.arguments].join(" "),
    );
    if (!done) throw new Error("launch path not accessible");
    v.status = done.status;
    for (const [where, output] of [
      [v.standardOutput, done.out],
      [v.standardError, done.err],
    ]) {
      const chunks = where?.[VALUE]?.chunks ?? where?.[VALUE]?.text;
      if (chunks) chunks.push(system.encode(output));
      else system.write(where === v.standardError ? 2 : 1, system.encode(output));
    }
  }
  const settable = [
    "launchPath",
    "arguments",
    "environment",
    "currentDirectoryPath",
    "standardOutput",
    "standardError",
    "standardInput",
    "executableURL",
    "currentDirectoryURL",
  ];
  const assign = {
    launchPath: (v, path) => {
      v.launchPath = text(path);
    },
    executableURL: (v, url) => {
      v.launchPath = text(url);
    },
    arguments: (v, all) => {
      v.arguments = deepUnwrap(wrap(all)).map(String);
    },
  };
  kind("NSTask", {
    get: {
      launchPath: (v) => wrap(v.launchPath),
      arguments: (v) => wrap(v.arguments),
      launch,
      waitUntilExit: () => undefined,
      terminate: () => undefined,
      terminationStatus: (v) => v.status,
      terminationReason: () => 1,
      isRunning: () => false,
      running: () => false,
      processIdentifier: () => 4711,
      standardOutput: (v) => v.standardOutput,
      standardError: (v) => v.standardError,
      standardInput: (v) => v.standardInput,
    },
    set: Object.fromEntries(
      settable.map((name) => [
        name,
        assign[name] ??
          ((v, value) => {
            v[name] = value;
          }),
      ]),
    ),
    call: {
      launchAndReturnError: (v) => {
        launch(v);
        return true;
      },
    },
  });
  const task = () => object("NSTask", { arguments: [], status: 0 });
  classOf("NSTask", {
    get: { blank: task },
    make: {
      launchedTaskWithLaunchPathArguments: (path, all) => {
        const made = task();
        made.launchPath = path;
        made.arguments = all;
        launch(made[VALUE]);
        return made;
      },
    },
  });

  // Observers of notifications. The only one that the system posts says that stdin has data.
  const observers = [];
  const ready = "NSFileHandleDataAvailableNotification";
  let expected = null;
  const post = (name, sender, info) => {
    const note = object("NSNotification", { name, object: sender, info });
    for (const { observer, selector, name: wanted } of [...observers])
      if (wanted === undefined || wanted === name) observer[selectorName(selector)](note);
  };
  kind("NSNotification", {
    get: { name: (v) => string(v.name), object: (v) => v.object ?? wrap(null), userInfo: (v) => wrap(v.info) },
  });
  const forget = (v, observer) => {
    observers.splice(0, observers.length, ...observers.filter((each) => each.observer !== observer));
  };
  kind("NSNotificationCenter", {
    call: {
      addObserverSelectorNameObject: (v, observer, selector, name) => {
        observers.push({ observer, selector: text(selector), name: unwrap(name) });
      },
      removeObserver: forget,
      removeObserverNameObject: forget,
      postNotificationNameObject: (v, name, sender) => post(text(name), sender),
      postNotificationNameObjectUserInfo: (v, name, sender, info) => post(text(name), sender, info),
      postNotificationNameObjectUserInfoDeliverImmediately: () => undefined,
    },
  });
  for (const name of ["NSNotificationCenter", "NSDistributedNotificationCenter"])
    classOf(name, { get: { defaultCenter: () => object("NSNotificationCenter", 0) } });

  const timers = [];
  const timer = (interval, target, selector, info, repeats) => {
    const made = object("NSTimer", {
      at: Date.now() + interval * 1000,
      interval,
      fire: () => target[selectorName(text(selector))](made),
      repeats: Boolean(repeats),
      valid: true,
    });
    timers.push(made);
    return made;
  };
  kind("NSTimer", {
    get: {
      isValid: (v) => v.valid,
      invalidate: (v) => {
        v.valid = false;
      },
    },
  });
  classOf("NSTimer", { make: { scheduledTimerWithTimeIntervalTargetSelectorUserInfoRepeats: timer } });

  // Runs until a date, or if `once` is set, until one thing has happened.
  function runUntil(end, once) {
    for (;;) {
      const living = timers.filter((each) => each[VALUE].valid);
      const next = Math.min(end, ...living.map((each) => each[VALUE].at));
      const left = Math.max(0, (next - Date.now()) / 1000);
      if (expected && system.readable(left)) {
        const handle = expected;
        expected = null;
        post(ready, handle);
        if (once) return;
        continue;
      }
      if (!expected && left > 0 && next !== Infinity) system.sleep(left);
      const due = living.find((each) => each[VALUE].at <= Date.now());
      if (due) {
        const state = due[VALUE];
        state.at += state.interval * 1000;
        state.valid = state.repeats;
        state.fire();
        if (once) return;
      } else if (Date.now() >= end || next === Infinity) return;
    }
  }
  const endless = () => {
    if (!expected && !timers.some((each) => each[VALUE].valid)) return;
    runUntil(Infinity, false);
  };
  kind("NSRunLoop", {
    get: { run: endless },
    call: {
      runUntilDate: (v, date) => runUntil(time(date).getTime(), false),
      runModeBeforeDate: (v, mode, date) => {
        runUntil(time(date).getTime(), true);
        return true;
      },
      addTimerForMode: () => undefined,
    },
  });
  classOf("NSRunLoop", {
    get: { currentRunLoop: () => object("NSRunLoop", 0), mainRunLoop: () => object("NSRunLoop", 0) },
  });
  return {
    // Runs something after so many milliseconds, if a run loop is running then.
    after: (milliseconds, run) => {
      timers.push(
        object("NSTimer", { at: Date.now() + milliseconds, interval: 0, fire: run, repeats: false, valid: true }),
      );
    },
    expect: (handle) => {
      expected = handle;
    },
  };
})
