// Where nothing matches: the values that a property has, for each comparison with a text that is true of none of them.
// What stands behind `not` is no reason.
const MOST_VALUES = 1000;
const textsOf = (filter) =>
  filter[0] === "and" || filter[0] === "or"
    ? filter.slice(1).flatMap(textsOf)
    : ["==", "contains", "startsWith", "endsWith"].includes(filter[0]) && typeof filter[2] === "string"
      ? [filter]
      : [];
const instead = (valuesOf) =>
  textsOf(d.filter).flatMap(([word, i, value]) => {
    const texts = [].concat(...(valuesOf(i) || [])).filter((each) => typeof each === "string" && each !== "");
    return texts.length === 0 || holds(word, texts, wanted(value))
      ? []
      : [[i, value, [...new Set(texts)].slice(0, MOST_VALUES).map((text) => wellFormed(text.slice(0, 200)))]];
  });
// As much time as near values are worth, in milliseconds, where an app has searched by itself.
const NEARBY = 2500;
const valuesIn = (collection, size, cells, q) => (i) => {
  if (isMany(collection) && q.columns[i].of) return collection.owners(q.columns[i]);
  if (!q.filtered) return cells.whole(i);
  if (q.long[i] || priceOf(d.values[i], size) > NEARBY) return null;
  try {
    return column(collection, q.columns[i], d.values[i]);
  } catch (error) {
    failed(error);
    return null;
  }
};
