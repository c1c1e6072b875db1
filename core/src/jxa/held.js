// Follows the prelude in scripts that make objects, and in those that delete them again.

// Reads some properties of an object with one event. Each value becomes a number, so that no text is kept.
const digestOf = (value) => {
  const text = typeof value === "string" ? "t" + value : String(value instanceof Date ? value.getTime() : value);
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(36);
};
const heldIn = (names) =>
  Object.assign(
    (x) => {
      const all = x.properties();
      if (all === null || typeof all !== "object") return null;
      return names
        .filter((name) => all[name] !== null && all[name] !== undefined)
        .map((name) => name + " " + digestOf(all[name]));
    },
    { uncut: true, whole: true },
  );
