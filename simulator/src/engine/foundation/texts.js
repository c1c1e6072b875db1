// Strings as Foundation objects.
(function (tools) {
  "use strict";
  const { object } = tools;

  // macOS stores a short string in the pointer itself, so two equal ones are the same object; Apple's release notes
  // compare them with `==`. Longer strings are separate objects.
  const short = new Map();
  return (value) => {
    if (!/^[\0-\x7f]{1,7}$/.test(value)) return object("NSString", value);
    if (!short.has(value)) short.set(value, object("NSString", value));
    return short.get(value);
  };
})
