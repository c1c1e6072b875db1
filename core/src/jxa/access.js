// Access to a library of the system: its state, and the request to the person, which waits for the answer.
const access = (entity, asks) => {
  ObjC.import("EventKit");
  const status = () => Number($.EKEventStore.authorizationStatusForEntityType(entity));
  if (!asks || status() !== 0) return { status: status(), granted: null, by: responsible() };
  const store = $.EKEventStore.alloc.init,
    end = Date.now() + d.wait;
  let granted = null;
  const done = (answer) => {
    granted = answer === true || Number(answer) === 1;
  };
  // macOS 14 refuses the older call without asking, and macOS 13 has only that one.
  const full = ["requestFullAccessToEventsWithCompletion", "requestFullAccessToRemindersWithCompletion"][entity];
  if (store.respondsToSelector(`${full}:`)) store[full](done);
  else store.requestAccessToEntityTypeCompletion(entity, done);
  while (granted === null && Date.now() < end)
    $.NSRunLoop.currentRunLoop.runUntilDate($.NSDate.dateWithTimeIntervalSinceNow(0.1));
  return { status: status(), granted: granted, by: responsible() };
};
