// The fixed part of every script. Identifiers of the app are in the part that follows it; everything that came from
// a client is in `d`. The output is ASCII: other characters are escaped, and a lone surrogate becomes U+FFFD.
"use strict";
let events = 0;
let at = "start";
let strategy = null;
let reason = null;

// Each call sends one Apple event.
const ask = (event) => {
  events += 1;
  return event();
};
// The expected time of a column of this many values, in milliseconds.
const priceOf = (each, values) => d.event + each * values;
// The time of each kind of event is measured, so that the next request can choose better.
const spent = { columns: 0, column_ms: 0, expected_ms: 0, singles: 0, single_ms: 0 };
const askColumn = (event, each) => {
  const begun = Date.now(),
    values = ask(event);
  spent.columns += 1;
  spent.column_ms += Date.now() - begun;
  spent.expected_ms += priceOf(each, Array.isArray(values) ? values.length : 0);
  return values;
};
const askSingle = (event) => {
  const begun = Date.now(),
    value = ask(event);
  spent.singles += 1;
  spent.single_ms += Date.now() - begun;
  return value;
};

// Errors after which nothing else in this app can work: it quit, does not answer, or refuses access.
const fatal = (number) => [-600, -609, -1712, -1743, -1744].includes(number);
// A number that only this server uses: another object is at the position of the intended one.
const MOVED = 20001;
// Errors that a read of a collection may return although each of its items can be read: apps differ in the number.
const singly = (number) => [-1700, -1708, -1719, -1723, -1726, -1728, -1731, -10000, -10001, -10010].includes(number);
const missing = (number) => number === -1728 || number === -1719;
const numberOf = (error) =>
  error !== null && typeof error === "object" && typeof error.errorNumber === "number" ? error.errorNumber : -2700;
const messageOf = (error) =>
  wellFormed(String(error !== null && typeof error === "object" && "message" in error ? error.message : error)).slice(
    0,
    500,
  );
const failed = (error) => {
  if (fatal(numberOf(error))) throw error;
  return { $: "error", number: numberOf(error), message: messageOf(error) };
};

const wellFormed = (text) =>
  text.replace(/[\uD800-\uDBFF][\uDC00-\uDFFF]|[\uD800-\uDFFF]/g, (match) => (match.length === 2 ? match : "\uFFFD"));
const ascii = (value) =>
  JSON.stringify(value).replace(/[\u007f-\uffff]/g, (c) => "\\u" + ("000" + c.charCodeAt(0).toString(16)).slice(-4));

const two = (n) => (n < 10 ? "0" : "") + n;
const stamp = (date) => {
  if (isNaN(date.getTime())) return null;
  const zone = -Math.round(date.getTimezoneOffset()),
    off = Math.abs(zone),
    ms = date.getMilliseconds();
  return (
    ("000" + date.getFullYear()).slice(-4) +
    "-" +
    two(date.getMonth() + 1) +
    "-" +
    two(date.getDate()) +
    "T" +
    two(date.getHours()) +
    ":" +
    two(date.getMinutes()) +
    ":" +
    two(date.getSeconds()) +
    (ms ? "." + ("00" + ms).slice(-3) : "") +
    (zone < 0 ? "-" : "+") +
    two(Math.floor(off / 60)) +
    ":" +
    two(off % 60)
  );
};

// The requested part of a text, counted in code points.
const excerpt = (text) => {
  const from = d.text ? d.text[0] : 0,
    limit = d.text ? d.text[1] : 1000000;
  if (from === 0 && text.length <= limit) return wellFormed(text);
  let total = 0,
    part = "";
  for (const point of text) {
    if (total >= from && total < from + limit) part += point;
    total += 1;
  }
  if (from === 0 && total <= limit) return wellFormed(text);
  return { $: "text", v: wellFormed(part), from: from, total: total };
};

