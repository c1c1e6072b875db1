// The rows of the database: a copy of the app's objects, and every change to them.
// A row has `i` its number, `c` its class, `p` the row that contains it, `e` its lists, and its terms. Dates are
// local seconds.
const ROW = Symbol("row");
const data = JSON.parse(native.load());
const rows = new Map();
for (const row of data.objects) rows.set(row.i, row);
const database = rows.get(data.document);
// Counts changes. Results that were computed before a change are computed again.
let version = 0;

const parentOf = (row) => rows.get(row.p);
const list = (row, name) => row.e?.[name] ?? [];
const children = (row, name) => list(row, name).map((id) => rows.get(id));
const term = (row, name) => row[name] ?? null;

const fail = (message) => {
  throw new Error(message);
};
const describe = (value) =>
  value === null || value === undefined
    ? String(value)
    : Array.isArray(value)
      ? "an Array"
      : typeof value === "object"
        ? `a ${value.constructor?.name ?? "Object"}`
        : `a ${typeof value}`;

// Converts values to the format of the journal.
const wire = {
  plain: (value) => (typeof value === "string" ? (value.toWellFormed?.() ?? value) : value),
  date: (seconds) => (seconds === null ? null : { date: seconds }),
  name: (name) => ({ enumerator: name }),
  one: (row) => (row === null ? null : { held: row.i }),
  many: (all) => all.map((row) => ({ held: row.i })),
  record: (fields) => (fields === null ? null : { record: fields }),
};

function write(row, name, value, how = wire.plain) {
  row[name] = how === wire.one ? (value?.i ?? null) : how === wire.many ? value.map((each) => each.i) : value;
  native.set(row.i, name, JSON.stringify(how(value)));
  version++;
}
function touch(row) {
  write(row.c === "project" ? rootOf(row) : row, "modification date", nowSeconds(), wire.date);
}

// Adds a row to a list. `values` are [term, value, form].
function insert(of, name, c, at, values) {
  const i = native.add(
    of.i,
    name,
    c ?? null,
    at ?? null,
    JSON.stringify(values.map(([key, value, how]) => [key, (how ?? wire.plain)(value)])),
  );
  const row = { i, c: c ?? name, p: of.i };
  for (const [key, value, how] of values)
    row[key] = how === wire.one ? (value?.i ?? null) : how === wire.many ? value.map((each) => each.i) : value;
  rows.set(i, row);
  enlist(of, name, i, at);
  byKey.get(kindOf(row.c))?.set(keyOf(row), row);
  version++;
  return row;
}
function enlist(of, name, i, at) {
  of.e ??= {};
  const all = (of.e[name] ??= []);
  all.splice(at ?? all.length, 0, i);
}
function unlist(row) {
  for (const all of Object.values(parentOf(row)?.e ?? {})) {
    const at = all.indexOf(row.i);
    if (at >= 0) all.splice(at, 1);
  }
}
function relocate(row, to, name, at) {
  unlist(row);
  native.move(row.i, to.i, name, at ?? null);
  row.p = to.i;
  if (kindOf(row.c) === "task") row.c = name;
  enlist(to, name, row.i, at);
  version++;
}
function erase(row) {
  native.remove(row.i);
  unlist(row);
  const gone = [row];
  while (gone.length) {
    const each = gone.pop();
    rows.delete(each.i);
    byKey.get(kindOf(each.c))?.delete(keyOf(each));
    for (const all of Object.values(each.e ?? {})) for (const id of all) if (rows.has(id)) gone.push(rows.get(id));
  }
  version++;
}

// Rows by class and primary key.
const byKey = new Map();
const kindOf = (c) => (c === "inbox task" ? "task" : c);
function keyed(kind, key) {
  if (!byKey.has(kind)) {
    const found = new Map();
    for (const row of rows.values()) if (kindOf(row.c) === kind) found.set(keyOf(row), row);
    byKey.set(kind, found);
  }
  return byKey.get(kind).get(key);
}
// A project's own key differs from that of its root task.
const keyOf = (row) => (row.c === "project" ? row[".key"] : row.id);
const freshKey = () => native.key(version++);

// Dates: the app stores whole seconds of the wall clock.
const SystemDate = Date;
const clock = () => SystemDate.now() + native.offset;
const toSeconds = (d) =>
  Math.floor(Date.UTC(d.getFullYear(), d.getMonth(), d.getDate(), d.getHours(), d.getMinutes(), d.getSeconds()) / 1000);
function toDate(seconds) {
  if (seconds === null || seconds === undefined) return null;
  // The engine looks up the offset as if the wall clock's time were UTC, which is wrong in the hours around a clock
  // change.
  const offset = (time) => new SystemDate(time).getTimezoneOffset();
  const at = (minutes) => seconds * 1000 + minutes * 60000;
  return new SystemDate(at(offset(at(offset(seconds * 1000)))));
}
const nowSeconds = () => toSeconds(new SystemDate(clock()));
const isDate = (value) => value instanceof SystemDate;
function dateOrNull(value, what) {
  if (value === null || value === undefined) return null;
  if (!isDate(value) || Number.isNaN(value.getTime()))
    fail(`${what} must be a valid Date or null, not ${describe(value)}`);
  return toSeconds(value);
}

// Caches a result until the next change.
function remembered(work) {
  let at = -1,
    found;
  return () => {
    if (at !== version) {
      found = work();
      at = version;
    }
    return found;
  };
}
