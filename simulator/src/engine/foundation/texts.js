// Texts as objects of Foundation.
(function (tools) {
  "use strict";
  const { object } = tools;

  // macOS keeps a short text in the pointer itself, so that two equal ones are the same object; Apple's release notes compare
  // them with `==`. Longer texts are objects of their own.
  const short = new Map();
  return (value) => {
    if (!/^[\0-\x7f]{1,7}$/.test(value)) return object("NSString", value);
    if (!short.has(value)) short.set(value, object("NSString", value));
    return short.get(value);
  };
})
