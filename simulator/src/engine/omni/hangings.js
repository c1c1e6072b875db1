// What is attached to a task or project: alerts, attached files, linked files. Each kind is stored as JSON in its own
// term.
const hung = (row, name) => JSON.parse(term(row, name) ?? "[]");
function hang(row, name, all) {
  write(row, name, JSON.stringify(all));
  touch(row);
}

// An alert is always represented by the same object, although it has no row; only its task has one.
const NotificationKind = enumeration("Task.Notification.Kind", ["Absolute", "DueRelative", "Unknown"]);
const alertRows = new Map();
function alertsOf(row) {
  return hung(row, ".alerts").map((alert) => {
    const known = alertRows.get(alert.id) ?? {
      c: "alert",
      i: undefined,
      id: alert.id,
      task: row,
      "creation date": alert.made,
      "modification date": alert.made,
    };
    alertRows.set(alert.id, known);
    return wrap(known);
  });
}
function alertOf(notification) {
  const { task, id } = notification[ROW];
  return hung(task, ".alerts").find((alert) => alert.id === id) ?? fail("the notification was removed");
}
function alter(notification, change) {
  const { task, id } = notification[ROW];
  hang(
    task,
    ".alerts",
    hung(task, ".alerts").map((alert) => (alert.id === id ? { ...alert, ...change } : alert)),
  );
}
// When an alert fires, in seconds. An alert relative to a due date that was removed has no time.
function fires(notification) {
  const alert = alertOf(notification);
  if (alert.at !== undefined) return alert.at;
  const due = effective.due(notification[ROW].task);
  return due === null ? null : due + alert.offset;
}
class TaskNotification extends DatedObject {
  constructor() {
    throw new TypeError("Task.Notification has no constructor");
  }
  get kind() {
    return alertOf(this).at === undefined ? NotificationKind.DueRelative : NotificationKind.Absolute;
  }
  get task() {
    return hung(this[ROW].task, ".alerts").some((alert) => alert.id === this[ROW].id) ? wrap(this[ROW].task) : null;
  }
  get initialFireDate() {
    return toDate(fires(this));
  }
  get nextFireDate() {
    const at = fires(this);
    return at !== null && at > nowSeconds() ? toDate(at) : null;
  }
  get isSnoozed() {
    return false;
  }
  get usesFloatingTimeZone() {
    return term(this[ROW].task, "should use floating time zone") !== false;
  }
  get repeatInterval() {
    return alertOf(this).every ?? 0;
  }
  set repeatInterval(value) {
    alter(this, {
      every:
        typeof value === "number"
          ? value
          : fail(`Task.Notification.repeatInterval must be a Number, not ${describe(value)}`),
    });
  }
  get absoluteFireDate() {
    return this.kind === NotificationKind.Absolute
      ? toDate(alertOf(this).at)
      : fail("absoluteFireDate belongs to notifications of the kind Absolute");
  }
  set absoluteFireDate(value) {
    if (this.absoluteFireDate) alter(this, { at: always(value, "Task.Notification.absoluteFireDate") });
  }
  get relativeFireOffset() {
    return this.kind === NotificationKind.DueRelative
      ? alertOf(this).offset
      : fail("relativeFireOffset belongs to notifications of the kind DueRelative");
  }
  set relativeFireOffset(value) {
    if (this.relativeFireOffset !== value)
      alter(this, {
        offset:
          typeof value === "number"
            ? value
            : fail(`Task.Notification.relativeFireOffset must be a Number, not ${describe(value)}`),
      });
  }
}
Object.defineProperty(TaskNotification, "name", { value: "Task.Notification" });
Object.defineProperty(TaskNotification, "Kind", { value: NotificationKind });
classes.alert = TaskNotification;
Object.assign(Task, { Notification: TaskNotification });

// Encodes bytes as base64.
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
function encoded(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const [a, b, c] = [bytes[at], bytes[at + 1], bytes[at + 2]];
    text += LETTERS[a >> 2] + LETTERS[((a & 3) << 4) | ((b ?? 0) >> 4)];
    text +=
      (b === undefined ? "=" : LETTERS[((b & 15) << 2) | ((c ?? 0) >> 6)]) + (c === undefined ? "=" : LETTERS[c & 63]);
  }
  return text;
}
function decoded(text) {
  const bytes = [],
    letters = [...text.replace(/[\s=]/g, "")].map((letter) => LETTERS.indexOf(letter));
  if (letters.includes(-1)) fail("the text is no base64");
  for (let at = 0; at + 1 < letters.length; at += 4) {
    const [a, b, c, d] = letters.slice(at, at + 4);
    bytes.push((a << 2) | (b >> 4));
    if (c !== undefined) bytes.push(((b & 15) << 4) | (c >> 2));
    if (d !== undefined) bytes.push(((c & 3) << 6) | d);
  }
  return bytes;
}
const StringEncoding = enumeration("StringEncoding", ["ASCII", "ISOLatin1", "UTF8", "Unicode"]);
class Data {
  constructor(token, bytes) {
    if (token !== ROW) throw new TypeError("Data has no constructor");
    Object.defineProperty(this, ROW, { value: bytes });
  }
  static fromString(text) {
    return new Data(
      ROW,
      [...unescape(encodeURIComponent(textOf(text, "the text")))].map((letter) => letter.charCodeAt(0)),
    );
  }
  static fromBase64(text) {
    return new Data(ROW, decoded(textOf(text, "the text")));
  }
  get length() {
    return this[ROW].length;
  }
  toBase64() {
    return encoded(this[ROW]);
  }
  toString() {
    try {
      return decodeURIComponent(escape(String.fromCharCode(...this[ROW])));
    } catch {
      return fail("the data is no text in this encoding");
    }
  }
}

