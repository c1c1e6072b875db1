// EventKit, as far as calendars and events are read. Never kinder than a Mac: without full access a store is empty and
// nothing throws; JavaScript's null or array for an NSArray ends the process; rows have no order; a store sees changes
// of others only after `reset`, and what it gave out before that is gone.
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
  // An NSArray of calendars, or nil for all of them.
  const calendarsOf = (given) => {
    if (given === null) die("-[NSNull count]");
    if (Array.isArray(given)) die("-[__NSArrayM remListIDsWithAllLists:]");
    if (given === undefined || given.isNil()) return null;
    if (!isA(given, "NSArray")) die("-[NSObject count]");
    return given[VALUE].map((each) => each[VALUE].title);
  };

  kind("EKCalendar", { get: { title: (v) => string(v.title), calendarIdentifier: (v) => wrap(v.id) } });
  // What a store gave out before its last reset is no longer there.
  const live = (read) => (v) => (v.store.generation === v.generation ? read(v) : nil());
  const STATUS = ["none", "confirmed", "tentative", "cancelled"];
  const readers = {
    calendarItemIdentifier: (v) => string(v.event.uid),
    // One id for the whole series, and another than the one above.
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
    // The bridge may give integers as texts.
    status: (v) => String(Math.max(0, STATUS.indexOf(v.event.status))),
    calendar: (v) => v.calendar,
  };
  kind("EKEvent", { get: Object.fromEntries(Object.entries(readers).map(([name, read]) => [name, live(read)])) });

  kind("EKPredicate", {});
  const load = (v) => {
    v.generation += 1;
    // A store that was made without access stays empty until it is reset.
    const consent = system.eventKitConsent(0);
    const { store, calendars } = JSON.parse(system.eventKitLoad(v.store, consent === FULL));
    v.store = store;
    v.calendars = consent === WRITE_ONLY ? [{ title: "Calendar", id: "virtual" }] : calendars;
  };
  const matching = (v, predicate) => {
    const { from, to, titles } = predicate[VALUE];
    // Consent that was taken away while the process runs leaves nothing to see.
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
  // The completion runs once somebody answers, and only while a run loop runs.
  const request = (entity) => (v, completion) => {
    if (typeof completion !== "function") die("-[__NSCFString invoke]");
    part("running").after(10, () => {
      const answer = system.eventKitAsk(entity);
      if (answer !== null && answer !== undefined) completion(answer, nil());
    });
  };
  kind("EKEventStore", {
    get: { reset: load },
    call: {
      calendarsForEntityType: (v, entity) =>
        object("NSArray", Number(entity) === 0 ? v.calendars.map((each) => object("EKCalendar", each)) : []),
      predicateForEventsWithStartDateEndDateCalendars: (v, from, to, calendars) =>
        object("EKPredicate", {
          from: time(from).getTime(),
          to: time(to).getTime(),
          titles: calendarsOf(calendars),
        }),
      eventsMatchingPredicate: matching,
      requestFullAccessToEventsWithCompletion: request(0),
      requestFullAccessToRemindersWithCompletion: request(1),
    },
  });
  const blank = () => {
    const store = object("EKEventStore", { store: -1, generation: 0, calendars: [] });
    load(store[VALUE]);
    return store;
  };
  classOf("EKEventStore", {
    get: { blank },
    make: { authorizationStatusForEntityType: (entity) => String(system.eventKitConsent(Number(entity))) },
  });
})
