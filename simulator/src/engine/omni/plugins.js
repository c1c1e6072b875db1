// The classes of plug-ins. No plug-in is installed here, but a script can make an action and perform it.
// A question to the user is never answered, because nobody sits at this Mac.
const functionOf = (value, what) =>
  typeof value === "function" ? value : fail(`${what} must be a Function, not ${describe(value)}`);
const nobody = () => new Promise(() => {});

class PlugIn {
  constructor() {
    throw new TypeError("PlugIn has no constructor");
  }
  static get all() {
    return [];
  }
  static find(identifier) {
    textOf(identifier, "the identifier");
    return null;
  }
}
class Action {
  constructor(perform) {
    Object.defineProperty(this, "perform", { value: functionOf(perform, "perform"), enumerable: true });
    this.validate = null;
  }
}
class Handler {
  constructor(invoke) {
    Object.defineProperty(this, "invoke", { value: functionOf(invoke, "invoke"), enumerable: true });
    this.willAttach = this.willDetach = null;
  }
}
class PlugInLibrary {
  constructor(version) {
    if (!(version instanceof Version)) fail(`the version must be a Version, not ${describe(version)}`);
    Object.defineProperty(this, "version", { value: version, enumerable: true });
  }
}
for (const [name, type] of Object.entries({ Action, Handler, Library: PlugInLibrary })) {
  Object.defineProperty(type, "name", { value: `PlugIn.${name}` });
  Object.defineProperty(PlugIn, name, { value: type });
}

class Alert {
  constructor(title, message) {
    textOf(title, "the title");
    textOf(message, "the message");
  }
  addOption(option) {
    textOf(option, "the option");
  }
  show() {
    return nobody();
  }
}
class Notification {
  constructor(title) {
    this.title = textOf(title, "the title");
    this.subtitle = null;
  }
  show() {
    return nobody();
  }
}
// Fields of forms. Each has an initial value, which it keeps because nobody edits the form.
class FormField {
  constructor(key, displayName, value) {
    this.key = textOf(key, "the key");
    this.displayName = displayName ?? null;
    Object.defineProperty(this, ROW, { value });
  }
}
const formFields = {
  Checkbox: (key, name, value) => [key, name, value ?? false],
  Date: (key, name, value) => [key, name, value ?? undefined],
  MultipleOptions: (key, name, options, names, selected) => [key, name, selected ?? []],
  Option: (key, name, options, names, selected) => [key, name, selected ?? undefined],
  Password: (key, name, value) => [key, name, value ?? undefined],
  String: (key, name, value) => [key, name, value ?? undefined],
};
for (const [name, values] of Object.entries(formFields)) {
  const type = class extends FormField {
    constructor(...given) {
      super(...values(...given));
    }
  };
  Object.defineProperty(type, "name", { value: `Form.Field.${name}` });
  Object.defineProperty(FormField, name, { value: type });
}
Object.defineProperty(FormField, "name", { value: "Form.Field" });
class Form {
  constructor() {
    Object.defineProperty(this, ROW, { value: [] });
    this.validate = null;
  }
  get fields() {
    return this[ROW].slice();
  }
  get values() {
    const filled = this[ROW].filter((field) => field[ROW] !== undefined);
    return Object.fromEntries(filled.map((field) => [field.key, field[ROW]]));
  }
  addField(field, index) {
    if (!(field instanceof FormField)) fail(`the field must be a Form.Field, not ${describe(field)}`);
    this[ROW].splice(index ?? this[ROW].length, 0, field);
  }
  removeField(field) {
    const at = this[ROW].indexOf(field);
    if (at < 0) fail("the field is not in the form");
    this[ROW].splice(at, 1);
  }
  show() {
    return nobody();
  }
}
Object.defineProperty(Form, "Field", { value: FormField });

// The Mac's pasteboard, for text only.
class Pasteboard {
  constructor(token) {
    if (token !== ROW) throw new TypeError("Pasteboard has no constructor");
  }
  get string() {
    return native.clipboard() ?? null;
  }
  set string(value) {
    native.setClipboard(value === null ? "" : textOf(value, "Pasteboard.string"));
  }
  get hasStrings() {
    return Boolean(native.clipboard());
  }
  clear() {
    native.setClipboard("");
  }
}
Object.defineProperty(Pasteboard, "general", { value: new Pasteboard(ROW) });

// Timers that fire once do so after the script has ended, in the order of their times. Repeating timers never fire.
let waiting = [];
class Timer {
  constructor(token, interval) {
    if (token !== ROW) throw new TypeError("Timer has no constructor");
    Object.defineProperty(this, "interval", { value: interval, enumerable: true });
  }
  cancel() {
    waiting = waiting.filter((each) => each.timer !== this);
  }
  static once(interval, action) {
    const timer = Timer.repeating(interval, action);
    waiting.push({ timer, action });
    waiting.sort((a, b) => a.timer.interval - b.timer.interval);
    return timer;
  }
  static repeating(interval, action) {
    if (typeof interval !== "number") fail(`the interval must be a Number, not ${describe(interval)}`);
    functionOf(action, "the action");
    return new Timer(ROW, interval);
  }
}
// Fires the next timer. Its errors are not reported.
function fireNext() {
  const next = waiting.shift();
  try {
    next?.action(next.timer);
  } catch {
    // The app writes errors to its console.
  }
  return next !== undefined;
}
