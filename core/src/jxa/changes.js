// Follows the prelude in scripts that change something.

// The values of some objects for a human: mark, labels, old values, the objects at the positions on the path, and
// facts; or the reason why they cannot be read.
const preview = (rows, way, q) =>
  rows.map((p) => {
    at = "object";
    try {
      found = [];
      const x = way(p),
        places = found.map((one) =>
          one.known === undefined ? { place: one.place, mark: one.wants } : { known: encode(one.known, 0, true) },
        );
      const mark = q.mark === null ? null : markOf(x, q.mark);
      const old = read(x, q.gets),
        labels = read(x, q.labels),
        all = old.concat(labels);
      if (mark === null && all.length > 0 && all.every((each) => isFailed(each) && missing(each.number))) return all[0];
      const row = [mark, labels, old, places, read(x, q.facts)];
      return q.looks === undefined ? row : row.concat([read(x, q.looks)]);
    } catch (error) {
      return failed(error);
    }
  });

const readable = (x, gets) =>
  gets.map((get) => {
    if (get === null) return null;
    try {
      return ask(() => get(x));
    } catch (error) {
      return failed(error);
    }
  });
const shown = (values) => values.map((value) => (isFailed(value) ? value : encode(value)));
const alike = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// The answers of groups of objects, each at its place in the request.
const inOrder = (groups) => {
  const found = [];
  groups.forEach((group, g) =>
    group().forEach((each, i) => {
      found[d.places[g][i]] = each;
    }),
  );
  return found;
};

// The order of the writes. An app that saves after each of them refuses an object that ends before it starts, even if
// the next write would set its other date. So the new end is written first if the new start is not before the old end.
const inTime = (span, values, old) => {
  const order = values.map((_, i) => i);
  if (span === undefined) return order;
  const [start, end] = span,
    isLater = old[end] instanceof Date && values[start] >= old[end];
  order[Math.min(start, end)] = isLater ? end : start;
  order[Math.max(start, end)] = isLater ? start : end;
  return order;
};

