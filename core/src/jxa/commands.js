// Follows the prelude in scripts of commands that move something, or with objects that a human saw.

const lost = (number) => number === -1728 || number === -1719;
// The first object that has changed since the human saw it, or is missing; null if there is none. A missing target does
// not count, because the command itself reports it, and neither do the objects in it. `target` is true for a target;
// for an object in a target it is the row of that target.
const other = (seen, ways, reads) => {
  at = "object";
  // The values that a human saw are compared whole, even if the answer needs only a part of them.
  const text = d.text,
    gone = [];
  d.text = null;
  for (let i = 0; i < seen.length; i += 1) {
    const [way, which, p, shown, target] = seen[i],
      is = read(ways[way](p), reads[which]);
    // An app that refuses to read all properties at once may also do so for a missing object.
    const some = is.filter((_, n) => !reads[which][n].whole),
      isLost = some.length > 0 && some.every((each) => isFailed(each) && lost(each.number));
    if (isLost && (target === true || gone.includes(target))) {
      gone.push(i);
      continue;
    }
    if (JSON.stringify(is) !== JSON.stringify(shown)) return { $: "other", at: i };
  }
  d.text = text;
  return null;
};
const known = (x, by) => {
  if (by === null) return null;
  try {
    const is = ask(() => by(x));
    return is === null || is === undefined ? null : wellFormed(String(is));
  } catch (error) {
    failed(error);
    return null;
  }
};
// A change lasts only once the app has saved it.
const keep = (save, sent) => {
  at = "save";
  try {
    ask(save);
  } catch (error) {
    reason = "it was done, and the app did not save it (" + numberOf(error) + ")";
  }
  return sent;
};
// One moved object: its identity and its new place, the app's answer, and whether it has left the old place.
const moving = (x, q, send) => {
  const mark = known(x, q.mark),
    home = q.home === null ? null : read(x, [q.home])[0],
    kept = q.kept === undefined ? undefined : read(x, q.kept);
  at = "command";
  const there = ask(send),
    value = encode(there);
  let left = false,
    here = false;
  if (q.mark !== null || q.home !== null) {
    try {
      const is = encode(ask(() => (q.home || q.mark)(x)));
      here = true;
      // The application finds some objects by their id wherever they are, so only another container shows that it left.
      left = q.home !== null && [is, home].every((one) => one !== null && one.$ === "object") && is.v !== home.v;
    } catch (error) {
      left = lost(numberOf(error));
      failed(error);
    }
  }
  // Some apps return the object at its new place, others the path of the request, which now leads nowhere.
  const returned = value !== null && value.$ === "object" ? there : here ? x : null,
    found = returned === null || !left ? null : known(returned, q.mark || q.id),
    landed = q.mark === null ? found !== null : found;
  // The values that tell it from another object of its name.
  const looks = found === null || q.looks === undefined ? null : read(there, q.looks);
  return Object.assign(
    { $: "moved", value: value, mark: mark, home: home, left: left, here: here && !left, landed: landed, kept: kept },
    looks === null ? {} : { looks: looks },
  );
};
// A copy of one object: the app's answer, and the values of the copy right after it was made. An app may give it the id
// of its original. Then nothing leads to the copy alone.
const copying = (original, q, send) => {
  const old = known(original, q.id);
  at = "command";
  const there = ask(send),
    value = encode(there),
    x = Array.isArray(there) && there.length === 1 ? there[0] : there,
    copy = Array.isArray(there) ? encode(x) : value;
  if (Array.isArray(x) || copy === null || copy.$ !== "object") return value;
  const id = q.id === null ? null : read(x, [q.id])[0];
  if (old !== null && old === String(id)) return { $: "shared" };
  return { $: "copied", value: value, copy: copy, id: id, looks: read(x, q.looks) };
};
// Moves that may give their objects new ids, because the app makes new objects in the other place. The new object is
// the only new one there that has the values of the old one.
const arriving = (q, send) => {
  const quietly = (get) => {
    try {
      return get();
    } catch (error) {
      return null;
    }
  };
  const idsThere = () => quietly(() => ask(() => q.id(q.there()))),
    before = idsThere(),
    answers = send(),
    moved = [].concat(answers).filter((one) => one !== null && typeof one === "object" && one.$ === "moved"),
    left = moved.filter((one) => one.left),
    after = left.length > 0 && Array.isArray(before) ? idsThere() : null;
  if (Array.isArray(after)) {
    const old = new Set(before),
      ids = after.filter((id) => !old.has(id)),
      values = ids.map((id) => quietly(() => JSON.stringify(read(q.there().byId(id), q.kept)))),
      wanted = left.map((one) => JSON.stringify(one.kept));
    const sole = (all, text) => (all.indexOf(text) === all.lastIndexOf(text) ? all.indexOf(text) : -1);
    left.forEach((one, n) => {
      const i = sole(wanted, wanted[n]) === n ? sole(values, wanted[n]) : -1;
      if (i >= 0) one.arrived = encode(ids[i], 0, true);
    });
  }
  moved.forEach((one) => delete one.kept);
  return answers;
};
// A deletion: an app may answer without an error and delete nothing. The script can check only an object with an id or
// a name, because an index leads to the next object afterwards.
const deleting = (x, places, send) => {
  const value = send();
  return places.length > 0 ? value : { $: "deleted", value: value, x: x };
};
// One look at each object after all are deleted and saved, because an app may need the save or a moment for it.
const lookedAfter = (answers) => {
  const isThere = (x) => {
    try {
      return ask(() => x.exists()) === true;
    } catch (error) {
      return false;
    }
  };
  const after = (one) =>
    one === null || typeof one !== "object" || one.$ !== "deleted"
      ? one
      : isThere(one.x)
        ? { $: "there", value: one.value }
        : one.value;
  return Array.isArray(answers) ? answers.map(after) : after(answers);
};
// Finds objects by their marks, each in the first collection that holds exactly one of them. Returns the number of the
// collection and the id.
const find = (collections, mark, id, marks) => {
  const found = marks.map(() => null);
  collections.forEach((collection, c) => {
    if (found.every((each) => each !== null)) return;
    at = "column";
    try {
      const all = ask(() => mark(collection()));
      if (!Array.isArray(all)) return;
      marks.forEach((wanted, m) => {
        const i = all.findIndex((each) => String(each) === wanted);
        if (found[m] !== null || i < 0 || all.lastIndexOf(all[i]) !== i) return;
        const is = ask(() => id(collection().at(i)));
        if (known(collection().byId(is), mark) === wanted) found[m] = [c, is];
      });
    } catch (error) {
      failed(error);
    }
  });
  return found;
};
// The size and the modification date of the file at a path; null if there is none that this process may see.
const fileAt = (path) => {
  ObjC.import("Foundation");
  const found = $.NSFileManager.defaultManager.attributesOfItemAtPathError(path, null);
  if (found === null || found === undefined || found.isNil()) return null;
  const of = (key) => ObjC.unwrap(found.objectForKey(key));
  return [Number(of("NSFileSize")), Number(of("NSFileModificationDate"))];
};
// A command that should write a file, and whether it did: an app may answer without an error and write nothing.
const filing = (to, send) => {
  const path = String(to),
    look = () => {
      try {
        return fileAt(path);
      } catch (error) {
        return null;
      }
    };
  const before = look(),
    value = send();
  let after = look();
  for (let i = 0; i < 5 && after === null; i += 1) {
    $.NSThread.sleepForTimeInterval(0.1);
    after = look();
  }
  const isNew = after !== null && JSON.stringify(before) !== JSON.stringify(after);
  return {
    $: "filed",
    value: value,
    is: isNew ? "new" : after === null ? "none" : "old",
    bytes: isNew ? after[0] : null,
  };
};
// A command, with values that the server's answer tells besides the app's own. They are read before and after it.
const telling = (app, before, after, send) => {
  const was = read(app, before),
    value = send();
  return { $: "told", value: value, told: was.concat(read(app, after)) };
};
// If the app answers with an empty text, that says too little, so values are read afterwards.
const tellingIfEmpty = (app, after, send) => {
  const value = send();
  return { $: "told", value: value, told: value === "" ? read(app, after) : [] };
};
// A command that opens or ends the app, and whether it runs afterwards: ending takes a moment, or waits for a person.
const standing = (one, wanted, send) => {
  const value = send();
  let runs = null;
  try {
    runs = one.running() === true;
    for (let i = 0; i < 10 && runs !== wanted; i += 1) {
      $.NSThread.sleepForTimeInterval(0.1);
      runs = one.running() === true;
    }
  } catch (error) {
    // The answer of the command itself still counts.
  }
  return { $: "standing", value: value, runs: runs };
};
