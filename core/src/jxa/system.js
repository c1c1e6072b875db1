
// Which apps run; asking launches none. Null where there is no such app.
const running = (apps) =>
  apps.map((id) => {
    try {
      return Application(id).running() === true;
    } catch (error) {
      return null;
    }
  });

// Where the app lies that is in front, and its bundle id. The system's own command comes first: NSWorkspace keeps its
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
