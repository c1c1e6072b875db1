// Elements with dates. The script finds the rows that may match; the core works out the occurrences of a series,
// filters and sorts. `d.series` has the columns of the start, the end, whole days, the rule, and the excluded dates.

// How long to read by Apple events before the answer becomes partial, in milliseconds. The rest of a call takes time
// too.
const READING = 16000;
// If a filter has only one bound, occurrences are searched up to this far from it.
const AHEAD = 366 * DAY;
// How much of that time a container that is too large for columns may take.
const PART = 8000;
// The share of the expected time that is enough to try the first container.
const TRIED = 0.7;
// The time of reads in this script, compared with the expected time: small containers show how long large ones will
// take, and a single element shows it if there is no small container.
const pace = () => {
  if (spent.expected_ms > 0) return spent.column_ms / spent.expected_ms;
  return spent.singles > 0 ? spent.single_ms / (spent.singles * d.single) : 1;
};
const isTime = (i) => i !== null && (i === d.series.start || i === d.series.end);
// A part of a time differs from one occurrence to the next: the core works it out.
const isPart = (i) => d.series.parts !== undefined && d.series.parts.includes(i);
// The columns that groups of occurrences use are read from every row.
const GROUPED = d.groups ? [...d.groups.by.filter((i) => i >= 0), ...d.groups.of.map(([, i]) => i)] : [];
// The span of time that contains everything that a filter accepts, in whole or in part.
const boundsOf = (filter) => {
  const [word, ...rest] = filter;
  if (word === "not") return [-Infinity, Infinity];
  if (isJoined(filter)) {
    const spans = rest.map(boundsOf),
      inner = word === "and";
    return [
      (inner ? Math.max : Math.min)(...spans.map(([from]) => from)),
      (inner ? Math.min : Math.max)(...spans.map(([, to]) => to)),
    ];
  }
  const time = isTime(rest[0]) ? wanted(rest[1]) : null;
  if (typeof time !== "number" || word === "!=") return [-Infinity, Infinity];
  return [word[0] === "<" ? -Infinity : time, word[0] === ">" ? Infinity : time];
};
const spanOf = (filter) => {
  const [from, to] = boundsOf(filter);
  // An event that does not repeat is found however far away it is.
  if (d.series.rule === null) return { from: from, to: to, open: null };
  // Before one time or after another one.
  if (from === -Infinity && to === Infinity) {
    const times = leavesOf(filter)
      .filter(([, i]) => isTime(i))
      .map(([, , value]) => wanted(value))
      .filter((time) => typeof time === "number");
    return { from: Math.min(...times) - AHEAD, to: Math.max(...times) + AHEAD, open: "around" };
  }
  return {
    from: from === -Infinity ? to - AHEAD : from,
    to: to === Infinity ? from + AHEAD : to,
    open: from === -Infinity ? "before" : to === Infinity ? "after" : null,
  };
};
// Whether a filter accepts a row: null if that depends on values that are not known yet.
const may = (filter, leaf) => {
  const [word, ...rest] = filter;
  if (word === "not") {
    const inner = may(rest[0], leaf);
    return inner === null ? null : !inner;
  }
  if (!isJoined(filter)) return leaf(filter);
  const answers = rest.map((part) => may(part, leaf)),
    decides = word === "or";
  return answers.includes(decides) ? decides : answers.includes(null) ? null : !decides;
};
// The values of containers in which nothing matched, by column.
const unmatched = new Map();
const timeOf = (value) => (value instanceof Date && !isNaN(value.getTime()) ? value.getTime() : null);
const UNREAD = { $: "unread" };
// A row in the form for the core. `cell` reads a column; `isRead` says whether the column is already read.
const candidate = (known, place, from, cell, isRead, q) => {
  const tests = d.filter
    ? leavesOf(d.filter).map(([word, i, value]) =>
        isTime(i) || isPart(i) ? null : holds(word, cell(i), wanted(value)),
      )
    : [];
  const keys = d.sort.map(([i]) => {
    const key = isTime(i) || isPart(i) ? null : plain(ranked(q.columns[i], cell)(i));
    return typeof key === "string" || typeof key === "number" ? key : null;
  });
  return {
    id: typeof known === "string" ? wellFormed(known) : typeof known === "number" ? known : null,
    place: place,
    from: from,
    cells: q.columns
      .slice(0, q.wanted)
      .map((one, i) => (isRead(i) ? (isFailed(cell(i)) ? cell(i) : encode(cell(i), 0, one.uncut)) : UNREAD)),
    start: timeOf(cell(d.series.start)),
    end: d.series.end === null ? null : timeOf(cell(d.series.end)),
    days: d.series.days !== null && cell(d.series.days) === true,
    tests: tests,
    keys: keys,
  };
};

