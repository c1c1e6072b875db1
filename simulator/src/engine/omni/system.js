// What every app of the Omni Group has: versions, devices, calendars, formats, bytes, URLs.
class Version {
  constructor(text) {
    this.versionString = textOf(text, "the version");
  }
  get [ROW]() {
    return this.versionString.split(".").map(Number);
  }
  compare(other) {
    const [a, b] = [this[ROW], other[ROW]];
    for (let i = 0; i < Math.max(a.length, b.length); i++)
      if ((a[i] ?? 0) !== (b[i] ?? 0)) return (a[i] ?? 0) - (b[i] ?? 0);
    return 0;
  }
  equals(other) {
    return this.compare(other) === 0;
  }
  atLeast(other) {
    return this.compare(other) >= 0;
  }
  isAfter(other) {
    return this.compare(other) > 0;
  }
  isBefore(other) {
    return this.compare(other) < 0;
  }
  toString() {
    return this.versionString;
  }
}
class Application {
  constructor(token) {
    if (token !== ROW) throw new TypeError("Application has no constructor");
  }
  get name() {
    return "OmniFocus";
  }
  get version() {
    return native.version;
  }
  get userVersion() {
    return new Version(native.version);
  }
  get buildVersion() {
    return new Version(native.build);
  }
  get platformName() {
    return "macOS";
  }
  get commandKeyDown() {
    return false;
  }
  get controlKeyDown() {
    return false;
  }
  get optionKeyDown() {
    return false;
  }
  get shiftKeyDown() {
    return false;
  }
}
const DeviceType = enumeration("DeviceType", ["iPad", "iPhone", "mac", "visionPro"]);
const Device = {
  current: {
    iOS: false,
    iPad: false,
    mac: true,
    visionPro: false,
    type: DeviceType.mac,
    operatingSystemVersion: new Version("26.4"),
    operatingSystemBuildNumber: "25E246",
  },
};

class TimeZone {
  constructor(abbreviation) {
    this.abbreviation = abbreviation;
  }
  get secondsFromGMT() {
    return -60 * new SystemDate(clock()).getTimezoneOffset();
  }
  get daylightSavingTime() {
    const year = new SystemDate(clock()).getFullYear();
    const offsets = [0, 6].map((m) => new SystemDate(year, m, 1).getTimezoneOffset());
    return offsets[0] !== offsets[1] && new SystemDate(clock()).getTimezoneOffset() === Math.min(...offsets);
  }
}
class DateComponents {
  constructor() {
    for (const name of ["era", "year", "month", "day", "hour", "minute", "second", "nanosecond", "timeZone"])
      this[name] = null;
  }
  get date() {
    return calendar.dateFromDateComponents(this);
  }
}
class Calendar {
  constructor(token) {
    if (token !== ROW) throw new TypeError("Calendar has no constructor");
  }
  get identifier() {
    return "gregorian";
  }
  get locale() {
    return null;
  }
  get timeZone() {
    return new TimeZone(null);
  }
  startOfDay(date) {
    return new SystemDate(date.getFullYear(), date.getMonth(), date.getDate());
  }
  dateComponentsFromDate(date) {
    const made = new DateComponents();
    return Object.assign(made, {
      era: 1,
      year: date.getFullYear(),
      month: date.getMonth() + 1,
      day: date.getDate(),
      hour: date.getHours(),
      minute: date.getMinutes(),
      second: date.getSeconds(),
      nanosecond: date.getMilliseconds() * 1e6,
    });
  }
  dateFromDateComponents(c) {
    return new SystemDate(c.year ?? 1, (c.month ?? 1) - 1, c.day ?? 1, c.hour ?? 0, c.minute ?? 0, c.second ?? 0);
  }
  dateByAddingDateComponents(date, c) {
    const months = (c.year ?? 0) * 12 + (c.month ?? 0);
    const first = new SystemDate(date.getFullYear(), date.getMonth() + months, 1);
    const day = Math.min(date.getDate(), daysIn(first.getFullYear(), first.getMonth()));
    return new SystemDate(
      first.getFullYear(),
      first.getMonth(),
      day + (c.day ?? 0),
      date.getHours() + (c.hour ?? 0),
      date.getMinutes() + (c.minute ?? 0),
      date.getSeconds() + (c.second ?? 0),
      date.getMilliseconds(),
    );
  }
  dateComponentsBetweenDates(start, end) {
    const made = new DateComponents();
    return Object.assign(made, {
      day: Math.trunc((end - start) / 864e5),
      hour: Math.trunc((end - start) / 36e5) % 24,
      minute: Math.trunc((end - start) / 6e4) % 60,
      second: Math.trunc((end - start) / 1e3) % 60,
    });
  }
}
const calendar = new Calendar(ROW);
Object.assign(Calendar, { current: calendar, gregorian: calendar, iso8601: calendar });