const source = (value) => wellFormed(String(Automation.getDisplayString(value)));
// Names from the dictionary are never cut: `uncut` is true for such a value, or lists such keys of a record.
const uncut = (one) => Object.assign(one, { uncut: true });
// A property on a path through objects. If `first` or `owner` reads no object, it has no value and is not an error.
const through = (one, first, names, owner) => Object.assign(one, { uncut: names, first: first, owner: owner });
// A part of a date, in the time zone of this Mac. A week belongs to the year of its Thursday, as in ISO 8601.
const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const PARTS = {
  year: (date) => date.getFullYear(),
  month: (date) => date.getMonth() + 1,
  day: (date) => date.getDate(),
  weekday: (date) => WEEKDAYS[date.getDay()],
  hour: (date) => date.getHours(),
  minute: (date) => date.getMinutes(),
  date: (date) => stamp(date).slice(0, 10),
  week: (date) => {
    const thursday = new Date(date.getFullYear(), date.getMonth(), date.getDate() + 3 - ((date.getDay() + 6) % 7)),
      first = new Date(thursday.getFullYear(), 0, 1),
      passed = Math.round((thursday - first) / 86400000);
    return thursday.getFullYear() + "-W" + two(1 + Math.floor(passed / 7));
  },
};
const partIn = (part, value) =>
  Array.isArray(value)
    ? value.map((each) => partIn(part, each))
    : value instanceof Date && !isNaN(value.getTime())
      ? PARTS[part](value)
      : value === undefined || isFailed(value)
        ? value
        : null;
// The sort key. Days of the week are sorted from Monday on, not by their names.
const RANKS = { weekday: (day) => (typeof day === "string" ? (WEEKDAYS.indexOf(day) + 6) % 7 : day) };
const partOf = (part, one) =>
  Object.assign((x) => partIn(part, one(x)), one, {
    rank: RANKS[part],
    // Whether the texts sort in the order of time.
    ordered: part === "date" || part === "week",
  });
const ranked = (one, cell) => (one.rank ? (row) => one.rank(cell(row)) : cell);
// The path of a file URL, in the form of other files: without a slash at its end.
const pathIn = (value) => {
  if (Array.isArray(value)) return value.map(pathIn);
  if (typeof value !== "string") return value === undefined || isFailed(value) ? value : null;
  const path = /^file:\/\/(?:localhost)?(\/.*?)\/?$/i.exec(value);
  try {
    return path === null ? null : decodeURIComponent(path[1]);
  } catch (error) {
    return null;
  }
};
const fileOf = (one) => Object.assign((x) => pathIn(one(x)), one);
// A count of elements is read from one object at a time, because a read from many objects at once would return the sum.
const singleOnly = (one) => Object.assign(one, { single: true });
const isMany = (collection) => collection !== undefined && collection !== null && collection.many === true;
// An object on a path. If a list has just named its owner, and the app finds nothing, there is no object.
const objectOn = (read, x, isListed) => {
  try {
    return askSingle(() => read(x));
  } catch (error) {
    if (isListed && missing(numberOf(error))) return null;
    throw error;
  }
};
const isNothing = (value) => value === null || value === undefined;
const orNothing = (one, x, error, isListed) => {
  if (!one.first || ![-1719, -1728, -1731].includes(numberOf(error))) throw error;
  const held = objectOn(one.first, x, isListed);
  if (Array.isArray(held) && held.length === 0) return [];
  if (isNothing(held) || (one.owner && isNothing(objectOn(one.owner, x, true)))) return null;
  throw error;
};
const isUncut = (names, key) => names === true || (Array.isArray(names) && names.includes(key));
const record = (value, depth, uncut) => ({
  $: "record",
  v: Object.keys(value).map((key) => [wellFormed(key), encode(value[key], depth + 1, isUncut(uncut, key))]),
});
const encode = (value, depth = 0, uncut = false) => {
  if (value === null || value === undefined) return null;
  if (depth > 16) return { $: "other", v: "(nested too deep)" };
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : { $: "other", v: String(value) };
  if (typeof value === "string") return uncut === true ? wellFormed(value) : excerpt(value);
  if (typeof value === "object") {
    if (value instanceof Date) {
      const text = stamp(value);
      return text === null ? null : { $: "date", v: text };
    }
    if (Array.isArray(value)) return value.map((item) => encode(item, depth + 1, uncut));
    if (Object.getPrototypeOf(value) === Object.prototype) return record(value, depth, uncut);
  }
  const shown = source(value);
  if (shown.startsWith("Path(")) return { $: "file", v: wellFormed(value.toString()) };
  if (shown.startsWith("Application(")) return { $: "object", v: shown };
  return { $: "other", v: shown.slice(0, 2000) };
};

