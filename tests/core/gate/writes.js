// Records each write: what was done, the class and name of the object, and the value before and after.
globalThis.seen = [];
const classOf = (row) => (row.tray ? "tray" : row.id !== undefined ? "thing" : row.text !== undefined ? "slip" : "box");
globalThis.noted = (what, row, old, now) =>
  seen.push([
    what,
    classOf(row),
    row.name === undefined ? null : row.name,
    old === undefined ? null : old,
    now === undefined ? null : now,
    row.id === undefined ? null : row.id,
  ]);
world.set = (at, property, value) => {
  noted(property, world.things[at], world.things[at][property], value);
  return "null";
};