// Changes one object. It must be the intended one, with the values that a person has seen. Then all of its properties
// are set and read back, or those already set are restored. No event comes between the last look at the object and the
// first write.
const change = ([p, wants, seen, given, looks], way, q, ways) => {
  at = "object";
  const x = way(p),
    before = readable(x, q.gets),
    gone = before.find((each) => isFailed(each) && missing(each.number));
  if (gone) return gone;
  const old = shown(before);
  if (seen !== null && !alike(old, seen)) return { changed: old };
  const names = q.names === null ? null : ask(() => q.names(p));
  if (names !== null && names.filter((name) => same(name, q.name(p))).length !== 1) return { moved: null };
  const mark = q.mark === null ? null : markOf(x, q.mark);
  if (wants !== null && mark !== wants) return { moved: mark };
  // Another object may have taken its name.
  if (looks !== undefined && !alike(read(x, q.looks), looks)) return { moved: mark };
  const values = given.map((value) => inbound(value, ways)),
    done = [];
  at = "set";
  for (const i of inTime(q.span, values, before)) {
    // An equal value is not written again, because the app would take that as a change, too.
    if (q.gets[i] !== null && !isFailed(before[i]) && alike(encode(values[i]), old[i])) continue;
    try {
      ask(() => q.sets[i](x, values[i]));
      done.push(i);
    } catch (error) {
      const number = numberOf(error),
        message = messageOf(error);
      if (fatal(number)) return { unknown: number, message: message };
      return {
        refused: i,
        number: number,
        message: message,
        done: done,
        back: done
          .slice()
          .reverse()
          .every((j) => putBack(x, q.sets[j], before[j])),
      };
    }
  }
  at = "check";
  try {
    return Object.assign({ old: old }, readBack(p, x, q, values, names, mark, done.length > 0));
  } catch (error) {
    return { unknown: numberOf(error), message: messageOf(error) };
  }
};
// Whether an app returned the written object in another form, such as by its id instead of its name.
const isSame = (given, now) => {
  const [wanted, is] = [encode(given), encode(now)];
  if (wanted?.$ !== "object" || is?.$ !== "object" || alike(wanted, is)) return false;
  try {
    const id = ask(() => given.id());
    return id !== null && id !== undefined && id === ask(() => now.id());
  } catch (error) {
    return false;
  }
};
// The values of an object after a write, and its identity now: a write may change its name or its mark.
const readBack = (p, x, q, values, names, mark, isWritten) => {
  const at = (y, found) => {
    const now = readable(y, q.gets);
    if (now.some((each) => isFailed(each) && missing(each.number))) return null;
    const is = { now: shown(now), mark: q.mark === null || !isWritten ? mark : markOf(y, q.mark) };
    const equal = now.map((each, i) => isSame(values[i], each));
    if (equal.includes(true)) is.same = equal;
    if (q.looks !== undefined) is.looks = read(y, q.looks);
    return Object.assign(is, found);
  };
  const renamed = q.renames === null ? null : values[q.renames];
  const first = renamed === null ? at(x, {}) : at(q.named(p, renamed), { name: renamed });
  // An app may file an object elsewhere as a new object with a new id.
  if (first === null && q.home !== undefined && mark !== null && isObject(values[q.home]))
    return { now: [], mark: mark, filed: values };
  if (first !== null || names === null) return first === null ? { now: shown(readable(x, q.gets)), mark: mark } : first;
  // The app gave it a different name than the request, or a name that depends on other values. It is at its old
  // position if nothing else in the collection has changed.
  const is = ask(() => q.names(p)),
    i = names.findIndex((name) => same(name, q.name(p)));
  const others = is.length === names.length && is.every((name, n) => n === i || name === names[n]);
  const moved = others
    ? at(q.place(p, i), is.filter((name) => same(name, is[i])).length === 1 ? { name: is[i] } : { place: i })
    : null;
  return moved === null ? { now: shown(readable(x, q.gets)), mark: mark } : moved;
};
const putBack = (x, set, value) => {
  if (isFailed(value) || value === undefined) return false;
  try {
    ask(() => set(x, value));
    return true;
  } catch (error) {
    return false;
  }
};
// Finds objects that were filed elsewhere by their marks. It looks once at each place, after all objects are there.
const lookThere = (place, some, q) => {
  const there = q.leaf(place),
    marks = ask(() => q.mark(there)).map(markText),
    ids = ask(() => q.id(there));
  for (const one of some) {
    one.now = q.gets.map(() => ({ $: "error", number: -1728, message: "it is not where it was filed" }));
    const i = marks.indexOf(one.mark);
    if (i < 0 || marks.lastIndexOf(one.mark) !== i || ids.length !== marks.length) continue;
    const object = there.byId(ids[i]);
    if (markOf(object, q.mark) !== one.mark) continue;
    one.now = shown(readable(object, q.gets));
    one.filed = encode(ids[i], 0, true);
  }
};
const filedAway = (results, q) => {
  if (q.home === undefined) return results;
  const places = new Map();
  for (const one of results.filter((one) => one.filed !== undefined)) {
    const place = one.filed[q.home],
      name = source(place);
    one.filed = null;
    if (!places.has(name)) places.set(name, { place: place, some: [] });
    places.get(name).some.push(one);
  }
  places.forEach(({ place, some }) => {
    try {
      lookThere(place, some, q);
    } catch (error) {
      some.forEach((one) => {
        one.now = q.gets.map(() => ({ $: "error", number: numberOf(error), message: messageOf(error) }));
      });
    }
  });
  return results;
};
// After an app has quit or stopped answering, nothing more is tried.
const changes = (rows, way, q, ways) => {
  const results = [];
  for (const row of rows) {
    if (stopped) {
      results.push({ untried: true });
      continue;
    }
    try {
      results.push(change(row, way, q, ways));
    } catch (error) {
      if (fatal(numberOf(error))) {
        if (!written) throw error;
        stopped = true;
        results.push({ untried: true });
        continue;
      }
      results.push(failed(error));
      continue;
    }
    const last = results[results.length - 1];
    if (last.unknown !== undefined) stopped = true;
    if (last.now !== undefined || last.unknown !== undefined || last.refused !== undefined) written = true;
  }
  return filedAway(results, q);
};
let stopped = false;
let written = false;