// The results of the reads of one object, or the reason why one failed.
const read = (object, reads) =>
  reads.map((one) => {
    try {
      return encode(
        askSingle(() => one(object)),
        0,
        one.uncut,
      );
    } catch (error) {
      try {
        return orNothing(one, object, error);
      } catch (error) {
        return failed(error);
      }
    }
  });

// The mark that tells an object from its neighbours, as a text; null if it has none.
const markText = (is) => (is === null || is === undefined ? null : wellFormed(String(is).slice(0, 500)));
const markOf = (x, mark) => markText(ask(() => mark(x)));
// Only a position leads to the object, so the mark of the object there is checked.
const still = (x, mark, wants) => {
  if (markOf(x, mark) !== wants)
    throw Object.assign(new Error("another object is at its place"), { errorNumber: MOVED });
  return x;
};

// The object itself, by its identity.
// An id or name is never cut, however little of a text was asked for.
const look = (object, id) => {
  at = "object";
  const known = ask(() => id(object));
  return typeof known === "string" ? wellFormed(known) : encode(known);
};
const same = (a, b) => (typeof a === "string" && typeof b === "string" ? a.toLowerCase() === b.toLowerCase() : a === b);
// Like `look`, for an object that is picked by its name. If several objects have the name, returns the ids of all of
// them. If the app does not filter, returns only the first.
const lookAll = (object, id, same) => {
  const known = look(object, id);
  try {
    const ids = ask(() => id(same()));
    return Array.isArray(ids) && ids.length > 1 ? { $: "several", ids: ids.map((one) => encode(one)) } : known;
  } catch (error) {
    if (!singly(numberOf(error))) throw error;
    return known;
  }
};
// An object with only a position, with its mark.
const place = (object, mark) => {
  at = "object";
  try {
    return { $: "place", mark: markOf(object, mark) };
  } catch (error) {
    if (!singly(numberOf(error)) || missing(numberOf(error))) throw error;
    ask(() => object());
    return { $: "place", mark: null };
  }
};
// A name identifies an object only if nothing else in the collection has it. Otherwise it may at least be a mark.
const named = (collection, object, id, mark) => {
  at = "object";
  const name = ask(() => id(object));
  if (typeof name !== "string") return null;
  if (ask(() => id(collection)).filter((other) => same(other, name)).length === 1) return wellFormed(name);
  return mark === null ? { $: "place", mark: markText(name) } : place(object, mark);
};
const value = (property) => {
  at = "property";
  return encode(ask(() => property()));
};

const asText = (value) => (typeof value === "string" ? value.normalize("NFC").toLowerCase() : value);
// A file is compared by its path.
const pathOf = (value) => (source(value).startsWith("Path(") ? value.toString() : value);
const isObject = (value) =>
  value !== null && (typeof value === "object" || typeof value === "function") && !Array.isArray(value);
const plain = (value) =>
  value instanceof Date
    ? value.getTime()
    : typeof value === "boolean"
      ? Number(value)
      : asText(isObject(value) ? pathOf(value) : value);
