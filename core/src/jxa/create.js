// Stands behind the parts for changes and commands in scripts that make objects.

// A constructed object becomes real once it is among the elements of another, and is a reference from then on.
const pushed = (collection, x) => {
  collection.push(x);
  return x;
};
// One new object: the app is given its properties at once, where it takes them.
const makeOne = ([, parent, place, given], q, made, ways) => {
  at = "object";
  const where = parent === null ? inbound(place, ways) : made[parent];
  const values = given.map((value) => inbound(value, ways)),
    first = {};
  q.takes.forEach((n) => {
    first[q.keys[n]] = values[n];
  });
  at = "make";
  return { x: ask(() => q.make(where, first)), values: values };
};
// What an app did not take together with the rest, or kept another value of, is set by itself.
const setLate = (x, q, values) => {
  const late = [],
    before = readable(x, q.gets);
  values.forEach((value, n) => {
    const isGiven = q.takes.includes(n),
      is = before[n];
    // What can only be written was given already; of an object an app may have a name of its own.
    if (isGiven && (q.gets[n] === null || isFailed(is))) return;
    const isWay = isObject(value) && !(value instanceof Date) && source(value).startsWith("Application(");
    if (isGiven && isWay && is !== null && is !== undefined) return;
    if (q.gets[n] !== null && !isFailed(is) && alike(encode(value), encode(is))) return;
    try {
      ask(() => q.sets[n](x, value));
    } catch (error) {
      if (fatal(numberOf(error))) throw error;
      // What was taken and is told in other words need not be settable.
      if (!isGiven || is === null || is === undefined) late.push([n, numberOf(error), messageOf(error)]);
    }
  });
  return late;
};
const readMade = (x, q) => {
  const one = (get) => {
    if (get === null) return null;
    try {
      return encode(ask(() => get(x)));
    } catch (error) {
      return failed(error);
    }
  };
  return {
    source: source(x),
    id: one(q.id),
    name: one(q.name),
    now: shown(readable(x, q.gets)),
    looks: read(x, q.looks),
  };
};
// The first new object, for the commands that follow.
let first;
const it = () => first;
// Each only after the one before it has succeeded.
const follow = (steps, ways, mayGo) => {
  let goes = mayGo;
  return steps.map((step, n) => {
    if (!goes) return { untried: true };
    try {
      const given = inbound(d.then[n], ways);
      at = "command";
      const value = step(given);
      goes = !(Array.isArray(value) && value.some(isFailed));
      return { value: value };
    } catch (error) {
      goes = false;
      if (fatal(numberOf(error))) return { unknown: numberOf(error), message: messageOf(error) };
      return { error: failed(error) };
    }
  });
};
// Objects in order, each after the one that it is in. An app that is gone or silent ends it; whatever else fails, fails
// alone with all that would have been in it. What was made is read back when everything stands, and is saved.
const create = (rows, kinds, ways, save, then = []) => {
  const made = [],
    results = rows.map(() => ({ untried: true })),
    late = [];
  let saved = null,
    last = null;
  const end = (i, error) => {
    if (!made.some((each) => each !== undefined)) throw error;
    last = i;
    results[i] = { unknown: numberOf(error), message: messageOf(error) };
  };
  rows.forEach((row, i) => {
    if (last !== null || (row[1] !== null && made[row[1]] === undefined)) return;
    try {
      const { x, values } = makeOne(row, kinds[row[0]], made, ways);
      made[i] = x;
      late[i] = [];
      late[i] = setLate(x, kinds[row[0]], values);
    } catch (error) {
      if (fatal(numberOf(error))) {
        end(i, error);
        return;
      }
      if (made[i] === undefined) results[i] = failed(error);
    }
  });
  const isAny = made.some((each) => each !== undefined);
  if (save !== null && isAny && last === null) {
    at = "save";
    try {
      ask(save);
      saved = true;
    } catch (error) {
      saved = { $: "error", number: numberOf(error), message: messageOf(error) };
    }
  }
  at = "check";
  made.forEach((x, i) => {
    if (x === undefined || i === last) return;
    try {
      results[i] = Object.assign(readMade(x, kinds[rows[i][0]]), { late: late[i] });
    } catch (error) {
      results[i] = { source: source(x), unread: numberOf(error), message: messageOf(error) };
    }
  });
  if (then.length === 0) return { rows: results, saved: saved };
  first = made[0];
  const isWhole = last === null && rows.every((_, i) => made[i] !== undefined),
    next = follow(then, ways, isWhole && (saved === null || saved === true));
  // What follows may have changed the new objects.
  made.forEach((x, i) => {
    if (x !== undefined && results[i].looks !== undefined) results[i].looks = read(x, kinds[rows[i][0]].looks);
  });
  return { rows: results, saved: saved, then: next };
};
