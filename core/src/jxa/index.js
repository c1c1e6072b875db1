// The calendars and reminders of the system, asked through EventKit. Only values come from here; writes stay with the
// app. Reading never asks for consent: without full access nothing is read, because an empty answer would look like a
// free week.
const ACCESS = ["not asked", "restricted", "denied", "full", "write only"];
const FULL = 3;
// The bridge may return integers as texts, and nil for a text.
const textOf = (value) => (value === undefined || value === null || value.isNil() ? null : ObjC.unwrap(value));
const truthOf = (value) => value === true || Number(value) === 1;
const dateOf = (value) =>
  value === undefined || value === null || value.isNil()
    ? null
    : new Date(Math.round(Number(value.timeIntervalSince1970) * 1000));
// How to read each value, by the names that the core uses.
const VALUES = {
  calendarItemIdentifier: (e) => d.series.index.prefix + textOf(e.calendarItemIdentifier),
  title: (e) => textOf(e.title),
  startDate: (e) => dateOf(e.startDate),
  endDate: (e) => dateOf(e.endDate),
  allDay: (e) => truthOf(e.isAllDay),
  location: (e) => textOf(e.location),
  notes: (e) => textOf(e.notes),
  URL: (e) => (e.URL.isNil() ? null : textOf(e.URL.absoluteString)),
  status: (e) => ["none", "confirmed", "tentative", "cancelled"][Number(e.status)],
  calendarTitle: (e) => textOf(e.calendar.title),
  lastModifiedDate: (e) => dateOf(e.lastModifiedDate),
  // A day without a time begins at midnight, as the app shows it.
  dueDateComponents: (r) =>
    r.dueDateComponents.isNil() ? null : dateOf($.NSCalendar.currentCalendar.dateFromComponents(r.dueDateComponents)),
  completed: (r) => truthOf(r.completed),
  completionDate: (r) => dateOf(r.completionDate),
  creationDate: (r) => dateOf(r.creationDate),
  priority: (r) => Number(r.priority),
};
const accessOf = (entity) => {
  ObjC.import("EventKit");
  return Number($.EKEventStore.authorizationStatusForEntityType(entity));
};
// A worker keeps one store, because macOS refuses a process that opens many.
const SHARED = globalThis.iacIndex || (globalThis.iacIndex = { store: null });
const KEY = d.series.index ? d.series.index.entity : 0,
  INDEX = SHARED[KEY] || (SHARED[KEY] = { proven: false, places: null, off: null });
// A store shows changes by other processes only once it was reset and a run loop has run.
const PUMP = 0.02;
const pump = () => $.NSRunLoop.currentRunLoop.runUntilDate($.NSDate.dateWithTimeIntervalSinceNow(PUMP));
const storeOf = () => {
  if (SHARED.store === null) SHARED.store = $.EKEventStore.alloc.init;
  SHARED.store.reset;
  pump();
  return SHARED.store;
};
const listOf = (array) => Array.from({ length: Number(array.count) }, (_, i) => array.objectAtIndex(i));
const instant = (ms) => $.NSDate.dateWithTimeIntervalSince1970(ms / 1000);
const twice = (names) => names.find((name, i) => names.indexOf(name) !== i);
// The containers of the app by their titles. They seldom change, and reading them takes longer than reading the index.
const FRESH = 60000;
const placesOf = (titles, q) => {
  const kept = INDEX.places;
  if (kept && Date.now() - kept.read < FRESH && titles.every((title) => kept.names.includes(title))) return kept;
  const names = ask(() => q.titles(q.containers)),
    sources = ask(() => q.containers()).map(source);
  INDEX.places = { read: Date.now(), names: names, source: (title) => sources[names.indexOf(title)] };
  return INDEX.places;
};
// EventKit silently cuts a search that spans more than four years.
const LONGEST = 4 * 365 * DAY;
// No one plans this far ahead; a year has 366 days at most.
const FAR = 50 * 366 * DAY;
const eventsOf = (store, list, span) =>
  listOf(
    store.eventsMatchingPredicate(
      store.predicateForEventsWithStartDateEndDateCalendars(instant(span.from - 1000), instant(span.to + 1000), list),
    ),
  );
