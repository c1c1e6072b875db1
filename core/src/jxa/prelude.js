// The fixed part of every script. Identifiers of the app are in the part that follows it; everything that came from
// a client is in `d`. Only ASCII leaves: what is not ASCII is escaped, a lone surrogate becomes U+FFFD.
"use strict";
let events = 0;
let at = "start";
let strategy = null;
let reason = null;

// Each call sends one Apple event.
const ask = event => { events += 1; return event(); };

// Numbers after which nothing else in this app can work: it quit, is silent, or does not let us in.
const fatal = number => [-600, -609, -1712, -1743, -1744].includes(number);
// Numbers that a collection may answer although each of its items can be read.
const singly = number => [-1700, -1726, -1728, -10000].includes(number);
const numberOf = error => error !== null && typeof error === "object" && typeof error.errorNumber === "number" ? error.errorNumber : -2700;
const messageOf = error => wellFormed(String(error !== null && typeof error === "object" && "message" in error ? error.message : error)).slice(0, 500);
const failed = error => {
  if (fatal(numberOf(error))) throw error;
  return { $: "error", number: numberOf(error), message: messageOf(error) };
};

const wellFormed = text => text.replace(/[\uD800-\uDBFF][\uDC00-\uDFFF]|[\uD800-\uDFFF]/g, match => match.length === 2 ? match : "\uFFFD");
const ascii = value => JSON.stringify(value).replace(/[\u007f-\uffff]/g, c => "\\u" + ("000" + c.charCodeAt(0).toString(16)).slice(-4));

const two = n => (n < 10 ? "0" : "") + n;
const stamp = date => {
  if (isNaN(date.getTime())) return null;
  const zone = -Math.round(date.getTimezoneOffset()), off = Math.abs(zone), ms = date.getMilliseconds();
  return ("000" + date.getFullYear()).slice(-4) + "-" + two(date.getMonth() + 1) + "-" + two(date.getDate()) +
    "T" + two(date.getHours()) + ":" + two(date.getMinutes()) + ":" + two(date.getSeconds()) + (ms ? "." + ("00" + ms).slice(-3) : "") +
    (zone < 0 ? "-" : "+") + two(Math.floor(off / 60)) + ":" + two(off % 60);
};

// The part of a text that was asked for, counted in code points.
const excerpt = text => {
  const from = d.text ? d.text[0] : 0, limit = d.text ? d.text[1] : 1000000;
  if (from === 0 && text.length <= limit) return wellFormed(text);
  let total = 0, part = "";
  for (const point of text) {
    if (total >= from && total < from + limit) part += point;
    total += 1;
  }
  if (from === 0 && total <= limit) return wellFormed(text);
  return { $: "text", v: wellFormed(part), from: from, total: total };
};

const source = value => wellFormed(String(Automation.getDisplayString(value)));
const record = (value, depth) => ({ $: "record", v: Object.keys(value).map(key => [wellFormed(key), encode(value[key], depth + 1)]) });
const encode = (value, depth = 0) => {
  if (value === null || value === undefined) return null;
  if (depth > 16) return { $: "other", v: "(nested too deep)" };
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : { $: "other", v: String(value) };
  if (typeof value === "string") return excerpt(value);
  if (typeof value === "object") {
    if (value instanceof Date) { const text = stamp(value); return text === null ? null : { $: "date", v: text }; }
    if (Array.isArray(value)) return value.map(item => encode(item, depth + 1));
    if (Object.getPrototypeOf(value) === Object.prototype) return record(value, depth);
  }
  const shown = source(value);
  if (shown.startsWith("Path(")) return { $: "file", v: wellFormed(value.toString()) };
  if (shown.startsWith("Application(")) return { $: "object", v: shown };
  return { $: "other", v: shown.slice(0, 2000) };
};

// What reads of one object answer, or why one could not be read.
const read = (object, reads) => reads.map(one => { try { return encode(ask(() => one(object))); } catch (error) { return failed(error); } });