// Resolves a point in time relative to the present, in the time zone of this Mac. Days and months are those of the
// calendar, so a day may have 23 hours, and a month after 31 January is the last day of February. The answer says which
// date was meant.
const NOW = new Date();
const meant = {};
const moment = ({ said, from, weekday, months, days, seconds, clock }) => {
  const passed = (NOW.getDay() + 6) % 7,
    ahead = weekday === null ? 0 : (weekday - passed + 7) % 7;
  // On a Friday evening, `friday 17:00` is that of next week.
  const gone = NOW.getHours() * 3600 + NOW.getMinutes() * 60 + NOW.getSeconds();
  const isGone = ahead === 0 && (from === "next" || (from === "coming" && clock > 0 && clock < gone));
  const shift = from === "last" ? ahead - 7 : isGone ? 7 : from === "week" ? -passed : ahead;
  const first = from === "year" || from === "month",
    time =
      clock !== undefined
        ? [Math.floor(clock / 3600), Math.floor(clock / 60) % 60, clock % 60]
        : from === "now"
          ? [NOW.getHours(), NOW.getMinutes(), NOW.getSeconds(), NOW.getMilliseconds()]
          : [0];
  const begin =
    from === "now"
      ? NOW
      : new Date(NOW.getFullYear(), from === "year" ? 0 : NOW.getMonth(), first ? 1 : NOW.getDate() + shift);
  const year = begin.getFullYear(),
    month = begin.getMonth() + months;
  const day = Math.min(begin.getDate(), new Date(year, month + 1, 0).getDate()) + days;
  const whole = months === 0 && days === 0 && clock === undefined;
  const there = new Date((whole ? begin : new Date(year, month, day, ...time)).getTime() + seconds * 1000);
  meant[said] = stamp(there);
  return there;
};
// The dates that the moments of the request mean.
const dates = () => (Object.keys(meant).length > 0 ? { dates: meant } : {});
const dated = (value) =>
  value === null || typeof value !== "object"
    ? null
    : value.$ === "date"
      ? new Date(value.v)
      : value.$ === "moment"
        ? moment(value)
        : null;
// A value of the request as the app takes it.
const given = (value) => dated(value) || value;
const wanted = (value) => plain(dated(value) || value);
const holds = (operator, has, wants) => {
  if (operator === "!=") return !holds("==", has, wants);
  if (Array.isArray(has))
    return (
      has.some((item) => holds(operator === "contains" ? "==" : operator, item, wants)) ||
      (operator === "contains" && typeof wants === "string" && has.some((item) => holds(operator, item, wants)))
    );
  const a = plain(has === undefined ? null : has);
  if (operator === "==") return a === wants;
  if (a === null || wants === null || typeof a !== typeof wants) return false;
  switch (operator) {
    case "<":
      return a < wants;
    case ">":
      return a > wants;
    case "<=":
      return a <= wants;
    case ">=":
      return a >= wants;
    case "contains":
      return a.includes(wants);
    case "startsWith":
      return a.startsWith(wants);
    case "endsWith":
      return a.endsWith(wants);
  }
  throw new Error("no operator " + operator);
};
// Prepares the filter once, so that this work is not repeated for each row.
const prepare = (filter, cell, isDear) => {
  const [word, ...rest] = filter;
  if (word === "and" || word === "or") {
    // Cheap tests come first, so that expensive values are read from fewer elements.
    const dear = (part) => columnsOf(part).some(isDear);
    const parts = [...rest.filter((part) => !dear(part)), ...rest.filter(dear)].map((part) =>
      prepare(part, cell, isDear),
    );
    return word === "and" ? (row) => parts.every((part) => part(row)) : (row) => parts.some((part) => part(row));
  }
  if (word === "not") {
    const inner = prepare(rest[0], cell, isDear);
    return (row) => !inner(row);
  }
  const [column, value] = rest,
    has = cell(column),
    wants = wanted(value);
  return (row) => holds(word, has(row), wants);
};

// Missing values come last in either direction; equal rows keep the app's order.
const order = (keys, a, b) => {
  for (const [column, down] of keys) {
    const x = plain(column(a)),
      y = plain(column(b));
    if (x === y) continue;
    if (x === null || x === undefined) {
      if (y === null || y === undefined) continue;
      return 1;
    }
    if (y === null || y === undefined) return -1;
    if (x < y) return down ? 1 : -1;
    if (x > y) return down ? -1 : 1;
  }
  return a - b;
};

// A delay that no one notices, in milliseconds. Fewer events are worth up to this much more time, because each event
// interrupts the person who uses the app.
const UNNOTICED = 250;
const cheaper = (columns, singles) => columns <= singles + UNNOTICED;
// More single reads than this take longer than people wait.
const MOST_SINGLE = 1000;
const isFailed = (value) => value !== null && typeof value === "object" && value.$ === "error";
// One event for a property of all elements; null where the app refuses that.
const column = (collection, one, each) => {
  if (one.single) return null;
  if (isMany(collection)) return collection.column(one, each);
  // The app's object model does not have this collection at several levels, so it is read container by container.
  if (collection === undefined || collection === null) return null;
  at = "column";
  try {
    const values = askColumn(() => one(collection), each);
    return Array.isArray(values) ? values : null;
  } catch (error) {
    if (!singly(numberOf(error))) throw error;
    return null;
  }
};

