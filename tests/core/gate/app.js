// An app whose objects can be set, for scripts that are run in a real engine. Every write that reaches it is kept.
// `world.locked` names properties that refuse to be set, `world.deaf` those that keep their value without a word,
// `world.dies` the one whose set ends the app, `world.then` what happens at which event: {"12": code}.
globalThis.events = 0;
globalThis.writes = [];
globalThis.dead = false;
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
const one = (find) =>
  new Proxy(
    {},
    {
      get: (_, property) =>
        property === "row"
          ? find
          : () => {
              event();
              const row = find();
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
        if (!(world.deaf || []).includes(property)) row[property] = kept(value);
        return true;
      },
    },
  );
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
  things: collection(() => world.things, ".things"),
  slips: collection(() => world.slips, ".slips"),
  boxes: collection(() => world.boxes, ".boxes"),
  delete: (target) => {
    event();
    const row = target.row();
    if (row === undefined) throw errorOf(-1728);
    if (globalThis.noted) noted("delete", row);
    writes.push([row.id, "delete"]);
    for (const all of ["things", "slips", "boxes"]) world[all] = world[all].filter((each) => each !== row);
  },
  doScript: (text) => {
    event();
    if (globalThis.noted) seen.push(["do script", "script", text, null, null, null]);
    writes.push([text, "script"]);
    return null;
  },
});