// Whether a series ended more than 40 days before the span, so that no occurrence is in it.
const ENDED = /UNTIL=(\d{4})(\d\d)(\d\d)/i;
const isOver = (rule, span) => {
  const end = ENDED.exec(rule);
  return end !== null && Date.UTC(Number(end[1]), Number(end[2]) - 1, Number(end[3])) < span.from - 40 * DAY;
};
let unreadHere = [];
// For each comparison of the filter, its counts in all containers together; null if it was compared in none. Whether an
// occurrence passes a test of its date is not known here.
const tally = new Map();
const tallied = (valuesOf) =>
  leavesOf(d.filter).forEach((leaf, n) => {
    const values = valuesOf(leaf[1]);
    if (!values) return;
    const [of, there, passing] = counted(leaf, values, isTime(leaf[1]) || isPart(leaf[1]) ? null : holds),
      before = tally.get(n) || [0, 0, 0];
    tally.set(n, [before[0] + of, before[1] + there, passing === null ? null : before[2] + passing]);
  });
// The possible matches of one container; null if reading them would take longer than `left`.
const rowsOf = (collection, size, from, span, left, q) => {
  const s = d.series;
  for (let round = 0; ; round += 1) {
    if (priceOf(d.value, size) * pace() > left()) return null;
    const { known: ids, names } = identities(collection, q.id);
    const cells = table(collection, ids, names, q),
      read = new Set();
    // Reads a property of some rows in the cheaper way.
    const need = (i, rows) => {
      if (i === null) return true;
      const whole = priceOf(d.values[i], ids.length) * pace(),
        single = rows.length * d.single;
      read.add(i);
      if (rows.length === 0 || q.own[i] || !cells.isDear(i)) return true;
      if (Math.min(whole, single) > left()) return false;
      if (!q.long[i] && cheaper(whole, single)) cells.fill(i);
      return true;
    };
    let rows = ids.map((_, i) => i);
    if (!need(s.start, rows) || !need(s.rule, rows)) return null;
    const ruleOf = (row) => {
      if (s.rule === null) return null;
      const rule = cells.cell(s.rule)(row);
      return typeof rule === "string" && rule.trim() !== "" ? rule : null;
    };
    const open =
      (row, asked) =>
      ([word, i, value]) => {
        if (!asked.includes(i) || isPart(i)) return null;
        const holdsNow = holds(word, cells.cell(i)(row), wanted(value));
        if (!isTime(i) || ruleOf(row) === null) return holdsNow;
        // No occurrence of a series starts before its first one.
        return i === s.start && word[0] === "<" && !holdsNow ? false : null;
      };
    const keep = (asked) => {
      rows = rows.filter((row) => may(d.filter, open(row, asked)) !== false);
    };
    keep([s.start]);
    rows = rows.filter((row) => ruleOf(row) === null || !isOver(ruleOf(row), span));
    const others = [...new Set([...columnsOf(d.filter), ...d.sort.map(([i]) => i), ...GROUPED])].filter(
      (i) => i !== s.start && !isPart(i),
    );
    for (const i of others) {
      if (!need(i, rows)) return null;
      const before = rows;
      keep([s.start, ...others.slice(0, others.indexOf(i) + 1)]);
      if (rows.length === 0 && d.filter && textsOf(d.filter).some(([, column]) => column === i))
        unmatched.set(i, [...(unmatched.get(i) || []), ...before.map(cells.cell(i))]);
    }
    const series = rows.filter((row) => ruleOf(row) !== null);
    if (!need(s.end, rows) || !need(s.days, rows) || !need(s.excluded, series)) return null;
    at = "element";
    const marks = marksOf(collection, rows, ids, names, q);
    const found = rows.map((row) => {
      const cell = (i) => cells.cell(i)(row),
        rule = ruleOf(row);
      const isRead = (i) => read.has(i) || q.own[i] || !cells.isDear(i);
      const one = candidate(ids[row], row, from, cell, isRead, q);
      if (isPlace(ids[row])) one.mark = marks(row);
      return repeating(one, rule, cell);
    });
    if (cells.moved()) {
      if (round < 2) continue;
      reason = CHANGED;
    }
    unreadHere = unreadHere.concat(cells.unread());
    tallied((i) => (q.columns[i].of ? null : cells.seen(i)));
    return found;
  }
};
const attempt = (event) => {
  try {
    return askSingle(event);
  } catch (error) {
    return failed(error);
  }
};
// Reads the last elements of a container one by one. Apps usually put new elements at the end.
const lastOf = (collection, size, from, span, left, q) => {
  const s = d.series,
    others = [...columnsOf(d.filter), ...d.sort.map(([i]) => i), ...GROUPED, s.end, s.days, s.rule, s.excluded],
    most = (2 + new Set(others.filter((i) => i !== null && !isPart(i))).size) * d.single * pace(),
    rows = [];
  let read = 0;
  if (q.id === null) return { rows: rows, read: read };
  at = "element";
  for (let row = size - 1; row >= 0 && left() > most; row -= 1) {
    const known = attempt(() => q.id(collection.at(row)));
    if (known === null || isFailed(known)) continue;
    read += 1;
    const cells = new Map();
    const cell = (i) => {
      const one = q.columns[i];
      // A property of the container is the same for all of these elements, so it is read once.
      if (!cells.has(i))
        cells.set(i, q.own[i] ? known : one && one.of ? q.outer(one) : attempt(() => one(q.pick(collection, known))));
      return cells.get(i);
    };
    const ruleOf = () => {
      const rule = s.rule === null ? null : cell(s.rule);
      return typeof rule === "string" && rule.trim() !== "" ? rule : null;
    };
    // The first date decides only about a single event; no occurrence of a series comes before it.
    const open = ([word, i, value]) => {
      if (i !== s.start || holds(word, cell(i), wanted(value))) return null;
      return word[0] === "<" || ruleOf() === null ? false : null;
    };
    if (may(d.filter, open) === false || isOver(ruleOf() || "", span)) continue;
    rows.push(
      repeating(
        candidate(known, row, from, cell, (i) => q.own[i] || cells.has(i) || GROUPED.includes(i), q),
        ruleOf(),
        cell,
      ),
    );
  }
  return { rows: rows, read: read };
};
// A row with the rule of its series, if it has one.
const repeating = (row, rule, cell) => {
  if (rule === null) return row;
  const excluded = cell(d.series.excluded);
  row.rule = rule;
  row.excluded = (Array.isArray(excluded) ? excluded : []).map(timeOf).filter((time) => time !== null);
  return row;
};
// Reads container by container, small ones first, for as long as there is time.
const byRules = (chains, leaf, span, q) => {
  const begun = Date.now(),
    left = () => READING - (Date.now() - begun);
  at = "containers";
  const all = chains
    .flatMap((chain) => (chain.depth === 0 ? [chain] : split(chain)))
    .flatMap((chain) => {
      const collection = leaf(chain.at());
      try {
        return [{ chain: chain, collection: collection, size: ask(() => collection.length) }];
      } catch (error) {
        skip(chain, chain.at(), error);
        return [];
      }
    });
  // If nothing could be read, the error is the answer.
  if (all.length === 0 && refusal !== null) throw refusal;
  const found = [],
    late = [];
  for (const { chain, collection, size } of all.sort((a, b) => a.size - b.size)) {
    if (size === 0) continue;
    const from = [chain.number, chain.parent ? source(chain.at()) : null];
    const columns = [
        d.value,
        d.value,
        d.values[d.series.start],
        ...(d.series.rule === null ? [] : [d.values[d.series.rule]]),
      ],
      takes = columns.reduce((sum, each) => sum + priceOf(each, size), 0);
    if (takes > left() && spent.columns + spent.singles === 0) attempt(() => q.id(collection.at(size - 1)));
    // Not every container needs all columns, so the first one is tried even with less time.
    const least = takes * pace() * (spent.columns === 0 ? TRIED : 1),
      inside = { ...q, outer: (one) => ownersOf(chain, one)[0] };
    let rows = null;
    try {
      if (least <= left()) rows = rowsOf(collection, size, from, span, left, inside);
    } catch (error) {
      skip(chain, chain.at(), error);
      continue;
    }
    if (rows === null)
      late.push({
        collection: collection,
        from: from,
        inside: inside,
        name: calledBy(chain, q),
        size: size,
        takes: takes,
      });
    else for (const row of rows) found.push(row);
  }
  const end = Date.now() + Math.min(PART, left());
  late.forEach((each, i) => {
    const share = (end - Date.now()) / (late.length - i),
      until = Date.now() + share;
    const part = lastOf(each.collection, each.size, each.from, span, () => until - Date.now(), each.inside);
    each.read = part.read;
    for (const row of part.rows) found.push(row);
  });
  strategy = "rules";
  const told = late.map(({ name, size, takes, read }) => ({ name: name, size: size, ms: takes * pace(), read: read }));
  return { rows: found, late: told };
};
const calledBy = (chain, q) => {
  try {
    const name = ask(() => q.titles(chain.at()));
    return typeof name === "string" ? wellFormed(name) : null;
  } catch (error) {
    failed(error);
    return null;
  }
};
const happening = (make, leaf, q) => {
  const span = spanOf(d.filter),
    chains = make();
  // A span that ends before it begins contains nothing, and no library is asked for it.
  const none = { state: null, rows: span.from > span.to ? [] : null };
  const index = d.series.index && !none.rows ? indexed(chains, leaf, span, q) : none;
  const found = index.rows ? { rows: index.rows, late: [] } : byRules(narrowed(chains, q), leaf, span, q);
  const valuesOfAll = (i) =>
    q.columns[i].of ? chains.flatMap((chain) => ownersOf(chain, q.columns[i])) : unmatched.get(i);
  // An open end goes as far as there are rows.
  const starts = [span.from, span.to, ...found.rows.map((row) => row.start)].filter(Number.isFinite),
    first = starts.reduce((least, start) => (start < least ? start : least), starts[0] || 0),
    last = starts.reduce((most, start) => (start > most ? start : most), first),
    from = Number.isFinite(span.from) ? span.from : first,
    to = Number.isFinite(span.to) ? span.to : last;
  return {
    rows: found.rows,
    moments: leavesOf(d.filter).map(([, i, value]) => (isTime(i) ? wanted(value) : null)),
    span: [from, to],
    zone: zoneOf(Math.min(first, from - 40 * DAY), to + DAY),
    open: span.open,
    skipped: skipped,
    unread: unreadHere.concat(unreadOwners.told(true)),
    ...dates(),
    index: index.state,
    late: found.late,
    compared: leavesOf(d.filter).map(([word, i, value], n) =>
      q.columns[i].of ? counted([word, i, value], valuesOfAll(i)) : tally.get(n) || null,
    ),
    ...(found.rows.length === 0 && !index.rows ? { near: instead(valuesOfAll) } : {}),
  };
};