// The object itself, by what it is known by.
const look = (object, id) => { at = "object"; return encode(ask(() => id(object))); };
const same = (a, b) => typeof a === "string" && typeof b === "string" ? a.toLowerCase() === b.toLowerCase() : a === b;
// A name serves only if nothing else in the collection has it.
const named = (collection, object, id) => {
  at = "object";
  const name = ask(() => id(object));
  if (typeof name !== "string") return null;
  return ask(() => id(collection)).filter(other => same(other, name)).length === 1 ? excerpt(name) : null;
};
const value = property => { at = "property"; return encode(ask(() => property())); };

// Some objects reached the same way; `reads` is null for all properties in one event.
const objects = (rows, way, reads) => rows.map(p => {
  at = "object";
  try {
    const object = way(p);
    return reads === null ? encode(ask(() => object.properties())) : { $: "list", v: read(object, reads) };
  } catch (error) { return failed(error); }
});

const asText = value => typeof value === "string" ? value.normalize("NFC").toLowerCase() : value;
const plain = value => value instanceof Date ? value.getTime() : typeof value === "boolean" ? Number(value) : asText(value);
const wanted = value => value !== null && typeof value === "object" && value.$ === "date" ? new Date(value.v).getTime() : plain(value);
const holds = (operator, has, wants) => {
  if (operator === "!=") return !holds("==", has, wants);
  if (Array.isArray(has)) return has.some(item => holds(operator === "contains" ? "==" : operator, item, wants)) || (operator === "contains" && typeof wants === "string" && has.some(item => holds(operator, item, wants)));
  const a = plain(has === undefined ? null : has);
  if (operator === "==") return a === wants;
  if (a === null || wants === null || typeof a !== typeof wants) return false;
  switch (operator) {
    case "<": return a < wants;
    case ">": return a > wants;
    case "<=": return a <= wants;
    case ">=": return a >= wants;
    case "contains": return a.includes(wants);
    case "startsWith": return a.startsWith(wants);
    case "endsWith": return a.endsWith(wants);
  }
  throw new Error("no operator " + operator);
};
// Prepared once, so that nothing of the filter is worked out per row.
const prepare = filter => {
  const [word, ...rest] = filter;
  if (word === "and" || word === "or") { const parts = rest.map(prepare); return word === "and" ? row => parts.every(part => part(row)) : row => parts.some(part => part(row)); }
  if (word === "not") { const inner = prepare(rest[0]); return row => !inner(row); }
  const [column, value] = rest, wants = wanted(value);
  return row => holds(word, column(row), wants);
};

// Missing values come last in either direction; equal rows keep the app's order.
const order = (keys, a, b) => {
  for (const [column, down] of keys) {
    const x = plain(column(a)), y = plain(column(b));
    if (x === y) continue;
    if (x === null || x === undefined) { if (y === null || y === undefined) continue; return 1; }
    if (y === null || y === undefined) return -1;
    if (x < y) return down ? 1 : -1;
    if (x > y) return down ? -1 : 1;
  }
  return a - b;
};

// More single reads than this take longer than anybody waits.
const MOST_SINGLE = 1000;
const isFailed = value => value !== null && typeof value === "object" && value.$ === "error";
// One event for a property of all elements; where the app refuses that, one event for each.
const column = (collection, one, count) => {
  at = "column";
  try {
    const values = ask(() => one(collection));
    if (Array.isArray(values)) return values;
  } catch (error) { if (!singly(numberOf(error))) throw error; }
  const n = Math.min(count(), MOST_SINGLE);
  if (n < count()) reason = "the app refuses to read this property of all elements at once; only the first " + n + " were looked at";
  return Array.from({ length: n }, (_, i) => { try { return ask(() => one(collection.at(i))); } catch (error) { return failed(error); } });
};

// Ids, or places where there are none; a name that is not the only one of its kind gives way to the place.
const identities = (collection, id, unique) => {
  at = "elements";
  let length = -1;
  const count = () => length < 0 ? length = ask(() => collection.length) : length;
  if (id === null) return Array.from({ length: count() }, (_, i) => ({ i: i }));
  let ids;
  try { ids = column(collection, id, count); } catch (error) {
    if (numberOf(error) === -1728 && count() === 0) return [];
    throw error;
  }
  const times = new Map();
  if (!unique) for (const name of ids) times.set(asText(name), (times.get(asText(name)) || 0) + 1);
  return ids.map((each, i) => each === null || each === undefined || isFailed(each) || (!unique && times.get(asText(each)) > 1) ? { i: i } : each);
};
const sameIdentity = (a, b) => a === b || (a !== null && typeof a === "object" && b !== null && typeof b === "object" && a.i === b.i);
const agree = (a, b) => a.length === b.length && a.every((each, i) => sameIdentity(each, b[i]));

