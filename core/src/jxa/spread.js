// Collections of many containers, read as if they were one. A chain leads to containers, through `depth` collections on
// the way: `app.accounts.mailboxes` has two. An app answers a property at all levels of a chain with one
// event; if it refuses that, the containers are read one by one.

// Lists within lists, to a depth; null where the answer does not have that form.
const flatten = (value, depth) => {
  if (depth === 0) return [value];
  if (!Array.isArray(value)) return null;
  const parts = value.map((each) => flatten(each, depth - 1));
  return parts.includes(null) ? null : parts.flat();
};
// People do not nest folders deeper than this, and do not wait for more containers.
const DEEPEST_LEVEL = 16;
const MOST_CONTAINERS = 2000;
// Containers that could not be read, or that are closed. One of them does not stop the others.
let skipped = [];
let refusal = null;
const skip = (chain, container, error) => {
  if (fatal(numberOf(error))) throw error;
  refusal = refusal || error;
  const named = chain.depth > 0 || chain.parent ? source(container) : null;
  if (skipped.some((one) => one.from[0] === chain.number && one.from[1] === named)) return;
  skipped.push({ from: [chain.number, named], error: failed(error) });
};
// A chain of steps, each through one collection, and its getter: `x => x.accounts`.
const chainOf = (number, root, steps) => {
  const chain = { at: () => steps.reduce((x, step) => step(x), root), depth: steps.length, number: number };
  if (steps.length > 0) {
    chain.up = chainOf(number, root, steps.slice(0, -1));
    chain.step = steps[steps.length - 1];
  }
  return chain;
};
// Records how many containers each object one step up has, for each step of a chain. `values` are nested as the chain
// is.
const noted = (chain, values) => {
  for (let each = chain; each.depth > 0; each = each.up)
    each.counts = flatten(values, each.depth - 1).map((list) => list.length);
};
// The objects of one collection. A collection without any may answer an error instead of a list.
const objectsOf = (collection) => {
  try {
    return flatten(
      ask(() => collection()),
      1,
    );
  } catch (error) {
    if (!singly(numberOf(error))) throw error;
    return Array.from({ length: ask(() => collection.length) }, (_, i) => collection.at(i));
  }
};
// The containers of a chain, as objects: one event for all of them, or one for each container one step up.
const containersOf = (chain) => {
  if (chain.found) return chain.found;
  at = "containers";
  if (chain.depth === 0) return (chain.found = [chain.at()]);
  if (chain.depth > 1) {
    try {
      const nested = ask(() => chain.at()());
      chain.found = flatten(nested, chain.depth);
      if (chain.found) noted(chain, nested);
    } catch (error) {
      if (fatal(numberOf(error))) throw error;
    }
  }
  if (!chain.found) {
    const lists = containersOf(chain.up).map((each) => {
      try {
        return objectsOf(chain.step(each));
      } catch (error) {
        skip(chain.up, each, error);
        return [];
      }
    });
    chain.counts = lists.map((list) => list.length);
    chain.found = lists.flat();
  }
  return chain.found;
};
// For each container of a chain, the value of the outer object that it is in; `depth` collections lead to that object.
const inward = (chain, depth, values) => {
  if (chain.depth === depth) return values;
  if (!chain.counts) containersOf(chain);
  const outer = inward(chain.up, depth, values);
  return chain.counts.flatMap((n, i) => new Array(n).fill(outer[i]));
};
// The beginning of a chain, with `depth` collections.
const upTo = (chain, depth) => (chain.depth > depth ? upTo(chain.up, depth) : chain);
const numbers = (list) => list.map((_, i) => i);
// Parts of a chain: one for each of some objects on its way, to which `depth` collections lead.
const parts = (chain, depth, some) => {
  const steps = [];
  for (let each = chain; each.depth > depth; each = each.up) steps.unshift(each.step);
  const objects = containersOf(upTo(chain, depth)),
    spans = objects.map(() => ({ start: 0, span: 0 }));
  inward(chain, depth, numbers(objects)).forEach((owner, c) => {
    if (spans[owner].span === 0) spans[owner].start = c;
    spans[owner].span += 1;
  });
  return (some || numbers(objects)).map((i) => ({
    ...chainOf(chain.number, objects[i], steps),
    parent: true,
    whole: chain,
    ...spans[i],
  }));
};
// A chain as chains of one container each.
const split = (chain) => parts(chain, chain.depth);
// A property of the elements' container, or of an object around it. `of` has an entry for each chain: null if the
// container itself has the property. Otherwise it is a pair: the number of collections that lead to the owner, and the
// step to the owner from the container of the last one.
const outside = (one, of) => Object.assign(one, { of: of });
// The values of a property of all objects that a chain leads to.
const valuesOf = (chain, one) => {
  at = "containers";
  if (chain.depth > 0 && !one.single) {
    try {
      const values = flatten(
        askColumn(() => one(chain.at()), d.value),
        chain.depth,
      );
      if (values !== null) return values;
    } catch (error) {
      if (fatal(numberOf(error))) throw error;
    }
  }
  return containersOf(chain).map((each) => {
    try {
      return askSingle(() => one(each));
    } catch (error) {
      return nothingOr(one, each, error);
    }
  });
};
// Null if the owner does not exist, otherwise the error.
const nothingOr = (one, each, error) => {
  try {
    return orNothing(one, each, error, true);
  } catch (again) {
    return failed(again);
  }
};
// The values of a property of the containers or of an outer object, for each container of a chain, read once.
const ownersOf = (chain, one) => {
  if (chain.whole) return ownersOf(chain.whole, one).slice(chain.start, chain.start + chain.span);
  if (!chain.owners) chain.owners = new Map();
  if (!chain.owners.has(one)) chain.owners.set(one, outerValues(chain, one));
  return chain.owners.get(one);
};
const outerValues = (chain, one) => {
  const place = one.of[chain.number];
  if (place === null) return valuesOf(chain, one);
  const [depth, step] = place;
  let base = chain;
  while (base.depth > 0 && base.depth >= depth) base = base.up;
  const owner = { at: () => step(base.at()), depth: depth, number: chain.number, up: base, step: step };
  // An outer object is the owner of several containers.
  return inward(chain, depth, valuesOf(owner, one));
};
// The tests that are only about the elements' containers.
const testsOfOwners = (q) =>
  (d.filter === null ? [] : d.filter[0] === "and" ? d.filter.slice(1) : [d.filter]).filter((part) =>
    columnsOf(part).every((i) => q.columns[i].of),
  );
