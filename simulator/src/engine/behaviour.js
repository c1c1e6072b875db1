// What an app's own script sees: the objects of its app, and one event at a time.
(function (refused) {
  "use strict";
  // An object of the app; the same one is always the same in JavaScript.
  class Held {
    constructor(id) {
      this.id = id;
    }
  }
  const known = new Map();
  const held = (id) => {
    if (!known.has(id)) known.set(id, new Held(id));
    return known.get(id);
  };
  const refuse = (number, message) => {
    const error = new Error(message ?? "");
    error.errorNumber = refused(number, error.stack);
    throw error;
  };
  // The handler of an event: `set` by property, `make` by class, `commands` by name.
  const handler = (script, kind, name) => script[kind]?.[name]?.bind(script);
  function perform(handle, it) {
    it.refuse = refuse;
    it.target = it.targets[0];
    return handle(it);
  }
  return { held, isHeld: (value) => value instanceof Held, handler, perform };
})