// Elements of a collection. `q.id` and `q.columns` each read one property of one object or of all;
// `q.pick` gives one element. Columns after the first `q.wanted` serve only the filter and the order.
const elements = (collection, q) => {
  const needed = new Set(d.sort.map(([column]) => column));
  const mark = filter => { if (typeof filter[0] === "string" && typeof filter[1] === "number") needed.add(filter[1]); else filter.slice(1).forEach(mark); };
  if (d.filter) mark(d.filter);
  for (let round = 0; ; round += 1) {
    reason = null;
    const ids = identities(collection, q.id, q.unique);
    const rows = Math.max(0, Math.min(d.limit, ids.length - d.offset));
    const short = q.columns.map((_, i) => i).filter(i => i < q.wanted && !q.long[i] && !needed.has(i));
    const byColumn = needed.size > 0 || (d.event + d.value * ids.length) * short.length < d.single * rows * short.length;
    strategy = byColumn ? "columns" : "by id";
    const columns = q.columns.map((one, i) => needed.has(i) || (byColumn && short.includes(i)) ? column(collection, one, () => ids.length) : null);
    const filled = columns.filter(each => each !== null);
    const moved = filled.some(each => each.length !== ids.length && reason === null) || (filled.length > 0 && !agree(ids, identities(collection, q.id, q.unique)));
    if (moved && round < 2) continue;
    if (moved) reason = "the collection changed while it was read; values may belong to a neighbour";
    const cell = i => row => { const has = columns[i][row]; return isFailed(has) ? null : has; };
    let all = ids.map((_, i) => i);
    if (d.filter) { const fits = prepare(bind(d.filter, cell)); all = all.filter(fits); }
    if (d.sort.length > 0) { const keys = d.sort.map(([i, down]) => [cell(i), down]); all.sort((a, b) => order(keys, a, b)); }
    const page = all.slice(d.offset, d.offset + d.limit);
    at = "element";
    const shown = page.map(row => [encode(ids[row] !== null && typeof ids[row] === "object" ? null : ids[row]), row, q.columns.slice(0, q.wanted).map((one, i) => {
      try { return columns[i] !== null ? (isFailed(columns[i][row]) ? columns[i][row] : encode(columns[i][row])) : encode(ask(() => one(pick(collection, ids[row], q)))); } catch (error) { return failed(error); }
    })]);
    return { total: all.length, scanned: ids.length, rows: shown };
  }
};
const pick = (collection, id, q) => id !== null && typeof id === "object" ? collection.at(id.i) : q.pick(collection, id);
const bind = (filter, cell) => filter[0] === "and" || filter[0] === "or" || filter[0] === "not" ? [filter[0], ...filter.slice(1).map(part => bind(part, cell))] : [filter[0], cell(filter[1]), filter[2]];

// Which apps run; asking launches none. Null where there is no such app.
const running = apps => apps.map(id => { try { return Application(id).running() === true; } catch (error) { return null; } });

// A worker keeps application objects between scripts; they are dropped when the app they stood for is gone.
const opened = id => {
  const kept = globalThis.iacApplications || (globalThis.iacApplications = new Map());
  if (!kept.has(id)) kept.set(id, Application(id));
  return kept.get(id);
};
const run = body => {
  try {
    let app = null;
    if (d.app) {
      at = "open";
      app = opened(d.app);
      at = "running";
      if (!d.launch && !app.running()) return ascii({ ok: false, number: -600, message: "not running", at: at, events: events });
    }
    at = "start";
    const value = body(app);
    return ascii({ ok: true, value: value, events: events, strategy: strategy, reason: reason });
  } catch (error) {
    if ([-600, -609].includes(numberOf(error)) && globalThis.iacApplications) globalThis.iacApplications.delete(d.app);
    return ascii({ ok: false, number: numberOf(error), message: messageOf(error), at: at, events: events });
  }
};
