const isStill = (object) => {
  try {
    return ask(() => object.exists()) === true;
  } catch (error) {
    return false;
  }
};
// Reads one object. If `reads` is null, one event reads all properties, and those in `names` are not cut. Some apps
// refuse all of them because of one: then the answer says whether the object is there.
const properties = (object, reads, names) => {
  try {
    return reads === null
      ? encode(
          ask(() => object.properties()),
          0,
          names,
        )
      : { $: "list", v: read(object, reads) };
  } catch (error) {
    const said = failed(error);
    return reads === null && isStill(object) ? { ...said, there: true } : said;
  }
};
// Reads objects that are reached in the same way.
const objects = (rows, way, reads, names) => {
  at = "object";
  return rows.map((p) => {
    try {
      return properties(way(p), reads, names);
    } catch (error) {
      return failed(error);
    }
  });
};
// Reads objects of one collection by their ids: whole columns if that is cheaper than single reads.
// `size` is the number of elements when a script last counted them, or null.
const batch = (collection, ids, id, reads, each, size) => {
  at = "object";
  const columns = reads.some((one) => one.single)
      ? Infinity
      : 2 * priceOf(d.value, size) + each.reduce((sum, value) => sum + priceOf(value, size), 0),
    singles = reads.length * ids.length * d.single;
  if (size !== null && cheaper(columns, singles)) {
    try {
      const all = askColumn(() => id(collection), d.value),
        read = reads.map((one, i) => askColumn(() => one(collection), each[i]));
      const whole =
        read.every((column) => Array.isArray(column) && column.length === all.length) &&
        agree(
          all,
          ask(() => id(collection)),
        );
      const place = new Map(all.map((each, i) => [each, i]));
      if (whole && ids.every((each) => place.has(each))) {
        strategy = "columns";
        return ids.map((each) => ({
          $: "list",
          v: read.map((column, i) => encode(column[place.get(each)], 0, reads[i].uncut)),
        }));
      }
    } catch (error) {
      if (!singly(numberOf(error))) throw error;
    }
  }
  strategy = "by id";
  return ids.map((each) => properties(collection.byId(each), reads));
};