const passesOf = (chain, tests, q) => {
  const cell = (i) => (c) => {
    const has = ownersOf(chain, q.columns[i])[c];
    if (isFailed(has)) unreadOwners.add(i, chain.number + " " + ((chain.start || 0) + c), has);
    return isFailed(has) || has === undefined ? null : has;
  };
  return tests.map((test) => prepare(test, cell, () => false));
};
let unreadOwners = unreadable();
// Applies these tests to the containers before anything is read from the elements.
const narrowed = (chains, q) => {
  const tests = testsOfOwners(q);
  if (tests.length === 0) return chains;
  const chosen = (chain) => {
    const passes = passesOf(chain, tests, q);
    const tested = tests.flatMap(columnsOf).map((i) => q.columns[i]),
      depth = Math.max(...tested.map(({ of }) => (of[chain.number] ? of[chain.number][0] : chain.depth))),
      all = depth < chain.depth ? containersOf(upTo(chain, depth)) : ownersOf(chain, tested[0]);
    const owners = inward(chain, depth, numbers(all)).filter((_, c) => passes.every((passes) => passes(c))),
      some = owners.filter((owner, i) => i === 0 || owners[i - 1] !== owner);
    if (some.length === 0) return [];
    // One event for many containers is cheaper than one for each.
    return chain.depth === 0 || some.length * 2 > all.length ? [chain] : parts(chain, depth, some);
  };
  return chains.flatMap(chosen);
};
// Folds a name as the disk does when it compares names.
const folded = (name) =>
  name
    .normalize("NFD")
    .replace(/[\p{DI}\p{Cc}]/gu, "")
    .toUpperCase()
    .toLowerCase()
    .normalize("NFD")
    .replace(/[.\s]+$/u, "");
