// Which apps run; asking launches none. Null where there is no such app.
const running = (apps) =>
  apps.map((id) => {
    try {
      return Application(id).running() === true;
    } catch (error) {
      return null;
    }
  });

// Whether a file exists. Null if that cannot be determined: macOS may hide the contents of a folder from this process.
const there = (path) => {
  try {
    ObjC.import("Foundation");
    const manager = $.NSFileManager.defaultManager;
    if (manager.fileExistsAtPath(path)) return true;
    const folder = path.slice(0, path.lastIndexOf("/")) || "/";
    if (!manager.fileExistsAtPath(folder)) return null;
    const names = manager.contentsOfDirectoryAtPathError(folder, null);
    return names === null || names === undefined || names.isNil() ? null : false;
  } catch (error) {
    return null;
  }
};

// The time of this Mac, so that a client knows what "today" is.
const clock = () => {
  const now = new Date();
  let zone = null;
  try {
    zone = wellFormed(ObjC.unwrap($.NSTimeZone.localTimeZone.name));
  } catch (error) {
    // The offset in the time is enough.
  }
  return { now: stamp(now), weekday: WEEKDAYS[now.getDay()], zone: zone };
};

// The dates that moments and times without an offset mean.
const moments = (all) => all.map((each) => stamp(dated(each)));

// The path of the app in front, and its bundle id. The system's own command comes first: NSWorkspace keeps its
// first answer in a process without a run loop, such as a worker.
const frontmost = () => {
  at = "frontmost";
  ObjC.import("AppKit");
  const text = (value) => {
    const known = ObjC.unwrap(value);
    return typeof known === "string" ? wellFormed(known) : null;
  };
  try {
    const path = additions().pathTo("frontmost application").toString();
    return { path: wellFormed(path), id: text($.NSBundle.bundleWithPath(path).bundleIdentifier) };
  } catch (error) {
    const front = $.NSWorkspace.sharedWorkspace.frontmostApplication;
    return { path: text(front.bundleURL.path), id: text(front.bundleIdentifier) };
  }
};