const two = (number) => String(number).padStart(2, "0");
const NAMES = {
  months: "January February March April May June July August September October November December".split(" "),
  days: ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"],
};
const FIELDS = {
  yyyy: (d) => d.getFullYear(),
  yy: (d) => two(d.getFullYear() % 100),
  y: (d) => d.getFullYear(),
  MMMM: (d) => NAMES.months[d.getMonth()],
  MMM: (d) => NAMES.months[d.getMonth()].slice(0, 3),
  MM: (d) => two(d.getMonth() + 1),
  M: (d) => d.getMonth() + 1,
  dd: (d) => two(d.getDate()),
  d: (d) => d.getDate(),
  EEEE: (d) => NAMES.days[d.getDay()],
  EEE: (d) => NAMES.days[d.getDay()].slice(0, 3),
  HH: (d) => two(d.getHours()),
  H: (d) => d.getHours(),
  hh: (d) => two(d.getHours() % 12 || 12),
  h: (d) => d.getHours() % 12 || 12,
  mm: (d) => two(d.getMinutes()),
  ss: (d) => two(d.getSeconds()),
  SSS: (d) => String(d.getMilliseconds()).padStart(3, "0"),
  a: (d) => (d.getHours() < 12 ? "AM" : "PM"),
};
const DateStyle = enumeration("Formatter.Date.Style", ["Full", "Long", "Medium", "Short"]);
const DATE_FORMS = { Full: "EEEE, MMMM d, yyyy", Long: "MMMM d, yyyy", Medium: "MMM d, yyyy", Short: "M/d/yy" };
const TIME_FORMS = { Full: "h:mm:ss a", Long: "h:mm:ss a", Medium: "h:mm:ss a", Short: "h:mm a" };
class Formatter {}
class DateFormatter extends Formatter {
  constructor(token, format) {
    super();
    if (token !== ROW) throw new TypeError("Formatter.Date has no constructor");
    this.dateFormat = format;
  }
  stringFromDate(date) {
    return this.dateFormat.replace(/'([^']*)'|([A-Za-z])\2*/g, (field, quoted) =>
      quoted !== undefined ? quoted : FIELDS[field] ? FIELDS[field](date) : field,
    );
  }
  dateFromString(text) {
    const order = [];
    const pattern = this.dateFormat
      .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
      .replace(/'([^']*)'|(yyyy|MM?|dd?|HH?|mm|ss)/g, (field, quoted) =>
        quoted !== undefined ? quoted : (order.push(field[0] + (field === "mm" ? "i" : "")), "(\\d+)"),
      );
    const found = new RegExp(`^${pattern}$`).exec(text);
    if (!found) return null;
    const part = (key, otherwise) => (order.includes(key) ? Number(found[order.indexOf(key) + 1]) : otherwise);
    return new SystemDate(part("y", 2000), part("M", 1) - 1, part("d", 1), part("H", 0), part("mi", 0), part("s", 0));
  }
  static withFormat(format) {
    return new DateFormatter(ROW, textOf(format, "the format"));
  }
  static withStyle(date, time) {
    const forms = [date && DATE_FORMS[date[ROW].name], time && TIME_FORMS[time[ROW].name]].filter(Boolean);
    return new DateFormatter(ROW, forms.join(" 'at' "));
  }
  static get iso8601() {
    return new DateFormatter(ROW, "yyyy-MM-dd'T'HH:mm:ss");
  }
}
Object.defineProperty(DateFormatter, "Style", { value: DateStyle });
Object.defineProperty(DateFormatter, "name", { value: "Formatter.Date" });
Object.assign(Formatter, { Date: DateFormatter });

