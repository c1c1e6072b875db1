// An app with writable objects, for scripts that run in a real engine. It records every write that reaches it.
// With `world.placed`, new objects are known by their positions; `world.locked` names properties that refuse a write,
// and `world.deaf` those that silently keep their value.
// With `world.whole`, the app gives all properties of an object at once; with `world.keeps`, it silently deletes
// nothing. `world.bent` gives the values that properties take instead of the written ones, and a write to `world.dies`
// ends the app.
// `world.then` gives code to run at an event: {"12": code}.
globalThis.events = 0;
globalThis.writes = [];
globalThis.dead = false;
world.trays = world.trays || [];
const errorOf = (number) => Object.assign(new Error("the app says " + number), { errorNumber: number });
const event = () => {
  if (dead) throw errorOf(-609);
  events += 1;
  const happens = (world.then || {})[events];
  if (happens) (0, eval)(happens);
};
const alive = (value) =>
  value !== null && typeof value === "object" && value.date !== undefined ? new Date(value.date) : value;
const kept = (value) => (value instanceof Date ? { date: value.getTime() } : value);
const one = (find, way) =>
  new Proxy(
    {},
    {
      get: (_, property) =>
        property === "row"
          ? find
          : property === "way" && way !== undefined
            ? way
            : property === "things"
              ? collection(() => {
                  if (find() === undefined) throw errorOf(-1728);
                  return find().things;
                }, ".trays.things")
              : () => {
                  event();
                  const row = find();
                  if (property === "exists") return row !== undefined;
                  if (property === "properties" && row !== undefined && world.whole)
                    return Object.keys(row).reduce((all, key) => Object.assign(all, { [key]: alive(row[key]) }), {});
                  if (row === undefined) throw errorOf(-1728);
                  return alive(row[property]);
                },
      set: (_, property, value) => {
        event();
        const row = find();
        if (row === undefined) throw errorOf(-1728);
        if ((world.locked || []).includes(property)) throw errorOf(-10006);
        if (world.dies === property) {
          dead = true;
          throw errorOf(-609);
        }
        if (globalThis.noted) noted(property, row, row[property], kept(value));
        writes.push([
          row.id === undefined ? (row.name === undefined ? row.text : row.name) : row.id,
          property,
          kept(value),
        ]);
        if (!(world.deaf || []).includes(property))
          row[property] = property in (world.bent || {}) ? world.bent[property] : kept(value);
        return true;
      },
    },
  );
// A new object: it is named like any other once it is among its elements.
const PLAIN = {
  thing: () => ({ id: 1000 + events, name: null, flag: false, count: 0 }),
  slip: () => ({ text: "", flag: false }),
  box: () => ({ name: null, flag: false }),
  tray: () => ({ tray: true, name: null, things: [] }),
};
const add = (rows, kind, properties, place) => {
  event();
  const row = PLAIN[kind]();
  for (const key of Object.keys(properties || {}))
    if (!(world.deaf || []).includes(key)) row[key] = kept(properties[key]);
  if (globalThis.noted) noted("make", row);
  writes.push([kind, "make", row.name === undefined ? row.text : row.name]);
  if (place === 0) rows.unshift(row);
  else rows.push(row);
  return row;
};
const fresh = (kind) =>
  function (properties) {
    return { kind: kind, properties: properties, made: null };
  };
// An object that a script constructed becomes a reference when it is pushed.
const settled = (object, row) => {
  object.made = one(() => row);
  Object.setPrototypeOf(object, object.made);
};
const collection = (rows, way) =>
  new Proxy(
    {},
    {
      get: (_, property) => {
        if (property === "way") return way;
        if (property === "length") {
          event();
          return rows().length;
        }
        if (property === "push") return (object) => settled(object, add(rows(), object.kind, object.properties));
        if (property === "end" || property === "beginning") return { rows: rows, place: property === "end" ? 1 : 0 };
        if (property === "at") return (index) => one(() => rows()[index]);
        if (property === "byId") return (id) => one(() => rows().find((row) => row.id === id));
        if (property === "byName") return (name) => one(() => rows().find((row) => row.name === name));
        return () => {
          event();
          return rows().map((row) => alive(row[property]));
        };
      },
    },
  );
globalThis.Automation = { getDisplayString: (x) => 'Application("Shelf")' + (typeof x.way === "string" ? x.way : "") };
globalThis.Application = () => ({
  running: () => !dead,
  launch: () => null,
  things: collection(() => world.things, ".things"),
  slips: collection(() => world.slips, ".slips"),
  boxes: collection(() => world.boxes, ".boxes"),
  trays: collection(() => world.trays, ".trays"),
  Thing: fresh("thing"),
  Slip: fresh("slip"),
  Box: fresh("box"),
  Tray: fresh("tray"),
  make: ({ new: kind, at, withProperties }) => {
    const list = { thing: "things", slip: "slips", box: "boxes", tray: "trays" }[kind];
    const rows = at === undefined ? world[list] : at.rows();
    const row = add(rows, kind, withProperties, at === undefined ? 1 : at.place);
    if (!world.placed) return one(() => row);
    const i = rows.indexOf(row);
    return one(() => world[list][i], "." + list + ".at(" + i + ")");
  },
  delete: (target) => {
    event();
    const row = target.row();
    if (row === undefined) throw errorOf(-1728);
    if (world.keeps) return;
    if (globalThis.noted) noted("delete", row);
    writes.push([row.id === undefined ? (row.name === undefined ? row.text : row.name) : row.id, "delete"]);
    for (const all of ["things", "slips", "boxes", "trays"]) world[all] = world[all].filter((each) => each !== row);
  },
  doScript: (text) => {
    event();
    if (globalThis.noted) seen.push(["do script", "script", text, null, null, null]);
    writes.push([text, "script"]);
    return null;
  },
});