const FileType = enumeration("FileWrapper.Type", ["Directory", "File", "Link"]);
class FileWrapper {
  constructor(token, name, contents) {
    if (token !== ROW) throw new TypeError("FileWrapper has no constructor");
    this.filename = name;
    this.preferredFilename = name;
    Object.defineProperty(this, "contents", { value: contents, enumerable: true });
  }
  static withContents(name, contents) {
    if (!(contents instanceof Data)) fail(`the contents must be Data, not ${describe(contents)}`);
    return new FileWrapper(ROW, name ?? null, contents);
  }
  // The app is sandboxed: it cannot read a file that the user has not picked.
  static fromURL(url) {
    return fail(
      `The file “${decodeURIComponent(String(url)).split("/").pop()}” couldn’t be opened because you don’t have permission to view it.`,
    );
  }
  write() {
    fail("You don’t have permission to save the file.");
  }
  get type() {
    return FileType.File;
  }
  get children() {
    return [];
  }
  get destination() {
    return null;
  }
  childNamed() {
    return null;
  }
}
Object.defineProperty(FileWrapper, "Type", { value: FileType });
const packed = (wrapper, what) => {
  if (!(wrapper instanceof FileWrapper)) fail(`${what} must be a FileWrapper, not ${describe(wrapper)}`);
  return { name: wrapper.preferredFilename ?? wrapper.filename, data: wrapper.contents.toBase64() };
};
const fileURL = (url) =>
  url instanceof URL && url.scheme === "file" ? url.string : fail(`the URL must be a file URL, not ${describe(url)}`);

function hanging(type, home) {
  const at = (object) => home(object[ROW]);
  reading(type, {
    notifications: (row) => alertsOf(home(row)),
    linkedFileURLs: (row) => hung(home(row), ".links").map((link) => new URL(ROW, link)),
  });
  Object.defineProperty(values(type), "attachments", {
    configurable: true,
    enumerable: true,
    get() {
      return hung(at(this), ".attachments").map(({ name, data }) => new FileWrapper(ROW, name, Data.fromBase64(data)));
    },
    set(all) {
      if (!Array.isArray(all)) fail(`${type.name}.attachments must be an Array of FileWrapper, not ${describe(all)}`);
      hang(
        at(this),
        ".attachments",
        all.map((each) => packed(each, "an attachment")),
      );
    },
  });
  Object.assign(type.prototype, {
    addNotification(info) {
      const row = at(this),
        relative = typeof info === "number";
      if (!relative && !isDate(info)) fail(`the notification must be a Number or a Date, not ${describe(info)}`);
      if (relative && effective.due(row) === null) fail("a notification before the due date needs a due date");
      const alert = {
        id: freshKey(),
        made: nowSeconds(),
        ...(relative ? { offset: info } : { at: dateOrNull(info, "the date") }),
      };
      hang(row, ".alerts", [...hung(row, ".alerts"), alert]);
      return alertsOf(row).at(-1);
    },
    removeNotification(notification) {
      if (!(notification instanceof TaskNotification))
        fail(`the notification must be a Task.Notification, not ${describe(notification)}`);
      const row = at(this),
        all = hung(row, ".alerts"),
        { id } = notification[ROW];
      if (!all.some((alert) => alert.id === id)) fail("the notification belongs to another task");
      hang(
        row,
        ".alerts",
        all.filter((alert) => alert.id !== id),
      );
    },
    addAttachment(wrapper) {
      hang(at(this), ".attachments", [...hung(at(this), ".attachments"), packed(wrapper, "the attachment")]);
    },
    removeAttachmentAtIndex(index) {
      const all = hung(at(this), ".attachments");
      if (!Number.isInteger(index) || index < 0 || index >= all.length)
        fail(`there is no attachment at the index ${index}`);
      hang(
        at(this),
        ".attachments",
        all.filter((_, place) => place !== index),
      );
    },
    addLinkedFileURL(url) {
      const link = fileURL(url),
        all = hung(at(this), ".links");
      if (!all.includes(link)) hang(at(this), ".links", [...all, link]);
    },
    removeLinkedFileWithURL(url) {
      const link = fileURL(url);
      hang(
        at(this),
        ".links",
        hung(at(this), ".links").filter((each) => each !== link),
      );
    },
  });
}
hanging(Task, (row) => row);
hanging(Project, rootOf);