// Reminders arrive later. If they do not arrive in time, that does not mean that there are none.
const WAIT = 8000;
const remindersOf = (store, list) => {
  const done = d.series.done;
  const open = ([word, i, value]) => (i === done && done !== null ? holds(word, true, wanted(value)) : null);
  const onlyOpen = d.filter !== null && may(d.filter, open) === false;
  const predicate = onlyOpen
    ? store.predicateForIncompleteRemindersWithDueDateStartingEndingCalendars($(), $(), list)
    : store.predicateForRemindersInCalendars(list);
  let found = null;
  const end = Date.now() + WAIT;
  store.fetchRemindersMatchingPredicateCompletion(predicate, (rows) => {
    found = rows;
  });
  while (found === null && Date.now() < end) pump();
  if (found === null || found === undefined || found.isNil()) throw new Error("no answer about reminders");
  return listOf(found);
};
// Rows of the index, or the reason why there are none.
const indexed = (chains, leaf, span, q) => {
  if (INDEX.off !== null) return { state: INDEX.off };
  const entity = d.series.index.entity,
    isEvents = entity === 0;
  if (isEvents && span.to - span.from > LONGEST) return { state: "too long" };
  // The library would expand each series up to that time.
  if (isEvents && Math.abs(span.from - Date.now()) > FAR) return { state: "too far" };
  at = "index";
  try {
    const access = accessOf(entity);
    if (access !== FULL) return { state: ACCESS[access] || "unknown" };
    const store = storeOf(),
      calendars = listOf(store.calendarsForEntityType(entity));
    if (calendars.length === 0) return { state: "empty" };
    const titles = calendars.map((each) => textOf(each.title)),
      named = chains.map((chain) => (chain.depth === 0 ? ask(() => q.titles(chain.at())) : null));
    const places = placesOf(titles, q),
      chosen = calendars.filter((_, i) => named.some((name) => name === null || name === titles[i]));
    const wrong = twice(titles) || twice(places.names.filter((name) => titles.includes(name)));
    if (wrong !== undefined) return { state: "two of " + wellFormed(wrong) };
    const unknown = titles.find((title) => !places.names.includes(title));
    if (unknown !== undefined) return { state: (INDEX.off = "differs: the app has no " + wellFormed(unknown)) };
    // A calendar that only the app has may contain the requested events.
    if (named.some((name) => name !== null && !titles.includes(name))) return { state: "not there" };
    const list = $.NSMutableArray.alloc.init;
    chosen.forEach((each) => list.addObject(each));
    const found = isEvents ? eventsOf(store, list, span) : remindersOf(store, list);
    const rows = found.map((each) => rowOf(each, named, places, q)).filter((row) => row !== null);
    // If nothing passes the filter, the answer tells how many values pass each comparison, unless there are too many
    // values.
    const read = (name) => (name === null ? null : found.map(VALUES[name]));
    if (rows.length === 0 && found.length <= MOST_VALUES) tallied((i) => read(d.series.index.values[i]));
    const difference = INDEX.proven ? null : proven(rows, leaf, q);
    if (difference !== null) return { state: (INDEX.off = "differs: " + difference) };
    strategy = "index";
    return { rows: rows.map(({ row }) => row), state: "full" };
  } catch (error) {
    // Any other error leads to a read by Apple events, which report the app's own errors.
    if (fatal(numberOf(error))) throw error;
    return { state: "failed: " + messageOf(error).slice(0, 100) };
  }
};
const rowOf = (found, named, places, q) => {
  const s = d.series,
    values = new Map();
  const cell = (i) => {
    if (!values.has(i)) values.set(i, VALUES[s.index.values[i]](found));
    return values.get(i);
  };
  const passes = ([word, i, value]) => (s.index.values[i] === null ? null : holds(word, cell(i), wanted(value)));
  if (may(d.filter, passes) === false) return null;
  const title = textOf(found.calendar.title);
  const number = named.findIndex((name) => name === title || name === null);
  const from = [number, named[number] === null ? places.source(title) : null];
  const isRead = (i) => s.index.values[i] !== null;
  const row = candidate(VALUES[s.index.id](found), null, from, cell, isRead, q);
  // In the app and in the index, a reminder that repeats has one date at a time.
  const repeats = s.rule !== null && (truthOf(found.hasRecurrenceRules) || truthOf(found.isDetached));
  if (repeats) row.occurrence = timeOf(dateOf(found.occurrenceDate));
  return { row: row, title: title, repeats: repeats, cell: cell };
};
// Checks the index before it is trusted: reads a few of its events from the app. Null if both agree.
const PROOFS = 3;
const proven = (rows, leaf, q) => {
  const s = d.series,
    some = rows.filter(({ repeats }) => !repeats).slice(0, PROOFS);
  for (const { row, title, cell } of some) {
    let start;
    try {
      start = ask(() => q.columns[s.start](q.pick(leaf(q.containers.byName(title)), row.id)));
    } catch (error) {
      if (!singly(numberOf(error))) throw error;
      return "the app does not find an element of the index";
    }
    if (timeOf(start) !== timeOf(cell(s.start))) return "an element has another date in the app";
  }
  INDEX.proven = some.length > 0;
  return null;
};