class URL {
  constructor(token, text) {
    if (token !== ROW) throw new TypeError("URL has no constructor");
    Object.defineProperty(this, ROW, { value: text });
  }
  static fromString(text) {
    return /\s/.test(textOf(text, "the text")) ? null : new URL(ROW, text);
  }
  static fromPath(path, isDirectory) {
    return new URL(
      ROW,
      `file://${encodeURI(textOf(path, "the path"))}${isDirectory === true && !path.endsWith("/") ? "/" : ""}`,
    );
  }
  static get currentAppScheme() {
    return "omnifocus";
  }
  // Opens another app or another view, which has no visible effect here.
  open() {}
  fetch() {
    fail("the simulated Mac has no network");
  }
  call() {
    fail("no other app answers on the simulated Mac");
  }
  get string() {
    return this[ROW];
  }
  get absoluteString() {
    return this[ROW];
  }
  get scheme() {
    return /^([a-z][a-z0-9+.-]*):/i.exec(this[ROW])?.[1] ?? null;
  }
  get isFileURL() {
    return this.scheme === "file";
  }
  get lastPathComponent() {
    return (
      decodeURIComponent(this.path ?? "")
        .split("/")
        .filter(Boolean)
        .at(-1) ?? ""
    );
  }
  get pathExtension() {
    return /[^.]\.([^./]+)$/.exec(this.lastPathComponent)?.[1] ?? "";
  }
  get host() {
    return /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(this[ROW])?.[1] || null;
  }
  get path() {
    return /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^?#]*)/i.exec(this[ROW])?.[1] ?? null;
  }
  get query() {
    return /\?([^#]*)/.exec(this[ROW])?.[1] ?? null;
  }
  toString() {
    return this[ROW];
  }
}
// Preferences that scripts store, by the name that they chose.
const PREFERENCES = ".preferences";
class Preferences {
  constructor(identifier) {
    this.identifier = identifier ?? "com.omnigroup.OmniFocus4";
  }
  read(key) {
    const kept = JSON.parse(term(database, PREFERENCES) ?? "{}")[this.identifier]?.[textOf(key, "the key")] ?? null;
    return kept?.date === undefined ? kept : new SystemDate(kept.date);
  }
  readString(key) {
    const value = this.read(key);
    return typeof value === "string" ? value : null;
  }
  readNumber(key) {
    return Number(this.read(key)) || 0;
  }
  readBoolean(key) {
    return this.read(key) === true;
  }
  readDate(key) {
    const value = this.read(key);
    return isDate(value) ? value : null;
  }
  write(key, value) {
    if (!["boolean", "string", "number"].includes(typeof value) && value !== null && !isDate(value))
      fail(`the value must be a Boolean, a String, a Number, a Date or null, not ${describe(value)}`);
    this[ROW](textOf(key, "the key"), isDate(value) ? { date: value.getTime() } : value);
  }
  remove(key) {
    this[ROW](textOf(key, "the key"), null);
  }
  [ROW](key, value) {
    const all = JSON.parse(term(database, PREFERENCES) ?? "{}");
    const own = { ...all[this.identifier], [key]: value };
    if (value === null) delete own[key];
    write(database, PREFERENCES, JSON.stringify({ ...all, [this.identifier]: own }));
  }
}

// The global scope.
function define(name, get) {
  Object.defineProperty(globalThis, name, {
    configurable: true,
    enumerable: false,
    get,
    set(value) {
      Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
    },
  });
}
// The document also has the flat lists, but not the functions of the database.
for (const name of ["flattenedTasks", "flattenedProjects", "flattenedTags", "flattenedFolders"]) {
  Object.defineProperty(DatabaseDocument.prototype, name, { get: lists[name] });
}
for (const [name, get] of Object.entries(lists)) {
  define(name, get);
  Object.defineProperty(Database.prototype, name, { get });
}
const app = new Application(ROW),
  settings = new Settings(),
  openDocument = new DatabaseDocument();
const noted = { log() {}, error() {}, info() {}, warn() {}, clear() {} };
for (const [name, value] of Object.entries({
  app,
  settings,
  document: openDocument,
  console: noted,
  canUndo: false,
  canRedo: false,
})) {
  define(name, () => value);
  Object.defineProperty(Database.prototype, name, { get: () => value });
}
for (const [name, value] of Object.entries(operations)) define(name, () => value);
const types = {
  Alert,
  Application,
  ApplyResult,
  Calendar,
  ContentTree,
  Database,
  DatabaseDocument,
  DatabaseObject,
  DatedObject,
  ActiveObject,
  Data,
  DateComponents,
  Device,
  DeviceType,
  DocumentWindow,
  FileWrapper,
  Folder,
  FolderArray,
  ForecastDay,
  Form,
  Formatter,
  Inbox,
  Library,
  Notification,
  ObjectIdentifier,
  Pasteboard,
  Perspective,
  PlugIn,
  Preferences,
  Project,
  ProjectArray,
  SectionArray,
  Selection,
  Settings,
  SidebarTree,
  StringEncoding,
  Tag,
  TagArray,
  Tags,
  Task,
  TaskArray,
  TimeZone,
  Timer,
  Tree,
  TreeNode,
  URL,
  Version,
  Window,
};
for (const [name, value] of Object.entries(types)) define(name, () => value);
for (const name of ["queueMicrotask", "InternalError", "gc", "navigator", "performance", "WeakRef"])
  delete globalThis[name];

const ClockedDate = new Proxy(SystemDate, {
  construct: (target, args, as) => Reflect.construct(target, args.length ? args : [clock()], as),
  apply: () => new SystemDate(clock()).toString(),
  get: (target, key) => (key === "now" ? clock : target[key]),
});
SystemDate.prototype.constructor = ClockedDate;
globalThis.Date = ClockedDate;

// Converts the result of an evaluation to JSON. Objects of the database have no form outside it.
function outward(value) {
  if (value === undefined || value === null) return null;
  if (isDate(value)) return { date: toSeconds(value) };
  if (Array.isArray(value)) return value.map(outward);
  if (typeof value === "object" || typeof value === "function" || typeof value === "symbol")
    return { refused: String(describe(value)) };
  return typeof value === "bigint" ? Number(value) : value;
}