const singleId = (collection, id, i) => {
  try {
    return ask(() => id(collection.at(i)));
  } catch (error) {
    return failed(error);
  }
};
// Ids or names, or positions if there are none; a value that is not unique is replaced by the position.
const identities = (collection, id) => {
  if (isMany(collection)) return collection.identities(id);
  at = "elements";
  let length = -1;
  const count = () => (length < 0 ? (length = ask(() => collection.length)) : length);
  if (id === null) return { known: Array.from({ length: count() }, (_, i) => ({ i: i })), names: null };
  // A container that holds only containers may answer a read of a column as if the collection did not exist.
  let ids = column(collection, id, d.value);
  if (ids === null && count() === 0) return { known: [], names: [] };
  if (ids === null)
    ids = Array.from({ length: count() }, (_, i) => (i < MOST_SINGLE ? singleId(collection, id, i) : null));
  const times = new Map();
  for (const each of ids) times.set(asText(each), (times.get(asText(each)) || 0) + 1);
  const known = ids.map((each, i) =>
    each === null || each === undefined || isFailed(each) || times.get(asText(each)) > 1 ? { i: i } : each,
  );
  return { known: known, names: ids };
};
const sameIdentity = (a, b) =>
  a === b || (a !== null && typeof a === "object" && b !== null && typeof b === "object" && a.i === b.i);
const agree = (a, b) => a.length === b.length && a.every((each, i) => sameIdentity(each, b[i]));

// Values that a filter, an order, a group or a sum needs and that could not be read. They count as missing, and the
// answer has to say so: otherwise an error looks like an empty list.
const unreadable = () => {
  const found = new Map();
  return {
    add: (i, key, error) => {
      if (!found.has(i)) found.set(i, { error: error, keys: new Set() });
      found.get(i).keys.add(key);
    },
    told: (isOwner) => [...found].map(([i, { error, keys }]) => [i, keys.size, error.number, isOwner, error.message]),
  };
};
// The values of a collection that may change meanwhile: columns by number, and single cells on demand.
const table = (collection, ids, names, q) => {
  const unread = unreadable();
  // The ids or names of the elements were read already.
  const columns = q.columns.map((one, i) =>
      q.own[i] ? names : q.outer && one.of ? ids.map(() => q.outer(one)) : null,
    ),
    singles = q.columns.map(() => new Map());
  let left = MOST_SINGLE;
  const one = (i, row) => {
    if (singles[i].has(row)) return singles[i].get(row);
    if (left === 0) {
      reason =
        "more than " +
        MOST_SINGLE +
        " elements would have to be read one by one; the rest were taken as having no such value";
      return null;
    }
    left -= 1;
    let value;
    try {
      const x = pick(collection, ids, row, q);
      try {
        value = askSingle(() => q.columns[i](x));
      } catch (error) {
        value = orNothing(q.columns[i], x, error, true);
      }
    } catch (error) {
      value = failed(error);
    }
    singles[i].set(row, value);
    return value;
  };
  const raw = (i, row) => (columns[i] === null ? one(i, row) : columns[i][row]);
  return {
    fill: (i) => {
      if (columns[i] === null) columns[i] = column(collection, q.columns[i], d.values[i]);
    },
    // Whether each value takes an event of its own.
    isDear: (i) => columns[i] === null,
    raw: raw,
    seen: (i) => columns[i] || (singles[i].size > 0 ? [...singles[i].values()] : null),
    cell: (i) => (row) => {
      const has = raw(i, row);
      if (!isFailed(has)) return has;
      unread.add(i, row, has);
      return null;
    },
    unread: () => unread.told(false),
    // Whether the rows still belong together: there are as many as ids, and the ids have not changed.
    moved: () => {
      const filled = columns.filter((each) => each !== null && each !== names);
      // A single read uses the id, which stays valid. An element with only a position is the exception.
      const byPlace = names !== null && singles.some((read) => [...read.keys()].some((row) => isPlace(ids[row])));
      if (filled.length === 0 && !byPlace && !(isMany(collection) && collection.looked())) return false;
      return filled.some((each) => each.length !== ids.length) || !agree(ids, identities(collection, q.id).known);
    },
  };
};

