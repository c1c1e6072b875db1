// Mailboxes with messages, for scripts that run in a real engine. A moved message gets another id.
// With `world.keeps`, `move` silently does nothing; with `world.answers`, `move` returns the message at its new place.
globalThis.events = 0;
globalThis.writes = [];
const errorOf = (number) => Object.assign(new Error("the app says " + number), { errorNumber: number });
const event = () => {
  events += 1;
};
const objects = ["mailbox"];
const one = (find, source) =>
  new Proxy(function () {}, {
    get: (_, property) => {
      if (property === "row") return find;
      if (property === "source") return source;
      if (property === "messages")
        return collection(() => {
          const row = find();
          if (row === undefined) throw errorOf(-1728);
          return row.messages;
        }, source + ".messages");
      return () => {
        event();
        const row = find();
        if (row === undefined) throw errorOf(-1728);
        return objects.includes(property) ? boxOf(row) : row[property];
      };
    },
    set: (_, property, value) => {
      event();
      const row = find();
      if (row === undefined) throw errorOf(-1728);
      writes.push([row.subject, property, value]);
      row[property] = value;
      return true;
    },
  });
const collection = (rows, source) =>
  new Proxy(
    {},
    {
      get: (_, property) => {
        if (property === "length") {
          event();
          return rows().length;
        }
        if (property === "at") return (index) => one(() => rows()[index], source + ".at(" + index + ")");
        if (property === "byId")
          return (id) => one(() => rows().find((row) => row.id === id), source + ".byId(" + id + ")");
        if (property === "byName")
          return (name) =>
            one(() => rows().find((row) => row.name === name), source + ".byName(" + JSON.stringify(name) + ")");
        return () => {
          event();
          return rows().map((row) => row[property]);
        };
      },
    },
  );
const application = () => 'Application("Mail").mailboxes';
const boxOf = (row) => {
  const box = world.boxes.find((box) => box.messages.includes(row));
  return one(
    () => world.boxes.find((each) => each === box),
    application() + ".byName(" + JSON.stringify(box.name) + ")",
  );
};
world.move = (row, to) => {
  world.boxes.forEach((box) => {
    box.messages = box.messages.filter((each) => each !== row);
  });
  row.id += 1000;
  to.messages.push(row);
};
globalThis.Automation = { getDisplayString: (value) => value.source };
globalThis.Application = () => ({
  running: () => true,
  mailboxes: collection(() => world.boxes, application()),
  move: (target, { to }) => {
    event();
    const row = target.row(),
      box = to.row();
    if (row === undefined || box === undefined) throw errorOf(-1728);
    if (world.keeps) return null;
    writes.push([row.subject, "move", box.name]);
    world.move(row, box);
    if (!world.answers) return null;
    return one(() => box.messages.find((each) => each === row), to.source + ".messages.byId(" + row.id + ")");
  },
});