// The containers at a level that are not closed. A container without a readable name may be closed.
const unclosed = (level, closed) => {
  const names = valuesOf(level, (x) => x.name()),
    objects = containersOf(level);
  return numbers(objects).filter((i) => {
    const name = names[i];
    if (typeof name !== "string") {
      skip(level, objects[i], { errorNumber: isFailed(name) ? name.number : -1728, message: "it has no name" });
      return false;
    }
    const which = closed.indexOf(folded(name));
    if (which >= 0) skipped.push({ from: [level.number, source(objects[i])], closed: which });
    return which < 0;
  });
};
// How an app shows each object that a chain leads to. If two objects of one list are shown alike, they share a name but
// are not the same object, so they get null.
const formsOf = (chain) => {
  if (chain.forms) return chain.forms;
  const shown = containersOf(chain).map(source),
    lists = chain.counts ? chain.counts.flatMap((n, i) => new Array(n).fill(i)) : [],
    times = new Map(),
    inList = (form, i) => lists[i] + " " + form;
  shown.forEach((form, i) => times.set(inList(form, i), (times.get(inList(form, i)) || 0) + 1));
  return (chain.forms = shown.map((form, i) => (times.get(inList(form, i)) > 1 ? null : form)));
};
// The same for the elements in one container of a chain, if the next level of containers consists of these elements.
const formsIn = (chain, c, size) => {
  let [whole, at] = [chain, c];
  while (whole && !whole.next) [whole, at] = [whole.whole, at + whole.start];
  if (!whole || !whole.next.counts || whole.next.counts[at] !== size) return null;
  const start = whole.next.counts.slice(0, at).reduce((sum, n) => sum + n, 0);
  return formsOf(whole.next).slice(start, start + size);
};
// The containers inside containers, level by level, for as long as there are any. `own` says that the containers are
// also the elements.
const levels = (chains, sub, own) => {
  const all = [],
    seen = new Set();
  let known = 0;
  // The containers that no earlier level has led to. Mail lists a mailbox inside another in the account as well, and
  // each message in it would count twice.
  const unseen = (level) => {
    const kept = new Set();
    formsOf(level).forEach((form, i) => {
      if (form !== null && seen.has(form)) return;
      seen.add(form);
      kept.add(i);
    });
    return [...kept];
  };
  // False if there are too many.
  const descend = (chain, first) => {
    let level = chain;
    for (let deep = first; ; deep += 1) {
      const found = containersOf(level);
      if (own && level !== chain) level.up.next = level;
      if (found.length === 0) return true;
      if (deep === 1 && d.closed && d.closed[chain.number].length > 0 && !level.sifted) {
        const kept = unclosed(level, d.closed[chain.number]);
        if (kept.length < found.length) return parts(level, level.depth, kept).every((part) => descend(part, 2));
      }
      if (!level.sifted) {
        const kept = unseen(level);
        if (kept.length === 0) return true;
        if (kept.length < found.length)
          return parts(level, level.depth, kept).every((part) => descend({ ...part, sifted: true }, deep));
      }
      known += found.length;
      if (deep === DEEPEST_LEVEL || known > MOST_CONTAINERS) {
        reason =
          "there are more than " +
          DEEPEST_LEVEL +
          " levels or " +
          MOST_CONTAINERS +
          " containers; begin further inside";
        return false;
      }
      all.push(level);
      const upper = level;
      level = { at: () => sub(upper.at()), depth: upper.depth + 1, number: chain.number, up: upper, step: sub };
    }
  };
  chains.every((chain) => descend(chain, 0));
  return all;
};

const fromOf = (chain, c) => [chain.number, chain.depth === 0 && !chain.parent ? null : source(containersOf(chain)[c])];

