// Stands in scripts that change something, and in those that show beforehand what would be changed. A place leads to
// another object as soon as one before it comes or goes. So each place on the way to an object is turned into the id
// or the name of what stands there, before the first change.

// What was found at the places on the way to the object at hand, outermost first.
let found = [];
// Another object is at the place, or several have the name: nothing may be done to it.
const another = () => Object.assign(new Error("another object is at its place"), { errorNumber: MOVED });
// Nobody else's number: several objects have the name that one was picked by.
const SEVERAL = 20003;
const several = () => Object.assign(new Error("several objects have this name"), { errorNumber: SEVERAL });
// Nobody else's number: several objects have nothing but their places, and places shift.
const BLIND = 20002;
// Up to so many ids of one collection are read with an event each; for more, one event reads the whole column.
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

// The element at a place: by its id, by a name that no neighbour has, or else by the place and what stands there.
const pin = (collection, i, q) => {
  at = "object";
  const x = collection.at(i);
  if (q.id !== null) {
    const is = idAt(collection, q.id, i);
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
      if (!singly(numberOf(error)) || numberOf(error) === -1728) throw error;
    }
  found.push({ place: i, object: x, get: get, wants: wants });
  return x;
};
// The element at a place. A person has seen which element stands there.
const hold = (x, i, get, wants) => {
  at = "object";
  const one = { place: i, object: x, get: get, wants: wants };
  check(one);
  found.push(one);
  return x;
};
// The element of a name that no neighbour has.
const sole = (collection, name, get) => {
  at = "object";
  const all = everyone(collection, get);
  if (all !== null && all.filter((each) => same(each, name)).length > 1) throw several();
  return collection.byName(name);
};

// Places from the last to the first, what is in a container before the container, and what has an id or a name at the
// end: so nothing that is taken away shifts a place that is still needed.
const lastFirst = (a, b) => {
  for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
    const x = a[i] === undefined ? -1 : a[i].place,
      y = b[i] === undefined ? -1 : b[i].place;
    if (x !== y) return y - x;
  }
  return 0;
};
const isPlaced = (one) => one.place !== undefined;
// One command for several objects, one event each. All of them are found before the first event; what only its place
// leads to is compared once more directly before its own event. The answers stand in the order of the request.
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
      answers[i] = send(target);
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
