// An app of rooms that contain boxes, and boxes that contain things and more boxes. `world.tree` is a node:
// `{"rooms":[…],"boxes":[…],"things":[…]}`.
// `refuses` names properties that cannot be read as a column through several containers. With `empty`, a column of a
// container without elements is an error. A node that is `locked` gives only that error number. `drift` is the number
// of the event after which a thing is added to a box; `swap` is the same for a thing that replaces another. With
// `flat`, a room also lists the boxes in its boxes, as Mail lists the mailboxes of an account.
const KINDS = { rooms: "id", boxes: "name", things: "id" };
const fresh = () => ({
  id: 9000 + events,
  name: "newcomer",
  n: 0,
  text: "newcomer",
  when: null,
  flag: false,
  body: "",
});
const inside = (node, all = []) => {
  if (node.things) all.push(node);
  for (const kind of ["rooms", "boxes"]) (node[kind] || []).forEach((each) => inside(each, all));
  return all;
};
const sent = () => {
  event(1);
  if (world.change && world.change.at === events) {
    const boxes = inside(world.tree).filter((node) => node.things.length > 0),
      box = boxes[world.change.box % Math.max(boxes.length, 1)];
    if (!box) return;
    if (world.change.swap) box.things.shift();
    box.things.push(fresh());
  }
};
const nodeOf = (way) =>
  way.reduce((node, [kind, by, value]) => {
    if (node === undefined) return undefined;
    const all = node[kind] || [];
    return by === "at" ? all[value] : all.find((each) => each[KINDS[kind]] === value);
  }, world.tree);
const shown = (way) =>
  way.reduce((text, [kind, by, value]) => `${text}.${kind}.${by}(${JSON.stringify(value)})`, 'Application("Shelf")');
const ways = new WeakMap();
// One object, by its path: `[["boxes", "byName", "a"], …]`.
const object = (way) => {
  const target = () => {
    throw errorOf(-1700);
  };
  const made = new Proxy(target, {
    get: (_, name) => {
      if (name in KINDS) return all(() => [[way, nodeOf(way)]], [name]);
      return () => {
        sent();
        const node = nodeOf(way);
        if (node === undefined) throw errorOf(-1728);
        return alive(node[name] === undefined ? null : node[name]);
      };
    },
  });
  ways.set(made, way);
  return made;
};
const wayOf = (way, kind, node, at) => {
  const twins = nodeOf(way)[kind].filter((each) => each[KINDS[kind]] === node[KINDS[kind]]).length > 1;
  return [...way, twins ? [kind, "at", at] : [kind, KINDS[kind] === "id" ? "byId" : "byName", node[KINDS[kind]]]];
};
// The objects of one collection, each with its path.
const heldBy = (way, node, kind) => {
  const own = (node[kind] || []).map((each, at) => [each, wayOf(way, kind, each, at)]);
  const isFlat = world.flat && kind === "boxes" && way.length > 0 && way[way.length - 1][0] === "rooms",
    deep = ([each, to]) => [[each, to], ...heldBy(to, each, kind).flatMap(deep)];
  return isFlat ? own.flatMap(deep) : own;
};
// The answer of a chain of collections: lists within lists.
const nested = (way, kinds, read) => {
  const node = nodeOf(way);
  if (node === undefined) throw errorOf(-1728);
  if (node.locked) throw errorOf(node.locked);
  const [kind, ...rest] = kinds,
    held = heldBy(way, node, kind);
  if (rest.length === 0 && held.length === 0 && world.empty) throw errorOf(-1728);
  return held.map(([each, to]) => (rest.length > 0 ? nested(to, rest, read) : read(each, to)));
};
const all = (begin, kinds) => {
  const way = begin()[0][0],
    last = kinds[kinds.length - 1];
  const answer = (read) => {
    sent();
    return nested(way, kinds, read);
  };
  const target = () => {
    if (kinds.length > 1 && (world.refuses || []).includes("objects")) {
      sent();
      throw errorOf(-1700);
    }
    return answer((_, to) => object(to));
  };
  return new Proxy(target, {
    get: (_, name) => {
      if (name === "many") return undefined;
      if (name in KINDS) return all(begin, [...kinds, name]);
      if (name === "length") {
        sent();
        const node = nodeOf(way);
        if (kinds.length > 1) throw errorOf(-1700);
        if (node.locked) throw errorOf(node.locked);
        return (node[last] || []).length;
      }
      const one = (by) => (value) => object([...way, [last, by, value]]);
      if (name === "at" || name === "byId" || name === "byName") return one(name);
      return () => {
        if (kinds.length > 1 && (world.refuses || []).includes(name)) {
          sent();
          throw errorOf(-1700);
        }
        return answer((node) => alive(node[name] === undefined ? null : node[name]));
      };
    },
  });
};
const files = Automation.getDisplayString;
globalThis.Automation = { getDisplayString: (value) => (ways.has(value) ? shown(ways.get(value)) : files(value)) };
globalThis.Application = (id) => {
  seen.push(id);
  return new Proxy({}, { get: (_, name) => (name === "running" ? () => true : all(() => [[[], world.tree]], [name])) });
};
