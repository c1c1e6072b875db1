// EventKit, for reading calendars, events, lists and reminders. It is never more lenient than a Mac: without full
// access a store is empty and nothing throws; passing JavaScript's null or an array for an NSArray ends the process;
// results are unordered; a store sees others' changes only after `reset`, which invalidates the objects that it
// returned before.
(function (tools, part) {
  "use strict";
  const { system, VALUE, kind, object, classOf, nil, string, wrap, isA, time } = tools;
  const FULL = 3,
    WRITE_ONLY = 4;
  const date = (ms) => (ms === null || ms === undefined ? nil() : object("NSDate", new Date(ms)));
  const die = (said) => {
    system.log(`*** Terminating app due to uncaught exception: ${said}: unrecognized selector sent to instance`);
    system.exit(134);
  };
  // Returns the calendars in an NSArray, or null for all calendars.
  const calendarsOf = (given) => {
    if (given === null) die("-[NSNull count]");
    if (Array.isArray(given)) die("-[__NSArrayM remListIDsWithAllLists:]");
    if (given === undefined || given.isNil()) return null;
    if (!isA(given, "NSArray")) die("-[NSObject count]");
    return given[VALUE].map((each) => each[VALUE].title);
  };

  kind("EKCalendar", { get: { title: (v) => string(v.title), calendarIdentifier: (v) => wrap(v.id) } });
  // Objects that a store returned before its last reset are no longer valid.
  const live = (read) => (v) => (v.store.generation === v.generation ? read(v) : nil());
  const STATUS = ["none", "confirmed", "tentative", "cancelled"];
  const readers = {
    calendarItemIdentifier: (v) => string(v.event.uid),
    // One id for the whole series. It differs from the id above.
    calendarItemExternalIdentifier: (v) => string(`${v.event.uid}@external.example`),
    eventIdentifier: (v) => string(`${v.calendar[VALUE].id}:${v.event.uid}`),
    title: (v) => wrap(v.event.title),
    location: (v) => wrap(v.event.location),
    notes: (v) => wrap(v.event.notes),
    URL: (v) => (v.event.url ? tools.$.NSURL.URLWithString(v.event.url) : nil()),
    startDate: (v) => date(v.start),
    endDate: (v) => date(v.end),
    occurrenceDate: (v) => date(v.occurrence),
    lastModifiedDate: (v) => date(v.event.stamp),
    allDay: (v) => v.event.days,
    isAllDay: (v) => v.event.days,
    isDetached: (v) => v.detached,
    hasRecurrenceRules: (v) => v.event.rule !== null && !v.detached,
    // The bridge may return integers as strings.
    status: (v) => String(Math.max(0, STATUS.indexOf(v.event.status))),
    calendar: (v) => v.calendar,
  };
  kind("EKEvent", { get: Object.fromEntries(Object.entries(readers).map(([name, read]) => [name, live(read)])) });

  const readersOfReminders = {
    calendarItemIdentifier: (v) => string(v.reminder.uuid),
    calendarItemExternalIdentifier: (v) => string(`${v.reminder.uuid}@external.example`),
    title: (v) => wrap(v.reminder.title),
    notes: (v) => wrap(v.reminder.notes),
    // Date components, each a separate number. Without a time there is no hour, and without a time zone no zone.
    dueDateComponents: (v) => {
      part("dates");
      return v.reminder.due === null ? nil() : object("NSDateComponents", { ...v.reminder.due });
    },
    completed: (v) => v.reminder.done,
    isCompleted: (v) => v.reminder.done,
    completionDate: (v) => date(v.reminder.completion),
    creationDate: (v) => date(v.reminder.creation),
    lastModifiedDate: (v) => date(v.reminder.stamp),
    priority: (v) => String(v.reminder.priority),
    calendar: (v) => v.calendar,
  };
  kind("EKReminder", {
    get: Object.fromEntries(Object.entries(readersOfReminders).map(([name, read]) => [name, live(read)])),
  });

  kind("EKPredicate", {});
  const load = (v) => {
    v.generation += 1;
    // A store that was created without access stays empty until it is reset.
    const { store, calendars, lists } = JSON.parse(system.eventKitLoad(v.store));
    v.store = store;
    v.calendars = system.eventKitConsent(0) === WRITE_ONLY ? [{ title: "Calendar", id: "virtual" }] : calendars;
    v.lists = lists;
  };
  const matching = (v, predicate) => {
    const { from, to, titles } = predicate[VALUE];
    // If consent is revoked while the process runs, nothing is returned any more.
    const found = system.eventKitConsent(0) === FULL ? JSON.parse(system.eventKitSearch(v.store, from, to)) : [];
    const calendars = v.calendars.map((each) => object("EKCalendar", each));
    const rows = found
      .filter(([at]) => titles === null || titles.includes(v.calendars[at].title))
      .flatMap(([at, event, times]) =>
        times.map(([start, end, occurrence, detached]) =>
          object("EKEvent", {
            store: v,
            generation: v.generation,
            event,
            calendar: calendars[at],
            start,
            end,
            occurrence,
            detached,
          }),
        ),
      );
    system.eventKitWait(rows.length);
    return object("NSArray", rows.reverse());
  };
  // Reminders arrive later, and only while a run loop runs. Without access the result is nil.
  const fetched = (v, predicate, completion) => {
    if (typeof completion !== "function") die("-[__NSCFString invoke]");
    const { titles, open, from, to } = predicate[VALUE];
    part("running").after(5, () => {
      const { rows, silent } = JSON.parse(system.eventKitReminders(v.store));
      if (silent) return;
      if (rows === null) return completion(nil());
      const lists = v.lists.map((each) => object("EKCalendar", each));
      const dueAt = ({ year, month, day, hour = 0, minute = 0, second = 0 }) =>
        new Date(year, month - 1, day, hour, minute, second).getTime();
      const within = ({ due }) =>
        (from === null && to === null) ||
        (due !== null && (from === null || dueAt(due) >= from) && (to === null || dueAt(due) <= to));
      const found = rows.filter(
        ([at, reminder]) =>
          (titles === null || titles.includes(v.lists[at].title)) && (!open || (!reminder.done && within(reminder))),
      );
      system.eventKitWait(found.length);
      const all = found.map(([at, reminder]) =>
        object("EKReminder", { store: v, generation: v.generation, reminder, calendar: lists[at] }),
      );
      completion(object("NSArray", all.reverse()));
    });
  };
  // JavaScript's null for a date is not nil, and matches nothing.
  const bound = (given) => {
    if (given === null) return NaN;
    return given === undefined || given.isNil() ? null : time(given).getTime();
  };
  // The completion runs once the user answers, and only while a run loop runs.
  const request = (entity) => (v, completion) => {
    if (typeof completion !== "function") die("-[__NSCFString invoke]");
    part("running").after(10, () => {
      const answer = system.eventKitAsk(entity);
      if (answer !== null && answer !== undefined) completion(answer, nil());
    });
  };
  // The request from before macOS 14 no longer asks the user, and is always refused.
  const refused = (v, entity, completion) => {
    if (typeof completion !== "function") die("-[__NSCFString invoke]");
    part("running").after(10, () => completion(false, nil()));
  };
  kind("EKEventStore", {
    get: { reset: load },
    call: {
      calendarsForEntityType: (v, entity) =>
        object(
          "NSArray",
          (Number(entity) === 0 ? v.calendars : v.lists).map((each) => object("EKCalendar", each)),
        ),
      predicateForEventsWithStartDateEndDateCalendars: (v, from, to, calendars) =>
        object("EKPredicate", {
          from: time(from).getTime(),
          to: time(to).getTime(),
          titles: calendarsOf(calendars),
        }),
      eventsMatchingPredicate: matching,
      predicateForRemindersInCalendars: (v, calendars) => object("EKPredicate", { titles: calendarsOf(calendars) }),
      predicateForIncompleteRemindersWithDueDateStartingEndingCalendars: (v, from, to, calendars) =>
        object("EKPredicate", { titles: calendarsOf(calendars), open: true, from: bound(from), to: bound(to) }),
      fetchRemindersMatchingPredicateCompletion: fetched,
      requestFullAccessToEventsWithCompletion: request(0),
      requestFullAccessToRemindersWithCompletion: request(1),
      requestAccessToEntityTypeCompletion: refused,
    },
  });
  const blank = () => {
    const store = object("EKEventStore", { store: -1, generation: 0, calendars: [], lists: [] });
    load(store[VALUE]);
    return store;
  };
  classOf("EKEventStore", {
    get: { blank },
    make: { authorizationStatusForEntityType: (entity) => String(system.eventKitConsent(Number(entity))) },
  });
})
