// `Ref`, and the C function that needs a typed one: the system's converter of dictionaries.
(function (tools) {
  "use strict";
  const { system, VALUE, data, text, define } = tools;

  // An out-parameter for an object that is made with Ref() ends the process when it is read, as on a Mac. A Ref with
  // a type is indexed like an array, and `equals` recognizes an opaque pointer. A pointer to an object that a C
  // function returns must be cast before it is an object.
  const typed = new WeakSet();
  const pointees = new WeakMap();
  function Ref(type) {
    const crashes = (target, key) => type === undefined && key === "0" && VALUE in target;
    const made = new Proxy({}, { get: (target, key) => (crashes(target, key) ? system.exit(139) : target[key]) });
    define(made, "equals", { value: (other) => other === made });
    if (type !== undefined) typed.add(made);
    return made;
  }
  Ref.equals = (one, other) => one === other;
  // The system's converter of dictionaries. It fails for a Ref without a type, and for an app without a dictionary.
  const copyDefinition = (url, modes, out) => {
    if (!typed.has(out)) return -50;
    const definition = system.definition(text(url));
    if (definition == null) return -192;
    out[0] = {};
    pointees.set(out[0], data(definition));
    return 0;
  };
  const cast = (value) => pointees.get(value) ?? value;
  return { Ref, copyDefinition, cast };
})
