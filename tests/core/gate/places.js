// Windows with tabs and panes, for scripts that run in a real engine. A window has an id, a tab has a name and an
// address, and a pane has neither. `world.then` gives code to run at an event; `gone` keeps the deleted objects.
globalThis.events = 0;
globalThis.gone = [];
globalThis.after = null;
const errorOf = (number) => Object.assign(new Error("the app says " + number), { errorNumber: number });
const event = () => {
  events += 1;
  const happens = (world.then || {})[events];
  if (happens === undefined) return;
  (0, eval)(happens);
  if (gone.length === 0) globalThis.after = standing();
};
const one = (find, way) =>
  new Proxy(
    {},
    {
      get: (_, property) => {
        if (property === "row") return find;
        if (property === "way") return way;
        if (property === "tabs" || property === "panes")
          return all(
            () => {
              const row = find();
              return row === undefined ? [] : row[property];
            },
            way + "." + property,
          );
        return () => {
          event();
          const row = find();
          if (row === undefined) throw errorOf(-1728);
          return row[property];
        };
      },
      set: (_, property, value) => {
        event();
        const row = find();
        if (row === undefined) throw errorOf(-1728);
        row[property] = value;
        // The title of a page follows from its address.
        if (property === "url") row.name = "the page at " + value;
        return true;
      },
    },
  );
const all = (rows, way) =>
  new Proxy(
    {},
    {
      get: (_, property) => {
        if (property === "way") return way;
        if (property === "length") {
          event();
          return rows().length;
        }
        if (property === "at") return (i) => one(() => rows()[i], way + ".at(" + i + ")");
        if (property === "byId")
          return (id) => one(() => rows().find((row) => row.id === id), way + ".byId(" + id + ")");
        if (property === "byName")
          return (name) => one(() => rows().find((row) => row.name === name), way + ".byName(" + name + ")");
        return () => {
          event();
          return rows().map((row) => row[property]);
        };
      },
    },
  );
const find = ([kind, w, i]) => {
  const window = world.windows[w];
  return window === undefined || kind === "window" ? window : window[kind + "s"][i];
};
globalThis.standing = () =>
  world.targets
    .map(find)
    .map((row) => (row === undefined ? null : [row.serial, row.url === undefined ? row.serial : row.url]));
globalThis.Automation = {
  getDisplayString: (x) => 'Application("Browser")' + (typeof x.way === "string" ? x.way : ""),
};
globalThis.Application = () => ({
  running: () => true,
  windows: all(() => world.windows, ".windows"),
  delete: (target) => {
    // The comparison and the deletion are adjacent events: no script can see a change between the two.
    if (world.then && world.then[events + 1] !== undefined)
      ((world.then[events + 2] = world.then[events + 1]), delete world.then[events + 1]);
    event();
    const row = target.row();
    if (row === undefined) throw errorOf(-1728);
    gone.push([row.serial, row.url === undefined ? row.serial : row.url]);
    world.windows = world.windows.filter((each) => each !== row);
    for (const window of world.windows)
      for (const kind of ["tabs", "panes"]) window[kind] = window[kind].filter((each) => each !== row);
  },
});
