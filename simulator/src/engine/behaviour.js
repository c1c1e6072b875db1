// What the script of an app's behaviour works with: objects of its app, and one event at a time.
(function (refused) {
  "use strict";
  // An object of the app. The same object is always represented by the same instance.
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
  // Finds the handler of an event: `get` and `set` by property, `elements` and `make` by class, `commands` by name.
  const handler = (script, kind, name) => script[kind]?.[name]?.bind(script);
  function perform(handle, it) {
    it.refuse = refuse;
    it.target = it.targets[0];
    return handle(it);
  }
  return { held, isHeld: (value) => value instanceof Held, handler, perform };
})
