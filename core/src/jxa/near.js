const isJoined = (filter) => ["and", "or", "not"].includes(filter[0]);
const leavesOf = (filter) => (isJoined(filter) ? filter.slice(1).flatMap(leavesOf) : [filter]);
// How many values a comparison looked at, how many of them are not missing, and how many pass it alone.
const isThere = (value) =>
  value !== null && value !== undefined && value !== "" && !isFailed(value) && !(Array.isArray(value) && !value.length);
const counted = ([word, , value], values, passes = holds) => {
  const there = values.filter(isThere),
    wants = wanted(value),
    passing = passes && values.filter((each) => passes(word, isFailed(each) ? null : each, wants)).length;
  return [values.length, there.length, passing];
};
// The comparisons of the filter in their order, each with its counts, or null if its values are not known.
const compared = (valuesOf) =>
  leavesOf(d.filter).map((leaf) => {
    const values = valuesOf(leaf[1]);
    return values ? counted(leaf, values) : null;
  });
// If nothing matches: the values of a property, for each comparison with a text that none of them meets.
// A comparison inside `not` cannot be the reason why nothing matches.
const MOST_VALUES = 1000; // The server compares each with the requested text.
const MOST_LETTERS = 200; // The server compares no more of a value.
const MOST_COMPARISONS = 5; // A longer list of suggestions would not help.
const textsOf = (filter) =>
  filter[0] === "and" || filter[0] === "or"
    ? filter.slice(1).flatMap(textsOf)
    : ["==", "contains", "startsWith", "endsWith"].includes(filter[0]) && typeof filter[2] === "string"
      ? [filter]
      : [];
const instead = (valuesOf) =>
  textsOf(d.filter)
    .slice(0, MOST_COMPARISONS)
    .flatMap(([word, i, value]) => {
      const texts = (valuesOf(i) || []).flat().filter((each) => typeof each === "string" && each !== "");
      return texts.length === 0 || holds(word, texts, wanted(value))
        ? []
        : [
            [
              i,
              value,
              [...new Set(texts)].slice(0, MOST_VALUES).map((text) => wellFormed(text.slice(0, MOST_LETTERS))),
            ],
          ];
    });
// What an answer without elements says about the values that the filter has compared.
const unmet = (valuesOf, q) => {
  const known = new Map();
  const once = (i) => {
    if (!known.has(i)) known.set(i, valuesOf(i));
    return known.get(i);
  };
  return { near: instead((i) => (q.long[i] ? null : once(i))), compared: compared(once) };
};
// If an app has filtered by itself: the most time to spend on the values of a property, in milliseconds. A person would
// notice more.
const NEARBY = 2500;
const valuesIn = (collection, size, cells, q) => (i) => {
  if (isMany(collection) && q.columns[i].of) return collection.owners(q.columns[i]);
  if (!q.filtered) return cells.seen(i);
  if (q.long[i] || priceOf(d.values[i], size) > NEARBY) return null;
  try {
    return column(collection, q.columns[i], d.values[i]);
  } catch (error) {
    failed(error);
    return null;
  }
};