const isPlace = (id) => id !== null && typeof id === "object";
// The marks of elements that only a position leads to: read from all at once, or from these few.
const marksOf = (collection, rows, ids, names, q) => {
  const loose = rows.filter((row) => isPlace(ids[row]));
  if (loose.length === 0 || q.mark === null) return () => null;
  if (q.ownMark) return (row) => (isFailed(names[row]) ? null : markText(names[row]));
  const whole = cheaper(priceOf(d.value, ids.length), loose.length * d.single)
    ? column(collection, q.mark, d.value)
    : null;
  if (whole !== null && whole.length === ids.length) return (row) => markText(whole[row]);
  return (row) => {
    try {
      return markText(askSingle(() => q.mark(collection.at(row))));
    } catch (error) {
      failed(error);
      return null;
    }
  };
};

const CHANGED = "the collection changed while it was read; values may belong to a neighbour";
// Elements of a collection. `q.id` and `q.columns` each read one property of one object or of all; `q.pick` gives one
// element. Columns after the first `q.wanted` serve only the filter and the order.
const elements = (collection, q) => {
  if (q.whose) {
    try {
      return page(collection.whose(q.whose(d.whose)), collection, { ...q, filtered: true });
    } catch (error) {
      if (!singly(numberOf(error))) throw error;
    }
  }
  return page(collection, collection, q);
};
const page = (source, collection, q) => {
  const of = isMany(collection);
  if (d.limit === 0 && !d.filter && !d.groups && !of) {
    at = "elements";
    return { total: ask(() => collection.length), scanned: null, rows: [] };
  }
  let size = 0;
  const answered = (answer, cells) => ({
    ...answer,
    ...(answer.total === 0 && d.filter ? unmet(valuesIn(collection, size, cells, q), q) : {}),
    ...(of ? { skipped: collection.skipped() } : {}),
    unread: cells.unread().concat(of ? collection.unread() : []),
    ...dates(),
  });
  const asked = new Set(d.sort.map(([i]) => i));
  q.columns.forEach((one, i) => {
    if (one.of) asked.add(i);
  });
  if (d.groups) columnsOfGroups(d.groups).forEach((i) => asked.add(i));
  if (d.filter && !q.filtered) columnsOf(d.filter).forEach((i) => asked.add(i));
  for (let round = 0; ; round += 1) {
    reason = null;
    const { known: ids, names } = identities(source, q.id);
    // A position among the elements that an app has selected is not a position in the collection. An id that another
    // element has too leads to the wrong one.
    if (q.filtered) {
      const all = identities(collection, q.id).known,
        alone = new Set(all);
      size = all.length;
      if (!ids.every((id) => alone.has(id))) throw Object.assign(new Error("no id"), { errorNumber: -1728 });
    }
    const cells = table(collection, ids, names, q);
    // A column of the whole collection does not fit the elements that an app has selected.
    const whole = !q.filtered;
    const late = of ? tooLong(ids.length, asked, q) : null;
    if (late !== null) {
      reason = late;
      return answered({ total: ids.length, scanned: null, rows: [] }, cells);
    }
    if (whole)
      asked.forEach((i) => {
        if (!q.long[i]) cells.fill(i);
      });
    let rows = ids.map((_, i) => i);
    if (d.filter && whole) rows = rows.filter(prepare(d.filter, cells.cell, cells.isDear));
    if (d.sort.length > 0) {
      const keys = d.sort.map(([i, down]) => [ranked(q.columns[i], cells.cell(i)), down]);
      rows.sort((a, b) => order(keys, a, b));
    }
    const total = rows.length;
    if (d.groups) {
      const groups = grouped(d.groups, rows, cells, collection, q);
      if (cells.moved()) {
        if (round < 2) continue;
        reason = CHANGED;
      }
      strategy = "columns";
      return answered({ total: total, scanned: whole && !of ? ids.length : null, groups: groups }, cells);
    }
    // A negative offset counts from the end, and what would be before the beginning is left out.
    const [first, most] = d.range || [d.offset, d.limit],
      begin = first < 0 ? total + first : first,
      from = Math.max(begin, 0) + d.offset - first;
    rows = rows.slice(from, Math.max(Math.min(from + d.limit, begin + most), 0));
    const rest = q.columns.map((_, i) => i).filter((i) => i < q.wanted && !q.long[i] && !q.own[i] && !asked.has(i));
    // A whole column is read if that is cheaper than single reads for this page. After the first column the ids must be
    // read again, so all columns together must save that time.
    const one = rows.length * d.single,
      gain = (i) => one - priceOf(d.values[i], ids.length);
    let spare = UNNOTICED;
    const whichColumns = whole
      ? rest.filter((i) => {
          const gains = gain(i);
          if (gains < 0) {
            if (-gains > spare) return false;
            spare += gains;
          }
          return true;
        })
      : [];
    const saved = whichColumns.reduce((sum, i) => sum + gain(i), 0);
    const byColumn = whichColumns.length > 0 && (asked.size > 0 || saved + UNNOTICED >= priceOf(d.value, ids.length));
    if (byColumn) whichColumns.forEach((i) => cells.fill(i));
    strategy = q.filtered ? "whose" : byColumn || (whole && asked.size > 0) ? "columns" : "by id";
    at = "element";
    const marks = marksOf(collection, rows, ids, names, q);
    const shown = rows.map((row) => {
      const known =
        typeof ids[row] === "string" ? wellFormed(ids[row]) : typeof ids[row] === "number" ? ids[row] : null;
      const read = q.columns.slice(0, q.wanted).map((_, i) => {
        const value = cells.raw(i, row);
        return isFailed(value) ? value : encode(value, 0, q.columns[i].uncut);
      });
      const mark = isPlace(ids[row]) ? marks(row) : null;
      if (of) return [known, collection.place(row), read, mark, collection.from(row)];
      return mark === null ? [known, row, read] : [known, row, read, mark];
    });
    if (cells.moved()) {
      if (round < 2) continue;
      reason = CHANGED;
    }
    return answered({ total: total, scanned: whole && !of ? ids.length : null, rows: shown }, cells);
  }
};
const pick = (collection, ids, row, q) =>
  isMany(collection)
    ? collection.pick(row, ids[row])
    : isPlace(ids[row])
      ? collection.at(ids[row].i)
      : q.pick(collection, ids[row]);