// `make` makes new chains: the facts about the old ones are dropped if something has changed meanwhile.
const many = (make, leaf, q) => {
  let all = [],
    chains = [],
    rows = [],
    kept = null,
    shape = null,
    looked = false;
  const whole = (chain, one, each) => {
    let values = null;
    try {
      values = column(leaf(chain.at()), one, each);
    } catch (error) {
      // One container of many may be the reason.
      if (chain.depth === 0 || fatal(numberOf(error))) throw error;
    }
    const lists = values === null ? null : flatten(values, chain.depth);
    // An app may answer one flat list, which does not say what belongs to which container.
    if (lists === null || !lists.every(Array.isArray)) return null;
    noted(chain, values);
    return lists;
  };
  // The identities of the elements of one container, read separately.
  const alone = (chain, id) => identities(leaf(chain.at()), id);
  const listsOf = (id) => {
    const lists = [],
      next = [];
    for (const chain of chains) {
      const key = id || q.mark;
      const found = chain.depth > 0 && key ? whole(chain, key, d.value) : null;
      if (found !== null) {
        lists.push(...found.map((ids) => ({ ids: id ? ids : ids.map(() => null), names: id ? ids : null })));
        next.push({ ...chain, size: found.length });
        continue;
      }
      for (const each of split(chain)) {
        try {
          const { known, names } = alone(each, id);
          lists.push({ ids: names || known.map(() => null), names: names });
          next.push({ ...each, size: 1 });
        } catch (error) {
          skip(each, each.at(), error);
        }
      }
    }
    chains = next;
    // If nothing could be read, the error is the answer.
    if (lists.length === 0 && refusal !== null) throw refusal;
    return lists;
  };
  const self = {
    many: true,
    identities: (id) => {
      if (shape === null) {
        skipped = [];
        refusal = null;
        unreadOwners = unreadable();
        all = make();
        chains = narrowed(all, q);
        looked = false;
      }
      const lists = listsOf(id),
        known = [],
        names = [];
      const order = [],
        lasts = new Map();
      let list = 0;
      for (const chain of chains)
        for (let c = 0; c < chain.size; c += 1, list += 1) {
          const times = new Map(),
            forms = formsIn(chain, c, lists[list].ids.length);
          if (forms !== null)
            forms.forEach((form, i) => {
              if (form !== null) lasts.set(form, order.length + i);
            });
          for (const each of lists[list].ids) times.set(asText(each), (times.get(asText(each)) || 0) + 1);
          lists[list].ids.forEach((each, i) => {
            order.push({ chain: chain, c: c, i: i, form: forms === null ? null : forms[i] });
            known.push(
              each === null || each === undefined || isFailed(each) || times.get(asText(each)) > 1 ? { i: i } : each,
            );
            names.push(each);
          });
        }
      const sizes = lists.map((each) => each.ids.length).join();
      // Elements that moved from one container to another are a change as well.
      if (shape !== null && shape !== sizes) {
        shape = null;
        return { known: [{ i: -1 }], names: null };
      }
      shape = sizes;
      // An element that several containers have is listed only in the innermost one, in which an app finds it by its
      // plain name.
      const firsts = new Map();
      kept = order.map(({ form, chain }, row) => {
        if (form !== null && lasts.get(form) !== row) return false;
        // Two containers of the call may hold the same object, such as the inbox and a mailbox: it is listed once.
        if (!d.overlap || isPlace(known[row])) return true;
        const key = asText(known[row]);
        if (!firsts.has(key)) firsts.set(key, chain.number);
        return firsts.get(key) === chain.number;
      });
      rows = order.filter((_, row) => kept[row]);
      return {
        known: known.filter((_, row) => kept[row]),
        names: id === null ? null : names.filter((_, row) => kept[row]),
      };
    },
    column: (one, each) => {
      if (one.of)
        return rows.map(({ chain, c }) => {
          const value = ownersOf(chain, one)[c];
          return value === undefined ? null : value;
        });
      const values = [];
      for (const chain of chains) {
        let lists = whole(chain, one, each);
        if (lists === null && chain.depth > 0)
          lists = containersOf(chain).map((container) => column(leaf(container), one, each));
        if (lists === null || lists.includes(null)) return null;
        for (const list of lists) for (const value of list) values.push(value);
      }
      // A different number of values shows that the elements have changed.
      return values.length === kept.length ? values.filter((_, row) => kept[row]) : values;
    },
    at: (row) => leaf(self.container(row)).at(rows[row].i),
    pick: (row, id) => (isPlace(id) ? self.at(row) : q.pick(leaf(self.container(row)), id)),
    container: (row) => {
      looked = looked || rows[row].chain.depth > 0;
      return containersOf(rows[row].chain)[rows[row].c];
    },
    looked: () => looked,
    skipped: () => skipped,
    unread: () => unreadOwners.told(true),
    place: (row) => rows[row].i,
    // The values for all containers, including those that the filter has left out.
    owners: (one) => all.flatMap((chain) => ownersOf(chain, one)),
    // The group keys of all containers, including those without elements.
    keys: (by) =>
      [].concat(
        ...chains.map((chain) => {
          const passes = passesOf(chain, testsOfOwners(q), q);
          const known = numbers(containersOf(chain)).filter((c) => passes.every((passes) => passes(c)));
          return known.map((c) => by.map((i) => (i < 0 ? fromOf(chain, c) : ownersOf(chain, q.columns[i])[c])));
        }),
      ),
    // The chain that a row is from, by its number, and the container as the app shows it.
    from: (row) => {
      looked = looked || rows[row].chain.depth > 0;
      return fromOf(rows[row].chain, rows[row].c);
    },
  };
  return self;
};

// How long a person waits without a message.
const PATIENCE = 20000;
// Reports before a read that it would take longer than that.
const tooLong = (count, asked, q) => {
  const read = q.columns.map((_, i) => i).filter((i) => asked.has(i) && !q.long[i]);
  const takes = read.reduce((sum, i) => sum + priceOf(d.values[i], count), 0);
  return takes <= PATIENCE
    ? null
    : "to read these properties of " +
        count +
        " elements would take about " +
        Math.round(takes / 1000) +
        " s; name fewer containers, or filter and sort by fewer properties";
};
