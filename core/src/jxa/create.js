// Follows the parts for changes and commands in scripts that make objects.

// An object that a constructor made exists in the app only once it is added to a collection. From then on it is a
// reference.
const pushed = (collection, x) => {
  collection.push(x);
  return x;
};
// The object that a command returns, if it is one object.
const answered = (x) => {
  const one = Array.isArray(x) && x.length === 1 ? x[0] : x;
  if (!isObject(one) || one instanceof Date) throw { nothing: true };
  return one;
};
// Values that were read from a new object stay valid until something is written. They are cached, because each read is
// an event, and Calendar takes a tenth of a second for one.
const remembered = new Map();
const recall = (x, get) => {
  if (!remembered.has(x)) remembered.set(x, new Map());
  const of = remembered.get(x);
  if (!of.has(get))
    of.set(
      get,
      ask(() => get(x)),
    );
  return of.get(get);
};
const recalled = (x, gets) =>
  gets.map((get) => {
    if (get === null) return null;
    try {
      return recall(x, get);
    } catch (error) {
      return failed(error);
    }
  });
// Every write goes through here.
const changing = (event) => {
  remembered.clear();
  return event();
};
// A text to append or prepend is joined with the text that the new object already has.
const joinedTo = (is, value, how) => {
  if (how === undefined || how === "set") return value;
  if (is === null || is === undefined) return value;
  if (typeof is !== "string")
    throw Object.assign(new Error("it holds no text that can be added to"), { errorNumber: -1700 });
  return how === "append" ? is + value : value + is;
};
// Makes one object. The app gets the properties together with it, if it takes them so.
const makeOne = ([, parent, place, given], q, made, ways) => {
  at = "object";
  const where = parent === null ? inbound(place, ways) : made[parent];
  const values = given.map((value) => inbound(value, ways)),
    first = {};
  q.takes.forEach((n) => {
    first[q.keys[n]] = values[n];
  });
  const old = q.original === undefined ? null : known(q.original(where), q.id);
  at = "make";
  const x = changing(() => ask(() => q.make(where, first)));
  // A copy with the id of its original. That id leads to the original too.
  return { x: old !== null && known(x, q.id) === old ? null : x, values: values };
};
// Whether an object holds a value, perhaps in the app's own form: apps differ in line ends, both ends of a text, small
// fractions, seconds, and the spelling of an enumerator. Different paths to an object cannot be compared.
const isHeld = (value, is, isWord) => {
  if (isFailed(is)) return false;
  if (isNothing(value) || isNothing(is)) return (isNothing(value) || value === "") && (isNothing(is) || is === "");
  if (value instanceof Date) return is instanceof Date && Math.abs(value - is) < 60000;
  if (typeof value === "number")
    return typeof is === "number" && Math.abs(value - is) <= 1e-6 * Math.max(1, Math.abs(value));
  if (typeof value === "boolean") return value === is;
  if (Array.isArray(value))
    return Array.isArray(is) && is.length === value.length && value.every((each, i) => isHeld(each, is[i], isWord));
  const text = isObject(value) ? pathOf(value) : value;
  if (typeof text === "string") {
    const other = isObject(is) ? pathOf(is) : is;
    if (typeof other !== "string") return isObject(is);
    const key = isWord
      ? (each) => each.toLowerCase().replace(/[^a-z0-9]/g, "")
      : (each) => each.replace(/\r\n?/g, "\n").replace(/^\s+|[\s/]+$/g, "");
    return key(text) === key(other);
  }
  if (source(value).startsWith("Application(")) return true;
  return isObject(is) && Object.keys(value).every((key) => isHeld(value[key], is[key], isWord));
};
// A value that the app did not take together with the others, or changed, is set separately. If commands follow, it is
// read again, because the person who approved them has seen exactly these values.
const setLate = (x, q, values, isLooked, again, isPart) => {
  const late = [],
    unlike = [],
    before = recalled(x, q.gets);
  // Some parts can be made but not read, such as the attachment of an unsent message. The app took all the values
  // together, and none of them is known to be different.
  const isUnseen = isPart && before.every((is, n) => q.gets[n] === null || isFailed(is));
  const compare = (value, n) => {
    const now = q.renamed !== undefined && n === q.named ? again(values) : x;
    const is = q.gets[n] === null || !isLooked ? null : readable(now, [q.gets[n]])[0];
    if (q.gets[n] !== null && isLooked && !isHeld(value, is, q.words.includes(n))) unlike.push([n, shown([is])[0]]);
  };
  inTime(q.span, values, before).forEach((n) => {
    const given = values[n],
      isGiven = q.takes.includes(n),
      how = q.added === undefined ? "set" : q.added[n],
      is = before[n];
    let value = given;
    try {
      if (how !== "set" && isFailed(is)) throw Object.assign(new Error(is.message), { errorNumber: is.number });
      value = joinedTo(is, given, how);
    } catch (error) {
      late.push([n, numberOf(error), messageOf(error)]);
      unlike.push([n, shown([is])[0]]);
      return;
    }
    // A write-only value was given already and cannot be compared.
    if (isGiven && q.gets[n] === null) return;
    if (isGiven && isFailed(is)) {
      if (isUnseen) return;
      unlike.push([n, is]);
      return;
    }
    const isWay = isObject(value) && !(value instanceof Date) && source(value).startsWith("Application(");
    if (isGiven && isWay && !isNothing(is)) return;
    if (q.sets[n] === null) {
      compare(value, n);
      return;
    }
    if (q.gets[n] !== null && !isFailed(is) && alike(encode(value), encode(is))) return;
    try {
      changing(() => ask(() => q.sets[n](x, value)));
    } catch (error) {
      if (fatal(numberOf(error))) throw error;
      // A value that the app took and returns in another form need not be settable.
      if (!isGiven || isNothing(is)) {
        late.push([n, numberOf(error), messageOf(error)]);
        unlike.push([n, shown([is])[0]]);
        return;
      }
    }
    compare(value, n);
  });
  return { late: late, unlike: unlike };
};
const readMade = (x, q) => {
  const [id, name, ...now] = shown(recalled(x, [q.id, q.name, ...q.gets]));
  const isKnown = (look) => remembered.has(x) && remembered.get(x).has(look);
  return {
    source: source(x),
    id: id,
    name: name,
    now: now,
    looks: q.looks.map((look) => (isKnown(look) ? encode(recall(x, look)) : read(x, [look])[0])),
  };
};
// The position of an object that has only a position. A number at the end of a quoted name is not a position.
const placeOf = (x) => {
  const way = source(x),
    found = /\.at\((\d+)\)$|\[(\d+)\]$/.exec(way);
  return found === null
    ? null
    : { among: way.slice(0, found.index), at: Number(found[1] === undefined ? found[2] : found[1]) };
};
// A new object as the later commands address it: by its id, or by a name that is unique among its elements. An object
// with only a position can be used only until the first command that uses it has run.
const newOne = (x, q, all) => {
  const byId = /\.byId\(("(?:[^"\\]|\\[^])*"|-?[0-9.]+)\)$/;
  const tried = (get) => readable(null, [() => get()])[0];
  if (byId.test(source(x))) return { x: x, lost: () => null };
  const id = q.id === null || all === null ? null : tried(() => q.id(x));
  if (
    !isNothing(id) &&
    !isFailed(id) &&
    sameId(
      tried(() => q.id(all().byId(id))),
      id,
    )
  )
    return { x: all().byId(id), lost: () => null };
  const name = q.called === undefined || all === null ? null : tried(() => q.called(x));
  if (typeof name === "string" && name !== "") {
    const named = byName(name, all, q);
    if (named.lost() === null) return named;
  }
  // Its name leads to an older object, too.
  if (all !== null && placeOf(x) === null) return { x: x, lost: () => "name" };
  const placed = {
    x: x,
    isUsed: false,
    lost: () => (placed.isUsed ? "place" : null),
    used: () => (placed.isUsed = true),
  };
  return placed;
};
const sameId = (a, b) => !isNothing(a) && !isFailed(a) && a === b;
const byName = (name, all, q) => {
  let names = null;
  const one = { x: all().byName(name), name: name, isGone: false };
  const read = () => readable(null, [() => q.called(all())])[0];
  const is = (each) => same(each, one.name);
  const isSole = () => Array.isArray(names) && names.filter(is).length === 1;
  one.lost = () => {
    if (one.isGone) return "name";
    names = read();
    return isSole() ? null : "name";
  };
  // Runs directly after a command that used the object. The command may have given it another name, such as that of the
  // file in which a document was saved. If the object has left its position, another object may take its name there.
  one.settle = () => {
    const before = names;
    names = read();
    if (isSole()) return;
    const i = before.findIndex(is);
    const isRenamed =
      Array.isArray(names) &&
      names.length === before.length &&
      typeof names[i] === "string" &&
      names.every((each, n) => n === i || each === before[n]);
    one.isGone = !isRenamed || names.filter((each) => same(each, names[i])).length !== 1;
    if (one.isGone) return;
    one.name = names[i];
    one.x = all().byName(one.name);
  };
  return one;
};
// The new objects that commands use, by their numbers, and those that the current command uses.
const its = new Map();
let about = [];
const it = (number = 0) => {
  const one = its.get(number);
  about.push(one);
  const lost = one.lost();
  if (lost !== null) throw { lost: lost, number: number };
  return one.x;
};
const settle = (one) => {
  if (one.settle) one.settle();
};
const use = (one) => {
  if (one.used) one.used();
};
// Sets properties of an object that a step names. If only a property leads to it, its own path is read first.
const setOne = (row, way, q, ways, isTold, labels) => {
  let own = null,
    called = null;
  const told = (p) => {
    const x = ask(() => way(p)());
    if (!isObject(x)) throw Object.assign(new Error("it is not there"), { errorNumber: -1728 });
    own = source(x);
    called = read(x, labels);
    return x;
  };
  const [done] = filedAway([change(row, isTold ? told : way, q, ways)], q);
  return { $: "set", row: done, source: own, called: called };
};
// Runs the later commands. Each runs only if the one before it succeeded; `stop` gives the reason why none may run.
const follow = (steps, ways, stop) => {
  let why = stop;
  return steps.map((step, n) => {
    if (why !== null) return Object.assign({ untried: true }, why);
    about = [];
    try {
      const given = inbound(d.then[n], ways);
      at = "command";
      reason = null;
      const value = changing(() => step(given, ways));
      about.forEach(settle);
      if (value?.$ === "set") {
        if (value.row.now === undefined) why = {};
        return value;
      }
      // One of several targets has failed, or the app stopped answering.
      if (Array.isArray(value) && (value.some(isFailed) || reason !== null)) why = {};
      return { value: value };
    } catch (error) {
      why = error.lost === undefined ? {} : { lost: error.lost, number: error.number };
      if (error.lost !== undefined) return Object.assign({ untried: true }, why);
      if (fatal(numberOf(error))) return { unknown: numberOf(error), message: messageOf(error) };
      return { error: failed(error) };
    } finally {
      // Any command may shift positions.
      its.forEach(use);
    }
  });
};
// A position leads to another object as soon as something is put before it.
const shifted = (made) => {
  const places = made.map((x) => (x === undefined ? null : placeOf(x)));
  return made.map((x, i) =>
    places.some(
      (each, n) =>
        n > i && each !== null && places[i] !== null && each.among === places[i].among && each.at <= places[i].at,
    ),
  );
};
// The name at the end of a path to an object.
const nameOf = (x) => {
  const found = /\.byName\("((?:[^"\\]|\\[^])*)"\)$/.exec(source(x));
  if (found === null) return null;
  try {
    return JSON.parse(
      '"' +
        found[1].replace(/[\0-\x1f]/g, (c) => "\\u00" + (c < "\x10" ? "0" : "") + c.charCodeAt(0).toString(16)) +
        '"',
    );
  } catch (error) {
    return found[1];
  }
};
// The names of the neighbours of a new object, read before an object with a name is made there.
const beside = new Map();
const namesIn = (all, q) => readable(null, [() => (q.called === undefined ? all.name() : q.called(all))])[0];
// Finds a new object by a path that leads to no other object. A name may lead to an older object, and the values would
// then be written into that one. Among several objects of one name, the new one is the one that holds the given values.
// `null` if nothing was made, or if several hold them.
const apart = (x, q, values, all) => {
  if (all === null) return { x: x };
  const key = source(all),
    before = beside.get(key),
    told = nameOf(x),
    name = told === null ? values[q.calls] : told,
    is = (each) => same(each, name);
  if (Array.isArray(before) && !before.some(is)) {
    before.push(name);
    return { x: x };
  }
  // Its position leads to it, and its name does not.
  if (told === null) return { x: x, isTwin: Array.isArray(before) };
  const now = namesIn(all, q);
  if (!Array.isArray(now)) return { x: null };
  if (Array.isArray(before)) {
    beside.set(key, now);
    if (now.length === before.length) return { x: null, isOld: true };
  }
  const alike = now.map((each, n) => (is(each) ? n : -1)).filter((n) => n >= 0);
  if (alike.length === 1) return { x: x };
  const given = values
    .map((value, n) => [value, q.gets[n], n])
    .filter(([, get, n]) => get !== null && q.takes.includes(n));
  const holds = (n) => given.every(([value, get]) => isHeld(value, readable(all.at(n), [get])[0]));
  const those = alike.filter(holds);
  return { x: those.length === 1 ? all.at(those[0]) : null, isTwin: true };
};
// Makes objects in order, each after its container. If the app has quit or does not answer, the script ends; any other
// failure affects only the object and its contents. After all objects are made, they are read back and saved.
const create = (rows, kinds, ways, save, then = [], all = {}) => {
  const made = [],
    results = rows.map(() => ({ untried: true })),
    late = [],
    twins = [],
    unlike = [];
  let saved = null,
    last = null,
    isMade = false;
  const end = (i, error) => {
    if (!isMade && !made.some((each) => each !== undefined)) throw error;
    last = i;
    results[i] = { unknown: numberOf(error), message: messageOf(error) };
  };
  rows.forEach((row, i) => {
    if (last !== null || (row[1] !== null && made[row[1]] === undefined)) return;
    try {
      const q = kinds[row[0]],
        where = row[1] === null ? inbound(row[2], ways) : made[row[1]],
        among = q.among === undefined ? null : q.among(where);
      if (among !== null && q.calls !== undefined && !beside.has(source(among)))
        beside.set(source(among), namesIn(among, q));
      const { x: told, values } = makeOne(row, q, made, ways),
        { x, isOld, isTwin } = told === null ? { x: null, isTwin: true } : apart(told, q, values, among);
      if (x === null) {
        results[i] = isOld ? { twin: true } : { lost: true, twin: true };
        isMade = isMade || !isOld;
        return;
      }
      made[i] = x;
      late[i] = [];
      twins[i] = isTwin === true;
      const again = (all) => q.renamed(inbound(row[4], ways), all),
        set = setLate(x, q, values, then.length > 0, again, row[1] !== null);
      late[i] = set.late;
      unlike.push(...set.unlike.map(([n, is]) => [i, n, is]));
      // The object may be found only by its name. It has the new name even if other properties failed.
      if (q.renamed !== undefined && late[i].every(([n]) => n !== q.named)) made[i] = again(values);
      if (all[i] !== undefined) its.set(i, newOne(made[i], q, all[i] === null ? null : () => all[i](ways)));
    } catch (error) {
      if (fatal(numberOf(error))) {
        end(i, error);
        return;
      }
      if (made[i] === undefined && results[i].untried) results[i] = error.nothing ? { nothing: true } : failed(error);
    }
  });
  const isAny = isMade || made.some((each) => each !== undefined);
  const store = () => {
    at = "save";
    try {
      changing(() => ask(save));
      saved = true;
    } catch (error) {
      saved = { $: "error", number: numberOf(error), message: messageOf(error) };
    }
  };
  if (save !== null && isAny && last === null) store();
  at = "check";
  const isShifted = shifted(made);
  made.forEach((x, i) => {
    if (x === undefined || i === last) return;
    if (isShifted[i]) {
      results[i] = { lost: true };
      return;
    }
    try {
      results[i] = Object.assign(readMade(x, kinds[rows[i][0]]), { late: late[i] });
      if (twins[i]) results[i].twin = true;
    } catch (error) {
      results[i] = { source: source(x), unread: numberOf(error), message: messageOf(error) };
    }
  });
  // If two new objects have the same name, the name leads to neither of them.
  results.forEach((one, i) =>
    results.forEach((other, n) => {
      const isAlike = other.source !== undefined && rows[i][0] === rows[n][0] && same(one.name, other.name);
      if (twins[i] && isAlike) other.twin = true;
    }),
  );
  // Reads what the answer tells about an object that a command has filled in, after all changes to it.
  const tell = () =>
    made.forEach((x, i) => {
      const tells = kinds[rows[i][0]].tells;
      if (tells === undefined || x === undefined || results[i].looks === undefined || results[i].gone) return;
      results[i].tells = read(its.has(i) ? its.get(i).x : x, tells);
    });
  if (then.length === 0) {
    tell();
    return { rows: results, saved: saved };
  }
  const isWhole = last === null && rows.every((_, i) => made[i] !== undefined);
  let stop = isWhole && (saved === null || saved === true) ? null : {};
  if (stop === null && unlike.length > 0) stop = { unlike: unlike[0] };
  if (stop === null) its.forEach((one, i) => isShifted[i] && use(one));
  const next = follow(then, ways, stop);
  if (next.every((step) => step.untried)) return { rows: results, saved: saved, then: next };
  // An app that has not answered would not answer this either.
  if (save !== null && next.every((step) => step.unknown === undefined)) store();
  // The later commands may have changed or removed the new objects.
  // An app that refuses to read all properties at once may also do so for a missing object.
  const isMissing = (looks, i) => {
    const some = looks.filter((_, n) => !kinds[rows[i][0]].looks[n].whole);
    return some.length > 0 && some.every((each) => isFailed(each) && missing(each.number));
  };
  made.forEach((x, i) => {
    if (x === undefined || results[i].looks === undefined) return;
    if (its.has(i) && its.get(i).isUsed) {
      results[i] = { lost: true };
      return;
    }
    const one = its.get(i),
      looks = read(one === undefined ? x : one.x, kinds[rows[i][0]].looks);
    results[i].gone = isMissing(looks, i) && !isMissing(results[i].looks, i);
    // The values that an undo will find after it has moved back what the commands moved into the object.
    results[i].first = results[i].looks;
    results[i].looks = looks;
    // A command may have given it another name, such as that of its file.
    if (one !== undefined && one.name !== undefined && one.name !== results[i].name && !one.isGone && !results[i].gone)
      Object.assign(results[i], { source: source(one.x), name: encode(one.name) });
    // Another object has its name now.
    if (one !== undefined && one.isGone && !results[i].gone) results[i] = { lost: true };
  });
  tell();
  return { rows: results, saved: saved, then: next };
};
