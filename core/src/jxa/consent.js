// Follows the prelude in scripts that ask macOS about this process's permissions, or make it ask the person.

// What macOS says about each app that runs, without a dialog.
const consents = (apps) => ({
  states: apps.map((id) => {
    try {
      return Application(id).running() ? consentOf(id) : -600;
    } catch (error) {
      return null;
    }
  }),
  by: responsible(),
});

// One harmless event for each app: it only counts elements, so no content comes back. An application's name and version
// would not do, because macOS answers them from the bundle, even for an app that hangs or may not be controlled.
const HARMLESS = {
  "com.apple.finder": (app) => app.disks,
  "com.apple.mail": (app) => app.accounts,
  "com.apple.Notes": (app) => app.accounts,
  "com.apple.reminders": (app) => app.lists,
  "com.apple.iCal": (app) => app.calendars,
  "com.apple.AddressBook": (app) => app.groups,
  "com.apple.systemevents": (app) => app.processes,
};
const harmless = (app) => (HARMLESS[d.app] || ((each) => each.windows))(app).length;
// Lets macOS ask the person, which waits for the answer. The event after it opens the second dialog that Reminders,
// Contacts and Calendar have.
const askConsent = (app) => {
  at = "consent";
  const id = d.app,
    before = consentOf(id),
    open = before === 0 || before === REFUSED ? before : consentOf(id, true);
  if (open === REFUSED) return { before: before, state: open, number: 0, by: responsible() };
  let number = 0;
  try {
    ask(() => harmless(app));
  } catch (error) {
    number = numberOf(error);
  }
  const after = consentOf(id);
  return { before: before, state: after === null ? open : after, number: number, by: responsible() };
};