const columnsOf = (filter) =>
  filter[0] === "and" || filter[0] === "or" || filter[0] === "not" ? filter.slice(1).flatMap(columnsOf) : [filter[1]];

// Decodes values of the request; `ways` are the functions that lead to the objects among them.
const inbound = (value, ways) => {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item) => inbound(item, ways));
  switch (value.$) {
    case "date":
      return new Date(value.v);
    case "file":
      return Path(value.v);
    case "object":
      return ways[value.way](value.p);
    case "record":
      return value.v.reduce((record, [key, each]) => {
        record[key] = inbound(each, ways);
        return record;
      }, {});
  }
  throw new Error("no value " + value.$);
};
const answer = (command) => {
  at = "command";
  return encode(ask(command));
};
// Sends a command to several objects, one event each. Stops if the app has quit or does not answer.
const each = (targets, send) => {
  const answers = [];
  for (const target of targets) {
    try {
      answers.push(send(target));
    } catch (error) {
      if (!fatal(numberOf(error))) {
        answers.push(failed(error));
        continue;
      }
      if (answers.length === 0) throw error;
      reason =
        "the app stopped answering (" +
        numberOf(error) +
        "); whether the next target was reached is not known, the others were not tried";
      break;
    }
  }
  return answers;
};

// Commands that need no app: dialogs, the clipboard. The process that runs this script carries them out.
const ADDITIONS = "com.apple.osax.standardadditions";
const additions = () => {
  const current = Application.currentApplication();
  current.includeStandardAdditions = true;
  return current;
};

