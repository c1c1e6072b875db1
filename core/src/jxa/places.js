// A part of scripts that change something, and of those that show the objects beforehand. A position leads to another
// object as soon as an object before it is added or removed. So before the first change, each position on the path to
// an object is replaced by the id or the name of the object there.

// The objects that were found at the positions on the path to the current object, outermost first.
let found = [];
// The error if another object is at the position. Nothing may be done to it.
const another = () => Object.assign(new Error("another object is at its place"), { errorNumber: MOVED });
// A number that only this server uses: several objects have the given name.
const SEVERAL = 20003;
const several = () => Object.assign(new Error("several objects have this name"), { errorNumber: SEVERAL });
// A number that only this server uses: several objects have only their positions, and positions shift.
const BLIND = 20002;
// The number of ids of one collection to read with an event each; for more, one event reads the whole column.
const FEW = 4;
const censuses = new Map();
const census = (collection) => {
  const key = source(collection);
  if (!censuses.has(key)) censuses.set(key, { asked: 0, all: undefined });
  return censuses.get(key);
};
// The ids or names of all elements; null where the app refuses to answer them together.
const everyone = (collection, get) => {
  const kept = census(collection);
  if (kept.all === undefined) {
    try {
      const all = ask(() => get(collection));
      kept.all = Array.isArray(all) ? all : null;
    } catch (error) {
      if (!singly(numberOf(error))) throw error;
      kept.all = null;
    }
  }
  return kept.all;
};
const idAt = (collection, get, i) => {
  const kept = census(collection);
  kept.asked += 1;
  const all = kept.asked > FEW ? everyone(collection, get) : null;
  return all !== null && i < all.length ? all[i] : ask(() => get(collection.at(i)));
};
const isAlone = (collection, get, name) => {
  const all = everyone(collection, get);
  return all !== null && all.filter((each) => same(each, name)).length === 1;
};
const check = (one) => {
  if (one.get !== null && one.wants !== null && markOf(one.object, one.get) !== one.wants) throw another();
};

// Finds the element at a position: by its id, by a name that no neighbour has, otherwise by the position and its mark.
const pin = (collection, i, q) => {
  at = "object";
  const x = collection.at(i);
  if (q.id !== null) {
    // A name identifies the element only if no neighbour has it. One event reads all names. Between two events, someone
    // may close the first of two tabs of one name, and the other would be mistaken for it.
    const all = q.alone ? everyone(collection, q.id) : null;
    const is = all !== null && i < all.length ? all[i] : idAt(collection, q.id, i);
    const serves = typeof is === "number" || (typeof is === "string" && is !== "");
    if (serves && (!q.alone || isAlone(collection, q.id, is))) {
      found.push({ known: is });
      return q.pick(collection, is);
    }
  }
  const get = q.mark === null ? q.id : q.mark;
  let wants = null;
  if (get !== null)
    try {
      wants = markOf(x, get);
    } catch (error) {
      if (!singly(numberOf(error)) || missing(numberOf(error))) throw error;
    }
  found.push({ place: i, object: x, get: get, wants: wants });
  return x;
};
// The element at a position. A person has seen which element is there.
const hold = (x, i, get, wants) => {
  at = "object";
  const one = { place: i, object: x, get: get, wants: wants };
  check(one);
  found.push(one);
  return x;
};
// The element with a name that no neighbour has.
const sole = (collection, name, get) => {
  at = "object";
  const all = everyone(collection, get);
  if (all !== null && all.filter((each) => same(each, name)).length > 1) throw several();
  return collection.byName(name);
};
// The same, and its id: a step of the call may give its name to another element.
const titled = (collection, name, get, id) => {
  const x = sole(collection, name, get);
  let is = null;
  try {
    is = ask(() => id(x));
  } catch (error) {
    if (!singly(numberOf(error)) || missing(numberOf(error))) throw error;
  }
  found.push({ known: is === undefined ? null : is });
  return x;
};

// Positions from the last to the first, contents before their container, and objects with an id or a name at the end:
// so no removed object shifts a position that is still needed.
const lastFirst = (a, b) => {
  for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
    const x = a[i] === undefined ? -1 : a[i].place,
      y = b[i] === undefined ? -1 : b[i].place;
    if (x !== y) return y - x;
  }
  return 0;
};
const isPlaced = (one) => one.place !== undefined;
// One command for several objects, one event each. All of them are found before the first event; an object with only a
// position is compared once more directly before its own event. The answers have the order of the request.
const sendEach = (rows, ways, send) => {
  const shared = found.filter(isPlaced),
    answers = rows.map(() => ({ $: "untried" })),
    open = [];
  rows.forEach((row, i) => {
    found = [];
    try {
      open.push({ i: i, target: inbound(row, ways), places: found.filter(isPlaced) });
    } catch (error) {
      answers[i] = failed(error);
    }
  });
  const isBlind = (one) => one.wants === null;
  if (open.length > 1 && (shared.some(isBlind) || open.some((each) => each.places.some(isBlind)))) {
    throw Object.assign(new Error("several objects have nothing but their places"), { errorNumber: BLIND });
  }
  open.sort((a, b) => lastFirst(a.places, b.places));
  let sent = false;
  for (const { i, target, places } of open) {
    try {
      at = "object";
      places.forEach(check);
      at = "command";
      answers[i] = send(target, places);
      sent = true;
    } catch (error) {
      if (!fatal(numberOf(error))) {
        answers[i] = failed(error);
        continue;
      }
      if (!sent) throw error;
      reason =
        "the app stopped answering (" +
        numberOf(error) +
        "); whether the next target was reached is not known, the others were not tried";
      break;
    }
  }
  return answers;
};
