// Observers of the properties of objects that scripts define.
(function (tools) {
  "use strict";
  const { VALUE, string, text, wrap } = tools;

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
  return { observing, announce };
})
