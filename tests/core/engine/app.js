// An app with one collection, for scripts that run in a real engine: rows are data, and the app counts events.
// `refuses` names properties that cannot be read as a column, `broken` names those that always give an error, and
// `drift` is the number of the event after which a row is inserted at the front.
globalThis.events = 0;
// The time that the events would have taken, in milliseconds, if the world gives their costs.
globalThis.clock = 0;
const costs = world.costs || { event: 0, value: 0, text: 0, single: 0, index: 0, whose: 0 };
if (world.source) world.rows = JSON.parse(world.source);
if (world.count)
  world.rows = Array.from({ length: world.count }, (_, n) => ({
    id: n,
    name: "m" + n,
    n: n,
    text: "subject " + n,
    when: new Date(Date.UTC(2026, 0, 1) + ((n * 7) % 1000) * 3600000),
    flag: n % 3 === 0,
    body: "",
  }));
// A clock that stands still, if the world gives a time.
if (world.now)
  globalThis.Date = class extends Date {
    constructor(...parts) {
      if (parts.length === 0) super(world.now);
      else super(...parts);
    }
  };
globalThis.seen = [];
const textual = ["name", "text", "body"];
const errorOf = (number) => Object.assign(new Error("the app says " + number), { errorNumber: number });
class File {
  constructor(path) {
    this.path = path;
  }
  toString() {
    return this.path;
  }
}
const alive = (value) =>
  value === null || typeof value !== "object"
    ? value
    : value.date !== undefined
      ? new Date(value.date)
      : value.file !== undefined
        ? new File(value.file)
        : value;
const event = (took) => {
  events += 1;
  clock += took;
  if (world.drift === events)
    world.rows.unshift({ id: -1, name: "newcomer", n: 0, text: "newcomer", when: null, flag: false, body: "" });
};
const breaks = (property) => {
  if (world.broken && property in world.broken) throw errorOf(world.broken[property]);
};
const read = (row, property, took) => {
  event(took);
  if (row === undefined) throw errorOf(-1728);
  breaks(property);
  return alive(row[property]);
};
const one = (find, took) => new Proxy({}, { get: (_, property) => () => read(find(), property, took) });
const collection = (rows, look) =>
  new Proxy(
    {},
    {
      get: (_, property) => {
        if (property === "length") {
          event(costs.event);
          return rows().length;
        }
        if (property === "at")
          return (index) => {
            seen.push(index);
            return one(() => rows()[index], costs.index);
          };
        if (property === "byId")
          return (id) => {
            seen.push(id);
            return one(() => {
              const all = rows();
              return all[id] !== undefined && all[id].id === id ? all[id] : all.find((row) => row.id === id);
            }, costs.single);
          };
        if (property === "byName")
          return (name) => {
            seen.push(name);
            return one(() => rows().find((row) => row.name === name), costs.single);
          };
        if (property === "whose")
          return (filter) =>
            collection(() => {
              if (world.whose === "fails") throw errorOf(-1726);
              return rows().filter((row) => passes(row, filter));
            }, costs.whose);
        return () => {
          event(
            costs.event +
              (textual.includes(property) ? costs.text : costs.value) * rows().length +
              look * world.rows.length,
          );
          breaks(property);
          if (world.refuses.includes(property)) throw errorOf(-1700);
          return rows().map((row) => alive(row[property]));
        };
      },
    },
  );
const lower = (value) =>
  typeof value === "string" ? value.normalize("NFC").toLowerCase() : value instanceof Date ? value.getTime() : value;
const passes = (row, filter) => {
  const [key] = Object.keys(filter);
  if (key === "_and") return filter._and.every((each) => passes(row, each));
  if (key === "_or") return filter._or.some((each) => passes(row, each));
  if (key === "_not") return !filter._not.some((each) => passes(row, each));
  const [operator] = Object.keys(filter[key]),
    has = lower(alive(row[key])),
    wants = lower(filter[key][operator]);
  if (operator === "_equals") return has === wants;
  if (has === null) return false;
  switch (operator) {
    case "_contains":
      return has.includes(wants);
    case "_beginsWith":
      return has.startsWith(wants);
    case "_endsWith":
      return has.endsWith(wants);
    case "_lessThan":
      return has < wants;
    case "_greaterThan":
      return has > wants;
    case "_lessThanEquals":
      return has <= wants;
    case "_greaterThanEquals":
      return has >= wants;
  }
  throw new Error("no operator " + operator);
};
globalThis.Automation = {
  getDisplayString: (value) => (value instanceof File ? `Path("${value}")` : 'Application("Shelf")'),
};
globalThis.Application = (id) => {
  seen.push(id);
  return {
    running: () => true,
    things: collection(() => world.rows, 0),
    boxes: {
      byName: (name) => {
        seen.push(name);
        return {
          name: () => {
            event(costs.single);
            return name;
          },
        };
      },
    },
  };
};