// The errors with which macOS refuses: the person refused, or was not asked yet.
const REFUSED = -1743;
const UNASKED = -1744;
// macOS's answer about events to an app, without a dialog; null if it cannot be asked. 0x2a2a2a2a means any event.
const consentOf = (id, asks = false) => {
  try {
    ObjC.import("Foundation");
    ObjC.import("CoreServices");
    ObjC.bindFunction("AEDeterminePermissionToAutomateTarget", [
      "int",
      ["void *", "unsigned int", "unsigned int", "bool"],
    ]);
    // The descriptor has a name so that it outlives the call, which reads its memory.
    const target = $.NSAppleEventDescriptor.descriptorWithBundleIdentifier(id);
    return $.AEDeterminePermissionToAutomateTarget(target.aeDesc, 0x2a2a2a2a, 0x2a2a2a2a, asks);
  } catch (error) {
    return null;
  }
};
// The path of the program that macOS asks the person about; null where the system does not tell.
const responsible = () => {
  try {
    ObjC.import("Foundation");
    ObjC.bindFunction("responsibility_get_pid_responsible_for_pid", ["int", ["int"]]);
    ObjC.bindFunction("proc_pidpath", ["int", ["int", "void *", "unsigned int"]]);
    const pid = $.responsibility_get_pid_responsible_for_pid($.NSProcessInfo.processInfo.processIdentifier),
      bytes = $.NSMutableData.dataWithLength(4096),
      length = pid > 0 ? $.proc_pidpath(pid, bytes.mutableBytes, 4096) : 0;
    if (!(length > 0)) return null;
    const path = bytes.subdataWithRange($.NSMakeRange(0, length));
    return wellFormed($.NSString.alloc.initWithDataEncoding(path, 4).js);
  } catch (error) {
    return null;
  }
};
// Opens an app in the background without an Apple event: an event would open the dialog of macOS.
const openQuietly = (id) => {
  try {
    ObjC.import("Foundation");
    const task = $.NSTask.alloc.init;
    task.launchPath = "/usr/bin/open";
    task.arguments = $(["-g", "-b", id]);
    task.launch;
    task.waitUntilExit;
    for (let i = 0; i < 50 && consentOf(id) === -600; i += 1) delay(0.1);
  } catch (error) {}
};
// The dialog of macOS closes when its event ends, and macOS may keep that as a refusal. So no event is sent before
// macOS says that it is allowed.
const consented = (id) => {
  const kept = globalThis.iacConsents;
  if (kept && kept.has(id)) return;
  const state = consentOf(id);
  if (state === REFUSED || state === UNASKED)
    throw Object.assign(new Error("no consent to send events"), { errorNumber: state });
  if (state === 0) (kept || (globalThis.iacConsents = new Set())).add(id);
};

// A worker keeps application objects between scripts; they are dropped when the app they stood for is gone.
const opened = (id) => {
  const kept = globalThis.iacApplications || (globalThis.iacApplications = new Map());
  if (!kept.has(id)) kept.set(id, id === ADDITIONS ? additions() : Application(id));
  return kept.get(id);
};
const run = (body) => {
  try {
    let app = null;
    if (d.app) {
      at = "open";
      app = opened(d.app);
      at = "running";
      const runs = d.app === ADDITIONS || app.running();
      if (!runs && !d.launch) return ascii({ ok: false, number: -600, message: "not running", at: at, events: events });
      if (!runs) openQuietly(d.app);
      at = "consent";
      if (d.app !== ADDITIONS && !d.consent) consented(d.app);
    }
    at = "start";
    const value = body(app);
    return ascii({ ok: true, value: value, events: events, strategy: strategy, reason: reason, spent: spent });
  } catch (error) {
    const number = numberOf(error),
      refused = number === REFUSED || number === UNASKED;
    if ([-600, -609].includes(number) && globalThis.iacApplications) globalThis.iacApplications.delete(d.app);
    if (refused && globalThis.iacConsents) globalThis.iacConsents.delete(d.app);
    const by = refused ? responsible() : null;
    return ascii({ ok: false, number: number, message: messageOf(error), at: at, events: events, by: by });
  }
};
