// Classes that scripts define, and observers of their objects' properties.
(function (tools) {
  "use strict";
  const { VALUE, $, kind, object, classOf, classes, prototypes, define, selectorName, string, text, wrap } = tools;

  const [NEW, OLD, INITIAL] = [1, 2, 4];
  const watched = new WeakMap();
  const observers = (self) => watched.get(self[VALUE]) ?? [];

  function tell({ observer, key, options, context }, self, old, value) {
    const change = { kind: 1 };
    if (options & NEW) change.new = value;
    if (options & OLD) change.old = old;
    observer.observeValueForKeyPathOfObjectChangeContext(string(key), self, wrap(change), context);
  }
  function announce(self, key, old, value) {
    for (const each of observers(self)) if (each.key === key) tell(each, self, old, value);
  }
  const observing = {
    addObserverForKeyPathOptionsContext(observer, path, options, context) {
      const one = { observer, key: text(path), options, context };
      watched.set(this[VALUE], [...observers(this), one]);
      if (options & INITIAL) tell(one, this, undefined, this[VALUE][one.key]);
    },
    removeObserverForKeyPath(observer, path) {
      const isOther = (each) => each.observer !== observer || each.key !== text(path);
      watched.set(this[VALUE], observers(this).filter(isOther));
    },
  };

  function registerSubclass({ name, superclass = "NSObject", methods = {}, properties = {} }) {
    kind(name, { parent: superclass });
    for (const [key, value] of Object.entries(observing)) define(prototypes[name], key, { value, writable: true });
    const made = () => object(name, {});
    for (const [key, type] of Object.entries(properties)) {
      const set = function (value) {
        const old = this[VALUE][key];
        this[VALUE][key] = type === "id" ? wrap(value) : value;
        announce(this, key, old, this[VALUE][key]);
      };
      define(prototypes[name], `set${key[0].toUpperCase()}${key.slice(1)}`, { value: set, writable: true });
      define(prototypes[name], key, {
        get() {
          return this[VALUE][key];
        },
        set,
      });
    }
    for (const [selector, method] of Object.entries(methods)) {
      const body = typeof method === "function" ? method : method.implementation;
      const key = selectorName(selector);
      if (selector.includes(":")) define(prototypes[name], key, { value: body, writable: true });
      else
        define(prototypes[name], key, {
          get() {
            return body.call(this);
          },
        });
    }
    // A script's own `init` starts from the object that the superclass makes.
    const own = methods.init?.implementation ?? methods.init;
    classOf(name, { get: { blank: own ? () => own.call(made()) : made } });
    define($, name, { value: classes[name], writable: true });
  }
  return registerSubclass;
})
