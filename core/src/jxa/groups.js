// Counts and sums of groups instead of elements. `by` are columns, -1 is the container; `of` are pairs of a function
// and a column, and `sort` says what to compare: the count, a key or an aggregate.
const CONTAINER = -1;
// More containers without elements are only counted, because they would fill the answer.
const MOST_EMPTY = 50;
const columnsOfGroups = (groups) => [...groups.by.filter((i) => i !== CONTAINER), ...groups.of.map(([, i]) => i)];
const FOLDS = {
  sum: (values) => values.reduce((sum, value) => sum + value, 0),
  avg: (values) => (values.length === 0 ? null : FOLDS.sum(values) / values.length),
  min: (values) => values.reduce((least, value) => (least === null || value < least ? value : least), null),
  max: (values) => values.reduce((most, value) => (most === null || value > most ? value : most), null),
};
// Each combination of one item of each list.
const combined = (lists) =>
  lists.reduce((all, list) => all.flatMap((some) => list.map((item) => [...some, item])), [[]]);
const grouped = (groups, rows, cells, collection, q) => {
  // A list is several values, such as the tags of a task: the object counts in the group of each.
  const lists = groups.by.map(() => false);
  let several = false;
  const columns = groups.by.map((i, n) => (row) => {
    if (i === CONTAINER) return [{ shown: { $: "from", v: collection.from(row) } }];
    const value = cells.cell(i)(row),
      isList = Array.isArray(value),
      items = !isList ? [value] : value.length === 0 ? [null] : value;
    lists[n] = lists[n] || isList;
    return items.map((item) => ({ plain: item, shown: encode(item, 0, q.columns[i].uncut) }));
  });
  const found = new Map();
  for (const row of rows) {
    const keys = combined(columns.map((column) => column(row)));
    several = several || keys.length > 1;
    for (const each of keys) {
      const key = each.map((one) => one.shown),
        name = JSON.stringify(key);
      if (!found.has(name)) found.set(name, { key: key, plain: each.map((one) => one.plain), rows: [] });
      const met = found.get(name).rows;
      if (met[met.length - 1] !== row) met.push(row);
    }
  }
  // If groups are by container, a container without elements is an empty group.
  if (isMany(collection) && groups.by.length > 0 && groups.by.every((i) => i === CONTAINER || q.columns[i].of))
    for (const values of collection.keys(groups.by)) {
      const key = groups.by.map((i, n) =>
          i === CONTAINER ? { $: "from", v: values[n] } : encode(values[n], 0, q.columns[i].uncut),
        ),
        name = JSON.stringify(key);
      if (!found.has(name)) found.set(name, { key: key, rows: [] });
    }
  const measured = (group) =>
    groups.of.map(([fold, i]) => {
      const values = group.rows
        .map(cells.cell(i))
        .filter(
          (value) =>
            typeof value === "number" || value instanceof Date || (typeof value === "string" && q.columns[i].ordered),
        );
      return FOLDS[fold](values);
    });
  const met = [...found.values()];
  met.forEach((group, i) => Object.assign(group, { place: i, measures: measured(group) }));
  // Of two equal values `order` compares the groups themselves, which is no number.
  const by = (value, down) => (a, b) => order([[value, down]], a, b) || 0;
  const isSame = (a, b, n) => JSON.stringify(a.key[n]) === JSON.stringify(b.key[n]);
  const ranks = groups.sort.map(([kind, n, down]) => {
    if (kind === "count") return by((group) => group.rows.length, down);
    if (kind === "of") return by((group) => group.measures[n], down);
    if (lists[n]) return by((group) => group.plain[n], down);
    // The rows are sorted by the keys, so groups that differ in one are met in its order.
    return (a, b) => (isSame(a, b, n) ? 0 : a.place - b.place);
  });
  const all = met.sort((a, b) => ranks.reduce((so, rank) => so || rank(a, b), 0)),
    some = all.filter((group) => group.rows.length > 0),
    left = all.length - some.length > MOST_EMPTY ? all.length - some.length : 0,
    told = left > 0 ? some : all;
  return {
    total: told.length,
    left: left,
    several: several,
    v: told
      .slice(d.offset, d.offset + d.limit)
      .map((group) => [group.key, group.rows.length, group.measures.map((value) => encode(value))]),
  };
};
